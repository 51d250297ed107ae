"""What people see of corrections: how many gold spans change and how, which ones, and what stays undecided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ..io.marks import GOLD_WRONG, VERDICTS
from ..io.writing import visible
from .marked_text import clipped
from .remarks import many
from .result_table import Cell, ResultTable
from .view import Finding, Makers, View

MOST = 50
"""Maximum number of places that people see in a table."""

LONGEST = 40
"""Maximum number of characters of a span."""

Row = Mapping[str, Any]


class CorrectionView(View):
    """The tables and sentences of corrections.

    Args:
        result: What `io.corrections.corrected` has as its result, or its JSON.
        notes: Sentences on what was written.
    """

    at_terminal: ClassVar[Sequence[str]] = ("changes", "conflicts", "undecided")
    usual: ClassVar[Sequence[str]] = at_terminal

    def __init__(self, result: Mapping[str, Any], notes: Sequence[str] = ()) -> None:
        self.result = result
        self._notes = notes

    # Tables

    def changes(self) -> Iterator[ResultTable]:
        """Yield every gold span that changes, before and after."""
        rows: list[list[Cell]] = [
            [
                str(row["document"]),
                row["change"],
                _span(row["before"]),
                _spans(row["after"]),
                row["reason"] or None,
                row["note"] or None,
            ]
            for row in self.result["changes"]
        ]
        yield ResultTable("Changes", ["document", "change", "before", "after", "reason", "note"], rows, most=MOST)

    def kinds(self) -> Iterator[ResultTable]:
        """Yield how many gold spans change in each way, with each label."""
        found = Counter((row["change"], row["before"]["label"] if row["before"] else "") for row in self._changes)
        rows: list[list[Cell]] = [[change, label, n] for (change, label), n in found.most_common()]
        yield ResultTable("Kinds of changes", ["change", "label before", "spans"], rows)

    def conflicts(self) -> Iterator[ResultTable]:
        """Yield the places on which marks disagree."""
        yield self._places("Places on which marks disagree", "conflicts")

    def undecided(self) -> Iterator[ResultTable]:
        """Yield the places at which gold is said to be wrong, without a correction."""
        yield self._places("Places where gold is wrong, without a correction", "undecided")

    makers: ClassVar[Makers] = {"changes": changes, "conflicts": conflicts, "undecided": undecided, "kinds": kinds}

    def _places(self, title: str, name: str) -> ResultTable:
        rows: list[list[Cell]] = [
            [
                str(row["document"]),
                _span(row["before"]),
                "; ".join(row["said"]),
                row["note"] or None,
                ", ".join(row["where"]),
            ]
            for row in self.result[name]
        ]
        return ResultTable(title, ["document", "gold", "said", "note", "marks"], rows, most=MOST)

    # Sentences

    @property
    def _changes(self) -> Sequence[Row]:
        rows: Sequence[Row] = self.result["changes"]
        return rows

    def headline(self) -> str:
        """Return what changes in one line.

        >>> result = {"changes": [], "documents": 3, "spans": {"before": 7, "after": 7}}
        >>> CorrectionView(result).headline()
        'No gold span changes: 7 spans in 3 documents'
        """
        spans, documents = self.result["spans"], many(self.result["documents"], "document")
        if not self._changes:
            return f"No gold span changes: {many(spans['after'], 'span')} in {documents}"
        kinds = Counter(row["change"] for row in self._changes).most_common()
        said = ", ".join(f"{change} {n:,}" for change, n in kinds)
        touched = len({row["document"] for row in self._changes})
        return (
            f"{many(len(self._changes), 'correction')} in {touched:,} of {documents} ({said}): "
            f"{many(spans['before'], 'gold span')} before, {spans['after']:,} after"
        )

    def findings(self) -> list[Finding]:
        """Return what changes."""
        return [Finding("headline", self.headline())]

    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return what changes, and what the marks are."""
        marks = self.result["marks"]
        said = ", ".join(f"{mark} {marks[mark]:,}" for mark in VERDICTS if marks[mark])
        return [self.headline(), f"Marks on {many(marks['places'], 'place')}{said and f': {said}'}", *self._notes]

    def closing(self) -> list[str]:
        """Return what stays as it is although somebody would change it."""
        lines = [
            f"Gold stays as it is on {many(len(self.result[name]), 'place')} {why}"
            for name, why in (
                ("conflicts", "on which marks disagree"),
                ("undecided", f"marked as {GOLD_WRONG!r} without a correction"),
            )
            if self.result[name]
        ]
        return [visible(line) for line in lines]


def _span(span: Row | None) -> str:
    if span is None:
        return "none"
    return f"{span['label']} {clipped(span['text'], LONGEST)} ({span['start']}–{span['end']})"


def _spans(spans: Sequence[Row]) -> str:
    return "; ".join(map(_span, spans)) or "none"
