"""The page on intervals: every number on it is computed, and the picture is the one that the script draws."""

from __future__ import annotations

import doctest
import re
import sys
from importlib import import_module
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
from places import ROOT, script

PAGE = (ROOT / "docs" / "explanation" / "intervals.md").read_text(encoding="utf8")

CONVENTIONS = {"0", ".05", "95", "90", "100", "4", "5", "20", "13", "81", "84", "79", "86", "85", "88"}
"""Levels, thresholds and the input of the examples."""

NUMBER = r"-?\d*\.?\d+"


@pytest.fixture(scope="module")
def figures() -> ModuleType:
    return script("figures")


def prose() -> str:
    """The page on one line, without blocks of code, the targets of links and the years of publications."""
    text = re.sub(r"```.*?```", "", PAGE, flags=re.S)
    text = re.sub(r"\]\((?:[^()]|\([^()]*\))*\)", "]", text)
    return re.sub(r"\b(19|20)\d\d\b", "", " ".join(text.split()))


def test_the_page_says_what_is_computed(figures):
    words = " ".join(PAGE.split())
    missing = [text for said in figures.numbers().values() for text in said if text not in words]
    assert not missing


def test_every_number_of_the_page_is_computed(figures):
    computed = {number for said in figures.numbers().values() for text in said for number in re.findall(NUMBER, text)}
    unknown = set(re.findall(NUMBER, prose())) - computed - CONVENTIONS
    assert not unknown
    assert len(computed & set(re.findall(NUMBER, prose()))) > 30


def test_the_picture_is_current(figures):
    assert figures.PICTURE.read_text(encoding="utf8") == figures.picture(), "run python scripts/figures.py"


def test_the_picture_shows_what_the_page_says(figures):
    root = ElementTree.fromstring(figures.picture())
    space = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{space}title") is not None and root.find(f"{space}desc") is not None
    circles = root.findall(f"{space}circle")
    dashed = [own for own in root.findall(f"{space}line") if own.get("stroke-dasharray")]
    assert (len(circles), len(dashed)) == (figures.SETS + 2, 2), "one that misses the true F, one difference"
    words = [own.text or "" for own in root.findall(f"{space}text")]
    assert "-12.04 [-19.97, -2.38], p = 0.0391" in words
    assert "19 of 20 intervals hold the true F; a dashed one misses it" in words
    for own in root.iter():
        for key in ("x", "x1", "x2", "cx"):
            assert 0 <= float(own.get(key, 0)) <= figures.WIDTH
        for key in ("y", "y1", "y2", "cy"):
            assert 0 <= float(own.get(key, 0)) <= figures.HEIGHT


def test_the_picture_is_linked_from_the_page_and_the_page_from_the_readme():
    assert "](intervals.svg)" in PAGE
    assert "(docs/explanation/intervals.md)" in (ROOT / "README.md").read_text(encoding="utf8")


@pytest.mark.parametrize("word", ["significant", "trend", "equal", "no difference", "prove"])
def test_words_that_no_result_may_use_are_not_taught(word):
    assert word not in prose().lower()


# benchmarks/coverage.md: how often intervals and tests are right, as the documentation claims


BENCHMARKS = ROOT / "benchmarks"


@pytest.fixture
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module; others of its name measure which lines tests run."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.delitem(sys.modules, "coverage", raising=False)
    yield import_module("coverage")
    sys.modules.pop("coverage", None)


def tables(text: str) -> dict[str, dict[str, list[int]]]:
    """Titles to rows to all numbers of the row."""
    found: dict[str, dict[str, list[int]]] = {}
    for block in re.split(r"\n\n", text):
        if block.startswith("| "):
            head, _, *rows = block.splitlines()
            cells = [re.split(r" \| ", row.strip("| ")) for row in rows]
            own = {name: [int(n) for cell in values for n in re.findall(r"\d+", cell)] for name, *values in cells}
            found[head.strip("| ").split(" | ")[0]] = own
    return found


WRITTEN = tables((BENCHMARKS / "coverage.md").read_text("utf8"))
"""From 400 data sets per number, of which the standard error is about 1."""


def test_intervals_of_scores_hold_the_true_one() -> None:
    held = [
        WRITTEN["F"]["chosen"],
        WRITTEN["macro F of five labels"]["chosen"],
        *WRITTEN["other scores"].values(),
        WRITTEN["F of a label with k effective documents, both worlds; k:"]["chosen"],
        WRITTEN["F, articles of 8 sentences, by what is resampled; articles:"]["articles"],
    ]
    assert all(share >= 92 for shares in held for share in shares)
    labels = WRITTEN["F of a label with k effective documents, both worlds; k:"]
    assert set(labels["chosen: zero width"]) == {0}
    assert labels["percentile"][0] < 75 and labels["percentile: zero width"][0] > 20
    articles = WRITTEN["F, articles of 8 sentences, by what is resampled; articles:"]
    assert max(articles["sentences"]) < 85
    page = " ".join((ROOT / "docs" / "how-to" / "units.md").read_text("utf8").split())
    for kind in ("sentences", "articles"):
        assert f"{min(articles[kind])} to {max(articles[kind])} times" in page


HARD = {
    "8 % catastrophic documents": ((91, 88, 95), (0.94, 0.97, 1.02)),
    "document sizes Pareto": ((97, 95, 95), (1.51, 1.54, 1.37)),
    "ordinary, F .63": ((98, 96, 96), (1.21, 1.08, 1.04)),
    "ordinary, F .967": ((99, 99, 97), (2.7, 1.5, 1.1)),
    "ordinary, F .07": ((99, 98, 97), (1.8, 1.2, 1.1)),
}
"""Coverage and width, with 20, 50 and 200 documents, in the simulation by which the method was chosen."""


def test_intervals_hold_in_hard_worlds_as_they_did_when_the_method_was_chosen() -> None:
    """Within two points, or more often; and on both sides."""
    text = (BENCHMARKS / "coverage.md").read_text("utf8")
    for name, (held, widths) in HARD.items():
        (row,) = re.findall(rf"^\| {re.escape(name)} \| (.*) \|$", text, flags=re.M)
        for cell, expected, width in zip(row.split(" | "), held, widths):
            found, own, below, above = map(float, re.findall(r"[\d.]+", cell))
            assert found >= expected - 2, (name, cell)
            assert abs(own - width) < 0.5, (name, cell)
            assert abs(found + below + above - 100) <= 1


def test_tests_of_differences_keep_their_level_and_agree_with_their_intervals() -> None:
    compared = {title: rows for title, rows in WRITTEN.items() if title.startswith("F, two systems")}
    assert len(compared) == 3
    for rows in compared.values():
        assert set(rows["contradictions"]) == {0}
        assert min(rows["chosen holds, D ≥ 6"]) >= 92
    for title in ("alike", "of the same F by other errors"):
        assert max(compared[f"F, two systems {title}"]["p ≤ .05"]) <= 8
        assert max(WRITTEN[f"F of labels, two systems {title}"]["D ≥ 6: p ≤ .05"]) <= 7
    better = compared["F, two systems of which one is better"]
    for seen, predicted in zip(better["power, D ≥ 6"], better["power by the detectable difference"]):
        assert abs(seen - predicted) <= 5
    assert max(better["the same within the true difference"]) <= 7
    counts = next(rows for title, rows in WRITTEN.items() if title.startswith("5 data sets"))
    assert all(share <= 5 for shares in counts.values() for share in shares)


def test_systems_that_differ_in_their_training_runs_alone_are_not_told_apart() -> None:
    alike = [rows for title, rows in WRITTEN.items() if title.startswith(("two systems alike", "the same with runs"))]
    assert len(alike) == 6
    assert max(share for rows in alike for share in rows["chosen"]) <= 8
    assert max(share for rows in alike for share in rows["swaps of documents alone"]) > 35
    (expected,) = (rows for title, rows in WRITTEN.items() if title.startswith("one system, F"))
    assert min(share for runs in ("2 runs", "3 runs", "5 runs") for share in expected[runs]) >= 90
    assert min(expected["1 run"]) < 75


def test_the_examples_of_the_modules_hold(benchmarks: Any) -> None:
    for module in (benchmarks, import_module("worlds")):
        found = doctest.testmod(module)
        assert found.attempted > 0 and found.failed == 0


@pytest.mark.slow
def test_the_tables_are_written_anew_with_the_same_titles(benchmarks: Any, capsys: pytest.CaptureFixture[str]) -> None:
    benchmarks.tables(50, [10, 20], 0)
    printed = capsys.readouterr().out
    assert "benchmarks/coverage.py --sets 50 --documents 10,20" in printed
    found = tables(printed)
    assert [title.replace("500 times", "4000 times") for title in found] == [*WRITTEN]
    assert set(found["F, two systems alike"]["contradictions"]) == {0}
