"""The difference of two systems: its test, its interval, the difference that can be detected, and a margin.

Null hypothesis: per unit, the two systems' outputs are exchangeable. A swap exchanges
them in about half of the units; p is the share of swaps with a difference at least as large as the
observed one. The interval contains every difference that the same test does not reject, and is widened where the
influences of units are skewed. Where the score differs in few units, there is no test: the interval bounds what
such units may lose or gain.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.arguments import LEVEL, check_value
from .bounds import TINY

Floats = NDArray[np.float64]

LEAST_DIFFERING = 6
"""With fewer differing units, no p can be below .05: with 5, the least is 2/2^5 = .0625."""

LEAST_SWAPS = 10_000
MOST_SWAPS = 100_000
SWAPS_PER_TEST = 2_000
"""So many that the standard error of p is 10 per cent of p where p is .05 divided by the number of tests."""

CELLS = 2_000_000
"""Maximum number of differences of swaps in memory at once."""


MOST_UNITS = 10_000_000
"""The largest number of units that is reported as needed; None above it."""

POWER = 0.8
"""The power of a test: a detectable difference is found with this probability."""


class Differences(NamedTuple):
    """Tests and intervals of several differences; arrays of the shape of the differences, NaN for none.

    Attributes:
        p: Two-sided p-values.
        p_better: One-sided p-values: small where the second system is better.
        low: Lower bounds of the differences, in their unit.
        high: Upper bounds.
        detectable: The differences that such a test finds with a power of 0.8.
    """

    p: Floats
    p_better: Floats
    low: Floats
    high: Floats
    detectable: Floats


def balance(staying: ArrayLike, total: ArrayLike) -> Any:
    """Return the balance of swaps: the weight that stays minus the weight that is swapped, as a share of all weight.

    Args:
        staying: Sum of the weights of the units that stay, float[swaps, ...]; a unit's weight
            is twice its gold spans plus the predicted spans of both systems.
        total: Sum of the weights of all units, float[...].

    Returns:
        float[swaps, ...] from -1 (all are swapped) to 1 (all stay); NaN where the total is 0.

    Example:
        >>> balance([0, 6, 8], 8).tolist()
        [-1.0, 0.5, 1.0]
    """
    stay, whole = np.asarray(staying, dtype=float), np.asarray(total, dtype=float)
    return (2 * stay - whole) / np.where(whole > 0, whole, np.nan)


def differing_units(first: ArrayLike, second: ArrayLike) -> Any:
    """Count the units with different counts in two systems.

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

    The interval contains 0 if and only if p is above 1 − level.

    Args:
        difference: Score of the second system minus that of the first, float[...] (any
            shape, one number too).
        swapped: The difference after each swap, float[swaps, ...]. Undefined ones (NaN)
            count as large, against both systems.
        balances: See `balance`; float[swaps, ...] or float[swaps] for all.
        exact: Whether the swaps are all `2 ** units` patterns, each once.
        differing: Number of units with different counts for the metric, int[...] or one for
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
        >>> from spacy_nereval.evaluation.resampling import patterns
        >>> stay = patterns(0, "abcdef", 64).all().sum(axis=1, dtype=float)
        >>> test = swap_test(0.1, (2 * stay - 6) / 60, balance(stay, 6), exact=True, differing=6)
        >>> float(test.p), float(test.p_better)  # 2/64, 1/64
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
    check_value("level", level, LEVEL)
    weight = np.asarray(balances, dtype=float)
    if len(weight) != len(drawn):
        raise ValueError(f"{len(drawn)} swaps, but {len(weight)} balances: one is needed for each swap")
    columns = drawn.reshape(len(drawn), -1)
    weight = weight.reshape(len(weight), -1) if weight.ndim > 1 else weight[:, None]
    if weight.shape[1] not in (1, columns.shape[1]):
        raise ValueError(f"the balances need the shape {list(drawn.shape)} or [swaps], not {list(np.shape(balances))}")
    flat = d.reshape(-1)
    better = np.broadcast_to(np.asarray(higher_is_better, dtype=bool), d.shape).reshape(-1)
    tested = np.full((4, len(flat)), np.nan)
    step = max(1, CELLS // len(drawn))
    for start in range(0, len(flat), step):
        block = slice(start, start + step)
        weights = weight if weight.shape[1] == 1 else weight[:, block]
        tested[:, block] = _test_block(flat[block], columns[:, block], weights, better[block], exact, level)
    untested = ~np.isfinite(d) | (np.asarray(differing) < LEAST_DIFFERING)
    p, p_better, low, high = (np.where(untested, np.nan, values.reshape(d.shape)) for values in tested)
    most = np.asarray(limit, dtype=float)
    low, high = np.asarray(np.maximum(low, -most)), np.asarray(np.minimum(high, most))
    return Differences(p, p_better, low, high, detectable_difference(low, high, level=level))


def _test_block(
    d: Floats, swapped: Floats, balances: Floats, better: NDArray[np.bool_], exact: bool, level: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return p, one-sided p and the bounds of some differences, float[differences] each.

    If the true difference is Δ, the observed one exceeds it by d − Δ, and a swap gives
    S − ΔB. The swap is at least as large as observed for all Δ from (d − S)/(1 − B) to (d + S)/(1 + B). Δ
    is rejected if this is true of too few swaps.
    """
    swaps = len(swapped)
    undefined = ~np.isfinite(swapped)
    # Rounded here, once, so that p and interval agree on which swaps are as large.
    apart = _round_to_zero(np.where(undefined, -np.inf, d - swapped))
    mirrored = _round_to_zero(np.where(undefined, np.inf, d + swapped))
    as_large = np.where(d >= 0, (apart <= 0) | (mirrored <= 0), (apart >= 0) | (mirrored >= 0)) | undefined
    as_good = np.where(better, apart <= 0, apart >= 0) | undefined
    added = 0 if exact else 1
    p, p_better = ((added + hits.sum(axis=0)) / (added + swaps) for hits in (as_large, as_good))
    share = 1 - level
    # The rounding of 1 - 0.95 must not change which swaps count.
    rank = int(share * (swaps + added) + 1e-9) + (1 if exact else 0)
    if not 1 <= rank <= swaps:
        return p, p_better, np.full(len(d), -np.inf), np.full(len(d), np.inf)
    first, second = _ratio(apart, 1 - balances, -np.inf), _ratio(mirrored, 1 + balances, -np.inf)
    low = np.partition(np.minimum(first, second), rank - 1, axis=0)[rank - 1]
    first, second = _ratio(apart, 1 - balances, np.inf), _ratio(mirrored, 1 + balances, np.inf)
    high = np.partition(np.maximum(first, second), swaps - rank, axis=0)[swaps - rank]
    return p, p_better, low, high


def _round_to_zero(values: Floats) -> Floats:
    return np.where(np.abs(values) <= TINY, 0.0, values)


def _ratio(numerator: Floats, denominator: Floats, default: float) -> Floats:
    positive = denominator > 0
    return np.where(positive, numerator / np.where(positive, denominator, 1), default)


def t_test(
    difference: ArrayLike,
    error: ArrayLike,
    freedom: ArrayLike,
    *,
    level: float = 0.95,
    higher_is_better: ArrayLike = True,
    limit: ArrayLike = np.inf,
) -> Differences:
    """Test differences that have a standard error.

    Args:
        difference: Score of the second system minus that of the first, float[...].
        error: Standard errors; NaN where there is none.
        freedom: Degrees of freedom of the errors.
        level, higher_is_better, limit: As for `swap_test`.

    Returns:
        The p-values and intervals, NaN where there is none.

    Raises:
        ValueError: The level is not between 0 and 1.

    Example:
        >>> test = t_test(0.05, 0.0220202, 9.2119)
        >>> round(float(test.p), 5), round(float(test.low), 5), round(float(test.detectable), 5)
        (0.04867, 0.00036, 0.06907)

    Source: detectable difference, as for `detectable_difference`, with quantiles of t in place of normal ones.
    """
    from scipy.special import stdtr, stdtrit

    check_value("level", level, LEVEL)
    d, spread, df = (np.asarray(values, dtype=float) for values in (difference, error, freedom))
    half = stdtr(df, -np.abs(d) / spread)
    better = np.where(np.asarray(higher_is_better, dtype=bool), d >= 0, d <= 0)
    reach, most = stdtrit(df, (1 + level) / 2), np.asarray(limit, dtype=float)
    return Differences(
        np.asarray(2 * half),
        np.where(better, half, 1 - half),
        np.asarray(np.maximum(d - reach * spread, -most)),
        np.asarray(np.minimum(d + reach * spread, most)),
        np.asarray((reach + stdtrit(df, POWER)) * spread),
    )


def detectable_difference(low: ArrayLike, high: ArrayLike, *, level: float = 0.95) -> Any:
    """Return the difference that a test with this interval finds with a power of 0.8.

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
    from scipy.special import ndtri

    check_value("level", level, LEVEL)
    first, last = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    if (first > last).any():
        raise ValueError("the lower bound of an interval must not be above the upper one")
    reach = ndtri((1 + level) / 2)
    return ((reach + ndtri(POWER)) / reach * (last - first) / 2)[()]


def equivalence_level(level: float = 0.95) -> float:
    """Return the level of the interval that answers about a margin: one-sided tests at 1 − level.

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


BETTER_BY_MORE, BETTER_BY_LESS, SAME_WITHIN, NOT_WORSE, WORSE_BY_MORE, NOT_ENOUGH = (
    *("better by more", "better by less", "same", "not worse", "worse by more", "not enough data"),
)
"""The possible answers of an interval about a margin, see `margin_answer`."""


def margin_answer(low: float, high: float, margin: float) -> str:
    """Return the conclusion about a margin from the interval of a difference, for a score where higher is better.

    If the true difference equals the margin, an answer that denies it comes in at most 5 per cent of cases.

    Args:
        low: Lower bound at `equivalence_level` (90 per cent).
        high: Upper bound.
        margin: Greatest difference that does not matter, in the unit of the bounds.

    Returns:
        The first answer that applies; that there are not enough data also where there is no interval.

    Raises:
        ValueError: The margin is not above 0.

    Example:
        >>> margin_answer(-0.8, 0.9, 1.0), margin_answer(-0.8, 1.9, 1.0), margin_answer(-1.2, 1.9, 1.0)
        ('same', 'not worse', 'not enough data')

    Source: TOST, D. J. Schuirmann (1987).
    """
    if not margin > 0:
        raise ValueError(f"the margin must be above 0, not {margin}")
    if low > margin:
        return BETTER_BY_MORE
    if low > 0 and high < margin:
        return BETTER_BY_LESS
    if low > -margin:
        return SAME_WITHIN if high < margin else NOT_WORSE
    return WORSE_BY_MORE if high < -margin else NOT_ENOUGH


def units_to_tell(units: int, low: float, high: float, margin: float) -> int | None:
    """Return about how many units it takes to decide whether two systems are the same within a margin.

    Args:
        units: The number of units that the interval is based on.
        low, high, margin: As for `margin_answer`.

    Returns:
        A number greater than `units`; None if the interval is narrow enough already, or infinite.

    Example:
        >>> units_to_tell(100, -1.5, 2.5, 1.0), units_to_tell(100, -1.5, 0.1, 1.0)
        (400, None)
    """
    half = (high - low) / 2
    # The rounding of 100 * 1.1 ** 2 must not add a unit.
    return math.ceil(units * (half / margin) ** 2 - 1e-9) if margin < half < math.inf else None


def rare_difference(differing: int, units: float, level: float = 0.95) -> float:
    """Return an upper bound of the share of units that differ.

    Args:
        differing: The number of units that differ.
        units: The effective number of units; the bound is 1 if it is not above `differing`.
        level: The one-sided confidence level.

    Example:
        >>> round(rare_difference(0, 100), 4), round(rare_difference(0, 299), 4), rare_difference(2, 2)
        (0.0295, 0.01, 1.0)

    Source: C. J. Clopper and E. S. Pearson (1934), the upper bound; with none that differ it is near 3 / units.
    """
    check_value("level", level, LEVEL)
    return float(_share_bounds(differing, units, level)[-1])


def _share_bounds(differing: int, units: float, level: float) -> Floats:
    """Return upper bounds of a share of units if 0, 1, ... `differing` such units were observed: [differing + 1]."""
    from scipy.special import betaincinv

    number = np.arange(differing + 1)
    return np.where(number < units, betaincinv(number + 1, np.maximum(units - number, TINY), level), 1.0)


def rare_loss(losses: ArrayLike, units: float, level: float = 0.95, limit: float = 1.0) -> float:
    """Return an upper bound of the loss of a score by units that differ, unobserved ones included.

    Args:
        losses: The loss of the corpus's score by each observed unit, float[losses], all above 0.
        units: The effective number of units.
        level: The one-sided confidence level.
        limit: The greatest possible loss of the score.

    Example:
        >>> round(rare_loss([], 59), 4), round(rare_loss([0.005, 0.02], 49.93482, 0.975), 5)
        (0.0495, 0.11422)

    Source: K. W. Stringer (1963), the bound of monetary unit sampling.
    """
    check_value("level", level, LEVEL)
    falling = np.sort(np.asarray(losses, dtype=float))[::-1]
    shares = _share_bounds(len(falling), units, level)
    return min(limit, float(shares[0] * limit + units * (np.diff(shares) * falling).sum()))


def rare_bounds(contributions: ArrayLike, units: float, level: float = 0.95, limit: float = 1.0) -> tuple[float, float]:
    """Return the interval of a difference that rests on too few units to test. It contains 0.

    Args:
        contributions: The contribution of each differing unit to the difference, float[units that differ]; NaN where
            the score is undefined once the unit is swapped, which counts as a loss of `limit` for both systems.
        units: The effective number of units.
        level: Confidence level of the interval.
        limit: Greatest possible difference.

    Example:
        >>> [round(bound, 5) for bound in rare_bounds([-0.005, -0.02], 49.93482)]
        [-0.11422, 0.07121]
    """
    amounts = np.asarray(contributions, dtype=float)
    lost = np.full((~np.isfinite(amounts)).sum(), limit)
    losses, gains = (np.append(side[side > 0], lost) for side in (-amounts, amounts))
    one_sided = (1 + level) / 2
    return -rare_loss(losses, units, one_sided, limit), rare_loss(gains, units, one_sided, limit)


def units_for_rare_loss(
    contributions: ArrayLike, margin: float, level: float = 0.95, limit: float = 1.0, *, lower_only: bool = False
) -> int | None:
    """Return how many units put the interval of `rare_bounds` within a margin, if no further unit differs.

    Args:
        contributions, level, limit: As for `rare_bounds`.
        margin: Greatest difference that does not matter, in the unit of the score.
        lower_only: Whether only the lower bound must be within the margin.

    Returns:
        The least effective number of units; None for more than ten million.

    Example:
        >>> units_for_rare_loss([], 0.05, 0.9), units_for_rare_loss([], 0.01, 0.9)
        (59, 299)
    """

    def is_within(units: int) -> bool:
        low, high = rare_bounds(contributions, units, level, limit)
        return max(-low, 0 if lower_only else high) <= margin

    high = 1
    while not is_within(high):
        high *= 2
        if high > MOST_UNITS:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_within(middle) else (middle, high)
    return high


def widen_interval(
    test: Differences,
    difference: float,
    error: float,
    skewness: float,
    entries: int,
    units: float,
    level: float = 0.95,
    limit: float = 1.0,
) -> Differences:
    """Return a swap test with its interval widened for skewed influences and for units unlike the observed ones.

    The result includes the normal interval corrected for skewness. It also includes the difference plus and minus
    its product with an upper bound of the share of unobserved units. It excludes 0 where the test rejects 0.

    Args:
        test: The test, of one difference.
        difference: The difference.
        error: Its standard error by leaving each unit out.
        skewness: The skewness of the units' influences.
        entries: The number of left-out units, or groups of units.
        units: The effective number of units.
        level: Confidence level.
        limit: Greatest possible difference.

    Source: P. Hall (1983), first-order correction for skewness.
    """
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))
    x = skewness * (2 * z * z + 1) / (6 * math.sqrt(entries))
    unseen = abs(difference) * rare_difference(0, units, (1 + level) / 2)
    low = max(min(float(test.low), difference - error * (z - min(x, 0)), difference - unseen), -limit)
    high = min(max(float(test.high), difference + error * (z + max(x, 0)), difference + unseen), limit)
    low, high = (max(low, TINY) if test.low > 0 else low), (min(high, -TINY) if test.high < 0 else high)
    detectable = detectable_difference(low, high, level=level)
    return test._replace(low=np.array(low), high=np.array(high), detectable=np.array(detectable))


def is_at_floor(p: float | None, swaps: int, *, exact: bool) -> bool:
    """Return whether this number of random swaps cannot give a smaller p-value.

    Args:
        p: A p-value of a swap test, not corrected; None or NaN for no test.
        swaps: Number of swaps.
        exact: Whether the swaps were all patterns; then the p-value itself is exact.

    Example:
        >>> is_at_floor(1 / 10001, 10000, exact=False), is_at_floor(2 / 10001, 10000, exact=False)
        (True, False)
    """
    return p is not None and not exact and p * (swaps + 1) < 1.5
