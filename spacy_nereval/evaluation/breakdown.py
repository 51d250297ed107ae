"""Scores by an attribute of the span: the verdicts, with buckets in the place of labels.

A verdict counts in the bucket of its gold span, or of its predicted span if it
has no gold one (the other way about with focus="system"), and a span where its
first verdict counts. So every span is in exactly one bucket, and the buckets
sum to the whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.declaration import Metric, Verdict
from ..core.lexicon import Training
from ..core.spans import Document, Span
from ..counting.batch import MISS, SPURIOUS
from ..counting.counts import NONE, Counts
from ..counting.views import View
from .attributes import AttributeContext, RequestedAttribute, requested_attribute
from .buckets import Value, bucketed
from .result import plain
from .scores import summarise


class Breakdown:
    """Counts of some metrics by the values of one attribute.

    Raises ValueError if the attribute is unknown, or needs training counts and
    there are none.

    >>> from spacy_nereval import Document, create
    >>> found = Breakdown([create("strict")], "eLen")
    >>> found.add(Document([(0, 3, "A"), (4, 11, "A")], [(0, 3, "A")], "Ada New Ulm"))
    >>> {bucket: row["counts"] for bucket, row in found.result()["metrics"]["strict"].items()}
    {'1': {'tp': 1, 'fp': 0, 'fn': 0}, '2': {'tp': 0, 'fp': 0, 'fn': 1}}
    """

    def __init__(
        self, metrics: Iterable[Metric], by: str | RequestedAttribute, training: Training | None = None
    ) -> None:
        self.asked = requested_attribute(by) if isinstance(by, str) else by
        self.training = training
        if self.asked.attribute.needs_lexicon and not training:
            raise ValueError(
                f"{self.asked.name} looks spans up in training data: name it with --train FILE, "
                "a corpus or a table that 'python -m spacy nereval training' wrote"
            )
        self.gold: Counter[Value] = Counter()
        self.pred: Counter[Value] = Counter()
        self.ids: dict[Value, int] = {}
        metrics = tuple(metrics)
        # A table of counts for each metric, as each decides for itself where a pair counts.
        self.counts = [Counts([replace(metric, settled=None, tally=None)]) for metric in metrics]
        self.judges = [metric.verdicts for metric in metrics]

    def add(self, document: Document | None) -> None:
        """Count one document. One without annotation counts nothing."""
        if document is None:
            return
        context = AttributeContext(document, self.training)
        value = {span: self.asked.attribute.value(context, span) for span in {*document.gold, *document.pred}}
        id_of = {span: self.ids.setdefault(its, len(self.ids)) for span, its in value.items()}
        self.gold.update(value[span] for span in document.gold)
        self.pred.update(value[span] for span in document.pred)
        for counts, judge in zip(self.counts, self.judges):
            _add(counts, document, judge(document), id_of)

    def result(self) -> dict[str, Any]:
        """The buckets in ascending order, the spans in each, and each metric's scores and counts of each."""
        bucket_of = bucketed(
            {value: self.gold[value] for value in self.ids}, self.asked.buckets, self.asked.attribute.zero
        )
        buckets = list(dict.fromkeys(bucket_of.values()))
        places = np.array([buckets.index(bucket_of[value]) for value in self.ids] + [NONE])
        metrics = {}
        for counts in self.counts:
            by_bucket = _renamed(counts, self.asked.name, places, buckets)
            view = View(by_bucket, by_bucket.metrics[0])
            summary = summarise(view)
            metrics[view.metric.name] = {
                bucket: {
                    "scores": {
                        name: values[view.labels.index(bucket)] for name, values in summary.label_scores.items()
                    },
                    "counts": {
                        name: values[view.labels.index(bucket)] for name, values in summary.label_counts.items()
                    },
                }
                for bucket in buckets
            }
        sides = {
            side: {bucket: sum(n for value, n in numbers.items() if bucket_of[value] == bucket) for bucket in buckets}
            for side, numbers in (("gold", self.gold), ("pred", self.pred))
        }
        found = {"by": self.asked.name, "buckets": buckets, **sides, "metrics": metrics}
        if self.asked.attribute.needs_lexicon and self.training:
            found["training"] = self.training.digest
        return plain(found)


def breakdown(
    documents: Iterable[Document | None], metrics: Iterable[Metric], by: str = "eLen", training: Training | None = None
) -> dict[str, Any]:
    """The result of a `Breakdown` of all documents."""
    found = Breakdown(metrics, by, training)
    for document in documents:
        found.add(document)
    return found.result()


def _add(counts: Counts, document: Document, verdicts: Iterable[Verdict], id_of: Mapping[Span, int]) -> None:
    """Count the verdicts on a document as `Counts` does, with the ids of values for those of labels."""
    (metric,), (rows,), doc = counts.metrics, counts.rows, counts.documents
    counts.documents += 1
    counts.ids.append(document.id)
    home: dict[tuple[str, Span], int] = {}  # where each span counts
    for name, gold, pred, amount in verdicts:
        for side, span in (("gold", gold), ("pred", pred)):
            if span:
                leading = (gold or pred) if metric.focus == "target" else (pred or gold)
                home.setdefault((side, span), id_of[leading or span])
        if name in metric.verdict_names:
            note = counts.note_ids.setdefault(metric.note(document, gold), len(counts.note_ids)) if metric.note else 0
            row = metric.verdict_names.index(name), *(id_of[s] if s else NONE for s in (gold, pred)), amount
            rows.append((doc, *row, *([note] if metric.note else [])))
    for side, kind, spans in (("gold", MISS, document.gold), ("pred", SPURIOUS, document.pred)):
        for span in spans:
            id = home.get((side, span), id_of[span])
            counts.settled.append((doc, kind, *((id, NONE) if side == "gold" else (NONE, id)), 1))


def _renamed(counts: Counts, by: str, places: np.ndarray, buckets: Sequence[str]) -> Counts:
    """The same counts with each value's bucket in the place of its id."""
    renamed = Counts(counts.metrics)
    renamed.documents, renamed.ids, renamed.note_ids = counts.documents, counts.ids, counts.note_ids
    renamed.by = by
    renamed.label_ids = {bucket: k for k, bucket in enumerate(buckets)}
    for target, source in zip((renamed.settled, *renamed.rows), (counts.settled, *counts.rows)):
        rows = source.array().copy()
        rows[:, 2:4] = places[rows[:, 2:4].astype(int)]  # NONE, -1, finds the last
        target.extend(rows)
    return renamed
