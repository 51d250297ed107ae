"""Rank systems on data sets: scores with intervals, tests of all pairs, rank intervals, top groups and means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from ...evaluation.pairs import align_runs, all_labels
from ...evaluation.resampling import Confidence, Units, is_enumerable
from ...evaluation.result import make_plain, signature
from ...evaluation.scores import score_sums
from ...evaluation.tested import (
    PRIMARY,
    SECONDARY,
    Subject,
    add_missing_metric,
    count_data_sets,
    families,
    find_primary,
    holm,
    label_score,
    subjects,
)
from ...evaluation.variance import mean_of_runs
from ...metrics.registry import create_all

Result = dict[str, Any]

USUAL_METRIC = "strict"
"""The score to rank by, if neither metrics nor a score are chosen."""


def metric_to_rank_by(primary: str | None) -> str:
    """Return the name of the metric of a score, METRIC.SCORE or its score key; by default the usual one.

    >>> metric_to_rank_by(None), metric_to_rank_by("fair_f")
    ('strict', 'fair')
    """
    if primary is None:
        return USUAL_METRIC
    metrics = add_missing_metric(primary, create_all())
    chosen = find_primary(metrics, families(metrics, primary))
    return chosen[0].name if chosen else USUAL_METRIC


class Entry(NamedTuple):
    """The counts of a system on a data set: of each training run, or of each fold, which has its own gold annotation.

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

Watch = Callable[[Iterable[Any], int], Iterable[Any]]
"""Shows the progress of an iteration over so many items, and yields them."""


def _unwatched(items: Iterable[Any], number: int) -> Iterable[Any]:
    return items


def rank_systems(
    boards: Boards,
    confidence: Confidence | None = None,
    *,
    primary: str | None = None,
    label: str | None = None,
    trials: int | None = None,
    sort: str | None = None,
    watch: Watch = _unwatched,
) -> Result:
    """Return the scores of systems on data sets, with intervals, ranks and means.

    Within a data set, all pairs of systems with outputs that differ in 6 units or more are tested, with Holm's
    correction over these pairs. Scores that rest on fewer than 6 effective units are neither tested nor ranked.

    Args:
        boards: The counts; those of one data set are of the same documents, with the same gold annotation.
        confidence: The level of intervals and tests, and the seed of swaps.
        primary: The score, METRIC.SCORE or its score key; by default the headline of the first metric.
        label: The label to rank by; by default all labels together.
        trials: The number of swaps; by default enough for the number of pairs.
        sort: The data set to sort by; by default the mean over data sets.
        watch: Given the evidence of all pairs of a data set as it is made, and their number; yields it unchanged.

    Returns:
        A result in plain Python, with None where something is undefined. "systems": the names, in the order of the
        means, or of the scores on a single data set, best first. "data_sets": for each its size, a row per system
        under "scores" ("value", "low", "high", "flag", the "rank" from the best to the worst one possible, and whether
        the system is in the "top" group), and a row per pair under "pairs". "means": a row per system that every data
        set has. "further": the headline score of each further metric, with values, intervals and means but without
        ranks. "better": in at least how many data sets a system is better than another.

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
    subject, *further = _subjects(metrics, primary, label)
    further = [other for other in further if _is_counted_everywhere(other.metric, boards)]
    if label is not None:
        _check_label(label, boards)
    ranked = [_rank_on(name, board, [subject, *further], confidence, trials, watch) for name, board in boards.items()]
    data_sets = [data_set for data_set, _ in ranked]
    means = _means(data_sets, subject.score)
    if sort is not None and sort not in boards:
        by_score = f"; a score to rank by is given as {spell_argument('primary', 'strict_f')}"
        raise ValueError(f"{spell_argument('sort', sort)}: {describe_unknown(sort, boards, 'data set')}{by_score}")
    sorting = data_sets[[*boards].index(sort)]["scores"] if sort is not None else means or data_sets[0]["scores"]
    order = [row["system"] for row in sorting]
    systems = [*order, *dict.fromkeys(name for board in boards.values() for name in board if name not in order)]
    result: Result = make_plain(
        {
            "signature": _signature(first.counts[0].of([subject.metric]), subject, data_sets, confidence),
            "version": __version__,
            **_score_fields(subject),
            "label": label,
            "confidence": {"level": confidence.level, "seed": confidence.seed},
            "systems": systems,
            "data_sets": data_sets,
            "means": means,
            "further": [
                _further_scores(other, [(data_set["data_set"], rows[k]) for data_set, rows in ranked])
                for k, other in enumerate(further)
            ],
            "better": _better_in(data_sets, systems, confidence.level),
        }
    )
    return result


def _signature(counts: Counts, subject: Subject, data_sets: Sequence[Result], confidence: Confidence) -> str:
    """Return the signature: that of the first counts, with the documents of all data sets, and how they are tested."""
    swaps = {f"{'all ' * board['exact']}{board['swaps']}" for board in data_sets if board["swaps"]}
    units = ",".join(sorted({board["unit"] for board in data_sets}))
    parts = [f"score:{subject.score.name}", *([f"label:{subject.label}"] if subject.label is not None else [])]
    parts.append(f"sets:{len(data_sets)}")
    parts += [f"seed:{confidence.seed},level:{confidence.level},unit:{units}", *(f"swaps:{n}" for n in sorted(swaps))]
    return signature(counts, *parts, documents=sum(board["documents"] for board in data_sets))


def _subjects(metrics: Sequence[Metric], primary: str | None, label: str | None) -> list[Subject]:
    """Return the score to rank by, then the headline of each further metric; with a label, the scores of the label."""
    family = families(metrics, primary)
    chosen = find_primary(metrics, family)
    if chosen is None:
        names = ", ".join(metric.name for metric in metrics)
        raise ValueError(f"none of the metrics {names} has a score to rank by: choose one with a headline")
    others = [(s.metric, s.score) for s in subjects(metrics, family) if s.family == SECONDARY]
    return [
        Subject(metric, score if label is None else label_score(metric, score.name), label, PRIMARY)
        for metric, score in (chosen, *others)
        if label is None or metric.label_scores
    ]


def _is_counted_everywhere(metric: Metric, boards: Boards) -> bool:
    """Return whether all systems of all data sets were counted by a metric, with the same settings."""
    return not any(
        Counts([metric]).differences(Counts(m for m in counts.metrics if m.name == metric.name))
        for board in boards.values()
        for entry in board.values()
        for counts in entry.counts
    )


def _check_label(label: str, boards: Boards) -> None:
    """Raise ValueError if no data set has a label."""
    labels = {
        *all_labels(*(counts for board in boards.values() for entry in board.values() for counts in entry.counts))
    }
    if label not in labels:
        raise ValueError(f"{spell_argument('label', label)}: {describe_unknown(label, sorted(labels), 'label')}")


def _score_fields(subject: Subject) -> Result:
    """Return the fields of a result that describe its scores."""
    return {
        "metric": subject.metric.name,
        "score": subject.score.name,
        "score_unit": subject.score.unit,
        "higher_is_better": subject.score.higher_is_better,
    }


def _further_scores(subject: Subject, data_sets: Sequence[tuple[str, list[Result]]]) -> Result:
    """Return the values and means of a score by which systems are not ranked."""
    boards = [{"data_set": name, "scores": rows} for name, rows in data_sets]
    return {**_score_fields(subject), "data_sets": boards, "means": _means(boards, subject.score)}


def _rank_on(
    name: str,
    board: Mapping[str, Entry],
    wanted: Sequence[Subject],
    confidence: Confidence,
    trials: int | None,
    watch: Watch,
) -> tuple[Result, list[list[Result]]]:
    """Return the scores, tests and ranks of the systems of one data set by the first of the scores that are wanted, and
    the rows of each of the other scores."""
    subject, *further = wanted
    try:
        runs = _align(board, [subject.metric for subject in wanted])
        first = next(iter(runs.values()))[0]
        if trials is not None:
            first.check_documents(f"permutation tests ({spell_argument('trials')})")
        rows_of_systems = [
            _score_rows(system, board[system], counts, wanted, confidence) for system, counts in runs.items()
        ]
        rows, *others = (_best_first(column, of.score) for of, column in zip(wanted, zip(*rows_of_systems)))
        runs = {system: [counts.of([subject.metric]) for counts in of_system] for system, of_system in runs.items()}
        ranked = [row["system"] for row in reversed(rows) if _is_ranked(row)]
        trials = trials or number_of_swaps(max(comb(len(ranked), 2), 1))
        pairs = _test_pairs(runs, ranked, subject, confidence, trials, watch)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    _add_ranks(rows, pairs)
    first = next(iter(runs.values()))[0]
    units = None if first.collapsed else len(Units(first))
    swapped = any(pair["runs"] == [1, 1] for pair in pairs)
    exact = units is not None and is_enumerable(units, trials)
    data_set = {
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
    return data_set, others


def _align(board: Mapping[str, Entry], metrics: Sequence[Metric]) -> dict[str, list[Counts]]:
    """Return the counts of all systems of a data set, of the same documents in the same order, of some metrics."""
    if not board:
        raise ValueError("there is no system")
    first, result = next(iter(board.values())).counts[0], {}
    names = [metric.name for metric in metrics]
    counted = [next((metric for metric in first.metrics if metric.name == name), None) for name in names]
    if differences := Counts(metrics).differences(Counts(filter(None, counted))):
        raise ValueError(f"it was not counted as the first data set was: {differences}")
    for system, entry in board.items():
        try:
            result[system] = [counts.of(metrics) for counts in align_runs(first, system, entry.counts)]
        except ValueError as error:
            raise ValueError(f"{system}: {error}") from None
    return result


def _score_rows(
    system: str, entry: Entry, runs: Sequence[Counts], wanted: Sequence[Subject], confidence: Confidence
) -> list[Result]:
    """Return the scores of a system on a data set with their intervals; of folds, also their mean and deviation."""
    intervals, rows = run_intervals(runs, confidence).metrics, []
    for subject in wanted:
        of_metric = intervals[subject.metric.name]
        of_label = of_metric["scores"] if subject.label is None else of_metric["per_type"].get(subject.label, {})
        interval = of_label.get(subject.score.name, {})
        row = {"system": system, "value": float(mean_of_runs([_score(counts, subject) for counts in runs]))}
        row |= {name: interval.get(name) for name in ("low", "high", "k", "flag")} | {"runs": len(runs)}
        if entry.folds:
            values = np.array([_score(counts, subject) for counts in entry.folds.values()])
            deviation = values.std(ddof=1) if len(values) > 1 else None
            row |= {"folds": len(values), "fold_mean": values.mean(), "fold_sd": deviation}
        rows.append(row)
    return rows


def _score(counts: Counts, subject: Subject) -> float:
    labels = None if subject.label is None else tuple(sorted({*counts.labels, subject.label}))
    sums = sum_counts(counts.of([subject.metric]), labels=labels)
    (scores,) = score_sums(sums)
    return float(subject.values(scores, sums.labels)[0])


def _test_pairs(
    runs: Mapping[str, Sequence[Counts]],
    systems: Sequence[str],
    subject: Subject,
    confidence: Confidence,
    trials: int,
    watch: Watch,
) -> list[Result]:
    """Return a row for each pair of `systems`, sorted from the worst to the best one: how much the second is ahead."""
    rows = []
    evidences = _pair_evidence(runs, systems, subject, confidence, trials)
    for (first, second), evidence in watch(evidences, comb(len(systems), 2)):
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
