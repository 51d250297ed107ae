"""From counts to scores: formulas that broadcast, averages, and the one result that
everything else prints."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .metric import GOLD_SPANS, PRED_SPANS
from .counts import CONTESTED_GOLD, HIT, MISS, NONE, SPURIOUS, Counts, count

if TYPE_CHECKING:
    from .metric import Metric
    from .spans import Document

Array = Any
"""A number or an array; the formulas do not mind which."""

AVERAGES = ("micro", "macro", "weighted", "docs")


def ratio(part: Array, whole: Array) -> Array:
    """part / whole, and NaN where the whole is 0.

    >>> ratio(np.array([1, 0]), np.array([2, 0]))
    array([0.5, nan])
    """
    part, whole = np.asarray(part, dtype=float), np.asarray(whole, dtype=float)
    return np.divide(part, whole, out=np.full(np.broadcast(part, whole).shape, np.nan), where=whole != 0)[()]


def prf(tp: Array, fp: Array, fn: Array, beta: float = 1.0) -> dict[str, Array]:
    """Precision, recall and F-beta from counts.

    F is 0, not undefined, when only one side has spans.

    >>> prf(0, 0, 3)
    {'p': np.float64(nan), 'r': np.float64(0.0), 'f': np.float64(0.0)}
    """
    b2 = beta**2
    f = ratio((1 + b2) * tp, (1 + b2) * tp + b2 * fn + fp)
    return {"p": ratio(tp, tp + fp), "r": ratio(tp, tp + fn), "f": f}


def weight_table(
    weights: str | Mapping[str, float], named: Mapping[str, Mapping[str, float]], kinds: Sequence[str]
) -> dict[str, float]:
    """A table of weights, given by name or in full; kinds left out weigh 1.

    Raises ValueError for an unknown kind or a weight that is negative or no number.
    """
    if isinstance(weights, str):
        return dict(named[weights])
    for kind, weight in weights.items():
        if kind not in kinds:
            raise ValueError(f"weights = {dict(weights)!r}: there is no {kind!r}; there are {', '.join(kinds)}")
        if not (weight >= 0 and math.isfinite(weight)):
            raise ValueError(f"weights = {dict(weights)!r}: the weight of {kind!r} is not a number from 0 up")
    return dict.fromkeys(kinds, 1.0) | dict(weights)


class View:
    """One metric's counts, summed as a score needs them.

    A view of the corpus has scalars and rows of labels; a view `per_document`
    has one more axis in front. The formulas do not see the difference.
    """

    def __init__(self, counts: Counts, metric: Metric, *, per_document: bool = False) -> None:
        self.counts = counts
        self.metric = metric
        self.per_document = per_document
        self.labels = counts.labels

    @cached_property
    def _rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Document, verdict, gold and predicted label (in sorted order), and amount of every row."""
        rows = self.counts.rows[self.counts.metrics.index(self.metric)].array()
        if self.metric.settled:
            verdict_of = np.full(5, NONE)
            verdict_of[[HIT, MISS, SPURIOUS]] = [self.metric.verdict_names.index(v) for v in self.metric.settled]
            settled = self.counts.settled.array()
            settled = settled[settled[:, 1] < CONTESTED_GOLD].copy()
            settled[:, 1] = verdict_of[settled[:, 1].astype(int)]
            rows = np.concatenate([settled, rows])
        if self.metric.floats:  # a fixed order of summation: floats too ignore the order of documents
            rows = rows[np.lexsort(rows.T)]
        return self._renamed(rows)

    def _renamed(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        place = np.array([self.labels.index(label) for label in self.counts.label_ids] + [NONE])
        doc, verdict, gold, pred = rows[:, :4].astype(np.int64).T
        return doc, verdict, place[gold], place[pred], rows[:, 4]

    @cached_property
    def _settled(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return self._renamed(self.counts.settled.array())

    @cached_property
    def _label(self) -> np.ndarray:
        """The label that each row counts for."""
        _, _, gold, pred, _ = self._rows
        first, second = (gold, pred) if self.metric.focus == "target" else (pred, gold)
        return np.where(first != NONE, first, second)

    def _columns(self, key: np.ndarray, size: int) -> dict[str, np.ndarray]:
        """The metric's columns, summed by key; rows with a negative key are left out."""
        _, verdict, _, _, amount = self._rows
        names = self.metric.verdict_names
        kept = key >= 0
        cells = (key * len(names) + verdict)[kept]
        summed = np.bincount(cells, amount[kept], minlength=size * len(names)).reshape(size, len(names))
        return {
            column: summed[:, [names.index(name) for name in sources]]
            .sum(axis=1)
            .astype(float if column in self.metric.floats else np.int64)
            for column, sources in self.metric.columns.items()
            if not isinstance(sources, str)
        }

    def sums(self, *, by_label: bool = False) -> dict[str, np.ndarray]:
        """Each column summed, with axes `[documents,] [labels]` as asked for, and the
        number of gold and predicted spans."""
        shape = ((self.counts.documents,) if self.per_document else ()) + ((len(self.labels),) if by_label else ())
        size = math.prod(shape)

        def keys(doc: np.ndarray, label: np.ndarray) -> np.ndarray:
            key = label if by_label else np.zeros_like(doc)
            step = len(self.labels) if by_label else 1
            return np.where(key >= 0, doc * step + key, NONE) if self.per_document else key

        columns = self._columns(keys(self._rows[0], self._label), size)
        doc, _, *sides, _ = self._settled
        for name, label in zip((GOLD_SPANS, PRED_SPANS), sides):
            columns[name] = np.bincount(keys(doc, label)[label != NONE], minlength=size)
        named = {column: columns[names] for column, names in self.metric.columns.items() if isinstance(names, str)}
        return {name: column.reshape(shape)[()] for name, column in (columns | named).items()}

    def means(
        self, score: Callable[[Mapping[str, np.ndarray]], dict[str, np.ndarray]], *, by_label: bool = False
    ) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Per score its mean over the documents where it is defined, and their number."""
        doc, n = self._rows[0], len(self.labels)
        key = self._label if by_label else np.zeros(len(doc), dtype=np.int64)
        width = n if by_label else 1
        cells, key = np.unique(np.where(key >= 0, doc * width + key, NONE), return_inverse=True)
        key = key - (cells[:1] == NONE).sum()
        cells = cells[cells != NONE]
        columns = self._columns(key, len(cells))
        where = cells if self.per_document else cells % width
        size = (self.counts.documents if self.per_document else 1) * width
        means, numbers = {}, {}
        for name, values in score(columns).items():
            order = np.argsort(values, kind="stable")  # NaN last; a fixed order of summation
            order = order[np.isfinite(values[order])]
            number = np.bincount(where[order], minlength=size)
            mean = ratio(np.bincount(where[order], values[order], minlength=size), number)
            shape = ((self.counts.documents,) if self.per_document else ()) + ((n,) if by_label else ())
            means[name], numbers[name] = np.reshape(mean, shape)[()], np.reshape(number, shape)[()]
        return means, numbers

    def confusion(self) -> dict[str, dict[str, int]] | None:
        """Gold label to predicted label to number; "" stands for no span."""
        if self.metric.confusion is None:
            return None
        _, verdict, gold, pred, _ = self._rows
        shown = np.isin(verdict, [self.metric.verdict_names.index(name) for name in self.metric.confusion])
        names = ("", *self.labels)
        cells, numbers = np.unique((gold[shown] + 1) * len(names) + pred[shown] + 1, return_counts=True)
        matrix: dict[str, dict[str, int]] = {}
        for cell, number in zip(cells.tolist(), numbers.tolist()):
            a, b = divmod(cell, len(names))
            matrix.setdefault(names[a], {})[names[b]] = number
        return matrix


class Summary(NamedTuple):
    """Overall and per-label scores and counts; `extra` goes into the result as it is."""

    scores: dict[str, np.ndarray]
    counts: dict[str, np.ndarray]
    label_scores: dict[str, np.ndarray]
    label_counts: dict[str, np.ndarray]
    extra: dict[str, Any] = {}


def summarise(view: View) -> Summary:
    """The scores of the summed counts, over all and per label."""
    metric = view.metric
    if metric.summary:
        return metric.summary(view)
    total, labels = view.sums(), view.sums(by_label=True)
    extra = metric.details(total) if metric.details else {}
    shown, label_shown = ({column: n[column] for column in metric.columns} for n in (total, labels))
    return Summary(metric.score(total), shown, metric.score(labels), label_shown, extra)


def averages(view: View, summary: Summary) -> dict[str, dict[str, Any]]:
    """The macro, weighted and document averages of every score.

    Undefined scores are left out of an average, and `undefined` says how many
    labels or documents that were.
    """
    result = {}
    for name, weight in (
        ("macro", np.ones(len(view.labels))),
        ("weighted", view.sums(by_label=True)[GOLD_SPANS]),
    ):
        result[name] = _averaged(view.metric, summary.label_scores, weight)
    result["docs"] = _averaged(view.metric, document_scores(view.counts, view.metric), np.ones(view.counts.documents))
    return result


def document_scores(counts: Counts, metric: Metric) -> dict[str, np.ndarray]:
    """Every overall score as float[documents]."""
    view = View(counts, metric, per_document=True)
    return metric.summary(view).scores if metric.summary else metric.score(view.sums())


def _averaged(metric: Metric, scores: Mapping[str, np.ndarray], weight: np.ndarray) -> dict[str, Any]:
    averaged: dict[str, Any] = {}
    undefined = {}
    for name, values in scores.items():
        if name in metric.totals:
            continue
        defined = np.isfinite(values)
        total = weight[defined].sum()
        averaged[name] = math.fsum(values[defined] * weight[defined]) / total if total else math.nan
        undefined[name] = int((~defined).sum())
    return averaged | {"undefined": undefined}


def evaluate(counts: Counts) -> dict[str, Any]:
    """The result: plain Python, ready for JSON, None where a score is undefined."""
    from .signature import signature  # the only part that asks for versions

    metrics = {}
    for metric in counts.metrics:
        view = View(counts, metric)
        summary = summarise(view)
        per_type = {
            label: {
                "scores": {name: values[k] for name, values in summary.label_scores.items()},
                "counts": {name: values[k] for name, values in summary.label_counts.items()},
            }
            for k, label in enumerate(view.labels)
        }
        metrics[metric.name] = {
            "settings": metric.settings,
            "scores": summary.scores,
            "counts": summary.counts,
            **summary.extra,
            "averages": averages(view, summary),
            "per_type": per_type,
            **({} if metric.confusion is None else {"confusion": view.confusion()}),
        }
    return plain(
        {
            **signature(counts),
            "documents": counts.documents,
            "skipped": counts.skipped,
            "gold": counts.gold,
            "pred": counts.pred,
            "ignored": counts.ignored,
            "metrics": metrics,
        }
    )


def score(documents: Iterable[Document | None], metrics: Any = None) -> dict[str, Any]:
    """Score documents with some metrics: names, or a table `{name: options}`; by
    default the six of the papers.

    >>> from spacy_nereval import Document
    >>> result = score([Document(gold=[(0, 5, "A")], pred=[(0, 4, "A")])], ["strict", "fair"])
    >>> result["metrics"]["fair"]["counts"]["be_s"], result["metrics"]["strict"]["scores"]["f"]
    (1, 0.0)
    """
    from .metric import create_all

    return evaluate(count(documents, create_all(metrics)))


def plain(value: Any) -> Any:
    """The same in plain Python, with None for what is not finite."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
