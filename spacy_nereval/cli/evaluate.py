"""`nereval evaluate`: a trained pipeline on gold annotation."""

from __future__ import annotations

from pathlib import Path

import typer
from typer import Argument

from .app import command
from .collapsing import check_collapse_given, check_collapsible, halves_of
from .guards import check_lexicons
from .inputs import documents_of_model
from .lookups import wanted_breakdowns
from .metric_options import chosen_metrics, names_and_options
from .options import CONFIDENCE, METRICS, OUTPUT, PER_DOCUMENT, Lookups, Model, Reading, Resampling, Sharding, Showing
from .outputs import check_average, check_per_document, chosen_confidence
from .results import count_documents, say_if_unchecked
from .showing import collected, show_result
from .stored import with_stored_labels


@command("evaluate", metric_options=True)
def evaluate_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    resampling: Resampling,
    showing: Showing,
    lookups: Lookups,
    sharding: Sharding,
    model: str = Argument(..., help="Model name or path"),
    data: list[str] = Argument(..., metavar="DATA...", help="Gold annotation: one file, or a corpus of several"),
    metrics: str | None = METRICS,
    output: Path | None = OUTPUT,
    confidence: bool = CONFIDENCE,
    per_document: Path | None = PER_DOCUMENT,
) -> None:
    """
    Score a trained pipeline on gold annotation.

    Unlike 'spacy evaluate', this command prints every metric, and it keeps no
    document in memory after counting it. As in every command that scores a
    model, metrics and labels have the options that the model's config gives them,
    unless the command line gives others.

    Several files, or any number with --engine, are counted by workers, each file
    by one of them. An interrupted run continues where it stopped.
    """
    names, options = names_and_options([*data, *ctx.args])
    drawn = chosen_confidence(confidence, resampling)
    check_collapse_given(sharding)
    collapse = halves_of(drawn) if sharding.collapse else None
    if collapse:
        check_collapsible(showing, per_document, lookups.by)
    check_average(showing.average)
    check_per_document(per_document)
    reading = with_stored_labels(reading, [model])
    chosen = chosen_metrics(metrics, options, lookups.train, attributes=lookups.by, reading=reading, systems=[model])
    check_lexicons(chosen, output, per_document)
    breakdowns = wanted_breakdowns(lookups, chosen)
    in_parts = len(names) > 1 or sharding.wanted
    keeper = "a corpus that workers count" if in_parts else "a collapsed corpus" if collapse else None
    seen = collected(showing, chosen, source=keeper)
    if in_parts:
        from .sharded import count_in_parts

        if breakdowns:
            raise ValueError("--by needs every span, and workers keep no spans: evaluate one file, without workers")
        counts = count_in_parts(names, None, model, chosen, reading, loading, None, sharding, collapse)
        say_if_unchecked(counts)
    else:
        from ..io.paths import fetched

        with fetched(names[0]) as gold:
            documents = documents_of_model(model, gold, reading, loading)
            observers = [*breakdowns, *seen.observers]
            counts = count_documents(documents, chosen, gold.name, reading, observers, collapse=collapse)
    show_result(counts, drawn, showing, output=output, per_document=per_document, breakdowns=breakdowns, collected=seen)
