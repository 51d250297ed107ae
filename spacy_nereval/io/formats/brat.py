"""brat's standoff format: a folder with a `.txt` and an `.ann` file for each document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ...core.attribute_values import LINK, Attributes, attribute_value, sort_attributes
from ...core.compression import strip_compression
from ...core.messages import SHOW, PlainSpan, quote
from ...core.pieces import move_span
from ..paths import content
from ..records import Record
from .contents import ENCODINGS, files_in, lines
from .settings import BeyondText, Format, Misfit, describe_inclusive_end, fit_span, locate_error, spans_of_pieces
from .tags import INVISIBLE

MARK = "\ufeff"
"""The byte order mark."""

SPAN = re.compile(r"T[^\t]*\t(\S+) (\d+ \d+(?:;\d+ \d+)*)\t([^\t]*)")
"""A line of an `.ann` file: its name, the label and the offsets, and the text. brat allows a comment after it."""


ATTRIBUTE = re.compile(r"[AM]\d\S*\t(\S+) (\S+)(?: (.*\S))?\s*")
"""A line of an attribute: its name, the annotation that has it, and its value; a flag has none."""

LINK_LINE = re.compile(r"N\d\S*\t\S+ (\S+) (\S+?)(?:\t.*)?\s*")
"""A line of a normalisation: the annotation, and the resource and the identifier with a colon between them."""

OTHER = re.compile(r"[REAMN]\d\S*\t|\*\t|#")
"""The beginning of a line of a relation, an event, an attribute, a modification, a normalisation, an equivalence or a
note."""


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read the documents of a folder and its subfolders, in the order of their names.

    The id of a document is its path in the folder without the extension, so that
    documents of two folders can be paired. Text-bound annotations (T1, T2, ...) are read with their
    attributes (A, M) and normalisations (N, as `kb_id`); others are counted. Offsets count the
    characters of the `.txt` file. A byte order mark is removed, and
    offsets may count it or not; those of texts with the line ends of Windows may count one
    character for each. Pieces with white space alone between them are one span.
    As in brat, a text without an `.ann` file is not annotated, and a text with an empty
    `.ann` file has no spans.

    Args:
        path: The folder.
        format: `format.discontinuous` says how to read spans in several pieces,
            `format.offsets` the unit of offsets, `format.check_text` whether the texts of
            spans are checked.

    Yields:
        One record per document.

    Raises:
        ValueError: If `path` is not a folder; if an `.ann` file has no text; if a line
            is malformed; if the text of a span differs from that of the `.txt` file in
            more than whitespace; if a span is in pieces and `format` does not allow it.
        OSError: If a file cannot be read.

    >>> folder = getfixture("tmp_path")
    >>> _ = (folder / "a.txt").write_text("Ada met"), (folder / "a.ann").write_text("T1\\tPER 0 3\\tAda\\n")
    >>> [(record.id, record.text, record.spans) for record in read(folder)]
    [('a', 'Ada met', {(0, 3, 'PER')})]
    """
    if not path.is_dir():
        raise ValueError(f"{path} is not a folder; expected a folder of .txt and .ann files")
    texts, annotations = _files_by_id(path, ".txt"), _files_by_id(path, ".ann")
    for id in sorted({*texts, *annotations}):
        if id not in texts:
            raise ValueError(f"{annotations[id]} has no text: expected {Path(id).name}.txt in the same folder")
        text, read_spans = _text(texts[id]), Annotations([], [], 0)
        if id in annotations:
            text, read_spans = _fitting_spans(annotations[id], text, format)
        mark = len(text) - len(text.removeprefix(MARK))  # offsets that count it are those of all the text
        spans = [_before_mark(span, mark) for span in read_spans.spans] if mark else read_spans.spans
        more: dict[str, Any] = {"others": read_spans.others, "listed_attributes": read_spans.attributes}
        yield Record.deduplicate(text[mark:], spans, id=id, annotated=id in annotations, **more)


class Annotations(NamedTuple):
    """The spans of an `.ann` file, the attributes of each, and the number of annotations that are neither."""

    spans: list[PlainSpan]
    attributes: list[Attributes]
    others: int


def _before_mark(span: PlainSpan, mark: int) -> PlainSpan:
    """Return a span in the text without the mark of `mark` characters at its beginning."""
    return move_span(span, lambda start, end: (max(start - mark, 0), max(end - mark, 0)))


def _files_by_id(path: Path, ending: str) -> dict[str, Path]:
    return {
        strip_compression(file).relative_to(path).with_suffix("").as_posix(): file for file in files_in(path, ending)
    }


def _text(path: Path) -> str:
    """Return the text of a document. Unlike `lines`, this keeps line ends as they are, since offsets count them."""
    data = content(path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}, line {line}: not valid UTF-8 ({error}){ENCODINGS}") from None


def _fitting_spans(path: Path, text: str, format: Format) -> tuple[str, Annotations]:
    """Return the text that the spans of an `.ann` file fit, and what `_spans` returns."""
    try:
        return text, _spans(path, text, format)
    except Misfit as error:
        plain = text.removeprefix(MARK)
        for other in dict.fromkeys((plain, text.replace("\r\n", "\n"), plain.replace("\r\n", "\n"))):
            with suppress(Misfit):
                if other != text:
                    return other, _spans(path, other, format)
        raise error


def _spans(path: Path, text: str, format: Format) -> Annotations:
    """Return the spans of an `.ann` file with their attributes, and the number of its other annotations."""
    spans: list[PlainSpan] = []
    names: list[str] = []  # the name of each span's line, such as T1
    values: dict[str, list[tuple[str, str]]] = {}  # the attributes of each annotation, by its name
    for number, line in lines(path):
        if not line.strip(INVISIBLE):
            continue
        if OTHER.match(line):
            name, *attribute = _attribute_of(line)
            values.setdefault(name, []).append((attribute[0], attribute_value(attribute[1])))
            continue
        try:
            new = _spans_of(line, text, format)
            spans += new
            names += [line.split("\t")[0]] * len(new)
        except ValueError as error:
            raise locate_error(error, f"{path}, line {number}") from None
    others = sum(len(listed) for name, listed in values.items() if name not in {*names})
    return Annotations(spans, [sort_attributes(values.get(name, ())) for name in names] if values else [], others)


def _attribute_of(line: str) -> tuple[str, str, str]:
    """Return the annotation that a line is about, and the name and value of its attribute; "" for other lines."""
    if match := ATTRIBUTE.fullmatch(line):
        return match[2], match[1], "true" if match[3] is None else match[3]
    if match := LINK_LINE.fullmatch(line):
        return match[1], LINK, match[2]
    return "", "", ""


def _spans_of(line: str, text: str, format: Format) -> list[PlainSpan]:
    """Return the spans of a line: one span, or its pieces."""
    if not (match := SPAN.match(line)):
        raise ValueError(
            "expected 'T1', a tab, 'LABEL 0 5', a tab, and the text from 0 to 5; other annotations begin with R, E, A, "
            f"M or N and a number, with * or with #: {quote(line)}; {SHOW}"
        )
    label, offsets, surface = match.groups()
    name = line.split("\t")[0]
    spans = [(*map(int, piece.split()), label) for piece in offsets.split(";")]
    try:
        pieces = [fit_span(name, span, text, format)[:2] for span in spans]
    except ValueError as error:
        raise (BeyondText if format.check_text else ValueError)(str(error)) from None
    covered = " ".join(text[start:end] for start, end in pieces)
    if format.check_text and covered.split() != surface.split():
        remedy = describe_inclusive_end(text, pieces[0], surface)
        raise Misfit(f"the text at {offsets} is {quote(covered)}, but the line says {quote(surface)}{remedy}")
    return [(start, end, label) for start, end in spans_of_pieces(pieces, format.discontinuous, text)]
