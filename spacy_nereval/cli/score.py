"""`nereval score`: predictions against gold annotation, or the counts in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer import Argument, Option

from .app import command
from .collapsing import check_collapsible, check_stored_halves
from .cut_options import Cutting
from .cutting import check_no_count_file, predictions_kept
from .guards import check_lexicons
from .inputs import check_no_labels, check_no_unit, documents_of_files, has_words
from .lookups import wanted_breakdowns
from .metric_options import chosen_metrics, optional_name
from .options import CONFIDENCE, METRICS, OUTPUT, PER_DOCUMENT, Lookups, Model, Reading, Resampling, Showing
from .outputs import check_average, check_per_document, chosen_confidence
from .results import count_documents, warn_of_labels
from .runs import RunCounter, named_runs
from .showing import Collected, collected, names_of_tables, print_view, show_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..evaluation.breakdown import Breakdown
    from ..evaluation.resampling import Confidence


@command("score", metric_options=True)
def score_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    resampling: Resampling,
    showing: Showing,
    lookups: Lookups,
    cutting: Cutting,
    gold: Path = Argument(..., help="Gold annotation, a file or a folder of brat files; or a count file, .npz"),
    pred: Path | None = Argument(None, help="Predictions on the same texts, paired by id (if all have one) or order"),
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
) -> None:
    """
    Score predictions against gold annotation, or a count file.

    Gold annotation and predictions may be .spacy files; .jsonl files with one
    {"text", "spans": [{"start", "end", "label"}]} per line, or as Prodigy and
    doccano write them; CoNLL files (.conll, .iob, .bio, .tsv); folders of brat
    .txt and .ann files; .csv files of FairEval; or files of Label Studio,
    Hugging Face, WebAnno, UIMA, GLiNER, CoNLL-U, BioC, PubTator, inline SGML and
    spaCy 2. A single CoNLL file may hold both: gold labels in the last column but one, predicted labels in the last.

    An .npz file is a count file that 'count' or 'merge' wrote. Its metrics and
    their options were chosen when it was made.

    Give a system that was trained several times as --system A=a1.jsonl,a2.jsonl:
    its scores are means over the training runs, and their intervals account for
    the randomness of training.
    """
    name, options = optional_name(str(pred) if pred else None, ctx.args)
    pred = Path(name) if name else None
    drawn = chosen_confidence(confidence or bool(system), resampling)
    check_average(showing.average)
    check_per_document(per_document)
    if system and drawn:
        if pred or lookups.by or per_document:
            given = f"{pred}" if pred else "--by" if lookups.by else "--per-document"
            raise ValueError(
                f"{given} is given in addition to --system: it shows a single run, so score that one alone"
            )
        counting = (metrics, options, lookups.train, reading, loading, cutting)
        return score_runs(system, gold, counting, drawn, showing, output)
    if loading.gpu_id >= 0:
        raise ValueError("--gpu-id is given without a model: give models as runs of --system")
    breakdowns: list[Breakdown] = []
    seen = Collected()
    if gold.suffix == ".npz":
        if pred or metrics or options or lookups.by or lookups.train:
            raise ValueError(
                f"{gold} is a count file without spans: give it without predictions, metrics, options of metrics, "
                "--by and --train"
            )
        check_no_unit(reading, gold)
        check_no_labels(reading, gold)
        check_no_count_file(cutting, [gold])
        from ..io.count_files import load

        counts = load(gold)
        if counts.collapsed:
            check_collapsible(showing, per_document, lookups.by, file=gold)
            check_stored_halves(counts, confidence, resampling, gold)
        check_lexicons(counts.metrics, output, per_document)
        seen = collected(showing, counts.metrics, source=str(gold))
        warn_of_labels(counts)
    else:
        chosen = chosen_metrics(metrics, options, lookups.train, attributes=lookups.by, gold=gold, reading=reading)
        breakdowns = wanted_breakdowns(lookups, chosen)
        seen = collected(showing, chosen, words=has_words(gold, reading))
        documents = predictions_kept(documents_of_files(gold, pred, reading), cutting, str(pred or gold))
        counts = count_documents(documents, chosen, gold.name, reading, [*breakdowns, *seen.observers])
    show_result(counts, drawn, showing, output=output, per_document=per_document, breakdowns=breakdowns, collected=seen)


def score_runs(
    given: Sequence[str],
    gold: Path,
    counting: tuple[Any, ...],
    drawn: Confidence,
    showing: Showing,
    output: Path | None,
) -> None:
    """Score the training runs of one system, write the result if asked for, and print the tables.

    Args:
        given: The values of `--system`.
        gold: The gold file or folder.
        counting: What `RunCounter` takes after the gold file: metrics, and how files are read.
        drawn: The settings of intervals.
        showing: Which tables are printed, and how.
        output: JSON file for the result.

    Raises:
        ValueError: There are several systems or there is only one run; a run, a table or an option cannot be used.
        OSError: A file cannot be read or written.
    """
    from ..evaluation.run_means import evaluate_runs
    from ..io.writing import write_json
    from ..reporting.runs_view import RunsView

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
    wanted = names_of_tables(showing, RunsView)
    counter = RunCounter(runs, gold, *counting)
    check_lexicons(counter.metrics, output)
    counts = [counter.count(run)[0] for run in runs]
    result = evaluate_runs(counts, drawn, system=name, average=showing.average, short=showing.short)
    if output:
        write_json(output, result)
    print_view(RunsView(counts[0], result, showing.average), wanted, showing, result["signature"])
