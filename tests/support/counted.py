"""Counts of single documents, for the tests of counting."""

from typing import Any

import numpy as np

from spacy_nereval import Counts, Metric, Score, Verdict, evaluate, one_each
from spacy_nereval.counting.sums import Key


def rows(counts: Counts) -> list[dict[Key, int]]:
    """What is counted in each document, without zeros."""
    cells = counts.cells.toarray()
    assert cells.dtype.kind == "i"
    return [{key: n for key, n in zip(counts.keys, row) if n} for row in cells.tolist()]


def seen(counts: Counts) -> tuple:
    """All that there is to see of counts, bit by bit."""
    extent = counts.documents, counts.skipped, counts.ignored, counts.repaired, counts.gold, counts.pred
    return rows(counts), counts.ids, counts.units, extent, evaluate(counts)


def watching(seen: list, **fields: Any) -> Metric:
    """A metric that remembers what it is asked."""

    def judge(group):
        seen.append(group)
        yield Verdict("fn", group.gold[0], None)

    scores = (Score("n", unit="count", limits=(0, np.inf)),)
    columns = one_each("tp", "fn", "fp")
    return Metric(scores=scores, columns=columns, formula=lambda n: {"n": n["fn"]}, judge=judge, name="own", **fields)


class Times:
    """How often each of several sums counts each document, as a table [sums, documents]."""

    def __init__(self, table: Any) -> None:
        self.table = np.asarray(table)
        self.sums = len(self.table)

    def block(self, documents: slice) -> np.ndarray:
        return self.table[:, documents]


OTHERS: dict[str, dict[str, Any]] = {
    "semeval": {"focus": "system", "beta": 2},
    "slot_error": {"slots": "muc", "weights": "etape"},
    "loio": {"match": "optimal", "s": 0.3},
    "fair": {"unit": "token", "focus": "system", "weights": "fine"},
    "wrf": {"unique": False, "average": "micro", "weights": "lenient"},
    "char": {"typed": False},
    "plagdet": {"average": "micro", "typed": True},
    "ace": {"weights": {"A": 0.1, "B": 0.7}},
    "mentions": {"scope": "hits"},
}
"""Other options than those by default."""
