"""Spans, documents, and groups of spans that overlap.

Plain Python, without spaCy objects. Offsets are half-open and count characters of the
reference text, everywhere in the package.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from operator import index
from re import finditer
from typing import Any, NamedTuple

import numpy as np

from .alignment import align
from .messages import quoted, shortened
from .overlap import group_numbers, overlaps

FARTHEST = 1 << 40
"""The greatest offset in a document without a text: such offsets times the documents of a batch fit 64 bits."""

PlainSpan = tuple[int, int, str]


class Span(NamedTuple):
    """A labelled stretch of text, `text[start:end]`.

    Touching spans do not overlap, and a span of length zero overlaps nothing.

    >>> Span(0, 5, "PER").overlaps(Span(4, 9, "LOC")), Span(0, 5, "PER").overlaps(Span(5, 9, "PER"))
    (True, False)
    """

    start: int
    end: int
    label: str

    def overlaps(self, other: Span) -> bool:
        """Return whether the two spans share at least one character."""
        return max(self.start, other.start) < min(self.end, other.end)


class OverlapGroup:
    """Gold and predicted spans that must be judged together, since they are connected by overlap.

    `gold` and `pred` are sorted by (start, end, label) and hold no span twice. No span
    is in both, unless it is a whole `Document`: hits are taken out of
    groups. What several metrics need is computed once.
    """

    def __init__(self, gold: Sequence[Span], pred: Sequence[Span]) -> None:
        self.gold = gold
        self.pred = pred

    @cached_property
    def overlaps(self) -> list[tuple[int, int, int]]:
        """Every pair that shares a character or has identical boundaries:
        (index in `gold`, index in `pred`, number of shared characters)."""
        return overlaps(self.gold, self.pred)

    @cached_property
    def alignment(self) -> list[tuple[Span | None, Span | None]]:
        """The one-to-one alignment of the MUC and SemEval metrics."""
        return align(self.gold, self.pred, self.overlaps)


ON_READING = ("ignored", "repaired", "duplicates", "rejected")
"""The numbers of changed or omitted spans, counted when a document is read. They add up; results show them."""


class Document(OverlapGroup):
    """One text with its gold and its predicted spans.

    Args:
        gold, pred: Spans as (start, end, label), in any order; duplicates are dropped.
        text: The text; without it words cannot be looked up.
        tokens: The reference tokens as (start, end), for metrics that count tokens.
        id: The name of the document in reports.

    Attributes:
        gold, pred: Sorted, without duplicates.
        sides: Gold and predicted spans as plain tuples, in the order in which they came.
        ignored: Predictions left out where the reference says nothing about the text.
        repaired: Spans whose tags were repaired on reading.
        duplicates: Repeated spans within one side, the first of each not counted.
        rejected: Spans that an annotator rejected, on an annotated text.
        unit: The key of what the document is resampled with; None stands for its id.
        unit_rule: The rule by which the key was made (see `io.units`).

    Raises:
        ValueError: A span is not (start, end, label), ends before it starts, leaves the
            text, or has no label; tokens overlap.

    >>> doc = Document(gold=[(0, 5, "PER"), (9, 14, "LOC")], pred=[(0, 5, "PER")], text="Ada in London.")
    >>> [group.gold for group in doc.overlap_groups]
    [[Span(start=9, end=14, label='LOC')]]
    >>> Document(gold=[(9, 4, "LOC")], pred=[])
    Traceback (most recent call last):
    ValueError: gold Span(9, 4, 'LOC') ends before it starts
    """

    ignored: int = 0
    repaired: int = 0
    duplicates: int = 0
    rejected: int = 0
    unit: str | None = None
    unit_rule: str = "id"

    def __init__(
        self,
        gold: Iterable[Sequence[Any]],
        pred: Iterable[Sequence[Any]],
        text: str | None = None,
        *,
        tokens: Iterable[tuple[int, int]] | None = None,
        id: str | None = None,
    ) -> None:
        length = None if text is None else len(text)
        self.sides: tuple[list[PlainSpan], list[PlainSpan]] = (
            checked_spans("gold", gold, length),
            checked_spans("predicted", pred, length),
        )
        self.id = id
        self.text = text
        self.tokens: list[tuple[int, int]] | None = None if tokens is None else checked_tokens(tokens, length)

    def __repr__(self) -> str:
        return f"Document(gold={list(self.gold)}, pred={list(self.pred)})"

    @property
    def size(self) -> int:
        """Roughly how much memory is held with the document: its spans and tokens."""
        return sum(map(len, self.sides)) + (len(self.tokens) if self.tokens else len(self.text or "") // 8)

    @cached_property
    def gold(self) -> tuple[Span, ...]:  # type: ignore[override]  # lazy here, plain in OverlapGroup
        return tuple(map(Span._make, sorted(self.sides[0])))

    @cached_property
    def pred(self) -> tuple[Span, ...]:  # type: ignore[override]  # lazy here, plain in OverlapGroup
        return tuple(map(Span._make, sorted(self.sides[1])))

    @cached_property
    def hits(self) -> set[PlainSpan]:
        """The spans that gold and prediction share."""
        return {*self.sides[0]} & {*self.sides[1]}

    @cached_property
    def overlap_groups(self) -> list[OverlapGroup]:
        """All spans except hits, in groups that share no character with each other, so that
        each can be judged alone. A group with only one side holds misses or spurious spans."""
        rest = sorted((span, side) for side, spans in enumerate(self.sides) for span in spans if span not in self.hits)
        edges = np.array([span[:2] for span, _ in rest], dtype=np.int64).reshape(-1, 2)
        groups: dict[int, tuple[list[Span], list[Span]]] = {}
        for number, (span, side) in zip(group_numbers(*edges.T).tolist(), rest):
            groups.setdefault(number, ([], []))[side].append(Span._make(span))
        return [OverlapGroup(gold, pred) for gold, pred in groups.values()]

    def covered_tokens(self, span: PlainSpan) -> tuple[int, int]:
        """Return the range of reference tokens that share a character with the span.

        Raises:
            ValueError: The document has no tokens.

        >>> doc = Document([], [], "U.K. wins", tokens=[(0, 4), (5, 9)])
        >>> doc.covered_tokens(Span(2, 6, "GPE")), doc.covered_tokens(Span(4, 5, "GPE"))
        ((0, 2), (1, 1))
        """
        return _touched(*self._token_edges, span)

    @property
    def known_tokens(self) -> list[tuple[int, int]]:
        """The reference tokens. Raise ValueError, with the remedy, if the document has none."""
        if self.tokens is None:
            raise ValueError(
                "this document has no tokens (plain offsets and JSONL carry none, unless they list "
                "them under 'tokens'); use the metric char instead, or read a .spacy file"
            )
        return self.tokens

    @cached_property
    def words(self) -> list[tuple[int, int]]:
        """The places of the words of the text: the reference tokens but for white space,
        or without tokens what stands between white space. Raise ValueError if there is no text.

        >>> Document([], [], "Ada sleeps").words
        [(0, 3), (4, 10)]
        """
        if self.text is None:
            raise ValueError("words need the text: pass Document(gold=..., pred=..., text=...)")
        if self.tokens is None:
            return [match.span() for match in finditer(r"\S+", self.text)]
        return [(start, end) for start, end in self.tokens if self.text[start:end].strip()]

    def words_of(self, span: PlainSpan) -> list[str]:
        """Return the words that share a character with the span, clipped to it, case kept.

        >>> Document([], [], "The Scroll tip").words_of((1, 10, "X"))
        ['he', 'Scroll']
        """
        text = self.text or ""
        return [text[max(a, span[0]) : min(b, span[1])] for a, b in self.words[slice(*self.word_range(span))]]

    def word_range(self, span: PlainSpan) -> tuple[int, int]:
        """Return the range of `words` that share a character with the span."""
        return _touched(*self._word_edges, span)

    @cached_property
    def _word_edges(self) -> tuple[list[int], list[int]]:
        return [start for start, _ in self.words], [end for _, end in self.words]

    @cached_property
    def _token_edges(self) -> tuple[list[int], list[int]]:
        """The starts and the ends of the tokens, both ascending."""
        return [start for start, _ in self.known_tokens], [end for _, end in self.known_tokens]

    def unigrams(
        self, spans: Iterable[PlainSpan], *, case: str = "lower", by: str = "token"
    ) -> Iterator[Sequence[Hashable]]:
        """Yield the words of each span: the reference tokens it touches, clipped to it.

        White space is not a word. Without tokens, or with `by="whitespace"`, the text of
        the span is split at white space. `case="lower"` folds case, `"keep"` does not.

        Raises:
            ValueError: The document has no text.

        >>> doc = Document([], [], "The Scroll tip", tokens=[(0, 3), (4, 10), (11, 14)])
        >>> [*doc.unigrams([(1, 10, "X"), (11, 14, "X")])]
        [['he', 'scroll'], ['tip']]
        """
        if (text := self.text) is None:
            raise ValueError("words need the text: pass Document(gold=..., pred=..., text=...)")
        fold = str.lower if case == "lower" else str
        for start, end, label in spans:
            if self.tokens is None or by == "whitespace":
                yield fold(text[start:end]).split()
            else:
                touched = self.tokens[slice(*self.covered_tokens((start, end, label)))]
                clipped = (text[max(a, start) : min(b, end)] for a, b in touched)
                yield [fold(word) for word in clipped if word.strip()]


def _touched(starts: list[int], ends: list[int], span: PlainSpan) -> tuple[int, int]:
    """Return the range of the stretches (which do not overlap) that share a character with the span."""
    start, end, _ = span
    first = bisect_right(ends, start)
    return first, bisect_left(starts, end, lo=first) if start < end else first


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
    found: dict[PlainSpan, None] = {}
    try:
        for span in spans:
            # Almost all spans are valid: checking that here, without a call, halves the time of reading.
            start, end, label = span
            plain = start.__class__ is end.__class__ is int and label.__class__ is str and label
            if not (plain and 0 <= start <= end <= most):
                raise ValueError
            found[span if span.__class__ is tuple else (start, end, label)] = None
    except (TypeError, ValueError):
        found = dict.fromkeys(checked_span(side, span, length) for span in spans)
    return [*found]


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
        raise ValueError(f"{shown} ends after the text, which has {length} characters")
    raise ValueError(f"{shown} has no label: expected a non-empty string")
