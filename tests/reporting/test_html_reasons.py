"""What the page says without scripts, of mentions that the text lacks, and by attributes that are asked for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import accepted, refused
from pages import HOSTILE, Parsed, system

from spacy_nereval import Confidence, Document, create
from spacy_nereval.evaluation.error_list import is_error
from spacy_nereval.reporting.html import page
from spacy_nereval.reporting.html.report_page import LONGEST, STATIC, StaticDocument, static_documents
from spacy_nereval.reporting.report_view import ReportView

FAIR = create("fair")


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
