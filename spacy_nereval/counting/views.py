"""Counts, summed the way a score needs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from ..core.declaration import GOLD_SPANS, PRED_SPANS, Metric
from ..core.formulas import ratio
from .batch import CONTESTED_GOLD, MISS, SPURIOUS
from .counts import NONE, Counts
from .shared import SIDES, Groups, Rows, Shared, added


class View:
    """One metric's counts, summed as a score needs them.

    A view of the corpus has scalars, and rows of labels. One with `weights`,
    float[samples, documents], has one more axis in front, for the samples, in
    each of which a document counts as often as its weight says. Of each document
    by itself there are arrays, whatever the weights. The formulas do not see the
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
        weights: np.ndarray | None = None,
        tape: dict[str, np.ndarray] | None = None,
        shared: Shared | None = None,
    ) -> None:
        self.counts = counts
        self.metric = metric
        self.labels = counts.labels
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

    def sums(self, *, by_label: bool = False, by_document: bool = False) -> dict[str, np.ndarray]:
        """Each column summed, with axes `[samples,] [labels]` or `[documents]` as asked for,
        and the number of gold and predicted spans."""
        if by_document or self._is_whole:
            return self._part(self._table, by_label, by_document)
        return self._sums_by_label if by_label else self._sums

    def scores(self, *, by_label: bool = False, by_document: bool = False) -> dict[str, np.ndarray]:
        """The scores of these sums."""
        if by_document or self._is_whole:
            return self._part(self._scores, by_label, by_document)
        return self.metric.score(self.sums(by_label=by_label))

    def group_scores(self) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """The scores of documents, of those that are alike once: float[groups], and the group of each document."""
        return {name: values[self.shared.behind :] for name, values in self._scores.items()}, self._groups.group

    @property
    def _groups(self) -> Groups:
        return self.shared.groups(self.metric)

    def _part(self, table: Mapping[str, np.ndarray], by_label: bool, by_document: bool) -> dict[str, np.ndarray]:
        behind = self.shared.behind
        rows = behind + self._groups.group if by_document else slice(1, behind) if by_label else 0
        return {name: values[rows] for name, values in table.items()}

    @property
    def _scores(self) -> dict[str, np.ndarray]:
        return self.shared.known(("scores", id(self.metric)), lambda: self.metric.score(self._table))

    @property
    def _table(self) -> dict[str, np.ndarray]:
        """Each column summed in all, for each label, and for each group of documents:
        int64 | float64[1 + labels + groups]. Views share it."""
        return self.shared.known(("columns", id(self.metric)), self._tabled)

    def _tabled(self) -> dict[str, np.ndarray]:
        doc, verdict, gold, pred, amount = self._rows
        label, width = self._label(gold, pred), len(self.metric.verdict_names)
        summed = self.shared.table(doc, label, verdict, amount, width, self._groups)
        kinds = self.shared.kinds(self.metric)
        return self._named(self._settled(summed, kinds), kinds @ SIDES, whole=True)

    @cached_property
    def _sums(self) -> dict[str, np.ndarray]:
        return {name: column[..., 0][()] for name, column in self._summed(by_label=False).items()}

    @cached_property
    def _sums_by_label(self) -> dict[str, np.ndarray]:
        return self._summed(by_label=True)

    def _summed(self, by_label: bool) -> dict[str, np.ndarray]:
        summed = self._noted(f"columns{by_label:d}", partial(self._verdicts, by_label))
        spans = self._noted(f"spans{by_label:d}", lambda: self._kinds(by_label) @ SIDES)
        return self._named(summed, spans, whole=False)

    def _kinds(self, by_label: bool) -> np.ndarray:
        return self.shared.sums(by_label=by_label)

    def _verdicts(self, by_label: bool) -> np.ndarray:
        """The amounts of each verdict: float64[[samples,] labels or 1, verdicts]."""
        doc, verdict, gold, pred, amount = self._rows
        label = self._label(gold, pred) if by_label else np.zeros_like(doc)
        if (label < 0).any():
            doc, verdict, amount, label = (column[label >= 0] for column in (doc, verdict, amount, label))
        shape = len(self.labels) if by_label else 1, len(self.metric.verdict_names)
        return self._settled(self._added(doc, label, verdict, amount, shape), self._kinds(by_label))

    def _settled(self, summed: np.ndarray, kinds: np.ndarray) -> np.ndarray:
        """The same amounts of each verdict, now with those on spans that are settled, of these numbers."""
        for kind, name in enumerate(self.metric.settled or ()):
            summed[..., self.metric.verdict_names.index(name)] += kinds[..., kind]
        return summed

    def means(
        self, name: str, score: Callable[[Mapping[str, np.ndarray]], dict[str, np.ndarray]], *, by_label: bool = False
    ) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Per score its mean over the documents where it is defined, and their number.
        `name` tells these means from others of the metric."""
        doc, label, values = self.scored(name, score, by_label=by_label)
        found = self.mean(
            f"{name}{by_label:d}", doc, label, np.array([*values.values()]), len(self.labels) if by_label else 1
        )
        means, numbers = (dict(zip(values, np.moveaxis(f if by_label else f[..., 0, :], -1, 0))) for f in found)
        return means, numbers

    def scored(
        self, name: str, score: Callable[[Mapping[str, np.ndarray]], dict[str, np.ndarray]], *, by_label: bool = False
    ) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        """Of every document, or every label of a document that has verdicts: document, label or 0, and
        scores of the columns made of verdicts. `name` tells these scores from others of the metric."""
        return self.shared.known((id(self.metric), name, by_label), partial(self._scored, score, by_label))

    def _scored(
        self, score: Callable[[Mapping[str, np.ndarray]], dict[str, np.ndarray]], by_label: bool
    ) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        if not by_label:
            docs = np.arange(self.counts.documents)
            return docs, np.zeros_like(docs), score(self.sums(by_document=True))
        doc, kind, label = self.shared.rows
        doc, verdict, gold, pred, amount = self._all_rows(doc, kind, label, np.ones(len(doc)))
        label = self._label(gold, pred)
        doc, label, verdict, amount = (column[label >= 0] for column in (doc, label, verdict, amount))
        width, height = len(self.labels), len(self.metric.verdict_names)
        cells, cell = np.unique(doc * width + label, return_inverse=True)
        summed = np.bincount(cell * height + verdict, amount, minlength=len(cells) * height)
        return *np.divmod(cells, width), score(self._columns(summed.reshape(len(cells), height), whole=True))

    def document_means(self, values: np.ndarray, group: np.ndarray) -> np.ndarray:
        """The means over all documents of the values of their groups, float[scores, groups],
        where these are defined: float64[[samples,] scores]"""
        if not self._is_whole:
            docs = np.arange(len(group))
            return self.mean("docs", docs, np.zeros_like(docs), values[:, group], 1)[0][..., 0, :]
        times = np.bincount(group, minlength=values.shape[1])
        defined = np.isfinite(values)
        total = np.sort(np.where(defined, values * times, 0)).sum(axis=-1)  # a fixed order of summation
        return ratio(total, (defined * times).sum(axis=-1))

    def mean(
        self, name: str, doc: np.ndarray, key: np.ndarray, values: np.ndarray, width: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The means by key of those `values`, float[scores, n], that are defined, and their
        numbers: float[[samples,] width, scores]. `name` is that of all of them."""
        defined = np.isfinite(values)
        number, total = (
            self._noted(f"{name}.{what}", partial(self._added_up, doc, key, amount, width))
            for what, amount in (("number", defined), ("sum", np.where(defined, values, 0)))
        )
        return ratio(total, number), self._whole(number)

    def _added_up(self, doc: np.ndarray, key: np.ndarray, amounts: np.ndarray, width: int) -> np.ndarray:
        """Amounts, float | bool[scores, n], added up by key: float64[[samples,] width, scores]."""
        inexact = self.weights is None and amounts.dtype != bool  # these need a fixed order of summation
        if self.weights is None and width == 1:
            return (np.sort(amounts) if inexact else amounts).sum(axis=-1, dtype=float)[None]
        if inexact:
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
        return added(self.counts.documents, doc, key, amount, shape, self.weights)

    def _named(self, summed: np.ndarray, spans: np.ndarray, *, whole: bool) -> dict[str, np.ndarray]:
        """All columns, from the amounts of each verdict and the numbers of gold and predicted spans."""
        columns = self._columns(summed, whole)
        for side, name in enumerate((GOLD_SPANS, PRED_SPANS)):
            columns[name] = spans[..., side].astype(np.int64) if whole else spans[..., side]
        named = {column: columns[names] for column, names in self.metric.columns.items() if isinstance(names, str)}
        return columns | named

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
        found = self.shared.kinds(self.metric)[1 : self.shared.behind].ravel()
        place = np.flatnonzero(found)
        label, kind = np.divmod(place, len(SIDES))
        _, verdict, gold, pred, number = self._all_rows(place, kind, label, found[place])
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
