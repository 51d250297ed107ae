"""How often intervals and tests of this package are right, in made-up worlds whose true scores are known.

    python benchmarks/coverage.py --sets 400 > benchmarks/coverage.md

Two worlds, a poor system (F .68) and a good one (F .92), and 10 to 500 documents. The
same call prints the same tables on every machine. For comparison, each table has the
percentile interval of the bootstrap, which resamples documents with replacement.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np
import typer
from numpy.typing import NDArray

from spacy_nereval.evaluation.statistics.bits import half_samples, patterns
from spacy_nereval.evaluation.statistics.derived import macro_interval
from spacy_nereval.evaluation.statistics.differences import balance, differing_units, swap_test
from spacy_nereval.evaluation.statistics.intervals import Intervals, effective_units, score_intervals
from spacy_nereval.evaluation.statistics.runs import run_test

Floats = NDArray[np.float64]

SAMPLES = 1000
SWAPS = 10_000
LEVEL = 0.95
NUMBERS = [10, 20, 50, 100, 500]
"""Documents per data set."""

TOGETHER = 50
"""Data sets that share their random bits, so that they are processed together."""


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


def f_score(counts: Floats) -> Floats:
    """Return F of tp, fp, fn along the last axis; NaN where there is no span."""
    below = 2 * counts[..., 0] + counts[..., 1] + counts[..., 2]
    return np.asarray(np.divide(2 * counts[..., 0], below, out=np.full(below.shape, np.nan), where=below > 0))


def batches(number: int, sets: int, seed: int) -> Iterator[tuple[np.random.Generator, list[str], int]]:
    """Yield random numbers, keys of the documents, and a seed of the bits for some data sets at a time."""
    for batch in range(0, sets, TOGETHER):
        yield np.random.default_rng([seed, number, batch]), [f"d{k}" for k in range(number)], seed + batch


def share(found: list[NDArray[np.bool_]]) -> str:
    """Return the share of true ones in per cent."""
    return f"{100 * np.concatenate(found).mean():.0f}" if sum(map(len, found)) else "–"


def holds(low: Floats, high: Floats, true: float) -> NDArray[np.bool_]:
    """Return which intervals hold the true value."""
    return (low <= true) & (true <= high)


def bootstrap(rng: np.random.Generator, number: int) -> Floats:
    """Return how often each document is drawn with replacement, [samples, documents]."""
    return rng.multinomial(number, np.ones(number) / number, SAMPLES).astype(float)


def percentile(samples: Floats) -> tuple[Floats, Floats]:
    """Return the percentile interval of the samples."""
    low, high = (np.asarray(np.nanquantile(samples, q, axis=0), float) for q in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return low, high


def coverage_of_scores(system: System, number: int, sets: int, seed: int) -> dict[str, str]:
    """Return how often the intervals of F hold the true one."""
    found: dict[str, list[NDArray[np.bool_]]] = {"percentile": [], "chosen": []}
    for rng, keys, bits in batches(number, sets, seed):
        counts = outputs(rng, system, *documents(rng, (number, TOGETHER)))
        chosen = interval(counts, half_samples(bits, keys, SAMPLES))
        found["chosen"].append(holds(chosen.low, chosen.high, system.f()))
        resampled = f_score(np.tensordot(bootstrap(rng, number), counts, 1))
        found["percentile"].append(holds(*percentile(resampled), system.f()))
    return {name: share(all_found) for name, all_found in found.items()}


def interval(counts: Floats, bits: NDArray[np.uint8]) -> Intervals:
    """Return the intervals of F of some data sets, counts [documents, sets, 3]."""
    weights = 2 * counts[..., 0] + counts[..., 1] + counts[..., 2]
    samples = f_score(np.tensordot(bits.astype(float), counts, 1))
    return score_intervals(f_score(counts.sum(0)), samples, effective_units(weights), level=LEVEL)


def coverage_of_macro(system: System, number: int, sets: int, seed: int) -> dict[str, str]:
    """Return how often the intervals of macro F over five labels, two of them rare, hold the true one."""
    found: dict[str, list[NDArray[np.bool_]]] = {"half-samples alone": [], "chosen": []}
    frequency = np.array([0.45, 0.3, 0.19, 0.04, 0.02])
    for rng, keys, bits in batches(number, sets, seed):
        gold, hard = documents(rng, (number, TOGETHER))
        labelled = rng.multinomial(gold.astype(np.int64), frequency).astype(float)
        counts = outputs(rng, system, labelled, np.broadcast_to(hard[..., None], labelled.shape))
        drawn = half_samples(bits, keys, SAMPLES)
        samples = f_score(np.tensordot(drawn.astype(float), counts, 1))
        labels = interval(counts.reshape(number, -1, 3), drawn)
        low, high = (bound.reshape(TOGETHER, -1) for bound in labels[:2])
        theta, seen = f_score(counts.sum(0)), counts[..., (0, 2)].sum((0, -1)) > 0
        # Masked, since a half-sample may hold no label with gold at all.
        masked = np.ma.masked_invalid(np.where(seen, samples, np.nan)).mean(axis=-1).filled(np.nan)
        mean = np.ma.masked_where(~seen, theta).mean(axis=-1).filled(np.nan)
        weights = 2 * counts[..., 0] + counts[..., 1] + counts[..., 2]
        own = score_intervals(mean, masked, effective_units(weights.sum(-1)), level=LEVEL)
        pairs = [
            macro_interval(theta[k, seen[k]], low[k, seen[k]], high[k, seen[k]], (own.low[k], own.high[k]))
            for k in range(TOGETHER)
        ]
        lows, highs = np.array(pairs).T
        found["chosen"].append(holds(lows, highs, system.f()))
        found["half-samples alone"].append(holds(own.low, own.high, system.f()))
    return {name: share(all_found) for name, all_found in found.items()}


def comparisons(first: System, second: System, number: int, sets: int, seed: int) -> dict[str, str]:
    """Return how often the test finds a difference, and the intervals hold the true one."""
    true = second.f() - first.f()
    names = ("percentile excludes 0", "p ≤ .05", "percentile holds", "chosen holds, D ≥ 6", "contradictions")
    found: dict[str, list[NDArray[np.bool_]]] = {name: [] for name in names}
    for rng, keys, bits in batches(number, sets, seed):
        gold, hard = documents(rng, (number, TOGETHER))
        a, b = (outputs(rng, system, gold, hard) for system in (first, second))
        weights = 2 * gold + a[..., :2].sum(-1) + b[..., :2].sum(-1)
        d = f_score(b.sum(0)) - f_score(a.sum(0))
        drawn = patterns(bits, keys, SWAPS)
        kept = drawn.all().astype(float)
        moved = np.tensordot(kept, a - b, 1)
        swapped = f_score(a.sum(0) - moved) - f_score(b.sum(0) + moved)
        tests = swap_test(
            d,
            swapped,
            balance(np.tensordot(kept, weights, 1), weights.sum(0)),
            exact=drawn.exact,
            differing=differing_units(a, b),
            level=LEVEL,
            limit=1.0,
        )
        tested = np.isfinite(tests.p)
        draws = bootstrap(rng, number)
        low, high = percentile(f_score(np.tensordot(draws, b, 1)) - f_score(np.tensordot(draws, a, 1)))
        found["percentile excludes 0"].append(~holds(low, high, 0))
        found["percentile holds"].append(holds(low, high, true))
        found["p ≤ .05"].append(np.where(tested, tests.p <= 1 - LEVEL + 1e-12, False))
        found["chosen holds, D ≥ 6"].append(holds(tests.low, tests.high, true)[tested])
        found["contradictions"].append((holds(tests.low, tests.high, 0) != (tests.p > 1 - LEVEL + 1e-12))[tested])
    return {name: share(all_found) for name, all_found in found.items()}


def of_runs(system: System, number: int, sets: int, seed: int, runs: int, apart: float = 0.03) -> str:
    """Return how often a difference is found between two systems that differ in their training runs alone.

    The recall of a run differs by `apart` (standard deviation) from that of another.
    """
    found = []
    for rng, keys, bits in batches(number, sets, seed):
        gold, hard = documents(rng, (number, TOGETHER))
        drawn = half_samples(bits, keys, SAMPLES).astype(float)
        scores, samples = [], []
        for _ in range(2):
            recalls = np.clip(rng.normal(system.recall, apart, (runs, TOGETHER)), 0.01, 0.99)
            each = [outputs(rng, system._replace(recall=recall), gold, hard) for recall in recalls]
            scores.append(np.array([f_score(counts.sum(0)) for counts in each]))
            samples.append(np.mean([f_score(np.tensordot(drawn, counts, 1)) for counts in each], axis=0))
        tests = run_test(scores[0], scores[1], samples[1] - samples[0], effective_units(gold), level=LEVEL)
        found.append(tests.p <= 1 - LEVEL)
    return share(found)


def rows(title: str, cells: dict[str, list[str]], numbers: list[int]) -> None:
    """Print one table: a row per name, a column per number of documents."""
    print(f"\n| {title} | {' | '.join(map(str, numbers))} |")
    print(f"| --- |{' ---: |' * len(numbers)}")
    for name, values in cells.items():
        print(f"| {name} | {' | '.join(values)} |")


def tables(sets: int, numbers: list[int], seed: int) -> None:
    """Print all tables, and the command that makes them again."""
    given = f"--sets {sets}" + (f" --documents {','.join(map(str, numbers))}" if numbers != NUMBERS else "")
    given += f" --seed {seed}" if seed else ""
    print(f"# Coverage\n\nWritten by `python benchmarks/coverage.py {given} > benchmarks/coverage.md`.\n")
    print(
        f"Per cent of {sets} made-up data sets; level {LEVEL:.0%}, {SAMPLES} half-samples, {SWAPS} swaps, seed {seed}."
    )

    def both(cells: dict[str, list[str]], results: dict[str, dict[str, str]]) -> None:
        for name in next(iter(results.values())):
            cells.setdefault(name, []).append(" / ".join(result[name] for result in results.values()))

    scores: dict[str, list[str]] = {}
    macros: dict[str, list[str]] = {}
    for number in numbers:
        both(scores, {name: coverage_of_scores(system, number, sets, seed) for name, system in WORLDS.items()})
        both(macros, {name: coverage_of_macro(system, number, sets, seed) for name, system in WORLDS.items()})
    worlds = " / ".join(WORLDS)
    rows(f"intervals of F that hold the true one, {worlds}, n documents", scores, numbers)
    rows(f"intervals of macro F that hold the true one, {worlds}", macros, numbers)
    for title, second in (
        ("alike", WORLDS),
        ("of the same F by other errors", OTHERS),
        ("of which one is better", BETTER),
    ):
        cells: dict[str, list[str]] = {}
        for number in numbers:
            both(cells, {name: comparisons(first, second[name], number, sets, seed) for name, first in WORLDS.items()})
        rows(f"two systems {title}, {worlds}", cells, numbers)
    trained = {
        f"{runs} runs": [of_runs(WORLDS["F .68"], number, sets, seed, runs) for number in numbers] for runs in (2, 3, 5)
    }
    rows("two systems alike but for their training, F .68: a difference is found", trained, numbers)


def main(
    sets: Annotated[int, typer.Option(help="Data sets per cell, rounded up to a multiple of 50.")] = 1000,
    documents: Annotated[str, typer.Option(help="Numbers of documents, with commas.")] = ",".join(map(str, NUMBERS)),
    seed: Annotated[int, typer.Option(help="Seed of all random numbers.")] = 0,
) -> None:
    """Print tables in Markdown: how often intervals and tests are right."""
    tables(-(-sets // TOGETHER) * TOGETHER, [int(number) for number in documents.split(",")], seed)


if __name__ == "__main__":
    typer.run(main)
