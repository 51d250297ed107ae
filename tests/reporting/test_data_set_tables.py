"""The tables and the lines below them that say in how many data sets a system is better."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spacy_nereval.reporting.comparison_view import DataSetsView
from spacy_nereval.reporting.formats import document
from spacy_nereval.reporting.result_table import Interval


def found(**more: Any) -> dict[str, Any]:
    """What is counted over two data sets: B is better in the first, and the second has no test."""
    rows = [
        {"data_set": "news", "difference": 0.1, "interval": [0.02, 0.18], "p_better": 0.001, "p_holm": 0.002},
        {"data_set": "mail", "difference": None, "interval": [None, None], "p_better": None, "p_holm": 1.0},
    ]
    given = {"metric": "strict", "score": "f", "score_unit": "ratio", "higher_is_better": True, "level": 0.95}
    given |= {"baseline": "A", "system": "B", "method": "bonferroni", "least": 1, "number": 2, "p": [0.002, 1.0]}
    return given | {"data_sets": [row | {"differing": 30, "named": k == 0} for k, row in enumerate(rows)]} | more


def test_ratios_are_shown_in_percent_and_what_is_undefined_is_none():
    sets, counts = DataSetsView(found()).tables(DataSetsView.usual)
    assert sets.rows == [
        ["news", 0.1, Interval(0.02, 0.18), 0.001, 0.002, "yes"],
        ["mail", None, None, None, 1.0, "no"],
    ]
    assert sets.grid()[1][1:3] == ["10.00", "[2.00, 18.00]"]
    assert counts.rows == [["1 of 2", 0.002, "yes"], ["2 of 2", 1.0, "no"]]


@pytest.mark.parametrize(
    ("unit", "higher_is_better", "difference", "note"),
    [
        ("ratio", False, "10.00", "lower is better"),
        ("raw", False, "0.10", "lower is better"),
        ("count", True, "0.10", ""),
    ],
)
def test_the_unit_and_the_direction_are_declared_and_the_metric_need_not_be_registered(
    unit, higher_is_better, difference, note
):
    given = found(metric="of another package", score="x", score_unit=unit, higher_is_better=higher_is_better)
    sets, _ = DataSetsView(given).tables(DataSetsView.usual)
    assert (sets.grid()[1][1], sets.note) == (difference, note)


@pytest.mark.parametrize(
    ("differing", "why"),
    [
        (5, "the outputs differ in 5 units, and a test needs 6"),
        (1, "the outputs differ in 1 unit, and a test needs 6"),
        (6, "the score is undefined there for one of the two"),
        (None, "the score is undefined there for one of the two"),
    ],
)
def test_why_there_is_no_test(differing, why):
    given = found()
    given["data_sets"][1]["differing"] = differing
    _, warned = DataSetsView(given).closing()
    assert warned == f"⚠ No test in mail: {why}. It counts as p = 1."


def test_the_footer_says_the_direction_the_method_and_the_level():
    first, *_ = DataSetsView(found()).closing()
    assert "Tested in each data set: B is better than A (one-sided)." in first
    assert "by Bonferroni's method" in first and "Fisher" not in first
    assert "by Fisher's method" in DataSetsView(found(method="fisher")).closing()[0]
    assert DataSetsView(found(level=0.99)).closing()[0].count("at most 1 %") == 2


def test_the_least_p_that_swaps_can_give_is_said_to_be_one():
    given = found(p=[2 / 10001, 1.0])
    given["data_sets"][0] |= {"p_better": 1 / 10001, "p_holm": 2 / 10001, "swaps": 10_000, "exact": False}
    sets, counts = DataSetsView(given).tables(DataSetsView.usual)
    assert sets.grid()[1][3:5] == ["< .0001", "< .0002"]
    assert [row[1] for row in counts.grid()[1:]] == ["< .0002", "1.0000"]
    said = "< before a p-value: the swaps of that comparison cannot show a smaller one."
    assert said in DataSetsView(given).closing()
    in_json = document([sets], "json")
    assert json.loads(in_json)[sets.title][0]["p (one-sided)"] == pytest.approx(1 / 10001) and "< ." not in in_json
    for other in ({"exact": True}, {"runs": [3, 3]}, {"p_better": 2 / 10001}):
        changed = found()
        changed["data_sets"][0] |= {"p_better": 1 / 10001, "swaps": 10_000, "exact": False} | other
        assert "before a p-value" not in "".join(DataSetsView(changed).closing())
