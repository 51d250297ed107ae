"""How often the interval of a score holds the true one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from worlds import (
    LEVEL,
    TOGETHER,
    WORLDS,
    Floats,
    System,
    Tally,
    batches,
    bits_of,
    bootstrap,
    documents,
    expanded,
    f_score,
    holds,
    interval,
    labelled,
    outputs,
    percentile,
    ratio,
    spans,
    sums,
)

from spacy_nereval.evaluation.statistics.derived import macro_interval
from spacy_nereval.evaluation.statistics.intervals import effective_units, score_intervals

BANDS = {"2–5": (2, 6), "6–9": (6, 10), "10–19": (10, 20), "20–99": (20, 100)}
"""Effective numbers of units of a label, from the first number up to the second."""

SENTENCES = 8
"""Sentences of an article."""


def of_f(system: System, number: int, sets: int, seed: int) -> dict[str, str]:
    """Return how often the intervals of F hold the true one."""
    found = Tally()
    for rng, keys, bits in batches(number, sets, seed):
        counts = outputs(rng, system, *documents(rng, (number, TOGETHER)))
        chosen = interval(counts, bits_of(bits, keys))
        resampled = f_score(sums(bootstrap(rng, number), counts))
        found["percentile"].append(holds(*percentile(resampled), system.f()))
        found["expanded percentile"].append(holds(*percentile(resampled, expanded(number)), system.f()))
        found["chosen"].append(holds(chosen.low, chosen.high, system.f()))
    return found.shares()


def of_macro(system: System, number: int, sets: int, seed: int) -> dict[str, str]:
    """Return how often the intervals of macro F over five labels, two of them rare, hold the true one."""
    found = Tally()
    for rng, keys, bits in batches(number, sets, seed):
        counts = outputs(rng, system, *labelled(rng, number))
        drawn = bits_of(bits, keys)
        labels = interval(counts.reshape(number, -1, 3), drawn)
        low, high = (bound.reshape(TOGETHER, -1) for bound in labels[:2])
        theta, seen = f_score(counts.sum(0)), counts[..., (0, 2)].sum((0, -1)) > 0
        samples = np.where(seen, f_score(sums(drawn, counts)), np.nan)
        own = score_intervals(
            mean(np.where(seen, theta, np.nan)), mean(samples), effective_units(spans(counts).sum(-1))
        )
        pairs = [
            macro_interval(theta[k, seen[k]], low[k, seen[k]], high[k, seen[k]], (own.low[k], own.high[k]))
            for k in range(TOGETHER)
        ]
        found["half-samples alone"].append(holds(own.low, own.high, system.f()))
        found["chosen"].append(holds(*np.array(pairs).T, system.f()))
    return found.shares()


def mean(scores: Floats) -> Floats:
    """Return the mean over labels, of those that have a score. A half-sample may hold no label with gold at all."""
    return np.asarray(np.ma.masked_invalid(scores).mean(axis=-1).filled(np.nan))


def of_labels(numbers: list[int], sets: int, seed: int) -> dict[str, dict[str, str]]:
    """Return how often the intervals of labels' F hold the true one, by the effective number of units of the label.

    Labels of both worlds and of test sets of all sizes are counted together.
    """
    found = {band: Tally() for band in BANDS}
    for system, number in ((system, number) for number in numbers for system in WORLDS.values()):
        for rng, keys, bits in batches(number, sets, seed):
            counts = outputs(rng, system, *labelled(rng, number)).reshape(number, -1, 3)
            counts = counts[:, spans(counts).any(axis=0)]
            chosen = interval(counts, bits_of(bits, keys))
            low, high = percentile(f_score(sums(bootstrap(rng, number), counts)))
            for band, (least, above) in BANDS.items():
                own = (chosen.units >= least) & (chosen.units < above) & (chosen.flag != "undefined")
                found[band]["percentile"].append(holds(low, high, system.f())[own])
                found[band]["percentile: zero width"].append((low == high)[own])
                found[band]["chosen"].append(holds(chosen.low, chosen.high, system.f())[own])
                found[band]["chosen: width in points"].append((chosen.high - chosen.low)[own])
                found[band]["chosen: zero width"].append((chosen.high <= chosen.low)[own])
    return {band: own.shares() for band, own in found.items()}


def of_averages(system: System, number: int, sets: int, seed: int) -> dict[str, str]:
    """Return how often the intervals of SER, and of averages of F over labels and documents, hold the true one."""
    found, true = Tally(), average_f(system)
    for rng, keys, bits in batches(number, sets, seed):
        counts = outputs(rng, system, *labelled(rng, number))
        drawn, k = bits_of(bits, keys), effective_units(spans(counts).sum(-1))
        whole, halves = counts.sum(0), sums(drawn, counts)
        own = score_intervals(ser(whole), ser(halves), k, level=LEVEL, limits=(0, np.inf))
        found["SER"].append(holds(own.low, own.high, float(system.spurious + 1 - system.recall)))
        own = score_intervals(weighted(whole), weighted(halves), k, level=LEVEL)
        found["weighted average"].append(holds(own.low, own.high, system.f()))
        each = f_score(counts.sum(-2))
        both = np.stack([np.nan_to_num(each), np.isfinite(each)], axis=-1)  # values, and how many are defined
        average, averages = (ratio(total[..., 0], total[..., 1]) for total in (both.sum(0), sums(drawn, both)))
        own = score_intervals(average, averages, number, level=LEVEL)
        found["document average"].append(holds(own.low, own.high, true))
    return found.shares()


def ser(counts: Floats) -> Floats:
    """Return the slot error rate, errors for each gold span; counts [..., labels, 3]."""
    tp, fp, fn = np.moveaxis(counts.sum(-2), -1, 0)
    return ratio(fp + fn, tp + fn)


def weighted(counts: Floats) -> Floats:
    """Return the mean of the labels' F, weighted by their gold spans; counts [..., labels, 3]."""
    gold = counts[..., 0] + counts[..., 2]
    return ratio((np.nan_to_num(f_score(counts)) * gold).sum(-1), gold.sum(-1))


def average_f(system: System) -> float:
    """Return the mean F of single documents, from many of them."""
    rng = np.random.default_rng(0)
    return float(np.nanmean(f_score(outputs(rng, system, *labelled(rng, 2_000)).sum(-2))))


def of_units(system: System, number: int, sets: int, seed: int) -> dict[str, str]:
    """Return how often intervals of F hold the true one if articles are resampled by sentences, blocks or articles."""
    found = Tally()
    sentences = number * SENTENCES
    for rng, _, bits in batches(sentences, sets, seed):
        # An article is equally hard from its first sentence to its last.
        gold = rng.poisson(1.5, (sentences, TOGETHER))
        recall = rng.beta(3 * system.recall, 3 * (1 - system.recall), (number, TOGETHER)).repeat(SENTENCES, axis=0)
        wrong = system.spurious * rng.gamma(1, 1, (number, TOGETHER)).repeat(SENTENCES, axis=0)
        tp = rng.binomial(gold, recall)
        counts = np.stack([tp, rng.poisson(wrong * gold), gold - tp], axis=-1).astype(float)
        for name, size in {"sentences": 1, "block:10": 10, "block:20": 20, "articles": SENTENCES}.items():
            own = interval(*grouped(counts, size, bits))
            found[name].append(holds(own.low, own.high, system.f()))
    return found.shares()


def grouped(counts: Floats, size: int, bits: int) -> tuple[Floats, NDArray[np.uint8]]:
    """Return the sums over so many sentences each, and the half-samples of these units."""
    starts = np.arange(0, len(counts), size)
    return np.add.reduceat(counts, starts), bits_of(bits, [f"u{k}" for k in range(len(starts))])
