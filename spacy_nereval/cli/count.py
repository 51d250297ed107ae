"""`nereval count`: write the counts of a corpus to a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from ..core import arguments
from ..core.arguments import Reading
from .app import Extensions, command
from .command_options import (
    CHECK_REPEATS,
    COLLAPSE,
    COUNTS,
    METRICS,
    SHARED_IDS,
    TRAIN,
    Collapsing,
    Model,
    Resampling,
    check_no_table_format,
    check_suffix,
    chosen_confidence,
)
from .counting_documents import CountTask, check_collapse_given, chosen_halves, save_counts
from .guards import check_lexicons
from .metric_options import add_stored_labels, chosen_metrics, names_and_options, say_left_out_metrics
from .sources import Source


@command("count", metric_options=True, heading="Count and add up")
def count_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    collapsing: Collapsing,
    extensions: Extensions,
    first: str | None = Argument(
        None,
        metavar="GOLD...|MODEL",
        help="Gold annotation, one or more files, a pattern, or a folder with --format; or a model",
    ),
    others: list[str] | None = Argument(
        None,
        metavar="PRED...|DATA...",
        help="Predictions on the same texts, a file for each gold file; or gold annotation for the model",
    ),
    both: bool = Option(
        False, "--both", help="Every file contains gold and predictions, under the two names or numbers of --column"
    ),
    output: Path = COUNTS,
    metrics: str | None = METRICS,
    train: str | None = TRAIN,
    replicates: Annotated[int | None, arguments.REPLICATES] = None,
    seed: Annotated[int | None, arguments.SEED] = None,
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
    """
    names, options = names_and_options([*([first] if first else []), *(others or []), *ctx.args])
    check_suffix("--output", output, ".npz")
    check_no_table_format(reading.format)
    check_collapse_given("--check-repeats", collapsing.check_repeats, collapsing.collapse)
    drawn = collapse = None
    if collapsing.collapse:
        collapse = chosen_halves(replicates, seed)
    else:
        drawn = chosen_confidence(bool(replicates), Resampling(None, replicates or None, seed), "--replicates")
    model, golds, preds = (None, names, None) if both else _model_and_files(names)
    systems = [Source(model)] if model else []
    reading = add_stored_labels(reading, systems)
    chosen, left_out = chosen_metrics(metrics, options, train, reading=reading, systems=systems)
    say_left_out_metrics(left_out)
    check_lexicons(chosen, output)
    if collapse:
        from ..evaluation.collapsing import check_collapsible

        check_collapsible(chosen)
    check_repeats = bool(collapsing.check_repeats)
    task = CountTask(model, golds, preds, chosen, reading, loading, drawn, collapse, check_repeats)
    if counter := task.counter(extensions):
        counter.save_counts(task, output)
    else:
        save_counts(task.counts(), output)


def _model_and_files(names: Sequence[str]) -> tuple[str | None, Sequence[str], Sequence[str] | None]:
    """Return a model and its gold files, or None, gold files, and as many files of predictions."""
    if names and Source(names[0]).is_model:
        return names[0], names[1:], None
    if len(names) % 2:
        raise ValueError(f"{len(names)} files were given; expected the gold files, then as many files of predictions")
    return None, names[: len(names) // 2], names[len(names) // 2 :]


@command("merge", heading="Count and add up")
def merge_cli(
    files: list[Path] = Argument(..., metavar="PARTS...", help="Count files of the parts, .npz"),
    output: Path = COUNTS,
    shared_ids: bool = SHARED_IDS,
    allow_repeats: bool = Option(
        False,
        "--allow-repeats",
        help="Count documents as often as the parts have them, even if two parts share some counts",
    ),
    collapse: bool = COLLAPSE,
    check_repeats: bool | None = CHECK_REPEATS,
    replicates: Annotated[int | None, arguments.REPLICATES] = None,
    seed: Annotated[int | None, arguments.SEED] = None,
) -> None:
    """
    Merge the count files of the parts of a corpus. The result is the count file
    of the whole corpus.

    A count file records which parts it was merged from. A part that would count
    twice is an error.

    With --collapse, the documents of the parts are summed, so that memory does not
    grow with their number. Parts that are already collapsed stay so. The half-samples
    (random halves of the documents, for intervals) are those that the parts keep,
    unless --replicates or --seed ask for others.
    """
    from ..io.count_files import merge

    check_suffix("--output", output, ".npz")
    if not collapse and (replicates is not None or seed is not None):
        raise ValueError("--replicates and --seed are for documents that are added up: give --collapse, too")
    if collapse:
        chosen_halves(replicates, seed)  # before anything is read
    asked = (replicates, seed) if collapse else None
    how: dict[str, Any] = {"shared_ids": shared_ids, "allow_repeats": allow_repeats, "collapsed": asked}
    save_counts(merge(files, check_repeats=bool(check_repeats), **how), output)
