"""The range of a score, and how an unbounded score is mapped to 0-1 and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

Scale = Literal["ratio", "cost", "complement", "excess"]
"""`ratio`: from 0 to 1. `cost`: from 0 up without bound (SER). `complement`: one minus a
cost (the ACE value). `excess`: one plus a cost (granularity)."""

LIMITS: dict[Scale, tuple[float, float]] = {
    "ratio": (0.0, 1.0),
    "cost": (0.0, np.inf),
    "complement": (-np.inf, 1.0),
    "excess": (1.0, np.inf),
}
"""The lowest and the highest value of a score on each scale."""


class Shares(NamedTuple):
    """The mapping of scores to the 0-1 scale and back: a cost x becomes x / (1 + x).

    Attributes:
        unbounded: Whether the score is unbounded, a cost or derived from one; bool[...].
        origin: The score at a cost of 0; float[...].
        sign: How much a cost of 1 adds to the score, 1 or -1; float[...].
    """

    unbounded: NDArray[np.bool_]
    origin: Floats
    sign: Floats

    def share(self, scores: ArrayLike) -> Floats:
        """Return the scores on the 0-1 scale.

        Args:
            scores: float[..., scores].

        Returns:
            float[..., scores]; NaN where a score is not finite.

        Example:
            >>> shares(["cost", "excess"], (2,)).share([1.0, 1.0]).tolist()
            [0.5, 0.0]
        """
        given = np.asarray(scores, dtype=float)
        with np.errstate(invalid="ignore", divide="ignore"):
            cost = (given - self.origin) * self.sign
            return np.where(np.isfinite(given), np.where(self.unbounded, cost / (1 + cost), given), np.nan)

    def bounds(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Return the bounds of the scores from bounds on the 0-1 scale.

        Args:
            low: Lower bounds, 0 to 1.
            high: Upper bounds.

        Returns:
            Lower and upper bounds of the scores; they change places where a greater cost
            is a lower score.

        Example:
            >>> one = shares("complement", ())
            >>> [float(bound) for bound in one.bounds(np.array(0.0), np.array(0.5))]
            [0.0, 1.0]
        """
        first, second = self._score(low), self._score(high)
        return np.minimum(first, second), np.maximum(first, second)

    def _score(self, share: Floats) -> Floats:
        cost = np.where(share < 1, share / np.where(share < 1, 1 - share, 1), np.inf)
        return np.where(self.unbounded, self.origin + self.sign * cost, share)


def shares(scale: Scale | Sequence[Scale], shape: tuple[int, ...]) -> Shares:
    """Return the mapping of scores of these scales to the 0-1 scale.

    Args:
        scale: One scale for all scores, or one per score.
        shape: Shape of the scores; with several scales it has one axis.

    Returns:
        The transformations, arrays of that shape.

    Raises:
        ValueError: A scale is not known, or there is not one per score.

    Example:
        >>> shares("cost", (2,)).unbounded.tolist()
        [True, True]
    """
    names = [scale] if isinstance(scale, str) else list(scale)
    unknown = [name for name in names if name not in LIMITS]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not a scale of scores; expected one of {', '.join(LIMITS)}")
    if not isinstance(scale, str) and shape != (len(names),):
        raise ValueError(f"{len(names)} scales for scores of shape {list(shape)}: give one, or one per score")
    unbounded = np.array([name != "ratio" for name in names])
    origin = np.array([float(name in ("complement", "excess")) for name in names])
    sign = np.array([-1.0 if name == "complement" else 1.0 for name in names])
    wanted = shape if isinstance(scale, str) else (len(names),)
    if isinstance(scale, str):
        unbounded, origin, sign = unbounded[0], origin[0], sign[0]
    return Shares(*(np.broadcast_to(array, wanted) for array in (unbounded, origin, sign)))
