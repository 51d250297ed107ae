"""The command that writes the HTML report: what it takes, what the page says first, and what is refused."""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from commands import accepted, line, refused, write
from made_up import corpus, second
from pages import Parsed, decoded, system
from tabled import GOLD, MANY_DOCUMENTS

from spacy_nereval import Confidence, Document
from spacy_nereval.reporting.html import page

FILES = ("gold.jsonl", "pred.jsonl")
MANY = ("many.jsonl", "first.jsonl", "second.jsonl")
FEW = ("-C", "--samples", 20, "--trials", 200, "-m", "strict,slot_error")
LONG = [line(f"{'x ' * k}Ada", (2 * k, 2 * k + 3, "PER")) for k in range(80)]


@pytest.fixture
def here(here) -> Path:
    """With documents of two sources, sentences without marks, and documents of one to eighty words."""
    for name, documents in (("sourced", MANY_DOCUMENTS), ("other-sourced", second(MANY_DOCUMENTS))):
        rows = [line(d.text or "", *d.pred, id=d.id, meta={"source": k // 2}) for k, d in enumerate(documents)]
        write(here / f"{name}.jsonl", *rows)
    (here / "both.conll").write_text("Ada B-PER B-PER\nis O O\n\n" * 40)
    write(here / "long.jsonl", *LONG)
    write(here / "long-pred.jsonl", line("Ada", (0, 2, "PER")), *LONG[1:])
    return here


def reported(*arguments: Any) -> Parsed:
    accepted("report", *arguments, "-o", "r.html")
    return Parsed(Path("r.html").read_text(encoding="utf8"))


def test_the_command_writes_a_report_with_the_library_of_charts(here, library):
    before = {*here.iterdir()}
    assert accepted("report", *FILES, "-o", "r.html") == "✔ Report in r.html\n"
    found = Parsed((here / "r.html").read_text(encoding="utf8"))
    assert "pred against gold" in found.text and library() in found.raw["script"]
    assert [document[1] for document in found.data["documents"]] == [row["text"] for row in GOLD]
    assert {*here.iterdir()} - before == {here / "r.html"}


def test_the_command_takes_several_systems_metrics_intervals_and_a_title(here):
    title = ("--title", "A <b> title", "--metrics", "strict,loio", "--loio.s", "0.5")
    found = reported(*FILES, "other.jsonl", *title, "--confidence", "--samples", "20", "--name", "a", "--name", "b")
    assert "A <b> title" in found.text
    assert found.data["systems"] == ["a", "b"]
    assert [metric["name"] for metric in found.data["metrics"]] == ["strict", "fair"]
    assert "loio:s=0.5" in found.text
    assert "Intervals: 95 %, from the influence of each of 4 documents." in found.text
    assert "Only 4 documents, effectively 2.9: with fewer than 20, scores say little." in found.text


@pytest.mark.parametrize("repair", ["conll", "discard"])
def test_repaired_spans_are_told_of_each_system(here, repair):
    files = {"gold": "a B-A\nb O\nc B-A\n", "one": "a B-A\nb O\nc I-A\n", "two": "a I-A\nb O\nc I-A\n"}
    for name, text in files.items():
        Path(f"{name}.iob").write_text(f"{text}\nx B-A\ny I-A\n")
    text = reported(*(f"{name}.iob" for name in files), "--repair", repair).text
    assert "1 span repaired" in text
    assert "2 spans repaired" in text


def test_what_training_shows_is_a_slice(here):
    data = reported(*FILES, "--train", "gold.jsonl").data
    titles = [each["title"] for each in data["slices"]]
    assert titles[3:] == ["Frequency in training", "Share of its occurrences in training with this label"]
    for each in data["slices"]:
        for document, sides in zip(data["documents"], each["of"]):
            assert [3 * len(side) for side in sides] == [len(document[2]), len(document[3][0])]


def test_attributes_that_are_asked_for_come_first(here):
    data = reported("long.jsonl", "long-pred.jsonl", "--by", "sLen:2,40,eLen:2").data
    titles = [each["title"] for each in data["slices"]]
    assert titles == ["sLen: words in the document", "Words in the span", "Capitals", "Place in the text"]
    assert len(data["slices"][0]["buckets"]) == 3
    numbers = [of[0] for of in data["slices"][0]["of"]]
    assert numbers == sorted(numbers) and len({*numbers}) == 3


def test_a_conll_file_may_hold_both_sides(here):
    Path("sides.conll").write_text("Ada B-PER B-PER\nmet O O\nBob B-PER O\n")
    found = reported("sides.conll")
    assert Counter(v for v, _, _ in decoded(found.data, 0, "fair")) == {"tp": 1, "fn": 1}
    assert found.data["systems"] == ["sides"]


# Comparisons


@pytest.mark.parametrize("primary", ["fair.f", "slot_error.ser"])
def test_the_sentence_on_the_primary_score_comes_first(here, primary):
    asked = () if primary == "fair.f" else ("--primary", primary)
    text = reported(*MANY, *FEW, *asked).text
    compared = ("--trials", 200, "-m", "strict,slot_error,fair", "--primary", primary, "-o", "c.json")
    accepted("compare", *MANY, *compared)
    rows = json.loads(Path("c.json").read_text("utf8"))["comparisons"]
    (said,) = (row["verdict"] for row in rows if f"{row['metric']}.{row['score']}" == primary)
    assert said.startswith("not settled")
    assert text.index(f"; {said}.") < text.index("24 documents, ")


def test_a_margin_and_secondary_scores_are_those_asked_for(here):
    text = reported(*MANY, *FEW, "--margin", 40, "--secondary", "strict.p,strict.r").text
    assert "; the same within 40 points." in text
    assert "the primary score, fair f (1 test); the secondary scores (2 tests)" in text
    assert "primary family of 1 test, secondary family of 2 tests" in text


def test_units_are_called_what_they_are(here):
    text = reported("sourced.jsonl", *MANY[1:], *FEW, "--unit", "meta.source").text
    assert "influence of each of 12 units (meta.source)." in text
    assert "paired permutation test over 12 units" in text
    assert "⚠ Only 12 units" in text
    assert "unit meta.source, 12 units (effectively" in text
    assert "influence of each of 20 blocks (block:auto)." in reported("both.conll", *FEW[:3], *FEW[5:]).text
    assert "influence of each of 24 documents." in reported(*MANY, *FEW).text


def test_each_system_beside_the_first_has_a_sentence():
    documents = corpus(24)
    sides = [documents, second(documents), [Document(d.gold, d.gold, d.text, id=d.id) for d in documents]]
    systems = [system(name, *own, metrics=["fair"]) for name, own in zip("abc", sides)]
    text = Parsed(page(systems, confidence=Confidence(samples=20), trials=200)).text
    assert "b against a: fair F " in text and "; not settled: " in text
    assert "; c scores higher than a on texts like these, by " in text
    assert "the primary score, fair f (2 tests)" in text
    assert "c is better than a by " in text and "highest" not in text


# Refusals

REFUSED = [
    ([*FILES, "pred.jsonl"], "pred.jsonl is given twice"),
    ([*FILES, "-o", "no/r.html"], "there is no directory no"),
    ([*FILES, "-o", "gold.jsonl"], "gold.jsonl is an input"),
    ([*FILES, "--name", "x", "--name", "y"], "--name: 2 given for 1 system"),
    ([*FILES, "--samples", "5"], "--samples is given without --confidence"),
    (["gold.jsonl", "--fair.beta", "1"], "predictions to score against gold.jsonl are missing"),
    ([*FILES, "--by", "nope"], "there is no attribute 'nope'"),
    ([*FILES, "--by", "eFre"], "eFre needs training data"),
    (["long.jsonl", "long-pred.jsonl", "--by", "sLen:60"], "--by sLen:60 makes 60 buckets; a report shows at most 36"),
    ([*MANY, "--primary", "fair.f"], "--primary is given without --confidence"),
    ([*MANY[:2], "-C", "--margin", 1], "--margin is given, but there are no two systems to compare"),
]


@pytest.mark.parametrize(("arguments", "said"), REFUSED)
def test_the_command_refuses_in_one_line_and_leaves_nothing(here, arguments, said):
    before = {*here.iterdir()}
    assert said in refused("report", *arguments, *([] if "-o" in arguments else ["-o", "r.html"]))
    assert {*here.iterdir()} == before


@pytest.mark.parametrize("missing", ["altair", "vl_convert"])
def test_without_the_libraries_for_charts_the_extra_is_named(here, library, monkeypatch, missing):
    library.cache_clear()
    monkeypatch.setitem(sys.modules, missing, None)
    assert 'python -m pip install ".[report]"' in refused("report", *FILES, "-o", "r.html")
    assert not (here / "r.html").exists()


def test_a_report_that_fails_leaves_the_old_one(here, monkeypatch):
    (here / "r.html").write_text("old")
    monkeypatch.setattr("spacy_nereval.reporting.html.page", lambda *_, **__: "new \ud800")
    with pytest.raises(AssertionError):
        reported(*FILES)
    assert (here / "r.html").read_text() == "old"
    assert not [path for path in here.iterdir() if path.name.startswith(".")]
