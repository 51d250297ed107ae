"""The command as a program: names, statuses, logs, closed streams, what it imports; and metrics and detach."""

import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from importlib.metadata import entry_points
from pathlib import Path

import pytest
import spacy
from commands import GOLD, GOLD_DOCS, PRED, accepted, flat, refused, run, tables_in, write
from docs import doc, write_docs
from places import ROOT
from processes import WITHOUT_SPACY, python
from products import NIGHT
from refusals import refused_with
from spacy.cli._util import app as spacy_app
from typer import Typer
from typer.testing import CliRunner

import spacy_nereval
from spacy_nereval import cli
from spacy_nereval.cli import nereval
from spacy_nereval.cli import spacy_app as joining
from spacy_nereval.cli.app import VIEWS
from spacy_nereval.cli.printing import log_as
from spacy_nereval.core.about import __version__
from spacy_nereval.core.features import load_object
from spacy_nereval.core.messages import TryAgain
from spacy_nereval.features.parts import parts_command as sharded
from spacy_nereval.features.parts.shards import PartsFolder, Shard, ShardStatus
from spacy_nereval.metrics.registry import options_of

# metrics and detach


def test_metrics_lists_every_metric_with_its_source_and_every_option():
    printed = accepted("metrics")
    for name in spacy_nereval.names():
        assert f"\n{name}\n" in printed
        for option in options_of(name):
            assert f"--{name}.{option.name} [" in flat(printed) and option.help in flat(printed)
    assert printed.count("Source: ") == len(spacy_nereval.names())
    assert "--loio.s [number >= 0, <= 1; default 0.75]" in flat(printed)


def test_metrics_shows_one_metric_at_length():
    printed = accepted("metrics", "wrf")
    assert "For each document and class" in printed
    assert "--wrf.unique [true | false; default True]" in printed
    assert "\nfair\n" not in printed
    assert len(accepted("metrics").split()) > len(printed.split())


@pytest.mark.costly
def test_detach_saves_a_pipeline_without_the_package_and_writes_over_nothing(model, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    for name in ("full", "full/file"):
        said = refused("detach", model, tmp_path / name)
        assert f"{tmp_path / name} exists and is not empty: choose a new directory" in said
    assert os.listdir(tmp_path / "full") == ["file"]
    (tmp_path / "empty").mkdir()
    for name in ("new", "empty"):
        assert "saved to" in accepted("detach", model, tmp_path / name)
        saved = spacy.load(tmp_path / name)
        assert saved.pipe_names == ["entity_ruler", "span_ruler"]
        assert [ent.text for ent in saved("Ada met Bob").ents] == ["Ada", "Bob"]
        assert "nereval" not in (tmp_path / name / "config.cfg").read_text(encoding="utf8")
    assert spacy.load(model).pipe_names == ["entity_ruler", "span_ruler", "nereval"]
    result = CliRunner(charset="cp1252").invoke(nereval, ["detach", str(model), str(tmp_path / "other")])
    assert result.exit_code == 0, "it is said on any terminal"


# Names


def test_both_names_lead_to_the_same_commands():
    (script,) = entry_points(group="console_scripts", name="nereval")
    (added,) = entry_points(group="spacy_cli", name="nereval")
    assert script.load() is added.load() is nereval is spacy.registry.cli.get("nereval")
    listed = CliRunner().invoke(spacy_app, ["nereval", "--help"]).stdout
    assert [name for name in ("score", "evaluate", "metrics", "detach") if name not in listed] == []


@pytest.mark.parametrize(
    ("app", "arguments", "typed"), [(nereval, [], "nereval"), (spacy_app, ["nereval"], "python -m spacy")]
)
def test_usage_shows_the_name_that_was_typed(app, arguments, typed):
    entry_points(group="spacy_cli", name="nereval")["nereval"].load()
    name = " ".join([typed, *arguments])
    for command in ([], ["score"]):
        said = flat(CliRunner().invoke(app, [*arguments, *command, "--help"], prog_name=typed).output)
        assert f"Usage: {' '.join([name, *command])} [OPTIONS]" in said
    mistake = CliRunner().invoke(app, [*arguments, "score"], prog_name=typed)
    assert mistake.exit_code == 2
    assert f"✘ {name} score needs gold: Gold annotation, a file or a folder of brat files" in flat(mistake.output)
    assert CliRunner().invoke(app, [*arguments, "scor"], prog_name=typed).exit_code == 2


def test_the_shell_completes_commands(monkeypatch):
    for name, value in {"_NEREVAL_COMPLETE": "complete_bash", "COMP_WORDS": "nereval me", "COMP_CWORD": "1"}.items():
        monkeypatch.setenv(name, value)
    assert CliRunner().invoke(nereval, [], prog_name="nereval").output.split() == ["merge", "metrics"]


def no_module(monkeypatch) -> None:
    monkeypatch.delattr(cli, "nereval")
    monkeypatch.setitem(sys.modules, "spacy_nereval.cli.score", None)


def no_option(monkeypatch) -> None:
    def refused(*given: object) -> None:
        raise RuntimeError("Type not yet\nsupported: int | None")  # as typer before 0.12.4 says it

    monkeypatch.setattr(joining, "get_command", refused)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (lambda monkeypatch: None, ""),
        (no_module, "(ModuleNotFoundError: import of spacy_nereval.cli.score halted; None in sys.modules)"),
        (no_option, "(RuntimeError: Type not yet supported: int | None)"),
    ],
)
def test_spacys_own_commands_work_whatever_keeps_ours_from_loading(monkeypatch, broken, said):
    app = Typer()
    app.command("info")(lambda: print("of spaCy"))
    monkeypatch.setattr(joining, "app", app)
    broken(monkeypatch)
    assert callable(joining.add_commands())
    assert "of spaCy" in CliRunner().invoke(app, ["info"]).output
    for arguments in (["score", "a.jsonl", "--help"], ["--version"], []):
        done = CliRunner().invoke(app, ["nereval", *arguments])
        assert (f"✘ the commands of spacy-nereval cannot be loaded {said}: install" in done.output) is bool(said)
        assert done.exit_code == 2 or not said


# As a process of its own


@pytest.mark.slow
def test_the_command_prints_plain_text_into_a_pipe_and_fails_in_one_line(here):
    """The version is said by every door."""
    done = python("-m", "spacy", "nereval", "score", "gold.spacy", "pred.spacy", "-o", "out.json", cwd=here)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout and "\r" not in done.stdout
    assert "Also: strict 33.33, " in done.stdout
    assert tables_in(done.stdout)["Verdicts (fair)"][0][:3] == ["tp", "correct", "1"]
    assert json.loads((here / "out.json").read_text(encoding="utf8"))["documents"] == 3
    done = python("-m", "spacy_nereval", "score", "gold.jsonl", "nowhere.jsonl", cwd=here)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "✘ nowhere.jsonl does not exist or is not a file\n"
    for app, arguments in ((nereval, []), (spacy_app, ["nereval"])):
        done = CliRunner().invoke(app, [*arguments, "--version"])
        assert (done.exit_code, done.stdout.strip()) == (0, f"spacy-nereval {__version__}"), done.output


OF_TEXT = """score gold.jsonl pred.jsonl
score gold.conll gold.conll --metrics all
score brat brat --confidence
errors gold.jsonl pred.jsonl
compare gold.jsonl pred.jsonl gold.jsonl --trials 100
count gold.jsonl pred.jsonl -o counts.npz
merge counts.npz -o merged.npz
score merged.npz
training gold.jsonl -o lexicon.json
score gold.jsonl pred.jsonl --by eLen
report gold.jsonl pred.jsonl -o report.html
metrics fair
--help
score --help
help reading"""
"""Commands on files of text, which need no spaCy."""


@pytest.mark.slow
def test_files_of_text_are_scored_without_spacy_and_those_of_spacy_with_it(tmp_path):
    """All commands in one new process, in which spaCy cannot be imported."""
    for name, rows in {"gold": GOLD, "pred": PRED}.items():
        write(tmp_path / f"{name}.jsonl", *rows)
    write(tmp_path / "gold.conll", "-DOCSTART- O\n\nAda B-PER\nLovelace I-PER\nmet O\nBob B-PER\n")
    write_docs(tmp_path / "gold.spacy", [doc("Ada met Bob", (0, 1, "PER"))])
    (tmp_path / "brat").mkdir()
    (tmp_path / "brat" / "a.txt").write_text("Ada Lovelace met Bob", encoding="utf8")
    (tmp_path / "brat" / "a.ann").write_text("T1\tPER 0 12\tAda Lovelace\nT2\tPER 17 20\tBob\n", encoding="utf8")
    program = (
        f"{WITHOUT_SPACY}\nfrom spacy_nereval.reporting import pages\n\npages.chart_library = str\n"
        f"for line in {OF_TEXT!r}.splitlines():\n    nereval(line.split(), standalone_mode=False)"
    )
    done = python("-c", program, cwd=tmp_path)
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr
    assert "3 documents, 3 gold spans, 3 predicted spans" in done.stdout and (tmp_path / "report.html").exists()
    done = python("-c", f"{WITHOUT_SPACY}\nnereval()", "score", "gold.spacy", "gold.spacy", cwd=tmp_path)
    assert done.returncode and "spacy" in done.stderr.splitlines()[-1], "the check can tell"


# Statuses: 0 done, 1 a verdict says no, 2 input or usage, 75 try again

GOLD_FILE, PRED_FILE = (str(ROOT / "examples" / f"{name}.jsonl") for name in ("gold", "improved"))


@pytest.mark.parametrize(("lost", "kind"), [(True, TryAgain), (False, ValueError)])
def test_lost_workers_are_worth_another_try_and_bad_files_are_not(tmp_path, lost, kind):
    parts = [ShardStatus(Shard("a", "a.jsonl", "b.jsonl"), error="why", lost=lost)]
    with refused_with(ValueError, "1 of 1 files could not be counted") as raised:
        sharded._check_all_counted(parts, PartsFolder(tmp_path, ""))
    assert type(raised.value) is kind


def test_the_page_of_commands_lists_them():
    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf8")
    assert all(f"\n| {status} | " in page for status in (0, 1, 2, 75))


# --log-format json: what is said beside the result is a JSON object per line on stderr


def logged(*arguments: str) -> list[dict[str, str]]:
    done = run(*arguments, "--log-format", "json")
    found = [json.loads(line) for line in done.stderr.splitlines()]
    assert all(entry.pop("time").endswith("+00:00") for entry in found)
    return found


def test_files_that_are_finished_counts_and_notes_are_entries(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, source in {"gold2.jsonl": GOLD_FILE, "pred2.jsonl": PRED_FILE}.items():
        Path(name).write_text(re.sub(r'"text": "\w', '"text": "2', Path(source).read_text()))
    command = ("count", GOLD_FILE, "gold2.jsonl", PRED_FILE, "pred2.jsonl", "-m", "strict", "--collapse")
    command += ("--no-check-text", "-o", "all.npz", "--parts", "p")
    entries = logged(*command)
    assert [entry for entry in entries if "files" in entry] == [
        {"level": "info", "message": f"{k} of 2 files are finished", "files": k, "of": 2} for k in (1, 2)
    ]
    assert {"level": "info", "message": "2 files counted in p"} in entries
    assert any(entry["message"].startswith("counts of ") for entry in entries)
    assert {entry["level"] for entry in entries} == {"info"}
    again = run(*command)
    assert "✔ counts of" in again.stdout and "files are finished" not in again.output


def test_errors_and_warnings_are_entries_and_the_result_stays_what_it_is(monkeypatch):
    (entry,) = logged("score", "none.jsonl", PRED_FILE)
    assert entry["level"] == "error" and "none.jsonl" in entry["message"]
    score = ("score", GOLD_FILE, PRED_FILE, "-m", "strict", "--log-format")
    plain, structured = (run(*score, how).stdout for how in ("text", "json"))
    assert plain == structured and plain

    def warned(given):
        warnings.warn("a \x1b and a\nline", stacklevel=1)
        raise ValueError("and stops")

    warnings.simplefilter("always")  # under pytest they are errors
    monkeypatch.setattr("spacy_nereval.cli.score.named_runs", warned)
    assert logged("score", GOLD_FILE, "--system", f"a={PRED_FILE}") == [
        {"level": "warning", "message": "a \\x1b and a\nline"},
        {"level": "error", "message": "and stops"},
    ]


def test_every_tenth_of_many_files_is_an_entry_and_no_more(capsys):
    class Counter:
        def origin(self, shard):
            raise ValueError("nothing is counted")

    def told(function, items, ready, alone=False):
        for number in range(1, len(items) + 1):
            ready(number)
        return [*map(function, items)]

    with log_as("json"):
        sharded._count_shards([Shard(str(k), str(k)) for k in range(95)], Counter(), PartsFolder("none"), told)
    numbers = [json.loads(line)["files"] for line in capsys.readouterr().err.splitlines()]
    assert numbers == [10, 19, 29, 38, 48, 57, 67, 76, 86, 95]


# Closed streams, as a shell can close them


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    """Files for every command."""
    folder = tmp_path_factory.mktemp("corpus")
    systems = folder / "p.jsonl", folder / "g.jsonl"
    for times, name in ((9, "b.json"), (8, "a.json")):
        write(folder / "g.jsonl", *GOLD * times)
        write(folder / "p.jsonl", *PRED * times)
        assert run("compare", folder / "g.jsonl", *systems, "-m", "strict", "-o", folder / name).exit_code == 0
    write_docs(folder / "g.spacy", GOLD_DOCS)
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
    nlp.to_disk(folder / "model")
    (folder / "policy.cfg").write_text(
        '[gate]\ntoo_few = "pass"\n\n[gate.rules]\n\n[gate.rules.a]\nscore = "strict_f"\nat_least = 0\n'
    )
    write(folder / "marks.jsonl")
    for name in ("one.npz", "two.npz"):
        assert run("count", folder / "g.jsonl", folder / "p.jsonl", "-o", folder / name).exit_code == 0
    return folder


COMMANDS = """score g.jsonl p.jsonl -m strict -o out.json
compare g.jsonl p.jsonl g.jsonl -m strict --trials 20 -o out.json
leaderboard g.jsonl p.jsonl B=g.jsonl --trials 20 -o out.json
errors g.jsonl p.jsonl
evaluate model g.spacy -m strict -o out.json
count g.jsonl p.jsonl -m strict -o out.npz
merge one.npz -o out.npz
convert g.jsonl out.conll
training g.jsonl -o out.json
datasets a.json b.json
agreement g.jsonl p.jsonl -m strict -o out.json
detach model out
metrics fair
show g.jsonl
help reading
doctor
init-config
gate policy.cfg g.jsonl g.jsonl -o out.json
plan g.jsonl g.jsonl --policy policy.cfg -o out.json
apply g.jsonl marks.jsonl -o out.jsonl
report g.jsonl p.jsonl -o out.html
thresholds g.jsonl p.jsonl --missing-score 1 -m strict -o out.json""".splitlines()
MISTAKES = ["score nowhere.jsonl p.jsonl", "score --digits x"]
STREAMS = ("stdin", "stdout", "stderr")
CLOSED = [
    *((command, STREAMS) for command in (*COMMANDS, *MISTAKES, "score --help")),
    *((COMMANDS[0], (stream,)) for stream in STREAMS),
    (MISTAKES[0], ("stderr",)),
    ("score --help", ("stdout",)),
]
"""Commands, and which streams are closed: all of them for every command, and single ones."""


@pytest.mark.slow
@pytest.mark.parametrize(("command", "closed"), CLOSED)
def test_every_command_works_with_closed_streams(command, closed, corpus, monkeypatch):
    """As Python starts where a shell has closed them."""
    monkeypatch.chdir(corpus)
    for stream in closed:
        monkeypatch.setattr(sys, stream, None)
        monkeypatch.setattr(sys, f"__{stream}__", None)
    with pytest.raises(SystemExit) as ended:
        nereval(command.split())
    opened = [getattr(sys, stream) for stream in closed]
    for stream in opened:
        stream.close()
    shutil.rmtree("out", ignore_errors=True)
    assert ended.value.code == (2 if command in MISTAKES else 0)
    assert {stream.name for stream in opened} == {os.devnull}


def test_every_command_is_tried_with_closed_streams():
    assert {command.split()[0] for command in COMMANDS} == {command.name for command in nereval.registered_commands}


def shell(program: str, arguments: str, corpus: Path) -> subprocess.CompletedProcess[bytes]:
    """What a shell runs in the folder; `light.py` starts without spaCy."""
    (corpus / "light.py").write_text(f"{WITHOUT_SPACY}\nnereval()\n")
    return subprocess.run(f"{sys.executable} {program} {arguments}", shell=True, cwd=corpus, capture_output=True)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="the output is redirected by a POSIX shell")
@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("score g.jsonl p.jsonl -m strict -o", "-"),
        pytest.param("score g.jsonl p.jsonl -m strict -o", "/dev/stdout", marks=NIGHT),
        ("score g.jsonl p.jsonl -m strict --per-document", "/dev/stderr"),
        pytest.param("errors g.jsonl p.jsonl -m strict -o", "/proc/self/fd/1", marks=NIGHT),
        pytest.param("gate --init", "/dev/stdout", marks=NIGHT),
    ],
)
def test_an_output_that_is_a_stream_does_not_replace_the_log_behind_it(command, output, corpus):
    (corpus / "log.txt").write_text("an old line\n")
    done = shell("light.py", f"{command} {output} {'2>>' if output == '/dev/stderr' else '>>'} log.txt", corpus)
    written = (corpus / "log.txt").read_text()
    assert done.returncode == 0
    assert written.startswith("an old line\n")
    assert len(written.splitlines()) > 3
    assert not (corpus / "-").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("program", "closed"), [("-m spacy nereval", ">&-"), ("light.py", "<&- 2>&-")])
@pytest.mark.skipif(os.name != "posix", reason="streams are closed by a POSIX shell")
def test_a_shell_may_close_streams(program, closed, corpus):
    done = shell(program, f"score g.jsonl p.jsonl -m strict -o shell.json {closed}", corpus)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (">&-" in closed.split()) == (not done.stdout)
    (corpus / "shell.json").unlink()


# Tables: the help lists those that a command prints


@pytest.mark.parametrize(
    ("command", "place"),
    [
        (f"{line} {given} a=p.jsonl,g.jsonl" if given else line, place)
        for line in COMMANDS
        for given, place in VIEWS.get(line.split()[0], {}).items()
    ],
)
def test_the_view_in_the_help_of_a_command_is_that_of_its_tables(command, place, corpus, monkeypatch):
    monkeypatch.chdir(corpus)
    words = [word for word in command.split() if "--system" not in command or word != "p.jsonl"]
    said = refused(*words, "--tables", "none such")
    assert f"there is no table 'none such'; there are {', '.join(load_object(place).makers)}, or 'all'" in said
