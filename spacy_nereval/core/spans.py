"""Spans, documents, and groups of spans that overlap.

Plain Python, without spaCy objects. Offsets are half-open and count characters of the
reference text, everywhere in the package.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from re import finditer
from typing import Any, NamedTuple

from .alignment import align, align_crowd
from .attribute_values import SpanAttributes, attributes_of
from .document_fields import document_id
from .edges import EdgeCounter
from .labels import LabelRules
from .messages import PlainSpan, shorten, validate_spans, validate_tokens
from .overlapping import chains, number_of_overlaps, overlaps
from .pieces import (
    Boundaries,
    Pieces,
    any_gaps,
    has_gaps,
    hull,
    join_pieces,
    pieces_of,
    shared_characters,
    size,
    sorted_spans,
)


class Span(NamedTuple):
    """A labelled stretch of text, `text[start:end]`, or several stretches if it has gaps.

    Touching spans do not overlap, and a span of length zero overlaps nothing. Two spans are equal if their labels
    and pieces are.

    >>> Span(0, 5, "PER").overlaps(Span(4, 9, "LOC")), Span(0, 5, "PER").overlaps(Span(5, 9, "PER"))
    (True, False)
    >>> pain = Span.of_pieces([(0, 4), (15, 24)], "SIGN")
    >>> pain.start, pain.pieces, pain.size, pain.overlaps(Span(5, 14, "SIGN")), pain == Span(0, 24, "SIGN")
    (0, ((0, 4), (15, 24)), 13, False, False)
    """

    start: int
    end: int
    label: str

    def overlaps(self, other: Span) -> bool:
        """Return whether this span and the `other` share at least one character."""
        return shared_characters(self, other) > 0

    @classmethod
    def of_pieces(cls, pieces: Iterable[tuple[int, int]], label: str) -> Span:
        """Return the span of pieces, which are (start, end). Raise ValueError if one is empty, or two overlap."""
        return cls(*join_pieces(pieces), label)

    @property
    def pieces(self) -> Pieces:
        """The (start, end) of each piece; one piece if the span has no gaps."""
        return pieces_of(self)

    @property
    def size(self) -> int:
        """The number of characters, without those in gaps."""
        return size(self)


SIDES = ("left", "right", "both", "neither")
"""Which boundary of a prediction can be that of the gold span."""


def correct_boundary(gold: Span, pred: Span) -> str:
    """Return which boundary of a prediction is that of the gold span, one of `SIDES`.

    Only spans with gaps can differ and have both boundaries in common.

    >>> correct_boundary(Span(0, 9, "A"), Span(0, 4, "A")), correct_boundary(Span(0, 9, "A"), Span(3, 5, "A"))
    ('left', 'neither')
    >>> correct_boundary(Span.of_pieces([(0, 2), (5, 9)], "A"), Span(0, 9, "A"))
    'both'
    """
    (start, end), (other_start, other_end) = hull(gold), hull(pred)
    if start == other_start:
        return "both" if end == other_end else "left"
    return "right" if end == other_end else "neither"


CROWDED = 1_000_000
"""With more overlapping pairs than this, it is open which of several equally good alignments is computed."""

MATRIX = 30_000
"""With more pairs than this, most of which overlap, an alignment is computed by `align_crowd`."""


class OverlapGroup:
    """Gold and predicted spans that must be judged together, since they are connected by overlap.

    `gold` and `pred` are sorted by (start, end, label), without duplicates. Groups have no
    hits; only a whole `Document` may have spans on both sides. Values that several metrics
    need are computed once.

    >>> OverlapGroup([Span(0, 9, "A")], [Span(0, 4, "A"), Span(6, 9, "B")]).overlaps
    [(0, 0, 4), (0, 1, 3)]
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
        if (pairs := len(self.gold) * len(self.pred)) > MATRIX:
            number = number_of_overlaps(self.gold, self.pred)
            if number > min(CROWDED, pairs / 4):
                return align_crowd(self.gold, self.pred, leftmost=number <= CROWDED)
        return align(self.gold, self.pred, self.overlaps)


LATER_ON_READING = ("trimmed", "joined", "filled", "unnamed")
"""Those of the numbers in `ON_READING` that results have only if they are not 0, since they need an option."""

ON_READING = ("ignored", "repaired", "duplicates", "rejected", "merged", *LATER_ON_READING)
"""The numbers of changed or omitted spans, counted when a document is read. They add up; results show them."""


class NoTokens(ValueError):
    """A document has no tokens, and a metric counts them."""


class Document(OverlapGroup):
    """One text with its gold and its predicted spans.

    Args:
        gold, pred: Spans as (start, end, label), in any order; duplicates are dropped.
        text: The text; without it words cannot be looked up.
        tokens: The reference tokens as (start, end), for metrics that count tokens.
        id: The name of the document in reports.

    Attributes:
        sides: Gold and predicted spans as plain tuples, in the given order.
        ignored: Predictions skipped because they overlap text without gold annotation.
        repaired: Spans with tags that were repaired on reading.
        duplicates: Repeated spans within one side, the first of each not counted.
        rejected: Spans that an annotator rejected, on an annotated text.
        merged: Spans that label rules made equal to another one of their side.
        trimmed: Spans with trimmed edges.
        joined: Spans that became part of the one before.
        filled: Tokens that predictions lack, which are read as outside of spans.
        unnamed: Spans without the attribute that label rules made their label.
        label_rules: The rules that changed labels; None if there were none.
        mapped: The labels of the mapping in `label_rules` that occurred.
        unkept: The number of spans that `only` in `label_rules` dropped, by ("gold" or "pred", label).
        annex: The end of the original text, if an annex of invented mentions follows it; None without an annex.
        surfaces: Per side, the listed strings of mentions by their (start, end).
        mentions: Numbers of mentions by outcome (see `mention_places.NUMBERS`); empty without mentions.
        located: The options that located the mentions, such as "listed,caseless".
        span_scores: The scores of predicted spans as they were given, unchecked; empty without scores.
        attributes: Per side, the attributes of the spans that have some (see `core.attribute_values`).
        cut: The digest of the cuts that predictions had to reach; None if all predictions are kept.
        notes: Notes on how a side was read, as ("gold" or "pred", sentence).
        unit: The key of its unit of resampling; None if its id is the key.
        unit_rule: The rule that assigned the key (see `io.units`).
        meta: The metadata of the gold side, such as {"source": "web"}; None without any.

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
    merged: int = 0
    trimmed: int = 0
    joined: int = 0
    filled: int = 0
    unnamed: int = 0
    label_rules: LabelRules | None = None
    mapped: frozenset[str] = frozenset()
    unkept: Mapping[tuple[str, str], int] = {}  # noqa: RUF012  # replaced, never changed
    annex: int | None = None
    surfaces: tuple[Mapping[tuple[int, int], str], Mapping[tuple[int, int], str]] = ({}, {})
    mentions: Mapping[str, int] = {}  # noqa: RUF012  # replaced, never changed
    located: str = ""
    span_scores: Mapping[PlainSpan, Any] = {}  # noqa: RUF012  # replaced, never changed
    attributes: tuple[SpanAttributes, SpanAttributes] = ({}, {})
    cut: str | None = None
    notes: frozenset[tuple[str, str]] = frozenset()
    unit: str | None = None
    unit_rule: str = "id"
    meta: Mapping[str, Any] | None = None

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
        gold, pred = [*gold], [*pred]
        listed = len(gold) + len(pred)
        self.sides: tuple[list[PlainSpan], list[PlainSpan]] = (
            validate_spans("gold", gold, length),
            validate_spans("predicted", pred, length),
        )
        if text is not None and any_gaps(*self.sides):  # pieces with white space alone between them are one
            gold, pred = ([(*join_pieces(pieces_of(span), text), span[2]) for span in side] for side in self.sides)
            self.sides = [*dict.fromkeys(gold)], [*dict.fromkeys(pred)]
        self.duplicates = listed - sum(map(len, self.sides))
        self.id: str | None = document_id(id)
        self.text = text
        self.tokens: list[tuple[int, int]] | None = None if tokens is None else validate_tokens(tokens, length)

    def __repr__(self) -> str:
        return f"Document(gold={list(self.gold)}, pred={list(self.pred)})"

    def replaced(self, gold: list[PlainSpan], pred: list[PlainSpan], text: str | None) -> Document:
        """Return a copy with other `gold` and `pred`, which are not validated or deduplicated, and another `text`."""
        document = object.__new__(type(self))
        document.__dict__.update(vars(self))
        for name in vars(self).keys() & _cache_names():
            del document.__dict__[name]
        document.sides, document.text = (gold, pred), text
        return document

    def relabelled(self, rules: LabelRules) -> Document:
        """Return the same document with new labels and edges; `merged` counts spans that new labels made equal."""
        scores: Sequence[Mapping[PlainSpan, Any]] = ({}, self.span_scores)
        sides = [
            rules.apply(*side) for side in zip(self.sides, (self.own_text, self.own_text), scores, self.attributes)
        ]
        document = self.replaced(sides[0].spans, sides[1].spans, self.text)
        document.merged += sum(side.merged for side in sides)
        document.trimmed += sum(side.trimmed for side in sides)
        document.joined += sum(side.joined for side in sides)
        document.unnamed += sum(side.unnamed for side in sides)
        document.duplicates += sum(side.equal + side.repeats for side in sides)
        document.label_rules = rules
        document.span_scores = sides[1].scores
        document.attributes = sides[0].attributes, sides[1].attributes
        document.mapped = frozenset({label for side in sides for label in side.labels} & rules.mapping.keys())
        document.unkept = rules.count_unkept(*(side.labels for side in sides))
        return document

    def attributes_of(self, side: int, span: PlainSpan) -> dict[str, str]:
        """Return the attributes of a gold (0) or predicted (1) span by name."""
        return attributes_of(self.attributes[side], span)

    def add_signs(self, counter: EdgeCounter) -> None:
        """Add how the sides were read, and their spans with odd edges, to a counter."""
        counter.add(dict(zip(("gold", "pred"), self.sides)), self.own_text, self.notes)

    @property
    def size(self) -> int:
        """A rough measure of the memory that the document takes: its number of spans and tokens."""
        return sum(map(len, self.sides)) + (len(self.tokens) if self.tokens else len(self.text or "") // 8)

    @property
    def own_text(self) -> str | None:
        """The text without its annex of invented mentions."""
        return self.text if self.text is None else self.text[: self.annex]

    def is_invented(self, span: PlainSpan) -> bool:
        """Return whether a span is a mention that the text does not have."""
        return self.annex is not None and span[0] > self.annex

    @property
    def own_words(self) -> list[tuple[int, int]]:
        """The `words` of `own_text`."""
        return self.words if self.annex is None else [word for word in self.words if word[1] <= self.annex]

    @cached_property
    def gold(self) -> tuple[Span, ...]:  # type: ignore[override]  # lazy here, plain in OverlapGroup
        """The gold spans, sorted, without duplicates."""
        return tuple(map(Span._make, sorted_spans(self.sides[0])))

    @cached_property
    def pred(self) -> tuple[Span, ...]:  # type: ignore[override]  # lazy here, plain in OverlapGroup
        """The predicted spans, sorted, without duplicates."""
        return tuple(map(Span._make, sorted_spans(self.sides[1])))

    @cached_property
    def hits(self) -> set[PlainSpan]:
        """The spans that gold and prediction share."""
        return {*self.sides[0]} & {*self.sides[1]}

    @property
    def partners(self) -> Counter[tuple[str, str]]:
        """The number of gold spans with the boundaries of a prediction, but another label; see `label_partners`."""
        gold, pred = self.sides
        wrong = (span for span in pred if span not in self.hits)
        return label_partners(*(((span[:2], span[2]) for span in side) for side in (gold, wrong)))

    @cached_property
    def overlap_groups(self) -> list[OverlapGroup]:
        """All spans except hits, in groups that share no character with each other, so that
        each can be judged alone. A group with only one side consists of misses or spurious spans."""
        gold, pred = map(set, self.sides)
        unmatched = sorted_spans([*((*span, 0) for span in gold - pred), *((*span, 1) for span in pred - gold)])
        groups = []
        for chain in chains(unmatched):
            sides: tuple[list[Span], list[Span]] = [], []
            for start, end, label, side in chain:
                sides[side].append(Span(start, end, label))
            groups.append(OverlapGroup(*sides))
        return groups

    def covered_tokens(self, span: PlainSpan) -> tuple[int, int]:
        """Return (first, last + 1): the indices of the reference tokens that share a character with the span.

        If there are tokens in its gaps, the second number knows the pieces (see `core.pieces`).

        Raises:
            ValueError: The document has no tokens.

        >>> doc = Document([], [], "U.K. wins", tokens=[(0, 4), (5, 9)])
        >>> doc.covered_tokens(Span(2, 6, "GPE")), doc.covered_tokens(Span(4, 5, "GPE"))
        ((0, 2), (1, 1))
        """
        return _touching_range(*self._token_edges, span)

    @property
    def known_tokens(self) -> list[tuple[int, int]]:
        """The reference tokens. Raise ValueError, with the remedy, if the document has none."""
        if self.tokens is None:
            raise NoTokens(
                f"{self._display_name} has no tokens (plain offsets and JSONL carry none, unless they list them under "
                "'tokens'); use the metric char instead, or the unit char of fair, or read a .spacy file"
            )
        return self.tokens

    def known_text(self, what: str) -> str:
        """Return the text.

        Args:
            what: The plural noun of the things that need the text, for the message.

        Raises:
            ValueError: The document has no text.

        >>> Document([], [], id="d7").known_text("words")
        Traceback (most recent call last):
        ValueError: words need the text, and document d7 has none: give every document its text
        """
        if self.text is None:
            raise ValueError(f"{what} need the text, and {self._display_name} has none: give every document its text")
        return self.text

    @property
    def _display_name(self) -> str:
        return "this document" if self.id is None else f"document {shorten(self.id)}"

    @cached_property
    def words(self) -> list[tuple[int, int]]:
        """The (start, end) of each word: the reference tokens except white space, or without tokens the pieces
        between white space. Raise ValueError if there is no text.

        >>> Document([], [], "Ada sleeps").words
        [(0, 3), (4, 10)]
        """
        text = self.known_text("words")
        if self.tokens is None:
            return [match.span() for match in finditer(r"\S+", text)]
        return [(start, end) for start, end in self.tokens if text[start:end].strip()]

    def words_of(self, span: PlainSpan) -> list[str]:
        """Return the words that share a character with the span, clipped to it or its pieces, case kept.

        >>> Document([], [], "The Scroll tip").words_of((1, 10, "X"))
        ['he', 'Scroll']
        """
        text = self.text or ""
        return [
            text[max(a, start) : min(b, end)]
            for start, end in pieces_of(span)
            for a, b in self.words[slice(*_touching_range(*self._word_edges, (start, end)))]
        ]

    def word_range(self, span: PlainSpan) -> tuple[int, int]:
        """Return (first, last + 1): the indices of the `words` that share a character with the span.

        If there are words in its gaps, the second number knows the pieces (see `core.pieces`).
        """
        return _touching_range(*self._word_edges, span)

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
        """Yield the words of each of the `spans`: the reference tokens it touches, clipped to it.

        White space is not a word. Without tokens, or with `by="whitespace"`, the text of
        the span is split at white space. `case="lower"` folds case, `"keep"` does not.

        Raises:
            ValueError: The document has no text.

        >>> doc = Document([], [], "The Scroll tip", tokens=[(0, 3), (4, 10), (11, 14)])
        >>> [*doc.unigrams([(1, 10, "X"), (11, 14, "X")])]
        [['he', 'scroll'], ['tip']]
        """
        text = self.known_text("words")
        fold = str.lower if case == "lower" else str

        def words_between(start: int, end: int) -> list[str]:
            if self.tokens is None or by == "whitespace":
                return fold(text[start:end]).split()
            tokens = self.tokens[slice(*_touching_range(*self._token_edges, (start, end)))]
            clipped = (text[max(a, start) : min(b, end)] for a, b in tokens)
            return [fold(word) for word in clipped if word.strip()]

        for start, end, label in spans:
            if end.__class__ is int:
                yield words_between(start, end)
            else:
                yield [word for piece in pieces_of((start, end, label)) for word in words_between(*piece)]


@cache
def _cache_names() -> frozenset[str]:
    """Return the names of the cached properties, which a document with other spans must not inherit."""
    return frozenset(name for name in dir(Document) if isinstance(getattr(Document, name), cached_property))


def _touching_range(starts: list[int], ends: list[int], span: Boundaries) -> tuple[int, int]:
    """Return (first, last + 1): the indices of the sorted, disjoint ranges that share a character with the span."""
    start, end = span[:2]
    if end.__class__ is not int and has_gaps(span):
        touched = {k for piece in pieces_of(span) for k in range(*_touching_range(starts, ends, piece))}
        return join_pieces([(k, k + 1) for k in touched]) if touched else (first := bisect_right(ends, start), first)
    first = bisect_right(ends, start)
    return first, bisect_left(starts, end, lo=first) if start < end else first


def by_label(document: OverlapGroup, typed: bool = True) -> Iterator[OverlapGroup]:
    """Yield a group of the spans of each label, or one of all spans if not `typed`.

    Args:
        document: The spans.
        typed: Whether to group by label.

    Yields:
        Groups, by label in ascending order; their sides stay sorted.

    >>> doc = OverlapGroup([Span(0, 5, "B"), Span(7, 9, "A")], [Span(0, 5, "A")])
    >>> [(len(group.gold), len(group.pred)) for group in by_label(doc)]
    [(1, 1), (1, 0)]
    """
    if not typed:
        yield document
        return
    sides: dict[str, tuple[list[Span], list[Span]]] = {}
    for side, spans in enumerate((document.gold, document.pred)):
        for span in spans:
            sides.setdefault(span.label, ([], []))[side].append(span)
    yield from (OverlapGroup(*sides[label]) for label in sorted(sides))


def label_partners(
    gold: Iterable[tuple[Hashable, str]], pred: Iterable[tuple[Hashable, str]]
) -> Counter[tuple[str, str]]:
    """Count the gold spans with the boundaries of a prediction, but another label, as (predicted label, gold label).

    Args:
        gold: Boundaries and label of each gold span.
        pred: Boundaries and label of each prediction that is not a hit.

    >>> label_partners([("0 to 3", "PER")], [("0 to 3", "PERSON"), ("4 to 7", "PERSON")])
    Counter({('PERSON', 'PER'): 1})
    """
    labels_at: dict[Hashable, list[str]] = {}
    for place, label in pred:
        labels_at.setdefault(place, []).append(label)
    return Counter((predicted, label) for place, label in gold for predicted in labels_at.get(place, ()))


def relabel(documents: Iterable[Document | None], rules: LabelRules | None) -> Iterator[Document | None]:
    """Yield copies of the documents with the labels changed by the rules; the originals stay as they are.

    Args:
        documents: Documents; None is one without annotation.
        rules: The label rules; None yields the documents unchanged.

    >>> rules = LabelRules(labels=(("FAC", "ORG"),))
    >>> (document,) = relabel([Document([(0, 3, "ORG"), (0, 3, "FAC")], [(4, 5, "FAC")])], rules)
    >>> document.sides, document.merged
    (([(0, 3, 'ORG')], [(4, 5, 'ORG')]), 1)
    """
    if rules is None:
        yield from documents
        return
    for document in documents:
        yield document and document.relabelled(rules)
