"""Sentences on the agreement of annotators: how far they agree, and the rule in which they differ most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..core.declaration import Metric
from ..core.messages import shortened
from ..evaluation.statistics.intervals import FEW
from ..io.writing import visible
from .declared import headlines, spoken
from .marked_text import clipped
from .remarks import interval_lines, many, mention_lines, on_reading
from .result_table import Estimate, shown
from .score_cells import interval, score_cell

MOSTLY = 0.5
"""The share from which on the most frequent words of a boundary are named alone."""

OF_ONE_LABEL = 0.8
"""The share from which on the label of most spans at a boundary is named."""

LISTED_WORDS, MOST_NAMES = 3, 4
"""Maximum number of words, and of annotators, that a sentence names."""

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
        f"{listed(result['annotators'])}: {spoken(metric, name)} {score}{among}, alpha {alpha} on "
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
    return f"the largest systematic difference: {difference_words(over_pairs(rows))}"


def over_pairs(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the first row of the result's "differences", with those of other pairs that say the same.

    Its "one" and "other" are lists of annotators. Nobody is in both.

    >>> row = {"kind": "missing", "label": "A", "one": "ann", "other": "ben", "number": 5, "reverse": 1}
    >>> found = over_pairs([row, row | {"one": "cleo", "number": 4, "reverse": 0}])
    >>> found["one"], found["other"], found["number"], found["reverse"]
    (['ann', 'cleo'], ['ben'], 9, 1)
    """
    first, *rest = (_turned(row) for row in rows)
    found = {**first, "one": [first["one"]], "other": [first["other"]]}
    for row in rest:
        same = all(row.get(key) == first.get(key) for key in ("kind", "end", "label", "instead"))
        if not same or row["one"] in found["other"] or row["other"] in found["one"]:
            continue
        for side in ("one", "other"):
            found[side] = sorted({*found[side], row[side]})
        for key in ("number", "reverse"):
            found[key] += row[key]
        for key in ("words", "labels"):
            if key in found:
                both = Counter(found[key]) + Counter(row[key])
                found[key] = dict(sorted(both.items(), key=lambda item: (-item[1], item[0])))
    return found


def _turned(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with its two labels in alphabetical order."""
    if row["kind"] != "label" or row["label"] <= row["instead"]:
        return dict(row)
    names = {"one": row["other"], "other": row["one"], "label": row["instead"], "instead": row["label"]}
    return {**row, **names}


def difference_words(row: Mapping[str, Any]) -> str:
    """Return a row of the result's "differences" in words, with its numbers.

    >>> row = {"kind": "boundary", "one": "ann", "other": "ben", "end": "leading", "labels": {"PART": 9, "DATE": 5}}
    >>> difference_words(row | {"words": {"the": 14}, "number": 14, "reverse": 0})
    "ann includes leading 'the' where ben does not, 14 times"
    >>> difference_words(row | {"words": {"the": 12, "a": 2}, "number": 14, "reverse": 0})
    "ann includes leading 'the' where ben does not, 12 times, and other words 2 times"
    >>> difference_words(row | {"words": {"the": 5, "a": 3, "an": 1}, "number": 14, "reverse": 2})
    "ann includes leading words that ben leaves out, 14 times, such as 'the' 5, 'a' 3 (the other way round 2 times)"
    """
    reverse = f" (the other way round {times(row['reverse'])})" if row["reverse"] else ""
    words, most = _main_words(row)
    if words:
        rest = row["number"] - most
        others = f", and other words {times(rest)}" if rest else ""
        return f"{what_differs(row)}, {times(most)}{others}{reverse}"
    named = [f"{clipped(text)!r} {n}" for text, n in row["words"].items() if n > 1][:LISTED_WORDS]
    such_as = f", such as {', '.join(named)}" if named else ""
    return f"{what_differs(row)}, {times(row['number'])}{such_as}{reverse}"


def what_differs(row: Mapping[str, Any]) -> str:
    """Return a row of the result's "differences" in words.

    >>> row = {"kind": "label", "one": "ann", "other": ["ben", "cleo"], "label": "ORG", "instead": "GPE"}
    >>> what_differs(row)
    'ann says ORG where ben and cleo say GPE'
    >>> what_differs({"kind": "missing", "one": "ann", "other": "ben", "label": "DATE"})
    'ann marks DATE where ben marks nothing'
    """
    (one, s), (other, not_s) = (_names(row[side]) for side in ("one", "other"))
    if row["kind"] == "label":
        return f"{one} say{s} {row['label']} where {other} say{not_s} {row['instead']}"
    if row["kind"] == "missing":
        return f"{one} mark{s} {row['label']} where {other} mark{not_s} nothing"
    label, number = next(iter(row["labels"].items()))
    where = f" of {label}" if number >= OF_ONE_LABEL * row["number"] else ""
    if words := _main_words(row)[0]:
        return f"{one} include{s} {row['end']} {clipped(words)!r}{where} where {other} do{'es' if not_s else ''} not"
    return f"{one} include{s} {row['end']} words{where} that {other} leave{not_s} out"


def in_columns(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return the label and what differs of a row of the result's "differences", for two columns of a table.

    >>> in_columns({"kind": "label", "one": "ann", "other": ["ben", "cleo"], "label": "ORG", "instead": "GPE"})
    ('ORG', 'for ann, GPE for ben and cleo')
    >>> in_columns({"kind": "missing", "one": "ann", "other": "ben", "label": "DATE"})
    ('DATE', 'ann, not ben')
    """
    one, other = (_names(row[side])[0] for side in ("one", "other"))
    if row["kind"] == "label":
        return row["label"], f"for {one}, {row['instead']} for {other}"
    if row["kind"] == "missing":
        return row["label"], f"{one}, not {other}"
    label, number = next(iter(row["labels"].items()))
    words = _main_words(row)[0]
    what = f"{row['end']} {clipped(words)!r}" if words else f"{row['end']} words"
    return label if number >= OF_ONE_LABEL * row["number"] else "several", f"{one}, not {other}: {what}"


def _main_words(row: Mapping[str, Any]) -> tuple[str, int]:
    """Return the words that most differences at a boundary are about, and how many; "" if there are none."""
    words, most = next(iter(row["words"].items()), ("", 0))
    return (words, most) if row["kind"] == "boundary" and most >= MOSTLY * row["number"] else ("", 0)


def listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence, the first few of many.

    >>> listed(["ann"]), listed(["ann", "ben", "cleo"]), listed(["a", "b", "c", "d", "e", "f"])
    ('ann', 'ann, ben and cleo', 'a, b, c and 3 others')
    """
    named = [shortened(name) for name in names]
    if len(named) > MOST_NAMES:
        named = [*named[: MOST_NAMES - 1], f"{len(named) - MOST_NAMES + 1} others"]
    return " and ".join(filter(None, [", ".join(named[:-1]), named[-1]]))


def _names(given: str | Sequence[str]) -> tuple[str, str]:
    """Return one name or several for a sentence, and the ending of their verb."""
    names = [given] if isinstance(given, str) else given
    return listed(names), "s" if len(names) == 1 else ""


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
        # --unit is another option here.
        lines += [line.partition(" --unit ")[0] for line in interval_lines(given.drawn)]
    return lines
