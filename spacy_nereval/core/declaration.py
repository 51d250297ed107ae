"""What a metric is, and the registry that finds them all.

A metric is a value: which verdicts it passes, how it counts them, how it turns
counts into scores. A metric *file* holds one function that takes the options
and returns that value; an entry point in the group `spacy_nereval_metrics`
makes it known. Options, defaults, ranges, help and documentation are read from
that function's signature and docstring, and from nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .spans import Document, Span

if TYPE_CHECKING:
    from ..counting.batch import Batch
    from ..counting.views import Summary, View

Columns = Mapping[str, np.ndarray]
"""Column name to an array of counts. All arrays have one shape, whatever it is:
one total, a row per label, a row per document, ten thousand resamples."""


GOLD_SPANS = "gold_spans"
PRED_SPANS = "pred_spans"
"""Columns that every `score` gets besides the metric's own: the number of spans."""

# In the order in which they are shown, which entry points do not have.


class Verdict(NamedTuple):
    """What a metric says of a gold span, a predicted span, or a pair of them.

    `name` is the source's own abbreviation. `amount` is 1 unless the metric
    gives partial credit.
    """

    name: str
    gold: Span | None
    pred: Span | None
    amount: float = 1


class Tally(NamedTuple):
    """Verdicts of one name on several documents: arrays of the same length.

    Documents are told by their place in a batch, labels by theirs in its list of
    labels; the place behind the last stands for none.
    """

    name: str
    doc: np.ndarray
    gold: np.ndarray
    pred: np.ndarray
    amount: np.ndarray


@dataclass(frozen=True)
class Metric:
    """A metric with its options filled in.

    judge: the verdicts on a `Contest`: gold and predicted spans that may overlap
        but are not alike. With `settled=None` it gets whole documents instead. Where
        in its text a contest stands must not matter: those that differ in nothing
        else are judged once.
    score: counts to scores, element by element, for arrays of any shape: a total, labels
        and documents may stand in one. 0/0 is NaN.
    columns: each column and the verdicts whose amounts it adds up, or `GOLD_SPANS`
        or `PRED_SPANS`. `one_each` makes a column of each verdict.
    floats: the columns that are no whole numbers.
    settled: the verdicts on an exact hit, a plain miss, a plain spurious span.
    flat: keys of a spaCy score dict (without prefix) and the score each shows.
    focus: the label that a pair counts for.
    confusion: the verdicts that the confusion matrix shows; None has none.
    details: further counts to show, computed like the scores.
    totals: scores that are numbers of spans, not ratios; no average is taken.
    summary: all scores from a `View` of the counts, where they are not simply
        the scores of the summed counts.
    document_scores: with a `summary`, its overall scores of each document by itself,
        float[documents], from a `View` too.
    version: goes up when the numbers change; counts of different versions do not mix.
    note: with `settled=None`, of a document and a gold span a text to keep with
        the verdict on it.
    refine: each row's final verdict, int[rows], from its verdict, its place among
        all notes, and these, where a verdict depends on the whole corpus.
    unscaled: scores that are no shares of 1, and are shown as they are.
    tokens: whether documents without tokens cannot be judged.
    needs: an option that must be given, and is not; the metric has numbers but judges nothing.
    tally: the verdicts of `judge` on all documents of a batch, added up; only for
        speed, where there are many.
    """

    judge: Callable[[Any], Iterable[Verdict]]
    score: Callable[[Columns], dict[str, np.ndarray]]
    columns: Mapping[str, tuple[str, ...] | str]
    floats: tuple[str, ...] = ()
    settled: tuple[str, str, str] | None = ("tp", "fn", "fp")
    flat: Mapping[str, str] = field(default_factory=dict)
    focus: str = "target"
    confusion: tuple[str, ...] | None = None
    details: Callable[[Columns], dict[str, Any]] | None = None
    totals: tuple[str, ...] = ()
    summary: Callable[[View], Summary] | None = None
    document_scores: Callable[[View], dict[str, np.ndarray]] | None = None
    tally: Callable[[Batch], Iterable[Tally]] | None = None
    note: Callable[[Document, Any], str] | None = None
    refine: Callable[[np.ndarray, np.ndarray, tuple[str, ...]], np.ndarray] | None = None
    unscaled: tuple[str, ...] = ()
    tokens: bool = False
    needs: str | None = None
    version: int = 1
    name: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.summary is None) != (self.document_scores is None):
            raise ValueError(
                "a metric with a summary of its own needs document_scores too, for the same scores "
                "of each document; one without has no document_scores"
            )
        if self.note and self.settled:
            raise ValueError("a metric with a note judges whole documents, and needs settled=None")

    @property
    def plain(self) -> tuple[str, ...]:
        """The scores that are no shares of 1, and are never shown in percent."""
        return (*self.totals, *self.unscaled)

    @cached_property
    def verdict_names(self) -> tuple[str, ...]:
        """Every verdict the metric may pass, in the order of its columns."""
        sources = [names for names in self.columns.values() if not isinstance(names, str)]
        sources += [self.settled or (), self.confusion or ()]
        return tuple(dict.fromkeys(name for names in sources for name in names))

    def verdicts(self, document: Document) -> Iterator[Verdict]:
        """All verdicts on a document: the evidence behind every number.

        >>> from spacy_nereval import create, Document
        >>> doc = Document(gold=[(0, 5, "A"), (8, 9, "A")], pred=[(0, 5, "A"), (2, 4, "B")])
        >>> [verdict.name for verdict in create("strict").verdicts(doc)]
        ['tp', 'fp', 'fn']
        """
        if self.settled is None:
            yield from self.judge(document)
            return
        hit, miss, spurious = self.settled
        for span in map(Span._make, sorted(document.hits)):
            yield Verdict(hit, span, span)
        for contest in document.contests:
            if contest.gold and contest.pred:
                yield from self.judge(contest)
            else:
                yield from (Verdict(miss, span, None) for span in contest.gold)
                yield from (Verdict(spurious, None, span) for span in contest.pred)


def one_each(*verdicts: str) -> dict[str, tuple[str, ...] | str]:
    """A column for each verdict.

    >>> one_each("tp", "fp")
    {'tp': ('tp',), 'fp': ('fp',)}
    """
    return {name: (name,) for name in verdicts}
