"""Scores as table cells with their intervals, and the tables of scores: overall, per label, document and bucket."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.declaration import GOLD_SPANS, PRED_SPANS, Metric
from ..core.messages import join_names
from ..counting.counts import Counts
from ..evaluation.bounds import FEW
from ..evaluation.breakdown import attribute_named
from ..evaluation.differences import is_at_floor
from ..evaluation.error_groups import ErrorGroups
from ..evaluation.error_list import ListedVerdict
from ..evaluation.result import LabelledVerdict, document_rows, spans_of_labels
from ..evaluation.tested import label_score
from .declared import headlines, main_metric, mark_direction, score_groups, sentence_name, short_name
from .result_table import Cell, Estimate, Interval, Percent, PValue, ResultTable


def percent(number: float | None, whole: float = 1) -> Percent | None:
    """Return `number` as a share of `whole`, shown in percent; None if either is undefined or `whole` is 0.

    >>> percent(1, 8), percent(None), percent(0, 0)
    (0.125, None, None)
    """
    return Percent(number / whole) if number is not None and whole else None


def interval(bounds: Any, unit: type[float] = float) -> Interval | None:
    """Return an interval of a result as a cell; None if it is undefined or missing.

    JSON has no infinity, so a result has None for an infinite bound if the other one is finite.

    Args:
        bounds: {"low", "high", "k", "flag"}, or [low, high] for a difference; None for no interval.
        unit: The type of the bounds, as `unit_of` returns it.

    >>> interval({"low": 0.25, "high": 0.75}), interval([None, None]), interval(None)
    (Interval(low=0.25, high=0.75), None, None)
    >>> interval({"low": 0.25, "high": None})
    Interval(low=0.25, high=inf)
    """
    low, high = (bounds["low"], bounds["high"]) if isinstance(bounds, Mapping) else bounds or (None, None)
    if low is None and high is None:
        return None
    return Interval(unit(-math.inf if low is None else low), unit(math.inf if high is None else high))


def unit_of(metric: Metric, name: str) -> type[float]:
    """Return the type of a score in cells: `Percent` for a ratio."""
    return Percent if metric.score_by_name[name].unit == "ratio" else float


def value_cell(value: float | None, unit: type[float]) -> float | None:
    """Return a value as a cell, None if it is undefined.

    >>> value_cell(0.25, Percent), value_cell(7, float), value_cell(None, Percent)
    (0.25, 7, None)
    >>> from spacy_nereval.reporting.result_table import Gain
    >>> type(value_cell(0.25, Gain))
    <class 'spacy_nereval.reporting.result_table.Gain'>
    """
    return unit(value) if value is not None and issubclass(unit, Percent) else value


def score_cell(
    metric: Metric, name: str, scores: Mapping[str, Any], intervals: Mapping[str, Any] = {}
) -> float | Estimate | None:
    """Return a score as a cell.

    Args:
        metric: The metric of the score.
        name: The name of the score.
        scores: Score names to values, from a result.
        intervals: Score names to intervals, from the same result, where it has any.

    Returns:
        The value; an `Estimate` if it has an interval; None if it is undefined.

    >>> from spacy_nereval import create
    >>> score_cell(create("fair"), "f", {"f": 0.5})
    0.5
    >>> score_cell(create("fair"), "f", {"f": 0.5}, {"f": {"low": 0.25, "high": 0.75}})
    Estimate(value=0.5, low=0.25, high=0.75, few=False, top=False, best=False)
    """
    unit = unit_of(metric, name)
    value = value_cell(scores.get(name), unit)
    row = intervals.get(name)
    bounds = interval(row, unit)
    return value if value is None or row is None or bounds is None else Estimate(value, *bounds, row.get("flag") == FEW)


def score_cells(
    metric: Metric, names: tuple[str, ...], scores: Mapping[str, Any], intervals: Mapping[str, Any] = {}
) -> list[Cell]:
    """Return several scores as cells, in the order of `names`."""
    return [score_cell(metric, name, scores, intervals) for name in names]


def p_value(row: Mapping[str, Any], key: str, result: Mapping[str, Any], raw: str = "p") -> PValue | None:
    """Return a p-value as a cell, which shows a bound if so many swaps cannot give a smaller one.

    Args:
        row: A row of a comparison.
        key: The key of the p-value, corrected or not.
        result: The comparison: its `swaps`, and whether they are `exact`.
        raw: The key of the p-value before its correction.

    >>> row, result = {"p": 1 / 501, "p_holm": 2 / 501, "runs": [1, 1]}, {"swaps": 500, "exact": False}
    >>> p_value(row, "p_holm", result).text, p_value(row | {"runs": [3, 3]}, "p_holm", result).text
    ('< .0040', '0.0040')
    """
    p: float | None = row[key]
    swaps = result.get("swaps")
    if p is None or not swaps or max(row.get("runs") or [1]) > 1:
        return None if p is None else PValue(p)
    return PValue.create(p, is_at_floor(row.get(raw), swaps, exact=result["exact"]))


PRF = ("P", "R", "F")
"""The columns of precision, recall and F."""

MOST, MOST_LABELS = 10, 20
"""Maximum number of rows of long tables and of labels for people; CSV and JSON have all."""


class Evaluation(NamedTuple):
    """The input of the tables of one system: its counts and their result.

    Attributes:
        counts: The counts of the corpus; None if only the result is known.
        result: The result that `evaluate` returns for the counts.
        metrics: The metrics of the result.
        average: The average that tables of scores show.
        examples: The first verdict of each kind of error, if documents were available.
        groups: Groups of the same error, if documents were available.
        primary: The metric and the name of the score that is shown first and for labels; None for the first headline
            of the main metric.
    """

    counts: Counts | None
    result: Mapping[str, Any]
    metrics: Sequence[Metric]
    average: str = "micro"
    examples: Mapping[LabelledVerdict, ListedVerdict] = {}
    groups: ErrorGroups | None = None
    primary: tuple[str, str] | None = None

    @property
    def metric(self) -> Metric:
        """The metric of the score that is shown first and for labels."""
        if self.primary is None:
            return main_metric(self.metrics)
        return next(metric for metric in self.metrics if metric.name == self.primary[0])

    def label_scores(self, declared: Sequence[str]) -> tuple[tuple[str, ...], str]:
        """Return the names of the scores that are shown for labels, among those declared, and of the main one."""
        metric = self.metric
        main = label_score(metric, self.primary[1]).name if self.primary else headlines(metric, declared)[0]
        triples = (group.scores for group in score_groups(metric, declared) if main in group.scores)
        return next(triples, (main,)), main

    def overall(self, metric: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the overall scores of a metric in the average that is shown, and their intervals if there are any."""
        result = self.result["metrics"][metric]
        bounds = self.intervals(metric)
        if self.average == "micro":
            return result["scores"], bounds.get("scores", {})
        return result["averages"].get(self.average, {}), bounds.get("averages", {}).get(self.average, {})

    def intervals(self, metric: str) -> Mapping[str, Any]:
        """Return the intervals of a metric; none where a scorer of spaCy could compute none."""
        return self.result["metrics"][metric].get("intervals") or {}

    def verdicts(self, metric: Metric) -> dict[LabelledVerdict, int]:
        """Return how many verdicts of a metric there are of each (verdict, gold label, predicted label)."""
        return {
            (verdict, gold, pred): number
            for verdict, by_gold in self.result["metrics"][metric.name]["verdicts"].items()
            for gold, by_pred in by_gold.items()
            for pred, number in by_pred.items()
        }


def score_tables(evaluation: Evaluation) -> Iterator[ResultTable]:
    """Yield the overall scores, with their intervals if the result has any."""
    average = evaluation.average
    triples, singles = [], []
    for metric in evaluation.metrics:
        more_triples, more_singles = _score_rows(metric, *evaluation.overall(metric.name))
        triples += more_triples
        singles += more_singles
    yield ResultTable("Scores", ["metric", *PRF], triples, note=average)
    yield ResultTable("Other scores", ["metric", "score", "value", "meaning"], singles, note=average)


def headline_tables(evaluation: Evaluation) -> Iterator[ResultTable]:
    """Yield the main score of each label, with precision and recall if it is an F, the most frequent label first.

    The column of predicted spans shows which labels are predicted too often, also under metrics that count an error for
    the gold label only.
    """
    metric = evaluation.metric
    if sizes := row_sizes(evaluation, metric):
        names, main = evaluation.label_scores([*_rows_of(evaluation, metric, [*sizes])[0][1]])
        yield _headline_table(evaluation, metric, sizes, names, main)


def attribute_tables(evaluation: Evaluation) -> Iterator[ResultTable]:
    """Yield the main scores of each attribute and of its values, if a metric has them."""
    for metric in evaluation.metrics:
        if metric.attributes and (sizes := row_sizes(evaluation, metric)):
            yield _headline_table(evaluation, metric, sizes, ROW_SCORES, ROW_SCORES[0])


ROW_SCORES = ("given_f", "end_f", "accuracy")
"""The scores of attributes and their values."""


def row_sizes(evaluation: Evaluation, metric: Metric) -> dict[str, tuple[int, int]]:
    """Return each row of a metric, a label unless its verdicts name rows, with its numbers of gold and predicted
    spans, or of the spans that have the value; the most frequent first."""
    sizes = {label: (spans["gold"], spans["pred"]) for label, spans in evaluation.result["per_type"].items()}
    if metric.attributes:
        rows = evaluation.result["metrics"][metric.name]["per_type"]
        counts = {row: part.get("counts", {}) for row, part in rows.items()}
        sizes = {row: (_size(metric, n, GOLD_SPANS), _size(metric, n, PRED_SPANS)) for row, n in counts.items()}
    return dict(sorted(sizes.items(), key=lambda item: (-item[1][0], item[0])))


def _size(metric: Metric, counts: Mapping[str, int], kinds: Sequence[str]) -> int:
    """Return the number of spans of these kinds in the counts of a row."""
    return sum(counts.get(verdict, 0) for verdict, kind in metric.row_kinds.items() if kind in kinds)


def _rows_of(evaluation: Evaluation, metric: Metric, rows: Sequence[str]) -> list[tuple[str, Any, Any]]:
    """Return rows of a metric, each with its scores and their intervals."""
    table = evaluation.result["metrics"][metric.name]["per_type"]
    bounds = evaluation.intervals(metric.name).get("per_type", {})
    return [(row, table[row]["scores"], bounds.get(row, {})) for row in rows]


def _headline_table(
    evaluation: Evaluation, metric: Metric, sizes: Mapping[str, tuple[int, int]], names: tuple[str, ...], main: str
) -> ResultTable:
    """Return the table of some scores of each row of a metric."""
    rows: list[list[Cell]] = []
    for label, scores, bounds in _rows_of(evaluation, metric, [*sizes]):
        rows.append([label, *sizes[label], *score_cells(metric, names, scores, bounds)])
    estimates = [cell for row in rows for cell in row if isinstance(cell, Estimate)]
    notes = [sentence_name(metric, main).removesuffix(" F")]
    if estimates:
        notes.append(f"{100 * evaluation.result['confidence']['level']:g} % intervals")
    notes += ["few: too few documents to rank or compare"] * any(cell.few for cell in estimates)
    is_prf = len(names) == 3 and not metric.attributes
    columns = [*PRF] if is_prf else [short_name(metric, name) for name in names]
    bare = [column for column, name in zip(columns, names) if name != main]
    header = ["attribute" if metric.attributes else "label", "support", "predicted", *columns]
    title = "Attributes" if metric.attributes else "Labels"
    return ResultTable(title, header, rows, note="; ".join(notes), most=MOST_LABELS, bare=bare)


def label_tables(evaluation: Evaluation) -> Iterator[ResultTable]:
    """Yield the headline scores of each label, with its number of gold spans."""
    metrics, result = [m for m in evaluation.metrics if not m.attributes], evaluation.result["metrics"]
    columns = [(m, name) for m in metrics for name in first_headlines(m, result[m.name]["per_type"])]
    rows: list[list[Cell]] = []
    for label, number in support(evaluation).items():
        scores = [score_cell(m, name, result[m.name]["per_type"][label]["scores"]) for m, name in columns]
        rows.append([label, number, *scores])
    header = ["label", "support", *(short_name(m, name) for m, name in columns)]
    yield ResultTable("Per label", header, rows, note=_few_units_note(evaluation))


def _few_units_note(evaluation: Evaluation) -> str:
    """Return a note on the labels that have too few units to be ranked or compared; "" if there are none."""
    first: Mapping[str, Any] = next(iter(evaluation.result["metrics"].values()), {})
    flagged = [
        label
        for label, intervals in (first.get("intervals") or {}).get("per_type", {}).items()
        if any(interval["flag"] == FEW for interval in intervals.values())
    ]
    return f"few units, not to be compared: {join_names(flagged, MOST)}" if flagged else ""


def label_score_tables(evaluation: Evaluation) -> Iterator[ResultTable]:
    """Yield every score of each label, with its interval if the result has one."""
    triples, singles = [], []
    labels = [(label, metric, n) for label, n in support(evaluation).items() for metric in evaluation.metrics]
    rows = [place for place in labels if not place[1].attributes]
    own = [(metric, row_sizes(evaluation, metric)) for metric in evaluation.metrics if metric.attributes]
    rows += [(row, metric, sizes[row][0]) for metric, sizes in own for row in sizes]
    for label, metric, number in rows:
        ((_, scores, intervals),) = _rows_of(evaluation, metric, [label])
        more_triples, more_singles = _score_rows(metric, scores, intervals)
        triples += [[label, *row, number] for row in more_triples]
        singles += [[label, *row] for row in more_singles]
    yield ResultTable("Scores per label", ["label", "metric", *PRF, "support"], triples)
    yield ResultTable("Other scores per label", ["label", "metric", "score", "value", "meaning"], singles)


def support(evaluation: Evaluation) -> dict[str, int]:
    """Return each label of a result and its number of gold spans, 0 included."""
    return spans_of_labels(evaluation.result, "gold")


def count_tables(evaluation: Evaluation) -> Iterator[ResultTable]:
    """Yield the counts that the scores are computed from."""
    by_metric = ((m.name, evaluation.result["metrics"][m.name]["counts"]) for m in evaluation.metrics)
    rows = [[metric, name, number] for metric, counts in by_metric for name, number in counts.items()]
    yield ResultTable("Counts", ["metric", "count", "number"], rows)


def document_tables(evaluation: Evaluation) -> Iterator[ResultTable]:
    """Yield the headline scores of each document, the worst document first; no table for collapsed counts."""
    if evaluation.counts is None or evaluation.counts.collapsed:
        return
    header, in_percent = {"gold": "gold", "pred": "predicted"}, set()
    for metric in evaluation.metrics:
        shown = headlines(metric, list(metric.keys.values()))
        for key, name in metric.keys.items():
            if name in shown:
                header[key] = short_name(metric, name)
                in_percent |= {key} if metric.score_by_name[name].unit == "ratio" else set()
    cells = [
        [row["document"], *(percent(row[key]) if key in in_percent else row[key] for key in header)]
        for row in document_rows(evaluation.counts)
    ]
    yield ResultTable("Documents", ["document", *header.values()], cells, note="the worst first", most=MOST)


def breakdown_table(breakdown: Mapping[str, Any], metrics: Sequence[Metric], *, digits: int = 2) -> ResultTable:
    """Return a table of the headline scores and the numbers of spans of each bucket of an attribute.

    Args:
        breakdown: A breakdown of a result.
        metrics: The metrics of the breakdown.
        digits: Decimal places of the scores.
    """
    columns = [
        (metric, name) for metric in metrics for name in first_headlines(metric, breakdown["metrics"][metric.name])
    ]
    rows: list[list[Cell]] = []
    for bucket in breakdown["buckets"]:
        of_bucket = ((m, name, breakdown["metrics"][m.name][bucket]) for m, name in columns)
        scores = [score_cell(m, name, part["scores"], part.get("intervals", {})) for m, name, part in of_bucket]
        rows.append([bucket, breakdown["gold"][bucket], breakdown["pred"][bucket], *scores])
    header = [breakdown["by"], "gold", "predicted", *(short_name(metric, name) for metric, name in columns)]
    note = attribute_named(breakdown["by"]).help
    if rests := _rest_cells(breakdown, metrics):
        metric, score, cells = rests
        header += ["against the rest", "p (Holm)"]
        rows = [[*row, *more] for row, more in zip(rows, cells)]
        note += f"; the last columns: {short_name(metric, score)} of the row minus that of the other rows together"
    if dividing := [
        metric.name for metric in metrics if any(column == PRED_SPANS for column in metric.columns.values())
    ]:
        note += (
            f"; {', '.join(dividing)}: P divides by the predictions of the row, a pair counting where its gold span is"
        )
    own_digits = {"p (Holm)": 4}
    return ResultTable(f"By {breakdown['by']}", header, rows, note=note, digits=digits, own_digits=own_digits)


def _rest_cells(breakdown: Mapping[str, Any], metrics: Sequence[Metric]) -> tuple[Metric, str, list[list[Cell]]] | None:
    """Return the metric that represents the result, its score, and how each bucket differs from the rest, with p.

    None if no bucket was tested.
    """
    metric = main_metric(metrics)
    tests = [breakdown["metrics"][metric.name][bucket].get("rest") or {} for bucket in breakdown["buckets"]]
    if len(tests) < 2 or not tests[0]:
        return None
    score = tests[0]["score"]
    unit = unit_of(metric, score)
    cells: list[list[Cell]] = []
    for test in tests:
        value, bounds = value_cell(test["difference"], unit), interval(test["interval"], unit)
        gap = value if value is None or bounds is None else Estimate(value, *bounds)
        cells.append([gap, None if test["p_holm"] is None else PValue(test["p_holm"])])
    return metric, score, cells


def first_headlines(metric: Metric, parts: Mapping[str, Any]) -> list[str]:
    """Return the names of the headline scores of labels or buckets, which all have the same scores."""
    return headlines(metric, list(next(iter(parts.values()))["scores"]) if parts else [])


def _score_rows(
    metric: Metric, scores: Mapping[str, Any], intervals: Mapping[str, Any]
) -> tuple[list[list[Cell]], list[list[Cell]]]:
    """Return rows of precision, recall and F, and rows of the other scores."""
    grouped = score_groups(metric, [name for name in scores if name != "undefined"])  # in averages: the number excluded
    triples: list[list[Cell]] = [
        [group.name, *score_cells(metric, group.scores, scores, intervals)] for group in grouped if group.is_triple
    ]
    singles: list[list[Cell]] = [
        [
            metric.name,
            mark_direction(metric, name, name),
            score_cell(metric, name, scores, intervals),
            metric.score_by_name[name].meaning or None,
        ]
        for group in grouped
        if not group.is_triple
        for name in group.scores
    ]
    return triples, singles
