"""What the page says without scripts, of mentions that the text lacks, and by attributes that are asked for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import accepted, refused
from pages import HOSTILE, Parsed, system

from spacy_nereval import Confidence, Document, create
from spacy_nereval.reporting.html import page
from spacy_nereval.reporting.html.report.reasons import Example, reasons
from spacy_nereval.reporting.html.report.static import DOCUMENTS, LONGEST, static_documents

FAIR = create("fair")


def without_scripts(text: str) -> str:
    (found,) = text.split("</main>")[0].rsplit("<noscript>", 1)[1:]
    return " ".join(Parsed(found.split("</noscript>")[0]).text.split())


def test_without_scripts_the_first_documents_with_errors_are_there_and_the_rest_is_counted():
    documents = [Document([(0, 3, "PER")], [] if k % 2 else [(0, 3, "PER")], f"Ada {k}") for k in range(130)]
    said = without_scripts(page([system("one", *documents)]))
    assert f"the first {DOCUMENTS} of 65 documents with errors; 15 more" in said
    assert said.count("[PER missed]") == DOCUMENTS
    assert "Ada [PER missed] 1 " in said and "Ada [PER missed] 0 " not in said


def test_static_text_is_the_text_with_what_is_wrong_behind_each_error():
    document = Document([(4, 16, "PER"), (21, 24, "PER")], [(0, 16, "PER"), (8, 12, "X")], "the Ada Lovelace met Bob.")
    (found,) = static_documents([document], FAIR)
    assert "".join(part.text for part in found.stretches) == document.text
    ends = {"".join(p.text for p in found.stretches[: k + 1]): part.said for k, part in enumerate(found.stretches)}
    assert ends["the Ada Lovelace"] == ["PER longer than gold"]
    assert ends["the Ada Lovelace met Bob"] == ["PER missed"]
    assert [(part.text, part.gold, part.pred) for part in found.stretches][:2] == [
        ("the ", False, True),
        ("Ada ", True, True),
    ]
    long = Document([(5000, 5003, "A"), (9000, 9002, "B")], [], "x" * 10_000)
    (found,) = static_documents([long], FAIR)
    assert len("".join(part.text for part in found.stretches)) < LONGEST + 30
    assert found.stretches[-1].text == " … 1 more"


def test_hostile_texts_are_text_without_scripts_too():
    documents = [Document([(0, 2, label)], [], text, id=text) for text in HOSTILE for label in HOSTILE[:2]]
    found = Parsed(page([system("one", *documents)]))
    assert [attributes for tag, attributes in found.tags if tag == "img"] == []
    assert all("onclick" not in attributes for _, attributes in found.tags)


def invented() -> Document:
    found = Document([(0, 3, "PER")], [(15, 18, "PER"), (19, 22, "LOC")], "Ada met 😀 Bob.\nEve\nUlm")
    found.annex = 14
    return found


def test_mentions_that_the_text_lacks_are_marked_so():
    one = system("one", invented())
    data = Parsed(page([one])).data
    assert data["annexes"] == [[0, 15]]  # in UTF-16 units
    rows = reasons([one], FAIR, ["LOC", "PER"]).groups[0]["labels"]
    examples = {row.said: row.example for row in rows}
    assert examples["spurious PER"] == Example("not in the text: ", "Eve", "")
    assert examples["PER missed"] == Example("", "Ada", " met 😀 Bob.")
    assert "spurious PER (not in the text)" in without_scripts(page([one]))


def test_two_systems_have_the_difference_of_their_rates():
    documents = [Document([(0, 3, "PER")], [(0, 3, "PER")] * (k % 3 > 0), "Ada", id=str(k)) for k in range(30)]
    others = [Document(d.gold, d.gold, d.text, id=d.id) for d in documents]
    systems = [system("one", *documents), system("two", *others)]
    rates = Parsed(page(systems)).text.split("How often each label is predicted", 1)[1]
    assert rates.split("difference", 2)[-1].split()[:6] == ["PER", "30", "20", "0.67", "30", "1.00"]
    assert rates.split("difference", 2)[-1].split()[6] == "+0.33"


def test_the_label_of_most_gold_spans_comes_first_among_the_rates():
    spans = [(0, 1, "LOC"), (2, 3, "PER"), (4, 5, "PER"), (6, 7, "ORG"), (8, 9, "ORG"), (10, 11, "ORG")]
    rates = Parsed(page([system("one", Document(spans, spans, "a b c d e f"))])).text
    rates = rates.split("How often each label is predicted", 1)[1]
    assert [word for word in rates.split() if word in ("LOC", "PER", "ORG")][:3] == ["ORG", "PER", "LOC"]


def test_what_occurs_once_is_a_group_by_labels_alone():
    documents = [Document([(0, 3, "PER")], [], f"{word} left") for word in ("Ada", "Bob", "Bob")]
    (found,) = reasons([system("one", *documents)], FAIR, ["PER"]).groups
    assert [(row.words, row.number) for row in found["surface"]] == [("Bob", 2)]
    once = Document([(0, 3, "PER")], [(0, 8, "PER")], "Ada left")
    (found,) = reasons([system("one", once)], FAIR, ["PER"]).groups
    assert (found["surface"], found["slip"], [row.number for row in found["labels"]]) == ([], [], [1])


def test_words_beside_each_other_are_apart():
    documents = [Document([(0, 3, "PER")], [(0, 3, "PER")], "Ada", id=str(k)) for k in range(3)]
    documents.append(Document([(0, 3, "LOC")], [(0, 3, "PER")], "Ada", id="other"))
    systems = [system(name, *documents, metrics=["fair"]) for name in ("one", "two")]
    said = Parsed(page(systems, confidence=Confidence(samples=50))).text
    assert "gold has PER 3 times for these words, LOC 1; both systems predict PER" in said
    rates = said.split("How often each label is predicted")[-1]
    assert re.search(r"\[\d\.\d+, \d\.\d+\] few", rates)


def test_a_long_label_with_levels_keeps_its_last_one_in_headings():
    label = "/".join(["object"] * 9 + ["Pump"])
    documents = [Document([(0, 1, label)], [(0, 1, label)] * (k < 2), "a", id=str(k)) for k in range(12)]
    assert "…/Pump is predicted only 2 times" in Parsed(page([system("one", *documents)])).text


def test_the_three_errors_that_repeat_most_are_named():
    words = {"Ada": 4, "Bob": 3, "Eve": 2, "Dan": 2}
    documents = [Document([(0, 3, "PER")], [], f"{word} left") for word, number in words.items() for _ in range(number)]
    said = " ".join(Parsed(page([system("one", *documents)])).text.split())
    assert "Ada, PER missed (4 times); Bob, PER missed (3 times); Eve, PER missed (2 times)" in said


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    gold, pred = tmp_path / "gold.jsonl", tmp_path / "pred.jsonl"
    rows = [
        f'{{"text": "{"x " * k}Ada", "spans": [{{"start": {2 * k}, "end": {2 * k + 3}, "label": "PER"}}]}}'
        for k in range(80)
    ]
    gold.write_text("\n".join(rows))
    pred.write_text("\n".join(rows).replace('"end": 3,', '"end": 2,'))
    return [gold, pred]


def test_attributes_that_are_asked_for_come_first(files, tmp_path):
    accepted("report", *files, "--by", "sLen:2,40,eLen:2", "-o", tmp_path / "r.html")
    data = Parsed((tmp_path / "r.html").read_text(encoding="utf8")).data
    assert [each["title"] for each in data["slices"]] == [
        "sLen: words in the document", "Words in the span", "Capitals", "Place in the text",
    ]  # fmt: skip
    assert data["slices"][0]["buckets"] == ["1-2", "3-40", "41-80"] or len(data["slices"][0]["buckets"]) == 3
    numbers = [of[0] for of in data["slices"][0]["of"]]
    assert numbers == sorted(numbers) and len({*numbers}) == 3


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("nope", "there is no attribute 'nope'"),
        ("eFre", "eFre needs training data"),
        ("sLen:60", "--by sLen:60 makes 60 buckets; a report shows at most 36"),
    ],
)
def test_attributes_that_cannot_be_shown_are_refused(files, tmp_path, by, message):
    assert message in refused("report", *files, "--by", by, "-o", tmp_path / "r.html")
    assert not (tmp_path / "r.html").exists()
