"""From counts to the one result that everything else prints."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .counts import Counts, count
from .metric import GOLD_SPANS, Metric, create_all
from .signature import signature
from .spans import Document
from .views import Summary, View

AVERAGES = ("micro", "macro", "weighted", "docs")


def summarise(view: View) -> Summary:
    """The scores of the summed counts, over all and per label."""
    metric = view.metric
    if metric.summary:
        return metric.summary(view)
    total, labels = view.sums(), view.sums(by_label=True)
    extra = metric.details(total) if metric.details else {}
    shown, label_shown = ({column: n[column] for column in metric.columns} for n in (total, labels))
    return Summary(metric.score(total), shown, metric.score(labels), label_shown, extra)


def averages(view: View, summary: Summary) -> dict[str, dict[str, Any]]:
    """The macro, weighted and document averages of every score.

    Undefined scores are left out of an average, and `undefined` says how many
    labels or documents that were.
    """
    result = {}
    for name, weight in (
        ("macro", np.ones(len(view.labels))),
        ("weighted", view.sums(by_label=True)[GOLD_SPANS]),
    ):
        result[name] = _averaged(view.metric, summary.label_scores, weight)
    result["docs"] = _averaged(view.metric, document_scores(view.counts, view.metric), np.ones(view.counts.documents))
    return result


def document_scores(counts: Counts, metric: Metric) -> dict[str, np.ndarray]:
    """Every overall score as float[documents]."""
    view = View(counts, metric, per_document=True)
    return metric.summary(view).scores if metric.summary else metric.score(view.sums())


def _averaged(metric: Metric, scores: Mapping[str, np.ndarray], weight: np.ndarray) -> dict[str, Any]:
    averaged: dict[str, Any] = {}
    undefined = {}
    for name, values in scores.items():
        if name in metric.totals:
            continue
        defined = np.isfinite(values)
        total = weight[defined].sum()
        averaged[name] = math.fsum(values[defined] * weight[defined]) / total if total else math.nan
        undefined[name] = int((~defined).sum())
    return averaged | {"undefined": undefined}


def evaluate(counts: Counts) -> dict[str, Any]:
    """The result: plain Python, ready for JSON, None where a score is undefined."""
    metrics = {}
    for metric in counts.metrics:
        view = View(counts, metric)
        summary = summarise(view)
        per_type = {
            label: {
                "scores": {name: values[k] for name, values in summary.label_scores.items()},
                "counts": {name: values[k] for name, values in summary.label_counts.items()},
            }
            for k, label in enumerate(view.labels)
        }
        metrics[metric.name] = {
            "settings": metric.settings,
            "scores": summary.scores,
            "counts": summary.counts,
            **summary.extra,
            "averages": averages(view, summary),
            "per_type": per_type,
            **({} if metric.confusion is None else {"confusion": view.confusion()}),
        }
    return plain(
        {
            **signature(counts),
            "documents": counts.documents,
            "skipped": counts.skipped,
            "gold": counts.gold,
            "pred": counts.pred,
            "ignored": counts.ignored,
            "metrics": metrics,
        }
    )


def score(documents: Iterable[Document | None], metrics: Any = None) -> dict[str, Any]:
    """Score documents with some metrics: names, or a table `{name: options}`; by
    default the six of the papers.

    >>> from spacy_nereval import Document
    >>> result = score([Document(gold=[(0, 5, "A")], pred=[(0, 4, "A")])], ["strict", "fair"])
    >>> result["metrics"]["fair"]["counts"]["be_s"], result["metrics"]["strict"]["scores"]["f"]
    (1, 0.0)
    """
    return evaluate(count(documents, create_all(metrics)))


def plain(value: Any) -> Any:
    """The same in plain Python, with None for what is not finite."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
