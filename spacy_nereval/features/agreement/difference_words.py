"""What annotators do differently, in words. A row is one of the result's "differences" or "same_words"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...core.messages import shorten
from ...reporting.marked_text import clipped
from ...reporting.remarks import many
from ...reporting.result_table import EMPTY

MOSTLY = 0.5
"""The share from which on the most frequent words of a boundary are named alone."""

OF_ONE_LABEL = 0.8
"""The share from which on the label of most spans at a boundary is named."""

LISTED_WORDS, MOST_NAMES = 3, 4
"""Maximum number of words, and of annotators, that a sentence names."""

ENDS = {"leading": "leading", "trailing": "trailing", "both": "leading and trailing"}

KINDS = {
    "merged": ("both", "one span for several"),
    "shifted": ("both", "shifted"),
    "leading": ("boundary", "words at the start"),
    "trailing": ("boundary", "words at the end"),
    "both": ("both", "words at both ends"),
    "label": ("label", "label"),
    "nested": ("missed", "nested, marked by one only"),
    "missing": ("missed", "marked by one only"),
    "blank": ("hit", "white space at an end"),
}
"""What differs: a key of `core.wording.VERDICT_KINDS`, for the colour, and a few words."""


RULES = {
    "merged": ("mark one span, not several, for {words}", "mark several spans, not one, for {words}"),
    "shifted": ("mark {one_text!r}, not {other_text!r}", "mark {other_text!r}, not {one_text!r}"),
    "boundary": ("include {ends} {words} in {label}", "leave {ends} {words} out of {label}"),
    "label": ("mark {words} as {label}, not {instead}", "mark {words} as {instead}, not {label}"),
    "nested": ("mark {words} as nested {label}", "do not mark {words} as nested {label}"),
    "missing": ("mark {words} as {label}", "do not mark {words} as {label}"),
}
"""Rules for the guideline by the kind of difference: what those do who have it, and what the others do."""


def difference_words(row: Mapping[str, Any]) -> str:
    """Return what annotators do differently, with the words and in how many places.

    >>> row = {"kind": "boundary", "one": ["ann"], "other": ["ben"], "end": "leading", "labels": {"PART": 9, "DATE": 5}}
    >>> difference_words(row | {"words": {"the": 14}, "number": 14, "reverse": 0})
    "ann includes leading 'the' where ben does not (14 places)"
    >>> difference_words(row | {"words": {"the": 12, "a": 2}, "number": 14, "reverse": 0})
    "ann includes leading 'the' where ben does not (12 places, 14 with other words)"
    >>> difference_words(row | {"words": {"the": 5, "a": 3, "an": 1}, "number": 14, "reverse": 2})
    "ann includes leading words that ben leaves out: 'the', 'a', 'an' and others (14 places, 2 the other way round)"
    """
    main = _main_words(row)
    words = [*row["words"]][: 0 if main else LISTED_WORDS]
    rest = sum(row["words"][each] for each in words) < row["number"]
    named = ", ".join(repr(clipped(each)) for each in words) + " and others" * rest
    about = f": {named}" if words else ""
    number = many(row["words"].get(main, row["number"]), "place")
    number += f", {row['number']:,} with other words" if main and row["words"][main] < row["number"] else ""
    return f"{what_differs(row)}{about} ({', '.join(filter(None, (number, reverse_words(row))))})"


def reverse_words(row: Mapping[str, Any]) -> str:
    """Return in how many places it is the other way round; "" if in none."""
    return f"{row['reverse']:,} the other way round" if row["reverse"] else ""


def what_differs(row: Mapping[str, Any]) -> str:
    """Return what annotators do differently. If one side is smaller, its annotators are named first: it is their habit.

    >>> row = {"kind": "label", "one": ["ann"], "other": ["ben", "cleo"], "label": "ORG", "instead": "GPE"}
    >>> what_differs(row)
    'ann says ORG where ben and cleo say GPE'
    >>> missing = {"kind": "missing", "one": ["ann"], "other": ["ben"], "label": "DATE"}
    >>> what_differs(missing), what_differs(missing | {"one": ["ann", "cleo"]})
    ('ann marks DATE where ben marks nothing', 'ben marks nothing where ann and cleo mark DATE')
    >>> merged = {"kind": "merged", "one": ["ann"], "other": ["ben"], "labels": {"PART": 9}, "number": 9}
    >>> what_differs(merged), what_differs(merged | {"one": ["ann", "cleo"]})
    ('ann marks one PART where ben marks several spans', 'ben marks several spans where ann and cleo mark one PART')
    """
    subject, rest, is_turned = _sides(row)
    (one, s), (other, not_s) = ((names(side), "s" * (len(side) == 1)) for side in (subject, rest))
    kind = row["kind"]
    if kind == "label":
        return f"{one} say{s} {_label(row['label'])} where {other} say{not_s} {_label(row['instead'])}"
    if kind in ("missing", "nested"):
        label = _label(row["label"]) if kind == "missing" else f"nested {_label(row['label'])}"
        has, lacks = label, "nothing" if kind == "missing" else f"no {label}"
        return f"{one} mark{s} {lacks if is_turned else has} where {other} mark{not_s} {has if is_turned else lacks}"
    label = _main_label(row)
    if kind == "merged":
        has, lacks = f"one {label or 'span'}", "several spans"
        return f"{one} mark{s} {lacks if is_turned else has} where {other} mark{not_s} {has if is_turned else lacks}"
    where = f" of {label}" if label else ""
    if kind == "shifted":
        return f"{one} mark{s} {'later' if is_turned else 'earlier'} words{where} than {other}"
    words = _main_words(row)
    what = f"{ENDS[row['end']]} {repr(clipped(words)) if words else 'words'}{where}"
    if is_turned:
        return f"{one} leave{s} out {what} that {other} include{not_s}"
    if words:
        return f"{one} include{s} {what} where {other} do{'es' if not_s else ''} not"
    return f"{one} include{s} {what} that {other} leave{not_s} out"


def rule_words(row: Mapping[str, Any]) -> str:
    """Return a rule for the guideline that settles a difference: what most do, or the choice of two equal sides.

    >>> row = {"kind": "label", "one": ["ann"], "other": ["ben", "cleo"], "label": "ORG", "instead": "GPE"}
    >>> row |= {"words": {"rome": 3}, "number": 4}
    >>> rule_words(row)
    "as ben and cleo do, mark 'rome' and the like as GPE, not ORG"
    >>> rule_words(row | {"other": ["ben"], "number": 3})
    "mark 'rome' as ORG, not GPE (as ann), or the opposite (as ben)"
    >>> end = {"kind": "boundary", "end": "leading", "labels": {"LOC": 4}, "words": {"the": 4}, "number": 4}
    >>> rule_words({**end, "one": ["ann"], "other": ["ben", "cleo"]})
    "as ben and cleo do, leave leading 'the' out of LOC"
    """
    label = _label(row["label"]) if "label" in row else _main_label(row) or "spans"
    parts = {"words": _words_in_rule(row), "label": label, "instead": _label(row.get("instead", ""))}
    parts["ends"] = ENDS.get(row.get("end", ""), "")
    parts |= {key: clipped(text or "") for key, text in row.get("example", {}).items() if key != "document"}
    one, other = (rule.format(**parts) for rule in RULES[row["kind"]])
    sides = names(row["one"]), names(row["other"])
    if len(row["one"]) == len(row["other"]):
        return f"{one} (as {sides[0]}), or the opposite (as {sides[1]})"
    return f"as {sides[0]} do, {one}" if len(row["one"]) > len(row["other"]) else f"as {sides[1]} do, {other}"


def _words_in_rule(row: Mapping[str, Any]) -> str:
    """Return the words that a rule is about, the first few."""
    words = [_main_words(row)] if _main_words(row) else [*row["words"]][:LISTED_WORDS]
    if not words:
        return "words" if row["kind"] == "boundary" else "such spans"
    more = " and the like" * (sum(row["words"][each] for each in words) < row["number"])
    return f"{', '.join(repr(clipped(each)) for each in words)}{more}"


def in_columns(row: Mapping[str, Any], everyone: Sequence[str] = ()) -> tuple[str, str, str, str]:
    """Return the label, what annotators do differently, who does it and who does not, for columns of a table.

    Args:
        row: The row.
        everyone: All annotators, of whom "all others" may do what some do not.

    >>> row = {"kind": "label", "one": ["ann"], "other": ["ben", "cleo"], "label": "ORG", "instead": "GPE"}
    >>> in_columns(row), in_columns(row, ["ann", "ben", "cleo"])[-1]
    (('ORG', 'instead of GPE', 'ann', 'ben and cleo'), 'all others')
    >>> in_columns({"kind": "missing", "one": ["ann"], "other": ["ben"], "label": "DATE"})
    ('DATE', 'marked', 'ann', 'ben')
    """
    subject, rest, is_turned = _sides(row)
    others = len(rest) > 1 and len(subject) + len(rest) == len(everyone)
    sides = names(subject), "all others" if others else names(rest)
    kind = row["kind"]
    if kind == "label":
        return row["label"], f"instead of {_label(row['instead'])}", *sides
    if kind in ("missing", "nested"):
        return row["label"], f"{'not ' * is_turned}marked{', nested' * (kind == 'nested')}", *sides
    label = _main_label(row) or "several"
    if kind == "merged":
        return label, "several for one" if is_turned else "one for several", *sides
    if kind == "shifted":
        return label, f"{'later' if is_turned else 'earlier'} words", *sides
    words = _main_words(row)
    what = f"{ENDS[row['end']]} {repr(clipped(words)) if words else 'words'}"
    return label, f"{'without ' * is_turned}{what}", *sides


def _sides(row: Mapping[str, Any]) -> tuple[Sequence[str], Sequence[str], bool]:
    """Return whose habit it is, the others, and whether the first lack what the others have.

    A row of labels has the label of fewer annotators first, so it is never turned.
    """
    is_turned = row["kind"] != "label" and len(row["other"]) < len(row["one"])
    return (row["other"], row["one"], True) if is_turned else (row["one"], row["other"], False)


def kind_of(row: Mapping[str, Any]) -> str:
    """Return the kind of a row's differences, a key of `KINDS`."""
    found: str = row.get("end", row["kind"])
    return found


def names(given: Sequence[str]) -> str:
    """Return names as a list in a sentence, the first few of many.

    >>> names(["ann"]), names(["ann", "ben", "cleo"]), names(["a", "b", "c", "d", "e", "f"])
    ('ann', 'ann, ben and cleo', 'a, b, c and 3 others')
    """
    named = [shorten(name) for name in given]
    if len(named) > MOST_NAMES:
        named = [*named[: MOST_NAMES - 1], f"{len(named) - MOST_NAMES + 1} others"]
    return " and ".join(filter(None, [", ".join(named[:-1]), named[-1]]))


def _main_words(row: Mapping[str, Any]) -> str:
    """Return the words that most differences at a boundary are about; "" if there are none."""
    words, most = next(iter(row["words"].items()), ("", 0)) if row["kind"] == "boundary" else ("", 0)
    return words if most >= MOSTLY * row["number"] else ""


def _main_label(row: Mapping[str, Any]) -> str:
    """Return the label of most differences at a boundary; "" if there is none."""
    label, number = next(iter(row["labels"].items()))
    return _label(label) if number >= OF_ONE_LABEL * row["number"] else ""


def _label(label: str) -> str:
    return label if label.strip() else EMPTY
