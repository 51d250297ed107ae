"""The best cut: common to all labels, or one for each label."""

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
"""Scores this close to the best one are called as good, as ratios."""

MOST_ROUNDS = 20
"""How often coordinate ascent goes through all labels at most. It stops at once when nothing gets better."""

LabelCuts = dict[str, float]
"""The cut of each label; infinity keeps no prediction of it."""


def best_place(values: NDArray[np.float64]) -> int | None:
    """Return the first place of the best value, so the highest cut; None if no value is defined.

    >>> best_place(np.array([-np.inf, 0.5, 0.7, 0.7])), best_place(np.array([-np.inf]))
    (2, None)
    """
    top = values.max(initial=-np.inf)
    return int(np.flatnonzero(values >= top - TINY)[0]) if np.isfinite(top) else None


def best_cut(curves: Curves, wish: Criterion) -> tuple[float, float] | None:
    """Return the best cut for all labels by the score of `wish`, and the value there; None if it is undefined.

    Of equally good cuts it is the highest.
    """
    values = curves.overall(wish.metric)[wish.score.name]
    place = best_place(wish.orient(values))
    return None if place is None else (float(curves.cuts[place]), float(values[place]))


def near_best(curves: Curves, wish: Criterion) -> dict[str, float] | None:
    """Return the range of common cuts around the best one in which the score is within `NEAR` of it.

    Returns:
        "low" and "high"; None if the score is undefined, or best where nothing is kept.
    """
    values = wish.orient(curves.overall(wish.metric)[wish.score.name])
    best = best_place(values)
    if not best:
        return None
    far = np.append(0, np.flatnonzero(values < values[best] - NEAR))  # at place 0 nothing is kept
    first, last = far[far < best].max() + 1, far[far > best].min(initial=len(values)) - 1
    return {"low": float(curves.cuts[last]), "high": float(curves.cuts[first])}


def own_cuts(curves: Curves, spans: ScoredSpans, wish: Criterion, common: float) -> LabelCuts:
    """Return for each label the cut at which its own score is best, with one cut for all labels.

    A label without gold spans, or whose score is nowhere defined, has the common cut.

    Args:
        curves: The scores at each cut.
        spans: The spans that they are about.
        wish: The score to be as good as possible.
        common: The best cut for all labels.
    """
    name = label_score(wish.metric, wish.score.name).name
    found: LabelCuts = {}
    with_gold = {*spans.batch.label[spans.batch.gold].tolist()}
    for number, label in enumerate(spans.labels):
        found[label] = common
        if number not in with_gold:
            continue
        curve = curves.of_label(wish.metric, label)
        own = spans.score[spans.batch.pred & (spans.batch.label == number)]
        cuts = np.append(np.inf, -np.unique(-own))
        # The counts of a label may change at cuts of others; between its own, none of its predictions enters.
        places = np.array([curves.place(cut) for cut in cuts.tolist()])
        place = best_place(wish.orient(curve.at_cuts(name, places)))
        found[label] = common if place is None else float(cuts[place])
    return found


def micro_cuts(spans: ScoredSpans) -> LabelCuts:
    """Return the cuts of all labels that together have the best strict F; of equals the highest.

    Strict hits of a label do not depend on other labels, so Dinkelbach's iteration for the ratio
    F = 2 tp / (gold + predicted) is exact: each label takes the cut with the best 2 tp - λ predicted,
    and λ becomes the F of these cuts, until it stays.

    Source: Dinkelbach (1967).
    """
    batch = spans.batch
    gold = int(batch.gold.sum())
    table = []
    for number in range(len(spans.labels)):
        of_label = batch.pred & (batch.label == number)
        cuts, place, times = np.unique(-spans.score[of_label], return_inverse=True, return_counts=True)
        hits = np.bincount(place, batch.gold[of_label], minlength=len(cuts)).astype(np.int64)
        table.append((np.append(np.inf, -cuts), *(np.cumsum(np.append(0, each)) for each in (hits, times))))
    part, whole = 0, 1  # λ in whole numbers, so that no rounding decides
    while True:
        places = [int(np.argmax(2 * whole * hits - part * predicted)) for _, hits, predicted in table]
        hit, kept = (sum(int(row[k][place]) for row, place in zip(table, places)) for k in (1, 2))
        if 2 * hit * whole == part * (gold + kept) or gold + kept == 0:
            return {label: float(cuts[place]) for label, (cuts, *_), place in zip(spans.labels, table, places)}
        part, whole = 2 * hit, gold + kept


def is_exact(wish: Criterion) -> bool:
    """Return whether the joint cuts of labels can be found exactly: for strict F."""
    return wish.name == "strict.f" and wish.metric.settings.get("beta", 1.0) == 1.0


def ascended(
    documents: Sequence[Document], scores: Sequence[Mapping[PlainSpan, float]], wish: Criterion, start: LabelCuts
) -> LabelCuts:
    """Return cuts of labels that no change of a single one makes better: coordinate ascent, a local optimum.

    Args:
        documents: The documents.
        scores: The score of each prediction, per document.
        wish: The score that is to be best overall.
        start: The cuts to begin with.
    """
    cuts, best = dict(start), -math.inf
    for _ in range(MOST_ROUNDS):
        before = best
        for label in sorted(cuts):
            # Predictions of other labels are there or not; those of this label enter by their scores.
            some, own = _with_others_fixed(documents, scores, cuts, label)
            cut = best_cut(Curves(ScoredSpans(some, own), [wish.metric]), wish)
            if cut and (value := float(wish.orient(cut[1]))) > best + TINY:
                cuts[label], best = cut[0], value
        if best <= before + TINY:
            break
    return cuts


def _with_others_fixed(
    documents: Sequence[Document], scores: Sequence[Mapping[PlainSpan, float]], cuts: LabelCuts, label: str
) -> tuple[list[Document], list[dict[PlainSpan, float]]]:
    some, own = [], []
    for document, found in zip(documents, scores):
        kept = {
            span: score if span[2] == label else math.inf
            for span, score in found.items()
            if span[2] == label or score >= cuts[span[2]]
        }
        some.append(document.replaced(document.sides[0], [*kept], document.text))
        own.append(kept)
    return some, own
