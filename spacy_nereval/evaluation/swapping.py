"""Two systems trained once each: their differences, tested by swaps of units."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import Metric, Score
from ..counting.counts import Counts
from .pairs import Pair, all_labels, balances, weights, with_and_without_classes
from .resampling import Confidence, HalfSamples, Units
from .statistics.differences import LEAST_DIFFERING, number_of_swaps, swap_test
from .statistics.families import LABELS, PRIMARY, largest_family
from .statistics.intervals import effective_units
from .statistics.power import detectable_difference, equivalence_level, equivalent
from .tested import Answer, Asked, Families, difference, greatest_difference, label_score, points, primary_of, row

CELLS = 1 << 25
"""Maximum number of sums of labels after swaps in memory at once."""


def swap_rows(
    baseline: Counts, system: Counts, family: Families, asked: Asked, confidence: Confidence, trials: int
) -> Iterator[dict[str, Any]]:
    """Yield a row per score, metric by metric, and then one per label, if labels are asked for.

    Args:
        baseline, system: Counts of the same documents in the same order, as `paired` returns them.
        family: The family of tests of each score.
        asked: What is tested.
        confidence: Level and seed.
        trials: The number of swaps.

    Raises:
        ValueError: Too few swaps for the level: with R swaps no p-value is below 1/(R + 1).
    """
    units = Units(baseline)
    swaps = HalfSamples(units, trials, confidence.seed)
    if not swaps.exact and trials < (least := math.ceil(1 / (1 - confidence.level) - 1e-9) - 1):
        raise ValueError(
            f"{trials} swaps cannot reject anything at a confidence level of {confidence.level:g}: "
            f"expected at least {least} (--trials)"
        )
    setting = _Setting(swaps, confidence.level, asked.margin)
    balance = balances(baseline, system, units, swaps)
    k = _effective_units(baseline, system, units)[None]
    rows: dict[str, list[dict[str, Any]]] = {}
    for metrics in with_and_without_classes(baseline.metrics):
        pair = Pair(baseline, system, metrics)
        for metric, (a, b), (after_a, after_b) in zip(metrics, pair.scores(), pair.swapped(swaps)):
            differing = int(pair.differing(metric)[:, -1].sum())
            rows[metric.name] = []
            for score in metric.scores:
                if (metric.name, score.name) not in family:
                    continue
                own = family[metric.name, score.name]
                values = float(a.scores[score.name][0]), float(b.scores[score.name][0])
                after = after_b.scores[score.name] - after_a.scores[score.name]
                answer = setting.answer(score, values, after, balance[:, -1], differing, k, primary=own == PRIMARY)
                rows[metric.name].append(row(metric, score, None, own, values, answer))
    for metric in baseline.metrics:
        yield from rows[metric.name]
    primary = primary_of(baseline.metrics, family)
    if asked.labels and primary:
        yield from _label_rows(baseline, system, *primary, setting, units)


class _Setting(NamedTuple):
    """What all tests of two systems share."""

    swaps: HalfSamples
    level: float
    margin: float | None

    def answer(
        self,
        score: Score,
        values: tuple[float, float],
        swapped: NDArray[Any],
        balance: NDArray[np.float64],
        differing: int,
        k: float,
        *,
        primary: bool = False,
    ) -> Answer:
        """Return what is known about a difference.

        Args:
            score: The score.
            values: Of both systems.
            swapped: Its difference after each swap, [swaps].
            balance: By how much the spans that stay outweigh the others after each swap, float64[swaps].
            differing: The number of units whose counts differ.
            k: The effective number of units.
            primary: Whether the margin is about this score.
        """
        if score.complement_of is not None:  # it adds nothing to what the other score says
            return Answer(differing=differing, k=k)
        given: dict[str, Any] = {
            "exact": self.swaps.exact,
            "differing": differing,
            "higher_is_better": score.higher_is_better,
            "limit": greatest_difference(score),
        }
        gap = difference(*values)
        p, p_better, low, high = map(float, swap_test(gap, swapped, balance, level=self.level, **given))
        same = None
        if primary and self.margin is not None:
            narrow = swap_test(gap, swapped, balance, level=equivalence_level(self.level), **given)
            holds = equivalent(points(score) * narrow.low, points(score) * narrow.high, self.margin)
            same = self.margin if holds else None
        detectable = float(detectable_difference(low, high, level=self.level))
        return Answer(p, p_better, low, high, detectable, differing, same, k=k)


def _label_rows(
    baseline: Counts, system: Counts, metric: Metric, primary: Score, setting: _Setting, units: Units
) -> Iterator[dict[str, Any]]:
    """Yield the row of each label. Only labels with enough differing units are tested."""
    score = label_score(metric, primary.name)
    labels = all_labels(baseline, system)
    whole = Pair(baseline, system, [metric], labels)
    differing = whole.differing(metric)[:, :-1].sum(axis=0).tolist()
    values = dict(zip(labels, zip(*(side.label_scores[score.name][:, 0].tolist() for side in next(whole.scores())))))
    k = _effective_units(baseline, system, units, labels)
    rows: dict[str, dict[str, Any]] = {}
    for label, units_that_differ in zip(labels, differing):
        rows[label] = row(metric, score, label, LABELS, values[label], Answer(differing=units_that_differ, k=k[label]))
    tested = [label for label, number in zip(labels, differing) if number >= LEAST_DIFFERING]
    for some in _parts(tested, setting.swaps.sums):
        (sides,) = Pair(baseline, system, [metric], some).swapped(setting.swaps)
        after_a, after_b = (side.label_scores[score.name] for side in sides)
        balance = balances(baseline, system, units, setting.swaps, some)
        for n, label in enumerate(some):
            number = differing[labels.index(label)]
            answer = setting.answer(score, values[label], after_b[n] - after_a[n], balance[:, n], number, k[label])
            rows[label] = row(metric, score, label, LABELS, values[label], answer)
    yield from rows.values()


def _effective_units(
    baseline: Counts, system: Counts, units: Units, labels: Sequence[str] = ()
) -> Mapping[str | None, float]:
    """Return the effective number of units of each label, and under None of all spans."""
    k = np.atleast_1d(effective_units(weights(baseline, system, units, labels)))
    return dict(zip((*labels, None), k.tolist()))


def _parts(labels: Sequence[str], swaps: int) -> Iterator[Sequence[str]]:
    """Yield the labels in groups whose sums after all swaps fit in memory."""
    step = max(1, CELLS // (16 * swaps))
    for start in range(0, len(labels), step):
        yield labels[start : start + step]


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
