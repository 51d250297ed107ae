"""The charts of the report as Vega-Lite. The page's own script adds colours, fonts and widths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ...result_table import in_points, shown
from ..charts import GLYPHS
from ..colors import COLORS
from ..score_values import ScoreValue
from .score_rows import ScoreRow
from .verdict_rows import VerdictRow


def all_charts(
    rows: Mapping[str, Sequence[ScoreRow]], errors: Sequence[VerdictRow], systems: Sequence[str]
) -> dict[str, Any]:
    """Return the charts that have something to show, by name.

    Args:
        rows: For each chart of scores, its rows.
        errors: The rows of the chart "errors".
        systems: The names of the systems.
    """
    values = {name: [*points(found, systems)] for name, found in rows.items()}
    drawn = {name: dots(found, systems) for name, found in values.items() if found}
    if any(n for error in errors if error.is_error for n in error.counts):
        drawn["errors"] = bars(errors, systems)
    return drawn


def points(rows: Sequence[ScoreRow], systems: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the scores of rows as points of a chart.

    Only ratios for which higher is better share an axis; other rows are left out, and so is a
    score that is cut off at 0, since such a 0 is no result.

    Args:
        rows: The rows, with a cell for each system.
        systems: The names of the systems.

    Yields:
        One point per system and defined score. `mark` is p, r or f: which of three
        scores it is; a score alone is drawn like an F.
    """
    for order, row in enumerate(row for row in rows if row.is_ratio and not row.lower_is_better and not row.is_cut):
        for system, cells in zip(systems, row.cells):
            defined = [in_points(cell.value) for cell in cells if cell.value is not None]
            for mark, score, cell in zip("prf" if len(cells) == 3 else "f", row.scores, cells):
                if cell.value is not None:
                    yield {
                        "name": row.name,
                        "order": order,
                        "system": system,
                        "mark": mark,
                        "score": score,
                        "value": in_points(cell.value),
                        "shown": f"{cell.text} {cell.bounds}".strip(),
                        **(_bounds(cell) if mark == "f" else {}),
                        **({"least": min(defined), "greatest": max(defined)} if mark == "f" else {}),
                    }


def _bounds(cell: ScoreValue) -> dict[str, float]:
    return {} if cell.low is None or cell.high is None else {"low": in_points(cell.low), "high": in_points(cell.high)}


def dots(values: Iterable[dict[str, Any]], systems: Sequence[str]) -> dict[str, Any]:
    """Return a chart of scores: a line per row and system.

    F, or a score alone, is a point with its interval; precision and recall are
    triangles above and below the line.

    Args:
        values: What `points` yields.
        systems: The names of the systems.
    """
    values = list(values)
    bounded = any("low" in value for value in values)
    return {**_dots(tuple(systems), _height(values, systems), bounded), "data": {"values": values}}


@lru_cache(maxsize=64)
def _dots(systems: Sequence[str], height: int, bounded: bool) -> dict[str, Any]:
    """Return a chart of scores without its data: Altair would copy them for every layer."""
    import altair as alt

    y = alt.Y("name:N", title=None, sort=alt.EncodingSortField("order", op="min"), axis=alt.Axis(labelLimit=160))
    x = alt.X("value:Q", title=None, scale=alt.Scale(zero=False, nice=True), axis=alt.Axis(tickCount=5))
    base = alt.Chart(_no_data()).encode(
        y=y, yOffset=alt.YOffset("system:N", sort=list(systems)), color=_of_system(alt.Color, systems)
    )
    tooltip = [alt.Tooltip(f"{field}:N") for field in ("name", "system", "score", "shown")]
    spread = (
        base.mark_rule(opacity=0.5).encode(x=alt.X("least:Q"), x2="greatest:Q").transform_filter("datum.mark == 'f'")
    )
    triangles = [
        base.mark_point(filled=True, opacity=1, size=28, shape=shape, yOffset=offset)
        .encode(x=x, tooltip=tooltip)
        .transform_filter(f"datum.mark == '{mark}'")
        for mark, shape, offset in (("p", "triangle-down", -6), ("r", "triangle-up", 6))
    ]
    points = base.mark_point(filled=True, opacity=1, size=70).encode(
        x=x, tooltip=tooltip, shape=_of_system(alt.Shape, systems)
    )
    layers = [spread, *triangles, points.transform_filter("datum.mark == 'f'")]
    if bounded:
        interval = base.mark_rule(strokeWidth=6, opacity=0.25).encode(x=alt.X("low:Q"), x2="high:Q")
        layers.insert(0, interval.transform_filter("isValid(datum.low)"))
    return dict(alt.layer(*layers).properties(height=height).to_dict(validate=False))


def bars(errors: Sequence[VerdictRow], systems: Sequence[str]) -> dict[str, Any]:
    """Return a chart of errors: for each verdict and system a bar, with its number and its share of the errors.

    Args:
        errors: What `verdict_rows` returns.
        systems: The names of the systems.
    """
    import altair as alt

    values = [
        {
            "name": error.words,
            "order": order,
            "kind": error.kind,
            "system": system,
            "n": n,
            "shown": f"{n}  ({shown(share, 0)} %)" + (f"  {symbol}" if len(systems) > 1 else ""),
        }
        for order, error in enumerate(errors)
        for system, symbol, n, share in zip(systems, GLYPHS, error.counts, error.shares)
        if share is not None
    ]
    most = max((n for error in errors if error.is_error for n in error.counts), default=0)
    longest = max(1.0, most * (1.5 if len(systems) == 1 else 1.7))  # space for the text after the longest bar
    # Space lies between the bars of a row: a bar with a height of its own would stand off its text.
    between = alt.Scale(paddingInner=0.3, paddingOuter=0.15)
    base = alt.Chart(_no_data()).encode(
        x=alt.X("n:Q", title=None, axis=None, scale=alt.Scale(domain=[0, longest])),
        y=alt.Y("name:N", title=None, sort=alt.EncodingSortField("order", op="min"), axis=alt.Axis(labelLimit=160)),
        yOffset=alt.YOffset("system:N", sort=list(systems), scale=between),
    )
    kinds = list(dict.fromkeys(error.kind for error in errors))
    bar = base.mark_bar(cornerRadiusEnd=2).encode(
        color=alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=[COLORS[kind] for kind in kinds]), legend=None)
    )
    text = base.mark_text(align="left", dx=6).encode(text="shown:N")
    spec = alt.layer(bar, text).properties(height=_height(values, systems)).to_dict(validate=False)
    return {**spec, "data": {"values": values}}


def _no_data() -> Any:
    import altair as alt

    data: Any = alt.NamedData  # Altair declares no types for it
    return data(name="rows")


def _height(values: Iterable[dict[str, Any]], systems: Sequence[str]) -> int:
    """Height in pixels. Vega-Lite's own steps per row log a warning where the page sets the width."""
    return max(1, len({value["name"] for value in values})) * (28 if len(systems) == 1 else 10 + 19 * len(systems))


def _of_system(channel: Any, systems: Sequence[str]) -> Any:
    """Return a colour or a shape for each system. The page has the legend, since long ones have to wrap."""
    import altair as alt

    return channel("system:N", scale=alt.Scale(domain=list(systems)), legend=None)
