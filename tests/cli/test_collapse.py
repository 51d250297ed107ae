"""`--collapse`: the same scores without documents, and what is given up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from collapsing import counted, quiet, scores, scores_alone
from commands import accepted, flat, refused

from spacy_nereval.io.count_files import load


@pytest.mark.costly
def test_the_result_of_collapsed_counts_is_that_of_the_others_to_the_last_byte(files):
    counted("all", "full.npz")
    said = counted("all", "collapsed.npz", "--collapse")
    assert "24 documents in collapsed.npz" in said
    assert "were not looked for, and count several times: --check-repeats finds them" in flat(said)
    assert scores_alone("collapsed.npz") == scores_alone("full.npz")
    assert scores("collapsed.npz") == scores("full.npz")
    accepted("merge", "full.npz", "--collapse", "--replicates", 30, "-o", "merged.npz")
    assert scores("merged.npz") == scores("full.npz")
    quiet("count", "g-a.jsonl", "g-b.jsonl", "p-a.jsonl", "p-b.jsonl", "-m", "strict,fair,wrf", "--collapse",
          "--replicates", 30, "-o", "parts.npz")  # fmt: skip
    assert scores("parts.npz") == scores("full.npz")


def test_a_file_of_the_corpus_is_known_however_its_counts_were_collapsed(files):
    counted("a", "full.npz")
    counted("a", "collapsed.npz", "--collapse")
    accepted("merge", "full.npz", "--collapse", "-o", "merged.npz")
    accepted("merge", "merged.npz", "-o", "again.npz")
    for one, other in (("collapsed.npz", "again.npz"), ("full.npz", "collapsed.npz"), ("merged.npz", "full.npz")):
        assert "the same counts, and would count their documents twice" in refused(
            "merge", one, other, "--collapse", "-o", "x.npz"
        )
    accepted("merge", "full.npz", "collapsed.npz", "--collapse", "--allow-repeats", "-o", "x.npz")
    assert load(Path("x.npz")).documents == 20


def test_collapsed_counts_have_a_thousand_half_samples_unless_others_are_asked_for(files):
    accepted("count", "g-a.jsonl", "p-a.jsonl", "--collapse", "-m", "strict", "-o", "a.npz")
    assert load(Path("a.npz")).replicates.drawn == (1000, 0)
    counted("a", "b.npz", "--collapse", "--seed", 3)
    assert load(Path("b.npz")).replicates.drawn == (30, 3)
    accepted("count", "g-a.jsonl", "p-a.jsonl", "--collapse", "--replicates", 0, "-m", "strict", "-o", "c.npz")
    assert load(Path("c.npz")).replicates is None
    assert "without half-samples, and no documents to resample" in refused("score", "c.npz", "-C")
    assert "strict F" in flat(accepted("score", "c.npz"))


def test_merging_keeps_the_half_samples_that_files_have_unless_others_are_asked_for(files):
    counted("a", "full.npz", "--seed", 3)
    accepted("count", "g-b.jsonl", "p-b.jsonl", "-m", "strict,fair,wrf", "-o", "without.npz")
    full = load(Path("full.npz")).replicates
    for given, options, drawn in (
        (["full.npz"], [], (30, 3)),
        (["full.npz"], ["--replicates", 20], (20, 3)),
        (["full.npz"], ["--seed", 0], (30, 0)),
        (["full.npz", "without.npz"], [], (30, 3)),
        (["full.npz", "without.npz"], ["--replicates", 20], (20, 3)),
        (["full.npz", "without.npz"], ["--seed", 5], (30, 5)),
        (["without.npz"], [], (1000, 0)),
    ):
        accepted("merge", *given, "--collapse", *options, "-o", "merged.npz")
        found = load(Path("merged.npz")).replicates
        assert found.drawn == drawn, (given, options)
        if (given, options) == (["full.npz"], []):
            assert all((a == b).all() for a, b in zip(found.sums.arrays, full.sums.arrays, strict=True))
            assert scores("merged.npz") == scores("full.npz")
    said = refused("merge", "without.npz", "full.npz", "--collapse", "-o", "x.npz")
    assert "one has 1000 half-samples with seed 0, the other 30 half-samples with seed 3" in said


def test_the_main_score_has_its_interval_without_being_asked_for(files):
    counted("all", "collapsed.npz", "--collapse")
    counted("all", "full.npz")
    shown = [accepted("score", name) for name in ("collapsed.npz", "full.npz")]
    assert all("[" in each for each in shown)


@pytest.fixture
def systems(files) -> None:
    counted("a", "a.npz", "--collapse")
    counted("a", "b.npz", "--collapse", system="q")
    counted("a", "full.npz", system="q")
    counted("b", "other.npz", "--collapse", system="q")
    counted("a", "seed.npz", "--collapse", "--seed", 1)


def test_all_tables_are_those_that_there_are(systems):
    assert "Documents" not in accepted("score", "a.npz", "--tables", "all")
    assert "Confusion matrix" in accepted("score", "a.npz", "--tables", "all")


def test_two_systems_are_compared_with_and_without_naming_gold(systems):
    said = accepted("compare", "a.npz", "b.npz", "--per-label", "-o", "out.json")
    assert accepted("compare", "g-a.jsonl", "a.npz", "b.npz", "--per-label") == said
    named = accepted("compare", "--system", "a=a.npz", "--system", "b=b.npz", "--per-label")
    assert named == said
    found = json.loads(Path("out.json").read_bytes())
    assert found["collapsed"] and {"strict", "fair", "wrf"} == {row["metric"] for row in found["comparisons"]}
    assert "standard error" in flat(said) and "there is no permutation test and no p-value" in flat(said)


def test_comparisons_of_collapsed_counts_are_no_tests_of_data_sets(systems):
    counted("b", "p.npz", "--collapse")
    for name, pair in (("first", ("a.npz", "b.npz")), ("second", ("p.npz", "other.npz"))):
        accepted("compare", *pair, "--name", "p", "--name", "q", "-o", f"{name}.json")
    said = flat(accepted("datasets", "first.json", "second.json"))
    assert "No test in first: its counts are collapsed and keep no documents to swap. It counts as p = 1" in said
