"""Cuts of labels, and the rows of labels, on documents with nested spans and tied scores."""

from __future__ import annotations

import math
from itertools import product
from random import Random

import pytest
from scored import nested, scored

from spacy_nereval import count, create, create_all, evaluate
from spacy_nereval.core.cuts import Cuts, cut
from spacy_nereval.evaluation.thresholds.chosen_cuts import thresholds
from spacy_nereval.evaluation.thresholds.curves import curve_rows
from spacy_nereval.evaluation.thresholds.scored_documents import Settings


@pytest.mark.parametrize("seed", range(4))
def test_no_other_cut_of_a_single_label_is_better_after_the_ascent(seed: int) -> None:
    documents, metrics = nested(Random(seed), 4, predictions=5), create_all(["fair"])

    def score(cuts: dict[str, float | None]) -> float:
        found = evaluate(count(cut(documents, Cuts(None, cuts)), metrics))["metrics"]["fair"]["scores"]["f"]
        return -math.inf if found is None else found

    best = thresholds(documents, metrics, Settings("fair_f", "micro")).values["best"]
    assert score(best["labels"]) == best["value"]
    tried = [None, *sorted({score for document in documents for score in document.span_scores.values()})]
    for label in best["labels"]:
        assert max(score(best["labels"] | {label: value}) for value in tried) <= best["value"] + 1e-12


def test_only_f1_has_exact_joint_cuts() -> None:
    documents = nested(Random(6), 6, predictions=6)
    for beta in (1.0, 2.0):
        metrics = [create("strict", beta=beta)]
        best = thresholds(documents, metrics, Settings("strict_f", "micro")).values["best"]
        assert best["exact"] is (beta == 1)
        assert best["value"] >= best["common"]["value"] - 1e-12


def test_labels_have_their_scores_without_a_cut_and_at_the_common_one() -> None:
    documents, metrics = nested(Random(0), 12), create_all(["strict"])
    found = thresholds(documents, metrics).values
    for name, cuts in (("no_cut", {}), ("value", {label: found["best"]["cut"] for label in found["per_type"]})):
        kept = cut(documents, Cuts(None, cuts)) if cuts else documents
        expected = evaluate(count(kept, metrics))["metrics"]["strict"]["per_type"]
        assert {label: row[name] for label, row in found["per_type"].items()} == {
            label: pytest.approx(row["scores"]["f"]) for label, row in expected.items()
        }


def test_rows_of_labels_are_what_scoring_anew_gives() -> None:
    documents, metrics = nested(Random(1), 8), create_all(["strict", "fair"])
    rows = [row for row in curve_rows(thresholds(documents, metrics).curves) if row["label"]]
    anew = {
        value: evaluate(count(cut(documents, Cuts(value)), metrics))["metrics"]
        for value in {row["cut"] for row in rows}
    }
    assert {row["label"] for row in rows} == {*"ABC"} and len(anew) > 5
    for row, name in product(rows, ("strict", "fair")):
        labels = anew[row["cut"]][name]["per_type"]
        for score in "prf":
            expected = labels[row["label"]]["scores"][score] if row["label"] in labels else None
            assert row[f"{name}.{score}"] == (None if expected is None else pytest.approx(expected)), row


def test_scores_that_are_no_probabilities_are_not_said_to_be_cut_before() -> None:
    document = scored([(0, 1, "A")], [(0, 1, "A", 7.5), (2, 3, "A", 0.75)])
    assert not any("already cut" in line for line in thresholds([document], create_all(["strict"])).values["warnings"])


def test_cuts_that_differ_for_one_label_have_other_names():
    ways = [Cuts(0.5), Cuts(0.4), Cuts(0.5, {"A": 0.4}), Cuts(0.5, {"B": 0.4})]
    assert len({cuts.digest for cuts in ways}) == len(ways)
