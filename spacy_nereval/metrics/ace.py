"""Value: the value of the spans that are found, less the cost of false alarms."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from math import inf, lcm
from typing import Annotated, Literal

from pydantic import Field

from ..core.alignment import closest_pairs
from ..core.declaration import Array, Columns, Metric, Score, Verdict
from ..core.formulas import HEAVIEST, ratio, weight_table
from ..core.spans import Document

VERDICTS = ("mapped", "err", "miss", "fa")


def ace(
    *,
    min_overlap: Annotated[
        float, Field(ge=0, le=1, description="least shared characters over the longer length in a pair, inclusive")
    ] = 0.3,
    type_error: Annotated[
        float,
        Field(ge=0, le=1, description="value of a pair with different labels, as a share of a pair with equal labels"),
    ] = 0.5,
    false_alarm: Annotated[
        float, Field(ge=0, le=HEAVIEST, description="cost of a spurious prediction, times its weight")
    ] = 0.75,
    weights: Annotated[
        Literal["equal"] | dict[str, float],
        Field(description="weight of each label: all 1, or {label: weight}, others 1"),
    ] = "equal",
) -> Metric:
    """Compute the value of a system: the worth of the gold spans it finds, less the cost of
    its false alarms, over the worth of all gold spans.

    Gold and predicted spans are paired one to one, so that the value is greatest. The
    spans of a pair share at least `min_overlap` of the longer one; beyond that,
    boundaries do not matter. A pair is worth the smaller of the weights of its two
    labels, times `type_error` if the labels differ. A missed gold span costs only its own
    worth. The value is at most 1, can be negative, and is undefined without gold spans.

    Verdicts, with their worth as the amount: `mapped`, a pair; `err`, how much less a
    pair is worth than its gold span; `miss`, a gold span without a partner; `fa`, a
    prediction without a partner. In the formula pairs = mapped, false_alarms = fa and
    gold = mapped + err + miss. A pair counts for the gold label.

    Of several pairings of the greatest value, the one with the most pairs is taken, then
    the one with the fewest characters that only one of a pair has, then the leftmost [our
    choice; it decides for which label a pair counts, never the value]. A span of length
    zero is paired with one that has the same boundaries [our choice]. Coreference,
    mention level, class and role are omitted: every entity has one name here. NIST's
    program agrees with `type_error=0.405` = 0.5 * 0.9 * 0.9.

    Formula: value = (pairs - false_alarm * false_alarms)/gold, at its greatest over all one-to-one pairs.

    Source: NIST (2008), "Automatic Content Extraction 2008 Evaluation Plan",
    entity mention detection, and its scoring program.

    >>> from spacy_nereval import Document, score
    >>> doc = Document(gold=[(0, 20, "A")], pred=[(0, 10, "A"), (10, 20, "A")])
    >>> score([doc], ["ace"]).ace.scores
    {'value': 0.25}
    """
    table = {} if isinstance(weights, str) else weight_table(weights, {}, tuple(weights))
    return Metric(
        scores=(Score("value", headline=True, key="ace", limits=(-inf, 1), meaning="worth found, less false alarms"),),
        columns={"pairs": ("mapped",), "false_alarms": ("fa",), "gold": ("mapped", "err", "miss")},
        formula=partial(formula, false_alarm=false_alarm),
        gaps=True,
        judge=partial(
            judge,
            weights={label: exact_fraction(weight) for label, weight in table.items()},
            min_overlap=exact_fraction(min_overlap),
            type_error=exact_fraction(type_error),
            false_alarm=exact_fraction(false_alarm),
        ),
        scope="document",
        chains=True,
        correct=("mapped",),
        partial_credit=VERDICTS,
        confusion=("mapped", "fa", "miss"),
    )


def exact_fraction(number: float) -> Fraction:
    """Return the number as an exact fraction of its decimals, so that sums and comparisons do not round.

    >>> exact_fraction(0.1)
    Fraction(1, 10)
    """
    return Fraction(str(number))


def judge(
    document: Document,
    weights: Mapping[str, Fraction],
    min_overlap: Fraction,
    type_error: Fraction,
    false_alarm: Fraction,
) -> Iterator[Verdict]:
    """Yield the verdicts on each pair, with its worth and the rest of the gold span's worth, and on unpaired spans."""
    gold, pred = document.gold, document.pred
    allowed = [(i, j) for i, j, shared in document.overlaps if shared >= min_overlap * max(gold[i].size, pred[j].size)]

    def weight(label: str) -> Fraction:
        return weights.get(label, Fraction(1))

    labels = {(gold[i].label, pred[j].label) for i, j in allowed}
    worth = {(a, b): min(weight(a), weight(b)) * (1 if a == b else type_error) for a, b in labels}
    # A pair also saves the cost of the false alarm that its prediction would be.
    gain = {(a, b): value + false_alarm * weight(b) for (a, b), value in worth.items()}
    denominator = lcm(*(value.denominator for value in gain.values()))  # gains are compared as whole numbers
    gains = {(i, j): int(gain[gold[i].label, pred[j].label] * denominator) for i, j in allowed}
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


def formula(columns: Columns, false_alarm: float) -> dict[str, Array]:
    """Return the value."""
    return {"value": ratio(columns["pairs"] - false_alarm * columns["false_alarms"], columns["gold"])}
