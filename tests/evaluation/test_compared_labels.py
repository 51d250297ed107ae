"""Each label of two systems, compared."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from compared import METRIC, by_score, compare
from made_up import corpus, second

from spacy_nereval import Document, count, create_all, evaluate
from spacy_nereval.evaluation import evidence
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.result import plain
from spacy_nereval.evaluation.statistics import differences


def only(documents: Sequence[Document], label: str) -> list[Document]:
    """The documents with the spans of one label."""
    sides = (([span for span in side if span[2] == label] for side in (d.gold, d.pred)) for d in documents)
    return [Document(*side, d.text, tokens=d.tokens, id=d.id) for side, d in zip(sides, documents)]


@pytest.mark.parametrize("parts", [1, 1 << 25], ids=["one label at a time", "all at once"])
def test_the_row_of_a_label_is_that_of_documents_with_this_label_alone(monkeypatch, parts):
    """For strict, by which spans of one label say nothing of another one."""
    monkeypatch.setattr(evidence, "CELLS", parts)
    metrics = METRIC
    a = corpus(60, seed=4)
    sides = [a, second(a)]
    rows = [row for row in plain(compare(*(count(d, metrics) for d in sides), labels=True, trials=400)) if row["label"]]
    assert [row["label"] for row in rows] == ["A", "B", "C"]
    assert any(row["p"] for row in rows)
    for row in rows:
        alone = by_score(plain(compare(*(count(only(d, row["label"]), metrics) for d in sides), trials=400)))
        expected = alone["strict", row["score"]]
        for key in ("baseline_value", "value", "difference", "interval", "p", "p_better", "differing", "detectable"):
            assert row[key] == expected[key], key


def test_the_labels_of_a_metric_with_classes_are_compared_by_their_headline():
    a = corpus(60, seed=4)
    rows = plain(compare(*(count(d, create_all(["wrf"])) for d in (a, second(a))), labels=True, trials=100))
    found = {row["label"]: row for row in rows if row["label"]}
    values = evaluate(count(a, create_all(["wrf"])))["metrics"]["wrf"]["per_type"]
    assert {label: row["baseline_value"] for label, row in found.items()} == {
        label: own["scores"]["r1_f"] for label, own in values.items()
    }
    assert {row["score"] for row in found.values()} == {"r1_f"}
    assert any(row["p"] for row in found.values())


def test_labels_enter_the_number_of_swaps(monkeypatch):
    """With the labels that have a test, of all systems."""
    monkeypatch.setattr(differences, "LEAST_SWAPS", 20)
    monkeypatch.setattr(differences, "SWAPS_PER_TEST", 20)
    a = corpus(60, seed=4)
    counts = [count(d, create_all(["strict"])) for d in (a, second(a))]
    systems = [System(name, counts[k]) for k, name in ((0, "a"), (1, "b"), (1, "c"))]
    result = comparison(systems, [], labels=True)
    tests = {row["tests"] for row in result["comparisons"] if row["label"]}
    assert tests == {6} and result["swaps"] == 20 * 6
    assert comparison(systems, [])["swaps"] == 20 * 2
