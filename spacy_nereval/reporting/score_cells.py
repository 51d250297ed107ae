"""Scores of a result as table cells, each with its interval if it has one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..core.declaration import Metric
from ..evaluation.statistics.bounds import FEW
from ..evaluation.statistics.differences import at_floor
from .result_table import Cell, Estimate, Interval, Percent, PValue


def percent(number: float | None, whole: float = 1) -> Percent | None:
    """Return `number` as a share of `whole`, shown in percent; None if either is undefined or `whole` is 0.

    >>> percent(1, 8), percent(None), percent(0, 0)
    (0.125, None, None)
    """
    return Percent(number / whole) if number is not None and whole else None


def interval(found: Any, unit: type[float] = float) -> Interval | None:
    """Return the bounds that a result has for a score; None if they are undefined or missing.

    Everything that reads intervals from a result reads them here. JSON has no infinity, so
    one bound that is None beside another that is not stands for an infinite one.

    Args:
        found: {"low", "high", "k", "flag"}, or for a difference [low, high]; None for no interval.
        unit: The type of the bounds, as `unit_of` returns it.

    >>> interval({"low": 0.25, "high": 0.75}), interval([None, None]), interval(None)
    (Interval(low=0.25, high=0.75), None, None)
    >>> interval({"low": 0.25, "high": None})
    Interval(low=0.25, high=inf)
    """
    low, high = (found["low"], found["high"]) if isinstance(found, Mapping) else found or (None, None)
    if low is None and high is None:
        return None
    return Interval(unit(-math.inf if low is None else low), unit(math.inf if high is None else high))


def unit_of(metric: Metric, name: str) -> type[float]:
    """Return the type of a score in cells: `Percent` for a ratio."""
    return Percent if metric.score_by_name[name].unit == "ratio" else float


def number(value: float | None, unit: type[float]) -> float | None:
    """Return a value as a cell, None if it is undefined.

    >>> number(0.25, Percent), number(7, float), number(None, Percent)
    (0.25, 7, None)
    """
    return Percent(value) if value is not None and unit is Percent else value


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
    Estimate(value=0.5, low=0.25, high=0.75, few=False)
    """
    unit = unit_of(metric, name)
    value = number(scores.get(name), unit)
    row = intervals.get(name)
    bounds = interval(row, unit)
    return value if value is None or row is None or bounds is None else Estimate(value, *bounds, row.get("flag") == FEW)


def score_cells(
    metric: Metric, names: tuple[str, ...], scores: Mapping[str, Any], intervals: Mapping[str, Any] = {}
) -> list[Cell]:
    """Return several scores as cells, in the order of `names`."""
    return [score_cell(metric, name, scores, intervals) for name in names]


def p_value(row: Mapping[str, Any], key: str, result: Mapping[str, Any], raw: str = "p") -> PValue | None:
    """Return a p-value as a cell, a bound where this number of swaps cannot give a smaller one.

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
    return PValue.of(p, at_floor(row.get(raw), swaps, exact=result["exact"]))
