"""Which documents of two systems belong together, what cannot be compared, and each label of two systems."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from commands import run
from compared import FEW, METRIC, TEN, WORKED_A, by_score, compare, strictly
from made_up import corpus, second, tallied
from refusals import refused_with

import spacy_nereval as nereval
from spacy_nereval import Confidence, Counts, Document, count, create_all, evaluate
from spacy_nereval.evaluation import differences, evidence
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.intervals import draw_replicates
from spacy_nereval.evaluation.result import make_plain
from spacy_nereval.io.count_files import save
from spacy_nereval.reporting.comparison_view import ComparisonView

# Pairing


def test_texts_of_one_document_are_paired_in_their_order():
    documents = corpus(6)
    for k, id in enumerate("xyxyxz"):
        documents[k].id = id
    other = second(documents)
    moved = [other[k] for k in (1, 5, 0, 2, 3, 4)]  # among those of one id the order stays
    first, *others = (count(side, create_all(["strict", "loio"])) for side in (documents, other, moved))
    expected, found = (make_plain(compare(first, each, confidence=FEW)) for each in others)
    assert found == expected


def test_texts_without_id_are_paired_by_position():
    ten = [[tuple(map(int, row[at : at + 3])) for row in TEN] for at in (0, 3)]
    # A text of its own makes each a unit of its own.
    a, b = (
        count([Document(d.gold, d.pred, f"{k}" * 2000) for k, d in enumerate(tallied(*row) for row in rows)], METRIC)
        for rows in ten
    )
    assert by_score(compare(a, b))["strict", "f"]["p"] == 40 / 1024


def test_counts_with_replicates_are_compared_like_others_also_in_another_order():
    """A comparison draws its own resamples."""
    documents = corpus(30)
    other = second(documents)
    expected = compare(count(documents, create_all(["strict"])), count(other, create_all(["strict"])), confidence=FEW)
    assert all(row["differing"] >= 6 for row in expected)
    for moved in (other, other[::-1]):
        first, then = count(documents, create_all(["strict"])), count(moved, create_all(["strict"]))
        first.replicates, then.replicates = draw_replicates(first, 5, 0), draw_replicates(then, 5, 0)
        assert make_plain(compare(first, then, confidence=FEW)) == make_plain(expected)


# What cannot be compared


def in_units(size: int) -> list[Document]:
    documents = corpus(6)
    for k, document in enumerate(documents):
        document.unit, document.unit_rule = str(k // size), "meta.article"
    return documents


def of_gold(*labels: str, step: int = 1) -> list[Document]:
    """Three documents with spans of these labels, one after the other."""
    golds = [[(3 * k, 3 * k + 1, label) for k, label in enumerate(own)] for own in labels]
    return [Document(gold, [], id=str(k)) for k, gold in enumerate(golds)][::step]


SIX = corpus(6)
FEWER = [*SIX[:2], *SIX[3:5]]
OTHERS = [Document(d.gold, d.pred, d.text, id=f"new {k}") for k, d in enumerate(SIX)]


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        (SIX, FEWER, r"2 documents are not in both.*doc 2, doc 5"),
        (FEWER, SIX, r"2 documents are not in both.*doc 2, doc 5"),
        (SIX, OTHERS, r"12 documents are not in both.*doc 0, doc 1, doc 2, doc 3, doc 4, \.\.\."),
        (SIX, [*SIX, SIX[1]], "1 document is not in both.*doc 1"),
        (corpus(6, named=False), corpus(5, named=False), "not in both.*5"),
        *((of_gold("A", "A", ""), of_gold("A", "AA", "", step=step), "gold") for step in (1, -1)),
        *((of_gold("A", "A", ""), of_gold("A", "", "A", step=step), "gold") for step in (1, -1)),
        *((of_gold("A", "A", ""), of_gold("A", "B", "", step=step), "gold") for step in (1, -1)),
        (in_units(2), in_units(3), "their documents are in different units; count them alike"),
    ],
)
def test_systems_with_other_documents_gold_or_units_are_refused_with_the_difference(ours, theirs, said):
    with pytest.raises(ValueError, match=said):
        compare(count(ours, METRIC), count(theirs, METRIC))


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ({"strict": {}}, {"fair": {}}, "the metrics strict, the other fair"),
        ({"strict": {}}, {"strict": {}, "fair": {}}, "strict, the other strict, fair"),
        ({"loio": {}}, {"loio": {"s": 1}}, r"loio\.s is 0\.75 and 1\.0"),
        ({"fair": {"weights": "fine"}}, {"fair": {}}, r"fair\.weights is 'fine' and 'fair'"),
    ],
)
def test_systems_counted_with_other_metrics_or_settings_are_refused_with_the_difference(ours, theirs, said):
    with pytest.raises(ValueError, match=said):
        compare(count(SIX, create_all(ours)), count(SIX, create_all(theirs)))


@pytest.mark.parametrize(
    "documents", [[], corpus(1), [Document([], [], "a", id="a")] * 2], ids=["none", "one", "one in two"]
)
def test_fewer_than_two_units_have_differences_and_nothing_more(documents):
    counts = count(documents, create_all())
    result = comparison([System("a", counts), System("b", counts)], [])
    assert result["units"] == min(1, len(documents))
    for row in result["comparisons"]:
        assert (row["p"], row["p_holm"]) == (None, None)
        low, high = row["interval"]
        # One unit that does not differ says next to nothing of others.
        assert low is None or (row["k"] == 1 and -low == high >= 0.975)
    json.dumps(result, allow_nan=False)


def test_too_few_swaps_for_the_level_are_refused_and_enough_give_finite_bounds():
    """With 18 swaps no p is below 1/19, so that every difference would be in the interval of 95 %."""
    sides = [count(d, create_all(["slot_error"])) for d in (corpus(30), second(corpus(30)))]
    with refused_with(
        ValueError,
        "trials=18: so few permutations cannot reject anything at a confidence level of 0.95; expected at least 19",
    ):
        compare(*sides, trials=18)
    rows = make_plain(compare(*sides, trials=19))
    assert all(bound is not None for row in rows if row["p"] is not None for bound in row["interval"])


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"confidence": Confidence(level=1)}, "level"),
        ({"confidence": Confidence(samples=0)}, "samples"),
        ({"confidence": Confidence(seed=-1)}, "seed"),
        ({"trials": 0}, "trials=0: expected at least 1"),
    ],
)
def test_settings_that_make_no_interval_or_test_make_no_comparison(setting, said):
    counts = strictly(WORKED_A)
    with pytest.raises(ValueError, match=said):
        compare(counts, counts, **setting)


# Each label; the effective number of units of a row, its flag, and where intervals end


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
    rows = [
        row for row in make_plain(compare(*(count(d, metrics) for d in sides), labels=True, trials=400)) if row["label"]
    ]
    assert [row["label"] for row in rows] == ["A", "B", "C"]
    assert any(row["p"] for row in rows)
    for row in rows:
        alone = by_score(make_plain(compare(*(count(only(d, row["label"]), metrics) for d in sides), trials=400)))
        expected = alone["strict", row["score"]]
        for key in ("baseline_value", "value", "difference", "interval", "p", "p_better", "differing", "detectable"):
            assert row[key] == expected[key], key


def test_the_labels_of_a_metric_with_classes_are_compared_by_their_headline():
    a = corpus(60, seed=4)
    rows = make_plain(compare(*(count(d, create_all(["wrf"])) for d in (a, second(a))), labels=True, trials=100))
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
    rows = [
        row for row in make_plain(compare(count(documents, METRIC), count(better, METRIC), labels=True)) if row["label"]
    ]
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


BOUNDARY = [Document([(1, 4, "A")] if k == 3 else [(0, 4, "A")], [], id=str(k)) for k in range(8)]
SAME = [Document([(0, 4, "A")], [], id=str(k)) for k in range(8)]


def test_counts_on_other_gold_are_refused_everywhere_with_one_sentence(tmp_path):
    """There are as many spans of each label in each document; a boundary was corrected."""
    said = "the systems have different gold annotation in 1 document: 3"
    for name, documents in (("v1", BOUNDARY), ("v2", SAME)):
        save(count(documents, METRIC), tmp_path / f"{name}.npz")
    paths = [tmp_path / "v1.npz", tmp_path / "v2.npz"]
    counts = [count(documents, METRIC) for documents in (BOUNDARY, SAME)]
    calls = [
        lambda: nereval.compare({"a": counts[0], "b": counts[1]}),
        lambda: nereval.compare({"a": paths[0], "b": paths[1]}),
        lambda: nereval.compare({"a": counts[0], "b": paths[1]}),
        lambda: nereval.compare({"a": {"1": counts[0], "2": counts[1]}, "b": {"1": counts[0], "2": counts[0]}}),
        lambda: nereval.compare({"a": {"1": counts[0], "2": counts[0]}, "b": {"1": counts[1], "2": counts[1]}}),
        lambda: nereval.score_runs(None, {"1": counts[0], "2": counts[1]}),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=said):
            call()
    rows = [{"text": "Adas", "id": str(k), "spans": [{"start": 0, "end": 4, "label": "A"}]} for k in range(8)]
    gold = tmp_path / "gold.jsonl"
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for arguments in (("compare", *paths), ("compare", gold, paths[0], gold, "--metrics", "strict")):
        result = run(*arguments)
        assert result.exit_code == 2 and said in " ".join(result.stderr.split()), result.stderr
