"""`nereval show`: how a file is read."""

from __future__ import annotations

from pathlib import Path

from typer import Argument, Exit, Option

from ..core.arguments import Reading
from .app import command
from .command_options import check_no_table_format
from .printing import say
from .sources import rules_of


@command("show", heading="Look up and check")
def show_cli(
    reading: Reading,
    source: Path = Argument(..., metavar="FILE", help="Annotated file or folder, in any format"),
    limit: int = Option(3, "--limit", "-n", help="Number of documents to print with their spans", min=0),
) -> None:
    """
    Show how a file is read: its format, encoding and tagging scheme, how many
    documents and spans of each label it has, omissions, suspicious features,
    and the first documents with their spans marked.

    If the file cannot be read, the part before the error is shown.
    """
    from ..api.showing import show_file

    check_no_table_format(reading.format)
    overview = show_file(source, reading, limit, rules_of(reading))
    error, overview["error"] = overview["error"], None
    say(str(overview))
    if error:
        say(f"✘ {error}", fg="red", err=True)
        raise Exit(2)
