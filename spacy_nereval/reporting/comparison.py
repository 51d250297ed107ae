"""Tables that compare systems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..core.declaration import Metric
from ..metrics.registry import create, create_all, names
from .declared import keys, noted, short_name
from .marked_text import clipped
from .score_cells import interval, scale, score_cell
from .score_tables import MOST, first_headlines
from .sentences import unit_lines, warning, what_was_tested
from .table import Cell, Table
from .words import OUTCOMES


def side_by_side(results: Mapping[str, Mapping[str, Any]], *, digits: int = 2) -> Iterator[Table]:
    """Yield one table each of the scores, counts and labels of several systems.

    Args:
        results: System names to results, all of the same metrics.
        digits: Decimal places of numbers that are not whole.
    """
    first = next(iter(results.values()))
    metrics = create_all({name: own["settings"] for name, own in first["metrics"].items()})
    scores: list[list[Cell]] = []
    counts: list[list[Cell]] = []
    for metric in metrics:
        owns = [result["metrics"][metric.name] for result in results.values()]
        scores += [
            [key, *(score_cell(metric, name, own["scores"]) for own in owns)] for key, name in keys(metric).items()
        ]
        counted = dict.fromkeys(name for own in owns for name in own["counts"])
        counts += [[metric.name, name, *(own["counts"].get(name) for own in owns)] for name in counted]
    yield Table("Scores", ["score", *results], scores, digits=digits)
    yield Table("Counts", ["metric", "count", *results], counts, digits=digits)
    yield _labels_side_by_side(results, metrics)._replace(digits=digits)


def _labels_side_by_side(results: Mapping[str, Mapping[str, Any]], metrics: Iterable[Metric]) -> Table:
    found = [{m.name: result["metrics"][m.name]["per_type"] for m in metrics} for result in results.values()]
    rows: list[list[Cell]] = []
    for label in sorted({label for labels_of in found for per_type in labels_of.values() for label in per_type}):
        for metric in metrics:
            scores = [labels_of[metric.name].get(label, {"scores": {}})["scores"] for labels_of in found]
            for name in first_headlines(metric, found[0][metric.name]):
                rows.append([label, short_name(metric, name), *(score_cell(metric, name, own) for own in scores)])
    return Table("Per label", ["label", "score", *results], rows)


def comparison_tables(result: Mapping[str, Any], wanted: Iterable[str] = (), *, digits: int = 2) -> Iterator[Table]:
    """Yield tables of a comparison.

    Args:
        result: What `evaluation.comparison.comparison` returns.
        wanted: Names of tables, keys of `COMPARED`; by default all.
        digits: Decimal places of numbers that are not whole.
    """
    for name in wanted or COMPARED:
        for table in COMPARED[name](result):
            yield table._replace(digits=digits)


def difference_tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """Yield, for each system, both values of each score, their difference, and the test of it."""
    header = ["metric", "score", "baseline", "system", "difference", "interval", "p", "p (Holm)"]
    for system in dict.fromkeys(row["system"] for row in result["comparisons"]):
        rows: list[list[Cell]] = []
        for row in result["comparisons"]:
            if row["system"] == system:
                factor = _scale(row["metric"], row["score"])
                values = (row[key] for key in ("baseline_value", "value", "difference"))
                scaled = [None if value is None else factor * value for value in values]
                bounds = interval(row["interval"], factor)
                rows.append([row["metric"], row["score"], *scaled, bounds, row["p"], row["p_holm"]])
        title = f"{system} against {result['baseline']}"
        yield Table(title, header, rows, note=_costs(result), own_digits={"p": 4, "p (Holm)": 4})


def _costs(result: Mapping[str, Any]) -> str:
    """Return which scores of a comparison are the better the lower they are."""
    known = [(row["metric"], row["score"]) for row in result["comparisons"] if row["metric"] in names()]
    return noted("", [(create(metric), score) for metric, score in dict.fromkeys(known)])


def _scale(metric: str, score: str) -> int:
    # A comparison names its metrics. One that is not registered has ratios, as most have.
    return scale(create(metric), score) if metric in names() else 100


def transition_tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """Yield, for each system, the outcomes of the gold spans under the baseline and under the system."""
    for found in result["transitions"]:
        counts = found["counts"]
        outcomes = [key for key in OUTCOMES if key in counts or any(key in row for row in counts.values())]
        rows: list[list[Cell]] = [
            [OUTCOMES[before], *(counts.get(before, {}).get(after, 0) for after in outcomes)] for before in outcomes
        ]
        title = f"Gold spans under {result['baseline']} (rows) and {found['system']} (columns)"
        yield Table(title, [result["baseline"], *(OUTCOMES[key] for key in outcomes)], rows)


def span_tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """Yield, for each system, the gold spans whose outcome differs from the baseline's."""
    header = ["document", "start", "end", "label", "text", result["baseline"]]
    for found in result["transitions"]:
        rows: list[list[Cell]] = [
            [
                *(span[key] for key in ("document", "start", "end", "label")),
                clipped(span["text"] or ""),
                OUTCOMES[span["from"]],
                OUTCOMES[span["to"]],
            ]
            for span in found["spans"]
        ]
        yield Table(f"Changed spans of {found['system']}", [*header, found["system"]], rows, most=MOST)


COMPARED: dict[str, Callable[[Mapping[str, Any]], Iterable[Table]]] = {
    "differences": difference_tables,
    "transitions": transition_tables,
    "spans": span_tables,
}
"""The names that `--tables` takes, and the function that makes the tables of each."""


def footer(result: Mapping[str, Any]) -> list[str]:
    """Return what was tested and how, and a warning if there are few documents."""
    rule = result.get("unit", "id")
    return [what_was_tested(result), *unit_lines(rule), *warning(result["units"], rule)]
