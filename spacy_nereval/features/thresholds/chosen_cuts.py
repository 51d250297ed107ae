"""The result of `thresholds`: the best cut, scores at it on these and on other documents, ranking and calibration."""

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
from .curves import Curves, ScoredDocuments, Settings, finite_cut, metrics_without_curve
from .cut_choice import LabelCuts, best_cut, coordinate_ascent, cuts_per_label, is_exact, micro_cuts, near_best_range
from .scored_spans import average_precision, calibration, coco_average_precision, risk_coverage

NOTHING_TO_CUT = "there are no predictions, so no threshold applies"

ALREADY_CUT = 0.5
"""If every score is at least this, predictions were probably cut before."""

USUAL = 0.5
"""The default cut of spancat and of most classifiers."""

POINTS, LABEL_POINTS = 400, 100
"""Maximum number of cuts of a curve in a result: of all labels together, and of one label. `Curves` has every cut."""

NO_CUT, CUT = "no threshold", "the threshold"
"""The names of the two systems in comparisons: all predictions, and the kept ones."""


class CutResult(NamedTuple):
    """The result with its documents.

    values: the result, in plain Python. cuts: the best cuts; None if the score is undefined. chosen_on: the documents
    on which the cuts were chosen. applied_to: the documents to which they were applied; None for none.
    """

    values: dict[str, Any]
    cuts: Cuts | None
    chosen_on: ScoredDocuments
    applied_to: ScoredDocuments | None = None

    @property
    def curves(self) -> Curves:
        """The scores of all metrics at every cut."""
        return self.chosen_on.curves


def find_thresholds(
    documents: Iterable[Document | None], metrics: Sequence[Metric], settings: Settings = Settings()
) -> CutResult:
    """Find the best cut, and compute the scores of metrics at every cut.

    A prediction is kept if its score is at least the cut. The cuts are infinity (None in a result), which keeps no
    prediction, then the distinct scores of predictions, from the highest.

    Args:
        documents: Documents with the scores of their predictions; None for one without annotation.
        metrics: The metrics, among them that of `settings.best`.
        settings: The settings.

    Raises:
        ValueError: A prediction has no usable score, there is no document, or a setting cannot be used.
    """
    settings = settings.validate()
    wish = find_criterion(settings.best, metrics)
    without = metrics_without_curve(metrics)
    if wish.metric.name in without:
        raise ValueError(
            f"{spell_argument('best', settings.best)}: {wish.metric.name} has no curve: {without[wish.metric.name]}"
        )
    side = ScoredDocuments.create(documents, [metric for metric in metrics if metric.name not in without], settings)
    if not side.documents:
        raise ValueError("there are no annotated documents to tune a threshold on")
    whole, curves = side.counts, side.curves
    name = signature(whole, f"best:{wish.name}", *settings.signature)
    best, cuts = _best_cuts(side, wish)
    at_cut: Mapping[str, Any] = {}
    if cuts is not None:
        cuts = Cuts(cuts.default, cuts.labels, wish.name, side.floor, len(side.documents), name)
        at_cut = evaluate(side.cut_counts(cuts, [wish.metric]))["metrics"][wish.metric.name]
        best |= _count_kept(side, cuts)
        if settings.per_label:
            best["value"] = at_cut["scores"][wish.score.name]
    per_type = _label_rows(side, wish, cuts, at_cut)
    for label, row in per_type.items():
        row["curve"] = _label_curve(curves, wish.metric, label)
    values: dict[str, Any] = make_plain(
        {
            "signature": name,
            "version": __version__,
            **_totals(side, whole),
            "cuts": len(curves.cuts) - 1,
            "best": best,
            "worth": _compare_cuts(side, wish, cuts, at_cut, own_best=bool(settings.per_label)),
            "metrics": _metric_rows(side),
            "curves": _thin_curves(side, best["cut"]),
            **_ranking_result(side),
            "per_type": per_type,
            "left_out": without,
            "warnings": _warnings(side, best),
        }
    )
    return CutResult(values, cuts, side)


def measure_cuts(
    result: CutResult, documents: Iterable[Document | None], confidence: Confidence | None = None
) -> CutResult:
    """Return a result with the scores at its cuts on other documents, under "applied"; None there if it has no cuts.

    Intervals treat the cuts as fixed.

    Args:
        result: The result with the cuts to apply, its metrics and settings.
        documents: Other documents with the scores of their predictions; None for one without annotation.
        confidence: The settings of intervals.

    Returns:
        A new result. Its "applied" has:

        - "value", "low", "high", "k" and "flag" of the score at the cuts; "no_cut": the same for all predictions;
        - "gain": the difference of the two, with the interval and the test of a comparison;
        - "own_best": the best common cut of these documents, which is not known in practice, and how much better it is;
        - "metrics" and "per_type": scores with and without the cuts;
        - "unseen": the labels that have no cut of their own because they did not occur where the cuts were chosen;
        - fields that the result has for the documents of the choice too, such as "average_precision", "calibration".

    Raises:
        ValueError: A prediction has no usable score, or there is no document.
    """
    cuts, wish = result.cuts, find_criterion(result.chosen_on.settings.best, result.chosen_on.metrics)
    if cuts is None:
        return result._replace(values=result.values | {"applied": None})
    confidence = (confidence or Confidence()).checked()
    side = ScoredDocuments.create(documents, result.chosen_on.metrics, result.chosen_on.settings)
    if not side.documents:
        raise ValueError("there are no annotated documents to apply the threshold to")
    cut_counts, whole = side.cut_counts(cuts, side.metrics), count(side.documents, side.metrics)
    whole.skipped = side.skipped
    cut_result = evaluate(cut_counts, confidence)
    at_cut, no_cut = cut_result["metrics"], evaluate(whole, confidence)["metrics"]
    at_cut_result, no_cut_result = at_cut[wish.metric.name], no_cut[wish.metric.name]
    value, best = _value_with_interval(at_cut_result, wish.score), best_cut(side.curves, wish)
    own_best: dict[str, Any] = {"cut": None, "value": None, "available": False, "difference": None}
    if best is not None:
        difference = None if value["value"] is None else best[1] - value["value"]
        own_best |= {"cut": best[0], "value": best[1], "difference": difference}
    per_type = _label_rows(side, wish, cuts, at_cut_result)
    for label, row in per_type.items():
        row |= _interval_fields(at_cut_result["intervals"]["per_type"].get(label, {}).get(row["score"]))
    values: dict[str, Any] = make_plain(
        {
            "signature": signature(whole, f"cut:{cuts.digest}", IntervalBasis(**cut_result["confidence"]).signature),
            **_totals(side, whole),
            **_count_kept(side, cuts),
            "score": wish.name,
            **value,
            "no_cut": _value_with_interval(no_cut_result, wish.score),
            "gain": _gain(whole, cut_counts, side.documents, wish, confidence),
            "own_best": own_best,
            "worth": _compare_cuts(side, wish, cuts, at_cut_result, own_best=True),
            "metrics": {
                metric.name: {
                    "scores": at_cut[metric.name]["scores"],
                    "counts": at_cut[metric.name]["counts"],
                    "intervals": at_cut[metric.name]["intervals"]["scores"],
                    "no_cut": no_cut[metric.name]["scores"],
                }
                for metric in side.metrics
            },
            **_ranking_result(side),
            "per_type": per_type,
            "unseen": sorted({*per_type} - {*result.values["per_type"]}),
            "confidence": cut_result["confidence"],
            "warnings": _warnings_on_other_documents(cuts, side.floor),
        }
    )
    return result._replace(values=result.values | {"applied": values}, applied_to=side)


# Parts of the result on any documents


def _totals(side: ScoredDocuments, whole: Counts) -> dict[str, Any]:
    """Return the numbers of documents and spans, and the changes on reading."""
    sizes = {"documents": whole.documents, "skipped": whole.skipped, "gold": whole.gold, "pred": whole.pred}
    return {**sizes, **reading_totals(whole), "floor": side.floor}


def _count_kept(side: ScoredDocuments, cuts: Cuts) -> dict[str, int]:
    """Return the number of predictions that are kept, and the number of hits among them."""
    is_kept = side.is_kept(cuts)
    return {"kept": int(is_kept.sum()), "hits": int(side.ranking.hit[is_kept].sum())}


def _compare_cuts(
    side: ScoredDocuments, wish: Criterion, cuts: Cuts | None, at_cut: Mapping[str, Any], *, own_best: bool
) -> dict[str, dict[str, Any]]:
    """Return the scores at the cuts and, for comparison, at common cuts: the default, no cut, and the best one here.

    Args:
        side: The documents.
        wish: The score by which cuts are chosen.
        cuts: The cuts; None for none.
        at_cut: The scores at the cuts.
        own_best: Whether to add the best common cut of these documents.
    """
    if cuts is None:
        return {}
    chosen = {"kept": int(side.is_kept(cuts).sum()), "scores": at_cut["scores"]}
    rows = {"chosen": chosen if cuts.labels else {"cut": cuts.default, **chosen}}
    scores = side.ranking.score
    if len(scores) and 0 <= scores[-1] < USUAL and scores[0] <= 1:
        rows["usual"] = _common_cut_row(side, wish.metric, USUAL)
    rows["none"] = _common_cut_row(side, wish.metric, np.inf if side.floor is None else side.floor)
    if own_best and (best := best_cut(side.curves, wish)):
        rows["best"] = _common_cut_row(side, wish.metric, best[0])
    return rows


def _common_cut_row(side: ScoredDocuments, metric: Metric, cut: float) -> dict[str, Any]:
    """Return the number of predictions that a common cut keeps, and the scores of a metric there."""
    place, scores = side.curves.place(cut), side.curves.overall(metric)
    at_cut = {score.name: scores[score.name][place] for score in curve_scores(metric.scores)}
    return {"cut": cut, "kept": side.curves.kept[place], "scores": at_cut}


def _ranking_result(side: ScoredDocuments) -> dict[str, Any]:
    """Return average precision, calibration, and risk over coverage."""
    scores, hits, gold = side.ranking.score, side.ranking.hit, sum(side.gold_counts.values())
    risk = risk_coverage(scores, hits)
    places = spread_indices(len(risk["cuts"]), POINTS) if risk["cuts"] else []
    labels = [_label_precision(side, label) for label, number in side.gold_counts.items() if number]
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


def _label_precision(side: ScoredDocuments, label: str) -> dict[str, float | None]:
    ranking, gold = side.ranking.select_label(label), side.gold_counts.get(label, 0)
    ap = average_precision(ranking.score, ranking.hit, gold)
    return {"ap": ap, "coco": coco_average_precision(ranking.hit, gold)}


def _label_rows(side: ScoredDocuments, wish: Criterion, cuts: Cuts | None, at_cut: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row per label: numbers of spans, cut, scores with and without the cut, average precision.

    Args:
        side: The documents.
        wish: The score by which cuts are chosen.
        cuts: The cuts; None for none.
        at_cut: The scores of its metric at the cuts.
    """
    name = label_score(wish.metric, wish.score.name).name
    kept_labels = side.ranking.label[side.is_kept(cuts)] if cuts else side.ranking.label[:0]
    rows = {}
    for label in sorted(side.curves.labels):
        scores = at_cut.get("per_type", {}).get(label, {}).get("scores", {})
        rows[label] = {
            "gold": side.gold_counts.get(label, 0),
            "pred": side.pred_counts.get(label, 0),
            "kept": int(np.sum(kept_labels == label)),
            "cut": cuts.labels.get(label, cuts.default) if cuts else None,
            "score": name,
            "value": scores.get(name),
            "scores": {score.name: scores.get(score.name) for score in curve_scores(wish.metric.label_scores)},
            "no_cut": side.curves.label_curve(wish.metric, label).scores[name][-1],
            **_label_precision(side, label),
        }
    return rows


def spread_indices(number: int, most: int) -> list[int]:
    """Return up to `most` evenly spread indices below `number`, with the first and the last.

    >>> spread_indices(3, 5), spread_indices(9, 3)
    ([0, 1, 2], [0, 4, 8])
    """
    return sorted({int(place) for place in np.linspace(0, number - 1, min(number, most))})


# Parts of the result on the documents on which cuts are chosen


def _best_cuts(side: ScoredDocuments, wish: Criterion) -> tuple[dict[str, Any], Cuts | None]:
    """Return the part "best" of the result, and the cuts."""
    common, per_label = best_cut(side.curves, wish), side.settings.per_label
    best: dict[str, Any] = dict.fromkeys(("cut", "value", "kept", "hits", "no_cut", "common", "near", "exact"))
    best |= {"score": wish.name, "higher_is_better": wish.score.higher_is_better, "per_label": per_label}
    best |= {"labels": {}, "reason": None}
    if common is None:
        return best | {"reason": f"{wish.name} is undefined at every threshold"}, None
    labels, exact = _label_cuts(side, wish, common[0]) if per_label else ({}, True)
    cuts = _cuts(labels, common[0])
    best |= {"cut": cuts.default, "value": common[1], "no_cut": side.curves.overall(wish.metric)[wish.score.name][-1]}
    best |= {"common": {"cut": cuts.default, "value": common[1]}, "near": near_best_range(side.curves, wish)}
    return best | {"labels": dict(cuts.labels), "exact": exact}, cuts


def _cuts(labels: LabelCuts, common: float) -> Cuts:
    return Cuts(finite_cut(common), {label: finite_cut(labels[label]) for label in sorted(labels)})


def _label_cuts(side: ScoredDocuments, wish: Criterion, common: float) -> tuple[LabelCuts, bool]:
    """Return the cut of each label, and whether these cuts are proven to be the best."""
    per_label = cuts_per_label(side.curves, side.spans, wish, common)
    if side.settings.per_label == OWN:
        return per_label, True
    assert side.settings.per_label == MICRO
    if is_exact(wish):
        return micro_cuts(side.spans), True
    starts = [dict.fromkeys(side.spans.labels, common), per_label]
    candidates = [coordinate_ascent(side.documents, side.scores, wish, start) for start in starts]

    def value(cuts: LabelCuts) -> float:
        per_label = evaluate(side.cut_counts(_cuts(cuts, np.inf), [wish.metric]))["metrics"][wish.metric.name]["scores"]
        return float(wish.orient(np.nan if per_label[wish.score.name] is None else per_label[wish.score.name]))

    return max(candidates, key=value), False


def _label_curve(curves: Curves, metric: Metric, label: str) -> dict[str, Any]:
    """Return the scores of a label at up to `LABEL_POINTS` cuts."""
    curve = curves.label_curve(metric, label)
    places = spread_indices(len(curve.at), LABEL_POINTS)
    at: NDArray[np.int64] = curve.at[places]
    scores = {score.name: curve.scores[score.name][places] for score in curve_scores(metric.label_scores)}
    return {"cuts": curves.cuts[at], "scores": scores}


def _metric_rows(side: ScoredDocuments) -> dict[str, Any]:
    """Return, for each score of each metric, its best cut and its value with and without this cut."""
    rows: dict[str, Any] = {}
    for metric in side.metrics:
        overall = side.curves.overall(metric)
        rows[metric.name] = {"settings": metric.settings, "scores": {}}
        for score in curve_scores(metric.scores):
            cut, value = best_cut(side.curves, Criterion(metric, score)) or (None, None)
            row = {"cut": cut, "value": value, "no_cut": overall[score.name][-1]}
            rows[metric.name]["scores"][score.name] = row
    return rows


def _thin_curves(side: ScoredDocuments, best: float | None) -> dict[str, Any]:
    """Return the curves at up to `POINTS` cuts, and at the best cut."""
    curves = side.curves
    places = sorted({*spread_indices(len(curves.cuts), POINTS), curves.place(np.inf if best is None else best)})
    scores = {metric.name: curves.overall(metric) for metric in side.metrics}
    return {
        "cuts": curves.cuts[places],
        "kept": curves.kept[places],
        "metrics": {
            metric.name: {score.name: scores[metric.name][score.name][places] for score in curve_scores(metric.scores)}
            for metric in side.metrics
        },
    }


def _warnings(side: ScoredDocuments, best: Mapping[str, Any]) -> list[str]:
    """Return warnings about the scores of the predictions."""
    if side.floor is None:
        return [NOTHING_TO_CUT]
    lines, scores = [], side.ranking.score
    if side.floor >= ALREADY_CUT and scores[0] <= 1:
        lines.append(
            f"every score is at least {format_cut(side.floor)}: the predictions were probably filtered before; for "
            "spancat "
            "set threshold = 0.0 before predicting"
        )
    if not best["reason"] and side.floor in (best["cut"], *best["labels"].values()) and scores[0] > side.floor:
        lines.append(
            f"the best threshold may be below {format_cut(side.floor)}, the lowest score of the predictions, which "
            "keeps "
            "all of them"
        )
    return lines


# Parts of the result on other documents, to which the cuts are applied


def _interval_fields(interval: Mapping[str, Any] | None) -> dict[str, Any]:
    return {key: (interval or {}).get(key) for key in ("low", "high", "k", "flag")}


def _value_with_interval(metric_result: Mapping[str, Any], score: Score) -> dict[str, Any]:
    """Return the score of a result with its interval."""
    interval = metric_result["intervals"]["scores"].get(score.name)
    return {"value": metric_result["scores"][score.name], **_interval_fields(interval)}


def _gain(
    whole: Counts, cut_counts: Counts, documents: Sequence[Document], wish: Criterion, confidence: Confidence
) -> dict[str, Any] | None:
    """Return the gain of the cuts over no cut, with its interval and test; None if it cannot be tested."""
    alone = [wish.metric]
    systems = [System(NO_CUT, whole.of(alone)), System(CUT, cut_counts.of(alone))]
    try:
        result = comparison(systems, documents, confidence, primary=wish.name, secondary=[])
    except ValueError:  # such as a score that is the complement of another score
        return None
    row = next(row for row in result["comparisons"] if row["score"] == wish.score.name)
    low, high = row["interval"]
    tested = {key: row[key] for key in ("difference", "p", "differing", "flag", "verdict")}
    return {**tested, "low": low, "high": high}


def _warnings_on_other_documents(cuts: Cuts, floor: float | None) -> list[str]:
    """Return warnings about the scores of other predictions."""
    if floor is None:
        return [NOTHING_TO_CUT]
    lowest = min((cut for cut in (cuts.default, *cuts.labels.values()) if cut is not None), default=None)
    if lowest is not None and lowest < floor and cuts.floor is not None and cuts.floor < floor:
        return [
            f"the threshold {format_cut(lowest)} is below {format_cut(floor)}, the lowest score of these predictions: "
            "they were filtered before, so the threshold cannot be measured on them"
        ]
    return []
