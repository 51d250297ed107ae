"""Extend `evaluate` and `count` with workers that count a corpus of several files."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, cast

from typer import Option

from ...cli.app import Extension
from ...cli.command_options import SHARED_IDS, input_formats
from ...cli.counting_documents import (
    CountTask,
    add_replicates,
    check_collapse_given,
    count_documents,
    note_source,
    pipeline_of,
    save_counts,
    say_if_unchecked,
    warn_of_labels,
)
from ...cli.guards import NamedInputs, output_files
from ...cli.printing import progress_bar, say, say_to_programs
from ...cli.sources import Gold, Kind, Source, rules_of
from ...core import arguments
from ...core.arguments import Reading
from ...core.messages import TryAgain
from .corpus_lists import corpus_values

if TYPE_CHECKING:
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
class Workers(Extension):
    """The options of workers that count a corpus of several files."""

    engine: str | None = Option(None, "--engine", help="Where the workers run: loky (this machine), ray, dask or spark")
    workers: int | None = Option(
        None, "--workers", help="Number of workers. By default 1, or with --engine all that the engine has", min=1
    )
    parts: str | None = Option(
        None,
        "--parts",
        help="Folder for the counts of each file, from which an interrupted run continues (by default nereval-parts)",
    )
    files_from: Path | None = Option(
        None,
        "--files-from",
        metavar="FILE",
        help="Text file, or - for standard input, with a file of the corpus per line, or with those of gold and of "
        "predictions and a tab between them. Lines may also be patterns, URLs, or folders with --format",
    )
    wait: float = Option(
        0,
        "--wait",
        metavar="SECONDS",
        min=0,
        help="Wait so long for another run that writes to --parts, or with --append to --output, before giving up with "
        "status 75",
    )
    shared_ids: bool = SHARED_IDS

    group: ClassVar[str] = "workers"
    refusals: ClassVar[Mapping[str, str]] = {
        "breakdown": "{asked} needs every span, and workers keep no spans: evaluate one file, without workers",
        "repeated mistakes": "{asked}: a corpus that workers count keeps no texts, so repeated errors are not known",
    }

    @classmethod
    def prepare(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of the parameters with all files of the corpus (see `corpus_values`)."""
        return corpus_values(given)

    @classmethod
    def check_files(cls, given: Mapping[str, Any], inputs: NamedInputs) -> None:
        """Raise ValueError if the folder of parts is an input, or a part is an input or an output."""
        folder = Path(given["parts"] or PARTS)
        path = folder.resolve()
        for output in output_files(given).values():
            if output.resolve().parent == path and output.match("counts-*.npz"):
                raise ValueError(
                    f"{output} has the name of a part, and parts are inputs, so it cannot be the output: choose another"
                )
        if input_folder := inputs.folder_of(path):
            relation = "is" if path == input_folder.resolve() else f"is in {input_folder}, which is"
            raise ValueError(
                f"--parts {folder} {relation} an input, so no parts can be written there: choose another folder"
            )
        for part in folder.glob("counts-*.npz"):
            inputs.check_output(part)

    def takes(self, task: CountTask) -> bool:
        """Return whether there are several files, or workers are requested for a single one."""
        return len(task.golds) > 1 or bool(self.engine or self.workers or self.parts)

    def counts(self, task: CountTask) -> Counts:
        """Return the merged counts of all files, which workers count."""
        return count_in_parts(task, self)

    def save_counts(self, task: CountTask, output: Path) -> None:
        """Count the files and write the counts."""
        save_counts(self.counts(task), output)


@dataclass(frozen=True)
class EvaluateWorkers(Workers):
    """The options of workers for `evaluate`."""

    help: ClassVar[str] = """
    Several files, or any number with --engine, are counted by workers, each file
    by one of them. An interrupted run continues where it stopped.
    """

    def counts(self, task: CountTask) -> Counts:
        """Return the merged counts of all files, and warn if repeated documents were not checked."""
        counts = super().counts(task)
        say_if_unchecked(counts)
        return counts


@dataclass(frozen=True)
class CountWorkers(Workers):
    """The options of workers for `count`, and `--append`."""

    append: bool = Option(
        False,
        "--append",
        help="With --collapse: add to the counts that --output names, if there are any. Files that they have already "
        "are skipped, whatever their names",
    )
    replicates: Annotated[int | None, arguments.REPLICATES] = None
    seed: Annotated[int | None, arguments.SEED] = None

    help: ClassVar[str] = """
    With --append, a job can add new files to collapsed counts again and again. The
    file is replaced as a whole, or not at all. A document that is already counted,
    as in a file that has changed since it was added, is an error unless --no-check-repeats is given.

    Several gold files, or any number with --engine, are counted by workers, each
    file by one of them. An interrupted run continues where it stopped. Files may be
    named one by one, by patterns, by a folder with --format, or in a list with --files-from.
    """

    @classmethod
    def prepare(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of the parameters with all files of the corpus.

        With `--append`, repeated documents are looked for unless the user says otherwise.

        Raises:
            ValueError: The files cannot be found, or `--append` is given without `--collapse`.
        """
        values = super().prepare(given)
        check_collapse_given("--append", values["append"], values["collapse"])
        if values["check_repeats"] is None:
            values["check_repeats"] = values["append"]
        return values

    def takes(self, task: CountTask) -> bool:
        """Return whether files are added to counts, or counted by workers."""
        return self.append or super().takes(task)

    def counts(self, task: CountTask) -> Counts:
        """Return the merged counts of all files. A single file is counted without workers."""
        return super().counts(task) if super().takes(task) else task.counts()

    def save_counts(self, task: CountTask, output: Path) -> None:
        """Count the files and write the counts. With `--append`, add the counts of new files to the output.

        Raises:
            ValueError: Files cannot be counted, or cannot be added to the counts in the output.
        """
        from .appending import check_appendable, halves_to_append, lock_counts, new_files, save_appended

        if not self.append:
            return super().save_counts(task, output)
        with lock_counts(output, self.wait) as before:
            if before:
                task = task._replace(collapse=halves_to_append(before, self.replicates, self.seed, output))
                check_appendable(before, task, output)
            task = new_files(before, task, output)
            if task.golds:
                save_appended(before, self.counts(task), task, output, shared_ids=self.shared_ids)
            else:
                say(f"✔ nothing to add to {output}", fg="green")


@dataclass(frozen=True)
class FileCounter:
    """How every shard is counted. It is sent to the workers, so it contains only names and settings.

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
        from ...io.paths import digest, fetch_path
        from ...metrics.registry import create

        self._run_code()
        contents: dict[str | None, str] = {}
        for name in filter(None, (shard.gold, shard.pred)):
            with fetch_path(name, self.home) as path:
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
        return cast("dict[str, Any]", json.loads(json.dumps(origin)))  # with lists for tuples, as in a count file

    def count(self, shard: Shard) -> Counts:
        """Return the counts of a shard.

        Raises:
            ValueError: If it cannot be counted. The message names the files as the user did,
                not the local copies of remote files.
        """
        from ...io.paths import fetch_path
        from ...metrics.registry import create_all

        self._run_code()
        # Forget the words that the pipeline has met after each shard, or memory would grow with every file.
        nlp = self.pipeline and self.pipeline.load()
        zone = nlp.memory_zone() if nlp else nullcontext()
        with zone, fetch_path(shard.gold, self.home) as gold, fetch_path(shard.pred or shard.gold, self.home) as pred:
            try:
                source = Source(pred, Kind.FILES) if shard.pred else None
                if self.pipeline:
                    source = Source(self.pipeline.name, Kind.MODEL, nlp)
                documents = Gold(gold, self.reading, both=source is None).documents(source)
                metrics = create_all(self.metrics)
                options: dict[str, Any] = {"collapse": self.collapse, "check_repeats": self.check_repeats}
                counts = count_documents(documents, metrics, shard.name, self.reading, quiet=True, **options)
                note_source(counts, gold, pred, self.pipeline)
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


def count_in_parts(task: CountTask, workers: Workers) -> Counts:
    """Return the merged counts of all files. One worker counts each file.

    Raises:
        ValueError: If some files cannot be counted. The reasons are printed first.
    """
    from ...core.messages import many
    from ...io.paths import is_pipe, location
    from .engines import start_engine
    from .shards import PartsFolder, lock_folder, merge_shards

    whole = next((metric.name for metric in task.metrics if metric.resolve or metric.distinct), None)
    if task.drawn and whole:
        raise ValueError(f"{whole} depends on the corpus as a whole, so --replicates cannot be computed for its parts")
    reading, loading = task.reading, task.loading
    if reading.labels is not None and (rules := rules_of(reading)):
        # Workers need not have the file, which may change; and a list means the labels to keep.
        only = None if rules.only is None else [json.dumps([*rules.only])]
        reading = replace(reading, labels=json.dumps(rules.mapping) if rules.mapping else None, only=only)
    pipeline, code = pipeline_of(task.model, loading), str(loading.code) if loading.code else None
    settings = {metric.name: dict(metric.settings) for metric in task.metrics}
    cwd = os.getcwd()
    work = FileCounter(settings, reading, pipeline, task.drawn, cwd, task.collapse, task.check_repeats, code)
    shards, folder = corpus_shards(task.golds, task.preds), PartsFolder(workers.parts or PARTS)
    for name in (*task.golds, *(task.preds or ())):
        if is_pipe(location(name)):
            raise ValueError(
                f"{name} is a pipe, and a worker reads its file more than once: write it to a file; or count a single "
                "pair of gold annotation and predictions, without --engine, --workers and --parts"
            )
    number = workers.workers or (-1 if workers.engine else 1)
    with (
        start_engine(workers.engine or "loky", number, gpus=loading.gpu_id >= 0) as engine,
        lock_folder(folder, workers.wait),
    ):
        earlier = {file.name for file in folder.path.glob("counts-*.npz")}
        statuses = _count_shards(shards, work, folder, engine.run)
        _check_all_counted(statuses, folder)
        counts = merge_shards(
            statuses,
            folder,
            engine,
            shared_ids=workers.shared_ids,
            check_repeats=task.check_repeats,
            collapsed=task.collapse is not None,
            code=work.code_file,
            note=lambda line: say(f"⚠ {line}", fg="yellow", err=True),
        )
        warn_of_labels(counts)
        kept = sum(status.kept and folder.part(status.shard).name in earlier for status in statuses)
        replaced = sum(status.replaced for status in statuses)
        notes = [f"{kept} by an earlier run"] * bool(kept) + [f"{replaced} replacing other counts"] * bool(replaced)
        note = f" ({', '.join(notes)})" if notes else ""
        say(f"✔ {many(len(statuses), 'file')} counted in {folder.name}{note}", fg="green", err=True)
        return counts


def _count_shards(shards: Sequence[Shard], work: FileCounter, folder: PartsFolder, run: Any) -> list[ShardStatus]:
    """Count the shards that are not counted yet, and return the status of each.

    Show a progress bar on a terminal, and write a line to a log for programs after every tenth of the shards.
    """
    from .shards import count_shards

    with progress_bar(total=len(shards), unit=" files") as bar:

        def show_progress(number: int) -> None:
            if 10 * number // len(shards) > 10 * bar.n // len(shards):
                say_to_programs(f"{number} of {len(shards)} files are finished", files=number, of=len(shards))
            bar.n = number
            bar.refresh()

        return count_shards(shards, work, folder, run, show_progress)


def _check_all_counted(statuses: Sequence[ShardStatus], folder: PartsFolder) -> None:
    """Raise an error if files could not be counted, after printing the reasons."""
    failed = [status for status in statuses if status.error]
    for line in failure_lines(failed):
        say(f"✘ {line}", fg="red", err=True)
    if failed:
        remainder = f"; the counts of the others are in {folder.name}, from which the same command continues"
        advice = remainder if len(failed) < len(statuses) else ""
        kind = TryAgain if any(status.lost for status in failed) else ValueError
        raise kind(f"{len(failed)} of {len(statuses)} files could not be counted{advice}")


def corpus_shards(golds: Sequence[str], preds: Sequence[str] | None) -> list[Shard]:
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


def failure_lines(statuses: Sequence[ShardStatus]) -> list[str]:
    """Return one line for each error, with the files that it concerns."""
    by_error: dict[str, list[str]] = {}
    for status in statuses:
        by_error.setdefault(status.error, []).append(status.shard.gold)
    lines = []
    for error, names in by_error.items():
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        lines.append(error if names[0] in error else f"{', '.join(names[:MOST_NAMES])}{more}: {error}")
    return lines
