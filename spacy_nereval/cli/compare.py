"""`nereval compare`: systems against a baseline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer import Argument

from .app import command
from .inputs import as_stored, display_names, documents_of
from .metric_options import chosen_metrics, names_and_options
from .options import METRICS, OUTPUT, TRAIN, Asking, Model, Reading, Resampling, Showing
from .outputs import check_output, chosen_confidence
from .printing import print_tables
from .results import Kept, count_documents
from .values import split_list, table_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..evaluation.comparison import System


@command("compare", metric_options=True)
def compare_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    resampling: Resampling,
    asking: Asking,
    showing: Showing,
    gold: Path = Argument(..., help="Gold annotation: a file, or a folder of brat files"),
    systems: list[str] = Argument(..., metavar="BASELINE OTHER...", help="Predictions, models, or count files (.npz)"),
    metrics: str | None = METRICS,
    train: str | None = TRAIN,
    output: Path | None = OUTPUT,
) -> None:
    """
    Compare systems with a baseline. Says first what can be told of the primary
    score. Shows differences with intervals, paired tests, and the gold spans
    whose outcome changed.

    Each system is a file of predictions, a model, or a count file. Count files
    hold no spans, so changed spans are listed for the other systems only.
    """
    from ..evaluation.comparison import System, comparison
    from ..evaluation.tested import Asked, families
    from ..evaluation.transitions import gold_outcomes
    from ..io.count_files import load
    from ..io.writing import write_json
    from ..reporting.comparison import COMPARED, USUAL

    names, options = names_and_options([*systems, *ctx.args])
    drawn = chosen_confidence(True, resampling)
    check_output(output, gold, *names)
    wanted = table_names(showing.tables, COMPARED, USUAL)
    Asked(margin=asking.margin).checked()
    if len(names) < 2:
        raise ValueError("a comparison needs a baseline and another system; one was given")
    if not gold.exists():
        raise ValueError(f"{gold} is not there")
    stored = {name: load(Path(name)) for name in names if name.endswith(".npz")}
    chosen = chosen_metrics(metrics, options, train, gold=gold, reading=reading)
    if stored and not metrics and not options:  # the other systems are counted as the stored counts were
        chosen = next(iter(stored.values())).metrics
    if stored:
        reading = as_stored(reading, names, stored)
    families(chosen, asking.primary, _secondary(asking))  # before anything is read
    kept = Kept()
    found: list[System] = []
    for name, shown in zip(names, display_names(names)):
        if name in stored:
            found.append(System(shown, stored[name]))
            continue
        kept = Kept()
        documents = documents_of(name, gold, reading, loading, by_id=True)
        counts = count_documents(documents, chosen, gold.name, reading, [kept])
        found.append(System(shown, counts, [gold_outcomes(document) for document in kept]))
    result = comparison(found, kept, drawn, **_asked(asking), short=showing.short)
    if output:
        write_json(output, result)
    _print_result(result, wanted, showing)


def _secondary(asking: Asking) -> list[str] | None:
    return None if asking.secondary is None else split_list(asking.secondary)


def _asked(asking: Asking) -> dict[str, Any]:
    """Return the options of `comparison` that say what is tested."""
    return asking._asdict() | {"secondary": _secondary(asking)}


def _print_result(result: dict[str, Any], wanted: Sequence[str], showing: Showing) -> None:
    """Print the tables of a comparison."""
    from ..reporting.comparison import comparison_tables, footer, verdict_lines

    print_tables(
        comparison_tables(result, wanted, digits=showing.digits),
        showing.format,
        before=verdict_lines(result),
        after=footer(result),
        signature=result["signature"],
    )
