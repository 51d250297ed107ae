"""The HTML report without a browser: what it says, also without scripts, and which systems it refuses."""

from __future__ import annotations

import re

import pytest
from pages import TEXTS, Parsed, small, system

from spacy_nereval import Confidence, Document, create, create_all
from spacy_nereval.evaluation.error_list import is_error
from spacy_nereval.reporting.html import page
from spacy_nereval.reporting.html.report_page import LONGEST, STATIC, StaticDocument, static_documents
from spacy_nereval.reporting.html.texts import breakable, in_context
from spacy_nereval.reporting.remarks import LONGEST as LONGEST_NAME
from spacy_nereval.reporting.remarks import in_sentence
from spacy_nereval.reporting.report_view import ReportView

FAIR = create("fair")


def test_gold_spans_have_the_outcomes_that_the_options_of_fair_give_them():
    tokens = [(0, 3), (4, 6), (7, 13), (13, 14)]
    sides = [Document([(0, 2, "PER")], pred, TEXTS[0], tokens=tokens) for pred in ([(2, 3, "PER")], [(0, 2, "PER")])]
    for unit, row in (("token", "boundary"), ("char", "missed")):
        systems = [system(n, d, metrics={"fair": {"unit": unit}}) for n, d in zip(("a", "b"), sides)]
        found = Parsed(page(systems))
        assert [cells for cells in found.rows if cells[:2] == [row, "1"]]
        assert "b fixes 1 gold span, breaks 0" in found.text


def test_the_rows_of_labels_come_by_their_gold_spans_the_most_first_and_then_by_name():
    often = {"C": 1, "B": 3, "D": 5, "A": 1, "E": 0}
    gold = [(10 * k + j, 10 * k + j + 1, label) for k, (label, n) in enumerate(often.items()) for j in range(n)]
    document = Document(gold, [*gold, (60, 61, "E")], "x" * 70)
    found = Parsed(page([system("a", document, metrics=["fair"])]))
    labels = [row[0].strip() for row in found.rows if row and row[0].strip() in often]
    assert labels[:5] == ["D", "B", "A", "C", "E"]


def test_metrics_that_mark_no_spans_and_the_licences_of_the_javascript_are_named():
    found = Parsed(page([small()]))
    marking = {metric["name"] for metric in found.data["metrics"]}
    others = [metric.name for metric in create_all() if metric.name not in marking]
    assert others and f"Not {', '.join(others)}: they do not give" in found.text
    authors = ("University of Washington Interactive Data Lab", "Mike Bostock")
    assert all(words in found.text for words in (*authors, "Neither the name of the copyright", "IN NO EVENT"))


@pytest.mark.parametrize(
    ("gold", "pred", "text"),
    [([], [], ""), ([], [(0, 1, "A")], "a"), ([(0, 1, "A")], [], "a"), ([(0, 1, "A")], [], None)],
    ids=["nothing", "no gold", "no predictions", "no text"],
)
def test_a_report_on_little_or_nothing_is_a_report(gold, pred, text):
    document = Document(gold, pred, text)
    found = Parsed(page([system(name, document, metrics=["strict", "fair", "semeval"]) for name in "ab"]))
    assert "1 document, " in found.text
    assert len(found.data["documents"]) == 1


ONE, OTHER = Document([(0, 1, "A")], [], "a"), Document([(0, 1, "B")], [], "a")


@pytest.mark.parametrize(
    ("sides", "said"),
    [
        ({"x": [ONE], "y": [ONE, ONE]}, "x has 1 documents and y has 2 documents"),
        ({"x": [ONE, ONE], "y": [ONE, OTHER]}, "document 1 of y has another text or gold annotation than that of x"),
        ({f"s{k}": [ONE] for k in range(9)}, "colours and symbols for at most 8 systems, 9 were given"),
    ],
    ids=["number", "gold", "many"],
)
def test_systems_that_do_not_belong_together_are_refused(sides, said):
    with pytest.raises(ValueError, match=said):
        page([system(name, *documents, metrics=["fair"]) for name, documents in sides.items()])


def test_systems_of_one_name_of_other_metrics_or_without_fair_are_refused():
    usual, fair, strict = (system("x", ONE, metrics=names) for names in (None, ["fair"], ["strict"]))
    with pytest.raises(ValueError, match="equal names: x, x"):
        page([usual, usual])
    with pytest.raises(ValueError, match="x and y cannot be in one report: one has the metrics"):
        page([usual, fair._replace(name="y")])
    with pytest.raises(ValueError, match="fair, which is not among the metrics"):
        page([strict])


# Without scripts


def static(document: Document) -> StaticDocument:
    (found,) = static_documents([document], {0: [v for v in FAIR.verdicts(document) if is_error(FAIR, v)]}, FAIR)
    return found


def without_scripts(text: str) -> str:
    (found,) = text.split("</main>")[0].rsplit("<noscript>", 1)[1:]
    return " ".join(Parsed(found.split("</noscript>")[0]).text.split())


def test_without_scripts_the_first_documents_with_errors_are_there_and_the_rest_is_counted():
    documents = [Document([(0, 3, "PER")], [] if k % 2 else [(0, 3, "PER")], f"Ada {k}") for k in range(130)]
    said = without_scripts(page([system("one", *documents)]))
    assert f"the first {STATIC} of 65 documents with errors; 15 more" in said
    assert said.count("[missed: PER]") == STATIC
    assert "Ada [missed: PER] 1 " in said and "Ada [missed: PER] 0 " not in said


def test_static_text_is_the_text_with_what_is_wrong_behind_each_error():
    document = Document([(4, 16, "PER"), (21, 24, "PER")], [(0, 16, "PER"), (8, 12, "X")], "the Ada Lovelace met Bob.")
    found = static(document)
    assert "".join(part.text for part in found.stretches) == document.text
    ends = {"".join(p.text for p in found.stretches[: k + 1]): part.said for k, part in enumerate(found.stretches)}
    assert ends["the Ada Lovelace"] == ["longer than gold: PER"]
    assert ends["the Ada Lovelace met Bob"] == ["missed: PER"]
    assert [(part.text, part.gold, part.pred) for part in found.stretches][:2] == [
        ("the ", False, True),
        ("Ada ", True, True),
    ]
    long = Document([(5000, 5003, "A"), (9000, 9002, "B")], [], "x" * 10_000)
    found = static(long)
    assert len("".join(part.text for part in found.stretches)) < LONGEST + 30
    assert found.stretches[-1].text == " … 1 more"


# Mentions that the text lacks, and names and contexts in sentences


def invented() -> Document:
    found = Document([(0, 3, "PER")], [(15, 18, "PER"), (19, 22, "LOC")], "Ada met 😀 Bob.\nEve\nUlm")
    found.annex = 14
    return found


def test_mentions_that_the_text_lacks_are_marked_so():
    one = system("one", invented())
    data = Parsed(page([one])).data
    assert data["annexes"] == [[0, 15]]  # in UTF-16 units
    (pairs,) = ReportView([one]).tables(["pairs"])
    examples = {row[:3]: row[-1] for row in map(tuple, pairs.rows)}
    assert examples["fp", None, "PER"] == "{Eve} (not in the text)"
    assert examples["fn", "PER", None] == "[Ada] met 😀 Bob."
    assert "spurious: PER (not in the text)" in without_scripts(page([one]))


def test_words_beside_each_other_are_apart():
    documents = [Document([(0, 3, "PER")], [(0, 3, "PER")], "Ada", id=str(k)) for k in range(3)]
    documents.append(Document([(0, 3, "LOC")], [(0, 3, "PER")], "Ada", id="other"))
    systems = [system(name, *documents, metrics=["fair"]) for name in ("one", "two")]
    said = Parsed(page(systems, confidence=Confidence(samples=50))).text
    assert "gold has PER 3 times for these words, LOC 1 (in 0, 1, 2); both systems predict PER" in said
    rates = said.split("How often each label is predicted")[-1]
    assert re.search(r"\[\d\.\d+, \d\.\d+\] few", rates)


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
    assert in_sentence('"' + "x" * LONGEST_NAME) == f'"{"x" * (LONGEST_NAME - 2)}…'
    assert in_sentence("  ") == "(empty)"
