"""Writing files: whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from .paths import Place

STEERING = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff]")
"""Control characters but tab and line break, changes of direction, lone surrogates."""


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file, whole or not at all."""
    with atomic(path) as file:
        file.write(f"{_json(value, indent=2)}\n".encode("utf8", "backslashreplace"))


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]], *, header: Sequence[str] = ()) -> int:
    """Write a table as .jsonl or .csv, whole or not at all, and say how many rows it has.

    An undefined value is null, or empty. A .jsonl file holds every text as it
    is; in a .csv file control characters are spelt out, and an apostrophe
    stands in front of what a spreadsheet would take for a formula. `header`
    names the columns of a .csv file that may have no rows.
    """
    number = 0
    with atomic(path) as file:
        # A lone surrogate has no UTF-8; its escape is what JSON too writes.
        text = io.TextIOWrapper(file, encoding="utf8", errors="backslashreplace", newline="")
        try:
            write = csv.writer(text).writerow
            for number, row in enumerate(rows, 1):
                if path.suffix == ".jsonl":
                    text.write(f"{_json(row)}\n")
                    continue
                if number == 1:
                    write(row)
                write(map(_cell, row.values()))
            if path.suffix != ".jsonl" and not number:
                write(header)
        finally:
            text.detach()
    return number


def _cell(value: Any) -> Any:
    return for_spreadsheets(spelt_out(value)) if isinstance(value, str) else value


def for_spreadsheets(text: str) -> str:
    """The text with an apostrophe in front if a spreadsheet would run it as a formula.

    >>> for_spreadsheets("=1+1"), for_spreadsheets("1=1")
    ("'=1+1", '1=1')
    """
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def visible(text: str) -> str:
    """The text on one line, with nothing in it that steers a terminal.

    >>> visible("a\\n b \\x1b[2J")
    'a b \\\\x1b[2J'
    """
    return spelt_out(" ".join(text.split()))


def spelt_out(text: str) -> str:
    r"""The text with escapes for what steers; tabs and line breaks stay.

    >>> print(spelt_out("\x1b[2J\ud800"))
    \x1b[2J\ud800
    """
    return STEERING.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


@contextmanager
def atomic(path: Place) -> Iterator[BinaryIO]:
    """A file to write to that takes its name only when all is written.

    A link stays a link; what is no plain file, such as /dev/stdout, is written directly.
    """
    if not isinstance(path, Path):  # elsewhere, where a file takes its name when all of it has arrived
        with tempfile.TemporaryDirectory() as folder:
            with (local := Path(folder) / path.name).open("wb") as file:
                yield file
            path.upload_from(local, force_overwrite_to_cloud=True)
        return
    path = path.resolve()
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as file:
            yield file
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _json(value: Any, **style: Any) -> str:
    # Not srsly, which keeps ten decimals of a float.
    return json.dumps(value, ensure_ascii=False, allow_nan=False, **style)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
