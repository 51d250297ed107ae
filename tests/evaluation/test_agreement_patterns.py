"""Differences between annotators: each disputed span is in some, and a rule that only one follows comes first."""

from __future__ import annotations

from itertools import combinations

import pytest
from annotated import example, shared
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries

from spacy_nereval.evaluation.agreement.differences import differences
from spacy_nereval.evaluation.agreement.patterns import all_differences, patterns
from spacy_nereval.evaluation.agreement.places import disputed_places
from spacy_nereval.reporting.agreement_lines import largest_difference
from spacy_nereval.reporting.difference_words import said

TEXT = "the left door of the car leaks oil"
SPANS = st.tuples(st.integers(0, 20), st.integers(1, 8), st.sampled_from("AB")).map(
    lambda span: (span[0], span[0] + span[1], span[2])
)
ANNOTATORS = st.dictionaries(st.sampled_from(["ann", "ben", "cleo", "dan"]), st.sets(SPANS, max_size=4), min_size=2)


def found_in(one, other, number=1):
    """The differences of two annotators who mark these spans in each of some documents."""
    return all_differences(shared(*[(TEXT, {"ann": one, "ben": other})] * number))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((4, 13, "A"), (9, 13, "A"), [("leading", ("A",), "ann", "left")]),
        ((9, 13, "A"), (4, 13, "A"), [("leading", ("A",), "ben", "left")]),
        ((9, 13, "A"), (9, 24, "A"), [("trailing", ("A",), "ben", "of the car")]),
        ((4, 13, "A"), (9, 16, "A"), [("leading", ("A",), "ann", "left"), ("trailing", ("A",), "ben", "of")]),
        ((0, 13, "A"), (0, 34, "A"), [("trailing", ("A",), "ben", "")]),
        ((9, 13, "B"), (9, 13, "A"), [("label", ("A", "B"), "ben", "door")]),
        ((4, 13, "B"), (9, 13, "A"), [("label", ("A", "B"), "ben", "left door"), ("leading", ("B",), "ann", "left")]),
        (None, (9, 13, "A"), [("missing", ("A",), "ben", "door")]),
        ((9, 13, "A"), None, [("missing", ("A",), "ann", "door")]),
    ],
)
def test_what_differs_and_who_has_it(one, other, expected):
    found = found_in([one] if one else [], [other] if other else [])
    assert [(each.kind, each.labels, each.having, each.words) for each in found] == expected
    assert all({each.having, each.lacking} == {"ann", "ben"} for each in found)


@tries(100)
@given(ANNOTATORS)
def test_each_span_that_only_one_of_two_marked_is_in_a_difference_and_in_one_place(spans):
    found = all_differences(shared((TEXT, spans)))
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
            (place.disputes, {*place.silent}, [(span, {*by}) for span, by in place.versions])
            for place in disputed_places(own)
        ]

    assert plain(shuffled) == plain(spans)


def test_patterns_have_the_numbers_of_the_rows_of_the_result():
    given = example()
    found = patterns(all_differences(given))
    for row in differences(given):
        kind = row.get("end", row["kind"])
        labels = {row["label"], row["instead"]} if kind == "label" else {row["label"]} if kind == "missing" else None
        (pattern,) = [
            each for each in found if each.kind == kind and (not labels or {*next(iter(each.labels))} == labels)
        ]
        ordered = kind != "label" or row["label"] < row["instead"]
        names = (row["one"], row["other"]) if ordered else (row["other"], row["one"])
        one_way = [each for each in pattern.members if (each.having, each.lacking) == names]
        other_way = [each for each in pattern.members if (each.lacking, each.having) == names]
        assert (len(one_way), len(other_way)) == (row["number"], row["reverse"])


def test_what_runs_one_way_comes_before_what_is_more_frequent():
    rule = found_in([(4, 13, "A")], [(9, 13, "A")], 6)
    noise = [*found_in([(21, 24, "B")], [], 6), *found_in([], [(21, 24, "B")], 6)]
    first, second = patterns([*noise, *rule])
    assert (first.kind, first.number, first.systematic, first.is_clear) == ("leading", 6, 6, True)
    assert (second.kind, second.number, second.systematic, second.is_clear) == ("missing", 12, 0, False)
    assert said(first) == "ann includes leading words of A that ben leaves out: 'left'"
    assert said(second) == "B that one annotator marks and another does not: 'car'"


@pytest.mark.parametrize(("number", "clear"), [(4, False), (5, True)])
def test_few_differences_of_one_direction_may_be_chance_unless_they_share_their_words(number, clear):
    found = found_in([(4, 13, "A")], [(9, 13, "A")], number)
    assert [pattern.is_clear for pattern in patterns(found)] == [clear]
    assert [pattern.is_clear for pattern in patterns(found, by_words=True)] == [True]


def test_the_sides_of_several_annotators():
    spans = {"cleo": [(4, 13, "A")], "ann": [(4, 13, "A")], "ben": [(9, 13, "A")]}
    (pattern,) = patterns(all_differences(shared(*[(TEXT, spans)] * 5)))
    assert pattern.sides == (["ann", "cleo"], ["ben"])
    assert said(pattern) == "ann and cleo include leading words of A that ben leaves out: 'left'"


def test_a_pattern_of_several_labels_names_none():
    spans = {"ann": [(4, 13, "A"), (17, 24, "B")], "ben": [(9, 13, "A"), (21, 24, "B")]}
    (pattern,) = patterns(all_differences(shared(*[(TEXT, spans)] * 3)))
    assert said(pattern, words=False) == "ann includes leading words of spans that ben leaves out"


def test_patterns_by_words_share_them_whatever_their_case():
    first = ("Left door", {"ann": [(0, 9, "A")], "ben": [(5, 9, "A")]})
    second = ("left  lamp", {"ann": [(0, 10, "A")], "ben": [(6, 10, "A")]})
    (pattern,) = patterns(all_differences(shared(first, second)), by_words=True)
    assert (pattern.words, pattern.number) == ("left", 2)


def test_without_a_text_there_are_differences_without_words():
    found = all_differences(shared((None, {"ann": [(4, 13, "A")], "ben": [(9, 13, "A")]})))
    assert [each.words for each in found] == [""]
    assert patterns(found, by_words=True) == []


def test_the_rule_in_which_the_example_annotators_differ_is_the_largest_difference():
    sentence = largest_difference(differences(example()))
    assert sentence.startswith(
        "the largest systematic difference: ann and cleo include leading words of FAILURE_LOC that ben leaves out, "
    )
    assert "such as 'left'" in sentence and "'left rear'" in sentence


def test_the_largest_difference_of_labels_is_that_of_all_pairs():
    spans = {"ben": [(9, 13, "A")], "ann": [(9, 13, "B")], "cleo": [(9, 13, "B")]}
    sentence = largest_difference(differences(shared(*[(TEXT, spans)] * 3)))
    assert (
        sentence == "the largest systematic difference: ben says A where ann and cleo say B, 6 times, such as 'door' 6"
    )
