"""Votes for spans, the consensus of annotators, and each of them against the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.formulas import ratio
from ...core.messages import named
from ...core.spans import PlainSpan
from .documents import SharedDocument, SharedDocuments

MAJORITY, ALL = "majority", "all"


class Vote(NamedTuple):
    """A span, and the annotators who marked it."""

    span: PlainSpan
    annotators: tuple[str, ...]


def votes(shared: SharedDocument, among: Iterable[str] | None = None) -> list[Vote]:
    """Return every span of a document in the order of the text, with those who marked it.

    Args:
        shared: The document.
        among: The annotators who vote; by default all.

    >>> from spacy_nereval import Document
    >>> votes(SharedDocument(Document([], []), {"ann": [(0, 3, "PER")], "bob": [(0, 3, "PER")]}))
    [Vote(span=(0, 3, 'PER'), annotators=('ann', 'bob'))]
    """
    voters: dict[PlainSpan, list[str]] = {}
    for name in shared.spans if among is None else among:
        for span in shared.spans[name]:
            voters.setdefault(span, []).append(name)
    return [Vote(span, tuple(names)) for span, names in sorted(voters.items())]


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
        yield each, [vote for vote in votes(each) if rule.holds(len(vote.annotators), len(each.spans))]


def consensus_rows(shared: SharedDocuments, rule: Rule) -> Iterator[dict[str, Any]]:
    """Yield the consensus as rows of a JSONL file of gold annotation.

    Each span has its votes and those who marked it, each document its annotators under "meta".

    Raises:
        ValueError: The texts are not known.
    """
    for place, (each, kept) in enumerate(consensus(shared, rule)):
        text, tokens = each.base.own_text, each.base.tokens
        if text is None:
            raise ValueError("the texts are not known, so no gold annotation can be written: give text=")
        row: dict[str, Any] = {"text": text} if each.base.id is None else {"text": text, "id": each.base.id}
        row["spans"] = [
            dict(zip(("start", "end", "label"), span)) | {"votes": len(names), "annotators": [*names]}
            for span, names in kept
            if not each.base.is_invented(span)
        ]
        if tokens is not None:
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
