"""Add the app `nereval` to spaCy's command line, for `python -m spacy nereval ...`.

This is the only module of the commands that imports spaCy when it is loaded. An error here would end
every command of spaCy. So if the commands cannot be loaded, `nereval` says why, and the others work.
"""

from typing import Any

from spacy.cli._util import app
from typer import Context, Exit, echo
from typer.main import get_command


def add_commands() -> Any:
    """Add the commands to those of spaCy, and return them; if they cannot be loaded, add one that says why."""
    try:
        from . import nereval

        get_command(nereval)  # some versions of typer fail here, where they make options of annotations
    except Exception as error:  # whatever other versions of other packages raise
        return add_placeholder(error)
    app.add_typer(nereval)
    return nereval


def add_placeholder(error: Exception) -> Any:
    """Add a command `nereval` that says why there are no others, whatever its arguments, and return it."""
    reason = " ".join(str(error).split())
    settings = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}

    @app.command("nereval", context_settings=settings, help="Not available: spacy-nereval cannot be loaded.")
    def nereval(ctx: Context) -> None:
        echo(
            f"✘ the commands of spacy-nereval cannot be loaded ({type(error).__name__}: {reason}): install versions of "
            "other packages with which they work, with python -m pip install --upgrade . in a clone of spacy-nereval",
            err=True,
        )
        raise Exit(2)

    return nereval


nereval = add_commands()
