"""The colours of right and wrong spans.

spaCy loads `DISPLACY` whenever it renders, through the entry point
`spacy_displacy_colors`. This module therefore imports only the words of the verdicts.
"""

from __future__ import annotations

from ...core.wording import COLORS, FAIREVAL

DISPLACY = {verdict.upper(): COLORS[words.kind] for verdict, words in FAIREVAL.items()}
"""Colours for displaCy, by label: FairEval's verdicts as labels of spans in `doc.spans`."""
