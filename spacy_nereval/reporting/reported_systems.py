"""The systems of a report: how many there may be, and that they share documents and metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..core.declaration import Metric
from ..core.mention_places import with_common_annex
from ..core.spans import Document
from ..counting.counts import Counts

SYSTEMS = 8
"""Number of systems with a colour and a symbol: `--system-0` to `--system-7` in page.css, SYMBOLS in theme.js."""


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


def fair_of(systems: Sequence[ReportedSystem]) -> Metric:
    """Return the metric fair. Raise ValueError if it is missing, or if the systems cannot share a report."""
    first, *others = systems
    fair = next((metric for metric in first.counts.metrics if metric.name == "fair"), None)
    if fair is None:
        raise ValueError("the report marks spans by the verdicts of fair, which is not among the metrics: add it")
    if len(systems) > SYSTEMS:
        raise ValueError(
            f"a report has colours and symbols for at most {SYSTEMS} systems, {len(systems)} were given: "
            "make several reports"
        )
    if len({system.name for system in systems}) < len(systems):
        raise ValueError(f"the systems have equal names: {', '.join(system.name for system in systems)}; rename one")
    for other in others:
        if differences := first.counts.differences(other.counts, replicates=False):
            raise ValueError(f"{first.name} and {other.name} cannot be in one report: {differences}")
        if len(first.documents) != len(other.documents):
            numbers = [f"{system.name} has {len(system.documents)} documents" for system in (first, other)]
            raise ValueError(f"{' and '.join(numbers)}; all systems of a report need the same documents")
        for number, (a, b) in enumerate(zip(first.documents, other.documents)):
            if (a.text, a.gold) != (b.text, b.gold):
                raise ValueError(
                    f"document {number} of {other.name} has another text or gold annotation than that of {first.name}"
                )
    return fair
