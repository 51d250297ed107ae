"""Tables of one system that was trained several times, and the sentences around them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..evaluation.statistics.conclusion import Footing, footer
from ..evaluation.statistics.runs import FEW_RUNS
from ..io.writing import visible
from .declared import headlines, short_name
from .evaluated import Evaluated
from .headline import headline_tables
from .remarks import bounded_by, interval_lines, many, read_with
from .result_table import Cell, ResultTable
from .score_cells import number, percent, unit_of
from .score_tables import label_score_tables, label_tables, score_tables

NOTHING: Mapping[str, Any] = {"share_of_training": None}
"""Stands in for the interval of a number of spans, which has no interval."""


def spread_tables(given: Evaluated) -> Iterator[ResultTable]:
    """Yield the spread of the headline scores over the training runs."""
    rows: list[list[Cell]] = []
    for metric in given.counts.metrics:
        own = given.result["metrics"][metric.name]
        (means, bounds), runs = given.overall(metric.name), _of_average(own["runs"], given.average)
        for name in headlines(metric, [*means]) if means else []:
            values = (means[name], *(runs[name][key] for key in ("sd", "least", "greatest")))
            scaled = (number(value, unit_of(metric, name)) for value in values)
            rows.append([short_name(metric, name), *scaled, percent(bounds.get(name, NOTHING)["share_of_training"])])
    header = ["score", "mean", "sd", "least", "greatest", "share of training"]
    yield ResultTable("Training runs", header, rows, note=_note(given))


def _of_average(table: Mapping[str, Any], average: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = table["scores"] if average == "micro" else table["averages"].get(average, {})
    return found


def _note(given: Evaluated) -> str:
    few = [f"few runs: fewer than {FEW_RUNS}"] if given.result["few_runs"] else []
    return "; ".join([given.average, *few])


RUN_TABLES: dict[str, Callable[[Evaluated], Iterable[ResultTable]]] = {
    "headline": headline_tables,
    "scores": score_tables,
    "runs": spread_tables,
    "labels": label_tables,
    "label-scores": label_score_tables,
}
"""The tables of several training runs: each name, and the function that makes its tables."""

AT_TERMINAL_OF_RUNS = ("headline", "runs")
"""The tables that a terminal shows by default."""

USUAL_OF_RUNS = ("scores", "runs", "labels")
"""The tables of other formats by default."""


def tables_of_runs(given: Evaluated, wanted: Iterable[str], *, digits: int = 2) -> Iterator[ResultTable]:
    """Yield tables of the mean scores of one system's training runs.

    Args:
        given: The counts of the first run, with what `evaluate_runs` returns.
        wanted: Names of tables, keys of `RUN_TABLES`.
        digits: Decimal places of numbers that are not whole.
    """
    for name in wanted:
        for table in RUN_TABLES[name](given):
            yield table._replace(digits=digits)


def run_heading(result: Mapping[str, Any]) -> str:
    """Return a sentence on what was scored, and what was left out or changed on reading.

    Args:
        result: What `evaluate_runs` returns.

    >>> result = {"documents": 9, "gold": 20, "runs": 3, "few_runs": True, "system": "A", "skipped": [1, 1, 1]}
    >>> run_heading(result | {"duplicates": [0, 2, 0]})
    'A: means of 3 training runs (few runs: fewer than 5), 9 documents, 20 gold spans, 1 document without annotation \
skipped, spans given again and counted once: 0, 2 and 0 in the runs'
    """
    few = f" (few runs: fewer than {FEW_RUNS})" if result["few_runs"] else ""
    parts = [f"{result['system']}: means of {many(result['runs'], 'training run')}{few}"]
    parts += [many(result["documents"], "document"), many(result["gold"], "gold span")]
    return visible(", ".join([*parts, *read_with(result)]))


def run_footer(result: Mapping[str, Any]) -> list[str]:
    """Return what the intervals mean and are based on, and a warning if there are few units.

    Args:
        result: What `evaluate_runs` returns.
    """
    drawn = result["confidence"]
    unit, units, effective, level = (drawn[key] for key in ("unit", "units", "effective_units", "level"))
    footing = Footing(unit, units, effective, drawn["seed"], level=level, runs=(result["runs"],))
    return [
        f"Intervals ({100 * level:g} %) are for the expected score when the system is trained again and scored on "
        f"other texts like these. Their variance is that by {bounded_by(drawn)} plus that of the mean over the "
        "training runs.",
        footer(footing),
        *interval_lines(drawn),
    ]
