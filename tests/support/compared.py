"""Systems to compare, for the tests of comparisons."""

from collections.abc import Sequence
from math import inf, nan
from typing import Any

from made_up import tallied

from spacy_nereval import Confidence, Counts, Document, count, create
from spacy_nereval.evaluation.comparison import System, comparison

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


def compare(
    baseline: Counts, system: Counts, *, confidence: Confidence = Confidence(), trials: int | None = None, **asked: Any
) -> list[dict[str, Any]]:
    """The rows of two systems alone, without what other systems could change."""
    found = comparison([System("a", baseline), System("b", system)], [], confidence, trials, **asked)
    left_out = ("system", "p_holm", "tests", "verdict")
    rows = [{key: value for key, value in row.items() if key not in left_out} for row in found["comparisons"]]
    return [row | {key: _numbers(key, row) for key in NUMBERS if key in row} for row in rows]


NUMBERS = ("baseline_value", "value", "difference", "interval", "p", "p_better", "detectable", "standard_error")


def _numbers(key: str, row: dict[str, Any]) -> Any:
    """NaN in place of None, which is no number; bounds that are None beside a p are infinite."""
    if key != "interval":
        return nan if row[key] is None else row[key]
    unbounded = row["p"] is not None or row["flag"] == "unbounded"
    instead = (-inf, inf) if unbounded else (nan, nan)
    return [other if bound is None else bound for bound, other in zip(row[key], instead)]
