"""The values of a JSON file: the elements of its list, or one value after the other, as in JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from ..paths import check_is_file, readable
from .settings import SEEN, check_is_text

BLOCK = 1 << 12
"""Number of characters that are read at a time; more while a value is not complete."""


def json_values(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield the elements of the list in a JSON file, or its values one after the other.

    One value is in memory at a time. A list that begins with a text is a value itself,
    since a list of documents does not begin with a text.

    Args:
        path: The file.

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
    with readable(path).open("rb") as start:
        check_is_text(path, start.read(SEEN))
    with readable(path).open(encoding="utf-8-sig") as file:
        values = _Values(file)
        try:
            yield from values
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}, line {values.line}: not valid UTF-8 ({error})") from None
        except ValueError as error:
            raise ValueError(f"{path}, line {values.line}: not valid JSON ({error})") from None


class _Values:
    """Reads the values of an open file.

    Attributes:
        line: The line of the last character that was read.
    """

    def __init__(self, file: TextIO) -> None:
        self.line = 1
        self._file = file
        self._text = ""
        self._at = 0
        self._decoder = json.JSONDecoder()

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        in_list = self._next() == "[" and self._second() != '"'
        if in_list:
            self._skip(1)
            if self._next() == "]":
                return self._end()
        while self._next():
            line = self.line
            yield line, self._value()
            if in_list:
                if self._next() == "]":
                    return self._end()
                if self._next() != ",":
                    raise ValueError("expected a comma or ] after an element of the list")
                self._skip(1)
        if in_list:
            raise ValueError("the list has no end")

    def _value(self) -> Any:
        size = BLOCK
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except RecursionError:
                raise ValueError("nested too deeply") from None
            except ValueError:
                if not self._fill(size):
                    raise
                size *= 2
            else:
                self._skip(end - self._at)
                return value

    def _next(self) -> str:
        """Return the next character that is not white space; nothing at the end of the file."""
        while True:
            rest = self._text[self._at : self._at + BLOCK]
            self._skip(len(rest) - len(rest.lstrip(" \t\r\n")))
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill(BLOCK):
                return ""

    def _second(self) -> str:
        """Return the character after the next one that is not white space, white space left out."""
        while not (rest := self._text[self._at + 1 :].lstrip(" \t\r\n")) and self._fill(BLOCK):
            pass
        return rest[:1]

    def _skip(self, number: int) -> None:
        self.line += self._text.count("\n", self._at, self._at + number)
        self._at += number

    def _fill(self, size: int) -> bool:
        """Read more; return whether there was more."""
        more = self._file.read(size)
        self._text, self._at = self._text[self._at :] + more, 0
        return bool(more)

    def _end(self) -> None:
        self._skip(1)
        if self._next():
            raise ValueError("expected nothing after the list")
