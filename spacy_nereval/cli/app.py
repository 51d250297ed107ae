"""The typer app `nereval`, and how its commands are registered and report mistakes.

Nothing here imports spaCy: `spacy_app` adds this app to spaCy's command line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import typer
from typer.core import TyperCommand

from ..core.messages import spelt
from .groups import as_option, grouped
from .guards import about_cloud_storage, check_files, open_streams, with_matching_files, with_standard_input
from .options import EPILOG
from .printing import say

nereval: typer.Typer = typer.Typer(
    name="nereval",
    help="Evaluate named-entity recognition with the metrics of the research literature.",
    no_args_is_help=True,
)


@nereval.callback()
def _first() -> None:
    open_streams()


Command = Callable[..., None]


def command(
    name: str, *, metric_options: bool = False, cls: type[TyperCommand] | None = None
) -> Callable[[Command], Command]:
    """Return a decorator that registers a function as a command.

    Args:
        name: Name of the command.
        metric_options: Also accept options such as `--fair.unit token`, which typer does not
            know. The function then takes a `typer.Context`, whose `args` hold them.
        cls: How typer parses the arguments, if not as usual.
    """
    settings: dict[str, Any] = {}
    if metric_options:
        accept_unknown = {"allow_extra_args": True, "ignore_unknown_options": True}
        settings = {"context_settings": accept_unknown, "epilog": EPILOG}

    def register(function: Command) -> Command:
        # Typer keeps the line breaks of a docstring, and a terminal breaks lines elsewhere.
        paragraphs = [" ".join(each.split()) for each in (function.__doc__ or "").split("\n\n")]
        summary = paragraphs[0].partition(". ")[0].removesuffix(".")
        told = nereval.command(name, cls=cls, help="\n\n".join(paragraphs), short_help=summary, **settings)
        return told(with_short_errors(grouped(function)))

    return register


def with_short_errors(function: Command) -> Command:
    """Wrap a command so that it works with closed streams, checks the files that it names before
    it reads any, runs the file of `--code`, and prints a ValueError or OSError as one line and ends with status 1."""

    @wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        from ..io.paths import forget_pipes

        open_streams()
        try:
            forget_pipes()
            with spelt(as_option):
                kwargs = with_matching_files(with_standard_input(kwargs))
                check_files(kwargs)
                if kwargs.get("code"):
                    from ..core.plugins import import_code

                    import_code(kwargs["code"])
                function(*args, **kwargs)
        except BrokenPipeError:
            # The program that reads our output, such as `head`, has stopped reading, which is not an error.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except Exception as error:  # libraries of cloud storage have exceptions of their own; others are raised again
            from ..io.paths import in_words

            message = about_cloud_storage(error, kwargs)
            if not message and not isinstance(error, (ValueError, OSError)):
                raise
            say(f"✘ {message or in_words(error)}", fg="red", err=True)
            raise typer.Exit(1) from None

    return wrapped
