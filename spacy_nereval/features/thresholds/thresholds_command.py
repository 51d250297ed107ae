"""`nereval thresholds`: curves over the scores of predictions, the best cut, and its scores on other documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer import Argument, Option

from ...cli.app import GroupedCommand, command
from ...cli.command_options import (
    DIGITS,
    JSON,
    METRICS,
    NAMES,
    OUTPUT,
    ROWS,
    TABLES,
    Model,
    Resampling,
    Showing,
    check_suffix,
    chosen_confidence,
    figure_option,
)
from ...cli.counting_documents import count_documents
from ...cli.guards import check_lexicons
from ...cli.metric_options import add_stored_labels, chosen_metrics, names_and_options
from ...cli.printing import chosen_figure, names_of_tables, print_tables
from ...cli.sources import Gold, Source, display_names, named_sources
from ...core.arguments import Choosing, Reading

if TYPE_CHECKING:
    from ...core.spans import Document
    from .chosen_cuts import CutResult

APPLYING = "--apply GOLD2 PRED2"


class WithPairs(GroupedCommand):
    """Reads `--apply GOLD2 PRED2`, which has two values, as `--apply GOLD2 --apply PRED2`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # releases of typer differ in the class of contexts
        return super().parse_args(ctx, repeat_apply_option(args))


def repeat_apply_option(args: Sequence[str]) -> list[str]:
    """Return the arguments with a second `--apply` before its second value.

    >>> repeat_apply_option(["a", "--apply", "b", "c", "--best", "fair_f"])
    ['a', '--apply', 'b', '--apply', 'c', '--best', 'fair_f']
    """
    repeated: list[str] = []
    for k, arg in enumerate(args):
        if k >= 2 and args[k - 2] == "--apply" and not arg.startswith("-") and not args[k - 1].startswith("-"):
            repeated.append("--apply")
        repeated.append(arg)
    return repeated


@command(
    "thresholds",
    metric_options=True,
    cls=WithPairs,
    view="spacy_nereval.features.thresholds.threshold_view:ThresholdView",
    heading="Select a model",
)
def thresholds_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    resampling: Resampling,
    choosing: Choosing,
    gold: Path = Argument(..., help="Gold annotation"),
    systems: list[str] | None = Argument(
        None,
        metavar="PRED [OTHER...]",
        help="Predictions with scores, or models that score their spans; also as NAME=FILE",
    ),
    apply: list[str] | None = Option(
        None,
        "--apply",
        metavar="GOLD2 PRED2",
        help="Other documents on which to measure the threshold, with intervals; once per system, in their order",
    ),
    name: list[str] | None = NAMES,
    metrics: str | None = METRICS,
    output: Path | None = OUTPUT,
    csv: Path | None = Option(
        None, "--csv", help="File for every score at every threshold, .csv, .jsonl, .parquet or .arrow", dir_okay=False
    ),
    html: Path | None = Option(
        None, "--html", help="HTML file with the thresholds and the curves; opens offline", dir_okay=False
    ),
    cut_file: Path | None = Option(
        None, "--cut-file", help="JSON file for the best threshold, read by --cut and the component nereval_cut"
    ),
    figure: str | None = figure_option("curve"),
    tables: str | None = TABLES,
    digits: int = DIGITS,
) -> None:
    """
    Find the best score threshold for predictions, and compute every metric at
    every threshold. A prediction is kept if its score is at least the threshold.

    Scores are the "score" of spans in JSONL files and in Label Studio's
    predictions, or doc.spans[KEY].attrs["scores"] in .spacy files, as spancat
    writes them. Set spancat's threshold to 0.0 before predicting: if predictions
    were filtered before, lower thresholds cannot be tried.

    With --apply, the threshold is chosen on GOLD and PRED and measured on GOLD2 and
    PRED2: its score and its gain over no threshold, with intervals.
    """
    from ...core.messages import check_given_once
    from ...evaluation.tested import add_missing_metric, find_criterion
    from ...io.writing import write_json
    from ...reporting.pages import chart_library
    from .chosen_cuts import find_thresholds, measure_cuts
    from .curves import Settings
    from .threshold_view import ThresholdView

    names, options = names_and_options([*(systems or []), *ctx.args])
    if not names:
        raise typer.BadParameter("name the predictions: PRED [OTHER...]")
    check_given_once(names, "system")
    apply_pairs = _apply_pairs(apply or [], names)
    confidence = chosen_confidence(bool(apply_pairs), resampling, "--apply")
    named = named_sources(names, name or [])
    shown_names, sources = [shown for shown, _ in named], [source for _, source in named]
    settings = Settings(*choosing).validate()
    tables_wanted = names_of_tables(Showing(reading.format, tables, digits), ThresholdView)
    drawn_figure = chosen_figure(figure, ThresholdView)
    if figure and len(names) > 1:
        raise ValueError(f"--figure {figure}: it shows one system, and {len(names)} are given; --html shows several")
    check_suffix("--output", output, *JSON)
    check_suffix("--csv", csv, *ROWS)
    if html:
        check_suffix("--html", html, ".html", ".htm")
        chart_library()  # so that it fails early if the libraries for charts are missing
    if cut_file and len(names) > 1:
        raise ValueError(
            f"--cut-file {cut_file}: {len(names)} systems have {len(names)} thresholds; give a single system"
        )
    reading = add_stored_labels(reading, sources)
    annotation = Gold(gold, reading)
    metrics_chosen = chosen_metrics(metrics, options, gold=annotation, systems=sources)
    chosen = add_missing_metric(settings.best, metrics_chosen.metrics)
    find_criterion(settings.best, chosen)  # before anything is read
    check_lexicons(chosen, output, csv, cut_file, html)
    per_system: list[CutResult] = []
    for k, source in enumerate(sources):
        documents = _read_documents(source, annotation, loading)
        with _name_in_errors(source):
            per_system.append(find_thresholds(documents, chosen, settings))
            per_system[-1].values["left_out"] |= metrics_chosen.left_out
        if confidence:
            other_gold, other = Gold(apply_pairs[k][0], reading), Source(apply_pairs[k][1])
            documents = _read_documents(other, other_gold, loading)
            with _name_in_errors(other):
                per_system[-1] = measure_cuts(per_system[-1], documents, confidence)
    if output:
        results = [result.values for result in per_system]
        write_json(output, results[0] if len(results) == 1 else {"systems": dict(zip(shown_names, results))})
    _write_files(per_system, shown_names, csv, cut_file)
    if html:
        golds = display_names([*map(Source, (gold, *(gold_path for gold_path, _ in apply_pairs[:1])))])
        _write_page(html, per_system, shown_names, golds)
    if drawn_figure:
        view = ThresholdView(per_system[0].values, per_system[0].curves.metrics)
        view.figure(drawn_figure[0]).save(drawn_figure[1])
    _print_results(per_system, shown_names, tables_wanted, reading.format, digits)


def _apply_pairs(paths: Sequence[str], systems: Sequence[str]) -> list[tuple[Path, str]]:
    """Return the gold and the predicted file of each `--apply`, one pair for each system; none without the option."""
    if not paths:
        return []
    if len(paths) != 2 * len(systems):
        raise ValueError(
            f"--apply {' '.join(paths)}: expected GOLD2 PRED2, once for each system, in their order: "
            f"{len(systems)} of these, as there are {', '.join(systems)}"
        )
    return [(Path(gold), pred) for gold, pred in zip(paths[::2], paths[1::2])]


def _read_documents(source: Source, gold: Gold, loading: Model) -> list[Document | None]:
    """Return the documents of a system, and print warnings about their labels."""
    documents: list[Document | None] = []
    count_documents(gold.documents(source, loading), [], gold.path.name, gold.reading, [documents.append])
    return documents


@contextmanager
def _name_in_errors(system: Source) -> Iterator[None]:
    """Prefix errors about scores with the name of the predictions."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{system}, {error}") from None


def _write_files(results: Sequence[CutResult], names: Sequence[str], csv: Path | None, cut_file: Path | None) -> None:
    """Write the curves and the cut file if their options are given."""
    from ...io.saved_results import save_cuts
    from ...io.tables import write_rows
    from .curves import curve_columns, curve_rows

    if cut_file:
        if results[0].cuts is None:
            raise ValueError(
                f"--cut-file {cut_file}: there is no best threshold: {results[0].values['best']['reason']}"
            )
        save_cuts(cut_file, results[0].cuts)
    if csv:
        several = len(results) > 1
        rows = (
            ({"system": name} if several else {}) | row
            for name, result in zip(names, results)
            for row in curve_rows(result.curves)
        )
        write_rows(csv, rows, header=["system"] * several + curve_columns(results[0].curves.metrics))


def _write_page(path: Path, results: Sequence[CutResult], names: Sequence[str], golds: Sequence[str]) -> None:
    """Write the page of all systems."""
    from ...io.writing import write_text
    from .threshold_page import thresholds_page

    write_text(path, thresholds_page([*zip(names, results)], golds=golds, applying=APPLYING))


def _print_results(
    results: Sequence[CutResult], names: Sequence[str], tables: Sequence[str], format: str | None, digits: int
) -> None:
    """Print the sentences and tables of all systems."""
    from .threshold_view import ThresholdView

    several = len(results) > 1
    views = [
        ThresholdView(result.values, result.curves.metrics, name * several, applying=APPLYING)
        for name, result in zip(names, results)
    ]
    signatures = [*dict.fromkeys(result.values["signature"] for result in results)]
    print_tables(
        (table for view in views for table in view.tables(tables, digits=digits)),
        format,
        before=[*dict.fromkeys(line for view in views for line in view.opening(digits=digits))],
        after=[*(line for view in views for line in view.closing()), *signatures[1:]],
        signature=signatures[0],
    )
