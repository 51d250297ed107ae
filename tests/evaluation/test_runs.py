"""Training runs of one system and of two: means and differences against formulas by hand, and what is refused."""

import json
from collections.abc import Sequence
from functools import cache, partial
from random import Random
from typing import Any

import numpy as np
import pytest
import scipy.stats
from made_up import close, corpus, tallied, trained_again
from refusals import refused_with
from twin_statistics import spread_of, wilson

from spacy_nereval import Confidence, Counts, Document, Metric, Score, Span, count, create_all, evaluate, one_each
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.run_means import evaluate_runs
from spacy_nereval.reporting.comparison_view import ComparisonView
from spacy_nereval.reporting.score_view import RunsView

METRICS = ["strict", "slot_error", "wrf"]
CONFIDENCE = Confidence()
GOLD = corpus(30, seed=2)
run_of = partial(trained_again, documents=GOLD)

A = [run_of(f"a{k}", 0.6 + 0.05 * k) for k in range(3)]
B = [run_of(f"b{k}", 0.75 + 0.02 * k) for k in range(2)]
SYSTEMS = {"A": A, "B": B}


def counted(runs: Sequence[Sequence[Document]], metrics: Any = METRICS) -> list[Counts]:
    return [count(run, create_all(metrics)) for run in runs]


def scored(runs: Sequence[Sequence[Document]] = A, **more: Any) -> dict[str, Any]:
    return evaluate_runs(counted(runs), CONFIDENCE, **more)


def compared(a: Any, b: Any, **more: Any) -> dict[str, Any]:
    return comparison([System("A", a), System("B", b)], [], CONFIDENCE, **more)


def by_score(result: dict[str, Any]) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {(row["metric"], row["score"], row["label"]): row for row in result["comparisons"]}


def at(table: Any, path: Sequence[str]) -> Any:
    for key in path:
        table = table[key]
    return table


@cache
def scored_anew(name: str) -> list[list[list[dict[str, Any]]]]:
    """What each run of a system scores on all documents; without each document; on each document alone."""
    every = range(len(GOLD))
    choices = [[every], [[k for k in every if k != out] for out in every], [[k] for k in every]]
    return [
        [[each["metrics"] for each in map(evaluate, counted([[run[k] for k in chosen] for run in SYSTEMS[name]]))]
         for chosen in choice]
        for choice in choices
    ]  # fmt: skip


def value(result: dict[str, Any], metric: str, path: tuple[str, ...]) -> float:
    own = result[metric]
    if path[0] == "per_type":
        path = (*path[:2], "scores", path[2])
        if path[1] not in own["per_type"]:
            return float("nan")
    found = at(own, path)
    return float("nan") if found is None else found


# One system


def mean_by_hand(metric: str, path: tuple[str, ...]) -> tuple[float, float, float, float]:
    """Mean, bounds and share of training, on documents scored anew without each document."""
    (whole,), without, alone = scored_anew("A")
    is_cost = path[-1] == "ser"
    runs = np.array([value(result, metric, path) for result in whole])
    theta = runs.mean()
    label = path[1] if path[0] == "per_type" else None
    weights = [
        np.mean([sum(label in (None, s[2]) for s in (*run[k].gold, *run[k].pred)) for run in A]) for k in range(30)
    ]
    left = [np.mean([value(r, metric, path) for r in each]) for each in without]
    of_documents, k, f = spread_of(theta, left, weights)
    training = runs.var(ddof=1) / 3
    own = np.array([[value(r, metric, path) for r in each] for each in alone])
    defined = np.isfinite(own).any(1)
    own = np.where(np.isfinite(own), own, 0).sum(1) / np.maximum(np.isfinite(own).sum(1), 1e-9)
    variance = of_documents + training
    freedom = variance**2 / (of_documents**2 / (max(f, 3) if is_cost else f) + training**2 / 2)
    quantile = scipy.stats.t.ppf(0.975, freedom)
    if is_cost:  # the score interval of a Poisson mean; a document without gold has wrong predictions or none
        wrong = sum(any(run[k].pred for run in A) if not d else own[k] > 0 for k, d in enumerate(defined))
        full = k / max(1, theta)
        n = full * (wrong + 0.5) / (wrong * full * variance / theta + 0.5)
        reach = quantile * np.sqrt(theta / n + quantile**2 / (4 * n * n))
        low, high = theta + quantile**2 / (2 * n) + np.array([-reach, reach])
    else:
        mixed = min((defined & (own < 1)).sum(), (defined & (own > 0)).sum())
        n = k / ((mixed * k * variance / (theta * (1 - theta)) + 0.5) / (mixed + 0.5))
        own_bounds = wilson(theta, n, quantile)
        full = theta * (1 - theta) / k
        most = theta * (1 - theta) / (full + training), (full + training) ** 2 / (full**2 / (k - 1) + training**2 / 2)
        widest = wilson(theta, most[0], scipy.stats.t.ppf(0.975, most[1]))
        low, high = max(own_bounds[0], widest[0]), min(own_bounds[1], widest[1])
    return float(runs.mean()), float(low), float(high), training / variance


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "path"),
    [
        ("strict", ("scores", "f")),
        ("slot_error", ("scores", "ser")),
        ("wrf", ("scores", "wrf")),
        ("strict", ("per_type", "A", "f")),
        ("strict", ("averages", "weighted", "r")),
    ],
)
def test_means_and_intervals_are_those_of_documents_scored_anew(metric, path):
    own = scored()["metrics"][metric]
    assert scored()["pred"] == [sum(len(document.pred) for document in run) for run in A]
    mean, low, high, training = mean_by_hand(metric, path)
    place = (*path[:2], "scores", path[2]) if path[0] == "per_type" else path
    assert at(own, place) == pytest.approx(mean, rel=1e-12)
    found = at(own["intervals"], path)
    assert (found["low"], found["high"]) == pytest.approx((low, high), rel=1e-9)
    assert found["share_of_training"] == pytest.approx(training, rel=1e-9)
    assert 0.05 < training < 0.95  # neither part decides alone here


def test_runs_that_are_alike_have_the_interval_of_one():
    result = scored([A[0]] * 3)["metrics"]["strict"]
    alone = evaluate(counted(A[:1])[0], CONFIDENCE)["metrics"]["strict"]
    assert result["scores"] == alone["scores"]
    for name in "prf":
        found = result["intervals"]["scores"][name]
        assert found.pop("share_of_training") == 0
        assert found == close(alone["intervals"]["scores"][name])  # the mean of three equal numbers is rounded


def test_the_order_of_runs_and_of_documents_changes_no_mean():
    def unordered(result: dict[str, Any]) -> str:
        for own in result["metrics"].values():
            own["runs"] = None
        return json.dumps(result | {"pred": sorted(result["pred"])}, sort_keys=True)

    expected = unordered(scored())
    assert unordered(scored(A[::-1])) == expected
    order = Random(1).sample(range(len(GOLD)), len(GOLD))
    assert unordered(scored([[run[k] for k in order] for run in A])) == expected
    assert unordered(scored([A[0], *([run[k] for k in order] for run in A[1:])])) == expected


def test_few_runs_are_said_and_five_are_not_few():
    result = scored(system="A")
    assert (result["system"], result["runs"], result["few_runs"]) == ("A", 3, True)
    assert "|runs:3|" in result["signature"] and "|infl,level:0.95,unit:id,units:30|" in result["signature"]
    assert RunsView(counted(A[:1])[0], result).subject.startswith(
        "A: means of 3 training runs (few runs: fewer than 5), 30 documents,"
    )
    many = scored([run_of(f"m{k}", 0.7) for k in range(5)])
    assert not many["few_runs"]
    assert "few" not in RunsView(counted(A[:1])[0], many).subject


def test_a_score_that_a_run_lacks_has_no_mean():
    nothing = [Document(d.gold, [], d.text, id=d.id) for d in GOLD]
    own = scored([*A, nothing])["metrics"]["strict"]
    assert (own["scores"]["p"], own["intervals"]["scores"]["p"]["flag"]) == (None, "undefined")
    assert own["scores"]["r"] is not None and own["intervals"]["scores"]["r"]["flag"] is None


def test_a_label_that_one_run_alone_predicts_is_there():
    odd = [Document(d.gold, [(0, 1, "ODD")] if k == 4 else d.pred, d.text, id=d.id) for k, d in enumerate(A[1])]
    result = scored([A[0], odd])
    assert "ODD" in result["metrics"]["strict"]["per_type"]
    assert result["per_type"]["ODD"] == {"gold": 0, "pred": 0.5}, "the mean of the runs"
    (table,) = RunsView(counted(A[:1])[0], result).tables(["labels"])
    assert [row[:2] for row in table.rows if row[0] == "ODD"] == [["ODD", 0]]


@pytest.mark.parametrize(
    ("runs", "more", "said"),
    [
        ([], {}, "the system has 0 training runs"),
        (counted(A[:1]), {"system": "A"}, "A has 1 training run: expected two or more, since one run does not show"),
        ([*counted(A[:1]), *counted(A[1:2], ["strict"])], {}, "run 2 of the system: .* one has the metrics"),
        (counted(A), {"confidence": Confidence(level=2)}, "level=2"),
    ],
)
def test_bad_input_is_refused(runs, more, said):
    with pytest.raises(ValueError, match=said):
        evaluate_runs(runs, **more)


def test_a_metric_of_numbers_alone_has_no_intervals():
    found = Score("found", unit="count", key="found")
    sides = {"hit": "hit", "miss": "miss", "spurious": "spurious"}
    columns = one_each(*sides)
    metric = Metric(name="numbers", scores=(found,), columns=columns, formula=lambda c: {"found": c["hit"]}, **sides)
    counts = [count(run, [metric]) for run in A]
    (table,) = RunsView(counts[0], evaluate_runs(counts, CONFIDENCE)).tables(["runs"])
    (row,) = table.rows
    assert (row[0], row[-1]) == ("found", None)
    assert row[1] == pytest.approx(np.mean([sum(len(document.hits) for document in run) for run in A]))


# Two systems


def spans_of(side: Sequence[Span], label: str | None) -> int:
    return sum(label in (None, span[2]) for span in side)


def difference_by_hand(place: tuple[str, str, str | None]) -> dict[str, Any]:
    """The formulas of min F', on documents scored anew without each of them."""
    metric, score, label = place
    path = ("scores", score) if label is None else ("per_type", label, score)

    def of(name: str, part: int) -> list[list[float]]:
        return [[value(result, metric, path) for result in each] for each in scored_anew(name)[part]]

    (first,), (second,) = of("A", 0), of("B", 0)
    without = zip(of("A", 1), of("B", 1))
    weights = [
        2 * spans_of(d.gold, label) + sum(np.mean([spans_of(run[k].pred, label) for run in side]) for side in (A, B))
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "place", [("strict", "f", None), ("slot_error", "ser", None), ("wrf", "wrf", None), ("strict", "f", "A")]
)
def test_differences_of_runs_are_those_of_documents_scored_anew(place):
    found = by_score(compared(counted(A), counted(B), labels=True))[place]
    for key, expected in difference_by_hand(place).items():
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
    assert line.endswith("for these trained models; retraining variance is not included.")


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


def test_the_order_of_runs_and_of_documents_changes_no_difference():
    expected = compared(counted(A), counted(B), labels=True)
    assert compared(counted(A)[::-1], counted(B)[::-1], labels=True) == expected
    order = Random(1).sample(range(len(GOLD)), len(GOLD))
    moved = [[run[k] for k in order] for run in A], [[run[k] for k in order[::-1]] for run in B]
    assert compared(*map(counted, moved), labels=True) == expected


def test_runs_that_all_say_the_same_tell_nothing():
    result = compared(counted([A[0]] * 2), counted([A[0]] * 2))
    (own,) = (row for row in result["comparisons"] if row["family"] == "primary")
    assert (own["difference"], own["p"], own["differing"]) == (0, None, 0)
    assert own["verdict"] == "the outputs differ in 0 documents: too few to test"
    json.dumps(result, allow_nan=False)


def test_runs_without_any_spread_are_not_said_to_have_the_same_outputs():
    """One system never finds anything, the other one everything: no variance, and yet all documents differ."""
    a, b = ([tallied(hits, 0, 3 - hits, id=str(k)) for k in range(8)] for hits in (0, 3))
    result = compared(counted([a, a], ["strict"]), counted([b, b], ["strict"]))
    own = by_score(result)["strict", "f", None]
    assert (own["difference"], own["p"], own["differing"]) == (1, None, 8)
    assert own["verdict"] == "the spread of this difference cannot be estimated: no test"


@pytest.mark.parametrize(("number", "known"), [(5, False), (6, True)])
def test_below_6_differing_units_there_is_neither_p_nor_interval(number, known):
    a = [tallied(3, 0, 0, id=str(k)) for k in range(12)]
    b = [[tallied(3, int(k < number) + run * (k == 0), 0, id=str(k)) for k in range(12)] for run in range(2)]
    own = by_score(compared(counted([a, a], ["strict"]), counted(b, ["strict"])))["strict", "f", None]
    assert own["differing"] == number
    assert own["verdict"].startswith("the outputs differ in 5 documents: ") is not known
    assert [(own[key] is not None) for key in ("p", "p_better", "detectable")] == [known] * 3
    assert [bound is not None for bound in own["interval"]] == [known] * 2


@pytest.mark.parametrize("numbers", [(3, 1), (1, 3), (2, 3)])
def test_a_margin_that_is_not_told_takes_more_training_runs_too(numbers):
    sides = [counted([run_of(f"{name}{k}", 0.65) for k in range(number)]) for name, number in zip("mn", numbers)]
    own = by_score(compared(*sides, primary="strict.f", margin=0.5))["strict", "f", None]
    systems = [System("A", sides[0]), System("B", sides[1])]
    wide = by_score(comparison(systems, [], Confidence(level=0.9)))["strict", "f", None]["interval"]
    times = (100 * (wide[1] - wide[0]) / 2 / 0.5) ** 2
    assert f", with {times:.1f} times the training runs, would decide" in own["margin_answer"]


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
    with refused_with(ValueError, "run 2 of B: 1 document is not in both systems: doc 29"):
        compared(counted(A), b)
    with refused_with(ValueError, "run 2 of A: 1 document is not in both systems: doc 29"):
        compared([counted(A)[0], b[1]], counted(B))
    with refused_with(
        ValueError,
        "run 2 of B: the systems cannot be compared: one has the metrics strict, slot_error, wrf, the other strict",
    ):
        compared(counted(A), [counted(B)[0], *counted(B[1:], ["strict"])])


def test_a_system_without_runs_is_refused():
    with refused_with(ValueError, "B has no training run: give the counts of one or more"):
        compared(counted(A), [])
