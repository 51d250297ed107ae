"""Find the best cut: one for all labels, or one for each label."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...core.messages import PlainSpan
from ...core.spans import Document
from ...evaluation.bounds import TINY
from ...evaluation.tested import Criterion, label_score
from .curves import Curves
from .scored_spans import ScoredSpans

NEAR = 0.01
"""Cuts that score at most this much worse than the best, from 0 to 1, are in the near-best range."""

MOST_ROUNDS = 20
"""Maximum number of rounds of coordinate ascent. It stops earlier when nothing improves."""

LabelCuts = dict[str, float]
"""The cut of each label; infinity keeps no prediction of it."""


def best_place(values: NDArray[np.float64]) -> int | None:
    """Return the index of the best value, the first of equals (the highest cut); None if no value is defined.

    >>> best_place(np.array([-np.inf, 0.5, 0.7, 0.7])), best_place(np.array([-np.inf]))
    (2, None)
    """
    top = values.max(initial=-np.inf)
    return int(np.flatnonzero(values >= top - TINY)[0]) if np.isfinite(top) else None


def best_cut(curves: Curves, wish: Criterion) -> tuple[float, float] | None:
    """Return the best cut for all labels by the score of `wish`, and the value there; None if the score is undefined.

    Of equally good cuts, it is the highest.
    """
    values = curves.overall(wish.metric)[wish.score.name]
    place = best_place(wish.orient(values))
    return None if place is None else (float(curves.cuts[place]), float(values[place]))


def near_best_range(curves: Curves, wish: Criterion) -> dict[str, float] | None:
    """Return the range of common cuts around the best one with a score within `NEAR` of the best.

    Returns:
        "low" and "high"; None if the score is undefined, or is best where no prediction is kept.
    """
    values = wish.orient(curves.overall(wish.metric)[wish.score.name])
    best = best_place(values)
    if not best:
        return None
    far = np.append(0, np.flatnonzero(values < values[best] - NEAR))  # at index 0 nothing is kept
    first, last = far[far < best].max() + 1, far[far > best].min(initial=len(values)) - 1
    return {"low": float(curves.cuts[last]), "high": float(curves.cuts[first])}


def cuts_per_label(curves: Curves, spans: ScoredSpans, wish: Criterion, common: float) -> LabelCuts:
    """Return for each label the common cut at which the label's own score is best.

    A label without gold spans, or without a defined score, has the common cut.

    Args:
        curves: The scores at each cut.
        spans: The spans of the curves.
        wish: The score to optimise.
        common: The best cut for all labels.
    """
    name = label_score(wish.metric, wish.score.name).name
    result: LabelCuts = {}
    gold_labels = {*spans.batch.label[spans.batch.gold].tolist()}
    for number, label in enumerate(spans.labels):
        result[label] = common
        if number not in gold_labels:
            continue
        curve = curves.label_curve(wish.metric, label)
        scores = spans.score[spans.batch.pred & (spans.batch.label == number)]
        cuts = np.append(np.inf, -np.unique(-scores))
        # Only scores of the label's own predictions are candidates, though its counts may change at other cuts too.
        places = np.array([curves.place(cut) for cut in cuts.tolist()])
        place = best_place(wish.orient(curve.values_at(name, places)))
        result[label] = common if place is None else float(cuts[place])
    return result


def micro_cuts(spans: ScoredSpans) -> LabelCuts:
    """Return the cuts of labels that together have the best strict F; of equally good cuts the highest.

    Strict hits of a label do not depend on other labels, so Dinkelbach's iteration for the ratio
    F = 2 tp / (gold + predicted) is exact: each label takes the cut with the best 2 tp - λ predicted, then λ becomes
    the F of these cuts, and so on until λ does not change.

    Source: Dinkelbach (1967).
    """
    batch = spans.batch
    gold = int(batch.gold.sum())
    table = []
    for number in range(len(spans.labels)):
        of_label = batch.pred & (batch.label == number)
        cuts, place, times = np.unique(-spans.score[of_label], return_inverse=True, return_counts=True)
        hits = np.bincount(place, batch.gold[of_label], minlength=len(cuts)).astype(np.int64)
        table.append((np.append(np.inf, -cuts), *(np.cumsum(np.append(0, numbers)) for numbers in (hits, times))))
    part, whole = 0, 1  # λ as a fraction of whole numbers, so that nothing is rounded
    while True:
        places = [int(np.argmax(2 * whole * hits - part * predicted)) for _, hits, predicted in table]
        hit_total, predicted_total = (sum(int(row[k][place]) for row, place in zip(table, places)) for k in (1, 2))
        if 2 * hit_total * whole == part * (gold + predicted_total) or gold + predicted_total == 0:
            return {label: float(cuts[place]) for label, (cuts, *_), place in zip(spans.labels, table, places)}
        part, whole = 2 * hit_total, gold + predicted_total


def is_exact(wish: Criterion) -> bool:
    """Return whether the best joint cuts of labels can be found exactly: only for strict F1."""
    return wish.name == "strict.f" and wish.metric.settings.get("beta", 1.0) == 1.0


def coordinate_ascent(
    documents: Sequence[Document], scores: Sequence[Mapping[PlainSpan, float]], wish: Criterion, start: LabelCuts
) -> LabelCuts:
    """Return a local optimum of the cuts of labels, found by coordinate ascent: no change of one cut improves it.

    Args:
        documents: The documents.
        scores: The score of each prediction, per document.
        wish: The overall score to optimise.
        start: The initial cuts.
    """
    cuts, best = dict(start), -math.inf
    for _ in range(MOST_ROUNDS):
        before = best
        for label in sorted(cuts):
            # Predictions of other labels are kept or removed at every cut; those of this label depend on the cut.
            fixed, fixed_scores = _fix_other_labels(documents, scores, cuts, label)
            cut = best_cut(Curves(ScoredSpans(fixed, fixed_scores), [wish.metric]), wish)
            if cut and (value := float(wish.orient(cut[1]))) > best + TINY:
                cuts[label], best = cut[0], value
        if best <= before + TINY:
            break
    return cuts


def _fix_other_labels(
    documents: Sequence[Document], scores: Sequence[Mapping[PlainSpan, float]], cuts: LabelCuts, label: str
) -> tuple[list[Document], list[dict[PlainSpan, float]]]:
    """Return documents and scores in which predictions of other labels are fixed: kept at any cut, or removed."""
    fixed, fixed_scores = [], []
    for document, scores_here in zip(documents, scores):
        new_scores = {
            span: score if span[2] == label else math.inf
            for span, score in scores_here.items()
            if span[2] == label or score >= cuts[span[2]]
        }
        fixed.append(document.replaced(document.sides[0], [*new_scores], document.text))
        fixed_scores.append(new_scores)
    return fixed, fixed_scores
