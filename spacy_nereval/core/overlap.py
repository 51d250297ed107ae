"""Which spans overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Boundaries = Sequence[Any]
"""Anything that begins with (start, end)."""


def overlaps(gold: Sequence[Boundaries], pred: Sequence[Boundaries]) -> list[tuple[int, int, int]]:
    """All pairs that share a unit or have identical boundaries, with what they share.

    Takes time proportional to the spans, times the
    log of their number, plus the pairs found.

    >>> overlaps([(0, 4), (6, 6)], [(2, 9), (6, 6)])
    [(0, 0, 2), (1, 1, 0)]
    """
    if len(gold) == len(pred) == 1:  # as in most contests: no sweep is needed
        (a, b), (c, d) = gold[0][:2], pred[0][:2]
        shared = min(b, d) - max(a, c)
        return [(0, 0, shared)] if shared > 0 or (a, b) == (c, d) else []
    pairs = []
    active: tuple[list[int], list[int]] = ([], [])
    sides = (gold, pred)
    events = sorted([(span[0], span[1], side, i) for side in (0, 1) for i, span in enumerate(sides[side])])
    for start, end, side, i in events:
        other, spans = active[1 - side], sides[1 - side]
        # Whoever ended can meet no later span; a zero-length span meets only its equal.
        other[:] = [j for j in other if spans[j][1] > start or (spans[j][0], spans[j][1]) == (start, end)]
        for j in other:
            shared = min(end, spans[j][1]) - start
            if shared > 0 or (spans[j][0], spans[j][1]) == (start, end):
                pairs.append((i, j, shared) if side == 0 else (j, i, shared))
        active[side].append(i)
    return sorted(pairs)


def groups(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The number of each span's group; the spans come in the order of (start, end).

    Groups share no unit with each other, nor boundaries, and cannot be divided
    further but for spans of length zero that lie within others.

    >>> groups(np.array([0, 0, 3, 5, 5]), np.array([2, 4, 5, 5, 7]))
    array([0, 0, 0, 1, 2])
    """
    apart = (start[1:] >= np.maximum.accumulate(end)[:-1]) & ((start[1:] != start[:-1]) | (end[1:] != end[:-1]))
    return np.cumsum(np.insert(apart, 0, False)) if len(start) else start
