"""The three annotations in assets/agreement are what the script makes of the warranty corpus, as their page says."""

import json
import re

import pytest
from places import ROOT, script

FOLDER = ROOT / "assets" / "agreement"
PAGE = (FOLDER / "README.md").read_text(encoding="utf8")
NAMES = ("ann", "ben", "cleo")
annotators = script("annotators")


def test_the_script_writes_the_same_files_again(tmp_path):
    annotators.main(tmp_path)
    assert {path.name for path in FOLDER.iterdir()} == {"README.md", *(f"{name}.jsonl" for name in NAMES)}
    for name in NAMES:
        assert (tmp_path / f"{name}.jsonl").read_bytes() == (FOLDER / f"{name}.jsonl").read_bytes()


@pytest.mark.parametrize(("name", "texts"), [("ann", 60), ("ben", 60), ("cleo", 40)])
def test_every_annotator_has_the_texts_that_the_page_says_and_no_overlapping_spans(name, texts):
    rows = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf8").splitlines()]
    assert len(rows) == texts
    assert f"| `{name}.jsonl` | {texts} |" in PAGE
    gold = {entry["id"]: entry["text"] for entry in annotators.entries("test")}
    for row in rows:
        assert row["text"] == gold[row["id"]]
        own = sorted((span["start"], span["end"]) for span in row["spans"])
        assert all(end <= start for (_, end), (start, _) in zip(own, own[1:]))


def test_the_page_gives_the_rates_of_the_slips():
    rates = [float(rate) / 100 for rate in re.findall(r"\| ([\d.]+) % of", PAGE)]
    assert rates == [annotators.SLIPS[kind] for kind in ("missed", "longer", "shorter", "label", "extra")]
