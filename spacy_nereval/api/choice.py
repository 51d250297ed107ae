"""Which metrics `score` and `compare` count, and a check of the labels that they found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

from ..core.declaration import Metric
from ..core.messages import shortened
from ..core.spans import Document
from ..counting.counts import Counts
from ..evaluation.result import gold_spans, pred_spans
from ..metrics.registry import create, create_all, expanded, needs

LOOKED_AT = 1000
"""The number of documents in which labels with levels are looked for, as in the commands."""


def chosen_metrics(metrics: Any, *, texts: bool, words: bool, tokens: bool) -> tuple[Sequence[Metric], dict[str, str]]:
    """Return the metrics, and which of those that are not asked for by name are left out, with the reason.

    Args:
        metrics: As for `scoring.score`.
        texts: Whether the texts of documents are known.
        words: Whether the words of spans can be told apart.
        tokens: Whether the tokens of documents are known.
    """
    chosen = create_all(metrics)
    left_out = without_option(metrics)
    for metric in chosen:
        if metrics is None or metric.name not in metrics:
            if metric.text and not (words if metric.text == "words" else texts):
                what = "words" if metric.text == "words" else "texts"
                left_out[metric.name] = f"the {what} are not known: give text=, the text of each document"
            elif metric.tokens and not tokens:
                left_out[metric.name] = "the tokens are not known: give tokens=, the tokens of each document"
    return tuple(metric for metric in chosen if metric.name not in left_out), left_out


def without_option(metrics: Any) -> dict[str, str]:
    """Return the metrics of the sets asked for that need an option which is not given, with the reason.

    >>> without_option(["strict", "all"])
    {'tmr': "it needs an option: give {'tmr': {'train': ...}} too"}
    """
    if metrics is None:
        return {}
    table = metrics if isinstance(metrics, Mapping) else dict.fromkeys(metrics, {})
    missing = [name for name in expanded(table, whole=True) if name not in expanded(table)]
    return {name: f"it needs an option: give {{{name!r}: {{{needs(name)!r}: ...}}}} too" for name in missing}


def separator(metrics: Any, sep: str) -> str | None:
    """Return what separates the levels of labels, `sep`; None if `metrics` are named, so that none is to be added."""
    return sep if metrics is None else None


def with_levels(
    metrics: Sequence[Metric], documents: Sequence[Document | None], sep: str | None
) -> tuple[Sequence[Metric], list[str]]:
    """Return the metrics, with `hierarchical` if a gold label has levels, and a line that says so.

    Args:
        metrics: The metrics that were chosen.
        documents: The documents with their gold labels.
        sep: What separates the levels; None adds nothing.
    """
    if sep is None:
        return metrics, []
    looked_at = (document.sides[0] for document in documents[:LOOKED_AT] if document)
    for label in dict.fromkeys(map(itemgetter(2), chain.from_iterable(looked_at))):
        if sep in label.strip(sep):
            line = f"hierarchical is added, since the label {shortened(label)} has levels"
            return [*metrics, create("hierarchical", sep=sep)], [line]
    return metrics, []


def check_labels(counts: Counts) -> None:
    """Raise ValueError if a label to keep occurs nowhere."""
    if counts.label_rules and counts.documents:
        counts.label_rules.check_found({*gold_spans(counts), *pred_spans(counts)})
