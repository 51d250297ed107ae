"""The figures of benchmarks/workers.py as tables, and what follows from them for 10^9 documents."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from table import table

from spacy_nereval.core.messages import join_names
from spacy_nereval.features.parts.shards import TOGETHER
from spacy_nereval.io.id_hashes import SIZE

CASES = {"files": "count files of predictions", "pipeline": "evaluate a pipeline of rules"}
BUSY = 1.0
"""A load above this, before anything is measured, is that of other programs."""

MANY, FEW = 10**9, 100_000
"""Documents of the estimate, and documents in one of its files."""

ENGINE_FIGURES = ("seconds_to_start", "milliseconds", "by_tasks", "by_itself")

WORKERS = (1, 16, 256, 4096)


def markdown(found: Mapping[str, Any]) -> str:
    """The figures as Markdown: what was measured, and what follows for 10^9 documents."""
    about = found["about"]
    shown = [
        f"Documents of {about['tokens']} tokens in files of {about['per_file']:,}; six metrics, {about['samples']:,} "
        f"half-samples; {about['processors']} processors, {about['machine']}, Python {about['python']}, "
        f"spaCy {about['spacy']}."
    ]
    tables = {"speed": speed_table, "memory": memory_table, "engines": engine_table, "merging": merging_table}
    for name, made in tables.items():
        if name in found:
            busy = found[name]["load"] > BUSY
            note = f" The machine was busy with other work (load {found[name]['load']})." if busy else ""
            title, head, rows = made(found[name]["rows"])
            shown += [f"{title}{note}", table(head, rows).replace("---:", "---", 1)]
    if {"memory", "merging", "engines"} <= found.keys():
        shown += estimate(found)
    return "\n\n".join(shown)


Cells = tuple[str, list[str], list[list[str]]]
"""Title, head and rows of a table."""


def speed_table(rows: list[dict[str, Any]]) -> Cells:
    head = ["work", "documents", "one worker, per second", "two workers", "faster", "processor time allows"]
    head += ["two processes side by side"] * all("apart" in row for row in rows)
    cells = [
        [CASES[row["case"]], f"{row['documents']:,}"]
        + [f"{row['documents'] / seconds:,.0f}" for seconds in row["seconds"]]
        + [f"{row[name]:.2f} times" for name in ("speedup", "possible", "apart") if name in row]
        for row in rows
    ]
    title = f"Collapsed counts on one worker and on two, from start to end, here in {rows[0]['files']} files."
    if "apart" in rows[0]:
        title += (
            " The last column is for two processes at once that know nothing of each other, each with half of the "
            "files: how much the machine gains from its second processor."
        )
    return title, head, cells


def memory_table(rows: list[dict[str, Any]]) -> Cells:
    head = ["counts", "documents", "driver, MB", "largest worker, MB", "processor, microseconds a document", "file, MB"]
    names = {"sums": "collapsed", "documents": "with documents"}
    cells = [
        [names[row["kept"]], f"{row['documents']:,}", f"{row['driver_mb']:,}", f"{row['worker_mb']:,}"]
        + [f"{row['microseconds']:,.0f}", f"{row['file_bytes'] / 1e6:,.1f}"]
        for row in rows
    ]
    return "Peak memory on two workers.", head, cells


def engine_table(rows: list[dict[str, Any]]) -> Cells:
    cells = [
        [row["engine"], *(f"{row[name]:.1f}" if name in row else "–" for name in ENGINE_FIGURES)]
        for row in rows
        if row["engine"] != "none"
    ]
    (own,) = [row["milliseconds"] for row in rows if row["engine"] == "none"]
    title = (
        "What an engine with two workers on this machine adds to a file of the corpus. Without an engine, a file takes "
        f"{own:.1f} milliseconds, whatever it holds: for its marker, its origin, and writing and checking its counts."
    )
    title += (
        " The last columns are the milliseconds to merge one of many files of collapsed counts, by tasks and by the "
        "engine's own reduction."
    )
    head = ["engine", "start, seconds", "a file, milliseconds", "merge a file by tasks", "by a reduction"]
    return title, head, cells


def merging_table(rows: list[dict[str, Any]]) -> Cells:
    head = ["merged by", "files", "seconds", "processor, seconds", "driver, MB", "largest worker, MB"]
    cells = [
        [row["how"], f"{row['parts']:,}", f"{row['seconds']:,.0f}", f"{row['processor']:,.0f}"]
        + [f"{row['driver_mb']:,}", f"{row['worker_mb']:,}" if row["worker_mb"] else "–"]
        for row in rows
    ]
    title = f"Files of collapsed counts with 100 half-samples, {rows[0]['file_bytes'] / 1e3:,.0f} kB each."
    if ids := rows[-1].get("ids"):
        title += f" `--check-repeats` looked for repeated documents among {ids:,}."
    return title, head, cells


def estimate(found: Mapping[str, Any]) -> list[str]:
    """What 10^9 documents in files of predictions would take: what was measured, and what that is multiplied by."""
    memory, merges, engines = (found[name]["rows"] for name in ("memory", "merging", "engines"))
    largest = [row for row in memory if row["kept"] == "sums"][-1]
    (own,) = [row["milliseconds"] for row in engines if row["engine"] == "none"]
    engines = [row for row in engines if row["engine"] != "none"]
    files, merging = MANY // FEW, merges[0]["processor"] / merges[0]["parts"]
    levels = depths(files)
    tasks = files + sum(levels)
    counting = largest["microseconds"] * MANY / 1e6
    times, parts = f"{files:,} files", f"{tasks - 1:,} parts: files, and groups of {TOGETHER}"
    rows = [
        ["count a document", f"{largest['microseconds']:,.0f} µs", f"{MANY:,} documents", in_words(counting)],
        ["write and check the counts of a file", f"{own:.1f} ms", times, in_words(own * files / 1e3)],
        ["merge a part", f"{1e3 * merging:.1f} ms", parts, in_words(merging * (tasks - 1))],
    ]
    for row in engines:
        name, each = row["engine"], row["milliseconds"]
        rows.append([f"start {name}", f"{row['seconds_to_start']:.1f} s", "once", in_words(row["seconds_to_start"])])
        rows.append([f"the driver, on {name}", f"{each:.1f} ms", f"{tasks:,} tasks", in_words(each * tasks / 1e3)])

    def hours(engine: Mapping[str, Any], workers: int) -> float:
        """Whichever takes longer: that the driver gives out the tasks, or that the workers do them."""
        each = engine["milliseconds"] / 1e3
        seconds = engine["seconds_to_start"] + max(each * files, (counting + own * files / 1e3) / workers)
        for groups in levels:
            seconds += max(each * groups, math.ceil(groups / workers) * TOGETHER * merging)
        return seconds / 3600

    head = ["hours", *(row["engine"] for row in engines)]
    cells = [
        [f"{number:,} worker{'s' if number > 1 else ''}", *(f"{hours(row, number):,.2f}" for row in engines)]
        for number in WORKERS
    ]
    peaks = [f"{max(row[who] for row in (largest, *merges)):,} MB" for who in ("driver_mb", "worker_mb")]
    size = largest["file_bytes"] * files / 1e9
    said = (
        f"The tree has {len(levels)} levels, of {join_names([f'{groups:,}' for groups in levels])} groups; a level "
        "begins "
        f"when the one below it is finished. The driver takes {peaks[0]}, a worker {peaks[1]}. The counts of the files "
        f"take {size:,.1f} GB of disk; the result takes {largest['file_bytes'] / 1e6:,.1f} MB."
    )
    if ids := merges[-1].get("ids"):
        added = (merges[-1]["processor"] - merges[-2]["processor"]) / ids * MANY / 3600
        disk = SIZE * MANY * (1 + len(levels)) / 1e9
        said += (
            f" With `--check-repeats`, the hashes of the ids take {disk:,.0f} GB while {len(levels)} levels of the "
            f"tree are merged, {SIZE * MANY / 1e9:,.0f} GB afterwards, and {added:,.1f} hours of a processor."
        )
    return [
        f"{MANY:,} documents in {files:,} files. What was measured is above; here it is multiplied. The first three "
        "rows are shared by the workers. The others are not: an engine starts once, and the driver gives out one task "
        "after the other.",
        table(["of", "measured", "times", "is"], rows).replace("---:", "---", 1),
        "So long a run would take, without the time to fetch files: its start, the longer of what the driver and the "
        "workers take, and the levels of the tree. Nobody has run it.",
        table(head, cells).replace("---:", "---", 1),
        said,
    ]


def depths(parts: int) -> list[int]:
    """The number of groups on each level of the tree that merges parts.

    >>> depths(10_000), depths(1)
    ([313, 10, 1], [])
    """
    found = []
    while parts > 1:
        parts = -(-parts // TOGETHER)
        found.append(parts)
    return found


def in_words(seconds: float) -> str:
    return f"{seconds / 3600:,.2f} hours" if seconds >= 360 else f"{seconds:,.1f} seconds"
