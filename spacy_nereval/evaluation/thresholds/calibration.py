"""Whether scores are probabilities: of predictions with the score .8, about 80 % should be hits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.messages import shortened

EQUAL, EQUAL_MASS = "equal", "equal_mass"

NO_PREDICTIONS = "there are no predictions"


def calibration(scores: ArrayLike, hits: ArrayLike, number: int = 10, bins: str = EQUAL) -> dict[str, Any]:
    """Return the reliability of scores: the share of hits in bins of the score.

    Args:
        scores: Of predictions, float[n].
        hits: Which of them are hits, bool[n].
        number: The number of bins.
        bins: "equal": bins of the same width, [i/M, (i+1)/M), the last one closed. "equal_mass":
            bins with about as many predictions each; predictions with one score are in one bin.

    Returns:
        "bins": a row per bin that has predictions: "low" and "high", "n", "score" (their mean
        score), "hits" (the share of hits), "gap" (hits - score). "ece": the mean gap, signs
        left out, weighted by n. "largest_gap": the gap of the bin in which it is largest.
        "brier": the mean squared difference of score and hit. All of these are None, and
        "reason" says why, if there are no predictions or a score is outside of 0 to 1.

    Raises:
        ValueError: There is no such kind of bins, or the number is not above 0.

    >>> found = calibration([0.95, 0.9, 0.9, 0.8, 0.6, 0.6, 0.4, 0.2], [1, 1, 0, 1, 1, 0, 0, 1])
    >>> round(found["ece"], 6), round(found["brier"], 7), found["bins"][0]["n"]
    (0.29375, 0.2728125, 1)

    Source: Guo et al. (2017); Brier (1950).
    """
    check_bins(number, bins)
    values, flags = np.asarray(scores, dtype=float), np.asarray(hits, dtype=float)
    reason = None if len(values) else NO_PREDICTIONS
    if outside := values[(values < 0) | (values > 1)].tolist():
        reason = f"the score {outside[0]:g} is not from 0 to 1"
    if reason:
        return {"kind": bins, "bins": None, "ece": None, "largest_gap": None, "brier": None, "reason": reason}
    edges = np.arange(number + 1) / number if bins == EQUAL else _edges_of_equal_mass(values, number)
    place = np.searchsorted(edges[:-1], values, side="right") - 1  # the last bin is closed
    size = np.bincount(place, minlength=len(edges) - 1)
    score, hit = (np.bincount(place, each, minlength=len(size)) / np.maximum(size, 1) for each in (values, flags))
    gap = hit - score
    rows = [
        dict(zip(("low", "high", "n", "score", "hits", "gap"), row))
        for row in zip(*(each.tolist() for each in (edges[:-1], edges[1:], size, score, hit, gap)))
        if row[2]
    ]
    return {
        "kind": bins,
        "bins": rows,
        "ece": float(np.sum(size * np.abs(gap)) / len(values)),
        "largest_gap": max((row["gap"] for row in rows), key=abs),
        "brier": float(np.mean((values - flags) ** 2)),
        "reason": None,
    }


def check_bins(number: object, bins: str) -> None:
    """Raise ValueError if the number or the kind of bins cannot be used."""
    if bins not in (EQUAL, EQUAL_MASS):
        raise ValueError(f"bins {shortened(repr(bins))}: expected {EQUAL!r} or {EQUAL_MASS!r}")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number <= 1000:
        raise ValueError(f"number of bins {number!r}: expected a whole number from 1 to 1000")


def _edges_of_equal_mass(values: NDArray[np.float64], number: int) -> NDArray[np.float64]:
    """Return the edges of bins with about as many values each; no two equal values are divided.

    >>> _edges_of_equal_mass(np.array([0.1, 0.2, 0.2, 0.2, 0.9]), 2).tolist()
    [0.1, 0.2, 0.9]
    >>> _edges_of_equal_mass(np.array([0.1, 0.9, 0.9, 0.9]), 2).tolist()
    [0.1, 0.9, 0.9]
    """
    ordered = np.sort(values)
    starts = ordered[np.arange(number) * len(ordered) // number]
    return np.append(np.unique(starts), ordered[-1])
