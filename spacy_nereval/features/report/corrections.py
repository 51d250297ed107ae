"""Marks: what reviewers of a report say of places where gold and predictions differ, a line of JSON each.

A line has the `digest` of its document, the `gold` and the predicted span (`pred`), the `mark`, and what was `decided`:
the spans that replace the gold span, an empty list for none, or null if nothing was decided. The page on formats
describes every field.

Corrections of gold annotation: what marks decide, applied to the documents on which they were made.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ...core.about import __version__
from ...core.arguments import CONFLICTS, KEEP, REFUSE
from ...core.messages import LISTED, PlainSpan, quote, shorten, spell_argument, unique_keys, validate_span
from ...io.formats.contents import lines
from ...io.records import Record
from ...io.writing import SURROGATE

GOLD_WRONG, SYSTEM_WRONG, UNCLEAR = VERDICTS = ("gold wrong", "system wrong", "unclear")
"""Who is wrong, as a reviewer says it; "" if there is only a note."""

DIGITS = 12
"""Number of hexadecimal digits of the digest of a document: two of a million documents share one with a chance of less
than 1 in 500."""


class Mark(NamedTuple):
    """What a reviewer says of one place.

    Attributes:
        where: The file and the line, or the number in a list, for messages.
        digest: The digest of the document as it was reviewed, with its gold spans (see `gold_digest`).
        copy: How many documents before this one have the same digest.
        gold: The gold span of the place; None if gold has none.
        pred: The prediction; None if there is none.
        system: The system that predicts it; "" if the place is none of a system.
        mark: One of `VERDICTS`, or "".
        decided: The spans that replace the gold span; None if nothing is decided.
        reason: Why the place was reviewed, in words; "" if that is not known.
        note: The reviewer's note.
    """

    where: str
    digest: str
    copy: int
    gold: PlainSpan | None
    pred: PlainSpan | None
    system: str
    mark: str
    decided: tuple[PlainSpan, ...] | None
    reason: str
    note: str


def gold_digest(id: str | None, text: str | None, spans: Iterable[Sequence[Any]]) -> str:
    """Return a short name for a document and its gold spans, by which marks find it again.

    >>> gold_digest("a", "Ada sleeps", [(0, 3, "PER")])
    '8249a34a8e84'
    """
    content = json.dumps([id, text or "", sorted([*span] for span in spans)], ensure_ascii=False, separators=(",", ":"))
    # A lone surrogate has no UTF-8 form; browsers write it into JSON as this escape.
    whole = SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", content)
    return sha256(whole.encode()).hexdigest()[:DIGITS]


def read_marks(given: Any) -> list[Mark]:
    """Return the marks of a file, of several, or of lines that were read already.

    Args:
        given: A path, a mapping that is one mark, or a list of paths and such mappings.

    Raises:
        ValueError: A line is no mark, or cannot be a correction; names the file and the line.
        OSError: A file cannot be read.

    >>> row = {"digest": "8249a34a8e84", "gold": {"start": 0, "end": 3, "label": "PER"}, "mark": "unclear"}
    >>> read_marks([row])[0].gold
    (0, 3, 'PER')
    """
    if isinstance(given, (str, Path, Mapping)):
        given = [given]
    if not isinstance(given, Iterable):
        raise ValueError(f"marks is {shorten(repr(given))}; expected a file of marks, or a list of files or of marks")
    return [_mark(row, where) for where, row in _rows([*given])]


def _rows(given: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    for k, each in enumerate(given):
        if not isinstance(each, (str, Path)):
            yield f"mark {k}", each
            continue
        for number, line in lines(Path(each)):
            if line.strip():
                try:
                    yield f"{each}, line {number}", json.loads(line, object_pairs_hook=unique_keys)
                except (ValueError, RecursionError) as error:
                    raise ValueError(
                        f"{each}, line {number}: not valid JSON ({error}); expected the marks that a report saves as "
                        "JSON lines"
                    ) from None


def _mark(row: Any, where: str) -> Mark:
    """Return a line as a mark. Raise ValueError, with its place, if it is none."""
    try:
        if not isinstance(row, Mapping) or not isinstance(row.get("digest"), str):
            raise ValueError("it has no digest of a document; expected a mark, as a report saves it as JSON lines")
        found = Mark(
            where,
            row["digest"],
            _whole(row, "copy"),
            _span_of(row.get("gold"), "gold"),
            _span_of(row.get("pred"), "pred"),
            _text(row, "system"),
            _text(row, "mark"),
            _decided(row.get("decided")),
            _text(row, "reason"),
            _text(row, "note"),
        )
        if found.mark and found.mark not in VERDICTS:
            raise ValueError(f"the mark is {quote(found.mark)}; expected one of {', '.join(VERDICTS)}")
        if found.decided is not None and found.mark != GOLD_WRONG:
            raise ValueError(
                f"it decides what gold should have, and its mark is {quote(found.mark)}; expected {GOLD_WRONG!r}, or "
                "null for decided"
            )
        if found.decided == () and found.gold is None:
            raise ValueError("it decides that gold has no span here, where gold has none")
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return found


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} is {shorten(repr(value))}; expected a text")
    return value or ""


def _whole(row: Mapping[str, Any], name: str) -> int:
    value = row.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{name} is {shorten(repr(value))}; expected a whole number from 0")
    return value


def _decided(value: Any) -> tuple[PlainSpan, ...] | None:
    if value is None:
        return None
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"decided is {shorten(repr(value))}; expected a list of spans, or null")
    found = [_span_of(each, f"decided span {k}") for k, each in enumerate(value)]
    return tuple(sorted({span for span in found if span is not None}))


def _span_of(value: Any, name: str) -> PlainSpan | None:
    """Return a span with a start, an end and a label; None for null."""
    if value is None:
        return None
    keys = ("start", "end", "label")
    if not isinstance(value, Mapping) or not all(key in value for key in keys):
        raise ValueError(f"{name} is {shorten(repr(value))}; expected null or a span with start, end and label")
    return validate_span(name, [value[key] for key in keys], None)


class Place(NamedTuple):
    """A gold span of a document, or where a span begins and ends that gold does not have."""

    number: int
    start: int
    end: int
    gold: PlainSpan | None


Decided = tuple[PlainSpan, ...]

ABOUT = ("reason", "note")
"""What else marks say of a place."""


class Corrected(NamedTuple):
    """Gold annotation with its corrections, and what they are.

    Attributes:
        records: The documents with their new gold spans.
        result: What changed and what did not, in plain Python: see `api.correcting.Corrections`.
    """

    records: list[Record]
    result: dict[str, Any]


def corrected(
    records: Iterable[Record], marks: Sequence[Mark], conflicts: str = REFUSE, name: str = "gold"
) -> Corrected:
    """Return gold annotation with the corrections that marks decide. What is not decided stays.

    Args:
        records: The gold documents.
        marks: The marks of one or several reviewers.
        conflicts: What to do where marks disagree, one of `arguments.CONFLICTS`.
        name: What errors call the gold annotation.

    Raises:
        ValueError: A mark was made on another gold annotation, or its gold span is not there; a correction lies outside
            of the text, in a stretch without annotation, or overlaps another span in a corpus without such spans;
            marks disagree, and that is not allowed. Names the document and the span.

    >>> from .marks import read_marks
    >>> gold = Record("Ada sleeps", {(0, 3, "LOC")})
    >>> digest = gold_digest(None, gold.text, gold.spans)
    >>> span = {"start": 0, "end": 3, "label": "LOC"}
    >>> row = {"digest": digest, "gold": span, "mark": "gold wrong", "decided": [{**span, "label": "PER"}]}
    >>> corrected([gold], read_marks([row])).records[0].spans
    {(0, 3, 'PER')}
    """
    if conflicts not in CONFLICTS.values:
        raise ValueError(f"{spell_argument('conflicts', conflicts)}: expected one of {', '.join(CONFLICTS.values)}")
    golds = [*records]
    digests = [gold_digest(record.id, record.text, record.spans) for record in golds]
    by_place = _by_place(golds, digests, marks, name)
    contested = [(place, found) for place, found in by_place.items() if _is_contested(found)]
    if contested and conflicts != KEEP:
        raise ValueError(_conflict_words(golds, contested))
    agreed = {place: found for place, found in by_place.items() if not _is_contested(found)}
    changed, changes = _changed(golds, agreed)
    if not any(_overlap(record.spans) for record in golds):
        for number, spans in changed.items():
            _check_flat(number, golds[number], spans)
    new = [_with_spans(record, changed[k]) if k in changed else record for k, record in enumerate(golds)]
    result = {
        "documents": len(golds),
        "spans": {"before": _number_of_spans(golds), "after": _number_of_spans(new)},
        "marks": {"places": len(by_place), **_numbers_of_marks(by_place.values())},
        "changes": changes,
        "undecided": [
            _row(golds, place, found, **_said_of(found))
            for place, found in by_place.items()
            if any(mark.mark == GOLD_WRONG for mark in found) and all(mark.decided is None for mark in found)
        ],
        "conflicts": [_row(golds, place, found, **_said_of(found)) for place, found in contested],
        "signature": _signature(digests, new),
    }
    return Corrected(new, result)


# Which documents and spans marks are on


def _by_place(
    golds: Sequence[Record], digests: Sequence[str], marks: Sequence[Mark], name: str
) -> dict[Place, list[Mark]]:
    """Return the marks on each place, in the order of the text. Raise ValueError for those on another gold."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, digest in enumerate(digests):
        numbers[digest].append(number)
    strange = [mark for mark in marks if mark.copy >= len(numbers.get(mark.digest, ()))]
    if strange:
        some = "all of the" if len(strange) == len(marks) else f"{len(strange)} of {len(marks)}"
        raise ValueError(
            f"{strange[0].where}: made on other gold annotation ({some} marks): none of the {len(golds)} documents of "
            f"{name} has the digest {shorten(strange[0].digest)} of id, text and gold spans. Give the gold that "
            "the report was made of, read with the same options"
        )
    found: dict[Place, list[Mark]] = defaultdict(list)
    for mark in marks:
        number = numbers[mark.digest][mark.copy]
        if mark.gold is not None and mark.gold not in golds[number].spans:
            raise ValueError(f"{mark.where}: {_document(number, golds[number])} has no gold span {_span(mark.gold)}")
        start, end = _boundaries(mark)
        found[Place(number, start, end, mark.gold)].append(mark)
    return dict(sorted(found.items(), key=lambda each: (*each[0][:3], each[0].gold or ())))


def _boundaries(mark: Mark) -> tuple[int, int]:
    """Return where the gold span of a place begins and ends, or the span that gold does not have."""
    span = mark.gold or mark.pred or next(iter(mark.decided or ()), None)
    if span is None:
        raise ValueError(f"{mark.where}: it has neither a gold span nor a prediction; expected one of them")
    return span[:2]


# What marks decide together


def _is_contested(marks: Sequence[Mark]) -> bool:
    """Return whether marks decide different things, or one decides and another says that gold is right."""
    decisions = {mark.decided for mark in marks if mark.decided is not None}
    return len(decisions) + any(mark.mark == SYSTEM_WRONG for mark in marks) > 1 and bool(decisions)


def _decision(marks: Sequence[Mark]) -> Decided | None:
    """Return what marks that agree decide; None if they decide nothing."""
    return next((mark.decided for mark in marks if mark.decided is not None), None)


def _conflict_words(golds: Sequence[Record], contested: Sequence[tuple[Place, Sequence[Mark]]]) -> str:
    lines = []
    for place, marks in contested[:LISTED]:
        said = "; ".join(f"{mark.where}: {_said(mark)}" for mark in marks)
        lines.append(f"{_document(place.number, golds[place.number])}: {said}")
    more = f"; and {len(contested) - LISTED} more" if len(contested) > LISTED else ""
    places = f"{len(contested)} place{'s' * (len(contested) != 1)}"
    return (
        f"marks disagree on {places}: {'. '.join(lines)}{more}. Let the reviewers agree, or leave gold as it is there "
        f"with {spell_argument('conflicts', KEEP)}"
    )


def _said(mark: Mark) -> str:
    """Return what a mark says, in words."""
    if mark.decided is None:
        return mark.mark or "only a note"
    return " and ".join(map(_span, mark.decided)) if mark.decided else f"no span in place of {_span(mark.gold)}"


# What becomes of the spans


def _changed(
    golds: Sequence[Record], by_place: Mapping[Place, Sequence[Mark]]
) -> tuple[dict[int, set[PlainSpan]], list[dict[str, Any]]]:
    """Return the new spans of each document that changes, and the changes."""
    rows = []
    removed: dict[int, set[PlainSpan]] = defaultdict(set)
    added: dict[int, set[PlainSpan]] = defaultdict(set)
    for place, marks in by_place.items():
        decided, gold, number = _decision(marks), place.gold, place.number
        if decided is None or decided == ((gold,) if gold else ()):
            continue
        if gold is None and {*decided} <= added[number]:
            continue  # marks on another prediction add the same span
        removed[number] |= {gold} if gold else set()
        added[number] |= {*decided}
        after = [_as_row(golds[number], span) for span in decided]
        rows.append(_row(golds, place, marks, change=_change(gold, decided), after=after))
    return {number: _new_spans(number, golds[number], removed[number], added[number]) for number in added}, rows


def _new_spans(number: int, record: Record, removed: set[PlainSpan], added: set[PlainSpan]) -> set[PlainSpan]:
    """Return the spans of a document that changes. Raise ValueError for a span that cannot be one."""
    for span in sorted(added):
        _check_possible(number, record, span)
    rest = {*record.spans} - removed
    if twice := sorted(rest & added):
        raise ValueError(
            f"{_document(number, record)}: gold has the span {_span(twice[0])} already, so it cannot be added"
        )
    return rest | added


def _with_spans(record: Record, spans: set[PlainSpan]) -> Record:
    scores = {span: score for span, score in record.span_scores.items() if span in spans}
    return record._replace(spans=spans, span_scores=scores)


def _change(gold: PlainSpan | None, decided: Sequence[PlainSpan]) -> str:
    """Return what becomes of a gold span, in words.

    >>> _change((0, 3, "A"), [(0, 3, "B")]), _change((0, 3, "A"), []), _change(None, [(0, 3, "A")])
    ('label', 'removed', 'added')
    """
    if gold is None:
        return "added"
    if not decided:
        return "removed"
    if len(decided) > 1:
        return "divided"
    (span,) = decided
    parts = ["boundaries"] * (span[:2] != gold[:2]) + ["label"] * (span[2] != gold[2])
    return " and ".join(parts)


def _check_possible(number: int, record: Record, span: PlainSpan) -> None:
    """Raise ValueError for a span that does not fit the text of its document."""
    start, end, _ = span
    where = f"{_document(number, record)}: the correction {_span(span)}"
    if end > len(record.text):
        raise ValueError(f"{where} ends after the text, which has {len(record.text)} characters")
    if not record.text[start:end].strip():
        raise ValueError(f"{where} has no words; expected a stretch with more than white space")
    if not record.annotated or any(max(start, a) < min(end, b) for a, b in record.gaps):
        raise ValueError(f"{where} lies in a stretch without annotation")


def _check_flat(number: int, record: Record, spans: Iterable[PlainSpan]) -> None:
    """Raise ValueError if spans overlap."""
    if pair := _overlap(spans):
        raise ValueError(
            f"{_document(number, record)}: with the corrections, {_span(pair[0])} and {_span(pair[1])} overlap, which "
            "no gold spans did before: decide on both of them"
        )


def _overlap(spans: Iterable[PlainSpan]) -> tuple[PlainSpan, PlainSpan] | None:
    """Return the first two spans that overlap; None if there are none."""
    ordered = sorted(spans)
    pairs = zip(ordered, ordered[1:])
    return next(((a, b) for a, b in pairs if b[0] < a[1]), None)


# What is told


def _row(golds: Sequence[Record], place: Place, marks: Sequence[Mark], **more: Any) -> dict[str, Any]:
    """Return a place with what was said of it, as the result lists it."""
    record = golds[place.number]
    return {
        "document": place.number if record.id is None else record.id,
        "before": None if place.gold is None else _as_row(record, place.gold),
        **more,
        **{name: "; ".join(dict.fromkeys(filter(None, (getattr(mark, name) for mark in marks)))) for name in ABOUT},
    }


def _said_of(marks: Sequence[Mark]) -> dict[str, Any]:
    return {"said": [*dict.fromkeys(map(_said, marks))], "where": [mark.where for mark in marks]}


def _as_row(record: Record, span: PlainSpan) -> dict[str, Any]:
    start, end, label = span
    return {"start": start, "end": end, "label": label, "text": record.text[start:end]}


def _numbers_of_marks(places: Iterable[Sequence[Mark]]) -> dict[str, int]:
    """Return on how many places each mark was made."""
    found = dict.fromkeys(VERDICTS, 0)
    for marks in places:
        for mark in {mark.mark for mark in marks} & found.keys():
            found[mark] += 1
    return found


def _number_of_spans(records: Iterable[Record]) -> int:
    return sum(len(record.spans) for record in records)


def _signature(digests: Sequence[str], new: Sequence[Record]) -> str:
    """Return one line that names the gold annotation before and after."""
    after = [gold_digest(record.id, record.text, record.spans) for record in new]
    gold, changed = (gold_digest(None, "".join(each), ()) for each in (digests, after))
    return f"spacy-nereval|gold:{gold}|new:{changed}|docs:{len(digests)}|v{__version__}"


def _document(number: int, record: Record) -> str:
    return f"document {number if record.id is None else shorten(record.id)}"


def _span(span: PlainSpan | None) -> str:
    return "none" if span is None else f"{quote(span[2])} from {span[0]} to {span[1]}"
