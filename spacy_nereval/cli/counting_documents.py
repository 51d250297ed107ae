"""Count documents.

Commands call the rooms `counting` and `evaluation` through these functions; `printing` shows the results.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeVar

from ..core.arguments import Reading
from .command_options import Cutting, Model, Resampling, Showing, table_names
from .metric_options import chosen_metrics, with_stored_labels
from .printing import progress_bar, say
from .systems import (
    as_stored,
    check_no_count_file,
    documents_of,
    documents_of_files,
    documents_of_model,
    matching_files,
    predictions_kept,
)

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
    from .systems import Documents

T = TypeVar("T")


class Observer(Protocol):
    """Something that sees every document as it is counted."""

    def add(self, document: Document | None) -> None:
        """See a document; None has no gold annotation."""


class Kept(list["Document"]):
    """An observer that keeps the documents with gold annotation."""

    def add(self, document: Document | None) -> None:
        """Keep the document, unless it is None."""
        if document:
            self.append(document)


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
        metrics: What to count.
        source: Name of the gold file.
        reading: How the documents are read.
        observers: Their `add` is called with every document.
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
                observer.add(document)
            yield document

    from ..core.spans import NoTokens
    from ..counting.counter import count
    from ..evaluation.collapsing import count_collapsed
    from ..io.id_hashes import IdHashes

    hashes = IdHashes() if check_repeats else None
    observers = [*observers, *([hashes] if hashes else [])]
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


class CountTask(NamedTuple):
    """What `count` and `evaluate` count, and how.

    Attributes:
        model: The model that predicts; None with files of predictions.
        golds: Files of gold annotation.
        preds: As many files of predictions; None with a model, or if the files of gold annotation hold both.
        metrics: What to count.
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

    def counts(self) -> Counts:
        """Return the counts of a single file of gold annotation, with a note of what they come from.

        Raises:
            ValueError: There are several files, or the file cannot be counted.
        """
        from ..io.paths import fetch_path

        gold_name, pred_name = self.file_pair()
        with fetch_path(gold_name) as gold, fetch_path(pred_name or gold_name) as pred:
            if self.model:
                documents = documents_of_model(self.model, gold, self.reading, self.loading)
            else:
                documents = documents_of_files(gold, pred if pred_name else None, self.reading)
            how: dict[str, Any] = {"collapse": self.collapse, "check_repeats": self.check_repeats}
            counts = count_documents(documents, self.metrics, gold.name, self.reading, **how)
            note_source(counts, gold, pred, pipeline_of(self.model, self.loading))
        if self.drawn:
            add_replicates(counts, self.drawn)
        return counts


class TaskCounter(Protocol):
    """An extension that can count in place of `count` and `evaluate`.

    Attributes:
        corpus: What messages call a corpus that it counts. No texts are collected from it.
    """

    corpus: ClassVar[str]

    def takes(self, task: CountTask) -> bool:
        """Return whether it counts these files."""

    def counts(self, task: CountTask) -> Counts:
        """Return the counts of the files, for `evaluate`."""

    def save_counts(self, task: CountTask, output: Path) -> None:
        """Count the files and write the counts, for `count`."""


def source_digest(gold: Path, pred: Path | None, pipeline: Pipeline | None) -> str:
    """Return a hash of what counts come from, by which it is recognised that counts have a file already."""
    from ..io.paths import content_digest

    return content_digest(gold, pipeline.digest() if pipeline else pred or gold)


def note_source(counts: Counts, gold: Path, pred: Path | None, pipeline: Pipeline | None) -> None:
    """Note in counts what they come from, and in collapsed ones also which pipeline predicted."""
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
        counts: What was counted.
        system: The name of the system, if there are several.

    Raises:
        ValueError: A label of `--only` occurs nowhere.
    """
    from ..evaluation.result import labels_before_only

    _say_label_warnings(*labels_before_only(counts), counts.partners, counts.label_rules, counts.mapped, system)


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


def totals_while_reading(
    documents: Documents, source: str
) -> tuple[Counter[str], Counter[str], Iterator[Document | None]]:
    """Return the totals of a heading, those of mentions, and the documents, which are added to them as they are read.

    After the last one, ValueError is raised if there was no document with gold annotation.
    """
    from ..core.spans import ON_READING

    labels: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    partners: Counter[tuple[str, str]] = Counter()
    rules: LabelRules | None = None
    mapped: set[str] = set()
    mentions: Counter[str] = Counter()
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
                sides = dict(zip(("gold", "pred"), map(len, document.sides)))
                for seen, spans in zip(labels, document.sides):
                    seen.update(label for _, _, label in spans)
                for (side, label), number in document.unkept.items():
                    labels[side == "pred"][label] += number
                totals.update({**sides, "documents": 1, **{name: getattr(document, name) for name in ON_READING}})
            yield document
        _check_not_empty(source, totals["documents"], totals["skipped"])
        _say_label_warnings(*labels, partners, rules, mapped)

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
    documents = "1 document" if counts.documents == 1 else f"{counts.documents} documents"
    said = reading_phrases({**counts.on_reading, "skipped": counts.skipped})
    say(", ".join([f"✔ counts of {documents} in {output}", *said]), fg="green")
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
        raise ValueError("--seed is given without --replicates")
    halves = Halves(SAMPLES if replicates is None else replicates, seed or 0)
    Confidence(samples=halves.samples or 1, seed=halves.seed).checked()
    return halves


def check_collapsible(
    showing: Showing, per_document: Path | None, by: Sequence[str] | None, *, file: Path | None = None
) -> None:
    """Raise ValueError if something is asked for that collapsed counts do not keep.

    Args:
        showing: Which tables are printed.
        per_document: The file for the scores of each document.
        by: The attributes by which scores are broken down.
        file: The count file; None if documents are collapsed now.
    """
    from ..reporting.score_view import ScoreView

    tables = table_names(showing.tables, ScoreView.makers, ()) if showing.tables != "all" else []
    asked = {
        "--per-document": per_document is not None,
        "--by": bool(by),
        **{f"--tables {name}": name in tables for name in ("documents", "groups")},
    }
    lost = {
        "--per-document": "scores of documents",
        "--by": "breakdown",
        "--tables documents": "scores of documents",
        "--tables groups": "repeated mistakes",
    }
    for option, wanted in asked.items():
        if wanted:
            remedy = "leave out --collapse" if file is None else "count the corpus again without --collapse"
            holder = "collapsed counts have" if file is None else f"{file} holds collapsed counts, which have"
            raise ValueError(f"{option}: {holder} no {lost[option]}, since they keep no documents: {remedy}")


def check_stored_halves(counts: Counts, wanted: bool, resampling: Resampling, file: Path) -> None:
    """Raise ValueError if intervals of collapsed counts are asked for that their half-samples cannot give.

    Args:
        counts: The counts.
        wanted: Whether intervals are asked for.
        resampling: How documents are to be resampled.
        file: The count file.
    """
    again = "count the corpus again with --replicates"
    if wanted and counts.replicates is None:
        raise ValueError(
            f"--confidence: {file} holds collapsed counts without half-samples, and no documents to resample: {again}"
        )
    for name, has in zip(("samples", "seed"), counts.replicates.settings if counts.replicates else ()):
        given = getattr(resampling, name)
        if given is not None and given != has:
            raise ValueError(
                f"--{name} {given}: {file} holds collapsed counts, which keep the half-samples that were drawn while "
                f"counting ({name} {has}), and no documents to draw others from: {again} and --seed"
            )


def with_count_file(gold: Path | None, systems: Sequence[str], runs: Sequence[str]) -> list[str]:
    """Return the systems of a comparison. If the first argument is a count file, no gold annotation was named.

    Raises:
        ValueError: Gold annotation is missing.

    >>> with_count_file(Path("a.npz"), ["b.npz"], []), with_count_file(Path("gold.jsonl"), ["a.npz"], [])
    (['a.npz', 'b.npz'], ['a.npz'])
    """
    if gold is None or gold.suffix != ".npz":
        return [*systems]
    if other := next((name for name in (*systems, *runs) if not name.endswith(".npz") or "=" in name), None):
        raise ValueError(f"{gold} is a count file, and {other} is not: name the gold annotation first")
    return [str(gold), *systems]


def only_count_files(runs: Sequence[str]) -> Path:
    """Return the first of some count files. A comparison of these needs no gold annotation, but a file that exists.

    Raises:
        ValueError: A run is not a count file.
    """
    if other := next((run for run in runs if not run.endswith(".npz")), None):
        raise ValueError(f"{other} is not a count file: name the gold annotation first")
    return Path(runs[0])


def check_halves(systems: Sequence[str], resampling: Resampling) -> None:
    """Raise ValueError if `--samples` or `--seed` are not those of the collapsed counts among some systems."""
    from ..io.count_files import load

    for name in systems if resampling.samples is not None or resampling.seed is not None else ():
        if name.endswith(".npz") and (counts := load(Path(name))).collapsed:
            check_stored_halves(counts, True, resampling, Path(name))


class RunCounter:
    """Counts training runs against one gold annotation; count files are used unchanged.

    Args:
        runs: Files of predictions, models, or count files, of all systems.
        gold: The gold file or folder.
        metrics: The value of `--metrics`.
        options: The options of metrics. Without these and `metrics`, count files decide what is counted.
        train: The value of `--train`.
        reading: How files are read.
        loading: How models are loaded.
        cutting: Which predictions are kept.

    Raises:
        ValueError: A metric or a count file cannot be used.
        OSError: The gold annotation or a count file cannot be read.
    """

    def __init__(
        self,
        runs: Sequence[str],
        gold: Path,
        metrics: str | None,
        options: Sequence[str],
        train: str | None,
        reading: Reading,
        loading: Model,
        cutting: Cutting,
    ) -> None:
        from ..io.count_files import load
        from ..io.paths import remedy

        if not gold.exists() and matching_files(str(gold)) == [str(gold)]:
            raise ValueError(f"{gold} does not exist{remedy(gold)}")
        self._gold, self._loading, self._cutting = gold, loading, cutting
        self._stored = {name: load(Path(name)) for name in runs if name.endswith(".npz")}
        check_no_count_file(cutting, [*self._stored])
        counted = self._stored and not metrics and not options
        reading = with_stored_labels(reading, runs)
        self.metrics: tuple[Metric, ...]
        self.left_out: dict[str, str] = {}
        if counted:
            self.metrics = next(iter(self._stored.values())).metrics
        else:
            self.metrics, self.left_out = chosen_metrics(
                metrics, options, train, gold=gold, reading=reading, systems=runs
            )
        self._reading = as_stored(reading, runs, self._stored) if self._stored else reading

    def count(self, run: str, name: str = "") -> tuple[Counts, Kept | None]:
        """Return the counts of a run, whose name is for warnings, and its documents; None for those of a count file."""
        if run in self._stored:
            return self._stored[run], None
        kept = Kept()
        documents = predictions_kept(documents_of(run, self._gold, self._reading, self._loading), self._cutting, run)
        shown = name or run
        return count_documents(documents, self.metrics, self._gold.name, self._reading, [kept], system=shown), kept

    def system(self, name: str, runs: Sequence[str]) -> System:
        """Return a system with the counts of its training runs; a single run that is no count file has documents."""
        from ..evaluation.comparison import System

        counted = [self.count(run, name if len(runs) == 1 else f"{name}, {run}") for run in runs]
        return System(name, [counts for counts, _ in counted], counted[0][1])
