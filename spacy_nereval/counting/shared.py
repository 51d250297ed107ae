"""What views of the same counts share: their rows and their sums, each found out once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..core.declaration import Metric
from .batch import CONTESTED_GOLD, CONTESTED_PRED, HIT, MISS, SPURIOUS
from .counts import NONE, Counts

BLOCK = 1 << 22
"""Cells of a dense table of documents by keys that are held at once."""

SIDES = np.zeros((5, 2))
SIDES[[HIT, MISS, CONTESTED_GOLD], 0] = SIDES[[HIT, SPURIOUS, CONTESTED_PRED], 1] = 1
"""Which kinds of spans are gold ones and which predictions: a hit is both."""

ROOM = 1 << 17
CODE = np.zeros(5)
CODE[[HIT, MISS, SPURIOUS, CONTESTED_GOLD, CONTESTED_PRED]] = 1, ROOM, ROOM**2, ROOM**3, ROOM**3
"""Added up, they say how many hits, misses and spurious spans there are, if there are fewer than
`ROOM` of each; any contested span makes it `ROOM**3` or more."""

T = TypeVar("T")

Rows = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Document, verdict, gold and predicted label, and amount."""


class Groups(NamedTuple):
    """Documents that have the same counts, in groups: the first of each, int64[groups],
    and the group of each document, int64[documents]."""

    first: np.ndarray
    group: np.ndarray


class Shared:
    """What views of the same counts, with the same `weights`, share: each thing is found out once."""

    def __init__(self, counts: Counts, weights: np.ndarray | None = None) -> None:
        self.counts = counts
        self.weights = weights
        self._known: dict[Hashable, Any] = {}

    def known(self, name: Hashable, found: Callable[[], T]) -> T:
        """What was found under that name before, or is found now."""
        if name not in self._known:
            self._known[name] = found()
        return self._known[name]

    @cached_property
    def rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Document, kind, and label (in sorted order) of every span, of a hit once."""
        doc, kind, gold, pred = (self.counts.settled.column(k).astype(np.int64) for k in range(4))
        return doc, kind, sorted_places(self.counts)[np.where(gold != NONE, gold, pred)]

    @property
    def behind(self) -> int:
        """Where documents begin in a `table`, behind the total and the labels."""
        return 1 + len(self.counts.label_ids)

    def groups(self, metric: Metric) -> Groups:
        """To metrics that judge contests, documents without any are alike that have
        the same numbers of hits, misses and spurious spans."""
        return self._alike if metric.settled else self._each

    @cached_property
    def _alike(self) -> Groups:
        doc, kind, _ = self.rows
        number = self.counts.documents
        if np.bincount(doc).max(initial=0) >= ROOM:
            return self._each
        code = np.bincount(doc, CODE[kind], minlength=number)
        code = np.where(code < CODE[CONTESTED_GOLD], code, ~np.arange(number))
        return Groups(*np.unique(code, return_index=True, return_inverse=True)[1:])

    @cached_property
    def _each(self) -> Groups:
        return Groups(*[np.arange(self.counts.documents)] * 2)

    def kinds(self, metric: Metric) -> np.ndarray:
        """How many spans there are of each kind, in a `table`: float64[1 + labels + groups, kinds]"""
        doc, kind, label = self.rows
        groups = self.groups(metric)
        return self.known(
            ("kinds", id(groups)), lambda: self.table(doc, label, kind, np.ones(len(doc)), len(SIDES), groups)
        )

    def table(
        self, doc: np.ndarray, label: np.ndarray, column: np.ndarray, amount: np.ndarray, width: int, groups: Groups
    ) -> np.ndarray:
        """Amounts added up by column, in all, for each label, and for one document of each group:
        float64[1 + labels + groups, width]. What has no label, NONE, is part of the others."""
        rows = self.behind + len(groups.first)
        group = groups.group[doc]
        row = np.concatenate(
            [
                np.zeros_like(doc),
                np.where(label != NONE, 1 + label, rows),
                np.where(groups.first[group] == doc, self.behind + group, rows),
            ]
        )
        cell = row * width + np.tile(column, 3)
        added = np.bincount(cell, np.tile(amount, 3), minlength=(rows + 1) * width).astype(float, copy=False)
        return added[: rows * width].reshape(rows, width)

    def sums(self, *, by_label: bool) -> np.ndarray:
        """How many spans there are of each kind: float64[[samples,] labels or 1, kinds]"""
        return self.known(("sums", by_label), partial(self._sums, by_label))

    def _sums(self, by_label: bool) -> np.ndarray:
        doc, kind, label = self.rows
        shape = (len(self.counts.label_ids), len(SIDES)) if by_label else (1, len(SIDES))
        key = (label * shape[1] if by_label else 0) + kind
        return added(self.counts.documents, doc, key, None, shape, self.weights)

    def verdicts(self, metric: Metric) -> Rows:
        """What a metric says of the spans that are not settled. Labels are in sorted order."""
        return self.known(id(metric), partial(self._verdicts, metric))

    def _verdicts(self, metric: Metric) -> Rows:
        rows = self.counts.rows[self.counts.metrics.index(metric)]
        columns = [rows.column(k) for k in range(rows.width)]
        if metric.floats:  # a fixed order of summation: floats too ignore the order of documents
            order = np.lexsort(columns)
            columns = [column[order] for column in columns]
        doc, verdict, gold, pred = (column.astype(np.int64) for column in columns[:4])
        if metric.refine:
            verdict = metric.refine(verdict, columns[5].astype(np.int64), tuple(self.counts.note_ids))
        place = sorted_places(self.counts)
        return doc, verdict, place[gold], place[pred], columns[4]


def sorted_places(counts: Counts) -> np.ndarray:
    """The place of each label id among the sorted labels; that of NONE is NONE."""
    place = {label: k for k, label in enumerate(counts.labels)}
    return np.array([place[label] for label in counts.label_ids] + [NONE])


def added(
    documents: int,
    doc: np.ndarray,
    key: np.ndarray,
    amount: np.ndarray | None,
    shape: tuple[int, int],
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Amounts, or ones, of (document, key) added up: float64[[samples,] *shape].
    A key is a place in the flattened shape."""
    width = shape[0] * shape[1]
    if weights is None:
        return np.bincount(key, amount, minlength=width).astype(float, copy=False).reshape(shape)
    total = np.zeros((len(weights), width))
    step = max(1, BLOCK // max(1, width))
    for start in range(0, documents, step):
        stop = min(start + step, documents)
        here = (doc >= start) & (doc < stop)
        cell = (doc[here] - start) * width + key[here]
        cells = np.bincount(cell, None if amount is None else amount[here], minlength=(stop - start) * width)
        total += weights[:, start:stop].astype(float, copy=False) @ cells.reshape(stop - start, width).astype(
            float, copy=False
        )
    return total.reshape(len(weights), *shape)
