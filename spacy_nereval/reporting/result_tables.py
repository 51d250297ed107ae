"""The tables of one system, by their names for `--tables`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from .evaluated import Evaluated
from .headline import group_tables, headline_tables
from .result_table import ResultTable
from .score_tables import (
    breakdown_table,
    count_tables,
    document_tables,
    label_score_tables,
    label_tables,
    score_tables,
)
from .verdict_tables import confusion_tables, pair_tables, verdict_tables

TABLES: dict[str, Callable[[Evaluated], Iterable[ResultTable]]] = {
    "headline": headline_tables,
    "errors": verdict_tables,
    "groups": group_tables,
    "scores": score_tables,
    "labels": label_tables,
    "pairs": pair_tables,
    "confusion": confusion_tables,
    "documents": document_tables,
    "label-scores": label_score_tables,
    "counts": count_tables,
}
"""Each name, and the function that makes its tables."""

AT_TERMINAL = ("headline", "errors", "groups")
"""The tables that a terminal shows by default."""

USUAL = ("scores", "labels", "errors", "pairs", "confusion", "documents")
"""The tables of other formats by default."""


def tables(given: Evaluated, wanted: Iterable[str], *, digits: int = 2) -> Iterator[ResultTable]:
    """Yield tables of a result, then its breakdowns by attributes if it has any.

    Args:
        given: Counts with their result.
        wanted: Names of tables, keys of `TABLES`.
        digits: Decimal places of numbers that are not whole.

    >>> from spacy_nereval import Document, count, create_all, evaluate
    >>> counts = count([Document([(0, 3, "PER")], [], "Ada")], create_all(["strict"]))
    >>> [table.title for table in tables(Evaluated(counts, evaluate(counts)), ["labels", "counts"])]
    ['Per label', 'Counts']
    """
    for name in wanted:
        for table in TABLES[name](given):
            yield table._replace(digits=digits)
    for found in given.result.get("breakdowns", {}).values():
        yield breakdown_table(found, given.counts.metrics, digits=digits)
