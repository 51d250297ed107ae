"""Texts that several annotators annotated: one example by hand, and some made at random."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from commands import line

from spacy_nereval import Document
from spacy_nereval.evaluation.agreement.documents import SharedDocument, SharedDocuments

Sides = Mapping[str, Sequence[tuple[int, int, str]]]

TEXTS = {"d1": "Ada met Bob in New York today .", "d2": "Rome calls Eve", "d3": "Bob slept"}

ADA, BOB, YORK = (0, 3, "PER"), (8, 11, "PER"), (15, 23, "LOC")
ROME, EVE, SLEPT = (0, 4, "LOC"), (11, 14, "PER"), (0, 3, "PER")

BY_HAND: dict[str, Sides] = {
    "d1": {"a": [ADA, BOB, YORK], "b": [ADA, (8, 11, "ORG"), (15, 18, "LOC")], "c": [ADA, YORK]},
    "d2": {"a": [ROME], "b": [ROME, EVE]},
    "d3": {"b": [], "c": [SLEPT]},
}
"""Three annotators, each of whom lacks a document but b."""


def records(name: str) -> list[dict[str, Any]]:
    """What one annotator of the example annotated, as lines of a JSONL file."""
    return [line(TEXTS[id], *sides[name], id=id) for id, sides in BY_HAND.items() if name in sides]


def shared(sides: Mapping[str, Sides] = BY_HAND, texts: Mapping[str, str] = TEXTS) -> SharedDocuments:
    names = tuple(dict.fromkeys(name for own in sides.values() for name in own))
    documents = [
        SharedDocument(Document([], [], texts[id], id=id), {name: [*own[name]] for name in names if name in own})
        for id, own in sides.items()
    ]
    return SharedDocuments(names, documents)


def at_random(seed: int, *, overlapping: bool = False, everyone: bool = False, people: str = "abcd") -> SharedDocuments:
    """A few short texts, annotated by some of several people."""
    rng = random.Random(seed)
    texts, sides = {}, {}
    for number in range(rng.randint(1, 4)):
        id = f"d{number}"
        texts[id] = " ".join(rng.choice(("a", "bc", "def", "the")) for _ in range(rng.randint(3, 8)))
        names = [*people] if everyone else rng.sample(people, rng.randint(2, len(people)))
        sides[id] = {name: _spans(rng, texts[id], overlapping) for name in sorted(names)}
    return shared(sides, texts)


def _spans(rng: random.Random, text: str, overlapping: bool) -> list[tuple[int, int, str]]:
    found: list[tuple[int, int, str]] = []
    for _ in range(rng.randint(0, 4)):
        start = rng.randrange(len(text))
        span = start, min(len(text), start + rng.randint(1, 5)), rng.choice("XYZ")
        if overlapping or not any(span[0] < end and begin < span[1] for begin, end, _ in found):
            found.append(span)
    return sorted({*found})
