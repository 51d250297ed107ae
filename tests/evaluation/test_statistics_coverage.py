"""How often intervals and tests are right in made-up worlds whose true scores are known."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from test_statistics_numbers import Counts, compared, f_score, spans, swaps_of

from spacy_nereval.evaluation.statistics.bounds import Intervals, effective_units, score_intervals
from spacy_nereval.evaluation.statistics.differences import swap_test
from spacy_nereval.evaluation.statistics.influence import influences, mixed_units
from spacy_nereval.evaluation.statistics.many_tests import count_data_sets


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
    mixed = mixed_units(theta, row, left, alone, np.full(sets, True))
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
