"""The agreement of several annotators, beside scoring one of their pairs with the same metrics.

python benchmarks/agreeing.py --output benchmarks/agreement.json
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import typer
from rounds import seconds

from spacy_nereval import agreement, score
from spacy_nereval.features.agreement.agreement_counts import DEFAULT

LABELS = ("PER", "LOC", "ORG", "MISC")

OURS, PAIR = "agreement", "score of one pair"

MOST_SECONDS, AT_MOST = 30, 25
"""Processor seconds for 5 annotators of 10,000 documents, with the interval of the main score; and the ratio to
scoring one of their ten pairs."""


def main(
    documents: int = typer.Option(10_000, help="Number of documents"),
    annotators: int = typer.Option(5, help="Number of annotators"),
    rounds: int = typer.Option(3, help="How often each side is run"),
    output: Path | None = typer.Option(None, help="JSON file for the figures"),
) -> None:
    """Print the processor seconds of each side, and their ratio."""
    sides = annotated(documents, annotators)
    first, second, *_ = sides.values()
    runs = {OURS: lambda: str(agreement(sides)), PAIR: lambda: score(first, second, DEFAULT)}
    found = {"documents": documents, "annotators": annotators, "seconds": seconds(runs, rounds)}
    if output:
        output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf8")
    print(markdown(found))


def annotated(documents: int, annotators: int) -> dict[str, list[dict[str, Any]]]:
    """Texts of 25 words with about three spans, of which each annotator has five in six as they are.

    >>> sides = annotated(2, 3)
    >>> [*sides], len(sides["annotator 1"]), sides["annotator 1"][0]["id"]
    (['annotator 1', 'annotator 2', 'annotator 3'], 2, '0')
    """
    random = Random(0)
    sides: dict[str, list[dict[str, Any]]] = {f"annotator {k + 1}": [] for k in range(annotators)}
    for number in range(documents):
        text = " ".join(f"word{random.randrange(500):03}" for _ in range(25))  # seven letters and a space
        starts = [first for first in range(0, 24, 4) if random.random() < 0.5]
        true = [(start, start + random.randint(1, 3), random.choice(LABELS)) for start in starts]
        for own in sides.values():
            spans = [found for span in true if (found := _slipped(span, random))]
            marked = [{"start": 8 * start, "end": 8 * end - 1, "label": label} for start, end, label in spans]
            own.append({"id": str(number), "text": text, "spans": marked})
    return sides


def _slipped(span: tuple[int, int, str], random: Random) -> tuple[int, int, str] | None:
    """Return a span as an annotator has it: mostly as it is, else missed, with another label or end."""
    start, end, label = span
    chance = random.random()
    if chance < 0.06:
        return None
    if chance < 0.11:
        return start, end, random.choice(LABELS)
    return (start, end + 1, label) if chance < 0.17 else span


def markdown(found: Mapping[str, Any]) -> str:
    """The figures as a table."""
    seconds = found["seconds"]
    ratio = median(ours / one for ours, one in zip(seconds[OURS], seconds[PAIR]))
    own = median(seconds[OURS])
    rows = [
        (f"{OURS} / {PAIR}, at most {AT_MOST}", ratio, AT_MOST),
        (f"{OURS}, processor seconds, at most {MOST_SECONDS}", own, MOST_SECONDS),
    ]
    return "\n".join(
        [
            f"| {found['annotators']} annotators, {found['documents']:,} documents | reached |",
            "| --- | ---: |",
            *(f"| {what} | {'**above** ' if value > most else ''}{value:.1f} |" for what, value, most in rows),
        ]
    )


if __name__ == "__main__":
    typer.run(main)
