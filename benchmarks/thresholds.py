"""Compare the curves of `thresholds`, with all six metrics, with scoring anew at each of 100 cuts.

python benchmarks/thresholds.py --output benchmarks/thresholds.json
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import typer

from spacy_nereval import Document, count, create_all, evaluate
from spacy_nereval.core.cuts import Cuts, apply_cuts
from spacy_nereval.features.thresholds.chosen_cuts import find_thresholds

PREDICTIONS, GOLD, WORDS = 10, 6, 60
"""Of each document."""

CUTS, TIMED = 100, 10
"""The cuts at which predictions are scored anew, and how many of these are timed."""

AT_MOST, SECONDS = 0.05, 10
"""The limits: of the time of scoring anew, and in seconds."""


def main(
    documents: int = typer.Option(10_000, help="Number of documents, of 10 predictions each"),
    rounds: int = typer.Option(3, help="How often each side is run"),
    output: Path | None = typer.Option(None, help="JSON file for the figures"),
) -> None:
    """Print the processor seconds of both sides, and their ratio."""
    made, metrics = corpus(documents), create_all()
    curves: list[float] = []
    anew: list[float] = []
    cuts = 0
    for number in range(rounds + 1):
        before = process_time()
        cuts = find_thresholds(made, metrics).values["cuts"]
        between = process_time()
        for step in range(TIMED):
            evaluate(count(apply_cuts(made, Cuts((step + 0.5) / TIMED)), metrics, units=False))
        if number:  # the first round imports
            curves.append(between - before)
            anew.append((process_time() - between) * CUTS / TIMED)
    found = {"documents": documents, "cuts": cuts, "seconds": {"curves": curves, "anew": anew}}
    if output:
        output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf8")
    print(markdown(found))


def corpus(documents: int) -> list[Document]:
    """Texts of random words with 6 gold spans of 8 labels, and 10 predictions of which 4 are right."""
    rng = random.Random(0)
    found = []
    for number in range(documents):
        words = [f"w{rng.randrange(3000)}" for _ in range(WORDS)]
        starts = [0]
        for word in words:
            starts.append(starts[-1] + len(word) + 1)
        places = [(start, start + len(word)) for start, word in zip(starts, words)]
        gold = [_span(rng, places) for _ in range(GOLD)]
        pred = [*dict.fromkeys([*rng.sample(gold, 4), *(_span(rng, places) for _ in range(PREDICTIONS - 4))])]
        document = Document(gold, pred, " ".join(words), tokens=places, id=str(number))
        document.span_scores = {span: rng.random() for span in pred}
        found.append(document)
    return found


def _span(rng: random.Random, places: list[tuple[int, int]]) -> tuple[int, int, str]:
    first = rng.randrange(WORDS - 2)
    return places[first][0], places[first + rng.choice([0, 0, 1, 2])][1], rng.choice("ABCDEFGH")


def ratio(seconds: Mapping[str, list[float]]) -> float:
    """The median over the rounds of the time of the curves divided by that of scoring anew.

    >>> ratio({"curves": [1, 2], "anew": [20, 50]})
    0.045
    """
    return median(ours / theirs for ours, theirs in zip(seconds["curves"], seconds["anew"]))


def markdown(found: Mapping[str, Any]) -> str:
    """The figures as a table."""
    seconds = found["seconds"]
    reached = [(median(seconds["curves"]), SECONDS, ".1f"), (ratio(seconds), AT_MOST, ".3f")]
    shown = [f"{'**above** ' if value > most else ''}{value:{form}}" for value, most, form in reached]
    return "\n".join(
        [
            f"| six metrics, {found['documents']:,} documents, {found['cuts']:,} cuts | processor seconds |",
            "| --- | ---: |",
            f"| curves over all cuts, at most {SECONDS} | {shown[0]} |",
            f"| scoring anew at {CUTS} cuts | {median(seconds['anew']):.1f} |",
            f"| ratio, at most {AT_MOST:g} | {shown[1]} |",
        ]
    )


if __name__ == "__main__":
    typer.run(main)
