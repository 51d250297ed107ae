"""Warn if gold and predicted labels have little in common, as if they came from two annotation schemes."""

from __future__ import annotations

from collections.abc import Mapping

from ..core.messages import listed, with_spaces_shown

FEW = 0.1
"""Labels have little in common if at most this share of the predicted spans has a label that gold has too."""

ALIASES = (
    {"per", "person", "persons", "people", "pers"},
    {"loc", "location", "locations", "place"},
    {"org", "organization", "organisation", "organizations", "organisations"},
    {"misc", "miscellaneous"},
)
"""Names that mean the same in many annotation schemes, in lower case."""

SHOWN = 8
"""Maximum number of labels of a side that are named."""


def label_lines(gold: Mapping[str, int], pred: Mapping[str, int]) -> list[str]:
    """Return a warning if gold and predicted labels have little in common; an empty list otherwise.

    Args:
        gold, pred: Labels with their numbers of spans.

    >>> label_lines({"PER": 3, "LOC": 1}, {"PERSON": 2, "loc": 1})[0]  # doctest: +ELLIPSIS
    '⚠ No predicted label is a gold label: gold has LOC, PER, predictions have PERSON, loc. ...'
    >>> label_lines({"PER": 3}, {"PER": 1, "LOC": 3})
    []
    """
    golds, preds = (sorted(label for label, number in side.items() if number) for side in (gold, pred))
    shared = sum(number for label, number in pred.items() if label in golds)
    if not golds or not preds or shared > FEW * sum(pred.values()):
        return []
    many = f"Only {shared} of {sum(pred.values())} predicted spans have a label that is a gold label"
    what = many if shared else "No predicted label is a gold label"
    sides = [listed([*map(with_spaces_shown, labels)], SHOWN) for labels in (golds, preds)]
    alike = [
        f"{with_spaces_shown(a)} and {with_spaces_shown(b)}"
        for a in golds
        for b in preds
        if a != b and _same_name(a, b)
    ]
    remedy = f" These look alike: {listed(alike, SHOWN)}; name them alike on both sides." if alike else ""
    return [
        f"⚠ {what}: gold has {sides[0]}, predictions have {sides[1]}. Scores that compare labels say little.{remedy}"
    ]


def _same_name(a: str, b: str) -> bool:
    """Return whether two labels differ only in case, white space and punctuation, or are known to mean the same."""
    plain = ["".join(filter(str.isalnum, label)).casefold() for label in (a, b)]
    return plain[0] == plain[1] != "" or any({*plain} <= names for names in ALIASES)
