"""Disputes: about which spans, documents and labels do pairs of annotators disagree, and who said what?

A pair disputes a span if one of the two has it and the other has not. So a span with v votes of
k annotators has v(k - v) disputes, of v(k - 1) that there could be, and strict F of all pairs
together is 1 minus the share of disputes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ...core.spans import PlainSpan
from .consensus import Vote, votes
from .documents import SharedDocument, SharedDocuments


def disputes_of(shared: SharedDocument, vote: Vote) -> int:
    """Return how many pairs of annotators disagree about a span: one has it, the other has not."""
    return len(vote.annotators) * (len(shared.spans) - len(vote.annotators))


def possible(shared: SharedDocument, vote: Vote) -> int:
    """Return the most disputes that the votes for a span could be: each vote against all others."""
    return len(vote.annotators) * (len(shared.spans) - 1)


def dispute_rows(shared: SharedDocuments) -> list[dict[str, Any]]:
    """Return the disputed spans, the most disputed first, then by their place, with who said what.

    Each row has the document, the span and its text, its context, "votes", "of" (how many
    annotated the document), "disputes", "annotators" (who marked it), and "said": for each
    annotator of the document the spans that overlap it, and the same one itself.
    """
    disputed = []
    for place, each in enumerate(shared.documents):
        ordered = {name: sorted(own) for name, own in each.spans.items()}
        for vote in votes(each):
            if number := disputes_of(each, vote):
                disputed.append((-number, place, vote.span, _dispute_row(shared, place, vote, ordered)))
    return [row for *_, row in sorted(disputed, key=lambda item: item[:3])]


def _dispute_row(
    shared: SharedDocuments, place: int, vote: Vote, ordered: Mapping[str, Sequence[PlainSpan]]
) -> dict[str, Any]:
    each, (start, end) = shared.documents[place], vote.span[:2]
    said = {
        name: [_span_row(each, span) for span in own if max(span[0], start) < min(span[1], end) or span == vote.span]
        for name, own in ordered.items()
    }
    left, right = each.around(start, end)
    return {
        "document": shared.name_of(place),
        **_span_row(each, vote.span),
        "left": left,
        "right": right,
        "votes": len(vote.annotators),
        "of": len(each.spans),
        "disputes": disputes_of(each, vote),
        "annotators": [*vote.annotators],
        "said": said,
    }


def _span_row(each: SharedDocument, span: PlainSpan) -> dict[str, Any]:
    return {**dict(zip(("start", "end", "label"), span)), "text": each.text_of(span)}


def disputed_documents(shared: SharedDocuments, scores: Mapping[str, Sequence[float]] = {}) -> list[dict[str, Any]]:
    """Return the documents, the most disputed first: by disputes, then by their share, then by id.

    Args:
        shared: The documents.
        scores: Scores of each document, by name; NaN where undefined.
    """
    return [row for _, row in ranked_documents(shared, scores)]


def ranked_documents(
    shared: SharedDocuments, scores: Mapping[str, Sequence[float]] = {}
) -> list[tuple[int, dict[str, Any]]]:
    """Return the rows of `disputed_documents`, each with the index of its document, since ids may repeat."""
    rows = []
    for place, each in enumerate(shared.documents):
        both = [(disputes_of(each, vote), possible(each, vote)) for vote in votes(each)]
        number, most = (sum(pair[k] for pair in both) for k in (0, 1))
        row = {
            "document": shared.name_of(place),
            "annotators": [*each.spans],
            "disputes": number,
            "possible": most,
            "share": number / most if most else None,
            "scores": {name: values[place] for name, values in scores.items()},
        }
        rows.append((place, row))
    return sorted(rows, key=lambda item: _rank(item[1]))


def disputed_labels(shared: SharedDocuments) -> list[dict[str, Any]]:
    """Return the labels, the most disputed first."""
    number, most = Counter(dict.fromkeys(shared.labels, 0)), Counter[str]()
    for each in shared.documents:
        for vote in votes(each):
            number[vote.span[2]] += disputes_of(each, vote)
            most[vote.span[2]] += possible(each, vote)
    rows = [
        {"label": label, "disputes": number[label], "possible": most[label], "share": number[label] / most[label]}
        for label in shared.labels
    ]
    return sorted(rows, key=lambda row: (-row["disputes"], row["label"]))


def _rank(row: Mapping[str, Any]) -> tuple[int, float, tuple[int, int, str]]:
    return -row["disputes"], -(row["share"] or 0), _by_name(row["document"])


def _by_name(name: str | int) -> tuple[int, int, str]:
    return (0, name, "") if isinstance(name, int) else (1, 0, name)
