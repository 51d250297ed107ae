"""Inline SGML: `<ENAMEX TYPE="ORG">` around the text of a span, as in MUC and in OntoNotes' `.name` files."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import NamedTuple

from ...core.messages import PlainSpan, shorten
from ..records import Record
from .contents import lines
from .settings import Format, parts

TAG = re.compile(
    r"<(/?)([A-Za-z][\w.-]*)((?:\s+[\w.-]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'<>]+))?)*)\s*/?>|<[!?][^<>]*>"
)
"""A tag, a declaration, a comment or an instruction. Everything else is text."""
ATTRIBUTE = re.compile(r"([\w.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>]+))")
ENTITY = re.compile(r"(ENA|TI|NU)MEX\d*", re.IGNORECASE)
"""The elements that are spans."""
CHARACTER = re.compile(r"&(amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});")
"""References to characters. Others stay as they are: no document type is read."""
ENDINGS = (".sgm", ".sgml", ".name", ".xml", ".txt")
IDS = ("DOCNO", "DOCID")
BLANKS = re.compile(r"\s+")
END = re.compile(r"</DOC\s*>\s*$", re.IGNORECASE)


class Open(NamedTuple):
    """An element that has begun: its name, where it begins in the text and in the file, its attributes."""

    name: str
    start: int
    line: int
    attributes: dict[str, str]


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read one document per `<DOC>`, or one per file without such elements.

    The label is the attribute TYPE, or the name of the element. S_OFF and E_OFF are the numbers
    of characters at the start and the end of an element that do not belong to the span. Other
    tags are left out, and references such as `&amp;` are characters. This is no XML parser:
    neither a document type nor an entity is read. Documents have one id if the file gives it.

    Args:
        path: A file, or a folder of files.
        format: How to read it; nothing of it concerns this format.

    Yields:
        One record per document.

    Raises:
        ValueError: If there is no such file; if an element does not end, or has no label. Names
            the line.
        OSError: If a file cannot be read.

    >>> path = getfixture("tmp_path") / "a.sgm"
    >>> _ = path.write_text('<ENAMEX TYPE="ORG" E_OFF="1">Rome-</ENAMEX>based')
    >>> [(record.text, record.spans) for record in read(path)]
    [('Rome-based', {(0, 4, 'ORG')})]
    """
    for part in parts(path, ENDINGS, format):
        block: list[str] = []
        first = 1
        has_documents = False
        for number, line in lines(part.path):
            block.append(line)
            if END.search(line):
                yield _record(part.path, "\n".join(block), first, part.id)
                block, first, has_documents = [], number + 1, True
        if any(line.strip() for line in block) or (part.id is not None and not has_documents):
            yield _record(part.path, "\n".join(block), first, part.id)


def _record(path: Path, source: str, first: int, id: str | None) -> Record:
    """Return the document of a stretch of a file that begins in line `first`."""
    text, at, line = "", 0, first
    ended: list[tuple[Open, int]] = []  # with where they end
    stack: list[Open] = []
    own_id: str | slice | None = None  # the id, or where it is in the text
    for tag in TAG.finditer(source):
        text += _characters(source[at : tag.start()])
        line += source.count("\n", at, tag.start())
        inside, at = source.count("\n", tag.start(), tag.end()), tag.end()
        name = (tag[2] or "").upper()
        if tag[1]:
            inner = _closed(path, name, line, stack)
            if inner and ENTITY.fullmatch(name):
                ended.append((inner, len(text)))
            if inner and name in IDS:
                own_id = slice(inner.start, len(text))
        elif name in IDS or ENTITY.fullmatch(name):
            stack.append(Open(name, len(text), line, _attributes(tag[3])))
        elif name == "DOC":
            attributes = _attributes(tag[3])
            own_id = next((attributes[key] for key in IDS if key in attributes), own_id)
        line += inside
    if stack:
        raise ValueError(
            f"{path}, line {stack[-1].line}: <{stack[-1].name}> does not end; expected </{stack[-1].name}>"
        )
    text += _characters(source[at:])
    own_id = text[own_id].strip() if isinstance(own_id, slice) else own_id
    blanks = [found.span() for found in BLANKS.finditer(text)]
    spans = [_span(path, element, end, text, blanks) for element, end in ended]
    begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
    moved = [(max(a - begin, 0), max(b - begin, 0), label) for a, b, label in spans]
    kept = {*moved}
    return Record(text[begin : max(begin, end)], kept, id=own_id or id, duplicates=len(spans) - len(kept))


def _closed(path: Path, name: str, line: int, stack: list[Open]) -> Open | None:
    """Return the element that an end tag ends; None for elements that are not read."""
    if name not in IDS and not ENTITY.fullmatch(name):
        return None
    if not stack or stack[-1].name != name:
        inside = f"inside <{stack[-1].name}> of line {stack[-1].line}" if stack else "which did not begin"
        raise ValueError(f"{path}, line {line}: </{name}> {inside}")
    return stack.pop()


def _span(path: Path, element: Open, end: int, text: str, blanks: Sequence[tuple[int, int]]) -> PlainSpan:
    """Return the span of an element that ends at `end`, without white space at its ends.

    The text in it is not copied: with nested elements, that would be most of the work.
    """
    label = element.attributes.get("TYPE", element.name)
    offsets = [element.attributes.get(key, "0") for key in ("S_OFF", "E_OFF")]
    if not label or not all(offset.isdecimal() for offset in offsets):
        raise ValueError(f"{path}, line {element.line}: <{element.name}> has no TYPE, or S_OFF or E_OFF is no number")
    first, last = element.start + int(offsets[0]), end - int(offsets[1])
    start, stop = _after(first, blanks), _before(last, blanks)
    if start >= stop:
        shown = shorten(repr(text[first : max(first, last)]))
        raise ValueError(f"{path}, line {element.line}: <{element.name}> around {shown} has no text")
    return start, stop, label


def _after(place: int, blanks: Sequence[tuple[int, int]]) -> int:
    """Return the first place from here on without white space.

    >>> _after(3, [(1, 2), (3, 6)]), _after(2, [(1, 2), (3, 6)])
    (6, 2)
    """
    known = bisect_right(blanks, (place, math.inf)) - 1
    return max(place, blanks[known][1]) if known >= 0 else place


def _before(place: int, blanks: Sequence[tuple[int, int]]) -> int:
    """Return the last place up to here that white space does not precede.

    >>> _before(4, [(1, 2), (3, 6)]), _before(3, [(1, 2), (3, 6)]), _before(7, [(1, 2), (3, 6)])
    (3, 3, 7)
    """
    known = bisect_right(blanks, (place - 1, math.inf)) - 1
    return blanks[known][0] if known >= 0 and blanks[known][1] >= place else place


def _attributes(given: str | None) -> dict[str, str]:
    return {name.upper(): _characters(a or b or c) for name, a, b, c in ATTRIBUTE.findall(given or "")}


def _characters(source: str) -> str:
    return CHARACTER.sub(lambda match: unescape(match[0]), source)
