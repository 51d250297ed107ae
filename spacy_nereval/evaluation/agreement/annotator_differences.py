"""In what do annotators differ again and again? Rules that some follow and others do not.

Two annotators have one pair to compare, more annotators have more pairs; everything else is the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple

from ...core.declaration import Verdict
from ...core.spans import Span
from ...metrics.registry import create
from ..error_groups import has_words, slips
from ..error_list import is_error
from .shared import SharedDocuments

Kind = Literal["leading", "trailing", "label", "missing", "blank"]
"""What differs: words at the beginning of a span or at its end, the label, whether there is a span, or only white
space at an end, which no guideline is about."""

KINDS: dict[Kind, Callable[[Sequence[str]], dict[str, Any]]] = {
    "leading": lambda labels: {"kind": "boundary", "end": "leading"},
    "trailing": lambda labels: {"kind": "boundary", "end": "trailing"},
    "label": lambda labels: {"kind": "label", "label": labels[0], "instead": labels[1]},
    "missing": lambda labels: {"kind": "missing", "label": labels[0]},
}
"""The kinds of rules, and what a row of the result has on each. They have labels of their own unless they are about a
boundary."""

MOST_WORDS_SHOWN = 5
"""Maximum number of different words that a row has."""

LEAST = 2
"""Minimum number of occurrences of a difference that repeats."""

ONE_WAY = 0.8
"""Minimum share of the differences in one direction for a rule to be clear."""


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

    kind: Kind
    labels: tuple[str, ...]
    having: str
    lacking: str
    document: int
    spans: tuple[Span, Span | None]
    words: str

    @property
    def stretch(self) -> tuple[int, int]:
        """Where the spans begin and end."""
        given = [span for span in self.spans if span]
        return min(span.start for span in given), max(span.end for span in given)

    def turned(self) -> Difference:
        """Return a difference in labels seen from the other side."""
        kind, labels, having, lacking, document, (span, other), words = self
        assert other  # both have one, with different labels
        return Difference(kind, labels[::-1], lacking, having, document, (other, span), words)


class Pattern:
    """Differences of one kind; for labels and missing spans, with the same labels.

    A slip goes one way as often as the other. A rule that only some annotators follow goes one way.

    Args:
        members: The differences, in the order of the pairs and documents.
        annotators: All annotators, in their order.
        shares_words: Whether all differences are about the same words.

    Attributes:
        kind: What differs.
        one: The annotators who have it more often than they lack it.
        other: Those who lack it more often.
        one_way: The differences in which somebody of `one` has it and somebody of `other` lacks it.
        reverse: The differences between the two sides that go the other way.
    """

    def __init__(self, members: Sequence[Difference], annotators: Sequence[str], *, shares_words: bool = False) -> None:
        self.kind: Kind = members[0].kind
        self._shares_words = shares_words
        sides = _sides(members, annotators)
        first, second = ((len(side), annotators.index(side[0])) for side in sides)
        if self.kind == "label" and second < first:  # the label that fewer annotators give is named first
            members, sides = [each.turned() for each in members], sides[::-1]
        self.one, self.other = sides
        between = [{*self.one}, {*self.other}]
        self.one_way = [each for each in members if each.having in between[0] and each.lacking in between[1]]
        self.reverse = [each for each in members if each.having in between[1] and each.lacking in between[0]]

    @property
    def systematic(self) -> int:
        """How many more differences go one way than the other."""
        return len(self.one_way) - len(self.reverse)

    @property
    def is_clear(self) -> bool:
        """Whether one side does what the other does not: most differences go one way, too many for chance.

        Most are four of five. Too many are more than two standard deviations above a half, or
        all that share their words. The sides are chosen by the same differences, so that the second
        condition alone would often hold where many annotators differ at random.
        """
        number = len(self.one_way)
        both_ways = number + len(self.reverse)
        if self._shares_words:
            return number == both_ways
        return self.systematic**2 > 4 * both_ways and number >= ONE_WAY * both_ways

    def row(self, shared: SharedDocuments) -> dict[str, Any]:
        """Return the pattern as a row of the result."""
        first = self.one_way[0]
        row = {**KINDS[self.kind](first.labels), "one": self.one, "other": self.other}
        row |= {"number": len(self.one_way), "reverse": len(self.reverse), "clear": self.is_clear}
        row |= {"documents": len({each.document for each in self.one_way})}
        row["words"] = _most(Counter(each.words for each in self.one_way if each.words), MOST_WORDS_SHOWN)
        if row["kind"] == "boundary":
            row["labels"] = _most(Counter(each.labels[0] for each in self.one_way))
        text_of = shared.documents[first.document].text_of
        texts = zip(("one_text", "other_text"), (text_of(span) if span else None for span in first.spans))
        row["example"] = {"document": shared.name_of(first.document), **dict(texts)}
        numbers = [Counter((each.having, each.lacking) for each in way) for way in (self.one_way, self.reverse)]
        pairs = sorted({*numbers[0], *(pair[::-1] for pair in numbers[1])})
        row["pairs"] = [
            {"one": a, "other": b, "number": numbers[0][a, b], "reverse": numbers[1][b, a]} for a, b in pairs
        ]
        places = dict.fromkeys((each.document, *each.stretch) for each in self.one_way)
        row["places"] = [
            dict(zip(("document", "start", "end"), (shared.name_of(number), *stretch))) for number, *stretch in places
        ]
        return row


def _sides(members: Sequence[Difference], annotators: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return who has it more often than they lack it, and who lacks it more often.

    If all have it as often as they lack it, the first of them is one side, and the others are the other side.
    """
    balance: Counter[str] = Counter()
    for each in members:
        balance[each.having] += 1
        balance[each.lacking] -= 1
    names = [name for name in annotators if name in balance]
    if not any(balance.values()):
        return names[:1], names[1:]
    return [name for name in names if balance[name] > 0], [name for name in names if balance[name] < 0]


def _most(numbers: Counter[str], most: int | None = None) -> dict[str, int]:
    return dict(sorted(numbers.items(), key=lambda item: (-item[1], item[0]))[:most])


class Differences:
    """What annotators differ in.

    Args:
        shared: The documents.

    Attributes:
        members: Every difference between two annotators, pair by pair, in the order of the documents. Spans are
            paired as FairEval pairs them. A pair of spans may differ in several ways.

    >>> from spacy_nereval import Document
    >>> from .shared import SharedDocument
    >>> own = {"ann": [(4, 13, "PART")], "ben": [(9, 13, "PART"), (14, 19, "FAULT")]}
    >>> shared = SharedDocuments(("ann", "ben"), [SharedDocument(Document([], [], "the left door leaks"), own)])
    >>> for each in Differences(shared).members:
    ...     print(each.kind, each.labels, each.having, each.lacking, repr(each.words))
    leading ('PART',) ann ben 'left'
    missing ('FAULT',) ben ann 'leaks'
    """

    def __init__(self, shared: SharedDocuments) -> None:
        self._shared = shared
        self.members: list[Difference] = [*_all(shared)]

    @cached_property
    def patterns(self) -> list[Pattern]:
        """Those that repeat, by what differs: clear rules first, then the most systematic, then the largest."""
        return self._patterns(by_words=False)

    @cached_property
    def in_same_words(self) -> list[Pattern]:
        """Those that repeat, by what differs and by their words."""
        return self._patterns(by_words=True)

    def _patterns(self, *, by_words: bool) -> list[Pattern]:
        groups: defaultdict[tuple[object, ...], list[Difference]] = defaultdict(list)
        for each in self.members:
            if each.kind in KINDS and (each.words or not by_words):
                labels = each.labels if each.kind in ("label", "missing") else ()
                groups[each.kind, labels, by_words and each.words].append(each)
        found = (
            Pattern(members, self._shared.annotators, shares_words=by_words)
            for members in groups.values()
            if len(members) >= LEAST
        )
        repeated = [pattern for pattern in found if len(pattern.one_way) >= LEAST]
        return sorted(repeated, key=lambda each: (not each.is_clear, -each.systematic, -len(each.one_way)))

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of the result.

        Returns:
            "differences" and, for those about the same words, "same_words". A row says what annotators "one" do and
            annotators "other" do not:

            - "kind": "boundary" with the "end" ("leading" or "trailing") at which the spans of `one` have more words,
              and the "labels" of these spans, each with its number; "label" with the "label" of `one` and the
              "instead" of `other`; "missing" with the "label" of spans that only `one` mark;
            - "number": how often, in how many "documents", at which "places", and how often it is the other way round
              ("reverse"); the same for "pairs" of annotators; whether it is "clear" that it goes one way;
            - "words": the most frequent words, each with its number: those at a boundary, unless they are many, else
              those of the span; and an "example".
        """
        found = {"differences": self.patterns, "same_words": self.in_same_words}
        return {key: [pattern.row(self._shared) for pattern in each] for key, each in found.items()}


class _Sign(NamedTuple):
    """What a verdict on a pair of versions of a document shows; see `Difference`. first: the first of them has it."""

    kind: Kind
    labels: tuple[str, ...]
    first: bool
    spans: tuple[Span, Span | None]
    words: str


def _all(shared: SharedDocuments) -> Iterator[Difference]:
    """Yield every difference. Annotators agree about most documents, so each two versions are compared once."""
    metric = create("fair")
    known: dict[tuple[int, int, int], list[_Sign]] = {}
    for a, b in shared.pairs():
        for number in shared.places(a, b):
            versions = shared.versions[number]
            if versions[a] == versions[b]:
                continue
            key = number, versions[a], versions[b]
            if key not in known:
                document = shared.documents[number].pair(a, b)
                verdicts = (verdict for verdict in metric.verdicts(document) if is_error(metric, verdict))
                known[key] = [sign for verdict in verdicts for sign in _signs(document.text, verdict)]
            for kind, labels, first, spans, words in known[key]:
                yield Difference(kind, labels, *((a, b) if first else (b, a)), number, spans, words)


def _signs(text: str | None, verdict: Verdict) -> Iterator[_Sign]:
    _, gold, pred, _ = verdict
    text = text or ""
    known = text if has_words(text) else ""
    if not gold or not pred:
        span = gold or pred
        assert span  # an error is on a span
        yield _Sign("missing", (span.label,), gold is not None, (span, None), _surface(known, span))
        return
    if gold.label != pred.label:
        first = gold.label < pred.label
        labels = (gold.label, pred.label) if first else (pred.label, gold.label)
        yield _Sign("label", labels, first, (gold, pred) if first else (pred, gold), _surface(known, gold))
    words: dict[str, str] = {slip.end: slip.words for slip in slips(known, gold, pred)}
    ends: tuple[tuple[Literal["leading", "trailing"], int, int], ...]
    ends = ("leading", gold.start, pred.start), ("trailing", pred.end, gold.end)
    for end, a, b in ends:
        if a != b:
            having, lacking = (gold, pred) if a < b else (pred, gold)
            is_blank = bool(text) and not text[min(a, b) : max(a, b)].strip()
            yield _Sign("blank" if is_blank else end, (having.label,), a < b, (having, lacking), words.get(end, ""))


def _surface(text: str, span: Span) -> str:
    return " ".join(text[span.start : span.end].casefold().split())
