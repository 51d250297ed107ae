"""`nereval report`: scores, charts and every document in one HTML file. `nereval apply`: gold with the corrections of
reviewers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from ...cli.app import Extensions, command
from ...cli.command_options import (
    CONFIDENCE,
    METRICS,
    NAMES,
    Cutting,
    HypothesisOptions,
    Lookups,
    Model,
    Resampling,
    Showing,
    check_no_table_format,
    check_suffix,
    chosen_confidence,
)
from ...cli.convert import DROP, LANG, read_annotation, write_annotation_of
from ...cli.counting_documents import count_and_keep
from ...cli.guards import check_lexicons
from ...cli.metric_options import (
    add_stored_labels,
    chosen_metrics,
    names_and_options,
    say_left_out_metrics,
)
from ...cli.printing import names_of_tables, print_result, say
from ...cli.sources import Gold, Source, display_names, named_sources
from ...core import arguments
from ...core.arguments import Reading

if TYPE_CHECKING:
    from ...evaluation.comparison import System


USUAL_FILE = "report.html"
"""The file of a report without `--output`, unless it exists."""


def _new_file() -> Path:
    """Return the file of a report for which none is named. Raise ValueError if it exists: somebody may want it."""
    path = Path(USUAL_FILE)
    if path.exists():
        raise ValueError(f"{path} exists: name the file for the new report with --output")
    return path


@command("report", metric_options=True, heading="Start here")
def report_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    resampling: Resampling,
    testing: HypothesisOptions,
    lookups: Lookups,
    cutting: Cutting,
    gold: Path = Argument(..., help="Gold annotation"),
    systems: list[str] | None = Argument(
        None, metavar="[PRED OTHER...]", help="Predictions or models, each also as NAME=FILE"
    ),
    output: Path | None = Option(
        None, "--output", "-o", help=f"HTML file for the report. By default a new file {USUAL_FILE}", dir_okay=False
    ),
    metrics: str | None = METRICS,
    name: list[str] | None = NAMES,
    confidence: bool = CONFIDENCE,
    title: str | None = Option(None, "--title", help="Title of the report. By default the names of the files"),
    *,
    extensions: Extensions,
) -> None:
    """
    Write a report as one HTML file that opens without a network. It begins with
    the answer: a table of the systems, and with --policy whether they may ship. Then come
    the errors that repeat, scores, charts, places where the gold annotation may be
    wrong, and every error and document.

    Each system is a file of predictions or a model. A single CoNLL file may contain
    both sides: gold labels in the last column but one, predicted labels in the
    last. With several systems, the report shows which gold spans the others fix
    or break compared with the first. Scores, sentences and the order of the systems
    follow the primary score, fair.f unless --primary names another, which needs
    --confidence.

    FairEval's verdicts mark the spans, so the metric fair is always included. Scores
    are broken down by length, capitals and place of the span, with --train by what
    the training data show of it too, and with --by by any attribute.
    """
    from ...core.lexicon import cached_lexicon
    from ...core.messages import check_given_once
    from ...evaluation.breakdown import Breakdown, split_attributes
    from ...evaluation.comparison import System
    from ...evaluation.tested import families
    from ...io.writing import write_text
    from ...reporting.pages import chart_library
    from .report_numbers import share_annexes
    from .report_page import page
    from .report_view import PRIMARY

    names, options = names_and_options([*(systems or []), *ctx.args])
    confidence_settings = chosen_confidence(confidence, resampling)
    test_settings = testing.hypotheses()
    _check_comparison(testing, names, confidence)
    check_given_once(names, "system")
    named = named_sources(names, name or []) if names else []
    sources = [source for _, source in named]
    shown_names = [shown for shown, _ in named] or display_names([Source(gold)], name or [])
    output = output or _new_file()
    check_suffix("--output", output, ".html", ".htm")
    check_no_table_format(reading.format)
    chart_library()  # so that it fails early if the libraries for charts are missing
    sections = [section for extension in extensions if (section := extension.section(len(names)))]
    for section in sections:
        if section.unit and reading.unit is None:
            reading = replace(reading, unit=section.unit)
    reading = add_stored_labels(reading, sources)
    annotation = Gold(gold, reading, both=not sources)
    metrics_counted, left_out = chosen_metrics(
        metrics, options, lookups.train, gold=annotation, attributes=["eFre"], systems=sources
    )
    say_left_out_metrics(left_out)
    for metric_name in ("fair", *(name for section in sections for name in section.metrics)):
        if all(metric.name != metric_name for metric in metrics_counted):
            added = chosen_metrics(metric_name, [], reading=reading, systems=sources).metrics
            metrics_counted = (*metrics_counted, *added)
    check_lexicons(metrics_counted, output)
    families(metrics_counted, test_settings.primary or PRIMARY, test_settings.secondary)  # before anything is read
    lexicon = cached_lexicon(lookups.train) if lookups.train else None
    by = split_attributes(lookups.by or [])
    for attribute in by:
        Breakdown([], attribute, lexicon)  # so that it fails before anything is read
    counted_systems: list[System] = []
    systems_or_both: list[Source | None] = [*sources] or [None]
    for source, shown_name in zip(systems_or_both, shown_names):
        documents = annotation.documents(source, loading, cutting)
        counted_systems.append(System(shown_name, *count_and_keep(documents, metrics_counted, annotation)))
    html = page(
        share_annexes(counted_systems),
        title=title,
        confidence=confidence_settings,
        asked=test_settings,
        trials=testing.trials,
        lexicon=lexicon,
        by=by,
        sections=sections,
    )
    write_text(output, html)
    say(f"✔ Report in {output}", fg="green")


def _check_comparison(testing: HypothesisOptions, systems: Sequence[str], confidence: bool) -> None:
    """Raise ValueError if an option concerns a comparison, but no systems are compared."""
    option = next((name for name, value in testing._asdict().items() if value is not None), None)
    if option and len(systems) < 2:
        raise ValueError(
            f"--{option} is given, but there are no two systems to compare: give another one, or leave it out"
        )
    if option and not confidence:
        raise ValueError(f"--{option} is given without --confidence: add that, since only then systems are compared")


@command("apply", view="spacy_nereval.features.report.correcting:CorrectionView", heading="Make gold annotation")
def apply_cli(
    reading: Reading,
    showing: Showing,
    gold: Path = Argument(..., help="Gold annotation that the report was made of, in any format"),
    marks: list[Path] = Argument(..., help="Marks that the report saved as JSON lines, of one or several reviewers"),
    output: Path = Option(
        ...,
        "--output",
        "-o",
        help="File for the new gold annotation, .spacy, .jsonl, .conll, .iob, .parquet or .arrow, or a folder for "
        "brat's files",
    ),
    conflicts: Annotated[str, arguments.CONFLICTS] = arguments.REFUSE,
    drop: bool = DROP,
    lang: str = LANG,
    align: Annotated[str | None, arguments.ALIGN] = None,
) -> None:
    """
    Write gold annotation with the corrections that reviewers decided on a report.
    Undecided places stay as they are.

    Marks are found again by a digest of the document, so those that were made on
    other gold annotation are an error, and so are corrections outside of the
    text or make spans overlap. Read gold with the options that the report was made with.

    The marks of several reviewers are joined. Where they decide different things, nothing
    is written, unless '--conflicts keep' leaves gold as it is there.
    """
    from .correcting import CorrectionView
    from .corrections import correct_gold, read_marks

    tables = names_of_tables(showing, CorrectionView)
    corrected = correct_gold(read_annotation(gold, output, reading), read_marks(marks), conflicts, str(gold))
    summary = write_annotation_of(output, corrected.records, gold, reading, drop=drop, lang=lang, align=align)
    print_result(CorrectionView(corrected.result, [summary]), tables, showing)
