"""The agreement of annotators as people see it: tables, findings, and the page without a browser."""

import pytest
from annotators import annotated, example, example_page, page_of, view_of
from pages import Parsed

from spacy_nereval.core.mention_places import append_annex
from spacy_nereval.reporting.result_table import Cost


def test_findings_name_the_documents_that_they_are_about():
    given = example()
    view = view_of(given)
    disputes, differences = view.result["disputes"], view.result["differences"]
    rows, spans = disputes["documents"], disputes["spans"]
    repeating = {place["document"] for row in differences for place in row["places"]}
    of_loc = {row["document"] for row in spans if row["label"] == "FAILURE_LOC"}
    headline, *others = view.findings()
    assert len(headline.documents) == differences[0]["documents"]
    assert {each.section: (each.sentence, len(each.documents)) for each in others} == {
        "differences": ("1 of 6 differences that repeat clearly goes one way", len(repeating)),
        "pairs": ("the two who agree least are ben and cleo", len(given.places("ben", "cleo"))),
        "chance": ("beyond chance, alpha is 0.86", 0),  # of all
        "labels": ("the label disputed most is FAILURE_LOC", len(of_loc)),
        "annotators": ("the annotator farthest from the others is ben", 40),
        "documents": ("4 of 60 documents have 21 % of the disputes", 4),
        "list": ("97 disputed places in 45 of 60 documents", 45),
    }
    known = {row["document"] for row in rows}
    assert all({*each.documents} <= known for each in others)
    (documents,) = (each.documents for each in others if each.section == "documents")
    assert documents == [row["document"] for row in rows[:4]]


def test_those_who_agree_least_have_the_highest_error_rate():
    spans = {"ann": [(0, 3, "A")], "ben": [(0, 3, "A")], "cleo": [(0, 2, "A")]}
    findings = view_of(annotated(("abc", spans)), ["slot_error"]).findings()
    assert {each.section: each.sentence for each in findings}["pairs"] == "the two who agree least are ben and cleo"


def test_tables_have_the_numbers_of_the_result_and_what_a_click_asks_for():
    view = view_of(example(), ("strict", "slot_error"))
    result, tables = view.result, {name: table for name in view.makers for table in view.tables([name])}
    scores = tables["pair-scores"]
    assert [*scores.header[3:]] == ["strict", "ser", "kappa"] and isinstance(scores.header[4], Cost)
    for row, pair in zip(scores.rows, result["pairs"], strict=True):
        strict, errors = (pair["metrics"][name]["scores"] for name in ("strict", "slot_error"))
        assert [*row[2:]] == [pair["documents"], strict["f"], errors["ser"], pair["kappa"]]
    assert scores.asks == [{"one": 0, "other": 1}, {"one": 0, "other": 2}, {"one": 1, "other": 2}]
    (loc, kind) = result["disputes"]["labels"]
    assert tables["labels"].rows[0][3:] == [loc["disputes"], loc["possible"], loc["share"]]
    assert tables["labels"].asks == tables["label-spans"].asks == [{"label": 0}, {"label": 1}]
    assert tables["label-spans"].rows == [["FAILURE_LOC", 144, 147, 105], ["FAILURE_TYPE", 127, 129, 94]]
    assert tables["label-spans"].rows[1][1:] == [*kind["spans"].values()]
    bens = [pair["metrics"]["strict"]["scores"]["f"] for pair in result["pairs"] if "ben" in (pair["a"], pair["b"])]
    mean = pytest.approx(sum(bens) / 2)
    assert tables["annotators"].rows[1] == ["ben", 60, 276, mean, result["consensus"]["against"]["ben"]]
    assert tables["documents"].rows[0][:2] == [result["disputes"]["documents"][0]["document"], 3]
    first, *_ = differences = tables["differences"].rows
    assert first[:4] == ["FAILURE_LOC", "without leading words", "ben", "all others"]
    assert [row[4:6] for row in differences] == [[row["number"], row["reverse"]] for row in result["differences"]]
    assert [ask["group"] for ask in tables["same-words"].asks[:2]] == [6, 7]
    kappas = [pair["kappa"] for pair in result["pairs"]]
    assert tables["scores"].rows[-1] == ["kappa", result["units"]["kappa"], None, min(kappas), max(kappas), None, 3]


def test_the_heat_map_has_the_scores_of_the_pairs_and_an_example_underlines_what_only_one_includes():
    page = Parsed(example_page())
    shown = [f"{100 * pair['metrics']['strict']['scores']['f']:.2f}" for pair in view_of(example()).result["pairs"]]
    assert page.row("● ann")[2:] == shown[:2]
    assert page.data["scores"][0]["shown"] == shown
    assert [score["better"] for score in page.data["scores"]] == [1, 1, -1, 1]  # of strict, char, errors and kappa
    assert "<mark>Right rear</mark> door must be slammed" in example_page()
    assert "In brackets: 95 % intervals over documents." in page.text and view_of(example()).interval_note == ""


def test_undefined_measures_say_why():
    nested = annotated(("a b c", {"ann": [(0, 5, "A"), (0, 1, "A")], "ben": [(0, 1, "A")]}))
    page = Parsed(page_of(nested))
    assert page.row("unitising alpha")[2] == "-"
    assert "Undefined: spans of one annotator overlap, such as those of ann in document d0" in page.text
    assert any("spans of one annotator overlap" in line for line in view_of(nested).closing())
    said = dict(view_of(nested).measures())
    assert said["alpha: span or no span"] == "Whether one of the tokens is marked at all, whatever its label."
    assert all(f"{measure}{about}" in page.text.replace("\n", "") for measure, about in said.items())


def test_annotators_who_agree_on_everything_have_a_page():
    same = [(4, 13, "PART")]
    page = Parsed(page_of(annotated(("the left door leaks", {"ann": same, "ben": same}))))
    for nothing in ("No span is disputed.", "No document is disputed", "No difference repeats", "No label is disputed"):
        assert nothing in page.text
    assert page.data["documents"][0]["places"] == []


def test_spans_count_utf16_units_and_places_list_who_differs_how():
    text = "😀 left door"
    found = annotated((text, {"ann": [(2, 11, "PART")], "ben": [(7, 11, "PART")], "cleo": []}))
    data = Parsed(page_of(found)).data
    (entry,) = data["documents"]
    assert entry["spans"] == [[3, 12, 0, [0]], [8, 12, 0, [1]]]
    kinds = [kind["name"] for kind in data["kinds"]]
    leading, missing = kinds.index("leading"), kinds.index("missing")
    assert entry["places"] == [[0, 2, 4, [[leading, 0, 1], [missing, 0, 2], [missing, 1, 2]]]]


def test_a_page_of_documents_without_texts_and_ids():
    found = annotated((None, {"ann": [(0, 2, "A")], "ben": [(1, 2, "A")]}), ids=False)
    page = Parsed(page_of(found))
    assert page.data["documents"][0]["id"] is None
    assert "0–2" in page.text


def test_more_annotators_than_colours_have_a_page():
    names = [f"a{k}" for k in range(10)]
    spans = {name: [(0, k + 1, "A")] for k, name in enumerate(names[:8])} | {"a8": [], "a9": []}
    page = Parsed(page_of(annotated(("left door", spans))))
    assert page.row("● a8")[9:] == ["·", "-"]
    assert page.data["annotators"] == names


def test_what_the_text_does_not_have_is_no_part_of_it():
    text, lines = append_annex("Ada met Bob", ["Eve"])
    found = annotated((text, {"ann": [(0, 3, "PER"), (*lines["Eve"], "PER")], "ben": [(0, 3, "PER")]}))
    found.documents[0].base.annex = len("Ada met Bob")
    page = Parsed(page_of(found))
    assert page.data["documents"][0]["ends"] == 11
    assert "not in the text" in page.text


def test_two_annotators_have_no_consensus_of_others():
    page = Parsed(page_of(example("ann", "ben")))
    assert "Agreement of ann and ben" in page.text and "others' majority" not in page.text
    assert "Strict F of ann and ben is 77.15" in page.text


@pytest.mark.parametrize(("metric", "column"), [("strict", "others' majority"), ("char", "others' majority, strict F")])
def test_the_column_of_the_majority_has_strict_f_whatever_the_metric(metric, column):
    both, one = [(0, 3, "A"), (4, 7, "A")], [(0, 3, "A")]
    given = annotated(("Ada Bob", {"ann": both, "ben": both, "cleo": one}))
    for table in view_of(given, [metric]).tables(["pairs", "annotators"]):
        assert table.header[-1] == column
        assert [row[-1] for row in table.rows] == [pytest.approx(2 / 3)] * 3


def test_annotators_have_the_documents_that_they_annotated():
    span = [(0, 3, "PER")]
    given = annotated(("Ada", {"ann": span, "ben": span}), ("Bob", {"ann": span, "cleo": span}))
    (table,) = view_of(given).tables(["annotators"])
    assert [row[:2] for row in table.rows] == [["ann", 2], ["ben", 1], ["cleo", 1]]


def test_the_page_lists_twelve_documents_and_counts_the_others():
    page, (table,) = Parsed(example_page()), view_of(example()).tables(["documents"])
    names = [str(row[0]) for row in table.rows]
    assert len(names) == 45 and "Most disputed documents (the first 12 of 45)" in example_page()
    assert sum(row[0] in names for row in page.rows) == 12 and "33 more documents with disputes" in page.text
