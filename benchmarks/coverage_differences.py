"""How often tests and intervals of differences are right."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri
from worlds import (
    ALPHA,
    LEVEL,
    TOGETHER,
    Floats,
    System,
    Tally,
    batches,
    bootstrap,
    documents,
    f_score,
    holds,
    labelled,
    outputs,
    percentile,
    sums,
)

from spacy_nereval.evaluation.differences import (
    LEAST_DIFFERING,
    POWER,
    balance,
    detectable_difference,
    differing_units,
    equivalence_level,
    swap_test,
)
from spacy_nereval.evaluation.resampling import Patterns, patterns
from spacy_nereval.evaluation.tested import count_data_sets

SWAPS = 10_000
SWAPS_OF_LABELS = 1000


def of_systems(first: System, second: System, number: int, sets: int, seed: int) -> dict[str, str]:
    """Return how often the test finds a difference, and the intervals hold the true one."""
    true = second.f() - first.f()
    found = Tally()
    for rng, keys, bits in batches(number, sets, seed):
        gold, hard = documents(rng, (number, TOGETHER))
        a, b = (outputs(rng, system, gold, hard) for system in (first, second))
        given = swapped(a, b, gold, patterns(bits, keys, SWAPS))
        tests = swap_test(**given, level=LEVEL)
        tested = np.isfinite(tests.p)
        draws = bootstrap(rng, number)
        low, high = percentile(f_score(sums(draws, b)) - f_score(sums(draws, a)))
        found["percentile excludes 0"].append(~holds(low, high, 0))
        found["p ≤ .05"].append(np.where(tested, tests.p <= ALPHA, False))
        found["percentile holds"].append(holds(low, high, true))
        found["chosen holds, D ≥ 6"].append(holds(tests.low, tests.high, true)[tested])
        found["contradictions"].append((holds(tests.low, tests.high, 0) != (tests.p > ALPHA))[tested])
        if abs(true) > 1e-9:
            reach = float(ndtri((1 + LEVEL) / 2))
            detectable = detectable_difference(tests.low, tests.high, level=LEVEL)[tested]
            found["power, D ≥ 6"].append(tests.p[tested] <= ALPHA)
            # The detectable difference lies so many standard errors from 0.
            found["power by the detectable difference"].append(
                ndtr(abs(true) * (reach + ndtri(POWER)) / detectable - reach)
            )
            narrow = swap_test(**given, level=equivalence_level(LEVEL))
            found["the same within the true difference"].append((narrow.low > -abs(true)) & (narrow.high < abs(true)))
    return found.shares()


def of_labels(first: System, second: System, number: int, sets: int, seed: int) -> dict[str, str]:
    """Return what tests and intervals of labels' differences do, by the number D of documents that differ."""
    true = second.f() - first.f()
    found = Tally()
    for rng, keys, bits in batches(number, sets, seed):
        gold, hard = (each.reshape(number, -1) for each in labelled(rng, number))
        a, b = (outputs(rng, system, gold, hard) for system in (first, second))
        differing = differing_units(a, b)
        # Where fewer differ, the numbers that are not shown are computed all the same.
        given = swapped(a, b, gold, patterns(bits, keys, SWAPS_OF_LABELS)) | {"differing": LEAST_DIFFERING}
        tests = swap_test(**given, level=LEVEL)
        enough, few = differing >= LEAST_DIFFERING, (differing < LEAST_DIFFERING) & (differing > 0)
        found["labels with D ≥ 6"].append(enough)
        found["D ≥ 6: p ≤ .05"].append(tests.p[enough] <= ALPHA)
        found["D ≥ 6: interval holds"].append(holds(tests.low, tests.high, true)[enough])
        found["D < 6: interval would hold"].append(holds(tests.low, tests.high, true)[few & np.isfinite(tests.p)])
    return found.shares()


def swapped(a: Floats, b: Floats, gold: Floats, drawn: Patterns) -> dict[str, Any]:
    """Return what the swap test of F takes, for counts [documents, sets, 3] of two systems."""
    kept = drawn.all().astype(float)
    weights = 2 * gold + a[..., :2].sum(-1) + b[..., :2].sum(-1)
    moved = sums(kept, a - b)
    return {
        "difference": f_score(b.sum(0)) - f_score(a.sum(0)),
        "swapped": f_score(a.sum(0) - moved) - f_score(b.sum(0) + moved),
        "balances": balance(sums(kept, weights), weights.sum(0)),
        "exact": drawn.exact,
        "differing": differing_units(a, b),
        "limit": 1.0,
    }


def of_data_sets(better: int, number: int, sets: int, seed: int) -> dict[str, str]:
    """Return how often the number of data sets in which a system is better is counted too high."""
    rng, found = np.random.default_rng([seed, number, better]), Tally()
    for p in rng.random((sets, number)) ** np.where(np.arange(number) < better, 12, 1):
        for name, independent in (("Bonferroni", False), ("Fisher", True)):
            counted = count_data_sets(p, level=LEVEL, independent=independent).least
            found[name].append(np.array([counted > better]))
    return found.shares()
