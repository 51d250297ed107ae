"""From spaCy's objects to documents: the only way into the core for Examples and Docs.

What counts is characters of the reference text. Where the predicted text
differs in white space or case, its spans are carried over; where it differs
otherwise, that is an error.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
from spacy.attrs import IS_SPACE, LOWER, ORTH, SPACY
from spacy.strings import get_string_id
from spacy.tokens import Doc
from spacy.training import Example

from .spans import Document


class Record(NamedTuple):
    """One side of a document: a text and its spans.

    `annotated` is false if nothing is said about the text at all; `gaps` are
    the stretches of text about which nothing is said.
    """

    text: str
    spans: set[tuple[int, int, str]]
    tokens: list[tuple[int, int]] | None = None
    id: str | None = None
    annotated: bool = True
    gaps: tuple[tuple[int, int], ...] = ()


def documents(examples: Iterable[Example], key: str | None = None) -> Iterator[Document | None]:
    """Each example as a document, or None where the reference has no annotation.

    Reads `doc.ents`, or with a key `doc.spans[key]`. Raises ValueError, naming
    the example, if its two texts differ in more than white space and case.
    """
    for number, example in enumerate(examples):
        try:
            yield read(example.reference, example.predicted, key)
        except ValueError as error:
            raise ValueError(f"example {number}: {error}") from None


def read(reference: Doc, predicted: Doc, key: str | None = None) -> Document | None:
    """A gold and a predicted Doc as one document, or None without gold annotation."""
    return Pair(reference, predicted).document(key)


class Pair:
    """The two Docs of an example, and whether they have the same tokens and white space."""

    def __init__(self, reference: Doc, predicted: Doc) -> None:
        self.reference = reference
        self.predicted = predicted
        self.same_tokens = len(reference) == len(predicted) and bool(
            (reference.to_array([ORTH, SPACY]) == predicted.to_array([ORTH, SPACY])).all()
        )

    def document(self, key: str | None = None) -> Document | None:
        if self.same_tokens and _complete(self.reference, key):
            return _DocDocument(self, key)
        return pair(record(self.reference, key), record(self.predicted, key))


def record(doc: Doc, key: str | None = None) -> Record:
    """A Doc as a record."""
    annotated = doc.has_annotation("ENT_IOB") if key is None else key in doc.spans
    gaps = () if key or not annotated else tuple((t.idx, t.idx + len(t)) for t in doc if t.ent_iob == 0)
    return Record(doc.text, set(_spans(doc, key)), _tokens(doc), _id(doc), annotated, gaps)


def pair(gold: Record, pred: Record) -> Document | None:
    """Two records of one text as a document, or None if the gold one is not annotated."""
    if not gold.annotated:
        return None
    spans = pred.spans if gold.text == pred.text else set(project(pred.spans, pred.text, gold.text))
    kept = {span for span in spans if not any(max(span[0], a) < min(span[1], b) for a, b in gold.gaps)}
    document = Document(gold.spans, kept, gold.text, tokens=gold.tokens, id=gold.id)
    document.ignored = len(spans) - len(kept)
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


class _DocDocument(Document):
    """A document over two Docs with the same tokens.

    Words are the ids of the vocabulary's strings, and text and tokens are not
    built unless somebody asks: most of the time of reading would go there.
    """

    def __init__(self, docs: Pair, key: str | None) -> None:
        self._reference = docs.reference
        gold = _spans(docs.reference, key)
        pred = _spans(docs.predicted, key)
        self._tokens_of = gold | pred
        self.gold_set = set(gold)
        self.pred_set = set(pred)
        self.id = _id(docs.reference)
        # A bare Vocab() knows no lower case: all its words would look alike.
        self._has_lower = LOWER in getattr(docs.reference.vocab, "lex_attr_getters", ())
        self._words: dict[str, list[int]] = {}  # per case: tokens as ids of strings, 0 for white space

    @cached_property
    def text(self) -> str:  # type: ignore[override]  # lazy here, plain in Document
        return self._reference.text

    @cached_property
    def tokens(self) -> list[tuple[int, int]]:  # type: ignore[override]  # likewise
        return _tokens(self._reference)

    def unigrams(self, span: tuple[int, int, str], *, case: str = "lower", by: str = "token") -> list[Hashable]:
        if by == "token" and span in self._tokens_of and self._has_lower:
            if case not in self._words:
                ids, space = self._reference.to_array([LOWER if case == "lower" else ORTH, IS_SPACE]).T
                self._words[case] = (np.where(space, 0, ids) if space.any() else ids).tolist()
            first, last = self._tokens_of[span]
            words: list[Hashable] = [*self._words[case][first:last]]
            return [word for word in words if word] if 0 in words else words
        # Words between white space, or cut by the span's ends, are no tokens: they are hashed here.
        return [get_string_id(str(word)) for word in super().unigrams(span, case=case, by=by)]


def _complete(doc: Doc, key: str | None) -> bool:
    return key in doc.spans if key else doc.has_annotation("ENT_IOB", require_complete=True)


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
