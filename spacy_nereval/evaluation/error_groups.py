"""Groups of the same error: errors that share a surface and labels, labels alone, or a slip at a boundary.

Where a list of errors shows what is wrong, groups show what is wrong again and again. They count places: gold spans,
and spurious predictions. So a gold span that is predicted in two pieces is one place, though it has two errors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, Literal, NamedTuple, get_args

from ..core.declaration import Metric, Verdict
from ..core.spans import Document, Span
from .error_list import Listed, is_error

GroupedBy = Literal["surface", "labels", "slip"]
"""What the errors of a group share: surface, labels and verdict; labels and verdict; or a slip at one boundary."""

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


@dataclass(slots=True)
class ErrorGroup:
    """Errors of the same kind.

    Attributes:
        by: What the errors share.
        key: The value that they share. It tells the groups of one kind apart.
        verdict, gold, pred: The verdict, the gold label and the predicted label, "" for no
            span. None where the errors of a group differ in them, as in groups by slip.
        slip: The slip, in groups by slip.
        number: At how many places there is such an error.
        example: The first error, as a row of the error list.
        members: All errors, if they were asked for.
        spellings: At how many places each surface occurs as written; empty in other groups.
        last: The number of the last document with such an error.
        documents: In how many documents there is such an error.
    """

    by: GroupedBy
    key: tuple[Any, ...]
    example: dict[str, Any]
    verdict: str | None = None
    gold: str | None = None
    pred: str | None = None
    slip: Slip | None = None
    number: int = 0
    documents: int = 0
    last: int = -1
    members: list[Member] = field(default_factory=list)
    spellings: dict[str, int] = field(default_factory=dict)

    @property
    def surface(self) -> str | None:
        """The most frequent spelling of the surface; None in groups that do not share one."""
        return max(self.spellings, key=self.spellings.__getitem__) if self.spellings else None


class ErrorGroups:
    """The errors of a metric in groups, one document at a time.

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
    >>> found = ErrorGroups(create("fair"))
    >>> for text in ("the Navy sails", "The Navy waits"):
    ...     found.add(Document([(4, 8, "ORG")], [(0, 8, "ORG")], text))
    >>> [(group.number, group.surface, group.verdict) for group in found.largest("surface")]
    [(2, 'Navy', 'be_l')]
    >>> found.largest("slip")[0].slip
    Slip(end='leading', added=True, words='the')
    """

    def __init__(self, metric: Metric, *, members: bool = False, by: Iterable[GroupedBy] = get_args(GroupedBy)) -> None:
        if metric.resolve:
            raise ValueError(f"the verdicts of {metric.name} depend on the whole corpus, so its errors have no groups")
        self.metric = metric
        self.by: tuple[GroupedBy, ...] = tuple(by)
        self.documents: int = 0
        self.gold: Counter[str] = Counter()
        self._hits_are_right = not (metric.scope == "document" and metric.judge)
        self._with_members = members
        self._groups: dict[tuple[GroupedBy, tuple[Any, ...]], ErrorGroup] = {}

    def add(self, document: Document | None, known: Sequence[Verdict] | None = None) -> None:
        """Add the errors of a document.

        Args:
            document: The document. None, for one without gold annotation, adds nothing.
            known: The verdicts on it, if they are known.
        """
        if document is None:
            return
        number = self.documents
        self.documents += 1
        verdicts: Sequence[Verdict]
        if known is not None:
            verdicts = known
        elif not self._hits_are_right:
            verdicts = [*self.metric.verdicts(document)]
        else:
            if hits := sum(map({*document.sides[0]}.__contains__, document.sides[1])):
                self.gold[self.metric.hit] += hits
            if hits == len(document.sides[0]) == len(document.sides[1]):
                return
            # Without keeping the groups with the document: what is kept for long costs time, in collecting garbage.
            verdicts = [*self.metric.group_verdicts(document.found_groups())]
        for name, _ in {(name, gold) for name, gold, _, _ in verdicts if gold}:
            self.gold[name] += 1
        errors = [verdict for verdict in verdicts if is_error(self.metric, verdict)]
        if len(errors) > 1:
            errors.sort(key=_order)
        text = document.text if errors and has_words(document.text) else None
        counted: set[tuple[Any, ...]] = set()
        for verdict in errors:
            self._add(number, document, verdict, text, counted)

    def largest(self, by: GroupedBy, least: int = 1) -> list[ErrorGroup]:
        """Return the groups of one kind, the largest first; equally large ones in the order of their first error.

        Args:
            by: What the errors of a group share.
            least: Leave out groups at fewer places.
        """
        found = [group for group in self._groups.values() if group.by == by and group.number >= least]
        return sorted(found, key=lambda group: -group.number)

    def _add(
        self, number: int, document: Document, verdict: Verdict, text: str | None, counted: set[tuple[Any, ...]]
    ) -> None:
        """Add an error to its groups. `counted` has the places of the document, each with its group."""
        name, gold, pred, _ = verdict
        place = _place(verdict)
        words = None if text is None else " ".join(text[place.start : place.end].split())
        for by, key in _keys(text, words, verdict, self.by):
            group = self._groups.get((by, key))
            if group is None:
                row = Listed(self.metric.name, number if document.id is None else document.id, document, verdict).row()
                group = self._groups[(by, key)] = ErrorGroup(by, key, row)
                if by == "slip":
                    group.slip = Slip(*key)
                else:
                    group.verdict, group.gold, group.pred = key[:3]
            if self._with_members:
                group.members.append(Member(number, gold, pred))
            at = (by, key, place)
            if at in counted:
                continue
            counted.add(at)
            if by == "surface" and words:
                group.spellings[words] = group.spellings.get(words, 0) + 1
            group.number += 1
            if group.last != number:
                group.documents += 1
                group.last = number


def error_groups(
    documents: Iterable[Document | None], metric: Metric, verdicts: Iterable[Sequence[Verdict]] | None = None
) -> ErrorGroups:
    """Return the errors of a metric on documents in groups, with all members.

    Args:
        documents: The documents; None for one without gold annotation.
        metric: The metric.
        verdicts: The verdicts on each document, if they are known.

    Raises:
        ValueError: The verdicts of the metric depend on the corpus as a whole.
    """
    found = ErrorGroups(metric, members=True)
    for document, known in zip(documents, repeat(None) if verdicts is None else verdicts):
        found.add(document, known)
    return found


def slips(text: str, gold: Span, pred: Span) -> Iterator[Slip]:
    """Yield the slips at the two boundaries of a pair, if they are of few words.

    >>> text = "the U.S. Navy's fleet"
    >>> [*slips(text, Span(4, 13, "ORG"), Span(0, 15, "ORG"))]
    [Slip(end='leading', added=True, words='the'), Slip(end='trailing', added=True, words="'s")]
    >>> [*slips(text, Span(0, 13, "ORG"), Span(9, 13, "ORG"))]
    [Slip(end='leading', added=False, words='the u.s.')]
    """
    edges = ("leading", gold.start, pred.start), ("trailing", pred.end, gold.end)
    for end, a, b in edges:
        words = " ".join(text[min(a, b) : max(a, b)].casefold().split())
        if words and words.count(" ") < MOST_WORDS:
            yield Slip("leading" if end == "leading" else "trailing", a > b, words)


def has_words(text: str | None) -> bool:
    """Return whether a text has letters. Some formats have only the numbers of tokens, which repeat without a reason.

    >>> has_words("to 2"), has_words("1 2 3"), has_words(None)
    (True, False, False)
    """
    return text is not None and any(map(str.isalpha, text))


def _keys(
    text: str | None, words: str | None, verdict: Verdict, by: Collection[GroupedBy]
) -> Iterator[tuple[GroupedBy, tuple[Any, ...]]]:
    """Yield the key of each group that an error is in, in a text with words or None, on these words of it."""
    name, gold, pred, _ = verdict
    labels = name, gold.label if gold else "", pred.label if pred else ""
    if "labels" in by:
        yield "labels", labels
    if words and "surface" in by:
        yield "surface", (*labels, words.casefold())
    if text is not None and gold and pred and "slip" in by and gold[:2] != pred[:2] and gold.overlaps(pred):
        for slip in slips(text, gold, pred):
            yield "slip", slip


def _place(verdict: Verdict) -> Span:
    """Return the gold span, or the predicted one if there is no gold span."""
    span = verdict.gold or verdict.pred
    assert span  # an error is on a span
    return span


def _order(verdict: Verdict) -> tuple[Any, ...]:
    spans = [span for span in verdict[1:3] if span]
    return min(spans, default=()), verdict.name
