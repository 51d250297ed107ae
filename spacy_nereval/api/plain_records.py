"""Tags and spans without a text of their own, as records of a text that may be known from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..core.arguments import Reading
from ..core.checked import PlainSpan, checked_tokens, highest
from ..core.messages import quoted, shortened
from ..core.spans import Document
from ..io.formats.offsets import fitted_span, in_other_unit
from ..io.records import Record, with_mentions
from ..io.tag_sequences import Tagged
from .items import Ends, kind_of, plain_span, score_of, surface_of

Offsets = Sequence[tuple[int, int]]


class Place(NamedTuple):
    """What is known of a document beside its spans."""

    text: str | None
    offsets: Offsets | None


def plain_record(item: Any, name: str, place: Place, reading: Reading, ends: Ends) -> Record:
    """Return tags, mentions or spans as a record; None is a document without annotation.

    Args:
        item: What one side of a document has.
        name: What it is called in errors.
        place: The text and the tokens.
        reading: How items are read.
        ends: Sees where every span ends.

    Raises:
        ValueError: The item cannot be read, or does not fit the text.
    """
    text, offsets = place
    empty = Record(text or "", set(), None if offsets is None else [*offsets])
    if item is None:
        return empty._replace(annotated=False)
    if isinstance(item, Tagged):
        return of_tagged(item, name, place, empty)
    if kind_of(item) == "mentions":
        if text is None:
            raise ValueError(f"{name} has mentions without offsets, which are looked for in the text: give text=")
        return with_mentions(empty, item, reading.match, reading.occurrences)
    given = [*item]
    spans = [_fitting(span, f"{name} span {k}", text, reading, ends) for k, span in enumerate(given)]
    kept = {*spans}
    can_be_scored = any(not isinstance(span, (tuple, list)) for span in given)
    scores = highest(zip(spans, map(score_of, given))) if can_be_scored else {}
    return empty._replace(spans=kept, duplicates=len(spans) - len(kept), span_scores=scores)


def of_tagged(item: Tagged, name: str, place: Place, empty: Record) -> Record:
    """Return a tag sequence as a record.

    Args:
        item: The tags that have been read.
        name: What they are called in errors.
        place: The text and the tokens.
        empty: The record without spans.

    Raises:
        ValueError: The tokens are not known, or there are more or fewer of them than tags.
    """
    text, offsets = place
    if offsets is None and text is not None:
        offsets = Document([], [], text).words
        if len(offsets) != item.length:
            raise ValueError(
                f"{name} has {tags_in_words(item.length)}, and the text has {len(offsets)} words between white space; "
                "give the tokens that the tags stand for as tokens="
            )
    if offsets is None:
        raise ValueError(
            f"{name} has tags, which count tokens, and the other side has spans, which count characters; "
            "give the tokens as tokens=, one list of words per document"
        )
    if len(offsets) != item.length:
        raise ValueError(
            f"{name} has {tags_in_words(item.length)} for {len(offsets)} token{'s' * (len(offsets) != 1)}; "
            "expected one tag per token"
        )
    spans = {(offsets[start][0], offsets[end - 1][1], label) for start, end, label in item.spans}
    gaps = tuple(offsets[k] for k in item.gaps)
    return empty._replace(spans=spans, tokens=[*offsets], repaired=item.repaired, gaps=gaps)


def _fitting(span: Any, name: str, text: str | None, reading: Reading, ends: Ends) -> PlainSpan:
    """Return a span as a tuple; if it does not fit and offsets count something else than characters, say so."""
    try:
        return _checked(span, name, text, reading, ends)
    except ValueError as error:
        surface = surface_of(span)
        if text is None or not surface or text.isascii():
            raise
        start, end, label = plain_span(span, name, None, inclusive=reading.end == "inclusive")
        said = in_other_unit(lambda unit: fitted_span(name, (start, end, label), text, unit, surface[0]))
        raise ValueError(f"{error}{said}") from None


def _checked(span: Any, name: str, text: str | None, reading: Reading, ends: Ends) -> PlainSpan:
    """Return a span as a tuple, compared with the text that it repeats."""
    inclusive = reading.end == "inclusive"
    start, end, label = plain_span(span, name, None if text is None else len(text), inclusive=inclusive)
    surface = surface_of(span)
    if text is None:
        return start, end, label
    ends.see(text, start, end)
    if surface and text[start:end].split() != surface[0].split():
        for other, remedy in ((end + 1, 'give end="inclusive"'), (end - 1, 'leave out end="inclusive"')):
            if (other > end) is not inclusive and text[start:other].split() == surface[0].split():
                raise ValueError(
                    f"{name} from {start} to {end} is {quoted(text[start:end])}, and it says {quoted(surface[0])}, "
                    f"which ends at {other}: {remedy}"
                )
        if surface[1]:
            raise ValueError(
                f"{name} from {start} to {end} is {quoted(text[start:end])}, but it says {quoted(surface[0])}; "
                "expected offsets in characters of the same text"
            )
    return start, end, label


def place_of(text: Any, tokens: Any) -> Place:
    """Return the text and the offsets of the tokens, as far as they are given.

    Args:
        text: A string, or None.
        tokens: Words, which are looked for in the text; or their offsets; or None.

    Raises:
        ValueError: The text is no string, or a token is not in the text.
    """
    if text is not None and not isinstance(text, str):
        raise ValueError(f"the text is {shortened(repr(text))}; expected a str")
    if tokens is None:
        return Place(text, None)
    words = [*tokens]
    if not all(isinstance(word, str) for word in words):
        return Place(text, checked_tokens(words, None if text is None else len(text)))
    if text is None:
        text = " ".join(words)
    offsets, at = [], 0
    for k, word in enumerate(words):
        start = text.find(word, at)
        if start < 0:
            raise ValueError(f"token {k}, {quoted(word)}, is not in the text after character {at}")
        offsets.append((start, at := start + len(word)))
    return Place(text, offsets)


def tags_in_words(number: int) -> str:
    """Return a number of tags in words."""
    return f"{number} tag{'s' * (number != 1)}"
