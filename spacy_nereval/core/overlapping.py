"""Overlap of spans: pairs, groups connected by overlap, and the characters that spans cover.

One sweep over both sides finds the pairs, without trying all of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

import numpy as np

from .pieces import B, Boundaries, any_gaps, hull, join_pieces, pieces_of, size, sorted_spans


def number_of_overlaps(gold: Sequence[Boundaries], pred: Sequence[Boundaries]) -> int:
    """Return the number of pairs that share a unit, without finding them. Empty spans are not counted.

    Pairs with one span in a gap of the other are counted too.

    >>> number_of_overlaps([(0, 4), (6, 6)], [(2, 9), (3, 4), (4, 5)])
    2
    """
    (first, last), (start, end) = (
        np.array([hull(span) for span in side if span[0] < span[1]]).reshape(-1, 2).T for side in (gold, pred)
    )
    begun, ended = np.searchsorted(np.sort(start), last), np.searchsorted(np.sort(end), first, side="right")
    return int((begun - ended).sum())


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
    if any_gaps(gold, pred):
        return _overlaps_of_pieces(gold, pred)
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


def _overlaps_of_pieces(gold: Sequence[Boundaries], pred: Sequence[Boundaries]) -> list[tuple[int, int, int]]:
    """Return what `overlaps` does where spans have gaps."""
    sides = [[(*piece, k) for k, span in enumerate(side) for piece in pieces_of(span)] for side in (gold, pred)]
    numbers: Counter[tuple[int, int]] = Counter()
    for i, j, n in overlaps(*sides):
        numbers[sides[0][i][2], sides[1][j][2]] += n
    return sorted((i, j, n) for (i, j), n in numbers.items())


def group_numbers(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return the number of each span's overlap group, int64[spans].

    Groups share neither a unit nor boundaries with each other. They cannot be divided
    further, except for spans of length zero within others.

    Args:
        start, end: int64[spans], sorted by (start, end).

    >>> group_numbers(np.array([0, 0, 3, 5, 5]), np.array([2, 4, 5, 5, 7]))
    array([0, 0, 0, 1, 2])
    """
    begins = (start[1:] >= np.maximum.accumulate(end)[:-1]) & ((start[1:] != start[:-1]) | (end[1:] != end[:-1]))
    numbers = np.zeros(len(start), dtype=np.int64)
    np.cumsum(begins, out=numbers[1:])
    return numbers


def chains(spans: Iterable[B]) -> Iterator[list[B]]:
    """Yield the groups of `group_numbers`, without arrays: in a quarter of the time for the few spans of a document.

    Args:
        spans: Anything that begins with (start, end), sorted.

    >>> [*chains([(0, 2), (0, 4), (3, 5), (5, 5), (5, 7)])]
    [[(0, 2), (0, 4), (3, 5)], [(5, 5)], [(5, 7)]]
    """
    chain: list[B] = []
    reach, last = -1, (-1, -1)
    for span in spans:
        start, end = span[0], span[1]
        if start >= reach and (start, end) != last and chain:
            yield chain
            chain = []
        chain.append(span)
        reach, last = max(reach, end), (start, end)
    if chain:
        yield chain


def stretches(spans: Sequence[Boundaries]) -> list[tuple[int, int, int]]:
    """Return the stretches of text that the spans cover, without overlaps.

    Args:
        spans: Anything that begins with (start, end), in ascending order, or tokens of spans in that order.

    Returns:
        (start, end, index of its span), ascending. A character under several spans goes to
        the first, so that every span has one stretch or none; a stretch has gaps if its span has.

    >>> stretches([(0, 9), (2, 5), (7, 12), (15, 15)])
    [(0, 9, 0), (9, 12, 2)]
    """
    if any_gaps(spans):
        return _stretches_of_pieces(spans)
    result = []
    reach = before = 0
    for k, (start, end, *_) in enumerate(spans):
        if start < before:  # tokens of spans the first of whose pieces touches no token
            return _stretches_of_pieces(spans)
        before = start
        if max(start, reach) < end:
            result.append((max(start, reach), end, k))
            reach = end
    return result


def _stretches_of_pieces(spans: Sequence[Boundaries]) -> list[tuple[int, int, int]]:
    """Return what `stretches` does where spans have gaps."""
    result = []
    taken: list[tuple[int, int]] = []
    for k, span in enumerate(spans):
        if pieces := subtract(pieces_of(span), taken):
            result.append((*join_pieces(pieces), k))
            taken += pieces
    return sorted_spans(result)


def subtract(ranges: Iterable[tuple[int, int]], used: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the parts of ranges that are outside the used ranges, without empty ones.

    >>> subtract([(0, 9)], [(2, 3), (5, 20)])
    [(0, 2), (3, 5)]
    """
    left = [(a, b) for a, b in ranges if a < b]
    for first, last in used:
        parts = [part for a, b in left for part in ((a, min(b, first)), (max(a, last), b))]
        left = [(a, b) for a, b in parts if a < b]
    return left


def covered(spans: Sequence[Boundaries], others: Sequence[Boundaries]) -> list[int]:
    """Return how many characters of each span the others cover together.

    Args:
        spans, others: Anything that begins with (start, end); `others` in ascending order.

    Returns:
        A number for each of `spans`.

    >>> covered([(0, 10), (10, 20)], [(2, 4), (3, 5), (8, 11)])
    [5, 1]
    """
    parts = sorted((start, end, k) for *span, k in stretches(others) for start, end in pieces_of(span))
    starts = [start for start, _, _ in parts]
    lengths = [0, *accumulate(end - start for start, end, _ in parts)]

    def length_before(place: int) -> int:
        k = bisect_right(starts, place)
        return lengths[k] - (max(0, parts[k - 1][1] - place) if k else 0)

    return [sum(length_before(end) - length_before(start) for start, end in pieces_of(span)) for span in spans]


def shares(spans: Sequence[Boundaries], others: Sequence[Boundaries], together: bool) -> list[float]:
    """Return the share of each span that the others cover.

    A span of length zero is covered by one with the same boundaries.

    Args:
        spans, others: Anything that begins with (start, end), sorted.
        together: Whether all others count together, or only the one that covers most.

    Returns:
        A share of characters, from 0 to 1, for each of `spans`.

    >>> shares([(0, 10), (12, 12)], [(0, 5), (6, 9)], together=True)
    [0.8, 0.0]
    """
    if together:
        lengths = covered(spans, others)
    else:
        lengths = [0] * len(spans)
        for i, _, shared in overlaps(spans, others):
            lengths[i] = max(lengths[i], shared)
    places = {(start, end) for start, end, *_ in others}
    return [n / size(span) if span[0] < span[1] else float(span[:2] in places) for span, n in zip(spans, lengths)]
