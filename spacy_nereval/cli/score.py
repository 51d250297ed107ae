"""`nereval score`: predictions against gold annotation, or counts."""

from __future__ import annotations

from pathlib import Path

import typer
from spacy.cli._util import Arg

from .common import check_output, checked_confidence, chosen_metrics, command, counted, show, sources
from .options import CONFIDENCE, METRICS, OUTPUT, PER_DOCUMENT, Reading, Resampling, Showing


@command("score", metric_options=True)
def score_cli(
    ctx: typer.Context,
    reading: Reading,
    resampling: Resampling,
    showing: Showing,
    gold: Path = Arg(..., help="Gold annotation, .spacy or .jsonl; or counts, .npz"),
    pred: Path | None = Arg(None, help="Predictions on the same texts, in the same order, .spacy or .jsonl"),
    metrics: str | None = METRICS,
    output: Path | None = OUTPUT,
    confidence: bool = CONFIDENCE,
    per_document: Path | None = PER_DOCUMENT,
) -> None:
    """
    Score a file of predictions against a file of gold annotation, or counts.

    A .jsonl file has one {"text", "spans": [{"start", "end", "label"}]} per
    line; offsets are characters, the end is the first one behind the span. An
    .npz file is one that 'count' or 'merge' wrote; its metrics are settled.
    """
    drawn = checked_confidence(confidence, resampling)
    check_output(output, per_document, gold, *([pred] if pred else []), average=showing.average)
    if gold.suffix == ".npz":
        if pred or metrics or ctx.args:
            raise ValueError(f"{gold} holds counts: predictions, metrics and their options were given when counting")
        from ..storage import load

        counts = load(gold)
    else:
        if pred is None:
            raise ValueError(f"predictions to score against {gold} are missing")
        chosen = chosen_metrics(metrics, ctx.args)
        counts = counted(sources(gold, str(pred), reading), chosen, gold.name, reading)
    show(counts, drawn, output, per_document, showing)
