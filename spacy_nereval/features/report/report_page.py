"""The report as one HTML file: the tables and sentences of its view, the charts, and the data that its scripts read.

The data are the documents with their spans and all verdicts, and the places where gold may be wrong, with the evidence
and the corrections that it proposes. Offsets count UTF-16 units, as strings in browsers do. Labels, verdicts and spans
are indices into lists, so that no text from the corpus is ever a key.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.attribute_values import describe_attributes
from ...core.compression import strip_compression
from ...core.declaration import Metric, Verdict
from ...core.pieces import any_gaps, has_gaps, sorted_spans
from ...core.spans import Document, OverlapGroup
from ...counting.counter import count
from ...counting.counts import Counts
from ...evaluation.comparison import System
from ...evaluation.error_groups import Member
from ...evaluation.error_list import OUTCOME_OF_VERDICT
from ...evaluation.resampling import Confidence
from ...evaluation.tested import Hypotheses
from ...io.formats import infer_format
from ...metrics.registry import create
from ...reporting import pages
from ...reporting.declared import CHANGES, OUTCOMES
from ...reporting.marked_text import SPACE
from ...reporting.pages import (
    CHART_SCRIPTS,
    LIST_FUNCTIONS,
    LIST_SCRIPTS,
    Layout,
    Section,
    Trusted,
    breakable,
    inline_text,
    is_right_to_left,
    packed_json,
    render_page,
    script_json,
    utf16_offsets,
)
from ...reporting.rendered_document import Stretch, span_notes, stretches
from .gold_suspects import CONTRADICTIONS, REASONS, Doubt, evidence_words, surface
from .report_charts import all_charts
from .report_numbers import SYSTEMS, share_annexes
from .report_view import PRIMARY, ReportView

if TYPE_CHECKING:
    from ...core.lexicon import Lexicon

NONE = -1

MOST_WITNESSES = 6
"""Maximum number of places that are listed as witnesses: gold gives the same words another label there."""


def review_data(view: ReportView, labels: Mapping[str, int], units: Sequence[Any]) -> dict[str, Any]:
    """Return the places where gold may be wrong, grouped by their evidence, and the evidence in words.

    Such a kind of places is [evidence, proposals, system, places].

    - Evidence is a list of indices into `evidence`, which has [reason, sentence, witnesses or -1]. Reasons are indices,
      and so are witnesses, into lists of gold spans: document, gold span, ...
    - Proposals are labels for the boundaries of the place; or, if any has others, a list of start, end, label, ...
    - Places are document, number, ... The numbers are those of gold spans; without a gold span, those of predictions
      of the system, which is -1 for gold spans.

    The first `repeats` groups of the page are errors that repeat.

    Args:
        view: The view of the report.
        labels: The number of each label.
        units: For each document, the function that converts an offset to UTF-16 units.
    """
    sides = view.documents
    witnesses = _Witnesses(view.gold.gold_places)
    order = [view.lead, *(k for k in range(len(sides)) if k != view.lead)]
    pieces: dict[tuple[str, str, int], int] = {}
    kinds: dict[Any, list[tuple[int, int]]] = {}
    for doubt in view.doubts:
        k, gold = doubt.document, doubt.gold
        words = surface(sides[0][k], *doubt.place)
        evidence_pieces = [
            (
                piece.reason,
                evidence_words(piece, doubt, view.names),
                witnesses.number((words, piece.label)) if piece.reason in CONTRADICTIONS else NONE,
            )
            for piece in doubt.evidence
        ]
        if gold:
            system, number = NONE, bisect_left(sides[0][k].gold, gold)
        else:
            system, number = next(
                _proposal_predictions(doubt, [(predicting, sides[predicting][k]) for predicting in order])
            )
        is_in_place = all(span[:2] == doubt.place for span in doubt.proposed)
        proposals = [
            n
            for start, end, label in doubt.proposed
            for n in ((labels[label],) if is_in_place else (units[k](start), units[k](end), labels[label]))
        ]
        evidence = tuple(dict.fromkeys(pieces.setdefault(piece, len(pieces)) for piece in evidence_pieces))
        kinds.setdefault((evidence, (is_in_place, *proposals), system, None if is_in_place else k), []).append(
            (k, number)
        )
    return {
        "reasons": [*REASONS],
        "evidence": [[REASONS.index(reason), sentence, listed] for reason, sentence, listed in pieces],
        "witnesses": witnesses.listed,
        "kinds": [
            [
                [*evidence],
                proposals if is_in_place else [[*proposals]],
                system,
                [*chain.from_iterable(sorted(members))],
            ]
            for (evidence, (is_in_place, *proposals), system, _), members in kinds.items()
        ],
        "repeats": len(view.lists) - len(view.systems),  # the last groups are the errors at doubtful gold spans
    }


def _proposal_predictions(doubt: Doubt, sides: Sequence[tuple[int, Document]]) -> Iterator[tuple[int, int]]:
    """Yield each system that predicts a proposed span, with the number of its prediction."""
    for span in doubt.proposed:
        for number, side in sides:
            p = bisect_left(side.pred, span)
            if p < len(side.pred) and side.pred[p] == span:
                yield number, p


class _Witnesses:
    """Lists of gold spans with the same words and the same label, each made once."""

    def __init__(self, places: Mapping[tuple[str, str], Sequence[tuple[int, int]]]) -> None:
        self.listed: list[list[int]] = []
        self._numbers: dict[tuple[str, str], int] = {}
        self._places = places

    def number(self, key: tuple[str, str]) -> int:
        """Return the number of a list; -1 if there is no such gold span."""
        if key not in self._numbers and (places := self._places.get(key)):
            self._numbers[key] = len(self.listed)
            self.listed.append([n for place in places[:MOST_WITNESSES] for n in place])
        return self._numbers.get(key, NONE)


Numbered = dict[tuple[int, int, str], int]
"""Each span with its number in the list of its side."""

HIT, MISS, SPURIOUS = range(3)


def page_data(view: ReportView) -> dict[str, Any]:
    """Return the data that the scripts read.

    A document is [id, text, gold spans, side, side, ...], with a side per system:
    [predicted spans, settled verdicts, verdicts of metric 0, of metric 1, ...]. Spans
    are a flat list: start, end, label, start, end, label, ... Verdicts are one too:
    verdict, gold span, predicted span, ..., with -1 for no span. The settled verdicts
    are exact hits, misses and spurious spans outside of overlap groups: 0, 1 and 2
    instead of a verdict, since each metric has its own names for them. The members of a
    group are document, gold span, predicted span, ... Where spans have gaps, "pieces" lists them: document, system (-1
    for gold), span, and the start and end of each piece; and "attributes" lists those of spans, in words.
    """
    documents = view.documents[0]
    labels = {label: k for k, label in enumerate(view.labels)}
    return {
        "systems": view.names,
        "labels": view.labels,
        "metrics": [_metric(metric) for metric in view.marking],
        "outcomes": list(OUTCOMES.values()),
        "outcomeOf": [[verdict, list(OUTCOMES).index(key)] for verdict, key in OUTCOME_OF_VERDICT.items()],
        "changes": list(CHANGES),
        "digest": digest(documents),
        "annexes": [[k, at] for k, document in enumerate(documents) if (at := annex(document)) is not None],
        "rightToLeft": [k for k, document in enumerate(documents) if is_right_to_left(document.text or "")],
        "documents": [_document(sides, view.marking, labels) for sides in zip(*view.documents)],
        **{name: rows for name, part in _BESIDE_SPANS.items() if (rows := [*_beside_spans(view.documents, part)])},
        "lead": view.lead,
        "groups": [
            {"system": number, "title": title, "members": _flat_members(members, view.documents[number])}
            for number, title, members in view.lists
        ],
        "review": review_data(view, labels, [utf16_offsets(document.text or "") for document in documents]),
        "slices": [{"title": part.title, "buckets": [*part.buckets.values()], "of": part.of} for part in view.slices],
    }


def _flat_members(members: Iterable[Member], documents: Sequence[Document]) -> list[int]:
    flat = []
    for number, gold, pred in members:
        golds, preds = numbers_of(documents[number])
        flat += [number, golds[gold] if gold else NONE, preds[pred] if pred else NONE]
    return flat


def annex(document: Document) -> int | None:
    """Return the offset at which invented mentions follow a text, in UTF-16 units; None without such mentions."""
    if document.annex is None:
        return None
    at: int = utf16_offsets(document.text or "")(document.annex)
    return at


def digest(documents: Iterable[Document]) -> str:
    """Return a digest of texts and gold spans: the key under which a browser keeps the marks on them."""
    checksum = sha256()
    for document in documents:
        checksum.update(repr((document.id, document.text, document.gold)).encode("utf8", "surrogatepass"))
    return checksum.hexdigest()[:16]


def _metric(metric: Metric) -> dict[str, Any]:
    """Return a metric with its verdicts, as `data.metrics` has it."""
    names = metric.verdict_names
    settled = (metric.hit, metric.miss, metric.spurious) if metric.scope == "group" else ()
    kind_of = dict(zip(settled, ("hit", "missed", "spurious")))
    words = metric.words
    return {
        "name": metric.name,
        "verdicts": list(names),
        "words": [words[name].short if name in words else name for name in names],
        "kinds": [words[name].kind if name in words else kind_of.get(name, "") for name in names],
        "settled": [names.index(name) for name in settled],
        "right": names.index(metric.hit),
        "bySystem": metric.focus == "system",
        "confusion": [names.index(name) for name in metric.confusion or ()],
        "taxonomy": metric.taxonomy,
    }


def numbers_of(document: Document) -> tuple[Numbered, Numbered]:
    """Return each gold and each predicted span with its number in the data of the page."""
    gold: Numbered = {span: k for k, span in enumerate(document.gold)}
    pred: Numbered = {span: k for k, span in enumerate(document.pred)}
    return gold, pred


def _document(sides: Sequence[Document], metrics: Sequence[Metric], labels: Mapping[str, int]) -> list[Any]:
    """Return a document with the predictions of each system and all verdicts, as `page_data` describes it."""
    first = sides[0]
    unit = utf16_offsets(first.text or "")

    def flatten(spans: Iterable[tuple[int, int, str]]) -> list[int]:
        return [n for start, end, label in spans for n in (unit(start), unit(end), labels[label])]

    data: list[Any] = [first.id, first.text, flatten(first.gold)]
    for side in sides:
        gold, pred = numbers_of(side)
        settled = [n for span in sorted_spans(side.hits) for n in (HIT, gold[span], pred[span])]
        overlapping = []
        for group in side.overlap_groups:
            if group.gold and group.pred:
                overlapping.append(group)
            else:
                settled += [n for span in group.gold for n in (MISS, gold[span], NONE)]
                settled += [n for span in group.pred for n in (SPURIOUS, NONE, pred[span])]
        verdict_lists = []
        for metric in metrics:
            parts = overlapping if metric.scope == "group" else [side]
            verdict_lists.append(_flat_verdicts(_verdicts_of_parts(metric, parts), metric, gold, pred))
        data.append([flatten(pred), settled, *verdict_lists])
    return data


def _pieces(document: Document, side: int) -> Iterator[tuple[int, list[list[int]]]]:
    """Yield the number and the pieces, in UTF-16 units, of each span of a side that has gaps."""
    spans = (document.gold, document.pred)[side]
    if any_gaps(spans):
        unit = utf16_offsets(document.text or "")
        for k, span in enumerate(spans):
            if has_gaps(span):
                yield k, [[unit(start), unit(end)] for start, end in span.pieces]


def _attributes(document: Document, side: int) -> Iterator[tuple[int, str]]:
    """Yield the number and the attributes, in words, of each span of a side that has some."""
    if document.attributes[side]:
        for k, span in enumerate((document.gold, document.pred)[side]):
            if words := describe_attributes(document.attributes_of(side, span)):
                yield k, words


_BESIDE_SPANS: Mapping[str, Callable[[Document, int], Iterator[tuple[int, Any]]]] = {
    "pieces": _pieces,
    "attributes": _attributes,
}
"""What few spans have, as the data of the page list it."""


def _beside_spans(
    systems: Sequence[Sequence[Document]], part: Callable[[Document, int], Iterator[tuple[int, Any]]]
) -> Iterator[list[Any]]:
    """Yield the document, the system, the number of the span and the value of each span that has one."""
    for number, sides in enumerate(zip(*systems)):
        listed = ((sides[0], 0), *((side, 1) for side in sides))
        for system, (document, side) in enumerate(listed, NONE):
            for k, value in part(document, side):
                yield [number, system, k, value]


def _verdicts_of_parts(metric: Metric, parts: Sequence[OverlapGroup]) -> Iterator[Verdict]:
    """Yield the verdicts on overlap groups, or on whole documents if the metric judges these."""
    for part in parts:
        if metric.judge:
            yield from metric.judge(part)
        else:
            yield from (Verdict(metric.miss, span, None) for span in part.gold)
            yield from (Verdict(metric.spurious, None, span) for span in part.pred)


def _flat_verdicts(verdicts: Iterable[Verdict], metric: Metric, gold: Numbered, pred: Numbered) -> list[int]:
    return [
        n
        for name, a, b, _ in verdicts
        for n in (metric.verdict_names.index(name), gold[a] if a else NONE, pred[b] if b else NONE)
    ]


__all__ = ["PRIMARY", "page"]

REPORT = Layout(
    __package__,
    LIST_FUNCTIONS,
    (*("corpus", "asked", "marking", "lines", "places", "copied", "flags"), *("digests", "reviewing", "exporting")),
    (*LIST_SCRIPTS, *CHART_SCRIPTS, "queue"),
    (
        *("triage", "state", "filters", "flag_elements", "text", "documents", "concordance"),
        *("matrix", "form", "copy", "review", "actions", "changes", "charts"),
    ),
)

STATIC = 50
"""Maximum number of documents for browsers without scripts."""

LONGEST, BEFORE = 1500, 200
"""Maximum number of characters of such a document, and how many of them come before its first error."""


def page(
    systems: Sequence[System],
    *,
    title: str | None = None,
    confidence: Confidence | None = None,
    asked: Hypotheses | None = None,
    trials: int | None = None,
    lexicon: Lexicon | None = None,
    by: Sequence[str] = (),
    sections: Sequence[Section] = (),
) -> str:
    """Return the report as HTML.

    Args:
        systems: The systems. The first one is the baseline. The metric
            fair has to be among their metrics, since its verdicts mark the spans.
        title: The title; by default, the names of the systems and of the gold files.
        confidence: Settings of intervals. With them, scores have intervals, systems are compared,
            and the page begins with a conclusion on the primary score.
        asked: The tests of the comparison; by default with fair's F as the primary score.
        trials: How many swaps are drawn; by default enough for the number of tests.
        lexicon: The lexicon of the training data, for scores by properties of spans in training data.
        by: Attributes by which spans are scored besides the usual ones, as `--by` names them.
        sections: The sections that other features add, at its beginning.

    Raises:
        ValueError: Systems cannot share a report, a requested score or attribute cannot be computed (see
            `ReportView`), or the libraries that draw charts are not installed.
    """
    view = ReportView(systems, confidence=confidence, asked=asked, trials=trials, lexicon=lexicon, by=by)
    library = pages.chart_library()
    charts = all_charts(view)
    documents, first, numbers = view.documents[view.lead], view.results[0], range(len(systems))
    drawn = [section.draw(systems) for section in sections]
    values = {
        "title": title or _title(view.names, systems[0].counts.sources),
        "view": view,
        "tables": {name: [*view.tables([name])] for name in view.makers},
        "findings": [{each.section: breakable(each.heading) for each in view.findings_of(k)} for k in numbers],
        "stories": [[breakable(each.heading) for each in view.story_of(k)] for k in numbers],
        "opening": [*map(breakable, view.opening())],
        "answer": next((breakable(each.answer) for each in drawn if each.answer), ""),
        "ranked": [*view.ranked_systems(*next(((each.column, each.cells) for each in drawn if each.column), ()))],
        "warnings": view.closing(),
        "tested": view.test_lines(),
        "confidence": first.get("confidence"),
        "symbols": pages.GLYPHS,
        "charted": charts,
        "sections": [(section, each.markup) for section, each in zip(sections, drawn)],
        "static": [*static_documents(documents, view.errors_of(view.lead), view.fair)],
        "unmarked": [metric.name for metric in systems[0].counts.metrics if metric not in view.marking],
        "signatures": [first["signature"]],
        "version": first["version"],
        "data": packed_json(page_data(view)),
        "charts": Trusted(script_json(charts)),
    }
    return render_page(values, library, REPORT)


def _title(names: Sequence[str], sources: Iterable[str]) -> str:
    systems = " and ".join(names) if len(names) < 3 else f"{len(names)} systems"
    paths = (Path(path) for path in dict.fromkeys(sources))
    golds = [(path if infer_format(path) is None else strip_compression(path).with_suffix("")).name for path in paths]
    return f"{systems} against {' and '.join(golds) or 'gold'}"


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
        parts = _stretches(document, errors, metric)
        stretches = [part._replace(text=inline_text(part.text)) for part in parts]
        yield StaticDocument(number + 1, document.id or "", stretches, is_right_to_left(document.text or ""))


def _stretches(document: Document, errors: Iterable[Verdict], metric: Metric) -> Iterator[Stretch]:
    """Yield the text, cut where spans of errors begin and end; only the offsets of spans without a text."""
    text, flags = document.text, span_notes(document, errors, metric)
    if text is None:
        yield from (Stretch(f"…{flag.end} ", False, False, [flag.words]) for flag in flags)
        return
    start = max(0, min(flag.start for flag in flags) - BEFORE)
    end = min(len(text), start + LONGEST)
    if start:
        yield Stretch("… ", False, False, [])
    for part in stretches(text, flags, start, end):
        yield part._replace(text=SPACE.sub(" ", part.text))
    if hidden := sum(flag.end > end for flag in flags):
        yield Stretch(f" … {hidden} more", False, False, [])
    elif end < len(text):
        yield Stretch(" …", False, False, [])


def report_html(
    systems: Sequence[System],
    confidence: Confidence | None = None,
    asked: Hypotheses | None = None,
    trials: int | None = None,
) -> str | None:
    """Return the report on systems with their documents, as HTML.

    Args:
        systems: The systems, which have the same documents. The first is the baseline.
        confidence: The settings of intervals; None for no intervals and no comparison.
        asked: The tests of the comparison.
        trials: How many swaps are drawn.

    Returns:
        The page; None if a text is not known, no document is annotated, or there are more systems than a page shows.

    Raises:
        ValueError: The libraries that draw charts are not installed.
    """
    documents = [system.annotated_documents for system in systems]
    unreadable = not all(documents) or any(document.text is None for side in documents for document in side)
    if unreadable or not 0 < len(systems) <= SYSTEMS:
        return None
    reported = [System(system.name, _count_fair(system.counts, side), side) for system, side in zip(systems, documents)]
    return page(share_annexes(reported), confidence=confidence, asked=asked, trials=trials)


def _count_fair(counts: Counts, documents: Sequence[Document]) -> Counts:
    """Return the counts, with those of fair if they lack them: its verdicts mark the spans of the report."""
    if any(metric.name == "fair" for metric in counts.metrics):
        return counts
    counts_with_fair = count(documents, [*counts.metrics, create("fair")])
    counts_with_fair.spans_key = counts.spans_key
    return counts_with_fair
