"""Laws for every registered metric: the best score, the worst, and the bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from asking import counted, near
from hypothesis import assume, given
from laws import CONTRACT, document, law
from strategies import corpora

from spacy_nereval import Document, Score

# The best, the worst, and the bounds


@law
@given(corpus=corpora())
def test_a_prediction_like_the_gold_has_the_best_score(case, corpus):
    assume(any(doc.text[span.start : span.end].strip() for doc in corpus for span in doc.gold))
    scores = case.result(document(doc, [doc.gold, doc.gold]) for doc in corpus)["scores"]
    assert {key: value for key, value in scores.items() if key not in case.numbers} == {
        key: case.best.get(key, 1) for key in scores if key not in case.numbers
    }


@law
@given(corpus=corpora())
def test_swapping_the_sides_swaps_p_and_r(case, corpus):
    there = case.result(corpus)["scores"]
    back = case.result(document(doc, [doc.pred, doc.gold]) for doc in corpus)["scores"]
    assert case.swap.keys() <= there.keys(), "its contract must say which of its scores swap"
    assert {key: there[key] for key in case.swap} == {key: near(back[other]) for key, other in case.swap.items()}


@law
@given(corpus=corpora())
def test_swapping_the_sides_leaves_symmetric_scores_as_they_are(case, corpus):
    """Those that are declared so. Which label a pair counts for may change, so rows of labels are left out
    unless labels are classes."""
    metric = case.metric
    there, back = (case.result(side) for side in (corpus, [document(d, [d.pred, d.gold]) for d in corpus]))
    assert_same(metric.scores, there["scores"], back["scores"])
    if metric.classes:
        assert there["per_type"].keys() == back["per_type"].keys()
        for row in ("combined", *there["per_type"]):
            a, b = (result["combined"] if row == "combined" else result["per_type"][row] for result in (there, back))
            assert_same(metric.classes.scores, a["scores"], b["scores"])


def assert_same(declared: Iterable[Score], there: dict[str, Any], back: dict[str, Any]) -> None:
    symmetric = [score.name for score in declared if score.symmetric]
    assert {name: there[name] for name in symmetric} == {name: near(back[name]) for name in symmetric}


def test_fair_has_a_direction():
    """Why its contract exempts it: two gold spans share one prediction, but one gold span
    leaves to the second prediction none of its characters."""
    many, one = [(2, 7, "A"), (3, 7, "A")], [(2, 8, "B")]
    assert counted(Document(many, one), "fair") == {"lbe": 2}
    assert counted(Document(one, many), "fair") == {"lbe": 1, "fp": 1}


@law
@given(corpus=corpora())
def test_every_score_lies_within_its_declared_limits(case, corpus):
    """And so do its averages, its values for labels, and those for all labels together."""
    result, declared = case.result(corpus), case.metric.score_by_name
    rows = [result["scores"], *result["averages"].values(), *(row["scores"] for row in result["per_type"].values())]
    rows += [result["combined"]["scores"]] if "combined" in result else []
    for scores in rows:
        for key, value in scores.items():
            if key != "undefined" and value is not None:
                least, most = declared[key].limits
                assert least <= value <= most, key


def test_ratios_are_declared_to_lie_between_0_and_1_but_for_these():
    """The law above would hold for any number if all limits were infinite."""
    metrics = [case._replace(name=name).metric for name, cases in CONTRACT.items() for case in cases]
    scores = {(m.name, score) for m in metrics for score in m.score_by_name.values()}
    assert {(name, its.name): its.limits for name, its in scores if its.limits != (0, 1)} == {
        ("slot_error", "ser"): (0, math.inf),
        ("ace", "value"): (-math.inf, 1),
        ("plagdet", "granularity"): (1, math.inf),
        **{
            (name, key): (0, math.inf) for name, key in [("fair", "be")] + [("loio", key) for key in ("tp", "fp", "fn")]
        },
    }


@law
@given(corpus=corpora())
def test_a_missing_span_costs_recall_alone(case, corpus):
    """Without any prediction P is undefined, R and F are 0; without any gold span P and F are 0."""
    corpus = [document(doc, [{*doc.gold, *doc.pred}, []]) for doc in corpus]
    assume(any(doc.text[span.start : span.end].strip() for doc in corpus for span in doc.gold))
    missed = case.result(corpus)["scores"]
    spurious = case.result(document(doc, [[], doc.gold]) for doc in corpus)["scores"]
    expected = {"p": (None, 0), "r": (0, None), "f": (0, 0)}
    for key in missed:
        letter = key.rpartition("_")[2]
        assert letter not in expected or (missed[key], spurious[key]) == expected[letter], key
