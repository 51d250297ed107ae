"""The command that writes the HTML report."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest
from commands import GOLD, PRED, accepted, refused, write
from pages import Parsed, decoded

from spacy_nereval.reporting.html.charts import scripts


@pytest.mark.parametrize("repair", ["conll", "discard"])
def test_repaired_spans_are_told_of_each_system(tmp_path, repair):
    files = {"gold": "a B-A\nb O\nc B-A\n", "one": "a B-A\nb O\nc I-A\n", "two": "a I-A\nb O\nc I-A\n"}
    for name, text in files.items():
        (tmp_path / f"{name}.iob").write_text(f"{text}\nx B-A\ny I-A\n")
    paths = [tmp_path / f"{name}.iob" for name in files]
    accepted("report", *paths, "--repair", repair, "-o", tmp_path / "r.html")
    text = Parsed((tmp_path / "r.html").read_text(encoding="utf8")).text
    assert "1 span repaired" in text
    assert "2 spans repaired" in text


@pytest.fixture
def here(tmp_path) -> Path:
    write(tmp_path / "gold.jsonl", *GOLD)
    write(tmp_path / "pred.jsonl", *PRED)
    write(tmp_path / "good.jsonl", *GOLD)
    return tmp_path


def test_the_command_writes_a_report(here):
    said = accepted("report", here / "gold.jsonl", here / "pred.jsonl", "-o", here / "r.html")
    assert said == f"✔ Report in {here / 'r.html'}\n"
    found = Parsed((here / "r.html").read_text(encoding="utf8"))
    assert "pred against gold" in found.text
    assert [document[1] for document in found.data["documents"]] == [row["text"] for row in GOLD]
    assert sorted(path.name for path in here.iterdir()) == ["gold.jsonl", "good.jsonl", "pred.jsonl", "r.html"]


def test_the_command_takes_several_systems_metrics_intervals_and_a_title(here):
    accepted(
        "report", here / "gold.jsonl", here / "pred.jsonl", here / "good.jsonl", "--output", here / "r.html",
        "--title", "A <b> title", "--metrics", "strict,loio", "--loio.s", "0.5", "--confidence", "--samples", "20",
    )  # fmt: skip
    found = Parsed((here / "r.html").read_text(encoding="utf8"))
    assert "A <b> title" in found.text
    assert found.data["systems"] == ["pred", "good"]
    assert [metric["name"] for metric in found.data["metrics"]] == ["strict", "fair"]
    assert "loio:s=0.5" in found.text
    assert "Intervals: 95 %, from the influence of each of 3 documents." in found.text
    assert "Only 3 documents, effectively 1.8: with fewer than 20, scores say little." in found.text


def test_systems_have_the_names_given(here):
    files = [here / name for name in ("gold.jsonl", "pred.jsonl", "good.jsonl")]
    accepted("report", *files, "--name", "before", "--name", "after", "-o", here / "r.html")
    assert Parsed((here / "r.html").read_text(encoding="utf8")).data["systems"] == ["before", "after"]
    assert "--name: 1 given for 2 systems" in refused("report", *files, "--name", "x", "-o", here / "s.html")


def test_what_training_shows_is_a_slice(here):
    files = [here / name for name in ("gold.jsonl", "pred.jsonl")]
    accepted("report", *files, "--train", here / "gold.jsonl", "-o", here / "r.html")
    data = Parsed((here / "r.html").read_text(encoding="utf8")).data
    assert [each["title"] for each in data["slices"]][3:] == [
        "Frequency in training",
        "Share of its occurrences in training with this label",
    ]
    for each in data["slices"]:
        for document, sides in zip(data["documents"], each["of"]):
            assert [3 * len(side) for side in sides] == [len(document[2]), len(document[3][0])]


def test_a_conll_file_may_hold_both_sides(tmp_path):
    (tmp_path / "both.conll").write_text("Ada B-PER B-PER\nmet O O\nBob B-PER O\n")
    accepted("report", tmp_path / "both.conll", "--output", tmp_path / "r.html")
    found = Parsed((tmp_path / "r.html").read_text(encoding="utf8"))
    assert Counter(v for v, _, _ in decoded(found.data, 0, "fair")) == {"tp": 1, "fn": 1}
    assert found.data["systems"] == ["both"]


def test_the_predictions_may_be_in_another_order_if_there_are_ids(here):
    gold = [{**row, "id": k} for k, row in enumerate(GOLD)]
    write(here / "gold.jsonl", *gold)
    write(here / "pred.jsonl", *reversed([{**row, "id": k} for k, row in enumerate(PRED)]))
    accepted("report", here / "gold.jsonl", here / "pred.jsonl", "-o", here / "r.html")
    data = Parsed((here / "r.html").read_text(encoding="utf8")).data
    assert Counter(v for v, _, _ in decoded(data, 0, "fair")) == {"tp": 1, "be_s": 1, "le": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gold.jsonl", "pred.jsonl", "pred.jsonl", "-o", "r.html"], "pred.jsonl is given twice"),
        (["gold.jsonl", "pred.jsonl", "-o", "no/r.html"], "there is no directory no"),
        (["gold.jsonl", "pred.jsonl", "-o", "gold.jsonl"], "gold.jsonl is an input"),
        (["gold.jsonl", "none.jsonl", "-o", "r.html"], "none.jsonl does not exist"),
        (["gold.jsonl", "pred.jsonl", "-o", "r.html", "--samples", "5"], "--samples is given without --confidence"),
        (["gold.jsonl", "pred.jsonl", "-o", "r.html", "--metrics", "nope"], "there is no metric 'nope'"),
        (["gold.jsonl", "--fair.beta", "1", "-o", "r.html"], "predictions to score against gold.jsonl are missing"),
    ],
)
def test_the_command_refuses_in_one_line_and_leaves_nothing(here, monkeypatch, arguments, message):
    monkeypatch.chdir(here)
    before = sorted(path.name for path in here.iterdir())
    assert message in refused("report", *arguments)
    assert sorted(path.name for path in here.iterdir()) == before


@pytest.mark.parametrize("library", ["altair", "vl_convert"])
def test_without_the_libraries_for_charts_the_extra_is_named(here, monkeypatch, library):
    scripts.cache_clear()
    monkeypatch.setitem(sys.modules, library, None)
    said = refused("report", here / "gold.jsonl", here / "pred.jsonl", "-o", here / "r.html")
    assert 'python -m pip install ".[report]"' in said
    assert not (here / "r.html").exists()


def test_a_report_that_fails_leaves_the_old_one(here, monkeypatch):
    (here / "r.html").write_text("old")
    monkeypatch.setattr("spacy_nereval.reporting.html.page", lambda *_, **__: "new \ud800")
    with pytest.raises(AssertionError):
        accepted("report", here / "gold.jsonl", here / "pred.jsonl", "-o", here / "r.html")
    assert (here / "r.html").read_text() == "old"
    assert not [path for path in here.iterdir() if path.name.startswith(".")]
