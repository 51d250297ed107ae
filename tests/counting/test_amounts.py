"""Counting: amounts that are whole numbers or not, very many labels, Docs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from asking import NEEDED, near, scored
from counted import rows, watching
from docs import any_example, doc, example
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries

from spacy_nereval import Counts, Document, Metric, Verdict, count, create_all, evaluate
from spacy_nereval.core.declaration import Tally
from spacy_nereval.counting.sums import HIGH, LOW, NUMBER, Key
from spacy_nereval.integration.examples import count_examples, documents

# Amounts


def test_partial_credit_of_one_document_may_exceed_32_bits():
    """Of three overlaps the high parts are 9/10 of 2^30 each, which is more than 2^31 together."""
    spans = [(20 * k, 20 * k + 10, "A") for k in range(3)]
    document = Document(spans, [(a, b - 1, label) for a, b, label in spans])
    counts = count([document], create_all(["loio"]))
    assert max(rows(counts)[0].values()) > 2**31
    both = counts + count([Document([(0, 2, "A")], [(0, 1, "A")])], create_all(["loio"])) + counts
    assert evaluate(counts)["metrics"]["loio"]["counts"]["overlap"] == near(2.7)
    assert evaluate(both)["metrics"]["loio"]["counts"]["overlap"] == near(5.9)
    assert evaluate(both.reordered([2, 0]))["metrics"]["loio"]["counts"]["overlap"] == near(5.4)


def test_an_overlap_is_counted_once_and_its_amount_in_two_parts():
    (row,) = rows(count([Document([(0, 10, "A")], [(0, 3, "A")])], create_all(["loio"])))
    own = {key.quantity: n for key, n in row.items() if key.metric}
    assert own[NUMBER] == 1
    assert own[HIGH] == 0.3 * 2**30 // 1
    assert own[HIGH] * 2**30 + own[LOW] == 0.3 * 2**60


def giving(amount: float, verdict: str = "fn", **fields: Any) -> Metric:
    def judge(group):
        return [Verdict(verdict, group.gold[0], None, amount)]

    return replace(watching([]), judge=judge, **fields)


GROUP = Document([(0, 3, "A")], [(1, 3, "A")])


@pytest.mark.parametrize("scope", ["group", "document"])
@pytest.mark.parametrize("amount", [0.5, 1 + 2**-52, -0.25])
def test_partial_credit_that_is_not_declared_is_an_error_with_its_remedy(scope, amount):
    with pytest.raises(ValueError) as raised:
        count([GROUP], [giving(amount, scope=scope)])
    assert str(raised.value) == (
        f"own gives fn the amount {amount!r}, which is not a whole number: declare partial_credit=('fn',)"
    )
    declared = giving(amount, scope=scope, partial_credit=("fn",))
    assert evaluate(count([GROUP], [declared]))["metrics"]["own"]["scores"]["n"] == amount


@pytest.mark.parametrize("declared", [{}, {"partial_credit": ("fn",)}])
@pytest.mark.parametrize("amount", [float("nan"), float("inf"), -float("inf")])
def test_an_amount_that_is_not_finite_is_an_error(amount, declared):
    with pytest.raises(ValueError, match=rf"own gives fn the amount {amount!r}, which is not a finite number"):
        count([GROUP], [giving(amount, **declared)])


@pytest.mark.parametrize("scope", ["group", "document"])
def test_a_verdict_that_is_not_declared_is_an_error_with_its_remedy(scope):
    with pytest.raises(ValueError) as raised:
        count([GROUP], [giving(1, "oops", scope=scope)])
    assert str(raised.value) == (
        "own passes the verdict 'oops', which it does not declare; declared are tp, fn, fp. "
        "Add it to the columns, or to confusion"
    )
    shown = giving(1, "oops", scope=scope, confusion=("oops",))
    assert evaluate(count([GROUP], [shown]))["metrics"]["own"]["confusion"] == {"A": {"": 1}}


@pytest.mark.parametrize(
    ("verdict", "amount", "said"),
    [
        ("oops", np.array([1]), "own passes the verdict 'oops'"),
        ("fn", np.array([0.5]), r"own gives fn the amount 0.5, .*: declare partial_credit=\('fn',\)"),
    ],
)
def test_what_a_batch_counts_is_held_to_the_same(verdict, amount, said):
    def count_batch(batch):
        yield Tally(verdict, np.array([0]), np.array([0]), np.array([len(batch.labels)]), amount)

    with pytest.raises(ValueError, match=said):
        count([GROUP], [giving(1, scope="document", count_batch=count_batch)])


def test_amounts_that_are_too_large_to_be_exact_are_refused_and_not_wrong():
    """In 64 bits, thirty times 1e9 with nine decimal digits would come out negative."""
    many = Document([(5 * k, 5 * k + 3, "A") for k in range(30)], [])
    with pytest.raises(ValueError, match=r"add up to 3e\+10, too much to be exact: use weights so small"):
        count([many], create_all({"ace": {"weights": {"A": 1e9}}}))
    with pytest.raises(ValueError, match=r"add up to 1e\+300, too much to be exact"):
        count([GROUP], [giving(1e300)])
    for amount in (2.0**53, 2.0**54):
        with pytest.raises(ValueError, match=r"too much to be exact: use weights so small that they stay below 9e\+15"):
            count([GROUP], [giving(amount)])
    few = Document([(5 * k, 5 * k + 3, "A") for k in range(3)], [])
    counts = count([few], create_all({"ace": {"weights": {"A": 1e9}}}))
    assert evaluate(counts)["metrics"]["ace"]["counts"]["gold"] == 3e9
    with pytest.raises(ValueError, match="add up to more than 4e.09, too much to be exact: use smaller weights"):
        evaluate(counts + counts)


def test_scores_that_are_too_large_to_be_averaged_are_refused_and_not_wrong():
    with pytest.raises(ValueError, match="amounts or scores add up to more than"):
        scored(Document([(0, 3, "A")], [(5, 7, "A")]), "ace", false_alarm=1e11)


def test_numbers_of_characters_may_be_larger():
    documents = [Document([(0, 2**40, "A")], [(2, 2**40, "A")])] * 300
    assert scored(documents, "char")["counts"] == {"tp": 300 * (2**40 - 2), "fp": 0, "fn": 600}


# Very many labels


def test_thousands_of_labels_are_told_apart():
    """Columns are found by one number for the verdict, both labels and the note: here it exceeds 32 bits."""
    number = 1500
    names = [f"L{k:04}" for k in range(number)]
    corpus = [
        Document([(9 * k, 9 * k + 3, names[k])], [(9 * k, 9 * k + 3, names[-1 - k])], "x" * 9 * number, id=str(k))
        for k in range(number)
    ]
    counts = count(
        corpus, create_all({"strict": {}, "semeval": {"focus": "system"}, "tmr": NEEDED["tmr"]}), units=False
    )
    keys = {Key("", "group_gold", name, "") for name in names} | {Key("", "group_pred", "", name) for name in names}
    keys |= {Key("semeval", "type_error", name, names[-1 - k]) for k, name in enumerate(names)}
    assert keys <= {*counts.keys}
    assert {*counts.totals().values()} == {1}
    assert counts.labels == tuple(names)
    for place in (0, 1234, number - 1):
        found = {key: n for key, n in zip(counts.keys, counts.cells[[place]].toarray()[0].tolist()) if n}
        gold, pred = names[place], names[-1 - place]
        assert {key for key in found if key.metric == "semeval"} == {Key("semeval", "type_error", gold, pred)}
        (noted,) = (key for key in found if key.metric == "tmr")
        assert (noted.verdict, noted.gold, noted.pred) == ("unseen_tokens_miss", gold, "")
        assert noted.note == f"{gold}\t{'x' * 3}"


def test_many_labels_in_one_batch_of_words():
    names = [f"L{k:03}" for k in range(800)]
    text = " ".join(f"w{k:03}" for k in range(800))
    corpus = [Document([(5 * k, 5 * k + 4, names[k])], [(5 * k, 5 * k + 4, names[k])], text) for k in range(800)]
    rows_of = evaluate(count(corpus, create_all(["wrf"]), units=False))["metrics"]["wrf"]["per_type"]
    assert [*rows_of] == names
    assert all(row["counts"] == {"match": 1, "gold": 1, "pred": 1, "documents": 1} for row in rows_of.values())


# Docs


@tries(40)
@given(st.lists(any_example(), max_size=4))
def test_examples_are_counted_together_as_one_by_one(examples):
    metrics = create_all(["all"])
    together, apart = count_examples(examples, metrics), count(documents(examples), metrics)
    total = Counts(metrics)
    for eg in examples:
        total += count_examples([eg], metrics)
    assert rows(together) == rows(apart) == rows(total)
    assert evaluate(together) == evaluate(apart) == evaluate(total)


def test_examples_may_come_from_a_generator_that_makes_each_anew():
    made = (example(doc("a b", (0, 1, "A")), doc("a b", (0, 1, "A"))) for _ in range(600))
    counts = count_examples(made, create_all(["strict"]))
    assert (counts.documents, counts.gold, counts.pred) == (600, 600, 600)
