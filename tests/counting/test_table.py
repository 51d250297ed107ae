"""Sums over the table of counts are exact, however they are added up."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import twins
from asking import NEEDED, near, refusal
from counted import OTHERS, Times
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from scipy.sparse import csr_array
from strategies import corpora, nested

from spacy_nereval import Document, count, create, create_all, evaluate
from spacy_nereval.counting import table
from spacy_nereval.counting.sums import (
    HIGH_UNIT,
    LARGEST,
    LOW_UNIT,
    Slot,
    Sums,
    empty_sums,
    join_amounts,
    slots,
    split_amounts,
)
from spacy_nereval.counting.table import Table, sum_counts
from spacy_nereval.evaluation.result import document_scores

some = tries(40)
ALL = create_all({"all": {}, **NEEDED})
APART = create_all(["all"])
"""Not tmr: what it says of a document depends on the others."""


def same(a: Sums, b: Sums) -> None:
    assert a.labels == b.labels
    for ours, theirs in zip(a.arrays, b.arrays):
        assert ours.dtype == theirs.dtype == np.int64
        np.testing.assert_array_equal(ours, theirs)


# Two whole numbers for one that is not


def exactly(parts: Any) -> Fraction:
    """What two parts stand for."""
    return Fraction(int(parts[0]), int(HIGH_UNIT)) + Fraction(int(parts[1]), int(LOW_UNIT))


@tries(300)
@given(st.floats(2**-7, 2**22) | st.integers(1, 2**53).map(lambda n: n / 2**60) | st.just(0.0))
def test_an_amount_is_split_and_joined_without_loss(amount):
    parts = split_amounts(np.array([amount]))
    assert parts.tolist() == np.rint(parts).tolist()
    assert exactly(parts[:, 0]) == Fraction(amount)
    assert join_amounts(parts).tolist() == [amount]


@tries(300)
@given(st.floats(-1e9, 1e9) | st.floats(-(2**-9), 2**-9))
def test_no_amount_is_off_by_more_than_half_of_the_smallest_unit(amount):
    parts = split_amounts(np.array([amount]))
    assert abs(exactly(parts[:, 0]) - Fraction(amount)) <= Fraction(1, 2**61)
    assert 0 <= parts[1, 0] <= 2**30
    assert join_amounts(parts)[0] == pytest.approx(amount, rel=1e-15, abs=2**-61)


@tries(200)
@given(st.lists(st.tuples(st.integers(1, 99), st.integers(1, 99)), max_size=50), st.randoms())
def test_sums_of_parts_are_exact_in_every_order(pairs, random):
    """Of .1 + .2 + .3 too, which is not .3 + .2 + .1."""
    shares = [min(a, b) / max(a, b) for a, b in pairs]
    total = split_amounts(np.array(shares)).sum(axis=1)
    random.shuffle(shares)
    assert split_amounts(np.array(shares)).astype(np.int64).sum(axis=1).tolist() == total.astype(np.int64).tolist()
    assert exactly(total) == sum(map(Fraction, shares))
    assert join_amounts(total) == pytest.approx(float(sum(map(Fraction, shares))), rel=2**-52)


# Sums


@some
@given(corpora(), corpora())
def test_sums_of_other_labels_are_added_label_by_label(first, second):
    parts = [sum_counts(count(each, APART)) for each in (first, second)]
    same(parts[0] + parts[1], parts[1] + parts[0])
    same(parts[0] + parts[1], sum_counts(count(first + second, APART)))


@some
@given(corpora())
def test_what_is_taken_away_can_be_added_again(corpus):
    whole = sum_counts(count(corpus, APART))
    part = sum_counts(count(corpus[:1], APART)).extend_labels(whole.labels)
    same((whole - part) + part, whole)
    same(whole - whole, empty_sums(whole.metrics, whole.labels, False, 1))


def test_sums_of_the_same_labels_keep_their_order():
    """Whoever asks for labels in an order finds them at these places in sums and differences, too."""
    counts, order = count([Document([(0, 1, "A"), (1, 3, "B"), (3, 4, "B")], [])], [create("strict")]), ("B", "A")
    whole = sum_counts(counts, labels=order)
    assert (whole + whole).labels == (whole - whole).labels == order
    same(whole + whole - whole, whole)


@pytest.mark.parametrize("stretch", [1, 2048], ids=["in stretches", "at once"])
def test_sums_beyond_62_bits_are_refused_and_not_wrong(monkeypatch, stretch):
    monkeypatch.setattr(table, "DOCUMENTS", stretch)
    counts = count([Document([(0, 1, "A")], [])] * 2, APART[:1])
    counts._blocks = [counts.cells.astype(np.int64) * 2**61]
    assert "too much to be exact" in refusal(sum_counts, counts)


@some
@given(corpora(most=4), st.data())
def test_sums_by_weights_are_sums_of_so_many_documents(corpus, data):
    times = data.draw(st.lists(st.lists(st.integers(0, 3), min_size=len(corpus), max_size=len(corpus)), max_size=3))
    counts = count(corpus, APART)
    weights = Times(np.array(times, dtype=np.uint8).reshape(len(times), len(corpus)))
    found = sum_counts(counts, weights)
    for k, chosen in enumerate(times):
        alone = count([d for d, n in zip(corpus, chosen) for _ in range(n)], APART)
        one = Sums(*found[:3], *(array[..., k : k + 1] for array in found.arrays))
        same(one, sum_counts(alone, labels=counts.labels))


@pytest.mark.parametrize("cells", [1, 400, 1000])
@tries(30)
@given(corpus=corpora(most=5))
def test_it_does_not_matter_how_many_rows_are_held_at_once(cells, corpus):
    counts = count(corpus, ALL)
    weights = Times(np.arange(3 * len(corpus)).reshape(3, len(corpus)) % 3)
    expected, alone, scores = sum_counts(counts, weights), evaluate(counts), document_scores(counts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spacy_nereval.counting.table.CELLS", cells)
        assert cells > 1 or len([*Table(counts).document_slices()]) == len(corpus)
        same(sum_counts(counts, weights), expected)
        assert evaluate(counts) == alone
        for name, table in document_scores(counts).items():
            np.testing.assert_equal(table, scores[name])


@some
@given(corpora())
def test_a_table_may_have_further_labels_and_those_it_lacks_are_none(corpus):
    counts = count(corpus, APART)
    whole = sum_counts(counts)
    more = tuple(sorted({*whole.labels, "AA", "Z"}))
    same(sum_counts(counts, labels=more), whole.extend_labels(more))
    nowhere = sum_counts(counts, labels=())
    np.testing.assert_array_equal(nowhere.counts[:, 0], whole.counts.sum(axis=1))


def test_sums_beyond_what_floats_hold_are_exact():
    """1e6 times 2^30 is near 2^50; of 99 such amounts a float would lose the last bits."""
    corpus = [Document([(0, 3, label)], []) for label in "AB" * 50][:-1]
    weights = {"A": 1e6 + 0.1, "B": 2e6 + 0.7}
    counts = count(corpus, create_all({"ace": {"weights": weights}}))
    exact = 50 * Fraction(weights["A"]) + 49 * Fraction(weights["B"])
    for order in ([*range(99)], [*range(0, 99, 2), *range(1, 99, 2)]):
        sums = sum_counts(counts.reordered(order))
        place = slots(sums.metrics)
        high, low = (sums.counts[place[Slot("ace", "miss", part)], :, 0].sum() for part in ("high", "low"))
        assert exactly([high, low]) == exact
    spans = [(9 * k, 9 * k + 3, label) for k, label in enumerate("AB" * 40)]
    one = count([Document(spans, [])], create_all({"ace": {"weights": {"A": 1e7 + 0.1, "B": 2e7 + 0.7}}}))
    assert document_scores(one)["ace"]["value"].tolist() == [0.0]


@pytest.mark.parametrize("several", [1, 3])
def test_sums_that_would_wrap_round_are_refused(several):
    weight = LARGEST / 4
    one = count([Document([(0, 3, "A")], [])] * 3, create_all({"ace": {"weights": {"A": weight}}}))
    assert evaluate(one)["metrics"]["ace"]["counts"]["gold"] == 3 * weight
    assert "too much to be exact: use smaller weights" in refusal(sum_counts, one, Times([[1, 1, 1], [several, 4, 4]]))


# Averages over documents


@pytest.mark.parametrize("table", [{"all": {}}, OTHERS], ids=["defaults", "others"])
@some
@given(corpus=corpora(most=4))
def test_averages_over_documents_are_means_of_the_results_of_single_documents(table, corpus):
    metrics = create_all(table)
    result = evaluate(count(corpus, metrics))["metrics"]
    of_documents = document_scores(count(corpus, metrics))
    single = [evaluate(count([document], metrics))["metrics"] for document in corpus]
    for metric in metrics:
        names = [score.name for score in metric.scores if score.unit != "count"]
        found = result[metric.name]["averages"]["docs"]
        assert found.keys() == {*names, "undefined"}
        for name in names:
            alone = [each[metric.name]["scores"][name] for each in single]
            mean, undefined = twins.mean(alone)
            assert found[name] == near(mean), (metric.name, name)
            assert found["undefined"][name] == undefined
            shown = [None if np.isnan(value) else value for value in of_documents[metric.name][name].tolist()]
            assert shown == alone, (metric.name, name)


@some
@given(corpora(nested(), most=4).filter(len))
def test_scores_of_documents_with_classes_do_not_depend_on_labels_of_other_documents(corpus):
    metric = create("wrf")
    table = Table(count(corpus, [metric]))
    found = table.document_scores(table.cells)[1].toarray().reshape(3, -1, table.width, len(corpus))
    for k, document in enumerate(corpus):
        alone = Table(count([document], [metric]))
        expected = alone.document_scores(alone.cells)[1].toarray().reshape(3, -1, alone.width, 1)
        place = [table.labels.index(label) for label in alone.labels] + [len(table.labels)]
        np.testing.assert_array_equal(found[:, :, place, k], expected[..., 0])
        others = [n for n in range(len(table.labels)) if n not in place]
        assert not found[:, :, others, k].any()  # undefined there


@pytest.mark.parametrize("exponent", [52, 53, 54, 55, 61])
@pytest.mark.parametrize("made", [np.array, csr_array])
def test_products_of_whole_numbers_too_large_for_floats_are_exact(made, exponent):
    large = 2**exponent + 1
    found = table.exact_product(made([[large, 1], [-large - 1, 0]]), np.array([[1.0, 0.0], [1.0, 1.0]]))
    assert found.tolist() == [[large + 1, 1], [-large - 1, 0]]
