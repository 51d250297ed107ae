"""Coverage, discounted where a span is found in pieces."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from ..core.coverage import by_label, covered, stretches
from ..core.declaration import GOLD_SPANS, PRED_SPANS, Columns, Metric, Verdict
from ..core.formulas import f_score, ratio
from ..core.spans import Contest, Document
from . import overlap
from .options import Typed


def plagdet(
    *,
    average: Annotated[
        Literal["macro", "micro"], Field(description="what p and r are shares of: each span, or all characters")
    ] = "macro",
    typed: Typed = False,
) -> Metric:
    """Coverage counts, and finding one span in several pieces costs.

    Macro: p is the mean share of a prediction that gold spans cover, r the mean
    share of a gold span that predictions cover. Micro: p and r are the covered
    share of all characters of their side, each character once. `granularity` is
    the mean number of predictions that overlap a gold span, of those that any
    overlaps; 1 if there are none, and undefined if there is no span at all
    [ours]. Nested predictions raise the granularity too: the measure is meant
    for flat data.

    Verdicts: on each span `covered_gold` and `covered_pred` with the share as
    amount, and `fn` and `fp` where nothing is covered; in micro, with the number
    of characters, those covered and those not, where under several spans a
    character is that of the leftmost, then the shortest, then the one of the
    smallest label [ours]. On pairs `detected`, the first prediction that overlaps
    a gold span, and `fragment`, every further one.

    A span of length zero is covered by its equal in macro, overlaps nothing,
    and has no character [ours].

    Formula: plagdet = f/log2(1 + granularity), f = 2 p r/(p + r).

    Source: Potthast, Stein, Barrón-Cedeño and Rosso (2010), "An Evaluation
    Framework for Plagiarism Detection".

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 10, "A")], pred=[(0, 5, "A"), (5, 10, "A")])
    >>> score([doc], ["plagdet"])["metrics"]["plagdet"]["scores"]
    {'p': 1.0, 'r': 1.0, 'f': 1.0, 'granularity': 2.0, 'plagdet': 0.6309297535714575}
    """
    columns: dict[str, tuple[str, ...] | str]
    if average == "macro":
        columns = {"covered_gold": ("covered_gold", "fn"), "gold": GOLD_SPANS}
        columns |= {"covered_pred": ("covered_pred", "fp"), "pred": PRED_SPANS}
    else:
        columns = {"covered_gold": ("covered_gold",), "gold": ("covered_gold", "fn")}
        columns |= {"covered_pred": ("covered_pred",), "pred": ("covered_pred", "fp")}
    return Metric(
        judge=partial(judge, macro=average == "macro", typed=typed),
        score=score,
        columns=columns | {"detected": ("detected",), "detections": ("detected", "fragment")},
        floats=("covered_gold", "covered_pred") if average == "macro" else (),
        settled=None,
        unscaled=("granularity",),
        flat={f"plagdet_{x}": x for x in ("p", "r", "f", "granularity")} | {"plagdet": "plagdet"},
    )


def judge(document: Document, macro: bool, typed: bool) -> Iterator[Verdict]:
    for contest in by_label(document, typed):
        yield from overlap.judge(contest, "sum", "sum", typed=False) if macro else by_character(contest)
        detected = set()
        for i, j, shared in contest.overlaps:
            if shared:
                yield Verdict("fragment" if i in detected else "detected", contest.gold[i], contest.pred[j])
                detected.add(i)


def by_character(contest: Contest) -> Iterator[Verdict]:
    gold, pred = stretches(contest.gold), stretches(contest.pred)
    for (start, end, k), n in zip(gold, covered(gold, pred)):
        if n:
            yield Verdict("covered_gold", contest.gold[k], None, n)
        if n < end - start:
            yield Verdict("fn", contest.gold[k], None, end - start - n)
    for (start, end, k), n in zip(pred, covered(pred, gold)):
        if n:
            yield Verdict("covered_pred", None, contest.pred[k], n)
        if n < end - start:
            yield Verdict("fp", None, contest.pred[k], end - start - n)


def score(n: Columns) -> dict:
    p, r = ratio(n["covered_pred"], n["pred"]), ratio(n["covered_gold"], n["gold"])
    f = f_score(p, r)
    granularity = np.where(np.isnan(f), np.nan, np.nan_to_num(ratio(n["detections"], n["detected"]), nan=1.0))[()]
    return {"p": p, "r": r, "f": f, "granularity": granularity, "plagdet": f / np.log2(1 + granularity)}
