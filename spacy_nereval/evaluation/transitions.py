"""What a system fixes and what it breaks: the outcome of each gold span under two systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any

from ..core.declaration import Metric
from ..core.spans import Document, Span
from ..metrics.registry import create

OUTCOMES = {
    "tp": "correct",
    "be_s": "boundary",
    "be_l": "boundary",
    "be_o": "boundary",
    "le": "label error",
    "lbe": "label and boundary",
    "fn": "missed",
}
"""What became of a gold span, by FairEval's verdict on it. Results have these keys; the words for people are in
`reporting.words`."""


def judged(document: Document | None, fair: Metric | None = None) -> dict[Span, str]:
    """Return the outcome of each gold span of a document, by FairEval's verdicts.

    Args:
        document: The document; None, a document without annotation, has no spans.
        fair: The metric fair with options of its own; by default, without options.

    >>> judged(Document(gold=[(0, 5, "A"), (7, 9, "A")], pred=[(0, 4, "A")]))
    {Span(start=0, end=5, label='A'): 'boundary', Span(start=7, end=9, label='A'): 'missed'}
    """
    found: dict[Span, str] = {}
    for verdict in (fair or _fair()).verdicts(document) if document else ():
        if verdict.gold and verdict.gold not in found:  # the first verdict on a span is its outcome
            found[verdict.gold] = OUTCOMES[verdict.name]
    return dict(sorted(found.items()))


def transitions(
    baseline: Iterable[dict[Span, str]], system: Iterable[dict[Span, str]], documents: Iterable[Document | None]
) -> dict[str, Any]:
    """Count the outcomes of gold spans under a baseline and a system, and list the spans where they differ.

    Args:
        baseline: For each document, what `judged` returns under the baseline.
        system: The same under the system.
        documents: The documents, for their ids and texts.

    Returns:
        `counts`, from outcome under the baseline to outcome under the system to number, and `spans`.

    >>> gold = [(0, 5, "A"), (7, 9, "A")]
    >>> before, after = Document(gold, [(0, 4, "A")], "Adele in it"), Document(gold, [(0, 5, "A")], "Adele in it")
    >>> found = transitions([judged(before)], [judged(after)], [after])
    >>> found["counts"]
    {'boundary': {'correct': 1}, 'missed': {'missed': 1}}
    >>> found["spans"][0]["text"], found["spans"][0]["from"], found["spans"][0]["to"]
    ('Adele', 'boundary', 'correct')
    """
    numbers: Counter[tuple[str, str]] = Counter()
    spans = []
    for number, (before, after, document) in enumerate(zip(baseline, system, documents)):
        for span, kind in before.items():
            numbers[kind, after[span]] += 1
            if document and kind != after[span]:
                text = None if document.text is None else document.text[span.start : span.end]
                name = number if document.id is None else document.id
                spans.append({"document": name, **span._asdict(), "text": text, "from": kind, "to": after[span]})
    order = list(dict.fromkeys(OUTCOMES.values()))
    counts: dict[str, dict[str, int]] = {}
    for a, b in sorted(numbers, key=lambda pair: (order.index(pair[0]), order.index(pair[1]))):
        counts.setdefault(a, {})[b] = numbers[a, b]
    return {"counts": counts, "spans": spans}


@cache  # looking it up takes longer than judging a document
def _fair() -> Metric:
    return create("fair")
