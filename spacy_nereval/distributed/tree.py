"""Merge the parts of a corpus in a tree: workers merge groups of parts, then groups of these.

The driver reads a single file in the end. All sums are exact, so the result does not depend on the
tree. A merged part is a file like any other, so a worker that dies costs only what it was merging.
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
from .shards import PartsFolder, Shard, count_shards

TOGETHER = 32
"""Maximum number of parts that one task merges."""

Part = tuple[str, Mapping[str, Any]]
"""The name of a part in the folder, and its origin."""


@dataclass(frozen=True)
class Merging:
    """Merges the parts that a file in the folder lists. A `ShardCounter` whose shards are such files.

    Attributes:
        folder: Where the parts are.
        shared_ids: Whether documents of several parts may have the same id.
        code: A Python file to run first, which may register metrics.
    """

    folder: PartsFolder
    shared_ids: bool = False
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
        return together(self._parts(shard), self.folder, shared_ids=self.shared_ids)

    def _parts(self, shard: Shard) -> list[Part]:
        found: list[Part] = json.loads((self.folder.path / shard.gold).read_text())
        return found


def together(parts: Sequence[Part], folder: PartsFolder, *, shared_ids: bool = False) -> Counts:
    """Return the counts of parts together. The arguments are those of `merged_in_tree`."""
    files, origins = [folder.path / name for name, _ in parts], [origin for _, origin in parts]
    return merge(files, origins=origins, shared_ids=shared_ids)


def merged_in_tree(
    parts: Sequence[Part],
    folder: PartsFolder,
    run: Run,
    *,
    shared_ids: bool = False,
    code: Path | None = None,
    most: int = TOGETHER,
) -> Counts:
    """Return the counts of all parts together, merged by workers.

    Args:
        parts: The parts, in the order in which they are added.
        folder: Where they are. The caller holds its lock (see `shards.locked`).
        run: Runs a function on workers (see `engines.started`).
        shared_ids: Whether documents of several parts may have the same id.
        code: A Python file for the workers to run first.
        most: How many parts a task merges.

    Raises:
        ValueError: If the parts cannot be merged, or were changed since they were counted.
    """
    level, folder = 0, replace(folder, home=folder.home or os.getcwd())
    # What few parts take to be merged is less than what a task takes to be started.
    while len(parts) > (most if level == 0 else 1):
        inner = replace(folder, kind="merged")
        shards = []
        for first in range(0, len(parts), most):
            shards.append(Shard(name := f"{level}-{first // most}", f"merged-{name}.json"))
            (folder.path / shards[-1].gold).write_text(json.dumps(parts[first : first + most]))
        statuses = count_shards(shards, Merging(folder, shared_ids, code), inner, run)
        if failed := [status for status in statuses if status.error]:
            raise ValueError(failed[0].error)
        parts = [(inner.part(status.shard).name, status.origin) for status in statuses]
        level += 1
    return together(parts, folder, shared_ids=shared_ids)
