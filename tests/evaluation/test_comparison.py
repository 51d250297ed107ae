"""Differences of two systems, their intervals and tests."""

from __future__ import annotations

import json

import numpy as np
import pytest
from compared import FEW, WORKED_A, WORKED_B, by_score, compare, strictly, with_pred
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


def test_the_interval_holds_0_exactly_where_the_test_does_not_reject():
    """Of random systems, at levels at which p lands on either side."""
    decided = set()
    for seed in range(12):
        a = corpus(11, seed=seed, labels="AB")
        b = [Document(d.gold, d.gold[seed % 2 :], d.text, tokens=d.tokens, id=d.id) for d in a]
        counts = [count(d, create_all(["strict", "slot_error"])) for d in (a, b)]
        for level, trials in ((0.5, 10_000), (0.95, 999), (0.999, 10_000)):
            for row in compare(*counts, confidence=Confidence(level), trials=trials):
                if row["family"] and row["differing"] >= 6:
                    low, high = row["interval"]
                    rejected = row["p"] <= 1 - level + 1e-12
                    assert (low <= 0 <= high) is not rejected
                    decided.add(rejected)
    assert decided == {True, False}


def test_the_difference_of_a_system_that_is_always_better_has_an_interval_above_zero():
    a = [tallied(1, 1, 2, id=str(k)) for k in range(30)]
    b = [tallied(3, 0, 0, id=str(k)) for k in range(30)]
    first, other = (count(d, create_all(["strict"])) for d in (a, b))
    for row in compare(first, other, trials=500):
        assert 0 < row["interval"][0] <= row["difference"] <= row["interval"][1] <= 1
        assert (row["p"], row["p_better"]) == (
            (1 / 501,) * 2 if row["score"] == "f" else pytest.approx((np.nan,) * 2, nan_ok=True)
        )
    for row in compare(other, first, trials=500):
        assert -1 <= row["interval"][0] <= row["difference"] <= row["interval"][1] < 0
        if row["score"] == "f":
            assert (row["p"], row["p_better"]) == (1 / 501, 1)  # one is two-sided


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


def test_random_swaps_agree_with_all_swaps_within_sampling_error():
    """One trial short of enumeration; four standard errors are allowed."""
    drawn = [d for d in corpus(40, seed=1) if len(d.gold) > 1][:10]
    a = with_pred(drawn, [Document([], d.gold[1:]) for d in drawn])
    b = with_pred(drawn, [Document([], d.gold if k % 3 else []) for k, d in enumerate(drawn)])
    first, other = count(a, create_all()), count(b, create_all())
    exact = by_score(compare(first, other, confidence=FEW, trials=1024))
    differ = 0
    for seed in (0, 1):
        confidence = Confidence(seed=seed)
        for key, row in by_score(compare(first, other, confidence=confidence, trials=1023)).items():
            p = exact[key]["p"]
            if np.isnan(p):
                assert np.isnan(row["p"])
                continue
            assert row["p"] == pytest.approx(p, abs=4 * (p * (1 - p) / 1023) ** 0.5 + 2 / 1024), key
            assert row["p"] in [n / 1024 for n in range(1, 1025)]  # (as large + 1) / (drawn + 1)
            differ += row["p"] != p
    assert differ


def test_swaps_are_exact_as_long_as_they_are_no_more_than_the_trials():
    a, b = strictly(WORKED_A), strictly(WORKED_B)
    for trials, exact, swaps in ((64, True, 64), (63, False, 63), (19, False, 19), (10_000, True, 64)):
        result = comparison([System("a", a), System("b", b)], [], FEW, trials)
        assert (result["exact"], result["swaps"]) == (exact, swaps)
        assert f"swaps:{'all 64' if exact else trials}" in result["signature"]


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others():
    documents = corpus(25)
    systems = [System("a", count(documents, create_all())), System("b", count(second(documents), create_all()))]
    results = [comparison(systems, [], Confidence(samples=50, seed=seed), 200) for seed in (1, 1, 2)]
    first, again, other = (json.dumps(result) for result in results)
    assert first == again
    for key in ("interval", "p"):
        assert [row[key] for row in results[0]["comparisons"]] != [row[key] for row in results[2]["comparisons"]]


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
