"""How two systems differ in how often they predict each label: against half-samples counted by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import t

from spacy_nereval import Document, count, create
from spacy_nereval.evaluation.gold_suspects import gold_suspects
from spacy_nereval.evaluation.intervals import Confidence
from spacy_nereval.evaluation.prediction_rates import rate_differences
from spacy_nereval.evaluation.statistics.bits import half_samples

near = pytest.approx


def counts_of(preds: list[list[str]], golds: list[list[str]]) -> Any:
    sides = [[[(k, k + 1, label) for k, label in enumerate(labels)] for labels in side] for side in (golds, preds)]
    documents = [Document(gold, pred, id=f"{k}") for k, (gold, pred) in enumerate(zip(*sides))]
    return count(documents, [create("strict")], units=True)


GOLDS = [["A", "B"], ["A"], ["B", "B"], ["A", "A", "A"]] * 15
FIRST = [["A"], ["A", "A"], ["B"], ["A", "A"]] * 15
SECOND = [["A", "A", "A"], ["B"], ["B", "B"], ["A", "C"]] * 10 + FIRST[40:]


def test_the_interval_is_that_of_half_samples_drawn_for_both_systems_at_once():
    one, two = counts_of(FIRST, GOLDS), counts_of(SECOND, GOLDS)
    found = {each.label: each for each in rate_differences(one, two, Confidence(samples=200, seed=3))}
    bits = half_samples(3, one.units, 200).astype(float)
    bits = bits if bits.shape == (200, 60) else bits.T
    for label in "AB":
        gold, first, second = (
            np.array([labels.count(label) for labels in side], dtype=float) for side in (GOLDS, FIRST, SECOND)
        )
        gap = (second.sum() - first.sum()) / gold.sum()
        drawn = np.sort(((bits @ second) - (bits @ first)) / (bits @ gold))
        low, high = np.quantile(drawn, [0.15865525393145707, 0.8413447460685429])
        weights = 2 * gold + first + second
        units = weights.sum() ** 2 / (weights**2).sum()
        reach = (high - low) / 2 * t.ppf(0.975, units - 1)
        assert found[label].difference == near(gap)
        assert (found[label].low, found[label].high) == (near(gap - reach), near(gap + reach))
    assert found["C"].difference is None and found["C"].low is None


def test_equal_systems_differ_by_nothing_without_an_interval():
    one = counts_of(FIRST, GOLDS)
    for each in rate_differences(one, one, Confidence(samples=20)):
        assert (each.difference, each.low, each.high) == (0.0, None, None)


def test_few_units_are_flagged_and_other_units_refused():
    one, two = counts_of(FIRST[:4], GOLDS[:4]), counts_of(SECOND[:4], GOLDS[:4])
    assert all(each.few for each in rate_differences(one, two, Confidence(samples=20)) if each.low is not None)
    with pytest.raises(ValueError, match="counted with other units"):
        rate_differences(one, counts_of(FIRST[:5], GOLDS[:5]), Confidence(samples=20))


def test_what_the_text_does_not_have_is_no_fault_of_gold():
    def document(annex: int | None) -> Document:
        found = Document([(0, 3, "PER")], [(4, 7, "PER")], "Bob\nBob")
        found.annex = annex
        return found

    (found,) = gold_suspects([[document(None)]] * 2)
    assert {each.reason for each in found.evidence} == {"unmarked", "agreement"}
    assert gold_suspects([[document(3)]] * 2) == []
