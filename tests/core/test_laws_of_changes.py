"""Laws for every registered metric: what changes nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from laws import document, law
from strategies import corpora

from spacy_nereval import Document

# What changes nothing


@law
@given(corpus=corpora(), by=st.integers(1, 9))
def test_shifting_the_offsets_changes_nothing(case, corpus, by):
    def moved(span):
        return (span[0] + by, span[1] + by, *span[2:])

    shifted = [
        Document(map(moved, doc.gold), map(moved, doc.pred), "x" * by + doc.text, tokens=map(moved, doc.tokens))
        for doc in corpus
    ]
    assert case.result(shifted) == case.result(corpus)


@law
@given(corpus=corpora())
def test_renaming_the_labels_changes_nothing_but_their_names(case, corpus):
    """In an order that stays the same, since the order of labels is the last resort for ties."""
    new = {"A": "Anna", "B": "Ben", "C": "Carl", "D": "Dora"}
    renamed = [
        document(doc, [[s._replace(label=new[s.label]) for s in side] for side in (doc.gold, doc.pred)])
        for doc in corpus
    ]
    result, expected = case.result(renamed), case.result(corpus)
    expected["per_type"] = {new[label]: row for label, row in expected["per_type"].items()}
    if "confusion" in expected:
        named = new | {"": ""}
        matrix = expected["confusion"]
        expected["confusion"] = {named[a]: {named[b]: n for b, n in row.items()} for a, row in matrix.items()}
    assert result == expected


@law
@given(corpus=corpora(), data=st.data())
def test_the_order_of_documents_and_spans_and_doubles_change_nothing(case, corpus, data):
    shuffled = [
        document(doc, [data.draw(st.permutations(side)) + list(side) for side in (doc.gold, doc.pred)])
        for doc in data.draw(st.permutations(corpus))
    ]
    assert case.result(shuffled) == case.result(corpus)


@law
@given(order=st.permutations([1, 2, 3]))
def test_sums_of_partial_credit_too_are_the_same_in_any_order(case, order):
    """.1 + .2 + .3 is not .3 + .2 + .1, for those who do not take care."""
    corpus = {
        tenths: Document([(0, 10, "A")], [(0, tenths, "A")], "ten tenths", tokens=[(0, 3), (4, 10)])
        for tenths in (1, 2, 3)
    }
    assert case.result(corpus[tenths] for tenths in order) == case.result(corpus.values())


@law
@given(order=st.permutations(range(2, 9)))
def test_means_of_shares_of_words_too_are_the_same_in_any_order(case, order):
    tokens = [(2 * k, 2 * k + 1) for k in range(9)]
    corpus = {
        words: Document([(0, 2 * words - 1, "A")], [(0, 1, "A")], "a b c d e f g h i", tokens=tokens)
        for words in range(2, 9)
    }
    assert case.result(corpus[words] for words in order) == case.result(corpus.values())
