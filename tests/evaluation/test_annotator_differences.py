"""Differences between annotators: each disputed span is in some, and a rule that only some follow comes first."""

from __future__ import annotations

from itertools import combinations

import pytest
from annotators import annotated, example, result_of
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries

from spacy_nereval.evaluation.agreement.annotator_differences import Differences
from spacy_nereval.evaluation.agreement.votes import disputed_places
from spacy_nereval.reporting.difference_words import difference_words, what_differs

TEXT = "the left door of the car leaks oil"
SPANS = st.tuples(st.integers(0, 20), st.integers(1, 8), st.sampled_from("AB")).map(
    lambda span: (span[0], span[0] + span[1], span[2])
)
ANNOTATORS = st.dictionaries(st.sampled_from(["ann", "ben", "cleo", "dan"]), st.sets(SPANS, max_size=4), min_size=2)
DOOR, LEFT_DOOR, LEFT, CAR = (9, 13, "A"), (4, 13, "A"), (4, 8, "A"), (21, 24, "B")


def found_in(*documents, text=TEXT):
    """The differences of annotators who mark these spans in the same text again and again."""
    return Differences(annotated(*((text, spans) for spans in documents)))


def rows_of(*documents, by_words=False):
    return found_in(*documents).rows()["same_words" if by_words else "differences"]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (LEFT_DOOR, DOOR, [("leading", ("A",), "ann", "left")]),
        (DOOR, LEFT_DOOR, [("leading", ("A",), "ben", "left")]),
        (DOOR, (9, 24, "A"), [("trailing", ("A",), "ben", "of the car")]),
        (LEFT_DOOR, (9, 16, "A"), [("leading", ("A",), "ann", "left"), ("trailing", ("A",), "ben", "of")]),
        ((0, 13, "A"), (0, 34, "A"), [("trailing", ("A",), "ben", "")]),
        ((9, 13, "B"), DOOR, [("label", ("A", "B"), "ben", "door")]),
        ((4, 13, "B"), DOOR, [("label", ("A", "B"), "ben", "left door"), ("leading", ("B",), "ann", "left")]),
        (None, DOOR, [("missing", ("A",), "ben", "door")]),
        (DOOR, None, [("missing", ("A",), "ann", "door")]),
        (DOOR, (9, 14, "A"), [("blank", ("A",), "ben", "")]),
        (LEFT_DOOR, (8, 13, "A"), [("leading", ("A",), "ann", "left")]),
        ((8, 13, "A"), (9, 16, "A"), [("blank", ("A",), "ann", ""), ("trailing", ("A",), "ben", "of")]),
    ],
)
def test_what_differs_and_who_has_it(one, other, expected):
    found = found_in({"ann": [one] if one else [], "ben": [other] if other else []}).members
    assert [(each.kind, each.labels, each.having, each.words) for each in found] == expected
    assert all({each.having, each.lacking} == {"ann", "ben"} for each in found)


@tries(100)
@given(ANNOTATORS)
def test_each_span_that_only_one_of_two_marked_is_in_a_difference_and_in_one_place(spans):
    found = found_in(spans).members
    for a, b in combinations(spans, 2):
        own = [each for each in found if {each.having, each.lacking} == {a, b}]
        assert {(who, span) for each in own for who, span in zip((each.having, each.lacking), each.spans) if span} == {
            (who, span) for who, other in ((a, b), (b, a)) for span in spans[who] - spans[other]
        }
    places = [*disputed_places(spans)]
    assert sum(place.disputes for place in places) == sum(len(spans[a] ^ spans[b]) for a, b in combinations(spans, 2))
    shown = [version.span for place in places for version in place.versions]
    assert len(shown) == len({*shown})
    assert {span for each in found for span in each.spans if span} <= {*shown}


@tries(50)
@given(ANNOTATORS, st.randoms())
def test_the_order_of_annotators_and_spans_changes_no_place(spans, chance):
    names = chance.sample([*spans], len(spans))
    shuffled = {name: chance.sample(sorted(spans[name]), len(spans[name])) for name in names}

    def plain(own):
        return [
            (place.disputes, {*place.silent}, [(vote.span, {*vote.annotators}) for vote in place.versions])
            for place in disputed_places(own)
        ]

    assert plain(shuffled) == plain(spans)


@tries(50)
@given(st.lists(ANNOTATORS, min_size=1, max_size=6))
def test_rows_count_the_differences_between_their_two_sides(documents):
    """Written out once more: on one side stands who has it more often than not."""
    found = found_in(*documents)
    for row in found.rows()["differences"]:
        labels = [row[key] for key in ("label", "instead") if key in row]
        own = [each for each in found.members if each.kind == row.get("end", row["kind"])]
        own = [each for each in own if not labels or sorted(labels) == [*each.labels]]
        pairs = [(each.having, each.lacking, each.document) for each in own]
        if labels != sorted(labels):
            pairs = [(lacking, having, document) for having, lacking, document in pairs]
        balance = {name: sum((a == name) - (b == name) for a, b, _ in pairs) for name in ("ann", "ben", "cleo", "dan")}
        if any(balance.values()):
            assert {*row["one"]} == {name for name, number in balance.items() if number > 0}
            assert {*row["other"]} == {name for name, number in balance.items() if number < 0}
        there = [document for a, b, document in pairs if a in row["one"] and b in row["other"]]
        back = [document for a, b, document in pairs if b in row["one"] and a in row["other"]]
        assert (row["number"], row["reverse"], row["documents"]) == (len(there), len(back), len({*there}))
        for way in ("number", "reverse"):
            assert sum(pair[way] for pair in row["pairs"]) == row[way]
        assert {place["document"] for place in row["places"]} == {f"d{document}" for document in there}


def test_a_clear_rule_comes_before_what_is_more_frequent():
    rule = [{"ann": [LEFT_DOOR], "ben": [DOOR]}] * 6
    noise = [*[{"ann": [CAR], "ben": []}] * 12, *[{"ann": [], "ben": [CAR]}] * 5]
    first, second = rows_of(*noise, *rule)
    assert (first["end"], first["number"], first["reverse"], first["clear"]) == ("leading", 6, 0, True)
    assert (second["kind"], second["number"], second["reverse"], second["clear"]) == ("missing", 12, 5, False)
    assert difference_words(first) == "ann includes leading 'left' of A where ben does not, 6 times"
    assert (
        difference_words(second)
        == "ann marks B where ben marks nothing, 12 times, such as 'car' 12 (the other way round 5 times)"
    )
    assert (first["documents"], first["words"], first["labels"]) == (6, {"left": 6}, {"A": 6})
    assert first["example"] == {"document": "d17", "one_text": "left door", "other_text": "door"}
    assert first["places"][0] == {"document": "d17", "start": 4, "end": 13}


@pytest.mark.parametrize(("number", "clear"), [(2, False), (4, False), (5, True)])
def test_few_differences_of_one_direction_may_be_chance_unless_they_share_their_words(number, clear):
    given = [{"ann": [LEFT_DOOR], "ben": [DOOR]}] * number
    assert [row["clear"] for row in rows_of(*given)] == [clear]
    assert [row["clear"] for row in rows_of(*given, by_words=True)] == [True]
    assert rows_of(*given[:1]) == rows_of(*given[:1], by_words=True) == []  # once is no repetition


def test_what_goes_both_ways_alike_names_the_first_annotator_first():
    both = [{"ann": [CAR], "ben": []}, {"ann": [], "ben": [CAR]}] * 3
    (row,) = rows_of(*both)
    assert (row["one"], row["other"], row["number"], row["reverse"], row["clear"]) == (["ann"], ["ben"], 3, 3, False)


def test_the_sides_of_several_annotators():
    (row,) = rows_of(*[{"cleo": [LEFT_DOOR], "ann": [LEFT_DOOR], "ben": [DOOR]}] * 5)
    assert (row["one"], row["other"], row["number"]) == (["cleo", "ann"], ["ben"], 10)
    assert row["pairs"] == [{"one": name, "other": "ben", "number": 5, "reverse": 0} for name in ("ann", "cleo")]
    assert what_differs(row) == "cleo and ann include leading 'left' of A where ben does not"


@pytest.mark.parametrize(
    ("names", "one"), [(("ann", "ben"), "ann"), (("ben", "ann"), "ben"), (("ann", "cleo", "ben"), "ben")]
)
def test_of_two_labels_that_of_fewer_annotators_is_named_first(names, one):
    spans = {name: [(9, 13, "B" if name == "ben" else "A")] for name in names}
    (row,) = rows_of(*[spans] * 3)
    assert row["one"] == [one] and (row["label"], row["instead"]) == (("B", "A") if one == "ben" else ("A", "B"))
    assert (row["number"], row["reverse"]) == (3 * (len(names) - 1), 0)
    assert row["example"]["one_text"] == "door"


def test_a_pattern_of_several_labels_names_none():
    (row,) = rows_of(*[{"ann": [LEFT_DOOR, (17, 24, "B")], "ben": [DOOR, (21, 24, "B")]}] * 3)
    assert row["labels"] == {"A": 3, "B": 3}
    assert what_differs(row) == "ann includes leading 'left' where ben does not"


def test_words_are_the_same_whatever_their_case_and_white_space():
    first = ("Left door", {"ann": [(0, 9, "A")], "ben": [(5, 9, "A")]})
    second = ("left  lamp", {"ann": [(0, 10, "A")], "ben": [(6, 10, "A")]})
    (row,) = Differences(annotated(first, second)).rows()["same_words"]
    assert (row["words"], row["number"]) == ({"left": 2}, 2)


@pytest.mark.parametrize("text", [None, "12 345 6789"])
def test_without_words_there_are_differences_without_words(text):
    found = found_in(*[{"ann": [(0, 6, "A")], "ben": [(3, 6, "A")]}] * 5, text=text)
    assert [row["words"] for row in found.rows()["differences"]] == [{}]
    assert found.rows()["same_words"] == []


def test_boundaries_that_differ_in_many_words_are_counted_without_them():
    (_, row) = rows_of(*[{"ann": [(0, 34, "A")], "ben": [LEFT_DOOR]}] * 3)
    assert (row["end"], row["number"], row["words"]) == ("trailing", 3, {})
    assert difference_words(row) == "ann includes trailing words of A that ben leaves out, 3 times"


def test_white_space_at_an_end_is_no_rule():
    blanks = result_of(annotated(*[("Ada left", {"ann": [(0, 3, "A")], "ben": [(0, 4, "A")]})] * 12))
    assert blanks["differences"] == blanks["same_words"] == []
    assert len(blanks["disputes"]["spans"]) == 24


def test_the_rule_in_which_the_example_annotators_differ_comes_first():
    first, *rest = result_of(example())["differences"]
    sentence = difference_words(first)
    assert sentence.startswith("ann and cleo include leading words of FAILURE_LOC that ben leaves out, 62 times, ")
    assert "such as 'left' 15" in sentence and "'left rear' 7" in sentence
    assert first["clear"] and not any(row["clear"] for row in rest)
