"""What people read first of cuts: the best cut, what it is worth, and what they have to know about the scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..core.messages import listed
from ..io.writing import visible
from .declared import spoken
from .remarks import many
from .result_table import shown
from .score_cells import interval, percent
from .thresholds import Thresholded, cut_in_words


def story_lines(given: Thresholded, digits: int = 2) -> list[str]:
    """Return what a person with one minute needs: the cut, and what it is worth against no cut.

    Args:
        given: The result.
        digits: Decimal places of scores.
    """
    best, name = given.best, f"{visible(given.name)}: " if given.name else ""
    if best["reason"]:
        return [f"{name}no best cut: {best['reason']}"]
    what = spoken(given.metric, given.score)
    value, without = (given.shown(best[key], digits) for key in ("value", "no_cut"))
    chosen, gap = _cuts_in_words(best), _gain(given, best["value"], best["no_cut"], digits)
    here = f"{what} {value}, against {without} uncut{gap}"
    if given.applied is None:
        lines = [
            f"{chosen}: {here}, on the {many(given.result['documents'], 'document')} it was chosen on",
            "On other documents it is worth less: give them with --apply GOLD2 PRED2",
        ]
    else:
        lines = [*_applied_lines(given, given.applied, chosen, what, digits)]
        lines.insert(1, f"Chosen on {many(given.result['documents'], 'document')}: {here}")
    first, *others = lines
    return [f"{name}{first}", *others, *_ranking_lines(given, digits)]


def _cuts_in_words(best: Mapping[str, Any]) -> str:
    if not best["labels"]:
        return "Cut above every score" if best["cut"] is None else f"Cut {cut_in_words(best['cut'])}"
    cuts = [cut for cut in best["labels"].values() if cut is not None]
    between = f" from {cut_in_words(min(cuts))} to {cut_in_words(max(cuts))}" if cuts else ""
    return f"Cuts of {many(len(best['labels']), 'label')}{between}{'' if best['exact'] else ' (local)'}"


def _gain(given: Thresholded, value: float | None, without: float | None, digits: int) -> str:
    if value is None or without is None:
        return ""
    gap = given.unit(value - without)
    return f" ({'+' if gap >= 0 else ''}{shown(gap, digits)})"


def _applied_lines(
    given: Thresholded, applied: Mapping[str, Any], chosen: str, what: str, digits: int
) -> Iterator[str]:
    documents = many(applied["documents"], "other document")
    gain, best = applied["gain"], applied["own_best"]
    without = given.shown(applied["no_cut"]["value"], digits)
    gap = _gain(given, applied["value"], applied["no_cut"]["value"], digits)
    if gain and (bounds := interval({"low": gain["low"], "high": gain["high"]}, given.unit)) and gap:
        gap = f"{gap[:-1]} {shown(bounds, digits)})"
    yield f"{chosen}, on {documents}: {what} {given.with_interval(applied, digits)}, against {without} uncut{gap}"
    if gain and gain["verdict"]:
        yield f"The cut against no cut: {gain['verdict']}."
    if best["value"] is not None and best["difference"] is not None:
        yield (
            f"The own best common cut of these documents, {cut_in_words(best['cut'])}, gives "
            f"{given.shown(best['value'], digits)} (not available in practice)"
        )


def _ranking_lines(given: Thresholded, digits: int) -> Iterator[str]:
    precision, calibrated = given.result["average_precision"], given.result["calibration"]
    hits = "strict hits" if precision["hit"] == "strict" else f"hits with IoU ≥ {precision['hit']:g}"
    if precision["reason"]:
        yield f"Average precision: not known, since {precision['reason']}"
    else:
        mean = "" if precision["map"] is None else f", mean over labels {shown(percent(precision['map']), digits)}"
        yield f"Average precision {shown(percent(precision['ap']), digits)}{mean} ({hits})"
    if calibrated["reason"]:
        yield f"Calibration: not known, since {calibrated['reason']}"
    else:
        gap = calibrated["largest_gap"]
        side = "too high" if gap < 0 else "too low"
        yield (
            f"Calibration: scores and shares of hits differ by {shown(percent(calibrated['ece']), digits)} points on "
            f"average (ECE), at most by {shown(percent(abs(gap)), digits)}, where scores are {side}"
        )


def warning_lines(given: Thresholded) -> list[str]:
    """Return what a reader has to know about the scores, and which metrics are left out."""
    applied = given.applied or {"warnings": [], "unseen": []}
    lines = [f"⚠ {line}" for line in (*given.result["warnings"], *applied["warnings"])]
    if unseen := applied["unseen"]:
        lines.append(f"⚠ not seen where the cut was chosen, so that they have the common one: {listed(unseen)}")
    return [*lines, *(f"{name} is left out: {reason}" for name, reason in given.result["left_out"].items())]
