"""The jackknife: the scores without each unit of a corpus, and their variance estimated from these.

Leaving a unit out changes only the scores of the labels that it has. So time and memory grow with the cells of the
table, not with the number of labels times the number of units. Fractions are added up in the order of the hashes of
the units' keys, so the result is the same to the last bit in any order of documents, files or workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import pairwise
from operator import add
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import GOLD_SPANS, Metric, Score
from ..core.formulas import ratio
from ..counting.counts import Counts
from ..counting.sums import Slot
from ..counting.table import Table, columns_of
from .bounds import variance_scale
from .resampling import Units
from .scores import MetricScores, Path, class_scores, mean_of_parts, score_sums
from .variance import Influences, count_mixed_units, influences, mean_of_runs

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Wholes = NDArray[np.int64]

TOGETHER = 1 << 21
"""Maximum number of cells of dense arrays in memory at once."""

OVER_LABELS = ("macro", "weighted")
"""The averages over labels."""

Estimand = Callable[[Floats, Score], Floats]
"""The estimand, float64[...], as a function of the score in each run, float64[runs, ...]."""


def mean_on_scale(runs: Floats, score: Score) -> Floats:
    """Return the mean of the runs on the scale of its variance, see `VarianceScale`."""
    return variance_scale(score.limits, runs.shape[1:]).transform(mean_of_runs(runs))


def mean_of_defined_on_scale(runs: Floats, score: Score) -> Floats:
    """Return the mean of the runs in which a score is defined, on the scale of its variance; NaN if there is none."""
    return mean_on_scale(mean_of_defined(runs)[None], score)


def difference_of_systems(first: int) -> Estimand:
    """Return an estimand: the difference of two systems' means, where the first runs are those of the first system.

    >>> difference_of_systems(1)(np.array([[0.5], [0.6], [0.8]]), Score("f")).round(12).tolist()
    [0.2]
    """
    return lambda runs, _: mean_of_runs(runs[first:]) - mean_of_runs(runs[:first])


class Estimates(NamedTuple):
    """The scores of one metric, and their variance from leaving units out.

    Attributes:
        metric: The metric.
        places: The path of each score in a result.
        values: The score of each run, float64[runs, places].
        influences: The variance of the estimand of each score, [places].
        mixed: As `count_mixed_units` returns it, float64[places].
        left_out: The estimand of each overall score without each group of units, float64[groups] by name of score.
    """

    metric: Metric
    places: list[Path]
    values: Floats
    influences: Influences
    mixed: Floats
    left_out: dict[str, Floats]


def jackknife(
    tables: Sequence[Table], groups: csr_array, estimand: Estimand = mean_on_scale, *, numbers: bool = False
) -> Iterator[Estimates]:
    """Yield the estimates of each metric's scores from leaving groups of units out, one at a time.

    Args:
        tables: The documents of each training run, in the same order and with the same labels.
        groups: int64[groups, documents], 1 where the group has the document.
        estimand: By default the mean of the runs on the scale of its variance.
        numbers: Whether to include scores that are numbers of spans.
    """
    yield from jackknife_per_run([[GroupedTable(table, groups)] for table in tables], estimand, numbers=numbers)


class GroupedTable(NamedTuple):
    """Documents, and the groups of units that they are in: int64[groups, documents], 1 where a group has a document."""

    table: Table
    groups: csr_array


def jackknife_per_run(
    runs: Sequence[Sequence[GroupedTable]],
    estimand: Estimand = mean_on_scale,
    alone: Estimand = mean_of_defined_on_scale,
    *,
    numbers: bool = False,
) -> Iterator[Estimates]:
    """Yield the estimates of `jackknife` for runs that each have their own documents, in one or more tables.

    Args:
        runs: The tables of each run, which are added up. All runs have equal numbers of groups and equal labels.
        estimand: The number to estimate the variance of.
        alone: The estimand in a single group.
        numbers: Whether to include scores that are numbers of spans.
    """
    sums = [_RunSums(parts) for parts in runs]
    number = sums[0].groups
    first, first_class, metrics = 0, 0, []
    for run_scores in zip(*(run.scores for run in sums)):
        metric = run_scores[0].metric
        means = slice(first, first := first + len(metric.averaged))
        classes = slice(first_class, first_class := first_class + len(metric.classes.scores if metric.classes else ()))
        if not metric.distinct:
            metrics.append(_MetricJackknife(sums, run_scores, (means, classes), (estimand, alone), numbers=numbers))
    for keys in _group_pairs(sums, number):
        pairs = [run.sum_pairs(keys) for run in sums]
        for metric_jackknife in metrics:
            metric_jackknife.add(keys // number, keys % number, pairs)
    for metric_jackknife in metrics:
        yield metric_jackknife.estimates()


class _SortedCells:
    """The numbers of a sparse table with slots of labels as columns, sorted by label and then by row.

    Args:
        rows: Whole numbers [groups, slots * width].
        width: The number of labels of a slot.
    """

    def __init__(self, rows: csr_array, width: int) -> None:
        group = np.repeat(np.arange(rows.shape[0], dtype=np.int64), np.diff(rows.indptr))
        keys = rows.indices % width * np.int64(rows.shape[0]) + group
        order = np.argsort(keys, kind="stable")
        self.keys: Wholes = keys[order]
        self._slot, self._data = rows.indices[order] // width, rows.data[order].astype(np.int64)
        self._slots = rows.shape[1] // width

    def dense(self, keys: Wholes) -> Wholes:
        """Return the numbers of some keys, int64[slots, keys]. `keys` has all keys between its first and last."""
        here = slice(*np.searchsorted(self.keys, [keys[0], keys[-1] + 1]))
        dense = np.zeros((self._slots, len(keys)), dtype=np.int64)
        dense[self._slot[here], np.searchsorted(keys, self.keys[here])] = self._data[here]
        return dense


class _Pairs(NamedTuple):
    """The sums of some labels in some groups, of one run: counts int64[slots, pairs], and class means
    int64[3, class scores, pairs], each without the group and of the group alone."""

    counts: tuple[Wholes, Wholes]
    class_means: tuple[Wholes, Wholes]


class _RunSums:
    """The sums of each group of units, and those of all documents, of one run."""

    def __init__(self, parts: Sequence[GroupedTable]) -> None:
        from scipy.sparse import csr_array, vstack

        self.table, (self.groups, _) = parts[0].table, parts[0].groups.shape
        self.sums = reduce(add, (table.sum_rows() for table, _ in parts))
        self.scores: list[MetricScores] = [*score_sums(self.sums)]
        cells = reduce(add, (groups @ table.cells for table, groups in parts)).tocsr()
        self._slots: Wholes = self.table.sum_labels(cells)
        self._means = np.zeros((self.sums.means.size, self.groups), dtype=np.int64)
        of_classes = csr_array((self.groups, self.sums.class_means.size), dtype=np.int64)
        for table, groups in parts:
            belongs = groups.T.tocsr()
            rows = [csr_array((0, self.sums.class_means.size), dtype=np.int64)]
            for here in table.document_slices():
                _, means, class_means = table.additive_rows(here)
                self._means += (belongs[here].T @ means.T.astype(np.int64)).T
                rows.append(csr_array(class_means.T))
            of_classes = of_classes + groups @ vstack(rows, format="csr")
        self.cells = _SortedCells(cells, self.table.width)
        self._class_means = _SortedCells(of_classes.tocsr(), self.table.width)

    def sum_pairs(self, keys: Wholes) -> _Pairs:
        """Return the sums of some labels in some groups."""
        label = keys // self._means.shape[1]
        counts, means = self.cells.dense(keys), self._class_means.dense(keys)
        means = means.reshape(*self.sums.class_means.shape[:2], len(keys))
        whole = self.sums.counts[:, label, 0], self.sums.class_means[:, :, label, 0]
        return _Pairs((whole[0] - counts, counts), (whole[1] - means, means))

    def overall(self) -> tuple[Wholes, Wholes]:
        """Return the sums of slots over all labels without each group, and of each alone, int64[slots, groups]."""
        return self.sums.counts.sum(axis=1) - self._slots, self._slots

    def document_means(self) -> tuple[Floats, Floats]:
        """Return averages over documents without each group, and of each alone, float64[averaged scores, groups]."""
        alone = self._means.reshape(*self.sums.means.shape[:2], self.groups)
        return mean_of_parts(self.sums.means - alone), mean_of_parts(alone)


def _group_pairs(runs: Sequence[_RunSums], groups: int) -> Iterator[Wholes]:
    """Yield the keys `label * groups + group` of the labels that occur in groups: blocks with all groups of a label."""
    keys = np.unique(np.concatenate([run.cells.keys for run in runs]))
    cells = len(runs) * 4 * len(runs[0].table.slots)
    labels = np.flatnonzero(np.diff(keys // groups, prepend=-1))  # where each label begins
    here, last = [0], 0
    for start, stop in pairwise([*labels.tolist(), len(keys)]):
        if (stop - here[-1]) * cells > TOGETHER and start > here[-1]:
            here.append(start)
        last = stop
    yield from (keys[start:stop] for start, stop in pairwise([*here, last]) if stop > start)


class _MetricJackknife:
    """Leave-one-out and single-group values of one metric's scores.

    Args:
        runs: The sums of each run.
        scores: The metric's scores of all documents, in each run.
        means: Which of the means over documents, and which of the class means are the metric's.
        estimands: The estimand, over all groups and in a single group.
        numbers: Whether to include scores that are numbers of spans.
    """

    def __init__(
        self,
        runs: Sequence[_RunSums],
        scores: Sequence[MetricScores],
        means: tuple[slice, slice],
        estimands: tuple[Estimand, Estimand],
        *,
        numbers: bool,
    ) -> None:
        self.metric: Metric = scores[0].metric
        self._runs, self._scores, self._means, (self._estimand, self._alone) = runs, scores, means, estimands
        self._table, self._groups = runs[0].table, runs[0].groups
        self._place = self._table.slots
        self._gold = [self._place[Slot("", kind.value)] for kind in GOLD_SPANS]
        scored = {name for name, score in self.metric.score_by_name.items() if numbers or score.unit != "count"}
        self._overall_names, self._names = (
            [name for name in means if name in scored] for means in (scores[0].scores, scores[0].label_scores)
        )
        size = len(runs), len(self._names), self._table.width
        # The last entry is no label, but with classes all labels together.
        self._whole: Floats = np.full(size, np.nan)
        for whole, of_run in zip(self._whole, scores):
            for n, name in enumerate(self._names):
                whole[n, :-1] = of_run.label_scores[name][:, 0]
                whole[n, -1] = of_run.combined[name][0] if of_run.combined else np.nan
        self._support = [run.sums.spans(GOLD_SPANS)[:-1, 0] for run in runs]
        self._estimated = np.zeros((4, *size[1:]))
        self._estimated[1] = np.inf
        # An average over labels is a ratio of two sums: the changes of both without each group, and both in it alone.
        self._average_sums = np.zeros((2, len(OVER_LABELS), 2, *size[:2], self._groups))
        self._label_values: list[tuple[Wholes, Wholes, Floats]] = []

    def add(self, label: Wholes, group: Wholes, runs: Sequence[_Pairs]) -> None:
        """Add the values of some labels without each group that has them, and in it alone."""
        values = np.array([[self._score_labels(run, side) for run in runs] for side in (0, 1)])
        if self.metric.classes:
            self._label_values.append((label, group, values))
        block = slice(label[0], label[-1] + 1)
        for n, name in enumerate(self._names):
            whole = self._whole[:, n, block]
            self._estimated[:, n, block] = self._estimates(name, whole, label - label[0], values[:, :, n])
        pairs = label < self._table.width - 1
        label, group, values = label[pairs], group[pairs], values[..., pairs]
        for r, run in enumerate(runs):
            left, alone = (counts[self._gold].sum(axis=0)[pairs] for counts in run.counts)
            for a, average in enumerate(OVER_LABELS):
                old = _average_parts(self._whole[r][:, label], left + alone, average)
                change = _average_parts(values[0, r], left, average) - old
                _add_in_order(self._average_sums[0, a, :, r], group, change)
                _add_in_order(self._average_sums[1, a, :, r], group, _average_parts(values[1, r], alone, average))

    def _score_labels(self, run: _Pairs, side: int) -> Floats:
        """Return the scores of labels, float64[scores, pairs]."""
        columns = columns_of(self.metric, run.counts[side], self._place)
        scores = class_scores(self.metric, columns, run.class_means[side][:, self._means[1]])
        return np.array([scores[name] for name in self._names]).reshape(len(self._names), run.counts[side].shape[1])

    def _estimates(self, name: str, whole: Floats, row: Wholes, values: Floats) -> Floats:
        """Return variance, bearers, whether there is a lone unit, and mixed units, float64[4, scores].

        Args:
            name: The name of the scores.
            whole: Their values in each run, float64[runs, scores].
            row: The index of the score of each entry, int64[entries].
            values: The values without a group, and of the group alone, float64[2, runs, entries].
        """
        score = self.metric.score_by_name[name]
        theta, left = self._estimand(whole, score), self._estimand(values[0], score)
        alone = self._alone(values[1], score)
        estimated = influences(theta, row, left, self._groups)
        mixed = count_mixed_units(theta, row, left, alone, variance_scale(score.limits, theta.shape))
        return np.array([*estimated, mixed])

    def estimates(self) -> Estimates:
        """Return the estimates, once all labels are added."""
        scores = np.array([self._overall(r, run) for r, run in enumerate(self._runs)])
        documents = np.array([[means[self._means[0]] for means in run.document_means()] for run in self._runs])
        # The values of all documents, [runs]; and without each group, and in each alone, [2, runs, groups].
        dense: dict[Path, tuple[Floats, Floats]] = {}
        for n, name in enumerate(self._overall_names):
            dense["scores", name] = self._values(("scores", name)), scores[:, :, n].swapaxes(0, 1)
        for a, average in enumerate(OVER_LABELS):
            for n, name in enumerate(self._names):
                path = "averages", average, name
                if self.metric.score_by_name[name].unit != "count":
                    dense[path] = self._values(path), self._average(a, n)
        for n, score in enumerate(self.metric.averaged):
            path = "averages", "docs", score.name
            dense[path] = self._values(path), documents[:, :, n].swapaxes(0, 1)
        row = np.zeros(self._groups, dtype=np.int64)
        rows = [self._estimates(path[-1], whole[:, None], row, sides)[:, 0] for path, (whole, sides) in dense.items()]
        by_label = self._estimated[:, :, :-1].swapaxes(1, 2).reshape(4, -1)
        variance, bearers, lone, mixed = np.concatenate([np.array(rows).reshape(-1, 4).T, by_label], axis=1)
        values = np.array([whole for whole, _ in dense.values()]).reshape(len(dense), len(self._runs)).T
        return Estimates(
            self.metric,
            [*dense, *(("per_type", label, name) for label in self._table.labels for name in self._names)],
            np.concatenate([values, self._whole[:, :, :-1].swapaxes(1, 2).reshape(len(self._runs), -1)], axis=1),
            Influences(variance, bearers, lone > 0),
            mixed,
            {
                path[-1]: self._estimand(sides[0], self.metric.score_by_name[path[-1]])
                for path, (_, sides) in dense.items()
                if path[0] == "scores"
            },
        )

    def _values(self, path: Path) -> Floats:
        """Return an overall score or an average in each run."""
        return np.array(
            [run.scores[path[1]] if path[0] == "scores" else run.averages[path[1]][path[2]] for run in self._scores]
        )[:, 0]

    def _overall(self, r: int, run: _RunSums) -> Floats:
        """Return overall scores of a run: leave-one-out, then single-group values, float64[2, scores, groups]."""
        if self.metric.classes:
            sides = [self._score_classes(r, side) for side in (0, 1)]
        else:
            sides = [self.metric.formula(columns_of(self.metric, counts, self._place)) for counts in run.overall()]
        scores = np.array([[side[name] for name in self._overall_names] for side in sides])
        return scores.reshape(2, len(self._overall_names), self._groups)

    def _score_classes(self, r: int, side: int) -> dict[str, Floats]:
        """Return overall scores, computed from scores of labels, without each group (0) or of each alone (1)."""
        assert self.metric.classes
        weights = self.metric.classes.weights(self._table.labels, self._table.is_breakdown)
        whole = self._whole[r] if side == 0 else np.full_like(self._whole[r], np.nan)
        step, blocks = max(1, TOGETHER // whole.size), []
        for start in range(0, max(self._groups, 1), step):
            dense = np.repeat(whole[..., None], min(step, self._groups - start), axis=-1)
            for label, group, values in self._label_values:
                here = (group >= start) & (group < start + step)
                dense[:, label[here], group[here] - start] = values[side, r][:, here]
            blocks.append(self.metric.classes.overall(dict(zip(self._names, dense)), weights))
        return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}

    def _average(self, a: int, n: int) -> Floats:
        """Return an average over labels without each group, and of each group alone, float64[2, runs, groups]."""
        averages = []
        for r, run in enumerate(self._support):
            whole = _average_parts(self._whole[r, [n], :-1], run, OVER_LABELS[a]).sum(axis=-1)
            change, alone = self._average_sums[:, a, :, r, n]
            averages.append([ratio(*(whole + change)), ratio(*alone)])
        return np.array(averages).swapaxes(0, 1)


def _average_parts(scores: Floats, support: Wholes, average: str) -> Floats:
    """Return the terms of labels in the two sums of an average, float64[2, scores, labels]."""
    weights = np.isfinite(scores) * (support if average == "weighted" else 1)
    return np.array([np.nan_to_num(scores) * weights, weights])


def _add_in_order(sums: Floats, group: Wholes, amounts: Floats) -> None:
    """Add amounts [..., pairs] to the sums of their groups, [..., groups], one after the other: the last digit must
    not depend on how many pairs are added at once."""
    for place in np.ndindex(sums.shape[:-1]):
        np.add.at(sums[place], group, amounts[place])


def mean_of_defined(runs: Floats) -> Floats:
    """Return the mean over the runs in which a score is defined, NaN if there is none."""
    defined = np.isfinite(runs)
    mean: Floats = ratio(np.where(defined, runs, 0).sum(axis=0), defined.sum(axis=0))
    return mean


def difference_of_runs(
    baseline: Sequence[Counts], system: Sequence[Counts], scores: Sequence[tuple[str, Path]], labels: Sequence[str]
) -> Influences:
    """Return the variance of differences of two systems' mean scores over documents, V_D of min F'.

    The difference is the mean over the runs of `system` minus that of `baseline`. A unit is excluded from all runs
    at once.

    Args:
        baseline, system: Counts of each training run, all of the same documents in the same order.
        scores: Of each difference the metric and the path of the score in a result, such as
            ("strict", ("scores", "f")) or ("strict", ("per_type", "PER", "f")).
        labels: The labels of the paths; all labels of the counts if overall scores are computed from scores of labels.

    Returns:
        Arrays of the length of `scores`: the variance in the squared unit of the score, and the `bearers`, from which
        `bounds.degrees_of_freedom` makes f, given the effective number of units. Where a score is
        undefined without some unit, `lone` is true.
    """
    units = Units(baseline[0])
    tables = [Table(counts, labels) for counts in (*baseline, *system)]
    places = {
        (estimates.metric.name, path): place
        for estimates in jackknife(tables, units.groups, difference_of_systems(len(baseline)), numbers=True)
        for path, *place in zip(estimates.places, *estimates.influences)
    }
    unknown = np.nan, np.inf, False  # of metrics that count distinct strings
    return Influences(*(np.array(column) for column in zip(*(places.get(score, unknown) for score in scores))))
