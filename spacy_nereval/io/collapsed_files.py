"""What count files have in place of documents if the counts are collapsed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.declaration import Metric
from ..counting.collapsed import DIGITS, Collapsed
from ..counting.counts import Counts
from ..counting.keys import NUMBER
from ..counting.sums import Sums, empty_sums
from ..counting.table import Table
from .count_archive import PARTS, SHARDS
from .count_header import COLLAPSED, CollapsedHeader

SHARD = DIGITS // 2
"""Bytes of the digest of a file that was counted."""


def added_fields(counts: Counts) -> dict[str, Any]:
    """Return the fields of the header that collapsed counts have in place of others."""
    assert counts.collapsed
    return {
        "format": COLLAPSED,
        "parts": [],
        "labels": [*counts.collapsed.sums.labels],
        "unit_number": counts.collapsed.units,
        "shards": len(counts.parts),
        "pipeline": counts.collapsed.pipeline,
    }


def added_arrays(counts: Counts) -> dict[str, NDArray[Any]]:
    """Return the arrays that collapsed counts have besides the row of the table. Its counts are that row."""
    assert counts.collapsed
    shards = b"".join(bytes.fromhex(part)[:SHARD] for part in counts.parts)
    of_sums = zip(PARTS[1:], counts.collapsed.sums.arrays[1:])
    return {
        **{f"all/{name}": array for name, array in of_sums},
        "squares": counts.collapsed.squares,
        SHARDS: np.frombuffer(shards, dtype=np.uint8).reshape(-1, SHARD),
    }


def added_shapes(header: CollapsedHeader, metrics: Sequence[Metric]) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of these arrays."""
    one = empty_sums(tuple(metrics), tuple(header.labels), False, 1)
    return {
        **{f"all/{name}": array.shape for name, array in zip(PARTS[1:], one.arrays[1:])},
        "squares": (len(header.labels) + 2,),
        SHARDS: (header.shards, SHARD),
    }


def put_together(counts: Counts, header: CollapsedHeader, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Make collapsed counts of counts that have the row of the table.

    Raises:
        ValueError: The numbers do not fit each other.
    """
    table = Table(counts)
    if tuple(header.labels) != table.labels:
        raise ValueError("the labels of the sums are not those of the counts")
    row = table.cells.toarray().reshape(len(table.slots), table.width, 1).astype(np.int64)
    sums = Sums(table.metrics, table.labels, False, row, *(arrays[f"all/{name}"] for name in PARTS[1:]))
    documents = sums.documents[0]
    if min(sums.documents.min(), sums.means[0].min(initial=0), arrays["squares"].min()) < 0:
        raise ValueError("a number of documents or spans is below 0")
    if sums.means[0].max(initial=0) > documents or header.unit_number > documents:
        raise ValueError("there are more averages or units than documents")
    if counts.replicates:
        whole = [k for slot, k in table.slots.items() if slot.quantity == NUMBER]
        halves = counts.replicates.sums
        if (halves.counts[whole] > row[whole]).any() or (halves.documents > documents).any():
            raise ValueError("a half-sample has more than there is")
    counts.collapsed = Collapsed(sums, header.unit_number, arrays["squares"], header.pipeline)
    counts.parts = [bytes(shard).hex() for shard in arrays[SHARDS]] or [header.digest[:DIGITS]]
