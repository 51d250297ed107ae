"""Short ways to ask the package for a score, a count, or whole tables."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import pytest
from places import SEEN

from spacy_nereval import Document, Metric, count, create, evaluate
from spacy_nereval.counting.table import sum_counts
from spacy_nereval.evaluation.result import confusion_matrix, first_values, make_plain, verdict_counts
from spacy_nereval.evaluation.scores import score_sums

NEEDED: dict[str, dict[str, Any]] = {"tmr": {"train": str(SEEN)}}
"""The options that a metric needs to judge."""


MADE: dict[str, Metric] = {}


def made(name: str, **options: Any) -> Metric:
    """The metric with these options, made once: making it takes as long as judging a few documents."""
    key = f"{name} {options}"
    if key not in MADE:
        MADE[key] = create(name, **options)
    return MADE[key]


def scored(documents: Iterable[Document] | Document, name: str, **options: Any) -> dict[str, Any]:
    """What the result says of one metric."""
    return evaluate(count(listed(documents), [made(name, **options)], units=False))["metrics"][name]


def counted(documents: Iterable[Document] | Document, name: str, **options: Any) -> dict[str, int]:
    """The counts that are not 0."""
    return {column: n for column, n in scored(documents, name, **options)["counts"].items() if n}


class Tables(NamedTuple):
    """Counts overall, per label, and by pairs of labels."""

    total: dict[str, Any]
    rows: dict[str, dict[str, Any]]
    confusion: dict[str, dict[str, int]] | None


def tables(documents: Iterable[Document] | Document, name: str, **options: Any) -> Tables:
    """The counts of one metric as the result shows them, without scores and averages:
    ten times as fast, for tests with thousands of examples."""
    metric = made(name, **options)
    counts = count(listed(documents), [metric], units=False)
    sums = sum_counts(counts)
    (own,) = score_sums(sums)
    columns = own.label_counts.items()
    rows = {label: {column: values[k, 0] for column, values in columns} for k, label in enumerate(sums.labels)}
    matrix = None if metric.confusion is None else confusion_matrix(metric, verdict_counts(counts)[name])
    return Tables(make_plain(first_values(own.counts)), make_plain(rows), matrix)


def listed(documents: Iterable[Document] | Document) -> Iterable[Document]:
    return [documents] if isinstance(documents, Document) else documents


def near(value: Any) -> Any:
    """A value that equals this one except for rounding. None equals only None."""
    return None if value is None else pytest.approx(float(value), abs=1e-12)


def refusal(function: Callable[..., Any], *arguments: Any, **named: Any) -> str:
    """The one line with which a function, or the iterator that it returns, refuses what it is given."""
    with pytest.raises(ValueError) as raised:
        found = function(*arguments, **named)
        if isinstance(found, Iterator):
            list(found)
    assert "\n" not in str(raised.value)
    return str(raised.value)
