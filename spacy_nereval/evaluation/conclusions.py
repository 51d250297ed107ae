"""State what a comparison shows: a sentence for each row of the primary score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ..core.declaration import Score
from .statistics.conclusion import Conclusion, sentence
from .tested import points


def verdict(row: Mapping[str, Any], score: Score, *, baseline: str, level: float, units: str) -> str:
    """Return the sentence that the numbers of a row support, without a full stop.

    Args:
        row: A row of the primary score, with its corrected p-value; NaN or None where there is no number.
        score: The primary score.
        baseline: The name of the first system.
        level: The confidence level.
        units: What a unit is, in the plural.

    >>> from spacy_nereval import create
    >>> row = dict(system="B", difference=0.02, interval=[-0.01, 0.05], p=0.2, p_holm=0.2, tests=1, detectable=0.04)
    >>> row |= dict(differing=40, same_within=None, runs=[1, 1])
    >>> f = create("strict").score_by_name["f"]
    >>> verdict(row, f, baseline="A", level=0.95, units="documents")
    'not settled: between -1.00 and +5.00 points; these documents show a difference of 4.00 points 4 times in 5'
    """
    factor = points(score)
    numbers = {key: _number(row[key]) for key in ("difference", "p", "p_holm", "detectable")}
    low, high = map(_number, row["interval"])
    return sentence(
        Conclusion(
            baseline=baseline,
            system=row["system"],
            difference=factor * numbers["difference"],
            low=factor * low,
            high=factor * high,
            p=numbers["p"],
            p_holm=numbers["p_holm"],
            tests=row["tests"],
            detectable=factor * numbers["detectable"],
            differing=row["differing"],
            same_within=row["same_within"],
            one_run=max(row["runs"]) == 1,
            level=level,
            units=units,
            higher_is_better=score.higher_is_better,
            tested="standard_error" not in row,
        )
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else value
