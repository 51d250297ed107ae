"""What annotators do differently, in words. A row is one of the result's "differences" or "same_words"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.messages import shortened
from .marked_text import clipped
from .result_table import EMPTY

MOSTLY = 0.5
"""The share from which on the most frequent words of a boundary are named alone."""

OF_ONE_LABEL = 0.8
"""The share from which on the label of most spans at a boundary is named."""

LISTED_WORDS, MOST_NAMES = 3, 4
"""Maximum number of words, and of annotators, that a sentence names."""

KINDS = {
    "leading": ("boundary", "words at the start"),
    "trailing": ("both", "words at the end"),
    "missing": ("missed", "marked by one only"),
    "label": ("label", "label"),
    "blank": ("hit", "white space at an end"),
}
"""What differs: a key of `core.wording.VERDICT_KINDS`, for the colour, and a few words."""


def difference_words(row: Mapping[str, Any]) -> str:
    """Return what annotators do differently, with its numbers.

    >>> row = {"kind": "boundary", "one": ["ann"], "other": ["ben"], "end": "leading", "labels": {"PART": 9, "DATE": 5}}
    >>> difference_words(row | {"words": {"the": 14}, "number": 14, "reverse": 0})
    "ann includes leading 'the' where ben does not, 14 times"
    >>> difference_words(row | {"words": {"the": 12, "a": 2}, "number": 14, "reverse": 0})
    "ann includes leading 'the' where ben does not, 12 times, and other words 2 times"
    >>> difference_words(row | {"words": {"the": 5, "a": 3, "an": 1}, "number": 14, "reverse": 2})
    "ann includes leading words that ben leaves out, 14 times, such as 'the' 5, 'a' 3 (the other way round 2 times)"
    """
    reverse = f" (the other way round {_times(row['reverse'])})" if row["reverse"] else ""
    words, most = _main_words(row)
    if words:
        rest = row["number"] - most
        others = f", and other words {_times(rest)}" if rest else ""
        return f"{what_differs(row)}, {_times(most)}{others}{reverse}"
    named = [f"{clipped(text)!r} {n}" for text, n in row["words"].items() if n > 1][:LISTED_WORDS]
    such_as = f", such as {', '.join(named)}" if named else ""
    return f"{what_differs(row)}, {_times(row['number'])}{such_as}{reverse}"


def what_differs(row: Mapping[str, Any]) -> str:
    """Return what annotators do differently.

    >>> row = {"kind": "label", "one": ["ann"], "other": ["ben", "cleo"], "label": "ORG", "instead": "GPE"}
    >>> what_differs(row)
    'ann says ORG where ben and cleo say GPE'
    >>> what_differs({"kind": "missing", "one": ["ann"], "other": ["ben"], "label": "DATE"})
    'ann marks DATE where ben marks nothing'
    """
    (one, s), (other, not_s) = ((names(row[side]), "s" * (len(row[side]) == 1)) for side in ("one", "other"))
    if row["kind"] == "label":
        return f"{one} say{s} {_label(row['label'])} where {other} say{not_s} {_label(row['instead'])}"
    if row["kind"] == "missing":
        return f"{one} mark{s} {_label(row['label'])} where {other} mark{not_s} nothing"
    label = _main_label(row)
    where = f" of {label}" if label else ""
    if words := _main_words(row)[0]:
        return f"{one} include{s} {row['end']} {clipped(words)!r}{where} where {other} do{'es' if not_s else ''} not"
    return f"{one} include{s} {row['end']} words{where} that {other} leave{not_s} out"


def in_columns(row: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """Return the label, what annotators do differently, who does it and who does not, for columns of a table.

    >>> in_columns({"kind": "label", "one": ["ann"], "other": ["ben", "cleo"], "label": "ORG", "instead": "GPE"})
    ('ORG', 'instead of GPE', 'ann', 'ben and cleo')
    >>> in_columns({"kind": "missing", "one": ["ann"], "other": ["ben"], "label": "DATE"})
    ('DATE', 'marked', 'ann', 'ben')
    """
    sides = names(row["one"]), names(row["other"])
    if row["kind"] == "label":
        return row["label"], f"instead of {_label(row['instead'])}", *sides
    if row["kind"] == "missing":
        return row["label"], "marked", *sides
    words = _main_words(row)[0]
    return _main_label(row) or "several", f"{row['end']} {repr(clipped(words)) if words else 'words'}", *sides


def kind_of(row: Mapping[str, Any]) -> str:
    """Return the kind of a row's differences, a key of `KINDS`."""
    found: str = row.get("end", row["kind"])
    return found


def names(given: Sequence[str]) -> str:
    """Return names as a list in a sentence, the first few of many.

    >>> names(["ann"]), names(["ann", "ben", "cleo"]), names(["a", "b", "c", "d", "e", "f"])
    ('ann', 'ann, ben and cleo', 'a, b, c and 3 others')
    """
    named = [shortened(name) for name in given]
    if len(named) > MOST_NAMES:
        named = [*named[: MOST_NAMES - 1], f"{len(named) - MOST_NAMES + 1} others"]
    return " and ".join(filter(None, [", ".join(named[:-1]), named[-1]]))


def _main_words(row: Mapping[str, Any]) -> tuple[str, int]:
    """Return the words that most differences at a boundary are about, and how many; "" if there are none."""
    words, most = next(iter(row["words"].items()), ("", 0)) if row["kind"] == "boundary" else ("", 0)
    return (words, most) if words and most >= MOSTLY * row["number"] else ("", 0)


def _main_label(row: Mapping[str, Any]) -> str:
    """Return the label of most differences at a boundary; "" if there is none."""
    label, number = next(iter(row["labels"].items()))
    return _label(label) if number >= OF_ONE_LABEL * row["number"] else ""


def _label(label: str) -> str:
    return label if label.strip() else EMPTY


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"
