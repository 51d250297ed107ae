"""How much of each span is covered."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from ..core.declaration import GOLD_SPANS, PRED_SPANS, Array, Columns, Metric, Verdict, prf_scores
from ..core.formulas import f_score, ratio
from ..core.overlapping import shares
from ..core.spans import OverlapGroup, by_label
from .registry import Beta, Typed

VERDICTS = ("covered_gold", "fn", "covered_pred", "fp")

Covered = Annotated[
    Literal["max", "sum"], Field(description="covered by the one span that covers most, or by all of them together")
]


def overlap(*, recall: Covered = "max", precision: Covered = "max", typed: Typed = False, beta: Beta = 1.0) -> Metric:
    """Average how much of each span is covered: recall is the mean covered share of a gold
    span, precision the mean covered share of a prediction.

    Verdicts, each on one span, with its covered share as the amount: `covered_gold` and
    `covered_pred`; `fn` and `fp` where nothing is covered. Every span counts for its own
    label, and one span may cover several. With `max`, a span predicted in pieces loses
    credit. With `sum`, which is the macro average of `plagdet`, it does not. f is 0 if only
    one side has spans [our choice].

    A span of length zero is covered by a span with the same boundaries [our choice].

    Formula: p = mean of covered/length over predictions, r = the same over gold spans, f = 2 p r/(p + r).

    Source: overlap scores of the LoReHLT evaluation of named entities (NIST),
    as its program computes them.

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 10, "A")], pred=[(0, 5, "A"), (6, 12, "A")])
    >>> score([doc], {"overlap": {"recall": "sum"}}).overlap.counts
    {'covered_gold': 0.9, 'gold': 1, 'covered_pred': 1.6666666666666665, 'pred': 2}
    """
    return Metric(
        scores=prf_scores("overlap", key="overlap", symmetric=beta == 1 and recall == precision),
        columns={
            "covered_gold": ("covered_gold", "fn"),
            "gold": GOLD_SPANS,
            "covered_pred": ("covered_pred", "fp"),
            "pred": PRED_SPANS,
        },
        formula=partial(formula, beta=beta),
        judge=partial(judge, recall=recall, precision=precision, typed=typed),
        gaps=True,
        scope="document",
        chains=True,
        correct=("covered_gold", "covered_pred"),
        partial_credit=VERDICTS,
    )


def judge(document: OverlapGroup, recall: str, precision: str, typed: bool) -> Iterator[Verdict]:
    """Yield the covered share of each gold span and of each prediction."""
    for group in by_label(document, typed):
        for gold, share in zip(group.gold, shares(group.gold, group.pred, recall == "sum")):
            yield Verdict("covered_gold" if share else "fn", gold, None, share)
        for pred, share in zip(group.pred, shares(group.pred, group.gold, precision == "sum")):
            yield Verdict("covered_pred" if share else "fp", None, pred, share)


def formula(columns: Columns, beta: float) -> dict[str, Array]:
    """Return the mean covered share of both sides and their F."""
    p, r = ratio(columns["covered_pred"], columns["pred"]), ratio(columns["covered_gold"], columns["gold"])
    return {"p": p, "r": r, "f": f_score(p, r, beta)}
