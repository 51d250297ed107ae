"""Scores by an attribute of the span: the same verdicts, with buckets instead of labels.

A verdict counts in the bucket of its gold span, or of its predicted span if it has no
gold one (the other way round with focus="system"). A span counts where its first verdict
counts. So every span is in exactly one bucket, and the buckets sum to the whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.declaration import Kind, Metric, Verdict
from ..core.lexicon import Lexicon
from ..core.messages import named
from ..core.spans import Document, Span
from ..counting.counts import Counts
from ..counting.sums import HIGH, LOW, NUMBER, Key, split
from ..counting.table import summed
from .attributes import AttributeContext, RequestedAttribute, requested_attribute
from .buckets import Value, bucketed
from .intervals import Confidence, intervals
from .result import plain
from .scores import score_sums

_Row = tuple[str, str, Value | None, Value | None, str, str, int]
"""An amount of a verdict or a kind of span: the metric, the verdict, the values of its spans, None for no span, the
quantity, the note, and the amount."""


class Breakdown:
    """Counts of some metrics by the values of one attribute, one document at a time.

    Args:
        metrics: What to count.
        by: The attribute, as `--by` names it.
        lexicon: The lexicon of the training data, for attributes that need it.
        apart: Whether documents are kept apart, as intervals, averages over documents (wrf) and `counts` need them.

    Raises:
        ValueError: There is no such attribute, or it needs training data and there are none.

    >>> from spacy_nereval import Document, create
    >>> found = Breakdown([create("strict")], "eLen")
    >>> found.add(Document([(0, 3, "A"), (4, 11, "A")], [(0, 3, "A")], "Ada New Ulm"))
    >>> {bucket: row["counts"] for bucket, row in found.result()["metrics"]["strict"].items()}
    {'1': {'tp': 1, 'fp': 0, 'fn': 0}, '2': {'tp': 0, 'fp': 0, 'fn': 1}}
    """

    def __init__(
        self,
        metrics: Iterable[Metric],
        by: str | RequestedAttribute,
        lexicon: Lexicon | None = None,
        *,
        apart: bool = True,
    ) -> None:
        self.by: RequestedAttribute = requested_attribute(by) if isinstance(by, str) else by
        self.lexicon = lexicon
        if self.by.attribute.needs_lexicon and not lexicon:
            raise ValueError(
                f"{self.by.name} needs training data to look spans up in: give {named('train', 'FILE')}, "
                "a corpus or a lexicon that 'nereval training' wrote"
            )
        self._gold: Counter[Value] = Counter()
        self._pred: Counter[Value] = Counter()
        self._values: dict[Value, None] = {}
        self._ids: list[str | None] = []
        # Each metric has its own rows, since each decides where a pair counts.
        self._metrics = tuple(metrics)
        self._apart = apart
        self._rows: list[Counter[tuple[Any, ...]]] = [Counter() for _ in self._metrics]

    def add(
        self,
        document: Document | None,
        value: Mapping[Span, Value] | None = None,
        verdicts: Sequence[Iterable[Verdict]] | None = None,
    ) -> None:
        """Count one document; None, for one without gold annotation, counts nothing.

        Args:
            document: The document.
            value: The value of each of its spans, and of others, if it is known.
            verdicts: The verdicts of each metric on it, if they are known.
        """
        if document is None:
            return
        value = self.values(document, dict.fromkeys((*document.gold, *document.pred))) if value is None else value
        for spans, numbers in ((document.gold, self._gold), (document.pred, self._pred)):
            for span in spans:
                numbers[value[span]] += 1
                self._values[value[span]] = None
        number = len(self._ids) if self._apart else 0
        found = [metric.verdicts(document) for metric in self._metrics] if verdicts is None else verdicts
        for metric, own, rows in zip(self._metrics, found, self._rows):
            for *key, amount in _rows(metric, own, document, value):
                rows[(number, *key)] += amount
        if self._apart or not self._ids:
            self._ids.append(document.id if self._apart else None)

    def values(self, document: Document, spans: Iterable[Span]) -> dict[Span, Value]:
        """Return the value of spans of a document."""
        context = AttributeContext(document, self.lexicon)
        return {span: self.by.attribute.value(context, span) for span in spans}

    @property
    def bucket_of(self) -> dict[Value, str]:
        """The bucket of each value so far, in the order of the buckets."""
        gold = {value: self._gold[value] for value in self._values}
        return bucketed(gold, self.by.buckets, self.by.attribute.zero)

    def result(self, whole: Counts | None = None, confidence: Confidence | None = None) -> dict[str, Any]:
        """Return the buckets in ascending order, the spans in each, and each metric's scores and counts of each.

        Args:
            whole: The counts by label, which know the units.
            confidence: Settings of intervals, which each bucket then has; None for no intervals.
        """
        bucket_of = self.bucket_of
        buckets = list(dict.fromkeys(bucket_of.values()))
        metrics = {}
        for metric, rows in zip(self._metrics, self._rows):
            (own,) = score_sums(summed(self._counts(metric, rows, bucket_of), labels=buckets))
            metrics[metric.name] = {
                bucket: {
                    what: {name: values[k, 0] for name, values in table.items()}
                    for what, table in (("scores", own.label_scores), ("counts", own.label_counts))
                }
                for k, bucket in enumerate(buckets)
            }
            if confidence and whole:
                bounds = intervals(self.counts(metric.name, whole), confidence)[metric.name]["per_type"]
                for bucket, row in metrics[metric.name].items():
                    row["intervals"] = bounds[bucket]
        sides = {
            side: {bucket: sum(n for value, n in numbers.items() if bucket_of[value] == bucket) for bucket in buckets}
            for side, numbers in (("gold", self._gold), ("pred", self._pred))
        }
        found = {"by": self.by.name, "buckets": buckets, **sides, "metrics": metrics}
        if self.by.attribute.needs_lexicon and self.lexicon:
            found["training"] = self.lexicon.digest
        result: dict[str, Any] = plain(found)
        return result

    def counts(self, name: str, whole: Counts) -> Counts:
        """Return the counts of a metric with buckets instead of labels, and with the units of the counts by label."""
        place = next(k for k, metric in enumerate(self._metrics) if metric.name == name)
        found = self._counts(self._metrics[place], self._rows[place], self.bucket_of)
        found.ids, found.units, found.unit = [*whole.ids], [*whole.units], whole.unit
        return found

    def _counts(self, metric: Metric, rows: Mapping[tuple[Any, ...], int], bucket_of: Mapping[Value, str]) -> Counts:
        """Return the table of one metric, with buckets instead of labels."""
        from scipy.sparse import csr_array

        # The rows hold all verdicts, including those on spans that need no judge.
        counts = Counts([replace(metric, scope="document", judge=metric.verdicts)])
        counts.by = self.by.name
        columns: dict[Key, int] = {}
        places = []
        for number, name, verdict, *values, quantity, note in rows:
            gold, pred = ("" if value is None else bucket_of[value] for value in values)
            key = Key(name, verdict, gold, pred, quantity, note)
            places.append((number, columns.setdefault(key, len(columns))))
        doc, column = np.array(places, dtype=np.int64).reshape(-1, 2).T
        amount = np.array([*rows.values()], dtype=np.int64)
        cells = csr_array((amount, (doc, column)), (len(self._ids), len(columns)))
        counts.append(self._ids, [], cells, [*columns])
        return counts


def breakdown(
    documents: Iterable[Document | None], metrics: Iterable[Metric], by: str = "eLen", lexicon: Lexicon | None = None
) -> dict[str, Any]:
    """Return the result of a `Breakdown` of all documents."""
    found = Breakdown(metrics, by, lexicon)
    for document in documents:
        found.add(document)
    return found.result()


def gold_of_bucket(documents: Sequence[Document | None], by: str, bucket: str | None) -> list[set[Span]]:
    """Return the gold spans of each document that are in a bucket of an attribute that needs no training data.

    >>> gold_of_bucket([Document([(0, 3, "A"), (4, 11, "A")], [], "Ada New Ulm")], "eLen", "2")
    [{Span(start=4, end=11, label='A')}]
    """
    sliced = Breakdown([], by)
    for document in documents:
        sliced.add(document)
    bucket_of, value = sliced.bucket_of, sliced.by.attribute.value
    contexts = [document and AttributeContext(document, None) for document in documents]
    return [
        {span for span in own.document.gold if bucket_of[value(own, span)] == bucket} if own else set()
        for own in contexts
    ]


def _rows(
    metric: Metric, verdicts: Iterable[Verdict], document: Document, value: Mapping[Span, Value]
) -> Iterator[_Row]:
    """Yield what one metric counts in a document."""
    home: dict[tuple[Kind, Span], Value] = {}  # where each span counts
    sides = (Kind.MISS, document.gold), (Kind.SPURIOUS, document.pred)
    for name, gold, pred, amount in verdicts:
        leading = (pred or gold) if metric.focus == "system" else (gold or pred)
        for kind, span in ((Kind.MISS, gold), (Kind.SPURIOUS, pred)):
            if span and leading:
                home.setdefault((kind, span), value[leading])
        if name in metric.verdict_names:
            note = metric.note(document, gold or pred) if metric.note else ""
            values = (value[gold] if gold else None), (value[pred] if pred else None)
            if name in metric.partial_credit:
                high, low = split(np.array(amount)).tolist()
                for quantity, number in ((NUMBER, 1), (HIGH, int(high)), (LOW, int(low))):
                    yield metric.name, name, *values, quantity, note, number
            else:
                yield metric.name, name, *values, NUMBER, note, int(amount)
    for kind, spans in sides:
        for span in spans:
            own = home.get((kind, span), value[span])
            gold_value, pred_value = (own, None) if kind is Kind.MISS else (None, own)
            yield "", kind.value, gold_value, pred_value, NUMBER, "", 1
