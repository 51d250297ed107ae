"""Which gold labels spans have where predictions have another label."""

from __future__ import annotations

from collections import Counter

from ..core.spans import Document


class Partners:
    """Counts the gold spans with the boundaries of a prediction, but another label.

    >>> partners = Partners()
    >>> partners.add(Document([(0, 3, "PER")], [(0, 3, "PERSON"), (4, 7, "PERSON")]))
    >>> partners.numbers
    Counter({('PERSON', 'PER'): 1})
    """

    def __init__(self) -> None:
        self.numbers: Counter[tuple[str, str]] = Counter()

    def add(self, document: Document | None) -> None:
        """Count the pairs of a document, as (predicted label, gold label)."""
        if document is None:
            return
        gold, pred = map(set, document.sides)
        at: dict[tuple[int, int], list[str]] = {}
        for start, end, label in pred - gold:
            at.setdefault((start, end), []).append(label)
        if at:
            self.numbers.update((theirs, label) for start, end, label in gold for theirs in at.get((start, end), ()))
