"""How often labels are predicted, and how two systems differ in it: against documents left out by hand."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import t
from twin_statistics import by_influence, spread_of

from spacy_nereval import Document, count, create
from spacy_nereval.evaluation.gold_suspects import gold_suspects
from spacy_nereval.evaluation.intervals import Confidence
from spacy_nereval.evaluation.prediction_rates import prediction_rates, rate_differences

near = pytest.approx


def counts_of(preds: list[list[str]], golds: list[list[str]]) -> Any:
    sides = [[[(k, k + 1, label) for k, label in enumerate(labels)] for labels in side] for side in (golds, preds)]
    documents = [Document(gold, pred, id=f"{k}") for k, (gold, pred) in enumerate(zip(*sides))]
    return count(documents, [create("strict")], units=True)


GOLDS = [["A", "B"], ["A"], ["B", "B"], ["A", "A", "A"]] * 15
FIRST = [["A"], ["A", "A"], ["B"], ["A", "A"]] * 15
SECOND = [["A", "A", "A"], ["B"], ["B", "B"], ["A", "C"]] * 10 + FIRST[40:]


def test_the_interval_is_that_of_leaving_each_document_out_of_both_systems_at_once():
    one, two = counts_of(FIRST, GOLDS), counts_of(SECOND, GOLDS)
    found = {each.label: each for each in rate_differences(one, two, Confidence())}
    for label in "AB":
        gold, first, second = (
            np.array([labels.count(label) for labels in side], dtype=float) for side in (GOLDS, FIRST, SECOND)
        )
        gap = (second.sum() - first.sum()) / gold.sum()
        without = ((second - first).sum() - (second - first)) / (gold.sum() - gold)
        variance, _, freedom = spread_of(gap, without, 2 * gold + first + second)
        reach = np.sqrt(variance) * t.ppf(0.975, freedom)
        assert found[label].difference == near(gap)
        assert (found[label].low, found[label].high) == (near(gap - reach), near(gap + reach))
    assert found["C"].difference is None and found["C"].low is None


def rates(numbers: list[tuple[int, int]]) -> tuple[float, float, float]:
    """The rate of a label and its interval, from the numbers of gold and of predicted spans of documents."""
    gold, pred = ([["A"] * n for n in side] for side in zip(*numbers))
    (found,) = prediction_rates(counts_of(pred, gold), Confidence())
    return found.rate, found.low, found.high


def test_a_label_predicted_exactly_as_often_as_gold_everywhere_is_known_by_its_spans():
    """By its 20 documents alone, the interval of 100 right spans would be [.405, 2.472]."""
    rate, low, high = rates([(5, 5)] * 20)
    z2 = t.ppf(0.975, 19) ** 2
    half = np.sqrt(z2) / (1 + z2 / 100) * np.sqrt(0.25 / 100 + z2 / 40000)
    assert (rate, low, high) == (1, near((0.5 - half) / (0.5 + half)), near((0.5 + half) / (0.5 - half)))
    assert (round(low, 3), round(high, 3)) == (0.66, 1.515)
    for number in (1, 2, 5):  # nearly as often: no jump
        _, less, more = rates([(5, 5)] * (20 - number) + [(5, 6)] * number)
        assert 0.61 < less < 1 < more < 1.67


@pytest.mark.parametrize(
    "numbers",
    [[(5, 6), (4, 4), (3, 1)] * 5, [(2, 5), (0, 1), (4, 3), (1, 0)] * 6, [(2, 0)] * 14 + [(1, 4), (3, 2)] * 4],
)
def test_the_interval_of_a_rate_is_that_of_leaving_each_document_out(numbers):
    gold, pred = np.array(numbers, dtype=float).T
    left = (pred.sum() - pred) / (gold.sum() - gold)
    rate, low, high = rates(numbers)
    mixed = min((gold > 0).sum(), (pred > 0).sum())
    assert (low, high) == near(by_influence(rate, left, [], gold + pred, (0, np.inf), mixed=mixed).bounds)


def test_equal_systems_differ_by_nothing_without_an_interval():
    one = counts_of(FIRST, GOLDS)
    for each in rate_differences(one, one, Confidence()):
        assert (each.difference, each.low, each.high) == (0.0, None, None)


def test_few_units_are_flagged_and_other_units_refused():
    one, two = counts_of(FIRST[:4], GOLDS[:4]), counts_of(SECOND[:4], GOLDS[:4])
    assert all(each.few for each in rate_differences(one, two, Confidence()) if each.low is not None)
    with pytest.raises(ValueError, match="counted with other units"):
        rate_differences(one, counts_of(FIRST[:5], GOLDS[:5]), Confidence())


def test_what_the_text_does_not_have_is_no_fault_of_gold():
    def document(annex: int | None) -> Document:
        found = Document([(0, 3, "PER")], [(4, 7, "PER")], "Bob\nBob")
        found.annex = annex
        return found

    (found,) = gold_suspects([[document(None)]] * 2)
    assert {each.reason for each in found.evidence} == {"unmarked", "agreement"}
    assert gold_suspects([[document(3)]] * 2) == []
