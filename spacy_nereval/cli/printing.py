"""Print lines and tables, as the terminal and `--format` allow."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from .command_options import Showing, table_format, table_names

if TYPE_CHECKING:
    from ..core.declaration import Metric
    from ..counting.counts import Counts
    from ..evaluation.breakdown import Breakdown
    from ..evaluation.error_groups import ErrorGroups
    from ..evaluation.error_list import ErrorExamples
    from ..evaluation.resampling import Confidence
    from ..reporting.result_table import ResultTable


def say(text: str, **style: Any) -> None:
    """Print text.

    Colours are left out if the output is not a terminal or `NO_COLOR` is set.
    Characters that the encoding of the output lacks are replaced, most of them by `?`.

    Args:
        text: One or more lines.
        style: Passed to `typer.secho`: `fg`, `bold`, `dim`, or `err` for stderr.
    """
    encoding = _encoding(sys.stderr if style.get("err") else sys.stdout)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        from ..reporting.terminal import encodable  # slow to import

        text = encodable(text, encoding)
    with _named_output():
        typer.secho(text, color=False if os.environ.get("NO_COLOR") else None, **style)


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

    if name in ("csv", "json"):  # these formats cannot hold other lines
        for line in (*before, *after):
            say(line, err=True)
    # UTF-8 whatever the encoding of the terminal, because programs read these formats in UTF-8.
    with _named_output():
        typer.echo(document([*tables], name, before, after).encode("utf8", "backslashreplace"))


def _print_for_people(
    tables: Iterable[ResultTable], before: Sequence[str], after: Sequence[str], signature: str | None
) -> None:
    """Print tables and lines at the width of the terminal."""
    from ..reporting.terminal import render

    width, encoding = _terminal_width(), _encoding(sys.stdout)
    for line in before:
        say(wrapped(line, width) if width else line)
    for table in tables:
        if table.rows:
            say("\n" + (wrapped(table.heading, width) if width else table.heading), bold=True)
            say(render(table, width=width, encoding=encoding))
    for line in after:
        say("\n" + "\n".join(wrapped(part, width or 100) for part in line.splitlines()))
    if signature:
        say(f"\n{folded(signature, width)}", dim=True)


def wrapped(text: str, width: int) -> str:
    """Return a text in lines that fit the terminal. An interval stays on one line.

    >>> print(wrapped("fair F 45.28 [38.70, 52.03]", 22))
    fair F 45.28
    [38.70, 52.03]
    """
    from wasabi.util import wrap

    kept = re.sub(r"(\[\S+), (\S+\])", "\\1,\N{NO-BREAK SPACE}\\2", text)
    return wrap(kept, wrap_max=width, indent=0).replace("\N{NO-BREAK SPACE}", " ")


def folded(signature: str, width: int | None) -> str:
    """Return a signature in lines that fit the terminal; on one line without a width, for programs.

    >>> print(folded("spacy-nereval|fair:unit=char,beta=1.0|docs:75", 30))
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


MOST_DOCUMENTS = 20_000
"""Maximum number of documents for an interval that nobody asked for: with more, it takes longer than counting."""


class Collected(NamedTuple):
    """What is collected from documents while they are counted, for tables that show texts."""

    examples: ErrorExamples | None = None
    groups: ErrorGroups | None = None

    @property
    def observers(self) -> list[ErrorExamples | ErrorGroups]:
        """The parts that see every document."""
        return [part for part in self if part is not None]


def wanted_tables(showing: Showing, metrics: Sequence[Metric]) -> list[str]:
    """Return the tables to print.

    Raises:
        ValueError: If a table is unknown, or no metric has the verdicts that it shows.
    """
    from ..reporting.result_tables import AT_TERMINAL, TABLES, USUAL
    from ..reporting.verdict_tables import judging

    usual = AT_TERMINAL if table_format(showing.format) == "terminal" else USUAL
    wanted = table_names(showing.tables, TABLES, usual)
    by_name = [] if showing.tables in (None, "all") else wanted
    for name in by_name:
        if name in ("errors", "groups", "pairs", "confusion") and not judging(metrics):
            names = ", ".join(metric.name for metric in metrics)
            raise ValueError(
                f"--tables {name}: the verdicts of {names} do not distinguish kinds of errors; add fair to --metrics"
            )
    return wanted


def collected(
    showing: Showing, metrics: Sequence[Metric], *, source: str | None = None, words: bool = True
) -> Collected:
    """Return what has to be collected for the tables that are wanted.

    Args:
        showing: Which tables are printed.
        metrics: What is counted.
        source: What holds counts without texts, so that nothing can be collected; None if texts are read.
        words: Whether the texts consist of words.

    Raises:
        ValueError: A table is wanted by its name, and cannot be made.
    """
    from ..evaluation.error_groups import ErrorGroups
    from ..evaluation.error_list import ErrorExamples
    from ..reporting.verdict_tables import judging

    wanted, metric = wanted_tables(showing, metrics), judging(metrics)
    if source is not None:
        if showing.tables not in (None, "all") and "groups" in wanted:
            raise ValueError(f"--tables groups: {source} keeps no texts, so repeated errors are not known")
        return Collected()
    if not metric:
        return Collected()
    return Collected(
        ErrorExamples(metric) if "pairs" in wanted else None,
        ErrorGroups(metric, by=("surface", "slip")) if words and "groups" in wanted and not metric.resolve else None,
    )


def show_result(
    counts: Counts,
    drawn: Confidence | None,
    showing: Showing,
    *,
    output: Path | None = None,
    per_document: Path | None = None,
    breakdowns: Sequence[Breakdown] = (),
    collected: Collected = Collected(),
) -> None:
    """Score counts, write the files asked for, and print the tables.

    Args:
        counts: The counts of a corpus.
        drawn: The settings of intervals; None for no intervals.
        showing: Which tables are printed, and how.
        output: JSON file for the result.
        per_document: File for the scores of each document.
        breakdowns: What `--by` counted.
        collected: Examples and groups of errors.
    """
    from ..evaluation.per_document import disagreement, document_rows
    from ..evaluation.result import evaluate
    from ..io.writing import write_json, write_rows
    from ..reporting.evaluated import Evaluated
    from ..reporting.headline import summary_lines
    from ..reporting.remarks import disagreement_lines, heading, mention_lines
    from ..reporting.result_tables import tables

    wanted = wanted_tables(showing, counts.metrics)
    result = evaluate(counts, drawn, average=showing.average, short=showing.short)
    if breakdowns:
        result["breakdowns"] = {found["by"]: found for found in (each.result() for each in breakdowns)}
    if output:
        write_json(output, result)
    bounded = result if drawn else _with_interval(result, counts)
    notes = _warnings(counts, bounded.get("confidence"), breakdowns)
    if per_document:
        write_rows(per_document, document_rows(counts))
        if found := disagreement(counts):
            notes.append("\n".join(disagreement_lines(found)))
    examples = collected.examples.first if collected.examples else {}
    given = Evaluated(counts, result, showing.average, examples, collected.groups, bounded)
    print_tables(
        tables(given, wanted, digits=showing.digits),
        showing.format,
        before=[
            *summary_lines(given, heading(result), digits=showing.digits, more=more_tables(showing)),
            *mention_lines(result.get("mentions", {})),
        ],
        after=notes,
        signature=result["signature"],
    )


def more_tables(showing: Showing) -> str:
    """Return how to see the tables that a terminal does not show by default; "" if the tables were chosen."""
    return "--tables all" if showing.tables is None and table_format(showing.format) == "terminal" else ""


def _with_interval(result: dict[str, Any], counts: Counts) -> dict[str, Any]:
    """Return the result with the intervals of the metric that stands for it, if they are computed quickly."""
    from ..evaluation.intervals import drawn, intervals
    from ..evaluation.resampling import Confidence
    from ..reporting.headline import main_metric

    drawn_before = counts.collapsed and counts.replicates  # then there is nothing to draw
    if not drawn_before and (counts.documents > MOST_DOCUMENTS or len(counts.units) != counts.documents):
        return result
    metric, settings = main_metric(counts.metrics), Confidence()
    found = intervals(counts if counts.replicates else counts.of([metric]), settings)[metric.name]
    own = result["metrics"][metric.name] | {"intervals": found}
    return result | {
        "metrics": result["metrics"] | {metric.name: own},
        "confidence": drawn([counts], settings)._asdict(),
    }


def _warnings(counts: Counts, drawn: Mapping[str, Any] | None, breakdowns: Sequence[Breakdown]) -> list[str]:
    """Return warnings about unknown labels, and about few units if there are intervals."""
    from ..reporting.remarks import unit_lines, warning
    from .metric_options import unknown_labels

    lines = [f"⚠ {line}" for line in unknown_labels(counts, breakdowns)]
    if drawn:
        lines += [*unit_lines(counts.unit), *warning(drawn["units"], drawn["effective_units"], counts.unit)]
    return lines
