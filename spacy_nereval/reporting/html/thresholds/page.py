"""The result of `nereval thresholds` as one HTML file that opens without a network: cuts, what they are worth, curves.

Names and labels come from the corpus and are never markup: see `template`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from ....core.messages import listed
from ....core.spans import Document
from ....io.cut_files import as_json
from ...result_table import shown
from ...score_cells import percent

if TYPE_CHECKING:
    from ....evaluation.thresholds.choice import Wanted
    from ....evaluation.thresholds.inputs import Settings
    from ....evaluation.thresholds.result import Found
    from .lines import Measured

CHOOSING: dict[str | None, str] = {
    None: "One cut for all labels, the best for {score}.",
    "own": "Each label has the cut that is best for its own {score}.",
    "micro": "The cuts of the labels are together the best for {score} of all spans{local}.",
}
LOCAL = ", as far as changing one at a time shows"


class ScoredSystem(NamedTuple):
    """A system on the page.

    name: its name. found: its curves and cuts, with the documents that they were chosen on; its values have the
    result of applying the cuts under "applied". documents: the documents that they were applied to.
    """

    name: str
    found: Found
    documents: Sequence[Document | None] = ()

    @property
    def applied(self) -> Mapping[str, Any] | None:
        """The result of applying the cuts to other documents."""
        return self.found.values.get("applied")


def thresholds_page(
    systems: Sequence[ScoredSystem], settings: Settings, *, golds: Sequence[str], title: str | None = None
) -> str:
    """Return the page as HTML.

    Args:
        systems: The systems, scored with the same metrics.
        settings: What was asked for.
        golds: What the documents are called that the cuts were chosen on, and those that they were applied to.
        title: The title; by default made of the names.

    Raises:
        ValueError: There are more systems than charts can tell apart, or the libraries that draw charts are not
            installed.
    """
    from ....evaluation.thresholds.choice import wanted
    from .. import charts
    from ..template import THRESHOLDS, Trusted, filled_in
    from ..texts import embedded
    from .charts import LINES, chart_specs
    from .findings import findings
    from .lines import charted_scores, measured, score_data
    from .rows import column_names, columns

    library = charts.scripts()
    if len(systems) > LINES:
        raise ValueError(
            f"the page has colours for at most {LINES} systems, {len(systems)} were given: make several pages"
        )
    metrics = systems[0].found.curves.metrics
    wish = wanted(settings.best, metrics)
    measures = []
    for system in systems:
        sides = [measured(golds[0], system.found.documents, metrics, settings, system.found.curves)]
        if system.applied is not None:
            documents = [document for document in system.documents if document]
            sides.append(measured(golds[1], documents, metrics, settings))
        measures.append(sides)
    labels = _labels([side for sides in measures for side in sides])
    parts = [_part(system, sides, wish, labels) for system, sides in zip(systems, measures)]
    scores = score_data(metrics)
    best = charted_scores(metrics).index((wish.metric, wish.score.name))
    exact = all(system.found.values["best"]["exact"] is not False for system in systems)
    names = [system.name for system in systems]
    golds = [side.name for side in max(measures, key=len)]
    data = {
        "labels": ["", *labels],
        "scores": scores,
        "best": best,
        "systems": [part["data"] for part in parts],
        "golds": golds,
    }
    values = {
        "title": title or f"Thresholds of {', '.join(names)}",
        "systems": parts,
        "golds": golds,
        "finding": findings(measures[0], wish, systems[0].found, parts[0]["worth"], parts[0]["precisions"], names),
        "choosing": CHOOSING[settings.per_label].format(score=scores[best]["title"], local="" if exact else LOCAL),
        "columns": column_names(wish),
        "at": columns(wish).index(wish.score.name),
        "charted": LINES,
        "labels": len(labels),
        "hits": _hits(settings.hit),
        "signatures": [*dict.fromkeys((each.applied or each.found.values)["signature"] for each in systems)],
        "version": systems[0].found.values["version"],
        "data": Trusted(embedded(data)),
        "charts": Trusted(embedded(chart_specs())),
    }
    return filled_in(values, library, THRESHOLDS)


def _labels(sides: Sequence[Measured]) -> list[str]:
    """Return all labels, those of most gold spans first."""
    gold: dict[str, int] = {}
    for side in sides:
        for label in (*side.gold, *side.pred):
            gold[label] = max(gold.get(label, 0), side.gold.get(label, 0))
    return sorted(gold, key=lambda label: (-gold[label], label))


def _part(system: ScoredSystem, sides: Sequence[Measured], wish: Wanted, labels: Sequence[str]) -> dict[str, Any]:
    """Return what the page shows of one system."""
    from .findings import story
    from .lines import chosen_cuts, lines
    from .rows import bin_rows, bins_of, label_rows, precision_rows, worth_rows

    cuts, applied, last = system.found.cuts, system.applied, sides[-1]
    tables: list[Any] = []
    worth: list[Any] = []
    said = [Markup("There is no best cut: {}.").format(system.found.values["best"]["reason"])]
    if cuts is not None:
        results = [None, applied][: len(sides)]
        tables = [label_rows(side, wish, cuts, labels, own) for side, own in zip(sides, results)]
        worth = worth_rows(last, wish, cuts, applied)
        said = story(sides[0], wish, cuts, worth, None if applied is None else (last, applied))
    calibrated = bins_of(last)
    bins = bin_rows(calibrated)
    return {
        "name": system.name,
        "story": said,
        "warnings": [*system.found.values["warnings"], *(applied["warnings"] if applied else []), *_unseen(applied)],
        "sides": [_described(side, k) for k, side in enumerate(sides)],
        "predictions": " and ".join(map(_predictions, sides)),
        "rows": [*zip(*tables)],
        "worth": worth,
        "precisions": precision_rows(sides, labels),
        "bins": bins,
        "notes": _notes(calibrated, last),
        "data": {
            "name": system.name,
            "cuts": chosen_cuts(labels, cuts),
            "sides": [lines(side, labels, cuts) for side in sides],
            "bins": bins,
            "file": as_json(cuts) if cuts else None,
        },
    }


def _described(side: Measured, number: int) -> dict[str, Any]:
    """Return what the page says of some documents."""
    return {
        "verb": "Applied to" if number else "Chosen on",
        "name": side.name,
        "documents": len(side.scored.documents),
        "gold": sum(side.gold.values()),
    }


def _predictions(side: Measured) -> str:
    """Return how many predictions there are, and their lowest score."""
    from .rows import cut_text

    number = len(side.ranking.score)
    said = f"{number:,} prediction{'' if number == 1 else 's'}"
    return said if side.floor is None else f"{said} with scores from {cut_text(side.floor)} up"


def _hits(hit: str | float) -> str:
    if hit == "strict":
        return "A prediction is correct if it is a gold span."
    return f"A prediction is correct if it overlaps a free gold span of its label with an IoU of at least {hit:g}."


def _notes(found: Mapping[str, Any], side: Measured) -> list[str]:
    """Return what is known of the scores themselves, in words."""
    from ....evaluation.thresholds.ranking import risk_coverage

    area = risk_coverage(side.ranking.score, side.ranking.hit)["aurc"]
    if found["ece"] is None:
        said = [f"Calibration is not known: {found['reason']}."]
    else:
        said = [
            f"Expected calibration error {shown(percent(found['ece']))} points, largest gap "
            f"{shown(percent(abs(found['largest_gap'])))} points, Brier score {found['brier']:.4f}."
        ]
    return [*said, "" if area is None else f"The area under the line of all labels (AURC) is {area:.4f}."]


def _unseen(applied: Mapping[str, Any] | None) -> list[str]:
    """Return a warning of labels that the documents did not have on which the cuts were chosen."""
    if not applied or not applied["unseen"]:
        return []
    return [f"not seen where the cut was chosen, so that they have the common one: {listed(applied['unseen'])}"]
