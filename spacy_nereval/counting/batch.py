"""Batches: several documents as one table of spans, and the overlap groups of these spans."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, islice, pairwise
from operator import attrgetter, itemgetter
from typing import NamedTuple, TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import Kind
from ..core.edges import EdgeCounter, Signs
from ..core.labels import LabelRules
from ..core.messages import PlainSpan
from ..core.overlapping import group_numbers
from ..core.pieces import Pieces, place_pieces, relative_pieces, sorted_spans
from ..core.spans import ON_READING, Document, OverlapGroup, Span, label_partners
from .unit_keys import document_key

SPAN_KINDS = tuple(Kind)
HIT, MISS, SPURIOUS, GROUP_GOLD, GROUP_PRED = range(len(SPAN_KINDS))
"""Indices into `SPAN_KINDS`."""

TOGETHER, LARGE = 1 << 11, 1 << 16
"""A batch ends at this many documents, or at this total size (see `Document.size`)."""

Numbers = NDArray[np.int64]
T = TypeVar("T")


class SpanColumns(NamedTuple):
    """The spans of a batch, sorted by document, start, end, gap and label; each occurs once.

    doc, start, end, label: int64[spans]; gold, pred: bool[spans], whether that side has the span.
    gap: int64[spans], which gaps it has (see `Batch.gaps`), 0 for none; None if no span has gaps.
    """

    doc: Numbers
    start: Numbers
    end: Numbers
    label: Numbers
    gold: NDArray[np.bool_]
    pred: NDArray[np.bool_]
    gap: Numbers | None = None


class Batch(ABC):
    """Several documents as one table of spans, independent of their source.

    Subclasses know the source: they supply the words of spans and single documents.

    Args:
        ids: The id of each document, None where it has none.
        labels: The labels that occur, sorted.
        spans: All spans as columns.
        skipped: Documents without gold annotation, which are not in the batch.
        on_reading: The totals of the numbers in `ON_READING` that are not 0.
        gaps: The pieces of spans with gaps, relative to their starts, by the numbers in `spans.gap`.

    Attributes:
        places: int64[documents], the positions of the documents among all that were read
            together, possibly in several batches.
        unit_rules: The rules that assigned the units of the documents.
        unit_keys: The key of each document's unit, None where the id is the key; None if all keys are ids.
        cut: The digest of the cuts that predictions had to reach; None without cuts.
        label_rules: The rules that changed labels. mapped: The labels of their mapping that occurred.
        unkept: The number of spans that their `only` dropped, by (side, label).
        mentions: Numbers of mentions by outcome. located: The options that located them.
        signs: How sides were read, and spans with odd edges (see `core.edges`).
    """

    unit_rules: AbstractSet[str] = frozenset({"id"})
    unit_keys: Sequence[str | None] | None = None
    cut: str | None = None
    label_rules: LabelRules | None = None
    mapped: AbstractSet[str] = frozenset()
    unkept: Mapping[tuple[str, str], int] = {}  # noqa: RUF012  # replaced, never changed
    mentions: Mapping[str, int] = {}  # noqa: RUF012  # replaced, never changed
    located: AbstractSet[str] = frozenset()
    signs: Mapping[tuple[str, str], int] = {}  # noqa: RUF012  # replaced, never changed

    def __init__(
        self,
        ids: Sequence[str | None],
        labels: Sequence[str],
        spans: SpanColumns,
        *,
        skipped: int = 0,
        on_reading: Mapping[str, int] = {},
        gaps: Sequence[Pieces] = ((),),
    ) -> None:
        self.ids = ids
        self.labels = labels
        self.doc: Numbers = spans.doc
        self.start: Numbers = spans.start
        self.end: Numbers = spans.end
        self.label: Numbers = spans.label
        self.gold: NDArray[np.bool_] = spans.gold
        self.pred: NDArray[np.bool_] = spans.pred
        self.gap: Numbers | None = spans.gap
        self.gaps = gaps
        self.skipped: int = skipped
        self.on_reading: Mapping[str, int] = on_reading
        self.places: Numbers = np.arange(len(ids))

    @property
    def documents(self) -> int:
        """The number of documents."""
        return len(self.ids)

    @abstractmethod
    def words(self, *, case: str, by: str) -> tuple[Numbers, Numbers]:
        """Return two int64[words] arrays: the index of each word's span, and a number that equal words of a document
        share. `case` and `by` are those of `Document.unigrams`."""

    @abstractmethod
    def document(self, place: int) -> Document:
        """Return the document at an index, for metrics that judge whole documents."""

    def spans(self, rows: slice | Numbers = slice(None)) -> list[PlainSpan]:
        """Return the spans of some rows, of all by default, as (start, end, label)."""
        start, end, label = (column[rows].tolist() for column in (self.start, self.end, self.label))
        if self.gap is not None:
            end = [*map(place_pieces, start, end, map(self.gaps.__getitem__, self.gap[rows].tolist()))]
        return [*zip(start, end, map(self.labels.__getitem__, label))]

    def text(self, place: int) -> str | None:
        """Return the text of the document at an index."""
        return self.document(place).own_text

    def texts_at_edges(self) -> list[str | None]:
        """Return texts that are those of the documents at the edges of spans, as far as edges look odd."""
        return [self.text(place) for place in range(self.documents)]

    def count_edges(self) -> Signs:
        """Count the spans with odd edges (see `core.edges`)."""
        edges = EdgeCounter()
        sides = {"gold": self.gold, "pred": self.pred}
        columns = {side: (self.doc[has], self.start[has], self.end[has]) for side, has in sides.items()}
        edges.add_columns(columns, self.texts_at_edges())
        return edges.signs

    def unit(self, place: int) -> str | None:
        """Return the key of one document's unit; None if it has neither a key nor an id."""
        key = self.unit_keys[place] if self.unit_keys else None
        return self.ids[place] if key is None else key

    def gold_places(self) -> Numbers:
        """Return a checksum of the gold spans of each document, int64[documents]: 0 without any, below 2^31.

        The order of spans does not matter. Two documents that differ share a checksum with probability 2^-31.
        """
        labels = np.array([crc32(name.encode("utf8", "surrogatepass")) for name in self.labels], dtype=np.uint64)
        hashes = np.zeros(self.documents, dtype=np.uint64)
        if self.gold.any():
            start, end = (column[self.gold].astype(np.uint64) for column in (self.start, self.end))
            mixed = (start + MIXERS[1]) * MIXERS[0] ^ (end + MIXERS[2]) * MIXERS[1] ^ labels[self.label[self.gold]]
            if self.gap is not None:
                pieces = np.array([crc32(repr(gap).encode()) if gap else 0 for gap in self.gaps], dtype=np.uint64)
                mixed ^= pieces[self.gap[self.gold]] * MIXERS[0]
            np.add.at(hashes, self.doc[self.gold], (mixed ^ mixed >> np.uint64(29)) * MIXERS[2])
        return (hashes >> np.uint64(33)).astype(np.int64)

    def units(self) -> list[str]:
        """Return the key of each document's unit; for documents with neither a key nor an id, that of
        `document_key`."""
        keys = [*map(self.unit, range(self.documents))]
        gold: list[list[PlainSpan]] = [[] for _ in keys]
        if None in keys:
            rows = np.flatnonzero(self.gold)
            for place, span in zip(self.doc[rows].tolist(), self.spans(rows)):
                gold[place].append(span)
        return [document_key(self.text(k), gold[k]) if key is None else key for k, key in enumerate(keys)]


MIXERS = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], dtype=np.uint64)
"""The odd multipliers of splitmix64, which spread the bits of offsets and labels."""


class DocumentBatch(Batch):
    """A batch made of `Document`s; None is a document without gold annotation.

    >>> docs = [Document([], [(0, 3, "A")]), Document([(0, 3, "B"), (5, 9, "B")], [(0, 3, "B"), (5, 8, "A")])]
    >>> batch = DocumentBatch(docs)
    >>> batch.doc, batch.labels, [SPAN_KINDS[kind].value for kind in kinds_and_groups(batch)[0]]
    (array([0, 1, 1, 1]), ['A', 'B'], ['spurious', 'hit', 'group_pred', 'group_gold'])
    """

    def __init__(self, annotated: Sequence[Document | None]) -> None:
        self._documents = documents = [document for document in annotated if document is not None]
        sides = [side for document in documents for side in document.sides]
        spans = [*chain.from_iterable(sides)]
        doc, side = np.divmod(np.repeat(np.arange(len(sides)), [len(side) for side in sides]), 2)
        ends = [span[1] for span in spans]
        start = np.fromiter(map(itemgetter(0), spans), dtype=np.int64, count=len(spans))
        end = np.array(ends, dtype=np.int64)
        gaps: tuple[Pieces, ...] = ((),)
        gap = None
        if not {*map(type, ends)} <= {int}:
            pieces = [*map(relative_pieces, spans)]
            gaps = (*sorted({*pieces, ()}),)
            number = {part: k for k, part in enumerate(gaps)}
            gap = np.array([number[part] for part in pieces], dtype=np.int64)
        names = [span[2] for span in spans]
        labels = sorted({*names})
        place = {label: k for k, label in enumerate(labels)}
        label = np.fromiter(map(place.__getitem__, names), dtype=np.int64, count=len(names))
        super().__init__(
            [document.id for document in documents],
            labels,
            build_columns(doc, side, start, end, label, gap),
            skipped=len(annotated) - len(documents),
            on_reading={name: sum(map(attrgetter(name), documents)) for name in ON_READING},
            gaps=gaps,
        )
        self.unit_rules: AbstractSet[str] = {document.unit_rule for document in documents}
        self.label_rules: LabelRules | None = documents[0].label_rules if documents else None
        self.cut: str | None = documents[0].cut if documents else None
        self.mapped: AbstractSet[str] = frozenset[str]().union(*(document.mapped for document in documents))
        unkept: Counter[tuple[str, str]] = Counter()
        for document in documents:
            if document.unkept:
                unkept.update(document.unkept)
        self.unkept: Mapping[tuple[str, str], int] = unkept
        self.signs: Mapping[tuple[str, str], int] = self.count_edges() + Counter(
            chain.from_iterable(document.notes for document in documents)
        )
        with_mentions = [document for document in documents if document.mentions]
        self.located: AbstractSet[str] = {document.located for document in with_mentions}
        self.mentions: Mapping[str, int] = sum((Counter(document.mentions) for document in with_mentions), Counter())

    def words(self, *, case: str, by: str) -> tuple[Numbers, Numbers]:
        spans = iter(self.spans())
        all_words: list[Hashable] = []
        sizes: list[int] = []
        for document, size in zip(self._documents, np.bincount(self.doc, minlength=self.documents).tolist()):
            if size:
                for words in document.unigrams(islice(spans, size), case=case, by=by):
                    all_words += words
                    sizes.append(len(words))
        number = {word: k for k, word in enumerate(dict.fromkeys(all_words))}
        numbers = np.fromiter(map(number.__getitem__, all_words), dtype=np.int64, count=len(all_words))
        return np.repeat(np.arange(len(sizes)), sizes), numbers

    def document(self, place: int) -> Document:
        return self._documents[place]

    def unit(self, place: int) -> str | None:
        document = self._documents[place]
        return document.id if document.unit is None else document.unit


def build_columns(
    doc: Numbers, side: Numbers, start: Numbers, end: Numbers, label: Numbers, gap: Numbers | None = None
) -> SpanColumns:
    """Return the columns of a batch from spans in any order.

    Args:
        doc, start, end, label: int64[spans].
        side: int64[spans], 0 for gold and 1 for predicted spans.
        gap: int64[spans], the number of its gaps; None if no span has gaps.
    """
    if not len(doc):
        return SpanColumns(doc, start, end, label, np.zeros(0, dtype=bool), np.zeros(0, dtype=bool))
    place = doc * (1 + end.max()) + start
    order = np.lexsort((label, end, place) if gap is None else (label, gap, end, place))
    doc, side, start, end, label, place = (column[order] for column in (doc, side, start, end, label, place))
    new = np.ones(len(doc), dtype=bool)
    new[1:] = (place[1:] != place[:-1]) | (end[1:] != end[:-1]) | (label[1:] != label[:-1])
    if gap is not None:
        gap = gap[order]
        new[1:] |= gap[1:] != gap[:-1]
        gap = gap[new]
    first = np.flatnonzero(new)
    gold, pred = (np.logical_or.reduceat(side == number, first) for number in (0, 1))
    return SpanColumns(doc[first], start[first], end[first], label[first], gold, pred, gap)


def count_partners(batch: Batch) -> Counter[tuple[str, str]]:
    """Return the `label_partners` of all documents of a batch."""
    columns = batch.doc, batch.start, batch.end, *(() if batch.gap is None else (batch.gap,))
    is_repeat = np.all([column[1:] == column[:-1] for column in columns], axis=0)  # boundaries as in the row before
    rows = np.flatnonzero(np.append(is_repeat, False) | np.insert(is_repeat, 0, False)) if len(batch.doc) else batch.doc
    places = zip(*(column[rows].tolist() for column in columns))
    spans = [*zip(places, (batch.labels[k] for k in batch.label[rows].tolist()))]
    gold, pred = batch.gold[rows], batch.pred[rows]
    return label_partners(*([spans[k] for k in np.flatnonzero(side).tolist()] for side in (gold, pred & ~gold)))


def kinds_and_groups(batch: Batch) -> tuple[Numbers, Numbers]:
    """Return two int64[spans] arrays: the kind of each span (an index into `SPAN_KINDS`), and the number of its
    overlap group, -1 for hits."""
    kind = np.full(len(batch.doc), HIT)
    group = np.full(len(batch.doc), -1)
    unmatched = np.flatnonzero(batch.gold != batch.pred)
    if len(unmatched):
        offset = batch.doc[unmatched] * (1 + batch.end.max())
        group[unmatched] = numbers = group_numbers(batch.start[unmatched] + offset, batch.end[unmatched] + offset)
        first = np.flatnonzero(np.diff(numbers, prepend=-1))
        has_side = [np.logical_or.reduceat(side[unmatched], first)[numbers] for side in (batch.gold, batch.pred)]
        kind[unmatched] = np.where(has_side[0] & has_side[1], GROUP_GOLD, MISS) + batch.pred[unmatched]
    return kind, group


def group_shapes(
    batch: Batch, kind: Numbers, group: Numbers, label: Numbers, gap_numbers: dict[Pieces, int]
) -> tuple[Numbers, list[bytes]]:
    """Return the index of the first span of each overlap group of a batch, int64[groups], and the group's shape.

    A shape is the side, start, end and label number of each span as int64[spans, 4], in
    bytes. Offsets count from the first span, since the position of a group does not matter. Twice the number of a
    span's gaps is added to its side, 0 for none.

    Args:
        batch: The spans.
        kind, group: The arrays of `kinds_and_groups`, int64[spans].
        label: The number of each span's label, int64[spans].
        gap_numbers: The number of relative pieces, the same for all batches, from 1; new ones are added.
    """
    rows = np.flatnonzero(kind >= GROUP_GOLD)
    return _shapes(batch, rows, batch.pred[rows], group[rows], label, gap_numbers)


def chain_shapes(batch: Batch, label: Numbers, gap_numbers: dict[Pieces, int]) -> tuple[Numbers, list[bytes]]:
    """Return what `group_shapes` does, for chains of overlapping spans with hits among them.

    Args:
        batch, label, gap_numbers: As for `group_shapes`.
    """
    if not len(batch.doc):
        return batch.doc, []
    offset = batch.doc * (1 + batch.end.max())
    chain = group_numbers(batch.start + offset, batch.end + offset)
    rows = np.repeat(np.arange(len(chain)), batch.gold.astype(np.int64) + batch.pred)  # a hit is a span on either side
    is_gold = batch.gold[rows] & (np.diff(rows, prepend=-1) > 0)
    return _shapes(batch, rows, ~is_gold, chain[rows], label, gap_numbers)


def _shapes(
    batch: Batch,
    rows: Numbers,
    side: NDArray[np.bool_],
    group: Numbers,
    label: Numbers,
    gap_numbers: dict[Pieces, int],
) -> tuple[Numbers, list[bytes]]:
    """Return the index of the first span of each group, and the group's shape; see `group_shapes`.

    Args:
        batch, label, gap_numbers: As for `group_shapes`.
        rows: int64[rows], the indices of the spans, group by group.
        side, group: The side, False for gold, and the group of each row.
    """
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    first = rows[starts]
    origin = np.repeat(batch.start[first], np.diff(starts, append=len(rows)))
    sides = side.astype(np.int64)
    if batch.gap is not None:
        numbers = [gap_numbers.setdefault(gap, len(gap_numbers) + 1) if gap else 0 for gap in batch.gaps]
        sides += 2 * np.array(numbers)[batch.gap[rows]]
    columns = [sides, batch.start[rows] - origin, batch.end[rows] - origin, label[rows]]
    table = np.stack(columns, axis=1).astype(np.int64)
    data, size = table.tobytes(), table.itemsize * table.shape[1]
    edges = (np.append(starts, len(rows)) * size).tolist()
    return first, [data[a:b] for a, b in pairwise(edges)]


def overlap_group(shape: bytes, labels: Sequence[str], gaps: Sequence[Pieces]) -> OverlapGroup:
    """Return the overlap group of a shape, with offsets from the start of its first span.

    Args:
        shape: The shape.
        labels: The labels by their numbers.
        gaps: The relative pieces by their numbers, from 1.
    """
    sides: tuple[list[Span], list[Span]] = ([], [])
    for side, start, end, label in zip(*np.frombuffer(shape, dtype=np.int64).reshape(-1, 4).T.tolist()):
        if side > 1:
            end = place_pieces(start, end, gaps[side // 2 - 1])
        sides[side % 2].append(Span(start, end, labels[label]))
    return OverlapGroup(*map(sorted_spans, sides))


def chunk_items(items: Iterable[T], size: Callable[[T], int]) -> Iterator[list[T]]:
    """Yield items in lists, each limited in length and in total size.

    >>> [len(chunk) for chunk in chunk_items([1, 1, LARGE, 1], int)]
    [3, 1]
    """
    chunk: list[T] = []
    total = 0
    for item in items:
        chunk.append(item)
        total += size(item)
        if len(chunk) >= TOGETHER or total >= LARGE:
            yield chunk
            chunk, total = [], 0
    if chunk:
        yield chunk


def batches(documents: Iterable[Document | None]) -> Iterator[Batch]:
    """Yield the documents in batches."""
    for chunk in chunk_items(documents, _size):
        yield DocumentBatch(chunk)


def _size(document: Document | None) -> int:
    """Return the size of a document, 0 for None. Raise ValueError if it is something else."""
    if document is not None and not hasattr(document, "size"):
        raise ValueError(
            f"an item is of type {type(document).__name__}; expected Documents, which have gold and predicted spans. "
            "For anything else write score(gold, pred).counts"
        )
    return document.size if document else 0
