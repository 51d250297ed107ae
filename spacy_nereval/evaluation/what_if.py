"""What a score would be if errors of one kind were fixed.

Fixing an error turns a pair, or a missed span, into a hit, and removes a spurious span.
The rest stays as it is. The score follows from the counts, by the metric's own formula.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ..core.declaration import Kind, Metric
from ..counting.counts import Counts
from .result import LabelledVerdict, verdict_counts


class Mended(NamedTuple):
    """A score after fixing errors.

    Attributes:
        verdict: The verdict of the errors that are fixed; None for all errors of a label.
        label: The label of the errors that are fixed; None for all errors with a verdict.
        errors: How many errors are fixed.
        score: The score, None if undefined.
        gain: The score minus the score before, None if one of them is undefined.
    """

    verdict: str | None
    label: str | None
    errors: int
    score: float | None
    gain: float | None


def what_if(counts: Counts, metric: Metric) -> list[Mended]:
    """Return the headline score after fixing the errors with each verdict, and then those of each label.

    An error counts for its gold label, or for the predicted one if there is no gold span; the other
    way round with `focus="system"`.

    Args:
        counts: The counts of a corpus.
        metric: One of their metrics, whose columns add up whole verdicts.

    Returns:
        Verdicts and labels with errors; within each, the greatest gain first.

    Raises:
        ValueError: The metric gives partial credit, counts kinds of spans, or judges labels as classes.

    >>> from spacy_nereval import Document, count, create
    >>> fair = create("fair")
    >>> found = what_if(count([Document([(0, 3, "A"), (4, 7, "B")], [(0, 3, "A"), (4, 7, "A")])], [fair]), fair)
    >>> [(each.verdict, each.label, each.errors, each.score) for each in found]
    [('le', None, 1, 1.0), (None, 'B', 1, 1.0)]
    """
    columns = [source for sources in metric.columns.values() for source in sources]
    if metric.classes or metric.partial_credit or any(isinstance(source, Kind) for source in columns):
        raise ValueError(f"{metric.name} does not add up whole verdicts, so errors cannot be corrected one by one")
    numbers = verdict_counts(counts)[metric.name]
    score = metric.headlines[0].name
    now = _score(metric, numbers, counts, score)
    mended = []
    for verdict, label, chosen in _choices(metric, numbers):
        then = _score(metric, _after(metric, numbers, chosen), counts, score, chosen)
        gain = None if now is None or then is None else then - now
        mended.append(Mended(verdict, label, sum(chosen.values()), then, gain))
    return sorted(mended, key=lambda each: (each.verdict is None, -(each.gain or 0)))


def _choices(
    metric: Metric, found: Mapping[LabelledVerdict, int]
) -> Iterator[tuple[str | None, str | None, dict[LabelledVerdict, int]]]:
    """Yield the errors with each verdict, and those of each label."""
    errors = {key: n for key, n in found.items() if key[0] not in metric.correct_verdicts and (key[1] or key[2]) and n}
    for verdict in dict.fromkeys(key[0] for key in errors):
        yield verdict, None, {key: n for key, n in errors.items() if key[0] == verdict}
    for label in sorted({home(metric, key) for key in errors}):
        yield None, label, {key: n for key, n in errors.items() if home(metric, key) == label}


def home(metric: Metric, key: LabelledVerdict) -> str:
    """Return the label that a verdict counts for."""
    _, gold, pred = key
    return (pred or gold) if metric.focus == "system" else (gold or pred)


def _after(
    metric: Metric, found: Mapping[LabelledVerdict, int], chosen: Mapping[LabelledVerdict, int]
) -> Counter[LabelledVerdict]:
    after = Counter(found)
    for key, n in chosen.items():
        after[key] -= n
        if key[1]:
            after[metric.hit, key[1], key[1]] += n
    return after


def _score(
    metric: Metric,
    found: Mapping[LabelledVerdict, int],
    counts: Counts,
    score: str,
    chosen: Mapping[LabelledVerdict, int] | None = None,
) -> float | None:
    """Return a score of these verdicts. A fixed missed span is predicted; a fixed spurious span is gone."""
    mended = (chosen or {}).items()
    new = sum(n for (_, gold, pred), n in mended if gold and not pred)
    gone = sum(n for (_, gold, pred), n in mended if pred and not gold)
    totals: Counter[str] = Counter()
    for (verdict, _, _), n in found.items():
        totals[verdict] += n
    columns = {
        name: np.array([sum(totals[str(source)] for source in sources)], dtype=float)
        for name, sources in metric.columns.items()
    }
    columns["gold_spans"] = np.array([counts.gold], dtype=float)
    columns["pred_spans"] = np.array([counts.pred + new - gone], dtype=float)
    value = float(metric.formula(columns)[score][0])
    return value if np.isfinite(value) else None
