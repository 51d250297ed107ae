"""In how many data sets one system is better than another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .levels import check_level

Floats = NDArray[np.float64]


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

    check_level(level)
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
