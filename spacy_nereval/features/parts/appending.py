"""`nereval count --append`: add the counts of new files to collapsed counts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...cli.counting_documents import CountTask, pipeline_digest, pipeline_of, save_counts, source_digest
from ...cli.printing import progress_bar, say
from ...cli.sources import reading_of, rules_of
from .lock import hold_lock

if TYPE_CHECKING:
    from ...core.arguments import Reading
    from ...counting.counts import Counts
    from ...evaluation.collapsing import Halves


@contextmanager
def lock_counts(output: Path, wait: float = 0) -> Iterator[Counts | None]:
    """Lock the output, and yield the counts in it; None if it does not exist yet.

    Raises:
        ValueError: Another run adds to the file, or its counts are not collapsed.
    """
    from ...io.count_files import load

    with hold_lock(output.with_name(f"{output.name}.lock"), str(output), "or choose another file", wait):
        counts = load(output) if output.exists() else None
        if counts and not counts.collapsed:
            raise ValueError(
                f"--append: {output} contains counts with documents: collapse it first, with 'nereval merge'"
            )
        yield counts


def halves_to_append(counts: Counts, replicates: int | None, seed: int | None, output: Path) -> Halves:
    """Return the settings of the half-samples of counts to which files are added.

    Raises:
        ValueError: `replicates` or `seed` differs from those of the counts.
    """
    from ...evaluation.collapsing import Halves

    halves = Halves(*counts.replicates.settings) if counts.replicates else Halves(0)
    for name, value, used in (("replicates", replicates, halves.samples), ("seed", seed, halves.seed)):
        if value is not None and value != used:
            raise ValueError(
                f"--{name} {value}: {output} was counted with --{name} {used}, which --append goes on with"
            )
    return halves


def new_files(counts: Counts | None, task: CountTask, output: Path) -> CountTask:
    """Return the task with only those files that are not in the counts yet. Print which files are skipped.

    Args:
        counts: The counts in the output; None if it does not exist yet.
        task: All files, and how they are counted.
        output: The file of the counts, for messages.

    Raises:
        ValueError: Two files have the same content.
    """
    from ...core.messages import join_names
    from ...io.paths import fetch_path

    pipeline, counted_digests = pipeline_of(task.model, task.loading), {*counts.parts} if counts else set()
    new: dict[str, int] = {}
    skipped: list[str] = []
    for k, gold in enumerate(progress_bar(task.golds, desc="looking for new files", unit=" files")):
        pred = task.preds[k] if task.preds else gold
        with fetch_path(gold) as gold_path, fetch_path(pred) as pred_path:
            digest = source_digest(gold_path, pred_path, pipeline)
        if digest in counted_digests:
            skipped.append(gold)
        elif digest in new:
            raise ValueError(f"{task.golds[new[digest]]} and {gold} have the same content: leave one of them out")
        else:
            new[digest] = k
    if skipped:
        say(f"ℹ {len(skipped)} of {len(task.golds)} files are in {output} already, and skipped: {join_names(skipped)}")
    preds = None if task.preds is None else [task.preds[k] for k in new.values()]
    return task._replace(golds=[task.golds[k] for k in new.values()], preds=preds)


def check_appendable(counts: Counts, task: CountTask, output: Path) -> None:
    """Raise ValueError if the files to add would be counted in another way than those in the counts.

    Args:
        counts: The counts in the output.
        task: The files to add, and how they are counted. The first file may decide on the unit.
        output: The file of the counts.

    Raises:
        ValueError: Metrics, units, labels or the pipeline differ, or hashes of ids are missing.
    """
    from ...io.id_hashes import check_hashes

    expected = counts.without_rows()
    expected.metrics, expected.spans_key = tuple(task.metrics), task.reading.spans_key
    expected.label_rules, expected.unit = rules_of(task.reading), _unit(task.reading, task.golds[0])
    if differences := counts.differences(expected, replicates=False, collapsed=False):
        raise ValueError(f"{output} was counted in another way: {differences}")
    pipeline = pipeline_of(task.model, task.loading)
    earlier = counts.collapsed.pipeline if counts.collapsed else ""
    if earlier and earlier != (pipeline_digest(pipeline) if pipeline else ""):
        difference = (
            f"another pipeline: {pipeline.name}, or the file of --code, is not the one that predicted then"
            if pipeline
            else "a pipeline, not from files of predictions"
        )
        raise ValueError(f"{output} was counted with {difference}; add to counts of its own, with another --output")
    if task.check_repeats:
        if counts.id_hashes is None:
            raise ValueError(
                f"{output} has no hashes of ids, by which documents are found that it has already: count its files "
                "again with --append, into another --output; or give --no-check-repeats, and such documents count twice"
            )
        check_hashes(output, counts.id_hashes)


def _unit(reading: Reading, gold: str) -> str:
    """Return the rule by which the documents of a file get their units."""
    from ...io.paths import fetch_path
    from ...io.units import parse_unit, units_of

    if reading.unit is not None:
        return parse_unit(reading.unit).text
    with fetch_path(gold) as path:
        return units_of(path, reading_of(reading)[0]).rule.text


def save_appended(before: Counts | None, counts: Counts, task: CountTask, output: Path, *, shared_ids: bool) -> None:
    """Add new counts to the output, and print a summary.

    Args:
        before: The counts in the output; None if it does not exist yet.
        counts: The new counts.
        task: The new files, and how they were counted.
        output: The file of the counts.
        shared_ids: Whether documents with the same id are one document.

    Raises:
        ValueError: Old and new counts differ in settings, or have documents with the same id.
    """
    from ...counting.counts import unite_counts
    from ...io.count_files import delete_unused_hashes
    from ...io.id_hashes import merge_distinct

    total = counts
    if before:
        if differences := before.differences(counts):
            raise ValueError(f"{output} was counted in another way: {differences}")
        total = unite_counts([before, counts])
        if task.check_repeats:
            paths: list[Any] = [output, task.golds[0] if len(task.golds) == 1 else "the new files"]
            total.id_hashes = merge_distinct(paths, [before.id_hashes, counts.id_hashes], shared_ids)
    save_counts(total, output)
    if before and before.id_hashes:
        delete_unused_hashes(before.id_hashes)
