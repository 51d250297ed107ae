"""Files here and elsewhere: paths, URLs such as s3://bucket/shard.spacy, and what they hold."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

Place = Any
"""A `pathlib.Path`, or a path of cloudpathlib's, which has the same methods."""


def place(name: str, home: str = "") -> Place:
    """The path that a name stands for, seen from the folder `home`. Names with `://`
    go to cloudpathlib, which comes with spaCy.

    Raises ValueError for a scheme that it does not read, or that needs a library which is not installed.

    >>> place("file:///data/a.spacy").name, place("data/a.spacy").name
    ('a.spacy', 'a.spacy')
    >>> place("nowhere://a.spacy")
    Traceback (most recent call last):
    ValueError: nowhere://a.spacy: nothing here reads nowhere://; s3, gs, az, https and file do
    """
    scheme, elsewhere, _ = name.partition("://")
    if not elsewhere:
        return Path(home, name)
    os.environ.setdefault("CLOUDPATHLIB_FILE_CACHE_MODE", "close_file")  # or a worker's disk fills with shards
    from cloudpathlib import AnyPath

    try:
        found = AnyPath(name)
    except ImportError as error:
        raise ValueError(f"{name}: {error}") from None
    if isinstance(found, Path) and scheme != "file":
        raise ValueError(f"{name}: nothing here reads {scheme}://; s3, gs, az, https and file do")
    return found


@contextmanager
def fetched(name: str, home: str = "") -> Iterator[Path]:
    """A local path to read: the file or folder itself, or a copy that is deleted afterwards."""
    found = place(name, home)
    if isinstance(found, Path):
        yield found
        return
    with TemporaryDirectory() as folder:
        if not found.exists():
            raise ValueError(f"{name} is not there")
        yield found.download_to(Path(folder) / found.name)


def in_words(error: BaseException) -> str:
    """What an error says on one line; of the system's without its number.

    >>> in_words(FileNotFoundError(2, "No such file or directory", "a.spacy")), in_words(ValueError("odd"))
    ('No such file or directory: a.spacy', 'odd')
    """
    said = str(error)
    if isinstance(error, OSError) and error.strerror:
        said = error.strerror + (f": {error.filename}" if error.filename else "")
    return " ".join(said.split())


def digest(path: Path) -> str:
    """A hash of a file's content, or of all files in a folder and their names.

    Raises OSError if there is nothing to read.
    """
    found = sha256()
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    for file in files:
        if "__pycache__" in file.parts:
            continue
        found.update(f"{file.relative_to(path).as_posix()}\0{file.stat().st_size}\0".encode())
        with file.open("rb") as content:
            while block := content.read(1 << 20):
                found.update(block)
    return found.hexdigest()


def short_names(names: Sequence[str]) -> list[str]:
    """What tells paths apart: each without the folders that all of them begin with.

    >>> short_names(["data/day=1/a.spacy", "data/day=2/a.spacy"]), short_names(["data/a.spacy"])
    (['day=1/a.spacy', 'day=2/a.spacy'], ['a.spacy'])
    """
    folders = [PurePosixPath(Path(name).as_posix()).parts[:-1] for name in names]
    same = 0
    while all(len(folder) > same for folder in folders) and len({folder[same] for folder in folders}) == 1:
        same += 1
    return ["/".join((*folder[same:], Path(name).name)) for folder, name in zip(folders, names)]
