"""Estimate the memory that sums take, before they are computed."""

from __future__ import annotations

import os
from contextlib import suppress
from math import inf
from pathlib import Path

from ..core.messages import named

CGROUP = Path("/sys/fs/cgroup/memory.max")
"""Where Linux says how much memory a container may use."""

TIMES = 3
"""How often the sums are in memory at once while they are scored."""


def machine_memory() -> float:
    """Return how many bytes of memory this machine, or this container, has; infinity if that is unknown."""
    found = [inf]
    with suppress(AttributeError, ValueError, OSError):
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(ValueError, OSError):
        found.append(int(CGROUP.read_text()))
    return min(found)


def check_memory(numbers: int, sums: int, labels: int, metrics: int) -> None:
    """Raise ValueError if sums need more memory than there is.

    Args:
        numbers: How many numbers a sum has.
        sums: How many sums are made: half-samples or swaps.
        labels, metrics: What was counted, for the message.

    >>> check_memory(1000, 10**12, 3, 6)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: 1,000,000,000,000 resamples of 6 metrics and 3 labels take about 22,351,741.8 GiB of memory, and ...
    """
    need, available = 8.0 * TIMES * numbers * sums, machine_memory()
    if need > available:
        raise ValueError(
            f"{sums:,} resamples of {metrics} metrics and {labels:,} labels take about {need / 2**30:,.1f} GiB of "
            f"memory, and there are {available / 2**30:,.1f} GiB: use at most {int(available / need * sums):,} of them "
            f"({named('samples')}, {named('trials')} or {named('replicates')}), or fewer metrics"
        )
