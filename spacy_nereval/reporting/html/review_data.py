"""The places where gold may be wrong, as the page's review reads them: each once, with its evidence in words, the other
places that speak against it, and the corrections that the evidence proposes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...core.spans import Document, PlainSpan, Span
from ...evaluation.gold_suspects import REASONS, Evidence, Suspect, surface
from ..report_view import CONTRADICTIONS, ReportView, evidence_words

NONE = -1

MOST_WITNESSES = 6
"""Maximum number of places that are listed because gold gives the same words another label there."""

PART = ", "
"""What parts a sentence into those that other sentences have too."""


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
    """Return the places where gold may be wrong, those with the same evidence together, and what speaks against gold.

    Such a kind of places is [evidence, proposals, system, places].

    - Evidence is a list of indices into `evidence`, which has [reason, sentence, witnesses or -1]. Reasons are indices,
      and so are witnesses, into lists of gold spans: document, gold span, ... A sentence is a list of indices into
      `parts`, since most sentences share them.
    - Proposals are labels for the boundaries of the place; or, if any has others, a list of start, end, label, ...
    - Places are document, number, ..., each document as the difference from the one before. The numbers are those of
      gold spans; where gold has none, those of predictions of the system, which is -1 for gold spans.

    The first `repeats` groups of the page are errors that repeat.

    Args:
        view: The view of the report.
        labels: The number of each label.
        units: For each document, what turns an offset into one of UTF-16.
    """
    sides = [system.documents for system in view.systems]
    witnesses = _Witnesses(view.marked_places)
    order = [view.lead, *(k for k in range(len(sides)) if k != view.lead)]
    pieces: dict[tuple[str, str, int], int] = {}
    parts: dict[str, int] = {}
    kinds: dict[Any, list[tuple[int, int]]] = {}
    for doubt in doubts(view.suspects, sides[0]):
        k, gold = doubt.document, doubt.gold
        words = surface(sides[0][k], doubt.start, doubt.end)
        said = [
            (
                each.reason,
                evidence_words(each, gold.label if gold else "", view.names),
                witnesses.number((words, each.label)) if each.reason in CONTRADICTIONS else NONE,
            )
            for each in doubt.evidence
        ]
        if gold:
            system, number = NONE, bisect_left(sides[0][k].gold, gold)
        else:
            system, number = next(_predicted(doubt, [(each, sides[each][k]) for each in order]))
        own = gold[:2] if gold else (doubt.start, doubt.end)
        alike = all(span[:2] == own for span in doubt.proposed)
        proposed = [
            n
            for start, end, label in doubt.proposed
            for n in ((labels[label],) if alike else (units[k](start), units[k](end), labels[label]))
        ]
        evidence = tuple(dict.fromkeys(pieces.setdefault(piece, len(pieces)) for piece in said))
        kinds.setdefault((evidence, (alike, *proposed), system, None if alike else k), []).append((k, number))
    return {
        "reasons": [*REASONS],
        "evidence": [
            [
                REASONS.index(reason),
                [parts.setdefault(part, len(parts)) for part in sentence.split(PART)],
                listed,
            ]
            for reason, sentence, listed in pieces
        ],
        "parts": [*parts],
        "witnesses": witnesses.listed,
        "kinds": [
            [[*evidence], proposed if alike else [[*proposed]], system, _differences(places)]
            for (evidence, (alike, *proposed), system, _), places in kinds.items()
        ],
        "repeats": len(view.lists) - len(view.systems),  # the last groups are the errors where gold is in doubt
    }


def _differences(places: Sequence[tuple[int, int]]) -> list[int]:
    """Return documents as differences, each with the number of its span.

    >>> _differences([(3, 0), (7, 2)])
    [3, 0, 4, 2]
    """
    ordered = sorted(places)
    before = [0, *(k for k, _ in ordered)]
    return [n for last, (k, number) in zip(before, ordered) for n in (k - last, number)]


def _predicted(doubt: Doubt, sides: Sequence[tuple[int, Document]]) -> Iterator[tuple[int, int]]:
    """Yield the systems that predict a span that is proposed, with the number of their prediction."""
    for wanted in doubt.proposed:
        for number, side in sides:
            p = bisect_left(side.pred, wanted)
            if p < len(side.pred) and side.pred[p] == wanted:
                yield number, p


class _Witnesses:
    """Lists of gold spans with the same words and the same label, each made once."""

    def __init__(self, places: Mapping[tuple[str, str], Sequence[tuple[int, int]]]) -> None:
        self.listed: list[list[int]] = []
        self._numbers: dict[tuple[str, str], int] = {}
        self._places = places

    def number(self, key: tuple[str, str]) -> int:
        """Return the number of a list; -1 if there is no such gold span."""
        if key not in self._numbers and (places := self._places.get(key)):
            self._numbers[key] = len(self.listed)
            self.listed.append([n for place in places[:MOST_WITNESSES] for n in place])
        return self._numbers.get(key, NONE)
