"""FairEval: each hit counts once, and each error once by kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import inf
from typing import Annotated, Literal

from pydantic import Field

from ..core.declaration import Array, Columns, Metric, Score, Verdict, one_each, prf_scores
from ..core.formulas import HEAVIEST, prf
from ..core.messages import describe_unknown
from ..core.overlapping import overlaps, subtract
from ..core.pieces import Boundaries, order_key, pieces_of, shared_characters, size
from ..core.spans import Document, OverlapGroup, Span
from ..core.wording import FAIREVAL
from .registry import Beta, Focus

ERRORS = ("fp", "fn", "le", "be_s", "be_l", "be_o", "lbe")
BOUNDARY_ERRORS = ("be_s", "be_l", "be_o")
Credit = Mapping[str, tuple[float, ...]]
"""How much an error counts: (tp, fp, fn)."""
FAIR: dict[str, tuple[float, ...]] = {**dict.fromkeys(ERRORS, (0, 0.5, 0.5)), "fp": (0, 1, 0), "fn": (0, 0, 1)}  # Eq. 5
BOUNDARY: dict[str, tuple[float, ...]] = FAIR | dict.fromkeys(BOUNDARY_ERRORS, (0.5, 0.25, 0.25))  # Eq. 6
FINE: dict[str, tuple[float, ...]] = BOUNDARY | {"be_s": (0.5, 0, 0.5), "be_l": (0.5, 0.5, 0)}  # Eq. 7
NAMED: dict[str, Credit] = {"fair": FAIR, "boundary": BOUNDARY, "fine": FINE}


def fair(
    *,
    unit: Annotated[
        Literal["char", "token"], Field(description="unit of overlap; published numbers used tokens")
    ] = "char",
    weights: Annotated[
        Literal["fair", "traditional", "boundary", "fine"] | dict[str, dict[Literal["tp", "fp", "fn"], float]],
        Field(
            description="how much an error counts: Eq. 5 (fair), as in strict (traditional), Eq. 6 (boundary), "
            "Eq. 7 (fine), or {error: {tp, fp, fn}}"
        ),
    ] = "fair",
    beta: Beta = 1.0,
    focus: Focus = "target",
) -> Metric:
    """Count each hit once, and each error once by kind.

    Verdicts: `tp`; `fn` and `fp`, on spans that overlap no span left to match; `le`, labelling
    error (boundaries right); `be_s`, `be_l` and `be_o`, boundary errors (label right;
    the prediction is shorter than gold, longer than gold, or overlaps gold); `lbe`, both
    wrong. `be` is the sum of the three boundary errors. The error list, the table
    `boundaries` and the JSON say which boundary is right: left, right, neither
    (footnote 2 of the paper), or both (spans with gaps).

    By default an error on a pair counts as half an fp and half an fn. `weights` change
    how much errors count, never the verdicts: a table names the errors that differ from
    "fair", and "traditional" is `strict`. With n gold spans and m predictions,
    max(n, m) <= tp + errors <= n + m.

    Unlike other measures, this one is not symmetric: swapping gold and prediction does not
    always swap p and r.

    Formula: strict's, with half an fp and half an fn for each le, be and lbe.

    Source: Ortmann (2022), "Fine-Grained Error Analysis and Fair Evaluation of
    Labeled Spans", Algorithm 2, equations 5 to 7. A match uses up the shared
    units of both spans, as in the author's program.

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 5, "A"), (8, 9, "A")], pred=[(0, 4, "A"), (8, 9, "B")])
    >>> score([doc], ["fair"]).fair.counts
    {'tp': 0, 'fp': 0, 'fn': 0, 'le': 1, 'be_s': 1, 'be_l': 0, 'be_o': 0, 'lbe': 0}
    """
    credit = None if weights == "traditional" else credit_of(weights)
    return Metric(
        scores=(
            *prf_scores("fair", key="fair", symmetric=False),
            Score("be", unit="count", higher_is_better=False, limits=(0, inf), meaning="boundary errors"),
        ),
        columns=one_each("tp", *ERRORS),
        formula=partial(formula, credit=credit, beta=beta),
        judge=judge if unit == "char" else judge_tokens,
        gaps=True,
        scope="group" if unit == "char" else "document",
        focus=focus,
        confusion=ERRORS,
        boundary_errors=BOUNDARY_ERRORS,
        words=FAIREVAL,
        taxonomy="FairEval",
    )


def credit_of(weights: str | Mapping[str, Mapping[Literal["tp", "fp", "fn"], float]]) -> Credit:
    """Return how much each error counts, from the name of a table or the errors that differ from "fair".

    Raises:
        ValueError: An error is unknown, or a weight is not a number from 0 to `HEAVIEST`.

    >>> credit_of({"le": {"fp": 1}})["le"], credit_of("fine")["be_s"]
    ((0.0, 1, 0.0), (0.5, 0, 0.5))
    """
    if isinstance(weights, str):
        return NAMED[weights]
    credit: dict[str, tuple[float, ...]] = dict(FAIR)
    for error, parts in weights.items():
        if error not in ERRORS:
            raise ValueError(f"weights: {describe_unknown(error, ERRORS, 'error')}")
        if not all(0 <= weight <= HEAVIEST for weight in parts.values()):
            raise ValueError(f"weights: a weight of {error} is not a number from 0 to {HEAVIEST:g}")
        credit[error] = (parts.get("tp", 0.0), parts.get("fp", 0.0), parts.get("fn", 0.0))
    return credit


def judge(group: OverlapGroup) -> Iterator[Verdict]:
    """Yield the verdicts of Algorithm 2, with characters as units."""
    if len(group.gold) == len(group.pred) == 1 and group.overlaps:  # most groups, so a shortcut
        (gold,), (pred,) = group.gold, group.pred
        if gold[:2] == pred[:2]:
            yield Verdict("le", gold, pred)
        else:
            yield Verdict(_boundary_error(gold, pred) if gold.label == pred.label else "lbe", gold, pred)
    else:
        yield from judge_units(group, group.gold, group.pred)


def judge_tokens(document: Document) -> Iterator[Verdict]:
    """Yield the verdicts of Algorithm 2, with the reference tokens as units."""
    return judge_units(
        document,
        [document.covered_tokens(span) for span in document.gold],
        [document.covered_tokens(span) for span in document.pred],
    )


def judge_units(
    group: OverlapGroup, gold_units: Sequence[Boundaries], pred_units: Sequence[Boundaries]
) -> Iterator[Verdict]:
    """Yield the verdicts of Algorithm 2.

    Args:
        group: The spans.
        gold_units, pred_units: The range of units that each span includes.
    """
    gold = dict(zip(group.gold, gold_units))
    pred = dict(zip(group.pred, pred_units))
    yield from _match_boundaries(gold, pred)

    # Steps 2 and 3: overlaps, first of equal labels, then of different ones. Each gold span is matched with
    # a free prediction, or else with a matched one; then each free prediction with a matched gold span.
    golds, preds = _candidates(gold, pred)
    for equal in (True, False):
        for side, matched in ((golds, False), (golds, True), (preds, True)):
            for candidate in side:
                if not candidate.matched and (other := candidate.most_similar(equal, matched)):
                    candidate.match(other)
                    g, p = (candidate.span, other.span) if side is golds else (other.span, candidate.span)
                    yield Verdict(_boundary_error(g, p) if equal else "lbe", g, p)

    # Step 4: the remaining spans overlap no span that is left to match.
    yield from (Verdict("fn", candidate.span, None) for candidate in golds if not candidate.matched)
    yield from (Verdict("fp", None, candidate.span) for candidate in preds if not candidate.matched)


def _match_boundaries(gold: dict[Span, Boundaries], pred: dict[Span, Boundaries]) -> Iterator[Verdict]:
    """Yield the verdicts of step 1, and remove their spans from further matching."""
    for span in sorted(gold.keys() & pred.keys()):
        yield Verdict("tp", span, span)
        del gold[span], pred[span]
    by_boundaries: dict[Boundaries, list[Span]] = {}
    for span in pred:
        by_boundaries.setdefault((span.start, span.end), []).append(span)
    for span in list(gold):
        if others := by_boundaries.get((span.start, span.end)):
            yield Verdict("le", span, others[0])
            del gold[span], pred[others.pop(0)]


class _Candidate:
    """A span in steps 2 and 3, with the ranges of its units that no match has used up yet.

    A span without gaps has a single range until it is matched. Only spans without a match search for one.
    """

    __slots__ = ("span", "rank", "ranges", "size", "opponents", "matched")

    def __init__(self, span: Span, units: Boundaries) -> None:
        self.span = span
        self.size = size(units)
        # Shortest first, then leftmost, then smallest label.
        self.rank = (self.size, *order_key(span))
        self.ranges = [*pieces_of(units)]
        self.opponents: list[_Candidate] = []
        self.matched = False

    def count_shared(self, other: _Candidate) -> int:
        """Return the number of unused units that both have; this span must have no match."""
        number = 0
        for first, last in self.ranges:
            for start, end in other.ranges:
                number += max(0, (end if end < last else last) - (start if start > first else first))
        return number

    def most_similar(self, equal: bool, matched: bool) -> _Candidate | None:
        """Return the opponent with the most shared units, then the fewest differing ones; None if none shares any.

        Args:
            equal: Whether the labels must be equal, or must differ.
            matched: Whether the opponent must have a match already, or must have none.
        """
        best, best_key = None, None
        for other in self.opponents:
            if other.matched is not matched or (other.span.label == self.span.label) is not equal:
                continue
            if number := self.count_shared(other):
                key = (-number, self.size + other.size - 2 * number, other.rank)
                if best_key is None or key < best_key:
                    best, best_key = other, key
        return best

    def match(self, other: _Candidate) -> None:
        """Match the two, and use up the units that they share."""
        units, ranges = self.count_shared(other), self.ranges
        self.ranges, other.ranges = subtract(ranges, other.ranges), subtract(other.ranges, ranges)
        for candidate in (self, other):
            candidate.size -= units
            candidate.matched = True


def _candidates(
    gold: dict[Span, Boundaries], pred: dict[Span, Boundaries]
) -> tuple[list[_Candidate], list[_Candidate]]:
    """Return the candidates of both sides by rank, each with those of the other side that it overlaps."""
    golds, preds = ([_Candidate(span, units) for span, units in side.items()] for side in (gold, pred))
    for i, j, number in overlaps(list(gold.values()), list(pred.values())):
        if number:
            golds[i].opponents.append(preds[j])
            preds[j].opponents.append(golds[i])
    return sorted(golds, key=lambda candidate: candidate.rank), sorted(preds, key=lambda candidate: candidate.rank)


def _boundary_error(gold: Span, pred: Span) -> str:
    number = shared_characters(gold, pred)
    return "be_s" if number == pred.size else "be_l" if number == gold.size else "be_o"


def formula(columns: Columns, credit: Credit | None, beta: float) -> dict[str, Array]:
    """Return precision, recall and F of the credited counts (those of `strict` if None), and the boundary errors."""
    hits = columns["tp"]
    if credit is None:
        scores = prf(hits, columns["pred_spans"] - hits, columns["gold_spans"] - hits, beta)
    else:
        tp, fp, fn = (sum(credit[error][k] * columns[error] for error in ERRORS) for k in range(3))
        scores = prf(hits + tp, fp, fn, beta)
    return scores | {"be": sum(columns[error] for error in BOUNDARY_ERRORS)}
