"""Thresholds: worked numbers, and other implementations of the same numbers."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scored import scored

from spacy_nereval import create_all
from spacy_nereval.features.thresholds.chosen_cuts import CutResult, find_thresholds
from spacy_nereval.features.thresholds.curves import Settings
from spacy_nereval.features.thresholds.scored_spans import (
    average_precision,
    calibration,
    coco_average_precision,
    rank_predictions,
    risk_coverage,
)

SCORES = [0.95, 0.9, 0.9, 0.8, 0.6, 0.6, 0.4, 0.2]
HITS = [1, 1, 0, 1, 1, 0, 0, 1]
GOLD = 6


def fraction(value: float | None) -> Fraction:
    assert value is not None
    found = Fraction(value).limit_denominator(2000)
    assert abs(found - value) < 1e-12
    return found


def listed_scores() -> CutResult:
    """One-character spans with the listed scores and hits, as documents."""
    gold = [(k, k + 1, "A") for k in range(GOLD)]
    wrong = iter(range(20, 30))
    right = iter(range(GOLD))
    pred = []
    for score, hit in zip(SCORES, HITS):
        start = next(right if hit else wrong)
        pred.append((start, start + 1, "A", score))
    return find_thresholds([scored(gold, pred)], create_all(["strict"]), Settings(bins=5))


def test_f_at_each_cut() -> None:
    found = listed_scores()
    f = found.curves.overall(found.curves.metrics[0])["f"]
    assert found.curves.cuts.tolist() == [np.inf, 0.95, 0.9, 0.8, 0.6, 0.4, 0.2]
    expected = [0, *map(Fraction, ("2/7", "4/9", "3/5", "2/3", "8/13", "5/7"))]
    assert [fraction(value) for value in f.tolist()] == expected
    best = found.values["best"]
    assert (best["cut"], fraction(best["value"]), best["kept"]) == (0.2, Fraction(5, 7), 8)


def test_average_precision() -> None:
    assert fraction(average_precision(SCORES, HITS, GOLD)) == Fraction(89, 144)
    assert round(coco_average_precision(HITS, GOLD) or 0, 6) == 0.703218
    own = listed_scores().values["average_precision"]
    assert fraction(own["ap"]) == fraction(own["map"]) == Fraction(89, 144)


def test_calibration() -> None:
    ten, five = (calibration(SCORES, HITS, number) for number in (10, 5))
    assert (ten["ece"], ten["brier"]) == pytest.approx((0.29375, 0.2728125), abs=1e-12)
    assert five["ece"] == pytest.approx(0.24375, abs=1e-12)
    assert listed_scores().values["calibration"]["ece"] == pytest.approx(five["ece"])
    assert ten["largest_gap"] == pytest.approx(0.8) and ten["bins"][0]["gap"] == pytest.approx(0.8)


def test_risk_and_coverage() -> None:
    found = risk_coverage(SCORES, HITS)
    assert fraction(found["aurc"]) == Fraction(401, 1344)
    assert found["coverage"] == [1 / 8, 3 / 8, 4 / 8, 6 / 8, 7 / 8, 1]


@pytest.mark.parametrize(("hit", "ap"), [("strict", "1/2"), (0.5, "5/6"), (0.6, "1/2")])
def test_average_precision_by_what_is_a_hit(hit: Any, ap: str) -> None:
    gold, pred = [(0, 4, "A"), (10, 14, "A")], [(0, 4, "A", 0.9), (20, 22, "A", 0.8), (10, 12, "A", 0.7)]
    found = find_thresholds([scored(gold, pred)], create_all(["strict"]), Settings(hit=hit)).values
    assert fraction(found["average_precision"]["ap"]) == Fraction(ap)


def random_ranking(rng: np.random.Generator) -> tuple[Any, Any, int]:
    number = int(rng.integers(1, 40))
    scores = rng.integers(0, 12, number) / 11 if rng.random() < 0.5 else rng.random(number)
    hits = rng.random(number) < rng.random()
    return scores, hits, int(hits.sum() + rng.integers(0, 9))


def test_average_precision_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng, compared = np.random.default_rng(1), 0
    for _ in range(60):
        scores, hits, gold = random_ranking(rng)
        if hits.any():
            theirs = metrics.average_precision_score(hits, scores) * hits.sum() / gold
            assert average_precision(scores, hits, gold) == pytest.approx(theirs, abs=1e-12)
            compared += 1
    assert compared > 40


def test_bins_are_those_of_scikit_learn() -> None:
    theirs = pytest.importorskip("sklearn.calibration").calibration_curve
    rng = np.random.default_rng(2)
    for _ in range(100):
        scores = rng.random(int(rng.integers(1, 60)))
        hits = rng.random(len(scores)) < scores
        for number in (3, 10):
            rows = calibration(scores, hits, number)["bins"]
            shares, means = theirs(hits, scores, n_bins=number)
            assert [row["hits"] for row in rows] == pytest.approx(shares.tolist())
            assert [row["score"] for row in rows] == pytest.approx(means.tolist())


def test_coco_average_precision_is_that_of_its_rule() -> None:
    rng = np.random.default_rng(3)
    for _ in range(25):
        _, hits, gold = random_ranking(rng)
        if not gold:
            continue
        precisions = [hits[:n].mean() for n in range(1, len(hits) + 1)]
        recalls = [hits[:n].sum() / gold for n in range(1, len(hits) + 1)]
        points = [
            max((p for p, r in zip(precisions, recalls) if r >= least), default=0) for least in np.linspace(0, 1, 101)
        ]
        assert coco_average_precision(hits, gold) == pytest.approx(np.mean(points), abs=1e-12)


def test_no_equal_scores_are_divided_by_bins_of_equal_mass() -> None:
    rng = np.random.default_rng(4)
    for _ in range(50):
        scores = rng.integers(0, 6, 30) / 5
        rows = calibration(scores, scores > 0.5, 4, "equal_mass")["bins"]
        assert sum(row["n"] for row in rows) == 30
        for before, after in zip(rows, rows[1:]):
            assert before["high"] == after["low"]
        starts = [row["low"] for row in rows]
        assert starts == sorted({*starts})


def test_what_is_not_known_is_null_with_its_reason() -> None:
    for scores, reason in (([1.5, 0.5], "the score 1.5 is not from 0 to 1"), ([], "there are no predictions")):
        found = calibration(scores, [True] * len(scores))
        assert found["reason"] == reason
        assert found["ece"] is found["brier"] is found["bins"] is found["largest_gap"] is None
    assert average_precision([0.5], [False], 0) is None
    assert average_precision([], [], 3) == 0
    assert risk_coverage([], [])["aurc"] is None


def test_an_iou_takes_the_best_free_gold_span_of_its_label() -> None:
    gold = [(0, 10, "A"), (5, 15, "A"), (20, 30, "B")]
    pred = [(5, 14, "A", 0.9), (4, 13, "A", 0.8), (1, 10, "A", 0.7), (20, 30, "A", 0.6)]
    documents = [scored(gold, pred)]
    found = rank_predictions(documents, [documents[0].span_scores], 0.4)
    # The second one prefers the gold span that the first took, and the other is closer to the third.
    assert found.hit.tolist() == [True, True, False, False]
    leftmost = scored([(0, 4, "A"), (4, 8, "A")], [(2, 6, "A", 0.9), (0, 4, "A", 0.8)])
    assert rank_predictions([leftmost], [leftmost.span_scores], 0.3).hit.tolist() == [True, False]
