"""Scores of pairs of annotators and their intervals.

Each annotator of a pair is once gold and once prediction; a score is the mean of both directions. Intervals come from
the jackknife: each unit of documents is excluded once, and all sums are recomputed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import chain
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.declaration import Kind, Metric, Score
from ...core.formulas import ratio
from ...counting.counter import count
from ...counting.counts import Counts, mirror_counts
from ...counting.sums import Sums
from ...counting.table import Table, Weights
from ...counting.unit_keys import content_key, is_written
from ...evaluation.bounds import CONCENTRATED, UNBOUNDED, Limits, kish, sample_variance, score_intervals, variance_scale
from ...evaluation.intervals import IntervalBasis
from ...evaluation.jackknife import Estimates, GroupedTable, jackknife_per_run
from ...evaluation.resampling import Confidence, HalfSamples, Units
from ...evaluation.result import first_values, make_plain
from ...evaluation.scores import MetricScores, Scores, score_sums
from ...evaluation.variance import Influences, count_mixed_units, influences, most_influential
from .chance import PREFIX, BlockSums, is_of_labels
from .shared_documents import SharedDocuments

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Values(NamedTuple):
    """The scores of a metric by name: overall, float64[sums], and of labels, float64[labels, sums]."""

    overall: Scores
    of_labels: Scores


@dataclass
class Pair:
    """The counts of two annotators on the documents that both annotated.

    Attributes:
        a, b: The annotators.
        places: int64[documents], the indices of the documents among all shared documents.
        forward: The counts with the spans of `a` as gold. backward: The counts with the spans of `b` as gold.
    """

    a: str
    b: str
    places: NDArray[np.int64]
    forward: Counts
    backward: Counts

    @property
    def documents(self) -> int:
        """The number of documents that both annotated."""
        return len(self.places)

    def select_metrics(self, metrics: Sequence[Metric]) -> Pair:
        """Return the pair with the counts of some of the metrics."""
        return replace(self, forward=self.forward.of(metrics), backward=self.backward.of(metrics))


def count_pairs(shared: SharedDocuments, metrics: Sequence[Metric]) -> list[Pair]:
    """Count every pair of annotators, in both directions.

    Annotators agree about most documents, so each pair of versions of a document is counted once, whoever annotated
    them. If all metrics declare a mirror image, the other direction is derived from it.

    Args:
        shared: The documents of all annotators.
        metrics: The metrics.

    Returns:
        The counts of each pair that shares a document, in the order of the annotators.
    """
    both_ways = any(metric.mirror is None for metric in metrics)
    places = {(a, b): shared.places(a, b) for a, b in shared.pairs()}
    index_of: dict[tuple[int, int, int], int] = {}
    versions_wanted: list[tuple[int, str, str]] = []
    rows: dict[tuple[str, str], list[int]] = {}
    for a, b in [*places, *((b, a) for a, b in places if both_ways)]:
        rows[a, b] = []
        for place in places[(a, b) if (a, b) in places else (b, a)]:
            versions = shared.versions[place]
            key = place, versions[a], versions[b]
            if key not in index_of:
                index_of[key] = len(index_of)
                versions_wanted.append((place, a, b))
            rows[a, b].append(index_of[key])
    documents = (shared.documents[place].pair(a, b) for place, a, b in versions_wanted)
    counts = count(documents, metrics, units=False)
    counts.spans_key, counts.label_rules = shared.spans_key, shared.rules
    pairs = []
    for a, b in places:
        forward = counts.reordered(rows[a, b])
        backward = counts.reordered(rows[b, a]) if both_ways else mirror_counts(forward)
        pairs.append(Pair(a, b, np.array(places[a, b], dtype=np.int64), forward, backward))
    return pairs


class Directions(NamedTuple):
    """The sums of a pair or of all pairs, with the first and with the second annotator as gold."""

    forward: Sums
    backward: Sums

    def __add__(self, other: Directions) -> Directions:  # type: ignore[override]  # a tuple would be made longer
        return Directions(self.forward + other.forward, self.backward + other.backward)

    def scores(self) -> Iterator[tuple[MetricScores, Values]]:
        """Yield the scores of each metric with the first annotator as gold, and the means of both directions.

        If a score is undefined in one direction, the mean is that of the other. A symmetric overall score is the same
        in both directions; scores of labels may differ, since a pair of two labels counts for one of them.
        """
        for forward, backward in zip(score_sums(self.forward), score_sums(self.backward)):
            overall = {
                name: np.asarray(values, dtype=float)
                if forward.metric.score_by_name[name].symmetric
                else _mean_of_defined(values, backward.scores[name])
                for name, values in forward.scores.items()
            }
            of_labels = {
                name: _mean_of_defined(values, backward.label_scores[name])
                for name, values in forward.label_scores.items()
            }
            yield forward, Values(overall, of_labels)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the sums."""
        return self.forward.labels


def _mean_of_defined(*values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the mean of arrays, element by element, over the values that are defined."""
    return np.asarray(ratio(reduce(add, map(np.nan_to_num, values)), np.isfinite(values).sum(axis=0)), dtype=float)


def mean_of_pairs(runs: NDArray[np.float64], score: Score) -> NDArray[np.float64]:
    """Return the mean of a score over pairs, where it is defined, on the scale of its variance.

    The score of a pair is the mean of both directions.

    Args:
        runs: Both directions of each pair, which follow each other, float64[2 * pairs, ...].
        score: The score.
    """
    mean = _mean_of_defined(*(_mean_of_defined(*both) for both in zip(runs[::2], runs[1::2])))
    return variance_scale(score.limits, runs.shape[1:]).transform(mean)


class PairTables:
    """The tables of counts of a pair, which weights of documents sum up."""

    def __init__(self, pair: Pair, labels: Sequence[str]) -> None:
        self.pair = pair
        self.labels: tuple[str, ...] = tuple(labels)
        self._tables = Table(pair.forward, labels), Table(pair.backward, labels)

    def sum_directions(self, weights: Weights | None = None) -> Directions:
        """Return the sums in both directions."""
        return Directions(*(table.sum_rows(weights) for table in self._tables))

    def group_documents(self, groups: csr_array, *, of_labels: bool) -> tuple[GroupedTable, GroupedTable]:
        """Return the documents in both directions with their groups.

        Args:
            groups: int64[groups, documents of the pair], 1 where the group has the document.
            of_labels: Whether to keep the counts of each label.
        """
        first, second = self._tables
        if not of_labels:
            first, second = (Table(counts, ()) for counts in (self.pair.forward, self.pair.backward))
        return GroupedTable(first, groups), GroupedTable(second, groups)

    def spans(self, *kinds: Kind) -> csr_array:
        """Return int64[documents, labels + 1], the number of spans of these kinds of each label in each document."""
        return self._tables[0].spans(*kinds)

    @cached_property
    def document_scores(self) -> NDArray[np.float64]:
        """The mean of both directions of each overall score of each document, float64[scores, documents]."""
        both = []
        for table in self._tables:
            blocks = [table.document_scores(table.cells[here])[0] for here in table.document_slices()]
            scores = sum(len(metric.averaged) for metric in table.metrics)
            both.append(np.concatenate([np.zeros((scores, 0)), *blocks], axis=1))
        return _mean_of_defined(*both)


def pair_row(pair: Pair, labels: Sequence[str], scored: Iterable[tuple[MetricScores, Values]]) -> dict[str, Any]:
    """Return a pair's row of the result, without its kappa: the scores and counts of each metric, and of labels."""
    metrics: dict[str, Any] = {}
    per_type: dict[str, Any] = {label: {} for label in labels}
    for metric_scores, values in scored:
        name = metric_scores.metric.name
        metrics[name] = {"scores": first_values(values.overall), "counts": first_values(metric_scores.counts)}
        columns = {score: of_labels[:, 0].tolist() for score, of_labels in values.of_labels.items()}
        for label, scores in zip(labels, zip(*columns.values())):
            per_type[label][name] = dict(zip(columns, scores))
    row: dict[str, Any] = make_plain(
        {"a": pair.a, "b": pair.b, "documents": pair.documents, "metrics": metrics, "per_type": per_type}
    )
    return row


SUMMARY = ("mean", "sd", "min", "max", "pooled", "pairs", "undefined")
"""The keys of the summary of a score over pairs."""


def summarise_scores(values: ArrayLike, pooled: ArrayLike) -> list[dict[str, Any]]:
    """Return the mean, the standard deviation (of the population) and the range of scores over pairs.

    Pairs in which a score is undefined are excluded; "pairs" and "undefined" count them.

    Args:
        values: float[pairs, scores].
        pooled: The scores of all pairs together, float[scores].

    >>> summarise_scores([[0.5], [1.0], [float("nan")]], [0.75])
    [{'mean': 0.75, 'sd': 0.25, 'min': 0.5, 'max': 1.0, 'pooled': 0.75, 'pairs': 2, 'undefined': 1}]
    """
    ordered = np.sort(np.asarray(values, dtype=float), axis=0)  # sorted: the order of pairs changes no digit
    defined = np.isfinite(ordered)
    number = defined.sum(axis=0)
    mean = ratio(np.where(defined, ordered, 0).sum(axis=0), number)
    sd = np.sqrt(ratio(np.where(defined, (ordered - mean) ** 2, 0).sum(axis=0), number))
    least, greatest = np.where(defined, ordered, np.inf).min(axis=0), np.where(defined, ordered, -np.inf).max(axis=0)
    columns = [column.tolist() for column in (mean, sd, least, greatest)]
    rows = zip(*columns, np.asarray(pooled, dtype=float).tolist(), number.tolist(), (len(ordered) - number).tolist())
    return [make_plain(dict(zip(SUMMARY, row))) for row in rows]


def document_spread(table: PairTables, metrics: Sequence[Metric]) -> dict[str, dict[str, Any]]:
    """Return the mean and the standard deviation (of the population) of a pair's headline scores over documents.

    Documents in which a score is undefined are excluded.

    Returns:
        By metric and score: "mean" and "sd", None if no document has the score, and the number of "documents".
    """
    spreads: dict[str, dict[str, Any]] = {}
    names = ((metric, score) for metric in metrics for score in metric.averaged)
    for (metric, score), values in zip(names, table.document_scores):
        if score.headline:
            defined = np.sort(values[np.isfinite(values)])  # sorted: the order of documents changes no digit
            mean, sd = (defined.mean(), defined.std()) if len(defined) else (np.nan, np.nan)
            row = {"mean": float(mean), "sd": float(sd), "documents": len(defined)}
            spreads.setdefault(metric.name, {})[score.name] = row
    return spreads


def document_means(
    shared: SharedDocuments, tables: Sequence[PairTables], metrics: Sequence[Metric]
) -> Mapping[str, Any]:
    """Return the mean over pairs of the headline scores of each document, by score key, float64[documents] each."""
    names = [*chain.from_iterable(((metric, score) for score in metric.averaged) for metric in metrics)]
    total = np.zeros((len(names), len(shared.documents)))
    number = np.zeros_like(total)
    for table in tables:
        scores = table.document_scores
        total[:, table.pair.places] += np.nan_to_num(scores)
        number[:, table.pair.places] += np.isfinite(scores)
    means = ratio(total, number)
    return {
        score.key or f"{metric.name}_{score.name}": means[k]
        for k, (metric, score) in enumerate(names)
        if score.headline
    }


# Intervals

Floats = NDArray[np.float64]

KeyPath = tuple[Any, ...]
"""The keys that lead to a number in the result."""

CORRECTED: Limits = -math.inf, 1.0
"""The limits of alphas and kappas for the transformation under which their intervals are computed."""

LEAST_CORRECTED = -1.0
"""The lower bound of intervals of alphas and kappas: the observed disagreement is at most twice the expected one."""

SHARE: Limits = 0.0, 1.0

TOGETHER = 1 << 19
"""Maximum number of leave-one-out sums in memory at once, and of single-group sums."""

UNLIKE = tuple(kind for kind in Kind if kind is not Kind.HIT)
"""The kinds of spans that only one of the two annotators has."""


PLANNED: tuple[KeyPath, ...] = (("units", "alpha"), ("u_alpha", "u_alpha"))
"""The paths of the numbers of which a half width can be planned, besides the mean of the main score over pairs."""


class Samples(NamedTuple):
    """A number with its leave-one-out values, from which its interval is computed.

    path: the path of the number in the result. value: the number. samples: float[2 * groups], leave-one-out values,
    then single-group values; values of half-samples for a metric that counts distinct strings of a corpus. limits: the
    least and the greatest possible value. label: the label with the spans that give the effective number of units; ""
    for all spans. mixed: the number of units in which annotators differ, or of those in which they agree about a span,
    whichever is less; None to compute it from the single-group values. halves: whether the samples are half-samples.
    """

    path: KeyPath
    value: float
    samples: Floats
    limits: Limits
    label: str = ""
    mixed: float | None = None
    halves: bool = False


class Number(NamedTuple):
    """A number of the result: the path, the value, the limits and the label as in `Samples`; for a headline, its metric
    and score."""

    path: KeyPath
    value: float
    limits: Limits
    label: str = ""
    headline: tuple[str, str] | None = None


Interval = dict[str, Any]
"""An interval as the result has it."""


class Jackknife:
    """The intervals of agreement, from a jackknife over units of the shared documents.

    Args:
        shared: The documents.
        confidence: The level; for metrics that count distinct strings, the number of half-samples and the seed.
        metrics: The metrics.

    Attributes:
        distinct: The metrics with intervals from half-samples.
        effective: The effective number of units for each label, and for all labels under "".
        mixed: For each pair, and last for all pairs: labels (and "" for all labels) to the number of groups in which
            annotators differ, or of those in which they agree about a span, whichever is less. Set by `pair_intervals`.
        variances: The variance of each number of `PLANNED`, and of the headlines' means over pairs, in the unit of the
            number. `variance_intervals` adds them.
        concentrated: The units that account for most of the uncertainty, as in `Drawn`. `variance_intervals` adds them.
    """

    def __init__(self, shared: SharedDocuments, confidence: Confidence, metrics: Sequence[Metric]) -> None:
        from scipy.sparse import csr_array

        counts = empty_counts(shared)
        self._units = Units(counts)
        self._shared, self._confidence, self._rule = shared, confidence, counts.unit
        self.distinct: list[Metric] = [metric for metric in metrics if metric.distinct]
        self.mixed: list[dict[str, float]] = []
        self.concentrated: list[dict[str, Any]] = []
        labels = shared.labels
        label_index = {label: k for k, label in enumerate(labels)}
        span_places = [
            (index, label_index[label])
            for index, document in enumerate(shared.documents)
            for spans_of_one in document.spans.values()
            for *_, label in spans_of_one
        ]
        documents, span_labels = np.array(span_places, dtype=np.int64).reshape(-1, 2).T
        shape, ones = (len(shared.documents), len(labels)), np.ones(len(span_places), dtype=np.int64)
        spans = (self._units.matrix @ csr_array((ones, (documents, span_labels)), shape)).tocsr()
        unit_spans, number = spans.sum(axis=1), np.append(spans.sum(axis=0), len(span_places))
        k = kish(number, np.append((spans * spans).sum(axis=0), (unit_spans**2).sum()))
        self.effective: dict[str, float] = dict(zip((*labels, ""), k.tolist()))
        self._unit_spans: NDArray[np.int64] = unit_spans
        self._effective_of: dict[KeyPath, float] = {}
        self.variances: dict[KeyPath, float] = {}
        gold = number / np.mean([len(document.spans) for document in shared.documents])
        self._spans = dict(zip((*labels, ""), gold.tolist()))

    @property
    def basis(self) -> IntervalBasis:
        """The basis of the intervals."""
        level, samples, seed = self._confidence
        base = self._rule, len(self._units)
        if not self.distinct:
            return IntervalBasis("infl", level, None, None, *base, True, self.effective[""], self.concentrated)
        halves = HalfSamples(self._units, samples, seed)
        return IntervalBasis(
            "half", level, halves.sums, seed, *base, halves.exact, self.effective[""], self.concentrated
        )

    def restrict(self, path: KeyPath, documents: NDArray[np.int64]) -> None:
        """Say that only some documents, by their indices, inform the numbers under a path: those of other annotators
        say nothing about a pair, or about an annotator."""
        spans = self._unit_spans[np.unique(self._units.of_document[documents])]
        self._effective_of[path] = float(kish(spans.sum(), (spans * spans).sum()))

    def _effective_units(self, number: Number) -> float:
        """Return the effective number of units that inform a number."""
        k = self.effective.get(number.label, 0.0)
        return next((self._effective_of[path] for path in self._effective_of if number.path[: len(path)] == path), k)

    def group_sums(self, blocks: Mapping[str, csr_array]) -> dict[str, csr_array]:
        """Return the single-group sums of each block, sparse [groups, columns]."""
        return {name: (self._units.groups @ block).tocsr() for name, block in blocks.items()}

    def values(
        self,
        groups_alone: Mapping[str, csr_array],
        divisor: float,
        computed: Callable[[BlockSums], Iterable[tuple[KeyPath, Floats]]],
    ) -> dict[KeyPath, Floats]:
        """Return leave-one-out values, then single-group values, float64[2 * groups] by their paths.

        Some groups at a time are computed: with many labels, the sums of all groups do not fit into memory.

        Args:
            groups_alone: The single-group sums, which `group_sums` returns.
            divisor: The factor by which the sums are too large, since they are whole numbers.
            computed: The function from sums, float64[sums, columns], to numbers, float64[sums] each.
        """
        totals = {name: np.asarray(block.sum(axis=0)) for name, block in groups_alone.items()}
        groups, step = self._units.groups.shape[0], max(1, TOGETHER // sum(map(len, totals.values())))
        parts: dict[KeyPath, list[list[Floats]]] = {}
        for start in range(0, groups, step):
            dense = {name: block[start : start + step].toarray() for name, block in groups_alone.items()}
            sums = {name: np.concatenate([totals[name] - single, single]) / divisor for name, single in dense.items()}
            for path, values in computed(sums):
                for side, part in zip(parts.setdefault(path, [[], []]), np.split(values, 2)):
                    side.append(part)
        return {path: np.concatenate([*left_out, *inside]) for path, (left_out, inside) in parts.items()}

    def label_sums(
        self, groups_alone: Mapping[str, csr_array], divisor: float, labels: int
    ) -> Iterator[tuple[slice, BlockSums]]:
        """Yield the range of some labels, and the sums for their alphas, float64[2 * groups, labels], for all labels.

        Args:
            groups_alone, divisor: As for `values`.
            labels: The number of labels.
        """
        of_labels = {name: block.tocsc() for name, block in groups_alone.items() if is_of_labels(name)}
        sizes = {name: groups_alone[name].toarray() for name in ("size", f"{PREFIX}size")}
        step = max(1, TOGETHER // (len(of_labels) * len(sizes["size"])))
        for start in range(0, labels, step):
            columns = slice(start, start + step)
            dense = sizes | {name: block[:, columns].toarray() for name, block in of_labels.items()}
            yield (
                columns,
                {
                    name: np.concatenate([single.sum(axis=0) - single, single]) / divisor
                    for name, single in dense.items()
                },
            )

    def pair_groups(self, tables: PairTables) -> csr_array:
        """Return int64[groups, documents of the pair], 1 where a group has a document."""
        return self._units.groups[:, tables.pair.places]

    def half_sample_sums(self, tables: PairTables) -> Directions:
        """Return the sums of a pair in each half-sample."""
        halves = HalfSamples(self._units, self._confidence.samples, self._confidence.seed)
        return tables.sum_directions(_PairWeights(halves.block(tables.pair.places)))

    def intervals(self, entries: Sequence[Samples]) -> Iterator[tuple[KeyPath, Interval]]:
        """Yield the interval of each number: {"low", "high", "k", "df", "flag"}, as in other results."""
        if not entries:
            return
        limits, values = [entry.limits for entry in entries], np.array([entry.value for entry in entries])
        scale, size = variance_scale(limits, (len(entries),)), len(entries[0].samples)
        samples, theta = np.array([entry.samples for entry in entries]).T, scale.transform(values)
        if entries[0].halves:
            unknown = np.full(len(entries), np.inf)
            variance, mixed = Influences(sample_variance(samples, limits), unknown, unknown < 0), unknown
        else:
            row = np.repeat(np.arange(len(entries)), size // 2)
            left, alone = (side.T.ravel() for side in np.split(scale.transform(samples), 2))
            variance = influences(theta, row, left, size // 2)
            mixed_here = count_mixed_units(theta, row, left, alone, scale)
            mixed = np.where(
                [entry.mixed is None for entry in entries], mixed_here, [entry.mixed or 0 for entry in entries]
            )
        numbers = [Number(entry.path, entry.value, entry.limits, entry.label) for entry in entries]
        yield from self.variance_intervals(numbers, variance, mixed)

    def variance_intervals(
        self,
        numbers: Sequence[Number],
        variance: Influences,
        mixed: Floats,
        left_out: Mapping[str, Floats] | None = None,
    ) -> Iterator[tuple[KeyPath, Interval]]:
        """Yield the interval of each number from its variance.

        Args:
            numbers: The numbers.
            variance: The variance of each number, and the number of units that bear it.
            mixed: For each number, in how many units there are errors, or hits, whichever is less.
            left_out: The leave-one-out values of a metric's headlines by name, on the scale of their variance.
        """
        k = np.array([self._effective_units(number) for number in numbers])
        values = np.array([number.value for number in numbers])
        intervals = score_intervals(
            values,
            variance.variance,
            k,
            bearers=variance.bearers,
            mixed=mixed,
            spans=[self._spans.get(number.label, 0.0) for number in numbers],
            lone=variance.lone,
            level=self._confidence.level,
            limits=[number.limits for number in numbers],
        )
        slope = variance_scale([number.limits for number in numbers], (len(numbers),)).slope(values)
        for number, of_number in zip(numbers, (variance.variance * slope**2).tolist()):
            if number.path in PLANNED or number.headline:
                self.variances[number.path] = of_number
        low, high, units, freedom, flag = (column.tolist() for column in intervals[:5])
        for n, number in enumerate(numbers):
            least = max(low[n], LEAST_CORRECTED) if number.limits == CORRECTED else low[n]
            flag_text = str(flag[n]) or (UNBOUNDED if math.inf in (abs(least), abs(high[n])) else None)
            if flag_text == CONCENTRATED and left_out and number.headline:
                self._keep_concentrated(number.headline, left_out[number.headline[1]])
            yield number.path, {"low": least, "high": high[n], "k": units[n], "df": freedom[n], "flag": flag_text}

    def _keep_concentrated(self, headline: tuple[str, str], left_out: Floats) -> None:
        """Keep the units that account for the variance of a headline, unless groups have several units."""
        if len(self._units) > self._units.groups.shape[0]:
            return
        groups, share = most_influential(left_out)
        names = self._units.names([int(np.flatnonzero(self._units.group == group)[0]) for group in groups])
        named = [self._shared.name_of(name) if isinstance(name, int) else name for name in names]
        metric, score = headline
        self.concentrated.append({"metric": metric, "score": score, "units": named, "share": share})


class _PairWeights:
    """The weights of a pair's documents; see `counting.table.Weights`."""

    def __init__(self, weights: NDArray[Any]) -> None:
        self._weights = weights
        self.sums: int = len(weights)

    def block(self, documents: slice) -> NDArray[Any]:
        return self._weights[:, documents]


def empty_counts(shared: SharedDocuments) -> Counts:
    """Return empty counts with the ids and units of the shared documents."""
    counts = Counts([])
    counts.ids = [document.base.id for document in shared.documents]
    counts.units = [_unit_name(shared, place) for place in range(len(shared.documents))]
    counts.unit = " and ".join(sorted({document.base.unit_rule for document in shared.documents}))
    counts.spans_key, counts.label_rules, counts.located = shared.spans_key, shared.rules, {*shared.located}
    return counts


def _unit_name(shared: SharedDocuments, place: int) -> str:
    base = shared.documents[place].base
    if base.unit is not None or base.id is not None:
        return str(base.id if base.unit is None else base.unit)
    written = base.own_text is not None and is_written(base.own_text)
    return content_key(base.own_text, ()) if written else str(place)


def pair_intervals(
    numbers: Callable[[KeyPath], float], tables: Sequence[PairTables], jackknife: Jackknife, metrics: Sequence[Metric]
) -> Iterator[tuple[KeyPath, Interval]]:
    """Yield the intervals of the scores of each pair, of their means over pairs, and of the pooled scores.

    Leaving a unit out changes only the scores of labels that the unit has, as in `evaluation.leaving_out`.

    Args:
        numbers: The numbers in the result, by their paths.
        tables: The tables of each pair.
        jackknife: The intervals of agreement.
        metrics: The metrics of the tables.
    """
    groups = [jackknife.pair_groups(table) for table in tables]
    has_classes = any(metric.classes for metric in metrics)
    for number, (table, table_groups) in enumerate(zip(tables, groups)):
        has_spans = table.spans(*UNLIKE, Kind.HIT).sum(axis=1) > 0
        jackknife.restrict(("pairs", number, "kappa"), table.pair.places)  # It counts the words outside spans, too.
        jackknife.restrict(("pairs", number), table.pair.places[has_spans])
        jackknife.mixed.append(_mixed_numbers(table.labels, [_SpanNumbers.create(table, table_groups)]))
        directions = [[side] for side in table.group_documents(table_groups, of_labels=has_classes)]
        for estimates in jackknife_per_run(directions, mean_of_pairs, mean_of_pairs):
            path = "pairs", number, "metrics", estimates.metric.name
            yield from _metric_intervals(numbers, jackknife, estimates, path, "scores")
    if not tables:
        return
    span_numbers = [_SpanNumbers.create(*both) for both in zip(tables, groups)]
    jackknife.mixed.append(_mixed_numbers(tables[0].labels, span_numbers))
    sides = [table.group_documents(table_groups, of_labels=True) for table, table_groups in zip(tables, groups)]
    of_pairs = [[side] for pair in sides for side in pair]
    for summary, runs in (("mean", of_pairs), ("pooled", [*map(list, zip(*sides))])):
        for estimates in jackknife_per_run(runs, mean_of_pairs, mean_of_pairs):
            yield from _metric_intervals(numbers, jackknife, estimates, (), summary)
    yield from jackknife.intervals([*_half_sample_scores(numbers, tables, jackknife, metrics)])


def _metric_intervals(
    numbers: Callable[[KeyPath], float], jackknife: Jackknife, estimates: Estimates, pair: KeyPath, summary: str
) -> Iterator[tuple[KeyPath, Interval]]:
    """Yield the intervals of a metric's scores: those at the path of a pair, or else a summary over pairs."""
    indices: list[int] = []
    selected: list[Number] = []
    for n, place in enumerate(estimates.places):
        if place[0] == "averages" or (pair and place[0] == "per_type"):
            continue
        metric, score = estimates.metric.name, estimates.metric.score_by_name[place[-1]]
        path = (*pair, *place) if pair else (*_summary_path(metric, place), summary)
        is_headline = summary == "mean" and score.headline and place[0] == "scores"
        label = place[1] if place[0] == "per_type" else ""
        indices.append(n)
        headline = (metric, score.name) if is_headline else None
        selected.append(Number(path, numbers(path), score.limits, label, headline))
    if selected:
        variance, bearers, lone = estimates.influences
        variance_found = Influences(variance[indices], bearers[indices], lone[indices])
        yield from jackknife.variance_intervals(selected, variance_found, estimates.mixed[indices], estimates.left_out)


def _half_sample_scores(
    numbers: Callable[[KeyPath], float], tables: Sequence[PairTables], jackknife: Jackknife, metrics: Sequence[Metric]
) -> Iterator[Samples]:
    """Yield the scores of metrics that count distinct strings, which do not add up over units."""
    distinct = {metric.name for metric in metrics} & {metric.name for metric in jackknife.distinct}
    if not distinct:
        return
    halves = [jackknife.half_sample_sums(table) for table in tables]
    labels = halves[0].labels
    by_name = [{scores.metric.name: (scores.metric, values) for scores, values in half.scores()} for half in halves]
    together = {scores.metric.name: values for scores, values in reduce(add, halves).scores()}
    for name in sorted(distinct):
        of_pairs = [scores[name][1] for scores in by_name]
        for score in by_name[0][name][0].score_by_name.values():
            if score.unit == "count":
                continue
            if score.name in together[name].overall:
                for number, values in enumerate(of_pairs):
                    at: KeyPath = ("pairs", number, "metrics", name, "scores", score.name)
                    yield Samples(at, numbers(at), values.overall[score.name], score.limits, halves=True)
                both = (
                    _mean_of_defined(*(values.overall[score.name] for values in of_pairs)),
                    together[name].overall[score.name],
                )
                for summary, samples in zip(("mean", "pooled"), both):
                    at = ("metrics", name, score.name, summary)
                    yield Samples(at, numbers(at), samples, score.limits, halves=True)
            if score.name in together[name].of_labels:
                both = (
                    _mean_of_defined(*(values.of_labels[score.name] for values in of_pairs)),
                    together[name].of_labels[score.name],
                )
                for summary, of_labels in zip(("mean", "pooled"), both):
                    for label, samples in zip(labels, of_labels):
                        at = ("per_type", label, name, score.name, summary)
                        yield Samples(at, numbers(at), samples, score.limits, label, halves=True)


class _SpanNumbers(NamedTuple):
    """The spans in each group that only one annotator of a pair has, and that both have: int64[groups, labels + 1]."""

    unlike: csr_array
    alike: csr_array

    @classmethod
    def create(cls, tables: PairTables, groups: csr_array) -> _SpanNumbers:
        """Return the numbers of spans in groups of a pair's documents."""
        return cls(*((groups @ tables.spans(*kinds)).tocsr() for kinds in (UNLIKE, (Kind.HIT,))))


def _mixed_numbers(labels: Sequence[str], pairs: Sequence[_SpanNumbers]) -> dict[str, float]:
    """Return an element of `Jackknife.mixed`, for one pair or for all."""
    sides = []
    for pair_numbers in zip(*pairs):
        spans = reduce(add, pair_numbers)
        sides.append(np.append((spans > 0).sum(axis=0)[:-1], (spans.sum(axis=1) > 0).sum()))
    return dict(zip((*labels, ""), np.minimum(*sides).astype(float).tolist()))


def _summary_path(metric: str, path: tuple[str, ...]) -> KeyPath:
    """Return the path of the summary of a score in the result."""
    return ("metrics", metric, path[-1]) if path[0] == "scores" else ("per_type", path[1], metric, path[-1])
