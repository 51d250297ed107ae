"""`nereval thresholds`: curves over the scores of predictions, the best cut, and what it is worth elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer import Argument, Option
from typer.core import TyperCommand

from ...cli.app import command
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
)
from ...cli.counting_documents import count_documents
from ...cli.guards import check_lexicons
from ...cli.metric_options import add_stored_labels, chosen_metrics, names_and_options
from ...cli.printing import names_of_tables, print_tables
from ...cli.sources import Gold, Source, display_names
from ...core.arguments import Choosing, Reading

if TYPE_CHECKING:
    from ...core.spans import Document
    from .chosen_cuts import Found

APPLYING = "--apply GOLD2 PRED2"


class WithPairs(TyperCommand):
    """Reads `--apply GOLD2 PRED2`, which has two values, as `--apply GOLD2 --apply PRED2`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # releases of typer differ in the class of contexts
        return super().parse_args(ctx, with_single_values(args))


def with_single_values(args: Sequence[str]) -> list[str]:
    """Return the arguments with `--apply` before its second value, too.

    >>> with_single_values(["a", "--apply", "b", "c", "--best", "fair_f"])
    ['a', '--apply', 'b', '--apply', 'c', '--best', 'fair_f']
    """
    found: list[str] = []
    for k, arg in enumerate(args):
        if k >= 2 and args[k - 2] == "--apply" and not arg.startswith("-") and not args[k - 1].startswith("-"):
            found.append("--apply")
        found.append(arg)
    return found


class _Everything(list["Document | None"]):
    """An observer that keeps all documents."""

    def add(self, document: Document | None) -> None:
        """Keep a document, or None for one without annotation."""
        self.append(document)


@command("thresholds", metric_options=True, cls=WithPairs)
def thresholds_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    resampling: Resampling,
    choosing: Choosing,
    gold: Path = Argument(..., help="Gold annotation"),
    systems: list[str] | None = Argument(
        None, metavar="PRED [OTHER...]", help="Predictions with scores, or models that score their spans"
    ),
    apply: list[str] | None = Option(
        None,
        "--apply",
        metavar="GOLD2 PRED2",
        help="Other documents, on which the cut is measured, with intervals. Once for each system, in their order",
    ),
    name: list[str] | None = NAMES,
    metrics: str | None = METRICS,
    output: Path | None = OUTPUT,
    csv: Path | None = Option(
        None, "--csv", help="File for every score at every cut, .csv, .jsonl, .parquet or .arrow", dir_okay=False
    ),
    html: Path | None = Option(
        None, "--html", help="HTML file with the cuts and the curves, which opens without a network", dir_okay=False
    ),
    cut_file: Path | None = Option(
        None, "--cut-file", help="JSON file for the best cut, which --cut and the component nereval_cut read"
    ),
    tables: str | None = TABLES,
    digits: int = DIGITS,
) -> None:
    """
    Find the best cut (score threshold) for predictions, and compute every metric at
    every cut. A prediction is kept if its score is at least the cut.

    Scores are the "score" of spans in JSONL files and in Label Studio's
    predictions, or doc.spans[KEY].attrs["scores"] in .spacy files, as spancat
    writes them. Set spancat's threshold to 0.0 before predicting: if predictions
    were cut before, nothing is known below that cut.

    With --apply, the cut is chosen on GOLD and PRED and measured on GOLD2 and
    PRED2: the score at the cut and its gain over no cut, with intervals.
    """
    from ...core.messages import check_given_once
    from ...evaluation.tested import add_metric_of, find_criterion
    from ...io.writing import write_json
    from ...reporting.pages import scripts
    from .chosen_cuts import applied, thresholds
    from .curves import Settings
    from .threshold_view import ThresholdView

    names, options = names_and_options([*(systems or []), *ctx.args])
    if not names:
        raise typer.BadParameter("name the predictions: PRED [OTHER...]")
    check_given_once(names, "system")
    others = _pairs(apply or [], names)
    drawn = chosen_confidence(bool(others), resampling, "--apply")
    sources = [*map(Source, names)]
    shown_names = display_names(sources, name or [])
    settings = Settings(*choosing).checked()
    wished = names_of_tables(Showing(reading.format, tables, digits), ThresholdView)
    check_suffix("--output", output, *JSON)
    check_suffix("--csv", csv, *ROWS)
    if html:
        check_suffix("--html", html, ".html", ".htm")
        scripts()  # so that it fails early if the libraries for charts are missing
    if cut_file and len(names) > 1:
        raise ValueError(f"--cut-file {cut_file}: {len(names)} systems have {len(names)} cuts; give a single system")
    reading = add_stored_labels(reading, sources)
    annotation = Gold(gold, reading)
    metrics_and_left_out = chosen_metrics(metrics, options, gold=annotation, reading=reading, systems=sources)
    chosen = add_metric_of(settings.best, metrics_and_left_out.metrics)
    find_criterion(settings.best, chosen)  # before anything is read
    check_lexicons(chosen, output, csv, cut_file, html)
    per_system: list[Found] = []
    for k, system in enumerate(sources):
        documents = _read(system, annotation, loading)
        with _named(system):
            per_system.append(thresholds(documents, chosen, settings))
            per_system[-1].values["left_out"] |= metrics_and_left_out.left_out
        if drawn:
            other_gold, other = Gold(others[k][0], reading), Source(others[k][1])
            documents = _read(other, other_gold, loading)
            with _named(other):
                per_system[-1] = applied(per_system[-1], documents, drawn)
    if output:
        results = [each.values for each in per_system]
        write_json(output, results[0] if len(results) == 1 else {"systems": dict(zip(shown_names, results))})
    _write_files(per_system, shown_names, csv, cut_file)
    if html:
        golds = display_names([*map(Source, (gold, *(other for other, _ in others[:1])))])
        _write_page(html, per_system, shown_names, golds)
    _show(per_system, shown_names, wished, reading.format, digits)


def _pairs(given: Sequence[str], systems: Sequence[str]) -> list[tuple[Path, str]]:
    """Return the gold and predicted files of `--apply`, one pair for each system; none if it is not given."""
    if not given:
        return []
    if len(given) != 2 * len(systems):
        raise ValueError(
            f"--apply {' '.join(given)}: expected GOLD2 PRED2, once for each system, in their order: "
            f"{len(systems)} of these, as there are {', '.join(systems)}"
        )
    return [(Path(gold), pred) for gold, pred in zip(given[::2], given[1::2])]


def _read(system: Source, gold: Gold, loading: Model) -> list[Document | None]:
    """Return the documents of a system, after warnings about their labels."""
    kept = _Everything()
    count_documents(gold.documents(system, loading), [], gold.path.name, gold.reading, [kept])
    return kept


@contextmanager
def _named(system: Source) -> Iterator[None]:
    """Name the predictions in errors about their scores."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{system}, {error}") from None


def _write_files(found: Sequence[Found], names: Sequence[str], csv: Path | None, cut_file: Path | None) -> None:
    """Write the curves and the cut file, if they are asked for."""
    from ...io.saved_results import save_cuts
    from ...io.tables import write_rows
    from .curves import columns, curve_rows

    if cut_file:
        if found[0].cuts is None:
            raise ValueError(f"--cut-file {cut_file}: there is no best cut: {found[0].values['best']['reason']}")
        save_cuts(cut_file, found[0].cuts)
    if csv:
        several = len(found) > 1
        rows = (
            ({"system": name} if several else {}) | row
            for name, each in zip(names, found)
            for row in curve_rows(each.curves)
        )
        write_rows(csv, rows, header=["system"] * several + columns(found[0].curves.metrics))


def _write_page(path: Path, found: Sequence[Found], names: Sequence[str], golds: Sequence[str]) -> None:
    """Write the page of all systems."""
    from ...io.writing import atomic
    from .threshold_page import thresholds_page

    page = thresholds_page([*zip(names, found)], golds=golds, applying=APPLYING)
    with atomic(path) as file:
        file.write(page.encode())


def _show(found: Sequence[Found], names: Sequence[str], wished: Sequence[str], format: str | None, digits: int) -> None:
    """Print the sentences and tables of all systems."""
    from .threshold_view import ThresholdView

    several = len(found) > 1
    views = [
        ThresholdView(each.values, each.curves.metrics, name * several, applying=APPLYING)
        for name, each in zip(names, found)
    ]
    signatures = [*dict.fromkeys(each.values["signature"] for each in found)]
    print_tables(
        (table for view in views for table in view.tables(wished, digits=digits)),
        format,
        before=[*dict.fromkeys(line for view in views for line in view.opening(digits=digits))],
        after=[*(line for view in views for line in view.closing()), *signatures[1:]],
        signature=signatures[0],
    )
