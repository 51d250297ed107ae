"""The function `leaderboard`, which takes predictions of systems on data sets, and its result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ...api.inputs import ItemReading, Items, kept_items, reading_of_items, with_item_reading
from ...api.models import with_predictions
from ...api.results import warnings_of
from ...api.scoring import check_alone, count_items, counts_of, given_counts, runs_of
from ...api.shown import Shown, table_frame
from ...core.messages import shorten
from ...evaluation.resampling import Confidence
from ...reporting.formats import render_document
from .leaderboard_view import LeaderboardView
from .listed_systems import read_data_sets
from .ranking import Entry, entries_of_folds, metric_to_rank_by, rank_systems

if TYPE_CHECKING:
    import pandas
    from typing_extensions import Unpack


class Leaderboard(Shown):
    """Systems on data sets, ranked by a score: a dict, equal to the JSON of `nereval leaderboard`, to print and save.

    `leaderboard` makes it.

    >>> from spacy_nereval import leaderboard
    >>> gold = [["B-PER"], ["B-LOC"]] * 30
    >>> result = leaderboard(gold, {"a": [["B-PER"]] * 60, "b": gold})
    >>> [(row["system"], row["value"], row["rank"]) for row in result.rows]
    [('b', 1.0, [1, 1]), ('a', 0.5, [2, 2])]
    """

    _lines: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("ranking", "ranks", "ranked", "winner", "best", "top", "scores", "sort", "order", "table", "results", "f1"),
        "l.to_pandas(), whose first row is the best system",
    )
    _kind: ClassVar[str] = "Leaderboard"
    summarised: ClassVar[Sequence[str]] = LeaderboardView.at_terminal

    def __init__(self, values: Mapping[str, Any], warnings: Sequence[str] = ()) -> None:
        super().__init__(values)
        self._warnings = warnings

    def _remedy(self, name: object) -> str:
        if name in super().get("systems", ()):
            return f"{name!r} is a system: write l.to_pandas().query({f'system == {name!r}'!r})"
        return super()._remedy(name)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A row per data set and system, the best first: the score, its interval, the rank and the top group."""
        return [{"data_set": board["data_set"], **row} for board in self["data_sets"] for row in board["scores"]]

    def to_frame(self, table: str = "leaderboard") -> pandas.DataFrame:
        """Return a table as a pandas DataFrame.

        Args:
            table: The name of a table of `nereval leaderboard`: "leaderboard", "further", "cells", "pairs" or "better".

        Raises:
            ValueError: There is no such table, or pandas is not installed.

        >>> from spacy_nereval import leaderboard
        >>> gold = [["B-PER"], ["B-LOC"]] * 30
        >>> leaderboard(gold, {"a": [["B-PER"]] * 60, "b": gold}).to_frame()["F"].tolist()
        [1.0, 0.5]
        """
        return table_frame(LeaderboardView(self).tables([table]))

    def _view(self, average: str = "micro", *, every: bool = False) -> LeaderboardView:
        return LeaderboardView(self, self._warnings)

    def _report(self, name: str) -> str:
        """Return all tables as a page, after the figure if it can be drawn."""
        before, tables, after = self._parts("micro", 2, every=True)
        page = render_document(tables, "html", before, after)
        try:
            figure = self.plot().svg
        except ValueError:  # there is nothing to draw, or the libraries of charts are not installed
            return page
        return page.replace("<table>", f"<figure>{figure}</figure>\n<table>", 1)


@with_item_reading
def leaderboard(
    gold: Any,
    systems: Mapping[str, Any] | None = None,
    metrics: Any = None,
    *,
    primary: str | None = None,
    label: str | None = None,
    level: float = 0.95,
    trials: int | None = None,
    seed: int = 0,
    sort: str | None = None,
    text: Iterable[str | None] | None = None,
    tokens: Iterable[Any] | None = None,
    **options: Unpack[ItemReading],
) -> Leaderboard:
    """Rank systems on one or several data sets: scores with intervals, paired tests, rank intervals and top groups.

    Args:
        gold: The gold annotation of one data set, as `score` takes it; None with counts. Or a table of data sets,
            {"news": (gold, {"a": pred, "b": pred}), ...}; a data set of counts has only the table of systems, and one
            with folds a table of those, {"news": {"fold 1": (gold, {"a": pred}), ...}}. Or, as for the command, a
            folder DATASET/gold.* with DATASET/SYSTEM.*, a table of files (.csv or .jsonl), or such a table as a frame.
        systems: The name and the predictions of each system, as `compare` takes them: predictions, or a table of
            training runs; or results of `score`, counts or paths of count files (.npz), which may also be the only
            argument. None with a table of data sets.
        metrics: As for `score`; by default `strict`, or the metric of `primary`. The headline scores of further metrics
            have intervals and means, but no ranks.
        primary: The score to rank by, METRIC.SCORE or its score key, such as fair_f; by default the headline of
            the first metric.
        label: The label to rank by; by default all labels together.
        level: The confidence level of the intervals and tests.
        trials: The number of random permutations for the tests; by default enough for the number of tests.
        seed: The seed of the random number generator.
        sort: The data set to sort by; by default the mean over data sets.
        text, tokens: As for `score`; only for one data set.
        scheme, repair, end, spans_key, labels, only: As for `score`.
        label_from, depth, sep, match, occurrences, tag_names, offsets, keys, match_text: As for `score`.
        outside, trim, join, missing_tokens: As for `score`.

    Returns:
        The ranked systems: a dict with methods that print and save it; see `Leaderboard`.

    Raises:
        ValueError: There is no system, systems of a data set have different gold annotation, or as for `score`.
        OSError: As for `score`.

    Source: Holm (1979); means by MOVER, Zou and Donner (2008); data sets, Dror et al. (2017).

    >>> gold = [["B-PER"], ["B-LOC"]] * 30
    >>> systems = {"a": [["B-PER"]] * 60, "b": gold}
    >>> result = leaderboard({"news": (gold, systems), "mail": (gold, systems)})
    >>> result["systems"], [row["value"] for row in result["means"]]
    (['b', 'a'], [1.0, 0.5])
    """
    reading = reading_of_items(**options)
    if systems is None and isinstance(gold, Mapping) and gold and all(map(counts_of, gold.values())):
        gold, systems = None, gold  # results of one data set
    if (
        systems is not None
        and isinstance(gold, Mapping)
        and all(is_of_data_sets(one, gold) for one in systems.values())
    ):
        gold = {name: (of_it, {key: preds[name] for key, preds in systems.items()}) for name, of_it in gold.items()}
        systems = None
    if systems is not None:
        data_sets: Mapping[str, Any] = {_name_of(gold): systems if gold is None else (gold, systems)}
    elif listed := gold if isinstance(gold, Mapping) else read_data_sets(gold):
        data_sets = listed
        check_single = {"text": text, "tokens": tokens}
        if name := next((name for name, value in check_single.items() if value is not None), None):
            raise ValueError(f"{name}= is given with several data sets: give it for one, or items that have their own")
    else:
        raise ValueError(
            "systems are missing: expected leaderboard(gold, {'a': pred, 'b': pred}), or a table of data sets, "
            "leaderboard({'news': (gold, {'a': pred, 'b': pred}), ...})"
        )
    warnings: list[str] = []
    boards = {}
    wanted = metric_to_rank_by(primary) if metrics is None else metrics
    given = {"metrics": metrics, "text": text, "tokens": tokens, **options}
    for name, data_set in data_sets.items():
        try:
            items = Items(wanted, reading, text, tokens)
            boards[name] = _board(data_set, items, given, warnings)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    result = rank_systems(boards, Confidence(level, seed=seed), primary=primary, label=label, trials=trials, sort=sort)
    return Leaderboard(result, [*dict.fromkeys(warnings)])


def is_of_data_sets(system: Any, data_sets: Mapping[str, Any]) -> bool:
    """Return whether a system is a table of its predictions on each data set.

    >>> is_of_data_sets({"x": [], "y": []}, {"y": [], "x": []}), is_of_data_sets({"run 1": []}, {"news": []})
    (True, False)
    """
    return isinstance(system, Mapping) and system.keys() == data_sets.keys()


def _name_of(gold: Any) -> str:
    return Path(gold).stem if isinstance(gold, (str, Path)) else "the data set"


def _board(data_set: Any, items: Items, given: Mapping[str, Any], warnings: list[str]) -> dict[str, Entry]:
    """Return the entry of each system of a data set; add notes on labels to `warnings`.

    Args:
        data_set: Gold annotation and a table of systems; or a table of systems with counts; or a table of folds, each
            one of the two.
        items: How items are read.
        given: The arguments that counts do not take.
        warnings: Added to.
    """
    if isinstance(data_set, Mapping) and data_set and all(map(_is_fold, data_set.values())):
        folds = {fold: _runs_of_systems(part, items, given, warnings) for fold, part in data_set.items()}
        return entries_of_folds(folds)
    return {name: Entry(runs) for name, runs in _runs_of_systems(data_set, items, given, warnings).items()}


def _is_fold(part: Any) -> bool:
    return isinstance(part, tuple) and len(part) == 2 and isinstance(part[1], Mapping)


def _runs_of_systems(data_set: Any, items: Items, given: Mapping[str, Any], warnings: list[str]) -> dict[str, Any]:
    """Return the counts of the training runs of each system, by its name."""
    gold, systems = data_set if _is_fold(data_set) else (None, data_set)
    if not isinstance(systems, Mapping) or not systems:
        raise ValueError(
            f"expected gold annotation and a table of systems, (gold, {{'a': pred}}), not {shorten(repr(data_set))}"
        )
    named_runs = {name: runs_of(name, pred) for name, pred in systems.items()}
    if stored := given_counts({name: [run for _, run in runs] for name, runs in named_runs.items()}, "systems"):
        check_alone(gold=gold, **given)
        return stored
    if gold is None:
        raise ValueError("missing gold annotation: expected (gold, {'a': pred, 'b': pred})")
    items, gold, predicted, notes = with_predictions(items, gold, systems)
    warnings += notes
    named_runs = {name: runs_of(name, pred) for name, pred in predicted.items()}
    items, same = kept_items(items, gold)
    return {name: [*_count_runs(same, runs, items, warnings)] for name, runs in named_runs.items()}


def _count_runs(gold: Any, runs: Sequence[tuple[str, Any]], items: Items, warnings: list[str]) -> Iterator[Any]:
    for shown, pred in runs:
        counts = count_items(gold, pred, items, shown).counts
        warnings += warnings_of(counts, shown)
        yield counts
