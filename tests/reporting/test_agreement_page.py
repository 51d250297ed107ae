"""The page on agreement without a browser: what it says, that it stands alone, and that no text is markup."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

import pytest
from annotated import agreed, example, example_page, hostile, page_of, shared
from pages import Parsed

from spacy_nereval.core.mention_places import annexed
from spacy_nereval.reporting.html.agreement.data import disputes_of, page_data
from spacy_nereval.reporting.html.agreement.rows import annotator_rows, chance_rows, pair_scores


def test_the_first_screen_names_the_rule_in_which_the_examples_differ():
    text = Parsed(example_page()).text
    assert text.index("The largest systematic difference: ann and cleo include leading words of FAILURE_LOC") < 300
    assert "Scores over all pairs" in text
    assert "that ben leaves out, 62 times, such as 'left' 15, 'rear' 8, 'left rear' 7." in text
    assert "60 documents with 746 spans of 3 annotators. The strict F of two annotators is 78.53" in text


def test_the_page_stands_alone_and_its_policy_allows_only_its_own_script():
    page = example_page()
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//|@import|url\(", page)
    parsed = Parsed(page)
    (policy,) = [own["content"] for tag, own in parsed.tags if own.get("http-equiv") == "Content-Security-Policy"]
    for text in (*parsed.raw["script"][1:], *parsed.raw["style"]):
        assert f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" in policy
    assert len(parsed.raw["script"]) == 2  # the data and the page's own
    assert not [tag for tag, own in parsed.tags if "style" in own]


def test_no_text_label_id_or_name_is_markup():
    parsed, harmless = Parsed(page_of(hostile())), Parsed(page_of(example()))
    assert {tag for tag, _ in parsed.tags} <= {tag for tag, _ in harmless.tags} | {"strong"}
    assert {name for _, own in parsed.tags for name in own} <= {name for _, own in harmless.tags for name in own}
    assert "\u202e" not in parsed.text and "\x1b" not in parsed.text
    assert [entry["text"] for entry in parsed.data["documents"]] == [
        document.base.text for document in hostile().documents
    ]


def test_the_heat_map_has_the_scores_of_the_pairs():
    agreement, result = agreed(example(), ("strict", "slot_error"))
    found = {score.title: score for score in pair_scores(result, agreement.metrics)}
    assert [*found] == ["strict F", "ser", "kappa"]
    strict = [pair["metrics"]["strict"]["scores"]["f"] for pair in result["pairs"]]
    assert found["strict F"].values == strict
    assert found["strict F"].mean.text == f"{100 * sum(strict) / 3:.2f}"
    assert found["ser"].lower_is_better and "both directions" in found["ser"].about
    assert found["kappa"].values == [pair["kappa"] for pair in result["pairs"]]
    page = Parsed(page_of(example(), ("strict", "slot_error")))
    assert page.row("● ann")[2:] == [f"{100 * value:.1f}" for value in strict[:2]]


def test_the_tables_have_the_numbers_of_the_result():
    _, result = agreed(example(), ("strict",))
    page = Parsed(page_of(example(), ("strict",)))
    (loc, *_) = result["disputes"]["labels"]
    assert page.row("FAILURE_LOC")[1:3] == [str(loc["disputes"]), f"{100 * loc['share']:.0f} %"]
    assert page.row("alpha: which label, where marked alpha_label")[1] == f"{result['units']['alpha_label']:.3f}"
    worst = result["disputes"]["documents"][0]
    assert page.row(worst["document"])[1] == str(worst["disputes"])
    against = result["consensus"]["against"]["ben"]
    assert page.row("■ ben", "60")[3] == f"{100 * against:.2f}"


def test_undefined_measures_say_why():
    nested = shared(("a b c", {"ann": [(0, 5, "A"), (0, 1, "A")], "ben": [(0, 1, "A")]}))
    rows = {row.key: row for row in chance_rows(agreed(nested)[1])}
    assert rows["u_alpha"].value.text == "-"
    assert rows["u_alpha"].about.startswith("Undefined: spans of one annotator overlap")
    assert "fleiss" in rows


def test_annotators_who_agree_on_everything_have_a_page():
    same = {"ann": [(4, 13, "PART")], "ben": [(4, 13, "PART")]}
    page = Parsed(page_of(shared(("the left door leaks", same))))
    assert "The annotators agree on every span." in page.text
    assert "No document is disputed" in page.text
    assert page.data["documents"][0]["places"] == []


def test_spans_count_utf16_units_and_places_list_who_differs_how():
    text = "😀 left door"
    found = shared((text, {"ann": [(2, 11, "PART")], "ben": [(7, 11, "PART")], "cleo": []}))
    (entry,) = page_data(found, disputes_of(found))["documents"]
    assert entry["spans"] == [[3, 12, 0, [0]], [8, 12, 0, [1]]]
    kinds = [kind["name"] for kind in page_data(found, disputes_of(found))["kinds"]]
    leading, missing = kinds.index("leading"), kinds.index("missing")
    assert entry["places"] == [[0, 2, 4, [[leading, 0, 1], [missing, 0, 2], [missing, 1, 2]]]]


def test_a_page_of_documents_without_texts_and_ids():
    found = shared((None, {"ann": [(0, 2, "A")], "ben": [(1, 2, "A")]}), ids=False)
    page = Parsed(page_of(found))
    assert page.data["documents"][0]["id"] is None
    assert "0–2" in page.text


def test_more_annotators_than_colours_have_a_page():
    names = [f"a{k}" for k in range(10)]
    page = Parsed(
        page_of(
            shared(("left door", {name: [(0, k + 1, "A")] for k, name in enumerate(names[:8])} | {"a8": [], "a9": []}))
        )
    )
    assert page.row("● a8")[9:] == ["·", "-"]
    assert page.data["annotators"] == names


def test_what_the_text_does_not_have_is_no_part_of_it():
    text, lines = annexed("Ada met Bob", ["Eve"])
    found = shared((text, {"ann": [(0, 3, "PER"), (*lines["Eve"], "PER")], "ben": [(0, 3, "PER")]}))
    found.documents[0].base.annex = len("Ada met Bob")
    (entry,) = page_data(found, disputes_of(found))["documents"]
    assert entry["ends"] == 11
    assert "not in the text" in Parsed(page_of(found)).text


@pytest.mark.parametrize("names", [("ann", "ben"), ("ben", "cleo")])
def test_two_annotators_have_no_consensus_of_others(names):
    given = example(*names)
    page = Parsed(page_of(given))
    assert f"Agreement of {names[0]} and {names[1]}" in page.text
    assert f"{len(given.documents)} documents" in page.text


def test_annotators_have_the_documents_that_they_annotated():
    span = [(0, 3, "PER")]
    given = shared(("Ada", {"ann": span, "ben": span}), ("Bob", {"ann": span, "cleo": span}))
    found, result = agreed(given)
    rows = annotator_rows(result, given, found.metrics[0])
    assert [(row.name, row.documents) for row in rows] == [("ann", 2), ("ben", 1), ("cleo", 1)]
