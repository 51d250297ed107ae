"""Scores of predicted spans: how sure a model is of each. No metric needs them; curves over cuts do."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real
from typing import Any

from .checked import PlainSpan


class Unusable(str):
    """The reason why a span has no score that can be used, in place of the score."""

    __slots__ = ()


def is_score(value: object) -> bool:
    """Return whether a value can be the score of a span: a finite number.

    >>> is_score(0.5), is_score(float("nan")), is_score("0.5"), is_score(True)
    (True, False, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def highest(scores: Iterable[tuple[PlainSpan, Any]]) -> dict[PlainSpan, Any]:
    """Return the score of each span, the highest where a span is listed several times.

    A value that is no score is kept rather than a number, so that an error can name it.

    Args:
        scores: Spans with their scores as they were given; None for no score.

    >>> highest([((0, 3, "A"), 0.2), ((0, 3, "A"), 0.7), ((4, 5, "A"), None)])
    {(0, 3, 'A'): 0.7}
    """
    found: dict[PlainSpan, Any] = {}
    for span, score in scores:
        if score is None:
            continue
        known = found.get(span)
        if known is None or not is_score(score) or (is_score(known) and score > known):
            found[span] = score
    return found
