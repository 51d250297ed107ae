"""Texts of a pair that differ in the forms of characters: aligned if asked for, else refused with the option."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from commands import accepted, flat, line, refused, write
from hypothesis import given
from hypothesis import strategies as st
from products import mostly_at_night
from profiles import tries
from refusals import refused_with

from spacy_nereval import agreement, load, score, thresholds
from spacy_nereval.core.arguments import NORMALISED
from spacy_nereval.io.records import Record, carry_side, project_spans

LIKE: dict[str, tuple[str, str, tuple[int, int], tuple[int, int]]] = {
    "brackets of treebanks": ("(A) met Bob", "-LRB- A -RRB- met Bob", (1, 2), (6, 7)),
    "brackets as part of a span": ("(A) met Bob", "-LRB- A -RRB- met Bob", (0, 3), (0, 13)),
    "other brackets": ("[a] {b}", "-lsb- a -rsb- -LCB- b -RCB-", (5, 6), (20, 21)),
    "quotes of treebanks": ('met "Bob" now', "met `` Bob '' now", (5, 8), (7, 10)),
    "brackets and quotes": ('(A) met "Bob"', "-LRB- A -RRB- met `` Bob ''", (9, 12), (21, 24)),
    "typographic quotes": ("met “Bob” now", 'met "Bob" now', (5, 8), (5, 8)),
    "guillemets": ("met «Bob» now", 'met "Bob" now', (5, 8), (5, 8)),
    "apostrophes": ("Ada’s dog", "Ada's dog", (0, 5), (0, 5)),
    "dashes": ("1990–2000 Bob", "1990--2000 Bob", (10, 13), (11, 14)),
    "an ellipsis": ("well… Bob", "well... Bob", (6, 9), (8, 11)),
    "composed accents": ("Zoé met", "Zoe\u0301 met", (0, 3), (0, 4)),
    "ligatures": ("ﬁne Bob", "fine Bob", (0, 3), (0, 4)),
    "full width": ("Ｂｏｂ met", "Bob met", (0, 3), (0, 3)),
    "a byte order mark": ("\ufeffBob met", "Bob met", (1, 4), (0, 3)),
    "zero width spaces": ("Bo\u200bb met", "Bob met", (0, 4), (0, 3)),
    "soft hyphens": ("Bo\xadb met", "Bob met", (0, 4), (0, 3)),
    "escaped slashes": ("and/or Bob", "and\\/or Bob", (7, 10), (8, 11)),
    "letters like apostrophes": ("Oʼneil Bob", "O'neil Bob", (0, 6), (0, 6)),
    "quotes of Chinese": ("「Bob」 ran", '"Bob" ran', (1, 4), (1, 4)),
    "fractions": ("½ Bob", "1/2 Bob", (2, 5), (4, 7)),
    "case too": ("“BOB” met", '"bob" met', (1, 4), (1, 4)),
    "references of HTML": ("A & B met <Bob>", "A &amp; B met &lt;Bob&gt;", (11, 14), (18, 21)),
    "numbers of characters": ("Zoë’s Bob", "Zo&#235;&#x2019;s Bob", (0, 5), (0, 17)),
    "a space of HTML": ("Ada\u00a0B met", "Ada&nbsp;B met", (0, 5), (0, 10)),
    "quotes of HTML": ('met "Bob"', "met &quot;Bob&quot;", (5, 8), (10, 13)),
    "no references": ("“R&D; &x;” Bob", '"R&D; &x;" Bob', (11, 14), (11, 14)),
    "an emoji's form": ("❤️ Bob", "❤ Bob", (3, 6), (2, 5)),
}


@pytest.mark.parametrize("name", LIKE)
def test_texts_that_are_alike_are_aligned_both_ways(name):
    """Each difference, in Python. The test below has every door."""
    one, other, span, place = LIKE[name]
    sides = [line(one, (*span, "PER"), id="1")], [line(other, (*place, "PER"), id="1")]
    for a, b in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="match_text='normalised' aligns these texts"):
            score(sides[a], sides[b], ["strict"])
        assert score(sides[a], sides[b], ["strict"], match_text="normalised").strict.f == 1


@pytest.mark.parametrize("name", mostly_at_night(LIKE, by_day=["brackets of treebanks", "numbers of characters"]))
def test_texts_that_are_alike_are_aligned_in_every_door(name, tmp_path):
    one, other, span, place = LIKE[name]
    gold, pred = line(one, (*span, "PER"), id="1"), line(other, (*place, "PER"), id="1")
    paths = write(tmp_path / "g.jsonl", gold), write(tmp_path / "p.jsonl", pred)
    normalised: dict[str, Any] = {"match_text": "normalised"}
    for a, b in ((0, 1), (1, 0)):
        rows, files = ([gold], [pred]), [*map(str, paths)]
        for sides in ((rows[a], rows[b]), (files[a], files[b]), (load(paths[a]), load(paths[b]))):
            with pytest.raises(ValueError, match="match_text='normalised' aligns these texts"):
                score(*sides, ["strict"])
            assert score(*sides, ["strict"], **normalised).strict.f == 1
        said = refused("score", paths[a], paths[b], "-m", "strict")
        assert said.endswith("--match-text normalised aligns these texts")
        done = accepted("score", paths[a], paths[b], "-m", "strict", "--match-text", "normalised")
        assert "strict F 100.00" in flat(done)
        found = agreement({"a": files[a], "b": files[b]}, **normalised)
        assert found["metrics"]["strict"]["f"]["mean"] == 1
        assert agreement({"a": rows[a], "b": rows[b]}, **normalised)["metrics"]["strict"]["f"]["mean"] == 1
    assert "--match-text normalised aligns" in refused("agreement", *paths)
    accepted("agreement", *paths, "--match-text", "normalised")
    scored = pred | {"spans": [pred["spans"][0] | {"score": 0.5}]}
    assert thresholds([gold], [scored], ["strict"], **normalised)["best"]["cut"] == 0.5


def test_texts_that_differ_otherwise_are_refused_without_the_option(tmp_path):
    gold, pred = (
        write(tmp_path / "g.jsonl", line("Ada met", id="1")),
        write(tmp_path / "p.jsonl", line("Adam met", id="1")),
    )
    assert "normalised" not in refused("score", gold, pred)
    assert "'m' at 3 against 'm' at 4" not in refused("score", gold, pred, "--match-text", "normalised")
    assert "the predicted text differs" in refused("score", gold, pred, "--match-text", "normalised")
    assert "--match-text x: expected one of same, normalised" in refused("score", gold, pred, "--match-text", "x")


def test_agreement_names_the_option_where_no_document_or_only_some_are_shared(tmp_path):
    """Without ids, texts alone say which documents belong together."""
    ann = [line("(Ada) met", (1, 4, "PER")), line("Bob met", (0, 3, "PER"))]
    ben = [line("-LRB- Ada -RRB- met", (6, 9, "PER")), line("Bob met", (0, 3, "PER"))]
    for number in (1, 2):
        sides = {"a": ann[:number], "b": ben[:number]}
        assert agreement(sides, match_text="normalised")["metrics"]["strict"]["f"]["mean"] == 1
    with refused_with(
        ValueError,
        "a and b share no document that two of them annotated; match_text='normalised' aligns texts of theirs",
    ):
        agreement({"a": ann[:1], "b": ben[:1]})
    with pytest.warns(UserWarning, match="1 text of one annotator alone is another's .*match_text='normalised' aligns"):
        assert agreement({"a": ann, "b": ben})["documents"] == 1
    paths = [write(tmp_path / f"{name}.jsonl", *side[:1]) for name, side in (("a", ann), ("b", ben))]
    assert "--match-text normalised aligns texts of theirs" in refused("agreement", *paths)
    other = write(tmp_path / "c.jsonl", line("Eve met"))
    assert "--match-text" not in refused("agreement", paths[0], other)


def test_documents_are_paired_by_texts_that_are_alike(tmp_path):
    one, other, span, place = LIKE["brackets of treebanks"]
    gold, pred = line(one, (*span, "PER"), id="a"), line(other, (*place, "PER"), id="b")
    with pytest.warns(UserWarning, match="paired by text"):
        assert score([gold], [pred], ["strict"], match_text="normalised").strict.f == 1
    pairs = agreement({"a": [gold | {"id": None}], "b": [pred | {"id": None}]}, match_text="normalised")
    assert pairs["metrics"]["strict"]["f"]["mean"] == 1


def test_all_places_of_a_side_are_carried():
    side = Record("-LRB- A -RRB- B", {(6, 7, "A")}, [(0, 5)], gaps=((14, 15),), surfaces={(6, 7): "a"})
    found = carry_side(side, "(A) B")
    assert (found.text, found.spans, found.gaps, found.surfaces) == ("(A) B", {(1, 2, "A")}, ((4, 5),), {(1, 2): "a"})
    assert found.tokens is None and carry_side(found, "(A) B") is found


FORMS = {
    "(": ["(", "-LRB-", "-lrb-"],
    '"': ['"', "``", "''", "“", "”"],
    "-": ["-", "–", "--", "—"],
    "é": ["é", "e\u0301"],
}
FORMS |= {"a": ["a", "ａ", "A"], " ": [" ", "\xa0", " \u200b "], ".": [".", "\u200b."], "b": ["b"]}


@tries(150)
@given(st.lists(st.sampled_from([*FORMS]), min_size=1, max_size=8).map("".join), st.data())
def test_a_span_comes_back_from_every_way_of_writing_a_text(plain, data):
    """Texts are written twice character by character, so the places of all characters are known."""
    texts, places = [], []
    for _ in range(2):
        parts = [data.draw(st.sampled_from(FORMS[c])) for c in plain]
        texts.append(" ".join(parts))
        ends = [sum(map(len, parts[: k + 1])) + k for k in range(len(parts))]
        places.append([(end - len(part), end) for part, end in zip(parts, ends)])
    first = data.draw(st.integers(0, len(plain) - 1))
    last = data.draw(st.integers(first, len(plain) - 1))
    if {"-", " "} & {*plain}:  # dashes next to each other are one, and white space has no place
        plain_spans = [(0, len(texts[0]), "A")]
        (found,) = project_spans(plain_spans, *texts, NORMALISED)
        assert 0 <= found[0] <= found[1] <= len(texts[1])
        return
    spans = [(places[side][first][0], places[side][last][1], "A") for side in (0, 1)]
    (found,) = project_spans(spans[:1], *texts, NORMALISED)
    assert texts[1][slice(*found[:2])].strip("\u200b") == texts[1][slice(*spans[1][:2])].strip("\u200b")
    side = carry_side(Record(texts[0], {spans[0]}, span_scores={spans[0]: 1}), texts[1])
    assert {*side.spans} == {found} == {*side.span_scores}


@tries(100)
@given(st.text(max_size=12))
def test_any_text_is_like_itself(text):
    spans = [(a, b, "A") for a in range(len(text) + 1) for b in range(a, len(text) + 1)]
    for start, end, _ in project_spans(spans, text, text, NORMALISED):
        assert 0 <= start <= end <= len(text)
    with TemporaryDirectory() as folder:
        path = write(Path(folder, "a.jsonl"), {"text": text, "spans": []})
        assert len(load(path)) == 1
