"""What is asked for, and documents with the scores of their predictions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...core.cuts import Cuts, cut, with_scores
from ...core.declaration import Metric
from ...core.spans import Document, PlainSpan
from ...counting.counter import count
from ...counting.counts import Counts
from .calibration import EQUAL, check_bins
from .choice import PER_LABEL
from .ranking import STRICT, checked_hit
from .states import ScoredSpans


class Settings(NamedTuple):
    """What is asked for.

    best: the score by which the cut is chosen. per_label: whether labels have cuts of their own,
    one of `PER_LABEL`, or None for a common one. hit: "strict", or the least IoU of a hit.
    missing_score: the score of predictions without one; None makes them an error.
    bins, bin_kind: how scores are divided for calibration.
    """

    best: str = "strict_f"
    per_label: str | None = None
    hit: str | float = STRICT
    missing_score: float | None = None
    bins: int = 10
    bin_kind: str = EQUAL

    def checked(self) -> Settings:
        """Return the settings. Raise ValueError if one cannot be used.

        >>> Settings(per_label="all").checked()
        Traceback (most recent call last):
        ValueError: per_label 'all': expected 'own' or 'micro', or none for a common cut
        """
        if self.per_label is not None and self.per_label not in PER_LABEL:
            raise ValueError(f"per_label {self.per_label!r}: expected 'own' or 'micro', or none for a common cut")
        if self.missing_score is not None and not np.isfinite(self.missing_score):
            raise ValueError(f"missing score {self.missing_score!r}: expected a finite number, such as 1.0")
        check_bins(self.bins, self.bin_kind)
        return self._replace(hit=checked_hit(self.hit))

    @property
    def signature(self) -> list[str]:
        """The settings that change numbers, for the signature."""
        return [
            *([f"per-label:{self.per_label}"] if self.per_label else []),
            f"hit:{self.hit}",
            *([] if self.missing_score is None else [f"missing-score:{self.missing_score:g}"]),
            f"bins:{self.bins},{self.bin_kind}",
        ]


class Scored(NamedTuple):
    """Documents with the scores of their predictions, and the number of documents without annotation."""

    documents: Sequence[Document]
    scores: Sequence[Mapping[PlainSpan, float]]
    skipped: int

    @classmethod
    def of(cls, documents: Iterable[Document | None], missing_score: float | None = None) -> Scored:
        """Return documents with their scores; raise ValueError, naming the document, if one cannot be used."""
        pairs = [*with_scores(documents, missing_score)]
        known = [(document, scores) for document, scores in pairs if document is not None]
        return cls([document for document, _ in known], [scores for _, scores in known], len(pairs) - len(known))

    @property
    def spans(self) -> ScoredSpans:
        """All spans as columns."""
        return ScoredSpans(self.documents, self.scores)

    def counts(self, metrics: Sequence[Metric]) -> Counts:
        """Return the counts of all spans, without verdicts of the metrics."""
        counts = count(self.documents, [], units=False)
        counts.metrics, counts.skipped = tuple(metrics), self.skipped
        return counts

    def cut(self, cuts: Cuts, metrics: Sequence[Metric], missing_score: float | None) -> Counts:
        """Return the counts of the predictions that cuts keep."""
        counts = count(cut(self.documents, cuts, missing_score), metrics)
        counts.skipped = self.skipped
        return counts
