"""Intervals, scores per document, counts and merges: on the command line and in the scorers of a config."""

import json
from typing import Any
from unittest.mock import ANY

import pytest
import spacy
from commands import accepted
from docs import doc, example, write_docs
from thinc.api import ConfigValidationError
from two_systems import GOLD, LIKE, as_docs, bounds, compared, jsonl, near, shards, written

from spacy_nereval import count, create_all, evaluate
from spacy_nereval.evaluation.per_document import document_rows
from spacy_nereval.integration.scorer import make_ner_scorer, make_spans_scorer
from spacy_nereval.io.count_files import load

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


def test_a_model_has_the_scores_intervals_and_counts_of_its_predictions(here, model):
    write_docs(here / "gold.spacy", as_docs(GOLD, "gold"))
    accepted("evaluate", model, "gold.spacy", "-C", "--samples", 20, "-o", "model.json", "--per-document", "rows.jsonl")
    nlp = spacy.load(model)
    write_docs(here / "pred.spacy", [nlp(d.text) for d in GOLD])
    accepted("score", "gold.spacy", "pred.spacy", "-C", "--samples", 20, "-o", "files.json")
    assert written(here / "model.json") == written(here / "files.json")
    assert 0 < written(here / "model.json")["metrics"]["strict"]["scores"]["f"] < 1
    assert len((here / "rows.jsonl").read_text().splitlines()) == len(GOLD)
    accepted("count", model, "gold.spacy", "-o", "counts.npz")
    accepted("score", "counts.npz", "-C", "-o", "counts.json")
    assert written(here / "counts.json") == written(here / "model.json")
    assert load(here / "counts.npz").ids == [d.id for d in GOLD]


@pytest.mark.parametrize("command", ["score gold.jsonl base.jsonl", "compare gold.jsonl base.jsonl other.jsonl"])
def test_short_leaves_defaults_out_of_the_printed_signature_and_changes_nothing_else(here, command):
    long, short = (
        (accepted(*command.split(), "--loio.s", 0.5, "-o", "out.json", *more).splitlines(), written(here / "out.json"))
        for more in ([], ["--short"])
    )
    assert long[0][-1] == long[1].pop("signature") and short[0][-1] == short[1].pop("signature")
    assert (long[0][:-1], long[1]) == (short[0][:-1], short[1])
    assert "|strict|semeval|slot_error|loio:s=0.5|fair|wrf|" in short[0][-1] and "|loio:match" not in short[0][-1]


# Per document


def test_per_document_writes_a_row_per_document_the_worst_first(here):
    printed = accepted("score", "gold.jsonl", "base.jsonl", "--per-document", "rows.jsonl")
    rows = [json.loads(line) for line in (here / "rows.jsonl").read_text(encoding="utf8").splitlines()]
    assert rows == near(document_rows(count(GOLD, create_all())))
    assert "WRF compared with strict F in" in printed
    assert any(None in row.values() for row in rows)  # some score is undefined
    f = [row["strict_f"] for row in rows if row["strict_f"] is not None]
    assert f == sorted(f)


# Counts


@pytest.mark.parametrize(
    "options", [[], ["-m", "wrf,loio", "--loio.s", 1, "--wrf.average", "micro"]], ids=["all", "some"]
)
def test_scores_of_counts_are_those_of_the_files(here, options):
    tables = ["--tables", "scores,labels,errors,label-scores,counts,documents"]  # pairs have texts
    printed = accepted("score", "gold.jsonl", "base.jsonl", "-o", "files.json", *tables, *options)
    assert "24 documents" in accepted("count", "gold.jsonl", "base.jsonl", "-o", "counts.npz", *options)
    assert accepted("score", "counts.npz", "-o", "counts.json", *tables) == printed
    assert (here / "counts.json").read_bytes() == (here / "files.json").read_bytes()


def test_scores_of_merged_parts_are_those_of_the_whole(here):
    parts = shards(here, 5, 1, 18)
    assert "24 documents" in accepted("merge", *parts, "-o", "all.npz")
    accepted("score", "all.npz", "-o", "merged.json", "--per-document", "merged.csv", "-C", "--samples", 20)
    accepted(
        "score", "gold.jsonl", "base.jsonl", "-o", "whole.json", "--per-document", "whole.csv", "-C", "--samples", 20
    )
    assert (here / "merged.json").read_bytes() == (here / "whole.json").read_bytes()
    assert (here / "merged.csv").read_bytes() == (here / "whole.csv").read_bytes()


# The scorers of a config


def examples() -> list[Any]:
    texts = ["Ada met Bob", "in Rome", "Ada Bob Rome"]
    gold = [[(0, 1, "PER"), (2, 3, "PER")], [(1, 2, "LOC")], [(0, 1, "PER"), (2, 3, "LOC")]]
    pred = [[(0, 1, "PER")], [(1, 2, "PER")], [(0, 2, "PER"), (2, 3, "LOC")]]
    return [
        example(doc(text, *g, spans={"k": g}), doc(text, *p, spans={"k": p})) for text, g, p in zip(texts, gold, pred)
    ]


@pytest.mark.parametrize(
    "make", [make_ner_scorer, lambda **o: make_spans_scorer(spans_key="k", **o)], ids=["ents", "spans"]
)
def test_with_confidence_a_scorer_has_intervals_in_its_nested_result_and_the_same_keys(make):
    without, with_intervals, usual = (
        make(**options)(examples())
        for options in ({}, {"confidence": {"level": 0.9, "samples": 20, "seed": 1}}, {"confidence": {}})
    )
    (key,) = (key for key in without if key.endswith("_nereval"))
    assert {k: v for k, v in with_intervals.items() if k != key} == {k: v for k, v in without.items() if k != key}
    assert with_intervals.keys() == without.keys()
    assert "confidence" not in without[key]
    drawn = {"method": "infl", "samples": None, "seed": None, "unit": "id", "units": 3, "exact": True}
    drawn |= {"effective_units": ANY, "concentrated": []}
    assert with_intervals[key]["confidence"] == drawn | {"level": 0.9}
    assert usual[key]["confidence"] == drawn | {"level": 0.95}
    for name, metric in with_intervals[key]["metrics"].items():
        found = metric.pop("intervals")
        counts = {score.name for score in create_all([name])[0].scores if score.unit == "count"}
        assert found["scores"].keys() == metric["scores"].keys() - counts
        assert metric == without[key]["metrics"][name]


BAD_CONFIDENCE = [
    {"level": 0}, {"level": 1}, {"level": 2}, {"level": "high"}, {"samples": 0}, {"samples": -1}, {"samples": "many"},
    {"samples": 10.5}, {"seed": -1}, {"seed": 0.5}, {"seed": None}, {"colour": "red"}, {"level": None},
]  # fmt: skip


@pytest.mark.parametrize("confidence", BAD_CONFIDENCE, ids=str)
def test_a_bad_confidence_is_a_mistake_in_the_config_before_anything_is_scored(confidence):
    for make in (make_ner_scorer, make_spans_scorer):
        with pytest.raises(ConfigValidationError, match="(?i)unusable confidence"):
            make(confidence=confidence)


def test_intervals_and_tests_of_a_single_document_say_how_little_they_rest_on(here):
    jsonl(here / "one.jsonl", GOLD[:1], "gold")
    accepted("count", "one.jsonl", "one.jsonl", "-o", "one.npz", "-m", "strict")
    for files in (["one.jsonl", "one.jsonl", "-m", "strict"], ["one.npz"]):
        printed = accepted("score", *files, "-C", "-o", "one.json")
        assert "⚠ Only 1 document: with fewer than 20" in printed
        found = written(here / "one.json")["metrics"]["strict"]["intervals"]["scores"]["f"]
        assert found["flag"] == "few" and bounds(found)[1] - bounds(found)[0] > 0.9
    result, printed = compared(here, "one.jsonl", "one.jsonl", "one.jsonl")
    assert {row["p"] for row in result["comparisons"]} == {None}
    assert "⚠ Only 1 document: with fewer than 20" in printed


def test_intervals_of_few_documents_come_with_a_warning(here):
    jsonl(here / "few.jsonl", GOLD[:19], "gold")
    said = "⚠ Only 19 documents, effectively 1"
    assert said in accepted("score", "few.jsonl", "few.jsonl", "-C", "--samples", 20)
    assert said in accepted("score", "few.jsonl", "few.jsonl"), "the main score has an interval always"
    jsonl(here / "like.jsonl", LIKE, "gold")
    assert "⚠" not in accepted("score", "like.jsonl", "like.jsonl", "-C", "--samples", 20)
    jsonl(here / "like.jsonl", LIKE[:19], "gold")
    assert "⚠ Only 19 documents: with" in accepted("score", "like.jsonl", "like.jsonl", "-C", "--samples", 20)
