"""The verdicts of FairEval in words, for every table and page.

The words stand here and nowhere else. This module imports nothing of the
package: spaCy loads it, with the colours of the verdicts, whenever it renders.
"""

from __future__ import annotations

from typing import NamedTuple


class Wording(NamedTuple):
    """How a verdict reads.

    kind: what is right or wrong with the span, a key of `KINDS`.
    short: beside a marked span, where the kind can be seen from its colour.
    full: on its own, in a table.
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
"""FairEval's verdicts. Those of other metrics have no words but their names."""

KINDS = {
    "hit": "correct spans",
    "missed": "missed spans",
    "spurious": "spurious spans",
    "boundary": "wrong boundaries",
    "label": "wrong labels",
    "both": "wrong labels on wrong boundaries",
}
"""What can be right or wrong with a span, and what a sentence calls all such spans."""

OUTCOMES = {
    "correct": VERDICTS["tp"].short,
    "boundary": "boundary",
    "label error": VERDICTS["le"].short,
    "label and boundary": VERDICTS["lbe"].short,
    "missed": VERDICTS["fn"].short,
}
"""What became of a gold span under a system: the keys of `evaluation.transitions`, in words."""

CHANGES = ("fixed", "broken", "changed", "spurious gone", "spurious new")
"""How a span can differ between two systems: a gold span becomes correct, stops being
correct, or is wrong in another way; a spurious span is gone or new."""
