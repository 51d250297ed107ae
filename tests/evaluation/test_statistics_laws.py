"""Laws of intervals and tests, what is undefined, and how often they are right in made-up worlds."""

from itertools import product
from math import floor, sqrt
from typing import Any

import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray

from spacy_nereval.evaluation.bounds import (
    Intervals,
    accuracy_interval,
    effective_units,
    macro_interval,
    sample_variance,
    score_intervals,
    spread,
    variance_scale,
)
from spacy_nereval.evaluation.differences import (
    Differences,
    balance,
    detectable_difference,
    differing_units,
    swap_test,
    t_test,
    widen_interval,
)
from spacy_nereval.evaluation.resampling import half_samples, patterns
from spacy_nereval.evaluation.tested import count_data_sets
from spacy_nereval.evaluation.variance import count_mixed_units, influences, run_errors, skewness

Counts = NDArray[np.int64]
"""tp, fp, fn of each unit: [units, ..., 3]."""


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


# Plain twins


def test_six_units_are_not_few() -> None:
    assert [*score_intervals([0.5, 0.5], 0.01, [5.99, 6]).flag] == ["few", ""]


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


# Order, blocks and direction


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


@pytest.mark.parametrize(("origin", "sign"), [(1, -1), (1, 1)], ids=["accuracy", "granularity"])
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
    assert macro_interval([0.9, 0.5], [0.8, np.nan], [0.95, np.nan], inner, limits=(1, np.inf))[1] == np.inf
    # Of a cost, a label without an interval reaches up by no more than 1 + x.
    high = macro_interval([0.9, 0.5], [0.8, np.nan], [0.9, np.nan], inner, limits=(0, np.inf))[1]
    assert high == pytest.approx(0.7 + 1.5 / 2)
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
    """Runs that vary make the interval wider; those that do not, or are undefined, have the interval of one or none."""
    alone, varied, alike = (
        score_intervals(0.8, 0.02**2, 40, runs=runs) for runs in (None, [0.80, 0.83, 0.77], [0.8, 0.8, 0.8])
    )
    assert np.isnan(alone.training) and alike.training == 0
    assert (alike.low, alike.high) == (alone.low, alone.high)
    assert varied.high - varied.low > alike.high - alike.low
    assert score_intervals([0.8, 0.8], 0.01, 9, runs=[[0.8, 0.7], [np.nan, 0.9]]).flag.tolist() == ["undefined", ""]


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
    cost = t_test(*back[:3], higher_is_better=False)
    assert cost.p_better == test.p_better != reverse.p_better
    assert (test.p, test.low, test.p_better) == (reverse.p, -reverse.high, 1 - reverse.p_better)


def test_runs_that_tell_nothing() -> None:
    for runs, variance in (([0.8, 0.8], 0.0), ([0.8, np.nan], 0.01), ([0.8, 0.7], np.nan)):
        found = run_errors(runs, np.add(runs, 0.1), variance, 8)
        assert np.isnan([*found, *t_test(*found[:3])]).all()


def test_spread_of_known_distributions() -> None:
    assert spread(np.random.default_rng(12).normal(0, 3, 100_000)) == pytest.approx(3, abs=0.03)
    assert np.isnan(spread([np.nan, np.inf]))
    assert floor(spread(range(101))) == 34


def world(rng: np.random.Generator, shape: tuple[int, ...], recall: float, spurious: float) -> Counts:
    """tp, fp, fn of documents of which some are longer and some harder; their F is that of `expected`."""
    gold = 1 + rng.poisson(rng.gamma(1, 4, shape))
    found = rng.binomial(gold, rng.beta(3 * recall, 3 * (1 - recall), shape))
    return np.stack([found, rng.poisson(spurious * gold * rng.gamma(1, 1, shape)), gold - found], axis=-1)


def expected(recall: float, spurious: float) -> float:
    return 2 * recall / (1 + recall + spurious)


WORLDS = {"F .68": (0.68, 0.32), "F .92": (0.92, 0.08)}


def many(rng: np.random.Generator, units: int, pairs: int, apart: float) -> tuple[Counts, Counts]:
    """Pairs of systems on the same documents; half of the pairs differ by `apart` in recall."""
    gold = 1 + rng.poisson(2, (units, pairs))
    hard = rng.beta(4, 2, (units, pairs))
    better = np.where(np.arange(pairs) % 2, apart, 0)
    systems = []
    for recall in (hard, np.clip(hard + better, 0, 1)):
        found = rng.binomial(gold, recall)
        systems.append(np.stack([found, rng.poisson(0.3, gold.shape), gold - found], axis=-1))
    return systems[0], systems[1]


@pytest.mark.parametrize(("units", "swaps", "pairs"), [(7, 128, 1500), (9, 600, 600), (12, 399, 600), (25, 999, 250)])
@pytest.mark.slow
def test_interval_and_p_never_contradict_each_other(units: int, swaps: int, pairs: int) -> None:
    """Thousands of pairs of systems in all, each at several levels."""
    rng, seen, rejected = np.random.default_rng(8), 0, 0
    for apart in (0.05, 0.25, 0.4):
        swapped = swaps_of(*many(rng, units, pairs, apart), swaps)
        for level in (0.8, 0.95, 0.99):
            found = swap_test(**swapped, level=level)
            tested = np.isfinite(found.p)
            holds = (found.low <= 0) & (found.high >= 0)
            assert (holds == (found.p > 1 - level + 1e-12))[tested].all()
            assert np.isnan(found.low[~tested]).all()
            rejected += int((~holds & tested).sum())
        seen += int(tested.sum())
    assert seen > 400
    assert 40 < rejected < 3 * seen


@pytest.mark.parametrize(("units", "swaps"), [(10, 1024), (30, 999)])
@pytest.mark.slow
def test_p_is_uniform_where_the_systems_are_alike(units: int, swaps: int) -> None:
    """As often at or below a level as the level says; ties only make it rarer."""
    found = compared(*many(np.random.default_rng(9), units, 1000, 0), swaps=swaps)
    for p in (found.p, found.p_better):
        tested = p[np.isfinite(p)]
        for level in (0.05, 0.1, 0.2, 0.5):
            error = sqrt(level * (1 - level) / len(tested))
            assert 0.9 * level - 3 * error < (tested <= level).mean() < level + 3 * error


def by_influence(runs: Counts) -> Intervals:
    """The intervals of the mean F of training runs, tp, fp, fn [runs, units, sets, 3]."""
    units, sets = runs.shape[1:3]
    scores, alone = f_score(runs.sum(1)), f_score(runs).mean(0).T.ravel()
    theta, left = scores.mean(0), f_score(runs.sum(1, keepdims=True) - runs).mean(0).T.ravel()
    row = np.repeat(np.arange(sets), units)
    found = influences(theta, row, left, units)
    mixed = count_mixed_units(theta, row, left, alone, variance_scale((0, 1), theta.shape))
    k = effective_units(spans(runs).mean(0))
    several = scores if len(runs) > 1 else None
    return score_intervals(theta, found.variance, k, bearers=found.bearers, mixed=mixed, runs=several)


@pytest.mark.parametrize("made", WORLDS.values(), ids=WORLDS)
@pytest.mark.slow
def test_coverage_of_a_score(made: tuple[float, float]) -> None:
    """The percentile interval of the bootstrap misses far too often with few documents; this one does not."""
    rng, units, sets = np.random.default_rng(10), 10, 1000
    counts, true = world(rng, (units, sets), *made), expected(*made)
    found = by_influence(counts[None])
    assert ((found.low <= true) & (true <= found.high)).mean() > 0.94
    resampled = f_score(np.tensordot(rng.multinomial(units, np.ones(units) / units, 1000).astype(float), counts, 1))
    low, high = np.nanquantile(resampled, [0.025, 0.975], axis=0)
    assert ((low <= true) & (true <= high)).mean() < 0.89


@pytest.mark.slow
def test_the_count_of_data_sets_is_seldom_too_high() -> None:
    rng = np.random.default_rng(11)
    p = rng.random((2000, 5))
    p[:, :2] = rng.random((2000, 2)) ** 12  # Better in two of five.
    for independent in (False, True):
        found = np.array([count_data_sets(row, independent=independent).least for row in p])
        assert (found > 2).mean() <= 0.05 + 3 * sqrt(0.05 * 0.95 / 2000)
        assert (found == 2).mean() > 0.4


@pytest.mark.slow
def test_coverage_of_the_score_to_expect_of_another_training() -> None:
    """The interval of a single run leaves training out, and misses the expected score far too often."""
    rng, units, sets, runs = np.random.default_rng(12), 150, 250, 3
    gold = 1 + rng.poisson(rng.gamma(1, 4, (units, sets)))
    hard = rng.normal(0, 0.15, (units, sets))

    def trained(shift: NDArray[np.float64]) -> Counts:
        """tp, fp, fn of a run whose recall is off by a shift, one for each data set."""
        found = rng.binomial(gold, np.clip(0.7 + hard + shift, 0, 1))
        return np.stack([found, rng.poisson(0.3 * gold), gold - found], axis=-1)

    own = [trained(rng.normal(0, 0.03, sets)) for _ in range(runs)]
    # What 200 other trainings score on a data set as large as all of these together.
    others = [f_score(trained(np.full(sets, shift)).sum((0, 1))) for shift in rng.normal(0, 0.03, 200)]
    true, several = np.mean(others), by_influence(np.array(own))
    assert ((several.low <= true) & (true <= several.high)).mean() > 0.92
    single = by_influence(np.array(own[:1]))
    assert ((single.low <= true) & (true <= single.high)).mean() < 0.88


def test_a_widened_interval_stops_short_of_0_where_the_test_rejects_it():
    """Else p and interval would contradict each other."""
    nothing = np.array(np.nan)
    for sign in (1, -1):
        bounds = sorted((sign * 0.01, sign * 0.2))
        test = Differences(np.array(0.03), nothing, *map(np.array, bounds), nothing)
        found = widen_interval(test, sign * 0.1, 0.2, sign * -3.0, 20, 20.0)
        low, high = sorted((sign * float(found.low), sign * float(found.high)))
        assert low == 1e-12 and high > 0.2
        assert found.p == 0.03 and found.detectable == detectable_difference(found.low, found.high)
    open_test = Differences(np.array(0.3), nothing, np.array(-0.01), np.array(0.2), nothing)
    assert widen_interval(open_test, 0.1, 0.2, -3.0, 20, 20.0, limit=0.4).low == -0.4


def test_the_skewness_of_influences_is_that_of_all_units():
    random = np.random.default_rng(1)
    left = 0.5 + random.gamma(0.3, size=30) / 1000 * (random.random(30) < 0.5)
    moved = np.flatnonzero(left != 0.5)
    found = skewness([0.5, 0.3], np.zeros(len(moved), int), left[moved], 30)
    assert found.tolist() == [pytest.approx(float(scipy.stats.skew(-left))), 0]
