"""Merge the parts of a corpus: collapsed counts in a tree, by the workers.

Workers merge groups of parts, then groups of what came of these, so that the driver reads a
single file. All sums are exact, so the result does not depend on the tree. What is merged is a
file like any part, so a worker that dies costs only the group that it was merging. Counts with
documents are merged by the driver, since the result is as large as its parts together.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..core.plugins import import_code
from ..counting.counts import Counts
from ..io.count_files import merge
from .engines import Run
from .shards import MERGED, PartsFolder, Shard, ShardStatus, count_shards

TOGETHER = 32
"""Maximum number of parts that one task merges."""

Part = tuple[str, Mapping[str, Any]]
"""The name of a part in the folder, and its origin."""


@dataclass(frozen=True)
class Merging:
    """Merges parts. A `ShardCounter` whose shards are files in the folder that list the parts.

    Attributes:
        folder: Where the parts are.
        code: A Python file to run first, which may register metrics.
    """

    folder: PartsFolder
    code: Path | None = None

    def origin(self, shard: Shard) -> Mapping[str, Any]:
        """Return the names of the parts."""
        return {"merged": [name for name, _ in self._parts(shard)]}

    def count(self, shard: Shard) -> Counts:
        """Return the counts of the parts together.

        Raises:
            ValueError: If they cannot be merged.
        """
        if self.code:
            import_code(self.code)
        return _together(self._parts(shard), self.folder)

    def _parts(self, shard: Shard) -> list[Part]:
        found: list[Part] = json.loads((self.folder.path / shard.gold).read_text("utf8"))
        return found


def merged(
    statuses: Sequence[ShardStatus],
    folder: PartsFolder,
    run: Run,
    *,
    shared_ids: bool = False,
    check_repeats: bool = False,
    collapsed: bool = False,
    code: Path | None = None,
) -> Counts:
    """Return the counts of all parts together, added in the order of the shards.

    Args:
        statuses: What `count_shards` returned, without errors.
        folder: The folder of the parts. The caller holds its lock (see `shards.locked`).
        run: Runs a function on workers (see `engines.started`).
        shared_ids: Whether documents of several shards may have the same id.
        check_repeats: Whether to look for documents of collapsed counts that have the same id. The
            driver does that, in one pass over sorted files.
        collapsed: Whether the counts are collapsed.
        code: A Python file that workers run before they read counts.

    Raises:
        ValueError: If parts were predicted by different models, were changed since they were
            counted, or cannot be merged; if collapsed parts come from equal files.
    """
    first = statuses[0]
    shard_of: dict[tuple[object, object], Shard] = {}
    for status in statuses:
        content = status.origin.get("gold"), status.origin.get("pred")
        if collapsed and shard_of.setdefault(content, status.shard) != status.shard:
            raise ValueError(
                f"{shard_of[content].gold} and {status.shard.gold} have the same content, and would count their "
                "documents twice: leave one of them out"
            )
        if status.origin.get("model") != first.origin.get("model"):
            raise ValueError(
                f"{first.shard.gold} and {status.shard.gold} were predicted by different models of the same name: "
                "install the same model on all machines, then run the command again"
            )
    parts = [(folder.part(status.shard).name, status.origin) for status in statuses]
    names = [status.shard.gold for status in statuses]
    # What few parts take to be merged is less than what a task takes to be started.
    if collapsed and not check_repeats and len(parts) > TOGETHER:
        parts, names = _in_tree(parts, folder, run, code), []
    return _together(parts, folder, shared_ids=shared_ids, check_repeats=check_repeats, names=names)


def _in_tree(parts: list[Part], folder: PartsFolder, run: Run, code: Path | None) -> list[Part]:
    """Merge collapsed counts level by level, and return the last part."""
    work = Merging(replace(folder, home=folder.home or os.getcwd()), code)
    inner, level = replace(folder, kind=MERGED), 0
    while len(parts) > 1:
        groups = []
        for first in range(0, len(parts), TOGETHER):
            name = f"{level}-{first // TOGETHER}"
            groups.append(Shard(name, f"{MERGED}-{name}.json"))
            (folder.path / groups[-1].gold).write_text(json.dumps(parts[first : first + TOGETHER]), "utf8")
        found = count_shards(groups, work, inner, run)
        if failed := [status.error for status in found if status.error]:
            raise ValueError(failed[0])
        parts, level = [(inner.part(status.shard).name, status.origin) for status in found], level + 1
    return parts


def _together(
    parts: Sequence[Part],
    folder: PartsFolder,
    *,
    shared_ids: bool = False,
    check_repeats: bool = False,
    names: Sequence[str] = (),
) -> Counts:
    files, origins = [folder.path / name for name, _ in parts], [origin for _, origin in parts]
    return merge(files, origins=origins, shared_ids=shared_ids, check_repeats=check_repeats, names=names or None)
