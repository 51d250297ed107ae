"""`nereval compare`: systems against a baseline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer import Argument, Option

from .app import command
from .inputs import as_stored, documents_of
from .metric_options import chosen_metrics, names_and_options
from .options import METRICS, OUTPUT, TRAIN, Asking, Model, Reading, Resampling, Showing
from .outputs import check_output, chosen_confidence
from .printing import print_tables
from .results import Kept, count_documents
from .runs import systems_and_runs
from .values import split_list, table_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..counting.counts import Counts
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
    systems: list[str] | None = Argument(
        None, metavar="BASELINE OTHER...", help="Predictions, models, or count files (.npz)"
    ),
    system: list[str] | None = Option(
        None,
        "--system",
        metavar="NAME=RUN,RUN...",
        help="System with its training runs: predictions, models or count files, or patterns such as "
        "A='a/*.jsonl'. Once for each system, the baseline first, instead of BASELINE OTHER...",
    ),
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

    Give systems that were trained several times as --system A=a1.jsonl,a2.jsonl
    --system B=b1.jsonl,b2.jsonl: their mean scores are compared, and intervals
    and tests take the chance of training into account.
    """
    from ..evaluation.comparison import System, comparison
    from ..evaluation.tested import Asked, families
    from ..evaluation.transitions import gold_outcomes
    from ..io.count_files import load
    from ..io.writing import write_json
    from ..reporting.comparison import COMPARED, USUAL

    names, options = names_and_options([*(systems or []), *ctx.args])
    if not names and not system:
        raise typer.BadParameter("name the systems: BASELINE OTHER..., or --system NAME=RUN,RUN... for each")
    drawn = chosen_confidence(True, resampling)
    named = systems_and_runs(names, system or [])
    names = [run for _, runs in named for run in runs]
    check_output(output, gold, *names)
    wanted = table_names(showing.tables, COMPARED, USUAL)
    Asked(margin=asking.margin).checked()
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
    for shown, runs in named:
        counted: list[Counts] = []
        outcomes = None
        for name in runs:
            if name in stored:
                counted.append(stored[name])
                continue
            kept = Kept()
            documents = documents_of(name, gold, reading, loading, by_id=True)
            counted.append(count_documents(documents, chosen, gold.name, reading, [kept]))
            outcomes = [gold_outcomes(document) for document in kept]
        found.append(System(shown, counted, outcomes if len(runs) == 1 else None))
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
