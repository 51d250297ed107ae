"""The charts of the page as Vega-Lite, and the scripts that draw them without a network.

Colours, fonts and widths are the page's: its script adds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from .colors import KINDS
from .tables import Error

SYSTEMS = 8
"""Have a colour and a symbol of their own: `--system-0` to `--system-7` and SYMBOLS of the page."""
INSTALL = "charts need Altair and vl-convert, which the extra 'report' brings: pip install 'spacy-nereval[report]'"


@cache
def scripts() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script.

    Raises ValueError, naming the extra, if they are not installed.
    """
    try:
        import altair
        import vl_convert
    except ImportError:
        raise ValueError(INSTALL) from None
    version = ".".join(altair.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", version).replace("</script", "<\\/script")


def dots(values: Iterable[dict[str, Any]], systems: Sequence[str]) -> dict[str, Any]:
    """F, or another single score, as a point with its interval; precision and recall
    as triangles above and below it; a line per row and system."""
    import altair as alt

    y = alt.Y("name:N", title=None, sort=alt.EncodingSortField("order", op="min"), axis=alt.Axis(labelLimit=160))
    x = alt.X("value:Q", title=None, scale=alt.Scale(zero=False, nice=True), axis=alt.Axis(tickCount=5))
    values = list(values)
    base = alt.Chart(alt.Data(values=values)).encode(
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
    if any("low" in value for value in values):
        interval = base.mark_rule(strokeWidth=6, opacity=0.25).encode(x=alt.X("low:Q"), x2="high:Q")
        layers.insert(0, interval.transform_filter("isValid(datum.low)"))
    return alt.layer(*layers).properties(height=_height(values, systems)).to_dict()


def bars(errors: Sequence[Error], systems: Sequence[str]) -> dict[str, Any]:
    """Each kind of error as a bar per system, with its number and its share in words."""
    import altair as alt

    values = [
        {
            "name": error.words,
            "order": order,
            "kind": error.kind,
            "system": system,
            "n": n,
            "shown": f"{n}  ({share:.0f} %)" + (f"  {_cut(system)}" if len(systems) > 1 else ""),
        }
        for order, error in enumerate(errors)
        for system, n, share in zip(systems, error.counts, error.shares)
        if share is not None
    ]
    most = max((n for error in errors if error.verdict != "tp" for n in error.counts), default=0)
    room = max(1.0, most * (1.45 if len(systems) == 1 else 1.9))  # for the words behind the longest bar
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("n:Q", title=None, axis=None, scale=alt.Scale(domain=[0, room])),
        y=alt.Y("name:N", title=None, sort=alt.EncodingSortField("order", op="min"), axis=alt.Axis(labelLimit=160)),
        yOffset=alt.YOffset("system:N", sort=list(systems)),
    )
    kinds = list(dict.fromkeys(error.kind for error in errors))
    bar = base.mark_bar(cornerRadiusEnd=2, height={"band": 0.7}).encode(
        color=alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=[KINDS[kind] for kind in kinds]), legend=None)
    )
    text = base.mark_text(align="left", dx=6).encode(text="shown:N")
    return alt.layer(bar, text).properties(height=_height(values, systems)).to_dict()


def _cut(name: str, longest: int = 20) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def _height(values: Iterable[dict[str, Any]], systems: Sequence[str]) -> int:
    """In pixels. Vega-Lite has steps for this, but grumbles about them where the width is the page's."""
    return max(1, len({value["name"] for value in values})) * (28 if len(systems) == 1 else 10 + 19 * len(systems))


def _of_system(channel: Any, systems: Sequence[str]) -> Any:
    """A colour or a shape for each system, with a legend where there are several."""
    import altair as alt

    legend = alt.Legend(title=None, orient="top", labelLimit=240) if len(systems) > 1 else None
    return channel("system:N", scale=alt.Scale(domain=list(systems)), legend=legend)
