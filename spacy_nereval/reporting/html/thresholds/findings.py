"""The sentences on the page of thresholds, which state the findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from ....core.cuts import Cuts
from ....evaluation.thresholds.choice import Wanted
from ....evaluation.thresholds.result import Found
from ...declared import spoken
from ...result_table import Interval, Percent, shown
from ...score_cells import interval, percent, unit_of
from ..texts import named
from .lines import Measured, kept_of
from .rows import CutRow, PrecisionRow, bins_of, columns, cut_text

NAMED = 3
"""Maximum number of labels whose cuts a sentence names."""

NEAR = 0.01
"""Scores this close to the best one are called as good, as ratios."""

CLOSE = 0.02
"""The mean gap up to which scores are called calibrated."""


def story(
    chosen: Measured,
    wish: Wanted,
    cuts: Cuts,
    worth: Sequence[CutRow],
    applied: tuple[Measured, Mapping[str, Any]] | None,
) -> list[Markup]:
    """Return the first sentences of the page: the cut, and what it is worth.

    Args:
        chosen: The documents that the cuts were chosen on.
        wish: The score that they were chosen by.
        cuts: The cuts.
        worth: What they and others are worth, on the documents that they are applied to if there are any.
        applied: The documents that they are applied to, and the result of applying them.
    """
    row = worth[0]
    at = columns(wish).index(wish.score.name)
    where = applied[0].name if applied else chosen.name
    value = row.cells[at]
    first = _what_to_do(cuts, chosen) + Markup(": on {} {} is {}").format(
        named(where), spoken(wish.metric, wish.score.name), " ".join([value.text, value.bounds]).strip()
    )
    others = {each.name: each for each in worth[1:]}
    if applied and (gain := applied[1]["gain"]):
        first += Markup(", {} without a cut").format(_gain(gain, wish))
    elif "no cut" in others:
        first += Markup(", {} without a cut").format(others["no cut"].cells[at].text)
    lines = [first + Markup(".")]
    more = []
    if "the usual cut" in others:
        more.append(Markup("A cut of 0.5 would give {}").format(others["the usual cut"].cells[at].text))
    best = next((each for name, each in others.items() if name and name.startswith("the best common cut")), None)
    if best and applied:
        more.append(
            Markup("the best common cut there, {}, which nobody knows in practice, {}").format(
                best.cut, best.cells[at].text
            )
        )
    if more:
        text = Markup(", ").join(more)
        lines.append(text[:1].upper() + Markup(text[1:]) + Markup("."))
    if not applied:
        lines.append(Markup("The cut was chosen on these documents, so it is worth less on others: measure it there."))
    return lines


def _what_to_do(cuts: Cuts, chosen: Measured) -> Markup:
    by_support = sorted(cuts.labels.items(), key=lambda item: -chosen.gold.get(item[0], 0))
    if not by_support:
        return (
            Markup("Cut at {}").format(cut_text(cuts.default)) if cuts.default is not None else Markup("Keep nothing")
        )
    if len(by_support) <= NAMED:
        said = [Markup("{} at {}").format(named(label), cut_text(cut)) for label, cut in by_support]
        return Markup("Cut ") + Markup(" and ").join(
            [part for part in (Markup(", ").join(said[:-1]), said[-1]) if part]
        )
    known = [cut for _, cut in by_support if cut is not None] or [0.0]
    return Markup("Cut each of {} labels at its own score, from {} to {}").format(
        len(by_support), cut_text(min(known)), cut_text(max(known))
    )


def _gain(gain: Mapping[str, Any], wish: Wanted) -> str:
    """Return a difference with its interval, in words: "12.30 [10.10, 14.50] points more than"."""
    unit = unit_of(wish.metric, wish.score.name)
    difference = gain["difference"]
    if difference is None:
        return "which cannot be compared with the score"
    bounds = interval(gain, unit)
    points = " points" if unit is Percent else ""
    direction = "more" if difference >= 0 else "less"
    low_high = ""
    if bounds is not None:
        if difference < 0:
            bounds = Interval(unit(-bounds.high), unit(-bounds.low))
        low_high = f" {shown(bounds)}"
    return f"{shown(unit(abs(difference)))}{low_high}{points} {direction} than"


def findings(
    sides: Sequence[Measured],
    wish: Wanted,
    found: Found,
    worth: Sequence[CutRow],
    precisions: Sequence[PrecisionRow],
    names: Sequence[str],
) -> dict[str, Markup]:
    """Return a sentence for each section of the page, on the first of the named systems.

    All but that on the curves are about the documents that the cuts are applied to, if there are any.

    Args:
        sides: What was measured on the documents of the cuts, and on those that they are applied to.
        wish: The score that the cuts are best for.
        found: The curves and the cuts.
        worth: The rows of what the cuts are worth.
        precisions: The rows of average precision.
        names: The names of the systems.
    """
    last, cuts = sides[-1], found.cuts
    said = {"curves": _flat(sides[0], wish), "recall": _precision(precisions), "calibration": _calibration(last)}
    said |= dict.fromkeys(("cuts", "coverage"), Markup("there is no best cut"))
    if cuts is not None:
        kept = worth[0].kept
        said["cuts"] = Markup("{:,} of {:,} predictions are kept").format(kept, len(last.ranking.score))
        right = int(last.ranking.hit[kept_of(last.ranking, cuts)].sum())
        wrong = Markup("of those kept, {:.0f}\u00a0% are wrong").format(100 * (1 - right / max(kept, 1)))
        said["coverage"] = wrong if kept else Markup("no prediction is kept")
    under = Markup("Under {}, ").format(named(names[0])) if len(names) > 1 else Markup("")
    whole = {key: under + text for key, text in said.items()}
    return {key: Markup(text[:1].upper()) + text[1:] for key, text in whole.items()}


def _flat(side: Measured, wish: Wanted) -> Markup:
    """In what range of common cuts the score is about as good as the best."""
    values = wish.good(side.curves.overall(wish.metric)[wish.score.name])
    name = spoken(wish.metric, wish.score.name)
    best = int(np.argmax(values))
    if not np.isfinite(values[best]) or len(values) < 2:
        return Markup("{} is undefined at every cut").format(name)
    near = values >= values[best] - NEAR
    first = last = best
    while first > 1 and near[first - 1]:
        first -= 1
    while last + 1 < len(values) and near[last + 1]:
        last += 1
    high, low = (cut_text(float(side.curves.cuts[place])) for place in (first, last))
    if best == 0:
        return Markup("{} is best where nothing is kept").format(name)
    if low == high:
        return Markup("{} is best at {}, and falls on both sides").format(name, low)
    return Markup("{} is within 1 point of its best from {} to {}").format(name, low, high)


def _precision(rows: Sequence[PrecisionRow]) -> Markup:
    known = [(row.values[-1], row.label) for row in rows[1:] if row.values[-1] is not None]
    if not known:
        return Markup("there are no gold spans, so no average precision")
    value, label = min(known, key=lambda each: each[0] or 0.0)
    if len(known) == 1:
        return Markup("average precision is {}").format(shown(percent(value or 0.0)))
    return Markup("{} is ranked worst: average precision {}, mean {}").format(
        named(label or ""), shown(percent(value or 0.0)), rows[0].texts[-1]
    )


def _calibration(side: Measured) -> Markup:
    found = bins_of(side)
    if found["ece"] is None:
        return Markup("calibration is undefined: {}").format(found["reason"])
    gap = float(np.mean(side.ranking.hit) - np.mean(side.ranking.score))
    error = shown(percent(found["ece"]))
    if found["ece"] <= CLOSE:
        return Markup("scores are close to the share that is correct: {} points off on average").format(error)
    if abs(gap) < CLOSE:
        return Markup("scores are {} points off the share that is correct, too high and too low").format(error)
    direction = "too low" if gap > 0 else "too high"
    return Markup("scores are {}: {} points off the share that is correct on average").format(direction, error)
