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
from ..io.paths import content_digest, in_words, location
from .engines import Engine
from .shards import MERGED, PartsFolder, Shard, ShardStatus, count_shard, count_shards, first_line

TOGETHER = 32
"""Maximum number of parts that one task merges."""


class Part(NamedTuple):
    """Counts in the folder: of one shard, or of several that were merged.

    Attributes:
        file: The path or URL of the file.
        origin: What it was made from.
        error: Why there is no such file; empty if there is.
    """

    file: str
    origin: Mapping[str, Any]
    error: str = ""


@dataclass(frozen=True)
class Merging:
    """Merges parts. A `ShardCounter`: in place of a gold file, its shards have a list of parts in JSON.

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
        """Return the counts of the parts together.

        Raises:
            ValueError: If they cannot be merged.
        """
        if self.code:
            import_code(self.code)
        return self.together(parts_of(shard))

    def together(self, parts: Sequence[Part], names: Sequence[str] | None = None) -> Counts:
        """Return the counts of parts together; errors call these by `names`.

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
        check_repeats: Whether to look for documents of collapsed counts that have the same id.
        collapsed: Whether the counts are collapsed.
        code: A Python file that workers run before they read counts.
        note: Called with a line if tasks merge because the engine cannot, or this process because workers cannot.

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
    work = Merging(shared_ids, check_repeats, code)
    failure = ""
    # What few parts take to be merged is less than what a task takes to be started.
    if collapsed and len(statuses) > TOGETHER:
        try:
            return work.together([_in_tree(statuses, folder, work, engine, note)])
        except (ValueError, OSError) as error:
            # It is about a group of parts. If there is an error again below, it names files of the corpus.
            failure = in_words(error)
    found = work.together([_part(status, folder) for status in statuses], [status.shard.gold for status in statuses])
    if failure:
        note(f"the workers failed to merge counts ({failure}), so this process did it alone")
    return found


def _in_tree(
    statuses: Sequence[ShardStatus],
    folder: PartsFolder,
    work: Merging,
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
            last = engine.reduce(partial(_merged_part, work, inner), parts, TOGETHER)
        except Exception as error:  # an error of the engine, since `count_shard` raises none
            note(f"the engine failed to merge counts by itself ({first_line(error)}): tasks merge them")
        else:
            if last.error:
                raise ValueError(last.error)
            return last
    return _by_tasks(parts, work, inner, engine)


def _merged_part(work: Merging, folder: PartsFolder, parts: list[Part]) -> Part:
    """Merge parts into one in a folder, unless one of them is missing. Workers run this."""
    if missing := [part for part in parts if part.error]:
        return missing[0]
    return _part(count_shard(work, folder, group(parts)), folder)


def _by_tasks(parts: Sequence[Part], work: Merging, folder: PartsFolder, engine: Engine) -> Part:
    """Merge parts level by level, each group by a task of its own, and return the last part.

    Raises:
        ValueError: If a group cannot be merged.
    """
    while len(parts) > 1:
        groups = [group(parts[first : first + TOGETHER]) for first in range(0, len(parts), TOGETHER)]
        found = count_shards(groups, work, folder, engine.run)
        if failed := [status.error for status in found if status.error]:
            raise ValueError(failed[0])
        parts = [_part(status, folder) for status in found]
    return parts[0]


def _part(status: ShardStatus, folder: PartsFolder) -> Part:
    return Part(str(folder.part(status.shard)), status.origin, status.error)
