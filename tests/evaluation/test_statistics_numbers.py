"""Numbers worked out elsewhere, to the digits printed there, and libraries that compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray

from spacy_nereval.evaluation.statistics.bits import half_samples, patterns
from spacy_nereval.evaluation.statistics.bounds import (
    effective_units,
    sample_variance,
    score_intervals,
    spread,
    wilson,
)
from spacy_nereval.evaluation.statistics.derived import macro_interval
from spacy_nereval.evaluation.statistics.differences import (
    LEAST_DIFFERING,
    Differences,
    balance,
    detectable_difference,
    differing_units,
    number_of_swaps,
    swap_test,
    t_test,
)
from spacy_nereval.evaluation.statistics.many_tests import count_data_sets
from spacy_nereval.evaluation.statistics.runs import RunErrors, run_errors

Counts = NDArray[np.int64]
"""tp, fp, fn of each unit: [units, ..., 3]."""

SIX = (
    np.array([(8, 2, 1), (5, 1, 3), (9, 1, 2), (4, 3, 2), (7, 0, 1), (6, 2, 2)]),
    np.array([(7, 3, 2), (5, 2, 3), (8, 2, 3), (4, 2, 2), (6, 1, 2), (6, 2, 2)]),
)
"""Six documents, of which the last is alike under both systems."""

TEN = (
    np.array(
        [[*map(int, counts)] for counts in ("310", "201", "411", "102", "500", "221", "301", "012", "401", "210")]
    ),
    np.array(
        [[*map(int, counts)] for counts in ("201", "211", "312", "112", "401", "211", "212", "002", "302", "111")]
    ),
)
"""Ten documents that differ in nearly all."""


def f_score(counts: NDArray[Any]) -> NDArray[np.float64]:
    """F of tp, fp, fn along the last axis; NaN where there is no span."""
    below = 2 * counts[..., 0] + counts[..., 1] + counts[..., 2]
    return np.asarray(np.divide(2 * counts[..., 0], below, out=np.full(below.shape, np.nan), where=below > 0))


def spans(counts: Counts) -> Counts:
    """Gold plus predicted spans of each unit."""
    return 2 * counts[..., 0] + counts[..., 1] + counts[..., 2]


def keys(units: int) -> list[str]:
    return [f"d{k}" for k in range(units)]


def swaps_of(first: Counts, second: Counts, swaps: int = 10_000) -> dict[str, Any]:
    """What the swap test of F needs, for counts [units, 3] or several pairs of systems, [units, pairs, 3]."""
    drawn = patterns(0, keys(len(first)), swaps)
    bits = drawn.all().astype(float)
    both = np.tensordot(bits, first - second, 1)
    weights = 2 * (first[..., 0] + first[..., 2]) + first[..., :2].sum(-1) + second[..., :2].sum(-1)
    return {
        "difference": f_score(second.sum(0)) - f_score(first.sum(0)),
        "swapped": f_score(first.sum(0) - both) - f_score(second.sum(0) + both),
        "balances": balance(np.tensordot(bits, weights, 1), weights.sum(0)),
        "exact": drawn.exact,
        "differing": differing_units(first, second),
    }


def compared(first: Counts, second: Counts, *, swaps: int = 10_000, **options: Any) -> Differences:
    """The swap test of F, with options for it."""
    return swap_test(**(swaps_of(first, second, swaps) | options))


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


def test_interval_of_six_documents() -> None:
    first = SIX[0]
    bits = patterns(0, keys(6), 1000)
    samples = f_score(bits.all().astype(np.int64) @ first)
    theta, k, s = f_score(first.sum(0)), effective_units(spans(first)), spread(samples)
    assert (bits.exact, len(samples)) == (True, 64)
    assert theta == pytest.approx(0.795918, abs=5e-7)
    assert (k, s) == (pytest.approx(5.82767, abs=5e-6), pytest.approx(0.0450474, abs=5e-8))
    assert theta * (1 - theta) / s**2 == pytest.approx(80.0449, abs=5e-5)
    found = score_intervals(theta, sample_variance(samples), k)
    assert (float(found.low), float(found.high)) == pytest.approx((0.65816, 0.88764), abs=5e-6)


def test_macro() -> None:
    inner = (0.6, 0.8)
    assert macro_interval([0.9, 0.5], [0.8, 0.2], [0.95, 0.8], inner) == pytest.approx((0.54189, 0.85207), abs=5e-6)
    assert macro_interval([0.9, 0.5], [0.8, 0.2], [0.95, 0.8], (0.5, 0.9)) == (0.5, 0.9)


def test_swaps_of_six_documents() -> None:
    """Five differ, so that neither p nor interval is shown; these are the numbers behind."""
    first, second = SIX
    assert f_score(second.sum(0)) - f_score(first.sum(0)) == pytest.approx(-0.0612245, abs=5e-8)
    found = compared(first, second, differing=LEAST_DIFFERING)
    assert float(found.p) == 12 / 64
    assert (float(found.low), float(found.high)) == pytest.approx((-0.133333, 0.061256), abs=5e-7)
    found = compared(first, second, differing=LEAST_DIFFERING, level=0.9)
    assert float(found.low) == pytest.approx(-0.111111, abs=5e-7)
    assert float(found.high) == 0
    assert all(np.isnan(values) for values in compared(first, second))


def test_swaps_of_ten_documents() -> None:
    first, second = TEN
    assert (f_score(first.sum(0)), f_score(second.sum(0))) == pytest.approx((0.776119, 0.655738), abs=5e-7)
    found = compared(first, second)
    assert float(found.p) == 40 / 1024
    assert (float(found.low), float(found.high)) == pytest.approx((-0.199665, -0.023757), abs=5e-7)
    assert detectable_difference(found.low, found.high) == pytest.approx(0.12572, abs=5e-6)


@pytest.mark.parametrize(("first", "second"), [SIX, TEN], ids=["six", "ten"])
@pytest.mark.parametrize(("asked", "better"), [("two-sided", True), ("greater", True), ("less", False)])
def test_p_is_that_of_scipy(first: Counts, second: Counts, asked: str, better: bool) -> None:
    both, units = np.concatenate([first, second]), len(first)

    def difference(a: NDArray[np.intp], b: NDArray[np.intp], axis: int) -> NDArray[np.float64]:
        return f_score(both[b].sum(axis)) - f_score(both[a].sum(axis))

    theirs = scipy.stats.permutation_test(
        (np.arange(units), units + np.arange(units)),
        lambda a, b, axis: difference(a, b, axis % a.ndim),
        permutation_type="samples",
        n_resamples=2**units,
        alternative=asked,
        vectorized=True,
    )
    found = compared(first, second, differing=LEAST_DIFFERING, higher_is_better=better)
    assert float(found.p if asked == "two-sided" else found.p_better) == pytest.approx(theirs.pvalue, abs=1e-12)


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


TRIALS = {
    "maintie": ([78.42, 84.44, 84.58], [85.64, 87.05, 87.74], (1.46, 6.89)),
    "warranty": ([52.44, 52.52, 53.68], [66.75, 67.86, 69.63], (11.84, 18.24)),
}
"""Strict F of three runs each of two systems, in points, and the 95 % interval that the documents alone give."""


def trial(corpus: str) -> tuple[RunErrors, Differences]:
    first, second, (low, high) = TRIALS[corpus]
    found = run_errors(first, second, ((high - low) / 2 / scipy.stats.norm.ppf(0.975)) ** 2, 179)
    return found, t_test(*found[:3])


def test_trained_three_times_on_maintie() -> None:
    """Swaps of documents gave p .002: training was left out."""
    found, test = trial("maintie")
    assert float(test.p) == pytest.approx(0.151, abs=5e-4)
    assert (float(test.low), float(test.high)) == pytest.approx((-2.3, 10.9), abs=0.05)
    assert float(found.share) == pytest.approx(0.70, abs=5e-3)
    welch = scipy.stats.ttest_ind(*TRIALS["maintie"][:2], equal_var=False)
    assert welch.pvalue == pytest.approx(0.158, abs=5e-4)


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


def test_fisher_is_that_of_scipy() -> None:
    p = np.array([0.168, 0.297, 0.357, 0.019, 0.218, 0.001])
    ordered = np.sort(p)
    theirs = [scipy.stats.combine_pvalues(ordered[u:], method="fisher").pvalue for u in range(len(p))]
    assert count_data_sets(p, independent=True).p == pytest.approx(np.maximum.accumulate(theirs), abs=1e-12)
