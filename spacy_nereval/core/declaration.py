"""What a metric declares: its verdicts, the columns they add up to, one formula, and its scores.

Everything that prints, tests or selects by a score reads the declaration. Nothing is guessed from the name of a score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import starmap
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from .formulas import Array, Classes, Score, prf_scores
from .metric_checks import check, check_together, checked
from .spans import Document, OverlapGroup, Span
from .wording import Wording

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

Columns = Mapping[str, Array]
"""Column name to counts. All arrays have the same shape, for example one total,
a row per label, a row per document, or ten thousand resamples."""


class Kind(str, Enum):
    """What a span is before any metric judges it. Kinds are counted once for all metrics.

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
        columns: Each column and what it adds up: verdicts, or kinds of spans.
        formula: From columns to scores, element by element, for arrays of any shape.
            0/0 is NaN. Besides the metric's columns it gets `gold_spans` and `pred_spans`.
        judge: The verdicts on an `OverlapGroup`, or with `scope="document"` on a whole `Document`. None: spans in
            overlap groups are misses and spurious spans. The verdicts on a group must not depend on its position.
        scope: What the judge is given. A metric of scope "group" judges overlap groups
            only, and `hit`, `miss` and `spurious` name its verdicts on other spans.
        hit, miss, spurious: See `scope`.
        correct: Verdicts on correct predictions; by default `hit`.
        partial_credit: The verdicts whose amounts are not whole numbers.
        focus: The label that a pair counts for: "target" (gold) or "system" (predicted).
        confusion: The verdicts that the confusion matrix counts; None for no matrix.
        words: Verdicts in words; others are shown by name only.
        taxonomy: The taxonomy of errors that its verdicts belong to: "FairEval", or "" for none.
            Tables show what is wrong by a metric that has one.
        details: Further numbers for the result, computed from columns as scores are.
        classes: How the scores of labels make the overall score, if they do.
        count_batch: The verdicts of `judge` for a batch of documents at once; only for speed.
        note: From a document and a verdict's gold (or else predicted) span to a text to keep with the verdict.
        resolve: From the verdicts and notes that occur in the corpus to final verdicts, where
            a verdict depends on the corpus as a whole.
        distinct: Whether all verdicts of one name and note count as one, in however many documents they are.
        mirror: What verdicts become when gold and predicted spans change places, such as misses spurious;
            those that are not named stay. None if the verdicts on swapped sides are not such a mirror image.
        tokens: Whether documents without tokens cannot be judged.
        text: Whether documents without a text cannot be judged; "words" if it is enough to know
            which words are the same, as of tags.
        needs: The option that must be given before the metric can judge; None if none.
        version: Goes up when numbers change. Counts of different versions do not mix.
        name, settings: Filled in by `create`.

    Raises:
        ValueError: The declaration contradicts itself; the message says where.

    >>> score = Score("hits", unit="count")
    >>> hits = Metric((score,), columns=one_each("tp"), formula=lambda n: {"hits": n["tp"]})
    >>> hits.verdict_names, hits.correct_verdicts
    (('tp', 'fn', 'fp'), ('tp',))
    """

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
    details: Callable[[Columns], dict[str, Any]] | None = None
    classes: Classes | None = None
    count_batch: Callable[[SpanTable], Iterable[Tally]] | None = None
    note: Callable[[Document, Any], str] | None = None
    resolve: Callable[[Sequence[str], Sequence[str]], list[str]] | None = None
    distinct: bool = False
    mirror: Mapping[str, str] | None = None
    tokens: bool = False
    text: bool | Literal["words"] = False
    needs: str | None = None
    version: int = 1
    name: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check(self)

    @cached_property
    def verdict_names(self) -> tuple[str, ...]:
        """Every verdict that the metric may pass, in the order of its columns."""
        named = [source for sources in self.columns.values() for source in sources if not isinstance(source, Kind)]
        named += [self.hit, self.miss, self.spurious] if self.scope == "group" else []
        return tuple(dict.fromkeys([*named, *(self.confusion or ())]))

    @property
    def correct_verdicts(self) -> tuple[str, ...]:
        """The verdicts on correct predictions."""
        return self.correct or (self.hit,)

    @cached_property
    def of_kind(self) -> dict[Kind, str]:
        """The verdict on each kind of span that needs no judge; empty for scope "document"."""
        if self.scope == "document":
            return {}
        found = {Kind.HIT: self.hit, Kind.MISS: self.miss, Kind.SPURIOUS: self.spurious}
        return found if self.judge else found | {Kind.GROUP_GOLD: self.miss, Kind.GROUP_PRED: self.spurious}

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
        """Key in a spaCy score dict (without prefix) to the name of the score."""
        return {score.key: score.name for score in self.scores if score.key}

    def verdicts(self, document: Document) -> Iterator[Verdict]:
        """Yield all verdicts on a document: the evidence behind every number.

        Args:
            document: Its spans; with its text or tokens if the metric needs them.

        Yields:
            Verdicts: those on hits first, then group by group.

        Raises:
            ValueError: The document lacks what the metric needs, or the judge passes what the metric does not declare.

        >>> from spacy_nereval import create, Document
        >>> doc = Document(gold=[(0, 5, "A"), (8, 9, "A")], pred=[(0, 5, "A"), (2, 4, "B")])
        >>> [verdict.name for verdict in create("strict").verdicts(doc)]
        ['tp', 'fp', 'fn']
        """
        if self.scope == "document" and self.judge:
            yield from starmap(Verdict, checked(self, self.judge(document)))
            return
        for span in map(Span._make, sorted(document.hits)):
            yield Verdict(self.hit, span, span)
        yield from self.group_verdicts(document.overlap_groups)

    def group_verdicts(self, groups: Iterable[OverlapGroup]) -> Iterator[Verdict]:
        """Yield the verdicts on groups of spans without hits, for metrics that judge such groups."""
        for group in groups:
            if group.gold and group.pred and self.judge:
                yield from starmap(Verdict, checked(self, self.judge(group)))
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
        """Return int64[words] twice: the index of the span that has the word, and the word as a number, equal where
        two words of one document are equal. `case` and `by` are those of `Document.unigrams`."""


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
