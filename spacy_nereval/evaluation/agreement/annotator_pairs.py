"""Scores of pairs of annotators: one as gold, the other as prediction, in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.declaration import Metric
from ...core.formulas import ratio
from ...counting.counter import count
from ...counting.counts import Counts, mirrored
from ...counting.sums import Sums
from ...counting.table import Table, Weights
from ..result import first, plain
from ..scores import MetricScores, Path, score_sums
from .shared import SharedDocuments

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Values = dict[Path, NDArray[np.float64]]
"""The scores of a metric, overall and of labels, by their paths in a result, float64[sums]."""


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
        backward = counts.reordered(rows[b, a]) if turned else mirrored(forward)
        found.append(Pair(a, b, np.array(places[a, b], dtype=np.int64), forward, backward))
    return found


class Directions(NamedTuple):
    """A pair's sums, or those of all pairs, with each annotator as gold."""

    forward: Sums
    backward: Sums

    def __add__(self, other: Directions) -> Directions:  # type: ignore[override]  # a tuple would be made longer
        return Directions(self.forward + other.forward, self.backward + other.backward)

    def scores(self) -> Iterator[tuple[MetricScores, Values]]:
        """Yield the scores of each metric with `a` as gold, and the means of both directions by their paths."""
        for one, other in zip(score_sums(self.forward), score_sums(self.backward)):
            back = dict(_paths(other, self.forward.labels))
            yield one, {path: _mean(one.metric, path, values, back[path]) for path, values in _paths(one, self.labels)}

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the sums."""
        return self.forward.labels


def _paths(scores: MetricScores, labels: tuple[str, ...]) -> Iterator[tuple[Path, NDArray[Any]]]:
    yield from ((path, values) for path, values in scores.paths(labels) if path[0] != "averages")


def _mean(metric: Metric, path: Path, forward: NDArray[Any], backward: NDArray[Any]) -> NDArray[np.float64]:
    """Return the mean of both directions, or where it is undefined in one of them, the other.

    A symmetric score is the same in both. Of labels it need not be: a pair with two labels counts for one of them.
    """
    symmetric = path[0] == "scores" and metric.score_by_name[path[-1]].symmetric
    return np.asarray(forward, dtype=float) if symmetric else _mean_of_defined(forward, backward)


def _mean_of_defined(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.float64]:
    known = np.isfinite(one).astype(int) + np.isfinite(other)
    found: NDArray[np.float64] = ratio(np.nan_to_num(one) + np.nan_to_num(other), known)
    return np.asarray(found, dtype=float)


class PairTables:
    """The tables of a pair, from which sums of any weights are made."""

    def __init__(self, pair: Pair, labels: Sequence[str]) -> None:
        self.pair = pair
        self._tables = Table(pair.forward, labels), Table(pair.backward, labels)

    def summed(self, weights: Weights | None = None) -> Directions:
        """Return the sums in both directions."""
        return Directions(*(table.summed(weights) for table in self._tables))

    def left_out(self, groups: csr_array) -> Directions:
        """Return the sums in both directions without each group of documents, then of each group alone.

        Args:
            groups: int64[groups, documents of the pair], 1 where the group has the document.
        """
        both = []
        for table in self._tables:
            total, alone = table.summed(), table.grouped(groups)
            both.append(alone.joined(total - alone, alone))
        return Directions(*both)

    @cached_property
    def of_documents(self) -> NDArray[np.float64]:
        """Return the mean of both directions of each overall score of each document, float64[scores, documents]."""
        both = []
        for table in self._tables:
            blocks = [table.document_scores(table.cells[here])[0] for here in table.stretches()]
            scores = sum(len(metric.averaged) for metric in table.metrics)
            both.append(np.concatenate([np.zeros((scores, 0)), *blocks], axis=1))
        return _mean_of_defined(*both)


def pair_row(pair: Pair, found: Iterable[tuple[MetricScores, Values]]) -> dict[str, Any]:
    """Return a pair's part of the result, without its kappa: scores and counts of each metric, and of labels."""
    metrics: dict[str, Any] = {}
    per_type: dict[str, Any] = {}
    for own, values in found:
        name = own.metric.name
        metrics[name] = {
            "scores": {path[-1]: values[path][0] for path in values if path[0] == "scores"},
            "counts": first(own.counts),
        }
        for path in values:
            if path[0] == "per_type":
                per_type.setdefault(path[1], {}).setdefault(name, {})[path[-1]] = values[path][0]
    row: dict[str, Any] = plain(
        {"a": pair.a, "b": pair.b, "documents": pair.documents, "metrics": metrics, "per_type": per_type}
    )
    return row


def summary_of(values: Iterable[float], pooled: float) -> dict[str, Any]:
    """Return the mean, the standard deviation (of the population) and the range of a score over pairs.

    Pairs in which the score is undefined are left out; "pairs" and "undefined" count them.

    >>> summary_of([0.5, 1.0, float("nan")], 0.75)
    {'mean': 0.75, 'sd': 0.25, 'min': 0.5, 'max': 1.0, 'pooled': 0.75, 'pairs': 2, 'undefined': 1}
    """
    given = [*values]
    known = np.sort([value for value in given if np.isfinite(value)])  # sorted: the order of pairs changes no digit
    found = (known.mean(), known.std(), known[0], known[-1]) if len(known) else (np.nan,) * 4
    result: dict[str, Any] = plain(
        dict(zip(("mean", "sd", "min", "max"), found))
        | {"pooled": pooled, "pairs": len(known), "undefined": len(given) - len(known)}
    )
    return result


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
