"""Counts, in memory or in a file, in the place of documents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..counting.counts import Counts
from ..evaluation.comparison import System
from ..io.count_files import load


def counts_of(given: object) -> Counts | None:
    """Return the counts that an argument is, or names as an .npz file; None if it does neither."""
    if isinstance(given, Counts):
        return given
    return load(Path(given)) if isinstance(given, (str, Path)) and Path(given).suffix == ".npz" else None


def check_alone(**others: Any) -> None:
    """Raise ValueError if arguments are given that counts have been made with already."""
    if name := next((name for name, value in others.items() if value is not None), None):
        raise ValueError(f"{name} is given with counts, which were made without it: count again")


def counted_systems(systems: Mapping[str, Any], first: str) -> list[System] | None:
    """Return systems that are given as counts, the baseline first; None if none is.

    Raises:
        ValueError: Only some of them are counts.
    """
    found = {name: counts_of(systems[name]) for name in dict.fromkeys([first, *systems])}
    if not any(found.values()):
        return None
    if other := next((name for name, counts in found.items() if counts is None), None):
        raise ValueError(f"{other} is given as predictions, and other systems as counts: give all as one of the two")
    return [System(name, counts) for name, counts in found.items() if counts]
