"""Votes for spans: the consensus of annotators, each of them against the others, and what they dispute.

A pair of annotators disputes a span if one of the two has it and the other has not. So a span with v votes of
k annotators has v(k - v) disputes, of v(k - 1) that there could be, and strict F of all pairs
together is 1 minus the share of disputes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.formulas import ratio
from ...core.messages import named
from ...core.overlapping import group_numbers
from ...core.spans import PlainSpan, Span
from .shared import OF_WHITE_SPACE, SharedDocument, SharedDocuments

# The consensus

MAJORITY, ALL = "majority", "all"


class Vote(NamedTuple):
    """A span, the annotators who marked it, and how many annotated the document."""

    span: Span
    annotators: tuple[str, ...]
    of: int

    @property
    def disputes(self) -> int:
        """How many pairs of annotators disagree about the span: one has it, the other has not."""
        return len(self.annotators) * (self.of - len(self.annotators))

    @property
    def possible(self) -> int:
        """The most disputes that these votes could be: each against all others."""
        return len(self.annotators) * (self.of - 1)


def votes(spans: Mapping[str, Collection[PlainSpan]]) -> list[Vote]:
    """Return every span of a document in the order of the text, with those who marked it.

    Args:
        spans: For each annotator of the document, the spans.

    >>> votes({"ann": [(0, 3, "PER")], "bob": [(0, 3, "PER")]})
    [Vote(span=Span(start=0, end=3, label='PER'), annotators=('ann', 'bob'), of=2)]
    """
    voters: dict[PlainSpan, dict[str, None]] = {}
    for name, own in spans.items():
        for span in own:
            voters.setdefault(span, {})[name] = None
    return [Vote(Span(*span), tuple(names), len(spans)) for span, names in sorted(voters.items())]


class Rule(NamedTuple):
    """How many votes a span needs: "majority" (more than half), "all", or a number."""

    wanted: str | int = MAJORITY

    def holds(self, number: int, annotators: int) -> bool:
        """Return whether this number of votes is enough, given the number of annotators.

        >>> Rule().holds(1, 2), Rule("all").holds(2, 3), Rule(2).holds(2, 3)
        (False, False, True)
        """
        if self.wanted == MAJORITY:
            return 2 * number > annotators
        return number == annotators if self.wanted == ALL else number >= int(self.wanted)


def consensus_rule(wanted: Any, annotators: int) -> Rule:
    """Return the rule that an option names.

    Args:
        wanted: "majority", "all", or the number of votes that a span needs, also as text.
        annotators: The number of annotators.

    Raises:
        ValueError: It is none of these, or there are not so many annotators.

    >>> consensus_rule("2", 3)
    Rule(wanted=2)
    """
    if wanted in (MAJORITY, ALL):
        return Rule(wanted)
    number = int(wanted) if isinstance(wanted, str) and wanted.isascii() and wanted.isdecimal() else wanted
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= annotators:
        raise ValueError(
            f"{named('consensus', wanted)}: expected majority, all, or a number of votes from 1 to {annotators}"
        )
    return Rule(number)


def consensus(shared: SharedDocuments, rule: Rule) -> Iterator[tuple[SharedDocument, list[Vote]]]:
    """Yield each document with the spans that have enough votes."""
    for each in shared.documents:
        yield each, [vote for vote in votes(each.spans) if rule.holds(len(vote.annotators), len(each.spans))]


def consensus_rows(shared: SharedDocuments, rule: Rule) -> Iterator[dict[str, Any]]:
    """Yield the consensus as rows of a JSONL file of gold annotation.

    Each span has its votes and those who marked it, each document its annotators under "meta".

    Raises:
        ValueError: The texts are not known.
    """
    for place, (each, kept) in enumerate(consensus(shared, rule)):
        text, tokens = each.base.known_text("rows of gold annotation")[: each.base.annex], each.base.tokens
        row: dict[str, Any] = {"text": text} if each.base.id is None else {"text": text, "id": each.base.id}
        row["spans"] = [
            dict(zip(("start", "end", "label"), span)) | {"votes": len(names), "annotators": [*names]}
            for span, names, _ in kept
            if not each.base.is_invented(span)
        ]
        if tokens is not None and each.token_kind != OF_WHITE_SPACE:
            row["tokens"] = [{"start": start, "end": end} for start, end in tokens if end <= len(text)]
        yield row | {"meta": {"annotators": [*shared.documents[place].spans]}}


def against_others(shared: SharedDocuments) -> NDArray[np.int64]:
    """Return what strict F of each annotator against the majority of the others is computed from.

    Returns:
        int64[documents, annotators, 3]: hits, spans of the others' majority, own spans. They are 0
        for documents with fewer than two others, since nobody could be outvoted there.
    """
    found = np.zeros((len(shared.documents), len(shared.annotators), 3), dtype=np.int64)
    rule = Rule()
    for place, each in enumerate(shared.documents):
        if len(each.spans) < 3:
            continue
        number = Counter(chain.from_iterable(each.spans.values()))
        for k, name in enumerate(shared.annotators):
            if name in each.spans:
                own = {*each.spans[name]}
                rest = {span for span, n in number.items() if rule.holds(n - (span in own), len(each.spans) - 1)}
                found[place, k] = len(own & rest), len(rest), len(own)
    return found


def f_of(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return F from hits, gold spans and own spans, float64[..., 3]; NaN where there are neither."""
    hits, gold, own = np.moveaxis(np.asarray(counts, dtype=float), -1, 0)
    found: NDArray[np.float64] = ratio(2 * hits, gold + own)
    return found


# What is disputed


def dispute_rows(shared: SharedDocuments) -> list[dict[str, Any]]:
    """Return the disputed spans, the most disputed first, then by their place, with who said what.

    Each row has the document, the span and its text, its context, "votes", "of" (how many
    annotated the document), "disputes", "annotators" (who marked it), and "said": for each
    annotator of the document the spans that overlap it, and the same one itself.
    """
    disputed = []
    for place, each in enumerate(shared.documents):
        ordered = {name: sorted(own) for name, own in each.spans.items()}
        for vote in votes(each.spans):
            if vote.disputes:
                disputed.append((-vote.disputes, place, vote.span, _dispute_row(shared, place, vote, ordered)))
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
        "of": vote.of,
        "disputes": vote.disputes,
        "annotators": [*vote.annotators],
        "said": said,
    }


def _span_row(each: SharedDocument, span: PlainSpan) -> dict[str, Any]:
    return {**dict(zip(("start", "end", "label"), span)), "text": each.text_of(span)}


def ranked_documents(
    shared: SharedDocuments, scores: Mapping[str, Sequence[float]] = {}
) -> list[tuple[int, dict[str, Any]]]:
    """Return a row for each document, the most disputed first: by disputes, then by their share, then by id.

    Each comes with the index of its document, since ids may repeat.

    Args:
        shared: The documents.
        scores: Scores of each document, by name; NaN where undefined.
    """
    rows = []
    for place, each in enumerate(shared.documents):
        found = votes(each.spans)
        number, most = sum(vote.disputes for vote in found), sum(vote.possible for vote in found)
        row = {
            "document": shared.name_of(place),
            "annotators": [*each.spans],
            "disputes": number,
            "possible": most,
            "share": number / most if most else None,
            "places": sum(1 for _ in disputed_places(each.spans)) if number else 0,
            "scores": {name: values[place] for name, values in scores.items()},
        }
        rows.append((place, row))
    return sorted(rows, key=lambda item: _rank(item[1]))


def _rank(row: Mapping[str, Any]) -> tuple[int, float, bool, str | int]:
    return -row["disputes"], -(row["share"] or 0), isinstance(row["document"], str), row["document"]


def disputed_labels(shared: SharedDocuments) -> list[dict[str, Any]]:
    """Return a row for each label, the most disputed first, with how many spans each annotator has."""
    rows = {
        label: {
            "label": label,
            "disputes": 0,
            "possible": 0,
            "share": 0.0,
            "spans": dict.fromkeys(shared.annotators, 0),
        }
        for label in shared.labels
    }
    for vote in chain.from_iterable(votes(each.spans) for each in shared.documents):
        row: dict[str, Any] = rows[vote.span.label]
        row["disputes"] += vote.disputes
        row["possible"] += vote.possible
        row["share"] = row["disputes"] / row["possible"]
        for name in vote.annotators:
            row["spans"][name] += 1
    return sorted(rows.values(), key=lambda row: (-row["disputes"], row["label"]))


class DisputedPlace(NamedTuple):
    """Spans of several annotators that overlap, some of which not all annotators marked.

    Attributes:
        versions: The spans, sorted, each with its annotators.
        silent: The annotators of the document who marked nothing here.
        disputes: The pairs of annotators that disagree about a span, added up over the spans.
    """

    versions: tuple[Vote, ...]
    silent: tuple[str, ...]
    disputes: int

    @property
    def start(self) -> int:
        """Where the place begins, in characters."""
        return self.versions[0].span.start

    @property
    def end(self) -> int:
        """Where it ends."""
        return max(version.span.end for version in self.versions)


def disputed_places(spans: Mapping[str, Collection[PlainSpan]]) -> Iterator[DisputedPlace]:
    """Yield the places of a document where its annotators disagree, in the order of the text.

    Args:
        spans: For each annotator of the document, the spans.

    >>> own = {"ann": [(0, 9, "PART")], "ben": [(5, 9, "PART")], "cleo": [(0, 9, "PART"), (20, 24, "PART")]}
    >>> for place in disputed_places(own):
    ...     print(place.start, place.end, place.disputes, place.silent, *(each.annotators for each in place.versions))
    0 9 4 () ('ann', 'cleo') ('ben',)
    20 24 2 ('ann', 'ben') ('cleo',)
    """
    found = votes(spans)
    groups = group_numbers(*(np.array([vote.span[k] for vote in found]) for k in (0, 1))).tolist()
    for _, members in groupby(zip(groups, found), key=lambda each: each[0]):
        versions = tuple(vote for _, vote in members)
        disputes = sum(vote.disputes for vote in versions)
        if disputes:
            spoke = {name for vote in versions for name in vote.annotators}
            yield DisputedPlace(versions, tuple(name for name in spans if name not in spoke), disputes)
