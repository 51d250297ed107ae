"""The page on agreement in a real browser: filters, the heat map, texts under all annotators, and what it saves."""

from __future__ import annotations

import json

import pytest
from annotators import example, view_of
from browsers import Browser, needs_browser

from spacy_nereval.evaluation.agreement.votes import disputed_places
from spacy_nereval.io.shared_documents import label_studio_tasks, prodigy_tasks

pytestmark = needs_browser

SHARED = example()
PLACES = [[*disputed_places(document.spans)] for document in SHARED.documents]
ALL = sum(map(len, PLACES))


@pytest.fixture
def page(browser, agreement) -> Browser:
    browser.visit(agreement)
    return browser


def shown(page: Browser) -> int:
    return int(page.matches.split()[0]) if page.matches[0].isdigit() else 0


def test_a_difference_shows_its_places_and_back_takes_it_back(page):
    assert shown(page) == ALL
    first, *_ = view_of(SHARED).result["differences"]
    page.click("#differences [data-ask]")
    assert shown(page) == len({(place["document"], place["end"]) for place in first["places"]})
    assert "leading words of FAILURE_LOC" in page["#asked"].text
    assert "words at the start" in page["#list .dispute header"].text
    page.driver.back()
    page.until(lambda: shown(page) == ALL)


def test_who_said_what_is_below_each_dispute(page):
    page.find("LF antenna")
    (row,) = [each.text for each in page.all("#list .said")]
    lines = [" ".join(part.split()) for part in row.splitlines()]
    assert lines == ["● ann", "LF antenna FAILURE_LOC", "■ ben", "antenna FAILURE_LOC"]
    assert page("return getComputedStyle(document.querySelector('.dispute .m')).backgroundImage").count("gradient") == 1


def test_tables_and_filters_ask_for_what_they_show(page):
    pairs = view_of(SHARED).result["pairs"]
    strict = [f"{100 * pair['metrics']['strict']['scores']['f']:.2f}" for pair in pairs[:2]]
    assert [cell.text for cell in page.all("#heat .heat")][:2] == strict
    page.choose("#score", "kappa")
    assert page["#heat .heat"].text == f"{pairs[0]['kappa']:.2f}"
    page.click("#heat tbody tr:nth-child(2) td:nth-child(4) .heat")
    chosen = [page.value(f"#{name}") for name in ("one", "other")]
    assert chosen == ["1", "2"] and 0 < shown(page) < ALL  # ben and cleo
    of_type = sum(any(v.span.label == "FAILURE_TYPE" for v in place.versions) for own in PLACES for place in own)
    page.click("#labels tbody tr:nth-child(2) button")
    assert shown(page) == of_type
    page.click("#reset")
    page.choose("#label", "FAILURE_TYPE")
    assert shown(page) == of_type
    page.click("#annotators tbody tr:nth-child(3) button")
    assert page.value("#one") == "2"
    page.click("#documents tbody tr:nth-child(2) button")
    assert page["#list article:focus h3"].text == "test-022"
    for k in range(len(page.all("#kinds label"))):
        page.click("#reset")
        page.click("#view-disputes")
        box = page.all("#kinds label")[k]
        name, number = box.text.rsplit(maxsplit=1)
        box.click()
        assert (name, shown(page)) == (name, int(number))


def test_documents_show_their_whole_text_under_all_annotators(page):
    page.click("#view-documents")
    page.choose("#order", "as in the corpus")
    assert page.shown[:3] == [1, 2, 3]
    for number in page.shown[:5]:
        assert page.text_of(number) == SHARED.documents[number - 1].base.text
    assert "FAILURE_LOC ● ann" in page["#doc-2 .flag.label"].text
    page("location.hash = '#doc-45'")
    page.until(lambda: 45 in page.shown)


def test_what_is_saved_for_adjudication_is_what_the_command_writes(page):
    lines = page.saved("#save-prodigy").splitlines()
    assert [json.loads(line) for line in lines] == [*prodigy_tasks(SHARED)]
    assert json.loads(page.saved("#save-label-studio")) == [*label_studio_tasks(SHARED)]


def test_without_scripts_the_most_disputed_places_are_there(browser, agreement):
    browser.soil()
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.driver.get("about:blank")
        browser.driver.get(agreement.as_uri())
        assert "The largest systematic difference: ben leaves out" in browser[".conclusion"].text
        assert len(browser.all("noscript .static")) == 50
        assert not browser["#filters"].is_displayed()
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_disputes_are_adjudicated_by_keys_from_anywhere_and_saved_as_gold(browser, agreement):
    browser.open(agreement)
    browser("localStorage.clear(); document.querySelector('[data-review]').focus()")
    browser.press("\n")
    assert browser["#review-done"].text == f"Place 1 of {ALL}: 0 done, {ALL} left"
    order = browser(
        "return JSON.parse(localStorage.getItem(Object.keys(localStorage).find(k => k.endsWith('place'))))[0]"
    )
    wanted = {}
    for key, answer in zip(order, ("1", "0", "u", "1z1", "u1", "1")):
        k, p = map(int, key.split())
        browser.press(*answer)
        (pressed,) = browser.all("#card [aria-pressed=true]")
        assert pressed.get_attribute("data-key") == answer[-1]
        if answer != "u":
            own = [
                {vote.span for vote in PLACES[k][p].versions if name in vote.annotators}
                for name in SHARED.documents[k].spans
            ]
            said = [spans for spans in own if spans]
            wanted[k, p] = set() if answer == "0" else max(said, key=said.count)
        browser("document.activeElement.blur()")
        browser.press("j")
    assert browser["#review-done"].text == f"Place 7 of {ALL}: 6 done, {ALL - 6:,} left"
    browser.driver.refresh()
    browser.until(lambda: browser["#review-done"].text.startswith("Place 7 of "))
    assert browser["#marks"].text == "5 places decided in this browser"
    lines = [json.loads(line) for line in browser.saved("#save-adjudicated").splitlines()]
    assert [line["text"] for line in lines] == [document.base.text for document in SHARED.documents]
    for (k, p), spans in wanted.items():
        found = {(span["start"], span["end"], span["label"]) for span in lines[k]["spans"]}
        assert found & {vote.span for vote in PLACES[k][p].versions} == spans
    assert [line["meta"]["decided"] for line in lines] == [
        sum(number == k for number, _ in wanted) for k in range(len(lines))
    ]
