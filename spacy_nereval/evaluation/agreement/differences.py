"""In what do two annotators differ again and again? Rules of a guideline that one follows and the other does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ...core.declaration import Verdict
from ...core.spans import Span
from ...metrics.registry import create
from ..error_groups import slips
from ..error_list import is_error
from .documents import SharedDocuments

Kind = Literal["boundary", "label", "missing"]
"""One includes words that the other leaves out; they give different labels; one marks what the other does not."""

MOST_WORDS_SHOWN = 5
"""Maximum number of different words that are listed."""

LEAST = 2
"""Minimum number of occurrences of a difference that repeats."""


@dataclass
class Difference:
    """How often one annotator does what another does not.

    Attributes:
        kind: What differs.
        key: What tells differences of one kind apart: the end of the boundary, or labels.
        number: How often.
        words: How often it concerns the same words: those that are added at a boundary, else those of the span.
        labels: How often the span of `one` has each label.
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
        - for "boundary": "end" ("leading" or "trailing"), and the "labels" of the spans of `one`, each with its number;
        - for "label": the "label" of `one` and the "instead" of `other`;
        - for "missing": the "label" of spans that only `one` marks.

        "words" has the most frequent words, each with its number: those that `one` includes at a
        boundary, unless they are many, else those of the span.
    """
    signs = Signs(shared)
    rows = [row for a, b in shared.pairs() for row in _of_pair(shared, signs, a, b)]
    return sorted(rows, key=lambda row: (row["reverse"] - row["number"], -row["number"], _names(row)))


def _names(row: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(row.get(name, "")) for name in ("kind", "one", "other", "end", "label", "instead"))


class Sign(NamedTuple):
    """What a disagreement shows.

    Attributes:
        kind: What differs.
        first: Whether the first annotator of the pair does it.
        key: The end of the boundary; the label of each; or the label of the span that only one has.
        words: At a boundary, the words that one takes in, else those of the span, case folded; "" if they are many
            or unknown.
        gold, pred: The span of the first annotator and that of the second.
        is_blank: Whether nothing but white space is between two boundaries.
    """

    kind: Kind
    first: bool
    key: tuple[str, ...]
    words: str
    gold: Span | None
    pred: Span | None
    is_blank: bool = False


class Signs:
    """The disagreements of each two versions of a document, found once."""

    def __init__(self, shared: SharedDocuments) -> None:
        self._shared = shared
        self._metric = create("fair")
        self._known: dict[tuple[int, int, int], list[Sign]] = {}

    def of(self, place: int, a: str, b: str) -> list[Sign]:
        """Return what the disagreements of two annotators about a document show."""
        versions = self._shared.versions[place]
        key = place, versions[a], versions[b]
        if versions[a] == versions[b]:
            return []
        if key not in self._known:
            document = self._shared.documents[place].pair(a, b)
            verdicts = [verdict for verdict in self._metric.verdicts(document) if is_error(self._metric, verdict)]
            self._known[key] = [sign for verdict in verdicts for sign in _signs(document.text or "", verdict)]
        return self._known[key]


def _signs(text: str, verdict: Verdict) -> Iterator[Sign]:
    _, gold, pred, _ = verdict
    if not gold or not pred:
        span = gold or pred
        assert span  # an error is on a span
        yield Sign("missing", gold is not None, (span.label,), _surface(text, span), gold, pred)
        return
    if gold.label != pred.label:
        yield Sign("label", True, (gold.label, pred.label), _surface(text, gold), gold, pred)
    words: dict[str, str] = {slip.end: slip.words for slip in slips(text, gold, pred)}
    for end, a, b in (("leading", gold.start, pred.start), ("trailing", pred.end, gold.end)):
        if a != b:
            is_blank = bool(text) and not text[min(a, b) : max(a, b)].strip()
            yield Sign("boundary", a < b, (end,), words.get(end, ""), gold, pred, is_blank)


def _surface(text: str, span: Span) -> str:
    return " ".join(text[span.start : span.end].casefold().split())


def _of_pair(shared: SharedDocuments, signs: Signs, a: str, b: str) -> Iterator[dict[str, Any]]:
    differing: dict[tuple[Any, ...], Difference] = {}
    for place in shared.places(a, b):
        for sign in signs.of(place, a, b):
            if sign.is_blank:
                continue  # no guideline is about white space
            names = (a, b) if sign.first else (b, a)
            row = differing.setdefault((sign.kind, *names, *sign.key), Difference(sign.kind, *names, sign.key))
            _add(row, place, sign)
    for row in differing.values():
        names = (row.one, row.other) if row.kind == "label" else (row.other, row.one)
        reverse = differing.get((row.kind, *names, *row.key[::-1]))
        number = reverse.number if reverse else 0
        if row.number >= LEAST and row.number > number:
            yield _row(shared, row, number)


def _add(row: Difference, place: int, sign: Sign) -> None:
    spans = (sign.gold, sign.pred) if sign.first else (sign.pred, sign.gold)
    row.number += 1
    row.documents.add(place)
    row.example = row.example or (place, *spans)
    row.words[sign.words] += bool(sign.words)
    if spans[0]:
        row.labels[spans[0].label] += 1


def _row(shared: SharedDocuments, found: Difference, reverse: int) -> dict[str, Any]:
    named = {"boundary": ("end",), "label": ("label", "instead"), "missing": ("label",)}[found.kind]
    row: dict[str, Any] = {"kind": found.kind, "one": found.one, "other": found.other, **dict(zip(named, found.key))}
    row |= {"number": found.number, "reverse": reverse, "documents": len(found.documents)}
    row["words"] = dict(sorted((+found.words).items(), key=lambda item: (-item[1], item[0]))[:MOST_WORDS_SHOWN])
    if found.kind == "boundary":
        row["labels"] = dict(sorted(found.labels.items(), key=lambda item: (-item[1], item[0])))
    assert found.example
    place, *spans = found.example
    each = shared.documents[place]
    texts = dict(zip(("one_text", "other_text"), (each.text_of(span) if span else None for span in spans)))
    return row | {"example": {"document": shared.name_of(place), **texts}}
