"""Two systems on many documents: the seconds that comparing them takes, and the memory.

    python benchmarks/comparing.py 10000 10000 5

compares them on 10,000 documents by all six metrics with 10,000 swaps, in five rounds
after one that is left out. It prints the seconds of each round, and the most bytes that
the process held at once.
"""

from __future__ import annotations

import json
import sys
from random import Random
from time import perf_counter

from single import peak, perturbed

from spacy_nereval import Counts, Document, count, create_all
from spacy_nereval.evaluation.comparison import System, comparison

LABELS = [f"L{k}" for k in range(20)]


def two_systems(documents: int) -> tuple[Counts, Counts]:
    """The counts of two systems on texts of 30 words with 5 entities each.

    >>> a, b = two_systems(3)
    >>> a.documents, a.gold, a.pred <= 15
    (3, 15, True)
    """
    random = Random(0)
    sides: tuple[list[Document], list[Document]] = ([], [])
    for k in range(documents):
        text = " ".join(f"word{random.randrange(500):03}" for _ in range(30))  # seven letters and a space
        places = [(first, first + random.randint(1, 3), random.choice(LABELS)) for first in range(0, 30, 6)]
        gold = [(8 * start, 8 * end - 1, label) for start, end, label in places]
        for side in sides:
            pred = [(8 * a, 8 * b - 1, label) for a, b, label in perturbed(places, LABELS, random)]
            side.append(Document(gold, pred, text, id=f"d{k}"))
    metrics = create_all()
    return count(sides[0], metrics), count(sides[1], metrics)


def compared(documents: int, swaps: int, rounds: int) -> dict[str, object]:
    """The seconds of each round, and the peak of this process in bytes."""
    a, b = two_systems(documents)
    seconds = []
    for _ in range(rounds + 1):
        start = perf_counter()
        comparison([System("A", a), System("B", b)], [], trials=swaps)
        seconds.append(perf_counter() - start)
    return {"documents": documents, "labels": len(LABELS), "swaps": swaps, "seconds": seconds[1:], "bytes": peak()}


if __name__ == "__main__":
    print(json.dumps(compared(*map(int, sys.argv[1:4]))))
