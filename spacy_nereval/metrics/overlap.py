"""How much of each span is covered."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from ..core.coverage import by_label, shares
from ..core.declaration import GOLD_SPANS, PRED_SPANS, Columns, Metric, Verdict
from ..core.formulas import f_score, ratio
from ..core.spans import Contest
from .options import Beta, Typed

Covered = Annotated[
    Literal["max", "sum"], Field(description="covered by the one span that covers most, or by all together")
]


def overlap(*, recall: Covered = "max", precision: Covered = "max", typed: Typed = False, beta: Beta = 1.0) -> Metric:
    """Recall is the mean share of a gold span that predictions cover, precision the mean
    share of a prediction that gold spans cover.

    Verdicts, each on one span, with the share as amount: `covered_gold`,
    `covered_pred`, and `fn` and `fp` on spans of which nothing is covered. Every
    span counts for its own label, and one span may cover several. Splitting a
    span costs with `max`, and nothing with `sum`, which is the macro average of
    `plagdet`. f is the harmonic mean of both, and 0 if only one side has spans
    [ours].

    A span of length zero is covered by its equal [ours].

    Formula: p = mean of covered/length over predictions, r = the same over gold spans, f = 2 p r/(p + r).

    Source: overlap scores of the LoReHLT evaluation of named entities (NIST),
    as its program computes them.

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 10, "A")], pred=[(0, 5, "A"), (6, 12, "A")])
    >>> score([doc], {"overlap": {"recall": "sum"}})["metrics"]["overlap"]["counts"]
    {'covered_gold': 0.9, 'gold': 1, 'covered_pred': 1.6666666666666665, 'pred': 2}
    """
    return Metric(
        judge=partial(judge, recall=recall, precision=precision, typed=typed),
        score=partial(score, beta=beta),
        columns={
            "covered_gold": ("covered_gold", "fn"),
            "gold": GOLD_SPANS,
            "covered_pred": ("covered_pred", "fp"),
            "pred": PRED_SPANS,
        },
        floats=("covered_gold", "covered_pred"),
        settled=None,
        flat={"overlap_p": "p", "overlap_r": "r", "overlap_f": "f"},
    )


def judge(document: Contest, recall: str, precision: str, typed: bool) -> Iterator[Verdict]:
    for contest in by_label(document, typed):
        for gold, share in zip(contest.gold, shares(contest.gold, contest.pred, recall == "sum")):
            yield Verdict("covered_gold" if share else "fn", gold, None, share)
        for pred, share in zip(contest.pred, shares(contest.pred, contest.gold, precision == "sum")):
            yield Verdict("covered_pred" if share else "fp", None, pred, share)


def score(n: Columns, beta: float) -> dict:
    p, r = ratio(n["covered_pred"], n["pred"]), ratio(n["covered_gold"], n["gold"])
    return {"p": p, "r": r, "f": f_score(p, r, beta)}
