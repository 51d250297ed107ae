"""The result of `nereval thresholds`: curves, the best cut, and how good the scores themselves are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...about import __version__
from ...core.cuts import Cuts
from ...core.declaration import Metric
from ...core.spans import Document
from ..result import evaluate, plain, totals_on_reading
from ..signature import signature
from .choice import MICRO, OWN, LabelCuts, Wanted, ascended, best_cut, is_exact, micro_cuts, own_cuts, wanted
from .curves import Curves, left_out
from .inputs import Scored, Settings
from .parts import POINTS, finite, of_labels, of_ranking, some
from .ranking import ranked
from .states import ScoredSpans

ALREADY_CUT = 0.5
"""Where every score is at least this, predictions were probably cut before."""


class Found(NamedTuple):
    """What was found on some documents.

    values: the result, in plain Python. cuts: the best cuts; None if no score is defined.
    curves: the scores of all metrics at every cut. documents: the annotated documents.
    """

    values: dict[str, Any]
    cuts: Cuts | None
    curves: Curves
    documents: Sequence[Document]


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
    wish = wanted(settings.best, metrics)
    without = left_out(metrics)
    if wish.metric.name in without:
        raise ValueError(f"best {settings.best}: {wish.metric.name} has no curve: {without[wish.metric.name]}")
    metrics = [metric for metric in metrics if metric.name not in without]
    scored = Scored.of(documents, settings.missing_score)
    if not scored.documents:
        raise ValueError("there are no annotated documents to choose a cut on")
    spans, whole = scored.spans, scored.counts(metrics)
    curves = Curves(spans, metrics)
    ranking = ranked(scored.documents, scored.scores, settings.hit)
    values, cuts = _best(scored, spans, curves, wish, settings)
    floor = float(spans.predicted.min()) if len(spans.predicted) else None
    name = signature(whole, f"best:{wish.name}", *settings.signature)
    chosen = None
    if cuts is not None:
        labels = {label: cuts[label] for label in sorted(cuts) if label} if settings.per_label else {}
        chosen = Cuts(finite(cuts[""]), {label: finite(own) for label, own in labels.items()}, wish.name)
        chosen = Cuts(chosen.default, chosen.labels, wish.name, floor, len(scored.documents), name)
    result: dict[str, Any] = plain(
        {
            "signature": name,
            "version": __version__,
            "documents": whole.documents,
            "skipped": whole.skipped,
            "gold": whole.gold,
            "pred": whole.pred,
            **totals_on_reading(whole),
            "floor": floor,
            "cuts": len(curves.cuts) - 1,
            "best": values,
            "metrics": _of_metrics(curves, metrics),
            "curves": _thinned(curves, metrics, values["cut"]),
            **of_ranking(ranking, whole, settings),
            "per_type": of_labels(scored, curves, whole, chosen, wish, ranking, settings),
            "left_out": without,
            "warnings": _warnings(spans, values),
        }
    )
    return Found(result, chosen, curves, scored.documents)


def _best(
    scored: Scored, spans: ScoredSpans, curves: Curves, wish: Wanted, settings: Settings
) -> tuple[dict[str, Any], LabelCuts | None]:
    """Return the best cut as the result has it, and the cut of each label, the common one under ""."""
    asked = {"score": wish.name, "higher_is_better": wish.score.higher_is_better, "per_label": settings.per_label}
    common = best_cut(curves, wish)
    no_cut = curves.overall(wish.metric)[wish.score.name][-1]
    if common is None:
        reason = f"{wish.name} is undefined at every cut"
        nothing = dict.fromkeys(("cut", "value", "kept", "no_cut", "common", "exact"))
        return {**asked, **nothing, "labels": {}, "reason": reason}, None
    cuts, exact = dict.fromkeys(spans.labels, common[0]), True
    if settings.per_label == OWN:
        cuts = own_cuts(curves, spans, wish, common[0])
    elif settings.per_label == MICRO and is_exact(wish):
        cuts = micro_cuts(spans)
    elif settings.per_label == MICRO:
        starts = [cuts, own_cuts(curves, spans, wish, common[0])]
        found = [ascended(scored.documents, scored.scores, wish, start) for start in starts]
        cuts, exact = max(found, key=lambda each: float(wish.good(_value(scored, each, wish, settings)))), False
    value, kept = common[1], int(curves.kept[curves.place(common[0])])
    if settings.per_label:
        value = _value(scored, cuts, wish, settings)
        kept = sum(score >= cuts[span[2]] for own in scored.scores for span, score in own.items())
    best = {
        **asked,
        "cut": finite(common[0]),
        "value": value,
        "kept": kept,
        "no_cut": no_cut,
        "common": {"cut": finite(common[0]), "value": common[1]},
        "labels": {label: finite(own) for label, own in cuts.items()} if settings.per_label else {},
        "exact": exact,
        "reason": None,
    }
    return best, {**cuts, "": common[0]}


def _value(scored: Scored, cuts: LabelCuts, wish: Wanted, settings: Settings) -> float:
    """Return the value of a score with a cut for each label; NaN if it is undefined."""
    kept = Cuts(None, {label: finite(own) for label, own in cuts.items()})
    found = evaluate(scored.cut(kept, [wish.metric], settings.missing_score))
    value = found["metrics"][wish.metric.name]["scores"][wish.score.name]
    return float("nan") if value is None else float(value)


def _of_metrics(curves: Curves, metrics: Sequence[Metric]) -> dict[str, Any]:
    """Return for each score of each metric its best cut, its value there, and its value without a cut."""
    found: dict[str, Any] = {}
    for metric in metrics:
        overall = curves.overall(metric)
        found[metric.name] = {"settings": metric.settings, "scores": {}}
        for score in metric.scores:
            if score.unit != "count":
                best = best_cut(curves, Wanted(metric, score))
                cut, value = (None, None) if best is None else (finite(best[0]), best[1])
                row = {"cut": cut, "value": value, "no_cut": overall[score.name][-1]}
                found[metric.name]["scores"][score.name] = row
    return found


def _thinned(curves: Curves, metrics: Sequence[Metric], best: float | None) -> dict[str, Any]:
    """Return the curves at no more than `POINTS` cuts, and at the best one."""
    chosen = {*some(len(curves.cuts), POINTS), curves.place(np.inf if best is None else best)}
    places = np.array(sorted(chosen))
    scores = {metric.name: curves.overall(metric) for metric in metrics}
    return {
        "cuts": [finite(cut) for cut in curves.cuts[places].tolist()],
        "kept": curves.kept[places],
        "metrics": {
            metric.name: {s.name: scores[metric.name][s.name][places] for s in metric.scores if s.unit != "count"}
            for metric in metrics
        },
    }


def _warnings(spans: ScoredSpans, best: Mapping[str, Any]) -> list[str]:
    """Return what a reader of the cut has to know about the scores."""
    scores = spans.predicted
    if not len(scores):
        return ["there are no predictions, so there is nothing to cut"]
    lines, floor = [], float(scores.min())
    if floor >= ALREADY_CUT and scores.max() <= 1:
        lines.append(
            f"every score is at least {floor:g}: the predictions are probably already cut; for spancat set "
            "threshold = 0.0 before predicting"
        )
    if best["reason"]:
        lines.append(best["reason"])
    elif floor in (best["cut"], *best["labels"].values()) and len(np.unique(scores)) > 1:
        lines.append(
            f"nothing is known below {floor:g}, the lowest score of the predictions; a cut there keeps all of them, "
            "and a lower one might be better still"
        )
    return lines
