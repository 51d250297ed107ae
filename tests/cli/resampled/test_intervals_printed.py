"""Intervals and scores per document on the command line."""

from __future__ import annotations

import csv
import json
from unittest.mock import ANY

import pytest
import spacy
from commands import accepted
from docs import write_docs
from two_systems import GOLD, as_docs, bounds, near, written

from spacy_nereval import count, create_all, evaluate
from spacy_nereval.evaluation.per_document import document_rows

pytestmark = pytest.mark.costly  # resampling, in almost every test


# Intervals


@pytest.mark.parametrize("average", ["macro", "weighted", "docs"])
def test_the_intervals_printed_are_those_of_the_average(here, average):
    printed = accepted("score", "gold.jsonl", "base.jsonl", "-o", "out.json", "-C", "--samples", 30, "-a", average)
    strict = written(here / "out.json")["metrics"]["strict"]
    low, high = (100 * bound for bound in bounds(strict["intervals"]["averages"][average]["f"]))
    assert f"{100 * strict['averages'][average]['f']:.2f} [{low:.2f}, {high:.2f}]" in printed


def test_without_the_option_the_main_score_alone_has_intervals(here, monkeypatch):
    printed = accepted("score", "gold.jsonl", "base.jsonl", "-o", "out.json", "-t", "headline,scores,label-scores")
    assert written(here / "out.json") == near(evaluate(count(GOLD, create_all())))
    asked = accepted("score", "gold.jsonl", "base.jsonl", "-o", "out.json", "-C")
    interval = written(here / "out.json")["metrics"]["fair"]["intervals"]
    low, high = (100 * bound for bound in bounds(interval["scores"]["f"]))
    assert f"fair F 75.00 [{low:.2f}, {high:.2f}]; " in printed
    first, _, labels, *others = printed.split("\n\n")
    assert labels == asked.split("\n\n")[2] and "[" in labels
    assert "[" not in first.split("Also")[1] + "".join(others)
    monkeypatch.setattr("spacy_nereval.reporting.score_view.MOST_DOCUMENTS", 23)
    assert "[" not in accepted("score", "gold.jsonl", "base.jsonl", "-t", "headline,scores")


def test_evaluate_gives_a_model_its_intervals(here, model):
    write_docs(here / "gold.spacy", as_docs(GOLD, "gold"))
    accepted("evaluate", model, "gold.spacy", "-C", "--samples", 20, "-o", "model.json", "--per-document", "rows.jsonl")
    nlp = spacy.load(model)
    write_docs(here / "pred.spacy", [nlp(d.text) for d in GOLD])
    accepted("score", "gold.spacy", "pred.spacy", "-C", "--samples", 20, "-o", "files.json")
    assert written(here / "model.json") == written(here / "files.json")
    assert 0 < written(here / "model.json")["metrics"]["strict"]["scores"]["f"] < 1
    assert len((here / "rows.jsonl").read_text().splitlines()) == len(GOLD)


def test_the_usual_settings_of_intervals_are_those_promised(here):
    accepted("score", "gold.jsonl", "base.jsonl", "-m", "strict", "-C", "-o", "out.json")
    result = written(here / "out.json")
    drawn = {"method": "infl", "level": 0.95, "samples": None, "seed": None, "unit": "id", "units": 24, "exact": True}
    assert result["confidence"] == drawn | {"effective_units": ANY, "concentrated": []}
    assert 10 < result["confidence"]["effective_units"] < 24
    assert "|infl,level:0.95,unit:id,units:24|" in result["signature"]


def test_short_leaves_defaults_out_of_the_signature_and_changes_nothing_else(here):
    results = []
    for more in ([], ["--short"]):
        printed = accepted("score", "gold.jsonl", "base.jsonl", "-o", "out.json", *more, "--loio.s", 0.5)
        results.append(written(here / "out.json"))
        assert printed.splitlines()[-1] == results[-1].pop("signature")
    assert results[0] == results[1]
    assert "|strict|semeval|slot_error|loio:s=0.5|fair|wrf|" in printed
    for command in ("score", "compare"):
        base = ["gold.jsonl", "base.jsonl"]
        base += [] if command == "score" else ["other.jsonl", "--samples", 5, "--trials", 20]
        lines = [accepted(command, *base, *more).splitlines()[-1] for more in ([], ["--short"])]
        assert len(lines[1]) < len(lines[0])


def test_the_signature_printed_names_the_average_printed(here):
    printed = {accepted("score", "gold.jsonl", "base.jsonl", "-a", a).splitlines()[-1] for a in ("micro", "macro")}
    assert any("|avg:macro|" in line for line in printed)


# Per document


def test_per_document_writes_a_row_per_document_the_worst_first(here):
    rows = document_rows(count(GOLD, create_all()))
    printed = accepted("score", "gold.jsonl", "base.jsonl", "--per-document", "rows.jsonl")
    assert [json.loads(line) for line in (here / "rows.jsonl").read_text(encoding="utf8").splitlines()] == near(rows)
    assert "WRF compared with strict F in" in printed
    accepted("score", "gold.jsonl", "base.jsonl", "--per-document", "rows.csv")
    with (here / "rows.csv").open(newline="", encoding="utf8") as file:
        read = list(csv.DictReader(file))
    assert [{key: "" if value is None else str(value) for key, value in row.items()} for row in rows] == read
    assert any("" in row.values() for row in read)  # some score is undefined
    f = [float(row["strict_f"]) for row in read if row["strict_f"]]
    assert f == sorted(f)


def test_per_document_tells_of_disagreement_only_where_both_were_counted(here):
    printed = accepted("score", "gold.jsonl", "base.jsonl", "-m", "strict,fair", "--per-document", "rows.csv")
    assert "WRF" not in printed
    assert "WRF compared" not in accepted("score", "gold.jsonl", "base.jsonl")
