"""Coverage, reduced where a span is found in pieces."""

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from ..core.declaration import GOLD_SPANS, PRED_SPANS, Array, Columns, Metric, Score, Verdict
from ..core.formulas import f_score, ratio
from ..core.overlapping import covered, stretches
from ..core.pieces import size
from ..core.spans import Document, OverlapGroup, by_label
from . import overlap
from .registry import Typed


def plagdet(
    *,
    average: Annotated[
        Literal["macro", "micro"], Field(description="p and r: mean share of each span, or share of all characters")
    ] = "macro",
    typed: Typed = False,
) -> Metric:
    """Combine coverage with a penalty for finding one span in several pieces.

    With `average="macro"`, p is the mean share of a prediction that gold spans cover, and
    r the mean share of a gold span that predictions cover. With "micro" they are the
    covered share of all characters of a side, each character once. `granularity` is the
    mean number of predictions that overlap a gold span, taken over the gold spans that
    any prediction overlaps. It is 1 if there are none, and undefined if there are no spans
    at all [our choice]. Nested predictions raise it too: the measure is meant for flat
    spans.

    Verdicts on single spans: `covered_gold` and `covered_pred`; `fn` and `fp` where
    nothing is covered. Their amount is the covered share (macro) or the number of covered
    or uncovered characters (micro). A character under several spans belongs to the
    leftmost of them, then the shortest, then the one with the smallest label [our
    choice]. Verdicts on pairs: `detected`, the first prediction that overlaps a gold
    span, and `fragment`, each further one.

    A span of length zero is covered by a span with the same boundaries (macro). It
    overlaps nothing and has no characters [our choice].

    Formula: plagdet = f/log2(1 + granularity), f = 2 p r/(p + r).

    Source: Potthast, Stein, Barrón-Cedeño and Rosso (2010), "An Evaluation
    Framework for Plagiarism Detection".

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 10, "A")], pred=[(0, 5, "A"), (5, 10, "A")])
    >>> score([doc], ["plagdet"]).plagdet.scores
    {'p': 1.0, 'r': 1.0, 'f': 1.0, 'granularity': 2.0, 'plagdet': 0.6309297535714575}
    """
    macro = average == "macro"
    columns: dict[str, Sequence[str]]
    if macro:
        columns = {"covered_gold": ("covered_gold", "fn"), "gold": GOLD_SPANS}
        columns |= {"covered_pred": ("covered_pred", "fp"), "pred": PRED_SPANS}
    else:
        columns = {"covered_gold": ("covered_gold",), "gold": ("covered_gold", "fn")}
        columns |= {"covered_pred": ("covered_pred",), "pred": ("covered_pred", "fp")}
    return Metric(
        scores=(
            *(Score(part, key=f"plagdet_{part}", group="plagdet", symmetric=part == "f") for part in "prf"),
            Score(
                "granularity",
                unit="raw",
                higher_is_better=False,
                key="plagdet_granularity",
                limits=(1, inf),
                meaning="predictions per gold span found",
            ),
            Score("plagdet", headline=True, key="plagdet", meaning="f, lowered by granularity"),
        ),
        columns=columns | {"detected": ("detected",), "detections": ("detected", "fragment")},
        formula=formula,
        judge=partial(judge, macro=macro, typed=typed),
        gaps=True,
        scope="document",
        chains=True,
        correct=("covered_gold", "covered_pred", "detected"),
        partial_credit=overlap.VERDICTS if macro else (),
    )


def judge(document: Document, macro: bool, typed: bool) -> Iterator[Verdict]:
    """Yield the verdicts on the coverage of each span, then on each pair that overlaps."""
    for group in by_label(document, typed):
        yield from overlap.judge(group, "sum", "sum", typed=False) if macro else judge_characters(group)
        detected = set()
        for i, j, shared in group.overlaps:
            if shared:
                yield Verdict("fragment" if i in detected else "detected", group.gold[i], group.pred[j])
                detected.add(i)


def judge_characters(group: OverlapGroup) -> Iterator[Verdict]:
    """Yield the verdicts on each span, with its numbers of covered and of uncovered characters."""
    gold, pred = stretches(group.gold), stretches(group.pred)
    for stretch, n in zip(gold, covered(gold, pred)):
        if n:
            yield Verdict("covered_gold", group.gold[stretch[2]], None, n)
        if n < size(stretch):
            yield Verdict("fn", group.gold[stretch[2]], None, size(stretch) - n)
    for stretch, n in zip(pred, covered(pred, gold)):
        if n:
            yield Verdict("covered_pred", None, group.pred[stretch[2]], n)
        if n < size(stretch):
            yield Verdict("fp", None, group.pred[stretch[2]], size(stretch) - n)


def formula(columns: Columns) -> dict[str, Array]:
    """Return precision, recall and F of coverage, the granularity, and plagdet."""
    p, r = ratio(columns["covered_pred"], columns["pred"]), ratio(columns["covered_gold"], columns["gold"])
    f = f_score(p, r)
    pieces = np.nan_to_num(ratio(columns["detections"], columns["detected"]), nan=1.0)
    granularity = np.where(np.isnan(f), np.nan, pieces)[()]
    return {"p": p, "r": r, "f": f, "granularity": granularity, "plagdet": f / np.log2(1 + granularity)}
