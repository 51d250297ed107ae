"""Confidence intervals of all scores of a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.declaration import Metric, Score
from ..counting.counts import Counts, Replicates
from ..counting.keys import slots
from ..counting.sums import Sums
from ..counting.table import GOLD, Table
from .resampling import Confidence, HalfSamples, Units, number_of_units, spans_per_unit
from .scores import Path, score_sums
from .statistics.derived import accuracy_interval, macro_interval
from .statistics.intervals import FEW_UNITS, WARNING_UNITS, effective_units, score_intervals
from .statistics.scales import LIMITS, Scale

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
    exact = number < 60 and 2**number <= confidence.samples
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
        not to be ranked or compared; "undefined": no interval; or None)}.

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
    return dict(_of_metrics(table.summed(), samples, effective, documents, confidence.level))


def _of_metrics(
    whole: Sums, samples: Sums, effective: Mapping[str, float], documents: float, level: float
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each metric's name and intervals; `effective` numbers of units are those of labels, "" is all."""
    for own, halves in zip(score_sums(whole), score_sums(samples)):
        values = {
            path: array[0]
            for path, array in own.paths(whole.labels)
            if own.metric.score_by_name[path[-1]].unit != "count"  # a number of spans is no estimate of anything
        }
        of_samples = dict(halves.paths(whole.labels))
        units = [documents if path[:2] == ("averages", "docs") else effective[_label(path)] for path in values]
        found = score_intervals(
            np.array([*values.values()]),
            np.array([of_samples[path] for path in values]).T.reshape(samples.documents.size, -1),
            np.array(units),
            level=level,
            scale=[_scale(own.metric.score_by_name[path[-1]]) for path in values],
        )
        rows = {
            path: {"low": low, "high": high, "k": k, "flag": str(flag) or None}
            for path, low, high, k, flag in zip(values, *(array.tolist() for array in found))
        }
        _widen_macros(own.metric, values, rows, _labels_with_gold(whole))
        _complements(own.metric, rows)
        yield own.metric.name, nested(rows)


def _label(path: Path) -> str:
    return path[1] if path[0] == "per_type" else ""


def _scale(score: Score) -> Scale:
    """Return the scale of a score, by its limits."""
    found = {limits: scale for scale, limits in LIMITS.items()}
    return found[score.limits]


def _labels_with_gold(sums: Sums) -> list[str]:
    """Return the labels with gold spans."""
    place = slots(sums.metrics)
    gold = sum(sums.counts[place[kind], :-1, 0] for kind in GOLD)
    return [label for label, number in zip(sums.labels, np.atleast_1d(gold).tolist()) if number]


def _widen_macros(
    metric: Metric, values: Mapping[Path, float], rows: dict[Path, dict[str, Any]], labels: Sequence[str]
) -> None:
    """Replace the interval of each macro average by that which the labels' own intervals give."""
    for path, row in rows.items():
        if path[:2] != ("averages", "macro") or row["flag"] == "undefined":
            continue
        own = [("per_type", label, path[2]) for label in labels]
        own = [place for place in own if np.isfinite(values[place])]
        if own:
            scale = _scale(metric.score_by_name[path[2]])
            lows, highs = ([rows[place][side] for place in own] for side in ("low", "high"))
            means, itself = [values[place] for place in own], (row["low"], row["high"])
            row["low"], row["high"] = macro_interval(means, lows, highs, itself, scale=scale)


def _complements(metric: Metric, rows: dict[Path, dict[str, Any]]) -> None:
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
