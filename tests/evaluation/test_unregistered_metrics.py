"""A metric of a user's own, given to Python without being registered, is compared and shown as it declares."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import pytest

from spacy_nereval import Confidence, Document, Metric, Score, count, create
from spacy_nereval.core.declaration import one_each
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.reporting.comparison_view import ComparisonView
from spacy_nereval.reporting.result_table import Cost

SCORES = (
    Score("wrong", unit="count", higher_is_better=False, headline=True, key="own_wrong", limits=(0, inf)),
    Score("share", key="own_share"),
)
OWN = Metric(
    scores=SCORES,
    columns=one_each("tp", "fp", "fn"),
    formula=lambda c: {"wrong": c["fp"] + c["fn"], "share": c["tp"] / (c["tp"] + c["fp"] + c["fn"] + 1)},
    name="own",
)


def compared() -> dict[str, object]:
    gold = [(0, 3, "A"), (4, 7, "A")]
    a, b = ([Document(gold, gold[:number], id=f"d{k}") for k in range(8)] for number in (1, 2))
    systems = [System(name, count(documents, [OWN])) for name, documents in (("A", a), ("B", b))]
    return comparison(systems, [], Confidence(samples=50), trials=99)


def test_a_count_is_shown_as_it_is_and_marked_as_a_cost():
    usual, every = ComparisonView(compared()).tables(["differences", "all-differences"])
    assert [row[:3] for row in usual.rows] == [["own wrong", 8.0, 0.0]]
    assert [type(row[0]) for row in usual.rows] == [Cost]
    assert {row[1]: type(row[1]) for row in every.rows} == {"wrong": Cost, "share": str}


def test_a_ratio_stays_one():
    (every,) = ComparisonView(compared()).tables(["all-differences"])
    own = {row[1]: row[2:4] for row in every.rows}
    assert own["share"] == pytest.approx([8 / 17, 16 / 17])
    assert own["wrong"] == [8.0, 0.0]


def test_an_unknown_taxonomy_is_refused():
    with pytest.raises(ValueError, match="there is no taxonomy 'MUC'; expected 'FairEval'"):
        replace(create("fair"), taxonomy="MUC")  # type: ignore[arg-type]
