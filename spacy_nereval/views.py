"""Counts, summed the way a score needs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .counts import CONTESTED_GOLD, HIT, MISS, NONE, SPURIOUS, Counts
from .formulas import ratio
from .metric import GOLD_SPANS, PRED_SPANS, Metric

BLOCK = 1 << 22
"""Cells of a dense table of documents by keys that are held at once."""


class View:
    """One metric's counts, summed as a score needs them.

    A view of the corpus has scalars, and rows of labels. A view `per_document`
    has one more axis in front, for the documents; one with `weights`,
    float[samples, documents], an axis for the samples, in each of which a
    document counts as often as its weight says. The formulas do not see the
    difference.

    A view with weights writes what it adds up on its `tape`: name to
    float[samples, labels or 1, columns]. Tapes of different documents, with the
    same labels, add up to the tape of all of them. What stands on the tape is
    read from it, so that a tape alone is enough for scores.
    """

    def __init__(
        self,
        counts: Counts,
        metric: Metric,
        *,
        per_document: bool = False,
        weights: np.ndarray | None = None,
        tape: dict[str, np.ndarray] | None = None,
    ) -> None:
        self.counts = counts
        self.metric = metric
        self.labels = counts.labels
        self.per_document = per_document
        self.weights = weights
        self.tape = tape

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
        if self.metric.refine:
            rows = rows.copy()
            verdict, note = rows[:, [1, 5]].astype(np.int64).T
            rows[:, 1] = self.metric.refine(verdict, note, tuple(self.counts.note_ids))
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

    def sums(self, *, by_label: bool = False) -> dict[str, np.ndarray]:
        """Each column summed, with axes `[documents | samples,] [labels]` as asked for,
        and the number of gold and predicted spans."""
        return self._sums_by_label if by_label else self._sums

    @cached_property
    def _sums(self) -> dict[str, np.ndarray]:
        return self._summed(by_label=False)

    @cached_property
    def _sums_by_label(self) -> dict[str, np.ndarray]:
        return self._summed(by_label=True)

    def _summed(self, by_label: bool) -> dict[str, np.ndarray]:
        width = len(self.labels) if by_label else 1
        doc, verdict, _, _, amount = self._rows
        label = self._label if by_label else np.zeros_like(doc)
        columns = self._columns(f"columns{by_label:d}", doc, label, verdict, amount, width)
        doc, _, *sides, _ = self._settled
        keys = [np.where(label == NONE, NONE, 2 * label * by_label + side) for side, label in enumerate(sides)]
        spans = self.add(f"spans{by_label:d}", np.tile(doc, 2), np.concatenate(keys), np.ones(2 * len(doc)), width, 2)
        columns[GOLD_SPANS], columns[PRED_SPANS] = self._whole(spans[..., 0]), self._whole(spans[..., 1])
        named = {column: columns[names] for column, names in self.metric.columns.items() if isinstance(names, str)}
        return {name: (c if by_label else c[..., 0][()]) for name, c in (columns | named).items()}

    def means(
        self, name: str, score: Callable[[Mapping[str, np.ndarray]], dict[str, np.ndarray]], *, by_label: bool = False
    ) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Per score its mean over the documents where it is defined, and their number.
        `name` tells these means from others of the metric."""
        doc, verdict, _, _, amount = self._rows
        label = self._label if by_label else np.zeros_like(doc)
        width = len(self.labels) if by_label else 1
        cells, cell = np.unique((doc * width + label)[label >= 0], return_inverse=True)
        each = View(self.counts, self.metric)  # sums over nothing but the cell: a document, or a document's label
        columns = each._columns("", doc[label >= 0], cell, verdict[label >= 0], amount[label >= 0], len(cells))
        doc, label = np.divmod(cells, width)
        found = {
            key: self.mean(f"{name}{by_label:d}.{key}", doc, label, values, width)
            for key, values in score(columns).items()
        }
        if not by_label:
            found = {key: (mean[..., 0][()], number[..., 0][()]) for key, (mean, number) in found.items()}
        return {key: mean for key, (mean, _) in found.items()}, {key: number for key, (_, number) in found.items()}

    def mean(
        self, name: str, doc: np.ndarray, key: np.ndarray, values: np.ndarray, width: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The mean by key of those values that are defined, and their number."""
        order = np.argsort(values, kind="stable")  # NaN last; a fixed order of summation
        order = order[np.isfinite(values[order])]
        doc, key, values = doc[order], key[order], values[order]
        number = self.add(f"{name}.number", doc, key, np.ones(len(order)), width)[..., 0]
        return ratio(self.add(f"{name}.sum", doc, key, values, width)[..., 0], number), self._whole(number)

    def add(
        self, name: str, doc: np.ndarray, key: np.ndarray, amount: np.ndarray, width: int, columns: int = 1
    ) -> np.ndarray:
        """Amounts of (document, key) added up: float[[documents | samples,] width, columns].

        `key` is a place in width times columns; negative ones are left out.
        `name` is the amount's on the tape.
        """
        if self.tape is not None and name in self.tape:
            return self.tape[name]
        if (key < 0).any():
            doc, key, amount = doc[key >= 0], key[key >= 0], amount[key >= 0]
        total = self._added(doc, key, amount, width * columns)
        total = total.reshape(*total.shape[:-1], width, columns)
        if self.tape is not None:
            self.tape[name] = total
        return total

    def _added(self, doc: np.ndarray, key: np.ndarray, amount: np.ndarray, width: int) -> np.ndarray:
        documents = self.counts.documents
        if self.per_document:
            cells = np.bincount(doc * width + key, amount, minlength=documents * width)
            return cells.reshape(documents, width)
        if self.weights is None:
            return np.bincount(key, amount, minlength=width)
        total = np.zeros((len(self.weights), width))
        step = max(1, BLOCK // max(1, width))
        for start in range(0, documents, step):
            stop = min(start + step, documents)
            here = (doc >= start) & (doc < stop)
            cells = np.bincount((doc[here] - start) * width + key[here], amount[here], minlength=(stop - start) * width)
            total += self.weights[:, start:stop].astype(float, copy=False) @ cells.reshape(stop - start, width)
        return total

    def _columns(
        self, name: str, doc: np.ndarray, key: np.ndarray, verdict: np.ndarray, amount: np.ndarray, width: int
    ) -> dict[str, np.ndarray]:
        """The metric's own columns, added up by key."""
        names = self.metric.verdict_names
        cells = np.where(key >= 0, key * len(names) + verdict, NONE)
        summed = self.add(name, doc, cells, amount, width, len(names))
        columns = {}
        for column, sources in self.metric.columns.items():
            if not isinstance(sources, str):
                total = summed[..., [names.index(verdict_name) for verdict_name in sources]].sum(axis=-1)
                columns[column] = total if column in self.metric.floats else self._whole(total)
        return columns

    def _whole(self, numbers: np.ndarray) -> np.ndarray:
        return numbers.astype(np.int64) if self.weights is None and self.tape is None else numbers

    def confusion(self) -> dict[str, dict[str, int]] | None:
        """Gold label to predicted label to number; "" stands for no span."""
        if self.metric.confusion is None:
            return None
        _, verdict, gold, pred, amount = self._rows
        number = np.ones(len(amount)) if self.metric.floats else amount
        shown = np.isin(verdict, [self.metric.verdict_names.index(name) for name in self.metric.confusion])
        names = ("", *self.labels)
        cells, cell = np.unique((gold[shown] + 1) * len(names) + pred[shown] + 1, return_inverse=True)
        numbers = np.bincount(cell, number[shown], minlength=len(cells)).astype(int)
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
