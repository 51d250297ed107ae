"""Differences between annotators that repeat: the habits behind them, as rows of the result and in words.

A habit is a kind of difference that goes one way in most places: some annotators mark spans in a way that others do
not. It points to a rule that not all annotators follow. With more than two annotators, the differences of all pairs
are taken together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

from ...core.messages import many, shorten
from ...core.pieces import hull
from ...core.spans import Span
from ...evaluation.tested import holm
from ...reporting.marked_text import clip
from ...reporting.result_table import EMPTY
from .disagreements import Difference, Kind, find_differences, trim_span
from .shared_documents import SharedDocuments

OF_LABELS = ("label", "nested", "missing")
"""The kinds with differences that are grouped by their labels."""

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
        row: dict[str, Any] = {**_kind_fields(self.kind, first.labels), "one": self.one, "other": self.other}
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


def _kind_fields(kind: Kind, labels: Sequence[str]) -> dict[str, str]:
    """Return the fields of a row that identify the kind of difference."""
    if kind in ENDS:
        return {"kind": "boundary", "end": kind}
    return {"kind": kind} | (dict(zip(("label", "instead"), labels)) if kind in OF_LABELS else {})


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
    choice of tests does not depend on the direction.

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
    >>> spans = {"ann": [(4, 13, "PART")], "ben": [(9, 13, "PART"), (14, 19, "FAULT")]}
    >>> shared = SharedDocuments(("ann", "ben"), [SharedDocument(Document([], [], "the left door leaks"), spans)])
    >>> for member in Differences(shared).members:
    ...     print(member.kind, member.labels, member.having, member.lacking, repr(member.words))
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
            start, end = (start, shorter.start) if difference.kind == "leading" else (hull(shorter)[1], end)
        span = trim_span(self._shared.documents[difference.document].base.text or "", Span(start, end, ""))
        return span.start, span.end

    def _patterns(self, *, by_words: bool) -> list[Pattern]:
        groups: defaultdict[tuple[object, ...], list[Difference]] = defaultdict(list)
        for difference in self.members:
            if difference.kind != "blank" and (difference.words or not by_words):
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
            "differences", and "same_words" for differences in the same words. A row describes a habit of annotators
            "one" that annotators "other" lack:

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


# In words. Rows are those of "differences" and "same_words" in a result.

MOSTLY = 0.5
"""Minimum share of the most frequent words at a boundary for which a sentence names them alone."""

OF_ONE_LABEL = 0.8
"""Minimum share of the most frequent label for which a sentence names it."""

LISTED_WORDS, MOST_NAMES = 3, 4
"""Maximum number of words, and of annotators, that a sentence names."""

ENDS = {"leading": "leading", "trailing": "trailing", "both": "leading and trailing"}

KINDS = {
    "merged": ("both", "one span for several"),
    "shifted": ("both", "shifted"),
    "leading": ("boundary", "words at the start"),
    "trailing": ("boundary", "words at the end"),
    "both": ("both", "words at both ends"),
    "label": ("label", "label"),
    "nested": ("missed", "nested, marked by one only"),
    "missing": ("missed", "marked by one only"),
    "blank": ("hit", "white space at an end"),
}
"""The kinds of differences, each with a key of `core.wording.VERDICT_KINDS` for the colour, and a few words."""

RULES = {
    "merged": ("mark one span, not several, for {words}", "mark several spans, not one, for {words}"),
    "shifted": ("mark {one_text!r}, not {other_text!r}", "mark {other_text!r}, not {one_text!r}"),
    "boundary": ("include {ends} {words} in {label}", "leave {ends} {words} out of {label}"),
    "label": ("mark {words} as {label}, not {instead}", "mark {words} as {instead}, not {label}"),
    "nested": ("mark {words} as nested {label}", "do not mark {words} as nested {label}"),
    "missing": ("mark {words} as {label}", "do not mark {words} as {label}"),
}
"""Rules for the guideline by the kind of difference, one for each side: `one`, then `other`."""


def difference_sentence(row: Mapping[str, Any]) -> str:
    """Return a systematic difference in words, with examples and the number of places.

    >>> row = {"kind": "boundary", "one": ["ann"], "other": ["ben"], "end": "leading", "labels": {"PART": 9, "DATE": 5}}
    >>> difference_sentence(row | {"words": {"the": 14}, "number": 14, "reverse": 0})
    "ann includes leading 'the' where ben does not (14 places)"
    >>> difference_sentence(row | {"words": {"the": 12, "a": 2}, "number": 14, "reverse": 0})
    "ann includes leading 'the' where ben does not (12 places, 14 with other words)"
    >>> difference_sentence(row | {"words": {"the": 5, "a": 3, "an": 1}, "number": 14, "reverse": 2})
    "ann includes leading words that ben leaves out: 'the', 'a', 'an' and others (14 places, 2 the other way round)"
    """
    main = _main_words(row)
    words = [*row["words"]][: 0 if main else LISTED_WORDS]
    is_cut = sum(row["words"][word] for word in words) < row["number"]
    named = ", ".join(repr(clip(word)) for word in words) + " and others" * is_cut
    about = f": {named}" if words else ""
    number = many(row["words"].get(main, row["number"]), "place")
    number += f", {row['number']:,} with other words" if main and row["words"][main] < row["number"] else ""
    return f"{difference_clause(row)}{about} ({', '.join(filter(None, (number, reverse_phrase(row))))})"


def reverse_phrase(row: Mapping[str, Any]) -> str:
    """Return the number of places that go the other way, in words; "" for none."""
    return f"{row['reverse']:,} the other way round" if row["reverse"] else ""


def difference_clause(row: Mapping[str, Any]) -> str:
    """Return a systematic difference in words. The smaller side is named first, since it is their habit.

    >>> row = {"kind": "label", "one": ["ann"], "other": ["ben", "cleo"], "label": "ORG", "instead": "GPE"}
    >>> difference_clause(row)
    'ann says ORG where ben and cleo say GPE'
    >>> missing = {"kind": "missing", "one": ["ann"], "other": ["ben"], "label": "DATE"}
    >>> difference_clause(missing), difference_clause(missing | {"one": ["ann", "cleo"]})
    ('ann marks DATE where ben marks nothing', 'ben marks nothing where ann and cleo mark DATE')
    >>> merged = {"kind": "merged", "one": ["ann"], "other": ["ben"], "labels": {"PART": 9}, "number": 9}
    >>> difference_clause(merged), difference_clause(merged | {"one": ["ann", "cleo"]})
    ('ann marks one PART where ben marks several spans', 'ben marks several spans where ann and cleo mark one PART')
    """
    *sides, is_turned = _subject_sides(row)
    (subject, s), (others, not_s) = ((name_list(side), "s" * (len(side) == 1)) for side in sides)
    kind, label = row["kind"], _label_text(row["label"]) if "label" in row else _main_label(row)
    if kind == "label":
        return f"{subject} say{s} {label} where {others} say{not_s} {_label_text(row['instead'])}"
    marks = {
        "missing": (label, "nothing"),
        "nested": (f"nested {label}", f"no nested {label}"),
        "merged": (f"one {label or 'span'}", "several spans"),
    }
    if kind in marks:
        has, lacks = marks[kind][:: -1 if is_turned else 1]
        return f"{subject} mark{s} {has} where {others} mark{not_s} {lacks}"
    where = f" of {label}" if label else ""
    if kind == "shifted":
        return f"{subject} mark{s} {'later' if is_turned else 'earlier'} words{where} than {others}"
    words = _main_words(row)
    addition = f"{ENDS[row['end']]} {repr(clip(words)) if words else 'words'}{where}"
    if is_turned:
        return f"{subject} leave{s} out {addition} that {others} include{not_s}"
    if words:
        return f"{subject} include{s} {addition} where {others} do{'es' if not_s else ''} not"
    return f"{subject} include{s} {addition} that {others} leave{not_s} out"


def rule_sentence(row: Mapping[str, Any]) -> str:
    """Return a rule for the guideline that settles a difference: the habit of the majority, or a choice of two.

    >>> row = {"kind": "label", "one": ["ann"], "other": ["ben", "cleo"], "label": "ORG", "instead": "GPE"}
    >>> row |= {"words": {"rome": 3}, "number": 4}
    >>> rule_sentence(row)
    "as ben and cleo do, mark 'rome' and the like as GPE, not ORG"
    >>> rule_sentence(row | {"other": ["ben"], "number": 3})
    "mark 'rome' as ORG, not GPE (as ann), or the opposite (as ben)"
    >>> end = {"kind": "boundary", "end": "leading", "labels": {"LOC": 4}, "words": {"the": 4}, "number": 4}
    >>> rule_sentence({**end, "one": ["ann"], "other": ["ben", "cleo"]})
    "as ben and cleo do, leave leading 'the' out of LOC"
    """
    label = _label_text(row["label"]) if "label" in row else _main_label(row) or "spans"
    parts = {"words": _rule_words(row), "label": label, "instead": _label_text(row.get("instead", ""))}
    parts["ends"] = ENDS.get(row.get("end", ""), "")
    parts |= {key: clip(text or "") for key, text in row.get("example", {}).items() if key != "document"}
    first_rule, other_rule = (rule.format(**parts) for rule in RULES[row["kind"]])
    sides = name_list(row["one"]), name_list(row["other"])
    if len(row["one"]) == len(row["other"]):
        return f"{first_rule} (as {sides[0]}), or the opposite (as {sides[1]})"
    return (
        f"as {sides[0]} do, {first_rule}" if len(row["one"]) > len(row["other"]) else f"as {sides[1]} do, {other_rule}"
    )


def _rule_words(row: Mapping[str, Any]) -> str:
    """Return the first words that a rule is about."""
    words = [_main_words(row)] if _main_words(row) else [*row["words"]][:LISTED_WORDS]
    if not words:
        return "words" if row["kind"] == "boundary" else "such spans"
    more = " and the like" * (sum(row["words"][word] for word in words) < row["number"])
    return f"{', '.join(repr(clip(word)) for word in words)}{more}"


def difference_columns(row: Mapping[str, Any], everyone: Sequence[str] = ()) -> tuple[str, str, str, str]:
    """Return the cells of a table: the label, the difference, who does it and who does not.

    Args:
        row: The row.
        everyone: All annotators, so that the others can be called "all others".

    >>> row = {"kind": "label", "one": ["ann"], "other": ["ben", "cleo"], "label": "ORG", "instead": "GPE"}
    >>> difference_columns(row), difference_columns(row, ["ann", "ben", "cleo"])[-1]
    (('ORG', 'instead of GPE', 'ann', 'ben and cleo'), 'all others')
    >>> difference_columns({"kind": "missing", "one": ["ann"], "other": ["ben"], "label": "DATE"})
    ('DATE', 'marked', 'ann', 'ben')
    """
    subject, other_side, is_turned = _subject_sides(row)
    are_all_others = len(other_side) > 1 and len(subject) + len(other_side) == len(everyone)
    sides = name_list(subject), "all others" if are_all_others else name_list(other_side)
    kind = row["kind"]
    if kind == "label":
        return row["label"], f"instead of {_label_text(row['instead'])}", *sides
    if kind in ("missing", "nested"):
        return row["label"], f"{'not ' * is_turned}marked{', nested' * (kind == 'nested')}", *sides
    label = _main_label(row) or "several"
    if kind == "merged":
        return label, "several for one" if is_turned else "one for several", *sides
    if kind == "shifted":
        return label, f"{'later' if is_turned else 'earlier'} words", *sides
    words = _main_words(row)
    clause = f"{ENDS[row['end']]} {repr(clip(words)) if words else 'words'}"
    return label, f"{'without ' * is_turned}{clause}", *sides


def _subject_sides(row: Mapping[str, Any]) -> tuple[Sequence[str], Sequence[str], bool]:
    """Return the annotators with the habit, the others, and whether the habit is an omission.

    In a row of labels, "one" is the smaller side already.
    """
    is_turned = row["kind"] != "label" and len(row["other"]) < len(row["one"])
    return (row["other"], row["one"], True) if is_turned else (row["one"], row["other"], False)


def difference_kind(row: Mapping[str, Any]) -> str:
    """Return the kind of a row's differences, a key of `KINDS`."""
    kind: str = row.get("end", row["kind"])
    return kind


def name_list(people: Sequence[str]) -> str:
    """Return names as a list in a sentence, the first few of many.

    >>> name_list(["ann"]), name_list(["ann", "ben", "cleo"]), name_list(["a", "b", "c", "d", "e", "f"])
    ('ann', 'ann, ben and cleo', 'a, b, c and 3 others')
    """
    named = [shorten(name) for name in people]
    if len(named) > MOST_NAMES:
        named = [*named[: MOST_NAMES - 1], f"{len(named) - MOST_NAMES + 1} others"]
    return " and ".join(filter(None, [", ".join(named[:-1]), named[-1]]))


def _main_words(row: Mapping[str, Any]) -> str:
    """Return the words of most differences at a boundary; "" if there are no such words."""
    words, most = next(iter(row["words"].items()), ("", 0)) if row["kind"] == "boundary" else ("", 0)
    return words if most >= MOSTLY * row["number"] else ""


def _main_label(row: Mapping[str, Any]) -> str:
    """Return the label of most differences; "" if there is no such label."""
    label, number = next(iter(row["labels"].items()))
    return _label_text(label) if number >= OF_ONE_LABEL * row["number"] else ""


def _label_text(label: str) -> str:
    return label if label.strip() else EMPTY
