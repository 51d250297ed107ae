"""The scores of every metric at every cut, from cumulative sums of what each prediction changes; curves as rows.

What is asked for, and documents with the scores of their predictions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.arguments import Choosing, validate_settings
from ...core.cuts import Cuts, apply_cuts, pair_with_scores
from ...core.declaration import Metric
from ...core.messages import PlainSpan
from ...core.spans import Document
from ...counting.counter import count
from ...counting.counts import Counts
from ...counting.sums import Slot
from ...counting.table import Table, columns_of
from ...evaluation.result import gold_by_label, make_plain, predictions_by_label
from ...evaluation.scores import Scores, mean_of_parts
from ...evaluation.tested import curve_scores
from .scored_spans import Kind, Ranked, ScoredSpans, States, checked_hit, counted_states, kind_of, ranked

if TYPE_CHECKING:
    from scipy.sparse import csr_array

CELLS = 1 << 22
"""The number of counts of labels that are in memory at once."""


class Curve(NamedTuple):
    """Scores at some cuts, from the highest cut.

    at: int64[points], indices into `Curves.cuts`. scores: name to float64[points], NaN where undefined.
    """

    at: NDArray[np.int64]
    scores: Scores

    def at_cuts(self, name: str, places: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the values of a score at some of `Curves.cuts`, by their indices."""
        found: NDArray[np.float64] = self.scores[name][np.searchsorted(self.at, places, side="right") - 1]
        return found


class Curves:
    """The scores of metrics at every cut.

    Args:
        spans: All spans with the scores of predictions.
        metrics: What is scored; see `left_out`.

    Attributes:
        cuts: float64[cuts], infinity, at which no prediction is kept, and then the distinct
            scores of predictions, from the highest.
        kept: int64[cuts], how many predictions are kept.
    """

    def __init__(self, spans: ScoredSpans, metrics: Sequence[Metric]) -> None:
        self.metrics: tuple[Metric, ...] = tuple(metrics)
        self.labels: tuple[str, ...] = tuple(spans.labels)
        finite = spans.predicted[np.isfinite(spans.predicted)]
        found, times = np.unique(-finite, return_counts=True)
        self.cuts: NDArray[np.float64] = np.append(np.inf, -found)
        fixed = len(spans.predicted) - len(finite)
        self.kept: NDArray[np.int64] = np.cumsum(np.append(fixed, times))
        self._overall: dict[str, Scores] = {}
        self._of: dict[str, _Changes | _MeanChanges] = {}
        kinds: tuple[Kind, ...] = ("span", "group", "document")
        for kind in kinds:
            of_kind = [metric for metric in metrics if kind_of(metric) == kind]
            if of_kind:
                states = counted_states(spans, of_kind, kind)
                changes = _Changes(states, self.labels, self.cuts)
                self._of |= {metric.name: changes for metric in of_kind}
                means = [metric for metric in of_kind if metric.classes and metric.classes.document_mean]
                self._of |= {metric.name: _MeanChanges(states, metric, self.labels, self.cuts) for metric in means}

    def overall(self, metric: Metric) -> Scores:
        """Return the overall scores of a metric, name to float64[cuts]."""
        if metric.name not in self._overall:
            self._overall[metric.name] = self._of[metric.name].overall(metric)
        return self._overall[metric.name]

    def of_label(self, metric: Metric, label: str) -> Curve:
        """Return the scores of a label, at the first cut and at those where its counts change."""
        return self._of[metric.name].of_label(metric, self.labels.index(label))

    def place(self, cut: float) -> int:
        """Return the index of the lowest of `cuts` that is not below a cut: the same predictions are kept."""
        return int(np.searchsorted(-self.cuts, -cut, side="right")) - 1


class _Changes:
    """What changes in the counts at each cut.

    Args:
        states: The counts of all states.
        labels: The labels of the columns.
        cuts: The cuts, descending; the first has the counts of the first states.
    """

    def __init__(self, states: States, labels: Sequence[str], cuts: NDArray[np.float64]) -> None:
        table = Table(states.counts, labels)
        self.slots: dict[Slot, int] = table.slots
        self._labels, self._width = tuple(labels), table.width
        self._changes: csr_array = (_summing(states, cuts) @ table.cells.astype(np.int64)).tocsr()
        self._by_column = self._changes.tocsc()

    def overall(self, metric: Metric) -> Scores:
        """Return the overall scores of a metric at every cut."""
        if not metric.classes:
            return _as_arrays(metric.formula(columns_of(metric, self._totals, self.slots)))
        parts = []
        places = [k for slot, k in self.slots.items() if slot.metric in ("", metric.name)]
        slots = {slot: places.index(k) for slot, k in self.slots.items() if k in places}
        columns = (np.array(places)[:, None] * self._width + np.arange(self._width)).ravel()
        changes = self._changes[:, columns]
        step = max(1, CELLS // len(columns))
        before = np.zeros(len(columns), dtype=np.int64)
        for start in range(0, changes.shape[0], step):
            sums = before + np.cumsum(changes[start : start + step].toarray(), axis=0)
            before = sums[-1]
            classes = metric.formula(columns_of(metric, sums.T.reshape(len(places), self._width, -1), slots))
            parts.append(metric.classes.overall(classes, metric.classes.weights(self._labels, False)))
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    @cached_property
    def _totals(self) -> NDArray[np.int64]:
        """int64[slots, cuts], the counts of all labels together."""
        from scipy.sparse import identity, kron

        added = kron(identity(len(self.slots), dtype=np.int64), np.ones((self._width, 1), dtype=np.int64), "csr")
        found: NDArray[np.int64] = np.cumsum((self._changes @ added).toarray(), axis=0).T
        return found

    def of_label(self, metric: Metric, label: int) -> Curve:
        """Return the scores of a label, at the first cut and at those where its counts change."""
        index, counts = _own(self._by_column, np.arange(len(self.slots)) * self._width + label)
        return Curve(index, _as_arrays(metric.formula(columns_of(metric, counts, self.slots))))


class _MeanChanges:
    """What changes in the means over documents of a metric's class scores at each cut.

    Args:
        states: The counts of all states.
        metric: The metric.
        labels: The labels of the columns.
        cuts: The cuts, descending.
    """

    def __init__(self, states: States, metric: Metric, labels: Sequence[str], cuts: NDArray[np.float64]) -> None:
        from scipy.sparse import csr_array, vstack

        table = Table(states.counts.of([metric]), labels)
        self._labels, self._width = tuple(labels), table.width
        rows = [csr_array(table.additive_rows(here)[2].T) for here in table.stretches()]
        self._changes: csr_array = (_summing(states, cuts) @ vstack(rows, format="csr")).tocsr()
        self._by_column = self._changes.tocsc()

    def overall(self, metric: Metric) -> Scores:
        """Return the overall scores of the metric at every cut."""
        parts: list[Scores] = []
        step = max(1, CELLS // self._changes.shape[1])
        before = np.zeros(self._changes.shape[1], dtype=np.int64)
        for start in range(0, self._changes.shape[0], step):
            sums = before + np.cumsum(self._changes[start : start + step].toarray(), axis=0)
            before = sums[-1]
            assert metric.classes
            classes = self._class_scores(metric, sums.T.reshape(3, -1, self._width, len(sums)))
            parts.append(metric.classes.overall(classes, metric.classes.weights(self._labels, False)))
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def of_label(self, metric: Metric, label: int) -> Curve:
        """Return the mean scores of a label, at the first cut and at those where they may change."""
        columns = np.arange(self._changes.shape[1] // self._width) * self._width + label
        index, sums = _own(self._by_column, columns)
        return Curve(index, self._class_scores(metric, sums.reshape(3, -1, len(index))))

    def _class_scores(self, metric: Metric, sums: NDArray[np.int64]) -> Scores:
        """Return the class scores, each [...], from int64[3, class scores, ...]."""
        assert metric.classes
        return dict(zip((score.name for score in metric.classes.scores), mean_of_parts(sums)))


def _as_arrays(scores: Mapping[str, Any]) -> Scores:
    return {name: np.asarray(values, dtype=float) for name, values in scores.items()}


def _summing(states: States, cuts: NDArray[np.float64]) -> csr_array:
    """Return int64[cuts, states]: what adds up the changes at each cut. The first cut has the first state
    of each full group; a later one adds the states that enter, and takes away those before them."""
    from scipy.sparse import csr_array

    first, entering = np.flatnonzero(np.isnan(states.score)), np.flatnonzero(~np.isnan(states.score))
    at = np.searchsorted(-cuts, -states.score[entering])
    row = np.concatenate([np.zeros(len(first), dtype=np.int64), at, at])
    column = np.concatenate([first, entering, entering - 1])
    sign = np.repeat([1, 1, -1], [len(first), len(entering), len(entering)])
    return csr_array((sign, (row, column)), (len(cuts), len(states.score)))


def _own(changes: Any, columns: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first row and those in which one of some columns changes, int64[points], and the
    sums of the columns up to there, int64[columns, points]."""
    own = changes[:, columns]
    index = np.unique(np.append(0, own.tocoo().coords[0]))
    return index, np.cumsum(own.tocsr()[index].toarray(), axis=0).T


def left_out(metrics: Sequence[Metric]) -> dict[str, str]:
    """Return the metrics that have no curve, with the reason.

    >>> from spacy_nereval import create
    >>> left_out([create("strict"), create("mentions", scope="hits")])
    {'mentions': 'its verdicts depend on the corpus as a whole, so they do not add up over documents'}
    """
    found = {}
    for metric in metrics:
        if metric.resolve or metric.distinct:
            found[metric.name] = "its verdicts depend on the corpus as a whole, so they do not add up over documents"
    return found


def finite_cut(cut: float) -> float | None:
    """Return a cut as a result has it: None for infinity, at which nothing is kept."""
    return cut if np.isfinite(cut) else None


def curve_rows(curves: Curves) -> Iterator[dict[str, Any]]:
    """Yield a row per cut, from the highest: of all labels, then of each label where its counts change.

    Args:
        curves: The curves.

    Yields:
        "label" ("" for all of them), "cut" (None where no prediction is kept), "kept" (predictions
        of all labels that are kept) and METRIC.SCORE of each score, None where it is undefined.
    """
    overall = [
        (f"{metric.name}.{score.name}", curves.overall(metric)[score.name])
        for metric in curves.metrics
        for score in curve_scores(metric.scores)
    ]
    every = np.arange(len(curves.cuts))
    yield from _rows(curves, "", every, overall)
    for label in curves.labels:
        of_label = [(metric, curves.of_label(metric, label)) for metric in curves.metrics]
        at = np.unique(np.concatenate([curve.at for _, curve in of_label]))
        columns = [
            (f"{metric.name}.{score.name}", curve.at_cuts(score.name, at))
            for metric, curve in of_label
            for score in curve_scores(metric.label_scores)
        ]
        yield from _rows(curves, label, at, columns)


def columns(metrics: Sequence[Metric]) -> list[str]:
    """Return the names of the columns of all rows: overall scores, and those of labels."""
    names = [
        f"{metric.name}.{score.name}"
        for metric in metrics
        for score in curve_scores([*metric.scores, *metric.label_scores])
    ]
    return ["label", "cut", "kept", *dict.fromkeys(names)]


def _rows(curves: Curves, label: str, at: Any, scores: Sequence[tuple[str, Any]]) -> Iterator[dict[str, Any]]:
    empty = dict.fromkeys(columns(curves.metrics))
    cuts, kept = curves.cuts[at].tolist(), curves.kept[at].tolist()
    lists = [(name, make_plain(values.tolist())) for name, values in scores]
    for k, (cut, number) in enumerate(zip(cuts, kept)):
        yield empty | {
            "label": label,
            "cut": finite_cut(cut),
            "kept": number,
            **{name: values[k] for name, values in lists},
        }


class Settings(Choosing):
    """What is asked for, as `Choosing` declares it."""

    def checked(self) -> Settings:
        """Return the settings. Raise ValueError if one cannot be used.

        >>> Settings(per_label="all").checked()
        Traceback (most recent call last):
        ValueError: per_label='all': expected 'own' or 'micro', or none for a common cut
        """
        return validate_settings(self)._replace(hit=checked_hit(self.hit))

    @property
    def signature(self) -> list[str]:
        """The settings that change numbers, for the signature."""
        return [
            *([f"per-label:{self.per_label}"] if self.per_label else []),
            f"hit:{self.hit}",
            *([] if self.missing_score is None else [f"missing-score:{self.missing_score:g}"]),
            f"bins:{self.bins},{self.bin_kind}",
        ]


@dataclass(frozen=True)
class Scored:
    """Documents with the scores of their predictions.

    Attributes:
        documents: The annotated documents.
        scores: The score of each prediction, per document.
        skipped: The number of documents without annotation.
        metrics: What is scored: metrics that have curves.
        settings: What was asked for.
    """

    documents: Sequence[Document]
    scores: Sequence[Mapping[PlainSpan, float]]
    skipped: int
    metrics: Sequence[Metric]
    settings: Settings

    @classmethod
    def of(
        cls, documents: Iterable[Document | None], metrics: Sequence[Metric], settings: Settings = Settings()
    ) -> Scored:
        """Return documents with their scores; raise ValueError, naming the document, if one cannot be used."""
        pairs = [*pair_with_scores(documents, settings.missing_score)]
        known = [(document, scores) for document, scores in pairs if document is not None]
        return cls([each for each, _ in known], [own for _, own in known], len(pairs) - len(known), metrics, settings)

    @cached_property
    def spans(self) -> ScoredSpans:
        """All spans as columns."""
        return ScoredSpans(self.documents, self.scores)

    @cached_property
    def curves(self) -> Curves:
        """The scores of the metrics at every cut."""
        return Curves(self.spans, self.metrics)

    @cached_property
    def ranking(self) -> Ranked:
        """All predictions from the highest score, and which are hits."""
        return ranked(self.documents, self.scores, self.settings.hit)

    @cached_property
    def counts(self) -> Counts:
        """The counts of all spans, without verdicts of the metrics."""
        counts = count(self.documents, [], units=False)
        counts.metrics, counts.skipped = tuple(self.metrics), self.skipped
        return counts

    @cached_property
    def gold(self) -> Mapping[str, int]:
        """The number of gold spans of each label."""
        return gold_by_label(self.counts)

    @cached_property
    def pred(self) -> Mapping[str, int]:
        """The number of predictions of each label."""
        return predictions_by_label(self.counts)

    @property
    def floor(self) -> float | None:
        """The lowest score, None without predictions."""
        return float(self.ranking.score[-1]) if len(self.ranking.score) else None

    def cut(self, cuts: Cuts, metrics: Sequence[Metric]) -> Counts:
        """Return the counts of the predictions that cuts keep."""
        counts = count(apply_cuts(self.documents, cuts, self.settings.missing_score), metrics)
        counts.skipped = self.skipped
        return counts

    def kept(self, cuts: Cuts) -> NDArray[np.bool_]:
        """Return which predictions of the ranking are kept."""
        labels = self.ranking.label.tolist()
        least = {label: cuts.of(label) for label in {*labels}}
        found: NDArray[np.bool_] = self.ranking.score >= np.array([least[label] for label in labels], dtype=float)
        return found
