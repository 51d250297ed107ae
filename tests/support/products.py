"""Which cases of a product are tried after every change: so many that every two values meet. All are tried at night."""

from collections.abc import Collection, Hashable, Sequence
from itertools import combinations, product
from typing import Any

import pytest

NIGHT = (pytest.mark.slow, pytest.mark.nightly)
"""The marks of a test that runs at night."""


def pairs_of(case: Sequence[Hashable]) -> set[Any]:
    """Every two values of a case, with their places."""
    return {*combinations(enumerate(case), 2)} if len(case) > 1 else {*enumerate(case)}


def pairwise(*columns: Collection[Hashable]) -> list[Any]:
    """Return every combination of values, one of each column; those that no pair of values needs are for the night.

    >>> [case.values for case in pairwise("ab", "cd", "ef") if not case.marks]
    [('a', 'c', 'e'), ('a', 'd', 'f'), ('b', 'c', 'f'), ('b', 'd', 'e')]
    """
    cases = [*product(*columns)]
    missing = set().union(*map(pairs_of, cases))
    chosen = set()
    while missing:
        best = max(cases, key=lambda case: len(pairs_of(case) & missing))
        chosen.add(best)
        missing -= pairs_of(best)
    return [pytest.param(*case, marks=() if case in chosen else NIGHT) for case in cases]


def mostly_at_night(cases: Collection[Any], by_day: Collection[Any]) -> list[Any]:
    """Return the cases, of which all but some are for the night. Fails if one of those does not exist.

    >>> [bool(case.marks) for case in mostly_at_night("abc", by_day="b")]
    [True, False, True]
    """
    assert {*by_day} <= {*cases}, f"no case is {', '.join(map(repr, {*by_day} - {*cases}))}"
    return [pytest.param(case, marks=() if case in by_day else NIGHT) for case in cases]
