"""The HTML report of documents in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..core.spans import Document
from ..counting.counter import count
from ..counting.counts import Counts
from ..evaluation.resampling import Confidence
from ..evaluation.tested import Asked
from ..metrics.registry import create


class KeptSystem(NamedTuple):
    """A system whose documents were kept: its name, its documents (None without annotation), and its counts."""

    name: str
    documents: Sequence[Document | None]
    counts: Counts


def report(
    systems: Sequence[KeptSystem],
    confidence: Confidence | None = None,
    asked: Asked | None = None,
    trials: int | None = None,
) -> str | None:
    """Return the report as HTML.

    Args:
        systems: The systems, which have the same documents. The first is what others are compared with.
        confidence: The settings of intervals; None for no intervals and no comparison.
        asked: What the comparison tests.
        trials: How many swaps are drawn.

    Returns:
        The page; None if a text is not known, no document is annotated, or there are more systems than a page shows.

    Raises:
        ValueError: The libraries that draw charts are not installed.
    """
    from ..reporting.html import ReportedSystem, page, with_common_annexes
    from ..reporting.reported_systems import SYSTEMS

    known = [[document for document in system.documents if document] for system in systems]
    if not 0 < len(systems) <= SYSTEMS or not all(known) or any(d.text is None for own in known for d in own):
        return None
    reported = [ReportedSystem(system.name, own, _with_fair(system.counts, own)) for system, own in zip(systems, known)]
    return page(with_common_annexes(reported), confidence=confidence, asked=asked, trials=trials)


def _with_fair(counts: Counts, documents: Sequence[Document]) -> Counts:
    """Return the counts with those of fair, whose verdicts mark the spans of the report."""
    if any(metric.name == "fair" for metric in counts.metrics):
        return counts
    found = count(documents, [*counts.metrics, create("fair")])
    found.spans_key = counts.spans_key
    return found
