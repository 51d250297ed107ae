"""Single documents of any size, and the memory that scoring one takes.

    python benchmarks/single.py covered 100000

prints the most bytes that the process held at once. Nothing but the core of the
package is imported.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from random import Random
from resource import RUSAGE_SELF, getrusage
from typing import NamedTuple

from spacy_nereval import Document, score

SHAPES = ("flat", "nested", "covered")

Entity = tuple[int, int, str]
"""First unit, unit after the last, label."""


class Text(NamedTuple):
    """One text and its spans in characters, as `Document` takes them."""

    gold: list[Entity]
    pred: list[Entity]
    text: str


def single(shape: str, entities: int) -> Text:
    """One document with that many gold entities.

    `flat`: side by side. `nested`: each five share a centre and lie in one
    another. `covered`: side by side, and one from the first character to the
    last that nobody predicts.

    >>> [(start, end) for start, end, _ in single("nested", 5).gold]
    [(0, 79), (8, 71), (16, 63), (24, 55), (32, 47)]
    """
    random = Random(0)
    names = [f"L{k}" for k in range(4)]
    if shape == "nested":
        places = [(10 * (k // 5) + k % 5, 10 * (k // 5) + 10 - k % 5) for k in range(entities)]
    else:
        places = [(3 * k, 3 * k + 2) for k in range(entities - (shape == "covered"))]
    words = max([1, *(end for _, end in places)])
    gold = [(start, end, random.choice(names)) for start, end in places]
    pred = perturbed(gold, names, random)
    if shape == "covered":
        gold.append((0, words, names[0]))
    text = " ".join(f"word{random.randrange(500):03}" for _ in range(words))  # seven letters and a space
    return Text(*([(8 * a, 8 * b - 1, label) for a, b, label in side] for side in (gold, pred)), text)


def perturbed(gold: Iterable[Entity], names: list[str], random: Random) -> list[Entity]:
    """Predictions: of twenty entities two are missed, one has the first label, and one lacks its last unit."""
    pred = []
    for start, end, label in gold:
        fate = random.choices(["hit", "missed", "mislabelled", "cut"], [16, 2, 1, 1])[0]
        if fate != "missed":
            cut = fate == "cut" and end - start > 1
            pred.append((start, end - cut, names[0] if fate == "mislabelled" else label))
    return pred


def peak() -> int:
    """The most bytes that this process held at once."""
    status = Path("/proc/self/status")
    if status.is_file():  # on Linux ru_maxrss has what the process held that started this one
        return 1024 * next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    score([Document(*single(sys.argv[1], int(sys.argv[2])))])
    print(peak())
