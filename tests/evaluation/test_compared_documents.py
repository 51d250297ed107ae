"""Which documents of two systems belong together, and what cannot be compared."""

import json

import pytest
from compared import FEW, METRIC, TEN, WORKED_A, by_score, compare, strictly
from made_up import corpus, second, tallied

from spacy_nereval import Confidence, Document, count, create_all
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.intervals import replicate
from spacy_nereval.evaluation.result import plain

# Pairing


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


def in_units(size: int) -> list[Document]:
    documents = corpus(6)
    for k, document in enumerate(documents):
        document.unit, document.unit_rule = str(k // size), "meta.article"
    return documents


def of_gold(*labels: str, step: int = 1) -> list[Document]:
    """Three documents with spans of these labels, one after the other."""
    golds = [[(3 * k, 3 * k + 1, label) for k, label in enumerate(own)] for own in labels]
    return [Document(gold, [], id=str(k)) for k, gold in enumerate(golds)][::step]


SIX = corpus(6)
FEWER = [*SIX[:2], *SIX[3:5]]
OTHERS = [Document(d.gold, d.pred, d.text, id=f"new {k}") for k, d in enumerate(SIX)]


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        (SIX, FEWER, r"2 documents are not in both.*doc 2, doc 5"),
        (FEWER, SIX, r"2 documents are not in both.*doc 2, doc 5"),
        (SIX, OTHERS, r"12 documents are not in both.*doc 0, doc 1, doc 2, doc 3, doc 4, \.\.\."),
        (SIX, [*SIX, SIX[1]], "1 documents are not in both.*doc 1"),
        (corpus(6, named=False), corpus(5, named=False), "not in both.*5"),
        *((of_gold("A", "A", ""), of_gold("A", "AA", "", step=step), "gold") for step in (1, -1)),
        *((of_gold("A", "A", ""), of_gold("A", "", "A", step=step), "gold") for step in (1, -1)),
        *((of_gold("A", "A", ""), of_gold("A", "B", "", step=step), "gold") for step in (1, -1)),
        (in_units(2), in_units(3), "their documents are in different units; count them alike"),
    ],
    ids=["some missing", "some more", "other ids", "twice", "without ids", "another span", "another span, other order"]
    + ["a span elsewhere", "a span elsewhere, other order", "another label", "another label, other order", "units"],
)
def test_systems_with_other_documents_gold_or_units_are_refused_with_the_difference(ours, theirs, said):
    with pytest.raises(ValueError, match=said):
        compare(count(ours, METRIC), count(theirs, METRIC))


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ({"strict": {}}, {"fair": {}}, "the metrics strict, the other fair"),
        ({"strict": {}}, {"strict": {}, "fair": {}}, "strict, the other strict, fair"),
        ({"loio": {}}, {"loio": {"s": 1}}, r"loio\.s is 0\.75 and 1\.0"),
        (
            {"fair": {"weights": "fine"}},
            {"fair": {"weights": {"le": {"tp": 1}}}},
            r"fair\.weights is 'fine' and \{'le'",
        ),
    ],
)
def test_systems_counted_with_other_metrics_or_settings_are_refused_with_the_difference(ours, theirs, said):
    with pytest.raises(ValueError, match=said):
        compare(count(SIX, create_all(ours)), count(SIX, create_all(theirs)))


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


def test_too_few_swaps_for_the_level_are_refused_and_enough_give_finite_bounds():
    """With 18 swaps no p is below 1/19, so that every difference would be in the interval of 95 %."""
    sides = [count(d, create_all(["slot_error"])) for d in (corpus(30), second(corpus(30)))]
    with pytest.raises(ValueError, match="trials=18: so few swaps .* 0.95; expected at least 19"):
        compare(*sides, trials=18)
    rows = plain(compare(*sides, trials=19))
    assert all(bound is not None for row in rows if row["p"] is not None for bound in row["interval"])


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"confidence": Confidence(level=1)}, "level"),
        ({"confidence": Confidence(samples=0)}, "samples"),
        ({"confidence": Confidence(seed=-1)}, "seed"),
        ({"trials": 0}, "trials=0: expected at least 1"),
    ],
)
def test_settings_that_make_no_interval_or_test_make_no_comparison(setting, said):
    counts = strictly(WORKED_A)
    with pytest.raises(ValueError, match=said):
        compare(counts, counts, **setting)
