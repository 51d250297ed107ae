"""Attributes of spans, such as their length, by which scores are broken down.

An attribute gives every span a value, and values are grouped into buckets.
Attributes that depend on the label use the span's own one: the gold label for
gold spans, the predicted label for predictions.

The names are those of Fu, Liu and Neubig (2020), "Interpretable Multi-dataset
Evaluation for Named Entity Recognition", where the attribute is theirs. What
they compute per sentence is computed per document here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from math import isfinite
from typing import NamedTuple

from ..core.lexicon import Lexicon
from ..core.messages import absent
from ..core.spans import Document, Span
from .buckets import Buckets, Value


class AttributeContext:
    """What the attributes of a document's spans are computed from.

    Args:
        document: One document with its text.
        lexicon: The lexicon of a training corpus, for the attributes that need it.
    """

    def __init__(self, document: Document, lexicon: Lexicon | None = None) -> None:
        self.document = document
        self._lexicon = lexicon

    @property
    def lexicon(self) -> Lexicon:
        """The lexicon of the training corpus."""
        assert self._lexicon, "callers refuse attributes that need a lexicon if there is none"
        return self._lexicon

    @property
    def text(self) -> str:
        """The text of the document, without invented mentions. Raise ValueError if it has none."""
        return self.document.known_text("attributes of spans")[: self.document.annex]

    @cached_property
    def words(self) -> list[str]:
        """The words of the text."""
        return [self.text[start:end] for start, end in self.document.own_words]

    @cached_property
    def gold_density(self) -> float:
        """The share of the document's words that are in gold spans."""
        spans = [span for span in self.document.gold if not self.document.is_invented(span)]
        inside = {at for span in spans for at in range(*self.document.word_range(span))}
        return _share(len(inside), len(self.words))

    @cached_property
    def unknown_share(self) -> float:
        """The share of the document's words that do not occur in the training corpus."""
        return _share(sum(word not in self.lexicon.tokens for word in self.words), len(self.words))

    def surface(self, span: Span) -> str:
        """Return the words of a span, separated by single spaces."""
        return " ".join(self.document.words_of(span))


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


# The value of a span


def letter_case(context: AttributeContext, span: Span) -> str:
    """Return how a span is capitalised: lower, Title, UPPER, Mixed, or no letters."""
    words = context.document.words_of(span)
    text = "".join(character for word in words for character in word if character.isalpha())
    if not text:
        return "no letters"
    if text.isupper():
        return "UPPER"
    if not any(character.isupper() for character in text):
        return "lower"
    initials = [word[0] for word in words if word[0].isalpha()]
    return "Title" if initials and all(initial.isupper() for initial in initials) else "Mixed"


def relative_position(context: AttributeContext, span: Span) -> float:
    """Return where in the text a span begins, from 0 to 1."""
    return min(1.0, _share(span.start, len(context.text)))


def span_frequency(context: AttributeContext, span: Span) -> float:
    """Return how often training has the surface as a span, relative to its most frequent surface."""
    by_label = context.lexicon.surfaces.get(context.surface(span), {})
    return _share(sum(by_label.values()), context.lexicon.most_frequent[0])


def token_frequency(context: AttributeContext, span: Span) -> float:
    """Return how often training has the words, their mean, relative to its most frequent word."""
    words, occurrences = context.document.words_of(span), context.lexicon.token_occurrences
    seen = sum(occurrences.get(word, 0) for word in words)
    return _share(seen, len(words) * context.lexicon.most_frequent[1])


def span_consistency(context: AttributeContext, span: Span) -> float:
    """Return the share of the surface's occurrences in training that have the span's label."""
    surface = context.surface(span)
    by_label = context.lexicon.surfaces.get(surface, {})
    return _share(by_label.get(span.label, 0), context.lexicon.occurrences.get(surface, 0))


def token_consistency(context: AttributeContext, span: Span) -> float:
    """Return the share of each word's occurrences in training that have the label, their mean."""
    words = context.document.words_of(span)
    tokens, occurrences = context.lexicon.tokens, context.lexicon.token_occurrences
    shares = [_share(tokens.get(word, {}).get(span.label, 0), occurrences.get(word, 0)) for word in words]
    return _share(sum(shares), len(words))


# The usual buckets of a value


def length_bucket(value: float) -> str:
    """Return the bucket of a number of words: each below 4, and the rest."""
    return f"{value:g}" if value < 4 else "4 and more"


def quarter_bucket(value: float) -> str:
    """Return the quarter of the text that a place from 0 to 1 is in."""
    return ("first quarter", "second quarter", "third quarter", "last quarter")[min(int(value * 4), 3)]


def consistency_bucket(value: float) -> str:
    """Return which of 0, (0, 0.5], (0.5, 1) and 1 a share belongs to."""
    if value in (0, 1):
        return f"{value:g}"
    return "(0, 0.5]" if value <= 0.5 else "(0.5, 1)"


class Attribute(NamedTuple):
    """An attribute and how its values are grouped by default.

    Attributes:
        help: What it is, for people.
        value: Its value for a span: a number, or a string, which is a bucket of its own.
        buckets: A function that names the bucket of a number; or the number of buckets,
            which share out the gold spans as equally as possible without splitting a value.
        zero: Whether 0 is a bucket of its own, beside a number of buckets.
        needs_lexicon: Whether it looks spans up in a training corpus.
    """

    help: str
    value: Callable[[AttributeContext, Span], Value]
    buckets: Callable[[float], str] | int = 4
    zero: bool = False
    needs_lexicon: bool = False


ATTRIBUTES: dict[str, Attribute] = {
    "eLen": Attribute("words in the span", lambda context, span: len(context.document.words_of(span)), length_bucket),
    "cLen": Attribute("characters in the span", lambda context, span: span.end - span.start),
    "sLen": Attribute("words in the document", lambda context, span: len(context.words)),
    "eDen": Attribute(
        "share of the document's words that are in gold spans", lambda context, span: context.gold_density
    ),
    "position": Attribute("where in the text the span begins", relative_position, quarter_bucket),
    "case": Attribute("capitals: lower, Title, UPPER, Mixed, or no letters", letter_case),
    "oDen": Attribute(
        "share of the document's words that do not occur in training",
        lambda context, span: context.unknown_share,
        buckets=3,
        zero=True,
        needs_lexicon=True,
    ),
    "eFre": Attribute(
        "spans with this surface in training, relative to the most frequent surface",
        span_frequency,
        buckets=3,
        zero=True,
        needs_lexicon=True,
    ),
    "tFre": Attribute(
        "mean frequency of the words in training, relative to the most frequent word",
        token_frequency,
        buckets=3,
        zero=True,
        needs_lexicon=True,
    ),
    "eCon": Attribute(
        "share of the surface's occurrences in training that have this label; 0 if there are none",
        span_consistency,
        consistency_bucket,
        needs_lexicon=True,
    ),
    "tCon": Attribute(
        "share of each word's occurrences in training that have this label, the mean over the words",
        token_consistency,
        consistency_bucket,
        needs_lexicon=True,
    ),
}
ALIASES = {"length": "eLen"}


# Requests of users


class RequestedAttribute(NamedTuple):
    """An attribute as `--by` requests it, with the buckets that its values are grouped into."""

    name: str
    attribute: Attribute
    buckets: Buckets


def requested_attribute(text: str) -> RequestedAttribute:
    """Parse a value of `--by`.

    Args:
        text: The name of an attribute, alone or with its buckets: `eLen`; `sLen:5` for
            five buckets; `eLen:2,4` for buckets at these edges; `eDen:0.5` for one edge,
            since a fraction cannot be a number of buckets.

    Raises:
        ValueError: If there is no such attribute, or if what follows the colon is neither a
            whole number from 2 up nor a list of ascending edges.

    Example:
        >>> [requested_attribute(text).buckets for text in ("sLen:5", "eDen:0.1,0.5")]
        [5, (0.1, 0.5)]
        >>> requested_attribute("length").name
        'eLen'
    """
    name, colon, given = text.partition(":")
    name = ALIASES.get(name.strip(), name.strip())
    if name not in ATTRIBUTES:
        raise ValueError(absent(name, ATTRIBUTES, "attribute", 50))
    attribute = ATTRIBUTES[name]
    return RequestedAttribute(name, attribute, _parsed_buckets(given, text, name) if colon else attribute.buckets)


def _parsed_buckets(given: str, text: str, name: str) -> Buckets:
    """Return a number of buckets, or edges; `text` and `name` are for the error."""
    try:
        numbers = tuple(float(number) for number in given.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) == 1 and numbers[0].is_integer():
        if numbers[0] >= 2:
            return int(numbers[0])
    elif numbers and all(map(isfinite, numbers)) and all(a < b for a, b in pairwise(numbers)):
        return numbers
    raise ValueError(
        f"{text!r}: expected a number of buckets from 2 up, such as {name}:4, or ascending edges, "
        "such as sLen:10,20 or eDen:0.5"
    )
