"""The page on the commands, from their own help texts."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from textwrap import fill
from typing import Any

from doc_pages import table
from typer.main import get_command

from spacy_nereval.cli import nereval
from spacy_nereval.cli.app import BUSY, UNUSABLE, VIEWS, argument_name, option_group
from spacy_nereval.cli.command_options import OPTION_GROUPS
from spacy_nereval.core.features import load_object

STATUSES = {
    0: "done",
    1: "a check failed: `gate`, or `doctor`",
    UNUSABLE: "bad input or options; do not retry. No half-written file is left",
    BUSY: "temporary failure (another run is active, workers were lost); retry",
}


SHARED = 2
"""The number of commands with the same option, with the same text, from which it is written once for all."""


COMMON, EVERYWHERE = "common", "running"
"""The heading of options that belong to no group of the help, and the group that every command takes."""

Identity = tuple[str, str, str]
"""The name, the text and the default of an option."""


def commands_page() -> str:
    """Return docs/reference/commands.md: each option once, those of many commands in tables of their own."""
    # typer declares a plain command, which has no `commands`; with several commands it is a group.
    commands = dict(sorted(get_command(nereval).commands.items()))  # type: ignore[attr-defined]
    users = Counter(_identity(name, option) for name, command in commands.items() for option in _options(command))
    shared = {identity for identity, number in users.items() if number >= SHARED}
    blocks = [
        "# Commands and options",
        "<!-- Written by scripts/docs.py from the commands themselves; do not edit. -->",
        "`nereval COMMAND --help` prints the common options, `--help-all` all of them, `nereval help GROUP` those of a "
        "group, such as `reading`. `nereval --install-completion` completes commands and options in your "
        "shell. Options "
        "of several commands are described once, [below](#options-of-several-commands). Every command takes those of "
        "[running](#running); `--gpu-id` only where it may run a pipeline. Tables in bold are the default in "
        "the terminal.",
        table(["exit status", "meaning"], [[f"{status}", meaning] for status, meaning in STATUSES.items()]),
    ]
    tables: dict[str, dict[str, list[str]]] = {group: {} for group in (COMMON, *OPTION_GROUPS)}
    for name, command in commands.items():
        for option in _options(command):
            if _identity(name, option) in shared:
                tables[option_group(option) or COMMON][option.opts[0]] = _row(name, option)
    named = {group: rows for group, rows in tables.items() if group != EVERYWHERE}
    for name, command in commands.items():
        blocks += _command_blocks(name, command, shared, named)
    blocks += ["## Options of several commands"]
    for group, rows in tables.items():
        if rows:
            blocks += [f"### {group}", _options_list(rows.values())]
    return "\n\n".join(blocks) + "\n"


def _options(command: Any) -> list[Any]:
    return [p for p in command.params if p.param_type_name == "option"]


def _identity(command: str, option: Any) -> Identity:
    return option.opts[0], _text(command, option), _default(option)


def _row(command: str, option: Any) -> list[str]:
    return [" ".join(f"`{flag}`" for flag in option.opts), _text(command, option), _default(option)]


def _options_list(rows: Iterable[list[str]]) -> str:
    """Return options as a list: a table would be wider than a page, since their texts are sentences."""
    return "\n".join(f"- {flags}{f' ({default})' if default else ''}: {text}" for flags, text, default in rows)


def _command_blocks(
    name: str, command: Any, shared: Collection[Identity], groups: Mapping[str, Collection[str]]
) -> Iterator[str]:
    """Yield the section of a command: usage, what it is for, its arguments, its own options, and those of groups."""
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    usage = [argument_name(p) for p in arguments]
    yield f"## {name}"
    yield f"`nereval {' '.join([name, *usage])}`"
    yield fill((command.help or "").split("\n\n")[0], 100, break_on_hyphens=False)
    rows = [[f"`{argument_name(p)}`", p.help or "", ""] for p in arguments]
    yield from [_options_list(rows)] if rows else []
    own = [_row(name, option) for option in _options(command) if _identity(name, option) not in shared]
    yield from [_options_list(own)] if own else []
    taken = {option.opts[0] for option in _options(command) if _identity(name, option) in shared}
    parts = []
    for group, options in groups.items():
        names = [f"`{option}`" for option in options if option in taken]
        others = [f"`{option}`" for option in options if option not in taken]
        if names:
            part = f" ({' '.join(names)})" if len(names) <= len(others) else f" (not {' '.join(others)})" * bool(others)
            parts.append(f"[{group}](#{group}){part}")
    yield from [f"{'Also' if own else 'Options'}: {', '.join(parts)}."] if parts else []


def _text(command: str, option: Any) -> str:
    """Return what an option does; of `--tables`, each table once, those that are printed by default first."""
    if option.name != "tables" or command not in VIEWS:
        return str(option.help or "")
    names: list[str] = []
    for view in map(load_object, VIEWS[command].values()):
        usual = dict.fromkeys((*view.at_terminal, *view.usual))
        names += [f"**{name}**" if name in view.at_terminal else name for name in dict.fromkeys((*usual, *view.makers))]
    return f"Tables to print, or 'all': {', '.join(dict.fromkeys(names))}"


def _default(parameter: Any) -> str:
    return "" if parameter.default in (None, False) or parameter.required else f"`{parameter.default}`"
