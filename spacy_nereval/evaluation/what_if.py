"""What a score would be if errors of one kind were mended.

The predictions of the documents are mended and counted anew. So the score is what mending really gives: a gold span
in three pieces becomes one hit, and a mended span may overlap predictions that were beside it before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..core.declaration import Metric, Verdict
from ..core.spans import Document
from ..counting.counter import count
from ..counting.table import Table, columns_of
from .error_list import is_error

Choice = tuple[str | None, str | None]
"""The verdict of the errors that are mended, or their label."""


class Mended(NamedTuple):
    """A score after mending errors.

    Attributes:
        verdict: The verdict of the errors that are mended; None for all errors of a label.
        label: The label of the errors that are mended; None for all errors with a verdict.
        errors: How many errors are mended. A gold span may have several.
        score: The score, None if undefined.
        gain: The score minus the score before, None if one of them is undefined.
    """

    verdict: str | None
    label: str | None
    errors: int
    score: float | None
    gain: float | None


def what_if(
    documents: Sequence[Document], metric: Metric, verdicts: Iterable[Iterable[Verdict]] | None = None
) -> list[Mended]:
    """Return the headline score after mending the errors with each verdict, and then those of each label.

    Mending removes the wrong predictions of these errors, and predicts their gold spans. An error is of its gold
    label, or of the predicted one if there is no gold span; the other way round with `focus="system"`.

    Args:
        documents: The annotated documents of a corpus.
        metric: A metric that adds up whole verdicts.
        verdicts: Its verdicts on each document, if they are known.

    Returns:
        Verdicts and labels with errors; within each, the greatest gain first.

    Raises:
        ValueError: The metric gives partial credit, judges labels as classes, or its verdicts depend on the corpus.

    >>> from spacy_nereval import create
    >>> pieces = Document([(0, 9, "A")], [(0, 3, "A"), (3, 6, "A"), (6, 9, "A")])
    >>> [(each.verdict, each.label, each.errors, each.score) for each in what_if([pieces], create("fair"))]
    [('be_s', None, 3, 1.0), (None, 'A', 3, 1.0)]
    """
    if metric.classes or metric.partial_credit or metric.resolve or metric.distinct:
        raise ValueError(f"{metric.name} does not add up whole verdicts, so errors cannot be mended one by one")
    errors: dict[Choice, dict[int, list[int]]] = {}
    wrong: list[list[Verdict]] = []
    for number, own in enumerate(map(metric.verdicts, documents) if verdicts is None else verdicts):
        wrong.append([verdict for verdict in own if is_error(metric, verdict)])
        for k, verdict in enumerate(wrong[-1]):
            for choice in ((verdict.name, None), (None, home(metric, verdict))):
                errors.setdefault(choice, {}).setdefault(number, []).append(k)
    now, *after = _scores(documents, metric, wrong, errors.values())
    rows = []
    for (verdict_name, label), score, found in zip(errors, after, errors.values()):
        gain = None if now is None or score is None else score - now
        rows.append(Mended(verdict_name, label, sum(map(len, found.values())), score, gain))
    return sorted(rows, key=lambda each: (each.verdict is None, -(each.gain or 0), each.label or ""))


def home(metric: Metric, verdict: Verdict) -> str:
    """Return the label that an error counts for."""
    _, gold, pred, _ = verdict
    span = (pred or gold) if metric.focus == "system" else (gold or pred)
    assert span  # an error is on a span
    return span.label


def mended(document: Document, errors: Iterable[Verdict]) -> Document:
    """Return the document with some errors mended in its predictions.

    >>> from spacy_nereval import Span
    >>> gold, piece = Span(0, 9, "A"), Span(0, 3, "A")
    >>> mended(Document([gold], [piece, (5, 9, "B")]), [Verdict("be_s", gold, piece)]).sides[1]
    [Span(start=0, end=9, label='A'), Span(start=5, end=9, label='B')]
    """
    errors = [*errors]
    wrong = {verdict.pred for verdict in errors} - {*document.gold}  # a metric may err about a span that is right
    right = {verdict.gold for verdict in errors if verdict.gold}
    return document.replaced([*document.gold], sorted({*document.pred} - wrong | right), document.text)


def _scores(
    documents: Sequence[Document],
    metric: Metric,
    wrong: Sequence[Sequence[Verdict]],
    choices: Iterable[Mapping[int, Iterable[int]]],
) -> list[float | None]:
    """Return the headline score of the documents, and that after mending some errors.

    Args:
        documents: The documents.
        metric: The metric.
        wrong: The errors of each document.
        choices: What is mended: from the number of a document to numbers of its errors.
    """
    from scipy.sparse import csr_array  # imported where counting begins: it takes 90 ms

    # Only documents that change are counted anew: one sum takes the old rows away, and adds the new ones. Where choices
    # mend the same errors of a document, it is counted once.
    places: dict[tuple[int, tuple[int, ...]], int] = {}
    changes = [
        (choice, number, places.setdefault((number, tuple(errors)), len(places)))
        for choice, found in enumerate(choices, 1)
        for number, errors in found.items()
    ]

    def versions() -> Iterator[Document]:
        yield from documents
        yield from (mended(documents[number], [wrong[number][k] for k in errors]) for number, errors in places)

    table = Table(count(versions(), [metric], units=False), labels=())
    rows, numbers, version = np.array(changes, dtype=int).reshape(-1, 3).T
    ones, shape = np.ones(len(changes), dtype=np.int64), (rows.max(initial=0) + 1, table.cells.shape[0])
    weights = csr_array((ones, (rows, len(documents) + version)), shape)
    weights -= csr_array((ones, (rows, numbers)), shape)
    total = table.cells[: len(documents)].sum(axis=0)
    sums = (weights @ table.cells).toarray() + total
    scores = metric.formula(columns_of(metric, sums.T.astype(float), table.slots))[metric.headlines[0].name]
    return [float(score) if np.isfinite(score) else None for score in scores]
