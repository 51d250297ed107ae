"""Comparisons on the command line."""

from __future__ import annotations

import re

import pytest
import spacy
from commands import flat
from docs import write_docs
from two_systems import GOLD, accepted, as_docs, compared

pytestmark = pytest.mark.costly  # resampling, in almost every test


def test_compare_uses_the_promised_number_of_trials_and_draws_no_half_samples(here):
    result, _ = compared(here, "gold.jsonl", "base.jsonl", "other.jsonl", "-m", "strict")
    assert result["swaps"] == 10_000
    assert result["confidence"] == {"level": 0.95, "samples": None, "seed": 0} and "half:" not in result["signature"]


def test_files_counts_and_models_are_compared_with_each_other(here, model):
    """Whatever the systems come as, the numbers are the same; counts name no spans."""
    write_docs(here / "gold.spacy", as_docs(GOLD, "gold"))
    write_docs(here / "base.spacy", as_docs(GOLD, "pred"))
    nlp = spacy.load(model)
    write_docs(here / "rules.spacy", [nlp(d.text) for d in GOLD])
    for name in ("base", "rules"):
        accepted("count", "gold.spacy", f"{name}.spacy", "-o", f"{name}.npz")
    few = ["--samples", 20, "--trials", 100]
    expected, _ = compared(here, "gold.spacy", "base.spacy", "rules.spacy", *few)
    values, p = ([row[key] for row in expected["comparisons"]] for key in ("value", "p"))
    moved = expected["transitions"][0]
    for base, others in (
        ("base.spacy", ("rules.npz", model, "rules.spacy")),
        ("base.npz", ("rules.npz", "rules.spacy", model)),
    ):
        result, _ = compared(here, "gold.spacy", base, *others, *few)
        assert [row["value"] for row in result["comparisons"]] == values * 3
        assert [row["p"] for row in result["comparisons"]] == p * 3
        found_outcomes = [(found["system"], found["counts"], found["spans"]) for found in result["transitions"]]
        expected_outcomes = [(str(other), moved["counts"], moved["spans"]) for other in others[1:]]
        assert found_outcomes == (expected_outcomes if base == "base.spacy" else [])


def test_a_system_compared_with_itself_prints_no_difference(here):
    result, printed = compared(here, "gold.jsonl", "base.jsonl", "base.jsonl", "--samples", 10, "--trials", 50)
    for row in result["comparisons"]:  # no document differs, so that there is nothing to test
        assert (row["difference"], row["differing"], row["p"], row["p_holm"]) == (0, 0, None, None)
        assert row["interval"] == [None, None]
    assert re.search(r"^strict +(\d+\.\d\d) +\1 +0\.00 +- +- +-$", printed, re.M)
    start = "base.jsonl against base.jsonl, strict F: fixes 0 gold spans, breaks 0; the outputs differ in 0 "
    assert flat(printed).startswith(start)
    assert "Changed spans" not in printed


def test_metrics_and_their_options_are_those_given_or_those_of_the_counts(here):
    few = ["--samples", 10, "--trials", 50]
    result, _ = compared(here, "gold.jsonl", "base.jsonl", "other.jsonl", *few, "-m", "loio", "--loio.s", 1)
    assert {row["metric"] for row in result["comparisons"]} == {"loio"}
    accepted("count", "gold.jsonl", "base.jsonl", "-o", "base.npz", "-m", "loio", "--loio.s", 1)
    again, _ = compared(here, "gold.jsonl", "base.npz", "other.jsonl", *few)
    values = [[row["value"] for row in found["comparisons"]] for found in (result, again)]
    assert values[0] == values[1]
