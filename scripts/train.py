"""Train one pipeline on a corpus, as `spacy train` does.

    python scripts/train.py configs/paper.cfg warranty training/warranty/paper --patience 4

Further arguments override values of the config, as for `spacy train`. The script
first checks that everything is there, and says in one line what is missing. It
does not repeat a training that finished with the same settings on the same texts.
It continues one that was killed from its last evaluation. OUTPUT/run.json records
the settings, the machine and the evaluations.
"""

import hashlib
import os
import platform
import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from math import ceil, isclose
from pathlib import Path
from typing import Annotated, Any

import srsly
import typer
from failing import fail, require
from spacy.cli._util import parse_config_overrides
from spacy.cli.train import train
from spacy.tokens import DocBin
from spacy.util import load_config
from thinc.api import Config
from wasabi import msg

from spacy_nereval.integration.loggers import HISTORY
from spacy_nereval.io.writing import write_json

RUN = "run.json"
RESUMED = "resumed"  # the folder with the model that a killed training left
PACKAGES = ("spacy", "thinc", "spacy-transformers", "transformers", "torch", "spacy-nereval")


def main(
    ctx: typer.Context,
    config: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="Training config")],
    corpus: Annotated[str, typer.Argument(help="Name of a corpus that scripts/corpus.py has written")],
    output: Annotated[Path, typer.Argument(file_okay=False, help="Folder for model-best and model-last")],
    gpu_id: Annotated[int, typer.Option(help="GPU, or -1 for the CPU")] = -1,
    patience: Annotated[
        int,
        typer.Option(
            min=0,
            help="Evaluate once per epoch, and stop after this many without a better score; 0: as the config says",
        ),
    ] = 0,
    rise: Annotated[
        tuple[float, int] | None,
        typer.Option(help="Learning rate, and the steps until it is reached; it falls to 0 at training.max_steps"),
    ] = None,
    mixed_precision: Annotated[
        bool, typer.Option(help="Use half precision where it is precise enough, on a GPU")
    ] = False,
) -> None:
    """Train CONFIG on CORPUS and save the models in OUTPUT."""
    data = Path("corpus", corpus)
    overrides = {"paths.train": str(data / "train.spacy"), "paths.dev": str(data / "dev.spacy")}
    overrides |= parse_config_overrides(ctx.args)
    if rise:
        steps = {"warmup_steps": rise[1], "total_steps": overrides["training.max_steps"]}
        schedule = {"@schedules": "warmup_linear.v1", "initial_rate": rise[0], **steps}
        overrides["training.optimizer.learn_rate"] = schedule
    transformer = load_config(config, overrides=overrides)["paths"].get("transformer")
    require(gpu_id=gpu_id, transformer=transformer, corpus=corpus)
    if patience:
        overrides |= by_epochs(data / "train.spacy", load_config(config, overrides=overrides)["training"], patience)
    if mixed_precision and gpu_id >= 0:
        overrides["components.transformer.model.mixed_precision"] = True
    filled = load_config(config, overrides=overrides, interpolate=False)
    run = {"settings": settings(config, data, overrides, gpu_id), "transformer": transformer, "parts": []}
    before = read(output / RUN)
    if before.get("settings") == run["settings"] and before.get("finished"):
        msg.good(f"{output} was trained with these settings on these texts; delete it to train again")
        return
    if before.get("settings") == run["settings"] and (history := read(output / HISTORY)).get("evaluations"):
        # The history is part of the run already if the training was killed again before its first evaluation.
        again = before["parts"][-1:] == [history["evaluations"]]
        run["parts"] = before["parts"] if again else [*before["parts"], history["evaluations"]]
    if run["parts"] and (saved := last_model(output, history)):
        go_on(output, saved, filled, run["parts"], history["plateau"])
    elif (output / "model-last").exists() or before:
        msg.warn(f"{output} holds a training with other settings, or one that cannot go on: training starts again")
        run["parts"] = []
        clear(output)
    output.mkdir(parents=True, exist_ok=True)
    write_json(output / RUN, run)
    filled.to_disk(output / "config.cfg")
    run_or_explain(output, gpu_id)
    run["parts"].append(read(output / HISTORY)["evaluations"])
    keep_the_best(output, run["parts"])
    finished = datetime.now(UTC).isoformat(timespec="seconds")
    write_json(output / RUN, run | {"finished": finished, "machine": machine(gpu_id)})


def by_epochs(train_texts: Path, training: dict[str, Any], patience: int) -> dict[str, int]:
    """Return overrides that limit a training in epochs, translated into spaCy's steps.

    spaCy evaluates at step 0 and after every `eval_frequency` steps. With a limit of
    epochs it would not evaluate after the last one; with a limit of steps it does.
    """
    steps = ceil(len(DocBin().from_disk(train_texts)) / training["batcher"]["size"])
    most = training["max_epochs"] * steps
    return {
        "training.eval_frequency": steps,
        "training.patience": patience * steps,
        "training.max_steps": min(training["max_steps"] or most, most),
        "training.max_epochs": 0,
    }


def settings(config: Path, data: Path, overrides: dict[str, Any], gpu_id: int) -> dict[str, Any]:
    """Return everything that a training depends on."""
    texts = hashlib.sha256(b"".join((data / f"{split}.spacy").read_bytes() for split in ("train", "dev")))
    return {
        "config": config.name,
        "config_sha256": hashlib.sha256(config.read_bytes()).hexdigest(),
        "texts_sha256": texts.hexdigest(),
        "overrides": overrides,
        "gpu_id": gpu_id,
        "versions": dict(_versions()),
    }


def _versions() -> Iterator[tuple[str, str]]:
    """Yield the packages that training depends on, as far as they are installed, and their versions."""
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            yield name, version(name)


def last_model(output: Path, history: dict[str, Any]) -> Path | None:
    """Return the model of a killed training's last evaluation, if it was saved completely.

    spaCy writes a model before the logger writes the history, and a model's losses
    before its weights. So if the model has the losses of the history, spaCy had not
    begun to write a later one over it.
    """
    losses = history["evaluations"][-1]["losses"]
    for folder in (output / "model-last", output / RESUMED):
        saved = read(folder / "meta.json").get("performance", {})
        if all(isclose(loss, saved.get(f"{name}_loss", -1), rel_tol=1e-6) for name, loss in losses.items()):
            return folder
    return None


def go_on(output: Path, saved: Path, config: Config, parts: list[list[dict]], plateau: dict[str, Any] | None) -> None:
    """Change the config into one that continues a killed training.

    Weights, learning rate, epochs and steps continue where they were. The optimizer's
    moments, the order of the texts and the patience start afresh.
    """
    last = [part[-1] for part in parts]
    if saved.name != RESUMED:
        shutil.rmtree(output / RESUMED, ignore_errors=True)
        saved.rename(output / RESUMED)
    config["components"] = {name: {"source": str(output / RESUMED)} for name in config["nlp"]["pipeline"]}
    for limit, unit in (("max_epochs", "epoch"), ("max_steps", "step")):
        if most := config["training"][limit]:
            config["training"][limit] = max(1, most - sum(evaluation[unit] for evaluation in last))
    if plateau:
        config["training"]["optimizer"]["learn_rate"] |= plateau
    best = output / best_of(max(evaluation["score"] for evaluation in parts[-1]))
    if (output / "model-best").exists() and not best.exists():
        (output / "model-best").rename(best)
    msg.info(f"Training was killed after step {last[-1]['step']} and goes on from there")


def clear(output: Path) -> None:
    """Remove the files of a training, and nothing else that may be in the folder."""
    for folder in ("model-best", "model-last", RESUMED):
        shutil.rmtree(output / folder, ignore_errors=True)
    for folder in output.glob("best-*"):
        shutil.rmtree(folder)
    for file in (RUN, HISTORY):
        (output / file).unlink(missing_ok=True)


def best_of(score: float) -> str:
    """Return the name of the folder for the best model of an earlier part."""
    return f"best-{score:.6f}"


def keep_the_best(output: Path, parts: list[list[dict[str, Any]]]) -> None:
    """Make model-best the best model of all parts of a training, and remove the others."""
    scores = [max(evaluation["score"] for evaluation in part) for part in parts]
    earlier = output / best_of(max(scores[:-1], default=-1))
    if len(scores) > 1 and max(scores[:-1]) >= scores[-1] and earlier.exists():
        shutil.rmtree(output / "model-best")
        earlier.rename(output / "model-best")
    for folder in (output / RESUMED, *output.glob("best-*")):
        shutil.rmtree(folder, ignore_errors=True)


def run_or_explain(output: Path, gpu_id: int) -> None:
    """Train. End the script with one line if it is interrupted or runs out of memory."""
    try:
        train(output / "config.cfg", output, use_gpu=gpu_id)
    except KeyboardInterrupt:
        fail("Interrupted; the same command goes on from the last evaluation")
    except Exception as error:  # torch and CuPy have kinds of their own for a full memory; others are raised again
        if not is_out_of_memory(error):
            raise
        where = f"GPU {gpu_id} is" if gpu_id >= 0 else "This machine is"
        remedy = (
            "take each batch in more parts (--training.accumulate_gradient 4, in the project "
            "--vars.accumulate_gradient 4), which changes nothing else, or a smaller transformer"
        )
        fail(f"{where} out of memory: {remedy}")


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether PyTorch, CuPy or Python ran out of memory, here or in an error that led to this one.

    The errors are recognised by name and text, because PyTorch and CuPy may not be installed.
    """
    known = {"OutOfMemoryError", "MemoryError"} & {kind.__name__ for kind in type(error).__mro__}
    told = [words for words in ("out of memory", "can't allocate memory", "ALLOC_FAILED") if words in str(error)]
    behind = error.__cause__ or error.__context__
    return bool(known or told) or (behind is not None and is_out_of_memory(behind))


def machine(gpu_id: int) -> dict[str, Any]:
    """Return a description of this machine."""
    found: dict[str, Any] = {"processor": processor(), "cores": os.cpu_count(), "system": platform.platform(terse=True)}
    if gpu_id >= 0:
        import torch

        found["gpu"] = torch.cuda.get_device_name(gpu_id)
        found["gpu_memory_gib"] = torch.cuda.max_memory_reserved(gpu_id) / 2**30
    return found


def processor() -> str:
    """Return the name of the processor, as far as the system reports it."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf8").splitlines() if cpuinfo.is_file() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return next(iter(names), platform.processor() or platform.machine())


def read(path: Path) -> dict[str, Any]:
    """Return the content of a JSON file; nothing if it does not exist."""
    return srsly.read_json(path) if path.is_file() else {}


if __name__ == "__main__":
    app = typer.Typer()
    app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(main)
    app()
