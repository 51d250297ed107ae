"""Mentions without offsets: where they are found, and what becomes of those that are not."""

import json
import pickle
from fractions import Fraction
from itertools import combinations
from unicodedata import category, normalize

import pytest
from asking import refusal
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries

from spacy_nereval import Document, count, create, evaluate, locate, score
from spacy_nereval.core.arguments import LEVELS, OCCURRENCES
from spacy_nereval.core.mention_places import NUMBERS, canonical, share_annex
from spacy_nereval.evaluation.breakdown import ATTRIBUTES, AttributeContext
from spacy_nereval.io.count_files import load, merge, save
from spacy_nereval.io.records import Record, locate_mentions, pair

TEXT = "Dr. Ada Lovelace met Bob in New\xa0York. Bob left NEW YORK for Bobville; Ada’s Engine stayed."


GOLD = {(4, 16, "PER"), (21, 24, "PER"), (28, 36, "LOC"), (38, 41, "PER"), (47, 55, "LOC"), (60, 68, "LOC")}


LISTED = [
    *[("ada lovelace", "PER"), ("Bob", "PER"), ("New York", "LOC"), ("Bob", "PER"), ("Bob", "PER")],
    *[("Ada's Engine", "MISC"), ("Charles Babbage", "PER"), ("Bobville", "PER")],
]


def paired(**options) -> Document:
    document = pair(Record(TEXT, GOLD), locate_mentions(Record(TEXT, set()), LISTED, **options))
    assert document
    return document


# The worked example


def test_where_the_mentions_of_the_example_are():
    found = locate(TEXT, LISTED)
    assert found.numbers == dict.fromkeys(NUMBERS, 0) | {
        "listed": 8, "exact": 4, "normalised": 2, "caseless": 1, "invented": 1, "repeated": 1
    }  # fmt: skip
    assert found.invented == [("Charles Babbage", "PER")]
    assert locate(TEXT, LISTED, occurrences="first").numbers == found.numbers


SCORES_BY_OPTIONS = [
    ({}, Fraction(4, 7), Fraction(4, 6), 1),
    ({"occurrences": "first"}, Fraction(3, 6), Fraction(3, 6), 1),
    ({"match": "exact"}, Fraction(2, 7), Fraction(2, 6), 4),
    ({"match": "normalised"}, Fraction(3, 7), Fraction(3, 6), 2),
]


@pytest.mark.parametrize(("options", "p", "r", "invented"), SCORES_BY_OPTIONS)
def test_strict_scores_of_the_example(options, p, r, invented):
    document = paired(**options)
    found = score([document], ["strict"])
    scores = found["metrics"]["strict"]["scores"]
    assert (scores["p"], scores["r"]) == (float(p), float(r))
    assert found["mentions"]["invented"] == invented


def test_the_invented_mention_counts_as_spurious_for_every_metric():
    found = score([paired()], ["fair", "slot_error", "wrf"])["metrics"]
    assert {name: n for name, n in found["fair"]["counts"].items() if n} == {"tp": 4, "fp": 2, "fn": 1, "le": 1}
    assert found["slot_error"]["scores"]["ser"] == pytest.approx(2 / 3)
    assert found["wrf"]["scores"]["wrf"] == pytest.approx(0.5542, abs=5e-5)


# Where strings are found


FOUND = [
    ("İstanbul and Rome", "rome", [(13, 17)]),  # text.lower() would be longer than the text
    ("Bob in Bobville", "Bob", [(0, 3)]),
    ("我在北京工作", "北京", [(2, 4)]),
    ("#Obama2012", "Obama", [(1, 6)]),
    ("inter\xadnational law", "international", [(0, 14)]),
    ("a  new\n york", "New York", [(3, 12)]),
    ("ﬁve", "five", [(0, 3)]),
    ("straße", "STRASSE", [(0, 6)]),
    ("strass", "ß", [(4, 6)]),  # ss is what ß is without case
    ("cafe\u0301 bar", "café", [(0, 5)]),
    ("cafe\u0301 bar", "cafe", []),  # the mark belongs to the letter
    ("cafe\u0301s cafe\u0301", "cafe\u0301", [(7, 12)]),  # and the letter to its word
    ("e\u0301cafe\u0301 cafe\u0301", "cafe\u0301", [(8, 13)]),
    ("bob met Bob", "Bob", [(8, 11)]),  # as it is, so that the other is not looked for
    ("“Ada”–Bob", '"ada"-bob', [(0, 9)]),
    ("Bob_1", "Bob", [(0, 3)]),
    ("met Bob in", " Bob ", [(4, 7)]),
    ("", "Bob", []),
]


@pytest.mark.parametrize(("text", "string", "places"), FOUND)
def test_where_a_string_is_found(text, string, places):
    found = locate(text, [(string, "X")], occurrences="all")
    assert [span[:2] for span in found.spans] == places


def test_the_nth_listing_takes_the_nth_occurrence():
    text = "Bob bob Bob"
    for times, spans, repeated, ambiguous in ((1, 1, 0, 1), (2, 2, 0, 0), (3, 2, 1, 0)):
        found = locate(text, [("Bob", "PER")] * times)
        assert len(found.spans) == spans
        assert (found.numbers["repeated"], found.numbers["ambiguous"]) == (repeated, ambiguous)
    assert [*locate(text, [("Bob", "PER"), ("Bob", "ORG")]).spans] == [(0, 3, "PER"), (0, 3, "ORG")]


def test_empty_strings_are_counted_and_dropped():
    found = locate("Ada", [("", "PER"), (" \xad", "PER"), ("Ada", "PER")])
    assert found.spans == [(0, 3, "PER")] and not found.invented
    assert (found.numbers["listed"], found.numbers["empty"]) == (3, 2)


@pytest.mark.parametrize("options", [{"match": "fuzzy"}, {"occurrences": "last"}])
def test_unknown_options_are_refused(options):
    assert "expected one of" in refusal(locate, "Ada", [], **options)


# The annex


def test_the_annex_follows_the_text_and_has_tokens():
    gold = Record("Ada slept", {(0, 3, "PER")}, [(0, 3), (4, 9)])
    pred = locate_mentions(Record("Ada slept", set()), [("Charles Babbage", "PER"), ("Bob", "PER"), ("Bob", "ORG")])
    document = pair(gold, pred)
    assert document.text == "Ada slept\nCharles Babbage\nBob" and document.own_text == "Ada slept"
    assert document.annex == 9
    assert document.tokens == [(0, 3), (4, 9), (10, 17), (18, 25), (26, 29)]
    assert document.pred == ((10, 25, "PER"), (26, 29, "ORG"), (26, 29, "PER"))
    assert [document.is_invented(span) for span in (*document.gold, *document.pred)] == [False, True, True, True]


def test_a_mention_that_both_sides_invent_is_a_hit():
    side = locate_mentions(Record("Ada", set()), [("Bob", "PER")])
    assert score([pair(side, side)], ["strict"])["metrics"]["strict"]["counts"] == {"tp": 1, "fp": 0, "fn": 0}


def test_what_begins_where_the_text_ends_is_of_the_text():
    document = Document([], [(7, 7, "A"), (8, 11, "A")], "Ada met\nEve")
    document.annex = 7
    assert [document.is_invented(span) for span in document.pred] == [False, True]


def test_lengths_and_densities_stop_before_the_annex():
    gold = Record("Ada slept", {(0, 3, "PER")})
    plain, invented = (
        pair(gold, locate_mentions(gold, mentions)._replace(spans=set())) for mentions in ([], [("Bob", "X")])
    )
    for name in ("sLen", "eDen"):
        values = [ATTRIBUTES[name].value(AttributeContext(doc), doc.gold[0]) for doc in (plain, invented)]
        assert values[0] == values[1], name
    assert ATTRIBUTES["position"].value(AttributeContext(invented), invented.pred[0]) == 1


def test_units_do_not_depend_on_what_a_system_invents():
    """Else documents without ids would not pair up between systems."""
    gold = Record("Ada slept", {(0, 3, "PER")})
    units = [
        count([pair(gold, locate_mentions(gold, mentions))], [create("strict")]).units
        for mentions in ([], [("Bob", "X")])
    ]
    assert units[0] == units[1]


def test_predicted_texts_that_differ_in_white_space_keep_their_strings():
    pred = locate_mentions(Record("ada  slept", set()), [("ADA", "PER"), ("Slept", "V")])
    document = pair(Record("Ada slept", set()), pred)
    assert document.sides[1] and document.surfaces[1] == {(0, 3): "ADA", (4, 9): "Slept"}


def test_systems_with_other_inventions_get_one_annex():
    gold = locate_mentions(Record("Ada slept", set(), [(0, 3), (4, 9)]), [("Ada", "PER"), ("Eve", "PER")])
    systems = [
        locate_mentions(Record("Ada slept", set()), [(name, "PER"), ("Ada", "PER")]) for name in ("Zoe", "Eve", "Bob B")
    ]
    before = [pair(gold, system) for system in systems]
    after = share_annex(before)
    assert {document.text for document in after} == {"Ada slept\nEve\nZoe\nBob B"}
    assert {tuple(document.tokens) for document in after} == {((0, 3), (4, 9), (10, 13), (14, 17), (18, 21), (22, 23))}
    assert len({document.gold for document in after}) == 1
    for a, b in zip(before, after):
        assert score([a], ["strict", "fair"])["metrics"] == score([b], ["strict", "fair"])["metrics"]
        assert {a.text[s:e] for s, e, _ in a.pred} == {b.text[s:e] for s, e, _ in b.pred}
    assert share_annex([Document([], [], "a")])[0].text == "a"


# Counts and files


def counted(**options):
    return count([paired(**options)], [create("strict")])


def test_the_signature_says_how_mentions_were_looked_for():
    assert "|mentions:listed,caseless|" in evaluate(counted())["signature"]
    assert "|mentions:first,exact|" in evaluate(counted(match="exact", occurrences="first"))["signature"]
    plain = score([Document([], [(0, 1, "A")])], ["strict"])
    assert "mentions" not in plain and "mentions" not in plain["signature"]


def test_counts_of_mentions_that_were_looked_for_in_other_ways_do_not_add_up(tmp_path):
    both = counted() + counted()
    assert both.mentions["listed"] == 16 and evaluate(both)["mentions"]["invented"] == 2
    wrong = counted()
    wrong.mentions["listed"] = 0
    save(both, tmp_path / "a.npz")
    with pytest.raises(ValueError, match="the numbers of mentions do not fit"):
        save(wrong, tmp_path / "b.npz")
    assert evaluate(load(tmp_path / "a.npz")) == evaluate(both) == evaluate(pickle.loads(pickle.dumps(both)))
    json.dumps(evaluate(both))


def test_how_mentions_were_looked_for_is_kept_beside_counts_without_any(tmp_path):
    ours, without = counted(match="exact"), count([Document([(0, 1, "A")], [])], [create("strict")])
    sums = [ours + without, without + ours]
    for name, counts in zip(("a.npz", "b.npz"), (without, ours)):
        save(counts, tmp_path / name)
    sums.append(merge([tmp_path / "a.npz", tmp_path / "b.npz"]))
    assert ["|mentions:listed,exact|" in evaluate(added)["signature"] for added in sums] == [True] * 3


# Against a twin that tries every stretch of the text

CHARACTERS = "aAbB -–’'ﬁİe\u0301\xad\xa0北_1"


WORDS = st.text(CHARACTERS, max_size=5)


def form(text: str, level: str) -> str:
    """A whole string in the form of a level, at once."""
    if level == "exact":
        return text
    for there, here in ("’'", "–-", ("\xad", "")):
        text = text.replace(there, here)
    text = normalize("NFKC", text)
    if level == "caseless":
        text = normalize("NFKC", text.casefold())
    return " ".join(text.split())


def whole(text: str, at: int) -> bool:
    """Whether no combining mark follows."""
    return at == len(text) or at == 0 or category(text[at])[0] != "M"


def edge(text: str, at: int) -> bool:
    if at in (0, len(text)):
        return True
    letter = next((c for c in reversed(text[:at]) if category(c)[0] != "M"), text[0])
    return not all(c.isalnum() or c == "_" for c in (letter, text[at]))


def twin(text: str, string: str, match: str) -> tuple[str, list[tuple[int, int]]]:
    if not form(string, "normalised"):
        return "empty", []
    for inside in (False, True):
        for level in LEVELS[: LEVELS.index(match) + 1]:
            if level == "exact" and string != string.strip():
                continue
            found: list[tuple[int, int]] = []
            for start, end in sorted(combinations(range(len(text) + 1), 2)):
                part = text[start:end]
                if level != "exact" and (part[0] in " \xa0\xad" or part[-1] in " \xa0\xad"):
                    continue
                fits = form(part, level) == form(string, level) and whole(text, start) and whole(text, end)
                if fits and (inside or edge(text, start) and edge(text, end)) and (not found or found[-1][1] <= start):
                    found.append((start, end))
            if found:
                return "inside" if inside else level, found
    return "invented", []


@tries(400)
@given(parts=st.lists(WORDS, max_size=4), string=WORDS, match=st.sampled_from(LEVELS), cut=st.booleans())
def test_strings_are_found_where_the_twin_finds_them(parts, string, match, cut):
    text = " ".join([*parts, string.upper() if cut else string, *parts[:1]])[:14]
    level, places = twin(text, string, match)
    found = locate(text, [(string, "X")], match, "all")
    assert sorted(span[:2] for span in found.spans) == places
    assert found.numbers[level] == 1


@tries(200)
@given(
    text=st.text("aAb ’'", max_size=12),
    mentions=st.lists(st.tuples(st.text("aAb '", max_size=3), st.sampled_from("XY")), max_size=6),
    match=st.sampled_from(LEVELS),
    occurrences=st.sampled_from(OCCURRENCES),
)
def test_the_numbers_add_up_and_every_span_has_its_string(text, mentions, match, occurrences):
    found = locate(text, mentions, match, occurrences)
    numbers = found.numbers
    assert numbers["listed"] == len(mentions)
    assert sum(numbers[name] for name in (*LEVELS, "inside", "invented", "empty")) == len(mentions)
    assert len(found.spans) == len({*found.spans})
    for start, end, label in found.spans:
        string = found.surfaces[start, end]
        assert canonical(text[start:end], match) == canonical(string, match)
        assert any(canonical(s, match) == canonical(string, match) for s, other in mentions if other == label)
    assert {*found.invented} <= {*mentions}
