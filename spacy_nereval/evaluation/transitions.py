"""What a new system fixed and what it broke: the verdict on each gold span under two systems."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any

from ..core.declaration import Metric
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
"""FairEval's verdicts on a gold span, in words."""

OUTCOMES = tuple(dict.fromkeys(OUTCOME_OF_VERDICT.values()))


def gold_outcomes(document: Document | None, fair: Metric | None = None) -> dict[Span, str]:
    """Each gold span of a document and what became of it, by FairEval's verdicts; those
    of `fair`, if it is given, which may have options of its own.

    >>> gold_outcomes(Document(gold=[(0, 5, "A"), (7, 9, "A")], pred=[(0, 4, "A")]))
    {Span(start=0, end=5, label='A'): 'boundary', Span(start=7, end=9, label='A'): 'missed'}
    """
    found: dict[Span, str] = {}
    for verdict in (fair or _fair()).verdicts(document) if document else ():
        if verdict.gold and verdict.gold not in found:  # a further prediction on a span adds nothing to it
            found[verdict.gold] = OUTCOME_OF_VERDICT[verdict.name]
    return dict(sorted(found.items()))


def transitions(
    baseline: Iterable[dict[Span, str]], system: Iterable[dict[Span, str]], documents: Iterable[Document | None]
) -> dict[str, Any]:
    """Counts of (verdict under the baseline, verdict under the system), and the spans where they differ.

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
    for number, (before, after, document) in enumerate(zip(baseline, system, documents)):
        for span, kind in before.items():
            numbers[kind, after[span]] += 1
            if document and kind != after[span]:
                text = None if document.text is None else document.text[span.start : span.end]
                name = number if document.id is None else document.id
                spans.append({"document": name, **span._asdict(), "text": text, "from": kind, "to": after[span]})
    counts: dict[str, dict[str, int]] = {}
    for a, b in sorted(numbers, key=lambda pair: (OUTCOMES.index(pair[0]), OUTCOMES.index(pair[1]))):
        counts.setdefault(a, {})[b] = numbers[a, b]
    return {"counts": counts, "spans": spans}


@cache  # looking it up takes longer than judging a document
def _fair() -> Metric:
    return create("fair")
