"""Put counts together from the header and the arrays of a file, and check that they fit each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import Metric
from ..core.spans import ON_READING
from ..counting.collapsed import Replicates
from ..counting.counts import Counts
from ..counting.keys import NUMBER, Key, Slot, slots
from ..counting.sums import Sums, empty_sums
from .collapsed_files import added_shapes, put_together
from .count_archive import PARTS
from .count_header import CollapsedHeader, Header

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def shapes(header: Header, metrics: Sequence[Metric]) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the arrays that the file must have."""
    found: dict[str, tuple[int, ...]] = {"cells/data": (header.entries,), "cells/indices": (header.entries,)}
    found["cells/indptr"] = (header.rows + 1,)
    if drawn := header.replicates:
        one = empty_sums(tuple(metrics), tuple(drawn.labels), False, 1)
        found |= {f"replicates/{name}": (*a.shape[:-1], drawn.samples) for name, a in zip(PARTS, one.arrays)}
    return found | (added_shapes(header, metrics) if isinstance(header, CollapsedHeader) else {})


def counts_of(metrics: Sequence[Metric], header: Header, arrays: Mapping[str, NDArray[Any]]) -> Counts:
    """Return the counts that a file holds.

    Raises:
        ValueError: The numbers do not fit each other.
    """
    from scipy.sparse import csr_array

    counts = Counts(metrics)
    for name in ("unit", "skipped", "sources", "spans_key", *ON_READING):
        setattr(counts, name, getattr(header, name))
    counts.mentions.update(header.mentions)
    counts.located.update(header.located)
    if rules := header.label_rules:
        counts.label_rules, counts.mapped = rules.rules, {*rules.mapped}
    counts.parts, counts.contents = header.parts or [header.digest], [*header.contents]
    data, indices, indptr = (arrays[f"cells/{name}"] for name in ("data", "indices", "indptr"))
    if indptr[0] != 0 or indptr[-1] != header.entries or (np.diff(indptr) < 0).any():
        raise ValueError("the rows do not add up to the entries")  # scipy does not check all of this
    cells = csr_array((data, indices, indptr), (header.rows, len(header.columns)))
    cells.check_format()
    _check_numbers(metrics, header, cells, arrays)
    counts.append(header.ids, header.units, cells, [Key(*column) for column in header.columns])
    if drawn := header.replicates:
        if tuple(drawn.labels) != counts.labels:
            raise ValueError("the labels of the half-samples are not those of the counts")
        stored = (arrays[f"replicates/{name}"] for name in PARTS)
        sums = Sums(tuple(metrics), tuple(drawn.labels), False, *stored)
        counts.replicates = Replicates(drawn.samples, drawn.seed, sums)
    if isinstance(header, CollapsedHeader):
        put_together(counts, header, arrays)
    return counts


def _check_numbers(
    metrics: Sequence[Metric], header: Header, cells: csr_array, arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Raise ValueError if a column counts something that no metric counts, or a number is negative."""
    place = slots(metrics)
    keys = [Key(*column) for column in header.columns]
    if unknown := [key for key in keys if Slot(key.metric, key.verdict, key.quantity) not in place]:
        raise ValueError(f"it counts {unknown[0].verdict!r} of {unknown[0].metric!r}, which is not counted here")
    numbers = np.array([key.quantity == NUMBER for key in keys], dtype=bool)
    negative = cells.data[numbers[cells.indices]].min(initial=0) < 0
    if header.replicates:
        whole = [k for slot, k in place.items() if slot.quantity == NUMBER]
        negative |= any(
            array.min(initial=0) < 0
            for array in (
                arrays["replicates/counts"][whole],
                arrays["replicates/means"][0],
                arrays["replicates/documents"],
            )
        )
    if negative:
        raise ValueError("a number of verdicts, spans or documents is below 0")
