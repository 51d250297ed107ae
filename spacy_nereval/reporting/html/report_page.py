"""The report as one HTML file: what its view says, with charts and every document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup, escape

from ...core.declaration import Metric, Verdict
from ...core.spans import Document
from ...evaluation.statistics.conclusion import unit_name
from ...io.writing import spelt_out
from ..marked_text import SPACE
from ..remarks import bounded_by
from ..report_view import PRIMARY, ReportedSystem, ReportView
from ..score_view import UNTOLD
from ..verdict_tables import error_in_words
from . import charts
from .report_charts import all_charts
from .report_data import page_data
from .template import REPORT, Trusted, filled_in
from .texts import breakable, embedded, is_right_to_left

if TYPE_CHECKING:
    from ...core.lexicon import Lexicon
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
        "finding": _headings(view),
        "opening": [*map(breakable, view.opening())],
        "warnings": view.closing(),
        "tested": view.tested(),
        "confidence": first.get("confidence"),
        "bounded_by": bounded_by,
        "unit": unit_name(systems[0].counts.unit),
        "symbols": charts.GLYPHS,
        "charted": drawn,
        "static": [*static_documents(documents, view.wrong, view.fair)],
        "unmarked": [metric.name for metric in systems[0].counts.metrics if metric not in view.marking],
        "signatures": [first["signature"]],
        "version": first["version"],
        "data": Trusted(embedded(page_data(view))),
        "charts": Trusted(embedded(drawn)),
    }
    return filled_in(values, library, REPORT)


def _headings(view: ReportView) -> dict[str, Markup]:
    """Return the sentence of each section. The first section says whatever is more telling."""
    found = {finding.section: breakable(finding.heading) for finding in view.findings()}
    story = ["rates", "groups"] if UNTOLD.lower() not in found["rates"].lower() else ["groups", "rates"]
    return found | {"story": found[story[0]], "also": found[story[1]]}


def _title(names: Sequence[str], sources: Iterable[str]) -> str:
    systems = " and ".join(names) if len(names) < 3 else f"{len(names)} systems"
    return f"{systems} against {' and '.join(dict.fromkeys(sources)) or 'gold'}"


# The documents with errors as marked text


class Stretch(NamedTuple):
    """A stretch of text: its words on one line, whether it is in the gold span or the prediction of an
    error, and what is wrong with the errors that end after it."""

    text: Markup
    gold: bool
    pred: bool
    said: list[str]


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
    text = document.text
    said: dict[int, list[str]] = defaultdict(list)
    spans = []
    for name, gold, pred, _ in errors:
        marked = [span for span in (gold, pred) if span]
        absent = " (not in the text)" * any(map(document.is_invented, marked))
        end = max(span.end for span in marked)
        said[end].append(error_in_words(metric, name, gold.label if gold else "", pred.label if pred else "") + absent)
        spans += [(span.start, span.end, side) for side, span in enumerate((gold, pred)) if span]
    if text is None:
        yield from (Stretch(Markup(f"…{end} "), False, False, words) for end, words in sorted(said.items()))
        return
    low = max(0, min(start for start, _, _ in spans) - BEFORE)
    high = min(len(text), low + LONGEST)
    edges = {low, high, *(edge for span in spans for edge in span[:2] if low < edge < high)}
    if low:
        yield Stretch(Markup("… "), False, False, [])
    for start, end in pairwise(sorted(edges)):
        inside = {side for a, b, side in spans if a <= start and end <= b}
        yield Stretch(escape(spelt_out(SPACE.sub(" ", text[start:end]))), 0 in inside, 1 in inside, said[end])
    if rest := sum(len(words) for end, words in said.items() if end > high):
        yield Stretch(Markup(f" … {rest} more"), False, False, [])
    elif high < len(text):
        yield Stretch(Markup(" …"), False, False, [])
