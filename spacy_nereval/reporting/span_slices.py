"""Scores by attributes of the span, with the bucket of every span, so that a bucket can be chosen on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..core.declaration import Metric, Verdict
from ..core.lexicon import Lexicon
from ..core.messages import named
from ..core.spans import Document, Span
from ..evaluation.attributes import ATTRIBUTES, RequestedAttribute, requested_attribute
from ..evaluation.breakdown import Breakdown
from ..evaluation.buckets import Value

TITLES = {
    "eLen": "Words in the span",
    "case": "Capitals",
    "position": "Place in the text",
    "eFre": "Frequency in training",
    "eCon": "Share of its occurrences in training with this label",
}
"""The attributes by which spans are always scored, if they can be, with their titles."""

LENGTHS = {"0": "no word", "1": "1 word", "2": "2 words", "3": "3 words", "4 and more": "4 words and more"}
"""The buckets of the attribute eLen, in words."""

BUCKETS = {("eFre", "0"): "not seen in training", ("eCon", "0"): "never with this label"}
"""Other buckets in words."""

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""A digit for each bucket, as the page's script reads them."""


class Slice(NamedTuple):
    """Scores by one attribute.

    Attributes:
        name, title: The attribute, as it is asked for, and in words.
        breakdowns: For each system, the result of the breakdown.
        buckets: The buckets, as the breakdowns name them and in words.
        of: For each document, a string for gold and for each system's predictions, with a digit for the bucket of
            each span.
    """

    name: str
    title: str
    breakdowns: Sequence[Mapping[str, Any]]
    buckets: dict[str, str]
    of: list[list[str]]


def slices(
    systems: Sequence[Sequence[Document]],
    metric: Metric,
    verdicts: Sequence[Sequence[Sequence[Verdict]]],
    lexicon: Lexicon | None,
    by: Sequence[str] = (),
) -> list[Slice]:
    """Return the scores by each attribute; none if a document has no text, unless attributes are asked for.

    Args:
        systems: The documents of each system.
        metric: The metric.
        verdicts: Its verdicts on each document of each system.
        lexicon: The lexicon of the training data, for the attributes that need one.
        by: Further attributes, as `--by` names them. They come first, and take the place of the usual ones.

    Raises:
        ValueError: An attribute of `by` is unknown, needs a lexicon, or makes too many buckets; or a document has no
            text to look its spans up in.
    """
    asked = {text: requested_attribute(text) for text in dict.fromkeys(by)}
    usual = [] if any(document.text is None for document in systems[0]) else TITLES
    names = {each.name for each in asked.values()}
    for name in usual:
        if name not in names and (lexicon or not ATTRIBUTES[name].needs_lexicon):
            asked[name] = requested_attribute(name)
    found = [_slice(text, each, systems, metric, lexicon, verdicts) for text, each in asked.items()]
    for each in found:
        if each.name in by and len(each.buckets) > len(DIGITS):
            number = len(each.buckets)
            raise ValueError(f"{named('by', each.name)} makes {number} buckets; a report shows at most {len(DIGITS)}")
    return [each for each in found if 0 < len(each.buckets) <= len(DIGITS)]


def _slice(
    text: str,
    by: RequestedAttribute,
    systems: Sequence[Sequence[Document]],
    metric: Metric,
    lexicon: Lexicon | None,
    verdicts: Sequence[Sequence[Sequence[Verdict]]],
) -> Slice:
    breakdowns = [Breakdown([metric], by, lexicon, apart=False) for _ in systems]
    values: list[list[Mapping[Span, Value]]] = []  # of each document, of each side; the same where their words are
    for k, sides in enumerate(zip(*systems)):
        own: list[Mapping[Span, Value]]
        if all(side.tokens == sides[0].tokens for side in sides):
            spans = dict.fromkeys((*sides[0].gold, *(span for side in sides for span in side.pred)))
            own = [breakdowns[0].values(sides[0], spans)] * len(sides)
        else:
            own = [each.values(side, (*side.gold, *side.pred)) for each, side in zip(breakdowns, sides)]
        for side, breakdown, value_of, judged in zip(sides, breakdowns, own, verdicts):
            breakdown.add(side, value_of, [judged[k]])
        values.append(own)
    results = [breakdown.result() for breakdown in breakdowns]
    present = dict.fromkeys(bucket for result in results for bucket in result["buckets"])
    known = LENGTHS if by.name == "eLen" else {}
    buckets = {bucket: _in_words(by.name, bucket) for bucket in (*known, *present) if bucket in present}
    digit = dict(zip(buckets, DIGITS)) if len(buckets) <= len(DIGITS) else {}
    bucket_of = [breakdown.bucket_of for breakdown in breakdowns]
    digits = [{value: digit.get(bucket, "z") for value, bucket in each.items()} for each in bucket_of]
    of = []
    for sides, own in zip(zip(*systems), values):
        lists = [(sides[0].gold, own[0], digits[0]), *((side.pred, *each) for side, *each in zip(sides, own, digits))]
        of.append(["".join([digit_of[value_of[span]] for span in spans]) for spans, value_of, digit_of in lists])
    title = TITLES.get(by.name, f"{by.name}: {by.attribute.help}")
    return Slice(text, title, results, buckets, of)


def _in_words(by: str, bucket: str) -> str:
    other = f"{bucket} words" if by == "eLen" else bucket  # such as "2-5"
    return LENGTHS.get(bucket, other) if by == "eLen" else BUCKETS.get((by, bucket), other)
