"""Counts: one additive table of whole numbers, a row per document, a column per `Key`.

Totals, counts of labels, confusion matrices, averages over documents, intervals and
tests are all sums over this table, so they cannot contradict each other. A fractional
amount is stored as two whole numbers (see `sums.split_amounts`), so that every sum is exact,
whatever the order of merging.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.declaration import GOLD_SPANS, PRED_SPANS, Kind, Metric
from ..core.edges import Signs
from ..core.labels import LabelRules
from ..core.messages import spell_argument
from ..core.spans import ON_READING
from .sums import DIGITS, Collapsed, Key, Replicates, replicate_differences, validate_sums
from .unit_keys import continue_numbers

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_SOURCES = 5
"""Maximum number of file names in collapsed counts: their size must not grow with the corpus."""


class _TypeOfCounts(type):
    """The type of `Counts`, which says how counts are read from a file."""

    if not TYPE_CHECKING:  # else no attribute would be wrong

        def __getattr__(cls, name: str) -> Any:
            raise AttributeError(name if name.startswith("_") else _lack_of_counts(name))


def _lack_of_counts(name: str) -> str:
    return (
        f"counts have no {name!r}: write score(counts), whose result has scores and saves counts with "
        "save('counts.npz'); Result.load('counts.npz').counts reads them"
    )


class Counts(metaclass=_TypeOfCounts):
    """The counts of some metrics over documents.

    Attributes:
        metrics: The metrics that were counted.
        skipped: Number of documents without gold annotation. ignored: predictions where the reference is
            not annotated. repaired: spans with tags that were repaired on reading. duplicates:
            repeated spans within one side. rejected: spans that an annotator rejected. merged:
            spans that became equal to another when labels were changed. trimmed: spans with trimmed edges.
            joined: spans that became part of another one. filled: missing tokens that were read as outside of spans.
            unnamed: spans without the attribute that became the label.
        label_rules: The rules that changed labels; None if there were none.
        cut: The digest of the cuts that predictions had to reach; None without cuts. Count files omit it.
        mapped: The labels of the mapping in `label_rules` that occurred.
        unkept: The number of spans that `only` in `label_rules` dropped, by ("gold" or "pred", label).
        ids: The id of each document, None where it has none.
        units: The key of each document's unit; empty if not recorded.
        gold_places: A checksum of each document's gold spans, their offsets and labels; incomplete if not recorded.
        unit: The rule that made the keys in `units`, such as "id".
        parts: Digests of the files that these counts were read from.
        contents: Hashes of the files of the corpus that were counted, where they are known.
        sources: The files that the documents came from.
        mentions: Numbers of mentions without offsets, by outcome; empty if there were none.
        located: The options that located them, such as "listed,caseless".
        partners: The number of gold spans with the boundaries of a prediction, but another label, by (predicted
            label, gold label). Count files omit it.
        signs: How sides were read, and spans with odd edges (see `core.edges`).
        spans_key: The key of the span groups that were counted; None for entities.
        by: In a breakdown, the attribute with its buckets in place of labels; None for labels.
        replicates: Stored half-samples; None if there are none.
        collapsed: The sums that replace the documents; None if there is a row for each document.
            Otherwise the table has a single row, the sum of all, and there are no ids or units.
        id_hashes: Of collapsed counts, a file with the hashes of their ids, to detect documents that other counts
            have too; None if that is not checked. Sums of counts have none.

    >>> from spacy_nereval import Document, count, create
    >>> a = count([Document(gold=[(0, 5, "A")], pred=[(0, 5, "A")])], [create("strict")])
    >>> b = count([Document(gold=[(0, 5, "A")], pred=[])], [create("strict")])
    >>> (a + b).documents, (a + b).gold, (a + b).pred
    (2, 2, 1)
    """

    def __new__(cls, *args: Any, **given: Any) -> Counts:
        if given.keys() & {"tp", "fp", "fn"}:
            numbers = ", ".join(str(given.get(name, 0)) for name in ("tp", "fp", "fn"))
            raise TypeError(f"counts come from documents: write prf({numbers}) for precision, recall and F of numbers")
        return super().__new__(cls)

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self.metrics: tuple[Metric, ...] = tuple(metrics)
        self.ids: list[str | None] = []
        self.units: list[str] = []
        self.gold_places: list[int] = []
        self.unit = "id"
        self.parts: list[str] = []
        self.contents: list[str] = []
        self.sources: list[str] = []
        self.skipped: int = 0
        self.ignored: int = 0
        self.repaired: int = 0
        self.duplicates: int = 0
        self.rejected: int = 0
        self.merged: int = 0
        self.trimmed: int = 0
        self.joined: int = 0
        self.filled: int = 0
        self.unnamed: int = 0
        self.signs: Signs = Counter()
        self.label_rules: LabelRules | None = None
        self.cut: str | None = None
        self.mapped: set[str] = set()
        self.unkept: Counter[tuple[str, str]] = Counter()
        self.mentions: Counter[str] = Counter()
        self.located: set[str] = set()
        self.partners: Counter[tuple[str, str]] = Counter()
        self.spans_key: str | None = None
        self.by: str | None = None
        self.replicates: Replicates | None = None
        self.collapsed: Collapsed | None = None
        self.id_hashes: Path | None = None
        self._columns: dict[Key, int] = {}
        self._blocks: list[csr_array] = []
        self._totals: dict[Key, int] | None = None

    if not TYPE_CHECKING:  # else no attribute would be wrong

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(name if name.startswith("_") else _lack_of_counts(name))

    @property
    def documents(self) -> int:
        """The number of documents that were counted."""
        return int(self.collapsed.sums.documents[0]) if self.collapsed else len(self.ids)

    @property
    def knows_gold(self) -> bool:
        """Whether there is a checksum of the gold spans of each document."""
        return len(self.gold_places) == len(self.ids)

    @property
    def keys(self) -> tuple[Key, ...]:
        """The meaning of each column."""
        return tuple(self._columns)

    @property
    def cells(self) -> csr_array:
        """The table: int32 or int64[documents, columns], sparse; a single row if the counts are collapsed."""
        from scipy.sparse import csr_array, vstack  # imported late, since it takes 90 ms

        if len(self._blocks) != 1:
            width = len(self._columns)
            wide = [csr_array((b.data, b.indices, b.indptr), shape=(b.shape[0], width)) for b in self._blocks]
            self._blocks = [vstack(wide, format="csr") if wide else csr_array((0, width), dtype=np.int64)]
        return self._blocks[0]

    @property
    def labels(self) -> tuple[str, ...]:
        """Every label that occurs in gold or prediction, sorted."""
        own = {metric.name for metric in self.metrics if metric.attributes}
        if own and self.by in own:
            on_values = {verdict for metric in self.metrics for verdict in metric.row_kinds}
            return tuple(sorted({key.gold or key.pred for key in self._columns if key.verdict in on_values}))
        labels = {label for key in self._columns if key.metric not in own for label in (key.gold, key.pred)}
        return tuple(sorted(labels - {""}))

    def in_rows(self, metric: Metric) -> Counts:
        """Return the counts of a metric by the rows that its verdicts name, in place of labels."""
        columns = {key: k for key, k in self._columns.items() if key.metric == metric.name}
        # The kinds of values, as if they were spans, which say how many there are.
        sizes = {
            Key("", kind, key.gold, key.pred, note=key.verdict): k
            for key, k in columns.items()
            if (kind := metric.row_kinds.get(key.verdict))
        }
        result = self._empty_like()
        result.metrics, result.by = (metric,), metric.name
        cells = self.cells[:, [*columns.values(), *sizes.values()]]
        result.append(self.ids, self.units, cells, [*columns, *sizes])
        return result

    @property
    def gold(self) -> int:
        """The number of gold spans."""
        return self.number_of(GOLD_SPANS)

    @property
    def pred(self) -> int:
        """The number of predicted spans."""
        return self.number_of(PRED_SPANS)

    def number_of(self, kinds: Sequence[Kind]) -> int:
        """Return the number of spans of these `kinds`."""
        return sum(n for key, n in self.totals().items() if not key.metric and key.verdict in kinds)

    def totals(self) -> Mapping[Key, int]:
        """Return the sum of each column over all documents."""
        if self._totals is None:
            self._totals = dict(zip(self.keys, self.cells.sum(axis=0, dtype=np.int64).tolist()))
        return self._totals

    def append(
        self,
        ids: Sequence[str | None],
        units: Sequence[str],
        cells: csr_array,
        keys: Sequence[Key],
        gold_places: Sequence[int] = (),
    ) -> None:
        """Add rows for further documents.

        Args:
            ids, units, gold_places: Of these documents.
            cells: Whole numbers [documents, keys], sparse.
            keys: The meaning of each column of `cells`.
        """
        from scipy.sparse import csr_array

        columns = np.array([self._columns.setdefault(key, len(self._columns)) for key in keys], dtype=np.int32)
        fits = len(cells.data) == 0 or int(np.abs(cells.data).max()) < 1 << 31
        data = cells.data.astype(np.int32 if fits else np.int64)
        shape = cells.shape[0], len(self._columns)
        self._blocks.append(csr_array((data, columns[cells.indices], cells.indptr.astype(np.int32)), shape))
        self._totals = None
        self.ids += ids
        self.units += units
        self.gold_places += gold_places

    def check_documents(self, what: str) -> None:
        """Raise ValueError if the counts are collapsed; the message says that they have no `what`."""
        if self.collapsed:
            raise ValueError(
                f"collapsed counts keep no documents, so they have no {what}: count the corpus again without "
                f"{spell_argument('collapse', True)}"
            )

    def put_in_one_row(self) -> None:
        """Replace the rows by their sum, and sort columns, sources and parts: the order of adding does not matter."""
        from scipy.sparse import csr_array

        totals = sorted(self.totals().items())
        self.ids, self.units, self.gold_places, self._columns, self._blocks = [], [], [], {}, []
        row = csr_array(np.array([[number for _, number in totals]], dtype=np.int64).reshape(1, -1))
        self.append([], [], row, [key for key, _ in totals])
        self.sources = sorted({*self.sources})[:MOST_SOURCES]
        self.parts = sorted(part[:DIGITS] for part in (*self.parts, *self.contents))
        self.contents = []

    def __add__(self, other: Counts) -> Counts:
        """Return the counts of both, as if all documents had been counted together.

        Raises:
            ValueError: They differ in metrics, settings, half-samples or cuts; the message says how.
        """
        differences = self.differences(other)
        if not differences and self.documents and other.documents and self.cut != other.cut:
            differences = (
                f"one has predictions kept by {self.cut or 'no threshold'}, the other by {other.cut or 'no threshold'}"
            )
        if differences:
            raise ValueError(f"these counts cannot be added: {differences}")
        return unite_counts([self, other])

    def reordered(self, places: Sequence[int]) -> Counts:
        """Return the counts of the documents at these `places`, in this order, without columns that are then empty."""
        result = self.without_rows()
        result.ids = [self.ids[k] for k in places]
        result.units = [self.units[k] for k in places] if self.units else []
        result.gold_places = [self.gold_places[k] for k in places] if self.knows_gold else []
        cells = self.cells[list(places)]
        used, keys = np.unique(cells.indices).tolist(), self.keys
        result._columns, result._blocks = {keys[k]: n for n, k in enumerate(used)}, [cells[:, used]]
        return result

    def with_keys(self, keys: Sequence[Key]) -> Counts:
        """Return the same numbers with other `keys` for the columns, all different."""
        result = self.without_rows()
        result.ids, result.units, result.gold_places = [*self.ids], [*self.units], [*self.gold_places]
        result._columns, result._blocks = {key: k for k, key in enumerate(keys)}, [self.cells]
        return result

    def without_rows(self) -> Counts:
        """Return empty counts with the same settings, sources and reading statistics."""
        result = self._empty_like()
        result._add_statistics(self)
        return result

    def of(self, metrics: Sequence[Metric]) -> Counts:
        """Return the counts of these `metrics` only. They may have other options if these change no counts.

        Of collapsed counts, the metrics must have been counted.
        """
        names = {"", *(metric.name for metric in metrics)}
        columns = {key: k for key, k in self._columns.items() if key.metric in names}
        result = self._empty_like()
        result.metrics = tuple(metrics)
        result.append(self.ids, self.units, self.cells[:, [*columns.values()]], [*columns], self.gold_places)
        if self.collapsed:
            result.collapsed = self.collapsed._replace(sums=self.collapsed.sums.of(metrics))
            if self.replicates:
                result.replicates = self.replicates._replace(sums=self.replicates.sums.of(metrics))
        return result

    def _empty_like(self) -> Counts:
        """Return empty counts with the same settings."""
        result = Counts(self.metrics)
        result.spans_key, result.by, result.unit = self.spans_key, self.by, self.unit
        result.label_rules, result.cut = self.label_rules, self.cut
        return result

    def _add_statistics(self, other: Counts) -> None:
        """Add the sources and the reading statistics of other counts."""
        self.sources += other.sources
        self.parts += other.parts
        self.contents += other.contents
        self.skipped += other.skipped
        self.mapped |= other.mapped
        self.unkept.update(other.unkept)
        self.mentions.update(other.mentions)
        self.located |= other.located
        self.partners.update(other.partners)
        self.signs.update(other.signs)
        self.add_on_reading(other.on_reading)

    @property
    def on_reading(self) -> dict[str, int]:
        """Reading statistics: numbers of changed or omitted spans, by the names in `ON_READING`."""
        return {name: getattr(self, name) for name in ON_READING}

    def add_on_reading(self, on_reading: Mapping[str, int]) -> None:
        """Add reading statistics, by the names in `ON_READING`."""
        for name, number in on_reading.items():
            setattr(self, name, getattr(self, name) + number)

    def differences(self, other: Counts, *, replicates: bool = True, collapsed: bool = True) -> str:
        """Return a message that says why two counts cannot be added; empty if they can.

        Args:
            other: The other counts.
            replicates: Whether to compare the half-samples.
            collapsed: Whether to compare which of both are collapsed.
        """
        if [metric.name for metric in self.metrics] != [metric.name for metric in other.metrics]:
            names = (", ".join(metric.name for metric in counts.metrics) or "none" for counts in (self, other))
            return "one has the metrics {}, the other {}".format(*names)
        reasons = []
        if self.unit != other.unit:
            reasons.append(f"one resamples by {self.unit}, the other by {other.unit}")
        if self.spans_key != other.spans_key:
            counted = [f"spans under {key!r}" if key else "entities" for key in (self.spans_key, other.spans_key)]
            reasons.append(f"one counted {counted[0]}, the other {counted[1]}")
        if self.located and other.located and self.located != other.located:
            ways = [" and ".join(sorted(counts.located)) for counts in (self, other)]
            reasons.append(f"one looked for mentions by {ways[0]}, the other by {ways[1]}")
        if self.label_rules != other.label_rules:
            rules = [" ".join(counts.label_rules.parts()) if counts.label_rules else "" for counts in (self, other)]
            reasons.append(f"one has the label rules {rules[0] or 'none'}, the other {rules[1] or 'none'}")
        if collapsed and (self.collapsed is None) is not (other.collapsed is None):
            reasons.append(
                f"one is collapsed, the other has documents ({spell_argument('collapse', True)} makes both alike)"
            )
        for a, b in zip(self.metrics, other.metrics):
            first, second = ({"version": metric.version, **metric.settings} for metric in (a, b))
            reasons += [
                f"{a.name}.{key} is {first[key]!r} and {second[key]!r}" for key in first if first[key] != second[key]
            ]
        if replicates:
            reasons += replicate_differences(self.replicates, other.replicates, self.metrics)
        return "; ".join(reasons)


def unite_counts(parts: Sequence[Counts]) -> Counts:
    """Return the counts of all parts together; they must not differ (see `Counts.differences`)."""
    total, used = parts[0]._empty_like(), Counter[str]()
    for part in parts:
        units = continue_numbers(part.units, part.ids, part.unit, used)
        total.append(part.ids, units, part.cells, part.keys, part.gold_places)
        total._add_statistics(part)
    # All parts have half-samples, or none: else they would differ. They are all collapsed, or none is.
    if stored := [part.replicates for part in parts if part.replicates]:
        total.replicates = stored[0]._replace(
            sums=validate_sums(reduce(add, (replicates.sums for replicates in stored)))
        )
    if collapsed := [part.collapsed for part in parts if part.collapsed]:
        total.put_in_one_row()
        total.collapsed = reduce(add, collapsed)
    return total


MIRRORED_KINDS = {
    Kind.MISS.value: Kind.SPURIOUS.value,
    Kind.SPURIOUS.value: Kind.MISS.value,
    Kind.GROUP_GOLD.value: Kind.GROUP_PRED.value,
    Kind.GROUP_PRED.value: Kind.GROUP_GOLD.value,
}
"""The kind of a span after gold and predictions are swapped; hits stay hits."""


def mirror_counts(counts: Counts) -> Counts:
    """Return the counts with gold and predicted spans swapped, without counting again.

    Args:
        counts: Counts of metrics that all declare their mirrored verdicts (`Metric.mirror`).

    Raises:
        ValueError: A metric does not declare it.

    >>> from spacy_nereval import Document, count, create
    >>> counts = count([Document(gold=[(0, 3, "A")], pred=[])], [create("strict")])
    >>> mirror_counts(counts).gold, mirror_counts(counts).pred
    (0, 1)
    """
    mirror = {"": MIRRORED_KINDS}
    for metric in counts.metrics:
        if metric.mirror is None:
            raise ValueError(f"{metric.name} does not declare its verdicts with swapped sides")
        mirror[metric.name] = {**metric.mirror}

    def swap_key(key: Key) -> Key:
        verdict = mirror[key.metric].get(key.verdict, key.verdict)
        return key._replace(verdict=verdict, gold=key.pred, pred=key.gold)

    return counts.with_keys([swap_key(key) for key in counts.keys])
