"""The parts of a result: how well scores rank, and a row per label."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.cuts import Cuts
from ...counting.counts import Counts
from ..result import evaluate, gold_spans, pred_spans
from ..tested import label_score
from .calibration import calibration
from .choice import Wanted
from .curves import Curve, Curves
from .inputs import Scored, Settings
from .ranking import Ranked, average_precision, coco_average_precision, risk_coverage

POINTS, LABEL_POINTS = 400, 100
"""The number of cuts of the curves in a result: of all labels, and of one. `Curves` has every cut."""


def finite(cut: float) -> float | None:
    """Return a cut as a result has it: None for infinity, at which nothing is kept."""
    return cut if np.isfinite(cut) else None


def some(number: int, most: int) -> list[int]:
    """Return up to so many of the numbers below a number, the first and the last among them.

    >>> some(3, 5), some(9, 3)
    ([0, 1, 2], [0, 4, 8])
    """
    return sorted({int(place) for place in np.linspace(0, number - 1, min(number, most))})


def of_ranking(ranking: Ranked, counts: Counts, settings: Settings) -> dict[str, Any]:
    """Return average precision, calibration and risk at each coverage."""
    scores, hits = ranking.score, ranking.hit
    risk = risk_coverage(scores, hits)
    places = some(len(risk["cuts"]), POINTS) if risk["cuts"] else []
    labels = [_precision(ranking, number, label) for label, number in gold_spans(counts).items() if number]
    return {
        "average_precision": {
            "hit": settings.hit,
            "ap": average_precision(scores, hits, counts.gold),
            "coco": coco_average_precision(hits, counts.gold),
            "map": float(np.mean([row["ap"] for row in labels])) if labels else None,
            "map_coco": float(np.mean([row["coco"] for row in labels])) if labels else None,
            "reason": None if counts.gold else "there are no gold spans",
        },
        "calibration": calibration(scores, hits, settings.bins, settings.bin_kind),
        "risk_coverage": {key: value if key == "aurc" else [value[k] for k in places] for key, value in risk.items()},
    }


def _precision(ranking: Ranked, gold: int, label: str) -> dict[str, float | None]:
    own = ranking.of_label(label)
    return {"ap": average_precision(own.score, own.hit, gold), "coco": coco_average_precision(own.hit, gold)}


def of_labels(
    scored: Scored,
    curves: Curves,
    whole: Counts,
    cuts: Cuts | None,
    wish: Wanted,
    ranking: Ranked,
    settings: Settings,
) -> dict[str, Any]:
    """Return a row per label: spans, its cut, its score with and without the cut, average precision, curves.

    Args:
        scored: The documents with the scores of their predictions.
        curves: The scores of metrics at each cut.
        whole: The counts of all predictions.
        cuts: The best cuts; None if there are none.
        wish: The score that they are best for.
        ranking: All predictions from the highest score.
        settings: How hits and calibration are computed.
    """
    name = label_score(wish.metric, wish.score.name).name
    gold, pred = gold_spans(whole), pred_spans(whole)
    kept: Mapping[str, Any] = {}
    if cuts is not None and cuts.labels:
        at_cuts = evaluate(scored.cut(cuts, [wish.metric], settings.missing_score))
        kept = at_cuts["metrics"][wish.metric.name]["per_type"]
    found = {}
    for label in curves.labels:
        curve = curves.of_label(wish.metric, label)
        places = some(len(curve.at), LABEL_POINTS)
        at: NDArray[np.int64] = curve.at[places]
        found[label] = {
            "gold": gold.get(label, 0),
            "pred": pred.get(label, 0),
            "cut": None if cuts is None else cuts.labels.get(label, cuts.default),
            "score": name,
            "value": kept[label]["scores"][name] if label in kept else _at(curves, curve, name, cuts),
            "no_cut": np.asarray(curve.scores[name])[-1],
            **_precision(ranking, gold.get(label, 0), label),
            "curve": {
                "cuts": [finite(cut) for cut in curves.cuts[at].tolist()],
                "scores": {
                    score.name: np.asarray(curve.scores[score.name], dtype=float)[places]
                    for score in wish.metric.label_scores
                    if score.unit != "count"
                },
            },
        }
    return found


def _at(curves: Curves, curve: Curve, name: str, cuts: Cuts | None) -> float | None:
    """Return the score of a label at a common cut."""
    if cuts is None or cuts.labels:
        return None
    place = curves.place(math.inf if cuts.default is None else cuts.default)
    return float(np.asarray(curve.scores[name])[np.searchsorted(curve.at, place, side="right") - 1])
