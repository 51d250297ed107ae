"""In what do two annotators differ, place by place?

The spans in which a pair differs are taken place by place: the spans of one that overlap those of the other, in a
chain if need be. A place has one kind of difference, so one long span where the other marks several is one difference,
and not a pair of boundaries and a missing span.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Literal, NamedTuple

from ...core.overlapping import overlaps
from ...core.spans import Span
from ..error_groups import MOST_WORDS, has_words, same_words
from .shared import SharedDocuments

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
    words = [*map(same_words, ends)]
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
    return same_words(text[span.start : span.end])
