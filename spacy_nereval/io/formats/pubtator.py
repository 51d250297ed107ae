"""PubTator: a title, an abstract and annotations, with a blank line between documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...core.attribute_values import LINK, Attributes, attribute_value, sort_attributes
from ...core.messages import SHOW, PlainSpan, shorten
from ..records import Record
from .contents import lines
from .settings import Format, fit_span, locate_error
from .tags import INVISIBLE

TEXT = re.compile(r"([^|\t]+)\|([ta])\|(.*)")
"""A line with the title or the abstract."""

RELATION = re.compile(r"[^\W\d]\D*")
"""The type of a relation."""

OFFSETS = re.compile(r"(?<!\S)(\d+)\s+(\d+)(?!\S)")
"""Two numbers, which may be offsets."""

LINK_CELL = 5
"""The index of the cell with the identifier of an annotation."""

NO_LINKS = ("-", "-1")
"""Identifiers of mentions that have none in the database."""

COLUMNS_NOT_READ = "columns after the identifier, such as the names in a composite mention, are not read"
"""The note on a document that has them."""

Line = tuple[int, str]
"""A line and its number."""


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read one document per block of lines.

    The text is the title, a line end and the abstract, since offsets count one character
    between title and abstract. Lines of relations have no offsets; they are skipped and counted, and so are
    the columns after the identifier of an annotation.

    Args:
        path: The file.
        format: `format.offsets` gives the unit of offsets, `format.check_text` says whether the texts
            of annotations are checked.

    Yields:
        One record per document.

    Raises:
        ValueError: If there is no such file, or a line is malformed. Names the line.
        OSError: If the file cannot be read.

    >>> path = getfixture("tmp_path") / "a.txt"
    >>> _ = path.write_text("1|t|Aspirin\\n1|a|It helps.\\n1\\t0\\t7\\tAspirin\\tChemical\\tD001241\\n")
    >>> [(record.id, record.text, record.spans) for record in read(path)]
    [('1', 'Aspirin\\nIt helps.', {(0, 7, 'Chemical')})]
    """
    block: list[Line] = []
    for number, line in lines(path):
        if line.strip(INVISIBLE):
            block.append((number, line))
        elif block:
            yield _record(path, block, format)
            block = []
    if block:
        yield _record(path, block, format)


def _record(path: Path, block: list[Line], format: Format) -> Record:
    texts: dict[str, str] = {}
    annotation_lines: list[Line] = []
    id = ""
    for number, line in block:
        match = TEXT.fullmatch(line)
        if not match or annotation_lines:
            annotation_lines.append((number, line))
            continue
        if match[2] in texts or (id and match[1] != id):
            raise ValueError(f"{path}, line {number}: a second document; expected a blank line before it")
        id, texts[match[2]] = match[1], match[3]
    if not texts:
        raise ValueError(f"{path}, line {block[0][0]}: expected a title, '123|t|...', or an abstract, '123|a|...'")
    text = "\n".join((texts.get("t", ""), *([texts["a"]] if "a" in texts else [])))
    spans: list[PlainSpan] = []
    listed: list[Attributes] = []
    others = 0
    notes: tuple[str, ...] = ()
    for number, line in annotation_lines:
        try:
            cells = line.split("\t")
            line_spans = _spans(id, cells, text, format)
        except ValueError as error:
            raise locate_error(error, f"{path}, line {number}") from None
        others += line_spans is None
        spans += line_spans or []
        link, *unread = [cell.strip() for cell in cells[LINK_CELL:]] or [""]
        link = "" if link in NO_LINKS else link
        if line_spans and any(unread):
            others, notes = others + 1, (COLUMNS_NOT_READ,)
        listed += [sort_attributes([(LINK, attribute_value(link))])] * len(line_spans or [])
    return Record.deduplicate(text, spans, id=id, others=others, listed_attributes=listed, notes=notes)


def _spans(id: str, cells: Sequence[str], text: str, format: Format) -> list[PlainSpan] | None:
    """Return the spans of a line, or None for a relation."""
    if cells[0] != id and len(cells) > 1:
        raise ValueError(f"a line of document {shorten(cells[0])!r} in document {shorten(id)!r}")
    if len(cells) in (4, 5) and RELATION.fullmatch(cells[1]) and not _is_annotation(cells, text):
        return None
    if len(cells) < 5 or not (cells[1].isdecimal() and cells[2].isdecimal()):
        raise ValueError(
            "expected id, start, end, text and label with tabs between them, or a relation: id, type and "
            f"arguments; found {shorten(repr(cells))}; {SHOW}"
        )
    start, end, surface, label = int(cells[1]), int(cells[2]), cells[3], cells[4]
    return [fit_span("annotation", (start, end, label), text, format, surface)]


def _is_annotation(cells: Sequence[str], text: str) -> bool:
    """Return whether the cells of a line, in whatever order, have offsets in the text and the words there."""
    places = (map(int, match.groups()) for match in OFFSETS.finditer(" ".join(cells[1:])))
    return any(start < end and text[start:end].strip() in cells for start, end in places)
