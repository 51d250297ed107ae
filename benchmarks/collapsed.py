"""Measure the memory of counting collapsed, and the time and memory of merging a tree of collapsed counts.

    python benchmarks/collapsed.py --output benchmarks/collapsed.json  # on Linux

Documents are counted from JSONL files with the six metrics of the papers and 1000 half-samples,
each number of documents in a process of its own. The tree has two levels: workers merge a hundred
files each, and one process merges what they made. Times are processor times.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
from multiprocessing import Pool
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Annotated, Any

import typer

from spacy_nereval import Document, count, create_all
from spacy_nereval.evaluation.collapsing import collapse
from spacy_nereval.io.count_files import merge, save

LABELS = ("PER", "LOC", "ORG", "MISC")
RUN = """
import atexit, re, sys, time
from spacy_nereval.cli import nereval
peak = lambda: re.search("VmHWM:[^0-9]*([0-9]+)", open("/proc/self/status").read())[1]
atexit.register(lambda: print(peak(), time.process_time(), file=sys.stderr))
nereval()
"""
"""Runs a command, and prints its peak of memory in kilobytes and its seconds. (The peak that `wait4` returns includes
that of the process that started it.)"""

TOGETHER = 100
"""Files that a worker merges at a time."""


def main(
    output: Annotated[Path, typer.Option(help="JSON file for the figures")],
    documents: Annotated[str, typer.Option(help="Numbers of documents to count")] = "10000,1000000",
    files: Annotated[int, typer.Option(help="Number of collapsed files to merge; 0 for none")] = 10_000,
    workers: Annotated[int, typer.Option(help="Processes that merge")] = 2,
) -> None:
    """Measure, write the figures, and print them."""
    with TemporaryDirectory() as folder:
        found: dict[str, Any] = {"counted": [counted(int(n), Path(folder)) for n in documents.split(",")]}
        if files:
            found["merged"] = merged(files, workers, Path(folder))
    output.write_text(json.dumps(found, indent=2) + "\n", encoding="utf8")
    print(markdown(found))


def counted(number: int, folder: Path) -> dict[str, Any]:
    """Return the figures of counting so many documents."""
    gold, pred, output = (folder / name for name in ("gold.jsonl", "pred.jsonl", "counts.npz"))
    write(number, gold, pred)
    arguments = [*map(str, (sys.executable, "-c", RUN, "count", gold, pred, "--collapse", "-o", output))]
    done = subprocess.run(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    peak, seconds = done.stderr.split()[-2:]
    return {
        "documents": number,
        "peak_mb": float(peak) / 1024,
        "cpu_seconds": float(seconds),
        "file_mb": output.stat().st_size / 2**20,
    }


def write(number: int, gold: Path, pred: Path) -> None:
    """Write so many made-up documents of about 25 words with three entities, of which most are found."""
    chance = random.Random(0)
    with gold.open("w", encoding="utf8") as golds, pred.open("w", encoding="utf8") as preds:
        for k in range(number):
            text = " ".join(chance.choices(("word", "Name", "place", "of", "the"), k=25))
            spans = [
                {"start": a, "end": a + chance.randint(3, 9), "label": chance.choice(LABELS)}
                for a in sorted(chance.sample(range(0, 80, 10), 3))
            ]
            found = [
                span | ({"label": "PER"} if chance.random() < 0.1 else {}) for span in spans if chance.random() < 0.9
            ]
            for file, listed in ((golds, spans), (preds, found)):
                file.write(json.dumps({"id": str(k), "text": text, "spans": listed}) + "\n")


def merged(number: int, workers: int, folder: Path) -> dict[str, Any]:
    """Return the figures of merging so many collapsed files in a tree."""
    paths = [folder / f"{k}.npz" for k in range(number)]
    with Pool(workers) as pool:
        pool.map(make, paths, chunksize=TOGETHER)
    groups = [paths[k : k + TOGETHER] for k in range(0, number, TOGETHER)]
    targets = [folder / f"merged-{k}.npz" for k in range(len(groups))]
    with Pool(workers) as pool:
        rows = pool.starmap(merge_to, zip(groups, targets), chunksize=1)
    with Pool(1) as pool:
        last = pool.starmap(merge_to, [(targets, folder / "all.npz")])
    return {
        "files": number,
        "file_mb": paths[0].stat().st_size / 2**20,
        "workers": workers,
        "cpu_seconds": sum(row["cpu_seconds"] for row in (*rows, *last)),
        "peak_mb": max(row["peak_mb"] for row in (*rows, *last)),
        "last_peak_mb": last[0]["peak_mb"],
        "documents": last[0]["documents"],
    }


def make(path: Path) -> None:
    """Write the collapsed counts of ten documents."""
    documents = [
        Document([(0, 3, LABELS[k % 4]), (4, 9, "PER")], [(0, 3, "PER")], "a" * 9, id=f"{path}-{k}") for k in range(10)
    ]
    counts = collapse(count(documents, create_all()))
    counts.parts = [f"{int(path.stem):032x}"]
    save(counts, path)


def merge_to(paths: list[Path], target: Path) -> dict[str, Any]:
    """Merge files, and return the processor time and the peak of memory of this process."""
    start = process_time()
    counts = merge(paths)
    save(counts, target)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"cpu_seconds": process_time() - start, "peak_mb": peak, "documents": counts.documents}


def markdown(found: dict[str, Any]) -> str:
    """Return the figures as tables.

    >>> row = {"documents": 1000, "peak_mb": 120.0, "cpu_seconds": 3.0, "file_mb": 0.5}
    >>> print(markdown({"counted": [row]}))
    | documents | peak memory | processor time | count file |
    | ---: | ---: | ---: | ---: |
    | 1,000 | 120 MB | 3 s | 0.5 MB |
    """
    lines = ["| documents | peak memory | processor time | count file |", "| ---: | ---: | ---: | ---: |"]
    for row in found["counted"]:
        lines.append(
            f"| {row['documents']:,} | {row['peak_mb']:.0f} MB | {row['cpu_seconds']:.0f} s | {row['file_mb']:.1f} MB |"
        )
    if tree := found.get("merged"):
        lines += [
            "",
            f"{tree['files']:,} collapsed files merge in a tree in {tree['cpu_seconds']:.0f} s of processor time, with"
            f" {tree['workers']} workers about {tree['cpu_seconds'] / tree['workers']:.0f} s each. No process takes"
            f" more than {tree['peak_mb']:.0f} MB.",
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    typer.run(main)
