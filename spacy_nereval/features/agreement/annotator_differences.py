"""What annotators do differently: the differences of each pair place by place, and the habits behind them.

A place is a chain of overlapping spans of which only one annotator of a pair marks each. It has one kind of difference:
one long span where the other annotator marks several is a single difference, not two boundaries and a missing span.

A habit is a kind of difference that goes one way in most places: some annotators do what others do not. It points to a
rule that not all annotators follow. With more than two annotators, the differences of all pairs are taken together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cached_property
from itertools import product
from typing import Any, Literal, NamedTuple

from ...core.overlapping import overlaps
from ...core.spans import Span
from ...evaluation.error_groups import MOST_WORDS, fold_words, has_words
from ...evaluation.tested import holm
from .shared_documents import SharedDocuments

Kind = Literal["merged", "shifted", "leading", "trailing", "both", "label", "nested", "missing", "blank"]
"""The kinds of differences.

- merged: one annotator marks one span where the other marks several;
- shifted: each span has words that the other lacks;
- leading, trailing, both: one span has more words, at the beginning, at the end or at both ends;
- label: the labels differ; the ends may differ, too;
- nested: only one annotator marks a span that overlaps a span that both mark;
- missing: only one annotator marks a span elsewhere;
- blank: the spans differ in white space at their ends only, which guidelines do not mention.
"""

Side = tuple[Span, ...]
"""The spans of an annotator in a place."""


class Difference(NamedTuple):
    """A difference between two annotators in one place.

    Attributes:
        kind: The kind of difference.
        labels: The label of the span of `having`; of kind "label", both labels in alphabetical order.
        having: The annotator who has the additional words or span, the one long span, the first of the labels, or the
            shifted span that begins first.
        lacking: The other annotator.
        document: The index of the document.
        spans: The spans of `having` and those of `lacking`, which may be empty.
        words: The words at the boundary in question, or else those of the span, case folded; "" if there are many or
            the text is not known.
    """

    kind: Kind
    labels: tuple[str, ...]
    having: str
    lacking: str
    document: int
    spans: tuple[Side, Side]
    words: str

    @property
    def stretch(self) -> tuple[int, int]:
        """The start of the first span and the end of the last one."""
        spans = [span for side in self.spans for span in side]
        return min(span.start for span in spans), max(span.end for span in spans)

    def swap_sides(self) -> Difference:
        """Return a difference of labels with the annotators exchanged."""
        kind, labels, having, lacking, document, (spans, other_spans), words = self
        return Difference(kind, labels[::-1], lacking, having, document, (other_spans, spans), words)


class _VersionDifference(NamedTuple):
    """A difference between two versions of a document; see `Difference`. first: whether the first version has it."""

    kind: Kind
    labels: tuple[str, ...]
    first: bool
    spans: tuple[Side, Side]
    words: str


def find_differences(shared: SharedDocuments) -> Iterator[Difference]:
    """Yield every difference, pair by pair, in the order of the documents.

    Annotators agree about most documents, so each pair of versions is compared once, whoever annotated them.
    """
    compared: dict[tuple[int, int, int], list[_VersionDifference]] = {}
    for a, b in shared.pairs():
        for number in shared.places(a, b):
            versions = shared.versions[number]
            if versions[a] == versions[b]:
                continue
            key = number, versions[a], versions[b]
            if key not in compared:
                document = shared.documents[number].pair(a, b)
                compared[key] = [*_version_differences(document.text or "", document.gold, document.pred)]
            for kind, labels, first, spans, words in compared[key]:
                yield Difference(kind, labels, *((a, b) if first else (b, a)), number, spans, words)


def _version_differences(text: str, one: Sequence[Span], other: Sequence[Span]) -> Iterator[_VersionDifference]:
    """Yield the differences between two versions of a document, place by place."""
    both = {*one} & {*other}
    sides = [sorted({*side} - both) for side in (one, other)]
    for place in _differing_places(text, *sides):
        yield _classify_place(text, *place, [*both])


def _differing_places(text: str, one: Sequence[Span], other: Sequence[Span]) -> Iterator[tuple[Side, Side]]:
    """Yield the places of spans that only one of two annotators marked: chains of overlapping spans.

    Two spans on the same words are a place of their own. If spans of one annotator overlap each other, spans of the two
    annotators are paired by the number of characters that they share, and the remaining ones are places of their own.
    """
    sides = [*one], [*other]
    for fields in (3, 2):  # with the label, then without it
        for a in [*sides[0]]:
            key = trim_span(text, a)[:fields]
            b = next((b for b in sides[1] if trim_span(text, b)[:fields] == key), None)
            if b is not None:
                sides[0].remove(a)
                sides[1].remove(b)
                yield (a,), (b,)
    places: list[tuple[set[Span], set[Span]]] = []
    shared = overlaps(*([trim_span(text, span) for span in side] for side in sides))
    for i, j, _ in shared:
        a, b = sides[0][i], sides[1][j]
        meet = [place for place in places if a in place[0] or b in place[1]]
        places = [place for place in places if place not in meet]
        places.append(({a}.union(*(spans for spans, _ in meet)), {b}.union(*(spans for _, spans in meet))))
    for spans, other_spans in places:
        if not any(_has_overlap(side) for side in (spans, other_spans)):
            yield tuple(sorted(spans)), tuple(sorted(other_spans))
            continue
        paired: set[Span] = set()
        pairs = [(-common, sides[0][i], sides[1][j]) for i, j, common in shared if sides[0][i] in spans]
        for _, a, b in sorted(pairs):
            if not paired & {a, b}:
                paired |= {a, b}
                yield (a,), (b,)
        yield from (((a,), ()) for a in sorted(spans - paired))
        yield from (((), (b,)) for b in sorted(other_spans - paired))
    yield from (((a,), ()) for a in sides[0] if not any(a in spans for spans, _ in places))
    yield from (((), (b,)) for b in sides[1] if not any(b in spans for _, spans in places))


def _classify_place(text: str, one: Side, other: Side, agreed: Sequence[Span]) -> _VersionDifference:
    """Return the difference in a place, given its spans and the spans on which both versions agree."""
    source = text if has_words(text) else ""
    if not one or not other:
        (span,) = one or other
        nested = bool(overlaps([span], agreed))
        return _VersionDifference(
            "nested" if nested else "missing", (span.label,), bool(one), ((span,), ()), _surface(source, span)
        )
    if len(one) != len(other) and 1 in (len(one), len(other)):
        first = len(one) == 1
        having, lacking = (one, other) if first else (other, one)
        return _VersionDifference("merged", (having[0].label,), first, (having, lacking), _surface(source, having[0]))
    a, b = (trim_span(text, side[0]) for side in (one, other))
    if len(one) == 1 and a.label != b.label:
        first = a.label < b.label
        having, lacking = (one, other) if first else (other, one)
        return _VersionDifference(
            "label", tuple(sorted((a.label, b.label))), first, (having, lacking), _surface(source, having[0])
        )
    kind = _boundary_kind(a, b) if len(one) == len(other) == 1 else "shifted"
    first = (a.start, -a.end) <= (b.start, -b.end)
    if kind == "blank":
        first = (one[0].start, -one[0].end) < (other[0].start, -other[0].end)
    having, lacking = (one, other) if first else (other, one)
    if kind in ("leading", "trailing", "both"):
        words = _more_words(source, *((a, b) if first else (b, a)))
    else:
        words = "" if kind == "blank" else _surface(source, having[0])
    return _VersionDifference(kind, (having[0].label,), first, (having, lacking), words)


def _boundary_kind(a: Span, b: Span) -> Kind:
    """Return the kind of difference between two overlapping spans with the same label."""
    if a[:2] == b[:2]:
        return "blank"
    if a.start == b.start:
        return "trailing"
    if a.end == b.end:
        return "leading"
    return "both" if (a.start < b.start) == (a.end > b.end) else "shifted"


def _more_words(text: str, longer: Span, shorter: Span) -> str:
    """Return the words that only the longer of two spans has; "" if there are many."""
    ends = (text[longer.start : shorter.start], text[shorter.end : longer.end])
    words = [*map(fold_words, ends)]
    return " … ".join(filter(None, words)) if all(part.count(" ") < MOST_WORDS for part in words) else ""


def _has_overlap(spans: Set[Span]) -> bool:
    """Return whether some of these spans overlap each other."""
    ordered = sorted(spans)
    return any(a.overlaps(b) for a, b in zip(ordered, ordered[1:]))


def trim_span(text: str, span: Span) -> Span:
    """Return a span without white space at its ends; a span of white space alone is unchanged."""
    words = text[span.start : span.end]
    if not words.strip():
        return span
    start = span.start + len(words) - len(words.lstrip())
    return Span(start, start + len(words.strip()), span.label)


def _surface(text: str, span: Span) -> str:
    return fold_words(text[span.start : span.end])


KINDS: dict[Kind, Callable[[Sequence[str]], dict[str, Any]]] = {
    "merged": lambda labels: {"kind": "merged"},
    "shifted": lambda labels: {"kind": "shifted"},
    "leading": lambda labels: {"kind": "boundary", "end": "leading"},
    "trailing": lambda labels: {"kind": "boundary", "end": "trailing"},
    "both": lambda labels: {"kind": "boundary", "end": "both"},
    "label": lambda labels: {"kind": "label", "label": labels[0], "instead": labels[1]},
    "nested": lambda labels: {"kind": "nested", "label": labels[0]},
    "missing": lambda labels: {"kind": "missing", "label": labels[0]},
}
"""The kinds of differences that may be habits, with the fields of a row of the result for each."""

OF_LABELS = ("label", "nested", "missing")
"""The kinds whose differences are grouped by their labels."""

MOST_WORDS_SHOWN = 5
"""Maximum number of different words in a row."""

LEAST = 2
"""Minimum number of places of a difference that counts as repeated."""

LEAST_TESTED = 6
"""Minimum number of places for a test: with five places, not even five in one direction have p < .05."""

ONE_WAY = 0.8
"""Minimum share of places in one direction for a habit to be clear."""

ALPHA = 0.05
"""The family-wise error rate: the maximum probability that any habit is called clear if all differences are slips."""

MOST_CAMPS = 64
"""Maximum number of groups of annotators that are tested against the others, besides single annotators. The most
frequent ones are tested."""


class Event(NamedTuple):
    """The differences of one kind in one place, between all pairs of annotators who differ there.

    Attributes:
        having, lacking: The annotators who have it and those who lack it. Annotators who are on both sides, compared
            with different annotators, are excluded.
        members: The differences.
    """

    having: frozenset[str]
    lacking: frozenset[str]
    members: Sequence[Difference]

    @property
    def is_one_way(self) -> bool:
        """Whether there are annotators on both sides."""
        return bool(self.having and self.lacking)

    @property
    def place(self) -> tuple[int, int, int]:
        """The index of the document, the start and the end of the place."""
        starts, ends = zip(*(member.stretch for member in self.members))
        return self.members[0].document, min(starts), max(ends)

    def swap_sides(self) -> Event:
        """Return the place with the sides exchanged, for differences of labels."""
        return Event(self.lacking, self.having, [member.swap_sides() for member in self.members])

    def differences_between(self, one: Set[str], other: Set[str]) -> list[Difference]:
        """Return the differences in which an annotator of `one` has it and an annotator of `other` lacks it."""
        return [member for member in self.members if member.having in one and member.lacking in other]


def _events(members: Iterable[Difference]) -> Iterator[Event]:
    """Yield the places of differences of one kind in the order of the text. Overlapping differences share a place."""
    groups: list[list[Difference]] = []
    document = start = end = -1
    for difference in sorted(members, key=lambda difference: (difference.document, difference.stretch)):
        first, last = difference.stretch
        if difference.document != document or (first >= end and (first, last) != (start, end)):
            groups.append([])
            document, start, end = difference.document, first, last
        groups[-1].append(difference)
        end = max(end, last)
    for group in groups:
        having, lacking = {difference.having for difference in group}, {difference.lacking for difference in group}
        yield Event(frozenset(having - lacking), frozenset(lacking - having), group)


class Pattern:
    """A repeated difference between two sides: annotators who have something, and annotators who lack it.

    Slips go either way equally often. The habit of some annotators goes one way.

    Args:
        names: The annotators, in their order.
        one, other: The sides.
        events: The places in which an annotator of `one` has it and an annotator of `other` lacks it.
        everything: All places of this kind of difference, between any annotators.
        is_clear: Whether it is a clear habit, see `_Habits`.

    Attributes:
        kind: The kind of difference.
        one: The annotators who have it.
        other: The annotators who lack it.
        events: The places.
        reverse: The places in which an annotator of `other` has it and an annotator of `one` lacks it.
        is_clear: Whether it is a clear habit.
    """

    def __init__(
        self,
        names: Sequence[str],
        one: Set[str],
        other: Set[str],
        events: Sequence[Event],
        everything: Sequence[Event],
        *,
        is_clear: bool,
    ) -> None:
        self.kind: Kind = events[0].members[0].kind
        self.one: list[str] = [name for name in names if name in one]
        self.other: list[str] = [name for name in names if name in other]
        self.events: list[Event] = [*events]
        self.is_clear = is_clear
        self._members = [event.differences_between(one, other) for event in events]
        backward = [(event, event.differences_between(other, one)) for event in everything]
        self.reverse: list[Event] = [event for event, members in backward if members]
        self._reverse = [difference for _, members in backward for difference in members]

    @property
    def forward(self) -> list[Difference]:
        """The differences in which `one` has it and `other` lacks it."""
        return [difference for members in self._members for difference in members]

    @property
    def number(self) -> int:
        """The number of places."""
        return len(self.events)

    @property
    def net_number(self) -> float:
        """The number of places, less the number in which it goes the other way."""
        return self.number - _reverse_places(self.number, len(self.forward), len(self._reverse))

    @property
    def habit_of(self) -> tuple[str, ...]:
        """The smaller side, to whom the habit is ascribed; empty if the sides are equally large."""
        if len(self.one) == len(self.other):
            return ()
        return tuple(self.one if len(self.one) < len(self.other) else self.other)

    def row(self, shared: SharedDocuments) -> dict[str, Any]:
        """Return the pattern as a row of the result."""
        first = self._members[0][0]
        row = {**KINDS[self.kind](first.labels), "one": self.one, "other": self.other}
        row |= {"number": self.number, "reverse": len(self.reverse), "clear": self.is_clear}
        row |= {"documents": len({event.place[0] for event in self.events})}
        words = (
            next((difference.words for difference in members if difference.words), "") for members in self._members
        )
        row["words"] = _most_frequent(Counter(filter(None, words)), MOST_WORDS_SHOWN)
        if self.kind not in OF_LABELS:
            row["labels"] = _most_frequent(Counter(members[0].labels[0] for members in self._members))
        text_of = shared.documents[first.document].text_of
        texts = ([text_of(span) for span in side] for side in first.spans)
        row["example"] = {
            "document": shared.name_of(first.document),
            **{
                key: " + ".join(filter(None, side_texts)) or None
                for key, side_texts in zip(("one_text", "other_text"), texts)
            },
        }
        numbers = [
            Counter((difference.having, difference.lacking) for difference in way)
            for way in (self.forward, self._reverse)
        ]
        pairs = sorted({*numbers[0], *(pair[::-1] for pair in numbers[1])})
        row["pairs"] = [
            {"one": a, "other": b, "number": numbers[0][a, b], "reverse": numbers[1][b, a]} for a, b in pairs
        ]
        row["places"] = [
            dict(zip(("document", "start", "end"), (shared.name_of(number), *stretch)))
            for number, *stretch in (event.place for event in self.events)
        ]
        return row


def _reverse_places(number: int, forward: int, backward: int) -> float:
    """Return the equivalent number of places in which a difference goes the other way.

    Each of these has as many differences (pairs of annotators) as a place that goes one way has on average.

    Args:
        number: The number of places that go one way.
        forward: The number of differences in these places.
        backward: The number of differences that go the other way, in any places.
    """
    return backward * number / forward


def _sign_test(number: float, other_way: float) -> float:
    """Return the two-sided p-value of a sign test. Null hypothesis: differences go either way equally often.

    >>> round(_sign_test(6, 0), 5), round(_sign_test(9, 1), 5), _sign_test(1, 3)
    (0.03125, 0.02148, 1.0)
    """
    from scipy.special import betainc

    return float(min(1.0, 2 * betainc(number, other_way + 1, 0.5)))


class _OneWay(NamedTuple):
    """Two sides, the number of places that go one way between them, and of those that go the other way."""

    one: frozenset[str]
    other: frozenset[str]
    number: int
    reverse: float

    @property
    def p(self) -> float:
        return _sign_test(self.number, self.reverse)


class _Habits:
    """The habits in the differences of one kind.

    Candidate sides are each annotator against the others, and each group that is on one side of a place against the
    others. A place goes one way between two sides if only annotators of the first have it, and only annotators of the
    second lack it.

    A habit is clear if at least 80 % of its places go one way, and a sign test rejects that differences go either way
    equally often. Holm's correction covers all kinds and sides with six or more places in either direction. So the
    choice of what to test does not depend on the direction.

    Args:
        members: The differences.
        annotators: All annotators, in their order.
    """

    def __init__(self, members: Sequence[Difference], annotators: Sequence[str]) -> None:
        self.events: list[Event] = [*_events(members)]
        differing = {name for difference in members for name in (difference.having, difference.lacking)}
        self.names: list[str] = [name for name in annotators if name in differing]
        everybody = frozenset(self.names)
        camps = Counter(camp for event in self.events for camp in (event.having, everybody - event.lacking))
        common = [camp for camp, _ in camps.most_common(MOST_CAMPS)]
        tried = [side for one in [*map(frozenset, zip(self.names)), *common] for side in (one, everybody - one)]
        self._sides = [(one, everybody - one) for one in dict.fromkeys(tried) if 0 < len(one) < len(everybody)]
        self._times = Counter((difference.having, difference.lacking) for difference in members)

    def p_values(self) -> list[float]:
        """Return the p-value of each pair of sides that has enough places to be tested."""
        by_sides = {way[:2]: way for way in self._count_ways(self.events)}
        tested = []
        for one, other in {frozenset(sides): sides for sides in self._sides}.values():
            ways = [by_sides[sides] for sides in ((one, other), (other, one)) if sides in by_sides]
            if sum(way.number for way in ways) >= LEAST_TESTED:
                tested.append(min(way.p for way in ways))
        return tested

    def patterns(self, limit: float) -> Iterator[Pattern]:
        """Yield the clear patterns, the most one-sided first, or else one pattern that is not clear.

        Each place is in at most one clear pattern. If none is clear, the annotators who have it more often than they
        lack it are one side.

        Args:
            limit: Maximum p-value of a clear pattern.
        """
        left, clear = self.events, 0
        while True:
            ways = [way for way in self._count_ways(left) if way.number >= LEAST]
            ways = [way for way in ways if way.number >= ONE_WAY * (way.number + way.reverse)]
            ways = [way for way in ways if way.p <= limit]
            if not ways:
                break
            best = max(ways, key=lambda way: (way.number - way.reverse, way.number))
            fits = [event.is_one_way and event.having <= best.one and event.lacking <= best.other for event in left]
            way_events = [event for event, fit in zip(left, fits) if fit]
            left = [event for event, fit in zip(left, fits) if not fit]
            clear += 1
            yield Pattern(self.names, best.one, best.other, way_events, self.events, is_clear=True)
        if not clear:
            one, other = _majority_sides(self.events, self.names)
            way_events = [event for event in self.events if event.differences_between(one, other)]
            if len(way_events) >= LEAST:
                yield Pattern(self.names, one, other, way_events, self.events, is_clear=False)

    def _count_ways(self, events: Sequence[Event]) -> Iterator[_OneWay]:
        """Yield the sides between which places go one way, with the numbers of places in both directions.

        Places with the same annotators are counted together, for speed.
        """
        number: Counter[tuple[frozenset[str], frozenset[str]]] = Counter()
        pairs: defaultdict[tuple[frozenset[str], frozenset[str]], Counter[tuple[str, str]]] = defaultdict(Counter)
        for event in events:
            if event.is_one_way:
                number[event[:2]] += 1
                pairs[event[:2]].update((difference.having, difference.lacking) for difference in event.members)
        for one, other in self._sides:
            keys = [key for key in number if key[0] <= one and key[1] <= other]
            if keys:
                times = sum(number[key] for key in keys)
                forward = sum(n for key in keys for (a, b), n in pairs[key].items() if a in one and b in other)
                backward = sum(self._times[b, a] for a, b in product(one, other))
                yield _OneWay(one, other, times, _reverse_places(times, forward, backward))


def _majority_sides(events: Iterable[Event], names: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the annotators who have it more often than they lack it, and those who lack it more often.

    If all have it as often as they lack it, the first annotator is one side and the others are the other side.
    """
    balance: Counter[str] = Counter()
    for event in events:
        balance.update(difference.having for difference in event.members)
        balance.subtract(difference.lacking for difference in event.members)
    if not any(balance.values()):
        return frozenset(names[:1]), frozenset(names[1:])
    having, lacking = ([name for name in names if sign * balance[name] > 0] for sign in (1, -1))
    return frozenset(having), frozenset(lacking)


def _most_frequent(numbers: Counter[str], most: int | None = None) -> dict[str, int]:
    return dict(sorted(numbers.items(), key=lambda item: (-item[1], item[0]))[:most])


class Differences:
    """All differences between annotators, and those that repeat.

    Args:
        shared: The documents.

    Attributes:
        members: Every difference between two annotators, pair by pair, in the order of the documents. Every span that
            only one of the two marked is part of exactly one difference.

    >>> from spacy_nereval import Document
    >>> from .shared_documents import SharedDocument
    >>> own = {"ann": [(4, 13, "PART")], "ben": [(9, 13, "PART"), (14, 19, "FAULT")]}
    >>> shared = SharedDocuments(("ann", "ben"), [SharedDocument(Document([], [], "the left door leaks"), own)])
    >>> for each in Differences(shared).members:
    ...     print(each.kind, each.labels, each.having, each.lacking, repr(each.words))
    leading ('PART',) ann ben 'left'
    missing ('FAULT',) ben ann 'leaks'
    """

    def __init__(self, shared: SharedDocuments) -> None:
        self._shared = shared
        self.members: list[Difference] = [*find_differences(shared)]

    @cached_property
    def patterns(self) -> list[Pattern]:
        """The repeated differences: clear habits first, then the most one-sided, then the most frequent.

        With more than two annotators, the first clear habit of each precedes the second one of any.
        """
        return self._patterns(by_words=False)

    @cached_property
    def patterns_in_same_words(self) -> list[Pattern]:
        """The repeated differences in the same words."""
        return self._patterns(by_words=True)

    def stretch_in_dispute(self, difference: Difference) -> tuple[int, int]:
        """Return the start and end of the words in question: those that only one span has, or those of the spans."""
        start, end = difference.stretch
        if difference.kind in ("leading", "trailing"):
            (shorter,) = difference.spans[1]
            start, end = (start, shorter.start) if difference.kind == "leading" else (shorter.end, end)
        span = trim_span(self._shared.documents[difference.document].base.text or "", Span(start, end, ""))
        return span.start, span.end

    def _patterns(self, *, by_words: bool) -> list[Pattern]:
        groups: defaultdict[tuple[object, ...], list[Difference]] = defaultdict(list)
        for difference in self.members:
            if difference.kind in KINDS and (difference.words or not by_words):
                labels = difference.labels if difference.kind in OF_LABELS else ()
                groups[difference.kind, labels, by_words and difference.words].append(difference)
        annotators = self._shared.annotators
        rules = [_Habits(members, annotators) for members in groups.values() if len(members) >= LEAST]
        tested = [p for rule in rules for p in rule.p_values()]
        limit = max((p for p, corrected in zip(tested, holm(tested)) if corrected <= ALPHA), default=0.0)
        patterns = [
            _put_fewer_first(pattern, rule.events, annotators) for rule in rules for pattern in rule.patterns(limit)
        ]
        patterns.sort(key=lambda difference: (not difference.is_clear, -difference.net_number, -difference.number))
        before: Counter[tuple[str, ...]] = Counter()
        order = []
        for number, pattern in enumerate(patterns):
            turn = before[pattern.habit_of] if pattern.is_clear and not by_words else 0
            order.append((not pattern.is_clear, turn, number))
            before[pattern.habit_of] += bool(pattern.habit_of)
        return [patterns[number] for *_, number in sorted(order)]

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of the result.

        Returns:
            "differences", and "same_words" for differences in the same words. A row says what annotators "one" do and
            annotators "other" do not:

            - "kind": "merged" (one span where `other` mark several); "shifted" (each span has words that the other
              lacks; those of `one` begin first); "boundary" with the "end" ("leading", "trailing" or "both") at which
              the spans of `one` have more words; "label" with the "label" of `one` and the "instead" of `other`;
              "nested" and "missing" with the "label" of spans that only `one` mark, overlapping a span that both mark,
              or elsewhere. The first three have "labels": the labels of the spans of `one` to their numbers;
            - "number", "documents", "reverse": the numbers of places, of documents, and of places that go the other
              way; "pairs": the same numbers for pairs of annotators; "clear": whether it is a clear habit; "places":
              the places;
            - "words": the most frequent words to numbers of places. They are the words at the boundary unless there are
              many, or else those of the span; "example": the texts of both sides in one place.
        """
        patterns_by_key = {"differences": self.patterns, "same_words": self.patterns_in_same_words}
        return {key: [pattern.row(self._shared) for pattern in patterns] for key, patterns in patterns_by_key.items()}


def _put_fewer_first(pattern: Pattern, everything: Sequence[Event], annotators: Sequence[str]) -> Pattern:
    """Return a pattern of labels with the label that fewer annotators give first; other patterns are unchanged."""
    one, other = ((len(side), annotators.index(side[0])) for side in (pattern.one, pattern.other))
    if pattern.kind != "label" or one < other:
        return pattern
    events, swapped = ([event.swap_sides() for event in group] for group in (pattern.events, everything))
    return Pattern(annotators, {*pattern.other}, {*pattern.one}, events, swapped, is_clear=pattern.is_clear)
