"""The detectable difference, and equivalence within a margin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .levels import check_level

POWER = 0.8
"""A detectable difference is found this often."""


def detectable_difference(low: ArrayLike, high: ArrayLike, *, level: float = 0.95) -> Any:
    """Return the difference that a test with this interval finds 4 times in 5.

    Do not compute the power at the observed difference: it says no more than p.

    Args:
        low: Lower bounds of the intervals, float[...].
        high: Upper bounds.
        level: Confidence level of the intervals.

    Returns:
        float[...], in the unit of the bounds: 1.4294 times half the width at the level 0.95.

    Raises:
        ValueError: The level is not between 0 and 1, or a lower bound is above the upper one.

    Example:
        >>> round(float(detectable_difference(-0.199665, -0.023757)), 5)
        0.12572

    Source: D. Card et al., With Little Power Comes Great Responsibility (2020).
    """
    from scipy.special import ndtri  # Takes a third of a second, and many commands do not need it.

    check_level(level)
    first, last = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    if (first > last).any():
        raise ValueError("the lower bound of an interval must not be above the upper one")
    reach = ndtri((1 + level) / 2)
    return ((reach + ndtri(POWER)) / reach * (last - first) / 2)[()]


def detectable_difference_of_runs(error: ArrayLike, freedom: ArrayLike, *, level: float = 0.95) -> Any:
    """Return the difference that a test of several training runs finds 4 times in 5.

    Args:
        error: Standard errors, see `runs.run_test`; float[...].
        freedom: Their degrees of freedom, float[...].
        level: Confidence level, between 0 and 1.

    Returns:
        float[...], in the unit of the errors.

    Raises:
        ValueError: The level is not between 0 and 1.

    Example:
        >>> round(float(detectable_difference_of_runs(0.0220202, 9.2119)), 5)
        0.06907

    Source: as for `detectable_difference`, with quantiles of t in place of normal ones.
    """
    from scipy.special import stdtrit

    check_level(level)
    df = np.asarray(freedom, dtype=float)
    return ((stdtrit(df, (1 + level) / 2) + stdtrit(df, POWER)) * np.asarray(error, dtype=float))[()]


def equivalence_level(level: float = 0.95) -> float:
    """Return the level of the interval that decides on equivalence: two one-sided tests at 1 − level.

    Args:
        level: Confidence level, above 0.5 and below 1.

    Returns:
        0.9 for 0.95.

    Raises:
        ValueError: The level is 0.5 or less, or not below 1.

    Example:
        >>> round(equivalence_level(0.95), 12)
        0.9
    """
    if not 0.5 < level < 1:
        raise ValueError(f"equivalence needs a confidence level above 0.5 and below 1, not {level}")
    # Rounded: a value just below 0.9 would change which swaps count.
    return round(2 * level - 1, 12)


def equivalent(low: ArrayLike, high: ArrayLike, margin: float) -> Any:
    """Return whether two systems are the same within a margin.

    If the true difference equals the margin, the answer is True in at most 5 per cent of cases.

    Args:
        low: Lower bounds of the intervals at `equivalence_level` (90 per cent), float[...].
        high: Upper bounds. NaN is never equivalent.
        margin: Greatest difference that does not matter, in the unit of the bounds.

    Returns:
        bool[...]: whether the interval lies inside (−margin, margin).

    Raises:
        ValueError: The margin is not above 0.

    Example:
        >>> bool(equivalent(-0.8, 0.9, 1.0)), bool(equivalent(-1.2, 0.9, 1.0))
        (True, False)

    Source: TOST, D. J. Schuirmann (1987).
    """
    if not margin > 0:
        raise ValueError(f"the margin must be above 0, not {margin}")
    return (np.asarray(low, dtype=float) > -margin) & (np.asarray(high, dtype=float) < margin)
