"""The page of results names every key of a comparison."""

from __future__ import annotations

import re
from pathlib import Path

from annotators import shared

from spacy_nereval import Confidence, Document, count, create_all
from spacy_nereval.evaluation.agreement.agreement_counts import AgreementCounts
from spacy_nereval.evaluation.comparison import System, comparison

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "result.md"


def test_the_page_names_every_key_of_a_comparison_and_every_flag() -> None:
    counts = count([Document([(0, 3, "A")], [(0, 3, "A")], id="d")], create_all(["strict"]))
    result = comparison([System("a", counts), System("b", counts)], [])
    named = {
        *re.findall(
            r"`([a-z_0-9]+)`",
            PAGE.read_text(encoding="utf8").split("## Result of a comparison")[1].split("## Result of annotators")[0],
        )
    }
    assert {*result, *result["comparisons"][0], "few", "unbounded"} <= named


def test_the_page_names_every_key_of_an_agreement() -> None:
    sides = {
        f"d{k}": {"a": [(0, 3, "PER"), (8, 11, "X")], "b": [(0, 3, "ORG")], "c": [(0, 7, "PER")]} for k in range(3)
    }
    given = shared(sides, dict.fromkeys(sides, "Ada met Bob"))
    result = AgreementCounts(given, create_all(["strict"])).result(Confidence())
    page = PAGE.read_text(encoding="utf8").split("## Result of annotators")[1].split("## Result of thresholds")[0]
    named = {*re.findall(r"`([a-z_0-9]+)`", page)}
    rows = [
        *result["differences"],
        *result["same_words"],
        result["differences"][0]["pairs"][0],
        *(rows[0] for rows in result["disputes"].values()),
    ]
    assert {row["kind"] for row in result["differences"]} == {"boundary", "label", "missing"}
    summary = result["metrics"]["strict"]["f"]
    tables = (result, result["pairs"][0], summary, result["units"], result["u_alpha"], result["consensus"])
    parts = (part for row in result["differences"] for part in (row["example"], *row["pairs"], *row["places"]))
    for table in (*tables, *rows, *parts):
        assert {*table} <= named, {*table} - named
