"""Is one system better than another? Differences, their intervals, and paired permutation tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from ..about import __version__
from ..core.declaration import Metric
from ..core.spans import Document, Span
from ..counting.counts import NONE, Counts
from ..counting.views import View
from .intervals import BLOCK, CELLS, Confidence, number_of_units, random_numbers, resamples
from .result import plain
from .scores import overall
from .signature import signature
from .transitions import transitions

FEW = 20
"""Below this many documents a warning says how little can be told."""

TRIALS = 10_000

SAME = 1e-12
"""Differences below this are none."""

APART = 1 << 32
"""The streams of random numbers of the swaps begin here, far from those of the resamples."""


class System(NamedTuple):
    """A system by its name, its counts, and, if its predictions are at hand, what
    became of each gold span under it."""

    name: str
    counts: Counts
    outcomes: list[dict[Span, str]] | None = None


def comparison(
    systems: Sequence[System],
    documents: Sequence[Document | None],
    confidence: Confidence | None = None,
    trials: int | None = None,
    *,
    short: bool = False,
) -> dict[str, Any]:
    """All systems against the first, as one result in plain Python, p-values Holm-corrected over all of it.

    `documents` give the texts of the spans that changed.
    """
    confidence = confidence or Confidence()
    trials = trials or TRIALS
    baseline, *others = systems
    rows = []
    for other in others:
        found = compare(baseline.counts, other.counts, confidence=confidence, trials=trials)
        rows += [{"metric": row.pop("metric"), "score": row.pop("score"), "system": other.name, **row} for row in found]
    for row, adjusted in zip(rows, holm([row["p"] for row in rows])):
        row["p_holm"] = adjusted
    units = number_of_units(baseline.counts)
    exact = all_swaps(units, trials)
    tested = f"bs:{confidence.samples},seed:{confidence.seed},level:{confidence.level}"
    tested += f"|swaps:{f'all {2**units}' if exact else trials}"
    return plain(
        {
            "signature": signature(baseline.counts, tested, short=short),
            "version": __version__,
            "documents": baseline.counts.documents,
            "units": units,
            "baseline": baseline.name,
            "confidence": confidence._asdict(),
            "swaps": 2**units if exact else trials,
            "exact": exact,
            "comparisons": rows,
            "transitions": [
                {"system": other.name, **transitions(baseline.outcomes, other.outcomes, documents)}
                for other in others
                if baseline.outcomes is not None and other.outcomes is not None
            ],
        }
    )


def compare(
    baseline: Counts, system: Counts, *, confidence: Confidence = Confidence(), trials: int = TRIALS
) -> list[dict[str, Any]]:
    """One row per metric and headline score: both values, the difference, its interval, and p.

    The same resamples are drawn for both systems. p is two-sided: how often a
    difference at least as large comes out when, document by document, the two
    outputs change places at random; with few documents all such swaps are
    enumerated, else `trials` are drawn. Documents that share an id change
    places together. Resamples in which a difference is undefined are left out of
    its interval, and `undefined` says how many; an undefined difference has no p.

    Raises ValueError if the two were not counted on the same documents.
    """
    if number_of_units(baseline) < 2:
        raise ValueError(f"a comparison needs at least two documents; there are {number_of_units(baseline)}")
    both = _without_replicates(baseline) + _without_replicates(paired(baseline, system))
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
                "undefined": len(all_drawn) - len(defined),
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
    differences = {}
    for name in dict.fromkeys(metric.flat.values()):
        gap = b[name] - a[name]
        # Sums in another order may differ in the last digit.
        differences[name] = (a[name], b[name], np.where(np.abs(gap) < SAME, 0.0, gap))
    return differences


def _p_values(
    both: Counts, units: np.ndarray, observed: dict[str, dict[str, tuple]], trials: int, seed: int
) -> dict[tuple[str, str], float]:
    number = int(units.max()) + 1
    exact = all_swaps(number, trials)
    as_large = {(m, s): 0 for m, scores in observed.items() for s in scores}
    total = 0
    for swaps in _swaps(number, trials, seed, exact, len(units)):
        total += len(swaps)
        swapped = swaps[:, units].astype(float)
        for metric in both.metrics:
            for name, (_, _, difference) in _difference(both, metric, np.ones_like(swapped), swapped).items():
                size = np.abs(observed[metric.name][name][2][0])
                as_large[metric.name, name] += int((np.abs(difference) >= size - SAME).sum())
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


def all_swaps(units: int, trials: int) -> bool:
    """Whether all swaps are enumerated, since they are no more than the trials."""
    return units < 60 and 2**units <= trials


def paired(baseline: Counts, system: Counts) -> Counts:
    """The system's counts with its documents in the baseline's order, paired by id, or else by position.

    Raises ValueError, naming the difference, if they are not the same documents.
    """
    if differences := baseline.differences(system, replicates=False):
        raise ValueError(f"the systems cannot be compared: {differences}")
    if baseline.ids == system.ids and baseline.documents == system.documents:
        return _same_gold(baseline, system)
    ours, theirs = (_places(counts) for counts in (baseline, system))
    if missing := [key for key in (*ours, *theirs) if key not in ours or key not in theirs]:
        names = ", ".join(str(id) for id, _ in missing[:5]) + (", ..." if len(missing) > 5 else "")
        raise ValueError(f"{len(missing)} documents are not in both systems: {names}")
    moved = np.array([ours[key] for key in theirs])
    result = Counts(system.metrics)
    result.documents, result.ids, result.key = system.documents, list(baseline.ids), system.key
    result.label_ids = dict(system.label_ids)
    for target, source in zip((result.settled, *result.rows), (system.settled, *system.rows)):
        rows = source.array().copy()
        rows[:, 0] = moved[rows[:, 0].astype(int)]
        target.extend(rows)
    return _same_gold(baseline, result)


def _same_gold(baseline: Counts, system: Counts) -> Counts:
    """The system's counts; ValueError if its documents have other gold labels than the baseline's."""
    sides = []
    for counts in (baseline, system):
        names = np.array([*counts.label_ids, ""])
        doc, _, gold, _, _ = counts.settled.array().astype(np.int64).T
        sides.append(Counter(zip(doc[gold != NONE].tolist(), names[gold[gold != NONE]].tolist())))
    if differing := sorted({doc for doc, _ in (sides[0] - sides[1]) + (sides[1] - sides[0])}):
        ids = ", ".join(str(doc if baseline.ids[doc] is None else baseline.ids[doc]) for doc in differing[:5])
        more = ", ..." if len(differing) > 5 else ""
        raise ValueError(f"the systems have different gold annotation in {len(differing)} documents: {ids}{more}")
    return system


def _without_replicates(counts: Counts) -> Counts:
    if not counts.replicates:
        return counts
    bare = copy(counts)
    bare.replicates = None
    return bare


def _places(counts: Counts) -> dict[tuple[str | int, int], int]:
    """Each document's id, and how many had it before, to its position."""
    seen: dict[str | int, int] = {}
    places = {}
    for position, id in enumerate(counts.ids):
        key: str | int = position if id is None else id
        places[key, seen.setdefault(key, 0)] = position
        seen[key] += 1
    return places
