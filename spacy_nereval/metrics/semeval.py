"""The MUC categories, scored under the four schemes of SemEval-2013."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ..core.declaration import Array, Columns, Metric, Score, Verdict, one_each, prf_scores
from ..core.formulas import prf, ratio
from ..core.spans import OverlapGroup
from ..core.wording import BOTH, BOUNDARY, HIT, LABEL, MISSED, SPURIOUS
from .registry import Beta, Focus

VERDICTS = ("match", "type_error", "extent_error", "both_error", "mis", "spu")


def semeval(*, beta: Beta = 1.0, focus: Focus = "target") -> Metric:
    """Align gold and predicted spans once, and score the pairs under four schemes: strict
    (boundaries and label), exact (boundaries), partial (half credit for any overlap) and
    type (label).

    Verdicts on pairs: `match`, `type_error` (boundaries right, label wrong),
    `extent_error` (label right, boundaries wrong), `both_error`. Verdicts on spans
    without a partner: `mis` (missing gold span) and `spu` (spurious prediction).

    POS is the number of gold spans and ACT the number of predictions under every scheme.
    MUC's further measures come from the partial scheme: undergeneration `und`,
    overgeneration `ovg`, substitution `sub`, and error per response fill `err`.

    The alignment is one to one and optimal, so no number depends on the order of the
    input. Two spans that overlap are paired even if neither boundaries nor label agree.
    That is SemEval's rule; MUC's own scorer left such a pair unpaired. Ties go to the
    leftmost pairs; where more than a million pairs overlap one another, to any.

    Formula: p = (cor + par/2)/act, r = (cor + par/2)/pos; cor and par as the scheme counts pairs.

    Source: Chinchor and Sundheim (1993), MUC-5 evaluation metrics;
    Segura-Bedmar et al. (2013), SemEval-2013 task 9, section on evaluation.

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 5, "A"), (8, 9, "A")], pred=[(0, 4, "A"), (8, 9, "B")])
    >>> scores = score([doc], ["semeval"]).semeval.scores
    >>> scores["strict_f"], scores["exact_f"], scores["partial_f"], scores["type_f"]
    (0.0, 0.5, 0.75, 0.5)
    """
    symmetric = beta == 1
    return Metric(
        scores=(
            *prf_scores("strict", prefix="strict_", symmetric=symmetric),
            *prf_scores("exact", prefix="exact_", key="exact", symmetric=symmetric),
            *prf_scores("partial", prefix="partial_", key="partial", symmetric=symmetric),
            *prf_scores("type", prefix="type_", key="type", symmetric=symmetric),
            Score("und", higher_is_better=False, meaning="undergeneration: gold spans missed"),
            Score("ovg", higher_is_better=False, meaning="overgeneration: spurious predictions"),
            Score("sub", higher_is_better=False, symmetric=True, meaning="substitution: inexact pairs, half each"),
            Score("err", higher_is_better=False, symmetric=True, meaning="error per response fill: all errors"),
        ),
        columns=one_each(*VERDICTS),
        formula=partial(formula, beta=beta),
        judge=judge,
        gaps=True,
        hit="match",
        miss="mis",
        spurious="spu",
        focus=focus,
        confusion=VERDICTS,
        words={
            "match": HIT,
            "type_error": LABEL,
            "extent_error": BOUNDARY,
            "both_error": BOTH,
            "mis": MISSED,
            "spu": SPURIOUS,
        },
        mirror={"mis": "spu", "spu": "mis"},
        details=schemes,
    )


def judge(group: OverlapGroup, names: Sequence[str] = VERDICTS[1:]) -> Iterator[Verdict]:
    """Yield the verdict on each pair of the alignment and on each span without a partner.

    Args:
        group: The spans.
        names: The verdicts on a wrong label, wrong boundaries, both, a missed and a spurious span.
    """
    wrong_label, wrong_boundaries, both, missed, spurious = names
    for gold, pred in group.alignment:
        if pred is None:
            yield Verdict(missed, gold, None)
        elif gold is None:
            yield Verdict(spurious, None, pred)
        elif gold[:2] == pred[:2]:
            yield Verdict(wrong_label, gold, pred)
        else:
            yield Verdict(wrong_boundaries if gold.label == pred.label else both, gold, pred)


def schemes(columns: Columns) -> dict[str, Any]:
    """Return the MUC categories COR, INC, PAR, MIS, SPU, POS and ACT under each scheme."""
    match, mis, spu = columns["match"], columns["mis"], columns["spu"]
    pairs = match + columns["type_error"] + columns["extent_error"] + columns["both_error"]
    zero = 0 * pairs
    exact = match + columns["type_error"]
    rows = {
        "strict": (match, pairs - match, zero),
        "exact": (exact, pairs - exact, zero),
        "partial": (exact, zero, pairs - exact),
        "type": (match + columns["extent_error"], columns["type_error"] + columns["both_error"], zero),
    }
    shared = {"mis": mis, "spu": spu, "pos": pairs + mis, "act": pairs + spu}
    return {"schemes": {name: {"cor": cor, "inc": inc, "par": par, **shared} for name, (cor, inc, par) in rows.items()}}


def formula(columns: Columns, beta: float) -> dict[str, Array]:
    """Return precision, recall and F of each scheme, and MUC's further measures."""
    scores: dict[str, Array] = {}
    table = schemes(columns)["schemes"]
    for scheme, row in table.items():
        credit = row["cor"] + 0.5 * row["par"]
        for part, value in prf(credit, row["act"] - credit, row["pos"] - credit, beta).items():
            scores[f"{scheme}_{part}"] = value
    row = table["partial"]
    wrong = row["inc"] + 0.5 * row["par"]
    pairs = row["cor"] + row["par"] + row["inc"]
    return scores | {
        "und": ratio(row["mis"], row["pos"]),
        "ovg": ratio(row["spu"], row["act"]),
        "sub": ratio(wrong, pairs),
        "err": ratio(wrong + row["mis"] + row["spu"], pairs + row["mis"] + row["spu"]),
    }
