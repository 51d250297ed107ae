"""`nereval evaluate`: a trained pipeline on gold annotation."""

from __future__ import annotations

from pathlib import Path

import typer
from spacy.cli._util import Arg

from .common import (
    asked_examples,
    check_output,
    checked_confidence,
    chosen_metrics,
    command,
    counted,
    names_and_options,
    show,
    sources,
)
from .lookups import asked_breakdowns
from .options import CONFIDENCE, METRICS, OUTPUT, PER_DOCUMENT, Lookups, Model, Reading, Resampling, Sharding, Showing


@command("evaluate", metric_options=True)
def evaluate_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    resampling: Resampling,
    showing: Showing,
    lookups: Lookups,
    sharding: Sharding,
    model: str = Arg(..., help="Model name or path"),
    data: list[str] = Arg(..., metavar="DATA...", help="Gold annotation; one file, or a corpus in several"),
    metrics: str | None = METRICS,
    output: Path | None = OUTPUT,
    confidence: bool = CONFIDENCE,
    per_document: Path | None = PER_DOCUMENT,
) -> None:
    """
    Score a trained pipeline on gold annotation.

    Does what 'spacy evaluate' does not: it prints every metric, and it keeps no
    document longer than it takes to count it. With several files, or an engine,
    each file is counted by some worker, and a run that was stopped goes on
    where it was.
    """
    names, options = names_and_options([*data, *ctx.args])
    drawn = checked_confidence(confidence, resampling)
    check_output(output, per_document, *names, average=showing.average)
    chosen = chosen_metrics(metrics, options, lookups.train, attributes=lookups.by)
    breakdowns = asked_breakdowns(lookups, chosen)
    examples = asked_examples(showing, chosen)
    if len(names) > 1 or sharding.asked:
        from .sharded import counted_in_parts

        if breakdowns:
            raise ValueError("--by looks at every span, and counts in parts have none: evaluate one file")
        counts = counted_in_parts(names, None, model, chosen, reading, loading, drawn, sharding)
        examples = []  # counts in parts have none
    else:
        from ..io.paths import fetched

        with fetched(names[0]) as file:
            documents = sources(file, model, reading, loading, is_model=True)
            counts = counted(documents, chosen, file.name, reading, [*breakdowns, *examples])
    show(counts, drawn, output, per_document, showing, breakdowns, examples)
