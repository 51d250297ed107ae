"""Sorted files of hashes of document ids, to find documents that two count files share.

Collapsed counts keep no ids. Their hashes take 16 bytes a document, on disk; in memory there are
never more than a block of them. Documents without an id are not looked for.
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
from .paths import Location, is_temporary, local_copy, temporary_file, writing_temporary_files
from .writing import atomic

SIZE = 16
"""Bytes of a hash. Among 10^12 documents, some two ids share a hash with a probability of 10^-15."""

HASH = np.dtype(f"S{SIZE}")

BLOCK = 1 << 18
"""Maximum number of hashes in memory at once."""

TOGETHER = 100
"""Maximum number of files open at once."""

WHAT = "the hashes of the ids of documents"
"""What is written, for errors."""

Hashes = NDArray[Any]
"""Hashes, sorted, each once: `HASH`[hashes]."""


class IdHashes:
    """Collects the hashes of the ids of documents in sorted files, and merges these.

    >>> from spacy_nereval import Document
    >>> hashes = IdHashes()
    >>> for id in ("b", "a", None, "b"):
    ...     hashes.add(Document([], [], id=id))
    >>> len(stored(hashes.file()))
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
        with writing_temporary_files(WHAT):
            self._files.append(temporary_file())
            self._files[-1].write_bytes(np.unique(np.array(self._waiting, dtype=HASH)).tobytes())
        self._waiting = []

    def file(self) -> Path:
        """Return a file with all hashes, a temporary one."""
        self._write()
        with writing_temporary_files(WHAT):
            merge_hashes(self._files, found := temporary_file())
        for file in self._files:
            file.unlink()
        self._files = []
        return found


def hashes_of(ids: Iterable[str | None]) -> Path:
    """Return a temporary file with the hashes of ids."""
    hashes = IdHashes()
    for id in ids:
        hashes.add_id(id)
    return hashes.file()


def name_of_hashes(file: Path) -> str:
    """Return the name under which hashes are kept: 32 hexadecimal digits that depend on all of them."""
    digest = blake2b(digest_size=SIZE)
    with file.open("rb") as hashes:
        while block := hashes.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def beside(path: Any, name: str) -> Any:
    """Return the file of hashes that belongs to a count file."""
    return path.parent / f"nereval-ids-{name}.bin"


def keep_beside(path: Any, file: Path) -> str:
    """Copy a file of hashes to the folder of the count file at `path`, and return its name. Delete a temporary one."""
    name = name_of_hashes(file)
    if not is_intact(place := beside(path, name)):
        with atomic(place) as target, file.open("rb") as source:
            while block := source.read(1 << 20):
                target.write(block)
    if is_temporary(file):
        file.unlink()
    return name


def stored(file: Path) -> Hashes:
    """Return the hashes in a file, without reading them yet."""
    if not file.stat().st_size:
        return np.empty(0, dtype=HASH)
    return np.memmap(file, dtype=HASH, mode="r")


def merge_hashes(files: Sequence[Path], target: Path) -> bytes | None:
    """Write the hashes of several files to one, each once.

    Returns:
        A hash that two of the files have; None if no two have one.

    >>> folder = getfixture("tmp_path")
    >>> for name, hashes in (("a", [b"1", b"3"]), ("b", [b"2", b"3"])):
    ...     np.array(hashes, dtype=HASH).tofile(folder / name)
    >>> merge_hashes([folder / "a", folder / "b"], folder / "c"), stored(folder / "c").tolist()  # doctest: +ELLIPSIS
    (b'3\\x00\\x00...\\x00', [b'1', b'2', b'3'])
    """
    twice: bytes | None = None
    with TemporaryDirectory(dir=target.parent) as folder:
        while len(files) > TOGETHER:
            stage = [Path(folder, f"{len(files)}-{k}") for k in range(0, len(files), TOGETHER)]
            for k, each in enumerate(stage):
                twice = merge_hashes(files[k * TOGETHER : (k + 1) * TOGETHER], each) or twice
            files = stage
        with target.open("wb") as all_hashes:
            for block in _blocks(files):
                new = np.ones(len(block), dtype=bool)
                new[1:] = block[1:] != block[:-1]
                all_hashes.write(block[new].tobytes())  # unlike `tofile`, this says why it fails
                if not new.all():
                    twice = bytes(block[~new][0]).ljust(SIZE, b"\0")
    return twice


def _blocks(files: Sequence[Path]) -> Iterator[Hashes]:
    """Yield all hashes of the files, sorted, in blocks. Equal ones are in one block.

    Files are read and not mapped, since all that was read of a map may count as memory of the process.
    """
    share = max(1, BLOCK // max(1, len(files)))
    with ExitStack() as stack:
        sources = [stack.enter_context(file.open("rb")) for file in files]
        waiting = [np.empty(0, dtype=HASH) for _ in files]
        while True:
            waiting = [
                np.concatenate([left, np.fromfile(source, HASH, share - len(left))])
                for left, source in zip(waiting, sources)
            ]
            last_known = [left[-1] for left in waiting if len(left) == share]  # other files have ended
            ends = [int(np.searchsorted(left, min(last_known), "right")) if last_known else share for left in waiting]
            pieces = [left[:end] for left, end in zip(waiting, ends)]
            yield np.sort(np.concatenate([np.empty(0, dtype=HASH), *pieces]), kind="stable")
            if not last_known:
                return
            waiting = [left[end:] for left, end in zip(waiting, ends)]


def holders(files: Sequence[Path], hash: bytes) -> list[int]:
    """Return the numbers of the files that have a hash."""
    found = []
    for number, file in enumerate(files):
        hashes = stored(file)
        place = int(np.searchsorted(hashes, np.array(hash, dtype=HASH)))
        if place < len(hashes) and bytes(hashes[place]).ljust(SIZE, b"\0") == hash:
            found.append(number)
    return found


def without_repeats(paths: Sequence[Any], files: Sequence[Location | None], allowed: bool) -> Path:
    """Return a temporary file with the hashes of all count files.

    Args:
        paths: The count files.
        files: Their hashes.
        allowed: Whether documents may have one id.

    Raises:
        ValueError: A count file has no hashes, or they are missing or damaged; or two count files have a
            document with the same id.
    """
    known = [checked(path, file) for path, file in zip(paths, files)]
    found = temporary_file()
    try:
        with writing_temporary_files(WHAT):
            twice = merge_hashes(known, found)
        if twice and not allowed:
            number = sum(len(stored(file)) for file in known) - len(stored(found))
            first, second = holders(known, twice)[:2]
            raise ValueError(
                f"{paths[first]} and {paths[second]} have documents with the same id, {number} in all files: they "
                "would count twice; leave one of the files out; if one has changed since it was counted, count all "
                f"again; if an id stands for one document in several parts, use {spell_argument('shared_ids', True)}"
            )
    except (OSError, ValueError):
        found.unlink(missing_ok=True)
        raise
    finally:
        for file, given in zip(known, files):
            if file != given:
                file.unlink()  # a copy
    return found


def checked(path: Any, file: Location | None) -> Path:
    """Return the hashes of a count file, in a temporary copy if they are in cloud storage.

    Raises:
        ValueError: There are none, or they are missing or damaged.
    """
    if file is None:
        raise ValueError(f"{path} has no hashes of its ids: count it with {spell_argument('check_repeats', True)}")
    if not (found := _intact(file)):
        raise ValueError(
            f"{spell_argument('check_repeats', True)}: {file}, the hashes of the ids of {path}, is missing or damaged: "
            "count again"
        )
    return found


def is_intact(file: Location) -> bool:
    """Return whether the hashes of a count file are there, all of them."""
    found = _intact(file)
    if found and found != file:
        found.unlink()  # a copy
    return found is not None


def _intact(file: Location) -> Path | None:
    """Return a file of hashes, a temporary copy if it is in cloud storage; None if it is missing or damaged."""
    found = local_copy(file) if file.is_file() else None
    return found if found and (is_temporary(file) or beside(file, name_of_hashes(found)) == file) else None
