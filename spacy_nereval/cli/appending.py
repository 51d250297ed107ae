"""`count --append`: add new files to collapsed counts, for a job that runs again and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .inputs import reading_of, rules_of
from .options import Model, Reading, Sharding
from .printing import say
from .results import save_counts
from .sharded import pipeline_digest, pipeline_of, shard_digest

if TYPE_CHECKING:
    from ..core.declaration import Metric
    from ..counting.counts import Counts
    from ..evaluation.collapsing import Halves
    from ..integration.pipelines import Pipeline


class Files(NamedTuple):
    """The files to count: gold annotation, and predictions unless a model makes them."""

    golds: Sequence[str]
    preds: Sequence[str] | None


@contextmanager
def locked_counts(output: Path) -> Iterator[Counts | None]:
    """Provide the counts that are there already, None if there are none yet, and keep other runs out.

    Raises:
        ValueError: Another run adds to the file, or it does not hold collapsed counts.
    """
    from ..distributed.lock import exclusive
    from ..io.count_files import load

    with exclusive(output.with_name(f"{output.name}.lock"), str(output), "or choose another file"):
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
    from tqdm import tqdm

    from ..core.messages import listed
    from ..io.paths import fetched

    pipeline, known = pipeline_of(model, loading), {*counts.parts} if counts else set()
    new: dict[str, int] = {}
    skipped: list[str] = []
    for k, gold in enumerate(tqdm(files.golds, desc="looking for new files", unit=" files", leave=False, disable=None)):
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
        say(f"{len(skipped)} of {len(files.golds)} files are in {output} already, and skipped: {listed(skipped)}")
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

    if sharding.check_repeats:
        checked(output, counts.id_hashes)
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
