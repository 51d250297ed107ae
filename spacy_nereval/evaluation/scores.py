"""From counts to scores and their averages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.declaration import GOLD_SPANS, Metric
from ..core.formulas import ratio
from ..counting.views import Summary, View

AVERAGES = ("micro", "macro", "weighted", "docs")


def summarise(view: View) -> Summary:
    """The scores of the summed counts, over all and per label."""
    metric = view.metric
    if metric.summary:
        return metric.summary(view)
    total, labels = view.sums(), view.sums(by_label=True)
    extra = metric.details(total) if metric.details else {}
    shown, label_shown = ({column: n[column] for column in metric.columns} for n in (total, labels))
    return Summary(view.scores(), shown, view.scores(by_label=True), label_shown, extra)


def averages(view: View, summary: Summary) -> dict[str, dict[str, Any]]:
    """The macro, weighted and document averages of every score.

    Undefined scores are left out of an average, and `undefined` says how many
    labels or documents that were.
    """
    support = view.sums(by_label=True)[GOLD_SPANS]
    result: dict[str, dict[str, Any]] = {}
    names = [name for name, _ in _ratios(view.metric, summary.label_scores)]
    scores = np.array([summary.label_scores[name] for name in names]).reshape(len(names), *support.shape)
    defined = np.isfinite(scores)
    weight = np.stack([np.ones(support.shape), support])[:, None]
    used = np.where(defined, weight, 0)
    averaged = ratio((np.where(defined, scores, 0) * used).sum(axis=-1), used.sum(axis=-1))
    undefined = dict(zip(names, (~defined).sum(axis=-1)))
    for average, values in zip(("macro", "weighted"), averaged):
        result[average] = dict(zip(names, values)) | {"undefined": undefined}
    all_scores, group = _group_scores(view)
    found = dict(_ratios(view.metric, all_scores))
    times = np.bincount(group)
    values = np.array([*found.values()]).reshape(len(found), len(times))
    means = np.moveaxis(view.document_means(values, group), -1, 0)
    undefined = dict(zip(found, (~np.isfinite(values) * times).sum(axis=-1)))
    result["docs"] = dict(zip(found, means)) | {"undefined": undefined}
    return result


def _ratios(metric: Metric, scores: Mapping[str, np.ndarray]) -> list[tuple[str, np.ndarray]]:
    return [(name, values) for name, values in scores.items() if name not in metric.totals]


def document_scores(view: View) -> dict[str, np.ndarray]:
    """Every overall score as float[documents], whatever the weights."""
    scores, group = _group_scores(view)
    return {name: values[group] for name, values in scores.items()}


def _group_scores(view: View) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Every overall score of documents, of those that are alike once, and the group of each document."""
    if view.metric.document_scores:
        return view.metric.document_scores(view), np.arange(view.counts.documents)
    return view.group_scores()


def overall(view: View) -> dict[str, np.ndarray]:
    """The overall scores of a view, without those of the labels where these are not needed."""
    return view.metric.summary(view).scores if view.metric.summary else view.scores()
