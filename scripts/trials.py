"""Train the pipelines of a corpus once per seed, and keep the counts of what they predict.

    python scripts/trials.py train warranty --seeds 0,1,2
    python scripts/trials.py evaluate warranty --seeds 0,1,2

A training run has one seed. scripts/train.py trains each in a process of
its own, and does not repeat one that has finished.
"""

import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Annotated, NamedTuple

import srsly
import typer
from failing import fail, require
from kept import FORMAT, TRIALS, Index, TrainingRun, write
from spacy.cli._util import setup_gpu
from spacy.tokens import DocBin
from wasabi import msg

from spacy_nereval.counting.counter import count
from spacy_nereval.counting.counts import Counts
from spacy_nereval.evaluation.result import evaluate as result_of
from spacy_nereval.integration.pipelines import predict
from spacy_nereval.metrics.registry import create_all
from spacy_nereval.reporting.result_table import number_text
from spacy_nereval.reporting.score_tables import percent


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
Seeds = Annotated[str, typer.Option(help="Seeds, separated by commas: one training run each")]
Gpu = Annotated[int, typer.Option(help="GPU, or -1 for the CPU")]

app = typer.Typer(no_args_is_help=True)


@app.command()
def train(
    corpus: Corpus,
    seeds: Seeds = "0,1,2",
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
                fail(f"{name}, seed {seed}, was not trained; finished runs are kept")


@app.command()
def evaluate(corpus: Corpus, seeds: Seeds = "0,1,2", gpu_id: Gpu = -1) -> None:
    """
    Count what every training run of CORPUS predicts on its test texts, and keep the counts.

    They take the place of those that are kept of CORPUS. scripts/results.py writes
    assets/trials/results.md from them.
    """
    require(gpu_id=gpu_id, corpus=corpus)
    setup_gpu(gpu_id, silent=True)
    test = Path("corpus", corpus, "test.spacy")
    wanted = [(name, pipeline, seed) for name, pipeline in of(corpus).items() for seed in numbers(seeds)]
    runs = [training_run(name, seed, finished(corpus, name, seed)) for name, _, seed in wanted]
    digest = hashlib.sha256(test.read_bytes()).hexdigest()
    index = Index(format=FORMAT, corpus=corpus, texts=sizes(corpus), test_sha256=digest, trials=runs)
    models = ((folder(corpus, name, seed) / "model-best", pipeline.spans_key) for name, pipeline, seed in wanted)
    write(TRIALS / corpus, index, (counted(model, test, key) for model, key in models))
    msg.good(f"Counts of {len(runs)} training runs in {TRIALS / corpus}")


def of(corpus: str) -> dict[str, Pipeline]:
    """Return the pipelines that are for a corpus."""
    found = {name: pipeline for name, pipeline in PIPELINES.items() if corpus in pipeline.corpora}
    if not found:
        fail(f"There is no pipeline for a corpus '{corpus}'")
    return found


def numbers(seeds: str) -> list[int]:
    """Parse the seeds."""
    try:
        found = [int(seed) for seed in seeds.split(",")]
    except ValueError:
        fail(f"--seeds {seeds}: expected whole numbers separated by commas, such as 0,1,2")
    if len({*found}) < len(found):
        fail(f"--seeds {seeds}: a seed is given twice; the same training counts once")
    return found


def folder(corpus: str, name: str, seed: int) -> Path:
    """Return the folder of a run."""
    return Path("training", corpus, "trials", f"{name}-{seed}")


def finished(corpus: str, name: str, seed: int) -> Path:
    """Return the folder of a run; end the script unless it has finished."""
    path = folder(corpus, name, seed)
    if not (path / "run.json").is_file() or "finished" not in srsly.read_json(path / "run.json"):
        fail(f"{path} is not a finished training: run `python scripts/trials.py train {corpus}` first")
    return path


def counted(model: Path, test: Path, key: str | None) -> Counts:
    """Return the counts of a run: all metrics, on the test texts."""
    counts = count(predict(str(model), test, key), create_all())
    counts.spans_key, counts.sources = key, [test.name]
    scores = result_of(counts)["metrics"]
    msg.good(f"{model.parent.name}: strict F {number_text(percent(scores['strict']['scores']['f']))}")
    return counts


def training_run(name: str, seed: int, path: Path) -> TrainingRun:
    """Return how long and with what a pipeline was trained; all parts of an interrupted one are added."""
    run = srsly.read_json(path / "run.json")
    last = [part[-1] for part in run["parts"]]
    rates = {evaluation["rate"] for part in run["parts"] for evaluation in part if "rate" in evaluation}
    return TrainingRun(
        pipeline=name,
        seed=seed,
        **{key: run[key] for key in ("settings", "transformer", "machine", "finished")},
        seconds=sum(part["seconds"] for part in last),
        words=sum(part["words"] for part in last),
        steps=sum(part["step"] for part in last),
        epochs=sum(part["epoch"] for part in last),
        rates=sorted(rates, reverse=True),
    )


def sizes(corpus: str) -> dict[str, int]:
    """Return the number of texts in each split."""
    return {split: len(DocBin().from_disk(f"corpus/{corpus}/{split}.spacy")) for split in ("train", "dev", "test")}


if __name__ == "__main__":
    app()
