"""How often intervals and tests of this package are right, in made-up worlds whose true scores are known.

    python benchmarks/coverage.py --sets 400 > benchmarks/coverage.md

Two worlds, a poor system (F .68) and a good one (F .92), and 10 to 500 documents. The
same call prints the same tables on every machine. For comparison, tables have the
percentile interval of the bootstrap, which resamples documents with replacement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import coverage_differences
import coverage_runs
import coverage_scores
import typer
from coverage_hard import (
    NAMES,
    PAIRED,
    PILOTS,
    PLANNED,
    POOL,
    SCORED,
    SIZES,
    SWAPS,
    of_gates,
    of_plans,
)
from coverage_hard import of_differences as of_differences_in_hard_world
from coverage_hard import of_scores as of_scores_in_hard_world
from worlds import BETTER, HARD, LEVEL, OTHERS, TOGETHER, WORLDS

NUMBERS = [10, 20, 50, 100, 500]
"""Documents per data set."""

UNLIKE = 180
"""Documents per data set where the size of the spread between runs is varied, or where one system is better."""

Cells = dict[str, list[str]]
"""The cells of each row of a table."""


def side_by_side(columns: Iterable[Mapping[str, str]]) -> Cells:
    """Return columns, each with the cells of all rows, as rows.

    >>> side_by_side([{"a": "1", "b": "2"}, {"a": "3", "b": "4"}])
    {'a': ['1', '3'], 'b': ['2', '4']}
    """
    found: Cells = {}
    for column in columns:
        for name, cell in column.items():
            found.setdefault(name, []).append(cell)
    return found


def slashed(columns: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return columns as one, their cells separated by slashes.

    >>> slashed([{"a": "1"}, {"a": "3"}])
    {'a': '1 / 3'}
    """
    return {name: " / ".join(cells) for name, cells in side_by_side(columns).items()}


def show(title: str, heads: Sequence[object], cells: Cells) -> None:
    """Print one table, a row per name."""
    print(f"\n| {title} | {' | '.join(map(str, heads))} |")
    print(f"| --- |{' ---: |' * len(heads)}")
    for name, values in cells.items():
        print(f"| {name} | {' | '.join(values)} |")


def tables(sets: int, numbers: list[int], seed: int, files: Sequence[Path] = (), *, scores: bool = False) -> None:
    """Print all tables, and the command that makes them again."""
    given = f"--sets {sets}" + (f" --documents {','.join(map(str, numbers))}" if numbers != NUMBERS else "")
    given += f" --seed {seed}" if seed else ""
    given += "".join(f" --data {path}" for path in files) + " --scores" * scores
    print(f"# Coverage\n\nWritten by `python benchmarks/coverage.py {given} > benchmarks/coverage.md`.\n")
    print(
        f"Per cent of {sets} made-up data sets; level {LEVEL:.0%}, {coverage_differences.SWAPS} swaps "
        f"({coverage_runs.SWAPS} of labels and of\ntraining runs), seed {seed}. Two numbers are those of two worlds, "
        f"{' / '.join(WORLDS)}. Table heads are numbers of\ndocuments, unless they say otherwise. Hard worlds have "
        "five times as many data sets."
    )
    of_scores(sets, numbers, seed, files)
    if not scores:
        of_differences(sets, numbers, seed)
        of_runs(sets, numbers, seed)
    of_hard_worlds(sets // 2, seed)


def of_scores(sets: int, numbers: list[int], seed: int, files: Sequence[Path]) -> None:
    """Print how often the intervals of scores hold the true ones."""

    def in_worlds(of: Callable[..., Mapping[str, str]], heads: list[int]) -> Cells:
        each = ((of(system, number, sets, seed) for system in WORLDS.values()) for number in heads)
        return side_by_side(map(slashed, each))

    print("\n## Intervals of scores that hold the true one")
    show("F", numbers, in_worlds(coverage_scores.of_f, numbers))
    show("macro F of five labels", numbers, in_worlds(coverage_scores.of_macro, numbers))
    sizes = [20, 50, 200]
    columns = [
        {name: coverage_scores.of_world(name, number, 5 * sets, seed) for name in HARD}
        | {path.stem: coverage_scores.of_file(path, number, 5 * sets, seed) for path in files}
        for number in sizes
    ]
    title = "F in hard worlds: held (width over the true width; missed from below + from above)"
    show(title, sizes, side_by_side(columns))
    bands = coverage_scores.of_labels(numbers, sets, seed)
    show("F of a label with k effective documents, both worlds; k:", [*bands], side_by_side(bands.values()))
    articles = [25, 50, 100]
    title = f"F, articles of {coverage_scores.SENTENCES} sentences, by what is resampled; articles:"
    show(title, articles, in_worlds(coverage_scores.of_units, articles))


def of_differences(sets: int, numbers: list[int], seed: int) -> None:
    """Print how often differences are found, and their intervals hold the true ones."""
    print("\n## Differences of two systems")
    for title, second in (
        ("alike", WORLDS),
        ("of the same F by other errors", OTHERS),
        ("of which one is better", BETTER),
    ):
        for subject, of in (("F", coverage_differences.of_systems), ("F of labels", coverage_differences.of_labels)):
            each = (
                [of(first, second[name], number, sets, seed) for name, first in WORLDS.items()] for number in numbers
            )
            show(f"{subject}, two systems {title}", numbers, side_by_side(map(slashed, each)))
    better = [0, 1, 2, 3, 4]
    each = (coverage_differences.of_data_sets(number, 5, 10 * sets, seed) for number in better)
    title = f"5 data sets ({10 * sets} times): their count is too high; one system is better in:"
    show(title, better, side_by_side(each))


def of_hard_worlds(sets: int, seed: int) -> None:
    """Print how often the functions that the commands call hold what they say in hard worlds."""
    print(
        f"\n## Hard worlds, by the functions that the commands call\n\nPer cent of {sets} test sets a cell, drawn from "
        f"{POOL * TOGETHER:,} documents ({sets // 5} for plans); {SWAPS} swaps."
    )
    for name in SCORED:
        cells = [of_scores_in_hard_world(name, number, sets, seed) for number in SIZES]
        show(f"{name}: intervals of scores hold (width over the true width)", SIZES, side_by_side(cells))
    for name in PAIRED:
        cells = [of_differences_in_hard_world(name, number, sets, seed) for number in SIZES[1:]]
        show(f"{name}: differences of {' / '.join(NAMES)}", SIZES[1:], side_by_side(cells))
    cells = [{f"F, {name}": of_gates(name, number, sets, seed) for name in SCORED} for number in SIZES[1:]]
    show("a gate is wrongly met whose bound is the true F / with unseen undecided", SIZES[1:], side_by_side(cells))
    for name in PLANNED:
        cells = [of_plans(name, number, sets // 5, seed) for number in PILOTS]
        show(f"{name}: range of the number of documents needed; pilots of", PILOTS, side_by_side(cells))


def of_runs(sets: int, numbers: list[int], seed: int) -> None:
    """Print how often differences between systems with several training runs are found."""
    print("\n## Training runs")
    first, between = WORLDS["F .68"], coverage_runs.found_between
    numbers = sorted({*numbers, UNLIKE}) if numbers == NUMBERS else numbers
    for runs in ((1, 1), (2, 2), (3, 3), (5, 5), (1, 3)):
        cells = side_by_side(between(first, first, runs, number, sets, seed) for number in numbers)
        show(f"two systems alike but for their training, F .68, {runs[0]} and {runs[1]} runs: found", numbers, cells)
    several = (2, 3, 5)
    cells = side_by_side(
        between(first, first, (runs, runs), UNLIKE, sets, seed, 2 * coverage_runs.APART) for runs in several
    )
    show(f"the same with runs twice as unlike, {UNLIKE} documents; runs of each:", several, cells)
    cells = side_by_side(between(first, BETTER["F .68"], (runs, runs), UNLIKE, sets, seed) for runs in several)
    show(f"one system is better, {UNLIKE} documents: found; runs of each:", several, cells)
    cells = {
        f"{runs} run{'s' * (runs > 1)}": [
            coverage_runs.of_expected_score(first, runs, number, sets, seed) for number in numbers
        ]
        for runs in (1, 2, 3, 5)
    }
    show("one system, F .68: intervals that hold the F to expect of another training", numbers, cells)


def main(
    sets: Annotated[int, typer.Option(help="Data sets per cell, rounded up to a multiple of 50.")] = 1000,
    documents: Annotated[str, typer.Option(help="Numbers of documents, with commas.")] = ",".join(map(str, NUMBERS)),
    seed: Annotated[int, typer.Option(help="Seed of all random numbers.")] = 0,
    data: Annotated[
        list[Path], typer.Option(help="Count files with strict, of whose documents test sets are drawn.")
    ] = [],  # noqa: B006  # typer reads it
    scores: Annotated[bool, typer.Option(help="Only the intervals of scores.")] = False,
) -> None:
    """Print tables in Markdown: how often intervals and tests are right."""
    numbers = [int(number) for number in documents.split(",")]
    tables(-(-sets // TOGETHER) * TOGETHER, numbers, seed, data, scores=scores)


if __name__ == "__main__":
    typer.run(main)
