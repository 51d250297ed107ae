"""The page on the commands, from their own help texts."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from textwrap import fill
from typing import Any

from doc_pages import table
from typer.main import get_command

from spacy_nereval.cli import nereval
from spacy_nereval.cli.app import BUSY, UNUSABLE, argument_name, option_group, option_text
from spacy_nereval.cli.command_options import OPTION_GROUPS

STATUSES = {
    0: "done",
    1: "a verdict says no: the gate fails, or `doctor` finds that something which was asked for cannot be used",
    UNUSABLE: "input, options or the command line cannot be used; nothing half-written is left",
    BUSY: "another run holds the output or the folder of parts, or workers were lost: the same command may be tried "
    "again, and goes on with what is counted",
}


SHARED = 2
"""The number of commands with the same option, with the same text, from which it is written once for all."""


COMMON = "common"
"""The heading of options that belong to no group of the help."""

Identity = tuple[str, str, str]
"""The name, the text and the default of an option."""


def commands_page() -> str:
    """Return docs/reference/commands.md: each option once, those of many commands in tables of their own."""
    # typer declares a plain command, which has no `commands`; with several commands it is a group.
    commands = dict(sorted(get_command(nereval).commands.items()))  # type: ignore[attr-defined]
    users = Counter(_identity(name, option) for name, command in commands.items() for option in _options(command))
    shared = {identity for identity, number in users.items() if number >= SHARED}
    blocks = [
        "# The commands",
        "<!-- Written by scripts/docs.py from the commands themselves; do not edit. -->",
        "`nereval COMMAND --help` prints the options that are asked for often, `--help-all` all of them, and "
        "`nereval help GROUP` those of a group, such as `reading`. `python -m spacy nereval COMMAND` runs the "
        "same command, but starts later. `nereval --install-completion` completes commands and options in your shell.",
        "A command ends with one of four statuses, on which a script can rely:",
        table(["status", "what it says"], [[f"{status}", said] for status, said in STATUSES.items()]),
    ]
    tables: dict[str, dict[str, list[str]]] = {group: {} for group in (COMMON, *OPTION_GROUPS)}
    for name, command in commands.items():
        for option in _options(command):
            if _identity(name, option) in shared:
                tables[option_group(option) or COMMON][option.opts[0]] = _row(name, option)
    for name, command in commands.items():
        blocks += _command_blocks(name, command, shared, tables)
    blocks += ["## Options of several commands", "Each command names the groups that it takes, whole or in part."]
    for group, rows in tables.items():
        if rows:
            about = OPTION_GROUPS.get(group, "What is read and written")
            blocks += [f"### {group}", f"{about}.", _options_table(rows.values())]
    return "\n\n".join(blocks) + "\n"


def _options(command: Any) -> list[Any]:
    return [p for p in command.params if p.param_type_name == "option"]


def _identity(command: str, option: Any) -> Identity:
    return option.opts[0], option_text(command, option), _default(option)


def _row(command: str, option: Any) -> list[str]:
    return [" ".join(f"`{flag}`" for flag in option.opts), option_text(command, option), _default(option)]


def _options_table(rows: Iterable[list[str]]) -> str:
    return table(["option", "what it does", "default"], list(rows))


def _command_blocks(
    name: str, command: Any, shared: Collection[Identity], groups: Mapping[str, Collection[str]]
) -> Iterator[str]:
    """Yield the section of a command: usage, what it is for, its arguments, its own options, and those of groups."""
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    usage = [argument_name(p) for p in arguments]
    yield f"## {name}"
    yield f"```text\nnereval {' '.join([name, *usage, '[OPTIONS]'])}\n```"
    yield fill((command.help or "").split("\n\n")[0], 100, break_on_hyphens=False)
    rows = [[f"`{argument_name(p)}`", p.help or ""] for p in arguments]
    yield from [table(["argument", "what it is"], rows)] if rows else []
    own = [_row(name, option) for option in _options(command) if _identity(name, option) not in shared]
    yield from [_options_table(own)] if own else []
    taken = {option.opts[0] for option in _options(command) if _identity(name, option) in shared}
    parts = []
    for group, options in groups.items():
        names = [f"`{option}`" for option in options if option in taken]
        if names:
            whole = len(names) == len(options)
            parts.append(f"[{group}](#{group})" + ("" if whole else f" ({' '.join(names)})"))
    yield f"{'Also' if own else 'Options'}: {', '.join(parts)}." if parts else "No options."


def _default(parameter: Any) -> str:
    return "" if parameter.default in (None, False) or parameter.required else f"`{parameter.default}`"
