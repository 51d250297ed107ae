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
    """Return the path of a file or folder by its name or URL.

    Args:
        name: A path, or a URL, which cloudpathlib reads. spaCy depends on cloudpathlib.
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
    # Otherwise copies of shards fill a worker's disk.
    os.environ.setdefault("CLOUDPATHLIB_FILE_CACHE_MODE", "close_file")
    from cloudpathlib import AnyPath

    try:
        path = AnyPath(name)
    except ImportError as error:
        raise ValueError(f"{name}: {error}") from None
    if isinstance(path, Path) and scheme != "file":
        raise ValueError(f"{name}: cannot read {scheme}:// URLs; expected a path, or s3, gs, az, https or file")
    return path


def check_is_file(path: Location) -> None:
    """Raise ValueError if there is no file at a path.

    >>> check_is_file(Path("nowhere.jsonl"))
    Traceback (most recent call last):
    ValueError: nowhere.jsonl does not exist or is not a file
    """
    if not path.is_file() and not is_pipe(path):
        raise ValueError(f"{path} does not exist or is not a file{remedy(path)}")


def is_count_file(path: str | Path) -> bool:
    """Return whether a path has the extension of count files, which alone decides. The file need not exist.

    >>> is_count_file("counts.npz"), is_count_file(Path("gold.jsonl"))
    (True, False)
    """
    return str(path).endswith(".npz")


HOW_TO_MAKE = {
    "examples": "it is part of the repository: run the command in the folder of a clone",
    "corpus": "in a clone of the repository, 'python -m spacy project run corpus' makes it",
    "training": "train first, such as with 'python -m spacy train examples/config.cfg --output training/example'",
    "metrics": "in a clone of the repository, 'python -m spacy project run all' makes it",
}
"""How to make the files of the folders that the documentation names."""


def remedy(path: Location) -> str:
    """Return how to get a missing file that the documentation names, or "".

    >>> remedy(Path("corpus/nowhere.spacy"))
    "; in a clone of the repository, 'python -m spacy project run corpus' makes it"
    >>> remedy(Path("gold.jsonl"))
    ''
    """
    folder = path.parts[0] if isinstance(path, Path) and len(path.parts) > 1 else ""
    if "," in str(path) and not path.exists():
        return ": separate the names of files by spaces, without commas"
    return f"; {HOW_TO_MAKE[folder]}" if folder in HOW_TO_MAKE and not path.exists() else ""


def is_pipe(path: Location) -> bool:
    """Return whether a path is a named pipe, or the /dev/fd/N of a shell's process substitution."""
    return isinstance(path, Path) and path.is_fifo()


STANDARD_STREAMS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}

OPEN_FILES = re.compile(r"/dev/fd|/proc/(?P<process>\d+)(/task/\d+)?/fd")
"""Folders that list the open files of a process."""


def _find_descriptor(path: Path) -> tuple[int, int] | None:
    """Return the process and the file descriptor that a path or its links name; None for the path of a file."""
    for _ in range(40):
        if (number := STANDARD_STREAMS.get(path.as_posix())) is not None:
            return os.getpid(), number
        folder = Path(os.path.realpath(path.parent))
        match = OPEN_FILES.fullmatch(folder.as_posix())
        if match and path.name.isdecimal():
            return int(match["process"] or os.getpid()), int(path.name)
        if not path.is_symlink():
            break
        path = folder / os.readlink(path)
    return None


def descriptor(path: Path) -> int | None:
    """Return the file descriptor of this process that a path names; None for the path of a file.

    >>> descriptor(Path("/dev/stdout")), descriptor(Path("/dev/fd/5")), descriptor(Path("a.json"))
    (1, 5, None)
    """
    process, number = _find_descriptor(path) or (None, None)
    return number if process == os.getpid() else None


def is_stream(path: Path) -> bool:
    """Return whether a path leads to a stream or device, which cannot be replaced.

    /dev/stdout is a stream even where the shell sends it to a file.

    >>> is_stream(Path("/dev/stdout")), is_stream(Path(__file__))
    (True, False)
    """
    return _find_descriptor(path) is not None or (path.exists() and not path.is_file() and not path.is_dir())


_copies: dict[tuple[int, int], Path | OSError] = {}
"""The copy of each pipe's content, or the error of copying it, by the pipe's device and inode, until `forget_pipes`."""

BLOCK = 1 << 16
"""Number of bytes of a pipe that are read at once."""

_numbers = count()


@lru_cache(maxsize=1)
def _folder_of_copies() -> TemporaryDirectory[str]:
    return TemporaryDirectory()  # removed when the program ends


def temporary_file() -> Path:
    """Return a new path for a file. The file is deleted when the program ends, if not before."""
    return Path(_folder_of_copies().name, str(next(_numbers)))


@contextmanager
def explain_failed_writes(content: str) -> Iterator[None]:
    """Add the content that could not be written, and the temporary folder, to errors of the block.

    Raises:
        OSError: The block raised one.
    """
    try:
        yield
    except OSError as error:
        raise OSError(
            f"{content} cannot be written to {tempfile.gettempdir()}, the folder for temporary files "
            f"({error_message(error)}): set TMPDIR to a folder with more space"
        ) from None


def is_temporary(path: Location) -> bool:
    """Return whether a path comes from `temporary_file`."""
    return isinstance(path, Path) and path.parent == Path(_folder_of_copies().name)


def local_copy(path: Location) -> Path:
    """Return a local path of a file: the path itself, or a temporary copy of a file in cloud storage."""
    if isinstance(path, Path):
        return path
    copy: Path = path.download_to(temporary_file())
    return copy


def readable_file(path: Path) -> Path:
    """Return a file that can be read several times: the path itself, or a copy of a pipe's content.

    A pipe is read only once, even if that fails: a second reader would wait forever. See `forget_pipes`.

    Raises:
        OSError: If the pipe cannot be read, or the copy cannot be written; names the pipe and the folder.
    """
    if not is_pipe(path):
        return path
    state = path.stat().st_dev, path.stat().st_ino
    if state not in _copies:
        try:
            with explain_failed_writes(f"the content of {path}"):
                _copies[state] = _copy(path)
        except OSError as error:
            _copies[state] = error
    if isinstance(copy := _copies[state], OSError):
        raise copy
    return copy


def open_input(path: Path) -> BinaryIO:
    """Open a file or pipe at its start. Compressed content is unpacked as it is read.

    Raises:
        ValueError, OSError: As `compression.open_unpacked` and `readable_file`.
    """
    return compression.open_unpacked(readable_file(path), path)


def content(path: Path) -> bytes:
    """Return the content of a file or pipe, unpacked if it is compressed. Errors are those of `open_input`."""
    return compression.read_unpacked(readable_file(path), path)


def json_content(path: Path, pairs_hook: Any = None) -> Any:
    """Return the value of a JSON file or pipe. Arguments and errors are those of `compression.read_json`."""
    return compression.read_json(readable_file(path), path, pairs_hook)


def _copy(pipe: Path) -> Path:
    """Copy the content of a pipe to a temporary file, and return the file."""
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
    """Forget the copies of pipes, so that pipes are read again. Every command calls this when it starts."""
    _copies.clear()


@contextmanager
def fetch_path(name: str, home: str = "") -> Iterator[Path]:
    """Provide a local path to read: the file or folder itself, or a copy that is deleted afterwards.

    Args:
        name: A path or URL.
        home: The folder that a relative path starts from.

    Raises:
        ValueError: If the scheme of a URL is unknown, or nothing is there.

    >>> with fetch_path("data/a.spacy") as path:
    ...     path.name
    'a.spacy'
    """
    path = location(name, home)
    if isinstance(path, Path):
        yield path
        return
    with TemporaryDirectory() as folder:
        if not path.exists():
            raise ValueError(f"{name} does not exist")
        yield path.download_to(Path(folder) / path.name)


def error_message(error: BaseException) -> str:
    """Return the message of an error on one line, without the error number of a system error.

    >>> error_message(FileNotFoundError(2, "No such file or directory", "a.spacy")), error_message(ValueError("odd"))
    ('No such file or directory: a.spacy', 'odd')
    """
    message = str(error)
    if isinstance(error, OSError) and error.strerror:
        name = error.filename if isinstance(error.filename, str | os.PathLike) else ""
        message = error.strerror + (f": {error.filename}{remedy(Path(name))}" if error.filename else "")
    return " ".join(message.split())


def digest(path: Path) -> str:
    """Return a hash of a file's content, or of the names and contents of all files in a folder.

    Args:
        path: A file or folder. `__pycache__` folders are ignored.

    Returns:
        64 hexadecimal digits.

    Raises:
        OSError: If a file cannot be read.
    """
    hasher = sha256()
    files = sorted(file for file in files_under(path) if file.is_file()) if path.is_dir() else [path]
    for file in files:
        if "__pycache__" in file.parts:
            continue
        hasher.update(f"{file.relative_to(path).as_posix()}\0{file.stat().st_size}\0".encode())
        with file.open("rb") as content:
            while block := content.read(1 << 20):
                hasher.update(block)
    return hasher.hexdigest()


def content_digest(*parts: Path | str) -> str:
    """Return a hash of files' contents and of texts, by which a shard is named: 32 hexadecimal digits.

    >>> content_digest("a")
    '27c35e6e9373877f29e562464e46497e'
    """
    digests = [part if isinstance(part, str) else digest(readable_file(part)) for part in parts]
    return blake2b("\0".join(digests).encode(), digest_size=16).hexdigest()


def files_under(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and its subfolders, linked folders included, in arbitrary order.

    A link to a folder that contains it is not followed.
    """
    for path, folders, names in os.walk(folder, followlinks=True):
        depth = len(Path(path).relative_to(folder).parts)
        parents = [parent.resolve() for parent in (Path(path), *list(Path(path).parents)[:depth])]
        folders[:] = [name for name in folders if Path(path, name).resolve() not in parents]
        yield from (Path(path, name) for name in names)


def short_names(names: Sequence[str]) -> list[str]:
    """Return paths without the leading folders that they have in common.

    >>> short_names(["data/day=1/a.spacy", "data/day=2/a.spacy"]), short_names(["data/a.spacy"])
    (['day=1/a.spacy', 'day=2/a.spacy'], ['a.spacy'])
    """
    folders = [PurePosixPath(Path(name).as_posix()).parts[:-1] for name in names]
    shared = 0
    while all(len(folder) > shared for folder in folders) and len({folder[shared] for folder in folders}) == 1:
        shared += 1
    return ["/".join((*folder[shared:], Path(name).name)) for folder, name in zip(folders, names)]
