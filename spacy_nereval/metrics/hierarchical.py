"""Labels with levels, such as LOC/CITY: credit for the part of the hierarchy that is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated

from pydantic import Field

from ..core.arguments import SEPARATOR
from ..core.declaration import Array, Columns, Metric, Verdict, one_each, prf_scores
from ..core.formulas import prf
from ..core.labels import ancestors
from ..core.spans import Document, Span
from .registry import Beta

VERDICTS = ("tp", "fp", "fn")

SpanSources = dict[tuple[int, int, str], Span]
"""The start, end and label of expanded spans, each with the span of the document that it comes from."""


def hierarchical(
    *,
    sep: Annotated[str, Field(min_length=1, description="separator between the levels of a label")] = SEPARATOR,
    depths: Annotated[int, Field(ge=1, le=9, description="number of depths to score one by one")] = 3,
    beta: Beta = 1.0,
) -> Metric:
    """Compare labels level by level, so that LOC/CITY for LOC/TOWN is half right.

    Every span is replaced by one span for its label and one for each ancestor of the
    label, and these are compared as in `strict`: boundaries have to be right. The
    scores of depth 2, for example, are those of `strict` with labels truncated to two levels.
    Labels of fewer levels stay as they are.

    Verdicts: `tp`, `fp`, `fn`, with a number of labels as the amount; and for each depth
    `depth1_tp`, `depth1_fp`, `depth1_fn`, and so on. If several spans of one side share
    boundaries and an ancestor, it counts once, for the span with the smallest label [our
    choice].

    Formula: p = tp/(tp + fp), r = tp/(tp + fn), f = 2 tp/(2 tp + fp + fn), of labels and
    their ancestors.

    Source: Kiritchenko et al. (2006), "Learning and Evaluation in the Presence of Class
    Hierarchies"; Silla and Freitas (2011), "A survey of hierarchical classification".

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 5, "LOC/CITY")], pred=[(0, 5, "LOC/TOWN")])
    >>> score([doc], ["hierarchical"]).hierarchical.f
    0.5
    """
    prefixes = [f"depth{depth}_" for depth in range(1, depths + 1)]
    names = [prefix + verdict for prefix in ("", *prefixes) for verdict in VERDICTS]
    scores = prf_scores("hierarchical", key="hierarchical", symmetric=beta == 1)
    for prefix in prefixes:
        scores += prf_scores(prefix.rstrip("_"), prefix=prefix, symmetric=beta == 1)
    return Metric(
        scores=scores,
        columns=one_each(*names),
        formula=partial(formula, prefixes=("", *prefixes), beta=beta),
        judge=partial(judge, sep=sep, depths=depths),
        gaps=True,
        scope="document",
        chains=True,
        correct=("tp",),
    )


def judge(document: Document, sep: str, depths: int) -> Iterator[Verdict]:
    """Yield the verdicts on all levels, with their number; then those on labels truncated to each depth."""
    sides = [expand_labels(side, sep) for side in (document.gold, document.pred)]
    amounts: dict[tuple[str, Span | None, Span | None], int] = {}
    for key in _compare(*sides):
        amounts[key] = amounts.get(key, 0) + 1
    for (name, gold, pred), amount in amounts.items():
        yield Verdict(name, gold, pred, amount)
    for depth in range(1, depths + 1):
        for name, gold, pred in _compare(*(expand_labels(side, sep, depth) for side in (document.gold, document.pred))):
            yield Verdict(f"depth{depth}_{name}", gold, pred)


def expand_labels(spans: Sequence[Span], sep: str, depth: int | None = None) -> SpanSources:
    """Return a span for each label and each of its ancestors, or for the label truncated to a depth.

    >>> expand_labels([Span(0, 3, "A/B")], "/").keys(), expand_labels([Span(0, 3, "A/B")], "/", 1).keys()
    (dict_keys([(0, 3, 'A'), (0, 3, 'A/B')]), dict_keys([(0, 3, 'A')]))
    """
    result: SpanSources = {}
    for span in spans:  # sorted, so that the smallest label comes first
        levels = ancestors(span.label, sep)
        for label in levels if depth is None else [levels[min(depth, len(levels)) - 1]]:
            result.setdefault((span.start, span.end, label), span)
    return result


def _compare(gold: SpanSources, pred: SpanSources) -> Iterator[tuple[str, Span | None, Span | None]]:
    """Yield a verdict on each label of both sides, then of one side only."""
    for key, span in gold.items():
        yield ("tp", span, pred[key]) if key in pred else ("fn", span, None)
    for key, span in pred.items():
        if key not in gold:
            yield "fp", None, span


def formula(columns: Columns, prefixes: Sequence[str], beta: float) -> dict[str, Array]:
    """Return precision, recall and F, of all levels and of each depth."""
    result: dict[str, Array] = {}
    for prefix in prefixes:
        tp, fp, fn = (columns[prefix + verdict] for verdict in VERDICTS)
        scores = prf(tp, fp, fn, beta)
        result |= {prefix + name: value for name, value in scores.items()}
    return result
