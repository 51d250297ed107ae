"""Weak match: one shared character is enough."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated

from pydantic import Field

from ..core.alignment import closest_pairs
from ..core.declaration import Metric, Verdict, one_each, prf_scores
from ..core.formulas import prf_of_columns
from ..core.spans import Document, by_label
from ..core.wording import HITS_AND_MISSES
from .registry import Beta, Typed

VERDICTS = ("tp", "fp", "fn")


def relaxed(
    *,
    typed: Typed = False,
    strong: Annotated[bool, Field(description="require the same boundaries instead of a shared character")] = False,
    beta: Beta = 1.0,
) -> Metric:
    """Count a span as correct when it can be paired, one to one, with a span of the other
    side that shares a character with it.

    Verdicts: `tp` (a pair), `fn` and `fp` (spans without a partner). The pairing has as
    many pairs as possible. With `strong=true` the spans of a pair have the same
    boundaries; typed and strong together are `strict`. A span of length zero is paired
    only with one that has the same boundaries. A pair counts for the gold label.

    Of several pairings with the most pairs, the one with the most equal labels is taken,
    then the one with the fewest characters that only one of a pair has, then the leftmost
    [our choice; it decides for which label a pair counts, never how many pairs there
    are]. GERBIL takes the first free span in list order, and so finds as many pairs or
    fewer.

    Formula: p = tp/(tp + fp), r = tp/(tp + fn), where tp is the greatest number of pairs one to one.

    Source: Usbeck et al. (2015), GERBIL, weak and strong annotation match; Ji et
    al. (2014), TAC-KBP entity discovery and linking, strong mention match.

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 10, "A"), (0, 4, "A")], pred=[(0, 4, "A"), (6, 10, "A")])
    >>> score([doc], ["relaxed"]).relaxed.counts
    {'tp': 2, 'fp': 0, 'fn': 0}
    """
    return Metric(
        scores=prf_scores("relaxed", key="relaxed", symmetric=beta == 1),
        columns=one_each(*VERDICTS),
        formula=partial(prf_of_columns, beta=beta),
        judge=partial(judge, typed=typed, strong=strong),
        gaps=True,
        scope="document",  # the prediction that hits a gold span may be the only partner left for another one
        chains=True,
        confusion=VERDICTS,
        words=HITS_AND_MISSES,
        mirror={"fn": "fp", "fp": "fn"},
    )


def judge(document: Document, typed: bool, strong: bool) -> Iterator[Verdict]:
    """Yield the verdict on each pair and on each span without a partner."""
    for group in by_label(document, typed):
        gold, pred = group.gold, group.pred
        pair = 1 + min(len(gold), len(pred))  # one more pair is worth more than all labels that could agree
        worth = {
            (i, j): pair + (gold[i].label == pred[j].label)
            for i, j, _ in group.overlaps
            if not strong or gold[i][:2] == pred[j][:2]
        }
        for a, b in closest_pairs(gold, pred, worth):
            yield Verdict("tp" if a and b else "fn" if a else "fp", a, b)
