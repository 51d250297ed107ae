"""How often the interval of a score holds the true one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from worlds import (
    HARD,
    TOGETHER,
    WORLDS,
    Floats,
    System,
    Tally,
    batches,
    bootstrap,
    by_influence,
    documents,
    expanded,
    f_score,
    holds,
    interval,
    labelled,
    outputs,
    percentile,
    spans,
    sums,
)

from spacy_nereval.counting.table import Table, columns_of
from spacy_nereval.evaluation.bounds import effective_units, macro_interval
from spacy_nereval.io.count_files import load

BANDS = {"2–5": (2, 6), "6–9": (6, 10), "10–19": (10, 20), "20–99": (20, 100)}
"""Effective numbers of units of a label, from the first number up to the second."""

SENTENCES = 8
"""Sentences of an article."""


def of_f(system: System, number: int, sets: int, seed: int) -> dict[str, str]:
    """Return how often the intervals of F hold the true one."""
    found = Tally()
    for rng, _, _ in batches(number, sets, seed):
        counts = outputs(rng, system, *documents(rng, (number, TOGETHER)))
        chosen = interval(counts)
        resampled = f_score(sums(bootstrap(rng, number), counts))
        found["percentile"].append(holds(*percentile(resampled), system.f()))
        found["expanded percentile"].append(holds(*percentile(resampled, expanded(number)), system.f()))
        found["chosen"].append(holds(chosen.low, chosen.high, system.f()))
    return found.shares()


def of_macro(system: System, number: int, sets: int, seed: int) -> dict[str, str]:
    """Return how often the intervals of macro F over five labels, two of them rare, hold the true one."""
    found = Tally()
    for rng, _, _ in batches(number, sets, seed):
        counts = outputs(rng, system, *labelled(rng, number))
        labels = interval(counts.reshape(number, -1, 3))
        low, high = (bound.reshape(TOGETHER, -1) for bound in labels[:2])
        theta, seen = f_score(counts.sum(0)), counts[..., (0, 2)].sum((0, -1)) > 0
        own = by_influence(macro, counts, effective_units(spans(counts).sum(-1)))
        pairs = [
            macro_interval(theta[k, seen[k]], low[k, seen[k]], high[k, seen[k]], (own.low[k], own.high[k]))
            for k in range(TOGETHER)
        ]
        found["its own variance alone"].append(holds(own.low, own.high, system.f()))
        found["chosen"].append(holds(*np.array(pairs).T, system.f()))
    return found.shares()


def macro(counts: Floats) -> Floats:
    """Return the mean F over labels with gold spans; counts [..., labels, 3]."""
    scores = np.where(counts[..., (0, 2)].sum(-1) > 0, f_score(counts), np.nan)
    return np.asarray(np.ma.masked_invalid(scores).mean(axis=-1).filled(np.nan))


def of_labels(numbers: list[int], sets: int, seed: int) -> dict[str, dict[str, str]]:
    """Return how often the intervals of labels' F hold the true one, by the effective number of units of the label.

    Labels of both worlds and of test sets of all sizes are counted together.
    """
    found = {band: Tally() for band in BANDS}
    for system, number in ((system, number) for number in numbers for system in WORLDS.values()):
        for rng, _, _ in batches(number, sets, seed):
            counts = outputs(rng, system, *labelled(rng, number)).reshape(number, -1, 3)
            counts = counts[:, spans(counts).any(axis=0)]
            chosen = interval(counts)
            low, high = percentile(f_score(sums(bootstrap(rng, number), counts)))
            for band, (least, above) in BANDS.items():
                own = (chosen.units >= least) & (chosen.units < above) & (chosen.flag != "undefined")
                found[band]["percentile"].append(holds(low, high, system.f())[own])
                found[band]["percentile: zero width"].append((low == high)[own])
                found[band]["chosen"].append(holds(chosen.low, chosen.high, system.f())[own])
                found[band]["chosen: width in points"].append((chosen.high - chosen.low)[own])
                found[band]["chosen: zero width"].append((chosen.high <= chosen.low)[own])
    return {band: own.shares() for band, own in found.items()}


def of_units(system: System, number: int, sets: int, seed: int) -> dict[str, str]:
    """Return how often intervals of F hold the true one if articles are resampled by sentences, blocks or articles."""
    found = Tally()
    sentences = number * SENTENCES
    for rng, _, _ in batches(sentences, sets, seed):
        # An article is equally hard from its first sentence to its last.
        gold = rng.poisson(1.5, (sentences, TOGETHER))
        recall = rng.beta(3 * system.recall, 3 * (1 - system.recall), (number, TOGETHER)).repeat(SENTENCES, axis=0)
        wrong = system.spurious * rng.gamma(1, 1, (number, TOGETHER)).repeat(SENTENCES, axis=0)
        tp = rng.binomial(gold, recall)
        counts = np.stack([tp, rng.poisson(wrong * gold), gold - tp], axis=-1).astype(float)
        for name, size in {"sentences": 1, "block:10": 10, "block:20": 20, "articles": SENTENCES}.items():
            own = interval(np.add.reduceat(counts, np.arange(0, sentences, size)))
            found[name].append(holds(own.low, own.high, system.f()))
    return found.shares()


class Coverage(NamedTuple):
    """How often intervals hold the true score, and on which side they miss it, in per cent; and their mean width, as
    multiples of the width that two normal quantiles of the true standard deviation give."""

    held: float
    below: float
    above: float
    width: float

    def __str__(self) -> str:
        return f"{self.held:.0f} ({self.width:.2f}; {self.below:.0f}+{self.above:.0f})"


def of_counts(drawn: Iterable[Floats], true: float) -> str:
    """Return how the intervals of F of data sets cover the true one; counts [documents, sets, 3] some at a time.

    A miss below is an interval that lies below the true score.
    """
    low, high, scores = (
        np.concatenate(column) for column in zip(*((*interval(counts)[:2], f_score(counts.sum(0))) for counts in drawn))
    )
    below, above = 100 * (high < true).mean(), 100 * (low > true).mean()
    return str(Coverage(100 - below - above, below, above, (high - low).mean() / (3.92 * scores.std())))


MANY = 200_000
"""From so many documents, `TOGETHER` times, the true score of a hard world is known."""


@cache
def true_f(name: str, seed: int) -> float:
    """Return F of a hard world."""
    return float(f_score(HARD[name].made(np.random.default_rng([seed, 1_000_003]), MANY).sum((0, 1))))


def of_world(name: str, number: int, sets: int, seed: int) -> str:
    """Return how the intervals of F cover the true one in a hard world."""
    drawn = (HARD[name].made(rng, number) for rng, _, _ in batches(number, sets, seed))
    return of_counts(drawn, true_f(name, seed))


def of_file(path: Path, number: int, sets: int, seed: int) -> str:
    """Return how the intervals of strict F cover that of a whole count file, of whose documents some are drawn."""
    counts = load(path)
    table = Table(counts.of([metric for metric in counts.metrics if metric.name == "strict"]), ())
    columns = columns_of(table.metrics[0], (table.cells @ table.label_sum_matrix).toarray().T, table.slots)
    rows = np.stack([columns[name] for name in ("tp", "fp", "fn")], axis=-1).astype(float)
    rng = np.random.default_rng([seed, number])
    drawn = (rows[rng.integers(len(rows), size=(number, TOGETHER))] for _ in batches(number, sets, seed))
    return of_counts(drawn, float(f_score(rows.sum(0))))
