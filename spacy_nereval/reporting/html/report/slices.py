"""Scores by attributes of the span, with the bucket of every span, so that a bucket can be chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ....core.declaration import Metric
from ....core.lexicon import Lexicon
from ....evaluation.attributes import ATTRIBUTES, AttributeContext, RequestedAttribute, requested_attribute
from ....evaluation.breakdown import Breakdown
from .reported import ReportedSystem
from .score_rows import ScoreRow, bucket_rows

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""A digit for each bucket, as the page's script reads them."""

TITLES = {
    "eLen": "Words in the span",
    "case": "Capitals",
    "position": "Place in the text",
    "eFre": "Frequency in training",
    "eCon": "Share of its occurrences in training with this label",
}
"""The usual attributes of the report, with their titles."""


class Slice(NamedTuple):
    """Scores by one attribute.

    Attributes:
        name, title, help: The attribute, as it is asked for, in few words, and in many.
        rows: The scores of each bucket.
        buckets: The names of the buckets, in the order of the rows.
        of: For each document, a string for gold and for each system's predictions, with a digit for
            the bucket of each span.
    """

    name: str
    title: str
    help: str
    rows: list[ScoreRow]
    buckets: list[str]
    of: list[list[str]]

    @property
    def data(self) -> dict[str, Any]:
        """What the page's script needs."""
        return {"title": self.title, "buckets": self.buckets, "of": self.of}


def slices(
    systems: Sequence[ReportedSystem], fair: Metric, lexicon: Lexicon | None, by: Sequence[str] = ()
) -> list[Slice]:
    """Return the scores by each attribute; none if a document has no text, unless attributes are asked for.

    Args:
        systems: The systems, on the same documents.
        fair: The metric.
        lexicon: The lexicon of the training data, for the attributes that need one.
        by: Further attributes, as `--by` names them. They come first, and take the place of the usual ones.

    Raises:
        ValueError: An attribute of `by` is unknown, needs a lexicon, or makes too many buckets for the
            page; or a document has no text to look its spans up in.
    """
    asked = {text: requested_attribute(text) for text in dict.fromkeys(by)}
    usual = [] if any(document.text is None for document in systems[0].documents) else TITLES
    names = {each.name for each in asked.values()}
    for name in usual:
        if name not in names and (lexicon or not ATTRIBUTES[name].needs_lexicon):
            asked[name] = requested_attribute(name)
    found = [_slice(text, each, systems, fair, lexicon) for text, each in asked.items()]
    for each in found:
        if each.name in by and len(each.buckets) > len(DIGITS):
            number = len(each.buckets)
            raise ValueError(f"--by {each.name} makes {number} buckets; a report shows at most {len(DIGITS)}")
    return [each for each in found if 0 < len(each.buckets) <= len(DIGITS)]


def _slice(
    text: str, by: RequestedAttribute, systems: Sequence[ReportedSystem], fair: Metric, lexicon: Lexicon | None
) -> Slice:
    breakdowns = [Breakdown([fair], by, lexicon) for _ in systems]
    for system, breakdown in zip(systems, breakdowns):
        for document in system.documents:
            breakdown.add(document)
    results = [breakdown.result() for breakdown in breakdowns]
    buckets = list(dict.fromkeys(bucket for result in results for bucket in result["buckets"]))
    rows = bucket_rows(fair, results, by.name)
    order = [row.bucket for row in rows]
    digit = {bucket: DIGITS[order.index(bucket)] for bucket in buckets if bucket in order and len(order) <= len(DIGITS)}
    value = by.attribute.value
    bucket_of = [breakdown.bucket_of for breakdown in breakdowns]
    of = []
    for sides in zip(*(system.documents for system in systems)):
        lists = [(sides[0], sides[0].gold, bucket_of[0])]
        lists += [(side, side.pred, own) for side, own in zip(sides, bucket_of)]
        contexts = [AttributeContext(side, lexicon) for side, _, _ in lists]
        of.append(
            [
                "".join(digit.get(own[value(context, span)], "z") for span in spans)
                for context, (_, spans, own) in zip(contexts, lists)
            ]
        )
    title = TITLES.get(by.name, f"{by.name}: {by.attribute.help}")
    return Slice(text, title, by.attribute.help, rows, [row.name for row in rows], of)
