"""Differences between annotators one by one, and as patterns over all pairs of annotators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ...core.spans import Span
from ..error_groups import has_words
from .differences import Signs
from .documents import SharedDocuments

PatternKind = Literal["leading", "trailing", "label", "missing"]
"""Words at the beginning of a span, words at its end, the label, or whether there is a span."""


ONE_WAY = 0.8
"""Minimum share of a pattern's differences in one direction for the pattern to count as running one way."""


class Difference(NamedTuple):
    """A difference between two annotators in one place.

    Attributes:
        kind: What differs.
        labels: The label of the span that has more; or both labels, in alphabetical order.
        having: The annotator who has the words, the span, or the first of the labels.
        lacking: The other annotator.
        document: The number of the document.
        spans: The span of `having` and that of `lacking`, None for no span.
        words: The words that only one has, or else those of the span, case folded; "" if many or unknown.
    """

    kind: PatternKind
    labels: tuple[str, ...]
    having: str
    lacking: str
    document: int
    spans: tuple[Span | None, Span | None]
    words: str


@dataclass
class Pattern:
    """Differences of one kind; for labels and missing spans, with the same labels.

    Attributes:
        kind: What differs.
        words: The words that they share; None if they differ in them.
        members: The differences, in the order of the documents.
    """

    kind: PatternKind
    words: str | None = None
    members: list[Difference] = field(default_factory=list)

    @property
    def number(self) -> int:
        """The number of differences."""
        return len(self.members)

    @property
    def labels(self) -> dict[tuple[str, ...], int]:
        """The labels of the differences and how often they have them, the most frequent first."""
        return dict(Counter(each.labels for each in self.members).most_common())

    @property
    def sides(self) -> tuple[list[str], list[str]]:
        """The annotators who have it more often than they lack it, and those who lack it more often."""
        balance: Counter[str] = Counter()
        for each in self.members:
            balance[each.having] += 1
            balance[each.lacking] -= 1
        names = sorted(balance)
        return [name for name in names if balance[name] > 0], [name for name in names if balance[name] < 0]

    @property
    def one_way(self) -> list[Difference]:
        """The differences between the two sides that run as most of them do."""
        having, lacking = map(set, self.sides)
        return [each for each in self.members if each.having in having and each.lacking in lacking]

    @property
    def systematic(self) -> int:
        """How many more differences run one way than the other, between the two sides.

        Slips run both ways and cancel out. A rule that only one side follows runs one way.
        """
        having, lacking = map(set, self.sides)
        other_way = sum(each.having in lacking and each.lacking in having for each in self.members)
        return len(self.one_way) - other_way

    @property
    def is_clear(self) -> bool:
        """Whether one side does what the other does not: most differences run one way, too many for chance.

        Most are four of five. Too many are more than two standard deviations above a half, or
        all that share their words. The sides are chosen by the same differences, so that the second
        condition alone would often hold where many annotators differ at random.
        """
        number = len(self.one_way)
        both_ways = 2 * number - self.systematic
        if self.words is not None and both_ways:
            return number == both_ways
        return self.systematic**2 > 4 * both_ways and number >= ONE_WAY * both_ways

    def frequent_words(self, most: int) -> list[str]:
        """Return what the differences that run one way are about, the most frequent words first."""
        if self.words is not None:
            return [self.words]
        found = Counter(each.words for each in self.one_way or self.members if each.words)
        return [words for words, _ in found.most_common(most)]


def all_differences(shared: SharedDocuments) -> list[Difference]:
    """Return every difference between two annotators, pair by pair, in the order of the documents.

    Spans are paired as FairEval pairs them. A pair of spans may differ in several ways.

    >>> from spacy_nereval import Document
    >>> from .documents import SharedDocument
    >>> own = {"ann": [(4, 13, "PART")], "ben": [(9, 13, "PART"), (14, 19, "FAULT")]}
    >>> shared = SharedDocuments(("ann", "ben"), [SharedDocument(Document([], [], "the left door leaks"), own)])
    >>> for each in all_differences(shared):
    ...     print(each.kind, each.labels, each.having, each.lacking, repr(each.words))
    leading ('PART',) ann ben 'left'
    missing ('FAULT',) ben ann 'leaks'
    """
    signs = Signs(shared)
    found = []
    for a, b in shared.pairs():
        for place in shared.places(a, b):
            known = has_words(shared.documents[place].base.text)
            for sign in signs.of(place, a, b):
                first = sign.first
                if sign.kind == "label":
                    first = sign.key[0] <= sign.key[1]
                names, spans = ((a, b), (sign.gold, sign.pred)) if first else ((b, a), (sign.pred, sign.gold))
                span = spans[0]
                assert span  # whoever has it has a span
                labels = tuple(sorted(sign.key)) if sign.kind == "label" else (span.label,)
                kind = _KINDS[sign.key[0] if sign.kind == "boundary" else sign.kind]
                found.append(Difference(kind, labels, *names, place, spans, sign.words if known else ""))
    return found


_KINDS: dict[str, PatternKind] = {
    "leading": "leading",
    "trailing": "trailing",
    "label": "label",
    "missing": "missing",
}


def patterns(found: Iterable[Difference], *, by_words: bool = False) -> list[Pattern]:
    """Return the differences as patterns, the most systematic first, then the largest.

    Args:
        found: The differences.
        by_words: Whether the differences of a pattern share their words, too. Differences
            without words are left out then.
    """
    groups: dict[tuple[object, ...], Pattern] = {}
    for each in found:
        if by_words and not each.words:
            continue
        words = each.words if by_words else None
        labels = each.labels if each.kind in ("label", "missing") else ()
        pattern = groups.setdefault((each.kind, labels, words), Pattern(each.kind, words))
        pattern.members.append(each)
    return sorted(groups.values(), key=lambda pattern: (-pattern.systematic, -pattern.number))
