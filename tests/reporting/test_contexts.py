"""Stretches of text with their context, and names in sentences."""

from __future__ import annotations

from spacy_nereval import Document
from spacy_nereval.reporting.html.texts import breakable, in_context
from spacy_nereval.reporting.remarks import LONGEST, in_sentence


def test_a_context_begins_and_ends_with_whole_words_and_says_that_there_is_more():
    text = f"{'many more words ' * 9}Ada{' and so many others' * 9}"
    start = text.index("Ada")
    found = in_context(Document([], [], text), start, start + 3)
    assert found.text == "Ada"
    before, behind = found.left.removeprefix("… "), found.right.removesuffix(" …")
    assert text[:start].endswith(f" {before}") and text[start + 3 :].startswith(f"{behind} ")
    assert found.left != before and found.right != behind
    short = in_context(Document([], [], "met Ada again"), 4, 7)
    assert (short.left, short.right) == ("met ", " again")


def test_a_context_without_spaces_is_cut_where_it_has_to_be():
    text = "東京都の山田太郎は日本放送協会に行きました" * 6
    found = in_context(Document([], [], text), 60, 63)
    assert found.left == f"… {text[20:60]}" and found.right == f"{text[63:103]} …"


def test_a_long_name_is_cut_and_may_be_broken_where_words_join_on_a_page():
    assert breakable("wnut_no_org.jsonl: 45.28") == "wnut_<wbr>no_<wbr>org.<wbr>jsonl: 45.28"
    assert breakable("FailedState & <b>") == "Failed<wbr>State &amp; &lt;b&gt;"
    assert in_sentence('"' + "x" * LONGEST) == f'"{"x" * (LONGEST - 2)}…'
    assert in_sentence("  ") == "(empty)"
