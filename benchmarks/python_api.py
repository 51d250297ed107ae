"""Compare `score` of tag sequences, with all six metrics, with seqeval and nervaluate on the same lists.

python benchmarks/python_api.py --output benchmarks/python_api.json
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import nervaluate
import seqeval.metrics
import typer
from rounds import seconds

from spacy_nereval import score

LABELS = ("PER", "LOC", "ORG", "MISC")

AT_MOST = 0.3
"""What `score` may take, as a share of the sum of the other two."""

OURS, THEIRS = "score", ("seqeval", "nervaluate")


def main(
    sentences: int = typer.Option(10_000, help="Number of sequences"),
    rounds: int = typer.Option(3, help="How often each side is run"),
    output: Path | None = typer.Option(None, help="JSON file for the figures"),
) -> None:
    """Print the processor seconds of each side, and their ratio."""
    gold, pred = corpus(sentences)
    sides: dict[str, Callable[[], Any]] = {
        "seqeval": lambda: seqeval.metrics.classification_report(gold, pred, output_dict=True, zero_division=0),
        "nervaluate": lambda: nervaluate.Evaluator(gold, pred, tags=[*LABELS], loader="list").evaluate(),
        OURS: lambda: score(gold, pred, repair="conll"),
    }
    found = {"sentences": sentences, "seconds": seconds(sides, rounds)}
    if output:
        output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf8")
    print(markdown(found))


def corpus(sentences: int) -> tuple[list[list[str]], list[list[str]]]:
    """Gold tags in IOB2, and predictions with a wrong tag in thirty, most of these invalid sequences."""
    rng = random.Random(0)
    gold = [_sentence(rng, rng.randint(5, 40)) for _ in range(sentences)]
    wrong = ("O", "B-PER", "I-LOC")
    return gold, [[rng.choice(wrong) if rng.random() < 0.03 else tag for tag in tags] for tags in gold]


def _sentence(rng: random.Random, length: int) -> list[str]:
    tags: list[str] = []
    while len(tags) < length:
        if rng.random() < 0.12:
            label = rng.choice(LABELS)
            tags += [f"B-{label}", *[f"I-{label}"] * rng.choice([0, 0, 1, 2])]
        else:
            tags.append("O")
    return tags[:length]


def ratio(seconds: Mapping[str, Sequence[float]]) -> float:
    """The median over the rounds of our time divided by the sum of theirs.

    >>> ratio({"score": [1, 2], "seqeval": [3, 4], "nervaluate": [1, 4]})
    0.25
    """
    return median(ours / sum(theirs) for ours, *theirs in zip(seconds[OURS], *(seconds[name] for name in THEIRS)))


def markdown(found: Mapping[str, Any]) -> str:
    """The figures as a table."""
    seconds = found["seconds"]
    rows = [f"| {name} | {median(each):.2f} |" for name, each in seconds.items()]
    reached = ratio(seconds)
    above = "**above** " if reached > AT_MOST else ""
    return "\n".join(
        [
            f"| {found['sentences']:,} tag sequences | processor seconds |",
            "| --- | ---: |",
            *rows,
            f"| score / (seqeval + nervaluate), at most {AT_MOST:g} | {above}{reached:.2f} |",
        ]
    )


if __name__ == "__main__":
    typer.run(main)
