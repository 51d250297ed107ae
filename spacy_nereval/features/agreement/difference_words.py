"""What annotators do differently, in words. Rows are those of "differences" and "same_words" in a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...core.messages import shorten
from ...reporting.marked_text import clip
from ...reporting.remarks import many
from ...reporting.result_table import EMPTY

MOSTLY = 0.5
"""Minimum share of the most frequent words at a boundary for which a sentence names them alone."""

OF_ONE_LABEL = 0.8
"""Minimum share of the most frequent label for which a sentence names it."""

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
"""The kinds of differences, each with a key of `core.wording.VERDICT_KINDS` for the colour, and a few words."""

RULES = {
    "merged": ("mark one span, not several, for {words}", "mark several spans, not one, for {words}"),
    "shifted": ("mark {one_text!r}, not {other_text!r}", "mark {other_text!r}, not {one_text!r}"),
    "boundary": ("include {ends} {words} in {label}", "leave {ends} {words} out of {label}"),
    "label": ("mark {words} as {label}, not {instead}", "mark {words} as {instead}, not {label}"),
    "nested": ("mark {words} as nested {label}", "do not mark {words} as nested {label}"),
    "missing": ("mark {words} as {label}", "do not mark {words} as {label}"),
}
"""Rules for the guideline by the kind of difference, one for each side: `one`, then `other`."""


def difference_sentence(row: Mapping[str, Any]) -> str:
    """Return what annotators do differently, with the words and the number of places.

    >>> row = {"kind": "boundary", "one": ["ann"], "other": ["ben"], "end": "leading", "labels": {"PART": 9, "DATE": 5}}
    >>> difference_sentence(row | {"words": {"the": 14}, "number": 14, "reverse": 0})
    "ann includes leading 'the' where ben does not (14 places)"
    >>> difference_sentence(row | {"words": {"the": 12, "a": 2}, "number": 14, "reverse": 0})
    "ann includes leading 'the' where ben does not (12 places, 14 with other words)"
    >>> difference_sentence(row | {"words": {"the": 5, "a": 3, "an": 1}, "number": 14, "reverse": 2})
    "ann includes leading words that ben leaves out: 'the', 'a', 'an' and others (14 places, 2 the other way round)"
    """
    main = _main_words(row)
    words = [*row["words"]][: 0 if main else LISTED_WORDS]
    is_cut = sum(row["words"][word] for word in words) < row["number"]
    named = ", ".join(repr(clip(word)) for word in words) + " and others" * is_cut
    about = f": {named}" if words else ""
    number = many(row["words"].get(main, row["number"]), "place")
    number += f", {row['number']:,} with other words" if main and row["words"][main] < row["number"] else ""
    return f"{difference_clause(row)}{about} ({', '.join(filter(None, (number, reverse_phrase(row))))})"


def reverse_phrase(row: Mapping[str, Any]) -> str:
    """Return the number of places that go the other way, in words; "" for none."""
    return f"{row['reverse']:,} the other way round" if row["reverse"] else ""


def difference_clause(row: Mapping[str, Any]) -> str:
    """Return what annotators do differently. The smaller side is named first, since it is their habit.

    >>> row = {"kind": "label", "one": ["ann"], "other": ["ben", "cleo"], "label": "ORG", "instead": "GPE"}
    >>> difference_clause(row)
    'ann says ORG where ben and cleo say GPE'
    >>> missing = {"kind": "missing", "one": ["ann"], "other": ["ben"], "label": "DATE"}
    >>> difference_clause(missing), difference_clause(missing | {"one": ["ann", "cleo"]})
    ('ann marks DATE where ben marks nothing', 'ben marks nothing where ann and cleo mark DATE')
    >>> merged = {"kind": "merged", "one": ["ann"], "other": ["ben"], "labels": {"PART": 9}, "number": 9}
    >>> difference_clause(merged), difference_clause(merged | {"one": ["ann", "cleo"]})
    ('ann marks one PART where ben marks several spans', 'ben marks several spans where ann and cleo mark one PART')
    """
    *sides, is_turned = _subject_sides(row)
    (subject, s), (others, not_s) = ((name_list(side), "s" * (len(side) == 1)) for side in sides)
    kind = row["kind"]
    if kind == "label":
        return f"{subject} say{s} {_label_text(row['label'])} where {others} say{not_s} {_label_text(row['instead'])}"
    if kind in ("missing", "nested"):
        label = _label_text(row["label"]) if kind == "missing" else f"nested {_label_text(row['label'])}"
        has, lacks = label, "nothing" if kind == "missing" else f"no {label}"
        return (
            f"{subject} mark{s} {lacks if is_turned else has} where {others} mark{not_s} {has if is_turned else lacks}"
        )
    label = _main_label(row)
    if kind == "merged":
        has, lacks = f"one {label or 'span'}", "several spans"
        return (
            f"{subject} mark{s} {lacks if is_turned else has} where {others} mark{not_s} {has if is_turned else lacks}"
        )
    where = f" of {label}" if label else ""
    if kind == "shifted":
        return f"{subject} mark{s} {'later' if is_turned else 'earlier'} words{where} than {others}"
    words = _main_words(row)
    addition = f"{ENDS[row['end']]} {repr(clip(words)) if words else 'words'}{where}"
    if is_turned:
        return f"{subject} leave{s} out {addition} that {others} include{not_s}"
    if words:
        return f"{subject} include{s} {addition} where {others} do{'es' if not_s else ''} not"
    return f"{subject} include{s} {addition} that {others} leave{not_s} out"


def rule_sentence(row: Mapping[str, Any]) -> str:
    """Return a rule for the guideline that settles a difference: what most annotators do, or a choice of two.

    >>> row = {"kind": "label", "one": ["ann"], "other": ["ben", "cleo"], "label": "ORG", "instead": "GPE"}
    >>> row |= {"words": {"rome": 3}, "number": 4}
    >>> rule_sentence(row)
    "as ben and cleo do, mark 'rome' and the like as GPE, not ORG"
    >>> rule_sentence(row | {"other": ["ben"], "number": 3})
    "mark 'rome' as ORG, not GPE (as ann), or the opposite (as ben)"
    >>> end = {"kind": "boundary", "end": "leading", "labels": {"LOC": 4}, "words": {"the": 4}, "number": 4}
    >>> rule_sentence({**end, "one": ["ann"], "other": ["ben", "cleo"]})
    "as ben and cleo do, leave leading 'the' out of LOC"
    """
    label = _label_text(row["label"]) if "label" in row else _main_label(row) or "spans"
    parts = {"words": _rule_words(row), "label": label, "instead": _label_text(row.get("instead", ""))}
    parts["ends"] = ENDS.get(row.get("end", ""), "")
    parts |= {key: clip(text or "") for key, text in row.get("example", {}).items() if key != "document"}
    first_rule, other_rule = (rule.format(**parts) for rule in RULES[row["kind"]])
    sides = name_list(row["one"]), name_list(row["other"])
    if len(row["one"]) == len(row["other"]):
        return f"{first_rule} (as {sides[0]}), or the opposite (as {sides[1]})"
    return (
        f"as {sides[0]} do, {first_rule}" if len(row["one"]) > len(row["other"]) else f"as {sides[1]} do, {other_rule}"
    )


def _rule_words(row: Mapping[str, Any]) -> str:
    """Return the first words that a rule is about."""
    words = [_main_words(row)] if _main_words(row) else [*row["words"]][:LISTED_WORDS]
    if not words:
        return "words" if row["kind"] == "boundary" else "such spans"
    more = " and the like" * (sum(row["words"][word] for word in words) < row["number"])
    return f"{', '.join(repr(clip(word)) for word in words)}{more}"


def difference_columns(row: Mapping[str, Any], everyone: Sequence[str] = ()) -> tuple[str, str, str, str]:
    """Return the cells of a table: the label, what annotators do differently, who does it and who does not.

    Args:
        row: The row.
        everyone: All annotators, so that the others can be called "all others".

    >>> row = {"kind": "label", "one": ["ann"], "other": ["ben", "cleo"], "label": "ORG", "instead": "GPE"}
    >>> difference_columns(row), difference_columns(row, ["ann", "ben", "cleo"])[-1]
    (('ORG', 'instead of GPE', 'ann', 'ben and cleo'), 'all others')
    >>> difference_columns({"kind": "missing", "one": ["ann"], "other": ["ben"], "label": "DATE"})
    ('DATE', 'marked', 'ann', 'ben')
    """
    subject, other_side, is_turned = _subject_sides(row)
    are_all_others = len(other_side) > 1 and len(subject) + len(other_side) == len(everyone)
    sides = name_list(subject), "all others" if are_all_others else name_list(other_side)
    kind = row["kind"]
    if kind == "label":
        return row["label"], f"instead of {_label_text(row['instead'])}", *sides
    if kind in ("missing", "nested"):
        return row["label"], f"{'not ' * is_turned}marked{', nested' * (kind == 'nested')}", *sides
    label = _main_label(row) or "several"
    if kind == "merged":
        return label, "several for one" if is_turned else "one for several", *sides
    if kind == "shifted":
        return label, f"{'later' if is_turned else 'earlier'} words", *sides
    words = _main_words(row)
    clause = f"{ENDS[row['end']]} {repr(clip(words)) if words else 'words'}"
    return label, f"{'without ' * is_turned}{clause}", *sides


def _subject_sides(row: Mapping[str, Any]) -> tuple[Sequence[str], Sequence[str], bool]:
    """Return the annotators with the habit, the others, and whether the habit is to lack what the others have.

    In a row of labels, "one" is the smaller side already.
    """
    is_turned = row["kind"] != "label" and len(row["other"]) < len(row["one"])
    return (row["other"], row["one"], True) if is_turned else (row["one"], row["other"], False)


def difference_kind(row: Mapping[str, Any]) -> str:
    """Return the kind of a row's differences, a key of `KINDS`."""
    kind: str = row.get("end", row["kind"])
    return kind


def name_list(people: Sequence[str]) -> str:
    """Return names as a list in a sentence, the first few of many.

    >>> name_list(["ann"]), name_list(["ann", "ben", "cleo"]), name_list(["a", "b", "c", "d", "e", "f"])
    ('ann', 'ann, ben and cleo', 'a, b, c and 3 others')
    """
    named = [shorten(name) for name in people]
    if len(named) > MOST_NAMES:
        named = [*named[: MOST_NAMES - 1], f"{len(named) - MOST_NAMES + 1} others"]
    return " and ".join(filter(None, [", ".join(named[:-1]), named[-1]]))


def _main_words(row: Mapping[str, Any]) -> str:
    """Return the words of most differences at a boundary; "" if there are no such words."""
    words, most = next(iter(row["words"].items()), ("", 0)) if row["kind"] == "boundary" else ("", 0)
    return words if most >= MOSTLY * row["number"] else ""


def _main_label(row: Mapping[str, Any]) -> str:
    """Return the label of most differences; "" if there is no such label."""
    label, number = next(iter(row["labels"].items()))
    return _label_text(label) if number >= OF_ONE_LABEL * row["number"] else ""


def _label_text(label: str) -> str:
    return label if label.strip() else EMPTY
