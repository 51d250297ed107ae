"""The charts of the page of thresholds as Vega-Lite, without data: the page's script fills in the lines that are
chosen, and adds colours, fonts and widths."""

from __future__ import annotations

from typing import Any

LINES = 8
"""Number of labels that a chart can tell apart: `--system-0` to `--system-7` in page.css. Line 0 is for all labels."""

DASHES = ([1, 0], [1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 3], [4, 4], [1, 3], [10, 2, 2, 2, 2, 2])
"""How each line is broken, so that no reader needs its colour."""

HEIGHT = 320


def chart_specs() -> dict[str, Any]:
    """Return the charts by name: scores over the cut, precision over recall, calibration, risk over coverage."""
    return {
        "cut": _lines("cut", "score, %", marked="rule"),
        "recall": _lines("recall, %", "precision, %", zero=True),
        "calibration": _calibration(),
        "coverage": _lines("share of the predictions kept, %", "share of them that are wrong, %", zero=True),
    }


def _lines(x: str, y: str, *, marked: str = "", zero: bool = False) -> dict[str, Any]:
    """Return a chart of step functions: each value holds from the previous place up to its own.

    Args:
        x, y: The titles of the axes.
        marked: "rule" for a vertical line at each mark, and a diamond at the best point of each line.
        zero: Whether both axes begin at 0.
    """
    import altair as alt

    places = list(range(LINES + 1))
    colour = alt.Color("line:N", scale=alt.Scale(domain=places), legend=None)
    base = alt.Chart(_named("lines")).encode(
        x=alt.X("x:Q", title=x, scale=alt.Scale(zero=zero, nice=zero), axis=alt.Axis(tickCount=6, grid=False)),
        y=alt.Y("y:Q", title=y, scale=alt.Scale(zero=zero), axis=alt.Axis(tickCount=6, grid=True)),
        color=colour,
        strokeDash=alt.StrokeDash("line:N", scale=alt.Scale(domain=places, range=DASHES), legend=None),
        strokeWidth=alt.condition("datum.line == 0", alt.value(3), alt.value(1.75)),
    )
    line = base.mark_line(interpolate="step-before", clip=True).encode(order="order:Q")
    marks = alt.Chart(_named("marks")).encode(x="x:Q", color=colour)
    point = marks.mark_point(filled=True, size=90, opacity=1).encode(y="y:Q")
    layers = [line, point]
    if marked == "rule":
        peaks = alt.Chart(_named("peaks")).encode(x="x:Q", y="y:Q", color=colour)
        layers.insert(0, marks.mark_rule(opacity=0.6, strokeDash=[3, 3]))
        layers.append(peaks.mark_point(filled=False, shape="diamond", size=110, strokeWidth=2, opacity=1))
    return alt.layer(*layers).properties(height=HEIGHT).to_dict(validate=False)


def _calibration() -> dict[str, Any]:
    """Return a reliability diagram: for each bin of scores the share of correct predictions, and how far it is from
    the mean score."""
    import altair as alt

    ideal = (
        alt.Chart(_inline([{"x": 0, "y": 0}, {"x": 100, "y": 100}]))
        .mark_line(strokeDash=[4, 4], strokeWidth=1)
        .encode(x="x:Q", y="y:Q", color=alt.value("gray"))
    )
    base = alt.Chart(_named("bins")).encode(
        x=alt.X("x:Q", title="mean score of the bin, %", scale=alt.Scale(domain=[0, 100]), axis=alt.Axis(grid=False)),
        color=alt.Color("line:N", scale=alt.Scale(domain=list(range(LINES + 1))), legend=None),
    )
    gap = base.mark_rule(strokeWidth=4, opacity=0.35).encode(
        y=alt.Y("y:Q", title="share that is correct, %", scale=alt.Scale(domain=[0, 100])), y2="x:Q"
    )
    point = base.mark_point(filled=True, opacity=1).encode(
        y="y:Q", size=alt.Size("n:Q", scale=alt.Scale(range=[30, 400]), legend=None)
    )
    return alt.layer(ideal, gap, point).properties(height=HEIGHT).to_dict(validate=False)


def _named(name: str) -> Any:
    import altair as alt

    return alt.NamedData(name=name)


def _inline(values: list[dict[str, Any]]) -> Any:
    import altair as alt

    data: Any = alt.Data  # Altair declares no types for it
    return data(values=values)
