"""Systems next to each other, as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..evaluation.error_list import clipped
from ..evaluation.transitions import OUTCOMES
from ..metrics.registry import create_all
from .formats import Cell, Interval, Table
from .tables import MOST, headline, percent, score_cell, short, warning


def side_by_side(results: Mapping[str, Mapping[str, Any]], *, digits: int = 2) -> Iterator[Table]:
    """The results of several systems, by their names, in one table each of scores, counts and labels."""
    first = next(iter(results.values()))
    metrics = create_all({name: own["settings"] for name, own in first["metrics"].items()})
    scores: list[list[Cell]] = []
    counts: list[list[Cell]] = []
    for metric in metrics:
        owns = [result["metrics"][metric.name] for result in results.values()]
        scores += [
            [key, *(score_cell(metric, name, own["scores"]) for own in owns)] for key, name in metric.flat.items()
        ]
        names = dict.fromkeys(name for own in owns for name in own["counts"])
        counts += [[metric.name, name, *(own["counts"].get(name) for own in owns)] for name in names]
    yield Table("Scores", ["score", *results], scores, digits=digits)
    yield Table("Counts", ["metric", "count", *results], counts, digits=digits)
    rows: list[list[Cell]] = []
    for label in sorted(
        {label for result in results.values() for label in result["metrics"][metrics[0].name]["per_type"]}
    ):
        for metric in metrics:
            rated = [
                result["metrics"][metric.name]["per_type"].get(label, {"scores": {}}) for result in results.values()
            ]
            for name in headline(metric, first["metrics"][metric.name]["per_type"]):
                rows.append([label, short(metric, name), *(score_cell(metric, name, own["scores"]) for own in rated)])
    yield Table("Per label", ["label", "score", *results], rows, digits=digits)


def comparison_tables(result: Mapping[str, Any], wanted: Iterable[str] = (), *, digits: int = 2) -> Iterator[Table]:
    """The tables of those names of a comparison, by default all."""
    for name in wanted or COMPARED:
        for table in COMPARED[name](result):
            yield table._replace(digits=digits)


def difference_tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """Both values of each score, their difference and its test, a table per system."""
    header = ["metric", "score", "baseline", "system", "difference", "interval", "p", "p (Holm)"]
    for system in dict.fromkeys(row["system"] for row in result["comparisons"]):
        rows: list[list[Cell]] = []
        for row in result["comparisons"]:
            if row["system"] == system:
                low, high = map(percent, row["interval"])
                interval = None if low is None or high is None else Interval(low, high)
                values = (percent(row[key]) for key in ("baseline_value", "value", "difference"))
                rows.append([row["metric"], row["score"], *values, interval, row["p"], row["p_holm"]])
        yield Table(f"{system} against {result['baseline']}", header, rows, own_digits={"p": 4, "p (Holm)": 4})


def transition_tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """What became of the gold spans, a table per system."""
    for found in result["transitions"]:
        kinds = list(dict.fromkeys([*found["counts"], *(to for row in found["counts"].values() for to in row)]))
        kinds.sort(key=OUTCOMES.index)
        rows: list[list[Cell]] = [[kind, *(found["counts"].get(kind, {}).get(to, 0) for to in kinds)] for kind in kinds]
        title = f"Gold spans under {result['baseline']} (rows) and {found['system']} (columns)"
        yield Table(title, [result["baseline"], *kinds], rows)


def span_tables(result: Mapping[str, Any]) -> Iterator[Table]:
    """The gold spans that another verdict was passed on, a table per system."""
    header = ["document", "start", "end", "label", "text", result["baseline"]]
    for found in result["transitions"]:
        rows: list[list[Cell]] = [
            [
                *(span[key] for key in ("document", "start", "end", "label")),
                clipped(span["text"] or ""),
                span["from"],
                span["to"],
            ]
            for span in found["spans"]
        ]
        yield Table(f"Changed spans of {found['system']}", [*header, found["system"]], rows, most=MOST)


COMPARED: dict[str, Callable[[Mapping[str, Any]], Iterable[Table]]] = {
    "differences": difference_tables,
    "transitions": transition_tables,
    "spans": span_tables,
}


def footer(result: Mapping[str, Any]) -> list[str]:
    """What was tested, in plain words."""
    drawn = result["confidence"]
    swaps = f"all {result['swaps']}" if result["exact"] else f"{result['swaps']} random"
    lines = [
        f"Tested was whether each difference could come about if it made no matter which of the two systems had "
        f"produced a document's predictions: a two-sided paired permutation test over {result['units']} documents, "
        f"{swaps} swaps. p (Holm) is corrected for all {len(result['comparisons'])} tests of this report. Intervals "
        f"are those of the difference, {100 * drawn['level']:g} % of {drawn['samples']} resamples of the documents, "
        "the same for both systems."
    ]
    return lines + warning(result["units"])
