"""JSON lines: the package's own format, and those of Prodigy, doccano and spaCy 2."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import srsly

from ...core.arguments import AUTO_OFFSETS, CODEPOINT
from ...core.compression import BLOCK
from ...core.expansion import LONG, check_objects
from ...core.messages import PlainSpan, highest_scores, shorten, unique_keys, validate_tokens
from ..paths import check_is_file, open_input, readable_file
from ..records import Record, locate_mentions, row_id
from ..tables import Table, is_table, row_noun
from .contents import lines
from .settings import Annotators, Format, check_unit_is_known, fit_span, locate_error

KEYS = ("spans", "entities", "label", "labels")
"""The keys that can hold the spans, as lists of objects or of [start, end, label]."""

MENTIONS = "mentions"
"""The key of mentions: spans without offsets, each a string with its label. It is read if there is no list of spans."""

NAMES = (("start", "end", "label"), ("start_offset", "end_offset", "label"))
"""The keys of a span's parts, in Prodigy and in doccano."""

ANSWERS = ("accept", "reject", "ignore")

COLUMNS = ("text", "data", "tokens", "id", "meta", "answer")
"""The other keys that are read."""

ANNOTATOR = "_annotator_id"
"""The key of the annotator of a line, in Prodigy."""


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read one document per line.

    A line is an object with a "text" and a list of spans under one of `KEYS`, or a list of
    strings with labels under "mentions"; or spaCy 2's pair [text, {"entities": [...]}]. An
    object may have "tokens", an "id", an "answer", and fields of the document in "meta". Spans
    that are objects may have a "score". Offsets count characters, and the end is exclusive. As
    in Prodigy's own training, a line with an `answer` other than `accept` is not annotated, and
    an accepted line without a list of spans has no spans. Empty lines are skipped.

    If "_annotator_id" names several annotators, there is one record per document: the lines of
    different annotators with the same id, or with the same text if they have no id. Such a file
    is read twice.

    Args:
        path: The file.
        format: `format.field` names the key of the spans, instead of `KEYS`; `format.offsets` says
            what offsets count; `format.check_text` says whether a span with a "text" has to cover
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
            raise locate_error(error, f"{path}, {row_noun(path)} {number}") from None


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
    noun = row_noun(path)
    line_counts: Counter[tuple[str, bool, str]] = Counter()  # the number of an annotator's lines of one id or text
    for number, entry in _entries(path, format):
        try:
            text, accepted = _text(entry), _is_accepted(entry)
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
    """Yield the number and the JSON value of each line that is not empty, or of each row of a table."""
    check_is_file(path)
    if is_table(path):
        yield from Table(path).rows([*_keys(format), MENTIONS, *COLUMNS, ANNOTATOR])
        return
    for number, line in lines(path):
        if not line.strip():
            continue
        if len(line) > LONG:
            check_objects(path, line, readable_file(path))
        try:
            yield number, _entry(line)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None


def _keys(format: Format) -> tuple[str, ...]:
    """Return the keys that can hold the spans."""
    return (format.field,) if format.field else KEYS


def _entry(line: str) -> Any:
    try:
        # srsly is faster, but reads .41 as .41000000000000003, which would be another cut, and accepts repeated keys.
        if '"score"' in line or _may_repeat_keys(line):
            return json.loads(line, object_pairs_hook=unique_keys)
        return srsly.json_loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not valid JSON ({error})") from None


def _may_repeat_keys(line: str) -> bool:
    """Return whether the counts of key names in a line suggest that a key is repeated."""
    return (
        line.count('"text"') > 1
        or line.count('"spans"') > 1
        or line.count('"id"') > 1
        or line.count('"meta"') > 1
        or not line.count('"start"') == line.count('"end"') == line.count('"label"')
    )


def record_of(entry: Any, format: Format = Format()) -> Record:
    """Return the record of a line's JSON value. Raise ValueError that says what is wrong with it."""
    entry = unpack_pair(entry)
    text, id = _text(entry), row_id(entry)
    if not _is_accepted(entry):
        return Record(text, set(), id=id, annotated=False)
    tokens = None
    if entry.get("tokens"):
        try:
            places = [(token["start"], token["end"], "token") for token in entry["tokens"]]
        except (TypeError, KeyError):
            raise ValueError('"tokens" is not a list of {"start", "end"}') from None
        token_spans = (fit_span(f"token {k},", token, text, format)[:2] for k, token in enumerate(places))
        tokens = validate_tokens(token_spans, len(text))
    meta = entry["meta"] if isinstance(entry.get("meta"), dict) else None
    if isinstance(entry.get(MENTIONS), list) and not any(isinstance(entry.get(key), list) for key in _keys(format)):
        side = Record(text, set(), tokens, id, meta=meta)
        return locate_mentions(side, entry[MENTIONS], format.match, format.occurrences)
    spans, rejected, scores = _spans(entry, text, format)
    return Record.deduplicate(text, spans, tokens, id=id, meta=meta, rejected=rejected, span_scores=scores)


def unpack_pair(entry: Any) -> Any:
    """Return spaCy 2's pair of a text and its annotation as an object, and any other value as it is.

    >>> unpack_pair(("Ada", {"entities": [(0, 3, "PER")]}))
    {'text': 'Ada', 'entities': [(0, 3, 'PER')]}
    """
    if not isinstance(entry, (list, tuple)) or [*map(type, entry)] != [str, dict] or "entities" not in entry[1]:
        return entry
    return {"text": entry[0], "entities": entry[1]["entities"]}


def _text(entry: Any) -> str:
    text: object = (
        entry.get("text", entry.get("data")) if isinstance(entry, dict) else None
    )  # data: doccano 1.5 and 1.6
    if not isinstance(text, str):
        raise ValueError('expected an object with a "text": {"text": ..., "spans": [{"start", "end", "label"}]}')
    return text


def _is_accepted(entry: Any) -> bool:
    """Return whether a line, or a span of Prodigy's binary annotation, was accepted."""
    answer: object = entry.get("answer", "accept") if isinstance(entry, dict) else "accept"
    if answer not in ANSWERS:
        raise ValueError(f"the answer {shorten(repr(answer))} is not one of {', '.join(ANSWERS)}")
    return answer == "accept"


def _spans(entry: dict[str, Any], text: str, format: Format) -> tuple[list[PlainSpan], int, dict[PlainSpan, Any]]:
    """Return the accepted spans of a line, the number of rejected ones, and the scores of spans that have one."""
    if (plain := _plain_spans(entry, len(text), format)) is not None:
        return plain, 0, {}
    keys = _keys(format)
    span_lists = {key: entry[key] for key in keys if isinstance(entry.get(key), list)}
    if not span_lists:
        if entry.get("answer") and not any(entry.get(key) for key in keys[:2]):
            return [], 0, {}  # Prodigy leaves the list out if an annotator accepted a text without spans
        raise ValueError(f'there is no list of "{keys[0]}"; write an empty list for a text without spans')
    key, entries = next(iter(span_lists.items()))
    is_doccano = any("start_offset" in span if isinstance(span, dict) else key in KEYS[2:] for span in entries)
    has_texts = all(isinstance(span, dict) and span.get("text") is not None for span in entries)
    if is_doccano and not has_texts:
        ends = [span.get("end_offset", span.get("end")) for span in entries if isinstance(span, dict)]
        ends += [span[1] for span in entries if isinstance(span, (list, tuple)) and len(span) > 1]
        check_unit_is_known(text, ends, format, "doccano")
    accepted = {
        key: [(k, span) for k, span in enumerate(spans) if _is_accepted(span)] for key, spans in span_lists.items()
    }
    (first, spans), *other_lists = (
        (key, [fit_span(f"span {k},", _parts(k, span, entry), text, format, _surface(k, span)) for k, span in entries])
        for key, entries in accepted.items()
    )
    for key, other_spans in other_lists:
        if {*other_spans} != {*spans}:
            raise ValueError(f'"{first}" and "{key}" do not list the same spans; keep one of them')
    has_scores = any(isinstance(span, dict) and "score" in span for _, span in accepted[first])
    scores = (span.get("score") if isinstance(span, dict) else None for _, span in accepted[first])
    return (
        spans,
        len(span_lists[first]) - len(accepted[first]),
        highest_scores(zip(spans, scores)) if has_scores else {},
    )


def _plain_spans(entry: dict[str, Any], length: int, format: Format) -> list[PlainSpan] | None:
    """Return the spans of a line if all are valid and in the package's own form; otherwise None.

    Nearly all lines have this form. Reading them this way takes half the time.
    """
    if (
        entry.get(KEYS[0]).__class__ is not list
        or not entry.keys().isdisjoint(KEYS[1:])
        or format.field not in (None, KEYS[0])
        or format.offsets not in (None, AUTO_OFFSETS, CODEPOINT)
    ):
        return None
    spans: list[PlainSpan] = []
    try:
        for span in entry[KEYS[0]]:
            start, end, label = span["start"], span["end"], span["label"]
            if not (len(span) == 3 and start.__class__ is end.__class__ is int and 0 <= start <= end <= length):
                return None
            if not (label.__class__ is str and label):
                return None
            spans.append((start, end, label))
    except (TypeError, LookupError):
        return None
    return spans


def _surface(k: int, span: Any) -> str | None:
    """Return the text that the file repeats for a span; None if it does not."""
    text = span.get("text") if isinstance(span, dict) else None
    if text is not None and not isinstance(text, str):
        raise ValueError(f"span {k} has the text {shorten(repr(text))}; expected the part of the text that it covers")
    return text


def _parts(k: int, span: Any, entry: dict[str, Any]) -> Any:
    """Return a span as [start, end, label], unchecked. Prodigy's `token_end` is the last token of a span."""
    if isinstance(span, (list, tuple)):
        return span
    if isinstance(span, dict) and "start" not in span and {"token_start", "token_end", "label"} <= span.keys():
        first, last, tokens = span["token_start"], span["token_end"], entry.get("tokens") or ()
        if not (isinstance(first, int) and isinstance(last, int) and 0 <= first <= last < len(tokens)):
            raise ValueError(f"span {k} is from token {first} to {last}; the text has {len(tokens)} tokens, from 0 up")
        return [tokens[first]["start"], tokens[last]["end"], span["label"]]
    names = NAMES[isinstance(span, dict) and "start_offset" in span]
    if missing := [name for name in names if not isinstance(span, dict) or name not in span]:
        raise ValueError(f"span {k} has no {', '.join(map(repr, missing))}")
    return [span[name] for name in names]
