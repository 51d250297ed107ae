"""Attributes of the spans that were found, such as negation, severity or links."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from ..core.attribute_values import NONE
from ..core.declaration import Array, Columns, Kind, Metric, Score, Verdict, one_each, prf_scores
from ..core.formulas import prf, ratio
from ..core.spans import Document, Span, by_label
from .registry import Beta

SHARED = ("tp", "fp", "fn", "end_fp", "end_fn")
"""The verdicts on a value, in the row NAME=value."""

OF_NAMES = ("equal", "unequal")
"""The verdicts on an attribute that one span of a pair has, in the row NAME."""

KINDS = {"tp": Kind.HIT, "fn": Kind.MISS, "end_fn": Kind.MISS, "fp": Kind.SPURIOUS, "end_fp": Kind.SPURIOUS}
KINDS |= {"equal": Kind.HIT, "unequal": Kind.HIT}
"""The equivalent kind of span of a value, by verdict."""


def attributes(
    *,
    pairs: Annotated[
        Literal["strict", "overlap"],
        Field(
            description="spans of a pair have the same boundaries and label, or are aligned as in semeval and have the "
            "same label"
        ),
    ] = "strict",
    names: Annotated[
        str | Sequence[str] | None,
        Field(description="the attributes that are compared, with commas between them; by default all"),
    ] = None,
    beta: Beta = 1.0,
) -> Metric:
    """Compare the attributes of spans that were found, such as negation, severity or links.

    A gold and a predicted span are a pair if they have the same boundaries and label, or
    with `pairs="overlap"` if the alignment of `semeval` pairs them among the spans of their label.
    A span that lacks an attribute has the value `none` for it.

    Scores: `accuracy` is the rate of pairs with equal values, of all attributes that any pair
    has; `given_p`, `given_r` and `given_f` compare the values of pairs; `end_p`, `end_r` and
    `end_f` also count the values of spans without a partner; `all` is the rate of pairs that
    have all attributes right. Rows are attributes, and values of them, in place of labels.

    Verdicts: for each value other than `none`, `tp` (both spans of a pair have it), `fn` (only the gold
    span), `fp` (only the prediction), `end_fn` and `end_fp` (a span without a partner). For each
    attribute of a pair, `equal` or `unequal`. For each pair, `pair`, and `whole` if all is right.

    Formula: given_p = tp/(tp + fp), given_r = tp/(tp + fn), end_p = tp/(tp + fp + end_fp),
    end_r = tp/(tp + fn + end_fn), f = 2pr/(p + r), accuracy = 1 - unequal/(attributes * pairs),
    all = whole/pairs.

    Source: Uzuner et al. (2011), 2010 i2b2/VA challenge, assertions about given concepts; the package
    clinlp, qualifiers of matched entities. Both have no partial credit; `end` and rows of values are
    [our choice].

    >>> from spacy_nereval import score
    >>> span = {"start": 3, "end": 8, "label": "SIGN"}
    >>> gold = [{"text": "No fever", "spans": [span | {"attributes": {"negated": True}}]}]
    >>> result = score(gold, [{"text": "No fever", "spans": [span]}], ["attributes"])
    >>> result.attributes.given_r, result.attributes.accuracy
    (0.0, 0.0)
    """
    listed = names.split(",") if isinstance(names, str) else names
    chosen = None if listed is None else frozenset(name.strip() for name in listed)
    return Metric(
        scores=(
            *prf_scores("given", prefix="given_", key="attributes_given", symmetric=beta == 1),
            *prf_scores("end", prefix="end_", key="attributes_end", symmetric=beta == 1),
            Score("accuracy", key="attributes_accuracy", symmetric=True, meaning="equal values: of found spans"),
            Score("all", key="attributes_all", symmetric=True, meaning="all equal: found spans with every value right"),
        ),
        columns=one_each(*SHARED, *OF_NAMES, "pair", "found", "whole"),
        formula=partial(formula, beta=beta),
        judge=partial(judge, pairs=pairs, names=chosen),
        gaps=True,
        scope="document",
        correct=("tp",),
        mirror={"fp": "fn", "fn": "fp", "end_fp": "end_fn", "end_fn": "end_fp"},
        attributes=True,
        per_row={"pair": OF_NAMES},
        row_kinds=KINDS,
    )


def judge(document: Document, pairs: str, names: frozenset[str] | None) -> Iterator[Verdict]:
    """Yield the verdicts on the attributes of pairs and of spans without a partner.

    The label of a verdict's span is its row.
    """
    for gold, pred in _pair_spans(document, pairs):
        sides = [
            {
                name: value
                for name, value in (document.attributes_of(side, span) if span else {}).items()
                if names is None or name in names
            }
            for side, span in enumerate((gold, pred))
        ]
        if gold and pred:
            yield from _compare(gold, pred, *sides)
        elif span := gold or pred:
            for name, value in sides[gold is None].items():
                row = span._replace(label=f"{name}={value}")
                yield Verdict("end_fn", row, None) if gold else Verdict("end_fp", None, row)


def _pair_spans(document: Document, pairs: str) -> Iterator[tuple[Span | None, Span | None]]:
    """Yield the pairs of a document, and its other spans alone."""
    if pairs == "overlap":
        for group in by_label(document):
            yield from group.alignment
        return
    for span in document.gold:
        yield span, span if span in document.hits else None
    yield from ((None, span) for span in document.pred if span not in document.hits)


def _compare(gold: Span, pred: Span, gold_values: dict[str, str], pred_values: dict[str, str]) -> Iterator[Verdict]:
    """Yield the verdicts on a pair."""
    yield Verdict("pair", gold, gold)
    yield Verdict("found", gold, gold)
    if gold_values == pred_values:
        yield Verdict("whole", gold, gold)
    for name in sorted(gold_values.keys() | pred_values.keys()):
        values = gold_values.get(name, NONE), pred_values.get(name, NONE)
        row = gold._replace(label=name)
        yield Verdict("equal" if values[0] == values[1] else "unequal", row, row)
        a, b = gold._replace(label=f"{name}={values[0]}"), pred._replace(label=f"{name}={values[1]}")
        if values[0] == values[1]:
            yield Verdict("tp", a, b)
            continue
        if values[0] != NONE:
            yield Verdict("fn", a, b)
        if values[1] != NONE:
            yield Verdict("fp", None, b)


def formula(columns: Columns, beta: float) -> dict[str, Array]:
    """Return the scores of given pairs, of all spans, the accuracy, and the rate of pairs that are right."""
    tp, fp, fn = columns["tp"], columns["fp"], columns["fn"]
    given = prf(tp, fp, fn, beta)
    end = prf(tp, fp + columns["end_fp"], fn + columns["end_fn"], beta)
    return {
        **{f"given_{name}": value for name, value in given.items()},
        **{f"end_{name}": value for name, value in end.items()},
        "accuracy": ratio(columns["pair"] - columns["unequal"], columns["pair"]),
        "all": ratio(columns["whole"], columns["found"]),
    }
