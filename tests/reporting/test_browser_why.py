"""What answers why in the report, in a real browser: groups, the matrix, changes, marks, and what is copied."""

from __future__ import annotations

import csv
import json
import time

from browsers import By, Keys, needs_browser
from driven import ONE, said, verdicts, with_verdict

from spacy_nereval import create
from spacy_nereval.evaluation.error_groups import error_groups
from spacy_nereval.reporting.verdict_tables import repeated

pytestmark = needs_browser


def test_a_group_shows_its_members_and_doubtful_places_their_errors(browser, made):
    browser.visit(made("one", ONE))
    found = error_groups(ONE.documents, create("fair"))
    for words, error, group in repeated(found)[:3]:
        browser.click(f"#why tr[data-name='{words}']:has(td:nth-of-type(2)) button")
        assert browser["#asked"].text == f"Only {words}: {error} ×"
        assert browser.matches.startswith(f"{len(group.members)} error")
        assert len(browser.all(".lines tbody tr")) == min(25, len(group.members))
    browser.click("#why details:nth-of-type(2) tbody tr:nth-child(1) button")
    assert browser["#asked"].text.startswith("Only gold ")
    browser.click("#slices tbody tr:nth-child(2) button")
    assert browser["#asked"].text.startswith("Only Words in the span: ")
    words = browser("return [...document.querySelectorAll('.kwic .span')].map(e => e.textContent)")
    assert words
    browser.click("#labels tbody tr:nth-child(1) button.link")
    assert browser["#label"].get_attribute("value") != "-1"
    assert browser.log == []


def test_the_matrix_shows_the_errors_alone_by_a_switch(one):
    def diagonal() -> list[int]:
        return one("return [...document.querySelectorAll('#matrix .hits')].map(e => Number(e.textContent))")

    right = with_verdict(ONE, "tp")[0]
    assert sum(diagonal()) == right and "Green: correct" in one["#matrix-rest"].text
    caption = "return document.querySelector('#matrix caption').textContent"
    assert one(caption) == "Hits and errors"
    one.soil()
    one.choose("#matrix-what", "errors alone")
    assert one(caption) == "Errors alone: the matrix of the paper on FairEval, and of the JSON result"
    assert one.all("#matrix .hits") == [] and not one["#matrix-as"].is_enabled(), "their shares are no scores"
    numbers = "return [...document.querySelectorAll('#matrix .errors')].reduce((n, e) => n + Number(e.textContent), 0)"
    assert one(numbers) == sum(v.name != "tp" for each in verdicts(ONE) for v in each)
    one.choose("#matrix-metric", "strict")
    assert one(caption) == "Errors alone", "the matrix of other metrics has hits in the result too"


def test_arrow_keys_move_in_the_matrix_which_is_one_stop_of_the_tab_key(one):
    buttons = one.all("#matrix button")
    assert [button.get_attribute("tabindex") for button in buttons] == ["0"] + ["-1"] * (len(buttons) - 1)
    one("arguments[0].focus()", buttons[0])

    def name() -> str:
        return one("return document.activeElement.getAttribute('aria-label')").split(":")[0]

    assert name() == "gold LOC, predicted LOC, correct"
    one.press(Keys.ARROW_RIGHT)
    assert name() == "gold LOC, predicted LOC, wrong boundaries"
    one.press(Keys.ARROW_RIGHT)
    assert name() == "gold LOC, predicted ORG"
    before = one("return scrollY")
    one.press(Keys.ARROW_DOWN)
    assert name() == "gold ORG, predicted ORG, correct"
    time.sleep(0.3)
    assert one("return scrollY") == before
    one.press(Keys.ARROW_LEFT, Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_LEFT)
    assert name() == "gold LOC, predicted LOC, correct"
    assert len(one.all("#matrix button[tabindex='0']")) == 1
    one.press(Keys.ENTER)
    assert one["#asked"].text.startswith("Only gold LOC, predicted LOC")
    assert one.focused == "list-title"


def test_a_mark_is_kept_and_found(browser, made):
    path = made("one", ONE)
    browser.visit(path, anchor="#view=errors")
    browser("document.querySelector('.lines tbody tr').focus()")
    browser.press("j", "g", "j", "s", "s")  # the second press takes the mark back
    assert browser["#marks"].text == "1 mark in this browser"
    assert browser.all(".lines tbody tr")[1].find_element(By.CSS_SELECTOR, "[aria-label='gold wrong']").get_attribute(
        "aria-pressed"
    ) == ("true")
    browser.open(path, anchor="#view=errors&mark=gold")
    assert browser.matches == said(1, 1)
    browser("localStorage.clear()")


def test_what_is_copied_is_what_is_shown(browser, made):
    browser.visit(made("one", ONE), anchor="#view=errors&find=id-2")
    browser.soil()
    browser("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() }")
    n = int(browser.matches.split()[0])
    browser.click("#copy-csv")
    lines = [*csv.DictReader(browser.until(lambda: browser("return window.copied")).splitlines())]
    assert len(lines) == n
    for found in lines:
        document = ONE.documents[int(found["document"]) - 1]
        for side in ("gold", "pred"):
            if found[f"{side}_text"]:
                assert (document.text or "")[int(found[f"{side}_start"]) : int(found[f"{side}_end"])] == found[
                    f"{side}_text"
                ]
    browser.click("#copy-jsonl")
    rows = browser.until(lambda: (text := browser("return window.copied")).startswith("{") and text).splitlines()
    assert sum(len(json.loads(row)["meta"]["errors"]) for row in rows) == n
    browser.click("#copy-link")
    browser.until(lambda: "find=id-2" in browser("return window.copied"))
