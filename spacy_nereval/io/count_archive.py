"""The archive of a count file: plain arrays in an .npz file, checked before anything is allocated."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from math import prod
from typing import Any
from zipfile import ZipFile

import numpy as np
import pydantic
from numpy.typing import NDArray

from ..core.messages import shortened
from .count_header import Header, OtherVersion, header_of
from .paths import Location
from .writing import atomic

MOST_OF_REASON = 300
"""Maximum number of characters shown of a parser's message on a damaged file, which may quote all of the file."""

PARTS = ("counts", "means", "class_means", "documents")
"""The arrays of `Sums`, in the order of its fields."""

SHARDS = "shards"
"""The array of bytes; the others hold whole numbers."""


def write_archive(path: Location, header: Header, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a header and arrays to a file, whole or not at all."""
    header.digest = digest_of(header, arrays)
    encoded = np.frombuffer(header.as_json().encode("utf8"), dtype=np.uint8)
    stored: dict[str, Any] = {**arrays, "header": encoded}
    with atomic(path) as file:
        np.savez_compressed(file, **stored)


@contextmanager
def reading(path: Location) -> Iterator[ZipFile]:
    """Open a count file, and say in errors of the block which file is wrong.

    Raises:
        OtherVersion: The file has another version.
        ValueError: The block raised any other error.
    """
    try:
        with path.open("rb") as file, ZipFile(file) as archive:
            yield archive
    except OtherVersion as error:
        raise OtherVersion(f"{path} has {error}") from None
    except Exception as error:  # zipfile, numpy and json raise many kinds on foreign or damaged bytes
        raise ValueError(f"{path} does not hold counts, or is damaged ({reason(error)})") from None


def read_header(archive: ZipFile) -> Header:
    """Return the header of a file. Raise ValueError if there is none, or it is that of another version."""
    found = _checked(archive, "header", lambda shape, kind: len(shape) == 1 and kind == np.uint8)
    return header_of(json.loads(found.tobytes()))


def read_array(archive: ZipFile, name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return the array of that name, whole numbers or bytes. Raise ValueError if it has another shape."""
    wanted = (np.dtype(np.uint8),) if name == SHARDS else (np.dtype(np.int32), np.dtype(np.int64))
    return _checked(archive, name, lambda given, kind: given == shape and kind in wanted)


def _checked(archive: ZipFile, name: str, fits: Callable[[tuple[int, ...], np.dtype[Any]], bool]) -> NDArray[Any]:
    """Read an array. Raise ValueError before anything is allocated if its shape and type do not
    fit, or if there are fewer bytes than it takes."""
    member_name = f"{name}.npy"
    with archive.open(member_name) as member:
        version = np.lib.format.read_magic(member)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, by_columns, kind = read(member)
        size = prod(shape) * kind.itemsize
        if not fits(shape, kind) or size > archive.getinfo(member_name).file_size:
            raise ValueError(
                f"{name} is not the array that the header describes: its type is {kind}, its shape {shape}"
            )
        content = bytearray(member.read(size + 1))  # to its end, where its checksum is compared
    if len(content) != size:
        raise ValueError(f"{name} has {'more' if len(content) > size else 'fewer'} bytes than its header describes")
    return np.frombuffer(content, dtype=kind).reshape(shape, order="F" if by_columns else "C")


def digest_of(header: Header, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return a hash of the whole content, by which a damaged file is detected."""
    digest = sha256(header.model_copy(update={"digest": ""}).as_json().encode("utf8"))
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def reason(error: BaseException) -> str:
    """Return on one line why a file is damaged."""
    if isinstance(error, pydantic.ValidationError):
        first = error.errors(include_url=False)[0]
        return f"header {'.'.join(map(str, first['loc']))}: {first['msg']}"
    if "pickle" in str(error):  # numpy advises to unpickle files that it cannot read
        return "not an .npz archive of plain arrays"
    return f"{type(error).__name__}: {shortened(' '.join(str(error).split()), MOST_OF_REASON)}"
