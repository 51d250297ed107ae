"""What people see of one system that was trained several times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ..evaluation.conclusion import Footing, footer
from ..io.writing import visible
from .comparison_view import few_runs
from .declared import headlines, short_name
from .remarks import bounded_by, interval_lines, many, read_with
from .result_table import Cell, ResultTable
from .score_tables import number, percent, unit_of
from .score_view import ScoreView
from .view import Finding, Makers

NOTHING: Mapping[str, Any] = {"share_of_training": None}
"""Stands in for the interval of a number of spans, which has no interval."""


class RunsView(ScoreView):
    """The tables and sentences of one system's training runs: the counts of the first run, with what `evaluate_runs`
    returns."""

    def runs(self) -> Iterator[ResultTable]:
        """Yield the spread of the headline scores over the training runs."""
        given, rows = self.given, list[list[Cell]]()
        for metric in given.metrics:
            own = given.result["metrics"][metric.name]["runs"]
            means, bounds = given.overall(metric.name)
            spread = own["scores"] if given.average == "micro" else own["averages"].get(given.average, {})
            for name in headlines(metric, [*means]) if means else []:
                values = (means[name], *(spread[name][key] for key in ("sd", "least", "greatest")))
                scaled = (number(value, unit_of(metric, name)) for value in values)
                share = bounds.get(name, NOTHING)["share_of_training"]
                rows.append([short_name(metric, name), *scaled, percent(share)])
        header, few = ["score", "mean", "sd", "least", "greatest", "share of training"], self._few
        yield ResultTable("Training runs", header, rows, note="; ".join([given.average, *([few] if few else [])]))

    makers: ClassVar[Makers] = {
        "headline": ScoreView.makers["headline"],
        "scores": ScoreView.makers["scores"],
        "runs": runs,
        "labels": ScoreView.makers["labels"],
        "label-scores": ScoreView.makers["label-scores"],
    }
    at_terminal: ClassVar[Sequence[str]] = ("headline", "runs")
    usual: ClassVar[Sequence[str]] = ("scores", "runs", "labels")

    @property
    def scored(self) -> str:
        """What was scored, and what was left out or changed on reading."""
        result, few = self.given.result, self._few
        parts = [f"{result['system']}: means of {many(result['runs'], 'training run')}{few and f' ({few})'}"]
        parts += [many(result["documents"], "document"), many(result["gold"], "gold span")]
        return visible(", ".join([*parts, *read_with(result)]))

    @property
    def _few(self) -> str:
        return few_runs([self.given.result["runs"]])

    def _most_errors(self) -> None:
        return None  # the counts are those of one run

    def findings(self) -> list[Finding]:
        """Return sentences on the mean scores, overall and of labels."""
        return [self._main_score(), self._lowest_label()]

    def closing(self) -> list[str]:
        """Return what the intervals mean and are based on, and a warning if there are few units."""
        result = self.given.result
        drawn = result["confidence"]
        unit, units, effective, level = (drawn[key] for key in ("unit", "units", "effective_units", "level"))
        documents = result["documents"]
        footing = Footing(unit, units, effective, drawn["seed"], level=level, runs=(result["runs"],))
        return [
            f"Intervals ({100 * level:g} %) are for the expected score when the system is trained again and scored on "
            f"other texts like these. Their variance is that by {bounded_by(drawn, documents)} plus that of the mean "
            "over the training runs.",
            footer(footing),
            *interval_lines(drawn, documents),
        ]
