"""The page on agreement in a real browser: filters, the heat map, texts under all annotators, and what it saves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from annotators import example, example_page, hostile, page_of, result_of, view_of
from browsers import Browser, needs_browser

from spacy_nereval.evaluation.agreement.votes import disputed_places
from spacy_nereval.io.shared_documents import label_studio_tasks, prodigy_tasks

pytestmark = needs_browser

SHARED = example()
PLACES = [place for document in SHARED.documents for place in disputed_places(document.spans)]
KEEP = """window.saved = []; URL.createObjectURL = blob => { saved.push(blob); return '#' };
HTMLAnchorElement.prototype.click = () => {};"""
SAVED = "const done = arguments[0]; saved.at(-1).text().then(done)"


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    found = tmp_path_factory.mktemp("agreement") / "page.html"
    found.write_text(example_page(), encoding="utf8")
    return found


@pytest.fixture
def page(browser, path) -> Browser:
    browser.visit(path)
    return browser


def shown(page: Browser) -> int:
    return int(page.matches.split()[0]) if page.matches[0].isdigit() else 0


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)], ids=["desk", "dark phone"])
def test_the_page_opens_without_a_network_and_nothing_sticks_out(browser, path, width, dark):
    browser.open(path, width=width, dark=dark)
    assert browser("return performance.getEntriesByType('resource').map(entry => entry.name)") == []
    inside, whole = browser("const e = document.documentElement; return [e.clientWidth, e.scrollWidth]")
    assert width - 20 < inside == whole
    assert browser.log == []


def test_every_dispute_is_listed_and_a_difference_shows_its_places(page):
    assert shown(page) == len(PLACES)
    first, *_ = result_of(SHARED)["differences"]
    page.click("#differences [data-ask]")
    assert shown(page) == len({(place["document"], place["end"]) for place in first["places"]})
    assert "leading words of FAILURE_LOC" in page["#asked"].text
    assert "words at the start" in page["#list .dispute header"].text
    page.driver.back()
    page.until(lambda: shown(page) == len(PLACES))


def test_who_said_what_is_below_each_dispute(page):
    page.find("LF antenna")
    (row,) = [each.text for each in page.all("#list .said")]
    assert [" ".join(part.split()) for part in row.splitlines()] == [
        "● ann",
        "LF antenna FAILURE_LOC",
        "■ ben",
        "antenna FAILURE_LOC",
    ]
    assert page("return getComputedStyle(document.querySelector('.dispute .m')).backgroundImage").count("gradient") == 1


def test_a_cell_of_the_heat_map_shows_the_disputes_of_its_pair(page):
    result = view_of(SHARED).result
    shown_f = [cell.text for cell in page.all("#heat .heat")]
    assert shown_f[:2] == [f"{100 * pair['metrics']['strict']['scores']['f']:.2f}" for pair in result["pairs"][:2]]
    page.choose("#score", "kappa")
    assert page["#heat .heat"].text == f"{result['pairs'][0]['kappa']:.2f}"
    page.click("#heat tbody tr:nth-child(2) td:nth-child(4) .heat")  # ben and cleo
    number = 0
    for document in SHARED.documents:
        own = {name: spans for name, spans in document.spans.items() if name != "ann"}
        apart = {*own["ben"]} ^ {*own["cleo"]} if len(own) == 2 else set()
        for place in disputed_places(document.spans):
            number += any(version.span in apart for version in place.versions)
    assert shown(page) == number


def test_a_row_of_a_table_shows_its_disputes(page):
    page.click("#labels tbody tr:nth-child(2) button")
    assert shown(page) == sum(any(v.span.label == "FAILURE_TYPE" for v in place.versions) for place in PLACES)
    page.click("#annotators tbody tr:nth-child(3) button")
    assert page["#one"].get_attribute("value") == "2"
    page.click("#documents tbody tr:nth-child(2) button")
    assert page["#list article:focus h3"].text == "test-022"


def test_filters_by_kind_and_label(page):
    for k in range(len(page.all("#kinds label"))):
        box = page.all("#kinds label")[k]
        name, number = box.text.rsplit(maxsplit=1)
        box.click()
        assert (name, shown(page)) == (name, int(number))
        page.click("#reset")
    page.choose("#label", "FAILURE_TYPE")
    assert shown(page) == sum(any(v.span.label == "FAILURE_TYPE" for v in place.versions) for place in PLACES)


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
    page.soil()
    page(KEEP)
    page.click("#save-prodigy")
    lines = page.driver.execute_async_script(SAVED).splitlines()
    assert [json.loads(line) for line in lines] == [*prodigy_tasks(SHARED)]
    page.click("#save-label-studio")
    assert json.loads(page.driver.execute_async_script(SAVED)) == [*label_studio_tasks(SHARED)]


def test_hostile_texts_and_names_do_not_run(browser, tmp_path):
    path = tmp_path / "hostile.html"
    path.write_bytes(page_of(hostile()).encode())
    browser.open(path)
    browser.click("#view-documents")
    browser.click("#differences [data-ask]")
    assert browser("return window.broken") is None
    assert browser.log == []


@pytest.mark.parametrize(
    ("dark", "width", "anchor"),
    [
        (False, 1280, ""),
        pytest.param(True, 390, "#view=documents", marks=pytest.mark.slow),
    ],
    ids=["light", "documents on a dark phone"],
)
def test_axe_finds_no_violation(browser, path, dark, width, anchor):
    browser.open(path, dark=dark, width=width, anchor=anchor)
    assert browser.violations() == []


def test_without_scripts_the_most_disputed_places_are_there(browser, path):
    browser.soil()
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.driver.get("about:blank")
        browser.driver.get(path.as_uri())
        assert "The largest systematic difference: ben leaves out" in browser[".conclusion"].text
        assert len(browser.all("noscript .static")) == 50
        assert not browser["#filters"].is_displayed()
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_disputes_are_adjudicated_by_keys_from_anywhere_and_saved_as_gold(browser, path):
    browser.open(path)
    browser.soil()
    browser("localStorage.clear()")
    browser("document.querySelector('[data-review]').focus()")
    browser.press("\n")
    assert browser["#review-done"].text == f"Place 1 of {len(PLACES)}: 0 done, {len(PLACES)} left"
    order = browser(
        "return JSON.parse(localStorage.getItem(Object.keys(localStorage).find(k => k.endsWith('place'))))[0]"
    )
    places = [[*disputed_places(document.spans)] for document in SHARED.documents]
    wanted = {}
    for step, key in enumerate(order[:6]):
        k, p = map(int, key.split())
        by_annotator = {
            name: tuple(sorted(vote.span for vote in places[k][p].versions if name in vote.annotators))
            for name in SHARED.documents[k].spans
        }
        said = [spans for spans in by_annotator.values() if spans]
        if step == 2:
            browser.press("u", "j")
            continue
        answer = "0" if step == 1 else "1"
        browser.press(*("u" if step == 4 else ""), answer)
        assert [each.get_attribute("data-key") for each in browser.all("#card [aria-pressed=true]")] == [answer]
        wanted[k, p] = set() if step == 1 else {*max(said, key=said.count)}
        if step == 3:
            browser.press("z")
            assert not browser.all("#card [aria-pressed=true]")
            browser.press("1")
        browser("document.activeElement.blur()")
        browser.press("j")
    assert browser["#review-done"].text == f"Place 7 of {len(PLACES)}: 6 done, {len(PLACES) - 6:,} left"
    browser.driver.refresh()
    browser.until(lambda: browser["#review-done"].text.startswith("Place 7 of "))
    assert browser["#marks"].text == "5 places decided in this browser"
    browser(KEEP)
    browser.click("#save-adjudicated")
    lines = [json.loads(line) for line in browser.driver.execute_async_script(SAVED).splitlines()]
    assert len(lines) == len(SHARED.documents)
    for k, (line, document) in enumerate(zip(lines, SHARED.documents)):
        found = {(span["start"], span["end"], span["label"]) for span in line["spans"]}
        for p, place in enumerate(places[k]):
            own = {tuple(vote.span) for vote in place.versions}
            if (k, p) in wanted:
                assert found & own == {tuple(span) for span in wanted[k, p]}
        assert line["meta"]["decided"] == sum(number == k for number, _ in wanted)
        assert line["text"] == document.base.text
    assert browser.log == []


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_no_violation_while_disputes_are_adjudicated(browser, path, dark):
    browser.open(path, dark=dark)
    browser.click("[data-review]")
    assert browser.violations() == []
    browser("localStorage.clear()")
    browser.soil()
