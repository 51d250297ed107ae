"""The typer app `nereval`: its help, and how its commands are registered and report mistakes.

Every option belongs to a group of `OPTION_GROUPS`, or to its command alone. `--help` shows the options of the command
and the others of `OFTEN`, and names the groups of the rest.

Nothing here imports spaCy: `spacy_app` adds this app to spaCy's command line.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from itertools import chain
from os.path import exists, isdir, isfile, join  # they are False for names that are too long
from pathlib import Path
from shlex import quote
from shutil import get_terminal_size
from signal import SIGTERM
from stat import S_ISFIFO
from textwrap import fill
from traceback import format_exception
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin, get_type_hints

import typer
from typer import Option
from typer.core import TyperCommand, TyperGroup
from typer.models import OptionInfo

from ..core.arguments import Argument, check_value
from ..core.expansion import collect_rarely, use_max_expansion
from ..core.features import extensions, load_object
from ..core.messages import LONGEST, NAME_ALONE, Pasted, TryAgain, did_you_mean, shorten, use_spelling
from ..core.plugins import Stopped, describe_exit, import_code
from .command_options import (
    AS_JSON,
    CODE,
    DEBUG,
    EPILOG,
    EXPANSION,
    FIELD_GROUPS,
    GROUPS,
    LOG_FORMAT,
    OFTEN,
    OPTION_GROUPS,
    OUTPUT,
    ROWS_OUTPUT,
    LogFormat,
    own_command,
    own_options,
    prints_nothing,
    read_as,
    table_format,
)
from .guards import (
    NamedInputs,
    check_files,
    cloud_storage_message,
    one_line_message,
    open_streams,
    output_files,
    stopped_by_signals,
    with_matching_files,
    with_standard_streams,
)
from .metric_options import describe_option
from .printing import log_as, no_tables, print_apart_from, say, warnings_in_lines

# Help, alike in all releases of typer

HEADINGS = (
    "Start here",
    "Select a model",
    "Make gold annotation",
    "Count and add up",
    "Train in spaCy",
    "Look up and check",
    "Other commands",
)
"""The headings below which the list of commands shows them; the last has those that name none."""

QUIET = ("--quiet", "-q", "--silent")
"""Options of other packages for printing nothing."""

VERBOSE = ("--verbose", "-v")
"""Options of other packages for printing more: there is no more."""

USUAL_VALUES = {"thresholds": ("--per-label", "own")}
"""Options that are flags in other packages, by command, and their usual values."""

WIDEST = 100
"""Maximum number of columns. Longer lines are hard to read."""

TERMS = 26
"""Maximum number of columns for options before their texts; a longer one has a line of its own."""

LISTS = ("labels", "metrics", "tables")
"""The parameters whose values are lists separated by commas."""

VIEWS: dict[str, Mapping[str, str]] = {}
"""Commands to the views that know their tables, "module:class", by the option with which the view is used; "" if it
needs none. They are imported for the help alone, since spaCy imports the commands at every start."""


class GroupedCommand(TyperCommand):
    """A command with short help: the common options, and the names of the groups of the others."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. An error shows the beginning of a bad value only, and the line to write."""
        given, options = [*args], [parameter.opts for parameter in self.params]
        args = files_in_places(args, [argument.name for argument in _arguments(self)], [*chain(*options)])
        repeated = {
            name for parameter in self.params if getattr(parameter, "multiple", False) for name in parameter.opts
        }
        flags = {name for parameter in self.params if getattr(parameter, "is_flag", False) for name in parameter.opts}
        lists = [parameter.opts for parameter in self.params if parameter.name in LISTS]
        args = with_output_last(args) if self.name == "convert" else args
        args = with_names(args) if self.name == "agreement" else args
        volume = [arg for arg in args if arg in (*QUIET, *VERBOSE) and arg not in chain(*options)]
        args = [arg for arg in args if arg not in volume]
        prints_nothing.set(not {*QUIET}.isdisjoint(volume))
        args = with_usual_value(args, self.name or "")
        args = with_listed_values(args, [*chain(*options)], repeated)
        args = with_options_of_others(args, options, self.name or "", {*flags, *repeated, *chain(*lists)})
        if self.name == "report" and "--output" not in args and "-o" not in args and args[2:] and _is_page(args[-1]):
            args[-1:] = ["--output", args[-1]]
        short = [arg for before, arg in zip(["", *args], args) if re.fullmatch("-[A-Za-z]", arg) and before[:1] != "-"]
        if ctx.ignore_unknown_options:  # else the parser finds them
            listed = {name for parameter in self.params for name in (*parameter.opts, *parameter.secondary_opts)}
            long = [arg.partition("=")[0] for arg in args if re.match(r"--[a-z]", arg)]
            short += [arg for arg in long if "." not in arg and arg not in (*listed, "--help")]
        if unknown := [arg for arg in short if arg not in chain(*options)]:
            say(f"✘ {describe_option(unknown[0], [*chain(*options)], self.name or '')}", fg="red", err=True)
            raise typer.Exit(UNUSABLE)
        is_as_given = args == given and not ctx.meta.get(COMMAND_MEANT)
        args = with_joined_values(args, lists)
        read_as.set("" if is_as_given else f"{ctx.command_path} {' '.join(map(quote, args))}")
        try:
            _, rest, order = self.make_parser(ctx).parse_args([*args])
            say_repeated(order, rest)
            return super().parse_args(ctx, args)
        except Exception as error:  # releases of typer differ in its class
            if isinstance(option := getattr(error, "option_name", None), str) and hasattr(error, "possibilities"):
                say(f"✘ {describe_option(option, [*chain(*options)], self.name or '')}", fg="red", err=True)
                raise typer.Exit(UNUSABLE) from None
            if type(error).__name__ == "MissingParameter" and (option := getattr(error, "param", None)):
                name, needs = max(option.opts, key=len), getattr(option, "help", None) or argument_name(option)
                say(f"✘ {ctx.command_path} needs {name}{f': {needs}' if name != needs else ''}", fg="red", err=True)
                raise typer.Exit(UNUSABLE) from None
            if "requires an argument" in str(error) and (option := getattr(error, "option_name", None)):
                say(f"✘ {_describe_lack(self.params, option)}", fg="red", err=True)
                raise typer.Exit(UNUSABLE) from None
            if extra := re.search(
                r"unexpected extra argument(?:s|\(s\))? \((.*)\)", f"{getattr(error, 'message', '')}"
            ):
                takes = " ".join(filter(None, self.collect_usage_pieces(ctx)[1:])) or "no argument"
                more = ": run it for each file" if exists(extra[1].partition(" ")[0]) else ""
                say(
                    f"✘ unexpected argument {extra[1] or quote('')}: {ctx.command_path} takes {takes}{more}",
                    fg="red",
                    err=True,
                )
                raise typer.Exit(UNUSABLE) from None
            # Exception has no `message` for mypy, though that of typer has.
            if isinstance(said := getattr(error, "message", None), str):
                error.message = shorten(said, LONGEST)  # type: ignore[attr-defined]
            raise

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words of the usage after the command."""
        return ["[OPTIONS]", *(argument_name(argument) for argument in _arguments(self))]

    def format_help(self, ctx: Any, formatter: Any) -> None:  # releases of typer differ in the classes of both
        """Write the help to a formatter."""
        options = [parameter for parameter in self.get_params(ctx) if parameter.param_type_name == "option"]
        self.format_usage(ctx, formatter)
        for paragraph in (self.help or "").split("\n\n"):
            formatter.write(f"\n{_wrap(paragraph, 2)}\n")
        _write_options(formatter, "Arguments", ctx, _arguments(self))
        if ctx.meta.get(SHOW_ALL):
            _write_options(formatter, "Options", ctx, [option for option in options if not option_group(option)])
            for group, about in OPTION_GROUPS.items():
                members = [option for option in options if option_group(option) == group]
                _write_options(formatter, f"{about} ({group})", ctx, members)
        else:
            shown = [option for option in options if not option_group(option) or option.name in OFTEN]
            shown.sort(key=lambda option: OFTEN.index(option.name if option.name in OFTEN else ""))
            _write_options(formatter, "Options", ctx, shown)
            hidden = {option_group(option) for option in options if option not in shown}
            rows = [(name, about) for name, about in OPTION_GROUPS.items() if name in hidden]
            program = ctx.parent.command_path if ctx.parent else ""
            heading = f"More options, shown by '{program} help GROUP' or '{ctx.command_path} --help-all'"
            _write_rows(formatter, heading, rows)
        if self.epilog:
            formatter.write(f"\n{_wrap(self.epilog, 0)}\n")


def with_options_of_others(
    args: Sequence[str], options: Iterable[Sequence[str]], command: str = "", repeatable: Collection[str] = ()
) -> list[str]:
    """Return the arguments with an option of this command for each that has another name elsewhere.

    One that is given already is not given again, unless it may be, and a table that the command does not have is not
    asked for: the error has the line to write.

    Args:
        args: The arguments.
        options: The names of each option of the command.
        command: The name of the command.
        repeatable: The options that may be given again: without a value, with a list, or with a value for each time.

    >>> with_options_of_others(["g.jsonl", "--latex", "--metric", "muc"], [["-f", "--format"], ["--metrics"]])
    ['g.jsonl', '--format', 'latex', '--metrics', 'muc']
    >>> with_options_of_others(["mentions", "paired", "--paired"], [["--metrics"]], "compare")
    ['mentions', 'paired']
    >>> with_options_of_others(["-f", "conll", "--latex"], [["-f", "--format"]])
    ['-f', 'conll', '--latex']
    """
    from ..core.synonyms import changes_nothing, option_words, takes_value

    names_of = {name: names for names in options for name in names}
    result: list[str] = []
    rest = [*args]
    while rest:
        arg = rest.pop(0)
        option, equals, value = arg.partition("=")
        option = f"-{option}" if re.fullmatch("-[a-z]", option) and option not in names_of else option
        at = value if equals else rest[0] if rest and _is_value(rest[0]) else None
        if option == "--json" and (at or "").endswith(".json") and "--output" in names_of:
            result += ["--output", rest.pop(0)]
            continue
        is_foreign = option.startswith("--") and option not in names_of
        if (is_foreign or option == "--format") and changes_nothing(option, command, "true" if at is None else at):
            del rest[: at is not None and not equals]
            continue
        words = [] if option in names_of else option_words(option, command, at)
        if (
            not words
            and option not in names_of
            and option.startswith("--")
            and _names_metric(option[2:].replace("-", "_"))
        ):
            words = ["--metrics", option[2:].replace("-", "_")]
        if words[:1] == ["--tables"] and "--json" in args:  # which has the numbers of all tables
            continue
        if words[:1] == ["--format"] and not takes_value(option, command) and re.search(r"\.[a-z]{2,4}$", at or ""):
            words = []  # a file for the table: the error names the line
        asked = [word for word in words if word in names_of]
        last = next(reversed(asked), "")
        is_given = bool({*names_of.get(last, ())} & {*args, *result})
        is_clear = bool(asked) and all(word in names_of for word in words if word.startswith("--"))
        if is_clear and words[0] == "--tables" and command:
            is_clear = any(words[1] in load_object(place).makers for place in VIEWS.get(command, {}).values())
        if not is_clear or (is_given and last not in repeatable):  # with two values
            result.append(arg)
            continue
        result += words
        if takes_value(option, command) and at is not None and not equals:
            del rest[0]
        elif equals and not takes_value(option, command):
            result.append(value)
    return result


def with_usual_value(args: Sequence[str], command: str) -> list[str]:
    """Return arguments with the usual value of an option that stands without one, as a flag elsewhere.

    >>> with_usual_value(["g", "p", "--per-label"], "thresholds")
    ['g', 'p', '--per-label', 'own']
    """
    if command not in USUAL_VALUES:
        return [*args]
    option, value = USUAL_VALUES[command]
    result: list[str] = []
    for arg, after in zip(args, [*args[1:], "-"]):
        result += [arg, value] if arg == option and not _is_value(after) else [arg]
    return result


def _is_value(text: str) -> bool:
    """Return whether what stands behind an option may be its value, rather than a file or another option."""
    return not text.startswith("-") and not exists(text)


def _is_page(text: str) -> bool:
    return text.endswith(".html") and not text.startswith("-")


def _describe_lack(parameters: Iterable[Any], option: str) -> str:
    """Return the message that an option lacks its value, with what the option is for."""
    about = next((parameter.help for parameter in parameters if option in parameter.opts), "")
    return f"{option} is given without a value: {about}"


def with_listed_values(args: Sequence[str], options: Collection[str], repeated: Collection[str]) -> list[str]:
    """Return the arguments with values as these options take them.

    Labels and metrics may be separated by spaces, the level of intervals may follow `--confidence`, and several values
    the plural of an option that is given once for each.

    Args:
        args: The arguments.
        options: The options of the command.
        repeated: Those that may be repeated.

    >>> with_listed_values(["g", "p", "--only", "PER", "LOC", "--confidence", "95"], ["--level"], [])
    ['g', 'p', '--only', 'PER,LOC', '--confidence', '--level', '0.95']
    >>> with_listed_values(["-m", "fair", "ser", "g"], ["--metrics", "-m"], [])
    ['-m', 'fair,ser', 'g']
    >>> with_listed_values(["--names", "a,b", "g"], [], ["--name"])
    ['--name', 'a', '--name', 'b', 'g']
    >>> with_listed_values(["g", "--names", "a", "b", "--latex"], [], ["--name"])
    ['g', '--name', 'a', '--name', 'b', '--latex']
    """
    result: list[str] = []
    plural = ""  # the option that was given in the plural, with values behind it
    for arg in args:
        before = result[-1] if result else ""
        level = _level(arg) if before in ("--confidence", "--ci") and "--level" in options else None
        option = result[-2] if result[1:] and not exists(arg) else ""
        is_label = arg.isidentifier() and arg.isupper() and before.replace(",", "").isupper()
        takes_metrics = option in ("-m", "--metric", "--metrics") and "--metrics" in options and arg.islower()
        if level:
            result += ["--level", level]
        elif (option in ("--only", "--labels") and is_label) or (takes_metrics and _names_metric(arg)):
            result[-1] = f"{before},{arg}"
        elif before not in options and before.removesuffix("s") in repeated and before.endswith("s"):
            plural = before.removesuffix("s") if "," not in arg else ""
            result[-1:] = [word for value in arg.split(",") for word in (before.removesuffix("s"), value)]
        elif plural and option == plural and not arg.startswith("-"):
            result += [plural, arg]
        else:
            result.append(arg)
    return result


def _names_metric(text: str) -> bool:
    from ..core.synonyms import METRIC_NAMES, METRICS_OF_SCORES
    from ..metrics.registry import names

    return text in METRIC_NAMES or text in METRICS_OF_SCORES or text in names()


def with_output_last(args: Sequence[str]) -> list[str]:
    """Return the arguments of `convert` with the file of `--output` at its place, and no `--to` that says its ending.

    >>> with_output_last(["a.jsonl", "--to", "conll", "-o", "a.conll"])
    ['a.jsonl', 'a.conll']
    >>> with_output_last(["--output", "a.conll", "a.jsonl"]), with_output_last(["a.jsonl", "--out", "a.conll"])
    (['a.jsonl', 'a.conll'], ['a.jsonl', 'a.conll'])
    """
    result = [*args]
    for name in ("-o", "--output", "--out"):
        if name in result[:-1]:
            at = result.index(name)
            output = result.pop(at + 1)
            result[at : at + 1] = [] if at == 0 else [output]
            result += [output] if at == 0 else []
    if "--to" in result[:-1] and any(arg.endswith(f".{result[result.index('--to') + 1]}") for arg in result):
        at = result.index("--to")
        del result[at : at + 2]
    return result


def with_names(args: Sequence[str]) -> list[str]:
    """Return the arguments with `--name NAME` for each annotator that is given as NAME=FILE.

    >>> with_names([f"ann={__file__}", f"ben={__file__}", "-C"])[2:]
    ['-C', '--name', 'ann', '--name', 'ben']
    """
    named = [
        arg for arg in args if not arg.startswith("-") and not exists(arg) and exists(arg.partition("=")[2] or "=")
    ]
    if len(named) < 2:
        return [*args]
    names = [word for arg in named for word in ("--name", arg.partition("=")[0])]
    return [*(arg.partition("=")[2] if arg in named else arg for arg in args), *names]


def with_joined_values(args: Sequence[str], lists: Iterable[Sequence[str]]) -> list[str]:
    """Return the arguments with one value, a list separated by commas, for each option that takes lists.

    Args:
        args: The arguments.
        lists: The names of each option that takes lists.

    >>> with_joined_values(["-m", "strict", "--metrics=fair", "g.jsonl"], [["--metrics", "-m"]])
    ['-m', 'strict,fair', 'g.jsonl']
    """
    names_of = {name: tuple(names) for names in lists for name in names}
    place_of: dict[tuple[str, ...], int] = {}  # of its value in the result
    result: list[str] = []
    given = [*args]
    while given:
        arg = given.pop(0)
        option, equals, value = arg.partition("=")
        if option not in names_of or not (equals or given):
            result.append(arg)
            continue
        value = value if equals else given.pop(0)
        if (names := names_of[option]) in place_of:
            before = result[place_of[names]]
            result[place_of[names]] = before if before == value else f"{before},{value}"
        else:
            result += [option, value]
            place_of[names] = len(result) - 1
    return result


def say_repeated(order: Iterable[Any], rest: Iterable[str]) -> None:
    """Print which options are given several times though the last value alone is used.

    Args:
        order: The options and arguments that the command knows, in the order in which they are given.
        rest: The other arguments, options of metrics and their values.
    """
    own = [
        parameter.opts[0]
        for parameter in order
        if parameter.param_type_name == "option" and not parameter.is_flag and not parameter.multiple
    ]
    of_metrics = [arg.partition("=")[0] for arg in rest if arg.startswith("--")]
    for option, number in Counter([*own, *of_metrics]).items():
        if number > 1:
            say(f"⚠ {option} is given {number} times: the last value is used", fg="yellow", err=True)


def _level(text: str) -> str:
    """Return a confidence level as `--level` takes it; "" if a text is none."""
    try:
        level = float(text)
    except ValueError:
        return ""
    return f"{level / 100:g}" if 1 < level < 100 else text


LISTED = (
    "--systems",
    "--system",
    "--models",
    "--model",
    "--nlp",
    "--pipeline",
    "--annotators",
    "--annotations",
    "--files",
)
"""Options of other packages for systems or annotators, of which several may follow."""


def files_in_places(args: Sequence[str], places: Sequence[str], options: Collection[str]) -> list[str]:
    """Return the arguments with the files that options of other packages name at their places.

    Args:
        args: The arguments.
        places: The names of the command's arguments that have places.
        options: The options of the command.

    >>> files_in_places(["--pred", "p.jsonl", "-C", "--gold=g.jsonl", "--fair.unit", "token"], ["gold", "pred"], ["-C"])
    ['g.jsonl', 'p.jsonl', '-C', '--fair.unit', 'token']
    >>> files_in_places(["-g", "g.jsonl", "--baseline", "a.npz", "--candidate", "b"], ["gold", "systems"], ["-g"])
    ['g.jsonl', 'a.npz', 'b']
    >>> files_in_places(["g.jsonl", "p.jsonl", "--config", "policy.cfg"], ["policy", "gold", "candidate"], [])
    ['policy.cfg', 'g.jsonl', 'p.jsonl']
    >>> files_in_places(["--model", "model", "--gold", "g.jsonl"], ["gold", "systems"], [])
    ['g.jsonl', 'model']
    >>> files_in_places(["--gold", "g.jsonl", "--nlp", "model"], ["model", "data"], [])
    ['model', 'g.jsonl']
    """
    from ..core.synonyms import FIRST_NAMES, GOLD_NAMES, PRED_NAMES, SECOND_NAMES

    if not {"gold", "model", "annotations"} & {*places[:2]}:
        return [*args]
    place_of = {**dict.fromkeys(("-p", "-i", *LISTED), "pred"), "-g": "gold", "--baseline": "baseline"}
    if "systems" in places:
        place_of |= {f"--{name}": "baseline" for name in FIRST_NAMES.split()}
        place_of |= {f"--{name}": "pred" for name in SECOND_NAMES.split()}
    place_of |= {f"--{name}": "gold" for name in (*GOLD_NAMES.split(), "counts")}
    place_of |= {f"--{name}": "pred" for name in PRED_NAMES.split()}
    if "data" in places:
        place_of |= dict.fromkeys(("--data", "--test", "--dev"), "gold")
    if "policy" in places:
        place_of |= dict.fromkeys(("--policy", "--config"), "policy")
    files: dict[str, list[str]] = {"policy": [], "gold": [], "baseline": [], "pred": []}
    rest, given = [], [*args]
    while given:
        arg = given.pop(0)
        option, equals, value = arg.partition("=")
        following = value if equals else next(iter(given), "")
        is_number = option == "-g" and following.removeprefix("-").isdigit()  # of a GPU
        is_other = option in LISTED[:2] and not exists(following.rpartition("=")[2])  # but NAME=RUN,RUN
        is_other |= option == "--baseline" and not exists(following) and not Path(following).suffix  # the name of one
        if option not in place_of or not following or is_number or is_other or (option in options and option != "-g"):
            rest.append(arg)
            continue
        is_named = place_of[option] == "gold" and not exists(following)  # as in NAME=FILE
        files[place_of[option]].append(following.rpartition("=")[2] if is_named else following)
        del given[: not equals]
        while option in ("-i", *LISTED) and given and exists(given[0].rpartition("=")[2]):  # as sacreBLEU lists them
            files["pred"].append(given.pop(0))
    if "data" in places:  # of a model, which comes first
        files = {"policy": [], "gold": files["pred"], "baseline": [], "pred": files["gold"]}
    first = files["policy"] + files["gold"]
    at = next((k for k, arg in enumerate(rest) if arg.startswith("--") and "." in arg.partition("=")[0]), len(rest))
    if first or not "".join(rest[:1]).startswith("-"):  # gold comes first, and an option after it may be unknown
        at = next((k for k, arg in enumerate(rest) if arg.startswith("-") and arg != "-"), len(rest))
    return [*first, *rest[:at], *files["baseline"], *files["pred"], *rest[at:]]


def _arguments(command: Any) -> list[Any]:
    return [parameter for parameter in command.params if parameter.param_type_name == "argument"]


def argument_name(argument: Any) -> str:
    """Return an argument as usage shows it, in brackets if it is optional."""
    name = str(argument.metavar or argument.name.upper())
    if argument.nargs == -1 and "..." not in name:
        name += "..."
    return name if argument.required or name.startswith("[") else f"[{name}]"


class GroupedCommands(TyperGroup):
    """The program. Its help lists the commands under their headings."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, of which `-h` and `version` mean what they mean elsewhere."""
        if args[:1] == ["version"]:
            args = ["--version"]
        return super().parse_args(ctx, [*("--help" if arg == "-h" else arg for arg in args[:2]), *args[2:]])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command and its arguments. End the program with the line to write if there is no such command."""
        given, args = args, [*with_command(args, self.commands)]
        ctx.meta[COMMAND_MEANT] = args[:1] != given[:1]
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            say(f"✘ {describe_command(args, self.commands)}", fg="red", err=True)
            raise typer.Exit(UNUSABLE)
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help to a formatter."""
        self.format_usage(ctx, formatter)
        formatter.write(f"\n{_wrap(self.help or '', 2)}\n")
        headings: dict[str, list[tuple[str, str]]] = {heading: [] for heading in HEADINGS}
        for name, command in self.commands.items():
            heading = getattr(command, "rich_help_panel", None) or HEADINGS[-1]
            headings.setdefault(heading, []).append((name, command.short_help or ""))
        for heading, rows in headings.items():
            _write_rows(formatter, heading, rows)
        _write_options(formatter, "Options", ctx, self.get_params(ctx))


def with_command(args: Sequence[str], commands: Collection[str]) -> Sequence[str]:
    """Return the arguments of the program with the command that they clearly mean.

    Files alone are scored. A model is evaluated, whether its folder is the first argument or the value of `--model`.

    Args:
        args: The arguments, a command first.
        commands: The commands that exist.

    >>> with_command(["iaa", "a.jsonl", "b.jsonl"], ["agreement"])
    ['agreement', 'a.jsonl', 'b.jsonl']
    >>> with_command(["confusion", "gold.jsonl", "pred.jsonl"], ["score"])
    ['score', 'gold.jsonl', 'pred.jsonl', '--tables', 'confusion']
    >>> with_command(["score", "dev.spacy", "--model", "model", "-C"], ["score", "evaluate"])
    ['evaluate', 'model', 'dev.spacy', '-C']

    What differs between two files is listed; a comparison has two systems and the gold annotation.

    >>> with_command(["diff", __file__, __file__], ["compare", "errors"])[0]
    'errors'
    """
    if not args or (args[0] in commands and args[0] not in ("score", "evaluate")):
        return args
    meant = _command_meant(args, commands)
    return _command_of_options(meant, commands) if meant[0] in ("score", "evaluate") else meant


def _command_of_options(args: Sequence[str], commands: Collection[str]) -> Sequence[str]:
    """Return the arguments of `score` or `evaluate` with another command, if an option of others asks for that.

    >>> _command_of_options(["score", "g.jsonl", "p.jsonl", "--fail-under", "0.85"], ["gate"])
    ['gate', 'g.jsonl', 'p.jsonl', '--fail-under', '0.85']
    >>> _command_of_options(["evaluate", "model", "g.spacy", "--html", "page.html"], ["report"])
    ['report', 'g.spacy', 'model', '--html', 'page.html']
    """
    from ..core.synonyms import command_line, option_words

    command, *rest = args
    for arg, following in zip(rest, [*rest[1:], None]):
        option, equals, value = arg.partition("=")
        line = command_line(option, at=command) if option.startswith("--") else ""
        other = line.removeprefix("nereval ").partition(" ")[0]
        if other in {*commands} & OF_OPTIONS and option_words(option, other, value if equals else following):
            swapped = command == "evaluate" and not any(one.startswith("-") for one in rest[:2])
            return [other, *rest[1::-1], *rest[2:]] if swapped else [other, *rest]
    return args


OF_OPTIONS = {"gate", "report"}
"""Commands that options of other packages' only command ask for, such as `--fail-under`, and `--html`."""


def _command_meant(args: Sequence[str], commands: Collection[str]) -> Sequence[str]:
    """Return the arguments of the program with the command that their first word and their files mean."""
    from ..core.synonyms import command_to_run

    first, *rest = args
    if first == "check" and {"--policy", "--config"} & {*rest}:
        return ["gate", *rest]
    meant, *options = command_to_run(first) or [""]
    if meant == "compare" and sum(map(exists, rest)) == 2 and not {"--gold", "-g"} & {*rest}:
        meant = "errors"
    if first not in commands and meant in commands:
        first, rest, args = meant, [*rest, *options], [meant, *rest, *options]
    if first == "evaluate" and "--model" not in rest[:-1]:
        return ["score", *rest] if _names_data(rest) else args
    if first not in ("score", "evaluate") and first in commands:
        return args
    if first not in ("score", "evaluate"):
        if not exists(first):
            return args
        rest = [*args]
    if "--model" in rest[:-1]:
        at = rest.index("--model")
        return ["evaluate", rest[at + 1], *rest[:at], *rest[at + 2 :]]
    if rest[1:] and exists(rest[0]) and _is_model(rest[1]) and not any(map(exists, rest[2:])):
        rest[:2] = rest[1], rest[0]  # gold annotation and a model, in the order of others
    return ["evaluate" if rest and _is_model(rest[0]) else "score", *rest]


def _is_model(path: str) -> bool:
    return all(isfile(join(path, name)) for name in ("config.cfg", "meta.json"))


def _names_data(args: Sequence[str]) -> bool:
    """Return whether arguments begin with a file of annotation, or a name like one, rather than with a model."""
    if "--model" in args:
        return False
    names = [arg for arg in args if not arg.startswith("-")]
    if args and args[0].startswith("-") and not exists(names[0] if names else ""):
        names = [name for name in names if exists(name)]  # without the values of options
        return len(names) > 1 and not _is_model(names[0])
    if not names or _is_model(names[0]):
        return False
    if isdir(names[0]):  # next to a file, it is an incomplete model: its reader raises an error
        return len(names) > 1 and isdir(names[1])
    return isfile(names[0]) or Path(names[0]).suffix[1:].isalpha()


def describe_command(args: Sequence[str], commands: Iterable[str]) -> str:
    """Return the message that there is no such command, with the line to write.

    Args:
        args: The word in place of a command, and the rest.
        commands: The commands that exist.

    >>> describe_command(["gold.spacy", "pred.spacy"], ["score"])
    "there is no command 'gold.spacy': write nereval score gold.spacy pred.spacy"
    >>> describe_command(["kappa"], ["score"])
    "there is no command 'kappa': write nereval agreement A B --tables alpha"
    >>> describe_command(["scor"], ["score"])
    "there is no command 'scor': did you mean 'score'?"
    """
    from ..core.synonyms import command_line

    said = f"there is no command {shorten(args[0])!r}"
    asked = [command_line(arg, others=[]) for arg in args[1:] if arg.startswith("--")]
    of_gate = next((line for line in asked if line.startswith("nereval gate")), "")
    if line := of_gate or command_line(args[0]):
        return f"{said}: write {line}"
    if Path(args[0]).suffix or exists(args[0]):
        name = "evaluate" if exists(join(args[0], "config.cfg")) else "score"
        return f"{said}: write nereval {name} {' '.join(map(quote, args))}"
    if line := command_line(args[0], others=commands):
        return f"{said}: write {line}"
    return f"{said}{did_you_mean(args[0], commands) or '; nereval --help lists the commands'}"


SHOW_ALL = f"{__name__}.show_all"

COMMAND_MEANT = f"{__name__}.command_meant"
"""Whether the command was given under another name, or not at all."""


def show_all(ctx: typer.Context, wanted: bool) -> None:
    """Print the help with all options and end the program, if `--help-all` is given."""
    if wanted and not ctx.resilient_parsing:
        ctx.meta[SHOW_ALL] = True
        typer.echo(ctx.get_help())
        raise typer.Exit


HELP_ALL = typer.Option(
    False,
    "--help-all",
    callback=show_all,
    is_eager=True,
    help="Show all options in their groups, and exit",
    rich_help_panel="running",
)


def option_group(option: Any) -> str:
    """Return the name of the group of an option; "" for an option of its command alone."""
    group = "running" if option.name == "help" else getattr(option, "rich_help_panel", None)
    return group if group in OPTION_GROUPS else ""


def option_text(command: str | None, option: Any) -> str:
    """Return the help of an option of a command, with the tables of `--tables`."""
    if option.name != "tables" or command not in VIEWS:
        return str(option.help or "")
    tables = [
        f"{with_option and f'With {with_option}: '}{_table_names(load_object(place))}"
        for with_option, place in VIEWS[command].items()
    ]
    return f"{option.help}: {'. '.join(tables)}"


def _table_names(view: Any) -> str:
    """Return the names of the tables of a view, the defaults first."""
    groups = {"the default in the terminal": view.at_terminal, "the default in other formats": view.usual}
    if [*view.at_terminal] == [*view.usual]:
        groups = {"the default": view.usual}
    others = ", ".join(name for name in view.makers if name not in (*view.at_terminal, *view.usual))
    return "; ".join([*(f"{', '.join(names)} ({when})" for when, names in groups.items()), *filter(None, [others])])


def group_page(ctx: Any, group: str) -> str:
    """Return the help of a group of options.

    Args:
        ctx: The context of the program.
        group: A name of `OPTION_GROUPS`.
    """
    commands: dict[str, dict[str, list[str]]] = {}  # of an option and of each of its texts, which commands may vary
    for name, command in ctx.command.commands.items():
        context = type(ctx)(command, info_name=name, parent=ctx)
        for option in command.get_params(context):
            if option_group(option) == group:
                term, text = _help_row(context, option)
                commands.setdefault(term, {}).setdefault(text, []).append(name)
    members = {name for texts in commands.values() for names in texts.values() for name in names}
    every = [name for name in ctx.command.commands if name in members]
    rows = [
        (term, text if names == every else f"{text}  [{', '.join(names)}]")
        for term, texts in commands.items()
        for text, names in texts.items()
    ]
    formatter = ctx.make_formatter()
    formatter.write(f"{_wrap(f'{OPTION_GROUPS[group]}.', 0)}\n")
    _write_rows(formatter, f"Options of {', '.join(every)}", rows)
    return str(formatter.getvalue().rstrip("\n"))


def list_of_groups(ctx: Any) -> str:
    """Return the help that lists the groups of options. The context is that of the program."""
    formatter = ctx.make_formatter()
    formatter.write(f"'{ctx.command_path} COMMAND --help' shows the common options, --help-all all options.\n")
    _write_rows(formatter, f"Groups of options, shown by '{ctx.command_path} help GROUP'", OPTION_GROUPS.items())
    return str(formatter.getvalue().rstrip("\n"))


def _help_row(ctx: Any, parameter: Any) -> tuple[str, str]:
    """Return an option or argument as it is written, and its help with its default."""
    term, text = parameter.get_help_record(ctx)
    if parameter.param_type_name == "argument":
        term = argument_name(parameter)
    plain = text.replace("\\[", "[")  # some releases of typer escape the default for rich
    return term, option_text(ctx.command.name, parameter) + plain.removeprefix(parameter.help or "")


def _write_options(formatter: Any, heading: str, ctx: Any, parameters: Iterable[Any]) -> None:
    shown = (parameter for parameter in parameters if not getattr(parameter, "hidden", False))
    _write_rows(formatter, heading, (_help_row(ctx, parameter) for parameter in shown))


def _write_rows(formatter: Any, heading: str, rows: Iterable[tuple[str, str]]) -> None:
    """Write a heading, and terms with their texts; nothing without a term."""
    listed = [*rows]
    if not listed:
        return
    formatter.write("\n" + _wrap(f"{heading}:", 0) + "\n")
    indent = min(max(len(term) for term, _ in listed), TERMS) + 4
    for term, text in listed:
        lines, head = _wrap(text, indent), f"  {term}".ljust(indent - 1)
        formatter.write(f"{head} {lines.lstrip()}\n" if len(head) < indent else f"{head}\n{lines}\n")


def _wrap(text: str, indent: int) -> str:
    space, width = " " * indent, max(min(get_terminal_size().columns, WIDEST), indent + 20)
    return fill(text, width, initial_indent=space, subsequent_indent=space, break_on_hyphens=False)


# Commands

nereval: typer.Typer = typer.Typer(
    name="nereval",
    help="Evaluate named-entity recognition with the metrics of the research literature.",
    no_args_is_help=True,
    cls=GroupedCommands,
)


def _say_version(wanted: bool) -> None:
    if wanted:
        from ..core.about import __version__

        say(f"spacy-nereval {__version__}")
        raise typer.Exit


@nereval.callback()
def _open_streams(
    version: bool = Option(False, "--version", callback=_say_version, is_eager=True, help="Show the version and exit."),
) -> None:
    open_streams()


Command = Callable[..., None]

UNUSABLE, BUSY = 2, 75
"""Exit statuses: of input or options that cannot be used, which is also typer's; and of a temporary failure, as in
sysexits.h. 0 says that the command is done, and 1 that its verdict is no."""


@dataclass(frozen=True)
class Extension:
    """The additions of a feature to a command that is not its own: options, and their effects.

    A feature derives a frozen dataclass and names it in `Feature.extensions`. Its annotated fields become options of
    the command, as the fields of a group do. A command with a parameter `extensions: Extensions` gets an instance of
    each class, with the options that were given; its docstring says which of their methods it calls.

    Attributes:
        help: An addition to the help of the command: a paragraph, or several with empty lines between them.
        group: The group of `OPTION_GROUPS` to which its options belong; "" for options of the command alone.
    """

    help: ClassVar[str] = ""
    group: ClassVar[str] = ""

    @classmethod
    def prepare(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of the command's parameters, before the files that they name are checked.

        A feature may put other values in their place, such as the files of a folder for the folder.

        Args:
            given: The values of all parameters, with those of the extension's options.

        Raises:
            ValueError: Values cannot be used, alone or together.
        """
        return {**given}

    @classmethod
    def check_files(cls, given: Mapping[str, Any], inputs: NamedInputs) -> None:
        """Check the files and folders that the extension's options name; the others have been checked.

        Args:
            given: The values of all parameters.
            inputs: The inputs of the command.

        Raises:
            ValueError: One of them cannot be used.
        """


class Extensions(tuple[Any, ...]):
    """The extensions of a command, with the options that were given."""


def command(
    name: str,
    *,
    metric_options: bool = False,
    view: str | Mapping[str, str] = "",
    heading: str | None = None,
    cls: type[GroupedCommand] = GroupedCommand,
) -> Callable[[Command], Command]:
    """Return a decorator that registers a function as a command, with the options that features add to it.

    Args:
        name: Name of the command.
        metric_options: Also accept options such as `--fair.unit token`, which typer does not
            know. The function then takes a `typer.Context`, whose `args` hold them.
        view: The view with the tables for `--tables`, "module:class". Of several views, by the option with which each
            is used; "" if it needs none.
        heading: The heading below which the list of commands shows it.
        cls: How typer parses the arguments, if not as usual.
    """
    if view:
        VIEWS[name] = {"": view} if isinstance(view, str) else view
    settings: dict[str, Any] = {}
    if metric_options:
        accept_unknown = {"allow_extra_args": True, "ignore_unknown_options": True}
        settings = {"context_settings": accept_unknown, "epilog": EPILOG}

    def register(function: Command) -> Command:
        added = [*extensions(name).values()]
        text = "\n\n".join(filter(None, [function.__doc__, *(extension.help for extension in added)]))
        # Typer keeps the line breaks of a docstring, and a terminal breaks lines elsewhere.
        paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]
        summary = paragraphs[0].partition(". ")[0].removesuffix(".")
        register_command = nereval.command(
            name, cls=cls, help="\n\n".join(paragraphs), short_help=summary, rich_help_panel=heading, **settings
        )
        return register_command(with_short_errors(command_with_options(function, added), added, name))

    return register


@contextmanager
def say_read_as() -> Iterator[None]:
    """Print how the command was read, if it was given with names of other packages and did not end in an error."""
    line, status = read_as.get(), 0
    try:
        yield
    except typer.Exit as end:
        status = end.exit_code
        raise
    except BaseException:
        status = UNUSABLE
        raise
    finally:
        if line and status not in (UNUSABLE, BUSY) and not prints_nothing.get():
            say(f"ℹ read as {line}", err=True)


def with_short_errors(function: Command, added: Sequence[type[Extension]] = (), name: str = "") -> Command:
    """Wrap a command so that an error is one line, and the exit status `UNUSABLE` or `BUSY`.

    Before the command runs, closed streams are opened, its extensions prepare the values of its parameters, the files
    that these name are checked, and the file of `--code` is run. Mistakes in this package are raised.
    """

    @wraps(function)
    def run_logged(*args: Any, **kwargs: Any) -> None:
        open_streams()
        # Products of matrices wait for memory here, and a second thread only takes processor time. The library that
        # multiplies, and workers, read this when they start.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        with stopped_by_signals(), collect_rarely(), log_as(kwargs.get("log_format", "text")), say_read_as():
            run_checked(*args, **kwargs)

    def run_checked(*args: Any, **kwargs: Any) -> None:
        from ..core.document_fields import keep_fields
        from ..io.paths import forget_pipes

        own_options.set([as_option(option) for option in kwargs])
        own_command.set(name)
        try:
            forget_pipes()
            with use_spelling(as_option), use_max_expansion(kwargs.get("max_expansion")), ExitStack() as printed:
                printed.enter_context(keep_fields(kwargs.get("by")))
                kwargs = with_standard_streams(kwargs)
                for extension in added:
                    kwargs = extension.prepare(kwargs)
                kwargs = with_matching_files(kwargs)
                check_files(kwargs, [extension.check_files for extension in added])
                printed.enter_context(print_apart_from(output_files(kwargs).values()))
                printed.enter_context(no_tables(bool(kwargs.get("json"))))
                printed.enter_context(warnings_in_lines())
                if prints_nothing.get() and not kwargs.get("json") and table_format(kwargs.get("format")) == "terminal":
                    printed.enter_context(
                        redirect_stdout(printed.enter_context(open(os.devnull, "w", encoding="utf8")))
                    )
                if kwargs.get("code"):
                    import_code(kwargs["code"])
                function(*args, **kwargs)
                _say_where_scores_are(name, bool(kwargs.get("json")))
        except BrokenPipeError:
            # The program that reads our output, such as `head`, has stopped reading, which is not an error.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except SystemExit as error:  # our commands end with typer's exceptions
            if isinstance(error, Stopped) or error.code == SIGTERM:  # Ray sets a handler of its own, with this status
                raise
            say(f"✘ {describe_exit(error)}", fg="red", err=True)
            raise typer.Exit(UNUSABLE) from None
        except Exception as error:  # libraries of cloud storage have exceptions of their own; others are raised again
            message = cloud_storage_message(error, kwargs) or one_line_message(error, kwargs)
            if not message:
                raise
            if kwargs.get("debug"):
                say("".join(format_exception(error)), err=True)
            say(f"✘ {message}", fg="red", err=True)
            raise typer.Exit(BUSY if isinstance(error, TryAgain) else UNUSABLE) from None

    return run_logged


def _say_where_scores_are(name: str, is_json: bool) -> None:
    """Print where JSON has the scores, if another program reads it."""
    try:
        is_piped = S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):  # it is none of the system's, or closed
        return
    if is_json and is_piped and name in ("score", "evaluate") and not prints_nothing.get():
        say("ℹ jq .scores prints every score by its key, such as strict_f", err=True)


def command_with_options(command: Command, added: Sequence[type[Extension]] = ()) -> Command:
    """Return a command with the fields of its groups and extensions as parameters.

    A parameter such as `reading: Reading` becomes one parameter per field of
    `Reading`. A field that occurs in several groups becomes one option, and
    every group receives its value. Every command has the options `--code`, a file that is run before the command,
    `--debug` and `--log-format`; it need not know of them.

    Args:
        command: A function with annotated parameters, some of them classes of `command_options.GROUPS`.
        added: The classes of its extensions.
    """
    hints = get_type_hints(command, include_extras=True)
    signature = inspect.signature(command)
    groups = {name: hints[name] for name in signature.parameters if hints[name] in GROUPS}
    members = {group: _fields(group) for group in (*groups.values(), *added)}
    extended = next((name for name in signature.parameters if hints[name] is Extensions), None)
    parameters: dict[str, inspect.Parameter] = {}
    for name, parameter in signature.parameters.items():
        if name in groups:
            for field in members[groups[name]]:
                parameters.setdefault(field.name, field)
        elif name != extended:
            parameters[name] = _parameter(name, hints[name], parameter.default)
    for extension in added:
        for field in members[extension]:
            parameters.setdefault(field.name, field)
    if "output" in parameters and parameters["output"].default in (OUTPUT, ROWS_OUTPUT):
        parameters["json"] = _parameter("json", bool, AS_JSON)
    parameters.setdefault("code", _parameter("code", Path | None, CODE))
    parameters["max_expansion"] = _parameter("max_expansion", int | None, EXPANSION)
    parameters["debug"] = _parameter("debug", bool, DEBUG)
    parameters["log_format"] = _parameter("log_format", LogFormat, LOG_FORMAT)
    parameters["help_all"] = _parameter("help_all", bool, HELP_ALL)

    arguments = {name: _argument_of(parameter.annotation) for name, parameter in parameters.items()}

    @wraps(command)
    def run(**given: Any) -> None:
        for name, argument in arguments.items():
            if given[name] is not None:
                given[name] = argument.value_here(given[name])
                check_value(name, given[name], argument)
        values = {group: group(**{field.name: given[field.name] for field in members[group]}) for group in members}
        given |= {name: values[group] for name, group in groups.items()}
        if extended:
            given[extended] = Extensions(values[extension] for extension in added)
        command(**{name: given[name] for name in signature.parameters})

    del run.__wrapped__  # else typer would read the parameters of the command itself
    own_first = sorted(parameters.values(), key=lambda parameter: parameter.name not in signature.parameters)
    # typer asks for the signature in this attribute, of which mypy does not know.
    run.__signature__ = inspect.Signature(own_first)  # type: ignore[attr-defined]
    run.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    return run


def _fields(group: Any) -> list[inspect.Parameter]:
    """Return the fields of a group as parameters, without those that concern Python objects alone."""
    defaults = {field.name: field.default for field in fields(group)} if is_dataclass(group) else group._field_defaults
    hints = get_type_hints(group, include_extras=True)
    others = getattr(group, "group", "")  # of an extension
    parameters = [
        _parameter(name, hints[name], default, FIELD_GROUPS.get(name, others)) for name, default in defaults.items()
    ]
    return [parameter for parameter in parameters if _argument_of(hints[parameter.name]).where != "objects"]


def _argument_of(hint: Any) -> Argument:
    if get_origin(hint) is Union:  # Python 3.10 makes a hint with the default None optional
        hint = next((part for part in get_args(hint) if get_origin(part) is Annotated), hint)
    data = hint.__metadata__ if get_origin(hint) is Annotated else ()
    return next((argument for argument in data if isinstance(argument, Argument)), Argument(""))


def _parameter(name: str, hint: Any, default: Any, group: str = "") -> inspect.Parameter:
    """Return a parameter as typer reads it: an `Argument` of its annotation becomes an option.

    Args:
        name: Its name.
        hint: Its annotation.
        default: Its default value, or its declaration for typer.
        group: The group of options to which it belongs, unless its declaration says another.
    """
    argument = _argument_of(hint)
    group = argument.group or group
    if argument.help:
        hint = next((part for part in get_args(hint) if get_origin(part) is Annotated), hint)
        kind = argument.typed or hint.__origin__
        flags = f"{as_option(name)}/{as_option(name, False)}" if kind is bool else as_option(name)
        names = filter(None, [flags, argument.short])
        option = Option(*names, help=argument.help, rich_help_panel=group or None)
        hint = Annotated[kind | None if default is None and argument.typed else kind, option, argument]
    elif isinstance(default, OptionInfo):
        default.rich_help_panel = default.rich_help_panel or group or None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def as_option(name: str, value: Any = NAME_ALONE) -> str:
    """Return an argument as it is written on the command line.

    >>> as_option("offsets", "utf16"), as_option("check_text", False), as_option("drop", True)
    ('--offsets utf16', '--no-check-text', '--drop')

    One option has the training data for all metrics that look up spans in them.

    >>> as_option("tmr.train", "FILE")
    '--train FILE'

    Other options of metrics have values of JSON, and keep their names.

    >>> as_option("wrf.unique", False), as_option("ace.min_overlap", 2.0), as_option("metrics", ["fair", "wrf"])
    ('--wrf.unique false', '--ace.min_overlap 2.0', '--metrics fair,wrf')
    """
    if "." in name and not name.endswith(".train"):
        if value is NAME_ALONE:
            return f"--{name}"
        return f"--{name} {shorten(value if isinstance(value, str) else json.dumps(value, default=str), 200)}"
    flag = "--train" if name.endswith(".train") else f"--{name.replace('_', '-')}"
    if value is NAME_ALONE or value is True:
        return flag
    if value is False:
        return flag.replace("--", "--no-")
    if isinstance(value, Pasted):
        return f"{flag} {quote(value)}"
    if isinstance(value, list):
        value = ",".join(map(str, value))
    written = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{flag} {shorten(written, 200) or quote(written)}"
