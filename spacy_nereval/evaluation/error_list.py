"""Which spans are wrong, and which a new system fixes or breaks.

Every verdict is a row of the error list. The rows come from the verdicts that are counted, so the list agrees with the
tables of counts. `ErrorExamples` keeps the first verdict of each kind.

Every gold span has one outcome under a system: FairEval's verdict on it, in words. A transition is the pair of its
outcomes under two systems.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from ..core.attribute_values import describe_attributes
from ..core.declaration import Metric, Verdict
from ..core.messages import describe_unknown
from ..core.pieces import covered_text, has_gaps, hull, order_key, write_offsets
from ..core.spans import Document, Span, correct_boundary
from ..core.synonyms import KIND_NAMES
from ..metrics.registry import create
from .result import LabelledVerdict

PARTS = ("start", "end", "label", "text")
FIELDS = (
    *("document", "metric", "verdict", "amount"),
    *(f"{side}_{part}" for side in ("gold", "pred") for part in PARTS),
    *(
        "left",
        "right",
        "in_text",
        "correct_boundary",
        "gold_attributes",
        "pred_attributes",
        "gold_pieces",
        "pred_pieces",
    ),
)
"""The fields of a row. `in_text` is false for a mention that the text does not have. `correct_boundary` says which
boundary of the prediction is right, if the labels are equal and the boundaries differ. The attributes of spans are
words, None where no span of the document has any. The pieces of spans with gaps are offsets as brat writes them, such
as `0 4;15 24`; their text has an ellipsis for each gap."""

NO_SPAN = (None,) * len(PARTS)

CONTEXT = 40
"""Characters of the text on either side of a row's spans."""


class ListedVerdict(NamedTuple):
    """A verdict of a metric on a document. `name` is the document's id, or else its number."""

    metric: str
    name: str | int
    document: Document
    verdict: Verdict

    def row(self, context: int = CONTEXT) -> dict[str, Any]:
        """Return the verdict as a row of the error list: a value for each of `FIELDS`, by name.

        Args:
            context: Number of characters of the text to the left and to the right.
        """
        return dict(zip(FIELDS, self.values(context)))

    def values(self, context: int = CONTEXT) -> tuple[Any, ...]:
        """Return a value for each of `FIELDS`, None where there is no span or no text."""
        document, (verdict, gold, pred, amount) = self.document, self.verdict
        text, left, right, in_text = document.text, None, None, None
        parts = [
            (*hull(span), span.label, None if text is None else covered_text(text, span)) if span else NO_SPAN
            for span in (gold, pred)
        ]
        spans = [span for span in (gold, pred) if span]
        inside = spans if document.annex is None else [span for span in spans if not document.is_invented(span)]
        if text is not None and spans:
            in_text = len(inside) == len(spans)
            if inside:
                start, end = min(span.start for span in inside), max(hull(span)[1] for span in inside)
                left, right = (
                    text[max(0, start - context) : start],
                    text[end : min(end + context, document.annex or len(text))],
                )
        context_values = left, right, in_text, self.correct_boundary
        pieces = (write_offsets(span) if span and has_gaps(span) else None for span in (gold, pred))
        return self.name, self.metric, verdict, amount, *parts[0], *parts[1], *context_values, *self.attributes, *pieces

    @property
    def attributes(self) -> tuple[str | None, str | None]:
        """The attributes of the gold and of the predicted span in words; None where there is no span or none has any.

        >>> document = Document([(0, 3, "SIGN")], [], "flu")
        >>> document.attributes = {(0, 3, "SIGN"): frozenset({(("negated", "true"),)})}, {}
        >>> ListedVerdict("strict", 0, document, Verdict("fn", document.gold[0], None)).attributes
        ('negated', None)
        """
        if not any(self.document.attributes):
            return None, None
        gold, pred = (
            None if span is None else describe_attributes(self.document.attributes_of(side, span))
            for side, span in enumerate((self.verdict.gold, self.verdict.pred))
        )
        return gold, pred

    @property
    def correct_boundary(self) -> str | None:
        """Which boundary is right, if the label is and the boundaries differ; else None."""
        _, gold, pred, _ = self.verdict
        is_boundary_error = gold and pred and gold.label == pred.label and gold != pred
        return correct_boundary(gold, pred) if is_boundary_error and gold and pred else None


def error_list(
    documents: Iterable[Document | None],
    metric: Metric,
    *,
    errors: Sequence[str] | None = None,
    labels: Sequence[str] = (),
) -> Iterator[ListedVerdict]:
    """Yield the verdicts of a metric, document by document, in the order of the text.

    A document without an id is named by its number among the annotated documents,
    from 0. If the verdicts of the metric depend on the whole corpus, all documents
    are kept until its end.

    Args:
        documents: The documents; None for one without annotation.
        metric: The metric.
        errors: Names of the verdicts to list, or of their kinds, or "all" for every one. By default, all
            verdicts on spans except those on exact hits.
        labels: List only verdicts on spans, gold or predicted, with one of these labels.

    Raises:
        ValueError: If the metric has no such verdict, or, at the end, if no span has
            one of the labels.

    >>> from spacy_nereval import create
    >>> doc = Document(gold=[(0, 3, "PER"), (7, 11, "LOC")], pred=[(7, 11, "ORG")], text="Ada in Rome")
    >>> for row in (listed.row(context=3) for listed in error_list([doc], create("fair"))):
    ...     print(row["verdict"], row["gold_text"], row["gold_label"], row["pred_label"], [row["left"], row["right"]])
    fn Ada PER None ['', ' in']
    le Rome LOC ORG ['in ', '']
    """
    errors = None if errors is None else [*verdicts_named(metric, [errors] if isinstance(errors, str) else errors)]
    occurring: set[str] = set()
    for listed in _all_verdicts(_collect_labels(documents, occurring), metric):
        name, gold, pred, amount = listed.verdict
        is_listed = is_error(metric, listed.verdict) if errors is None else "all" in errors or name in errors
        has_label = not labels or any(span and span.label in labels for span in (gold, pred))
        if is_listed and has_label and (gold or pred or amount):  # skips a verdict of amount 0 on no span
            yield listed
    if missing := [label for label in labels if label not in occurring]:
        raise ValueError(describe_unknown(missing[0], sorted(occurring), "label"))


def verdicts_named(metric: Metric, names: Iterable[str]) -> Iterator[str]:
    """Yield the verdicts of a metric that names mean: verdicts, kinds of verdicts such as "boundary", and "all".

    Raises:
        ValueError: A name is neither.

    >>> [*verdicts_named(create("fair"), ["boundary", "missed", "le"])]
    ['be_s', 'be_l', 'be_o', 'fn', 'le']
    """
    names_known = [*metric.verdict_names, "all"]
    for name in names:
        kind = KIND_NAMES.get(name.lower().replace("-", "_").replace(" ", "_"), name)
        of_kind = [verdict for verdict, words in metric.words.items() if words.kind == kind]
        if name not in names_known and not of_kind:
            kinds = dict.fromkeys(words.kind for words in metric.words.values())
            raise ValueError(f"{metric.name}: {describe_unknown(name, [*names_known, *kinds], 'verdict', 50)}")
        yield from [name] if name in names_known else of_kind


def is_error(metric: Metric, verdict: Verdict) -> bool:
    """Return whether a verdict is an error: on spans that are wrong, or only partly right.

    A verdict without spans, such as on tokens outside all entities, is none.
    """
    name, gold, pred, amount = verdict
    partly = bool(metric.partial_credit) and amount < 1
    return bool(gold or pred) and gold != pred and (name not in metric.correct_verdicts or partly)


def _collect_labels(documents: Iterable[Document | None], occurring: set[str]) -> Iterator[Document]:
    """Yield the annotated documents, and add their labels to `occurring`."""
    for document in documents:
        if document:
            occurring |= {label for spans in document.sides for _, _, label in spans}
            yield document


def _all_verdicts(documents: Iterable[Document], metric: Metric) -> Iterator[ListedVerdict]:
    """Yield every verdict, with its final name if that depends on the whole corpus."""
    pending: list[ListedVerdict] = []
    notes: list[str] = []
    for number, document in enumerate(documents):
        for verdict in sorted(metric.verdicts(document), key=_text_order):
            listed = ListedVerdict(metric.name, number if document.id is None else document.id, document, verdict)
            if metric.resolve and metric.note:
                pending.append(listed)
                notes.append(metric.note(document, verdict.gold or verdict.pred))
            else:
                yield listed
    if metric.resolve and pending:
        for listed, final in zip(pending, metric.resolve([listed.verdict.name for listed in pending], notes)):
            yield listed._replace(verdict=listed.verdict._replace(name=final))


def _text_order(verdict: Verdict) -> tuple[Any, ...]:
    """Return a sort key that puts the verdicts of a document in the order of the text."""
    keys = [order_key(span) if span else () for span in verdict[1:3]]
    return min(filter(None, keys), default=()), keys, verdict.name, verdict.amount


class ErrorExamples:
    """The first verdict of each kind among the documents added.

    >>> from spacy_nereval import create
    >>> examples = ErrorExamples(create("fair"))
    >>> examples.add(Document([(0, 3, "PER")], [], "Ada in Rome", id="a"))
    >>> [(kind, listed.name) for kind, listed in examples.first.items()]
    [(('fn', 'PER', ''), 'a')]
    """

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self.documents: int = 0
        self.first: dict[LabelledVerdict, ListedVerdict] = {}

    def add(self, document: Document | None, verdicts: Iterable[Verdict] | None = None) -> None:
        """Add the verdicts of kinds that no earlier document has.

        Args:
            document: The document; None for one without annotation.
            verdicts: The verdicts on it, if computed already.
        """
        if document is None:
            return
        name = self.documents if document.id is None else document.id
        self.documents += 1
        new: dict[LabelledVerdict, Verdict] = {}
        for verdict in self.metric.verdicts(document) if verdicts is None else verdicts:
            kind = verdict.name, verdict.gold.label if verdict.gold else "", verdict.pred.label if verdict.pred else ""
            if kind not in self.first and (kind not in new or _text_order(verdict) < _text_order(new[kind])):
                new[kind] = verdict
        self.first |= {kind: ListedVerdict(self.metric.name, name, document, verdict) for kind, verdict in new.items()}


OUTCOME_OF_VERDICT = {
    "tp": "correct",
    "be_s": "boundary",
    "be_l": "boundary",
    "be_o": "boundary",
    "le": "label error",
    "lbe": "label and boundary",
    "fn": "missed",
}
"""The outcome that each of FairEval's verdicts means for a gold span."""

OUTCOMES = tuple(dict.fromkeys(OUTCOME_OF_VERDICT.values()))
"""All outcomes, in the order in which tables list them."""


def gold_outcomes(document: Document | None, fair: Metric | None = None) -> dict[Span, str]:
    """Return the outcome of each gold span of a document.

    Several predictions may be compared with one gold span; its first verdict decides.

    Args:
        document: One document, or None for a text without annotation, which has no gold spans.
        fair: The metric `fair`, if its options differ from the defaults.

    Returns:
        The gold spans in ascending order, each with one of `OUTCOMES`.

    Example:
        >>> gold_outcomes(Document(gold=[(0, 5, "A"), (7, 9, "A")], pred=[(0, 4, "A")]))
        {Span(start=0, end=5, label='A'): 'boundary', Span(start=7, end=9, label='A'): 'missed'}
    """
    return outcomes_from_verdicts((fair or _default_fair()).verdicts(document) if document else ())


@cache  # looking the metric up takes longer than judging a document
def _default_fair() -> Metric:
    return create("fair")


def outcomes_from_verdicts(verdicts: Iterable[Verdict]) -> dict[Span, str]:
    """Return the outcome of each gold span by the verdicts of `fair` on a document, as `gold_outcomes` does."""
    outcomes: dict[Span, str] = {}
    for verdict in verdicts:
        if verdict.gold and verdict.gold not in outcomes:
            outcomes[verdict.gold] = OUTCOME_OF_VERDICT[verdict.name]
    return dict(sorted(outcomes.items()))


def outcomes_per_document(documents: Iterable[Document | None], metrics: Iterable[Metric]) -> list[dict[Span, str]]:
    """Return the outcome of each gold span of each document, with the options that `fair` has among the metrics.

    Example:
        >>> outcomes_per_document([Document([(0, 5, "A")], [])], [])
        [{Span(start=0, end=5, label='A'): 'missed'}]
    """
    fair = next((metric for metric in metrics if metric.name == "fair"), None)
    return [gold_outcomes(document, fair) for document in documents]


def transitions(
    baseline: Iterable[dict[Span, str]], system: Iterable[dict[Span, str]], documents: Iterable[Document | None]
) -> dict[str, Any]:
    """Count how often each outcome under a baseline becomes each outcome under a system.

    Args:
        baseline: What `gold_outcomes` returns for each document under the baseline.
        system: The same under the system, with the documents in the same order.
        documents: The documents in the same order, for their ids and texts.

    Returns:
        `counts`: outcome under the baseline, then outcome under the system, then number of gold spans.
        `spans`: the gold spans with different outcomes, each with its document (the id, or else the position),
        offsets, label, text (None if the document has no text), `from` and `to`.

    Example:
        >>> gold = [(0, 5, "A"), (7, 9, "A")]
        >>> before, after = Document(gold, [(0, 4, "A")], "Adele in it"), Document(gold, [(0, 5, "A")], "Adele in it")
        >>> changes = transitions([gold_outcomes(before)], [gold_outcomes(after)], [after])
        >>> changes["counts"]
        {'boundary': {'correct': 1}, 'missed': {'missed': 1}}
        >>> changes["spans"][0]["text"], changes["spans"][0]["from"], changes["spans"][0]["to"]
        ('Adele', 'boundary', 'correct')
    """
    numbers: Counter[tuple[str, str]] = Counter()
    spans = []
    for position, (before, after, document) in enumerate(zip(baseline, system, documents)):
        for span, outcome in before.items():
            numbers[outcome, after[span]] += 1
            if document and outcome != after[span]:
                text = None if document.text is None else covered_text(document.text, span)
                name = position if document.id is None else document.id
                spans.append({"document": name, **span._asdict(), "text": text, "from": outcome, "to": after[span]})
    counts: dict[str, dict[str, int]] = {}
    for pair in sorted(numbers, key=lambda pair: tuple(map(OUTCOMES.index, pair))):
        counts.setdefault(pair[0], {})[pair[1]] = numbers[pair]
    return {"counts": counts, "spans": spans}
