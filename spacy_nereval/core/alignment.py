"""The best way to pair spans one to one.

A pairing is an optimum over whole numbers, so it does not depend on the order of
the input or on rounding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from .assignment import best_pairs

S = TypeVar("S", bound=Sequence[Any])
"""A span: (start, end, label)."""


def align(
    gold: Sequence[S], pred: Sequence[S], overlaps: Sequence[tuple[int, int, int]]
) -> list[tuple[S | None, S | None]]:
    """Return the one-to-one alignment of MUC and SemEval, with leftovers paired with None.

    Among all pairings of overlapping spans it is the one with the most identical
    boundaries, then the most pairs, then the most equal labels, then the most shared
    characters, then the leftmost. (Hits never get here; every optimum pairs them.)

    Args:
        gold, pred: Spans, sorted.
        overlaps: The pairs that may be made, as `core.overlap.overlaps` returns them.

    Returns:
        Pairs (gold, pred), then each unpaired prediction as (None, pred); (gold, None) for an unpaired gold span.

    >>> from spacy_nereval.core.overlap import overlaps
    >>> gold, pred = [(0, 9, "A")], [(0, 5, "B"), (6, 9, "A")]
    >>> align(gold, pred, overlaps(gold, pred))
    [((0, 9, 'A'), (6, 9, 'A')), (None, (0, 5, 'B'))]
    """
    if len(gold) == len(pred) == len(overlaps) == 1:
        return [(gold[0], pred[0])]
    edges: dict[int, dict[int, int]] = {}
    most = 1 + min(len(gold), len(pred))
    radix = 1 + sum(shared for _, _, shared in overlaps)
    for i, j, shared in overlaps:
        same_boundaries = gold[i][:2] == pred[j][:2]
        same_label = gold[i][2] == pred[j][2]
        # One whole number whose digits, in a mixed radix, are the criteria in order of weight.
        edges.setdefault(i, {})[j] = ((same_boundaries * most + 1) * most + same_label) * radix + shared
    return paired(gold, pred, best_pairs(edges))


def paired(gold: Sequence[S], pred: Sequence[S], pairs: Mapping[int, int]) -> list[tuple[S | None, S | None]]:
    """Return the `pairs` of indices as pairs of the `gold` and `pred` spans, with leftovers paired with None."""
    taken = set(pairs.values())
    result: list[tuple[S | None, S | None]] = [
        (span, pred[pairs[i]] if i in pairs else None) for i, span in enumerate(gold)
    ]
    return result + [(None, span) for j, span in enumerate(pred) if j not in taken]


def closest_pairs(
    gold: Sequence[S], pred: Sequence[S], worth: Mapping[tuple[int, int], int]
) -> list[tuple[S | None, S | None]]:
    """Return the one-to-one pairing with the greatest total worth, with leftovers paired with None.

    If several pairings tie, it is the one with the most pairs, then the fewest characters
    that only one of a pair has, then the leftmost.

    Args:
        gold, pred: Spans, sorted.
        worth: What pairing `gold[i]` with `pred[j]` is worth, a whole number from 0 up.
            Pairs that are not in it are not made.

    Returns:
        (gold, pred) or (gold, None) for each gold span in order, then (None, pred) for each unpaired prediction.

    >>> closest_pairs([(0, 9, "A"), (2, 9, "A")], [(2, 8, "A")], {(0, 0): 1, (1, 0): 1})
    [((0, 9, 'A'), None), ((2, 9, 'A'), (2, 8, 'A'))]
    """
    apart = {(i, j): abs(gold[i][0] - pred[j][0]) + abs(gold[i][1] - pred[j][1]) for i, j in worth}
    most = 1 + min(len(gold), len(pred))
    worst = 1 + max(apart.values(), default=0)
    edges: dict[int, dict[int, int]] = {}
    for (i, j), value in worth.items():
        # The digits are the criteria, as in `align`.
        edges.setdefault(i, {})[j] = (value * most + 1) * most * worst + worst - apart[i, j]
    return paired(gold, pred, best_pairs(edges))
