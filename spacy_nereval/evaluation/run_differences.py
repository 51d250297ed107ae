"""Two systems, at least one of them trained several times: differences of their mean scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import Metric, Score
from ..counting.counts import Counts
from ..counting.table import Table
from .pairs import Pair, all_labels, with_and_without_classes
from .resampling import Confidence, HalfSamples, Units, effective_by_label, unit_weights
from .scores import score_sums
from .statistics.differences import LEAST_DIFFERING
from .statistics.families import PRIMARY
from .statistics.power import detectable_difference_of_runs, equivalence_level, equivalent
from .statistics.runs import RunDifferences, mean_of_runs, run_test
from .tested import Answer, Asked, Families, Place, greatest_difference, places, points, primary_of, row


def run_rows(
    baseline: Sequence[Counts],
    system: Sequence[Counts],
    family: Families,
    asked: Asked,
    confidence: Confidence,
) -> Iterator[dict[str, Any]]:
    """Yield a row per score, metric by metric, and then one per label, if labels are asked for.

    Args:
        baseline, system: Counts of each training run, all of the same documents in the same
            order, as `paired` returns them; at least one system has two or more.
        family: The family of tests of each score.
        asked: What is tested.
        confidence: Level, number of half-samples and seed.
    """
    metrics, runs = baseline[0].metrics, (len(baseline), len(system))
    labels = all_labels(*baseline, *system)
    subjects = places(metrics, family, labels if asked.labels else ())
    units = Units(baseline[0])
    halves = HalfSamples(units, confidence.samples, confidence.seed)
    tables = [[Table(counts, labels) for counts in side] for side in (baseline, system)]
    a, b = ([_scores(table, halves, subjects) for table in side] for side in tables)
    first, second = (np.array([whole for whole, _ in side]) for side in (a, b))
    samples = mean_of_runs([drawn for _, drawn in b]) - mean_of_runs([drawn for _, drawn in a])
    effective = effective_by_label(unit_weights(tables, units), labels)
    k = [effective[place.label or ""] for place in subjects]
    found = run_test(first, second, samples, k, level=confidence.level)
    narrow = None
    if asked.margin is not None:
        narrow = run_test(first, second, samples, k, level=equivalence_level(confidence.level))
    differing = _differing(baseline, system, labels if asked.labels else (), primary_of(metrics, family))
    for n, place in enumerate(subjects):
        score, number = place.score, differing[place.metric.name, place.label]
        answer = _answer(score, found, n, number, runs, confidence.level)._replace(k=k[n])
        if place.family == PRIMARY and narrow is not None and math.isfinite(answer.p):
            holds = equivalent(points(score) * narrow.low[n], points(score) * narrow.high[n], asked.margin or 0)
            answer = answer._replace(same_within=asked.margin if holds else None)
        yield row(place, [float(mean_of_runs(side[:, n])) for side in (first, second)], answer)


def _answer(score: Score, found: RunDifferences, n: int, differing: int, runs: tuple[int, int], level: float) -> Answer:
    """Return what is known about the n-th difference."""
    if score.complement_of is not None or differing < LEAST_DIFFERING:
        return Answer(differing=differing, runs=runs)
    p = float(found.p[n])
    gap = float(found.difference[n])
    better = gap >= 0 if score.higher_is_better else gap <= 0
    most = greatest_difference(score)
    return Answer(
        p,
        p / 2 if better else 1 - p / 2,
        float(np.maximum(found.low[n], -most)),
        float(np.minimum(found.high[n], most)),
        float(detectable_difference_of_runs(found.error[n], found.freedom[n], level=level)),
        differing,
        None,
        runs,
        float(found.freedom[n]),
        float(found.share[n]),
    )


def _scores(
    table: Table, halves: HalfSamples, subjects: Sequence[Place]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the scores of one run, float64[subjects], and those of the half-samples, float64[samples, subjects]."""
    found = []
    for sums in (table.summed(), table.summed(halves)):
        own = {scores.metric.name: scores for scores in score_sums(sums)}
        values = [place.values(own[place.metric.name], table.labels) for place in subjects]
        found.append(np.array(values, dtype=float).T)
    return found[0][0], found[1]


def _differing(
    baseline: Sequence[Counts], system: Sequence[Counts], labels: Sequence[str], primary: tuple[Metric, Score] | None
) -> Mapping[tuple[str, str | None], int]:
    """Return, per metric and label (None for all), in how many units some runs differ."""
    first, *others = (*baseline, *system)
    found: dict[tuple[str, str | None], int] = {}
    for metrics in with_and_without_classes(first.metrics):
        pairs = [Pair(first, other, metrics) for other in others]
        for metric in metrics:
            unlike = np.any([pair.differing(metric)[:, -1] for pair in pairs], axis=0)
            found[metric.name, None] = int(unlike.sum())
    if labels and primary:
        pairs = [Pair(first, other, [primary[0]], labels) for other in others]
        numbers = np.any([pair.differing(primary[0]) for pair in pairs], axis=0).sum(axis=0).tolist()
        found |= {(primary[0].name, label): number for label, number in zip(labels, numbers)}
    return found
