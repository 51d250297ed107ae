"""Collapsed counts: documents are summed while they are counted, so that memory does not grow with the corpus.

Scores need only sums, and intervals the sums of half-samples. Both can be merged in any order,
since a unit's random bits depend on its key and the seed alone. The key of a document that nothing names is its
position in a part of the corpus, so a checksum of the gold spans of the part goes with it: two systems draw the same
bits if their documents come in the same parts.
"""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import GOLD_SPANS, PRED_SPANS, Metric
from ..core.messages import spell_argument
from ..core.spans import Document
from ..counting.batch import TOGETHER, batches
from ..counting.counter import Counter as DocumentCounter
from ..counting.counts import Counts, unite_counts
from ..counting.sums import GOLD_SUMS, NUMBER, Collapsed, Replicates, Slot, Sums, slots
from ..counting.table import Table
from ..counting.unit_keys import keys_in_part
from .bounds import kish
from .resampling import Confidence, HalfSamples, Units
from .unit_weights import slots_read

SAMPLES = 1000
"""The default number of half-samples that collapsed counts keep."""


LARGE = 1_000_000_000
"""Half-samples of more bytes cause a warning that suggests fewer."""


class Halves(NamedTuple):
    """The half-samples that collapsed counts keep: how many, 0 for none, and the seed of the random bits."""

    samples: int = SAMPLES
    seed: int = 0


def collapse(counts: Counts, samples: int | None = None, seed: int | None = None) -> Counts:
    """Return counts summed over documents, so that their size does not depend on the corpus.

    They have the same scores. Intervals come from half-samples, which are drawn now unless the counts keep them
    already, since collapsed counts have no documents to draw. Collapsed counts can be merged with others that
    have the same number of half-samples and the same seed.

    Args:
        counts: Counts of documents.
        samples: The number of half-samples; 0 for no intervals. None for as many as the counts keep, or 1,000.
        seed: The seed of the random bits. None for the seed of the half-samples that the counts keep, or 0.

    Returns:
        Counts with a single row, and the sums of each half-sample.

    Raises:
        ValueError: A metric depends on the corpus as a whole, the counts have no units, or they are
            collapsed already.

    >>> from spacy_nereval import Document, count, create, evaluate
    >>> counts = count([Document([(0, 3, "A")], [(0, 3, "A")], id="a")], [create("strict")])
    >>> collapsed = collapse(counts)
    >>> collapsed.documents, collapsed.ids, evaluate(collapsed)["metrics"] == evaluate(counts)["metrics"]
    (1, [], True)
    """
    halves = Halves(*counts.replicates.settings) if counts.replicates else Halves()
    collapser = Collapser(
        counts.metrics, halves.samples if samples is None else samples, halves.seed if seed is None else seed
    )
    collapser.add(counts)
    return collapser.counts()


def count_collapsed(
    documents: Iterable[Document | None], metrics: Iterable[Metric], samples: int = SAMPLES, seed: int = 0
) -> Counts:
    """Return the counts of documents, collapsed while they are counted, so that memory does not grow with their number.

    Args:
        documents: Documents, in any order; None for one without gold annotation.
        metrics: The metrics to count.
        samples: The number of half-samples; 0 for no intervals.
        seed: The seed that, with the id of a document, decides which half-samples it is in.

    Returns:
        Collapsed counts: sums over the documents, and over those of each half-sample.
        This is what `collapse` returns for the counts of these documents.

    Raises:
        ValueError: As for `collapse` and `count`.

    >>> from spacy_nereval import Document, create
    >>> documents = (Document([(0, 3, "A")], [(0, 3, "A")], id=str(k)) for k in range(5000))
    >>> counts = count_collapsed(documents, [create("strict")], samples=10)
    >>> counts.documents, counts.collapsed.units, counts.replicates.sums.documents.shape
    (5000, 5000, (10,))
    """
    counter = DocumentCounter(metrics)
    collapser = Collapser(counter.counts.metrics, samples, seed)
    for batch in batches(documents):
        counter.add(batch)
        if counter.counts.documents >= TOGETHER:
            collapser.add(counter.take_counts())
    collapser.add(counter.take_counts())
    return collapser.counts()


def check_collapsible(metrics: Iterable[Metric]) -> None:
    """Raise ValueError if a metric depends on the corpus as a whole."""
    if whole := [metric.name for metric in metrics if metric.resolve or metric.distinct or metric.per_row]:
        raise ValueError(
            f"{whole[0]} depends on the corpus as a whole, so its counts cannot be collapsed: leave it out of "
            f"{spell_argument('metrics')}"
        )


class Collapser:
    """Sums the documents of counts, one part of a corpus at a time.

    Args:
        metrics: The metrics that are counted.
        samples: The number of half-samples; 0 for none.
        seed: The seed of the random bits.
    """

    def __init__(self, metrics: Iterable[Metric], samples: int = SAMPLES, seed: int = 0) -> None:
        check_collapsible(metrics := tuple(metrics))
        self._drawn = Confidence(samples=samples, seed=seed).checked() if samples else None
        self._total: Counts | None = None
        self._units = _UnitSquares()
        self._part: int | None = None
        self._warned = False

    def add(self, counts: Counts) -> None:
        """Add up further documents. Raise ValueError if their counts are collapsed already."""
        if counts.collapsed:
            raise ValueError("these counts are collapsed already: add them to others with +, or merge their files")
        table = Table(counts)
        part = counts.without_rows()
        part.append([], [], table.total, counts.keys)
        keys = self._keys(counts)
        part.collapsed = Collapsed(
            table.sum_rows(),
            0,
            np.zeros(len(table.labels) + 2, dtype=np.int64),
            gold_sum=_sum_of_gold(keys, counts),
        )
        if counts.replicates and self._drawn and counts.replicates.settings == self._drawn[1:]:
            part.replicates = counts.replicates
        elif self._drawn:
            self._warn_of_size(len(table.labels), counts.metrics)
            halves = HalfSamples(Units(counts, keys), *self._drawn[1:], exact=False)
            part.replicates = Replicates(*self._drawn[1:], table.sum_rows(halves))
        self._units.add(counts.units, table)
        self._total = unite_counts([part] if self._total is None else [self._total, part])
        self._total.unit = counts.unit  # later documents may have units by further rules

    def _keys(self, counts: Counts) -> list[str]:
        """Return the keys of units that decide their random bits.

        The checksum of the part is that of the first documents, since the others are not known when these are drawn.
        """
        if self._part is None and counts.units:
            places = counts.gold_places if counts.knows_gold else [0] * len(counts.units)
            self._part = _add_checksums(counts.units[:TOGETHER], places)
        return keys_in_part(counts.units, counts.ids, counts.unit, self._part or 0)

    def _warn_of_size(self, labels: int, metrics: Sequence[Metric]) -> None:
        samples = self._drawn.samples if self._drawn else 0
        size = samples * labels * len(slots(metrics)) * 8
        if size > LARGE and not self._warned:
            self._warned = True
            warnings.warn(
                f"{samples:,} half-samples of {labels:,} labels take {size / 1e9:.1f} GB of memory, several times "
                f"while they are added up: {spell_argument('replicates', 100)} takes less, for less exact intervals",
                stacklevel=3,
            )

    def counts(self) -> Counts:
        """Return the collapsed counts of all that were added. Raise ValueError if there were none."""
        if self._total is None or not self._total.collapsed:
            raise ValueError("there are no counts to collapse")
        squares = self._units.squares(self._total.collapsed.sums.labels)
        collapsed = self._total.collapsed._replace(units=self._units.number, squares=squares)
        self._total.collapsed = collapsed
        return self._total


def _sum_of_gold(keys: Sequence[str], counts: Counts) -> int | None:
    """Return the sum of checksums of the documents' units and gold spans; None if these are not recorded."""
    if not counts.knows_gold or len(keys) != len(counts.ids):
        return None
    return _add_checksums(keys, counts.gold_places)


def _add_checksums(keys: Iterable[str], places: Iterable[int]) -> int:
    checksums = (crc32(f"{key}\0{place}".encode("utf8", "surrogatepass")) for key, place in zip(keys, places))
    return sum(checksums) % GOLD_SUMS


class _UnitSquares:
    """Sums over units of their squared numbers of spans and of documents.

    Units are not stored, so the documents of a unit have to be adjacent. `unit_numbers` detects if they are not.
    """

    def __init__(self) -> None:
        self.number: int = 0
        self._squares: Counter[str | None] = Counter()  # of labels; "" is all labels, None is documents
        self._key = ""
        self._last: Counter[str | None] = Counter()  # the last unit, which the next documents may belong to

    def add(self, keys: Sequence[str], table: Table) -> None:
        """Add documents with these keys."""
        from scipy.sparse import csr_array

        if not keys:
            return
        places = np.arange(len(keys))
        first = np.flatnonzero([True, *(a != b for a, b in pairwise(keys))])
        documents = np.diff(first, append=len(keys))
        unit = np.repeat(np.arange(len(first)), documents)
        units = csr_array((np.ones(len(unit), dtype=np.int64), (unit, places)), (len(first), len(keys)))
        spans = (units @ table.spans(*GOLD_SPANS, *PRED_SPANS)).tocsr()
        for k in sorted({0, len(first) - 1}):  # these may go on in the documents added before or after
            numbers: Counter[str | None] = Counter(dict(zip(table.labels, spans[[k]].toarray()[0].tolist())))
            numbers += Counter({"": numbers.total(), None: int(documents[k])})
            self._continue(keys[first[k]], numbers)
        self.number += max(0, len(first) - 2)
        between = spans[1:-1]
        self._squares.update(dict(zip(table.labels, (between * between).sum(axis=0).tolist())))
        self._squares[""] += int((between.sum(axis=1) ** 2).sum())
        self._squares[None] += int((documents[1:-1] ** 2).sum())

    def _continue(self, key: str, spans: Counter[str | None]) -> None:
        if self.number and key == self._key:
            self._squares.subtract({name: number**2 for name, number in self._last.items()})
            self._last += spans
        else:
            self.number += 1
            self._key, self._last = key, spans
        self._squares.update({name: number**2 for name, number in self._last.items()})

    def squares(self, labels: Sequence[str]) -> NDArray[np.int64]:
        """Return the sums of squares as `Collapsed` has them."""
        return np.array([self._squares[name] for name in (*labels, "", None)], dtype=np.int64)


FAR = 6
"""Number of standard errors at which the half-samples contradict the squares."""


class UnitNumbers(NamedTuple):
    """How many units collapsed counts have.

    number: None if it is not known, since documents of a unit need not be adjacent.
    effective: the effective number by the spans of each label, and under "" by all spans.
    documents: the effective number by documents.
    """

    number: int | None
    effective: dict[str, float]
    documents: float


def unit_numbers(counts: Counts) -> UnitNumbers:
    """Return how many units collapsed counts have.

    The sums of squares give exact effective numbers if the documents of each unit are adjacent. Half-samples do
    not depend on that: the variance of their numbers of spans is a quarter of the sum of squares. This estimate
    has a standard error (with 1000 half-samples 4.5 %). So it is used only where documents of a unit may be
    apart (`--unit meta.FIELD` or `prefix:REGEX`), or where it contradicts the squares.

    Source: alternating signs that estimate a sum of squares, N. Alon, Y. Matias and M. Szegedy (1996).
    """
    collapsed = counts.collapsed
    assert collapsed
    adjacent = all(rule.partition(":")[0] in ("id", "document", "block") for rule in counts.unit.split(" and "))
    total = spans_and_documents(collapsed.sums)[:, 0]
    k, number = kish(total, collapsed.squares), collapsed.units
    if counts.replicates:
        halves = spans_and_documents(counts.replicates.sums.extend_labels(collapsed.sums.labels))
        sampled = kish(total, 4 * ((halves - total[:, None] / 2) ** 2).mean(axis=1))
        error = math.sqrt(2 / counts.replicates.samples)
        least = k / (1 + FAR * error) if adjacent else k
        contradicts = (sampled < least) & (sampled > 0)
        k = np.where(contradicts, sampled, k)
        adjacent = adjacent and not contradicts[-1]
    *effective, documents = k.tolist()
    return UnitNumbers(number if adjacent else None, dict(zip((*collapsed.sums.labels, ""), effective)), documents)


def effective_by_documents(counts: Counts, numbers: UnitNumbers) -> NDArray[np.float64]:
    """Return the effective number of units of collapsed counts by the documents in which a score is defined.

    It is exact if each unit is one document, or if the score is defined in all documents. Else the half-samples give
    an estimate of its ratio to the number by all documents.

    Args:
        counts: Collapsed counts with half-samples.
        numbers: Their `unit_numbers`.

    Returns:
        float64[scores], for each overall score of each metric that has an average over documents.
    """
    assert counts.collapsed
    sums, halves = counts.collapsed.sums, require_half_samples(counts).sums
    total = np.append(sums.means[0, :, 0], sums.documents[0]).astype(float)
    if numbers.number == total[-1]:
        return total[:-1]
    numbers_of_halves = np.vstack([halves.means[0], halves.documents])
    sampled = kish(total, 4 * ((numbers_of_halves - total[:, None] / 2) ** 2).mean(axis=1))
    k = numbers.documents * sampled[:-1] / max(sampled[-1], 1)
    return np.where(total[:-1] == total[-1], numbers.documents, np.minimum(k, total[:-1]))


def effective_by_score(counts: Counts, numbers: UnitNumbers) -> dict[tuple[str, str], NDArray[np.float64]]:
    """Return the effective number of units of collapsed counts that inform each score of each label, and last the
    overall score, float64[labels + 1] by metric and score.

    Sums do not say which units inform a score. The half-samples estimate the effective number by the counts on which
    the score depends, and by those of all scores of its metric. Where the first is clearly smaller, k is that of all
    spans times the ratio of both.

    Args:
        counts: Collapsed counts with half-samples.
        numbers: Their `unit_numbers`.
    """
    assert counts.collapsed
    whole = counts.collapsed.sums
    replicates = require_half_samples(counts)
    halves, place = replicates.sums.extend_labels(whole.labels), slots(whole.metrics)
    by_spans = np.array([numbers.effective[label] for label in (*whole.labels, "")])
    least = 1 / (1 + FAR * math.sqrt(2 / replicates.samples))

    def sample_effective(read: frozenset[Slot]) -> NDArray[np.float64]:
        rows = [place[slot] for slot in {slot._replace(quantity=NUMBER) for slot in read}]
        total, drawn = (_add_sum_of_labels(sums.counts[rows].sum(axis=0)) for sums in (whole, halves))
        result: NDArray[np.float64] = kish(total[:, 0], 4 * ((drawn - total / 2) ** 2).mean(axis=1))
        return result

    effective: dict[tuple[str, str], NDArray[np.float64]] = {}
    for metric in whole.metrics:
        read = slots_read(metric)
        every = frozenset[Slot]().union(*read.overall.values())
        sampled = {slots: sample_effective(slots) for slots in {every, *read.overall.values(), *read.labels.values()}}
        for name, of_overall in read.overall.items():
            smaller = np.append(sampled[read.labels.get(name, of_overall)][:-1], sampled[of_overall][-1])
            share = smaller / np.where(sampled[every] > 0, sampled[every], 1)
            effective[metric.name, name] = by_spans * np.where((share < least) & (smaller > 0), share, 1.0)
    return effective


def _add_sum_of_labels(numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the numbers of each label, and last of all labels together, from those of labels and of no label."""
    return np.concatenate([numbers[:-1], numbers.sum(axis=0)[None]]).astype(float)


def require_half_samples(counts: Counts) -> Replicates:
    """Return the half-samples of collapsed counts. Raise ValueError if there are none."""
    if counts.replicates is None:
        raise ValueError(
            "these collapsed counts have no half-samples, and there are no documents to resample: "
            f"count the corpus again with {spell_argument('replicates')}"
        )
    return counts.replicates


def spans_and_documents(sums: Sums) -> NDArray[np.float64]:
    """Return float64[labels + 2, sums]: the spans of both sides of each label and of all, and the documents."""
    spans = sums.spans((*GOLD_SPANS, *PRED_SPANS))
    return np.concatenate([spans[:-1], spans.sum(axis=0)[None], sums.documents[None]]).astype(float)
