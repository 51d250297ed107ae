"""`nereval compare`: systems against a baseline."""

from __future__ import annotations

from collections.abc import Iterable
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
    print_tables,
    short_names,
    sources,
)
from .options import METRICS, OUTPUT, TRAIN, Model, Reading, Resampling, Showing, chosen_tables

if TYPE_CHECKING:
    from ..core.spans import Document, Span


@command("compare", metric_options=True)
def compare_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    resampling: Resampling,
    showing: Showing,
    gold: Path = Arg(..., help="Gold annotation: a file, or a folder of brat's"),
    systems: list[str] = Arg(..., metavar="BASELINE OTHER...", help="Predictions, models, or counts (.npz)"),
    metrics: str | None = METRICS,
    train: str | None = TRAIN,
    output: Path | None = OUTPUT,
    trials: int | None = Opt(None, "--trials", help="Random swaps of the permutation test", min=1),
) -> None:
    """
    Compare systems with a baseline: differences, intervals, paired tests, and
    which gold spans changed.

    Every system is a file of predictions, a model, or a file of counts. Counts
    name no spans, so that changed spans are shown for the others alone.
    """
    from ..evaluation.comparison import System, comparison
    from ..evaluation.transitions import gold_outcomes
    from ..io.count_files import load
    from ..io.writing import write_json
    from ..reporting.comparison import COMPARED, comparison_tables, footer

    drawn = checked_confidence(True, resampling)
    check_output(output, None, gold, *systems)
    wanted = chosen_tables(showing.tables, COMPARED, COMPARED)
    at = next((k for k, argument in enumerate(systems) if argument.startswith("--")), len(systems))
    names, options = systems[:at], [*systems[at:], *ctx.args]
    if len(names) < 2:
        raise ValueError("a comparison needs a baseline and another system; one was given")
    if not gold.exists():
        raise ValueError(f"{gold} is not there")
    stored = {name: load(Path(name)) for name in names if name.endswith(".npz")}
    chosen = chosen_metrics(metrics, options, train, gold=gold, reading=reading)
    if stored and not metrics and not options:  # what was counted settles what is counted now
        chosen = next(iter(stored.values())).metrics
    documents: list[Document | None] = []
    found: list[System] = []
    for name, shown in zip(names, short_names(names)):
        if name in stored:
            found.append(System(shown, stored[name]))
            continue
        outcomes: list[dict[Span, str]] = []
        documents.clear()

        def watched(pairs: Iterable[Document | None], outcomes=outcomes) -> Iterable[Document | None]:
            for document in pairs:
                if document:
                    outcomes.append(gold_outcomes(document))
                    documents.append(document)
                yield document

        pairs = sources(gold, name, reading, loading, is_model=not is_data(name), by_id=True)
        found.append(System(shown, counted(watched(pairs), chosen, gold.name, reading), outcomes))
    result = comparison(found, documents, drawn, trials, short=showing.short)
    if output:
        write_json(output, result)
    print_tables(
        comparison_tables(result, wanted, digits=showing.digits),
        showing.format,
        after=footer(result),
        signature=result["signature"],
    )
