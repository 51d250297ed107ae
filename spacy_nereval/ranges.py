"""Documents whose spans are ranges of tokens, read from many Docs at once.

Where two Docs have the same tokens, and the gold one is annotated throughout,
tokens are as good as characters, and all that is asked of the Docs are arrays.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, pairwise

import numpy as np
from spacy.attrs import ENT_IOB, ENT_TYPE, IS_SPACE, LOWER, ORTH, SPACY
from spacy.strings import get_string_id
from spacy.tokens import Doc
from spacy.vocab import Vocab

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
        tables = [document.table for document in documents]
        self.doc = np.repeat(np.arange(len(documents)), [len(table) for table in tables])
        self.side, self.start, self.end, label = np.concatenate(tables).T
        # Documents that were read together share their list of labels.
        lists = {id(document.labels): document.labels for document in documents}
        first = dict(zip(lists, accumulate(map(len, lists.values()), initial=0)))
        label = label + np.array([first[id(document.labels)] for document in documents])[self.doc]
        names = [*chain(*lists.values())]
        self.labels = sorted({names[k] for k in np.flatnonzero(np.bincount(label, minlength=len(names)))})
        place = {name: k for k, name in enumerate(self.labels)}
        self.label = np.array([place.get(name, -1) for name in names], dtype=np.int64)[label]

    def span(self, doc: int, start: int, end: int, label: int) -> Span:
        return self.documents[doc].span(start, end, self.labels[label])

    @cached_property
    def spans(self) -> Sequence[tuple[int, int, str]]:  # type: ignore[override]  # lazy here, plain in Batch
        columns = (self.doc, self.start, self.end, self.label)
        return [self.span(*row) for row in zip(*(column.tolist() for column in columns))]

    def words(self, *, case: str, by: str) -> tuple[np.ndarray, np.ndarray]:
        if by != "token" or not all(document.has_lower for document in self.documents):
            return super().words(case=case, by=by)
        found = [document.words_of_spans(case) for document in self.documents]
        sizes, words = (np.concatenate(column) for column in zip(*found))
        return sizes, words


class TokenDocument(Document):
    """A document over two Docs with the same tokens, the gold one annotated throughout.

    Its spans are ranges of tokens, and its words the ids of the vocabulary's
    strings. Characters, text and tokens are not looked up unless somebody asks:
    most of the time of reading would go there. The `table`, int64[spans, 4], has
    side, first token, token behind the last, and place in `labels`.
    """

    batch = TokenBatch

    def __init__(self, together: Together, place: int) -> None:
        self._together, self._place = together, place
        self._reference = together.references[place]
        self.id = id_of(self._reference)
        self.labels = together.labels
        self.table = together.table[together.first[place] : together.first[place + 1]]

    @property
    def has_lower(self) -> bool:
        """A bare Vocab() knows no lower case: all its words would look alike."""
        return LOWER in getattr(self._reference.vocab, "lex_attr_getters", ())

    def words_of_spans(self, case: str) -> tuple[np.ndarray, np.ndarray]:
        """How many words each span of the table has, and their numbers."""
        return self._together.words(case)[self._place]

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
        for side, start, end, label in self.table.tolist():
            sides[side][tuple(self.span(start, end, self.labels[label]))] = (start, end)
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

    def unigrams(self, span: tuple[int, int, str], *, case: str = "lower", by: str = "token") -> list[Hashable]:
        tokens = self._tokens_of[0].get(span) or self._tokens_of[1].get(span)
        if by == "token" and tokens and self.has_lower:
            return [word for word in self._words[case][slice(*tokens)] if word]
        # Words between white space, or cut by the span's ends, are no tokens: they are hashed here.
        return [get_string_id(str(word)) for word in super().unigrams(span, case=case, by=by)]


class Together:
    """Documents that were read together, their spans as ranges of tokens in one table, as in
    `TokenDocument`. Those of a document are `table[first[k] : first[k + 1]]`;
    `orth` has the tokens of all spans, one span after the other."""

    def __init__(
        self, references: list[Doc], labels: list[str], table: np.ndarray, first: list[int], orth: np.ndarray
    ) -> None:
        self.references = references
        self.labels = labels
        self.table = table
        self.first = first
        self.orth = orth
        self._words: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}

    def words(self, case: str) -> list[tuple[np.ndarray, np.ndarray]]:
        """Of each document how many words each span has, and the numbers of all these words."""
        if case not in self._words:
            self._words[case] = self._numbered(case)
        return self._words[case]

    def _numbered(self, case: str) -> list[tuple[np.ndarray, np.ndarray]]:
        sizes = self.table[:, 2] - self.table[:, 1]
        first = np.append(0, np.cumsum(sizes))[self.first]
        docs = self.references
        runs = [k for k in range(len(docs)) if k == 0 or docs[k].vocab is not docs[k - 1].vocab] + [len(docs)]
        numbers = np.concatenate(
            [_word_numbers(docs[a].vocab, self.orth[first[a] : first[b]], case) for a, b in pairwise(runs)]
        )
        spans = np.repeat(np.arange(len(sizes)), sizes)
        sizes = np.bincount(spans[numbers > 0], minlength=len(sizes))
        numbers = numbers[numbers > 0]
        places = np.append(0, np.cumsum(sizes))[self.first].tolist()
        return [(sizes[a:b], numbers[c:d]) for (a, b), (c, d) in zip(pairwise(self.first), pairwise(places))]


def _word_numbers(vocab: Vocab, orth: np.ndarray, case: str) -> np.ndarray:
    """Numbers that are equal where words are, and 0 for white space."""
    kinds = np.unique(orth)
    lexemes = [vocab[kind] for kind in kinds.tolist()]
    words = [0 if lexeme.is_space else lexeme.lower if case == "lower" else lexeme.orth for lexeme in lexemes]
    _, number = np.unique(np.array([0, *words], dtype=np.uint64), return_inverse=True)
    return number[1:][np.searchsorted(kinds, orth)]


def _token_ids(doc: Doc, case: str) -> np.ndarray:
    """The tokens as ids of the vocabulary's strings, 0 for white space."""
    ids, space = doc.to_array([LOWER if case == "lower" else ORTH, IS_SPACE]).T
    return np.where(space, 0, ids)


def entities(pairs: Mapping[int, tuple[Doc, Doc]]) -> dict[int, TokenDocument]:
    """The entities of pairs of Docs, under the same keys.

    Pairs are left out whose tokens differ, whose reference is not annotated
    throughout, or in which an entity goes on that never began, which spaCy
    refuses.
    """
    read = {k: (reference.to_array(TOKEN), predicted.to_array(TOKEN)) for k, (reference, predicted) in pairs.items()}
    arrays = {k: (gold, pred) for k, (gold, pred) in read.items() if len(gold) == len(pred)}
    first = np.cumsum([0, *(len(gold) for gold, _ in arrays.values())])
    nothing = np.zeros((0, len(TOKEN)), dtype=np.uint64)
    gold, pred = (np.concatenate([nothing, *(sides[side] for sides in arrays.values())]) for side in (GOLD, PRED))
    unlike = gold != pred
    unfit = [np.flatnonzero(unlike[:, 0] | unlike[:, 1] | (gold[:, 2] == 0))]
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
    docs = [pairs[k] for k in arrays]
    some = [int(np.argmax(kind == each)) for each in kinds]  # a span of each kind, whose Doc knows its name
    labels = [docs[place[k]][side[k]].vocab.strings[int(kind[k])] for k in some]
    order = np.argsort(place, kind="stable")
    start, end, side, place, kind = (column[order] for column in (start, end, side, place, kind))
    table = np.column_stack([side, start - first[place], end - first[place], np.searchsorted(kinds, kind)])
    rows = np.searchsorted(place, np.arange(len(docs) + 1)).tolist()
    together = Together([reference for reference, _ in docs], labels, table, rows, gold[_ranges(start, end), 0])
    left_out = {*(np.searchsorted(first, np.concatenate(unfit), side="right") - 1).tolist()}
    return {k: TokenDocument(together, n) for n, k in enumerate(arrays) if n not in left_out}


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
    return TokenDocument(Together([reference], labels, table, [0, len(table)], orth), 0)


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
