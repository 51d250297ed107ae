"""What the columns of the table count, and how amounts become whole numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import Kind, Metric

NUMBER, HIGH, LOW = "", "high", "low"
"""The quantities of a verdict: how many there are, and with partial credit the sum of their
amounts, in two whole numbers."""

HIGH_UNIT, LOW_UNIT = 2.0**30, 2.0**60

LARGEST = 4e9
"""Maximum sum of amounts or scores: twice the sum, times `HIGH_UNIT`, fits 63 bits."""


class Key(NamedTuple):
    """What a column counts.

    metric: the metric that passed the verdict; "" for a `Kind` of span, which all metrics share.
    verdict: the verdict, or the kind. gold, pred: the labels; "" for no span.
    quantity: NUMBER, or HIGH or LOW for the sum of amounts that are not whole numbers.
    note: what the metric noted with the verdict.
    """

    metric: str
    verdict: str
    gold: str
    pred: str
    quantity: str = NUMBER
    note: str = ""


def split(amount: NDArray[Any]) -> NDArray[Any]:
    """Return amounts as two whole numbers each, in units of 2^-30 and 2^-60: float64[2, ...].

    >>> join(split(np.array([0.1, 2 / 3]))).tolist()
    [0.1, 0.6666666666666666]
    """
    high = np.floor(np.asarray(amount) * HIGH_UNIT)
    return np.stack([high, np.rint((amount - high / HIGH_UNIT) * LOW_UNIT)])


def join(parts: NDArray[Any]) -> NDArray[Any]:
    """Return the amounts from their high and low parts, [2, ...]."""
    amounts: NDArray[Any] = parts[0] / HIGH_UNIT + parts[1] / LOW_UNIT
    return amounts


class Slot(NamedTuple):
    """A key without its labels and note: the metric ("" for kinds), the verdict, the quantity."""

    metric: str
    verdict: str
    quantity: str = NUMBER


def slots(metrics: Iterable[Metric]) -> dict[Slot, int]:
    """Return everything that is counted for some metrics, each with its index in `Sums.counts`."""
    listed = [Slot("", kind.value) for kind in Kind]
    for metric in metrics:
        for verdict in own_verdicts(metric):
            quantities = (NUMBER, HIGH, LOW) if verdict in metric.partial_credit else (NUMBER,)
            listed += [Slot(metric.name, verdict, quantity) for quantity in quantities]
    return {slot: k for k, slot in enumerate(listed)}


def own_verdicts(metric: Metric) -> tuple[str, ...]:
    """Return the verdicts that a metric's judge may pass; none if it has no judge."""
    return metric.verdict_names if metric.judge else ()
