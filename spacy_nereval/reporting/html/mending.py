"""What scores would be if errors were mended, as rows for the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...core.declaration import Kind, Metric
from ...evaluation.what_if import Mended, what_if
from ..result_table import shown
from .reported import ReportedSystem

Key = tuple[str | None, str | None]


class MendedCell(NamedTuple):
    """What one system's score would be: the number of errors, the score, the gain, and the gain's share of
    the greatest gain in the table, 0 to 1."""

    errors: int
    score: str
    gain: str
    share: float


class MendedRow(NamedTuple):
    """Errors that are mended: those with a verdict, or those of a label. `cells` has a cell per system."""

    name: str
    verdict: str | None
    kind: str
    cells: list[MendedCell]


class MendedTable(NamedTuple):
    """What the headline score of a metric would be."""

    metric: str
    score: str
    now: list[str]
    rows: list[MendedRow]


def mending(systems: Sequence[ReportedSystem], metrics: Sequence[Metric]) -> list[MendedTable]:
    """Return a table for each metric with scores for which higher is better, by whole verdicts.

    Args:
        systems: The systems.
        metrics: The metrics that mark spans.
    """
    found = []
    for metric in metrics:
        sources = [source for column in metric.columns.values() for source in column]
        headline = metric.headlines[0]
        if any(isinstance(source, Kind) for source in sources) or not headline.higher_is_better:
            continue
        owns = [{(each.verdict, each.label): each for each in what_if(s.counts, metric)} for s in systems]
        if any(owns):
            found.append(_table(metric, owns))
    return sorted(found, key=lambda table: table.metric != "fair")


def _table(metric: Metric, owns: Sequence[dict[Key, Mended]]) -> MendedTable:
    keys = dict.fromkeys(key for own in owns for key in own)
    greatest = max((each.gain or 0 for own in owns for each in own.values()), default=0) or 1
    now = [_now(own) for own in owns]

    def cell(own: dict[Key, Mended], key: Key) -> MendedCell:
        each = own.get(key)
        if each is None:
            return MendedCell(0, "-", "", 0)
        gain: Any = None if each.gain is None else 100 * each.gain
        score = None if each.score is None else 100 * each.score
        sign = "+" if gain and gain > 0 else ""
        return MendedCell(each.errors, shown(score), sign + shown(gain), max(0.0, each.gain or 0) / greatest)

    rows = [_row(metric, key, [cell(own, key) for own in owns]) for key in keys]
    rows.sort(key=lambda row: (row.verdict is None, -max(each.share for each in row.cells)))
    return MendedTable(metric.name, metric.headlines[0].name.removesuffix("_f").replace("f", "F"), now, rows)


def _row(metric: Metric, key: Key, cells: list[MendedCell]) -> MendedRow:
    verdict, label = key
    if verdict is None:
        return MendedRow(label or "(empty)", None, "", cells)
    words = metric.words.get(verdict)
    return MendedRow(words.short, verdict, words.kind, cells) if words else MendedRow(verdict, verdict, "", cells)


def _now(own: dict[Key, Mended]) -> str:
    values = [each.score - each.gain for each in own.values() if each.score is not None and each.gain is not None]
    return shown(100 * values[0]) if values else "-"
