"""Read the content of files piece by piece: the files of a folder, lines and JSON values; and check XML."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TextIO
from xml.parsers import expat

from ...core.compression import Damaged, compression_of, strip_compression
from ...core.expansion import TooLarge, check_objects, pause_collection
from ...core.keys import (
    DOCUMENTS,
    ENDS,
    MENTIONS,
    SPAN_LISTS,
    STARTS,
    TEXTS,
    describe_keys,
    first_value,
    nested_value,
)
from ...core.messages import install_command, spell_argument
from ..paths import check_is_file, files_under, open_input, readable_file

START = 4096
"""Number of bytes at the start of a file from which its kind is detected."""


ENCODINGS = "; if it is in another encoding, convert it first, as with iconv -f WINDOWS-1252 -t UTF-8"
"""The remedy for a file that is not in UTF-8."""


def check_is_text(path: Path, start: bytes) -> None:
    """Raise ValueError, with a remedy, if a file is compressed twice, or in UTF-16 or UTF-32.

    Args:
        path: The file.
        start: The first bytes of its unpacked content.

    >>> check_is_text(Path("a.jsonl.gz"), b"\\x1f\\x8b\\x08")
    Traceback (most recent call last):
    ValueError: a.jsonl.gz is compressed twice: unpacked, it is compressed by gzip; unpack it once
    """
    if compression := compression_of(start):
        raise ValueError(
            f"{path} is compressed twice: unpacked, it is compressed by {compression.name}; unpack it once"
        )
    if start.startswith(b"PK\x03\x04"):
        raise ValueError(f"{path} is a zip archive: unpack it first")
    columns = [start[k:200:4] for k in range(4)]  # each fourth byte
    zero_columns = sum(column.count(0) == len(column) > 0 for column in columns)
    if start.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")) or (zero_columns == 3 and len(start) > 8):
        raise ValueError(f"{path} is in UTF-32, expected UTF-8: convert it first, with iconv -f UTF-32 -t UTF-8")
    has_mark = start.startswith((b"\xff\xfe", b"\xfe\xff"))
    zeros = sorted((start[:200:2].count(0), start[1:200:2].count(0)))
    # In UTF-16, every other byte of Latin letters is 0.
    if has_mark or zeros[0] == 0 and zeros[1] > max(3, len(start[:200]) // 3):
        raise ValueError(f"{path} is in UTF-16, expected UTF-8: convert it first, with iconv -f UTF-16 -t UTF-8")


def files_in(path: Path, ending: str) -> Iterator[Path]:
    """Yield the files with an ending in a folder and its subfolders, linked ones too, except hidden ones.

    The extension of the compression is ignored: a.txt.gz has the ending .txt.

    Raises:
        ValueError: The folder has a file both compressed and uncompressed.
    """
    files: dict[Path, Path] = {}
    for file in files_under(path):
        plain_name = strip_compression(file)
        if not plain_name.name.endswith(ending) or file.name.startswith("."):
            continue
        if ending and files.setdefault(plain_name, file) != file:
            raise ValueError(f"{path} has both {files[plain_name].name} and {file.name}: remove one of them")
        yield file


BETWEEN_VALUES = re.compile(r"(?<=[}\]])\r+(?=[{\[])")
"""A line end between two JSON values."""


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 file with their numbers, one at a time.

    A byte order mark and line ends, including those of Windows, are removed.

    Args:
        path: The file.

    Yields:
        The number of a line, from 1 up, and its text. Of empty lines in a row, at most `MOST_EMPTY`.

    Raises:
        ValueError: If there is no such file, or a line is not valid UTF-8.
        OSError: If the file cannot be read.
    """
    check_is_file(path)
    number = 0
    with open_input(path) as file:
        check_is_text(path, file.read(START))
        file.seek(0)
        empty = 0
        for line in file:
            number += 1
            try:
                text = line.decode("utf-8").rstrip("\r\n").removeprefix("\ufeff")
            except UnicodeDecodeError as error:
                raise ValueError(f"{path}, line {number}: not valid UTF-8 ({error}){ENCODINGS}") from None
            empty = empty + 1 if line == b"\n" else 0
            if "\r" not in text:
                yield number, text
            else:  # old Macs end lines so, and the whole file is one line; within a JSON value, it is white space
                is_json = text.startswith(("{", "["))
                for piece in BETWEEN_VALUES.split(text) if is_json else text.split("\r"):
                    yield number, piece
                    number += 1
                number -= 1
            if empty == MOST_EMPTY:
                number += _skip_empty_lines(file)
                empty = 0


MOST_EMPTY = 1000
"""Number of empty lines in a row after which others are skipped: they mean nothing, and there may be millions."""


def _skip_empty_lines(file: BinaryIO) -> int:
    """Skip the empty lines that follow, and return their number."""
    skipped = 0
    # The files here are buffered and can peek, which BinaryIO does not promise.
    while (ahead := file.peek()) and (number := len(ahead) - len(ahead.lstrip(b"\n"))):  # type: ignore[attr-defined]
        skipped += len(file.read(number))
    return skipped


BLOCK = 1 << 12
"""Number of characters that are read at once; more while a value is not complete."""


def json_values(
    path: Path, pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None
) -> Iterator[tuple[int, Any]]:
    """Yield the elements of the list in a JSON file, or all values of a file without a list.

    One value is in memory at a time. A list that begins with a text is itself one value,
    since a list of documents does not begin with a text.

    Args:
        path: The file.
        pairs_hook: Makes each object, see `json.loads`.

    Yields:
        The number of the line on which a value begins, from 1 up, and the value.

    Raises:
        ValueError: If there is no such file, or it is not valid JSON or UTF-8. Names the line.
        OSError: If the file cannot be read.

    >>> path = getfixture("tmp_path") / "a.json"
    >>> _ = path.write_text('[{"id": 1},\\n{"id": 2}]')
    >>> [*json_values(path)]
    [(1, {'id': 1}), (2, {'id': 2})]
    """
    check_is_file(path)
    with open_input(path) as start:
        check_is_text(path, start.read(START))
    with TextIOWrapper(open_input(path), encoding="utf-8-sig") as file:
        values = _Values(file, path, pairs_hook)
        try:
            yield from values
        except (Damaged, TooLarge):
            raise
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}, line {values.line}: not valid UTF-8 ({error}){ENCODINGS}") from None
        except ValueError as error:
            raise ValueError(f"{path}, line {values.line}: not valid JSON ({error})") from None


class _Values:
    """Reads the values of an open file.

    Attributes:
        line: The line of the last character that was read.
    """

    def __init__(
        self, file: TextIO, path: Path, pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None
    ) -> None:
        self.line = 1
        self._file, self._path = file, path
        self._text = ""
        self._position = 0
        self._decoder = json.JSONDecoder(object_pairs_hook=pairs_hook)

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        in_list = self._peek() == "["
        if in_list:
            self._skip(1)
            if self._peek() == "]":
                return self._check_end()
            if self._peek() == '"':
                self._text, self._position, in_list = "[" + self._text[self._position :], 0, False
        while self._peek():
            line = self.line
            yield line, self._parse_value()
            if in_list:
                if self._peek() == "]":
                    return self._check_end()
                if self._peek() != ",":
                    raise ValueError("expected a comma or ] after an element of the list")
                self._skip(1)
        if in_list:
            raise ValueError("the list has no end")

    def _parse_value(self) -> Any:
        size = BLOCK
        while True:
            try:
                with pause_collection():
                    value, end = self._decoder.raw_decode(self._text, self._position)
            except RecursionError:
                raise ValueError("nested too deeply") from None
            except ValueError:
                if not self._read_more(size):
                    raise
                check_objects(self._path, self._text, readable_file(self._path))
                size *= 2
            else:
                self._skip(end - self._position)
                return value

    def _peek(self) -> str:
        """Return the next character that is not white space; "" at the end of the file."""
        while True:
            rest = self._text[self._position : self._position + BLOCK]
            self._skip(len(rest) - len(rest.lstrip(" \t\r\n")))
            if self._position < len(self._text):
                return self._text[self._position]
            if not self._read_more(BLOCK):
                return ""

    def _skip(self, number: int) -> None:
        self.line += self._text.count("\n", self._position, self._position + number)
        self._position += number

    def _read_more(self, size: int) -> bool:
        """Read more of the file; return whether there was more."""
        block = self._file.read(size)
        self._text, self._position = self._text[self._position :] + block, 0
        return bool(block)

    def _check_end(self) -> None:
        self._skip(1)
        if self._peek():
            raise ValueError("expected nothing after the list")


def documents_in(value: Any, key: str | None = None) -> list[Any] | None:
    """Return the list of documents in an object; None if there is none, or it is itself a document.

    Args:
        value: A JSON value.
        key: The key of the list. By default "documents", or the only list of objects with texts.

    Raises:
        ValueError: There is no list under the key; names the keys that are there.

    >>> documents_in({"version": 1, "data": {"examples": [{"text": "Ada"}]}})
    [{'text': 'Ada'}]
    """
    if key is not None:
        if not isinstance(documents := nested_value(value, key), list):
            said = spell_argument("keys", f"documents={key}")
            raise ValueError(f"{said}: there is no list {key!r}; {describe_keys(value)}")
        return documents
    if not isinstance(value, dict) or _is_document(value):
        return None
    if isinstance(value.get(DOCUMENTS), list):
        return [*value[DOCUMENTS]]
    objects = [value, *(item for item in value.values() if isinstance(item, dict))]
    inside = [item for outer in objects for name, item in outer.items() if name not in (*SPAN_LISTS, MENTIONS)]
    lists = [item for item in inside if isinstance(item, list) and item and all(map(_is_document, item))]
    return lists[0] if len(lists) == 1 else None


def unpack_pair(entry: Any) -> Any:
    """Return spaCy 2's pair of a text and its annotation as an object, and any other value as it is.

    >>> unpack_pair(("Ada", {"entities": [(0, 3, "PER")]}))
    {'text': 'Ada', 'entities': [(0, 3, 'PER')]}
    """
    if not isinstance(entry, (list, tuple)) or [*map(type, entry)] != [str, dict] or "entities" not in entry[1]:
        return entry
    return {"text": entry[0], "entities": entry[1]["entities"]}


def _is_document(value: Any) -> bool:
    """Return whether a value is an object with a text that is no span, or with passages, as a document of BioC."""
    value = unpack_pair(value)
    is_span = isinstance(value, dict) and first_value(value, (*STARTS, *ENDS)) is not None
    return isinstance(value, dict) and ("passages" in value or isinstance(first_value(value, TEXTS), str) > is_span)


def check_xml(where: Path | str, file: BinaryIO) -> None:
    """Check that a file is well-formed XML and defines no entities.

    Entities that are defined by other entities can fill the memory, and external entities
    read other files. This check expands and fetches nothing. A document type without
    definitions, such as that of BioC, is allowed.

    Args:
        where: The name of the file in errors.
        file: The file, from its start.

    Raises:
        ValueError: It is not well-formed, or defines an entity. Names the line.

    >>> from io import BytesIO
    >>> check_xml("a.xml", BytesIO(b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'))
    Traceback (most recent call last):
    ValueError: a.xml, line 1: the file defines the entity 'b', which is not read; replace entities by their text
    """
    parser = expat.ParserCreate()

    def refuse_entity(name: str, *rest: object) -> NoReturn:
        raise ValueError(
            f"{where}, line {parser.CurrentLineNumber}: the file defines the entity {name[:40]!r}, which is not read; "
            "replace entities by their text"
        )

    parser.EntityDeclHandler = refuse_entity
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.ParseFile(file)
    except expat.ExpatError as error:
        raise ValueError(
            f"{where}, line {error.lineno}: not well-formed XML ({expat.ErrorString(error.code)})"
        ) from None


def missing_package(extra: str, package: str) -> ValueError:
    """Return the error for a format without its package.

    >>> missing_package("uima", "dkpro-cassis")
    ValueError('this format needs dkpro-cassis: python -m pip install ".[uima]" in a clone of spacy-nereval')
    """
    return ValueError(f"this format needs {package}: {install_command(extra)}")
