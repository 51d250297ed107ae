"""The help of the program, of a command and of a group of options, alike in all releases of typer.

Every option belongs to a group of `OPTION_GROUPS`, or to its command alone. `--help` shows the options of the command
and the others of `OFTEN`, and names the groups of the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from ..core.features import load_object
from ..core.messages import LONGEST, shorten
from .command_options import OFTEN, OPTION_GROUPS

HEADINGS = (
    "Start here",
    "Decide what to release",
    "Make gold annotation",
    "Count and add up",
    "Train in spaCy",
    "Look up and check",
    "Other commands",
)
"""The headings below which the list of commands shows them; the last has those that name none."""

WIDEST = 100
"""Maximum number of columns. Longer lines are hard to read."""
TERMS = 26
"""Maximum number of columns for options before their texts; a longer one has a line of its own."""

VIEWS: dict[str, Mapping[str, str]] = {}
"""Commands to the views that know their tables, "module:class", by the option with which the view is used; "" if it
needs none. They are imported for the help alone, since spaCy imports the commands at every start."""


class GroupedCommand(TyperCommand):
    """A command whose help shows the options that are asked for often, and names the groups of the others."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. The error of a bad value shows no more than its beginning."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # releases of typer differ in its class
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


def _arguments(command: Any) -> list[Any]:
    return [parameter for parameter in command.params if parameter.param_type_name == "argument"]


def argument_name(argument: Any) -> str:
    """Return an argument as usage shows it, in brackets if it may be left out."""
    name = str(argument.metavar or argument.name.upper())
    if argument.nargs == -1 and "..." not in name:
        name += "..."
    return name if argument.required or name.startswith("[") else f"[{name}]"


class GroupedCommands(TyperGroup):
    """The program, whose help lists the commands under their headings."""

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


SHOW_ALL = f"{__name__}.show_all"


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
    """Return what an option of a command is for, with the tables of `--tables`."""
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
    formatter.write(f"'{ctx.command_path} COMMAND --help' shows what is asked for often, --help-all all options.\n")
    _write_rows(formatter, f"Groups of options, shown by '{ctx.command_path} help GROUP'", OPTION_GROUPS.items())
    return str(formatter.getvalue().rstrip("\n"))


def _help_row(ctx: Any, parameter: Any) -> tuple[str, str]:
    """Return an option or argument as it is written, and what it is for, with its default."""
    term, text = parameter.get_help_record(ctx)
    if parameter.param_type_name == "argument":
        term = argument_name(parameter)
    plain = text.replace("\\[", "[")  # some releases of typer escape the default for rich
    return term, option_text(ctx.command.name, parameter) + plain.removeprefix(parameter.help or "")


def _write_options(formatter: Any, heading: str, ctx: Any, parameters: Iterable[Any]) -> None:
    shown = (parameter for parameter in parameters if not getattr(parameter, "hidden", False))
    _write_rows(formatter, heading, (_help_row(ctx, parameter) for parameter in shown))


def _write_rows(formatter: Any, heading: str, rows: Iterable[tuple[str, str]]) -> None:
    """Write a heading, and terms with their texts beside them; nothing without a term."""
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
