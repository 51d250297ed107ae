"""The evidence on the difference of two systems' scores: values, tests and intervals from their counts.

There are three kinds of evidence: swaps of units for two systems trained once each, the spread of training runs, and
for collapsed counts the half-samples that both keep. Each gives the values of a score and a test of their difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import Metric, Score
from ..core.messages import spell_argument
from ..counting.counts import Counts
from ..counting.sums import Sums, slots
from ..counting.table import Table, columns_of, sum_counts
from .bounds import TINY, degrees_of_freedom, effective_units, spread
from .collapsing import effective_by_score, require_half_samples, spans_and_documents, unit_numbers
from .differences import LEAST_DIFFERING, Differences, balance, rare_bounds, swap_test, t_test, widen_interval
from .jackknife import difference_of_runs
from .pairs import (
    Contributions,
    Pair,
    Spread,
    all_labels,
    balances,
    leads_after_swaps,
    make_sides,
    split_by_classes,
)
from .resampling import Confidence, HalfSamples, Units, unit_weights
from .scores import score_sums
from .tested import Subject, difference, greatest_difference, limit_of_difference
from .unit_weights import UnitWeights
from .variance import mean_of_runs, run_errors

CELLS = 1 << 25
"""Maximum number of sums of labels after swaps in memory at once."""

ERRORS = 3
"""Number of standard errors by which a sum of squares may exceed its estimate."""


class Evidence(NamedTuple):
    """The difference of one score between two systems: values, units and test.

    Attributes:
        subject: The score.
        values: Its values for the baseline and the system.
        k: The effective number of units that inform the score of either system, by the spans of both.
        differing: The number of units that differ in this score, with several runs, of those with
            different counts; None if it is not known.
        test: The test at a confidence level; None if there is none.
        runs: The number of training runs of each system.
        freedom: With several runs, the degrees of freedom; else NaN.
        training: With several runs, the share of the retraining variance; else NaN.
        error: For collapsed counts, the standard error; None for others.
        contributions: The contributions of units to the difference, if too few differ for a test; else None.
        limit: The greatest possible difference, for contributions.
    """

    subject: Subject
    values: tuple[float, float]
    k: float
    differing: int | None
    test: Callable[[float], Differences] | None
    runs: tuple[int, int] = (1, 1)
    freedom: float = math.nan
    training: float = math.nan
    error: float | None = None
    contributions: Contributions | None = None
    limit: float = math.inf


# Two systems trained once each: their differences, tested by swaps of units


def swap_evidence(
    baseline: Counts, system: Counts, subjects: Sequence[Subject], confidence: Confidence, number: int
) -> Iterator[Evidence]:
    """Yield the evidence of swaps on each subject, in any order.

    Args:
        baseline, system: Counts of the same documents in the same order, as `align_counts` returns them.
        subjects: The scores; those of labels are one score of one metric.
        confidence: Level and seed.
        number: The number of swaps.

    Raises:
        ValueError: Too few swaps for the level: with R swaps no p-value is below 1/(R + 1).
    """
    units = Units(baseline)
    swaps = _draw_swaps(units, confidence, number)
    overall = [subject for subject in subjects if subject.label is None]
    of_labels = [subject for subject in subjects if subject.label is not None]
    labels = [subject.label for subject in of_labels if subject.label is not None]
    tables = [[Table(baseline, labels)], [Table(system, labels)]]
    weights = unit_weights(tables, units)
    swapping = _Swaps(swaps, effective_by_subject(tables, units, subjects))
    if overall:
        yield from _overall_evidence(baseline, system, overall, weights[:, -1], swapping)
    if labels:
        yield from _label_evidence(baseline, system, of_labels, labels, weights, swapping)


def effective_by_subject(
    tables: Sequence[Sequence[Table]], units: Units, subjects: Sequence[Subject]
) -> dict[tuple[str, str, str | None], float]:
    """Return the effective number of units that inform each subject in some run, by its key.

    Args:
        tables: The documents of each system's training runs.
        units: Their units.
        subjects: The scores.
    """
    weights, first = UnitWeights(tables, units), tables[0][0]
    effective = {metric.name: weights.effective_numbers(metric) for metric in first.metrics}
    place = {None: -1} | {label: number for number, label in enumerate(first.labels)}
    return {
        subject.key: float(effective[subject.metric.name][subject.score.name][place[subject.label]])
        for subject in subjects
    }


def _draw_swaps(units: Units, confidence: Confidence, number: int) -> HalfSamples:
    """Return the swaps. Raise ValueError if they are too few to reject anything."""
    swaps = HalfSamples(units, number, confidence.seed)
    if not swaps.exact and number < (least := math.ceil(1 / (1 - confidence.level) - 1e-9) - 1):
        raise ValueError(
            f"{spell_argument('trials', number)}: so few permutations cannot reject anything at a confidence level of "
            f"{confidence.level:g}; expected at least {least}"
        )
    return swaps


def swap_evidence_of_pairs(
    systems: Sequence[Counts], subject: Subject, confidence: Confidence, number: int
) -> Iterator[Evidence]:
    """Yield the evidence of swaps on each pair of systems, as `swap_evidence` does for one.

    The sums that a swap does not change are computed once per system, not once per pair.

    Args:
        systems: Counts of the same documents in the same order, as `align_counts` returns them.
        subject: The score.
        confidence: Level and seed.
        number: The number of swaps.

    Yields:
        The evidence of the pairs in the order of `itertools.combinations`.

    Raises:
        ValueError: As for `swap_evidence`.
    """
    units = Units(systems[0])
    swaps = _draw_swaps(units, confidence, number)
    labels = () if subject.label is None else (subject.label,)
    sides = make_sides(systems, [subject.metric], labels or None)
    tables = [Table(counts.of([subject.metric]), labels) for counts in systems]
    weights = np.stack([unit_weights([[table]], units)[:, 0] for table in tables], axis=1)
    informing = [
        UnitWeights([[table]], units).weights_of_score(subject.metric, subject.score.name, 0 if labels else None) > 0
        for table in tables
    ]
    staying = np.concatenate([bits.astype(float) @ weights for bits in swaps.bits_of_units()])
    places, step = [*combinations(range(len(systems)), 2)], max(1, CELLS // swaps.sums)
    for start in range(0, len(places), step):
        pairs = {place: Pair(*(sides[k] for k in place)) for place in places[start : start + step]}
        contributions = {place: pair.contributions([subject], labels)[0] for place, pair in pairs.items()}
        tested = {place: pair for place, pair in pairs.items() if _has_test(subject, contributions[place])}
        leads = leads_after_swaps(tested, sides, swaps, subject, labels)
        for place, pair in pairs.items():
            of_pair = weights[:, place].sum(axis=1)
            informed = of_pair * np.any([informing[k] for k in place], axis=0)
            swapping = _Swaps(swaps, {subject.key: float(effective_units(informed))})
            ((first, second),) = pair.scores()
            values = [subject.values(side, labels) for side in (first, second)]
            balance_of_pair = balance(staying[:, place].sum(axis=1), of_pair.sum())
            spread_of_pair = pair.spreads([subject], labels)[0] if place in tested else None
            evidence = contributions[place], leads.pop(place, None), balance_of_pair, spread_of_pair
            yield swapping.evidence(subject, values, *evidence)


def _has_test(subject: Subject, contributions: Contributions) -> bool:
    """Return whether a difference is tested: enough units differ, and the score is no function of another one."""
    return len(contributions.units) >= LEAST_DIFFERING and subject.score.complement_of is None


class _Swaps(NamedTuple):
    """Swaps, and the effective number of units of each subject, by its key."""

    swaps: HalfSamples
    effective: Mapping[tuple[str, str, str | None], float]

    def evidence(
        self,
        subject: Subject,
        values: Sequence[NDArray[Any]],
        contributions: Contributions,
        swapped: NDArray[Any] | None,
        balance: NDArray[np.float64],
        spread: Spread | None,
    ) -> Evidence:
        """Return the evidence on one difference.

        Args:
            subject: The score.
            values: Its values for both systems, [1] each.
            contributions: The contributions of units to the difference.
            swapped: Its difference after each swap, [swaps]; None if it is not tested.
            balance: The balance of each swap, see `balances`, float64[swaps].
            spread: How the difference varies with the units; None if it is not tested.
        """
        a, b = (np.asarray(value).item() for value in values)
        k, gap, limit = self.effective[subject.key], difference(a, b), limit_of_difference(subject.score, a, b)
        evidence = Evidence(subject, (a, b), k, len(contributions.units), None, limit=limit)
        if not math.isfinite(gap) or subject.score.complement_of is not None:
            return evidence
        if swapped is None or spread is None:
            test = partial(_rare_interval, contributions.amounts, k, limit)
            return evidence._replace(test=test, contributions=contributions)
        options: dict[str, Any] = {
            "exact": self.swaps.exact,
            "differing": evidence.differing,
            "higher_is_better": subject.score.higher_is_better,
            "limit": limit,
        }

        def test_by_swaps(level: float) -> Differences:
            test = swap_test(gap, swapped, balance, level=level, **options)
            return widen_interval(test, gap, *spread, units=k, level=level, limit=limit)

        return evidence._replace(test=test_by_swaps)


def _rare_interval(amounts: NDArray[np.float64], k: float, limit: float, level: float) -> Differences:
    """Return the interval of a difference that rests on too few units to test."""
    nothing, (low, high) = np.array(math.nan), rare_bounds(amounts, k, level, limit)
    return Differences(nothing, nothing, np.array(low), np.array(high), nothing)


def _overall_evidence(
    baseline: Counts,
    system: Counts,
    subjects: Sequence[Subject],
    weights: NDArray[np.float64],
    swapping: _Swaps,
) -> Iterator[Evidence]:
    """Yield the evidence on scores of all labels together, with the `weights` of units."""
    balance = balances(weights, swapping.swaps)
    for metrics in split_by_classes(baseline.metrics):
        pair = Pair.of(baseline, system, metrics)
        of_metrics = [subject for subject in subjects if subject.metric in metrics]
        by_metric = {before[0].metric.name: before for before in pair.scores()}
        all_contributions = pair.contributions(of_metrics)
        tested = [subject for subject, part in zip(of_metrics, all_contributions) if _has_test(subject, part)]
        swapped = pair.differences(swapping.swaps, tested) if tested else {}
        spreads = dict(zip((subject.key for subject in tested), pair.spreads(tested)))
        for subject, contributions in zip(of_metrics, all_contributions):
            values = [subject.values(side, ()) for side in by_metric[subject.metric.name]]
            key = subject.key
            yield swapping.evidence(subject, values, contributions, swapped.get(key), balance, spreads.get(key))


def _label_evidence(
    baseline: Counts,
    system: Counts,
    subjects: Sequence[Subject],
    labels: Sequence[str],
    weights: NDArray[np.float64],
    swapping: _Swaps,
) -> Iterator[Evidence]:
    """Yield the evidence on each label, with the `weights` of units. Labels with few differing units get no test."""
    metric = subjects[0].metric
    pair = Pair.of(baseline, system, [metric], labels)
    contributions = pair.contributions(subjects, labels)
    (before,) = pair.scores()
    values = [[subject.values(scores, labels) for scores in before] for subject in subjects]
    tested = [n for n in range(len(labels)) if _has_test(subjects[n], contributions[n])]
    spreads = pair.spreads(subjects, labels) if tested else []
    for n in {*range(len(labels))} - {*tested}:
        yield swapping.evidence(subjects[n], values[n], contributions[n], None, weights, None)
    for group in _label_groups(tested, swapping.swaps.sums):
        apart = [labels[n] for n in group]
        group_pair = Pair.of(baseline, system, [metric], apart)
        swapped = group_pair.differences(swapping.swaps, [subjects[n] for n in group], apart)
        balance = balances(weights[:, group], swapping.swaps)
        for k, n in enumerate(group):
            label_swaps = swapped[subjects[n].key], balance[:, k]
            yield swapping.evidence(subjects[n], values[n], contributions[n], *label_swaps, spreads[n])


def _label_groups(labels: Sequence[int], swaps: int) -> Iterator[list[int]]:
    """Yield the indices of labels in groups, so that the sums of each after all swaps fit in memory."""
    step = max(1, CELLS // (16 * swaps))
    for start in range(0, len(labels), step):
        yield [*labels[start : start + step]]


# Two systems, at least one of them trained several times: differences of their mean scores


def run_evidence(
    baseline: Sequence[Counts], system: Sequence[Counts], subjects: Sequence[Subject], confidence: Confidence
) -> Iterator[Evidence]:
    """Yield the evidence of training runs on each subject.

    Args:
        baseline, system: Counts of each training run, all of the same documents in the same
            order, as `align_runs` returns them; at least one system has two or more.
        subjects: The scores.
        confidence: Number of half-samples and seed, for metrics that count distinct strings of the corpus.
    """
    labels, units = all_labels(*baseline, *system), Units(baseline[0])
    tables = [[Table(counts, labels) for counts in side] for side in (baseline, system)]
    first, second = (np.array([_subject_scores(table, None, subjects)[0] for table in side]) for side in tables)
    paths = [
        ("scores", subject.score.name) if subject.label is None else ("per_type", subject.label, subject.score.name)
        for subject in subjects
    ]
    by_unit = difference_of_runs(baseline, system, [(s.metric.name, path) for s, path in zip(subjects, paths)], labels)
    variance = np.where(by_unit.lone, np.nan, by_unit.variance)
    if distinct := [n for n, subject in enumerate(subjects) if subject.metric.distinct]:
        halves = HalfSamples(units, confidence.samples, confidence.seed)
        distinct_subjects = [subjects[n] for n in distinct]
        a, b = (mean_of_runs([_subject_scores(table, halves, distinct_subjects) for table in side]) for side in tables)
        variance[distinct] = np.where(2 * np.isfinite(b - a).sum(axis=0) >= halves.sums, spread(b - a) ** 2, np.nan)
    effective = effective_by_subject(tables, units, subjects)
    k = np.array([effective[subject.key] for subject in subjects])
    errors = run_errors(first, second, variance, degrees_of_freedom(k, by_unit.bearers))
    differing = _count_differing(baseline, system, subjects)
    means = zip(*(mean_of_runs(side).tolist() for side in (first, second)))
    for n, (subject, values, number) in enumerate(zip(subjects, means, differing)):
        evidence = Evidence(subject, values, k[n].item(), number, None, (len(baseline), len(system)))
        if subject.score.complement_of is None and number >= LEAST_DIFFERING:
            freedom, share = errors.freedom[n].item(), errors.share[n].item()
            test = partial(_apply_t_test, subject.score, errors.difference[n].item(), errors.error[n].item(), freedom)
            evidence = evidence._replace(test=test, freedom=freedom, training=share)
        yield evidence


def _subject_scores(table: Table, halves: HalfSamples | None, subjects: Sequence[Subject]) -> NDArray[np.float64]:
    """Return the scores of one run, of all documents or of half-samples, float64[sums, subjects]."""
    by_metric = {scores.metric.name: scores for scores in score_sums(table.sum_rows(halves))}
    values = [subject.values(by_metric[subject.metric.name], table.labels) for subject in subjects]
    return np.array(values, dtype=float).T


def _count_differing(baseline: Sequence[Counts], system: Sequence[Counts], subjects: Sequence[Subject]) -> list[int]:
    """Return, for each subject, in how many units some runs differ."""
    first, *others = (*baseline, *system)
    labels = [subject.label for subject in subjects if subject.label is not None]
    numbers_by_key: dict[tuple[str, str | None], int] = {}
    for metrics in split_by_classes(first.metrics):
        pairs = [Pair.of(first, other, metrics) for other in others]
        for metric in metrics:
            differs = np.any([pair.differing_units(metric)[:, -1] for pair in pairs], axis=0)
            numbers_by_key[metric.name, None] = int(differs.sum())
    if labels:
        metric = subjects[-1].metric
        pairs = [Pair.of(first, other, [metric], labels) for other in others]
        numbers = np.any([pair.differing_units(metric) for pair in pairs], axis=0).sum(axis=0).tolist()
        numbers_by_key |= {(metric.name, label): number for label, number in zip(labels, numbers)}
    return [numbers_by_key[subject.metric.name, subject.label] for subject in subjects]


# Two systems with collapsed counts: their differences, from the half-samples that both keep


def half_sample_evidence(baseline: Counts, system: Counts, subjects: Sequence[Subject]) -> Iterator[Evidence]:
    """Yield the evidence of stored half-samples on each subject.

    The bootstrap standard error of a difference is the spread of its values in the half-samples. The interval is a
    t interval, with degrees of freedom from the effective number of units. There is no p, since there are no
    documents to swap.

    Args:
        baseline, system: Collapsed counts of the same documents, see `pairs.check_same_documents`.
        subjects: The scores.
    """
    labels = all_labels(baseline, system)
    wholes = [sum_counts(counts, labels=labels) for counts in (baseline, system)]
    halves = [require_half_samples(counts).sums.extend_labels(labels) for counts in (baseline, system)]
    effective, gaps = pair_effective_by_subject(baseline, system, subjects), halves[1] - halves[0]
    by_metric = {of_metric[0].metric.name: of_metric for of_metric in zip(*map(score_sums, (*wholes, *halves)))}
    for subject in subjects:
        first, second, *drawn = (subject.values(scores, labels) for scores in by_metric[subject.metric.name])
        at = None if subject.label is None else labels.index(subject.label)
        columns = slice(None) if at is None else slice(at, at + 1)
        a, b, apart = float(first[0]), float(second[0]), drawn[1] - drawn[0]
        evidence = Evidence(subject, (a, b), effective[subject.key], None, None, error=math.nan)
        defined = 2 * np.isfinite(apart).sum() >= len(apart) and math.isfinite(b - a)
        if defined and subject.score.complement_of is None and _has_enough_differing(subject.metric, gaps, columns):
            error = float(spread(apart))
            if error > TINY:
                test = partial(_interval_without_p, subject.score, difference(a, b), error, max(evidence.k - 1, 1))
                evidence = evidence._replace(error=error, test=test)
        yield evidence


def _apply_t_test(score: Score, gap: float, error: float, freedom: float, level: float) -> Differences:
    """Return the t test of a difference."""
    limit = greatest_difference(score)
    return t_test(gap, error, freedom, level=level, higher_is_better=score.higher_is_better, limit=limit)


def _interval_without_p(score: Score, gap: float, error: float, freedom: float, level: float) -> Differences:
    """Return the t interval without p, for collapsed counts, which have no documents to swap."""
    nothing = np.array(math.nan)
    return _apply_t_test(score, gap, error, freedom, level)._replace(p=nothing, p_better=nothing)


def _has_enough_differing(metric: Metric, gaps: Sums, labels: slice) -> bool:
    """Return whether enough units certainly differ in a metric's counts of some labels.

    If D units differ, there are at most 2^D different sums of half-samples, so that more of them prove more units.
    Besides, the sums of a column have a range of at most Σ|δ| over the units' differences δ. The square of this is at
    most D·Σδ² (Cauchy and Schwarz). Four times the variance of the sums estimates Σδ², with a known standard error.
    """
    columns = columns_of(metric, gaps.counts[:, labels], slots(gaps.metrics))
    values = np.ascontiguousarray(np.concatenate([columns[name] for name in metric.columns]).T)
    if len({row.tobytes() for row in values}) > 1 << (LEAST_DIFFERING - 1):
        return True
    reach, squares = np.ptp(values, axis=0).astype(float), 4 * values.var(axis=0)
    least = LEAST_DIFFERING * (1 + ERRORS * math.sqrt(2 / len(values)))
    return bool((reach**2 > least * squares)[squares > 0].any())


def pair_effective_units(baseline: Counts, system: Counts) -> Mapping[str, float]:
    """Return the effective number of units of each label, and of all labels under "".

    The weight of a unit is its number of spans in both systems. Collapsed counts have the sum of squared weights
    for each system only. Its root for both together is at most the sum of their roots, so k is a lower bound.
    """
    spans: dict[str, float] = {}
    roots: dict[str, float] = {}
    for counts in (baseline, system):
        sums, effective = sum_counts(counts), unit_numbers(counts).effective
        for name, total in zip((*sums.labels, ""), spans_and_documents(sums)[:, 0].tolist()):
            spans[name] = spans.get(name, 0.0) + total
            roots[name] = roots.get(name, 0.0) + (total / math.sqrt(effective[name]) if effective[name] else 0.0)
    return {name: (spans[name] / roots[name]) ** 2 if roots[name] else 0.0 for name in spans}


def pair_effective_by_subject(
    baseline: Counts, system: Counts, subjects: Sequence[Subject]
) -> dict[tuple[str, str, str | None], float]:
    """Return the effective number of units that inform each subject, by its key: that of all spans, times the share
    of units that inform the score of a system, of the system with the greater share. It is a lower bound."""
    by_label, shares = pair_effective_units(baseline, system), dict[tuple[str, str, str | None], float]()
    for counts in (baseline, system):
        numbers = unit_numbers(counts)
        labels, effective = sum_counts(counts).labels, effective_by_score(counts, numbers)
        for subject in subjects:
            name = subject.label or ""
            if subject.label in (None, *labels) and numbers.effective[name]:
                at = -1 if subject.label is None else labels.index(subject.label)
                share = float(effective[subject.metric.name, subject.score.name][at]) / numbers.effective[name]
                shares[subject.key] = max(share, shares.get(subject.key, 0.0))
    return {subject.key: by_label[subject.label or ""] * shares.get(subject.key, 1.0) for subject in subjects}
