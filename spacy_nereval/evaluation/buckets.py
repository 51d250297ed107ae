"""Group the values of an attribute into buckets."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence

Value = float | str
"""The value of an attribute: a number, or the name of a bucket."""

Buckets = Callable[[float], str] | int | tuple[float, ...]
"""How numbers are grouped: by a function from value to bucket, into a number of buckets, or at edges."""


def bucketed(gold: Mapping[Value, int], buckets: Buckets, zero: bool = False) -> dict[Value, str]:
    """Return the bucket of each value.

    A number of buckets shares out the gold spans as equally as possible. Equal
    values are never split. Such a bucket is named after its smallest and largest
    value. A bucket between two edges includes the lower edge and not the upper one.

    Args:
        gold: How many gold spans have each value.
        buckets: How numbers are grouped; strings are buckets already.
        zero: Whether 0 is a bucket of its own.

    Returns:
        Every value with its bucket: numbers in ascending order, then strings.

    Example:
        >>> bucketed({1: 5, 2: 5, 3: 4, 9: 1}, 2)
        {1: '1', 2: '2-9', 3: '2-9', 9: '2-9'}
        >>> bucketed({1: 5, 2: 5, 9: 1}, (2, 5))
        {1: 'below 2', 2: '2 to below 5', 9: '5 and more'}
    """
    bucket_of: dict[Value, str] = {}
    numbers = dict(sorted((value, n) for value, n in gold.items() if not isinstance(value, str)))
    if zero and 0 in numbers:
        bucket_of[0.0] = "0"
        del numbers[0]
    if callable(buckets):
        bucket_of |= {value: buckets(value) for value in numbers}
    elif isinstance(buckets, tuple):
        bucket_of |= {value: _between(value, buckets) for value in numbers}
    else:
        bucket_of |= _equal_buckets(numbers, buckets)
    return bucket_of | {value: value for value in sorted((v for v in gold if isinstance(v, str)), key=str.swapcase)}


def _equal_buckets(numbers: Mapping[float, int], most: int) -> dict[Value, str]:
    """Group ascending values into at most `most` buckets with about equally many gold spans."""
    members: dict[int, list[float]] = {}
    below, total = 0, max(1, sum(numbers.values()))
    for value, n in numbers.items():
        middle = below + n / 2  # the middle one of the value's gold spans decides
        members.setdefault(min(int(middle * most / total), most - 1), []).append(value)
        below += n
    found: dict[Value, str] = {}
    for values in members.values():
        ends = (values[0], values[-1])
        name = "-".join(dict.fromkeys(map(_short, ends)))
        if name in found.values():  # the ends differ only in digits that are not shown
            name = "-".join(map(repr, ends))
        found |= dict.fromkeys(values, name)
    return found


def _short(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.3g}"


def _between(value: float, edges: Sequence[float]) -> str:
    at = bisect_right(edges, value)
    lower, upper = (_short(edges[k]) if 0 <= k < len(edges) else "" for k in (at - 1, at))
    if not lower:
        return f"below {upper}"
    return f"{lower} to below {upper}" if upper else f"{lower} and more"
