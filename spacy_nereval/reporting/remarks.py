"""Sentences around the tables: what was scored, warnings, and where metrics disagree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from unicodedata import bidirectional

from ..core.messages import spell_argument
from ..evaluation.bounds import WARNING_UNITS, needs_warning
from ..evaluation.conclusion import unit_name
from ..io.writing import visible
from .result_table import EMPTY

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


def left_out_lines(left_out: Mapping[str, str]) -> list[str]:
    """Return a line on each metric that was left out.

    >>> left_out_lines({"wrf": "it needs the words"})
    ['wrf is left out: it needs the words']
    """
    return [f"{name} is left out: {reason}" for name, reason in left_out.items()]


def kept_words(kept: int, predicted: int) -> str:
    """Return how many predictions a cut keeps.

    >>> kept_words(685, 1655)
    '685 of 1,655 predictions are kept'
    """
    return f"{kept:,} of {many(predicted, 'prediction')} are kept"


def many(number: int, what: str) -> str:
    """Return a number of things in words.

    >>> many(1, "span"), many(1200, "document")
    ('1 span', '1,200 documents')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def in_sentence(text: str) -> str:
    """Return a name from outside for a sentence: shortened, with a writing direction of its own.

    Of a label with levels that is too long, the last level stays.

    >>> in_sentence("PER"), in_sentence(" "), in_sentence("object/" * 9 + "Pump")
    ('PER', '(empty)', '…/Pump')
    """
    name = visible(text).strip() or EMPTY
    if len(name) > LONGEST:
        last = name[name.rfind("/") :]
        levels = "/" in name and " " not in name and 1 < len(last) < LONGEST
        name = f"…{last}" if levels else f"{name[: LONGEST - 1]}…"
    right_to_left = any(bidirectional(character) in ("R", "AL") for character in name)
    return f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}" if right_to_left else name


LONGEST = 48
"""Maximum number of characters of a name in a sentence."""


def times(number: int) -> str:
    """Return how often, in words.

    >>> times(1), times(1200)
    ('once', '1,200 times')
    """
    return "once" if number == 1 else f"{number:,} times"


def warning(units: int | None, effective: float, rule: str = "id", documents: int | None = None) -> list[str]:
    """Return a warning about intervals and tests on few units; an empty list if there are enough.

    Args:
        units: The number of units. A unit is a document, or several with one id. None if it is not known.
        effective: The effective number of units.
        rule: The rule that says which documents are one unit.
        documents: The number of documents; None if it is not known.

    >>> warning(20, 20.0), warning(19, 19.0)
    ([], ['⚠ Only 19 documents: with fewer than 20, scores say little.'])
    >>> warning(20, 19.99), warning(20, 19.94)
    ([], ['⚠ Only 20 documents, effectively 19.9: with fewer than 20, scores say little.'])
    >>> warning(30, 12.34, "block:20"), warning(19, 19.0, "id", 21)[0][:15]
    (['⚠ Only 30 blocks, effectively 12.3: with fewer than 20, scores say little.'], '⚠ Only 19 units')
    """
    if not needs_warning(round(effective, 1)):  # as shown: 19.99 of 20 are no "fewer than 20"
        return []
    shown, unit = f"{effective:.1f}", unit_name(rule, units, documents)
    if units is None:
        return [f"⚠ Effectively only {shown} {unit}s: with fewer than {WARNING_UNITS}, scores say little."]
    unlike = "" if shown == f"{units:.1f}" else f", effectively {shown}"
    return [f"⚠ Only {many(units, unit)}{unlike}: with fewer than {WARNING_UNITS}, scores say little."]


def interval_lines(drawn: Mapping[str, Any], documents: int | None = None, *, chosen: bool = True) -> list[str]:
    """Return what to know about intervals: how units were chosen, if there are few, or if a few hold the uncertainty.

    Args:
        drawn: What the intervals are based on, the result's `confidence`.
        documents: The number of documents; None if it is not known.
        chosen: Whether the argument `unit` chooses other units.

    >>> held = {"metric": "strict", "score": "f", "units": ["a", "b"], "share": 0.6}
    >>> drawn = {"unit": "id", "units": 50, "effective_units": 40.0, "concentrated": [held]}
    >>> interval_lines(drawn)
    ['⚠ 2 of 50 documents hold 60 % of the uncertainty of strict f: a, b.']
    """
    rule, units = drawn["unit"], drawn["units"]
    lines = [*unit_lines(rule, chosen=chosen), *warning(units, drawn["effective_units"], rule, documents)]
    # One score is enough: most often the same units hold the uncertainty of all.
    for held in drawn["concentrated"][:1]:
        number, of_all = len(held["units"]), many(units, unit_name(rule, units, documents))
        lines.append(
            f"⚠ {number} of {of_all} hold{'s' if number == 1 else ''} {100 * held['share']:.0f} % of the uncertainty "
            f"of {held['metric']} {held['score']}: {', '.join(map(str, held['units']))}."
        )
    return lines


def bounded_by(drawn: Mapping[str, Any], documents: int | None = None) -> str:
    """Return what the intervals were computed from.

    Args:
        drawn: What the intervals are based on, the result's `confidence`.
        documents: The number of documents; None if it is not known.

    >>> drawn = {"unit": "id", "units": 50, "samples": None, "exact": True}
    >>> bounded_by(drawn), bounded_by(drawn | {"samples": 1000, "exact": False})
    ('the influence of each of 50 documents', '1,000 half-samples of 50 documents')
    """
    unit = unit_name(drawn["unit"], drawn["units"], documents)
    units = f"{unit}s" if drawn["units"] is None else many(drawn["units"], unit)
    if drawn["samples"] is None:
        return f"the influence of each of {units}"
    return f"{'all ' * drawn['exact']}{drawn['samples']:,} half-samples of {units}"


def unit_lines(rule: str, *, chosen: bool = True) -> list[str]:
    """Return a line on the units if they were chosen automatically; an empty list otherwise.

    Args:
        rule: The rule that says which documents are one unit.
        chosen: Whether the argument `unit` chooses other units.

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
        f"1/{FEWEST} of a CoNLL file each, at most {LARGEST} sentences."
        + f" {spell_argument('unit')} chooses other units."
        * chosen
    ]


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
