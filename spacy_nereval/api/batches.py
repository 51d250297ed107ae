"""Counts of predictions that come in batches, as in the loop of a training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..counting.counts import Counts
from ..evaluation.resampling import ConfidenceSettings, read_confidence
from ..evaluation.result import evaluate
from .inputs import Items, reading_of_items, with_item_reading
from .items import tags_key
from .results import Result
from .scoring import count_items
from .sides import Side

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .inputs import ItemReading

SCHEME = "IOB2"
"""The scheme of tags that have none: which one they are in must not depend on a batch."""


class Counter:
    """Counts batches of predictions; `result` scores all batches so far, and `counts` are added over processes.

    Args:
        metrics: As for `score`.
        scheme: The tagging scheme of tags; by default IOB2, since one batch may not show it.
        options: How items are read, as for `score`, such as `tag_names=model.config.id2label` and `repair="conll"`.

    Raises:
        ValueError: An option has none of the values that it takes.

    >>> from spacy_nereval import Counter
    >>> counter = Counter("strict", tag_names=["O", "B-PER", "I-PER"], repair="conll")
    >>> counter.add([[1, 2, -100], [0, -100, -100]], [[1, 2, 0], [2, 0, 0]])
    >>> counter.add([[1, 0]], [[1, 0]])
    >>> counter.result().strict.counts
    {'tp': 2, 'fp': 1, 'fn': 0}
    """

    @with_item_reading
    def __init__(self, metrics: Any = None, **options: Unpack[ItemReading]) -> None:
        # Named, so that no metric is added for the labels of one batch.
        self._metrics, self._reading = "papers" if metrics is None else metrics, options
        reading_of_items(**options)
        self._counts: Counts | None = None
        self._left_out: Mapping[str, str] = {}

    def add(
        self, gold: Any, pred: Any, *, text: Iterable[str | None] | None = None, tokens: Iterable[Any] | None = None
    ) -> None:
        """Count the documents of a batch.

        Args:
            gold, pred: Their gold annotation and predictions, as `score` takes them: tags, numbers of tags, spans, or
                logits [tokens, tags] for the predictions.
            text, tokens: As for `score`.

        Raises:
            ValueError: As for `score`; then nothing is counted.
        """
        gold = gold if hasattr(gold, "__len__") else [*gold]
        options: ItemReading = {**self._reading}
        if options.get("scheme", "auto") == "auto" and _has_tags(gold, options):
            options["scheme"] = SCHEME
        items = Items(self._metrics, reading_of_items(**options), text, tokens)
        counted = count_items(gold, pred, items, "pred")
        self._counts = counted.counts if self._counts is None else self._counts + counted.counts
        self._left_out = counted.left_out

    @property
    def counts(self) -> Counts:
        """The counts so far. `merge` adds those of several processes.

        Raises:
            ValueError: No batch was added.
        """
        if self._counts is None:
            raise ValueError("nothing was counted: call add(gold, pred) first")
        return self._counts

    def result(self, confidence: ConfidenceSettings = None) -> Result:
        """Return the scores of all batches so far. More batches may be added afterwards.

        Args:
            confidence: As for `score`.

        Raises:
            ValueError: No batch was added, or a setting cannot be used.
        """
        values = evaluate(self.counts, read_confidence(confidence))
        return Result(values | ({"left_out": {**self._left_out}} if self._left_out else {}), self.counts)


def _has_tags(gold: Any, options: ItemReading) -> bool:
    """Return whether gold items are tags, alone or in rows of tokens."""
    side = Side(gold, "gold", reading_of_items(**options))
    return side.kind == "tags" or (isinstance(side.first, Mapping) and tags_key(side.first) is not None)
