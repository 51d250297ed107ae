"""Patterns of differences between annotators in words."""

from __future__ import annotations

from ..evaluation.agreement.patterns import Pattern, PatternKind
from .agreement_lines import listed
from .marked_text import clipped

KINDS: dict[PatternKind, tuple[str, str]] = {
    "leading": ("boundary", "words at the start"),
    "trailing": ("both", "words at the end"),
    "missing": ("missed", "marked by one only"),
    "label": ("label", "label"),
}
"""What differs: a key of `words.VERDICT_KINDS`, for the colour, and a few words."""

WORDS = 5
"""Maximum number of words that a sentence names."""

OF_ONE_LABEL = 0.8
"""The share from which on the label of most spans is named."""

EVEN: dict[PatternKind, str] = {
    "leading": "{first} with or without leading words",
    "trailing": "{first} with or without trailing words",
    "missing": "{first} that one annotator marks and another does not",
    "label": "{first} or {last}",
}
"""Patterns in which neither side does clearly more."""

ONE_WAY: dict[PatternKind, str] = {
    "leading": "{having} include{s} leading words of {first} that {lacking} leave{not_s} out",
    "trailing": "{having} include{s} trailing words of {first} that {lacking} leave{not_s} out",
    "missing": "{having} mark{s} {first} where {lacking} mark{not_s} nothing",
    "label": "{having} say{s} {first} where {lacking} say{not_s} {last}",
}
"""Patterns in which one side does what the other does not."""


def said(pattern: Pattern, *, words: bool = True) -> str:
    """Return what annotators do differently.

    Args:
        pattern: The pattern.
        words: Whether to name the most frequent words, too.

    >>> from spacy_nereval.evaluation.agreement.patterns import Difference
    >>> each = Difference("leading", ("PART",), "ann", "ben", 0, (None, None), "left")
    >>> said(Pattern("leading", "left", [each]))
    "ann includes leading words of PART that ben leaves out: 'left'"
    """
    (labels, number), *_ = pattern.labels.items()
    first, last = labels[0] or "(empty)", labels[-1] or "(empty)"
    if number < OF_ONE_LABEL * pattern.number:
        first = "spans"
    sentence = EVEN[pattern.kind].format(first=first, last=last)
    if pattern.is_clear:
        having, lacking = pattern.sides
        sentence = ONE_WAY[pattern.kind].format(
            first=first,
            last=last,
            having=listed(having),
            lacking=listed(lacking),
            s="s" * (len(having) == 1),
            not_s="s" * (len(lacking) == 1),
        )
    about = pattern.frequent_words(WORDS + 1) if words else []
    named = ", ".join(repr(clipped(each)) for each in about[:WORDS])
    return sentence + (f": {named}{' …' * (len(about) > WORDS)}" if about else "")
