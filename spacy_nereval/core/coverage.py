"""Which characters spans cover together, whatever their label or label by label."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from .overlap import Boundaries, overlaps
from .spans import OverlapGroup, Span


def by_label(document: OverlapGroup, typed: bool = True) -> Iterator[OverlapGroup]:
    """Yield a group of the spans of each label, or one of all spans if not `typed`.

    Args:
        document: The spans.
        typed: Whether labels are told apart.

    Yields:
        Groups, by label in ascending order; their sides stay sorted.

    >>> doc = OverlapGroup([Span(0, 5, "B"), Span(7, 9, "A")], [Span(0, 5, "A")])
    >>> [(len(group.gold), len(group.pred)) for group in by_label(doc)]
    [(1, 1), (1, 0)]
    """
    if not typed:
        yield document
        return
    sides: dict[str, tuple[list[Span], list[Span]]] = {}
    for side, spans in enumerate((document.gold, document.pred)):
        for span in spans:
            sides.setdefault(span.label, ([], []))[side].append(span)
    yield from (OverlapGroup(*sides[label]) for label in sorted(sides))


def stretches(spans: Sequence[Boundaries]) -> list[tuple[int, int, int]]:
    """Return what the spans cover, each character once.

    Args:
        spans: Anything that begins with (start, end), in ascending order.

    Returns:
        (start, end, index of its span), ascending. A character under several spans goes to
        the first, so that every span has one stretch or none.

    >>> stretches([(0, 9), (2, 5), (7, 12), (15, 15)])
    [(0, 9, 0), (9, 12, 2)]
    """
    found = []
    reach = 0
    for k, (start, end, *_) in enumerate(spans):
        if max(start, reach) < end:
            found.append((max(start, reach), end, k))
            reach = end
    return found


def covered(spans: Sequence[Boundaries], others: Sequence[Boundaries]) -> list[int]:
    """Return how much of each span the others cover together.

    Args:
        spans, others: Anything that begins with (start, end); `others` in ascending order.

    Returns:
        A number of characters for each of `spans`.

    >>> covered([(0, 10), (10, 20)], [(2, 4), (3, 5), (8, 11)])
    [5, 1]
    """
    parts = stretches(others)
    starts = [start for start, _, _ in parts]
    before = [0, *accumulate(end - start for start, end, _ in parts)]

    def below(place: int) -> int:
        k = bisect_right(starts, place)
        return before[k] - (max(0, parts[k - 1][1] - place) if k else 0)

    return [below(span[1]) - below(span[0]) for span in spans]


def shares(spans: Sequence[Span], others: Sequence[Span], together: bool) -> list[float]:
    """Return the share of each span that the others cover.

    A span of length zero is covered by one with the same boundaries.

    Args:
        spans, others: Spans, sorted.
        together: Whether all others count together, or only the one that covers most.

    Returns:
        A share of characters, from 0 to 1, for each of `spans`.

    >>> shares([Span(0, 10, "A"), Span(12, 12, "A")], [Span(0, 5, "B"), Span(6, 9, "B")], together=True)
    [0.8, 0.0]
    """
    if together:
        lengths = covered(spans, others)
    else:
        lengths = [0] * len(spans)
        for i, _, shared in overlaps(spans, others):
            lengths[i] = max(lengths[i], shared)
    places = {other[:2] for other in others}
    return [
        n / (span.end - span.start) if span.start < span.end else float(span[:2] in places)
        for span, n in zip(spans, lengths)
    ]
