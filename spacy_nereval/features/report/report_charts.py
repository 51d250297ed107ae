"""The charts of the report as Vega-Lite. The page's own script adds colours, fonts and widths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import isfinite
from typing import Any

from ...core.wording import COLORS, FAIREVAL
from ...reporting.declared import name_of_group, row_name
from ...reporting.pages import GLYPHS
from ...reporting.result_table import Cell, Estimate, Kinded, ResultTable, display_value, number_text
from ...reporting.score_tables import PRF
from .report_view import ReportView

SMALL, LARGE = 70, 170
"""The areas of points of scores, and of those of the primary score."""

TALL = 500
"""A chart that is taller, in pixels, has its axis at the top as well."""

MOST_ROWS = 30
"""Maximum number of labels in the chart, for all systems together; the table has all labels."""


def all_charts(view: ReportView) -> dict[str, Any]:
    """Return the charts that have values, by name: "scores", "labels", "errors", and one for each attribute by which
    spans are scored."""
    prf_scores, other_scores = view.tables(["scores"])
    rows = [*prf_scores.rows, *_rows_of_other_scores(other_scores, view)]
    names = (name_of_group(view.metric, view.score.name), row_name(view.metric, view.score.name))
    charts = {"scores": prf_scores._replace(rows=sorted(rows, key=lambda row: row[0] not in names))}
    for table in view.tables(["labels"]):
        charts["labels"] = table._replace(rows=table.rows[: max(5, MOST_ROWS // len(view.names))])
    charts |= {by_attribute.name: table for by_attribute, table in zip(view.divided_slices, view.tables(["slices"]))}
    values = {name: [*score_points(table, view.names)] for name, table in charts.items()}
    for value in values["scores"]:
        value |= {"primary": True} if value["name"] in names else {}
    result = {name: score_chart(chart_values, view.names) for name, chart_values in values.items() if chart_values}
    for table in view.tables(["errors"]):
        if errors := [*_error_values(table, view.names)]:
            result["errors"] = error_chart(errors, view.names)
    return result


def _rows_of_other_scores(table: ResultTable, view: ReportView) -> Iterator[list[Cell]]:
    """Yield the scores other than precision, recall and F that share their axis, as rows of a chart.

    These are ratios for which higher is better. A score with a minimum of 0 is omitted where it is 0, since such a 0
    is no result.
    """
    for row in table.rows:
        metric, score = next(
            (metric, score)
            for metric in view.systems[0].counts.metrics
            for score in metric.scores
            if getattr(row[0], "code", "") == f"{metric.name} {score.name}"
        )
        values = [cell.value if isinstance(cell, Estimate) else cell for cell in _scores(table, row)]
        cut = score.complement_of is not None and 0 in values
        if score.key and score.higher_is_better and score.unit == "ratio" and not cut:
            yield [row[0], *(part for cell in _scores(table, row) for part in (None, None, cell))]


def _scores(table: ResultTable, row: Sequence[Cell]) -> list[Cell]:
    """Return the scores of a row: those of the first system, then those of the next one."""
    return [cell for head, cell in zip(table.header, row) if head in (*PRF, "value")]


def score_points(table: ResultTable, systems: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the scores of a table as points of a chart.

    Args:
        table: Its rows have P, R and F of each system; a single score takes the place of F.
        systems: The names of the systems.

    Yields:
        One point per system and defined score. `mark` is p, r or f: which of the scores it is.
    """
    for order, row in enumerate(table.rows):
        scores = _scores(table, row) if len(row) == len(table.header) else row[1:]
        for number, system in enumerate(systems):
            cells = scores[3 * number : 3 * number + 3]
            values = [cell.value if isinstance(cell, Estimate) else cell for cell in cells]
            points = [display_value(value) for value in values if isinstance(value, float)]
            for score, cell, value in zip(PRF, cells, values):
                if isinstance(value, float) and isinstance(cell, (float, Estimate)):
                    is_f = score == "F"
                    has_interval = is_f and isinstance(cell, Estimate) and isfinite(cell.high - cell.low)
                    yield {
                        "name": row[0],
                        "order": order,
                        "system": system,
                        "mark": score.lower(),
                        "score": score,
                        "value": display_value(value),
                        "shown": number_text(cell),
                        **(_bounds(cell) if has_interval else {}),
                        **({"least": min(points), "greatest": max(points)} if is_f else {}),
                    }


def _bounds(cell: Cell) -> dict[str, float]:
    assert isinstance(cell, Estimate)
    return {"low": display_value(cell.low), "high": display_value(cell.high)}


def _error_values(table: ResultTable, systems: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the values of a chart of errors: the number and the share of each verdict under each system."""
    numbers, shares = ([k for k, head in enumerate(table.header) if head == name] for name in ("number", "% errors"))
    for order, row in enumerate(table.rows):
        for system, symbol, number, share in zip(systems, GLYPHS, numbers, shares):
            part = row[share]
            if isinstance(part, float) and isinstance(row[0], Kinded):
                words = f"{row[number]:,}  ({number_text(part, 0)} %)"
                yield {
                    "name": row[0],
                    "short": FAIREVAL[row[0].code].short,
                    "order": order,
                    "kind": row[0].kind,
                    "system": system,
                    "n": row[number],
                    "shown": words + (f"  {symbol}" if len(systems) > 1 else ""),
                }


def score_chart(values: Iterable[dict[str, Any]], systems: Sequence[str]) -> dict[str, Any]:
    """Return a chart of scores: a line per row and system.

    F, or a score alone, is a point with its interval; precision and recall are
    triangles above and below the line.

    Args:
        values: What `score_points` yields.
        systems: The names of the systems.
    """
    values = list(values)
    has_intervals = any("low" in value for value in values)
    return {**_chart_without_data(tuple(systems), _height(values, systems), has_intervals), "data": {"values": values}}


@lru_cache(maxsize=64)
def _chart_without_data(systems: Sequence[str], height: int, has_intervals: bool) -> dict[str, Any]:
    """Return a chart of scores without its data: Altair would copy them for every layer."""
    import altair as alt

    y = alt.Y("name:N", title=None, sort=alt.EncodingSortField("order", op="min"), axis=alt.Axis(labelLimit=160))
    x = alt.X("value:Q", title=None, scale=alt.Scale(zero=False, nice=True), axis=None)
    base = alt.Chart(_no_data()).encode(
        y=y, yOffset=alt.YOffset("system:N", sort=list(systems)), color=_channel_per_system(alt.Color, systems)
    )
    axis = alt.Axis(tickCount=5, grid=True)  # of the layer that is always there, for all layers
    tooltip = [alt.Tooltip(f"{field}:N") for field in ("name", "system", "score", "shown")]
    spread = (
        base.mark_rule(opacity=0.5)
        .encode(x=alt.X("least:Q", title=None, axis=axis), x2=alt.X2("greatest:Q"))
        .transform_filter("datum.mark == 'f'")
    )
    triangles = [
        base.mark_point(filled=True, opacity=1, size=28, shape=shape, yOffset=offset)
        .encode(x=x, tooltip=tooltip)
        .transform_filter(f"datum.mark == '{mark}'")
        for mark, shape, offset in (("p", "triangle-down", -6), ("r", "triangle-up", 6))
    ]
    score_points = base.mark_point(filled=True, opacity=1).encode(
        x=x,
        tooltip=tooltip,
        shape=_channel_per_system(alt.Shape, systems),
        size=alt.condition("datum.primary", alt.value(LARGE), alt.value(SMALL)),
    )
    layers = [spread, *triangles, score_points.transform_filter("datum.mark == 'f'")]
    if has_intervals:
        interval = base.mark_rule(strokeWidth=6, opacity=0.25).encode(x=alt.X("low:Q", axis=None), x2=alt.X2("high:Q"))
        layers.insert(0, interval.transform_filter("isValid(datum.low)"))
    if height > TALL:
        top = alt.X("value:Q", title=None, axis=alt.Axis(tickCount=5, orient="top", grid=False))
        layers.append(base.mark_point(opacity=0).encode(x=top).transform_filter("datum.mark == 'f'"))
    return dict(alt.layer(*layers).resolve_axis(x="independent").properties(height=height).to_dict(validate=False))


def error_chart(values: Sequence[dict[str, Any]], systems: Sequence[str]) -> dict[str, Any]:
    """Return a chart of errors: for each verdict and system a bar, with its number and its share of the errors."""
    import altair as alt

    greatest = max(value["n"] for value in values)
    longest = max(1.0, greatest * (1.6 if len(systems) == 1 else 2.0))  # space for the text after the longest bar
    # The space is between the bars of a row: bars with a fixed height would not line up with their texts.
    rows_scale = alt.Scale(paddingInner=0.3, paddingOuter=0.15)
    base = alt.Chart(_no_data()).encode(
        x=alt.X("n:Q", title=None, axis=None, scale=alt.Scale(domain=[0, longest])),
        y=alt.Y("short:N", title=None, sort=alt.EncodingSortField("order", op="min"), axis=alt.Axis(labelLimit=160)),
        yOffset=alt.YOffset("system:N", sort=list(systems), scale=rows_scale),
    )
    kinds = list(dict.fromkeys(value["kind"] for value in values))
    bar = base.mark_bar(cornerRadiusEnd=2).encode(
        color=alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=[COLORS[kind] for kind in kinds]), legend=None)
    )
    text = base.mark_text(align="left", dx=6).encode(text=alt.Text("shown:N"))
    spec = alt.layer(bar, text).properties(height=_height(values, systems)).to_dict(validate=False)
    return {**spec, "data": {"values": values}}


def _no_data() -> Any:
    import altair as alt

    data: Any = alt.NamedData  # Altair declares no types for it
    return data(name="rows")


def _height(values: Iterable[dict[str, Any]], systems: Sequence[str]) -> int:
    """Height in pixels. Vega-Lite's own steps per row log a warning where the page sets the width."""
    return max(1, len({value["name"] for value in values})) * (28 if len(systems) == 1 else 10 + 19 * len(systems))


def _channel_per_system(channel: Any, systems: Sequence[str]) -> Any:
    """Return a colour or a shape for each system. The page has the legend, since long ones have to wrap."""
    import altair as alt

    return channel("system:N", scale=alt.Scale(domain=list(systems)), legend=None)
