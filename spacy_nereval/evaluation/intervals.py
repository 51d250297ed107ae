"""Confidence intervals of all scores of a result."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.declaration import Metric, Score
from ..counting.counts import Counts, Replicates
from ..counting.keys import slots
from ..counting.sums import Sums
from ..counting.table import GOLD_SLOTS, Table
from .resampling import Confidence, HalfSamples, Units, number_of_units, spans_per_unit
from .scores import Path, score_sums
from .statistics.bits import enumerable
from .statistics.derived import accuracy_interval, macro_interval
from .statistics.intervals import FEW_UNITS, UNDEFINED, WARNING_UNITS, effective_units, score_intervals
from .statistics.scales import Scale

__all__ = ["FEW_UNITS", "WARNING_UNITS", "Confidence", "Drawn", "drawn", "intervals", "replicate"]


class Drawn(NamedTuple):
    """What the intervals of some counts rest on.

    unit: the rule that says which documents are drawn together. units: how many units there
    are to draw from. exact: whether all their patterns were used.
    """

    method: str
    level: float
    samples: int
    seed: int
    unit: str
    units: int
    exact: bool

    @property
    def table(self) -> dict[str, Any]:
        """The settings for the result."""
        return self._asdict()

    @property
    def signature(self) -> str:
        """The settings for the signature."""
        samples = f"all {self.samples}" if self.exact else self.samples
        return f"{self.method}:{samples},seed:{self.seed},level:{self.level},unit:{self.unit},units:{self.units}"


def drawn(counts: Counts, confidence: Confidence) -> Drawn:
    """Return what intervals of these counts rest on: their own half-samples, or else new ones."""
    number = number_of_units(counts)
    if stored := counts.replicates:
        return Drawn("half", confidence.level, stored.samples, stored.seed, counts.unit, number, False)
    exact = enumerable(number, confidence.samples)
    samples = 2**number if exact else confidence.samples
    return Drawn("half", confidence.level, samples, confidence.seed, counts.unit, number, exact)


def replicate(counts: Counts, samples: int, seed: int) -> Replicates:
    """Return half-samples of the counts, to be stored with them.

    A unit's bits depend on its key and the seed alone, so half-samples of parts of a
    corpus, counted anywhere, add up to the half-samples of the whole.
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
        not to be ranked or compared; "undefined": no interval; or None)}. Bounds are NaN where
        there is no interval: the score is undefined.

    Raises:
        ValueError: A setting is out of range.

    Source: interval of Wilson (1927) with the effective sample size that half-samples of
    the units give; macro averages by MOVER (Zou and Donner 2008).
    """
    confidence.checked()
    table, units = Table(counts), Units(counts)
    if counts.replicates:
        samples = counts.replicates.sums.with_labels(table.labels)
    else:
        samples = table.summed(HalfSamples(units, confidence.samples, confidence.seed))
    k = effective_units(spans_per_unit(counts, table, units)) if len(units) else np.zeros(len(table.labels) + 1)
    documents = float(effective_units(units.added(np.ones(counts.documents)))) if len(units) else 0.0
    effective = dict(zip((*table.labels, ""), np.atleast_1d(k).tolist()))
    found = dict(_of_metrics(table.summed(), samples, effective, documents, confidence.level))
    return {metric: nested(rows) for metric, rows in found.items()}


Rows = dict[Path, dict[str, Any]]
"""The interval of each score, by its place in the result."""


def _of_metrics(
    whole: Sums, samples: Sums, effective: Mapping[str, float], documents: float, level: float
) -> Iterator[tuple[str, Rows]]:
    """Yield each metric's name and intervals; `effective` is the effective number of units of
    each label, and of all labels under ""."""
    with_gold = _labels_with_gold(whole)
    for own, halves in zip(score_sums(whole), score_sums(samples)):
        observed = {
            path: array[0]
            for path, array in own.paths(whole.labels)
            if own.metric.score_by_name[path[-1]].unit != "count"  # a number of spans is no estimate of anything
        }
        scales = [_scale(own.metric.score_by_name[path[-1]]) for path in observed]
        origin, size = (np.array([getattr(scale, name) for scale in scales]) for name in ("origin", "size"))
        drawn = dict(halves.paths(whole.labels))
        values = (np.array([*observed.values()]) - origin) / size
        units = [documents if path[:2] == ("averages", "docs") else effective[_label(path)] for path in observed]
        found = score_intervals(
            values,
            (np.array([drawn[path] for path in observed]).T.reshape(-1, len(observed)) - origin) / size,
            np.array(units),
            level=level,
            scale=[scale.name for scale in scales],
        )
        rows: Rows = {
            path: {"low": low, "high": high, "k": k, "flag": str(flag) or None}
            for path, low, high, k, flag in zip(observed, *(array.tolist() for array in found))
        }
        _widen_macros(dict(zip(observed, values.tolist())), dict(zip(observed, scales)), rows, with_gold)
        for row, scale in zip(rows.values(), scales):
            row["low"], row["high"] = (scale.origin + scale.size * row[side] for side in ("low", "high"))
        _complements(own.metric, rows)
        yield own.metric.name, rows


def _label(path: Path) -> str:
    return path[1] if path[0] == "per_type" else ""


class _Scale(NamedTuple):
    """How a score maps to a scale that `score_intervals` knows: score = origin + size * value."""

    name: Scale
    origin: float
    size: float


def _scale(score: Score) -> _Scale:
    """Return the scale of a score, by its limits. A score without any limit is on none, and has no interval."""
    low, high = score.limits
    if math.isfinite(low) and math.isfinite(high):
        return _Scale("ratio", low, high - low)
    if math.isfinite(low):
        return _Scale("cost", low, 1.0)
    return _Scale("complement", high - 1, 1.0) if math.isfinite(high) else _Scale("ratio", math.nan, 1.0)


def _labels_with_gold(sums: Sums) -> list[str]:
    """Return the labels with gold spans."""
    place = slots(sums.metrics)
    gold = sum(sums.counts[place[kind], :-1, 0] for kind in GOLD_SLOTS)
    return [label for label, number in zip(sums.labels, np.atleast_1d(gold).tolist()) if number]


def _widen_macros(
    values: Mapping[Path, float], scales: Mapping[Path, _Scale], rows: Rows, labels: Sequence[str]
) -> None:
    """Replace the interval of each macro average by that which the labels' own intervals give."""
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
                scale=scales[path].name,
            )


def _complements(metric: Metric, rows: Rows) -> None:
    """Take the interval of a score that is 1 minus another one from that of the other one."""
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
