"""Intervals of agreement: units are left out, and everything is added up anew."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.declaration import Kind, Metric
from ...core.formulas import ratio
from ...counting.batch import content_key
from ...counting.counts import Counts
from ...evaluation.bounds import CONCENTRATED, UNBOUNDED, Limits, kish, sample_variance, score_intervals, share_scale
from ...evaluation.intervals import IntervalBasis
from ...evaluation.jackknife import Estimates, jackknife_per_run
from ...evaluation.resampling import Confidence, HalfSamples, Units
from ...evaluation.variance import Influences, count_mixed_units, influences, most_influential
from .annotator_pairs import Directions, PairTables, mean_of_pairs
from .chance import PREFIX, Added, is_of_labels
from .shared_documents import SharedDocuments

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

TOGETHER = 1 << 19
"""Maximum number of sums without some groups in memory at once, and of those in them alone."""

UNLIKE = tuple(kind for kind in Kind if kind is not Kind.HIT)
"""The kinds of spans that only one of two annotators has."""


class Samples(NamedTuple):
    """A number, its values without each unit, and how to make an interval of them.

    path: where it is in the result. value: float. samples: float[2 * groups], without each group of units, then in each
    group alone; of a metric that counts distinct strings of a corpus, in half-samples. limits: its lowest and highest
    value. label: the label whose spans say how many units there effectively are; "" for all spans. mixed: in how many
    units annotators differ, or agree about a span, whichever is less; None if the values of the units alone say so.
    halves: whether these are half-samples.
    """

    path: Path
    value: float
    samples: Floats
    limits: Limits
    label: str = ""
    mixed: float | None = None
    halves: bool = False


class Number(NamedTuple):
    """A number of the result: its path, its value, its limits, the label as in `Samples`, and the metric and score that
    it is a headline of."""

    path: Path
    value: float
    limits: Limits
    label: str = ""
    headline: tuple[str, str] | None = None


Row = dict[str, Any]
"""An interval."""


class LeftOut:
    """The shared documents without each unit.

    Args:
        shared: The documents.
        confidence: The level; number of half-samples and seed for metrics that count distinct strings.
        metrics: What is counted.

    Attributes:
        distinct: The metrics whose intervals come from half-samples.
        mixed: Of each pair, and last of all pairs: of each label, and of all under "", in how many groups the
            annotators differ, or agree about a span, whichever is less. Known once `pair_intervals` are.
        concentrated: What `IntervalBasis` has under this name, once there are intervals.
    """

    def __init__(self, shared: SharedDocuments, confidence: Confidence, metrics: Sequence[Metric]) -> None:
        from scipy.sparse import csr_array

        counts = index_of(shared)
        self._units = Units(counts)
        self._shared, self._confidence, self._rule = shared, confidence, counts.unit
        self.distinct: list[Metric] = [metric for metric in metrics if metric.distinct]
        self.mixed: list[dict[str, float]] = []
        self.concentrated: list[dict[str, Any]] = []
        labels = shared.labels
        place = {label: k for k, label in enumerate(labels)}
        each_span = [
            (doc, place[label])
            for doc, each in enumerate(shared.documents)
            for own in each.spans.values()
            for *_, label in own
        ]
        documents, of_label = np.array(each_span, dtype=np.int64).reshape(-1, 2).T
        shape, ones = (len(shared.documents), len(labels)), np.ones(len(each_span), dtype=np.int64)
        spans = (self._units.matrix @ csr_array((ones, (documents, of_label)), shape)).tocsr()
        of_units, number = spans.sum(axis=1), np.append(spans.sum(axis=0), len(each_span))
        k = kish(number, np.append((spans * spans).sum(axis=0), (of_units**2).sum()))
        self.effective: dict[str, float] = dict(zip((*labels, ""), k.tolist()))
        gold = number / np.mean([len(each.spans) for each in shared.documents])
        self._spans = dict(zip((*labels, ""), gold.tolist()))

    @property
    def drawn(self) -> IntervalBasis:
        """What the intervals are based on."""
        level, samples, seed = self._confidence
        base = self._rule, len(self._units)
        if not self.distinct:
            return IntervalBasis("infl", level, None, None, *base, True, self.effective[""], self.concentrated)
        halves = HalfSamples(self._units, samples, seed)
        return IntervalBasis(
            "half", level, halves.sums, seed, *base, halves.exact, self.effective[""], self.concentrated
        )

    def alone(self, blocks: Mapping[str, csr_array]) -> dict[str, csr_array]:
        """Return the sums of each block in each group alone, [groups, columns], sparse."""
        return {name: (self._units.groups @ block).tocsr() for name, block in blocks.items()}

    def samples(
        self, alone: Mapping[str, csr_array], divisor: float, computed: Callable[[Added], Iterable[tuple[Path, Floats]]]
    ) -> dict[Path, Floats]:
        """Return numbers without each group, then in each alone, float64[2 * groups] by their paths.

        With many labels, the sums without all groups do not fit into memory at once.

        Args:
            alone: What `alone` returned.
            divisor: What makes the sums of the whole numbers in it.
            computed: From such sums, float64[sums, columns], to the numbers, float64[sums] each.
        """
        totals = {name: np.asarray(block.sum(axis=0)) for name, block in alone.items()}
        groups, step = self._units.groups.shape[0], max(1, TOGETHER // sum(map(len, totals.values())))
        parts: dict[Path, list[list[Floats]]] = {}
        for first in range(0, groups, step):
            dense = {name: block[first : first + step].toarray() for name, block in alone.items()}
            sums = {name: np.concatenate([totals[name] - own, own]) / divisor for name, own in dense.items()}
            for path, values in computed(sums):
                for side, part in zip(parts.setdefault(path, [[], []]), np.split(values, 2)):
                    side.append(part)
        return {path: np.concatenate([*without, *inside]) for path, (without, inside) in parts.items()}

    def label_sums(self, alone: Mapping[str, csr_array], divisor: float, labels: int) -> Iterator[tuple[slice, Added]]:
        """Yield which labels, and what their alphas are made of, float64[2 * groups, labels]: some labels at a time.

        Args:
            alone, divisor: As for `samples`.
            labels: The number of labels.
        """
        of_labels = {name: block.tocsc() for name, block in alone.items() if is_of_labels(name)}
        sizes = {name: alone[name].toarray() for name in ("size", f"{PREFIX}size")}
        step = max(1, TOGETHER // (len(of_labels) * len(sizes["size"])))
        for first in range(0, labels, step):
            here = slice(first, first + step)
            dense = sizes | {name: block[:, here].toarray() for name, block in of_labels.items()}
            yield here, {name: np.concatenate([own.sum(axis=0) - own, own]) / divisor for name, own in dense.items()}

    def groups_of(self, tables: PairTables) -> csr_array:
        """Return which documents of a pair each group has, int64[groups, documents of the pair]."""
        return self._units.groups[:, tables.pair.places]

    def half_samples(self, tables: PairTables) -> Directions:
        """Return a pair's sums of half-samples."""
        drawn = HalfSamples(self._units, self._confidence.samples, self._confidence.seed)
        return tables.sum_rows(_OfPlaces(drawn.block(tables.pair.places)))

    def intervals(self, given: Sequence[Samples]) -> Iterator[tuple[Path, Row]]:
        """Yield the interval of each number: {"low", "high", "k", "df", "flag"}, as in other results."""
        if not given:
            return
        limits, values = [each.limits for each in given], np.array([each.value for each in given])
        scale, size = share_scale(limits, (len(given),)), len(given[0].samples)
        samples, theta = np.array([each.samples for each in given]).T, scale.share(values)
        if given[0].halves:
            unknown = np.full(len(given), np.inf)
            found, mixed = Influences(sample_variance(samples, limits), unknown, unknown < 0), unknown
        else:
            row = np.repeat(np.arange(len(given)), size // 2)
            left, alone = (side.T.ravel() for side in np.split(scale.share(samples), 2))
            found = influences(theta, row, left, size // 2)
            own = count_mixed_units(theta, row, left, alone, np.isfinite(np.array(limits)).all(axis=1))
            mixed = np.where([each.mixed is None for each in given], own, [each.mixed or 0 for each in given])
        numbers = [Number(each.path, each.value, each.limits, each.label) for each in given]
        yield from self.bounds(numbers, found, mixed)

    def bounds(
        self, given: Sequence[Number], found: Influences, mixed: Floats, left_out: Mapping[str, Floats] | None = None
    ) -> Iterator[tuple[Path, Row]]:
        """Yield the interval of each number from its variance.

        Args:
            given: The numbers.
            found: The variance of each, and in how many units it is.
            mixed: In how many units each has errors, or hits, whichever is less.
            left_out: Of headlines of a metric, by name, their value without each group on the 0-1 scale.
        """
        k = np.array([self.effective.get(each.label, 0.0) for each in given])
        values = np.array([each.value for each in given])
        lone = found.lone & np.isfinite(values)
        intervals = score_intervals(
            values,
            found.variance,
            np.where(lone, np.minimum(k, 1), k),
            bearers=found.bearers,
            mixed=mixed,
            spans=np.where(found.lone, np.nan, [self._spans.get(each.label, 0.0) for each in given]),
            level=self._confidence.level,
            limits=[each.limits for each in given],
        )
        low, high, units, freedom, flag = (column.tolist() for column in intervals[:5])
        for n, each in enumerate(given):
            least = max(low[n], LEAST_CORRECTED) if each.limits == CORRECTED else low[n]
            said = str(flag[n]) or (UNBOUNDED if math.inf in (abs(least), abs(high[n])) else None)
            if said == CONCENTRATED and left_out and each.headline:
                self._name(each.headline, left_out[each.headline[1]])
            yield each.path, {"low": least, "high": high[n], "k": units[n], "df": freedom[n], "flag": said}

    def _name(self, headline: tuple[str, str], left_out: Floats) -> None:
        """Keep which units hold the variance of a headline, unless several are one group."""
        if len(self._units) > self._units.groups.shape[0]:
            return
        groups, share = most_influential(left_out)
        names = self._units.names([int(np.flatnonzero(self._units.group == group)[0]) for group in groups])
        named = [self._shared.name_of(name) if isinstance(name, int) else name for name in names]
        metric, score = headline
        self.concentrated.append({"metric": metric, "score": score, "units": named, "share": share})


class _OfPlaces:
    """Weights of some of the documents; see `counting.table.Weights`."""

    def __init__(self, weights: NDArray[Any]) -> None:
        self._weights = weights
        self.sums: int = len(weights)

    def block(self, documents: slice) -> NDArray[Any]:
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


def pair_intervals(
    numbers: Callable[[Path], float], tables: Sequence[PairTables], left_out: LeftOut, metrics: Sequence[Metric]
) -> Iterator[tuple[Path, Row]]:
    """Yield the intervals of the scores of pairs, of their means over pairs, and of those of all pairs together.

    Only the scores of labels that a unit has change without it, as in `jackknife`.

    Args:
        numbers: The numbers in the result, by their paths.
        tables: The tables of each pair.
        left_out: The documents without each unit.
        metrics: The metrics of the tables.
    """
    groups = [left_out.groups_of(each) for each in tables]
    has_classes = any(metric.classes for metric in metrics)
    for number, (each, own) in enumerate(zip(tables, groups)):
        left_out.mixed.append(_mixed(each.labels, [_Alone.of(each, own)]))
        directions = [[side] for side in each.grouped(own, of_labels=has_classes)]
        for known in jackknife_per_run(directions, mean_of_pairs, mean_of_pairs):
            yield from _rows(numbers, left_out, known, ("pairs", number, "metrics", known.metric.name), "scores")
    if not tables:
        return
    left_out.mixed.append(_mixed(tables[0].labels, [_Alone.of(*both) for both in zip(tables, groups)]))
    sides = [each.grouped(own, of_labels=True) for each, own in zip(tables, groups)]
    of_pairs = [[side] for pair in sides for side in pair]
    for what, runs in (("mean", of_pairs), ("pooled", [*map(list, zip(*sides))])):
        for known in jackknife_per_run(runs, mean_of_pairs, mean_of_pairs):
            yield from _rows(numbers, left_out, known, (), what)
    yield from left_out.intervals([*_of_half_samples(numbers, tables, left_out, metrics)])


def _rows(
    numbers: Callable[[Path], float], left_out: LeftOut, known: Estimates, pair: Path, what: str
) -> Iterator[tuple[Path, Row]]:
    """Yield the intervals of a metric's scores: of a `pair`, or else `what` is known over all pairs."""
    own: list[int] = []
    given: list[Number] = []
    for n, place in enumerate(known.places):
        if place[0] == "averages" or (pair and place[0] == "per_type"):
            continue
        score = known.metric.score_by_name[place[-1]]
        path = (*pair, *place) if pair else (*_place(known.metric.name, place), what)
        headline = (
            (known.metric.name, score.name) if what == "mean" and score.headline and place[0] == "scores" else None
        )
        label = place[1] if place[0] == "per_type" else ""
        own.append(n)
        given.append(Number(path, numbers(path), score.limits, label, headline))
    if given:
        variance, bearers, lone = known.influences
        found = Influences(variance[own], bearers[own], lone[own])
        yield from left_out.bounds(given, found, known.mixed[own], known.left_out)


def _of_half_samples(
    numbers: Callable[[Path], float], tables: Sequence[PairTables], left_out: LeftOut, metrics: Sequence[Metric]
) -> Iterator[Samples]:
    """Yield the scores of metrics that count distinct strings, which units do not add up to."""
    distinct = {metric.name for metric in metrics} & {metric.name for metric in left_out.distinct}
    if not distinct:
        return
    halves = [left_out.half_samples(each) for each in tables]
    labels = halves[0].labels
    of_pairs = [{own.metric.name: (own.metric, values) for own, values in each.scores()} for each in halves]
    together = {own.metric.name: values for own, values in reduce(add, halves).scores()}
    for name in sorted(distinct):
        metric = of_pairs[0][name][0]
        for score in metric.score_by_name.values():
            if score.unit == "count":
                continue
            each = [own[name][1] for own in of_pairs]
            if score.name in together[name].overall:
                for number, values in enumerate(each):
                    at: Path = ("pairs", number, "metrics", name, "scores", score.name)
                    yield Samples(at, numbers(at), values.overall[score.name], score.limits, halves=True)
                both = _mean([values.overall[score.name] for values in each]), together[name].overall[score.name]
                for what, samples in zip(("mean", "pooled"), both):
                    at = ("metrics", name, score.name, what)
                    yield Samples(at, numbers(at), samples, score.limits, halves=True)
            if score.name in together[name].of_labels:
                both = _mean([values.of_labels[score.name] for values in each]), together[name].of_labels[score.name]
                for what, of_labels in zip(("mean", "pooled"), both):
                    for label, samples in zip(labels, of_labels):
                        at = ("per_type", label, name, score.name, what)
                        yield Samples(at, numbers(at), samples, score.limits, label, halves=True)


def _mean(values: Sequence[Floats]) -> Floats:
    """Return the mean of those that are defined."""
    found: Floats = ratio(reduce(add, map(np.nan_to_num, values)), np.isfinite(values).sum(axis=0))
    return found


class _Alone(NamedTuple):
    """How many spans that one, or that both of two annotators have, each group has: int64[groups, labels + 1]."""

    unlike: csr_array
    alike: csr_array

    @classmethod
    def of(cls, tables: PairTables, groups: csr_array) -> _Alone:
        """Return what the groups of a pair have."""
        return cls(*((groups @ tables.spans(*kinds)).tocsr() for kinds in (UNLIKE, (Kind.HIT,))))


def _mixed(labels: Sequence[str], pairs: Sequence[_Alone]) -> dict[str, float]:
    """Return what `LeftOut.mixed` has of one pair or of all."""
    sides = []
    for each in zip(*pairs):
        spans = reduce(add, each)
        sides.append(np.append((spans > 0).sum(axis=0)[:-1], (spans.sum(axis=1) > 0).sum()))
    return dict(zip((*labels, ""), np.minimum(*sides).astype(float).tolist()))


def _place(metric: str, path: tuple[str, ...]) -> Path:
    """Return where the summary of a score is in the result."""
    return ("metrics", metric, path[-1]) if path[0] == "scores" else ("per_type", path[1], metric, path[-1])
