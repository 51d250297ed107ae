"""The lines around tables that several views share: the input, the basis of intervals, warnings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from unicodedata import bidirectional

from ..core.messages import many, spell_argument
from ..evaluation.bounds import WARNING_UNITS, needs_warning
from ..evaluation.conclusion import unit_name
from ..evaluation.variance import FEW_RUNS
from ..io.writing import visible
from .declared import score_words
from .result_table import EMPTY

SKIPPED = ("skipped", "document", "without annotation skipped")
ON_READING = (
    ("ignored", "prediction", "ignored where the reference is not annotated"),
    ("repaired", "span", "repaired"),
    ("duplicates", "span", "given again and counted once"),
    ("rejected", "span", "rejected by an annotator and skipped"),
    ("merged", "span", "made equal to another by the label rules"),
    ("trimmed", "span", "trimmed at the edges"),
    ("joined", "span", "joined to the one before"),
    ("filled", "missing token", "of the predictions read as O"),
    ("unnamed", "span", "without the attribute, labelled none"),
)
"""The changes on reading: the key of the number in the result, the noun, and the change."""


def heading(result: Mapping[str, Any]) -> str:
    """Return a line on the scored data and the changes on reading.

    >>> heading({"documents": 1, "gold": 2, "pred": 2, "skipped": 0, "repaired": 1})
    '1 document, 2 gold spans, 2 predicted spans, 1 span repaired'
    """
    parts = [many(result["documents"], "document"), many(result["gold"], "gold span")]
    parts.append(many(result["pred"], "predicted span"))
    return ", ".join([*parts, *reading_phrases(result)])


def reading_phrases(result: Mapping[str, Any]) -> list[str]:
    """Return phrases on the changes on reading.

    >>> reading_phrases({"duplicates": 2, "rejected": 0})
    ['2 spans given again and counted once']
    """
    return [f"{many(result[key], noun)} {change}" for key, noun, change in (SKIPPED, *ON_READING) if result.get(key)]


def runs_phrases(result: Mapping[str, Any]) -> list[str]:
    """Return phrases on the changes on reading the training runs of a system.

    Args:
        result: The keys of `ON_READING` and `SKIPPED` to a number for each run.

    >>> runs_phrases({"skipped": [1, 1], "repaired": [0, 0], "duplicates": [2, 0]})
    ['1 document without annotation skipped', 'spans given again and counted once: 2 and 0 in the runs']
    """
    parts = []
    for key, noun, change in (SKIPPED, *ON_READING):
        numbers = result.get(key) or [0]
        if len({*numbers}) > 1:
            parts.append(f"{noun}s {change}: {', '.join(map(str, numbers[:-1]))} and {numbers[-1]} in the runs")
        elif numbers[0]:
            parts.append(f"{many(numbers[0], noun)} {change}")
    return parts


def mention_lines(numbers: Mapping[str, int]) -> list[str]:
    """Return a line on mentions without offsets: how many were found in the text and how.

    Args:
        numbers: The result's `mentions`; empty if there were none.

    >>> numbers = {"listed": 4, "exact": 2, "normalised": 0, "caseless": 1, "inside": 0, "invented": 1, "empty": 0}
    >>> mention_lines(numbers | {"repeated": 1, "ambiguous": 0})
    ['4 mentions without offsets: 2 exact, 1 caseless, 1 not in the text (25.0 %); 1 listed more often than it occurs']
    """
    if not numbers:
        return []
    answers, unreadable = numbers.get("answers", 0), numbers.get("unreadable", 0)
    rate = 100 * (1 - unreadable / max(answers, 1))
    before = [f"{answers - unreadable:,} of {many(answers, 'answer')} readable ({rate:.1f} %)"] if answers else []
    if not numbers["listed"]:
        return before or [f"{many(0, 'mention')} without offsets"]
    parts = [f"{numbers[name]:,} {words}" for name, words in MATCH_WORDS.items() if numbers[name]]
    if invented := numbers["invented"]:
        parts.append(f"{invented:,} not in the text ({100 * invented / numbers['listed']:.1f} %)")
    more = [f"{numbers[name]:,} {words}" for name, words in REPEAT_WORDS.items() if numbers[name]]
    return ["; ".join([*before, f"{many(numbers['listed'], 'mention')} without offsets: {', '.join(parts)}", *more])]


MATCH_WORDS = {
    "exact": "exact",
    "normalised": "normalised",
    "caseless": "caseless",
    "inside": "inside words",
    "empty": "empty and dropped",
}
REPEAT_WORDS = {"repeated": "listed more often than it occurs", "ambiguous": "listed less often than it occurs"}
"""The numbers of mentions in words."""


def omission_lines(left_out: Mapping[str, str]) -> list[str]:
    """Return a line on each excluded metric.

    >>> omission_lines({"wrf": "it needs the words"})
    ['wrf is excluded: it needs the words']
    """
    return [f"{name} is excluded: {reason}" for name, reason in left_out.items()]


def cut_phrase(kept: int, predicted: int) -> str:
    """Return a phrase on how many predictions a cut keeps.

    >>> cut_phrase(685, 1655)
    '685 of 1,655 predictions are kept'
    """
    return f"{kept:,} of {many(predicted, 'prediction')} are kept"


def name_in_sentence(text: str) -> str:
    """Return a user's name of something for a sentence: shortened, and isolated if it runs from right to left.

    A long label with levels keeps its last level.

    >>> name_in_sentence("PER"), name_in_sentence(" "), name_in_sentence("object/" * 9 + "Pump")
    ('PER', '(empty)', '…/Pump')
    >>> [name_in_sentence(name)[1:-1] == name for name in ("\u05e9\u05dc", "\u0633\u0644")]  # Hebrew, Arabic
    [True, True]
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
    """Return a number of times in words.

    >>> times(1), times(1200)
    ('once', '1,200 times')
    """
    return "once" if number == 1 else f"{number:,} times"


def units_warning(units: int | None, effective: float, rule: str = "id", documents: int | None = None) -> list[str]:
    """Return a warning about intervals and tests on few units; an empty list if there are enough.

    Args:
        units: The number of units. A unit is a document, or several with one id. None if it is not known.
        effective: The effective number of units.
        rule: The rule that says which documents are one unit.
        documents: The number of documents; None if it is not known.

    >>> units_warning(20, 20.0), units_warning(19, 19.0)
    ([], ['⚠ Only 19 documents: with fewer than 20, scores say little.'])
    >>> units_warning(20, 19.99), units_warning(20, 19.94)
    ([], ['⚠ Only 20 documents, effectively 19.9: with fewer than 20, scores say little.'])
    >>> units_warning(30, 12.34, "block:20"), units_warning(19, 19.0, "id", 21)[0][:15]
    (['⚠ Only 30 blocks, effectively 12.3: with fewer than 20, scores say little.'], '⚠ Only 19 units')
    """
    if not needs_warning(round(effective, 1)):  # rounded as it is shown: 19.99 is not fewer than 20
        return []
    shown, unit = f"{effective:.1f}", unit_name(rule, units, documents)
    if units is None:
        return [f"⚠ Effectively only {shown} {unit}s: with fewer than {WARNING_UNITS}, scores say little."]
    note = "" if shown == f"{units:.1f}" else f", effectively {shown}"
    return [f"⚠ Only {many(units, unit)}{note}: with fewer than {WARNING_UNITS}, scores say little."]


def few_runs(runs: Iterable[int]) -> str:
    """Return a note on systems with few training runs; "" if none has few.

    >>> few_runs([3, 5]), few_runs([5, 5])
    ('few runs: fewer than 5', '')
    """
    return f"few runs: fewer than {FEW_RUNS}" if min(runs) < FEW_RUNS else ""


def interval_lines(basis: Mapping[str, Any], documents: int | None, *, chosen: bool = True) -> list[str]:
    """Return warnings about intervals: automatic units, few units, or few that account for most of the variance.

    Args:
        basis: The basis of the intervals, the result's `confidence`.
        documents: The number of documents; None if it is not known.
        chosen: Whether to add that the argument `unit` chooses other units.

    >>> score = {"metric": "strict", "score": "f", "units": ["a", "b"], "share": 0.6}
    >>> basis = {"unit": "id", "units": 50, "effective_units": 40.0, "concentrated": [score]}
    >>> interval_lines(basis, 50)
    ['⚠ 2 of 50 documents account for 60 % of the uncertainty of strict F: a, b.']
    """
    rule, units = basis["unit"], basis["units"]
    lines = [*unit_lines(rule, chosen=chosen), *units_warning(units, basis["effective_units"], rule, documents)]
    # One score is enough: usually the same units account for the variance of all scores.
    for score in basis["concentrated"][:1]:
        number, whole = len(score["units"]), many(units, unit_name(rule, units, documents))
        lines.append(
            f"⚠ {number} of {whole} account{'s' if number == 1 else ''} for {100 * score['share']:.0f} % of the "
            "uncertainty "
            f"of {score_words(score['metric'], score['score'])}: {', '.join(map(str, score['units']))}."
        )
    return lines


def interval_basis(basis: Mapping[str, Any], documents: int | None) -> str:
    """Return the basis of the intervals, in words.

    Args:
        basis: The basis of the intervals, the result's `confidence`.
        documents: The number of documents; None if it is not known.

    >>> basis = {"unit": "id", "units": 50, "samples": None, "exact": True}
    >>> interval_basis(basis, 50), interval_basis(basis | {"samples": 1000, "exact": False}, 60)
    ('a jackknife over 50 documents', '1,000 half-samples of 50 units')
    """
    unit = unit_name(basis["unit"], basis["units"], documents)
    units = f"{unit}s" if basis["units"] is None else many(basis["units"], unit)
    if basis["samples"] is None:
        return f"a jackknife over {units}"
    return f"{'all ' * basis['exact']}{basis['samples']:,} half-samples of {units}"


def unit_lines(rule: str, *, chosen: bool = True) -> list[str]:
    """Return a line on the units if they were chosen automatically; an empty list otherwise.

    Args:
        rule: The rule that says which documents are one unit.
        chosen: Whether to add that the argument `unit` chooses other units.

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


def disagreement_lines(disagreement: Mapping[str, Any]) -> list[str]:
    """Return lines on the documents in which WRF and strict F disagree.

    Args:
        disagreement: What `evaluation.result.disagreement` returns.
    """
    lines = [
        f"WRF compared with strict F in {disagreement['documents']} documents "
        f"({disagreement['undefined']} excluded, in which one of them is undefined):"
    ]
    for name in ("above", "below", "equal"):
        part = disagreement[name]
        share = "-" if part["share"] is None else f"{100 * part['share']:.1f} %"
        such_as = f", such as {', '.join(map(str, part['examples']))}" if part["examples"] else ""
        words = "the same" if name == "equal" else name
        lines.append(f"  {words} in {part['documents']} ({share}){such_as}")
    return lines
