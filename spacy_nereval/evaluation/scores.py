"""Compute scores and their averages from sums, with the same formulas for the corpus and for every resample of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import GOLD_SPANS, Metric
from ..core.formulas import ratio
from ..core.messages import spell_argument
from ..counting.sums import Sums, join_amounts, slots
from ..counting.table import columns_of

AVERAGES = ("micro", "macro", "weighted", "docs")

Path = tuple[str, ...]
"""The path of a score in a result, such as ("per_type", "PER", "f")."""

Scores = dict[str, NDArray[Any]]


def check_average(average: str) -> None:
    """Raise ValueError if there is no such average."""
    if average not in AVERAGES:
        raise ValueError(f"{spell_argument('average', average)}: expected one of {', '.join(AVERAGES)}")


class MetricScores(NamedTuple):
    """One metric's counts and scores, of one or more sums.

    counts, scores: column or score to [sums]. For a metric with classes the counts are those
        of all labels together.
    label_counts, label_scores: column or score to [labels, sums].
    combined: scores of all labels together, where labels are classes; else empty.
    details: further numbers, nested, [sums].
    averages: "macro", "weighted" and "docs" to score to [sums], and under "undefined" how many
        labels or documents were excluded, since their score is undefined.
    """

    metric: Metric
    counts: Scores
    label_counts: Scores
    scores: Scores
    label_scores: Scores
    combined: Scores
    details: Mapping[str, Any]
    averages: dict[str, dict[str, Any]]

    def paths(self, labels: tuple[str, ...]) -> Iterator[tuple[Path, NDArray[Any]]]:
        """Yield every score with its path in the result, [sums]."""
        for name, values in self.scores.items():
            yield ("scores", name), values
        for average, table in self.averages.items():
            yield from ((("averages", average, name), values) for name, values in table.items() if name != "undefined")
        for k, label in enumerate(labels):
            yield from ((("per_type", label, name), values[k]) for name, values in self.label_scores.items())

    def stack_values(self, names: Collection[str]) -> NDArray[np.float64]:
        """Return the values of `paths` of all labels, of the scores with these names, as one array [sums, paths]."""
        averages = (value for table in self.averages.values() for name, value in table.items() if name in names)
        rows = [*(value for name, value in self.scores.items() if name in names), *averages]
        labels = [values for name, values in self.label_scores.items() if name in names]
        sums = next(iter(self.scores.values())).shape[-1]
        by_label = np.stack(labels, axis=1).reshape(-1, sums) if labels else np.zeros((0, sums))
        return np.concatenate([np.array(rows, dtype=float).reshape(-1, sums), by_label]).T


def score_sums(sums: Sums, *, alone: bool = False) -> Iterator[MetricScores]:
    """Yield the scores of every metric.

    Args:
        sums: The sums.
        alone: Omit averages, and the counts of metrics with scores that are means over documents.
    """
    place = slots(sums.metrics)
    if not all(metric.classes for metric in sums.metrics):
        # As for classes, the last row is for all labels together.
        added = np.concatenate([sums.counts[:, :-1], sums.counts.sum(axis=1, keepdims=True)], axis=1)
    first = first_class = 0
    for metric in sums.metrics:
        means = sums.means[:, first : first + len(metric.averaged)]
        first += len(metric.averaged)
        columns: dict[str, Any] = {}
        if not (alone and is_document_mean(metric)):
            columns = columns_of(metric, sums.counts if metric.classes else added, place)
        shown = {name: columns[name] for name in metric.columns if name in columns}
        details: Mapping[str, Any] = {}
        combined: Scores = {}
        if metric.classes:
            number = len(metric.classes.scores)
            class_means = sums.class_means[:, first_class : first_class + number]
            first_class += number
            shown["documents"] = class_means[0, -1]
            table = class_scores(metric, columns, class_means)
            scores = metric.classes.overall(table, metric.classes.weights(sums.labels, sums.is_breakdown))
            combined = _last_row(table)
        else:
            table = metric.formula(columns)
            scores = _last_row(table)
            details = metric.details(_last_row(columns)) if metric.details else {}
        label_scores, label_counts = ({name: values[:-1] for name, values in rows.items()} for rows in (table, shown))
        averages = {} if alone else _averages(metric, label_scores, sums.spans(GOLD_SPANS)[:-1], means, sums.documents)
        yield MetricScores(metric, _last_row(shown), label_counts, scores, label_scores, combined, details, averages)


def is_document_mean(metric: Metric) -> bool:
    """Return whether all scores of a metric are made of means over documents, and none of counts."""
    return bool(metric.classes and metric.classes.document_mean)


def _last_row(rows: Mapping[str, Any]) -> Scores:
    """Return the row of all labels together of each array [labels + 1, sums]."""
    return {name: values[-1] for name, values in rows.items()}


def class_scores(metric: Metric, columns: Mapping[str, NDArray[Any]], means: NDArray[np.int64]) -> Scores:
    """Return the scores of labels, [...], from columns [...] and means over documents int64[3, class scores, ...]."""
    if metric.classes and is_document_mean(metric):
        return dict(zip((score.name for score in metric.classes.scores), mean_of_parts(means)))
    return metric.formula(columns)


def mean_of_parts(parts: NDArray[np.int64]) -> NDArray[Any]:
    """Return the means of int64[3, ...]: the number, and the high and the low part of the sum."""
    means: NDArray[Any] = ratio(join_amounts(parts[1:]), parts[0])
    return means


def _averages(
    metric: Metric, label_scores: Scores, support: NDArray[Any], means: NDArray[Any], documents: NDArray[Any]
) -> dict[str, dict[str, Any]]:
    names = [score.name for score in metric.label_scores if score.unit != "count"]
    scores = np.array([label_scores[name] for name in names]).reshape(len(names), *support.shape)
    defined = np.isfinite(scores)
    filled, undefined = np.where(defined, scores, 0), dict(zip(names, (~defined).sum(axis=1)))
    averages: dict[str, dict[str, Any]] = {}
    for average, weight in (("macro", np.ones_like(support)), ("weighted", support)):
        used = defined * weight
        averages[average] = dict(zip(names, ratio((filled * used).sum(axis=1), used.sum(axis=1))))
        averages[average]["undefined"] = undefined
    names = [score.name for score in metric.averaged]
    averages["docs"] = dict(zip(names, mean_of_parts(means)))
    averages["docs"]["undefined"] = dict(zip(names, documents - means[0]))
    return averages
