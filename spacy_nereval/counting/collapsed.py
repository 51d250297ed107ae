"""Half-samples that are stored with counts, and what replaces the documents in collapsed counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import Metric
from ..core.messages import named
from .sums import TOO_LARGE, Sums

LARGEST_SUM = 1 << 62
"""Sums stay below this, so that two of them can be added."""

DIGITS = 32
"""Number of hexadecimal digits kept of a shard's digest, since there may be very many shards."""


class Replicates(NamedTuple):
    """Stored half-samples: the sums of the units whose random bit is 1, a row per sample."""

    samples: int
    seed: int
    sums: Sums

    @property
    def drawn(self) -> tuple[int, int]:
        """The number of half-samples and the seed; half-samples for which these are equal can be added up."""
        return self.samples, self.seed


def replicate_differences(a: Replicates | None, b: Replicates | None, metrics: Iterable[Metric]) -> Iterator[str]:
    """Yield why the half-samples of two counts of some metrics cannot be added, in words."""
    if a and (whole := [metric.name for metric in metrics if metric.resolve or metric.distinct]):
        yield (
            f"{whole[0]} depends on the corpus as a whole, so its half-samples do not add up: "
            f"count without {named('replicates')}, or without {whole[0]}"
        )
    drawn = [each and each.drawn for each in (a, b)]
    if drawn[0] != drawn[1]:
        described = ["no half-samples" if d is None else f"{d[0]} half-samples with seed {d[1]}" for d in drawn]
        yield f"one has {described[0]}, the other {described[1]}"


class Collapsed(NamedTuple):
    """What collapsed counts keep in place of documents, besides half-samples; all of it adds up.

    sums: the sums of all documents, one sum.
    units: how many units there are if the documents of a unit follow each other.
    squares: int64[labels + 2], the squared numbers of spans of these units added up, of each label
        and of all labels, and last their squared numbers of documents.
    pipeline: a digest of the pipeline that predicted; "" if it is not known, or there were several.
    """

    sums: Sums
    units: int
    squares: NDArray[np.int64]
    pipeline: str = ""

    def __add__(self, other: Collapsed) -> Collapsed:  # type: ignore[override]  # a tuple would be made longer
        """Return both together.

        Raises:
            ValueError: The sums are too large to be exact.
        """
        sums = checked(self.sums + other.sums)
        squares = self.with_labels(sums.labels).squares + other.with_labels(sums.labels).squares
        pipeline = self.pipeline if self.pipeline == other.pipeline else ""
        return Collapsed(sums, self.units + other.units, squares, pipeline)

    def with_labels(self, labels: tuple[str, ...]) -> Collapsed:
        """Return the same with further labels."""
        squares = np.zeros(len(labels) + 2, dtype=np.int64)
        squares[[*map(labels.index, self.sums.labels), -2, -1]] = self.squares
        return self._replace(sums=self.sums.with_labels(labels), squares=squares)


def checked(sums: Sums) -> Sums:
    """Return the sums themselves. Raise ValueError if one is too large to be added to others."""
    if any(max(array.max(initial=0), -array.min(initial=0)) >= LARGEST_SUM for array in sums.arrays):
        raise ValueError(TOO_LARGE)
    return sums
