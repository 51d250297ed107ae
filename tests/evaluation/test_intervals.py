"""Confidence intervals of all scores, by influence and from half-samples: against twins and by hand; in results."""

import json
from collections.abc import Sequence
from random import Random
from typing import Any
from unittest.mock import ANY

import numpy as np
import pytest
from asking import NEEDED
from hypothesis import given
from hypothesis import strategies as st
from interval_rows import agrees, near, rows_of
from made_up import corpus, every_table, every_table_the_largest_slowly, tallied
from products import NIGHT
from profiles import tries
from refusals import refused_with
from strategies import corpora, nested
from twin_statistics import all_intervals, bits, key_of, sampled_intervals

from spacy_nereval import Confidence, Counts, Document, Metric, Score, count, create, create_all, evaluate, names, score
from spacy_nereval.core.formulas import ratio
from spacy_nereval.evaluation import resampling
from spacy_nereval.evaluation.collapsing import collapse
from spacy_nereval.evaluation.intervals import draw_replicates, intervals
from spacy_nereval.evaluation.result import make_plain

# Against documents scored anew


@every_table_the_largest_slowly
@pytest.mark.parametrize(("number", "labels", "level"), [pytest.param(6, "ABC", 0.95, marks=NIGHT), (7, "AABCD", 0.8)])
def test_intervals_are_those_of_documents_scored_anew_without_each_unit(table, number, labels, level):
    """Two of the documents are one unit."""
    documents = corpus(number, seed=number, labels=labels)
    documents[4].id = documents[1].id
    check_against_twin(documents, create_all(table), Confidence(level))


def check_against_twin(documents: list[Document], metrics: list[Metric], confidence: Confidence) -> None:
    found = intervals(count(documents, metrics), confidence)
    expected = all_intervals(documents, metrics, confidence.level)
    assert found.keys() == expected.keys()
    for name, own in expected.items():
        agrees(found[name], own)


ODD = ["strict", "slot_error", "wrf", "plagdet", "ace"]


@tries(30)
@given(documents=corpora(nested(most=4), most=5), named=st.booleans())
def test_intervals_of_odd_corpora_are_those_of_the_twin(documents, named):
    """Texts may be alike, and are one unit then; spans may overlap; scores may be undefined."""
    for k, document in enumerate(documents):
        document.id = f"{k}" if named else None
    if len({key_of(document) for document in documents}) > 1:
        check_against_twin(documents, create_all(ODD), Confidence())


@pytest.mark.parametrize(
    ("sizes", "low", "flag"), [([1] * 10, 0.66149, None), ([1] * 3, 0.13945, "few"), ([1] * 7 + [2] * 3, 0.62476, None)]
)
def test_a_score_of_1_has_an_interval_as_wide_as_its_units_are_few(sizes, low, flag):
    documents = [tallied(size, 0, 0, id=str(k)) for k, size in enumerate(sizes)]
    found = score(documents, ["strict"], Confidence())["metrics"]["strict"]["intervals"]
    f, k = found["scores"]["f"], sum(sizes) ** 2 / sum(size**2 for size in sizes)
    assert f == {"low": pytest.approx(low, abs=5e-6), "high": 1, "k": near(k), "df": near(k - 1), "flag": flag}
    assert found["per_type"]["A"]["f"] == found["scores"]["f"]


def test_a_cost_of_0_has_an_upper_bound_and_its_complement_a_lower_one():
    documents = [tallied(1, 0, 0, id=str(k)) for k in range(10)]
    found = score(documents, ["slot_error"], Confidence())["metrics"]["slot_error"]["intervals"]["scores"]
    assert (found["ser"]["low"], found["ser"]["high"]) == (0, pytest.approx(0.51174, abs=5e-6))
    assert (found["ser_acc"]["low"], found["ser_acc"]["high"]) == (pytest.approx(1 - 0.51174, abs=5e-6), 1)


def test_averages_over_documents_rest_on_the_documents_in_which_the_score_is_defined():
    """Recall 1, .5, 1, 0, 1 and .75 of 20 gold spans in six documents; four others have no gold span."""
    rows = [(4, 0), (1, 1), (4, 0), (0, 2), (4, 0), (3, 1), *[(0, 0)] * 4]
    documents = [tallied(hits, int(not hits + missed), missed, id=str(k)) for k, (hits, missed) in enumerate(rows)]
    counts = count(documents, create_all(["strict"]))
    found = evaluate(counts, Confidence())["metrics"]["strict"]["intervals"]["averages"]["docs"]["r"]
    assert (found["low"], found["high"]) == pytest.approx((0.27391, 0.93989), abs=5e-6)
    assert (found["k"], found["df"]) == (6, 5)
    collapsed = evaluate(collapse(counts), Confidence())["metrics"]["strict"]["intervals"]["averages"]["docs"]["r"]
    assert collapsed["k"] == 6


def test_collapsed_counts_estimate_the_units_in_which_a_score_is_defined():
    """Three documents for each unit, of which one or none has no gold span."""
    documents = [tallied(int(k % 3 or k % 2), 1, 0, id=str(k // 3)) for k in range(240)]
    counts = count(documents, create_all(["strict"]))
    exact, estimated = (
        evaluate(each, Confidence())["metrics"]["strict"]["intervals"]["averages"]["docs"]
        for each in (counts, collapse(counts))
    )
    assert exact["r"]["k"] == near(200**2 / (40 * 4 + 40 * 9)) and exact["p"]["k"] == near(80)
    assert estimated["r"]["k"] == pytest.approx(exact["r"]["k"], rel=0.05) and estimated["p"]["k"] == near(80)


def test_ser_acc_of_documents_is_a_score_of_its_own_and_of_labels_it_follows_ser():
    """A document with more errors than gold spans has an accuracy of 0, and one without gold spans none."""
    documents = [tallied(2 + k % 3, 3 * (k % 5 == 0), k % 2, id=str(k)) for k in range(20)]
    documents += [tallied(0, 1, 0, id=f"no gold {k}") for k in range(5)]
    result = score(documents, ["slot_error"], Confidence())["metrics"]["slot_error"]
    values, rows = result["averages"], result["intervals"]["averages"]
    assert rows["docs"]["ser_acc"]["k"] == rows["docs"]["ser"]["k"] == 20
    for average in ("weighted", "macro"):
        row, cost = rows[average]["ser_acc"], rows[average]["ser"]
        value = values[average]["ser_acc"]
        assert row["low"] == near(max(0, value - (cost["high"] - values[average]["ser"])))
        assert row["high"] == near(min(1, value + values[average]["ser"] - cost["low"]))


@pytest.mark.parametrize("name", names())
def test_no_interval_has_zero_width_and_every_interval_holds_its_score(name):
    """Perfect predictions, useless ones, and some between. Only an accuracy cut off at 0 has no width."""
    every = corpus(12)
    useless = [Document(d.gold, [(0, 1, "Z")], d.text, tokens=d.tokens, id=d.id) for d in every]
    perfect = [Document(d.gold, d.gold, d.text, tokens=d.tokens, id=d.id) for d in every]
    (metric,) = create_all({name: NEEDED.get(name, {})})
    for documents in (every, useless, perfect):
        result = evaluate(count(documents, [metric]), Confidence(samples=200))["metrics"][name]
        for path, row in rows_of(result["intervals"]).items():
            value = result
            for key in path if path[0] != "per_type" else (path[0], path[1], "scores", path[2]):
                value = value[key]
            if row["low"] is None:
                assert row["flag"] == "undefined" or value is not None
            else:
                high = np.inf if row["high"] is None else row["high"]
                assert row["low"] - 1e-12 <= value <= high + 1e-12, path
                assert row["low"] < high or path[-1] == "ser_acc", path


def test_numbers_of_spans_have_no_interval():
    found = score(corpus(8), ["loio", "fair"], Confidence(samples=50))["metrics"]
    assert set(found["loio"]["intervals"]["scores"]) == {"p", "r", "f"}
    assert set(found["fair"]["intervals"]["per_type"]["A"]) == {"p", "r", "f"}


def test_a_label_of_one_document_has_an_interval_that_says_next_to_nothing():
    """Label B is in one of eleven documents. C is predicted alone, so that it has no recall."""
    documents = [tallied(1, 0, 0, id=str(k)) for k in range(9)]
    both = [tallied(1, 0, 0, id="b", label="B"), Document([], [(0, 1, "C")], id="c")]
    found = score([*documents, *both], ["strict"], Confidence())["metrics"]["strict"]["intervals"]
    assert found["per_type"]["C"]["r"] == {"low": None, "high": None, "k": 0, "df": None, "flag": "undefined"}
    f = found["per_type"]["B"]["f"]
    assert (f["k"], f["df"], f["flag"], f["high"]) == (1, 1, "few", 1) and f["low"] < 0.01
    json.dumps(found, allow_nan=False)


# Units


@pytest.mark.parametrize(("number", "most"), [(9, 1000), (30, 7)], ids=["units", "groups"])
def test_no_order_of_documents_files_or_merges_changes_a_bit(monkeypatch, number, most):
    monkeypatch.setattr(resampling, "MOST_GROUPS", most)
    documents = corpus(number, seed=2)
    for document in documents[::3]:
        document.id = None
    metrics = create_all([name for name in names() if name != "tmr"])

    def result(counts):
        found = evaluate(counts, Confidence())
        for held in found["confidence"]["concentrated"]:
            held["units"] = len(held["units"])  # a document without id goes by its number
        return found

    expected = result(count(documents, metrics))
    order = Random(0).sample(documents, number)
    a, b, c = (count(part, metrics) for part in (order[:3], order[3:7], order[7:]))
    for counts in (count(order, metrics), a + b + c, c + (b + a)):
        assert result(counts) == expected


def test_documents_without_id_are_told_apart_by_text_and_gold():
    gold = [(0, 3, "A")]
    documents = [
        Document(gold, [], "Ada"),
        Document(gold, gold, "Ada"),  # the same unit: another prediction
        Document(gold, [], "Bob"),
        Document([(0, 3, "B")], [], "Ada"),
        Document([], [], "Ada"),
        Document(gold, [], "Ada", id="Ada"),
    ]
    counts = count(documents, [create("strict")])
    assert [counts.units.index(unit) for unit in counts.units] == [0, 0, 2, 3, 4, 5]
    assert counts.units == [key_of(document) for document in documents]


def replicated(documents: Sequence[Document], samples: int = 40, seed: int = 0, metrics: Any = None) -> Counts:
    counts = count(documents, create_all(metrics))
    counts.replicates = draw_replicates(counts, samples, seed)
    return counts


def test_a_replicate_holds_the_documents_whose_bit_is_1():
    """Every document has one span, of a label of its own. Few units are drawn at random, too."""
    ids = ["a", "ü/\"'", "b"]
    documents = [Document([(0, 1, f"{k}")], [], id=id) for k, id in enumerate(ids)]
    stored = draw_replicates(count(documents, [create("strict")]), 70, 5)
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
        assert merged.replicates.settings == whole.replicates.settings
        assert merged.replicates.sums.labels == whole.replicates.sums.labels
        for ours, expected in zip(merged.replicates.sums.arrays, whole.replicates.sums.arrays):
            assert (ours == expected).all()
    assert make_plain(intervals(merged, Confidence())) == make_plain(intervals(whole, Confidence()))


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
    expected = sampled_intervals(corpus(5), [create("strict")], 0.9, 40, 9, collapsed=True)
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


@pytest.mark.parametrize(("samples", "seed"), [(0, 0), (-1, 0), (5, -1)])
def test_settings_that_make_no_replicates_are_refused(samples, seed):
    with pytest.raises(ValueError, match=r"samples=|seed="):
        draw_replicates(count(corpus(3), [create("strict")]), samples, seed)


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
    with refused_with(
        ValueError,
        "these counts lack the unit of resampling of each document: count again",
    ):
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

    scores = (Score("r", headline=True), Score("other", unit="raw", limits=limits))
    metric = Metric(scores=scores, columns={"tp": ("tp",), "fn": ("fn",)}, formula=formula, name="own")
    (found,) = intervals(count(corpus(12), [metric]), Confidence(samples=100)).values()
    tables = [found["scores"], *found["averages"].values()]
    for r, other in ([table[name] for name in ("r", "other")] for table in tables):
        if np.isfinite(limits).all():
            assert [other["low"], other["high"]] == [near(origin + size * r[side]) for side in ("low", "high")]
            assert (other["k"], other["flag"]) == (r["k"], r["flag"])
        else:
            assert other["flag"] == "undefined" and np.isnan(other["low"])


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (count(corpus(4), create_all()), "no half-samples"),
        (replicated(corpus(4), seed=1), "40 half-samples with seed 1"),
        (replicated(corpus(4), samples=41), "41 half-samples with seed 0"),
    ],
)
def test_counts_with_and_without_replicates_or_with_different_ones_are_not_added(other, said):
    with pytest.raises(ValueError, match=f"40 half-samples with seed 0, the other {said}"):
        replicated(corpus(4)) + other


def test_results_of_counts_take_intervals_in_every_form_that_score_takes():
    counts = count([tallied(3, 1, 0, str(k)) for k in range(8)], create_all(["strict"]))
    expected = evaluate(counts, Confidence(level=0.9))
    for settings in (0.9, 90, {"level": 0.9}):
        assert evaluate(counts, settings) == evaluate(counts, confidence=settings) == expected
    assert evaluate(counts, confidence=True) == evaluate(counts, confidence={}) == evaluate(counts, Confidence())
    assert evaluate(counts, confidence=False) == evaluate(counts)
    with refused_with(
        ValueError,
        "confidence='yes': expected True, a table such as {'level': 0.95} or Confidence(level=0.95); "
        "None for no intervals",
    ):
        evaluate(counts, "yes")
