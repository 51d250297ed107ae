"""In what do two annotators differ, place by place?

The spans in which a pair differs are taken place by place: the spans of one that overlap those of the other, in a
chain if need be. A place has one kind of difference, so one long span where the other marks several is one difference,
and not a pair of boundaries and a missing span.

In what do annotators differ again and again? Rules that some follow and others do not.

Two annotators have one pair to compare, more annotators have more pairs; everything else is the same. A habit is
looked for in the places where they differ: somebody does what others do not.
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
"""What differs in a place.

- merged: one span where the other marks several;
- shifted: each has words that the other lacks;
- leading, trailing, both: one has more words, at the beginning, at the end or at both ends;
- label: the label, whatever the ends;
- nested: a span that only one marks within, around or across a span that both mark;
- missing: a span that only one marks elsewhere;
- blank: only white space at an end, which no guideline is about.
"""

Side = tuple[Span, ...]
"""The spans of an annotator in a place."""


class Difference(NamedTuple):
    """A difference between two annotators in one place.

    Attributes:
        kind: What differs.
        labels: The label of the span that has more; or both labels, in alphabetical order.
        having: The annotator who has the words, the span, the one long span, or the first of the labels; of shifted
            spans, the one that begins first.
        lacking: The other annotator.
        document: The number of the document.
        spans: The spans of `having` and those of `lacking`, of which there may be none.
        words: The words that only one has, or else those of the span, case folded; "" if many or unknown.
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
        """Where the spans begin and end."""
        given = [span for side in self.spans for span in side]
        return min(span.start for span in given), max(span.end for span in given)

    def turned(self) -> Difference:
        """Return a difference in labels seen from the other side."""
        kind, labels, having, lacking, document, (spans, others), words = self
        return Difference(kind, labels[::-1], lacking, having, document, (others, spans), words)


class _Sign(NamedTuple):
    """What two versions of a document show in a place; see `Difference`. first: the first of them has it."""

    kind: Kind
    labels: tuple[str, ...]
    first: bool
    spans: tuple[Side, Side]
    words: str


def differences_of(shared: SharedDocuments) -> Iterator[Difference]:
    """Yield every difference, pair by pair, in the order of the documents.

    Annotators agree about most documents, so each two versions are compared once.
    """
    known: dict[tuple[int, int, int], list[_Sign]] = {}
    for a, b in shared.pairs():
        for number in shared.places(a, b):
            versions = shared.versions[number]
            if versions[a] == versions[b]:
                continue
            key = number, versions[a], versions[b]
            if key not in known:
                document = shared.documents[number].pair(a, b)
                known[key] = [*_signs(document.text or "", document.gold, document.pred)]
            for kind, labels, first, spans, words in known[key]:
                yield Difference(kind, labels, *((a, b) if first else (b, a)), number, spans, words)


def _signs(text: str, one: Sequence[Span], other: Sequence[Span]) -> Iterator[_Sign]:
    """Yield what two versions of a document differ in, place by place."""
    both = {*one} & {*other}
    sides = [sorted({*side} - both) for side in (one, other)]
    for own in _places(text, *sides):
        yield _sign(text, *own, [*both])


def _places(text: str, one: Sequence[Span], other: Sequence[Span]) -> Iterator[tuple[Side, Side]]:
    """Yield the spans that only one of two annotators marked, place by place: those that overlap, in chains if need be.

    Spans on the same words are a place of their own. Where spans of one annotator overlap each other, spans are paired
    by the characters that they share, and those that remain stand alone.
    """
    sides = [*one], [*other]
    for fields in (3, 2):  # with the label, then without it
        for a in [*sides[0]]:
            key = trimmed(text, a)[:fields]
            b = next((b for b in sides[1] if trimmed(text, b)[:fields] == key), None)
            if b is not None:
                sides[0].remove(a)
                sides[1].remove(b)
                yield (a,), (b,)
    places: list[tuple[set[Span], set[Span]]] = []
    shared = overlaps(*([trimmed(text, span) for span in side] for side in sides))
    for i, j, _ in shared:
        a, b = sides[0][i], sides[1][j]
        meet = [place for place in places if a in place[0] or b in place[1]]
        places = [place for place in places if place not in meet]
        places.append(({a}.union(*(own for own, _ in meet)), {b}.union(*(own for _, own in meet))))
    for own, others in places:
        if not any(_overlap(side) for side in (own, others)):
            yield tuple(sorted(own)), tuple(sorted(others))
            continue
        taken: set[Span] = set()
        pairs = [(-common, sides[0][i], sides[1][j]) for i, j, common in shared if sides[0][i] in own]
        for _, a, b in sorted(pairs):
            if not taken & {a, b}:
                taken |= {a, b}
                yield (a,), (b,)
        yield from (((a,), ()) for a in sorted(own - taken))
        yield from (((), (b,)) for b in sorted(others - taken))
    yield from (((a,), ()) for a in sides[0] if not any(a in own for own, _ in places))
    yield from (((), (b,)) for b in sides[1] if not any(b in own for _, own in places))


def _sign(text: str, one: Side, other: Side, agreed: Sequence[Span]) -> _Sign:
    """Return what a place shows."""
    known = text if has_words(text) else ""
    if not one or not other:
        (span,) = one or other
        nested = bool(overlaps([span], agreed))
        return _Sign("nested" if nested else "missing", (span.label,), bool(one), ((span,), ()), _surface(known, span))
    if len(one) != len(other) and 1 in (len(one), len(other)):
        first = len(one) == 1
        having, lacking = (one, other) if first else (other, one)
        return _Sign("merged", (having[0].label,), first, (having, lacking), _surface(known, having[0]))
    a, b = (trimmed(text, side[0]) for side in (one, other))
    if len(one) == 1 and a.label != b.label:
        first = a.label < b.label
        having, lacking = (one, other) if first else (other, one)
        return _Sign("label", tuple(sorted((a.label, b.label))), first, (having, lacking), _surface(known, having[0]))
    kind = _boundary(a, b) if len(one) == len(other) == 1 else "shifted"
    first = (a.start, -a.end) <= (b.start, -b.end)
    if kind == "blank":
        first = (one[0].start, -one[0].end) < (other[0].start, -other[0].end)
    having, lacking = (one, other) if first else (other, one)
    if kind in ("leading", "trailing", "both"):
        words = _more_words(known, *((a, b) if first else (b, a)))
    else:
        words = "" if kind == "blank" else _surface(known, having[0])
    return _Sign(kind, (having[0].label,), first, (having, lacking), words)


def _boundary(a: Span, b: Span) -> Kind:
    """Return the kind of difference of two spans with one label that overlap."""
    if a[:2] == b[:2]:
        return "blank"
    if a.start == b.start:
        return "trailing"
    if a.end == b.end:
        return "leading"
    return "both" if (a.start < b.start) == (a.end > b.end) else "shifted"


def _more_words(text: str, longer: Span, shorter: Span) -> str:
    """Return the words that only the longer of two spans has; "" if they are many."""
    ends = (text[longer.start : shorter.start], text[shorter.end : longer.end])
    words = [*map(fold_words, ends)]
    return " … ".join(filter(None, words)) if all(each.count(" ") < MOST_WORDS for each in words) else ""


def _overlap(spans: Set[Span]) -> bool:
    """Whether some of these spans overlap each other."""
    ordered = sorted(spans)
    return any(a.overlaps(b) for a, b in zip(ordered, ordered[1:]))


def trimmed(text: str, span: Span) -> Span:
    """Return a span without white space at its ends, if it has anything else."""
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
"""The kinds of rules, and what a row of the result has on each."""

OF_LABELS = ("label", "nested", "missing")
"""The kinds whose rules are each about labels of their own."""

MOST_WORDS_SHOWN = 5
"""Maximum number of different words that a row has."""

LEAST = 2
"""Minimum number of places of a difference that repeats."""

LEAST_TESTED = 6
"""Minimum number of places between two sides that are tested: of five, not even all in one direction have p < .05."""

ONE_WAY = 0.8
"""Minimum share of the differences in one direction for a rule to be clear."""

ALPHA = 0.05
"""Maximum probability, by Holm's correction, that some rule is called clear if all differences are slips."""

MOST_CAMPS = 64
"""Maximum number of camps of annotators that are tried, besides each one against the others: the most frequent."""


class Event(NamedTuple):
    """The differences of one rule in one place, between all annotators who differ there.

    Attributes:
        having, lacking: Who has it, and who lacks it. Those who do both, each compared with another, are in neither.
        members: The differences.
    """

    having: frozenset[str]
    lacking: frozenset[str]
    members: Sequence[Difference]

    @property
    def is_one_way(self) -> bool:
        """Whether somebody has it who never lacks it, and somebody lacks it who never has it."""
        return bool(self.having and self.lacking)

    @property
    def place(self) -> tuple[int, int, int]:
        """The document, where the place begins and where it ends."""
        starts, ends = zip(*(each.stretch for each in self.members))
        return self.members[0].document, min(starts), max(ends)

    def turned(self) -> Event:
        """Return a place of differences in labels seen from the other side."""
        return Event(self.lacking, self.having, [each.turned() for each in self.members])

    def between(self, one: Set[str], other: Set[str]) -> list[Difference]:
        """Return the differences in which somebody of `one` has it and somebody of `other` lacks it."""
        return [each for each in self.members if each.having in one and each.lacking in other]


def _events(members: Iterable[Difference]) -> Iterator[Event]:
    """Yield the places of differences of one rule in the order of the text: differences that overlap are in one."""
    groups: list[list[Difference]] = []
    document = start = end = -1
    for each in sorted(members, key=lambda each: (each.document, each.stretch)):
        first, last = each.stretch
        if each.document != document or (first >= end and (first, last) != (start, end)):
            groups.append([])
            document, start, end = each.document, first, last
        groups[-1].append(each)
        end = max(end, last)
    for group in groups:
        having, lacking = {each.having for each in group}, {each.lacking for each in group}
        yield Event(frozenset(having - lacking), frozenset(lacking - having), group)


class Pattern:
    """A kind of difference between two sides again and again; for labels and single spans, with the same labels.

    A slip goes one way as often as the other. A rule that only some annotators follow goes one way.

    Args:
        names: The annotators, in their order.
        one, other: The sides.
        events: The places in which somebody of `one` has it and somebody of `other` lacks it.
        everything: All places of this kind of difference, whoever differs.
        is_clear: Whether one side does what the other does not, see `_Habits`.

    Attributes:
        kind: What differs.
        one: The annotators who have it.
        other: Those who lack it.
        events: The places.
        reverse: The places in which somebody of `other` has it and somebody of `one` lacks it.
        is_clear: As given.
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
        self._members = [event.between(one, other) for event in events]
        back = [(event, event.between(other, one)) for event in everything]
        self.reverse: list[Event] = [event for event, members in back if members]
        self._reverse = [each for _, members in back for each in members]

    @property
    def one_way(self) -> list[Difference]:
        """The differences that go one way, between the two sides."""
        return [each for members in self._members for each in members]

    @property
    def number(self) -> int:
        """In how many places it goes one way."""
        return len(self.events)

    @property
    def systematic(self) -> float:
        """How much more often it goes one way than the other, in places."""
        return self.number - _other_way(self.number, len(self.one_way), len(self._reverse))

    @property
    def habit_of(self) -> tuple[str, ...]:
        """The smaller side, whose habit it is; empty if the sides are equally large."""
        if len(self.one) == len(self.other):
            return ()
        return tuple(self.one if len(self.one) < len(self.other) else self.other)

    def row(self, shared: SharedDocuments) -> dict[str, Any]:
        """Return the pattern as a row of the result."""
        first = self._members[0][0]
        row = {**KINDS[self.kind](first.labels), "one": self.one, "other": self.other}
        row |= {"number": self.number, "reverse": len(self.reverse), "clear": self.is_clear}
        row |= {"documents": len({event.place[0] for event in self.events})}
        words = (next((each.words for each in members if each.words), "") for members in self._members)
        row["words"] = _most(Counter(filter(None, words)), MOST_WORDS_SHOWN)
        if self.kind not in OF_LABELS:
            row["labels"] = _most(Counter(members[0].labels[0] for members in self._members))
        text_of = shared.documents[first.document].text_of
        texts = ([text_of(span) for span in side] for side in first.spans)
        row["example"] = {
            "document": shared.name_of(first.document),
            **{key: " + ".join(filter(None, own)) or None for key, own in zip(("one_text", "other_text"), texts)},
        }
        numbers = [Counter((each.having, each.lacking) for each in way) for way in (self.one_way, self._reverse)]
        pairs = sorted({*numbers[0], *(pair[::-1] for pair in numbers[1])})
        row["pairs"] = [
            {"one": a, "other": b, "number": numbers[0][a, b], "reverse": numbers[1][b, a]} for a, b in pairs
        ]
        row["places"] = [
            dict(zip(("document", "start", "end"), (shared.name_of(number), *stretch)))
            for number, *stretch in (event.place for event in self.events)
        ]
        return row


def _other_way(number: int, way: int, back: int) -> float:
    """Return in how many places a difference goes the other way.

    That is, in how many places as many pairs of annotators would differ as differ in one of the places that go one way.

    Args:
        number: In how many places it goes one way.
        way: The number of differences in these places.
        back: The number of differences that go the other way, in whatever places.
    """
    return back * number / way


def _sign_test(number: float, other_way: float) -> float:
    """Return the two-sided p of a sign test: whether slips would go one way as clearly.

    >>> round(_sign_test(6, 0), 5), round(_sign_test(9, 1), 5), _sign_test(1, 3)
    (0.03125, 0.02148, 1.0)
    """
    from scipy.special import betainc

    return float(min(1.0, 2 * betainc(number, other_way + 1, 0.5)))


class _Found(NamedTuple):
    """The places that go one way between two sides, and how often it goes the other way, in places."""

    one: frozenset[str]
    other: frozenset[str]
    number: int
    other_way: float

    @property
    def p(self) -> float:
        return _sign_test(self.number, self.other_way)


class _Habits:
    """The habits in the places of one rule.

    The sides that are tried are each annotator against the others, and those who stand together in a place against the
    others. A place goes one way between two sides if nobody but the first has it, and nobody but the second lacks it.

    A habit is clear if four of five go one way, and a sign test excludes slips, which go either way alike. The test
    is corrected by Holm for all rules and sides with six places or more. This number is known whichever way they
    go, so that the choice of what to test prefers no direction.

    Args:
        members: The differences of one rule.
        annotators: All annotators, in their order.
    """

    def __init__(self, members: Sequence[Difference], annotators: Sequence[str]) -> None:
        self.events: list[Event] = [*_events(members)]
        differing = {name for each in members for name in (each.having, each.lacking)}
        self.names: list[str] = [name for name in annotators if name in differing]
        everybody = frozenset(self.names)
        camps = Counter(camp for event in self.events for camp in (event.having, everybody - event.lacking))
        common = [camp for camp, _ in camps.most_common(MOST_CAMPS)]
        tried = [side for one in [*map(frozenset, zip(self.names)), *common] for side in (one, everybody - one)]
        self._sides = [(one, everybody - one) for one in dict.fromkeys(tried) if 0 < len(one) < len(everybody)]
        self._times = Counter((each.having, each.lacking) for each in members)

    def p_values(self) -> list[float]:
        """Return the p of every two sides with enough places to be tested."""
        found = {each[:2]: each for each in self._counted(self.events)}
        tested = []
        for one, other in {frozenset(sides): sides for sides in self._sides}.values():
            ways = [found[sides] for sides in ((one, other), (other, one)) if sides in found]
            if sum(each.number for each in ways) >= LEAST_TESTED:
                tested.append(min(each.p for each in ways))
        return tested

    def patterns(self, limit: float) -> Iterator[Pattern]:
        """Yield the patterns that are clear, the most systematic first, or else one that is not.

        Each place is in one clear pattern at most. If nothing is clear, those who have it more often than they lack it
        are one side.

        Args:
            limit: Maximum p of a clear pattern.
        """
        left, clear = self.events, 0
        while True:
            found = [each for each in self._counted(left) if each.number >= LEAST]
            found = [each for each in found if each.number >= ONE_WAY * (each.number + each.other_way)]
            found = [each for each in found if each.p <= limit]
            if not found:
                break
            best = max(found, key=lambda each: (each.number - each.other_way, each.number))
            goes = [event.is_one_way and event.having <= best.one and event.lacking <= best.other for event in left]
            own = [event for event, is_own in zip(left, goes) if is_own]
            left = [event for event, is_own in zip(left, goes) if not is_own]
            clear += 1
            yield Pattern(self.names, best.one, best.other, own, self.events, is_clear=True)
        if not clear:
            one, other = _sides(self.events, self.names)
            own = [event for event in self.events if event.between(one, other)]
            if len(own) >= LEAST:
                yield Pattern(self.names, one, other, own, self.events, is_clear=False)

    def _counted(self, events: Sequence[Event]) -> Iterator[_Found]:
        """Yield the sides between which some places go one way. Places with the same annotators are counted once."""
        number: Counter[tuple[frozenset[str], frozenset[str]]] = Counter()
        pairs: defaultdict[tuple[frozenset[str], frozenset[str]], Counter[tuple[str, str]]] = defaultdict(Counter)
        for event in events:
            if event.is_one_way:
                number[event[:2]] += 1
                pairs[event[:2]].update((each.having, each.lacking) for each in event.members)
        for one, other in self._sides:
            own = [key for key in number if key[0] <= one and key[1] <= other]
            if own:
                times = sum(number[key] for key in own)
                way = sum(n for key in own for (a, b), n in pairs[key].items() if a in one and b in other)
                back = sum(self._times[b, a] for a, b in product(one, other))
                yield _Found(one, other, times, _other_way(times, way, back))


def _sides(events: Iterable[Event], names: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return who has it more often than they lack it, and who lacks it more often.

    If all have it as often as they lack it, the first of them is one side, and the others are the other side.
    """
    balance: Counter[str] = Counter()
    for event in events:
        balance.update(each.having for each in event.members)
        balance.subtract(each.lacking for each in event.members)
    if not any(balance.values()):
        return frozenset(names[:1]), frozenset(names[1:])
    having, lacking = ([name for name in names if sign * balance[name] > 0] for sign in (1, -1))
    return frozenset(having), frozenset(lacking)


def _most(numbers: Counter[str], most: int | None = None) -> dict[str, int]:
    return dict(sorted(numbers.items(), key=lambda item: (-item[1], item[0]))[:most])


class Differences:
    """What annotators differ in.

    Args:
        shared: The documents.

    Attributes:
        members: Every difference between two annotators, pair by pair, in the order of the documents. Every span that
            only one of the two marked is in one difference.

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
        self.members: list[Difference] = [*differences_of(shared)]

    @cached_property
    def patterns(self) -> list[Pattern]:
        """Those that repeat, by what differs: clear rules first, then the most systematic, then the largest.

        Of clear rules, the first of every annotator come before the second of any, if more than two annotate.
        """
        return self._patterns(by_words=False)

    @cached_property
    def in_same_words(self) -> list[Pattern]:
        """Those that repeat, by what differs and by their words."""
        return self._patterns(by_words=True)

    def disputed(self, difference: Difference) -> tuple[int, int]:
        """Return where the words are about which two annotators differ: those that only one includes, or the spans."""
        start, end = difference.stretch
        if difference.kind in ("leading", "trailing"):
            (shorter,) = difference.spans[1]
            start, end = (start, shorter.start) if difference.kind == "leading" else (shorter.end, end)
        found = trimmed(self._shared.documents[difference.document].base.text or "", Span(start, end, ""))
        return found.start, found.end

    def _patterns(self, *, by_words: bool) -> list[Pattern]:
        groups: defaultdict[tuple[object, ...], list[Difference]] = defaultdict(list)
        for each in self.members:
            if each.kind in KINDS and (each.words or not by_words):
                labels = each.labels if each.kind in OF_LABELS else ()
                groups[each.kind, labels, by_words and each.words].append(each)
        annotators = self._shared.annotators
        rules = [_Habits(members, annotators) for members in groups.values() if len(members) >= LEAST]
        tested = [p for rule in rules for p in rule.p_values()]
        limit = max((p for p, corrected in zip(tested, holm(tested)) if corrected <= ALPHA), default=0.0)
        found = [_by_fewer(pattern, rule.events, annotators) for rule in rules for pattern in rule.patterns(limit)]
        found.sort(key=lambda each: (not each.is_clear, -each.systematic, -each.number))
        before: Counter[tuple[str, ...]] = Counter()
        order = []
        for number, pattern in enumerate(found):
            turn = before[pattern.habit_of] if pattern.is_clear and not by_words else 0
            order.append((not pattern.is_clear, turn, number))
            before[pattern.habit_of] += bool(pattern.habit_of)
        return [found[number] for *_, number in sorted(order)]

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of the result.

        Returns:
            "differences" and, for those about the same words, "same_words". A row says what annotators "one" do and
            annotators "other" do not:

            - "kind": "merged" (one span where `other` mark several); "shifted" (each has words that the other lacks;
              `one` begin first); "boundary" with the "end" ("leading", "trailing" or "both") at which the spans of
              `one` have more words; "label" with the "label" of `one` and the "instead" of `other`; "nested" and
              "missing" with the "label" of spans that only `one` mark, within or around a span that both mark, or
              elsewhere. The first three have the "labels" of the spans of `one`, each with its number;
            - "number": in how many "places", in how many "documents", and in how many places it is the other way round
              ("reverse"); for "pairs" of annotators how often; whether it is "clear" that it goes one way;
            - "words": the most frequent words, each with the number of places: those at a boundary, unless they are
              many, else those of the span; and an "example".
        """
        found = {"differences": self.patterns, "same_words": self.in_same_words}
        return {key: [pattern.row(self._shared) for pattern in each] for key, each in found.items()}


def _by_fewer(pattern: Pattern, everything: Sequence[Event], annotators: Sequence[str]) -> Pattern:
    """Return a pattern of labels with the label that fewer annotators give first; others as they are."""
    one, other = ((len(side), annotators.index(side[0])) for side in (pattern.one, pattern.other))
    if pattern.kind != "label" or one < other:
        return pattern
    events, turned = ([event.turned() for event in given] for given in (pattern.events, everything))
    return Pattern(annotators, {*pattern.other}, {*pattern.one}, events, turned, is_clear=pattern.is_clear)
