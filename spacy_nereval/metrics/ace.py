"""Value: what is found less what false alarms cost."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from math import lcm
from typing import Annotated, Literal

from pydantic import Field

from ..core.alignment import closest_pairs
from ..core.declaration import Columns, Metric, Verdict
from ..core.formulas import ratio, weight_table
from ..core.spans import Document


def ace(
    *,
    min_overlap: Annotated[
        float, Field(ge=0, le=1, description="least shared characters over the longer length in a pair, inclusive")
    ] = 0.3,
    type_error: Annotated[
        float,
        Field(ge=0, le=1, description="worth of a pair whose labels differ, as a share of one whose labels agree"),
    ] = 0.5,
    false_alarm: Annotated[
        float, Field(ge=0, allow_inf_nan=False, description="cost of a spurious prediction, times its weight")
    ] = 0.75,
    weights: Annotated[
        Literal["equal"] | dict[str, float], Field(description="of labels: all 1, or {label: weight}, the others 1")
    ] = "equal",
) -> Metric:
    """The value of what is found, less the cost of false alarms, over the value of the gold
    spans.

    A pair needs enough shared characters; beyond that boundaries are free. It is
    worth the smaller weight of its labels, times `type_error` if they differ.
    Pairs are one to one and such that the value is greatest. A miss costs its
    own value alone. The value is at most 1, may be negative, and is undefined
    without gold spans.

    Verdicts, with the value as amount: `mapped`, a pair; `err`, what it falls
    short of its gold span; `miss`, a gold span without partner; `fa`, a
    prediction without. pairs = mapped, false_alarms = fa, gold = mapped + err +
    miss. A pair counts for the gold label.

    Of several best mappings the one with the most pairs, then the fewest
    characters that only one of a pair has, then the leftmost [ours; it decides
    for which label a pair counts, never the value]. A span of length zero pairs
    with its equal [ours]. Coreference, mention level, class and role are left
    out: entities have one name each. NIST's program agrees with
    `type_error=0.405` = .5 * .9 * .9.

    Formula: value = (pairs - false_alarm * false_alarms)/gold, at its greatest over all one-to-one pairs.

    Source: NIST (2008), "Automatic Content Extraction 2008 Evaluation Plan",
    entity mention detection, and its scoring program.

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 20, "A")], pred=[(0, 10, "A"), (10, 20, "A")])
    >>> score([doc], ["ace"])["metrics"]["ace"]["scores"]
    {'value': 0.25}
    """
    table = {} if isinstance(weights, str) else weight_table(weights, {}, tuple(weights))
    return Metric(
        judge=partial(
            judge,
            weights={label: exact(weight) for label, weight in table.items()},
            min_overlap=exact(min_overlap),
            type_error=exact(type_error),
            false_alarm=exact(false_alarm),
        ),
        score=partial(score, false_alarm=false_alarm),
        columns={"pairs": ("mapped",), "false_alarms": ("fa",), "gold": ("mapped", "err", "miss")},
        floats=("pairs", "false_alarms", "gold"),
        settled=None,
        flat={"ace": "value"},
        confusion=("mapped", "fa", "miss"),
    )


def exact(number: float) -> Fraction:
    """The number as it is written, so that sums and comparisons do not round."""
    return Fraction(str(number))


def judge(
    document: Document,
    weights: Mapping[str, Fraction],
    min_overlap: Fraction,
    type_error: Fraction,
    false_alarm: Fraction,
) -> Iterator[Verdict]:
    gold, pred = document.gold, document.pred
    met = [
        (i, j)
        for i, j, shared in document.overlaps
        if shared >= min_overlap * max(gold[i].end - gold[i].start, pred[j].end - pred[j].start)
    ]

    def weight(label: str) -> Fraction:
        return weights.get(label, Fraction(1))

    labels = {(gold[i].label, pred[j].label) for i, j in met}
    worth = {(a, b): min(weight(a), weight(b)) * (1 if a == b else type_error) for a, b in labels}
    gain = {(a, b): value + false_alarm * weight(b) for (a, b), value in worth.items()}  # a pair is no false alarm
    whole = lcm(*(value.denominator for value in gain.values()))
    gains = {(i, j): int(gain[gold[i].label, pred[j].label] * whole) for i, j in met}
    for a, b in closest_pairs(gold, pred, gains):
        if a and b:
            value = worth[a.label, b.label]
            yield Verdict("mapped", a, b, float(value))
            if value < weight(a.label):
                yield Verdict("err", a, b, float(weight(a.label) - value))
        elif a:
            yield Verdict("miss", a, None, float(weight(a.label)))
        elif b:
            yield Verdict("fa", None, b, float(weight(b.label)))


def score(n: Columns, false_alarm: float) -> dict:
    return {"value": ratio(n["pairs"] - false_alarm * n["false_alarms"], n["gold"])}
