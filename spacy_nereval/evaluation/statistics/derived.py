"""Intervals derived from other intervals: of a mean over labels, and of an accuracy that is one minus a cost."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .scales import Limits


def macro_interval(
    values: ArrayLike, low: ArrayLike, high: ArrayLike, own: tuple[float, float], *, limits: Limits = (0.0, 1.0)
) -> tuple[float, float]:
    """Return the interval of a mean over labels from the intervals of the labels.

    Half-samples alone make it too narrow: a rare label that is always right does not vary
    in them, although its few spans leave it uncertain. The label's own interval shows this.

    Args:
        values: The score of each label with gold spans, float[labels].
        low: Lower bound of each, NaN where the label has no interval.
        high: Upper bound of each. Bounds that are NaN count as the limits of the score:
            nothing is known about such a label.
        own: The interval of the mean itself, from `score_intervals`; the result is
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
    theta, lows, highs = (np.asarray(given, dtype=float) for given in (values, low, high))
    if theta.ndim != 1 or not len(theta) or theta.shape != lows.shape or theta.shape != highs.shape:
        raise ValueError(
            f"the mean over labels needs one score and two bounds per label, "
            f"not {list(theta.shape)}, {list(lows.shape)} and {list(highs.shape)}"
        )
    if not np.isfinite(theta).all():
        raise ValueError("the mean over labels needs defined scores; leave out the labels without one")
    # Sorted, so that the order of the labels changes no last digit.
    least, most = limits
    below = np.sort((theta - np.where(np.isnan(lows), least, lows)) ** 2).sum()
    above = np.sort((np.where(np.isnan(highs), most, highs) - theta) ** 2).sum()
    mean = np.sort(theta).sum() / len(theta)
    return (
        float(np.fmin(mean - np.sqrt(below) / len(theta), own[0])),
        float(np.fmax(mean + np.sqrt(above) / len(theta), own[1])),
    )


def accuracy_interval(low: ArrayLike, high: ArrayLike) -> tuple[Any, Any]:
    """Return the interval of max(0, 1 − cost) from that of the cost: of `ser_acc` from that of `ser`.

    Args:
        low: Lower bounds of the cost.
        high: Upper bounds of the cost.

    Returns:
        Lower and upper bounds of the accuracy. Both are 0 where the interval of the cost lies
        above 1: the only case of an interval of zero width.

    Example:
        >>> [round(float(bound), 2) for bound in accuracy_interval(0.2, 1.3)]
        [0.0, 0.8]
    """
    costs = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    return np.maximum(1 - costs[1], 0.0)[()], np.maximum(1 - costs[0], 0.0)[()]
