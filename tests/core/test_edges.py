"""Signs that edges of spans are not as they should be, against a count one span at a time."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries

from spacy_nereval.core import edges
from spacy_nereval.core.edges import EdgeCounter, edge_lines

CHARACTERS = "ab_9 .\n\u2028é𝒜\u0301\ud800"


def is_edge(pair):
    return bool(re.fullmatch(r"\w\w", pair))


def looks_cut(text, start, end):
    """Return whether a span ends one character before the end of a word."""
    cuts = start == end or is_edge(text[max(end - 1, 0) : end + 1])
    return cuts and not is_edge(text[end : end + 2]) and text[end : end + 1].strip() != ""


@pytest.mark.parametrize("end, is_cut", [(2, True), (3, False), (1, False)])
def test_an_end_is_cut_one_character_before_that_of_a_word(end, is_cut):
    assert looks_cut("Ada met Bob", 0, end) is is_cut


def signs_one_by_one(documents):
    signs = Counter()
    for sides, text in documents:
        for side, spans in sides.items():
            places = {span[:2] for name, others in sides.items() if name != side for span in others}
            signs[side, "spans"] += len(spans)
            for start, end, _ in spans:
                if start < end and (text[start].isspace() or text[end - 1].isspace()):
                    signs[side, "space"] += 1
                elif looks_cut(text, start, end):
                    signs[side, "cut"] += 1
                signs[side, "empty"] += start == end
                signs[side, "placed"] += start in {place[0] for place in places}
                signs[side, "short"] += (start, end + 1) in places and (start, end) not in places
    return +signs


@st.composite
def documents(draw):
    text = draw(st.text(CHARACTERS, max_size=12))
    place = st.integers(0, len(text))
    span = st.tuples(place, place, st.sampled_from("AB")).map(lambda span: (min(span[:2]), max(span[:2]), span[2]))
    return {side: draw(st.sets(span, max_size=5)) for side in draw(st.sampled_from(["gp", "abc", "a"]))}, text


@tries(200)
@given(st.lists(documents(), max_size=5), st.sampled_from([0, 10, edges.TOGETHER]))
def test_edges_are_counted_as_one_by_one(corpus, together):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edges, "TOGETHER", together)
        counter = EdgeCounter()
        for sides, text in corpus:
            counter.add(sides, text)
    assert counter.signs == counter.signs == signs_one_by_one(corpus)


@tries(100)
@given(st.lists(documents(), max_size=5))
def test_columns_are_counted_as_documents(corpus):
    counter, texts = EdgeCounter(), [text for _, text in corpus]
    columns = {
        side: [
            np.array([(k, *span[:2])[at] for k, (sides, _) in enumerate(corpus) for span in sides.get(side, ())], int)
            for at in range(3)
        ]
        for side in "abcgp"
    }
    counter.add_columns(columns, texts)
    counter.add_columns(columns, texts)
    assert counter.signs == signs_one_by_one(corpus * 2)


def test_edges_of_invented_mentions_and_of_documents_without_text_are_not_judged():
    counter = EdgeCounter()
    counter.add({"gold": [(0, 2, "A"), (4, 6, "A")], "pred": []}, "Ada", [("pred", "read as X")])
    counter.add({"gold": [(0, 2, "A")], "pred": []}, None)
    counter.add_columns({"gold": [np.array(column) for column in ([0, 1, 1], [0, 0, 4], [2, 2, 6])]}, [None, "Bob"])
    assert counter.signs == {("gold", "spans"): 4, ("gold", "cut"): 2, ("pred", "read as X"): 1}


def marked(sign: str, *sides: str) -> Counter[tuple[str, str]]:
    """Signs of four spans on some sides, all with one sign."""
    return Counter({(side, word): 4 for side in sides for word in ("spans", "placed", sign)})


NO_CHARACTER = "have no character: end=%r, if an end is that of the last one"


@pytest.mark.parametrize(
    ("signs", "lines"),
    [
        (marked("empty", "gold"), ["⚠ 4 of 4 gold spans " + NO_CHARACTER % "inclusive,exclusive"]),
        (marked("empty", "pred"), ["⚠ 4 of 4 predicted spans " + NO_CHARACTER % "exclusive,inclusive"]),
        (
            marked("empty", "gold", "pred"),
            ["⚠ 4 of 4 gold spans and 4 of 4 predicted spans " + NO_CHARACTER % "inclusive"],
        ),
        (
            marked("cut", "gold") | marked("empty", "pred"),
            [
                "⚠ 4 of 4 gold spans end one character before a word does, so these ends look inclusive: "
                "end='inclusive'",
                "⚠ 4 of 4 predicted spans " + NO_CHARACTER % "inclusive",
            ],
        ),
        (
            marked("short", "pred"),
            [
                "⚠ 4 of 4 predicted spans end one character before one of the other side does, so these ends look "
                "inclusive: end='exclusive,inclusive'"
            ],
        ),
    ],
)
def test_the_end_that_is_advised_is_that_of_the_sides_that_are_marked(signs, lines):
    assert edge_lines(signs) == lines
