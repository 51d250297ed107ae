"""Merge the parts of a corpus: collapsed counts in a tree, by the workers.

Workers merge groups of parts, then groups of what came of these, so that the driver reads a
single file. All sums are exact, so the result does not depend on the tree. What is merged is a
file like any part, so a worker that dies costs only the group that it was merging. An engine that
has a reduction of its own makes the tree; elsewhere, and where that fails, tasks do. Counts with
documents are merged by the driver, since the result is as large as its parts together.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ..core.plugins import import_code
from ..counting.counts import Counts
from ..io.count_files import merge
from ..io.paths import content_digest
from .engines import Engine
from .shards import MERGED, PartsFolder, Shard, ShardStatus, count_shard, count_shards, first_line

TOGETHER = 32
"""Maximum number of parts that one task merges."""


class Part(NamedTuple):
    """Counts in the folder: of one shard, or of several that were merged.

    Attributes:
        name: The name of the file.
        origin: What it was made from.
        error: Why there is no such file; empty if there is.
    """

    name: str
    origin: Mapping[str, Any]
    error: str = ""


@dataclass(frozen=True)
class Merging:
    """Merges parts. A `ShardCounter`: in place of a gold file, its shards have a list of parts in JSON.

    Attributes:
        folder: Where the parts are.
        code: A Python file to run first, which may register metrics.
    """

    folder: PartsFolder
    code: Path | None = None

    def origin(self, shard: Shard) -> Mapping[str, Any]:
        """Return the name of the group, which is a hash of the parts and their origins."""
        return {"merged": shard.name}

    def count(self, shard: Shard) -> Counts:
        """Return the counts of the parts together.

        Raises:
            ValueError: If they cannot be merged.
        """
        if self.code:
            import_code(self.code)
        return _together(parts_of(shard), self.folder)


def group(parts: Sequence[Part]) -> Shard:
    """Return parts that are to be merged as a shard."""
    listed = json.dumps(parts)
    return Shard(content_digest(listed), listed)


def parts_of(shard: Shard) -> list[Part]:
    """Return the parts of a group."""
    return [Part(*part) for part in json.loads(shard.gold)]


def merged(
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
    """Return the counts of all parts together.

    Args:
        statuses: What `count_shards` returned, without errors.
        folder: The folder of the parts. The caller holds its lock (see `shards.locked`).
        engine: Runs the workers (see `engines.started`).
        shared_ids: Whether documents of several shards may have the same id.
        check_repeats: Whether to look for documents of collapsed counts that have the same id. The
            driver does that, in one pass over sorted files.
        collapsed: Whether the counts are collapsed.
        code: A Python file that workers run before they read counts.
        note: Called with a line if the engine fails to merge and tasks do it.

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
                f"{first.shard.gold} and {status.shard.gold} were predicted by different models of the same name: "
                "install the same model on all machines, then run the command again"
            )
    parts = [_part(status, folder) for status in statuses]
    names = [status.shard.gold for status in statuses]
    # What few parts take to be merged is less than what a task takes to be started.
    if collapsed and not check_repeats and len(parts) > TOGETHER:
        parts, names = [_in_tree(parts, folder, engine, code, note)], []
    return _together(parts, folder, shared_ids=shared_ids, check_repeats=check_repeats, names=names)


def _in_tree(
    parts: Sequence[Part], folder: PartsFolder, engine: Engine, code: Path | None, note: Callable[[str], object]
) -> Part:
    """Merge collapsed counts in a tree, and return the last part."""
    work = Merging(replace(folder, home=folder.home or os.getcwd()), code)
    if engine.reduce:
        try:
            last = engine.reduce(partial(_merged_part, work), parts, TOGETHER)
        except Exception as error:  # an error of the engine, since `count_shard` raises none
            last = Part("", {}, first_line(error))
        if not last.error:
            return last
        note(f"the engine failed to merge counts by itself ({last.error}): tasks merge them")
    return _by_tasks(parts, work, engine)


def _merged_part(work: Merging, parts: list[Part]) -> Part:
    """Merge parts into one, unless one of them is missing. Workers run this."""
    if missing := [part for part in parts if part.error]:
        return missing[0]
    inner = replace(work.folder, kind=MERGED)
    return _part(count_shard(work, inner, group(parts)), inner)


def _by_tasks(parts: Sequence[Part], work: Merging, engine: Engine) -> Part:
    """Merge parts level by level, each group by a task of its own.

    Raises:
        ValueError: If a group cannot be merged.
    """
    inner = replace(work.folder, kind=MERGED)
    while len(parts) > 1:
        groups = [group(parts[first : first + TOGETHER]) for first in range(0, len(parts), TOGETHER)]
        found = count_shards(groups, work, inner, engine.run)
        if failed := [status.error for status in found if status.error]:
            raise ValueError(failed[0])
        parts = [_part(status, inner) for status in found]
    return parts[0]


def _part(status: ShardStatus, folder: PartsFolder) -> Part:
    return Part(folder.part(status.shard).name, status.origin, status.error)


def _together(
    parts: Sequence[Part],
    folder: PartsFolder,
    *,
    shared_ids: bool = False,
    check_repeats: bool = False,
    names: Sequence[str] = (),
) -> Counts:
    files, origins = [folder.path / part.name for part in parts], [part.origin for part in parts]
    return merge(files, origins=origins, shared_ids=shared_ids, check_repeats=check_repeats, names=names or None)
