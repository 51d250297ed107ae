"""What scores would be if errors were mended, as rows for the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ....core.declaration import Metric
from ....evaluation.what_if import Mended, what_if
from ...result_table import shown
from ...score_cells import percent
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
    """Errors that are mended: those with a verdict, or those of a label.

    `cells` has a cell per system; `ask` is the request to the page's script when the user selects the row."""

    name: str
    verdict: str | None
    kind: str
    cells: list[MendedCell]
    ask: dict[str, Any]


class MendedTable(NamedTuple):
    """What the headline score of a metric would be."""

    metric: str
    score: str
    now: list[str]
    rows: list[MendedRow]


def mending(
    systems: Sequence[ReportedSystem], metrics: Sequence[Metric], labels: Sequence[str], lead: int
) -> list[MendedTable]:
    """Return a table for each metric with scores for which higher is better, by whole verdicts.

    Args:
        systems: The systems.
        metrics: The metrics that mark spans.
        labels: The labels, in the order of the page's data.
        lead: The number of the system whose errors a chosen row lists.
    """
    tables = []
    for number, metric in enumerate(metrics):
        if not metric.headlines[0].higher_is_better:
            continue
        owns = [{(each.verdict, each.label): each for each in what_if(s.documents, metric)} for s in systems]
        if any(owns):
            tables.append(_table(metric, owns, {"metric": number, "one": lead}, labels))
    return sorted(tables, key=lambda table: table.metric != "fair")


def _table(
    metric: Metric, owns: Sequence[dict[Key, Mended]], asked: dict[str, Any], labels: Sequence[str]
) -> MendedTable:
    keys = dict.fromkeys(key for mended in owns for key in mended)
    greatest = max((each.gain or 0 for mended in owns for each in mended.values()), default=0) or 1
    now = [_now(mended) for mended in owns]

    def cell(mended: dict[Key, Mended], key: Key) -> MendedCell:
        each = mended.get(key)
        if each is None:
            return MendedCell(0, "-", "", 0)
        gain: Any = percent(each.gain)
        score = percent(each.score)
        sign = "+" if gain and gain > 0 else ""
        return MendedCell(each.errors, shown(score), sign + shown(gain), max(0.0, each.gain or 0) / greatest)

    rows = []
    for verdict, label in keys:
        ask = asked | ({"label": labels.index(label or "")} if verdict is None else {"verdicts": [verdict]})
        rows.append(_row(metric, (verdict, label), [cell(mended, (verdict, label)) for mended in owns], ask))
    rows.sort(key=lambda row: (row.verdict is None, -max(each.share for each in row.cells)))
    return MendedTable(metric.name, metric.headlines[0].name.removesuffix("_f").replace("f", "F"), now, rows)


def _row(metric: Metric, key: Key, cells: list[MendedCell], ask: dict[str, Any]) -> MendedRow:
    verdict, label = key
    if verdict is None:
        return MendedRow(label or "(empty)", None, "", cells, ask)
    words = metric.words.get(verdict)
    name, kind = (words.short, words.kind) if words else (verdict, "")
    return MendedRow(name, verdict, kind, cells, ask)


def _now(own: dict[Key, Mended]) -> str:
    values = [each.score - each.gain for each in own.values() if each.score is not None and each.gain is not None]
    return shown(percent(values[0])) if values else "-"
