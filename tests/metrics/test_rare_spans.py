"""Spans that are easily forgotten: of length zero, touching, doubled, ending within a token."""

from __future__ import annotations

import pytest
from asking import counted, scored
from scroll import ALL, TEXT, TOKENS

from spacy_nereval import Document, Span

# Spans that are easily forgotten


def one_of_each_side(name: str) -> dict[str, int]:
    """What a metric counts for a gold span and a prediction that have nothing to do with each other."""
    return {
        "strict": {"fn": 1, "fp": 1},
        "semeval": {"mis": 1, "spu": 1},
        "slot_error": {"d": 1, "i": 1},
        "loio": {"gold": 1, "pred": 1},
        "fair": {"fn": 1, "fp": 1},
    }[name]


@pytest.mark.parametrize("name", ALL[:-1])
@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ((0, 5, "A"), (5, 9, "A")),
        ((5, 9, "A"), (0, 5, "A")),
        ((3, 3, "A"), (4, 4, "A")),
        ((3, 3, "A"), (0, 9, "A")),
        ((3, 3, "A"), (3, 9, "A")),
        ((3, 3, "A"), (0, 3, "A")),
        ((0, 9, "A"), (3, 3, "A")),
        ((3, 9, "A"), (3, 3, "A")),
    ],
    ids=str,
)
def test_touching_spans_and_spans_of_length_zero_meet_nothing(name, gold, pred):
    assert counted(Document([gold], [pred]), name) == one_of_each_side(name)


@pytest.mark.parametrize(
    ("name", "same", "other_label"),
    [
        ("strict", {"tp": 1}, {"fn": 1, "fp": 1}),
        ("semeval", {"match": 1}, {"type_error": 1}),
        ("slot_error", {"c": 1}, {"s_type": 1}),
        ("loio", {"exact": 1, "gold": 1, "pred": 1}, {"gold": 1, "pred": 1}),
        ("fair", {"tp": 1}, {"le": 1}),
    ],
)
def test_spans_of_length_zero_match_where_their_boundaries_are_the_same(name, same, other_label):
    assert counted(Document([(3, 3, "A")], [(3, 3, "A")]), name) == same
    assert counted(Document([(3, 3, "A")], [(3, 3, "B")]), name) == other_label


@pytest.mark.parametrize("name", ALL)
def test_doubles_count_once(name):
    once = Document([(0, 3, "A"), (4, 10, "A")], [(0, 3, "A"), (4, 14, "A")], TEXT)
    twice = Document([*once.gold, *once.gold], [*once.pred, *once.pred], TEXT)
    assert scored(twice, name) == scored(once, name)


def test_a_document_sorts_its_spans_and_names_them():
    doc = Document([[4, 10, "B"], (0, 3, "A"), (4, 10, "A")], [])
    assert doc.gold == (Span(0, 3, "A"), Span(4, 10, "A"), Span(4, 10, "B"))
    assert doc.gold[0].label == "A"


def test_whole_numbers_of_any_kind_are_offsets():
    numpy = pytest.importorskip("numpy")
    doc = Document([(numpy.int64(0), numpy.int32(3), "A")], [])
    assert [type(value) for value in doc.gold[0]] == [int, int, str]


def test_an_empty_or_white_token_is_no_word():
    doc = Document([(0, 5, "A")], [], "a \t b", tokens=[(0, 1), (1, 1), (2, 3), (4, 5)])
    assert next(doc.unigrams([doc.gold[0]])) == ["a", "b"]


def test_a_span_that_ends_within_a_token_has_part_of_it_as_a_word():
    doc = Document([(1, 7, "A")], [], TEXT, tokens=TOKENS)
    assert next(doc.unigrams([doc.gold[0]])) == ["he", "scr"]
    assert doc.covered_tokens(doc.gold[0]) == (0, 2)
