"""The formulas that metrics share. They take numbers, or arrays of any shape element by element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from .scores import Array

HEAVIEST = 1e12
"""The largest weight. With much larger ones, weighted counts could overflow."""


def ratio(part: Array, whole: Array) -> Array:
    """Return part / whole, and NaN where `whole` is 0.

    Args:
        part, whole: Numbers, or arrays of one shape.

    Returns:
        float64[...], of the shape of the arguments.

    >>> ratio(np.array([1, 0]), np.array([2, 0]))
    array([0.5, nan])
    """
    return np.divide(part, np.where(np.asarray(whole) != 0, whole, np.nan))[()]


def weight_of_precision(beta: float) -> float:
    """Return van Rijsbergen's alpha, 1/(1 + beta^2): the weight of precision in F, from 1 down to 0.

    F is computed from alpha because beta^2 overflows where beta is large.

    >>> [weight_of_precision(beta) for beta in (0, 1, 1e200, float("inf"))]
    [1.0, 0.5, 0.0, 0.0]
    """
    return 1 / (1 + beta * beta)


def prf(tp: Array, fp: Array, fn: Array, beta: float = 1.0) -> dict[str, Array]:
    """Return precision `p`, recall `r` and F-beta `f` from counts.

    F is 0, not undefined, when only one side has spans.

    Args:
        tp, fp, fn: Correct, spurious and missed, in any unit. Fractions are fine.
        beta: From 0, where F is precision, to infinity, where F is recall.

    Returns:
        float64[...] each, of the shape of the counts: from 0 to 1, NaN where undefined.

    >>> prf(0, 0, 3)
    {'p': np.float64(nan), 'r': np.float64(0.0), 'f': np.float64(0.0)}
    >>> [float(prf(1, 1, 3, beta)["f"]) for beta in (0, 1, float("inf"))]
    [0.5, 0.3333333333333333, 0.25]

    Source: Makhoul et al. (1999), equation 6, with van Rijsbergen's α = 1/(1 + β²).
    """
    alpha = weight_of_precision(beta)
    f = ratio(tp, tp + (1 - alpha) * fn + alpha * fp)
    # With beta 0 or infinite, or nearly, the denominator leaves one side out. That side may be the only one.
    only_one_side = np.isnan(f) & ((np.asarray(fp) != 0) | (np.asarray(fn) != 0))
    return {"p": ratio(tp, tp + fp), "r": ratio(tp, tp + fn), "f": np.where(only_one_side, 0.0, f)[()]}


def f_score(p: Array, r: Array, beta: float = 1.0) -> Array:
    """Return F-beta of a precision and a recall that have denominators of their own.

    As with counts, F is 0, not undefined, when only one side has spans.

    Args:
        p, r: Precision and recall; NaN where a side has no spans.
        beta: From 0, where F is precision, to infinity, where F is recall.

    Returns:
        float64[...], of the shape of p and r: from 0 to 1, NaN where undefined.

    >>> f_score(np.array([0.5, 0.0, np.nan, np.nan]), np.array([1.0, 0.0, 0.0, np.nan]))
    array([0.66666667, 0.        , 0.        ,        nan])

    Source: Makhoul et al. (1999), equation 5a, with α as in `prf`.
    """
    alpha = weight_of_precision(beta)
    some_p, some_r = np.nan_to_num(p), np.nan_to_num(r)
    f = np.nan_to_num(ratio(some_p * some_r, (1 - alpha) * some_p + alpha * some_r))
    return np.where(np.isnan(p) & np.isnan(r), np.nan, f)[()]


def weight_table(
    weights: str | Mapping[str, float], named: Mapping[str, Mapping[str, float]], kinds: Sequence[str]
) -> dict[str, float]:
    """Return a table of weights from its name, or from a table that may leave kinds out.

    Args:
        weights: The name of a table in `named`, or a table itself.
        named: The tables that have a name.
        kinds: What may be weighted. A kind that is left out weighs 1.

    Returns:
        The weight of each kind, from 0 to `HEAVIEST`.

    Raises:
        ValueError: A kind is unknown, or a weight is not a number from 0 to `HEAVIEST`.

    >>> weight_table({"d": 0.5}, {}, ("d", "i"))
    {'d': 0.5, 'i': 1.0}
    """
    if isinstance(weights, str):
        return dict(named[weights])
    for kind, weight in weights.items():
        if kind not in kinds:
            raise ValueError(f"weights = {dict(weights)!r}: there is no {kind!r}; there are {', '.join(kinds)}")
        if not 0 <= weight <= HEAVIEST:
            raise ValueError(
                f"weights = {dict(weights)!r}: the weight of {kind!r} is not a number from 0 to {HEAVIEST:g}"
            )
    return dict.fromkeys(kinds, 1.0) | dict(weights)
