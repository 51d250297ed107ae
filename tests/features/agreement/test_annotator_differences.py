"""Differences between annotators: each disputed span is in some, and a rule that only some follow comes first."""

import random
from collections import Counter
from functools import cache
from itertools import combinations

import pytest
from annotators import annotated, example, result_of
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries

from spacy_nereval.features.agreement.habits import Differences, difference_clause, difference_sentence
from spacy_nereval.features.agreement.votes import disputed_places

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
    ("one", "other", "kind", "labels", "having", "words", "disputed"),
    [
        ([LEFT_DOOR], [DOOR], "leading", "A", "ann", "left", "left"),
        ([DOOR], [LEFT_DOOR], "leading", "A", "ben", "left", "left"),
        ([DOOR], [(9, 24, "A")], "trailing", "A", "ben", "of the car", "of the car"),
        ([LEFT_DOOR], [(9, 16, "A")], "shifted", "A", "ann", "left door", "left door of"),
        ([(4, 16, "A")], [DOOR], "both", "A", "ann", "left … of", "left door of"),
        ([(0, 13, "A")], [(0, 34, "A")], "trailing", "A", "ben", "", "of the car leaks oil"),
        ([(9, 13, "B")], [DOOR], "label", "AB", "ben", "door", "door"),
        ([(4, 13, "B")], [DOOR], "label", "AB", "ben", "door", "left door"),
        ([], [DOOR], "missing", "A", "ben", "door", "door"),
        ([DOOR], [], "missing", "A", "ann", "door", "door"),
        ([DOOR], [(9, 14, "A")], "blank", "A", "ben", "", "door"),
        ([LEFT_DOOR], [(8, 13, "A")], "leading", "A", "ann", "left", "left"),
        ([(8, 13, "A")], [(9, 16, "A")], "trailing", "A", "ben", "of", "of"),
        ([LEFT_DOOR], [LEFT, DOOR], "merged", "A", "ann", "left door", "left door"),
    ],
)
def test_what_differs_and_who_has_it_and_which_words_are_disputed(one, other, kind, labels, having, words, disputed):
    found = found_in({"ann": one, "ben": other})
    (each,) = found.members
    assert (each.kind, each.labels, each.having, each.words) == (kind, (*labels,), having, words)
    assert {each.having, each.lacking} == {"ann", "ben"}
    start, end = found.stretch_in_dispute(each)
    assert TEXT[start:end] == disputed


@pytest.mark.parametrize(
    ("ann", "ben", "expected"),
    [
        ([LEFT_DOOR, LEFT], [LEFT_DOOR], ["nested ann"]),
        ([LEFT_DOOR], [LEFT_DOOR, (4, 13, "B")], ["nested ben"]),
        ([LEFT_DOOR, LEFT], [], ["missing ann", "missing ann"]),
        ([LEFT_DOOR, (4, 8, "B")], [(0, 13, "A"), (4, 8, "C")], ["label ann", "leading ben"]),
        ([LEFT_DOOR, LEFT], [(0, 13, "A")], ["leading ben", "missing ann"]),
        ([(4, 9, "A"), (9, 13, "A")], [LEFT, (8, 13, "A")], ["blank ann", "blank ben"]),
    ],
)
def test_the_kinds_of_places_with_nested_spans_and_gaps(ann, ben, expected):
    assert sorted(f"{each.kind} {each.having}" for each in found_in({"ann": ann, "ben": ben}).members) == expected


def test_one_long_span_for_several_is_one_place_of_one_rule_and_no_rule_about_words():
    (row,) = rows_of(*[{"ann": [LEFT_DOOR], "ben": [LEFT, DOOR], "cleo": [LEFT, DOOR]}] * 25)
    assert (row["kind"], row["one"], row["other"], row["number"]) == ("merged", ["ann"], ["ben", "cleo"], 25)
    assert row["clear"] and len(row["places"]) == 25
    assert row["example"] == {"document": "d0", "one_text": "left door", "other_text": "left + door"}
    assert difference_sentence(row) == "ann marks one A where ben and cleo mark several spans: 'left door' (25 places)"
    (row,) = rows_of(*[{"ann": [LEFT, DOOR], "ben": [LEFT_DOOR], "cleo": [LEFT_DOOR]}] * 25)
    assert difference_clause(row) == "ann marks several spans where ben and cleo mark one A"


def test_the_habits_of_several_annotators_about_one_label_are_rows_of_their_own():
    """Max adds cars, peter leaves doors out, each alone; lisa and maria do neither."""
    usual = {"lisa": [DOOR], "maria": [DOOR], "max": [DOOR], "peter": [DOOR]}
    added, left_out = {**usual, "max": [DOOR, (21, 24, "A")]}, {**usual, "peter": []}
    peter, max_ = rows_of(*[added] * 6, *[left_out] * 9)
    assert (peter["one"], peter["other"], peter["number"]) == (["lisa", "maria", "max"], ["peter"], 9)
    assert (max_["one"], max_["other"], max_["number"]) == (["max"], ["lisa", "maria", "peter"], 6)
    assert peter["clear"] and max_["clear"]
    assert difference_sentence(peter) == "peter marks nothing where lisa, maria and max mark A: 'door' (9 places)"


def test_the_first_habit_of_every_annotator_comes_before_the_second_of_any():
    usual = {"lisa": [LEFT_DOOR, CAR], "maria": [LEFT_DOOR, CAR], "max": [LEFT_DOOR, CAR]}
    one, two, three = {"max": [DOOR, CAR]}, {"max": [LEFT_DOOR]}, {"lisa": [(4, 13, "C"), CAR]}
    rows = rows_of(*[usual | one] * 20, *[usual | two] * 15, *[usual | three] * 10)
    assert [(row["number"], difference_clause(row).partition(" ")[0]) for row in rows] == [
        (20, "max"),
        (10, "lisa"),
        (15, "max"),
    ]


FLAT = st.lists(st.integers(0, 34), unique=True, max_size=8).map(
    lambda ends: [(a, b, "AB"[(a + b) % 2]) for a, b in zip(sorted(ends)[::2], sorted(ends)[1::2])]
)


def places_by_hand(one, other):
    """The places and kinds of two annotators without nested spans or a text, written out over characters."""
    sides = [{*one} - {*other}, {*other} - {*one}]
    agreed = {k for a, b, _ in {*one} & {*other} for k in range(a, b)}
    places = [[{span}, {found}] for span in sides[0] for found in sides[1] if span[:2] == found[:2]]
    places += [[{span} if k == 0 else set(), {span} if k == 1 else set()] for k in (0, 1) for span in sides[k]
               if not any(span in place[k] for place in places)]  # fmt: skip
    joined = []
    for place in places:
        meet = [other for other in joined if covered(set().union(*other)) & covered(set().union(*place))]
        both = [set().union(*side) for side in zip(place, *meet)]
        joined = [other for other in joined if other not in meet] + [both]
    return sorted((kind_by_hand(*place, agreed), sorted(place[0]), sorted(place[1])) for place in joined)


def covered(spans):
    return {k for a, b, _ in spans for k in range(a, b)}


def kind_by_hand(one, other, agreed):
    if not one or not other:
        return "nested" if covered(one | other) & agreed else "missing"
    if len(one) * len(other) == 1:
        (a,), (b,) = one, other
        if a[2] != b[2]:
            return "label"
        if not (covered(one) <= covered(other) or covered(other) <= covered(one)):
            return "shifted"
        return "trailing" if a[0] == b[0] else "leading" if a[1] == b[1] else "both"
    return "merged" if 1 in (len(one), len(other)) else "shifted"


@tries(200)
@given(FLAT, FLAT)
def test_places_and_kinds_are_those_written_out_over_characters(one, other):
    found = found_in({"ann": one, "ben": other}, text=None).members
    sides = [each.spans if each.having == "ann" else each.spans[::-1] for each in found]
    assert places_by_hand(one, other) == sorted(
        (each.kind, *([tuple(span) for span in side] for side in own)) for each, own in zip(found, sides)
    )


@tries(100)
@given(ANNOTATORS)
def test_each_span_that_only_one_of_two_marked_is_in_a_difference_and_in_one_place(spans):
    found = found_in(spans).members
    for a, b in combinations(spans, 2):
        own = [each for each in found if {each.having, each.lacking} == {a, b}]
        assert {
            (who, span) for each in own for who, side in zip((each.having, each.lacking), each.spans) for span in side
        } == {(who, span) for who, other in ((a, b), (b, a)) for span in spans[who] - spans[other]}
    places = [*disputed_places(spans)]
    assert sum(place.disputes for place in places) == sum(len(spans[a] ^ spans[b]) for a, b in combinations(spans, 2))
    shown = [version.span for place in places for version in place.versions]
    assert len(shown) == len({*shown})
    assert {span for each in found for side in each.spans for span in side} <= {*shown}


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


def places_of_rules(members):
    """The places of every rule, written out: differences of one rule that share characters are in one place."""
    rules = {}
    for each in members:
        rule = rules.setdefault((each.kind, each.labels if each.kind in ("label", "nested", "missing") else ()), [])
        chars = {(each.document, k) for k in range(*each.stretch)}
        meet = [place for place in rule if place[0] & chars]
        for place in meet:
            rule.remove(place)
        rule.append((chars.union(*(place[0] for place in meet)), [each, *(m for place in meet for m in place[1])]))
    return rules


@tries(100)
@given(st.lists(ANNOTATORS, min_size=1, max_size=6))
def test_rows_count_the_places_between_their_two_sides(documents):
    found = found_in(*documents)
    rules = places_of_rules(found.members)
    seen = {}
    for row in found.rows()["differences"]:
        labels = [row[key] for key in ("label", "instead") if key in row]
        rule = row.get("end", row["kind"]), tuple(sorted(labels))
        turned = labels != sorted(labels)
        sides = ({*row["one"]}, {*row["other"]})[:: -1 if turned else 1]

        def between(members, has, lacks):
            return [each for each in members if each.having in has and each.lacking in lacks]

        there = [place for place in rules[rule] if between(place[1], *sides)]
        back = [place for place in rules[rule] if between(place[1], *sides[::-1])]
        assert row["reverse"] == len(back)
        assert row["documents"] == len({place["document"] for place in row["places"]})
        assert row["number"] == len(row["places"]) <= len(there)
        only = [
            place
            for place in there
            if {each.having for each in place[1]} - {each.lacking for each in place[1]} <= sides[0]
            and {each.lacking for each in place[1]} - {each.having for each in place[1]} <= sides[1]
        ]
        all_of_the_rule = rule not in seen and row["number"] == len(there)
        habit = row["clear"] and len(only) >= row["number"] >= len(only) - len(seen.get(rule, ()))
        assert all_of_the_rule or habit
        own = {(place["document"], place["start"]) for place in row["places"]}
        assert not own & seen.setdefault(rule, set())
        seen[rule] |= own
        assert sum(pair["reverse"] for pair in row["pairs"]) == sum(len(between(p[1], *sides[::-1])) for p in back)


def test_a_clear_rule_comes_before_what_is_more_frequent():
    rule = [{"ann": [LEFT_DOOR], "ben": [DOOR]}] * 7
    noise = [*[{"ann": [CAR], "ben": []}] * 12, *[{"ann": [], "ben": [CAR]}] * 5]
    first, second = rows_of(*noise, *rule)
    assert (first["end"], first["number"], first["reverse"], first["clear"]) == ("leading", 7, 0, True)
    assert (second["kind"], second["number"], second["reverse"], second["clear"]) == ("missing", 12, 5, False)
    assert difference_sentence(first) == "ann includes leading 'left' of A where ben does not (7 places)"
    assert (
        difference_sentence(second) == "ann marks B where ben marks nothing: 'car' (12 places, 5 the other way round)"
    )
    assert (first["documents"], first["words"], first["labels"]) == (7, {"left": 7}, {"A": 7})
    assert first["example"] == {"document": "d17", "one_text": "left door", "other_text": "door"}
    assert first["places"][0] == {"document": "d17", "start": 4, "end": 13}


@pytest.mark.parametrize(("number", "clear"), [(2, False), (5, False), (6, True)])
def test_few_differences_of_one_direction_may_be_chance(number, clear):
    given = [{"ann": [LEFT_DOOR], "ben": [DOOR]}] * number
    for by_words in (False, True):
        assert [row["clear"] for row in rows_of(*given, by_words=by_words)] == [clear]
        assert rows_of(*given[:1], by_words=by_words) == []  # once is no repetition


@pytest.mark.parametrize(("back", "clear"), [(10, True), (11, False)])
def test_a_rule_is_clear_from_four_of_five_places_one_way(back, clear):
    first, *_ = rows_of(*[{"ann": [LEFT_DOOR], "ben": [DOOR]}] * 40, *[{"ann": [DOOR], "ben": [LEFT_DOOR]}] * back)
    assert (first["number"], first["reverse"], first["clear"]) == (40, back, clear)


def slips(chance, names, documents):
    """Annotators who overlook, shift or mislabel a span, or mark one too many, at random."""
    given = []
    for _ in range(documents):
        spans = {name: [] for name in names}
        for start in range(0, 32, 4):
            for name in names:
                slip = chance.random()
                if start % 8 and slip < 0.05:
                    spans[name].append((start, start + 2, chance.choice("ABC")))
                elif not start % 8 and slip > 0.05:
                    end = start + 2 + (slip < 0.15) - (slip > 0.9)
                    spans[name].append((start, end, "ABC"[(start // 8 + (0.2 < slip < 0.25)) % 3]))
        given.append(spans)
    return given


@pytest.mark.slow
@pytest.mark.parametrize("names", ["ab", "abcd"])
def test_annotators_with_slips_alone_seldom_have_a_clear_habit(names):
    """In at most one of twenty corpora, by the correction; before there was one, every fifth had such a habit."""
    chance = random.Random(5)
    found = [found_in(*slips(chance, names, 25), text=None).patterns for _ in range(60)]
    assert sum(any(pattern.is_clear for pattern in own) for own in found) <= 3
    assert sum(map(len, found)) > 300


def with_habits(chance, names):
    """Slips, some of which are habits of one or two; not everybody annotates everything."""
    lone, pair = chance.choice(names), chance.sample(names, min(2, len(names) - 1))
    for spans in slips(chance, names, 40):
        alone, both = chance.random() < 0.6, chance.random() < 0.6
        for name in names:
            if name == lone and alone:
                spans[name] = [span for span in spans[name] if span[2] != "A"]
            if (name in pair and both) or (name == lone and alone):
                spans[name] = [(a, b, "D" if label == "B" else label) for a, b, label in spans[name]]
        absent = chance.choice([None, None, *names]) if len(names) > 2 else None
        yield {name: own for name, own in spans.items() if name != absent}


def sides_by_hand(places):
    """Who has it and never lacks it in each place, and who lacks it and never has it; and the sides that are tried."""
    who = [({m.having for m in own}, {m.lacking for m in own}) for own in places]
    who = [(has - lacks, lacks - has) for has, lacks in who]
    part = frozenset(name for own in places for m in own for name in (m.having, m.lacking))
    camps = Counter(frozenset(side) for has, lacks in who for side in (has, part - lacks))
    tried = [frozenset(name) for name in sorted(part)] + [side for side, _ in camps.most_common()]
    sides = [(one, part - one) for each in tried for one in (each, part - each)]
    return who, dict.fromkeys((one, other) for one, other in sides if one and other)


def clear_habits_by_hand(members):
    """The clear rows, written out: all sides are tried on every place of a rule, again without the places found."""

    def tested(one, other, left):
        own = [k for k in left if all(who[k]) and who[k][0] <= one and who[k][1] <= other]
        way = sum(m.having in one and m.lacking in other for k in own for m in places[k])
        back = sum(m.having in other and m.lacking in one for m in sum(places, []))
        against = back * len(own) / max(way, 1)
        return own, against, min(1, 2 * sign_tail(len(own), against)) if own else 1

    rules = {rule: [own for _, own in found] for rule, found in places_of_rules(members).items() if rule[0] != "blank"}
    tests = []
    for places in rules.values():
        who, sides = sides_by_hand(places)
        for one, other in {frozenset(pair): pair for pair in sides}.values():
            both = [tested(*pair, range(len(places))) for pair in ((one, other), (other, one))]
            tests += [min(p for *_, p in both)] * (sum(len(own) for own, *_ in both) >= 6)
    rejected = [p for p in tests if all(q * sum(r >= q for r in tests) <= 0.05 for q in tests if q <= p)]
    for rule, places in rules.items():
        who, sides = sides_by_hand(places)
        left = {*range(len(places))}
        while True:
            found = [(*tested(*pair, sorted(left)), pair) for pair in sides]
            found = [each for each in found if len(each[0]) > 1 and len(each[0]) >= 0.8 * (len(each[0]) + each[1])]
            found = [each for each in found if each[2] <= max(rejected, default=0)]
            if not found:
                break
            own, _, _, (one, _) = max(found, key=lambda each: (len(each[0]) - each[1], len(each[0])))
            left -= {*own}
            yield rule, one, len(own)


@cache
def sign_tail(number, against, steps=2000):
    """The probability of so many or more of all that go either way: the beta function's integral, which is the sum of
    the binomial coefficients for whole numbers, and goes on between them."""
    weights = [(k + 0.5) ** (number - 1) * (2 * steps - k - 0.5) ** against for k in range(2 * steps)]
    return sum(weights[:steps]) / sum(weights)


@pytest.mark.parametrize(("names", "seed"), [(names, seed) for names in ("ab", "abc", "abcd") for seed in range(4)])
def test_the_sides_of_clear_habits_are_those_written_out(names, seed):
    found = found_in(*with_habits(random.Random(seed), names), text=None)
    given = []
    for row in found.rows()["differences"]:
        labels = [row[key] for key in ("label", "instead") if key in row]
        one = row["other" if labels != sorted(labels) else "one"]
        given += [((row.get("end", row["kind"]), tuple(sorted(labels))), frozenset(one), row["number"])] * row["clear"]
    assert given and sorted(given, key=repr) == sorted(clear_habits_by_hand(found.members), key=repr)


def test_what_goes_both_ways_alike_names_the_first_annotator_first():
    both = [{"ann": [CAR], "ben": []}, {"ann": [], "ben": [CAR]}] * 3
    (row,) = rows_of(*both)
    assert (row["one"], row["other"], row["number"], row["reverse"], row["clear"]) == (["ann"], ["ben"], 3, 3, False)


def test_the_sides_of_several_annotators():
    (row,) = rows_of(*[{"cleo": [LEFT_DOOR], "ann": [LEFT_DOOR], "ben": [DOOR]}] * 5)
    assert (row["one"], row["other"], row["number"]) == (["cleo", "ann"], ["ben"], 5)
    assert row["pairs"] == [{"one": name, "other": "ben", "number": 5, "reverse": 0} for name in ("ann", "cleo")]
    assert difference_clause(row) == "ben leaves out leading 'left' of A that cleo and ann include"


@pytest.mark.parametrize(
    ("names", "one"), [(("ann", "ben"), "ann"), (("ben", "ann"), "ben"), (("ann", "cleo", "ben"), "ben")]
)
def test_of_two_labels_that_of_fewer_annotators_is_named_first(names, one):
    spans = {name: [(9, 13, "B" if name == "ben" else "A")] for name in names}
    (row,) = rows_of(*[spans] * 3)
    assert row["one"] == [one] and (row["label"], row["instead"]) == (("B", "A") if one == "ben" else ("A", "B"))
    assert (row["number"], row["reverse"]) == (3, 0)
    assert row["example"]["one_text"] == "door"


def test_a_pattern_of_several_labels_names_none():
    (row,) = rows_of(*[{"ann": [LEFT_DOOR, (17, 24, "B")], "ben": [DOOR, (21, 24, "B")]}] * 3)
    assert row["labels"] == {"A": 3, "B": 3}
    assert difference_clause(row) == "ann includes leading 'left' where ben does not"


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
    (row,) = rows_of(*[{"ann": [(4, 34, "A")], "ben": [LEFT_DOOR]}] * 3)
    assert (row["end"], row["number"], row["words"]) == ("trailing", 3, {})
    assert difference_sentence(row) == "ann includes trailing words of A that ben leaves out (3 places)"


def test_white_space_at_an_end_is_no_rule():
    blanks = result_of(annotated(*[("Ada left", {"ann": [(0, 3, "A")], "ben": [(0, 4, "A")]})] * 12))
    assert blanks["differences"] == blanks["same_words"] == []
    assert len(blanks["disputes"]["spans"]) == 24


def test_the_rule_in_which_the_example_annotators_differ_comes_first():
    first, *rest = result_of(example())["differences"]
    sentence = difference_sentence(first)
    assert sentence == (
        "ben leaves out leading words of FAILURE_LOC that ann and cleo include: 'left', 'left rear', 'rear' and others "
        "(33 places)"
    )
    assert first["clear"] and not any(row["clear"] for row in rest)
