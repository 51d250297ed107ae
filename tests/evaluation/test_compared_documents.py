"""Which documents of two systems belong together, and what cannot be compared."""

from __future__ import annotations

import json
from random import Random

import pytest
from compared import FEW, METRIC, TEN, WORKED_A, WORKED_B, by_score, compare, strictly
from made_up import corpus, second, tallied

from spacy_nereval import Confidence, Counts, Document, count, create, create_all
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.intervals import replicate
from spacy_nereval.evaluation.result import plain

# Pairing


def test_documents_in_another_order_are_paired_by_id():
    documents = corpus(24)
    other = second(documents)
    first = count(documents, create_all())
    expected = compare(first, count(other, create_all()), confidence=FEW)
    moved = Random(0).sample(other, len(other))
    assert plain(compare(first, count(moved, create_all()), confidence=FEW)) == plain(expected)
    assert any(row["p"] < 1 for row in expected)


def test_texts_of_one_document_are_paired_in_their_order():
    documents = corpus(6)
    for k, id in enumerate("xyxyxz"):
        documents[k].id = id
    other = second(documents)
    first = count(documents, create_all(["strict", "loio"]))
    expected = compare(first, count(other, create_all(["strict", "loio"])), confidence=FEW)
    moved = [other[k] for k in (1, 5, 0, 2, 3, 4)]  # among those of one id the order stays
    found = compare(first, count(moved, create_all(["strict", "loio"])), confidence=FEW)
    assert plain(found) == plain(expected)


def test_texts_without_id_are_paired_by_position():
    ten = [[tuple(map(int, row[at : at + 3])) for row in TEN] for at in (0, 3)]
    # A text of its own makes each a unit of its own.
    a, b = (
        count([Document(d.gold, d.pred, f"{k}" * 2000) for k, d in enumerate(tallied(*row) for row in rows)], METRIC)
        for rows in ten
    )
    assert by_score(compare(a, b))["strict", "f"]["p"] == 40 / 1024


def test_documents_that_one_system_lacks_are_named():
    documents = corpus(6)
    counts = [count(part, create_all(["strict"])) for part in (documents, [*documents[:2], *documents[3:5]])]
    for a, b in (counts, counts[::-1]):
        with pytest.raises(ValueError, match=r"2 documents are not in both.*doc 2, doc 5"):
            compare(a, b)
    more = count([Document(d.gold, d.pred, d.text, id=f"new {k}") for k, d in enumerate(documents)], counts[0].metrics)
    with pytest.raises(ValueError, match=r"12 documents are not in both.*doc 0, doc 1, doc 2, doc 3, doc 4, \.\.\."):
        compare(counts[0], more)


def test_systems_with_texts_without_id_and_of_different_number_are_refused():
    with pytest.raises(ValueError, match=r"not in both.*5"):
        compare(strictly(WORKED_A, ids=False), strictly(WORKED_B[:5], ids=False))


def test_a_document_that_is_there_twice_in_one_system_only_is_named():
    documents = corpus(3)
    with pytest.raises(ValueError, match=r"1 documents are not in both.*doc 1"):
        compare(count(documents, create_all(["strict"])), count([*documents, documents[1]], create_all(["strict"])))


def test_counts_with_replicates_are_compared_like_others_also_in_another_order():
    """A comparison draws its own resamples."""
    documents = corpus(30)
    other = second(documents)
    expected = compare(count(documents, create_all(["strict"])), count(other, create_all(["strict"])), confidence=FEW)
    assert all(row["differing"] >= 6 for row in expected)
    for moved in (other, other[::-1]):
        first, then = count(documents, create_all(["strict"])), count(moved, create_all(["strict"]))
        first.replicates, then.replicates = replicate(first, 5, 0), replicate(then, 5, 0)
        assert plain(compare(first, then, confidence=FEW)) == plain(expected)


# What cannot be compared


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ({"strict": {}}, {"fair": {}}, "the metrics strict, the other fair"),
        ({"strict": {}}, {"strict": {}, "fair": {}}, "the metrics strict, the other strict, fair"),
        ({"loio": {}}, {"loio": {"s": 1}}, r"loio\.s is 0\.75 and 1\.0"),
        (
            {"fair": {"weights": "fine"}},
            {"fair": {"weights": {"le": {"tp": 1}}}},
            r"fair\.weights is 'fine' and \{'le'",
        ),
    ],
)
def test_systems_counted_with_other_metrics_or_settings_are_refused_with_the_difference(ours, theirs, said):
    documents = corpus(3)
    with pytest.raises(ValueError, match=said):
        compare(count(documents, create_all(ours)), count(documents, create_all(theirs)))


def of_gold(*gold: list[tuple[int, int, str]]) -> Counts:
    return count([Document(spans, [], id=str(k)) for k, spans in enumerate(gold)], [create("strict")])


@pytest.mark.parametrize("order", [1, -1], ids=["same order", "another order"])
@pytest.mark.parametrize(
    "other",
    [
        ([(0, 1, "A")], [(0, 1, "A"), (3, 4, "A")], []),
        ([(0, 1, "A")], [], [(0, 1, "A")]),
        ([(0, 1, "A")], [(0, 1, "B")], []),
    ],
    ids=["another span", "a span elsewhere", "another label"],
)
def test_systems_with_different_gold_annotation_are_refused(other, order):
    theirs = [Document(spans, [], id=str(k)) for k, spans in enumerate(other)][::order]
    with pytest.raises(ValueError, match="gold"):
        compare(of_gold([(0, 1, "A")], [(0, 1, "A")], []), count(theirs, [create("strict")]))


def test_systems_whose_documents_lie_in_other_units_are_refused():
    a, b = (corpus(6) for _ in "ab")
    for documents, size in ((a, 2), (b, 3)):
        for k, document in enumerate(documents):
            document.unit, document.unit_rule = str(k // size), "meta.article"
    with pytest.raises(ValueError, match="their documents are in different units; count them alike"):
        compare(*(count(documents, create_all(["strict"])) for documents in (a, b)))


@pytest.mark.parametrize(
    "documents", [[], corpus(1), [Document([], [], "a", id="a")] * 2], ids=["none", "one", "one in two"]
)
def test_fewer_than_two_units_have_differences_and_nothing_more(documents):
    counts = count(documents, create_all())
    result = comparison([System("a", counts), System("b", counts)], [])
    assert result["units"] == min(1, len(documents))
    for row in result["comparisons"]:
        assert (row["interval"], row["p"], row["p_holm"]) == ([None, None], None, None)
    json.dumps(result, allow_nan=False)


def test_a_number_of_swaps_below_1_is_refused():
    counts = strictly(WORKED_A)
    with pytest.raises(ValueError, match="trials=0: expected at least 1"):
        compare(counts, counts, trials=0)


def test_too_few_swaps_for_the_level_are_refused_and_enough_give_finite_bounds():
    """With 18 swaps no p is below 1/19, so that every difference would be in the interval of 95 %."""
    sides = [count(d, create_all(["slot_error"])) for d in (corpus(30), second(corpus(30)))]
    with pytest.raises(ValueError, match="trials=18: so few swaps .* 0.95; expected at least 19"):
        compare(*sides, trials=18)
    rows = plain(compare(*sides, trials=19))
    assert all(bound is not None for row in rows if row["p"] is not None for bound in row["interval"])


def test_settings_that_make_no_interval_make_no_comparison():
    counts = strictly(WORKED_A)
    for confidence in (Confidence(level=1), Confidence(samples=0), Confidence(seed=-1)):
        with pytest.raises(ValueError, match="level|samples|seed"):
            compare(counts, counts, confidence=confidence)
