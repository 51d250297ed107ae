"""`nereval datasets`: in how many data sets is a system better than the baseline?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer import Argument, Option

from .app import command
from .options import DIGITS, OUTPUT, TABLE_FORMATS, Showing
from .showing import names_of_tables, print_view
from .values import input_formats


@command("datasets")
def datasets_cli(
    files: list[Path] = Argument(
        ..., metavar="COMPARISON...", help="JSON results of 'nereval compare -o', one for each data set"
    ),
    score: str | None = Option(
        None, "--score", help="Score to count by, METRIC.SCORE. By default the primary score of the comparisons"
    ),
    name: str | None = Option(
        None, "--system", help="System to count for, where the comparisons have several beside the baseline"
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
    from ..evaluation.datasets import data_sets
    from ..io.writing import write_json
    from ..reporting.comparison_view import DataSetsView

    if input_formats(format):
        raise ValueError(
            f"--format {format}: this command reads no annotation; table formats are {', '.join(TABLE_FORMATS)}"
        )
    _check_given_once(files)
    results = {shown: _read(path) for shown, path in zip(_names(files), files)}
    result = data_sets(results, score=score, system=name, independent=independent)
    if output:
        write_json(output, result)
    showing = Showing(format, None, digits)
    print_view(DataSetsView(result), names_of_tables(showing, DataSetsView), showing, result["signature"])


def _names(files: list[Path]) -> list[str]:
    """Return the names of the data sets: those of the files without their extension, or whole paths.

    >>> _names([Path("news/strict.json"), Path("mail/strict.json")]), _names([Path("a/news.json"), Path("a/mail.json")])
    (['news/strict.json', 'mail/strict.json'], ['news', 'mail'])
    """
    stems = [path.stem for path in files]
    return stems if len(set(stems)) == len(stems) else [path.as_posix() for path in files]


def _check_given_once(files: list[Path]) -> None:
    seen: set[Path] = set()
    for path in files:
        if path.resolve() in seen:
            raise ValueError(f"{path} is given twice: give each data set once")
        seen.add(path.resolve())


def _read(path: Path) -> Any:
    """Read a comparison.

    Raises:
        ValueError: It is not JSON, or not a comparison.
        OSError: It cannot be read.
    """
    from ..evaluation.datasets import check_comparison

    try:
        found = json.loads(path.read_text(encoding="utf8"))
    except (ValueError, RecursionError):
        raise ValueError(f"{path} is not JSON: expected a JSON file that 'nereval compare -o FILE' wrote") from None
    check_comparison(str(path), found)
    return found
