"""What `compare` says before and after its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..evaluation.statistics.runs import FEW_RUNS
from ..io.writing import visible
from ..metrics.registry import create, names
from .comparison import difference_cells, row_unit, stands_out
from .declared import spoken
from .remarks import many
from .result_table import AtMost, Estimate, p_cell, shown


def opening_lines(result: Mapping[str, Any], *, digits: int = 2) -> list[str]:
    """Return what a comparison shows: for each system the difference of the primary score, and its verdict.

    Args:
        result: What `evaluation.comparison.comparison` returns.
        digits: Decimal places of numbers that are not whole.

    >>> row = {"metric": "strict", "score": "f", "system": "B", "verdict": "the same within 1 point", "runs": [1, 1]}
    >>> row |= dict.fromkeys(["baseline_value", "value", "detectable"])
    >>> row |= {"score_unit": "ratio", "higher_is_better": True}
    >>> row |= {"difference": 0.002, "interval": [-0.004, 0.008], "p": 0.5, "p_holm": 0.5}
    >>> result = {"baseline": "A", "swaps": 1024, "exact": True, "comparisons": [row], "transitions": []}
    >>> opening_lines(result)
    ['B against A: strict F +0.20 [-0.40, 0.80], p (Holm) = 0.5000; the same within 1 point.']
    """
    changes = {transition["system"]: transition["counts"] for transition in result["transitions"]}
    lines = []
    for row in result["comparisons"]:
        if row["verdict"] is not None:
            score, number = _spoken(row), _difference(row, result, digits)
            systems = f"{row['system']} against {result['baseline']}{_runs(row['runs'])}"
            start = f"{systems}: {score} {number}" if number else f"{systems}, {score}"
            rest = [*_changes(changes.get(row["system"])), row["verdict"]]
            lines.append(visible(f"{start}{'; ' if number else ': '}{'; '.join(rest)}."))
    return lines


def _runs(runs: Sequence[int]) -> str:
    """Return the numbers of training runs of the baseline and the system in words; "" with one each."""
    if max(runs) == 1:
        return ""
    few = f" (few runs: fewer than {FEW_RUNS})" if min(runs) < FEW_RUNS else ""
    return f", means of {runs[1]} and {many(runs[0], 'training run')}{few}"


def _difference(row: Mapping[str, Any], result: Mapping[str, Any], digits: int) -> str:
    """Return the difference of a score with its interval and p; "" where it has none of these."""
    _, _, gap, _, p = difference_cells(row, result)
    if not isinstance(gap, Estimate):
        return ""
    if row.get("standard_error") is not None:
        error = shown(row_unit(row)(row["standard_error"]), digits)
        return f"{'' if gap.value < 0 else '+'}{shown(gap, digits)}, standard error {error}"
    if p is None:
        return ""
    said = p.shown(4) if isinstance(p, AtMost) else f"= {p_cell(row['p_holm'])}"
    return f"{'' if gap.value < 0 else '+'}{shown(gap, digits)}, p (Holm) {said}"


def _spoken(row: Mapping[str, Any]) -> str:
    metric, score = row["metric"], row["score"]
    return spoken(create(metric), score) if metric in names() else f"{metric} {score}"


def _changes(counts: Mapping[str, Mapping[str, int]] | None) -> list[str]:
    """Return how many gold spans a system fixes and breaks; an empty list if the spans are not known."""
    if counts is None:
        return []
    fixed = sum(row.get("correct", 0) for before, row in counts.items() if before != "correct")
    broken = sum(n for after, n in counts.get("correct", {}).items() if after != "correct")
    return [f"fixes {many(fixed, 'gold span')}, breaks {broken:,}"]


def legend_lines(result: Mapping[str, Any], more: str = "") -> list[str]:
    """Return what the abbreviations in the table of differences mean, and what shows more tables."""
    shown_scores = dict.fromkeys((row["metric"], row["score"]) for row in result["comparisons"] if stands_out(row))
    known = names()
    meanings = [
        f"{score} = {meaning.partition(':')[0]}"
        for metric, score in shown_scores
        if metric in known and (meaning := create(metric).score_by_name[score].meaning)
    ]
    legend = "; ".join(["detectable = the difference that these data show 4 times in 5", *meanings])
    return [f"{legend}. P, R and changed spans: {more}" if more else f"{legend}."]
