"""Print lines and tables, as the terminal and `--format` allow."""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import typer

from ..core.messages import LONGEST, shorten, spell_argument
from .command_options import Showing, figure_place, table_format, table_names

if TYPE_CHECKING:
    from ..reporting.result_table import ResultTable
    from ..reporting.view import View


_apart: ContextVar[bool] = ContextVar("apart", default=False)
"""Whether the standard output is a file that a command writes, so that text for people goes to stderr."""


_json_alone: ContextVar[bool] = ContextVar("json alone", default=False)
"""Whether the standard output is a result as JSON, and no table is printed."""


_for_programs: ContextVar[bool] = ContextVar("for programs", default=False)
"""Whether warnings and errors are a log of JSON objects."""

LEVELS = {"✘": "error", "⚠": "warning", "✔": "info", "ℹ": "info"}
"""The levels of a log, by the mark of a line."""


@contextmanager
def log_as(format: str) -> Iterator[None]:
    """Set the format of warnings and errors, "text" or "json"."""
    if format == "text":
        yield
        return
    before = _for_programs.set(True)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *about, **more: say(f"⚠ {message}", err=True)
            yield
    finally:
        _for_programs.reset(before)


def say_to_programs(text: str, **values: Any) -> None:
    """Log a line with values, if there is a log for programs."""
    if _for_programs.get():
        _log(text, values)


def _log(text: str, values: Mapping[str, Any]) -> None:
    from datetime import datetime, timezone

    time = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    level = LEVELS.get(text[:1], "info")
    message = text[1:].strip() if text[:1] in LEVELS else text.strip()
    line = json.dumps({"time": time, "level": level, "message": message, **values})
    with _named_output():
        typer.echo(line, err=True)


def progress_bar(*items: Iterable[Any], **about: Any) -> Any:
    """Return a progress bar of tqdm, which shows itself only if stderr is a terminal and no log for programs."""
    from tqdm import tqdm

    return tqdm(*items, leave=False, disable=_for_programs.get() or None, **about)


def prints_json_alone() -> bool:
    """Return whether the standard output is JSON alone."""
    return _json_alone.get()


@contextmanager
def no_tables(json_alone: bool) -> Iterator[None]:
    """Print no tables, if only JSON is to be printed."""
    before = _json_alone.set(json_alone)
    try:
        yield
    finally:
        _json_alone.reset(before)


@contextmanager
def print_apart_from(outputs: Iterable[Path | None]) -> Iterator[None]:
    """Print to stderr if a command writes a file to the standard output, so that a program can read that."""
    from ..io.paths import descriptor

    before = _apart.set(any(path is not None and descriptor(path) == 1 for path in outputs))
    try:
        yield
    finally:
        _apart.reset(before)


def say(text: str, **style: Any) -> None:
    """Print text.

    Control characters, which data and names of files may have, are escaped, whether a terminal shows them or not.
    There are no colours if the output is not a terminal, if it is one that knows none (`TERM=dumb`), or if `NO_COLOR`
    is set.
    Characters that the encoding of the output lacks are replaced, most of them by `?`. In a log for programs, what
    belongs to stderr or begins with a mark is a JSON object on stderr.

    Args:
        text: One or more lines.
        style: Passed to `typer.secho`: `fg`, `bold`, `dim`, or `err` for stderr.
    """
    from ..io.writing import escape_controls

    text = escape_controls(shorten(text, LONGEST) if text[:1] in LEVELS else text)
    if _for_programs.get() and (style.get("err") or text[:1] in LEVELS):
        return _log(text, {})
    style["err"] = style.get("err", False) or _apart.get()
    encoding = _encoding(sys.stderr if style["err"] else sys.stdout)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        from ..reporting.terminal import replace_unencodable  # slow to import

        text = replace_unencodable(text, encoding)
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    with _named_output():
        typer.secho(text, color=False if is_plain else None, **style)


@contextmanager
def warnings_in_lines() -> Iterator[None]:
    """Print Python's warnings as other lines: without the place in a program, and escaped as `say` does it."""
    from ..io.writing import escape_controls

    before = warnings.formatwarning
    warnings.formatwarning = lambda message, *_, **__: escape_controls(f"⚠ {message}\n")
    try:
        yield
    finally:
        warnings.formatwarning = before


@contextmanager
def _named_output() -> Iterator[None]:
    """Name the standard output in the error of a full disk, which names no file."""
    from ..io.writing import FULL

    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno in FULL:
            error.filename = "the standard output"
        raise


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
        tables: The tables. In a terminal, those without rows are omitted.
        format: The value of `--format`.
        before: Lines to print before the tables.
        after: Lines to print after the tables.
        signature: The signature of the result, printed last.
    """
    name = table_format(format)
    if _json_alone.get():
        return
    if name == "terminal":
        _print_for_people(tables, before, after, signature)
    else:
        _print_as(name, tables, before, [*after, *([signature] if signature else [])])


def _print_as(name: str, tables: Iterable[ResultTable], before: Sequence[str], after: Sequence[str]) -> None:
    """Print tables in a format for files and other programs."""
    from ..reporting.formats import render_document

    if name in ("csv", "json"):  # these formats cannot store other lines
        for line in (*before, *after):
            say(line, err=True)
    # UTF-8 whatever the encoding of the terminal, because programs read these formats in UTF-8.
    with _named_output():
        typer.echo(render_document([*tables], name, before, after).encode("utf8", "backslashreplace"), err=_apart.get())


def _print_for_people(
    tables: Iterable[ResultTable], before: Sequence[str], after: Sequence[str], signature: str | None
) -> None:
    """Print tables and lines at the width of the terminal."""
    from ..reporting.terminal import render

    width, encoding = _terminal_width(), _encoding(sys.stdout)
    for line in before:
        say(wrap_line(line, width) if width else line)
    for table in tables:
        if table.rows:
            say("\n" + (wrap_line(table.heading, width) if width else table.heading), bold=True)
            say(render(table, width=width, encoding=encoding))
    for line in after:
        say("\n" + "\n".join(wrap_line(part, width or 100) for part in line.splitlines()))
    if signature:
        say(f"\n{fold_signature(signature, width)}", dim=True)


def wrap_line(text: str, width: int) -> str:
    """Return a text in lines that fit the terminal. An interval stays on one line.

    >>> print(wrap_line("fair F 45.28 [38.70, 52.03]", 22))
    fair F 45.28
    [38.70, 52.03]
    """
    from wasabi.util import wrap

    kept = re.sub(r"(\[\S+), (\S+\])", "\\1,\N{NO-BREAK SPACE}\\2", text)
    return wrap(kept, wrap_max=width, indent=0).replace("\N{NO-BREAK SPACE}", " ")


def fold_signature(signature: str, width: int | None) -> str:
    """Return a signature in lines that fit the terminal; on one line without a width, for programs.

    >>> print(fold_signature("spacy-nereval|fair:unit=char,beta=1.0|docs:75", 30))
    spacy-nereval|fair:unit=char,
    beta=1.0|docs:75
    """
    lines = [""]
    for part in re.split("(?<=[|,])", signature):
        if width and lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _encoding(stream: Any) -> str:
    return getattr(stream, "encoding", None) or "utf8"


def _terminal_width() -> int | None:
    """Return the number of columns, from `COLUMNS` or the terminal; None if the output is not a terminal."""
    if os.environ.get("COLUMNS", "").isdigit() or sys.stdout.isatty():
        return get_terminal_size().columns
    return None


def more_tables(showing: Showing) -> str:
    """Return how to see the tables that a terminal does not show by default; "" if the tables were chosen."""
    return "--tables all" if showing.tables is None and table_format(showing.format) == "terminal" else ""


def names_of_tables(showing: Showing, view: type[View]) -> list[str]:
    """Return the names of the tables to print of a kind of result.

    Raises:
        ValueError: There is no such table or format.
    """
    usual = view.at_terminal if table_format(showing.format) == "terminal" else view.usual
    return table_names(showing.tables, view.makers, usual)


def tables_to_print(view: View, wanted: Sequence[str], showing: Showing) -> list[ResultTable]:
    """Return the tables of a view, and print a notice for each that was asked for by name and has no rows.

    Args:
        view: The view.
        wanted: The names of the tables.
        showing: Which tables are printed, and how.
    """
    if showing.tables is None or {*wanted} >= {*view.makers}:
        return [*view.tables(wanted, digits=showing.digits)]
    result: list[ResultTable] = []
    always = [*view.tables([], digits=showing.digits)]  # such as breakdowns, once and after all others
    for name in wanted:
        tables = [*view.tables([name], digits=showing.digits)]
        tables = tables[: len(tables) - len(always)]
        if not any(table.rows for table in tables):
            need = f": it needs {spell_argument(view.needs[name])}" if name in view.needs else ""
            say(f"⚠ the table {name} has no rows{need}", fg="yellow", err=True)
        result += tables
    return result + always


FigureFile = tuple[str | None, Path]
"""The name of a figure, None for the first one, and its file."""


def chosen_figure(value: str | None, view: type[View]) -> FigureFile | None:
    """Return the figure that `--figure` names; None without the option.

    Raises:
        ValueError: There is no such figure, the file has another extension, or Altair and vl-convert are not installed.
    """
    if value is None:
        return None
    from ..core.compression import format_extension
    from ..core.messages import describe_unknown
    from ..reporting.figures import ENDINGS, libraries

    name, path = figure_place(value)
    if name is not None and name not in view.figures:
        raise ValueError(f"--figure {value}: {describe_unknown(name, view.figures, 'figure')}")
    if format_extension(path) not in ENDINGS:
        raise ValueError(f"--figure {value}: expected a .svg, .png or .pdf file")
    libraries()
    return name, path


def print_result(
    view: View,
    wanted: Sequence[str],
    showing: Showing,
    output: Path | None = None,
    figure: FigureFile | None = None,
    *,
    closing: Sequence[str] | None = None,
) -> None:
    """Write a result if asked for, and print tables of its view, with its lines before and after them.

    Args:
        view: The view of the result.
        wanted: The names of the tables.
        showing: Which tables are printed, and how.
        output: JSON file for the result.
        figure: The figure to write.
        closing: The lines after the tables; by default those of the view.
    """
    if figure:
        view.figure(figure[0]).save(figure[1])
    if output:
        from ..io.writing import write_json

        write_json(output, view.result)
    print_tables(
        tables_to_print(view, wanted, showing),
        showing.format,
        before=view.opening(digits=showing.digits, more=more_tables(showing)),
        after=view.closing() if closing is None else closing,
        signature=view.result["signature"],
    )
