"""What a report is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ...core.spans import Document
    from ...counting.counts import Counts


class ReportedSystem(NamedTuple):
    """A system in a report: its name, the annotated documents with its predictions, and their counts."""

    name: str
    documents: Sequence[Document]
    counts: Counts
