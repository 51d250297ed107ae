"""Documents from the items of two sides, for functions that need scores of predictions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..core.declaration import Metric
from ..core.labels import LabelRules
from ..core.spans import Document, relabelled
from .choice import chosen_metrics
from .inputs import documents, what_is_known
from .plain_records import Reading
from .sides import Side


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

    Args:
        gold, pred: The items of each side, as `scoring.score` takes them.
        items: How they are read, and what is scored.

    Raises:
        ValueError: As `scoring.score` says.
    """
    side = Side(gold, "gold", items.reading)
    other = Side(pred, "pred", items.reading, side.tag_names)
    text, tokens = (None if value is None else list(value) for value in (items.text, items.tokens))
    chosen, left_out = chosen_metrics(items.metrics, **what_is_known(side, other, text, tokens))
    found = relabelled(documents(side, other, text, tokens, items.reading), items.rules)
    return [*found], tuple(chosen), left_out
