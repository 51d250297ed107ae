"""The verdicts of FairEval in words, for every table and page.

All wording of the verdicts is here. This module imports nothing from the
package, because spaCy loads it, with the colours of the verdicts, whenever it renders.
"""

from __future__ import annotations

from typing import NamedTuple


class Wording(NamedTuple):
    """A verdict in words.

    kind: what is right or wrong with the span, a key of `VERDICT_KINDS`.
    short: for use beside a marked span, whose colour shows the kind.
    full: for use alone, as in a table.
    """

    kind: str
    short: str
    full: str


VERDICTS = {
    "tp": Wording("hit", "correct", "correct"),
    "fp": Wording("spurious", "spurious", "spurious"),
    "fn": Wording("missed", "missed", "missed"),
    "le": Wording("label", "label error", "label error"),
    "be_s": Wording("boundary", "smaller", "boundary error: smaller"),
    "be_l": Wording("boundary", "larger", "boundary error: larger"),
    "be_o": Wording("boundary", "overlap", "boundary error: overlap"),
    "lbe": Wording("both", "label and boundary", "label and boundary error"),
}
"""FairEval's verdicts. Verdicts of other metrics are shown by name only."""

VERDICT_KINDS = {
    "hit": "correct spans",
    "missed": "missed spans",
    "spurious": "spurious spans",
    "boundary": "wrong boundaries",
    "label": "wrong labels",
    "both": "wrong labels on wrong boundaries",
}
"""What can be right or wrong with a span, and the term for all such spans in a sentence."""

OUTCOMES = {
    "correct": VERDICTS["tp"].short,
    "boundary": "boundary",
    "label error": VERDICTS["le"].short,
    "label and boundary": VERDICTS["lbe"].short,
    "missed": VERDICTS["fn"].short,
}
"""The outcomes of a gold span under a system: the keys of `evaluation.transitions`, in words."""

CHANGES = ("fixed", "broken", "changed", "spurious gone", "spurious new")
"""How a span can differ between two systems: a gold span becomes correct, stops being
correct, or is wrong in another way; a spurious span is gone or new."""
