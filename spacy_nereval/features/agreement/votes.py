"""Votes of annotators for spans, and the places where they disagree.

Annotators vote for the spans that they mark. A pair of annotators disputes a span if only one of the two marks it. So a
span with v votes of k annotators has v(k - v) disputes, of v(k - 1) possible ones, and the pooled strict F of all pairs
is 1 minus the share of disputes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from ...core.messages import PlainSpan
from ...core.overlapping import chains
from ...core.pieces import hull, sorted_spans
from ...core.spans import Span


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
        """The maximum number of disputes about the span with this number of votes."""
        return len(self.annotators) * (self.of - 1)


def votes(spans: Mapping[str, Collection[PlainSpan]]) -> list[Vote]:
    """Return every span of a document in the order of the text, with the annotators who marked it.

    Args:
        spans: The spans of each annotator of the document.

    >>> votes({"ann": [(0, 3, "PER")], "bob": [(0, 3, "PER")]})
    [Vote(span=Span(start=0, end=3, label='PER'), annotators=('ann', 'bob'), of=2)]
    """
    voters: dict[PlainSpan, list[str]] = {}
    for name, annotator_spans in spans.items():
        for span in annotator_spans:
            voters.setdefault(span, []).append(name)
    return [Vote(Span(*span), tuple(voters[span]), len(spans)) for span in sorted_spans(voters)]


class DisputedPlace(NamedTuple):
    """Spans of several annotators that overlap, of which some are disputed.

    Attributes:
        versions: The spans, sorted, each with its annotators.
        silent: The annotators of the document who marked nothing here.
        disputes: The number of disputes about the spans.
    """

    versions: tuple[Vote, ...]
    silent: tuple[str, ...]
    disputes: int

    @property
    def start(self) -> int:
        """The start of the place, in characters."""
        return self.versions[0].span.start

    @property
    def end(self) -> int:
        """The end of the place."""
        return max(hull(version.span)[1] for version in self.versions)


def disputed_places(spans: Mapping[str, Collection[PlainSpan]]) -> Iterator[DisputedPlace]:
    """Yield the places of a document where its annotators disagree, in the order of the text.

    Args:
        spans: The spans of each annotator of the document.

    >>> spans = {"ann": [(0, 9, "PART")], "ben": [(5, 9, "PART")], "cleo": [(0, 9, "PART"), (20, 24, "PART")]}
    >>> for place in disputed_places(spans):
    ...     print(place.start, place.end, place.disputes, place.silent, *(vote.annotators for vote in place.versions))
    0 9 4 () ('ann', 'cleo') ('ben',)
    20 24 2 ('ann', 'ben') ('cleo',)
    """
    yield from places_of_votes(votes(spans), [*spans])


def places_of_votes(document_votes: Sequence[Vote], annotators: Sequence[str]) -> Iterator[DisputedPlace]:
    """Yield what `disputed_places` does, given the votes in a document and all of its annotators."""
    if not any(vote.disputes for vote in document_votes):
        return
    remaining = iter(document_votes)
    for chain in chains([vote.span for vote in document_votes]):
        versions = tuple(islice(remaining, len(chain)))
        if disputes := sum(vote.disputes for vote in versions):
            spoke = {name for vote in versions for name in vote.annotators}
            yield DisputedPlace(versions, tuple(name for name in annotators if name not in spoke), disputes)
