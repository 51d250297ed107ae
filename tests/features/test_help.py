"""What the help of the program, of each command and of each group of options shows."""

import inspect
import re
import subprocess
import sys
from importlib.metadata import entry_points

import pytest
from commands import accepted, flat, refused, run
from spacy.cli._util import app as spacy_app
from typer.main import get_command
from typer.models import ParameterInfo
from typer.testing import CliRunner

from spacy_nereval.cli import nereval
from spacy_nereval.cli.app import HEADINGS, VIEWS, option_group, option_text
from spacy_nereval.cli.command_options import OFTEN, OPTION_GROUPS
from spacy_nereval.core.features import extensions, load_object
from spacy_nereval.features.leaderboard.datasets_view import DataSetsView
from spacy_nereval.features.report.report_view import ReportView
from spacy_nereval.reporting.score_view import ScoreView
from spacy_nereval.reporting.view import View

COMMANDS = get_command(nereval).commands
PLAIN = {"COLUMNS": "80", "NO_COLOR": "1"}
each_command = pytest.mark.parametrize("name", COMMANDS)


def options(name: str) -> list:
    return [each for each in COMMANDS[name].params if each.param_type_name == "option"]


def written(option) -> str:
    """An option at the beginning of its line."""
    return rf"^  (-\w+, )?{max(option.opts, key=len)}(?![\w-])"


# The list of commands


def test_the_list_of_commands_has_the_first_sentence_of_each_without_line_breaks():
    listed = flat(run("--help", env={"COLUMNS": "400", "NO_COLOR": "1"}).output)
    for command in nereval.registered_commands:
        first = flat(inspect.getdoc(command.callback)).partition(". ")[0].removesuffix(".")
        assert f"{command.name} {first}" in listed
        assert first == command.short_help
        helps = [inspect.getdoc(command.callback), *(added.help for added in extensions(command.name).values())]
        assert flat(command.help) == flat("\n\n".join(helps)).strip()
        assert all("\n" not in paragraph for paragraph in command.help.split("\n\n"))


def test_the_list_begins_with_six_commands_and_has_every_command_once_below_a_heading():
    listed = accepted("--help", env=PLAIN)
    first = listed.split("\n\n")[2].splitlines()
    assert [line.split()[0] for line in first] == [
        "Start",
        "score",
        "evaluate",
        "compare",
        "errors",
        "agreement",
        "report",
    ]
    assert sorted(re.findall(r"^  ([a-z][\w-]*)  ", listed, flags=re.M)) == sorted(COMMANDS)
    headings = [heading.removesuffix(":") for heading in re.findall(r"^\w.*:$", listed, flags=re.M)]
    assert headings == [*HEADINGS[:-1], "Options"]
    assert {command.rich_help_panel for command in nereval.registered_commands} == {*HEADINGS[:-1]}


def test_a_command_without_a_heading_is_among_the_others(monkeypatch):
    monkeypatch.setattr(COMMANDS["merge"], "rich_help_panel", None)
    ctx = get_command(nereval).make_context("nereval", [], resilient_parsing=True)
    monkeypatch.setattr(ctx.command, "commands", COMMANDS)
    assert f"\n{HEADINGS[-1]}:\n  merge  Merge" in ctx.get_help()


# A command


@each_command
@pytest.mark.parametrize("columns", [60, 80, 140])
def test_the_help_of_a_command_fits_the_terminal(name, columns):
    usage, *lines = accepted(name, "--help", env={**PLAIN, "COLUMNS": str(columns)}).splitlines()
    assert max(map(len, lines)) <= columns
    assert len(usage) <= 80, "typer's runner of tests has 80 columns for the usage"
    assert columns < 80 or len(lines) < 120


@pytest.mark.parametrize("command", nereval.registered_commands, ids=lambda command: command.name)
def test_the_help_of_a_command_has_the_whole_text_of_each_of_its_arguments(command):
    shown = flat(accepted(command.name, "--help-all", env={"COLUMNS": "2000", "NO_COLOR": "1"}))
    declared = [
        parameter.default.help
        for parameter in inspect.signature(command.callback).parameters.values()
        if isinstance(parameter.default, ParameterInfo) and not parameter.default.hidden
    ]
    assert [text for text in declared if flat(text) not in shown] == []


@each_command
def test_every_option_is_shown_once_in_its_group_or_as_one_of_the_commands_own(name):
    _, *sections = re.split(r"\n\n(?=\w.*:\n  )", accepted(name, "--help-all", env=PLAIN))
    for option in options(name):
        group = option_group(option)
        heading = f"{OPTION_GROUPS[group]} ({group}):" if group else "Options:"
        assert [part.splitlines()[0] for part in sections if re.search(written(option), part, re.M)] == [heading]
        assert flat(option_text(name, option)) in flat(next(part for part in sections if part.startswith(heading)))


@each_command
def test_every_option_is_on_the_page_of_its_group_and_on_no_other(name):
    pages = {group: f"{flat(accepted('help', group, env=PLAIN))} " for group in OPTION_GROUPS}
    for option in options(name):
        longest = max(option.opts, key=len)
        shown = [group for group, page in pages.items() if f"{flat(option_text(name, option))} " in page]
        assert shown == [group for group in [option_group(option)] if group], longest


@each_command
def test_the_help_shows_what_is_asked_for_often_and_names_the_groups_of_the_rest(name):
    help_text = accepted(name, "--help", env=PLAIN).partition("\nOptions:\n")[2]
    shown = {option.name for option in options(name) if re.search(written(option), help_text, re.M)}
    assert shown == {option.name for option in options(name) if not option_group(option) or option.name in OFTEN}
    rest = [option_group(option) for option in options(name) if option.name not in shown]
    named = help_text.partition(f"More options, shown by 'nereval help GROUP' or 'nereval {name} --help-all':\n")[2]
    groups = [line.split()[0] for line in named.split("\n\n")[0].splitlines()]
    assert groups == [group for group in OPTION_GROUPS if group in rest]


def test_what_is_asked_for_often_exists_and_the_most_asked_comes_first():
    assert {*OFTEN} - {option.name for name in COMMANDS for option in options(name)} == {"", "help"}
    shown = re.findall(r"^  (?:-\w+, )?--([\w-]+)", accepted("score", "--help", env=PLAIN), flags=re.M)
    assert shown[:4] == ["metrics", "output", "confidence", "system"] and shown[-1] == "help"


def test_options_that_the_help_does_not_show_are_completed(monkeypatch):
    assert "--repair" not in accepted("score", "--help")
    for name, value in {"_NEREVAL_COMPLETE": "complete_bash", "COMP_WORDS": "nereval score --re"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("COMP_CWORD", "2")
    assert CliRunner().invoke(nereval, [], prog_name="nereval").output.split() == ["--repair"]
    monkeypatch.undo()
    assert "did you mean '--repair'" in refused("score", "a.jsonl", "b.jsonl", "--repare", "error")


# Tables


@each_command
def test_the_tables_that_the_help_names_are_those_of_the_commands_views(name):
    assert (name in VIEWS) is any(option.name == "tables" for option in options(name))
    if name not in VIEWS:
        return
    (shown,) = re.findall(r"^  -t, --tables.*?(?=^  -|^$)", accepted(name, "--help", env=PLAIN), flags=re.M | re.S)
    tables = flat(shown).partition("'all': ")[2]
    for words, place in zip(re.split(r"\. With --system: ", tables), VIEWS[name].values(), strict=True):
        view = load_object(place)
        named = re.sub(r" \(the default[^)]*\)", "", words)
        assert {*re.split("[,;] ", named)} == {*view.makers}
        default = [names for names, _ in re.findall(r"(?:^|; )([^;()]*) \((the default[^)]*)\)", words)]
        assert default == [", ".join(names) for names in dict.fromkeys([(*view.at_terminal,), (*view.usual,)])]


def test_every_view_has_a_command_whose_help_names_its_tables():
    """A report prints no tables, and `datasets` always the same."""
    views = [load_object(place) for views in VIEWS.values() for place in views.values()]
    assert {*View.__subclasses__(), *ScoreView.__subclasses__()} == {*views, ReportView, DataSetsView}


def test_no_view_is_imported_before_its_tables_are_asked_for():
    program = (
        "import sys\nfrom spacy_nereval.cli import nereval\nfrom spacy_nereval.cli.app import VIEWS\n"
        "places = [place.split(':')[0] for views in VIEWS.values() for place in views.values()]\n"
        "print(len(places), [place for place in places if place in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "10 []\n"


# nereval help


def test_help_lists_the_groups_and_no_group_has_the_name_of_a_command():
    listed = flat(accepted("help"))
    assert all(f"{name} {about}" in listed for name, about in OPTION_GROUPS.items())
    assert not {*OPTION_GROUPS} & {*COMMANDS}


@pytest.mark.parametrize(("app", "before"), [(nereval, []), (spacy_app, ["nereval"])])
def test_help_shows_a_command_or_a_group_whatever_the_program_is_called(app, before):
    entry_points(group="spacy_cli", name="nereval")["nereval"].load()

    def shown(*arguments: str) -> str:
        return CliRunner().invoke(app, [*before, *arguments], prog_name="program", env=PLAIN).output

    program = " ".join(["program", *before])
    assert shown("help", "compare") == shown("compare", "--help")
    assert f"Usage: {program} compare [OPTIONS] [GOLD]" in shown("help", "compare")
    assert f"'{program} help GROUP'" in flat(shown("compare", "--help"))
    assert shown("help", "cuts").startswith("Scores of predictions, and thresholds.\n\nOptions of score, compare,")
    assert "[default: 10; 1<=x<=1000]" not in shown("help", "cuts") and "[thresholds]" in shown("help", "cuts")


def test_a_topic_that_does_not_exist_is_refused_with_the_nearest():
    assert "there is no group of options or command 'redaing': did you mean 'reading'? There are scoring, " in refused(
        "help", "redaing"
    )
    assert "did you mean 'compare'?" in refused("help", "compre")
