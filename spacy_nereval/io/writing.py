"""Write files that never appear half-written, and escape text that could do harm."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO

from ..core.compression import packing_stream
from .paths import Location, descriptor, is_stream

FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))  # Windows has no quota
"""The numbers of errors that say no space is left."""

CONTROLS = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff]")
"""Control characters except tab and line feed, changes of text direction, lone surrogates."""

PIECES = 1 << 16
"""Maximum number of names and values of a JSON file that are in memory at once."""

SURROGATE = re.compile("[\\ud800-\\udfff]")
"""Half of a character, which no text in UTF-8 has."""


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file; nothing is written if `value` cannot be.

    Args:
        path: The file; its folder has to exist.
        value: Plain Python, with finite floats, which keep all their digits.

    Raises:
        ValueError: If a float is not finite.
        TypeError: If a value has no JSON form.
        OSError: If the file cannot be written.
    """
    pieces = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=2).iterencode(value)
    with atomic(path) as file:
        while some := [*islice(pieces, PIECES)]:  # the text of a result of many labels is as large as the result
            file.write(_escaped("".join(some)).encode())
        file.write(b"\n")


def json_text(value: Any) -> str:
    """Return plain Python as the text of a JSON file, without the last line break; `write_json` has the errors."""
    return json_line(value, indent=2)


def for_spreadsheets(text: str) -> str:
    """Return a text with an apostrophe before it if a spreadsheet would run it as a formula.

    >>> for_spreadsheets("=1+1"), for_spreadsheets("1=1")
    ("'=1+1", '1=1')
    """
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def visible(text: str) -> str:
    """Return a text on one line, with control characters escaped, so that it cannot steer a terminal.

    >>> visible("a\\n b \\x1b[2J")
    'a b \\\\x1b[2J'
    """
    return spelt_out(" ".join(text.split()))


def spelt_out(text: str) -> str:
    r"""Return a text with control characters escaped; tabs and line feeds stay.

    >>> print(spelt_out("\x1b[2J\ud800"))
    \x1b[2J\ud800
    """
    return CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


@contextmanager
def atomic(path: Location) -> Iterator[BinaryIO]:
    """Provide a file to write to that gets its name only once it is complete.

    A file whose name ends as compressed files do, as in a.jsonl.gz, is compressed. A link stays a link. A stream or
    device, such as /dev/stdout, is never replaced: all of the content is written to it in the end, after what a file
    that it leads to already holds.

    Args:
        path: Where the file goes, locally or in cloud storage.

    Yields:
        The binary file. It is deleted if the block raises.

    Raises:
        OSError: If the file cannot be written.

    >>> path = getfixture("tmp_path") / "a.txt"
    >>> with atomic(path) as file:
    ...     _ = file.write(b"Ulm")
    ...     path.exists()
    False
    >>> path.read_bytes()
    b'Ulm'
    """
    try:
        with _atomic(path) as file, packing_stream(file, path) as target:
            yield target
    except OSError as error:
        if error.filename is None and error.errno in FULL:
            error.filename = str(path)  # a write that fails does not say which file it was
        raise


def resolved(path: Path) -> Path:
    """Return a path without links.

    Raises:
        OSError: A link leads to itself.
    """
    try:
        found = path.resolve()
    except RuntimeError:
        found = path
    if found.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return found


@contextmanager
def _atomic(path: Location) -> Iterator[BinaryIO]:
    if not isinstance(path, Path):  # cloud storage shows a file only when all of it has arrived
        with tempfile.TemporaryDirectory() as folder:
            with (local := Path(folder) / path.name).open("wb") as file:
                yield file
            path.upload_from(local, force_overwrite_to_cloud=True)
        return
    if is_stream(path):  # before links are resolved: what /dev/stdout leads to may have no path
        with tempfile.TemporaryFile() as file:
            yield file
            file.seek(0)
            with _opened(path) as stream:
                shutil.copyfileobj(file, stream)
        return
    path = resolved(path)
    # Not mkstemp, whose files nobody else may read; the rights that are usual here cannot be asked for in a thread.
    temporary = path.with_name(f".{path.name}.{token_hex(4)}")
    try:
        with temporary.open("xb") as file:
            yield file
        os.replace(temporary, path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename == str(temporary):
            error.filename = str(path)
        raise


def _opened(stream: Path) -> BinaryIO:
    """Open a stream or device to write to it. Nothing that it holds is lost."""
    number = descriptor(stream)
    if number is None:
        return stream.open("ab" if stream.is_file() else "wb")
    for printed in filter(None, (sys.stdout, sys.stderr)):  # what was printed before comes first
        printed.flush()
    return os.fdopen(os.dup(number), "wb")  # opening the path would empty a file that the shell appends to


def json_line(value: Any, **style: Any) -> str:
    """Return plain Python as JSON, which a reader finds equal, and which can steer no terminal.

    Args:
        value: Plain Python, with finite floats, which keep all their digits.
        style: Passed to `json.dumps`, such as `indent`.

    >>> print(json_line({"Zoë": "\u202e\x1b[2J"}))
    {"Zoë": "\\u202e\\u001b[2J"}
    """
    # Not srsly, which keeps ten decimals of a float.
    return _escaped(json.dumps(value, ensure_ascii=False, allow_nan=False, **style))


def _escaped(text: str) -> str:
    return CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
