"""The result of `nereval thresholds` as one HTML file that opens without a network: cuts, what they are worth, curves.

Names and labels come from the corpus and are never markup: see `template`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ....io.cut_files import as_json
from ...threshold_view import ThresholdView

if TYPE_CHECKING:
    from ....evaluation.thresholds.chosen_cuts import Found


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
    from .. import charts
    from ..template import THRESHOLDS, Trusted, filled_in
    from ..texts import embedded
    from .threshold_charts import LINES, bin_data, chart_specs, chosen_cuts, lines, score_data

    library = charts.scripts()
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
