"""Counts and merges on the command line."""

from __future__ import annotations

import pytest
from commands import accepted, run
from docs import write_docs
from processes import WITHOUT_SPACY, python
from two_systems import GOLD, OTHER, as_docs, bounds, jsonl, near, shards, written

from spacy_nereval import Confidence, Document, count, create_all, evaluate
from spacy_nereval.evaluation.collapsing import collapse
from spacy_nereval.io.count_files import load

pytestmark = pytest.mark.costly  # resampling, in almost every test


# Counts


@pytest.mark.parametrize(
    "options", [[], ["-m", "wrf,loio", "--loio.s", 1, "--wrf.average", "micro"]], ids=["all", "some"]
)
def test_scores_of_counts_are_those_of_the_files(here, options):
    tables = ["--tables", "scores,labels,errors,label-scores,counts,documents"]  # pairs have texts
    printed = accepted("score", "gold.jsonl", "base.jsonl", "-o", "files.json", *tables, *options)
    assert "24 documents" in accepted("count", "gold.jsonl", "base.jsonl", "-o", "counts.npz", *options)
    assert accepted("score", "counts.npz", "-o", "counts.json", *tables) == printed
    assert (here / "counts.json").read_bytes() == (here / "files.json").read_bytes()


def test_scores_of_merged_parts_are_those_of_the_whole(here):
    parts = shards(here, 5, 1, 18)
    assert "24 documents" in accepted("merge", *parts, "-o", "all.npz")
    accepted("score", "all.npz", "-o", "merged.json", "--per-document", "merged.csv", "-C", "--samples", 20)
    accepted(
        "score", "gold.jsonl", "base.jsonl", "-o", "whole.json", "--per-document", "whole.csv", "-C", "--samples", 20
    )
    assert (here / "merged.json").read_bytes() == (here / "whole.json").read_bytes()
    assert (here / "merged.csv").read_bytes() == (here / "whole.csv").read_bytes()


def test_collapsed_parts_that_are_merged_give_the_intervals_of_the_whole(here):
    parts = shards(here, 7, 17, more=["--collapse", "--replicates", 40, "--seed", 3, "-m", "strict,wrf"])
    accepted("merge", *parts, "-o", "all.npz")
    accepted("score", "all.npz", "-o", "merged.json", "--confidence", "--level", 0.8)
    counts = collapse(count(GOLD, create_all(["strict", "wrf"])), 40, 3)
    found, expected = written(here / "merged.json"), evaluate(counts, Confidence(0.8))
    drawn = {"method": "half", "level": 0.8, "samples": 40, "seed": 3, "unit": "id", "units": 24, "exact": False}
    assert found["confidence"] == drawn | {
        "effective_units": expected["confidence"]["effective_units"],
        "concentrated": [],
    }
    assert found["signature"] == expected["signature"]
    strict, right = (result["metrics"]["strict"]["intervals"] for result in (found, expected))
    assert strict["scores"] == near(right["scores"])
    of_wrf = (bounds(result["metrics"]["wrf"]["intervals"]["scores"]["wrf"]) for result in (found, expected))
    assert next(of_wrf) == pytest.approx(next(of_wrf), abs=1e-9)


def test_parts_of_the_same_name_without_ids_are_not_taken_for_the_same_documents(here):
    """Shards are often called alike and lie in folders of their own. Documents have random bits of their own if
    they have a text of their own; counts of the same text are refused."""
    paths = []
    for folder, text in (("one", "a"), ("other", "b"), ("copy", "a")):
        one_text = [Document([(0, 1, "A")], [(0, 1, "A")], text, tokens=[(0, 1)])]
        (here / folder).mkdir()
        gold, pred = (jsonl(here / folder / f"{side}.jsonl", one_text, side, ids=False) for side in ("gold", "pred"))
        paths.append(here / folder / "counts.npz")
        accepted("count", gold, pred, "-o", paths[-1], "--replicates", 50, "-m", "strict")
    one, other, _ = (load(path).replicates.sums.counts for path in paths)
    assert one.any() and (one != other).any()
    accepted("merge", *paths[:2], "-o", "all.npz")
    result = run("merge", paths[0], paths[2], "-o", "none.npz")
    assert result.exit_code == 2 and "are the same counts" in result.stderr
    assert not (here / "none.npz").exists()


def test_counts_of_a_model_are_those_of_its_predictions(here, model):
    write_docs(here / "gold.spacy", as_docs(GOLD, "gold"))
    accepted("count", model, "gold.spacy", "-o", "counts.npz")
    accepted("score", "counts.npz", "-o", "counts.json")
    accepted("evaluate", model, "gold.spacy", "-o", "model.json")
    assert written(here / "counts.json") == written(here / "model.json")
    assert load(here / "counts.npz").ids == [d.id for d in GOLD]


def test_counts_made_in_two_processes_score_as_those_of_one(here):
    """Intervals included, to the last byte."""
    jsonl(here / "first.jsonl", GOLD[:9], "gold")
    jsonl(here / "second.jsonl", GOLD[9:], "gold")
    jsonl(here / "first-pred.jsonl", OTHER[:9], "pred")
    jsonl(here / "second-pred.jsonl", OTHER[9:], "pred")
    files = "first.jsonl", "first-pred.jsonl", "-o", "first.npz"
    done = python("-c", f"{WITHOUT_SPACY}\nnereval()", "count", *files, cwd=here)
    assert done.returncode == 0, done.stderr
    accepted("count", "second.jsonl", "second-pred.jsonl", "-o", "second.npz")
    accepted("merge", "first.npz", "second.npz", "-o", "all.npz")
    accepted("score", "all.npz", "-C", "--samples", 50, "-o", "several.json")
    accepted("score", "gold.jsonl", "other.jsonl", "-C", "--samples", 50, "-o", "one.json")
    assert (here / "several.json").read_bytes() == (here / "one.json").read_bytes()
