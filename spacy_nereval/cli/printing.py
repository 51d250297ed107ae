"""Print lines and tables, as the terminal and `--format` allow."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import typer

from .values import table_format

if TYPE_CHECKING:
    from ..reporting.result_table import ResultTable


def say(text: str, **style: Any) -> None:
    """Print text.

    Colours are left out if the output is not a terminal or `NO_COLOR` is set.
    Characters that the encoding of the output lacks become `?`.

    Args:
        text: One or more lines.
        style: Passed to `typer.secho`: `fg`, `bold`, `dim`, or `err` for stderr.
    """
    encoding = _encoding(sys.stderr if style.get("err") else sys.stdout)
    text = text.encode(encoding, errors="replace").decode(encoding)
    typer.secho(text, color=False if os.environ.get("NO_COLOR") else None, **style)


def print_tables(
    tables: Iterable[ResultTable],
    format: str | None,
    *,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
    signature: str | None = None,
) -> None:
    """Print tables, with the lines before and after them.

    Args:
        tables: The tables. In a terminal, those without rows are left out.
        format: The value of `--format`.
        before: Lines to print before the tables.
        after: Lines to print after the tables.
        signature: The signature of the result, printed last.
    """
    name = table_format(format)
    if name == "terminal":
        _print_for_people(tables, before, after, signature)
    else:
        _print_as(name, tables, before, [*after, *([signature] if signature else [])])


def _print_as(name: str, tables: Iterable[ResultTable], before: Sequence[str], after: Sequence[str]) -> None:
    """Print tables in a format for files and other programs."""
    from ..reporting.formats import document

    if name in ("csv", "json"):  # these formats have no room for other lines
        for line in (*before, *after):
            say(line, err=True)
    # UTF-8 whatever the encoding of the terminal, because programs read these formats in UTF-8.
    typer.echo(document([*tables], name, before, after).encode("utf8", "backslashreplace"))


def _print_for_people(
    tables: Iterable[ResultTable], before: Sequence[str], after: Sequence[str], signature: str | None
) -> None:
    """Print tables and lines at the width of the terminal."""
    from wasabi.util import wrap

    from ..reporting.terminal import render

    width, encoding = _terminal_width(), _encoding(sys.stdout)
    for line in before:
        say(wrap(line, wrap_max=width, indent=0) if width else line)
    for table in tables:
        if table.rows:
            say(f"\n{table.heading}", bold=True)
            say(render(table, width=width, encoding=encoding))
    for line in after:
        say("\n" + "\n".join(wrap(part, wrap_max=width or 100, indent=0) for part in line.splitlines()))
    if signature:
        say(f"\n{signature}", dim=True)


def _encoding(stream: Any) -> str:
    return getattr(stream, "encoding", None) or "utf8"


def _terminal_width() -> int | None:
    """Return the number of columns, from `COLUMNS` or the terminal; None if the output is not a terminal."""
    if os.environ.get("COLUMNS", "").isdigit() or sys.stdout.isatty():
        return get_terminal_size().columns
    return None
