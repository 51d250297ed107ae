"""Check spans, tokens, the scores of spans, keys and names, and say what is wrong with them.

A score says how sure a model is of a span. No metric needs scores; curves over cuts do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Real
from operator import index
from pathlib import Path
from typing import Any

from .messages import quoted, shortened

FARTHEST = 1 << 40
"""The greatest offset in a document without a text: such offsets times the documents of a batch fit 64 bits."""

PlainSpan = tuple[int, int, str]


def checked_tokens(tokens: Iterable[tuple[int, int]], length: int | None) -> list[tuple[int, int]]:
    """Return the tokens, sorted. Raise ValueError with the reason if they overlap or exceed the text."""
    found = sorted(checked_span("token", (*token, "token"), length)[:2] for token in tokens)
    for (_, end), (start, _) in zip(found, found[1:]):
        if start < end:
            raise ValueError(f"tokens overlap: one ends at {end}, the next begins at {start}")
    return found


def checked_spans(side: str, spans: Iterable[Sequence[Any]], length: int | None) -> list[PlainSpan]:
    """Return the spans in plain Python, each once. Raise ValueError that explains the first invalid span."""
    spans, most = [*spans], FARTHEST if length is None else length
    distinct: dict[PlainSpan, None] = {}
    try:
        for span in spans:
            # Almost all spans are valid: checking that here, without a call, halves the time of reading.
            start, end, label = span
            plain = start.__class__ is end.__class__ is int and label.__class__ is str and label
            if not (plain and 0 <= start <= end <= most):
                raise ValueError
            distinct[span if span.__class__ is tuple else (start, end, label)] = None
    except (TypeError, ValueError):
        distinct = dict.fromkeys(checked_span(side, span, length) for span in spans)
    return [*distinct]


def checked_span(side: str, span: Sequence[Any], length: int | None) -> PlainSpan:
    """Return the span in plain Python. Raise ValueError that explains what is wrong with it."""
    try:
        start, end, label = span
        if isinstance(start, bool) or isinstance(end, bool):
            raise TypeError
        start, end = index(start), index(end)
    except (TypeError, ValueError):
        raise ValueError(
            f"{side} span {shortened(repr(span))} is not (start, end, label) with whole-number offsets"
        ) from None
    if 0 <= start <= end <= (FARTHEST if length is None else length) and isinstance(label, str) and label:
        return start, end, label
    shown = f"{side} Span({start!r}, {end!r}, {quoted(label) if isinstance(label, str) else repr(label)})"
    if start < 0:
        raise ValueError(f"{shown} starts before the text")
    if end < start:
        raise ValueError(f"{shown} ends before it starts")
    if length is None and end > FARTHEST:
        raise ValueError(f"{shown} ends after character {FARTHEST}, the greatest offset without a text")
    if length is not None and end > length:
        raise ValueError(f"{shown} ends after the text, which has {length} character{'' if length == 1 else 's'}")
    raise ValueError(f"{shown} has no label: expected a non-empty string")


def unique_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of JSON that has these keys and values, as `object_pairs_hook` of `json.loads`.

    Raises:
        ValueError: A key occurs twice, so that one of its values would be lost.

    >>> import json
    >>> json.loads('{"PER": 1, "PER": 2}', object_pairs_hook=unique_keys)
    Traceback (most recent call last):
    ValueError: the key 'PER' occurs twice
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for k, key in enumerate(keys) if key in keys[:k])
        raise ValueError(f"the key {shortened(repr(twice))} occurs twice")
    return found


class Unusable(str):
    """The reason why a span has no score that can be used, in place of the score."""

    __slots__ = ()


def is_number(value: object) -> bool:
    """Return whether a value is a finite number, as the score of a span has to be.

    >>> is_number(0.5), is_number(float("nan")), is_number("0.5"), is_number(True)
    (True, False, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def highest(scores: Iterable[tuple[PlainSpan, Any]]) -> dict[PlainSpan, Any]:
    """Return the score of each span, the highest where a span is listed several times.

    A value that is no score is kept rather than a number, so that an error can name it.

    Args:
        scores: Spans with their scores as they were given; None for no score.

    >>> highest([((0, 3, "A"), 0.2), ((0, 3, "A"), 0.7), ((4, 5, "A"), None)])
    {(0, 3, 'A'): 0.7}
    """
    found: dict[PlainSpan, Any] = {}
    for span, score in scores:
        if score is None:
            continue
        known = found.get(span)
        if known is None or not is_number(score) or (is_number(known) and score > known):
            found[span] = score
    return found


def check_given_once(given: Sequence[str | Path], what: str) -> None:
    """Raise ValueError if a name or a file is given twice. A `Path` is the file it leads to, however it is written."""
    seen = set[str | Path]()
    for each in given:
        own = each.resolve() if isinstance(each, Path) else each
        if own in seen:
            raise ValueError(f"{each} is given twice: give each {what} once")
        seen.add(own)
