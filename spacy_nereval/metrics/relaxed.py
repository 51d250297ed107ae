"""Weak match: any shared character will do."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated

from pydantic import Field

from ..core.alignment import closest_pairs
from ..core.coverage import by_label
from ..core.declaration import Columns, Metric, Verdict, one_each
from ..core.formulas import prf
from ..core.spans import Document
from .options import Beta, Typed

VERDICTS = ("tp", "fp", "fn")


def relaxed(
    *,
    typed: Typed = False,
    strong: Annotated[bool, Field(description="ask for the same boundaries, not only for a shared character")] = False,
    beta: Beta = 1.0,
) -> Metric:
    """A span counts when it can be given a partner of its own with which it shares a
    character.

    Verdicts: `tp`, a pair, `fn` and `fp`, the rest. There are as many pairs as
    there can be: no gold span and no prediction is in two. With `strong=true`
    pairs have the same boundaries, and typed and strong is `strict`. Spans of
    length zero match their equals only. A pair counts for the gold label.

    Of several largest pairings the one with the most equal labels, then the
    fewest characters that only one of a pair has, then the leftmost [ours; it
    decides for which label a pair counts, never how many there are]. GERBIL
    takes the first free span in list order, and so finds as many pairs or fewer.

    Formula: p = tp/(tp + fp), r = tp/(tp + fn), where tp is the greatest number of pairs one to one.

    Source: Usbeck et al. (2015), GERBIL, weak and strong annotation match; Ji et
    al. (2014), TAC-KBP entity discovery and linking, strong mention match.

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 10, "A"), (0, 4, "A")], pred=[(0, 4, "A"), (6, 10, "A")])
    >>> score([doc], ["relaxed"])["metrics"]["relaxed"]["counts"]
    {'tp': 2, 'fp': 0, 'fn': 0}
    """
    return Metric(
        judge=partial(judge, typed=typed, strong=strong),
        score=partial(score, beta=beta),
        columns=one_each(*VERDICTS),
        settled=None,  # the prediction that hits a span may be the only one left for another
        flat={"relaxed_p": "p", "relaxed_r": "r", "relaxed_f": "f"},
        confusion=VERDICTS,
    )


def judge(document: Document, typed: bool, strong: bool) -> Iterator[Verdict]:
    for contest in by_label(document, typed):
        gold, pred = contest.gold, contest.pred
        many = 1 + min(len(gold), len(pred))  # a pair is worth more than all the labels that could be right
        worth = {
            (i, j): many + (gold[i].label == pred[j].label)
            for i, j, _ in contest.overlaps
            if not strong or gold[i][:2] == pred[j][:2]
        }
        for a, b in closest_pairs(gold, pred, worth):
            yield Verdict("tp" if a and b else "fn" if a else "fp", a, b)


def score(n: Columns, beta: float) -> dict:
    return prf(n["tp"], n["fp"], n["fn"], beta)
