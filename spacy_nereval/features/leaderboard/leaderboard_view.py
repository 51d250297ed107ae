"""The tables and sentences on the ranks of systems on data sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar

from ...core.messages import join_names, many
from ...evaluation.bounds import FEW, FEW_UNITS
from ...io.writing import visible
from ...reporting.comparison_view import P_DIGITS, P_HOLM, P, Row, row_unit
from ...reporting.declared import score_words
from ...reporting.figures import MEAN, Figure, leaderboard_figure
from ...reporting.remarks import few_runs
from ...reporting.result_table import TOP, Cell, Cost, Estimate, Percent, PValue, ResultTable, direction, number_text
from ...reporting.score_tables import interval, p_value, value_cell
from ...reporting.view import Figures, Finding, Makers, View


class LeaderboardView(View):
    """The tables and sentences on the ranks of systems on data sets.

    Args:
        result: What `ranking.rank_systems` returns, or its JSON.
        warnings: Lines on labels, shown before the tables.
    """

    at_terminal: ClassVar[Sequence[str]] = ("leaderboard", "further")
    usual: ClassVar[Sequence[str]] = ("leaderboard", "further", "pairs", "better")

    def __init__(self, result: Mapping[str, Any], warnings: Sequence[str] = ()) -> None:
        self.result: Mapping[str, Any] = result
        self._warnings = warnings
        self._unit = row_unit(result)
        self._score = _score_name(result, result.get("label"))
        self._boards: Sequence[Row] = result["data_sets"]

    def leaderboard(self) -> Iterator[ResultTable]:
        """Yield the score and the rank of each system on each data set, and the mean of each system."""
        yield self._scores_table("Leaderboard by", self.result, self._score, ranked=True)

    def further(self) -> Iterator[ResultTable]:
        """Yield a table without ranks for the headline of each further metric, in the order of the leaderboard."""
        for scores in self.result.get("further", ()):
            yield self._scores_table("By", scores, _score_name(scores, self.result.get("label")))

    def _scores_table(self, title: str, scores: Row, name: str, *, ranked: bool = False) -> ResultTable:
        """Return a table of systems with a column for each data set, with the rank after it, and one for the mean."""
        boards, unit = scores["data_sets"], row_unit(scores)
        cells = [{row["system"]: row for row in board["scores"]} for board in boards]
        means = {row["system"]: row for row in scores["means"]}
        rows: list[list[Cell]] = []
        for system in self.result["systems"]:
            row: list[Cell] = [system]
            for of_board in cells:
                of_system = of_board.get(system)
                row.append(of_system and _estimate(of_system, unit, best=of_system is _best(of_board.values())))
                if ranked:
                    row.append(of_system and rank_text(of_system["rank"]))
            if means:
                row.append(
                    _estimate(means[system], unit, best=system == next(iter(means))) if system in means else None
                )
            rows.append(row)
        names = [board["data_set"] for board in boards] if len(boards) > 1 else [_column_name(scores)]
        ranks = {name: f"{name} rank" for name in names} if len(boards) > 1 else {names[0]: "rank"}
        header = ["system", *chain.from_iterable((name, ranks[name]) if ranked else (name,) for name in names)]
        header += ["mean"] * bool(means)
        short = dict.fromkeys(ranks.values(), "rank") if ranked else {}
        return ResultTable(f"{title} {name}", header, rows, note=direction(name), short=short)

    def cells(self) -> Iterator[ResultTable]:
        """Yield a row for each data set and system; with folds, also the mean and the deviation over folds."""
        folded = any("folds" in row for board in self._boards for row in board["scores"])
        rows: list[list[Cell]] = []
        for board in self._boards:
            for row in board["scores"]:
                top = None if row["top"] is None else "yes" if row["top"] else "no"
                cell = _estimate(row, self._unit)
                folds = [row.get("folds"), *(value_cell(row.get(f"fold_{n}"), self._unit) for n in ("mean", "sd"))]
                about = [board["data_set"], row["system"], row["runs"]]
                rows.append([*about, cell, *(row["rank"] or [None, None]), top, *(folds if folded else [])])
        header = ["data set", "system", "runs", _column_name(self.result), "best rank", "worst rank", "top group"]
        header += ["folds", "mean of folds", "sd of folds"] * folded
        yield ResultTable(f"Cells by {self._score}", header, rows, note=direction(self._score))

    def pairs(self) -> Iterator[ResultTable]:
        """Yield the difference of each pair of systems on each data set, and its test."""
        rows: list[list[Cell]] = [
            [
                board["data_set"],
                *reversed(pair["systems"]),
                _estimate(pair | dict(zip(("low", "high"), pair["interval"])), self._unit, "difference"),
                p_value(pair, "p", board),
                p_value(pair, "p_holm", board),
                "yes" if pair["shown"] else "no",
            ]
            for board in self._boards
            for pair in board["pairs"]
        ]
        header = ["data set", "system", "other", "difference", P, P_HOLM, "shown better"]
        bounded = any(isinstance(cell, PValue) and cell.is_bound for row in rows for cell in row)
        notes = [direction(self._score), "< before a p-value: so many permutations cannot show a smaller one" * bounded]
        yield ResultTable(
            f"Pairs by {self._score}", header, rows, note="; ".join(filter(None, notes)), own_digits=P_DIGITS
        )

    def better(self) -> Iterator[ResultTable]:
        """Yield in at least how many data sets a system is better than another, where it is better in any."""
        rows: list[list[Cell]] = [
            [row["system"], row["than"], row["least"], row["number"]] for row in self.result["better"] if row["least"]
        ]
        yield ResultTable("Better in at least so many data sets", ["system", "than", "at least", "of"], rows)

    makers: ClassVar[Makers] = {
        "leaderboard": leaderboard,
        "further": further,
        "cells": cells,
        "pairs": pairs,
        "better": better,
    }

    def _figure(self) -> Figure:
        """Return a figure of the scores on each data set with their intervals, in the order of the means."""
        columns = {
            board["data_set"]: {
                row["system"]: _estimate(row, self._unit) for row in board["scores"] if row["value"] is not None
            }
            for board in self._boards
        }
        if self.result["means"]:
            columns[MEAN] = {row["system"]: _estimate(row, self._unit) for row in self.result["means"]}
        return leaderboard_figure(self.result["systems"], columns, f"{self._score}{', %' * (self._unit is Percent)}")

    figures: ClassVar[Figures] = {"leaderboard": _figure}

    def findings(self) -> list[Finding]:
        """Return the finding on the mean, or on the top group of a single data set."""
        if not (means := self.result["means"]):
            return [self._top_group(self._boards[0])]
        mean, number = number_text(_estimate(means[0], self._unit)), len(self._boards)
        sentence = f"{means[0]['system']} has the best mean by {self._score} over {number} data sets: {mean}"
        if len(means) < len(self.result["systems"]):
            sentence += f", of the {many(len(means), 'system')} that all of them have"
        return [Finding("headline", visible(sentence), is_named=True)]

    def _top_group(self, board: Row) -> Finding:
        """Return the finding on the top group of a data set."""
        top = [row["system"] for row in board["scores"] if row["top"]]
        ranked = sum(row["rank"] is not None for row in board["scores"])
        name = board["data_set"]
        if len(top) == 1 < ranked:
            sentence = f"{top[0]} scores better than every other system on {name} by {self._score}"
        elif top:
            sentence = f"top group on {name} by {self._score}: {join_names(top)}"
        else:
            sentence = f"no system is ranked on {name}: no score rests on {FEW_UNITS} effective units"
        return Finding("headline", visible(sentence), is_named=len(top) == 1 < ranked)

    def opening(self, *, digits: int = 2, more: str = "") -> list[str]:
        """Return the finding, the top group of each of several data sets, and how to see more."""
        groups = map(self._top_group, self._boards) if self.result["means"] else ()
        lines = [f"{finding.heading}." for finding in (*self.findings(), *groups)]
        lines += map(visible, self._warnings)
        return [*lines, *([f"{more} shows the tests of all pairs"] if more else [])]

    def closing(self) -> list[str]:
        """Return the meaning of the marks, the tests, and the systems without a test or a rank."""
        level = f"{100 * self.result['confidence']['level']:g} %"
        lines = [
            f"Intervals: {level}. {TOP} top group: not shown to be worse than the best system of the data set. A rank "
            "such as 1-3 is from the best to the worst one that the tests leave open."
        ]
        tests = [f"{board['tests']} in {board['data_set']}" for board in self._boards]
        lines.append(
            "Paired tests of all pairs of systems within a data set, with Holm's correction over these: "
            f"{', '.join(tests)}."
        )
        if self.result["means"]:
            lines.append("The mean gives each data set the same weight. Its interval takes them as independent.")
        runs = {row["runs"] for board in self._boards for row in board["scores"]}
        if 1 in runs:
            lines.append("Systems with one training run: retraining variance is not included.")
        if several := runs - {1}:
            lines += [f"⚠ {note}." for note in [few_runs(several)] if note]
        for board in self._boards:
            few = [row["system"] for row in board["scores"] if row["flag"] == FEW]
            if few:
                lines.append(
                    f"⚠ Not ranked on {board['data_set']}: {join_names(few)}; fewer than {FEW_UNITS} effective units."
                )
            if board["collapsed"]:
                lines.append(
                    f"⚠ No tests on {board['data_set']}: its counts are collapsed and keep no documents to permute."
                )
        return [*map(visible, lines)]


def _score_name(scores: Row, label: str | None) -> str:
    """Return the name of a score, for titles and sentences."""
    name = " ".join(filter(None, [score_words(scores["metric"], scores["score"]), label and f"of {visible(label)}"]))
    return name if scores["higher_is_better"] else Cost(name)


def _column_name(scores: Row) -> str:
    """Return the name of a score below a title that names its metric: F, R or P, or else its words."""
    return score_words(scores["metric"], scores["score"]).removeprefix(f"{scores['metric']} ")


def _best(rows: Iterable[Row]) -> Row | None:
    """Return the best of the rows that are the best first: the first one that is ranked, or without ranks not few."""
    return next((row for row in rows if row.get("rank") or ("rank" not in row and row["flag"] != FEW)), None)


def _estimate(row: Row, unit: type[float], key: str = "value", *, best: bool = False) -> float | Estimate | None:
    """Return the value of a row with its bounds, marked if it is in the top group, or the best one."""
    value, bounds = value_cell(row[key], unit), interval([row["low"], row["high"]], unit)
    if value is None or bounds is None:
        return value
    return Estimate(value, *bounds, row.get("flag") == FEW, key == "value" and bool(row.get("top")), best)


def rank_text(rank: Sequence[int] | None) -> str | None:
    """Return the text of a rank interval; None for a system without a rank.

    >>> rank_text([1, 3]), rank_text([2, 2])
    ('1-3', '2')
    """
    if rank is None:
        return None
    low, high = rank
    return str(low) if low == high else f"{low}-{high}"
