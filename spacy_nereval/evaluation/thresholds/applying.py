"""What a cut is worth on other documents, with intervals that hold the cut fixed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...core.cuts import Cuts
from ...core.declaration import Metric
from ...core.spans import Document
from ...counting.counter import count
from ...counting.counts import Counts
from ..comparison import System, comparison
from ..intervals import Confidence, Drawn
from ..result import evaluate, gold_spans, plain, pred_spans
from ..signature import signature
from ..tested import label_score
from .choice import Wanted, best_cut, wanted
from .curves import Curves, left_out
from .inputs import Scored, Settings
from .parts import finite

NO_CUT, CUT = "no cut", "the cut"
"""The names of the two systems that are compared: all predictions, and those that are kept."""


def applied(
    documents: Iterable[Document | None],
    metrics: Sequence[Metric],
    cuts: Cuts,
    settings: Settings = Settings(),
    confidence: Confidence | None = None,
    known: Iterable[str] = (),
) -> dict[str, Any]:
    """Return the scores of documents at cuts that were chosen on others.

    Args:
        documents: Documents with the scores of their predictions; None for one without annotation.
        metrics: What is scored, among them that of the score that the cuts were chosen by.
        cuts: The cuts.
        settings: What was asked for when they were chosen.
        confidence: The settings of intervals. The cuts stay the same.
        known: The labels of the documents on which the cuts were chosen.

    Returns:
        In plain Python: "value", "low", "high", "k" and "flag" of the score at the cuts; the same in
        "no_cut" for all predictions; in "gain" how the two differ, with the interval and the
        test of a comparison; in "own_best" the best common cut of these documents, which nobody can
        know before they are annotated, and by how much it is better; "metrics" and "per_type"
        with and without the cuts; "unseen", the labels that have the cut of no label.

    Raises:
        ValueError: A prediction has no usable score, or there is no document.
    """
    settings, confidence = settings.checked(), (confidence or Confidence()).checked()
    wish = wanted(settings.best, metrics)
    metrics = [metric for metric in metrics if metric.name not in left_out(metrics)]
    scored = Scored.of(documents, settings.missing_score)
    if not scored.documents:
        raise ValueError("there are no annotated documents to apply the cut to")
    spans = scored.spans
    kept, whole = scored.cut(cuts, metrics, settings.missing_score), count(scored.documents, metrics)
    at_cut, no_cut = evaluate(kept, confidence), evaluate(whole, confidence)
    best = best_cut(Curves(spans, [wish.metric]), wish)
    value = _value(at_cut, wish)
    own_best: dict[str, Any] = {"cut": None, "value": None, "available": False, "difference": None}
    if best is not None:
        difference = None if value["value"] is None else best[1] - value["value"]
        own_best |= {"cut": finite(best[0]), "value": best[1], "difference": difference}
    labels = {*gold_spans(whole), *pred_spans(whole)}
    floor = float(spans.predicted.min()) if len(spans.predicted) else None
    found: dict[str, Any] = plain(
        {
            "signature": signature(whole, f"cut:{cuts.digest}", Drawn(**at_cut["confidence"]).signature),
            "documents": whole.documents,
            "skipped": scored.skipped,
            "gold": whole.gold,
            "pred": whole.pred,
            "kept": kept.pred,
            "floor": floor,
            "score": wish.name,
            **value,
            "no_cut": _value(no_cut, wish),
            "gain": _gain(whole, kept, scored.documents, wish, confidence),
            "own_best": own_best,
            "metrics": {metric.name: _of_metric(metric, at_cut, no_cut) for metric in metrics},
            "per_type": {label: _of_label(label, wish, cuts, whole, kept, at_cut, no_cut) for label in sorted(labels)},
            "unseen": sorted(labels - {*known}) if known else [],
            "confidence": at_cut["confidence"],
            "warnings": _warnings(cuts, floor),
        }
    )
    return found


def _value(result: Mapping[str, Any], wish: Wanted) -> dict[str, Any]:
    """Return the score of a result with its interval."""
    own = result["metrics"][wish.metric.name]
    bounds = own["intervals"]["scores"].get(wish.score.name, {})
    return {"value": own["scores"][wish.score.name], **{key: bounds.get(key) for key in ("low", "high", "k", "flag")}}


def _gain(
    whole: Counts, kept: Counts, documents: Sequence[Document], wish: Wanted, confidence: Confidence
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


def _of_metric(metric: Metric, at_cut: Mapping[str, Any], no_cut: Mapping[str, Any]) -> dict[str, Any]:
    own = at_cut["metrics"][metric.name]
    return {
        "scores": own["scores"],
        "counts": own["counts"],
        "intervals": own["intervals"]["scores"],
        "no_cut": no_cut["metrics"][metric.name]["scores"],
    }


def _of_label(
    label: str,
    wish: Wanted,
    cuts: Cuts,
    whole: Counts,
    kept: Counts,
    at_cut: Mapping[str, Any],
    no_cut: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the row of a label."""
    metric, name = wish.metric.name, label_score(wish.metric, wish.score.name).name
    rows = [result["metrics"][metric]["per_type"].get(label, {"scores": {}}) for result in (at_cut, no_cut)]
    bounds = at_cut["metrics"][metric]["intervals"]["per_type"].get(label, {}).get(name, {})
    return {
        "gold": gold_spans(whole).get(label, 0),
        "pred": pred_spans(whole).get(label, 0),
        "kept": pred_spans(kept).get(label, 0),
        "cut": cuts.labels.get(label, cuts.default),
        "score": name,
        "value": rows[0]["scores"].get(name),
        **{key: bounds.get(key) for key in ("low", "high", "k", "flag")},
        "no_cut": rows[1]["scores"].get(name),
    }


def _warnings(cuts: Cuts, floor: float | None) -> list[str]:
    """Return what a reader has to know about the scores of the predictions."""
    if floor is None:
        return ["there are no predictions, so there is nothing to cut"]
    lowest = min((cut for cut in (cuts.default, *cuts.labels.values()) if cut is not None), default=None)
    if lowest is not None and lowest < floor and cuts.floor is not None and cuts.floor < floor:
        return [
            f"the cut {lowest:g} is below {floor:g}, the lowest score of these predictions: they were cut before, "
            "so the cut cannot be measured on them"
        ]
    return []
