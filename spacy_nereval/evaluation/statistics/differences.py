"""The difference of two systems: a test by swapping their outputs, and the interval from this test.

Null hypothesis: per unit, the two systems' outputs are exchangeable. A swap exchanges
them in about half of the units; p is the share of swaps with a difference as large as the
observed one. The interval holds every difference that the same test does not reject.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .intervals import TINY
from .levels import check_level

Floats = NDArray[np.float64]

LEAST_DIFFERING = 6
"""With fewer differing units, no p can be below .05: with 5, the least is 2/2^5 = .0625."""

LEAST_SWAPS = 10_000
MOST_SWAPS = 100_000
SWAPS_PER_TEST = 2_000
"""The error of p is 10 per cent at .05 divided by the number of tests."""

CELLS = 2_000_000
"""Maximum number of differences of swaps in memory at once."""


class Differences(NamedTuple):
    """Tests and intervals of several differences; arrays of the shape of the differences, NaN for none.

    Attributes:
        p: Two-sided p-values.
        p_better: One-sided p-values: small where the second system is better.
        low: Lower bounds of the differences, in their unit.
        high: Upper bounds.
    """

    p: Floats
    p_better: Floats
    low: Floats
    high: Floats


def balance(kept: ArrayLike, total: ArrayLike) -> Any:
    """Return by how much the spans that stay outweigh those that change places.

    Args:
        kept: Sum of the weights of the units that stay, float[swaps, ...]; a unit's weight
            is twice its gold spans plus the predicted spans of both systems.
        total: Sum of the weights of all units, float[...].

    Returns:
        float[swaps, ...] from -1 (all change places) to 1 (all stay); NaN where the total is 0.

    Example:
        >>> balance([0, 6, 8], 8).tolist()
        [-1.0, 0.5, 1.0]
    """
    stay, whole = np.asarray(kept, dtype=float), np.asarray(total, dtype=float)
    return (2 * stay - whole) / np.where(whole > 0, whole, np.nan)


def differing_units(first: ArrayLike, second: ArrayLike) -> Any:
    """Count the units whose counts differ between two systems.

    Args:
        first: Counts of the first system, [units, ..., counts].
        second: Counts of the second, of the same shape.

    Returns:
        int[...]: number of units in which some count differs.

    Raises:
        ValueError: The shapes differ.

    Example:
        >>> int(differing_units([[3, 1], [2, 0], [4, 4]], [[3, 1], [2, 1], [0, 0]]))
        2
    """
    a, b = np.asarray(first), np.asarray(second)
    if a.shape != b.shape or a.ndim < 2:
        raise ValueError(f"the counts of the two systems need one shape [units, ..., counts], not {a.shape}, {b.shape}")
    return (a != b).any(axis=-1).sum(axis=0)


def number_of_swaps(tests: int) -> int:
    """Return how many swaps are drawn, so that the least p can survive the correction for many tests.

    Args:
        tests: Number of tests in the largest family.

    Returns:
        From 10,000 to 100,000.

    Example:
        >>> number_of_swaps(1), number_of_swaps(22), number_of_swaps(500)
        (10000, 44000, 100000)
    """
    return min(MOST_SWAPS, max(LEAST_SWAPS, SWAPS_PER_TEST * tests))


def swap_test(
    difference: ArrayLike,
    swapped: ArrayLike,
    balances: ArrayLike,
    *,
    exact: bool,
    differing: ArrayLike,
    level: float = 0.95,
    higher_is_better: ArrayLike = True,
    limit: ArrayLike = np.inf,
) -> Differences:
    """Test many differences at once, and return the interval of each.

    The interval holds 0 if and only if p is above 1 − level.

    Args:
        difference: Score of the second system minus that of the first, float[...] (any
            shape, one number too).
        swapped: The difference after each swap, float[swaps, ...]. Undefined ones (NaN)
            count as large, against both systems.
        balances: See `balance`; float[swaps, ...] or float[swaps] for all.
        exact: Whether the swaps are all `2 ** units` patterns, each once.
        differing: Number of units whose counts for the metric differ, int[...] or one for
            all. Below 6 there is neither p nor interval.
        level: Confidence level, between 0 and 1.
        higher_is_better: Direction of the score, for the one-sided p; bool[...] or one for all.
        limit: Greatest possible difference (1 for ratios); where nothing is rejected the
            interval ends there.

    Returns:
        The p-values and intervals, NaN where there is none.

    Raises:
        ValueError: Shapes do not agree, or the level is not between 0 and 1.

    Example: six units, in each of which the second system has one hit more.
        >>> from spacy_nereval.evaluation.statistics.bits import patterns
        >>> stay = patterns(0, "abcdef", 64).all().sum(axis=1, dtype=float)
        >>> found = swap_test(0.1, (2 * stay - 6) / 60, balance(stay, 6), exact=True, differing=6)
        >>> float(found.p), float(found.p_better)  # 2/64, 1/64
        (0.03125, 0.015625)

    Source: p-values, B. Phipson and G. K. Smyth (2010); interval by inversion of the test,
    P. H. Garthwaite (1996), A. Glazer and P. B. Stark (2024).
    """
    d, drawn = np.asarray(difference, dtype=float), np.asarray(swapped, dtype=float)
    if drawn.ndim != d.ndim + 1 or drawn.shape[1:] != d.shape or not len(drawn):
        raise ValueError(
            f"the swaps need the shape of the differences after their first axis: "
            f"[swaps, *{list(d.shape)}], not {list(drawn.shape)}"
        )
    check_level(level)
    weight = np.asarray(balances, dtype=float)
    if len(weight) != len(drawn):
        raise ValueError(f"{len(drawn)} swaps, but {len(weight)} balances: one is needed for each swap")
    each = drawn.reshape(len(drawn), -1)
    weight = weight.reshape(len(weight), -1) if weight.ndim > 1 else weight[:, None]
    if weight.shape[1] not in (1, each.shape[1]):
        raise ValueError(f"the balances need the shape {list(drawn.shape)} or [swaps], not {list(np.shape(balances))}")
    flat = d.reshape(-1)
    better = np.broadcast_to(np.asarray(higher_is_better, dtype=bool), d.shape).reshape(-1)
    tested = np.full((len(Differences._fields), len(flat)), np.nan)
    step = max(1, CELLS // len(drawn))
    for start in range(0, len(flat), step):
        some = slice(start, start + step)
        weights = weight if weight.shape[1] == 1 else weight[:, some]
        tested[:, some] = _tested(flat[some], each[:, some], weights, better[some], exact, level)
    none = ~np.isfinite(d) | (np.asarray(differing) < LEAST_DIFFERING)
    p, p_better, low, high = (np.where(none, np.nan, values.reshape(d.shape)) for values in tested)
    most = np.asarray(limit, dtype=float)
    return Differences(p, p_better, np.asarray(np.maximum(low, -most)), np.asarray(np.minimum(high, most)))


def _tested(
    d: Floats, swapped: Floats, balances: Floats, better: NDArray[np.bool_], exact: bool, level: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return p, one-sided p and the bounds of some differences, float[differences] each.

    If the true difference is Δ, the observed one exceeds it by d − Δ, and a swap gives
    S − ΔB. The swap is as large for all Δ from (d − S)/(1 − B) to (d + S)/(1 + B), and Δ
    is rejected if too few swaps are.
    """
    swaps = len(swapped)
    none = ~np.isfinite(swapped)
    # Rounded here, once, so that p and interval agree on which swaps are as large.
    apart = _rounded(np.where(none, -np.inf, d - swapped))
    mirrored = _rounded(np.where(none, np.inf, d + swapped))
    as_large = np.where(d >= 0, (apart <= 0) | (mirrored <= 0), (apart >= 0) | (mirrored >= 0)) | none
    as_good = np.where(better, apart <= 0, apart >= 0) | none
    added = 0 if exact else 1
    p, p_better = ((added + hits.sum(axis=0)) / (added + swaps) for hits in (as_large, as_good))
    share = 1 - level
    # The rounding of 1 - 0.95 must not change which swaps count.
    rank = int(share * (swaps + added) + 1e-9) + (1 if exact else 0)
    if not 1 <= rank <= swaps:
        return p, p_better, np.full(len(d), -np.inf), np.full(len(d), np.inf)
    one, other = _ratio(apart, 1 - balances, -np.inf), _ratio(mirrored, 1 + balances, -np.inf)
    low = np.partition(np.minimum(one, other), rank - 1, axis=0)[rank - 1]
    one, other = _ratio(apart, 1 - balances, np.inf), _ratio(mirrored, 1 + balances, np.inf)
    high = np.partition(np.maximum(one, other), swaps - rank, axis=0)[swaps - rank]
    return p, p_better, low, high


def _rounded(values: Floats) -> Floats:
    return np.where(np.abs(values) <= TINY, 0.0, values)


def _ratio(above: Floats, below: Floats, otherwise: float) -> Floats:
    positive = below > 0
    return np.where(positive, above / np.where(positive, below, 1), otherwise)


def at_floor(p: float | None, swaps: int, *, exact: bool) -> bool:
    """Return whether this number of random swaps cannot give a smaller p-value.

    Args:
        p: A p-value of a swap test, not corrected; None or NaN for no test.
        swaps: Number of swaps.
        exact: Whether the swaps were all patterns; then the p-value itself is exact.

    Example:
        >>> at_floor(1 / 10001, 10000, exact=False), at_floor(2 / 10001, 10000, exact=False)
        (True, False)
    """
    return p is not None and not exact and p * (swaps + 1) < 1.5
