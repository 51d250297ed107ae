"""Measure the memory that counting takes, for a corpus and for one ten times as large.

    python benchmarks/memory.py --output benchmarks/memory.json  # on Linux

Every case runs in its own process. The figure is the greatest resident set of that
process, less its size before it read anything. Only the counts may grow with the corpus:
rows, ids and labels. Every document has words that no other document has, beside common
ones, as texts do.

`jsonl` and `spacy` count a file of predictions against a file of gold
annotation, `... and a pipeline` what the pipeline predicts on the gold texts,
`shards` does so for files of 10,000 documents, one after the other, and
`replicates` resamples the counts of `jsonl` too.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import spacy
import typer
from spacy.tokens import Doc, DocBin, Span
from table import table

from spacy_nereval import count, create_all
from spacy_nereval.counting.counts import Counts
from spacy_nereval.evaluation.intervals import draw_replicates
from spacy_nereval.integration.pipelines import predict
from spacy_nereval.io.read import read_files

CASES = ("jsonl", "jsonl and a pipeline", "spacy", "spacy and a pipeline", "shards and a pipeline", "replicates")
PER_SHARD = 10_000
NEW = 2
"""Words of a document that no other has."""


def main(
    sizes: Annotated[list[int] | None, typer.Option("--size", min=1, help="Two numbers of documents")] = None,
    tokens: Annotated[int, typer.Option(help="Tokens per document")] = 40,
    output: Annotated[Path | None, typer.Option(help="JSON file for the figures")] = None,
    case: Annotated[str, typer.Option(hidden=True)] = "",
    folder: Annotated[Path, typer.Option(hidden=True)] = Path(),
) -> None:
    """Print the peak of each case, and how many bytes a further document adds to it and to its counts."""
    if case:
        print(json.dumps(measured(case, folder)))
        return
    sizes = sorted(sizes or [10_000, 100_000])
    if sizes[0] == sizes[-1]:
        raise typer.BadParameter("two numbers were wanted, such as --size 10000 --size 100000")
    rows: list[dict[str, Any]] = []
    with TemporaryDirectory() as scratch:
        for size in sizes:
            write(Path(scratch) / str(size), size, tokens)
        for name in CASES:
            found = {size: in_process(name, Path(scratch) / str(size)) for size in sizes}
            small, large = found[sizes[0]], found[sizes[-1]]
            more = sizes[-1] - sizes[0]
            rows.append(
                {
                    "case": name,
                    "peak_mb": {str(size): round(one["peak"] / 1e6, 1) for size, one in found.items()},
                    "bytes_per_document": round((large["peak"] - small["peak"]) / more),
                    "of_counts": round((large["counts"] - small["counts"]) / more),
                }
            )
    about = {"python": platform.python_version(), "spacy": spacy.__version__, "machine": platform.machine()}
    figures = {"about": about, "tokens": tokens, "rows": rows}
    print(markdown(figures))
    if output:
        output.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf8")


def markdown(found: Mapping[str, Any]) -> str:
    """The figures as Markdown."""
    about, rows = found["about"], found["rows"]
    sizes = [f"{int(size):,} documents, MB" for size in rows[0]["peak_mb"]]
    cells = (
        [row["case"], *(f"{peak:,.0f}" for peak in row["peak_mb"].values())]
        + [f"{row['bytes_per_document']:,}", f"{row['of_counts']:,}"]
        for row in rows
    )
    head = ["case", *sizes, "bytes that a document adds", "of these its counts"]
    said = (
        f"Documents of {found['tokens']} tokens; {about['machine']}, Python {about['python']}, spaCy {about['spacy']}."
    )
    return said + "\n\n" + table(head, cells).replace("---:", "---", 1)  # the names to the left


def in_process(case: str, folder: Path) -> dict[str, int]:
    done = subprocess.run(
        [sys.executable, __file__, "--case", case, "--folder", str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def measured(case: str, folder: Path) -> dict[str, int]:
    nlp = spacy.load(folder / "model")
    metrics = create_all()
    before = resident("VmRSS")
    ending = "spacy" if case.startswith("spacy") else "jsonl"
    if case.startswith("shards"):  # as in a worker, which forgets the words of each file
        found = []
        for shard in sorted(folder.glob("shard-*.spacy")):
            with nlp.memory_zone():
                found.append(count(predict(nlp, shard), metrics))
    elif case.endswith("pipeline"):
        found = [count(predict(nlp, folder / f"gold.{ending}"), metrics)]
    else:
        found = [count(read_files(folder / f"gold.{ending}", folder / f"pred.{ending}"), metrics)]
    if case == "replicates":
        found[0].replicates = draw_replicates(found[0], 100, 0)
    return {"peak": resident("VmHWM") - before, "counts": sum(map(size_of, found))}


def resident(which: str) -> int:
    """Bytes in memory, now or at most, as Linux says. Not `getrusage`, which includes the process that started this."""
    status = Path("/proc/self/status").read_text()
    return 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith(which))


def processors() -> list[str]:
    """The name of each processor, as Linux says; nothing elsewhere."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.is_file() else []
    return [line.split(":")[1].strip() for line in lines if line.startswith("model name")]


def size_of(counts: Counts) -> int:
    """Bytes that counts hold: the table, and the names of the documents and of their units."""
    names = {id(name): name for name in (*counts.ids, *counts.units)}  # most units are called as their document
    lists = sys.getsizeof(counts.ids) + sys.getsizeof(counts.units)
    return table_bytes(counts) + lists + sum(sys.getsizeof(name) for name in names.values() if name is not None)


def table_bytes(counts: Counts) -> int:
    """Bytes of the table alone."""
    cells = counts.cells
    return cells.data.nbytes + cells.indices.nbytes + cells.indptr.nbytes


def write(folder: Path, documents: int, tokens: int) -> None:
    """A corpus, its predictions and a pipeline."""
    folder.mkdir()
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": f"L{k}", "pattern": f"name{k}"} for k in range(4)])
    nlp.to_disk(folder / "model")
    bins = {name: DocBin(attrs=["ENT_IOB", "ENT_TYPE"], store_user_data=True) for name in ("gold", "pred", "shard")}
    with (folder / "gold.jsonl").open("w") as gold, (folder / "pred.jsonl").open("w") as pred:
        for number, (words, golds, preds) in enumerate(made_up(documents, tokens)):
            for name, file, ents in (("gold", gold, golds), ("pred", pred, preds)):
                doc = Doc(nlp.vocab, words=words)
                doc.set_ents([Span(doc, at, at + 1, label) for at, label in ents])
                doc.user_data["id"] = f"document {number}"
                bins[name].add(doc)
                spans = [{"start": e.start_char, "end": e.end_char, "label": e.label_} for e in doc.ents]
                file.write(json.dumps({"text": doc.text, "spans": spans, "id": f"document {number}"}) + "\n")
                if name == "gold":
                    bins["shard"].add(doc)
            if not (number + 1) % PER_SHARD or number + 1 == documents:
                bins["shard"].to_disk(folder / f"shard-{number:09}.spacy")
                bins["shard"] = DocBin(attrs=["ENT_IOB", "ENT_TYPE"], store_user_data=True)
    for name in ("gold", "pred"):
        bins[name].to_disk(folder / f"{name}.spacy")


def made_up(documents: int, tokens: int) -> Iterator[tuple[list[str], list[Any], list[Any]]]:
    random = Random(0)
    common = [f"word{k}" for k in range(5_000)]
    for number in range(documents):
        words = random.choices(common, k=tokens)
        for k in range(NEW):
            words[random.randrange(tokens)] = f"new{number}x{k}"
        golds = [(at, f"L{random.randrange(4)}") for at in sorted(random.sample(range(tokens), 4))]
        for at, label in golds[:3]:
            words[at] = f"name{label[1:]}"
        yield words, golds, [(at, label) for at, label in golds if random.random() < 0.8]


if __name__ == "__main__":
    typer.run(main)
