"""How annotation is read: the function `show`, for files and lists, and its result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from unicodedata import category, name

from ..core.arguments import CODEPOINT, Reading
from ..core.attribute_values import attributes_of, describe_attributes
from ..core.compression import compression_of
from ..core.edges import EdgeCounter, edge_lines
from ..core.labels import LabelRules, rules_of
from ..core.messages import (
    LISTED,
    UNSEEN,
    PlainSpan,
    describe_error,
    join_names,
    list_alike,
    many,
    mark_unseen,
    quote,
    shorten,
)
from ..core.pieces import has_gaps, hull, pieces_of, sorted_spans
from ..io.formats import assign_annotators, check_files, infer_format, named_format, records
from ..io.formats.settings import UNIT_NAMES, side_formats
from ..io.paths import check_is_file, error_message, is_count_file, readable_file
from ..io.records import Record, apply_label_rules
from ..io.tables import is_table
from ..reporting.marked_text import insert_marks
from .inputs import reading_of_items, reading_of_load, records_of_sides
from .sides import Side

LONGEST = 400
"""Maximum number of characters that are shown of a text."""


class Overview(dict[str, Any]):
    """How annotation is read: a dict in plain Python that prints as lines."""

    def __str__(self) -> str:
        """Return the overview as lines of text."""
        return "\n".join(self.lines())

    __repr__ = __str__

    def lines(self) -> Iterator[str]:
        """Yield the lines: how it is read, labels, omissions, suspicious features, and the first documents."""
        how = [self["format"] or "unknown format", self["encoding"], self["scheme"], self["offsets"]]
        yield f"{self['source']}: {', '.join(filter(None, how))}"
        numbers = [many(self["documents"], "document"), many(self["spans"], "span")]
        numbers += [f"{self['gaps']:,} with gaps"] if self["gaps"] else []
        having = [f"{self[key]:,} with {words}" for key, words in HAVING.items() if self[key]]
        yield ", ".join([*numbers, *having])
        if self["labels"]:
            yield f"labels: {join_names([f'{label} ({number:,})' for label, number in self['labels'].items()], 30)}"
        if self["attributes"]:
            listed = [f"{name} ({number:,})" for name, number in self["attributes"].items()]
            yield f"attributes: {join_names(listed, 30)}"
        yield from (f"ℹ {note}" for note in self["notes"])
        yield from (f"excluded: {words} ({number:,})" for words, number in self["left_out"].items())
        yield from (f"⚠ {remark}" for remark in self["remarks"])
        for document in self["first"]:
            yield ""
            id = "" if document["id"] is None else f" ({shorten(document['id'])})"
            yield f"document {document['number']}{id}:"
            yield document["marked"]
        if self["error"]:
            yield f"\n✘ {self['error']}"


HAVING = {"ids": "ids", "tokens": "tokens", "unannotated": "no annotation"}

LEFT_OUT = {
    "others": "annotations that are not spans, such as relations",
    "duplicates": "repeated spans",
    "rejected": "rejected spans",
    "repaired": "spans that the scheme does not allow, repaired or dropped",
}


def show(source: Any, *, documents: int = 3, text: Any = None, tokens: Any = None, **options: Any) -> Overview:
    """Return how a file or a list is read, and suspicious features: the remedy of most errors.

    Args:
        source: A file or folder of any input format, or items as `score` takes them for one side.
        documents: The number of documents that are shown with their spans.
        text, tokens: Of items, as for `score`.
        options: How a file is read, as for `load`; or how items are read, as for `score`.

    Returns:
        A dict that prints as lines. Its keys are "source", "format", "encoding", "scheme", "offsets", the numbers of
        "documents", "spans" and spans with "gaps", and of documents with "ids", with "tokens" and that are
        "unannotated"; "labels" with their counts, "attributes" with theirs, "notes" on how it was read, "left_out",
        "remarks", the "first" documents with their spans marked, and the "error" that ended reading, None if all was
        read.

    Raises:
        ValueError: An option is unknown, or items cannot be read.

    >>> path = getfixture("tmp_path") / "a.jsonl"
    >>> _ = path.write_text('{"text": "Ada met Bob", "spans": [{"start": 0, "end": 3, "label": "PER"}]}')
    >>> overview = show(path)
    >>> overview["format"], overview["labels"], overview["first"][0]["marked"]
    ('jsonl', {'PER': 1}, '[Ada](PER) met Bob')
    """
    if isinstance(source, (str, Path)):
        reading = reading_of_load(**options)
        return show_file(Path(source), reading, documents, rules_of(reading))
    reading = reading_of_items(**options)
    sides = records_of_sides({"items": Side(source, "items", reading)}, text, tokens, reading)
    about = {"source": "items", "format": None, "encoding": "", "offsets": ""}
    rules = rules_of(reading)
    return _overview(about, (apply_label_rules(side.record, rules) for side in sides["items"]), documents)


def show_file(path: Path, reading: Reading, documents: int, rules: LabelRules | None = None) -> Overview:
    """Return how a file is read, up to the first error; see `show`. Raise ValueError if there is no such file."""
    if is_count_file(path):
        raise ValueError(f"{path} is a count file, which has neither texts nor spans to show: score it")
    if not path.is_dir():
        check_is_file(path)
    (format, _) = side_formats(reading)
    unit = UNIT_NAMES.get(format.offsets or CODEPOINT, "the unit that fits the texts of spans")
    about = {"source": str(path), "format": format.name, "encoding": _encoding(path), "offsets": f"offsets in {unit}"}
    with suppress(ValueError, OSError):  # which are raised when the records are read
        about["format"] = named_format(path, format).name or infer_format(path)

    def read() -> Iterator[Record]:
        check_files([path], [format])
        (how,) = assign_annotators([path], [named_format(path, format)])
        yield from (apply_label_rules(record, rules) for record in records(path, reading.spans_key, how))

    return _overview(about, read(), documents)


def _encoding(path: Path) -> str:
    """Return the encoding of a file, and its compression; "" for folders and binary formats."""
    if not path.is_file() or is_table(path):
        return ""
    with readable_file(path).open("rb") as file:
        start = file.read(1 << 12)
    if packed := compression_of(start):
        return f"compressed by {packed.name}"
    mark = " with a byte order mark" if start.startswith(b"\xef\xbb\xbf") else ""
    return "" if b"\0" in start else f"UTF-8{mark}"


def _overview(about: dict[str, Any], sides: Iterable[Record], most: int) -> Overview:
    """Return the overview of records, up to the first that cannot be read."""
    numbers: Counter[str] = Counter()
    labels: Counter[str] = Counter()
    attributes: Counter[str] = Counter()
    unseen: Counter[str] = Counter()
    ids: Counter[str] = Counter()
    schemes, notes = dict[str, None](), dict[str, None]()
    first, edges, error = [], EdgeCounter(), None
    try:
        for number, side in enumerate(sides):
            spans = sorted_spans(side.spans)
            of_side = {"documents": True, "unannotated": not side.annotated, "ids": side.id is not None}
            numbers.update(of_side | {"tokens": side.tokens is not None, "spans": len(spans)})
            numbers.update({name: getattr(side, name) for name in LEFT_OUT})
            numbers["invented"] += len(side.invented)
            numbers["gaps"] += sum(map(has_gaps, spans))
            labels.update(label for *_, label in spans)
            attributes.update(
                f"{name}={value}" for span in spans for name, value in attributes_of(side.attributes, span).items()
            )
            unseen.update({character for character in side.text if _is_unseen(character)})
            ids.update([] if side.id is None else [side.id])
            schemes |= dict.fromkeys([side.scheme] if side.scheme else [])
            edges.add({"": spans}, side.text)
            notes |= dict.fromkeys(side.notes)
            if number < most:
                first.append({"number": number, "id": side.id, "marked": _mark_spans(side)})
    except (ValueError, OSError) as raised:
        error = error_message(raised) or describe_error(raised)
    left_out = {words: numbers[name] for name, words in LEFT_OUT.items() if numbers[name]}
    known = {name: numbers[name] for name in ("documents", "spans", "gaps", "ids", "tokens", "unannotated")}
    remarks = [*_remarks(numbers, labels, unseen, ids, edges)]
    ordered = dict(sorted(labels.items(), key=lambda item: (-item[1], item[0])))
    scheme = {"scheme": f"scheme {' and '.join(schemes)}" if schemes else ""}
    having = dict(sorted(attributes.items(), key=lambda item: (-item[1], item[0])))
    shown = {
        "labels": ordered,
        "attributes": having,
        "notes": [*notes],
        "left_out": left_out,
        "remarks": remarks,
        "first": first,
        "error": error,
    }
    return Overview(about | scheme | known | shown)


def _remarks(
    numbers: Counter[str], labels: Counter[str], unseen: Counter[str], ids: Counter[str], edges: EdgeCounter
) -> Iterator[str]:
    """Yield warnings of suspicious features."""
    yield from (line[2:] for line in edge_lines(edges.signs, names={"": "spans"}))
    if numbers["invented"]:
        yield f"{many(numbers['invented'], 'mention')} that the text does not have"
    for character, number in unseen.most_common(5):
        shown = name(character, f"U+{ord(character):04X}")
        yield f"{many(number, 'text')} with a character that is not seen: U+{ord(character):04X} {shown}"
    if repeated := [id for id, number in ids.items() if number > 1]:
        yield f"ids that repeat: {join_names(repeated)}"
    yield from (f"labels {alike}" for alike in list_alike(labels, labels)[:LISTED])
    if numbers["documents"] and not numbers["spans"]:
        yield "no document has a span"


def _is_unseen(character: str) -> bool:
    return category(character) in UNSEEN and character not in "\n\r\t"


def _describe(side: Record, span: PlainSpan) -> str:
    """Return the label of a span with its attributes."""
    listed = describe_attributes(attributes_of(side.attributes, span))
    label = mark_unseen(span[2])
    return f"{label}: {listed}" if listed else label


def _mark_spans(side: Record) -> str:
    """Return the text of a document with its spans marked, cut where it is long."""
    if side.answer:
        return f"answer {quote(side.answer.written, LONGEST)}"
    shown = sorted_spans(span for span in side.spans if span[1] <= LONGEST)
    notes = [(hull(span)[1], span[0] == span[1], f"({_describe(side, span)})") for span in shown]
    cut = "…" if len(side.text) > LONGEST else ""
    marked = [(*piece, 0) for span in shown for piece in pieces_of(span)]
    return insert_marks(side.text[:LONGEST], marked, notes) + cut
