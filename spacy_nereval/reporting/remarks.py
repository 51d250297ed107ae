"""Sentences around the tables: what was scored, warnings, and where metrics disagree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..evaluation.statistics.conclusion import Footing, unit_name
from ..evaluation.statistics.conclusion import footer as footing_line
from ..evaluation.statistics.differences import LEAST_DIFFERING
from ..evaluation.statistics.families import LABELS, PRIMARY, SECONDARY
from ..evaluation.statistics.intervals import WARNING_UNITS, needs_warning
from .result_table import AtMost
from .score_cells import p_value

SKIPPED = ("skipped", "document", "without annotation skipped")
ON_READING = (
    ("ignored", "prediction", "ignored where the reference is not annotated"),
    ("repaired", "span", "repaired"),
    ("duplicates", "span", "given again and counted once"),
    ("rejected", "span", "rejected by an annotator and left out"),
    ("merged", "span", "made equal to another by the label rules"),
)
"""Totals of what was changed or left out on reading: the key in the result, the noun, and what happened to it."""


def heading(result: Mapping[str, Any]) -> str:
    """Return a sentence on what was scored and what was left out.

    >>> heading({"documents": 1, "gold": 2, "pred": 2, "skipped": 0, "repaired": 1})
    '1 document, 2 gold spans, 2 predicted spans, 1 span repaired'
    """
    parts = [many(result["documents"], "document"), many(result["gold"], "gold span")]
    parts.append(many(result["pred"], "predicted span"))
    return ", ".join([*parts, *on_reading(result)])


def on_reading(result: Mapping[str, Any]) -> list[str]:
    """Return what was left out or changed on reading, in words.

    >>> on_reading({"duplicates": 2, "rejected": 0})
    ['2 spans given again and counted once']
    """
    return [f"{many(result[key], what)} {done}" for key, what, done in (SKIPPED, *ON_READING) if result.get(key)]


def read_with(result: Mapping[str, Any]) -> list[str]:
    """Return what was left out or changed on reading the training runs of a system.

    Args:
        result: Keys as in `ON_READING` and `SKIPPED` to a number for each run.

    >>> read_with({"skipped": [1, 1], "repaired": [0, 0], "duplicates": [2, 0]})
    ['1 document without annotation skipped', 'spans given again and counted once: 2 and 0 in the runs']
    """
    parts = []
    for key, what, done in (SKIPPED, *ON_READING):
        numbers = result.get(key) or [0]
        if len({*numbers}) > 1:
            parts.append(f"{what}s {done}: {', '.join(map(str, numbers[:-1]))} and {numbers[-1]} in the runs")
        elif numbers[0]:
            parts.append(f"{many(numbers[0], what)} {done}")
    return parts


def mention_lines(numbers: Mapping[str, int]) -> list[str]:
    """Return a line on mentions without offsets: where they were found, and what other evaluations leave out.

    Args:
        numbers: The result's `mentions`; empty if there were none.

    >>> found = {"listed": 4, "exact": 2, "normalised": 0, "caseless": 1, "inside": 0, "invented": 1, "empty": 0}
    >>> mention_lines(found | {"repeated": 1, "ambiguous": 0})
    ['4 mentions without offsets: 2 exact, 1 caseless, 1 not in the text (25.0 %); 1 listed more often than it occurs']
    """
    if not numbers:
        return []
    parts = [f"{numbers[name]:,} {words}" for name, words in FOUND.items() if numbers[name]]
    if invented := numbers["invented"]:
        parts.append(f"{invented:,} not in the text ({100 * invented / numbers['listed']:.1f} %)")
    more = [f"{numbers[name]:,} {words}" for name, words in OF_MENTIONS.items() if numbers[name]]
    return ["; ".join([f"{many(numbers['listed'], 'mention')} without offsets: {', '.join(parts)}", *more])]


FOUND = {
    "exact": "exact",
    "normalised": "normalised",
    "caseless": "caseless",
    "inside": "inside words",
    "empty": "empty and dropped",
}
OF_MENTIONS = {"repeated": "listed more often than it occurs", "ambiguous": "listed less often than it occurs"}
"""What the numbers of mentions are in words."""


def many(number: int, what: str) -> str:
    """Return a number of things in words.

    >>> many(1, "span"), many(1200, "document")
    ('1 span', '1,200 documents')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def warning(units: int | None, effective: float, rule: str = "id") -> list[str]:
    """Return a warning about intervals and tests on few units; an empty list if there are enough.

    Args:
        units: The number of units. A unit is a document, or several with one id. None if it is not known.
        effective: The effective number of units.
        rule: The rule that says which documents are one unit.

    >>> warning(20, 20.0), warning(19, 19.0)
    ([], ['⚠ Only 19 documents: with fewer than 20, scores say little.'])
    >>> warning(30, 12.34, "block:20")
    ['⚠ Only 30 blocks, effectively 12.3: with fewer than 20, scores say little.']
    """
    if not needs_warning(effective):
        return []
    shown = f"{effective:.1f}"
    if units is None:
        return [f"⚠ Effectively only {shown} {unit_name(rule)}s: with fewer than {WARNING_UNITS}, scores say little."]
    unlike = "" if shown == f"{units:.1f}" else f", effectively {shown}"
    return [f"⚠ Only {many(units, unit_name(rule))}{unlike}: with fewer than {WARNING_UNITS}, scores say little."]


def interval_lines(drawn: Mapping[str, Any]) -> list[str]:
    """Return what to know about intervals: how units were chosen, if there are few, or if a few hold the uncertainty.

    Args:
        drawn: What the intervals are based on, the result's `confidence`.

    >>> held = {"metric": "strict", "score": "f", "units": ["a", "b"], "share": 0.6}
    >>> drawn = {"unit": "id", "units": 50, "effective_units": 40.0, "concentrated": [held]}
    >>> interval_lines(drawn)
    ['⚠ 2 of 50 documents hold 60 % of the uncertainty of strict f: a, b.']
    """
    rule, units = drawn["unit"], drawn["units"]
    lines = [*unit_lines(rule), *warning(units, drawn["effective_units"], rule)]
    # One score is enough: most often the same units hold the uncertainty of all.
    for held in drawn["concentrated"][:1]:
        number, hold = len(held["units"]), "holds" if len(held["units"]) == 1 else "hold"
        lines.append(
            f"⚠ {number:,} of {many(units, unit_name(rule))} {hold} {100 * held['share']:.0f} % of the uncertainty of "
            f"{held['metric']} {held['score']}: {', '.join(map(str, held['units']))}."
        )
    return lines


def bounded_by(drawn: Mapping[str, Any]) -> str:
    """Return what the intervals were computed from.

    Args:
        drawn: What the intervals are based on, the result's `confidence`.

    >>> drawn = {"unit": "id", "units": 50, "samples": None, "exact": True}
    >>> bounded_by(drawn), bounded_by(drawn | {"samples": 1000, "exact": False})
    ('the influence of each of 50 documents', '1,000 half-samples of 50 documents')
    """
    unit = unit_name(drawn["unit"])
    units = f"{unit}s" if drawn["units"] is None else many(drawn["units"], unit)
    if drawn["samples"] is None:
        return f"the influence of each of {units}"
    return f"{'all ' * drawn['exact']}{drawn['samples']:,} half-samples of {units}"


def unit_lines(rule: str) -> list[str]:
    """Return a line on the units if they were chosen automatically; an empty list otherwise.

    Args:
        rule: The rule that says which documents are one unit.

    >>> unit_lines("block:20")
    []
    >>> unit_lines("block:auto")  # doctest: +ELLIPSIS
    ['ℹ No -DOCSTART- lines say where documents begin, so blocks of consecutive sentences are resampled: ...']
    """
    from ..io.units import AUTOMATIC, FEWEST, LARGEST

    if AUTOMATIC not in rule.split(" and "):
        return []
    return [
        "ℹ No -DOCSTART- lines say where documents begin, so blocks of consecutive sentences are resampled: "
        f"1/{FEWEST} of a CoNLL file each, at most {LARGEST} sentences. --unit chooses other units."
    ]


def what_was_tested(result: Mapping[str, Any]) -> str:
    """Return what was tested, how, and which p-values are corrected together.

    Args:
        result: What `evaluation.comparison.comparison` returns.

    >>> row = {"metric": "strict", "score": "f", "family": "primary", "tests": 1}
    >>> level = {"level": 0.95, "seed": 0}
    >>> result = {"unit": "id", "units": 1, "exact": True, "swaps": 2, "runs": [1, 1], "confidence": level}
    >>> print(what_was_tested(result | {"comparisons": [row]}))
    Null hypothesis: in every document, the predictions of the two systems are exchangeable. Test: a two-sided \
paired permutation test over 1 document, all 2 swaps. p (Holm) is corrected within a family of tests: the primary \
score, strict f (1 test). An interval holds every difference that the same test does not reject at 95 %. \
Where fewer than 6 documents differ, nothing can be told: there is no p and no interval.
    >>> row["runs"] = [3, 3]
    >>> print(what_was_tested(result | {"swaps": None, "runs": [3, 3], "comparisons": [row]}))
    Systems with several training runs are compared by their mean scores. Null hypothesis: the expected scores of \
the two systems are the same, over documents and training runs. Test: two-sided, min F'. p (Holm) is corrected within \
a family of tests: the primary score, strict f (1 test). An interval holds every difference that the same test does \
not reject at 95 %. Where fewer than 6 documents differ, nothing can be told: there is no p and no interval.
    """
    unit = unit_name(result["unit"])
    if result.get("collapsed"):
        return _by_half_samples(result, unit)
    rows = {row["family"]: row for row in reversed(result["comparisons"]) if row["family"] and row["tests"]}
    families = []
    if row := rows.get("primary"):
        families.append(f"the primary score, {row['metric']} {row['score']} ({many(row['tests'], 'test')})")
    if row := rows.get("secondary"):
        families.append(f"the secondary scores ({many(row['tests'], 'test')})")
    if row := rows.get("labels"):
        families.append(f"{row['metric']} {row['score']} of labels ({many(row['tests'], 'test')})")
    parts = [
        *_swapped(result, unit),
        *_trained(result),
        *([f"p (Holm) is corrected within a family of tests: {'; '.join(families)}."] if families else []),
        "An interval holds every difference that the same test does not reject at "
        f"{100 * result['confidence']['level']:g} %.",
        f"Where fewer than {LEAST_DIFFERING} {unit}s differ, nothing can be told: there is no p and no interval.",
    ]
    return " ".join(parts)


def _by_half_samples(result: Mapping[str, Any], unit: str) -> str:
    """Return how collapsed counts were compared."""
    return (
        f"Collapsed counts keep no {unit}s that could be swapped, so there is no permutation test and no p-value. "
        "The standard error of a difference is its spread over the "
        f"{result['confidence']['samples']:,} half-samples that both systems keep, a bootstrap; the interval "
        f"({100 * result['confidence']['level']:g} %) reaches a quantile of t times this error to each side. "
        f"Unless the half-samples prove that at least {LEAST_DIFFERING} {unit}s differ, there is no interval."
    )


def _swapped(result: Mapping[str, Any], unit: str) -> list[str]:
    """Return what was tested by swaps, if anything was."""
    if result["swaps"] is None:
        return []
    swaps = f"all {result['swaps']:,}" if result["exact"] else f"{result['swaps']:,} random"
    return [
        f"Null hypothesis: in every {unit}, the predictions of the two systems are exchangeable.",
        f"Test: a two-sided paired permutation test over {many(result['units'], unit)}, {swaps} swaps.",
    ]


def _trained(result: Mapping[str, Any]) -> list[str]:
    """Return what was tested with several training runs, if anything was."""
    if max(result["runs"]) == 1:
        return []
    return [
        "Systems with several training runs are compared by their mean scores.",
        "Null hypothesis: the expected scores of the two systems are the same, over documents and training runs.",
        "Test: two-sided, min F'.",
    ]


def least_p(result: Mapping[str, Any]) -> list[str]:
    """Return a line on what ≤ means before a p-value; an empty list if there is none.

    Args:
        result: What `evaluation.comparison.comparison` returns.

    >>> row = {"p": 1 / 501, "p_holm": 2 / 501}
    >>> least_p({"swaps": 500, "exact": False, "comparisons": [row]})
    ['≤ before a p-value: 500 random swaps cannot give a smaller one.']
    """
    if any(isinstance(p_value(row, "p_holm", result), AtMost) for row in result["comparisons"]):
        return [f"≤ before a p-value: {result['swaps']:,} random swaps cannot give a smaller one."]
    return []


def rests_on(result: Mapping[str, Any]) -> list[str]:
    """Return the line that says what was drawn and swapped, how often, and which families of tests there are.

    Args:
        result: What `evaluation.comparison.comparison` returns.

    >>> row = {"family": "primary", "tests": 1}
    >>> settings = {"confidence": {"seed": 0, "level": 0.95}, "swaps": 1024, "exact": True, "comparisons": [row]}
    >>> rests_on({"unit": "id", "units": 10, "effective_units": 9.4, "runs": [1, 1], **settings})
    ['unit id, 10 units (effectively 9.4), seed 0, all 1024 swaps, primary family of 1 test']
    """
    number_of_tests = {row["family"]: row["tests"] for row in result["comparisons"] if row["tests"]}
    sizes = {family: number_of_tests[family] for family in (PRIMARY, SECONDARY, LABELS) if family in number_of_tests}
    settings = result["confidence"]
    footing = Footing(
        result["unit"],
        result["units"],
        result["effective_units"],
        settings["seed"],
        level=settings["level"],
        swaps=result["swaps"],
        exact=result["exact"],
        runs=tuple(result["runs"]),
    )
    named = [f"{family} family of {many(tests, 'test')}" for family, tests in sizes.items()]
    return [", ".join([footing_line(footing), *named])]


def disagreement_lines(found: Mapping[str, Any]) -> list[str]:
    """Return lines on the documents in which WRF and strict F disagree.

    Args:
        found: What `evaluation.per_document.disagreement` returns.
    """
    lines = [
        f"WRF compared with strict F in {found['documents']} documents "
        f"({found['undefined']} left out, in which one of them is undefined):"
    ]
    for name in ("above", "below", "equal"):
        share = "-" if found[name]["share"] is None else f"{100 * found[name]['share']:.1f} %"
        such_as = f", such as {', '.join(map(str, found[name]['examples']))}" if found[name]["examples"] else ""
        said = "the same" if name == "equal" else name
        lines.append(f"  {said} in {found[name]['documents']} ({share}){such_as}")
    return lines
