"""Scores by an attribute of spans, such as their length: the same verdicts, with buckets instead of labels.

An attribute gives every span a value, and the values are grouped into buckets. A verdict counts in the bucket of its
gold span, or of its predicted span if it has no gold span (the other way round with focus="system"). A span counts in
the bucket of its first verdict. So every span is in exactly one bucket, and the buckets sum to the whole.

An attribute that depends on the label uses the span's own label. The names are those of Fu, Liu and Neubig (2020),
"Interpretable Multi-dataset Evaluation for Named Entity Recognition", where the attribute is theirs. Their numbers
per sentence are computed per document here.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from ..core.declaration import Kind, Metric, Verdict
from ..core.document_fields import META, describe_missing_field, field_of, field_value
from ..core.lexicon import Lexicon
from ..core.messages import describe_unknown, spell_argument
from ..core.pieces import has_gaps, pieces_of
from ..core.spans import Document, Span
from ..counting.counts import Counts
from ..counting.sums import HIGH, LOW, NUMBER, Key, split_amounts
from ..counting.table import sum_counts
from .intervals import intervals
from .resampling import Confidence
from .result import make_plain
from .scores import score_sums
from .slices import REST, SLICE, slice_differences

Value = float | str
"""The value of an attribute: a number, or the name of a bucket."""

LISTED = 20
"""Number of fields of documents that are remembered for an error."""

Buckets = Callable[[float], str] | int | tuple[float, ...]
"""How numbers are grouped: by a function from value to bucket, into a number of buckets, or at edges."""


def bucket_values(gold: Mapping[Value, int], buckets: Buckets, zero: bool = False) -> dict[Value, str]:
    """Return the bucket of each value.

    A number of buckets means buckets with about equally many gold spans. Equal values share a bucket, and
    a bucket is named after its smallest and largest value. A bucket between two edges includes only the lower one.

    Args:
        gold: How many gold spans have each value.
        buckets: How numbers are grouped; strings are buckets already.
        zero: Whether 0 is a bucket of its own.

    Returns:
        Every value with its bucket: numbers in ascending order, then strings.

    Example:
        >>> bucket_values({1: 5, 2: 5, 3: 4, 9: 1}, 2)
        {1: '1', 2: '2-9', 3: '2-9', 9: '2-9'}
        >>> bucket_values({1: 5, 2: 5, 9: 1}, (2, 5))
        {1: 'below 2', 2: '2 to below 5', 9: '5 and more'}
    """
    bucket_of: dict[Value, str] = {}
    numbers = dict(sorted((value, n) for value, n in gold.items() if not isinstance(value, str)))
    if zero and 0 in numbers:
        bucket_of[0.0] = "0"
        del numbers[0]
    if callable(buckets):
        bucket_of |= {value: buckets(value) for value in numbers}
    elif isinstance(buckets, tuple):
        bucket_of |= {value: _edge_bucket(value, buckets) for value in numbers}
    else:
        bucket_of |= _equal_buckets(numbers, buckets)
    return bucket_of | {value: value for value in sorted((v for v in gold if isinstance(v, str)), key=str.swapcase)}


def _equal_buckets(numbers: Mapping[float, int], most: int) -> dict[Value, str]:
    """Group ascending values into at most `most` buckets with about equally many gold spans."""
    members: dict[int, list[float]] = {}
    below, total = 0, max(1, sum(numbers.values()))
    for value, n in numbers.items():
        middle = below + n / 2  # the middle one of the value's gold spans decides
        members.setdefault(min(int(middle * most / total), most - 1), []).append(value)
        below += n
    result: dict[Value, str] = {}
    for values in members.values():
        ends = (values[0], values[-1])
        name = "-".join(dict.fromkeys(map(_short_number, ends)))
        if name in result.values():  # the ends differ only in digits that are not shown
            name = "-".join(map(repr, ends))
        result |= dict.fromkeys(values, name)
    return result


def _short_number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.3g}"


def _edge_bucket(value: float, edges: Sequence[float]) -> str:
    at = bisect_right(edges, value)
    lower, upper = (_short_number(edges[k]) if 0 <= k < len(edges) else "" for k in (at - 1, at))
    if not lower:
        return f"below {upper}"
    return f"{lower} to below {upper}" if upper else f"{lower} and more"


class AttributeContext:
    """The data from which the attributes of a document's spans are computed.

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
        ranges = [self.document.word_range(span) for span in spans]
        inside = {at for words in ranges for piece in pieces_of(words) for at in range(*piece)}
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


def piece_bucket(context: AttributeContext, span: Span) -> str:
    """Return whether a span has gaps."""
    return "several" if has_gaps(span) else "one"


def span_frequency(context: AttributeContext, span: Span) -> float:
    """Return the frequency of the surface as a span in training, relative to the most frequent surface."""
    by_label = context.lexicon.surfaces.get(context.surface(span), {})
    return _share(sum(by_label.values()), context.lexicon.most_frequent[0])


def token_frequency(context: AttributeContext, span: Span) -> float:
    """Return the mean frequency of the words in training, relative to the most frequent word."""
    words, occurrences = context.document.words_of(span), context.lexicon.token_occurrences
    frequency = sum(occurrences.get(word, 0) for word in words)
    return _share(frequency, len(words) * context.lexicon.most_frequent[1])


def span_consistency(context: AttributeContext, span: Span) -> float:
    """Return the share of the surface's occurrences in training that have the span's label."""
    surface = context.surface(span)
    by_label = context.lexicon.surfaces.get(surface, {})
    return _share(by_label.get(span.label, 0), context.lexicon.occurrences.get(surface, 0))


def token_consistency(context: AttributeContext, span: Span) -> float:
    """Return the share of a word's occurrences in training that have the label, the mean over the words."""
    words = context.document.words_of(span)
    tokens, occurrences = context.lexicon.tokens, context.lexicon.token_occurrences
    shares = [_share(tokens.get(word, {}).get(span.label, 0), occurrences.get(word, 0)) for word in words]
    return _share(sum(shares), len(words))


# The usual buckets of a value


def length_bucket(value: float) -> str:
    """Return the bucket of a number of words: the number itself below 4, else "4 and more"."""
    return f"{value:g}" if value < 4 else "4 and more"


def quarter_bucket(value: float) -> str:
    """Return the quarter of the text for a relative position from 0 to 1."""
    return ("first quarter", "second quarter", "third quarter", "last quarter")[min(int(value * 4), 3)]


def consistency_bucket(value: float) -> str:
    """Return which of 0, (0, 0.5], (0.5, 1) and 1 a share belongs to."""
    if value in (0, 1):
        return f"{value:g}"
    return "(0, 0.5]" if value <= 0.5 else "(0.5, 1)"


class Attribute(NamedTuple):
    """An attribute and how its values are grouped by default.

    Attributes:
        help: A description for users.
        value: Its value for a span: a number, or a string, which is the name of a bucket.
        buckets: A function that names the bucket of a number; or the number of buckets, see `bucket_values`.
        zero: Whether 0 has a bucket, in addition to a number of buckets.
        needs_lexicon: Whether it looks spans up in a training corpus.
    """

    help: str
    value: Callable[[AttributeContext, Span], Value]
    buckets: Callable[[float], str] | int = 4
    zero: bool = False
    needs_lexicon: bool = False


ATTRIBUTES: dict[str, Attribute] = {
    "eLen": Attribute("words in the span", lambda context, span: len(context.document.words_of(span)), length_bucket),
    "cLen": Attribute("characters in the span", lambda context, span: span.size),
    "pieces": Attribute("pieces: one, or several in a span with gaps", piece_bucket),
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
        "share of its occurrences in training data that have this label; 0 if there are none",
        span_consistency,
        consistency_bucket,
        needs_lexicon=True,
    ),
    "tCon": Attribute(
        "share of each word's occurrences in training data that have this label, the mean over the words",
        token_consistency,
        consistency_bucket,
        needs_lexicon=True,
    ),
}
ALIASES = {"length": "eLen"}

MOST_BUCKETS = 1000
"""Maximum number of buckets by a field of the document."""


def field_attribute(field: str) -> Attribute:
    """Return the attribute with the values of a field of the document."""

    def value(context: AttributeContext, span: Span) -> Value:
        found = field_value(context.document.meta, field)
        return no_field(field) if found is None else found

    return Attribute("field of the document", value)


def no_field(field: str) -> str:
    """Return the name of the bucket of documents without a field.

    >>> no_field("source")
    '(no source)'
    """
    return f"(no {field})"


def attribute_named(name: str) -> Attribute:
    """Return an attribute by its name without buckets. Raise ValueError if there is none."""
    if field := field_of(name):
        return field_attribute(field)
    if name not in ATTRIBUTES:
        fields = f", and fields of the document such as {META}source"
        raise ValueError(f"{describe_unknown(name, ATTRIBUTES, 'attribute', 50)}{fields}")
    return ATTRIBUTES[name]


# Requests of users


class AttributeRequest(NamedTuple):
    """An attribute as `--by` requests it, with the buckets that its values are grouped into."""

    name: str
    attribute: Attribute
    buckets: Buckets


def parse_attribute(text: str) -> AttributeRequest:
    """Parse a value of `--by`.

    Args:
        text: The name of an attribute, alone or with its buckets: `eLen`; `sLen:5` for
            five buckets; `eLen:2,4` for buckets at these edges; `eDen:0.5` for one edge,
            since a fraction cannot be a number of buckets. `meta.FIELD` is a field of the document.

    Raises:
        ValueError: If there is no such attribute, or if the text after the colon is neither a
            whole number from 2 up nor a list of ascending edges.

    Example:
        >>> [parse_attribute(text).buckets for text in ("sLen:5", "eDen:0.1,0.5")]
        [5, (0.1, 0.5)]
        >>> parse_attribute("length").name
        'eLen'
    """
    name, colon, buckets = text.partition(":")
    name = ALIASES.get(name.strip(), name.strip())
    attribute = attribute_named(name)
    return AttributeRequest(name, attribute, _parse_buckets(buckets, text, name) if colon else attribute.buckets)


def split_attributes(given: Iterable[str] | str) -> list[str]:
    """Return the attributes in comma-separated lists. Numbers belong to the attribute before them.

    >>> split_attributes(["eLen:2,5,eCon", "case"]), split_attributes("eDen:0.1, 0.5")
    (['eLen:2,5', 'eCon', 'case'], ['eDen:0.1,0.5'])
    """
    attributes: list[str] = []
    text = given if isinstance(given, str) else ",".join(given)
    for part in text.split(",") if text else ():
        if attributes and ":" in attributes[-1] and part.replace(".", "").strip().isdigit():
            attributes[-1] += f",{part.strip()}"
        else:
            attributes.append(part.strip())
    return list(dict.fromkeys(attributes))


def _parse_buckets(buckets: str, text: str, name: str) -> Buckets:
    """Return a number of buckets, or edges; `text` and `name` are for the error."""
    try:
        numbers = tuple(float(number) for number in buckets.split(","))
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


class Breakdown:
    """Counts of some metrics by the values of one attribute, one document at a time.

    Args:
        metrics: The metrics to count.
        by: The attribute, as `--by` names it.
        lexicon: The lexicon of the training data, for attributes that need it.
        apart: Whether to keep a row per document, which intervals, averages over documents (wrf) and `counts` need.

    Raises:
        ValueError: There is no such attribute, or it needs training data and there are none.

    >>> from spacy_nereval import Document, create
    >>> by_length = Breakdown([create("strict")], "eLen")
    >>> by_length.add(Document([(0, 3, "A"), (4, 11, "A")], [(0, 3, "A")], "Ada New Ulm"))
    >>> {bucket: row["counts"] for bucket, row in by_length.result()["metrics"]["strict"].items()}
    {'1': {'tp': 1, 'fp': 0, 'fn': 0}, '2': {'tp': 0, 'fp': 0, 'fn': 1}}
    """

    def __init__(
        self,
        metrics: Iterable[Metric],
        by: str | AttributeRequest,
        lexicon: Lexicon | None = None,
        *,
        apart: bool = True,
    ) -> None:
        self.by: AttributeRequest = parse_attribute(by) if isinstance(by, str) else by
        self.lexicon = lexicon
        if self.by.attribute.needs_lexicon and not lexicon:
            raise ValueError(
                f"{self.by.name} needs training data to look spans up in: give {spell_argument('train', 'FILE')}, "
                "a corpus or a lexicon that 'nereval training' wrote"
            )
        self._gold: Counter[Value] = Counter()
        self._pred: Counter[Value] = Counter()
        self._values: dict[Value, None] = {}
        self._fields: dict[str, None] = {}  # names of other fields, for an error
        self._ids: list[str | None] = []
        # Each metric has its own rows, since each decides where a pair counts.
        self._metrics = tuple(metrics)
        self._apart = apart
        self._rows: list[Counter[tuple[Any, ...]]] = [Counter() for _ in self._metrics]

    def add(
        self,
        document: Document | None,
        value: Mapping[Span, Value] | None = None,
        verdicts: Sequence[Iterable[Verdict]] | None = None,
    ) -> None:
        """Count one document; None, for one without gold annotation, counts nothing.

        Args:
            document: The document.
            value: The values of its spans, if computed already. It may have those of other spans too.
            verdicts: The verdicts of each metric on it, if computed already.
        """
        if document is None:
            return
        if len(self._fields) < LISTED:
            self._fields |= dict.fromkeys(map(str, document.meta or ()))
        value = self.values(document, dict.fromkeys((*document.gold, *document.pred))) if value is None else value
        for spans, numbers in ((document.gold, self._gold), (document.pred, self._pred)):
            for span in spans:
                numbers[value[span]] += 1
                self._values[value[span]] = None
        number = len(self._ids) if self._apart else 0
        judged = [metric.verdicts(document) for metric in self._metrics] if verdicts is None else verdicts
        for metric, metric_verdicts, rows in zip(self._metrics, judged, self._rows):
            for *key, amount in _rows(metric, metric_verdicts, document, value):
                rows[(number, *key)] += amount
        if self._apart or not self._ids:
            self._ids.append(document.id if self._apart else None)

    def values(self, document: Document, spans: Iterable[Span]) -> dict[Span, Value]:
        """Return the value of spans of a document."""
        context = AttributeContext(document, self.lexicon)
        return {span: self.by.attribute.value(context, span) for span in spans}

    @property
    def bucket_of(self) -> dict[Value, str]:
        """The bucket of each value so far, in the order of the buckets."""
        gold = {value: self._gold[value] for value in self._values}
        return bucket_values(gold, self.by.buckets, self.by.attribute.zero)

    def result(self, whole: Counts | None = None, confidence: Confidence | None = None) -> dict[str, Any]:
        """Return the buckets in ascending order, the spans in each, and each metric's scores and counts of each.

        Args:
            whole: The counts by label, with units for intervals.
            confidence: Settings of the buckets' intervals; None for no intervals. With intervals, each bucket is also
                tested against the rest, see `slices`.

        Raises:
            ValueError: No document has the field that the attribute is.
        """
        self.check_field()
        bucket_of = self.bucket_of
        buckets = list(dict.fromkeys(bucket_of.values()))
        metrics = {}
        for metric, rows in zip(self._metrics, self._rows):
            (scores,) = score_sums(sum_counts(self._counts(metric, rows, bucket_of), labels=buckets))
            metrics[metric.name] = {
                bucket: {
                    part: {name: values[k, 0] for name, values in table.items()}
                    for part, table in (("scores", scores.label_scores), ("counts", scores.label_counts))
                }
                for k, bucket in enumerate(buckets)
            }
            if confidence and whole:
                bounds = intervals(self.counts(metric.name, whole), confidence)[metric.name]["per_type"]
                against_rest = self.differences_from_rest(metric.name, whole, confidence)
                for bucket, row in metrics[metric.name].items():
                    row["intervals"] = bounds[bucket]
                    row["rest"] = against_rest[bucket]
        sides = {
            side: {bucket: sum(n for value, n in numbers.items() if bucket_of[value] == bucket) for bucket in buckets}
            for side, numbers in (("gold", self._gold), ("pred", self._pred))
        }
        summary = {"by": self.by.name, "buckets": buckets, **sides, "metrics": metrics}
        if self.by.attribute.needs_lexicon and self.lexicon:
            summary["training"] = self.lexicon.digest
        result: dict[str, Any] = make_plain(summary)
        return result

    def check_field(self) -> None:
        """Raise ValueError if the attribute is a field that no document has, or that has too many values."""
        field = field_of(self.by.name)
        if field and self._values and not {*self._values} - {no_field(field)}:
            raise ValueError(describe_missing_field(field, self._fields))
        number = len({*self.bucket_of.values()}) if field else 0
        if number > MOST_BUCKETS:
            raise ValueError(
                f"{spell_argument('by', self.by.name)}: the field has {number} values; expected one with at most "
                f"{MOST_BUCKETS}, such as a source"
            )

    def share_values(self, others: Iterable[Breakdown]) -> None:
        """Add the values of others, so that all have the same buckets. Gold annotation has to be the same."""
        for other in others:
            self._values |= other._values

    def differences_from_rest(self, name: str, whole: Counts, confidence: Confidence) -> dict[str, dict[str, Any]]:
        """Return how each bucket differs from all others together in the headline score of a metric.

        Args:
            name: The name of the metric.
            whole: The counts by label, with units for the jackknife.
            confidence: The level of the intervals.
        """
        bucket_of = self.bucket_of
        buckets = [*dict.fromkeys(bucket_of.values())]

        def of_slice(bucket: str) -> Counts:
            names = {value: SLICE if name == bucket else REST for value, name in bucket_of.items()}
            return self.counts(name, whole, names)

        return {} if len(buckets) < 1 else slice_differences(buckets, of_slice, confidence.level)

    def counts(self, name: str, whole: Counts, bucket_of: Mapping[Value, str] | None = None) -> Counts:
        """Return the counts of a metric with buckets instead of labels, and with the units of the counts by label."""
        place = next(k for k, metric in enumerate(self._metrics) if metric.name == name)
        names = self.bucket_of if bucket_of is None else bucket_of
        counts = self._counts(self._metrics[place], self._rows[place], names)
        counts.ids, counts.units, counts.unit = [*whole.ids], [*whole.units], whole.unit
        return counts

    def _counts(self, metric: Metric, rows: Mapping[tuple[Any, ...], int], bucket_of: Mapping[Value, str]) -> Counts:
        """Return the table of one metric, with buckets instead of labels."""
        from scipy.sparse import csr_array

        # The rows have all verdicts, including those on spans that need no judge.
        counts = Counts([replace(metric, scope="document", judge=metric.verdicts)])
        counts.by = self.by.name
        columns: dict[Key, int] = {}
        places = []
        for number, name, verdict, *values, quantity, note in rows:
            gold, pred = ("" if value is None else bucket_of[value] for value in values)
            key = Key(name, verdict, gold, pred, quantity, note)
            places.append((number, columns.setdefault(key, len(columns))))
        doc, column = np.array(places, dtype=np.int64).reshape(-1, 2).T
        amount = np.array([*rows.values()], dtype=np.int64)
        cells = csr_array((amount, (doc, column)), (len(self._ids), len(columns)))
        counts.append(self._ids, [], cells, [*columns])
        return counts


def breakdown(
    documents: Iterable[Document | None], metrics: Iterable[Metric], by: str = "eLen", lexicon: Lexicon | None = None
) -> dict[str, Any]:
    """Return the result of a `Breakdown` of all documents."""
    result = Breakdown(metrics, by, lexicon)
    for document in documents:
        result.add(document)
    return result.result()


def gold_of_bucket(documents: Sequence[Document | None], by: str, bucket: str | None) -> list[set[Span]]:
    """Return the gold spans of each document that are in a bucket of an attribute that needs no training data.

    >>> gold_of_bucket([Document([(0, 3, "A"), (4, 11, "A")], [], "Ada New Ulm")], "eLen", "2")
    [{Span(start=4, end=11, label='A')}]
    """
    values_of = Breakdown([], by)
    for document in documents:
        values_of.add(document)
    bucket_of, value = values_of.bucket_of, values_of.by.attribute.value
    contexts = [document and AttributeContext(document, None) for document in documents]
    return [
        {span for span in context.document.gold if bucket_of[value(context, span)] == bucket} if context else set()
        for context in contexts
    ]


_Row = tuple[str, str, Value | None, Value | None, str, str, int]
"""An amount of a verdict or a kind of span: the metric, the verdict, the values of its spans, None for no span, the
quantity, the note, and the amount."""


def _on_spans(verdicts: Iterable[Verdict], document: Document) -> Iterator[Verdict]:
    """Yield verdicts on spans that are labelled with rows, with the first span of the document in the same place."""
    places = [{span[:2]: span for span in reversed(side)} for side in (document.gold, document.pred)]
    for name, gold, pred, amount in verdicts:
        a, b = (
            span and places[side].get(span[:2], places[1 - side].get(span[:2]))
            for side, span in enumerate((gold, pred))
        )
        yield Verdict(name, a, b, amount)


def _rows(
    metric: Metric, verdicts: Iterable[Verdict], document: Document, value: Mapping[Span, Value]
) -> Iterator[_Row]:
    """Yield the rows that one metric adds for a document."""
    if metric.attributes:  # its verdicts are on values of the spans
        verdicts = _on_spans(verdicts, document)
    home: dict[tuple[Kind, Span], Value] = {}  # where each span counts
    sides = (Kind.MISS, document.gold), (Kind.SPURIOUS, document.pred)
    for name, gold, pred, amount in verdicts:
        leading = (pred or gold) if metric.focus == "system" else (gold or pred)
        for kind, span in ((Kind.MISS, gold), (Kind.SPURIOUS, pred)):
            if span and leading:
                home.setdefault((kind, span), value[leading])
        if name in metric.verdict_names:
            note = metric.note_of(document, name, gold, pred)
            values = (value[gold] if gold else None), (value[pred] if pred else None)
            if name in metric.partial_credit:
                high, low = split_amounts(np.array(amount)).tolist()
                for quantity, number in ((NUMBER, 1), (HIGH, int(high)), (LOW, int(low))):
                    yield metric.name, name, *values, quantity, note, number
            else:
                yield metric.name, name, *values, NUMBER, note, int(amount)
    for kind, spans in sides:
        for span in spans:
            bucket_value = home.get((kind, span), value[span])
            gold_value, pred_value = (bucket_value, None) if kind is Kind.MISS else (None, bucket_value)
            yield "", kind.value, gold_value, pred_value, NUMBER, "", 1
