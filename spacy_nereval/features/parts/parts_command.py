"""Count a corpus of several files with workers. For `evaluate` and `count`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...cli.command_options import Model, Sharding, input_formats
from ...cli.counting_documents import add_replicates, count_documents, warn_of_labels
from ...cli.printing import progress_bar, say, say_to_programs
from ...cli.sources import Gold, Source, rules_of
from ...core.arguments import Reading
from ...core.messages import TryAgain

if TYPE_CHECKING:
    from ...core.declaration import Metric
    from ...counting.counts import Counts
    from ...evaluation.collapsing import Halves
    from ...evaluation.resampling import Confidence
    from ...integration.pipelines import Pipeline
    from .shards import PartsFolder, Shard, ShardStatus

PARTS = "nereval-parts"
"""The default of `--parts`."""

MOST_NAMES = 5
"""Maximum number of files that a line about an error names."""


@dataclass(frozen=True)
class Counting:
    """How every shard is counted. It is sent to the workers, so it holds only names and settings.

    Attributes:
        metrics: The options of each metric.
        reading: How files are read.
        pipeline: The model; None if there are files of predictions.
        replicates: The settings of the replicates; None for no replicates.
        home: The folder that relative paths start from.
        collapse: The half-samples of collapsed counts; None for counts with documents.
        check_repeats: Whether to keep hashes of the ids of collapsed counts.
        code: A Python file to run first.
    """

    metrics: dict[str, dict[str, Any]]
    reading: Reading
    pipeline: Pipeline | None
    replicates: Confidence | None
    home: str
    collapse: Halves | None = None
    check_repeats: bool = False
    code: str | None = None

    def origin(self, shard: Shard) -> Mapping[str, Any]:
        """Return everything that the counts of a shard depend on, as JSON values."""
        from importlib.metadata import version

        from ...core.about import __version__
        from ...io.paths import digest, fetched
        from ...metrics.registry import create

        self._run_code()
        contents: dict[str | None, str] = {}
        for name in filter(None, (shard.gold, shard.pred)):
            with fetched(name, self.home) as path:
                contents[name] = digest(path)
        origin: dict[str, Any] = {
            "gold": contents[shard.gold],
            "pred": contents.get(shard.pred),
            "model": self.pipeline and self.pipeline.digest(),
            "name": shard.name,
            "reading": asdict(replace(self.reading, format=",".join(input_formats(self.reading.format)))),
            "metrics": {name: [create(name).version, options] for name, options in self.metrics.items()},
            "replicates": self.replicates and (self.replicates.samples, self.replicates.seed),
            "versions": (__version__, version("spacy")),
        }
        if self.collapse:
            origin["collapse"] = [*self.collapse, self.check_repeats]
        if self.code_file:
            origin["code"] = digest(self.code_file)
        stored: dict[str, Any] = json.loads(json.dumps(origin))  # with lists for tuples, as in a count file
        return stored

    def count(self, shard: Shard) -> Counts:
        """Return the counts of a shard.

        Raises:
            ValueError: If it cannot be counted. The message names the files as the user did,
                not the local copies of remote files.
        """
        from ...io.paths import fetched
        from ...metrics.registry import create_all

        self._run_code()
        # Forget the words that the pipeline has met after each shard, or memory would grow with every file.
        nlp = self.pipeline and self.pipeline.loaded()
        zone = nlp.memory_zone() if nlp else nullcontext()
        with zone, fetched(shard.gold, self.home) as gold, fetched(shard.pred or shard.gold, self.home) as pred:
            try:
                annotation = Gold(gold, self.reading, both=not (nlp or shard.pred))
                if nlp:
                    documents = annotation.documents_of_model(nlp)
                else:
                    documents = annotation.documents(Source(pred, annotated=True) if shard.pred else None)
                chosen = create_all(self.metrics)
                how: dict[str, Any] = {"collapse": self.collapse, "check_repeats": self.check_repeats}
                counts = count_documents(documents, chosen, shard.name, self.reading, quiet=True, **how)
                name_shard(counts, gold, pred, self.pipeline)
            except ValueError as error:
                message = str(error).replace(str(gold), shard.gold).replace(str(pred), shard.pred or shard.gold)
                raise ValueError(message) from None
        if self.replicates and not self.collapse:
            add_replicates(counts, self.replicates)
        return counts

    @property
    def code_file(self) -> Path | None:
        """The path of the Python file."""
        return Path(self.home, self.code) if self.code else None

    def _run_code(self) -> None:
        """Run the file of `--code`, which a worker has to do by itself."""
        from ...core.plugins import import_code

        if self.code_file:
            import_code(self.code_file)


def shard_digest(gold: Path, pred: Path | None, pipeline: Pipeline | None) -> str:
    """Return a hash of what the counts of a shard come from, so that a shard is recognised that counts already have."""
    from ...io.paths import content_digest

    return content_digest(gold, pipeline.digest() if pipeline else pred or gold)


def name_shard(counts: Counts, gold: Path, pred: Path | None, pipeline: Pipeline | None) -> None:
    """Note in the counts of a shard what they come from, and in collapsed ones also which pipeline predicted."""
    digest = shard_digest(gold, pred, pipeline)
    if not counts.collapsed:
        counts.contents = [digest]
        return
    counts.parts = [digest]
    if pipeline:
        counts.collapsed = counts.collapsed._replace(pipeline=pipeline_digest(pipeline))


def pipeline_digest(pipeline: Pipeline) -> str:
    """Return the hash by which collapsed counts know a pipeline."""
    from ...io.paths import content_digest

    return content_digest(pipeline.digest())


def pipeline_of(model: str | None, loading: Model) -> Pipeline | None:
    """Return a model as workers load it; None without a model."""
    if model is None:
        return None
    from ...integration.pipelines import Pipeline

    return Pipeline(model, str(loading.code) if loading.code else None, loading.gpu_id, os.getcwd())


def count_in_parts(
    golds: Sequence[str],
    preds: Sequence[str] | None,
    model: str | None,
    metrics: Sequence[Metric],
    reading: Reading,
    loading: Model,
    drawn: Confidence | None,
    sharding: Sharding,
    collapse: Halves | None = None,
) -> Counts:
    """Return the counts of all files together. One worker counts each file.

    Args:
        golds: Files of gold annotation.
        preds: As many files of predictions; None with a model.
        model: The model; None with files of predictions.
        metrics: What to count.
        reading: How files are read.
        loading: How the model is loaded.
        drawn: The settings of half-samples to store with counts of documents; None for none.
        sharding: Which workers count, and where they keep the counts of each file.
        collapse: The half-samples of collapsed counts; None for counts with documents.

    Raises:
        ValueError: If some files cannot be counted. The reasons are printed first.
    """
    from ...io.paths import is_pipe, location
    from .engines import started
    from .shards import PartsFolder, locked, merged

    if reading.labels is not None and (rules := rules_of(reading)):
        reading = replace(reading, labels=json.dumps(rules.mapping))  # workers need not have the file, which may change
    # Metrics that depend on the whole corpus cannot be resampled in parts.
    replicates = None if any(metric.resolve or metric.distinct for metric in metrics) else drawn
    pipeline, code = pipeline_of(model, loading), str(loading.code) if loading.code else None
    settings = {metric.name: dict(metric.settings) for metric in metrics}
    check_repeats = bool(sharding.check_repeats)
    work = Counting(settings, reading, pipeline, replicates, os.getcwd(), collapse, check_repeats, code)
    shards, folder = named_shards(golds, preds), PartsFolder(sharding.parts or PARTS)
    for name in (*golds, *(preds or ())):
        if is_pipe(location(name)):
            raise ValueError(
                f"{name} is a pipe, and a worker reads its file more than once: write it to a file; or count a single "
                "pair of gold annotation and predictions, without --engine, --workers and --parts"
            )
    workers = sharding.workers or (-1 if sharding.engine else 1)
    with started(sharding.engine or "loky", workers, gpus=loading.gpu_id >= 0) as engine, locked(folder, sharding.wait):
        earlier = {file.name for file in folder.path.glob("counts-*.npz")}
        parts = _count_shards(shards, work, folder, engine.run)
        _check_all_counted(parts, folder)
        counts = merged(
            parts,
            folder,
            engine,
            shared_ids=sharding.shared_ids,
            check_repeats=check_repeats,
            collapsed=collapse is not None,
            code=work.code_file,
            note=lambda line: say(f"⚠ {line}", fg="yellow", err=True),
        )
        warn_of_labels(counts)
        kept = sum(part.kept and folder.part(part.shard).name in earlier for part in parts)
        replaced = sum(part.replaced for part in parts)
        notes = [f"{kept} by an earlier run"] * bool(kept) + [f"{replaced} replacing other counts"] * bool(replaced)
        note = f" ({', '.join(notes)})" if notes else ""
        say(f"✔ {len(parts)} files counted in {folder.name}{note}", fg="green", err=True)
        return counts


def _count_shards(shards: Sequence[Shard], work: Counting, folder: PartsFolder, run: Any) -> list[ShardStatus]:
    """Count the shards that are not counted yet.

    With a progress bar if the output is a terminal, and with a line for every tenth of them in a log for programs.
    """
    from .shards import count_shards

    with progress_bar(total=len(shards), unit=" files") as bar:

        def ready(number: int) -> None:
            if 10 * number // len(shards) > 10 * bar.n // len(shards):
                say_to_programs(f"{number} of {len(shards)} files are finished", files=number, of=len(shards))
            bar.n = number
            bar.refresh()

        return count_shards(shards, work, folder, run, ready)


def _check_all_counted(parts: Sequence[ShardStatus], folder: PartsFolder) -> None:
    """Print why files could not be counted, and raise ValueError if there are any."""
    failed = [part for part in parts if part.error]
    for line in failure_lines(failed):
        say(f"✘ {line}", fg="red", err=True)
    if failed:
        others = f"; the counts of the others are in {folder.name}, from which the same command continues"
        kind = TryAgain if any(part.lost for part in failed) else ValueError
        raise kind(
            f"{len(failed)} of {len(parts)} files could not be counted{others if len(failed) < len(parts) else ''}"
        )


def named_shards(golds: Sequence[str], preds: Sequence[str] | None) -> list[Shard]:
    """Return the shards, sorted by name. A shard is named after the unique part of its gold file's path.

    Raises:
        ValueError: If two shards would have one name.
    """
    from ...io.paths import short_names
    from .shards import PartsFolder, Shard

    sides: Sequence[str | None] = preds or [None] * len(golds)
    shards = [Shard(name, gold, pred) for name, gold, pred in zip(short_names(golds), golds, sides)]
    gold_of: dict[str, str] = {}
    for shard in shards:
        file = PartsFolder("").part(shard).name
        if file in gold_of:
            if gold_of[file] == shard.gold:
                raise ValueError(f"{shard.gold} is given twice")
            raise ValueError(f"{gold_of[file]} and {shard.gold} would both be counted in {file}: rename one")
        gold_of[file] = shard.gold
    return sorted(shards)


def failure_lines(parts: Sequence[ShardStatus]) -> list[str]:
    """Return one line for each error, with the files that it concerns."""
    by_error: dict[str, list[str]] = {}
    for part in parts:
        by_error.setdefault(part.error, []).append(part.shard.gold)
    lines = []
    for error, names in by_error.items():
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        lines.append(error if names[0] in error else f"{', '.join(names[:MOST_NAMES])}{more}: {error}")
    return lines
