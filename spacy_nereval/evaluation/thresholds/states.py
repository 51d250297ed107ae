"""The states of a corpus as predictions enter by their scores, from the highest.

A verdict may change when a further prediction enters, but only within its full group: gold spans and
all predictions that are connected by overlap, hits included. A full group with j distinct scores has
j + 1 states. Each state is counted once; the difference of successive states is what a prediction
changes when it enters. For metrics that judge whole documents, a full group is a document; for
metrics without a judge, it is a span.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.declaration import Metric
from ...core.overlapping import group_numbers
from ...core.spans import Document, PlainSpan
from ...counting.batch import Batch, DocumentBatch, Numbers, SpanColumns
from ...counting.counter import Counter
from ...counting.counts import Counts

Kind = Literal["span", "group", "document"]
"""What the full groups are: single spans, spans connected by overlap, or whole documents."""

ROWS = 1 << 18
"""The number of spans of all states that are counted together, so that they fit into memory."""


class ScoredSpans:
    """All spans of some documents as columns, with the scores of the predictions.

    Args:
        documents: The documents.
        scores: The score of each prediction, per document.

    Attributes:
        batch: The spans, sorted by document, start, end and label.
        score: float64[spans], the score of each prediction; of spans that are gold alone it is NaN.
    """

    def __init__(self, documents: Sequence[Document], scores: Sequence[Mapping[PlainSpan, float]]) -> None:
        self.batch: DocumentBatch = DocumentBatch(documents)
        self.labels: Sequence[str] = self.batch.labels
        batch, names = self.batch, self.batch.labels
        columns = zip(*(column.tolist() for column in (batch.doc, batch.start, batch.end, batch.label, batch.pred)))
        found = (scores[doc][start, end, names[label]] if pred else np.nan for doc, start, end, label, pred in columns)
        self.score: NDArray[np.float64] = np.fromiter(found, dtype=float, count=len(batch.doc))

    @property
    def documents(self) -> int:
        """The number of documents."""
        return self.batch.documents

    @property
    def predicted(self) -> NDArray[np.float64]:
        """The scores of all predictions, float64[predictions]."""
        found: NDArray[np.float64] = self.score[self.batch.pred]
        return found

    def full_groups(self, kind: Kind) -> Numbers:
        """Return int64[spans], the number of each span's full group."""
        if kind == "document":
            return self.batch.doc
        if kind == "span":
            return np.arange(len(self.batch.doc))
        offset = self.batch.doc * (1 + self.batch.end.max(initial=0))
        return group_numbers(self.batch.start + offset, self.batch.end + offset)

    @cached_property
    def _words(self) -> dict[tuple[str, str], tuple[Numbers, Numbers]]:
        return {}

    def words(self, case: str, by: str) -> tuple[Numbers, Numbers]:
        """Return int64[spans + 1] and int64[words]: where the words of each span begin, and the words as numbers."""
        if (case, by) not in self._words:
            row, word = self.batch.words(case=case, by=by)
            self._words[case, by] = np.searchsorted(row, np.arange(len(self.batch.doc) + 1)), word
        return self._words[case, by]


class StateBatch(Batch):
    """A batch in which each document is a state of a full group.

    Args:
        spans: All spans.
        state: int64[rows], the state in which a span is.
        row: int64[rows], the index of the span, ascending within a state.
        pred: bool[rows], whether it is there as a prediction.
        document_of: int64[states], the document of each state.
    """

    def __init__(
        self, spans: ScoredSpans, state: Numbers, row: Numbers, pred: NDArray[np.bool_], document_of: Numbers
    ) -> None:
        whole = spans.batch
        columns = SpanColumns(state, whole.start[row], whole.end[row], whole.label[row], whole.gold[row], pred)
        super().__init__([None] * len(document_of), whole.labels, columns)
        self._spans, self._row, self._document_of = spans, row, document_of

    def words(self, *, case: str, by: str) -> tuple[Numbers, Numbers]:
        begin, word = self._spans.words(case, by)
        size = begin[self._row + 1] - begin[self._row]
        index = np.repeat(np.arange(len(self._row)), size)
        within = np.arange(len(index)) - np.repeat(np.cumsum(size) - size, size)
        return index, word[begin[self._row][index] + within]

    def document(self, place: int) -> Document:
        first, last = np.searchsorted(self.doc, [place, place + 1])
        columns = (column[first:last].tolist() for column in (self.start, self.end, self.label, self.gold, self.pred))
        spans = [((start, end, self.labels[label]), gold, pred) for start, end, label, gold, pred in zip(*columns)]
        gold = [span for span, is_gold, _ in spans if is_gold]
        pred = [span for span, _, is_pred in spans if is_pred]
        whole = self._spans.batch.document(int(self._document_of[place]))
        return whole.replaced(gold, pred, whole.text)


class States(NamedTuple):
    """The counts of the states of all full groups.

    counts: a row per state, the states of a full group one after the other.
    score: float64[states], the score of the predictions that enter with a state; NaN for the
        first of a full group, in which there are none.
    """

    counts: Counts
    score: NDArray[np.float64]


def kind_of(metric: Metric) -> Kind:
    """Return what the full groups of a metric are.

    >>> from spacy_nereval import create_all
    >>> [kind_of(metric) for metric in create_all(["strict", "fair", "char"])]
    ['span', 'group', 'document']
    """
    if metric.scope == "document":
        return "document"
    return "group" if metric.judge or metric.count_batch else "span"


def counted_states(spans: ScoredSpans, metrics: Sequence[Metric], kind: Kind) -> States:
    """Count the states of all full groups.

    Args:
        spans: The spans. Predictions whose score is infinite are in every state.
        metrics: What to count.
        kind: What the full groups are, the same for all metrics.

    Returns:
        A row of counts per state, and float64[states], the score that enters with each.
    """
    counter = Counter(metrics, units=False)
    score = []
    for batch, entering in _batches(spans, kind):
        counter.add(batch)
        score.append(entering)
    return States(counter.counts, np.concatenate(score) if score else np.zeros(0))


def _batches(spans: ScoredSpans, kind: Kind) -> Iterator[tuple[StateBatch, NDArray[np.float64]]]:
    """Yield the states in batches, each with the score that enters with each state."""
    batch = spans.batch
    group = spans.full_groups(kind)
    number = spans.documents if kind == "document" else int(group.max(initial=-1)) + 1
    rank, entering = _ranks(group, np.where(np.isposinf(spans.score), np.nan, spans.score))
    states = 1 + np.bincount(entering.group, minlength=number)
    begin = np.where(batch.gold, 0, rank)  # the first state of its full group in which a span is
    rows = np.bincount(group, states[group] - begin, minlength=number)
    document_of = np.arange(number)
    if kind != "document":
        document_of[group] = batch.doc
    edges = np.searchsorted(group, np.arange(number + 1))
    part = np.cumsum(np.maximum(rows, 1)) // ROWS
    for first, last in _stretches(part):
        here = slice(edges[first], edges[last])
        own = group[here] - first
        size = states[first:last][own] - begin[here]
        start = np.cumsum(states[first:last]) - states[first:last]
        row = np.repeat(np.arange(edges[first], edges[last]), size)
        step = np.arange(len(row)) - np.repeat(np.cumsum(size) - size, size) + begin[row]
        state = start[group[row] - first] + step
        order = np.argsort(state, kind="stable")
        is_pred = batch.pred[row] & (step >= rank[row])
        of_states = np.repeat(document_of[first:last], states[first:last])
        scores = np.full(len(of_states), np.nan)
        events = slice(*np.searchsorted(entering.group, [first, last]))
        scores[start[entering.group[events] - first] + entering.rank[events]] = entering.score[events]
        yield StateBatch(spans, state[order], row[order], is_pred[order], of_states), scores


class _Entering(NamedTuple):
    """The predictions that enter together: full group, rank from 1 up, and score, one element for each."""

    group: Numbers
    rank: Numbers
    score: NDArray[np.float64]


def _ranks(group: Numbers, score: NDArray[np.float64]) -> tuple[Numbers, _Entering]:
    """Return the rank of each span among the distinct scores of its full group, the highest 1, and 0
    without a score; and the ranks of all full groups in order."""
    scored = np.flatnonzero(~np.isnan(score))
    order = scored[np.lexsort((-score[scored], group[scored]))]
    own, value = group[order], score[order]
    new_group = np.diff(own, prepend=-1) != 0
    new = new_group | (np.diff(value, prepend=np.nan) != 0)
    rank = np.cumsum(new)
    rank -= np.repeat(rank[new_group] - 1, np.diff(np.flatnonzero(new_group), append=len(own)))
    rank_of_span = np.zeros(len(score), dtype=np.int64)
    rank_of_span[order] = rank
    return rank_of_span, _Entering(own[new], rank[new], value[new])


def _stretches(part: Numbers) -> Iterator[tuple[int, int]]:
    """Yield the first and the last index, exclusive, of each stretch of equal numbers."""
    edges = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(part)]
    yield from ((first, last) for first, last in zip(edges, edges[1:]) if last > first)
