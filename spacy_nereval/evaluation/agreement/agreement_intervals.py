"""Intervals of agreement: units are left out, and everything is added up anew."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.declaration import Kind, Metric
from ...counting.batch import content_key
from ...counting.counts import Counts
from ..intervals import Drawn
from ..resampling import Confidence, HalfSamples, Units
from ..statistics.bounds import CONCENTRATED, UNBOUNDED, effective_units, sample_variance, score_intervals
from ..statistics.influence import Influences, influences, largest, mixed_units
from ..statistics.scales import Limits, shares
from .annotator_pairs import Directions, PairTables
from .shared import SharedDocuments

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]

Path = tuple[Any, ...]
"""The keys that lead to a number in the result."""

CORRECTED: Limits = -math.inf, 1.0
"""The limits of the scale on which intervals of alphas and kappas are made."""

LEAST_CORRECTED = -1.0
"""The least value of alphas and kappas: of the pairs of values, those that are unequal are at most twice as many as
chance gives. No interval goes below."""

SHARE: Limits = 0.0, 1.0

UNLIKE = tuple(kind for kind in Kind if kind is not Kind.HIT)
"""The kinds of spans that only one of two annotators has."""


class Samples(NamedTuple):
    """A number, its values without each unit, and how to make an interval of them.

    value: float. samples: float[2 * groups], without each group of units, then in each group alone; of a metric that
    counts distinct strings of a corpus, in half-samples. limits: its lowest and highest value. label: the label
    whose spans say how many units there effectively are; "" for all spans. mixed: in how many units annotators
    differ, or agree about a span, whichever is less; None if the values of the units alone say so. halves:
    whether these are half-samples. headline: what the number is a headline of; "" if it is none.
    """

    value: float
    samples: Floats
    limits: Limits
    label: str = ""
    mixed: float | None = None
    halves: bool = False
    headline: tuple[str, ...] = ()


class LeftOut:
    """The shared documents without each unit.

    Args:
        shared: The documents.
        confidence: The level; number of half-samples and seed for metrics that count distinct strings.
        metrics: What is counted.

    Attributes:
        distinct: The metrics whose intervals come from half-samples.
        mixed: Of each pair, and last of all pairs: of each label, and of all under "", in how many groups the
            annotators differ, or agree about a span, whichever is less. Known once `pair_samples` are.
        concentrated: What `Drawn` has under this name, once there are intervals.
    """

    def __init__(self, shared: SharedDocuments, confidence: Confidence, metrics: Sequence[Metric]) -> None:
        counts = index_of(shared)
        self._units = Units(counts)
        self._shared, self._confidence, self._rule = shared, confidence, counts.unit
        self.distinct: list[Metric] = [metric for metric in metrics if metric.distinct]
        self.mixed: list[dict[str, float]] = []
        self.concentrated: list[dict[str, Any]] = []
        labels = shared.labels
        place = {label: k for k, label in enumerate(labels)}
        spans = np.zeros((len(shared.documents), len(labels) + 1))
        for doc, each in enumerate(shared.documents):
            for own in each.spans.values():
                for _, _, label in own:
                    spans[doc, [place[label], -1]] += 1
        k = np.atleast_1d(effective_units(self._units.added(spans)))
        self.effective: dict[str, float] = dict(zip((*labels, ""), k.tolist()))
        gold = spans.sum(axis=0) / np.mean([len(each.spans) for each in shared.documents])
        self._spans = dict(zip((*labels, ""), gold.tolist()))

    @property
    def drawn(self) -> Drawn:
        """What the intervals are based on."""
        level, samples, seed = self._confidence
        base = self._rule, len(self._units)
        if not self.distinct:
            return Drawn("infl", level, None, None, *base, True, self.effective[""], self.concentrated)
        halves = HalfSamples(self._units, samples, seed)
        return Drawn("half", level, halves.sums, seed, *base, halves.exact, self.effective[""], self.concentrated)

    def added(self, blocks: Mapping[str, csr_array]) -> dict[str, Floats]:
        """Return the sums of each block without each group, then in each alone, float64[2 * groups, columns]."""
        found = {}
        for name, block in blocks.items():
            alone = (self._units.groups @ block).toarray()
            found[name] = np.concatenate([alone.sum(axis=0) - alone, alone])
        return found

    def sums(self, tables: PairTables, *, halves: bool) -> Directions:
        """Return a pair's sums without each group, then of each group alone; or those of half-samples."""
        places = tables.pair.places
        if halves:
            drawn = HalfSamples(self._units, self._confidence.samples, self._confidence.seed)
            return tables.summed(_OfPlaces(drawn.of(places)))
        return tables.left_out(self._units.groups[:, places])

    def intervals(self, samples: Iterable[tuple[Path, Samples]]) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Yield the interval of each number: {"low", "high", "k", "df", "flag"}, as in other results."""
        given = [*samples]
        for halves in (False, True):
            some = [(path, each) for path, each in given if each.halves is halves]
            if some:
                yield from self._of(some, halves=halves)

    def _of(self, given: Sequence[tuple[Path, Samples]], *, halves: bool) -> Iterator[tuple[Path, dict[str, Any]]]:
        numbers = [each for _, each in given]
        limits, values = [each.limits for each in numbers], np.array([each.value for each in numbers])
        scale, size = shares(limits, (len(given),)), len(numbers[0].samples)
        samples, theta = np.array([each.samples for each in numbers]).T, scale.share(values)
        k = np.array([self.effective.get(each.label, 0.0) for each in numbers])
        unknown = np.full(len(given), np.inf)
        if halves:
            found, mixed = Influences(sample_variance(samples, limits), unknown, unknown < 0), unknown
        else:
            row = np.repeat(np.arange(len(given)), size // 2)
            left, alone = (side.T.ravel() for side in np.split(scale.share(samples), 2))
            found = influences(theta, row, left, size // 2)
            own = mixed_units(theta, row, left, alone, np.isfinite(np.array(limits)).all(axis=1))
            mixed = np.where([each.mixed is None for each in numbers], own, [each.mixed or 0 for each in numbers])
        bounds = score_intervals(
            values,
            found.variance,
            np.where(found.lone & np.isfinite(theta), np.minimum(k, 1), k),
            bearers=found.bearers,
            mixed=mixed,
            spans=np.where(found.lone, np.nan, [self._spans.get(each.label, 0.0) for each in numbers]),
            level=self._confidence.level,
            limits=limits,
        )
        for n, (path, each) in enumerate(given):
            low, high, units, freedom = (float(column[n]) for column in bounds[:4])
            flag = str(bounds.flag[n]) or None
            if each.limits == CORRECTED:
                low = max(low, LEAST_CORRECTED)
            if flag is None and math.inf in (abs(low), abs(high)):
                flag = UNBOUNDED
            if flag == CONCENTRATED and each.headline:
                self._name(each)
            yield path, {"low": low, "high": high, "k": units, "df": freedom, "flag": flag}

    def _name(self, each: Samples) -> None:
        """Keep which units hold the variance of a headline, unless several are one group."""
        if len(self._units) > self._units.groups.shape[0]:
            return
        groups, share = largest(shares(each.limits, ()).share(np.split(each.samples, 2)[0]))
        names = self._units.names([int(np.flatnonzero(self._units.group == group)[0]) for group in groups])
        named = [self._shared.name_of(name) if isinstance(name, int) else name for name in names]
        metric, score = each.headline
        self.concentrated.append({"metric": metric, "score": score, "units": named, "share": share})


class _OfPlaces:
    """Weights of some of the documents; see `counting.table.Weights`."""

    def __init__(self, weights: NDArray[Any]) -> None:
        self._weights = weights
        self.sums: int = len(weights)

    def of(self, documents: slice) -> NDArray[Any]:
        return self._weights[:, documents]


def index_of(shared: SharedDocuments) -> Counts:
    """Return counts of nothing on the shared documents, with their ids and units."""
    counts = Counts([])
    counts.ids = [each.base.id for each in shared.documents]
    counts.units = [_unit(shared, place) for place in range(len(shared.documents))]
    counts.unit = " and ".join(sorted({each.base.unit_rule for each in shared.documents}))
    counts.spans_key, counts.label_rules, counts.located = shared.spans_key, shared.rules, {*shared.located}
    return counts


def _unit(shared: SharedDocuments, place: int) -> str:
    base = shared.documents[place].base
    if base.unit is not None or base.id is not None:
        return str(base.id if base.unit is None else base.unit)
    return str(place) if base.text is None else content_key(base.own_text, ())


def pair_samples(
    whole: Mapping[Path, float], tables: Sequence[PairTables], left_out: LeftOut, metrics: Sequence[Metric]
) -> Iterator[tuple[Path, Samples]]:
    """Yield the scores of pairs, their means over pairs, and those of all pairs together.

    Args:
        whole: The numbers in the result, by their paths.
        tables: The tables of each pair.
        left_out: The documents without each unit.
        metrics: The metrics of the tables.
    """
    scores = {(metric.name, name): score for metric in metrics for name, score in metric.score_by_name.items()}
    counted = {metric.name for metric in left_out.distinct}
    for halves in (False, True) if counted & {metric.name for metric in metrics} else (False,):
        total: dict[Path, list[Floats]] = {}
        pooled: Directions | None = None
        for number, each in enumerate(tables):
            sums = left_out.sums(each, halves=halves)
            pooled = sums if pooled is None else pooled + sums
            if not halves:
                left_out.mixed.append(_mixed(sums))
            for own, values in sums.scores():
                name = own.metric.name
                for path, samples in values.items() if (name in counted) is halves else ():
                    so_far = total.setdefault(_place(name, path), [np.zeros_like(samples), np.zeros_like(samples)])
                    so_far[0] += np.nan_to_num(samples)
                    so_far[1] += np.isfinite(samples)
                    if path[0] == "scores" and scores[name, path[-1]].unit != "count":
                        at = ("pairs", number, "metrics", name, "scores", path[-1])
                        yield at, Samples(whole[at], samples, scores[name, path[-1]].limits, halves=halves)
        if pooled is None:
            continue
        if not halves:
            left_out.mixed.append(_mixed(pooled))
        together = {_place(own.metric.name, path): values[path] for own, values in pooled.scores() for path in values}
        for place, (added, number_of) in total.items():
            name, score = place[-2:] if place[0] == "per_type" else place[1:]
            declared = scores[name, score]
            if declared.unit == "count":
                continue
            label = place[1] if place[0] == "per_type" else ""
            headline = (name, score) if declared.headline and not label else ()
            with np.errstate(invalid="ignore"):
                mean = np.where(number_of > 0, added / np.maximum(number_of, 1), np.nan)
            for what, samples in (("mean", mean), ("pooled", together[place])):
                at = (*place, what)
                yield (
                    at,
                    Samples(
                        whole[at], samples, declared.limits, label, None, halves, headline if what == "mean" else ()
                    ),
                )


def _mixed(sums: Directions) -> dict[str, float]:
    """Return what `LeftOut.mixed` has of one pair or of all."""
    sides = []
    for kinds in (UNLIKE, (Kind.HIT,)):
        _, alone = np.split(sums.forward.spans(kinds), 2, axis=-1)
        sides.append((np.concatenate([alone[:-1], alone.sum(axis=0)[None]]) > 0).sum(axis=1))
    return dict(zip((*sums.labels, ""), np.minimum(*sides).astype(float).tolist()))


def _place(metric: str, path: tuple[str, ...]) -> Path:
    """Return where the summary of a score is in the result."""
    return ("metrics", metric, path[-1]) if path[0] == "scores" else ("per_type", path[1], metric, path[-1])
