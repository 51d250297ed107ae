"""What becomes of a gold span, in words, for every table and page. Metrics declare the words of verdicts and scores."""

from __future__ import annotations

from ..core.wording import HIT, LABEL, MISSED

OUTCOMES = {
    "correct": HIT.short,
    "boundary": "boundary",
    "label error": LABEL.short,
    "label and boundary": "label and boundary",
    "missed": MISSED.short,
}
"""The outcomes of a gold span under a system: the keys of `evaluation.transitions`, in words."""

CHANGES = ("fixed", "broken", "changed", "spurious gone", "spurious new")
"""How a span can differ between two systems: a gold span becomes correct, stops being
correct, or is wrong in another way; a spurious span is gone or new."""
