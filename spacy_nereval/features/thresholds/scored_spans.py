"""Spans with the scores of predictions: measures of the ranking, and the counts of a corpus at every cut.

The measures are average precision, risk over coverage, and calibration.

For the counts, predictions enter from the highest score. A further prediction changes verdicts only within its full
group: the gold spans and predictions that are connected by overlap, hits included. A full group with j distinct scores
has j + 1 states, each of which is counted once. The differences of successive states are the changes at each score.
For metrics that judge whole documents, a full group is a document; for metrics without a judge, it is a span.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import compress
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.arguments import BIN_KIND, BINS, EQUAL, STRICT, check_value
from ...core.declaration import Metric
from ...core.messages import PlainSpan, spell_argument
from ...core.overlapping import group_numbers
from ...core.pieces import order_key, shared_characters, size, sorted_spans
from ...core.spans import Document
from ...counting.batch import Batch, DocumentBatch, Numbers, SpanColumns
from ...counting.counter import Counter
from ...counting.counts import Counts

NO_PREDICTIONS = "there are no predictions"

COCO_POINTS = 101
"""The number of recalls from 0 to 1 at which COCO evaluates precision."""


class Ranking(NamedTuple):
    """All predictions from the highest score: the score, whether it is a hit, and the label of each."""

    score: NDArray[np.float64]
    hit: NDArray[np.bool_]
    label: NDArray[Any]

    def select_label(self, label: str) -> Ranking:
        """Return the predictions of one label."""
        is_label = self.label == label
        return Ranking(self.score[is_label], self.hit[is_label], self.label[is_label])


def check_hit(hit: Any) -> str | float:
    """Validate the definition of a hit: "strict" or the least IoU.

    >>> check_hit("0.5")
    0.5
    >>> check_hit(0)
    Traceback (most recent call last):
    ValueError: hit=0: expected 'strict', or the least IoU of a hit, above 0 and up to 1
    """
    if hit == STRICT:
        return STRICT
    try:
        least = float(hit)
    except (TypeError, ValueError):
        least = 0.0
    if isinstance(hit, bool) or not 0 < least <= 1:
        raise ValueError(
            f"{spell_argument('hit', hit)}: expected 'strict', or the least IoU of a hit, above 0 and up to 1"
        )
    return least


def rank_predictions(
    documents: Sequence[Document], scores: Sequence[Mapping[PlainSpan, float]], hit: str | float = STRICT
) -> Ranking:
    """Return all predictions from the highest score, with which of them are hits.

    Ties are ordered by start, end and label, misses first, so that the order of documents does not matter.

    Args:
        documents: The documents.
        scores: The score of each prediction, per document.
        hit: "strict": a hit is a gold span. A number is the least IoU: from the highest score, each prediction is
            matched with the unmatched gold span of its label with the highest IoU of characters, if that is at least
            this number; of equally good ones with the leftmost.

    Returns:
        float64[n], bool[n] and object[n] of all n predictions.

    Source: for an IoU, the rule of COCO (Lin et al. 2014), with characters for pixels.
    """
    rows: list[tuple[float, tuple[Any, ...], bool]] = []
    for document, score_of in zip(documents, scores):
        order = sorted(sorted_spans(document.sides[1]), key=lambda span: -score_of[span])
        hits = document.hits if hit == STRICT else _overlap_hits(document, order, float(hit))
        rows += [(-score_of[span], order_key(span), span in hits) for span in order]
    rows.sort()
    return Ranking(
        -np.array([score for score, _, _ in rows], dtype=float),
        np.array([is_hit for _, _, is_hit in rows], dtype=bool),
        np.array([key[-1] for _, key, _ in rows], dtype=object),
    )


def _overlap_hits(document: Document, order: Sequence[PlainSpan], least: float) -> set[PlainSpan]:
    """Return the predictions with an IoU of at least `least` with an unmatched gold span; `order` is by score."""
    free: dict[str, list[PlainSpan]] = {}
    for span in sorted_spans(document.sides[0]):
        free.setdefault(span[2], []).append(span)
    hits = set()
    for span in order:
        golds = free.get(span[2], [])
        best = max(golds, key=lambda gold: iou(span, gold), default=None)
        if best is not None and iou(span, best) >= least:
            golds.remove(best)
            hits.add(span)
    return hits


def iou(a: PlainSpan, b: PlainSpan) -> float:
    """Return the intersection over union (IoU) of two spans, in characters.

    >>> iou((0, 4, "A"), (2, 6, "A")), iou((3, 3, "A"), (3, 3, "A"))
    (0.3333333333333333, 1.0)
    """
    if a[:2] == b[:2]:
        return 1.0
    number = shared_characters(a, b)
    return number / (size(a) + size(b) - number) if number else 0.0


def average_precision(scores: ArrayLike, hits: ArrayLike, gold: int) -> float | None:
    """Return the average precision: the precision at each distinct score, weighted by the recall that it adds.

    Predictions with the same score enter together. Recall is over all gold spans.

    Args:
        scores, hits: The score of each prediction and whether it is a hit, float[n] and bool[n].
        gold: The number of gold spans.

    Returns:
        From 0 to 1; None without gold spans, 0 without predictions.

    >>> average_precision([0.9, 0.9, 0.5], [True, False, True], 2)
    0.5833333333333333

    Source: the definition of scikit-learn's `average_precision_score`, with recall over all gold spans.
    """
    if not gold:
        return None
    _, predictions, hits_so_far = cumulative_hits(scores, hits)
    return (
        float(np.sum(np.diff(hits_so_far, prepend=0) / gold * (hits_so_far / predictions))) if len(predictions) else 0.0
    )


def coco_average_precision(hits: ArrayLike, gold: int) -> float | None:
    """Return COCO's average precision: the mean, over 101 recalls, of the best precision at that recall or above.

    Args:
        hits: Whether each prediction is a hit, from the highest score, bool[n]. The order of ties matters.
        gold: The number of gold spans.

    Returns:
        From 0 to 1; None without gold spans.

    >>> round(coco_average_precision([True, True, False, True, True, False, False, True], 6), 6)
    0.703218

    Source: COCO (Lin et al. 2014), as pycocotools computes it.
    """
    if not gold:
        return None
    hits_so_far = np.cumsum(np.asarray(hits, dtype=float))
    precision = hits_so_far / np.arange(1, len(hits_so_far) + 1)
    best = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    at = np.searchsorted(hits_so_far / gold, np.linspace(0, 1, COCO_POINTS))
    return float(best[at].mean())


def cumulative_hits(scores: ArrayLike, hits: ArrayLike) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the distinct scores, from the highest, and the numbers of predictions and hits with at least each score.

    >>> [column.tolist() for column in cumulative_hits([0.5, 0.9, 0.5], [True, True, False])]
    [[0.9, 0.5], [1, 3], [1.0, 2.0]]
    """
    values, flags = np.asarray(scores, dtype=float), np.asarray(hits, dtype=float)
    distinct, rank, times = np.unique(-values, return_inverse=True, return_counts=True)
    return -distinct, np.cumsum(times), np.cumsum(np.bincount(rank, flags, minlength=len(distinct)))


def risk_coverage(scores: ArrayLike, hits: ArrayLike) -> dict[str, Any]:
    """Return the risk at each coverage, and the area under the curve (AURC).

    Coverage is the share of predictions that are kept. Risk is the share of kept predictions that are no hits.

    Args:
        scores, hits: The score of each prediction and whether it is a hit, float[n] and bool[n].

    Returns:
        "cuts", "coverage" and "risk", a number per distinct score, and "aurc", the mean over predictions of the risk at
        the prediction's score; None without predictions.

    >>> risk_coverage([0.9, 0.5], [True, False])
    {'cuts': [0.9, 0.5], 'coverage': [0.5, 1.0], 'risk': [0.0, 0.5], 'aurc': 0.25}

    Source: Geifman and El-Yaniv (2017); area: Geifman et al. (2019).
    """
    cuts, predictions, number_of_hits = cumulative_hits(scores, hits)
    risk = 1 - number_of_hits / np.maximum(predictions, 1)
    number = int(predictions[-1]) if len(predictions) else 0
    area = float(np.sum(risk * np.diff(predictions, prepend=0)) / number) if number else None
    return {
        "cuts": cuts.tolist(),
        "coverage": (predictions / max(number, 1)).tolist(),
        "risk": risk.tolist(),
        "aurc": area,
    }


def calibration(scores: ArrayLike, hits: ArrayLike, number: int = 10, bins: str = EQUAL) -> dict[str, Any]:
    """Return the calibration of scores: the share of hits in bins of the score.

    Args:
        scores: The score of each prediction, float[n].
        hits: Which predictions are hits, bool[n].
        number: The number of bins.
        bins: "equal": bins of the same width, [i/M, (i+1)/M), the last one closed. "equal_mass":
            bins with about as many predictions each; predictions with one score are in one bin.

    Returns:
        "bins": a row per bin that has predictions: "low" and "high", "n", "score" (the mean score), "hits" (the share
        of hits) and "gap" (hits - score). "ece": the mean absolute gap, weighted by n. "bias": the mean gap, weighted
        by n; below 0 if scores are too high. "largest_gap": the gap with the largest absolute value. "brier": the mean
        squared difference of score and hit. All of these are None, and "reason" says why, if there are no predictions
        or a score is outside of 0 to 1.

    Raises:
        ValueError: There is no such kind of bins, or the number is not above 0.

    >>> result = calibration([0.95, 0.9, 0.9, 0.8, 0.6, 0.6, 0.4, 0.2], [1, 1, 0, 1, 1, 0, 0, 1])
    >>> round(result["ece"], 6), round(result["brier"], 7), result["bins"][0]["n"]
    (0.29375, 0.2728125, 1)

    Source: Guo et al. (2017); Brier (1950).
    """
    check_value("bins", number, BINS)
    check_value("bin_kind", bins, BIN_KIND)
    values, flags = np.asarray(scores, dtype=float), np.asarray(hits, dtype=float)
    reason = None if len(values) else NO_PREDICTIONS
    if outside := values[(values < 0) | (values > 1)].tolist():
        reason = f"the score {outside[0]:g} is not from 0 to 1"
    if reason:
        nothing = dict.fromkeys(("bins", "ece", "bias", "largest_gap", "brier"))
        return {"kind": bins, **nothing, "reason": reason}
    edges = np.arange(number + 1) / number if bins == EQUAL else _edges_of_equal_mass(values, number)
    place = np.searchsorted(edges[:-1], values, side="right") - 1  # the last bin is closed
    size = np.bincount(place, minlength=len(edges) - 1)
    score, hit = (np.bincount(place, column, minlength=len(size)) / np.maximum(size, 1) for column in (values, flags))
    gap = hit - score
    rows = [
        dict(zip(("low", "high", "n", "score", "hits", "gap"), row))
        for row in zip(*(column.tolist() for column in (edges[:-1], edges[1:], size, score, hit, gap)))
        if row[2]
    ]
    return {
        "kind": bins,
        "bins": rows,
        "ece": float(np.sum(size * np.abs(gap)) / len(values)),
        "bias": float(np.sum(size * gap) / len(values)),
        "largest_gap": max((row["gap"] for row in rows), key=abs),
        "brier": float(np.mean((values - flags) ** 2)),
        "reason": None,
    }


def _edges_of_equal_mass(values: NDArray[np.float64], number: int) -> NDArray[np.float64]:
    """Return the edges of bins with about the same number of values. Equal values share a bin.

    >>> _edges_of_equal_mass(np.array([0.1, 0.2, 0.2, 0.2, 0.9]), 2).tolist()
    [0.1, 0.2, 0.9]
    >>> _edges_of_equal_mass(np.array([0.1, 0.9, 0.9, 0.9]), 2).tolist()
    [0.1, 0.9, 0.9]
    """
    ordered = np.sort(values)
    starts = ordered[np.arange(number) * len(ordered) // number]
    return np.append(np.unique(starts), ordered[-1])


GroupKind = Literal["span", "group", "document"]
"""The kind of full groups: single spans, spans connected by overlap, or whole documents."""

ROWS = 1 << 18
"""The number of rows (spans in states) that are counted together, which bounds memory."""


class ScoredSpans:
    """All spans of some documents as columns, with the scores of the predictions.

    Args:
        documents: The documents.
        scores: The score of each prediction, per document.

    Attributes:
        batch: The spans, sorted by document, start, end and label.
        score: float64[spans], the score of each prediction; NaN for spans that are only gold.
    """

    def __init__(self, documents: Sequence[Document], scores: Sequence[Mapping[PlainSpan, float]]) -> None:
        self.batch: DocumentBatch = DocumentBatch(documents)
        self.labels: Sequence[str] = self.batch.labels
        batch = self.batch
        rows = zip(batch.doc.tolist(), batch.spans(), batch.pred.tolist())
        values = (scores[doc][span] if pred else np.nan for doc, span, pred in rows)
        self.score: NDArray[np.float64] = np.fromiter(values, dtype=float, count=len(batch.doc))

    @property
    def documents(self) -> int:
        """The number of documents."""
        return self.batch.documents

    @property
    def prediction_scores(self) -> NDArray[np.float64]:
        """The scores of all predictions, float64[predictions]."""
        scores: NDArray[np.float64] = self.score[self.batch.pred]
        return scores

    def full_groups(self, kind: GroupKind) -> Numbers:
        """Return int64[spans], the number of the full group of each span."""
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
        """Return the index of the first word of each span, int64[spans + 1], and the words as numbers, int64[words]."""
        if (case, by) not in self._words:
            row, word = self.batch.words(case=case, by=by)
            self._words[case, by] = np.searchsorted(row, np.arange(len(self.batch.doc) + 1)), word
        return self._words[case, by]


class StateBatch(Batch):
    """A batch in which each document is a state of a full group.

    Args:
        spans: All spans.
        state: int64[rows], the index of the state.
        row: int64[rows], the index of a span in this state, ascending within a state.
        pred: bool[rows], whether the span is predicted in this state.
        document_of: int64[states], the document of each state.
    """

    def __init__(
        self, spans: ScoredSpans, state: Numbers, row: Numbers, pred: NDArray[np.bool_], document_of: Numbers
    ) -> None:
        whole = spans.batch
        gap = None if whole.gap is None else whole.gap[row]
        columns = SpanColumns(state, whole.start[row], whole.end[row], whole.label[row], whole.gold[row], pred, gap)
        super().__init__([None] * len(document_of), whole.labels, columns, gaps=whole.gaps)
        self._spans, self._row, self._document_of = spans, row, document_of

    def words(self, *, case: str, by: str) -> tuple[Numbers, Numbers]:
        first_word, word = self._spans.words(case, by)
        size = first_word[self._row + 1] - first_word[self._row]
        index = np.repeat(np.arange(len(self._row)), size)
        within = np.arange(len(index)) - np.repeat(np.cumsum(size) - size, size)
        return index, word[first_word[self._row][index] + within]

    def document(self, place: int) -> Document:
        first, last = np.searchsorted(self.doc, [place, place + 1])
        rows = slice(first, last)
        spans = self.spans(rows)
        gold, pred = ([*compress(spans, has_span[rows])] for has_span in (self.gold, self.pred))
        whole = self._spans.batch.document(int(self._document_of[place]))
        return whole.replaced(gold, pred, whole.text)


class States(NamedTuple):
    """The counts of the states of all full groups.

    counts: a row per state. The states of a full group follow each other.
    score: float64[states], the score of the predictions that enter with a state; NaN for the first state of a full
        group, which has no predictions.
    """

    counts: Counts
    score: NDArray[np.float64]


def group_kind(metric: Metric) -> GroupKind:
    """Return the kind of a metric's full groups.

    >>> from spacy_nereval import create_all
    >>> [group_kind(metric) for metric in create_all(["strict", "fair", "char"])]
    ['span', 'group', 'document']
    """
    if metric.scope == "document":
        return "document"
    return "group" if metric.judge or metric.count_batch else "span"


def count_states(spans: ScoredSpans, metrics: Sequence[Metric], kind: GroupKind) -> States:
    """Count the states of all full groups.

    Args:
        spans: The spans. Predictions with an infinite score are in every state.
        metrics: The metrics to count.
        kind: How all metrics group the spans.

    Returns:
        The counts of each state and the score that enters with it.
    """
    counter = Counter(metrics, units=False)
    score = []
    for batch, entering in _state_batches(spans, kind):
        counter.add(batch)
        score.append(entering)
    return States(counter.counts, np.concatenate(score) if score else np.zeros(0))


def _state_batches(spans: ScoredSpans, kind: GroupKind) -> Iterator[tuple[StateBatch, NDArray[np.float64]]]:
    """Yield batches of states, and float64[states], the score that enters with each state."""
    batch = spans.batch
    group = spans.full_groups(kind)
    number = spans.documents if kind == "document" else int(group.max(initial=-1)) + 1
    rank, entering = _ranks(group, np.where(np.isposinf(spans.score), np.nan, spans.score))
    states = 1 + np.bincount(entering.group, minlength=number)
    first_state = np.where(batch.gold, 0, rank)  # of its full group, for each span
    rows = np.bincount(group, states[group] - first_state, minlength=number)
    document_of = np.arange(number)
    if kind != "document":
        document_of[group] = batch.doc
    edges = np.searchsorted(group, np.arange(number + 1))
    batch_number = np.cumsum(np.maximum(rows, 1)) // ROWS
    for first, last in _equal_ranges(batch_number):
        span_range = slice(edges[first], edges[last])
        local_group = group[span_range] - first
        size = states[first:last][local_group] - first_state[span_range]
        start = np.cumsum(states[first:last]) - states[first:last]
        row = np.repeat(np.arange(edges[first], edges[last]), size)
        step = np.arange(len(row)) - np.repeat(np.cumsum(size) - size, size) + first_state[row]
        state = start[group[row] - first] + step
        order = np.argsort(state, kind="stable")
        is_pred = batch.pred[row] & (step >= rank[row])
        of_states = np.repeat(document_of[first:last], states[first:last])
        scores = np.full(len(of_states), np.nan)
        events = slice(*np.searchsorted(entering.group, [first, last]))
        scores[start[entering.group[events] - first] + entering.rank[events]] = entering.score[events]
        yield StateBatch(spans, state[order], row[order], is_pred[order], of_states), scores


class _Entering(NamedTuple):
    """Predictions that enter together, one element per full group and score: the group, the rank from 1, the score."""

    group: Numbers
    rank: Numbers
    score: NDArray[np.float64]


def _ranks(group: Numbers, score: NDArray[np.float64]) -> tuple[Numbers, _Entering]:
    """Return the rank of each span among the distinct scores of its full group, and the ranks of each full group.

    Rank 1 is the highest score; spans without a score have rank 0.
    """
    scored = np.flatnonzero(~np.isnan(score))
    order = scored[np.lexsort((-score[scored], group[scored]))]
    groups, value = group[order], score[order]
    new_group = np.diff(groups, prepend=-1) != 0
    new = new_group | (np.diff(value, prepend=np.nan) != 0)
    rank = np.cumsum(new)
    rank -= np.repeat(rank[new_group] - 1, np.diff(np.flatnonzero(new_group), append=len(groups)))
    rank_of_span = np.zeros(len(score), dtype=np.int64)
    rank_of_span[order] = rank
    return rank_of_span, _Entering(groups[new], rank[new], value[new])


def _equal_ranges(part: Numbers) -> Iterator[tuple[int, int]]:
    """Yield the range (first, last exclusive) of each run of equal numbers."""
    edges = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(part)]
    yield from ((first, last) for first, last in zip(edges, edges[1:]) if last > first)
