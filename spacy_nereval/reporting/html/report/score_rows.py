"""Rows of scores for the page: one row per group of scores, with a cell per system and score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ....core.declaration import Metric
from ....counting.counts import Counts
from ....evaluation.result import gold_spans, pred_spans
from ...comparison_view import ComparisonView
from ...declared import groups, triple
from ...result_table import Estimate, Interval, shown
from ...score_cells import score_cell
from ..score_values import ScoreValue

Result = Mapping[str, Any]
LENGTHS = {"0": "no word", "1": "1 word", "2": "2 words", "3": "3 words", "4 and more": "4 words and more"}
"""The buckets of the attribute eLen, in words."""

NAMES = {("eFre", "0"): "not seen in training", ("eCon", "0"): "never with this label"}
"""Other buckets in words."""


class ScoreRow(NamedTuple):
    """Precision, recall and F, or one score alone.

    Attributes:
        name: The head of the row.
        scores: Names of the scores. The last one represents the row.
        cells: For each system, the values of `scores`.
        metric: The name of the metric.
        lower_is_better: The direction of the last score.
        gold: Number of gold spans, where the row has its own.
        pred: For each system, number of predicted spans, where the row has its own.
        is_ratio: Whether the scores are ratios, shown in percent.
        bucket: The bucket of a breakdown, where the row is one.
        is_cut: Whether the last score is 1 minus a cost, and 0 for some system since the cost is 1 or more.
    """

    name: str
    scores: tuple[str, ...]
    cells: list[list[ScoreValue]]
    metric: str
    lower_is_better: bool = False
    gold: int | None = None
    pred: tuple[int, ...] = ()
    is_ratio: bool = True
    bucket: str = ""
    is_cut: bool = False

    @property
    def headlines(self) -> list[ScoreValue]:
        """For each system, the value of the last score."""
        return [cells[-1] for cells in self.cells]


def metric_rows(metrics: Sequence[Metric], results: Sequence[Result]) -> list[ScoreRow]:
    """Return the overall scores that have a score key.

    Args:
        metrics: The metrics of the results.
        results: A result for each system.
    """
    rows = []
    for metric in metrics:
        for group in groups(metric, dict.fromkeys(metric.keys.values())):
            last = metric.score_by_name[group.scores[-1]]
            cells = [
                _values(metric, group.scores, own["scores"], _intervals(own, "scores"))
                for own in _of_metric(metric, results)
            ]
            lower, ratio = not last.higher_is_better, last.unit == "ratio"
            cut = last.complement_of is not None and any(values[-1].value == 0 for values in cells)
            rows.append(ScoreRow(group.name, group.scores, cells, metric.name, lower, is_ratio=ratio, is_cut=cut))
    return rows


def label_rows(metric: Metric, results: Sequence[Result], counts: Sequence[Counts]) -> list[ScoreRow]:
    """Return precision, recall and F of every label, the most frequent label first.

    Args:
        metric: A metric with one precision, recall and F.
        results: A result for each system.
        counts: The counts of each system.
    """
    scores = triple(metric)
    numbers = [_numbers(each) for each in counts]
    rows = []
    for label in sorted({label for each in counts for label in each.labels}):
        cells = [
            _values(
                metric,
                scores,
                own["per_type"].get(label, {}).get("scores", {}),
                _intervals(own, "per_type").get(label, {}),
            )
            for own in _of_metric(metric, results)
        ]
        gold = max(each.get(label, (0, 0))[0] for each in numbers)
        pred = tuple(each.get(label, (0, 0))[1] for each in numbers)
        rows.append(ScoreRow(label, scores, cells, metric.name, gold=gold, pred=pred))
    return sorted(rows, key=lambda row: -(row.gold or 0))


def bucket_rows(metric: Metric, breakdowns: Sequence[Result], by: str) -> list[ScoreRow]:
    """Return precision, recall and F of spans by the buckets of an attribute.

    Args:
        metric: A metric with one precision, recall and F.
        breakdowns: A breakdown by that attribute for each system.
        by: The attribute.
    """
    scores = triple(metric)
    rows = []
    known = LENGTHS if by == "eLen" else {}
    buckets = dict.fromkeys([*known, *(bucket for breakdown in breakdowns for bucket in breakdown["buckets"])])
    for bucket in buckets:
        if any(bucket in breakdown["buckets"] for breakdown in breakdowns):
            owns = [breakdown["metrics"][metric.name].get(bucket, {}).get("scores", {}) for breakdown in breakdowns]
            gold = max(breakdown["gold"].get(bucket, 0) for breakdown in breakdowns)
            pred = tuple(breakdown["pred"].get(bucket, 0) for breakdown in breakdowns)
            cells = [_values(metric, scores, own, {}) for own in owns]
            other = f"{bucket} words" if by == "eLen" else bucket  # such as "2-5"
            name = known.get(bucket, NAMES.get((by, bucket), other))
            rows.append(ScoreRow(name, scores, cells, metric.name, gold=gold, pred=pred, bucket=bucket))
    return rows


class Difference(NamedTuple):
    """The second system's score minus the first one's, as it is shown.

    Attributes:
        text: The difference.
        better: Whether the second system is better; None if neither is.
        bounds: The interval, "" for none.
        detectable: The difference that the documents show 4 times in 5, "" for none.
        p: The p-value of this test alone, "" for none.
        p_holm: The p-value corrected within the family, "" for none.
    """

    text: str
    better: bool | None
    bounds: str = ""
    detectable: str = ""
    p: str = ""
    p_holm: str = ""


def differences(rows: Sequence[ScoreRow], tests: Result | None) -> list[Difference | None]:
    """Return, for each row of two systems, the difference of the score that represents it.

    Args:
        rows: Rows with two systems.
        tests: A comparison of the two systems, for its intervals and p-values.

    Returns:
        None for a row whose score is undefined for one of the systems.
    """
    view = ComparisonView(tests) if tests else None
    found: list[Difference | None] = []
    for row in rows:
        first, second = (cell.value for cell in row.headlines)
        if first is None or second is None:
            found.append(None)
            continue
        gap = type(second)(second - first)
        better = None if shown(gap) == shown(0.0) else (gap > 0) is not row.lower_is_better
        sign = "+" if better is not None and gap > 0 else ""
        test = view.row(row.metric, row.scores[-1]) if view else None
        if view and not (test and view.is_shown(test)):
            better = None  # only what the tests show is marked
        found.append(Difference(sign + shown(gap), better, *(_shown_test(view, test) if view and test else ())))
    return found


def _shown_test(view: ComparisonView, row: Result) -> tuple[str, str, str, str]:
    """Return the interval, the detectable difference and the p-values of a row of a comparison, "" for none."""
    cells = dict(zip(view.columns, view.cells(row)))
    gap = cells["difference"]
    bounds = shown(Interval(gap.low, gap.high)) if isinstance(gap, Estimate) else ""
    numbers = (cells[name] for name in ("detectable", "p", "p (Holm)"))
    detectable, p, p_holm = (shown(cell) if isinstance(cell, float) else "" for cell in numbers)
    return bounds, detectable, p, p_holm


def _of_metric(metric: Metric, results: Iterable[Result]) -> list[Result]:
    return [result["metrics"][metric.name] for result in results]


def _intervals(own: Result, part: str) -> Mapping[str, Any]:
    return own["intervals"][part] if "intervals" in own else {}


def _values(
    metric: Metric, names: Iterable[str], scores: Mapping[str, Any], intervals: Mapping[str, Any]
) -> list[ScoreValue]:
    cells = (score_cell(metric, name, scores, intervals) for name in names)
    return [ScoreValue(*cell) if isinstance(cell, Estimate) else ScoreValue(cell) for cell in cells]


def _numbers(counts: Counts) -> dict[str, tuple[int, int]]:
    """Each label with its numbers of gold and of predicted spans, which are the same for every metric."""
    gold, pred = gold_spans(counts), pred_spans(counts)
    return {label: (gold[label], pred[label]) for label in counts.labels}
