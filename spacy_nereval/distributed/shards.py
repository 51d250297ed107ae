"""A corpus in parts, counted by many workers: a task for every shard, a file for every part.

The file of a part says what it was counted from. One that is there, whole, and
of the same origin is not counted again, so that a run that was stopped goes on
where it was. Nothing but these files decides what is merged.
"""

from __future__ import annotations

import getpass
import json
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, NamedTuple, Protocol

from ..counting.counts import Counts
from ..io.count_files import load, merge, save
from ..io.paths import Location, in_words, location
from .engines import Ready, Run


class Shard(NamedTuple):
    """A part of a corpus: gold annotation, and predictions unless a model makes them."""

    name: str
    gold: str
    pred: str | None = None


class Work(Protocol):
    """What is done to every shard alike, wherever it is done."""

    def origin(self, shard: Shard) -> Mapping[str, Any]:
        """All that the counts depend on, in plain JSON."""

    def count(self, shard: Shard) -> Counts: ...


class Part(NamedTuple):
    """What became of a shard: its counts are in a file, or there was an error."""

    shard: Shard
    origin: Mapping[str, Any] = {}
    kept: bool = False  # from an earlier run
    replaced: bool = False  # the counts of something else, or damaged ones
    error: str = ""
    lost: bool = False  # and its worker with it


@dataclass(frozen=True)
class Folder:
    """Where the files of the parts are, seen from the folder `home`."""

    name: str
    home: str = ""

    @property
    def place(self) -> Location:
        return location(self.name, self.home)

    def counts(self, shard: Shard) -> Location:
        return self.place / f"counts-{shard.name.replace('/', '-')}.npz"

    def begun(self, shard: Shard) -> Location:
        """A file that is there while a worker is at the shard, and stays if the worker dies."""
        return self.place / f"counts-{shard.name.replace('/', '-')}.begun"


ONE_AT_A_TIME = Lock()
"""For engines whose workers are threads: pipelines are not made for several."""


def count_shard(work: Work, folder: Folder, shard: Shard) -> Part:
    """Count one shard into its file, unless that is there already."""
    output, begun = folder.counts(shard), folder.begun(shard)
    with ONE_AT_A_TIME:
        try:
            begun.write_text(json.dumps(_me()))
            origin = work.origin(shard)
            there = output.exists()
            if there and _is_of(output, origin):
                return Part(shard, origin, kept=True)
            save(work.count(shard), output, origin=origin)
            return Part(shard, origin, replaced=there)
        except Exception as error:  # of the file, of the model, of the disk: the other shards go on
            kind = "" if isinstance(error, (ValueError, OSError)) else f"{type(error).__name__}: "
            return Part(shard, error=kind + in_words(error))
        finally:
            with suppress(OSError):
                begun.unlink(missing_ok=True)


def _is_of(output: Location, origin: Mapping[str, Any]) -> bool:
    try:
        load(output, origin=origin)
    except ValueError:
        return False
    return True


def count_shards(
    shards: Sequence[Shard], work: Work, folder: Folder, run: Run, ready: Ready = lambda number: None
) -> list[Part]:
    """Count every shard that is not counted yet. One that fails is tried a second time.

    Those whose worker died are then tried one at a time, so that none takes another with it.

    Raises ValueError if the engine fails with no shard begun.
    """
    parts = _tried(shards, work, folder, run, ready)
    failed = [part.shard for part in parts.values() if part.error and not part.lost]
    lost = [part.shard for part in parts.values() if part.lost]
    parts |= _tried(failed, work, folder, run)
    parts |= _tried(lost, work, folder, run, alone=True)
    return [parts[shard] for shard in shards]


def _tried(
    shards: Sequence[Shard],
    work: Work,
    folder: Folder,
    run: Run,
    ready: Ready = lambda number: None,
    *,
    alone: bool = False,
) -> dict[Shard, Part]:
    found: dict[Shard, Part] = {}
    task = partial(count_shard, work, Folder(folder.name, home=os.getcwd()))
    while waiting := [shard for shard in shards if shard not in found]:
        try:
            found |= {part.shard: part for part in run(task, waiting, ready, alone)}
        except Exception as error:  # the task raises none: this one is the engine's
            lost = [shard for shard in waiting if folder.begun(shard).exists()]
            if not lost:
                raise ValueError(f"the engine failed: {_first_line(error)}") from error
            for shard in lost:
                folder.begun(shard).unlink(missing_ok=True)
                said = f"its worker died, twice; often for want of memory ({_first_line(error)})"
                found[shard] = Part(shard, error=said, lost=True)
    return found


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}".rstrip(": ")


def merged(parts: Sequence[Part], folder: Folder, *, shared_ids: bool = False) -> Counts:
    """The counts of all parts, in the order of the parts.

    Raises ValueError if two parts were predicted by different models, or if their counts cannot be merged.
    """
    first = parts[0]
    for part in parts:
        if part.origin.get("model") != first.origin.get("model"):
            raise ValueError(
                f"{first.shard.gold} and {part.shard.gold} were predicted by different models of one name: "
                "is the same one on all machines?"
            )
    files = [folder.counts(part.shard) for part in parts]
    return merge(files, origins=[part.origin for part in parts], shared_ids=shared_ids)


@contextmanager
def locked(folder: Folder) -> Iterator[None]:
    """The folder, made if need be, with no other run in it and without what a killed worker left.

    Raises ValueError, naming who has it, if another run is at work there.
    """
    folder.place.mkdir(parents=True, exist_ok=True)
    lock = folder.place / "run.lock"
    if _is_left(lock):
        lock.unlink(missing_ok=True)
    try:
        with lock.open("x") as file:
            file.write(json.dumps(_me()))
    except OSError as error:
        if not isinstance(error, FileExistsError):  # of a full disk: half a lock would keep everybody out
            lock.unlink(missing_ok=True)
            raise ValueError(f"{folder.name} cannot be written to: {in_words(error)}") from None
        who = "process {pid} of {user} on {host}".format(**{"pid": "?", "user": "?", "host": "?", **_owner(lock)})
        raise ValueError(
            f"another run, {who}, writes to {folder.name}: wait for it, or choose another folder with --parts; "
            f"if it runs no more, delete {lock}"
        ) from None
    try:
        _clear(folder)
        yield
        _clear(folder)
    finally:
        lock.unlink(missing_ok=True)


def _clear(folder: Folder) -> None:
    """Delete what workers leave that are killed in the middle of a file."""
    for pattern in ("counts-*.begun", ".counts-*.npz.*"):
        for left in folder.place.glob(pattern):
            left.unlink(missing_ok=True)


def _me() -> dict[str, Any]:
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container may have no name for its user
        user = "somebody"
    return {"user": user, "host": socket.gethostname(), "pid": os.getpid()}


def _owner(lock: Location) -> dict[str, Any]:
    """Who wrote a lock; empty if it is not there, or not written yet."""
    try:
        owner = json.loads(lock.read_text())
        return owner if isinstance(owner, dict) and owner.keys() == _me().keys() else {}
    except (OSError, ValueError):
        return {}


def _is_left(lock: Location) -> bool:
    """Whether a lock's process ran on this machine, and runs no more."""
    owner = _owner(lock)
    if os.name != "posix" or owner.get("host") != socket.gethostname():
        return False
    try:
        os.kill(owner["pid"], 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return owner["pid"] == os.getpid()  # of the machine, or the container, before it was started again
