"""The page on intervals: every number on it is computed, and the picture is the one that the script draws."""

from __future__ import annotations

import re
from types import ModuleType
from xml.etree import ElementTree

import pytest
from places import ROOT
from project_scripts import script

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
