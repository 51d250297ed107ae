"""What a report is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ....core.mention_places import with_common_annex

if TYPE_CHECKING:
    from ....core.spans import Document
    from ....counting.counts import Counts


class ReportedSystem(NamedTuple):
    """A system in a report: its name, the annotated documents with its predictions, and their counts."""

    name: str
    documents: Sequence[Document]
    counts: Counts


def with_common_annexes(systems: Sequence[ReportedSystem]) -> Sequence[ReportedSystem]:
    """Return the systems with one text for each document, followed by the inventions of all of them."""
    if len({len(system.documents) for system in systems}) > 1:
        return systems  # which the report refuses
    shared = [with_common_annex(sides) for sides in zip(*(system.documents for system in systems))]
    return [system._replace(documents=[sides[k] for sides in shared]) for k, system in enumerate(systems)]
