"""Stretches of text with their context, for the page."""

from __future__ import annotations

import re
from typing import NamedTuple

from markupsafe import Markup, escape

from ...core.spans import Document
from ...evaluation.error_list import CONTEXT
from ...io.writing import spelt_out
from .texts import is_right_to_left

SPACE = re.compile(r"\s+")


class Example(NamedTuple):
    """A stretch of text with its context, escaped, on one line, with the spaces at its ends."""

    left: Markup
    text: Markup
    right: Markup
    right_to_left: bool = False


def in_context(document: Document, start: int, end: int) -> Example:
    """Return a stretch of a document's text with its context, its places if there is no text."""
    text = document.text
    if text is None:
        return Example(Markup(), Markup(f"{start}–{end}"), Markup())
    long = end - start > 2 * CONTEXT
    middle = f"{text[start : start + CONTEXT]}…{text[end - CONTEXT : end]}" if long else text[start:end]
    parts = _before(text, start), middle, _after(document.own_text or "", end)
    if document.is_invented((start, end, "")):
        parts = "not in the text: ", middle, ""
    left, here, right = (escape(spelt_out(SPACE.sub(" ", part))) for part in parts)
    return Example(left, here, right, is_right_to_left(text))


def _before(text: str, start: int) -> str:
    """Return the text before a place, from the beginning of a word."""
    first = max(0, start - CONTEXT)
    found = text[first:start]
    if not first:
        return found
    space = None if text[first - 1].isspace() else SPACE.search(found)
    return f"… {found[space.end() :].lstrip() if space else found}"


def _after(text: str, end: int) -> str:
    """Return the text after a place, up to the end of a word."""
    last = end + CONTEXT
    found = text[end:last]
    if last >= len(text):
        return found
    spaces = [] if text[last].isspace() else [*SPACE.finditer(found)]
    return f"{(found[: spaces[-1].start()] if spaces else found).rstrip()} …"
