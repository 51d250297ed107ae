"""Laws of intervals and tests: plain twins, order, direction and what is undefined."""

from __future__ import annotations

from itertools import product
from math import floor, sqrt
from typing import Any

import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray
from test_statistics_coverage import many, world
from test_statistics_numbers import compared, f_score, keys, spans

from spacy_nereval.evaluation.statistics.bits import half_samples, patterns
from spacy_nereval.evaluation.statistics.bounds import effective_units, sample_variance, score_intervals, spread
from spacy_nereval.evaluation.statistics.derived import accuracy_interval, macro_interval
from spacy_nereval.evaluation.statistics.differences import balance, swap_test, t_test
from spacy_nereval.evaluation.statistics.many_tests import holm
from spacy_nereval.evaluation.statistics.runs import run_errors

Floats = NDArray[np.float64]


# Plain twins


def test_six_units_are_not_few() -> None:
    assert [*score_intervals([0.5, 0.5], 0.01, [5.99, 6]).flag] == ["few", ""]


def test_the_interval_of_a_score_is_that_of_its_steps() -> None:
    rng = np.random.default_rng(1)
    counts = world(rng, (30, 40), 0.8, 0.1)
    samples = f_score(np.tensordot(half_samples(0, keys(30), 300).astype(float), counts, 1))
    samples[rng.random(samples.shape) < 0.1] = np.nan
    found = score_intervals(f_score(counts.sum(0)), sample_variance(samples), effective_units(spans(counts)), level=0.9)
    for k in range(40):
        theta, weights = f_score(counts[:, k].sum(0)), spans(counts[:, k])
        defined = samples[np.isfinite(samples[:, k]), k]
        low, high = np.quantile(defined, [scipy.stats.norm.cdf(-1), scipy.stats.norm.cdf(1)])
        units = weights.sum() ** 2 / (weights**2).sum()
        n, z = theta * (1 - theta) / ((high - low) / 2) ** 2, scipy.stats.t.ppf(0.95, units - 1)
        centre, half = (theta + z * z / 2 / n), z * sqrt(theta * (1 - theta) / n + z * z / 4 / n / n)
        low, high = (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)
        assert [found.low[k], found.high[k], found.units[k]] == pytest.approx([low, high, units], abs=1e-10)


def test_the_interval_of_a_difference_holds_what_the_test_does_not_reject() -> None:
    """Each of many possible differences is tested on its own, by the definition of p."""
    rng = np.random.default_rng(2)
    for units, swaps in [(8, 1000), (20, 199)]:
        first, second = world(rng, (units,), 0.7, 0.2), world(rng, (units,), 0.7, 0.2)
        found = compared(first, second, swaps=swaps, differing=6, level=0.9)
        drawn = patterns(0, keys(units), swaps)
        d = f_score(second.sum(0)) - f_score(first.sum(0))
        swapped, kept = [], []
        for bits in drawn.all():
            a, b = np.where(bits[:, None], first, second), np.where(bits[:, None], second, first)
            swapped.append(f_score(b.sum(0)) - f_score(a.sum(0)))
            w = [2 * (x[0] + x[2]) + x[0] + x[1] + y[0] + y[1] for x, y in zip(first, second)]
            kept.append(sum(w * (2 * bits.astype(int) - 1)) / sum(w))
        for true in np.linspace(-0.5, 0.5, 101) + 1e-4:
            as_large = sum(abs(s - true * b) >= abs(d - true) - 1e-12 for s, b in zip(swapped, kept))
            p = as_large / len(swapped) if drawn.exact else (as_large + 1) / (len(swapped) + 1)
            assert (found.low <= true <= found.high) == (p > 0.1 + 1e-12)


def test_enumeration_holds_every_pattern_once() -> None:
    for units in range(5):
        every = patterns(0, keys(units), 16)
        assert every.exact
        assert sorted(map(tuple, every.all().tolist())) == sorted(product((0, 1), repeat=units))
    assert not patterns(0, keys(5), 31).exact


def test_holm_is_that_of_its_definition() -> None:
    p = np.random.default_rng(3).random(12) ** 3
    ordered = sorted(p)
    for value, adjusted in zip(p, holm(p)):
        rank = ordered.index(value)
        assert adjusted == pytest.approx(min(1, max((12 - j) * ordered[j] for j in range(rank + 1))), abs=1e-12)


# Order, blocks and direction


@pytest.mark.parametrize("units", [8, 40])
def test_no_order_of_units_changes_a_bit(units: int) -> None:
    rng = np.random.default_rng(4)
    first, second = (world(rng, (units,), 0.8, 0.1) for _ in range(2))
    names, order = keys(units), rng.permutation(units)

    def everything(some: NDArray[np.intp]) -> list[Any]:
        drawn = patterns(7, [names[k] for k in some], 1000)
        bits = drawn.all().astype(np.int64)
        a, b = first[some], second[some]
        samples, weights = f_score(bits @ a), spans(a) + spans(b)
        d = f_score(b.sum(0)) - f_score(a.sum(0))
        swapped = f_score(bits @ b + (1 - bits) @ a) - f_score(bits @ a + (1 - bits) @ b)
        k = effective_units(spans(a) / 7)
        return [
            samples,
            *score_intervals(f_score(a.sum(0)), sample_variance(samples), k)[:4],
            *swap_test(
                d, swapped, balance(bits @ weights, weights.sum()), exact=drawn.exact, differing=np.array(units)
            ),
        ]

    for one, other in zip(everything(np.arange(units)), everything(order)):
        assert np.asarray(one).tobytes() == np.asarray(other).tobytes()


def test_streams_and_blocks() -> None:
    few, many = half_samples(3, keys(5), 70), half_samples(3, keys(5), 1000)
    assert (many[:70] == few).all()
    assert (many != half_samples(4, keys(5), 1000)).any()
    assert abs(many.mean() - 0.5) < 0.03
    drawn = patterns(3, keys(12), 1000)
    for size in (None, 1, 8, 100, 5000):
        blocks = list(drawn.blocks(size))
        assert [start for start, _ in blocks] == list(np.cumsum([0, *(len(bits) for _, bits in blocks)]))[:-1]
        assert (np.concatenate([bits for _, bits in blocks]) == drawn.all()).all()
        assert size is None or all(len(bits) <= -(-size // 8) * 8 for _, bits in blocks)


def test_many_scores_at_once_are_each_on_its_own() -> None:
    rng = np.random.default_rng(5)
    values, runs = rng.random((3, 4)), rng.random((3, 3, 4))
    variance, bearers, mixed = rng.random((3, 4)) / 99, 9 * rng.random((3, 4)), 5 * rng.random((3, 4))
    k = 2 + 30 * rng.random((3, 4))
    together = score_intervals(values, variance, k, bearers=bearers, mixed=mixed, level=0.8, runs=runs)
    d, swapped, weights = rng.normal(0, 0.1, 12), rng.normal(0, 0.1, (99, 12)), rng.uniform(-0.5, 0.5, (99, 12))
    tests = swap_test(d, swapped, weights, exact=False, differing=6, level=0.8)
    for k1, (row, column) in enumerate(np.ndindex(3, 4)):
        own = [each[row, column] for each in (values, variance, k, bearers, mixed)]
        more = {"bearers": own[3], "mixed": own[4], "runs": runs[:, row, column]}
        alone = score_intervals(*own[:3], level=0.8, **more)
        assert [bound[row, column] for bound in together] == [bound[()] for bound in alone]
        one = swap_test(d[k1], swapped[:, k1], weights[:, k1], exact=False, differing=6, level=0.8)
        assert [values[k1] for values in tests] == [value[()] for value in one]


def test_the_other_way_round() -> None:
    rng = np.random.default_rng(6)
    first, second = many(rng, 25, 30, 0.1)
    there, back = compared(first, second, swaps=999), compared(second, first, swaps=999)
    assert np.isfinite(there.p).sum() > 20
    assert np.array_equal(there.p, back.p, equal_nan=True)
    assert there.low == pytest.approx(-back.high, abs=1e-12, nan_ok=True)
    assert there.high == pytest.approx(-back.low, abs=1e-12, nan_ok=True)
    worse = compared(first, second, swaps=999, higher_is_better=False)
    assert np.array_equal(worse.p_better, back.p_better, equal_nan=True)


@pytest.mark.parametrize(("origin", "sign"), [(0, 1), (1, -1), (1, 1)], ids=["cost", "accuracy", "granularity"])
def test_unbounded_scores_are_brought_to_shares_and_back(origin: float, sign: float) -> None:
    limits = (origin, np.inf) if sign > 0 else (-np.inf, origin)
    rng = np.random.default_rng(7)
    shares = 0.1 + 0.8 * rng.random(20)
    samples = np.clip(shares + rng.normal(0, 0.05, (200, 20)), 0.01, 0.99)
    plain = score_intervals(shares, sample_variance(samples), 30)
    cost, costs = shares / (1 - shares), samples / (1 - samples)
    variance = sample_variance(origin + sign * costs, limits)
    found = score_intervals(origin + sign * cost, variance, 30, limits=limits)
    bounds = [origin + sign * bound / (1 - bound) for bound in (plain.low, plain.high)]
    assert found.low == pytest.approx(np.minimum(*bounds), abs=1e-9)
    assert found.high == pytest.approx(np.maximum(*bounds), abs=1e-9)
    one = score_intervals([0.4, origin + sign * 0.5], 0.01, [30, 30], limits=[(0, 1), limits])
    assert one.low[0] == score_intervals(0.4, 0.01, 30).low


def test_accuracy_is_one_minus_the_cost_and_never_negative() -> None:
    low, high = accuracy_interval([0.2, 0.9, 1.1], [0.4, 1.5, 1.5])
    assert low == pytest.approx(np.array([0.6, 0, 0]))
    assert high == pytest.approx(np.array([0.8, 0.1, 0]))


# What is undefined, rare or extreme


def test_no_interval_where_most_half_samples_have_no_score() -> None:
    samples = np.full((10, 2), 0.5)
    samples[:5, 0] = np.nan
    samples[:6, 1] = np.nan
    found = score_intervals([0.5, 0.5], sample_variance(samples), 4)
    assert found.flag.tolist() == ["few", "undefined"]
    assert np.isfinite([found.low[0], found.high[0]]).all()
    assert np.isnan([found.low[1], found.high[1]]).all()
    assert str(score_intervals(np.nan, 0.01, 4).flag) == "undefined"
    assert str(score_intervals(1.0, 0.01, 0).flag) == "undefined"


def test_no_interval_without_width() -> None:
    """However small the spread, and however close to 0 or 1."""
    thetas = np.array([0, 1e-300, 1e-13, 1e-9, 0.3, 0.5, 1 - 1e-9, 1 - 1e-13, 1])
    for size in (0, 1e-300, 1e-13, 1e-11, 1e-3, 0.2):
        for k, mixed, bearers in product((1, 1.5, 6, 1000, 1e6), (0, 3, np.inf), (1, np.inf)):
            found = score_intervals(thetas, size**2, k, mixed=mixed, bearers=bearers, spans=1e6)
            assert (found.low < found.high).all()
            assert (found.low <= thetas + 1e-12).all()
            assert (found.high >= thetas - 1e-12).all()
            assert ((found.low >= 0) & (found.high <= 1)).all()


def test_macro_of_labels_of_which_one_has_no_interval() -> None:
    inner = (0.6, 0.8)
    low, high = macro_interval([0.9, 0.5], [0.8, np.nan], [0.95, np.nan], inner)
    assert (low, high) == macro_interval([0.9, 0.5], [0.8, 0], [0.95, 1], inner)
    assert macro_interval([0.9, 0.5], [0.8, np.nan], [0.95, np.nan], inner, limits=(0, np.inf))[1] == np.inf
    assert macro_interval([0.7, 0.7], [0.6, 0.6], [0.8, 0.8], (np.nan, np.nan)) == pytest.approx(
        (0.7 - 0.1 / sqrt(2), 0.7 + 0.1 / sqrt(2))
    )


def test_undefined_swaps_count_as_large() -> None:
    swapped = np.zeros(99)
    plain = swap_test(0.1, swapped, np.zeros(99), exact=False, differing=9)
    swapped[:20] = np.nan
    found = swap_test(0.1, swapped, np.zeros(99), exact=False, differing=9, limit=1.0)
    assert (float(plain.p), float(found.p), float(found.p_better)) == (0.01, 0.21, 0.21)
    assert (float(found.low), float(found.high)) == (-1, 1)
    worse = swap_test(-0.1, swapped, np.zeros(99), exact=False, differing=9, higher_is_better=False)
    assert (float(worse.p), float(worse.p_better)) == (0.21, 0.21)


def test_nothing_is_rejected_by_too_few_swaps() -> None:
    found = swap_test(0.1, np.zeros(10), np.zeros(10), exact=False, differing=9)
    assert (float(found.p), float(found.low), float(found.high)) == (1 / 11, -np.inf, np.inf)


def test_runs_of_one_system() -> None:
    """The variance of the mean over runs is added to that of the documents."""
    runs = np.array([0.80, 0.83, 0.79])
    found = score_intervals(runs.mean(), 0.02**2, 40, runs=runs)
    training = runs.var(ddof=1) / 3
    variance = 0.02**2 + training
    df = variance**2 / (0.02**4 / 39 + training**2 / 2)
    n, z = runs.mean() * (1 - runs.mean()) / variance, scipy.stats.t.ppf(0.975, df)
    centre = (runs.mean() + z * z / 2 / n) / (1 + z * z / n)
    assert (float(found.low) + float(found.high)) / 2 == pytest.approx(centre, abs=1e-10)
    assert float(found.training) == pytest.approx(training / variance, abs=1e-12)
    assert np.isnan(score_intervals(runs.mean(), 0.02**2, 40).training)
    alike = score_intervals(runs.mean(), 0.02**2, 40, runs=np.full(3, runs.mean()))
    assert alike.training == 0
    assert alike.low == score_intervals(runs.mean(), 0.02**2, 40).low
    assert found.high - found.low > alike.high - alike.low
    broken = score_intervals([0.8, 0.8], 0.01, 9, runs=[[0.8, 0.7], [np.nan, 0.9]])
    assert broken.flag.tolist() == ["undefined", ""]


def test_one_run_gets_the_other_systems_variance() -> None:
    several = [0.81, 0.84, 0.79]
    found = run_errors([0.86], several, 1e-4, 59)
    training = np.var(several, ddof=1) * (1 + 1 / 3)
    variance = 1e-4 + training
    assert float(found.error) == pytest.approx(sqrt(variance), abs=1e-12)
    assert float(found.freedom) == pytest.approx(variance**2 / (1e-8 / 59 + training**2 / 2))
    back = run_errors(several, [0.86], 1e-4, 59)
    assert back == (-found.difference, *found[1:])
    test, reverse = (t_test(*each[:3]) for each in (found, back))
    assert (test.p, test.low, test.p_better) == (reverse.p, -reverse.high, 1 - reverse.p_better)


def test_runs_that_tell_nothing() -> None:
    for runs, variance in (([0.8, 0.8], 0.0), ([0.8, np.nan], 0.01), ([0.8, 0.7], np.nan)):
        found = run_errors(runs, np.add(runs, 0.1), variance, 8)
        assert np.isnan([*found, *t_test(*found[:3])]).all()


def test_spread_of_known_distributions() -> None:
    assert spread(np.random.default_rng(12).normal(0, 3, 100_000)) == pytest.approx(3, abs=0.03)
    assert np.isnan(spread([np.nan, np.inf]))
    assert floor(spread(range(101))) == 34
