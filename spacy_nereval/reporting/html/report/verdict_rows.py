"""Rows of verdicts and of outcomes for the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ....core.wording import FAIREVAL
from ...result_table import Percent
from ...score_cells import percent
from ...words import OUTCOMES

Result = Mapping[str, Any]


class VerdictRow(NamedTuple):
    """A verdict of FairEval in words, its kind, and how often each system has it.

    Attributes:
        counts: For each system, the number of verdicts.
        shares: For each system, their share of all its errors; None for what is correct.
    """

    verdict: str
    words: str
    kind: str
    counts: tuple[int, ...]
    shares: tuple[Percent | None, ...]

    @property
    def is_error(self) -> bool:
        """Whether the verdict is an error."""
        return self.kind != "hit"


def verdict_rows(results: Sequence[Result]) -> list[VerdictRow]:
    """Return a row for each verdict of FairEval, from a result for each system."""
    counts = [own["metrics"]["fair"]["counts"] for own in results]
    errors = [sum(n for name, n in found.items() if FAIREVAL[name].kind != "hit") for found in counts]
    rows = []
    for name, words in FAIREVAL.items():
        numbers = tuple(found[name] for found in counts)
        shares = tuple(percent(n, total) if words.kind != "hit" else None for n, total in zip(numbers, errors))
        rows.append(VerdictRow(name, words.short, words.kind, numbers, shares))
    return rows


def outcome_matrix(found: Result) -> dict[str, Any]:
    """Return the outcomes of gold spans as a matrix.

    Args:
        found: What `evaluation.transitions.transitions` returns for two systems.

    Returns:
        `outcomes` in words; `matrix`, int[outcomes, outcomes], the first system in rows
        and the second in columns; and the numbers of gold spans that the second system
        `fixed`, has `broken`, and `changed` in another way.
    """
    counts = found["counts"]
    matrix = [[counts.get(before, {}).get(after, 0) for after in OUTCOMES] for before in OUTCOMES]
    fixed = sum(row[0] for row in matrix[1:])  # the first outcome is "correct"
    broken = sum(matrix[0][1:])
    same = sum(row[k] for k, row in enumerate(matrix))
    changed = sum(map(sum, matrix)) - fixed - broken - same
    return {
        "outcomes": list(OUTCOMES.values()),
        "matrix": matrix,
        "fixed": fixed,
        "broken": broken,
        "changed": changed,
    }
