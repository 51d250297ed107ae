"""Counts, summed the way a score needs them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .counts import CONTESTED_GOLD, HIT, MISS, NONE, SPURIOUS, Counts
from .formulas import ratio
from .metric import GOLD_SPANS, PRED_SPANS, Metric


class View:
    """One metric's counts, summed as a score needs them.

    A view of the corpus has scalars and rows of labels; a view `per_document`
    has one more axis in front. The formulas do not see the difference.
    """

    def __init__(self, counts: Counts, metric: Metric, *, per_document: bool = False) -> None:
        self.counts = counts
        self.metric = metric
        self.per_document = per_document
        self.labels = counts.labels

    @cached_property
    def _rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Document, verdict, gold and predicted label (in sorted order), and amount of every row."""
        rows = self.counts.rows[self.counts.metrics.index(self.metric)].array()
        if self.metric.settled:
            verdict_of = np.full(5, NONE)
            verdict_of[[HIT, MISS, SPURIOUS]] = [self.metric.verdict_names.index(v) for v in self.metric.settled]
            settled = self.counts.settled.array()
            settled = settled[settled[:, 1] < CONTESTED_GOLD].copy()
            settled[:, 1] = verdict_of[settled[:, 1].astype(int)]
            rows = np.concatenate([settled, rows])
        if self.metric.floats:  # a fixed order of summation: floats too ignore the order of documents
            rows = rows[np.lexsort(rows.T)]
        return self._renamed(rows)

    def _renamed(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        place = np.array([self.labels.index(label) for label in self.counts.label_ids] + [NONE])
        doc, verdict, gold, pred = rows[:, :4].astype(np.int64).T
        return doc, verdict, place[gold], place[pred], rows[:, 4]

    @cached_property
    def _settled(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return self._renamed(self.counts.settled.array())

    @cached_property
    def _label(self) -> np.ndarray:
        """The label that each row counts for."""
        _, _, gold, pred, _ = self._rows
        first, second = (gold, pred) if self.metric.focus == "target" else (pred, gold)
        return np.where(first != NONE, first, second)

    def _columns(self, key: np.ndarray, size: int) -> dict[str, np.ndarray]:
        """The metric's columns, summed by key; rows with a negative key are left out."""
        _, verdict, _, _, amount = self._rows
        names = self.metric.verdict_names
        kept = key >= 0
        cells = (key * len(names) + verdict)[kept]
        summed = np.bincount(cells, amount[kept], minlength=size * len(names)).reshape(size, len(names))
        return {
            column: summed[:, [names.index(name) for name in sources]]
            .sum(axis=1)
            .astype(float if column in self.metric.floats else np.int64)
            for column, sources in self.metric.columns.items()
            if not isinstance(sources, str)
        }

    def sums(self, *, by_label: bool = False) -> dict[str, np.ndarray]:
        """Each column summed, with axes `[documents,] [labels]` as asked for, and the
        number of gold and predicted spans."""
        shape = ((self.counts.documents,) if self.per_document else ()) + ((len(self.labels),) if by_label else ())
        size = math.prod(shape)

        def keys(doc: np.ndarray, label: np.ndarray) -> np.ndarray:
            key = label if by_label else np.zeros_like(doc)
            step = len(self.labels) if by_label else 1
            return np.where(key >= 0, doc * step + key, NONE) if self.per_document else key

        columns = self._columns(keys(self._rows[0], self._label), size)
        doc, _, *sides, _ = self._settled
        for name, label in zip((GOLD_SPANS, PRED_SPANS), sides):
            columns[name] = np.bincount(keys(doc, label)[label != NONE], minlength=size)
        named = {column: columns[names] for column, names in self.metric.columns.items() if isinstance(names, str)}
        return {name: column.reshape(shape)[()] for name, column in (columns | named).items()}

    def means(
        self, score: Callable[[Mapping[str, np.ndarray]], dict[str, np.ndarray]], *, by_label: bool = False
    ) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Per score its mean over the documents where it is defined, and their number."""
        doc, n = self._rows[0], len(self.labels)
        key = self._label if by_label else np.zeros(len(doc), dtype=np.int64)
        width = n if by_label else 1
        cells, key = np.unique(np.where(key >= 0, doc * width + key, NONE), return_inverse=True)
        key = key - (cells[:1] == NONE).sum()
        cells = cells[cells != NONE]
        columns = self._columns(key, len(cells))
        where = cells if self.per_document else cells % width
        size = (self.counts.documents if self.per_document else 1) * width
        means, numbers = {}, {}
        for name, values in score(columns).items():
            order = np.argsort(values, kind="stable")  # NaN last; a fixed order of summation
            order = order[np.isfinite(values[order])]
            number = np.bincount(where[order], minlength=size)
            mean = ratio(np.bincount(where[order], values[order], minlength=size), number)
            shape = ((self.counts.documents,) if self.per_document else ()) + ((n,) if by_label else ())
            means[name], numbers[name] = np.reshape(mean, shape)[()], np.reshape(number, shape)[()]
        return means, numbers

    def confusion(self) -> dict[str, dict[str, int]] | None:
        """Gold label to predicted label to number; "" stands for no span."""
        if self.metric.confusion is None:
            return None
        _, verdict, gold, pred, _ = self._rows
        shown = np.isin(verdict, [self.metric.verdict_names.index(name) for name in self.metric.confusion])
        names = ("", *self.labels)
        cells, numbers = np.unique((gold[shown] + 1) * len(names) + pred[shown] + 1, return_counts=True)
        matrix: dict[str, dict[str, int]] = {}
        for cell, number in zip(cells.tolist(), numbers.tolist()):
            a, b = divmod(cell, len(names))
            matrix.setdefault(names[a], {})[names[b]] = number
        return matrix


class Summary(NamedTuple):
    """Overall and per-label scores and counts; `extra` goes into the result as it is."""

    scores: dict[str, np.ndarray]
    counts: dict[str, np.ndarray]
    label_scores: dict[str, np.ndarray]
    label_counts: dict[str, np.ndarray]
    extra: dict[str, Any] = {}
