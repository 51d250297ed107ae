"""The keys of the columns, and sums of rows. All scores are computed from sums.

Fractional amounts become two whole numbers. Stored half-samples are sums too, and so are collapsed counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import Kind, Metric
from ..core.messages import spell_argument

NUMBER, HIGH, LOW = "", "high", "low"
"""The quantities of a verdict: its number, and with partial credit the sum of its amounts, as
two whole numbers."""

HIGH_UNIT, LOW_UNIT = 2.0**30, 2.0**60

LARGEST = 4e9
"""Maximum sum of amounts or scores: twice the sum, times `HIGH_UNIT`, fits 63 bits."""


class Key(NamedTuple):
    """The meaning of a column.

    metric: the metric that passed the verdict; "" for a `Kind` of span, which all metrics share.
    verdict: the verdict, or the kind. gold, pred: the labels; "" for no span.
    quantity: NUMBER, or HIGH or LOW for the sum of amounts that are not whole numbers.
    note: the metric's note on the verdict.
    """

    metric: str
    verdict: str
    gold: str
    pred: str
    quantity: str = NUMBER
    note: str = ""


def split_amounts(amount: NDArray[Any]) -> NDArray[Any]:
    """Return amounts as two whole numbers each, in units of 2^-30 and 2^-60: float64[2, ...].

    >>> join_amounts(split_amounts(np.array([0.1, 2 / 3]))).tolist()
    [0.1, 0.6666666666666666]
    """
    high = np.floor(np.asarray(amount) * HIGH_UNIT)
    return np.stack([high, np.rint((amount - high / HIGH_UNIT) * LOW_UNIT)])


def join_amounts(parts: NDArray[Any]) -> NDArray[Any]:
    """Return the amounts from their high and low parts, [2, ...]."""
    amounts: NDArray[Any] = parts[0] / HIGH_UNIT + parts[1] / LOW_UNIT
    return amounts


class Slot(NamedTuple):
    """A key without its labels and note: the metric ("" for kinds), the verdict, the quantity."""

    metric: str
    verdict: str
    quantity: str = NUMBER


def slots(metrics: Iterable[Metric]) -> dict[Slot, int]:
    """Return every slot of some metrics, with its index in `Sums.counts`."""
    result = [Slot("", kind.value) for kind in Kind]
    for metric in metrics:
        for verdict in judge_verdicts(metric):
            quantities = (NUMBER, HIGH, LOW) if verdict in metric.partial_credit else (NUMBER,)
            result += [Slot(metric.name, verdict, quantity) for quantity in quantities]
    return {slot: k for k, slot in enumerate(result)}


def judge_verdicts(metric: Metric) -> tuple[str, ...]:
    """Return the verdicts that a metric's judge may pass; none if it has no judge."""
    return metric.verdict_names if metric.judge else ()


TOO_LARGE = f"amounts or scores add up to more than {LARGEST:.0e}, too much to be exact: use smaller weights"


class Sums(NamedTuple):
    """Sums of documents' rows, as whole numbers. The last axis of each array has the sums: one
    of the whole corpus, or one of each half-sample, swap or document.

    Besides counts, averages over documents are additive: for each score the number of
    documents where it is defined, and the two parts of the sum of its values there.

    metrics, labels: the metrics and labels that were counted.
    is_breakdown: whether the labels are the buckets of a breakdown.
    counts: int64[slots, labels + 1, sums], see `slots`; the last label is for no label.
    means: int64[3, scores, sums]: number, high and low part of each overall score of each metric.
    class_means: int64[3, class scores, labels + 1, sums]: the same for scores of classes.
    documents: int64[sums], how many documents were added up.
    """

    metrics: tuple[Metric, ...]
    labels: tuple[str, ...]
    is_breakdown: bool
    counts: NDArray[np.int64]
    means: NDArray[np.int64]
    class_means: NDArray[np.int64]
    documents: NDArray[np.int64]

    @property
    def arrays(self) -> tuple[NDArray[np.int64], ...]:
        """The additive arrays: `counts`, `means`, `class_means` and `documents`."""
        return self[3:]

    def __add__(self, other: Sums) -> Sums:  # type: ignore[override]  # tuples are concatenated
        """Add the arrays elementwise, for the union of the labels; labels that are the same keep their order."""
        labels = self.labels if self.labels == other.labels else tuple(sorted({*self.labels, *other.labels}))
        a, b = self.extend_labels(labels), other.extend_labels(labels)
        return a._replace_arrays(x + y for x, y in zip(a.arrays, b.arrays))

    def __sub__(self, other: Sums) -> Sums:
        """Subtract the arrays elementwise; both must have the same labels."""
        return self._replace_arrays(x - y for x, y in zip(self.arrays, other.arrays))

    def spans(self, kinds: Iterable[Kind]) -> NDArray[np.int64]:
        """Return the number of spans of these kinds per label, int64[labels + 1, sums]; the last label has 0."""
        place = slots(())  # kinds are the first of all slots
        result: NDArray[np.int64] = sum(self.counts[place[Slot("", kind.value)]] for kind in kinds)
        return result

    def of(self, metrics: Sequence[Metric]) -> Sums:
        """Return the sums of some of the metrics only."""
        place, chosen = slots(self.metrics), [metric.name for metric in metrics]
        of_means = [metric.name for metric in self.metrics for _ in metric.averaged]
        of_class_means = [metric.name for metric in self.metrics if metric.classes for _ in metric.classes.scores]

        def rows(owners: list[str]) -> list[int]:
            return [k for name in chosen for k, owner in enumerate(owners) if owner == name]

        return self._replace(
            metrics=tuple(metrics),
            counts=self.counts[[place[slot] for slot in slots(metrics)]],
            means=self.means[:, rows(of_means)],
            class_means=self.class_means[:, rows(of_class_means)],
        )

    def parts(self, cells: int) -> Iterator[Sums]:
        """Yield the sums in parts of about so many numbers.

        A part has two sums or more, if there are as many: NumPy adds up the labels of a single one in another order.
        """
        number = self.documents.shape[-1]
        parts = min(1 + sum(array.size for array in self.arrays) // cells, max(1, number // 2))
        yield from map(self._replace_arrays, zip(*(np.array_split(array, parts, axis=-1) for array in self.arrays)))

    def extend_labels(self, labels: Sequence[str]) -> Sums:
        """Return the same sums with further labels with counts of 0."""
        if tuple(labels) == self.labels:
            return self
        index = {label: k for k, label in enumerate(labels)}
        place = [*(index[label] for label in self.labels), len(labels)]
        counts, means, class_means, documents = self.arrays
        wide = []
        for array in (counts, class_means):
            wide.append(np.zeros((*array.shape[:-2], len(labels) + 1, array.shape[-1]), dtype=np.int64))
            wide[-1][..., place, :] = array
        return self._replace(labels=tuple(labels))._replace_arrays([wide[0], means, wide[1], documents])

    def _replace_arrays(self, arrays: Iterable[NDArray[Any]]) -> Sums:
        return Sums(self.metrics, self.labels, self.is_breakdown, *arrays)


def empty_sums(metrics: tuple[Metric, ...], labels: tuple[str, ...], is_breakdown: bool, size: int) -> Sums:
    """Return `size` sums that are 0, for these metrics and labels (buckets, if `is_breakdown`)."""
    scores = sum(len(metric.averaged) for metric in metrics)
    classes = sum(len(metric.classes.scores) for metric in metrics if metric.classes)
    shapes = (len(slots(metrics)), len(labels) + 1), (3, scores), (3, classes, len(labels) + 1), ()
    return Sums(metrics, labels, is_breakdown, *(np.zeros((*shape, size), dtype=np.int64) for shape in shapes))


LARGEST_SUM = 1 << 62
"""Sums stay below this, so that two of them can be added."""

DIGITS = 32
"""Number of hexadecimal digits kept of a shard's digest, since there may be very many shards."""


class Replicates(NamedTuple):
    """Stored half-samples: the sums of the units with random bit 1, a row per sample."""

    samples: int
    seed: int
    sums: Sums

    @property
    def settings(self) -> tuple[int, int]:
        """The number of half-samples and the seed; half-samples for which these are equal can be added up."""
        return self.samples, self.seed


def replicate_differences(a: Replicates | None, b: Replicates | None, metrics: Iterable[Metric]) -> Iterator[str]:
    """Yield the reasons, as messages, why the half-samples of two counts of these metrics cannot be added."""
    if a and (names := [metric.name for metric in metrics if metric.resolve or metric.distinct or metric.per_row]):
        yield (
            f"{names[0]} depends on the corpus as a whole, so its half-samples do not add up: "
            f"count without {spell_argument('replicates')}, or without {names[0]}"
        )
    settings = [replicates and replicates.settings for replicates in (a, b)]
    if settings[0] != settings[1]:
        described = ["no half-samples" if d is None else f"{d[0]} half-samples with seed {d[1]}" for d in settings]
        yield f"one has {described[0]}, the other {described[1]}"


GOLD_SUMS = 1 << 53
"""Sums of checksums of gold spans are taken modulo this number, so that every reader of JSON has them exactly."""


class Collapsed(NamedTuple):
    """The additive numbers that replace the documents of collapsed counts.

    sums: the sums of all documents, one sum.
    units: the number of units, if the documents of each unit are adjacent.
    squares: int64[labels + 2], sums over these units of the squared number of spans, of each label
        and of all labels, and last of the squared number of documents.
    pipeline: a digest of the pipeline that predicted; "" if it is unknown, or there were several.
    gold_sum: the sum of checksums of the documents' units and gold spans, below `GOLD_SUMS`; None if it is unknown.
    """

    sums: Sums
    units: int
    squares: NDArray[np.int64]
    pipeline: str = ""
    gold_sum: int | None = None

    def __add__(self, other: Collapsed) -> Collapsed:  # type: ignore[override]  # tuples are concatenated
        """Add the numbers of both.

        Raises:
            ValueError: The sums are too large to be exact.
        """
        sums = validate_sums(self.sums + other.sums)
        squares = self.extend_labels(sums.labels).squares + other.extend_labels(sums.labels).squares
        pipeline = self.pipeline if self.pipeline == other.pipeline else ""
        known = self.gold_sum is not None and other.gold_sum is not None
        gold_sum = ((self.gold_sum or 0) + (other.gold_sum or 0)) % GOLD_SUMS if known else None
        return Collapsed(sums, self.units + other.units, squares, pipeline, gold_sum)

    def extend_labels(self, labels: tuple[str, ...]) -> Collapsed:
        """Return the same numbers with further labels, which have 0."""
        squares = np.zeros(len(labels) + 2, dtype=np.int64)
        squares[[*map(labels.index, self.sums.labels), -2, -1]] = self.squares
        return self._replace(sums=self.sums.extend_labels(labels), squares=squares)


def validate_sums(sums: Sums) -> Sums:
    """Return the sums. Raise ValueError if one is too large to be added to others."""
    if any(max(array.max(initial=0), -array.min(initial=0)) >= LARGEST_SUM for array in sums.arrays):
        raise ValueError(TOO_LARGE)
    return sums
