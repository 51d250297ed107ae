"""The page of thresholds: one HTML file with the cuts, scores at them, and the curves, which opens without a network.

The page has the data of all lines, with fewer points, and Vega-Lite specifications of the charts without data. Its
script puts the lines that a reader chooses into the charts, and adds colours, fonts and widths. Texts of the corpus are
escaped, see `reporting.pages`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.cuts import Cuts
from ...core.declaration import Metric, Score
from ...evaluation.tested import Criterion, curve_scores, label_score
from ...io.saved_results import cut_file_content
from ...reporting import pages
from ...reporting.declared import sentence_name
from ...reporting.pages import CHART_SCRIPTS, Layout, Trusted, packed_json, render_page, script_json
from ...reporting.result_table import Cut, Percent, ResultTable, number_text
from ...reporting.score_tables import unit_of, value_cell
from .chosen_cuts import CutResult, spread_indices
from .curves import Curve, Curves, ScoredDocuments
from .cut_choice import best_place
from .scored_spans import cumulative_hits
from .threshold_view import ThresholdView

THRESHOLDS = Layout(
    __package__,
    ("names", "plain_text", "columns"),
    ("curves",),
    (*("elements", "tips", "widgets", "saving", "sorting"), *CHART_SCRIPTS),
    ("actions",),
)

POINTS = 300
"""Maximum number of points of a line."""

BUDGET = 400_000
"""Maximum number of values of all lines of scores together; lines have fewer points if there are more."""

DIGITS = 5

Line = list[float | None]

LINES = 8
"""Number of labels with a colour of their own: `--system-0` to `--system-7` in page.css. Line 0 is for all labels."""

DASHES = ([1, 0], [1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 3], [4, 4], [1, 3], [10, 2, 2, 2, 2, 2])
"""The dashes of each line, so that lines are distinguishable without colours."""

HEIGHT = 320


def thresholds_page(
    systems: Sequence[tuple[str, CutResult]], *, golds: Sequence[str], title: str | None = None, applying: str = ""
) -> str:
    """Return the page as HTML.

    Args:
        systems: The names of the systems and their results, for the same metrics and settings.
        golds: The names of the documents on which the cuts were chosen, and of those to which they were applied.
        title: The title; by default it names the systems.
        applying: How to measure the cut on other documents, in words.

    Raises:
        ValueError: There are more systems than colours, or the libraries that draw charts are not installed.
    """
    library = pages.chart_library()
    if len(systems) > LINES:
        raise ValueError(
            f"the page has colours for at most {LINES} systems, {len(systems)} were given: make several pages"
        )
    names = [name for name, _ in systems]
    here = systems[0][1].chosen_on
    views = [
        ThresholdView(result.values, here.metrics, name if len(systems) > 1 else "", applying=applying)
        for name, result in systems
    ]
    labels = [*dict.fromkeys(label for view in views for label in view.labels)]
    sides = [[side for side in (result.chosen_on, result.applied_to) if side] for _, result in systems]
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
                "cuts": cut_per_label(labels, result.cuts),
                "sides": [line_data(side, labels, result.cuts) for side in sides_here],
                "bins": [bin for table in view.tables(["calibration"]) for bin in bin_data(table)],
                "file": cut_file_content(result.cuts) if result.cuts else None,
            }
            for (name, result), sides_here, view in zip(systems, sides, views)
        ],
    }
    values: dict[str, Any] = {
        "title": title or f"Thresholds of {', '.join(names)}",
        "views": views,
        "found": [{finding.section: finding.heading for finding in view.findings()} for view in views],
        "golds": golds,
        "named": max(views, key=lambda view: view.applied is not None).describe_documents(golds),
        "choosing": [*dict.fromkeys(view.choice_sentence for view in views)],
        "charted": LINES,
        "labels": len(labels),
        "signatures": [*dict.fromkeys(part["signature"] for view in views for part in (view.result, view.last))],
        "version": views[0].result["version"],
        "data": packed_json(data),
        "charts": Trusted(script_json(chart_specs())),
    }
    return render_page(values, library, THRESHOLDS)


def scores_with_curves(metrics: Sequence[Metric]) -> list[tuple[Metric, Score]]:
    """Return every score that has a curve, with its metric."""
    return [(metric, score) for metric in metrics for score in curve_scores(metric.scores)]


def score_data(metrics: Sequence[Metric]) -> list[dict[str, Any]]:
    """Return the names of each score that has a curve, and whether it is shown in percent."""
    return [
        {
            "name": f"{metric.name}.{score.name}",
            "title": sentence_name(metric, score.name),
            "ratio": score.unit == "ratio",
        }
        for metric, score in scores_with_curves(metrics)
    ]


def bin_data(table: ResultTable) -> list[dict[str, Any]]:
    """Return the bins of a table of calibration, with their numbers also as texts."""
    rows = []
    for (low, high, n, mean, hits, _), row in zip(table.rows, table.grid()[1:]):
        texts = {"range": f"{row[0]} to {row[1]}", "shown": f"{row[4]} % are hits"}
        rows.append({"low": low, "high": high, "n": n, "mean": mean, "hits": hits, **texts})
    return rows


def line_data(side: ScoredDocuments, labels: Sequence[str], cuts: Cuts | None) -> dict[str, Any]:
    """Return the lines of all charts for some documents.

    Args:
        side: The documents.
        labels: The labels, in the order of the page.
        cuts: The cuts to mark.

    Returns:
        "cuts": the cuts at which curves have points. "curves": for each score, the values there of all labels together
        and of each label. "at": for each of these, the index of its cut, None without a single cut; "marks": the texts
        of the values there. "peaks": for each line the best cut (None keeps nothing), the value there, and a text.
        "recall", "precision", "coverage" and "risk": the lines of all labels together and of each label; "at_recall"
        and "at_coverage": the points of the cuts on them.
    """
    curves = side.curves
    scores = scores_with_curves(curves.metrics)
    most = max(20, min(POINTS, BUDGET // max(1, len(scores) * (1 + len(labels)))))
    everywhere = np.arange(len(curves.cuts))
    of_label = {
        (metric.name, label): curves.label_curve(metric, label)
        for metric in curves.metrics
        for label in labels
        if label in curves.labels
    }
    of_score: list[list[Curve | None]] = []
    for metric, score in scores:
        overall, name = Curve(everywhere, curves.overall(metric)), label_score(metric, score.name).name
        label_curves = (of_label.get((metric.name, label)) for label in labels)
        singles = (curve and _single_score(curve, name) for curve in label_curves)
        of_score.append([_single_score(overall, score.name), *singles])
    peaks = [[curve and _peak(curve, Criterion(*score)) for curve in row] for row, score in zip(of_score, scores)]
    grid = _grid(curves, most, cuts, {row[0] for row in peaks if row[0] is not None})
    cut_places = [None if cut is None else curves.place(cut) for cut in cut_per_label(labels, cuts)]
    units = [unit_of(metric, score.name) for metric, score in scores]
    return {
        "cuts": [_round_cut(cut) for cut in curves.cuts[grid].tolist()],
        "at": [int(np.searchsorted(grid, place)) if place else None for place in cut_places],
        "curves": [[curve and round_values(curve.values_at("", grid)) for curve in row] for row in of_score],
        "marks": [
            [_value_text(curve, place, unit) if curve and place else None for curve, place in zip(row, cut_places)]
            for row, unit in zip(of_score, units)
        ],
        "peaks": [
            [
                None if place is None or curve is None else _peak_data(curves, curve, place, unit)
                for curve, place in zip(row, places)
            ]
            for row, places, unit in zip(of_score, peaks, units)
        ],
        **_ranking_lines(side, labels, cuts),
    }


def _single_score(curve: Curve, name: str) -> Curve:
    """Return the curve of one score, under the name ""."""
    return Curve(curve.at, {"": curve.scores[name]})


def _value_text(curve: Curve, place: int, unit: type[float]) -> str:
    return number_text(value_cell(float(curve.values_at("", np.array([place]))[0]), unit))


def _peak(curve: Curve, wish: Criterion) -> int | None:
    """Return the index of the best cut, the highest of equals; None if the score is undefined."""
    place = best_place(wish.orient(curve.scores[""]))
    return None if place is None else int(curve.at[place])


def _peak_data(curves: Curves, curve: Curve, place: int, unit: type[float]) -> list[Any]:
    """Return the cut at an index (None keeps nothing), the value of a curve there, and a text of both."""
    cut, text = float(curves.cuts[place]), _value_text(curve, place, unit)
    words = f"{text} at {number_text(Cut(cut))}" if place else f"{text}: {number_text(Cut(inf))}"
    return [_round_cut(cut) if place else None, *round_values(curve.values_at("", np.array([place]))), words]


def _round_cut(cut: float) -> float:
    return float(f"{cut:.7g}")


def cut_per_label(labels: Sequence[str], cuts: Cuts | None) -> Line:
    """Return the cut of all labels together (None if they have several), then the cut of each label."""
    if cuts is None:
        return [None] * (1 + len(labels))
    common = None if cuts.labels else cuts.default
    return [common, *(cuts.labels.get(label, cuts.default) for label in labels)]


def _grid(curves: Curves, most: int, cuts: Cuts | None, peaks: Iterable[int]) -> NDArray[np.int64]:
    """Return the indices of the cuts at which lines have points, without the cut that keeps nothing."""
    places = {*spread_indices(len(curves.cuts), most), *peaks}
    if cuts is not None:
        all_cuts = [cuts.default, *cuts.labels.values()]
        places |= {curves.place(cut) for cut in all_cuts if cut is not None}
    return np.array(sorted(places - {0}), dtype=np.int64)


def _ranking_lines(side: ScoredDocuments, labels: Sequence[str], cuts: Cuts | None) -> dict[str, Any]:
    """Return the lines of precision over recall and of risk over coverage, of all labels together and of each label."""
    lines: dict[str, list[Any]] = {
        key: [] for key in ("recall", "precision", "coverage", "risk", "at_recall", "at_coverage")
    }
    ranking = side.ranking
    is_kept = np.zeros(len(ranking.score), dtype=bool) if cuts is None else side.is_kept(cuts)
    for label in (None, *labels):
        of_label = slice(None) if label is None else ranking.label == label
        score, hit, is_kept_here = ranking.score[of_label], ranking.hit[of_label], is_kept[of_label]
        gold = sum(side.gold_counts.values()) if label is None else side.gold_counts.get(label, 0)
        _, number, hits = cumulative_hits(score, hit)
        places = spread_indices(len(number), POINTS) if len(number) else []
        right = hits[places] / np.maximum(number[places], 1)
        lines["recall"].append(round_values(hits[places] / gold) if gold else None)
        lines["precision"].append(round_values(right) if gold else None)
        lines["coverage"].append(round_values(number[places] / max(len(score), 1)))
        lines["risk"].append(round_values(1 - right))
        n, good = int(is_kept_here.sum()), int(hit[is_kept_here].sum())
        lines["at_recall"].append(_mark(good / gold, good / n) if gold and n else None)
        lines["at_coverage"].append(_mark(n / len(score), 1 - good / n) if n else None)
    return lines


def _mark(x: float, y: float) -> list[Any]:
    """Return a point on a line and its text."""
    return [*round_values(np.array([x, y])), f"{number_text(Percent(x))}, {number_text(Percent(y))}"]


def round_values(values: NDArray[Any]) -> Line:
    """Return rounded values for JSON; None for undefined and infinite ones.

    >>> round_values(np.array([0.123456789, np.nan, np.inf]))
    [0.12346, None, None]
    """
    return [
        round(value, DIGITS) if finite else None
        for value, finite in zip(np.asarray(values, dtype=float).tolist(), np.isfinite(values).tolist())
    ]


@cache
def chart_specs() -> dict[str, Any]:
    """Return the Vega-Lite specification of each chart by its name."""
    return {
        "cut": _line_chart("cut", "score, %", marked="rule"),
        "recall": _line_chart("recall, %", "precision, %", zero=True),
        "calibration": _calibration_chart(),
        "coverage": _line_chart("share of the predictions kept, %", "share of them that are wrong, %", zero=True),
    }


def _line_chart(x: str, y: str, *, marked: str = "", zero: bool = False) -> dict[str, Any]:
    """Return a chart of step functions: each value applies from the previous point up to its own.

    Args:
        x, y: The titles of the axes.
        marked: "rule" for a vertical line at each mark, and a diamond at the best point of each line.
        zero: Whether both axes begin at 0.
    """
    import altair as alt

    places = list(range(LINES + 1))
    colour = alt.Color("line:N", scale=alt.Scale(domain=places), legend=None)
    base = alt.Chart(_data_source("lines")).encode(
        x=alt.X("x:Q", title=x, scale=alt.Scale(zero=zero, nice=zero), axis=alt.Axis(tickCount=6, grid=False)),
        y=alt.Y("y:Q", title=y, scale=alt.Scale(zero=zero), axis=alt.Axis(tickCount=6, grid=True)),
        color=colour,
        strokeDash=alt.StrokeDash("line:N", scale=alt.Scale(domain=places, range=DASHES), legend=None),
        strokeWidth=alt.condition("datum.line == 0", alt.value(3), alt.value(1.75)),
    )
    line = base.mark_line(interpolate="step-before", clip=True).encode(order="order:Q")
    marks = alt.Chart(_data_source("marks")).encode(x="x:Q", color=colour)
    point = marks.mark_point(filled=True, size=90, opacity=1).encode(y="y:Q")
    layers = [line, point]
    if marked == "rule":
        peaks = alt.Chart(_data_source("peaks")).encode(x="x:Q", y="y:Q", color=colour)
        layers.insert(0, marks.mark_rule(opacity=0.6, strokeDash=[3, 3]))
        layers.append(peaks.mark_point(filled=False, shape="diamond", size=110, strokeWidth=2, opacity=1))
    return alt.layer(*layers).properties(height=HEIGHT).to_dict(validate=False)


def _calibration_chart() -> dict[str, Any]:
    """Return a reliability diagram: the share of correct predictions in each bin, and its gap to the mean score."""
    import altair as alt

    ideal = (
        alt.Chart(_inline_data([{"x": 0, "y": 0}, {"x": 100, "y": 100}]))
        .mark_line(strokeDash=[4, 4], strokeWidth=1)
        .encode(x="x:Q", y="y:Q", color=alt.value("gray"))
    )
    base = alt.Chart(_data_source("bins")).encode(
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


def _data_source(name: str) -> Any:
    import altair as alt

    return alt.NamedData(name=name)


def _inline_data(values: list[dict[str, Any]]) -> Any:
    import altair as alt

    data: Any = alt.Data  # Altair declares no types for it
    return data(values=values)
