"""Attributes of a span in its document, by which scores are broken down.

Each is looked up with the span's own label: the gold label for gold spans, the
predicted one for predictions. Names are those of Fu, Liu and Neubig (2020),
"Interpretable Multi-dataset Evaluation for Named Entity Recognition", where the
attribute is theirs. Their sentence is the document here.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from math import isfinite
from typing import Any, NamedTuple

from ..core.lexicon import Training
from ..core.spans import Document, Span

Value = float | str


class AttributeContext:
    """A document as the attributes of its spans see it."""

    def __init__(self, document: Document, training: Training | None = None) -> None:
        self.document = document
        self._training = training

    @property
    def training(self) -> Training:
        assert self._training, "attributes that need training counts are refused without them"
        return self._training

    @property
    def text(self) -> str:
        if self.document.text is None:
            raise ValueError("attributes need the text: Document(gold=..., pred=..., text=...)")
        return self.document.text

    @cached_property
    def words(self) -> list[str]:
        return [self.text[start:end] for start, end in self.document.words]

    @cached_property
    def density(self) -> float:
        """The share of words in gold spans."""
        inside = {at for span in self.document.gold for at in range(*self.document.word_range(span))}
        return _share(len(inside), len(self.words))

    @cached_property
    def unknown(self) -> float:
        """The share of words that the training corpus does not have."""
        return _share(sum(word not in self.training.tokens for word in self.words), len(self.words))

    def surface(self, span: Span) -> str:
        return " ".join(self.document.words_of(span))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def case(context: AttributeContext, span: Span) -> str:
    letters = [character for word in context.document.words_of(span) for character in word if character.isalpha()]
    text = "".join(letters)
    if not text:
        return "no letters"
    if text.isupper():
        return "UPPER"
    if not any(character.isupper() for character in text):
        return "lower"
    firsts = [word[0] for word in context.document.words_of(span) if word[0].isalpha()]
    return "Title" if firsts and all(first.isupper() for first in firsts) else "Mixed"


def position(context: AttributeContext, span: Span) -> float:
    return _share(span.start, len(context.text))


def span_frequency(context: AttributeContext, span: Span) -> float:
    row = context.training.surfaces.get(context.surface(span), {})
    return _share(sum(row.values()), context.training.most_frequent[0])


def token_frequency(context: AttributeContext, span: Span) -> float:
    words, tokens = context.document.words_of(span), context.training.tokens
    seen = sum(sum(tokens.get(word, {}).values()) for word in words)
    return _share(seen, len(words) * context.training.most_frequent[1])


def span_consistency(context: AttributeContext, span: Span) -> float:
    surface = context.surface(span)
    row = context.training.surfaces.get(surface, {})
    return _share(row.get(span.label, 0), context.training.occurrences.get(surface, 0))


def token_consistency(context: AttributeContext, span: Span) -> float:
    words = context.document.words_of(span)
    rows = [context.training.tokens.get(word, {}) for word in words]
    return _share(sum(_share(row.get(span.label, 0), sum(row.values())) for row in rows), len(words))


def lengths(value: float) -> str:
    return f"{value:g}" if value < 4 else "4 and more"


def quarters(value: float) -> str:
    return ("first quarter", "second quarter", "third quarter", "last quarter")[min(int(value * 4), 3)]


def consistencies(value: float) -> str:
    """{0}, (0, 0.5], (0.5, 1), {1}"""
    if value in (0, 1):
        return f"{value:g}"
    return "(0, 0.5]" if value <= 0.5 else "(0.5, 1)"


class Attribute(NamedTuple):
    """What is looked up of a span, and which values share a bucket.

    value: a number, or a string that names a bucket of its own.
    buckets: the name of a value's bucket; or a number n of buckets with as equal
        numbers of gold spans as there can be without splitting a value.
    zero: whether 0 is then a bucket of its own.
    needs_lexicon: whether training counts are needed.
    """

    help: str
    value: Callable[[AttributeContext, Span], Value]
    buckets: Callable[[float], str] | int = 4
    zero: bool = False
    needs_lexicon: bool = False


ATTRIBUTES: dict[str, Attribute] = {
    "eLen": Attribute("words in the span", lambda context, span: len(context.document.words_of(span)), lengths),
    "cLen": Attribute("characters in the span", lambda context, span: span.end - span.start),
    "sLen": Attribute("words in the document", lambda context, span: len(context.words)),
    "eDen": Attribute("share of the document's words that are in gold spans", lambda context, span: context.density),
    "position": Attribute("where in the text the span begins", position, quarters),
    "case": Attribute("capitals: lower, Title, UPPER, Mixed, or no letters", case),
    "oDen": Attribute(
        "share of the document's words that training does not have", lambda context, _: context.unknown, 3, True, True
    ),
    "eFre": Attribute(
        "spans with this surface in training, relative to the most frequent surface", span_frequency, 3, True, True
    ),
    "tFre": Attribute(
        "mean frequency of the words in training, relative to the most frequent word", token_frequency, 3, True, True
    ),
    "eCon": Attribute(
        "share of the surface's occurrences in training that have this label; 0 if there are none",
        span_consistency,
        consistencies,
        needs_lexicon=True,
    ),
    "tCon": Attribute(
        "share of each word's occurrences in training that have this label, the mean over the words",
        token_consistency,
        consistencies,
        needs_lexicon=True,
    ),
}
ALIASES = {"length": "eLen"}


Buckets = Callable[[float], str] | int | tuple[float, ...]
"""A function from value to bucket, a number of buckets, or the edges between buckets."""


def bucketed(gold: Mapping[Value, int], buckets: Buckets, zero: bool = False) -> dict[Value, str]:
    """The bucket of each value, in ascending order, given how many gold spans have it.

    Every value has exactly one bucket. A number of buckets shares out the gold
    spans as equally as values allow, which are never split; they are named by
    the least and the greatest value that they have. With edges a bucket has its
    lower edge and not its upper one.

    >>> bucketed({1: 5, 2: 5, 3: 4, 9: 1}, 2)
    {1: '1', 2: '2-9', 3: '2-9', 9: '2-9'}
    >>> bucketed({1: 5, 2: 5, 9: 1}, (2, 5))
    {1: 'below 2', 2: '2 to below 5', 9: '5 and more'}
    """
    found: dict[Value, str] = {}
    numbers: dict[float, int] = {
        value: n for value, n in sorted(gold.items(), key=_order) if not isinstance(value, str)
    }
    if zero and 0 in numbers:
        found[0.0] = "0"
        del numbers[0]
    if callable(buckets):
        found |= {value: buckets(value) for value in numbers}
    elif isinstance(buckets, tuple):
        found |= {value: _between(value, buckets) for value in numbers}
    else:
        parts: dict[int, list[float]] = {}
        below, total = 0, max(1, sum(numbers.values()))
        for value, n in numbers.items():  # the middle of a value's gold spans decides
            parts.setdefault(min(int((below + n / 2) * buckets / total), buckets - 1), []).append(value)
            below += n
        for part in parts.values():
            name = "-".join(dict.fromkeys(map(_short, (part[0], part[-1]))))
            if name in found.values():
                name = "-".join(repr(end) for end in (part[0], part[-1]))
            found |= dict.fromkeys(part, name)
    return found | {value: value for value in sorted((v for v in gold if isinstance(v, str)), key=str.swapcase)}


def _order(item: tuple[Value, int]) -> tuple[bool, Any]:
    return isinstance(item[0], str), item[0]


def _short(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.3g}"


def _between(value: float, edges: Sequence[float]) -> str:
    at = bisect_right(edges, value)
    lower, upper = (_short(edges[k]) if 0 <= k < len(edges) else "" for k in (at - 1, at))
    if not lower:
        return f"below {upper}"
    return f"{lower} to below {upper}" if upper else f"{lower} and more"


class RequestedAttribute(NamedTuple):
    """An attribute, and the buckets asked for."""

    name: str
    attribute: Attribute
    buckets: Buckets


def requested_attribute(text: str) -> RequestedAttribute:
    """An attribute as `--by` names it: `eLen`, `sLen:5` for five buckets, `eLen:2,4` for edges;
    a fraction alone is an edge too.

    Raises ValueError if there is no such attribute, with the names that there
    are, and if the buckets are no whole number from 2 up or no ascending edges.

    >>> [requested_attribute(text).buckets for text in ("sLen:5", "eDen:0.1,0.5")], requested_attribute("length").name
    ([5, (0.1, 0.5)], 'eLen')
    """
    name, colon, numbers = text.partition(":")
    name = ALIASES.get(name.strip(), name.strip())
    if name not in ATTRIBUTES:
        raise ValueError(f"there is no attribute {name!r} to break scores down by; there are {', '.join(ATTRIBUTES)}")
    attribute = ATTRIBUTES[name]
    if not colon:
        return RequestedAttribute(name, attribute, attribute.buckets)
    try:
        edges = tuple(float(number) for number in numbers.split(","))
        if not all(a < b for a, b in pairwise(edges)) or not all(map(isfinite, edges)):
            raise ValueError
        if len(edges) > 1 or edges[0] != int(edges[0]):
            return RequestedAttribute(name, attribute, edges)
        if edges[0] < 2:
            raise ValueError
        return RequestedAttribute(name, attribute, int(edges[0]))
    except ValueError:
        raise ValueError(
            f"{text!r}: a number of buckets from 2 up was wanted, {name}:4, or ascending edges, sLen:10,20 or eDen:0.5"
        ) from None
