"""The documents, their spans and the verdicts on them, as the page's script reads them.

Offsets count UTF-16 units, as strings in browsers do. Labels, verdicts and spans
are indices into lists, so that no text from the corpus is ever a key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from ...core.declaration import Metric, Verdict
from ...core.spans import Document, OverlapGroup
from ...evaluation.error_groups import Member
from ...evaluation.transitions import OUTCOME_OF_VERDICT
from ..report_view import ReportView
from ..words import CHANGES, OUTCOMES
from .review_data import review_data
from .texts import is_right_to_left, utf16_offsets

Numbered = dict[tuple[int, int, str], int]
"""Each span with its number in the list of its side."""

NONE = -1
HIT, MISS, SPURIOUS = range(3)


def page_data(view: ReportView) -> dict[str, Any]:
    """Return everything that the script needs.

    A document is [id, text, gold spans, side, side, ...], with a side per system:
    [predicted spans, settled verdicts, verdicts of metric 0, of metric 1, ...]. Spans
    are a flat list: start, end, label, start, end, label, ... Verdicts are one too:
    verdict, gold span, predicted span, ..., with -1 for no span. The settled verdicts
    are exact hits, misses and spurious spans outside of overlap groups: 0, 1 and 2
    instead of a verdict, since each metric has its own names for them. The members of a
    group are document, gold span, predicted span, ...
    """
    documents = view.systems[0].documents
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
        "documents": [
            _document(sides, view.marking, labels) for sides in zip(*(system.documents for system in view.systems))
        ],
        "lead": view.lead,
        "groups": [
            {"system": number, "title": title, "members": _flat_members(members, view.systems[number].documents)}
            for number, title, members in view.lists
        ],
        "review": review_data(view, labels, [utf16_offsets(document.text or "") for document in documents]),
        "slices": [{"title": each.title, "buckets": [*each.buckets.values()], "of": each.of} for each in view.slices],
    }


def _flat_members(members: Iterable[Member], documents: Sequence[Document]) -> list[int]:
    found = []
    for number, gold, pred in members:
        golds, preds = numbers_of(documents[number])
        found += [number, golds[gold] if gold else NONE, preds[pred] if pred else NONE]
    return found


def annex(document: Document) -> int | None:
    """Return where the mentions begin that a text does not have, in UTF-16 units; None without such mentions."""
    if document.annex is None:
        return None
    at: int = utf16_offsets(document.text or "")(document.annex)
    return at


def digest(documents: Iterable[Document]) -> str:
    """Return a short name for texts and gold spans, by which a browser keeps the marks on them."""
    found = sha256()
    for document in documents:
        found.update(repr((document.id, document.text, document.gold)).encode("utf8", "surrogatepass"))
    return found.hexdigest()[:16]


def _metric(metric: Metric) -> dict[str, Any]:
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
    first = sides[0]
    unit = utf16_offsets(first.text or "")

    def flat(spans: Iterable[tuple[int, int, str]]) -> list[int]:
        return [n for start, end, label in spans for n in (unit(start), unit(end), labels[label])]

    found: list[Any] = [first.id, first.text, flat(first.gold)]
    for side in sides:
        gold, pred = numbers_of(side)
        settled = [n for span in sorted(side.hits) for n in (HIT, gold[span], pred[span])]
        overlapping = []
        for group in side.overlap_groups:
            if group.gold and group.pred:
                overlapping.append(group)
            else:
                settled += [n for span in group.gold for n in (MISS, gold[span], NONE)]
                settled += [n for span in group.pred for n in (SPURIOUS, NONE, pred[span])]
        judged = []
        for metric in metrics:
            parts = overlapping if metric.scope == "group" else [side]
            judged.append(_flat_verdicts(_verdicts(metric, parts), metric, gold, pred))
        found.append([flat(pred), settled, *judged])
    return found


def _verdicts(metric: Metric, parts: Sequence[OverlapGroup]) -> Iterator[Verdict]:
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
