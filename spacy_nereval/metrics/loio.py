"""Partial credit for shared characters."""

from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from math import inf, lcm
from typing import Annotated, Literal

from pydantic import Field

from ..core.alignment import best_pairs
from ..core.declaration import GOLD_SPANS, PRED_SPANS, Array, Columns, Metric, Score, Verdict, prf_scores
from ..core.formulas import prf
from ..core.pieces import shared_characters
from ..core.spans import OverlapGroup, Span
from ..core.wording import HIT, MISSED, SPURIOUS, Wording
from .registry import Beta


def loio(
    *,
    s: Annotated[float, Field(ge=0, le=1, description="credit for overlap; 0 is strict, 1 is full credit")] = 0.75,
    match: Annotated[
        Literal["walk", "optimal"],
        Field(description="how spans are paired: the article's walk from the left, or one to one for the most credit"),
    ] = "walk",
    beta: Beta = 1.0,
) -> Metric:
    """Give an inexact prediction part of the credit of a hit: `s` times the number of
    shared characters over the length of the longer span.

    Verdicts: `exact` (same boundaries and label), `overlap` (same label; the amount is
    shared characters over the longer length), `fn`, `fp`. The scores `tp`, `fp` and `fn`
    are tp = exact + s * overlap, fp = pred - tp and fn = gold - tp, where pred and gold
    are the numbers of predictions and gold spans.

    Only spans of one label are paired, so a wrong label earns nothing. Spans of one label
    may overlap here, which the article forbids. A span of length zero matches exactly or
    not at all; the author's library, loio-metrics 0.0.2, counts a spurious one as a match.

    Formula: tp = exact + s * sum of shared/longer; p = tp/pred, r = tp/gold.

    Source: Sotnyk (Phase One Karma), "Yet another way of NER systems
    evaluation", steps 1 to 4; s = 0.75 is the author's choice.

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 8, "A")], pred=[(0, 4, "A")])
    >>> score([doc], {"loio": {"s": 1}}).loio.f
    0.5
    """
    return Metric(
        scores=(
            Score("tp", unit="count", limits=(0, inf), meaning="credit for hits and overlaps"),
            Score(
                "fp", unit="count", higher_is_better=False, limits=(0, inf), meaning="predicted spans without credit"
            ),
            Score("fn", unit="count", higher_is_better=False, limits=(0, inf), meaning="gold spans without credit"),
            *prf_scores("loio", key="loio", symmetric=beta == 1),
        ),
        columns={"exact": ("exact",), "overlap": ("overlap",), "gold": GOLD_SPANS, "pred": PRED_SPANS},
        formula=partial(formula, s=s, beta=beta),
        judge=partial(judge, optimal=match == "optimal"),
        gaps=True,
        hit="exact",
        partial_credit=("overlap",),
        confusion=("exact", "overlap", "fn", "fp"),
        words={
            "exact": HIT,
            "overlap": Wording("boundary", "partial credit", "boundary error, with partial credit"),
            "fn": MISSED,
            "fp": SPURIOUS,
        },
    )


def judge(group: OverlapGroup, optimal: bool) -> Iterator[Verdict]:
    """Yield the verdict on each pair and on each span without a partner."""
    gold, pred = group.gold, group.pred
    pairs = _pairs_of_most_credit(group) if optimal else _walk(gold, pred)
    taken = set(pairs.values())
    for i, span in enumerate(gold):
        if i in pairs:
            other = pred[pairs[i]]
            yield Verdict("overlap", span, other, shared_characters(span, other) / max(span.size, other.size))
        else:
            yield Verdict("fn", span, None)
    for j, span in enumerate(pred):
        if j not in taken:
            yield Verdict("fp", None, span)


def _walk(gold: Sequence[Span], pred: Sequence[Span]) -> dict[int, int]:
    """Pair each prediction, from left to right, with the first free gold span of its label that it overlaps."""
    free: dict[str, deque[int]] = {}
    for i, span in enumerate(gold):
        if span.start < span.end:
            free.setdefault(span.label, deque()).append(i)
    pairs: dict[int, int] = {}
    for j, span in enumerate(pred):
        places = free.get(span.label, deque())
        while places and gold[places[0]].end <= span.start:  # predictions are sorted: no later one overlaps it either
            places.popleft()
        for i in places:  # the first one, unless the prediction and a gold span are in gaps of each other
            if gold[i].overlaps(span):
                pairs[i] = j
                places.remove(i)
                break
            if gold[i].start >= span.end:
                break
    return pairs


def _pairs_of_most_credit(group: OverlapGroup) -> dict[int, int]:
    """Return the one-to-one pairs of one label with the greatest sum of shares of characters."""
    gold, pred = group.gold, group.pred
    overlaps = [(i, j, n) for i, j, n in group.overlaps if n and gold[i].label == pred[j].label]
    if len(overlaps) < 2:
        return {i: j for i, j, _ in overlaps}
    lengths = {(i, j): max(gold[i].size, pred[j].size) for i, j, _ in overlaps}
    denominator = lcm(*lengths.values())  # a common one, so that the shares are compared as whole numbers
    edges: dict[int, dict[int, int]] = {}
    for i, j, n in overlaps:
        edges.setdefault(i, {})[j] = n * (denominator // lengths[i, j])
    return best_pairs(edges)


def formula(columns: Columns, s: float, beta: float) -> dict[str, Array]:
    """Return the credited counts, and precision, recall and F from them."""
    tp = columns["exact"] + s * columns["overlap"]
    fp, fn = columns["pred"] - tp, columns["gold"] - tp
    return {"tp": tp, "fp": fp, "fn": fn} | prf(tp, fp, fn, beta)
