"""`nereval count`: write the counts of a corpus to a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer
from typer import Argument, Option

from .app import command
from .appending import (
    Files,
    check_appendable,
    halves_to_append,
    locked_counts,
    new_files,
    save_appended,
)
from .collapsing import check_collapse_given, chosen_halves
from .guards import check_lexicons
from .inputs import documents_of_files, documents_of_model, is_data
from .metric_options import chosen_metrics, names_and_options
from .options import COUNTS, METRICS, REPLICATES, SEED, TRAIN, Model, Reading, Resampling, Sharding
from .outputs import chosen_confidence
from .printing import say
from .results import add_replicates, count_documents, save_counts
from .sharded import name_shard, pipeline_of
from .stored import with_stored_labels
from .values import check_no_table_format

if TYPE_CHECKING:
    from ..core.declaration import Metric
    from ..counting.counts import Counts
    from ..evaluation.collapsing import Halves
    from ..evaluation.resampling import Confidence


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
    append: bool = Option(
        False,
        "--append",
        help="With --collapse: add to the counts that --output names, if there are any. Files that they have already "
        "are skipped, whatever their names",
    ),
) -> None:
    """
    Write the counts of a corpus to a file. Such count files can be merged, and
    scored later.

    Parts of a corpus that are counted on different machines merge to scores and
    intervals of the whole corpus.

    With --collapse, documents are added up while they are counted, so that
    neither memory nor the count file grow with the corpus. Scores stay the same.
    Intervals come from half-samples, random halves of the documents, of which
    --replicates says the number. Scores of documents, examples of errors, breakdowns, permutation
    tests and resampling after counting are given up.

    With --append, a job can add new files to collapsed counts again and again. The
    file is replaced as a whole, or not at all. Counts with hashes of ids are checked
    for repeated documents, with or without --check-repeats.

    Several gold files, or any number with --engine, are counted by workers, each
    file by one of them. An interrupted run continues where it stopped.
    """
    names, options = names_and_options([first, *others, *ctx.args])
    check_no_table_format(reading.format)
    check_collapse_given(sharding, append=append)
    drawn = collapse = None
    if sharding.collapse:
        collapse = chosen_halves(replicates, seed)
    else:
        drawn = chosen_confidence(bool(replicates), Resampling(None, replicates or None, seed), "--replicates")
    model, files = _model_and_files(names)
    systems = [model] if model else []
    reading = with_stored_labels(reading, systems)
    chosen = chosen_metrics(metrics, options, train, reading=reading, systems=systems)
    check_lexicons(chosen, output)
    if collapse:
        from ..evaluation.collapsing import check_metrics

        check_metrics(chosen)
    work = _Work(model, chosen, reading, loading, sharding, drawn, collapse)
    if not append:
        save_counts(work.counts(files), output)
        return
    with locked_counts(output) as before:
        if before:
            # Repeated documents are looked for as long as the counts have what it takes.
            sharding = sharding._replace(check_repeats=sharding.check_repeats or before.id_hashes is not None)
            work = work._replace(collapse=halves_to_append(before, replicates, seed, output), sharding=sharding)
            check_appendable(before, chosen, reading, sharding, files.golds[0], pipeline_of(model, loading), output)
        files = new_files(before, files, model, loading, output)
        if files.golds:
            counts = work.counts(files)
            save_appended(before, counts, files.golds, output, sharding)
        else:
            say(f"✔ nothing to add to {output}", fg="green")


class _Work(NamedTuple):
    """How files are counted: with a model or None, metrics, and options."""

    model: str | None
    metrics: Sequence[Metric]
    reading: Reading
    loading: Model
    sharding: Sharding
    drawn: Confidence | None
    collapse: Halves | None

    def counts(self, files: Files) -> Counts:
        """Return the counts of files: of several, or if workers are asked for, in parts."""
        (golds, preds), drawn = files, self.drawn
        if len(golds) > 1 or self.sharding.wanted:
            from .sharded import count_in_parts

            if drawn and (whole := [metric.name for metric in self.metrics if metric.resolve or metric.distinct]):
                raise ValueError(
                    f"{whole[0]} depends on the corpus as a whole, so --replicates cannot be computed for its parts"
                )
            how = (self.metrics, self.reading, self.loading, drawn, self.sharding, self.collapse)
            return count_in_parts(golds, preds, self.model, *how)
        from ..io.paths import fetched

        with fetched(golds[0]) as gold, fetched(preds[0] if preds else golds[0]) as pred:
            if self.model:
                documents = documents_of_model(self.model, gold, self.reading, self.loading)
            else:
                documents = documents_of_files(gold, pred, self.reading)
            hashed = self.sharding.check_repeats
            counts = count_documents(
                documents, self.metrics, gold.name, self.reading, collapse=self.collapse, check_repeats=hashed
            )
            name_shard(counts, gold, pred, pipeline_of(self.model, self.loading))
        if drawn:
            add_replicates(counts, drawn)
        return counts


def _model_and_files(names: Sequence[str]) -> tuple[str | None, Files]:
    """Return a model and its gold files, or None, gold files, and as many files of predictions."""
    if not is_data(names[0]):
        return names[0], Files(names[1:], None)
    if len(names) % 2:
        raise ValueError(f"{len(names)} files were given; expected the gold files, then as many files of predictions")
    return None, Files(names[: len(names) // 2], names[len(names) // 2 :])
