"""Documents whose spans are ranges of tokens, read from many Docs at once.

Where two Docs have the same tokens, and the gold one is annotated throughout,
tokens are as good as characters, and all that is asked of the Docs are arrays.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from io import BytesIO
from typing import Any

import numpy as np
from spacy.attrs import ENT_IOB, ENT_TYPE, IS_SPACE, LOWER, ORTH, SPACY
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ..core.spans import Document, Span
from ..counting.batch import GOLD, PRED, Batch

TOKEN = [ORTH, SPACY, ENT_IOB, ENT_TYPE]
"""What is read of each token: the text, and which entity it belongs to."""

INSIDE, BEGIN = 1, 3
"""Values of `ENT_IOB`; 2 is outside, and 0 is not annotated."""


class TokenBatch(Batch):
    """Documents over Docs of one vocabulary, each over two with the same tokens, the gold
    one annotated throughout.

    Starts and ends are those of tokens. The `table`, int64[spans, 5], is sorted by
    document and has document, side, first token, token behind the last, and place in
    `names`; `orth` has the tokens of all spans, one span after the other. Some of the
    pairs that were read may be `left_out`, by their places.
    """

    ignored = repaired = skipped = 0

    def __init__(
        self,
        references: Sequence[Doc],
        names: Sequence[str],
        table: np.ndarray,
        orth: np.ndarray,
        left_out: Collection[int] = (),
    ) -> None:
        self.references = references
        self.left_out = left_out
        self.doc, self.side, self.start, self.end, label = table.T
        self.labels = sorted(names)
        self.label = np.array([self.labels.index(name) for name in names], dtype=np.int64)[label]
        self.orth = orth

    def __len__(self) -> int:
        return len(self.references)

    def __iter__(self) -> Iterator[TokenDocument]:
        """New ones each time: if they were kept here, Docs would live until cycles are searched for."""
        return (TokenDocument(self, place) for place in range(len(self)))

    def each(self) -> Iterator[TokenDocument | None]:
        """The documents in their places, and None for each pair that was left out."""
        documents = iter(self)
        return (None if k in self.left_out else next(documents) for k in range(len(self) + len(self.left_out)))

    @cached_property
    def ids(self) -> list[str | None]:
        return [*map(id_of, self.references)]

    @cached_property
    def spans(self) -> Sequence[tuple[int, int, str]]:
        return [*self._spans(slice(None))]

    def _spans(self, rows: slice) -> Iterator[Span]:
        start, end = self.characters(rows)
        return map(Span, start.tolist(), end.tolist(), map(self.labels.__getitem__, self.label[rows].tolist()))

    def characters(self, rows: np.ndarray | slice) -> tuple[np.ndarray, np.ndarray]:
        starts, ends = [], []
        for doc, start, end in zip(*(column[rows].tolist() for column in (self.doc, self.start, self.end))):
            reference = self.references[doc]
            if start == end:
                starts.append(reference[start:end].start_char)
                ends.append(starts[-1])
            else:
                last = reference[end - 1]
                starts.append(last.idx if end - start == 1 else reference[start].idx)
                ends.append(last.idx + len(last))
        return np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64)

    @property
    def has_lower(self) -> bool:
        """A bare Vocab() knows no lower case: all its words would look alike."""
        return LOWER in getattr(self.references[0].vocab, "lex_attr_getters", ())

    def words(self, *, case: str, by: str) -> tuple[np.ndarray, np.ndarray]:
        if by != "token" or not self.has_lower:
            return super().words(case=case, by=by)
        sizes = self.end - self.start
        last = np.cumsum(sizes)[self.once]
        sizes = sizes[self.once]
        orth = self.orth[_ranges(last - sizes, last)]
        kinds = np.unique(orth)
        lexemes = [*map(self.references[0].vocab.__getitem__, kinds.tolist())]
        ids = [0 if lexeme.is_space else lexeme.lower if case == "lower" else lexeme.orth for lexeme in lexemes]
        _, number = np.unique(np.array([0, *ids], dtype=np.uint64), return_inverse=True)
        words = number[1:][np.searchsorted(kinds, orth)]
        span = np.repeat(np.arange(len(sizes)), sizes)
        return np.bincount(span[words > 0], minlength=len(sizes)), words[words > 0]


class TokenDocument(Document):
    """A document of a `TokenBatch`. Its words are the ids of the vocabulary's strings."""

    def __init__(self, batch: TokenBatch, place: int) -> None:
        self._batch = batch
        self._reference = batch.references[place]
        self._place = place
        self.id = id_of(self._reference)
        self.size = len(self._reference)

    @cached_property
    def _tokens_of(self) -> tuple[dict[tuple[int, int, str], tuple[int, int]], ...]:
        """The range of tokens of each gold and of each predicted span."""
        sides: tuple[dict, dict] = ({}, {})
        batch, rows = self._batch, slice(*np.searchsorted(self._batch.doc, [self._place, self._place + 1]))
        columns = (column[rows].tolist() for column in (batch.side, batch.start, batch.end))
        for span, side, start, end in zip(batch._spans(rows), *columns):
            sides[side][span] = start, end
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
            if by == "token" and tokens and self._batch.has_lower:
                yield [word for word in self._words[case][slice(*tokens)] if word]
            else:  # words between white space, or cut by the span's ends, are no tokens: they are hashed here
                for words in super().unigrams([span], case=case, by=by):
                    yield [get_string_id(str(word)) for word in words]


def _token_ids(doc: Doc, case: str) -> np.ndarray:
    """The tokens as ids of the vocabulary's strings, 0 for white space."""
    ids, space = doc.to_array([LOWER if case == "lower" else ORTH, IS_SPACE]).T
    return np.where(space, 0, ids)


def entities(pairs: Sequence[tuple[Doc, Doc]]) -> TokenBatch:
    """The entities of pairs of Docs of one vocabulary.

    Left out are pairs whose tokens differ, whose reference is not annotated
    throughout, or in which an entity goes on that never began, which spaCy refuses.
    """
    blocks: tuple[Any, ...] = BytesIO(), BytesIO()  # to keep thousands of small arrays takes longer
    sizes, left_out = [], set()
    for k, (reference, predicted) in enumerate(pairs):
        size = len(reference)
        if size != len(predicted):
            left_out.add(k)
            size = 0
        sizes.append(size)
        if size:
            blocks[GOLD].write(reference.to_array(TOKEN))
            blocks[PRED].write(predicted.to_array(TOKEN))
    gold, pred = (np.frombuffer(block.getbuffer(), dtype=np.uint64).reshape(-1, len(TOKEN)) for block in blocks)
    first = np.cumsum([0, *sizes])
    unfit = [np.flatnonzero((gold[:, 0] != pred[:, 0]) | (gold[:, 1] != pred[:, 1]) | (gold[:, 2] == 0))]
    found = []
    for tokens in (gold, pred):
        start, end, unbegun = _stretches(tokens[:, 2].astype(np.uint8), first)
        kind = tokens[start, 3]
        named = kind != 0  # an entity without a label is a token that can be in none
        unfit += [unbegun, start[~named & (end - start > 1)]]
        found.append((start[named], end[named], kind[named]))
    left_out.update((np.searchsorted(first, np.concatenate(unfit), side="right") - 1).tolist())
    fit = np.ones(len(pairs), dtype=bool)
    fit[[*left_out]] = False
    side = np.repeat((GOLD, PRED), [len(starts) for starts, _, _ in found])
    start, end, kind = map(np.concatenate, zip(*found))
    doc = np.searchsorted(first, start, side="right") - 1
    order = np.argsort(doc, kind="stable")
    order = order[fit[doc[order]]]
    doc, side, start, end, kind = (column[order] for column in (doc, side, start, end, kind))
    _, some, label = np.unique(kind, return_index=True, return_inverse=True)
    names = [pairs[doc[k]][side[k]].vocab.strings[int(kind[k])] for k in some]  # of a Doc that knows the name
    table = np.column_stack([(np.cumsum(fit) - 1)[doc], side, start - first[doc], end - first[doc], label])
    references = [reference for k, (reference, _) in enumerate(pairs) if k not in left_out]
    return TokenBatch(references, names, table, gold[_ranges(start, end), 0], left_out)


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
    names = sorted({label for side in sides for _, _, label in side})
    rows = [(0, k, *side[span], names.index(span[2])) for k, side in enumerate(sides) for span in side]
    table = np.array(rows, dtype=np.int64).reshape(-1, 5)
    orth = reference.to_array([ORTH])[_ranges(table[:, 2], table[:, 3])]
    return next(iter(TokenBatch([reference], names, table, orth)))


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
