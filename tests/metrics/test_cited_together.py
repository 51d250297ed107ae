"""The measures that the papers cite agree with each other where they have to."""

from __future__ import annotations

from collections import Counter

import pytest
import twins
import twins_cited
from asking import near, scored, tables
from cited import examples, scores, some
from hypothesis import given
from hypothesis import strategies as st
from strategies import corpora, flat, nested

from spacy_nereval import Document


@pytest.mark.parametrize("typed", [False, True])
@some
@given(corpus=corpora())
def test_overlap_with_sums_is_plagdet_macro(typed, corpus):
    overlap = scored(corpus, "overlap", recall="sum", precision="sum", typed=typed)
    plagdet = scored(corpus, "plagdet", typed=typed)
    assert overlap["scores"] == {x: near(plagdet["scores"][x]) for x in "prf"}
    for label, row in overlap["per_type"].items():
        assert row["scores"] == {x: near(plagdet["per_type"][label]["scores"][x]) for x in "prf"}


@pytest.mark.parametrize("typed", [False, True])
@some
@given(corpus=corpora())
def test_char_is_plagdet_micro(typed, corpus):
    assert scores(corpus, "char", typed=typed) == {
        x: near(scores(corpus, "plagdet", average="micro", typed=typed)[x]) for x in "prf"
    }


@examples
@given(doc=nested(), data=st.data())
def test_relaxed_never_has_fewer_pairs_than_a_walk_in_any_list_order(doc, data):
    gold, pred = (data.draw(st.permutations(side)) for side in (doc.gold, doc.pred))
    for typed in (False, True):
        tp, fp, fn = twins_cited.in_list_order(gold, pred, typed)
        found = tables(doc, "relaxed", typed=typed).total
        assert found["tp"] >= tp
        assert (found["tp"] + found["fp"], found["tp"] + found["fn"]) == (tp + fp, tp + fn)


@some
@given(corpora())
def test_ace_without_costs_is_the_recall_of_typed_relaxed(corpus):
    value = scores(corpus, "ace", min_overlap=0, type_error=0, false_alarm=0, weights="equal")["value"]
    assert value == near(scores(corpus, "relaxed", typed=True)["r"])


@some
@given(corpora())
def test_typed_and_strong_relaxed_is_strict(corpus):
    assert tables(corpus, "relaxed", typed=True, strong=True) == tables(corpus, "strict")


@some
@given(nested())
def test_relaxed_finds_at_least_what_stronger_conditions_find(doc):
    def tp(**options: bool) -> int:
        return tables(doc, "relaxed", **options).total["tp"]

    assert tp(typed=True, strong=True) <= min(tp(typed=True), tp(strong=True))
    assert max(tp(typed=True), tp(strong=True)) <= tp()


@some
@given(corpora())
def test_all_together_cover_no_less_than_the_one_that_covers_most(corpus):
    most, all_ = (scores(corpus, "overlap", recall=how, precision=how) for how in ("max", "sum"))
    for x in "pr":
        assert most[x] is None or most[x] <= all_[x] + 1e-12


@some
@given(nested())
def test_tokens_of_one_character_are_characters(doc):
    letters = Document(doc.gold, doc.pred, doc.text, tokens=[(k, k + 1) for k in range(len(doc.text))])
    assert tables(letters, "token").confusion == tables(doc, "char").confusion
    assert {x: scores(letters, "token")[x] for x in "prf"} == scores(doc, "char")


@examples
@given(flat())
def test_where_nothing_nests_one_character_is_in_one_pair_whatever_its_label(doc):
    """So the untyped confusion of characters is the overlap of every two spans."""
    expected: Counter = Counter()
    for g in doc.gold:
        for p in doc.pred:
            expected[g.label, p.label] += len(twins.characters(g) & twins.characters(p))
    matrix = tables(doc, "char", typed=False).confusion
    assert {(a, b): n for a, row in matrix.items() for b, n in row.items() if a and b} == +expected
