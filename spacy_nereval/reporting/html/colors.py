"""The colours of right and wrong spans.

spaCy loads `DISPLACY` whenever it renders, through the entry point
`spacy_displacy_colors`. This module therefore imports only the words of the verdicts.
"""

from __future__ import annotations

from ...core.wording import FAIREVAL

COLORS = {
    "hit": "#18996F",
    "missed": "#D95617",
    "spurious": "#ED7AB6",
    "boundary": "#CCB03D",
    "label": "#ABD4E9",
    "both": "#9866FF",
}
"""A colour for each of `core.wording.VERDICT_KINDS`. Readers with any form of colour blindness can tell
the colours apart, and can read black letters on them."""

DISPLACY = {verdict.upper(): COLORS[words.kind] for verdict, words in FAIREVAL.items()}
"""Colours for displaCy, by label: FairEval's verdicts as labels of spans in `doc.spans`."""
