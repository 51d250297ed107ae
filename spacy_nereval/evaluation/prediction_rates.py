"""How often each label is predicted compared with how often gold has it, and how two systems differ in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import GOLD_SPANS, PRED_SPANS
from ..core.formulas import ratio
from ..counting.counts import Counts
from ..counting.table import Table
from .pairs import all_labels
from .resampling import Confidence, HalfSamples, Units, spans_per_unit
from .result import gold_spans, pred_spans
from .statistics.intervals import FEW_UNITS, TINY, effective_units, score_intervals, spread

Rates = NDArray[np.float64]


class PredictionRate(NamedTuple):
    """How often a label is predicted.

    Attributes:
        label: The label.
        gold, pred: Its numbers of gold and of predicted spans.
        rate: pred / gold: above 1 the label is predicted too often, below 1 too rarely. None
            without gold spans.
        low, high: The bounds of the interval of the rate, None for no interval.
        few: Whether the interval rests on so few units that the rate must not be ranked.
    """

    label: str
    gold: int
    pred: int
    rate: float | None
    low: float | None = None
    high: float | None = None
    few: bool = False


def prediction_rates(counts: Counts, confidence: Confidence | None = None) -> list[PredictionRate]:
    """Return how often each label is predicted, in the order of the labels.

    Args:
        counts: The counts of a corpus.
        confidence: Settings of intervals; None for no intervals.

    Returns:
        A rate for each label: predicted spans per gold span, 1 if there are equally many.

    Raises:
        ValueError: Intervals are asked for, and the counts do not say what is resampled.

    >>> from spacy_nereval import Document, count, create
    >>> document = Document([(0, 1, "A")], [(0, 1, "A"), (2, 3, "A"), (4, 5, "B")])
    >>> for each in prediction_rates(count([document], [create("strict")])):
    ...     print(each.label, each.gold, each.pred, each.rate)
    A 1 2 2.0
    B 0 1 None
    """
    gold, pred = gold_spans(counts), pred_spans(counts)
    found = [
        PredictionRate(label, gold[label], pred[label], pred[label] / gold[label] if gold[label] else None)
        for label in counts.labels
    ]
    if confidence is None or not found:
        return found
    rates, units = _drawn_rates(counts, counts.labels, confidence)
    bounds = score_intervals(
        np.array([np.nan if each.rate is None else each.rate for each in found]),
        rates,
        effective_units(units),
        level=confidence.level,
        limits=(0, np.inf),
    )
    low, high = (np.where(np.isfinite(values), values, np.nan).tolist() for values in (bounds.low, bounds.high))
    return [
        rate._replace(low=low[k], high=high[k], few=bounds.flag[k] == "few") if bounds.flag[k] != "undefined" else rate
        for k, rate in enumerate(found)
    ]


class RateDifference(NamedTuple):
    """How much more often one system predicts a label than another.

    Attributes:
        label: The label.
        difference: The second system's rate minus the first one's, None without gold spans.
        low, high: The bounds of the interval, None where nothing varies or a rate is undefined.
        few: Whether the interval rests on so few units that the difference must not be ranked.
    """

    label: str
    difference: float | None
    low: float | None = None
    high: float | None = None
    few: bool = False


def rate_differences(first: Counts, second: Counts, confidence: Confidence | None = None) -> list[RateDifference]:
    """Return the differences of two systems in how often they predict each label, in the order of the labels.

    Both systems are drawn with the same half-samples. The interval is the difference plus and
    minus its standard error times a quantile of t for the number of units.

    Args:
        first, second: The counts of two systems on the same documents.
        confidence: Settings of intervals; None for no intervals.

    Returns:
        A difference for each label, in predicted spans per gold span.

    Raises:
        ValueError: Intervals are asked for, and the counts do not say what is resampled, or
            were resampled by other units.

    >>> from spacy_nereval import Document, count, create
    >>> systems = [[(0, 1, "A")], [(0, 1, "A"), (2, 3, "A")]]
    >>> rate_differences(*(count([Document([(0, 1, "A")], pred)], [create("strict")]) for pred in systems))
    [RateDifference(label='A', difference=1.0, low=None, high=None, few=False)]
    """
    from scipy.special import stdtrit

    labels = all_labels(first, second)
    gold = [gold_spans(counts) for counts in (first, second)]
    pred = [pred_spans(counts) for counts in (first, second)]
    found = []
    for label in labels:
        spans = max(each.get(label, 0) for each in gold)
        gap = (pred[1].get(label, 0) - pred[0].get(label, 0)) / spans if spans else None
        found.append(RateDifference(label, gap))
    if confidence is None or not labels:
        return found
    if first.units != second.units:
        raise ValueError("the two systems were counted with other units, so their rates cannot be resampled together")
    (a, of_first), (b, of_second) = (_drawn_rates(counts, labels, confidence) for counts in (first, second))
    errors, k = spread(b - a), effective_units(of_first + of_second)
    reach = errors * stdtrit(np.maximum(k - 1, 1), (1 + confidence.level) / 2)
    return [
        each._replace(low=each.difference - far, high=each.difference + far, few=bool(units < FEW_UNITS))
        if each.difference is not None and error > TINY
        else each
        for each, far, error, units in zip(found, reach.tolist(), errors.tolist(), k.tolist())
    ]


def _drawn_rates(counts: Counts, labels: Sequence[str], confidence: Confidence) -> tuple[Rates, Rates]:
    """Return predicted over gold spans in each half-sample, float64[samples, labels], and the gold and
    predicted spans of each unit, float64[units, labels]."""
    confidence.checked()
    table, units = Table(counts, labels), Units(counts)
    sums = table.summed(HalfSamples(units, confidence.samples, confidence.seed))
    gold, pred = (sums.spans(kinds)[:-1] for kinds in (GOLD_SPANS, PRED_SPANS))
    return ratio(pred, gold).T, spans_per_unit(table, units)[:, :-1]
