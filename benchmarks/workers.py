"""Measure a run on several workers: its speed, its memory, and what an engine takes for a file.

    python benchmarks/workers.py memory engines merging --output benchmarks/workers.json  # on Linux
    python benchmarks/workers.py speed --output benchmarks/workers.json  # on an idle machine

Every section is written into the file beside those that are in it already, with the load of
the machine when it began. Every run has processes of its own. Peaks are resident sets. `speed`
evaluates files of predictions and a pipeline of rules, on one worker and on two; the processor time
of the busiest process tells how much two workers could gain at most. `merging` needs ten gigabytes
of disk.

How much two workers can gain depends on the machine, whose processors share caches and memory. `speed`
therefore also counts each half of the corpus in a process of its own, both at once: two programs that
know nothing of each other. Run it on an idle machine, with nothing else for its seven minutes.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
import spacy
import typer
from memory import made_up, processors
from workers_tables import markdown

from spacy_nereval import create_all
from spacy_nereval.evaluation.collapsing import count_collapsed
from spacy_nereval.features.parts.engines import ENGINES
from spacy_nereval.features.parts.shards import PartsFolder, Shard
from spacy_nereval.io.count_files import save
from spacy_nereval.io.id_hashes import HASH, SIZE
from spacy_nereval.io.paths import temporary_file
from spacy_nereval.io.read import read_files

PACKAGES = {"loky": "joblib", "ray": "ray", "dask": "distributed", "spark": "pyspark"}
TOKENS, PER_FILE, SAMPLES = 40, 10_000, 1000
FILES = 40
"""The files of `speed`: enough that no worker waits long for the last file of the other."""

CASES = ("files", "pipeline")


def main(
    sections: Annotated[list[str], typer.Argument(help="Of: speed, memory, engines, merging")],
    documents: Annotated[int, typer.Option(help="Documents of `speed`")] = 200_000,
    most: Annotated[int, typer.Option(help="Documents of the largest corpus of `memory`")] = 1_000_000,
    parts: Annotated[int, typer.Option(help="Files of `merging`")] = 10_000,
    tasks: Annotated[int, typer.Option(help="Tasks of `engines`")] = 200,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="JSON file for the figures")] = None,
) -> None:
    """Measure the sections, and print all that is known."""
    found = json.loads(output.read_text("utf8")) if output and output.exists() else {}
    versions = {"python": platform.python_version(), "spacy": spacy.__version__, "numpy": np.__version__}
    machine = next(iter(processors()), platform.machine())
    found["about"] = {**versions, "machine": machine, "processors": os.cpu_count()}
    found["about"] |= {"tokens": TOKENS, "per_file": PER_FILE, "samples": SAMPLES}
    for name in sections:
        measure, size = {"speed": (speed, documents), "memory": (memories, most), "merging": (merged, parts)}.get(
            name, (engines, tasks)
        )
        load_before = os.getloadavg()[0]
        found[name] = {"load": round(load_before, 1), "rows": measure(size)}
    print(markdown(found))
    if output:
        output.write_text(json.dumps(found, indent=2) + "\n", encoding="utf8")


def in_process(*arguments: object) -> dict[str, Any]:
    """Return what `driven.py` measures in a new process."""
    command = [sys.executable, str(Path(__file__).with_name("driven.py")), *map(str, arguments)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


# Sections


def corpus(folder: Path, documents: int, per_file: int) -> None:
    """Write a corpus in files, predictions, and a pipeline of rules."""
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": f"L{k}", "pattern": f"name{k}"} for k in range(4)])
    nlp.to_disk(folder / "model")
    for side in ("gold", "pred"):
        (folder / side).mkdir()
    files: dict[str, Any] = {}
    for number, (words, *sides) in enumerate(made_up(documents, TOKENS)):
        if number % per_file == 0:
            for side in ("gold", "pred"):
                files.get(side) and files[side].close()
                files[side] = (folder / side / f"{number // per_file:05}.jsonl").open("w")
        starts = np.cumsum([0, *(len(word) + 1 for word in words)]).tolist()
        for side, ents in zip(("gold", "pred"), sides):
            spans = [{"start": starts[at], "end": starts[at] + len(words[at]), "label": label} for at, label in ents]
            files[side].write(json.dumps({"text": " ".join(words), "spans": spans, "id": f"document {number}"}) + "\n")
    for file in files.values():
        file.close()


def command(
    folder: Path, case: str, files: int, workers: int, *options: object, step: int = 1, first: int = 0
) -> list[object]:
    """Return a command that counts the first files of a corpus: every one of them, or every second one."""
    some = slice(first, files, step)
    golds, preds = (sorted((folder / side).glob("*.jsonl"))[some] for side in ("gold", "pred"))
    named = ["count", *golds, *preds] if case == "files" else ["count", folder / "model", *golds]
    name = f"{case}-{workers}-{files}-{len(options)}-{step}-{first}"
    engine = ["--engine", "loky", "--workers", workers, "--parts", folder / f"parts-{name}"]
    return [*named, *engine, *options, "--output", folder / ("counts.npz" if step == 1 else f"{name}.npz")]


def speed(documents: int) -> list[dict[str, Any]]:
    """Count a corpus on one worker and on two."""
    rows = []
    with TemporaryDirectory() as scratch:
        corpus(Path(scratch), documents, -(-documents // FILES))
        for case in CASES:
            one, two = (in_process(*command(Path(scratch), case, FILES, n, "--collapse")) for n in (1, 2))
            apart = side_by_side(Path(scratch), case)
            # The workers share the files evenly. What the driver does itself, they wait for.
            busiest = two["driver"] + sum(two["workers"]) / 2
            rows.append(
                {
                    "case": case,
                    "documents": documents,
                    "files": FILES,
                    "seconds": [round(run["seconds"], 1) for run in (one, two)],
                    "processor": [round(run["driver"] + sum(run["workers"]), 1) for run in (one, two)],
                    "busiest": round(busiest, 1),
                    "speedup": round(one["seconds"] / two["seconds"], 2),
                    "possible": round(one["driver"] / busiest, 2),
                    "apart": round(one["seconds"] / apart, 2),
                }
            )
    return rows


def side_by_side(folder: Path, case: str) -> float:
    """Count the halves of a corpus in two processes at once, and return the seconds until both have ended."""
    halves = [command(folder, case, FILES, 1, "--collapse", step=2, first=first) for first in (0, 1)]
    with ThreadPoolExecutor() as pool:
        return max(run["seconds"] for run in pool.map(lambda each: in_process(*each), halves))


def memories(most: int) -> list[dict[str, Any]]:
    """Count corpora of more and more documents on two workers, collapsed; smaller ones with documents too."""
    rows = []
    with TemporaryDirectory() as scratch:
        corpus(Path(scratch), most, PER_FILE)
        sizes = [size for size in (10_000, 100_000, 1_000_000) if size < most] + [most]
        for kept, size in [*(("sums", size) for size in sizes), *(("documents", size) for size in sizes[:2])]:
            options = ["--collapse"] if kept == "sums" else ["--replicates", SAMPLES]
            run = in_process(*command(Path(scratch), "files", -(-size // PER_FILE), 2, *options))
            driver, *workers = run["peaks"]
            rows.append(
                {
                    "kept": kept,
                    "documents": size,
                    "driver_mb": round(driver / 1e6),
                    "worker_mb": round(max(workers) / 1e6),
                    "microseconds": round(1e6 * (run["driver"] + sum(run["workers"])) / size, 1),
                    "file_bytes": (Path(scratch) / "counts.npz").stat().st_size,
                }
            )
    return rows


def engines(tasks: int) -> list[dict[str, Any]]:
    """Give every engine tasks that do nothing, and this process shards without documents to count."""
    rows = [in_process("engine", name, tasks) for name in ENGINES if find_spec(PACKAGES[name])]
    return [*rows, in_process("engine", "none", tasks)]


def merged(parts: int) -> list[dict[str, Any]]:
    """Merge collapsed counts of so many files in one process, and in a tree on two workers.

    The workers then merge once more, and look for repeated documents by made-up hashes of ids.
    """
    rows, random = [], np.random.default_rng(0)
    with TemporaryDirectory() as scratch:
        corpus(Path(scratch), 1000, PER_FILE)
        read = read_files(Path(scratch) / "gold" / "00000.jsonl", Path(scratch) / "pred" / "00000.jsonl")
        counts = count_collapsed(read, create_all(), 100)
        folder = PartsFolder(str(Path(scratch) / "parts"))
        folder.path.mkdir()
        for number in range(parts):
            counts.parts = [f"{number:032}"]
            counts.sources = [f"{number:05}.jsonl"]
            counts.id_hashes = temporary_file()
            counts.id_hashes.write_bytes(np.unique(np.frombuffer(random.bytes(SIZE * PER_FILE), HASH)).tobytes())
            save(counts, folder.part(Shard(f"{number:05}", "")), origin={"gold": str(number)})
        size = folder.part(Shard("00000", "")).stat().st_size
        files = sorted(folder.path.glob("counts-*.npz"))
        for how, command in {
            "one process": ("merge", *files, "-o", Path(scratch) / "all.npz"),
            "two workers, in a tree": ("tree", folder.name, parts),
            "two workers, with `--check-repeats`": ("checked-tree", folder.name, parts),
        }.items():
            rows.append(of_merging(how, parts, size, in_process(*command)))
        rows[-1]["ids"] = parts * PER_FILE
    return rows


def of_merging(how: str, parts: int, size: int, run: Mapping[str, Any]) -> dict[str, Any]:
    driver, *workers = run["peaks"]
    return {
        "how": how,
        "parts": parts,
        "file_bytes": size,
        "seconds": round(run["seconds"], 1),
        "processor": round(run["driver"] + sum(run["workers"]), 1),
        "driver_mb": round(driver / 1e6),
        "worker_mb": round(max(workers, default=0) / 1e6),
    }


if __name__ == "__main__":
    typer.run(main)
