"""`nereval leaderboard`: systems ranked on one or several data sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import typer
from typer import Argument, Option

from ...cli.app import Extension, command
from ...cli.command_options import (
    DIGITS,
    JSON,
    NAMES,
    OUTPUT,
    TABLES,
    TRAIN,
    Cutting,
    Model,
    RankOptions,
    Resampling,
    Showing,
    check_suffix,
    chosen_confidence,
    figure_option,
    figure_place,
)
from ...cli.guards import NamedInputs, check_lexicons
from ...cli.metric_options import names_and_options, parse_options
from ...cli.printing import chosen_figure, names_of_tables, print_result, progress_bar
from ...cli.sources import Source, arguments_with_runs
from ...core.arguments import Reading

if TYPE_CHECKING:
    from ...counting.counts import Counts
    from ...evaluation.resampling import Confidence
    from .ranking import Entry


@command(
    "leaderboard",
    metric_options=True,
    view="spacy_nereval.features.leaderboard.leaderboard_view:LeaderboardView",
    heading="Select a model",
)
def leaderboard_cli(
    ctx: typer.Context,
    reading: Reading,
    loading: Model,
    resampling: Resampling,
    testing: RankOptions,
    gold: Path = Argument(
        ...,
        help="Gold annotation; or a count file; or a table (.csv, .jsonl) with the columns data set, gold, system, "
        "predictions, and run and fold if there are any; or a folder of DATASET/gold.* with DATASET/SYSTEM.*",
    ),
    systems: list[str] | None = Argument(
        None,
        metavar="SYSTEM...",
        help="Predictions, models or count files, each also as NAME=FILE, or as NAME=RUN,RUN... with training runs",
    ),
    name: list[str] | None = NAMES,
    metrics: str | None = Option(
        None,
        "--metrics",
        "-m",
        help="Metrics or sets of metrics, separated by commas. Systems are ranked by the first one, or by --primary; "
        "the headline scores of the others follow. By default 'strict', or the metric of --primary",
        rich_help_panel="scoring",
    ),
    label: str | None = Option(None, "--label", help="Label to rank by. By default, the score over all labels"),
    sort: str | None = Option(None, "--sort", help="Data set to sort by. By default, the mean over data sets"),
    train: str | None = TRAIN,
    keep_counts: Path | None = Option(
        None,
        "--keep-counts",
        metavar="DIR",
        help="Folder for a count file of each file of predictions. They are used again as long as no file, option or "
        "version has changed, so that only a new system is counted",
        file_okay=False,
    ),
    output: Path | None = OUTPUT,
    figure: str | None = figure_option("leaderboard"),
    tables: str | None = TABLES,
    digits: int = DIGITS,
) -> None:
    """
    Rank systems on one or several data sets. Print their scores with intervals,
    the group of the best systems, and the range of each rank.

    All pairs of systems of a data set are tested, with Holm's correction. The top
    group has the systems that no test shows to be worse than the best one.

    Name the gold annotation and the systems of one data set, or a table or folder
    with those of several. By default systems are ranked by F of 'strict'.
    """
    names, options = names_and_options([*(systems or []), *ctx.args])
    rank_and_print(
        _systems_by_fold(gold, names, name or []),
        (metrics, options, train, reading, loading, Cutting()),
        chosen_confidence(True, resampling),
        Showing(reading.format, tables, digits),
        Files(output, figure, keep_counts, gold if gold.is_dir() else None),
        {**testing._asdict(), "label": label, "sort": sort},
    )


class Files(NamedTuple):
    """The files of a leaderboard.

    Attributes:
        output: JSON file for the result.
        figure: The value of `--figure`.
        keep_counts: The folder in which counts are kept.
        folder: The folder with the data sets, if there is one.
    """

    output: Path | None = None
    figure: str | None = None
    keep_counts: Path | None = None
    folder: Path | None = None

    def check(self, folds: Folds) -> None:
        """Raise ValueError if something is written to a file or folder that is read."""
        inputs = NamedInputs(map(str, filter(None, [self.folder, *_sources(folds), *(gold for _, _, gold in folds)])))
        for path in (self.output, self.figure and figure_place(self.figure)[1], self.keep_counts):
            if path:
                inputs.check_output(path)


def rank_and_print(
    folds: Folds,
    how: tuple[Any, ...],
    confidence: Confidence | None,
    showing: Showing,
    files: Files,
    ranking: Mapping[str, Any] = {},
) -> None:
    """Count systems, rank them, write the files asked for, and print the tables.

    Args:
        folds: The systems of each fold.
        how: What `RunCounter` takes after the gold annotation: metrics, their options, and how files are read.
        confidence: The settings of intervals and tests.
        showing: Which tables are printed, and how.
        files: The outputs, and the counts to keep.
        ranking: Further arguments of `rank_systems`.
    """
    from .leaderboard_view import LeaderboardView
    from .ranking import metric_to_rank_by, rank_systems

    wanted, figure = names_of_tables(showing, LeaderboardView), chosen_figure(files.figure, LeaderboardView)
    files.check(folds)
    check_suffix("--output", files.output, *JSON)
    metrics, options, *more = how
    parse_options(options)  # a mistake in them is that of no data set
    if metrics is None and not any(run.has_counts for run in _sources(folds)):
        metrics = metric_to_rank_by(ranking.get("primary"))
    boards = _count_systems(folds, (metrics, options, *more), files.keep_counts, files.output)
    result = rank_systems(boards, confidence, **ranking, watch=_show_progress)
    print_result(LeaderboardView(result), wanted, showing, files.output, figure)


def _sources(folds: Folds) -> list[Source]:
    """Return the training runs of all systems of all folds."""
    return [run for systems in folds.values() for _, runs in systems for run in runs]


@dataclass(frozen=True)
class ScoreSystems(Extension):
    """Scores several systems after one gold annotation, as `leaderboard` ranks them."""

    help: ClassVar[str] = """
    With several systems after the gold annotation, A B C, each also as NAME=FILE,
    they are ranked in one table, as 'nereval leaderboard' does.
    """

    refusals: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("breakdown", "scores of documents", "scores of predictions", "average"),
        "{asked} is given with several systems, which are ranked in one table: score the system that it is about alone",
    )

    def score(
        self,
        gold: Path,
        names: Sequence[str],
        how: tuple[Any, ...],
        confidence: Confidence,
        showing: Showing,
        output: Path | None,
        figure: str | None,
    ) -> None:
        """Rank systems and print them.

        Args:
            gold: The gold annotation, or a count file.
            names: The systems, as arguments.
            how, confidence, showing: As for `rank_and_print`.
            output: JSON file for the result.
            figure: The value of `--figure`.
        """
        rank_and_print(_systems_by_fold(gold, names, []), how, confidence, showing, Files(output, figure))


def _show_progress(items: Iterable[Any], number: int) -> Iterable[Any]:
    """Return the items, with a progress bar if the output is a terminal."""
    progress: Iterable[Any] = progress_bar(items, total=number, unit=" pairs")
    return progress


Folds = Mapping[tuple[str, str, Path | None], Sequence[tuple[str, Sequence[Source]]]]
"""The name and the training runs of each system, by the names of data set and fold, and the gold annotation."""


def _systems_by_fold(gold: Path, names: Sequence[str], shown: Sequence[str]) -> Folds:
    """Return the systems of the folds of data sets; a data set without folds has one, named "".

    Args:
        gold: The first argument.
        names: The other arguments.
        shown: The values of `--name`.

    Raises:
        ValueError: There is no system, or a table, a folder or an argument cannot be read.
        OSError: A table cannot be read.
    """
    from ...core.compression import format_extension
    from .listed_systems import FILES, group_by_fold, has_data_sets, read_folder, read_table

    if names and gold.is_dir() and has_data_sets(gold):
        raise ValueError(
            f"{gold} is a folder of data sets, with each system next to the gold annotation: remove {names[0]}, or "
            f"add its predictions as {gold}/DATASET/SYSTEM.*"
        )
    first = Source(gold)
    if names or first.has_counts:
        systems = arguments_with_runs([*([str(gold)] if first.has_counts else []), *names], shown)
        return {
            (first.stem if not first.has_counts else "the data set", "", None if first.has_counts else gold): systems
        }
    if shown:
        raise ValueError(f"--name {shown[0]} is given without systems: a table or a folder names them itself")
    if gold.is_dir():
        listed = read_folder(gold)
    elif format_extension(gold) in FILES:
        listed = read_table(gold)
    elif not gold.exists():
        raise ValueError(f"{gold} does not exist")
    else:
        raise ValueError(
            f"{gold} is the only argument: name systems after the gold annotation; or give a table "
            f"({', '.join(FILES)}) or a folder of several data sets"
        )
    return {
        fold: [(name, [Source(entry.predictions) for entry in runs]) for name, runs in systems.items()]
        for fold, systems in group_by_fold(listed, str(gold)).items()
    }


def _count_systems(
    folds: Folds, how: tuple[Any, ...], keep: Path | None, output: Path | None
) -> dict[str, dict[str, Entry]]:
    """Return the entry of each system, by data set and system.

    Args:
        folds: The systems of each fold.
        how: What `RunCounter` takes after the gold annotation.
        keep: The folder in which counts are kept; None to keep none.
        output: The file for the result, which must not be a lexicon of a metric.
    """
    from .kept_counts import KeepingCounter
    from .ranking import Entry, entries_of_folds

    counted: dict[str, dict[str, dict[str, list[Counts]]]] = {}
    for (data_set, fold, gold), systems in folds.items():
        try:
            counter = KeepingCounter(keep, [run for _, runs in systems for run in runs], gold, *how)
            check_lexicons(counter.metrics, output)
            counted.setdefault(data_set, {})[fold] = {
                name: counter.counts_of_runs(name, runs) for name, runs in systems
            }
        except ValueError as error:
            raise ValueError(f"{data_set}: {error}" if len(folds) > 1 else str(error)) from None
    boards: dict[str, dict[str, Entry]] = {}
    for name, of_folds in counted.items():
        if [*of_folds] == [""]:
            boards[name] = {system: Entry(runs) for system, runs in of_folds[""].items()}
            continue
        try:
            boards[name] = entries_of_folds(of_folds)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return boards
