"""A metric of its own package: a span counts if it ends where a gold span ends."""

from collections.abc import Iterator
from functools import partial

from spacy_nereval.authoring import (
    Array,
    Beta,
    Columns,
    Metric,
    OverlapGroup,
    Typed,
    Verdict,
    closest_pairs,
    one_each,
    prf,
    prf_scores,
    registry,
)


@registry.register("ends")
def ends(*, typed: Typed = True, beta: Beta = 1.0) -> Metric:
    """Count a span as found if a predicted span ends at the same place: names of English end with their head.

    Verdicts: `tp` (both spans end at the same place), `fp`, `fn`. A span is paired once.

    Formula: P = tp/(tp + fp), R = tp/(tp + fn), F as usual.

    Source: this example.
    """
    return Metric(
        scores=prf_scores("ends", key="ends"),
        columns=one_each("tp", "fp", "fn"),
        formula=partial(_formula, beta=beta),
        judge=partial(judge, typed=typed),
        confusion=("tp", "fp", "fn"),
    )


def judge(group: OverlapGroup, *, typed: bool) -> Iterator[Verdict]:
    """Yield the verdicts on spans that overlap; spans that both sides have were taken out before."""
    together = {
        (i, j): 1
        for i, gold in enumerate(group.gold)
        for j, pred in enumerate(group.pred)
        if gold.end == pred.end and (gold.label == pred.label or not typed)
    }
    for gold, pred in closest_pairs(group.gold, group.pred, together):
        yield Verdict("tp" if gold and pred else "fn" if gold else "fp", gold, pred)


def _formula(columns: Columns, *, beta: float) -> dict[str, Array]:
    return prf(columns["tp"], columns["fp"], columns["fn"], beta)
