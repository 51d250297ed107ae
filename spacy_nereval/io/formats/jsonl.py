"""JSON of texts with their spans: lines or lists, of the package's own form, and of Prodigy, doccano and spaCy 2."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ...core.arguments import AUTO_OFFSETS, CODEPOINT
from ...core.attribute_values import item_attributes
from ...core.compression import BLOCK, format_extension
from ...core.document_fields import kept_fields, metadata
from ...core.expansion import LONG, check_objects
from ...core.keys import (
    DOCUMENTS,
    ENDS,
    LABELS,
    MENTIONS,
    PIECES,
    SPAN_LISTS,
    STARTS,
    TEXTS,
    UNREAD,
    KeyMap,
    describe_keys,
    describe_lack,
    describe_token_label,
    first_value,
    label_of,
    mention_of,
    mentions_of,
    nested_value,
    outer_keys,
    spans_by_label,
)
from ...core.messages import (
    SHOW,
    PlainSpan,
    highest_scores,
    quote,
    shorten,
    spell_argument,
    unique_keys,
    validate_tokens,
)
from ...core.pieces import join_pieces, pieces_of
from ..paths import check_is_file, open_input, readable_file
from ..records import Answer, Record, locate_mentions, read_answer_about, row_id
from ..tables import Table, is_table
from .contents import documents_in, json_values, lines, unpack_pair
from .settings import (
    Annotators,
    Format,
    check_unit_is_known,
    fit_pieces,
    fit_span,
    locate_error,
    spans_of_pieces,
)
from .tags import INVISIBLE, are_prefixed, are_tags, are_words

ANSWERS = ("accept", "reject", "ignore")

COLUMNS = (*TEXTS, "tokens", "id", "meta", "answer")
"""The other keys that are read."""

LIST = re.compile(r"\s*(\[|\{|\[\s*[\[{].*)\s*")
"""The first line of a file that is a single JSON value, not a value per line."""

DOCCANO = ("label", "labels")
"""The keys of lists of [start, end, label] in doccano."""

SPAN = ("start", "end", "label")
"""The names of the parts of a span in errors."""

PLAIN = frozenset({"text", "spans", "id", "meta"})
"""The keys of a line that `_plain_record` reads."""

PLAIN_SPAN = frozenset({*SPAN, "score", "confidence", "token_start", "token_end"})
"""The keys of a span that `_plain_spans` reads, and those that mean nothing beside a start and an end."""

ANNOTATOR = "_annotator_id"
"""The key of the annotator of a line, in Prodigy."""


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read one document per line.

    A line is an object with a "text" and a list of spans under one of `SPAN_LISTS`, or a list of
    strings with labels there or under "mentions"; or spaCy 2's pair [text, {"entities": [...]}]. A
    file may also be a list of such objects, or an object with a list of them. An object may have
    "tokens", an "id", an "answer", and fields of the document in "meta". Spans that are objects may
    have a "score". Offsets count characters, and the end is exclusive. As in Prodigy's own training,
    a line with an `answer` other than `accept` is not annotated, and an accepted line without a list
    of spans has no spans. Any other `answer` without a list of spans is that of a language model, about
    the text of the line or of gold. Empty lines are skipped.

    If "_annotator_id" names several annotators, there is one record per document: the lines of
    different annotators with the same id, or with the same text if they have no id. Such a file
    is read twice.

    Args:
        path: The file.
        format: `format.field` names the key of the spans, instead of `SPAN_LISTS`, and `format.keys` the
            keys of all parts; `format.offsets` says
            the unit of offsets; `format.check_text` says whether a span with a "text" has to cover
            that text; `format.match` and `format.occurrences` say how mentions are located.

    Yields:
        One record per line or document.

    Raises:
        ValueError: If there is no such file, or a line is malformed; names the line.
        OSError: If the file cannot be read.

    >>> path = getfixture("tmp_path") / "a.jsonl"
    >>> _ = path.write_text('{"text": "Ada sleeps", "spans": [{"start": 0, "end": 3, "label": "PER"}]}')
    >>> [(record.text, record.spans) for record in read(path)]
    [('Ada sleeps', {(0, 3, 'PER')})]
    """
    annotators, documents = annotators_of(path, format)
    if annotators.names:
        annotators.check()
    several = len(annotators.names) > 1
    for number, entry in _line_per_document(path, documents, annotators, format) if several else _entries(path, format):
        try:
            yield record_of(entry, format)
        except ValueError as error:
            raise locate_error(error, f"{path}, {_noun(path)} {number}") from None


class Line(NamedTuple):
    """A line of a file with annotators: its number, its annotator, and whether the annotator accepted it."""

    number: int
    annotator: str
    accepted: bool


def annotators_of(path: Path, format: Format = Format()) -> tuple[Annotators, list[list[Line]]]:
    """Return the annotators of a file, and the lines of each document; both empty if no line names an annotator.

    Lines of different annotators belong to one document if they have the same id, or no id and the
    same text. Lines of one annotator with the same text are different documents.

    Raises:
        ValueError: A line cannot be read; names it.

    >>> path = getfixture("tmp_path") / "a.jsonl"
    >>> text = '{"text": "Ada", "spans": [], "_annotator_id": "%s"}'
    >>> _ = path.write_text(f"{text % 'ann'}\\n{text % 'bob'}")
    >>> annotators_of(path)[0].by_document
    {'on line 1': ['ann', 'bob']}
    """
    annotators = Annotators(path, format.annotator)
    documents: dict[tuple[bool, str, int], list[Line]] = {}
    if not _may_name_annotators(path) or not any(ANNOTATOR in entry for _, entry in _entries(path, format) if entry):
        return annotators, []
    noun = _noun(path)
    line_counts: Counter[tuple[str, bool, str]] = Counter()  # the number of an annotator's lines of one id or text
    for number, entry in _entries(path, format):
        try:
            text, accepted = _text(entry), is_answer(entry) or _is_accepted(entry)
        except ValueError as error:
            raise ValueError(f"{path}, {noun} {number}: {error}") from None
        id, name = row_id(entry), str(entry.get(ANNOTATOR, "unknown"))
        document = id is not None, sha256(text.encode("utf8", "surrogatepass")).hexdigest() if id is None else id
        earlier = line_counts[(name, *document)]
        lines_of = documents.setdefault((*document, earlier), [])
        line_counts[(name, *document)] = earlier + 1
        lines_of.append(Line(number, name, accepted))
        annotators.see(id or f"on {noun} {lines_of[0].number}", name, annotated=accepted)
    return annotators, [*documents.values()]


def _may_name_annotators(path: Path) -> bool:
    """Return whether some line may name an annotator, without parsing JSON."""
    check_is_file(path)
    if is_table(path):
        return ANNOTATOR in Table(path).columns
    before = b""
    with open_input(path) as file:
        while block := file.read(BLOCK):  # not by lines, of which a small file may have millions
            if ANNOTATOR.encode() in before + block:
                return True
            before = block[-len(ANNOTATOR) :]
    return False


def _line_per_document(
    path: Path, documents: list[list[Line]], annotators: Annotators, format: Format
) -> Iterator[tuple[int, Any]]:
    """Yield the line to read for each document, in the order in which the documents first occur.

    If a document has no line of the chosen annotator, its first line is yielded, as not annotated.
    """
    chosen_lines = [
        next((line for line in lines_of if line.accepted and annotators.is_read(line.annotator)), lines_of[0])
        for lines_of in documents
    ]
    entries: dict[int, Any] = {}
    numbers, order = {line.number for line in chosen_lines}, iter(chosen_lines)
    line = next(order)
    for number, entry in _entries(path, format):
        if number in numbers:
            entries[number] = entry
        while line.number in entries:
            is_read = line.accepted and annotators.is_read(line.annotator)
            entry_to_read = entries.pop(line.number)
            yield line.number, entry_to_read if is_read else {**entry_to_read, "answer": "ignore"}
            line = next(order, Line(0, "", False))


def _entries(path: Path, format: Format) -> Iterator[tuple[int, Any]]:
    """Yield the number and the JSON value of each document, with the usual names of keys."""
    if not format.keys and not format.field:
        yield from _values(path, format)
        return
    noun = _noun(path)
    for number, entry in _values(path, format):
        try:
            if format.keys:
                entry = format.keys.rename(entry)
            elif format.field and (value := nested_value(entry, format.field)) is not None:
                entry = {**entry, format.field: value}
        except ValueError as error:
            raise ValueError(f"{path}, {noun} {number}: {error}") from None
        yield number, entry


def _values(path: Path, format: Format) -> Iterator[tuple[int, Any]]:
    """Yield the number and the JSON value of each line that is not empty, of each row of a table, or of a list."""
    noun = _noun(path)
    if noun == "row":
        chosen = format.keys.of_documents() if format.keys else []
        usual = (*_keys(format), MENTIONS, *COLUMNS, ANNOTATOR, *kept_fields())
        yield from Table(path).rows([*chosen, *usual], outer_keys((*chosen, format.field or "")))
    elif noun == "document":
        values = json_values(path, unique_keys)
        yield from enumerate(entry for line, value in values for entry in _documents(path, line, value, format.keys))
    else:
        for number, line in lines(path):
            if len(line) > LONG:
                check_objects(path, line, readable_file(path))
            try:
                if line.strip(INVISIBLE):
                    yield number, _entry(line)
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None


def _documents(path: Path, line: int, value: Any, keys: KeyMap | None) -> list[Any]:
    """Return the documents of a JSON value on a line: those in it, or the value itself."""
    named = dict(keys.keys) if keys else {}
    is_document = DOCUMENTS not in named and nested_value(value, named.get("text", "")) is not None
    try:
        inside = None if is_document else documents_in(value, named.get(DOCUMENTS))
    except ValueError as error:
        raise ValueError(f"{path}, line {line}: {error}") from None
    return [value] if inside is None else inside


def _noun(path: Path) -> str:
    """Return the name of a document of the file: "row" of a table, "line", or "document" of a JSON list or object."""
    check_is_file(path)
    if is_table(path):
        return "row"
    if format_extension(path) == ".json":
        return "document"
    return "document" if LIST.fullmatch(next((line for _, line in lines(path) if line.strip()), "")) else "line"


def _keys(format: Format) -> tuple[str, ...]:
    """Return the possible keys of the spans."""
    return (format.field,) if format.field else SPAN_LISTS


def _entry(line: str) -> Any:
    """Return the JSON value of a line. Raise ValueError if it is not valid, or an object has a key twice."""
    try:
        entry = _decoder.decode(line)
    except (ValueError, RecursionError):
        entry = None  # the error is that of the next attempt, which may find a repeated key before
    if isinstance(entry, dict) and not _may_repeat_keys(line, entry):
        return entry
    try:
        return json.loads(line, strict=False, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not valid JSON ({error})") from None


_decoder = json.JSONDecoder(strict=False)
"""Reads tabs and other control characters in texts as they are. Looking for repeated keys takes three times as long."""


def _may_repeat_keys(line: str, entry: Mapping[str, Any]) -> bool:
    """Return whether a key may be repeated in a line: whether it may have more keys than the objects in its value."""
    if " :" in line or "\t:" in line or "\r:" in line:
        return True
    number = len(entry)
    for value in entry.values():
        if value.__class__ is list:
            for item in value:  # objects that are nested more deeply are not counted, so the numbers differ
                if item.__class__ is dict:
                    number += len(item)
    return line.count('":') != number


def record_of(entry: Any, format: Format = Format()) -> Record:
    """Return the record of a line's JSON value. Raise ValueError if it is invalid."""
    if (plain := _plain_record(entry, format)) is not None:
        return plain
    record = _record_of(unpack_pair(entry), format)
    unread = entry.get(UNREAD) if isinstance(entry, dict) else None
    if not isinstance(unread, tuple):
        return record
    keys = spell_argument("keys")
    notes = (f'of "{key}", only the elements that {keys} names by number are read' for key in unread)
    return record._replace(notes=(*record.notes, *notes))


def _record_of(entry: Any, format: Format) -> Record:
    answer = _answer(entry, format) if isinstance(entry, dict) and "answer" in entry else None
    if answer and first_value(entry, TEXTS) is None:
        return Record("", set(), id=row_id(entry), answer=answer)
    text, id = _text(entry), row_id(entry)
    if answer:
        return read_answer_about(Record(text, set(), id=id, meta=metadata(entry, None)), answer)
    if not _is_accepted(entry):
        return Record(text, set(), id=id, annotated=False)
    tokens = None
    if entry.get("tokens"):
        try:
            places = [(token["start"], token["end"], "token") for token in entry["tokens"]]
        except (TypeError, KeyError):
            raise ValueError('"tokens" is not a list of {"start", "end"}') from None
        by_unit = format._replace(end=None)  # `end` is about spans
        token_spans = (fit_span(f"token {k},", token, text, by_unit)[:2] for k, token in enumerate(places))
        tokens = validate_tokens(token_spans, len(text))
    meta = metadata(entry, entry["meta"] if isinstance(entry.get("meta"), dict) else None)
    entry = entry | {key: listed for key in _keys(format) if (listed := spans_by_label(entry.get(key))) is not None}
    has_one_list = entry.keys().isdisjoint(SPAN_LISTS[1:])
    if has_one_list and (plain := _plain_spans(entry.get(SPAN_LISTS[0]), text, format)) is not None:
        return Record.deduplicate(text, plain[0], tokens, id=id, meta=meta, span_scores=plain[1])
    if (mentions := _mentions(entry, format)) is not None:
        side = Record(text, set(), tokens, id, meta=meta)
        check_are_mentions(mentions)
        return locate_mentions(side, mentions, format.match, format.occurrences)
    spans, numbers = _spans(entry, text, format)
    return Record.deduplicate(text, spans, tokens, id=id, meta=meta, **numbers)


def is_answer(entry: Any) -> bool:
    """Return whether an object has the answer of a language model, and no spans.

    >>> is_answer({"answer": "[]"}), is_answer({"text": "Ada", "answer": "accept"})
    (True, False)
    """
    if not isinstance(entry, Mapping) or not isinstance(entry.get("answer"), str) or entry["answer"] in ANSWERS:
        return False
    return not any(isinstance(entry.get(key), (list, dict)) for key in (*SPAN_LISTS, MENTIONS))


def _answer(entry: Any, format: Format) -> Answer | None:
    """Return the answer of a language model that a line has in place of spans; None if it has none."""
    if format.field or not is_answer(entry):
        return None
    label = entry.get("label")
    return Answer(entry["answer"], label if isinstance(label, str) else None, format.match, format.occurrences)


def check_are_mentions(mentions: Sequence[Any]) -> None:
    """Raise ValueError if the labels of mentions are the tags of tokens, or their strings are."""
    strings, labels = ([pair[k] for pair in map(mention_of, mentions) if pair] for k in (0, 1))
    is_swapped = not are_words(strings, labels)
    if is_swapped or are_tags(labels):
        what, tag = ("string", strings[0]) if is_swapped else ("label", labels[0])
        raise ValueError(
            f"the {what} {quote(tag)} of a mention is the tag of a token; expected labels of mentions, or "
            f"{WORDS_AND_TAGS}"
        )


WORDS_AND_TAGS = 'the words under "tokens" and their tags under "ner_tags"'
"""The form in which words with tags are read."""


def _check_is_no_tag(k: int, span: Any) -> None:
    """Raise ValueError if what a list of spans has is the tag of a token, alone or with its word."""
    tag = next(iter(span.values())) if isinstance(span, dict) and len(span) == 1 else span
    if tag == "O" or are_prefixed([tag]):
        raise ValueError(f"span {k} is the tag of a token, {quote(tag)}; expected spans, or {WORDS_AND_TAGS}")


def _text(entry: Any) -> str:
    text = entry.get(TEXTS[0]) if isinstance(entry, dict) else None
    if not isinstance(text, str) and isinstance(entry, dict):
        text = first_value(entry, TEXTS)  # data: doccano 1.5 and 1.6
    if not isinstance(text, str):
        remedy = ""
        if isinstance(entry, dict):
            texts = {str(name): value for name, value in entry.items() if isinstance(value, str)}
            example = max(texts, key=lambda name: len(texts[name]), default="KEY")
            remedy = f"; {describe_keys(entry)}: name the keys with {spell_argument('keys', f'text={example},...')}"
            if any(isinstance(value, list) and are_prefixed(value) for value in entry.values()):
                remedy = f", or {WORDS_AND_TAGS}; {describe_keys(entry)}"
        raise ValueError(
            f'expected an object with a "text": {{"text": ..., "spans": [{{"start", "end", "label"}}]}}{remedy}; {SHOW}'
        )
    return text


def _mentions(entry: dict[str, Any], format: Format) -> list[Any] | None:
    """Return the spans of a line without offsets; None if it has a list of spans with offsets, or no list."""
    keys = _keys(format)
    span_lists = [entry[key] for key in keys if isinstance(entry.get(key), list)]
    if not span_lists:
        given = next((entry[key] for key in (MENTIONS, *keys) if mentions_of(entry.get(key))), entry.get(MENTIONS))
        return given if isinstance(given, list) else mentions_of(given)
    return span_lists[0] if len(span_lists) == 1 and mentions_of(span_lists[0]) else None


def _is_accepted(entry: Any) -> bool:
    """Return whether a line, or a span of Prodigy's binary annotation, was accepted."""
    answer: object = entry.get("answer", "accept") if isinstance(entry, dict) else "accept"
    if answer not in ANSWERS:
        raise ValueError(f"the answer {shorten(repr(answer))} is not one of {', '.join(ANSWERS)}")
    return answer == "accept"


def _spans(entry: dict[str, Any], text: str, format: Format) -> tuple[list[PlainSpan], dict[str, Any]]:
    """Return the accepted spans of a line; and the number of rejected ones, the scores of spans that have one, and the
    attributes of each, by the names that `Record.deduplicate` gives them."""
    keys = _keys(format)
    span_lists = {key: entry[key] for key in keys if isinstance(entry.get(key), list)}
    if not span_lists:
        if entry.get("answer") and not any(entry.get(key) for key in keys[:2]):
            return [], {}  # Prodigy leaves the list out if an annotator accepted a text without spans
        named = spell_argument("column") if format.field else spell_argument("keys", "spans=KEY")
        if usual := next((name for name in keys if entry.get(name) is not None), None):
            expected = 'a list of [start, end, label], of {"start", "end", "label"} or of mentions'
            remedy = (
                f"; name one list with {spell_argument('keys', f'spans={usual}.{group}')}"
                if (group := _first_group(entry[usual]))
                else ""
            )
            raise ValueError(
                f'there is no list of "{keys[0]}": "{usual}" is {shorten(repr(entry[usual]))}; expected {expected}'
                f"{remedy}; {SHOW}"
            )
        others = {name: entry[name] for name in entry if name not in (*COLUMNS, *keys, UNREAD)}
        if format.field and (usual := next((name for name in SPAN_LISTS if isinstance(entry.get(name), list)), None)):
            named += f" ({spell_argument('column', f'{usual},{format.field}')} if that is the predictions' alone)"
        remedy = f"{describe_keys(others)}: name the key of the spans with {named}, or " if others else ""
        shown = f"; {SHOW}" if others else ""
        raise ValueError(
            f'there is no list of "{keys[0]}"; {remedy}write an empty list for a text without spans{shown}'
        )
    key, entries = next(iter(span_lists.items()))
    is_doccano = any("start_offset" in span if isinstance(span, dict) else key in DOCCANO for span in entries)
    has_texts = all(isinstance(span, dict) and span.get("text") is not None for span in entries)
    if is_doccano and not has_texts:
        ends = [first_value(span, ENDS) for span in entries if isinstance(span, dict)]
        ends += [span[1] for span in entries if isinstance(span, (list, tuple)) and len(span) > 1]
        check_unit_is_known(text, ends, format, "doccano")
    accepted = {
        key: [(k, span) for k, span in enumerate(spans) if _is_accepted(span)] for key, spans in span_lists.items()
    }
    (first, fitted), *other_lists = (
        (key, [(k, span, new) for k, span in entries for new in _fitting_spans(k, span, entry, text, format)])
        for key, entries in accepted.items()
    )
    spans = [new for _, _, new in fitted]
    for key, other_spans in other_lists:
        if {new for _, _, new in other_spans} != {*spans}:
            raise ValueError(f'"{first}" and "{key}" do not list the same spans; keep one of them')
    group = _first_group(entry.get(SPAN_LISTS[0]))
    reads = spell_argument("keys", f"spans={SPAN_LISTS[0]}.{group}")
    has_scores = any(isinstance(span, dict) and "score" in span for _, span, _ in fitted)
    scores = (span.get("score") if isinstance(span, dict) else None for _, span, _ in fitted)
    return spans, {
        "rejected": len(span_lists[first]) - len(accepted[first]),
        "span_scores": highest_scores(zip(spans, scores)) if has_scores else {},
        "listed_attributes": [item_attributes(span, format.asked, f"span {k}") for k, span, _ in fitted],
        "notes": (f'the span groups of "{SPAN_LISTS[0]}" are not read; {reads} reads one',) if group else (),
    }


def _first_group(value: Any) -> str | None:
    """Return the name of the first span group, as spaCy's `Doc.to_json` writes them; None for other values."""
    groups = value.items() if isinstance(value, dict) else ()
    return next((str(name) for name, spans in groups if isinstance(spans, list) and any(map(label_of, spans))), None)


def _fitting_spans(k: int, span: Any, entry: dict[str, Any], text: str, format: Format) -> list[PlainSpan]:
    """Return the span that a line has under a number; several if its pieces are read as spans."""
    if isinstance(span, dict) and span.get(PIECES) is not None:
        whole = fit_pieces(f"span {k}", span, text, format, _surface(k, span))
        return [(*part, whole[2]) for part in spans_of_pieces([*pieces_of(whole)], format.discontinuous)]
    return [fit_span(f"span {k},", _parts(k, span, entry), text, format, _surface(k, span))]


def _plain_record(entry: Any, format: Format) -> Record | None:
    """Return the record of a line in the package's own form, without tokens; None if it has another form or is invalid.

    Nearly all lines have this form. Reading them this way takes a third of the time.
    """
    if entry.__class__ is not dict or not entry.keys() <= PLAIN or (text := entry.get("text")).__class__ is not str:
        return None
    if (plain := _plain_spans(entry.get(SPAN_LISTS[0]), text, format)) is None:
        return None
    meta = entry.get("meta")
    meta = metadata(entry, meta if isinstance(meta, dict) else None)
    return Record.deduplicate(text, plain[0], id=row_id(entry), meta=meta, span_scores=plain[1])


def _plain_spans(listed: Any, text: str, format: Format) -> tuple[list[PlainSpan], dict[PlainSpan, Any]] | None:
    """Return the listed spans with their scores if all are valid and in the package's own form; otherwise None."""
    if (
        listed.__class__ is not list
        or format.field not in (None, SPAN_LISTS[0])
        or format.offsets not in (None, AUTO_OFFSETS, CODEPOINT)
        or format.end == "inclusive"
    ):
        return None
    spans: list[PlainSpan] = []
    scores: list[Any] = []
    length = len(text)
    try:
        for span in listed:
            label = span["label"]
            if len(span) > 2:
                start, end = span["start"], span["end"]
                if not (start.__class__ is end.__class__ is int and 0 <= start <= end <= length):
                    return None
                if len(span) > 3:
                    if not span.keys() <= PLAIN_SPAN:
                        return None
                    scores.append(((start, end, label), span.get("score")))
            elif format.discontinuous is None:
                start, end = _join_plain_pieces(span[PIECES], text)
            else:
                return None
            if not (label.__class__ is str and label):
                return None
            spans.append((start, end, label))
    except (TypeError, LookupError, ValueError):
        return None
    return spans, highest_scores(scores) if scores else {}


def _join_plain_pieces(pieces: Any, text: str) -> tuple[int, int]:
    """Return what `join_pieces` does. Raise ValueError if these are no pieces of the text; `fit_pieces` says why."""
    for start, end in pieces:
        if not (start.__class__ is end.__class__ is int and 0 <= start <= end <= len(text)):
            raise ValueError
    return join_pieces(pieces, text)


def _surface(k: int, span: Any) -> str | None:
    """Return the text that the file repeats for a span; None if it does not."""
    text = first_value(span, ("text", "entity_value")) if isinstance(span, dict) else None
    if text is not None and not isinstance(text, str):
        raise ValueError(f"span {k} has the text {shorten(repr(text))}; expected the part of the text that it covers")
    return text


def _parts(k: int, span: Any, entry: dict[str, Any]) -> Any:
    """Return a span as [start, end, label], unchecked. Prodigy's `token_end` is the last token of a span."""
    if isinstance(span, (list, tuple)):
        return span
    _check_is_no_tag(k, span)
    if isinstance(span, dict) and "start" not in span and {"token_start", "token_end", "label"} <= span.keys():
        first, last, tokens = span["token_start"], span["token_end"], entry.get("tokens") or ()
        if not (isinstance(first, int) and isinstance(last, int) and 0 <= first <= last < len(tokens)):
            raise ValueError(
                f"span {k} is from token {shorten(str(first))} to {shorten(str(last))}; the text has {len(tokens)} "
                "tokens, from 0 up"
            )
        return [tokens[first]["start"], tokens[last]["end"], span["label"]]
    names = ("start_offset", "end_offset", "label") if isinstance(span, dict) and "start_offset" in span else SPAN
    lacks = [not isinstance(span, dict) or span.keys().isdisjoint(n) for n in (STARTS, ENDS, LABELS[:-1])]
    parts = [first_value(span, STARTS), first_value(span, ENDS), label_of(span)]
    if missing := [repr(name) for name, part, lack in zip(names, parts, lacks) if part is None and lack]:
        remedy = ""
        if isinstance(span, dict):
            is_tag = missing == ["'label'"] and "entity" in span
            remedy = f"; {describe_keys(span)}: {describe_token_label()}" if is_tag else f"; {describe_lack(span)}"
        raise ValueError(f"span {k} has no {', '.join(missing)}{remedy}")
    return parts
