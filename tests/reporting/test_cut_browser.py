"""The page of thresholds in a real browser, opened from disk, with the network off."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from browsers import Browser, needs_browser
from commands import accepted, run
from pages import HOSTILE
from places import ROOT

from spacy_nereval import Document, create_all
from spacy_nereval.evaluation.thresholds.chosen_cuts import thresholds
from spacy_nereval.evaluation.thresholds.scored_documents import Settings
from spacy_nereval.reporting.html.thresholds.threshold_page import thresholds_page

pytestmark = needs_browser

CHARTS = ["cut", "recall", "calibration", "coverage"]
STROKES = """return [...document.querySelectorAll('[data-chart=cut] .mark-line path')].map(
  e => [e.getAttribute('stroke'), e.getAttribute('stroke-dasharray'), e.getAttribute('d').length])"""
SAVED = """let saved; const make = URL.createObjectURL;
URL.createObjectURL = blob => { saved = blob; return make(blob) };
document.querySelector(arguments[0]).click(); return saved.text()"""


@pytest.fixture(scope="module")
def real(tmp_path_factory) -> Path:
    """The page of the span categoriser of the examples, of two cuts."""
    path = tmp_path_factory.mktemp("cuts") / "page.html"
    corpus, examples = ROOT / "assets" / "warranty", ROOT / "examples"
    files = [corpus / "dev.jsonl", examples / "spancat-dev.jsonl"]
    others = [corpus / "test.jsonl", examples / "spancat-test.jsonl"]
    metrics = ["--metrics", "strict,slot_error"]
    accepted("thresholds", *files, "--apply", *others, "--per-label", "own", *metrics, "--html", path)
    return path


def made(path: Path, *systems: tuple[str, list[Document]], title: str | None = None) -> Path:
    settings = Settings(per_label="own")
    found = [(name, thresholds(documents, create_all(["strict"]), settings)) for name, documents in systems]
    path.write_bytes(thresholds_page(found, golds=["gold.jsonl"], title=title).encode("utf8", "replace"))
    return path


def scored(spans: list[Any], gold: int = 2) -> Document:
    document = Document(spans[::gold], spans, "x" * 200)
    document.span_scores = {span: 0.9 - k / (2 * len(spans)) for k, span in enumerate(spans)}
    return document


@pytest.mark.parametrize(("dark", "width"), [(False, 1280), (True, 390)], ids=["light", "dark phone"])
def test_the_page_opens_from_disk_without_a_network_and_without_a_word_on_the_console(browser, real, dark, width):
    browser.open(real, dark=dark, width=width)
    assert browser.charts() == CHARTS
    assert browser("return location.protocol") == "file:"
    assert browser("return performance.getEntriesByType('resource').map(entry => entry.name)") == []
    lines = browser(STROKES)
    assert len(lines) == 3 and len({color for color, _, _ in lines}) == 3
    assert len(browser.all("[data-legend=cut] span")) == 3
    inside, page_width = browser("const e = document.documentElement; return [e.clientWidth, e.scrollWidth]")
    assert width - 20 < inside == page_width
    assert browser.log == []


def test_a_choice_draws_other_lines_and_says_what_is_best(browser: Browser, real):
    browser.open(real)
    browser.charts()
    data = browser("return JSON.parse(document.getElementById('data').textContent)")
    strict = [each["title"] for each in data["scores"]].index("strict F")
    cut, value, _ = data["systems"][0]["sides"][1]["peaks"][strict][0]
    said = f"Best strict F on test: all labels {100 * value:.2f} at {cut:.4g}, "
    assert browser.matches.startswith(said)
    first = browser(STROKES)
    browser.choose("#label", "FAILURE_LOC")
    browser.until(lambda: len(browser(STROKES)) == 2)
    browser.choose("#side", "dev")
    browser.until(lambda: browser.matches.startswith("Best strict F on dev: all labels "))
    browser.choose("#score", "slot error rate")
    browser.until(lambda: browser.matches.startswith("Best slot error rate on dev: "))
    browser.until(lambda: "slot error rate, %" in browser["[data-chart=cut]"].get_attribute("textContent"))
    assert browser(STROKES) != first[:2]
    for selector, chosen in (("[data-ask*='\"\"']", "all labels"), ("[data-ask*=FAILURE_TYPE]", "FAILURE_TYPE")):
        browser.click(f"#cuts {selector}")
        assert browser("return label.selectedOptions[0].textContent") == chosen
    browser.click("[data-ask*='strict.f']")
    browser.until(lambda: browser.matches.startswith("Best strict F on dev: all labels "))
    assert browser.log == []


def test_the_cuts_and_the_curves_can_be_saved(browser: Browser, real, tmp_path):
    browser.open(real)
    cuts = tmp_path / "cuts.json"
    cuts.write_text(browser(SAVED, "[data-save]"), encoding="utf8")
    corpus, examples = ROOT / "assets" / "warranty", ROOT / "examples"
    files = [corpus / "test.jsonl", examples / "spancat-test.jsonl"]
    assert run("score", *files, "--cut", cuts, "--metrics", "strict", "-o", tmp_path / "scores.json").exit_code == 0
    value = json.loads((tmp_path / "scores.json").read_text())["metrics"]["strict"]["scores"]["f"]
    assert f"strict F {100 * value:.2f} [" in browser["header.top"].text
    rows = [*csv.DictReader(browser(SAVED, "#save-curves").splitlines())]
    assert {row["label"] for row in rows} == {"", "FAILURE_LOC", "FAILURE_TYPE"}
    assert {row["score"] for row in rows} == {"strict F"} and len(rows) > 500
    assert browser["#notice"].text == "Saved as curves.csv."


@pytest.mark.parametrize(
    ("dark", "width"),
    [
        (False, 1280),
        pytest.param(True, 390, marks=pytest.mark.slow),
    ],
    ids=["light", "dark phone"],
)
def test_axe_finds_no_violation(browser: Browser, real, dark, width):
    browser.open(real, dark=dark, width=width)
    browser.charts()
    assert browser.violations() == []


def test_hostile_labels_and_names_are_text_and_nothing_runs(browser: Browser, tmp_path):
    spans = [(k, k + 1, label) for k, label in enumerate((*HOSTILE[:8], "=1+1")) for _ in range(2)]
    systems = [(HOSTILE[0], [scored(spans, 1)]), (HOSTILE[3], [scored(spans, 3)])]
    browser.open(made(tmp_path / "hostile.html", *systems, title=HOSTILE[2]))
    assert browser.charts() == CHARTS
    browser.choose("#system", HOSTILE[0])
    labels = [option.get_attribute("textContent") for option in browser.all("#label option")]
    for label in (HOSTILE[0], "__proto__", labels[0]):  # the last one draws the lines of all labels
        browser("label.selectedIndex = arguments[0]; label.dispatchEvent(new Event('change'))", labels.index(label))
        browser.charts()
    assert {"__proto__", "constructor", HOSTILE[0], HOSTILE[3]} <= {*labels}
    browser("label.value = -1; label.dispatchEvent(new Event('change'))")
    assert "'=1+1" in browser(SAVED, "#save-curves")
    assert browser("return [window.broken ?? 0, Object.prototype.broken ?? 0, document.images.length]") == [0, 0, 0]
    assert browser("return document.scripts.length") == 4
    assert browser.driver.title == HOSTILE[2]
    assert browser.log == []


def test_systems_are_lines_of_one_chart_and_each_can_be_chosen(browser: Browser, tmp_path):
    spans = [(k, k + 1, "AB"[k % 2]) for k in range(40)]
    path = made(tmp_path / "two.html", ("first", [scored(spans)]), ("second", [scored(spans, 3)]))
    browser.open(path)
    browser.charts()
    assert [each.text for each in browser.all("[data-legend=cut] bdi")] == ["first", "second"]
    assert browser.matches.startswith("Best strict F on gold.jsonl: first ")
    browser.choose("#system", "second")
    browser.until(lambda: len(browser(STROKES)) == 3)
    assert [each.text for each in browser.all("[data-legend=recall] bdi")] == ["all labels", "A", "B"]
    assert browser.log == []


def test_without_predictions_the_page_says_that_there_is_nothing_to_draw(browser: Browser, tmp_path):
    browser.open(made(tmp_path / "none.html", ("none", [Document([(0, 3, "A")], [], "Ada")])))
    for chart in browser.all(".chart"):
        browser("arguments[0].scrollIntoView()", chart)
    browser.until(lambda: [chart.text for chart in browser.all(".chart")] == ["Nothing to draw."] * 4)
    assert browser.log == []
