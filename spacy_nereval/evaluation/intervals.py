"""Confidence intervals of all scores of a result."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import GOLD_SPANS, Metric
from ..counting.counts import Counts
from ..counting.sums import Replicates, Sums
from ..counting.table import Table, summed
from .collapsing import stored_half_samples, unit_numbers
from .pairs import all_labels
from .resampling import (
    Confidence,
    HalfSamples,
    Units,
    effective_by_label,
    effective_number_of_units,
    number_of_units,
    unit_weights,
)
from .scores import MetricScores, Path, score_sums
from .statistics.bits import enumerable
from .statistics.derived import accuracy_interval, macro_interval
from .statistics.intervals import FEW_UNITS, UNBOUNDED, UNDEFINED, WARNING_UNITS, effective_units, score_intervals
from .statistics.runs import mean_of_runs

__all__ = ["FEW_UNITS", "WARNING_UNITS", "Confidence", "Drawn", "drawn", "intervals", "replicate"]


class Drawn(NamedTuple):
    """What the intervals of some counts are based on.

    unit: the rule that says which documents are drawn together. units: the number of units; None if
    collapsed counts do not know it.
    effective_units: their effective number. exact: whether all their patterns were used.
    """

    method: str
    level: float
    samples: int
    seed: int
    unit: str
    units: int | None
    exact: bool
    effective_units: float

    @property
    def signature(self) -> str:
        """The settings for the signature."""
        samples = f"all {self.samples}" if self.exact else self.samples
        units = "?" if self.units is None else self.units
        return f"{self.method}:{samples},seed:{self.seed},level:{self.level},unit:{self.unit},units:{units}"


def drawn(runs: Sequence[Counts], confidence: Confidence) -> Drawn:
    """Return what intervals are based on: the stored half-samples of a single run, or else new ones."""
    first, *others = runs
    if first.collapsed:
        stored, known = stored_half_samples(first), unit_numbers(first)
        k = known.effective[""]
        return Drawn("half", confidence.level, *stored.drawn, first.unit, known.number, exact=False, effective_units=k)
    number, k = number_of_units(first), effective_number_of_units(runs)
    samples, seed, exact = confidence.samples, confidence.seed, enumerable(number, confidence.samples)
    if first.replicates and not others:
        (samples, seed), exact = first.replicates.drawn, False
    return Drawn("half", confidence.level, 2**number if exact else samples, seed, first.unit, number, exact, k)


def replicate(counts: Counts, samples: int, seed: int) -> Replicates:
    """Return half-samples of the counts, to be stored with them.

    A unit's bits depend on its key and the seed alone, so half-samples of parts of a
    corpus, counted anywhere, add up to the half-samples of the whole.

    Args:
        counts: Counts with units.
        samples, seed: The number of half-samples, and the seed of their random bits.

    Raises:
        ValueError: A setting is out of range, or the counts do not say what is resampled.
    """
    Confidence(samples=samples, seed=seed).checked()
    halves = HalfSamples(Units(counts), samples, seed, exact=False)
    return Replicates(samples, seed, Table(counts).summed(halves))


def intervals(counts: Counts, confidence: Confidence) -> dict[str, dict[str, Any]]:
    """Return the intervals of the overall scores, the averages, and each label's scores, per metric.

    Args:
        counts: Counts with units.
        confidence: Level, number of half-samples and seed.

    Returns:
        Metric to a table shaped as the result's: "scores", "averages" and "per_type". In the
        place of each score is {"low", "high", "k" (effective number of units), "flag" ("few":
        not to be ranked or compared; "undefined": no interval; "unbounded": a bound is infinite;
        or None)}. Bounds are NaN where there is no interval: the score is undefined.

    Raises:
        ValueError: A setting is out of range.

    >>> from spacy_nereval import Document, count, create
    >>> documents = [Document([(0, 3, "A")], [(0, 3, "A")], id=str(k)) for k in range(10)]
    >>> found = intervals(count(documents, [create("strict")]), Confidence())["strict"]["scores"]["f"]
    >>> round(found["low"], 4), found["high"], found["k"], found["flag"]
    (0.6615, 1.0, 10.0, None)

    Source: interval of Wilson (1927) with the effective sample size that half-samples of
    the units give; macro averages by MOVER (Zou and Donner 2008).
    """
    return run_intervals([counts], confidence.checked())


def run_intervals(runs: Sequence[Counts], confidence: Confidence) -> dict[str, dict[str, Any]]:
    """Return the intervals of the mean scores of one system's training runs, as `intervals` does for one run.

    An interval covers the expected score of another training run of the system, on texts
    like these. Its variance is that of the half-samples, which are the same for all runs,
    plus that of the mean over the runs.

    Args:
        runs: Counts of the same documents in the same order, as `aligned_runs` returns them.
        confidence: Level, number of half-samples and seed. Half-samples that are stored are
            used for a single run only.

    Returns:
        What `intervals` returns. With two or more runs, each interval has "share_of_training"
        too, the share of the runs in the variance.
    """
    if runs[0].collapsed:
        return _of_collapsed(runs[0], confidence.level)
    labels, units = all_labels(*runs), Units(runs[0])
    tables = [Table(counts, labels) for counts in runs]
    if len(runs) == 1 and (stored := runs[0].replicates):
        samples = [stored.sums.with_labels(labels)]
    else:
        halves = HalfSamples(units, confidence.samples, confidence.seed)
        samples = [table.summed(halves) for table in tables]
    effective = effective_by_label(unit_weights([tables], units), labels)
    documents = float(effective_units(units.added(np.ones(runs[0].documents))))
    found = _of_metrics([table.summed() for table in tables], samples, effective, documents, confidence.level)
    return {metric: nested(rows) for metric, rows in found}


def _of_collapsed(counts: Counts, level: float) -> dict[str, dict[str, Any]]:
    """Return the intervals of collapsed counts, from the half-samples that they have."""
    whole = summed(counts)
    halves = stored_half_samples(counts).sums.with_labels(whole.labels)
    known = unit_numbers(counts)
    found = _of_metrics([whole], [halves], known.effective, known.documents, level)
    return {metric: nested(rows) for metric, rows in found}


Rows = dict[Path, dict[str, Any]]
"""The interval of each score, by its path in the result."""


def _of_metrics(
    wholes: Sequence[Sums],
    samples: Sequence[Sums],
    effective: Mapping[str, float],
    documents: float,
    level: float,
) -> Iterator[tuple[str, Rows]]:
    """Yield each metric's name and intervals.

    `wholes` and `samples` have the sums of each run; `effective` is the effective number of
    units of each label, and of all labels under "".
    """
    labels = wholes[0].labels
    for owns, halves in zip(zip(*map(score_sums, wholes)), zip(*map(score_sums, samples))):
        metric = owns[0].metric
        # A number of spans is a count, not an estimate.
        places = [path for path, _ in owns[0].paths(labels) if metric.score_by_name[path[-1]].unit != "count"]
        if not places:
            yield metric.name, {}
            continue
        runs = np.array([values_at(places, own, labels)[0] for own in owns])
        values = mean_of_runs(runs)
        units = [documents if path[:2] == ("averages", "docs") else effective[_label(path)] for path in places]
        found = score_intervals(
            values,
            mean_of_runs([values_at(places, own, labels) for own in halves]),
            np.array(units),
            level=level,
            limits=[metric.score_by_name[path[-1]].limits for path in places],
            runs=runs if len(runs) > 1 else None,
        )
        low, high, k, flag, training = (array.tolist() for array in found)
        rows: Rows = {
            path: {"low": low[n], "high": high[n], "k": k[n], "flag": str(flag[n]) or None}
            | ({"share_of_training": training[n]} if len(runs) > 1 else {})
            for n, path in enumerate(places)
        }
        with_gold = [label for label, number in zip(labels, wholes[0].spans(GOLD_SPANS)[:, 0].tolist()) if number]
        _widen_macros(metric, dict(zip(places, values.tolist())), rows, with_gold)
        _complements(metric, rows)
        for row in rows.values():
            if row["flag"] is None and math.inf in (abs(row["low"]), abs(row["high"])):
                row["flag"] = UNBOUNDED
        yield metric.name, rows


def values_at(places: Sequence[Path], scores: MetricScores, labels: tuple[str, ...]) -> NDArray[np.float64]:
    """Return the scores of a metric at some paths of a result with these labels, float64[sums, paths]."""
    found = dict(scores.paths(labels))
    return np.array([found[path] for path in places], dtype=float).T.reshape(-1, len(places))


def _label(path: Path) -> str:
    return path[1] if path[0] == "per_type" else ""


def _widen_macros(metric: Metric, values: Mapping[Path, float], rows: Rows, labels: Sequence[str]) -> None:
    """Replace the interval of each macro average by the one that the labels' intervals give."""
    for path, row in rows.items():
        if path[:2] != ("averages", "macro") or row["flag"] == UNDEFINED:
            continue
        places = [("per_type", label, path[2]) for label in labels]
        places = [place for place in places if math.isfinite(values[place])]
        if places:
            row["low"], row["high"] = macro_interval(
                [values[place] for place in places],
                [rows[place]["low"] for place in places],
                [rows[place]["high"] for place in places],
                (row["low"], row["high"]),
                limits=metric.score_by_name[path[2]].limits,
            )


def _complements(metric: Metric, rows: Rows) -> None:
    """Derive the interval of a score that is 1 minus another score from the other's interval."""
    for path, row in rows.items():
        other = metric.score_by_name[path[-1]].complement_of
        if other and path[0] != "averages":
            low, high = accuracy_interval(rows[(*path[:-1], other)]["low"], rows[(*path[:-1], other)]["high"])
            row["low"], row["high"] = float(low), float(high)


def nested(rows: Mapping[Path, Any]) -> dict[str, Any]:
    """Return paths as nested tables."""
    result: dict[str, Any] = {"scores": {}, "averages": {}, "per_type": {}}
    for path, value in rows.items():
        table = result
        for key in path[:-1]:
            table = table.setdefault(key, {})
        table[path[-1]] = value
    return result
