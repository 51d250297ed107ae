"""The scores of every metric at every cut, from cumulative sums of the changes by each prediction.

`ScoredDocuments` is the entry: documents with the scores of their predictions, their curves, ranking and counts.
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
from .scored_spans import GroupKind, Ranking, ScoredSpans, States, check_hit, count_states, group_kind, rank_predictions

if TYPE_CHECKING:
    from scipy.sparse import csr_array

CELLS = 1 << 22
"""Maximum number of counts of labels in memory at once."""


class Settings(Choosing):
    """The settings of thresholds, which `Choosing` declares."""

    def validate(self) -> Settings:
        """Return the settings, validated.

        >>> Settings(per_label="all").validate()
        Traceback (most recent call last):
        ValueError: per_label='all': expected 'own' or 'micro', or none for a common threshold
        """
        return validate_settings(self)._replace(hit=check_hit(self.hit))

    @property
    def signature(self) -> list[str]:
        """The settings that change numbers, as parts of a signature."""
        return [
            *([f"per-label:{self.per_label}"] if self.per_label else []),
            f"hit:{self.hit}",
            *([] if self.missing_score is None else [f"missing-score:{self.missing_score:g}"]),
            f"bins:{self.bins},{self.bin_kind}",
        ]


@dataclass(frozen=True)
class ScoredDocuments:
    """Documents with the scores of their predictions.

    Attributes:
        documents: The annotated documents.
        scores: The score of each prediction, per document.
        skipped: The number of documents without annotation.
        metrics: The metrics, all of which have curves.
        settings: The settings.
    """

    documents: Sequence[Document]
    scores: Sequence[Mapping[PlainSpan, float]]
    skipped: int
    metrics: Sequence[Metric]
    settings: Settings

    @classmethod
    def create(
        cls, documents: Iterable[Document | None], metrics: Sequence[Metric], settings: Settings = Settings()
    ) -> ScoredDocuments:
        """Return documents with the scores of their predictions. Raise ValueError if a document cannot be used."""
        pairs = [*pair_with_scores(documents, settings.missing_score)]
        annotated = [(document, scores) for document, scores in pairs if document is not None]
        return cls(
            [base for base, _ in annotated],
            [base_scores for _, base_scores in annotated],
            len(pairs) - len(annotated),
            metrics,
            settings,
        )

    @cached_property
    def spans(self) -> ScoredSpans:
        """All spans as columns."""
        return ScoredSpans(self.documents, self.scores)

    @cached_property
    def curves(self) -> Curves:
        """The scores of the metrics at every cut."""
        return Curves(self.spans, self.metrics)

    @cached_property
    def ranking(self) -> Ranking:
        """All predictions from the highest score, with which of them are hits."""
        return rank_predictions(self.documents, self.scores, self.settings.hit)

    @cached_property
    def counts(self) -> Counts:
        """The numbers of spans of each label, without verdicts of the metrics."""
        counts = count(self.documents, [], units=False)
        counts.metrics, counts.skipped = tuple(self.metrics), self.skipped
        return counts

    @cached_property
    def gold_counts(self) -> Mapping[str, int]:
        """The number of gold spans of each label."""
        return gold_by_label(self.counts)

    @cached_property
    def pred_counts(self) -> Mapping[str, int]:
        """The number of predictions of each label."""
        return predictions_by_label(self.counts)

    @property
    def floor(self) -> float | None:
        """The lowest score; None without predictions."""
        return float(self.ranking.score[-1]) if len(self.ranking.score) else None

    def cut_counts(self, cuts: Cuts, metrics: Sequence[Metric]) -> Counts:
        """Return the counts of the gold spans and of the predictions that cuts keep."""
        counts = count(apply_cuts(self.documents, cuts, self.settings.missing_score), metrics)
        counts.skipped = self.skipped
        return counts

    def is_kept(self, cuts: Cuts) -> NDArray[np.bool_]:
        """Return bool[predictions], whether cuts keep each prediction of the ranking."""
        labels = self.ranking.label.tolist()
        least = {label: cuts.of(label) for label in {*labels}}
        is_above: NDArray[np.bool_] = self.ranking.score >= np.array([least[label] for label in labels], dtype=float)
        return is_above


class Curve(NamedTuple):
    """Scores at the cuts where they change, from the highest cut.

    at: int64[points], indices into `Curves.cuts`. scores: name to float64[points], NaN where undefined.
    """

    at: NDArray[np.int64]
    scores: Scores

    def values_at(self, name: str, places: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the values of a score at some of `Curves.cuts`, given by their indices."""
        values: NDArray[np.float64] = self.scores[name][np.searchsorted(self.at, places, side="right") - 1]
        return values


class Curves:
    """The scores of metrics at every cut.

    Args:
        spans: All spans with the scores of predictions.
        metrics: The metrics; see `metrics_without_curve`.

    Attributes:
        cuts: float64[cuts], infinity, which keeps no prediction, then the distinct scores of predictions, descending.
        kept: int64[cuts], the number of predictions that are kept.
    """

    def __init__(self, spans: ScoredSpans, metrics: Sequence[Metric]) -> None:
        self.metrics: tuple[Metric, ...] = tuple(metrics)
        self.labels: tuple[str, ...] = tuple(spans.labels)
        finite = spans.prediction_scores[np.isfinite(spans.prediction_scores)]
        descending, times = np.unique(-finite, return_counts=True)
        self.cuts: NDArray[np.float64] = np.append(np.inf, -descending)
        fixed = len(spans.prediction_scores) - len(finite)
        self.kept: NDArray[np.int64] = np.cumsum(np.append(fixed, times))
        self._overall: dict[str, Scores] = {}
        self._of: dict[str, _Changes | _MeanChanges] = {}
        kinds: tuple[GroupKind, ...] = ("span", "group", "document")
        for kind in kinds:
            of_kind = [metric for metric in metrics if group_kind(metric) == kind]
            if of_kind:
                states = count_states(spans, of_kind, kind)
                changes = _Changes(states, self.labels, self.cuts)
                self._of |= {metric.name: changes for metric in of_kind}
                means = [metric for metric in of_kind if metric.classes and metric.classes.document_mean]
                self._of |= {metric.name: _MeanChanges(states, metric, self.labels, self.cuts) for metric in means}

    def overall(self, metric: Metric) -> Scores:
        """Return the overall scores of a metric, name to float64[cuts]."""
        if metric.name not in self._overall:
            self._overall[metric.name] = self._of[metric.name].overall(metric)
        return self._overall[metric.name]

    def label_curve(self, metric: Metric, label: str) -> Curve:
        """Return the scores of a label, at the first cut and at those where its counts change."""
        return self._of[metric.name].label_curve(metric, self.labels.index(label))

    def place(self, cut: float) -> int:
        """Return the index of the lowest of `cuts` that is not below a cut. It keeps the same predictions."""
        return int(np.searchsorted(-self.cuts, -cut, side="right")) - 1


class _Changes:
    """The changes of counts at each cut.

    Args:
        states: The counts of all states.
        labels: The labels of the columns.
        cuts: The cuts, descending. The first one has the counts of the first states.
    """

    def __init__(self, states: States, labels: Sequence[str], cuts: NDArray[np.float64]) -> None:
        table = Table(states.counts, labels)
        self.slots: dict[Slot, int] = table.slots
        self._labels, self._width = tuple(labels), table.width
        self._changes: csr_array = (_change_matrix(states, cuts) @ table.cells.astype(np.int64)).tocsr()
        self._by_column = self._changes.tocsc()

    def overall(self, metric: Metric) -> Scores:
        """Return the overall scores of a metric at every cut."""
        if not metric.classes:
            return _float_arrays(metric.formula(columns_of(metric, self._summed_counts, self.slots)))
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
    def _summed_counts(self) -> NDArray[np.int64]:
        """int64[slots, cuts], the counts of all labels together."""
        from scipy.sparse import identity, kron

        added = kron(identity(len(self.slots), dtype=np.int64), np.ones((self._width, 1), dtype=np.int64), "csr")
        totals: NDArray[np.int64] = np.cumsum((self._changes @ added).toarray(), axis=0).T
        return totals

    def label_curve(self, metric: Metric, label: int) -> Curve:
        """Return the scores of a label, at the first cut and at those where its counts change."""
        index, counts = _column_changes(self._by_column, np.arange(len(self.slots)) * self._width + label)
        return Curve(index, _float_arrays(metric.formula(columns_of(metric, counts, self.slots))))


class _MeanChanges:
    """The changes of a metric's class scores, averaged over documents, at each cut.

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
        rows = [csr_array(table.additive_rows(here)[2].T) for here in table.document_slices()]
        self._changes: csr_array = (_change_matrix(states, cuts) @ vstack(rows, format="csr")).tocsr()
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

    def label_curve(self, metric: Metric, label: int) -> Curve:
        """Return the mean scores of a label, at the first cut and at those where they may change."""
        columns = np.arange(self._changes.shape[1] // self._width) * self._width + label
        index, sums = _column_changes(self._by_column, columns)
        return Curve(index, self._class_scores(metric, sums.reshape(3, -1, len(index))))

    def _class_scores(self, metric: Metric, sums: NDArray[np.int64]) -> Scores:
        """Return the class scores, each [...], from int64[3, class scores, ...]."""
        assert metric.classes
        return dict(zip((score.name for score in metric.classes.scores), mean_of_parts(sums)))


def _float_arrays(scores: Mapping[str, Any]) -> Scores:
    return {name: np.asarray(values, dtype=float) for name, values in scores.items()}


def _change_matrix(states: States, cuts: NDArray[np.float64]) -> csr_array:
    """Return int64[cuts, states], the matrix that sums states to the changes at each cut.

    The first cut adds the first state of each full group. A later cut adds the states that enter, and subtracts the
    states before them.
    """
    from scipy.sparse import csr_array

    first, entering = np.flatnonzero(np.isnan(states.score)), np.flatnonzero(~np.isnan(states.score))
    at = np.searchsorted(-cuts, -states.score[entering])
    row = np.concatenate([np.zeros(len(first), dtype=np.int64), at, at])
    column = np.concatenate([first, entering, entering - 1])
    sign = np.repeat([1, 1, -1], [len(first), len(entering), len(entering)])
    return csr_array((sign, (row, column)), (len(cuts), len(states.score)))


def _column_changes(changes: Any, columns: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows in which some columns change, int64[points], and the cumulative sums there.

    The first row is always included. The sums are int64[columns, points].
    """
    selected = changes[:, columns]
    index = np.unique(np.append(0, selected.tocoo().coords[0]))
    return index, np.cumsum(selected.tocsr()[index].toarray(), axis=0).T


def metrics_without_curve(metrics: Sequence[Metric]) -> dict[str, str]:
    """Return the names of the metrics that have no curve, each with the reason.

    >>> from spacy_nereval import create
    >>> metrics_without_curve([create("strict"), create("mentions", scope="hits")])
    {'mentions': 'its verdicts depend on the corpus as a whole, so they do not add up over documents'}
    """
    reasons = {}
    for metric in metrics:
        if metric.resolve or metric.distinct:
            reasons[metric.name] = "its verdicts depend on the corpus as a whole, so they do not add up over documents"
    return reasons


def finite_cut(cut: float) -> float | None:
    """Return a cut as its value in a result: None for infinity, which keeps nothing."""
    return cut if np.isfinite(cut) else None


def curve_rows(curves: Curves) -> Iterator[dict[str, Any]]:
    """Yield a row per cut, from the highest: of all labels together, then of each label where its counts change.

    Args:
        curves: The curves.

    Yields:
        "label" ("" for all labels), "cut" (None where no prediction is kept), "kept" (the number of predictions of all
        labels that are kept) and METRIC.SCORE for each score, None where it is undefined.
    """
    overall = [
        (f"{metric.name}.{score.name}", curves.overall(metric)[score.name])
        for metric in curves.metrics
        for score in curve_scores(metric.scores)
    ]
    all_cuts = np.arange(len(curves.cuts))
    yield from _cut_rows(curves, "", all_cuts, overall)
    for label in curves.labels:
        of_label = [(metric, curves.label_curve(metric, label)) for metric in curves.metrics]
        indices = np.unique(np.concatenate([curve.at for _, curve in of_label]))
        columns = [
            (f"{metric.name}.{score.name}", curve.values_at(score.name, indices))
            for metric, curve in of_label
            for score in curve_scores(metric.label_scores)
        ]
        yield from _cut_rows(curves, label, indices, columns)


def curve_columns(metrics: Sequence[Metric]) -> list[str]:
    """Return the names of the columns of `curve_rows`."""
    names = [
        f"{metric.name}.{score.name}"
        for metric in metrics
        for score in curve_scores([*metric.scores, *metric.label_scores])
    ]
    return ["label", "cut", "kept", *dict.fromkeys(names)]


def _cut_rows(curves: Curves, label: str, indices: Any, scores: Sequence[tuple[str, Any]]) -> Iterator[dict[str, Any]]:
    empty = dict.fromkeys(curve_columns(curves.metrics))
    cuts, numbers_kept = curves.cuts[indices].tolist(), curves.kept[indices].tolist()
    lists = [(name, make_plain(values.tolist())) for name, values in scores]
    for k, (value, number) in enumerate(zip(cuts, numbers_kept)):
        yield empty | {
            "label": label,
            "cut": finite_cut(value),
            "kept": number,
            **{name: values[k] for name, values in lists},
        }
