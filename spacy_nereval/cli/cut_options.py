"""Options of cuts: how they are chosen, and how they are applied."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from typer import Option

MISSING_SCORE = Option(
    None, "--missing-score", help="Score of predictions without one, such as 1.0. By default they are an error"
)


class Choosing(NamedTuple):
    """How the cut is chosen, and what counts as a hit."""

    best: str = Option(
        "strict_f", "--best", help="Score by which the cut is chosen, such as strict_f, fair_f or slot_error.ser"
    )
    per_label: str | None = Option(
        None,
        "--per-label",
        help="A cut for each label: 'own' for the best of its own score, or 'micro' for the cuts that together have "
        "the best overall score (exact for strict_f; for others a local optimum). By default all labels have one cut",
    )
    hit: str = Option(
        "strict",
        "--hit",
        help="Predictions that are hits for average precision and calibration: 'strict', or the least IoU of "
        "characters with a gold span of the same label, such as 0.5",
    )
    missing_score: float | None = MISSING_SCORE
    bins: int = Option(10, "--bins", help="Number of bins for calibration")
    bin_kind: str = Option(
        "equal", "--bin-kind", help="Bins of the same width ('equal') or of as many predictions each ('equal_mass')"
    )


class Cutting(NamedTuple):
    """Which predictions are kept."""

    cut: Path | None = Option(
        None,
        "--cut",
        help="Cut file of 'nereval thresholds': keep the predictions whose scores are at least the cut of their label",
    )
    missing_score: float | None = MISSING_SCORE


CUT_GROUPS = (Choosing, Cutting)
