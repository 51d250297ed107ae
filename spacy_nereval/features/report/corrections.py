"""Corrections of gold annotation: reads the marks that reviewers of a report made, and applies their decisions.

A mark is a line of JSON on a place where gold and predictions differ. It has the `digest` of its document, the `gold`
and the predicted span (`pred`), the `mark`, and the `decided` spans: those that replace the gold span, an empty list
for none, or null if nothing was decided. The page on formats describes every field.
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
from ...core.expansion import check_objects
from ...core.messages import LISTED, PlainSpan, many, quote, shorten, spell_argument, unique_keys, validate_span
from ...core.pieces import any_gaps, hull
from ...io.formats.contents import lines
from ...io.paths import readable_file
from ...io.records import Record
from ...io.writing import SURROGATE

GOLD_WRONG, SYSTEM_WRONG, UNCLEAR = VERDICTS = ("gold wrong", "system wrong", "unclear")
"""The marks: who is wrong, as a reviewer says; "" if there is only a note."""

DIGITS = 12
"""Number of hexadecimal digits of the digest of a document: two of a million documents share one with a chance of less
than 1 in 500."""


class OtherMark(NamedTuple):
    """Another reviewer's decision on a place, which differed from the mark there.

    Attributes:
        by: The other reviewer's file, as the report named it; "" if that is not known.
        mark, decided, note: As for a mark.
        settled: Whose mark stays, one of `SETTLED`; None while the dispute is open.
    """

    by: str
    mark: str
    decided: tuple[PlainSpan, ...] | None
    note: str
    settled: str | None


SETTLED = ("mine", "theirs")
"""How a reviewer can settle a dispute with another one."""


class Mark(NamedTuple):
    """A reviewer's mark on one place.

    Attributes:
        where: The file and the line, or the number in a list, for messages.
        digest: The digest of the document as it was reviewed, with its gold spans (see `gold_digest`).
        copy: How many documents before this one have the same digest.
        gold: The gold span of the place; None if there is none.
        pred: The prediction; None if there is none.
        system: The system that predicts it; "" if the place is none of a system.
        mark: One of `VERDICTS`, or "".
        decided: The spans that replace the gold span; None if nothing is decided.
        reason: Why the place was reviewed, in words; "" if that is not known.
        note: The reviewer's note.
        others: The marks of other reviewers that differed from this one when the reviewer read them.
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
    others: tuple[OtherMark, ...] = ()

    @property
    def open_disputes(self) -> list[OtherMark]:
        """The other reviewers' marks in disputes that the reviewer has not settled."""
        return [other for other in self.others if other.settled is None]


def gold_digest(id: str | None, text: str | None, spans: Iterable[Sequence[Any]]) -> str:
    """Return a short name for a document and its gold spans, by which marks find it again.

    >>> gold_digest("a", "Ada sleeps", [(0, 3, "PER")])
    '8249a34a8e84'
    """
    content = json.dumps(
        [id, text or "", sorted([*hull(span), span[2]] for span in spans)], ensure_ascii=False, separators=(",", ":")
    )
    # A lone surrogate has no UTF-8 form; browsers write it into JSON as this escape.
    escaped = SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", content)
    return sha256(escaped.encode()).hexdigest()[:DIGITS]


def read_marks(source: Any) -> list[Mark]:
    """Return the marks of one or several files, or of lines that were read already.

    Args:
        source: A path, a mapping that is one mark, or a list of paths and such mappings.

    Raises:
        ValueError: A line is no mark, or cannot be a correction; names the file and the line.
        OSError: A file cannot be read.

    >>> row = {"digest": "8249a34a8e84", "gold": {"start": 0, "end": 3, "label": "PER"}, "mark": "unclear"}
    >>> read_marks([row])[0].gold
    (0, 3, 'PER')
    """
    if isinstance(source, (str, Path, Mapping)):
        source = [source]
    if not isinstance(source, Iterable):
        raise ValueError(f"marks is {shorten(repr(source))}; expected a file of marks, or a list of files or of marks")
    return [_parse_mark(row, where) for where, row in _mark_rows([*source])]


def _mark_rows(sources: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Yield each mark's file and line (or its number in a list) in words, and its content, which is not checked yet."""
    for number, source in enumerate(sources):
        if not isinstance(source, (str, Path)):
            yield f"mark {number}", source
            continue
        for at, line in lines(Path(source)):
            if line.strip():
                check_objects(source, line, readable_file(Path(source)))
                try:
                    yield f"{source}, line {at}", json.loads(line, object_pairs_hook=unique_keys)
                except (ValueError, RecursionError) as error:
                    raise ValueError(
                        f"{source}, line {at}: not valid JSON ({error}); expected the marks that a report saves as "
                        "JSON lines"
                    ) from None


def _parse_mark(row: Any, where: str) -> Mark:
    """Return the mark of a line. Raise ValueError, which names the line, if it is not a mark."""
    try:
        if not isinstance(row, Mapping) or not isinstance(row.get("digest"), str):
            raise ValueError("it has no digest of a document; expected a mark, as a report saves it as JSON lines")
        mark = Mark(
            where,
            row["digest"],
            _whole_number(row, "copy"),
            _span_of(row.get("gold"), "gold"),
            _span_of(row.get("pred"), "pred"),
            _text_of(row, "system"),
            _verdict_of(row),
            _decided_spans(row.get("decided")),
            _text_of(row, "reason"),
            _text_of(row, "note"),
            tuple(_other_marks(row.get("others"))),
        )
        if mark.decided is not None and mark.mark != GOLD_WRONG:
            raise ValueError(
                f"it contains a correction, and its mark is {quote(mark.mark)}; expected {GOLD_WRONG!r}, or "
                "null for decided"
            )
        if mark.decided == () and mark.gold is None:
            raise ValueError("it removes a gold span where there is none")
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return mark


def _other_marks(value: Any) -> Iterator[OtherMark]:
    """Yield the marks of other reviewers that a mark has. Raise ValueError if they are none."""
    if value is None:
        return
    if not isinstance(value, (list, tuple)) or not all(isinstance(row, Mapping) for row in value):
        raise ValueError(f"others is {shorten(repr(value))}; expected a list of other reviewers' marks, or null")
    for row in value:
        settled = row.get("settled")
        if settled is not None and settled not in SETTLED:
            raise ValueError(
                f"settled is {shorten(repr(settled))}; expected one of {', '.join(SETTLED)}, or null while it is open"
            )
        yield OtherMark(
            _text_of(row, "by"), _verdict_of(row), _decided_spans(row.get("decided")), _text_of(row, "note"), settled
        )


def _verdict_of(row: Mapping[str, Any]) -> str:
    """Return the mark of a row, one of `VERDICTS` or "". Raise ValueError for another one."""
    mark = _text_of(row, "mark")
    if mark and mark not in VERDICTS:
        raise ValueError(f"the mark is {quote(mark)}; expected one of {', '.join(VERDICTS)}")
    return mark


def _text_of(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} is {shorten(repr(value))}; expected a text")
    return value or ""


def _whole_number(row: Mapping[str, Any], name: str) -> int:
    value = row.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{name} is {shorten(repr(value))}; expected a whole number from 0")
    return value


def _decided_spans(value: Any) -> tuple[PlainSpan, ...] | None:
    if value is None:
        return None
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"decided is {shorten(repr(value))}; expected a list of spans, or null")
    spans = [_span_of(item, f"decided span {k}") for k, item in enumerate(value)]
    return tuple(sorted({span for span in spans if span is not None}))


def _span_of(value: Any, name: str) -> PlainSpan | None:
    """Return a span with a start, an end and a label; None for null."""
    if value is None:
        return None
    keys = ("start", "end", "label")
    if not isinstance(value, Mapping) or not all(key in value for key in keys):
        raise ValueError(f"{name} is {shorten(repr(value))}; expected null or a span with start, end and label")
    return validate_span(name, [value[key] for key in keys], None)


class Place(NamedTuple):
    """A place with marks: a gold span of a document, or the boundaries of a span that is not in gold."""

    number: int
    start: int
    end: int
    gold: PlainSpan | None


DecidedSpans = tuple[PlainSpan, ...]

ABOUT = ("reason", "note")
"""The fields of a mark with a reviewer's words."""


class CorrectedGold(NamedTuple):
    """Corrected gold annotation, and its changes.

    Attributes:
        records: The documents with their new gold spans.
        result: The changes, in plain Python; see `correcting.Corrections`.
    """

    records: list[Record]
    result: dict[str, Any]


def correct_gold(
    records: Iterable[Record], marks: Sequence[Mark], conflicts: str = REFUSE, name: str = "gold"
) -> CorrectedGold:
    """Return gold annotation with the corrections that marks decide; other spans stay as they are.

    Args:
        records: The gold documents.
        marks: The marks of one or several reviewers.
        conflicts: The treatment of marks that disagree, one of `arguments.CONFLICTS`.
        name: The name of the gold annotation in errors.

    Raises:
        ValueError: A mark was made on another gold annotation, or its gold span is not there; a correction is outside
            of the text, in a stretch without annotation, or overlaps another span in a corpus without such spans;
            marks disagree, and that is not allowed. Names the document and the span.

    >>> gold = Record("Ada sleeps", {(0, 3, "LOC")})
    >>> digest = gold_digest(None, gold.text, gold.spans)
    >>> span = {"start": 0, "end": 3, "label": "LOC"}
    >>> row = {"digest": digest, "gold": span, "mark": "gold wrong", "decided": [{**span, "label": "PER"}]}
    >>> correct_gold([gold], read_marks([row])).records[0].spans
    {(0, 3, 'PER')}
    """
    if conflicts not in CONFLICTS.values:
        raise ValueError(f"{spell_argument('conflicts', conflicts)}: expected one of {', '.join(CONFLICTS.values)}")
    golds = [*records]
    digests = [gold_digest(record.id, record.text, record.spans) for record in golds]
    by_place = _marks_by_place(golds, digests, marks, name)
    contested = [(place, place_marks) for place, place_marks in by_place.items() if _is_contested(place_marks)]
    if contested and conflicts != KEEP:
        raise ValueError(_conflict_words(golds, contested))
    agreed = {place: place_marks for place, place_marks in by_place.items() if not _is_contested(place_marks)}
    new_spans, changes = _changed_spans(golds, agreed)
    if not any(_overlap(record.spans) for record in golds):
        for number, spans in new_spans.items():
            _check_flat(number, golds[number], spans)
    new_records = [_replace_spans(record, new_spans[k]) if k in new_spans else record for k, record in enumerate(golds)]
    result = {
        "documents": len(golds),
        "spans": {"before": _number_of_spans(golds), "after": _number_of_spans(new_records)},
        "marks": {"places": len(by_place), **_numbers_of_marks(by_place.values())},
        "changes": changes,
        "undecided": [
            _row(golds, place, place_marks, **_words_of_marks(place_marks))
            for place, place_marks in by_place.items()
            if any(mark.mark == GOLD_WRONG for mark in place_marks)
            and all(mark.decided is None for mark in place_marks)
        ],
        "conflicts": [
            _row(golds, place, place_marks, **_words_of_marks(place_marks)) for place, place_marks in contested
        ],
        "signature": _signature(digests, new_records),
    }
    return CorrectedGold(new_records, result)


# The places that marks are on


def _marks_by_place(
    golds: Sequence[Record], digests: Sequence[str], marks: Sequence[Mark], name: str
) -> dict[Place, list[Mark]]:
    """Return the marks on each place, in the order of the text. Raise ValueError for those on other gold annotation."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, digest in enumerate(digests):
        numbers[digest].append(number)
    unknown = [mark for mark in marks if mark.copy >= len(numbers.get(mark.digest, ()))]
    if unknown:
        share = "all of the" if len(unknown) == len(marks) else f"{len(unknown)} of {len(marks)}"
        raise ValueError(
            f"{unknown[0].where}: made on other gold annotation ({share} marks): none of the {len(golds)} documents of "
            f"{name} has the digest {shorten(unknown[0].digest)} of id, text and gold spans. Give the gold that "
            "the report was made of, read with the same options"
        )
    marks_of: dict[Place, list[Mark]] = defaultdict(list)
    for mark in marks:
        number = numbers[mark.digest][mark.copy]
        if mark.decided is not None and any_gaps(golds[number].spans):
            raise ValueError(
                f"{mark.where}: {_document(number, golds[number])} has spans with gaps, which marks cannot name: "
                "correct it where it was annotated, or read gold with "
                f"{spell_argument('discontinuous', 'hull')} and make the report again"
            )
        if mark.gold is not None and mark.gold not in golds[number].spans:
            raise ValueError(f"{mark.where}: {_document(number, golds[number])} has no gold span {_span(mark.gold)}")
        start, end = _boundaries(mark)
        marks_of[Place(number, start, end, mark.gold)].append(mark)
    return dict(sorted(marks_of.items(), key=lambda item: (*item[0][:3], item[0].gold or ())))


def _boundaries(mark: Mark) -> tuple[int, int]:
    """Return the boundaries of the place of a mark: those of its gold span, else of its prediction or decision."""
    span = mark.gold or mark.pred or next(iter(mark.decided or ()), None)
    if span is None:
        raise ValueError(f"{mark.where}: it has neither a gold span nor a prediction; expected one of them")
    return span[:2]


# The decision on a place, by all its marks


def _is_contested(marks: Sequence[Mark]) -> bool:
    """Return whether a dispute is open, or marks decide different things, or one decides and one finds gold right."""
    if any(mark.open_disputes for mark in marks):
        return True
    decisions = {mark.decided for mark in marks if mark.decided is not None}
    return len(decisions) + any(mark.mark == SYSTEM_WRONG for mark in marks) > 1 and bool(decisions)


def _decision(marks: Sequence[Mark]) -> DecidedSpans | None:
    """Return the spans that marks without conflict decide on; None if they decide nothing."""
    return next((mark.decided for mark in marks if mark.decided is not None), None)


def _conflict_words(golds: Sequence[Record], contested: Sequence[tuple[Place, Sequence[Mark]]]) -> str:
    lines = []
    for place, marks in contested[:LISTED]:
        words = "; ".join(_statements(marks))
        lines.append(f"{_document(place.number, golds[place.number])}: {words}")
    rest = f"; and {len(contested) - LISTED} more" if len(contested) > LISTED else ""
    places = many(len(contested), "place")
    return (
        f"marks disagree on {places}: {'. '.join(lines)}{rest}. Read them in the report and settle the marks that "
        f"differ, or leave gold as it is there with {spell_argument('conflicts', KEEP)}"
    )


def _statements(marks: Sequence[Mark]) -> Iterator[str]:
    """Yield each mark with its place, and the other reviewers' marks in open disputes."""
    for mark in marks:
        yield f"{mark.where}: {_mark_words(mark, mark.gold)}"
        yield from (
            f"{other.by or 'another reviewer'}: {_mark_words(other, mark.gold)}" for other in mark.open_disputes
        )


def _mark_words(mark: Mark | OtherMark, gold: PlainSpan | None) -> str:
    """Return the decision of a mark in words; without one, the mark itself."""
    if mark.decided is None:
        return mark.mark or "only a note"
    return " and ".join(map(_span, mark.decided)) if mark.decided else f"no span in place of {_span(gold)}"


# The new spans


def _changed_spans(
    golds: Sequence[Record], by_place: Mapping[Place, Sequence[Mark]]
) -> tuple[dict[int, set[PlainSpan]], list[dict[str, Any]]]:
    """Return the new spans of each document that changes, and a row of each change."""
    rows = []
    removed: dict[int, set[PlainSpan]] = defaultdict(set)
    added: dict[int, set[PlainSpan]] = defaultdict(set)
    for place, marks in by_place.items():
        spans, gold, number = _decision(marks), place.gold, place.number
        if spans is None or spans == ((gold,) if gold else ()):
            continue
        if gold is None and {*spans} <= added[number]:
            continue  # marks on another prediction add the same span
        removed[number] |= {gold} if gold else set()
        added[number] |= {*spans}
        after = [_span_row(golds[number], span) for span in spans]
        rows.append(_row(golds, place, marks, change=_change_words(gold, spans), after=after))
    return {number: _new_spans(number, golds[number], removed[number], added[number]) for number in added}, rows


def _new_spans(number: int, record: Record, removed: set[PlainSpan], added: set[PlainSpan]) -> set[PlainSpan]:
    """Return the new spans of a document. Raise ValueError for a span that cannot be added."""
    for span in sorted(added):
        _check_possible(number, record, span)
    kept = {*record.spans} - removed
    if doubled := sorted(kept & added):
        raise ValueError(
            f"{_document(number, record)}: the gold annotation already contains the span {_span(doubled[0])}"
        )
    return kept | added


def _replace_spans(record: Record, spans: set[PlainSpan]) -> Record:
    scores = {span: score for span, score in record.span_scores.items() if span in spans}
    return record._replace(spans=spans, span_scores=scores)


def _change_words(gold: PlainSpan | None, spans: Sequence[PlainSpan]) -> str:
    """Return the change of a gold span in words.

    >>> _change_words((0, 3, "A"), [(0, 3, "B")]), _change_words((0, 3, "A"), []), _change_words(None, [(0, 3, "A")])
    ('label', 'removed', 'added')
    """
    if gold is None:
        return "added"
    if not spans:
        return "removed"
    if len(spans) > 1:
        return "divided"
    (span,) = spans
    parts = ["boundaries"] * (span[:2] != gold[:2]) + ["label"] * (span[2] != gold[2])
    return " and ".join(parts)


def _check_possible(number: int, record: Record, span: PlainSpan) -> None:
    """Raise ValueError for a span that does not fit the text of its document."""
    start, end, _ = span
    where = f"{_document(number, record)}: the correction {_span(span)}"
    if end > len(record.text):
        raise ValueError(f"{where} ends after the text, which has {many(len(record.text), 'character')}")
    if not record.text[start:end].strip():
        raise ValueError(f"{where} has no words; expected a stretch with more than white space")
    if not record.annotated or any(max(start, a) < min(end, b) for a, b in record.gaps):
        raise ValueError(f"{where} is in a passage without annotation")


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


# The result


def _row(golds: Sequence[Record], place: Place, marks: Sequence[Mark], **columns: Any) -> dict[str, Any]:
    """Return the row of a place in the result, with the reasons and notes of its marks."""
    record = golds[place.number]
    return {
        "document": place.number if record.id is None else record.id,
        "before": None if place.gold is None else _span_row(record, place.gold),
        **columns,
        **{name: "; ".join(dict.fromkeys(filter(None, (getattr(mark, name) for mark in marks)))) for name in ABOUT},
    }


def _words_of_marks(marks: Sequence[Mark]) -> dict[str, Any]:
    words = [_mark_words(mark, mark.gold) for mark in marks]
    words += [_mark_words(other, mark.gold) for mark in marks for other in mark.open_disputes]
    return {"said": [*dict.fromkeys(words)], "where": [mark.where for mark in marks]}


def _span_row(record: Record, span: PlainSpan) -> dict[str, Any]:
    start, end, label = span
    return {"start": start, "end": end, "label": label, "text": record.text[start:end]}


def _numbers_of_marks(places: Iterable[Sequence[Mark]]) -> dict[str, int]:
    """Return the number of places that have each mark."""
    numbers = dict.fromkeys(VERDICTS, 0)
    for marks in places:
        for mark in {mark.mark for mark in marks} & numbers.keys():
            numbers[mark] += 1
    return numbers


def _number_of_spans(records: Iterable[Record]) -> int:
    return sum(len(record.spans) for record in records)


def _signature(digests: Sequence[str], new: Sequence[Record]) -> str:
    """Return one line that names the gold annotation before and after."""
    after = [gold_digest(record.id, record.text, record.spans) for record in new]
    gold, new_gold = (gold_digest(None, "".join(names), ()) for names in (digests, after))
    return f"spacy-nereval|gold:{gold}|new:{new_gold}|docs:{len(digests)}|v{__version__}"


def _document(number: int, record: Record) -> str:
    return f"document {number if record.id is None else shorten(record.id)}"


def _span(span: PlainSpan | None) -> str:
    return "none" if span is None else f"{quote(span[2])} from {span[0]} to {span[1]}"
