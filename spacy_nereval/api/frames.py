"""The tables of a result as rows for pandas: every number as the result has it, ratios from 0 to 1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.declaration import Metric
from ..evaluation.per_document import document_rows
from ..evaluation.result import pred_spans
from ..reporting.declared import groups, headlines, short_name
from ..reporting.evaluated import Evaluated
from ..reporting.headline import main_metric
from ..reporting.result_table import ResultTable
from ..reporting.result_tables import TABLES
from ..reporting.score_cells import interval
from ..reporting.score_tables import count_tables, support

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]

PRF = ("P", "R", "F")


def frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] = ()) -> pandas.DataFrame:
    """Return rows as a pandas DataFrame.

    Args:
        rows: One mapping of column names to values per row.
        columns: The names of the columns if there are no rows.

    Raises:
        ValueError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise ValueError('to_frame needs pandas: python -m pip install "spacy-nereval[frame]"') from None
    found = list(rows)
    return pandas.DataFrame(found, columns=None if found else list(columns))


def result_rows(given: Evaluated, table: str) -> list[Row]:
    """Return the rows of a table of a result.

    Args:
        given: Counts with their result.
        table: One of `NAMES`.

    Raises:
        ValueError: There is no such table.
    """
    if table not in NAMES:
        raise ValueError(f"there is no table {table!r}; there are {', '.join(NAMES)}")
    if table in ("scores", "other-scores"):
        return [row for metric in given.counts.metrics for row in _overall(given, metric, triples=table == "scores")]
    if table in ("label-scores", "other-label-scores"):
        return [*_per_label(given, triples=table == "label-scores")]
    if table == "headline":
        return [*_main_per_label(given)]
    if table == "labels":
        return [*_headlines_per_label(given)]
    if table == "documents":
        return document_rows(given.counts)
    found = count_tables(given) if table == "counts" else TABLES[table](given)
    return [row for each in found for row in table_rows(each)]


NAMES = (
    *("scores", "other-scores", "headline", "labels", "errors", "groups", "pairs", "confusion", "documents"),
    *("label-scores", "other-label-scores", "counts"),
)
"""The names of the tables: those of `--tables`, and those of the scores that are not precision, recall and F."""

DETAILED = ("groups", "pairs")
"""The tables that show spans, for which documents are needed."""


def table_rows(table: ResultTable) -> Iterator[Row]:
    """Yield the rows of a table as it is printed, without its formatting."""
    for cells in table.rows:
        yield {name: getattr(cell, "value", cell) for name, cell in zip(table.header, cells)}


def _overall(given: Evaluated, metric: Metric, *, triples: bool) -> Iterator[Row]:
    """Yield the rows of a metric's overall scores in the average asked for."""
    own, average = given.result["metrics"][metric.name], given.average
    scores, intervals = own["scores"], own.get("intervals", {})
    if average == "micro":
        intervals = intervals.get("scores", {})
    else:
        scores, intervals = own["averages"][average], intervals.get("averages", {}).get(average, {})
    yield from _rows(metric, scores, intervals, triples=triples)


def _per_label(given: Evaluated, *, triples: bool) -> Iterator[Row]:
    """Yield a row per label and metric."""
    for label, number in support(given).items():
        for metric in given.counts.metrics:
            own = given.result["metrics"][metric.name]
            intervals = own.get("intervals", {}).get("per_type", {}).get(label, {})
            for row in _rows(metric, own["per_type"][label]["scores"], intervals, triples=triples):
                yield {"label": label, **row, "support": number}


def _main_per_label(given: Evaluated) -> Iterator[Row]:
    """Yield a row per label, the most frequent first, with the main metric's headline and what belongs to it."""
    metric, predicted = main_metric(given.counts.metrics), pred_spans(given.counts)
    own, main = given.result["metrics"][metric.name], metric.label_headlines[0].name
    for label, number in sorted(support(given).items(), key=lambda item: (-item[1], item[0])):
        scores = own["per_type"][label]["scores"]
        group = next(each for each in groups(metric, [*scores]) if main in each.scores)
        bounds = own.get("intervals", {}).get("per_type", {}).get(label, {})
        (row,) = _rows(metric, {name: scores[name] for name in group.scores}, bounds, triples=group.is_triple)
        values = {name: value for name, value in row.items() if name not in ("metric", "score")}
        yield {"label": label, "support": number, "predicted": predicted.get(label, 0), **values}


def _headlines_per_label(given: Evaluated) -> Iterator[Row]:
    """Yield a row per label with its headline scores."""
    for label, number in support(given).items():
        row: Row = {"label": label, "support": number}
        for metric in given.counts.metrics:
            scores = given.result["metrics"][metric.name]["per_type"][label]["scores"]
            row |= {short_name(metric, name): scores[name] for name in headlines(metric, list(scores))}
        yield row


def _rows(metric: Metric, scores: Mapping[str, Any], intervals: Mapping[str, Any], *, triples: bool) -> Iterator[Row]:
    """Yield a row per group of precision, recall and F, or a row per score that belongs to no such group."""
    for group in groups(metric, [name for name in scores if name != "undefined"]):
        if group.is_triple is not triples:
            continue
        row: Row = {"metric": group.name} if triples else {"metric": metric.name, "score": group.scores[0]}
        for column, name in zip(PRF if triples else ("value",), group.scores):
            row[column] = scores[name]
            if name in intervals:
                low, high = interval(intervals[name]) or (None, None)
                row |= {f"{column} low": low, f"{column} high": high}
        yield row
