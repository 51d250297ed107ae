"""Libraries that compute the same: statsmodels and scikit-learn. SciPy is beside the numbers that it repeats."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
import scipy.stats

from spacy_nereval import Document, score
from spacy_nereval.evaluation.statistics.bounds import wilson
from spacy_nereval.evaluation.statistics.many_tests import count_data_sets, holm

NEEDED = "statsmodels is in the extra `test`"
peer = pytest.importorskip("sklearn.metrics", reason="scikit-learn comes with the extra `test`")


@pytest.mark.parametrize("number", [1, 2, 30])
def test_holm_is_that_of_statsmodels(number: int) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest", reason=NEEDED)
    p = np.random.default_rng(0).random(number) ** 3
    assert holm(p) == pytest.approx(multitest.multipletests(p, method="holm")[1], abs=1e-12)


@pytest.mark.parametrize(("hits", "number"), [(0, 10), (3, 10), (13, 13), (437, 500)])
def test_wilson_is_that_of_statsmodels(hits: int, number: int) -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion", reason=NEEDED)
    theirs = proportion.proportion_confint(hits, number, alpha=0.1, method="wilson")
    assert wilson(hits / number, number, scipy.stats.norm.ppf(0.95)) == pytest.approx(theirs, abs=1e-12)


def test_bonferroni_of_all_data_sets_is_that_of_statsmodels() -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest", reason=NEEDED)
    p = np.random.default_rng(1).random(6) / 10
    assert count_data_sets(p).p[0] == pytest.approx(multitest.multipletests(p, method="bonferroni")[1].min(), abs=1e-12)


def test_scores_and_averages_of_labels_are_those_of_scikit_learn() -> None:
    """One span per document, on the same characters: strict F is that of a classification."""
    rng = Random(3)
    labels = ["A", "B", "C", "D"]
    gold = rng.choices(labels, [6, 3, 2, 1], k=60)
    pred = [label if rng.random() < 0.7 else rng.choice(labels) for label in gold]
    found = score([Document([(0, 3, ours)], [(0, 3, theirs)]) for ours, theirs in zip(gold, pred)], ["strict"])
    own = found["metrics"]["strict"]
    for average in ("macro", "weighted"):
        assert own["averages"][average]["f"] == pytest.approx(peer.f1_score(gold, pred, average=average))
    assert own["scores"]["f"] == pytest.approx(peer.f1_score(gold, pred, average="micro"))
    for label, *theirs in zip(labels, *peer.precision_recall_fscore_support(gold, pred, labels=labels)[:3]):
        assert [own["per_type"][label]["scores"][name] for name in "prf"] == pytest.approx(theirs)
