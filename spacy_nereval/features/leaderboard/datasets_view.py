"""The tables and sentences on comparisons of the same systems on several data sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ...core.messages import many
from ...evaluation.differences import LEAST_DIFFERING
from ...io.writing import visible
from ...reporting.comparison_view import P_DIGITS, P_HOLM, P, Row, row_unit
from ...reporting.declared import score_words
from ...reporting.result_table import Cell, Cost, PValue, ResultTable, direction
from ...reporting.score_tables import interval, p_value, value_cell
from ...reporting.view import Finding, Makers, View


class DataSetsView(View):
    """The tables and sentences on the number of data sets in which a system is better.

    Args:
        result: What `datasets.data_sets` returns, or its JSON.
    """

    at_terminal: ClassVar[Sequence[str]] = ("data-sets", "counts")
    usual: ClassVar[Sequence[str]] = at_terminal

    def __init__(self, result: Mapping[str, Any]) -> None:
        self.result = result

    def data_sets(self) -> Iterator[ResultTable]:
        """Yield the difference in each data set, and its test."""
        result = self.result
        name = score_words(result["metric"], result["score"])
        score, unit = name if result["higher_is_better"] else Cost(name), row_unit(result)
        rows: list[list[Cell]] = [
            [
                row["data_set"],
                value_cell(row["difference"], unit),
                interval(row["interval"], unit),
                p_value(row, "p_better", row, "p_better"),
                p_value(row, "p_holm", row, "p_better"),
                "yes" if row["named"] else "no",
            ]
            for row in result["data_sets"]
        ]
        header = ["data set", "difference", "interval", "p (one-sided)", P_HOLM, "named"]
        title, digits = f"{result['system']} against {result['baseline']} by {score}", {"p (one-sided)": 4, P_HOLM: 4}
        yield ResultTable(
            title, header, rows, note=direction(score), own_digits=digits, abbreviated={"named": "counted"}
        )

    def counts(self) -> Iterator[ResultTable]:
        """Yield each number of data sets with its p-value, and whether it is supported."""
        bounds = sum(p.is_bound for p in self._p_values())
        rows: list[list[Cell]] = [
            [
                f"{least} of {self.result['number']}",
                PValue.create(p, least <= bounds),
                "yes" if least <= self.result["least"] else "no",
            ]
            for least, p in enumerate(self.result["p"], 1)
        ]
        yield ResultTable("Better in at least", ["data sets", P, "supported"], rows, own_digits=P_DIGITS)

    makers: ClassVar[Makers] = {"data-sets": data_sets, "counts": counts}

    def _p_values(self) -> list[PValue]:
        p_values = (p_value(row, "p_better", row, "p_better") for row in self.result["data_sets"])
        return [p for p in p_values if p is not None]

    def findings(self) -> list[Finding]:
        """Return the verdict."""
        return [Finding("headline", visible(self.result["verdict"]))]

    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return the verdict."""
        return [f"{finding.sentence}." for finding in self.findings()]

    def closing(self) -> list[str]:
        """Return a description of the tests, and which data sets had no test.

        >>> row = {"data_set": "chat", "p_better": None, "differing": 4}
        >>> result = {"method": "bonferroni", "level": 0.95, "baseline": "A", "system": "B", "data_sets": [row]}
        >>> for line in DataSetsView(result).closing():
        ...     print(line)
        Tested in each data set: B is better than A (one-sided). The p-values are combined by Bonferroni's method, \
valid for any data sets. The chance that the count is too high is at most 5 %. Data sets are named by \
Holm's correction; the chance that any name is wrong is at most 5 %.
        ⚠ No test in chat: in this score the outputs differ in 4 units, and a test needs 6. It counts as p = 1.
        """
        result = self.result
        rate = f"{100 * (1 - result['level']):.3g} %"
        combined = (
            "by Fisher's method, valid only for data sets that share neither texts nor trained models"
            if result["method"] == "fisher"
            else "by Bonferroni's method, valid for any data sets"
        )
        lines = [
            f"Tested in each data set: {result['system']} is better than {result['baseline']} (one-sided). The "
            f"p-values are combined {combined}. The chance that the count is too high is at most {rate}. "
            f"Data sets are named by Holm's correction; the chance that any name is wrong is at most {rate}."
        ]
        if any(p.is_bound for p in self._p_values()):
            lines.append("< before a p-value: the permutations of that comparison cannot show a smaller one.")
        lines += [
            f"⚠ No test in {row['data_set']}: {_no_test_reason(row)}. It counts as p = 1."
            for row in result["data_sets"]
            if row["p_better"] is None
        ]
        return [*map(visible, lines)]


def _no_test_reason(row: Row) -> str:
    units = row["differing"]
    if units is not None and units < LEAST_DIFFERING:
        return f"in this score the outputs differ in {many(units, 'unit')}, and a test needs {LEAST_DIFFERING}"
    if units is None and row["difference"] is not None:
        return "its counts are collapsed and keep no documents to permute"
    return "the score is undefined there for one of the two"
