"""docs/explanation/results.md: written from the kept counts of runs, and no sentence says more than they carry."""

from __future__ import annotations

import re

import numpy as np
import pytest
from kept_trials import DOCUMENTS, GOLD, SPURIOUS, UNLIKE, counts, hits, page_of, results, summaries, written
from places import ROOT

from spacy_nereval.counting.counts import Counts
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.resampling import Confidence, HalfSamples, Units
from spacy_nereval.evaluation.result import evaluate
from spacy_nereval.evaluation.statistics.intervals import spread, wilson
from spacy_nereval.reporting.comparison_view import ComparisonView


@pytest.fixture(scope="module")
def unlike(tmp_path_factory) -> str:
    """The page of these runs on one corpus."""
    return page_of(written(tmp_path_factory.mktemp("kept") / "maintie", UNLIKE).parent)


def flat(text: str) -> str:
    return " ".join(text.split())


# The page


def test_the_page_begins_with_one_table_of_every_pipeline(unlike):
    first = unlike.split("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in first.splitlines() if line.startswith("| ")]
    assert rows[0] == ["corpus", "pipeline", "runs", "strict F", "fair F", "WRF"]
    assert [row[:3] for row in rows[2:]] == [["maintie", name, "3"] for name in UNLIKE]
    for row, runs in zip(rows[2:], UNLIKE.values()):
        mean = np.mean([evaluate(own)["metrics"]["fair"]["scores"]["f"] for own in runs])
        assert row[4].split(" [")[0] == f"{100 * mean:.2f}"
    assert all(f"- *{name}*: " in first for name in UNLIKE)


@pytest.mark.slow
def test_the_page_of_the_repository_is_what_its_counts_say():
    page = (ROOT / "docs" / "explanation" / "results.md").read_text(encoding="utf8")
    assert page == results.page(ROOT / "assets" / "trials"), "run python scripts/results.py"
    corpora = {path.parent.name for path in (ROOT / "assets" / "trials").glob("*/trials.json")}
    assert {*re.findall(r"^## (\w+)$", page, flags=re.M)} - {"Details"} == corpora
    assert corpora
    # "About equally frequent" is the only use of that word.
    for word in ("significant", "trend", "no difference", "proves", "equal "):
        assert word not in page.lower().replace("about equally", "")
    verdicts = [line for line in page.splitlines() if re.search(r"scores (higher|lower) than|not settled", line)]
    assert verdicts and all(re.match(r"- \*\*strict f, \w+ against \w+: .*\.\*\*$", line) for line in verdicts)


def test_tables_and_the_verdict_of_the_package_come_first_and_every_run_is_printed(unlike):
    short, long = unlike.split("\n## Details\n")
    found = ComparisonView(comparison([System(name, runs) for name, runs in UNLIKE.items()], [])).opening()
    assert len(found) == 1 and f"- **{found[0]}**" in short
    assert short.count("\n| --- |") == 2, "that of all pipelines, and that of the corpus"
    assert "Few runs" in short and "another processor" in flat(short)
    row = next(line for line in short.splitlines() if line.startswith("| strict |"))
    # F of 20, 30 and 40 hits of 40 spans: 2 * hits/(hits + 40).
    values = [100 * 2 * n / (n + DOCUMENTS) for n in (20, 40, 30)]
    assert f"| {np.mean(values):.2f} [" in row and row.endswith(f"| {np.std(values, ddof=1):.2f} |")
    scores = [line for line in long.splitlines() if line.startswith("| strict_f |")]
    assert len(scores) == 2 and scores[1].endswith("| " + " | ".join(f"{value:.2f}" for value in values) + " |")
    assert "run gpu . --vars.corpus maintie --vars.epochs 6" in long
    assert "training ends after at most 6 of 12 epochs" in long
    assert "cpu=assets/trials/maintie/cpu-*.npz" in long


def test_runs_that_differ_a_lot_leave_a_difference_unsettled_that_pooled_documents_would_not(unlike):
    assert "paper against cpu, means of 3 and 3 training runs" in unlike and "; not settled: between" in unlike
    assert "scores higher" not in unlike
    pooled = [System(name, runs[0] + runs[1] + runs[2]) for name, runs in UNLIKE.items()]
    (said,) = ComparisonView(comparison(pooled, [])).opening()
    assert "paper scores higher than cpu" in said


def test_a_single_run_of_each_pipeline_is_said_to_be_one(tmp_path):
    page = page_of(written(tmp_path / "wnut17", {"cpu": [hits(10)], "paper": [hits(35)]}).parent)
    assert "paper scores higher than cpu on texts like these" in page
    assert "another training was not tried" in page and "Few runs" not in page


def test_pipelines_on_nested_spans_are_not_compared(tmp_path):
    nested = [hits(30), hits(31)]
    for own in nested:
        own.spans_key = "sc"
    page = page_of(written(tmp_path / "maintie", {**UNLIKE, "spancat": nested}).parent)
    assert "spancat is scored on nested spans" in page
    assert "spancat against" not in page and "paper against cpu" in page


# The numbers


def test_one_run_has_the_intervals_that_the_package_gives():
    one = hits(33)
    found = summaries.over_runs([one])
    package = evaluate(one, Confidence())["metrics"]
    assert len(found) > 20
    for key, own in found.items():
        name = own.score.name
        bounds = package[own.metric.name]["intervals"]["scores"][name]
        assert own.interval == (pytest.approx(bounds["low"], abs=1e-15), pytest.approx(bounds["high"], abs=1e-15)), key
        assert (own.mean, own.sd) == (package[own.metric.name]["scores"][name], None)


def test_several_runs_add_the_variance_of_training():
    runs = [hits(20), hits(26), hits(23)]
    found = summaries.over_runs(runs)["strict_r"]
    recall = np.array([20, 26, 23]) / DOCUMENTS
    units = Units(runs[0])
    bits = HalfSamples(units, 1000, 0).of(slice(0, DOCUMENTS)).astype(float)
    drawn = np.mean([bits[:, :n].sum(axis=1) / bits.sum(axis=1) for n in (20, 26, 23)], axis=0)
    weight = np.mean([[1 + (k < n) for k in range(DOCUMENTS)] for n in (20, 26, 23)], axis=0)
    k = weight.sum() ** 2 / (weight**2).sum()
    documents, training = spread(drawn) ** 2, recall.var(ddof=1) / 3
    freedom = (documents + training) ** 2 / (documents**2 / (k - 1) + training**2 / 2)
    from scipy.stats import t

    mean = recall.mean()
    expected = wilson(mean, mean * (1 - mean) / (documents + training), t.ppf(0.975, freedom))
    assert found.interval == pytest.approx(expected)
    assert found.sd == pytest.approx(recall.std(ddof=1))
    again = summaries.over_runs(runs[::-1])["strict_r"]
    assert (again.mean, again.interval) == (pytest.approx(found.mean), pytest.approx(found.interval))


def test_documents_in_another_order_are_paired():
    forward, back = hits(20), hits(20).reordered(range(DOCUMENTS)[::-1])
    first, second = (summaries.over_runs(runs)["strict_f"] for runs in ([forward, forward], [forward, back]))
    assert first.interval == second.interval


# What to work on


def of_documents(missed: int, spurious: int, right: int) -> Counts:
    """The counts of so many documents that each miss a span, have a spurious one, or are right."""
    gold = [[GOLD]] * missed + [[]] * spurious + [[GOLD]] * right
    predicted = [[]] * missed + [[SPURIOUS]] * spurious + [[GOLD]] * right
    return counts(*predicted, gold=gold)


def said(*runs: Counts) -> str:
    sentence: str = results.work_on(summaries.errors(runs))
    return sentence


def test_the_most_frequent_kind_of_error_is_named_if_it_stands_out():
    assert said(of_documents(40, 12, 10)).startswith("The most frequent errors are missed spans, so work on recall")
    assert said(of_documents(12, 40, 10)).startswith(
        "The most frequent errors are spurious spans, so work on precision"
    )
    assert said(of_documents(14, 12, 30)) == (
        "About equally frequent, as far as these runs tell: missed spans and spurious spans."
    )
    assert said(of_documents(0, 0, 30)) == "There is no error."


def test_the_margin_is_that_of_the_binomial_where_documents_have_one_error_each():
    found = summaries.errors([of_documents(40, 20, 10)])
    from scipy.stats import t

    low, high = found.against["spurious spans"]
    # The half-samples tell a standard error of about that of 60 independent errors.
    expected = wilson(2 / 3, 60, t.ppf(0.975, 59))
    assert (low, high) == (pytest.approx(expected[0], abs=0.02), pytest.approx(expected[1], abs=0.02))
    assert found.next == "spurious spans" and found.as_frequent == []


def test_errors_of_one_document_are_not_many_independent_ones():
    many = [(k, k + 1, "PART") for k in range(6)]
    of_five = counts(*[[]] * 5, *[[SPURIOUS]] * 12, gold=[many] * 5 + [[]] * 12)
    of_thirty = of_documents(30, 12, 0)
    assert [summaries.errors([own]).numbers["fn"] for own in (of_five, of_thirty)] == [[30], [30]]
    assert said(of_five).startswith("There are too few errors")
    assert said(of_thirty).startswith("The most frequent errors are missed spans")
    lumped = counts(*[[]] * 10, *[[SPURIOUS]] * 28, gold=[many] * 10 + [[]] * 28)
    assert summaries.errors([lumped]).numbers["fn"] == [60]
    assert said(lumped).startswith("About equally frequent, as far as these runs tell: missed spans and spurious")
    assert said(of_documents(60, 28, 0)).startswith("The most frequent errors are missed spans")


def test_a_kind_without_errors_is_never_called_as_frequent():
    assert said(of_documents(3, 0, 30)) == "There are too few errors to say which kind is the most frequent."


def test_runs_that_disagree_leave_open_what_to_work_on():
    assert "most frequent errors" in said(of_documents(36, 16, 0), of_documents(36, 16, 0))
    runs = [counts(*[[]] * m, *[[GOLD, SPURIOUS]] * (40 - m), gold=[[GOLD]] * 40) for m in (38, 19)]
    assert summaries.errors(runs).numbers["fn"] == [38, 19]
    assert said(*runs).startswith("About equally frequent")


def test_a_corpus_without_runs_is_named(unlike, tmp_path):
    assert "No training runs are kept of warranty and wnut17, so this page says nothing about them." in unlike
    for corpus in ("maintie", "warranty", "wnut17"):
        written(tmp_path / corpus, {"cpu": [hits(10)]})
    assert "No training runs are kept" not in page_of(tmp_path)
