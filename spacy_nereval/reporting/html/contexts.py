"""Stretches of text with their context, for the page."""

from __future__ import annotations

from typing import NamedTuple

from markupsafe import Markup, escape

from ...core.spans import Document
from ...io.writing import spelt_out
from .. import marked_text
from .texts import is_right_to_left


class Example(NamedTuple):
    """A stretch of text with its context, escaped, on one line, with the spaces at its ends."""

    left: Markup
    text: Markup
    right: Markup
    right_to_left: bool = False


def in_context(document: Document, start: int, end: int) -> Example:
    """Return a stretch of a document's text with its context, its places if there is no text."""
    left, here, right = (escape(spelt_out(part)) for part in marked_text.in_context(document, start, end).parts)
    return Example(left, here, right, is_right_to_left(document.text or ""))
