"""Cuts: thresholds on the scores that a model gives its predictions. Predictions below the cut are dropped."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from .messages import PlainSpan, Unusable, is_finite_number, quote, shorten, spell_argument
from .pieces import covered_text
from .spans import Document


def format_cut(cut: float) -> str:
    """Return a cut or the score of a prediction with four digits.

    >>> format_cut(1 / 3), format_cut(0.5)
    ('0.3333', '0.5')
    """
    return f"{cut:.4g}"


@dataclass(frozen=True)
class Cuts:
    """The cut of each label: the lowest score at which a prediction is kept.

    Args:
        default: The cut of labels without one in `labels`; None keeps no prediction.
        labels: The cuts of labels; None keeps no prediction of the label.
        score: The score that the cuts were chosen by, METRIC.SCORE.
        floor: The lowest score of the predictions that they were chosen on; lower cuts were not evaluated.
        documents: The number of these documents.
        signature: The signature of the result that chose the cuts.

    >>> cuts = Cuts(0.5, {"PER": 0.25, "LOC": None})
    >>> cuts.keeps("PER", 0.25), cuts.keeps("LOC", 1.0), cuts.keeps("ORG", 0.4)
    (True, False, False)
    """

    default: float | None
    labels: Mapping[str, float | None] = field(default_factory=dict)
    score: str = ""
    floor: float | None = None
    documents: int = 0
    signature: str = ""

    def of(self, label: str) -> float:
        """Return the cut of a label; infinity keeps no prediction."""
        cut = self.labels.get(label, self.default)
        return math.inf if cut is None else cut

    def keeps(self, label: str, score: float) -> bool:
        """Return whether a prediction is kept."""
        return score >= self.of(label)

    @property
    def digest(self) -> str:
        """Eight characters that name the cuts, for signatures."""
        text = json.dumps([self.default, sorted(self.labels.items())])
        return sha256(text.encode()).hexdigest()[:8]


def validate_scores(document: Document, missing_score: float | None = None) -> dict[PlainSpan, float]:
    """Return the score of each predicted span of a document.

    Args:
        document: The document.
        missing_score: The score of predictions that have none; None makes them an error.

    Raises:
        ValueError: A prediction has no score, or one that is not a finite number.

    >>> document = Document([], [(0, 3, "PER")], "Ada")
    >>> validate_scores(document, missing_score=1.0)
    {(0, 3, 'PER'): 1.0}
    >>> document.span_scores = {(0, 3, "PER"): float("nan")}
    >>> validate_scores(document)
    Traceback (most recent call last):
    ValueError: the predicted span PER 'Ada' from 0 to 3 has the score nan; expected a finite number
    """
    scores = {span: document.span_scores.get(span, missing_score) for span in document.sides[1]}
    if wrong := [span for span, score in scores.items() if not is_finite_number(score)]:
        raise ValueError(_score_problem(document, min(wrong), scores[min(wrong)]))
    return {span: float(score) for span, score in scores.items()}


def _score_problem(document: Document, span: PlainSpan, score: Any) -> str:
    if isinstance(score, Unusable):
        return str(score)
    start, end, label = span
    text = "" if document.text is None else f" {quote(covered_text(document.text, span))}"
    description = f"the predicted span {shorten(label)}{text} from {start} to {end}"
    if score is None and document.mentions:
        why = "since scores of mentions without offsets are not read"
        return (
            f"{description} has no score, {why}; give offsets, or one score for all with "
            f"{spell_argument('missing_score', 1.0)}"
        )
    if score is None:
        return (
            f'{description} has no score; expected a number as its "score", or give '
            f"{spell_argument('missing_score', 1.0)} to keep such spans"
        )
    return f"{description} has the score {shorten(repr(score))}; expected a finite number"


def pair_with_scores(
    documents: Iterable[Document | None], missing_score: float | None = None, *, source: str = ""
) -> Iterator[tuple[Document | None, dict[PlainSpan, float]]]:
    """Yield documents, None for those without annotation, with the scores of their predictions.

    Args:
        documents: The documents.
        missing_score: As for `validate_scores`.
        source: The name of the predictions, for errors.

    Raises:
        ValueError: As `validate_scores` says; names the document.
    """
    for number, document in enumerate(documents):
        try:
            scores = {} if document is None else validate_scores(document, missing_score)
        except ValueError as error:
            id = "" if document is None or document.id is None else f" ({shorten(document.id)})"
            raise ValueError(f"{source and f'{source}, '}document {number}{id}: {error}") from None
        yield document, scores


def apply_cuts(
    documents: Iterable[Document | None], cuts: Cuts | None, missing_score: float | None = None, *, source: str = ""
) -> Iterator[Document | None]:
    """Yield documents without the predictions that score below their cuts.

    Args:
        documents: Documents; None is one without annotation.
        cuts: The cuts; None keeps all predictions, and needs no scores.
        missing_score: As for `validate_scores`.
        source: The name of the predictions, for errors.

    Raises:
        ValueError: As `validate_scores` says; names the document.

    >>> document = Document([], [(0, 3, "PER"), (4, 7, "PER")])
    >>> document.span_scores = {(0, 3, "PER"): 0.9, (4, 7, "PER"): 0.1}
    >>> [kept.sides[1] for kept in apply_cuts([document], Cuts(0.5))]
    [[(0, 3, 'PER')]]
    """
    if cuts is None:
        yield from documents
        return
    digest = cuts.digest
    for document, scores in pair_with_scores(documents, missing_score, source=source):
        if document is None:
            yield None
            continue
        gold, pred = document.sides
        spans = [span for span in pred if cuts.keeps(span[2], scores[span])]
        reduced = document.replaced(gold, spans, document.text)
        reduced.span_scores = {span: scores[span] for span in spans}
        reduced.cut = digest
        yield reduced
