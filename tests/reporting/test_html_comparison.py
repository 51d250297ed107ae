"""The comparison in the HTML report: what is said first, what stands beside a p-value, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import accepted, line, refused, write
from made_up import corpus, second
from pages import Parsed, system

from spacy_nereval import Confidence, Document
from spacy_nereval.reporting.html import page

DOCUMENTS = corpus(24)
FEW = ("-C", "--samples", 20, "--trials", 200, "-m", "strict,slot_error", "-o", "r.html")
FILES = ("gold.jsonl", "a.jsonl", "b.jsonl")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Gold annotation and two systems, with ids and metadata, and CoNLL files of 40 sentences without marks."""
    found: Path = tmp_path_factory.mktemp("compared")
    sides = {"gold": [d.gold for d in DOCUMENTS], "a": [d.pred for d in DOCUMENTS]}
    for name, spans in (sides | {"b": [d.pred for d in second(DOCUMENTS)]}).items():
        rows = (
            line(d.text or "", *own, id=d.id, meta={"source": k // 2})
            for k, (d, own) in enumerate(zip(DOCUMENTS, spans))
        )
        write(found / f"{name}.jsonl", *rows)
    (found / "both.conll").write_text("Ada B-PER B-PER\nis O O\n\n" * 40)
    return found


@pytest.fixture
def here(folder, monkeypatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


def reported(*arguments: Any) -> Parsed:
    accepted("report", *arguments)
    return Parsed(Path("r.html").read_text(encoding="utf8"))


def compared(*arguments: Any) -> dict[tuple[str, str], dict[str, Any]]:
    accepted("compare", *FILES, "--trials", 200, "-m", "strict,slot_error,fair", *arguments, "-o", "c.json")
    rows = json.loads(Path("c.json").read_text("utf8"))["comparisons"]
    return {(row["metric"], row["score"]): row for row in rows}


def test_the_sentence_on_the_primary_score_comes_first(here):
    for primary in ("fair.f", "slot_error.ser"):
        given = () if primary == "fair.f" else ("--primary", primary)
        text = reported(*FILES, *FEW, *given).text
        metric, score = primary.split(".")
        said = compared("--primary", primary)[metric, score]["verdict"]
        assert said.startswith("not settled")
        assert text.index(f"; {said}.") < text.index("24 documents, ")


def test_a_margin_and_secondary_scores_are_those_asked_for(here):
    text = reported(*FILES, *FEW, "--margin", 40, "--secondary", "strict.p,strict.r").text
    assert "; the same within 40 points." in text
    assert "the primary score, fair f (1 test); the secondary scores (2 tests)" in text
    assert "primary family of 1 test, secondary family of 2 tests" in text


def test_units_are_called_what_they_are(here):
    text = reported(*FILES, *FEW, "--unit", "meta.source").text
    assert "influence of each of 12 units (meta.source)." in text
    assert "paired permutation test over 12 units" in text
    assert "⚠ Only 12 units" in text
    assert "unit meta.source, 12 units (effectively" in text
    blocks = reported("both.conll", *FEW[:3], *FEW[5:]).text
    assert "influence of each of 20 blocks (block:auto)." in blocks
    documents = reported(*FILES, *FEW).text
    assert "influence of each of 24 documents." in documents


def test_each_system_beside_the_first_has_a_sentence():
    sides = [DOCUMENTS, second(DOCUMENTS), [Document(d.gold, d.gold, d.text, id=d.id) for d in DOCUMENTS]]
    systems = [system(name, *documents, metrics=["fair"]) for name, documents in zip("abc", sides)]
    text = Parsed(page(systems, confidence=Confidence(samples=20), trials=200)).text
    assert "b against a: fair F " in text and "; not settled: " in text
    assert "; c scores higher than a on texts like these, by " in text
    assert "the primary score, fair f (2 tests)" in text
    assert "c is better than a by " in text and "highest" not in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([*FILES, *FEW, "--margin", -1], "--margin -1: expected a number of points above 0"),
        ([*FILES, *FEW, "--secondary", "fair.f"], "--secondary fair.f: this score is the primary score"),
        ([*FILES, "-m", "strict", "-o", "r.html", "--primary", "fair.f"], "--primary is given without --confidence"),
        ([*FILES[:2], *FEW[:3], *FEW[5:], "--margin", 1], "--margin is given, but there are no two systems to compare"),
    ],
)
def test_what_cannot_be_asked_is_answered_in_one_line(here, arguments, said):
    Path("r.html").unlink(missing_ok=True)
    assert said in refused("report", *arguments)
    assert not Path("r.html").exists()
