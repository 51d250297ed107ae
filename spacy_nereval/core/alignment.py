"""One-to-one pairing of spans with the greatest total weight.

A pairing is an optimum over whole numbers, so it does not depend on the order of
the input or on rounding. Library solvers do not give this. scipy's works in floating point and
returns any optimum, not the leftmost. networkx is exact on whole numbers but returns any
optimum too, and takes 460 times as long on 400 spans.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .overlapping import overlaps as all_overlaps
from .pieces import any_gaps, pieces_of, shared_characters, size


def best_pairs(edges: Mapping[int, Mapping[int, int]]) -> dict[int, int]:
    """Return the pairing, left to right, with the greatest total weight; ties go to the leftmost.

    Args:
        edges: `edges[i][j]` is the weight of pairing i with j, a positive whole number.

    Returns:
        Each paired left node and its partner. Leftmost means the smallest sorted list of pairs.

    >>> best_pairs({0: {0: 5, 1: 5}, 1: {0: 5}})
    {0: 1, 1: 0}
    >>> best_pairs({0: {0: 3, 1: 3}})
    {0: 0}
    """
    steps = [(i, j) for i in sorted(edges) for j in sorted(edges[i])]
    if all(a[1] <= b[1] for a, b in zip(steps, steps[1:])):
        return _best_of_chain(steps, edges)
    return _leftmost_pairs(*_solve(edges))


def _best_of_chain(steps: Sequence[tuple[int, int]], edges: Mapping[int, Mapping[int, int]]) -> dict[int, int]:
    """Return the best pairing where edges sorted by their left node are also sorted by their right node.

    This is the case when the spans of one side do not overlap each other. Dynamic programming
    from the last edge to the first then finds the optimum in linear time.
    """
    n = len(steps)
    total = [0] * (n + 1)  # the greatest weight of pairs among the edges from k on
    follower = [n] * n  # the next edge that shares neither end with this one
    new_i = new_j = n
    for k in reversed(range(n)):
        i, j = steps[k]
        if k + 1 < n:
            new_i = new_i if steps[k + 1][0] == i else k + 1
            new_j = new_j if steps[k + 1][1] == j else k + 1
        follower[k] = max(new_i, new_j)
        total[k] = max(total[k + 1], edges[i][j] + total[follower[k]])
    pairs, k = {}, 0
    while k < n:
        i, j = steps[k]
        if edges[i][j] + total[follower[k]] == total[k]:  # taken also when tied: this edge is the leftmost
            pairs[i] = j
            k = follower[k]
        else:
            k += 1
    return pairs


Prices = Mapping[int, float]
Options = Mapping[int, Sequence[int]]


# One algorithm, in one piece so that it can be compared with a textbook.
def _solve(  # noqa: C901
    edges: Mapping[int, Mapping[int, int]],
) -> tuple[dict[int, int], Options, Prices, Prices]:
    """Return a heaviest pairing, with the options and dual prices that describe all heaviest pairings.

    A pairing is heaviest exactly if each left node is paired with one of its options or is
    unmatched at price 0, and each unmatched right node has price 0.

    This is the Hungarian method on sparse edges: one cheapest augmenting path per left
    node, which may also stay unmatched at weight 0. `u` and `v` are the dual prices;
    options are the edges with weight u[i] + v[j].
    """
    u = {i: max(options.values()) for i, options in edges.items()}
    v = {j: 0 for options in edges.values() for j in options}
    partner: dict[int, int] = {}  # left to right
    owner: dict[int, int] = {}  # right to left
    # Nodes with few options first: a span over a whole document is then placed last.
    for root in sorted(edges, key=lambda i: len(edges[i])):
        reached: dict[int, int] = {}  # right node: cost of the cheapest path to it so far
        came_from: dict[int, int] = {}
        done_left, done_right = {root: 0}, {}
        heap: list[tuple[int, bool, int]] = []  # cost, whether matched, right node: unmatched first among equals
        i, cost = root, 0
        best, alone, free = u[root], root, None  # the cheapest end: leave `alone` unmatched, or match `free`
        while True:
            if cost + u[i] < best:
                best, alone = cost + u[i], i
            for j, weight in edges[i].items():
                to_j = cost + u[i] + v[j] - weight
                if to_j < best and (j not in reached or to_j < reached[j]):
                    reached[j], came_from[j] = to_j, i
                    heappush(heap, (to_j, j in owner, j))
            while heap and heap[0][2] in done_right:
                heappop(heap)
            if not heap or heap[0][0] >= best:
                break
            cost, _, j = heappop(heap)
            done_right[j] = cost
            if j not in owner:
                best, free = cost, j
                break
            i = owner[j]
            done_left[i] = cost
        for i, cost in done_left.items():
            u[i] -= best - cost
        for j, cost in done_right.items():
            v[j] += best - cost
        if free is None and alone == root:
            continue
        j = partner.pop(alone) if free is None else free
        while True:  # pass each partner on, from the end of the path back to the root
            i = came_from[j]
            displaced = partner.get(i)
            partner[i], owner[j] = j, i
            if displaced is None:
                break
            j = displaced
    options = {i: sorted(j for j, weight in row.items() if u[i] + v[j] == weight) for i, row in edges.items()}
    return partner, options, u, v


UNMATCHED = -1
"""Sentinel for "no partner", with unlimited capacity."""


# One search: its steps share their state.
def _leftmost_pairs(  # noqa: C901
    pairs: dict[int, int], options: Options, u: Prices, v: Prices
) -> dict[int, int]:
    """Return the smallest sorted list of pairs among the heaviest pairings.

    From left to right, every node gets the smallest partner that still allows a heaviest
    pairing: the node that had this partner moves to another of its options, whose owner
    moves in turn, until one moves to the place that the first node has left.
    """
    owner = {j: i for i, j in pairs.items()}

    def moves(place: int, i: int, goal: int) -> Iterator[tuple[int, int]]:
        """Yield the places to which the node at `place` may move, and that node."""
        if place == UNMATCHED:
            if v.get(goal) == 0:
                yield goal, UNMATCHED
            else:
                yield from ((j, UNMATCHED) for j, price in v.items() if price == 0)
                yield from ((j, k) for k in options if k > i and k not in pairs for j in options[k])
        elif place not in owner:
            yield UNMATCHED, UNMATCHED
        elif (k := owner[place]) > i:
            yield from ((j, k) for j in options[k])
            if u[k] == 0:
                yield UNMATCHED, k

    for i in sorted(options):
        goal = pairs.get(i, UNMATCHED)
        origins: dict[int, tuple[int, int]] = {}  # place reached: from where, by which node
        for first in options[i]:
            if first == goal:
                break
            reached = [] if first in origins else [first]
            origins.setdefault(first, (UNMATCHED, i))
            while reached and goal not in origins:
                place = reached.pop()
                for target, node in moves(place, i, goal):
                    if target not in origins:
                        origins[target] = place, node
                        reached.append(target)
            if goal in origins:
                place = goal
                while place != first:
                    source, node = origins[place]
                    if node == UNMATCHED:
                        owner.pop(place, None)
                    elif place == UNMATCHED:
                        del pairs[node]
                    else:
                        pairs[node], owner[place] = place, node
                    place = source
                pairs[i], owner[first] = first, i
                break
    return dict(sorted(pairs.items()))


LARGEST_EXACT = 2**53
"""A float does not hold all whole numbers above this one."""

GOLDEN = 0.6180339887498949
"""Multiples of it, modulo 1, are spread evenly."""

S = TypeVar("S", bound=Sequence[Any])
"""A span: (start, end, label)."""


def align(
    gold: Sequence[S], pred: Sequence[S], overlaps: Sequence[tuple[int, int, int]]
) -> list[tuple[S | None, S | None]]:
    """Return the one-to-one alignment of MUC and SemEval, with leftovers paired with None.

    Among all pairings of overlapping spans it is the one with the most identical
    boundaries, then the most pairs, then the most equal labels, then the most shared
    characters, then the leftmost. (Hits are not passed in; every optimum pairs them.)

    Args:
        gold, pred: Spans, sorted.
        overlaps: The candidate pairs, from `core.overlapping.overlaps`.

    Returns:
        Pairs (gold, pred), then each unpaired prediction as (None, pred); (gold, None) for an unpaired gold span.

    >>> from spacy_nereval.core.overlapping import overlaps
    >>> gold, pred = [(0, 9, "A")], [(0, 5, "B"), (6, 9, "A")]
    >>> align(gold, pred, overlaps(gold, pred))
    [((0, 9, 'A'), (6, 9, 'A')), (None, (0, 5, 'B'))]
    """
    if len(gold) == len(pred) == len(overlaps) == 1:
        return [(gold[0], pred[0])]
    edges: dict[int, dict[int, int]] = {}
    most = 1 + min(len(gold), len(pred))
    radix = 1 + sum(characters for _, _, characters in overlaps)
    for i, j, characters in overlaps:
        same_boundaries = gold[i][:2] == pred[j][:2]
        same_label = gold[i][2] == pred[j][2]
        # One whole number: its digits, in a mixed radix, are the criteria in order of weight.
        edges.setdefault(i, {})[j] = ((same_boundaries * most + 1) * most + same_label) * radix + characters
    return pair_spans(gold, pred, best_pairs(edges))


def align_crowd(gold: Sequence[S], pred: Sequence[S], leftmost: bool) -> list[tuple[S | None, S | None]]:
    """Return the alignment of `align` by a matrix of all pairs: in less time where most of many spans overlap.

    Args:
        gold, pred: Spans, sorted.
        leftmost: Whether ties go to the leftmost pairs, which takes twice the memory. Otherwise the numbers of
            identical boundaries, of pairs and of equal labels are those of `align`, and so are the shared characters
            but for a rounding; which of several equally good alignments it is stays open.

    >>> align_crowd([(0, 9, "A")], [(0, 5, "B"), (6, 9, "A")], leftmost=True)
    [((0, 9, 'A'), (6, 9, 'A')), (None, (0, 5, 'B'))]
    """
    from scipy.optimize import linear_sum_assignment

    few, many = sorted((gold, pred), key=len)
    most, radix = 1 + len(few), 1 + min(sum(map(size, side)) for side in (gold, pred))
    if leftmost and 8 * most * most * radix >= LARGEST_EXACT:
        return align(gold, pred, all_overlaps(gold, pred))
    # Rows in an order far from that of the text, which leads the solver to the longest paths.
    order = np.argsort(np.arange(len(few)) * GOLDEN % 1, kind="stable").tolist()
    square = len(few) > 0.85 * len(many)
    worth = np.zeros((len(many if square else few), len(many)))
    _fill_worth(worth, [few[k] for k in order], many, most, radix)
    # In a square matrix every row and column is in a pair, of worth or not, so the sizes can be taken off: what is left
    # is how far the boundaries of a pair are apart. Otherwise all rows compete for the longest spans.
    u, v = (np.zeros(length) for length in worth.shape)
    if square:
        u[: len(few)], v[:] = [size(few[k]) for k in order], [*map(size, many)]
    cost = u[:, None] + v
    cost -= worth
    columns = linear_sum_assignment(cost)[1]
    turn = -1 if few is pred else 1
    pairs = dict((i, j)[::turn] for k, (i, j) in enumerate(zip(order, columns.tolist())) if worth[k, j])
    if leftmost and few:
        del cost
        u, v = _prices(worth, columns, v)
        tight = (u[:, None] + v == worth) & (worth > 0)
        options: dict[int, list[int]] = {}
        for i, j in sorted((order[k], j)[::turn] for k, j in zip(*(axis.tolist() for axis in tight.nonzero()))):
            options.setdefault(i, []).append(j)
        prices = [dict(zip(order, u.tolist())), dict(enumerate(v.tolist()))]
        pairs = _leftmost_pairs(pairs, options, *prices[::turn])
    return pair_spans(gold, pred, pairs)


def _fill_worth(worth: NDArray[np.float64], few: Sequence[S], many: Sequence[S], most: int, radix: int) -> None:
    """Fill a matrix with twice the weights of `align`, so that halves of sizes are whole numbers."""
    number = {part: k for k, part in enumerate(dict.fromkeys(p for s in (*few, *many) for p in (s[:2], s[2])))}
    pieces = np.array([(*piece, k) for k, span in enumerate(many) for piece in pieces_of(span)], np.int64)
    start, end, place = pieces.reshape(-1, 3).T
    boundaries, labels = (np.array([number[span[part]] for span in many], np.int64) for part in (slice(2), 2))
    for row, span in zip(worth, few):
        overlap = sum(np.maximum(np.minimum(end, b) - np.maximum(start, a), 0) for a, b in pieces_of(span))
        characters = np.bincount(place, overlap, len(many)).astype(np.int64)
        same_boundaries = boundaries == number[span[:2]]
        value = ((same_boundaries * most + 1) * most + (labels == number[span[2]])) * radix + characters
        row[:] = 2 * value * ((characters > 0) | same_boundaries)


def _prices(
    worth: NDArray[np.float64], columns: NDArray[np.int64], start: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the dual prices of rows and columns (see `_solve`) that a heaviest pairing has.

    Args:
        worth: float64[rows, columns] of whole numbers; 0 is no pair.
        columns: That of each row in the pairing, also where the pair has no worth.
        start: float64[columns], a guess at the prices of columns; 0 unless the matrix is square.
    """
    # A column costs what its row would gain in another one, at the price of that one. No round of moves gains
    # anything in a heaviest pairing, so the prices come to rest.
    rows, v = np.arange(len(worth)), start
    gains = worth - worth[rows, columns][:, None]
    while (v < (raised := (gains + v[columns][:, None]).max(axis=0))).any():
        v = np.maximum(v, raised)
    v = v - v.min()
    return worth[rows, columns] - v[columns], v


def pair_spans(gold: Sequence[S], pred: Sequence[S], pairs: Mapping[int, int]) -> list[tuple[S | None, S | None]]:
    """Return the `pairs` of indices as pairs of the `gold` and `pred` spans, with leftovers paired with None."""
    taken = set(pairs.values())
    result: list[tuple[S | None, S | None]] = [
        (span, pred[pairs[i]] if i in pairs else None) for i, span in enumerate(gold)
    ]
    return result + [(None, span) for j, span in enumerate(pred) if j not in taken]


def _distance(one: S, other: S) -> int:
    """Return how far two spans are apart: how far their boundaries are, or, where there are gaps, the number of
    characters that only one of them has. Both are the same for spans without gaps that overlap."""
    if any_gaps([one, other]):
        return size(one) + size(other) - 2 * shared_characters(one, other)
    return abs(int(one[0] - other[0])) + abs(int(one[1] - other[1]))


def closest_pairs(
    gold: Sequence[S], pred: Sequence[S], worth: Mapping[tuple[int, int], int]
) -> list[tuple[S | None, S | None]]:
    """Return the one-to-one pairing with the greatest total worth, with leftovers paired with None.

    If several pairings tie, it is the one with the most pairs, then the fewest characters
    that only one of a pair has, then the leftmost.

    Args:
        gold, pred: Spans, sorted.
        worth: The worth of pairing `gold[i]` with `pred[j]`, a whole number from 0 up.
            Other pairs are not allowed.

    Returns:
        (gold, pred) or (gold, None) for each gold span in order, then (None, pred) for each unpaired prediction.

    >>> closest_pairs([(0, 9, "A"), (2, 9, "A")], [(2, 8, "A")], {(0, 0): 1, (1, 0): 1})
    [((0, 9, 'A'), None), ((2, 9, 'A'), (2, 8, 'A'))]
    """
    distance = {(i, j): _distance(gold[i], pred[j]) for i, j in worth}
    most = 1 + min(len(gold), len(pred))
    radix = 1 + max(distance.values(), default=0)
    edges: dict[int, dict[int, int]] = {}
    for (i, j), value in worth.items():
        # The digits are the criteria, as in `align`.
        edges.setdefault(i, {})[j] = (value * most + 1) * most * radix + radix - distance[i, j]
    return pair_spans(gold, pred, best_pairs(edges))
