"""The verdicts on a candidate: each rule of a policy is decided by a one-sided interval, never by the score alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.about import __version__
from ...core.declaration import Metric
from ...core.messages import spell_argument
from ...counting.counts import Counts
from ...counting.table import sum_counts
from ...evaluation.bounds import FEW
from ...evaluation.breakdown import Breakdown, gold_of_bucket
from ...evaluation.collapsing import unit_numbers
from ...evaluation.comparison import System
from ...evaluation.conclusion import unit_name
from ...evaluation.differences import (
    LEAST_DIFFERING,
    LEAST_SWAPS,
    MOST_UNITS,
    POWER,
    equivalence_level,
    rare_difference,
    units_for_rare_loss,
)
from ...evaluation.error_list import transitions
from ...evaluation.evidence import Evidence, half_sample_evidence, run_evidence, swap_evidence
from ...evaluation.pairs import align_runs, all_labels
from ...evaluation.prediction_rates import RATE, prediction_rate
from ...evaluation.resampling import Confidence, number_of_units
from ...evaluation.result import make_plain, signature
from ...evaluation.scores import score_sums
from ...evaluation.tested import Criterion, Subject, greatest_difference, label_score
from ...evaluation.variance import mean_of_runs
from .policy import (
    AGAINST_BASELINE,
    AT_MOST,
    FAIL,
    NOT_DECIDED,
    PASS,
    RATE_BETWEEN,
    Policy,
    Rule,
    allowed_range,
    rule_score,
)

MET, BROKEN, UNDECIDED = "met", "broken", "undecided"
"""The verdicts on a rule, and on the gate."""


class Estimate(NamedTuple):
    """The estimate that decides a rule: a value with its interval, in the unit of the score.

    Attributes:
        value: The score of the candidate, the difference from the baseline (above 0 if better), or the rate.
        low, high: One-sided bounds, each at the level of the policy; NaN where there is no interval.
        k: Effective number of units.
        score: The score of the candidate.
        baseline: The score of the baseline; NaN without a baseline.
        differing: The number of units that differ in this score, where they are too few to test.
        limit: The greatest possible difference, where `differing` is given.
        contributions: The contribution of each differing unit to the value, where that is known and `differing` is
            given.
        few: Whether the interval of a score is flagged `few`: k is below 6, or the score rests on one unit.
    """

    value: float
    low: float
    high: float
    k: float
    score: float
    baseline: float = math.nan
    differing: int | None = None
    limit: float = 0.0
    contributions: NDArray[np.float64] | None = None
    few: bool = False


NO_ESTIMATE = Estimate(math.nan, math.nan, math.nan, 0, math.nan)
"""The estimate where there is no value."""


def interval_verdict(low: float, high: float, least: float, most: float) -> str:
    """Return whether an interval is wholly within a range, wholly outside, or neither.

    >>> [interval_verdict(low, low + 0.1, 0.75, math.inf) for low in (0.8, 0.6, 0.7)]
    ['met', 'broken', 'undecided']
    >>> interval_verdict(math.nan, math.nan, 0, 1)
    'undecided'
    """
    if low >= least and high <= most:
        return MET
    return BROKEN if high < least or low > most else UNDECIDED


UNSEEN_RISK = 0.05
"""The probability that a test set has no document of a kind that is as frequent as `seen_share` allows."""


def seen_share(k: Any) -> Any:
    """Return a lower bound of the share of documents with a kind that occurs in a test set of k effective units.

    About 3 in k documents may be of kinds that it does not have.

    >>> round(1 - seen_share(100), 4)
    0.0295
    """
    return UNSEEN_RISK ** (1 / k)


def bounds_if_unseen(kind: str, value: Any, low: Any, high: Any, k: Any) -> tuple[Any, Any]:
    """Return the bounds of a rule's estimate if everything is wrong in all documents that may be of unseen kinds.

    Args:
        kind: The kind of the rule.
        value, low, high: The estimate and its bounds, numbers or float[...].
        k: Its effective number of units.

    >>> [round(float(bound), 4) for bound in bounds_if_unseen("at_least", 0.95, 0.94, 0.96, 100)]
    [0.922, 0.96]
    >>> [round(float(bound), 4) for bound in bounds_if_unseen("worse_by_at_most", 0.0, -0.01, 0.01, 100)]
    [-0.0295, 0.01]
    """
    share = seen_share(k)
    if kind == AT_MOST:
        return low, np.maximum(high, 1 - (1 - value) * share)
    return np.minimum(low, value - 1 + share if kind in AGAINST_BASELINE else value * share), high


def unseen_words(k: float, units: str) -> str:
    """Return the condition of a rule that is flagged `unseen`, for k effective units, named `units`.

    >>> unseen_words(99.6, "documents")
    'unless up to 3 in 100 documents are of a kind not seen here'
    """
    return f"unless up to 3 in {k:.0f} {units} are of a kind not seen here"


def units_to_decide(
    units: int, estimate: tuple[float, float, float], least: float, most: float, level: float = 0.95
) -> int | None:
    """Return about how many units decide a rule in 80 % of samples, if the value does not change.

    The standard error falls with the square root of the number of units.

    Args:
        units: The number of units that the interval is based on.
        estimate: The value and its one-sided bounds.
        least, most: The bounds of the rule.
        level: The level of each bound.

    Returns:
        None where the value is on a bound of the rule, so that no number of units like these decides.

    Example:
        >>> units_to_decide(100, (0.80, 0.74, 0.86), 0.75, math.inf)
        330
        >>> units_to_decide(100, (0.75, 0.69, 0.81), 0.75, math.inf) is None
        True

    Source: sample size for a one-sided test, n = (z_level + z_power)² σ² / gap².
    """
    from scipy.special import ndtri

    value, low, high = estimate
    if not (units and math.isfinite(high - low) and math.isfinite(value)):
        return None
    factor = 1 + float(ndtri(POWER) / ndtri(level))
    times = 0.0
    for edge in filter(math.isfinite, (least, most)):
        gap, reach = abs(value - edge), (value - low if value > edge else high - value)
        times = max(times, (factor * reach / gap) ** 2 if gap > 1e-12 else math.inf)
    needed = units * times
    return math.ceil(needed - 1e-9) if units < needed <= MOST_UNITS else None


def judge_candidate(policy: Policy, candidate: System, baseline: System | None = None) -> dict[str, Any]:
    """Judge a candidate by the rules of a policy.

    All required rules have to be met. This is an intersection-union test: if one of them is truly violated, the
    gate is met with a probability of at most about 1 - level, however many rules there are, unless a few documents
    have most of the errors.

    Args:
        policy: The rules.
        candidate: The candidate.
        baseline: The released model, for rules that compare.

    Returns:
        A result in plain Python; ratios, also those of bounds, are not in per cent.

    Raises:
        ValueError: A rule needs a baseline or documents and there are none, there is no such score, or the baseline
            was counted on other documents, other gold annotation or in another way.

    >>> from spacy_nereval import Document, count, create_all
    >>> documents = [Document([(0, 3, "A")], [(0, 3, "A")], id=str(k)) for k in range(60)]
    >>> policy = Policy((Rule("overall", "at_least", 90, "strict_f"), Rule("much", "at_least", 99, "strict_f")))
    >>> result = judge_candidate(policy, System("new", count(documents, create_all(["strict"])), documents))
    >>> result["verdict"], [rule["verdict"] for rule in result["rules"]]
    ('undecided', ['met', 'undecided'])
    """
    judge = RuleJudge(policy, candidate, baseline)
    first, theirs = judge.ours[0], judge.theirs
    rows = []
    for rule in policy.rules:
        row = judge.row(rule)
        if row["verdict"] == BROKEN:
            lost = _lost_spans(rule, candidate, baseline)
            row |= {"lost": lost, "lost_groups": _group_spans(lost)}
        rows.append(row)
    verdict, passed = _overall_verdict(rows)
    units = "?" if judge.units is None else judge.units
    settings = [f"level:{policy.level:g}", f"unit:{first.unit}", f"units:{units}", f"seed:{policy.seed}"]
    result: dict[str, Any] = make_plain(
        {
            "signature": signature(first, *settings, f"gate:{policy.digest[:12]}"),
            "signatures": {"candidate": signature(first), **({"baseline": signature(theirs[0])} if theirs else {})},
            "version": __version__,
            "policy": policy.digest,
            "level": policy.level,
            "candidate": candidate.name,
            "baseline": baseline and baseline.name,
            "documents": first.documents,
            "unit": first.unit,
            "units": judge.units,
            "verdict": verdict,
            "passed": passed,
            "rules": rows,
        }
    )
    return result


def _overall_verdict(rows: Sequence[Mapping[str, Any]]) -> tuple[str, bool]:
    """Return the verdict of all required rules, and whether the gate is passed."""
    required = [row for row in rows if row["required"]]
    verdicts = {row["verdict"] for row in required}
    verdict = BROKEN if BROKEN in verdicts else UNDECIDED if UNDECIDED in verdicts else MET
    return verdict, all(row["counts_as"] != FAIL for row in required)


def _lost_spans(rule: Rule, candidate: System, baseline: System | None) -> list[dict[str, Any]]:
    """Return the gold spans of a rule's label or slice that the baseline has right and the candidate has wrong.

    If the baseline has no documents, these are all gold spans that the candidate has wrong, and `from` is None. There
    are none without a baseline, or if the candidate has no documents.
    """
    after, documents = candidate.outcomes, candidate.documents
    if baseline is None or after is None or documents is None:
        return []
    before = baseline.outcomes
    has_counts_only = before is None
    outcomes = [dict.fromkeys(by_span, "correct") for by_span in after] if before is None else before
    if rule.by:
        slices = gold_of_bucket(documents, rule.by, rule.bucket)
        outcomes = [
            {span: outcome for span, outcome in by_span.items() if span in spans_of_slice}
            for by_span, spans_of_slice in zip(outcomes, slices)
        ]
    spans = [span for span in transitions(outcomes, after, documents)["spans"] if rule.label in (None, span["label"])]
    return [{**span, "from": None if has_counts_only else span["from"]} for span in spans if span["from"] == "correct"]


def _group_spans(spans: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the number of lost spans of each label and outcome, the largest first."""
    numbers = Counter((span["label"], span["to"]) for span in spans)
    ordered = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))
    return [{"label": label, "to": to, "spans": number} for (label, to), number in ordered]


class RuleJudge:
    """Decides the rules of a policy for a candidate.

    Attributes:
        ours: The counts of the candidate's runs.
        theirs: The counts of the baseline's runs, over the same documents; None without a baseline.
        units: The number of units; None if collapsed counts do not know it.
        confidence: The settings of intervals.

    Raises:
        ValueError: There is no baseline though a rule needs one, or the counts do not belong together.
    """

    def __init__(self, policy: Policy, candidate: System, baseline: System | None) -> None:
        policy.check_baseline(baseline is not None)
        self.policy: Policy = policy
        self.candidate: System = candidate
        self.baseline: System | None = baseline
        first = candidate.counts
        if policy.unit and first.unit != policy.unit:
            raise ValueError(f"the policy has the unit {policy.unit}, and the counts have {first.unit}: count again")
        self.ours: Sequence[Counts] = align_runs(first, candidate.name, candidate.runs)
        self.theirs: Sequence[Counts] | None = None
        if baseline is not None:
            self.theirs = align_runs(first, baseline.name, baseline.runs)
        self.units: int | None = unit_numbers(first).number if first.collapsed else number_of_units(first)
        # Each bound of this interval is one-sided at the level of the policy.
        self.confidence: Confidence = Confidence(equivalence_level(policy.level), seed=policy.seed).checked()
        self._computed: dict[tuple[Any, ...], Any] = {}  # shared by several rules

    def row(self, rule: Rule) -> dict[str, Any]:
        """Return the row of a rule in the result: its verdict, and the numbers that decide it."""
        subject, ours, theirs = self.subject_and_counts(rule)
        metric, score = subject.metric, subject.score
        is_counted = subject.label is None or subject.label in all_labels(*ours, *(theirs or ()))
        estimate = self.estimate(rule, subject, ours, theirs) if is_counted else NO_ESTIMATE
        least, most = allowed_range(rule, score)
        few = estimate.few or estimate.k < self.policy.least_units
        verdict = UNDECIDED if few else interval_verdict(estimate.low, estimate.high, least, most)
        family, size = self.policy.family_of(rule.name)
        unseen = verdict == MET and not _is_met_if_unseen(rule, estimate, least, most)
        verdict = UNDECIDED if unseen and self.policy.unseen == NOT_DECIDED else verdict
        is_luck = verdict == BROKEN and size > 1 and not self._is_broken_in_family(size, rule, subject, ours, theirs)
        verdict = UNDECIDED if is_luck else verdict
        consequence = self.policy.too_few if few else rule.undecided
        has_number = verdict == UNDECIDED and not (few or is_luck or unseen)
        units = self._units_needed(estimate, least, most) if has_number else None
        return {
            "name": rule.name,
            "kind": rule.kind,
            "metric": metric.name,
            "score": score.name,
            "label": rule.label,
            "by": rule.by,
            "bucket": rule.bucket,
            "bound": [least, most] if rule.kind == RATE_BETWEEN else most if rule.kind == AT_MOST else abs(least),
            "required": rule.required,
            "verdict": verdict,
            "counts_as": PASS if verdict == MET else FAIL if verdict == BROKEN else consequence,
            "value": estimate.value,
            "interval": [estimate.low, estimate.high],
            "score_value": estimate.score,
            "baseline_value": estimate.baseline,
            "effective_units": estimate.k,
            "few": few,
            "unseen": unseen,
            "differing": estimate.differing,
            "units_needed": units,
            "family": family,
            "reason": f"alone it would be broken; among {size} rules of the family {family} that may be luck"
            if is_luck
            else self._reason(rule, estimate, is_counted, few, unseen, units)
            if verdict == UNDECIDED
            else None,
            "score_unit": score.unit,
            "higher_is_better": score.higher_is_better,
            "lost": [],
            "lost_groups": [],
        }

    def _is_broken_in_family(
        self, rules: int, rule: Rule, subject: Subject, ours: Sequence[Counts], theirs: Sequence[Counts] | None
    ) -> bool:
        """Return whether a rule is broken at the level that is corrected for a number of rules (Bonferroni)."""
        stricter = self.at_level(1 - (1 - self.policy.level) / rules)
        estimate = stricter.estimate(rule, subject, ours, theirs)
        return interval_verdict(estimate.low, estimate.high, *allowed_range(rule, subject.score)) == BROKEN

    def at_level(self, level: float) -> RuleJudge:
        """Return the same judge with another level of each one-sided bound."""
        judge = copy(self)
        judge.policy = self.policy._replace(level=level)
        judge.confidence = self.confidence._replace(level=equivalence_level(level))
        return judge

    def subject_and_counts(self, rule: Rule) -> tuple[Subject, Sequence[Counts], Sequence[Counts] | None]:
        """Return the score that a rule is about, and the counts of the candidate and of the baseline."""
        wanted_score = Criterion(RATE, RATE.scores[0]) if rule.kind == RATE_BETWEEN else self._rule_score(rule)
        ours, theirs = self._rule_counts(rule, wanted_score.metric)
        label, score = rule.bucket if rule.by else rule.label, wanted_score.score
        if label is not None and rule.kind != RATE_BETWEEN:
            score = label_score(wanted_score.metric, score.name)
        return Subject(_counted_metric(ours[0], wanted_score.metric), score, label, ""), ours, theirs

    def _rule_score(self, rule: Rule) -> Criterion:
        """Return the metric and the score of a rule. Raise ValueError if they were not counted."""
        metrics = self.ours[0].metrics
        try:
            return rule_score(rule, metrics)
        except ValueError:
            names, needed = ", ".join(metric.name for metric in metrics), ",".join(self.policy.metrics)
            raise ValueError(
                f"rule {rule.name}: the counts have no {rule.score}, but only {names}: count again with "
                f"{spell_argument('metrics', needed)}"
            ) from None

    def _rule_counts(self, rule: Rule, metric: Metric) -> tuple[Sequence[Counts], Sequence[Counts] | None]:
        """Return the counts that a rule is about: those of all spans, or of a slice, with buckets as labels."""
        if not rule.by:
            return self.ours, self.theirs
        slice_counts = []
        sides = [(self.candidate, self.ours)]
        if rule.kind in AGAINST_BASELINE and self.baseline is not None and self.theirs is not None:
            sides.append((self.baseline, self.theirs))
        for system, runs in sides:
            if system.documents is None:
                raise ValueError(
                    f"rule {rule.name}: a slice by {rule.by} needs the documents of one run of {system.name}; "
                    "counts contain no texts"
                )
            breakdown = Breakdown([metric], rule.by)
            for document in system.documents:
                breakdown.add(document)
            slice_counts.append([breakdown.counts(metric.name, runs[0])])
        return slice_counts[0], slice_counts[1] if len(slice_counts) > 1 else None

    def estimate(
        self, rule: Rule, subject: Subject, ours: Sequence[Counts], theirs: Sequence[Counts] | None
    ) -> Estimate:
        """Return the estimate that decides a rule, from its subject and counts, see `subject_and_counts`."""
        if rule.kind == RATE_BETWEEN:
            return self._rate_estimate(rule, ours)
        if rule.kind not in AGAINST_BASELINE:
            return self._score_estimate(rule, subject, ours)
        assert theirs is not None
        return self._difference_estimate(self._evidence(rule, subject, ours, theirs))

    def _score_estimate(self, rule: Rule, subject: Subject, runs: Sequence[Counts]) -> Estimate:
        """Return the estimate of the candidate's score, with the interval that `score --confidence` gives."""
        from ...evaluation.intervals import run_intervals

        metric_counts = [counts.of([subject.metric]) for counts in runs]
        key = "intervals", rule.by, subject.metric.name, self.confidence.level
        if key not in self._computed:
            self._computed[key] = run_intervals(metric_counts, self.confidence)
        table = self._computed[key].metrics[subject.metric.name]
        name = subject.score.name
        row = table["scores"][name] if subject.label is None else table["per_type"][subject.label][name]
        value = _mean_score(subject, metric_counts)
        return Estimate(value, row["low"], row["high"], row["k"], value, few=row["flag"] == FEW)

    def _rate_estimate(self, rule: Rule, runs: Sequence[Counts]) -> Estimate:
        """Return the estimate of how many spans the candidate predicts per gold span."""
        if len(runs) > 1:
            raise ValueError(f"rule {rule.name}: a rate needs a single training run, and there are {len(runs)}")
        runs[0].check_documents(f"interval of a rate, which the rule {rule.name} needs")
        rate = prediction_rate(runs[0], rule.bucket if rule.by else rule.label, self.confidence)
        if rate is None:
            return NO_ESTIMATE
        return Estimate(rate.value, rate.low, rate.high, rate.k, rate.value, few=rate.few)

    def _difference_estimate(self, evidence: Evidence) -> Estimate:
        """Return the estimate of the difference from the baseline, above 0 if the candidate is better."""
        subject = evidence.subject
        baseline, score = evidence.values
        gap, low, high, differing, limit = score - baseline, math.nan, math.nan, None, 0.0
        if evidence.test:
            test = evidence.test(self.confidence.level)
            low, high = float(test.low), float(test.high)
        sign, number, contributions = 1 if subject.score.higher_is_better else -1, evidence.differing, None
        if number is not None and number < LEAST_DIFFERING and math.isfinite(gap):
            if evidence.contributions is not None:
                limit, differing, contributions = evidence.limit, number, sign * evidence.contributions.amounts
            elif evidence.k > number:  # training runs: by how much a unit changes the score is not known
                limit, differing = greatest_difference(subject.score), number
                reach = rare_difference(number, evidence.k, self.policy.level) * limit
                low, high = min(gap, -reach), max(gap, reach)
        if sign < 0:
            gap, low, high = -gap, -high, -low
        return Estimate(gap, low, high, evidence.k, score, baseline, differing, limit, contributions)

    def _evidence(self, rule: Rule, subject: Subject, ours: Sequence[Counts], theirs: Sequence[Counts]) -> Evidence:
        """Return the evidence on a difference. That on the scores of other rules is computed along with it."""
        place = "evidence", rule.by, self.confidence.level
        if (*place, subject.key) not in self._computed:
            subjects = [subject] if rule.by else self._subjects_beside(subject)
            for evidence in self._compute_evidence(subjects, ours, theirs):
                self._computed[(*place, evidence.subject.key)] = evidence
        result: Evidence = self._computed[(*place, subject.key)]
        return result

    def _subjects_beside(self, subject: Subject) -> list[Subject]:
        """Return the scores of all rules that the evidence on one can include: all overall scores, or one score of all
        labels."""
        labels = all_labels(*self.ours, *(self.theirs or ()))
        rules = [rule for rule in self.policy.rules if rule.kind in AGAINST_BASELINE and not rule.by]
        subjects = {(other := self.subject_and_counts(rule)[0]).key: other for rule in rules}
        if subject.label is None:
            return [other for other in subjects.values() if other.label is None]
        alike = (subjects.get((*subject.key[:2], label)) for label in labels)
        return [other for other in alike if other]

    def _compute_evidence(
        self, subjects: Sequence[Subject], ours: Sequence[Counts], theirs: Sequence[Counts]
    ) -> Iterator[Evidence]:
        metrics = [*{subject.metric.name: subject.metric for subject in subjects}.values()]
        candidate, baseline = ([counts.of(metrics) for counts in runs] for runs in (ours, theirs))
        if candidate[0].collapsed:
            return half_sample_evidence(baseline[0], candidate[0], subjects)
        if len(candidate) == len(baseline) == 1:
            return swap_evidence(baseline[0], candidate[0], subjects, self.confidence, LEAST_SWAPS)
        return run_evidence(baseline, candidate, subjects, self.confidence)

    def _units_needed(self, estimate: Estimate, least: float, most: float) -> int | None:
        """Return about how many units would decide an undecided rule; None if that is not known."""
        if estimate.differing is None:
            bounds = estimate.value, estimate.low, estimate.high
            return units_to_decide(self.units or 0, bounds, least, most, self.policy.level)
        if not 0 < -least < estimate.limit or (estimate.differing and estimate.contributions is None):
            return None
        amounts = () if estimate.contributions is None else estimate.contributions
        needed = units_for_rare_loss(amounts, -least, self.confidence.level, estimate.limit, lower_only=True)
        return needed and math.ceil(needed * (self.units or 0) / estimate.k - 1e-9)

    def _reason(
        self, rule: Rule, estimate: Estimate, is_counted: bool, few: bool, unseen: bool, needed: int | None
    ) -> str:
        """Return why a rule is undecided, and the remedy."""
        first = self.ours[0]
        units = f"{unit_name(first.unit, self.units, first.documents)}s"
        if not is_counted:
            kind, name = ("bucket", rule.bucket) if rule.by else ("label", rule.label)
            labels = ", ".join(all_labels(*self._rule_counts(rule, first.metrics[0])[0]))
            return f"no span has the {kind} {name!r}; there are {labels}"
        if few and estimate.k >= self.policy.least_units:
            return f"the score rests on one {units[:-1]}, without which it is undefined"
        if few:
            return f"effectively {estimate.k:.1f} {units} have such spans, and {self.policy.least_units} are needed"
        if unseen:
            return f"it would be met, {unseen_words(estimate.k, units)}"
        if not math.isfinite(estimate.value):
            return "the score is undefined"
        if not math.isfinite(estimate.low + estimate.high):
            return "there is no interval"
        if needed and estimate.differing == 0:
            return f"no {units[:-1]} differs in this score; {needed:,} {units} without a difference would decide it"
        if estimate.differing is not None:
            one = estimate.differing == 1
            number = (
                f"{estimate.differing} {units[:-1] if one else units} {'differs' if one else 'differ'} in this score"
            )
            more = (
                f"about {needed:,} {units}, if no others differ, would decide it"
                if needed
                else f"more {units} are needed"
            )
            return f"only {number}, too few to test: {more}"
        if needed:
            enough = f"about {needed:,} {units} like these would decide it in {100 * POWER:g} % of samples"
            return f"{enough} if the value stays"
        return f"the value is so close to the bound that more {units} like these would hardly decide it"


def _is_met_if_unseen(rule: Rule, estimate: Estimate, least: float, most: float) -> bool:
    """Return whether a rule is still met if everything is wrong in all documents that may be of unseen kinds."""
    bounds = bounds_if_unseen(rule.kind, estimate.value, estimate.low, estimate.high, estimate.k)
    return interval_verdict(*bounds, least, most) == MET


def _counted_metric(counts: Counts, metric: Metric) -> Metric:
    """Return the metric of the same name in the counts, with its options there; the metric itself if there is none."""
    return next((other for other in counts.metrics if other.name == metric.name), metric)


def _mean_score(subject: Subject, runs: Sequence[Counts]) -> float:
    """Return the mean of a score over training runs."""
    values = []
    for counts in runs:
        sums = sum_counts(counts)
        (scores,) = score_sums(sums)
        is_missing = subject.label is not None and subject.label not in sums.labels
        values.append(np.nan if is_missing else subject.values(scores, sums.labels).item())
    return float(mean_of_runs([np.array(values[k : k + 1]) for k in range(len(values))])[0])
