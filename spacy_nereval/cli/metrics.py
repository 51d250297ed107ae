"""`nereval metrics`: the metrics, sets of metrics and attributes to choose from; and `nereval help`."""

from __future__ import annotations

from typing import Any

import typer
from typer import Argument

from ..core.messages import describe_unknown
from .app import command
from .command_options import OPTION_GROUPS
from .help_pages import group_page, list_of_groups
from .printing import say


@command("metrics", heading="Look up and check")
def metrics_cli(name: str | None = Argument(None, help="Describe only this metric, in full")) -> None:
    """
    List the metrics and their options. Then list the sets of metrics, and the
    attributes by which scores can be broken down.
    """
    from ..metrics.registry import names

    for metric in [name] if name else names():
        _describe(metric, in_full=name is not None)
    if name is None:
        _list_sets()
        _list_attributes()


@command("help", heading="Look up and check")
def help_cli(
    ctx: typer.Context,
    topic: str | None = Argument(None, metavar="GROUP|COMMAND", help="A group of options, or a command"),
) -> None:
    """
    Show the options of a group, or the help of a command. Without an argument, list the groups.
    """
    program: Any = ctx.parent
    commands = program.command.commands
    if topic is None:
        typer.echo(list_of_groups(program))
    elif topic in OPTION_GROUPS:
        typer.echo(group_page(program, topic))
    elif topic in commands:
        typer.echo(type(ctx)(commands[topic], info_name=topic, parent=program).get_help())
    else:
        raise ValueError(
            describe_unknown(topic, [*OPTION_GROUPS, *commands], "group of options or command", len(OPTION_GROUPS))
        )


def _describe(name: str, *, in_full: bool) -> None:
    """Print what a metric measures, its formula, source and options."""
    from ..metrics.registry import documentation, options_of

    about = documentation(name)
    say(f"\n{name}", bold=True)
    _say_indented(2, about.summary, *(about.details.split("\n\n") if in_full else ()))
    for heading, text in (("Formula", about.formula), ("Source", about.source)):
        if text:
            _say_indented(2, f"{heading}: {text}")
    for option in options_of(name):
        _say_indented(4, f"--{name}.{option.name} [{option.values}; default {option.default}]")
        _say_indented(8, option.help)


def _list_sets() -> None:
    """Print the sets of metrics, with the options that they give their members."""
    from ..metrics.registry import SETS

    say("\nSets of metrics, for --metrics", bold=True)
    _say_indented(2, "all: every metric")
    for name, members in SETS.items():
        shown = []
        for member, options in members.items():
            given = " ".join(f"{option}={value}" for option, value in options.items())
            shown.append(f"{member} ({given})" if given else member)
        _say_indented(2, f"{name}: {', '.join(shown)}")


def _list_attributes() -> None:
    """Print the attributes of a span, with their other names."""
    from ..evaluation.breakdown import ALIASES, ATTRIBUTES

    say("\nAttributes of a span, for --by", bold=True)
    other_names = {short: f" (or {long})" for long, short in ALIASES.items()}
    for name, attribute in ATTRIBUTES.items():
        needs = "; needs --train" if attribute.needs_lexicon else ""
        _say_indented(2, f"{name}{other_names.get(name, '')}: {attribute.help}{needs}")


def _say_indented(indent: int, *texts: str) -> None:
    from wasabi.util import wrap

    for text in texts:
        say(wrap(text, indent=indent))
