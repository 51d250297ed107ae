"""Show the result of one system: score counts, write the files asked for, and print tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .options import Showing
from .printing import print_tables
from .values import table_format, table_names

if TYPE_CHECKING:
    from ..core.declaration import Metric
    from ..counting.counts import Counts
    from ..evaluation.breakdown import Breakdown
    from ..evaluation.error_groups import ErrorGroups, GroupedBy
    from ..evaluation.error_list import ErrorExamples
    from ..evaluation.resampling import Confidence
    from ..reporting.view import View


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
    from ..reporting.declared import judging
    from ..reporting.score_view import ScoreView

    wanted = names_of_tables(showing, ScoreView)
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
    from ..reporting.declared import judging

    wanted, metric = wanted_tables(showing, metrics), judging(metrics)
    if source is not None:
        if showing.tables not in (None, "all") and "groups" in wanted:
            raise ValueError(f"--tables groups: {source} keeps no texts, so repeated errors are not known")
        return Collected()
    if not metric:
        return Collected()
    by: tuple[GroupedBy, ...] = ("surface", "slip") if words and "groups" in wanted else ()
    return Collected(
        ErrorExamples(metric) if "pairs" in wanted else None,
        ErrorGroups(metric, by=by) if (by or "errors" in wanted) and not metric.resolve else None,
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
    from ..reporting.remarks import disagreement_lines
    from ..reporting.score_view import ScoreView
    from .lookups import unknown_labels

    wanted = wanted_tables(showing, counts.metrics)
    result = evaluate(counts, drawn, average=showing.average, short=showing.short)
    if breakdowns:
        result["breakdowns"] = {found["by"]: found for found in (each.result() for each in breakdowns)}
    if output:
        write_json(output, result)
    examples = collected.examples.first if collected.examples else {}
    view = ScoreView(counts, result, showing.average, examples=examples, groups=collected.groups)
    notes = [*(f"⚠ {line}" for line in unknown_labels(counts, breakdowns)), *view.closing()]
    if per_document:
        write_rows(per_document, document_rows(counts))
        if found := disagreement(counts):
            notes.append("\n".join(disagreement_lines(found)))
    print_view(view, wanted, showing, result["signature"], closing=notes)


def names_of_tables(showing: Showing, view: type[View]) -> list[str]:
    """Return the names of the tables to print of a kind of result.

    Raises:
        ValueError: There is no such table or format.
    """
    usual = view.at_terminal if table_format(showing.format) == "terminal" else view.usual
    return table_names(showing.tables, view.makers, usual)


def print_view(
    view: View, wanted: Sequence[str], showing: Showing, signature: str, *, closing: Sequence[str] | None = None
) -> None:
    """Print tables of a view, with its lines before and after them.

    Args:
        view: The view of a result.
        wanted: The names of the tables.
        showing: Which tables are printed, and how.
        signature: The signature of the result, printed last.
        closing: The lines after the tables; by default those of the view.
    """
    print_tables(
        view.tables(wanted, digits=showing.digits),
        showing.format,
        before=view.opening(digits=showing.digits, more=more_tables(showing)),
        after=view.closing() if closing is None else closing,
        signature=signature,
    )


def more_tables(showing: Showing) -> str:
    """Return how to see the tables that a terminal does not show by default; "" if the tables were chosen."""
    return "--tables all" if showing.tables is None and table_format(showing.format) == "terminal" else ""
