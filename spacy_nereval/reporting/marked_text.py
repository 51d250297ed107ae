"""Spans marked in a short stretch of their text: [gold], {predicted}."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..core.spans import Document, Span
from ..evaluation.error_list import CONTEXT

SPACE = re.compile(r"\s+")

MARKS = ("[", "]"), ("{", "}")
"""The marks around the gold span and the predicted span."""

BEFORE, AFTER, WITHIN = 12, 24, 40
"""Characters of text before the marks, after them, and between two of them."""


class Marked(str):
    """Text with a stretch that stays visible where the text is cut.

    >>> text = Marked.of("met ", "[Bob]", " in Rome")
    >>> text, text.parts
    ('met [Bob] in Rome', ('met ', '[Bob]', ' in Rome'))
    """

    parts: tuple[str, str, str]

    @classmethod
    def of(cls, left: str, stretch: str, right: str) -> Marked:
        """Return the stretch joined with the text on either side of it."""
        text = cls(left + stretch + right)
        text.parts = left, stretch, right
        return text


def marked(text: str | None, gold: Span | None, pred: Span | None) -> str:
    """Mark a gold and a predicted span in a short stretch of the text.

    Args:
        text: The text of the document, if it is known.
        gold: The gold span, if there is one.
        pred: The predicted span, if there is one.

    Returns:
        The stretch with the marks on one line; "" without a text or without a span.

    >>> marked("The Ada Lovelace met Bob.", Span(4, 16, "PER"), Span(4, 7, "PER"))
    'The [{Ada} Lovelace] met Bob.'
    """
    marks = _marks((*span[:2], side) for side, span in enumerate((gold, pred)) if span)
    if not marks or text is None:
        return ""
    first, last = marks[0][0], marks[-1][0]
    stretch = ""
    for here, following in zip(marks, marks[1:]):
        stretch += here[-1] + clipped(text[here[0] : following[0]])
    left, right = (SPACE.sub(" ", part) for part in (_before(text, first, BEFORE), _after(text, last, AFTER)))
    return Marked.of(left, stretch + marks[-1][-1], right)


def _marks(spans: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, int, int, str]]:
    """Return the marks of spans (start, end, side), in their order: the place first, and the mark last."""
    marks = []
    for start, end, side in spans:  # at one offset, closing marks come first; inner spans close first, outer open first
        (opening, closing), length = MARKS[side], end - start
        marks.append((start, OPENING, -length, side, opening))
        marks.append((end, CLOSING if length else EMPTY_CLOSING, length, -side, closing))
    return sorted(marks)


CLOSING, NOTE, OPENING, EMPTY_CLOSING, EMPTY_NOTE = range(5)
"""The order of what is at one offset: marks, and notes on spans that end there."""


def with_marks(text: str, spans: Iterable[tuple[int, int, int]], notes: Iterable[tuple[int, bool, str]]) -> str:
    """Return a text with marks around spans, and notes after them.

    Args:
        text: The whole text.
        spans: The start, the end and the side of each span: 0 for gold, 1 for predicted.
        notes: Where a span ends, whether it is empty, and the note on it.

    >>> with_marks("Ada met Bob", [(0, 3, 0), (0, 7, 1)], [(7, False, "(boundary)")])
    '{[Ada] met}(boundary) Bob'
    """
    noted = [(end, EMPTY_NOTE if is_empty else NOTE, 0, 0, note) for end, is_empty, note in notes]
    found, before = "", 0
    for place, *_, mark in sorted([*_marks(spans), *noted]):
        found += text[before:place] + mark
        before = place
    return found + text[before:]


def marked_row(row: Mapping[str, Any]) -> str:
    """Return the context of a row of an error list with its spans marked, as `marked` does.

    >>> spans = {"gold_start": 4, "gold_end": 16, "gold_label": "PER", "gold_text": "Ada Lovelace"}
    >>> marked_row({**spans, "pred_start": None, "left": "The ", "right": " met Bob."})
    'The [Ada Lovelace] met Bob.'
    """
    sides = [side for side in ("gold", "pred") if row[f"{side}_start"] is not None]
    if not sides or row["left"] is None:
        return ""
    start = min(row[f"{side}_start"] for side in sides)
    within = ["…"] * (max(row[f"{side}_end"] for side in sides) - start)
    spans: dict[str, Span] = {}
    for side in sides:
        first, last = (row[f"{side}_{edge}"] - start for edge in ("start", "end"))
        within[first:last] = row[f"{side}_text"]
        before = len(row["left"])
        spans[side] = Span(before + first, before + last, row[f"{side}_label"])
    return marked("".join((row["left"], *within, row["right"])), spans.get("gold"), spans.get("pred"))


def clipped(text: str, size: int = WITHIN) -> str:
    """Return the text on one line, cut to a number of characters.

    Args:
        text: Any text.
        size: Keep this many characters from the start.

    >>> clipped("Ada  Lovelace", 9)
    'Ada Love…'
    """
    text = SPACE.sub(" ", text)
    return text if len(text) <= size else text[: size - 1] + "…"


def in_context(document: Document, start: int, end: int) -> Marked:
    """Return a stretch of a document's text with its context on one line, its places if there is no text.

    >>> in_context(Document([], [], "The Ada Lovelace met Bob."), 4, 7).parts
    ('The ', 'Ada', ' Lovelace met Bob.')
    """
    text = document.text
    if text is None:
        return Marked.of("", f"{start}–{end}", "")
    long = end - start > 2 * CONTEXT
    middle = f"{text[start : start + CONTEXT]}…{text[end - CONTEXT : end]}" if long else text[start:end]
    parts = _before(text, start, CONTEXT), middle, _after(document.own_text or "", end, CONTEXT)
    if document.is_invented((start, end, "")):
        parts = "not in the text: ", middle, ""
    return Marked.of(*(SPACE.sub(" ", part) for part in parts))


def _before(text: str, start: int, size: int) -> str:
    """Return at most so many characters of the text before a place, from the beginning of a word."""
    first = max(0, start - size)
    found = text[first:start]
    if not first:
        return found
    space = None if text[first - 1].isspace() else SPACE.search(found)
    return f"… {found[space.end() :].lstrip() if space else found}"


def _after(text: str, end: int, size: int) -> str:
    """Return at most so many characters of the text after a place, up to the end of a word."""
    last = end + size
    found = text[end:last]
    if last >= len(text):
        return found
    spaces = [] if text[last].isspace() else [*SPACE.finditer(found)]
    return f"{(found[: spaces[-1].start()] if spaces else found).rstrip()} …"
