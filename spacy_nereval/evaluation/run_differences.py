"""Two systems, at least one of them trained several times: differences of their mean scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import Metric, Score
from ..counting.counts import Counts
from ..counting.table import Table
from .pairs import Pair, all_labels, with_and_without_classes
from .resampling import Confidence, HalfSamples, Units, spans_per_unit
from .scores import score_sums
from .statistics.differences import LEAST_DIFFERING
from .statistics.families import LABELS, PRIMARY
from .statistics.intervals import effective_units
from .statistics.power import detectable_difference_of_runs, equivalence_level, equivalent
from .statistics.runs import RunDifferences, mean_of_runs, run_test
from .tested import Answer, Asked, Families, greatest_difference, label_score, points, primary_of, row


class _Place(NamedTuple):
    """The subject of a row: an overall score, or with a label the score of this label."""

    metric: str
    score: str
    label: str | None = None


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
    primary = primary_of(metrics, family)
    labels = all_labels(*baseline, *system)
    places = {_Place(*key): which for key, which in family.items()}
    if asked.labels and primary:
        of_label = label_score(primary[0], primary[1].name)
        places |= {_Place(primary[0].name, of_label.name, label): LABELS for label in labels}
    halves = HalfSamples(Units(baseline[0]), confidence.samples, confidence.seed)
    a, b = ([_scores(counts, labels, halves, [*places]) for counts in side] for side in (baseline, system))
    first, second = (np.array([whole for whole, _ in side]) for side in (a, b))
    samples = mean_of_runs([drawn for _, drawn in b]) - mean_of_runs([drawn for _, drawn in a])
    k = _effective_units(baseline, system, labels)
    units = [k[place.label] for place in places]
    found = run_test(first, second, samples, units, level=confidence.level)
    narrow = None
    if asked.margin is not None:
        narrow = run_test(first, second, samples, units, level=equivalence_level(confidence.level))
    differing = _differing(baseline, system, labels if asked.labels else (), primary)
    own = {metric.name: metric for metric in metrics}
    for n, (place, which) in enumerate(places.items()):
        metric = own[place.metric]
        score = metric.score_by_name[place.score]
        number = differing[place.metric, place.label]
        answer = _answer(score, found, n, number, runs, confidence.level)._replace(k=units[n])
        if which == PRIMARY and narrow is not None and math.isfinite(answer.p):
            holds = equivalent(points(score) * narrow.low[n], points(score) * narrow.high[n], asked.margin or 0)
            answer = answer._replace(same_within=asked.margin if holds else None)
        values = float(mean_of_runs(first[:, n])), float(mean_of_runs(second[:, n]))
        yield row(metric, score, place.label, which, values, answer)


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
    counts: Counts, labels: Sequence[str], halves: HalfSamples, places: Sequence[_Place]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the scores of one run, float64[places], and those of the half-samples, float64[samples, places]."""
    table = Table(counts, labels)
    sums = []
    for total in (table.summed(), table.summed(halves)):
        by_metric = {own.metric.name: own for own in score_sums(total)}
        columns = [
            by_metric[place.metric].scores[place.score]
            if place.label is None
            else by_metric[place.metric].label_scores[place.score][labels.index(place.label)]
            for place in places
        ]
        sums.append(np.array(columns, dtype=float).T)
    return sums[0][0], sums[1]


def _effective_units(
    baseline: Sequence[Counts], system: Sequence[Counts], labels: Sequence[str]
) -> Mapping[str | None, float]:
    """Return the effective number of units of each label, and under None of all spans.

    A unit weighs its gold spans twice, and the spans that a run of each system predicts on average.
    """
    units = Units(baseline[0])
    spans = [[spans_per_unit(Table(counts, labels), units) for counts in side] for side in (baseline, system)]
    k = np.atleast_1d(effective_units(mean_of_runs(spans[0]) + mean_of_runs(spans[1]))).tolist()
    return dict(zip((*labels, None), k))


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
