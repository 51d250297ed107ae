"""The result of `nereval thresholds`: the best cut, what it is worth here and elsewhere, how good the scores are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.about import __version__
from ...core.arguments import MICRO, OWN
from ...core.cuts import Cuts, format_cut
from ...core.declaration import Metric, Score
from ...core.messages import spell_argument
from ...core.spans import Document
from ...counting.counter import count
from ...counting.counts import Counts
from ...evaluation.comparison import System, comparison
from ...evaluation.intervals import IntervalBasis
from ...evaluation.resampling import Confidence
from ...evaluation.result import evaluate, make_plain, reading_totals, signature
from ...evaluation.tested import Criterion, curve_scores, find_criterion, label_score
from .curves import Curves, Scored, Settings, finite_cut, left_out
from .cut_choice import LabelCuts, ascended, best_cut, is_exact, micro_cuts, near_best, own_cuts
from .scored_spans import average_precision, calibration, coco_average_precision, risk_coverage

NOTHING_TO_CUT = "there are no predictions, so there is nothing to cut"

ALREADY_CUT = 0.5
"""Where every score is at least this, predictions were probably cut before."""

USUAL = 0.5
"""The cut of spancat and of most classifiers, if none is chosen."""

POINTS, LABEL_POINTS = 400, 100
"""The number of cuts of the curves in a result: of all labels, and of one. `Curves` has every cut."""

NO_CUT, CUT = "no cut", "the cut"
"""The names of the two systems that are compared: all predictions, and those that are kept."""


class Found(NamedTuple):
    """What was found on some documents.

    values: the result, in plain Python. cuts: the best cuts; None if no score is defined.
    here: the documents that they were chosen on. there: those that they were applied to, if they were.
    """

    values: dict[str, Any]
    cuts: Cuts | None
    here: Scored
    there: Scored | None = None

    @property
    def curves(self) -> Curves:
        """The scores of all metrics at every cut."""
        return self.here.curves


def thresholds(
    documents: Iterable[Document | None], metrics: Sequence[Metric], settings: Settings = Settings()
) -> Found:
    """Return the scores of metrics over all cuts, and the best cut.

    A prediction is kept if its score is at least the cut. The cuts are the distinct scores,
    from the highest, after infinity, at which no prediction is kept (None in a result).

    Args:
        documents: Documents with the scores of their predictions; None for one without annotation.
        metrics: What is scored, among them that of `settings.best`.
        settings: What is asked for.

    Returns:
        The result in plain Python, the best cuts, and the curves of all metrics.

    Raises:
        ValueError: A prediction has no usable score, there is no document, or a setting cannot be used.
    """
    settings = settings.checked()
    wish = find_criterion(settings.best, metrics)
    without = left_out(metrics)
    if wish.metric.name in without:
        raise ValueError(
            f"{spell_argument('best', settings.best)}: {wish.metric.name} has no curve: {without[wish.metric.name]}"
        )
    side = Scored.of(documents, [metric for metric in metrics if metric.name not in without], settings)
    if not side.documents:
        raise ValueError("there are no annotated documents to choose a cut on")
    whole, curves = side.counts, side.curves
    name = signature(whole, f"best:{wish.name}", *settings.signature)
    best, cuts = _best(side, wish)
    at_cut: Mapping[str, Any] = {}
    if cuts is not None:
        cuts = Cuts(cuts.default, cuts.labels, wish.name, side.floor, len(side.documents), name)
        at_cut = evaluate(side.cut(cuts, [wish.metric]))["metrics"][wish.metric.name]
        best |= _kept(side, cuts)
        if settings.per_label:
            best["value"] = at_cut["scores"][wish.score.name]
    per_type = _of_labels(side, wish, cuts, at_cut)
    for label, row in per_type.items():
        row["curve"] = _label_curve(curves, wish.metric, label)
    values: dict[str, Any] = make_plain(
        {
            "signature": name,
            "version": __version__,
            **_totals(side, whole),
            "cuts": len(curves.cuts) - 1,
            "best": best,
            "worth": _worth(side, wish, cuts, at_cut, own_best=bool(settings.per_label)),
            "metrics": _of_metrics(side),
            "curves": _thinned(side, best["cut"]),
            **_of_ranking(side),
            "per_type": per_type,
            "left_out": without,
            "warnings": _warnings(side, best),
        }
    )
    return Found(values, cuts, side)


def applied(found: Found, documents: Iterable[Document | None], confidence: Confidence | None = None) -> Found:
    """Return a result with what its cuts are worth on other documents, under "applied"; None if it has no cuts.

    Intervals hold the cuts fixed.

    Args:
        found: The cuts, and what was asked for when they were chosen.
        documents: Other documents with the scores of their predictions; None for one without annotation.
        confidence: The settings of intervals.

    Returns:
        A new result. Its "applied" has "value", "low", "high", "k" and "flag" of the score at the cuts; the same
        in "no_cut" for all predictions; in "gain" how the two differ, with the interval and the
        test of a comparison; in "own_best" the best common cut of these documents, which nobody can
        know before they are annotated, and by how much it is better; "metrics" and "per_type"
        with and without the cuts; what the result has about its own documents, such as "average_precision"
        and "calibration"; "unseen", the labels that have the cut of no label.

    Raises:
        ValueError: A prediction has no usable score, or there is no document.
    """
    cuts, wish = found.cuts, find_criterion(found.here.settings.best, found.here.metrics)
    if cuts is None:
        return found._replace(values=found.values | {"applied": None})
    confidence = (confidence or Confidence()).checked()
    side = Scored.of(documents, found.here.metrics, found.here.settings)
    if not side.documents:
        raise ValueError("there are no annotated documents to apply the cut to")
    kept, whole = side.cut(cuts, side.metrics), count(side.documents, side.metrics)
    whole.skipped = side.skipped
    bounded = evaluate(kept, confidence)
    at_cut, no_cut = bounded["metrics"], evaluate(whole, confidence)["metrics"]
    here, there = at_cut[wish.metric.name], no_cut[wish.metric.name]
    value, best = _value(here, wish.score), best_cut(side.curves, wish)
    own_best: dict[str, Any] = {"cut": None, "value": None, "available": False, "difference": None}
    if best is not None:
        difference = None if value["value"] is None else best[1] - value["value"]
        own_best |= {"cut": best[0], "value": best[1], "difference": difference}
    per_type = _of_labels(side, wish, cuts, here)
    for label, row in per_type.items():
        row |= _bounds(here["intervals"]["per_type"].get(label, {}).get(row["score"]))
    values: dict[str, Any] = make_plain(
        {
            "signature": signature(whole, f"cut:{cuts.digest}", IntervalBasis(**bounded["confidence"]).signature),
            **_totals(side, whole),
            **_kept(side, cuts),
            "score": wish.name,
            **value,
            "no_cut": _value(there, wish.score),
            "gain": _gain(whole, kept, side.documents, wish, confidence),
            "own_best": own_best,
            "worth": _worth(side, wish, cuts, here, own_best=True),
            "metrics": {
                metric.name: {
                    "scores": at_cut[metric.name]["scores"],
                    "counts": at_cut[metric.name]["counts"],
                    "intervals": at_cut[metric.name]["intervals"]["scores"],
                    "no_cut": no_cut[metric.name]["scores"],
                }
                for metric in side.metrics
            },
            **_of_ranking(side),
            "per_type": per_type,
            "unseen": sorted({*per_type} - {*found.values["per_type"]}),
            "confidence": bounded["confidence"],
            "warnings": _warnings_elsewhere(cuts, side.floor),
        }
    )
    return found._replace(values=found.values | {"applied": values}, there=side)


# What is known about any documents


def _totals(side: Scored, whole: Counts) -> dict[str, Any]:
    """Return what was read."""
    sizes = {"documents": whole.documents, "skipped": whole.skipped, "gold": whole.gold, "pred": whole.pred}
    return {**sizes, **reading_totals(whole), "floor": side.floor}


def _kept(side: Scored, cuts: Cuts) -> dict[str, int]:
    """Return how many predictions are kept, and how many of these are hits."""
    kept = side.kept(cuts)
    return {"kept": int(kept.sum()), "hits": int(side.ranking.hit[kept].sum())}


def _worth(
    side: Scored, wish: Criterion, cuts: Cuts | None, at_cut: Mapping[str, Any], *, own_best: bool
) -> dict[str, dict[str, Any]]:
    """Return the scores at the cuts, and at common cuts beside them: the usual one, none, and the best one here.

    Args:
        side: The documents.
        wish: The score that the cuts are best for.
        cuts: The cuts; None if there are none.
        at_cut: The scores at the cuts.
        own_best: Whether the best common cut of these documents is another one.
    """
    if cuts is None:
        return {}
    chosen = {"kept": int(side.kept(cuts).sum()), "scores": at_cut["scores"]}
    found = {"chosen": chosen if cuts.labels else {"cut": cuts.default, **chosen}}
    scores = side.ranking.score
    if len(scores) and 0 <= scores[-1] < USUAL and scores[0] <= 1:
        found["usual"] = _at(side, wish.metric, USUAL)
    found["none"] = _at(side, wish.metric, np.inf if side.floor is None else side.floor)
    if own_best and (best := best_cut(side.curves, wish)):
        found["best"] = _at(side, wish.metric, best[0])
    return found


def _at(side: Scored, metric: Metric, cut: float) -> dict[str, Any]:
    """Return how many predictions a common cut keeps, and the scores of a metric there."""
    place, scores = side.curves.place(cut), side.curves.overall(metric)
    at_cut = {score.name: scores[score.name][place] for score in curve_scores(metric.scores)}
    return {"cut": cut, "kept": side.curves.kept[place], "scores": at_cut}


def _of_ranking(side: Scored) -> dict[str, Any]:
    """Return average precision, calibration and risk at each coverage."""
    scores, hits, gold = side.ranking.score, side.ranking.hit, sum(side.gold.values())
    risk = risk_coverage(scores, hits)
    places = some(len(risk["cuts"]), POINTS) if risk["cuts"] else []
    labels = [_precision(side, label) for label, number in side.gold.items() if number]
    return {
        "average_precision": {
            "hit": side.settings.hit,
            "ap": average_precision(scores, hits, gold),
            "coco": coco_average_precision(hits, gold),
            "map": float(np.mean([row["ap"] for row in labels])) if labels else None,
            "map_coco": float(np.mean([row["coco"] for row in labels])) if labels else None,
            "reason": None if gold else "there are no gold spans",
        },
        "calibration": calibration(scores, hits, side.settings.bins, side.settings.bin_kind),
        "risk_coverage": {key: value if key == "aurc" else [value[k] for k in places] for key, value in risk.items()},
    }


def _precision(side: Scored, label: str) -> dict[str, float | None]:
    own, gold = side.ranking.of_label(label), side.gold.get(label, 0)
    return {"ap": average_precision(own.score, own.hit, gold), "coco": coco_average_precision(own.hit, gold)}


def _of_labels(side: Scored, wish: Criterion, cuts: Cuts | None, at_cut: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row per label: spans, its cut, its scores with and without the cut, average precision.

    Args:
        side: The documents.
        wish: The score that the cuts are best for.
        cuts: The cuts; None if there are none.
        at_cut: The scores of its metric at the cuts.
    """
    name = label_score(wish.metric, wish.score.name).name
    kept = side.ranking.label[side.kept(cuts)] if cuts else side.ranking.label[:0]
    found = {}
    for label in sorted(side.curves.labels):
        scores = at_cut.get("per_type", {}).get(label, {}).get("scores", {})
        found[label] = {
            "gold": side.gold.get(label, 0),
            "pred": side.pred.get(label, 0),
            "kept": int(np.sum(kept == label)),
            "cut": cuts.labels.get(label, cuts.default) if cuts else None,
            "score": name,
            "value": scores.get(name),
            "scores": {score.name: scores.get(score.name) for score in curve_scores(wish.metric.label_scores)},
            "no_cut": side.curves.of_label(wish.metric, label).scores[name][-1],
            **_precision(side, label),
        }
    return found


def some(number: int, most: int) -> list[int]:
    """Return up to so many of the numbers below a number, the first and the last among them.

    >>> some(3, 5), some(9, 3)
    ([0, 1, 2], [0, 4, 8])
    """
    return sorted({int(place) for place in np.linspace(0, number - 1, min(number, most))})


# Where cuts are chosen


def _best(side: Scored, wish: Criterion) -> tuple[dict[str, Any], Cuts | None]:
    """Return the best cut as the result has it, and the cuts."""
    common, per_label = best_cut(side.curves, wish), side.settings.per_label
    best: dict[str, Any] = dict.fromkeys(("cut", "value", "kept", "hits", "no_cut", "common", "near", "exact"))
    best |= {"score": wish.name, "higher_is_better": wish.score.higher_is_better, "per_label": per_label}
    best |= {"labels": {}, "reason": None}
    if common is None:
        return best | {"reason": f"{wish.name} is undefined at every cut"}, None
    labels, exact = _label_cuts(side, wish, common[0]) if per_label else ({}, True)
    cuts = _cuts(labels, common[0])
    best |= {"cut": cuts.default, "value": common[1], "no_cut": side.curves.overall(wish.metric)[wish.score.name][-1]}
    best |= {"common": {"cut": cuts.default, "value": common[1]}, "near": near_best(side.curves, wish)}
    return best | {"labels": dict(cuts.labels), "exact": exact}, cuts


def _cuts(labels: LabelCuts, common: float) -> Cuts:
    return Cuts(finite_cut(common), {label: finite_cut(labels[label]) for label in sorted(labels)})


def _label_cuts(side: Scored, wish: Criterion, common: float) -> tuple[LabelCuts, bool]:
    """Return the cut of each label, and whether no other cuts are better."""
    own = own_cuts(side.curves, side.spans, wish, common)
    if side.settings.per_label == OWN:
        return own, True
    assert side.settings.per_label == MICRO
    if is_exact(wish):
        return micro_cuts(side.spans), True
    starts = [dict.fromkeys(side.spans.labels, common), own]
    found = [ascended(side.documents, side.scores, wish, start) for start in starts]

    def value(cuts: LabelCuts) -> float:
        own = evaluate(side.cut(_cuts(cuts, np.inf), [wish.metric]))["metrics"][wish.metric.name]["scores"]
        return float(wish.orient(np.nan if own[wish.score.name] is None else own[wish.score.name]))

    return max(found, key=value), False


def _label_curve(curves: Curves, metric: Metric, label: str) -> dict[str, Any]:
    """Return the scores of a label at no more than `LABEL_POINTS` cuts."""
    curve = curves.of_label(metric, label)
    places = some(len(curve.at), LABEL_POINTS)
    at: NDArray[np.int64] = curve.at[places]
    scores = {score.name: curve.scores[score.name][places] for score in curve_scores(metric.label_scores)}
    return {"cuts": curves.cuts[at], "scores": scores}


def _of_metrics(side: Scored) -> dict[str, Any]:
    """Return for each score of each metric its best cut, its value there, and its value without a cut."""
    found: dict[str, Any] = {}
    for metric in side.metrics:
        overall = side.curves.overall(metric)
        found[metric.name] = {"settings": metric.settings, "scores": {}}
        for score in curve_scores(metric.scores):
            cut, value = best_cut(side.curves, Criterion(metric, score)) or (None, None)
            row = {"cut": cut, "value": value, "no_cut": overall[score.name][-1]}
            found[metric.name]["scores"][score.name] = row
    return found


def _thinned(side: Scored, best: float | None) -> dict[str, Any]:
    """Return the curves at no more than `POINTS` cuts, and at the best one."""
    curves = side.curves
    places = sorted({*some(len(curves.cuts), POINTS), curves.place(np.inf if best is None else best)})
    scores = {metric.name: curves.overall(metric) for metric in side.metrics}
    return {
        "cuts": curves.cuts[places],
        "kept": curves.kept[places],
        "metrics": {
            metric.name: {score.name: scores[metric.name][score.name][places] for score in curve_scores(metric.scores)}
            for metric in side.metrics
        },
    }


def _warnings(side: Scored, best: Mapping[str, Any]) -> list[str]:
    """Return what a reader of the cut has to know about the scores."""
    if side.floor is None:
        return [NOTHING_TO_CUT]
    lines, scores = [], side.ranking.score
    if side.floor >= ALREADY_CUT and scores[0] <= 1:
        lines.append(
            f"every score is at least {format_cut(side.floor)}: the predictions are probably already cut; for spancat "
            "set threshold = 0.0 before predicting"
        )
    if not best["reason"] and side.floor in (best["cut"], *best["labels"].values()) and scores[0] > side.floor:
        lines.append(
            f"nothing is known below {format_cut(side.floor)}, the lowest score of the predictions; a cut there keeps "
            "all of them, and a lower one might be better still"
        )
    return lines


# Where cuts are applied


def _bounds(found: Mapping[str, Any] | None) -> dict[str, Any]:
    return {key: (found or {}).get(key) for key in ("low", "high", "k", "flag")}


def _value(own: Mapping[str, Any], score: Score) -> dict[str, Any]:
    """Return the score of a result with its interval."""
    return {"value": own["scores"][score.name], **_bounds(own["intervals"]["scores"].get(score.name))}


def _gain(
    whole: Counts, kept: Counts, documents: Sequence[Document], wish: Criterion, confidence: Confidence
) -> dict[str, Any] | None:
    """Return by how much the cuts are better than none: a row of a comparison. None if it cannot be tested."""
    alone = [wish.metric]
    systems = [System(NO_CUT, whole.of(alone)), System(CUT, kept.of(alone))]
    try:
        found = comparison(systems, documents, confidence, primary=wish.name, secondary=[])
    except ValueError:  # such as a score that is the complement of another one, which can be tested
        return None
    row = next(row for row in found["comparisons"] if row["score"] == wish.score.name)
    low, high = row["interval"]
    tested = {key: row[key] for key in ("difference", "p", "differing", "flag", "verdict")}
    return {**tested, "low": low, "high": high}


def _warnings_elsewhere(cuts: Cuts, floor: float | None) -> list[str]:
    """Return what a reader has to know about the scores of other predictions."""
    if floor is None:
        return [NOTHING_TO_CUT]
    lowest = min((cut for cut in (cuts.default, *cuts.labels.values()) if cut is not None), default=None)
    if lowest is not None and lowest < floor and cuts.floor is not None and cuts.floor < floor:
        return [
            f"the cut {format_cut(lowest)} is below {format_cut(floor)}, the lowest score of these predictions: they "
            "were cut before, so the cut cannot be measured on them"
        ]
    return []
