"""The limits of a score, and how a score that lacks one of them is mapped to 0-1 and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

Limits = tuple[float, float]
"""The lowest and the highest value of a score, such as (0, 1), (0, inf) for SER or (-inf, 1) for the ACE value."""


class Shares(NamedTuple):
    """The mapping of scores to the 0-1 scale and back.

    A score with both limits is shifted and stretched. Of a score with one limit, the distance x
    from this limit becomes x / (1 + x). A score without limits has no share.

    Attributes:
        low, high: The limits of each score, float[...].
    """

    low: Floats
    high: Floats

    def share(self, scores: ArrayLike) -> Floats:
        """Return the scores on the 0-1 scale.

        Args:
            scores: float[..., scores].

        Returns:
            float[..., scores]; NaN where a score is not finite, or has no limits.

        Example:
            >>> shares([(0, np.inf), (1, np.inf)], (2,)).share([1.0, 1.0]).tolist()
            [0.5, 0.0]
        """
        given = np.asarray(scores, dtype=float)
        with np.errstate(invalid="ignore", divide="ignore"):
            away = np.where(np.isfinite(self.low), given - self.low, self.high - given)
            share = np.where(np.isfinite(self.high - self.low), away / (self.high - self.low), away / (1 + away))
            return np.where(np.isfinite(given), share, np.nan)

    def bounds(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Return the bounds of the scores from bounds on the 0-1 scale.

        Args:
            low: Lower bounds, 0 to 1.
            high: Upper bounds.

        Returns:
            Lower and upper bounds of the scores; they change places where the score has an upper limit alone.

        Example:
            >>> one = shares((-np.inf, 1), ())
            >>> [float(bound) for bound in one.bounds(np.array(0.0), np.array(0.5))]
            [0.0, 1.0]
        """
        first, second = self._score(low), self._score(high)
        return np.minimum(first, second), np.maximum(first, second)

    def _score(self, share: Floats) -> Floats:
        away = np.where(share < 1, share / np.where(share < 1, 1 - share, 1), np.inf)
        with np.errstate(invalid="ignore"):
            away = np.where(np.isfinite(self.high - self.low), share * (self.high - self.low), away)
            return np.where(np.isfinite(self.low), self.low + away, self.high - away)


def shares(limits: Limits | Sequence[Limits], shape: tuple[int, ...]) -> Shares:
    """Return the mapping of scores with these limits to the 0-1 scale.

    Args:
        limits: The limits of all scores, or of each.
        shape: Shape of the scores; with limits of each it has one axis.

    Raises:
        ValueError: There are limits of several scores, but not of each.

    Example:
        >>> shares((0, np.inf), (2,)).high.tolist()
        [inf, inf]
    """
    given = np.asarray(limits, dtype=float)
    if given.shape not in ((2,), (*shape, 2)):
        raise ValueError(
            f"limits of shape {list(given.shape)} for scores of shape {list(shape)}: give 2 for all or each"
        )
    low, high = np.moveaxis(np.broadcast_to(given, (*shape, 2)), -1, 0)
    return Shares(low, high)
