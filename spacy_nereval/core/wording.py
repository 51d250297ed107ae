"""Verdicts in words and colours. spaCy loads these whenever it renders, so nothing is imported here."""

from __future__ import annotations

from typing import NamedTuple


class Wording(NamedTuple):
    """A verdict in words.

    Args:
        kind: The outcome of the span, a key of `VERDICT_KINDS`.
        short: For use next to a marked span, where the colour shows the kind.
        full: For use alone, as in a table.

    >>> VERDICT_KINDS[Wording("missed", "missed", "missed").kind]
    'missed spans'
    """

    kind: str
    short: str
    full: str


VERDICT_KINDS = {
    "hit": "correct spans",
    "missed": "missed spans",
    "spurious": "spurious spans",
    "boundary": "wrong boundaries",
    "label": "wrong labels",
    "both": "wrong labels on wrong boundaries",
}
"""The possible outcomes of a span, and the term for all such spans in a sentence."""

COLORS = {
    "hit": "#18996F",
    "missed": "#D95617",
    "spurious": "#ED7AB6",
    "boundary": "#CCB03D",
    "label": "#ABD4E9",
    "both": "#9866FF",
}
"""A colour for each kind. Readers with any form of colour blindness can tell the colours apart, and can read black
letters on them."""

HIT = Wording("hit", "correct", "correct")
SPURIOUS = Wording("spurious", "spurious", "spurious")
MISSED = Wording("missed", "missed", "missed")
LABEL = Wording("label", "label error", "label error")
BOUNDARY = Wording("boundary", "boundary", "boundary error")
BOTH = Wording("both", "label and boundary", "label and boundary error")

HITS_AND_MISSES = {"tp": HIT, "fp": SPURIOUS, "fn": MISSED}
"""The wordings for metrics with no other verdicts."""

FAIREVAL = HITS_AND_MISSES | {
    "le": LABEL,
    "be_s": Wording("boundary", "shorter than gold", "boundary: shorter than gold"),
    "be_l": Wording("boundary", "longer than gold", "boundary: longer than gold"),
    "be_o": Wording("boundary", "overlaps gold", "boundary: overlaps gold"),
    "lbe": BOTH,
}
"""FairEval's verdicts."""

DISPLACY = {verdict.upper(): COLORS[words.kind] for verdict, words in FAIREVAL.items()}
"""Colours for displaCy, by label: FairEval's verdicts as labels of spans in `doc.spans`. spaCy loads it, through an
entry point, whenever it renders."""
