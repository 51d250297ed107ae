"""What people see of one system that was trained several times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ..evaluation.statistics.conclusion import Footing, footer, unit_name
from ..io.writing import visible
from .comparison_view import few_runs
from .declared import headlines, short_name
from .evaluated import Evaluated
from .headline import headline_tables, summary_lines
from .remarks import many, read_with, unit_lines, warning
from .result_table import Cell, ResultTable
from .score_cells import number, percent, unit_of
from .score_tables import label_score_tables, label_tables, score_tables
from .view import Finding, View

NOTHING: Mapping[str, Any] = {"share_of_training": None}
"""Stands in for the interval of a number of spans, which has no interval."""


class RunsView(View):
    """The tables and sentences on the mean scores of several training runs.

    Args:
        given: The counts of the first run, with what `evaluate_runs` returns.
    """

    at_terminal: ClassVar[Sequence[str]] = ("headline", "runs")
    usual: ClassVar[Sequence[str]] = ("scores", "runs", "labels")

    def __init__(self, given: Evaluated) -> None:
        self.given = given
        self.result = given.result

    def runs(self) -> Iterator[ResultTable]:
        """Yield the spread of the headline scores over the training runs."""
        rows: list[list[Cell]] = []
        for metric in self.given.counts.metrics:
            own = self.result["metrics"][metric.name]["runs"]
            means, bounds = self.given.overall(metric.name)
            spread = own["scores"] if self.given.average == "micro" else own["averages"].get(self.given.average, {})
            for name in headlines(metric, [*means]) if means else []:
                values = (means[name], *(spread[name][key] for key in ("sd", "least", "greatest")))
                scaled = (number(value, unit_of(metric, name)) for value in values)
                share = bounds.get(name, NOTHING)["share_of_training"]
                rows.append([short_name(metric, name), *scaled, percent(share)])
        header = ["score", "mean", "sd", "least", "greatest", "share of training"]
        few = few_runs([self.result["runs"]])
        yield ResultTable("Training runs", header, rows, note="; ".join([self.given.average, *([few] if few else [])]))

    makers = {
        "headline": lambda self: headline_tables(self.given),
        "scores": lambda self: score_tables(self.given),
        "runs": runs,
        "labels": lambda self: label_tables(self.given),
        "label-scores": lambda self: label_score_tables(self.given),
    }

    def findings(self) -> list[Finding]:
        """Return the main score."""
        first, *_ = self.opening()
        return [Finding("headline", first)]

    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return what was scored, the main score, and the other scores."""
        return summary_lines(self.given, self._heading(), digits=digits, errors=False, more=more)

    def closing(self) -> list[str]:
        """Return what the intervals mean and are based on, and a warning if there are few units."""
        drawn = self.result["confidence"]
        unit, units, effective, level = (drawn[key] for key in ("unit", "units", "effective_units", "level"))
        documents = self.result["documents"]
        footing = Footing(unit, units, effective, drawn["seed"], level=level, runs=(self.result["runs"],))
        return [
            f"Intervals ({100 * level:g} %) are for the expected score when the system is trained again and scored on "
            f"other texts like these. Their variance is that of half-samples of "
            f"{many(units, unit_name(unit, units, documents))} plus that of the mean over the training runs.",
            footer(footing),
            *unit_lines(unit),
            *warning(units, effective, unit, documents),
        ]

    def _heading(self) -> str:
        """Return what was scored, and what was left out or changed on reading."""
        result, few = self.result, few_runs([self.result["runs"]])
        parts = [f"{result['system']}: means of {many(result['runs'], 'training run')}{few and f' ({few})'}"]
        parts += [many(result["documents"], "document"), many(result["gold"], "gold span")]
        return visible(", ".join([*parts, *read_with(result)]))
