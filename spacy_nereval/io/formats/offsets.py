"""The unit of offsets (characters, UTF-16 code units or bytes), and whether spans match the text given for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...core.arguments import AUTO_OFFSETS, CODEPOINT, OFFSETS, UTF8, UTF16
from ...core.checked import PlainSpan, checked_span
from ...core.messages import named, quoted
from ..records import Record
from .settings import Format

IN_WORDS = {CODEPOINT: "characters", UTF16: "UTF-16 code units", UTF8: "bytes of UTF-8"}

WIDTHS: Mapping[str, Callable[[str], int]] = {
    UTF16: lambda character: 1 + (character > "\uffff"),
    UTF8: lambda character: len(character.encode("utf8", "surrogatepass")),
}
"""How many units a character has."""


FARTHEST_PIECE = 1_000_000
"""The greatest number of characters between two pieces of a text. More is a wrong offset, and would fill the memory."""


class Misfit(ValueError):
    """A span does not cover the text that the file gives for it."""


class BeyondText(Misfit):
    """A span with a given text exceeds the text of the document."""


def fitted_span(name: str, span: Sequence[Any], text: str, format: Format, surface: str | None = None) -> PlainSpan:
    """Return a span in characters, checked against the text that the file gives for it.

    Args:
        name: What the span is called in errors.
        span: Its start, end and label, in what `format.offsets` counts.
        text: The text of the document.
        format: Says what offsets count, and whether `surface` matters.
        surface: The text of the span according to the file, if given. White space does not count.

    Raises:
        Misfit: The span covers another text.
        ValueError: The span is invalid for the text.

    >>> fitted_span("span 0,", (3, 6, "PER"), "😀 Bob", Format(offsets="utf16"), "Bob")
    (2, 5, 'PER')
    >>> fitted_span("span 0,", (3, 6, "PER"), "😀 Bob!", Format(), "Bob")
    Traceback (most recent call last):
    spacy_nereval.io.formats.offsets.Misfit: span 0, from 3 to 6, is 'ob!', but the file says 'Bob'
    """
    offsets = CODEPOINT if format.offsets in (None, AUTO_OFFSETS) else format.offsets
    shown = surface if format.check_text else None
    try:
        if offsets == CODEPOINT or text.isascii():
            start, end, label = checked_span(name, span, len(text))
        else:
            start, end, label = _in_characters(name, span, text, offsets)
    except ValueError as error:
        raise (ValueError if shown is None else BeyondText)(str(error)) from None
    if shown is not None and text[start:end].split() != shown.split():
        inclusive = text[start : end + 1].split() == shown.split()
        raise Misfit(
            f"{name} from {span[0]} to {span[1]}, is {quoted(text[start:end])}, but the file says {quoted(shown)}"
            + "; the end seems to be that of the last character, expected the offset after it" * inclusive
        )
    return start, end, label


def in_other_unit(fits: Callable[[Format], object], format: Format = Format()) -> str:
    """Return a remedy for offsets that do not fit as characters, if they fit as something else; "" if not.

    Args:
        fits: Reads with a format, and raises ValueError if the offsets do not fit.
        format: The format otherwise.
    """
    for unit in (UTF16, UTF8):
        try:
            fits(format._replace(offsets=unit))
        except ValueError:
            continue
        return f"; offsets would fit as {IN_WORDS[unit]}: convert them to characters of the str"
    return ""


def _in_characters(name: str, span: Sequence[Any], text: str, offsets: str) -> PlainSpan:
    places = _places(text, offsets)
    start, end, label = checked_span(name, span, max(places))
    for offset in (start, end):
        if offset not in places:
            raise ValueError(f"{name} offset {offset} is inside a character if offsets count {IN_WORDS[offsets]}")
    return places[start], places[end], label


@lru_cache(maxsize=4)
def _places(text: str, offsets: str) -> dict[int, int]:
    """Return the offset in characters of every offset of another kind that lies between two characters."""
    width, at = WIDTHS[offsets], 0
    found = {0: 0}
    for number, character in enumerate(text, 1):
        at += width(character)
        found[at] = number
    return found


def counted_in(format: Format, unit: str) -> Format:
    """Return a format with the unit of its offsets, unless another was chosen.

    >>> counted_in(Format(), UTF16).offsets, counted_in(Format(offsets="auto"), UTF16).offsets
    ('utf16', 'auto')
    """
    return format._replace(offsets=unit) if format.offsets is None else format


def assembled(pieces: Iterable[tuple[int, str]], format: Format) -> str:
    """Return the text of a document whose pieces begin at these offsets, with white space between them.

    Args:
        pieces: The offset and the text of each piece, in ascending order.
        format: Says what offsets count.

    Raises:
        Misfit: A piece begins before the end of the piece before it.
        ValueError: A piece begins more than a million characters after it.

    >>> assembled([(0, "😀"), (3, "Bob")], Format(offsets="utf16"))
    '😀\\nBob'
    """
    width = WIDTHS.get(format.offsets or CODEPOINT)
    parts: list[str] = []
    at = 0
    for start, piece in pieces:
        if start < at:
            raise Misfit(f"the text {quoted(piece)} begins at {start}, before the end of the text before it, {at}")
        if start - at > FARTHEST_PIECE:
            raise ValueError(f"the text {quoted(piece)} begins at {start}, but the text before it ends at {at}")
        between = " " * (start - at)
        parts += ["\n" + between[1:] if parts and between else between, piece]
        at = start + (len(piece) if width is None else sum(map(width, piece)))
    return "".join(parts)


def check_unit_is_known(text: str, ends: Iterable[Any], format: Format, tool: str) -> None:
    """Check that no span of a tool whose offsets depend on its version ends after a character above U+FFFF.

    Args:
        text: The text.
        ends: The ends of spans without texts of their own, as the file has them.
        format: Says whether the unit was chosen.
        tool: The name of the tool, for the error.

    Raises:
        ValueError: There is such a span, and the unit was not chosen.

    >>> check_unit_is_known("😀 Bob", [2], Format(offsets="utf16"), "doccano")
    """
    if format.offsets not in (None, AUTO_OFFSETS):
        return
    last = max((end for end in ends if isinstance(end, int)), default=0)
    if wide := next((character for character in text[: max(last, 0)] if character > "\uffff"), None):
        raise ValueError(
            f"{wide!r} is one character or two UTF-16 code units, and {tool}'s offsets count either, depending on "
            f"its version: say which with {named('offsets', CODEPOINT)} or {named('offsets', UTF16)}"
        )


def with_fitting_offsets(
    read: Callable[[Path, Format], Iterator[Record]], path: Path, format: Format
) -> Iterator[Record]:
    """Read a file with the kind of offsets that fits all spans, or say which kind that would be.

    Args:
        read: The reader of the format.
        path: The file or folder.
        format: How to read it. With `AUTO_OFFSETS` the kind is looked for before anything
            is read: characters if they fit all spans that repeat their text, else UTF-16
            code units, else bytes of UTF-8.

    Yields:
        The records of `read`.

    Raises:
        ValueError: As `read` does. If a span does not fit its text, the error names the
            kind that fits all spans of the file, if there is one.
    """
    try:
        if format.offsets == AUTO_OFFSETS:
            for _ in read(path, format):
                pass
        yield from read(path, format)
    except Misfit as error:
        fitting = next((kind for kind in OFFSETS if _fits(read, path, format, kind)), None)
        if fitting and format.offsets == AUTO_OFFSETS:
            yield from read(path, format._replace(offsets=fitting))
            return
        remedy = f"; correct one of them, or use {named('check_text', False)} to go by the offsets"
        if fitting:
            remedy = f"; all spans of {path} fit if offsets count {IN_WORDS[fitting]}: {named('offsets', fitting)}"
        elif isinstance(error, BeyondText):
            remedy = ""
        raise ValueError(f"{error}{remedy}") from None


def _fits(read: Callable[[Path, Format], Iterator[Record]], path: Path, format: Format, offsets: str) -> bool:
    try:
        for _ in read(path, format._replace(offsets=offsets)):
            pass
    except ValueError:
        return False
    return True


def located(error: ValueError, where: str) -> ValueError:
    """Return an error of the same class with the place where it occurred.

    >>> located(Misfit("odd"), "a.jsonl, line 1")
    Misfit('a.jsonl, line 1: odd')
    """
    return (type(error) if isinstance(error, Misfit) else ValueError)(f"{where}: {error}")
