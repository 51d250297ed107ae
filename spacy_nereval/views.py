"""Counts, summed the way a score needs them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .counts import NONE, Counts
from .formulas import ratio
from .metric import GOLD_SPANS, PRED_SPANS, Metric
from .settling import CONTESTED_GOLD, CONTESTED_PRED, HIT, MISS, SPURIOUS

BLOCK = 1 << 22
"""Cells of a dense table of documents by keys that are held at once."""


SIDES = np.zeros((5, 2))
SIDES[[HIT, MISS, CONTESTED_GOLD], 0] = SIDES[[HIT, SPURIOUS, CONTESTED_PRED], 1] = 1
"""Which kinds of spans are gold ones and which predictions: a hit is both."""

T = TypeVar("T")

Rows = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Document, verdict, gold and predicted label, and amount."""


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

    def sums(self, *, by_label: bool, per_document: bool = False) -> np.ndarray:
        """The numbers of these spans: float64[[documents | samples,] labels or 1, kinds]"""
        return self.known((by_label, per_document), partial(self._sums, by_label, per_document))

    def _sums(self, by_label: bool, per_document: bool) -> np.ndarray:
        doc, kind, label = self.rows
        shape = (len(self.counts.label_ids), 5) if by_label else (1, 5)
        weights = None if per_document else self.weights
        key = (label * 5 if by_label else 0) + kind
        return added(self.counts.documents, doc, key, None, shape, per_document, weights)

    def spans(self, *, by_label: bool, per_document: bool = False) -> np.ndarray:
        """The numbers of gold spans and of predictions: float64[[documents | samples,] labels or 1, 2]"""
        kinds = self.sums(by_label=by_label, per_document=per_document)
        return self.known(("spans", by_label, per_document), lambda: kinds @ SIDES)

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
    per_document: bool = False,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Amounts, or ones, of (document, key) added up: float64[[documents | samples,] *shape].
    A key is a place in the flattened shape."""
    width = shape[0] * shape[1]
    if per_document:
        cells = np.bincount(doc * width + key, amount, minlength=documents * width)
        return cells.astype(float, copy=False).reshape(documents, *shape)
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

    Views of several metrics may have one `shared`.
    """

    def __init__(
        self,
        counts: Counts,
        metric: Metric,
        *,
        per_document: bool = False,
        weights: np.ndarray | None = None,
        tape: dict[str, np.ndarray] | None = None,
        shared: Shared | None = None,
    ) -> None:
        self.counts = counts
        self.metric = metric
        self.labels = counts.labels
        self.per_document = per_document
        self.weights = weights
        self.tape = tape
        self.shared = shared or Shared(counts, weights)

    @cached_property
    def _rows(self) -> Rows:
        return self.shared.verdicts(self.metric)

    def _all_rows(self, doc: np.ndarray, kind: np.ndarray, label: np.ndarray, amount: np.ndarray) -> Rows:
        """The same and the verdicts on these spans."""
        if not self.metric.settled:
            return self._rows
        verdicts = np.array([self.metric.verdict_names.index(name) for name in self.metric.settled])
        settled = kind < CONTESTED_GOLD
        doc, kind, label, amount = (column[settled] for column in (doc, kind, label, amount))
        gold, pred = np.where(kind != SPURIOUS, label, NONE), np.where(kind != MISS, label, NONE)
        return tuple(map(np.append, self._rows, (doc, verdicts[kind], gold, pred, amount)))  # type: ignore[return-value]

    def _label(self, gold: np.ndarray, pred: np.ndarray) -> np.ndarray:
        """The label that each row counts for."""
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
        summed = self._noted(f"columns{by_label:d}", partial(self._verdicts, by_label))
        spans = self._noted(
            f"spans{by_label:d}", lambda: self.shared.spans(by_label=by_label, per_document=self.per_document)
        )
        columns = self._columns(summed, self._is_whole)
        columns[GOLD_SPANS], columns[PRED_SPANS] = self._whole(spans[..., 0]), self._whole(spans[..., 1])
        named = {column: columns[names] for column, names in self.metric.columns.items() if isinstance(names, str)}
        return {name: (c if by_label else c[..., 0][()]) for name, c in (columns | named).items()}

    def _kinds(self, by_label: bool) -> np.ndarray:
        return self.shared.sums(by_label=by_label, per_document=self.per_document)

    def _verdicts(self, by_label: bool) -> np.ndarray:
        """The amounts of each verdict: float64[[documents | samples,] labels or 1, verdicts]."""
        doc, verdict, gold, pred, amount = self._rows
        label = self._label(gold, pred) if by_label else np.zeros_like(doc)
        if (label < 0).any():
            doc, verdict, amount, label = (column[label >= 0] for column in (doc, verdict, amount, label))
        names = self.metric.verdict_names
        total = self._added(doc, label, verdict, amount, (len(self.labels) if by_label else 1, len(names)))
        for kind, name in enumerate(self.metric.settled or ()):
            total[..., names.index(name)] += self._kinds(by_label)[..., kind]
        return total

    def means(
        self, name: str, score: Callable[[Mapping[str, np.ndarray]], dict[str, np.ndarray]], *, by_label: bool = False
    ) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Per score its mean over the documents where it is defined, and their number.
        `name` tells these means from others of the metric."""
        names = id(self.metric), name, by_label
        doc, label, values = self.shared.known(names, partial(self._scored, score, by_label))
        found = self.mean(
            f"{name}{by_label:d}", doc, label, np.array([*values.values()]), len(self.labels) if by_label else 1
        )
        means, numbers = (dict(zip(values, np.moveaxis(f if by_label else f[..., 0, :], -1, 0))) for f in found)
        return means, numbers

    def _scored(
        self, score: Callable[[Mapping[str, np.ndarray]], dict[str, np.ndarray]], by_label: bool
    ) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        """Of every document, or every label of a document, that has verdicts: document, label or 0, and scores."""
        doc, kind, label = self.shared.rows
        doc, verdict, gold, pred, amount = self._all_rows(doc, kind, label, np.ones(len(doc)))
        label = self._label(gold, pred) if by_label else np.zeros_like(doc)
        doc, label, verdict, amount = (column[label >= 0] for column in (doc, label, verdict, amount))
        width, height = len(self.labels) if by_label else 1, len(self.metric.verdict_names)
        cells, cell = np.unique(doc * width + label, return_inverse=True)
        summed = np.bincount(cell * height + verdict, amount, minlength=len(cells) * height)
        return *np.divmod(cells, width), score(self._columns(summed.reshape(len(cells), height), whole=True))

    def mean(
        self, name: str, doc: np.ndarray, key: np.ndarray, values: np.ndarray, width: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The means by key of those `values`, float[scores, n], that are defined, and their
        numbers: float[[documents | samples,] width, scores]. `name` is that of all of them."""
        defined = np.isfinite(values)
        number, total = (
            self._noted(f"{name}.{what}", partial(self._added_up, doc, key, amount, width))
            for what, amount in (("number", defined.astype(float)), ("sum", np.where(defined, values, 0)))
        )
        return ratio(total, number), self._whole(number)

    def _added_up(self, doc: np.ndarray, key: np.ndarray, amounts: np.ndarray, width: int) -> np.ndarray:
        """Amounts, float[scores, n], added up by key: float64[[documents | samples,] width, scores]."""
        if self.weights is None and not self.per_document:  # a fixed order of summation
            if width == 1:
                return np.sort(amounts).sum(axis=-1)[None]
            order = np.argsort(amounts)
            amounts, doc, key = np.take_along_axis(amounts, order, axis=-1), doc[order], key[order]
        row = np.arange(len(amounts))[:, None]
        doc, key, row = (np.broadcast_to(each, amounts.shape).ravel() for each in (doc, key, row))
        return self._added(doc, key, row, amounts.ravel(), (width, len(amounts)))

    def _noted(self, name: str, total: Callable[[], np.ndarray]) -> np.ndarray:
        """What stands on the tape under that name; else it is found out, and written there."""
        if self.tape is None:
            return total()
        if name not in self.tape:
            self.tape[name] = total()
        return self.tape[name]

    def _added(
        self, doc: np.ndarray, row: np.ndarray, column: np.ndarray, amount: np.ndarray | None, shape: tuple[int, int]
    ) -> np.ndarray:
        """Amounts, or ones, added up by row and column."""
        key = row * shape[1] + column
        return added(self.counts.documents, doc, key, amount, shape, self.per_document, self.weights)

    def _columns(self, summed: np.ndarray, whole: bool) -> dict[str, np.ndarray]:
        """The metric's own columns, from the amounts of each verdict."""
        columns = {}
        for column, sources in self.metric.columns.items():
            if not isinstance(sources, str):
                first, *rest = (summed[..., self.metric.verdict_names.index(name)] for name in sources)
                total = sum(rest, start=first)
                columns[column] = total.astype(np.int64) if whole and column not in self.metric.floats else total
        return columns

    @property
    def _is_whole(self) -> bool:
        """Whether what is added up is a number of times that something was seen."""
        return self.weights is None and self.tape is None

    def _whole(self, numbers: np.ndarray) -> np.ndarray:
        return numbers.astype(np.int64) if self._is_whole else numbers

    def kinds(self) -> dict[tuple[str, str, str], int]:
        """(verdict, gold label, predicted label) to the number of such verdicts; "" stands for no span."""
        found = (self.shared if self.weights is None else Shared(self.counts)).sums(by_label=True).ravel()
        place = np.flatnonzero(found)
        _, verdict, gold, pred, number = self._all_rows(place, place % 5, place // 5, found[place])
        if self.metric.floats:  # the amounts themselves are of use elsewhere
            number = np.append(np.ones(len(self._rows[0])), number[len(self._rows[0]) :])
        verdicts, names = self.metric.verdict_names, ("", *self.labels)
        shape = len(verdicts), len(names), len(names)
        cells, cell = np.unique(np.ravel_multi_index((verdict, gold + 1, pred + 1), shape), return_inverse=True)
        numbers = np.bincount(cell, number, minlength=len(cells)).astype(int).tolist()
        places = zip(*(place.tolist() for place in np.unravel_index(cells, shape)))
        return {(verdicts[v], names[a], names[b]): n for (v, a, b), n in zip(places, numbers)}

    def confusion(self) -> dict[str, dict[str, int]] | None:
        """Gold label to predicted label to number; "" stands for no span."""
        if self.metric.confusion is None:
            return None
        matrix: dict[str, dict[str, int]] = {}
        for (verdict, gold, pred), number in sorted(self.kinds().items(), key=lambda kind: kind[0][1:]):
            if verdict in self.metric.confusion:
                row = matrix.setdefault(gold, {})
                row[pred] = row.get(pred, 0) + number
        return matrix


class Summary(NamedTuple):
    """Overall and per-label scores and counts; `extra` goes into the result as it is."""

    scores: dict[str, np.ndarray]
    counts: dict[str, np.ndarray]
    label_scores: dict[str, np.ndarray]
    label_counts: dict[str, np.ndarray]
    extra: dict[str, Any] = {}
