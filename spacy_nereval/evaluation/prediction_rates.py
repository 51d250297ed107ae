"""Predicted spans per gold span of each label, and how two systems differ in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np

from ..core.declaration import GOLD_SPANS, PRED_SPANS, Array, Columns, Metric, Score
from ..core.formulas import ratio
from ..counting.counts import Counts
from ..counting.table import Table
from .bounds import FEW, FEW_UNITS, TINY, UNDEFINED, degrees_of_freedom
from .intervals import LabelSizes, Rows, interval_rows
from .jackknife import Estimand, Estimates, difference_of_systems, jackknife, mean_on_scale
from .pairs import all_labels
from .resampling import Confidence, Units
from .result import gold_by_label, predictions_by_label, spans_per_label


def _formula(columns: Columns) -> dict[str, Array]:
    return {"rate": ratio(columns["pred"], columns["gold"])}


RATE = Metric(
    scores=(Score("rate", limits=(0, inf)),),
    columns={"gold": GOLD_SPANS, "pred": PRED_SPANS},
    formula=_formula,
    name="rate",
)
"""Predicted spans per gold span."""


class PredictionRate(NamedTuple):
    """How often a label is predicted.

    Attributes:
        label: The label.
        gold, pred: Its numbers of gold and of predicted spans.
        rate: pred / gold: above 1 the label is predicted too often, below 1 too rarely. None
            without gold spans.
        low, high: The bounds of the interval of the rate, None for no interval.
        few: Whether there are too few effective units to rank the rate.
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
        ValueError: Intervals are requested, and the counts have no units.

    >>> from spacy_nereval import Document, count, create
    >>> document = Document([(0, 1, "A")], [(0, 1, "A"), (2, 3, "A"), (4, 5, "B")])
    >>> for rate in prediction_rates(count([document], [create("strict")])):
    ...     print(rate.label, rate.gold, rate.pred, rate.rate)
    A 1 2 2.0
    B 0 1 None
    """
    rates = result_rates({"per_type": spans_per_label(counts)})
    if confidence is None or not rates:
        return rates
    rows = _rate_rows(counts, confidence)
    bounds = [rows["per_type", rate.label, "rate"] for rate in rates]
    return [
        rate._replace(low=row["low"], high=row["high"] if isfinite(row["high"]) else None, few=row["flag"] == FEW)
        if row["flag"] != UNDEFINED
        else rate
        for rate, row in zip(rates, bounds)
    ]


def result_rates(result: Mapping[str, Any]) -> list[PredictionRate]:
    """Return how often each label of a result is predicted, without intervals.

    >>> result_rates({"per_type": {"A": {"gold": 2, "pred": 1}}})[0].rate
    0.5
    """
    return [
        PredictionRate(label, spans["gold"], spans["pred"], spans["pred"] / spans["gold"] if spans["gold"] else None)
        for label, spans in result["per_type"].items()
    ]


def _rate_rows(counts: Counts, confidence: Confidence) -> Rows:
    """Return the intervals of the rates of all labels together and of each."""
    confidence.checked()
    estimates, sizes, units = _estimate_rates([counts], counts.labels, mean_on_scale)
    # For a rate, `mixed` is the number of units with gold spans or with predicted ones, whichever is less.
    tables = [units.groups @ Table(counts.of([RATE])).spans(*kinds) for kinds in (GOLD_SPANS, PRED_SPANS)]
    sides = [side.toarray() if hasattr(side, "toarray") else side for side in tables]
    mixed = np.minimum(*(side.astype(bool).sum(axis=0)[:-1] for side in sides))
    estimates.mixed[-len(mixed) :] = mixed
    whole = estimates.places.index(("scores", "rate"))
    estimates.mixed[whole] = min(int(side[:, :-1].any(axis=1).sum()) for side in sides)
    return interval_rows(estimates, sizes, confidence.level)


class BoundedRate(NamedTuple):
    """The rate of a label or of all labels, its interval, the effective number of units, and whether they are few."""

    value: float
    low: float
    high: float
    k: float
    few: bool


def prediction_rate(counts: Counts, label: str | None, confidence: Confidence) -> BoundedRate | None:
    """Return how often a label, or with None any label, is predicted per gold span; None without gold spans.

    Raises:
        ValueError: The counts have no units.

    >>> from spacy_nereval import Document, count, create
    >>> documents = [Document([(0, 1, "A")], [(0, 1, "A"), (2, 3, "A")], id=str(k)) for k in range(20)]
    >>> rate = prediction_rate(count(documents, [create("strict")]), None, Confidence())
    >>> rate.value, rate.low < 2 < rate.high
    (2.0, True)
    """
    gold, pred = gold_by_label(counts), predictions_by_label(counts)
    number = sum(gold.values()) if label is None else gold.get(label, 0)
    if not number:
        return None
    row = _rate_rows(counts, confidence)[("scores", "rate") if label is None else ("per_type", label, "rate")]
    predicted = sum(pred.values()) if label is None else pred.get(label, 0)
    return BoundedRate(predicted / number, row["low"], row["high"], row["k"], row["flag"] == FEW)


def _estimate_rates(
    runs: Sequence[Counts], labels: Sequence[str], combined: Estimand
) -> tuple[Estimates, LabelSizes, Units]:
    """Return the estimates of the rates, the sizes of the labels, and the units."""
    units, tables = Units(runs[0]), [Table(counts.of([RATE]), labels) for counts in runs]
    (estimates,) = jackknife(tables, units.groups, combined)
    return estimates, LabelSizes.measure(tables, units), units


class RateDifference(NamedTuple):
    """How much more often one system predicts a label than another.

    Attributes:
        label: The label.
        difference: The second system's rate minus the first one's, None without gold spans.
        low, high: The bounds of the interval, None where nothing varies or a rate is undefined.
        few: Whether there are too few effective units to rank the difference.
    """

    label: str
    difference: float | None
    low: float | None = None
    high: float | None = None
    few: bool = False


def rate_differences(first: Counts, second: Counts, confidence: Confidence | None = None) -> list[RateDifference]:
    """Return the differences of two systems in how often they predict each label, in the order of the labels.

    Units are excluded from both systems at once. The interval is the difference plus and minus its standard
    error times a quantile of t for the number of units that account for the variance.

    Args:
        first, second: The counts of two systems on the same documents.
        confidence: Settings of intervals; None for no intervals.

    Returns:
        A difference for each label, in predicted spans per gold span.

    Raises:
        ValueError: Intervals are requested, and the counts have no units or different ones.

    >>> from spacy_nereval import Document, count, create
    >>> systems = [[(0, 1, "A")], [(0, 1, "A"), (2, 3, "A")]]
    >>> rate_differences(*(count([Document([(0, 1, "A")], pred)], [create("strict")]) for pred in systems))
    [RateDifference(label='A', difference=1.0, low=None, high=None, few=False)]
    """
    from scipy.special import stdtrit

    labels = all_labels(first, second)
    gold = [gold_by_label(counts) for counts in (first, second)]
    pred = [predictions_by_label(counts) for counts in (first, second)]
    differences = []
    for label in labels:
        spans = max(side.get(label, 0) for side in gold)
        gap = (pred[1].get(label, 0) - pred[0].get(label, 0)) / spans if spans else None
        differences.append(RateDifference(label, gap))
    if confidence is None or not labels:
        return differences
    if first.units != second.units:
        raise ValueError("the two systems were counted with other units, so their rates cannot be compared")
    confidence.checked()
    estimates, sizes, _ = _estimate_rates([first, second], labels, difference_of_systems(1))
    errors, k = np.sqrt(estimates.influences.variance[-len(labels) :]), sizes.effective[RATE.name, "rate"][:-1]
    freedom = degrees_of_freedom(k, estimates.influences.bearers[-len(labels) :])
    reach = errors * stdtrit(freedom, (1 + confidence.level) / 2)
    return [
        row._replace(low=row.difference - far, high=row.difference + far, few=bool(units < FEW_UNITS))
        if row.difference is not None and error > TINY
        else row
        for row, far, error, units in zip(differences, reach.tolist(), errors.tolist(), k.tolist())
    ]
