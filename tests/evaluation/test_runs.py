"""Systems with several training runs: against formulas by hand, and what cannot be compared."""

import json
from collections.abc import Sequence
from functools import cache, partial
from random import Random
from typing import Any

import numpy as np
import pytest
import scipy.stats
from made_up import corpus, tallied, trained_again
from twin_statistics import spread_of

from spacy_nereval import Confidence, Counts, Document, Span, count, create_all, evaluate
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.reporting.comparison_view import ComparisonView

METRICS = ["strict", "slot_error", "wrf"]
CONFIDENCE = Confidence(samples=50, seed=3)
GOLD = corpus(24, seed=2)
run_of = partial(trained_again, documents=GOLD)
A = [run_of(f"a{k}", 0.6 + 0.02 * k) for k in range(3)]
B = [run_of(f"b{k}", 0.75 + 0.02 * k) for k in range(2)]


def counted(runs: Sequence[Sequence[Document]], metrics: Any = METRICS) -> list[Counts]:
    return [count(run, create_all(metrics)) for run in runs]


def compared(a: Any, b: Any, **more: Any) -> dict[str, Any]:
    return comparison([System("A", a), System("B", b)], [], CONFIDENCE, **more)


def by_score(result: dict[str, Any]) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {(row["metric"], row["score"], row["label"]): row for row in result["comparisons"]}


@cache
def scored_anew() -> list[list[list[dict[str, Any]]]]:
    """What each run of both systems scores: on all documents, then without each of them."""
    metrics, every = create_all(METRICS), range(len(GOLD))
    return [
        [[evaluate(count([run[k] for k in every if k != out], metrics))["metrics"] for run in side] for side in (A, B)]
        for out in (None, *every)
    ]


def value(result: dict[str, Any], metric: str, score: str, label: str | None) -> float:
    own = result[metric]
    table = own["scores"] if label is None else own["per_type"].get(label, {"scores": {score: None}})["scores"]
    return float("nan") if table[score] is None else table[score]


def spans_of(side: Sequence[Span], label: str | None) -> int:
    return sum(label in (None, span[2]) for span in side)


def by_hand(a: Any, b: Any, place: tuple[str, str, str | None]) -> dict[str, Any]:
    """The formulas of min F', on documents scored anew without each of them."""
    whole, *without = [[[value(result, *place) for result in side] for side in sides] for sides in scored_anew()]
    first, second = whole
    weights = [
        2 * spans_of(d.gold, place[2])
        + sum(np.mean([spans_of(run[k].pred, place[2]) for run in side]) for side in (a, b))
        for k, d in enumerate(GOLD)
    ]
    d = np.mean(second) - np.mean(first)
    documents, _, f = spread_of(d, [np.mean(b) - np.mean(a) for a, b in without], weights)
    parts = [(np.var(side, ddof=1) / len(side), len(side) - 1) for side in (first, second)]
    variance = documents + sum(v for v, _ in parts)
    freedom = variance**2 / (documents**2 / f + sum(v**2 / n for v, n in parts))
    reach = scipy.stats.t.ppf(0.975, freedom) * variance**0.5
    return {
        "difference": d,
        "interval": [d - reach, d + reach],
        "p": 2 * scipy.stats.t.sf(abs(d) / variance**0.5, freedom),
        "degrees_of_freedom": freedom,
        "share_of_training": 1 - documents / variance,
        "detectable": (scipy.stats.t.ppf(0.975, freedom) + scipy.stats.t.ppf(0.8, freedom)) * variance**0.5,
    }


@pytest.mark.parametrize(
    "place", [("strict", "f", None), ("slot_error", "ser", None), ("wrf", "wrf", None), ("strict", "f", "A")]
)
def test_differences_of_runs_are_those_of_documents_scored_anew(place):
    found = by_score(compared(counted(A), counted(B), labels=True))[place]
    for key, expected in by_hand(A, B, place).items():
        assert found[key] == pytest.approx(expected, rel=1e-9), key
    assert found["runs"] == [3, 2]
    assert (found["difference"] > 0) is (place[1] != "ser")  # B is better
    assert found["p_better"] == pytest.approx(found["p"] / 2)


def test_one_run_on_one_side_has_the_variance_of_the_other():
    whole = by_score(compared(counted(A), counted(B)))["strict", "f", None]
    result = compared(counted(A), counted(B[:1]))
    assert (result["swaps"], result["exact"]) == (None, False)  # nothing is swapped
    one = by_score(result)["strict", "f", None]
    assert one["runs"] == [3, 1]
    assert one["p"] is not None and one["degrees_of_freedom"] != whole["degrees_of_freedom"]
    alone = by_score(compared(counted(A), counted(B[:1])[0]))["strict", "f", None]
    assert alone == one


def test_one_run_on_both_sides_is_tested_by_swaps():
    a, b = counted(A)[0], counted(B)[0]
    assert compared([a], [b], trials=300) == compared(a, b, trials=300)
    result = compared([a], [b], trials=300)
    assert (result["swaps"], result["runs"]) == (300, [1, 1])
    perfect = count([Document(d.gold, d.gold, d.text, tokens=d.tokens, id=d.id) for d in GOLD], a.metrics)
    (line,) = ComparisonView(compared([a], [perfect], trials=300)).opening()
    assert line.endswith("for these trained models; another training was not tried.")


def test_systems_with_one_and_with_several_runs_stand_in_one_comparison():
    """Holm's correction takes the p-values of both tests together."""
    a = counted(A)
    systems = [System("A", a[0]), System("B", counted(B)), System("C", counted(B)[0])]
    result = comparison(systems, [], CONFIDENCE, 300)
    assert (result["swaps"], result["runs"]) == (300, [1, 2, 1])
    own = {row["system"]: row for row in result["comparisons"] if row["family"] == "primary"}
    assert (own["B"]["runs"], own["C"]["runs"]) == ([1, 2], [1, 1])
    assert {row["tests"] for row in own.values()} == {2}
    alone = compared(a[0], counted(B)[0], trials=300)
    assert own["C"]["p"] == by_score(alone)["strict", "f", None]["p"]


def test_the_order_of_runs_and_of_documents_changes_nothing():
    expected = compared(counted(A), counted(B), labels=True)
    assert compared(counted(A)[::-1], counted(B)[::-1], labels=True) == expected
    order = Random(1).sample(range(len(GOLD)), len(GOLD))
    moved = [[run[k] for k in order] for run in A], [[run[k] for k in order[::-1]] for run in B]
    assert compared(*map(counted, moved), labels=True) == expected


def test_runs_that_all_say_the_same_tell_nothing():
    result = compared(counted([A[0]] * 2), counted([A[0]] * 2))
    (own,) = (row for row in result["comparisons"] if row["family"] == "primary")
    assert (own["difference"], own["p"], own["differing"]) == (0, None, 0)
    assert own["verdict"] == "the outputs differ in 0 documents: nothing can be told"
    json.dumps(result, allow_nan=False)


def test_runs_without_any_spread_are_not_said_to_have_the_same_outputs():
    """One system never finds anything, the other one everything: no variance, and yet all documents differ."""
    a, b = ([tallied(hits, 0, 3 - hits, id=str(k)) for k in range(8)] for hits in (0, 3))
    result = compared(counted([a, a], ["strict"]), counted([b, b], ["strict"]))
    own = by_score(result)["strict", "f", None]
    assert (own["difference"], own["p"], own["differing"]) == (1, None, 8)
    assert own["verdict"] == "the spread of this difference cannot be estimated: nothing can be told"


@pytest.mark.parametrize(("number", "known"), [(5, False), (6, True)])
def test_below_6_differing_units_there_is_neither_p_nor_interval(number, known):
    a = [tallied(3, 0, 0, id=str(k)) for k in range(12)]
    b = [[tallied(3, int(k < number) + run * (k == 0), 0, id=str(k)) for k in range(12)] for run in range(2)]
    own = by_score(compared(counted([a, a], ["strict"]), counted(b, ["strict"])))["strict", "f", None]
    assert own["differing"] == number
    assert own["verdict"].startswith("the outputs differ in 5 documents: ") is not known
    assert [(own[key] is not None) for key in ("p", "p_better", "detectable")] == [known] * 3
    assert [bound is not None for bound in own["interval"]] == [known] * 2


def test_a_function_of_another_score_has_neither():
    acc = by_score(compared(counted(A), counted(B)))["slot_error", "ser_acc", None]
    assert acc["difference"] is not None
    assert (acc["p"], acc["interval"]) == (None, [None, None])


def test_five_runs_are_not_few():
    more = [run_of(f"m{k}", 0.7) for k in range(5)], [run_of(f"n{k}", 0.8) for k in range(5)]
    tables = {
        table.title: table for table in ComparisonView(compared(*map(counted, more))).tables(ComparisonView.usual)
    }
    assert tables["Training runs of B and A"].note == ""


@pytest.mark.parametrize(
    ("a", "b", "said"), [(1, 2, "means of 2 and 1 training run"), (2, 1, "means of 1 and 2 training runs")]
)
def test_what_is_said_of_runs_is_said_where_one_side_has_a_single_run(a, b, said):
    view = ComparisonView(compared(counted(A[:a], ["strict"]), counted(B[:b], ["strict"])))
    (runs,) = [table for table in view.tables(ComparisonView.usual) if table.title == "Training runs of B and A"]
    assert [row[1:3] for row in runs.rows] == [[a, b]]
    assert said in " ".join(view.opening()) and "compared by their mean scores" in " ".join(view.closing())


def test_runs_over_other_documents_are_named():
    b = counted([B[0], B[1][:-1]])
    with pytest.raises(ValueError, match=r"run 2 of B: 1 documents are not in both systems: doc 23"):
        compared(counted(A), b)
    with pytest.raises(ValueError, match=r"run 2 of A: 1 documents are not in both systems: doc 23"):
        compared([counted(A)[0], b[1]], counted(B))
    with pytest.raises(ValueError, match=r"run 2 of B: the systems cannot be compared: one has the metrics"):
        compared(counted(A), [counted(B)[0], *counted(B[1:], ["strict"])])


def test_a_system_without_runs_is_refused():
    with pytest.raises(ValueError, match="B has no training run: give the counts of one or more"):
        compared(counted(A), [])
