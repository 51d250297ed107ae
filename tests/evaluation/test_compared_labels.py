"""Each label of two systems, compared; the effective number of units of a row, its flag, and where intervals end."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from compared import METRIC, by_score, compare
from made_up import corpus, second

from spacy_nereval import Confidence, Counts, Document, count, create_all, evaluate
from spacy_nereval.evaluation import evidence
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.result import plain
from spacy_nereval.evaluation.statistics import differences
from spacy_nereval.reporting.comparison_view import ComparisonView


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


@pytest.mark.parametrize("differing", [5, 6])
def test_a_label_has_a_test_from_six_units_on_that_differ(differing):
    documents = [Document([(0, 1, "A")], [(0, 1, "A")] if k % 2 else [], id=str(k)) for k in range(30)]
    better = [Document(d.gold, d.gold if k < 2 * differing else d.pred, id=d.id) for k, d in enumerate(documents)]
    rows = [row for row in plain(compare(count(documents, METRIC), count(better, METRIC), labels=True)) if row["label"]]
    assert {(row["differing"], row["p"] is not None) for row in rows} == {(differing, differing == 6)}


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


FAST = Confidence(samples=100)


def documents(found: Sequence[int], sizes: Sequence[int], label: str = "A") -> list[Document]:
    """Documents with so many spans, of which a system finds so many, each with a span of another label too."""
    made = []
    for k, (hits, size) in enumerate(zip(found, sizes)):
        gold = [(10 * n, 10 * n + 5, label) for n in range(size)]
        made.append(Document([*gold, (1000, 1005, "B")], [*gold[:hits], (1000, 1005, "B")], id=f"d{k}"))
    return made


def counted(found: Sequence[int], sizes: Sequence[int]) -> Counts:
    return count(documents(found, sizes), create_all(["strict", "slot_error"]))


SIZES = [40, 1, 1, 1, 1, 1, 1, 1]
"""One document with most of the spans of the label."""

ONCE = [counted([20, *[0] * 7], SIZES), counted([30, *[1] * 7], SIZES)]


def rows(a: Any, b: Any, **more: Any) -> dict[tuple[str, str, str | None], dict[str, Any]]:
    result = comparison([System("A", a), System("B", b)], [], FAST, **more)
    return {(row["metric"], row["score"], row["label"]): row for row in result["comparisons"]}


@pytest.mark.parametrize("runs", [1, 2])
def test_k_weighs_gold_spans_twice_and_the_predictions_of_both(runs: int) -> None:
    found = rows(ONCE[:1] * runs, ONCE[1:] * runs, labels=True)
    of_label = np.array([2 * 40 + 20 + 30, *[2 * 1 + 0 + 1] * 7])
    weights = {"A": of_label, "B": np.full(8, 4), None: of_label + 4}
    for label, own in weights.items():
        row = found["strict", "f", label]
        k = own.sum() ** 2 / (own**2).sum()
        assert row["k"] == pytest.approx(k)
        assert row["flag"] == ("few" if k < 6 else None)
    assert found["strict", "f", "B"]["flag"] is None and found["strict", "f", "A"]["flag"] == "few"


def test_few_effective_units_are_said_beside_the_difference_and_the_test_goes_by_what_differs() -> None:
    result = comparison([System("A", ONCE[0]), System("B", ONCE[1])], [], FAST, labels=True)
    row = next(row for row in result["comparisons"] if (row["metric"], row["label"]) == ("strict", "A"))
    assert row["differing"] == 8 and row["p"] is not None
    shown = {table.title: table.grid()[1:] for table in ComparisonView(result).tables(["differences", "labels"])}
    cells = {cells[0]: cells[3] for cells in shown["B against A per label, strict"]}
    assert cells["A"].endswith("] few") and not cells["B"].endswith("few")


def test_differences_over_training_runs_end_where_scores_end() -> None:
    """Two runs that are far apart: the interval of t reaches far beyond 100 points."""
    sizes = [2] * 12
    low, high = counted([0] * 12, sizes), counted([2, 1] * 6, sizes)
    found = rows([low, high], [high, counted([2, 2] * 6, sizes)])
    assert found["strict", "f", None]["interval"] == [pytest.approx(-1, abs=1e-12), pytest.approx(1, abs=1e-12)]
    assert found["strict", "f", None]["p"] > 0.05
    first, last = found["slot_error", "ser", None]["interval"]
    assert first < -1 and last > 1  # a cost has no upper limit
