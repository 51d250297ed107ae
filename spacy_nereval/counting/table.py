"""Summation: weights times the table of counts. All sums are computed here.

Weights of ones give the corpus, random bits give half-samples, and the differences
between two systems' tables, times random bits, give swaps.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, reduce
from math import inf
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import GOLD_SPANS, PRED_SPANS, Kind, Metric
from ..core.messages import spell_argument
from .counts import Counts
from .sums import HIGH, LOW, TOO_LARGE, Key, Slot, Sums, empty_sums, join_amounts, slots, split_amounts

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Weights(Protocol):
    """How often each of several sums counts each document."""

    sums: int

    def block(self, documents: slice) -> NDArray[Any]:
        """Return the weights of some documents, whole numbers [sums, documents]."""


CELLS, DOCUMENTS = 1 << 22, 1 << 11
"""Maximum number of cells of dense tables in memory at once, and of their documents: larger
arrays do not fit the processor's cache, and take up to twice the time."""


SPARSE = 32
"""How many times longer a multiplication takes for a sparse table than for a dense one."""

SMALL = 1 << 16
"""A sparse table of fewer cells is made dense as a whole, since selecting its rows takes longer than the product."""


class Table:
    """The rows of documents, with a column for each slot and label.

    Args:
        counts: The counts.
        labels: The labels of the columns; by default those that occur.
    """

    def __init__(self, counts: Counts, labels: Sequence[str] | None = None) -> None:
        counts.check_documents("rows of documents")
        self.metrics: tuple[Metric, ...] = counts.metrics
        self.labels: tuple[str, ...] = counts.labels if labels is None else tuple(labels)
        self.slots: dict[Slot, int] = slots(self.metrics)
        self.is_breakdown: bool = counts.by is not None
        self._projection = self._project_columns(counts)
        distinct = {metric.name for metric in self.metrics if metric.distinct}
        self._distinct = np.array([k for k, key in enumerate(counts.keys) if key.metric in distinct], dtype=np.int64)
        self._cells = _cap_at_one(counts.cells, self._distinct) if len(self._distinct) else counts.cells
        self.cells: csr_array = (self._cells @ self._projection).tocsr()

    @property
    def width(self) -> int:
        """The number of columns of a slot: the labels, and a last one for no label."""
        return len(self.labels) + 1

    def _project_columns(self, counts: Counts) -> csr_array:
        """Return int64[columns, slots * (labels + 1)], with a 1 for the slot and label of each column."""
        place = {label: k for k, label in enumerate(self.labels)}
        by_pred = {metric.name for metric in self.metrics if metric.focus == "system"}
        keys = resolve_keys(counts)
        per_row = _labels_per_row(self.metrics, keys, counts.by)
        source, target = [], []
        for number, key in enumerate(keys):
            label = (key.pred or key.gold) if key.metric in by_pred else (key.gold or key.pred)
            slot = self.slots[Slot(key.metric, key.verdict, key.quantity)]
            for row in per_row.get((key.metric, key.verdict), (label,)):
                source.append(number)
                target.append(slot * self.width + place.get(row, len(self.labels)))
        shape = len(keys), len(self.slots) * self.width
        return _indicator_matrix(np.array(source, dtype=np.int64), np.array(target, dtype=np.int64), shape)

    def sum_rows(self, weights: Weights | None = None) -> Sums:
        """Return the rows added up: one sum of all rows, or one for each row of `weights`.

        Raises:
            ValueError: The sums take more memory than there is, or numbers are too large to be exact.
        """
        number = weights.sums if weights else 1
        one = empty_sums(self.metrics, self.labels, self.is_breakdown, 1)
        check_memory(sum(array.size for array in one.arrays), number, len(self.labels), len(self.metrics))
        total = empty_sums(self.metrics, self.labels, self.is_breakdown, number)
        for documents in self.document_slices(number):
            size = documents.stop - documents.start
            factors = weights.block(documents).T.astype(float) if weights else np.ones((size, 1))
            for sums, rows in zip(total.arrays, (*self.additive_rows(documents), np.ones((1, size)))):
                add_products(sums, rows, factors)
        if len(self._distinct):
            self._count_once(total, weights)
        return total

    def sum_groups(self, groups: csr_array) -> Sums:
        """Return the rows of each group of documents added up, one sum for each group.

        Metrics that count distinct strings need `sum_rows`.

        Args:
            groups: int64[groups, documents], 1 where the group has the document.
        """
        total = empty_sums(self.metrics, self.labels, self.is_breakdown, groups.shape[0])
        belongs = groups.T.tocsr()
        for documents in self.document_slices(groups.shape[0]):
            counts, means, class_means = self.additive_rows(documents)
            ones = np.ones((1, documents.stop - documents.start), dtype=np.int64)
            for sums, rows in zip(total.arrays, (counts, means.astype(np.int64), class_means, ones)):
                product = rows @ belongs[documents]
                sums += (product if isinstance(product, np.ndarray) else product.toarray()).reshape(sums.shape)
        return total

    def _count_once(self, total: Sums, weights: Weights | None) -> None:
        """Count each column of a distinct metric once per sum, if any document of the sum has it."""
        sums = total.documents.shape[-1]
        distinct = {metric.name for metric in self.metrics if metric.distinct}
        total.counts[[k for slot, k in self.slots.items() if slot.metric in distinct]] = 0
        for columns in np.array_split(self._distinct, 1 + len(self._distinct) * sums // CELLS):
            numbers = np.zeros((len(columns), sums))
            for documents in self.document_slices(sums):
                part = self._cells[documents][:, columns].T
                numbers += part @ (weights.block(documents).T.astype(float) if weights else np.ones((part.shape[1], 1)))
            counted = self._projection[columns].T @ (numbers > 0).astype(np.int64)
            total.counts[:] += np.asarray(counted).reshape(total.counts.shape)

    @property
    def total(self) -> csr_array:
        """All rows of the counts added up: int64[1, keys]."""
        from scipy.sparse import csr_array

        return csr_array(np.asarray(self._cells.sum(axis=0, dtype=np.int64)).reshape(1, -1))

    def document_slices(self, width: int = 1) -> Iterator[slice]:
        """Yield slices of the documents that are small enough for dense tables.

        Args:
            width: The number of numbers in memory for each document, in addition to its row.
        """
        step, documents = CELLS // (3 * len(self.labels) + 100 + width), self.cells.shape[0]
        step = max(1, min(step, DOCUMENTS))
        for start in range(0, documents, step):
            yield slice(start, min(start + step, documents))

    def additive_rows(self, documents: slice) -> tuple[csr_array, NDArray[Any], csr_array]:
        """Return the contributions of some documents to the counts, means and class means of
        `Sums`: whole numbers [..., documents], sparse except for the means."""
        cells = self.cells[documents]
        scores, class_means = self.document_scores(cells)
        return cells.T, additive_parts(scores), class_means

    def defined_scores(self) -> NDArray[np.int64]:
        """Return 1 where a document has a score, else 0, for all averaged overall scores: int64[scores, documents]."""
        defined = [np.isfinite(self.document_scores(self.cells[documents])[0]) for documents in self.document_slices()]
        scores = sum(len(metric.averaged) for metric in self.metrics)
        return np.concatenate([np.zeros((scores, 0), dtype=np.int64), *defined], axis=1)

    def document_scores(self, cells: csr_array) -> tuple[NDArray[Any], csr_array]:
        """Return the scores of single documents.

        Args:
            cells: Their rows, [documents, slots * (labels + 1)].

        Returns:
            All averaged overall scores of all metrics in order, float64[scores, documents]; and the contributions
            to the class means of `Sums`, int64[3 * class scores * (labels + 1), documents].
        """
        total = self.sum_labels(cells)
        overall: list[NDArray[Any]] = []
        class_values: list[tuple[NDArray[np.int64], NDArray[Any]]] = []
        for metric in self.metrics:
            if not metric.classes:
                scores = metric.formula(columns_of(metric, total, self.slots))
            else:
                labels, amounts, places = self._metric_columns(metric, cells)
                class_scores = metric.formula(columns_of(metric, amounts, places))
                weights = metric.classes.weights(self.labels, self.is_breakdown)[labels]
                scores = metric.classes.overall(class_scores, weights)
                class_values += [(labels, class_scores[score.name]) for score in metric.classes.scores]
            overall += [scores[score.name] for score in metric.averaged]
        return np.array(overall).reshape(-1, cells.shape[0]), self._class_means(class_values, cells.shape[0])

    def sum_labels(self, cells: csr_array) -> NDArray[np.int64]:
        """Return the sums of each slot over its labels, int64[slots, rows], of rows [rows, slots * (labels + 1)]."""
        rows = cells.shape[0]
        sums = np.zeros(len(self.slots) * rows, dtype=np.int64)
        row = np.repeat(np.arange(rows), np.diff(cells.indptr))
        np.add.at(sums, cells.indices // self.width * rows + row, cells.data.astype(np.int64))
        return sums.reshape(len(self.slots), rows)

    def _class_means(self, scores: Sequence[tuple[NDArray[np.int64], NDArray[Any]]], documents: int) -> csr_array:
        """Return scores of some labels [labels, documents] as whole numbers, int64[3 * scores * width, documents]."""
        from scipy.sparse import coo_array, csr_array

        if not scores:
            return csr_array((0, documents), dtype=np.int64)
        entries: list[NDArray[Any]] = [np.zeros((3, 0), dtype=np.int64)]
        for number, (labels, values) in enumerate(scores):
            for part, amounts in enumerate(additive_parts(values).reshape(3, len(labels), documents)):
                row, document = np.nonzero(amounts)
                place = (part * len(scores) + number) * self.width + labels[row]
                entries.append(np.stack([amounts[row, document].astype(np.int64), place, document]))
        data, row, document = np.concatenate(entries, axis=1)
        return coo_array((data, (row, document)), shape=(3 * len(scores) * self.width, documents)).tocsr()

    def _metric_columns(
        self, metric: Metric, cells: csr_array
    ) -> tuple[NDArray[np.int64], NDArray[Any], dict[Slot, int]]:
        """Return a metric's part of some rows, without the labels that none of them has.

        Returns:
            The indices of the labels, with that of all labels together last; the numbers, float64[slots, labels,
            documents]; and the index of each slot.
        """
        metric_slots = [slot for slot in self.slots if slot.metric == metric.name]
        first = self.slots[metric_slots[0]]  # the slots of a metric are adjacent
        block = cells[:, first * self.width : (first + len(metric_slots)) * self.width]
        label = block.indices % self.width
        labels = np.union1d(label, [self.width - 1])
        dense = np.zeros((len(metric_slots), len(labels), cells.shape[0]))
        document = np.repeat(np.arange(cells.shape[0]), np.diff(block.indptr))
        dense[block.indices // self.width, np.searchsorted(labels, label), document] = block.data
        return labels, dense, {slot: k for k, slot in enumerate(metric_slots)}

    def spans(self, *kinds: Kind) -> csr_array:
        """Return the number of spans of these kinds per document and label, int64[documents, labels + 1]."""
        from scipy.sparse import csr_array

        firsts = [self.slots[Slot("", kind.value)] for kind in kinds]
        times = np.bincount(firsts, minlength=len(self.slots))[self.cells.indices // self.width]
        selected = times > 0  # hits, which both sides have, may be given twice
        number = np.concatenate([[0], np.cumsum(selected)])  # of the selected cells before each cell
        data, label = self.cells.data * times, self.cells.indices % self.width
        cells = data[selected], label[selected], number[self.cells.indptr]
        spans = csr_array(cells, (self.cells.shape[0], self.width))
        spans.sum_duplicates()
        return spans


def _labels_per_row(metrics: Iterable[Metric], keys: Sequence[Key], by: str | None) -> dict[tuple[str, str], list[str]]:
    """Return the labels under which verdicts count that are passed once for many rows (see `Metric.per_row`).

    In a breakdown, which has other rows, they do not count.
    """
    rows: dict[tuple[str, str], list[str]] = {}
    for metric in metrics:
        for verdict, others in metric.per_row.items():
            named = {key.gold or key.pred for key in keys if key.metric == metric.name and key.verdict in others}
            rows[metric.name, verdict] = sorted(named) if by in (None, metric.name) else []
    return rows


def _indicator_matrix(rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int]) -> csr_array:
    """Return int64[shape] with the number of times that each pair of a row and a column is given; rows ascend."""
    from scipy.sparse import csr_array

    starts = np.searchsorted(rows, np.arange(shape[0] + 1))
    return csr_array((np.ones(len(columns), dtype=np.int64), columns, starts), shape)


def _cap_at_one(cells: csr_array, columns: NDArray[np.int64]) -> csr_array:
    """Return the rows with no more than 1 in some columns."""
    result = cells.copy()
    selected = np.isin(result.indices, columns)
    result.data[selected] = np.minimum(result.data[selected], 1)
    return result


def sum_counts(counts: Counts, weights: Weights | None = None, labels: Sequence[str] | None = None) -> Sums:
    """Return the sum of the counts, or a weighted sum for each row of `weights`; see `Table.sum_rows`.

    Collapsed counts are sums already. `labels` are those of the sums, by default those of the counts.
    """
    if counts.collapsed and not weights:
        return counts.collapsed.sums.extend_labels(labels or counts.collapsed.sums.labels)
    return Table(counts, labels).sum_rows(weights)


def resolve_keys(counts: Counts) -> list[Key]:
    """Return the key of each column, with final verdicts where they depend on the whole corpus."""
    keys = list(counts.keys)
    for metric in counts.metrics:
        if metric.resolve:
            columns = [k for k, key in enumerate(keys) if key.metric == metric.name]
            final = metric.resolve([keys[k].verdict for k in columns], [keys[k].note for k in columns])
            for k, verdict in zip(columns, final):
                keys[k] = keys[k]._replace(verdict=verdict)
    return keys


def columns_of(metric: Metric, counts: NDArray[Any], place: dict[Slot, int]) -> dict[str, Any]:
    """Return the value of each column of a metric, [...], from the sums of slots.

    Args:
        metric: The metric.
        counts: [slots, ...].
        place: The index of each slot along the first axis. It lacks kinds where only the
            metric's own slots are available; then `gold_spans` and `pred_spans` are missing too.
    """

    def amount(source: str) -> Any:
        if isinstance(source, Kind):
            return counts[place[Slot("", source.value)]]
        parts = [counts[place[Slot("", kind.value)]] for kind, verdict in metric.of_kind.items() if verdict == source]
        if source in metric.partial_credit:
            parts.append(
                join_amounts(np.stack([counts[place[Slot(metric.name, source, half)]] for half in (HIGH, LOW)]))
            )
        elif (slot := Slot(metric.name, source)) in place:
            parts.append(counts[place[slot]])
        return reduce(add, parts)

    columns = dict(metric.columns)
    if Slot("", Kind.HIT.value) in place:
        columns |= {"gold_spans": GOLD_SPANS, "pred_spans": PRED_SPANS}
    return {name: reduce(add, map(amount, sources)) for name, sources in columns.items()}


def additive_parts(scores: NDArray[Any]) -> NDArray[Any]:
    """Return scores float64[..., documents] as whole numbers [3 * ..., documents]: whether each is
    defined, and the two parts of its value."""
    defined = np.isfinite(scores)
    parts = np.stack([defined, *split_amounts(np.where(defined, scores, 0))])
    return parts.reshape(-1, scores.shape[-1])


def exact_product(rows: Any, weights: NDArray[Any]) -> NDArray[np.int64]:
    """Return the exact product of whole numbers [..., documents] and [documents, sums], int64[..., sums].

    Raises:
        ValueError: A number is too large for int64.
    """
    float_product = rows @ weights
    largest = max(float_product.max(initial=0), -float_product.min(initial=0))
    if largest < 1 << 53:  # as almost always: floats are exact, and faster
        rounded: NDArray[np.int64] = np.rint(float_product).astype(np.int64)
        return rounded
    if largest >= 1 << 62:
        raise ValueError(TOO_LARGE)
    integer_product: NDArray[np.int64] = rows.astype(np.int64) @ weights.astype(np.int64)
    return integer_product


def add_products(total: NDArray[np.int64], rows: Any, weights: NDArray[np.float64]) -> None:
    """Add the exact products of whole numbers [..., documents] and [documents, sums] to some sums.

    Args:
        total: int64[..., sums], which is changed.
        rows: [rows of the sums, documents], dense or sparse. Empty rows of a sparse one are skipped.
        weights: float64[documents, sums].

    Raises:
        ValueError: A number is too large for int64.
    """
    sums, used = total.reshape(rows.shape[0], total.shape[-1]), np.arange(rows.shape[0])
    if not isinstance(rows, np.ndarray):
        rows = rows.tocsr()
        used = np.flatnonzero(np.diff(rows.indptr))
        if rows.shape[0] * rows.shape[1] < SMALL:
            rows = rows.toarray()
    for selected in np.array_split(used, 1 + len(used) * sums.shape[1] // CELLS):
        block = rows[selected]
        if not isinstance(block, np.ndarray) and block.shape[0] * block.shape[1] < SPARSE * block.nnz:
            block = block.toarray()
        totals = sums[selected] + exact_product(block, weights)
        if max(totals.max(initial=0), -totals.min(initial=0)) >= 1 << 62:
            raise ValueError(TOO_LARGE)
        sums[selected] = totals


CGROUP = Path("/sys/fs/cgroup/memory.max")
"""The file with the memory limit of a container on Linux."""

TIMES = 3
"""Number of copies of the sums in memory while they are scored."""


@cache
def machine_memory() -> float:
    """Return the memory of this machine or container in bytes; infinity if it is unknown."""
    limits = [inf]
    with suppress(AttributeError, ValueError, OSError):
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(ValueError, OSError):
        limits.append(int(CGROUP.read_text(encoding="utf8")))
    return min(limits)


def check_memory(numbers: int, sums: int, labels: int, metrics: int) -> None:
    """Raise ValueError if sums need more memory than there is.

    Args:
        numbers: How many numbers a sum has.
        sums: How many sums are made: half-samples or swaps.
        labels, metrics: The labels and metrics of the counts, for the message.

    >>> check_memory(1000, 10**12, 3, 6)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: 1,000,000,000,000 resamples of 6 metrics and 3 labels take about 22,351,741.8 GiB of memory, and ...
    """
    need, available = 8.0 * TIMES * numbers * sums, machine_memory()
    if need > available:
        raise ValueError(
            f"{sums:,} resamples of {metrics} metrics and {labels:,} labels take about {need / 2**30:,.1f} GiB of "
            f"memory, and there are {available / 2**30:,.1f} GiB: use at most {int(available / need * sums):,} of them "
            f"({spell_argument('samples')}, {spell_argument('trials')} or {spell_argument('replicates')}), or fewer "
            "metrics"
        )
