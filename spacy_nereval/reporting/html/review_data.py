"""The places where gold may be wrong, as the page's review reads them: each once, with its evidence in words, the other
places that speak against it, and the corrections that the evidence proposes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...core.spans import Document
from ...evaluation.gold_suspects import REASONS, Doubt, surface
from ..gold_doubts import CONTRADICTIONS, evidence_words
from ..report_view import ReportView

NONE = -1

MOST_WITNESSES = 6
"""Maximum number of places that are listed because gold gives the same words another label there."""

PART = ", "
"""What parts a sentence into those that other sentences have too."""


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
    witnesses = _Witnesses(view.gold.marked_places)
    order = [view.lead, *(k for k in range(len(sides)) if k != view.lead)]
    pieces: dict[tuple[str, str, int], int] = {}
    parts: dict[str, int] = {}
    kinds: dict[Any, list[tuple[int, int]]] = {}
    for doubt in view.doubts:
        k, gold = doubt.document, doubt.gold
        words = surface(sides[0][k], *doubt.place)
        said = [
            (
                each.reason,
                evidence_words(each, doubt, view.names),
                witnesses.number((words, each.label)) if each.reason in CONTRADICTIONS else NONE,
            )
            for each in doubt.evidence
        ]
        if gold:
            system, number = NONE, bisect_left(sides[0][k].gold, gold)
        else:
            system, number = next(_predicted(doubt, [(each, sides[each][k]) for each in order]))
        alike = all(span[:2] == doubt.place for span in doubt.proposed)
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
