"""Compress files as other programs do, independently of the package."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest


def _zstandard() -> object:
    return pytest.importorskip("zstandard", reason="zstandard is not installed")


PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lambda data: lzma.compress(data, preset=0),
    ".zst": lambda data: _zstandard().ZstdCompressor(write_checksum=True).compress(data),
}
UNPACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
    ".xz": lzma.decompress,
    ".zst": lambda data: _zstandard().ZstdDecompressor().stream_reader(data).read(),
}


def packed(path: Path, extension: str) -> Path:
    """Replace a file, or all files in a folder, by compressed ones; return the path."""
    if path.is_dir():
        for file in [each for each in path.rglob("*") if each.is_file()]:
            packed(file, extension)
        return path
    target = path.with_name(path.name + extension)
    target.write_bytes(PACK[extension](path.read_bytes()))
    path.unlink()
    return target
