"""Systems to compare, for the tests of comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from made_up import tallied

from spacy_nereval import Confidence, Counts, Document, count, create

WORKED_A = [(8, 2, 1), (5, 1, 3), (9, 1, 2), (4, 3, 2), (7, 0, 1), (6, 2, 2)]


WORKED_B = [(7, 3, 2), (5, 2, 3), (8, 2, 3), (4, 2, 2), (6, 1, 2), (6, 2, 2)]
"""The published example: (tp, fp, fn) of every document under two systems."""


FEW = Confidence(samples=10)


METRIC = [create("strict")]


def strictly(rows: Sequence[tuple[int, int, int]], ids: bool = True) -> Counts:
    return count([tallied(*row, id=str(k) if ids else None) for k, row in enumerate(rows)], [create("strict")])


def with_pred(documents: Sequence[Document], others: Sequence[Document]) -> list[Document]:
    """The documents with the predictions of others."""
    return [Document(d.gold, o.pred, d.text, tokens=d.tokens, id=d.id) for d, o in zip(documents, others)]


def by_score(rows: Sequence[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["metric"], row["score"]): row for row in rows}


TEN = ["310201", "201211", "411312", "102112", "500401", "221211", "301212", "012002", "401302", "210111"]
"""Ten documents: the digits are tp, fp, fn of the first system, then of the second."""
