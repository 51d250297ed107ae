"""Documents from the items of two sides, for functions that need scores of predictions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..core.declaration import Metric
from ..core.labels import LabelRules
from ..core.relabelling import relabelled
from ..core.spans import Document
from .choice import chosen_metrics
from .inputs import Side, documents, has_tokens, has_words
from .plain_records import Reading


class Items(NamedTuple):
    """How items are read: see `scoring.score`."""

    metrics: Any
    reading: Reading
    rules: LabelRules | None
    text: Iterable[str | None] | None = None
    tokens: Iterable[Any] | None = None


def documents_of(
    gold: Iterable[Any], pred: Any, items: Items
) -> tuple[list[Document | None], tuple[Metric, ...], dict[str, str]]:
    """Return the documents of two sides, the metrics that are scored, and which are left out, with the reason.

    Raises:
        ValueError: As `scoring.score` says.
    """
    sides = Side(gold, "gold"), Side(pred, "pred")
    text, tokens = (None if value is None else list(value) for value in (items.text, items.tokens))
    chosen, left_out = chosen_metrics(
        items.metrics, words=has_words(*sides, text, tokens), tokens=has_tokens(*sides, tokens)
    )
    found = relabelled(documents(*sides, text, tokens, items.reading), items.rules)
    return [*found], tuple(chosen), left_out
