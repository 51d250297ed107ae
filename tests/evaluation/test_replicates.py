"""Stored half-samples, and intervals in results."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from unittest.mock import ANY

import numpy as np
import pytest
from interval_rows import agrees, near, rows_of
from made_up import corpus, every_table
from twin_statistics import bits, sampled_intervals

from spacy_nereval import Confidence, Counts, Document, Metric, Score, count, create, create_all, evaluate, score
from spacy_nereval.core.formulas import ratio
from spacy_nereval.evaluation.collapsing import collapse
from spacy_nereval.evaluation.intervals import intervals, replicate
from spacy_nereval.evaluation.result import plain

# Replicates


def replicated(documents: Sequence[Document], samples: int = 40, seed: int = 0, metrics: Any = None) -> Counts:
    counts = count(documents, create_all(metrics))
    counts.replicates = replicate(counts, samples, seed)
    return counts


def test_a_replicate_holds_the_documents_whose_bit_is_1():
    """Every document has one span, of a label of its own. Few units are drawn at random, too."""
    ids = ["a", "ü/\"'", "b"]
    documents = [Document([(0, 1, f"{k}")], [], id=id) for k, id in enumerate(ids)]
    stored = replicate(count(documents, [create("strict")]), 70, 5)
    drawn = stored.sums.counts.sum(axis=0)[:-1]
    assert drawn.tolist() == [bits(5, id, 70) for id in ids]
    assert stored.sums.documents.tolist() == drawn.sum(axis=0).tolist()


@every_table
def test_replicates_of_parts_add_up_to_the_replicates_of_the_whole(table):
    """Bit for bit. Each part has a label that the others lack; one text is in two parts."""
    parts = [corpus(6, 1, "BA"), corpus(5, 2, "CA"), corpus(7, 3, "AC"), corpus(1, 9, "B")]
    for number, part in enumerate(parts):
        for document in part:
            document.id = f"{number}.{document.id}"
    parts[3][0].id = parts[0][0].id
    whole = replicated([document for part in parts for document in part], metrics=table)
    first, second, third, fourth = (replicated(part, metrics=table) for part in parts)
    assert first.labels != second.labels
    for merged in (
        first + second + third + fourth,
        first + (second + (third + fourth)),
        fourth + third + first + second,
    ):
        assert merged.replicates.drawn == whole.replicates.drawn
        assert merged.replicates.sums.labels == whole.replicates.sums.labels
        for ours, expected in zip(merged.replicates.sums.arrays, whole.replicates.sums.arrays):
            assert (ours == expected).all()
        assert plain(intervals(merged, Confidence())) == plain(intervals(whole, Confidence()))


def test_half_samples_give_the_intervals_of_collapsed_counts_and_of_no_others():
    counts = replicated(corpus(5), samples=40, seed=9)
    confidence = Confidence(level=0.9, samples=7, seed=1)
    assert evaluate(counts, confidence) == evaluate(count(corpus(5), create_all()), confidence)
    result = evaluate(collapse(counts), confidence)
    assert result["confidence"] == {
        "method": "half", "level": 0.9, "samples": 40, "seed": 9, "unit": "id", "units": 5, "exact": False,
        "effective_units": ANY, "concentrated": [],
    }  # fmt: skip
    assert "half:40,seed:9,level:0.9,unit:id" in result["signature"]
    expected = sampled_intervals(corpus(5), [create("strict")], 0.9, 40, 9)
    agrees(intervals(collapse(counts), Confidence(level=0.9))["strict"], expected["strict"])


def test_scores_over_distinct_strings_of_a_corpus_take_half_samples_and_others_none():
    documents, confidence = corpus(9), Confidence(samples=100, seed=4)
    metrics = create_all({"strict": {}, "mentions": {"scope": "hits"}})
    found = evaluate(count(documents, metrics), confidence)
    assert "|half:100,seed:4,level:0.95,unit:id,units:9|" in found["signature"]
    expected = sampled_intervals(documents, metrics[1:], 0.95, 100, 4)
    agrees(found["metrics"]["mentions"]["intervals"], expected["mentions"])
    alone = evaluate(count(documents, metrics[:1]), confidence)["metrics"]["strict"]
    assert found["metrics"]["strict"]["intervals"] == alone["intervals"]


# In the result


def test_a_result_with_intervals_has_them_beside_the_same_scores_and_says_how_they_were_drawn():
    documents = corpus(8)
    with_intervals, without = score(documents, None, Confidence(0.9, 20, 5)), score(documents)
    assert with_intervals["confidence"] == {
        "method": "infl", "level": 0.9, "samples": None, "seed": None, "unit": "id", "units": 8, "exact": True,
        "effective_units": ANY, "concentrated": [],
    }  # fmt: skip
    assert "confidence" not in without
    for name, metric in without["metrics"].items():
        ours = with_intervals["metrics"][name]
        assert {key: value for key, value in ours.items() if key != "intervals"} == metric
        assert ours["intervals"].keys() == {"scores", "averages", "per_type"}
        assert all(row.keys() == {"low", "high", "k", "df", "flag"} for row in rows_of(ours["intervals"]).values())
    json.dumps(with_intervals, allow_nan=False)


def test_no_seed_and_no_number_of_samples_changes_an_interval():
    counts = count(corpus(30), create_all())
    found = {
        json.dumps(evaluate(counts, Confidence(samples=samples, seed=seed)))
        for samples, seed in ((1000, 0), (2, 1), (60, 2**40))
    }
    assert len(found) == 1


# What makes no interval


@pytest.mark.parametrize(("samples", "seed"), [(0, 0), (-1, 0), (5, -1)])
def test_settings_that_make_no_replicates_are_refused(samples, seed):
    with pytest.raises(ValueError, match=r"samples=|seed="):
        replicate(count(corpus(3), [create("strict")]), samples, seed)


@pytest.mark.parametrize("documents", [[], [None]], ids=["none", "none annotated"])
@pytest.mark.parametrize("given", ["documents", "replicates"])
def test_without_units_there_is_no_interval_and_no_exception(documents, given):
    counted = count(documents, create_all(), units=True) if given == "documents" else replicated(documents)
    for confidence in (Confidence(), Confidence(samples=1)):
        result = evaluate(counted, confidence)
        for metric in result["metrics"].values():
            for row in rows_of(metric["intervals"]).values():
                assert (row["low"], row["high"], row["flag"]) == (None, None, "undefined")
        json.dumps(result, allow_nan=False)


TWO_TEXTS = [Document([], [(0, 1, "A")], "abc", id="a"), Document([(0, 1, "A")], [], "abc", id="a")]


@pytest.mark.parametrize("documents", [corpus(1), TWO_TEXTS], ids=["one", "two texts of one"])
@pytest.mark.parametrize("given", ["documents", "replicates"])
def test_one_unit_tells_next_to_nothing(documents, given):
    counted = count(documents, create_all(), units=True) if given == "documents" else replicated(documents, 2)
    result = evaluate(counted, Confidence())
    for metric in result["metrics"].values():
        for row in rows_of(metric["intervals"]).values():
            assert row["flag"] in ("few", "undefined")
            assert (row["low"] is None) == (row["flag"] == "undefined")
    f = result["metrics"]["strict"]["intervals"]["scores"]["f"]
    assert f["flag"] == "few" and f["high"] - f["low"] > 0.99
    json.dumps(result, allow_nan=False)


def test_counts_that_do_not_say_what_is_resampled_make_no_interval():
    counts = count(corpus(3), [create("strict")], units=False)
    with pytest.raises(ValueError, match="do not say what is resampled: count with units=True"):
        evaluate(counts, Confidence())


@pytest.mark.parametrize(
    ("limits", "size", "origin"),
    [((-1, 1), 2, -1), ((0, 100), 100, 0), ((-np.inf, np.inf), 1, 0)],
    ids=["from -1 to 1", "percent", "without limits"],
)
def test_a_score_of_other_limits_has_the_interval_of_the_same_score_as_a_ratio(limits, size, origin):
    def formula(columns):
        recall = ratio(columns["tp"], columns["tp"] + columns["fn"])
        return {"r": recall, "other": origin + size * recall}

    metric = Metric(
        scores=(Score("r", headline=True), Score("other", unit="raw", limits=limits)),
        columns={"tp": ("tp",), "fn": ("fn",)},
        formula=formula,
        name="own",
    )
    (found,) = intervals(count(corpus(12), [metric]), Confidence(samples=100)).values()
    for r, other in zip(
        *([row[name] for row in (found["scores"], *found["averages"].values())] for name in ("r", "other"))
    ):
        if np.isfinite(limits).all():
            assert [other[side] for side in ("low", "high")] == [
                near(origin + size * r[side]) for side in ("low", "high")
            ]
            assert (other["k"], other["flag"]) == (r["k"], r["flag"])
        else:
            assert other["flag"] == "undefined" and np.isnan(other["low"])


def test_counts_with_and_without_replicates_or_with_different_ones_are_not_added():
    documents = corpus(4)
    plain_counts, some = count(documents, create_all()), replicated(documents)
    for other, said in (
        (plain_counts, "40 half-samples with seed 0, the other no half-samples"),
        (replicated(documents, seed=1), "40 half-samples with seed 0, the other 40 half-samples with seed 1"),
        (replicated(documents, samples=41), "40 half-samples with seed 0, the other 41 half-samples with seed 0"),
    ):
        with pytest.raises(ValueError, match=said):
            some + other
