"""The formulas that metrics share. They take numbers or arrays of any shape."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Array = Any
"""A number or an array; the formulas do not mind which."""


def ratio(part: Array, whole: Array) -> Array:
    """part / whole, and NaN where the whole is 0.

    >>> ratio(np.array([1, 0]), np.array([2, 0]))
    array([0.5, nan])
    """
    return np.divide(part, np.where(np.asarray(whole) != 0, whole, np.nan))[()]


def prf(tp: Array, fp: Array, fn: Array, beta: float = 1.0) -> dict[str, Array]:
    """Precision, recall and F-beta from counts.

    F is 0, not undefined, when only one side has spans.

    >>> prf(0, 0, 3)
    {'p': np.float64(nan), 'r': np.float64(0.0), 'f': np.float64(0.0)}
    """
    b2 = beta**2
    f = ratio((1 + b2) * tp, (1 + b2) * tp + b2 * fn + fp)
    return {"p": ratio(tp, tp + fp), "r": ratio(tp, tp + fn), "f": f}


def f_score(p: Array, r: Array, beta: float = 1.0) -> Array:
    """F-beta of a precision and a recall that have denominators of their own.

    Like that of counts it is 0, not undefined, when only one side has spans.

    >>> f_score(np.array([0.5, 0.0, np.nan, np.nan]), np.array([1.0, 0.0, 0.0, np.nan]))
    array([0.66666667, 0.        , 0.        ,        nan])
    """
    b2 = beta**2
    some_p, some_r = np.nan_to_num(p), np.nan_to_num(r)
    f = np.nan_to_num(ratio((1 + b2) * some_p * some_r, b2 * some_p + some_r))
    return np.where(np.isnan(p) & np.isnan(r), np.nan, f)[()]


def weight_table(
    weights: str | Mapping[str, float], named: Mapping[str, Mapping[str, float]], kinds: Sequence[str]
) -> dict[str, float]:
    """A table of weights, given by name or in full; kinds left out weigh 1.

    Raises ValueError for an unknown kind or a weight that is negative or no number.
    """
    if isinstance(weights, str):
        return dict(named[weights])
    for kind, weight in weights.items():
        if kind not in kinds:
            raise ValueError(f"weights = {dict(weights)!r}: there is no {kind!r}; there are {', '.join(kinds)}")
        if not (weight >= 0 and math.isfinite(weight)):
            raise ValueError(f"weights = {dict(weights)!r}: the weight of {kind!r} is not a number from 0 up")
    return dict.fromkeys(kinds, 1.0) | dict(weights)
