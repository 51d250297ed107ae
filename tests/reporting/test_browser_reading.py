"""How the report reads: headings, columns, cards, contexts, actions of rows, and what is printed, in a real browser."""

from __future__ import annotations

import json

import pytest
from browsers import RECTS, Browser, needs_browser
from driven import FEW, ONE, TWO
from pages import system

from spacy_nereval import Document

pytestmark = needs_browser


def test_a_heading_has_at_most_two_lines_and_begins_with_its_conclusion(browser, made):
    path = made("two", ONE, TWO, confidence=FEW)
    lines = """return [...document.querySelectorAll('h1, h2')].filter(e => e.checkVisibility()).map(e => [e.textContent,
      Math.round(e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight))])"""
    for width in (390, 1280):
        browser.visit(path, width=width)
        found = dict(browser(lines))
        assert len(found) > 8 and {*found.values()} <= {1, 2}, found
    assert not any(title.startswith("Under ") for title in found)
    assert sum(title.endswith(f", under {name}") for title in found for name in (ONE.name, TWO.name)) >= 3


def test_wide_tables_fit_and_their_columns_can_be_hidden(browser, made):
    many = [system(f"system-{k}", *ONE.documents) for k in range(5)]
    browser.open(made("five", *many, confidence=FEW))
    widths = """const table = [...document.querySelectorAll('#scores table')][0];
      return [table.parentElement.scrollWidth <= table.parentElement.clientWidth,
        [...table.tHead.rows[1].cells].filter(e => e.checkVisibility()).map(e => e.textContent.trim()),
        [...table.tHead.rows[0].cells].filter(e => e.checkVisibility()).map(e => e.colSpan),
        [...table.tBodies[0].rows[0].cells].filter(e => e.checkVisibility()).length,
        Boolean(table.querySelector('td:last-child > small').checkVisibility())]"""
    fits, heads, above, cells, bounded = browser(widths)
    assert fits and bounded, "five systems fit 1280 pixels with their intervals"
    assert heads[0] == "metric" and {*heads[1:]} == {"F"} and cells == len(heads) == sum(above)
    assert browser["#scores .columns summary"].text == "Columns, without R, P"
    browser.click("#scores .columns summary")
    browser.click("#scores .columns input[value='P']")
    browser.click("#scores .columns input[value='intervals']")
    _, heads, above, cells, bounded = browser(widths)
    assert heads == ["metric", *["P", "F"] * 5] and above == [1, *[2] * 5] and cells == len(heads) and not bounded
    browser.click("#scores table:first-of-type th:nth-child(4) button.sort")
    assert browser(widths)[3] == cells, "sorted rows keep their columns"


def test_on_a_phone_a_metric_is_a_card(browser, made):
    browser.open(made("two", ONE, TWO, confidence=FEW), width=390)
    said = """return [...document.querySelectorAll('#scores .cards tbody tr:first-child td')].slice(0, 6)
      .map(e => getComputedStyle(e, '::before').content)"""
    assert browser(said) == [json.dumps(f"{name} {score}") for name in (ONE.name, TWO.name) for score in "PRF"]
    assert all(0 <= left < right <= 390 for left, right, _, _ in browser(RECTS, "#scores .cards td.number"))


def test_actions_of_a_row_appear_on_hover_and_focus(browser, made):
    browser.open(made("one", ONE), anchor="#one=0&view=errors")
    shown = """return [...document.querySelectorAll('.lines tbody tr')].slice(0, 3)
      .map(row => getComputedStyle(row.querySelector('.mark')).opacity)"""
    assert browser(shown) == ["0"] * 3
    browser("document.querySelector('.lines tbody tr').focus()")
    assert browser(shown) == ["1", "0", "0"]
    browser.press("g")
    browser("document.activeElement.blur()")
    assert browser(shown) == ["1", "0", "0"], "a mark that is set stays in sight"
    browser.press("z")


def test_the_list_names_documents_and_its_contexts_end_at_words(browser, made):
    text = "wonderful 😀😀 " * 20 + "Bob" + " 😃 marvellous" * 20
    start = text.index("Bob")
    own = system(
        "context", Document([(start, start + 3, "A")], [], text, id="tweet-1"), Document([(0, 9, "A")], [], text)
    )
    browser.open(made("context", own), anchor="#view=errors")
    assert [each.text for each in browser.all(".lines .where")] == ["tweet-1", "2"]
    sides = """return [...document.querySelectorAll('.lines tbody tr:first-child .kwic > *')]
      .map(e => [e.textContent, e.scrollWidth - e.clientWidth])"""
    (before, over), (after, beyond) = browser(sides)
    assert over <= 0 >= beyond, "nothing is cut by the box"
    assert before.startswith("… ") and {*before.split()} <= {"…", "wonderful", "😀😀"}
    assert after.endswith(" …") and {*after.split()} <= {"…", "Bob", "😃", "marvellous"}
    browser.driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 1040, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    )
    browser.until(lambda: 0 < len(browser(sides)[0][0]) < len(before))


@pytest.mark.parametrize(("anchor", "pages"), [("#one=0&view=errors", 25), ("#one=0&view=documents&wrong=false", 20)])
def test_what_is_printed_has_a_limit_that_is_told(browser: Browser, made, anchor, pages):
    documents = [Document(d.gold, [], d.text) for d in ONE.documents * 10]
    browser.open(made("printed", system("printed", *documents)), anchor=anchor)
    number = "return document.querySelectorAll('#list article, #list tbody tr').length"
    assert browser(number) == pages
    browser("dispatchEvent(new Event('beforeprint'))")
    assert browser(number) == 20 * pages
    assert browser["#list > .key"].text.startswith(f"Printed are 1 to {20 * pages:,} of ")
    browser("dispatchEvent(new Event('afterprint'))")
    assert browser(number) == pages and not browser.all("#list > .key")


def test_the_licences_of_the_javascript_stand_in_the_page_whole(browser, made):
    browser.visit(made("two", ONE, TWO, confidence=FEW))
    said = browser("return document.querySelector('.licences pre').textContent")
    assert not browser("return document.querySelector('.licences').open")
    for part in (
        "University of Washington Interactive Data Lab",
        "Mike Bostock",
        "Neither the name of the copyright",
        "IN NO EVENT",
    ):
        assert part in said
