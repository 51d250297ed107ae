"""Intervals in the scorers of a config, and of few documents."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import ANY

import pytest
import spacy
from commands import accepted
from docs import doc, example
from thinc.api import ConfigValidationError
from two_systems import GOLD, LIKE, bounds, compared, jsonl, written

from spacy_nereval import Confidence, create_all
from spacy_nereval.integration.scorer import make_ner_scorer, make_spans_scorer

pytestmark = pytest.mark.costly  # resampling, in almost every test


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


def test_a_config_names_the_confidence_of_a_scorer_and_of_the_component():
    nlp = spacy.blank("en")
    scorer = {"@scorers": "spacy-nereval.ner_scorer.v1", "metrics": {"strict": {}}, "confidence": {"samples": 15}}
    nlp.add_pipe("ner", config={"scorer": scorer}).add_label("PER")
    nlp.add_pipe("nereval", config={"metrics": {"loio": {}}, "confidence": {"level": 0.6}, "spans_keys": ["k"]})
    nlp = spacy.blank("en").from_config(nlp.config)
    nlp.initialize()
    assert nlp.get_pipe("ner").scorer.confidence == Confidence(samples=15)
    scores = nlp.get_pipe("nereval").score(examples())
    for key in ("ents_nereval", "spans_k_nereval"):
        assert scores[key]["confidence"]["level"] == 0.6
        assert scores[key]["metrics"]["loio"]["intervals"]["scores"]["f"]
    with pytest.raises(ConfigValidationError):
        spacy.blank("en").add_pipe("nereval", config={"confidence": {"level": 3}})


@pytest.mark.parametrize(
    "make", [make_ner_scorer, lambda **o: make_spans_scorer(spans_key="k", **o)], ids=["ents", "spans"]
)
def test_few_documents_or_none_never_end_a_run(make):
    """With an empty or tiny development set, training goes on: there are no intervals, or they are flagged."""
    blank = example(doc("Ada", annotated=False), doc("Ada"))
    for some, documents in (([], 0), ([blank], 0), (examples()[:1], 1), (examples()[:1] + [blank], 1)):
        scores = make(confidence={})(some)
        (key,) = (key for key in scores if key.endswith("_nereval"))
        assert (scores[key]["documents"], scores[key]["confidence"]) == (documents, None)
        assert "intervals need at least 2" in scores[key]["notes"][0]
        assert {own["intervals"] for own in scores[key]["metrics"].values()} == {None}
        json.dumps(scores[key], allow_nan=False)
    result = make(confidence={})(examples()[:2])[key]
    assert (result["documents"], result["confidence"]["units"]) == (2, 2)
    for name, metric in result["metrics"].items():
        for score, found in metric["intervals"]["scores"].items():
            low, high = bounds(found)
            if metric["scores"][score] is None:
                assert (low, high, found["flag"]) == (None, None, "undefined"), (name, score)
            else:
                assert low < high and found["flag"] == "few", (name, score)


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
