"""`nereval datasets`: in how many data sets a system is better."""

from __future__ import annotations

from pathlib import Path

from typer import Argument, Option

from ...cli.app import command
from ...cli.command_options import DIGITS, JSON, OUTPUT, Showing, check_suffix, input_formats
from ...cli.printing import names_of_tables, print_result
from ...core.arguments import TABLE_FORMATS


@command("datasets", heading="Count and add up")
def datasets_cli(
    files: list[Path] = Argument(
        ..., metavar="COMPARISON...", help="JSON results of 'nereval compare -o', one for each data set"
    ),
    score: str | None = Option(
        None,
        "--score",
        help="Score to count by, METRIC.SCORE or its score key. By default the primary score of the comparisons",
    ),
    name: str | None = Option(
        None, "--system", help="System to combine, where the comparisons have several besides the baseline"
    ),
    independent: bool = Option(
        False,
        "--independent",
        help="The data sets share neither texts nor trained models: count by Fisher's method, which finds more",
    ),
    output: Path | None = OUTPUT,
    format: str | None = Option(
        None, "--format", "-f", help=f"Format of the printed tables: {', '.join(TABLE_FORMATS)}"
    ),
    digits: int = DIGITS,
) -> None:
    """
    Count the data sets in which a system is better than the baseline. Print the
    difference in each data set, and in at least how many the system is better.

    Compare the same systems on each data set first, with 'nereval compare -o'.
    A data set without a test counts as one where the system is not better.
    """
    from .datasets import data_sets, read_comparisons
    from .datasets_view import DataSetsView

    if input_formats(format):
        raise ValueError(
            f"--format {format}: this command reads no annotation; table formats are {', '.join(TABLE_FORMATS)}"
        )
    check_suffix("--output", output, *JSON)
    result = data_sets(read_comparisons(files), score=score, system=name, independent=independent)
    showing = Showing(format, None, digits)
    print_result(DataSetsView(result), names_of_tables(showing, DataSetsView), showing, output)
