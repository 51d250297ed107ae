"""Slot error rate and its relatives, from the MUC alignment."""

from collections.abc import Mapping
from functools import partial
from math import inf
from typing import Annotated, Literal

from pydantic import Field

from ..core.declaration import Array, Columns, Metric, Score, one_each
from ..core.formulas import prf, ratio, weight_table
from ..core.wording import BOTH, BOUNDARY, HIT, LABEL, MISSED, SPURIOUS
from .registry import Beta, Focus
from .semeval import judge

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
        Field(
            description="cost of each kind of error in SER: all 1, ETAPE's half for one wrong slot, or {error: cost}"
        ),
    ] = "equal",
    beta: Beta = 1.0,
    focus: Focus = "target",
) -> Metric:
    """Divide the number of errors by the number of gold slots: the slot error rate (SER),
    which is the work it takes to correct the prediction.

    Verdicts come from the alignment of `semeval`: `c` (correct), `s_type` (boundaries
    right, label wrong), `s_extent` (label right, boundaries wrong), `s_both` (both
    wrong), `d` (deleted: a gold span without a partner), `i` (inserted: a prediction
    without a partner). Below, s is the sum of the three substitutions.

    `ser` can exceed 1. `ser_acc` = max(0, 1 - ser) is meant for selecting a model. `err`
    has the insertions in its denominator too. `e` = 1 - f counts a deletion or an
    insertion as half an error. With equal weights ser >= err >= e. With `beta`, f is the
    paper's F with alpha = 1/(1 + beta^2).

    `weights` change `ser` and `ser_acc` only; errors that a table omits cost 1. With
    `slots="muc"` a span has two slots, type and extent, each of them right or wrong, and
    a span without a partner counts as two errors.

    Formula: ser = (s + d + i)/(c + s + d), err = (s + d + i)/(c + s + d + i).

    Source: Makhoul, Kubala, Schwartz and Weischedel (1999), equations 5 to 11;
    weights of the ETAPE campaign as published in Jouffroy et al. (2021).

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 5, "A"), (8, 9, "A")], pred=[(0, 5, "A"), (8, 9, "B"), (11, 12, "B")])
    >>> score([doc], ["slot_error"]).slot_error.ser
    1.0
    """
    costs = weight_table(weights, {"equal": dict.fromkeys(ERRORS, 1.0), "etape": ETAPE}, ERRORS)
    symmetric = beta == 1
    return Metric(
        scores=(
            Score(
                "ser",
                higher_is_better=False,
                headline=True,
                key="ser",
                limits=(0, inf),
                meaning="slot error rate: errors per gold span",
            ),
            Score(
                "err",
                higher_is_better=False,
                key="err",
                symmetric=True,
                meaning="error rate: errors per gold or spurious span",
            ),
            Score("e", higher_is_better=False, symmetric=symmetric, complement_of="f", meaning="slot E: 1 - F"),
            Score("f", symmetric=symmetric, meaning="slot F: that of the aligned spans"),
            Score(
                "ser_acc", key="ser_acc", complement_of="ser", meaning="slot accuracy: 1 - slot error rate, at least 0"
            ),
        ),
        columns=one_each(*VERDICTS),
        formula=partial(formula, slots_of_span=1 if slots == "entity" else 2, costs=costs, beta=beta),
        judge=partial(judge, names=ERRORS),
        gaps=True,
        hit="c",
        miss="d",
        spurious="i",
        focus=focus,
        confusion=VERDICTS,
        words={"c": HIT, "s_type": LABEL, "s_extent": BOUNDARY, "s_both": BOTH, "d": MISSED, "i": SPURIOUS},
    )


def formula(columns: Columns, slots_of_span: int, costs: Mapping[str, float], beta: float) -> dict[str, Array]:
    """Return SER, ERR, E, F and the slot accuracy, max(0, 1 - SER)."""
    half_right = columns["s_type"] + columns["s_extent"]  # with two slots, one of them is right
    wrong = {"s_type": columns["s_type"], "s_extent": columns["s_extent"]}
    wrong |= {error: slots_of_span * columns[error] for error in ("s_both", "d", "i")}
    c = slots_of_span * columns["c"] + (slots_of_span - 1) * half_right
    s = wrong["s_type"] + wrong["s_extent"] + wrong["s_both"]
    d, i = wrong["d"], wrong["i"]
    ser = ratio(sum(costs[error] * wrong[error] for error in ERRORS), c + s + d)
    f = prf(c, s + i, s + d, beta)["f"]
    return {"ser": ser, "err": ratio(s + d + i, c + s + d + i), "e": 1 - f, "f": f, "ser_acc": (1 - ser).clip(0)}
