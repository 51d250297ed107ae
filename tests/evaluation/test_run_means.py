"""One system with several training runs: its mean scores against formulas by hand, and what cannot be scored."""

import json
from collections.abc import Sequence
from functools import cache, partial
from random import Random
from typing import Any

import numpy as np
import pytest
import scipy.stats
from made_up import close, corpus, trained_again
from twin_statistics import spread_of, wilson

from spacy_nereval import Confidence, Counts, Document, Metric, Score, count, create_all, evaluate, one_each
from spacy_nereval.evaluation.run_means import evaluate_runs
from spacy_nereval.reporting.runs_view import RunsView

METRICS = ["strict", "slot_error", "wrf"]
CONFIDENCE = Confidence()
GOLD = corpus(30, seed=2)
run_of = partial(trained_again, documents=GOLD)

Place = tuple[str, tuple[str, ...]]
RUNS = [run_of(f"a{k}", 0.6 + 0.05 * k) for k in range(3)]


def counted(runs: Sequence[Sequence[Document]], metrics: Any = METRICS) -> list[Counts]:
    return [count(run, create_all(metrics)) for run in runs]


def scored(runs: Sequence[Sequence[Document]] = RUNS, **more: Any) -> dict[str, Any]:
    return evaluate_runs(counted(runs), CONFIDENCE, **more)


def at(table: Any, path: Sequence[str]) -> Any:
    for key in path:
        table = table[key]
    return table


def results(chosen: Sequence[int]) -> list[dict[str, Any]]:
    """What each run scores on the chosen documents alone."""
    metrics = create_all(METRICS)
    return [evaluate(count([run[k] for k in chosen], metrics))["metrics"] for run in RUNS]


@cache
def scored_anew() -> tuple[list[dict[str, Any]], list[list[dict[str, Any]]], list[list[dict[str, Any]]]]:
    """What each run scores on all documents, without each document, and on each document alone."""
    every = set(range(len(GOLD)))
    return results(range(len(GOLD))), [results(sorted(every - {k})) for k in every], [results([k]) for k in every]


def value(result: dict[str, Any], metric: str, path: tuple[str, ...]) -> float:
    own = result[metric]
    if path[0] == "per_type":
        path = (*path[:2], "scores", path[2])
        if path[1] not in own["per_type"]:
            return float("nan")
    found = at(own, path)
    return float("nan") if found is None else found


def by_hand(metric: str, path: tuple[str, ...]) -> tuple[float, float, float, float]:
    """Mean, bounds and share of training, on documents scored anew without each document."""
    whole, without, alone = scored_anew()
    share = (lambda x: x / (1 + x)) if path[-1] == "ser" else (lambda x: x)
    runs = np.array([value(result, metric, path) for result in whole])
    theta = share(runs.mean())
    label = path[1] if path[0] == "per_type" else None
    weights = [
        np.mean([sum(label in (None, s[2]) for s in (*run[k].gold, *run[k].pred)) for run in RUNS]) for k in range(30)
    ]
    left = [share(np.mean([value(r, metric, path) for r in each])) for each in without]
    of_documents, k, f = spread_of(theta, left, weights)
    training = share(runs).var(ddof=1) / 3
    own = np.array([[value(r, metric, path) for r in each] for each in alone])
    own = share(np.where(np.isfinite(own), own, 0).sum(1) / np.maximum(np.isfinite(own).sum(1), 1e-9))
    defined = np.array([any(np.isfinite(value(r, metric, path)) for r in each) for each in alone])
    if path[-1] == "ser":  # a document without gold has wrong predictions or none
        wrong = [any(run[k].pred for run in RUNS) if not d else own[k] > 0 for k, d in enumerate(defined)]
        mixed = min(sum(wrong), (defined & (own < 0.5)).sum())
    else:
        mixed = min((defined & (own < 1)).sum(), (defined & (own > 0)).sum())
    variance = of_documents + training
    freedom = variance**2 / (of_documents**2 / f + training**2 / 2)
    n = k / ((mixed * k * variance / (theta * (1 - theta)) + 0.5) / (mixed + 0.5))
    own_bounds = np.array(wilson(theta, n, scipy.stats.t.ppf(0.975, freedom)))
    full = theta * (1 - theta) / k
    most = theta * (1 - theta) / (full + training), (full + training) ** 2 / (full**2 / (k - 1) + training**2 / 2)
    widest = wilson(theta, most[0], scipy.stats.t.ppf(0.975, most[1]))
    bounds = np.array([max(own_bounds[0], widest[0]), min(own_bounds[1], widest[1])])
    low, high = bounds / (1 - bounds) if path[-1] == "ser" else bounds
    return float(runs.mean()), float(low), float(high), training / variance


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
    assert scored()["pred"] == [sum(len(document.pred) for document in run) for run in RUNS]
    mean, low, high, training = by_hand(metric, path)
    place = (*path[:2], "scores", path[2]) if path[0] == "per_type" else path
    assert at(own, place) == pytest.approx(mean, rel=1e-12)
    found = at(own["intervals"], path)
    assert (found["low"], found["high"]) == pytest.approx((low, high), rel=1e-9)
    assert found["share_of_training"] == pytest.approx(training, rel=1e-9)
    assert 0.05 < training < 0.95  # neither part decides alone here


def test_runs_that_are_alike_have_the_interval_of_one():
    result = scored([RUNS[0]] * 3)["metrics"]["strict"]
    alone = evaluate(counted(RUNS[:1])[0], CONFIDENCE)["metrics"]["strict"]
    assert result["scores"] == alone["scores"]
    for name in "prf":
        found = result["intervals"]["scores"][name]
        assert found.pop("share_of_training") == 0
        assert found == close(alone["intervals"]["scores"][name])  # the mean of three equal numbers is rounded


def test_the_order_of_runs_and_of_documents_changes_nothing():
    def unordered(result: dict[str, Any]) -> str:
        for own in result["metrics"].values():
            own["runs"] = None
        return json.dumps(result | {"pred": sorted(result["pred"])}, sort_keys=True)

    expected = unordered(scored())
    assert unordered(scored(RUNS[::-1])) == expected
    order = Random(1).sample(range(len(GOLD)), len(GOLD))
    assert unordered(scored([[run[k] for k in order] for run in RUNS])) == expected
    assert unordered(scored([RUNS[0], *([run[k] for k in order] for run in RUNS[1:])])) == expected


def test_few_runs_are_said_and_five_are_not_few():
    result = scored(system="A")
    assert (result["system"], result["runs"], result["few_runs"]) == ("A", 3, True)
    assert "|runs:3|" in result["signature"] and "|infl,level:0.95,unit:id,units:30|" in result["signature"]
    assert RunsView(counted(RUNS[:1])[0], result).scored.startswith(
        "A: means of 3 training runs (few runs: fewer than 5), 30 documents,"
    )
    many = scored([run_of(f"m{k}", 0.7) for k in range(5)])
    assert not many["few_runs"]
    assert "few" not in RunsView(counted(RUNS[:1])[0], many).scored


def test_a_score_that_a_run_lacks_has_no_mean():
    nothing = [Document(d.gold, [], d.text, id=d.id) for d in GOLD]
    own = scored([*RUNS, nothing])["metrics"]["strict"]
    assert (own["scores"]["p"], own["intervals"]["scores"]["p"]["flag"]) == (None, "undefined")
    assert own["scores"]["r"] is not None and own["intervals"]["scores"]["r"]["flag"] is None


def test_a_label_that_one_run_alone_predicts_is_there():
    odd = [Document(d.gold, [(0, 1, "ODD")] if k == 4 else d.pred, d.text, id=d.id) for k, d in enumerate(RUNS[1])]
    result = scored([RUNS[0], odd])
    assert "ODD" in result["metrics"]["strict"]["per_type"]
    assert result["per_type"]["ODD"] == {"gold": 0, "pred": 0.5}, "the mean of the runs"
    (table,) = RunsView(counted(RUNS[:1])[0], result).tables(["labels"])
    assert [row[:2] for row in table.rows if row[0] == "ODD"] == [["ODD", 0]]


@pytest.mark.parametrize(
    ("runs", "more", "said"),
    [
        ([], {}, "the system has 0 training runs"),
        (counted(RUNS[:1]), {"system": "A"}, "A has 1 training run: expected two or more, since one run does not show"),
        ([*counted(RUNS[:1]), *counted(RUNS[1:2], ["strict"])], {}, "run 2 of the system: .* one has the metrics"),
        (counted(RUNS), {"confidence": Confidence(level=2)}, "level=2"),
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
    counts = [count(run, [metric]) for run in RUNS]
    (table,) = RunsView(counts[0], evaluate_runs(counts, CONFIDENCE)).tables(["runs"])
    (row,) = table.rows
    assert (row[0], row[-1]) == ("found", None)
    assert row[1] == pytest.approx(np.mean([sum(len(document.hits) for document in run) for run in RUNS]))
