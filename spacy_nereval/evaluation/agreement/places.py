"""Places in a text where annotators disagree, with who said what."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ...core.checked import PlainSpan
from ...core.overlapping import group_numbers
from ...core.spans import Span


class Version(NamedTuple):
    """A span, and the annotators who marked it."""

    span: Span
    annotators: tuple[str, ...]


class DisputedPlace(NamedTuple):
    """Spans of several annotators that overlap, some of which not all annotators marked.

    Attributes:
        versions: The spans, sorted, each with its annotators.
        silent: The annotators of the document who marked nothing here.
        disputes: The pairs of annotators that disagree about a span, added up over the spans.
    """

    versions: tuple[Version, ...]
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
    marked_by: dict[Span, dict[str, None]] = {}
    for name, own in spans.items():
        for span in own:
            marked_by.setdefault(Span(*span), {})[name] = None
    ordered = sorted(marked_by)
    groups = group_numbers(np.array([s.start for s in ordered]), np.array([s.end for s in ordered])).tolist()
    first = 0
    for k in range(1, len(ordered) + 1):
        if k < len(ordered) and groups[k] == groups[first]:
            continue
        versions = tuple(Version(span, tuple(marked_by[span])) for span in ordered[first:k])
        disputes = sum(len(by) * (len(spans) - len(by)) for _, by in versions)
        if disputes:
            spoke = {name for _, by in versions for name in by}
            yield DisputedPlace(versions, tuple(name for name in spans if name not in spoke), disputes)
        first = k
