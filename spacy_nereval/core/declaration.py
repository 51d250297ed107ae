"""The declaration of a metric: its verdicts, the columns that add them up, one formula, and its scores.

Everything that prints, tests or selects by a score reads the declaration. Nothing is guessed from the name of a score.
The end of this module checks declarations, and the verdicts that judges pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import starmap
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

import numpy as np

from .formulas import Array, Classes, Score, check_scores, prf_scores
from .messages import quote, shorten, spell_argument
from .pieces import any_gaps, sorted_spans
from .spans import Document, OverlapGroup, Span, correct_boundary
from .wording import VERDICT_KINDS, Wording

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "GOLD_SPANS",
    "PRED_SPANS",
    "Array",
    "Classes",
    "Columns",
    "Kind",
    "Metric",
    "Score",
    "SpanTable",
    "Tally",
    "Verdict",
    "check_together",
    "one_each",
    "prf_scores",
]

T = TypeVar("T")

Columns = Mapping[str, Array]
"""Column name to counts. All arrays have the same shape, for example one total,
a row per label, a row per document, or ten thousand resamples."""


class Kind(str, Enum):
    """The kind of a span, independent of any metric. Kinds are counted once for all metrics.

    A hit is a gold span with an equal predicted span. Other spans that overlap a span of
    the other side are in an overlap group; the rest are misses or spurious.

    >>> Kind("miss") in GOLD_SPANS, Kind.SPURIOUS in GOLD_SPANS
    (True, False)
    """

    HIT = "hit"
    MISS = "miss"
    SPURIOUS = "spurious"
    GROUP_GOLD = "group_gold"
    GROUP_PRED = "group_pred"


GOLD_SPANS = (Kind.HIT, Kind.MISS, Kind.GROUP_GOLD)
"""The kinds of gold spans. Used as a column, they give the number of gold spans."""

PRED_SPANS = (Kind.HIT, Kind.SPURIOUS, Kind.GROUP_PRED)
"""The kinds of predicted spans. Used as a column, they give the number of predicted spans."""


class Verdict(NamedTuple):
    """A metric's judgement of a gold span, a predicted span, or a pair of them.

    `name` is the source's own abbreviation. `amount` is 1 unless the metric gives
    partial credit or counts smaller things than spans.

    >>> Verdict("fn", Span(0, 5, "PER"), None).amount
    1
    """

    name: str
    gold: Span | None
    pred: Span | None
    amount: float = 1


@dataclass(frozen=True)
class Metric:
    """A metric with its options filled in.

    Args:
        scores: The scores that `formula` returns, declared.
        columns: Each column and its summands: verdicts, or kinds of spans.
        formula: From columns to scores, element by element, for arrays of any shape.
            0/0 is NaN. Besides the metric's columns it gets `gold_spans` and `pred_spans`.
        judge: The verdicts on an `OverlapGroup`, or with `scope="document"` on a whole `Document`. None: spans in
            overlap groups are misses and spurious spans. The verdicts on a group must not depend on its position.
        scope: The input of the judge. A metric of scope "group" judges overlap groups
            only, and `hit`, `miss` and `spurious` name its verdicts on other spans.
        hit, miss, spurious: See `scope`.
        correct: Verdicts on correct predictions; by default `hit`.
        partial_credit: The verdicts with fractional amounts.
        focus: The label that a pair counts for: "target" (gold) or "system" (predicted).
        confusion: The verdicts that the confusion matrix counts; None for no matrix.
        words: Verdicts in words; others are shown by name only.
        taxonomy: The taxonomy of errors that its verdicts belong to: "FairEval", or "" for none.
            Tables of errors use a metric that has one.
        boundary_errors: The verdicts on pairs of one label with different boundaries; their numbers are split by
            which boundary is right.
        details: Further numbers for the result, computed from columns as scores are.
        classes: How to compute the overall score from the scores of labels; None if it is not computed from them.
        count_batch: The verdicts of `judge` for a batch of documents at once; only for speed.
        note: Returns a text to store with a verdict, given the document and the gold (or else predicted) span.
        resolve: Returns the final verdicts, given the verdicts and notes that occur in the corpus; only for
            verdicts that depend on the whole corpus.
        distinct: Whether verdicts of one name and note count once in the whole corpus.
        mirror: The verdict that each verdict becomes when gold and predictions are swapped, such as a miss a
            spurious span; others stay. None if swapping the sides changes verdicts in another way.
        tokens: Whether the judge needs tokens.
        text: Whether the judge needs the text; "words" if it only needs to know which words are equal,
            so that documents of tags are enough.
        attributes: Whether the judge needs the attributes of spans. Its verdicts then name rows, such as
            `negated=true`, in place of labels.
        gaps: Whether the judge takes the pieces of spans with gaps into account. Otherwise a document with such spans
            is an error.
        chains: Whether the judge of whole documents may be given each chain of overlapping spans by itself, as an
            `OverlapGroup` that may have hits, wherever the chain is; only for speed.
        per_row: Verdicts that count in each row that has one of some other verdicts: for problems that concern
            all rows.
        row_kinds: The kind of span that a value is like, by the verdict on it, for rows that are no labels.
        needs: The option that the judge needs; None if it needs none.
        version: Increased when numbers change. Counts of different versions cannot be merged.
        name, settings: Set by `create`.

    Raises:
        ValueError: The declaration contradicts itself; the message says where.

    >>> score = Score("hits", unit="count")
    >>> hits = Metric((score,), columns=one_each("tp"), formula=lambda n: {"hits": n["tp"]})
    >>> hits.verdict_names, hits.correct_verdicts
    (('tp', 'fn', 'fp'), ('tp',))
    """

    def __new__(cls, *args: Any, **given: Any) -> Metric:
        if len(args) == 1 and isinstance(args[0], str):
            raise TypeError(f"Metric declares a new metric: write score(gold, pred, {args[0]!r}) to score by one")
        return super().__new__(cls)

    scores: tuple[Score, ...]
    columns: Mapping[str, Sequence[str]]
    formula: Callable[[Columns], dict[str, Array]]
    judge: Callable[[Any], Iterable[Verdict]] | None = None
    scope: Literal["group", "document"] = "group"
    hit: str = "tp"
    miss: str = "fn"
    spurious: str = "fp"
    correct: tuple[str, ...] = ()
    partial_credit: tuple[str, ...] = ()
    focus: str = "target"
    confusion: tuple[str, ...] | None = None
    words: Mapping[str, Wording] = field(default_factory=dict)
    taxonomy: Literal["", "FairEval"] = ""
    boundary_errors: tuple[str, ...] = ()
    details: Callable[[Columns], dict[str, Any]] | None = None
    classes: Classes | None = None
    count_batch: Callable[[SpanTable], Iterable[Tally]] | None = None
    note: Callable[[Document, Any], str] | None = None
    resolve: Callable[[Sequence[str], Sequence[str]], list[str]] | None = None
    distinct: bool = False
    mirror: Mapping[str, str] | None = None
    tokens: bool = False
    text: bool | Literal["words"] = False
    attributes: bool = False
    gaps: bool = False
    chains: bool = False
    per_row: Mapping[str, Sequence[str]] = field(default_factory=dict)
    row_kinds: Mapping[str, Kind] = field(default_factory=dict)
    needs: str | None = None
    version: int = 1
    name: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_declaration(self)

    @cached_property
    def verdict_names(self) -> tuple[str, ...]:
        """Every verdict that the metric may pass, in the order of its columns."""
        verdicts = [source for sources in self.columns.values() for source in sources if not isinstance(source, Kind)]
        verdicts += [self.hit, self.miss, self.spurious] if self.scope == "group" else []
        return tuple(dict.fromkeys([*verdicts, *(self.confusion or ())]))

    @property
    def correct_verdicts(self) -> tuple[str, ...]:
        """The verdicts on correct predictions."""
        return self.correct or (self.hit,)

    @cached_property
    def of_kind(self) -> dict[Kind, str]:
        """The verdict on each kind of span that needs no judge; empty for scope "document"."""
        if self.scope == "document":
            return {}
        verdicts = {Kind.HIT: self.hit, Kind.MISS: self.miss, Kind.SPURIOUS: self.spurious}
        return verdicts if self.judge else verdicts | {Kind.GROUP_GOLD: self.miss, Kind.GROUP_PRED: self.spurious}

    @cached_property
    def score_by_name(self) -> dict[str, Score]:
        """Every declared score, those of classes included, by name."""
        return {score.name: score for score in (*self.scores, *(self.classes.scores if self.classes else ()))}

    @property
    def headlines(self) -> tuple[Score, ...]:
        """The scores that represent the metric, the most important one first."""
        return tuple(score for score in self.scores if score.headline)

    @property
    def label_scores(self) -> tuple[Score, ...]:
        """The scores that a label has."""
        return self.classes.scores if self.classes else self.scores

    @property
    def label_headlines(self) -> tuple[Score, ...]:
        """The scores that represent the metric in a row of a label."""
        return tuple(score for score in self.label_scores if score.headline)

    @property
    def averaged(self) -> tuple[Score, ...]:
        """The overall scores that have an average over documents: all but counts."""
        return tuple(score for score in self.scores if score.unit != "count")

    @property
    def keys(self) -> dict[str, str]:
        """The name of each score, by its key in a spaCy score dict, without prefix."""
        return {score.key: score.name for score in self.scores if score.key}

    def note_of(self, document: OverlapGroup, name: str, gold: Any, pred: Any) -> str:
        """Return the text to keep with a verdict: `note`, or which boundary is right; "" for none."""
        if name in self.boundary_errors:
            return correct_boundary(Span._make(gold), Span._make(pred))
        return self.note(document, gold or pred) if self.note and isinstance(document, Document) else ""

    def verdicts(self, document: Document) -> Iterator[Verdict]:
        """Yield all verdicts on a document: the evidence behind every number.

        Args:
            document: Its spans; with its text or tokens if the metric needs them.

        Yields:
            Verdicts: those on hits first, then group by group.

        Raises:
            ValueError: The document does not meet the metric's needs, or the judge passes an undeclared verdict.

        >>> from spacy_nereval import create, Document
        >>> doc = Document(gold=[(0, 5, "A"), (8, 9, "A")], pred=[(0, 5, "A"), (2, 4, "B")])
        >>> [verdict.name for verdict in create("strict").verdicts(doc)]
        ['tp', 'fp', 'fn']
        """
        if not self.gaps and any_gaps(*document.sides):
            check_gaps([self])
        if self.scope == "document" and self.judge:
            yield from starmap(Verdict, validate_verdicts(self, self.judge(document)))
            return
        for span in map(Span._make, sorted_spans(document.hits)):
            yield Verdict(self.hit, span, span)
        yield from self.group_verdicts(document.overlap_groups)

    def group_verdicts(self, groups: Iterable[OverlapGroup]) -> Iterator[Verdict]:
        """Yield the verdicts on groups of spans without hits, for metrics that judge such groups."""
        for group in groups:
            if group.gold and group.pred and self.judge:
                yield from starmap(Verdict, validate_verdicts(self, self.judge(group)))
            else:
                yield from (Verdict(self.miss, span, None) for span in group.gold)
                yield from (Verdict(self.spurious, None, span) for span in group.pred)


class SpanTable(Protocol):
    """A batch of documents as arrays with one element per span, or per span that both sides have.

    documents: the number of documents. labels: the labels that occur.
    doc, label: int64[spans], indices. gold, pred: bool[spans], whether that side has the span.

    >>> from spacy_nereval.counting.batch import DocumentBatch
    >>> table = DocumentBatch([Document([(0, 3, "B")], [(0, 3, "B"), (5, 7, "A")])])
    >>> [table.labels[k] for k in table.label], table.gold.tolist()
    (['B', 'A'], [True, False])
    """

    labels: Sequence[str]
    doc: NDArray[Any]
    label: NDArray[Any]
    gold: NDArray[Any]
    pred: NDArray[Any]

    @property
    def documents(self) -> int:
        """The number of documents."""

    def words(self, *, case: str, by: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return two int64[words] arrays: the index of each word's span, and a number that equal words of a document
        share. `case` and `by` are those of `Document.unigrams`."""


class Tally(NamedTuple):
    """Verdicts of one name on a batch of documents: arrays of equal length.

    doc: int64, the index of the document in the batch.
    gold, pred: int64, the index of the label in the batch's labels; `len(labels)` means no span.
    amount: int64.

    >>> import numpy as np
    >>> Tally("tp", *np.ones((4, 2), int)).amount.tolist()
    [1, 1]
    """

    verdict: str
    doc: NDArray[Any]
    gold: NDArray[Any]
    pred: NDArray[Any]
    amount: NDArray[Any]


def one_each(*verdicts: str) -> dict[str, Sequence[str]]:
    """Return a column for each verdict.

    Args:
        verdicts: Names of verdicts.

    Returns:
        The columns of a `Metric`, each with the name of the only verdict that it adds up.

    >>> one_each("tp", "fp")
    {'tp': ('tp',), 'fp': ('fp',)}
    """
    return {name: (name,) for name in verdicts}


def check_declaration(metric: Metric) -> None:
    """Raise ValueError, saying where, if a declaration contradicts itself."""
    if metric.scope == "document" and not metric.judge:
        raise ValueError('a metric of scope="document" needs a judge')
    if metric.note and metric.scope != "document":
        raise ValueError('a metric with a note judges whole documents: declare scope="document"')
    whole = metric.note or metric.tokens or metric.text or metric.attributes
    if metric.chains and (metric.scope != "document" or whole):
        raise ValueError(
            'a metric with chains has the scope "document" and judges spans alone: leave out note, tokens, text and '
            "attributes, or leave out chains"
        )
    if (metric.note is None) != (metric.resolve is None and not metric.distinct):
        raise ValueError("note and resolve belong together: declare both or neither")
    if metric.note and metric.boundary_errors:
        raise ValueError("a metric keeps one text with a verdict: declare note or boundary_errors")
    _check_columns(metric)
    summed = {source for sources in metric.columns.values() for source in sources}
    for attribute, names in (
        ("partial_credit", metric.partial_credit),
        ("correct", metric.correct),
        ("boundary_errors", metric.boundary_errors),
        ("words", metric.words),
    ):
        if unknown := [name for name in names if name not in metric.verdict_names]:
            raise ValueError(
                f"{attribute} names the verdict {unknown[0]!r}, which no column adds up; "
                f"the columns add up {', '.join(sorted(summed))}"
            )
    if wrong := [words.kind for words in metric.words.values() if words.kind not in VERDICT_KINDS]:
        raise ValueError(f"words has the kind {wrong[0]!r}; expected one of {', '.join(VERDICT_KINDS)}")
    mirror = metric.mirror or {}
    if wrong := [name for name, other in mirror.items() if mirror.get(other) != name]:
        raise ValueError(f"mirror says what {wrong[0]!r} becomes, but not that it comes back: name both directions")
    if metric.taxonomy not in ("", "FairEval"):
        raise ValueError(f"there is no taxonomy {metric.taxonomy!r}; expected 'FairEval', or '' for none")
    check_scores(metric.scores)
    check_scores(metric.label_scores)
    _check_formula(metric)
    if not metric.scores:
        raise ValueError("no score is declared: declare those that the formula returns")


def _check_columns(metric: Metric) -> None:
    if not hasattr(metric.columns, "items"):
        value = shorten(repr(metric.columns))
        raise ValueError(f"columns is {value}: expected a table, such as one_each('tp', 'fp')")
    for name, sources in metric.columns.items():
        if isinstance(sources, str):
            raise ValueError(f"the column {name!r} adds up {sources!r}: expected a tuple of verdicts, ({sources!r},)")


def _check_formula(metric: Metric) -> None:
    """Check that the formula and `details` find their columns, and that the formula returns the declared scores."""
    zeros = {name: np.zeros(1) for name in (*metric.columns, "gold_spans", "pred_spans")}
    results: list[Any] = []
    for part, compute in (("the formula", metric.formula), ("details", metric.details)):
        try:
            results.append(compute(zeros) if compute else {})
        except KeyError as error:
            columns = ", ".join(metric.columns)
            raise ValueError(
                f"{part} asks for the column {error}, which is not declared; declared are {columns}"
            ) from None
        except Exception as error:  # whatever the author's code raises
            raise ValueError(
                f"{part} fails where all columns are 0 ({type(error).__name__}: {error}): divide with ratio, "
                "for which 0/0 is NaN"
            ) from error
        if not isinstance(results[-1], dict):
            raise ValueError(f"{part} returns {shorten(repr(results[-1]))}: expected a dict of names to numbers")
    returned = results[0]
    for name, value in returned.items():
        if np.asarray(value).dtype.kind not in "bifu":
            raise ValueError(f"the formula returns {shorten(repr(value))} as {name}: expected numbers")
    declared = {score.name for score in metric.label_scores}
    if returned.keys() != declared:
        raise ValueError(
            f"the formula returns {', '.join(sorted(returned)) or 'nothing'}; "
            f"the declared scores are {', '.join(sorted(declared)) or 'none'}"
        )


def check_gaps(metrics: Iterable[Metric]) -> None:
    """Raise ValueError if a metric has a judge that does not take gaps into account."""
    if name := next((metric.name for metric in metrics if metric.judge and not metric.gaps), None):
        raise ValueError(
            f"the metric {name} does not say how it judges spans with gaps: declare gaps=True if its judge uses the "
            f"pieces of spans, or read the spans with {spell_argument('discontinuous', 'hull')} or "
            f"{spell_argument('discontinuous', 'parts')}"
        )


def check_together(metrics: Iterable[Metric]) -> None:
    """Raise ValueError if a metric has no name, or two metrics have one name or show a score under one key."""
    settings: dict[str, Any] = {}
    owner: dict[str, str] = {}
    for metric in metrics:
        if not metric.name:
            raise ValueError("a metric has no name: make it with create, or give it one with replace(metric, name=...)")
        if settings.setdefault(metric.name, metric.settings) != metric.settings:
            raise ValueError(f"two metrics have the name {metric.name!r}: count one at a time, or rename one")
        for key in metric.keys:
            if owner.setdefault(key, metric.name) != metric.name:
                raise ValueError(f"{owner[key]} and {metric.name} both have the score key {key!r}: rename one")


def validate_verdicts(metric: Metric, verdicts: Iterable[Any]) -> Iterator[tuple[str, Span | None, Span | None, float]]:
    """Yield the verdicts of a metric's judge, checked, as tuples.

    Raises:
        ValueError: One of them is not a verdict that the metric declares; names both, and the remedy.
    """
    for verdict in require_verdicts(metric, verdicts):
        if problem := _verdict_problem(metric, verdict):
            raise ValueError(problem)
        name, gold, pred, amount = verdict  # judges may pass plain tuples
        yield name, gold and Span._make(gold), pred and Span._make(pred), amount


def require_verdicts(metric: Metric, verdicts: Iterable[T]) -> Iterable[T]:
    """Return the verdicts of a judge. Raise ValueError if they are not iterable."""
    if not isinstance(verdicts, Iterable):
        raise ValueError(
            f"the judge of {metric.name} returns {shorten(repr(verdicts))}: let it yield verdicts, or return a list"
        )
    return verdicts


def verdict_error(metric: Metric, verdict: Any) -> ValueError:
    """Return the error for a verdict that cannot be counted: the problem and its remedy."""
    problem = _verdict_problem(metric, verdict)
    unknown_label = (
        f"{metric.name} passes {_quote_value(verdict)} on a span with a label that no span of the document has"
    )
    return ValueError(problem or f"{unknown_label}: give the verdict a span of the document")


def _verdict_problem(metric: Metric, verdict: Any) -> str:
    """Return the problem of a verdict; an empty text if there is none."""
    if not isinstance(verdict, tuple) or len(verdict) != 4:
        return (
            f"{metric.name} passes {_quote_value(verdict)}, which is not a verdict: expected Verdict(name, gold, pred)"
        )
    name, gold, pred, amount = verdict
    if not isinstance(name, str) or name not in metric.verdict_names:
        names = ", ".join(metric.verdict_names)
        return (
            f"{metric.name} passes the verdict {name!r}, which it does not declare; declared are {names}. "
            "Add it to the columns, or to confusion"
        )
    for side, span in (("gold", gold), ("pred", pred)):
        if span is not None and not (isinstance(span, tuple) and len(span) == 3 and isinstance(span[2], str)):
            return (
                f"{metric.name} passes the verdict {name!r} with {side} = {_quote_value(span)}: "
                "expected a span of the document, or None"
            )
    if not is_real_number(amount):
        return f"{metric.name} gives {name} the amount {_quote_value(amount)}: expected a number; 1 is usual"
    return ""


def is_real_number(amount: Any) -> bool:
    """Return whether an amount is a real number.

    >>> is_real_number(0.5), is_real_number(np.int64(1)), is_real_number("1"), is_real_number(None)
    (True, True, False, False)
    """
    return isinstance(amount, Real)


def _quote_value(value: Any) -> str:
    return quote(value) if isinstance(value, str) else shorten(repr(value))
