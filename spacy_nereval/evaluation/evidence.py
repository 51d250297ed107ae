"""What the counts of two systems say about the difference of their scores.

There are three kinds of evidence: swaps of units for two systems trained once each, the spread of training runs, and
for collapsed counts the half-samples that both keep. Each gives the values of a score and a test of their difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import Metric, Score
from ..core.messages import spell_argument
from ..counting.counts import Counts
from ..counting.sums import Sums, slots
from ..counting.table import Table, columns_of, sum_counts
from .bounds import TINY, degrees_of_freedom, spread
from .collapsing import spans_and_documents, stored_half_samples, unit_numbers
from .differences import LEAST_DIFFERING, Differences, swap_test, t_test
from .leaving_out import difference_of_runs
from .pairs import Pair, all_labels, balances, with_and_without_classes
from .resampling import Confidence, HalfSamples, Units, effective_by_label, unit_weights
from .scores import score_sums
from .tested import Subject, difference, greatest_difference
from .variance import mean_of_runs, run_errors

CELLS = 1 << 25
"""Maximum number of sums of labels after swaps in memory at once."""

ERRORS = 3
"""Standard errors by which a sum of squares may exceed its estimate."""


class Evidence(NamedTuple):
    """What is known about the difference of one score.

    Attributes:
        subject: The score.
        values: Its values for the baseline and the system.
        k: The effective number of units, by the spans of both systems.
        differing: The number of units whose counts differ; None if it is not known.
        test: What the test says at a confidence level; None where it says nothing.
        runs: The number of training runs of each system.
        freedom: With several runs, the degrees of freedom; else NaN.
        training: With several runs, the share of training in the variance; else NaN.
        error: For collapsed counts, the standard error; None for others.
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


# Two systems trained once each: their differences, tested by swaps of units


def by_swaps(
    baseline: Counts, system: Counts, subjects: Sequence[Subject], confidence: Confidence, number: int
) -> Iterator[Evidence]:
    """Yield what swaps say about each subject, in any order.

    Args:
        baseline, system: Counts of the same documents in the same order, as `paired` returns them.
        subjects: The scores; those of labels are scores of one metric.
        confidence: Level and seed.
        number: The number of swaps.

    Raises:
        ValueError: Too few swaps for the level: with R swaps no p-value is below 1/(R + 1).
    """
    units = Units(baseline)
    swaps = HalfSamples(units, number, confidence.seed)
    if not swaps.exact and number < (least := math.ceil(1 / (1 - confidence.level) - 1e-9) - 1):
        raise ValueError(
            f"{spell_argument('trials', number)}: so few swaps cannot reject anything at a confidence level of "
            f"{confidence.level:g}; expected at least {least}"
        )
    labels = tuple(subject.label for subject in subjects if subject.label is not None)
    weights = unit_weights([[Table(baseline, labels)], [Table(system, labels)]], units)
    found = _Swaps(swaps, effective_by_label(weights, labels))
    balance = balances(weights[:, -1], swaps)
    for metrics in with_and_without_classes(baseline.metrics):
        pair = Pair(baseline, system, metrics)
        own = [subject for subject in subjects if subject.metric in metrics and subject.label is None]
        swapped = pair.differences(swaps, own)
        for metric, before in zip(metrics, pair.scores()):
            differing = int(pair.differing(metric)[:, -1].sum())
            for subject in own:
                if subject.metric is metric:
                    values = [subject.values(side, ()) for side in before]
                    yield found.evidence(subject, values, differing, swapped[subject.key], balance)
    if labels:
        of_labels = [subject for subject in subjects if subject.label is not None]
        yield from _label_swaps(baseline, system, of_labels, labels, weights, found)


class _Swaps(NamedTuple):
    """Swaps, and the effective number of units of each label, "" for all."""

    swaps: HalfSamples
    effective: Mapping[str, float]

    def evidence(
        self,
        subject: Subject,
        values: Sequence[NDArray[Any]],
        differing: int,
        swapped: NDArray[Any] | None = None,
        balance: NDArray[np.float64] | None = None,
    ) -> Evidence:
        """Return what is known about a difference.

        Args:
            subject: The score.
            values: Its values for both systems, [1] each.
            differing: The number of units whose counts differ.
            swapped: Its difference after each swap, [swaps]; None if it is not tested.
            balance: By how much the spans that stay outweigh the others after each swap, float64[swaps].
        """
        a, b = (np.asarray(value).item() for value in values)
        test = None
        if swapped is not None and balance is not None and subject.score.complement_of is None:
            direction, limit = subject.score.higher_is_better, greatest_difference(subject.score)
            how: dict[str, Any] = {"exact": self.swaps.exact, "differing": differing, "limit": limit}
            gap = difference(a, b)

            def test(level: float) -> Differences:
                return swap_test(gap, swapped, balance, level=level, higher_is_better=direction, **how)

        return Evidence(subject, (a, b), self.effective[subject.label or ""], differing, test)


def _label_swaps(
    baseline: Counts,
    system: Counts,
    subjects: Sequence[Subject],
    labels: Sequence[str],
    weights: NDArray[np.float64],
    found: _Swaps,
) -> Iterator[Evidence]:
    """Yield what is known about each label, whose units have `weights`. Only those that differ enough are tested."""
    metric = subjects[0].metric
    pair = Pair(baseline, system, [metric], labels)
    differing = pair.differing(metric).sum(axis=0).tolist()
    (before,) = pair.scores()
    values = [[subject.values(own, labels) for own in before] for subject in subjects]
    tested = [n for n in range(len(labels)) if differing[n] >= LEAST_DIFFERING]
    for n in {*range(len(labels))} - {*tested}:
        yield found.evidence(subjects[n], values[n], differing[n])
    for some in _parts(tested, found.swaps.sums):
        apart = [labels[n] for n in some]
        swapped = Pair(baseline, system, [metric], apart).differences(found.swaps, [subjects[n] for n in some], apart)
        balance = balances(weights[:, some], found.swaps)
        for k, n in enumerate(some):
            yield found.evidence(subjects[n], values[n], differing[n], swapped[subjects[n].key], balance[:, k])


def _parts(labels: Sequence[int], swaps: int) -> Iterator[list[int]]:
    """Yield the indices of labels in groups whose sums after all swaps fit in memory."""
    step = max(1, CELLS // (16 * swaps))
    for start in range(0, len(labels), step):
        yield [*labels[start : start + step]]


# Two systems, at least one of them trained several times: differences of their mean scores


def by_runs(
    baseline: Sequence[Counts], system: Sequence[Counts], subjects: Sequence[Subject], confidence: Confidence
) -> Iterator[Evidence]:
    """Yield what training runs say about each subject.

    Args:
        baseline, system: Counts of each training run, all of the same documents in the same
            order, as `paired` returns them; at least one system has two or more.
        subjects: The scores.
        confidence: Number of half-samples and seed, for metrics that count distinct strings of the corpus.
    """
    labels, units = all_labels(*baseline, *system), Units(baseline[0])
    tables = [[Table(counts, labels) for counts in side] for side in (baseline, system)]
    first, second = (np.array([_scores(table, None, subjects)[0] for table in side]) for side in tables)
    paths = [
        ("scores", each.score.name) if each.label is None else ("per_type", each.label, each.score.name)
        for each in subjects
    ]
    moved = difference_of_runs(baseline, system, [(s.metric.name, path) for s, path in zip(subjects, paths)], labels)
    variance = np.where(moved.lone, np.nan, moved.variance)
    if distinct := [n for n, subject in enumerate(subjects) if subject.metric.distinct]:
        halves = HalfSamples(units, confidence.samples, confidence.seed)
        some = [subjects[n] for n in distinct]
        a, b = (mean_of_runs([_scores(table, halves, some) for table in side]) for side in tables)
        variance[distinct] = np.where(2 * np.isfinite(b - a).sum(axis=0) >= halves.sums, spread(b - a) ** 2, np.nan)
    effective = effective_by_label(unit_weights(tables, units), labels)
    k = np.array([effective[subject.label or ""] for subject in subjects])
    found = run_errors(first, second, variance, degrees_of_freedom(k, moved.bearers))
    differing = _differing(baseline, system, subjects)
    means = zip(*(mean_of_runs(side).tolist() for side in (first, second)))
    for n, (subject, values, number) in enumerate(zip(subjects, means, differing)):
        known = Evidence(subject, values, k[n].item(), number, None, (len(baseline), len(system)))
        if subject.score.complement_of is None and number >= LEAST_DIFFERING:
            freedom, share = found.freedom[n].item(), found.share[n].item()
            test = partial(_of_t, subject.score, found.difference[n].item(), found.error[n].item(), freedom)
            known = known._replace(test=test, freedom=freedom, training=share)
        yield known


def _scores(table: Table, halves: HalfSamples | None, subjects: Sequence[Subject]) -> NDArray[np.float64]:
    """Return the scores of one run, of all documents or of half-samples, float64[sums, subjects]."""
    own = {scores.metric.name: scores for scores in score_sums(table.sum_rows(halves))}
    values = [subject.values(own[subject.metric.name], table.labels) for subject in subjects]
    return np.array(values, dtype=float).T


def _differing(baseline: Sequence[Counts], system: Sequence[Counts], subjects: Sequence[Subject]) -> list[int]:
    """Return, for each subject, in how many units some runs differ."""
    first, *others = (*baseline, *system)
    labels = [subject.label for subject in subjects if subject.label is not None]
    found: dict[tuple[str, str | None], int] = {}
    for metrics in with_and_without_classes(first.metrics):
        pairs = [Pair(first, other, metrics) for other in others]
        for metric in metrics:
            unlike = np.any([pair.differing(metric)[:, -1] for pair in pairs], axis=0)
            found[metric.name, None] = int(unlike.sum())
    if labels:
        metric = subjects[-1].metric
        pairs = [Pair(first, other, [metric], labels) for other in others]
        numbers = np.any([pair.differing(metric) for pair in pairs], axis=0).sum(axis=0).tolist()
        found |= {(metric.name, label): number for label, number in zip(labels, numbers)}
    return [found[subject.metric.name, subject.label] for subject in subjects]


# Two systems with collapsed counts: their differences, from the half-samples that both keep


def by_halves(baseline: Counts, system: Counts, subjects: Sequence[Subject]) -> Iterator[Evidence]:
    """Yield what stored half-samples say about each subject.

    The bootstrap standard error of a difference is the spread of its values in the half-samples; the
    interval reaches as many of them as the t distribution says, with the effective number of units.
    There is no p, since no documents can be swapped.

    Args:
        baseline, system: Collapsed counts of the same documents, see `pairs.check_same_documents`.
        subjects: The scores.
    """
    labels = all_labels(baseline, system)
    wholes = [sum_counts(counts, labels=labels) for counts in (baseline, system)]
    halves = [stored_half_samples(counts).sums.extend_labels(labels) for counts in (baseline, system)]
    k, gaps = effective_units(baseline, system), halves[1] - halves[0]
    own = {of_metric[0].metric.name: of_metric for of_metric in zip(*map(score_sums, (*wholes, *halves)))}
    for subject in subjects:
        first, second, *drawn = (subject.values(scores, labels) for scores in own[subject.metric.name])
        at = None if subject.label is None else labels.index(subject.label)
        columns = slice(None) if at is None else slice(at, at + 1)
        a, b, apart = float(first[0]), float(second[0]), drawn[1] - drawn[0]
        known = Evidence(subject, (a, b), k[subject.label or ""], None, None, error=math.nan)
        defined = 2 * np.isfinite(apart).sum() >= len(apart) and math.isfinite(b - a)
        if defined and subject.score.complement_of is None and _differ(subject.metric, gaps, columns):
            error = float(spread(apart))
            if error > TINY:
                test = partial(_untested, subject.score, difference(a, b), error, max(known.k - 1, 1))
                known = known._replace(error=error, test=test)
        yield known


def _of_t(score: Score, gap: float, error: float, freedom: float, level: float) -> Differences:
    """Return the test of t."""
    limit = greatest_difference(score)
    return t_test(gap, error, freedom, level=level, higher_is_better=score.higher_is_better, limit=limit)


def _untested(score: Score, gap: float, error: float, freedom: float, level: float) -> Differences:
    """Return the interval of t, without p: there was nothing to swap."""
    nothing = np.array(math.nan)
    return _of_t(score, gap, error, freedom, level)._replace(p=nothing, p_better=nothing)


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
        sums, known = sum_counts(counts), unit_numbers(counts).effective
        for name, total in zip((*sums.labels, ""), spans_and_documents(sums)[:, 0].tolist()):
            spans[name] = spans.get(name, 0.0) + total
            roots[name] = roots.get(name, 0.0) + (total / math.sqrt(known[name]) if known[name] else 0.0)
    return {name: (spans[name] / roots[name]) ** 2 if roots[name] else 0.0 for name in spans}
