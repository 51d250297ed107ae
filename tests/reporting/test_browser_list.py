"""The list of errors in a real browser: it fits its box, shows what is cut, compares any two systems, takes notes."""

from __future__ import annotations

import pytest
from browsers import Browser, Keys, needs_browser
from driven import FEW, ONE, TWO, corpus
from pages import system

from spacy_nereval import Document, create
from spacy_nereval.core.wording import FAIREVAL
from spacy_nereval.evaluation.result import evaluate
from spacy_nereval.evaluation.transitions import gold_outcomes, transitions
from spacy_nereval.evaluation.what_if import what_if

pytestmark = needs_browser

LONG = "PhysicalObject/EmittingObject/ElectricCoolingObject/HouseholdRefrigeratorWithFreezer"
LINES = "return [...document.querySelectorAll('.scroll:has(> .lines)')].map(e => e.scrollWidth - e.clientWidth)"
TIP = "return document.getElementById('tip').checkVisibility() && document.getElementById('tip').textContent"


@pytest.fixture
def long(browser, made) -> Browser:
    """Two systems whose labels are too long for the list."""
    text = "The old air conditioner of the second floor does not cool any more."
    gold = [(8, 23, LONG), (48, 56, "creative-work")]
    first = [Document(gold, [(8, 23, "creative-work"), (48, 56, "creative-works")], text, id=f"{k}") for k in range(30)]
    second = [Document(gold, [(4, 23, LONG), (24, 26, "corporation")], text, id=f"{k}") for k in range(30)]
    browser.visit(made("long", system("first.jsonl", *first), system("second.jsonl", *second)), anchor="#one=0")
    return browser


def test_the_list_fits_its_box_and_what_is_cut_shows_whole_on_hover_and_on_focus(long):
    assert long(LINES) == [0]
    long("document.querySelector('.lines tbody tr').focus()")
    long.press("j", "k")
    assert long(TIP) == LONG
    cells = long("return [...document.querySelectorAll('.lines tbody tr:first-child td.said')].map(e => e.title)")
    assert cells == [LONG, "creative-work", "label error"]
    long.press("j")
    assert long(TIP) is False, "nothing is cut in a line of short labels"
    long.press("k", Keys.ESCAPE)
    assert long(TIP) is False
    long("document.querySelector('#matrix button').focus()")
    long.press(Keys.ARROW_RIGHT)
    assert LONG in long(TIP)
    long("document.activeElement.blur()")
    assert long(TIP) is False
    assert long.log == []


def test_changes_have_a_bar_for_gold_and_one_in_the_colour_of_each_system(long):
    long("other.value = '1'; other.dispatchEvent(new Event('change'))")
    assert long(LINES) == [0]
    bars = long("return [...document.querySelectorAll('.lines tbody tr:first-child .m')].map(e => e.style.background)")
    assert any("--system-0" in bar and "--soft" in bar and "--system-1" in bar for bar in bars), bars
    shown = long("return [...document.querySelectorAll('#legend b')].map(e => [e.textContent, e.className])")
    assert shown == [["A", "system-0"], ["B", "system-1"]]
    assert long.all(".lines .triage") == []


def test_any_two_systems_have_a_table_of_changes(browser, made):
    three = [ONE, TWO, system("three", *corpus(2))]
    browser.visit(made("three", *three))
    browser.soil()
    numbers = """return [...document.querySelectorAll('#changed tbody tr')].map(
      row => [...row.querySelectorAll('td')].map(e => Number(e.textContent)))"""
    golds = [[gold_outcomes(document) for document in found.documents] for found in three]
    for one, other in ((1, 2), (2, 0)):
        browser.choose("#changes-one", f"{'ABC'[one]}: {three[one].name}")
        browser.choose("#changes-other", f"{'ABC'[other]}: {three[other].name}")
        found = transitions(golds[one], golds[other], ONE.documents)["counts"]
        names = ("correct", "boundary", "label error", "label and boundary", "missed")
        assert browser(numbers) == [[found.get(a, {}).get(b, 0) for b in names] for a in names]
    browser.choose("#changes-other", "C: three")
    assert browser["#changes-one"].get_attribute("value") == "0", "a system is not compared with itself"
    n = browser["#changed button"].text
    browser.click("#changed button")
    assert browser.matches.startswith(f"{n} change")
    assert [browser[f"#{name}"].get_attribute("value") for name in ("system", "other")] == ["0", "2"]
    assert browser.log == []


def test_a_row_of_what_if_lists_its_errors(one):
    for metric in ("fair", "strict"):
        mended = {each.verdict: each.errors for each in what_if(ONE.documents, create(metric)) if each.verdict}
        verdict, errors = max(mended.items(), key=lambda item: item[1])
        words = FAIREVAL[verdict].short if metric == "fair" else create(metric).words[verdict].short
        one(
            """const tables = [...document.querySelectorAll('#mending details')];
            const table = tables.find(e => e.textContent.trim().startsWith(arguments[0]));
            table.open = true;
            [...table.querySelectorAll('button.link')].find(e => e.textContent.startsWith(arguments[1])).click()""",
            f"{metric} ",
            words,
        )
        assert one.matches.startswith(f"{errors} error")
        assert one["#metric"].find_element("css selector", "option:checked").text == metric
    assert evaluate(ONE.counts)["metrics"]["strict"]["counts"][verdict] == errors


def test_a_note_has_a_key_and_is_kept(browser, made):
    browser.visit(made("one", ONE), anchor="#view=errors")
    browser.soil()
    browser("localStorage.clear()")
    browser("document.querySelector('.lines tbody tr').focus()")
    assert not browser[".lines .note"].is_displayed()
    browser.press("n", "look again", Keys.ENTER)
    assert browser.focused == "TR"
    assert browser[".lines .note"].is_displayed()
    (kept,) = browser("return JSON.parse(Object.entries(localStorage).find(([key]) => key.endsWith('marks'))[1])")
    assert (kept[1]["mark"], kept[1]["note"]) == ("", "look again")
    browser("localStorage.clear()")


def test_a_line_break_does_not_break_the_line_of_an_error(browser, made):
    document = Document([(21, 32, "PER")], [], "first line\nsecond   \nAda and\nBob\nthen")
    browser.visit(made("breaks", system("breaks", document)), anchor="#view=errors")
    height = browser("return document.querySelector('.kwic').getBoundingClientRect().height")
    assert height < 40
    assert browser("return document.querySelector('.kwic').textContent") == document.text


def test_headings_of_the_list_fit_a_phone(browser, made):
    browser.open(made("two", ONE, TWO, confidence=FEW), width=390, anchor="#one=0")
    heads = """const own = [...document.querySelectorAll('.lines tbody tr:first-child [data-head]')];
      return own.map(e => getComputedStyle(e, '::before').content)"""
    assert browser(heads) == ['"gold "', '"predicted "']
    assert browser(LINES) == [0]


def test_lines_are_sorted_by_the_header_that_is_clicked_and_back_takes_it_back(browser, made):
    browser.visit(made("one", ONE), anchor="#view=errors&order=errors")
    spans = "return [...document.querySelectorAll('.kwic .span')].map(e => e.textContent.toLowerCase())"
    before = browser(spans)
    for falling in (False, True):
        browser.click("button[aria-label='Sort by span']")
        assert browser(spans) == sorted(browser(spans), reverse=falling) != before
        assert browser["#order"].get_attribute("value") == "column"
        assert ("falling=true" in browser("return location.hash")) == falling
    browser("history.go(-2)")
    browser.until(lambda: browser(spans) == before)
    assert browser["#order"].get_attribute("value") == "errors"
