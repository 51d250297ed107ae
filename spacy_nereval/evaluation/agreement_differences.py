"""In what do two annotators differ again and again? Rules of a guideline that one follows and the other does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from ..metrics.registry import create
from .agreement_documents import SharedDocuments
from .error_groups import ErrorGroups, Member, slips

Kind = Literal["boundary", "label", "missing"]
"""One annotator includes words that the other leaves out; one gives another label; one marks what the other does not."""

MOST_WORDS_SHOWN = 5
"""Maximum number of different words of a boundary that are listed."""

LEAST = 2
"""A difference that occurs once is none that repeats."""


@dataclass
class Difference:
    """How often one annotator does what another does not.

    Attributes:
        kind: What differs.
        key: What tells differences of one kind apart: the end of the boundary, or labels.
        number: How often.
        words: At a boundary, how often each stretch of words is added.
        labels: At a boundary, how often the span of `one` has each label.
        documents: In which documents.
        example: The document, and the spans of both there.
    """

    kind: Kind
    one: str
    other: str
    key: tuple[str, ...]
    number: int = 0
    words: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    documents: set[int] = field(default_factory=set)
    example: tuple[int, Any, Any] | None = None


def differences(shared: SharedDocuments) -> list[dict[str, Any]]:
    """Return what pairs of annotators differ in, the most one-sided first.

    A difference that goes as often one way as the other is noise. So rows are ordered by the
    excess: how often `one` does it and `other` does not, minus how often it is the other way round.

    Returns:
        Rows with "kind", "one", "other", "number", "reverse", "documents", an example, and
        - for "boundary": "end" ("leading" or "trailing"), the "words" that `one` includes, and the
          "labels" of these spans, each with its number;
        - for "label": the "label" of `one` and the "instead" of `other`;
        - for "missing": the "label" of spans that only `one` marks.
    """
    rows = [row for a, b in shared.pairs() for row in _of_pair(shared, a, b)]
    return sorted(rows, key=lambda row: (row["reverse"] - row["number"], -row["number"], _names(row)))


def _names(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(row.get(name, "")) for name in ("kind", "one", "other", "end", "label", "instead"))


def _of_pair(shared: SharedDocuments, a: str, b: str) -> Iterator[dict[str, Any]]:
    groups = ErrorGroups(create("fair"), members=True, by=("labels",))
    places = []
    for place in shared.places(a, b):
        each = shared.documents[place]
        if {*each.spans[a]} != {*each.spans[b]}:
            groups.add(each.pair(a, b))
            places.append(place)
    found: dict[tuple[Any, ...], Difference] = {}
    for group in groups.largest("labels"):
        for member in group.members:
            for kind, one, key, words in _kinds(shared, places[member.document], member):
                names = (a, b) if one else (b, a)
                row = found.setdefault((kind, *names, *key), Difference(kind, *names, key))
                _add(row, places[member.document], member, one, words)
    for row in found.values():
        names = (row.one, row.other) if row.kind == "label" else (row.other, row.one)
        reverse = found.get((row.kind, *names, *row.key[::-1]))
        number = reverse.number if reverse else 0
        if row.number >= LEAST and row.number > number:
            yield _row(shared, row, number)


def _kinds(shared: SharedDocuments, place: int, member: Member) -> Iterator[tuple[Kind, bool, tuple[str, ...], str]]:
    """Yield what a disagreement shows: the kind, whether the first annotator does it, the key, and words."""
    _, gold, pred = member
    if not gold or not pred:
        span = gold or pred
        assert span  # an error is on a span
        yield "missing", gold is not None, (span.label,), ""
        return
    if gold.label != pred.label:
        yield "label", True, (gold.label, pred.label), ""
    for slip in slips(shared.documents[place].base.text or "", gold, pred) if gold.overlaps(pred) else ():
        yield "boundary", not slip.added, (slip.end,), slip.words


def _add(row: Difference, place: int, member: Member, one: bool, words: str) -> None:
    spans = (member.gold, member.pred) if one else (member.pred, member.gold)
    row.number += 1
    row.documents.add(place)
    row.example = row.example or (place, *spans)
    if words and spans[0]:
        row.words[words] += 1
        row.labels[spans[0].label] += 1


def _row(shared: SharedDocuments, found: Difference, reverse: int) -> dict[str, Any]:
    named = {"boundary": ("end",), "label": ("label", "instead"), "missing": ("label",)}[found.kind]
    row = {"kind": found.kind, "one": found.one, "other": found.other, **dict(zip(named, found.key))}
    row |= {"number": found.number, "reverse": reverse, "documents": len(found.documents)}
    if found.kind == "boundary":
        row["words"] = dict(sorted(found.words.items(), key=lambda item: (-item[1], item[0]))[:MOST_WORDS_SHOWN])
        row["labels"] = dict(sorted(found.labels.items(), key=lambda item: (-item[1], item[0])))
    assert found.example
    place, *spans = found.example
    each = shared.documents[place]
    texts = dict(zip(("one_text", "other_text"), (each.text_of(span) if span else None for span in spans)))
    return row | {"example": {"document": shared.name_of(place), **texts}}
