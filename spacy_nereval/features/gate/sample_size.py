"""The number of documents that decide a rule or show a difference, by corpora simulated from the units of a pilot."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.about import __version__
from ...core.arguments import HALF_WIDTH_POINTS, MARGIN, check_value
from ...core.declaration import GOLD_SPANS
from ...counting.counts import Counts
from ...counting.table import Table
from ...evaluation.bounds import (
    FEW_UNITS,
    TINY,
    degrees_of_freedom,
    effective_units,
    kish,
    score_intervals,
    variance_scale,
)
from ...evaluation.comparison import System
from ...evaluation.conclusion import points_per_unit
from ...evaluation.differences import (
    LEAST_DIFFERING,
    MOST_UNITS,
    POWER,
    equivalence_level,
    rare_bounds,
    t_test,
    units_for_rare_loss,
)
from ...evaluation.pairs import Pair, all_labels
from ...evaluation.planning import HALF_WIDTHS, PLAN_LEVEL, plan_half_width, variance_factors
from ...evaluation.resampling import Units
from ...evaluation.result import make_plain, signature
from ...evaluation.scores import score_sums
from ...evaluation.tested import Subject, limit_of_difference
from ...evaluation.unit_weights import UnitWeights
from ...evaluation.variance import count_bearers, find_errors_and_hits
from .gate_rules import MET, RuleJudge, bounds_if_unseen, interval_verdict
from .policy import (
    AGAINST_BASELINE,
    DIFFERENCE,
    FLAGGED,
    HALF_WIDTH,
    NOT_DECIDED,
    RATE_BETWEEN,
    Policy,
    Rule,
    allowed_range,
)

Floats = NDArray[np.float64]

CORPORA = 1000
"""How many corpora of each size are simulated: a share of 80 per cent has a standard error of 1.3."""

STEPS = 6
"""Number of bisection steps between a number of units that suffices and one that does not."""


def add_questions(policy: Policy | None, score: str, difference: float | None, half_width: float | None) -> Policy:
    """Return a policy with further rules: that a test shows a difference from the baseline, and that the interval of a
    score is narrow.

    Args:
        policy: The policy; None for no other rules.
        score: A score key, METRIC.SCORE or METRIC_SCORE.
        difference: The difference in points; None for no such rule.
        half_width: Half the width of the interval in points; None for no such rule, but of `HALF_WIDTHS` if nothing
            else is asked.

    Raises:
        ValueError: The difference or the half width is not above 0.

    >>> [rule.name for rule in add_questions(None, "strict_f", 2, 1).rules]
    ['difference', 'half width']
    >>> [rule.bound for rule in add_questions(None, "strict_f", None, None).rules]
    [0.5, 1.0, 2.0, 3.0, 5.0]
    """
    rules = [*(policy.rules if policy else ())]
    if difference is not None:
        check_value("difference", difference, MARGIN)
        rules.append(Rule(DIFFERENCE, DIFFERENCE, float(difference), score))
    if half_width is not None:
        check_value("half_width", half_width, HALF_WIDTH_POINTS)
        rules.append(Rule("half width", HALF_WIDTH, float(half_width), score))
    rules = rules or [Rule(f"half width {points:g}", HALF_WIDTH, float(points), score) for points in HALF_WIDTHS]
    return (policy or Policy(()))._replace(rules=tuple(rules))


class Pilot(NamedTuple):
    """The contribution of each unit of a pilot to one number, on the scale of intervals; float64[units].

    Attributes:
        value: The number itself: a score on the scale of its variance, or a difference.
        influence: The influence of the unit on the number, as in the jackknife; 0 on average.
        weight: The number of gold and predicted spans of the unit; 0 if it says nothing about the score.
        gold: The number of its gold spans.
        sides: Whether it has an error, and whether it has a hit, [2, units]; for a difference, whether it differs.
        units_per_entry: The number of units per entry; above 1 where there are more than `MOST_GROUPS`.
        contributions: The contribution of each unit that differs in the score to a difference; None for a score.
        added: The contribution of each entry to a difference, NaN where that is undefined; 0 for a score.
        limit: The greatest possible difference.
    """

    value: float
    influence: Floats
    weight: Floats
    gold: Floats
    sides: Floats
    units_per_entry: float
    contributions: Floats | None
    added: Floats
    limit: float

    @property
    def units_and_freedom(self) -> tuple[float, float]:
        """The effective number of units, and the degrees of freedom of the variance."""
        second, fourth = ((self.influence**power).sum() for power in (2, 4))
        k = float(effective_units(self.weight))
        return k, float(degrees_of_freedom(k, count_bearers(second, fourth, len(self.influence))))


class _GroupWeights:
    """Weights of documents, for the sums of each group of units alone, or of all groups but one."""

    def __init__(self, units: Units, *, alone: bool) -> None:
        self._group, self.groups, self.alone = units.group[units.of_document], units.groups, alone
        self.sums: int = units.groups.shape[0]

    def block(self, documents: slice) -> NDArray[np.bool_]:
        """Return the weights of some documents, bool[groups, documents]."""
        weights: NDArray[np.bool_] = (self._group[documents] == np.arange(self.sums)[:, None]) == self.alone
        return weights


def make_pilot(subject: Subject, ours: Counts, theirs: Counts | None) -> Pilot:
    """Return the contribution of each unit of a pilot to a score of `ours`, or to its difference from `theirs`.

    Raises:
        ValueError: The counts have no units.
    """
    runs = [ours] if theirs is None else [ours, theirs]
    units = Units(ours)
    counted = [counts.of([subject.metric]) for counts in runs]
    labels = all_labels(*counted) if subject.metric.classes else tuple(filter(None, [subject.label]))
    tables, groups = [Table(counts, labels) for counts in counted], units.groups.shape[0]
    group_weights = [_GroupWeights(units, alone=alone) for alone in (False, True)]
    values = np.array(
        [
            [np.broadcast_to(_weighted_scores(subject, table, weights), groups) for weights in (None, *group_weights)]
            for table in tables
        ]
    )
    at = None if subject.label is None else labels.index(subject.label)
    of_units = UnitWeights([[table] for table in tables], units).weights_of_score(
        subject.metric, subject.score.name, at
    )
    weight, gold = np.bincount(units.group, of_units, groups).astype(float), _gold_of_groups(tables[0], units, at)
    contributions, added, limit = None, np.zeros(groups), math.inf
    if theirs is None:
        scale = variance_scale(subject.score.limits, (groups,))
        whole, left, alone = (scale.transform(value) for value in values[0])
        error, hit = find_errors_and_hits(whole, left, alone, scale)
        sides = np.array([error, hit | np.zeros(groups, dtype=bool)], dtype=float)
    else:
        sign = 1 if subject.score.higher_is_better else -1
        whole, left, _ = sign * (values[0] - values[1])
        assert theirs is not None
        apart = tuple(filter(None, [subject.label]))
        (differing,) = Pair.of(theirs, ours, [subject.metric], apart or None).contributions([subject], apart)
        contributions, of_groups = sign * differing.amounts, units.group[differing.units]
        added = np.bincount(of_groups, contributions, groups)
        sides = np.tile(np.bincount(of_groups, minlength=groups) > 0, (2, 1)).astype(float)
        limit = limit_of_difference(subject.score, values[0, 0, 0], values[1, 0, 0])
    influence = (groups - 1) * (whole - left)
    others = len(units) / groups, contributions, added, limit
    return Pilot(float(whole[0]), influence - influence.mean(), weight, gold, sides, *others)


def _weighted_scores(subject: Subject, table: Table, weights: _GroupWeights | None) -> Floats:
    """Return the score of each weighted sum of the documents; of the whole corpus without weights."""
    if weights and not subject.metric.distinct:  # a group has few documents, so its sums take little time
        of_groups = table.sum_groups(weights.groups)
        sums = of_groups if weights.alone else table.sum_rows() - of_groups
    else:
        sums = table.sum_rows(weights)
    (scores,) = score_sums(sums)
    return np.asarray(subject.values(scores, table.labels), dtype=float)


def _gold_of_groups(table: Table, units: Units, label: int | None) -> Floats:
    """Return the number of gold spans of each group, of a label by its index or of all; float64[groups]."""
    spans = (units.groups @ table.spans(*GOLD_SPANS)).toarray()
    numbers: Floats = spans.sum(axis=1) if label is None else spans[:, label]
    return numbers.astype(float)


class Question(NamedTuple):
    """A rule that a corpus is to decide.

    Attributes:
        rule: The rule; for a difference, one with the kind `DIFFERENCE` and the difference in points.
        subject: The score.
        pilot: The contribution of each unit; None if the pilot has no such spans, or its score is undefined.
        value: The true value that is assumed.
        least, most: The bounds of the rule: the question is answered once the interval is within, or wholly outside.
        level: The level of each bound of the interval.
        least_units: Effective number of units below which nothing is decided.
        bounds: The 90 % interval of the value in the pilot; NaN if a difference is given.
        unseen: The treatment of a rule that is met only if nothing is of an unseen kind, see `Policy`.
    """

    rule: Rule
    subject: Subject
    pilot: Pilot | None
    value: float
    least: float
    most: float
    level: float
    least_units: int = FEW_UNITS
    bounds: tuple[float, float] = (math.nan, math.nan)
    unseen: str = FLAGGED

    @property
    def is_allowed(self) -> bool:
        """Whether the assumed value is allowed."""
        return self.least <= self.value <= self.most

    @property
    def is_on_bound(self) -> bool:
        """Whether the assumed value is a bound, so that no number of units decides."""
        return min(abs(self.value - self.least), abs(self.value - self.most)) < TINY


def answer_rate(question: Question, units: int, seed: int = 0, corpora: int = CORPORA) -> float:
    """Return the share of simulated corpora that decide a question correctly.

    A corpus of n units is drawn from the units of the pilot, with replacement. Its value is the assumed one plus
    the mean of the influences drawn. A score gets Wilson's interval, as in the gate; a difference gets a t interval
    in place of the gate's swap test.

    Args:
        question: The question; it has a pilot.
        units: The number of units of a corpus.
        seed: The seed of the random draws.
        corpora: How many corpora are simulated.

    Returns:
        A share from 0 to 1.
    """
    pilot = question.pilot
    assert pilot is not None
    number = max(2, round(units / pilot.units_per_entry))
    added = pilot.added * len(pilot.added) / number
    rows = np.column_stack([pilot.influence, pilot.weight, pilot.gold, *pilot.sides, added])
    rows, times = np.unique(rows, axis=0, return_counts=True)
    random = np.random.default_rng([seed, number])
    draws = random.multinomial(number, times / times.sum(), size=corpora).astype(float)
    influence, weight = rows[:, 0], rows[:, 1]
    mean, *raw = (draws @ influence**power / number for power in (1, 2, 3, 4))
    second = np.maximum(raw[0] - mean**2, 0) * number
    fourth = np.maximum(raw[2] - 4 * mean * raw[1] + 6 * mean**2 * raw[0] - 3 * mean**4, 0) * number
    variance, bearers = second / (number * (number - 1)), count_bearers(second, fourth, number)
    k, sides = kish(draws @ weight, draws @ weight**2), np.array([draws @ side for side in rows[:, 3:5].T])
    is_enough = k >= question.least_units
    k = np.maximum(k, 1)
    if question.rule.kind in AGAINST_BASELINE:
        value = question.value + mean
        low, high = _difference_bounds(question, mean, variance, bearers, k)
        differs, level = rows[:, 3] > 0, equivalence_level(question.level)
        for at in np.flatnonzero(sides[0] < LEAST_DIFFERING):
            drawn = np.repeat(rows[differs, 5], draws[at, differs].astype(int))
            low[at], high[at] = rare_bounds(drawn, float(k[at]), level, pilot.limit)
    else:
        value = _corpus_scores(question, mean)
        low, high = _score_bounds(question, value, variance, bearers, k, sides.min(axis=0), draws @ rows[:, 2])
    if question.is_allowed and question.unseen == NOT_DECIDED:
        low, high = bounds_if_unseen(question.rule.kind, value, low, high, k)
    if question.is_allowed:
        is_right = (low >= question.least) & (high <= question.most)
    else:
        is_right = (high < question.least) | (low > question.most)
    return float((is_right & is_enough).mean())


def _corpus_scores(question: Question, mean: Floats) -> Floats:
    """Return the score of each simulated corpus, given the mean of the influences drawn."""
    scale = variance_scale(question.subject.score.limits, mean.shape)
    place = scale.transform(np.full(len(mean), question.value)) + mean
    place = np.clip(place, 0, np.where(scale.is_cost, np.inf, 1))
    return scale.invert(place, place)[0]


def _score_bounds(
    question: Question, value: Floats, variance: Floats, bearers: Floats, k: Floats, mixed: Floats, gold: Floats
) -> tuple[Floats, Floats]:
    """Return the bounds of a score in each simulated corpus."""
    level, limits = equivalence_level(question.level), question.subject.score.limits
    intervals = score_intervals(
        value, variance, k, bearers=bearers, mixed=mixed, spans=gold, level=level, limits=limits
    )
    return intervals.low, intervals.high


def _difference_bounds(
    question: Question, mean: Floats, variance: Floats, bearers: Floats, k: Floats
) -> tuple[Floats, Floats]:
    """Return the bounds of a difference in each simulated corpus in which enough units differ."""
    assert question.pilot is not None
    value, freedom, error = question.value + mean, degrees_of_freedom(k, bearers), np.maximum(np.sqrt(variance), TINY)
    test = t_test(value, error, freedom, level=equivalence_level(question.level), limit=question.pilot.limit)
    return test.low, test.high


def units_needed(question: Question, seed: int = 0, share: float = POWER) -> int | None:
    """Return about how many units a corpus needs to answer a question; None for more than ten million.

    Args:
        question: The question; it has a pilot.
        seed: The seed of the random draws.
        share: The share of corpora that have to answer it.

    Returns:
        A number with two significant digits.
    """
    if question.is_on_bound:
        return None
    high = max(FEW_UNITS, 2 * math.ceil(question.pilot.units_per_entry) if question.pilot else 0)
    low = high
    while answer_rate(question, high, seed) < share:
        low, high = high, 2 * high
        if low > MOST_UNITS:
            return None
    for _ in range(STEPS if high > low else 0):
        middle = (low + high) // 2
        low, high = (low, middle) if answer_rate(question, middle, seed) >= share else (middle, high)
    unit = int(10 ** max(0, len(str(high)) - 2))
    return -(-high // unit) * unit


def sizes_between(least: int, most: int) -> list[int]:
    """Return the round numbers between two sizes, with the next lower one and the next higher one.

    >>> sizes_between(30, 1100), sizes_between(100, 100)
    ([20, 50, 100, 200, 500, 1000, 2000], [100])
    """
    sizes = [digit * 10**power for power in range(1, 9) for digit in (1, 2, 5)]
    first = max([0, *(n for n, size in enumerate(sizes) if size <= least)])
    last = min(n for n, size in enumerate(sizes) if size >= most or n == len(sizes) - 1)
    return sizes[first : max(last, first) + 1]


def plan_documents(policy: Policy, candidate: System, baseline: System | None = None) -> dict[str, Any]:
    """Return how many documents decide the rules of a policy, as a pilot suggests.

    Further documents are assumed to be like those of the pilot: for a rule, the value is that of the pilot; for a
    difference, the two systems differ by so many points, in as large a share of documents and as unevenly as in the
    pilot. A difference is seen if a test rejects the null hypothesis.

    Args:
        policy: The rules, perhaps a difference or half widths among them; see `add_questions`.
        candidate: A system; its documents are the pilot.
        baseline: Another system on the same documents, for rules that compare and for a difference.

    Returns:
        A result in plain Python; ratios, also those of bounds, are not in per cent.

    Raises:
        ValueError: There is no baseline where one is needed, there is no such score, a system has several
            runs, or the counts have no single documents.

    >>> from spacy_nereval import Document, count, create_all
    >>> documents = [Document([(0, 3, "A")], [(0, 3, "A")] * (k % 4 > 0), id=str(k)) for k in range(60)]
    >>> policy = Policy((Rule("overall", "at_least", 60, "strict_r"),))
    >>> found = plan_documents(policy, System("new", count(documents, create_all(["strict"]))))
    >>> [(rule["name"], rule["value"], rule["units_needed"]) for rule in found["questions"]]
    [('overall', 0.75, 67)]
    """
    judge = RuleJudge(policy, candidate, baseline)
    for side in (judge.ours, judge.theirs or ()):
        if len(side) > 1:
            raise ValueError("a plan needs one run of each system: more documents do not make training runs more alike")
    first = judge.ours[0]
    first.check_documents("sizes of documents to plan with")
    questions = [_make_question(rule, judge) for rule in policy.rules]
    rows = [_question_row(question, judge.units or 0, first.documents, policy.seed) for question in questions]
    needed = [row["units_needed"] for row in rows if row["units_needed"]]
    units = judge.units or 0
    sizes = sizes_between(min([*needed, units]) // 2, max([*needed, units]))
    for row, question in zip(rows, questions):
        is_usable = question.pilot is not None and not row["few"] and question.rule.kind != HALF_WIDTH
        row["curve"] = [
            {"units": size, "answered": answer_rate(question, size, policy.seed) if is_usable else None}
            for size in sizes
        ]
    settings = [f"level:{policy.level:g}", f"unit:{first.unit}", f"units:{units}", f"seed:{policy.seed}"]
    asked = [
        f"{rule.kind}:{rule.score}:{rule.bound:g}" for rule in policy.rules if rule.kind in (DIFFERENCE, HALF_WIDTH)
    ]
    settings += [f"corpora:{CORPORA}", *asked]
    settings += [f"gate:{policy.digest[:12]}"] if policy.digest else []
    result: dict[str, Any] = make_plain(
        {
            "signature": signature(first, *settings),
            "version": __version__,
            "policy": policy.digest,
            "level": policy.level,
            "power": POWER,
            "candidate": candidate.name,
            "baseline": baseline and baseline.name,
            "documents": first.documents,
            "unit": first.unit,
            "units": units,
            "questions": rows,
        }
    )
    return result


def make_questions(policy: Policy, candidate: System, baseline: System | None = None) -> list[Question]:
    """Return the rules of a policy as questions to corpora that are like the documents of two systems."""
    judge = RuleJudge(policy, candidate, baseline)
    return [_make_question(rule, judge) for rule in policy.rules]


def _make_question(rule: Rule, judge: RuleJudge) -> Question:
    """Return a rule as a question, with the pilot of its score."""
    subject, ours, theirs = judge.subject_and_counts(rule)
    baseline = theirs[0] if theirs and rule.kind in AGAINST_BASELINE else None
    is_counted = subject.label is None or subject.label in all_labels(ours[0], *([baseline] if baseline else []))
    pilot = make_pilot(subject, ours[0], baseline) if is_counted and ours[0].documents else None
    if pilot is not None and not np.isfinite([pilot.value, *pilot.influence]).all():
        pilot = None
    value, level = math.nan if pilot is None else pilot.value, judge.policy.level
    if rule.kind == DIFFERENCE:
        assert not isinstance(rule.bound, tuple)
        value, level = rule.bound / points_per_unit(subject.score.unit), (1 + level) / 2  # Its test is two-sided.
    elif baseline is None and pilot is not None:
        value = float(variance_scale(subject.score.limits, (1,)).invert(np.array([value]), np.array([value]))[0][0])
    bounds = math.nan, math.nan
    if pilot is not None and rule.kind not in (DIFFERENCE, HALF_WIDTH):
        estimate = judge.at_level((1 + PLAN_LEVEL) / 2).estimate(rule, subject, ours, theirs)
        bounds = estimate.low, estimate.high
    question = Question(
        rule,
        subject,
        pilot,
        value,
        *allowed_range(rule, subject.score),
        level,
        judge.policy.least_units,
        bounds,
        judge.policy.unseen,
    )
    # To be broken, a rule of a family needs the level of all its rules together.
    _, size = judge.policy.family_of(rule.name)
    return question if question.is_allowed else question._replace(level=1 - (1 - level) / size)


def _question_row(question: Question, units: int, documents: int, seed: int) -> dict[str, Any]:
    """Return the row of a question in the result: how many units answer it, and the numbers this is computed from."""
    rule, subject, pilot = question.rule, question.subject, question.pilot
    k, freedom = pilot.units_and_freedom if pilot else (0.0, math.nan)
    differing = None if pilot is None or pilot.contributions is None else len(pilot.contributions)
    is_small = k < max(FEW_UNITS, 0 if rule.kind == HALF_WIDTH else question.least_units)
    few = is_small or (differing is not None and differing < LEAST_DIFFERING)
    needed, between = (None, None) if few or pilot is None else _units_and_interval(question, pilot, units, seed)
    if few and not is_small and pilot is not None:
        needed = _units_by_bound(question, pilot, units)
    return {
        "name": rule.name,
        "kind": rule.kind,
        "metric": subject.metric.name,
        "score": subject.score.name,
        "score_unit": subject.score.unit,
        "label": rule.label,
        "by": rule.by,
        "bucket": rule.bucket,
        "bound": [question.least, question.most] if rule.kind == RATE_BETWEEN else _bound(question),
        "value": question.value,
        "effective_units": k,
        "freedom": freedom,
        "differing": differing,
        "few": few,
        "answered": None if few or pilot is None or rule.kind == HALF_WIDTH else answer_rate(question, units, seed),
        "units_needed": needed,
        "units_between": between and [math.ceil(end - 1e-9) if math.isfinite(end) else None for end in between],
        "unseen": None if needed is None else _is_unseen(question, k * needed / units),
        "documents_needed": None if needed is None else math.ceil(needed * documents / units),
    }


def _units_and_interval(
    question: Question, pilot: Pilot, units: int, seed: int
) -> tuple[int | None, tuple[float, float] | None]:
    """Return how many units answer a question, and the 90 % interval of this number; None for no number."""
    k, freedom = pilot.units_and_freedom
    if question.rule.kind == HALF_WIDTH:
        entries, score = len(pilot.influence), question.subject.score
        slope = float(variance_scale(score.limits, ()).slope(question.value))
        variance = float((pilot.influence**2).sum()) / (entries * (entries - 1)) * slope**2
        plan = plan_half_width(variance, _bound(question), k, freedom, units, question.level)
        return (plan.units, plan.between) if plan else (None, None)
    needed = units_needed(question, seed)
    if needed is None:
        return None, None
    nearest = min((question.least, question.most), key=lambda bound: abs(bound - question.value))
    return needed, units_interval(needed, question.value, nearest, question.bounds, freedom)


def _bound(question: Question) -> float:
    """Return the bound of a question as a result has it."""
    if question.rule.kind == DIFFERENCE:
        return question.value
    if question.rule.kind == HALF_WIDTH:
        assert not isinstance(question.rule.bound, tuple)
        return question.rule.bound / points_per_unit(question.subject.score.unit)
    return question.most if math.isinf(question.least) else abs(question.least)


def _units_by_bound(question: Question, pilot: Pilot, units: int) -> int | None:
    """Return how many units decide that a system is not worse by more than a margin, if no further units differ;
    None for other questions."""
    if not -pilot.limit < question.least < 0 or question.rule.kind == DIFFERENCE:
        return None
    level, amounts = equivalence_level(question.level), () if pilot.contributions is None else pilot.contributions
    needed = units_for_rare_loss(amounts, -question.least, level, pilot.limit, lower_only=True)
    return needed and math.ceil(needed * units / pilot.units_and_freedom[0] - 1e-9)


def _is_unseen(question: Question, k: float) -> bool:
    """Return whether a rule that is met with k effective units is met only if nothing is of an unseen kind."""
    if not question.is_allowed or question.rule.kind in (DIFFERENCE, HALF_WIDTH):
        return False
    bounds = bounds_if_unseen(question.rule.kind, question.value, question.value, question.value, k)
    return interval_verdict(*bounds, question.least, question.most) != MET


def units_interval(
    units: int, value: float, bound: float, bounds: tuple[float, float], freedom: float
) -> tuple[float, float]:
    """Return the 90 % interval of the number of units that decide a rule.

    The number is proportional to the variance and to the inverse square of the distance of the value from the bound
    of the rule. A pilot estimates both with an error; the errors are combined on the logarithmic scale.

    Args:
        units: The number of units that decides if the pilot is right.
        value: The value in the pilot.
        bound: The bound of the rule.
        bounds: The 90 % interval of the value; not finite where the value is given.
        freedom: The degrees of freedom of its variance.

    Returns:
        The least and the greatest number; the greatest is infinite if the interval of the value contains the bound.

    Example:
        >>> [round(number, 2) for number in units_interval(120, 0.76, 0.7, (0.72, 0.8), 19)]
        [39.11, 1180.05]
        >>> [round(number, 2) for number in units_interval(120, 0.76, 0.7, (0.69, 0.83), 19)]
        [23.9, inf]
    """
    low, high = map(math.log, variance_factors(freedom))
    first, second = (end - bound for end in bounds)
    if not math.isfinite(first + second):
        return units * math.exp(low), units * math.exp(high)
    gap, near, far = abs(value - bound), *sorted([abs(first), abs(second)])
    least = units * math.exp(-math.hypot(low, 2 * math.log(far / gap)))
    if first * second <= 0:
        return least, math.inf
    return least, units * math.exp(math.hypot(high, 2 * math.log(gap / near)))
