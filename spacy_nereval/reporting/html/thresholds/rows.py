"""The rows of the tables on the page of thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ....core.cuts import Cuts
from ....evaluation.result import evaluate, gold_spans, pred_spans
from ....evaluation.statistics.intervals import FEW
from ....evaluation.tested import label_score
from ....evaluation.thresholds.calibration import calibration
from ....evaluation.thresholds.choice import Wanted, best_cut
from ....evaluation.thresholds.ranking import average_precision
from ...declared import groups, spoken
from ...result_table import Percent, shown
from ...score_cells import interval, percent, unit_of
from ..score_values import ScoreValue
from .lines import Measured

USUAL = 0.5
"""The cut of spancat and of most classifiers, if none is chosen."""


class CutRow(NamedTuple):
    """What a cut is worth on some documents.

    name: the label, or what the cut is; None for all labels together. cut: as people read it. gold, kept: numbers of
    spans. cells: a value for each of the columns.
    """

    name: str | None
    cut: str
    gold: int
    kept: int
    cells: list[ScoreValue]


def cut_text(cut: float | None) -> str:
    """Return a cut as people read it.

    >>> cut_text(0.51234), cut_text(None)
    ('0.5123', 'keep none')
    """
    return "keep none" if cut is None else f"{cut:.4g}"


def columns(wish: Wanted) -> tuple[str, ...]:
    """Return the names of the scores that share a row with the one that cuts are chosen by."""
    names = [score.name for score in wish.metric.scores if score.unit != "count"]
    return next(group.scores for group in groups(wish.metric, names) if wish.score.name in group.scores)


def column_names(wish: Wanted) -> list[str]:
    """Return these names as heads of columns: P, R and F, or the score alone."""
    names = columns(wish)
    return [*"PRF"] if len(names) == 3 else [spoken(wish.metric, name) for name in names]


def label_rows(
    side: Measured, wish: Wanted, cuts: Cuts, labels: Sequence[str], values: Mapping[str, Any] | None = None
) -> list[CutRow]:
    """Return a row for all labels together and one for each label, at the cuts.

    Args:
        side: The documents.
        wish: The score that the cuts were chosen by.
        cuts: The cuts.
        labels: The labels, in the order of the rows.
        values: The result of applying the cuts to these documents, for its intervals.
    """
    counts = side.kept(cuts, wish.metric)
    result = evaluate(counts)["metrics"][wish.metric.name]
    bounds = values["metrics"][wish.metric.name]["intervals"] if values else {}
    common = "per label" if cuts.labels else cut_text(cuts.default)
    rows = [CutRow(None, common, counts.gold, counts.pred, _cells(wish, result["scores"], bounds))]
    gold, kept = gold_spans(counts), pred_spans(counts)
    for label in labels:
        scores = result["per_type"].get(label, {}).get("scores", {})
        found = [_label_cell(wish, name, scores, values and values["per_type"].get(label)) for name in columns(wish)]
        cut = cuts.labels.get(label, cuts.default)
        rows.append(CutRow(label, cut_text(cut), gold.get(label, 0), kept.get(label, 0), found))
    return rows


def worth_rows(side: Measured, wish: Wanted, cuts: Cuts, values: Mapping[str, Any] | None) -> list[CutRow]:
    """Return what the cuts are worth beside others: the usual one, none, and the best common one of these documents.

    Args:
        side: The documents.
        wish: The score that the cuts were chosen by.
        cuts: The cuts.
        values: The result of applying the cuts to these documents, None if they were chosen on them.
    """
    if values is None:
        first = "the best cuts" if cuts.labels else "the best cut"
    else:
        first = "the chosen cuts" if cuts.labels else "the chosen cut"
    (chosen, *_) = label_rows(side, wish, cuts, [], values)
    rows = [chosen._replace(name=first)]
    scores = side.ranking.score
    if len(scores) and scores[-1] < USUAL and scores[-1] >= 0 and scores[0] <= 1:
        rows.append(_at(side, wish, Cuts(USUAL), "the usual cut"))
    rows.append(
        _at(side, wish, Cuts(side.floor), "no cut") if side.floor is not None else chosen._replace(name="no cut")
    )
    best = best_cut(side.curves, wish)
    if best is not None and (values is not None or cuts.labels):
        name = "the best common cut" if values is None else "the best common cut here (not known in practice)"
        rows.append(_at(side, wish, Cuts(best[0] if best[0] < float("inf") else None), name))
    return rows


def _at(side: Measured, wish: Wanted, cuts: Cuts, name: str) -> CutRow:
    (row,) = label_rows(side, wish, cuts, [])
    return row._replace(name=name)


def _cells(wish: Wanted, scores: Mapping[str, Any], bounds: Mapping[str, Any]) -> list[ScoreValue]:
    return [value_of(scores.get(name), unit_of(wish.metric, name), bounds.get(name)) for name in columns(wish)]


def _label_cell(wish: Wanted, name: str, scores: Mapping[str, Any], row: Any) -> ScoreValue:
    """Return the score of a label in a column; the interval is known of the score that cuts were chosen by alone."""
    score = label_score(wish.metric, name)
    return value_of(scores.get(score.name), unit_of(wish.metric, score.name), row if name == wish.score.name else None)


def value_of(value: float | None, unit: type[float], found: Mapping[str, Any] | None = None) -> ScoreValue:
    """Return a score as it is shown, with its interval if there is one."""
    if value is None:
        return ScoreValue(None)
    bounds = interval(found, unit) if found else None
    if found is None or bounds is None:
        return ScoreValue(unit(value))
    return ScoreValue(unit(value), bounds.low, bounds.high, found.get("flag") == FEW)


class PrecisionRow(NamedTuple):
    """The average precision of a label on each set of documents, None for the mean over labels."""

    label: str | None
    values: list[float | None]

    @property
    def texts(self) -> list[str]:
        """The values as people read them."""
        return [shown(percent(value)) for value in self.values]


def precision_rows(sides: Sequence[Measured], labels: Sequence[str]) -> list[PrecisionRow]:
    """Return the average precision of each label, and their mean."""
    found = []
    for label in labels:
        values = []
        for side in sides:
            own = side.ranking.of_label(label)
            values.append(average_precision(own.score, own.hit, side.gold.get(label, 0)))
        found.append(PrecisionRow(label, values))
    known = [[value for value in column if value is not None] for column in zip(*(row.values for row in found))]
    mean = [sum(values) / len(values) if values else None for values in known] or [None for _ in sides]
    return [PrecisionRow(None, mean), *found]


def bins_of(side: Measured) -> Mapping[str, Any]:
    """Return how well the scores of some documents are calibrated."""
    return calibration(side.ranking.score, side.ranking.hit, side.settings.bins, side.settings.bin_kind)


def bin_rows(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a row for each bin of scores, with its numbers as people read them and as the chart draws them."""
    rows = []
    for row in found["bins"] or []:
        gap = Percent(row["gap"])
        rows.append(
            {
                "range": f"{row['low']:.3g} to {row['high']:.3g}",
                "n": row["n"],
                "mean": row["score"],
                "correct": row["hits"],
                "mean_text": shown(percent(row["score"])),
                "correct_text": shown(percent(row["hits"])),
                "gap_text": ("+" if gap > 0 else "") + shown(gap),
            }
        )
    return rows
