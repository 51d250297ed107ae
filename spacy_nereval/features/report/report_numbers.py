"""Numbers of the report: gains from mending errors, scores by attributes of spans, and which systems fit together.

To compute the gain from mending errors, the predictions are corrected and counted again. So the gain is exact: a gold
span that was predicted in three pieces becomes one hit, and a corrected span may overlap predictions next to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...core.declaration import Metric, Verdict
from ...core.lexicon import Lexicon
from ...core.mention_places import share_annex
from ...core.messages import many, spell_argument
from ...core.spans import Document, Span
from ...counting.counter import count
from ...counting.table import Table, columns_of
from ...evaluation.breakdown import ATTRIBUTES, AttributeRequest, Breakdown, Value, parse_attribute
from ...evaluation.comparison import System
from ...evaluation.error_list import is_error

Choice = tuple[str | None, str | None]
"""The errors that are mended: the verdict that they have, or their label."""


class MendingGain(NamedTuple):
    """The gain from mending some errors.

    Attributes:
        verdict: The verdict of the errors that are mended; None for all errors of a label.
        label: The label of the errors that are mended; None for all errors with a verdict.
        errors: How many errors are mended. A gold span may have several.
        score: The score after mending, None if undefined.
        gain: The score minus the score before, None if one of them is undefined.
    """

    verdict: str | None
    label: str | None
    errors: int
    score: float | None
    gain: float | None


def mending_gains(
    documents: Sequence[Document], metric: Metric, verdicts: Iterable[Iterable[Verdict]] | None = None
) -> list[MendingGain]:
    """Return the gain of the headline score if the errors with each verdict, and then those of each label, were mended.

    Mending removes the wrong predictions of these errors, and predicts their gold spans. An error is of its gold
    label, or of the predicted one if there is no gold span; the other way round with `focus="system"`.

    Args:
        documents: The annotated documents of a corpus.
        metric: A metric that adds up whole verdicts.
        verdicts: Its verdicts on each document, if computed already.

    Returns:
        Verdicts and labels with errors; within each, the greatest gain first.

    Raises:
        ValueError: The metric gives partial credit, judges labels as classes, or its verdicts depend on the corpus.

    >>> from spacy_nereval import create
    >>> pieces = Document([(0, 9, "A")], [(0, 3, "A"), (3, 6, "A"), (6, 9, "A")])
    >>> [(gain.verdict, gain.label, gain.errors, gain.score) for gain in mending_gains([pieces], create("fair"))]
    [('be_s', None, 3, 1.0), (None, 'A', 3, 1.0)]
    """
    if metric.classes or metric.partial_credit or metric.resolve or metric.distinct:
        raise ValueError(f"{metric.name} does not add up whole verdicts, so errors cannot be mended one by one")
    errors: dict[Choice, dict[int, list[int]]] = {}
    errors_by_document: list[list[Verdict]] = []
    for number, document_verdicts in enumerate(map(metric.verdicts, documents) if verdicts is None else verdicts):
        errors_by_document.append([verdict for verdict in document_verdicts if is_error(metric, verdict)])
        for k, verdict in enumerate(errors_by_document[-1]):
            for choice in ((verdict.name, None), (None, error_label(metric, verdict))):
                errors.setdefault(choice, {}).setdefault(number, []).append(k)
    score_now, *scores_after = _scores_after_mending(documents, metric, errors_by_document, errors.values())
    rows = []
    for (verdict_name, label), score, mended_errors in zip(errors, scores_after, errors.values()):
        gain = None if score_now is None or score is None else score - score_now
        rows.append(MendingGain(verdict_name, label, sum(map(len, mended_errors.values())), score, gain))
    return sorted(rows, key=lambda row: (row.verdict is None, -(row.gain or 0), row.label or ""))


def error_label(metric: Metric, verdict: Verdict) -> str:
    """Return the label that an error counts for."""
    _, gold, pred, _ = verdict
    span = (pred or gold) if metric.focus == "system" else (gold or pred)
    assert span  # an error is on a span
    return span.label


def mend(document: Document, errors: Iterable[Verdict]) -> Document:
    """Return the document with its predictions corrected where they have some errors.

    >>> from spacy_nereval import Span
    >>> gold, piece = Span(0, 9, "A"), Span(0, 3, "A")
    >>> mend(Document([gold], [piece, (5, 9, "B")]), [Verdict("be_s", gold, piece)]).sides[1]
    [Span(start=0, end=9, label='A'), Span(start=5, end=9, label='B')]
    """
    errors = [*errors]
    predictions = {verdict.pred for verdict in errors} - {*document.gold}  # a metric may err about a span that is right
    golds = {verdict.gold for verdict in errors if verdict.gold}
    return document.replaced([*document.gold], sorted({*document.pred} - predictions | golds), document.text)


def _scores_after_mending(
    documents: Sequence[Document],
    metric: Metric,
    errors_by_document: Sequence[Sequence[Verdict]],
    choices: Iterable[Mapping[int, Iterable[int]]],
) -> list[float | None]:
    """Return the headline score of the documents, and that after mending some errors.

    Args:
        documents: The documents.
        metric: The metric.
        errors_by_document: The errors of each document.
        choices: The errors to mend: from the number of a document to numbers of its errors.
    """
    from scipy.sparse import csr_array

    # Only documents that change are counted again: their old rows are subtracted from the sum, and the new ones added.
    # A document of which several choices mend the same errors is counted once.
    places: dict[tuple[int, tuple[int, ...]], int] = {}
    changes = [
        (choice, number, places.setdefault((number, tuple(errors)), len(places)))
        for choice, errors_of_choice in enumerate(choices, 1)
        for number, errors in errors_of_choice.items()
    ]

    def versions() -> Iterator[Document]:
        yield from documents
        yield from (
            mend(documents[number], [errors_by_document[number][k] for k in errors]) for number, errors in places
        )

    table = Table(count(versions(), [metric], units=False), labels=())
    rows, numbers, version = np.array(changes, dtype=int).reshape(-1, 3).T
    ones, shape = np.ones(len(changes), dtype=np.int64), (rows.max(initial=0) + 1, table.cells.shape[0])
    weights = csr_array((ones, (rows, len(documents) + version)), shape)
    weights -= csr_array((ones, (rows, numbers)), shape)
    total = table.cells[: len(documents)].sum(axis=0)
    sums = (weights @ table.cells).toarray() + total
    scores = metric.formula(columns_of(metric, sums.T.astype(float), table.slots))[metric.headlines[0].name]
    return [float(score) if np.isfinite(score) else None for score in scores]


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
        name, title: The attribute as `--by` names it, and in words.
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


def score_slices(
    systems: Sequence[Sequence[Document]],
    metric: Metric,
    verdicts: Sequence[Sequence[Sequence[Verdict]]],
    lexicon: Lexicon | None,
    by: Sequence[str] = (),
) -> list[Slice]:
    """Return the scores by each attribute: those of `by`, then the default ones if all documents have texts.

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
    attributes = {text: parse_attribute(text) for text in dict.fromkeys(by)}
    titles = [] if any(document.text is None for document in systems[0]) else TITLES
    names = {attribute.name for attribute in attributes.values()}
    for name in titles:
        if name not in names and (lexicon or not ATTRIBUTES[name].needs_lexicon):
            attributes[name] = parse_attribute(name)
    slices = [
        _score_slice(text, attribute, systems, metric, lexicon, verdicts) for text, attribute in attributes.items()
    ]
    for table in slices:
        if table.name in by and len(table.buckets) > len(DIGITS):
            number = len(table.buckets)
            raise ValueError(
                f"{spell_argument('by', table.name)} makes {number} buckets; a report shows at most {len(DIGITS)}"
            )
    return [table for table in slices if 0 < len(table.buckets) <= len(DIGITS)]


def _score_slice(
    text: str,
    by: AttributeRequest,
    systems: Sequence[Sequence[Document]],
    metric: Metric,
    lexicon: Lexicon | None,
    verdicts: Sequence[Sequence[Sequence[Verdict]]],
) -> Slice:
    breakdowns = [Breakdown([metric], by, lexicon, apart=False) for _ in systems]
    values: list[list[Mapping[Span, Value]]] = []  # by document and side; shared by sides with the same words
    for k, sides in enumerate(zip(*systems)):
        side_values: list[Mapping[Span, Value]]
        if all(side.tokens == sides[0].tokens for side in sides):
            spans = dict.fromkeys((*sides[0].gold, *(span for side in sides for span in side.pred)))
            side_values = [breakdowns[0].values(sides[0], spans)] * len(sides)
        else:
            side_values = [
                numbering.values(side, (*side.gold, *side.pred)) for numbering, side in zip(breakdowns, sides)
            ]
        for side, breakdown, span_values, side_verdicts in zip(sides, breakdowns, side_values, verdicts):
            breakdown.add(side, span_values, [side_verdicts[k]])
        values.append(side_values)
    results = [breakdown.result() for breakdown in breakdowns]
    names = dict.fromkeys(bucket for result in results for bucket in result["buckets"])
    lengths = LENGTHS if by.name == "eLen" else {}
    buckets = {bucket: _bucket_words(by.name, bucket) for bucket in (*lengths, *names) if bucket in names}
    digit = dict(zip(buckets, DIGITS)) if len(buckets) <= len(DIGITS) else {}
    bucket_of = [breakdown.bucket_of for breakdown in breakdowns]
    digits = [{value: digit.get(bucket, "z") for value, bucket in numbering.items()} for numbering in bucket_of]
    span_digits = []
    for sides, side_values in zip(zip(*systems), values):
        lists = [
            (sides[0].gold, side_values[0], digits[0]),
            *((side.pred, *numbering) for side, *numbering in zip(sides, side_values, digits)),
        ]
        span_digits.append(
            ["".join([digit_of[span_values[span]] for span in spans]) for spans, span_values, digit_of in lists]
        )
    title = TITLES.get(by.name, f"{by.name}: {by.attribute.help}")
    return Slice(text, title, results, buckets, span_digits)


def _bucket_words(by: str, bucket: str) -> str:
    plural = f"{bucket} words" if by == "eLen" else bucket  # such as "2-5"
    return LENGTHS.get(bucket, plural) if by == "eLen" else BUCKETS.get((by, bucket), plural)


SYSTEMS = 8
"""Number of systems with a colour and a symbol: `--system-0` to `--system-7` in page.css, SYMBOLS in theme.js."""


def share_annexes(systems: Sequence[System]) -> Sequence[System]:
    """Return the systems with the same text for each document: it ends with the mentions that any system invented."""
    if len({len(system.annotated_documents) for system in systems}) > 1:
        return systems  # the report rejects these
    documents = [share_annex(sides) for sides in zip(*(system.annotated_documents for system in systems))]
    return [System(system.name, system.counts, [sides[k] for sides in documents]) for k, system in enumerate(systems)]


def require_fair(systems: Sequence[System]) -> Metric:
    """Return the metric fair. Raise ValueError if it is missing, or if the systems cannot share a report."""
    first, *others = systems
    fair = next((metric for metric in first.counts.metrics if metric.name == "fair"), None)
    if fair is None:
        raise ValueError("the report marks spans by the verdicts of fair, which is not among the metrics: add it")
    if len(systems) > SYSTEMS:
        raise ValueError(
            f"a report has colours and symbols for at most {SYSTEMS} systems, {len(systems)} were given: "
            "make several reports"
        )
    if len({system.name for system in systems}) < len(systems):
        raise ValueError(f"the systems have equal names: {', '.join(system.name for system in systems)}; rename one")
    for other in others:
        if differences := first.counts.differences(other.counts, replicates=False):
            raise ValueError(f"{first.name} and {other.name} cannot be in one report: {differences}")
        if len(first.annotated_documents) != len(other.annotated_documents):
            numbers = [
                f"{system.name} has {many(len(system.annotated_documents), 'document')}" for system in (first, other)
            ]
            raise ValueError(f"{' and '.join(numbers)}; all systems of a report need the same documents")
        for number, (a, b) in enumerate(zip(first.annotated_documents, other.annotated_documents)):
            if (a.text, a.gold) != (b.text, b.gold):
                raise ValueError(
                    f"document {number} of {other.name} has another text or gold annotation than that of {first.name}"
                )
    return fair
