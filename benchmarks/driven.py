"""Run a command, a merge or an engine in this process, and print what it took as JSON. For workers.py, on Linux.

    python benchmarks/driven.py count gold.jsonl pred.jsonl --collapse --output counts.npz
    python benchmarks/driven.py tree PARTS 100
    python benchmarks/driven.py checked-tree PARTS 100
    python benchmarks/driven.py engine loky 100

Little is imported, so that the memory is that of the command.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

from joblib.externals.loky import get_reusable_executor

from spacy_nereval import Document, create_all
from spacy_nereval.cli import nereval
from spacy_nereval.counting.counts import Counts
from spacy_nereval.evaluation.collapsing import count_collapsed
from spacy_nereval.features.parts import shards
from spacy_nereval.features.parts.engines import Engine, start_engine
from spacy_nereval.features.parts.shards import PartsFolder, Shard, ShardStatus, count_shards, lock_folder

FILES_PER_TASK = 5
"""An engine merges so many files for each task that it is given."""


def driven(what: str, *arguments: str) -> dict[str, Any]:
    """Measure an engine, or run a command or a merge in this process and measure that."""
    if what == "engine":
        return of_engine(arguments[0], int(arguments[1]))
    start = time.monotonic()
    with watched() as peaks:
        if what.endswith("tree"):
            in_tree(Path(arguments[0]), int(arguments[1]), what == "checked-tree")
        else:
            try:
                nereval([what, *arguments], standalone_mode=False)
            except SystemExit as error:
                assert not error.code, f"{what} ended with {error.code}"
        seconds = time.monotonic() - start
        own = processor_time()
        workers = end_workers()
    return {"seconds": seconds, "driver": own, "workers": workers, "peaks": [peak("self"), *peaks.values()]}


def processor_time() -> float:
    used = getrusage(RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@contextmanager
def watched() -> Iterator[dict[str, int]]:
    """Yield the greatest resident set of each child process, which a thread keeps up to date."""
    peaks: dict[str, int] = {}
    done = Event()

    def watch() -> None:
        while not done.wait(0.2):
            for pid in children():
                with suppress(OSError, StopIteration):  # it may have ended
                    peaks[pid] = peak(pid)

    thread = Thread(target=watch, daemon=True)
    thread.start()
    yield peaks
    done.set()
    thread.join()


def children() -> list[str]:
    return [pid for file in Path("/proc/self/task").glob("*/children") for pid in file.read_text().split()]


def end_workers() -> list[float]:
    """End the workers of loky, if there are any, and return the processor time of each."""
    ticks, found = os.sysconf("SC_CLK_TCK"), []
    for pid in children():
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        found.append((int(fields[11]) + int(fields[12])) / ticks)
    if found:
        get_reusable_executor().shutdown(wait=True)
    return found


def peak(pid: str) -> int:
    """Return the greatest resident set of a process, in bytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def in_tree(name: Path, parts: int, check_repeats: bool) -> None:
    statuses = [ShardStatus(Shard(f"{k:05}", str(k)), {"gold": str(k)}) for k in range(parts)]
    with start_engine("loky", 2) as loky, lock_folder(folder := PartsFolder(str(name))):
        shards.merge_shards(statuses, folder, loky, collapsed=True, check_repeats=check_repeats)


def of_engine(name: str, tasks: int) -> dict[str, Any]:
    if name == "none":
        with TemporaryDirectory() as folder:
            start = time.perf_counter()
            counted(tasks, PartsFolder(folder))
            return {"engine": name, "seconds_to_start": 0, "milliseconds": round(per(start, tasks), 2)}
    start = time.monotonic()
    with start_engine(name, 2) as engine:
        engine.run(abs, range(4), print_nothing)
        first = time.monotonic() - start
        start = time.perf_counter()
        engine.run(abs, range(tasks), print_nothing)
        row = {"engine": name, "seconds_to_start": round(first, 1), "milliseconds": round(per(start, tasks), 2)}
        return row | of_merging(engine, FILES_PER_TASK * tasks)


def of_merging(engine: Engine, parts: int) -> dict[str, float]:
    """Merge parts by tasks, and by the engine's own reduction if it has one: milliseconds for each part.

    Each way merges twice, and the second time counts: the first also imports the package on the workers.
    """
    ways = {"by_tasks": replace(engine, reduce=None)} | ({"by_itself": engine} if engine.reduce else {})
    found = {}
    with TemporaryDirectory() as scratch:
        folder = PartsFolder(scratch)
        statuses = counted(parts, folder)
        for name, way in 2 * [*ways.items()]:
            with lock_folder(folder):
                start = time.perf_counter()
                shards.merge_shards(statuses, folder, way, collapsed=True)
                found[name] = round(per(start, parts), 2)
    return found


def counted(shards: int, folder: PartsFolder) -> list[ShardStatus]:
    """Count so many shards in this process."""
    named = [Shard(str(k), str(k)) for k in range(shards)]
    found = count_shards(named, OneDocument(), folder, lambda function, items, ready, alone: [*map(function, items)])
    assert not any(status.error for status in found), found[0].error
    return found


def per(start: float, tasks: int) -> float:
    return 1000 * (time.perf_counter() - start) / tasks


def print_nothing(number: int) -> None: ...


class OneDocument:
    """Counts a single document for each shard: the work of a shard that is not counting."""

    def origin(self, shard: Shard) -> Mapping[str, Any]:
        return {"gold": shard.gold}

    def count(self, shard: Shard) -> Counts:
        counts = count_collapsed([Document([(0, 1, "A")], [], text="A")], create_all(), 0)
        counts.parts = [f"{int(shard.name):032}"]
        return counts


if __name__ == "__main__":
    print(json.dumps(driven(*sys.argv[1:])))
