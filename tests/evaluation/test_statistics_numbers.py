"""Numbers worked out elsewhere, libraries that compute the same, and what is refused."""

from random import Random
from typing import Any

import numpy as np
import pytest
import scipy.stats

from spacy_nereval import Confidence, Document, score
from spacy_nereval.evaluation.statistics.bits import half_samples, patterns
from spacy_nereval.evaluation.statistics.bounds import effective_units, score_intervals, wilson
from spacy_nereval.evaluation.statistics.derived import macro_interval
from spacy_nereval.evaluation.statistics.differences import number_of_swaps, swap_test, t_test
from spacy_nereval.evaluation.statistics.many_tests import count_data_sets, holm, holm_by_family
from spacy_nereval.evaluation.statistics.runs import run_errors


def test_bits() -> None:
    found = half_samples(0, ["d0", "d1"], 16)
    assert ["".join(map(str, column)) for column in found.T] == ["1101110010000000", "0110101111010101"]


@pytest.mark.parametrize(
    ("share", "number"), [(0, 10), (3, 10), (10, 10), (1, 3), (437, 500), (80, 100)], ids=lambda n: str(n)
)
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_wilson_is_that_of_scipy(share: int, number: int, level: float) -> None:
    theirs = scipy.stats.binomtest(share, number).proportion_ci(level, method="wilson")
    ours = wilson(share / number, number, scipy.stats.norm.ppf((1 + level) / 2))
    assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_macro() -> None:
    inner = (0.6, 0.8)
    assert macro_interval([0.9, 0.5], [0.8, 0.2], [0.95, 0.8], inner) == pytest.approx((0.54189, 0.85207), abs=5e-6)
    assert macro_interval([0.9, 0.5], [0.8, 0.2], [0.95, 0.8], (0.5, 0.9)) == (0.5, 0.9)


@pytest.mark.parametrize(("tests", "swaps"), [(0, 10_000), (5, 10_000), (6, 12_000), (22, 44_000), (51, 100_000)])
def test_number_of_swaps(tests: int, swaps: int) -> None:
    assert number_of_swaps(tests) == swaps


def test_three_runs_each() -> None:
    found = run_errors([0.81, 0.84, 0.79], [0.86, 0.85, 0.88], 0.014**2, 179)
    assert float(found.difference) == pytest.approx(0.05, abs=1e-12)
    assert float(found.error) == pytest.approx(0.0220202, abs=5e-8)
    assert float(found.freedom) == pytest.approx(9.2119, abs=5e-5)
    assert float(found.share) == pytest.approx(0.5958, abs=5e-5)
    test = t_test(*found[:3])
    assert float(test.p) == pytest.approx(0.04867, abs=5e-6)
    assert (float(test.low), float(test.high)) == pytest.approx((0.00036, 0.09964), abs=5e-6)
    assert float(test.detectable) == pytest.approx(0.06907, abs=5e-6)


@pytest.mark.parametrize("runs", [(2, 2), (3, 5), (5, 3)])
def test_runs_are_welchs_test_where_documents_add_nothing(runs: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    first, second = (rng.normal(0.8, 0.02, (number, 4)) for number in runs)
    found = run_errors(first, second, np.zeros(4), 49)
    test = t_test(*found[:3])
    theirs = scipy.stats.ttest_ind(second, first, equal_var=False)
    assert test.p == pytest.approx(theirs.pvalue, abs=1e-12)
    low, high = theirs.confidence_interval(0.95)
    assert np.array([test.low, test.high]) == pytest.approx(np.array([low, high]), abs=1e-12)
    assert found.share == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("number", [1, 2, 30])
def test_holm_is_that_of_statsmodels(number: int) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest", reason="statsmodels is in the extra `test`")
    p = np.random.default_rng(0).random(number) ** 3
    assert holm(p) == pytest.approx(multitest.multipletests(p, method="holm")[1], abs=1e-12)


def test_scores_and_averages_of_labels_are_those_of_scikit_learn() -> None:
    """One span per document, on the same characters: strict F is that of a classification."""
    peer = pytest.importorskip("sklearn.metrics", reason="scikit-learn comes with the extra `test`")
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


def test_bad_input_is_refused() -> None:
    def refused(match: str, call: Any, *arguments: Any, **options: Any) -> None:
        with pytest.raises(ValueError, match=match):
            call(*arguments, **options)

    refused("1 or more, not 0", half_samples, 0, ["a"], 0)
    refused("'a' occurs twice", patterns, 0, ["a", "b", "a"], 10)
    refused("at least 1 row", lambda: list(patterns(0, ["a"], 10).blocks(0)))
    refused("not negative", effective_units, [1, -1])
    refused("between 0 and 1, such as 0.95, not 95", score_intervals, 0.5, 0.01, 9, level=95)
    for level in (0, 1, 1e-20, 1 - 1e-16, np.nan):
        refused("between 0 and 1, such as 0.95", score_intervals, 0.5, 0.01, 9, level=level)
        refused("between 0 and 1, such as 0.95", Confidence(level=level).checked)
    refused("outside its limits", score_intervals, 1.5, 0.01, 9)
    refused("outside its limits", score_intervals, -0.5, 0.01, 9, limits=(0, np.inf))
    refused("give 2 for all or each", score_intervals, [0.5], 0.01, 9, limits=[(0, 1), (0, np.inf)])
    refused("give 2 for all or each", score_intervals, 0.5, 0.01, 9, limits=(0, 0.5, 1))
    refused("for scores of shape", score_intervals, [0.5, 0.6], [0.01], 9)
    refused("2 or more", score_intervals, 0.5, 0.01, 9, runs=[0.5])
    refused("per label", macro_interval, [], [], [], (0, 1))
    refused("defined scores", macro_interval, [np.nan], [0], [1], (0, 1))
    refused("need the shape", swap_test, [0.1], [0.1], [0], exact=True, differing=9)
    refused("2 balances", swap_test, 0.1, [0.1], [0, 0], exact=True, differing=9)
    refused("balances need", swap_test, [0.1], [[0.1]], [[0, 0]], exact=True, differing=9)
    refused("list of p-values", holm, 0.1)
    refused("between 0 and 1", holm, [1.1])
    refused("one per p-value", holm_by_family, [0.1], ["primary", "labels"])
    assert holm_by_family([np.nan, 0.1], ["labels", "labels"]).sizes.tolist() == [1, 1]
    refused("one run", run_errors, [0.1], [0.2], 0.1, 9)
    refused("no run", run_errors, [], [0.2, 0.1], 0.1, 9)
    refused("agree", run_errors, [0.1, 0.2], [0.2, 0.1], [0.1], 9)
    refused("above 0", count_data_sets, [0.0])
    refused("one for each", count_data_sets, [])


@pytest.mark.parametrize("level", [0.001, 1 - 1e-9])
@pytest.mark.parametrize("k", [1, 5.8, 1e6])
def test_intervals_at_the_ends_of_the_levels_have_width(level: float, k: float) -> None:
    found = score_intervals([0, 0.3, 1], 0.0, k, level=level)
    assert (found.low < found.high).all()
