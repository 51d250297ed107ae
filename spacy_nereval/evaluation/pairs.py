"""Two systems on the same documents: aligning their counts, and their scores after swaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import GOLD_SPANS, Array, Columns, Metric
from ..core.messages import many
from ..counting.counts import Counts
from ..counting.sums import Sums, empty_sums
from ..counting.table import Table, add_products, columns_of, sum_counts
from .bounds import TINY
from .collapsing import require_half_samples
from .differences import balance
from .resampling import HalfSamples, Units
from .scores import MetricScores, class_scores, is_document_mean, score_sums
from .tested import Subject, difference
from .variance import influences, skewness

if TYPE_CHECKING:
    from scipy.sparse import csr_array

CELLS = 1 << 22
"""Maximum number of random bits (swaps times documents) in memory at once, as floats."""

SUMS = 1 << 21
"""Maximum number of sums of labels after swaps in memory at once; while scores are made of them, several times."""


SUMS_OF_SIDES = 1 << 23
"""Maximum number of sums of all systems after swaps in memory at once, where each is summed once."""


class Contributions(NamedTuple):
    """The contributions of units to the difference of one score: half of its decrease when the unit alone is swapped.

    Attributes:
        units: The units that add something, int64[units that differ in this score].
        amounts: The contribution of each, float64[units that differ]; NaN where the score is undefined once the unit
            is swapped.
    """

    units: NDArray[np.int64]
    amounts: NDArray[np.float64]


class Spread(NamedTuple):
    """The standard error and skewness of a difference, from a jackknife over `entries` groups of units."""

    error: float
    skewness: float
    entries: int


class _Rows(NamedTuple):
    """The contributions of rows, such as documents, to sums: counts csr[rows, slots * labels] and class means
    [rows, 3 * class scores * labels]."""

    counts: csr_array
    class_means: csr_array


class Side:
    """One system's counts, for all pairs that it is in.

    Args:
        counts: The counts. All sides of pairs are of the same documents in the same order, as `align_counts` returns
            them.
        metrics: The metrics to compare: with classes, or without.
        labels: Labels to keep apart.
    """

    def __init__(self, counts: Counts, metrics: Sequence[Metric], labels: Sequence[str]) -> None:
        self.table: Table = Table(counts.of(metrics), labels)
        self.whole: Sums = self.table.sum_rows()
        self.units: Units = Units(counts)

    @cached_property
    def rows(self) -> _Rows:
        """The contribution of each document to the sums."""
        from scipy.sparse import csr_array, vstack

        size = self.whole.class_means.size
        class_means = csr_array((self.table.cells.shape[0], size), dtype=np.int64)
        if size:
            none, slices = csr_array((0, size), dtype=np.int64), self.table.document_slices()
            class_means = vstack([none, *(self.table.additive_rows(here)[2].T for here in slices)], format="csr")
        return _Rows(self.table.cells, class_means)

    @property
    def no_sums(self) -> Sums:
        """Sums of nothing, without counts if all scores are made of means."""
        return self.drop_counts(empty_sums(self.table.metrics, self.table.labels, False, 0))

    def drop_counts(self, sums: Sums) -> Sums:
        """Return the sums without counts, if all scores are made of means."""
        return sums._replace(counts=sums.counts[:0]) if all(map(is_document_mean, sums.metrics)) else sums


def make_sides(systems: Sequence[Counts], metrics: Sequence[Metric], labels: Sequence[str] | None = None) -> list[Side]:
    """Return the sides of pairs of some systems.

    Unless labels are given, only metrics with overall scores that combine scores of classes
    keep labels apart. The others need only totals, which takes far fewer columns.

    Args:
        systems: Counts of the same documents in the same order, as `align_counts` returns them.
        metrics: The metrics to compare: with classes, or without.
        labels: Labels to keep apart.

    Raises:
        ValueError: A metric counts distinct strings of the corpus.
    """
    if whole := [metric.name for metric in metrics if metric.distinct]:
        raise ValueError(
            f"{whole[0]} counts each string once in the whole corpus, so differences of documents do not add up: "
            "compare the systems by another metric"
        )
    if labels is None:
        labels = all_labels(*systems) if any(metric.classes for metric in metrics) else ()
        metrics = [*map(_drop_unused_scores, metrics)]
    return [Side(counts, metrics, labels) for counts in systems]


def sum_staying(rows: Sequence[_Rows], none: Sums, swaps: HalfSamples) -> list[Sums]:
    """Return the sums of documents in units that are not swapped, for each swap.

    Averages over documents are left at 0, since they are not compared.

    Args:
        rows: Tables of the contributions of documents.
        none: Sums of nothing, with the metrics and labels of the tables.
        swaps: The swaps.

    Returns:
        For each table, one sum for each swap.
    """
    from scipy.sparse import vstack

    shapes = [(len(rows), *array.shape[:-1], swaps.sums) for array in none.arrays]
    counts, means, class_means, numbers = (np.zeros(shape, dtype=np.int64) for shape in shapes)
    tables = [
        (total, vstack([getattr(part, name).T for part in rows], format="csc"))
        for name, total in (("counts", counts), ("class_means", class_means))
        if total.size
    ]
    adding = [np.diff(table.indptr) > 0 for _, table in tables]
    documents: NDArray[np.int64] = np.flatnonzero(np.any(adding, axis=0))  # the others add nothing
    step = max(1, CELLS // swaps.sums)
    for start in range(0, len(documents), step):
        here = documents[start : start + step]
        stay = swaps.block(here).T.astype(float)
        for total, table in tables:
            add_products(total, table[:, here], stay)
    return [Sums(*none[:3], *arrays) for arrays in zip(counts, means, class_means, numbers)]


class Pair:
    """Two systems' counts of the same documents, side by side."""

    def __init__(self, first: Side, second: Side) -> None:
        self._sides = first, second
        self._tables = [side.table for side in self._sides]
        self._whole = [side.whole for side in self._sides]
        self._units = first.units
        self._cells = (second.table.cells - first.table.cells).tocsr()
        self._cells.eliminate_zeros()

    @classmethod
    def of(
        cls, baseline: Counts, system: Counts, metrics: Sequence[Metric], labels: Sequence[str] | None = None
    ) -> Pair:
        """Return the pair of two systems; see `make_sides`."""
        return cls(*make_sides([baseline, system], metrics, labels))

    def scores(self) -> Iterator[tuple[MetricScores, MetricScores]]:
        """Yield per metric the scores of both systems, [1] each."""
        first, second = self._whole
        yield from zip(score_sums(first), score_sums(second))

    def swap_scores(self, swaps: HalfSamples) -> Iterator[tuple[MetricScores, MetricScores]]:
        """Yield per metric the scores of both systems after each swap, [swaps] each, without averages.

        With many labels, not all swaps fit into memory. Then the metrics are yielded again for each part of the swaps.
        """
        none, gaps = self._sides[0].no_sums, _Rows(self._cells, self._class_mean_gaps)
        for part in swaps.parts(SUMS // sum(array.size for array in self._kept_wholes()[0].arrays)):
            # The difference is cheaper than summing both systems.
            (staying,) = sum_staying([gaps], none, part)
            yield from self.scores_after(staying)

    def scores_after(self, staying: Sums) -> Iterator[tuple[MetricScores, MetricScores]]:
        """Yield per metric the scores of both systems after swaps, [swaps] each, without averages.

        Each system keeps its own units that stay, and gets the other's for the rest.

        Args:
            staying: The difference of the two systems, summed over the units that stay.
        """
        first, second = self._kept_wholes()
        yield from zip(score_sums(second - staying, alone=True), score_sums(first + staying, alone=True))

    def _kept_wholes(self) -> list[Sums]:
        return [side.drop_counts(side.whole) for side in self._sides]

    def differences(
        self, swaps: HalfSamples, subjects: Sequence[Subject], labels: Sequence[str] = ()
    ) -> dict[tuple[str, str, str | None], NDArray[np.float64]]:
        """Return the second system's lead in some scores after each swap, float64[swaps] by key of the subject."""
        result: dict[tuple[str, str, str | None], list[NDArray[np.float64]]] = {subject.key: [] for subject in subjects}
        for first, second in self.swap_scores(swaps):
            for subject in subjects:
                if subject.metric.name == first.metric.name:
                    a, b = (subject.values(side, labels) for side in (first, second))
                    result[subject.key].append(b - a)
        return {key: np.concatenate(parts) for key, parts in result.items()}

    def contributions(self, subjects: Sequence[Subject], labels: Sequence[str] = ()) -> list[Contributions]:
        """Return the contributions of units to the second system's lead in some scores.

        Args:
            subjects: Overall scores of the metrics; with labels, one score for each of them.
            labels: The labels that the pair keeps apart.
        """
        gap = _Rows(
            (self._units.matrix @ self._cells).tocsr(),
            (self._units.matrix @ self._class_mean_gaps).tocsr(),
        )
        place, unit, swapped = self._leads_without(subjects, labels, _Rows(-gap.counts, -gap.class_means), gap)
        leads = self._leads(subjects, labels)
        amounts = (leads[place] - swapped) / 2
        here = ~(np.abs(amounts) < TINY)
        place, unit, amounts = place[here], unit[here], amounts[here]
        stretches = pairwise(np.searchsorted(place, np.arange(len(subjects) + 1)).tolist())
        result = [Contributions(unit[start:stop], amounts[start:stop]) for start, stop in stretches]
        for n in np.flatnonzero(np.isnan(leads)).tolist():  # undefined: list the units with different counts
            differing = self.differing_units(subjects[n].metric)[:, n if labels else -1]
            result[n] = Contributions(np.flatnonzero(differing), np.full(differing.sum(), np.nan))
        return result

    def spreads(self, subjects: Sequence[Subject], labels: Sequence[str] = ()) -> list[Spread]:
        """Return how the second system's lead in some scores varies with the units; arguments as `contributions`."""
        groups = self._units.groups
        removed = [_Rows(*((groups @ numbers).tocsr() for numbers in side.rows)) for side in self._sides]
        place, _, left = self._leads_without(subjects, labels, *removed)
        leads, entries = self._leads(subjects, labels), groups.shape[0]
        left = np.where(np.isfinite(left), left, leads[place])  # where undefined without a unit: no change
        variance = influences(leads, place, left, entries).variance
        skewed = skewness(leads, place, left, entries)
        return [Spread(error, skew, entries) for error, skew in zip(np.sqrt(variance).tolist(), skewed.tolist())]

    def _leads(self, subjects: Sequence[Subject], labels: Sequence[str]) -> NDArray[np.float64]:
        """Return the second system's lead in some scores, float64[subjects]."""
        by_metric = {first.metric.name: (first, second) for first, second in self.scores()}
        sides = [[subject.values(side, labels)[0] for side in by_metric[subject.metric.name]] for subject in subjects]
        return np.array([difference(a, b) for a, b in sides], dtype=float)

    def _leads_without(
        self, subjects: Sequence[Subject], labels: Sequence[str], first: _Rows, second: _Rows
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return the second system's lead in some scores after each row is removed from the sums of both systems.

        Returns:
            The index of the score, the row, and the lead, [entries] each, sorted by score and row. Rows that change no
            number are omitted.
        """
        of_rows = self._label_leads if labels else self._overall_leads
        blocks = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)), *of_rows(subjects, first, second)]
        place, row, leads = map(np.concatenate, zip(*blocks))
        order = np.lexsort((row, place))
        return place[order], row[order], leads[order]

    def _overall_leads(self, subjects: Sequence[Subject], *removed: _Rows) -> Iterator[tuple[Any, Any, Any]]:
        """Yield leads in overall scores, some rows at a time."""
        table = self._tables[0]
        changing = [np.diff(numbers.indptr) > 0 for side in removed for numbers in side]
        rows: NDArray[np.int64] = np.flatnonzero(np.any(changing, axis=0))
        wholes = self._kept_wholes()
        step = max(1, SUMS // sum(array.size for array in wholes[0].arrays))
        for start in range(0, len(rows), step):
            here, sides = rows[start : start + step], []
            for whole, side in zip(wholes, removed):
                taken = self._sides[0].drop_counts(empty_sums(table.metrics, table.labels, False, len(here)))
                for total, numbers in zip((taken.counts, taken.class_means), side):
                    if total.size:
                        total[:] = numbers[here].toarray().T.reshape(total.shape)
                sides.append({scores.metric.name: scores for scores in score_sums(whole - taken, alone=True)})
            for n, subject in enumerate(subjects):
                a, b = (subject.values(side[subject.metric.name], ()) for side in sides)
                yield np.full(len(here), n), here, b - a

    def _label_leads(self, subjects: Sequence[Subject], *removed: _Rows) -> Iterator[tuple[Any, Any, Any]]:
        """Yield leads in scores of labels, some pairs of a label and a row at a time: most rows have few labels."""
        table, (metric, name) = self._tables[0], (subjects[0].metric, subjects[0].score.name)
        rows, width = removed[0].counts.shape[0], table.width
        cells = [[_sort_cells(numbers, width) for numbers in side] for side in removed]
        keys = np.unique(np.concatenate([numbers[0] for side in cells for numbers in side]))
        keys = keys[keys < len(table.labels) * rows]
        step = max(1, SUMS // len(table.slots))
        for start in range(0, len(keys), step):
            here = keys[start : start + step]
            label, sides = here // rows, []
            for whole, (counts, class_means) in zip(self._whole, cells):
                left = whole.counts[:, label, 0] - _dense(counts, here, len(whole.counts))
                means = whole.class_means[:, :, label, 0]
                means = means - _dense(class_means, here, means.shape[0] * means.shape[1]).reshape(means.shape)
                sides.append(class_scores(metric, columns_of(metric, left, table.slots), means)[name])
            yield label, here % rows, sides[1] - sides[0]

    def differing_units(self, metric: Metric) -> NDArray[np.bool_]:
        """Return in which units some column of the metric differs, bool[units, labels + 1]; last for any label."""
        return self._find_differing(metric, self._units.matrix)

    def differing_documents(self, metric: Metric) -> NDArray[np.int64]:
        """Return the documents in which some column of the metric differs."""
        from scipy.sparse import identity

        documents: NDArray[np.int64] = np.flatnonzero(
            self._find_differing(metric, identity(self._cells.shape[0], format="csr"))[:, -1]
        )
        return documents

    def _find_differing(self, metric: Metric, groups: Any) -> NDArray[np.bool_]:
        """Return in which groups some column of the metric differs, bool[groups, labels + 1], see `differing_units`.

        `groups` is a table [groups, documents]."""
        from scipy.sparse import csr_array, identity, kron

        table = self._tables[0]
        # Columns are linear in slots, so the identity gives their coefficients.
        columns = columns_of(metric, np.eye(len(table.slots)), table.slots)
        coefficients = np.stack([columns[name] for name in metric.columns], axis=1)
        per_document = self._cells @ csr_array(kron(coefficients, identity(table.width), format="csr"))
        differs = (abs(groups @ per_document) > TINY).tocoo()
        result = np.zeros((groups.shape[0], table.width), dtype=bool)
        result[differs.row, differs.col % table.width] = True
        result[:, -1] = result.any(axis=1)
        return result

    @cached_property
    def _class_mean_gaps(self) -> csr_array:
        """The contributions of documents to the difference of the class means, int64[documents, ...]."""
        first, second = (side.rows.class_means for side in self._sides)
        return (second - first).tocsr()


def _sort_cells(numbers: csr_array, width: int) -> tuple[NDArray[np.int64], ...]:
    """Return the cells of a table [rows, slots * width]: `label * rows + row` in order, the slot, and the number."""
    cells = numbers.tocoo()
    keys = cells.col % np.int64(width) * numbers.shape[0] + cells.row
    order = np.argsort(keys, kind="stable")
    return keys[order], (cells.col // width)[order], cells.data[order].astype(np.int64)


def _dense(cells: tuple[NDArray[np.int64], ...], keys: NDArray[np.int64], slots: int) -> NDArray[np.int64]:
    """Return the numbers of some keys, int64[slots, keys]. `keys` has all keys between its first and last."""
    key, slot, data = cells
    here = slice(*np.searchsorted(key, [keys[0], keys[-1] + 1]))
    dense = np.zeros((slots, len(keys)), dtype=np.int64)
    dense[slot[here], np.searchsorted(keys, key[here])] = data[here]
    return dense


class _ReadRecorder(Mapping[str, NDArray[Any]]):
    """Scores of classes that record which of them are read."""

    def __init__(self, names: Iterable[str]) -> None:
        self._scores = {name: np.ones((2, 1)) for name in names}
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> NDArray[Any]:
        self.names.add(name)
        return self._scores[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)


def _drop_unused_scores(metric: Metric) -> Metric:
    """Return a metric without the class scores that no overall score uses, if class scores are means over documents:
    each would need a sum for every label after every swap."""
    if not (metric.classes and is_document_mean(metric)):
        return metric
    read = _ReadRecorder(score.name for score in metric.classes.scores)
    metric.classes.overall(read, np.ones(2))
    used = [score for score in metric.classes.scores if score.name in read.names]
    scores = tuple(replace(score, group=None, complement_of=None) for score in used)

    def formula(columns: Columns) -> dict[str, Array]:
        return {name: values for name, values in metric.formula(columns).items() if name in read.names}

    return replace(metric, formula=formula, classes=replace(metric.classes, scores=scores))


def leads_after_swaps(
    pairs: Mapping[tuple[int, int], Pair],
    sides: Sequence[Side],
    swaps: HalfSamples,
    subject: Subject,
    labels: Sequence[str] = (),
) -> dict[tuple[int, int], NDArray[np.float64]]:
    """Return the second system's lead in a score after each swap, for each pair of some systems, float64[swaps].

    Args:
        pairs: The pairs, by the indices of both sides.
        sides: All systems. Each is summed once.
        swaps: The swaps.
        subject: The score.
        labels: The labels that the sides keep apart.
    """
    leads: dict[tuple[int, int], list[NDArray[np.float64]]] = {place: [] for place in pairs}
    size = len(sides) * sum(array.size for array in sides[0].drop_counts(sides[0].whole).arrays)
    for part in swaps.parts(SUMS_OF_SIDES // size) if pairs else ():
        staying = sum_staying([side.rows for side in sides], sides[0].no_sums, part)
        for place, pair in pairs.items():
            ((first, second),) = pair.scores_after(staying[place[1]] - staying[place[0]])
            leads[place].append(subject.values(second, labels) - subject.values(first, labels))
    return {place: np.concatenate(parts) for place, parts in leads.items()}


def all_labels(*counted: Counts) -> tuple[str, ...]:
    """Return the labels that occur in any of the counts, sorted."""
    return tuple(sorted({label for counts in counted for label in counts.labels}))


def split_by_classes(metrics: Sequence[Metric]) -> list[list[Metric]]:
    """Return the metrics without classes and those with classes, as `Pair` needs them; no group is empty."""
    groups = [[metric for metric in metrics if bool(metric.classes) is has_classes] for has_classes in (False, True)]
    return [group for group in groups if group]


def balances(weights: NDArray[np.float64], swaps: HalfSamples) -> NDArray[np.float64]:
    """Return the balance of each swap (see `balance`), float64[swaps, ...].

    Args:
        weights: The weight of each unit, float64[units, ...], see `unit_weights`.
        swaps: The swaps.
    """
    staying = np.concatenate([bits.astype(float) @ weights for bits in swaps.bits_of_units()])
    result: NDArray[np.float64] = balance(staying, weights.sum(axis=0))
    return result


def align_counts(baseline: Counts, system: Counts) -> Counts:
    """Return the system's counts in the baseline's order of documents, paired by id, or without ids by position.

    Raises:
        ValueError: They are not the same documents, or not counted in the same way; the
            message names the difference.
    """
    if baseline.collapsed and system.collapsed:
        check_same_documents(baseline, system)
        return system
    if differences := baseline.differences(system, replicates=False):
        raise ValueError(f"the systems cannot be compared: {differences}")
    if baseline.ids != system.ids:
        first, second = (_places(counts) for counts in (baseline, system))
        if missing := [key for key in (*first, *second) if key not in first or key not in second]:
            names = ", ".join(str(id) for id, _ in missing[:5]) + (", ..." if len(missing) > 5 else "")
            hint = "; predictions without annotation are skipped" if baseline.skipped != system.skipped else ""
            number = many(len(missing), "document")
            raise ValueError(f"{number} {'is' if len(missing) == 1 else 'are'} not in both systems: {names}{hint}")
        system = system.reordered([second[key] for key in first])
    _check_same_gold(baseline, system)
    if baseline.units != system.units:
        raise ValueError("the systems cannot be compared: their documents are in different units; count them alike")
    return system


def align_runs(first: Counts, system: str, runs: Sequence[Counts]) -> list[Counts]:
    """Return the counts of a system's training runs with the documents of the first counts, in their order.

    Raises:
        ValueError: They are other documents; for one of several runs the message says which.
    """
    result = []
    for number, counts in enumerate(runs, 1):
        try:
            result.append(counts if counts is first else align_counts(first, counts))
        except ValueError as error:
            if len(runs) == 1:
                raise
            raise ValueError(f"run {number} of {system}: {error}") from None
    return result


def _check_same_gold(baseline: Counts, system: Counts) -> None:
    """Raise ValueError, naming documents, if the same documents have different gold spans.

    Counts of earlier versions lack the checksums of gold spans. Of these, the numbers of each label are compared.
    """
    if baseline.knows_gold and system.knows_gold:
        differing = [k for k, both in enumerate(zip(baseline.gold_places, system.gold_places)) if len({*both}) > 1]
    else:
        labels = all_labels(baseline, system)
        first, second = (Table(counts, labels).spans(*GOLD_SPANS) for counts in (baseline, system))
        differing = np.flatnonzero(np.asarray(abs(first - second).sum(axis=1))).tolist()
    if differing:
        names = ", ".join(str(k if baseline.ids[k] is None else baseline.ids[k]) for k in differing[:5])
        more = ", ..." if len(differing) > 5 else ""
        number = many(len(differing), "document")
        raise ValueError(f"the systems have different gold annotation in {number}: {names}{more}")


def _places(counts: Counts) -> dict[tuple[str | int, int], int]:
    """Return the position of each document by its id and the number of earlier documents with the same id."""
    occurrences: dict[str | int, int] = {}
    places = {}
    for position, id in enumerate(counts.ids):
        key: str | int = position if id is None else id
        places[key, occurrences.setdefault(key, 0)] = position
        occurrences[key] += 1
    return places


def check_same_documents(baseline: Counts, system: Counts) -> None:
    """Raise ValueError unless two systems with collapsed counts can be compared.

    They need the same half-samples. If they were counted on the same documents, their numbers of gold spans are equal
    in every half-sample, and so are the sums of their checksums.
    """
    if differences := baseline.differences(system):
        raise ValueError(f"the systems cannot be compared: {differences}")
    whole, halves = ([sum_up(counts) for counts in (baseline, system)] for sum_up in (sum_counts, _replicate_sums))
    for first, second in (whole, halves):
        labels = tuple(sorted({*first.labels, *second.labels}))
        a, b = (sums.extend_labels(labels).spans(GOLD_SPANS) for sums in (first, second))
        if (a != b).any() or (first.documents != second.documents).any():
            where = (
                "" if first is whole[0] else ", though as many: texts or ids differ, or the parts that were merged do"
            )
            raise ValueError(
                f"the systems were not counted on the same documents{where}; they have {_describe_size(baseline)} and "
                f"{_describe_size(system)}"
            )
    sums = [counts.collapsed.gold_sum for counts in (baseline, system) if counts.collapsed]
    if None not in sums and len({*sums}) > 1:
        raise ValueError(
            f"the systems have different gold annotation, though as many spans: {_describe_size(baseline)}"
        )


def _describe_size(counts: Counts) -> str:
    return f"{counts.documents} documents with {counts.gold} gold spans"


def _replicate_sums(counts: Counts) -> Sums:
    return require_half_samples(counts).sums
