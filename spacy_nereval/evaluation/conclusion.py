"""Describe a difference in one sentence, with a footer on its basis."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..core.messages import many
from .differences import (
    BETTER_BY_LESS,
    BETTER_BY_MORE,
    LEAST_DIFFERING,
    NOT_ENOUGH,
    NOT_WORSE,
    POWER,
    SAME_WITHIN,
    WORSE_BY_MORE,
)


def unit_name(rule: str, units: int | None = None, documents: int | None = None) -> str:
    """Return the noun for a unit: "document", "block", or "unit" where several documents are one.

    Args:
        rule: The rule that says which documents are one unit; for merged counts several, joined by "and".
        units: The number of units, if it is known.
        documents: The number of documents. Documents with one id, or with equal texts and none, are one unit.

    Example:
        >>> unit_name("id"), unit_name("block:20"), unit_name("meta.source"), unit_name("block:auto and id")
        ('document', 'block', 'unit', 'unit')
        >>> unit_name("id", 5, 7)
        'unit'
    """
    names = {"document" if part in ("id", "document") else part.partition(":")[0] for part in rule.split(" and ")}
    name = names.pop() if names in ({"document"}, {"block"}) else "unit"
    return "unit" if name == "document" and None not in (units, documents) and units != documents else name


ONCE = "for these trained models; retraining variance is not included"
"""Added where each system was trained once: retraining variance is not included."""


def points_per_unit(unit: str) -> int:
    """Return how many points the unit of a score is: 100 for ratios, which are shown in percent, else 1."""
    return 100 if unit == "ratio" else 1


def conclude(row: Mapping[str, Any], *, baseline: str, level: float = 0.95, units: str = "documents") -> str:
    """Return the conclusion that the numbers of a comparison support, also about a margin.

    Args:
        row: A row of the primary score, with its corrected p-value; NaN or None where there is no number.
        baseline: Name of the first system.
        level: Confidence level.
        units: The plural name of a unit.

    Returns:
        A sentence without a full stop. Points have two digits.

    Raises:
        ValueError: The corrected p-value is smaller than the p-value itself.

    Example:
        >>> row = dict(system="B", difference=-0.12038, interval=[-0.19966, -0.02376], p=0.04, p_holm=0.04, tests=1)
        >>> row |= dict(detectable=0.1257, differing=10, same_within=None, runs=[1, 1], score_unit="ratio")
        >>> row |= dict(higher_is_better=True, margin_answer=None)
        >>> print(conclude(row, baseline="A"))
        B scores lower than A on similar texts, by 12.04 points (2.38 to 19.97); for these trained models; \
retraining variance is not included
        >>> print(conclude(row | {"differing": 5}, baseline="A"))
        in this score the outputs differ in 5 documents: too few to test (between -19.97 and -2.38 points)
        >>> print(conclude(row | {"p": 0.2, "p_holm": 0.2, "interval": [-0.1997, 0.035]}, baseline="A"))
        not settled: between -19.97 and +3.50 points; a true difference of 12.57 points \
would be detected in 80 % of such samples
    """
    factor = points_per_unit(row["score_unit"])
    low, high, difference, detectable, p, p_holm = (
        math.nan if number is None else number
        for number in (*row["interval"], row["difference"], row["detectable"], row["p"], row["p_holm"])
    )
    if p_holm < p - 1e-12:
        raise ValueError(f"p corrected ({p_holm}) is smaller than p ({p}); are they swapped?")
    facts = _Conclusion(row, baseline, units, factor * difference, factor * low, factor * high, factor * detectable)
    sentence = facts.interval_sentence() if "standard_error" in row else facts.test_sentence(p, p_holm, 1 - level)
    answer = row["margin_answer"]
    return sentence if answer in (None, sentence) else f"{sentence}; {answer}"


class _Conclusion(NamedTuple):
    """A row of the primary score; numbers in points."""

    row: Mapping[str, Any]
    baseline: str
    units: str
    difference: float
    low: float
    high: float
    detectable: float

    def test_sentence(self, p: float, p_holm: float, alpha: float) -> str:
        """Return the conclusion from a test: the first that applies."""
        row = self.row
        if row["differing"] is not None and row["differing"] < LEAST_DIFFERING:
            few = f"the outputs differ in {many(row['differing'], self.units.removesuffix('s'))}: too few to test"
            return f"in this score {few} ({self._bounds()})" if math.isfinite(self.low + self.high) else few
        if not math.isfinite(self.difference):
            return UNDEFINED
        if not math.isfinite(p):
            return "the spread of this difference cannot be estimated: no test"
        if is_significant(p_holm, alpha):
            less = "" if row["higher_is_better"] else ", and less is better"
            once = f"; {ONCE}" if max(row["runs"]) == 1 else ""
            return f"{self._direction('scores', 'on similar texts, ')}{less}{once}"
        if row["same_within"] is not None:
            return equivalence_text(row["same_within"])
        if is_significant(p, alpha):
            return f"alone this would be a difference; among {row['tests']} tests it may be luck"
        return self._inconclusive()

    def interval_sentence(self) -> str:
        """Return the conclusion from an interval alone, since collapsed counts have no documents to swap."""
        if not math.isfinite(self.difference):
            return UNDEFINED
        if not math.isfinite(self.low + self.high):
            return f"possibly fewer than {LEAST_DIFFERING} {self.units} differ: too few to test"
        if self.row["same_within"] is not None:
            return equivalence_text(self.row["same_within"])
        if self.low <= 0 <= self.high:
            return self._inconclusive()
        return f"{self._direction('scored')}; there is no test, since collapsed counts keep no documents"

    def _direction(self, verb: str, where: str = "") -> str:
        least, most = sorted((abs(self.low), abs(self.high)))
        where = f" {where}" if where else ", "
        return (
            f"{self.row['system']} {verb} {'higher' if self.difference > 0 else 'lower'} than {self.baseline}{where}"
            f"by {abs(self.difference):.2f} points ({least:.2f} to {most:.2f})"
        )

    def _inconclusive(self) -> str:
        detectable = f"a true difference of {self.detectable:.2f} points"
        if self.row["score_unit"] == "ratio" and self.detectable > 100:
            detectable = "no true difference below 100 points"  # more than most ratios can differ by
        return f"not settled: {self._bounds()}; {detectable} would be detected in {100 * POWER:g} % of such samples"

    def _bounds(self) -> str:
        return f"between {self.low:+.2f} and {self.high:+.2f} points"


def is_significant(p_holm: float | None, alpha: float = 0.05) -> bool:
    """Return whether a p-value is at most alpha, apart from the rounding error of 1 - 0.95.

    >>> is_significant(0.05), is_significant(0.0501), is_significant(None)
    (True, False, False)
    """
    return p_holm is not None and p_holm <= alpha + 1e-12


UNDEFINED = "the score is undefined for one of the two: no test"


def equivalence_text(margin: float) -> str:
    """Return the clause that two systems are the same within a margin.

    >>> equivalence_text(1), equivalence_text(0.5)
    ('the same within 1 point', 'the same within 0.5 points')
    """
    return f"the same within {_format_points(margin)}"


def margin_sentence(answer: str, margin: float, units: str, needed: int | None, runs: float = 1) -> str:
    """Return an answer about a margin in words.

    Args:
        answer: What `differences.margin_answer` returns.
        margin: The margin, in points.
        units: The plural name of a unit.
        needed: The number of units that would suffice, if there are too few and their number is known.
        runs: The factor by which the training runs must increase as well; 1 for no increase.

    Example:
        >>> margin_sentence("not worse", 1, "documents", None)
        'not worse by 1 point or more'
        >>> margin_sentence("not enough data", 2, "documents", 1200)
        'not enough data for a margin of 2 points; about 1,200 documents like these would decide'
    """
    amount = _format_points(margin)
    if answer == NOT_ENOUGH:
        training = f", with {runs:.1f} times the training runs," if needed and runs > 1 else ""
        tell = f"; about {needed:,} {units} like these{training} would decide" if needed else ""
        return f"not enough data for a margin of {amount}{tell}"
    return {
        BETTER_BY_MORE: f"better by more than {amount}",
        BETTER_BY_LESS: f"better, by less than {amount}",
        SAME_WITHIN: equivalence_text(margin),
        NOT_WORSE: f"not worse by {amount} or more",
        WORSE_BY_MORE: f"worse by more than {amount}",
    }[answer]


def _format_points(margin: float) -> str:
    return f"{margin:g} {'point' if margin == 1 else 'points'}"


class Footing(NamedTuple):
    """The basis of the numbers of a comparison.

    Attributes:
        unit: The unit of resampling and swapping, as `--unit` names it.
        units: Their number U; None if it is not known.
        effective: Effective number of units k.
        seed: Seed of the random bits; None if there are none.
        samples: Number of half-samples; None if none were drawn.
        level: Confidence level.
        swaps: Number of swaps R; None if none were made.
        exact: Whether the swaps were all patterns instead of random ones.
        runs: Number of training runs of each system.
    """

    unit: str
    units: int | None
    effective: float
    seed: int | None
    samples: int | None = None
    level: float = 0.95
    swaps: int | None = None
    exact: bool = False
    runs: tuple[int, ...] = ()


def footer(footing: Footing) -> str:
    """Return the line below a comparison: the resampled units, and how often.

    Args:
        footing: The basis of the numbers.

    Returns:
        The parts that apply, separated by commas.

    Example:
        >>> print(footer(Footing("id", 10, 9.4, 0, swaps=1024, exact=True)))
        unit id, 10 units (effectively 9.4), seed 0, all 1,024 permutations
    """
    number = "units" if footing.units is None else many(footing.units, "unit")
    parts = [
        f"unit {footing.unit}",
        f"{number} (effectively {footing.effective:.1f})",
    ]
    if footing.seed is not None:
        parts.append(f"seed {footing.seed}")
    if footing.swaps is not None:
        parts.append(f"{'all ' if footing.exact else ''}{footing.swaps:,} permutations")
    if any(runs > 1 for runs in footing.runs):
        parts.append(f"training runs {' and '.join(map(str, footing.runs))}")
    return ", ".join(parts)


def signature_part(footing: Footing) -> str:
    """Return the part of a result's signature on its intervals and tests.

    Args:
        footing: The basis of the numbers.

    Returns:
        The half-samples and the swaps if there were any.

    Example:
        >>> signature_part(Footing("id", 500, 300.0, 0, swaps=10000))
        'seed:0,level:0.95,unit:id|swaps:10000'
        >>> signature_part(Footing("id", 10, 9.4, 0, 1000, swaps=1024, exact=True))
        'half:1000,seed:0,level:0.95,unit:id|swaps:all 1024'
        >>> signature_part(Footing("id", 10, 9.4, None))
        'infl,level:0.95,unit:id'
    """
    halves = [] if footing.samples is None else [f"half:{footing.samples}"]
    drawn = ",".join([*halves, "infl" if footing.seed is None else f"seed:{footing.seed}"])
    text = f"{drawn},level:{footing.level},unit:{footing.unit}"
    if footing.swaps is not None:
        text += f"|swaps:{'all ' if footing.exact else ''}{footing.swaps}"
    return text
