"""Many tests at once: Holm's correction within families of tests, and in how many data sets a system is better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.arguments import LEVEL, check_value

Floats = NDArray[np.float64]

PRIMARY = "primary"
"""The family of the primary score: a test per system."""

SECONDARY = "secondary"
"""One headline score per further metric, and system."""

LABELS = "labels"
"""The primary score per label, and system."""

UNTESTED = ""
"""The rest: an interval, no p."""


class Adjusted(NamedTuple):
    """P-values corrected within their families; one entry per test.

    Attributes:
        p: Holm's p-values, NaN for none.
        sizes: F, the number of tests in the family of each; 0 where untested.
    """

    p: Floats
    sizes: NDArray[np.intp]


def holm(p_values: ArrayLike) -> Floats:
    """Correct p-values for their number, so that even one false alarm among them stays rare.

    Args:
        p_values: float[tests]; NaN stays NaN and is not counted.

    Returns:
        float[tests], in the order given.

    Raises:
        ValueError: A p-value is not between 0 and 1, or there is more than one axis.

    Example:
        >>> holm([0.03, 0.004, 0.6, 0.012]).round(3).tolist()
        [0.06, 0.016, 0.6, 0.036]

    Source: S. Holm (1979).
    """
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1:
        raise ValueError(f"the correction needs a list of p-values, not an array of {p.ndim} axes")
    if ((p < 0) | (p > 1)).any():
        raise ValueError("p-values lie between 0 and 1")
    adjusted = np.full(len(p), np.nan)
    order = np.argsort(p, kind="stable")[: np.isfinite(p).sum()]  # NaN comes last.
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p[order]), 1.0)
    return adjusted


def holm_by_family(p_values: ArrayLike, families: Sequence[str]) -> Adjusted:
    """Correct p-values for the number of tests in their own family.

    Args:
        p_values: float[tests]; NaN stays NaN and is not counted.
        families: The family of each test; "" for an untested score, which gets NaN.

    Returns:
        The corrected p-values and the sizes of their families.

    Raises:
        ValueError: There is not one family per p-value, or a p-value is not between 0 and 1.

    Example:
        >>> found = holm_by_family([0.04, 0.01, 0.03, 0.5], ["primary", "labels", "labels", ""])
        >>> found.p.tolist(), found.sizes.tolist()
        ([0.04, 0.02, 0.03, nan], [1, 2, 2, 0])
    """
    p = np.asarray(p_values, dtype=float)
    if p.shape != (len(families),):
        raise ValueError(f"{len(families)} families for p-values of shape {list(p.shape)}: give one per p-value")
    adjusted, sizes = np.full(len(p), np.nan), np.zeros(len(p), np.intp)
    for family in sorted(set(families) - {UNTESTED}):
        members = np.array([k for k, name in enumerate(families) if name == family])
        adjusted[members] = holm(p[members])
        sizes[members] = np.isfinite(p[members]).sum()
    return Adjusted(adjusted, sizes)


def largest_family(families: Sequence[str]) -> int:
    """Return the number of tests in the largest family, which the number of swaps depends on.

    Args:
        families: The family of each test; "" for an untested score.

    Returns:
        0 if there is no test.

    Example:
        >>> largest_family(["primary", "labels", "labels", ""])
        2
    """
    return max(Counter(family for family in families if family != UNTESTED).values(), default=0)


class DataSets(NamedTuple):
    """In how many data sets a system is better.

    Attributes:
        least: k̂: better in at least so many.
        number: N, the number of data sets.
        p: P-values of "better in at least u data sets", for u = 1 to N; float[N].
    """

    least: int
    number: int
    p: Floats


def count_data_sets(p_values: ArrayLike, *, level: float = 0.95, independent: bool = False) -> DataSets:
    """Count the data sets in which a system is better, with a bound on counting too many.

    The chance that the count is too high is at most 1 − level. Holm's correction, never
    Fisher's method, decides which data sets can be named.

    Args:
        p_values: One-sided p-values, one per data set, at least one. NaN (no test was
            possible) counts as 1.
        level: Confidence level, between 0 and 1.
        independent: Whether the data sets share neither texts nor trained models; then
            their p-values are combined by Fisher's method, which finds more.

    Returns:
        The count, the number of data sets, and the p-values behind it.

    Raises:
        ValueError: There is no p-value, one is not above 0 and up to 1, or the level is
            not between 0 and 1.

    Example:
        >>> count_data_sets([0.001, 0.004, 0.012, 0.03, 0.2]).least
        3
        >>> count_data_sets([0.001, 0.004, 0.012, 0.03, 0.2], independent=True).least
        4

    Source: R. Dror et al., Replicability Analysis for Natural Language Processing (2017).
    """
    from scipy.special import chdtrc  # Takes a third of a second, and many commands do not need it.

    check_value("level", level, LEVEL)
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1 or not len(p):
        raise ValueError("the data sets need a list of p-values, one for each")
    if ((p <= 0) | (p > 1)).any():
        raise ValueError("the p-values of data sets must be above 0 and at most 1")
    p = np.sort(np.where(np.isnan(p), 1.0, p))
    left = np.arange(len(p), 0, -1)
    fisher = chdtrc(2 * left, -2 * np.cumsum(np.log(p[::-1]))[::-1])
    combined = np.maximum.accumulate(fisher if independent else np.minimum(left * p, 1.0))
    # The rounding of 1 - 0.95 must not change the count.
    return DataSets(int((combined <= 1 - level + 1e-12).sum()), len(p), combined)
