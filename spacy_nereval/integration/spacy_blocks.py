"""Reading a DocBin in blocks of documents, so that memory does not grow with their number.

A `.spacy` file is a map in MessagePack, compressed by zlib. Its parts lie one after the other: all
tokens, all spaces, all strings, all categories. A Doc needs an item of each. The file is therefore
decompressed once to find the parts, and once more by one reader per part, which go through the
file side by side. Only the strings are kept: Docs refer to them by hashes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.strings import StringStore
from spacy.tokens import DocBin
from srsly.msgpack import Unpacker

from ..counting.table import machine_memory

DOCUMENTS, TOKENS = 1 << 10, 1 << 17
"""Maximum number of documents in a block, and the number of tokens at which a block ends."""

COMPRESSED, READ = 1 << 16, 1 << 17
"""Number of compressed bytes, and of decompressed bytes, that are read at a time."""

LARGEST = (1 << 31) - 1
"""Maximum size of one item, such as the user data of one document, in bytes."""

PER_STRING = 450
"""About how many bytes of memory a string takes, together with the attributes of the word."""

SHARE = 0.5
"""The share of the memory that the strings of one file may take."""

ARRAYS = ("tokens", "spaces", "lengths")
LISTS = ("cats", "flags", "span_groups", "user_data")
"""The parts with an item per document. Files of older versions of spaCy lack some of the lists."""

LENGTHS = {0xC4: 1, 0xC5: 2, 0xC6: 4}
"""The first byte of binary data in MessagePack, and the number of bytes of its length, which follows."""


class TooManyStrings(ValueError):
    """The strings of a file take too much memory."""


class Inflated:
    """A compressed file that is decompressed as it is read.

    Args:
        file: The file. Several readers can share it.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._inflate = zlib.decompressobj()
        self._taken = 0  # compressed bytes so far
        self._given = 0  # decompressed bytes so far
        self._before: Inflated | None = None  # as this was before the last call of `read`

    def read(self, size: int) -> bytes:
        """Return the next bytes: as many as requested, or all that are left.

        Raises:
            zlib.error: If the file is damaged or ends too early.
        """
        self._before = self._copy()
        pieces = []
        while size and not self._inflate.eof:
            data = self._inflate.unconsumed_tail or self._more()
            some = self._inflate.decompress(data, size)
            if not some and not data:
                raise zlib.error("the file ends too early")
            pieces.append(some)
            self._given += len(some)
            size -= len(some)
        return b"".join(pieces)

    def back_at(self, place: int) -> Inflated:
        """Return another reader of the file, which begins at a place that the last call of `read` reached."""
        found = (self._before or self)._copy()
        found.read(place - found._given)
        return found

    def _more(self) -> bytes:
        self._file.seek(self._taken)
        data = self._file.read(COMPRESSED)
        self._taken += len(data)
        return data

    def _copy(self) -> Inflated:
        found = Inflated(self._file)
        found._inflate, found._taken, found._given = self._inflate.copy(), self._taken, self._given
        return found


class Parts(NamedTuple):
    """The parts of a DocBin.

    Attributes:
        attrs: The attributes of a token, a column each.
        arrays: Readers of the arrays, and the size of each in bytes, by name.
        lists: The items of the lists, by name.
    """

    attrs: list[Any]
    arrays: dict[str, tuple[Inflated, int]]
    lists: dict[str, Iterator[Any]]


def parts_of(file: BinaryIO, strings: StringStore) -> Parts:
    """Find the parts of a DocBin.

    Args:
        file: The file that `DocBin.to_disk` wrote. It has to stay open while the parts are read.
        strings: The strings of the file are added to it.

    Raises:
        TooManyStrings: If the strings take more memory than one file may. None has been added.
        Exception: If the file is damaged or something else: what zlib and msgpack raise.
    """
    source = Inflated(file)
    unpacker = _unpacker(source)
    found = Parts([], {}, {})
    for _ in range(unpacker.read_map_header()):
        name = unpacker.unpack()
        if name == "attrs":
            found.attrs.extend(unpacker.unpack())
        elif name == "strings":
            number = unpacker.read_array_header()
            _check_memory(number, found)
            for _ in range(number):
                strings.add(unpacker.unpack())
        elif name in ARRAYS:
            size = _length(unpacker)
            found.arrays[name] = source.back_at(unpacker.tell()), size
            _skip(unpacker, size)
        else:
            if name in LISTS:
                found.lists[name] = _items(_unpacker(source.back_at(unpacker.tell())))
            unpacker.skip()
    if unpacker.read_bytes(1):
        raise ValueError("it goes on after its end")
    if not found.attrs or len(found.arrays) < len(ARRAYS) or "cats" not in found.lists:
        raise ValueError("a part is missing")
    return found


def blocks(parts: Parts) -> Iterator[DocBin]:
    """Yield DocBins of consecutive documents, without the strings.

    Raises:
        Exception: If the parts do not fit each other.
    """
    (tokens, size), (spaces, left), (reader, documents) = (parts.arrays[name] for name in ARRAYS)
    row = 8 * len(parts.attrs)
    if size != row * left:
        raise ValueError(f"{size} bytes of tokens do not fit {left} spaces")
    for lengths in _lengths(reader, documents // 4):
        number = int(lengths.sum())
        left -= number
        if lengths.min() < 0 or left < 0:
            raise ValueError("the lengths of the documents do not fit their tokens")
        columns = np.frombuffer(tokens.read(row * number), dtype=np.uint64).reshape((number, len(parts.attrs)))
        column = np.frombuffer(spaces.read(number), dtype=bool).reshape((number, 1))
        block, ends = DocBin(), np.cumsum(lengths)[:-1]
        block.attrs, block.tokens, block.spaces = parts.attrs, np.split(columns, ends), np.split(column, ends)
        older = {"span_groups": [b""] * len(lengths), "flags": [{}] * len(lengths), "user_data": []}
        for name, default in {"cats": [], **older}.items():
            items = parts.lists.get(name)
            setattr(block, name, default if items is None else [*islice(items, len(lengths))])
        yield block


def _lengths(reader: Inflated, documents: int) -> Iterator[NDArray[np.int32]]:
    """Yield the lengths of the documents of each block."""
    for first in range(0, documents, DOCUMENTS):
        lengths = np.frombuffer(reader.read(4 * min(DOCUMENTS, documents - first)), dtype=np.int32)
        full = (np.cumsum(lengths, dtype=np.int64) - 1) // TOKENS
        yield from np.split(lengths, np.flatnonzero(np.diff(full)) + 1)


def _unpacker(source: Inflated) -> Any:
    return Unpacker(source, raw=False, read_size=READ, max_buffer_size=LARGEST)


def _items(unpacker: Any) -> Iterator[Any]:
    for _ in range(unpacker.read_array_header()):
        yield unpacker.unpack()


def _length(unpacker: Any) -> int:
    """Return the length of the binary data that follow, which msgpack would read as a whole."""
    return int.from_bytes(unpacker.read_bytes(LENGTHS[unpacker.read_bytes(1)[0]]), "big")


def _skip(unpacker: Any, size: int) -> None:
    for start in range(0, size, READ):
        unpacker.read_bytes(min(READ, size - start))


def _check_memory(strings: int, parts: Parts) -> None:
    need, available = strings * PER_STRING, SHARE * machine_memory()
    if need > available:
        documents = parts.arrays["lengths"][1] // 4 if "lengths" in parts.arrays else 0
        few = f", of about {int(documents * available / need):,} documents each" if documents else ""
        raise TooManyStrings(
            f"has {strings:,} different strings, which take about {need / 2**30:,.1f} GiB of memory; one file may take "
            f"{available / 2**30:,.1f} GiB on this machine: write it as several files{few}"
        )
