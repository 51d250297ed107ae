"""Checks of what authors of metrics write: the declaration, and the verdicts that a judge passes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from .formulas import check_scores
from .messages import quoted, shortened
from .spans import Span
from .wording import VERDICT_KINDS

T = TypeVar("T")

Metric = Any
"""`declaration.Metric`, which is not imported since it is checked here."""


def check(metric: Metric) -> None:
    """Raise ValueError, saying where, if a declaration contradicts itself."""
    if metric.scope == "document" and not metric.judge:
        raise ValueError('a metric of scope="document" needs a judge')
    if metric.note and metric.scope != "document":
        raise ValueError('a metric with a note judges whole documents: declare scope="document"')
    if (metric.note is None) != (metric.resolve is None and not metric.distinct):
        raise ValueError("note and resolve belong together: declare both or neither")
    _check_columns(metric)
    summed = {source for sources in metric.columns.values() for source in sources}
    for what, names in (
        ("partial_credit", metric.partial_credit),
        ("correct", metric.correct),
        ("words", metric.words),
    ):
        if unknown := [name for name in names if name not in metric.verdict_names]:
            raise ValueError(
                f"{what} names the verdict {unknown[0]!r}, which no column adds up; "
                f"the columns add up {', '.join(sorted(summed))}"
            )
    if wrong := [words.kind for words in metric.words.values() if words.kind not in VERDICT_KINDS]:
        raise ValueError(f"words has the kind {wrong[0]!r}; expected one of {', '.join(VERDICT_KINDS)}")
    if wrong := [name for name, other in (metric.mirror or {}).items() if metric.mirror.get(other) != name]:
        raise ValueError(f"mirror says what {wrong[0]!r} becomes, but not that it comes back: name both directions")
    if metric.taxonomy not in ("", "FairEval"):
        raise ValueError(f"there is no taxonomy {metric.taxonomy!r}; expected 'FairEval', or '' for none")
    check_scores(metric.scores)
    check_scores(metric.label_scores)
    _check_formula(metric)
    if not metric.scores:
        raise ValueError("no score is declared: declare those that the formula returns")


def _check_columns(metric: Metric) -> None:
    if not hasattr(metric.columns, "items"):
        given = shortened(repr(metric.columns))
        raise ValueError(f"columns is {given}: expected a table, such as one_each('tp', 'fp')")
    for name, sources in metric.columns.items():
        if isinstance(sources, str):
            raise ValueError(f"the column {name!r} adds up {sources!r}: expected a tuple of verdicts, ({sources!r},)")


def _check_formula(metric: Metric) -> None:
    """Check that the formula and `details` find their columns, and that the formula returns the declared scores."""
    nothing = {name: np.zeros(1) for name in (*metric.columns, "gold_spans", "pred_spans")}
    results: list[Any] = []
    for what, compute in (("the formula", metric.formula), ("details", metric.details)):
        try:
            results.append(compute(nothing) if compute else {})
        except KeyError as error:
            known = ", ".join(metric.columns)
            raise ValueError(
                f"{what} asks for the column {error}, which is not declared; declared are {known}"
            ) from None
        except Exception as error:  # whatever the author's code raises
            raise ValueError(
                f"{what} fails where all columns are 0 ({type(error).__name__}: {error}): divide with ratio, "
                "for which 0/0 is NaN"
            ) from error
        if not isinstance(results[-1], dict):
            raise ValueError(f"{what} returns {shortened(repr(results[-1]))}: expected a dict of names to numbers")
    returned = results[0]
    for name, value in returned.items():
        if np.asarray(value).dtype.kind not in "bifu":
            raise ValueError(f"the formula returns {shortened(repr(value))} as {name}: expected numbers")
    declared = {score.name for score in metric.label_scores}
    if returned.keys() != declared:
        raise ValueError(
            f"the formula returns {', '.join(sorted(returned)) or 'nothing'}; "
            f"the declared scores are {', '.join(sorted(declared)) or 'none'}"
        )


def check_together(metrics: Iterable[Metric]) -> None:
    """Raise ValueError if a metric has no name, or two metrics have one name or show a score under one key."""
    settings: dict[str, Any] = {}
    owner: dict[str, str] = {}
    for metric in metrics:
        if not metric.name:
            raise ValueError("a metric has no name: make it with create, or give it one with replace(metric, name=...)")
        if settings.setdefault(metric.name, metric.settings) != metric.settings:
            raise ValueError(f"two metrics have the name {metric.name!r}: count one at a time, or rename one")
        for key in metric.keys:
            if owner.setdefault(key, metric.name) != metric.name:
                raise ValueError(f"{owner[key]} and {metric.name} both have the score key {key!r}: rename one")


def checked(metric: Metric, verdicts: Iterable[Any]) -> Iterator[tuple[str, Span | None, Span | None, float]]:
    """Yield the parts of the verdicts of a metric's judge.

    Raises:
        ValueError: One of them is not a verdict that the metric declares; names both, and the remedy.
    """
    for verdict in passed(metric, verdicts):
        if problem := _problem(metric, verdict):
            raise ValueError(problem)
        name, gold, pred, amount = verdict  # plain tuples are good enough to be counted
        yield name, gold and Span._make(gold), pred and Span._make(pred), amount


def passed(metric: Metric, verdicts: Iterable[T]) -> Iterable[T]:
    """Return what a judge returned. Raise ValueError if nothing can be read from it."""
    if not isinstance(verdicts, Iterable):
        raise ValueError(
            f"the judge of {metric.name} returns {shortened(repr(verdicts))}: let it yield verdicts, or return a list"
        )
    return verdicts


def misjudged(metric: Metric, verdict: Any) -> ValueError:
    """Return the error for a verdict that cannot be counted: what is wrong with it, and the remedy."""
    problem = _problem(metric, verdict)
    other = f"{metric.name} passes {_shown(verdict)} on a span whose label no span of the document has"
    return ValueError(problem or f"{other}: give the verdict a span of the document")


def _problem(metric: Metric, verdict: Any) -> str:
    """Return what is wrong with a verdict; an empty text if nothing is."""
    if not isinstance(verdict, tuple) or len(verdict) != 4:
        return f"{metric.name} passes {_shown(verdict)}, which is not a verdict: expected Verdict(name, gold, pred)"
    name, gold, pred, amount = verdict
    if not isinstance(name, str) or name not in metric.verdict_names:
        known = ", ".join(metric.verdict_names)
        return (
            f"{metric.name} passes the verdict {name!r}, which it does not declare; declared are {known}. "
            "Add it to the columns, or to confusion"
        )
    for side, span in (("gold", gold), ("pred", pred)):
        if span is not None and not (isinstance(span, tuple) and len(span) == 3 and isinstance(span[2], str)):
            return (
                f"{metric.name} passes the verdict {name!r} with {side} = {_shown(span)}: "
                "expected a span of the document, or None"
            )
    if not is_number(amount):
        return f"{metric.name} gives {name} the amount {_shown(amount)}: expected a number; 1 is usual"
    return ""


def is_number(amount: Any) -> bool:
    """Return whether an amount is a real number.

    >>> is_number(0.5), is_number(np.int64(1)), is_number("1"), is_number(None)
    (True, True, False, False)
    """
    return isinstance(amount, Real)


def _shown(value: Any) -> str:
    return quoted(value) if isinstance(value, str) else shortened(repr(value))
