"""Count batches of documents into rows of the table of counts."""

from __future__ import annotations

import math
import warnings
from collections import Counter as Tally
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import (
    Metric,
    Verdict,
    check_gaps,
    check_together,
    is_real_number,
    require_verdicts,
    verdict_error,
)
from ..core.messages import shorten
from ..core.pieces import Pieces
from ..core.spans import Document, OverlapGroup
from .batch import (
    Batch,
    Numbers,
    batches,
    chain_shapes,
    count_partners,
    group_shapes,
    kinds_and_groups,
    overlap_group,
)
from .counts import Counts
from .sums import HIGH, LARGEST, Key, Slot, slots, split_amounts
from .unit_keys import fill_numbers

if TYPE_CHECKING:
    from scipy.sparse import csr_array

REMEMBERED = 1 << 14
"""Maximum number of shapes of overlap groups with cached verdicts; beyond it, the cache is cleared."""

CROWDED = 1_000_000
"""Minimum number of (gold, predicted) pairs of an overlap group for a warning that judging it takes long."""

Entry = tuple[int, int, int, int, float]
"""(slot, gold label, predicted label, note, amount). All but the amount are indices; 0 is no label, and no note."""


class Counter:
    """Counts the verdicts of metrics on batches of documents; `counts` has the result.

    Args:
        metrics: The metrics to count.
        units: Whether to record the unit of each document. Intervals need it.

    Raises:
        ValueError: A judge passes a verdict that its metric does not declare, or an amount
            that is not a whole number without declaring partial credit for it; or two
            metrics have one name or one score key.
    """

    def __init__(self, metrics: Iterable[Metric], *, units: bool = True) -> None:
        metrics = tuple(metrics) if not isinstance(metrics, str) else (metrics,)
        if name := next((metric for metric in metrics if not isinstance(metric, Metric)), None):
            line = f"create_all([{name!r}])" if isinstance(name, str) else "score(gold, pred) to score predictions"
            raise ValueError(f"metrics: {shorten(repr(name))} is no metric; write {line}")
        self.counts: Counts = Counts(metrics)
        check_together(self.counts.metrics)
        self._units = units
        self._rules: set[str] = set()
        self._unnamed: Tally[str] = Tally()  # how often each open key occurred (see `fill_numbers`)
        self._slots = slots(self.counts.metrics)
        self._partial = np.array([Slot(slot.metric, slot.verdict, HIGH) in self._slots for slot in self._slots])
        self._label_number: dict[str, int] = {"": 0}
        self._note_number: dict[str, int] = {"": 0}
        self._gap_number: dict[Pieces, int] = {}
        self._judged_groups: dict[bytes, NDArray[np.float64]] = {}
        self._judged_chains: dict[bytes, NDArray[np.float64]] = {}
        metrics = self.counts.metrics
        self._group_metrics = [m for m in metrics if m.scope == "group" and m.judge and not m.count_batch]
        self._chain_metrics = [m for m in metrics if m.chains and not m.count_batch]
        self._document_metrics = [m for m in metrics if m.scope == "document" and not (m.chains or m.count_batch)]
        self._batch_metrics = [m for m in metrics if m.count_batch]

    def add(self, *parts: Batch) -> None:
        """Count the documents of one or more batches that were read together (see `Batch.places`)."""
        for batch in parts:
            self.counts.skipped += batch.skipped
            self.counts.add_on_reading(batch.on_reading)
            self.counts.label_rules = self.counts.label_rules or batch.label_rules
            self.counts.cut = self.counts.cut or batch.cut
            self.counts.mapped |= batch.mapped
            self.counts.unkept.update(batch.unkept)
            self.counts.mentions.update(batch.mentions)
            self.counts.located |= batch.located
            self.counts.partners.update(count_partners(batch))
            self.counts.signs.update(batch.signs)
            if batch.gap is not None:
                check_gaps(self.counts.metrics)
        nonempty = [batch for batch in parts if batch.documents]
        if nonempty:
            # Batches separate documents that are read in different ways; this restores the order of the input.
            order = np.argsort(np.concatenate([batch.places for batch in nonempty])).tolist()
            ids = [*chain.from_iterable(batch.ids for batch in nonempty)]
            units = [*chain.from_iterable(batch.units() for batch in nonempty)] if self._units else []
            if self._units:
                self._rules.update(*(batch.unit_rules for batch in nonempty))
                self.counts.unit = _join_rules(self._rules)
            rows = self._rows(len(ids), np.concatenate([self._cells_of(batch) for batch in nonempty], axis=1))
            gold = np.concatenate([batch.gold_places() for batch in nonempty])[order].tolist()
            numbered = fill_numbers([units[k] for k in order] if units else [], self._unnamed)
            self.counts.append([ids[k] for k in order], numbered, *rows, gold)

    def take_counts(self) -> Counts:
        """Return the counts so far, and start again with empty ones."""
        counts = self.counts
        self.counts = Counts(counts.metrics)
        self.counts.unit, self.counts.label_rules = counts.unit, counts.label_rules
        return counts

    def _cells_of(self, batch: Batch) -> NDArray[np.float64]:
        """Return float64[6, cells], a column per cell: the index of its document, then an `Entry`."""
        for name in batch.labels:
            self._label_number.setdefault(name, len(self._label_number))
        number = np.array([self._label_number[name] for name in batch.labels], dtype=np.int64)
        label = number[batch.label]
        kind, group = kinds_and_groups(batch)
        zeros, ones = np.zeros_like(kind), np.ones(len(kind))
        cells = [np.stack([batch.doc, kind, label * batch.gold, label * batch.pred, zeros, ones])]
        if self._group_metrics:
            shapes = group_shapes(batch, kind, group, label, self._gap_number)
            cells.append(self._shape_cells(self._group_metrics, batch, *shapes))
        if self._chain_metrics:
            shapes = chain_shapes(batch, label, self._gap_number)
            cells.append(self._shape_cells(self._chain_metrics, batch, *shapes))
        cells += [self._document_cells(batch)] if self._document_metrics else []
        cells += self._batch_cells(batch, np.append(number, 0))
        table = np.concatenate(cells, axis=1)
        table[0] = batch.places[table[0].astype(np.int64)]
        return table

    def _shape_cells(
        self, metrics: Sequence[Metric], batch: Batch, first: Numbers, shapes: Sequence[bytes]
    ) -> NDArray[np.float64]:
        """Return the verdicts on overlap groups, or on chains, as cells. Each shape is judged once, since most groups
        of a corpus share their shape with others: with one sentence per document, this is several times as fast.

        Args:
            metrics: `_group_metrics` or `_chain_metrics`.
            batch: The documents.
            first, shapes: What `group_shapes` or `chain_shapes` returns.
        """
        are_groups = metrics is self._group_metrics
        judged = self._judged_groups if are_groups else self._judged_chains
        labels, gaps = list(self._label_number), list(self._gap_number)
        if len(judged) > REMEMBERED:
            judged.clear()
        for k, shape in enumerate(shapes):
            if shape not in judged:
                group = overlap_group(shape, labels, gaps)
                if are_groups:
                    _warn_of_crowd(group, batch.ids[batch.doc[first[k]]])
                judged[shape] = self._judge(metrics, group)
        return _stack_cells(batch.doc[first], [judged[shape] for shape in shapes])

    def _document_cells(self, batch: Batch) -> NDArray[np.float64]:
        """Return the verdicts on whole documents as cells."""
        places = np.arange(batch.documents)
        return _stack_cells(places, [self._judge(self._document_metrics, batch.document(k)) for k in places.tolist()])

    def _batch_cells(self, batch: Batch, number: Numbers) -> Iterator[NDArray[np.float64]]:
        """Yield the verdicts on all documents at once, as arrays of cells. `number` maps a label's
        index in the batch to its number in the counter; its last element is 0, for no span."""
        for metric in self._batch_metrics:
            for verdict, doc, gold, pred, amount in metric.count_batch(batch) if metric.count_batch else ():
                slot = np.full(len(doc), self._slot(metric, verdict))
                yield np.stack([doc, slot, number[gold], number[pred], np.zeros(len(doc)), amount])

    def _judge(self, metrics: Sequence[Metric], spans: OverlapGroup) -> NDArray[np.float64]:
        """Return the verdicts of some metrics on a group or a document, float64[verdicts, 5], each as an `Entry`."""
        return np.fromiter(chain.from_iterable(self._entries(metrics, spans)), dtype=float).reshape(-1, 5)

    def _entries(self, metrics: Sequence[Metric], spans: OverlapGroup) -> Iterator[Entry]:
        labels, notes = self._label_number, self._note_number
        for metric in metrics:
            for verdict in require_verdicts(metric, metric.judge(spans)) if metric.judge else ():
                try:
                    name, gold, pred, amount = verdict
                    slot, note = self._slots[Slot(metric.name, name)], 0
                    if metric.attributes:  # its verdicts name rows
                        for span in (gold, pred):
                            labels.setdefault(span[2] if span else "", len(labels))
                    gold_label, pred_label = labels[gold[2]] if gold else 0, labels[pred[2]] if pred else 0
                except (TypeError, ValueError, LookupError):
                    raise verdict_error(metric, verdict) from None
                if not isinstance(amount, (int, float)) and not is_real_number(amount):
                    raise verdict_error(metric, verdict)
                if text := metric.note_of(spans, name, gold, pred):
                    note = notes.setdefault(text, len(notes))
                yield slot, gold_label, pred_label, note, amount

    def _slot(self, metric: Metric, verdict: str) -> int:
        try:
            return self._slots[Slot(metric.name, verdict)]
        except KeyError:
            raise verdict_error(metric, Verdict(verdict, None, None)) from None

    def _rows(self, documents: int, table: NDArray[np.float64]) -> tuple[csr_array, list[Key]]:
        """Return the rows of the table, and the keys of its columns, for the cells that `_cells_of` returns."""
        from scipy.sparse import csr_array

        amount = table[5]
        doc, slot, gold, pred, note = table[:5].astype(np.int64)
        self._check_amounts(slot, amount)
        partial = np.flatnonzero(self._partial[slot])
        high, low = split_amounts(amount[partial])
        amount[partial] = 1  # the number of verdicts; the sum of their amounts follows, in two parts
        parts = [np.concatenate([array, array[partial], array[partial]]) for array in (doc, slot, gold, pred, note)]
        doc, slot, gold, pred, note = parts
        for k, end in enumerate((len(slot) - len(partial), len(slot))):
            slot[end - len(partial) : end] += 1 + k  # HIGH and LOW follow NUMBER in `slots`
        value = np.concatenate([amount, high, low])
        labels, notes = len(self._label_number), len(self._note_number)
        pairs, pair = np.unique(gold * labels + pred, return_inverse=True)
        codes, column = np.unique((slot * len(pairs) + pair) * notes + note, return_inverse=True)
        rows = csr_array((value.astype(np.int64), (doc, column)), (documents, len(codes)))
        return rows, [*self._keys(codes, pairs)]

    def _check_amounts(self, slot: Numbers, amount: NDArray[np.float64]) -> None:
        """Raise ValueError if an amount cannot be stored exactly, since sums have to be exact."""
        fits = np.where(self._partial[slot], np.isfinite(amount), amount == np.rint(amount))
        if len(wrong := np.flatnonzero(~fits | ~np.isfinite(amount))):
            (metric, verdict, _), value = list(self._slots)[slot[wrong[0]]], amount[wrong[0]].item()
            problem = f"{metric} gives {verdict} the amount {value!r}, which is not a "
            if not math.isfinite(value):
                raise ValueError(problem + "finite number")
            raise ValueError(f"{problem}whole number: declare partial_credit=({verdict!r},)")
        for kind, most in ((self._partial[slot], LARGEST), (~self._partial[slot], 2.0**53)):
            with np.errstate(over="ignore"):
                total = np.abs(amount[kind]).sum()
            if total >= most:
                raise ValueError(
                    f"amounts of one batch add up to {total:.3g}, too much to be exact: "
                    f"use weights so small that they stay below {most:.0e}"
                )

    def _keys(self, codes: Numbers, pairs: Numbers) -> Iterator[Key]:
        """Yield the key of each code that `_rows` made."""
        labels, notes, all_slots = list(self._label_number), list(self._note_number), list(self._slots)
        rest, note = np.divmod(codes, len(notes))
        slot, pair = np.divmod(rest, len(pairs))
        gold, pred = np.divmod(pairs[pair], len(labels))
        for s, g, p, n in zip(slot.tolist(), gold.tolist(), pred.tolist(), note.tolist()):
            metric, verdict, quantity = all_slots[s]
            yield Key(metric, verdict, labels[g], labels[p], quantity, notes[n])


def _warn_of_crowd(group: OverlapGroup, id: str | None) -> None:
    gold, pred = len(group.gold), len(group.pred)
    if gold * pred >= CROWDED:
        where = "a document" if id is None else f"document {shorten(str(id))}"
        warnings.warn(
            f"{gold} gold and {pred} predicted spans of {where} overlap one another: judging them takes time that "
            "grows with the product of both numbers",
            stacklevel=2,
        )


def _stack_cells(doc: Numbers, verdicts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the verdicts on groups or documents as cells. `doc` has the document of each group."""
    empty = np.zeros((0, 5))
    return np.vstack([np.repeat(doc, [*map(len, verdicts)]), np.concatenate([empty, *verdicts]).T])


def count(
    documents: Iterable[Document | None],
    metrics: Iterable[Metric],
    *,
    units: bool = True,
    seen: Callable[[Batch], None] | None = None,
) -> Counts:
    """Count the verdicts of every metric on every document.

    Args:
        documents: Documents, in any order; None for one without gold annotation.
        metrics: The metrics to count, as `create` or `create_all` made them.
        units: Whether to record the unit of each document. Intervals need it.
        seen: Called with each batch of documents that was counted.

    Returns:
        Counts, which can be scored, added, stored and resampled.

    Raises:
        ValueError: A metric lacks a requirement, such as the tokens of a document or an option; its verdicts
            contradict its declaration; or two different metrics have one name.

    >>> from spacy_nereval import Document, create
    >>> count([Document([(0, 3, "A")], [(0, 3, "A")])], [create("strict")]).labels
    ('A',)
    """
    counter = Counter(metrics, units=units)
    for batch in batches(documents):
        counter.add(batch)
        if seen:
            seen(batch)
    return counter.counts


def add_units(counts: Counts, documents: Iterable[Document | None]) -> None:
    """Add the units of documents to counts that were counted without units.

    >>> from spacy_nereval import Document, create
    >>> documents = [Document([(0, 3, "A")], [], id="first")]
    >>> counts = count(documents, [create("strict")], units=False)
    >>> add_units(counts, documents)
    >>> counts.units
    ['first']
    """
    nonempty = [batch for batch in batches(documents) if batch.documents]
    counts.units = fill_numbers(chain.from_iterable(batch.units() for batch in nonempty), Tally())
    counts.unit = _join_rules({*chain.from_iterable(batch.unit_rules for batch in nonempty)} or {counts.unit})


def _join_rules(rules: Iterable[str]) -> str:
    return " and ".join(sorted(rules))
