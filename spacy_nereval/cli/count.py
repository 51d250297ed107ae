"""`nereval count`: write the counts of a corpus to a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from typer import Argument, Option

from ..core import arguments
from ..core.arguments import Reading
from ..features.parts.parts_command import name_shard, pipeline_digest, pipeline_of, shard_digest
from .app import command
from .command_options import (
    CHECK_REPEATS,
    COLLAPSE,
    COUNTS,
    METRICS,
    SHARED_IDS,
    TRAIN,
    Model,
    Resampling,
    Sharding,
    check_no_table_format,
    check_suffix,
    chosen_confidence,
)
from .counting_documents import add_replicates, check_collapse_given, chosen_halves, count_documents, save_counts
from .guards import check_lexicons
from .metric_options import chosen_metrics, names_and_options, say_left_out_metrics, with_stored_labels
from .printing import progress_bar, say
from .sources import Gold, Source, reading_of, rules_of

if TYPE_CHECKING:
    from ..core.declaration import Metric
    from ..counting.counts import Counts
    from ..evaluation.collapsing import Halves
    from ..evaluation.resampling import Confidence
    from ..integration.pipelines import Pipeline


@command("count", metric_options=True)
def count_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    sharding: Sharding,
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
        False,
        "--both",
        help="Every file holds gold and predictions, under the two names or numbers of --column",
    ),
    output: Path = COUNTS,
    metrics: str | None = METRICS,
    train: str | None = TRAIN,
    replicates: Annotated[int | None, arguments.REPLICATES] = None,
    seed: Annotated[int | None, arguments.SEED] = None,
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
    file is replaced as a whole, or not at all. Documents that the counts have already
    are refused, as in a file that has changed since it was added, unless --no-check-repeats is given.

    Several gold files, or any number with --engine, are counted by workers, each
    file by one of them. An interrupted run continues where it stopped. Files may be
    named one by one, by patterns, by a folder with --format, or in a list with --files-from.
    """
    names, options = names_and_options([*([first] if first else []), *(others or []), *ctx.args])
    check_suffix("--output", output, ".npz")
    check_no_table_format(reading.format)
    check_collapse_given(sharding, append=append)
    if sharding.check_repeats is None:
        sharding = sharding._replace(check_repeats=append)
    drawn = collapse = None
    if sharding.collapse:
        collapse = chosen_halves(replicates, seed)
    else:
        drawn = chosen_confidence(bool(replicates), Resampling(None, replicates or None, seed), "--replicates")
    model, files = (None, Files(names, None)) if both else _model_and_files(names)
    systems = [Source(model)] if model else []
    reading = with_stored_labels(reading, systems)
    chosen, left_out = chosen_metrics(metrics, options, train, reading=reading, systems=systems)
    say_left_out_metrics(left_out)
    check_lexicons(chosen, output)
    if collapse:
        from ..evaluation.collapsing import check_metrics

        check_metrics(chosen)
    work = _Work(model, chosen, reading, loading, sharding, drawn, collapse)
    if not append:
        save_counts(work.counts(files), output)
        return
    with locked_counts(output, sharding.wait) as before:
        if before:
            work = work._replace(collapse=halves_to_append(before, replicates, seed, output))
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
            from ..features.parts.parts_command import count_in_parts

            if drawn and (whole := [metric.name for metric in self.metrics if metric.resolve or metric.distinct]):
                raise ValueError(
                    f"{whole[0]} depends on the corpus as a whole, so --replicates cannot be computed for its parts"
                )
            how = (self.metrics, self.reading, self.loading, drawn, self.sharding, self.collapse)
            return count_in_parts(golds, preds, self.model, *how)
        from ..io.paths import fetched

        with fetched(golds[0]) as gold, fetched(preds[0] if preds else golds[0]) as pred:
            annotation = Gold(gold, self.reading, both=not (self.model or preds))
            if self.model:
                documents = annotation.documents_of_model(self.model, self.loading)
            else:
                documents = annotation.documents(Source(pred, annotated=True) if preds else None)
            hashed = bool(self.sharding.check_repeats)
            counts = count_documents(
                documents, self.metrics, gold.name, self.reading, collapse=self.collapse, check_repeats=hashed
            )
            name_shard(counts, gold, pred, pipeline_of(self.model, self.loading))
        if drawn:
            add_replicates(counts, drawn)
        return counts


def _model_and_files(names: Sequence[str]) -> tuple[str | None, Files]:
    """Return a model and its gold files, or None, gold files, and as many files of predictions."""
    if Source(names[0]).is_model:
        return names[0], Files(names[1:], None)
    if len(names) % 2:
        raise ValueError(f"{len(names)} files were given; expected the gold files, then as many files of predictions")
    return None, Files(names[: len(names) // 2], names[len(names) // 2 :])


class Files(NamedTuple):
    """The files to count: gold annotation, and predictions unless a model makes them or the same files hold them."""

    golds: Sequence[str]
    preds: Sequence[str] | None


@contextmanager
def locked_counts(output: Path, wait: float = 0) -> Iterator[Counts | None]:
    """Provide the counts that are there already, None if there are none yet, and keep other runs out.

    Raises:
        ValueError: Another run adds to the file, or it does not hold collapsed counts.
    """
    from ..features.parts.lock import exclusive
    from ..io.count_files import load

    with exclusive(output.with_name(f"{output.name}.lock"), str(output), "or choose another file", wait):
        counts = load(output) if output.exists() else None
        if counts and not counts.collapsed:
            raise ValueError(f"--append: {output} holds counts with documents: collapse it first, with 'nereval merge'")
        yield counts


def halves_to_append(counts: Counts, replicates: int | None, seed: int | None, output: Path) -> Halves:
    """Return the half-samples of counts that files are added to.

    Raises:
        ValueError: Others are asked for.
    """
    from ..evaluation.collapsing import Halves

    drawn = Halves(*counts.replicates.drawn) if counts.replicates else Halves(0)
    for name, given, has in (("replicates", replicates, drawn.samples), ("seed", seed, drawn.seed)):
        if given is not None and given != has:
            raise ValueError(f"--{name} {given}: {output} was counted with --{name} {has}, which --append goes on with")
    return drawn


def new_files(counts: Counts | None, files: Files, model: str | None, loading: Model, output: Path) -> Files:
    """Return the files that are not in the counts yet, and say which ones are.

    Args:
        counts: The counts that are there, if there are any.
        files: All files.
        model: The pipeline that predicts, if one does.
        loading: How it is loaded.
        output: The file of the counts, for messages.

    Raises:
        ValueError: Two files have the same content.
    """
    from ..core.messages import listed
    from ..io.paths import fetched

    pipeline, known = pipeline_of(model, loading), {*counts.parts} if counts else set()
    new: dict[str, int] = {}
    skipped: list[str] = []
    for k, gold in enumerate(progress_bar(files.golds, desc="looking for new files", unit=" files")):
        pred = files.preds[k] if files.preds else gold
        with fetched(gold) as gold_path, fetched(pred) as pred_path:
            digest = shard_digest(gold_path, pred_path, pipeline)
        if digest in known:
            skipped.append(gold)
        elif digest in new:
            raise ValueError(f"{files.golds[new[digest]]} and {gold} have the same content: leave one of them out")
        else:
            new[digest] = k
    if skipped:
        say(f"ℹ {len(skipped)} of {len(files.golds)} files are in {output} already, and skipped: {listed(skipped)}")
    places = [*new.values()]
    preds = None if files.preds is None else [files.preds[k] for k in places]
    return Files([files.golds[k] for k in places], preds)


def check_appendable(
    counts: Counts,
    metrics: Sequence[Metric],
    reading: Reading,
    sharding: Sharding,
    gold: str,
    pipeline: Pipeline | None,
    output: Path,
) -> None:
    """Check, before anything is counted, that further files would be counted as those in the counts were.

    Args:
        counts: The counts that are there.
        metrics: What is to be counted.
        reading: How files are to be read.
        sharding: Whether to look for repeated documents.
        gold: One of the files of gold annotation, whose format may decide on the unit.
        pipeline: The model; None if there are files of predictions.
        output: The file of the counts.

    Raises:
        ValueError: Metrics, units, labels or the pipeline are others, or hashes of ids are missing.
    """
    from ..io.id_hashes import checked

    others = counts.without_rows()
    others.metrics, others.spans_key = tuple(metrics), reading.spans_key
    others.label_rules, others.unit = rules_of(reading), _unit(reading, gold)
    if differences := counts.differences(others, replicates=False, collapsed=False):
        raise ValueError(f"{output} was counted in another way: {differences}")
    known = counts.collapsed.pipeline if counts.collapsed else ""
    if known and known != (pipeline_digest(pipeline) if pipeline else ""):
        difference = (
            f"another pipeline: {pipeline.name}, or the file of --code, is not the one that predicted then"
            if pipeline
            else "a pipeline, not from files of predictions"
        )
        raise ValueError(f"{output} was counted with {difference}; add to counts of its own, with another --output")
    if sharding.check_repeats:
        if counts.id_hashes is None:
            raise ValueError(
                f"{output} has no hashes of ids, by which documents are found that it has already: count its files "
                "again with --append, into another --output; or give --no-check-repeats, and such documents count twice"
            )
        checked(output, counts.id_hashes)


def _unit(reading: Reading, gold: str) -> str:
    """Return the rule by which the documents of a file get their units."""
    from ..io.paths import fetched
    from ..io.units import parse, units_of

    if reading.unit is not None:
        return parse(reading.unit).text
    with fetched(gold) as path:
        return units_of(path, reading_of(reading)[0]).rule.text


def save_appended(
    before: Counts | None, counts: Counts, golds: Sequence[str], output: Path, sharding: Sharding
) -> None:
    """Write counts with those that were there before, and print what was written.

    Args:
        before: The counts that were there, if there were any.
        counts: The new ones.
        golds: The new files of gold annotation.
        output: The file.
        sharding: Whether documents with the same id are one document.

    Raises:
        ValueError: They differ in settings, or have documents with the same id.
    """
    from ..counting.counts import united
    from ..io.count_files import delete_unused_hashes
    from ..io.id_hashes import without_repeats

    found = counts
    if before:
        if differences := before.differences(counts):
            raise ValueError(f"{output} was counted in another way: {differences}")
        found = united([before, counts])
        if sharding.check_repeats:
            paths: list[Any] = [output, golds[0] if len(golds) == 1 else "the new files"]
            found.id_hashes = without_repeats(paths, [before.id_hashes, counts.id_hashes], sharding.shared_ids)
    save_counts(found, output)
    if before and before.id_hashes:
        delete_unused_hashes(before.id_hashes)


@command("merge")
def merge_cli(
    files: list[Path] = Argument(..., metavar="PARTS...", help="Count files of the parts, .npz"),
    output: Path = COUNTS,
    shared_ids: bool = SHARED_IDS,
    allow_repeats: bool = Option(
        False,
        "--allow-repeats",
        help="Count documents as often as the parts have them, even if two parts hold some of the same counts",
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
    twice is refused.

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
    checked = bool(check_repeats)
    counts = merge(files, shared_ids=shared_ids, allow_repeats=allow_repeats, collapsed=asked, check_repeats=checked)
    save_counts(counts, output)
