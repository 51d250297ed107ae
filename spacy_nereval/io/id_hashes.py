"""Find documents that two count files share, by sorted files of hashes of document ids.

Collapsed counts keep no ids. The hashes take 16 bytes per document on disk, and no more than a block
of them is in memory. Documents without an id are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.messages import spell_argument
from ..core.spans import Document
from .paths import Location, explain_failed_writes, is_temporary, local_copy, temporary_file
from .writing import atomic_file

SIZE = 16
"""Number of bytes of a hash. Among 10^12 documents, two ids share a hash with a probability of 10^-15."""

HASH = np.dtype(f"S{SIZE}")

BLOCK = 1 << 18
"""Maximum number of hashes in memory at once."""

TOGETHER = 100
"""Maximum number of files open at once."""

CONTENT = "the hashes of the ids of documents"
"""The name of the content of these files in errors."""

Hashes = NDArray[Any]
"""Sorted hashes without repeats: `HASH`[hashes]."""


class IdHashes:
    """Collects the hashes of document ids in sorted files, and merges these.

    >>> from spacy_nereval import Document
    >>> hashes = IdHashes()
    >>> for id in ("b", "a", None, "b"):
    ...     hashes.add(Document([], [], id=id))
    >>> len(map_hashes(hashes.file()))
    2
    """

    def __init__(self) -> None:
        self._files: list[Path] = []
        self._waiting: list[bytes] = []

    def add(self, document: Document | None) -> None:
        """Collect the id of a document, if it has one."""
        if document is not None:
            self.add_id(document.id)

    def add_id(self, id: str | None) -> None:
        """Collect an id; ignore None."""
        if id is not None:
            self._waiting.append(blake2b(id.encode("utf8", "surrogatepass"), digest_size=SIZE).digest())
            if len(self._waiting) >= BLOCK:
                self._write()

    def _write(self) -> None:
        with explain_failed_writes(CONTENT):
            self._files.append(temporary_file())
            self._files[-1].write_bytes(np.unique(np.array(self._waiting, dtype=HASH)).tobytes())
        self._waiting = []

    def file(self) -> Path:
        """Return a temporary file with all hashes."""
        self._write()
        with explain_failed_writes(CONTENT):
            merge_hashes(self._files, merged := temporary_file())
        for file in self._files:
            file.unlink()
        self._files = []
        return merged


def hashes_of(ids: Iterable[str | None]) -> Path:
    """Return a temporary file with the hashes of ids."""
    hashes = IdHashes()
    for id in ids:
        hashes.add_id(id)
    return hashes.file()


def name_of_hashes(file: Path) -> str:
    """Return the name under which a file of hashes is kept: 32 hexadecimal digits, a digest of its content."""
    digest = blake2b(digest_size=SIZE)
    with file.open("rb") as hashes:
        while block := hashes.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def hashes_path(path: Any, name: str) -> Any:
    """Return the path of the file of hashes that belongs to a count file."""
    return path.parent / f"nereval-ids-{name}.bin"


def keep_hashes(path: Any, file: Path) -> str:
    """Copy a file of hashes to the folder of a count file, and return its name. Delete the file if it is temporary.

    Args:
        path: The count file.
        file: The file of hashes.
    """
    name = name_of_hashes(file)
    if not is_intact(copy := hashes_path(path, name)):
        with atomic_file(copy) as target, file.open("rb") as source:
            while block := source.read(1 << 20):
                target.write(block)
    if is_temporary(file):
        file.unlink()
    return name


def map_hashes(file: Path) -> Hashes:
    """Return the hashes of a file as a memory-mapped array."""
    if not file.stat().st_size:
        return np.empty(0, dtype=HASH)
    return np.memmap(file, dtype=HASH, mode="r")


def merge_hashes(files: Sequence[Path], target: Path) -> bytes | None:
    """Write the hashes of several files to one, without repeats.

    Returns:
        A hash that two of the files have; None if there is none.

    >>> folder = getfixture("tmp_path")
    >>> for name, hashes in (("a", [b"1", b"3"]), ("b", [b"2", b"3"])):
    ...     np.array(hashes, dtype=HASH).tofile(folder / name)
    >>> merge_hashes([folder / "a", folder / "b"], folder / "c")[:1], map_hashes(folder / "c").tolist()
    (b'3', [b'1', b'2', b'3'])
    """
    repeated: bytes | None = None
    with TemporaryDirectory(dir=target.parent) as folder:
        while len(files) > TOGETHER:
            stage = [Path(folder, f"{len(files)}-{k}") for k in range(0, len(files), TOGETHER)]
            for k, part in enumerate(stage):
                repeated = merge_hashes(files[k * TOGETHER : (k + 1) * TOGETHER], part) or repeated
            files = stage
        with target.open("wb") as all_hashes:
            for block in _blocks(files):
                new = np.ones(len(block), dtype=bool)
                new[1:] = block[1:] != block[:-1]
                all_hashes.write(block[new].tobytes())  # unlike `tofile`, this says why it fails
                if not new.all():
                    repeated = bytes(block[~new][0]).ljust(SIZE, b"\0")
    return repeated


def _blocks(files: Sequence[Path]) -> Iterator[Hashes]:
    """Yield all hashes of the files, sorted, in blocks. Equal hashes are in the same block.

    Files are read rather than memory-mapped, since mapped pages may count as memory of the process.
    """
    share = max(1, BLOCK // max(1, len(files)))
    with ExitStack() as stack:
        sources = [stack.enter_context(file.open("rb")) for file in files]
        buffers = [np.empty(0, dtype=HASH) for _ in files]
        while True:
            buffers = [
                np.concatenate([remaining, np.fromfile(source, HASH, share - len(remaining))])
                for remaining, source in zip(buffers, sources)
            ]
            last_hashes = [remaining[-1] for remaining in buffers if len(remaining) == share]  # other files have ended
            ends = [
                int(np.searchsorted(remaining, min(last_hashes), "right")) if last_hashes else share
                for remaining in buffers
            ]
            pieces = [remaining[:end] for remaining, end in zip(buffers, ends)]
            yield np.sort(np.concatenate([np.empty(0, dtype=HASH), *pieces]), kind="stable")
            if not last_hashes:
                return
            buffers = [remaining[end:] for remaining, end in zip(buffers, ends)]


def files_with_hash(files: Sequence[Path], hash: bytes) -> list[int]:
    """Return the numbers of the files that have a hash."""
    numbers = []
    for number, file in enumerate(files):
        hashes = map_hashes(file)
        index = int(np.searchsorted(hashes, np.array(hash, dtype=HASH)))
        if index < len(hashes) and bytes(hashes[index]).ljust(SIZE, b"\0") == hash:
            numbers.append(number)
    return numbers


def merge_distinct(paths: Sequence[Any], files: Sequence[Location | None], allowed: bool) -> Path:
    """Return a temporary file with the hashes of all count files.

    Args:
        paths: The count files.
        files: Their files of hashes.
        allowed: Whether documents of two files may have the same id.

    Raises:
        ValueError: A count file has no hashes, or they are missing or damaged; or documents of two count files
            have the same id, and that is not allowed.
    """
    local_files = [check_hashes(path, file) for path, file in zip(paths, files)]
    merged = temporary_file()
    try:
        with explain_failed_writes(CONTENT):
            repeated = merge_hashes(local_files, merged)
        if repeated and not allowed:
            number = sum(len(map_hashes(file)) for file in local_files) - len(map_hashes(merged))
            first, second = files_with_hash(local_files, repeated)[:2]
            raise ValueError(
                f"{paths[first]} and {paths[second]} have documents with the same id, {number} in all files: they "
                "would count twice; remove one of the files; if one has changed since it was counted, count all "
                f"again; if the parts of one document share its id, use {spell_argument('shared_ids', True)}"
            )
    except (OSError, ValueError):
        merged.unlink(missing_ok=True)
        raise
    finally:
        for file, original in zip(local_files, files):
            if file != original:
                file.unlink()  # a copy
    return merged


def check_hashes(path: Any, file: Location | None) -> Path:
    """Return the intact file of hashes of a count file; a temporary copy if it is in cloud storage.

    Raises:
        ValueError: There is no such file, or it is damaged.
    """
    if file is None:
        raise ValueError(f"{path} has no hashes of its ids: count it with {spell_argument('check_repeats', True)}")
    if not (local := _intact_copy(file)):
        raise ValueError(
            f"{spell_argument('check_repeats', True)}: {file}, the hashes of the ids of {path}, is missing or damaged: "
            "count again"
        )
    return local


def is_intact(file: Location) -> bool:
    """Return whether a file of hashes exists and is complete."""
    local = _intact_copy(file)
    if local and local != file:
        local.unlink()  # a copy
    return local is not None


def _intact_copy(file: Location) -> Path | None:
    """Return a file of hashes, a temporary copy if it is in cloud storage; None if it is missing or damaged."""
    local = local_copy(file) if file.is_file() else None
    return local if local and (is_temporary(file) or hashes_path(file, name_of_hashes(local)) == file) else None
