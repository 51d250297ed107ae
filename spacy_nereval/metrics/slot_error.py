"""Slot error rate and its relatives, from the MUC alignment."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from ..core.declaration import Metric, Verdict, one_each
from ..core.formulas import prf, ratio, weight_table
from ..core.spans import Contest
from .options import Beta, Focus

ERRORS = ("s_type", "s_extent", "s_both", "d", "i")
VERDICTS = ("c", *ERRORS)
ETAPE = {"s_type": 0.5, "s_extent": 0.5, "s_both": 1.0, "d": 1.0, "i": 1.0}


def slot_error(
    *,
    slots: Annotated[
        Literal["entity", "muc"], Field(description="slots per span: one, or MUC's two (type and extent)")
    ] = "entity",
    weights: Annotated[
        Literal["equal", "etape"] | dict[str, float],
        Field(description="cost of each error kind in SER: all 1, ETAPE's half for one wrong slot, or a table"),
    ] = "equal",
    beta: Beta = 1.0,
    focus: Focus = "target",
) -> Metric:
    """The cost of mending the prediction: all errors over the number of gold slots (SER).

    Verdicts: `c` correct, `s_type` (boundaries right, label wrong), `s_extent`
    (label right, boundaries wrong), `s_both`, `d` deleted, `i` inserted.
    `ser` may exceed 1; `ser_acc` = max(0, 1 - ser) is for choosing a model.
    `err` has the insertions in its denominator too, and `e` = 1 - `f` discounts
    deletions and insertions by half; with equal weights ser >= err >= e. With
    `beta`, `f` is the paper's with alpha = 1/(1 + beta^2). `weights` change
    `ser` and `ser_acc` only; a table may leave kinds out, which then cost 1.
    With `slots="muc"` a pair has a type and an extent slot, each right or wrong
    by itself, and an unpaired span costs two.

    Formula: ser = (s + d + i)/(c + s + d), err = (s + d + i)/(c + s + d + i).

    Source: Makhoul, Kubala, Schwartz and Weischedel (1999), equations 5 to 11;
    weights of the ETAPE campaign as published in Jouffroy et al. (2021).

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 5, "A"), (8, 9, "A")], pred=[(0, 5, "A"), (8, 9, "B"), (11, 12, "B")])
    >>> score([doc], ["slot_error"])["metrics"]["slot_error"]["scores"]["ser"]
    1.0
    """
    table = {"equal": dict.fromkeys(ERRORS, 1.0), "etape": ETAPE}
    return Metric(
        judge=judge,
        score=partial(score, beta=beta, slots=slots, weights=weight_table(weights, table, ERRORS)),
        columns=one_each(*VERDICTS),
        settled=("c", "d", "i"),
        flat={"ser": "ser", "err": "err", "ser_acc": "ser_acc"},
        focus=focus,
        confusion=VERDICTS,
    )


def judge(contest: Contest) -> Iterator[Verdict]:
    for gold, pred in contest.alignment:
        if pred is None:
            yield Verdict("d", gold, None)
        elif gold is None:
            yield Verdict("i", None, pred)
        elif gold[:2] == pred[:2]:
            yield Verdict("s_type", gold, pred)
        else:
            yield Verdict("s_extent" if gold.label == pred.label else "s_both", gold, pred)


def score(n, beta, slots, weights):
    each = 1 if slots == "entity" else 2  # slots of an unpaired span, and of a pair with both wrong
    halves = n["s_type"] + n["s_extent"]  # one slot of two is right
    wrong = {"s_type": n["s_type"], "s_extent": n["s_extent"]}
    wrong |= {kind: each * n[kind] for kind in ("s_both", "d", "i")}
    c = each * n["c"] + (each - 1) * halves
    s = wrong["s_type"] + wrong["s_extent"] + wrong["s_both"]
    d, i = wrong["d"], wrong["i"]
    ser = ratio(sum(weights[kind] * wrong[kind] for kind in ERRORS), c + s + d)
    f = prf(c, s + i, s + d, beta)["f"]
    return {"ser": ser, "err": ratio(s + d + i, c + s + d + i), "e": 1 - f, "f": f, "ser_acc": (1 - ser).clip(0)}
