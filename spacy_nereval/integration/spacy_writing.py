"""Writing records as `.spacy` files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import spacy
from spacy.tokens import Doc, DocBin, Span, SpanGroup
from spacy.vocab import Vocab

from ..core.messages import named, shortened
from ..core.span_scores import is_score
from ..core.spans import PlainSpan
from ..io.converting import UNALIGNED, Losses, Places, Tokenizer, flat_spans
from ..io.records import Record
from ..io.writing import atomic


def tokenizer(language: str) -> Tokenizer:
    """Return the tokenizer of a language, as a function from a text to the places of its tokens.

    Args:
        language: spaCy's code of the language, such as `en`, or `xx` for any.

    Raises:
        ValueError: spaCy has no such language, or it needs another package.

    >>> tokenizer("en")("Ada met Bob.")
    [(0, 3), (4, 7), (8, 11), (11, 12)]
    """
    try:
        nlp = spacy.blank(language)
    except ImportError as error:
        raise ValueError(f"{named('lang', language)}: {str(error).splitlines()[0]}") from None
    return lambda text: [(token.idx, token.idx + len(token)) for token in nlp.make_doc(text)]


def write_spacy(path: Path, records: Iterable[Record], losses: Losses, key: str | None, tokenize: Tokenizer) -> None:
    """Write records as Docs. Ids and metadata are stored in `user_data`.

    Args:
        path: The file; it gets its name once it is complete.
        records: The records.
        losses: Counts what is left out.
        key: Write to `doc.spans[key]`, which can hold spans that overlap, instead of `doc.ents`.
        tokenize: Finds the tokens of a text that has none.

    Raises:
        ValueError: A span does not fit the tokens, or overlaps another in `doc.ents`, and none
            may be left out.
        OSError: If the file cannot be written.
    """
    doc_bin = DocBin(store_user_data=True)
    vocab = Vocab()
    for record in records:
        doc_bin.add(_doc(record, vocab, losses, key, tokenize))
    with atomic(path) as file:
        file.write(doc_bin.to_bytes())


def _doc(record: Record, vocab: Vocab, losses: Losses, key: str | None, tokenize: Tokenizer) -> Doc:
    places = record.tokens if record.tokens is not None else tokenize(record.text)
    words, spaces = _words(record.text, places)
    doc = Doc(vocab, words=words, spaces=spaces)
    if doc.text != record.text:
        raise ValueError(f"document {losses.number}: spaCy does not keep its text {shortened(repr(record.text))}")
    if record.id is not None:
        doc.user_data["id"] = record.id
    if record.meta:
        doc.user_data["meta"] = dict(record.meta)
    if not record.annotated:
        return doc
    if key:
        found = [(_span(doc, record, span, losses), record.span_scores.get(span)) for span in sorted(record.spans)]
        kept = [(span, score) for span, score in found if span is not None]
        scores = [score for _, score in kept if is_score(score)]
        attrs = {"scores": scores} if kept and len(scores) == len(kept) else {}
        doc.spans[key] = SpanGroup(doc, name=key, spans=[span for span, _ in kept], attrs=attrs)
        losses.others["scores of groups in which a span has none"] += 0 if attrs else len(record.span_scores)
        for gap in record.gaps:
            losses.gap(record, gap)
        return doc
    losses.others["scores of spans"] += len(record.span_scores)
    entities = [_span(doc, record, span, losses) for span in flat_spans(record, losses)]
    missing = []
    for gap in record.gaps:
        if (span := doc.char_span(*gap)) is None or any(
            e and e.start < span.end and span.start < e.end for e in entities
        ):
            losses.gap(record, gap)
        else:
            missing.append(span)
    doc.set_ents([span for span in entities if span is not None], missing=missing, default="outside")
    return doc


def _span(doc: Doc, record: Record, span: PlainSpan, losses: Losses) -> Span | None:
    found = doc.char_span(*span) if span[0] < span[1] else None
    if found is None:
        losses.span(record, span, UNALIGNED)
    return found


def _words(text: str, places: Places) -> tuple[list[str], list[bool]]:
    """Return the words of a Doc that has all of a text, and whether a space follows each."""
    words: list[str] = []
    spaces: list[bool] = []
    end = 0
    for start, stop in (*places, (len(text), len(text))):
        between = text[end:start]
        if words and between.startswith(" "):
            spaces[-1] = True
            between = between[1:]
        for word in (between, text[start:stop]):
            if word:
                words.append(word)
                spaces.append(False)
        end = max(end, stop)
    return words, spaces
