"""Train the pipelines of a corpus once per seed, and summarise their scores.

    python scripts/trials.py train warranty --seeds 0,1,2
    python scripts/trials.py evaluate warranty --seeds 0,1,2

A trial is one training with one seed. scripts/train.py trains each in a process of
its own, and does not repeat one that has finished.
"""

import subprocess
import sys
from pathlib import Path
from statistics import mean, stdev
from time import perf_counter
from typing import Annotated, Any, NamedTuple

import srsly
import typer
from failing import fail, require
from spacy.cli._util import setup_gpu
from spacy.tokens import DocBin
from spacy.util import load_model
from wasabi import msg

from spacy_nereval.counting.counter import count
from spacy_nereval.counting.counts import Counts
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.per_document import disagreement
from spacy_nereval.evaluation.resampling import Confidence
from spacy_nereval.evaluation.result import evaluate as result_of
from spacy_nereval.integration.pipelines import predict
from spacy_nereval.io.writing import write_json
from spacy_nereval.metrics.registry import create, create_all

LENIENT = "wrf_lenient"


class Pipeline(NamedTuple):
    """A config, with what it needs and the corpora that it is for."""

    config: str
    transformer: bool = False
    spans_key: str | None = None
    corpora: tuple[str, ...] = ("warranty", "wnut17", "maintie")


PIPELINES = {
    "cpu": Pipeline("configs/cpu.cfg"),
    "paper": Pipeline("configs/paper.cfg", transformer=True),
    "spancat": Pipeline("configs/spancat.cfg", transformer=True, spans_key="sc", corpora=("maintie",)),
}

Corpus = Annotated[str, typer.Argument(help="Name of a corpus that scripts/corpus.py has written")]
Seeds = Annotated[str, typer.Option(help="Seeds, separated by commas: one trial each")]
Gpu = Annotated[int, typer.Option(help="GPU, or -1 for the CPU")]

app = typer.Typer(no_args_is_help=True)


@app.command()
def train(
    corpus: Corpus,
    seeds: Seeds = "0",
    gpu_id: Gpu = -1,
    transformer: Annotated[str, typer.Option(help="Folder with a transformer, or its name")] = "bert-base-uncased",
    epochs: Annotated[int, typer.Option(min=1, help="Largest number of epochs of a transformer")] = 12,
    steps: Annotated[int, typer.Option(min=0, help="Largest number of steps of a transformer, 0: no limit")] = 0,
    accumulate_gradient: Annotated[int, typer.Option(min=1, help="Number of parts that a batch is processed in")] = 1,
) -> None:
    """Train every pipeline for CORPUS with every seed."""
    for name, pipeline in of(corpus).items():
        for seed in numbers(seeds):
            arguments = [pipeline.config, corpus, str(folder(corpus, name, seed)), "--system.seed", str(seed)]
            if pipeline.transformer:
                arguments += ["--gpu-id", str(gpu_id), "--patience", "4", "--mixed-precision"]
                arguments += ["--paths.transformer", transformer, "--training.max_epochs", str(epochs)]
                arguments += ["--training.max_steps", str(steps)]
                arguments += ["--training.accumulate_gradient", str(accumulate_gradient)]
            msg.divider(f"{corpus}: {name}, seed {seed}")
            done = subprocess.run([sys.executable, "scripts/train.py", *arguments], check=False)
            if done.returncode:
                fail(f"{name}, seed {seed}, was not trained; finished trials are kept")


@app.command()
def evaluate(corpus: Corpus, seeds: Seeds = "0", gpu_id: Gpu = -1) -> None:
    """Score every trial of CORPUS on its test texts, and compare the pipelines over all seeds.

    A summary has the mean, the standard deviation and the range over the seeds. The
    unit of intervals and tests is the document: the predictions of all seeds for it
    are drawn, or swapped, together.
    """
    require(gpu_id=gpu_id, corpus=corpus)
    setup_gpu(gpu_id, silent=True)
    test = Path("corpus", corpus, "test.spacy")
    output = Path("metrics", corpus)
    (output / "trials").mkdir(parents=True, exist_ok=True)
    trials: list[dict[str, Any]] = []
    summaries: dict[str, dict[str, Any]] = {}
    pooled: dict[str, Counts] = {}
    for name, pipeline in of(corpus).items():
        own = []
        parts = []
        for seed in numbers(seeds):
            run = srsly.read_json(finished(corpus, name, seed) / "run.json")
            model = folder(corpus, name, seed) / "model-best"
            counts, lenient = counted(model, test, pipeline.spans_key)
            result = result_of(counts, Confidence())
            write_json(output / "trials" / f"{name}-{seed}.json", result)
            own.append(headline(result) | {LENIENT: score_of(result_of(lenient), "wrf", "wrf")})
            parts.append((counts, lenient))
            trials.append({"pipeline": name, "seed": seed, **trained(run), **speed(model, test)})
            msg.good(f"{name}, seed {seed}: fair F {100 * own[-1]['fair_f']:.2f}, WRF {100 * own[-1]['wrf']:.2f}")
        pooled[name], lenient = (sum(column[1:], column[0]) for column in zip(*parts))
        summaries[name] = summary(own, pooled[name], lenient, pipeline.spans_key)
    alike = [System(name, counts) for name, counts in pooled.items() if not PIPELINES[name].spans_key]
    compared = comparison(alike, []) if len(alike) > 1 else None
    settings = {"seeds": numbers(seeds), "gpu_id": gpu_id}
    about = {"corpus": corpus, **settings, "sizes": sizes(corpus)}
    write_json(output / "trials.json", {**about, "trials": trials, "pipelines": summaries, "comparison": compared})
    msg.good(f"{len(trials)} trials in {output / 'trials.json'}")


def of(corpus: str) -> dict[str, Pipeline]:
    """Return the pipelines that are for a corpus."""
    found = {name: pipeline for name, pipeline in PIPELINES.items() if corpus in pipeline.corpora}
    if not found:
        fail(f"There is no pipeline for a corpus '{corpus}'")
    return found


def numbers(seeds: str) -> list[int]:
    """Parse the seeds."""
    try:
        return [int(seed) for seed in seeds.split(",")]
    except ValueError:
        fail(f"--seeds {seeds}: expected whole numbers separated by commas, such as 0,1,2")


def folder(corpus: str, name: str, seed: int) -> Path:
    """Return the folder of a trial."""
    return Path("training", corpus, "trials", f"{name}-{seed}")


def finished(corpus: str, name: str, seed: int) -> Path:
    """Return the folder of a trial; end the script unless it has finished."""
    path = folder(corpus, name, seed)
    if not (path / "run.json").is_file() or "finished" not in srsly.read_json(path / "run.json"):
        fail(f"{path} is not a finished training: run `python scripts/trials.py train {corpus}` first")
    return path


def counted(model: Path, test: Path, key: str | None) -> tuple[Counts, Counts]:
    """Return the counts of all metrics, and those of strict and of WRF with lenient weights."""
    documents = list(predict(str(model), test, key))
    found = count(documents, create_all()), count(documents, [create("strict"), create("wrf", weights="lenient")])
    for counts in found:
        counts.spans_key, counts.sources = key, [test.name]
    return found


def speed(model: Path, test: Path) -> dict[str, Any]:
    """Measure prediction, with the model loaded and warmed up: words and seconds."""
    nlp = load_model(model)
    texts = [doc.text for doc in DocBin().from_disk(test).get_docs(nlp.vocab)]
    list(nlp.pipe(texts[:8]))
    start = perf_counter()
    words = sum(map(len, nlp.pipe(texts)))
    return {"predict_words": words, "predict_seconds": perf_counter() - start}


def trained(run: dict[str, Any]) -> dict[str, Any]:
    """Return how long and with what a trial was trained; all parts of an interrupted one are added."""
    last = [part[-1] for part in run["parts"]]
    sums = {f"train_{name}": sum(part[name] for part in last) for name in ("seconds", "words")}
    sums |= {name: sum(part[name] for part in last) for name in ("step", "epoch")}
    about = {name: run[name] for name in ("settings", "transformer", "machine", "finished")}
    rates = [evaluation["rate"] for part in run["parts"] for evaluation in part if "rate" in evaluation]
    return sums | about | {"rates": sorted(set(rates), reverse=True)}


def summary(own: list[dict[str, Any]], counts: Counts, lenient: Counts, key: str | None) -> dict[str, Any]:
    """Summarise the trials of one pipeline."""
    pooled, mild = result_of(counts, Confidence()), result_of(lenient, Confidence())
    scores = {}
    for name in own[0]:
        values = [scored[name] for scored in own]
        metric, score, source = (LENIENT, "wrf", mild) if name == LENIENT else (*place(pooled, name), pooled)
        intervals = source["metrics"]["wrf" if name == LENIENT else metric]["intervals"]["scores"]
        interval = [intervals[score]["low"], intervals[score]["high"]]
        scores[name] = {"metric": metric, "values": values, "interval": interval, **over_seeds(values)}
    return {
        "spans_key": key,
        "documents": pooled["documents"] // len(own),
        "gold": pooled["gold"] // len(own),
        "scores": scores,
        "fair": pooled["metrics"]["fair"]["counts"],
        "disagreement": {"strict": disagreement(counts), "lenient": disagreement(lenient)},
        "signature": pooled["signature"],
    }


def over_seeds(values: list[float | None]) -> dict[str, float | None]:
    """Return the mean, standard deviation and range; None where undefined.

    >>> over_seeds([0.25, 0.75])["mean"]
    0.5
    """
    if None in values:
        return dict.fromkeys(("mean", "sd", "min", "max"))
    sd = stdev(values) if len(values) > 1 else None
    return {"mean": mean(values), "sd": sd, "min": min(values), "max": max(values)}


def headline(result: dict[str, Any]) -> dict[str, float | None]:
    """The scores that spaCy's keys show, by these keys."""
    return {key: score_of(result, metric.name, score) for metric in create_all() for key, score in metric.keys.items()}


def place(result: dict[str, Any], key: str) -> tuple[str, str]:
    """The metric and the score of a key."""
    return next((metric.name, metric.keys[key]) for metric in create_all() if key in metric.keys)


def score_of(result: dict[str, Any], metric: str, score: str) -> float | None:
    return result["metrics"][metric]["scores"][score]


def sizes(corpus: str) -> dict[str, int]:
    """Return the number of texts in each split."""
    return {split: len(DocBin().from_disk(f"corpus/{corpus}/{split}.spacy")) for split in ("train", "dev", "test")}


if __name__ == "__main__":
    app()
