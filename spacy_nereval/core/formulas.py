"""The declaration of a metric's scores, and the formulas that several metrics use.

Formulas take numbers, or work elementwise on arrays of any shape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .messages import describe_unknown

Array = Any
"""A number or a numpy array; formulas work on either."""


SPACYS = ("p", "r", "f", "per_type")
"""Suffixes of spaCy's own score keys, after `ents_` or `spans_sc_`."""

RESULT = "nereval"
"""Suffix of the key of the nested result."""


@dataclass(frozen=True)
class Score:
    """A number computed from counts, and how to read it.

    Args:
        name: The key under which the formula returns it.
        unit: "ratio" (shown in percent), "count" (a number of spans: it has no average),
            or "raw" (neither, shown as it is).
        higher_is_better: False for a cost, such as an error rate.
        headline: Whether it represents the metric where one score is shown.
        key: Its name in a spaCy score dict, without prefix; None keeps it out.
        group: The row of a table that it shares with two others: precision, recall and
            F of one group are declared side by side, in this order.
        symmetric: Whether it stays the same when gold and prediction are swapped.
        limits: The lowest and the highest value; infinite if there is none.
        complement_of: The score x if this one is max(0, 1 - x). The two are never both
            tested.
        meaning: Its meaning, in a few words for tables. The text after a colon explains them.
            Precision, recall and F of a group need no explanation.

    >>> Score("granularity", unit="raw", higher_is_better=False, key="plagdet_granularity").unit
    'raw'
    """

    name: str
    unit: Literal["ratio", "count", "raw"] = "ratio"
    higher_is_better: bool = True
    headline: bool = False
    key: str | None = None
    group: str | None = None
    symmetric: bool = False
    limits: tuple[float, float] = (0.0, 1.0)
    complement_of: str | None = None
    meaning: str = ""

    def __post_init__(self) -> None:
        if self.unit not in ("ratio", "count", "raw"):
            raise ValueError(f"score {self.name!r} has the unit {self.unit!r}; use 'ratio', 'count' or 'raw'")
        if self.key in (*SPACYS, RESULT):
            owner = "the nested result" if self.key == RESULT else "a score of spaCy's own"
            raise ValueError(f"score {self.name!r} has the key {self.key!r}, which {owner} has: choose another")


def prf_scores(group: str, *, prefix: str = "", key: str | None = None, symmetric: bool = True) -> tuple[Score, ...]:
    """Return precision, recall and F of one group. F is the headline if there is a key.

    Args:
        group: The name of the row that the three share in tables.
        prefix: The prefix of `p`, `r` and `f` in the names of the scores.
        key: The spaCy score keys are `{key}_p`, `{key}_r`, `{key}_f`; None gives them none.
        symmetric: Whether F stays the same when gold and prediction are swapped.

    Returns:
        Three ratios, in this order.

    >>> [(score.name, score.key, score.headline) for score in prf_scores("exact", prefix="exact_", key="exact")]
    [('exact_p', 'exact_p', False), ('exact_r', 'exact_r', False), ('exact_f', 'exact_f', True)]
    """
    return tuple(
        Score(
            prefix + part,
            headline=part == "f" and key is not None,
            key=f"{key}_{part}" if key else None,
            group=group,
            symmetric=part == "f" and symmetric,
        )
        for part in "prf"
    )


@dataclass(frozen=True)
class Classes:
    """How scores of classes (labels, and all labels together) make an overall score.

    Args:
        scores: The scores of a class, which the metric's formula returns.
        overall: From the class scores, float[labels + 1, ...] with all labels together
            last, and the weights of the classes, to the metric's scores.
        weights: From the labels, and whether they are the buckets of a breakdown, to
            float[labels + 1], with all labels together last.
        document_mean: Whether a class score is the mean over the documents that have the
            class, rather than the score of the summed counts.

    >>> one = Classes((Score("p"),), lambda scores, _: {"all": scores["p"][-1]}, lambda labels, _: [1, 1, 1])
    >>> one.weights(["A", "B"], False), one.overall({"p": [0.5, 1.0, 0.75]}, [1, 1, 1])
    ([1, 1, 1], {'all': 0.75})
    """

    scores: tuple[Score, ...]
    overall: Callable[[Mapping[str, NDArray[Any]], NDArray[Any]], dict[str, Array]]
    weights: Callable[[Sequence[str], bool], NDArray[Any]]
    document_mean: bool = False


def check_scores(scores: Sequence[Score]) -> None:
    """Raise ValueError, saying where, if the declared scores contradict each other."""
    names = [score.name for score in scores]
    keys = [score.key for score in scores if score.key]
    for noun, values in (("score", names), ("score key", keys)):
        if repeated := sorted({name for name in values if values.count(name) > 1}):
            raise ValueError(f"the {noun} {repeated[0]!r} is declared twice")
    groups = [score.group for score in scores if score.group]
    for group in dict.fromkeys(groups):
        if groups.count(group) != 3:
            raise ValueError(f"the group {group!r} has {groups.count(group)} scores; declare P, R and F")
    for score in scores:
        if score.complement_of and score.complement_of not in names:
            raise ValueError(f"{score.name!r} is the complement of {score.complement_of!r}, which is not declared")


HEAVIEST = 1e12
"""The largest weight. With much larger ones, weighted counts could overflow."""


def ratio(part: Array, whole: Array) -> Array:
    """Return part / whole, and NaN where `whole` is 0.

    Args:
        part, whole: Numbers, or arrays of one shape.

    Returns:
        float64[...], of the shape of the arguments.

    >>> ratio(np.array([1, 0]), np.array([2, 0]))
    array([0.5, nan])
    """
    return np.divide(part, np.where(np.asarray(whole) != 0, whole, np.nan))[()]


def weight_of_precision(beta: float) -> float:
    """Return van Rijsbergen's alpha, 1/(1 + beta^2): the weight of precision in F, from 1 down to 0.

    F is computed from alpha because beta^2 overflows where beta is large.

    >>> [weight_of_precision(beta) for beta in (0, 1, 1e200, float("inf"))]
    [1.0, 0.5, 0.0, 0.0]
    """
    return 1 / (1 + beta * beta)


def prf(tp: Array, fp: Array, fn: Array, beta: float = 1.0) -> dict[str, Array]:
    """Return precision `p`, recall `r` and F-beta `f` from counts.

    F is 0, not undefined, when only one side has spans.

    Args:
        tp, fp, fn: Correct, spurious and missed, in any unit. Fractions are fine.
        beta: From 0, where F is precision, to infinity, where F is recall.

    Returns:
        float64[...] each, of the shape of the counts: from 0 to 1, NaN where undefined.

    >>> prf(0, 0, 3)
    {'p': np.float64(nan), 'r': np.float64(0.0), 'f': np.float64(0.0)}
    >>> [float(prf(1, 1, 3, beta)["f"]) for beta in (0, 1, float("inf"))]
    [0.5, 0.3333333333333333, 0.25]

    Source: Makhoul et al. (1999), equation 6, with van Rijsbergen's α = 1/(1 + β²).
    """
    alpha = weight_of_precision(beta)
    f = ratio(tp, tp + (1 - alpha) * fn + alpha * fp)
    # With beta 0 or infinite, or nearly, the denominator leaves one side out, perhaps the only one that has spans.
    only_one_side = np.isnan(f) & ((np.asarray(fp) != 0) | (np.asarray(fn) != 0))
    return {"p": ratio(tp, tp + fp), "r": ratio(tp, tp + fn), "f": np.where(only_one_side, 0.0, f)[()]}


def prf_of_columns(columns: Mapping[str, Array], beta: float = 1.0) -> dict[str, Array]:
    """Return `prf` of the columns `tp`, `fp` and `fn`, the formula of metrics that have no others.

    Args:
        columns: The columns that the metric declares.
        beta: As for `prf`.

    Returns:
        The scores of `prf`.

    >>> prf_of_columns({"tp": 1, "fp": 1, "fn": 0})["p"]
    np.float64(0.5)
    """
    return prf(columns["tp"], columns["fp"], columns["fn"], beta)


def f_score(p: Array, r: Array, beta: float = 1.0) -> Array:
    """Return F-beta from precision and recall, for metrics without counts of tp, fp and fn.

    As with counts, F is 0, not undefined, when only one side has spans.

    Args:
        p, r: Precision and recall; NaN where a side has no spans.
        beta: From 0, where F is precision, to infinity, where F is recall.

    Returns:
        float64[...], of the shape of p and r: from 0 to 1, NaN where undefined.

    >>> f_score(np.array([0.5, 0.0, np.nan, np.nan]), np.array([1.0, 0.0, 0.0, np.nan]))
    array([0.66666667, 0.        , 0.        ,        nan])

    Source: Makhoul et al. (1999), equation 5a, with α as in `prf`.
    """
    alpha = weight_of_precision(beta)
    some_p, some_r = np.nan_to_num(p), np.nan_to_num(r)
    f = np.nan_to_num(ratio(some_p * some_r, (1 - alpha) * some_p + alpha * some_r))
    return np.where(np.isnan(p) & np.isnan(r), np.nan, f)[()]


def weight_table(
    weights: str | Mapping[str, float], named: Mapping[str, Mapping[str, float]], kinds: Sequence[str]
) -> dict[str, float]:
    """Return the weight of each kind, from the name of a table or from a partial table.

    Args:
        weights: The name of a table in `named`, or a table itself.
        named: The tables that have a name.
        kinds: The kinds that may be weighted. A kind that is omitted weighs 1.

    Returns:
        The weight of each kind, from 0 to `HEAVIEST`.

    Raises:
        ValueError: A kind is unknown, or a weight is not a number from 0 to `HEAVIEST`.

    >>> weight_table({"d": 0.5}, {}, ("d", "i"))
    {'d': 0.5, 'i': 1.0}
    """
    if isinstance(weights, str):
        return dict(named[weights])
    for kind, weight in weights.items():
        if kind not in kinds:
            raise ValueError(f"weights: {describe_unknown(kind, kinds)}")
        if not 0 <= weight <= HEAVIEST:
            raise ValueError(f"weights: the weight of {kind!r} is not a number from 0 to {HEAVIEST:g}")
    return dict.fromkeys(kinds, 1.0) | dict(weights)


FEW_VALUES = 20
"""Fewer numbers than this are compared one by one."""


def share_floats(values: NDArray[np.float64]) -> list[float]:
    """Return the numbers as a list in which equal ones are the same object, which saves memory in large results.

    >>> first, second, third = share_floats(np.array([0.5, 0.25, 0.5]))
    >>> first is third, second
    (True, 0.25)
    >>> first, second, *_ = share_floats(np.array([0.5, 0.25] * 50))
    >>> first, second
    (0.5, 0.25)
    """
    if len(values) < FEW_VALUES:  # which numpy sorts in more time than it takes to write them
        seen: dict[str, float] = {}
        return [seen.setdefault(repr(value), value) for value in values.tolist()]
    bits, place = np.unique(np.asarray(values, dtype=float).view(np.int64), return_inverse=True)  # -0.0 stays -0.0
    numbers = bits.view(float).tolist()
    return [numbers[k] for k in place.tolist()]
