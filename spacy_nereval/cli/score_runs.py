"""`nereval score --system`: the mean scores of one system that was trained several times."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .guards import check_lexicons
from .options import Showing
from .runs import RunCounter, named_runs
from .showing import names_of_tables, print_view

if TYPE_CHECKING:
    from ..evaluation.resampling import Confidence


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
    from ..reporting.run_tables import RunsView

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
