"""Figures for papers and notebooks, as Vega-Lite: scores, confusion matrices, verdicts, leaderboards and curves.

They fit into one column of a paper, have the colours of the report, and say nothing by colour alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.compression import format_extension
from ..core.cuts import format_cut
from ..core.wording import COLORS
from ..io.writing import atomic_file, visible
from .result_table import Cell, Estimate, Percent, display_value
from .score_tables import PRF

INK, SOFT, LINE = "#1b1e22", "#595f66", "#e2e1db"
SYSTEMS = ("#0a5796", "#b8480b", "#0b7a57", "#8a4fd6", "#7a6a12", "#b0186f", "#4a4f57", "#6b3410")
"""The colours of the pages, in light."""

MEAN = "mean"
SYMBOLS = ("circle", "square", "cross", "triangle-right", "triangle-left", "triangle-up", "triangle-down")
DASHES = ([1, 0], [6, 2], [2, 2], [6, 2, 2, 2], [8, 3], [1, 1], [4, 4], [10, 2])

WIDTH = 321
"""Pixels of 1/96 inch: 8.5 cm, a column of a paper."""

HEIGHT = 180
"""The height of curves in pixels."""

PER_INCH, POINTS = 300, 0.75
"""Pixels per inch of PNG files, and points per pixel in PDF files, which both have the width of a column."""

SIZES = re.compile(r'\b(width|height)="(\d+)"')
"""The first two of an SVG are its width and height, which a PDF takes for points."""

EDGE = 8
"""Pixels between the least and the greatest value and the edges of the plot, so that no mark touches a label."""

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
SIZE = 10
"""The size of letters in pixels: 7.5 points."""

LETTER = 0.56 * SIZE
"""The mean width of letters and figures in pixels."""

NAMES_WIDTH = 130
"""Maximum width of the names of rows in pixels."""

ENDINGS = (".svg", ".png", ".pdf")
"""The extensions of files for figures."""

Values = list[dict[str, Any]]
Layers = list[dict[str, Any]]

NAMES = {"p": "precision", "r": "recall", "f": "F"}
MARKS = {"F": "circle", "precision": "triangle-down", "recall": "triangle-up"}


class Figure:
    """A figure: a notebook shows it, `save` writes it for a paper, and `chart` is Altair's, to be changed.

    Args:
        spec: A Vega-Lite specification.

    Attributes:
        spec: The same.
    """

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.spec: dict[str, Any] = dict(spec)

    if not TYPE_CHECKING:  # else no attribute would be wrong

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            if name in ("figure", "fig"):  # as matplotlib has them
                return self
            if name in ("savefig", "write_image", "to_file"):
                return self.save
            raise AttributeError(f"a figure has no {name!r}: write .save('figure.png'), or .chart, which is Altair's")

    @property
    def chart(self) -> Any:
        """The chart as Altair has it. Raise ValueError if Altair is not installed."""
        altair, _ = libraries()
        return altair.Chart.from_dict(self.spec)

    def save(self, path: str | Path) -> None:
        """Write the figure, as wide as a column of a paper (8.5 cm).

        Args:
            path: A file that ends with `.svg`, `.png` (300 pixels per inch) or `.pdf`.

        Raises:
            ValueError: The file extension is another one, or Altair and vl-convert are not installed.
            OSError: The file cannot be written.
        """
        path = Path(path)
        if format_extension(path) not in ENDINGS:
            raise ValueError(f"{path}: expected a file that ends with .svg, .png or .pdf")
        content = self._convert(format_extension(path))
        with atomic_file(path) as file:
            file.write(content)

    def _convert(self, ending: str) -> bytes:
        """Return the content of a file."""
        altair, vl_convert = libraries()
        version = ".".join(altair.SCHEMA_VERSION.lstrip("v").split(".")[:2])
        if ending == ".png":
            return bytes(vl_convert.vegalite_to_png(self.spec, version, scale=POINTS, ppi=PER_INCH))
        svg = str(vl_convert.vegalite_to_svg(self.spec, version))
        if ending == ".pdf":
            return bytes(vl_convert.svg_to_pdf(SIZES.sub(lambda size: f'{size[1]}="{POINTS * int(size[2])}"', svg, 2)))
        return svg.encode()

    @property
    def svg(self) -> str:
        """The figure as SVG. Raise ValueError if Altair and vl-convert are not installed."""
        return self._convert(".svg").decode()

    def _repr_svg_(self) -> str:
        return self.svg


def libraries() -> tuple[Any, Any]:
    """Return Altair and vl-convert. Raise ValueError if they are not installed."""
    try:
        import altair
        import vl_convert
    except ImportError:
        from .pages import INSTALL

        raise ValueError(INSTALL) from None
    return altair, vl_convert


def figure_of(layers: Layers, values: Values, height: int, **more: Any) -> Figure:
    """Return a figure of several layers in the style of the report.

    Args:
        layers: The layers, as Vega-Lite has them.
        values: The data of all of them.
        height: The height in pixels, without axes and legends.
        more: Further properties of the specification.
    """
    text = {"labelFont": FONT, "titleFont": FONT, "labelFontSize": SIZE, "titleFontSize": SIZE}
    colors = {"labelColor": INK, "titleColor": SOFT}
    axis = {**text, **colors, "titleFontWeight": "normal", "domain": False, "ticks": False, "gridColor": LINE}
    return Figure(
        {
            "width": WIDTH,
            "height": height,
            "autosize": {"type": "fit-x", "contains": "padding"},
            "padding": {"left": 3, "top": 3, "bottom": 3, "right": EDGE},
            "data": {"values": values},
            "layer": [*layers],
            **more,
            "config": {
                "font": FONT,
                "background": "white",
                "view": {"stroke": None},
                "axis": {**axis, "labelPadding": 4, "labelLimit": NAMES_WIDTH, "titlePadding": 6},
                "axisY": {"grid": False},
                "legend": {**text, **colors, "orient": "top", "title": None, "symbolOpacity": 1, "labelLimit": 110},
                "text": {"font": FONT, "fontSize": SIZE, "color": INK},
            },
        }
    )


def _rows_axis(field: str, **more: Any) -> dict[str, Any]:
    """Return the encoding of rows by a name, in the order of the field `order`."""
    return {"field": field, "type": "nominal", "title": None, "sort": {"field": "order", "op": "min"}, **more}


def _values_axis(field: str, title: str) -> dict[str, Any]:
    scale = {"zero": False, "nice": False, "padding": EDGE}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": {"tickCount": 5}}


def _numbers(cell: Cell) -> dict[str, float]:
    """Return the value of a cell as it is shown, and its bounds if both are finite; nothing if it is undefined."""
    if isinstance(cell, Estimate):
        bounds = {"low": display_value(cell.low), "high": display_value(cell.high)}
        return {"value": display_value(cell.value), **(bounds if all(map(isfinite, bounds.values())) else {})}
    return {"value": display_value(cell)} if isinstance(cell, float) else {}


def score_figure(rows: Iterable[tuple[str, Sequence[Cell]]], title: str) -> Figure:
    """Return a figure of scores: for each row a point with its interval, and triangles for precision and recall.

    Args:
        rows: The name of each row, with precision, recall and F, or with a single score.
        title: The title of the axis.

    Raises:
        ValueError: No score has a value.
    """
    values: Values = []
    number = 0
    for order, (name, cells) in enumerate(rows):
        marks = PRF if len(cells) == len(PRF) else PRF[-1:]
        for mark, cell in zip(marks, cells):
            if numbers := _numbers(cell):
                if mark != "F":
                    numbers = {"value": numbers["value"]}  # one interval in a row can be read
                values.append({"name": visible(name), "order": order, "mark": NAMES[mark.lower()], **numbers})
        number = order + 1
    shown = [mark for mark in MARKS if any(value["mark"] == mark for value in values)]
    y, x = {"y": _rows_axis("name")}, _values_axis("value", title)
    shape: dict[str, Any] = {
        "field": "mark",
        "type": "nominal",
        "scale": {"domain": shown, "range": [MARKS[mark] for mark in shown]},
    }
    if len(shown) == 1:
        shape["legend"] = None
    size = {"condition": {"test": "datum.mark == 'F'", "value": 55}, "value": 30}
    layers: Layers = [
        {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "strokeWidth": 6, "opacity": 0.3, "color": SYSTEMS[0]},
            "encoding": {**y, "x": _values_axis("low", title), "x2": {"field": "high"}},
        },
        {
            "mark": {"type": "point", "filled": True, "opacity": 1, "color": SYSTEMS[0]},
            "encoding": {**y, "x": x, "shape": shape, "size": size},
        },
    ]
    return figure_of(_check_values(layers, values), values, 20 * number)


def _check_values(layers: Layers, values: Values) -> Layers:
    """Return the layers. Raise ValueError if they would show nothing."""
    if not values:
        raise ValueError("there is nothing to draw: no score has a value")
    return layers


def verdict_figure(rows: Iterable[tuple[str, str, int, str]]) -> Figure:
    """Return a figure of verdicts: a bar for each, with its number and its share.

    Args:
        rows: The words for each verdict, its kind (a key of `core.wording.COLORS`, or ""), its number, and text after
            the number.

    Raises:
        ValueError: There are no verdicts.
    """
    values: Values = [
        {"name": words, "order": order, "kind": kind, "n": number, "shown": f"{number:,}{more}"}
        for order, (words, kind, number, more) in enumerate(rows)
    ]
    names_width = min(NAMES_WIDTH, LETTER * max((len(value["name"]) for value in values), default=0))
    bars_width = WIDTH - names_width - 2 * EDGE
    # So that the text after each bar ends within the figure.
    last = max((value["n"] / (1 - (LETTER * len(value["shown"]) + EDGE) / bars_width) for value in values), default=0)
    kinds = [*dict.fromkeys(value["kind"] for value in values)]
    x = {"field": "n", "type": "quantitative", "axis": None, "scale": {"domain": [0, max(1, last)]}}
    scale = {"domain": kinds, "range": [COLORS.get(kind, SYSTEMS[0]) for kind in kinds]}
    base = {"y": _rows_axis("name", scale={"padding": 0.2}), "x": x}
    layers: Layers = [
        {"mark": "bar", "encoding": {**base, "color": {"field": "kind", "scale": scale, "legend": None}}},
        {"mark": {"type": "text", "align": "left", "dx": 4}, "encoding": {**base, "text": {"field": "shown"}}},
    ]
    return figure_of(_check_values(layers, values), values, 20 * len(values))


MOST_LABELS = 8
"""Labels of a matrix with numbers that can be read in a column; further ones are added up."""


def matrix_figure(cells: Mapping[str, Mapping[str, int]], none: str) -> Figure:
    """Return a figure of a confusion matrix, with its number in each cell. Colour is the share of the row.

    Args:
        cells: Gold label to predicted label to number; "" is no span, which comes last.
        none: The words for no span.

    Raises:
        ValueError: The matrix is empty.
    """
    labels = [name for name in cells if name]
    columns = [*next(iter(cells.values()), {})]
    numbers = {name: sum(cells[name].values()) + sum(row.get(name, 0) for row in cells.values()) for name in labels}
    rare = sorted(labels, key=lambda name: -numbers[name])[MOST_LABELS - 1 :] if len(labels) > MOST_LABELS else []
    shown = {name: name for name in (*cells, *columns)} | dict.fromkeys(rare, f"{len(rare)} others")
    sides = [sorted(names, key=lambda name: (name not in labels, name in rare)) for names in ([*cells], columns)]
    values: Values = []
    for row, gold in enumerate(gold_names := [*dict.fromkeys(shown[name] for name in sides[0])]):
        of_row = [cells[name] for name in cells if shown[name] == gold]
        total = sum(sum(part.values()) for part in of_row)
        for column, pred in enumerate(dict.fromkeys(shown[name] for name in sides[1])):
            number = sum(part.get(name, 0) for part in of_row for name in columns if shown[name] == pred)
            names = {"gold": visible(gold) or none, "predicted": visible(pred) or none}
            share = number / total if total else 0.0
            possible = bool(gold) or pred in map(shown.get, labels)  # nothing counts labels in neither
            values.append({**names, "order": row, "column": column, "n": number if possible else None, "share": share})
    x = {**_rows_axis("predicted"), "title": "predicted", "sort": {"field": "column", "op": "min"}}
    x["axis"] = {"labelAngle": -40, "labelLimit": 90}
    base = {"x": x, "y": {**_rows_axis("gold"), "title": "gold"}}
    color = {
        "field": "share",
        "type": "quantitative",
        "legend": None,
        "scale": {"domain": [0, 1], "range": ["#ffffff", SYSTEMS[0]], "interpolate": "rgb"},
    }
    contrast = {"condition": {"test": "datum.share > 0.8", "value": "#ffffff"}, "value": INK}
    text = {"field": "n", "type": "quantitative", "format": "d"}
    layers: Layers = [
        {"mark": {"type": "rect", "stroke": LINE}, "encoding": {**base, "color": color}},
        {
            "transform": [{"filter": "isValid(datum.n)"}],
            "mark": "text",
            "encoding": {**base, "text": text, "color": contrast},
        },
    ]
    return figure_of(_check_values(layers, values), values, 24 * len(gold_names))


def leaderboard_figure(systems: Sequence[str], columns: Mapping[str, Mapping[str, Cell]], title: str) -> Figure:
    """Return a figure of systems: for each data set a point with its interval; the top group is marked.

    Args:
        systems: The names of the systems, in order.
        columns: The cell of each system, by the name of the data set. A last one named `MEAN` is in black.
        title: The title of the axis.

    Raises:
        ValueError: No score has a value.
    """
    values: Values = []
    for order, system in enumerate(systems):
        for place, (column, cells) in enumerate(columns.items()):
            cell = cells.get(system)
            if numbers := _numbers(cell):
                top = isinstance(cell, Estimate) and cell.top
                names = {"system": visible(system), "set": visible(column)}
                values.append({**names, "order": order, "column": place, "top": top, **numbers})
    sets = [*map(visible, columns)]
    look = [(SYSTEMS[k % len(SYSTEMS)], SYMBOLS[k % len(SYMBOLS)]) for k in range(len(sets))]
    look = [(INK, "diamond") if name == MEAN else one for name, one in zip(sets, look)]
    legend: Any = {"columns": 3} if len(sets) > 1 else None
    color, shape = (
        {
            "field": "set",
            "type": "nominal",
            "legend": legend,
            "scale": {"domain": sets, "range": [one[k] for one in look]},
        }
        for k in range(2)
    )
    rows = {"y": _rows_axis("system"), "yOffset": {"field": "column", "type": "nominal"}, "color": color}
    layers: Layers = [
        {
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {**rows, "x": _values_axis("low", title), "x2": {"field": "high"}},
        },
        {
            "mark": {"type": "point", "filled": True, "opacity": 1, "size": 40},
            "encoding": {**rows, "x": _values_axis("value", title), "shape": shape},
        },
        {
            "transform": [{"filter": "datum.top"}],
            "mark": {"type": "text", "align": "left", "dx": 3, "text": "†"},
            "encoding": {**rows, "x": _values_axis("high", title), "color": {"value": INK}},
        },
    ]
    height = len(systems) * (18 if len(sets) == 1 else 6 + 11 * len(sets))
    return figure_of(_check_values(layers, values), values, height)


def curve_figure(
    x: Sequence[float | None], lines: Mapping[str, Sequence[float | None]], marked: float | None
) -> Figure:
    """Return a figure of scores at every cut, with a line at the chosen cut.

    Args:
        x: The cuts; None keeps nothing, and is omitted.
        lines: The values of each score, the main one first.
        marked: The chosen cut, if any.

    Raises:
        ValueError: No score has a value.
    """
    values: Values = [
        {"line": name, "x": cut, "y": display_value(value), "order": k}
        for name, scores in lines.items()
        for k, (cut, value) in enumerate(zip(x, scores))
        if cut is not None and value is not None
    ]
    names, number = [*lines], len(lines)
    legend: Any = {"columns": 4, "symbolSize": 300} if number > 1 else None
    scales = [[SYSTEMS[k % len(SYSTEMS)] for k in range(number)], [DASHES[k % len(DASHES)] for k in range(number)]]
    color, dash = ({"field": "line", "legend": legend, "scale": {"domain": names, "range": part}} for part in scales)
    title = "score, %" if any(isinstance(value, Percent) for scores in lines.values() for value in scores) else "score"
    layers: Layers = [
        {
            "mark": {"type": "line", "interpolate": "step-before", "strokeWidth": 1.75},
            "encoding": {
                "x": {
                    "field": "x",
                    "type": "quantitative",
                    "title": "threshold",
                    "scale": {"zero": False, "nice": False},
                },
                "y": {"field": "y", "type": "quantitative", "title": title, "scale": {"zero": False}},
                "order": {"field": "order"},
                "color": color,
                "strokeDash": dash,
            },
        }
    ]
    cuts = [value["x"] for value in values]
    if marked is not None and isfinite(marked) and cuts:
        layers.append(
            {
                "data": {"values": [{"x": marked}]},
                "mark": {"type": "rule", "color": SOFT},
                "encoding": {"x": {"field": "x", "type": "quantitative"}},
            }
        )
        side = {"align": "right", "dx": -4} if marked > (min(cuts) + max(cuts)) / 2 else {"align": "left", "dx": 4}
        layers.append(
            {
                "data": {"values": [{"x": marked}]},
                "mark": {
                    "type": "text",
                    "text": f"threshold {format_cut(marked)}",
                    "baseline": "bottom",
                    "dy": -4,
                    **side,
                },
                "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"value": HEIGHT}},
            }
        )
    return figure_of(_check_values(layers, values), values, HEIGHT)
