"""Which gold spans a new system fixes and which it breaks.

Every gold span has one outcome under a system: FairEval's verdict on it, in
words. A transition is the pair of its outcomes under two systems.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any

from ..core.declaration import Metric, Verdict
from ..core.spans import Document, Span
from ..metrics.registry import create

OUTCOME_OF_VERDICT = {
    "tp": "correct",
    "be_s": "boundary",
    "be_l": "boundary",
    "be_o": "boundary",
    "le": "label error",
    "lbe": "label and boundary",
    "fn": "missed",
}
"""The outcome that each of FairEval's verdicts means for a gold span."""

OUTCOMES = tuple(dict.fromkeys(OUTCOME_OF_VERDICT.values()))
"""All outcomes, in the order in which tables list them."""


def gold_outcomes(document: Document | None, fair: Metric | None = None) -> dict[Span, str]:
    """Return the outcome of each gold span of a document.

    Several predictions may be compared with one gold span; its first verdict decides.

    Args:
        document: One document, or None for a text without annotation, which has no gold spans.
        fair: The metric `fair`, if its options differ from the defaults.

    Returns:
        The gold spans in ascending order, each with one of `OUTCOMES`.

    Example:
        >>> gold_outcomes(Document(gold=[(0, 5, "A"), (7, 9, "A")], pred=[(0, 4, "A")]))
        {Span(start=0, end=5, label='A'): 'boundary', Span(start=7, end=9, label='A'): 'missed'}
    """
    return outcomes_by((fair or _default_fair()).verdicts(document) if document else ())


def outcomes_by(verdicts: Iterable[Verdict]) -> dict[Span, str]:
    """Return the outcome of each gold span by the verdicts of `fair` on a document, as `gold_outcomes` does."""
    outcomes: dict[Span, str] = {}
    for verdict in verdicts:
        if verdict.gold and verdict.gold not in outcomes:
            outcomes[verdict.gold] = OUTCOME_OF_VERDICT[verdict.name]
    return dict(sorted(outcomes.items()))


def outcomes_of(documents: Iterable[Document | None], metrics: Iterable[Metric]) -> list[dict[Span, str]]:
    """Return the outcome of each gold span of each document, judged by the fair among the metrics if it is there.

    Example:
        >>> outcomes_of([Document([(0, 5, "A")], [])], [])
        [{Span(start=0, end=5, label='A'): 'missed'}]
    """
    fair = next((metric for metric in metrics if metric.name == "fair"), None)
    return [gold_outcomes(document, fair) for document in documents]


def transitions(
    baseline: Iterable[dict[Span, str]], system: Iterable[dict[Span, str]], documents: Iterable[Document | None]
) -> dict[str, Any]:
    """Count how often each outcome under a baseline becomes each outcome under a system.

    Args:
        baseline: What `gold_outcomes` returns for each document under the baseline.
        system: The same under the system, with the documents in the same order.
        documents: The documents in the same order, for their ids and texts.

    Returns:
        `counts`: outcome under the baseline, then outcome under the system, then number of gold spans.
        `spans`: the gold spans whose outcome differs, each with its document (the id, or else the position),
        offsets, label, text (None if the document has no text), `from` and `to`.

    Example:
        >>> gold = [(0, 5, "A"), (7, 9, "A")]
        >>> before, after = Document(gold, [(0, 4, "A")], "Adele in it"), Document(gold, [(0, 5, "A")], "Adele in it")
        >>> found = transitions([gold_outcomes(before)], [gold_outcomes(after)], [after])
        >>> found["counts"]
        {'boundary': {'correct': 1}, 'missed': {'missed': 1}}
        >>> found["spans"][0]["text"], found["spans"][0]["from"], found["spans"][0]["to"]
        ('Adele', 'boundary', 'correct')
    """
    numbers: Counter[tuple[str, str]] = Counter()
    spans = []
    for position, (before, after, document) in enumerate(zip(baseline, system, documents)):
        for span, outcome in before.items():
            numbers[outcome, after[span]] += 1
            if document and outcome != after[span]:
                text = None if document.text is None else document.text[span.start : span.end]
                name = position if document.id is None else document.id
                spans.append({"document": name, **span._asdict(), "text": text, "from": outcome, "to": after[span]})
    counts: dict[str, dict[str, int]] = {}
    for pair in sorted(numbers, key=lambda pair: tuple(map(OUTCOMES.index, pair))):
        counts.setdefault(pair[0], {})[pair[1]] = numbers[pair]
    return {"counts": counts, "spans": spans}


@cache  # looking the metric up takes longer than judging a document
def _default_fair() -> Metric:
    return create("fair")
