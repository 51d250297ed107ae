"""The data from which the tables of one system are made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..counting.counts import Counts
from ..evaluation.error_list import Listed
from ..evaluation.result import LabelledVerdict


class Evaluated(NamedTuple):
    """Counts with their result.

    Attributes:
        counts: The counts of the corpus.
        result: The result that `evaluate` returns for the counts.
        average: The average that tables of scores show.
        examples: The first verdict of each kind of error, if documents were available.
    """

    counts: Counts
    result: Mapping[str, Any]
    average: str = "micro"
    examples: Mapping[LabelledVerdict, Listed] = {}
