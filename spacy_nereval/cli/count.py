"""`nereval count`: write the counts of a corpus to a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer
from typer import Argument

from .app import command
from .collapsing import chosen_halves
from .guards import check_lexicons
from .inputs import documents_of_files, documents_of_model, is_data
from .metric_options import chosen_metrics, names_and_options
from .options import COUNTS, METRICS, REPLICATES, SEED, TRAIN, Model, Reading, Resampling, Sharding
from .outputs import chosen_confidence
from .results import add_replicates, count_documents, save_counts
from .sharded import pipeline_of, shard_digest
from .stored import with_stored_labels
from .values import check_no_table_format


@command("count", metric_options=True)
def count_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    sharding: Sharding,
    first: str = Argument(..., metavar="GOLD...|MODEL", help="Gold annotation, one or more files; or a model"),
    others: list[str] = Argument(
        ...,
        metavar="PRED...|DATA...",
        help="Predictions on the same texts, a file for each gold file; or gold annotation for the model",
    ),
    output: Path = COUNTS,
    metrics: str | None = METRICS,
    train: str | None = TRAIN,
    replicates: int | None = REPLICATES,
    seed: int | None = SEED,
) -> None:
    """
    Write the counts of a corpus to a file. Such count files can be merged, and
    scored later.

    With --replicates, parts of a corpus that are counted on different machines
    merge to intervals of the whole corpus: a hash of each document's id decides
    how it is resampled.

    With --collapse, documents are added up while they are counted, so that
    neither memory nor the count file grow with the corpus. Scores and intervals stay
    the same. Scores of documents, examples of errors, breakdowns, permutation
    tests and resampling after counting are given up.

    Several gold files, or any number with --engine, are counted by workers, each
    file by one of them. An interrupted run continues where it stopped.
    """
    names, options = names_and_options([first, *others, *ctx.args])
    check_no_table_format(reading.format)
    collapse = chosen_halves(replicates, seed) if sharding.collapse else None
    drawn = None
    if not collapse:
        drawn = chosen_confidence(bool(replicates), Resampling(None, replicates or None, seed), "--replicates")
    model, golds, preds = _model_golds_preds(names)
    systems = [model] if model else []
    reading = with_stored_labels(reading, systems)
    chosen = chosen_metrics(metrics, options, train, reading=reading, systems=systems)
    check_lexicons(chosen, output)
    if collapse:
        from ..evaluation.collapsing import check_metrics

        check_metrics(chosen)
    if len(golds) > 1 or sharding.wanted:
        from .sharded import count_in_parts

        if drawn and (whole := [metric.name for metric in chosen if metric.resolve or metric.distinct]):
            raise ValueError(
                f"{whole[0]} depends on the corpus as a whole, so --replicates cannot be computed for its parts"
            )
        counts = count_in_parts(golds, preds, model, chosen, reading, loading, drawn, sharding, collapse)
    else:
        from ..io.paths import fetched

        with fetched(golds[0]) as gold, fetched(preds[0] if preds else golds[0]) as pred:
            if model:
                documents = documents_of_model(model, gold, reading, loading)
            else:
                documents = documents_of_files(gold, pred, reading)
            counts = count_documents(documents, chosen, gold.name, reading, collapse=collapse)
            if collapse:
                counts.parts = [shard_digest(gold, pred, pipeline_of(model, loading))]
        if drawn:
            add_replicates(counts, drawn)
    save_counts(counts, output)


def _model_golds_preds(names: Sequence[str]) -> tuple[str | None, Sequence[str], Sequence[str] | None]:
    """Return a model and its gold files, or None, gold files, and as many files of predictions."""
    if not is_data(names[0]):
        return names[0], names[1:], None
    if len(names) % 2:
        raise ValueError(f"{len(names)} files were given; expected the gold files, then as many files of predictions")
    return None, names[: len(names) // 2], names[len(names) // 2 :]
