"""Rank systems on data sets: scores with intervals, tests of all pairs, rank intervals, top groups and means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain, combinations, permutations
from math import comb
from operator import add
from typing import Any, NamedTuple

import numpy as np

from ...core.about import __version__
from ...core.arguments import TRIALS, check_value
from ...core.declaration import Metric, Score
from ...core.messages import describe_unknown, spell_argument
from ...counting.counts import Counts
from ...counting.table import sum_counts
from ...evaluation.bounds import FEW
from ...evaluation.comparison import difference_row
from ...evaluation.differences import number_of_swaps
from ...evaluation.evidence import Evidence, run_evidence, swap_evidence_of_pairs
from ...evaluation.intervals import run_intervals
from ...evaluation.pairs import align_runs
from ...evaluation.resampling import Confidence, Units, is_enumerable
from ...evaluation.result import make_plain, signature
from ...evaluation.scores import score_sums
from ...evaluation.tested import PRIMARY, Subject, count_data_sets, families, find_primary, holm
from ...evaluation.variance import mean_of_runs

Result = dict[str, Any]

USUAL_METRIC = "strict"
"""What systems are ranked by, if neither metrics nor a score are chosen."""


class Entry(NamedTuple):
    """The counts of a system on a data set: of each training run, or of each fold, whose gold is its own.

    Attributes:
        runs: The counts of each training run; one for a system that was trained once.
        folds: The counts of each fold, by its name; they have one training run.
    """

    runs: Sequence[Counts] = ()
    folds: Mapping[str, Counts] = {}

    @property
    def counts(self) -> Sequence[Counts]:
        """The counts of each training run; those of folds are added up."""
        return [reduce(add, self.folds.values())] if self.folds else self.runs


def entries_of_folds(folds: Mapping[str, Mapping[str, Sequence[Counts]]]) -> dict[str, Entry]:
    """Return the entry of each system, from its counts in each fold.

    Raises:
        ValueError: A system has no predictions of a fold, or several.
    """
    names = dict.fromkeys(name for systems in folds.values() for name in systems)
    for name in names:
        if lacking := [fold for fold, systems in folds.items() if name not in systems]:
            raise ValueError(f"{name} has no predictions of fold {lacking[0] or '(unnamed)'}: give those of all folds")
        if several := [fold for fold, systems in folds.items() if len(systems[name]) > 1]:
            raise ValueError(f"{name} has several training runs of fold {several[0]}: give one for each fold")
    return {name: Entry(folds={fold: systems[name][0] for fold, systems in folds.items()}) for name in names}


Boards = Mapping[str, Mapping[str, Entry]]
"""The entry of each system, by the names of the data set and of the system."""


def rank_systems(
    boards: Boards,
    confidence: Confidence | None = None,
    *,
    primary: str | None = None,
    trials: int | None = None,
    sort: str | None = None,
) -> Result:
    """Return the scores of systems on data sets, with intervals, ranks and means.

    Within a data set, all pairs of systems whose outputs differ in 6 units or more are tested, with Holm's correction
    over these pairs. Scores that rest on fewer than 6 effective units are neither tested nor ranked.

    Args:
        boards: The counts; those of one data set are of the same documents, with the same gold annotation.
        confidence: The level of intervals and tests, and the seed of swaps.
        primary: The score, METRIC.SCORE or its score key; by default the headline of the first metric.
        trials: The number of swaps; by default enough for the number of pairs.
        sort: The data set by whose scores systems are sorted; by default they are sorted by their means.

    Returns:
        A result in plain Python, with None where something is undefined. "systems": the names, in the order of the
        means, or of the scores on a single data set, best first. "data_sets": for each its size, a row per system
        under "scores" ("value", "low", "high", "flag", the "rank" from the best to the worst one possible, and whether
        the system is in the "top" group), and a row per pair under "pairs". "means": a row per system that every data
        set has. "better": in at least how many data sets a system is better than another.

    Raises:
        ValueError: There is no data set or no such score, systems of a data set were counted on different documents or
            in different ways, or a setting is out of range.

    Source: Holm (1979); means by MOVER, Zou and Donner (2008); data sets, Dror et al. (2017).
    """
    confidence = (confidence or Confidence()).checked()
    if trials is not None:
        check_value("trials", trials, TRIALS)
    first = next((entry for board in boards.values() for entry in board.values()), None)
    if first is None:
        raise ValueError("there is no system to rank: expected one or more data sets with one or more systems each")
    metrics = first.counts[0].metrics
    subject = _primary_subject(metrics, primary)
    data_sets = [_rank_on(name, board, subject, confidence, trials) for name, board in boards.items()]
    means = _means(data_sets, subject.score)
    if sort is not None and sort not in boards:
        raise ValueError(f"{spell_argument('sort', sort)}: {describe_unknown(sort, boards, 'data set')}")
    sorting = data_sets[[*boards].index(sort)]["scores"] if sort is not None else means or data_sets[0]["scores"]
    order = [row["system"] for row in sorting]
    systems = [*order, *dict.fromkeys(name for board in boards.values() for name in board if name not in order)]
    result: Result = make_plain(
        {
            "signature": _signature(first.counts[0].of([subject.metric]), subject, data_sets, confidence),
            "version": __version__,
            "metric": subject.metric.name,
            "score": subject.score.name,
            "score_unit": subject.score.unit,
            "higher_is_better": subject.score.higher_is_better,
            "confidence": {"level": confidence.level, "seed": confidence.seed},
            "systems": systems,
            "data_sets": data_sets,
            "means": means,
            "better": _better_in(data_sets, systems, confidence.level),
        }
    )
    return result


def _signature(counts: Counts, subject: Subject, data_sets: Sequence[Result], confidence: Confidence) -> str:
    """Return the signature: that of the first counts, with the documents of all data sets, and how they are tested."""
    swaps = {f"{'all ' * board['exact']}{board['swaps']}" for board in data_sets if board["swaps"]}
    units = ",".join(sorted({board["unit"] for board in data_sets}))
    parts = [f"score:{subject.score.name}", f"sets:{len(data_sets)}"]
    parts += [f"seed:{confidence.seed},level:{confidence.level},unit:{units}", *(f"swaps:{n}" for n in sorted(swaps))]
    return signature(counts, *parts, documents=sum(board["documents"] for board in data_sets))


def _primary_subject(metrics: Sequence[Metric], primary: str | None) -> Subject:
    chosen = find_primary(metrics, families(metrics, primary, ()))
    if chosen is None:
        names = ", ".join(metric.name for metric in metrics)
        raise ValueError(f"none of the metrics {names} has a score to rank by: choose one with a headline")
    metric, score = chosen
    return Subject(metric, score, None, PRIMARY)


def _rank_on(
    name: str, board: Mapping[str, Entry], subject: Subject, confidence: Confidence, trials: int | None
) -> Result:
    """Return the scores, tests and ranks of the systems of one data set."""
    try:
        runs = _aligned(board, subject.metric)
        first = next(iter(runs.values()))[0]
        if trials is not None:
            first.check_documents(f"permutation tests ({spell_argument('trials')})")
        rows = [_score_row(system, board[system], counts, subject, confidence) for system, counts in runs.items()]
        rows = _best_first(rows, subject.score)
        ranked = [row["system"] for row in reversed(rows) if _is_ranked(row)]
        trials = trials or number_of_swaps(max(comb(len(ranked), 2), 1))
        pairs = _test_pairs(runs, ranked, subject, confidence, trials)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    _add_ranks(rows, pairs)
    units = None if first.collapsed else len(Units(first))
    swapped = any(pair["runs"] == [1, 1] for pair in pairs)
    exact = units is not None and is_enumerable(units, trials)
    return {
        "data_set": name,
        "signature": signature(first),
        "documents": first.documents,
        "gold": first.gold,
        "unit": first.unit,
        "units": units,
        "collapsed": bool(first.collapsed),
        "swaps": (2**units if exact else trials) if units is not None and swapped else None,
        "exact": exact,
        "tests": int(sum(np.isfinite(pair["p"]) for pair in pairs)),
        "scores": rows,
        "pairs": pairs,
    }


def _aligned(board: Mapping[str, Entry], metric: Metric) -> dict[str, list[Counts]]:
    """Return the counts of all systems of a data set, of the same documents in the same order, of one metric."""
    if not board:
        raise ValueError("there is no system")
    first, result = next(iter(board.values())).counts[0], {}
    counted = [counted for counted in first.metrics if counted.name == metric.name]
    if differences := Counts([metric]).differences(Counts(counted)):
        raise ValueError(f"it was not counted as the first data set was: {differences}")
    for system, entry in board.items():
        try:
            result[system] = [counts.of([metric]) for counts in align_runs(first, system, entry.counts)]
        except ValueError as error:
            raise ValueError(f"{system}: {error}") from None
    return result


def _score_row(system: str, entry: Entry, runs: Sequence[Counts], subject: Subject, confidence: Confidence) -> Result:
    """Return the score of a system on a data set with its interval; of folds, also their mean and deviation."""
    key = subject.score.name
    interval = run_intervals(runs, confidence).metrics[subject.metric.name]["scores"].get(key, {})
    row = {"system": system, "value": float(mean_of_runs([_score(counts, subject) for counts in runs]))}
    row |= {name: interval.get(name) for name in ("low", "high", "k", "flag")} | {"runs": len(runs)}
    if entry.folds:
        values = np.array([_score(counts, subject) for counts in entry.folds.values()])
        row |= {
            "folds": len(values),
            "fold_mean": values.mean(),
            "fold_sd": values.std(ddof=1) if len(values) > 1 else None,
        }
    return row


def _score(counts: Counts, subject: Subject) -> float:
    (scores,) = score_sums(sum_counts(counts.of([subject.metric])))
    return float(subject.values(scores, ())[0])


def _test_pairs(
    runs: Mapping[str, Sequence[Counts]],
    systems: Sequence[str],
    subject: Subject,
    confidence: Confidence,
    trials: int,
) -> list[Result]:
    """Return a row for each pair of `systems`, sorted from the worst to the best one: how much the second is ahead."""
    rows = []
    for (first, second), evidence in _pair_evidence(runs, systems, subject, confidence, trials):
        row = difference_row(evidence, confidence.level, None, None, runs[first][0])
        rows.append({"systems": [first, second], **{key: row[key] for key in PAIR_FIELDS}})
    rows.sort(key=lambda row: [*map(systems.index, row["systems"])])
    tested = [row for row in rows if np.isfinite(row["p"])]
    for row, p in zip(tested, holm([row["p"] for row in tested]) if tested else []):
        row["p_holm"] = float(p)
    for row in rows:
        row.setdefault("p_holm", np.nan)
        row["shown"] = bool(row["p_holm"] <= 1 - confidence.level + ROUNDING)
    return rows


def _pair_evidence(
    runs: Mapping[str, Sequence[Counts]], systems: Sequence[str], subject: Subject, confidence: Confidence, trials: int
) -> Iterator[tuple[tuple[str, str], Evidence]]:
    """Yield the names of each pair and the evidence on its difference. Collapsed counts have no units to swap."""
    if any(counts.collapsed for counts in chain.from_iterable(runs.values())):
        return
    once = [system for system in systems if len(runs[system]) == 1]
    yield from zip(
        combinations(once, 2), swap_evidence_of_pairs([runs[name][0] for name in once], subject, confidence, trials)
    )
    for first, second in combinations(systems, 2):
        if not {first, second} <= {*once}:
            (evidence,) = run_evidence(runs[first], runs[second], [subject], confidence)
            yield (first, second), evidence


PAIR_FIELDS = ("difference", "interval", "p", "p_better", "flag", "differing", "runs")
"""The fields of a row of a comparison that a row of a pair has, too."""

ROUNDING = 1e-12
"""The rounding of 1 - 0.95 must not decide."""


def _is_ranked(row: Result) -> bool:
    return row["flag"] != FEW and bool(np.isfinite(row["value"]))


def _add_ranks(rows: Sequence[Result], pairs: Sequence[Result]) -> None:
    """Add to the scores of a data set, the best first, the interval of each rank and whether it is in the top group."""
    shown = {tuple(pair["systems"]) for pair in pairs if pair["shown"]}
    ranked = [row["system"] for row in rows if _is_ranked(row)]
    for row in rows:
        system = row["system"]
        row |= {"rank": None, "top": None}
        if system in ranked:
            above = sum((system, other) in shown for other in ranked)
            below = sum((other, system) in shown for other in ranked)
            row |= {"rank": [1 + above, len(ranked) - below], "top": (system, ranked[0]) not in shown}


def _means(data_sets: Sequence[Result], score: Score) -> list[Result]:
    """Return the mean score over data sets, with an interval, of each system that all data sets have, best first."""
    if len(data_sets) < 2:
        return []
    cells = [{row["system"]: row for row in data_set["scores"]} for data_set in data_sets]
    rows = []
    for system in cells[0]:
        of_system = [board[system] for board in cells if system in board]
        if len(of_system) < len(cells):
            continue
        value, low, high = (np.array([_number(row[key]) for row in of_system]) for key in ("value", "low", "high"))
        mean, number = value.mean(), len(value)
        below, above = (np.sqrt(((value - bound) ** 2).sum()) / number for bound in (low, high))
        rows.append({"system": system, "value": mean, "low": mean - below, "high": mean + above})
    return _best_first(rows, score)


def _best_first(rows: Iterable[Result], score: Score) -> list[Result]:
    """Return rows sorted by their values, undefined ones last, equal ones by the names of the systems."""
    sign = -1 if score.higher_is_better else 1
    return sorted(rows, key=lambda row: (not np.isfinite(row["value"]), sign * row["value"], row["system"]))


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def _better_in(data_sets: Sequence[Result], systems: Sequence[str], level: float) -> list[Result]:
    """Return in at least how many data sets a system is better than another, for pairs that every data set has.

    The p-value is one-sided. It is 1 where there is no test, and for the system with the lower score.
    """
    everywhere = [
        system for system in systems if all(system in {row["system"] for row in board["scores"]} for board in data_sets)
    ]
    p_values = [{tuple(row["systems"]): row["p_better"] for row in data_set["pairs"]} for data_set in data_sets]
    rows = []
    for system, other in permutations(everywhere, 2) if len(data_sets) > 1 else ():
        p = [of_pairs.get((other, system), np.nan) for of_pairs in p_values]
        count = count_data_sets(np.where(np.isfinite(p), p, 1.0), level=level)
        rows.append({"system": system, "than": other, "least": count.least, "number": count.number})
    return rows
