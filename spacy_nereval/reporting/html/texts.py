"""Texts and names from outside, for pages: as data of a script, in a sentence, and their direction."""

from __future__ import annotations

import json
import re
from typing import Any
from unicodedata import bidirectional

from markupsafe import Markup, escape

from ...io.writing import visible

LONGEST = 48
"""Maximum number of characters of a name in a sentence."""

JOINT = re.compile(r"(?<=[._/])(?=\w)|(?<=[a-z])(?=[A-Z])")

# A "<" could end the script element. The others cannot be encoded in UTF-8, or are changed by parsers of HTML.
UNSAFE = re.compile("[<\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def embedded(value: Any) -> str:
    """Return JSON for a script element, escaped so that it cannot end the element or be changed.

    >>> embedded("</script>")
    '"\\\\u003c/script>"'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def named(text: str) -> Markup:
    """Return an external name for a sentence: shortened, with its own writing direction; it may be broken behind
    its dots, underscores and slashes, and before its capitals.

    Of a label with levels that is too long, the last level stays.

    >>> named("object/" * 9 + "Pump").replace("object/" * 9, "...")
    Markup('<bdi title="...Pump">…/<wbr>Pump</bdi>')
    """
    whole = text = visible(text).strip() or "(empty)"
    if len(text) > LONGEST:
        last = text[text.rfind("/") :]
        text = f"…{last}" if "/" in text and " " not in text and 1 < len(last) < LONGEST else f"{text[: LONGEST - 1]}…"
    title = "" if text == whole else Markup(' title="{}"').format(whole)
    return Markup("<bdi{}>{}</bdi>").format(title, Markup(JOINT.sub("<wbr>", escape(text))))


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
