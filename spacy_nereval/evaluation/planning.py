"""How many units make the interval of a number as narrow as wanted, from the variance of the number in a pilot."""

from __future__ import annotations

import math
from typing import NamedTuple

from .bounds import TINY
from .differences import MOST_UNITS

PLAN_LEVEL = 0.9
"""The level of the interval of a number of units."""

HALF_WIDTHS = (0.5, 1, 2, 3, 5)
"""Half widths of an interval, in points, that a plan is for if it is asked nothing else."""


class UnitsNeeded(NamedTuple):
    """The number of units that are needed, and its 90 % interval."""

    units: int
    between: tuple[int, int]


def plan_half_width(
    variance: float, margin: float, k: float, freedom: float, units: int, level: float = 0.95
) -> UnitsNeeded | None:
    """Return how many units make half the width of an interval at most a margin, and the 90 % interval of this number.

    Args:
        variance: The variance of the number in the pilot.
        margin: Half the width of the interval, in the unit of the number.
        k: The effective number of units of the pilot.
        freedom: The degrees of freedom of the variance.
        units: The number of units of the pilot.
        level: Confidence level of the interval.

    Returns:
        The numbers; None if the number does not vary in the pilot, or more than ten million units are needed.

    >>> plan_half_width(0.05**2, 0.05, 100, 99, 100)
    UnitsNeeded(units=387, between=(287, 558))
    """
    if not variance >= TINY**2:
        return None
    needed = units_for_half_width(variance * units, margin, k / units, (freedom + 1) / units, level)
    if needed is None:
        return None
    low, high = variance_factors(freedom / 2)
    return UnitsNeeded(needed, (math.ceil(needed * low - 1e-9), math.ceil(needed * high - 1e-9)))


def variance_factors(freedom: float, level: float = PLAN_LEVEL) -> tuple[float, float]:
    """Return the factors from an estimate of a variance to the bounds of its interval.

    >>> [round(factor, 5) for factor in variance_factors(19)]
    [0.63032, 1.87802]

    Source: the interval of a variance, of χ² with the degrees of freedom of the variance.
    """
    from scipy.special import chdtri

    low, high = (freedom / float(chdtri(freedom, tail)) for tail in ((1 - level) / 2, (1 + level) / 2))
    return low, high


def units_for_half_width(
    variance: float, margin: float, k_per_unit: float, freedom_per_unit: float, level: float = 0.95
) -> int | None:
    """Return the least number of units for which half the width of a score's interval is at most a margin.

    How far the number may be off is given by `variance_factors` of half the degrees of freedom of the pilot.

    Args:
        variance: The variance of the score times the number of units of the pilot.
        margin: Half the width of the interval, in the unit of the score.
        k_per_unit: The effective number of units of the pilot, per unit.
        freedom_per_unit: One more than the degrees of freedom of the variance, per unit.
        level: Confidence level.

    Returns:
        The number of units; None for more than ten million.

    Example:
        >>> units_for_half_width(0.95, 0.04, 2 / 3, 0.8), units_for_half_width(0.5, 0.05, 1, 1)
        (2285, 771)
    """
    from scipy.special import stdtrit

    def is_too_wide(units: int) -> bool:
        freedom = max(min(k_per_unit, freedom_per_unit) * units - 1, 1)
        return float(stdtrit(freedom, (1 + level) / 2)) * math.sqrt(variance / units) > margin * (1 + 1e-9)

    high = 2
    while is_too_wide(high):
        high *= 2
        if high > MOST_UNITS:
            return None
    low = max(high // 2, 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if is_too_wide(middle) else (low, middle)
    return high
