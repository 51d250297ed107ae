"""Describe a difference in one sentence, with a footer that says what it is based on."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

from .differences import LEAST_DIFFERING


def unit_name(rule: str, units: int | None = None, documents: int | None = None) -> str:
    """Return what a unit is called: a document, unless documents are put together.

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
    names = {"document" if each in ("id", "document") else each.partition(":")[0] for each in rule.split(" and ")}
    name = names.pop() if names in ({"document"}, {"block"}) else "unit"
    return "unit" if name == "document" and None not in (units, documents) and units != documents else name


class Conclusion(NamedTuple):
    """What is known about the difference of two systems: the second minus the first.

    Attributes:
        baseline: Name of the first system.
        system: Name of the second system.
        difference: Score of the second minus that of the first, in points.
        low: Lower bound of the difference, in points.
        high: Upper bound, in points.
        p: p-value of this test alone.
        p_holm: p-value corrected within the family.
        tests: F, the number of tests in the family.
        detectable: The difference that these documents show 4 times in 5, in points.
        differing: D, the number of units whose counts differ; None if it is not known.
        same_within: The margin in points, if the two are the same within it; else None.
        one_run: Whether each system was trained once.
        level: Confidence level.
        units: What a unit is, in the plural.
        higher_is_better: Direction of the score.
        tested: Whether there was a test; collapsed counts keep no documents to swap.
    """

    baseline: str
    system: str
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    tests: int
    detectable: float
    differing: int | None = None
    same_within: float | None = None
    one_run: bool = True
    level: float = 0.95
    units: str = "documents"
    higher_is_better: bool = True
    tested: bool = True


def sentence(finding: Conclusion) -> str:
    """Return the sentence that the numbers support: the first that applies.

    Args:
        finding: What is known about the difference.

    Returns:
        A sentence without a full stop. Points have two digits.

    Raises:
        ValueError: The corrected p-value is smaller than the p-value itself.

    Example:
        >>> found = Conclusion("A", "B", -12.038, -19.966, -2.376, 0.0391, 0.0391, 1, 12.57, differing=10)
        >>> print(sentence(found))
        B scores lower than A on texts like these, by 12.04 points (2.38 to 19.97); for these trained models; \
another training was not tried
        >>> print(sentence(found._replace(differing=5)))
        the outputs differ in 5 documents: nothing can be told
        >>> print(sentence(found._replace(p=0.2, p_holm=0.2, low=-19.97, high=3.5)))
        not settled: between -19.97 and +3.50 points; these documents show a difference of 12.57 points 4 times in 5
    """
    alpha = 1 - finding.level + 1e-12  # The rounding of 1 - 0.95 must not decide.
    if finding.p_holm < finding.p - 1e-12:
        raise ValueError(f"p corrected ({finding.p_holm}) is smaller than p ({finding.p}); are they swapped?")
    if finding.differing is not None and finding.differing < LEAST_DIFFERING:
        return f"the outputs differ in {_number(finding.differing, finding.units)}: nothing can be told"
    if not isfinite(finding.difference):
        return "the score is undefined for one of the two: nothing can be told"
    if not finding.tested:
        return _by_interval(finding)
    if not isfinite(finding.p):
        return "the spread of this difference cannot be estimated: nothing can be told"
    if finding.p_holm <= alpha:
        return _higher_or_lower(finding)
    if finding.same_within is not None:
        return _same(finding)
    if finding.p <= alpha:
        return f"alone this would be a difference; among {finding.tests} tests it may be luck"
    return _not_settled(finding)


def _by_interval(finding: Conclusion) -> str:
    """Return what an interval alone supports."""
    if not isfinite(finding.low + finding.high):
        return f"possibly fewer than {LEAST_DIFFERING} {finding.units} differ: nothing can be told"
    if finding.same_within is None and finding.low <= 0 <= finding.high:
        return _not_settled(finding)
    if finding.same_within is not None:
        return _same(finding)
    least, most = sorted((abs(finding.low), abs(finding.high)))
    return (
        f"{finding.system} scored {'higher' if finding.difference > 0 else 'lower'} than {finding.baseline}, "
        f"by {abs(finding.difference):.2f} points ({least:.2f} to {most:.2f}); there is no test, since "
        "collapsed counts keep no documents"
    )


def _same(finding: Conclusion) -> str:
    return f"the same within {finding.same_within:g} {'point' if finding.same_within == 1 else 'points'}"


def _not_settled(finding: Conclusion) -> str:
    return (
        f"not settled: between {finding.low:+.2f} and {finding.high:+.2f} points; "
        f"these {finding.units} show a difference of {finding.detectable:.2f} points 4 times in 5"
    )


def _higher_or_lower(finding: Conclusion) -> str:
    least, most = sorted((abs(finding.low), abs(finding.high)))
    text = (
        f"{finding.system} scores {'higher' if finding.difference > 0 else 'lower'} than {finding.baseline} "
        f"on texts like these, by {abs(finding.difference):.2f} points ({least:.2f} to {most:.2f})"
    )
    if not finding.higher_is_better:
        text += ", and less is better"
    if finding.one_run:
        text += "; for these trained models; another training was not tried"
    return text


def _number(number: int, things: str) -> str:
    return f"{number} {things.removesuffix('s') if number == 1 else things}"


class Footing(NamedTuple):
    """What the numbers of a comparison are based on.

    Attributes:
        unit: What was drawn and swapped as a whole, as `--unit` names it.
        units: Their number U; None if it is not known.
        effective: Effective number of units k.
        seed: Seed of the random bits; None if there are none.
        samples: Number of half-samples.
        level: Confidence level.
        swaps: Number of swaps R; None if none were made.
        exact: Whether the swaps were all patterns.
        runs: Number of training runs of each system.
    """

    unit: str
    units: int | None
    effective: float
    seed: int | None
    samples: int = 1000
    level: float = 0.95
    swaps: int | None = None
    exact: bool = False
    runs: tuple[int, ...] = ()


def footer(footing: Footing) -> str:
    """Return the line below a comparison: what was drawn, and how often.

    Args:
        footing: What the numbers are based on.

    Returns:
        The parts that apply, separated by commas.

    Example:
        >>> print(footer(Footing("id", 10, 9.4, 0, swaps=1024, exact=True)))
        unit id, 10 units (effectively 9.4), seed 0, all 1024 swaps
    """
    number = "units" if footing.units is None else _number(footing.units, "units")
    parts = [
        f"unit {footing.unit}",
        f"{number} (effectively {footing.effective:.1f})",
    ]
    if footing.seed is not None:
        parts.append(f"seed {footing.seed}")
    if footing.swaps is not None:
        parts.append(f"{'all ' if footing.exact else ''}{footing.swaps} swaps")
    if any(runs > 1 for runs in footing.runs):
        parts.append(f"training runs {' and '.join(map(str, footing.runs))}")
    return ", ".join(parts)


def signature_part(footing: Footing) -> str:
    """Return the part of a result's signature on its intervals and tests.

    Args:
        footing: What the numbers are based on.

    Returns:
        The half-samples, and the swaps if there were any.

    Example:
        >>> signature_part(Footing("id", 500, 300.0, 0, swaps=10000))
        'half:1000,seed:0,level:0.95,unit:id|swaps:10000'
        >>> signature_part(Footing("id", 10, 9.4, 0, swaps=1024, exact=True))
        'half:1000,seed:0,level:0.95,unit:id|swaps:all 1024'
    """
    text = f"half:{footing.samples},seed:{footing.seed},level:{footing.level},unit:{footing.unit}"
    if footing.swaps is not None:
        text += f"|swaps:{'all ' if footing.exact else ''}{footing.swaps}"
    return text
