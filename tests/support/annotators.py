"""Texts that several annotators annotated: by hand, at random, the shipped ones, and hostile ones; their agreement."""

import random
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from commands import line
from pages import HOSTILE
from places import ROOT

from spacy_nereval import Confidence, Document, create_all
from spacy_nereval.features.agreement.adjudication import agreement_page
from spacy_nereval.features.agreement.agreement_counts import AgreementCounts
from spacy_nereval.features.agreement.agreement_view import AgreementView
from spacy_nereval.features.agreement.shared_documents import SharedDocument, SharedDocuments, read_annotators

EXAMPLES = ROOT / "assets" / "agreement"
STRICT = create_all(["strict"])

Spans = Sequence[tuple[int, int, str]]
Sides = Mapping[str, Spans]

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


def shared(sides: Mapping[str, Sides] = BY_HAND, texts: Mapping[str, str | None] = TEXTS) -> SharedDocuments:
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


def annotated(*documents: tuple[str | None, Sides], ids: bool = True) -> SharedDocuments:
    """Texts, each with the spans of its annotators."""
    texts, sides = ({f"d{k}": each[part] for k, each in enumerate(documents)} for part in (0, 1))
    found = shared(sides, texts)
    for each in found.documents:
        each.base.id = each.base.id if ids else None
    return found


def example(*names: str) -> SharedDocuments:
    """The annotations in assets/agreement."""
    return read_annotators({name: EXAMPLES / f"{name}.jsonl" for name in names or ("ann", "ben", "cleo")})


def result_of(given: SharedDocuments, metrics: Any = STRICT, **settings: Any) -> dict[str, Any]:
    return AgreementCounts(given, metrics, **settings).result()


def view_of(given: SharedDocuments, metrics: Any = ("strict",), confidence: Any = None) -> AgreementView:
    found = AgreementCounts(given, create_all([*metrics]))
    return AgreementView(found.result(confidence), found.metrics)


def page_of(given: SharedDocuments, metrics: Sequence[str] = ("strict",), confidence: Confidence | None = None) -> str:
    found = AgreementCounts(given, create_all([*metrics]))
    return agreement_page(found, AgreementView(found.result(confidence), found.metrics))


@cache
def example_page() -> str:
    return page_of(example(), ("strict", "char", "slot_error"), Confidence(samples=20))


def hostile(texts: Sequence[str] = HOSTILE) -> SharedDocuments:
    """Texts, labels, ids and names that try to break a page."""
    found = []
    for k, text in enumerate(texts):
        base = Document([], [], text, id=texts[k - 1])
        spans = {texts[0]: [(0, 2, texts[k - 2])], texts[1]: [(0, 3, texts[k - 2]), (1, 2, "A")], "c": []}
        found.append(SharedDocument(base, spans))
    return SharedDocuments((texts[0], texts[1], "c"), found)
