"""Count a corpus of many files with many workers, and merge the counts.

The terms:

- A *shard* is one file of the corpus: gold annotation, and predictions unless a model makes them.
- A *worker* is a process or thread of an engine (see `engines`). It counts one shard at a time.
- A *part* is the counts of one shard, in a file of its own in the parts folder.
- The *origin* of a part is everything that its counts depend on. The part's file records it.

A part that is complete and has the right origin is not counted again, so an interrupted
run continues where it stopped. Only the files of the parts determine the merged counts: even
if workers are killed or restarted, no document is lost or counted twice.

The workers merge collapsed counts in a tree: groups of parts, then groups of merged parts, so that the
driver reads a single file. All sums are exact, so the result does not depend on the tree. A merged part
is a file like any part, so a worker that dies costs only the group that it was merging. An engine's own
reduction builds the tree; where it has none or fails, tasks do. The driver merges counts with documents,
since the result is as large as its parts together.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from errno import EACCES, EPERM, EROFS
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Protocol

from ...core.messages import Spelling, TryAgain, spell_argument, spelling, use_spelling
from ...core.plugins import import_code
from ...counting.counts import Counts
from ...io.count_files import load, merge, save
from ...io.id_hashes import is_intact
from ...io.paths import Location, content_digest, error_message, location
from .engines import Engine, Ready, Run
from .lock import hold_lock, this_process

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

    def marker(self, shard: Shard) -> Location:
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
    part, marker = folder.part(shard), folder.marker(shard)
    with _one_at_a_time:
        try:
            marker.write_text(json.dumps(this_process()), encoding="utf8")
            origin = counter.origin(shard)
            existed = part.exists()
            if existed and _has_origin(part, origin):
                return ShardStatus(shard, origin, kept=True)
            save(counter.count(shard), part, origin=origin)
            return ShardStatus(shard, origin, replaced=existed)
        except Exception as error:  # any error, of the file, the model or the disk
            kind = "" if isinstance(error, (ValueError, OSError)) else f"{type(error).__name__}: "
            return ShardStatus(shard, error=kind + error_message(error))
        finally:
            with suppress(OSError):
                marker.unlink(missing_ok=True)


def _has_origin(part: Location, origin: Mapping[str, Any]) -> bool:
    """Return whether a part is complete, with the hashes of its ids if it has some, and has this origin."""
    try:
        hashes = load(part, origin=origin).id_hashes
    except ValueError:
        return False
    return hashes is None or is_intact(hashes)


def count_shards(
    shards: Sequence[Shard], counter: ShardCounter, folder: PartsFolder, run: Run, ready: Ready = lambda number: None
) -> list[ShardStatus]:
    """Count every shard without a part.

    A shard that fails is tried once more. Shards of workers that died are tried again one at a
    time, so that a shard that kills its worker does not affect others.

    Args:
        shards: The shards.
        counter: How each is counted.
        folder: Where the parts belong. The caller has locked it (see `lock_folder`).
        run: Runs a function on workers (see `engines.start_engine`).
        ready: Called with the number of finished shards.

    Returns:
        The status of each shard, in the order of the shards.

    Raises:
        ValueError: If the engine fails twice in a row before any worker has begun a shard.
    """
    statuses = _try_shards(shards, counter, folder, run, ready)
    failed = [status.shard for status in statuses.values() if status.error and not status.lost]
    lost = [status.shard for status in statuses.values() if status.lost]
    statuses |= _try_shards(failed, counter, folder, run)
    statuses |= _try_shards(lost, counter, folder, run, alone=True)
    return [statuses[shard] for shard in shards]


def _count_on_worker(
    argument_spelling: Spelling, counter: ShardCounter, folder: PartsFolder, shard: Shard
) -> ShardStatus:
    """Count a shard on a worker, with errors that spell arguments as the driver does."""
    with use_spelling(argument_spelling):
        return count_shard(counter, folder, shard)


def _try_shards(
    shards: Sequence[Shard],
    counter: ShardCounter,
    folder: PartsFolder,
    run: Run,
    ready: Ready = lambda number: None,
    *,
    alone: bool = False,
) -> dict[Shard, ShardStatus]:
    """Count every shard once, and return the status of each. If a worker dies, mark its shards as lost and go on.

    If the engine fails before any shard had begun, as when a worker dies at its start, run it once more.
    """
    failed = False
    statuses: dict[Shard, ShardStatus] = {}
    task = partial(_count_on_worker, spelling(), counter, replace(folder, home=os.getcwd()))
    while waiting := [shard for shard in shards if shard not in statuses]:
        try:
            statuses |= {status.shard: status for status in run(task, waiting, ready, alone)}
        except Exception as error:  # an error of the engine, since `count_shard` raises none
            lost = [shard for shard in waiting if folder.marker(shard).exists()]
            if not lost and failed:
                raise TryAgain(
                    f"the engine failed twice before a worker had begun a file: {first_line(error)}; finished counts "
                    f"are kept in {folder.name}, and the same command continues from there"
                ) from error
            failed = not lost
            for shard in lost:
                folder.marker(shard).unlink(missing_ok=True)
                # Only the error of the second try is shown.
                message = (
                    "its worker died twice, often for lack of memory: use fewer workers or smaller files "
                    f"({first_line(error)})"
                )
                statuses[shard] = ShardStatus(shard, error=message, lost=True)
    return statuses


def first_line(error: Exception) -> str:
    """Return the type of an error and the first line of its message."""
    lines = str(error).strip().splitlines()
    return type(error).__name__ + (f": {lines[0]}" if lines else "")


@contextmanager
def lock_folder(folder: PartsFolder, wait: float = 0) -> Iterator[None]:
    """Create the folder if it is missing, and keep other runs out of it.

    Leftovers of killed workers are deleted before and afterwards; the parts stay.

    Args:
        folder: The folder of the parts.
        wait: Seconds to wait for another run that is active there.

    Raises:
        ValueError: If another run is active there, with its process, user and host.
    """
    cannot_be_written = ValueError(
        f"the folder {folder.name}, which keeps the counts of each file, cannot be written: choose another with "
        f"{spell_argument('parts')}"
    )
    try:
        folder.path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno not in (EACCES, EPERM, EROFS):
            raise
        raise cannot_be_written from None
    if isinstance(folder.path, Path) and not os.access(folder.path, os.W_OK):
        raise cannot_be_written
    with hold_lock(
        folder.path / "run.lock", folder.name, f"or choose another folder with {spell_argument('parts')}", wait
    ):
        _delete_leftovers(folder)
        try:
            yield
        finally:
            _delete_leftovers(folder)


def _delete_leftovers(folder: PartsFolder) -> None:
    """Delete the markers, half-written parts and merged parts that killed workers leave."""
    unfinished = ("counts-*.begun", ".counts-*.npz.*", ".nereval-ids-*.bin.*")
    patterns = (f"{MERGED}/{name}" for name in (*unfinished, "counts-*.npz", "nereval-ids-*.bin"))
    for pattern in (*unfinished, *patterns):
        for leftover in folder.path.glob(pattern):
            leftover.unlink(missing_ok=True)
    with suppress(OSError):  # there is none, or it has files of others or of a worker that outlives its run
        (folder.path / MERGED).rmdir()


TOGETHER = 32
"""Maximum number of parts that one task merges."""


class Part(NamedTuple):
    """A count file in the folder: of one shard, or of several merged parts.

    Attributes:
        file: The path or URL of the file.
        origin: Its origin.
        error: Why there is no such file; empty if there is.
    """

    file: str
    origin: Mapping[str, Any]
    error: str = ""


@dataclass(frozen=True)
class PartMerger:
    """Merges parts: a `ShardCounter` for shards that name a JSON list of parts in place of a gold file.

    Attributes:
        shared_ids: Whether documents of several parts may have the same id.
        check_repeats: Whether to look for documents of several parts that have the same id.
        code: A Python file to run first, which may register metrics.
    """

    shared_ids: bool = False
    check_repeats: bool = False
    code: Path | None = None

    def origin(self, shard: Shard) -> Mapping[str, Any]:
        """Return the name of the group, which is a hash of the parts and their origins."""
        return {"merged": shard.name}

    def count(self, shard: Shard) -> Counts:
        """Return the merged counts of the parts of a group.

        Raises:
            ValueError: If they cannot be merged.
        """
        if self.code:
            import_code(self.code)
        return self.merge_parts(parts_of_group(shard))

    def merge_parts(self, parts: Sequence[Part], names: Sequence[str] | None = None) -> Counts:
        """Return the merged counts of parts. Errors name the parts by `names`, else by their files.

        Raises:
            ValueError: If they cannot be merged.
        """
        return merge(
            [location(part.file) for part in parts],
            origins=[part.origin for part in parts],
            shared_ids=self.shared_ids,
            check_repeats=self.check_repeats,
            names=names,
        )


def group_shard(parts: Sequence[Part]) -> Shard:
    """Return a shard with the JSON list of a group of parts to merge in place of its gold file."""
    content = json.dumps(parts)
    return Shard(content_digest(content), content)


def parts_of_group(shard: Shard) -> list[Part]:
    """Return the parts of a group."""
    return [Part(*part) for part in json.loads(shard.gold)]


def merge_shards(
    statuses: Sequence[ShardStatus],
    folder: PartsFolder,
    engine: Engine,
    *,
    shared_ids: bool = False,
    check_repeats: bool = False,
    collapsed: bool = False,
    code: Path | None = None,
    note: Callable[[str], object] = warnings.warn,
) -> Counts:
    """Return the merged counts of all parts.

    Args:
        statuses: The result of `count_shards`, without errors.
        folder: The folder of the parts. The caller has locked it (see `lock_folder`).
        engine: Runs the workers (see `engines.start_engine`).
        shared_ids: Whether documents of several shards may have the same id.
        check_repeats: Whether to look for documents of collapsed counts that have the same id.
        collapsed: Whether the counts are collapsed.
        code: A Python file that workers run before they read counts.
        note: Called with a warning if the engine's reduction failed, so that tasks merged, or if these failed too, so
            that this process merged.

    Raises:
        ValueError: If parts were predicted by different models, were changed since they were
            counted, or cannot be merged; if parts come from equal files, unless documents may share ids.
    """
    first = statuses[0]
    shard_of: dict[tuple[object, object], Shard] = {}
    for status in statuses:
        content = status.origin.get("gold"), status.origin.get("pred")
        if (collapsed or not shared_ids) and shard_of.setdefault(content, status.shard) != status.shard:
            raise ValueError(
                f"{shard_of[content].gold} and {status.shard.gold} have the same content, and would count their "
                "documents twice: leave one of them out"
            )
        if status.origin.get("model") != first.origin.get("model"):
            raise ValueError(
                f"{first.shard.gold} and {status.shard.gold} were predicted by different models with one name: "
                "install the same model on all machines, then run the command again"
            )
    work = PartMerger(shared_ids, check_repeats, code)
    failure = ""
    # A few parts are merged in less time than a task takes to start.
    if collapsed and len(statuses) > TOGETHER:
        try:
            return work.merge_parts([_merge_in_tree(statuses, folder, work, engine, note)])
        except (ValueError, OSError) as error:
            # The error names a group of parts. If merging fails again below, the error names files of the corpus.
            failure = error_message(error)
    parts = [_part(status, folder) for status in statuses]
    counts = work.merge_parts(parts, [status.shard.gold for status in statuses])
    if failure:
        note(f"the workers failed to merge counts ({failure}), so this process did it alone")
    return counts


def _merge_in_tree(
    statuses: Sequence[ShardStatus],
    folder: PartsFolder,
    work: PartMerger,
    engine: Engine,
    note: Callable[[str], object],
) -> Part:
    """Merge collapsed counts in a tree, and return the last part.

    Raises:
        ValueError: If some parts cannot be merged.
    """
    folder = replace(folder, home=folder.home or os.getcwd())
    parts = [_part(status, folder) for status in statuses]
    inner = PartsFolder(str(folder.path / MERGED))
    inner.path.mkdir(exist_ok=True)
    if engine.reduce:
        try:
            last = engine.reduce(partial(_merge_group, work, inner), parts, TOGETHER)
        except Exception as error:  # an error of the engine, since `count_shard` raises none
            note(f"the engine failed to merge counts by itself ({first_line(error)}): tasks merge them")
        else:
            if last.error:
                raise ValueError(last.error)
            return last
    return _merge_with_tasks(parts, work, inner, engine)


def _merge_group(work: PartMerger, folder: PartsFolder, parts: list[Part]) -> Part:
    """Merge a group of parts, and return the merged part, or the first part with an error. Workers run this."""
    if missing := [part for part in parts if part.error]:
        return missing[0]
    return _part(count_shard(work, folder, group_shard(parts)), folder)


def _merge_with_tasks(parts: Sequence[Part], work: PartMerger, folder: PartsFolder, engine: Engine) -> Part:
    """Merge parts level by level, each group by a task of its own, and return the last part.

    Raises:
        ValueError: If a group cannot be merged.
    """
    while len(parts) > 1:
        groups = [group_shard(parts[first : first + TOGETHER]) for first in range(0, len(parts), TOGETHER)]
        parts = [_part(status, folder) for status in count_shards(groups, work, folder, engine.run)]
        if errors := [part.error for part in parts if part.error]:
            raise ValueError(errors[0])
    return parts[0]


def _part(status: ShardStatus, folder: PartsFolder) -> Part:
    """Return the part of a counted shard."""
    return Part(str(folder.part(status.shard)), status.origin, status.error)
