"""Two systems with collapsed counts: their differences, from the half-samples that both keep."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import GOLD_SPANS, Metric, Score
from ..counting.counts import Counts
from ..counting.sums import Sums, slots
from ..counting.table import columns_of, summed
from .collapsing import spans_and_documents, stored_half_samples, unit_numbers
from .resampling import Confidence
from .scores import score_sums
from .statistics.differences import LEAST_DIFFERING
from .statistics.families import PRIMARY
from .statistics.intervals import spread
from .statistics.power import detectable_difference_of_runs, equivalence_level, equivalent
from .tested import SAME, Answer, Asked, Families, Place, difference, greatest_difference, places, points, row

ERRORS = 3
"""Standard errors by which a sum of squares may exceed its estimate."""


def check_same_documents(baseline: Counts, system: Counts) -> None:
    """Raise ValueError unless two systems with collapsed counts can be compared.

    They need the same half-samples. That they were counted on the same documents shows in their
    gold spans, which then are equal in every half-sample.
    """
    if differences := baseline.differences(system):
        raise ValueError(f"the systems cannot be compared: {differences}")
    whole, halves = ([counts_of(counts) for counts in (baseline, system)] for counts_of in (summed, _halves))
    for first, second in (whole, halves):
        labels = tuple(sorted({*first.labels, *second.labels}))
        a, b = (sums.with_labels(labels).spans(GOLD_SPANS) for sums in (first, second))
        if (a != b).any() or (first.documents != second.documents).any():
            where = "" if first is whole[0] else ", though as many: texts or ids differ"
            raise ValueError(
                f"the systems were not counted on the same documents{where}; they have {_numbers(baseline)} and "
                f"{_numbers(system)}"
            )


def _numbers(counts: Counts) -> str:
    return f"{counts.documents} documents with {counts.gold} gold spans"


def _halves(counts: Counts) -> Sums:
    return stored_half_samples(counts).sums


def collapsed_rows(
    baseline: Counts, system: Counts, family: Families, asked: Asked, confidence: Confidence
) -> Iterator[dict[str, Any]]:
    """Yield a row per score, metric by metric, and then one per label, if labels are asked for.

    The bootstrap standard error of a difference is the spread of its values in the half-samples; the
    interval reaches as many of them as the t distribution says, with the effective number of units.
    There is no p, since no documents can be swapped. Each row has its `standard_error`.

    Args:
        baseline, system: Collapsed counts of the same documents, see `check_same_documents`.
        family: The family of each score.
        asked: What is compared.
        confidence: The level of the intervals.
    """
    labels = tuple(sorted({*baseline.labels, *system.labels}))
    wholes = [summed(counts, labels=labels) for counts in (baseline, system)]
    halves = [_halves(counts).with_labels(labels) for counts in (baseline, system)]
    k, gaps = effective_units(baseline, system), halves[1] - halves[0]
    own = {of_metric[0].metric.name: of_metric for of_metric in zip(*map(score_sums, (*wholes, *halves)))}
    for place in places(baseline.metrics, family, labels if asked.labels else ()):
        values = [place.values(scores, labels) for scores in own[place.metric.name]]
        columns = slice(None)
        if place.label is not None:
            columns = slice(labels.index(place.label), labels.index(place.label) + 1)
        known = _differ(place.metric, gaps, columns)
        yield _row(place, values, k[place.label or ""], known, confidence.level, asked.margin)


def _row(
    place: Place, values: list[NDArray[np.float64]], k: float, known: bool, level: float, margin: float | None
) -> dict[str, Any]:
    """Return the row of one score.

    `values` are those of both systems, [1], then in the half-samples, [samples]; `known` says
    whether enough units are known to differ.
    """
    score = place.score
    a, b = float(values[0][0]), float(values[1][0])
    gaps = values[3] - values[2]
    error, answer = math.nan, Answer(k=k)
    defined = 2 * np.isfinite(gaps).sum() >= len(gaps) and math.isfinite(b - a)
    if defined and known and score.complement_of is None:
        error = float(spread(gaps))
    if error > SAME:
        low, high = _interval(difference(a, b), error, k, level, score)
        narrow = _interval(difference(a, b), error, k, equivalence_level(level), score)
        factor = points(score)
        holds = place.family == PRIMARY and margin and equivalent(factor * narrow[0], factor * narrow[1], margin)
        detectable = float(detectable_difference_of_runs(error, max(k - 1, 1), level=level))
        answer = answer._replace(low=low, high=high, detectable=detectable, same_within=margin if holds else None)
    return row(place, (a, b), answer) | {"differing": None, "standard_error": error if error > SAME else math.nan}


def _interval(gap: float, error: float, k: float, level: float, score: Score) -> tuple[float, float]:
    from scipy.special import stdtrit  # Takes a third of a second, and many commands do not need it.

    reach, most = float(stdtrit(max(k - 1, 1), (1 + level) / 2)) * error, greatest_difference(score)
    return max(gap - reach, -most), min(gap + reach, most)


def _differ(metric: Metric, gaps: Sums, labels: slice) -> bool:
    """Return whether enough units are known to differ in a metric's counts of some labels.

    Let D units differ. Then a half-sample is one of no more than 2^D, so that more unlike sums prove more units. And
    no two sums of one column are further apart than Σ|δ| of the units' differences δ, whose square is at most
    D·Σδ² (Cauchy and Schwarz); four times the variance of the sums estimates Σδ², with a known standard error.
    """
    columns = columns_of(metric, gaps.counts[:, labels], slots(gaps.metrics))
    seen = np.ascontiguousarray(np.concatenate([columns[name] for name in metric.columns]).T)
    if len({values.tobytes() for values in seen}) > 1 << (LEAST_DIFFERING - 1):
        return True
    reach, squares = np.ptp(seen, axis=0).astype(float), 4 * seen.var(axis=0)
    least = LEAST_DIFFERING * (1 + ERRORS * math.sqrt(2 / len(seen)))
    return bool((reach**2 > least * squares)[squares > 0].any())


def effective_units(baseline: Counts, system: Counts) -> Mapping[str, float]:
    """Return the effective number of units of each label, and of all labels under "".

    A unit weighs its spans of both systems, those of gold twice. Its square is not known, only those of each
    system; the sum of these squares' roots is the largest that it can be, so k is rather too small.
    """
    spans: dict[str, float] = {}
    roots: dict[str, float] = {}
    for counts in (baseline, system):
        sums, known = summed(counts), unit_numbers(counts).effective
        for name, total in zip((*sums.labels, ""), spans_and_documents(sums)[:, 0].tolist()):
            spans[name] = spans.get(name, 0.0) + total
            roots[name] = roots.get(name, 0.0) + (total / math.sqrt(known[name]) if known[name] else 0.0)
    return {name: (spans[name] / roots[name]) ** 2 if roots[name] else 0.0 for name in spans}
