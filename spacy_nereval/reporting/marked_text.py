"""Spans marked in their text: [gold], {predicted}."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..core.pieces import ELLIPSIS, pieces_of
from ..core.spans import Document, Span
from ..evaluation.error_list import CONTEXT

SPACE = re.compile(r"\s+")

UNKNOWN = "\ufdd0"
"""Stands for a character that a row of an error list does not have. No text has it, since it is no character."""

GAP = re.compile(f"{UNKNOWN}+")

MARKS = ("[", "]"), ("{", "}")
"""The marks around the gold span and the predicted span."""

BEFORE, AFTER, WITHIN = 12, 24, 40
"""Characters of text before the marks, after them, and between two of them."""


class MarkedText(str):
    """Text with a stretch that stays visible when the text is cut.

    >>> text = MarkedText.create("met ", "[Bob]", " in Rome")
    >>> text, text.parts
    ('met [Bob] in Rome', ('met ', '[Bob]', ' in Rome'))
    """

    parts: tuple[str, str, str]

    @classmethod
    def create(cls, left: str, stretch: str, right: str) -> MarkedText:
        """Return the stretch joined with the text on either side of it."""
        text = cls(left + stretch + right)
        text.parts = left, stretch, right
        return text


def mark_excerpt(text: str | None, gold: Span | None, pred: Span | None) -> str:
    """Return a short stretch of a text with a gold and a predicted span marked.

    Args:
        text: The text of the document; None for a document without text.
        gold: The gold span, or None. Each piece of a span with gaps is marked.
        pred: The predicted span, or None.

    Returns:
        The stretch on one line; "" without a text or without a span.

    >>> mark_excerpt("The Ada Lovelace met Bob.", Span(4, 16, "PER"), Span(4, 7, "PER"))
    'The [{Ada} Lovelace] met Bob.'
    >>> mark_excerpt("left and right knee", Span.of_pieces([(0, 4), (15, 19)], "SIGN"), None)
    '[left] and right [knee]'
    """
    marks = _marks((*piece, side) for side, span in enumerate((gold, pred)) if span for piece in pieces_of(span))
    if not marks or text is None:
        return ""
    first, last = marks[0][0], marks[-1][0]
    stretch = ""
    for here, following in zip(marks, marks[1:]):
        stretch += here[-1] + clip(text[here[0] : following[0]])
    left, right = (
        SPACE.sub(" ", part) for part in (_left_context(text, first, BEFORE), _right_context(text, last, AFTER))
    )
    return MarkedText.create(left, stretch + marks[-1][-1], right)


def _marks(spans: Iterable[tuple[int, int, int]]) -> list[tuple[int, int, int, int, str]]:
    """Return the marks of spans (start, end, side) in the order of the text, as (offset, ..., mark)."""
    marks = []
    for start, end, side in spans:  # at one offset, closing marks come first; inner spans close first, outer open first
        (opening, closing), length = MARKS[side], end - start
        marks.append((start, OPENING, -length, side, opening))
        marks.append((end, CLOSING if length else EMPTY_CLOSING, length, -side, closing))
    return sorted(marks)


CLOSING, NOTE, OPENING, EMPTY_CLOSING, EMPTY_NOTE = range(5)
"""The order of marks and notes at one offset."""


def insert_marks(text: str, spans: Iterable[tuple[int, int, int]], notes: Iterable[tuple[int, bool, str]]) -> str:
    """Return a whole text with marks around spans and notes after them.

    Args:
        text: The text.
        spans: The start, the end and the side of each span: 0 for gold, 1 for predicted.
        notes: For each note, the end of its span, whether the span is empty, and the words.

    >>> insert_marks("Ada met Bob", [(0, 3, 0), (0, 7, 1)], [(7, False, "(boundary)")])
    '{[Ada] met}(boundary) Bob'
    """
    note_marks = [(end, EMPTY_NOTE if is_empty else NOTE, 0, 0, note) for end, is_empty, note in notes]
    result, before = "", 0
    for place, *_, mark in sorted([*_marks(spans), *note_marks]):
        result += text[before:place] + mark
        before = place
    return result + text[before:]


def mark_row(row: Mapping[str, Any]) -> str:
    """Return the context of a row of an error list with its spans marked; see `mark_excerpt`.

    >>> spans = {"gold_start": 4, "gold_end": 16, "gold_label": "PER", "gold_text": "Ada Lovelace"}
    >>> mark_row({**spans, "pred_start": None, "left": "The ", "right": " met Bob."})
    'The [Ada Lovelace] met Bob.'
    """
    sides = [side for side in ("gold", "pred") if row[f"{side}_start"] is not None]
    if not sides or row["left"] is None:
        return ""
    start = min(row[f"{side}_start"] for side in sides)
    within = [UNKNOWN] * (max(row[f"{side}_end"] for side in sides) - start)
    before = len(row["left"]) - start
    spans: dict[str, Span] = {}
    for side in sides:
        pieces, words = read_offsets(row, side), row[f"{side}_text"]
        for first, last in pieces:
            within[first - start : last - start] = words[: last - first]
            words = words[last - first + len(ELLIPSIS) :]
        spans[side] = Span.of_pieces([(before + a, before + b) for a, b in pieces], row[f"{side}_label"])
    text = mark_excerpt("".join((row["left"], *within, row["right"])), spans.get("gold"), spans.get("pred"))
    return MarkedText.create(*(GAP.sub("…", part) for part in text.parts)) if isinstance(text, MarkedText) else text


def read_offsets(row: Mapping[str, Any], side: str) -> list[tuple[int, int]]:
    """Return the (start, end) of the pieces of a span in a row of an error list; itself if it has no gaps."""
    if offsets := row.get(f"{side}_pieces"):
        return [(int(start), int(end)) for start, end in (piece.split() for piece in offsets.split(";"))]
    return [(row[f"{side}_start"], row[f"{side}_end"])]


def clip(text: str, size: int = WITHIN) -> str:
    """Return the text on one line, cut to a number of characters.

    Args:
        text: Any text.
        size: Keep this many characters from the start.

    >>> clip("Ada  Lovelace", 9)
    'Ada Love…'
    """
    text = SPACE.sub(" ", text)
    return text if len(text) <= size else text[: size - 1] + "…"


def span_in_context(document: Document, start: int, end: int) -> MarkedText:
    """Return a stretch of a document's text with its context on one line; its offsets if there is no text.

    >>> span_in_context(Document([], [], "The Ada Lovelace met Bob."), 4, 7).parts
    ('The ', 'Ada', ' Lovelace met Bob.')
    """
    text = document.text
    if text is None:
        return MarkedText.create("", f"{start}–{end}", "")
    long = end - start > 2 * CONTEXT
    middle = f"{text[start : start + CONTEXT]}…{text[end - CONTEXT : end]}" if long else text[start:end]
    parts = _left_context(text, start, CONTEXT), middle, _right_context(document.own_text or "", end, CONTEXT)
    if document.is_invented((start, end, "")):
        parts = "not in the text: ", middle, ""
    return MarkedText.create(*(SPACE.sub(" ", part) for part in parts))


def _left_context(text: str, start: int, size: int) -> str:
    """Return up to `size` characters of the text before an offset, from the beginning of a word."""
    first = max(0, start - size)
    context = text[first:start]
    if not first:
        return context
    space = None if text[first - 1].isspace() else SPACE.search(context)
    return f"… {context[space.end() :].lstrip() if space else context}"


def _right_context(text: str, end: int, size: int) -> str:
    """Return up to `size` characters of the text after an offset, to the end of a word."""
    last = end + size
    context = text[end:last]
    if last >= len(text):
        return context
    spaces = [] if text[last].isspace() else [*SPACE.finditer(context)]
    return f"{(context[: spaces[-1].start()] if spaces else context).rstrip()} …"
