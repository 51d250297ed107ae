"""Sums: rows of the table added up. All scores are computed from sums."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import Kind, Metric
from .keys import LARGEST, Slot, slots

TOO_LARGE = f"amounts or scores add up to more than {LARGEST:.0e}, too much to be exact: use smaller weights"


class Sums(NamedTuple):
    """Sums of documents' rows, as whole numbers. The last axis of each array has the sums: one
    of the whole corpus, or one of each half-sample, swap or document.

    Besides counts, averages over documents are additive: for each score the number of
    documents where it is defined, and the two parts of the sum of its values there.

    metrics, labels: what was counted, labels sorted.
    is_breakdown: whether the labels are the buckets of a breakdown.
    counts: int64[slots, labels + 1, sums], see `keys.slots`; the last label is for no label.
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
        """What adds up: `counts`, `means`, `class_means` and `documents`."""
        return self[3:]

    def __add__(self, other: Sums) -> Sums:  # type: ignore[override]  # a tuple would be made longer
        """Return the sums of both, sum by sum, for the labels of both."""
        labels = tuple(sorted({*self.labels, *other.labels}))
        a, b = self.with_labels(labels), other.with_labels(labels)
        return a._with(x + y for x, y in zip(a.arrays, b.arrays))

    def __sub__(self, other: Sums) -> Sums:
        """Return the differences, sum by sum; both must have the same labels."""
        return self._with(x - y for x, y in zip(self.arrays, other.arrays))

    @staticmethod
    def joined(*sums: Sums) -> Sums:
        """Return the sums of several, one after the other; all must have the same labels."""
        return sums[0]._with(np.concatenate(arrays, axis=-1) for arrays in zip(*(each.arrays for each in sums)))

    def spans(self, kinds: Iterable[Kind]) -> NDArray[np.int64]:
        """Return int64[labels + 1, sums]: how many spans of these kinds there are of each label; the last is 0."""
        place = slots(self.metrics)
        found: NDArray[np.int64] = sum(self.counts[place[Slot("", kind.value)]] for kind in kinds)
        return found

    def with_labels(self, labels: Sequence[str]) -> Sums:
        """Return the same sums with further labels, whose counts are 0."""
        if tuple(labels) == self.labels:
            return self
        place = [*map(list(labels).index, self.labels), len(labels)]
        counts, means, class_means, documents = self.arrays
        wide = []
        for array in (counts, class_means):
            wide.append(np.zeros((*array.shape[:-2], len(labels) + 1, array.shape[-1]), dtype=np.int64))
            wide[-1][..., place, :] = array
        return self._replace(labels=tuple(labels))._with([wide[0], means, wide[1], documents])

    def _with(self, arrays: Iterable[NDArray[Any]]) -> Sums:
        return Sums(self.metrics, self.labels, self.is_breakdown, *arrays)


def empty_sums(metrics: tuple[Metric, ...], labels: tuple[str, ...], is_breakdown: bool, size: int) -> Sums:
    """Return `size` sums of nothing, for these metrics and labels (buckets, if `is_breakdown`)."""
    scores = sum(len(metric.averaged) for metric in metrics)
    classes = sum(len(metric.classes.scores) for metric in metrics if metric.classes)
    shapes = (len(slots(metrics)), len(labels) + 1), (3, scores), (3, classes, len(labels) + 1), ()
    return Sums(metrics, labels, is_breakdown, *(np.zeros((*shape, size), dtype=np.int64) for shape in shapes))
