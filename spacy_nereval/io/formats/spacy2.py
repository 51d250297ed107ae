"""Training data of spaCy 2: its JSON format, and pairs of a text and its entities."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...core.messages import PlainSpan
from ..records import Record, row_id
from .contents import json_values
from .settings import Format, fit_span, locate_error
from .tags import Scheme, gaps_of, place_words, read_tags, same_place


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read one document per pair `[text, {"entities": [[start, end, label]]}]`, or per paragraph.

    A paragraph has its text in `raw`. Its sentences have tokens with `orth` and the BILUO tag
    `ner`, or the paragraph has a list of `entities`. Tokens are located in the raw text in
    their order; without a raw text, there are spaces between them. A tag of "-" is a gap.

    Args:
        path: The file: a list of documents or pairs, or one of them per line.
        format: `format.offsets` gives the unit of offsets, `format.repair` says how
            to read tags that are not valid BILUO.

    Yields:
        One record per pair or paragraph.

    Raises:
        ValueError: If there is no such file, or a document is malformed. Names the line.
        OSError: If the file cannot be read.

    >>> path = getfixture("tmp_path") / "a.json"
    >>> _ = path.write_text('[["Ada slept", {"entities": [[0, 3, "PER"]]}]]')
    >>> [(record.text, record.spans) for record in read(path)]
    [('Ada slept', {(0, 3, 'PER')})]
    """
    for line, value in json_values(path):
        try:
            if isinstance(value, list):
                yield _pair_record(value, format)
                continue
            paragraphs = value.get("paragraphs") if isinstance(value, dict) else None
            if not isinstance(paragraphs, list):
                raise ValueError('expected {"paragraphs": [...]}, or [text, {"entities": [[start, end, label]]}]')
            id = row_id(value)
            for number, paragraph in enumerate(paragraphs):
                try:
                    yield _paragraph_record(paragraph, format)._replace(id=id)
                except ValueError as error:
                    raise locate_error(error, f"paragraph {number}") from None
        except ValueError as error:
            raise locate_error(error, f"{path}, line {line}") from None


def _pair_record(value: list[Any], format: Format) -> Record:
    text, annotation = value if len(value) == 2 else (None, None)
    entities = annotation.get("entities") if isinstance(annotation, dict) else None
    if not isinstance(text, str) or not isinstance(entities, list):
        raise ValueError('expected [text, {"entities": [[start, end, label]]}]')
    return _entities_record(text, entities, format)


def _entities_record(text: str, entities: list[Any], format: Format) -> Record:
    spans = [fit_span(f"entity {k},", entity, text, format) for k, entity in enumerate(entities)]
    return Record.deduplicate(text, spans)


def _paragraph_record(paragraph: Any, format: Format) -> Record:
    if not isinstance(paragraph, dict):
        raise ValueError('expected {"raw": text, "sentences": [{"tokens": [{"orth", "ner"}]}]}')
    raw, entities = paragraph.get("raw"), paragraph.get("entities")
    if isinstance(raw, str) and isinstance(entities, list):
        return _entities_record(raw, entities, format)
    try:
        sentences = [[*sentence["tokens"]] for sentence in paragraph["sentences"]]
        words = [str(token["orth"]) for sentence in sentences for token in sentence]
        tags = [[str(token.get("ner") or "-") for token in sentence] for sentence in sentences]
    except (KeyError, TypeError, AttributeError):
        raise ValueError('"sentences" is not a list of {"tokens": [{"orth", "ner"}]}') from None
    text = raw if isinstance(raw, str) else " ".join(words)
    places = place_words(words, text)
    scheme = Scheme("BILUO")
    spans: set[PlainSpan] = set()
    repaired = first = 0
    for number, sentence in enumerate(tags):
        where = same_place(f"sentence {number}")
        scheme.see(sentence, where)
        offsets = places[first : first + len(sentence)]
        sentence_spans, repairs = read_tags(sentence, offsets, scheme, format.repair, where)
        spans, repaired, first = spans | sentence_spans, repaired + repairs, first + len(sentence)
    annotated, gaps = gaps_of([tag for sentence in tags for tag in sentence], places)
    return Record(text, spans, places, None, annotated, gaps, repaired=repaired)
