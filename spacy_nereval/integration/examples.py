"""From spaCy's objects to batches and documents: the only way into the core for Examples and Docs.

Offsets are characters of the reference text. Where the predicted text differs in white
space or case, its spans are projected onto the reference; where it differs otherwise,
that is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example

from ..core.declaration import Metric
from ..core.spans import Document, PlainSpan
from ..counting.batch import Batch, DocumentBatch, Numbers, joined, stretches_of
from ..counting.counter import count_batches
from ..counting.counts import Counts
from ..io.records import Record, pair
from .doc_batch import doc_batch, id_of, tokens_of


def documents(examples: Iterable[Example], key: str | None = None) -> Iterator[Document | None]:
    """Yield each example as a document, or None where the reference has no annotation.

    To count them, `count_examples` is faster.

    Args:
        examples: Examples.
        key: Read `doc.spans[key]` instead of `doc.ents`.

    Raises:
        ValueError: The two texts of an example differ in more than white space and case.
    """
    for number, example in enumerate(examples):
        yield _numbered(example, number, key)


def count_examples(
    examples: Iterable[Example], metrics: Iterable[Metric], key: str | None = None, *, units: bool = True
) -> Counts:
    """Return the counts of examples; see `documents` and `count`."""
    counts = count_batches((batch for batch, _ in batches(examples, key)), metrics, units=units)
    counts.spans_key = key
    return counts


def batches(examples: Iterable[Example], key: str | None = None) -> Iterator[tuple[Batch, list[Example | None]]]:
    """Yield examples in batches.

    Yields:
        A batch, and the example of each of its documents where the two Docs could not be
        compared token by token; else None.
    """
    number = 0
    for some in stretches_of(examples, lambda example: len(example.reference)):
        yield _batch(some, number, key)
        number += len(some)


def _batch(examples: Sequence[Example], number: int, key: str | None) -> tuple[Batch, list[Example | None]]:
    """Return a batch of examples, of which the first has that number."""
    parts: list[Batch] = []
    places: list[Numbers] = []
    first = 0
    for _, alike in groupby([] if key else examples, key=lambda example: example.reference.vocab):
        some = [*alike]
        part, own = doc_batch([(example.reference, example.predicted) for example in some])
        if part:
            parts.append(part)
            places.append(first + own)
        first += len(some)
    if len(parts) == 1 and parts[0].documents == len(examples):
        return parts[0], [None] * len(examples)
    rest = np.ones(len(examples), dtype=bool)
    for own in places:
        rest[own] = False
    others = np.flatnonzero(rest)
    read_ones = [_numbered(examples[k], number + k, key) for k in others.tolist()]
    parts.append(DocumentBatch(read_ones))
    places.append(others[[document is not None for document in read_ones]])
    # Documents without annotation leave no gap.
    kept = np.sort(np.concatenate(places))
    by_place = {int(k): examples[k] for k in places[-1].tolist()}
    return joined(parts, [np.searchsorted(kept, own) for own in places]), [by_place.get(k) for k in kept.tolist()]


def _numbered(example: Example, number: int, key: str | None) -> Document | None:
    try:
        return read(example.reference, example.predicted, key)
    except ValueError as error:
        raise ValueError(f"example {number}: {error}") from None


def read(reference: Doc, predicted: Doc, key: str | None = None) -> Document | None:
    """Return a gold and a predicted Doc as one document, or None without gold annotation."""
    return pair(record(reference, key), record(predicted, key))


def record(doc: Doc, key: str | None = None) -> Record:
    """Return a Doc as a record."""
    annotated = doc.has_annotation("ENT_IOB") if key is None else key in doc.spans
    gaps = () if key or not annotated else tuple((t.idx, t.idx + len(t)) for t in doc if t.ent_iob == 0)
    return Record(doc.text, spans_of(doc, key), tokens_of(doc), id_of(doc), annotated, gaps)


def spans_of(doc: Doc, key: str | None) -> set[PlainSpan]:
    """Return the entities of a Doc, or with a key its span group, in characters.

    Raises:
        ValueError: A span of the group has no label.
    """
    spans = doc.ents if key is None else doc.spans.get(key, ())
    found = {(span.start_char, span.end_char, span.label_) for span in spans}
    if key and any(not label for _, _, label in found):
        raise ValueError(f"doc.spans[{key!r}] has a span without a label")
    return found
