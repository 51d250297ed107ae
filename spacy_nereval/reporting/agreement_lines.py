"""Sentences on the agreement of annotators: how far they agree, and the rule in which they differ most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..core.declaration import Metric
from ..core.messages import shortened
from ..evaluation.statistics.intervals import FEW
from ..io.writing import visible
from .declared import headlines, spoken
from .marked_text import clipped
from .remarks import many, mention_lines, on_reading, unit_lines, warning
from .result_table import Estimate, shown
from .score_cells import interval, score_cell

MOSTLY = 0.5
"""The share from which on the most frequent words of a boundary are named alone."""

OF_ONE_LABEL = 0.8
"""The share from which on the label of most spans at a boundary is named."""

LISTED_WORDS = 3

UNIT_NAMES = {"token": "tokens", "char": "characters"}


class Agreed(NamedTuple):
    """What tables and sentences on agreement are made from.

    Attributes:
        result: What `evaluation.agreement` returns.
        metrics: The metrics.
        bounds: The intervals to show, in the shape of the result; empty if there are none.
        drawn: What the intervals are based on; None if there are none.
    """

    result: Mapping[str, Any]
    metrics: Sequence[Metric]
    bounds: Mapping[str, Any] = {}
    drawn: Mapping[str, Any] | None = None

    @property
    def main(self) -> tuple[Metric, str]:
        """The first metric and the name of its first headline score."""
        metric = self.metrics[0]
        return metric, headlines(metric, [score.name for score in metric.scores])[0]


def opening_lines(given: Agreed, *, digits: int = 2, more: str = "") -> list[str]:
    """Return a sentence on how far annotators agree and what they differ in most, and one on what was compared.

    Args:
        given: The result.
        digits: Decimal places.
        more: What shows more, if anything does.
    """
    result = given.result
    most = largest_difference(result["differences"]) if result["disputes"]["spans"] else "no span is disputed"
    lines = [f"{main_sentence(given, digits)}; {most}."]
    read = [f"{many(result['documents'], 'document')} annotated by two or more"]
    read += [f"{many(result['single'], 'document')} by one alone left out"] * bool(result["single"])
    read += [f"{many(result['unannotated'], 'document')} by nobody left out"] * bool(result["unannotated"])
    spans = ", ".join(f"{shortened(name)} {number:,}" for name, number in result["spans"].items())
    changed = on_reading(result)
    lines.append(", ".join([*read, f"spans: {spans}", *changed]) + (f"; more: {more}" if more else ""))
    return [visible(line) for line in [*lines, *mention_lines(result.get("mentions", {}))]]


def main_sentence(given: Agreed, digits: int = 2) -> str:
    """Return how far annotators agree: the mean of the main score over pairs, and alpha."""
    (metric, name), result = given.main, given.result
    mean = result["metrics"][metric.name][name]
    bounds = given.bounds.get("metrics", {}).get(metric.name, {}).get(name, {})
    score = shown(score_cell(metric, name, {name: mean["mean"]}, {name: bounds.get("mean")}), digits)
    among = ""
    if mean["pairs"] > 1:
        low, high = (shown(score_cell(metric, name, {name: mean[key]}), digits) for key in ("min", "max"))
        among = f" (mean of {mean['pairs']} pairs, {low} to {high})"
    units = result["units"]
    alpha = shown(estimate(units["alpha"], given.bounds.get("units", {}).get("alpha")), digits)
    return (
        f"{_listed(result['annotators'])}: {spoken(metric, name)} {score}{among}, alpha {alpha} on "
        + (UNIT_NAMES[units["unit"]])
    )


def estimate(value: float | None, found: Mapping[str, Any] | None) -> float | Estimate | None:
    """Return a number that is no percentage as a cell, with its interval if it has one."""
    bounds = interval(found)
    return value if value is None or found is None or bounds is None else Estimate(value, *bounds, found["flag"] == FEW)


def largest_difference(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return what two annotators differ in most, in words.

    >>> largest_difference([])
    'no difference between two annotators goes mostly one way'
    """
    if not rows:
        return "no difference between two annotators goes mostly one way"
    return f"the largest systematic difference: {difference_words(rows[0])}"


def difference_words(row: Mapping[str, Any]) -> str:
    """Return a row of the result's "differences" in words.

    >>> row = {"kind": "boundary", "one": "ann", "other": "ben", "end": "leading", "words": {"the": 14}}
    >>> difference_words(row | {"labels": {"PART": 9, "DATE": 5}, "number": 14, "reverse": 0})
    "ann includes leading 'the' where ben does not, 14 times"
    >>> row = {"kind": "label", "one": "ann", "other": "ben", "label": "ORG", "instead": "GPE", "words": {}}
    >>> difference_words(row | {"number": 9, "reverse": 2})
    'ann says ORG where ben says GPE, 9 times (the other way round 2 times)'
    >>> row = {"kind": "missing", "one": "ann", "other": "ben", "label": "DATE", "number": 3, "reverse": 0}
    >>> difference_words(row | {"words": {"today": 2, "now": 1}})
    "ann marks DATE where ben marks nothing, 3 times, such as 'today' 2"
    """
    one, other = shortened(row["one"]), shortened(row["other"])
    reverse = f" (the other way round {times(row['reverse'])})" if row["reverse"] else ""
    often, such_as = times(row["number"]), _such_as(row)
    if row["kind"] == "label":
        return f"{one} says {row['label']} where {other} says {row['instead']}, {often}{such_as}{reverse}"
    if row["kind"] == "missing":
        return f"{one} marks {row['label']} where {other} marks nothing, {often}{such_as}{reverse}"
    label, number = next(iter(row["labels"].items()))
    where = f" of {label}" if number >= OF_ONE_LABEL * row["number"] and len(row["labels"]) > 1 else ""
    words, most = next(iter(row["words"].items()), ("", 0))
    if most < MOSTLY * row["number"]:
        return f"{one} includes {row['end']} words{where} that {other} leaves out, {often}{such_as}{reverse}"
    others = "" if most == row["number"] else f", and other words {times(row['number'] - most)}"
    said = f"{one} includes {row['end']} {clipped(words)!r}{where} where {other} does not"
    return f"{said}, {times(most)}{others}{reverse}"


def _such_as(row: Mapping[str, Any]) -> str:
    """Return the words that a difference concerns more than once, the most frequent first."""
    listed = [f"{clipped(text)!r} {n}" for text, n in row["words"].items() if n > 1][:LISTED_WORDS]
    return f", such as {', '.join(listed)}" if listed else ""


def times(number: int) -> str:
    """Return how often, in words.

    >>> times(1), times(2)
    ('once', '2 times')
    """
    return "once" if number == 1 else f"{number:,} times"


def after_lines(given: Agreed) -> list[str]:
    """Return what the numbers mean, and warnings."""
    result = given.result
    reasons = dict.fromkeys(result[group]["reason"] for group in ("units", "u_alpha") if "reason" in result[group])
    lines = [visible(f"ℹ {reason}.") for reason in reasons]
    if given.drawn:
        drawn = given.drawn
        lines += [line.partition(" --unit ")[0] for line in unit_lines(drawn["unit"])]  # which is another option here
        lines += warning(drawn["units"], drawn["effective_units"], drawn["unit"])
    return lines


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(map(shortened, names[:-1]))} and {shortened(names[-1])}"
