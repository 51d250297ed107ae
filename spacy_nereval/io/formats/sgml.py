"""Inline SGML: `<ENAMEX TYPE="ORG">` around the text of a span, as in MUC and in OntoNotes' `.name` files."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import NamedTuple

from ...core.messages import SHOW, PlainSpan, shorten, spell_argument
from ..records import Record
from .contents import lines
from .settings import ELEMENTS, Format, document_files

TAG = re.compile(
    r"<(/?)([A-Za-z][\w.-]*)((?:\s+[\w.-]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'<>]+))?)*)\s*/?>|<[!?][^<>]*>"
)
"""A tag, a declaration, a comment or an instruction. Everything else is text."""
ATTRIBUTE = re.compile(r"([\w.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>]+))")
ENTITY = re.compile(r"(ENA|TI|NU)MEX\d*", re.IGNORECASE)
"""The elements that are spans."""
CHARACTER = re.compile(r"&(amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});")
"""References to characters. Other references stay as they are, since no document type is read."""
ENDINGS = (".sgm", ".sgml", ".name", ".xml", ".txt")
IDS = ("DOCNO", "DOCID")
STRUCTURE = """DOC DOCTYPE TEXT TXT BODY HEADER PREAMBLE TRAILER STORYID SLUG NWORDS HL DD SO IN AN CO CN GV RE ST FN
P S
SENT PARA TURN POST ENDTIME XML HTML HEAD META LINK STYLE DIV SPAN BR HR B I U EM STRONG A UL OL LI TABLE TR
TD TH FONT"""
"""Elements of documents, which are no spans."""
DESCRIPTIONS = "DATE DATETIME DATE_TIME DATELINE AUTHOR HEADLINE TITLE QUOTE SPEAKER ANNOTATION"
"""Elements that describe documents, or are spans where the names of elements are labels."""
BLANKS = re.compile(r"\s+")
END = re.compile(r"</DOC\s*>\s*$", re.IGNORECASE)


class Element(NamedTuple):
    """An open element: its name, its start in the text, the line on which it begins, its attributes, and its name as it
    is written."""

    name: str
    start: int
    line: int
    attributes: dict[str, str]
    written: str


def read(path: Path, format: Format = Format()) -> Iterator[Record]:
    """Read one document per `<DOC>`, or one per file without such elements.

    Spans are ENAMEX, TIMEX and NUMEX elements. The label is the attribute TYPE, or the name of the
    element. S_OFF and E_OFF are the numbers of characters at the start and the end of an element that
    do not belong to the span. Other tags are skipped, and those that are no structure of documents are
    counted. References such as `&amp;` are replaced. This is no XML parser: neither a document
    type nor an entity is read. A document has an id if the file gives it one.

    Args:
        path: A file, or a folder of files.
        format: In a folder with a file per annotator, `format.annotator` chooses the annotator. If `format.field` is
            `ELEMENTS`, elements of other names are spans, and their names labels.

    Yields:
        One record per document.

    Raises:
        ValueError: If there is no such file; if an element does not end, or has no label; if no element is a span,
            and there are others that may be. Names the line.
        OSError: If a file cannot be read.

    >>> path = getfixture("tmp_path") / "a.sgm"
    >>> _ = path.write_text('<ENAMEX TYPE="ORG" E_OFF="1">Rome-</ENAMEX>based')
    >>> [(record.text, record.spans) for record in read(path)]
    [('Rome-based', {(0, 4, 'ORG')})]
    """
    unread = _Unread(format.field)
    for file in document_files(path, ENDINGS, format):
        block: list[str] = []
        first = 1
        has_documents = False
        for number, line in lines(file.path):
            block.append(line)
            if END.search(line):
                yield file.annotated_record(_record(file.path, "\n".join(block), first, file.id, unread))
                block, first, has_documents = [], number + 1, True
        if any(line.strip() for line in block) or (file.id is not None and not has_documents):
            yield file.annotated_record(_record(file.path, "\n".join(block), first, file.id, unread))
    unread.check()


class _Unread:
    """The elements that are neither spans nor structure, of all documents.

    Args:
        field: `ELEMENTS` if these are spans, too.
    """

    def __init__(self, field: str | None) -> None:
        if field not in (None, ELEMENTS):
            raise ValueError(
                f"{spell_argument('column', field)}: expected {ELEMENTS!r}, which reads the names of elements as labels"
            )
        self.is_read = field == ELEMENTS
        self._structure = {*STRUCTURE.split(), *(() if self.is_read else DESCRIPTIONS.split())}
        self._has_spans = False
        self._numbers: Counter[str] = Counter()
        self._first = ""

    @property
    def number(self) -> int:
        """The number of elements skipped so far."""
        return sum(self._numbers.values())

    @property
    def note(self) -> str:
        """What has to be said where elements are left out. Is the same for all documents."""
        return (
            f"elements that are no ENAMEX, TIMEX or NUMEX, such as {next(iter(self._numbers))}, are left out; "
            f"{spell_argument('column', ELEMENTS)} reads their names as labels"
        )

    def has(self, name: str) -> bool:
        """Return whether an element with a name is a span or names its document."""
        return name in IDS or bool(ENTITY.fullmatch(name)) or (self.is_read and name not in self._structure)

    def see(self, path: Path, line: int, name: str) -> bool:
        """Return whether an element is a span, and take it into account."""
        if name in self._structure:
            return False
        if not self.is_read and not ENTITY.fullmatch(name):
            self._numbers[name] += 1
            self._first = self._first or f"{path}, line {line}: <{name}>"
            return False
        self._has_spans = True
        return True

    def check(self) -> None:
        """Raise ValueError if no element is a span, and there are others that may be."""
        if self._numbers and not self._has_spans:
            names = ", ".join(f"{name} ({number})" for name, number in self._numbers.most_common(5))
            raise ValueError(
                f"{self._first} is not read, and there is no ENAMEX, TIMEX or NUMEX: read the names of elements as "
                f"labels with {spell_argument('column', ELEMENTS)}: {names}; {SHOW}"
            )


def _record(path: Path, source: str, first: int, id: str | None, unread: _Unread) -> Record:
    """Return the record of a document that begins on line `first` of a file."""
    text, position, line = "", 0, first
    entities: list[tuple[Element, int]] = []  # with their ends in the text
    others = unread.number
    stack: list[Element] = []
    document_id: str | slice | None = None  # the id, or its place in the text
    for tag in TAG.finditer(source):
        text += _decode_references(source[position : tag.start()])
        line += source.count("\n", position, tag.start())
        lines_in_tag, position = source.count("\n", tag.start(), tag.end()), tag.end()
        name = (tag[2] or "").upper()
        if tag[1]:
            element = _close_element(path, name, line, stack) if unread.has(name) else None
            if element and name not in IDS:
                entities.append((element, len(text)))
            if element and name in IDS:
                document_id = slice(element.start, len(text))
        elif name in IDS or (name and unread.see(path, line, name)):
            stack.append(Element(name, len(text), line, _attributes(tag[3]), tag[2]))
        elif name == "DOC":
            attributes = _attributes(tag[3])
            document_id = next((attributes[key] for key in IDS if key in attributes), document_id)
        line += lines_in_tag
    if stack:
        raise ValueError(
            f"{path}, line {stack[-1].line}: <{stack[-1].name}> does not end; expected </{stack[-1].name}>"
        )
    text += _decode_references(source[position:])
    document_id = text[document_id].strip() if isinstance(document_id, slice) else document_id
    blanks = [match.span() for match in BLANKS.finditer(text)]
    spans = [_span(path, element, end, text, blanks) for element, end in entities]
    begin, end = len(text) - len(text.lstrip()), len(text.rstrip())
    shifted = [(max(a - begin, 0), max(b - begin, 0), label) for a, b, label in spans]
    others = unread.number - others
    notes = [unread.note] if others else []
    return Record.deduplicate(text[begin : max(begin, end)], shifted, id=document_id or id, others=others, notes=notes)


def _close_element(path: Path, name: str, line: int, stack: list[Element]) -> Element:
    """Return the element that an end tag closes."""
    if not stack or stack[-1].name != name:
        inside = f"inside <{stack[-1].name}> of line {stack[-1].line}" if stack else "which did not begin"
        raise ValueError(f"{path}, line {line}: </{name}> {inside}")
    return stack.pop()


def _span(path: Path, element: Element, end: int, text: str, blanks: Sequence[tuple[int, int]]) -> PlainSpan:
    """Return the span of an element that ends at `end`, without white space at its ends.

    Its text is not copied, since that would take most of the time with nested elements.
    """
    label = element.attributes.get("TYPE", element.name if ENTITY.fullmatch(element.name) else element.written)
    offsets = [element.attributes.get(key, "0") for key in ("S_OFF", "E_OFF")]
    if not label or not all(offset.isdecimal() for offset in offsets):
        raise ValueError(f"{path}, line {element.line}: <{element.name}> has no TYPE, or S_OFF or E_OFF is no number")
    first, last = element.start + int(offsets[0]), end - int(offsets[1])
    start, stop = _skip_blanks(first, blanks), _trim_blanks(last, blanks)
    if start >= stop:
        snippet = shorten(repr(text[first : max(first, last)]))
        raise ValueError(f"{path}, line {element.line}: <{element.name}> around {snippet} has no text")
    return start, stop, label


def _skip_blanks(place: int, blanks: Sequence[tuple[int, int]]) -> int:
    """Return the first place, from this one on, that is not white space.

    >>> _skip_blanks(3, [(1, 2), (3, 6)]), _skip_blanks(2, [(1, 2), (3, 6)])
    (6, 2)
    """
    blank = bisect_right(blanks, (place, math.inf)) - 1
    return max(place, blanks[blank][1]) if blank >= 0 else place


def _trim_blanks(place: int, blanks: Sequence[tuple[int, int]]) -> int:
    """Return the last place, up to this one, that is not preceded by white space.

    >>> _trim_blanks(4, [(1, 2), (3, 6)]), _trim_blanks(3, [(1, 2), (3, 6)]), _trim_blanks(7, [(1, 2), (3, 6)])
    (3, 3, 7)
    """
    blank = bisect_right(blanks, (place - 1, math.inf)) - 1
    return blanks[blank][0] if blank >= 0 and blanks[blank][1] >= place else place


def _attributes(source: str | None) -> dict[str, str]:
    return {name.upper(): _decode_references(a or b or c) for name, a, b, c in ATTRIBUTE.findall(source or "")}


def _decode_references(source: str) -> str:
    return CHARACTER.sub(lambda match: unescape(match[0]), source)
