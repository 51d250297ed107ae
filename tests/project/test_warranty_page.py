"""The page of the warranty corpus says what its files hold."""

from __future__ import annotations

import json
from collections import Counter

import pytest
import spacy
from places import ROOT

FOLDER = ROOT / "assets" / "warranty"
nlp = spacy.blank("en")


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_the_numbers_of_the_page_are_those_of_the_files_and_every_span_begins_and_ends_with_a_token(split):
    entries = [json.loads(line) for line in (FOLDER / f"{split}.jsonl").read_text(encoding="utf8").splitlines()]
    labels = Counter(span["label"] for entry in entries for span in entry["spans"])
    without = sum(not entry["spans"] for entry in entries)
    row = f"| {split} | {len(entries)} | {without} | {labels['FAILURE_LOC']:,} | {labels['FAILURE_TYPE']:,} |"
    assert row in (FOLDER / "README.md").read_text(encoding="utf8")
    for entry in entries:
        doc = nlp.make_doc(entry["text"])
        for span in entry["spans"]:
            assert doc.char_span(span["start"], span["end"]) is not None, (entry["id"], span)


def test_the_scores_that_the_page_compares_with_are_those_of_the_results():
    page = " ".join((FOLDER / "README.md").read_text(encoding="utf8").split())
    results = (ROOT / "docs" / "explanation" / "results.md").read_text(encoding="utf8").split("\n## warranty\n")[1]
    (row,) = [line for line in results.split("\n## ")[0].splitlines() if line.startswith("| strict |")]
    cpu, paper = (float(cell.split("[")[0]) for cell in row.split("|")[2:6:2])
    assert f"reaches {cpu:.1f} and a fine-tuned transformer {paper:.1f}" in page
