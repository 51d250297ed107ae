"""What the page says in numbers, ready to be laid out: rows of scores with a cell per system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...core.declaration import GOLD_SPANS, PRED_SPANS, Metric
from ...core.spans import Document
from ...counting.counts import Counts, count
from ...counting.views import View
from ...evaluation.result import evaluate
from ...evaluation.transitions import OUTCOMES
from ..formats import Interval, shown
from .colors import FAIR

Result = Mapping[str, Any]
CHARTED = 30
"""Lines of labels in the chart, one for each system; the table has all labels."""
LENGTHS = {"0": "no word", "1": "1 word", "2": "2 words", "3": "3 words", "4 and more": "4 words and more"}
"""The buckets of the attribute eLen, in words."""


class Cell(NamedTuple):
    """A score in percent, and its interval; None where it is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None

    @property
    def text(self) -> str:
        return shown(self.value)

    @property
    def bounds(self) -> str:
        return "" if self.low is None or self.high is None else shown(Interval(self.low, self.high))


class Row(NamedTuple):
    """Scores that belong together: precision, recall and F, or one score alone.

    cells: per system, in the order of `scores`. The last is what the row stands for.
    cost: whether less of it is better.
    plain: whether it is no share of 1, and not in percent.
    gold, pred: the number of gold spans, and per system that of predicted spans, where a row has its own.
    """

    name: str
    scores: tuple[str, ...]
    cells: list[list[Cell]]
    metric: str
    cost: bool = False
    gold: int | None = None
    pred: tuple[int, ...] = ()
    plain: bool = False

    @property
    def headlines(self) -> list[Cell]:
        return [cells[-1] for cells in self.cells]


class Change(NamedTuple):
    """From the first system to the second: the difference, whether it is a gain, and its p-value."""

    difference: str
    better: bool | None
    p: str


def of_metrics(metrics: Sequence[Metric], results: Sequence[Result]) -> list[Row]:
    """The scores that spaCy's keys show, over the whole corpus."""
    perfect = evaluate(count([Document([(0, 1, "A")], [(0, 1, "A")], "a", tokens=[(0, 1)])], metrics))
    rows = []
    for metric in metrics:
        for scores in _grouped(list(dict.fromkeys(metric.flat.values()))):
            cells = [_cells(metric, scores, own["scores"], _bounds(own, "scores")) for own in _of(metric, results)]
            part = scores[-1].rstrip("f").rstrip("_") if len(scores) == 3 else scores[0]
            name = metric.name if part in ("", metric.name) else f"{metric.name} {part}"
            cost = perfect["metrics"][metric.name]["scores"][scores[-1]] == 0
            rows.append(Row(name, scores, cells, metric.name, cost, plain=scores[-1] in metric.plain))
    return rows


def of_labels(metric: Metric, results: Sequence[Result], counts: Sequence[Counts]) -> list[Row]:
    """The scores of every label, the most frequent first."""
    numbers = [_numbers(each) for each in counts]
    rows = []
    for label in sorted({label for each in counts for label in each.labels}):
        cells = [
            _cells(metric, "prf", _of_label(own["per_type"], label), _bounds(own, "per_type").get(label, {}))
            for own in _of(metric, results)
        ]
        gold = max(each.get(label, (0, 0))[0] for each in numbers)
        pred = tuple(each.get(label, (0, 0))[1] for each in numbers)
        rows.append(Row(label, tuple("prf"), cells, metric.name, gold=gold, pred=pred))
    return sorted(rows, key=lambda row: -(row.gold or 0))


def of_lengths(metric: Metric, breakdowns: Sequence[Result]) -> list[Row]:
    """The scores of spans by their length in words."""
    rows = []
    for bucket, name in LENGTHS.items():
        if any(bucket in found["buckets"] for found in breakdowns):
            scores = [found["metrics"][metric.name].get(bucket, {}).get("scores", {}) for found in breakdowns]
            gold = max(found["gold"].get(bucket, 0) for found in breakdowns)
            pred = tuple(found["pred"].get(bucket, 0) for found in breakdowns)
            cells = [_cells(metric, "prf", each, {}) for each in scores]
            rows.append(Row(name, tuple("prf"), cells, metric.name, gold=gold, pred=pred))
    return rows


class Error(NamedTuple):
    """A verdict in words, its kind, and per system how many there are, with their share of all errors in percent."""

    verdict: str
    words: str
    kind: str
    counts: tuple[int, ...]
    shares: tuple[float | None, ...]


def of_verdicts(results: Sequence[Result]) -> list[Error]:
    """How often FairEval passes each verdict; the share of errors is None for what is correct."""
    counts = [own["metrics"]["fair"]["counts"] for own in results]
    errors = [sum(n for name, n in found.items() if name != "tp") for found in counts]
    rows = []
    for name, (words, kind) in FAIR.items():
        numbers = tuple(found[name] for found in counts)
        shares = tuple(100 * n / total if total and name != "tp" else None for n, total in zip(numbers, errors))
        rows.append(Error(name, words, kind, numbers, shares))
    return rows


def of_fates(found: Result) -> dict[str, Any]:
    """The fates of gold spans under the first system (rows) and another (columns), and the
    numbers of those that it mended, broke, and changed otherwise."""
    kinds = list(OUTCOMES)
    matrix = [[found["counts"].get(before, {}).get(after, 0) for after in kinds] for before in kinds]
    mended = sum(row[0] for row in matrix[1:])
    broken = sum(matrix[0][1:])
    same = sum(row[k] for k, row in enumerate(matrix))
    rest = sum(map(sum, matrix)) - mended - broken - same
    return {"kinds": kinds, "matrix": matrix, "mended": mended, "broken": broken, "changed": rest}


def changes(rows: Sequence[Row], tests: Result | None) -> list[Change | None]:
    """For each row what the second system changes of what it stands for, with the p-values of a `comparison`."""
    p = {(row["metric"], row["score"]): row["p_holm"] for row in tests["comparisons"]} if tests else {}
    found: list[Change | None] = []
    for row in rows:
        a, b = (cell.value for cell in row.headlines)
        if a is None or b is None:
            found.append(None)
            continue
        gap = b - a
        tested = p.get((row.metric, row.scores[-1]))
        better = None if shown(gap) == shown(0.0) else (gap > 0) is not row.cost
        sign = "+" if better is not None and gap > 0 else ""
        found.append(Change(sign + shown(gap), better, "" if tested is None else f"{tested:.4f}"))
    return found


def dots(rows: Sequence[Row], systems: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The scores of rows as points of a chart, without those of which less is better or that are not in percent."""
    for order, row in enumerate(row for row in rows if not row.cost and not row.plain):
        for system, cells in zip(systems, row.cells):
            defined = [cell.value for cell in cells if cell.value is not None]
            for mark, score, cell in zip("prf" if len(cells) == 3 else "f", row.scores, cells):
                if cell.value is not None:
                    yield {
                        "name": row.name,
                        "order": order,
                        "system": system,
                        "mark": mark,
                        "score": score,
                        "value": cell.value,
                        "shown": f"{cell.text} {cell.bounds}".strip(),
                        **({"low": cell.low, "high": cell.high} if mark == "f" and cell.bounds else {}),
                        **({"least": min(defined), "greatest": max(defined)} if mark == "f" else {}),
                    }


def _of(metric: Metric, results: Sequence[Result]) -> list[Result]:
    return [result["metrics"][metric.name] for result in results]


def _grouped(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Precision, recall and F of one kind together, whatever is none of them alone."""
    triples = {name: (f"{name[:-1]}p", f"{name[:-1]}r", name) for name in names if name.endswith("f")}
    whole = {f: triple for f, triple in triples.items() if {*triple} <= {*names}}
    parts = {name for triple in whole.values() for name in triple}
    for name in names:
        if name in whole:
            yield whole[name]
        elif name not in parts:
            yield (name,)


def _of_label(per_type: Mapping[str, Any], label: str) -> Mapping[str, Any]:
    return per_type[label]["scores"] if label in per_type else {}


def _bounds(own: Result, what: str) -> Mapping[str, Any]:
    return own["intervals"][what] if "intervals" in own else {}


def _cells(metric: Metric, names: Sequence[str], scores: Mapping[str, Any], bounds: Mapping[str, Any]) -> list[Cell]:
    cells = []
    for name in names:
        low, high = bounds.get(name) or (None, None)
        scale = 1 if name in metric.plain else 100
        cells.append(Cell(*(None if x is None else scale * x for x in (scores.get(name), low, high))))
    return cells


def _numbers(counts: Counts) -> dict[str, tuple[int, int]]:
    """The gold and the predicted spans of each label."""
    sums = View(counts, counts.metrics[0]).sums(by_label=True)  # they are the same for every metric
    return dict(zip(counts.labels, zip(*(np.asarray(sums[side]).tolist() for side in (GOLD_SPANS, PRED_SPANS)))))
