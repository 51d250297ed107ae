"""Confidence intervals of all scores, against twins, by hand and against the truth."""

from __future__ import annotations

import json
from random import Random

import numpy as np
import pytest
from asking import NEEDED
from hypothesis import given
from hypothesis import strategies as st
from interval_rows import agrees, near, rows_of
from made_up import corpus, every_table, tallied
from profiles import tries
from strategies import corpora, nested
from twin_statistics import all_intervals, key_of

from spacy_nereval import Confidence, Document, Metric, count, create, create_all, evaluate, names, score
from spacy_nereval.evaluation import resampling
from spacy_nereval.evaluation.intervals import intervals

# Against documents scored anew


@every_table
@pytest.mark.parametrize(("number", "labels", "level"), [(6, "ABC", 0.95), (15, "AABCD", 0.8)])
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


def test_the_worked_example():
    rows = [(8, 2, 1), (5, 1, 3), (9, 1, 2), (4, 3, 2), (7, 0, 1), (6, 2, 2)]
    result = score([tallied(*row, id=str(k)) for k, row in enumerate(rows)], ["strict"], Confidence())
    f = result["metrics"]["strict"]["intervals"]["scores"]["f"]
    assert [f[key] for key in ("low", "high", "k", "df")] == [
        pytest.approx(number, abs=5e-6) for number in (0.60363, 0.90899, 5.82767, 4.82767)
    ]
    assert f["flag"] == "few"
    assert result["confidence"] == {
        "method": "infl", "level": 0.95, "samples": None, "seed": None, "unit": "id", "units": 6, "exact": True,
        "effective_units": pytest.approx(5.82767, abs=5e-6), "concentrated": [],
    }  # fmt: skip
    assert "|infl,level:0.95,unit:id,units:6|" in result["signature"]


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


def test_a_higher_level_gives_wider_intervals():
    counts = count(corpus(40), [create("strict")])
    rows = [intervals(counts, Confidence(level))["strict"]["scores"]["f"] for level in (0.5, 0.8, 0.95, 0.99)]
    assert [row["low"] for row in rows] == sorted({row["low"] for row in rows}, reverse=True)
    assert [row["high"] for row in rows] == sorted({row["high"] for row in rows})


def test_a_label_of_one_document_has_an_interval_that_says_next_to_nothing():
    """Label B is in one of eleven documents. C is predicted alone, so that it has no recall."""
    documents = [tallied(1, 0, 0, id=str(k)) for k in range(9)]
    both = [tallied(1, 0, 0, id="b", label="B"), Document([], [(0, 1, "C")], id="c")]
    found = score([*documents, *both], ["strict"], Confidence())["metrics"]["strict"]["intervals"]
    assert found["per_type"]["C"]["r"] == {"low": None, "high": None, "k": 1, "df": None, "flag": "undefined"}
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


def test_documents_that_share_an_id_are_one_unit():
    """Which are drawn together: like one document that has all their spans."""
    parts = [Document([(4 * k, 4 * k + 2, "A")], [(4 * k, 4 * k + 2, "A")][: k % 3], id=f"{k % 7}") for k in range(21)]
    wholes = [
        Document([s for d in parts[k::7] for s in d.gold], [s for d in parts[k::7] for s in d.pred], id=str(k))
        for k in range(7)
    ]
    found, expected = (score(d, ["strict"], Confidence(samples=50)) for d in (parts, wholes))
    ours, theirs = (result["metrics"]["strict"]["intervals"] for result in (found, expected))
    assert (ours["scores"], ours["per_type"]) == (theirs["scores"], theirs["per_type"])
    assert found["confidence"]["units"] == 7
    assert ours["averages"]["docs"]["f"]["k"] == 7


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
