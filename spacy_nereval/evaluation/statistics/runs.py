"""The difference of two systems that were trained several times.

Training again with another seed changes the score, and so does another choice of
documents. One standard error covers both sources of chance here. The noise of a single
run on the documents counts in both of them, which errs on the safe side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

FEW_RUNS = 5
"""With fewer runs of a system than this, "few runs" is printed."""


class RunErrors(NamedTuple):
    """Differences of the mean scores of two systems' runs; arrays of the shape of the scores, NaN for none.

    Attributes:
        difference: Mean of the second system's runs minus mean of the first's.
        error: Standard error √V, in the unit of the scores.
        freedom: Degrees of freedom of V.
        share: Share of training in V, 0 to 1.
    """

    difference: Floats
    error: Floats
    freedom: Floats
    share: Floats


def run_errors(first: ArrayLike, second: ArrayLike, documents: ArrayLike, freedom: ArrayLike) -> RunErrors:
    """Return the standard error of the difference of two systems' mean scores over documents and training runs.

    `differences.t_test` makes tests and intervals of it.

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
        >>> found = run_errors([0.81, 0.84, 0.79], [0.86, 0.85, 0.88], 0.014**2, 179)
        >>> [round(float(number), 4) for number in found]
        [0.05, 0.022, 9.2119, 0.5958]

    Source: min F′, H. H. Clark (1973); degrees of freedom, F. E. Satterthwaite (1946).
    """
    a, b, variance = (np.asarray(given, dtype=float) for given in (first, second, documents))
    _check_shapes(a, b, variance)
    difference = mean_of_runs(b) - mean_of_runs(a)
    training, training_parts = _training(a, b)
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
