"""The variance of scores: over the units of a corpus, by leaving each out, and over training runs.

The influence of a unit is the change of a score when the unit is excluded. Most labels are rare, so a unit moves few
scores. Functions here take only these, as entries: the index of the score, and its value without the unit.

Training again with another seed changes a score, and so does another choice of documents. `run_errors` adds up both
variances. The noise of a single run on the documents is in both of them, so the sum is conservative.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .bounds import TINY, VarianceScale

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


class Influences(NamedTuple):
    """The variance of scores over units, from leaving each unit out; arrays [scores].

    Attributes:
        variance: The variance of each score, in the squared unit of the values.
        bearers: The number of units that account for this variance: n where influences are normal, 1 or 2 where
            one unit accounts for nearly all of it; infinite without variance.
        lone: Whether a score is undefined without some unit, so that it rests on this unit alone.
            Then the variance is 0, and `bearers` is that of the other units.
    """

    variance: Floats
    bearers: Floats
    lone: NDArray[np.bool_]


def influences(values: ArrayLike, row: ArrayLike, left_out: ArrayLike, units: int) -> Influences:
    """Return the variance of scores from their values without each unit.

    Args:
        values: The scores, float[scores]. Those that are not finite have no variance.
        row: The index of the score of each entry, int[entries].
        left_out: The score without the unit of each entry, float[entries]; NaN where undefined. Units
            without an entry do not change the score.
        units: The number of all units, those without entries too.

    Returns:
        Variance, bearers and lone units, the same to the last digit if the entries are in the same order.

    Example:
        >>> f_score = influences([0.5], [0, 0, 0, 0], [0.4, 0.6, 0.45, 0.55], 4)
        >>> round(float(f_score.variance[0]), 6), round(float(f_score.bearers[0]), 3)
        (0.01875, 22.222)

    Source: B. Efron and C. Stein (1981), The jackknife estimate of variance; the number of bearers is that of
    F. E. Satterthwaite (1946) for the kurtosis of the influences.
    """
    theta, place, left = np.asarray(values, dtype=float), np.asarray(row), np.asarray(left_out, dtype=float)
    lone = np.bincount(place, ~np.isfinite(left), len(theta)) > 0
    second, fourth = _central_sums(theta, place, left, units, (2, 4))
    variance = second / max(units * (units - 1), 1)
    varies = variance >= TINY**2
    bearers = np.where(varies, count_bearers(second, fourth, units), np.inf)
    return Influences(np.where(varies & ~lone, variance, 0.0), bearers, lone)


def skewness(values: ArrayLike, row: ArrayLike, left_out: ArrayLike, units: int) -> Floats:
    """Return the skewness of the influences of units on some scores, 0 where nothing varies.

    Args:
        values, row, left_out, units: As for `influences`.

    Example:
        >>> skewness([0.5], [0, 0, 0, 0], [0.4, 0.6, 0.45, 0.55], 4).round(6).tolist()
        [0.0]
        >>> skewness([0.5], [0], [0.4], 4).round(6).tolist()  # three units change nothing
        [1.154701]
    """
    theta, place, left = np.asarray(values, dtype=float), np.asarray(row), np.asarray(left_out, dtype=float)
    second, third = _central_sums(theta, place, left, units, (2, 3))
    varies = second > TINY**2
    return np.where(varies, third / max(units, 1) / (np.where(varies, second, 1) / max(units, 1)) ** 1.5, 0.0)


def _central_sums(theta: Floats, place: Places, left: Floats, units: int, powers: tuple[int, ...]) -> list[Floats]:
    """Return the sums of some powers of the influences about their mean, float64[scores] each."""
    number = len(theta)
    moved = (units - 1) * np.where(np.isfinite(left), theta[place] - left, 0.0)
    centre = np.bincount(place, moved, number) / max(units, 1)
    still = units - np.bincount(place, minlength=number)
    away = moved - centre[place]
    return [np.bincount(place, away**power, number) + still * (-centre) ** power for power in powers]


def count_bearers(second: ArrayLike, fourth: ArrayLike, units: int) -> Any:
    """Return how many units account for a variance, from the sums of the squared influences and of their fourth powers.

    >>> round(float(count_bearers(4, 4, 4)), 3), round(float(count_bearers(1, 1, 1000)), 3)
    (inf, 2.002)
    """
    squares = np.asarray(second, dtype=float)
    share = np.where(squares > 0, np.asarray(fourth) / np.where(squares > 0, squares, 1) ** 2, 0) - 1 / max(units, 1)
    return np.where(share > TINY, 2 / np.where(share > TINY, share, 1), np.inf)


def count_mixed_units(
    values: ArrayLike, row: ArrayLike, left_out: ArrayLike, alone: ArrayLike, scale: VarianceScale
) -> Floats:
    """Return the number of units with an error, or of those with a hit, whichever is less.

    Args:
        values, row, left_out: As for `influences`, on the scale.
        alone: The score of the unit of each entry alone, NaN where undefined.
        scale: The scale, with the limits of each score. For a score with two limits, 0 is all wrong and 1 all right;
            for others, 0 is all right. A unit that has no score alone but changes the score has an error, such as a
            spurious span where the rate is per gold span. For a cost without upper limit, the units with an error are
            counted. For other scores with one limit, a unit has no hit at 1/2 or more.

    Returns:
        float[scores].

    Example:
        >>> from spacy_nereval.evaluation.bounds import variance_scale
        >>> count_mixed_units([0.9], [0, 0, 0], [0.9, 0.9, 1.0], [1.0, 1.0, 0.5], variance_scale((0, 1), (1,))).tolist()
        [1.0]
    """
    theta, place = np.asarray(values), np.asarray(row)
    scale_of_entries = VarianceScale(*(limits[place] for limits in scale))
    sides = find_errors_and_hits(theta[place], np.asarray(left_out), np.asarray(alone), scale_of_entries)
    return np.minimum(*(np.bincount(place, side, len(theta)) for side in sides))


def find_errors_and_hits(values: Floats, left_out: Floats, alone: Floats, scale: VarianceScale) -> tuple[Any, Any]:
    """Return whether each unit has an error, and whether it has a hit, as `count_mixed_units` counts them.

    All arrays have one element per entry.
    """
    with np.errstate(invalid="ignore"):
        moving = ~np.isfinite(alone) & (np.abs(left_out - values) > TINY)
        error = np.where(scale.bounded, alone < 1 - TINY, (alone > TINY) | moving)
        return error, np.where(scale.bounded, alone > TINY, scale.is_cost | (alone < 0.5 - TINY))


def most_influential(left_out: ArrayLike) -> tuple[list[int], float]:
    """Return the fewest units that account for at least half of the variance of one score, and their share of it.

    Args:
        left_out: The score without each unit, all units in order, float[units].

    Returns:
        The indices of the units, the most influential first; and their share, 0 to 1.

    Example:
        >>> units, share = most_influential([0.5, 0.5, 0.2, 0.6, 0.5, 0.5])
        >>> units, round(share, 2)
        ([2], 0.76)
    """
    left = np.asarray(left_out, dtype=float)
    squares = (left - left.mean()) ** 2
    order: Any = np.argsort(-squares, kind="stable")
    held = np.cumsum(squares[order]) / squares.sum()
    number = int(np.searchsorted(held, 0.5)) + 1
    return order[:number].tolist(), float(held[number - 1])


FEW_RUNS = 5
"""With fewer training runs of a system than this, "few runs" is printed."""


class RunErrors(NamedTuple):
    """Differences of the mean scores of two systems' runs; arrays of the shape of the scores, NaN for none.

    Attributes:
        difference: Mean of the second system's runs minus mean of the first's.
        error: Standard error √V, in the unit of the scores.
        freedom: Degrees of freedom of V.
        share: Share of the retraining variance in V, 0 to 1.
    """

    difference: Floats
    error: Floats
    freedom: Floats
    share: Floats


def run_errors(first: ArrayLike, second: ArrayLike, documents: ArrayLike, freedom: ArrayLike) -> RunErrors:
    """Return the standard error of the difference of two systems' mean scores over documents and training runs.

    `differences.t_test` computes tests and intervals from it.

    Args:
        first: Scores of the first system's runs, float[runs, ...].
        second: Scores of the second system's runs, float[runs, ...]. One of the two may
            have one run: it gets the other's variance between runs.
        documents: The variance of the difference of the means from the choice of documents, float[...].
        freedom: Its degrees of freedom, float[...] or one for all; less than 1 counts as 1.

    Returns:
        Differences and their errors. NaN where a score of some run or the variance is undefined, or nothing varies.

    Raises:
        ValueError: Shapes do not agree, or neither system has two runs (use the swap test then).

    Example:
        >>> errors = run_errors([0.81, 0.84, 0.79], [0.86, 0.85, 0.88], 0.014**2, 179)
        >>> [round(float(number), 4) for number in errors]
        [0.05, 0.022, 9.2119, 0.5958]

    Source: min F′, H. H. Clark (1973); degrees of freedom, F. E. Satterthwaite (1946).
    """
    a, b, variance = (np.asarray(values, dtype=float) for values in (first, second, documents))
    _check_shapes(a, b, variance)
    difference = mean_of_runs(b) - mean_of_runs(a)
    training, training_parts = _training_variance(a, b)
    parts = variance**2 / np.maximum(np.asarray(freedom, dtype=float), 1) + training_parts
    variance = np.where(np.isfinite(difference) & (parts > 0), variance + training, np.nan)
    return RunErrors(
        np.where(np.isfinite(variance), difference, np.nan), np.sqrt(variance), variance**2 / parts, training / variance
    )


def _check_shapes(a: Floats, b: Floats, variance: Floats) -> None:
    if min(a.ndim, b.ndim) < 1 or not a.shape[1:] == b.shape[1:] == variance.shape:
        raise ValueError(
            f"scores of runs must agree after their first axis with the variance, "
            f"not {list(a.shape)}, {list(b.shape)} and {list(variance.shape)}"
        )
    if min(len(a), len(b)) < 1:
        raise ValueError("a system has no run")
    if max(len(a), len(b)) < 2:
        raise ValueError("both systems have one run: their difference is tested by swaps, see `swap_test`")


def mean_of_runs(runs: ArrayLike) -> Floats:
    """Return the mean over training runs, the same to the last digit in any order of the runs.

    Args:
        runs: One or more, float[runs, ...].

    Returns:
        float[...].

    Example:
        >>> mean_of_runs([[0.1, 1], [0.2, 3], [0.3, 2]]).round(12).tolist()
        [0.2, 2.0]
    """
    values = np.asarray(runs, dtype=float)
    mean: Floats = values[0] if len(values) == 1 else np.sort(values, axis=0).mean(axis=0)
    return mean


def _run_variance(runs: Floats) -> Floats:
    variance: Floats = np.sort(runs, axis=0).var(axis=0, ddof=1)
    return variance


def _training_variance(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the retraining variance of the difference, and its part in Satterthwaite's sum."""
    if min(len(a), len(b)) == 1:
        several = a if len(a) > 1 else b
        variance = _run_variance(several) * (1 / len(a) + 1 / len(b))
        return variance, variance**2 / (len(several) - 1)
    parts = [(_run_variance(runs) / len(runs), len(runs) - 1) for runs in (a, b)]
    return parts[0][0] + parts[1][0], sum((v**2 / freedom for v, freedom in parts), np.zeros(()))
