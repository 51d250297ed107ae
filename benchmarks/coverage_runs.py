"""How often systems that were trained several times are told apart, and the expected score is held."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.stats
from coverage_differences import swapped
from worlds import (
    ALPHA,
    LEVEL,
    SAMPLES,
    TOGETHER,
    Floats,
    System,
    Tally,
    batches,
    bootstrap,
    by_influence,
    documents,
    f_score,
    holds,
    outputs,
    percentile,
    spans,
    sums,
)

from spacy_nereval.evaluation.bounds import degrees_of_freedom, effective_units
from spacy_nereval.evaluation.differences import swap_test, t_test
from spacy_nereval.evaluation.resampling import patterns
from spacy_nereval.evaluation.variance import influences, run_errors

SWAPS = 1000
APART = 0.03
"""Standard deviation of the recall of a training run: two points of F, or so."""


METHODS = SWAPPED, TWO_LEVEL, WELCH, CHOSEN = (
    "swaps of documents alone",
    "two-level bootstrap",
    "Welch's test of runs alone",
    "chosen",
)
"""The first three leave out training, resample both documents and runs, and leave out documents."""


def trained(
    rng: np.random.Generator, system: System, runs: int, apart: float, gold: Floats, hard: Floats
) -> list[Floats]:
    """Return tp, fp, fn of the training runs of a system, [documents, sets, 3] each."""
    recalls = np.clip(rng.normal(system.recall, apart, (runs, gold.shape[1])), 0.01, 0.99)
    return [outputs(rng, system._replace(recall=recall), gold, hard) for recall in recalls]


def found_between(
    first: System, second: System, runs: tuple[int, int], number: int, sets: int, seed: int, apart: float = APART
) -> dict[str, str]:
    """Return how often a difference is found between two systems, by several methods."""
    found = Tally()
    for name in METHODS:
        found[name] = []
    for rng, keys, bits in batches(number, sets, seed):
        gold, hard = documents(rng, (number, TOGETHER))
        a, b = (trained(rng, system, k, apart, gold, hard) for system, k in zip((first, second), runs))
        one, other = (np.array([f_score(run.sum(0)) for run in side]) for side in (a, b))
        given = swapped(sum(a) / len(a), sum(b) / len(b), gold, patterns(bits, keys, SWAPS))
        found[SWAPPED].append(swap_test(**given, level=LEVEL).p <= ALPHA)
        draws = bootstrap(rng, number)
        low, high = percentile(resampled(rng, b, draws) - resampled(rng, a, draws))
        found[TWO_LEVEL].append(~holds(low, high, 0))
        if min(runs) > 1:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # Runs may score the same.
                welch = scipy.stats.ttest_ind(one, other, equal_var=False)
            found[WELCH].append(np.asarray(welch.pvalue <= ALPHA))
        if max(runs) > 1:
            k = effective_units(np.mean([spans(run) for run in a], axis=0) + np.mean([spans(run) for run in b], axis=0))
            left = [np.mean([f_score(run.sum(0) - run) for run in side], axis=0) for side in (a, b)]
            row = np.tile(np.arange(gold.shape[1]), number)
            known = influences(other.mean(0) - one.mean(0), row, (left[1] - left[0]).ravel(), number)
            errors = run_errors(one, other, known.variance, degrees_of_freedom(k, known.bearers))
            found[CHOSEN].append(t_test(*errors[:3], level=LEVEL).p <= ALPHA)
    return found.shares()


def resampled(rng: np.random.Generator, runs: list[Floats], draws: Floats) -> Floats:
    """Return the mean F of runs that are drawn with replacement, on documents that are, [samples, sets]."""
    scores = np.array([f_score(sums(draws, run)) for run in runs])
    drawn = rng.integers(len(runs), size=(len(runs), SAMPLES))
    return np.asarray(scores[drawn, np.arange(SAMPLES)].mean(axis=0))


def of_expected_score(system: System, runs: int, number: int, sets: int, seed: int) -> str:
    """Return how often the interval of the mean F over runs holds the F to expect of another training."""
    recalls = np.clip(np.random.default_rng(0).normal(system.recall, APART, 100_000), 0.01, 0.99)
    true = float((2 * recalls / (1 + recalls + system.spurious)).mean())
    found = Tally()
    for rng, _, _ in batches(number, sets, seed):
        own = np.array(trained(rng, system, runs, APART, *documents(rng, (number, TOGETHER))))
        bounds = by_influence(f_score, own, effective_units(spans(own).mean(0)), runs=True)
        found["held"].append(holds(bounds.low, bounds.high, true))
    return found.shares()["held"]
