"""Tables that compare systems."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..core.declaration import Metric
from ..evaluation.statistics.intervals import FEW, UNBOUNDED
from ..evaluation.statistics.runs import FEW_RUNS
from ..io.writing import visible
from ..metrics.registry import create, create_all, names
from .declared import short_name
from .marked_text import clipped
from .remarks import least_p, read_with, rests_on, unit_lines, warning, what_was_tested
from .result_table import Cell, Cost, Estimate, Interval, Percent, ResultTable, direction
from .score_cells import interval, number, p_value, percent, score_cell
from .score_tables import MOST, first_headlines
from .words import OUTCOMES


def side_by_side(results: Mapping[str, Mapping[str, Any]], *, digits: int = 2) -> Iterator[ResultTable]:
    """Yield one table each of the scores, counts and labels of several systems.

    Args:
        results: System names to results, all of the same metrics.
        digits: Decimal places of numbers that are not whole.
    """
    first = next(iter(results.values()))
    metrics = create_all({name: side["settings"] for name, side in first["metrics"].items()})
    scores: list[list[Cell]] = []
    counts: list[list[Cell]] = []
    for metric in metrics:
        owns = [result["metrics"][metric.name] for result in results.values()]
        scores += [
            [key, *(score_cell(metric, name, side["scores"]) for side in owns)] for key, name in metric.keys.items()
        ]
        counted = dict.fromkeys(name for side in owns for name in side["counts"])
        counts += [[metric.name, name, *(side["counts"].get(name) for side in owns)] for name in counted]
    yield ResultTable("Scores", ["score", *results], scores, digits=digits)
    yield ResultTable("Counts", ["metric", "count", *results], counts, digits=digits)
    yield _labels_side_by_side(results, metrics)._replace(digits=digits)


def _labels_side_by_side(results: Mapping[str, Mapping[str, Any]], metrics: Iterable[Metric]) -> ResultTable:
    found = [{m.name: result["metrics"][m.name]["per_type"] for m in metrics} for result in results.values()]
    rows: list[list[Cell]] = []
    for label in sorted({label for labels_of in found for per_type in labels_of.values() for label in per_type}):
        for metric in metrics:
            scores = [labels_of[metric.name].get(label, {"scores": {}})["scores"] for labels_of in found]
            for name in first_headlines(metric, found[0][metric.name]):
                rows.append([label, short_name(metric, name), *(score_cell(metric, name, own) for own in scores)])
    return ResultTable("Per label", ["label", "score", *results], rows)


def comparison_tables(
    result: Mapping[str, Any], wanted: Iterable[str] = (), *, digits: int = 2
) -> Iterator[ResultTable]:
    """Yield tables of a comparison.

    Args:
        result: What `evaluation.comparison.comparison` returns.
        wanted: Names of tables, keys of `COMPARED`; by default `USUAL`.
        digits: Decimal places of numbers that are not whole.
    """
    for name in wanted or USUAL:
        for table in COMPARED[name](result):
            yield table._replace(digits=digits)


def verdict_lines(result: Mapping[str, Any]) -> list[str]:
    """Return a sentence on each system's primary score.

    Args:
        result: What `evaluation.comparison.comparison` returns.

    >>> row = {"metric": "strict", "score": "f", "system": "B", "verdict": "the same within 1 point"}
    >>> verdict_lines({"baseline": "A", "comparisons": [row]})
    ['strict f, B against A: the same within 1 point.']
    """
    return [
        visible(f"{row['metric']} {row['score']}, {row['system']} against {result['baseline']}: {row['verdict']}.")
        for row in result["comparisons"]
        if row["verdict"] is not None
    ]


def difference_tables(result: Mapping[str, Any]) -> Iterator[ResultTable]:
    """Yield, for each system, the headline scores, their differences, and the tests of these."""
    for system, rows in _by_system(result):
        own = [row for row in rows if row["label"] is None and stands_out(row)]
        cells = [[_name(row), *difference_cells(row, result)] for row in own]
        yield _table(f"{system} against {result['baseline']}", "score", cells, result)


def label_tables(result: Mapping[str, Any]) -> Iterator[ResultTable]:
    """Yield, for each system, the primary score of each label, its difference, and the test of the difference."""
    for system, rows in _by_system(result):
        if own := [row for row in rows if row["label"] is not None]:
            score = _name(own[0])
            title, note = f"{system} against {result['baseline']} per label, {score}", direction(score)
            yield _table(title, "label", [[row["label"], *difference_cells(row, result)] for row in own], result, note)


def run_tables(result: Mapping[str, Any]) -> Iterator[ResultTable]:
    """Yield, for each system compared by several training runs, how much of the uncertainty comes from training."""
    for system, rows in _by_system(result):
        own = [row for row in rows if max(row["runs"]) > 1 and row["label"] is None and stands_out(row)]
        if own:
            cells: list[list[Cell]] = [
                [_name(row), *row["runs"], row["degrees_of_freedom"], percent(row["share_of_training"])] for row in own
            ]
            header = ["score", "baseline runs", "system runs", "degrees of freedom", "share of training"]
            few = f"few runs: fewer than {FEW_RUNS}" if min(own[0]["runs"]) < FEW_RUNS else ""
            yield ResultTable(f"Training runs of {system} and {result['baseline']}", header, cells, note=few)


DIFFERENCE = ("baseline", "system", "difference", "detectable")
P, ERROR = "p (Holm)", "standard error"
"""The last column: that of collapsed counts, which allow no test, is the other one."""


def difference_cells(row: Mapping[str, Any], result: Mapping[str, Any]) -> list[Cell]:
    """Return both values of a row's score, their difference, the detectable difference and the corrected p, or
    for collapsed counts the standard error."""
    unit = row_unit(row)
    a, b, gap, detectable = (number(row[key], unit) for key in ("baseline_value", "value", "difference", "detectable"))
    bounds = _bounds(row, unit)
    few = row.get("flag") == FEW
    shown = gap if bounds is None or gap is None else Estimate(gap, *bounds, few)
    if result.get("collapsed"):
        return [a, b, shown, detectable, number(row["standard_error"], unit)]
    return [a, b, shown, detectable, p_value(row, "p_holm", result)]


def _bounds(row: Mapping[str, Any], unit: type[float]) -> Interval | None:
    # Only the flag tells an interval without any bound from none.
    found = interval(row["interval"], unit)
    return Interval(-math.inf, math.inf) if found is None and row.get("flag") == UNBOUNDED else found


def _table(title: str, first: str, cells: list[list[Cell]], result: Mapping[str, Any], note: str = "") -> ResultTable:
    last = ERROR if result.get("collapsed") else P
    return ResultTable(title, [first, *DIFFERENCE, last], cells, note=note, own_digits={P: 4})


def all_difference_tables(result: Mapping[str, Any]) -> Iterator[ResultTable]:
    """Yield, for each system, both values of each score, their difference, and its test."""
    header = ["metric", "score", "baseline", "system", "difference", "interval", "p", "p (Holm)"]
    for system, own in _by_system(result):
        rows: list[list[Cell]] = []
        for row in own:
            if row["label"] is None:
                unit = row_unit(row)
                values = (number(row[key], unit) for key in ("baseline_value", "value", "difference"))
                tested = (p_value(row, key, result) for key in ("p", "p_holm"))
                rows.append([row["metric"], _directed(row, row["score"]), *values, _bounds(row, unit), *tested])
        title = f"All scores of {system} against {result['baseline']}"
        yield ResultTable(title, header, rows, own_digits={"p": 4, "p (Holm)": 4})


def _by_system(result: Mapping[str, Any]) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    for system in dict.fromkeys(row["system"] for row in result["comparisons"]):
        yield system, [row for row in result["comparisons"] if row["system"] == system]


def stands_out(row: Mapping[str, Any]) -> bool:
    """Return whether a row is tested or shows a headline score."""
    return bool(row["family"] or row["headline"])


def _name(row: Mapping[str, Any]) -> str:
    """Return the name of a row's score: the short one for a headline."""
    if row["headline"] and row["metric"] in names():  # only a registered metric can be made from its name
        return short_name(create(row["metric"]), row["score"])
    return _directed(row, f"{row['metric']} {row['score']}")


def _directed(row: Mapping[str, Any], shown: str) -> str:
    return shown if row["higher_is_better"] else Cost(shown)


def row_unit(row: Mapping[str, Any]) -> type[float]:
    """Return the type of a row's score in cells: `Percent` for a ratio."""
    return Percent if row["score_unit"] == "ratio" else float


def transition_tables(result: Mapping[str, Any]) -> Iterator[ResultTable]:
    """Yield, for each system, the outcomes of the gold spans under the baseline and under the system."""
    for found in result["transitions"]:
        counts = found["counts"]
        outcomes = [key for key in OUTCOMES if key in counts or any(key in row for row in counts.values())]
        rows: list[list[Cell]] = [
            [OUTCOMES[before], *(counts.get(before, {}).get(after, 0) for after in outcomes)] for before in outcomes
        ]
        title = f"Gold spans under {result['baseline']} (rows) and {found['system']} (columns)"
        yield ResultTable(title, [result["baseline"], *(OUTCOMES[key] for key in outcomes)], rows)


def span_tables(result: Mapping[str, Any]) -> Iterator[ResultTable]:
    """Yield, for each system, the gold spans whose outcome differs from the baseline's."""
    header = ["document", "start", "end", "label", "text", result["baseline"]]
    for transition in result["transitions"]:
        rows: list[list[Cell]] = [
            [
                *(span[key] for key in ("document", "start", "end", "label")),
                clipped(span["text"]) if span["text"] is not None else None,
                OUTCOMES[span["from"]],
                OUTCOMES[span["to"]],
            ]
            for span in transition["spans"]
        ]
        yield ResultTable(f"Changed spans of {transition['system']}", [*header, transition["system"]], rows, most=MOST)


COMPARED: dict[str, Callable[[Mapping[str, Any]], Iterable[ResultTable]]] = {
    "differences": difference_tables,
    "labels": label_tables,
    "runs": run_tables,
    "transitions": transition_tables,
    "spans": span_tables,
    "all-differences": all_difference_tables,
}
"""The values of `--tables`, and the function that makes the tables of each."""

AT_TERMINAL = ("differences", "labels")
"""The tables that a terminal shows by default."""

USUAL = (*AT_TERMINAL, "runs", "transitions", "spans")
"""The tables of other formats by default."""


def footer(result: Mapping[str, Any]) -> list[str]:
    """Return what was tested and how, what it is based on, what was left out, and a warning if there are few units."""
    rule = result["unit"]
    read = ((own["system"], read_with(own)) for own in result.get("on_reading", ()))
    return [
        what_was_tested(result),
        *least_p(result),
        *rests_on(result),
        *(visible(f"ℹ {system}: {', '.join(parts)}.") for system, parts in read if parts),
        *unit_lines(rule),
        *warning(result["units"], result["effective_units"], rule),
    ]
