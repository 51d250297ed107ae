"""Texts and names from outside, for pages: as data of a script, in a sentence, and their direction."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple
from unicodedata import bidirectional

from markupsafe import Markup, escape

from ...core.spans import Document
from ...io.writing import spelt_out, visible
from .. import marked_text

JOINT = re.compile(r"(?<=[._/])(?=[^\W\d])|(?<=[a-z])(?=[A-Z])")

# A "<" could end the script element. The others cannot be encoded in UTF-8, or are changed by parsers of HTML.
UNSAFE = re.compile("[<\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def embedded(value: Any) -> str:
    """Return JSON for a script element, escaped so that it cannot end the element or be changed.

    >>> embedded("</script>")
    '"\\\\u003c/script>"'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def breakable(sentence: str) -> Markup:
    """Return a sentence whose names may be broken behind their dots, underscores and slashes, and before capitals.

    >>> breakable("a_b.jsonl < 0.5")
    Markup('a_<wbr>b.<wbr>jsonl &lt; 0.5')
    """
    return Markup(JOINT.sub("<wbr>", escape(visible(sentence))))


def is_right_to_left(text: str) -> bool:
    """Return whether the first character with a strong direction runs from right to left.

    >>> is_right_to_left("1. \u05d0b"), is_right_to_left("b \u05d0"), is_right_to_left("12")
    (True, False, False)
    """
    strong = (kind for character in text if (kind := bidirectional(character)) in ("L", "R", "AL"))
    return next(strong, "L") != "L"


def utf16_offsets(text: str) -> Any:
    """Return the function from an offset in characters to one in UTF-16 units."""
    if text.isascii() or max(text) <= "\uffff":
        return int
    offsets = [0]
    for character in text:
        offsets.append(offsets[-1] + (2 if character > "\uffff" else 1))
    return offsets.__getitem__


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
