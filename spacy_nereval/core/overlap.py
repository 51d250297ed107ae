"""Which spans overlap: pairs, and groups connected by overlap.

One sweep over both sides finds the pairs, without trying all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Boundaries = Sequence[Any]
"""Anything that begins with (start, end)."""


def overlaps(gold: Sequence[Boundaries], pred: Sequence[Boundaries]) -> list[tuple[int, int, int]]:
    """Return all pairs that share a unit or have identical boundaries.

    Takes O(n log n + pairs) time.

    Args:
        gold, pred: Anything that begins with (start, end), in characters or tokens.

    Returns:
        (index in `gold`, index in `pred`, number of shared units), sorted.

    >>> overlaps([(0, 4), (6, 6)], [(2, 9), (6, 6)])
    [(0, 0, 2), (1, 1, 0)]
    """
    if len(gold) == len(pred) == 1:  # as in most overlap groups: no sweep is needed
        (a, b), (c, d) = gold[0][:2], pred[0][:2]
        shared = min(b, d) - max(a, c)
        return [(0, 0, shared)] if shared > 0 or (a, b) == (c, d) else []
    pairs = []
    active: tuple[list[int], list[int]] = ([], [])
    sides = (gold, pred)
    events = sorted([(span[0], span[1], side, i) for side in (0, 1) for i, span in enumerate(sides[side])])
    for start, end, side, i in events:
        other, spans = active[1 - side], sides[1 - side]
        # A span that has ended overlaps no later one; a zero-length span meets only its equal.
        other[:] = [j for j in other if spans[j][1] > start or (spans[j][0], spans[j][1]) == (start, end)]
        for j in other:
            shared = min(end, spans[j][1]) - start
            if shared > 0 or (spans[j][0], spans[j][1]) == (start, end):
                pairs.append((i, j, shared) if side == 0 else (j, i, shared))
        active[side].append(i)
    return sorted(pairs)


def group_numbers(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return the number of each span's overlap group, int64[spans].

    Groups share neither a unit nor boundaries with each other. They cannot be divided
    further, except for spans of length zero that lie within others.

    Args:
        start, end: int64[spans], sorted by (start, end).

    >>> group_numbers(np.array([0, 0, 3, 5, 5]), np.array([2, 4, 5, 5, 7]))
    array([0, 0, 0, 1, 2])
    """
    apart = (start[1:] >= np.maximum.accumulate(end)[:-1]) & ((start[1:] != start[:-1]) | (end[1:] != end[:-1]))
    return np.cumsum(np.insert(apart, 0, False)) if len(start) else start
