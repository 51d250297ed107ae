"""The MUC categories in SemEval-2013's four schemes."""

from collections.abc import Iterator
from functools import partial

from ..core.declaration import Columns, Metric, Verdict, one_each
from ..core.formulas import prf, ratio
from ..core.spans import Contest
from .options import Beta, Focus

VERDICTS = ("match", "type_error", "extent_error", "both_error", "mis", "spu")


def semeval(*, beta: Beta = 1.0, focus: Focus = "target") -> Metric:
    """One alignment of gold and prediction, scored four ways: by boundaries and label
    (strict), boundaries (exact), overlap with half credit (partial), label (type).

    Verdicts: `match`, `type_error` (boundaries right), `extent_error` (label
    right), `both_error`, `mis` (gold span left alone), `spu` (prediction left
    alone). POS is the number of gold spans, ACT that of predictions, always.
    With them MUC's undergeneration `und`, overgeneration `ovg`, substitution
    `sub` and error per response fill `err`, on the partial scheme.

    The alignment is an optimum, not a pass in list order: no number depends on
    the order of the input. A pair with nothing right is still a pair
    (SemEval's rule; MUC's own scorer left it unpaired).

    Formula: p = (cor + par/2)/act, r = (cor + par/2)/pos; cor and par as the scheme counts pairs.

    Source: Chinchor and Sundheim (1993), MUC-5 evaluation metrics;
    Segura-Bedmar et al. (2013), SemEval-2013 task 9, section on evaluation.

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 5, "A"), (8, 9, "A")], pred=[(0, 4, "A"), (8, 9, "B")])
    >>> scores = score([doc], ["semeval"])["metrics"]["semeval"]["scores"]
    >>> scores["strict_f"], scores["exact_f"], scores["partial_f"], scores["type_f"]
    (0.0, 0.5, 0.75, 0.5)
    """
    return Metric(
        judge=judge,
        score=partial(score, beta=beta),
        columns=one_each(*VERDICTS),
        settled=("match", "mis", "spu"),
        flat={f"{scheme}_{x}": f"{scheme}_{x}" for scheme in ("exact", "partial", "type") for x in "prf"},
        focus=focus,
        confusion=VERDICTS,
        details=schemes,
    )


def judge(contest: Contest) -> Iterator[Verdict]:
    for gold, pred in contest.alignment:
        if pred is None:
            yield Verdict("mis", gold, None)
        elif gold is None:
            yield Verdict("spu", None, pred)
        elif gold[:2] == pred[:2]:
            yield Verdict("type_error", gold, pred)
        else:
            yield Verdict("extent_error" if gold.label == pred.label else "both_error", gold, pred)


def schemes(n: Columns) -> dict:
    """COR, INC, PAR, MIS, SPU, POS and ACT of each scheme."""
    pairs = n["match"] + n["type_error"] + n["extent_error"] + n["both_error"]
    none = 0 * pairs
    exact = n["match"] + n["type_error"]
    rows = {
        "strict": (n["match"], pairs - n["match"], none),
        "exact": (exact, pairs - exact, none),
        "partial": (exact, none, pairs - exact),
        "type": (n["match"] + n["extent_error"], n["type_error"] + n["both_error"], none),
    }
    rest = {"mis": n["mis"], "spu": n["spu"], "pos": pairs + n["mis"], "act": pairs + n["spu"]}
    return {"schemes": {name: {"cor": c, "inc": i, "par": p, **rest} for name, (c, i, p) in rows.items()}}


def score(n, beta):
    scores = {}
    table = schemes(n)["schemes"]
    for scheme, c in table.items():
        credit = c["cor"] + 0.5 * c["par"]
        for x, value in prf(credit, c["act"] - credit, c["pos"] - credit, beta).items():
            scores[f"{scheme}_{x}"] = value
    c = table["partial"]
    wrong = c["inc"] + 0.5 * c["par"]
    pairs = c["cor"] + c["par"] + c["inc"]
    return scores | {
        "und": ratio(c["mis"], c["pos"]),
        "ovg": ratio(c["spu"], c["act"]),
        "sub": ratio(wrong, pairs),
        "err": ratio(wrong + c["mis"] + c["spu"], pairs + c["mis"] + c["spu"]),
    }
