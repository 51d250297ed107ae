"""One document of a list: tags, spans, mentions, a Doc, or a record; and its record.

Tags and spans have no text of their own. It may be known from elsewhere.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeGuard

from ..core.arguments import AUTO_OFFSETS, CODEPOINT, OFFSETS, Reading
from ..core.attribute_values import Attributes, attributes_by_span, item_attributes, split_names
from ..core.keys import (
    DOCUMENT_PARTS,
    ENDS,
    LABELS,
    PIECES,
    STARTS,
    SURFACES,
    TEXTS,
    describe_lack,
    describe_token_label,
    first_value,
    label_of,
    mention_of,
)
from ..core.messages import (
    PlainSpan,
    highest_scores,
    many,
    quote,
    shorten,
    spell_argument,
    validate_span,
    validate_tokens,
)
from ..core.pieces import has_gaps
from ..core.spans import Document
from ..io.formats import TAG_KEYS, USERS, used_fields
from ..io.formats.contents import unpack_pair
from ..io.formats.jsonl import is_answer
from ..io.formats.settings import Format, exclusive_span, fit_pieces, fit_span, spell_per_side, suggest_unit
from ..io.formats.tags import TagSequence, are_columns, are_tags, are_words, tag_number
from ..io.records import Record, locate_mentions

Offsets = Sequence[tuple[int, int]]


LACKING = (
    "; if predictions lack tokens, give both sides with their words, as {'tokens': [...], 'ner_tags': [...]}, and "
    "missing_tokens='O'"
)
"""The remedy for predictions with fewer tags than gold."""


class Place(NamedTuple):
    """The known parts of a document in addition to its spans."""

    text: str | None
    offsets: Offsets | None


def plain_record(item: Any, name: str, place: Place, reading: Reading) -> Record:
    """Return tags, mentions or spans as a record; None is a document without annotation.

    Args:
        item: One side of a document.
        name: Its name in errors.
        place: The text and the tokens.
        reading: How items are read.

    Raises:
        ValueError: The item cannot be read, or does not fit the text.
    """
    text, offsets = place
    check_unit_is_given(reading)
    empty = Record(text or "", set(), None if offsets is None else [*offsets])
    if item is None:
        return empty._replace(annotated=False)
    if isinstance(item, TagSequence):
        return record_of_tags(item, name, place, empty)
    if kind_of(item) == "mentions":
        if text is None:
            raise ValueError(f"{name} has mentions without offsets, which are looked for in the text: give text=")
        return locate_mentions(empty, item, reading.match, reading.occurrences)
    given = [*item]
    spans = [_fitting_span(span, f"{name} span {k}", text, reading) for k, span in enumerate(given)]
    kept = {*spans}
    can_be_scored = any(not isinstance(span, (tuple, list)) or len(span) == 4 for span in given)
    scores = highest_scores(zip(spans, map(score_of, given))) if can_be_scored else {}
    record = empty._replace(spans=kept, duplicates=len(spans) - len(kept), span_scores=scores)
    if can_be_scored:
        asked = split_names(reading.label_from)
        listed = [attributes_of_item(span, asked, f"{name} span {k}") for k, span in enumerate(given)]
        if any(listed):
            return record._replace(attributes=attributes_by_span(zip(spans, listed)))
    return record


def check_unit_is_given(reading: Reading) -> None:
    """Raise ValueError if the unit of offsets is to be found, which only a file shows."""
    if reading.offsets == AUTO_OFFSETS:
        raise ValueError(
            f"{spell_argument('offsets', AUTO_OFFSETS)}: only files show it; expected one of {', '.join(OFFSETS)}"
        )


def record_of_tags(item: TagSequence, name: str, place: Place, empty: Record) -> Record:
    """Return a tag sequence as a record.

    Args:
        item: The tags that have been read.
        name: Their name in errors.
        place: The text and the tokens.
        empty: The record without spans.

    Raises:
        ValueError: The tokens are not known, or there are more or fewer of them than tags.
    """
    text, offsets = place
    if offsets is None and text is not None:
        offsets = Document([], [], text).words
        if len(offsets) != item.length:
            raise ValueError(
                f"{name} has {many(item.length, 'tag')}, and the text has {many(len(offsets), 'word')} between white "
                "space; give the tokens of the tags as tokens="
            )
    if offsets is None:
        raise ValueError(
            f"{name} has tags, which count tokens, and the other side has spans, which count characters; "
            "give the tokens as tokens=, one list of words per document"
        )
    if len(offsets) != item.length:
        raise ValueError(
            f"{name} has {many(item.length, 'tag')} for {many(len(offsets), 'token')}; "
            f"expected one tag per token{LACKING}"
        )
    spans = {(offsets[start][0], offsets[end - 1][1], label) for start, end, label in item.spans}
    gaps = tuple(offsets[k] for k in item.gaps)
    return empty._replace(spans=spans, tokens=[*offsets], repaired=item.repaired, gaps=gaps, notes=item.notes)


def _fitting_span(span: Any, name: str, text: str | None, reading: Reading) -> PlainSpan:
    """Return a span as a tuple. If it does not fit, the error says which unit of offsets would."""
    try:
        return _checked_span(span, name, text, reading)
    except ValueError as error:
        surface = surface_of(span)
        if text is None or not surface or (text.isascii() and "\r\n" not in text) or has_pieces(span):
            raise
        start, end, label = plain_span(span, name, None, inclusive=reading.end == "inclusive")
        said = suggest_unit(lambda unit: fit_span(name, (start, end, label), text, unit, surface[0]))
        raise ValueError(f"{error}{said}") from None


def _checked_span(span: Any, name: str, text: str | None, reading: Reading) -> PlainSpan:
    """Return a span as a tuple, compared with the text that it repeats."""
    inclusive = reading.end == "inclusive"
    in_characters = reading.offsets in (None, CODEPOINT)
    length = len(text) if text is not None and in_characters else None
    surface = surface_of(span)
    if has_pieces(span):
        format = Format(offsets=reading.offsets, end=reading.end)
        said = surface[0] if surface and surface[1] else None
        return fit_pieces(name, span, text, format, said)
    start, end, label = plain_span(span, name, length, inclusive=inclusive)
    if text is None or has_gaps((start, end)):
        return start, end, label
    if not in_characters:
        start, end, label = fit_span(name, (start, end, label), text, Format(offsets=reading.offsets))
    if surface and text[start:end].split() != surface[0].split():
        for other, remedy in (
            (end + 1, f"give {spell_per_side('end', 'inclusive')}"),
            (end - 1, "remove end='inclusive'"),
        ):
            is_text = text[start:other].split() == surface[0].split() and not text[start : start + 1].isspace()
            if (other > end) is not inclusive and is_text:
                raise ValueError(
                    f"{name} from {start} to {end} is {quote(text[start:end])}, and it says {quote(surface[0])}, "
                    f"which ends at {other}: {remedy}"
                )
        if surface[1]:
            raise ValueError(
                f"{name} from {start} to {end} is {quote(text[start:end])}, but it says {quote(surface[0])}; "
                "expected character offsets in this text"
            )
    return start, end, label


def place_of(text: Any, tokens: Any) -> Place:
    """Return the text and the offsets of the tokens, as far as they are given.

    Args:
        text: A string, or None.
        tokens: Words, which are looked for in the text; or their offsets; or None.

    Raises:
        ValueError: The text is no string, or a token is not in the text.
    """
    if text is not None and not isinstance(text, str):
        raise ValueError(f"the text is {shorten(repr(text))}; expected a str")
    if tokens is None:
        return Place(text, None)
    words = [*tokens]
    if not all(isinstance(word, str) for word in words):
        return Place(text, validate_tokens(words, None if text is None else len(text)))
    if text is None:
        text = " ".join(words)
    offsets, at = [], 0
    for k, word in enumerate(words):
        start = text.find(word, at)
        if start < 0:
            raise ValueError(f"token {k}, {quote(word)}, is not in the text after character {at}")
        offsets.append((start, at := start + len(word)))
    return Place(text, offsets)


Kind = Literal["tags", "spans", "mentions", "doc", "record", "document", "example", "nothing", "empty"]
"""The kind of an item. "nothing" is None, a document without annotation; "empty" is an empty list."""


class About(NamedTuple):
    """The properties of a kind of items: its name in messages, and the parts of an item in addition to its spans.

    `fields` are those of `formats.USERS` that concern it.
    """

    words: str
    holds_text: bool = False
    holds_both_sides: bool = False
    fields: Collection[str] = ()


ALIGNED = ("match_text", "missing_tokens")
"""The fields of `Format` that concern pairs of items with texts."""

KINDS: Mapping[Kind, About] = {
    "tags": About("tags", fields=("scheme", "outside", "repair", "tag_names", "missing_tokens")),
    "spans": About("spans", fields=("end", "offsets", "keys")),
    "mentions": About("mentions", fields=("match", "occurrences", "keys")),
    "doc": About("spaCy Docs", holds_text=True, fields=("spans_key", *ALIGNED)),
    "record": About("records", holds_text=True, fields=used_fields("jsonl")),
    "document": About("Documents", holds_text=True, holds_both_sides=True),
    "example": About("Examples", holds_text=True, holds_both_sides=True, fields=("spans_key",)),
    "empty": About("empty lists", fields=(*USERS,)),
}
"""The properties of each kind of items."""

EXPECTED = (
    "a list of tags such as ['B-PER', 'O'], a list of spans such as {'start': 0, 'end': 3, 'label': 'PER'} or "
    "(0, 3, 'PER'), strings by label {'PER': ['Ada']}, a spaCy Doc, a record {'text': ..., 'spans': [...]}, or a row "
    "{'tokens': ..., 'ner_tags': ...}"
)


def is_spacy(item: object, name: str) -> bool:
    """Return whether an item is a spaCy "Doc", "Span", "DocBin", "Example" or "Language". spaCy is not imported."""
    module = sys.modules.get({"Example": "spacy.training", "Language": "spacy.language"}.get(name, "spacy.tokens"))
    kind = getattr(module, name, None)
    return kind is not None and isinstance(item, kind)


FIELDS = {*TAG_KEYS, *TEXTS, *DOCUMENT_PARTS, "tokenized_text", "words", "sentence", "label", "labels"}
"""Keys of a record or a row, which are no labels."""


def _of_logits(item: Any) -> list[int] | None:
    """Return the number of the best tag of each token, if an item has the logits of all tags; None for anything else.

    Logits are an array or a tensor [tokens, tags] of fractions, or as many lists of fractions.

    >>> import numpy as np
    >>> _of_logits(np.array([[0.1, 2.0, 0.3], [1.5, 0.0, 0.2]])), _of_logits([[0.1, 0.9]]), _of_logits([(0, 3, "PER")])
    ([1, 0], [1], None)
    """
    if hasattr(item, "detach"):  # a tensor of torch
        item = item.detach().cpu().float().numpy() if item.is_floating_point() else item
    if len(getattr(item, "shape", ())) == 2 and getattr(item.dtype, "kind", "") == "f":
        return [int(number) for number in item.argmax(axis=-1)]
    if not isinstance(item, list) or not item or not all(isinstance(row, (list, tuple)) and row for row in item):
        return None
    if not all(isinstance(number, float) for row in item for number in row):
        return None
    return [max(range(len(row)), key=row.__getitem__) for row in item]


WORD_KEYS, TAG_KEYS_OF_WORDS = ("word", "token", "text", "form"), ("tag", "ner_tag", "ner", "label", "entity")
"""The keys of the word and of its tag in a dict of both."""


def _row_of_words(item: Any, outside: str | None) -> dict[str, Any] | None:
    """Return a list of words with their tags as a row of tokens and tags; None for anything else.

    Raises:
        ValueError: The words are tags.

    >>> _row_of_words([("Ada", "B-PER"), ("met", "O")], None), _row_of_words([{"Ada": "B-PER"}], None)
    ({'tokens': ['Ada', 'met'], 'ner_tags': ['B-PER', 'O']}, {'tokens': ['Ada'], 'ner_tags': ['B-PER']})
    """
    if not isinstance(item, (list, tuple)) or not item:
        return None
    pairs = [*takewhile(bool, map(_word_and_tag, item))]
    words, tags = ([pair[k] for pair in pairs if pair] for k in (0, 1))
    has_columns = are_columns(item)
    if len(words) < len(item) and not has_columns:
        return None
    if has_columns or not are_words(words, tags):
        raise ValueError(
            f"{_quote(item)} has tags where words are expected: give one list of tags per document, pairs (word, tag), "
            "or {'tokens': [...], 'ner_tags': [...]}"
        )
    if not are_tags(tags, outside):
        return None
    return {"tokens": words, "ner_tags": tags}


def _word_and_tag(part: Any) -> tuple[str, str] | None:
    """Return a word and its tag, of (word, tag), (word, ..., tag), {word: tag} or a dict of both."""
    if isinstance(part, (list, tuple)):
        texts = [*part]
    elif isinstance(part, Mapping) and len(part) == 1:
        texts = [*next(iter(part.items()))]
    elif isinstance(part, Mapping) and not {"start", "score", "index"} & part.keys():
        texts = [first_value(part, WORD_KEYS), first_value(part, TAG_KEYS_OF_WORDS)]
    else:
        return None
    return (texts[0], texts[-1]) if len(texts) > 1 and all(isinstance(text, str) for text in texts) else None


def reshape(item: Any, outside: str | None = None) -> Any:
    """Return an item in a shape that `kind_of` knows; others stay.

    spaCy 2's annotation becomes spans, strings by label become mentions, words with their tags become a row.

    Args:
        item: The item.
        outside: A tag of tokens outside of spans, in addition to O.

    Raises:
        ValueError: Entities are strings without labels.

    >>> reshape({"PER": ["Ada", "Bob"]}), reshape({"entities": [(0, 3, "PER")]})
    ([('Ada', 'PER'), ('Bob', 'PER')], [(0, 3, 'PER')])
    """
    if isinstance(item, Record):  # a tuple of many parts, none of which is looked at
        return item
    if isinstance(item, Iterator):
        item = [*item]
    elif getattr(getattr(item, "dtype", None), "kind", "number") in ("O", "U", "S"):  # an array of texts
        item = item.tolist()
    item = unpack_pair(item)
    if (numbers := _of_logits(item)) is not None:
        return numbers
    if row := _row_of_words(item, outside):
        return row
    if not isinstance(item, Mapping) or FIELDS & item.keys():
        return item
    if _is_list(listed := first_value(item, ("entities", "ents"))):
        if any(isinstance(entity, str) for entity in listed):
            raise ValueError(
                f"{_quote(item)} has entities without labels; expected (start, end, label), or {{label: [...]}}"
            )
        return [*listed]
    by_label = all(isinstance(label, str) and isinstance(strings, (list, tuple)) for label, strings in item.items())
    if by_label and all(isinstance(string, str) for strings in item.values() for string in strings):
        return [(string, label) for label, strings in item.items() for string in strings]
    return item


def kind_of(item: Any) -> Kind:
    """Return the kind of an item of a list of documents.

    Raises:
        ValueError: It cannot be scored; names its type, and the expected ones.

    >>> kind_of(["B-PER", "O"]), kind_of([(0, 3, "PER")]), kind_of([("Ada", "PER")]), kind_of([])
    ('tags', 'spans', 'mentions', 'empty')
    >>> kind_of([{"text": "Ada", "label": "PER"}]), kind_of([{"text": "Ada", "label": "PER", "start": 0, "end": 3}])
    ('mentions', 'spans')
    """
    if item is None:
        return "nothing"
    if isinstance(item, Record):
        return "record"
    if isinstance(item, Document):
        return "document"
    if is_spacy(item, "Doc"):
        return "doc"
    if is_spacy(item, "Example"):
        return "example"
    return _kind_of_plain(item)


def tags_key(item: Mapping[str, Any]) -> str | None:
    """Return the key of the tags in a row of tokens and tags; None if an item is no such row.

    >>> tags_key({"tokens": ["Ada"], "ner_tags": [1]})
    'ner_tags'
    >>> tags_key({"tokens": [{"start": 0, "end": 3}], "spans": [], "labels": []})
    """
    tokens = item.get("tokens")
    if not _is_list(tokens) or not all(isinstance(token, str) for token in tokens):
        return None
    return next((key for key in TAG_KEYS if _is_list(item.get(key)) and all(map(_is_tag, item[key]))), None)


def _is_tag(tag: Any) -> bool:
    return isinstance(tag, str) or tag_number(tag) is not None


def _is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    """Return whether a value is a list, or an array such as a data set may give."""
    return isinstance(value, (list, tuple)) or (hasattr(value, "__array__") and hasattr(value, "__len__"))


def _kind_of_plain(item: Any) -> Kind:
    if isinstance(item, Mapping):
        if "tokenized_text" in item or tags_key(item):
            return "record"
        if first_value(item, STARTS) is not None or "entity" in item:
            raise ValueError(f"{_quote(item)} is a single span; expected one list of spans per document: wrap it in []")
        if any(name in item for name in TEXTS) or is_answer(item):
            return "record"
        remedy = f", or name the keys with {spell_argument('keys', 'text=KEY,...')}"
        raise ValueError(f"{_quote(item)} has no 'text'; expected {EXPECTED}{remedy}")
    if isinstance(item, str):
        raise ValueError(
            f"it is the text {shorten(repr(item))}; expected {EXPECTED}, one such item per document: "
            "a single document is wrapped in []; the answer of a language model is given as {'answer': ...}"
        )
    if isinstance(item, tuple) and len(item) == 3 and isinstance(item[2], str) and not isinstance(item[0], str):
        raise ValueError(f"{_quote(item)} is a single span; expected one list of spans per document: wrap it in []")
    if not isinstance(item, Iterable):
        raise ValueError(f"{_quote(item)} is of type {type(item).__name__}; expected {EXPECTED}")
    return _kind_of_list(item)


def _kind_of_list(items: Iterable[Any]) -> Kind:
    first = next(iter(items), _NOTHING)
    if first is _NOTHING:
        return "empty"
    is_numbered = isinstance(first, float) and all(tag_number(part) is not None or part != part for part in items)
    if _are_scores(first) and not is_numbered:  # a table makes whole numbers floats if one is missing
        raise ValueError(
            "it has scores of tags; expected the tag of each token: take the best with argmax(-1), without its score"
        )
    if isinstance(first, (tuple, list)):
        if len(first) == 2 and all(isinstance(part, str) for part in first):
            return "mentions"
        return "spans"
    if isinstance(first, Mapping) and mention_of(first):
        return "mentions"
    if isinstance(first, Mapping) or first_value(first, (*STARTS, PIECES)) is not None:
        return "spans"
    return "tags"  # reading them reports numbers, None and the like


def _are_scores(row: Any) -> bool:
    """Return whether a row of a document has a score for each tag, as a model gives them."""
    scores = [*(row.values() if isinstance(row, Mapping) else row)] if isinstance(row, (list, tuple, Mapping)) else []
    is_beside_tag = len(scores) == 2 and isinstance(scores[0], str)
    if scores[is_beside_tag:] and all(isinstance(score, float) for score in scores[is_beside_tag:]):
        return True
    return isinstance(row, float) or len(getattr(row, "shape", ())) == 1


_NOTHING = object()


def plain_span(span: Any, name: str, length: int | None, *, inclusive: bool = False) -> PlainSpan:
    """Return a span of any shape as (start, end, label), with an exclusive end.

    Args:
        span: (start, end, label), with a score behind it or not, a dict, or an object with such attributes; see
            `STARTS`.
        name: The name of the span in errors.
        length: The length of the text, if it is known.
        inclusive: Whether the end is the last character (or token) of the span.

    Raises:
        ValueError: A part is missing, or the span does not fit the text.

    >>> plain_span({"entity_group": "PER", "word": "Ada", "start": 0, "end": 3}, "span 0", None)
    (0, 3, 'PER')
    """
    if isinstance(span, (tuple, list)):
        parts = span[:3]
        if len(span) != 3 and not _has_score(span):
            raise ValueError(f"{name} is {_quote(span)}; expected (start, end, label), or a score behind the label")
    else:
        parts = [first_value(span, STARTS), first_value(span, ENDS), label_of(span)]
        _check_parts(span, parts, name)
    return validate_span(name, exclusive_span(tuple(parts)) if inclusive else parts, length)


def _check_parts(span: Any, parts: Sequence[Any], name: str) -> None:
    """Raise ValueError if a part of a span is missing."""
    missing = [names[1] for names, part in zip((STARTS, ENDS, LABELS), parts) if part is None]
    if not missing:
        return
    if isinstance(span, Mapping):
        if "label" in missing and "entity" in span:
            raise ValueError(
                f"{name} has the tag of a single token, {_quote(span['entity'])}; {describe_token_label()}"
            )
        if "label" not in missing and any(span.get(key, 0) is None for key in (*STARTS, *ENDS)):
            raise ValueError(
                f"{name}, {_quote(span)}, has no number as {' and '.join(missing)}; a pipeline gives offsets if its "
                "tokenizer is fast: use_fast=True"
            )
    remedy = f"; {describe_lack(span)}" if isinstance(span, Mapping) else ""
    raise ValueError(
        f"{name}, {_quote(span)}, has no {', '.join(missing)}; expected 'start', 'end' and 'label'{remedy}"
    )


def has_pieces(span: Any) -> bool:
    """Return whether a span names its pieces."""
    return not isinstance(span, (tuple, list)) and not is_spacy(span, "Span") and bool(first_value(span, (PIECES,)))


def _has_score(span: Sequence[Any]) -> bool:
    """Return whether a span is (start, end, label, score)."""
    return len(span) == 4 and isinstance(span[3], Real) and not isinstance(span[3], bool)


def score_of(span: Any) -> Any:
    """Return the score of a span as it is given, None if it has none."""
    if isinstance(span, (tuple, list)):
        return span[3] if _has_score(span) else None
    score = span.get("score") if isinstance(span, Mapping) else getattr(span, "score", None)
    return score if score is None or not hasattr(score, "item") else score.item()


def attributes_of_item(span: Any, asked: Collection[str], name: str) -> Attributes:
    """Return the attributes of a span. Arguments and errors are those of `item_attributes`."""
    if not is_spacy(span, "Span"):
        return item_attributes(span, asked, name)
    from ..integration.span_attributes import span_attributes

    return span_attributes(span, asked)


def surface_of(span: Any) -> tuple[str, bool] | None:
    """Return the text that a span repeats, and whether it has to be that of the document.

    The `word` of a pipeline may be spelt as its tokenizer does.
    """
    if isinstance(span, (tuple, list)) or is_spacy(span, "Span"):
        return None
    for name in SURFACES:
        text = span.get(name) if isinstance(span, Mapping) else getattr(span, name, None)
        if isinstance(text, str) and text:
            return text, name != "word"
    return None


def _quote(item: Any) -> str:
    return shorten(repr(item))
