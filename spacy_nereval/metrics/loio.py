"""Character-overlap credit."""

from collections.abc import Iterator
from functools import partial
from math import lcm
from typing import Annotated, Literal

from pydantic import Field

from ..core.alignment import best_pairs
from ..core.declaration import GOLD_SPANS, PRED_SPANS, Metric, Verdict
from ..core.formulas import prf
from ..core.spans import Contest
from .options import Beta


def loio(
    *,
    s: Annotated[float, Field(ge=0, le=1, description="worth of overlap; 0 is strict, 1 is full credit")] = 0.75,
    match: Annotated[
        Literal["walk", "optimal"],
        Field(description="who meets whom: the article's walk from the left, or the most credit one to one"),
    ] = "walk",
    beta: Beta = 1.0,
) -> Metric:
    """An inexact span earns part of a hit: `s` times the shared characters over the
    length of the longer span.

    Verdicts: `exact` (spans of length zero included), `overlap` with the shared
    share as its amount, `fn`, `fp`. Then tp = exact + s * overlap, and fp and
    fn are what is left of the predicted and gold spans. Each label by itself: a
    mix-up earns nothing. Spans of one label may overlap (the article forbids
    it). A zero-length span matches exactly or not at all; the author's library
    loio-metrics 0.0.2 counts a spurious one as a match.

    Formula: tp = exact + s * sum of shared/longer; p = tp/pred, r = tp/gold.

    Source: Sotnyk (Phase One Karma), "Yet another way of NER systems
    evaluation", steps 1 to 4; s = 0.75 is the author's choice.

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 8, "A")], pred=[(0, 4, "A")])
    >>> score([doc], {"loio": {"s": 1}})["metrics"]["loio"]["scores"]["f"]
    0.5
    """
    return Metric(
        judge=partial(judge, optimal=match == "optimal"),
        score=partial(score, s=s, beta=beta),
        columns={"exact": ("exact",), "overlap": ("overlap",), "gold": GOLD_SPANS, "pred": PRED_SPANS},
        floats=("overlap",),
        settled=("exact", "fn", "fp"),
        totals=("tp", "fp", "fn"),
        flat={"loio_p": "p", "loio_r": "r", "loio_f": "f"},
        confusion=("exact", "overlap", "fn", "fp"),
    )


def judge(contest: Contest, optimal: bool) -> Iterator[Verdict]:
    gold, pred = contest.gold, contest.pred
    met = [(i, j, n) for i, j, n in contest.overlaps if n and gold[i].label == pred[j].label]
    pairs = {i: j for i, j, _ in met}
    if len(met) > 1:
        pairs = _most_credit(contest, met) if optimal else _walk(met)
    served = set(pairs.values())
    for i, span in enumerate(gold):
        if i in pairs:
            other = pred[pairs[i]]
            shared = min(span.end, other.end) - max(span.start, other.start)
            yield Verdict("overlap", span, other, shared / _longer(span, other))
        else:
            yield Verdict("fn", span, None)
    for j, span in enumerate(pred):
        if j not in served:
            yield Verdict("fp", None, span)


def _walk(met: list[tuple[int, int, int]]) -> dict[int, int]:
    pairs: dict[int, int] = {}
    served = set()
    for j, i in sorted((j, i) for i, j, _ in met):
        if j not in served and i not in pairs:
            served.add(j)
            pairs[i] = j
    return pairs


def _most_credit(contest: Contest, met: list[tuple[int, int, int]]) -> dict[int, int]:
    longer = {(i, j): _longer(contest.gold[i], contest.pred[j]) for i, j, _ in met}
    whole = lcm(*longer.values())  # fractions over one denominator: exact in whole numbers
    edges: dict[int, dict[int, int]] = {}
    for i, j, shared in met:
        edges.setdefault(i, {})[j] = shared * (whole // longer[i, j])
    return best_pairs(edges)


def _longer(a, b) -> int:
    return max(a.end - a.start, b.end - b.start)


def score(n, s, beta):
    tp = n["exact"] + s * n["overlap"]
    fp, fn = n["pred"] - tp, n["gold"] - tp
    return {"tp": tp, "fp": fp, "fn": fn} | prf(tp, fp, fn, beta)
