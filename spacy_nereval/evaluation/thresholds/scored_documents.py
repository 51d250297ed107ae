"""What is asked for, and documents with the scores of their predictions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.arguments import Choosing, checked
from ...core.cuts import Cuts, cut, with_scores
from ...core.declaration import Metric
from ...core.spans import Document, PlainSpan
from ...counting.counter import count
from ...counting.counts import Counts
from ..result import gold_spans, pred_spans
from .curves import Curves
from .ranking import Ranked, checked_hit, ranked
from .states import ScoredSpans


class Settings(Choosing):
    """What is asked for, as `Choosing` declares it."""

    def checked(self) -> Settings:
        """Return the settings. Raise ValueError if one cannot be used.

        >>> Settings(per_label="all").checked()
        Traceback (most recent call last):
        ValueError: per_label='all': expected 'own' or 'micro', or none for a common cut
        """
        return checked(self)._replace(hit=checked_hit(self.hit))

    @property
    def signature(self) -> list[str]:
        """The settings that change numbers, for the signature."""
        return [
            *([f"per-label:{self.per_label}"] if self.per_label else []),
            f"hit:{self.hit}",
            *([] if self.missing_score is None else [f"missing-score:{self.missing_score:g}"]),
            f"bins:{self.bins},{self.bin_kind}",
        ]


@dataclass(frozen=True)
class Scored:
    """Documents with the scores of their predictions.

    Attributes:
        documents: The annotated documents.
        scores: The score of each prediction, per document.
        skipped: The number of documents without annotation.
        metrics: What is scored: metrics that have curves.
        settings: What was asked for.
    """

    documents: Sequence[Document]
    scores: Sequence[Mapping[PlainSpan, float]]
    skipped: int
    metrics: Sequence[Metric]
    settings: Settings

    @classmethod
    def of(
        cls, documents: Iterable[Document | None], metrics: Sequence[Metric], settings: Settings = Settings()
    ) -> Scored:
        """Return documents with their scores; raise ValueError, naming the document, if one cannot be used."""
        pairs = [*with_scores(documents, settings.missing_score)]
        known = [(document, scores) for document, scores in pairs if document is not None]
        return cls([each for each, _ in known], [own for _, own in known], len(pairs) - len(known), metrics, settings)

    @cached_property
    def spans(self) -> ScoredSpans:
        """All spans as columns."""
        return ScoredSpans(self.documents, self.scores)

    @cached_property
    def curves(self) -> Curves:
        """The scores of the metrics at every cut."""
        return Curves(self.spans, self.metrics)

    @cached_property
    def ranking(self) -> Ranked:
        """All predictions from the highest score, and which are hits."""
        return ranked(self.documents, self.scores, self.settings.hit)

    @cached_property
    def counts(self) -> Counts:
        """The counts of all spans, without verdicts of the metrics."""
        counts = count(self.documents, [], units=False)
        counts.metrics, counts.skipped = tuple(self.metrics), self.skipped
        return counts

    @cached_property
    def gold(self) -> Mapping[str, int]:
        """The number of gold spans of each label."""
        return gold_spans(self.counts)

    @cached_property
    def pred(self) -> Mapping[str, int]:
        """The number of predictions of each label."""
        return pred_spans(self.counts)

    @property
    def floor(self) -> float | None:
        """The lowest score, None without predictions."""
        return float(self.ranking.score[-1]) if len(self.ranking.score) else None

    def cut(self, cuts: Cuts, metrics: Sequence[Metric]) -> Counts:
        """Return the counts of the predictions that cuts keep."""
        counts = count(cut(self.documents, cuts, self.settings.missing_score), metrics)
        counts.skipped = self.skipped
        return counts

    def kept(self, cuts: Cuts) -> NDArray[np.bool_]:
        """Return which predictions of the ranking are kept."""
        labels = self.ranking.label.tolist()
        least = {label: cuts.of(label) for label in {*labels}}
        found: NDArray[np.bool_] = self.ranking.score >= np.array([least[label] for label in labels], dtype=float)
        return found
