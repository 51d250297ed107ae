"""Spans, documents, and where gold and prediction disagree about a stretch of text.

Plain Python: no spaCy object passes this line. Offsets are half-open
characters of the reference text, everywhere and always.
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
from .overlap import groups, overlaps

FARTHEST = 1 << 40
"""Offsets up to here can be multiplied by numbers of documents or labels in 64 bits."""


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
        """Whether the two spans share at least one character."""
        return max(self.start, other.start) < min(self.end, other.end)


class Contest:
    """Gold and predicted spans that have to be judged together.

    `gold` and `pred` are sorted by (start, end, label) and hold no span twice.
    What two metrics need alike is computed once and kept here.
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
        """The one-to-one alignment that the MUC and SemEval measures share."""
        return align(self.gold, self.pred, self.overlaps)


class Document(Contest):
    """One text with its gold and its predicted spans.

    `gold` and `pred` come out sorted and free of duplicates; `gold_set` and
    `pred_set` hold them as plain tuples, and `given` has both sides in the order
    in which they came. `tokens` are the reference tokens as (start, end), needed
    by what counts tokens; `id` names the document in reports. `ignored` is the
    number of predictions left out because the reference says nothing about their
    stretch of text, and `repaired` that of the spans whose tags had to be mended
    in reading. `size` is about the number of its tokens: how much is held with it.

    Raises ValueError for a span that is no (start, end, label), that ends
    before it starts, that leaves the text, or that has no label.

    >>> doc = Document(gold=[(0, 5, "PER"), (9, 14, "LOC")], pred=[(0, 5, "PER")], text="Ada in London.")
    >>> [contest.gold for contest in doc.contests]
    [[Span(start=9, end=14, label='LOC')]]
    >>> Document(gold=[(9, 4, "LOC")], pred=[])
    Traceback (most recent call last):
    ValueError: gold Span(9, 4, 'LOC') ends before it starts
    """

    ignored: int = 0
    repaired: int = 0

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
        self.given = checked_spans("gold", gold, length), checked_spans("predicted", pred, length)
        self.id = id
        self.text = text
        self.tokens = None if tokens is None else _checked_tokens(tokens, length)
        words = len(self.tokens) if self.tokens else (length or 0) // 8  # a word and a space are seldom longer
        self.size = sum(map(len, self.given)) + words

    def __repr__(self) -> str:
        return f"Document(gold={list(self.gold)}, pred={list(self.pred)})"

    @cached_property
    def gold_set(self) -> set[tuple[int, int, str]]:
        return set(self.given[0])

    @cached_property
    def pred_set(self) -> set[tuple[int, int, str]]:
        return set(self.given[1])

    @cached_property
    def gold(self) -> tuple[Span, ...]:  # type: ignore[override]  # lazy here, plain in Contest
        return tuple(map(Span._make, sorted(self.given[0])))

    @cached_property
    def pred(self) -> tuple[Span, ...]:  # type: ignore[override]
        return tuple(map(Span._make, sorted(self.given[1])))

    @cached_property
    def hits(self) -> set[tuple[int, int, str]]:
        """The spans that gold and prediction have alike."""
        return self.gold_set & self.pred_set

    @cached_property
    def contests(self) -> list[Contest]:
        """All other spans, in groups that share no character with each other,
        so that each can be judged alone. A group with one side only is a plain
        miss or a plain spurious span."""
        sides = (self.gold_set - self.hits, self.pred_set - self.hits)
        rest = sorted((span, side) for side, spans in enumerate(sides) for span in spans)
        edges = np.array([span[:2] for span, _ in rest], dtype=np.int64).reshape(-1, 2)
        contests: dict[int, tuple[list[Span], list[Span]]] = {}
        for number, (span, side) in zip(groups(*edges.T).tolist(), rest):
            contests.setdefault(number, ([], []))[side].append(Span._make(span))
        return [Contest(gold, pred) for gold, pred in contests.values()]

    def covered(self, span: tuple[int, int, str]) -> tuple[int, int]:
        """The range of reference tokens that share a character with the span.

        Raises ValueError if the document has no tokens.

        >>> doc = Document([], [], "U.K. wins", tokens=[(0, 4), (5, 9)])
        >>> doc.covered(Span(2, 6, "GPE")), doc.covered(Span(4, 5, "GPE"))
        ((0, 2), (1, 1))
        """
        if self._token_edges is None:
            raise ValueError(
                "this document has no tokens (plain offsets and JSONL carry none, unless they list "
                "them under 'tokens'); score characters instead, or read a .spacy file"
            )
        return self._range(*self._token_edges, span)

    @staticmethod
    def _range(starts: list[int], ends: list[int], span: tuple[int, int, str]) -> tuple[int, int]:
        """The range of those stretches, which do not overlap, that share a character with the span."""
        start, end, _ = span
        first = bisect_right(ends, start)
        return first, bisect_left(starts, end, lo=first) if start < end else first

    @cached_property
    def words(self) -> list[tuple[int, int]]:
        """The places of the words of the text: the reference tokens, or else what
        stands between white space; white space is no word.

        >>> Document([], [], "Ada sleeps").words
        [(0, 3), (4, 10)]
        """
        if self.text is None:
            raise ValueError("words need the text: Document(gold=..., pred=..., text=...)")
        if self.tokens is None:
            return [match.span() for match in finditer(r"\S+", self.text)]
        return [(start, end) for start, end in self.tokens if self.text[start:end].strip()]

    def words_of(self, span: tuple[int, int, str]) -> list[str]:
        """The words that share a character with a span, clipped to it, as they are written.

        >>> Document([], [], "The Scroll tip").words_of((1, 10, "X"))
        ['he', 'Scroll']
        """
        text = self.text or ""
        return [text[max(a, span[0]) : min(b, span[1])] for a, b in self.words[slice(*self.word_range(span))]]

    def word_range(self, span: tuple[int, int, str]) -> tuple[int, int]:
        """The range of `words` that share a character with a span."""
        return self._range(*self._word_edges, span)

    @cached_property
    def _word_edges(self) -> tuple[list[int], list[int]]:
        return [start for start, _ in self.words], [end for _, end in self.words]

    @cached_property
    def _token_edges(self) -> tuple[list[int], list[int]] | None:
        """The starts and the ends of the tokens, both ascending."""
        return None if self.tokens is None else ([start for start, _ in self.tokens], [end for _, end in self.tokens])

    def unigrams(
        self, spans: Iterable[tuple[int, int, str]], *, case: str = "lower", by: str = "token"
    ) -> Iterator[Sequence[Hashable]]:
        """The words of each span: the reference tokens it touches, clipped to it.

        White space is no word. Without tokens, or with `by="whitespace"`, the
        span's text is split at white space. `case="lower"` folds case,
        `"keep"` does not.

        >>> doc = Document([], [], "The Scroll tip", tokens=[(0, 3), (4, 10), (11, 14)])
        >>> [*doc.unigrams([(1, 10, "X"), (11, 14, "X")])]
        [['he', 'scroll'], ['tip']]
        """
        if (text := self.text) is None:
            raise ValueError("words need the text: Document(gold=..., pred=..., text=...)")
        fold = str.lower if case == "lower" else str
        if self.tokens is None or by == "whitespace":
            for start, end, _ in spans:
                yield fold(text[start:end]).split()
            return
        for start, end, label in spans:
            touched = self.tokens[slice(*self.covered((start, end, label)))]
            clipped = (text[max(a, start) : min(b, end)] for a, b in touched)
            yield [fold(word) for word in clipped if word.strip()]


def _checked_tokens(tokens: Iterable[tuple[int, int]], length: int | None) -> list[tuple[int, int]]:
    found = sorted(checked_span("token", (*token, "token"), length)[:2] for token in tokens)
    for (_, end), (start, _) in zip(found, found[1:]):
        if start < end:
            raise ValueError(f"tokens overlap: one ends at {end}, the next begins at {start}")
    return found


def checked_spans(side: str, spans: Iterable[Sequence[Any]], length: int | None) -> list[tuple[int, int, str]]:
    """The spans in plain Python, each once. Raises ValueError, saying what is wrong with the first that is none."""
    spans, most = [*spans], FARTHEST if length is None else length
    found: dict[tuple[int, int, str], None] = {}
    try:
        for start, end, label in spans:
            # Almost all are plain and right, which is seen here without a call.
            plain = start.__class__ is end.__class__ is int and label.__class__ is str and label
            if not (plain and 0 <= start <= end <= most):
                raise ValueError
            found[start, end, label] = None
    except (TypeError, ValueError):
        found = dict.fromkeys(checked_span(side, span, length) for span in spans)
    return [*found]


def checked_span(side: str, span: Sequence[Any], length: int | None) -> tuple[int, int, str]:
    """The span in plain Python. Raises ValueError, saying what is wrong with it."""
    try:
        start, end, label = span
        if isinstance(start, bool) or isinstance(end, bool):
            raise TypeError
        start, end = index(start), index(end)
    except (TypeError, ValueError):
        raise ValueError(f"{side} span {span!r} is not (start, end, label) with whole-number offsets") from None
    if 0 <= start <= end <= (FARTHEST if length is None else length) and isinstance(label, str) and label:
        return start, end, label
    shown = f"{side} Span({start!r}, {end!r}, {label!r})"
    if start < 0:
        raise ValueError(f"{shown} starts before the text")
    if end < start:
        raise ValueError(f"{shown} ends before it starts")
    if length is None and end > FARTHEST:
        raise ValueError(f"{shown} ends behind character {FARTHEST}, which no text has")
    if length is not None and end > length:
        raise ValueError(f"{shown} ends after the text, which has {length} characters")
    raise ValueError(f"{shown} has no label: a non-empty string was wanted")
