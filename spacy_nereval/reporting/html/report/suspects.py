"""Spans at which gold may be wrong, with the evidence in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ....core.messages import shortened
from ....core.spans import Document, Span
from ....evaluation.gold_suspects import Evidence, Reason, Suspect
from ...remarks import times
from ..contexts import Example, in_context
from .reported import ReportedSystem

SHOWN = 60
"""Maximum number of doubtful spans on the page."""

OF_EACH = 10
"""How many doubtful spans with each reason have a place among these."""


class SuspectRow(NamedTuple):
    """A place where gold may be wrong, with the evidence in words."""

    document: int
    name: str
    example: Example
    gold: str
    reasons: list[str]


def shown_suspects(suspects: Sequence[Suspect]) -> list[Suspect]:
    """Return the suspects that the page shows: the first ones, among them the first ones of every reason."""
    seats: Counter[Reason] = Counter()
    first: set[int] = set()
    for k, suspect in enumerate(suspects):
        reasons = {each.reason for each in suspect.evidence}
        if any(seats[reason] < OF_EACH for reason in reasons):
            first.add(k)
            seats.update(reasons)
    others = [k for k in range(len(suspects)) if k not in first]
    return [suspects[k] for k in sorted([*first, *others[: max(0, SHOWN - len(first))]])]


def suspect_row(suspect: Suspect, systems: Sequence[ReportedSystem]) -> SuspectRow:
    """Return a doubtful span as a row of the page."""
    document = systems[0].documents[suspect.document]
    names = [system.name for system in systems]
    said = dict.fromkeys(_evidence(each, suspect.gold, names) for each in suspect.evidence)
    name = str(suspect.document + 1) if document.id is None else document.id
    example = in_context(document, suspect.start, suspect.end)
    return SuspectRow(suspect.document, name, example, suspect.gold or _gold_around(document, suspect), [*said])


def _evidence(each: Evidence, gold: str, names: Sequence[str]) -> str:
    """Return a reason to doubt gold, in words."""
    label = each.label or "(empty)"
    if each.reason == "two labels":
        return f"gold has {label} {times(each.number)} for these words, {gold} {each.against}"
    if each.reason == "unmarked":
        return f"predicted {label}; gold marks these words so {times(each.number)} elsewhere"
    if each.reason == "agreement":
        return f"{'both' if each.number == 2 else f'all {each.number}'} systems predict {label}"
    who = "predicted" if len(names) == 1 else f"{names[each.system]} predicts"
    return f"{who} {label} with score {each.score:.4g}, above {100 * each.surer:.0f} % of its correct {label}"


def _gold_around(document: Document, suspect: Suspect) -> str:
    """Return the gold spans that overlap a place without being there, "none" if there are none."""
    near = [span for span in document.gold if span.overlaps(Span(suspect.start, suspect.end, ""))]
    text = document.text
    words = [span.label if text is None else f"{span.label} “{shortened(text[slice(*span[:2])])}”" for span in near]
    return ", ".join(words) or "none"
