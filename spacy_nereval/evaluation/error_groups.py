"""Groups of the same error: errors that share a surface and labels, labels alone, or a slip at a boundary.

A list of errors shows single errors, groups show which of them repeat. Groups count places: gold spans and spurious
predictions. So a gold span that is predicted in two pieces is one place, though it has two errors.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from ..core.declaration import GOLD_SPANS, Kind, Metric, Verdict
from ..core.pieces import Pieces, covered_text, has_gaps, hull, order_key
from ..core.spans import Document, Span
from ..counting.batch import SPAN_KINDS, Batch, batches, group_shapes, kinds_and_groups, overlap_group
from ..counting.counter import REMEMBERED
from .error_list import FIELDS, ListedVerdict, is_error

GroupedBy = Literal["surface", "labels", "slip"]
"""The key of a group of errors: surface, labels and verdict; labels and verdict; or a slip at one boundary."""

MOST_WORDS = 3
"""Maximum number of words in a slip. Longer ones hardly ever repeat, so they are in no group."""


class Slip(NamedTuple):
    """Words by which the boundary of a predicted span differs from that of its gold span.

    Attributes:
        end: "leading" or "trailing".
        added: Whether the prediction has the words and the gold span lacks them.
        words: The words, case folded, with single spaces.
    """

    end: Literal["leading", "trailing"]
    added: bool
    words: str


class Member(NamedTuple):
    """An error in a group: the number of its document, from 0, and its spans."""

    document: int
    gold: Span | None
    pred: Span | None


NO_MEMBERS: list[Member] = []
"""Shared by all groups without stored errors: many empty lists would slow down garbage collection."""


@dataclass(slots=True)
class ErrorGroup:
    """Errors of the same kind.

    Attributes:
        by: The kind of key that the errors share.
        key: The value that they share, unique among the groups of one kind.
        number: The number of places with such an error.
        first: The first error, as the values of a row of the error list.
        members: All errors, if they are kept.
        spellings: The number of places with each spelling of the surface; empty in groups that do not share a surface.
        last: The number of the last document with such an error.
        documents: The number of documents with such an error.
    """

    by: GroupedBy
    key: tuple[Any, ...]
    first: tuple[Any, ...]
    members: list[Member]
    number: int = 0
    documents: int = 0
    last: int = -1
    spellings: dict[str, int] = field(default_factory=dict)

    @property
    def slip(self) -> Slip | None:
        """The slip, in groups by slip."""
        return Slip(*self.key) if self.by == "slip" else None

    @property
    def labels(self) -> tuple[Any, ...]:
        """The verdict, the gold label and the predicted label, "" for no span; none in groups by slip, whose errors
        may differ in them."""
        return () if self.by == "slip" else self.key[:3]

    @property
    def example(self) -> dict[str, Any]:
        """The first error, as a row of the error list."""
        return dict(zip(FIELDS, self.first))

    @property
    def surface(self) -> str | None:
        """The most frequent spelling of the surface; None in groups that do not share one."""
        return max(self.spellings, key=self.spellings.__getitem__) if self.spellings else None


class ErrorGroups:
    """The errors of a metric in groups, one batch of documents at a time.

    Args:
        metric: The metric.
        members: Whether to keep all errors of a group, besides the number of places and the first error.
        by: The kinds of groups to make.

    Attributes:
        by: The kinds of groups.
        documents: How many documents were added.
        gold: How many gold spans have each verdict. A gold span may have several.

    Raises:
        ValueError: The verdicts of the metric depend on the corpus as a whole.

    >>> from spacy_nereval import create
    >>> from spacy_nereval.counting.batch import DocumentBatch
    >>> groups = ErrorGroups(create("fair"))
    >>> for text in ("the Navy sails", "The Navy waits"):
    ...     groups.add(DocumentBatch([Document([(4, 8, "ORG")], [(0, 8, "ORG")], text)]))
    >>> [(group.number, group.surface, group.labels) for group in groups.largest_groups("surface")]
    [(2, 'Navy', ('be_l', 'ORG', 'ORG'))]
    >>> groups.largest_groups("slip")[0].slip
    Slip(end='leading', added=True, words='the')
    """

    def __init__(self, metric: Metric, *, members: bool = False, by: Iterable[GroupedBy] = get_args(GroupedBy)) -> None:
        if metric.resolve:
            raise ValueError(f"the verdicts of {metric.name} depend on the whole corpus, so its errors have no groups")
        self.metric = metric
        self.by: tuple[GroupedBy, ...] = tuple(by)
        self.documents: int = 0
        self.gold: Counter[str] = Counter()
        self._with_members = members
        self._groups: dict[tuple[GroupedBy, tuple[Any, ...]], ErrorGroup] = {}
        self._label_number: dict[str, int] = {}
        self._gap_number: dict[Pieces, int] = {}
        self._judge_shape = lru_cache(REMEMBERED)(
            lambda shape: [*metric.group_verdicts([overlap_group(shape, [*self._label_number], [*self._gap_number])])]
        )

    def add(self, batch: Batch) -> None:
        """Add the errors of a batch of documents."""
        of_documents: defaultdict[int, list[Verdict]] = defaultdict(list)
        for place, verdict in self._verdicts(batch):
            of_documents[place].append(verdict)
        for place, verdicts in sorted(of_documents.items()):
            self.gold.update(name for name, _ in {(name, gold) for name, gold, _, _ in verdicts if gold})
            errors = sorted((verdict for verdict in verdicts if is_error(self.metric, verdict)), key=_text_order)
            document = batch.document(place)
            text = document.text if errors and has_words(document.text) else None
            counted: set[tuple[Any, ...]] = set()
            for verdict in errors:
                self._add(self.documents + place, document, verdict, text, counted)
        self.documents += batch.documents

    def _verdicts(self, batch: Batch) -> Iterator[tuple[int, Verdict]]:
        """Yield the verdicts on the spans of a batch, each with the index of its document. Hits that need no judge are
        added to `gold` instead. As in `Counter`, each shape of overlap group is judged once."""
        metric = self.metric
        if metric.scope == "document" and metric.judge:
            for place in range(batch.documents):
                yield from ((place, verdict) for verdict in metric.verdicts(batch.document(place)))
            return
        kind, group = kinds_and_groups(batch)
        for which, name in metric.of_kind.items():
            rows = np.flatnonzero(kind == SPAN_KINDS.index(which))
            if which == Kind.HIT:
                self.gold[name] += len(rows)
                continue
            for place, span in zip(batch.doc[rows].tolist(), map(Span._make, batch.spans(rows))):
                yield place, Verdict(name, span, None) if which in GOLD_SPANS else Verdict(name, None, span)
        if metric.judge:
            number = [self._label_number.setdefault(name, len(self._label_number)) for name in batch.labels]
            label = np.array(number, dtype=np.int64)[batch.label]
            first, shapes = group_shapes(batch, kind, group, label, self._gap_number)
            for place, origin, shape in zip(batch.doc[first].tolist(), batch.start[first].tolist(), shapes):
                for name, gold, pred, amount in self._judge_shape(shape):
                    yield place, Verdict(name, _shift_span(gold, origin), _shift_span(pred, origin), amount)

    def largest_groups(self, by: GroupedBy, least: int = 1) -> list[ErrorGroup]:
        """Return the groups of one kind, the largest first; equally large ones in the order of their first error.

        Args:
            by: The kind of key that the errors of a group share.
            least: Drop groups at fewer places.
        """
        groups = [group for group in self._groups.values() if group.by == by and group.number >= least]
        return sorted(groups, key=lambda group: -group.number)

    def _add(
        self, number: int, document: Document, verdict: Verdict, text: str | None, counted: set[tuple[Any, ...]]
    ) -> None:
        """Add an error to its groups. `counted` has the pairs of group and place counted already in the document."""
        name, gold, pred, _ = verdict
        place = _place(verdict)
        words = None if text is None else " ".join(covered_text(text, place).split())
        for kind in _keys(text, words, verdict, self.by):
            group = self._groups.get(kind)
            if group is None:
                name_of_document = number if document.id is None else document.id
                first = ListedVerdict(self.metric.name, name_of_document, document, verdict).values()
                group = self._groups[kind] = ErrorGroup(*kind, first, [] if self._with_members else NO_MEMBERS)
            if self._with_members:
                group.members.append(Member(number, gold, pred))
            if (kind, place) in counted:
                continue
            counted.add((kind, place))
            if group.by == "surface" and words:
                group.spellings[words] = group.spellings.get(words, 0) + 1
            group.number += 1
            if group.last != number:
                group.documents += 1
                group.last = number


def error_groups(
    documents: Iterable[Document | None],
    metric: Metric,
    *,
    members: bool = True,
    by: Iterable[GroupedBy] = get_args(GroupedBy),
) -> ErrorGroups:
    """Return the errors of a metric on documents in groups.

    Args:
        documents: The documents; None for one without gold annotation.
        metric, members, by: As for `ErrorGroups`.

    Raises:
        ValueError: The verdicts of the metric depend on the corpus as a whole.
    """
    groups = ErrorGroups(metric, members=members, by=by)
    for batch in batches(documents):
        groups.add(batch)
    return groups


def slips(text: str, gold: Span, pred: Span) -> Iterator[Slip]:
    """Yield the slips at the two boundaries of a pair that have at most `MOST_WORDS` words.

    >>> text = "the U.S. Navy's fleet"
    >>> [*slips(text, Span(4, 13, "ORG"), Span(0, 15, "ORG"))]
    [Slip(end='leading', added=True, words='the'), Slip(end='trailing', added=True, words="'s")]
    >>> [*slips(text, Span(0, 13, "ORG"), Span(9, 13, "ORG"))]
    [Slip(end='leading', added=False, words='the u.s.')]
    """
    edges = ("leading", gold.start, pred.start), ("trailing", hull(pred)[1], hull(gold)[1])
    for end, a, b in edges:
        words = fold_words(text[min(a, b) : max(a, b)])
        if words and words.count(" ") < MOST_WORDS:
            yield Slip("leading" if end == "leading" else "trailing", a > b, words)


def has_words(text: str | None) -> bool:
    """Return whether a text has letters. Some formats have token numbers instead of words; these repeat by chance.

    >>> has_words("to 2"), has_words("1 2 3"), has_words(None)
    (True, False, False)
    """
    return text is not None and any(map(str.isalpha, text))


def fold_words(text: str) -> str:
    """Return a text case folded and with single spaces, for comparisons.

    >>> fold_words("The  LEFT door")
    'the left door'
    """
    return " ".join(text.casefold().split())


def _keys(
    text: str | None, words: str | None, verdict: Verdict, by: Collection[GroupedBy]
) -> Iterator[tuple[GroupedBy, tuple[Any, ...]]]:
    """Yield the key of each group that an error is in. `words` are those of its span; without a text both are None."""
    name, gold, pred, _ = verdict
    labels = name, gold.label if gold else "", pred.label if pred else ""
    if "labels" in by:
        yield "labels", labels
    if words and "surface" in by:
        yield "surface", (*labels, fold_words(words))
    if text is not None and gold and pred and "slip" in by and gold[:2] != pred[:2] and gold.overlaps(pred):
        for slip in slips(text, gold, pred):
            yield "slip", slip


def _place(verdict: Verdict) -> Span:
    """Return the gold span, or the predicted one if there is no gold span."""
    span = verdict.gold or verdict.pred
    assert span  # an error is on a span
    return span


def _shift_span(span: Span | None, origin: int) -> Span | None:
    """Return a span of an overlap group where the group begins at `origin`."""
    if span and has_gaps(span):
        return Span.of_pieces([(start + origin, end + origin) for start, end in span.pieces], span.label)
    return span and Span(span.start + origin, span.end + origin, span.label)


def _text_order(verdict: Verdict) -> tuple[Any, ...]:
    spans = [span for span in verdict[1:3] if span]
    return min(map(order_key, spans), default=()), verdict.name
