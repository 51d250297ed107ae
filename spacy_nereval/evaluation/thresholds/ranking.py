"""How good the scores of predictions are: average precision, risk at a coverage, and calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.arguments import BIN_KIND, BINS, EQUAL, STRICT, check_value
from ...core.messages import named
from ...core.spans import Document, PlainSpan

NO_PREDICTIONS = "there are no predictions"

COCO_POINTS = 101
"""The number of recalls from 0 to 1 at which COCO reads precision."""


class Ranked(NamedTuple):
    """Predictions from the highest score, one element for each: its score, whether it is a hit, and its label."""

    score: NDArray[np.float64]
    hit: NDArray[np.bool_]
    label: NDArray[Any]

    def of_label(self, label: str) -> Ranked:
        """Return the predictions of one label."""
        own = self.label == label
        return Ranked(self.score[own], self.hit[own], self.label[own])


def checked_hit(hit: Any) -> str | float:
    """Return what counts as a hit. Raise ValueError if it is neither "strict" nor an overlap.

    >>> checked_hit("0.5")
    0.5
    >>> checked_hit(0)
    Traceback (most recent call last):
    ValueError: hit=0: expected 'strict', or the least IoU of a hit, above 0 and up to 1
    """
    if hit == STRICT:
        return STRICT
    try:
        least = float(hit)
    except (TypeError, ValueError):
        least = 0.0
    if isinstance(hit, bool) or not 0 < least <= 1:
        raise ValueError(f"{named('hit', hit)}: expected 'strict', or the least IoU of a hit, above 0 and up to 1")
    return least


def ranked(
    documents: Sequence[Document], scores: Sequence[Mapping[PlainSpan, float]], hit: str | float = STRICT
) -> Ranked:
    """Return all predictions from the highest score, and which of them are hits. Ties are in the order of
    start, end and label, misses first, so that the order of documents does not matter.

    Args:
        documents: The documents.
        scores: The score of each prediction, per document.
        hit: "strict": the span is a gold span. Or the least IoU: predictions, from the highest
            score, each take the free gold span of their label with the highest IoU of
            characters that is at least this; of equals the leftmost.

    Returns:
        float64[n], bool[n] and object[n] of all n predictions.

    Source: for an IoU, the rule of COCO (Lin et al. 2014), with characters for pixels.
    """
    rows: list[tuple[float, PlainSpan, bool]] = []
    for document, score_of in zip(documents, scores):
        order = sorted(document.sides[1], key=lambda span: (-score_of[span], span))
        hits = document.hits if hit == STRICT else _overlapping(document, order, float(hit))
        rows += [(-score_of[span], span, span in hits) for span in order]
    rows.sort()
    return Ranked(
        -np.array([score for score, _, _ in rows], dtype=float),
        np.array([is_hit for _, _, is_hit in rows], dtype=bool),
        np.array([span[2] for _, span, _ in rows], dtype=object),
    )


def _overlapping(document: Document, order: Sequence[PlainSpan], least: float) -> set[PlainSpan]:
    """Return the predictions, given from the highest score, that find a free gold span."""
    free: dict[str, list[PlainSpan]] = {}
    for span in sorted(document.sides[0]):
        free.setdefault(span[2], []).append(span)
    hits = set()
    for span in order:
        golds = free.get(span[2], [])
        best = max(golds, key=lambda gold: iou(span, gold), default=None)
        if best is not None and iou(span, best) >= least:
            golds.remove(best)
            hits.add(span)
    return hits


def iou(a: PlainSpan, b: PlainSpan) -> float:
    """Return the characters that two spans share, as a part of those that either has.

    >>> iou((0, 4, "A"), (2, 6, "A")), iou((3, 3, "A"), (3, 3, "A"))
    (0.3333333333333333, 1.0)
    """
    if a[:2] == b[:2]:
        return 1.0
    shared = max(0, min(a[1], b[1]) - max(a[0], b[0]))
    return shared / (a[1] - a[0] + b[1] - b[0] - shared) if shared else 0.0


def average_precision(scores: ArrayLike, hits: ArrayLike, gold: int) -> float | None:
    """Return the average precision: each distinct score's precision, weighted by the recall that it adds.

    Predictions with the same score enter together. Recall is over all gold spans.

    Args:
        scores, hits: Of predictions, float[n] and bool[n].
        gold: The number of gold spans.

    Returns:
        From 0 to 1; None without gold spans, 0 without predictions.

    >>> average_precision([0.9, 0.9, 0.5], [True, False, True], 2)
    0.5833333333333333

    Source: the definition of scikit-learn's `average_precision_score`, with recall over all gold spans.
    """
    if not gold:
        return None
    _, kept, found_gold = cumulative(scores, hits)
    return float(np.sum(np.diff(found_gold, prepend=0) / gold * (found_gold / kept))) if len(kept) else 0.0


def coco_average_precision(hits: ArrayLike, gold: int) -> float | None:
    """Return COCO's average precision: the mean, over 101 recalls, of the best precision at that recall or above.

    Args:
        hits: Of predictions from the highest score, bool[n]. The order of ties matters.
        gold: The number of gold spans.

    Returns:
        From 0 to 1; None without gold spans.

    >>> round(coco_average_precision([True, True, False, True, True, False, False, True], 6), 6)
    0.703218

    Source: COCO (Lin et al. 2014), as pycocotools computes it.
    """
    if not gold:
        return None
    found_gold = np.cumsum(np.asarray(hits, dtype=float))
    precision = found_gold / np.arange(1, len(found_gold) + 1)
    best = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    at = np.searchsorted(found_gold / gold, np.linspace(0, 1, COCO_POINTS))
    return float(best[at].mean())


def cumulative(scores: ArrayLike, hits: ArrayLike) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the distinct scores, from the highest, and how many predictions and hits there are down to each.

    >>> [each.tolist() for each in cumulative([0.5, 0.9, 0.5], [True, True, False])]
    [[0.9, 0.5], [1, 3], [1.0, 2.0]]
    """
    values, flags = np.asarray(scores, dtype=float), np.asarray(hits, dtype=float)
    distinct, place, times = np.unique(-values, return_inverse=True, return_counts=True)
    return -distinct, np.cumsum(times), np.cumsum(np.bincount(place, flags, minlength=len(distinct)))


def risk_coverage(scores: ArrayLike, hits: ArrayLike) -> dict[str, Any]:
    """Return how risk grows with coverage.

    Coverage is the share of predictions that are kept; risk is the share of these that are no hits.

    Args:
        scores, hits: Of predictions, float[n] and bool[n].

    Returns:
        "cuts", "coverage" and "risk", a number per distinct score, and "aurc", the mean over
        predictions of the risk at their own score; None without predictions.

    >>> risk_coverage([0.9, 0.5], [True, False])
    {'cuts': [0.9, 0.5], 'coverage': [0.5, 1.0], 'risk': [0.0, 0.5], 'aurc': 0.25}

    Source: Geifman and El-Yaniv (2017); area: Geifman et al. (2019).
    """
    cuts, kept, number_of_hits = cumulative(scores, hits)
    risk = 1 - number_of_hits / np.maximum(kept, 1)
    number = int(kept[-1]) if len(kept) else 0
    area = float(np.sum(risk * np.diff(kept, prepend=0)) / number) if number else None
    return {
        "cuts": cuts.tolist(),
        "coverage": (kept / max(number, 1)).tolist(),
        "risk": risk.tolist(),
        "aurc": area,
    }


def calibration(scores: ArrayLike, hits: ArrayLike, number: int = 10, bins: str = EQUAL) -> dict[str, Any]:
    """Return the reliability of scores: the share of hits in bins of the score.

    Args:
        scores: Of predictions, float[n].
        hits: Which of them are hits, bool[n].
        number: The number of bins.
        bins: "equal": bins of the same width, [i/M, (i+1)/M), the last one closed. "equal_mass":
            bins with about as many predictions each; predictions with one score are in one bin.

    Returns:
        "bins": a row per bin that has predictions: "low" and "high", "n", "score" (their mean
        score), "hits" (the share of hits), "gap" (hits - score). "ece": the mean gap, signs
        left out, weighted by n. "bias": the same with signs, below 0 where scores are too high.
        "largest_gap": the gap of the bin in which it is largest. "brier": the mean squared
        difference of score and hit. All of these are None, and "reason" says why, if there
        are no predictions or a score is outside of 0 to 1.

    Raises:
        ValueError: There is no such kind of bins, or the number is not above 0.

    >>> found = calibration([0.95, 0.9, 0.9, 0.8, 0.6, 0.6, 0.4, 0.2], [1, 1, 0, 1, 1, 0, 0, 1])
    >>> round(found["ece"], 6), round(found["brier"], 7), found["bins"][0]["n"]
    (0.29375, 0.2728125, 1)

    Source: Guo et al. (2017); Brier (1950).
    """
    check_value("bins", number, BINS)
    check_value("bin_kind", bins, BIN_KIND)
    values, flags = np.asarray(scores, dtype=float), np.asarray(hits, dtype=float)
    reason = None if len(values) else NO_PREDICTIONS
    if outside := values[(values < 0) | (values > 1)].tolist():
        reason = f"the score {outside[0]:g} is not from 0 to 1"
    if reason:
        nothing = dict.fromkeys(("bins", "ece", "bias", "largest_gap", "brier"))
        return {"kind": bins, **nothing, "reason": reason}
    edges = np.arange(number + 1) / number if bins == EQUAL else _edges_of_equal_mass(values, number)
    place = np.searchsorted(edges[:-1], values, side="right") - 1  # the last bin is closed
    size = np.bincount(place, minlength=len(edges) - 1)
    score, hit = (np.bincount(place, each, minlength=len(size)) / np.maximum(size, 1) for each in (values, flags))
    gap = hit - score
    rows = [
        dict(zip(("low", "high", "n", "score", "hits", "gap"), row))
        for row in zip(*(each.tolist() for each in (edges[:-1], edges[1:], size, score, hit, gap)))
        if row[2]
    ]
    return {
        "kind": bins,
        "bins": rows,
        "ece": float(np.sum(size * np.abs(gap)) / len(values)),
        "bias": float(np.sum(size * gap) / len(values)),
        "largest_gap": max((row["gap"] for row in rows), key=abs),
        "brier": float(np.mean((values - flags) ** 2)),
        "reason": None,
    }


def _edges_of_equal_mass(values: NDArray[np.float64], number: int) -> NDArray[np.float64]:
    """Return the edges of bins with about as many values each; no two equal values are divided.

    >>> _edges_of_equal_mass(np.array([0.1, 0.2, 0.2, 0.2, 0.9]), 2).tolist()
    [0.1, 0.2, 0.9]
    >>> _edges_of_equal_mass(np.array([0.1, 0.9, 0.9, 0.9]), 2).tolist()
    [0.1, 0.9, 0.9]
    """
    ordered = np.sort(values)
    starts = ordered[np.arange(number) * len(ordered) // number]
    return np.append(np.unique(starts), ordered[-1])
