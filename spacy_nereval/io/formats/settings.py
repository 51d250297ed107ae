"""The settings of readers (`Format`), and the functions that several readers use.

These choose one of several annotators, list the documents of a folder, convert offsets (from UTF-16 code units or
bytes to characters), and check that a span covers the text that the file repeats for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ...core.arguments import (
    AUTO_OFFSETS,
    CASELESS,
    CODEPOINT,
    LISTED,
    OFFSETS,
    SAME,
    UTF8,
    UTF16,
    Reading,
    side_reading,
    validate_settings,
)
from ...core.attribute_values import split_names
from ...core.compression import strip_compression
from ...core.keys import ENDS, PIECES, STARTS, KeyMap, first_value, key_maps, label_of
from ...core.messages import PlainSpan, describe_unknown, join_names, quote, shorten, spell_argument, validate_span
from ...core.pieces import covered_text, describe_pieces, hull, join_pieces, pieces_of
from ..records import Record
from .contents import files_in

COLUMN_NAME = re.compile(r"[^\W\d_][\w.:-]*(\.\*)?")
"""A column that has a name instead of a number. `Type.*` of XMI files reads the names of types as labels."""


ELEMENTS = "elements"
"""The column of SGML that reads the names of all elements as labels."""


class Format(NamedTuple):
    """How to read a file. A reader uses the fields that concern its format.

    Args:
        name: The registered name of the format; None infers it from the path.
        column: CoNLL: the column of the tags, 1 for the first, -1 for the last, 0 for the last or the only one with
            tags.
        both: CoNLL: the file has a column of gold tags and one of predicted tags.
            If these are its only columns, it has no words.
        repair: CoNLL: how to read tag sequences that the tagging scheme does not
            allow, "conll" or "discard"; None makes them errors.
        discontinuous: how to read a span with gaps, one of `arguments.PIECES`; None keeps its pieces.
        spans_key: `.spacy`: read `doc.spans[spans_key]` instead of `doc.ents`.
        offsets: Formats with offsets: their unit, one of `arguments.OFFSETS`; "auto" for the
            unit that fits the texts of the spans. None for the unit of the format, which is
            characters unless its reader says otherwise; ambiguous offsets are then an error.
        check_text: Formats that repeat the texts of spans: whether a span has to cover that text.
        field: The name of the column, layer, key or type that has the labels.
        annotator: Formats with several annotators in a file: the one to read. None for
            the only one; several are then an error.
        keys: JSON and Parquet: the names of the keys that have the parts of a document and of a span.
        match_text: How the texts of a pair may differ, one of `arguments.TEXT_MATCHES`.
        tag_names: Tags that are numbers: their names with commas between them, or the path of a
            JSON file with a list of names or a mapping `id2label`.
        match: JSONL: how mentions without offsets are located, one of `arguments.LEVELS`.
        occurrences: JSONL: which occurrences of such mentions are spans, one of `arguments.OCCURRENCES`.
        scheme, outside: Tags: their scheme, one of `arguments.SCHEMES`, and the tag of tokens outside in addition to O.
        end: Formats with offsets: "inclusive" if the end of a span is the offset of its last character.
        words: CoNLL: the number or the name of the column of the words; None for the first that has words.
        missing_tokens: Predictions: "O" to read tokens that only gold has as outside of spans.
        asked: The names of attributes that become the labels.
        links: CoNLL: the number or the name of the column of links.
    """

    name: str | None = None
    column: int = 0
    both: bool = False
    repair: str | None = None
    discontinuous: str | None = None
    spans_key: str | None = None
    offsets: str | None = None
    check_text: bool = True
    match: str = CASELESS
    occurrences: str = LISTED
    field: str | None = None
    annotator: str | None = None
    tag_names: Any = None
    scheme: str = "auto"
    outside: str | None = None
    end: str | None = None
    words: str | None = None
    missing_tokens: str | None = None
    keys: KeyMap | None = None
    match_text: str = SAME
    asked: tuple[str, ...] = ()
    links: str | None = None


def side_formats(reading: Reading, *, both: bool = False) -> tuple[Format, Format]:
    """Return how to read gold and predictions.

    Args:
        reading: How annotation is read; `format`, `column` and `annotator` may have a value for each side, with a comma
            between them, and `keys` may be a list of two.
        both: Whether one file has both sides. `column` then gives two keys, or two columns by name or number; by
            default the last two columns, as in conlleval's input.

    Returns:
        How to read gold, and how to read predictions.

    Raises:
        ValueError: If an argument has an unknown value.

    >>> gold, pred = side_formats(Reading(format="conll", column="3,last"), both=True)
    >>> gold.column, pred.column
    (3, -1)
    """
    validate_settings(reading)
    column, annotator = reading.column, reading.annotator
    columns = _columns(column) if column is not None else [-2, -1] if both else [0]
    by_name = [name for name in columns if isinstance(name, str)]
    if both and (len({*columns}) < 2 or len(by_name) == 1):
        raise ValueError(
            f"{spell_argument('column', column)}: a file with gold and predictions has two columns or keys; "
            "expected the "
            "numbers of both, as in 3,4, or the names, as in gold,pred"
        )
    annotators = [name.strip() for name in annotator.split(",")] if annotator else [None]
    if len(annotators) > 2 or "" in annotators:
        raise ValueError(
            f"{spell_argument('annotator', annotator)}: expected one name, or two for gold and predictions, as in "
            "ann,bob"
        )
    maps = key_maps(reading.keys)
    if column is not None and any(maps):
        raise ValueError(
            f"{spell_argument('keys')} is given in addition to {spell_argument('column', column)}: name the key of the "
            f"spans with {spell_argument('keys', f'spans={column}')} too"
        )
    formats = reading.format.split(",") if reading.format else [None]
    sides = [side_reading(reading, side) for side in (0, 1)]
    gold, pred = (
        Format(
            name=formats[side % len(formats)],
            column=tag_column if isinstance(tag_column, int) else 0,
            words=None if reading.word_column is None else str(reading.word_column),
            field=tag_column if isinstance(tag_column, str) else None,
            annotator=annotators[side % len(annotators)],
            both=both,
            repair=None if reading.repair == "error" else reading.repair,
            discontinuous=reading.discontinuous,
            offsets=sides[side].offsets,
            end=sides[side].end,
            scheme=reading.scheme,
            missing_tokens=reading.missing_tokens,
            outside=reading.outside,
            check_text=reading.check_text,
            tag_names=reading.tag_names,
            match=reading.match,
            occurrences=reading.occurrences,
            keys=maps[side],
            match_text=reading.match_text,
            links=None if reading.link_column is None else str(reading.link_column),
            asked=split_names(reading.label_from),
        )
        for side, tag_column in enumerate((columns[0], columns[-1]))
    )
    return gold, pred


def _columns(text: str | int) -> list[int | str]:
    """Parse the columns of an argument: numbers from 1 up, -1 for "last", or names."""
    columns: list[int | str] = []
    for name in (part.strip() for part in str(text).split(",")):
        if name == "last" or name.isdecimal():
            columns.append(-1 if name == "last" else int(name))
        elif COLUMN_NAME.fullmatch(name):
            columns.append(name)
        else:
            columns.append(0)
    if len(columns) > 2 or 0 in columns:
        raise ValueError(
            f"{spell_argument('column', text)}: expected 'last' or a number from 1 up (or a name, where columns have "
            "names), or two of these for gold and predictions"
        )
    return columns


GROUND_TRUTH = "ground_truth"
"""The name for the annotations that Label Studio marks as ground truth, whoever made them."""


class Annotators:
    """The annotators of the documents of a file, and the one who is read.

    If each document has one annotator, all of them are read. A document with several annotations is
    ambiguous, so an annotator has to be chosen.

    Args:
        path: The file, for errors.
        annotator: The value of `--annotator`.

    Attributes:
        by_document: The annotators of each document.
        has_ground_truth: Whether annotations are marked as ground truth, which is read as an annotator's.

    >>> annotators = Annotators("a.json", None)
    >>> annotators.see("1", "ann")
    >>> annotators.see("1", "bob")
    >>> annotators.check()
    Traceback (most recent call last):
    ValueError: a.json: document 1 has 2 annotations, by ann, bob; choose an annotator with annotator=: ann, bob
    """

    def __init__(self, path: Path | str, annotator: str | None) -> None:
        self._path = path
        self._annotator = annotator
        self._names: dict[str, None] = {}
        self.by_document: dict[str, list[str]] = {}
        self.has_ground_truth: bool = False

    @property
    def names(self) -> list[str]:
        """All annotators, in the order in which they occur."""
        return [*self._names]

    def see(self, document: str, name: str, *, annotated: bool = True) -> None:
        """Record an annotation of a document. If the annotator rejected it, `annotated` is False."""
        self._names[name] = None
        if annotated:
            self.by_document.setdefault(document, []).append(name)

    def check(self) -> None:
        """Check that every document has at most one annotation of the annotator who is read.

        Raises:
            ValueError: The annotator has no annotation at all, or several of one document.
        """
        if self._annotator is not None and self._annotator not in self._names:
            raise ValueError(f"{self._path}: {describe_unknown(self._annotator, self._names, 'annotator', 20)}")
        for document, names in self.by_document.items():
            authors = [*filter(self.is_read, names)]
            if len(authors) < 2:
                continue
            choices = [*self._names, *[GROUND_TRUTH] * self.has_ground_truth]
            remedy = f"choose an annotator with {spell_argument('annotator')}: {join_names(choices, 20)}"
            if len({*authors}) == 1:
                remedy = "keep one of them"
            raise ValueError(
                f"{self._path}: document {shorten(document)} has {len(authors)} annotations, by {join_names(authors)}; "
                f"{remedy}"
            )

    def is_read(self, name: str) -> bool:
        """Return whether the annotations of an annotator are read."""
        return self._annotator in (None, name)


INITIAL = "INITIAL_CAS"
"""The name of the file in which INCEpTION exports a document as it was before any annotation."""


class DocumentFile(NamedTuple):
    """The file of a document.

    Args:
        path: The file.
        id: The id of the document in the folder; None if the path is a file.
        annotated: Whether the annotation of the file is to be read, or only its text.
    """

    path: Path
    id: str | None = None
    annotated: bool = True

    def annotated_record(self, record: Record) -> Record:
        """Return a record of the file, without its annotation if that is not to be read."""
        return record if self.annotated else Record(record.text, set(), id=record.id, annotated=False)


def document_files(path: Path, endings: tuple[str, ...], format: Format) -> Iterator[DocumentFile]:
    """Yield the file of each document in a folder and its subfolders, in the order of their names.

    The id of a document is its path in the folder without the extension. In an export of
    INCEpTION or WebAnno, a document is itself a folder, such as `a.txt/`, with a file per annotator.

    Args:
        path: A folder, or a single file.
        endings: The extensions of the files.
        format: `format.annotator` chooses the annotator.

    Raises:
        ValueError: The folder has no such file, or a document has several annotators and
            none is chosen.
    """
    if not path.is_dir():
        yield DocumentFile(path)
        return
    annotators, documents = annotators_of(path, endings, format)
    if not documents:
        raise ValueError(f"{path} is a folder without {' or '.join(endings)} files")
    if annotators.by_document or format.annotator:
        annotators.check()
    for id, files in documents.items():
        chosen_files = [file for name, file in files if name is None or annotators.is_read(name)]
        yield DocumentFile(chosen_files[0] if chosen_files else files[0][1], id, bool(chosen_files))


def annotators_of(
    path: Path, endings: tuple[str, ...], format: Format
) -> tuple[Annotators, dict[str, list[tuple[str | None, Path]]]]:
    """Return the annotators of a folder, and the (annotator, file) pairs of each document."""
    annotators = Annotators(path, format.annotator)
    documents: dict[str, list[tuple[str | None, Path]]] = {}
    for file in sorted(file for ending in endings for file in files_in(path, ending)):
        inside, stem = file.relative_to(path), strip_compression(file).stem
        if not inside.parent.suffix:
            documents.setdefault(strip_compression(inside).with_suffix("").as_posix(), []).append((None, file))
        elif stem != INITIAL:
            annotators.see(inside.parent.as_posix(), stem)
            documents.setdefault(inside.parent.as_posix(), []).append((stem, file))
    return annotators, documents


LINE_ENDS = "line ends"
"""The unit of a tool that counts the line ends of Windows, two characters, as one. It is found, not named."""

UNIT_NAMES = {
    CODEPOINT: "characters",
    UTF16: "UTF-16 code units",
    UTF8: "bytes of UTF-8",
    LINE_ENDS: "line ends of two characters as one",
}

WIDTHS: Mapping[str, Callable[[str], int]] = {
    UTF16: lambda character: 1 + (character > "\uffff"),
    UTF8: lambda character: len(character.encode("utf8", "surrogatepass")),
    LINE_ENDS: lambda _: 1,
}
"""How many units a character has."""

FARTHEST_PIECE = 1_000_000
"""Maximum number of characters between two pieces of a text. More is a wrong offset, and would fill the memory."""


def spans_of_pieces(
    pieces: list[tuple[int, int]], discontinuous: str | None, text: str | None = None
) -> list[tuple[int, int]]:
    """Return the (start, end) of the span that pieces are, or of several spans.

    Args:
        pieces: The (start, end) of every piece.
        text: The text. Pieces with nothing but white space between them are one, since brat divides spans at line ends.
        discontinuous: None for one span with gaps, with the pieces in its end; "hull" for one span over all pieces,
            "parts" for a span for each piece.

    Raises:
        ValueError: Two pieces overlap.

    >>> spans_of_pieces([(0, 5), (8, 10)], "hull"), spans_of_pieces([(0, 5), (8, 10)], "parts")
    ([(0, 10)], [(0, 5), (8, 10)])
    >>> spans_of_pieces([(0, 5), (6, 10)], None, "purus\\nconv. and")
    [(0, 10)]
    """
    pieces = [piece for piece in pieces if piece[0] < piece[1]] or pieces[:1]  # an empty one has no characters
    if len(pieces) == 1:
        return pieces
    if discontinuous == "hull":
        return [(min(start for start, _ in pieces), max(end for _, end in pieces))]
    span = join_pieces(pieces, text)
    return [*pieces_of(span)] if discontinuous == "parts" else [span]


class Misfit(ValueError):
    """A span does not cover the text that the file repeats for it."""


class BeyondText(Misfit):
    """A span for which the file repeats a text reaches beyond the text of the document."""


def fit_span(name: str, span: Sequence[Any], text: str, format: Format, surface: str | None = None) -> PlainSpan:
    """Return a span in characters, checked against the text that the file repeats for it.

    Args:
        name: The name of the span in errors.
        span: Its start, end and label, in the unit of `format.offsets`.
        text: The text of the document.
        format: Gives the unit of offsets, and says whether `surface` matters.
        surface: The text of the span according to the file; None if it has none. White space is ignored.

    Raises:
        Misfit: The span covers another text.
        ValueError: The span is invalid for the text.

    >>> fit_span("span 0,", (3, 6, "PER"), "😀 Bob", Format(offsets="utf16"), "Bob")
    (2, 5, 'PER')
    >>> fit_span("span 0,", (3, 6, "PER"), "😀 Bob!", Format(), "Bob")
    Traceback (most recent call last):
    spacy_nereval.io.formats.settings.Misfit: span 0, from 3 to 6, is 'ob!', but the file says 'Bob'
    """
    offsets = CODEPOINT if format.offsets in (None, AUTO_OFFSETS) else format.offsets
    expected = surface if format.check_text else None
    if format.end == "inclusive":
        span = exclusive_span(span)
    try:
        if offsets == CODEPOINT or (text.isascii() and offsets != LINE_ENDS):
            start, end, label = validate_span(name, span, len(text))
        else:
            start, end, label = _convert_to_characters(name, span, text, offsets)
    except ValueError as error:
        raise (ValueError if expected is None else BeyondText)(str(error)) from None
    if expected is not None and text[start:end].split() != expected.split():
        raise Misfit(
            f"{name} from {span[0]} to {span[1]}, is {quote(text[start:end])}, but the file says {quote(expected)}"
            f"{describe_inclusive_end(text, (start, end), expected)}"
        )
    return start, end, label


def describe_inclusive_end(text: str, place: tuple[int, int], expected: str) -> str:
    """Return the remedy for a (start, end) that is one character too short for the expected text; "" for others."""
    start, end = place
    if text[start : start + 1].isspace() or text[start : end + 1].split() != expected.split():
        return ""
    return (
        "; the end seems to be that of the last character, expected the offset after it: "
        f"{spell_per_side('end', 'inclusive')}"
    )


def fit_pieces(name: str, span: Any, text: str | None, format: Format, surface: str | None = None) -> PlainSpan:
    """Return a span that has pieces, checked as by `fit_span`.

    Args:
        name: The name of the span in errors.
        span: A dict or an object with `pieces`, a list of [start, end], a label, and perhaps start and end.
        text, format, surface: As for `fit_span`; the text is None if it is not known.

    Raises:
        Misfit: The pieces cover another text.
        ValueError: They are not such a list, are invalid for the text, empty, or overlap.

    >>> pain = {"pieces": [[0, 4], [15, 24]], "label": "SIGN"}
    >>> fit_pieces("span 0", pain, "left and right knee pain", Format())
    (0, 24 of [0, 4) [15, 24), 'SIGN')
    >>> fit_pieces("span 0", {"pieces": [[0, 4], [2, 9]], "label": "SIGN"}, "left knee", Format())
    Traceback (most recent call last):
    ValueError: span 0: the pieces [0, 4) [2, 9) overlap
    """
    pieces, label = first_value(span, (PIECES,)), label_of(span)
    listed: list[Any] = [*pieces] if isinstance(pieces, (list, tuple)) or hasattr(pieces, "tolist") else []
    if not listed or not all(hasattr(piece, "__len__") and len(piece) == 2 for piece in listed):
        raise ValueError(f"{name} has the pieces {shorten(repr(pieces))}; expected a list such as [[0, 4], [15, 24]]")
    spans = [(*piece, label) for piece in listed]
    if text is None:
        spans = [exclusive_span(span) for span in spans] if format.end == "inclusive" else spans
        spans = [validate_span(f"{name}, piece {k}:", span, None) for k, span in enumerate(spans)]
    else:
        spans = [fit_span(f"{name}, piece {k}:", span, text, format) for k, span in enumerate(spans)]
    try:
        result = *join_pieces([span[:2] for span in spans], text), spans[0][2]
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    _check_hull(name, first_value(span, STARTS), first_value(span, ENDS), result, format)
    if surface is not None and text is not None and format.check_text:
        words = covered_text(text, result, " ")
        if words.split() != surface.replace("…", " ").split():
            raise Misfit(
                f"{name}, {describe_pieces(pieces_of(result))}, is {quote(words)}, but it says {quote(surface)}"
            )
    return result


def _check_hull(name: str, start: Any, end: Any, span: PlainSpan, format: Format) -> None:
    """Raise ValueError if a span has a start or an end, in characters, that is not that of its pieces."""
    first, last = hull(span)
    last -= format.end == "inclusive"
    is_known = format.offsets in (None, AUTO_OFFSETS, CODEPOINT)
    if is_known and (start not in (None, first) or end not in (None, last)):
        raise ValueError(f"{name} is from {start} to {end}, but its pieces are {describe_pieces(pieces_of(span))}")


def spell_per_side(name: str, value: str) -> str:
    """Return an argument with a value, and with it for the predictions alone, since the other side may be right.

    >>> spell_per_side("end", "inclusive")
    "end='inclusive' (end='exclusive,inclusive' if only the predictions' are)"
    """
    other = {"end": "exclusive", "offsets": CODEPOINT}[name]
    return f"{spell_argument(name, value)} ({spell_argument(name, f'{other},{value}')} if only the predictions' are)"


def exclusive_span(span: Any) -> Any:
    """Return a span with an inclusive end as one with an exclusive end, other values unchanged.

    >>> exclusive_span((0, 2, "PER")), exclusive_span((0, "2", "PER"))
    ((0, 3, 'PER'), (0, '2', 'PER'))
    """
    if not isinstance(span, (tuple, list)) or len(span) != 3:
        return span
    start, end, label = span
    return start, end + 1 if hasattr(end, "__index__") and not isinstance(end, bool) else end, label


def suggest_unit(read: Callable[[Format], object], format: Format = Format()) -> str:
    """Return advice for offsets that do not fit as characters but fit in another unit; "" if no unit fits.

    Args:
        read: Reads with a format, and raises ValueError if the offsets do not fit.
        format: The format; its unit is replaced.
    """
    for unit in (UTF16, UTF8):
        try:
            read(format._replace(offsets=unit))
        except ValueError:
            continue
        return f"; offsets would fit as {UNIT_NAMES[unit]}: {spell_per_side('offsets', unit)}"
    with suppress(ValueError):
        read(format._replace(offsets=LINE_ENDS))
        return f"; offsets would fit if they count {UNIT_NAMES[LINE_ENDS]}: give the text with \\n as line ends"
    return ""


def _convert_to_characters(name: str, span: Sequence[Any], text: str, offsets: str) -> PlainSpan:
    places = _places(text, offsets)
    start, end, label = validate_span(name, span, max(places))
    for offset in (start, end):
        if offset not in places:
            raise ValueError(f"{name} offset {offset} is inside a character if offsets count {UNIT_NAMES[offsets]}")
    return places[start], places[end], label


@lru_cache(maxsize=4)
def _places(text: str, offsets: str) -> dict[int, int]:
    """Return the offset in characters for every offset in another unit that is not inside a character."""
    width, offset = WIDTHS[offsets], 0
    places = {0: 0}
    for number, character in enumerate(text, 1):
        offset += width(character) if offsets != LINE_ENDS or text[number - 2 : number] != "\r\n" else 0
        places[offset] = number
    return places


def default_offsets(format: Format, unit: str) -> Format:
    """Return a format with this unit of offsets, unless another one was chosen.

    >>> default_offsets(Format(), UTF16).offsets, default_offsets(Format(offsets="auto"), UTF16).offsets
    ('utf16', 'auto')
    """
    return format._replace(offsets=unit) if format.offsets is None else format


def assemble_text(pieces: Iterable[tuple[int, str]], format: Format) -> str:
    """Join pieces of a text at their offsets, with white space between them.

    Args:
        pieces: The offset and the text of each piece, in ascending order.
        format: Gives the unit of offsets.

    Raises:
        Misfit: A piece begins before the end of the piece before it.
        ValueError: A piece begins more than a million characters after the end of the piece before it.

    >>> assemble_text([(0, "😀"), (3, "Bob")], Format(offsets="utf16"))
    '😀\\nBob'
    """
    width = WIDTHS.get(format.offsets or CODEPOINT)
    parts: list[str] = []
    end = 0
    for start, piece in pieces:
        if start < end:
            raise Misfit(
                f"the text {quote(piece)} begins at {shorten(str(start))}, before the end of the text before it, {end}"
            )
        if start - end > FARTHEST_PIECE:
            raise ValueError(
                f"the text {quote(piece)} begins at {shorten(str(start))}, but the text before it ends at {end}"
            )
        blanks = " " * (start - end)
        parts += ["\n" + blanks[1:] if parts and blanks else blanks, piece]
        end = start + (len(piece) if width is None else sum(map(width, piece)))
    return "".join(parts)


def check_unit_is_known(text: str, ends: Iterable[Any], format: Format, tool: str) -> None:
    """Check that offsets are unambiguous, for a tool that counts characters or UTF-16 code units, by version.

    They are ambiguous if a span ends after a character above U+FFFF.

    Args:
        text: The text.
        ends: The ends, in the file's unit, of the spans without a copy of their text.
        format: Says whether the unit was chosen.
        tool: The name of the tool, for the error.

    Raises:
        ValueError: The offsets are ambiguous, and the unit was not chosen.

    >>> check_unit_is_known("😀 Bob", [2], Format(offsets="utf16"), "doccano")
    """
    if format.offsets not in (None, AUTO_OFFSETS):
        return
    last = max((end for end in ends if isinstance(end, int)), default=0)
    if wide := next((character for character in text[: max(last, 0)] if character > "\uffff"), None):
        raise ValueError(
            f"{wide!r} is one character or two UTF-16 code units, and {tool}'s offsets count either, depending on "
            f"its version: say which with {spell_argument('offsets', CODEPOINT)} or {spell_argument('offsets', UTF16)}"
        )


def read_with_fitting_offsets(
    read: Callable[[Path, Format], Iterator[Record]], path: Path, format: Format
) -> Iterator[Record]:
    """Read a file in the unit of offsets that fits all spans, or raise an error that names this unit.

    Args:
        read: The reader of the format.
        path: The file or folder.
        format: How to read it. With `AUTO_OFFSETS`, the unit is inferred before any record is
            yielded: characters if they fit all spans that repeat their text, else UTF-16
            code units, else bytes of UTF-8, else characters with `LINE_ENDS`.

    Yields:
        The records of `read`.

    Raises:
        ValueError: As `read` does. If a span does not fit its text, the error names the
            unit that fits all spans of the file, if there is one.
    """
    try:
        if format.offsets == AUTO_OFFSETS:
            for _ in read(path, format):
                pass
        yield from read(path, format)
    except Misfit as error:
        fitting_unit = next((unit for unit in (*OFFSETS, LINE_ENDS) if _fits(read, path, format, unit)), None)
        if fitting_unit and format.offsets == AUTO_OFFSETS:
            yield from read(path, format._replace(offsets=fitting_unit))
            return
        remedy = f"; correct one of them, or use {spell_argument('check_text', False)} to go by the offsets"
        if fitting_unit:  # the unit alone would be that of the other side too, which may be read rightly
            argument = spell_argument("offsets", AUTO_OFFSETS)
            remedy = f"; all spans of {path} fit if offsets count {UNIT_NAMES[fitting_unit]}: {argument} finds the unit"
        elif isinstance(error, BeyondText):
            remedy = ""
        raise ValueError(f"{error}{remedy}") from None


def _fits(read: Callable[[Path, Format], Iterator[Record]], path: Path, format: Format, offsets: str) -> bool:
    try:
        for _ in read(path, format._replace(offsets=offsets)):
            pass
    except ValueError:
        return False
    return True


def locate_error(error: ValueError, where: str) -> ValueError:
    """Return the error with its place before the message. A `Misfit` keeps its class.

    >>> locate_error(Misfit("odd"), "a.jsonl, line 1")
    Misfit('a.jsonl, line 1: odd')
    """
    return (type(error) if isinstance(error, Misfit) else ValueError)(f"{where}: {error}")
