"""What people see of a plan: how many documents answer each question, and how often fewer or more would."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ..evaluation.gate_policy import DIFFERENCE
from ..evaluation.statistics.conclusion import unit_name
from ..evaluation.statistics.differences import LEAST_DIFFERING
from ..io.writing import visible
from .gate_view import demand, number_of, subject
from .remarks import many
from .result_table import Cell, Percent, ResultTable
from .view import Finding, Makers, View

Row = Mapping[str, Any]


class PlanView(View):
    """The tables and sentences of a plan.

    Args:
        result: What `evaluation.sample_size.plan` returns, or its JSON.
    """

    at_terminal: ClassVar[Sequence[str]] = ("needed", "curve")
    usual: ClassVar[Sequence[str]] = ("needed", "curve")

    def __init__(self, result: Mapping[str, Any]) -> None:
        self.result = result
        self._rows: Sequence[Row] = result["questions"]

    @property
    def _units(self) -> str:
        """The name of several units."""
        return f"{unit_name(self.result['unit'], self.result['units'], self.result['documents'])}s"

    def needed(self) -> Iterator[ResultTable]:
        """Yield how many units answer each question, and how roughly that is known."""
        header = ["question", "subject", "demand", "in the pilot", "needed", "between", "with the pilot"]
        cells: list[list[Cell]] = [
            [
                row["name"],
                subject(row),
                demand(row),
                None if row["kind"] == DIFFERENCE else number_of(row, row["value"]),
                row["units_needed"],
                row["units_between"] and "{:,} to {:,}".format(*row["units_between"]),
                None if row["answered"] is None else Percent(row["answered"]),
            ]
            for row in self._rows
        ]
        often = f"answered in {100 * self.result['power']:g} % of such corpora"
        yield ResultTable(f"{self._units.capitalize()} needed", header, cells, note=often)

    def curve(self) -> Iterator[ResultTable]:
        """Yield how often corpora of several sizes answer each question."""
        rows = [row for row in self._rows if row["curve"] and row["curve"][0]["answered"] is not None]
        if rows:
            cells: list[list[Cell]] = [
                [points_of[0]["units"], *(Percent(point["answered"]) for point in points_of)]
                for points_of in zip(*(row["curve"] for row in rows))
            ]
            header = [self._units, *(row["name"] for row in rows)]
            yield ResultTable("How often they answer", header, cells, note="in per cent of simulated corpora")

    makers: ClassVar[Makers] = {"needed": needed, "curve": curve}

    def headline(self) -> str:
        """Return how many units answer all questions, in one line.

        >>> PlanView({"questions": [], "unit": "id", "units": 9, "documents": 9}).headline()
        'nothing is asked'
        """
        if not self._rows:
            return "nothing is asked"
        known = [row["units_needed"] for row in self._rows if row["units_needed"]]
        open_ones = [row["name"] for row in self._rows if not row["units_needed"]]
        unknown = [visible(f"no number can be given for {', '.join(open_ones)}")] if open_ones else []
        if not known:
            return unknown[0]
        which = "it" if len(self._rows) == 1 else "each of the others" if open_ones else "each question"
        return "; ".join([f"about {max(known):,} {self._units} like these answer {which} 4 times in 5", *unknown])

    def findings(self) -> list[Finding]:
        """Return the headline."""
        return [Finding("headline", self.headline())]

    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return the headline."""
        return [self.headline()]

    def closing(self) -> list[str]:
        """Return why there is no number, and what the numbers assume."""
        lines = [visible(f"{row['name']}: {self._reason(row)}.") for row in self._rows if not row["units_needed"]]
        pilot = f"the pilot of {many(self.result['units'], self._units[:-1])}"
        rules = any(row["kind"] != DIFFERENCE for row in self._rows)
        lines.append(
            f"The {self._units} to come are taken to be like those of {pilot}"
            f"{', and values to stay what they are in it' if rules else ''}. A pilot knows roughly how much "
            f"{self._units} differ: the range is that of the number needed, at 90 %."
        )
        if any(row["kind"] == DIFFERENCE for row in self._rows):
            lines.append(
                f"A difference is taken to be spread over the {self._units} as that between the two systems of the "
                "pilot is. Systems that are more alike need fewer."
            )
        return lines

    def _reason(self, row: Row) -> str:
        """Return why a question has no number."""
        if not row["effective_units"]:
            return "there are no such spans in the pilot, or the score is undefined without one of its documents"
        if row["differing"] is not None and row["differing"] < LEAST_DIFFERING:
            return (
                f"the systems differ in {many(row['differing'], self._units[:-1])}, too few to say how much they vary"
            )
        if row["few"]:
            return (
                f"the pilot has effectively {row['effective_units']:.1f} {self._units} with such spans, too few to say "
                "how much they vary: annotate a larger one first"
            )
        return f"the value in the pilot is so close to the bound that more {self._units} like these would hardly decide"
