"""The data from which the tables of one system are made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..counting.counts import Counts
from ..evaluation.error_groups import ErrorGroups
from ..evaluation.error_list import Listed
from ..evaluation.result import LabelledVerdict


class Evaluated(NamedTuple):
    """Counts with their result.

    Attributes:
        counts: The counts of the corpus.
        result: The result that `evaluate` returns for the counts.
        average: The average that tables of scores show.
        examples: The first verdict of each kind of error, if documents were available.
        groups: Groups of the same error, if documents were available.
        bounded: The result with intervals of the metric that stands for it, if `result` itself has none.
    """

    counts: Counts
    result: Mapping[str, Any]
    average: str = "micro"
    examples: Mapping[LabelledVerdict, Listed] = {}
    groups: ErrorGroups | None = None
    bounded: Mapping[str, Any] | None = None

    @property
    def with_bounds(self) -> Evaluated:
        """The same, with intervals of the main metric."""
        return self._replace(result=self.bounded or self.result)

    def overall(self, metric: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the overall scores of a metric in the average that is shown, and their intervals if there are any."""
        own = self.result["metrics"][metric]
        bounds = own.get("intervals", {})
        if self.average == "micro":
            return own["scores"], bounds.get("scores", {})
        return own["averages"].get(self.average, {}), bounds.get("averages", {}).get(self.average, {})
