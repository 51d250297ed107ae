"""The report as one HTML file: what its view says, with charts and every document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...core.compression import uncompressed
from ...core.declaration import Metric, Verdict
from ...core.spans import Document
from ...evaluation.comparison import System
from ...evaluation.gate_rules import Judged, gate
from ...evaluation.transitions import outcomes_of
from ...io.formats import inferred_name
from ...io.writing import spelt_out
from ..gate_view import GateView
from ..marked_text import SPACE
from ..rendered_document import Stretch, said_of, stretches
from ..report_view import PRIMARY, ReportView
from ..reported_systems import ReportedSystem
from . import charts
from .report_charts import all_charts
from .report_data import page_data
from .template import REPORT, Trusted, filled_in
from .texts import breakable, embedded, is_right_to_left

if TYPE_CHECKING:
    from ...core.lexicon import Lexicon
    from ...evaluation.gate_policy import Policy
    from ...evaluation.resampling import Confidence
    from ...evaluation.tested import Asked

__all__ = ["PRIMARY", "page"]

STATIC = 50
"""Maximum number of documents for readers whose browser runs no scripts."""

LONGEST, BEFORE = 1500, 200
"""Maximum number of characters of such a document, and how many of them come before its first error."""


def page(
    systems: Sequence[ReportedSystem],
    *,
    title: str | None = None,
    confidence: Confidence | None = None,
    asked: Asked | None = None,
    trials: int | None = None,
    lexicon: Lexicon | None = None,
    by: Sequence[str] = (),
    policy: Policy | None = None,
) -> str:
    """Return the report as HTML.

    Args:
        systems: The systems. The first one is what the others are compared with. The metric
            fair has to be among their metrics, since its verdicts mark the spans.
        title: The title; by default, the names of the systems and of the gold files.
        confidence: Settings of intervals. With them, scores have intervals, systems are compared,
            and the page begins with a conclusion on the primary score.
        asked: What the comparison tests; by default with fair's F as the primary score.
        trials: How many swaps are drawn; by default enough for the number of tests.
        lexicon: The lexicon of the training data, for scores by what training shows of a span.
        by: Attributes by which spans are scored besides the usual ones, as `--by` names them.
        policy: The rules by which each system may ship, those that compare against the first system.

    Raises:
        ValueError: Systems cannot share a report, something is asked for that cannot be computed (see `ReportView`),
            or the libraries that draw charts are not installed.
    """
    view = ReportView(systems, confidence=confidence, asked=asked, trials=trials, lexicon=lexicon, by=by)
    library = charts.scripts()
    drawn = all_charts(view)
    documents, first = systems[view.lead].documents, view.results[0]
    values = {
        "title": title or _title(view.names, systems[0].counts.sources),
        "view": view,
        "tables": {name: [*view.tables([name])] for name in view.makers},
        "finding": {finding.section: breakable(finding.heading) for finding in view.findings()},
        "story": [breakable(finding.heading) for finding in view.story],
        "opening": [*map(breakable, view.opening())],
        "warnings": view.closing(),
        "tested": view.tested(),
        "confidence": first.get("confidence"),
        "symbols": charts.GLYPHS,
        "charted": drawn,
        "gates": [*gates(systems, policy)] if policy else [],
        "static": [*static_documents(documents, view.wrong, view.fair)],
        "unmarked": [metric.name for metric in systems[0].counts.metrics if metric not in view.marking],
        "signatures": [first["signature"]],
        "version": first["version"],
        "data": Trusted(embedded(page_data(view))),
        "charts": Trusted(embedded(drawn)),
    }
    return filled_in(values, library, REPORT)


def gates(systems: Sequence[ReportedSystem], policy: Policy) -> Iterator[GateView]:
    """Yield whether each system may ship: a single one alone, others against the first."""
    judged = [
        Judged(System(each.name, each.counts, outcomes_of(each.documents, each.counts.metrics)), each.documents)
        for each in systems
    ]
    for candidate in judged[1:] or judged:
        yield GateView(gate(policy, candidate, judged[0] if len(judged) > 1 else None))


def _title(names: Sequence[str], sources: Iterable[str]) -> str:
    systems = " and ".join(names) if len(names) < 3 else f"{len(names)} systems"
    golds = (Path(each) for each in dict.fromkeys(sources))
    named = [(each if inferred_name(each) is None else uncompressed(each).with_suffix("")).name for each in golds]
    return f"{systems} against {' and '.join(named) or 'gold'}"


# The documents with errors as marked text


class StaticDocument(NamedTuple):
    """A document with errors: its number from 1, its name, and its text."""

    number: int
    name: str
    stretches: list[Stretch]
    right_to_left: bool


def static_documents(
    documents: Sequence[Document], wrong: Mapping[int, Sequence[Verdict]], metric: Metric
) -> Iterator[StaticDocument]:
    """Yield the first documents with errors as marked text."""
    for number, errors in islice(wrong.items(), STATIC):
        document = documents[number]
        stretches = [*_stretches(document, errors, metric)]
        yield StaticDocument(number + 1, document.id or "", stretches, is_right_to_left(document.text or ""))


def _stretches(document: Document, errors: Iterable[Verdict], metric: Metric) -> Iterator[Stretch]:
    """Cut the text where the spans of errors begin and end. A document without a text has its offsets only."""
    text, said = document.text, said_of(document, errors, metric)
    if text is None:
        yield from (Stretch(f"…{each.end} ", False, False, [each.words]) for each in said)
        return
    low = max(0, min(each.start for each in said) - BEFORE)
    high = min(len(text), low + LONGEST)
    if low:
        yield Stretch("… ", False, False, [])
    for part in stretches(text, said, low, high):
        yield part._replace(text=spelt_out(SPACE.sub(" ", part.text)))
    if rest := sum(each.end > high for each in said):
        yield Stretch(f" … {rest} more", False, False, [])
    elif high < len(text):
        yield Stretch(" …", False, False, [])
