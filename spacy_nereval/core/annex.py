"""The annex: lines appended to a text, with the listed mentions that the text does not have.

Every metric then sees them as spans, and counts them as spurious.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from re import compile

from .checked import PlainSpan
from .spans import Document

WORD = compile(r"\S+")


def annexed(text: str, strings: Iterable[str]) -> tuple[str, dict[str, tuple[int, int]]]:
    """Return a text followed by strings, each once on lines of its own, and the (start, end) of each.

    >>> annexed("Ada", ["Bob", "Bob"])
    ('Ada\\nBob', {'Bob': (4, 7)})
    """
    places: dict[str, tuple[int, int]] = {}
    for string in strings:
        if string not in places:
            places[string] = len(text) + 1, len(text) + 1 + len(string)
            text += f"\n{string}"
    return text, places


def words_after(text: str, end: int) -> list[tuple[int, int]]:
    """Return the (start, end) of each word between white space from an offset on, as the tokens of an annex."""
    return [found.span() for found in WORD.finditer(text, end)]


def with_common_annex(documents: Sequence[Document]) -> list[Document]:
    """Return the versions of one document, one per system, with the same text and annex for all.

    Args:
        documents: A document with the predictions of each system. The common annex holds the
            invented mentions of gold first, then those of the systems.

    >>> one, other = (Document([], [(4, 7, "PER")], f"Ada\\n{name}") for name in ("Bob", "Eve"))
    >>> one.annex = other.annex = 3
    >>> [(document.text, document.sides[1]) for document in with_common_annex([one, other])]
    [('Ada\\nBob\\nEve', [(4, 7, 'PER')]), ('Ada\\nBob\\nEve', [(8, 11, 'PER')])]
    """
    lines = [(document, document.text or "", document.annex) for document in documents]
    starts = {annex for _, _, annex in lines if annex is not None}
    if not starts:
        return [*documents]
    (end,) = starts  # all have the same text
    strings = [
        text[start:stop]
        for side in (0, 1)
        for document, text, annex in lines
        if annex is not None
        for start, stop, _ in sorted(document.sides[side])
        if start > end
    ]
    whole, places = annexed(lines[0][1][:end], strings)

    def moved(span: PlainSpan, text: str) -> PlainSpan:
        return span if span[0] <= end else (*places[text[span[0] : span[1]]], span[2])

    found = []
    for document, text, _ in lines:
        gold, pred = ([moved(span, text) for span in side] for side in document.sides)
        new = document.replaced(gold, pred, whole)
        new.annex = end
        new.span_scores = {moved(span, text): score for span, score in document.span_scores.items()}
        if document.tokens is not None:
            new.tokens = [token for token in document.tokens if token[1] <= end] + words_after(whole, end)
        found.append(new)
    return found
