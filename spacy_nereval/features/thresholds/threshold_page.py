"""The charts of the page of thresholds: Vega-Lite without data, and the lines, thinned out, as its script reads them.

The script fills in the lines that are chosen, and adds colours, fonts and widths.

The result of `nereval thresholds` as one HTML file that opens without a network: cuts, what they are worth, curves.

Names and labels come from the corpus and are never markup: see `template`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.cuts import Cuts
from ...core.declaration import Metric, Score
from ...evaluation.tested import Criterion, curve_scores, label_score
from ...io.saved_results import as_json
from ...reporting import pages
from ...reporting.declared import spoken
from ...reporting.pages import DRAWING, Layout, Trusted, embedded, filled_in
from ...reporting.result_table import Cut, Percent, ResultTable, shown
from ...reporting.score_tables import number, unit_of
from .chosen_cuts import some
from .curves import Curve, Curves, Scored
from .cut_choice import best_place
from .scored_spans import cumulative
from .threshold_view import ThresholdView

if TYPE_CHECKING:
    from .chosen_cuts import Found

THRESHOLDS = Layout(
    __package__,
    ("names", "plain_text", "columns"),
    ("curves",),
    (*("elements", "tips", "widgets", "saving", "sorting"), *DRAWING),
    ("actions",),
)

POINTS = 300
"""Maximum number of points of a line."""

BUDGET = 400_000
"""Number of values of all lines of scores together, beyond which lines have fewer points."""

DIGITS = 5

Line = list[float | None]

LINES = 8
"""Number of labels that a chart can tell apart: `--system-0` to `--system-7` in page.css. Line 0 is for all labels."""

DASHES = ([1, 0], [1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 3], [4, 4], [1, 3], [10, 2, 2, 2, 2, 2])
"""How each line is broken, so that no reader needs its colour."""

HEIGHT = 320


def charted_scores(metrics: Sequence[Metric]) -> list[tuple[Metric, Score]]:
    """Return every score that has a curve, with its metric."""
    return [(metric, score) for metric in metrics for score in curve_scores(metric.scores)]


def score_data(metrics: Sequence[Metric]) -> list[dict[str, Any]]:
    """Return how each score with a curve is named, and whether it is shown in percent."""
    return [
        {"name": f"{metric.name}.{score.name}", "title": spoken(metric, score.name), "ratio": score.unit == "ratio"}
        for metric, score in charted_scores(metrics)
    ]


def bin_data(table: ResultTable) -> list[dict[str, Any]]:
    """Return the bins of a table of calibration, with their numbers as people read them."""
    rows = []
    for (low, high, n, mean, hits, _), row in zip(table.rows, table.grid()[1:]):
        said = {"range": f"{row[0]} to {row[1]}", "shown": f"{row[4]} % are hits"}
        rows.append({"low": low, "high": high, "n": n, "mean": mean, "hits": hits, **said})
    return rows


def lines(side: Scored, labels: Sequence[str], cuts: Cuts | None) -> dict[str, Any]:
    """Return the lines of some documents.

    Args:
        side: The documents.
        labels: The labels, in the order of the page.
        cuts: The cuts that are marked.

    Returns:
        "cuts", and in "curves" for each score the values at these: of all labels together, and of each label; "at"
        has the place of the cut of each of them, None where it is not one cut, and "marks" the values there as
        people read them. "peaks": the best cut of each line, None where nothing is kept, the value there, and both
        as people read them. "recall" and "precision", "coverage" and "risk" of all labels together and of each
        label, and where the cuts are on them.
    """
    curves = side.curves
    scores = charted_scores(curves.metrics)
    most = max(20, min(POINTS, BUDGET // max(1, len(scores) * (1 + len(labels)))))
    everywhere = np.arange(len(curves.cuts))
    of_label = {
        (metric.name, label): curves.of_label(metric, label)
        for metric in curves.metrics
        for label in labels
        if label in curves.labels
    }
    of_score: list[list[Curve | None]] = []
    for metric, score in scores:
        overall, name = Curve(everywhere, curves.overall(metric)), label_score(metric, score.name).name
        known = [of_label.get((metric.name, label)) for label in labels]
        of_score.append([_single(overall, score.name), *(curve and _single(curve, name) for curve in known)])
    peaks = [[curve and _peak(curve, Criterion(*score)) for curve in row] for row, score in zip(of_score, scores)]
    grid = _grid(curves, most, cuts, {row[0] for row in peaks if row[0] is not None})
    at = [None if cut is None else curves.place(cut) for cut in chosen_cuts(labels, cuts)]
    units = [unit_of(metric, score.name) for metric, score in scores]
    return {
        "cuts": [_short(cut) for cut in curves.cuts[grid].tolist()],
        "at": [int(np.searchsorted(grid, place)) if place else None for place in at],
        "curves": [[curve and rounded(curve.at_cuts("", grid)) for curve in row] for row in of_score],
        "marks": [
            [_said(curve, place, unit) if curve and place else None for curve, place in zip(row, at)]
            for row, unit in zip(of_score, units)
        ],
        "peaks": [
            [
                None if place is None or curve is None else _of_peak(curves, curve, place, unit)
                for curve, place in zip(row, places)
            ]
            for row, places, unit in zip(of_score, peaks, units)
        ],
        **_of_ranking(side, labels, cuts),
    }


def _single(curve: Curve, name: str) -> Curve:
    """Return a curve of one score, which has no name."""
    return Curve(curve.at, {"": curve.scores[name]})


def _said(curve: Curve, place: int, unit: type[float]) -> str:
    return shown(number(float(curve.at_cuts("", np.array([place]))[0]), unit))


def _peak(curve: Curve, wish: Criterion) -> int | None:
    """Return the place of the best cut, the highest of equals; None where the score is undefined."""
    place = best_place(wish.orient(curve.scores[""]))
    return None if place is None else int(curve.at[place])


def _of_peak(curves: Curves, curve: Curve, place: int, unit: type[float]) -> list[Any]:
    """Return a cut, None if nothing is kept there, the value of a curve at it, and both in words."""
    cut, said = float(curves.cuts[place]), _said(curve, place, unit)
    words = f"{said} at {shown(Cut(cut))}" if place else f"{said}: {shown(Cut(inf))}"
    return [_short(cut) if place else None, *rounded(curve.at_cuts("", np.array([place]))), words]


def _short(cut: float) -> float:
    return float(f"{cut:.7g}")


def chosen_cuts(labels: Sequence[str], cuts: Cuts | None) -> Line:
    """Return the cut of all labels together, None if they have several, and that of each label."""
    if cuts is None:
        return [None] * (1 + len(labels))
    common = None if cuts.labels else cuts.default
    return [common, *(cuts.labels.get(label, cuts.default) for label in labels)]


def _grid(curves: Curves, most: int, cuts: Cuts | None, peaks: Iterable[int]) -> NDArray[np.int64]:
    """Return the places of the cuts at which lines have points, without the one that keeps nothing."""
    places = {*some(len(curves.cuts), most), *peaks}
    if cuts is not None:
        own = [cuts.default, *cuts.labels.values()]
        places |= {curves.place(cut) for cut in own if cut is not None}
    return np.array(sorted(places - {0}), dtype=np.int64)


def _of_ranking(side: Scored, labels: Sequence[str], cuts: Cuts | None) -> dict[str, Any]:
    """Return precision over recall and risk over coverage, of all labels together and of each label."""
    found: dict[str, list[Any]] = {
        key: [] for key in ("recall", "precision", "coverage", "risk", "at_recall", "at_coverage")
    }
    ranking = side.ranking
    kept = np.zeros(len(ranking.score), dtype=bool) if cuts is None else side.kept(cuts)
    for label in (None, *labels):
        of_label = slice(None) if label is None else ranking.label == label
        score, hit, here = ranking.score[of_label], ranking.hit[of_label], kept[of_label]
        gold = sum(side.gold.values()) if label is None else side.gold.get(label, 0)
        _, number, hits = cumulative(score, hit)
        places = some(len(number), POINTS) if len(number) else []
        right = hits[places] / np.maximum(number[places], 1)
        found["recall"].append(rounded(hits[places] / gold) if gold else None)
        found["precision"].append(rounded(right) if gold else None)
        found["coverage"].append(rounded(number[places] / max(len(score), 1)))
        found["risk"].append(rounded(1 - right))
        n, good = int(here.sum()), int(hit[here].sum())
        found["at_recall"].append(_mark(good / gold, good / n) if gold and n else None)
        found["at_coverage"].append(_mark(n / len(score), 1 - good / n) if n else None)
    return found


def _mark(x: float, y: float) -> list[Any]:
    """Return a place on a line, and what people read there."""
    return [*rounded(np.array([x, y])), f"{shown(Percent(x))}, {shown(Percent(y))}"]


def rounded(values: NDArray[Any]) -> Line:
    """Return values as JSON has them, None where they are undefined or infinite.

    >>> rounded(np.array([0.123456789, np.nan, np.inf]))
    [0.12346, None, None]
    """
    return [
        round(value, DIGITS) if finite else None
        for value, finite in zip(np.asarray(values, dtype=float).tolist(), np.isfinite(values).tolist())
    ]


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


def thresholds_page(
    systems: Sequence[tuple[str, Found]], *, golds: Sequence[str], title: str | None = None, applying: str = ""
) -> str:
    """Return the page as HTML.

    Args:
        systems: The names of the systems and their results, for the same metrics and settings.
        golds: What the documents are called that the cuts were chosen on, and those that they were applied to.
        title: The title; by default made of the names.
        applying: How to measure the cut on other documents.

    Raises:
        ValueError: There are more systems than charts can tell apart, or the libraries that draw charts are not
            installed.
    """
    library = pages.scripts()
    if len(systems) > LINES:
        raise ValueError(
            f"the page has colours for at most {LINES} systems, {len(systems)} were given: make several pages"
        )
    names = [name for name, _ in systems]
    here = systems[0][1].here
    views = [
        ThresholdView(found.values, here.metrics, name if len(systems) > 1 else "", applying=applying)
        for name, found in systems
    ]
    labels = [*dict.fromkeys(label for view in views for label in view.labels)]
    sides = [[side for side in (found.here, found.there) if side] for _, found in systems]
    golds = golds[: max(map(len, sides))]
    scores = score_data(here.metrics)
    (at,) = (k for k, score in enumerate(scores) if score["name"] == views[0].best["score"])
    data = {
        "labels": ["", *labels],
        "scores": scores,
        "best": at,
        "golds": golds,
        "systems": [
            {
                "name": name,
                "cuts": chosen_cuts(labels, found.cuts),
                "sides": [lines(side, labels, found.cuts) for side in own],
                "bins": [bin for table in view.tables(["calibration"]) for bin in bin_data(table)],
                "file": as_json(found.cuts) if found.cuts else None,
            }
            for (name, found), own, view in zip(systems, sides, views)
        ],
    }
    values: dict[str, Any] = {
        "title": title or f"Thresholds of {', '.join(names)}",
        "views": views,
        "found": [{each.section: each.heading for each in view.findings()} for view in views],
        "golds": golds,
        "named": max(views, key=lambda view: view.applied is not None).named(golds),
        "choosing": [*dict.fromkeys(view.choosing for view in views)],
        "charted": LINES,
        "labels": len(labels),
        "signatures": [*dict.fromkeys(part["signature"] for view in views for part in (view.result, view.last))],
        "version": views[0].result["version"],
        "data": Trusted(embedded(data)),
        "charts": Trusted(embedded(chart_specs())),
    }
    return filled_in(values, library, THRESHOLDS)
