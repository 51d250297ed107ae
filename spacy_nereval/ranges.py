"""Documents whose spans are ranges of tokens, read from many Docs at once.

Where two Docs have the same tokens, and the gold one is annotated throughout,
tokens are as good as characters, and all that is asked of the Docs are arrays.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from operator import attrgetter

import numpy as np
from spacy.attrs import ENT_IOB, ENT_TYPE, IS_SPACE, LOWER, ORTH, SPACY
from spacy.strings import get_string_id
from spacy.tokens import Doc

from .settling import GOLD, PRED, Batch
from .spans import Document, Span

TOKEN = [ORTH, SPACY, ENT_IOB, ENT_TYPE]
"""What is read of each token: the text, and which entity it belongs to."""

INSIDE, BEGIN = 1, 3
"""Values of `ENT_IOB`; 2 is outside, and 0 is not annotated."""


class TokenBatch(Batch):
    """Documents whose spans are ranges of tokens."""

    def __init__(self, documents: Sequence[TokenDocument]) -> None:
        self.documents = documents
        self._tables = []  # what was read together, and which rows of it are of these documents
        sizes, columns = [], []
        names: list[str] = []
        for together, some in groupby(documents, key=attrgetter("together")):
            place = np.array([document.place for document in some])
            first, last = together.first[place], together.first[place + 1]
            rows = _ranges(first, last)
            self._tables.append((together, rows))
            sizes.append(last - first)
            columns.append(together.table[rows] + [0, 0, 0, len(names)])
            names += together.labels
        self.doc = np.repeat(np.arange(len(documents)), np.concatenate(sizes))
        self.side, self.start, self.end, label = np.concatenate(columns).T
        self.labels = sorted({names[k] for k in np.flatnonzero(np.bincount(label, minlength=len(names)))})
        number = {name: k for k, name in enumerate(self.labels)}
        self.label = np.array([number.get(name, -1) for name in names], dtype=np.int64)[label]

    def span(self, doc: int, start: int, end: int, label: int) -> Span:
        return self.documents[doc].span(start, end, self.labels[label])

    @cached_property
    def spans(self) -> Sequence[tuple[int, int, str]]:  # type: ignore[override]  # lazy here, plain in Batch
        columns = (self.doc, self.start, self.end, self.label)
        return [self.span(*row) for row in zip(*(column.tolist() for column in columns))]

    def words(self, *, case: str, by: str) -> tuple[np.ndarray, np.ndarray]:
        if by != "token" or not all(together.has_lower for together, _ in self._tables):
            return super().words(case=case, by=by)
        once = np.split(self.once, np.cumsum([len(rows) for _, rows in self._tables])[:-1])
        found = [together.words(rows[new], case) for (together, rows), new in zip(self._tables, once)]
        sizes, words = (np.concatenate(column) for column in zip(*found))
        return sizes, words


class TokenDocument(Document):
    """A document over two Docs with the same tokens, the gold one annotated throughout.

    Its spans are ranges of tokens, and its words the ids of the vocabulary's
    strings. Characters, text and tokens are not looked up unless somebody asks:
    most of the time of reading would go there.
    """

    batch = TokenBatch

    def __init__(self, together: Together, place: int) -> None:
        self.together, self.place = together, place
        self._reference = together.references[place]
        self.id = id_of(self._reference)
        self.size = len(self._reference)

    def span(self, start: int, end: int, label: str) -> Span:
        if start == end:
            at = self._reference[start:end].start_char
            return Span(at, at, label)
        first, last = self._reference[start], self._reference[end - 1]
        return Span(first.idx, last.idx + len(last), label)

    @cached_property
    def _tokens_of(self) -> tuple[dict[tuple[int, int, str], tuple[int, int]], ...]:
        """The range of tokens of each gold and of each predicted span."""
        sides: tuple[dict, dict] = ({}, {})
        rows = slice(*self.together.first[self.place : self.place + 2].tolist())
        for side, start, end, label in self.together.table[rows].tolist():
            sides[side][tuple(self.span(start, end, self.together.labels[label]))] = (start, end)
        return sides

    @cached_property
    def given(self) -> tuple[list[tuple[int, int, str]], ...]:  # type: ignore[override]  # lazy here, plain in Document
        return tuple([*spans] for spans in self._tokens_of)

    @cached_property
    def text(self) -> str:  # type: ignore[override]  # likewise
        return self._reference.text

    @cached_property
    def tokens(self) -> list[tuple[int, int]]:  # type: ignore[override]  # likewise
        return tokens_of(self._reference)

    @cached_property
    def _words(self) -> dict[str, list[int]]:
        return {case: _token_ids(self._reference, case).tolist() for case in ("lower", "keep")}

    def unigrams(
        self, spans: Iterable[tuple[int, int, str]], *, case: str = "lower", by: str = "token"
    ) -> Iterator[Sequence[Hashable]]:
        for span in spans:
            tokens = self._tokens_of[0].get(span) or self._tokens_of[1].get(span)
            if by == "token" and tokens and self.together.has_lower:
                yield [word for word in self._words[case][slice(*tokens)] if word]
            else:  # words between white space, or cut by the span's ends, are no tokens: they are hashed here
                for words in super().unigrams([span], case=case, by=by):
                    yield [get_string_id(str(word)) for word in words]


class Together:
    """Documents of one vocabulary that were read together, their spans as ranges of tokens.

    The `table`, int64[spans, 4], has side, first token, token behind the last,
    and place in `labels`; the spans of a document are `table[first[k] : first[k + 1]]`.
    `orth` has the tokens of all spans, one span after the other.
    """

    def __init__(
        self, references: Sequence[Doc], labels: list[str], table: np.ndarray, first: np.ndarray, orth: np.ndarray
    ) -> None:
        self.references = references
        self.labels = labels
        self.table = table
        self.first = first
        self.orth = orth
        self.vocab = references[0].vocab

    @property
    def has_lower(self) -> bool:
        """A bare Vocab() knows no lower case: all its words would look alike."""
        return LOWER in getattr(self.vocab, "lex_attr_getters", ())

    def words(self, rows: np.ndarray, case: str) -> tuple[np.ndarray, np.ndarray]:
        """How many words these spans have, and their numbers, which are equal where words are."""
        sizes = self.table[:, 2] - self.table[:, 1]
        last = np.cumsum(sizes)[rows]
        sizes = sizes[rows]
        orth = self.orth[_ranges(last - sizes, last)]
        kinds = np.unique(orth)
        lexemes = [self.vocab[kind] for kind in kinds.tolist()]
        ids = [0 if lexeme.is_space else lexeme.lower if case == "lower" else lexeme.orth for lexeme in lexemes]
        _, number = np.unique(np.array([0, *ids], dtype=np.uint64), return_inverse=True)
        words = number[1:][np.searchsorted(kinds, orth)]
        span = np.repeat(np.arange(len(rows)), sizes)
        return np.bincount(span[words > 0], minlength=len(rows)), words[words > 0]


def _token_ids(doc: Doc, case: str) -> np.ndarray:
    """The tokens as ids of the vocabulary's strings, 0 for white space."""
    ids, space = doc.to_array([LOWER if case == "lower" else ORTH, IS_SPACE]).T
    return np.where(space, 0, ids)


def entities(pairs: Sequence[tuple[Doc, Doc]]) -> list[TokenDocument | None]:
    """The entities of pairs of Docs of one vocabulary.

    None stands for a pair whose tokens differ, whose reference is not annotated
    throughout, or in which an entity goes on that never began, which spaCy
    refuses.
    """
    read = [(reference.to_array(TOKEN), predicted.to_array(TOKEN)) for reference, predicted in pairs]
    left_out = {k for k, (gold, pred) in enumerate(read) if len(gold) != len(pred)}
    for k in left_out:
        read[k] = read[k][GOLD][:0], read[k][PRED][:0]
    first = np.cumsum([0, *(len(gold) for gold, _ in read)])
    gold, pred = map(np.concatenate, zip(*read))
    unfit = [np.flatnonzero((gold[:, 0] != pred[:, 0]) | (gold[:, 1] != pred[:, 1]) | (gold[:, 2] == 0))]
    found = []
    for tokens in (gold, pred):
        start, end, unbegun = _stretches(tokens[:, 2].astype(np.uint8), first)
        named = tokens[start, 3] != 0  # an entity without a label is a token that can be in none
        unfit += [unbegun, start[~named & (end - start > 1)]]
        found.append((start[named], end[named]))
    start, end = map(np.concatenate, zip(*found))
    side = np.repeat((GOLD, PRED), [len(starts) for starts, _ in found])
    place = np.searchsorted(first, start, side="right") - 1
    kind = np.where(side == GOLD, gold[start, 3], pred[start, 3])
    kinds = np.unique(kind)
    some = [int(np.argmax(kind == each)) for each in kinds]  # a span of each kind, whose Doc knows its name
    labels = [pairs[place[k]][side[k]].vocab.strings[int(kind[k])] for k in some]
    order = np.argsort(place, kind="stable")
    start, end, side, place, kind = (column[order] for column in (start, end, side, place, kind))
    table = np.column_stack([side, start - first[place], end - first[place], np.searchsorted(kinds, kind)])
    rows = np.searchsorted(place, np.arange(len(pairs) + 1))
    together = Together([reference for reference, _ in pairs], labels, table, rows, gold[_ranges(start, end), 0])
    left_out.update((np.searchsorted(first, np.concatenate(unfit), side="right") - 1).tolist())
    return [None if k in left_out else TokenDocument(together, k) for k in range(len(pairs))]


def _stretches(iob: np.ndarray, first: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where entities start and end, given where each Doc has its first token; and
    the tokens inside an entity that never began.

    >>> [found.tolist() for found in _stretches(np.array([2, 3, 1, 3, 2]), np.array([0, 5]))]
    [[1, 3], [3, 4], []]
    >>> _stretches(np.array([2, 1, 2, 3, 1]), np.array([0, 4, 5]))[2].tolist()
    [1, 4]
    """
    opening = np.zeros(len(iob) + 1, dtype=bool)
    opening[first] = True
    tokens = np.flatnonzero((iob == BEGIN) | (iob == INSIDE))
    begun = iob[tokens] == BEGIN
    places = np.append(np.flatnonzero(begun), len(tokens))
    unbegun = ~begun & ((np.diff(tokens, prepend=-2) > 1) | opening[tokens])
    return tokens[places[:-1]], tokens[places[1:] - 1] + 1, tokens[unbegun]


def group(reference: Doc, predicted: Doc, key: str) -> TokenDocument:
    """The spans under a key of two Docs with the same tokens."""
    sides = [spans_of(doc, key) for doc in (reference, predicted)]
    labels = sorted({label for side in sides for _, _, label in side})
    rows = [(k, *side[span], labels.index(span[2])) for k, side in enumerate(sides) for span in side]
    table = np.array(rows, dtype=np.int64).reshape(-1, 4)
    orth = reference.to_array([ORTH])[_ranges(table[:, 1], table[:, 2])]
    return TokenDocument(Together([reference], labels, table, np.array([0, len(table)]), orth), 0)


def same_tokens(reference: Doc, predicted: Doc) -> bool:
    """Whether two Docs have the same tokens and white space."""
    return np.array_equal(reference.to_array([ORTH, SPACY]), predicted.to_array([ORTH, SPACY]))


def _ranges(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Every place from each start to each end.

    >>> _ranges(np.array([3, 0]), np.array([5, 1]))
    array([3, 4, 0])
    """
    sizes = end - start
    return np.arange(sizes.sum()) + np.repeat(start - np.cumsum(sizes) + sizes, sizes)


def spans_of(doc: Doc, key: str | None) -> dict[tuple[int, int, str], tuple[int, int]]:
    """Each span, and the range of its tokens."""
    if key is None:
        spans = doc.ents
    elif key in doc.spans:
        spans = doc.spans[key]
    else:
        return {}
    found = {(span.start_char, span.end_char, span.label_): (span.start, span.end) for span in spans}
    if key and any(not label for _, _, label in found):
        raise ValueError(f"doc.spans[{key!r}] has a span without a label")
    return found


def tokens_of(doc: Doc) -> list[tuple[int, int]]:
    return [(token.idx, token.idx + len(token)) for token in doc]


def id_of(doc: Doc) -> str | None:
    id = doc.user_data.get("id")
    return None if id is None else str(id)
