"""Where is a system better? The differences of the primary score in the slices by an attribute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.declaration import Metric
from .breakdown import Breakdown
from .comparison import System, comparison
from .resampling import Confidence
from .tested import Hypotheses, families, find_primary


def compare_by(
    systems: Sequence[System],
    breakdowns_of: Callable[[Sequence[Metric]], Sequence[Breakdown]],
    confidence: Confidence | None,
    trials: int | None,
    hypotheses: Hypotheses,
) -> dict[str, dict[str, Any]]:
    """Return the differences of the primary score from the baseline in each slice, by attribute.

    Args:
        systems: Systems of one training run each with their documents, the baseline first.
        breakdowns_of: Returns the counter of a metric for each attribute.
        confidence, trials: As for `comparison`.
        hypotheses: The tests: of these, only the primary score.

    Returns:
        Attribute to {"by", "buckets", "metric", "score", "gold" (the number of gold spans of each bucket), and "rows"};
        the rows are those of `comparison` for labels, with the name of the bucket under "label". p is corrected by
        Holm's method over all buckets and systems.

    Raises:
        ValueError: A system has several training runs or no documents, or the attribute cannot be used.
    """
    for system in systems:
        if system.documents is None:
            raise ValueError(
                f"slices need the documents of one training run of each system, and {system.name} has "
                f"{'several runs' if len(system.runs) > 1 else 'counts, which contain no texts'}"
            )
    metrics = systems[0].counts.metrics
    primary = find_primary(metrics, families(metrics, hypotheses.primary, hypotheses.secondary))
    assert primary, "families has a primary score, or raises"
    metric, score = primary
    counted = [breakdowns_of([metric]) for _ in systems]
    for system, breakdowns in zip(systems, counted):
        for document in system.documents or ():
            for breakdown in breakdowns:
                breakdown.add(document)
    result = {}
    for of_attribute in zip(*counted):
        first, *others = of_attribute
        for breakdown in of_attribute:
            breakdown.check_field()
            breakdown.share_values(of_attribute)
        sliced = [
            System(system.name, breakdown.counts(metric.name, system.counts))
            for system, breakdown in zip(systems, of_attribute)
        ]
        asked = f"{metric.name}.{score.name}"
        compared = comparison(sliced, [], confidence, trials, primary=asked, labels=True)
        summary = first.result()
        result[first.by.name] = {
            "by": first.by.name,
            "buckets": summary["buckets"],
            "metric": metric.name,
            "score": score.name,
            "gold": summary["gold"],
            "rows": [row for row in compared["comparisons"] if row["label"] is not None],
        }
    return result
