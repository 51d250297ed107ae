"""Summarise the training runs of one pipeline: its mean scores, and its most frequent kind of error."""

from collections.abc import Mapping, Sequence
from math import isfinite, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacy_nereval.core import wording
from spacy_nereval.core.declaration import Metric, Score
from spacy_nereval.counting.counts import Counts
from spacy_nereval.counting.sums import Sums
from spacy_nereval.counting.table import Table
from spacy_nereval.evaluation.bounds import FEW, effective_units, score_intervals
from spacy_nereval.evaluation.pairs import align_counts
from spacy_nereval.evaluation.resampling import Confidence, Units
from spacy_nereval.evaluation.result import evaluate
from spacy_nereval.evaluation.run_means import evaluate_runs
from spacy_nereval.evaluation.scores import score_sums
from spacy_nereval.evaluation.variance import influences
from spacy_nereval.metrics.registry import create
from spacy_nereval.reporting.result_table import Interval
from spacy_nereval.reporting.score_tables import interval

CONFIDENCE = Confidence()

Floats = NDArray[np.float64]


class Summary(NamedTuple):
    """One score of a pipeline over its training runs.

    Attributes:
        metric, score: Which score it is.
        values: The score of each run; None where undefined.
        mean: Their mean; None if one is undefined.
        sd: Their standard deviation; None for one run.
        interval: 95 % interval of the mean, over documents and training runs; None if undefined.
        few: Whether the interval rests on so few documents that it is not to be compared.
    """

    metric: Metric
    score: Score
    values: list[float | None]
    mean: float | None
    sd: float | None
    interval: Interval | None
    few: bool


def over_runs(runs: Sequence[Counts]) -> dict[str, Summary]:
    """Summarise every score that has a score key, by these keys.

    Args:
        runs: The counts of each training run of one pipeline, on the same documents.
    """
    several = len(runs) > 1
    metrics = (evaluate_runs(runs, CONFIDENCE) if several else evaluate(runs[0], CONFIDENCE))["metrics"]
    found: dict[str, Summary] = {}
    for metric in runs[0].metrics:
        own = metrics[metric.name]
        for key, name in metric.keys.items():
            mean, bounds = own["scores"][name], own["intervals"]["scores"][name]
            spread = own["runs"]["scores"][name] if several else {"values": [mean], "sd": None}
            few = bounds["flag"] == FEW
            found[key] = Summary(
                metric, metric.score_by_name[name], spread["values"], mean, spread["sd"], interval(bounds), few
            )
    return found


def _interval(most: Floats, other: Floats) -> Interval | None:
    """Return the interval of the mean share of one kind in two over training runs; None if it rests on few units.

    Args:
        most, other: The errors of each kind, [runs, units].
    """
    share = _share(most.sum(axis=1), other.sum(axis=1))
    average = np.sort(share).mean() if np.isfinite(share).all() else nan
    without = _share(*(own.sum(axis=1, keepdims=True) - own for own in (most, other))).mean(axis=0)
    known = influences([average], np.zeros(len(without), dtype=int), without, len(without))
    found = score_intervals(
        [average],
        known.variance,
        effective_units((most + other).mean(axis=0)),
        bearers=known.bearers,
        mixed=min(int(own.any(axis=0).sum()) for own in (most, other)),
        level=CONFIDENCE.level,
        runs=share[:, None] if len(share) > 1 else None,
    )
    (low,), (high,), (flag,) = found.low, found.high, found.flag
    return None if flag == FEW or not isfinite(low) else Interval(float(low), float(high))


def lenient(counts: Counts) -> Counts:
    """Return the counts of strict and of WRF with lenient weights, which weigh the same class scores."""
    return counts.of([create("strict"), create("wrf", weights="lenient")])


# Errors

KINDS = {
    in_words: tuple(error for error, words in wording.FAIREVAL.items() if words.kind == kind)
    for kind, in_words in wording.VERDICT_KINDS.items()
    if kind != "hit"
}
"""The kinds of errors that are compared, and FairEval's types of each."""


class Errors(NamedTuple):
    """The errors of a pipeline.

    Attributes:
        numbers: Type of error to its number in each run.
        most: The most frequent kind; None if there is no error.
        against: Each other kind to the interval of the share of the most frequent one among the errors of both;
            None where there are too few.
    """

    numbers: dict[str, list[int]]
    most: str | None
    against: dict[str, Interval | None]

    def total(self, kind: str) -> int:
        """Return the number of errors of a kind in all runs."""
        return sum(sum(self.numbers[error]) for error in KINDS[kind])

    @property
    def next(self) -> str:
        """The kind that is the most frequent of the others."""
        return max(self.against, key=self.total)

    @property
    def as_frequent(self) -> list[str]:
        """The kinds that cannot be distinguished from the most frequent one: their interval with it holds one half.

        The most frequent kind is chosen by the data. A two-sided interval against the
        next one allows for that (K. Hung and W. Fithian, 2019).
        """
        return [kind for kind, share in self.against.items() if share is None or share.low <= 0.5]

    @property
    def too_few(self) -> bool:
        """Whether there are too few errors to distinguish even a kind without any from the most frequent one."""
        return any(self.against[kind] is None or not self.total(kind) for kind in self.as_frequent)


class _EachUnit:
    """Weights that sum the documents of each unit, a sum per unit."""

    def __init__(self, units: Units) -> None:
        self.sums = len(units)
        self._unit = units.of_document

    def block(self, documents: slice) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = np.arange(self.sums)[:, None] == self._unit[documents]
        return found


def errors(runs: Sequence[Counts]) -> Errors:
    """Count the errors of FairEval's types, and compare the most frequent kind with the others.

    Args:
        runs: The counts of each training run of one pipeline, on the same documents.
    """
    aligned = [align_counts(runs[0], own).of([create("fair")]) for own in runs]
    single = [_verdicts(Table(own).sum_rows(_EachUnit(Units(own)))) for own in aligned]
    of_units = {kind: np.array([_of_kind(own, kind) for own in single], dtype=float) for kind in KINDS}
    numbers = {error: [int(own[error].sum()) for own in single] for types in KINDS.values() for error in types}
    if not any(own.any() for own in of_units.values()):
        return Errors(numbers, None, {})
    most = max(KINDS, key=lambda kind: float(of_units[kind].sum()))
    return Errors(numbers, most, {kind: _interval(of_units[most], of_units[kind]) for kind in KINDS if kind != most})


def _verdicts(sums: Sums) -> Mapping[str, NDArray[Any]]:
    (own,) = score_sums(sums)
    return own.counts


def _of_kind(verdicts: Mapping[str, NDArray[Any]], kind: str) -> NDArray[Any]:
    """Return how many errors of a kind there are in each sum."""
    return np.sum([verdicts[error] for error in KINDS[kind]], axis=0)


def _share(first: NDArray[Any], second: NDArray[Any]) -> Floats:
    """Return the share of the first numbers in both; NaN where there are none."""
    both = first + second
    return np.where(both > 0, first / np.where(both > 0, both, 1), nan)
