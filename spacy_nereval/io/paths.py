"""Paths of local files and of files in cloud storage, such as s3://bucket/shard.spacy."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from hashlib import blake2b, sha256
from itertools import count
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from ..core import compression

Location = Any
"""A `pathlib.Path`, or a path of cloudpathlib, which has the same methods."""


def location(name: str, home: str = "") -> Location:
    """Return the path for a name.

    Args:
        name: A path, or a URL, which cloudpathlib reads; that comes with spaCy.
        home: The folder that a relative path starts from.

    Raises:
        ValueError: If the scheme of a URL is unknown, or needs a library that is not installed.

    >>> location("file:///data/a.spacy").name, location("data/a.spacy").name
    ('a.spacy', 'a.spacy')
    >>> location("nowhere://a.spacy")
    Traceback (most recent call last):
    ValueError: nowhere://a.spacy: cannot read nowhere:// URLs; expected a path, or s3, gs, az, https or file
    """
    scheme, separator, _ = name.partition("://")
    if not separator:
        return Path(home, name)
    os.environ.setdefault(
        "CLOUDPATHLIB_FILE_CACHE_MODE", "close_file"
    )  # otherwise copies of shards fill a worker's disk
    from cloudpathlib import AnyPath

    try:
        found = AnyPath(name)
    except ImportError as error:
        raise ValueError(f"{name}: {error}") from None
    if isinstance(found, Path) and scheme != "file":
        raise ValueError(f"{name}: cannot read {scheme}:// URLs; expected a path, or s3, gs, az, https or file")
    return found


def check_is_file(path: Location) -> None:
    """Raise ValueError if there is no file at a path.

    >>> check_is_file(Path("nowhere.jsonl"))
    Traceback (most recent call last):
    ValueError: nowhere.jsonl does not exist or is not a file
    """
    if not path.is_file() and not is_pipe(path):
        raise ValueError(f"{path} does not exist or is not a file{remedy(path)}")


def is_count_file(path: str | Path) -> bool:
    """Return whether a path names a count file, which need not exist. Nothing else tells count files from others.

    >>> is_count_file("counts.npz"), is_count_file(Path("gold.jsonl"))
    (True, False)
    """
    return str(path).endswith(".npz")


MADE_BY = {
    "examples": "it is part of the repository: run the command in the folder of a clone",
    "corpus": "in a clone of the repository, 'python -m spacy project run corpus' makes it",
    "training": "train first, such as with 'python -m spacy train examples/config.cfg --output training/example'",
    "metrics": "in a clone of the repository, 'python -m spacy project run all' makes it",
}
"""Folders that the documentation names, and where their files come from."""


def remedy(path: Location) -> str:
    """Return how to get a missing file that the documentation names, or "".

    >>> remedy(Path("corpus/nowhere.spacy"))
    "; in a clone of the repository, 'python -m spacy project run corpus' makes it"
    >>> remedy(Path("gold.jsonl"))
    ''
    """
    folder = path.parts[0] if isinstance(path, Path) and len(path.parts) > 1 else ""
    return f"; {MADE_BY[folder]}" if folder in MADE_BY and not path.exists() else ""


def is_pipe(path: Location) -> bool:
    """Return whether a path is a named pipe, or the /dev/fd/N of a shell's process substitution."""
    return isinstance(path, Path) and path.is_fifo()


STANDARD_STREAMS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}

OPEN_FILES = re.compile(r"/dev/fd|/proc/(?P<process>\d+)(/task/\d+)?/fd")
"""Folders whose files are what a process has open."""


def _open_file(path: Path) -> tuple[int, int] | None:
    """Return the process and the descriptor that a path names, perhaps by links; None for the path of a file."""
    for _ in range(40):
        if (number := STANDARD_STREAMS.get(path.as_posix())) is not None:
            return os.getpid(), number
        folder = Path(os.path.realpath(path.parent))
        found = OPEN_FILES.fullmatch(folder.as_posix())
        if found and path.name.isdecimal():
            return int(found["process"] or os.getpid()), int(path.name)
        if not path.is_symlink():
            break
        path = folder / os.readlink(path)
    return None


def descriptor(path: Path) -> int | None:
    """Return the number of the file that is open already and that a path names; None for the path of a file.

    >>> descriptor(Path("/dev/stdout")), descriptor(Path("/dev/fd/5")), descriptor(Path("a.json"))
    (1, 5, None)
    """
    process, number = _open_file(path) or (None, None)
    return number if process == os.getpid() else None


def is_stream(path: Path) -> bool:
    """Return whether a path leads to a stream or device, which cannot be replaced; /dev/stdout even in front of a file.

    >>> is_stream(Path("/dev/stdout")), is_stream(Path(__file__))
    (True, False)
    """
    return _open_file(path) is not None or (path.exists() and not path.is_file() and not path.is_dir())


_copies: dict[tuple[int, int], Path | OSError] = {}
"""Copies of the content of pipes, or why there is none, by device and number of the pipe, until `forget_pipes`."""


BLOCK = 1 << 16
"""Number of bytes of a pipe that are read at a time."""

_numbers = count()


@lru_cache(maxsize=1)
def _folder_of_copies() -> TemporaryDirectory[str]:
    return TemporaryDirectory()  # removed when the program ends


def temporary_file() -> Path:
    """Return a new place for a file that is deleted when the program ends, if not before."""
    return Path(_folder_of_copies().name, str(next(_numbers)))


@contextmanager
def writing_temporary_files(what: str) -> Iterator[None]:
    """Say in errors of the block what could not be written, and to which folder.

    Raises:
        OSError: The block raised one.
    """
    try:
        yield
    except OSError as error:
        raise OSError(
            f"{what} cannot be written to {tempfile.gettempdir()}, the folder for temporary files ({in_words(error)}): "
            "set TMPDIR to a folder with more space"
        ) from None


def is_temporary(path: Location) -> bool:
    """Return whether a path comes from `temporary_file`."""
    return isinstance(path, Path) and path.parent == Path(_folder_of_copies().name)


def local_copy(path: Location) -> Path:
    """Return a local path to read a file: the path itself, or a temporary copy of a file in cloud storage."""
    if isinstance(path, Path):
        return path
    copy: Path = path.download_to(temporary_file())
    return copy


def readable(path: Path) -> Path:
    """Return a file that can be read several times: the path itself, or a copy of a pipe's content.

    A pipe is read once, since a second reader would wait forever, even if the first one failed; see `forget_pipes`.

    Raises:
        OSError: If the pipe cannot be read, or the copy cannot be written; names the pipe and the folder.
    """
    if not is_pipe(path):
        return path
    state = path.stat().st_dev, path.stat().st_ino
    if state not in _copies:
        try:
            with writing_temporary_files(f"the content of {path}"):
                _copies[state] = _copy(path)
        except OSError as error:
            _copies[state] = error
    if isinstance(found := _copies[state], OSError):
        raise found
    return found


def opened(path: Path) -> BinaryIO:
    """Open a file or pipe to read it from its start, unpacked if it is compressed.

    Raises:
        ValueError, OSError: As `compression.open_unpacked` and `readable`.
    """
    return compression.open_unpacked(readable(path), path)


def content(path: Path) -> bytes:
    """Return the content of a file or pipe, unpacked if it is compressed; the errors are those of `open_unpacked`."""
    return compression.read_unpacked(readable(path), path)


def _copy(pipe: Path) -> Path:
    """Return a temporary file with the content of a pipe."""
    from tqdm import tqdm

    copy = temporary_file()
    name = "standard input" if str(pipe) == "/dev/stdin" else ascii(str(pipe))
    progress = tqdm(desc=f"reading {name}", unit="B", unit_scale=True, leave=False, disable=None)
    try:
        with pipe.open("rb") as source, copy.open("wb") as target, progress:
            while block := source.read(BLOCK):
                target.write(block)
                progress.update(len(block))
    except OSError:
        copy.unlink(missing_ok=True)
        raise
    return copy


def forget_pipes() -> None:
    """Read pipes again from now on. Every command calls this when it starts."""
    _copies.clear()


@contextmanager
def fetched(name: str, home: str = "") -> Iterator[Path]:
    """Provide a local path to read: the file or folder itself, or a copy that is deleted afterwards.

    Args:
        name: A path or URL.
        home: The folder that a relative path starts from.

    Raises:
        ValueError: If the scheme of a URL is unknown, or nothing is there.

    >>> with fetched("data/a.spacy") as path:
    ...     path.name
    'a.spacy'
    """
    place = location(name, home)
    if isinstance(place, Path):
        yield place
        return
    with TemporaryDirectory() as folder:
        if not place.exists():
            raise ValueError(f"{name} does not exist")
        yield place.download_to(Path(folder) / place.name)


def in_words(error: BaseException) -> str:
    """Return the message of an error on one line, without the number of a system error.

    >>> in_words(FileNotFoundError(2, "No such file or directory", "a.spacy")), in_words(ValueError("odd"))
    ('No such file or directory: a.spacy', 'odd')
    """
    message = str(error)
    if isinstance(error, OSError) and error.strerror:
        named = error.filename if isinstance(error.filename, str | os.PathLike) else ""
        message = error.strerror + (f": {error.filename}{remedy(Path(named))}" if error.filename else "")
    return " ".join(message.split())


def digest(path: Path) -> str:
    """Return a hash of a file's content, or of the names and contents of all files in a folder.

    Args:
        path: A file or folder. `__pycache__` folders do not count.

    Returns:
        64 hexadecimal digits.

    Raises:
        OSError: If a file cannot be read.
    """
    hashed = sha256()
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    for file in files:
        if "__pycache__" in file.parts:
            continue
        hashed.update(f"{file.relative_to(path).as_posix()}\0{file.stat().st_size}\0".encode())
        with file.open("rb") as content:
            while block := content.read(1 << 20):
                hashed.update(block)
    return hashed.hexdigest()


def content_digest(*parts: Path | str) -> str:
    """Return a hash of the contents of files, or of text, that names a shard: 32 hexadecimal digits.

    >>> content_digest("a")
    '27c35e6e9373877f29e562464e46497e'
    """
    found = [part if isinstance(part, str) else digest(readable(part)) for part in parts]
    return blake2b("\0".join(found).encode(), digest_size=16).hexdigest()


def files_under(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and its subfolders, linked folders included, in no order.

    A linked folder that leads back to one that it lies in is not entered again.
    """
    for path, folders, names in os.walk(folder, followlinks=True):
        inside = len(Path(path).relative_to(folder).parts)
        above = [place.resolve() for place in (Path(path), *list(Path(path).parents)[:inside])]
        folders[:] = [name for name in folders if Path(path, name).resolve() not in above]
        yield from (Path(path, name) for name in names)


def short_names(names: Sequence[str]) -> list[str]:
    """Return paths without the folders that all of them begin with.

    >>> short_names(["data/day=1/a.spacy", "data/day=2/a.spacy"]), short_names(["data/a.spacy"])
    (['day=1/a.spacy', 'day=2/a.spacy'], ['a.spacy'])
    """
    folders = [PurePosixPath(Path(name).as_posix()).parts[:-1] for name in names]
    same = 0
    while all(len(folder) > same for folder in folders) and len({folder[same] for folder in folders}) == 1:
        same += 1
    return ["/".join((*folder[same:], Path(name).name)) for folder, name in zip(folders, names)]
