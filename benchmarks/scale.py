"""Measure what a document costs at every step of a run on many machines.

    python benchmarks/scale.py training/wnut17/cpu/model-best --data corpus/wnut17/test.spacy -o benchmarks/scale.json

Several pipelines may be given. Times are those of the processor, of one thread,
so that a busy machine changes them little; set OMP_NUM_THREADS=1. The steps
behind the prediction are measured on shards of as many documents as asked for:
the corpus again and again, with ids of their own.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path
from sys import getsizeof
from tempfile import TemporaryDirectory
from time import process_time
from typing import Annotated, Any, TypeVar

import numpy as np
import spacy
import typer
from spacy.tokens import Doc
from workloads import made_up

from spacy_nereval import Document, count, create_all, evaluate
from spacy_nereval.examples import read
from spacy_nereval.formats.docs import read_docs
from spacy_nereval.intervals import Confidence, replicate
from spacy_nereval.pipelines import predict
from spacy_nereval.storage import load, merge, save

T = TypeVar("T")
Pair = tuple[Doc, Doc]
"""Gold and predicted."""


def main(
    models: Annotated[list[str], typer.Argument(help="Pipelines")],
    data: Annotated[Path, typer.Option(help="Gold annotation, .spacy")],
    shards: Annotated[int, typer.Option(help="Number of shards to merge")] = 16,
    documents: Annotated[int, typer.Option(help="Documents in each")] = 10_000,
    samples: Annotated[int, typer.Option(help="Replicates")] = 1000,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="JSON file for the figures")] = None,
) -> None:
    """Print microseconds and bytes per document, and what a shard costs besides."""
    found: dict[str, Any] = {"about": about(shards, documents, samples), "predicting": {}}
    for model in models:
        nlp = spacy.load(model)
        list(islice(predict(nlp, data), 64))  # what is slow the first time only
        number, seconds = timed(lambda nlp=nlp: sum(1 for _ in predict(nlp, data)))
        found["predicting"]["/".join(Path(model).parts[-3:-1])] = per(seconds, number)
    golds = list(read_docs(data))
    corpus = list(zip(golds, nlp.pipe(gold.text for gold in golds)))
    large = made_up("", 1000, labels=18).pairs
    found["corpora"] = [steps(pairs, shards, documents, samples) for pairs in (corpus, large)]
    print(json.dumps(found, indent=2))
    if output:
        output.write_text(json.dumps(found, indent=2) + "\n")


def steps(pairs: list[Pair], shards: int, documents: int, samples: int) -> dict[str, Any]:
    took = dict.fromkeys(("counting", "replicating", "writing", "reading"), 0.0)
    with TemporaryDirectory() as folder:
        plain, resampled = ([Path(folder) / f"{kind}{k}.npz" for k in range(shards)] for kind in ("plain", "resampled"))
        for number, (path, other) in enumerate(zip(plain, resampled)):
            part, seconds = timed(lambda number=number: count(read_again(pairs, number, documents), create_all()))
            took["counting"] += seconds
            took["writing"] += timed(lambda part=part, path=path: save(part, path))[1]
            took["reading"] += timed(lambda path=path: load(path))[1]
            part.replicates, seconds = timed(lambda part=part: replicate(part, samples, 0))
            took["replicating"] += seconds
            save(part, other)
        merged, merging = timed(lambda: merge(plain))
        whole, reading_replicates = timed(lambda: load(resampled[0]))
        adding = timed(lambda: whole.replicates.added(part.replicates, part.labels))[1]
        in_files = [sum(path.stat().st_size for path in paths) for paths in (plain, resampled)]
    tapes = [array for tape in part.replicates.tapes.values() for array in tape.values()]
    total = shards * documents
    return {
        "tokens": round(sum(len(gold) for gold, _ in pairs) / len(pairs), 1),
        "entities": round(sum(len(gold.ents) for gold, _ in pairs) / len(pairs), 1),
        "labels": len(part.labels),
        "microseconds_per_document": {
            **{name: per(seconds, total) for name, seconds in took.items()},
            "merging": per(merging - took["reading"], total),
            "scoring": per(timed(lambda: evaluate(merged))[1], total),
        },
        "bytes_per_document": {
            "rows": round(sum(rows.array().nbytes for rows in (part.settled, *part.rows)) / documents),
            "id": round(sum(map(getsizeof, part.ids)) / documents) + 8,
            "in_file": round(in_files[0] / total),
        },
        "replicates": {
            "megabytes": round(sum(array.nbytes for array in tapes) / 1e6, 1),
            "megabytes_in_file": round((in_files[1] - in_files[0]) / shards / 1e6, 1),
            "milliseconds_to_merge_a_shard": round(1e3 * (reading_replicates - took["reading"] / shards + adding), 1),
            "seconds_to_intervals": round(timed(lambda: evaluate(whole, Confidence()))[1], 1),
        },
    }


def read_again(pairs: list[Pair], number: int, documents: int) -> Iterator[Document]:
    for k, (gold, pred) in enumerate(islice(cycle(pairs), documents)):
        if document := read(gold, pred):
            document.id = f"{number} {k}"
            yield document


def timed(function: Callable[[], T]) -> tuple[T, float]:
    start = process_time()
    return function(), process_time() - start


def per(seconds: float, number: int) -> float:
    return round(1e6 * seconds / number, 2)


def about(shards: int, documents: int, samples: int) -> dict[str, Any]:
    versions = {"python": platform.python_version(), "spacy": spacy.__version__, "numpy": np.__version__}
    sizes = {"shards": shards, "documents": documents, "samples": samples}
    return {**versions, "machine": f"{platform.machine()}, one thread", **sizes}


if __name__ == "__main__":
    typer.run(main)
