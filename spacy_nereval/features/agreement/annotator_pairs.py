"""Scores of pairs of annotators: one as gold, the other as prediction, in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from ...evaluation.bounds import share_scale
from ...evaluation.jackknife import GroupedTable
from ...evaluation.result import first_values, make_plain
from ...evaluation.scores import MetricScores, Scores, score_sums
from .shared_documents import SharedDocuments

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Values(NamedTuple):
    """The scores of a metric, by their names: overall float64[sums], and of labels float64[labels, sums]."""

    overall: Scores
    of_labels: Scores


@dataclass
class Pair:
    """What was counted of two annotators, on the documents that both annotated.

    Attributes:
        a, b: The annotators.
        places: int64[documents], which of all shared documents these are.
        forward: The counts with the spans of `a` as gold. backward: with those of `b`.
    """

    a: str
    b: str
    places: NDArray[np.int64]
    forward: Counts
    backward: Counts

    @property
    def documents(self) -> int:
        """How many documents both annotated."""
        return len(self.places)

    def of(self, metrics: Sequence[Metric]) -> Pair:
        """Return what was counted with some of the metrics."""
        return replace(self, forward=self.forward.of(metrics), backward=self.backward.of(metrics))


def count_pairs(shared: SharedDocuments, metrics: Sequence[Metric]) -> list[Pair]:
    """Count every pair of annotators, in both directions.

    Annotators agree about most documents, so each two versions of a document are counted once. Of metrics
    that declare a mirror image, the other direction is not counted again.

    Args:
        shared: The documents of all annotators.
        metrics: What to count.

    Returns:
        The counts of each pair that shares a document, in the order of the annotators.
    """
    turned = any(metric.mirror is None for metric in metrics)
    places = {(a, b): shared.places(a, b) for a, b in shared.pairs()}
    row: dict[tuple[int, int, int], int] = {}
    wanted: list[tuple[int, str, str]] = []
    rows: dict[tuple[str, str], list[int]] = {}
    for a, b in [*places, *((b, a) for a, b in places if turned)]:
        rows[a, b] = []
        for place in places[(a, b) if (a, b) in places else (b, a)]:
            versions = shared.versions[place]
            key = place, versions[a], versions[b]
            if key not in row:
                row[key] = len(row)
                wanted.append((place, a, b))
            rows[a, b].append(row[key])
    documents = (shared.documents[place].pair(a, b) for place, a, b in wanted)
    counts = count(documents, metrics, units=False)
    counts.spans_key, counts.label_rules = shared.spans_key, shared.rules
    found = []
    for a, b in places:
        forward = counts.reordered(rows[a, b])
        backward = counts.reordered(rows[b, a]) if turned else mirror_counts(forward)
        found.append(Pair(a, b, np.array(places[a, b], dtype=np.int64), forward, backward))
    return found


class Directions(NamedTuple):
    """A pair's sums, or those of all pairs, with each annotator as gold."""

    forward: Sums
    backward: Sums

    def __add__(self, other: Directions) -> Directions:  # type: ignore[override]  # a tuple would be made longer
        return Directions(self.forward + other.forward, self.backward + other.backward)

    def scores(self) -> Iterator[tuple[MetricScores, Values]]:
        """Yield the scores of each metric with `a` as gold, and the means of both directions.

        Where a score is undefined in one direction, the mean is the other. A symmetric score is the same in both. Of
        labels it need not be: a pair with two labels counts for one of them.
        """
        for one, other in zip(score_sums(self.forward), score_sums(self.backward)):
            overall = {
                name: np.asarray(values, dtype=float)
                if one.metric.score_by_name[name].symmetric
                else _mean_of_defined(values, other.scores[name])
                for name, values in one.scores.items()
            }
            of_labels = {
                name: _mean_of_defined(values, other.label_scores[name]) for name, values in one.label_scores.items()
            }
            yield one, Values(overall, of_labels)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the sums."""
        return self.forward.labels


def _mean_of_defined(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.float64]:
    known = np.isfinite(one).astype(int) + np.isfinite(other)
    found: NDArray[np.float64] = ratio(np.nan_to_num(one) + np.nan_to_num(other), known)
    return np.asarray(found, dtype=float)


def mean_of_pairs(runs: NDArray[np.float64], score: Score) -> NDArray[np.float64]:
    """Return the mean over pairs of the means of both directions on the 0-1 scale, where they are defined.

    Args:
        runs: Both directions of each pair, one after the other, float64[2 * pairs, ...].
        score: The score.
    """
    pairs = [_mean_of_defined(*both) for both in zip(runs[::2], runs[1::2])]
    total = reduce(add, map(np.nan_to_num, pairs))
    number = np.isfinite(pairs).sum(axis=0)
    return share_scale(score.limits, runs.shape[1:]).share(ratio(total, number))


class PairTables:
    """The tables of a pair, from which sums of any weights are made."""

    def __init__(self, pair: Pair, labels: Sequence[str]) -> None:
        self.pair = pair
        self.labels: tuple[str, ...] = tuple(labels)
        self._tables = Table(pair.forward, labels), Table(pair.backward, labels)

    def sum_rows(self, weights: Weights | None = None) -> Directions:
        """Return the sums in both directions."""
        return Directions(*(table.sum_rows(weights) for table in self._tables))

    def grouped(self, groups: csr_array, *, of_labels: bool) -> tuple[GroupedTable, GroupedTable]:
        """Return the documents in both directions, with groups of them.

        Args:
            groups: int64[groups, documents of the pair], 1 where the group has the document.
            of_labels: Whether labels are told apart.
        """
        first, second = self._tables
        if not of_labels:
            first, second = (Table(counts, ()) for counts in (self.pair.forward, self.pair.backward))
        return GroupedTable(first, groups), GroupedTable(second, groups)

    def spans(self, *kinds: Kind) -> csr_array:
        """Return int64[documents, labels + 1]: how many spans of these kinds each document has of each label."""
        return self._tables[0].spans(*kinds)

    @cached_property
    def of_documents(self) -> NDArray[np.float64]:
        """Return the mean of both directions of each overall score of each document, float64[scores, documents]."""
        both = []
        for table in self._tables:
            blocks = [table.document_scores(table.cells[here])[0] for here in table.stretches()]
            scores = sum(len(metric.averaged) for metric in table.metrics)
            both.append(np.concatenate([np.zeros((scores, 0)), *blocks], axis=1))
        return _mean_of_defined(*both)


def pair_row(pair: Pair, labels: Sequence[str], found: Iterable[tuple[MetricScores, Values]]) -> dict[str, Any]:
    """Return a pair's part of the result, without its kappa: scores and counts of each metric, and of labels."""
    metrics: dict[str, Any] = {}
    per_type: dict[str, Any] = {label: {} for label in labels}
    for own, values in found:
        name = own.metric.name
        metrics[name] = {"scores": first_values(values.overall), "counts": first_values(own.counts)}
        columns = {score: of_labels[:, 0].tolist() for score, of_labels in values.of_labels.items()}
        for label, scores in zip(labels, zip(*columns.values())):
            per_type[label][name] = dict(zip(columns, scores))
    row: dict[str, Any] = make_plain(
        {"a": pair.a, "b": pair.b, "documents": pair.documents, "metrics": metrics, "per_type": per_type}
    )
    return row


SUMMARY = ("mean", "sd", "min", "max", "pooled", "pairs", "undefined")
"""What is known about a score over all pairs."""


def summaries_of(values: ArrayLike, pooled: ArrayLike) -> list[dict[str, Any]]:
    """Return the mean, the standard deviation (of the population) and the range of scores over pairs.

    Pairs in which a score is undefined are left out; "pairs" and "undefined" count them.

    Args:
        values: float[pairs, scores].
        pooled: The same of all pairs together, float[scores].

    >>> summaries_of([[0.5], [1.0], [float("nan")]], [0.75])
    [{'mean': 0.75, 'sd': 0.25, 'min': 0.5, 'max': 1.0, 'pooled': 0.75, 'pairs': 2, 'undefined': 1}]
    """
    given = np.sort(np.asarray(values, dtype=float), axis=0)  # sorted: the order of pairs changes no digit
    known = np.isfinite(given)
    number = known.sum(axis=0)
    mean = ratio(np.where(known, given, 0).sum(axis=0), number)
    sd = np.sqrt(ratio(np.where(known, (given - mean) ** 2, 0).sum(axis=0), number))
    least, greatest = np.where(known, given, np.inf).min(axis=0), np.where(known, given, -np.inf).max(axis=0)
    columns = [column.tolist() for column in (mean, sd, least, greatest)]
    rows = zip(*columns, np.asarray(pooled, dtype=float).tolist(), number.tolist(), (len(given) - number).tolist())
    return [make_plain(dict(zip(SUMMARY, row))) for row in rows]


def document_spread(table: PairTables, metrics: Sequence[Metric]) -> dict[str, dict[str, Any]]:
    """Return the mean and the standard deviation (of the population) of a pair's headline scores over documents.

    Documents in which a score is undefined are left out.

    Returns:
        By metric and score: "mean" and "sd", None if no document has the score, and the number of "documents".
    """
    found: dict[str, dict[str, Any]] = {}
    names = ((metric, score) for metric in metrics for score in metric.averaged)
    for (metric, score), values in zip(names, table.of_documents):
        if score.headline:
            known = np.sort(values[np.isfinite(values)])  # sorted: the order of documents changes no digit
            mean, sd = (known.mean(), known.std()) if len(known) else (np.nan, np.nan)
            row = {"mean": float(mean), "sd": float(sd), "documents": len(known)}
            found.setdefault(metric.name, {})[score.name] = row
    return found


def document_means(
    shared: SharedDocuments, tables: Sequence[PairTables], metrics: Sequence[Metric]
) -> Mapping[str, Any]:
    """Return the mean over pairs of the headline scores of each document, by score key; float64[documents]."""
    names = [*chain.from_iterable(((metric, score) for score in metric.averaged) for metric in metrics)]
    total = np.zeros((len(names), len(shared.documents)))
    number = np.zeros_like(total)
    for each in tables:
        scores = each.of_documents
        total[:, each.pair.places] += np.nan_to_num(scores)
        number[:, each.pair.places] += np.isfinite(scores)
    means = ratio(total, number)
    return {
        score.key or f"{metric.name}_{score.name}": means[k]
        for k, (metric, score) in enumerate(names)
        if score.headline
    }
