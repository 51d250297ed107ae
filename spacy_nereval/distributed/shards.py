"""Count a corpus of many files with many workers.

The terms:

- A *shard* is one file of the corpus: gold annotation, and predictions unless a model makes them.
- A *worker* is a process or thread of an engine (see `engines`). It counts one shard at a time.
- A *part* is the counts of one shard, in a file of its own in the parts folder.
- The *origin* of a part is everything that its counts depend on. The part's file records it.

A part that is complete and has the right origin is not counted again, so an interrupted
run continues where it stopped. Only the files of the parts decide what is merged: even
if workers are killed or restarted, no document is lost or counted twice.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import Any, NamedTuple, Protocol

from ..core.messages import named
from ..counting.counts import Counts
from ..io.count_files import load, save
from ..io.id_hashes import is_intact
from ..io.paths import Location, in_words, location
from .engines import Ready, Run
from .lock import exclusive, this_process

MERGED = "nereval-merged"
"""The folder of merged parts, in the folder of the parts. A run deletes it when it ends."""


class Shard(NamedTuple):
    """One file of a corpus.

    Attributes:
        name: A unique name; its part is named after it.
        gold: The path or URL of the gold annotation.
        pred: The path or URL of the predictions; None if a model makes them.
    """

    name: str
    gold: str
    pred: str | None = None


class ShardCounter(Protocol):
    """How every shard is counted. It is sent to the workers, so it has to be picklable."""

    def origin(self, shard: Shard) -> Mapping[str, Any]:
        """Return everything that the counts of a shard depend on, as JSON has it."""

    def count(self, shard: Shard) -> Counts:
        """Return the counts of a shard."""


class ShardStatus(NamedTuple):
    """The result of counting a shard: its part is in the folder, or there was an error.

    Attributes:
        shard: The shard.
        origin: The origin of its part; empty if there was an error.
        kept: Whether the part was there already and was not counted again.
        replaced: Whether the part replaced one that was damaged or of another origin.
        error: The error, on one line; empty if there was none.
        lost: Whether the worker died.
    """

    shard: Shard
    origin: Mapping[str, Any] = {}
    kept: bool = False
    replaced: bool = False
    error: str = ""
    lost: bool = False


@dataclass(frozen=True)
class PartsFolder:
    """The folder of the parts.

    Attributes:
        name: Its path or URL.
        home: The folder that a relative path starts from. Workers may run in another one.
    """

    name: str
    home: str = ""

    @property
    def path(self) -> Location:
        """The location of the folder."""
        return location(self.name, self.home)

    def part(self, shard: Shard) -> Location:
        """Return the file of a shard's part."""
        return self.path / f"counts-{shard.name.replace('/', '-')}.npz"

    def begun(self, shard: Shard) -> Location:
        """Return the marker of a shard: a file that exists while a worker counts it, and stays if the worker dies."""
        return self.path / f"counts-{shard.name.replace('/', '-')}.begun"


_one_at_a_time = Lock()
"""Held while this process counts a shard. Some engines have threads as workers, but a pipeline cannot be shared."""


def count_shard(counter: ShardCounter, folder: PartsFolder, shard: Shard) -> ShardStatus:
    """Count one shard into its part, unless the part is there already. Workers run this.

    Args:
        counter: How the shard is counted.
        folder: Where the part belongs.
        shard: The shard.

    Returns:
        The result. Errors are returned and not raised, so that other shards continue.
    """
    part, begun = folder.part(shard), folder.begun(shard)
    with _one_at_a_time:
        try:
            begun.write_text(json.dumps(this_process()))
            origin = counter.origin(shard)
            existed = part.exists()
            if existed and _has_origin(part, origin):
                return ShardStatus(shard, origin, kept=True)
            save(counter.count(shard), part, origin=origin)
            return ShardStatus(shard, origin, replaced=existed)
        except Exception as error:  # any error, of the file, the model or the disk
            kind = "" if isinstance(error, (ValueError, OSError)) else f"{type(error).__name__}: "
            return ShardStatus(shard, error=kind + in_words(error))
        finally:
            with suppress(OSError):
                begun.unlink(missing_ok=True)


def _has_origin(part: Location, origin: Mapping[str, Any]) -> bool:
    """Return whether a part is complete, with the hashes of its ids if it has some, and has this origin."""
    try:
        hashes = load(part, origin=origin).id_hashes
    except ValueError:
        return False
    return hashes is None or is_intact(hashes)


def count_shards(
    shards: Sequence[Shard],
    counter: ShardCounter,
    folder: PartsFolder,
    run: Run,
    ready: Ready = lambda number: None,
) -> list[ShardStatus]:
    """Count every shard whose part is not there yet.

    A shard that fails is tried once more. Shards whose worker died are tried again one at a
    time, so that a shard that kills its worker does not affect others.

    Args:
        shards: The shards.
        counter: How each is counted.
        folder: Where the parts belong. The caller holds its lock (see `locked`).
        run: Runs a function on workers (see `engines.started`).
        ready: Called with the number of finished shards.

    Returns:
        The status of each shard, in the order of the shards.

    Raises:
        ValueError: If the engine fails before any worker has begun a shard.
    """
    statuses = _tried(shards, counter, folder, run, ready)
    failed = [status.shard for status in statuses.values() if status.error and not status.lost]
    lost = [status.shard for status in statuses.values() if status.lost]
    statuses |= _tried(failed, counter, folder, run)
    statuses |= _tried(lost, counter, folder, run, alone=True)
    return [statuses[shard] for shard in shards]


def _tried(
    shards: Sequence[Shard],
    counter: ShardCounter,
    folder: PartsFolder,
    run: Run,
    ready: Ready = lambda number: None,
    *,
    alone: bool = False,
) -> dict[Shard, ShardStatus]:
    """Try every shard once. If a worker dies, note the shards that had begun, and go on with the rest."""
    found: dict[Shard, ShardStatus] = {}
    task = partial(count_shard, counter, replace(folder, home=os.getcwd()))
    while waiting := [shard for shard in shards if shard not in found]:
        try:
            found |= {status.shard: status for status in run(task, waiting, ready, alone)}
        except Exception as error:  # an error of the engine, since `count_shard` raises none
            lost = [shard for shard in waiting if folder.begun(shard).exists()]
            if not lost:
                raise ValueError(f"the engine failed: {first_line(error)}") from error
            for shard in lost:
                folder.begun(shard).unlink(missing_ok=True)
                # Only the error of the second try is shown.
                message = (
                    "its worker died twice, often for lack of memory: use fewer workers or smaller files "
                    f"({first_line(error)})"
                )
                found[shard] = ShardStatus(shard, error=message, lost=True)
    return found


def first_line(error: Exception) -> str:
    """Return the type of an error and the first line of its message."""
    lines = str(error).strip().splitlines()
    return type(error).__name__ + (f": {lines[0]}" if lines else "")


@contextmanager
def locked(folder: PartsFolder) -> Iterator[None]:
    """Create the folder, if it is missing, and keep other runs out of it.

    Leftovers of killed workers are deleted before and afterwards; the parts stay.

    Args:
        folder: The folder of the parts.

    Raises:
        ValueError: If another run is active there, with its process, user and host.
    """
    folder.path.mkdir(parents=True, exist_ok=True)
    with exclusive(folder.path / "run.lock", folder.name, f"or choose another folder with {named('parts')}"):
        _delete_leftovers(folder)
        try:
            yield
        finally:
            _delete_leftovers(folder)


def _delete_leftovers(folder: PartsFolder) -> None:
    """Delete markers, half-written parts and parts merged so far, which workers leave when they are killed."""
    unfinished = ("counts-*.begun", ".counts-*.npz.*", ".nereval-ids-*.bin.*")
    merged = (f"{MERGED}/{name}" for name in (*unfinished, "counts-*.npz", "nereval-ids-*.bin"))
    for pattern in (*unfinished, *merged):
        for leftover in folder.path.glob(pattern):
            leftover.unlink(missing_ok=True)
    with suppress(OSError):  # there is none, or it has files of others or of a worker that outlives its run
        (folder.path / MERGED).rmdir()
