"""Does a slice differ from the rest? The difference of its score, its interval, and a test.

A unit is excluded from the slice and from the rest at once, so units with spans in both are no problem.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import Score
from ..counting.counts import Counts
from ..counting.table import Table
from .bounds import FEW_UNITS, degrees_of_freedom
from .differences import t_test
from .jackknife import Estimand, difference_of_systems, jackknife
from .resampling import Units
from .scores import score_sums
from .tested import difference, holm_by_family, limit_of_difference
from .unit_weights import UnitWeights

SLICE, REST = LABELS = ("slice", "rest")
"""The labels of counts of a slice and all others together."""


class SliceDifference(NamedTuple):
    """A slice against the rest.

    Attributes:
        score: The name of the score.
        value, rest: Its values in the slice and in the rest.
        units, units_of_rest: The effective numbers of units of both.
        error: The standard error of the difference; NaN if there is no test.
        freedom: Its degrees of freedom; NaN if there is no test.
    """

    score: Score
    value: float
    rest: float
    units: float
    units_of_rest: float
    error: float = math.nan
    freedom: float = math.nan


def slice_differences(
    slices: Sequence[str], counts_of: Callable[[str], Counts], level: float
) -> dict[str, dict[str, Any]]:
    """Return how each slice differs from the rest in the headline score of a metric.

    Args:
        slices: The names of the slices.
        counts_of: Returns the counts of one metric with units, labelled `SLICE` and `REST`.
        level: The confidence level.

    Returns:
        Slice to the name of its "score", the score of the "rest", their "difference", its "interval", "p", "p_holm"
        (corrected over the slices), the number of "tests", the effective numbers of "units" of both, and the degrees
        of freedom, "df". p, bounds and df are NaN with fewer than 6 effective units on either side, where a score is
        undefined, without a unit too, and where nothing varies on one side.

    Source: difference, t test with the variance of Efron and Stein (1981) and degrees of freedom of Satterthwaite
    (1946); Holm (1979).
    """
    found = [estimate_difference(counts_of(name)) for name in slices]
    rows = [{} if each is None else _row(each, level) for each in found]
    adjusted = holm_by_family([row.get("p", math.nan) for row in rows], ["slices"] * len(rows))
    for row, p, number in zip(rows, adjusted.p.tolist(), adjusted.sizes.tolist()):
        if row:
            row |= {"p_holm": p, "tests": number}
    return dict(zip(slices, rows))


def _row(found: SliceDifference, level: float) -> dict[str, Any]:
    gap, score = difference(found.rest, found.value), found.score
    limit = limit_of_difference(score, found.value, found.rest)
    test = t_test(gap, found.error, found.freedom, level=level, higher_is_better=score.higher_is_better, limit=limit)
    return {
        "score": score.name,
        "rest": found.rest,
        "difference": gap,
        "interval": [float(test.low), float(test.high)],
        "p": float(test.p),
        "units": [found.units, found.units_of_rest],
        "df": found.freedom,
    }


def estimate_difference(counts: Counts) -> SliceDifference | None:
    """Return the difference of a slice from the rest; None for a metric without scores of labels.

    Args:
        counts: The counts of one metric with units, labelled `SLICE` and `REST`.
    """
    metric = counts.metrics[0]
    score = next(iter(metric.label_headlines), None)
    if score is None:
        return None
    tables, units = [Table(_name_slice_and_rest(counts, one), (SLICE,)) for one in (REST, SLICE)], Units(counts)
    values = [float(next(score_sums(table.sum_rows())).label_scores[score.name][0, 0]) for table in tables]
    effective = UnitWeights([[Table(counts, LABELS)]], units).effective_numbers(metric)[score.name].tolist()
    found = SliceDifference(score, values[1], values[0], *effective[:2])
    if min(found.units, found.units_of_rest) < FEW_UNITS or metric.distinct or not np.isfinite(values).all():
        return found

    def influences(estimand: Estimand) -> tuple[float, float, bool]:
        (estimates,) = jackknife(tables, units.groups, estimand)
        place = estimates.places.index(("per_type", SLICE, score.name))
        variance, bearers, lone = (array[place].item() for array in estimates.influences)
        return variance, bearers, lone

    variance, _, lone = influences(difference_of_systems(1))
    parts = [influences(lambda runs, _, side=side: runs[side]) for side in (0, 1)]  # type: ignore[misc]  # an Estimand
    sizes = np.array([found.units_of_rest, found.units])
    freedom: NDArray[np.float64] = degrees_of_freedom(sizes, [bearers for _, bearers, _ in parts])
    spread = np.array([part for part, _, _ in parts])
    if lone or any(part[2] for part in parts) or min(spread) <= 0:
        return found
    return found._replace(error=math.sqrt(variance), freedom=float(spread.sum() ** 2 / (spread**2 / freedom).sum()))


def _name_slice_and_rest(counts: Counts, label: str) -> Counts:
    """Return counts in which a label is called `SLICE`, and the other one `REST`."""
    names = {label: SLICE, (REST if label == SLICE else SLICE): REST}
    return counts.with_keys(
        [key._replace(gold=names.get(key.gold, ""), pred=names.get(key.pred, "")) for key in counts.keys]
    )
