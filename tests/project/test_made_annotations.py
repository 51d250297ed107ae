"""The three annotations in assets/agreement are what the script makes of the warranty corpus, as their page says."""

from __future__ import annotations

import json
import random
import re

import pytest
from places import ROOT, script

FOLDER = ROOT / "assets" / "agreement"
PAGE = (FOLDER / "README.md").read_text(encoding="utf8")
NAMES = ("ann", "ben", "cleo")
annotators = script("annotators")


def spans(entry: dict) -> set[tuple[int, int, str]]:
    return {(span["start"], span["end"], span["label"]) for span in entry["spans"]}


def test_the_script_writes_the_same_files_again(tmp_path):
    annotators.main(tmp_path)
    assert {path.name for path in FOLDER.iterdir()} == {"README.md", *(f"{name}.jsonl" for name in NAMES)}
    for name in NAMES:
        assert (tmp_path / f"{name}.jsonl").read_bytes() == (FOLDER / f"{name}.jsonl").read_bytes()


@pytest.mark.parametrize(("name", "texts"), [("ann", 60), ("ben", 60), ("cleo", 40)])
def test_every_annotator_has_the_texts_that_the_page_says(name, texts):
    rows = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf8").splitlines()]
    assert len(rows) == texts
    assert f"| `{name}.jsonl` | {texts} |" in PAGE
    gold = {entry["id"]: entry["text"] for entry in annotators.entries("test")}
    assert all(row["text"] == gold[row["id"]] for row in rows)


def test_without_slips_the_rule_is_all_that_differs(monkeypatch):
    monkeypatch.setattr(annotators, "SLIPS", dict.fromkeys(annotators.SLIPS, 0))
    shorter = 0
    for entry in annotators.chosen(annotators.entries("test")):
        ann, ben = (
            annotators.annotated(entry, {"engine"}, random.Random(0), without_place=without)
            for without in (False, True)
        )
        assert spans(ann) == spans(entry)
        ends = {(end, label): start for start, end, label in spans(ben)}
        assert len(ends) == len(spans(ben)) == len(spans(ann))
        for start, end, label in spans(ann):
            left_out = entry["text"][start : ends[end, label]]
            assert not left_out or (label == "FAILURE_LOC" and annotators.PLACE.fullmatch(left_out))
            shorter += bool(left_out)
    assert shorter > 30


@pytest.mark.parametrize(
    ("phrase", "place"),
    [
        ("left rear door", "left rear "),
        ("o/s/r door shut paint", "o/s/r "),
        ("drivers side airbag cover", "drivers side "),
        ("both rear tyres", "both rear "),
        ("Right hand drive belt tensioner", "Right hand "),
        ("pass side", ""),
        ("driver assistance", ""),
        ("side airbag squib", ""),
        ("lower rail", ""),
        ("door left", ""),
    ],
)
def test_words_of_place(phrase, place):
    found = annotators.PLACE.match(phrase)
    assert (found[0] if found else "") == place


def test_the_page_gives_the_rates_of_the_slips():
    rates = [float(rate) / 100 for rate in re.findall(r"\| ([\d.]+) % of", PAGE)]
    assert rates == [annotators.SLIPS[kind] for kind in ("missed", "longer", "shorter", "label", "extra")]


@pytest.mark.parametrize("name", NAMES)
def test_no_annotator_has_overlapping_spans(name):
    for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf8").splitlines():
        own = sorted(spans(json.loads(line)))
        assert all(end <= start for (_, end, _), (start, _, _) in zip(own, own[1:]))
