"""The counts that the same documents have when gold and predicted spans change places."""

from __future__ import annotations

from ..core.declaration import Kind
from .counts import Counts
from .keys import Key

KINDS = {
    Kind.MISS.value: Kind.SPURIOUS.value,
    Kind.SPURIOUS.value: Kind.MISS.value,
    Kind.GROUP_GOLD.value: Kind.GROUP_PRED.value,
    Kind.GROUP_PRED.value: Kind.GROUP_GOLD.value,
}
"""What becomes of a kind of span; hits stay hits."""


def mirrored(counts: Counts) -> Counts:
    """Return the counts with gold and predicted spans in each other's place. Nothing is counted again.

    Args:
        counts: Counts of metrics that all declare what their verdicts become (`Metric.mirror`).

    Raises:
        ValueError: A metric does not declare it.

    >>> from spacy_nereval import Document, count, create
    >>> counts = count([Document(gold=[(0, 3, "A")], pred=[])], [create("strict")])
    >>> mirrored(counts).gold, mirrored(counts).pred
    (0, 1)
    """
    mirror = {"": KINDS}
    for metric in counts.metrics:
        if metric.mirror is None:
            raise ValueError(f"{metric.name} does not declare what its verdicts become when the sides are swapped")
        mirror[metric.name] = {**metric.mirror}

    def swapped(key: Key) -> Key:
        verdict = mirror[key.metric].get(key.verdict, key.verdict)
        return key._replace(verdict=verdict, gold=key.pred, pred=key.gold)

    return counts.with_keys([swapped(key) for key in counts.keys])
