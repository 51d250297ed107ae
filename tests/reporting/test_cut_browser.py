"""The page of thresholds in a real browser: its lines, what is said of them, and what it saves."""

from __future__ import annotations

import csv
import json
from typing import Any

import pytest
from browsers import Browser, needs_browser
from commands import run
from pages import HOSTILE
from places import SPANCAT

from spacy_nereval import Document, create_all
from spacy_nereval.evaluation.thresholds.chosen_cuts import thresholds
from spacy_nereval.evaluation.thresholds.scored_documents import Settings
from spacy_nereval.reporting.html.thresholds.threshold_page import thresholds_page

pytestmark = needs_browser

STROKES = "[data-chart=cut] .mark-line path", "['stroke', 'stroke-dasharray', 'd'].map(name => e.getAttribute(name))"


@pytest.fixture
def opened(browser, library, tmp_path, monkeypatch):
    """Opens a page of some systems, with its charts."""

    def open_page(*systems: tuple[str, list[Document]], title: str | None = None) -> Browser:
        found = [(name, thresholds(each, create_all(["strict"]), Settings(per_label="own"))) for name, each in systems]
        path = tmp_path / "page.html"
        path.write_bytes(thresholds_page(found, golds=["gold.jsonl"], title=title).encode("utf8", "replace"))
        browser.open(path)
        return browser

    return open_page


def scored(spans: list[Any], gold: int = 2) -> Document:
    document = Document(spans[::gold], spans, "x" * 200)
    document.span_scores = {span: 0.9 - k / (2 * len(spans)) for k, span in enumerate(spans)}
    return document


def test_a_choice_draws_other_lines_and_says_what_is_best(browser: Browser, cuts):
    browser.open(cuts)
    browser.charts()
    data = browser("return JSON.parse(document.getElementById('data').textContent)")
    strict = [each["title"] for each in data["scores"]].index("strict F")
    cut, value, _ = data["systems"][0]["sides"][1]["peaks"][strict][0]
    assert browser.matches.startswith(f"Best strict F on test: all labels {100 * value:.2f} at {cut:.4g}, ")
    first = browser.each(*STROKES)
    assert len(first) == len({color for color, _, _ in first}) == len(browser.all("[data-legend=cut] span")) == 3
    browser.choose("#label", "FAILURE_LOC")
    browser.until(lambda: len(browser.each(*STROKES)) == 2)
    browser.choose("#side", "dev")
    browser.until(lambda: browser.matches.startswith("Best strict F on dev: all labels "))
    browser.choose("#score", "slot error rate")
    browser.until(lambda: browser.matches.startswith("Best slot error rate on dev: "))
    browser.until(lambda: "slot error rate, %" in browser["[data-chart=cut]"].get_attribute("textContent"))
    assert browser.each(*STROKES) != first[:2]
    for selector, chosen in (("[data-ask*='\"\"']", "all labels"), ("[data-ask*=FAILURE_TYPE]", "FAILURE_TYPE")):
        browser.click(f"#cuts {selector}")
        assert browser("return label.selectedOptions[0].textContent") == chosen
    browser.click("[data-ask*='strict.f']")
    browser.until(lambda: browser.matches.startswith("Best strict F on dev: all labels "))


def test_the_cuts_and_the_curves_can_be_saved(browser: Browser, cuts, tmp_path):
    browser.open(cuts)
    file = tmp_path / "cuts.json"
    file.write_text(browser.saved("[data-save]"), encoding="utf8")
    done = run("score", *SPANCAT["test"], "--cut", file, "--metrics", "strict", "-o", tmp_path / "scores.json")
    assert done.exit_code == 0
    value = json.loads((tmp_path / "scores.json").read_text())["metrics"]["strict"]["scores"]["f"]
    assert f"strict F {100 * value:.2f} [" in browser["header.top"].text
    rows = [*csv.DictReader(browser.saved("#save-curves").splitlines())]
    assert {row["label"] for row in rows} == {"", "FAILURE_LOC", "FAILURE_TYPE"}
    assert browser["#notice"].text == "Saved as curves.csv."


def test_hostile_labels_and_names_are_text_and_nothing_runs(opened):
    spans = [(k, k + 1, label) for k, label in enumerate((*HOSTILE[:8], "=1+1")) for _ in range(2)]
    browser = opened((HOSTILE[0], [scored(spans, 1)]), (HOSTILE[3], [scored(spans, 3)]), title=HOSTILE[2])
    browser.charts()
    browser.choose("#system", HOSTILE[0])
    labels = [option.get_attribute("textContent") for option in browser.all("#label option")]
    assert {"__proto__", "constructor", HOSTILE[0], HOSTILE[3]} <= {*labels}
    for label in (HOSTILE[0], "__proto__", labels[0]):  # the last one draws the lines of all labels
        browser("label.selectedIndex = arguments[0]; label.dispatchEvent(new Event('change'))", labels.index(label))
        browser.charts()
    assert "'=1+1" in browser.saved("#save-curves")
    assert browser("return [window.broken ?? 0, Object.prototype.broken ?? 0, document.images.length]") == [0, 0, 0]
    assert browser("return document.scripts.length") == 4
    assert browser.driver.title == HOSTILE[2]


def test_systems_are_lines_of_one_chart_and_each_can_be_chosen(opened):
    spans = [(k, k + 1, "AB"[k % 2]) for k in range(40)]
    browser = opened(("first", [scored(spans)]), ("second", [scored(spans, 3)]))
    browser.charts()
    assert [each.text for each in browser.all("[data-legend=cut] bdi")] == ["first", "second"]
    assert browser.matches.startswith("Best strict F on gold.jsonl: first ")
    browser.choose("#system", "second")
    browser.until(lambda: len(browser.each(*STROKES)) == 3)
    assert [each.text for each in browser.all("[data-legend=recall] bdi")] == ["all labels", "A", "B"]


def test_without_predictions_the_page_says_that_there_is_nothing_to_draw(opened):
    browser = opened(("none", [Document([(0, 3, "A")], [], "Ada")]))
    for chart in browser.all(".chart"):
        browser("arguments[0].scrollIntoView()", chart)
    browser.until(lambda: [chart.text for chart in browser.all(".chart")] == ["Nothing to draw."] * 4)
