"""Whole curves as rows, for files and frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...core.declaration import Metric
from ..result import plain
from .curves import Curves
from .parts import finite


def curve_rows(curves: Curves, *, labels: bool = True) -> Iterator[dict[str, Any]]:
    """Yield a row per cut, from the highest: of all labels, then of each label where its counts change.

    Args:
        curves: The curves.
        labels: Whether labels have rows.

    Yields:
        "label" ("" for all of them), "cut" (None where no prediction is kept), "kept" (predictions
        of all labels that are kept) and METRIC.SCORE of each score, None where it is undefined.
    """
    overall = [
        (f"{metric.name}.{score.name}", curves.overall(metric)[score.name])
        for metric in curves.metrics
        for score in metric.scores
        if score.unit != "count"
    ]
    every = np.arange(len(curves.cuts))
    yield from _rows(curves, "", every, [(name, np.asarray(values, dtype=float)) for name, values in overall])
    for label in curves.labels if labels else ():
        of_label = [(metric, curves.of_label(metric, label)) for metric in curves.metrics]
        at = np.unique(np.concatenate([curve.at for _, curve in of_label]))
        columns = [
            (f"{metric.name}.{name}", curve.scores[name][np.searchsorted(curve.at, at, side="right") - 1])
            for metric, curve in of_label
            for name in _named(metric)
        ]
        yield from _rows(curves, label, at, columns)


def _named(metric: Metric) -> list[str]:
    return [score.name for score in metric.label_scores if score.unit != "count"]


def columns(metrics: Sequence[Metric]) -> list[str]:
    """Return the names of the columns of all rows: overall scores, and those of labels."""
    names = [
        f"{metric.name}.{name}"
        for metric in metrics
        for name in (*(score.name for score in metric.scores if score.unit != "count"), *_named(metric))
    ]
    return ["label", "cut", "kept", *dict.fromkeys(names)]


def _rows(curves: Curves, label: str, at: Any, scores: Sequence[tuple[str, Any]]) -> Iterator[dict[str, Any]]:
    empty = dict.fromkeys(columns(curves.metrics))
    cuts, kept = curves.cuts[at].tolist(), curves.kept[at].tolist()
    lists = [(name, plain(values.tolist())) for name, values in scores]
    for k, (cut, number) in enumerate(zip(cuts, kept)):
        yield empty | {
            "label": label,
            "cut": finite(cut),
            "kept": number,
            **{name: values[k] for name, values in lists},
        }
