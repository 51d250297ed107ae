"""Made-up test sets whose true scores are known, and what the tables of coverage.py are counted with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from spacy_nereval.evaluation.bounds import Intervals, effective_units, score_intervals, variance_scale
from spacy_nereval.evaluation.resampling import half_samples
from spacy_nereval.evaluation.variance import count_mixed_units, influences

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]

SAMPLES = 1000
LEVEL = 0.95
ALPHA = 1 - LEVEL + 1e-12
"""A p-value up to this rejects. The rounding of 1 - 0.95 must not decide."""

TOGETHER = 50
"""Data sets that share their random bits, so that they are processed together."""

FREQUENCIES = (0.45, 0.3, 0.19, 0.04, 0.02)
"""Shares of five labels among the gold spans; two labels are rare."""


class System(NamedTuple):
    """A made-up system.

    Attributes:
        recall: Share of the gold spans that it finds; of several trainings, one for each.
        spurious: Wrong spans for each gold span.
    """

    recall: Floats
    spurious: float

    def f(self) -> float:
        """Return its true F."""
        return float(2 * self.recall / (1 + self.recall + self.spurious))


def with_f(f: float, recall: float) -> System:
    """Return the system with this F and this recall."""
    return System(np.array(recall), 2 * recall / f - 1 - recall)


WORLDS = {"F .68": with_f(0.68, 0.68), "F .92": with_f(0.92, 0.92)}
OTHERS = {"F .68": with_f(0.68, 0.61), "F .92": with_f(0.92, 0.89)}
"""Systems with the same F, but other errors: fewer wrong spans, and fewer found."""

BETTER = {"F .68": with_f(0.72, 0.72), "F .92": with_f(0.94, 0.94)}


def documents(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return gold spans of documents, some far longer than others, and how hard each of them is, 0 to 1."""
    gold = 1 + rng.poisson(rng.gamma(1, 4, shape))
    return gold.astype(float), rng.random(shape)


def outputs(rng: np.random.Generator, system: System, gold: Floats, hard: Floats) -> Floats:
    """Return tp, fp, fn of a system: [..., 3]. A hard document is hard for every system."""
    # A beta distribution with the system's recall for a mean, in steps: what is hard is found less.
    level = np.clip(system.recall + (0.5 - hard) * 1.2 * np.minimum(system.recall, 1 - system.recall), 0, 1)
    found = rng.binomial(gold.astype(np.int64), rng.beta(6 * level + 1e-9, 6 * (1 - level) + 1e-9))
    return np.stack([found, rng.poisson(2 * hard * system.spurious * gold), gold - found], axis=-1).astype(float)


def labelled(rng: np.random.Generator, number: int) -> tuple[Floats, Floats]:
    """Return gold spans of each label and how hard they are, [documents, sets, labels] each."""
    gold, hard = documents(rng, (number, TOGETHER))
    split = rng.multinomial(gold.astype(np.int64), FREQUENCIES).astype(float)
    return split, np.broadcast_to(hard[..., None], split.shape)


class World(NamedTuple):
    """A world in which a few documents have most of the errors or most of the spans, or many have no spans.

    Attributes:
        system: The system.
        broken: The share of documents in which it finds next to nothing and invents as many spans as there are.
        pareto: The exponent of the distribution of gold spans; None for that of other worlds.
        empty: The share of documents without gold spans. In these a system predicts a spurious span now and then.
        single: Whether the other documents have one gold span each; then nothing is predicted in those without.
    """

    system: System
    broken: float = 0.0
    pareto: float | None = None
    empty: float = 0.0
    single: bool = False

    def documents(self, rng: np.random.Generator, number: int) -> tuple[Floats, Floats]:
        """Return gold spans of documents, and how hard these are, [number, `TOGETHER`]."""
        shape = (number, TOGETHER)
        gold, hard = documents(rng, shape)
        if self.pareto is not None:
            gold = np.minimum(np.floor(2 * (1 + rng.pareto(self.pareto, shape))), 2000)
        if self.empty:
            gold = np.where(rng.random(shape) < self.empty, 0, 1 if self.single else gold)
        return gold, hard

    def outputs(self, rng: np.random.Generator, system: System, gold: Floats, hard: Floats) -> Floats:
        """Return tp, fp, fn of a system in the documents, [..., 3]."""
        counts = outputs(rng, system, gold, hard)
        if self.empty and not self.single:
            counts[..., 1] += rng.poisson(0.3, gold.shape) * (gold == 0)
        broken = rng.random(gold.shape) < self.broken
        lost = outputs(rng, System(np.array(0.02), 1.0), gold, 0 * hard + 0.5)
        return np.where(broken[..., None], lost, counts)

    def made(self, rng: np.random.Generator, number: int) -> Floats:
        """Return tp, fp, fn of documents, [number, `TOGETHER`, 3]."""
        return self.outputs(rng, self.system, *self.documents(rng, number))


HARD = {
    "8 % catastrophic documents": World(with_f(0.95, 0.95), broken=0.08),
    "document sizes Pareto": World(with_f(0.8, 0.8), pareto=1.3),
    "ordinary, F .63": World(with_f(0.63, 0.6)),
    "ordinary, F .967": World(with_f(0.967, 0.97)),
    "ordinary, F .07": World(with_f(0.07, 0.04)),
}
"""Worlds by their names, as the tables of coverage have them."""


def spans(counts: Floats) -> Floats:
    """Return gold plus predicted spans of tp, fp, fn along the last axis."""
    return 2 * counts[..., 0] + counts[..., 1] + counts[..., 2]


def f_score(counts: Floats) -> Floats:
    """Return F of tp, fp, fn along the last axis; NaN where there is no span."""
    return ratio(2 * counts[..., 0], spans(counts))


def ratio(above: Floats, below: Floats) -> Floats:
    """Return quotients; NaN for 0/0."""
    return np.asarray(np.divide(above, below, out=np.full(np.shape(below), np.nan), where=below > 0))


def batches(number: int, sets: int, seed: int) -> Iterator[tuple[np.random.Generator, list[str], int]]:
    """Yield random numbers, keys of the documents, and a seed of the bits for some data sets at a time."""
    for batch in range(0, sets, TOGETHER):
        yield np.random.default_rng([seed, number, batch]), [f"d{k}" for k in range(number)], seed + batch


def holds(low: Floats, high: Floats, true: float) -> Truths:
    """Return which intervals hold the true value."""
    return (low <= true) & (true <= high)


def bootstrap(rng: np.random.Generator, number: int) -> Floats:
    """Return how often each document is drawn with replacement, [samples, documents]."""
    return rng.multinomial(number, np.ones(number) / number, SAMPLES).astype(float)


def percentile(samples: Floats, tail: float = (1 - LEVEL) / 2) -> tuple[Floats, Floats]:
    """Return the percentile interval of the samples, which leaves out so much on either side."""
    low, high = (np.asarray(np.nanquantile(samples, q, axis=0), float) for q in (tail, 1 - tail))
    return low, high


def expanded(number: int) -> float:
    """Return what the expanded percentile interval of a number of documents leaves out on either side.

    Source: T. C. Hesterberg, What Teachers Should Know About the Bootstrap (2015).

    >>> round(expanded(10), 4), round(expanded(10**6), 4)
    (0.0086, 0.025)
    """
    return float(ndtr(sqrt(number / (number - 1)) * stdtrit(number - 1, (1 - LEVEL) / 2)))


def sums(weights: Any, counts: Floats) -> Floats:
    """Return the sums of the documents' counts in every sample, [samples, ...]."""
    return np.asarray(np.tensordot(np.asarray(weights, dtype=float), counts, 1))


def interval(counts: Floats) -> Intervals:
    """Return the intervals of F of some data sets, counts [documents, sets, 3]."""
    return by_influence(f_score, counts, effective_units(spans(counts)))


def by_influence(
    score: Callable[[Floats], Floats],
    counts: Floats,
    units: Floats,
    *,
    limits: tuple[float, float] = (0.0, 1.0),
    runs: bool = False,
) -> Intervals:
    """Return the intervals of a score of some data sets.

    Args:
        score: The score of counts.
        counts: [documents, sets, ...]; of several trainings, [runs, documents, sets, ...].
        units: Effective number of units of each set.
        limits: The limits of the score.
        runs: Whether there are several trainings; the score is then their mean.
    """
    several = counts if runs else counts[None]
    whole = score(several.sum(1))
    left, alone = score(several.sum(1, keepdims=True) - several).mean(0), score(several).mean(0)
    scale = variance_scale(limits, ())
    theta, row = scale.transform(whole.mean(0)), np.tile(np.arange(whole.shape[1]), len(left))
    known = influences(theta, row, scale.transform(left).ravel(), len(left))
    scales = variance_scale(limits, theta.shape)
    mixed = count_mixed_units(theta, row, scale.transform(left).ravel(), scale.transform(alone).ravel(), scales)
    return score_intervals(
        whole.mean(0),
        known.variance,
        units,
        bearers=known.bearers,
        mixed=mixed,
        lone=known.lone,
        level=LEVEL,
        limits=limits,
        runs=whole if runs and len(whole) > 1 else None,
    )


def bits_of(seed: int, keys: list[str]) -> NDArray[np.uint8]:
    """Return the half-samples of documents, [samples, documents]."""
    return half_samples(seed, keys, SAMPLES)


class Tally(defaultdict[str, list[NDArray[Any]]]):
    """What was seen, by the name of a row: truths, or numbers of which the mean is wanted.

    >>> seen = Tally()
    >>> seen["right"].append(np.array([True, False, True, True]))
    >>> seen["never seen"] = []
    >>> seen.shares()
    {'right': '75', 'never seen': '–'}
    """

    def __init__(self) -> None:
        super().__init__(list)

    def shares(self) -> dict[str, str]:
        """Return the mean of each row, in per cent; a dash where there is nothing to count."""
        return {
            name: f"{100 * np.concatenate(found).mean():.0f}" if sum(map(len, found)) else "–"
            for name, found in self.items()
        }
