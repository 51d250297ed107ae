"""Thousands of labels, such as ids of concepts: time and memory go with the spans, not with documents times labels."""

import cProfile
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import side, write
from processes import python

from spacy_nereval import Confidence, Document, collapse, count, create, create_all
from spacy_nereval.counting.table import Table
from spacy_nereval.evaluation import intervals as evaluation_intervals
from spacy_nereval.evaluation import pairs
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.intervals import run_intervals
from spacy_nereval.evaluation.resampling import HalfSamples, Units
from spacy_nereval.evaluation.scores import score_sums
from spacy_nereval.features.agreement.agreement_counts import AgreementCounts
from spacy_nereval.features.agreement.shared_documents import SharedDocument, SharedDocuments
from spacy_nereval.features.report.gold_suspects import gold_suspects


def corpus(documents: int, labels: int, shift: int) -> list[Document]:
    """Five spans a document, of which every third is predicted otherwise."""
    found = []
    for d in range(documents):
        gold = [(10 * k, 10 * k + 5, f"C{(5 * d + k) % labels:05}") for k in range(5)]
        pred = [(a, b + (n % 2), name) for n, (a, b, name) in enumerate(gold) if (d + n + shift) % 3]
        found.append(Document(gold, pred, text="abcde fghi" * 5, id=str(d)))
    return found


def with_peak(work: Callable[[], Any]) -> tuple[Any, int]:
    """What is made, and the most memory that Python had for it at a time."""
    tracemalloc.start()
    try:
        return work(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.costly
def test_wrf_counts_the_classes_that_a_document_has():
    documents, wrf = corpus(600, 3000, 0), create("wrf")
    counts, peak = with_peak(lambda: count(documents, [wrf]))
    assert counts.documents == 600 and len(counts.labels) == 3000
    assert peak < 600 * 3001 * 8  # a number for each class in each document


@pytest.mark.costly
def test_a_comparison_has_some_swaps_in_memory_whatever_the_number_of_labels(monkeypatch):
    systems = [System(str(shift), count(corpus(40, 100, shift), create_all(["wrf"]))) for shift in (0, 1)]
    monkeypatch.setattr(pairs, "SUMS", 1 << 40)
    at_once, most = with_peak(lambda: comparison(systems, [], trials=1000))
    monkeypatch.setattr(pairs, "SUMS", 1 << 13)
    in_parts, least = with_peak(lambda: comparison(systems, [], trials=1000))
    assert at_once == in_parts and at_once["comparisons"][0]["p"] is not None
    assert least < most / 4


def test_swaps_have_sums_of_those_scores_of_labels_that_an_overall_score_is_made_of():
    metric = create("wrf")
    first, second = (count(corpus(6, 4, shift), [metric]) for shift in (0, 1))
    ((a, b),) = pairs.Pair.of(first, second, [metric]).swap_scores(HalfSamples(Units(first), 8, 0))
    assert {*a.label_scores} == {*b.label_scores} == {"r1_f"} and {*a.scores} == {"wrf"}


@pytest.mark.costly
def test_sums_of_half_samples_are_in_memory_once():
    counts = count(corpus(200, 1000, 0), create_all(["strict", "fair", "wrf"]))
    table, halves = Table(counts), HalfSamples(Units(counts), 200, 0, exact=False)
    sums, peak = with_peak(lambda: table.sum_rows(halves))
    assert peak < 2 * sum(array.nbytes for array in sums.arrays)


@pytest.mark.nightly
@pytest.mark.slow
def test_intervals_of_collapsed_counts_have_some_half_samples_in_memory_at_a_time(monkeypatch):
    counts = collapse(count(corpus(100, 500, 0), create_all(["strict", "fair"])), samples=40)
    tables, peaks = [], []
    for cells in (1 << 40, 1):  # all at once, and two half-samples at a time
        monkeypatch.setattr(evaluation_intervals, "TOGETHER", cells)
        table, peak = with_peak(lambda: run_intervals([counts], Confidence()))
        tables.append(repr(table))
        peaks.append(peak)
    assert tables[0] == tables[1]
    assert peaks[1] < peaks[0] / 2


@pytest.mark.parametrize("number", [1, 2, 3, 7, 20])
def test_parts_of_sums_add_up_to_all_and_none_has_a_single_sum(number):
    counts = collapse(count(corpus(20, 30, 0), create_all(["strict", "wrf"])), samples=number)
    sums = counts.replicates.sums
    for cells in (1, 3000, 1 << 40):
        parts = [*sums.parts(cells)]
        assert min(part.documents.shape[-1] for part in parts) >= min(2, number)
        for k, array in enumerate(sums.arrays):
            assert (np.concatenate([part.arrays[k] for part in parts], axis=-1) == array).all()


def test_stacked_values_are_those_of_the_paths():
    counts = collapse(count(corpus(20, 30, 0), create_all(["strict", "semeval", "wrf"])), samples=5)
    sums = counts.replicates.sums
    for scores in score_sums(sums):
        names = [name for name, score in scores.metric.score_by_name.items() if score.unit != "count"]
        values = [value for path, value in scores.paths(sums.labels) if path[-1] in names]
        np.testing.assert_array_equal(scores.stack_values(names), np.array(values).T)
        assert scores.stack_values([]).shape == (5, 0)


@pytest.mark.costly
@pytest.mark.slow
def test_agreement_has_some_labels_or_units_in_memory_at_a_time():
    units, labels = 400, 1000
    documents = [
        SharedDocument(Document([], [], d.text, id=d.id), {"a": [*map(tuple, d.gold)], "b": [*map(tuple, d.pred)]})
        for d in corpus(units, labels, 0)
    ]
    counted = AgreementCounts(SharedDocuments(("a", "b"), documents), create_all(["strict", "char"]))
    found, peak = with_peak(lambda: counted.result(Confidence()))
    assert len(found["intervals"]["per_type"]) == labels
    assert peak < 20 * 8 * 2 * units * labels  # that were 20 tables of each label without each unit, and in it alone


def overlapping_in_fair(spans: int) -> object:
    """All spans of a document overlap. Twice as many are four times as many pairs; each had as many units as spans."""
    gold = [(k, 2 * spans + k, "AB"[k % 2]) for k in range(spans)]
    pred = [(k, 2 * spans + k + 1 + k % 7, "AB"[k % 3 % 2]) for k in range(spans)]
    return count([Document(gold, pred, text="x" * 4 * spans)], [create("fair")])


def one_word_with_many_labels(labels: int) -> object:
    documents = [Document([(0, 5, str(k))], [(0, 5, str(k))], text="abcde") for k in range(labels)]
    return gold_suspects([documents])


@pytest.mark.parametrize(("work", "factor"), [(overlapping_in_fair, 5), (one_word_with_many_labels, 3)])
def test_twice_as_much_is_not_many_times_the_work(work, factor):
    calls = []
    for size in (100, 200):
        profile = cProfile.Profile()
        profile.runcall(work, size)
        calls.append(sum(each.callcount for each in profile.getstats()))
    assert calls[1] < factor * calls[0]


# Not `ru_maxrss`: that begins with what the process had from which this one was started.
MEASURED = """
import sys
from spacy_nereval.cli import nereval

nereval(sys.argv[1:], standalone_mode=False)
print(next(int(row.split()[1]) // 1024 for row in open("/proc/self/status") if row.startswith("VmHWM")))
"""


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no /proc")
@pytest.mark.parametrize(
    ("command", "most"),
    [
        (("score", "-C", "-o", "out.json"), 400),
        (("count", "--collapse", "--replicates", "20", "-o", "counts.npz"), 400),
        (("compare",), 400),
        (("agreement",), 600),
    ],
)
def test_ten_thousand_labels_fit_into_memory(tmp_path, monkeypatch, command, most):
    """In MB. Before, agreement took over 9 GB."""
    monkeypatch.chdir(tmp_path)
    for name, shift in (("gold", 0), ("a", 0), ("b", 1)):
        documents = corpus(2000, 10_000, shift)
        write(Path(f"{name}.jsonl"), *side(documents, "gold" if name == "gold" else "pred"))
    first, *options = command
    names = ["gold.jsonl", "a.jsonl", "b.jsonl"][: 2 if first in ("score", "count") else 3]
    commands = [(first, *names, *options)]
    if first == "count":  # what these counts keep of 20 half-samples are 74 MB
        commands.append(("score", "counts.npz", "-C", "-o", "out.json"))
    for each in commands:
        done = python("-c", MEASURED, *each)
        assert done.returncode == 0, done.stderr
        assert int(done.stdout.split()[-1]) <= most
