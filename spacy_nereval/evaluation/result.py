"""The one result that everything else prints."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..about import __version__
from ..core.spans import Document
from ..counting.counts import Counts, count
from ..counting.shared import Shared
from ..counting.views import View
from ..metrics.registry import create_all
from .intervals import Confidence, intervals
from .scores import averages, summarise
from .signature import signature


def evaluate(
    counts: Counts, confidence: Confidence | None = None, *, average: str = "micro", short: bool = False
) -> dict[str, Any]:
    """The result: plain Python, ready for JSON, None where a score is undefined.

    With `confidence` every score has its interval too. `average` is the one that
    is shown of the result, and `short` leaves options that have their default
    out: both change nothing but the signature.
    """
    found = intervals(counts, confidence) if confidence else {}
    metrics, shared = {}, Shared(counts)
    for metric in counts.metrics:
        view = View(counts, metric, shared=shared)
        summary = summarise(view)
        label_scores, label_counts = (
            {name: values.tolist() for name, values in table.items()}
            for table in (summary.label_scores, summary.label_counts)
        )
        per_type = {
            label: {
                "scores": {name: values[k] for name, values in label_scores.items()},
                "counts": {name: values[k] for name, values in label_counts.items()},
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
            **({"intervals": found[metric.name]} if confidence else {}),
        }
    drawn = confidence and confidence.used_on(counts)
    return plain(
        {
            "signature": signature(counts, *([drawn.signature] if drawn else []), average=average, short=short),
            "version": __version__,
            "documents": counts.documents,
            "skipped": counts.skipped,
            "gold": counts.gold,
            "pred": counts.pred,
            "ignored": counts.ignored,
            "repaired": counts.repaired,
            **({"confidence": drawn.table} if drawn else {}),
            "metrics": metrics,
        }
    )


def score(
    documents: Iterable[Document | None], metrics: Any = None, confidence: Confidence | None = None
) -> dict[str, Any]:
    """Score documents with some metrics: names, or a table `{name: options}`; by
    default the six of the papers.

    >>> from spacy_nereval import Document
    >>> result = score([Document(gold=[(0, 5, "A")], pred=[(0, 4, "A")])], ["strict", "fair"])
    >>> result["metrics"]["fair"]["counts"]["be_s"], result["metrics"]["strict"]["scores"]["f"]
    (1, 0.0)
    """
    return evaluate(count(documents, create_all(metrics)), confidence)


def plain(value: Any) -> Any:
    """The same in plain Python, with None for what is not finite."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, (dict, Mapping)):  # most are plain, which is seen sooner
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value]
