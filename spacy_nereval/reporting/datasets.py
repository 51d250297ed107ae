"""Tables that say in how many data sets a system is better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..evaluation.statistics.differences import LEAST_DIFFERING
from .comparison import row_unit
from .result_table import AtMost, Cell, Cost, ResultTable, direction
from .score_cells import interval, number, p_value


def data_set_tables(result: Mapping[str, Any], *, digits: int = 2) -> Iterator[ResultTable]:
    """Yield a table of the data sets, and one of the counts that their p-values allow.

    Args:
        result: What `evaluation.datasets.data_sets` returns.
        digits: Decimal places of numbers that are not whole; p-values have 4.
    """
    name = f"{result['metric']} {result['score']}"
    score, unit = name if result["higher_is_better"] else Cost(name), row_unit(result)
    rows: list[list[Cell]] = [
        [
            row["data_set"],
            number(row["difference"], unit),
            interval(row["interval"], unit),
            p_value(row, "p_better", row, "p_better"),
            p_value(row, "p_holm", row, "p_better"),
            "yes" if row["named"] else "no",
        ]
        for row in result["data_sets"]
    ]
    yield ResultTable(
        f"{result['system']} against {result['baseline']} by {score}",
        ["data set", "difference", "interval", "p (one-sided)", "p (Holm)", "named"],
        rows,
        note=direction(score),
        digits=digits,
        own_digits={"p (one-sided)": 4, "p (Holm)": 4},
    )
    smallest = sum(isinstance(row[3], AtMost) for row in rows)
    counts: list[list[Cell]] = [
        [
            f"{least} of {result['number']}",
            AtMost(p) if least <= smallest else p,
            "yes" if least <= result["least"] else "no",
        ]
        for least, p in enumerate(result["p"], 1)
    ]
    yield ResultTable("Better in at least", ["data sets", "p", "supported"], counts, digits=digits, own_digits={"p": 4})


def footer(result: Mapping[str, Any]) -> list[str]:
    """Return what was tested and how, and which data sets had no test.

    Args:
        result: What `evaluation.datasets.data_sets` returns.

    Example:
        >>> row = {"data_set": "chat", "p_better": None, "differing": 4}
        >>> result = {"method": "bonferroni", "level": 0.95, "baseline": "A", "system": "B", "data_sets": [row]}
        >>> for line in footer(result):
        ...     print(line)
        Tested in each data set: B is better than A (one-sided). The p-values are combined by Bonferroni's method, \
which holds for data sets of any kind. The chance that the count is too high is at most 5 %. Data sets are named by \
Holm's correction; the chance that any name is wrong is at most 5 %.
        ⚠ No test in chat: the outputs differ in 4 units, and a test needs 6. It counts as p = 1.
    """
    rate = f"{100 * (1 - result['level']):.3g} %"
    combined = (
        "by Fisher's method, which holds only for data sets that share neither texts nor trained models"
        if result["method"] == "fisher"
        else "by Bonferroni's method, which holds for data sets of any kind"
    )
    lines = [
        f"Tested in each data set: {result['system']} is better than {result['baseline']} (one-sided). The "
        f"p-values are combined {combined}. The chance that the count is too high is at most {rate}. "
        f"Data sets are named by Holm's correction; the chance that any name is wrong is at most {rate}."
    ]
    if any(isinstance(p_value(row, "p_better", row, "p_better"), AtMost) for row in result["data_sets"]):
        lines.append("≤ before a p-value: the swaps of that comparison cannot give a smaller one.")
    for row in result["data_sets"]:
        if row["p_better"] is None:
            units = row["differing"]
            few = units is not None and units < LEAST_DIFFERING
            why = (
                f"the outputs differ in {units} unit{'s' * (units != 1)}, and a test needs {LEAST_DIFFERING}"
                if few
                else "its counts are collapsed and keep no documents to swap"
                if units is None and row["difference"] is not None
                else "the score is undefined there for one of the two"
            )
            lines.append(f"⚠ No test in {row['data_set']}: {why}. It counts as p = 1.")
    return lines
