"""Confidence intervals of all scores of a result."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import GOLD_SPANS, Metric
from ..core.formulas import share_floats
from ..counting.counts import Counts
from ..counting.sums import Replicates, Sums
from ..counting.table import Table, sum_counts
from .bounds import (
    CONCENTRATED,
    UNBOUNDED,
    UNDEFINED,
    Limits,
    accuracy_interval,
    average_accuracy_interval,
    kish,
    macro_interval,
    sample_variance,
    score_intervals,
)
from .collapsing import effective_by_documents, effective_by_score, require_half_samples, unit_numbers
from .jackknife import Estimates, jackknife
from .pairs import all_labels
from .resampling import Confidence, HalfSamples, Units
from .scores import Path, score_sums
from .unit_weights import UnitWeights
from .variance import Influences, mean_of_runs, most_influential

TOGETHER = 1 << 18
"""Maximum number of cells of half-samples in memory at once, beside those that are stored."""


class IntervalBasis(NamedTuple):
    """The basis of the intervals of some counts.

    method: "infl", by leaving units out; "half", where half-samples are drawn. samples, seed: the number of
    half-samples and their seed; None without half-samples. unit: the rule that says which documents are one unit.
    units: the number of units; None if collapsed counts do not have it. exact: whether no random number was used.
    effective_units: the effective number of units. concentrated: for each headline score with a variance that comes
    from a few units, {"metric", "score", "units" (names, the most influential first), "share" (of the variance)}.
    """

    method: str
    level: float
    samples: int | None
    seed: int | None
    unit: str
    units: int | None
    exact: bool
    effective_units: float
    concentrated: Sequence[Mapping[str, Any]] = ()

    @property
    def signature(self) -> str:
        """The settings for the signature."""
        drawn = "" if self.samples is None else f":{'all ' * self.exact}{self.samples},seed:{self.seed}"
        units = "?" if self.units is None else self.units
        return f"{self.method}{drawn},level:{self.level},unit:{self.unit},units:{units}"


class ScoreIntervals(NamedTuple):
    """Intervals, and their basis.

    basis: the units and samples behind them. metrics: metric to a table shaped as the result's, see `intervals`.
    """

    basis: IntervalBasis
    metrics: dict[str, dict[str, Any]]


def draw_replicates(counts: Counts, samples: int, seed: int) -> Replicates:
    """Return half-samples of the counts, to be stored with them so that they can be collapsed later.

    A unit's bits depend on its key and the seed alone, so half-samples of parts of a
    corpus, counted anywhere, add up to the half-samples of the whole.

    Args:
        counts: Counts with units.
        samples, seed: The number of half-samples, and the seed of their random bits.

    Raises:
        ValueError: A setting is out of range, or the counts have no units.
    """
    Confidence(samples=samples, seed=seed).checked()
    halves = HalfSamples(Units(counts), samples, seed, exact=False)
    return Replicates(samples, seed, Table(counts).sum_rows(halves))


def intervals(counts: Counts, confidence: Confidence) -> dict[str, dict[str, Any]]:
    """Return the intervals of the overall scores, the averages, and each label's scores, per metric.

    Args:
        counts: Counts with units.
        confidence: The level. Number of half-samples and seed only matter for scores over distinct strings of a corpus.

    Returns:
        Metric to a table shaped as the result's: "scores", "averages" and "per_type". In the
        place of each score is {"low", "high", "k" (effective number of units), "df" (degrees of freedom), "flag"
        ("few": not to be ranked or compared; "concentrated": a few units account for the variance; "undefined": no
        interval; "unbounded": a bound is infinite; or None)}. Bounds are NaN where there is no interval: the score
        is undefined.

    Raises:
        ValueError: A setting is out of range.

    >>> from spacy_nereval import Document, count, create
    >>> documents = [Document([(0, 3, "A")], [(0, 3, "A")], id=str(k)) for k in range(10)]
    >>> interval = intervals(count(documents, [create("strict")]), Confidence())["strict"]["scores"]["f"]
    >>> round(interval["low"], 4), interval["high"], interval["k"], interval["df"], interval["flag"]
    (0.6615, 1.0, 10.0, 9.0, None)

    Source: interval of Wilson (1927) with an effective sample size from the influences of units;
    macro averages by MOVER (Zou and Donner 2008).
    """
    return run_intervals([counts], confidence).metrics


def run_intervals(runs: Sequence[Counts], confidence: Confidence) -> ScoreIntervals:
    """Return the intervals of the mean scores of one system's training runs, or of the scores of a single run.

    With several runs, an interval covers the expected score of the system when it is retrained and scored on
    similar texts. Its variance is that of the documents, each excluded from all runs at once, plus the
    retraining variance of the mean.

    Args:
        runs: Counts of the same documents in the same order, as `align_runs` returns them.
        confidence: As for `intervals`. Of collapsed counts, the half-samples that they keep are used.

    Returns:
        The result of `intervals`, and its basis. With two or more runs, each interval has
        "share_of_training" too, the share of the retraining variance.
    """
    level = confidence.checked().level
    first = runs[0]
    if first.collapsed:
        whole, replicates, sizes = sum_counts(first), require_half_samples(first), LabelSizes.measure_collapsed(first)
        basis = IntervalBasis(
            "half", level, *replicates.settings, first.unit, unit_numbers(first).number, False, sizes.units
        )
        estimated = _estimate_by_half_samples([whole], [replicates.sums.extend_labels(whole.labels)])
        return ScoreIntervals(
            basis, {scores.metric.name: nest_paths(interval_rows(scores, sizes, level)) for scores in estimated}
        )
    labels, units = all_labels(*runs), Units(first)
    tables = [Table(counts, labels) for counts in runs]
    sizes, scores = LabelSizes.measure(tables, units), [*jackknife(tables, units.groups)]
    samples, seed, exact = None, None, True
    if distinct := [metric for metric in first.metrics if metric.distinct]:
        halves = HalfSamples(units, confidence.samples, confidence.seed)
        samples, seed, exact = halves.sums, confidence.seed, halves.exact
        alone = [Table(counts.of(distinct), labels) for counts in runs]
        scores += _estimate_by_half_samples(
            *([table.sum_rows(weights) for table in alone] for weights in (None, halves))
        )
    rows = {estimates.metric.name: interval_rows(estimates, sizes, level) for estimates in scores}
    concentrated = [
        _influential_units(estimates, score.name, tables, units)
        for estimates in scores
        for score in estimates.metric.headlines
        if estimates.left_out
        and rows[estimates.metric.name].get(("scores", score.name), {}).get("flag") == CONCENTRATED
    ]
    base = level, samples, seed, first.unit, len(units), exact, sizes.units
    tables_of_rows = {metric.name: nest_paths(rows[metric.name]) for metric in first.metrics}
    for metric in first.metrics if first.by is None else ():
        if metric.attributes:  # their rows are no labels
            own = run_intervals([counts.in_rows(metric) for counts in runs], confidence).metrics[metric.name]
            tables_of_rows[metric.name] |= {name: own[name] for name in ("averages", "per_type")}
    return ScoreIntervals(IntervalBasis("half" if distinct else "infl", *base, concentrated), tables_of_rows)


def _influential_units(estimates: Estimates, score: str, tables: Sequence[Table], units: Units) -> dict[str, Any]:
    """Return the metric, the score, the names of the units with at least half of its variance, and their share."""
    metric, left_out = estimates.metric.name, estimates.left_out[score]
    groups, share = most_influential(left_out)
    members = np.flatnonzero(np.isin(units.group, groups))
    if len(members) > len(groups):  # several units are one group: name the one that moves the score most
        of_units = {single.metric.name: single for single in jackknife(tables, units.matrix[members])}[metric]
        moved = np.abs(of_units.left_out[score] - left_out.mean())
    else:
        moved = np.zeros(len(members))
    of_groups = [np.flatnonzero(units.group[members] == group) for group in groups]
    leading = [int(members[group_members[np.argmax(moved[group_members])]]) for group_members in of_groups]
    return {"metric": metric, "score": score, "units": units.names(leading), "share": share}


class LabelSizes(NamedTuple):
    """Sizes of each label, and last of all labels together: float64[labels + 1].

    labels: the labels. spans: the number of gold spans. units: the effective number of units by all spans.
    effective: by metric and score, the effective number of units that inform the score of each label, and the overall
    score. documents: by metric and score, the same by the documents in which the score is defined.
    """

    labels: tuple[str, ...]
    spans: NDArray[np.float64]
    units: float
    effective: dict[tuple[str, str], NDArray[np.float64]]
    documents: dict[tuple[str, str], float]

    @classmethod
    def measure(cls, tables: Sequence[Table], units: Units) -> LabelSizes:
        """Return the sizes in the documents of one or more runs."""
        weights, metrics = UnitWeights([tables], units), tables[0].metrics
        gold = tables[0].spans(*GOLD_SPANS).sum(axis=0)[:-1]
        defined = reduce(add, (units.sum_per_unit(table.defined_scores().T) for table in tables))
        documents = kish(defined.sum(axis=0), (defined * defined).sum(axis=0))
        return cls(
            tables[0].labels,
            np.append(gold, gold.sum()).astype(float),
            weights.effective_by_spans,
            {(metric.name, name): k for metric in metrics for name, k in weights.effective_numbers(metric).items()},
            dict(zip(_document_averages(metrics), documents.tolist())),
        )

    @classmethod
    def measure_collapsed(cls, counts: Counts) -> LabelSizes:
        """Return the sizes in collapsed counts."""
        sums, numbers = sum_counts(counts), unit_numbers(counts)
        gold = sums.spans(GOLD_SPANS)[:-1, 0]
        documents = effective_by_documents(counts, numbers)
        return cls(
            sums.labels,
            np.append(gold, gold.sum()).astype(float),
            numbers.effective[""],
            effective_by_score(counts, numbers),
            dict(zip(_document_averages(sums.metrics), documents.tolist())),
        )


def _document_averages(metrics: Sequence[Metric]) -> list[tuple[str, str]]:
    """Return metric and score of all averages over documents, in the order of sums and tables."""
    return [(metric.name, score.name) for metric in metrics for score in metric.averaged]


def _estimate_by_half_samples(wholes: Sequence[Sums], samples: Sequence[Sums]) -> Iterator[Estimates]:
    """Yield the estimates of each metric's scores from half-samples of one or more runs."""
    labels = wholes[0].labels
    for run_scores in zip(*map(score_sums, wholes)):
        metric = run_scores[0].metric
        # A number of spans is a count, not an estimate.
        names = {name for name, score in metric.score_by_name.items() if score.unit != "count"}
        places = [path for path, _ in run_scores[0].paths(labels) if path[-1] in names]
        values = np.array([scores.stack_values(names)[0] for scores in run_scores])
        drawn = []
        for parts in zip(*(sums.parts(TOGETHER) for sums in samples)):
            (halves,) = zip(*(score_sums(sums.of([metric])) for sums in parts))
            drawn.append(mean_of_runs([scores.stack_values(names) for scores in halves]))
        limits = [metric.score_by_name[path[-1]].limits for path in places]
        variance = _sample_variances(np.concatenate(drawn), limits)
        unknown = np.full(len(places), np.inf)
        yield Estimates(metric, places, values, Influences(variance, unknown, np.zeros(len(places), bool)), unknown, {})


def _sample_variances(samples: NDArray[np.float64], limits: Sequence[Limits]) -> NDArray[np.float64]:
    """Return `sample_variance` of values float[samples, scores], some scores at a time."""
    step = max(1, TOGETHER // len(samples))
    places = [slice(start, start + step) for start in range(0, len(limits), step)]
    return np.concatenate([np.zeros(0), *(sample_variance(samples[:, here], limits[here]) for here in places)])


Rows = dict[Path, dict[str, Any]]
"""The interval of each score, by its path in the result."""


def interval_rows(estimates: Estimates, sizes: LabelSizes, level: float) -> Rows:
    """Return the intervals of one metric."""
    metric, places = estimates.metric, estimates.places
    if not places:
        return {}
    values = mean_of_runs(estimates.values)
    number = {label: n for n, label in enumerate(sizes.labels)}
    labels = np.array([number[path[1]] if path[0] == "per_type" else -1 for path in places])
    units = [
        sizes.documents[metric.name, path[2]]
        if path[:2] == ("averages", "docs")
        else float(sizes.effective[metric.name, path[-1]][label])
        for path, label in zip(places, labels.tolist())
    ]
    bounds = score_intervals(
        values,
        estimates.influences.variance,
        units,
        bearers=estimates.influences.bearers,
        mixed=estimates.mixed,
        spans=sizes.spans[labels],
        lone=estimates.influences.lone,
        level=level,
        limits=[metric.score_by_name[path[-1]].limits for path in places],
        runs=estimates.values if len(estimates.values) > 1 else None,
    )
    low, high, k, freedom, training = (
        share_floats(array) for array in (bounds.low, bounds.high, bounds.units, bounds.freedom, bounds.training)
    )
    flag = bounds.flag.tolist()
    rows: Rows = {
        path: {"low": low[n], "high": high[n], "k": k[n], "df": freedom[n], "flag": str(flag[n]) or None}
        | ({"share_of_training": training[n]} if len(estimates.values) > 1 else {})
        for n, path in enumerate(places)
    }
    value_by_path = dict(zip(places, values.tolist()))
    _widen_macros(metric, value_by_path, rows, sizes.labels)
    _derive_complements(metric, value_by_path, rows)
    for row in rows.values():
        if row["flag"] is None and math.inf in (abs(row["low"]), abs(row["high"])):
            row["flag"] = UNBOUNDED
    return rows


def _widen_macros(metric: Metric, values: Mapping[Path, float], rows: Rows, labels: Sequence[str]) -> None:
    """Replace the interval of each macro average by one derived from the labels' intervals."""
    for path, row in rows.items():
        if path[:2] != ("averages", "macro") or row["flag"] == UNDEFINED:
            continue
        places = [("per_type", label, path[2]) for label in labels]
        places = [place for place in places if math.isfinite(values[place])]
        if places:
            row["low"], row["high"] = macro_interval(
                [values[place] for place in places],
                [rows[place]["low"] for place in places],
                [rows[place]["high"] for place in places],
                (row["low"], row["high"]),
                limits=metric.score_by_name[path[2]].limits,
            )


def _derive_complements(metric: Metric, values: Mapping[Path, float], rows: Rows) -> None:
    """Derive the interval of a score that is 1 minus another score from the other's interval.

    Averages over documents are skipped: the average of a complement has its own variance.
    """
    for path, row in rows.items():
        other = metric.score_by_name[path[-1]].complement_of
        if other and path[:2] != ("averages", "docs"):
            cost_path = (*path[:-1], other)
            bounds = rows[cost_path]["low"], rows[cost_path]["high"]
            if path[0] == "averages":
                row["low"], row["high"] = average_accuracy_interval(values[path], values[cost_path], *bounds)
            else:
                row["low"], row["high"] = map(float, accuracy_interval(*bounds))


def nest_paths(rows: Mapping[Path, Any]) -> dict[str, Any]:
    """Return nested tables from the values by path."""
    result: dict[str, Any] = {"scores": {}, "averages": {}, "per_type": {}}
    for path, value in rows.items():
        table = result
        for key in path[:-1]:
            table = table.setdefault(key, {})
        table[path[-1]] = value
    return result
