"""Is one system better than another? Differences, their intervals, and paired permutation tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .counts import Counts
from .intervals import BLOCK, CELLS, Confidence, random_numbers, resamples
from .metric import Metric
from .scores import overall
from .views import View

FEW = 20
"""Below this many documents a warning says how little can be told."""

TRIALS = 10_000

APART = 1 << 32
"""The streams of random numbers of the swaps begin here, far from those of the resamples."""


def compare(
    baseline: Counts, system: Counts, *, confidence: Confidence = Confidence(), trials: int = TRIALS
) -> list[dict[str, Any]]:
    """One row per metric and headline score: both values, the difference, its interval, and p.

    The same resamples are drawn for both systems. p is two-sided: how often a
    difference at least as large comes out when, document by document, the two
    outputs change places at random; with few documents all such swaps are
    enumerated, else `trials` are drawn. Documents that share an id change
    places together. Undefined differences have no interval and no p.

    Raises ValueError if the two were not counted on the same documents.
    """
    _check_paired(baseline, system)
    both = baseline + system
    units = baseline.units
    observed = {metric.name: _difference(both, metric, np.ones((1, len(units)))) for metric in both.metrics}
    drawn: dict[tuple[str, str], list[np.ndarray]] = {}
    for weights in resamples(baseline, confidence.checked()):
        for metric in both.metrics:
            for name, (_, _, difference) in _difference(both, metric, weights).items():
                drawn.setdefault((metric.name, name), []).append(difference)
    p = _p_values(both, units, observed, trials, confidence.seed)
    rows = []
    for (metric_name, name), differences in drawn.items():
        a, b, gap = (float(values[0]) for values in observed[metric_name][name])
        all_drawn = np.concatenate(differences)
        defined = all_drawn[np.isfinite(all_drawn)]
        bounds = [(1 - confidence.level) / 2, (1 + confidence.level) / 2]
        rows.append(
            {
                "metric": metric_name,
                "score": name,
                "baseline_value": a,
                "value": b,
                "difference": gap,
                "interval": np.quantile(defined, bounds).tolist() if len(defined) else [np.nan, np.nan],
                "p": p[metric_name, name],
            }
        )
    return rows


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjustment: the chance of any false alarm among all of them stays below the level.

    NaN stays NaN and is not counted.

    >>> [round(p, 3) for p in holm([0.03, 0.004, 0.6, 0.012])]
    [0.06, 0.016, 0.6, 0.036]
    """
    p = np.asarray(p_values, dtype=float)
    order = [k for k in np.argsort(p, kind="stable") if np.isfinite(p[k])]
    adjusted = np.full(len(p), np.nan)
    largest = 0.0
    for rank, k in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * p[k]))
        adjusted[k] = largest
    return adjusted.tolist()


def _difference(
    both: Counts, metric: Metric, weights: np.ndarray, swapped: np.ndarray | None = None
) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Per headline score its value for the first half of the documents, for the second, and the difference.

    `swapped` float[samples, documents] is 1 where the outputs change places.
    """
    if swapped is None:
        swapped = np.zeros_like(weights)
    kept = weights * (1 - swapped)
    moved = weights * swapped
    a = overall(View(both, metric, weights=np.concatenate([kept, moved], axis=1)))
    b = overall(View(both, metric, weights=np.concatenate([moved, kept], axis=1)))
    return {name: (a[name], b[name], b[name] - a[name]) for name in dict.fromkeys(metric.flat.values())}


def _p_values(
    both: Counts, units: np.ndarray, observed: dict[str, dict[str, tuple]], trials: int, seed: int
) -> dict[tuple[str, str], float]:
    number = int(units.max()) + 1
    exact = number <= 30 and 2**number <= trials
    as_large = {(m, s): 0 for m, scores in observed.items() for s in scores}
    total = 0
    for swaps in _swaps(number, trials, seed, exact, len(units)):
        total += len(swaps)
        swapped = swaps[:, units].astype(float)
        for metric in both.metrics:
            for name, (_, _, difference) in _difference(both, metric, np.ones_like(swapped), swapped).items():
                size = np.abs(observed[metric.name][name][2][0])
                as_large[metric.name, name] += int((np.abs(difference) >= size - 1e-12).sum())
    p = {key: count / total if exact else (count + 1) / (total + 1) for key, count in as_large.items()}
    return {(m, s): p[m, s] if np.isfinite(observed[m][s][2][0]) else np.nan for m, s in p}


def _swaps(number: int, trials: int, seed: int, exact: bool, documents: int) -> Iterator[np.ndarray]:
    """bool[swaps, units], some at a time: all of them, or as many as asked for at random."""
    step = max(BLOCK, CELLS // (2 * documents) // BLOCK * BLOCK)
    if exact:
        for start in range(0, 2**number, step):
            numbers = np.arange(start, min(start + step, 2**number))
            yield (numbers[:, None] >> np.arange(number)) & 1 == 1
        return
    waiting: list[np.ndarray] = []
    for start in range(0, trials, BLOCK):
        drawn = random_numbers(seed, APART + start // BLOCK, (BLOCK, number))[: trials - start]
        waiting.append(drawn >> np.uint64(63) == 1)
        if len(waiting) * BLOCK >= step:
            yield np.concatenate(waiting)
            waiting = []
    if waiting:
        yield np.concatenate(waiting)


def _check_paired(baseline: Counts, system: Counts) -> None:
    if baseline.documents != system.documents:
        raise ValueError(
            f"the baseline has {baseline.documents} documents and the other system {system.documents}; "
            "a comparison needs the same ones"
        )
    if baseline.ids != system.ids:
        a, b = ({str(id) for id in counts.ids} for counts in (baseline, system))
        missing = sorted(a ^ b)
        names = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
        raise ValueError(
            f"documents that only one system has: {names}"
            if missing
            else "the documents of the two systems are in a different order"
        )
