"""Small annotations of several annotators, and the page on their agreement."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pages import HOSTILE
from places import ROOT

from spacy_nereval import Document, create_all
from spacy_nereval.evaluation.agreement.counts import AgreementCounts
from spacy_nereval.evaluation.agreement.documents import SharedDocument, SharedDocuments
from spacy_nereval.evaluation.resampling import Confidence
from spacy_nereval.reporting.html.agreement.page import agreement_page

EXAMPLES = ROOT / "assets" / "agreement"

Spans = Sequence[tuple[int, int, str]]


def shared(*documents: tuple[str | None, Mapping[str, Spans]], ids: bool = True) -> SharedDocuments:
    """Texts, each with the spans of its annotators."""
    names = dict.fromkeys(name for _, spans in documents for name in spans)
    found = [
        SharedDocument(Document([], [], text, id=f"d{k}" if ids else None), spans)
        for k, (text, spans) in enumerate(documents)
    ]
    return SharedDocuments(tuple(names), found)


def example(*names: str) -> SharedDocuments:
    """The annotations in assets/agreement."""
    own: dict[str, dict[str, Any]] = {}
    for name in names or ("ann", "ben", "cleo"):
        rows = map(json.loads, (EXAMPLES / f"{name}.jsonl").read_text(encoding="utf8").splitlines())
        own[name] = {row["id"]: row for row in rows}
    found = [*_shared(own)]
    several = [document for document in found if len(document.spans) > 1]
    return SharedDocuments(tuple(own), several, single=len(found) - len(several))


def _shared(own: Mapping[str, Mapping[str, Any]]) -> Iterator[SharedDocument]:
    for id, row in next(iter(own.values())).items():
        spans = {
            name: [(span["start"], span["end"], span["label"]) for span in rows[id]["spans"]]
            for name, rows in own.items()
            if id in rows
        }
        yield SharedDocument(Document([], [], row["text"], id=id), spans)


def agreed(given: SharedDocuments, metrics: Any = ("strict",), confidence: Confidence | None = None) -> Any:
    """The agreement, and its result."""
    found = AgreementCounts(given, create_all([*metrics]))
    return found, found.result(confidence)


def page_of(given: SharedDocuments, metrics: Any = ("strict",), confidence: Confidence | None = None) -> str:
    return agreement_page(*agreed(given, metrics, confidence))


@cache
def example_page() -> str:
    return page_of(example(), ("strict", "char", "slot_error"), Confidence(samples=20))


def hostile() -> SharedDocuments:
    """Texts, labels, ids and names that try to break a page."""
    found = []
    for k, text in enumerate(HOSTILE):
        base = Document([], [], text, id=HOSTILE[k - 1])
        spans = {HOSTILE[0]: [(0, 2, HOSTILE[k - 2])], HOSTILE[1]: [(0, 3, HOSTILE[k - 2]), (1, 2, "A")], "c": []}
        found.append(SharedDocument(base, spans))
    return SharedDocuments((HOSTILE[0], HOSTILE[1], "c"), found)
