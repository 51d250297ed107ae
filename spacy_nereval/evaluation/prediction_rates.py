"""How often each label is predicted compared with how often gold has it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.declaration import GOLD_SPANS, PRED_SPANS
from ..core.formulas import ratio
from ..counting.counts import Counts
from ..counting.keys import Slot
from ..counting.sums import Sums
from ..counting.table import Table
from .resampling import Confidence, HalfSamples, Units, spans_per_unit
from .result import gold_spans, pred_spans
from .statistics.intervals import effective_units, score_intervals


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
    confidence.checked()
    table, units = Table(counts, counts.labels), Units(counts)
    halves = table.summed(HalfSamples(units, confidence.samples, confidence.seed))
    bounds = score_intervals(
        _rates(table.summed(), table)[:, 0],
        _rates(halves, table).T,
        effective_units(spans_per_unit(table, units))[:-1],
        level=confidence.level,
        scale="cost",
    )
    low, high = (np.where(np.isfinite(values), values, np.nan).tolist() for values in (bounds.low, bounds.high))
    return [
        rate._replace(low=low[k], high=high[k], few=bounds.flag[k] == "few") if bounds.flag[k] != "undefined" else rate
        for k, rate in enumerate(found)
    ]


def _rates(sums: Sums, table: Table) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return predicted over gold spans, float64[labels, sums]."""
    gold, pred = (
        sum(sums.counts[table.slots[Slot("", kind.value)], :-1] for kind in kinds) for kinds in (GOLD_SPANS, PRED_SPANS)
    )
    found: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = ratio(pred, gold)
    return found
