"""Training runs as scripts/trials.py keeps them, made up: counts of documents with one gold span each."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from project_scripts import script

from spacy_nereval import Confidence, Document, count, create_all
from spacy_nereval.counting.counts import Counts

results = script("results")
kept, summaries = (sys.modules[name] for name in ("kept", "summaries"))

GOLD = (0, 3, "PART")
SPURIOUS = (8, 11, "PART")
DOCUMENTS = 40


def counts(*predicted: Sequence[tuple[int, int, str]], gold: Sequence[Sequence[tuple]] | None = None) -> Counts:
    """The counts of documents with one gold span each, or those given, and these predictions."""
    sides = zip(gold or [[GOLD]] * len(predicted), predicted)
    documents = [Document(g, p, "oil pump leaks", id=f"d{k}") for k, (g, p) in enumerate(sides)]
    return count(documents, create_all())


def hits(number: int) -> Counts:
    """The counts of a run that finds the span in the first documents only."""
    return counts(*([GOLD] if k < number else [] for k in range(DOCUMENTS)))


def written(folder: Path, trials: dict[str, list[Counts]]) -> Path:
    """A folder of kept runs, as scripts/trials.py writes it."""
    made = []
    for name, runs in trials.items():
        for seed in range(len(runs)):
            overrides: dict[str, Any] = {"system.seed": seed}
            if name == "paper":
                overrides |= {"training.max_steps": 60, "training.eval_frequency": 10}
                overrides["training.accumulate_gradient"] = 1
            settings = {"config": f"{name}.cfg", "config_sha256": "c", "texts_sha256": "t", "overrides": overrides}
            settings |= {"gpu_id": -1, "versions": {"spacy": "3", "torch": "2", "spacy-nereval": "0"}}
            more = {"machine": {"processor": "P", "cores": 2}, "finished": "2030-01-01T00:00:00", "rates": []}
            more |= {"transformer": "assets/weights" if name == "paper" else None}
            numbers = {"seconds": 7.5, "words": 100, "steps": 60, "epochs": 6}
            made.append(kept.TrainingRun(pipeline=name, seed=seed, settings=settings, **more, **numbers))
    index = kept.Index(format=kept.FORMAT, corpus=folder.name, texts={"test": DOCUMENTS}, test_sha256="s", trials=made)
    kept.write(folder, index, [own for runs in trials.values() for own in runs])
    return folder


UNLIKE = {"cpu": [hits(20), hits(20), hits(20)], "paper": [hits(20), hits(40), hits(30)]}


def page_of(folder: Path) -> str:
    """The page of made-up runs, from a tenth of the usual half-samples."""
    with patch.object(summaries, "CONFIDENCE", Confidence(samples=100)):
        made: str = results.page(folder)
    return made
