"""The page of thresholds of the span categoriser of the examples, and what scoring says of the same cuts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from pages import Parsed
from places import ROOT

from spacy_nereval import Document, create_all, score
from spacy_nereval.core.cuts import Cuts, cut
from spacy_nereval.evaluation.thresholds.applying import applied
from spacy_nereval.evaluation.thresholds.inputs import Settings
from spacy_nereval.evaluation.thresholds.result import thresholds as found_in
from spacy_nereval.io.read import read_files
from spacy_nereval.reporting.html.thresholds.page import ScoredSystem, thresholds_page
from spacy_nereval.reporting.result_table import shown

GOLDS = [ROOT / "assets" / "warranty" / f"{split}.jsonl" for split in ("dev", "test")]


PREDS = [ROOT / "examples" / f"spancat-{split}.jsonl" for split in ("dev", "test")]


LABELS = ["FAILURE_TYPE", "FAILURE_LOC"]  # as many gold spans as in the test texts, the most first


@cache
def documents(split: int) -> list[Document]:
    return [document for document in read_files(GOLDS[split], PREDS[split]) if document]


@cache
def system(
    per_label: str | None = None, best: str = "strict_f", name: str = "spancat"
) -> tuple[ScoredSystem, Settings]:
    settings = Settings(best, per_label)
    metrics = create_all(["strict", "slot_error"])
    found = found_in(documents(0), metrics, settings)
    assert found.cuts
    found.values["applied"] = applied(documents(1), metrics, found.cuts, settings)
    return ScoredSystem(name, found, documents(1)), settings


@cache
def page(per_label: str | None = None, best: str = "strict_f") -> Parsed:
    own, settings = system(per_label, best)
    return Parsed(thresholds_page([own], settings, golds=["dev.jsonl", "test.jsonl"]))


def made(gold: Any, preds: Sequence[dict], metrics: Any = ("strict",), **settings: Any) -> Parsed:
    """The page of some documents, in which predictions are (start, end, label) with their scores."""
    found = []
    for spans, pred in zip(gold, preds):
        document = Document(spans, [*pred], "x" * 40)
        document.span_scores = pred
        found.append(document)
    chosen = Settings(**settings)
    result = found_in(found, create_all([*metrics]), chosen)
    return Parsed(thresholds_page([ScoredSystem("one", result)], chosen, golds=["gold"]))


def scored(split: int, cuts: Cuts) -> dict[str, Any]:
    """The result of scoring the predictions that are kept, without any curve."""
    return score([*cut(documents(split), cuts)], ["strict", "slot_error"])


def in_percent(scores: dict[str, Any], names: str = "prf") -> list[str]:
    return [shown(100 * scores[name]) for name in names]


def without_bounds(cells: Sequence[str]) -> list[str]:
    return [cell.split(" [")[0] for cell in cells]
