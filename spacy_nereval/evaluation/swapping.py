"""Two systems trained once each: their differences, tested by swaps of units."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.messages import named
from ..counting.counts import Counts
from ..counting.table import Table
from .pairs import Pair, all_labels, balances, with_and_without_classes
from .resampling import Confidence, HalfSamples, Units, effective_by_label, unit_weights
from .statistics.differences import LEAST_DIFFERING, number_of_swaps, swap_test
from .statistics.families import PRIMARY, largest_family
from .statistics.power import detectable_difference, equivalence_level, equivalent
from .tested import Answer, Asked, Families, Place, difference, greatest_difference, places, points, primary_of, row

CELLS = 1 << 25
"""Maximum number of sums of labels after swaps in memory at once."""


def swap_rows(
    baseline: Counts, system: Counts, family: Families, asked: Asked, confidence: Confidence, number: int
) -> Iterator[dict[str, Any]]:
    """Yield a row per score, metric by metric, and then one per label, if labels are asked for.

    Args:
        baseline, system: Counts of the same documents in the same order, as `paired` returns them.
        family: The family of tests of each score.
        asked: What is tested.
        confidence: Level and seed.
        number: The number of swaps.

    Raises:
        ValueError: Too few swaps for the level: with R swaps no p-value is below 1/(R + 1).
    """
    units = Units(baseline)
    swaps = HalfSamples(units, number, confidence.seed)
    if not swaps.exact and number < (least := math.ceil(1 / (1 - confidence.level) - 1e-9) - 1):
        raise ValueError(
            f"{number} swaps cannot reject anything at a confidence level of {confidence.level:g}: "
            f"expected at least {least} ({named('trials')})"
        )
    labels = all_labels(baseline, system) if asked.labels else ()
    weights = unit_weights([[Table(baseline, labels)], [Table(system, labels)]], units)
    setting = _Setting(swaps, confidence.level, asked.margin, effective_by_label(weights, labels))
    overall, of_labels = (
        [place for place in places(baseline.metrics, family, labels) if (place.label is None) is wanted]
        for wanted in (True, False)
    )
    balance = balances(weights[:, -1], swaps)
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for metrics in with_and_without_classes(baseline.metrics):
        pair = Pair(baseline, system, metrics)
        for metric, before, after in zip(metrics, pair.scores(), pair.swapped(swaps)):
            differing = int(pair.differing(metric)[:, -1].sum())
            for place in overall:
                if place.metric is metric:
                    values, (a, b) = ([place.values(own, ()) for own in sides] for sides in (before, after))
                    answer = setting.answer(place, values, b - a, balance, differing)
                    rows[metric.name, place.score.name] = row(place, values, answer)
    yield from (rows[place.metric.name, place.score.name] for place in overall)
    if of_labels:
        yield from _label_rows(baseline, system, of_labels, labels, weights, setting)


class _Setting(NamedTuple):
    """What all tests of two systems share: swaps, level, margin, and the effective number of units of each label."""

    swaps: HalfSamples
    level: float
    margin: float | None
    effective: Mapping[str, float]

    def untested(self, place: Place, differing: int) -> Answer:
        """Return what is known about a difference without a test."""
        return Answer(differing=differing, k=self.effective[place.label or ""])

    def answer(
        self,
        place: Place,
        values: Sequence[NDArray[Any]],
        swapped: NDArray[Any],
        balance: NDArray[np.float64],
        differing: int,
    ) -> Answer:
        """Return what is known about a difference.

        Args:
            place: The score.
            values: Its values for both systems, [1] each.
            swapped: Its difference after each swap, [swaps].
            balance: By how much the spans that stay outweigh the others after each swap, float64[swaps].
            differing: The number of units whose counts differ.
        """
        score, known = place.score, self.untested(place, differing)
        if score.complement_of is not None:  # it adds nothing to what the other score says
            return known
        given: dict[str, Any] = {
            "exact": self.swaps.exact,
            "differing": differing,
            "higher_is_better": score.higher_is_better,
            "limit": greatest_difference(score),
        }
        gap = difference(*(float(value[0]) for value in values))
        p, p_better, low, high = map(float, swap_test(gap, swapped, balance, level=self.level, **given))
        same = None
        if place.family == PRIMARY and self.margin is not None:
            narrow = swap_test(gap, swapped, balance, level=equivalence_level(self.level), **given)
            holds = equivalent(points(score) * narrow.low, points(score) * narrow.high, self.margin)
            same = self.margin if holds else None
        detectable = float(detectable_difference(low, high, level=self.level))
        return known._replace(p=p, p_better=p_better, low=low, high=high, detectable=detectable, same_within=same)


def _label_rows(
    baseline: Counts,
    system: Counts,
    subjects: Sequence[Place],
    labels: Sequence[str],
    weights: NDArray[np.float64],
    setting: _Setting,
) -> Iterator[dict[str, Any]]:
    """Yield the row of each label, whose units have `weights`. Only labels with enough differing units are tested."""
    metric = subjects[0].metric
    pair = Pair(baseline, system, [metric], labels)
    differing = pair.differing(metric).sum(axis=0).tolist()
    (before,) = pair.scores()
    values = [[place.values(own, labels) for own in before] for place in subjects]
    answers = [setting.untested(place, number) for place, number in zip(subjects, differing)]
    tested = [n for n in range(len(labels)) if differing[n] >= LEAST_DIFFERING]
    for some in _parts(tested, setting.swaps.sums):
        apart = [labels[n] for n in some]
        (after,) = Pair(baseline, system, [metric], apart).swapped(setting.swaps)
        balance = balances(weights[:, some], setting.swaps)
        for k, n in enumerate(some):
            a, b = (subjects[n].values(own, apart) for own in after)
            answers[n] = setting.answer(subjects[n], values[n], b - a, balance[:, k], differing[n])
    yield from (row(*each) for each in zip(subjects, values, answers))


def _parts(labels: Sequence[int], swaps: int) -> Iterator[list[int]]:
    """Yield the indices of labels in groups whose sums after all swaps fit in memory."""
    step = max(1, CELLS // (16 * swaps))
    for start in range(0, len(labels), step):
        yield [*labels[start : start + step]]


def labels_to_test(baseline: Counts, system: Counts, family: Families) -> int:
    """Return how many labels have enough differing units to be tested by the primary score."""
    primary = primary_of(baseline.metrics, family)
    if primary is None:
        return 0
    pair = Pair(baseline, system, [primary[0]], all_labels(baseline, system))
    return int((pair.differing(primary[0])[:, :-1].sum(axis=0) >= LEAST_DIFFERING).sum())


def swaps_for(family: Families, asked: Asked = Asked(), *, systems: int = 1, labels: int = 0) -> int:
    """Return how many swaps are drawn by default.

    Args:
        family: The family of tests of each score, see `families`.
        asked: What is tested.
        systems: How many systems are compared with the baseline.
        labels: How many tests of labels there are, with all systems together.

    >>> from spacy_nereval import create_all
    >>> from spacy_nereval.evaluation.tested import families
    >>> swaps_for(families(create_all())), swaps_for(families(create_all()), systems=2)
    (10000, 20000)
    """
    return number_of_swaps(max(systems * largest_family([*family.values()]), labels if asked.labels else 0))
