"""Convert spaCy's objects to documents, one at a time.

Offsets are characters of the reference text. Where the predicted text differs in white
space or case, its spans are projected onto the reference; where it differs otherwise,
that is an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from spacy.tokens import Doc
from spacy.training import Example

from ..core.checked import Unusable, highest
from ..core.spans import Document, PlainSpan
from ..io.records import Record, pair


def documents(examples: Iterable[Example], key: str | None = None) -> Iterator[Document | None]:
    """Yield each example as a document, or None where the reference has no annotation.

    For counting, `example_batches.count_examples` is faster.

    Args:
        examples: Examples.
        key: Read `doc.spans[key]` instead of `doc.ents`.

    Raises:
        ValueError: The two texts of an example differ in more than white space and case.
    """
    for number, example in enumerate(examples):
        yield read_numbered(example, number, key)


def read_numbered(example: Example, number: int, key: str | None) -> Document | None:
    """Return an example as `read` does, with `doc.spans[key]` if there is a key; a ValueError names its number."""
    try:
        return read(example.reference, example.predicted, key)
    except ValueError as error:
        raise ValueError(f"example {number}: {error}") from None


def read(reference: Doc, predicted: Doc, key: str | None = None) -> Document | None:
    """Return a gold and a predicted Doc as one document, or None without gold annotation."""
    gold = record(reference, key, scored=False)
    return pair(gold, record(predicted, key, scored=False)) if gold.annotated else None


def record(doc: Doc, key: str | None = None, *, scored: bool = True) -> Record:
    """Return a Doc as a record.

    Args:
        doc: The Doc.
        key: Read `doc.spans[key]` instead of `doc.ents`.
        scored: Whether to read the scores of the spans, which no metric needs.
    """
    annotated = doc.has_annotation("ENT_IOB") if key is None else key in doc.spans
    gaps = () if key or not annotated else tuple((t.idx, t.idx + len(t)) for t in doc if t.ent_iob == 0)
    spans = spans_of(doc, key)
    again = len(doc.spans[key]) - len(spans) if key and annotated else 0
    scores = scores_of(doc, key) if scored and key and annotated else {}
    result = Record(doc.text, spans, tokens_of(doc), id_of(doc), annotated, gaps, meta=meta_of(doc), duplicates=again)
    return result._replace(span_scores=scores) if scores else result


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


def scores_of(doc: Doc, key: str) -> dict[PlainSpan, Any]:
    """Return the scores of a span group, `doc.spans[key].attrs["scores"]`; empty if it has none.

    Scores only matter to those who ask for them, so a wrong number of scores is no error here.
    """
    group = doc.spans[key]
    given = group.attrs.get("scores")
    if given is None:
        return {}
    scores = [score.item() if hasattr(score, "item") else score for score in given]
    if len(scores) != len(group):
        sizes = f"{len(group)} span{'s' * (len(group) != 1)} and {len(scores)} score{'s' * (len(scores) != 1)}"
        scores = [Unusable(f"doc.spans[{key!r}] has {sizes}; expected one score per span")] * len(group)
    return highest(((span.start_char, span.end_char, span.label_), score) for span, score in zip(group, scores))


def tokens_of(doc: Doc) -> list[tuple[int, int]]:
    """Return the start and the end of each token, in characters."""
    return [(token.idx, token.idx + len(token)) for token in doc]


def meta_of(doc: Doc) -> dict[str, Any] | None:
    """Return the fields of `doc.user_data["meta"]`, and those of `doc.user_data` itself; None if there are none.

    If both have a field, the one in `meta` counts.
    """
    data = doc.user_data
    if not data:
        return None
    inner = data.get("meta")
    outer = {name: value for name, value in data.items() if isinstance(name, str)}
    return outer | (inner if isinstance(inner, dict) else {})


def id_of(doc: Doc) -> str | None:
    """Return `doc.user_data["id"]` as text, or None."""
    id = doc.user_data.get("id")
    return None if id is None else str(id)
