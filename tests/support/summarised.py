"""Two documents with errors that repeat, and results as commands show them."""

from typing import Any

from spacy_nereval import Confidence, Document, count, create_all, evaluate
from spacy_nereval.evaluation.error_groups import error_groups
from spacy_nereval.reporting.score_view import ScoreView

TEXT = "the Navy met the Navy in Rome"


NAVY, THE_NAVY, AGAIN, THE_AGAIN, ROME = (4, 8), (0, 8), (17, 21), (13, 21), (25, 29)


DOCUMENTS = [
    Document([(*NAVY, "ORG"), (*AGAIN, "ORG"), (*ROME, "LOC")], [(*THE_NAVY, "ORG"), (*THE_AGAIN, "ORG")], TEXT),
    Document([(*NAVY, "ORG"), (*ROME, "LOC")], [(*THE_NAVY, "ORG"), (*ROME, "ORG")], TEXT),
]
"""Three times "the" too much, one missed span, one wrong label."""


def evaluated(documents: list[Document], *metrics: str, confidence: Confidence | None = None, **how: Any) -> ScoreView:
    chosen = create_all(list(metrics))
    counts = count(documents, chosen, units=confidence is not None)
    found = error_groups(documents, chosen[0], by=("surface", "slip"))
    return ScoreView(counts, evaluate(counts, confidence), groups=found, **how)
