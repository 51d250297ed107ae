"""Characters inside entities."""

from collections.abc import Iterator
from functools import partial

from ..core.declaration import Metric, Verdict, one_each, prf_scores
from ..core.formulas import prf_of_columns
from ..core.overlapping import overlaps, stretches
from ..core.pieces import size
from ..core.spans import Document, by_label
from .registry import Beta, Typed

VERDICTS = ("tp", "fp", "fn")


def char(*, typed: Typed = True, beta: Beta = 1.0) -> Metric:
    """Compare gold and prediction character by character, so that long spans count more than short ones.

    Verdicts, with a number of characters as the amount: `tp` (shared by a gold and a
    predicted span), `fn` (of a gold span alone), `fp` (of a predicted span alone). By
    default each label is compared by itself, so a wrong label is an `fn` and an `fp`.
    With `typed=false` labels do not matter, and a shared character counts for the gold
    label.

    A character under several spans of one label, or untyped under several spans at all,
    counts once. It is assigned to the leftmost of them, then the shortest, then the one
    with the smallest label [our choice]. A span of length zero has no characters.

    Formula: p = tp/(tp + fp), r = tp/(tp + fn), f = 2 tp/(2 tp + fp + fn), of characters.

    Source: characters as the unit of comparison, as in Sotnyk (Phase One
    Karma), "Yet another way of NER systems evaluation".

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 10, "A")], pred=[(0, 6, "A"), (12, 14, "A")])
    >>> score([doc], ["char"]).char.counts
    {'tp': 6, 'fp': 2, 'fn': 4}
    """
    return Metric(
        scores=prf_scores("char", key="char", symmetric=beta == 1),
        columns=one_each(*VERDICTS),
        formula=partial(prf_of_columns, beta=beta),
        judge=partial(judge, typed=typed),
        gaps=True,
        scope="document",
        chains=True,
        confusion=VERDICTS,
        mirror={"fn": "fp", "fp": "fn"},
    )


def judge(document: Document, typed: bool) -> Iterator[Verdict]:
    """Yield the numbers of shared, missed and spurious characters of each span."""
    for group in by_label(document, typed):
        gold, pred = stretches(group.gold), stretches(group.pred)
        missed, spurious = ([*map(size, side)] for side in (gold, pred))
        for i, j, shared in overlaps(gold, pred):
            missed[i] -= shared
            spurious[j] -= shared
            yield Verdict("tp", group.gold[gold[i][2]], group.pred[pred[j][2]], shared)
        yield from (Verdict("fn", group.gold[k], None, n) for (_, _, k), n in zip(gold, missed) if n)
        yield from (Verdict("fp", None, group.pred[k], n) for (_, _, k), n in zip(pred, spurious) if n)
