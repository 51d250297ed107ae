"""Count documents.

Commands call the rooms `counting` and `evaluation` through these functions; `printing` shows the results.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeVar

from ..core.arguments import Reading
from ..core.messages import many
from .command_options import Cutting, Model
from .metric_options import add_stored_labels, chosen_metrics, say_left_attributes
from .printing import progress_bar, say
from .sources import Gold, Kind, Source, matching_files, questions_of

if TYPE_CHECKING:
    from ..core.declaration import Metric
    from ..core.labels import LabelRules
    from ..core.spans import Document
    from ..counting.counts import Counts
    from ..evaluation.collapsing import Halves
    from ..evaluation.comparison import System
    from ..evaluation.error_groups import ErrorGroups
    from ..evaluation.resampling import Confidence
    from ..integration.pipelines import Pipeline
    from .sources import Documents

    Observer = Callable[[Document | None], object]
    """Called with every document as it is counted; None has no gold annotation."""

T = TypeVar("T")


def count_documents(
    documents: Documents,
    metrics: Sequence[Metric],
    source: str,
    reading: Reading,
    observers: Sequence[Observer] = (),
    *,
    groups: ErrorGroups | None = None,
    quiet: bool = False,
    system: str = "",
    collapse: Halves | None = None,
    check_repeats: bool = False,
) -> Counts:
    """Return the counts of documents.

    Args:
        documents: The documents; None for one without gold annotation.
        metrics: The metrics to count.
        source: Name of the gold file.
        reading: How the documents are read.
        observers: Called with every document.
        groups: Where errors are put in groups, unless the documents are added up.
        quiet: Show no progress bar.
        system: The name of the system, for warnings, if there are several.
        collapse: Add up the documents, and keep these half-samples; None keeps a row for each document.
        check_repeats: Keep hashes of the ids of collapsed counts.

    Raises:
        ValueError: If there is no document to count.
    """

    def observed_documents() -> Iterator[Document | None]:
        for document in with_progress(documents, quiet):
            for observer in observers:
                observer(document)
            yield document

    from ..core.spans import NoTokens
    from ..counting.counter import count
    from ..evaluation.collapsing import count_collapsed
    from ..io.id_hashes import IdHashes

    hashes = IdHashes() if check_repeats else None
    observers = [*observers, *([hashes.add] if hashes else [])]
    try:
        if collapse:
            counts = count_collapsed(observed_documents(), metrics, *collapse)
        else:
            counts = count(observed_documents(), metrics, seen=groups.add if groups else None)
    except NoTokens as error:
        raise ValueError(f"{source}: {error}") from None
    counts.sources = [source]
    counts.spans_key = reading.spans_key
    counts.id_hashes = hashes.file() if hashes else None
    _check_not_empty(source, counts.documents, counts.skipped)
    if not quiet:
        warn_of_labels(counts, system)
    return counts


def count_and_keep(
    documents: Documents, metrics: Sequence[Metric], gold: Gold, *, system: str = ""
) -> tuple[Counts, list[Document]]:
    """Return the counts of documents, and the documents with gold annotation; see `count_documents`."""
    kept: list[Document | None] = []
    counts = count_documents(documents, metrics, gold.path.name, gold.reading, [kept.append], system=system)
    return counts, [document for document in kept if document]


class CountTask(NamedTuple):
    """What `count` and `evaluate` count, and how.

    Attributes:
        model: The model that predicts; None with files of predictions.
        golds: Files of gold annotation.
        preds: As many files of predictions; None with a model, or if the files of gold annotation contain both.
        metrics: The metrics to count.
        reading: How files are read.
        loading: How the model is loaded.
        drawn: The settings of half-samples to store with counts of documents; None for none.
        collapse: The half-samples of collapsed counts; None for counts with documents.
        check_repeats: Whether to keep hashes of the ids of collapsed counts.
    """

    model: str | None
    golds: Sequence[str]
    preds: Sequence[str] | None
    metrics: Sequence[Metric]
    reading: Reading
    loading: Model
    drawn: Confidence | None = None
    collapse: Halves | None = None
    check_repeats: bool = False

    def counter(self, extensions: Iterable[TaskCounter]) -> TaskCounter | None:
        """Return the first extension that counts in place of the command, None if the command itself does."""
        return next((extension for extension in extensions if extension.takes(self)), None)

    def file_pair(self) -> tuple[str, str | None]:
        """Return the file of gold annotation, and that of predictions if there is one.

        Raises:
            ValueError: There are no files, or several.
        """
        if len(self.golds) != 1:
            raise ValueError(
                f"{len(self.golds)} files of gold annotation are given, and one is expected: count several one by one, "
                "and add the counts with 'nereval merge'"
            )
        return self.golds[0], self.preds[0] if self.preds else None

    def counts(
        self, observers: Sequence[Observer] = (), groups: ErrorGroups | None = None, *, with_origin: bool = True
    ) -> Counts:
        """Return the counts of a single file of gold annotation.

        Args:
            observers, groups: As for `count_documents`.
            with_origin: Whether to note in them which files, and which model, they come from.

        Raises:
            ValueError: There are several files, or the file cannot be counted.
        """
        from ..io.paths import fetch_path

        gold_name, pred_name = self.file_pair()
        with fetch_path(gold_name) as gold, fetch_path(pred_name or gold_name) as pred:
            source = Source(self.model, Kind.MODEL) if self.model else Source(pred, Kind.FILES) if pred_name else None
            documents = Gold(gold, self.reading, both=source is None).documents(source, self.loading)
            how: dict[str, Any] = {"collapse": self.collapse, "check_repeats": self.check_repeats, "groups": groups}
            counts = count_documents(documents, self.metrics, gold.name, self.reading, observers, **how)
            if with_origin:
                note_source(counts, gold, pred, pipeline_of(self.model, self.loading))
        if self.drawn:
            add_replicates(counts, self.drawn)
        return counts


class TaskCounter(Protocol):
    """An extension that can count in place of `count` and `evaluate`.

    Attributes:
        refusals: The questions that its counts cannot answer, with the reason; see `sources.REFUSALS`.
    """

    refusals: ClassVar[Mapping[str, str]]

    def takes(self, task: CountTask) -> bool:
        """Return whether it counts these files."""

    def counts(self, task: CountTask) -> Counts:
        """Return the counts of the files, for `evaluate`."""

    def save_counts(self, task: CountTask, output: Path) -> None:
        """Count the files and write the counts, for `count`."""


def source_digest(gold: Path, pred: Path | None, pipeline: Pipeline | None) -> str:
    """Return a hash of the inputs of counts, which identifies existing count files."""
    from ..io.paths import content_digest

    return content_digest(gold, pipeline.digest() if pipeline else pred or gold)


def note_source(counts: Counts, gold: Path, pred: Path | None, pipeline: Pipeline | None) -> None:
    """Note their inputs in counts, and in collapsed ones also which pipeline predicted."""
    digest = source_digest(gold, pred, pipeline)
    if not counts.collapsed:
        counts.contents = [digest]
        return
    counts.parts = [digest]
    if pipeline:
        counts.collapsed = counts.collapsed._replace(pipeline=pipeline_digest(pipeline))


def pipeline_digest(pipeline: Pipeline) -> str:
    """Return the hash by which collapsed counts know a pipeline."""
    from ..io.paths import content_digest

    return content_digest(pipeline.digest())


def pipeline_of(model: str | None, loading: Model) -> Pipeline | None:
    """Return a model as any process can load it; None without a model."""
    if model is None:
        return None
    from ..integration.pipelines import Pipeline

    return Pipeline(model, str(loading.code) if loading.code else None, loading.gpu_id, os.getcwd())


def warn_of_labels(counts: Counts, system: str = "") -> None:
    """Print warnings about labels that occur on one side only, or not at all.

    Args:
        counts: The counts.
        system: The name of the system, if there are several.

    Raises:
        ValueError: A label of `--only` occurs nowhere.
    """
    from ..evaluation.result import labels_before_only

    _say_label_warnings(*labels_before_only(counts), counts.partners, counts.label_rules, counts.mapped, system)
    _say_signs(counts.signs, system)


def _say_label_warnings(
    gold: Mapping[str, int],
    pred: Mapping[str, int],
    partners: Mapping[tuple[str, str], int],
    rules: LabelRules | None,
    mapped: Collection[str],
    system: str = "",
) -> None:
    from ..evaluation.label_schemes import label_warnings

    if rules:
        rules.check_labels_occur({*gold, *pred})
    for line in label_warnings(gold, pred, partners, rules, mapped, system):
        say(line, err=True)


def _say_signs(signs: Mapping[tuple[str, str], int], system: str = "") -> None:
    """Print how sides were read, and that edges of spans look odd."""
    from ..core.edges import edge_lines

    for line in edge_lines(signs, system):
        say(line, err=True)


def totals_while_reading(
    documents: Documents, source: str
) -> tuple[Counter[str], Counter[str], Iterator[Document | None]]:
    """Return the totals of a heading, those of mentions, and the documents, which are added to them as they are read.

    After the last one, ValueError is raised if there was no document with gold annotation.
    """
    from ..core.edges import EdgeCounter
    from ..core.spans import ON_READING

    labels: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    partners: Counter[tuple[str, str]] = Counter()
    rules: LabelRules | None = None
    mapped: set[str] = set()
    mentions: Counter[str] = Counter()
    edges = EdgeCounter()
    totals = Counter(dict.fromkeys(("documents", "gold", "pred", "skipped", *ON_READING), 0))

    def documents_while_adding() -> Iterator[Document | None]:
        nonlocal rules
        for document in with_progress(documents):
            if document is None:
                totals["skipped"] += 1
            else:
                partners.update(document.partners)
                rules = rules or document.label_rules
                mapped.update(document.mapped)
                mentions.update(document.mentions)
                document.add_signs(edges)
                sides = dict(zip(("gold", "pred"), map(len, document.sides)))
                for seen, spans in zip(labels, document.sides):
                    seen.update(label for _, _, label in spans)
                for (side, label), number in document.unkept.items():
                    labels[side == "pred"][label] += number
                totals.update({**sides, "documents": 1, **{name: getattr(document, name) for name in ON_READING}})
            yield document
        _check_not_empty(source, totals["documents"], totals["skipped"])
        _say_label_warnings(*labels, partners, rules, mapped)
        _say_signs(edges.signs)

    return totals, mentions, documents_while_adding()


def with_progress(documents: Iterable[T], quiet: bool = False) -> Iterable[T]:
    """Return the documents, with a progress bar if the output is a terminal."""
    progress: Iterable[T] = documents if quiet else progress_bar(documents, unit=" docs")
    return progress


def _check_not_empty(source: str, documents: int, skipped: int) -> None:
    if not documents and not skipped:
        raise ValueError(f"there are no documents to score in {source}")
    if not documents:
        raise ValueError(
            f"{source}: none of the {skipped} gold documents is annotated; "
            "if the annotation is in span groups, name one with --spans-key KEY"
        )


def add_replicates(counts: Counts, drawn: Confidence) -> None:
    """Resample the counts, so that intervals of several count files can be merged."""
    from ..evaluation.intervals import draw_replicates

    counts.replicates = draw_replicates(counts, drawn.samples, drawn.seed)


def save_counts(counts: Counts, output: Path) -> None:
    """Write a count file, and print its name."""
    from ..io.count_files import save
    from ..reporting.remarks import reading_phrases

    unchecked = _note_on_repeats(counts)  # before the hashes of ids move
    save(counts, output)
    said = reading_phrases({**counts.on_reading, "skipped": counts.skipped})
    say(", ".join([f"✔ counts of {many(counts.documents, 'document')} in {output}", *said]), fg="green")
    if unchecked:
        say(unchecked)


def say_if_unchecked(counts: Counts) -> None:
    """Print to stderr that nobody looked for repeated documents, if that is so."""
    if unchecked := _note_on_repeats(counts):
        say(unchecked, err=True)


def _note_on_repeats(counts: Counts) -> str:
    """Return why repeated documents are not found: counts are collapsed, and have no hashes of ids or no ids."""
    if not counts.collapsed:
        return ""
    if not counts.id_hashes:
        return (
            "ℹ Documents that occur in several files were not looked for, and count several times: --check-repeats "
            "finds them."
        )
    if not counts.id_hashes.stat().st_size:
        return "ℹ No document has an id, so --check-repeats cannot find documents that occur in several files."
    return ""


def check_collapse_given(option: str, given: bool | None, collapse: bool) -> None:
    """Raise ValueError if an option is given that only collapsed counts have."""
    if given and not collapse:
        raise ValueError(f"{option} is for collapsed counts: give --collapse, too")


def halves_of(drawn: Confidence | None) -> Halves:
    """Return the half-samples that collapsed counts keep, given the settings of intervals."""
    from ..evaluation.collapsing import Halves

    return Halves(drawn.samples, drawn.seed) if drawn else Halves()


def chosen_halves(replicates: int | None, seed: int | None) -> Halves:
    """Return the half-samples that `--replicates` and `--seed` ask for.

    Raises:
        ValueError: A setting is out of range, or a seed is given for no half-samples.
    """
    from ..evaluation.collapsing import SAMPLES, Halves
    from ..evaluation.resampling import Confidence

    if replicates == 0 and seed is not None:
        raise ValueError("--seed is given with --replicates 0, which draws nothing: leave one of them out")
    halves = Halves(SAMPLES if replicates is None else replicates, seed or 0)
    Confidence(samples=halves.samples or 1, seed=halves.seed).checked()
    return halves


class RunCounter:
    """Counts training runs against one gold annotation; count files are used unchanged.

    Args:
        runs: Files of predictions, models, or count files, of all systems.
        gold: The gold file or folder; None if all runs are count files.
        metrics: The value of `--metrics`.
        options: The options of metrics. Without these and `metrics`, count files determine the metrics.
        train: The value of `--train`.
        reading: How files are read.
        loading: How models are loaded.
        cutting: Which predictions are kept.

    Raises:
        ValueError: A metric or a count file cannot be used, or gold annotation is missing.
        OSError: The gold annotation or a count file cannot be read.
    """

    def __init__(
        self,
        runs: Sequence[Source],
        gold: Path | None,
        metrics: str | None,
        options: Sequence[str],
        train: str | None,
        reading: Reading,
        loading: Model,
        cutting: Cutting,
    ) -> None:
        from ..io.paths import check_is_file

        stored = [run for run in runs if run.has_counts]
        if gold is None and len(stored) < len(runs):
            other = next(run for run in runs if not run.has_counts)
            raise ValueError(f"{other} is not a count file: name the gold annotation first")
        if gold and stored and len(stored) == len(runs):
            say(
                f"ℹ {gold} is not read: all systems are count files, in which gold annotation is counted already",
                err=True,
            )
        if gold and not gold.exists() and matching_files(str(gold)) == [str(gold)]:
            check_is_file(gold)
        questions = questions_of(reading if len(stored) == len(runs) else Reading(), cutting)
        for run in stored:
            run.check(questions)
        reading = add_stored_labels(reading, runs)
        if stored and reading.unit is None and "block:auto" not in stored[0].counts.unit:
            reading = replace(reading, unit=stored[0].counts.unit)  # so that the same units are resampled
        self.gold, self.loading, self.cutting = Gold(gold or Path(), reading), loading, cutting
        self.metrics: tuple[Metric, ...]
        self.left_out: dict[str, str] = {}
        if stored and not metrics and not options:
            self.metrics = stored[0].counts.metrics
        else:
            annotation = self.gold if gold else None
            self.metrics, self.left_out = chosen_metrics(metrics, options, train, gold=annotation, systems=runs)
            if annotation:
                say_left_attributes(self.metrics, annotation)

    def counts(self, run: Source, name: str = "") -> Counts:
        """Return the counts of a run. The name of the run is for warnings."""
        if run.has_counts:
            return run.counts
        documents, name = self.gold.documents(run, self.loading, self.cutting), name or run.name
        return count_documents(documents, self.metrics, self.gold.path.name, self.gold.reading, system=name)

    def counts_of_runs(self, name: str, runs: Sequence[Source]) -> list[Counts]:
        """Return the counts of each training run of a system."""
        return [self.counts(run, name if len(runs) == 1 else f"{name}, {run}") for run in runs]

    def system(self, name: str, runs: Sequence[Source]) -> System:
        """Return a system with the counts of its training runs; a single run that is no count file has documents."""
        from ..evaluation.comparison import System

        if len(runs) > 1 or runs[0].has_counts:
            return System(name, self.counts_of_runs(name, runs))
        documents = self.gold.documents(runs[0], self.loading, self.cutting)
        counts, kept = count_and_keep(documents, self.metrics, self.gold, system=name)
        return System(name, [counts], kept)
