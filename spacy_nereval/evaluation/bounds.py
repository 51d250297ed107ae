"""Confidence intervals of scores: Wilson's, with the effective sample size that the variance of a score implies.

Wilson's interval is one of proportions. Costs without an upper limit get the score interval of a Poisson mean; other
scores are mapped to the 0-1 scale and back (`VarianceScale`). Averages over labels and complements of scores get
intervals that are derived from those of other scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.arguments import LEVEL, check_value

Floats = NDArray[np.float64]

Limits = tuple[float, float]
"""The lowest and the highest value of a score, such as (0, 1), (0, inf) for SER or (-inf, 1) for the ACE value."""


class VarianceScale(NamedTuple):
    """The scale on which the variance of scores is estimated, and the way back.

    A score with both limits is mapped linearly to 0-1. A cost, which starts at 0 and has no upper limit, such as the
    slot error rate, is not changed. For any other score with one limit, the distance x from this limit is mapped to
    x / (1 + x). A score without limits is NaN on the scale.

    Attributes:
        low, high: The limits of each score, float[...].
    """

    low: Floats
    high: Floats

    @property
    def bounded(self) -> NDArray[np.bool_]:
        """Whether each score has both limits, bool[...]."""
        return np.isfinite(self.high - self.low)

    @property
    def is_cost(self) -> NDArray[np.bool_]:
        """Whether each score is a cost without upper limit, bool[...]."""
        is_cost: NDArray[np.bool_] = (self.low == 0) & np.isposinf(self.high)
        return is_cost

    def transform(self, scores: ArrayLike) -> Floats:
        """Return the scores on the scale.

        Args:
            scores: float[..., scores].

        Returns:
            float[..., scores]; NaN where a score is not finite, or has no limits.

        Example:
            >>> variance_scale([(0, np.inf), (1, np.inf)], (2,)).transform([1.0, 2.0]).tolist()
            [1.0, 0.5]
        """
        values = np.asarray(scores, dtype=float)
        if (self.low == 0).all() and (self.high == 1).all():  # as of most scores
            return np.where(np.isfinite(values), values, np.nan)
        with np.errstate(invalid="ignore", divide="ignore"):
            away = np.where(np.isfinite(self.low), values - self.low, self.high - values)
            place = np.where(self.bounded, away / (self.high - self.low), away / (1 + away))
            return np.where(np.isfinite(values), np.where(self.is_cost, values, place), np.nan)

    def slope(self, scores: ArrayLike) -> Floats:
        """Return by how much a score changes per unit of the scale, float[..., scores].

        Args:
            scores: float[..., scores].

        Example:
            >>> variance_scale([(0, np.inf), (0, 100), (1, np.inf)], (3,)).slope([2.0, 50.0, 2.0]).tolist()
            [1.0, 100.0, 4.0]
        """
        values = np.asarray(scores, dtype=float)
        with np.errstate(invalid="ignore"):
            away = np.where(np.isfinite(self.low), values - self.low, self.high - values)
            return np.where(self.is_cost, 1.0, np.where(self.bounded, self.high - self.low, (1 + away) ** 2))

    def invert(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Return the bounds of the scores from bounds on the scale.

        Args:
            low: Lower bounds.
            high: Upper bounds.

        Returns:
            Lower and upper bounds of the scores, in this order also where the mapping reverses it.

        Example:
            >>> one = variance_scale((-np.inf, 1), ())
            >>> [float(bound) for bound in one.invert(np.array(0.0), np.array(0.5))]
            [0.0, 1.0]
        """
        first, second = self._score(low), self._score(high)
        return np.minimum(first, second), np.maximum(first, second)

    def _score(self, place: Floats) -> Floats:
        away = np.where(place < 1, place / np.where(place < 1, 1 - place, 1), np.inf)
        with np.errstate(invalid="ignore"):
            away = np.where(self.bounded, place * (self.high - self.low), np.where(self.is_cost, place, away))
            return np.where(np.isfinite(self.low), self.low + away, self.high - away)


def variance_scale(limits: Limits | Sequence[Limits], shape: tuple[int, ...]) -> VarianceScale:
    """Return the scale on which the variance of scores with these limits is estimated.

    Args:
        limits: One pair of limits for all scores, or one pair per score.
        shape: Shape of the scores; one-dimensional with limits per score.

    Raises:
        ValueError: The limits are neither one pair nor a pair per score.

    Example:
        >>> variance_scale((0, np.inf), (2,)).high.tolist()
        [inf, inf]
    """
    bounds = np.asarray(limits, dtype=float)
    if bounds.shape not in ((2,), (*shape, 2)):
        raise ValueError(
            f"limits of shape {list(bounds.shape)} for scores of shape {list(shape)}: give 2 for all or each"
        )
    return VarianceScale(*(np.full(shape, bound) for bound in np.moveaxis(bounds, -1, 0)))


FEW_UNITS = 6
"""Below this many effective units an interval is flagged `few`: with 5, not even the least p, 2/2^5, is below .05."""

WARNING_UNITS = 20
"""Below this many effective units a warning is printed."""

FEW = "few"
CONCENTRATED = "concentrated"
UNDEFINED = "undefined"
UNBOUNDED = "unbounded"
"""Flags of an interval; the first that applies is given, and an interval without a problem has the empty flag. An
interval is `concentrated` where a few units account for most of the variance. A mean over labels is `unbounded`
where the interval of some label is undefined and the score has no limit."""

TINY = 1e-12
"""Differences below this are rounding."""

ONE_SIGMA = 0.15865525393145707
"""Share of the normal distribution below minus one standard deviation."""


class Intervals(NamedTuple):
    """Intervals of several scores; arrays of the shape of the scores.

    Attributes:
        low: Lower bounds, in the unit of the scores; NaN where undefined.
        high: Upper bounds.
        units: Effective number of units k.
        freedom: Degrees of freedom of the quantile of t; NaN where undefined.
        flag: "few" (k < 6, or the score rests on one unit: show it, never rank or compare by it), "concentrated"
            (fewer than 6 units account for the variance), "undefined" (no interval), or "".
        training: With several training runs, the share of the retraining variance in the variance, 0 to 1;
            NaN with one run, and where undefined.
    """

    low: Floats
    high: Floats
    units: Floats
    freedom: Floats
    flag: NDArray[np.str_]
    training: Floats


def spread(samples: ArrayLike) -> Any:
    """Return half the distance between the quantiles at minus and plus one standard deviation.

    For normal values this is their standard deviation. It is robust against a few outliers.

    Args:
        samples: Values of each half-sample, float[samples, ...]; undefined ones (not
            finite) are excluded.

    Returns:
        float[...], in the unit of the samples; NaN where no value is defined.

    Example:
        >>> round(float(spread(range(101))), 4)
        34.1345
    """
    values = np.moveaxis(np.asarray(samples, dtype=float), 0, -1)
    values = np.sort(np.where(np.isfinite(values), values, np.nan), axis=-1)
    defined = np.isfinite(values).sum(axis=-1)
    low, high = (_quantile(values, defined, q) for q in (ONE_SIGMA, 1 - ONE_SIGMA))
    return (high - low) / 2


def _quantile(ordered: Floats, defined: NDArray[np.intp], q: float) -> Floats:
    """Return the linear quantile of the first `defined` of the ordered values along the last axis."""
    place = np.maximum(defined - 1, 0) * q
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, np.maximum(defined - 1, 0))
    first, second = (np.take_along_axis(ordered, k[..., None], axis=-1)[..., 0] for k in (below, above))
    quantiles: Floats = first + (second - first) * (place - below)
    return quantiles


def sample_variance(samples: ArrayLike, limits: Limits | Sequence[Limits] = (0.0, 1.0)) -> Any:
    """Return the variance of scores on their scale (see `VarianceScale`) from half-samples: the squared spread.

    Args:
        samples: As for `spread`.
        limits: As for `score_intervals`.

    Returns:
        float[...]; NaN where over half of the half-samples are undefined.

    Example:
        >>> float(sample_variance([0.5, np.nan, np.nan])), float(sample_variance([0.5, np.nan]))
        (nan, 0.0)
    """
    values = np.asarray(samples, dtype=float)
    on_scale = variance_scale(limits, values.shape[1:]).transform(values)
    undefined = 2 * (~np.isfinite(on_scale)).sum(axis=0) > len(on_scale)
    return np.where(undefined, np.nan, spread(np.where(undefined, 0.0, on_scale)) ** 2)[()]


def effective_units(weights: ArrayLike) -> Any:
    """Return Kish's effective number of units: how many units of equal size would be as informative.

    Args:
        weights: Gold plus predicted spans of each unit (of a label, for a label's score;
            1 for averages over documents), float[units, ...].

    Returns:
        float[...], from 1 to the number of units; 0 where all weights are 0.

    Raises:
        ValueError: A weight is negative or not finite.

    Example:
        >>> round(float(effective_units([1] * 7 + [2] * 3)), 4)
        8.8947

    Source: L. Kish, Survey Sampling (1965): k = (Σw)² / Σw².
    """
    sizes = np.asarray(weights, dtype=float)
    if not np.isfinite(sizes).all() or (sizes < 0).any():
        raise ValueError("the weights of units must be finite and not negative")
    ordered = np.sort(sizes, axis=0)  # So that the order of the units does not change the last digit.
    return kish(ordered.sum(axis=0), (ordered * ordered).sum(axis=0))


def kish(total: ArrayLike, squares: ArrayLike) -> Any:
    """Return `effective_units` from the sum of the weights and the sum of their squares, float[...].

    >>> round(float(kish(13, 19)), 4)
    8.8947
    """
    added, squared = np.asarray(total, dtype=float), np.asarray(squares, dtype=float)
    return np.where(squared > 0, added * added / np.where(squared > 0, squared, 1), 0.0)[()]


def needs_warning(units: ArrayLike) -> Any:
    """Return whether there are so few effective units that a warning is needed.

    Args:
        units: Effective number of units, float[...].

    Returns:
        bool[...]: whether it is below 20.

    Example:
        >>> needs_warning([5.8, 20]).tolist()
        [True, False]
    """
    return np.asarray(units, dtype=float) < WARNING_UNITS


def wilson_interval(share: ArrayLike, number: ArrayLike, quantile: ArrayLike) -> tuple[Any, Any]:
    """Return Wilson's interval of a proportion.

    Args:
        share: Observed proportions, 0 to 1.
        number: Number of observations of each, not necessarily whole.
        quantile: Half-width of the interval in standard errors: a quantile of the normal
            or the t distribution.

    Returns:
        Lower and upper bounds, within 0 and 1. A share of 0 or 1 is one of its own bounds.

    Raises:
        ValueError: A share is outside 0 to 1, or a number or a quantile is not above 0.

    Example:
        >>> [round(float(bound), 5) for bound in wilson_interval(0.8, 50, 2)]
        [0.66667, 0.88889]

    Source: E. B. Wilson (1927); with an effective number, C. Franco et al. (2019).
    """
    p, n, z = (np.asarray(values, dtype=float) for values in (share, number, quantile))
    if ((p < 0) | (p > 1)).any():
        raise ValueError("Wilson's interval needs proportions between 0 and 1")
    if (n <= 0).any() or (z <= 0).any():
        raise ValueError("Wilson's interval needs numbers of observations and quantiles above 0")
    shrunk = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrunk
    half = z / shrunk * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low = np.where(p == 0, 0.0, np.maximum(centre - half, 0.0))
    high = np.where(p == 1, 1.0, np.minimum(centre + half, 1.0))
    return low[()], high[()]


def poisson_interval(mean: ArrayLike, number: ArrayLike, quantile: ArrayLike) -> tuple[Any, Any]:
    """Return the score interval of a Poisson mean: of a number of errors per span.

    Args:
        mean: Observed means, 0 or more.
        number: Number of observations of each, not necessarily whole.
        quantile: As for `wilson_interval`.

    Returns:
        Lower and upper bounds. A mean of 0 is its own lower bound.

    Example:
        >>> [round(float(bound), 5) for bound in poisson_interval(0.4, 20, 2)]
        [0.2, 0.8]
    """
    x, n, z = (np.asarray(values, dtype=float) for values in (mean, number, quantile))
    centre = x + z * z / (2 * n)
    half = z * np.sqrt(x / n + z * z / (4 * n * n))
    return np.where(x == 0, 0.0, np.maximum(centre - half, 0.0))[()], (centre + half)[()]


def score_intervals(
    values: ArrayLike,
    variance: ArrayLike,
    units: ArrayLike,
    *,
    bearers: ArrayLike = np.inf,
    mixed: ArrayLike = np.inf,
    spans: ArrayLike = np.nan,
    lone: ArrayLike = False,
    level: float = 0.95,
    limits: Limits | Sequence[Limits] = (0.0, 1.0),
    runs: ArrayLike | None = None,
) -> Intervals:
    """Return the confidence intervals of many scores at once.

    The effective sample size n* is the number of independent observations that would have the variance of
    the score. The interval is Wilson's for n*, with a quantile of t for the number of units that account for the
    variance. A cost without upper limit gets the score interval of a Poisson mean for n*. Other unbounded
    scores are mapped to 0-1 and back.

    Where few units have an error, or few have a hit, the estimate of the variance is unreliable. Then n* is shrunk
    towards k, the effective number of units. No Wilson interval is wider than the one with k.

    Args:
        values: The scores, float[...] (any shape, one number too).
        variance: The variance of each on its scale (see `VarianceScale`), from `influences` or as the
            squared `spread` of half-samples; float[...]. NaN for no interval.
        units: Effective number of units of each score, see `effective_units`; float[...] or one for all.
        bearers: The number of units that account for the variance, see `influences`; infinite if not estimated.
        mixed: The number of units with an error or of units with a hit, whichever is less; for a cost, the number of
            units with an error. Infinite for no shrinkage of n*.
        spans: Number of spans: n* of scores between their limits without variance.
        lone: Whether each score rests on a single unit, see `influences`. Its interval is that of one unit.
        level: Confidence level, between 0 and 1.
        limits: The lowest and the highest value of the scores: of all, or of each if
            `values` has one axis.
        runs: With several training runs, the score of each run, float[runs, ...]; then `values` are means
            over the runs, and the interval is that of the expected score after retraining.

    Returns:
        The intervals. Where a score (of some run) or its variance is undefined: NaN and the flag "undefined".

    Raises:
        ValueError: Shapes do not agree; a score is outside its limits; the level is not
            between 0 and 1; fewer than two runs.
        ArithmeticError: An interval has zero width, which cannot be right.

    Example:
        >>> recalls = score_intervals([1.0, 1.0], 0.0, [10, 3])
        >>> recalls.low.round(5).tolist(), recalls.high.tolist(), recalls.flag.tolist()
        ([0.66149, 0.13945], [1.0, 1.0], ['', 'few'])
        >>> error_rate = score_intervals(0.0, 0.0, 10, limits=(0, np.inf))
        >>> float(error_rate.low), round(float(error_rate.high), 5)
        (0.0, 0.51174)

    Source: effective size n* = θ(1 − θ)/v, C. Franco et al. (2019); with a quantile of t,
    as SAS PROC SURVEYFREQ does; runs by F. E. Satterthwaite's degrees of freedom (1946).
    """
    from scipy.special import stdtrit

    theta = np.asarray(values, dtype=float)
    check_value("level", level, LEVEL)
    unit_variance, k, holders, few_sides, span_numbers = (
        _broadcast(numbers, theta) for numbers in (variance, units, bearers, mixed, spans)
    )
    scale = variance_scale(limits, theta.shape)
    place, is_cost = scale.transform(theta), scale.is_cost
    undefined = ~np.isfinite(place) | ~np.isfinite(unit_variance) | ~(k > 0)
    run_places = None if runs is None else scale.transform(_validate_runs(runs, theta))
    if run_places is not None:
        undefined = undefined | ~np.isfinite(run_places).all(axis=0)
    place = _clip(theta, place, undefined, is_cost)
    rests_on_one = np.asarray(lone, dtype=bool) & ~undefined
    k_alone = np.where(rests_on_one, np.minimum(k, 1), k)
    number = np.where(undefined, 1.0, k_alone)
    # The sample size if every unit were all right or all wrong.
    full = number / np.where(is_cost, np.maximum(place, 1), 1)
    unit_variance = np.where(undefined | (unit_variance < TINY**2), 0.0, unit_variance)
    unit_variance = np.where(rests_on_one, np.where(is_cost, place / full, 0.0), unit_variance)
    span_numbers = np.where(rests_on_one, np.nan, span_numbers)
    freedom = degrees_of_freedom(
        np.where(undefined, 1.0, np.where(is_cost, k, k_alone)),
        np.where(unit_variance > 0, holders, np.inf),
        np.where(is_cost, LEAST_FREEDOM_OF_COSTS, 1),
    )
    flag = np.where(k_alone < FEW_UNITS, FEW, np.where(freedom + 1 < FEW_UNITS, CONCENTRATED, ""))
    one = np.where(is_cost, place, place * (1 - place))
    total, clustered = (unit_variance, freedom), (one / full, np.maximum(number - 1, 1))
    training = np.full(theta.shape, np.nan)
    if run_places is not None:
        total, clustered = (
            _add_retraining_variance(part, np.where(undefined, 0.0, run_places)) for part in (total, clustered)
        )
        training = np.where(total[0] > 0, 1 - unit_variance / np.where(total[0] > 0, total[0], 1), 0.0)
        training = np.where(undefined, np.nan, training)
    size = _effective_sample_size(one, total[0], full, few_sides, span_numbers, is_cost)
    quantile = stdtrit(total[1], (1 + level) / 2)
    share = np.where(is_cost, 0.5, place)
    low, high = wilson_interval(share, size, quantile)
    clustered_size = np.where(one > 0, one / np.where(clustered[0] > 0, clustered[0], 1), number)
    least, most = wilson_interval(share, clustered_size, stdtrit(clustered[1], (1 + level) / 2))
    cost_low, cost_high = poisson_interval(np.where(is_cost, place, 0.5), size, quantile)
    low = np.where(is_cost, cost_low, np.maximum(low, least))
    high = np.where(is_cost, cost_high, np.minimum(high, most))
    if not (low < high).all():
        raise ArithmeticError("an interval of zero width: the variance or the units cannot be right")
    low, high = (np.where(undefined, np.nan, bound) for bound in scale.invert(low, high))
    freedom = np.where(undefined, np.nan, total[1])
    return Intervals(low, high, np.array(k), freedom, np.where(undefined, UNDEFINED, flag), training)


LEAST_FREEDOM_OF_COSTS = 3
"""Fewest degrees of freedom of the interval of a cost without upper limit."""


def degrees_of_freedom(units: ArrayLike, bearers: ArrayLike, least: ArrayLike = 1) -> Floats:
    """Return the degrees of freedom of a variance, float[...].

    Args:
        units: Effective number of units.
        bearers: The number of units that account for the variance, see `influences`.
        least: The smallest value to return.

    Example:
        >>> degrees_of_freedom([20, 20, 1], [np.inf, 4.5, np.inf]).tolist()
        [19.0, 3.5, 1.0]
    """
    freedom: Floats = np.minimum(np.asarray(units, dtype=float), np.asarray(bearers, dtype=float)) - 1
    return np.maximum(freedom, least)


def _broadcast(values: ArrayLike, theta: Floats) -> Floats:
    """Return the values with the shape of the scores. Raise ValueError unless they have it, or are a single number."""
    numbers = np.asarray(values, dtype=float)
    if numbers.shape not in ((), theta.shape):
        raise ValueError(f"numbers of shape {list(numbers.shape)} for scores of shape {list(theta.shape)}")
    return np.broadcast_to(numbers, theta.shape)


def _effective_sample_size(
    one: Floats, variance: Floats, units: Floats, mixed: Floats, spans: Floats, is_cost: NDArray[np.bool_]
) -> Floats:
    """Return n*, the effective sample size of each score; `one` is the variance of a single observation."""
    varies = (one > 0) & (variance > 0)
    finite = np.isfinite(mixed)
    is_still_cost = (one > 0) & ~varies & is_cost & finite  # as many errors per span in every unit
    ratio = np.where(varies, units * variance / np.where(varies, one, 1), np.where(is_still_cost, 0.0, 1.0))
    sides = np.where(finite, mixed, 0.0)
    ratio = np.where(finite, (sides * ratio + 0.5) / (sides + 0.5), ratio)
    return np.where((one > 0) & ~varies & ~is_still_cost & (spans > 0), spans, units / ratio)


def _clip(theta: Floats, place: Floats, undefined: NDArray[np.bool_], is_cost: NDArray[np.bool_]) -> Floats:
    """Return the scaled scores without rounding errors at the ends of the scale; 1/2 where undefined."""
    most = np.where(is_cost, np.inf, 1.0)
    outside = ~undefined & ((place < -TINY) | (place > most + TINY))
    if outside.any():
        raise ValueError(f"the score {theta[outside].flat[0]} is outside its limits; are these the right ones?")
    place = np.where(undefined, 0.5, place)
    return np.where(place < TINY, 0.0, np.where(place > most - TINY, 1.0, place))


def _validate_runs(runs: ArrayLike, theta: Floats) -> Floats:
    scores = np.asarray(runs, dtype=float)
    if scores.ndim != theta.ndim + 1 or scores.shape[1:] != theta.shape or len(scores) < 2:
        raise ValueError(
            f"the scores of the runs need the shape [2 or more, *{list(theta.shape)}], not {list(scores.shape)}; "
            f"omit `runs` for a single run"
        )
    return scores


def _add_retraining_variance(documents: tuple[Floats, Floats], runs: Floats) -> tuple[Floats, Floats]:
    """Add the retraining variance of the mean to that of the documents; return the sum and its degrees of freedom."""
    (variance, freedom), number = documents, len(runs)
    # Sorted, so that the order of the runs does not change the last digit.
    training = np.sort(runs, axis=0).var(axis=0, ddof=1) / number
    training = np.where(training > TINY**2, training, 0.0)
    both = variance + training
    parts = variance**2 / freedom + training**2 / (number - 1)
    return both, np.where(training > 0, both**2 / np.where(parts > 0, parts, 1), freedom)


# Intervals derived from other intervals


def macro_interval(
    values: ArrayLike, low: ArrayLike, high: ArrayLike, whole: tuple[float, float], *, limits: Limits = (0.0, 1.0)
) -> tuple[float, float]:
    """Return the interval of a mean over labels from the intervals of the labels.

    The variance of the mean alone makes it too narrow: a rare label that is always right does not vary, although its
    few spans leave it uncertain. The label's own interval shows this. For a cost without upper limit, the distance of
    a bound from the score is computed on x / (1 + x) and divided by the derivative; upwards it is at most 1 + x.

    The interval is for the mean of the true scores of these labels. Other texts would have other rare labels.

    Args:
        values: The score of each label of the mean, float[labels].
        low: Lower bound of each, NaN where the label has no interval.
        high: Upper bound of each. Bounds that are NaN count as the limits of the score:
            nothing is known about such a label.
        whole: The interval of the mean itself, from `score_intervals`; the result is
            widened to it. NaN bounds widen nothing.
        limits: The lowest and the highest value of the score.

    Returns:
        Lower and upper bound.

    Raises:
        ValueError: There is no label, a score is undefined, or the arrays differ in length.

    Example:
        >>> [round(bound, 5) for bound in macro_interval([0.9, 0.5], [0.8, 0.2], [0.95, 0.8], (0.6, 0.8))]
        [0.54189, 0.85207]

    Source: MOVER, G. Y. Zou and A. Donner (2008).
    """
    theta, lows, highs = (np.asarray(numbers, dtype=float) for numbers in (values, low, high))
    if theta.ndim != 1 or not len(theta) or theta.shape != lows.shape or theta.shape != highs.shape:
        raise ValueError(
            f"the mean over labels needs one score and two bounds per label, "
            f"not {list(theta.shape)}, {list(lows.shape)} and {list(highs.shape)}"
        )
    if not np.isfinite(theta).all():
        raise ValueError("the mean over labels needs defined scores; exclude labels without a score")
    lows, highs = (np.where(np.isnan(bound), limit, bound) for bound, limit in zip((lows, highs), limits))
    below, above = theta - lows, highs - theta
    if bool(variance_scale(limits, ()).is_cost):
        slope = (1 + theta) ** 2
        # With s(x) = x / (1 + x) = 1 - 1 / (1 + x), which is 1 at an infinite bound.
        below = np.minimum(theta, slope * (1 / (1 + lows) - 1 / (1 + theta)))
        above = slope * (1 / (1 + theta) - 1 / (1 + highs))
    # Sorted, so that the order of the labels changes no last digit.
    below, above = (np.sort(reach**2).sum() for reach in (below, above))
    mean = np.sort(theta).sum() / len(theta)
    return (
        float(np.fmin(mean - np.sqrt(below) / len(theta), whole[0])),
        float(np.fmax(mean + np.sqrt(above) / len(theta), whole[1])),
    )


def accuracy_interval(low: ArrayLike, high: ArrayLike) -> tuple[Any, Any]:
    """Return the interval of max(0, 1 − cost) from that of the cost: of `ser_acc` from that of `ser`.

    Args:
        low: Lower bounds of the cost.
        high: Upper bounds of the cost.

    Returns:
        Lower and upper bounds of the accuracy. Both are 0 where the interval of the cost is
        above 1: the only case of an interval of zero width.

    Example:
        >>> [round(float(bound), 2) for bound in accuracy_interval(0.2, 1.3)]
        [0.0, 0.8]
    """
    costs = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    return np.maximum(1 - costs[1], 0.0)[()], np.maximum(1 - costs[0], 0.0)[()]


def average_accuracy_interval(value: float, cost: float, low: float, high: float) -> tuple[float, float]:
    """Return the interval of an average of max(0, 1 − cost) over labels from that of the same average of the cost.

    The interval of the cost is mirrored and shifted to the average accuracy, since the mean of accuracies is not
    1 minus the mean of costs where a cost exceeds 1.

    Args:
        value: The average accuracy.
        cost: The same average of the cost.
        low, high: The interval of the cost.

    Example:
        >>> [round(bound, 2) for bound in average_accuracy_interval(0.42, 0.6, 0.45, 0.85)]
        [0.17, 0.57]
    """
    return float(np.clip(value - (high - cost), 0, value)), float(np.clip(value + (cost - low), value, 1))
