"""The page of results names every key of a comparison."""

from __future__ import annotations

import re
from pathlib import Path

from spacy_nereval import Document, count, create_all
from spacy_nereval.evaluation.comparison import System, comparison

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "result.md"


def test_the_page_names_every_key_of_a_comparison_and_every_flag() -> None:
    counts = count([Document([(0, 3, "A")], [(0, 3, "A")], id="d")], create_all(["strict"]))
    result = comparison([System("a", counts), System("b", counts)], [])
    named = {*re.findall(r"`([a-z_0-9]+)`", PAGE.read_text(encoding="utf8").split("## Result of a comparison")[1])}
    assert {*result, *result["comparisons"][0], "few", "unbounded"} <= named
