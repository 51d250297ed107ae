"""`nereval score`, `evaluate` and `compare`: predictions, a model, or systems against a baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer
from typer import Argument, Option

from ..core.arguments import Reading
from .app import Extensions, GroupedCommand, command
from .command_options import (
    AVERAGE,
    COMPARED_BY,
    CONFIDENCE,
    GOLD,
    JSON,
    METRICS,
    NAMES,
    OUTPUT,
    PER_DOCUMENT,
    ROWS,
    SCORE_FIGURE,
    SHORT,
    TRAIN,
    Collapsing,
    Cutting,
    HypothesisOptions,
    Lookups,
    Model,
    Resampling,
    Showing,
    check_suffix,
    chosen_confidence,
)
from .counting_documents import CountTask, RunCounter, check_collapse_given, count_documents, halves_of, warn_of_labels
from .guards import check_lexicons
from .metric_options import (
    add_attributes,
    add_stored_labels,
    chosen_metrics,
    describe_unexpected,
    names_and_options,
    say_left_attributes,
    unknown_labels,
    wanted_breakdowns,
)
from .printing import FigureFile, chosen_figure, names_of_tables, print_result
from .sources import (
    REFUSALS,
    Gold,
    Kind,
    Source,
    check_answers,
    check_is_no_model,
    compared_systems,
    is_named,
    named_runs,
    questions_of,
)

if TYPE_CHECKING:
    from ..core.declaration import Metric
    from ..counting.counts import Counts
    from ..evaluation.breakdown import Breakdown
    from ..evaluation.error_groups import ErrorGroups, GroupedBy
    from ..evaluation.error_list import ErrorExamples
    from ..evaluation.resampling import Confidence
    from .counting_documents import Observer


@command(
    "score",
    metric_options=True,
    view={
        "": "spacy_nereval.reporting.score_view:ScoreView",
        "--system": "spacy_nereval.reporting.score_view:RunsView",
    },
    heading="Start here",
)
def score_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    resampling: Resampling,
    showing: Showing,
    lookups: Lookups,
    cutting: Cutting,
    extensions: Extensions,
    gold: Path = Argument(..., help="Gold annotation, a file or a folder of brat files; or a count file, .npz"),
    pred: Path | None = Argument(
        None,
        metavar="[PRED [OTHER...]]",
        help="Predictions on the same texts, paired by id, else by text or order. Several are ranked in one table; "
        "each may be NAME=FILE",
    ),
    system: list[str] | None = Option(
        None,
        "--system",
        metavar="NAME=RUN,RUN...",
        help="System with its training runs, instead of PRED: predictions, models or count files, or patterns such as "
        'A="a/*.jsonl". Shows mean scores, with intervals',
    ),
    metrics: str | None = METRICS,
    output: Path | None = OUTPUT,
    confidence: bool = CONFIDENCE,
    per_document: Path | None = PER_DOCUMENT,
    figure: str | None = SCORE_FIGURE,
    average: str = AVERAGE,
    short: bool = SHORT,
) -> None:
    """
    Score predictions against gold annotation, or a count file.

    Gold annotation and predictions may be .spacy files; .jsonl files with one
    {"text", "spans": [{"start", "end", "label"}]} per line, or as Prodigy and
    doccano write them; CoNLL files (.conll, .iob, .bio, .tsv); folders of brat
    .txt and .ann files; .csv files of FairEval; or files of Label Studio,
    Hugging Face, WebAnno, UIMA, GLiNER, CoNLL-U, BioC, PubTator, inline SGML and
    spaCy 2. A single CoNLL file may contain both: gold labels in the last column but one, predicted labels in the
    last. So may JSONL and Parquet files, under the two keys that --column names.

    An .npz file is a count file that 'count' or 'merge' wrote. Its metrics and
    their options were chosen when it was made.

    Give a system that was trained several times as --system A=a1.jsonl,a2.jsonl:
    its scores are means over the training runs, and their intervals account for
    the randomness of training.
    """
    from ..evaluation.scores import check_average
    from ..reporting.score_view import ScoreView

    names, options = names_and_options([*([str(pred)] if pred else []), *ctx.args])
    if str(gold).startswith("--"):
        raise ValueError(
            f"{gold} is given before the files; options of metrics follow them: GOLD PRED --fair.unit token"
        )
    if not system and len(names) == 1 and is_named(names[0]) and len(next(iter(named_runs(names, "").values()))) > 1:
        system, names = names, []
    handler = _handler_of_systems(extensions, gold, names)
    drawn = chosen_confidence(confidence or bool(system) or bool(handler), resampling)
    check_average(average)
    check_suffix("--output", output, *JSON)
    check_suffix("--per-document", per_document, *ROWS)
    if handler and drawn:
        if system:
            raise ValueError(
                f"{names[0]} is given in addition to --system: name all systems as {names[0]}, or as NAME=RUN"
            )
        questions = questions_of(cutting=cutting, by=lookups.by, per_document=per_document)
        questions += [(f"--average {average}", "average")] * (average != "micro")
        check_answers(handler.refusals, questions)
        how = (metrics, options, lookups.train, reading, loading, Cutting())
        handler.score(gold, names, how, drawn, showing, output, figure)
        return
    pred = _only_prediction(names)
    if system and drawn:
        check_answers(REFUSALS[Kind.RUNS], questions_of(pred=pred, by=lookups.by, per_document=per_document))
        counting = (metrics, options, lookups.train, reading, loading, cutting)
        return score_runs(system, gold, counting, drawn, showing, average, short, output, figure)
    drawn_figure = chosen_figure(figure, ScoreView)
    if loading.gpu_id >= 0:
        raise ValueError("--gpu-id is given without a model: give models as runs of --system")
    left_out: dict[str, str] = {}
    check_is_no_model(gold, f"nereval evaluate {gold} {pred or 'GOLD'}")
    source = Source(gold)
    if source.has_counts:
        asked_for_spans = pred or metrics or options or lookups.by or lookups.train
        questions = questions_of(reading, cutting, per_document=per_document, tables=showing.tables)
        source.check([("", "spans"), *questions] if asked_for_spans else questions)
        source.check_half_samples(resampling, wanted=confidence)
        counts = source.counts
        check_lexicons(counts.metrics, output, per_document)
        collectors = wanted_collectors(showing, counts.metrics, texts=False)
        warn_of_labels(counts)
    else:
        annotation = Gold(gold, reading, both=pred is None)
        chosen, left_out = chosen_metrics(metrics, options, lookups.train, attributes=lookups.by, gold=annotation)
        if metrics is None:
            chosen = add_attributes(chosen, annotation, Path(pred) if pred else None)
        say_left_attributes(chosen, annotation)
        breakdowns = wanted_breakdowns(lookups, chosen)
        collectors = wanted_collectors(showing, chosen, breakdowns, words=not annotation.unknown().words)
        documents = annotation.documents(Source(pred, Kind.FILES) if pred else None, cutting=cutting)
        observers = collectors.observers
        counts = count_documents(documents, chosen, gold.name, reading, observers, groups=collectors.groups)
    show_result(counts, drawn, showing, average, short, output, per_document, collectors, left_out, drawn_figure)


def _handler_of_systems(extensions: Extensions, gold: Path, names: Sequence[str]) -> Any:
    """Return the extension that scores several systems; None if a single one is named.

    An extension has `refusals`, the questions that it cannot answer, and `score`, which scores systems and prints them.
    """
    several = len(names) > 1 or (Source(gold).has_counts and any(Source(name).has_counts for name in names))
    return next(iter(extensions), None) if several else None


def _only_prediction(names: Sequence[str]) -> Path | None:
    """Return the file of predictions, which may be named. Raise ValueError if there are several."""
    if len(names) > 1:
        raise ValueError(describe_unexpected(names[1]))
    return Path(named_runs(names, "").popitem()[1][0] if is_named(names[0]) else names[0]) if names else None


def score_runs(
    given: Sequence[str],
    gold: Path,
    counting: tuple[Any, ...],
    drawn: Confidence,
    showing: Showing,
    average: str,
    short: bool,
    output: Path | None,
    figure: str | None,
) -> None:
    """Score the training runs of one system, write the result if asked for, and print the tables.

    Args:
        given: The values of `--system`.
        gold: The gold file or folder.
        counting: What `RunCounter` takes after the gold file: metrics, and how files are read.
        drawn: The settings of intervals.
        showing: Which tables are printed, and how.
        average: The average that tables of scores show.
        short: Whether the signature omits default options.
        output: JSON file for the result.
        figure: The value of `--figure`.

    Raises:
        ValueError: There are several systems or there is only one run; a run, a table or an option cannot be used.
        OSError: A file cannot be read or written.
    """
    from ..evaluation.run_means import evaluate_runs
    from ..reporting.score_view import RunsView

    systems = named_runs(given)
    if len(systems) > 1:
        raise ValueError(
            f"--system is given for {' and '.join(systems)}: score one system, or compare them with 'nereval compare'"
        )
    ((name, runs),) = systems.items()
    if len(runs) == 1:
        raise ValueError(
            f"--system {given[0]}: {name} has one training run, which does not show how much runs vary; "
            f"give two or more, or score it alone: nereval score {gold} {runs[0]}"
        )
    wanted, drawn_figure = names_of_tables(showing, RunsView), chosen_figure(figure, RunsView)
    sources = [*map(Source, runs)]
    counter = RunCounter(sources, gold, *counting)
    check_lexicons(counter.metrics, output)
    counts = [counter.counts(run) for run in sources]
    result = evaluate_runs(counts, drawn, system=name, average=average, short=short)
    result |= {"left_out": counter.left_out} if counter.left_out else {}
    print_result(RunsView(counts[0], result, average), wanted, showing, output, drawn_figure)


@command("evaluate", metric_options=True, view="spacy_nereval.reporting.score_view:ScoreView", heading="Start here")
def evaluate_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    resampling: Resampling,
    showing: Showing,
    lookups: Lookups,
    collapsing: Collapsing,
    extensions: Extensions,
    model: str = Argument(..., help="Model name or path"),
    data: list[str] | None = Argument(
        None,
        metavar="DATA...",
        help="Gold annotation: one file, or a corpus of several, a pattern, or a folder with --format",
    ),
    metrics: str | None = METRICS,
    output: Path | None = OUTPUT,
    confidence: bool = CONFIDENCE,
    per_document: Path | None = PER_DOCUMENT,
    figure: str | None = SCORE_FIGURE,
    average: str = AVERAGE,
    short: bool = SHORT,
) -> None:
    """
    Score a trained pipeline on gold annotation.

    Unlike 'spacy evaluate', this command prints every metric, and it keeps no
    document in memory after counting it. As in every command that scores a
    model, metrics and labels have the options that the model's config gives them,
    unless the command line gives others.
    """
    from ..evaluation.scores import check_average
    from ..reporting.score_view import ScoreView

    names, options = names_and_options([*(data or []), *ctx.args])
    drawn = chosen_confidence(confidence, resampling)
    check_collapse_given("--check-repeats", collapsing.check_repeats, collapsing.collapse)
    questions = questions_of(by=lookups.by, per_document=per_document, tables=showing.tables)
    collapse = halves_of(drawn) if collapsing.collapse else None
    if collapse:
        check_answers(REFUSALS[Kind.COLLAPSING], questions)
    check_average(average)
    check_suffix("--output", output, *JSON)
    check_suffix("--per-document", per_document, *ROWS)
    drawn_figure = chosen_figure(figure, ScoreView)
    source = Source(model, Kind.MODEL)
    reading = add_stored_labels(reading, [source])
    chosen, left_out = chosen_metrics(
        metrics, options, lookups.train, attributes=lookups.by, reading=reading, systems=[source]
    )
    check_lexicons(chosen, output, per_document)
    breakdowns = wanted_breakdowns(lookups, chosen)
    check_repeats = bool(collapsing.check_repeats)
    task = CountTask(model, names, None, chosen, reading, loading, None, collapse, check_repeats)
    counter = task.counter(extensions)
    collectors = wanted_collectors(showing, chosen, breakdowns, texts=not (counter or collapse))
    if counter:
        check_answers(counter.refusals, questions)
        counts = counter.counts(task)
    else:
        counts = task.counts(collectors.observers, collectors.groups, with_origin=False)
    show_result(counts, drawn, showing, average, short, output, per_document, collectors, left_out, drawn_figure)


class Collectors(NamedTuple):
    """Data collected from documents while they are counted: breakdowns, and texts for tables."""

    breakdowns: Sequence[Breakdown] = ()
    examples: ErrorExamples | None = None
    groups: ErrorGroups | None = None

    @property
    def observers(self) -> list[Observer]:
        """The functions that see every document; `groups` sees batches of them."""
        return [part.add for part in (*self.breakdowns, self.examples) if part]


def wanted_tables(showing: Showing, metrics: Sequence[Metric]) -> list[str]:
    """Return the tables to print.

    Raises:
        ValueError: If a table is unknown, or no metric has the verdicts that it shows.
    """
    from ..reporting.declared import error_metric
    from ..reporting.score_view import ScoreView

    wanted = names_of_tables(showing, ScoreView)
    by_name = [] if showing.tables in (None, "all") else wanted
    for name in by_name:
        if name in ("errors", "boundaries", "groups", "pairs", "confusion") and not error_metric(metrics):
            names = ", ".join(metric.name for metric in metrics)
            raise ValueError(
                f"--tables {name}: the verdicts of {names} do not distinguish kinds of errors; add fair to --metrics"
            )
    return wanted


def wanted_collectors(
    showing: Showing,
    metrics: Sequence[Metric],
    breakdowns: Sequence[Breakdown] = (),
    *,
    texts: bool = True,
    words: bool = True,
) -> Collectors:
    """Return the collectors for the tables that are wanted.

    Args:
        showing: Which tables are printed.
        metrics: The metrics that are counted.
        breakdowns: The counts of `--by`.
        texts: Whether texts are read; otherwise nothing can be collected.
        words: Whether the texts consist of words.

    Raises:
        ValueError: A table is wanted by its name, and cannot be made.
    """
    from ..evaluation.error_groups import ErrorGroups
    from ..evaluation.error_list import ErrorExamples
    from ..reporting.declared import error_metric

    wanted, metric = wanted_tables(showing, metrics), error_metric(metrics)
    if not metric or not texts:
        return Collectors(breakdowns)
    by: tuple[GroupedBy, ...] = ("surface", "slip") if words and "groups" in wanted else ()
    return Collectors(
        breakdowns,
        ErrorExamples(metric) if "pairs" in wanted else None,
        ErrorGroups(metric, by=by) if (by or "errors" in wanted) and not metric.resolve else None,
    )


def show_result(
    counts: Counts,
    drawn: Confidence | None,
    showing: Showing,
    average: str,
    short: bool,
    output: Path | None,
    per_document: Path | None,
    collectors: Collectors,
    left_out: Mapping[str, str],
    figure: FigureFile | None = None,
) -> None:
    """Score counts, write the files asked for, and print the tables.

    Args:
        counts: The counts of a corpus.
        drawn: The settings of intervals; None for no intervals.
        showing: Which tables are printed, and how.
        average: The average that tables of scores show.
        short: Whether the signature omits default options.
        output: JSON file for the result.
        per_document: File for the scores of each document.
        collectors: The counts of `--by`, and examples and groups of errors.
        left_out: The excluded metrics, with the reason.
        figure: The figure to write.
    """
    from ..evaluation.result import disagreement, document_rows, evaluate
    from ..io.tables import write_rows
    from ..reporting.remarks import disagreement_lines
    from ..reporting.score_view import ScoreView

    wanted = wanted_tables(showing, counts.metrics)
    result = evaluate(counts, drawn, average=average, short=short)
    if left_out:
        result["left_out"] = {**left_out}
    if breakdowns := collectors.breakdowns:
        result["breakdowns"] = {one["by"]: one for one in (breakdown.result(counts, drawn) for breakdown in breakdowns)}
    examples = collectors.examples.first if collectors.examples else {}
    view = ScoreView(counts, result, average, examples=examples, groups=collectors.groups)
    notes = [*(f"⚠ {line}" for line in unknown_labels(counts, breakdowns)), *view.closing()]
    if per_document:
        write_rows(per_document, document_rows(counts))
        if differences := disagreement(counts):
            notes.append("\n".join(disagreement_lines(differences)))
    print_result(view, wanted, showing, output, figure, closing=notes)


class WithBareLabels(GroupedCommand):
    """Reads `--labels` without a mapping as `--per-label`, which it meant before labels could be mapped."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # releases of typer differ in the class of contexts
        """Return the arguments that are left, as the base class does."""
        return super().parse_args(ctx, with_per_label(args))


def with_per_label(args: Sequence[str]) -> list[str]:
    """Return the arguments with `--per-label` for each `--labels` that no mapping follows.

    >>> with_per_label(["--labels", "gold.jsonl", "a.jsonl"])
    ['--per-label', 'gold.jsonl', 'a.jsonl']
    >>> with_per_label(["--labels", "PER=PERSON", "--labels"])
    ['--labels', 'PER=PERSON', '--per-label']
    """
    following = [*args[1:], ""]
    mapping = [_is_mapping(text) or _is_list(text) for text in following]
    return ["--per-label" if arg == "--labels" and not its else arg for arg, its in zip(args, mapping)]


def _is_mapping(text: str) -> bool:
    return "=" in text or text.endswith(".json") or text.startswith("{")


def _is_list(text: str) -> bool:
    """Return whether a text lists labels, and is no file, folder or option."""
    names = text.split(",")
    return len(names) > 1 and all(map(str.strip, names)) and not Path(text).exists() and not text.startswith("-")


@command(
    "compare",
    metric_options=True,
    cls=WithBareLabels,
    view="spacy_nereval.reporting.comparison_view:ComparisonView",
    heading="Start here",
)
def compare_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    resampling: Resampling,
    testing: HypothesisOptions,
    showing: Showing,
    cutting: Cutting,
    gold: Path | None = GOLD,
    systems: list[str] | None = Argument(
        None,
        metavar="BASELINE OTHER...",
        help="Predictions, models, or count files (.npz), each also as NAME=FILE, or as NAME=RUN,RUN... with training "
        "runs",
    ),
    system: list[str] | None = Option(
        None,
        "--system",
        metavar="NAME=RUN,RUN...",
        help="System with its training runs: predictions, models or count files, or patterns such as "
        'A="a/*.jsonl". Once for each system, the baseline first, instead of BASELINE OTHER...',
    ),
    name: list[str] | None = NAMES,
    by: list[str] | None = COMPARED_BY,
    per_label: bool = Option(
        False, "--per-label", help="Also compare the primary score of each label, as --labels without a value does"
    ),
    metrics: str | None = METRICS,
    train: str | None = TRAIN,
    output: Path | None = OUTPUT,
    short: bool = SHORT,
) -> None:
    """
    Compare systems with a baseline. Print a conclusion on the primary score, then
    differences with intervals, paired tests, and the gold spans with a changed
    outcome.

    Each system is a file of predictions, a model, or a count file. Count files
    contain no spans, so changed spans are listed for the other systems only.

    Collapsed counts are compared by the half-samples that they keep, without
    permutation tests.

    Give systems that were trained several times as A=a1.jsonl,a2.jsonl: their mean
    scores are compared, and intervals and tests account for the randomness of
    training. --system A=a1.jsonl,a2.jsonl says the same.
    """
    from ..evaluation.compared_slices import compare_by
    from ..evaluation.comparison import comparison
    from ..evaluation.tested import families
    from ..reporting.comparison_view import ComparisonView

    names, options = names_and_options([*(systems or []), *ctx.args])
    check_suffix("--output", output, *JSON)
    drawn = chosen_confidence(True, resampling)
    gold, named = compared_systems(gold, names, system or [], name or [])
    every_run = [run for _, runs in named for run in runs]
    wanted = names_of_tables(showing, ComparisonView)
    hypotheses = testing.hypotheses(per_label)
    if resampling.samples is not None or resampling.seed is not None:
        for run in every_run:
            run.check_half_samples(resampling, wanted=True)
    counter = RunCounter(every_run, gold, metrics, options, train, reading, loading, cutting)
    check_lexicons(counter.metrics, output)
    families(counter.metrics, hypotheses.primary, hypotheses.secondary)  # before anything is read
    compared = [counter.system(shown, runs) for shown, runs in named]
    documents = next((system.documents for system in reversed(compared) if system.documents), [])
    result = comparison(compared, documents, drawn, testing.trials, **hypotheses._asdict(), short=short)
    if by:
        lookups = Lookups(by, train)
        result["breakdowns"] = compare_by(
            compared, lambda metrics: wanted_breakdowns(lookups, metrics), drawn, testing.trials, hypotheses
        )
    result |= {"left_out": counter.left_out} if counter.left_out else {}
    counter.say_if_gold_is_unread()
    print_result(ComparisonView(result), wanted, showing, output)
