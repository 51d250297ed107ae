"""Differences of two systems, their intervals and tests."""

from __future__ import annotations

import pytest
from compared import FEW, TEN, WORKED_A, WORKED_B, by_score, compare, strictly
from made_up import corpus, second, tallied

from spacy_nereval import Confidence, Document, count, create_all
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.result import plain
from spacy_nereval.evaluation.statistics.differences import detectable_difference


def test_differing_units_are_those_whose_totals_differ():
    """Units whose labels differ while the totals agree change nothing when they are swapped, except
    for a metric that gives every label a score of its own."""
    gold = [(0, 1, "A"), (2, 3, "B")]
    first = [Document(gold, gold[:1], "a b", tokens=[(0, 1), (2, 3)], id=str(k)) for k in range(8)]
    other = [Document(gold, gold[1:], "a b", tokens=[(0, 1), (2, 3)], id=str(k)) for k in range(8)]
    rows = by_score(compare(*(count(d, create_all(["strict", "wrf"])) for d in (first, other))))
    assert (rows["strict", "f"]["differing"], rows["wrf", "wrf"]["differing"]) == (0, 8)


def test_where_no_difference_is_rejected_the_interval_ends_at_the_greatest_possible_difference():
    """Six units cannot reject anything at 99.9 %. A cost has no greatest difference, and so no bounds."""
    a = [tallied(1, 1, 2, id=str(k)) for k in range(6)]
    b = [tallied(3, 0, 0, id=str(k)) for k in range(6)]
    counts = [count(d, create_all(["strict", "slot_error"])) for d in (a, b)]
    rows = by_score(plain(compare(*counts, confidence=Confidence(0.999))))
    assert rows["strict", "f"]["interval"] == [-1, 1]
    assert rows["slot_error", "ser"]["interval"] == [None, None]
    assert rows["strict", "f"]["p"] == 2 / 64


def test_the_detectable_difference_is_that_of_the_level():
    counts = [count(d, create_all(["strict"])) for d in (corpus(30), second(corpus(30)))]
    for level in (0.8, 0.95):
        row = by_score(compare(*counts, confidence=Confidence(level)))["strict", "f"]
        assert row["detectable"] == detectable_difference(*row["interval"], level=level)
        assert row["detectable"] > 0


@pytest.mark.parametrize(("differing", "known"), [(5, False), (6, True)])
def test_below_6_differing_units_there_is_neither_p_nor_interval(differing, known):
    a = [tallied(3, 0, 0, id=str(k)) for k in range(9)]
    b = [tallied(3, 0 if k >= differing else 1, 0, id=str(k)) for k in range(9)]
    row = by_score(plain(compare(count(a, create_all(["strict"])), count(b, create_all(["strict"])))))["strict", "f"]
    assert row["differing"] == differing
    assert [row[key] is not None for key in ("p", "p_better", "detectable")] == [known] * 3
    assert [bound is not None for bound in row["interval"]] == [known] * 2


def test_swaps_are_exact_as_long_as_they_are_no_more_than_the_trials():
    a, b = strictly(WORKED_A), strictly(WORKED_B)
    for trials, exact, swaps in ((64, True, 64), (63, False, 63), (19, False, 19), (10_000, True, 64)):
        result = comparison([System("a", a), System("b", b)], [], FEW, trials)
        assert (result["exact"], result["swaps"]) == (exact, swaps)
        assert f"swaps:{'all 64' if exact else trials}" in result["signature"]


def test_a_seed_means_the_same_swaps_on_every_machine():
    """The numbers of swaps with a difference as large were taken once; a change of them changes what a seed means."""
    documents = corpus(25)
    first, other = count(documents, create_all(["strict"])), count(second(documents), create_all(["strict"]))
    found = [by_score(compare(first, other, confidence=Confidence(seed=seed), trials=999)) for seed in (0, 7)]
    assert [round(rows["strict", "f"]["p"] * 1000) for rows in found] == [251, 269]


@pytest.mark.parametrize("number", [5, 23, 25])
def test_a_system_against_itself_differs_by_nothing(number):
    """So there is nothing to test, with all swaps and with random ones."""
    counts = count(corpus(number, seed=number), create_all())
    result = comparison([System("a", counts), System("again", counts)], [], Confidence(), 300)
    assert result["exact"] is (number == 5)
    for row in result["comparisons"]:
        assert row["value"] == row["baseline_value"]
        assert (row["difference"], row["differing"]) == (0, 0)
        assert (row["interval"], row["p"], row["p_holm"]) == ([None, None], None, None)


def test_the_worked_example_of_ten_documents():
    a, b = (strictly([tuple(map(int, row[at : at + 3])) for row in TEN]) for at in (0, 3))
    (f,) = (row for row in comparison([System("A", a), System("B", b)], [])["comparisons"] if row["score"] == "f")
    assert (f["baseline_value"], f["value"]) == pytest.approx((0.776119, 0.655738), abs=5e-7)
    assert (f["p"], f["p_holm"], f["family"], f["tests"]) == (40 / 1024, 40 / 1024, "primary", 1)
    assert f["interval"] == pytest.approx([-0.199665, -0.023757], abs=5e-7)
    assert f["detectable"] == pytest.approx(0.12572, abs=5e-6)
