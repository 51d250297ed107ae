"""Describe how pipelines were trained: the command, what is smaller than in the paper, and each pipeline's setting."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import srsly
from kept import Kept, TrainingRun

from spacy_nereval.counting.counts import Counts

PROJECT = Path(__file__).resolve().parent.parent / "project.yml"
PAPER = {"transformer": "bert-base-uncased", "epochs": 12}


def command(kept: Kept) -> str:
    """Return the command that makes such runs."""
    first = kept.index.trials[0]
    given: dict[str, Any] = {
        "corpus": kept.index.corpus,
        "seeds": ",".join(str(run.seed) for run in kept.runs(first.pipeline)),
        "gpu_id": first.settings.gpu_id,
    }
    for run in (run for run in kept.index.trials if run.transformer):
        overrides = run.settings.overrides
        epochs, rest = divmod(overrides["training.max_steps"], overrides["training.eval_frequency"])
        given |= {
            "transformer": run.transformer,
            "epochs": epochs + bool(rest),
            "steps": rest and overrides["training.max_steps"],
            "accumulate_gradient": overrides["training.accumulate_gradient"],
        }
    defaults = srsly.read_yaml(PROJECT)["vars"]
    options = " ".join(f"--vars.{name} {value}" for name, value in given.items() if value != defaults[name])
    fetch = "" if kept.index.corpus == "warranty" else "python -m spacy project assets\n"
    return f"{fetch}python -m spacy project run gpu . {options}".rstrip()


def reduced(kept: Kept) -> list[str]:
    """Return a sentence on what is smaller than in the paper, if anything is."""
    runs = [run for run in kept.index.trials if run.transformer]
    found = []
    if other := sorted({run.transformer or "" for run in runs} - {PAPER["transformer"]}):
        found.append(f"the weights are {', '.join(map(weights, other))} instead of `{PAPER['transformer']}`")
    limits = (run.settings.overrides for run in runs)
    epochs = sorted({own["training.max_steps"] / own["training.eval_frequency"] for own in limits})
    if epochs and epochs[0] < PAPER["epochs"]:
        said = " or ".join(f"{number:g}" for number in epochs)
        found.append(f"training ends after at most {said} of {PAPER['epochs']} epochs")
    if all(run.settings.gpu_id < 0 for run in kept.index.trials):
        found.append("all of it ran on a CPU")
    return [f"**Smaller than in the paper:** {'; '.join(found)}."] if found else []


def setting(runs: Sequence[TrainingRun], counts: Counts) -> str:
    """Return what was trained, with what, and for how long."""
    first = runs[0]
    spans = f'`doc.spans["{counts.spans_key}"]`' if counts.spans_key else "`doc.ents`"
    with_weights = f", weights {weights(first.transformer)}" if first.transformer else ""
    lines = [
        f"- scored: {spans}, {counts.documents} documents, {counts.gold} gold spans",
        f"- config: `configs/{first.settings.config}`{with_weights}",
        f"- seeds: {listed(run.seed for run in runs)}; finished {listed(run.finished[:10] for run in runs)}",
        f"- epochs: {listed(run.epochs for run in runs)}; steps: {listed(run.steps for run in runs)}; "
        f"training time in seconds, evaluations included: {listed(f'{run.seconds:.0f}' for run in runs)}",
        f"- machine: {listed(machine(run) for run in runs)}; "
        + ", ".join(f"{name} {first.settings.versions[name]}" for name in ("spacy", "torch", "spacy-nereval")),
    ]
    if any(run.rates for run in runs):
        lines.insert(4, f"- learning rates: {listed(' then '.join(f'{rate:g}' for rate in run.rates) for run in runs)}")
    return "\n".join(lines)


def machine(run: TrainingRun) -> str:
    """Return a description of the machine of a run."""
    own = run.machine
    device = f"{own['gpu']}, {own['gpu_memory_gib']:.1f} GiB used" if "gpu" in own else "no GPU"
    return f"{own['processor']}, {own['cores']} cores, {device}"


def weights(transformer: str) -> str:
    """Return a description of the weights."""
    known = " (all-MiniLM-L6-v2, see `scripts/weights.py`)" if transformer == "assets/weights" else ""
    return f"`{transformer}`{known}"


def listed(values: Any) -> str:
    """Return the values, separated by commas; only one if all are the same."""
    shown = [str(value) for value in values]
    return shown[0] if len(set(shown)) == 1 else ", ".join(shown)
