"""The processor time of several ways to do one thing, in turns, so that a slow moment meets all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import process_time


def seconds(sides: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Return the processor seconds of each side in each round, after a round that imports and is not timed."""
    found: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(rounds + 1):
        for name, side in sides.items():
            before = process_time()
            side()
            if number:
                found[name].append(process_time() - before)
    return found
