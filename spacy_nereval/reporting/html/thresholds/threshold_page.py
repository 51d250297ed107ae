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

CHOOSING: dict[str | None, str] = {
    None: "One cut for all labels, the best for {score}.",
    "own": "Each label has the cut that is best for its own {score}.",
    "micro": "The cuts of the labels are together the best for {score} of all spans{local}.",
}
LOCAL = ", as far as changing one at a time shows"


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
    local = "" if all(view.best["exact"] is not False for view in views) else LOCAL
    values: dict[str, Any] = {
        "title": title or f"Thresholds of {', '.join(names)}",
        "views": views,
        "found": [{each.section: each.heading for each in view.findings()} for view in views],
        "golds": golds,
        "choosing": CHOOSING[here.settings.per_label].format(score=scores[at]["title"], local=local),
        "charted": LINES,
        "labels": len(labels),
        "hits": _hits(here.settings.hit),
        "signatures": [*dict.fromkeys(part["signature"] for view in views for part in (view.result, view.last))],
        "version": views[0].result["version"],
        "data": Trusted(embedded(data)),
        "charts": Trusted(embedded(chart_specs())),
    }
    return filled_in(values, library, THRESHOLDS)


def _hits(hit: str | float) -> str:
    if hit == "strict":
        return "A prediction is a hit if it is a gold span."
    return f"A prediction is a hit if it overlaps a free gold span of its label with an IoU of at least {hit:g}."
