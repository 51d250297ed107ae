"""The result of `nereval thresholds` as one HTML file that opens without a network: cuts, what they are worth, curves.

Names and labels come from the corpus and are never markup: see `template`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...core.spans import Document
    from ...evaluation.thresholds.inputs import Settings
    from ...evaluation.thresholds.result import Found

CHOOSING = {
    None: "One cut for all labels, the best for {score}.",
    "own": "Each label has the cut that is best for its own {score}.",
    "micro": "The cuts of the labels are together the best for {score} of all spans{local}.",
}
LOCAL = ", as far as changing one at a time shows"


def thresholds_page(
    found: Found,
    settings: Settings,
    *,
    name: str,
    applied: Mapping[str, Any] | None = None,
    documents: Sequence[Document] = (),
    applied_name: str = "",
    title: str | None = None,
) -> str:
    """Return the page as HTML.

    Args:
        found: The curves and the cuts, with the documents that they were chosen on.
        settings: What was asked for.
        name: The name of these documents, such as that of their file.
        applied: The result of applying the cuts to other documents.
        documents: These documents, with the scores of their predictions.
        applied_name: The name of these documents.
        title: The title; by default made of the names.

    Raises:
        ValueError: The libraries that draw charts are not installed.
    """
    from ...evaluation.thresholds.choice import wanted
    from . import charts
    from .cut_charts import LINES, chart_specs
    from .cut_findings import columns_at, findings, story
    from .cut_lines import charted_scores, chosen_cuts, lines, measured, score_data
    from .cut_rows import bin_rows, bins_of, column_names, label_rows, precision_rows, worth_rows
    from .data import embedded
    from .template import THRESHOLDS, Trusted, filled_in

    library = charts.scripts()
    metrics = found.curves.metrics
    wish = wanted(settings.best, metrics)
    sides = [measured(name, found.documents, metrics, settings, found.curves)]
    if applied is not None:
        sides.append(measured(applied_name, documents, metrics, settings))
    gold = {label: max(side.gold.get(label, 0) for side in sides) for side in sides for label in side.gold}
    labels = sorted(
        {*gold, *(label for side in sides for label in side.pred)}, key=lambda label: (-gold.get(label, 0), label)
    )
    cuts, last = found.cuts, sides[-1]
    results = [None, applied][: len(sides)]
    bins = bins_of(last)
    binned = bin_rows(bins)
    precisions = precision_rows(sides, labels)
    best = found.values["best"]
    if cuts is None:
        tables: list[Any] = []
        worth: list[Any] = []
        finding = {
            "cuts": best["reason"],
            "curves": "There is nothing to draw",
            "recall": "",
            "calibration": "",
            "coverage": "",
        }
        said: Sequence[str] = [best["reason"]]
    else:
        tables = [label_rows(side, wish, cuts, labels, own) for side, own in zip(sides, results)]
        worth = worth_rows(last, wish, cuts, applied)
        finding = findings(sides, wish, cuts, worth, precisions, bins)
        said = story(sides[0], wish, cuts, worth, None if applied is None else (last, applied))
    scores = charted_scores(metrics)
    data = {
        "labels": ["", *labels],
        "scores": score_data(metrics),
        "best": scores.index((wish.metric, wish.score.name)),
        "cuts": chosen_cuts(labels, cuts),
        "sides": [lines(side, labels, cuts) for side in sides],
        "bins": binned,
        "file": asdict(cuts) if cuts else {},
    }
    local = "" if best["exact"] else LOCAL
    values = {
        "title": title or f"Thresholds of {name}",
        "story": said,
        "finding": finding,
        "warnings": [*found.values["warnings"], *(applied["warnings"] if applied else []), *_unseen(applied)],
        "sides": [_described(side, k) for k, side in enumerate(sides)],
        "choosing": CHOOSING[settings.per_label].format(score=data["scores"][data["best"]]["title"], local=local),
        "applied": applied is not None,
        "columns": column_names(wish),
        "at": columns_at(wish),
        "rows": [*zip(*tables)],
        "worth": worth,
        "charted": LINES,
        "labels": len(labels),
        "hits": _hits(settings.hit),
        "precisions": precisions,
        "bins": binned,
        "calibration_notes": _notes(bins),
        "aurc": _area(last),
        "signature": (applied or found.values)["signature"],
        "version": found.values["version"],
        "data": Trusted(embedded(data)),
        "charts": Trusted(embedded(chart_specs())),
    }
    return filled_in(values, library, THRESHOLDS)


def _described(side: Any, number: int) -> dict[str, Any]:
    """Return what the page says of some documents."""
    from .cut_rows import cut_text

    return {
        "verb": "Applied to" if number else "Chosen on",
        "name": side.name,
        "documents": len(side.scored.documents),
        "gold": sum(side.gold.values()),
        "pred": len(side.ranking.score),
        "floor": None if side.floor is None else cut_text(side.floor),
    }


def _hits(hit: str | float) -> str:
    if hit == "strict":
        return "A prediction is correct if it is a gold span."
    return f"A prediction is correct if it overlaps a free gold span of its label with an IoU of at least {hit:g}."


def _notes(found: Mapping[str, Any]) -> list[str]:
    """Return the numbers of calibration in words."""
    from ..result_table import shown

    if found["ece"] is None:
        return []
    return [
        f"Expected calibration error {shown(100 * found['ece'])} points, largest gap "
        f"{shown(abs(100 * found['largest_gap']))} points, Brier score {found['brier']:.4f}."
    ]


def _area(side: Any) -> str:
    from ...evaluation.thresholds.ranking import risk_coverage

    area = risk_coverage(side.ranking.score, side.ranking.hit)["aurc"]
    return "" if area is None else f"The area under the line of all labels (AURC) is {area:.4f}."


def _unseen(applied: Mapping[str, Any] | None) -> list[str]:
    """Return a warning of labels that the documents did not have on which the cuts were chosen."""
    from ...core.messages import listed

    unseen = applied["unseen"] if applied else []
    return [
        f"no cut was chosen for {listed(unseen)}, which only the other documents have: the common cut holds"
    ] * bool(unseen)
