"""The difference of two systems that were trained several times.

Training again with another seed changes the score, and so does another choice of
documents. One standard error covers both sources of chance here. The noise of a single
run on the documents counts in both of them, which errs on the safe side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .intervals import spread
from .levels import check_level

Floats = NDArray[np.float64]

FEW_RUNS = 5
"""With fewer runs of a system than this, "few runs" is printed."""


class RunDifferences(NamedTuple):
    """Differences of the mean scores of two systems' runs; arrays of the shape of the scores, NaN for none.

    Attributes:
        difference: Mean of the second system's runs minus mean of the first's.
        error: Standard error √V, in the unit of the scores.
        freedom: Degrees of freedom of V.
        p: Two-sided p-values.
        low: Lower bounds of the differences.
        high: Upper bounds.
        share: Share of training in V, 0 to 1.
        few_runs: Whether a system has fewer than five runs.
    """

    difference: Floats
    error: Floats
    freedom: Floats
    p: Floats
    low: Floats
    high: Floats
    share: Floats
    few_runs: bool


def run_test(
    first: ArrayLike, second: ArrayLike, samples: ArrayLike, units: ArrayLike, *, level: float = 0.95
) -> RunDifferences:
    """Test the difference of two systems' mean scores over documents and training runs.

    Args:
        first: Scores of the first system's runs, float[runs, ...].
        second: Scores of the second system's runs, float[runs, ...]. One of the two may
            have one run: it gets the other's variance between runs.
        samples: The difference of the means over runs in each half-sample, the same
            half-samples for all runs; float[samples, ...].
        units: Effective number of units, float[...] or one for all.
        level: Confidence level, between 0 and 1.

    Returns:
        Differences, p-values and intervals. NaN where a score of some run is undefined,
        over half of the half-samples are, or nothing varies at all.

    Raises:
        ValueError: Shapes do not agree, neither system has two runs (use the swap test
            then), or the level is not between 0 and 1.

    Example:
        >>> samples = np.linspace(-0.020507, 0.020507, 101)  # their spread is .014
        >>> found = run_test([0.81, 0.84, 0.79], [0.86, 0.85, 0.88], samples, 180)
        >>> round(float(found.difference), 4), round(float(found.p), 4), round(float(found.share), 3)
        (0.05, 0.0487, 0.596)

    Source: min F′, H. H. Clark (1973); degrees of freedom, F. E. Satterthwaite (1946).
    """
    from scipy.special import stdtr, stdtrit  # Takes a third of a second, and many commands do not need it.

    a, b, drawn = (np.asarray(given, dtype=float) for given in (first, second, samples))
    _check_shapes(a, b, drawn)
    check_level(level)
    difference = mean_of_runs(b) - mean_of_runs(a)
    undefined = ~np.isfinite(difference) | (2 * (~np.isfinite(drawn)).sum(axis=0) > len(drawn))
    documents = np.asarray(spread(drawn)) ** 2
    training, training_parts = _training(a, b)
    variance = documents + training
    parts = documents**2 / np.maximum(np.asarray(units, dtype=float) - 1, 1) + training_parts
    undefined = undefined | ~(parts > 0)
    variance, parts = np.where(undefined, 1.0, variance), np.where(undefined, 1.0, parts)
    freedom, error = variance**2 / parts, np.sqrt(variance)
    reach = stdtrit(freedom, (1 + level) / 2) * error
    p = 2 * stdtr(freedom, -np.abs(difference) / error)
    values = (difference, error, freedom, p, difference - reach, difference + reach, training / variance)
    difference, error, freedom, p, low, high, share = (np.where(undefined, np.nan, value) for value in values)
    return RunDifferences(difference, error, freedom, p, low, high, share, min(len(a), len(b)) < FEW_RUNS)


def _check_shapes(a: Floats, b: Floats, drawn: Floats) -> None:
    shape = a.shape[1:]
    if min(a.ndim, b.ndim, drawn.ndim) < 1 or b.shape[1:] != shape or drawn.shape[1:] != shape or not len(drawn):
        raise ValueError(
            f"scores of runs and half-samples must agree after their first axis, "
            f"not {list(a.shape)}, {list(b.shape)} and {list(drawn.shape)}"
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
    given = np.asarray(runs, dtype=float)
    mean: Floats = given[0] if len(given) == 1 else np.sort(given, axis=0).mean(axis=0)
    return mean


def _variance(runs: Floats) -> Floats:
    variance: Floats = np.sort(runs, axis=0).var(axis=0, ddof=1)
    return variance


def _training(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the variance of the difference from training, and its part in Satterthwaite's sum."""
    if min(len(a), len(b)) == 1:
        several = a if len(a) > 1 else b
        variance = _variance(several) * (1 / len(a) + 1 / len(b))
        return variance, variance**2 / (len(several) - 1)
    each = [(_variance(runs) / len(runs), len(runs) - 1) for runs in (a, b)]
    return each[0][0] + each[1][0], sum((v**2 / freedom for v, freedom in each), np.zeros(()))
