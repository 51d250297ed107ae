"""The figures of benchmarks/workers.py as tables, and what follows from them for 10^9 documents."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from table import table

from spacy_nereval.distributed.shards import TOGETHER
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
    if "memory" in found:
        shown += estimate(found["memory"]["rows"], found.get("merging", {"rows": []})["rows"])
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


def estimate(memory: list[dict[str, Any]], merges: list[dict[str, Any]]) -> list[str]:
    """What 10^9 documents in files of predictions would take, from what the largest corpus took."""
    largest = [row for row in memory if row["kept"] == "sums"][-1]
    files = MANY // FEW
    merging = merges[0]["processor"] / merges[0]["parts"] if merges else 0
    hours = (largest["microseconds"] * MANY / 1e6 + merging * files) / 3600
    peaks = [f"{max(row[who] for row in (largest, *merges)):,}" for who in ("driver_mb", "worker_mb")]
    rows = [[f"{number:,}", f"{hours / number:,.2f}", *peaks] for number in WORKERS]
    size = largest["file_bytes"] * files / 1e9
    merged = f", and {1e3 * merging:,.0f} milliseconds to merge each file" if merges else ""
    said = (
        f"{MANY:,} documents in {files:,} files: {largest['microseconds']:,.0f} microseconds of a processor for each "
        f"document{merged}. The counts of the files take {size:,.1f} GB of disk; the result takes "
        f"{largest['file_bytes'] / 1e6:,.1f} MB."
    )
    if merges and (ids := merges[-1].get("ids")):
        added = (merges[-1]["processor"] - merges[-2]["processor"]) / ids * MANY / 3600
        levels = math.ceil(math.log(files, TOGETHER))
        disk = SIZE * MANY * (1 + levels) / 1e9
        said += (
            f" With `--check-repeats`, the hashes of the ids take {disk:,.0f} GB while {levels} levels of the tree are "
            f"merged, {SIZE * MANY / 1e9:,.0f} GB afterwards, and {added:,.1f} hours of a processor."
        )
    return [said, table(["workers", "hours", "driver, MB", "each worker, MB"], rows).replace("---:", "---", 1)]
