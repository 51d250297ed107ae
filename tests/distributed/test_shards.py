"""A corpus in several files: the same numbers from every engine, whatever is killed, stale or broken."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from unittest.mock import ANY

import numpy as np
import pytest
from docs import doc, write_docs
from made_up import corpus
from sharded import SHARDS, evaluated, run

from spacy_nereval import count, create_all
from spacy_nereval.counting import table
from spacy_nereval.counting.table import Table
from spacy_nereval.evaluation.intervals import replicate
from spacy_nereval.integration import pipelines


def test_counts_in_parts_are_those_of_one_file(here):
    whole = evaluated("whole.spacy")
    assert whole["documents"] == 42
    assert whole["metrics"]["fair"]["counts"]["tp"] == 14 + 12 + 10 + 9
    assert whole["metrics"]["fair"]["counts"]["le"] == 3 + 3 + 3 + 2
    assert evaluated(*SHARDS, said="4 files counted in nereval-parts") == whole


def test_intervals_of_parts_are_those_of_the_whole_bit_for_bit(here):
    found = evaluated(*SHARDS, "--confidence", "--samples", 200, "--seed", 3)
    drawn = {"method": "infl", "unit": "id", "units": 42, "exact": True, "effective_units": ANY, "concentrated": ANY}
    assert found["confidence"] == drawn | {"level": 0.95, "samples": None, "seed": None}
    done = run("count", "training/model-best", "whole.spacy", "-o", "whole.npz")
    assert done.exit_code == 0, done.output
    assert run("score", "whole.npz", "--confidence", "--output", "whole.json").exit_code == 0
    whole = json.loads(Path("whole.json").read_text("utf8"))
    for name in ("strict", "semeval", "slot_error", "fair"):
        assert found["metrics"][name]["intervals"] == whole["metrics"][name]["intervals"]
    interval = found["metrics"]["strict"]["intervals"]["scores"]["f"]
    assert interval["low"] < found["metrics"]["strict"]["scores"]["f"] < interval["high"]


def test_what_looks_at_the_whole_corpus_is_resampled_after_merging(here):
    wanted = ["-m", "strict,tmr", "--train", "shards/a.spacy", "--confidence", "--samples", 20]
    assert evaluated(*SHARDS, *wanted) == evaluated("whole.spacy", *wanted)
    shutil.copy("shards/b.spacy", "shards/a.spacy")  # other training
    assert evaluated(*SHARDS[1:], *wanted, said="(3 replacing other counts)")["documents"] == 30


def test_one_file_without_an_engine_is_counted_as_ever(here):
    done = run("evaluate", "training/model-best", "whole.spacy")
    assert done.exit_code == 0
    assert done.stderr == ""
    assert not Path("nereval-parts").exists()


def test_the_model_is_loaded_once_for_all_files_of_a_worker(here, monkeypatch):
    loads = []
    whole = pipelines.load_model
    monkeypatch.setattr(pipelines, "load_model", lambda name: loads.append(name) or whole(name))
    evaluated(*SHARDS)
    assert loads == [here / "training" / "model-best"]


def test_what_a_worker_learns_of_words_it_forgets_with_the_file(here):
    write_docs(here / SHARDS[0], [doc("unheardof saw Rome .", (2, 3, "LOC"))])
    nlp = pipelines.Pipeline("training/model-best", home=str(here)).loaded()
    before = set(nlp.vocab.strings)
    evaluated(*SHARDS)
    assert pipelines.Pipeline("training/model-best", home=str(here)).loaded() is nlp
    assert set(nlp.vocab.strings) == before and "unheardof" not in before


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("stretch", [1, 3, 7])
def test_replicates_do_not_depend_on_how_many_documents_are_weighted_at_once(monkeypatch, named, stretch):
    counts = count(corpus(11, named=named), create_all())
    counts.sources = ["gold.jsonl"]
    expected = replicate(counts, 10, 0)
    assert len([*Table(counts).stretches(10)]) == 1
    monkeypatch.setattr(table, "CELLS", stretch * (3 * len(counts.labels) + 100 + 10))
    assert [s.stop - s.start for s in Table(counts).stretches(10)][0] == stretch
    found = replicate(counts, 10, 0)
    assert (found.samples, found.seed, found.sums.labels) == (10, 0, expected.sums.labels)
    for values, wanted in zip(found.sums.arrays, expected.sums.arrays, strict=True):
        np.testing.assert_array_equal(values, wanted)
