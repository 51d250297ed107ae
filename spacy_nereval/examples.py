"""From spaCy's objects to documents: the only way into the core for Examples and Docs.

What counts is characters of the reference text. Where the predicted text
differs in white space or case, its spans are carried over; where it differs
otherwise, that is an error.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np
from spacy.attrs import ENT_IOB, ENT_TYPE, IS_SPACE, LOWER, ORTH, SPACY
from spacy.strings import get_string_id
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from .settling import GOLD, PRED, TOGETHER
from .spans import Document, Span

TOKEN = (ORTH, SPACY, ENT_IOB, ENT_TYPE)
"""What is read of each token: the text, and which entity it belongs to."""

INSIDE, BEGIN = 1, 3
"""Values of `ENT_IOB`; 2 is outside, and 0 is not annotated."""


class Record(NamedTuple):
    """One side of a document: a text and its spans.

    `annotated` is false if nothing is said about the text at all; `gaps` are
    the stretches of text about which nothing is said. `repaired` is the number
    of spans that are not as they were written. With `open_end` the text may go
    on behind what is known of it.
    """

    text: str
    spans: set[tuple[int, int, str]]
    tokens: list[tuple[int, int]] | None = None
    id: str | None = None
    annotated: bool = True
    gaps: tuple[tuple[int, int], ...] = ()
    repaired: int = 0
    open_end: bool = False


def documents(examples: Iterable[Example], key: str | None = None) -> Iterator[Document | None]:
    """Each example as a document, or None where the reference has no annotation.

    Reads `doc.ents`, or with a key `doc.spans[key]`, some examples at a time.
    Raises ValueError, naming the example, if its two texts differ in more than
    white space and case.
    """
    coming = iter(examples)
    number = 0
    while some := [(example.reference, example.predicted) for example in islice(coming, TOGETHER)]:
        try:
            for document in _read(some, key):
                yield document
                number += 1
        except ValueError as error:
            raise ValueError(f"example {number}: {error}") from None


def read(reference: Doc, predicted: Doc, key: str | None = None) -> Document | None:
    """A gold and a predicted Doc as one document, or None without gold annotation."""
    return next(_read([(reference, predicted)], key))


def _read(pairs: Sequence[tuple[Doc, Doc]], key: str | None) -> Iterator[Document | None]:
    """Pairs of Docs as documents: as ranges of tokens where both have the same tokens
    and the reference is annotated throughout."""
    arrays = [(reference.to_array(TOKEN), predicted.to_array(TOKEN)) for reference, predicted in pairs]
    alike = [k for k, (gold, pred) in enumerate(arrays) if len(gold) == len(pred)]
    entities = {} if key else _entities({k: pairs[k] for k in alike}, [arrays[k] for k in alike])
    for k, (reference, predicted) in enumerate(pairs):
        if k in entities:
            yield entities[k]
        elif key and key in reference.spans and np.array_equal(*(array[:, :2] for array in arrays[k])):
            yield _group(reference, predicted, key)
        else:
            yield pair(record(reference, key), record(predicted, key))


def record(doc: Doc, key: str | None = None) -> Record:
    """A Doc as a record."""
    annotated = doc.has_annotation("ENT_IOB") if key is None else key in doc.spans
    gaps = () if key or not annotated else tuple((t.idx, t.idx + len(t)) for t in doc if t.ent_iob == 0)
    return Record(doc.text, set(_spans(doc, key)), _tokens(doc), _id(doc), annotated, gaps)


def pair(gold: Record, pred: Record) -> Document | None:
    """Two records of one text as a document, or None if the gold one is not annotated."""
    if not gold.annotated:
        return None
    if gold.open_end and pred.open_end:
        longer = max(gold, pred, key=lambda side: len(side.text))
        gold, pred = (side._replace(text=longer.text, tokens=longer.tokens) for side in (gold, pred))
    spans = pred.spans if gold.text == pred.text else set(project(pred.spans, pred.text, gold.text))
    kept = {span for span in spans if not any(max(span[0], a) < min(span[1], b) for a, b in gold.gaps)}
    document = Document(gold.spans, kept, gold.text, tokens=gold.tokens, id=gold.id)
    document.ignored = len(spans) - len(kept)
    document.repaired = gold.repaired + pred.repaired
    return document


def project(spans: Iterable[tuple[int, int, str]], source: str, target: str) -> Iterator[tuple[int, int, str]]:
    """Spans of one text carried over to another that differs in white space and case only.

    A span goes to the stretch from its first to its last character that is not
    white space; one without any becomes a span of length zero.

    >>> list(project([(0, 3, "A"), (4, 7, "B")], "new york", "  New\\tYork"))
    [(2, 5, 'A'), (6, 9, 'B')]
    >>> list(project([], "abc", "abd"))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: the predicted text differs ...: 'c' at 2 against 'd' at 2
    """
    # A character may be two in lower case, so each is told by where it comes from.
    here, there = (
        [(c, i) for i, character in enumerate(text) for c in character.lower() if not character.isspace()]
        for text in (source, target)
    )
    for (a, i), (b, j) in zip(here, there):
        if a != b:
            raise ValueError(f"{_DIFFER}: {source[i]!r} at {i} against {target[j]!r} at {j}")
    if len(here) != len(there):
        raise ValueError(f"{_DIFFER}: {len(here)} characters against {len(there)}, white space left out")
    rank = np.searchsorted([i for _, i in here], np.arange(len(source) + 1)).tolist()  # characters before each offset
    there.append(("", len(target)))
    for start, end, label in spans:
        first, last = rank[start], rank[end]
        yield there[first][1], there[last - 1][1] + 1 if last > first else there[first][1], label


_DIFFER = "the predicted text differs from the reference in more than white space and case"


class _Together:
    """Documents that were read together, their spans as ranges of tokens in one table, in
    the shape of `Document.table`. Those of a document are `table[first[k] : first[k + 1]]`;
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
        vocab = np.repeat([id(doc.vocab) for doc in self.references], np.diff(self.first)).repeat(sizes)
        numbers = np.zeros_like(vocab)
        for each in {id(doc.vocab): doc.vocab for doc in self.references}.values():
            numbers[vocab == id(each)] = _word_numbers(each, self.orth[vocab == id(each)], case)
        spans = np.repeat(np.arange(len(sizes)), sizes)
        sizes = np.bincount(spans[numbers > 0], minlength=len(sizes))
        numbers = numbers[numbers > 0]
        first = np.append(0, np.cumsum(sizes))[self.first].tolist()
        return [(sizes[a:b], numbers[c:d]) for a, b, c, d in zip(self.first, self.first[1:], first, first[1:])]


def _word_numbers(vocab: Vocab, orth: np.ndarray, case: str) -> np.ndarray:
    """Numbers that are equal where words are, and 0 for white space."""
    kinds = np.unique(orth)
    lexemes = [vocab[kind] for kind in kinds.tolist()]
    words = [0 if lexeme.is_space else lexeme.lower if case == "lower" else lexeme.orth for lexeme in lexemes]
    _, number = np.unique(np.array([0, *words], dtype=np.uint64), return_inverse=True)
    return number[1:][np.searchsorted(kinds, orth)]


def _ranges(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Every place from each start to each end.

    >>> _ranges(np.array([3, 0]), np.array([5, 1]))
    array([3, 4, 0])
    """
    sizes = end - start
    return np.arange(sizes.sum()) + np.repeat(start - np.cumsum(sizes) + sizes, sizes)


def _token_ids(doc: Doc, case: str) -> np.ndarray:
    """The tokens as ids of the vocabulary's strings, 0 for white space."""
    ids, space = doc.to_array([LOWER if case == "lower" else ORTH, IS_SPACE]).T
    return np.where(space, 0, ids)


def _entities(
    pairs: Mapping[int, tuple[Doc, Doc]], arrays: Sequence[tuple[np.ndarray, np.ndarray]]
) -> dict[int, TokenDocument]:
    """The entities of pairs of Docs with equally many tokens, given the attributes `TOKEN` of each.

    Pairs are left out whose tokens differ, whose reference is not annotated
    throughout, or in which an entity goes on that never began.
    """
    first = np.cumsum([0, *(len(gold) for gold, _ in arrays)])
    opening = np.zeros(first[-1] + 1, dtype=bool)
    opening[first] = True
    nothing = np.zeros((0, len(TOKEN)), dtype=np.uint64)
    gold, pred = (np.concatenate([nothing, *(sides[side] for sides in arrays)]) for side in (GOLD, PRED))
    unlike = gold != pred
    unfit = [np.flatnonzero(unlike[:, 0] | unlike[:, 1] | (gold[:, 2] == 0))]
    found = []
    for tokens in (gold, pred):
        iob, kind = tokens[:, 2].astype(np.uint8), tokens[:, 3]
        inside = np.flatnonzero((iob == BEGIN) | (iob == INSIDE))
        begun = iob[inside] == BEGIN
        places = np.append(np.flatnonzero(begun), len(inside))
        start, end = inside[places[:-1]], inside[places[1:] - 1] + 1
        named = kind[start] != 0
        gone_on = ~begun & ((np.diff(inside, prepend=-2) > 1) | opening[inside])
        unfit += [inside[gone_on], start[~named & (end - start > 1)]]
        found.append((start[named], end[named], kind[start[named]]))
    start, end, kind = map(np.concatenate, zip(*found))
    side = np.repeat((GOLD, PRED), [len(starts) for starts, _, _ in found])
    doc = np.searchsorted(first, start, side="right") - 1
    kinds = np.unique(kind)
    docs = list(pairs.values())
    seen = [int(np.argmax(kind == each)) for each in kinds]
    labels = [docs[doc[k]][side[k]].vocab.strings[int(kind[k])] for k in seen]
    order = np.argsort(doc, kind="stable")
    start, end, doc = start[order], end[order], doc[order]
    table = np.column_stack([side[order], start - first[doc], end - first[doc], np.searchsorted(kinds, kind[order])])
    rows = np.searchsorted(doc, np.arange(len(docs) + 1))
    together = _Together(
        [reference for reference, _ in docs], labels, table, rows.tolist(), gold[_ranges(start, end), 0]
    )
    others = {*(np.searchsorted(first, np.concatenate(unfit), side="right") - 1).tolist()}
    return {k: TokenDocument(together, place) for place, k in enumerate(pairs) if place not in others}


def _group(reference: Doc, predicted: Doc, key: str) -> TokenDocument:
    """The spans of a group in two Docs with the same tokens."""
    sides = [_spans(doc, key) for doc in (reference, predicted)]
    labels = sorted({label for side in sides for _, _, label in side})
    rows = [(k, *side[span], labels.index(span[2])) for k, side in enumerate(sides) for span in side]
    table = np.array(rows, dtype=np.int64).reshape(-1, 4)
    orth = reference.to_array([ORTH])[_ranges(table[:, 1], table[:, 2])]
    return TokenDocument(_Together([reference], labels, table, [0, len(table)], orth), 0)


class TokenDocument(Document):
    """A document over two Docs with the same tokens, the gold one annotated throughout.

    Its spans are ranges of tokens, and its words the ids of the vocabulary's
    strings. Characters, text and tokens are not looked up unless somebody asks:
    most of the time of reading would go there.
    """

    def __init__(self, together: _Together, place: int) -> None:
        self._together, self._place = together, place
        self._reference = together.references[place]
        self.id = _id(self._reference)
        self.labels = together.labels
        self.table = together.table[together.first[place] : together.first[place + 1]]

    @property
    def _has_lower(self) -> bool:
        """A bare Vocab() knows no lower case: all its words would look alike."""
        return LOWER in getattr(self._reference.vocab, "lex_attr_getters", ())

    def span(self, start: int, end: int, label: str) -> Span:
        if start == end:
            return Span(*[self._reference[start:end].start_char] * 2, label)
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
    def gold_set(self) -> set[tuple[int, int, str]]:  # type: ignore[override]  # lazy here, plain in Document
        return set(self._tokens_of[0])

    @cached_property
    def pred_set(self) -> set[tuple[int, int, str]]:  # type: ignore[override]  # likewise
        return set(self._tokens_of[1])

    @cached_property
    def text(self) -> str:  # type: ignore[override]  # likewise
        return self._reference.text

    @cached_property
    def tokens(self) -> list[tuple[int, int]]:  # type: ignore[override]  # likewise
        return _tokens(self._reference)

    @cached_property
    def _words(self) -> dict[str, list[int]]:
        return {case: _token_ids(self._reference, case).tolist() for case in ("lower", "keep")}

    def unigrams(self, span: tuple[int, int, str], *, case: str = "lower", by: str = "token") -> list[Hashable]:
        tokens = self._tokens_of[0].get(span) or self._tokens_of[1].get(span)
        if by == "token" and tokens and self._has_lower:
            return [word for word in self._words[case][slice(*tokens)] if word]
        # Words between white space, or cut by the span's ends, are no tokens: they are hashed here.
        return [get_string_id(str(word)) for word in super().unigrams(span, case=case, by=by)]

    def unigram_ids(self, *, case: str = "lower", by: str = "token") -> tuple[np.ndarray, np.ndarray]:
        if by == "token" and self._has_lower:
            return self._together.words(case)[self._place]
        return super().unigram_ids(case=case, by=by)


def _spans(doc: Doc, key: str | None) -> dict[tuple[int, int, str], tuple[int, int]]:
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


def _tokens(doc: Doc) -> list[tuple[int, int]]:
    return [(token.idx, token.idx + len(token)) for token in doc]


def _id(doc: Doc) -> str | None:
    id = doc.user_data.get("id")
    return None if id is None else str(id)
