"""Where annotators disagree: the consensus and disputes, and the differences between two annotators.

A difference is a disagreement of two annotators in one place. A place is a chain of overlapping spans, each marked by
only one of the two. One long span where the other annotator marks several is a single difference, not two boundaries
and a missing span.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, combinations
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from ...core.edges import trim_span as trim_edges
from ...core.messages import spell_argument
from ...core.overlapping import overlaps
from ...core.pieces import any_gaps, covered_text, has_gaps, hull, order_key, shared_characters, sorted_spans, span_row
from ...core.spans import Span
from ...evaluation.error_groups import MOST_WORDS, fold_words, has_words
from .shared_documents import OF_WHITE_SPACE, SharedDocument, SharedDocuments
from .votes import DisputedPlace, Vote

# The consensus

MAJORITY, ALL = "majority", "all"


class Rule(NamedTuple):
    """The number of votes that a span of the consensus needs: "majority" (more than half), "all", or a number."""

    wanted: str | int = MAJORITY

    def holds(self, number: int, annotators: int) -> bool:
        """Return whether this number of votes is enough, given the number of annotators.

        >>> Rule().holds(1, 2), Rule("all").holds(2, 3), Rule(2).holds(2, 3)
        (False, False, True)
        """
        if self.wanted == MAJORITY:
            return 2 * number > annotators
        return number == annotators if self.wanted == ALL else number >= int(self.wanted)


def consensus_rule(wanted: Any, annotators: int) -> Rule:
    """Return the rule of an option's value.

    Args:
        wanted: "majority", "all", or a number of votes, which may be text.
        annotators: The number of annotators.

    Raises:
        ValueError: The value is none of these, or exceeds the number of annotators.

    >>> consensus_rule("2", 3)
    Rule(wanted=2)
    """
    if wanted in (MAJORITY, ALL):
        return Rule(wanted)
    number = int(wanted) if isinstance(wanted, str) and wanted.isascii() and wanted.isdecimal() else wanted
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= annotators:
        raise ValueError(
            f"{spell_argument('consensus', wanted)}: expected majority, all, or a number of votes from 1 to "
            f"{annotators}"
        )
    return Rule(number)


def consensus(shared: SharedDocuments, rule: Rule) -> Iterator[tuple[SharedDocument, list[Vote]]]:
    """Yield each document with the spans that have enough votes."""
    for document, document_votes in zip(shared.documents, shared.votes):
        yield document, [vote for vote in document_votes if rule.holds(len(vote.annotators), vote.of)]


def consensus_rows(shared: SharedDocuments, rule: Rule) -> Iterator[dict[str, Any]]:
    """Yield the consensus as rows of a JSONL file of gold annotation.

    Each span has its votes and the annotators who marked it; each document has its annotators under "meta".

    Raises:
        ValueError: The texts are not known.
    """
    for place, (document, document_votes) in enumerate(consensus(shared, rule)):
        text, tokens = document.base.known_text("rows of gold annotation")[: document.base.annex], document.base.tokens
        row: dict[str, Any] = {"text": text} if document.base.id is None else {"text": text, "id": document.base.id}
        row["spans"] = [
            span_row(span) | {"votes": len(names), "annotators": [*names]}
            for span, names, _ in document_votes
            if not document.base.is_invented(span)
        ]
        if tokens is not None and document.token_kind != OF_WHITE_SPACE:
            row["tokens"] = [{"start": start, "end": end} for start, end in tokens if end <= len(text)]
        yield row | {"meta": {"annotators": [*shared.documents[place].spans]}}


# Disputes


def span_disputes(shared: SharedDocuments) -> list[dict[str, Any]]:
    """Return a row for each disputed span, the most disputed first, then in the order of the corpus.

    Each row has the document, the span with its text and context, "votes", "of" (the number of annotators of the
    document), "disputes", "annotators" (who marked it), and "said": for each annotator of the document, the spans that
    overlap it or are equal.
    """
    rows = [
        row
        for number, places in enumerate(shared.disputed_places)
        for place in places
        for row in _dispute_rows(shared, number, place)
    ]
    return sorted(rows, key=lambda row: -row["disputes"])


def _dispute_rows(shared: SharedDocuments, number: int, place: DisputedPlace) -> Iterator[dict[str, Any]]:
    """Yield the row of each disputed span in a place of a document."""
    document = shared.documents[number]
    span_rows = [{**span_row(vote.span), "text": document.text_of(vote.span)} for vote in place.versions]
    for vote, row in zip(place.versions, span_rows):
        if not vote.disputes:
            continue
        statements: dict[str, list[dict[str, Any]]] = {name: [] for name in document.spans}
        for other, other_row in zip(place.versions, span_rows):
            if other is vote or shared_characters(other.span, vote.span):
                for name in other.annotators:
                    statements[name].append({**other_row})
        left, right = document.around(*hull(vote.span))
        yield {
            "document": shared.name_of(number),
            **row,
            "left": left,
            "right": right,
            "votes": len(vote.annotators),
            "of": vote.of,
            "disputes": vote.disputes,
            "annotators": [*vote.annotators],
            "said": statements,
        }


def document_disputes(
    shared: SharedDocuments, scores: Mapping[str, Sequence[float]] = {}
) -> list[tuple[int, dict[str, Any]]]:
    """Return a row for each document with its index, ordered by disputes, then by their share (descending), then by id.

    Args:
        shared: The documents.
        scores: Scores of each document, by name; NaN where undefined.
    """
    rows = []
    for place, (document, document_votes) in enumerate(zip(shared.documents, shared.votes)):
        number, most = sum(vote.disputes for vote in document_votes), sum(vote.possible for vote in document_votes)
        row = {
            "document": shared.name_of(place),
            "annotators": [*document.spans],
            "disputes": number,
            "possible": most,
            "share": number / most if most else None,
            "places": len(shared.disputed_places[place]),
            "scores": {name: values[place] for name, values in scores.items()},
        }
        rows.append((place, row))
    return sorted(rows, key=lambda item: _rank(item[1]))


def _rank(row: Mapping[str, Any]) -> tuple[int, float, bool, str | int]:
    return -row["disputes"], -(row["share"] or 0), isinstance(row["document"], str), row["document"]


def label_disputes(shared: SharedDocuments) -> list[dict[str, Any]]:
    """Return a row for each label, the most disputed first, with the number of spans of each annotator."""
    rows: dict[str, dict[str, Any]] = {
        label: {
            "label": label,
            "disputes": 0,
            "possible": 0,
            "share": 0.0,
            "spans": dict.fromkeys(shared.annotators, 0),
        }
        for label in shared.labels
    }
    for vote in chain.from_iterable(shared.votes):
        row = rows[vote.span.label]
        row["disputes"] += vote.disputes
        row["possible"] += vote.possible
        for name in vote.annotators:
            row["spans"][name] += 1
    for row in rows.values():
        row["share"] = row["disputes"] / row["possible"]
    return sorted(rows.values(), key=lambda row: (-row["disputes"], row["label"]))


# Differences between two annotators

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
        stretch: The start of the first span and the end of the last one.
    """

    kind: Kind
    labels: tuple[str, ...]
    having: str
    lacking: str
    document: int
    spans: tuple[Side, Side]
    words: str
    stretch: tuple[int, int]

    def swap_sides(self) -> Difference:
        """Return a difference of labels with the annotators exchanged."""
        return self._replace(labels=self.labels[::-1], having=self.lacking, lacking=self.having, spans=self.spans[::-1])


class _VersionDifference(NamedTuple):
    """A difference between two versions of a place; see `Difference`. first: whether the first version has it."""

    kind: Kind
    labels: tuple[str, ...]
    first: bool
    spans: tuple[Side, Side]
    words: str

    @property
    def stretch(self) -> tuple[int, int]:
        """The start of the first span and the end of the last one."""
        spans = [span for side in self.spans for span in side]
        return min(span.start for span in spans), max(hull(span)[1] for span in spans)


Ranked = tuple[int, _VersionDifference, tuple[int, int]]
"""A rank, by which the differences of two annotators in a document are ordered, the difference, and its stretch."""


class _Versions:
    """What each annotator marks in a disputed place, and the differences between any two of these versions."""

    def __init__(self, text: str, annotators: Iterable[str], place: DisputedPlace) -> None:
        self._text = text
        spans: dict[str, list[Span]] = {name: [] for name in annotators}
        for vote in place.versions:
            for name in vote.annotators:
                spans[name].append(vote.span)
        self._sides: dict[str, Side] = {name: tuple(side) for name, side in spans.items()}
        self._compared: dict[tuple[Side, Side], list[Ranked]] = {}

    def differences(self, a: str, b: str) -> list[Ranked]:
        """Return the differences between two annotators. Few versions differ, so each pair of them is compared once,
        whoever marked them."""
        one, other = both = self._sides[a], self._sides[b]
        if one == other:
            return []
        if both not in self._compared:
            agreed = {*one} & {*other}
            rest = ([span for span in side if span not in agreed] for side in both)
            self._compared[both] = []
            for rank, spans, other_spans in _differing_places(self._text, *rest):
                difference = _classify_place(self._text, spans, other_spans, [*agreed])
                self._compared[both].append((rank, difference, difference.stretch))
        return self._compared[both]


def find_differences(shared: SharedDocuments) -> Iterator[Difference]:
    """Yield every difference, pair by pair, in the order of the documents."""
    places = [
        [_Versions(document.base.text or "", document.spans, place) for place in document_places]
        for document, document_places in zip(shared.documents, shared.disputed_places)
    ]
    for a, b in shared.pairs():
        for number in shared.places(a, b):
            ranked = [item for versions in places[number] for item in versions.differences(a, b)]
            for _, (kind, labels, first, spans, words), stretch in sorted(ranked, key=itemgetter(0)):
                yield Difference(kind, labels, *((a, b) if first else (b, a)), number, spans, words, stretch)


def _differing_places(text: str, one: Sequence[Span], other: Sequence[Span]) -> Iterator[tuple[int, Side, Side]]:
    """Yield the places of spans that only one of two annotators marked: chains of overlapping spans.

    Each has a rank: 0 for equal spans but for white space, 1 for the same words, 2 for spans that overlap, 3 and 4 for
    spans of one annotator that overlap none of the other.

    Two spans on the same words are a place of their own. If spans of one annotator overlap each other, spans of the two
    annotators are paired by the number of characters that they share, and the remaining ones are places of their own.
    """
    if not (one and other):
        yield from ((3, (a,), ()) for a in one)
        yield from ((4, (), (b,)) for b in other)
        return
    sides = [*one], [*other]
    trimmed = {span: trim_span(text, span) for side in sides for span in side}
    for rank, fields in enumerate((3, 2)):  # with the label, then without it
        for a in [*sides[0]]:
            key = trimmed[a][:fields]
            b = next((b for b in sides[1] if trimmed[b][:fields] == key), None)
            if b is not None:
                sides[0].remove(a)
                sides[1].remove(b)
                yield rank, (a,), (b,)
    places: list[tuple[set[Span], set[Span]]] = []
    shared = overlaps(*([trimmed[span] for span in side] for side in sides))
    for i, j, _ in shared:
        a, b = sides[0][i], sides[1][j]
        meet = [place for place in places if a in place[0] or b in place[1]]
        places = [place for place in places if place not in meet]
        places.append(({a}.union(*(spans for spans, _ in meet)), {b}.union(*(spans for _, spans in meet))))
    for spans, other_spans in places:
        if not any(_has_overlap(side) for side in (spans, other_spans)):
            yield 2, tuple(sorted_spans(spans)), tuple(sorted_spans(other_spans))
            continue
        paired: set[Span] = set()
        pairs = [(-common, sides[0][i], sides[1][j]) for i, j, common in shared if sides[0][i] in spans]
        for _, a, b in sorted(pairs, key=lambda pair: (pair[0], order_key(pair[1]), order_key(pair[2]))):
            if not paired & {a, b}:
                paired |= {a, b}
                yield 2, (a,), (b,)
        yield from ((2, (a,), ()) for a in sorted_spans(spans - paired))
        yield from ((2, (), (b,)) for b in sorted_spans(other_spans - paired))
    yield from ((3, (a,), ()) for a in sides[0] if not any(a in spans for spans, _ in places))
    yield from ((4, (), (b,)) for b in sides[1] if not any(b in spans for _, spans in places))


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
    first = _begin(a) <= _begin(b)
    if kind == "blank":
        first = _begin(one[0]) < _begin(other[0])
    having, lacking = (one, other) if first else (other, one)
    if kind in ("leading", "trailing", "both"):
        words = _more_words(source, *((a, b) if first else (b, a)))
    else:
        words = "" if kind == "blank" else _surface(source, having[0])
    return _VersionDifference(kind, (having[0].label,), first, (having, lacking), words)


def _begin(span: Span) -> tuple[Any, ...]:
    """Return a key by which the span that begins first, and of several the longest one, is the least."""
    start, end = hull(span)
    return start, -end, -span.size, span.pieces


def _boundary_kind(a: Span, b: Span) -> Kind:
    """Return the kind of difference between two overlapping spans with the same label. Where there are gaps, it is
    none of those that name an end."""
    if a[:2] == b[:2]:
        return "blank"
    if any_gaps([a, b]):
        return "shifted"
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
    ordered = sorted_spans(spans)
    pairs = combinations(ordered, 2) if any_gaps(ordered) else zip(ordered, ordered[1:])
    return any(a.overlaps(b) for a, b in pairs)


def trim_span(text: str, span: Span) -> Span:
    """Return a span without white space at its ends; a span of white space alone is unchanged."""
    if has_gaps(span):
        return Span(*trim_edges(span, text, "space")) if text else span
    words = text[span.start : span.end]
    if not words.strip():
        return span
    start = span.start + len(words) - len(words.lstrip())
    return Span(start, start + len(words.strip()), span.label)


def _surface(text: str, span: Span) -> str:
    return fold_words(covered_text(text, span))
