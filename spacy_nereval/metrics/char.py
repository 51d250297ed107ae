"""Characters inside entities."""

from collections.abc import Iterator
from functools import partial

from ..core.coverage import by_label, stretches
from ..core.declaration import Columns, Metric, Verdict, one_each
from ..core.formulas import prf
from ..core.overlap import overlaps
from ..core.spans import Document
from .options import Beta, Typed

VERDICTS = ("tp", "fp", "fn")


def char(*, typed: Typed = True, beta: Beta = 1.0) -> Metric:
    """Every character inside an entity counts, and a long span counts more than a short one.

    Verdicts: `tp`, the characters that a gold and a predicted span share, `fn`,
    those of a gold span alone, `fp`, those of a predicted span alone; the amount
    is their number. By default each label by itself: the wrong label is an `fn`
    and an `fp`. With `typed=false` labels do not matter, and a shared character
    counts for the gold label.

    Characters under several spans, of one label or untyped, count once; they
    are those of the leftmost span, then the shortest, then the one of the
    smallest label [the choice is ours]. A span of length zero has none.

    Formula: p = tp/(tp + fp), r = tp/(tp + fn), f = 2 tp/(2 tp + fp + fn), of characters.

    Source: characters as the unit of comparison, as in Sotnyk (Phase One
    Karma), "Yet another way of NER systems evaluation".

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 10, "A")], pred=[(0, 6, "A"), (12, 14, "A")])
    >>> score([doc], ["char"])["metrics"]["char"]["counts"]
    {'tp': 6, 'fp': 2, 'fn': 4}
    """
    return Metric(
        judge=partial(judge, typed=typed),
        score=partial(score, beta=beta),
        columns=one_each(*VERDICTS),
        settled=None,
        flat={"char_p": "p", "char_r": "r", "char_f": "f"},
        confusion=VERDICTS,
    )


def judge(document: Document, typed: bool) -> Iterator[Verdict]:
    for contest in by_label(document, typed):
        gold, pred = stretches(contest.gold), stretches(contest.pred)
        missed, spurious = ([end - start for start, end, _ in side] for side in (gold, pred))
        for i, j, shared in overlaps(gold, pred):
            missed[i] -= shared
            spurious[j] -= shared
            yield Verdict("tp", contest.gold[gold[i][2]], contest.pred[pred[j][2]], shared)
        yield from (Verdict("fn", contest.gold[k], None, n) for (_, _, k), n in zip(gold, missed) if n)
        yield from (Verdict("fp", None, contest.pred[k], n) for (_, _, k), n in zip(pred, spurious) if n)


def score(n: Columns, beta: float) -> dict:
    return prf(n["tp"], n["fp"], n["fn"], beta)
