"""FairEval: every span counts once, and says what kind of error it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from math import inf
from typing import Annotated, Literal

from pydantic import Field

from ..core.declaration import GOLD_SPANS, PRED_SPANS, Metric, Verdict, one_each
from ..core.formulas import prf
from ..core.overlap import overlaps
from ..core.spans import Contest, Document, Span
from .options import Beta, Focus

ERRORS = ("fp", "fn", "le", "be_s", "be_l", "be_o", "lbe")
Credit = dict[str, tuple[float, ...]]  # error: (tp, fp, fn)
CREDIT: dict[str, Credit] = {
    "fair": {**dict.fromkeys(ERRORS, (0, 0.5, 0.5)), "fp": (0, 1, 0), "fn": (0, 0, 1)},  # Eq. 5
}
CREDIT["boundary"] = CREDIT["fair"] | dict.fromkeys(("be_s", "be_l", "be_o"), (0.5, 0.25, 0.25))  # Eq. 6
CREDIT["fine"] = CREDIT["boundary"] | {"be_s": (0.5, 0, 0.5), "be_l": (0.5, 0.5, 0)}  # Eq. 7


def fair(
    *,
    unit: Annotated[
        Literal["char", "token"], Field(description="what spans share; published numbers used tokens")
    ] = "char",
    weights: Annotated[
        Literal["fair", "traditional", "boundary", "fine"] | dict[str, dict[Literal["tp", "fp", "fn"], float]],
        Field(description="what an error counts: Eq. 5, as in strict, Eq. 6, Eq. 7, or {error: {tp, fp, fn}}"),
    ] = "fair",
    beta: Beta = 1.0,
    focus: Focus = "target",
) -> Metric:
    """Every span counts once, as a hit or as one kind of error.

    Verdicts: `tp`; `fp` and `fn` touch nothing; `le` labelling error (right
    boundaries), `be_s`, `be_l`, `be_o` boundary error (right label; prediction
    smaller, larger, overlapping), `lbe` both wrong. `be` sums the three. An
    error on a pair counts as half an fp and half an fn by default. Weights act
    on the counts; a table names the errors that differ from "fair", and
    "traditional" is `strict`: every span that is no hit is one fp or fn. With n
    gold and m predicted spans, max(n, m) <= tp + errors <= n + m.

    Unlike the other measures this one has a direction: swapping gold and
    prediction is not sure to swap p and r.

    Formula: strict's, with half an fp and half an fn for each le, be and lbe.

    Source: Ortmann (2022), "Fine-Grained Error Analysis and Fair Evaluation of
    Labeled Spans", Algorithm 2, equations 5 to 7. A match consumes the shared
    units of both spans, as the author's program does.

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 5, "A"), (8, 9, "A")], pred=[(0, 4, "A"), (8, 9, "B")])
    >>> score([doc], ["fair"])["metrics"]["fair"]["counts"]
    {'tp': 0, 'fp': 0, 'fn': 0, 'le': 1, 'be_s': 1, 'be_l': 0, 'be_o': 0, 'lbe': 0}
    """
    credit = dict(CREDIT[weights if isinstance(weights, str) and weights in CREDIT else "fair"])
    if isinstance(weights, dict):
        for error, own in weights.items():
            if error not in ERRORS:
                raise ValueError(f"weights = {weights!r}: there is no error {error!r}; there are {', '.join(ERRORS)}")
            if not all(0 <= weight < inf for weight in own.values()):
                raise ValueError(f"weights = {weights!r}: a weight of {error} is not a number from 0 up")
            credit[error] = tuple(own.get(x, 0.0) for x in ("tp", "fp", "fn"))
    return Metric(
        judge=judge if unit == "char" else judge_tokens,
        score=partial(score, credit=None if weights == "traditional" else credit, beta=beta),
        columns=one_each("tp", *ERRORS),
        settled=("tp", "fn", "fp") if unit == "char" else None,
        totals=("be",),
        flat={"fair_p": "p", "fair_r": "r", "fair_f": "f"},
        focus=focus,
        confusion=ERRORS,
    )


def judge(contest: Contest) -> Iterator[Verdict]:
    if len(contest.gold) == len(contest.pred) == 1 and contest.overlaps:
        (gold,), (pred,) = contest.gold, contest.pred
        if gold[:2] == pred[:2]:
            yield Verdict("le", gold, pred)
        else:
            yield Verdict(_boundary_error(gold, pred) if gold.label == pred.label else "lbe", gold, pred)
    else:
        yield from judge_units(contest, contest.gold, contest.pred)


def judge_tokens(document: Document) -> Iterator[Verdict]:
    return judge_units(
        document,
        [document.covered(span) for span in document.gold],
        [document.covered(span) for span in document.pred],
    )


def judge_units(contest: Contest, gold_units: Sequence, pred_units: Sequence) -> Iterator[Verdict]:
    """Algorithm 2, given the range of units that each span includes."""
    # Step 1: the same boundaries. These spans leave the game.
    gold = dict(zip(contest.gold, gold_units))
    pred = dict(zip(contest.pred, pred_units))
    for span in gold.keys() & pred.keys():
        yield Verdict("tp", span, span)
        del gold[span], pred[span]
    same_boundaries: dict[tuple[int, int], list[Span]] = {}
    for span in pred:
        same_boundaries.setdefault(span[:2], []).append(span)
    for span in list(gold):
        if others := same_boundaries.get(span[:2]):
            yield Verdict("le", span, others[0])
            del gold[span], pred[others.pop(0)]

    # Steps 2 and 3: overlaps, first of equal labels, then of different ones.
    # Each gold span looks for a free prediction, then for a taken one; then
    # each free prediction looks for a taken gold span.
    golds, preds = _players(gold, pred)
    for equal in (True, False):
        for side, taken in ((golds, False), (golds, True), (preds, True)):
            for player in side:
                if not player.taken and (other := player.most_similar(equal, taken)):
                    player.meet(other)
                    t, s = (player.span, other.span) if side is golds else (other.span, player.span)
                    yield Verdict(_boundary_error(t, s) if equal else "lbe", t, s)

    # Step 4: the rest touches nothing.
    yield from (Verdict("fn", player.span, None) for player in golds if not player.taken)
    yield from (Verdict("fp", None, player.span) for player in preds if not player.taken)


class _Player:
    """A span in steps 2 and 3, with the units that no match has consumed yet.

    Units between two neighbouring boundaries share one fate, so they are held
    as one segment with a size.
    """

    __slots__ = ("span", "rank", "left", "units_left", "sizes", "opponents", "taken")

    def __init__(self, span: Span, units: tuple[int, int], segments: range, sizes: list[int]) -> None:
        self.span = span
        self.rank = (units[1] - units[0], *span)  # shortest first, then leftmost, then smallest label
        self.left = set(segments)
        self.units_left = units[1] - units[0]
        self.sizes = sizes
        self.opponents: list[_Player] = []
        self.taken = False

    def shared(self, other: _Player) -> int:
        return sum(self.sizes[segment] for segment in self.left & other.left)

    def most_similar(self, equal: bool, taken: bool) -> _Player | None:
        """The opponent with the most shared, then the fewest differing units."""
        best, best_key = None, None
        for other in self.opponents:
            if other.taken is not taken or (other.span.label == self.span.label) is not equal:
                continue
            if shared := self.shared(other):
                key = (-shared, self.units_left + other.units_left - 2 * shared, other.rank)
                if best_key is None or key < best_key:
                    best, best_key = other, key
        return best

    def meet(self, other: _Player) -> None:
        shared = self.left & other.left
        units = self.shared(other)
        for player in (self, other):
            player.left -= shared
            player.units_left -= units
            player.taken = True


def _players(gold: dict[Span, tuple], pred: dict[Span, tuple]) -> tuple[list[_Player], list[_Player]]:
    edges = sorted({edge for units in chain(gold.values(), pred.values()) for edge in units[:2]})
    place = {edge: k for k, edge in enumerate(edges)}
    sizes = [b - a for a, b in zip(edges, edges[1:])]
    golds, preds = (
        [_Player(span, units, range(place[units[0]], place[units[1]]), sizes) for span, units in side.items()]
        for side in (gold, pred)
    )
    for i, j, shared in overlaps(list(gold.values()), list(pred.values())):
        if shared:
            golds[i].opponents.append(preds[j])
            preds[j].opponents.append(golds[i])
    return sorted(golds, key=lambda p: p.rank), sorted(preds, key=lambda p: p.rank)


def _boundary_error(gold: Span, pred: Span) -> str:
    if gold.start <= pred.start and pred.end <= gold.end:
        return "be_s"
    return "be_l" if pred.start <= gold.start and gold.end <= pred.end else "be_o"


def score(n, credit, beta):
    if credit is None:
        scores = prf(n["tp"], n[PRED_SPANS] - n["tp"], n[GOLD_SPANS] - n["tp"], beta)
    else:
        tp, fp, fn = (sum(credit[error][k] * n[error] for error in ERRORS) for k in range(3))
        scores = prf(n["tp"] + tp, fp, fn, beta)
    return scores | {"be": n["be_s"] + n["be_l"] + n["be_o"]}
