"""Write files atomically, and escape text that could control a terminal or run in a spreadsheet."""

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
from ..core.messages import mark_unseen
from .paths import Location, descriptor, is_stream

FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))  # Windows has no quota
"""The error numbers of a full disk."""

CONTROLS = re.compile(
    "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufffe\\uffff]"
)
"""Control characters except tab and line feed, changes of text direction, lone surrogates, others that XML lacks."""

PIECES = 1 << 16
"""Maximum number of pieces of a JSON file, such as names and values, that are in memory at once."""

SURROGATE = re.compile("[\\ud800-\\udfff]")
"""Lone surrogates: half characters, which UTF-8 cannot encode."""


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file atomically. Nothing is written if `value` has no JSON form.

    Args:
        path: The file; its folder has to exist.
        value: Plain Python, with finite floats, which keep all their digits.

    Raises:
        ValueError: If a float is not finite.
        TypeError: If a value has no JSON form.
        OSError: If the file cannot be written.
    """
    pieces = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=2).iterencode(value)
    with atomic_file(path) as file:
        while block := [*islice(pieces, PIECES)]:  # the whole text would take as much memory as the value again
            file.write(_escape_json_controls("".join(block)).encode())
        file.write(b"\n")


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8.

    Raises:
        OSError: If the file cannot be written.
    """
    with atomic_file(path) as file:
        file.write(text.encode())


def json_text(value: Any) -> str:
    """Return the text that `write_json` would write, without the last line break. It raises the same errors."""
    return json_line(value, indent=2)


def json_line(value: Any, **style: Any) -> str:
    """Return a value as JSON. Control characters are escaped, so that it cannot steer a terminal.

    Args:
        value: Plain Python, with finite floats, which keep all their digits.
        style: Passed to `json.dumps`, such as `indent`.

    >>> print(json_line({"Zoë": "\u202e\x1b[2J"}))
    {"Zoë": "\\u202e\\u001b[2J"}
    """
    # Not srsly, which keeps ten decimals of a float.
    return _escape_json_controls(json.dumps(value, ensure_ascii=False, allow_nan=False, **style))


def _escape_json_controls(text: str) -> str:
    return CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def escape_formula(text: str) -> str:
    """Return the text, with an apostrophe before it if a spreadsheet would run it as a formula.

    >>> escape_formula("=1+1"), escape_formula("1=1")
    ("'=1+1", '1=1')
    """
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def visible(text: str) -> str:
    """Return a name or a sentence on one line, with escapes for control characters and those that nobody sees.

    >>> visible("a\\n b \\x1b[2J"), visible("P\\u200bER")
    ('a b \\\\x1b[2J', 'P\\\\u200bER')
    """
    return on_one_line(mark_unseen(text))


def on_one_line(text: str) -> str:
    """Return a part of a document's text on one line, with control characters escaped: it cannot steer a terminal."""
    return escape_controls(" ".join(text.split()))


def escape_controls(text: str) -> str:
    r"""Return the text with control characters escaped. Tabs and line feeds stay.

    >>> print(escape_controls("\x1b[2J\ud800"))
    \x1b[2J\ud800
    """
    return CONTROLS.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


@contextmanager
def atomic_file(path: Location) -> Iterator[BinaryIO]:
    """Provide a file to write to. It gets its name only once it is complete.

    A file is compressed by its extension, as in a.jsonl.gz. A link stays a link. A stream or device, such as
    /dev/stdout, is never replaced: the content is appended to it when the block ends.

    Args:
        path: Where the file goes, locally or in cloud storage.

    Yields:
        The binary file. It is deleted if the block raises.

    Raises:
        OSError: If the file cannot be written.

    >>> path = getfixture("tmp_path") / "a.txt"
    >>> with atomic_file(path) as file:
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
            error.filename = str(path)  # the error of a failed write does not name the file
        raise


def resolve_links(path: Path) -> Path:
    """Return the path that links lead to.

    Raises:
        OSError: A link leads to itself.
    """
    try:
        target = path.resolve()
    except RuntimeError:  # a loop of links
        target = path
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return target


@contextmanager
def _atomic(path: Location) -> Iterator[BinaryIO]:
    if not isinstance(path, Path):  # cloud storage shows a file only after a complete upload
        with tempfile.TemporaryDirectory() as folder:
            with (local := Path(folder) / path.name).open("wb") as file:
                yield file
            path.upload_from(local, force_overwrite_to_cloud=True)
        return
    if is_stream(path):  # before links are resolved: what /dev/stdout leads to may have no path
        with tempfile.TemporaryFile() as file:
            yield file
            file.seek(0)
            with _open_stream(path) as stream:
                shutil.copyfileobj(file, stream)
        return
    path = resolve_links(path)
    # Not mkstemp: only the owner can read its files, and reading the umask to change that is not safe with threads.
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


def _open_stream(stream: Path) -> BinaryIO:
    """Open a stream or device for writing. If the shell redirects it to a file, the content of the file is kept."""
    number = descriptor(stream)
    if number is None:
        return stream.open("ab" if stream.is_file() else "wb")
    for output in filter(None, (sys.stdout, sys.stderr)):  # flush earlier output first
        output.flush()
    return os.fdopen(os.dup(number), "wb")  # opening the path would empty a file that the shell appends to
