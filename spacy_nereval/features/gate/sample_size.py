"""How many documents decide a rule, or show a difference: simulated from what each unit of a pilot adds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.about import __version__
from ...core.arguments import MARGIN, check_value
from ...core.declaration import GOLD_SPANS, PRED_SPANS
from ...core.messages import named
from ...counting.counts import Counts
from ...counting.table import Table
from ...evaluation.bounds import FEW_UNITS, TINY, degrees_of_freedom, effective_units, kish, score_intervals, shares
from ...evaluation.comparison import System
from ...evaluation.conclusion import points
from ...evaluation.differences import LEAST_DIFFERING, POWER, equivalence_level, rare_difference, t_test
from ...evaluation.pairs import Pair, all_labels
from ...evaluation.prediction_rates import RATE
from ...evaluation.resampling import Units
from ...evaluation.result import plain, signature
from ...evaluation.scores import score_sums
from ...evaluation.tested import Subject, greatest_difference
from ...evaluation.variance import bearers_of, sides_of
from .gate_rules import MOST_UNITS, Judging
from .policy import AGAINST_BASELINE, DIFFERENCE, RATE_BETWEEN, Policy, Rule, allowed

Floats = NDArray[np.float64]

CORPORA = 1000
"""How many corpora of each size are simulated: a share of 80 per cent has a standard error of 1.3."""

STEPS = 6
"""How often the distance between a number of units that suffices and one that does not is halved."""


def with_difference(policy: Policy | None, score: str, wide: float | None) -> Policy:
    """Return a policy that also asks whether a difference from the baseline is seen.

    Args:
        policy: The rules; None for none.
        score: A score key, METRIC.SCORE or METRIC_SCORE.
        wide: The difference in points; None for none.

    Raises:
        ValueError: The difference is not above 0, or there are neither rules nor a difference.

    >>> with_difference(None, "strict_f", 2).rules[0].kind
    'difference'
    """
    if wide is None:
        if policy is None:
            raise ValueError(
                f"there is nothing to plan for: give {named('policy')} with rules, or {named('difference')} with a "
                "number of points"
            )
        return policy
    check_value("difference", wide, MARGIN)
    base = policy or Policy(())
    return base._replace(rules=(*base.rules, Rule(DIFFERENCE, DIFFERENCE, float(wide), score)))


class Pilot(NamedTuple):
    """What each unit of a pilot adds to one number, on the scale on which intervals are made; float64[units].

    Attributes:
        value: The number itself: a score on the 0-1 scale, or a difference.
        influence: By how much the number changes with the share of corpora that are like this unit; 0 on average.
        weight: The spans of a unit, of both sides.
        gold: Its gold spans.
        sides: Whether it has an error, and whether it has a hit, [2, units]; of a difference, whether it has one.
        each: How many units an entry stands for; above 1 where there are more than `MOST_GROUPS`.
    """

    value: float
    influence: Floats
    weight: Floats
    gold: Floats
    sides: Floats
    each: float

    @property
    def footing(self) -> tuple[float, float]:
        """The effective number of units, and the degrees of freedom of the variance."""
        second, fourth = ((self.influence**power).sum() for power in (2, 4))
        k = float(effective_units(self.weight))
        return k, float(degrees_of_freedom(k, bearers_of(second, fourth, len(self.influence))))


class _Chosen:
    """Documents of each group alone, or all documents but those of each group, as weights of sums."""

    def __init__(self, units: Units, *, alone: bool) -> None:
        self._group, self._alone = units.group[units.of_document], alone
        self.sums: int = units.groups.shape[0]

    def of(self, documents: slice) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = (self._group[documents] == np.arange(self.sums)[:, None]) == self._alone
        return found


def pilot_of(subject: Subject, ours: Counts, theirs: Counts | None) -> Pilot:
    """Return what each unit of a pilot adds to a score of `ours`, or to its difference from that of `theirs`.

    Raises:
        ValueError: The counts do not say what is resampled.
    """
    runs = [ours] if theirs is None else [ours, theirs]
    units = Units(ours)
    own = [counts.of([subject.metric]) for counts in runs]
    labels = all_labels(*own) if subject.metric.classes else tuple(filter(None, [subject.label]))
    tables, groups = [Table(counts, labels) for counts in own], units.groups.shape[0]
    chosen = [_Chosen(units, alone=alone) for alone in (False, True)]
    values = np.array(
        [[np.broadcast_to(_values(subject, table, some), groups) for some in (None, *chosen)] for table in tables]
    )
    spans = [_of_groups(table, units, labels, subject, (*GOLD_SPANS, *PRED_SPANS)) for table in tables]
    gold = _of_groups(tables[0], units, labels, subject, GOLD_SPANS)
    if theirs is None:
        scale = shares(subject.score.limits, (groups,))
        whole, left, alone = (scale.share(value) for value in values[0])
        bounded = np.full(groups, np.isfinite(subject.score.limits).all())
        sides = np.array(sides_of(whole, left, alone, bounded), dtype=float)
        if subject.metric is RATE:  # As a share of all spans of both sides, it is mixed where a unit has either.
            sides = np.array([gold > 0, spans[0] > gold], dtype=float)
    else:
        sign = 1 if subject.score.higher_is_better else -1
        whole, left, _ = sign * (values[0] - values[1])
        assert theirs is not None
        pair = Pair(theirs, ours, [subject.metric], labels if subject.label else None)
        unlike = pair.differing(subject.metric)[:, labels.index(subject.label) if subject.label else -1]
        sides = np.tile(np.bincount(units.group, unlike, groups) > 0, (2, 1)).astype(float)
    moved = (groups - 1) * (whole - left)
    return Pilot(float(whole[0]), moved - moved.mean(), np.sum(spans, axis=0), gold, sides, len(units) / groups)


def _values(subject: Subject, table: Table, weights: _Chosen | None) -> Floats:
    """Return the score of each of some sums."""
    (scores,) = score_sums(table.summed(weights))
    return np.asarray(subject.values(scores, table.labels), dtype=float)


def _of_groups(table: Table, units: Units, labels: Sequence[str], subject: Subject, kinds: Sequence[Any]) -> Floats:
    """Return the number of spans of some kinds of each group, float64[groups]."""
    spans = (units.groups @ table.spans(*kinds)).toarray()
    found: Floats = spans.sum(axis=1) if subject.label is None else spans[:, labels.index(subject.label)]
    return found.astype(float)


class Question(NamedTuple):
    """What a plan is for.

    Attributes:
        rule: The rule; for a difference, one with the kind `DIFFERENCE` and the difference in points.
        subject: The score.
        pilot: What each unit adds; None if there is nothing to go by.
        value: The true value that is assumed.
        least, most: What is allowed: the question is answered once the interval is within, or wholly outside.
        level: The level of each bound of the interval.
        least_units: Effective number of units below which nothing is decided.
    """

    rule: Rule
    subject: Subject
    pilot: Pilot | None
    value: float
    least: float
    most: float
    level: float
    least_units: int = FEW_UNITS

    @property
    def within(self) -> bool:
        """Whether the assumed value is allowed."""
        return self.least <= self.value <= self.most

    @property
    def on_bound(self) -> bool:
        """Whether the assumed value is a bound, so that no number of units decides."""
        return min(abs(self.value - self.least), abs(self.value - self.most)) < TINY


def answered(question: Question, units: int, seed: int = 0, corpora: int = CORPORA) -> float:
    """Return the share of simulated corpora that answer a question rightly.

    A corpus of n units is drawn from the units of the pilot, with replacement. Its value is the assumed one plus
    the mean of the influences drawn, and its interval is made as the gate makes it: Wilson's for a score, of t for
    a difference, in place of swaps.

    Args:
        question: The question, whose pilot is known.
        units: The number of units of a corpus.
        seed: Of the random draws.
        corpora: How many corpora are simulated.

    Returns:
        A share from 0 to 1.
    """
    pilot = question.pilot
    assert pilot is not None
    number = max(2, round(units / pilot.each))
    rows = np.column_stack([pilot.influence, pilot.weight, pilot.gold, *pilot.sides])
    rows, times = np.unique(rows, axis=0, return_counts=True)
    random = np.random.default_rng([seed, number])
    drawn = random.multinomial(number, times / times.sum(), size=corpora).astype(float)
    influence, weight = rows[:, 0], rows[:, 1]
    mean, *raw = (drawn @ influence**power / number for power in (1, 2, 3, 4))
    second = np.maximum(raw[0] - mean**2, 0) * number
    fourth = np.maximum(raw[2] - 4 * mean * raw[1] + 6 * mean**2 * raw[0] - 3 * mean**4, 0) * number
    variance, bearers = second / (number * (number - 1)), bearers_of(second, fourth, number)
    k, sides = kish(drawn @ weight, drawn @ weight**2), np.array([drawn @ side for side in rows[:, 3:].T])
    enough = k >= question.least_units
    k = np.maximum(k, 1)
    if question.rule.kind in AGAINST_BASELINE:
        low, high = _of_difference(question, mean, variance, bearers, k, sides[0])
    else:
        low, high = _of_score(question, mean, variance, bearers, k, sides.min(axis=0), drawn @ rows[:, 2])
    if question.within:
        right = (low >= question.least) & (high <= question.most)
    else:
        right = (high < question.least) | (low > question.most)
    return float((right & enough).mean())


def _of_score(
    question: Question, mean: Floats, variance: Floats, bearers: Floats, k: Floats, mixed: Floats, gold: Floats
) -> tuple[Floats, Floats]:
    scale = shares(question.subject.score.limits, mean.shape)
    value = np.clip(float(scale.share(np.full(len(mean), question.value))[0]) + mean, 0, 1)
    found = score_intervals(
        value, variance, k, bearers=bearers, mixed=mixed, spans=gold, level=equivalence_level(question.level)
    )
    return scale.bounds(found.low, found.high)


def _of_difference(
    question: Question, mean: Floats, variance: Floats, bearers: Floats, k: Floats, differing: Floats
) -> tuple[Floats, Floats]:
    value, freedom = question.value + mean, degrees_of_freedom(k, bearers)
    limit, error = greatest_difference(question.subject.score), np.sqrt(variance)
    level = equivalence_level(question.level)
    tested = t_test(value, np.maximum(error, TINY), freedom, level=level, limit=limit)
    few = differing < LEAST_DIFFERING
    reach = np.full(len(mean), limit)
    for at in np.flatnonzero(few & (k > differing)):
        reach[at] = rare_difference(int(differing[at]), float(k[at]), question.level) * limit
    low = np.where(few, np.minimum(value, -reach), tested.low)
    return low, np.where(few, np.maximum(value, reach), tested.high)


def units_needed(question: Question, seed: int = 0, often: float = POWER) -> int | None:
    """Return about how many units answer a question in so many of 100 cases; None if more than ten million.

    Args:
        question: The question, whose pilot is known.
        seed: Of the random draws.
        often: The share of corpora that have to answer it.

    Returns:
        A number with two significant digits.
    """
    if question.on_bound:
        return None
    high = max(FEW_UNITS, 2 * math.ceil(question.pilot.each) if question.pilot else 0)
    low = high
    while answered(question, high, seed) < often:
        low, high = high, 2 * high
        if low > MOST_UNITS:
            return None
    for _ in range(STEPS if high > low else 0):
        middle = (low + high) // 2
        low, high = (low, middle) if answered(question, middle, seed) >= often else (middle, high)
    unit = int(10 ** max(0, len(str(high)) - 2))
    return -(-high // unit) * unit


def sizes_between(least: int, most: int) -> list[int]:
    """Return round numbers from the last up to the first number, to the first from the second number.

    >>> sizes_between(30, 1100), sizes_between(100, 100)
    ([20, 50, 100, 200, 500, 1000, 2000], [100])
    """
    found = [digit * 10**power for power in range(1, 9) for digit in (1, 2, 5)]
    first = max([0, *(n for n, size in enumerate(found) if size <= least)])
    last = min(n for n, size in enumerate(found) if size >= most or n == len(found) - 1)
    return found[first : max(last, first) + 1]


def plan(policy: Policy, candidate: System, baseline: System | None = None) -> dict[str, Any]:
    """Say how many documents answer the questions of a policy, from a pilot.

    The documents to come are assumed to be like those of the pilot. A rule is decided if the value stays what it is
    in the pilot; a difference is seen if a test rejects that there is none, and the two systems differ by so many
    points, in as many documents and as unevenly as in the pilot.

    Args:
        policy: The rules, perhaps a difference among them; see `with_difference`.
        candidate: A system, whose documents are the pilot.
        baseline: Another system on the same documents, for rules that compare and for a difference.

    Returns:
        A result in plain Python; ratios, also those of bounds, are not in per cent.

    Raises:
        ValueError: There is no baseline where one is needed, there is no such score, a system has several training
            runs, or the counts have no single documents.

    >>> from spacy_nereval import Document, count, create_all
    >>> documents = [Document([(0, 3, "A")], [(0, 3, "A")] * (k % 4 > 0), id=str(k)) for k in range(60)]
    >>> policy = Policy((Rule("overall", "at_least", 60, "strict_r"),))
    >>> found = plan(policy, System("new", count(documents, create_all(["strict"]))))
    >>> [(rule["name"], rule["value"], rule["units_needed"]) for rule in found["questions"]]
    [('overall', 0.75, 67)]
    """
    judging = Judging(policy, candidate, baseline)
    for side in (judging.ours, judging.theirs or ()):
        if len(side) > 1:
            raise ValueError("a plan needs one run of each system: more documents do not make training runs more alike")
    first = judging.ours[0]
    first.check_documents("a plan")
    questions = [_question(rule, judging) for rule in policy.rules]
    rows = [_row(question, judging.units or 0, first.documents, policy.seed) for question in questions]
    known = [row["units_needed"] for row in rows if row["units_needed"]]
    units = judging.units or 0
    sizes = sizes_between(min([*known, units]) // 2, max([*known, units]))
    for row, question in zip(rows, questions):
        usable = question.pilot is not None and not row["few"]
        row["curve"] = [
            {"units": size, "answered": answered(question, size, policy.seed) if usable else None} for size in sizes
        ]
    settings = [f"level:{policy.level:g}", f"unit:{first.unit}", f"units:{units}", f"seed:{policy.seed}"]
    asked = [f"{rule.score}:{rule.bound:g}" for rule in policy.rules if rule.kind == DIFFERENCE]
    settings += [f"corpora:{CORPORA}", *(f"difference:{each}" for each in asked)]
    settings += [f"gate:{policy.digest[:12]}"] if policy.digest else []
    result: dict[str, Any] = plain(
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


def questions_of(policy: Policy, candidate: System, baseline: System | None = None) -> list[Question]:
    """Return the rules of a policy as questions to corpora that are like the documents of two systems."""
    judging = Judging(policy, candidate, baseline)
    return [_question(rule, judging) for rule in policy.rules]


def _question(rule: Rule, judging: Judging) -> Question:
    """Return a rule as a question to a corpus."""
    subject, ours, theirs = judging.about(rule)
    other = theirs[0] if theirs and rule.kind in AGAINST_BASELINE else None
    known = subject.label is None or subject.label in all_labels(ours[0], *([other] if other else []))
    pilot = pilot_of(subject, ours[0], other) if known and ours[0].documents else None
    if pilot is not None and not np.isfinite([pilot.value, *pilot.influence]).all():
        pilot = None
    value, level = math.nan if pilot is None else pilot.value, judging.policy.level
    if rule.kind == DIFFERENCE:
        assert not isinstance(rule.bound, tuple)
        value, level = rule.bound / points(subject.score.unit), (1 + level) / 2  # Its test is two-sided.
    elif other is None and pilot is not None:
        value = float(shares(subject.score.limits, (1,)).bounds(np.array([value]), np.array([value]))[0][0])
    asked = Question(rule, subject, pilot, value, *allowed(rule, subject.score), level, judging.policy.least_units)
    # To be broken, a rule of a family needs the level of all its rules together.
    _, size = judging.policy.family_of(rule.name)
    return asked if asked.within else asked._replace(level=1 - (1 - level) / size)


def _row(question: Question, units: int, documents: int, seed: int) -> dict[str, Any]:
    """Return how many units answer a question, and what that rests on."""
    rule, subject, pilot = question.rule, question.subject, question.pilot
    k, freedom = pilot.footing if pilot else (0.0, math.nan)
    differing = None if pilot is None or question.rule.kind == RATE_BETWEEN else _differing(question)
    few = k < max(FEW_UNITS, question.least_units) or (differing is not None and differing < LEAST_DIFFERING)
    needed = None if few or pilot is None else units_needed(question, seed)
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
        "answered": None if few or pilot is None else answered(question, units, seed),
        "units_needed": needed,
        "units_between": None if needed is None else [*_between(needed, freedom)],
        "documents_needed": None if needed is None else math.ceil(needed * documents / units),
    }


def _bound(question: Question) -> float:
    if question.rule.kind == DIFFERENCE:
        return question.value
    return question.most if math.isinf(question.least) else abs(question.least)


def _differing(question: Question) -> int | None:
    """Return in how many units two systems differ; None for a score of one system."""
    if question.rule.kind not in AGAINST_BASELINE or question.pilot is None:
        return None
    return int(question.pilot.sides[0].sum())


def _between(units: int, freedom: float) -> Iterator[int]:
    """Yield the bounds of a number of units, at 90 per cent: it goes with a variance that a pilot knows only roughly.

    Source: the interval of a variance, of χ² with the degrees of freedom of the variance.
    """
    from scipy.special import chdtri

    for tail in (0.05, 0.95):
        yield math.ceil(units * freedom / float(chdtri(freedom, tail)) - 1e-9)
