"""What a model has to fulfil before it ships: the rules of a policy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..core.declaration import Metric, Score
from ..core.messages import named, quoted
from ..metrics.registry import create_all
from .statistics.bounds import FEW_UNITS
from .statistics.conclusion import points
from .statistics.scales import Limits
from .thresholds.cut_choice import Wanted, wanted

AT_LEAST, AT_MOST, WORSE, BETTER, RATE_BETWEEN = KINDS = (
    *("at_least", "at_most", "worse_by_at_most", "better_by_at_least", "rate_between"),
)
"""What a rule can demand."""

DIFFERENCE = "difference"
"""What only a plan asks: whether a test shows a difference of so many points from the baseline."""

AGAINST_BASELINE = (WORSE, BETTER, DIFFERENCE)
"""The rules that need a baseline."""

LEAST = 1e-12
"""Differences up to this are rounding."""

FAIL, WARN, PASS = CONSEQUENCES = ("fail", "warn", "pass")
"""What an undecided rule does to the gate."""


class Rule(NamedTuple):
    """A rule of a policy.

    Attributes:
        name: Its name.
        kind: One of `KINDS`, or `DIFFERENCE`.
        bound: The bound in points; for `rate_between` the least and the greatest rate.
        score: A score key, METRIC.SCORE or METRIC_SCORE; None for `rate_between`.
        label: The label whose score is meant; None for all labels.
        by, bucket: A slice, such as "eLen" and "1"; None for all spans.
        required: Whether the gate depends on it. Other rules only advise.
        undecided: What an undecided rule does: one of `CONSEQUENCES`.
    """

    name: str
    kind: str
    bound: float | tuple[float, float]
    score: str | None = None
    label: str | None = None
    by: str | None = None
    bucket: str | None = None
    required: bool = True
    undecided: str = FAIL


class Policy(NamedTuple):
    """What a model has to fulfil.

    Attributes:
        rules: The rules, one or more.
        level: Confidence level of each one-sided interval.
        unit: The rule that says which documents are resampled together; None for the usual one.
        seed: Seed of the random swaps.
        least_units: Effective number of units below which a rule is undecided, whatever its interval.
        too_few: What a rule with fewer units does: one of `CONSEQUENCES`.
        families: Names of rules by the name of their family. Among many rules one is easily broken by luck, so a rule
            of a family of F is broken only if its interval at 1 - (1 - level) / F says so, too; else it is undecided.
        digest: Of the text of the policy.
    """

    rules: tuple[Rule, ...]
    level: float = 0.95
    unit: str | None = None
    seed: int = 0
    least_units: int = FEW_UNITS
    too_few: str = FAIL
    families: Mapping[str, Sequence[str]] = {}  # noqa: RUF012  # read only
    digest: str = ""

    @property
    def needs_baseline(self) -> list[str]:
        """The names of the rules that need a baseline."""
        return [rule.name for rule in self.rules if rule.kind in AGAINST_BASELINE]

    def check_baseline(self, given: bool, remedy: str = "") -> None:
        """Raise ValueError if a rule needs a baseline and none is given.

        Args:
            given: Whether one is.
            remedy: What to give; the argument `baseline` if it is empty.

        >>> Policy((Rule("a", "worse_by_at_most", 1, "strict_f"),)).check_baseline(False)
        Traceback (most recent call last):
        ValueError: rule a compares with a baseline: give baseline=
        """
        if self.needs_baseline and not given:
            raise ValueError(
                f"rule {self.needs_baseline[0]} compares with a baseline: give {remedy or named('baseline')}"
            )

    def family_of(self, rule: str) -> tuple[str | None, int]:
        """Return the family of a rule, and how many rules it has: None and 1 for a rule without.

        >>> Policy((), families={"labels": ["a", "b"]}).family_of("b")
        ('labels', 2)
        """
        return next(((name, len(rules)) for name, rules in self.families.items() if rule in rules), (None, 1))

    @property
    def metrics(self) -> list[str]:
        """The names of the metrics that the rules need.

        >>> Policy((Rule("a", "at_least", 80, "strict_f"), Rule("b", "at_most", 30, "slot_error.ser"))).metrics
        ['strict', 'slot_error']
        """
        known = create_all(["all"])
        found = [scored(rule, known).metric.name for rule in self.rules if rule.score]
        return [*dict.fromkeys(found)] or ["strict"]


def scored(rule: Rule, metrics: Sequence[Metric]) -> Wanted:
    """Return the metric and the score that a rule is about.

    Raises:
        ValueError: None of the metrics has such a score.
    """
    name = rule.score or ""
    asked = named("score", name) if rule.kind == DIFFERENCE else f"rule {rule.name}: score {quoted(name)}"
    return wanted(name, metrics, asked)


def allowed(rule: Rule, score: Score) -> Limits:
    """Return the least and the greatest value that a rule allows, in the unit of the score."""
    if isinstance(rule.bound, tuple):
        return rule.bound
    bound = rule.bound / points(score.unit)
    return {
        AT_LEAST: (bound, math.inf),
        AT_MOST: (-math.inf, bound),
        WORSE: (-bound, math.inf),
        BETTER: (bound, math.inf),
        DIFFERENCE: (2 * LEAST, math.inf),
    }[rule.kind]
