"""Measure the cost of a document at every step of a run on many machines, and what prediction takes for 10^9.

    python benchmarks/scale.py training/warranty/cpu/model-best training/warranty/transformer/model-best \
        --data corpus/warranty/test.spacy --output benchmarks/scale.json  # on Linux

Times are processor times of one thread, which a busy machine changes little; set
OMP_NUM_THREADS=1. The steps after the prediction are measured on shards of the given
number of documents: repetitions of the corpus with new ids and the predictions of the
first pipeline, and texts of 200 random words with 18 labels.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import cycle, islice
from pathlib import Path
from sys import getsizeof
from tempfile import TemporaryDirectory
from time import process_time
from typing import Annotated, Any, TypeVar

import numpy as np
import spacy
import typer
from memory import processors, resident, table_bytes
from spacy.tokens import Doc, DocBin
from table import table
from workloads import made_up

from spacy_nereval import Confidence, Document, count, create_all, evaluate
from spacy_nereval.evaluation.intervals import draw_replicates
from spacy_nereval.evaluation.resampling import number_of_units
from spacy_nereval.integration.examples import pair_docs
from spacy_nereval.integration.pipelines import predict
from spacy_nereval.integration.spacy_files import read_docs
from spacy_nereval.io.count_files import load, merge, save
from spacy_nereval.io.read import read_files

T = TypeVar("T")
Pair = tuple[Doc, Doc]
"""Gold and predicted."""

FROM_FILES = {"files": "read predictions from files, and count"}
ON_WORKERS = {"counting": "count", "replicating": "add up half-samples", "writing": "write the counts"}
ON_DRIVER = {"merging": "read and merge the counts", "scoring": "score"}
"""What is measured per document beside the prediction, and what it is called. Predictions
that are in files need neither be made nor counted as those of a pipeline are."""

MANY = 10**9
WORKERS = (16, 256, 4096)


def main(
    models: Annotated[list[str], typer.Argument(help="Pipelines")],
    data: Annotated[Path, typer.Option(help="Gold annotation, .spacy")] = Path(),
    shards: Annotated[int, typer.Option(min=2, help="Number of shards to merge")] = 16,
    documents: Annotated[int, typer.Option(min=1, help="Documents in each")] = 10_000,
    samples: Annotated[int, typer.Option(min=1, help="Replicates")] = 1000,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="JSON file for the figures")] = None,
    drive: Annotated[bool, typer.Option(hidden=True)] = False,
) -> None:
    """Print what a document costs, and what 10^9 documents would."""
    if drive:
        print(json.dumps(driver(list(map(Path, models)))))
        return
    found: dict[str, Any] = {"about": about(shards, documents, samples)}
    golds, nlp = list(read_docs(data)), spacy.load(models[0])
    found["predicting"] = [predicting(model, golds, min(documents, 1000)) for model in models]
    corpora = {
        data.parent.name: list(zip(golds, nlp.pipe(gold.text for gold in golds))),
        "made up": made_up("", 1000, labels=18).pairs,
    }
    found["corpora"] = [{"name": name} | steps(pairs, shards, documents, samples) for name, pairs in corpora.items()]
    print(markdown(found))
    if output:
        output.write_text(json.dumps(found, indent=2) + "\n", encoding="utf8")


def about(shards: int, documents: int, samples: int) -> dict[str, Any]:
    versions = {"python": platform.python_version(), "spacy": spacy.__version__, "numpy": np.__version__}
    sizes = {"shards": shards, "documents": documents, "samples": samples}
    return {**versions, "machine": next(iter(processors()), platform.machine()), **sizes}


# Measuring


def predicting(model: str, golds: list[Doc], number: int) -> dict[str, Any]:
    """What a pipeline takes to be loaded, and, once it is warm, to read so many documents and predict."""
    nlp, loading = timed(lambda: spacy.load(model))
    with TemporaryDirectory() as folder:
        again = Path(folder) / "again.spacy"
        DocBin(docs=islice(cycle(golds), number)).to_disk(again)
        list(islice(predict(nlp, again), 64))
        _, seconds = timed(lambda: sum(1 for _ in predict(nlp, again)))
    path = Path(model)
    return {
        "pipeline": path.parent.name if path.name.startswith("model-") else path.name,
        "microseconds_per_document": per(seconds, number),
        "seconds_to_load": round(loading, 2),
    }


def steps(pairs: list[Pair], shards: int, documents: int, samples: int) -> dict[str, Any]:
    took = dict.fromkeys(("counting", "replicating", "writing", "reading", "files"), 0.0)
    with TemporaryDirectory() as folder:
        gold, pred = (Path(folder) / f"{name}.spacy" for name in ("gold", "pred"))
        for path, docs in zip((gold, pred), zip(*pairs)):
            DocBin(docs=islice(cycle(docs), documents)).to_disk(path)
        plain, resampled = ([Path(folder) / f"{kind}{k}.npz" for k in range(shards)] for kind in ("plain", "resampled"))
        for number, (path, other) in enumerate(zip(plain, resampled)):
            part, seconds = timed(lambda number=number: count(read_again(pairs, number, documents), create_all()))
            took["counting"] += seconds - timed(lambda: sum(1 for _ in read_again(pairs, 0, documents)))[1]
            took["writing"] += timed(lambda part=part, path=path: save(part, path))[1]
            took["reading"] += timed(lambda path=path: load(path))[1]
            part.replicates, seconds = timed(lambda part=part: draw_replicates(part, samples, 0))
            took["replicating"] += seconds
            save(part, other)
        merged, took["merging"] = timed(lambda: merge(plain))
        took["scoring"] = timed(lambda: evaluate(merged))[1]
        whole, reading = timed(lambda: load(resampled[0]))
        adding = timed(lambda: whole.replicates.sums + part.replicates.sums)[1]
        in_files = [sum(path.stat().st_size for path in paths) for paths in (plain, resampled)]
        took["files"] = timed(lambda: count(read_files(gold, pred), create_all()))[1] * shards
        few, all_of_them = (in_process(plain[:number]) for number in (shards // 2, shards))
    more = (shards - shards // 2) * documents
    return {
        "tokens": round(sum(len(gold) for gold, _ in pairs) / len(pairs), 1),
        "entities": round(sum(len(gold.ents) for gold, _ in pairs) / len(pairs), 1),
        "labels": len(part.labels),
        "microseconds_per_document": {
            step: per(took[step], shards * documents) for step in (*FROM_FILES, *ON_WORKERS, *ON_DRIVER)
        },
        "bytes_per_document": {
            "rows": round(table_bytes(part) / documents),
            "id": round(sum(map(getsizeof, part.ids)) / documents) + 8,
            "in_file": round(in_files[0] / shards / documents),
            **{step: round((all_of_them[step] - few[step]) / more) for step in ON_DRIVER},
        },
        "replicates": {
            "megabytes": round(sum(array.nbytes for array in part.replicates.sums.arrays) / 1e6, 3),
            "megabytes_in_file": round((in_files[1] - in_files[0]) / shards / 1e6, 3),
            "milliseconds_to_merge_a_file": round(1e3 * max(0, reading - took["reading"] / shards + adding), 1),
            "seconds_to_intervals": round(timed(lambda: evaluate(whole, Confidence()))[1], 1),
        },
    }


def read_again(pairs: list[Pair], number: int, documents: int) -> Iterator[Document]:
    for k, (gold, pred) in enumerate(islice(cycle(pairs), documents)):
        if document := pair_docs(gold, pred):
            document.id = f"{number} {k}"
            yield document


def in_process(paths: list[Path]) -> dict[str, int]:
    """The most bytes that a new process holds that merges these counts, and then scores them."""
    command = [sys.executable, __file__, *map(str, paths), "--drive"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def driver(paths: list[Path]) -> dict[str, int]:
    counts = merge(paths)
    merging = resident("VmHWM")
    evaluate(counts)
    number_of_units(counts)  # intervals need it, also those from half-samples
    return {"merging": merging, "scoring": resident("VmHWM")}


def timed(function: Callable[[], T]) -> tuple[T, float]:
    start = process_time()
    return function(), process_time() - start


def per(seconds: float, number: int) -> float:
    return round(1e6 * seconds / number, 2)


# Estimating


def markdown(found: Mapping[str, Any]) -> str:
    """The figures as Markdown: what was measured, and what 10^9 documents like those of the first corpus take."""
    about, corpora, predicting = found["about"], found["corpora"], found["predicting"]
    first = corpora[0]
    return "\n\n".join(
        [
            f"Measured on one thread of {about['machine']}, Python {about['python']}, spaCy {about['spacy']}, numpy "
            f"{about['numpy']}; all six metrics, {about['samples']:,} half-samples, {about['shards']} files of "
            f"{about['documents']:,} documents.",
            shown(per_document(corpora, predicting)),
            f"{MANY:,} documents like those of {first['name']} take the workers so many hours:",
            shown(hours(first, predicting)),
        ]
    )


Cells = tuple[list[str], list[list[str]]]
"""Head and rows of a table."""


def shown(cells: Cells) -> str:
    """A table, its first column to the left."""
    return table(*cells).replace("---:", "---", 1)


def per_document(corpora: list[dict[str, Any]], predicting: list[dict[str, Any]]) -> Cells:
    """Everything that was measured; a column for each corpus."""
    resampled = [c["replicates"] for c in corpora]
    rows = [
        ["tokens, entities, labels", *(f"{c['tokens']:g}, {c['entities']:g}, {c['labels']}" for c in corpora)],
        *(
            [f"predict: {each['pipeline']}, microseconds", f"{each['microseconds_per_document']:,.0f}"]
            + [""] * (len(corpora) - 1)
            for each in predicting
        ),
        *(
            [f"{name}, microseconds", *(f"{c['microseconds_per_document'][step]:,.1f}" for c in corpora)]
            for step, name in {**ON_WORKERS, **FROM_FILES, **ON_DRIVER}.items()
        ),
        ["counts in a file, bytes", *(f"{c['bytes_per_document']['in_file']:,}" for c in corpora)],
        ["counts in memory, rows, bytes", *(f"{c['bytes_per_document']['rows']:,}" for c in corpora)],
        ["counts in memory, id, bytes", *(f"{c['bytes_per_document']['id']:,}" for c in corpora)],
        ["the driver's peak in merging, bytes", *(f"{c['bytes_per_document']['merging']:,}" for c in corpora)],
        ["the driver's peak in scoring, bytes", *(f"{c['bytes_per_document']['scoring']:,}" for c in corpora)],
        ["half-samples, MB in memory", *(f"{r['megabytes']:,.1f}" for r in resampled)],
        ["half-samples, MB in each file", *(f"{r['megabytes_in_file']:,.1f}" for r in resampled)],
        [
            "half-samples, milliseconds to merge a file",
            *(f"{r['milliseconds_to_merge_a_file']:,.1f}" for r in resampled),
        ],
        ["half-samples, seconds to intervals", *(f"{r['seconds_to_intervals']:,.1f}" for r in resampled)],
    ]
    return ["of a document", *(c["name"] for c in corpora)], rows


def hours(corpus: Mapping[str, Any], predicting: list[dict[str, Any]]) -> Cells:
    """The hours that each step of the workers takes, on one processor and on many."""
    steps = {f"predict: {each['pipeline']}": each["microseconds_per_document"] for each in predicting}
    cost = corpus["microseconds_per_document"]
    steps |= {name: cost[step] for step, name in {**ON_WORKERS, **FROM_FILES}.items()}
    rows = [[name, *shared(each * MANY / 3.6e9)] for name, each in steps.items()]
    return ["hours", "one processor", *(f"{number:,} workers" for number in WORKERS)], rows


def shared(work: float) -> list[str]:
    """Hours of work on one processor, and on so many workers.

    >>> shared(160)
    ['160.0', '10.0', '0.62', '0.04']
    """
    return [f"{hours:,.1f}" if hours >= 1 else f"{hours:.2f}" for hours in (work / number for number in (1, *WORKERS))]


if __name__ == "__main__":
    typer.run(main)
