"""Everything that the author of a metric needs, in one place.

A metric is a function that takes options and returns a `Metric`: its verdicts, the columns
they add up to, one formula, and its scores, all declared. An entry point in the group
`spacy_nereval_metrics` makes it known; a test can add it to `registry` instead.

    declare     Metric, Score, prf_scores, one_each, Classes, GOLD_SPANS, PRED_SPANS
    judge       Verdict, OverlapGroup, Document, Span
    words       Wording of a verdict, of one of VERDICT_KINDS: HIT, MISSED, SPURIOUS, LABEL, BOUNDARY, BOTH;
                HITS_AND_MISSES and FAIREVAL are tables of them
    options     Beta, Focus, Typed; any other is an `Annotated` type with a pydantic Field
    formulas    prf, prf_of_columns, f_score, ratio, weight_table; Columns and Array for type annotations
    pairing     closest_pairs, best_pairs, overlaps; an OverlapGroup has `alignment` and `overlaps`
    coverage    by_label, covered, shares, stretches, subtract
    gaps        pieces_of, size, shared_characters, covered_text, order_key: of spans that may have gaps; Boundaries
    strings     ancestors of a label, SEPARATOR of its levels; canonical form of a mention
    training    cached_lexicon, pinned_path: the spans of the training corpus, for an option `train`
    features    Feature, ResultKind: the additions of a feature, see `core.features`
    register    create, registry; count and evaluate to try it, `spacy_nereval.testing` to test it

>>> from collections.abc import Iterator
>>> def paired(*, beta: Beta = 1.0) -> Metric:
...     "A span counts if it can be paired with one that it overlaps. Source: an example."
...     return Metric(
...         scores=prf_scores("paired", key="paired"),
...         columns=one_each("tp", "fp", "fn"),
...         formula=lambda n: prf(n["tp"], n["fp"], n["fn"], beta),
...         judge=judge,
...     )
>>> def judge(group: OverlapGroup) -> Iterator[Verdict]:
...     for gold, pred in closest_pairs(group.gold, group.pred, {(i, j): 1 for i, j, _ in group.overlaps}):
...         yield Verdict("tp" if gold and pred else "fn" if gold else "fp", gold, pred)
>>> from dataclasses import replace
>>> documents = [Document([(0, 5, "A"), (8, 9, "A")], [(3, 7, "A")])]
>>> result = evaluate(count(documents, [replace(paired(), name="paired")]))
>>> result["metrics"]["paired"]["scores"]["f"]
0.6666666666666666
"""

from .core.alignment import best_pairs, closest_pairs
from .core.arguments import SEPARATOR
from .core.declaration import (
    GOLD_SPANS,
    PRED_SPANS,
    Array,
    Classes,
    Columns,
    Kind,
    Metric,
    Score,
    SpanTable,
    Tally,
    Verdict,
    one_each,
    prf_scores,
)
from .core.features import Feature, ResultKind
from .core.formulas import HEAVIEST, f_score, prf, prf_of_columns, ratio, weight_table
from .core.labels import ancestors
from .core.lexicon import Lexicon, cached_lexicon, pinned_path
from .core.mention_places import canonical
from .core.overlapping import covered, overlaps, shares, stretches, subtract
from .core.pieces import Boundaries, covered_text, order_key, pieces_of, shared_characters, size
from .core.spans import Document, OverlapGroup, Span, by_label
from .core.wording import (
    BOTH,
    BOUNDARY,
    FAIREVAL,
    HIT,
    HITS_AND_MISSES,
    LABEL,
    MISSED,
    SPURIOUS,
    VERDICT_KINDS,
    Wording,
)
from .counting.counter import count
from .evaluation.result import evaluate
from .metrics.registry import Beta, Focus, Typed, create, registry

__all__ = [
    "BOTH",
    "BOUNDARY",
    "FAIREVAL",
    "GOLD_SPANS",
    "HEAVIEST",
    "HIT",
    "HITS_AND_MISSES",
    "LABEL",
    "MISSED",
    "PRED_SPANS",
    "SEPARATOR",
    "SPURIOUS",
    "VERDICT_KINDS",
    "Array",
    "Beta",
    "Boundaries",
    "Classes",
    "Columns",
    "Document",
    "Feature",
    "Focus",
    "Kind",
    "Lexicon",
    "Metric",
    "OverlapGroup",
    "ResultKind",
    "Score",
    "Span",
    "SpanTable",
    "Tally",
    "Typed",
    "Verdict",
    "Wording",
    "ancestors",
    "best_pairs",
    "by_label",
    "cached_lexicon",
    "canonical",
    "closest_pairs",
    "count",
    "covered",
    "covered_text",
    "create",
    "evaluate",
    "f_score",
    "one_each",
    "order_key",
    "overlaps",
    "pieces_of",
    "pinned_path",
    "prf",
    "prf_of_columns",
    "prf_scores",
    "ratio",
    "registry",
    "shared_characters",
    "shares",
    "size",
    "stretches",
    "subtract",
    "weight_table",
]
