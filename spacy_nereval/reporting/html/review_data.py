"""The places where gold may be wrong, as the page's review reads them: each once, with its evidence in words, the other
places that speak against it, and the corrections that the evidence proposes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...core.spans import Document, PlainSpan, Span
from ...evaluation.gold_suspects import Evidence, Suspect, surface
from ..report_view import ReportView, evidence_words

NONE = -1

MOST_WITNESSES = 12
"""Maximum number of places that are listed because gold gives the same words another label there."""

BY_WORDS = ("two labels", "unmarked")
"""Reasons that rest on other places with the same words."""


class Doubt(NamedTuple):
    """A place where gold may be wrong.

    Attributes:
        document: The number of its document.
        gold: The gold span at which it is; None if gold has none that overlaps it.
        start, end: The stretch that the evidence is about.
        evidence: All evidence on the place, of one or several suspects, strongest first.
        proposed: The spans that the evidence proposes in place of the gold span, each a correction of its own.
    """

    document: int
    gold: Span | None
    start: int
    end: int
    evidence: tuple[Evidence, ...]
    proposed: tuple[PlainSpan, ...]


def doubts(suspects: Sequence[Suspect], documents: Sequence[Document]) -> list[Doubt]:
    """Return the places of suspects, those on one gold span together, in the order of the first of them.

    >>> from spacy_nereval.evaluation.gold_suspects import gold_suspects
    >>> golds = [[(0, 4, "ORG")], [(0, 4, "ORG")], [(0, 4, "LOC")], []]
    >>> documents = [Document(gold, [(0, 4, "ORG")], "Acme") for gold in golds]
    >>> [(doubt.document, doubt.gold, doubt.proposed) for doubt in doubts(gold_suspects([documents]), documents)]
    [(3, None, ((0, 4, 'ORG'),)), (2, Span(start=0, end=4, label='LOC'), ((0, 4, 'ORG'),))]
    """
    found: dict[Any, Doubt] = {}
    for suspect in suspects:
        document = documents[suspect.document]
        gold = _gold_of(suspect, document)
        key = suspect.document, gold or (suspect.start, suspect.end)
        proposed = tuple((suspect.start, suspect.end, each.label) for each in suspect.evidence)
        own = Doubt(suspect.document, gold, suspect.start, suspect.end, suspect.evidence, proposed)
        if known := found.get(key):
            own = known._replace(evidence=known.evidence + own.evidence, proposed=known.proposed + own.proposed)
        found[key] = own._replace(proposed=tuple(dict.fromkeys(own.proposed)))
    return [*found.values()]


def _gold_of(suspect: Suspect, document: Document) -> Span | None:
    """Return the gold span of a suspect; the one that overlaps it most if there is none at its place."""
    if suspect.gold:
        return Span(suspect.start, suspect.end, suspect.gold)
    shared = {span: min(span.end, suspect.end) - max(span.start, suspect.start) for span in document.gold}
    return max(
        (span for span, n in shared.items() if n > 0), key=lambda span: (shared[span], -span.start), default=None
    )


def review_data(view: ReportView, labels: Mapping[str, int], units: Sequence[Any]) -> dict[str, Any]:
    """Return the places where gold may be wrong, and the places that speak against gold there.

    A place is {document, gold span or -1, system and prediction or -1, reason, words, witnesses, proposed}. Witnesses
    are numbers of lists of gold spans: document, gold span, ... Each proposal is start, end, label. The first `repeats`
    groups of the page are errors that repeat.

    Args:
        view: The view of the report.
        labels: The number of each label.
        units: For each document, what turns an offset into one of UTF-16.
    """
    sides = [system.documents for system in view.systems]
    witnesses = _Witnesses(sides[0])
    order = [view.lead, *(k for k in range(len(sides)) if k != view.lead)]
    places = []
    for doubt in doubts(view.suspects, sides[0]):
        k, unit = doubt.document, units[doubt.document]
        document = sides[0][k]
        golds = {span: number for number, span in enumerate(document.gold)}
        system, pred = next(_predicted(doubt, [(each, sides[each][k]) for each in order]), (NONE, NONE))
        words = dict.fromkeys(
            evidence_words(each, doubt.gold.label if doubt.gold else "", view.names) for each in doubt.evidence
        )
        stretch = surface(document, doubt.start, doubt.end)
        asked = dict.fromkeys((stretch, each.label) for each in doubt.evidence if each.reason in BY_WORDS)
        places.append(
            {
                "k": k,
                "g": NONE if doubt.gold is None else golds[doubt.gold],
                "system": system,
                "p": pred,
                "reason": "; ".join(dict.fromkeys(each.reason for each in doubt.evidence)),
                "words": [*words],
                "witnesses": [n for key in asked if (n := witnesses.number(key)) is not None],
                "proposed": [[unit(start), unit(end), labels[label]] for start, end, label in doubt.proposed],
            }
        )
    repeats = len(view.lists) - len(view.systems)  # the last groups are the errors where gold is in doubt
    return {"places": places, "witnesses": witnesses.listed, "repeats": repeats}


def _predicted(doubt: Doubt, sides: Sequence[tuple[int, Document]]) -> Iterator[tuple[int, int]]:
    """Yield the systems with a prediction that the evidence proposes, then those with one on the same stretch."""
    for wanted in (*doubt.proposed, None):
        for number, side in sides:
            for p, span in enumerate(side.pred):
                if span == wanted or (wanted is None and span[:2] == (doubt.start, doubt.end)):
                    yield number, p


class _Witnesses:
    """Lists of gold spans with the same words and the same label, each made once."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.listed: list[list[int]] = []
        self._numbers: dict[tuple[str, str], int] = {}
        self._places: dict[tuple[str, str], list[int]] = defaultdict(list)
        for k, document in enumerate(documents):
            for g, span in enumerate(document.gold):
                if words := surface(document, span.start, span.end):
                    self._places[words, span.label] += [k, g]

    def number(self, key: tuple[str, str]) -> int | None:
        """Return the number of a list; None if there is no such gold span."""
        if key not in self._numbers and (places := self._places.get(key)):
            self._numbers[key] = len(self.listed)
            self.listed.append(places[: 2 * MOST_WITNESSES])
        return self._numbers.get(key)
