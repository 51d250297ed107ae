"""What each annotator says about each token or character of the shared documents.

A stretch is a token, or characters between two boundaries of spans, about which every
annotator says one thing throughout. Its value for an annotator is the set of labels of the
spans that share a character with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.messages import named
from ...core.spans import Document
from .documents import SharedDocuments

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Numbers = NDArray[np.int64]

Unit = Literal["token", "char"]
UNITS: tuple[Unit, ...] = ("token", "char")
"""What alpha is computed on."""

MISSING, NOTHING = -1, 0
"""The value of an annotator who has not annotated the document, and of one who marks nothing there."""


class SpanRows(NamedTuple):
    """The spans of all annotators as columns, sorted by document, annotator, start, end and label.

    doc, annotator, label, start, end: int64[spans]. Zero-length spans and mentions that the
    text does not have are left out: no unit has them.
    """

    doc: Numbers
    annotator: Numbers
    label: Numbers
    start: Numbers
    end: Numbers


def span_rows(shared: SharedDocuments) -> SpanRows:
    """Return the spans of all annotators as columns; labels by their number in `shared.labels`."""
    number = {label: k for k, label in enumerate(shared.labels)}
    column = {name: k for k, name in enumerate(shared.annotators)}
    found = [
        (doc, column[name], start, end, number[label])
        for doc, each in enumerate(shared.documents)
        for name, spans in each.spans.items()
        for start, end, label in spans
        if start < end and not each.base.is_invented((start, end, label))
    ]
    table = np.array(sorted(found), dtype=np.int64).reshape(-1, 5).T
    return SpanRows(doc=table[0], annotator=table[1], start=table[2], end=table[3], label=table[4])


def lengths(shared: SharedDocuments) -> list[int | None]:
    """Return the length of each document in characters; in tokens if only these are known, None if neither is."""
    return [_length(each.base) for each in shared.documents]


def _length(base: Document) -> int | None:
    if (text := base.own_text) is not None:
        return len(text)
    return None if base.tokens is None else max((end for _, end in base.tokens), default=0)


class Stretches:
    """The stretches of the shared documents that some annotator marks, and each annotator's value there.

    Args:
        shared: The documents.
        spans: Their spans.
        unit: Whether a stretch is a token, or characters between boundaries.

    Raises:
        ValueError: A document has neither a text nor tokens.

    Attributes:
        doc: int64[stretches], the document. weight: int64[stretches], the number of units.
        values: int64[stretches, annotators], numbers of values, `MISSING` or `NOTHING`.
        sets: The set of labels of each number of a value, by its numbers in `shared.labels`.
        first, last: int64[spans], the range of the stretches that each span touches.
        present: bool[documents, annotators], who annotated which document.
        units: int64[documents], the number of units of each document.
        rest: int64[documents], the units that nobody marks.
        having: int64[rows] each: a stretch, a label, and how many annotators have the label there.
    """

    def __init__(self, shared: SharedDocuments, spans: SpanRows, unit: Unit) -> None:
        self.labels: tuple[str, ...] = shared.labels
        self.present: NDArray[np.bool_] = np.array(
            [[name in each.spans for name in shared.annotators] for each in shared.documents]
        )
        edges = _tokens(shared) if unit == "token" else _between_boundaries(shared, spans)
        self.units: Numbers = edges.units
        place = edges.offset[spans.doc]
        first = np.searchsorted(edges.end, spans.start + place, "right")
        last = np.maximum(np.searchsorted(edges.start, spans.end + place, "left"), first)
        size = last - first
        touched = np.repeat(first - np.cumsum(size) + size, size) + np.arange(size.sum())
        of_span = np.repeat(np.arange(len(size)), size)
        used, row = np.unique(touched, return_inverse=True)
        self.doc: Numbers = edges.doc[used]
        self.weight: Numbers = edges.weight[used]
        self.first: Numbers = np.searchsorted(used, first)
        self.last: Numbers = self.first + size
        self._set_values(row, spans.annotator[of_span], spans.label[of_span])
        self.rest: Numbers = self.units - np.bincount(self.doc, self.weight, len(self.units)).astype(np.int64)

    def _set_values(self, row: Numbers, annotator: Numbers, label: Numbers) -> None:
        """Number the sets of labels. Almost all have one label."""
        rows, people = len(self.doc), self.present.shape[1]
        self.values: Numbers = np.where(self.present[self.doc], NOTHING, MISSING).reshape(rows, people)
        marks = np.unique((row * people + annotator) * max(len(self.labels), 1) + label)
        cell, label = np.divmod(marks, max(len(self.labels), 1))
        starts = np.flatnonzero(np.diff(cell, prepend=-1))
        sizes = np.diff(starts, append=len(cell))
        self.sets: list[frozenset[int]] = [frozenset(), *(frozenset({k}) for k in range(len(self.labels)))]
        found = label[starts] + 1
        number: dict[frozenset[int], int] = {}
        for k in np.flatnonzero(sizes > 1).tolist():
            value = frozenset(label[starts[k] : starts[k] + sizes[k]].tolist())
            found[k] = number.setdefault(value, len(self.sets))
            if found[k] == len(self.sets):
                self.sets.append(value)
        self.values.flat[cell[starts]] = found
        pairs, having = np.unique(cell // people * max(len(self.labels), 1) + label, return_counts=True)
        self.having: tuple[Numbers, Numbers, Numbers] = (*np.divmod(pairs, max(len(self.labels), 1)), having)

    @cached_property
    def people(self) -> Numbers:
        """int64[documents], how many annotated each document."""
        found: Numbers = self.present.sum(axis=1)
        return found

    def column(self, amounts: NDArray[Any]) -> csr_array:
        """Return amounts per document as a sparse column, float64[documents, 1]."""
        from scipy.sparse import csr_array

        return csr_array(amounts.astype(float).reshape(-1, 1))

    def added(self, amounts: NDArray[Any]) -> NDArray[np.float64]:
        """Return amounts per stretch, float64[stretches], times its units, added up per document."""
        return np.bincount(self.doc, amounts * self.weight, len(self.units)).astype(float)

    def by_value(self, values: Numbers, amounts: NDArray[Any], rest: NDArray[Any]) -> csr_array:
        """Return how often each value occurs in each document, float64[documents, values], sparse.

        Args:
            values: int64[stretches, columns]; negative ones are left out.
            amounts: What each counts, float64[stretches, columns], times the units of the stretch.
            rest: float64[documents], added for `NOTHING`.
        """
        from scipy.sparse import csr_array

        rows, columns = np.nonzero(values >= 0)
        documents = np.arange(len(rest))
        shape = len(rest), int(max(values.max(initial=0), len(self.sets) - 1)) + 1
        data = np.concatenate([(amounts * self.weight[:, None])[rows, columns], rest])
        at = np.concatenate([self.doc[rows], documents]), np.concatenate([values[rows, columns], 0 * documents])
        return csr_array((data, at), shape=shape)

    def equal_pairs(self, values: Numbers) -> NDArray[np.float64]:
        """Return how many ordered pairs of annotators have equal values in each stretch; negative ones are none."""
        found = np.zeros(len(self.doc))
        for k in range(values.shape[1]):
            for other in range(k + 1, values.shape[1]):
                found += 2 * ((values[:, k] == values[:, other]) & (values[:, k] >= 0))
        return found


class _Edges(NamedTuple):
    """Stretches of all documents, one after the other, with the offset of each document."""

    start: Numbers
    end: Numbers
    doc: Numbers
    weight: Numbers
    offset: Numbers
    units: Numbers


def _offsets(sizes: Sequence[int]) -> Numbers:
    """Return where each document begins, if documents follow each other with a gap between them."""
    return np.concatenate([[0], np.cumsum(np.array(sizes, dtype=np.int64) + 1)[:-1]]).astype(np.int64)


def _tokens(shared: SharedDocuments) -> _Edges:
    """Return the tokens: those of the document if all annotators have the same, else what is between white space."""
    listed = [_own_tokens(each.base) for each in shared.documents]
    sizes = [len(words) for words in listed]
    offset = _offsets([max((end for _, end in words), default=0) for words in listed])
    doc = np.repeat(np.arange(len(listed)), sizes)
    both = np.array([word for words in listed for word in words], dtype=np.int64).reshape(-1, 2)
    start, end = (both[:, k] + offset[doc] for k in (0, 1))
    return _Edges(start, end, doc, np.ones(len(doc), dtype=np.int64), offset, np.array(sizes, dtype=np.int64))


def _own_tokens(base: Document) -> list[tuple[int, int]]:
    words = base.words if base.tokens is None else base.tokens
    return words if base.annex is None else [word for word in words if word[1] <= base.annex]


def _between_boundaries(shared: SharedDocuments, spans: SpanRows) -> _Edges:
    known = lengths(shared)
    if None in known:
        raise ValueError(f"document {shared.name_of(known.index(None))} has neither a text nor tokens")
    units = np.array(known, dtype=np.int64)
    offset = _offsets(units.tolist())
    place = offset[spans.doc]
    edges = np.unique(np.concatenate([spans.start + place, spans.end + place]))
    start, end = edges[:-1], edges[1:]
    doc = np.searchsorted(offset, start, "right") - 1
    return _Edges(start, end, doc, end - start, offset, units)


def checked_unit(unit: str) -> Unit:
    """Return a unit. Raise ValueError if there is none of this name.

    >>> checked_unit("char")
    'char'
    """
    for known in UNITS:
        if unit == known:
            return known
    raise ValueError(f"{named('unit', unit)}: expected {' or '.join(UNITS)}")
