"""The lines of the charts on the page of thresholds, thinned out, as its script reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....core.cuts import Cuts
from ....core.declaration import Metric, Score
from ....core.spans import Document
from ....counting.counts import Counts
from ....evaluation.result import gold_spans, pred_spans
from ....evaluation.tested import label_score
from ....evaluation.thresholds.choice import Wanted, best_place
from ....evaluation.thresholds.curves import Curve, Curves
from ....evaluation.thresholds.inputs import Scored, Settings
from ....evaluation.thresholds.parts import some
from ....evaluation.thresholds.ranking import Ranked, cumulative, ranked
from ...declared import spoken

POINTS = 300
"""Maximum number of points of a line."""

BUDGET = 400_000
"""Number of values of all lines of scores together, beyond which lines have fewer points."""

DIGITS = 5

Line = list[float | None]


class Measured(NamedTuple):
    """Documents with scored predictions, and what the page needs to know about them.

    name: what the page calls them. curves: the scores of metrics at every cut. ranking: all predictions from the
    highest score. gold, pred: the number of spans of each label.
    """

    name: str
    scored: Scored
    settings: Settings
    curves: Curves
    ranking: Ranked
    gold: Mapping[str, int]
    pred: Mapping[str, int]

    def kept(self, cuts: Cuts, metric: Metric) -> Counts:
        """Return the counts of the predictions that cuts keep."""
        return self.scored.cut(cuts, [metric], self.settings.missing_score)

    @property
    def floor(self) -> float | None:
        """The lowest score."""
        return float(self.ranking.score[-1]) if len(self.ranking.score) else None


def measured(
    name: str,
    documents: Sequence[Document],
    metrics: Sequence[Metric],
    settings: Settings,
    curves: Curves | None = None,
) -> Measured:
    """Return what the page needs to know about some documents.

    Args:
        name: What the page calls them.
        documents: The annotated documents, with the scores of their predictions.
        metrics: What is scored.
        settings: What was asked for.
        curves: The scores of the metrics at every cut, if they are known.
    """
    scored = Scored.of(documents, settings.missing_score)
    counts = scored.counts(metrics)
    ranking = ranked(scored.documents, scored.scores, settings.hit)
    curves = curves or Curves(scored.spans, metrics)
    return Measured(name, scored, settings, curves, ranking, gold_spans(counts), pred_spans(counts))


def charted_scores(metrics: Sequence[Metric]) -> list[tuple[Metric, str]]:
    """Return every score that has a curve, with its metric."""
    return [(metric, score.name) for metric in metrics for score in metric.scores if score.unit != "count"]


def score_data(metrics: Sequence[Metric]) -> list[dict[str, Any]]:
    """Return how each score with a curve is named, and whether it is shown in percent."""
    return [
        {"title": spoken(metric, name), "ratio": metric.score_by_name[name].unit == "ratio"}
        for metric, name in charted_scores(metrics)
    ]


def lines(side: Measured, labels: Sequence[str], cuts: Cuts | None) -> dict[str, Any]:
    """Return the lines of some documents.

    Args:
        side: The documents.
        labels: The labels, in the order of the page.
        cuts: The cuts that are marked.

    Returns:
        "cuts", and in "curves" for each score the values at these: of all labels together, and of each label; "at"
        has the place of the cut of each of them, None where it is not one cut. "peaks": the best cut of each
        line, None where nothing is kept, and the value there. "recall" and
        "precision", "coverage" and "risk" of all labels together and of each label, and where the cuts are on them.
    """
    curves = side.curves
    scores = charted_scores(curves.metrics)
    most = max(20, min(POINTS, BUDGET // max(1, len(scores) * (1 + len(labels)))))
    everywhere = np.arange(len(curves.cuts))
    overall = {metric.name: Curve(everywhere, curves.overall(metric)) for metric in curves.metrics}
    of_label = {
        (metric.name, label): curves.of_label(metric, label)
        for metric in curves.metrics
        for label in labels
        if label in curves.labels
    }
    of_score: list[list[Curve | None]] = []
    for metric, name in scores:
        score_of_label = label_score(metric, name).name
        known = [of_label.get((metric.name, label)) for label in labels]
        of_score.append(
            [
                overall[metric.name]._replace(scores={"": overall[metric.name].scores[name]}),
                *(curve and curve._replace(scores={"": curve.scores[score_of_label]}) for curve in known),
            ]
        )
    peaks = [
        [curve and _peak(curve, Wanted(*score)) for curve in row] for row, score in zip(of_score, _declared(scores))
    ]
    grid = _grid(curves, most, cuts, {place for row in peaks for place in row[:1] if place is not None})
    return {
        "name": side.name,
        "cuts": [_short(cut) for cut in curves.cuts[grid].tolist()],
        "at": [_at(curves, grid, cut) for cut in chosen_cuts(labels, cuts)],
        "curves": [[curve and rounded(_values(curve, grid)) for curve in row] for row in of_score],
        "peaks": [
            [None if place is None else _of_peak(curves, curve, place) for curve, place in zip(row, places)]
            for row, places in zip(of_score, peaks)
        ],
        **_of_ranking(side, labels, cuts),
    }


def _declared(scores: Iterable[tuple[Metric, str]]) -> Iterator[tuple[Metric, Score]]:
    for metric, name in scores:
        yield metric, metric.score_by_name[name]


def _values(curve: Curve, places: Any) -> NDArray[np.float64]:
    """Return the values of a curve of one score at some of all cuts."""
    found: NDArray[np.float64] = np.asarray(curve.scores[""], dtype=float)[
        np.searchsorted(curve.at, places, side="right") - 1
    ]
    return found


def _peak(curve: Curve, wish: Wanted) -> int | None:
    """Return the place of the best cut, the highest of equals; None where the score is undefined."""
    place = best_place(wish.good(curve.scores[""]))
    return None if place is None else int(curve.at[place])


def _of_peak(curves: Curves, curve: Curve | None, place: int) -> Line:
    """Return a cut, None if nothing is kept there, and the value of a curve at it."""
    assert curve is not None
    cut = float(curves.cuts[place])
    return [_short(cut) if np.isfinite(cut) else None, *rounded(_values(curve, [place]))]


def _short(cut: float) -> float:
    return float(f"{cut:.7g}")


def chosen_cuts(labels: Sequence[str], cuts: Cuts | None) -> Line:
    """Return the cut of all labels together, None if they have several, and that of each label."""
    if cuts is None:
        return [None] * (1 + len(labels))
    common = None if cuts.labels else cuts.default
    return [common, *(cuts.labels.get(label, cuts.default) for label in labels)]


def _at(curves: Curves, grid: NDArray[np.int64], cut: float | None) -> int | None:
    """Return the place of a cut on a grid; None if it is above all scores."""
    place = 0 if cut is None else curves.place(cut)
    return int(np.searchsorted(grid, place)) if place else None


def _grid(curves: Curves, most: int, cuts: Cuts | None, peaks: Iterable[int]) -> NDArray[np.int64]:
    """Return the places of the cuts at which lines have points, without the one that keeps nothing."""
    places = {*some(len(curves.cuts), most), *peaks}
    if cuts is not None:
        own = [cuts.default, *cuts.labels.values()]
        places |= {curves.place(cut) for cut in own if cut is not None}
    return np.array(sorted(places - {0}), dtype=np.int64)


def kept_of(ranking: Ranked, cuts: Cuts) -> NDArray[np.bool_]:
    """Return which predictions are kept."""
    labels = ranking.label.tolist()
    least = {label: cuts.of(label) for label in {*labels}}
    kept: NDArray[np.bool_] = ranking.score >= np.array([least[label] for label in labels], dtype=float)
    return kept


def _of_ranking(side: Measured, labels: Sequence[str], cuts: Cuts | None) -> dict[str, Any]:
    """Return precision over recall and risk over coverage, of all labels together and of each label."""
    found: dict[str, list[Any]] = {
        key: [] for key in ("recall", "precision", "coverage", "risk", "at_recall", "at_coverage")
    }
    ranking = side.ranking
    kept = np.zeros(len(ranking.score), dtype=bool) if cuts is None else kept_of(ranking, cuts)
    for label in (None, *labels):
        of_label = slice(None) if label is None else ranking.label == label
        score, hit, here = ranking.score[of_label], ranking.hit[of_label], kept[of_label]
        gold = sum(side.gold.values()) if label is None else side.gold.get(label, 0)
        _, number, hits = cumulative(score, hit)
        places = some(len(number), POINTS) if len(number) else []
        right = hits[places] / np.maximum(number[places], 1)
        found["recall"].append(rounded(hits[places] / gold) if gold else None)
        found["precision"].append(rounded(right) if gold else None)
        found["coverage"].append(rounded(number[places] / max(len(score), 1)))
        found["risk"].append(rounded(1 - right))
        n, good = int(here.sum()), int(hit[here].sum())
        found["at_recall"].append(rounded(np.array([good / gold, good / n])) if gold and n else None)
        found["at_coverage"].append(rounded(np.array([n / len(score), 1 - good / n])) if n else None)
    return found


def rounded(values: NDArray[Any]) -> Line:
    """Return values as JSON has them, None where they are undefined or infinite.

    >>> rounded(np.array([0.123456789, np.nan, np.inf]))
    [0.12346, None, None]
    """
    return [
        round(value, DIGITS) if finite else None
        for value, finite in zip(np.asarray(values, dtype=float).tolist(), np.isfinite(values).tolist())
    ]
