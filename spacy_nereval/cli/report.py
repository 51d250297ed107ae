"""`nereval report`: scores, charts and every document in one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer
from spacy.cli._util import Arg, Opt

from .common import (
    check_output,
    checked_confidence,
    chosen_metrics,
    command,
    counted,
    is_data,
    names_and_options,
    say,
    short_names,
    sources,
)
from .options import CONFIDENCE, METRICS, TRAIN, Model, Reading, Resampling, check_prints_none

if TYPE_CHECKING:
    from ..core.spans import Document


class Kept(list["Document"]):
    """The annotated documents that were counted."""

    def add(self, document: Document | None) -> None:
        if document:
            self.append(document)


@command("report", metric_options=True)
def report_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    resampling: Resampling,
    gold: Path = Arg(..., help="Gold annotation"),
    systems: list[str] | None = Arg(None, metavar="[PRED OTHER...]", help="Predictions or models"),
    output: Path = Opt(..., "--output", "-o", help="HTML file for the report", dir_okay=False),
    metrics: str | None = METRICS,
    train: str | None = TRAIN,
    confidence: bool = CONFIDENCE,
    title: str | None = Opt(None, "--title", help="Title of the report. By default the names of the files"),
) -> None:
    """
    Write a report as one HTML file that opens without a network: scores, charts,
    and every document with its spans and the verdicts on them.

    Every system is a file of predictions or a model; a CoNLL file alone has gold
    labels in its last column but one, and predictions in the last. With several
    systems the report shows which gold spans the others mend and break against
    the first. FairEval's verdicts mark the spans: fair is always among the metrics.
    """
    from ..io.writing import atomic
    from ..metrics.registry import create
    from ..reporting.html import ReportedSystem, page
    from ..reporting.html.charts import scripts

    drawn = checked_confidence(confidence, resampling)
    names, options = names_and_options([*(systems or []), *ctx.args])
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"{twice[0]} is given twice")
    check_output(output, None, gold, *names)
    if output.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"--output {output}: an .html file was wanted")
    check_prints_none(reading.format)
    scripts()  # see before the work that charts can be drawn
    chosen = chosen_metrics(metrics, options, train, gold=gold, reading=reading)
    if all(metric.name != "fair" for metric in chosen):
        chosen = (*chosen, create("fair"))
    found: list[ReportedSystem] = []
    sides: list[str | None] = [*names] or [None]
    for name, shown in zip(sides, _shown(names or [str(gold)])):
        kept = Kept()
        is_model = name is not None and not is_data(name)
        documents = sources(gold, name, reading, loading, is_model=is_model, by_id=True)
        found.append(ReportedSystem(shown, kept, counted(documents, chosen, gold.name, reading, watching=[kept])))
    html = page(found, title=title, confidence=drawn)
    with atomic(output) as file:
        file.write(html.encode())
    say(f"✔ Report in {output}", fg="green")


def _shown(names: list[str]) -> list[str]:
    """What tells the systems apart, or the name of a file alone."""
    if len(names) > 1:
        return short_names(names)
    return [Path(name).name if is_data(name) else name for name in names]
