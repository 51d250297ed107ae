"""Intervals by the influence of units: the numbers of the definition, who holds the uncertainty, groups, and size."""

import re
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import accepted, flat, line, write
from made_up import corpus, tallied, trained_again
from refusals import refused_with
from twin_statistics import by_influence, interval_of_tallies

from spacy_nereval import Confidence, Document, agreement, count, create, create_all, evaluate, score
from spacy_nereval.core.declaration import GOLD_SPANS, PRED_SPANS
from spacy_nereval.counting.table import Table
from spacy_nereval.evaluation import resampling
from spacy_nereval.evaluation.bounds import effective_units, score_intervals
from spacy_nereval.evaluation.breakdown import Breakdown
from spacy_nereval.evaluation.intervals import intervals, run_intervals
from spacy_nereval.evaluation.jackknife import difference_of_runs
from spacy_nereval.evaluation.run_means import evaluate_runs
from spacy_nereval.evaluation.variance import influences, most_influential

Tallies = list[tuple[int, int, int]]


def documents_of(rows: Tallies, label: str = "A") -> list[Document]:
    return [tallied(*row, id=f"d{k}", label=label) for k, row in enumerate(rows)]


def of_f(rows: Tallies) -> dict[str, Any]:
    found: dict[str, Any] = intervals(count(documents_of(rows), [create("strict")]), Confidence())["strict"]["scores"][
        "f"
    ]
    return found


def f_of(documents: Sequence[Document]) -> float:
    found: float = evaluate(count(documents, [create("strict")]))["metrics"]["strict"]["scores"]["f"]
    return found


def missing(number: int) -> Tallies:
    """Twenty documents of five spans, of which some documents lack one."""
    return [(4, 0, 1)] * number + [(5, 0, 0)] * (20 - number)


# The numbers of the definition


def test_a_worked_example_of_ten_documents() -> None:
    value, expected = 0.75362, (0.5691, 0.8763, 8.89907, 7.89907)
    digits = "310 201 211 412 102 500 401 221 301 012"
    rows: Tallies = [(int(a), int(b), int(c)) for a, b, c in digits.split()]
    result = score(documents_of(rows), ["strict"], Confidence())["metrics"]["strict"]
    assert result["scores"]["f"] == pytest.approx(value, abs=5e-6)
    row = result["intervals"]["scores"]["f"]
    assert [row[key] for key in ("low", "high", "k", "df")] == pytest.approx(expected, abs=5e-6)
    assert (row["low"], row["high"]) == pytest.approx(interval_of_tallies(rows).bounds, abs=1e-12)


def test_the_first_errors_of_a_perfect_system_move_the_bounds_little() -> None:
    """By half-samples, no error had [82.0, 100] and one error [96.4, 99.9]."""
    found = [of_f(missing(number)) for number in (0, 1, 2, 5)]
    assert [row["low"] for row in found] == pytest.approx([0.82032, 0.81211, 0.89435, 0.92284], abs=5e-6)
    assert [row["high"] for row in found] == pytest.approx([1.0, 0.99989, 0.99912, 0.99179], abs=5e-6)


@pytest.mark.parametrize("seed", range(5))
def test_numbers_alone_are_those_of_the_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [tuple(row) for row in (rng.poisson([6, 0.4 * seed, 1], (40, 3)) * rng.integers(0, 4, (40, 1))).tolist()]
    expected, row = interval_of_tallies(rows), of_f(rows)
    assert (row["low"], row["high"]) == pytest.approx(expected.bounds, abs=1e-12)
    assert (row["k"], row["df"], row["flag"]) == (pytest.approx(expected.k), pytest.approx(expected.df), expected.flag)


def test_a_score_is_never_less_certain_than_if_every_unit_were_all_right_or_all_wrong() -> None:
    """Half of the documents are: the variance is that of ten spans, which is as bad as it gets."""
    found = of_f([(5, 0, 0)] * 10 + [(0, 5, 5)] * 10)
    k = effective_units([10] * 20)
    most = score_intervals(0.5, 0.25 / k, k)
    assert (found["low"], found["high"]) == (pytest.approx(float(most.low)), pytest.approx(float(most.high)))


def test_a_score_between_its_limits_that_does_not_vary_is_known_by_its_spans() -> None:
    row = of_f([(1, 1, 1)] * 30)
    known = score_intervals(0.5, 0.0, 30, spans=60)
    assert (row["low"], row["high"]) == (pytest.approx(float(known.low)), pytest.approx(float(known.high)))
    assert row["low"] > 0.37


def test_an_interval_of_zero_width_is_an_error() -> None:
    with refused_with(
        ArithmeticError,
        "an interval of zero width: the variance or the units cannot be right",
    ):
        score_intervals(0.5, 0.0, 20, spans=1e40)


# Training runs


@pytest.mark.slow
def test_the_variance_of_a_difference_of_runs_is_that_of_leaving_documents_out_of_all_runs() -> None:
    gold = corpus(20, seed=2)
    sides = [[trained_again(f"{name}{k}", 0.6, gold) for k in range(2)] for name in "ab"]
    metrics = create_all(["strict", "loio"])
    scores = [("strict", ("scores", "f")), ("strict", ("per_type", "A", "r")), ("loio", ("scores", "tp"))]

    def value(out: int | None, metric: str, path: tuple[str, ...]) -> float:
        means = []
        for side in sides:
            results = [evaluate(count([d for k, d in enumerate(run) if k != out], metrics)) for run in side]
            tables = [each["metrics"][metric] for each in results]
            own = [t["scores"] if path[0] == "scores" else t["per_type"][path[1]]["scores"] for t in tables]
            means.append(np.mean([table[path[-1]] for table in own]))
        return float(means[1] - means[0])

    counts = [[count(run, metrics) for run in side] for side in sides]
    found = difference_of_runs(*counts, scores, counts[0][0].labels)
    for n, (metric, path) in enumerate(scores):
        left = [value(out, metric, path) for out in range(20)]
        expected = influences([value(None, metric, path)], np.zeros(20, dtype=int), left, 20)
        assert found.variance[n] == pytest.approx(float(expected.variance[0]), rel=1e-9)
        assert found.bearers[n] == pytest.approx(float(expected.bearers[0]), rel=1e-6)


# Breakdowns


@pytest.mark.parametrize(("metric", "name"), [("strict", "f"), ("fair", "r"), ("wrf", "r1_f"), ("slot_error", "ser")])
def test_buckets_have_the_intervals_of_documents_left_out_one_after_the_other(metric: str, name: str) -> None:
    documents, metrics = corpus(14, seed=3), create_all([metric])
    whole = count(documents, metrics)

    def broken_down(some: list[Document]) -> Breakdown:
        found = Breakdown(metrics, "eLen")
        for document in some:
            found.add(document)
        return found

    every = broken_down(documents)
    result = every.result(whole, Confidence(0.9))
    without = [broken_down([d for k, d in enumerate(documents) if k != out]).result() for out in range(14)]
    alone = [broken_down([document]).result() for document in documents]
    # A predicted span counts in the bucket of its gold span.
    weights = Table(every.counts(metric, whole), result["buckets"]).spans(*GOLD_SPANS, *PRED_SPANS).toarray()
    assert len(result["buckets"]) == 3
    for bucket in result["buckets"]:
        values = [
            [each["metrics"][metric].get(bucket, {"scores": {name: None}})["scores"][name] for each in part]
            for part in (without, alone)
        ]
        row, limits = result["metrics"][metric][bucket], metrics[0].score_by_name[name].limits
        # A document that has no score alone, and without which the score is the same, says nothing about it.
        spans = [
            number * (single is not None or left != row["scores"][name])
            for number, left, single in zip(weights[:, result["buckets"].index(bucket)].tolist(), *values)
        ]
        expected = by_influence(row["scores"][name], *values, spans, limits, result["gold"][bucket], 0.9)
        found = row["intervals"][name]
        assert (found["low"], found["high"]) == pytest.approx(expected.bounds, abs=1e-9)
        assert (found["k"], found["df"]) == (pytest.approx(expected.k), pytest.approx(expected.df))
        assert found["flag"] == expected.flag


# Who holds the uncertainty


BROKEN: Tallies = [(9, 0, 1), (8, 1, 0), (10, 0, 0), (7, 1, 1)] * 8
"""Documents of ordinary difficulty. Two more are all wrong."""


@pytest.mark.slow
def test_documents_that_hold_the_uncertainty_are_named_in_json_terminal_page_and_notebook(tmp_path: Path) -> None:
    documents = documents_of([*BROKEN, (0, 10, 10), (0, 9, 10)])
    result = score(documents, ["strict"], Confidence())
    assert result["metrics"]["strict"]["intervals"]["scores"]["f"]["flag"] == "concentrated"
    (held,) = result["confidence"]["concentrated"]
    assert (held["metric"], held["score"], held["units"]) == ("strict", "f", ["d32", "d33"])
    left = [f_of(documents[:k] + documents[k + 1 :]) for k in range(len(documents))]
    squares = (np.array(left) - np.mean(left)) ** 2
    assert held["share"] == pytest.approx(squares[[32, 33]].sum() / squares.sum())
    share = f"{100 * held['share']:.0f}"
    said = f"⚠ 2 of 34 documents account for {share} % of the uncertainty of strict F: d32, d33."
    assert said in result.summary()
    assert "2 of 34 documents account for" in result._repr_html_()
    sides = [
        write(tmp_path / f"{side}.jsonl", *(line("x" * 2000, *getattr(d, side), id=d.id) for d in documents))
        for side in ("gold", "pred")
    ]
    assert flat(said) in flat(accepted("score", *sides, "-m", "strict", "-C"))
    page = tmp_path / "page.html"
    for asked in (["-C"], []):  # the page of one system has an interval either way
        accepted("report", *sides, "-m", "strict", *asked, "-o", page)
        assert "2 of 34 documents account for" in page.read_text("utf8")


def test_nobody_is_named_where_the_uncertainty_is_shared_or_units_are_few() -> None:
    for rows in (BROKEN, [(9, 0, 1)] * 3 + [(0, 9, 9)]):
        result = score(documents_of(rows), ["strict"], Confidence())
        assert result["confidence"]["concentrated"] == []
    assert result["metrics"]["strict"]["intervals"]["scores"]["f"]["flag"] == "few"


def test_documents_without_ids_go_by_their_numbers() -> None:
    documents = documents_of([*BROKEN, (0, 10, 10), (0, 9, 10)])
    for k, document in enumerate(documents):
        document.id, document.text = None, f"{k:4}" * 600
    assert run_intervals([count(documents, [create("strict")])], Confidence()).basis.concentrated[0]["units"] == [
        32,
        33,
    ]


def test_runs_name_the_documents_that_hold_the_uncertainty_of_the_mean() -> None:
    runs = [count(documents_of([*BROKEN, (0, 10, 10), (0, 9 + more, 10)]), [create("strict")]) for more in (1, 2)]
    (held,) = evaluate_runs(runs, Confidence())["confidence"]["concentrated"]
    assert {*held["units"]} == {"d32", "d33"}


def test_annotators_differ_in_a_few_documents_which_are_named() -> None:
    spans = [(4 * k, 4 * k + 2, "A") for k in range(10)]
    others = {7: [], 21: [(44, 48, "A")]}
    sides = [
        [line(f"{k:4}" * 20, *own.get(k, usual), id=f"t{k}") for k in range(30)]
        for usual, own in ((spans, {}), (spans[:9], others))
    ]
    found = agreement({"ann": sides[0], "ben": sides[1]}, ["strict"], confidence=Confidence())
    (held,) = found["confidence"]["concentrated"]
    assert {*held["units"]} <= {"t7", "t21"} and held["share"] > 0.5
    assert found["intervals"]["metrics"]["strict"]["f"]["mean"]["flag"] == "concentrated"
    assert re.search(r"of 30 documents accounts? for", found.summary())


def test_the_fewest_units_with_half_of_the_variance() -> None:
    assert most_influential([0.5, 0.9, 0.5, 0.5]) == ([1], pytest.approx(0.75))
    units, share = most_influential([0.5] * 96 + [0.9, 0.1, 0.88, 0.12, 0.11])
    assert sorted(units) == [96, 97, 100] and share > 0.5


# More units than are left out one by one


def test_more_units_than_groups_are_left_out_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [*BROKEN, (0, 10, 10), (0, 9, 10)] * 2
    documents = documents_of(rows)
    one_by_one = run_intervals([count(documents, [create("strict")])], Confidence())
    monkeypatch.setattr(resampling, "MOST_GROUPS", 17)
    counts = count(documents, [create("strict")])
    units = resampling.Units(counts)
    assert units.groups.shape == (17, len(rows)) and {*np.bincount(units.group).tolist()} == {4}
    grouped = run_intervals([counts], Confidence())
    row, other = (each.metrics["strict"]["scores"]["f"] for each in (grouped, one_by_one))
    assert row["k"] == other["k"]  # the units, not the groups
    groups = [[d for d, group in zip(documents, units.group) if group == g] for g in range(17)]
    expected = by_influence(
        f_of(documents),
        [f_of([d for g, some in enumerate(groups) if g != out for d in some]) for out in range(17)],
        [f_of(some) for some in groups],
        [len(d.gold) + len(d.pred) for d in documents],
        spans=counts.gold,
    )
    assert (row["low"], row["high"]) == pytest.approx(expected.bounds, abs=1e-12)
    assert row["df"] == pytest.approx(expected.df)


def test_the_worst_unit_of_a_group_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resampling, "MOST_GROUPS", 100)
    documents = documents_of([(20, 0, 0), (19, 0, 1)] * 100 + [(0, 150, 150)])
    documents = [Document(d.gold, d.pred, "ab " * 1600, id=d.id) for d in documents]
    for metrics in (["strict"], ["wrf", "strict"]):
        found = run_intervals([count(documents, create_all(metrics))], Confidence()).basis.concentrated
        assert [each["units"] for each in found if each["metric"] == "strict"] == [["d200"]]


# Size


@pytest.mark.slow
def test_memory_goes_with_cells_not_with_labels_times_units() -> None:
    """Each of 3,000 labels is in one or two of 400 documents. A number per label and unit would take 60 MB apiece."""
    rng = np.random.default_rng(0)
    golds = [[(5 * j, 5 * j + 3, f"L{n}") for j, n in enumerate(row)] for row in rng.integers(0, 3000, (400, 10))]
    documents = [Document(gold, gold[:8], id=f"d{k}") for k, gold in enumerate(golds)]
    counts = count(documents, create_all(["strict", "slot_error", "fair"]))
    run_intervals([counts], Confidence())  # imports
    tracemalloc.start()
    run_intervals([counts], Confidence())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60e6
