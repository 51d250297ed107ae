"""Compressed files. Reading recognises them by their content; writing follows the file extension.

Every file of annotation, result and lexicon is opened here: by `open_unpacked` as a stream, by `read_unpacked` as
a whole.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, cast

from .expansion import check_expansion, check_objects, max_expansion, pause_collection
from .messages import install_command

AHEAD = 1 << 23
"""Number of unpacked bytes after which the rest of a file is measured if it has been packed unusually well so far."""

SHORTEST = 9
"""Minimum number of bytes of a compressed file, enough to recognise it."""

BLOCK = 1 << 16
"""Number of unpacked bytes that are read or written at a time."""

AT_ONCE = 1 << 10
"""Number of packed bytes that are unpacked at a time: gzip can make 1,032 times as many of them, zstandard 32,768."""


class Damaged(ValueError):
    """A compressed file that cannot be unpacked, or not to its end."""


class Compression(NamedTuple):
    """A way to compress files.

    Args:
        name: Its name in messages.
        extension: The file extension.
        starts: A pattern of the first bytes of its files.
        reader: Returns the unpacked content of an open file, as a stream.
        writer: Returns a stream that packs its input into an open file.
    """

    name: str
    extension: str
    starts: re.Pattern[bytes]
    reader: Callable[[BinaryIO], IO[bytes]]
    writer: Callable[[BinaryIO], IO[bytes]]


def _gzip_reader(file: BinaryIO) -> IO[bytes]:
    import zlib

    return cast("IO[bytes]", _FrameReader(file, partial(zlib.decompressobj, zlib.MAX_WBITS | 16)))


def _gzip_writer(file: BinaryIO) -> IO[bytes]:
    import gzip

    # Without a name and a time, so that the same content has the same bytes.
    return cast("IO[bytes]", gzip.GzipFile("", "wb", 6, file, mtime=0))


def _bz2_reader(file: BinaryIO) -> IO[bytes]:
    import bz2

    return cast("IO[bytes]", _FrameReader(file, bz2.BZ2Decompressor))


def _bz2_writer(file: BinaryIO) -> IO[bytes]:
    import bz2

    return bz2.BZ2File(file, "wb")


def _xz_reader(file: BinaryIO) -> IO[bytes]:
    import lzma

    return cast("IO[bytes]", _FrameReader(file, lzma.LZMADecompressor))


def _xz_writer(file: BinaryIO) -> IO[bytes]:
    import lzma

    return lzma.LZMAFile(file, "wb")


class _FrameReader(io.RawIOBase):
    """The unpacked content of an open file of frames, which gzip calls members and others streams.

    The readers of the libraries end in silence at bytes that begin no frame, do not notice that a file is cut off,
    or need minutes for millions of empty frames.

    Args:
        file: The file.
        decompressor: Returns an object that unpacks one frame.
        padding: The bytes that may follow a frame, and mean nothing.
    """

    def __init__(self, file: BinaryIO, decompressor: Callable[[], Any], padding: bytes = b"\0") -> None:
        self._file, self._decompressor, self._padding = file, decompressor, padding
        self._pieces, self._unpacked = self._unpack(), memoryview(b"")
        self._has_limit = hasattr(decompressor(), "needs_input")  # bzip2 and xz can buffer their output

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        filled = 0
        while filled < len(buffer):
            if not self._unpacked:
                piece = next(self._pieces, None)
                if piece is None:
                    break
                self._unpacked = memoryview(piece)
            number = min(len(buffer) - filled, len(self._unpacked))
            buffer[filled : filled + number] = self._unpacked[:number]
            self._unpacked = self._unpacked[number:]
            filled += number
        return filled

    def _unpack(self) -> Iterator[bytes]:
        """Yield the unpacked content in pieces, which may be empty: one for all small frames that are read at once."""
        frame: Any = None
        while packed := self._file.read(AT_ONCE):
            piece = b""
            while packed:
                if frame is None:
                    packed = packed.lstrip(self._padding)
                    if not packed:
                        break
                    frame = self._decompressor()
                if self._has_limit:
                    piece += frame.decompress(packed, BLOCK)
                    while not (frame.eof or frame.needs_input):
                        yield piece
                        piece = frame.decompress(b"", BLOCK)
                else:
                    piece += frame.decompress(packed)
                packed, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
            yield piece
        if frame is not None:
            raise EOFError


def _zstandard_reader(file: BinaryIO) -> IO[bytes]:
    from zstandard import ZstdDecompressor

    return cast("IO[bytes]", _FrameReader(file, ZstdDecompressor().decompressobj, padding=b""))


def _zstandard_writer(file: BinaryIO) -> IO[bytes]:
    from zstandard import ZstdCompressor

    return cast("IO[bytes]", ZstdCompressor(write_checksum=True).stream_writer(file, closefd=False))


ZSTANDARD = Compression(
    "zstandard", ".zst", re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), _zstandard_reader, _zstandard_writer
)
"""Needs the package zstandard; Python itself reads the others."""

ALL = (
    Compression("gzip", ".gz", re.compile(rb"\x1f\x8b"), _gzip_reader, _gzip_writer),
    Compression("bzip2", ".bz2", re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"), _bz2_reader, _bz2_writer),
    Compression("xz", ".xz", re.compile(rb"\xfd7zXZ\0"), _xz_reader, _xz_writer),
    ZSTANDARD,
)

EXTENSIONS = tuple(compression.extension for compression in ALL)

PACKED_ALREADY = (".npz", ".spacy", ".zip", ".parquet", ".arrow", ".feather")
"""Extensions of formats with compressed content. Their files are not compressed a second time."""


def strip_compression(path: Path) -> Path:
    """Return the path without the extension of a compression.

    >>> [strip_compression(Path(name)).name for name in ("a.jsonl.gz", "a.jsonl", "a.spacy.gz")]
    ['a.jsonl', 'a.jsonl', 'a.spacy.gz']
    """
    if path.suffix.lower() not in EXTENSIONS:
        return path
    inner = path.with_suffix("")
    return path if inner.suffix.lower() in PACKED_ALREADY else inner


def format_extension(path: Path) -> str:
    """Return the file extension that names the format, in lower case, without that of a compression.

    >>> format_extension(Path("a.jsonl.GZ")), format_extension(Path("a.spacy.gz")), format_extension(Path("a"))
    ('.jsonl', '.gz', '')
    """
    return strip_compression(path).suffix.lower()


def compression_of(start: bytes) -> Compression | None:
    """Return the compression of a file, recognised by its first bytes; None if it is not compressed.

    >>> compression_of(b"\\xfd7zXZ\\0").name, compression_of(b"BZh is a text")
    ('xz', None)
    """
    return next((compression for compression in ALL if compression.starts.match(start)), None)


def _compression_of_name(path: Path) -> Compression | None:
    """Return the compression that a file extension names; None for no compression."""
    suffix = path.suffix.lower()
    return None if strip_compression(path) == path else next(item for item in ALL if item.extension == suffix)


def _check_installed(compression: Compression, path: object) -> None:
    if compression is ZSTANDARD and find_spec("zstandard") is None:
        raise ValueError(f"{path}: files compressed by zstandard need the package zstandard: {install_command('zst')}")


def check_writable(path: Path) -> None:
    """Raise ValueError if the package for the compression of an output, by its extension, is not installed."""
    if compression := _compression_of_name(path):
        _check_installed(compression, path)


def open_unpacked(path: Path, name: object = None) -> BinaryIO:
    """Open a file to read it from its start, unpacked if it is compressed, whatever its name is.

    The unpacked content is a stream, which can go back to the start: only a block of it is in memory.

    Args:
        path: The file.
        name: The name of the file in errors; by default its path.

    Raises:
        ValueError: The file needs a package that is not installed; while reading, `Damaged` if the file is damaged,
            truncated, or has a higher compression ratio than annotation can have. Names the file.
        OSError: The file cannot be opened; while reading, if it cannot be read.

    >>> import gzip
    >>> path = getfixture("tmp_path") / "a.jsonl"
    >>> _ = path.write_bytes(gzip.compress(b"Ada"))
    >>> with open_unpacked(path) as file:
    ...     file.read()
    b'Ada'
    """
    file = path.open("rb")
    try:
        start = file.read(16)  # more than any compression needs to be recognised
        file.seek(0)
        if compression := compression_of(start):
            _check_installed(compression, name or path)
            unpacked = cast("io.RawIOBase", _Unpacked(file, compression, str(name or path)))
            return io.BufferedReader(unpacked, BLOCK)
        if len(start) < SHORTEST and (expected := _compression_of_name(path)):
            size = f"{name or path} has {len(start)} bytes"
            raise Damaged(f"{size}; expected a file compressed by {expected.name}: copy it again")
    except BaseException:
        file.close()
        raise
    return file


def read_unpacked(path: Path, name: object = None) -> bytes:
    """Return the unpacked content of a file. The arguments and errors are those of `open_unpacked`."""
    with open_unpacked(path, name) as file:
        return file.read()


def read_json(path: Path, name: object = None, object_pairs_hook: Any = None) -> Any:
    """Return the value of a JSON file.

    Args:
        path: The file.
        name: The name of the file in errors; by default its path.
        object_pairs_hook: Makes each object from its pairs, see `json.loads`.

    Raises:
        ValueError: As `open_unpacked`; `TooLarge`, which names the file, before an excess of objects is made; or the
            file is not JSON, or nested too deeply: the error of the parser, which does not name the file.
        OSError: The file cannot be read.

    >>> path = getfixture("tmp_path") / "a.json"
    >>> _ = path.write_text('{"a": []}')
    >>> read_json(path)
    {'a': []}
    """
    content = read_unpacked(path, name)
    text = content.decode(json.detect_encoding(content), "surrogatepass")
    check_objects(name or path, text, path)
    try:
        with pause_collection():
            return json.loads(text.removeprefix("\ufeff"), object_pairs_hook=object_pairs_hook)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


class _Unpacked(io.RawIOBase):
    """The unpacked content of a compressed file, from its start."""

    def __init__(self, file: BinaryIO, compression: Compression, name: str, measured: bool = False) -> None:
        self._file, self._compression, self._name = file, compression, name
        self._stream, self._position = compression.reader(file), 0
        self._size, self._ahead, self._measured = os.fstat(file.fileno()).st_size, AHEAD, measured
        self._is_empty = False

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        """Go back to the start."""
        if whence != io.SEEK_SET or place:
            raise io.UnsupportedOperation("only the start of a compressed file can be looked up")
        if not self._is_empty:  # else the end is the start, and millions of empty frames are read once
            self._stream.close()
            self._file.seek(0)
            self._stream, self._position = self._compression.reader(self._file), 0
        return 0

    def readinto(self, buffer: Any) -> int:
        try:
            # All streams of these libraries have `readinto`; IO[bytes], their common type, has not.
            number: int = self._stream.readinto(buffer)  # type: ignore[attr-defined]
        except EOFError:
            raise Damaged(
                f"{self._name} is truncated: its {self._compression.name} data have no end; copy it again"
            ) from None
        except Exception as error:  # each library has errors of its own for damaged bytes
            if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno is not None):
                raise
            reason = " ".join(str(error).split())
            if "too much memory" in reason:
                raise Damaged(
                    f"{self._name} needs more than 128 MB to be unpacked, as 'zstd --long=28' or more makes it: "
                    "unpack it first, with zstd -d --long=31"
                ) from None
            raise Damaged(f"{self._name} is damaged: {self._compression.name} cannot unpack it ({reason})") from None
        self._position += number
        self._is_empty = not self._position
        check_expansion(self._name, self._position, self._size)
        if self._position > self._ahead and not self._measured:
            self._ahead *= 2
            if self._position > max_expansion() * self._file.tell():
                self._measure()
        return number

    def _measure(self) -> None:
        """Unpack the rest, to notice early that it is too large."""
        self._measured = True
        with (
            open(self._file.name, "rb") as file,
            _Unpacked(file, self._compression, self._name, measured=True) as again,
        ):
            block = bytearray(BLOCK)
            while again.readinto(block):
                pass

    def close(self) -> None:
        self._stream.close()
        self._file.close()
        super().close()


@contextmanager
def packing_stream(file: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    """Provide a stream that compresses its input if the file extension asks for it; else the file itself.

    Raises:
        ValueError: The package for the compression in the extension is not installed.
        OSError: The file cannot be written.

    >>> file = io.BytesIO()
    >>> with packing_stream(file, Path("a.jsonl.gz")) as target:
    ...     _ = target.write(b"Ada")
    >>> compression_of(file.getvalue()).name
    'gzip'
    """
    if not (compression := _compression_of_name(path)):
        yield file
        return
    _check_installed(compression, path)
    with compression.writer(file) as stream, io.BufferedWriter(cast("io.RawIOBase", stream), BLOCK) as target:
        yield cast("BinaryIO", target)
