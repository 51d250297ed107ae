"""What the script of the page on agreement needs: documents, disputed places, and groups of differences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ....core.spans import Span
from ....evaluation.agreement.documents import SharedDocument, SharedDocuments
from ....evaluation.agreement.patterns import Difference, Pattern, all_differences, patterns
from ....evaluation.agreement.places import DisputedPlace, disputed_places
from ...difference_words import KINDS, said
from ..contexts import Example, in_context
from ..texts import is_right_to_left, utf16_offsets

GROUPS = 60
"""Maximum number of groups of each kind on the page."""

LEAST = 2
"""Minimum number of differences with the same words in a group."""


class Disputes(NamedTuple):
    """Where annotators disagree.

    Attributes:
        places: For each document, its disputed places in the order of the text.
        differences: All differences between two annotators.
        rules, words: The differences as patterns by kind and label, and as patterns by shared words.
    """

    places: list[list[DisputedPlace]]
    differences: list[Difference]
    rules: list[Pattern]
    words: list[Pattern]

    @property
    def number(self) -> int:
        """The number of disputed places."""
        return sum(map(len, self.places))


class GroupRow(NamedTuple):
    """A pattern as the page lists it: its words, if all differences share them, what is different, and an example.

    Attributes:
        words, said: The words, "" for none, and what the annotators do differently.
        kind: A key of `words.VERDICT_KINDS`.
        number: How many differences there are.
        example: The first place.
        ask: The request to the page's script when the user selects the group.
    """

    words: str
    said: str
    kind: str
    number: int
    example: Example
    ask: dict[str, Any]


def disputes_of(shared: SharedDocuments) -> Disputes:
    """Return where annotators disagree."""
    found = all_differences(shared)
    places = [[*disputed_places(document.spans)] for document in shared.documents]
    by_words = [each for each in patterns(found, by_words=True) if each.number >= LEAST]
    return Disputes(places, found, patterns(found), by_words)


def groups_of(shared: SharedDocuments, disputes: Disputes) -> tuple[list[list[GroupRow]], list[dict[str, Any]]]:
    """Return the patterns by rule and those by words as rows, and as the page's script reads them."""
    data: list[dict[str, Any]] = []
    rows: list[list[GroupRow]] = []
    place_of = _places_by_span(disputes.places)
    for found in (disputes.rules, disputes.words):
        rows.append([])
        for pattern in found[:GROUPS]:
            members = dict.fromkeys(place_of[each.document, _span_of(each)] for each in pattern.members)
            words, sentence = pattern.words or "", said(pattern, words=pattern.words is None)
            number, place = next(iter(members))
            first = disputes.places[number][place]
            example = in_context(shared.documents[number].base, first.start, first.end)
            kind = KINDS[pattern.kind][0]
            rows[-1].append(GroupRow(words, sentence, kind, pattern.number, example, {"group": len(data)}))
            title = f"{words}: {sentence}" if words else sentence
            data.append({"title": title, "members": [n for member in members for n in member]})
    return rows, data


def page_data(shared: SharedDocuments, disputes: Disputes) -> dict[str, Any]:
    """Return documents and disputed places as the page's script reads them.

    Spans are in UTF-16 units, as browsers count; annotators, labels and kinds are numbers.
    """
    names = {name: k for k, name in enumerate(shared.annotators)}
    labels = {label: k for k, label in enumerate(shared.labels)}
    by_document: dict[int, list[Difference]] = defaultdict(list)
    for each in disputes.differences:
        by_document[each.document].append(each)
    return {
        "annotators": list(names),
        "labels": list(labels),
        "kinds": [{"name": name, "kind": kind, "words": words} for name, (kind, words) in KINDS.items()],
        "documents": [
            _document(document, places, by_document[k], names, labels)
            for k, (document, places) in enumerate(zip(shared.documents, disputes.places))
        ],
    }


def _document(
    document: SharedDocument,
    places: Sequence[DisputedPlace],
    found: Iterable[Difference],
    names: Mapping[str, int],
    labels: Mapping[str, int],
) -> dict[str, Any]:
    unit = utf16_offsets(document.base.text or "")
    marked_by: dict[Span, list[int]] = defaultdict(list)
    for name, own in document.spans.items():
        for span in {*own}:
            marked_by[Span(*span)].append(names[name])
    ordered = sorted(marked_by)
    number = {span: k for k, span in enumerate(ordered)}
    place_of = _places_by_span([places])
    different: list[list[list[int]]] = [[] for _ in places]
    kinds = list(KINDS)
    for each in found:
        _, place = place_of[0, _span_of(each)]
        different[place].append([kinds.index(each.kind), names[each.having], names[each.lacking]])
    annex = document.base.annex
    return {
        "id": document.base.id,
        "text": document.base.text,
        "ends": None if annex is None else unit(annex),
        "rtl": is_right_to_left(document.base.text or ""),
        "by": [names[name] for name in document.spans],
        "spans": [[unit(span.start), unit(span.end), labels[span.label], marked_by[span]] for span in ordered],
        "places": [
            [number[place.versions[0].span], len(place.versions), place.disputes, different[k]]
            for k, place in enumerate(places)
        ],
    }


def _places_by_span(places: Iterable[Sequence[DisputedPlace]]) -> dict[tuple[int, Span], tuple[int, int]]:
    """Return the number of the document and of the place for every disputed span."""
    return {
        (number, version.span): (number, k)
        for number, own in enumerate(places)
        for k, place in enumerate(own)
        for version in place.versions
    }


def _span_of(each: Difference) -> Span:
    span = each.spans[0]
    assert span  # the first of the two always is one
    return span


def ranked(disputes: Disputes) -> Iterator[tuple[int, DisputedPlace]]:
    """Yield the document and the place of each dispute, the most disputed first, then in the order of the corpus."""
    found = ((number, place) for number, own in enumerate(disputes.places) for place in own)
    yield from sorted(found, key=lambda each: -each[1].disputes)
