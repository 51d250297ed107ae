"""`nereval evaluate`: a trained pipeline on gold annotation."""

from __future__ import annotations

from pathlib import Path

import typer
from spacy.cli._util import Arg

from .common import check_output, checked_confidence, chosen_metrics, command, counted, show, sources
from .options import CONFIDENCE, METRICS, OUTPUT, PER_DOCUMENT, Model, Reading, Resampling, Showing


@command("evaluate", metric_options=True)
def evaluate_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    resampling: Resampling,
    showing: Showing,
    model: str = Arg(..., help="Model name or path"),
    data: Path = Arg(..., help="Gold annotation, .spacy"),
    metrics: str | None = METRICS,
    output: Path | None = OUTPUT,
    confidence: bool = CONFIDENCE,
    per_document: Path | None = PER_DOCUMENT,
) -> None:
    """
    Score a trained pipeline on gold annotation.

    Does what 'spacy evaluate' does not: it prints every metric, and it keeps no
    document longer than it takes to count it.
    """
    drawn = checked_confidence(confidence, resampling)
    check_output(output, per_document, data, average=showing.average)
    chosen = chosen_metrics(metrics, ctx.args)
    counts = counted(sources(data, model, reading, loading, is_model=True), chosen, data.name, reading)
    show(counts, drawn, output, per_document, showing)
