"""Many documents at once: all their spans in one table, and what each of them is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, compress
from operator import itemgetter
from typing import TypeVar

import numpy as np

from ..core.overlap import groups
from ..core.spans import Contest, Document, Span

HIT, MISS, SPURIOUS, CONTESTED_GOLD, CONTESTED_PRED = range(5)
"""What a span is, for every metric alike. The contested ones are judged by each
metric; they are kept for the number of gold and predicted spans."""

GOLD, PRED = range(2)

TOGETHER, LARGE = 1 << 11, 1 << 16
"""Documents that are read and counted together: at most so many, and no more once they have that many tokens."""

Shape = tuple[tuple[int, int, int, str], ...]
"""What spans are to each other: the side, start, end and label of each, with offsets from where the first starts."""

T = TypeVar("T")


class Batch:
    """Some documents, and an array element for each of their spans: in which document
    it lies (`doc`), on which `side`, its `start` and `end`, and its place among the
    `labels`, which are those that occur. Where None is given, a document had no
    annotation: these are `skipped`, and no part of the batch.

    >>> batch = Batch([Document([], [(0, 3, "A")]), Document([(0, 3, "B"), (5, 9, "B")], [(0, 3, "B"), (5, 8, "A")])])
    >>> batch.doc, batch.labels, sorted(batch.kind.tolist()) == [HIT, HIT, SPURIOUS, CONTESTED_GOLD, CONTESTED_PRED]
    (array([0, 1, 1, 1, 1]), ['A', 'B'], True)
    >>> [*batch.contests()]
    [(((1, 0, 3, 'A'), (0, 0, 4, 'B')), [1])]
    """

    def __init__(self, given: Sequence[Document | None]) -> None:
        self._documents = documents = [document for document in given if document is not None]
        self.skipped = len(given) - len(documents)
        self.ignored = sum(document.ignored for document in documents)
        self.repaired = sum(document.repaired for document in documents)
        sides = [spans for document in documents for spans in document.given]
        self.doc, self.side = np.divmod(np.repeat(np.arange(len(sides)), [len(side) for side in sides]), 2)
        self.start, self.end = (
            np.fromiter(map(itemgetter(k), self.spans), dtype=np.int64, count=len(self.spans)) for k in (0, 1)
        )
        labels = [*map(itemgetter(2), self.spans)]
        self.labels = sorted({*labels})
        place = {label: k for k, label in enumerate(self.labels)}
        self.label = np.fromiter(map(place.__getitem__, labels), dtype=np.int64, count=len(labels))

    @cached_property
    def ids(self) -> list[str | None]:
        return [document.id for document in self]

    @cached_property
    def spans(self) -> Sequence[tuple[int, int, str]]:
        """The spans as they are given, in the order of the arrays."""
        return [*chain.from_iterable(spans for document in self for spans in document.given)]

    def __len__(self) -> int:
        return len(self._documents)

    def __iter__(self) -> Iterator[Document]:
        return iter(self._documents)

    def characters(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the spans in these rows start and end. In the arrays that may be in another
        unit than characters, with the same order and the same overlaps."""
        return self.start[rows], self.end[rows]

    @cached_property
    def kind(self) -> np.ndarray:
        """What each span is."""
        kind = np.full(len(self.doc), HIT)
        rest, _, contested = self._rest
        kind[rest] = np.where(contested, CONTESTED_GOLD, MISS) + self.side[rest]
        return kind

    @cached_property
    def once(self) -> np.ndarray:
        """Whether each span is the first of its document that is like it: all but the predicted ones of hits."""
        return (self.side == GOLD) | (self.kind != HIT)

    def words(self, *, case: str, by: str) -> tuple[np.ndarray, np.ndarray]:
        """How many words each span has that is there `once`, and all of them, one span after the
        other, as small numbers, which are equal where two words of a document are equal."""
        spans = [*compress(self.spans, self.once.tolist())]
        last = np.cumsum(np.bincount(self.doc[self.once], minlength=len(self))).tolist()
        sizes: list[int] = []
        words: list[Hashable] = []
        for document, a, b in zip(self, (0, *last), last):
            for found in document.unigrams(spans[a:b], case=case, by=by):
                sizes.append(len(found))
                words += found
        number = {word: k for k, word in enumerate(dict.fromkeys(words))}
        return (
            np.array(sizes, dtype=np.int64),
            np.fromiter(map(number.__getitem__, words), dtype=np.int64, count=len(words)),
        )

    @cached_property
    def _rest(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The spans that are no hits, the group of each, and whether both sides are in that group."""
        stride = 1 + self.end.max(initial=0)
        start, end = (self.doc * stride + offset for offset in (self.start, self.end))
        what = (end - start) * len(self.labels) + self.label
        order = np.lexsort((2 * what + self.side, start))
        start, end, what = start[order], end[order], what[order]
        alike = (start[1:] == start[:-1]) & (what[1:] == what[:-1])
        hit = np.zeros(len(order), dtype=bool)
        hit[1:] |= alike
        hit[:-1] |= alike
        rest = order[~hit]
        group = groups(start[~hit], end[~hit])
        on_side = [np.bincount(group[self.side[rest] == side], minlength=len(group)) > 0 for side in (GOLD, PRED)]
        return rest, group, (on_side[GOLD] & on_side[PRED])[group]

    def contests(self) -> Iterable[tuple[Shape, list[int]]]:
        """The groups of contested spans, those that differ only in where they stand as one:
        each with the documents it is in, as often as it is."""
        rest, group, contested = self._rest
        rows, group = rest[contested], group[contested]
        first = np.flatnonzero(np.diff(group, prepend=-1))
        start, end = self.characters(rows)
        origin = np.repeat(start[first], np.diff(first, append=len(rows)))
        columns = (column.tolist() for column in (self.side[rows], start - origin, end - origin))
        spans = [*zip(*columns, map(self.labels.__getitem__, self.label[rows].tolist()))]
        places: dict[Shape, list[int]] = {}
        edges = [*first.tolist(), len(rows)]
        for a, b, doc in zip(edges, edges[1:], self.doc[rows[first]].tolist()):
            places.setdefault(tuple(spans[a:b]), []).append(doc)
        return places.items()


def contest(shape: Shape) -> Contest:
    """The contest of that shape, as if its first span were the first of the text."""
    sides: tuple[list[Span], list[Span]] = ([], [])
    for side, start, end, label in shape:
        sides[side].append(Span(start, end, label))
    return Contest(*sides)


def batches(items: Iterable[T], size: Callable[[T], int]) -> Iterator[list[T]]:
    """Documents, or what they are read from, in lists that are neither too long nor too large.

    >>> [len(batch) for batch in batches([1, 1, LARGE, 1], int)]
    [3, 1]
    """
    some: list[T] = []
    total = 0
    for item in items:
        some.append(item)
        total += size(item)
        if len(some) >= TOGETHER or total >= LARGE:
            yield some
            some, total = [], 0
    if some:
        yield some
