"""Counts over data sets: what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from data_sets import comparison, results, row

from spacy_nereval.evaluation.datasets import check_comparison, data_sets

# What is refused


def refused(given: dict[str, Any]) -> str:
    with pytest.raises(ValueError) as caught:
        data_sets(given)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_one_comparison_is_no_count():
    assert refused(results(0.01)) == "expected the comparisons of two or more data sets, not of 1"
    assert "not of 0" in refused({})


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"baseline": "Z"}, "the baseline is A in set0 and Z in set1"),
        ({"version": "2"}, "the version is 1 in set0 and 2 in set1"),
        ({"confidence": {"level": 0.9}}, "the level is 0.95 in set0 and 0.9 in set1"),
        ({"signature": "x|strict:beta=2.0|y"}, "the metric is strict:beta=1.0 in set0 and strict:beta=2.0 in set1"),
        ({"signature": "x|strict|y"}, "the metric is strict:beta=1.0 in set0 and strict in set1"),
        ({"comparisons": [row(0.1, system="C")]}, "the system is B in set0 and C in set1"),
    ],
)
def test_comparisons_that_are_not_alike(changed, what):
    given = results(0.01, 0.02)
    given["set1"] |= changed
    said = refused(given)
    assert said == f"{what}: data sets can be counted only where the comparisons are alike"


def test_other_metrics_of_the_comparisons_may_differ():
    given = results(0.01, 0.02)
    given["set1"]["signature"] = given["set1"]["signature"].replace("unit=char", "unit=token")
    assert data_sets(given)["least"] == 2


def test_two_primary_scores():
    given = results(0.01, 0.02)
    given["set1"]["comparisons"][0]["metric"] = "fair"
    assert refused(given) == (
        "the primary score is strict.f in set0 and fair.f in set1: choose one with score='METRIC.SCORE'"
    )


def test_a_data_set_given_twice_with_another_seed():
    given = {"news": comparison(row(0.01)), "again": comparison(row(0.02), confidence={"level": 0.95, "seed": 7})}
    assert refused(given) == "news and again have the same numbers: give each data set once"


def test_a_data_set_given_twice_with_another_third_system():
    given = {name: comparison(row(0.01), row(0.3, k, system="C")) for k, name in enumerate(("news", "again"))}
    with pytest.raises(ValueError, match="news and again have the same numbers"):
        data_sets(given, system="B")


@pytest.mark.parametrize("other", [{"documents": 91}, {"units": 80}, {"comparisons": [row(0.01, differing=39)]}])
def test_data_sets_that_are_alike_by_chance(other):
    assert data_sets({"news": comparison(row(0.01)), "mail": comparison(row(0.01)) | other})["least"] == 2


def test_two_data_sets_without_any_difference_are_two():
    same = row(None, 0.5, differing=0)
    assert data_sets({"news": comparison(same), "mail": comparison(same)})["number"] == 2


@pytest.mark.parametrize(
    "given",
    [
        None,
        [],
        {},
        {"metrics": {}, "signature": "", "version": "1", "documents": 3},
        comparison(),
        comparison(row(0.1)) | {"comparisons": [1]},
        comparison(row(0.1)) | {"comparisons": {}},
        comparison(row(0.1)) | {"confidence": None},
        comparison(row(0.1)) | {"confidence": {"level": "0.95"}},
        comparison(row(0.1)) | {"confidence": {"level": 95.0}},
        comparison(row(0.1)) | {"signature": None},
        comparison(row(0.1)) | {"documents": "90"},
    ],
)
def test_what_is_no_comparison(given):
    with pytest.raises(ValueError, match="^x.json is not a comparison: expected a JSON file that"):
        check_comparison("x.json", given)
    assert check_comparison("x.json", comparison(row(0.1))) is None


@pytest.mark.parametrize("key", ["p_better", "family", "interval", "system", "score_unit"])
def test_a_comparison_of_an_older_version(key):
    old = row(0.1)
    del old[key]
    with pytest.raises(ValueError, match=f"^x.json lacks '{key}', so another version wrote it: run 'nereval compare'"):
        check_comparison("x.json", comparison(old))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("p_better", "0.1"),
        ("p_better", True),
        ("p_better", 0),
        ("p_better", 1.1),
        ("p_better", float("nan")),
        ("difference", "0.1"),
        ("difference", float("nan")),
        ("value", float("inf")),
        ("value", [1]),
        ("interval", None),
        ("interval", [0.1]),
        ("interval", [0.1, "0.2"]),
    ],
)
def test_numbers_that_are_none(key, value):
    with pytest.raises(ValueError, match=f"^x.json: {key} of strict.f is .*; expected a number"):
        check_comparison("x.json", comparison(row(0.1) | {key: value}))
