"""From spaCy's objects to documents: the only way into the core for Examples and Docs.

What counts is characters of the reference text. Where the predicted text
differs in white space or case, its spans are carried over; where it differs
otherwise, that is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby, zip_longest
from operator import attrgetter

from spacy.tokens import Doc
from spacy.training import Example

from ..core.declaration import Metric
from ..core.spans import Document
from ..counting.batch import batches
from ..counting.counts import Counts
from ..io.records import Record, pair
from .ranges import TokenBatch, entities, group, id_of, same_tokens, spans_of, tokens_of


def documents(examples: Iterable[Example], key: str | None = None) -> Iterator[Document | None]:
    """Each example as a document, or None where the reference has no annotation.

    Reads `doc.ents`, or with a key `doc.spans[key]`, up to 2,048 examples at a
    time, so that long their Docs have to be there.
    Raises ValueError, naming the example, if its two texts differ in more than
    white space and case.

    To count them, `count_examples` is faster.
    """
    for some, number in _numbered(examples):
        yield from _each(some, number, _read(some, key), key)


def count_examples(examples: Iterable[Example], metrics: Iterable[Metric], key: str | None = None) -> Counts:
    """The counts of `documents`, most of which need not be made for it."""
    counts = Counts(metrics)
    counts.extend_together(found for _, found in read_together(examples, key))
    return counts


def read_together(
    examples: Iterable[Example], key: str | None = None
) -> Iterator[tuple[list[Example], Iterable[Document | None]]]:
    """Some examples at a time and their documents, for `Counts.extend_together`: as a
    `TokenBatch` where all that are annotated are in one, so that none of them has to be made."""
    for some, number in _numbered(examples):
        found = _read(some, key)
        if len(found) == 1 and not any(some[k].reference.has_annotation("ENT_IOB") for k in found[0].left_out):
            found[0].skipped = len(found[0].left_out)
            yield some, found[0]
        else:
            yield some, _each(some, number, found, key)


def _numbered(examples: Iterable[Example]) -> Iterator[tuple[list[Example], int]]:
    """Some examples at a time, and the number of the first of them."""
    number = 0
    for some in batches(examples, lambda example: len(example.reference)):
        yield some, number
        number += len(some)


def _read(examples: Iterable[Example], key: str | None) -> list[TokenBatch]:
    """What can be read together; a batch ends where the vocabulary changes."""
    if key:
        return []
    alike = groupby(examples, key=attrgetter("reference.vocab"))
    return [entities([(example.reference, example.predicted) for example in some]) for _, some in alike]


def _each(
    examples: Iterable[Example], number: int, found: Iterable[TokenBatch], key: str | None
) -> Iterator[Document | None]:
    """The documents of examples, of which the first has that number, where some were found already."""
    for example, document in zip_longest(examples, chain.from_iterable(batch.each() for batch in found)):
        try:
            yield document or _carried(example.reference, example.predicted, key)
        except ValueError as error:
            raise ValueError(f"example {number}: {error}") from None
        number += 1


def read(reference: Doc, predicted: Doc, key: str | None = None) -> Document | None:
    """A gold and a predicted Doc as one document, or None without gold annotation."""
    found = None if key else next(iter(entities([(reference, predicted)])), None)
    return found or _carried(reference, predicted, key)


def _carried(reference: Doc, predicted: Doc, key: str | None) -> Document | None:
    """Two Docs as a document, the spans of the one carried over to the text of the other."""
    if key and key in reference.spans and same_tokens(reference, predicted):
        return group(reference, predicted, key)
    return pair(record(reference, key), record(predicted, key))


def record(doc: Doc, key: str | None = None) -> Record:
    """A Doc as a record."""
    annotated = doc.has_annotation("ENT_IOB") if key is None else key in doc.spans
    gaps = () if key or not annotated else tuple((t.idx, t.idx + len(t)) for t in doc if t.ent_iob == 0)
    return Record(doc.text, set(spans_of(doc, key)), tokens_of(doc), id_of(doc), annotated, gaps)
