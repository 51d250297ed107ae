"""The filters, tables and list of the report in a real browser: what is counted, what they list, and the address of it.

What addresses list is tested without a page, in `test_page_functions`, and what controls do by `test_every_control`.
"""

import csv
import json
import re
import time
from collections import Counter
from pathlib import Path

from browsers import By, Keys, needs_browser
from driven import BEST, CHOICES, DOCUMENTS, FEW, ONE, SECOND, TWO, corpus, said, verdicts, with_verdict, wrong
from listed import Wanted, listed
from pages import system

from spacy_nereval import create
from spacy_nereval.evaluation.error_list import gold_outcomes, transitions
from spacy_nereval.evaluation.result import evaluate

pytestmark = needs_browser

# What is counted


def test_the_verdicts_in_the_form_are_the_counts_of_the_result(one):
    for metric in ("fair", "strict", "semeval", "slot_error"):
        one.choose("#metric", metric)
        counts = evaluate(ONE.counts)["metrics"][metric]["counts"]
        assert dict(one(CHOICES)) == counts
        assert metric != "fair" or all(counts.values()), "the corpus has every verdict"


def test_the_changes_in_the_form_are_those_of_gold_spans_and_of_spurious_ones(two):
    assert two["#system-title"].text == "Errors of" and two["label[for=other]"].text == "Changes to"
    two.choose("#other", "B: two")
    assert (two["#system-title"].text, two["#other-title"].text) == ("Changes from", "to two")
    assert two["#changed th[scope=col]"].text == "one", "the table of changes has the same direction"
    swatch = "getComputedStyle(e).backgroundColor"
    legend = two.each("#changes .key .swatch", swatch)
    assert legend == two.each("#verdicts .swatch", swatch)[:2]
    (red, green, blue), (redder, *others) = (map(int, re.findall(r"\d+", colour)) for colour in legend)
    assert green > max(red, blue) + 50 and redder > max(others) + 50, "what is fixed is green, and what is broken red"
    names = two.each("#changes .key .swatch", "e.nextSibling.textContent.split(':')[0]")
    assert names == ["fixed", "broken"] == two.each("#verdicts label:has(.swatch)", "e.children[2].textContent")[:2]
    places, _ = listed([ONE.documents, TWO.documents], Wanted(0, 1))
    assert dict(two(CHOICES)) == Counter(change for _, change, *_ in places)


def test_the_cells_of_the_matrix_are_the_confusion_of_the_result(two):
    two.soil()
    for found in (ONE, TWO):
        two.choose("#system", f"{'A' if found is ONE else 'B'}: {found.name}")
        for metric in ("fair", "strict", "semeval", "slot_error"):
            two.choose("#matrix-metric", metric)
            right = create(metric).hit
            numbers: Counter[str] = Counter()
            for verdict in (v for each in verdicts(found, metric) for v in each):
                gold, pred = (span.label if span else "none" for span in verdict[1:3])
                kind = ", correct" if verdict.name == right else ", wrong boundaries" if gold == pred else ""
                numbers[f"gold {gold}, predicted {pred}{kind}"] += 1
            names = two.each("#matrix button", "e.getAttribute('aria-label')")
            assert sorted(names) == sorted(f"{cell}: {n}" for cell, n in numbers.items()), (found.name, metric)
    two.choose("#matrix-as", "share of the row (recall)")
    shares = two.each("#matrix tbody tr", "[...e.querySelectorAll('button')].map(e => parseFloat(e.textContent))")
    assert all(abs(sum(row) - 100) < 0.5 for row in shares if row)


def test_the_matrix_shows_the_errors_alone_by_a_switch(one):
    right = with_verdict(ONE, "tp")[0]
    assert sum(map(int, one.each("#matrix .hits"))) == right and "Green: correct" in one["#matrix-rest"].text
    caption = "return document.querySelector('#matrix caption').textContent"
    assert one(caption) == "Hits and errors"
    one.soil()
    one.choose("#matrix-what", "errors alone")
    assert one(caption) == "Errors alone: the matrix of the paper on FairEval, and of the JSON result"
    assert one.all("#matrix .hits") == [] and not one["#matrix-as"].is_enabled(), "their shares are no scores"
    assert sum(map(int, one.each("#matrix .errors"))) == sum(v.name != "tp" for each in verdicts(ONE) for v in each)
    one.choose("#matrix-metric", "strict")
    assert one(caption) == "Errors alone", "the matrix of other metrics has hits in the result too"


# What is asked for


def test_at_first_the_documents_with_errors_are_shown_a_page_at_a_time(one):
    errors = sum(v.name != "tp" for each in verdicts(ONE) for v in each)
    assert one.matches == said(errors, len(wrong(ONE)))
    assert one.shown == wrong(ONE)[:20]
    one.click("#reset")
    assert one["#where"].text == "Page 1 of 3"
    assert not one["#previous"].is_enabled()
    one.click("#next")
    assert one.shown == list(range(21, 41))
    one.click("#next")
    assert one.shown == list(range(41, 58))
    assert not one["#next"].is_enabled()
    one.click("#previous")
    assert one["#where"].text == "Page 2 of 3"
    one.find("id-5")
    assert one["#where"].text == ""


def test_text_that_is_found_is_marked_and_a_pattern_that_is_none_is_refused(one):
    one.click("#wrong")
    one.find("TEXT 31:")
    assert one.shown == [32]
    assert one("return [...CSS.highlights.get('found')].map(String)") == ["Text 31:"]
    one.find("Navy")
    parts = "return [...CSS.highlights.get('found')].map(e => e.cloneContents().querySelectorAll('.flag').length)"
    assert {*one(parts)} == {0}, "what stands behind a match is not marked"
    one.click("#pattern")
    one.find("text 1[24]:")
    one.until(lambda: one.shown == [13, 15])
    one.find("(")
    one.until(lambda: one.matches == "This is no regular expression: unterminated group")


def test_a_cell_of_the_matrix_filters_and_a_second_click_takes_it_back(one):
    confusion = evaluate(ONE.counts)["metrics"]["fair"]["confusion"]
    everything = f"in {len(wrong(ONE))} of 57 documents"
    cell = "#matrix button[aria-label^='gold PER, predicted PER, wrong boundaries']"
    one.click(cell)
    assert one.matches.startswith(f"{confusion['PER']['PER']} error")
    assert one[cell].get_attribute("aria-pressed") == "true"
    assert one["#asked"].text == "Only gold PER, predicted PER ×"
    assert one.focused == "list-title"
    one.click(cell)
    assert one.matches.endswith(everything)
    assert one[cell].get_attribute("aria-pressed") == "false"
    one.click("#matrix button[aria-label^='gold none, predicted ORG']")
    one.click("#asked button")
    assert one.matches.endswith(everything)
    one("history.back()")
    one.until(lambda: one.matches.startswith(f"{confusion['']['ORG']} error"))


def test_a_label_is_looked_for_on_the_side_that_is_named(one):
    one.choose("#label", "ORG")
    numbers = []
    for words, side in {
        "on either side": "",
        "of gold": "gold",
        "predicted": "pred",
        "that the verdict": "home",
    }.items():
        (option,) = (text for text in one.each("#side option") if text.startswith(words))
        one.choose("#side", option)
        places, documents = listed([BEST.documents, ONE.documents], Wanted(1, label="ORG", side=side))
        assert one.matches == said(len(places), len(documents)), words
        numbers.append(len(places))
    assert len({*numbers}) > 2


def test_what_is_no_longer_narrowed_begins_with_its_first_page(one):
    one.click("#matrix button[aria-label^='gold PER, predicted PER, correct']")
    one.click("#view-documents")
    one.click("#next")
    assert one["#where"].text.startswith("Page 2 of")
    one.click("#asked button")
    assert one["#where"].text.startswith("Page 1 of")


def test_a_choice_that_changes_nothing_is_no_step_back(one):
    one("window.steps = []; history.pushState = (state, title, hash) => window.steps.push(hash)")
    one.click("#view-documents")
    assert one("return window.steps") == []
    one.click("#view-errors")
    assert len(one("return window.steps")) == 1


def test_arrow_keys_move_in_the_matrix_which_is_one_stop_of_the_tab_key(one):
    buttons = one.all("#matrix button")
    assert [button.get_attribute("tabindex") for button in buttons] == ["0"] + ["-1"] * (len(buttons) - 1)
    one("arguments[0].focus()", buttons[0])
    top, name = one("return scrollY"), "return document.activeElement.getAttribute('aria-label').split(':')[0]"
    right, down, left, up = Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_LEFT, Keys.ARROW_UP
    for keys, cell in (
        ([], "gold LOC, predicted LOC, correct"),
        ([right], "gold LOC, predicted LOC, wrong boundaries"),
        ([right], "gold LOC, predicted ORG"),
        ([down], "gold ORG, predicted ORG, correct"),
        ([left, up, up, left], "gold LOC, predicted LOC, correct"),
    ):
        one.press(*keys)
        assert one(name) == cell
    time.sleep(0.3)
    assert one("return scrollY") == top
    assert len(one.all("#matrix button[tabindex='0']")) == 1
    one.press(Keys.ENTER)
    assert one["#asked"].text.startswith("Only gold LOC, predicted LOC")
    assert one.focused == "list-title"


def test_a_number_in_the_tables_marks_what_it_counts_in_texts(two):
    number = "#changes tr[data-name=missed] .fixed button"
    two.click(number)
    assert two.matches.startswith(f"{two[number].text} change")
    assert two["#asked"].text == "Only missed, then correct ×"
    two.click("#view-documents")
    flags = two.each(".flag.matched")
    assert flags and all("A missed" in flag and "B ✓" in flag for flag in flags)


def headings(browser):
    return {
        int(id.removeprefix("doc-")): text
        for id, text in browser.each("article", "[e.id, e.querySelector('header p').textContent]")
    }


def test_the_heading_of_a_document_counts_the_errors_of_the_system_that_is_shown(two):
    words = {name: wording.short for name, wording in create("fair").words.items()}
    for found in (TWO, ONE):
        two.choose("#system", f"{'A' if found is ONE else 'B'}: {found.name}")
        expected = [Counter(v.name for v in each if v.name != "tp") for each in verdicts(found)]
        shown = headings(two)
        assert len(shown) == 20
        for k, text in shown.items():
            said = {
                part.split(" × ")[-1]: int(part.split(" × ")[0]) if " × " in part else 1 for part in text.split(", ")
            }
            assert said == ({words[name]: n for name, n in expected[k - 1].items()} or {"no error": 1})


def test_the_heading_of_a_document_counts_the_changes_between_the_systems_that_are_shown(browser, made):
    three = [ONE, TWO, system("three", *corpus(2))]
    browser.visit(made("three", *three), anchor=DOCUMENTS + "&one=1&other=2")
    places, _ = listed([each.documents for each in three], Wanted(1, 2))
    expected: dict[int, Counter[str]] = {}
    for k, change, *_ in places:
        expected.setdefault(k + 1, Counter())[change] += 1
    shown = headings(browser)
    assert len(shown) == 20
    for k, text in shown.items():
        numbers = [int(part.split(" × ")[0]) if " × " in part else 1 for part in text.split(", ")]
        assert sorted(numbers) == sorted(expected[k].values())


def test_a_flag_lists_the_errors_of_its_own_system(two):
    two.click("#together")
    first = "(e.flag.said.find(({ kind }) => kind !== 'hit') || e.flag.said[0]).system"
    two(f"[...document.querySelectorAll('.flag')].find((e) => {first} === 1).click()")
    assert two.value("#system") == "1" and "view=documents" not in two("return location.hash")


def test_lines_that_are_sorted_anew_begin_with_their_first_page(browser, second):
    browser.visit(second, anchor="#view=errors&order=errors" + SECOND)
    browser.click("#next")
    assert browser["#where"].text.startswith("Page 2 of ")
    browser.click("button[aria-label='Sort by span']")
    assert browser["#where"].text.startswith("Page 1 of ")


def test_any_two_systems_have_a_table_of_changes(browser, made):
    three = [ONE, TWO, system("three", *corpus(2))]
    browser.visit(made("three", *three))
    browser.soil()
    golds = [[gold_outcomes(document) for document in found.documents] for found in three]
    for one, other in ((1, 2), (2, 0)):
        browser.choose("#changes-one", f"{'ABC'[one]}: {three[one].name}")
        browser.choose("#changes-other", f"{'ABC'[other]}: {three[other].name}")
        found = transitions(golds[one], golds[other], ONE.documents)["counts"]
        names = ("correct", "boundary", "label error", "label and boundary", "missed")
        numbers = browser.each("#changed tbody tr", "[...e.querySelectorAll('td')].map(e => Number(e.textContent))")
        assert numbers == [[found.get(a, {}).get(b, 0) for b in names] for a in names]
    browser.choose("#changes-other", "C: three")
    assert browser.value("#changes-one") == "0", "a system is not compared with itself"
    n = browser["#changed button"].text
    browser.click("#changed button")
    assert browser.matches.startswith(f"{n} change")
    assert [browser.value(f"#{name}") for name in ("system", "other")] == ["0", "2"]


def test_a_link_opens_its_document_wherever_it_is(browser, second):
    right = next(k for k in range(41, 58) if k not in wrong(ONE))
    browser.open(second, anchor=f"#doc-{right}")
    assert browser.focused == f"doc-{right}"
    assert right in browser.shown
    assert -1 <= browser("return document.activeElement.getBoundingClientRect().top") < 100
    browser.find("id-1")
    browser("location.hash = '#doc-30'")
    browser.until(lambda: browser.focused == "doc-30")
    assert browser["#doc-30 h3 a"].get_attribute("href").endswith(browser("return location.hash"))
    browser("location.hash = '#doc-9999'")
    browser.until(lambda: browser["#notice"].text == "There is no document 9999: this page has 57 documents.")


VIEW = """return [matches.textContent, where.textContent, asked.textContent, together.checked,
  ...[...document.querySelectorAll('#filters select, #filters input')].map(e => e.value + e.checked),
  ...[...document.querySelectorAll('#list article, .lines tbody tr')].map(e => e.id + e.textContent)]"""


def test_reload_back_and_a_copied_link_give_the_same_view(browser, made):
    path = made("two", ONE, TWO, confidence=FEW)
    browser.open(path, anchor="#one=0")
    steps = (
        lambda: browser.choose("#order", "most errors first"),
        lambda: browser.click("#view-documents"),
        lambda: browser.click("#together"),
        lambda: browser.click("#next"),
        lambda: browser.click("#list article:nth-of-type(3) h3 a"),
        lambda: browser.choose("#label", "ORG"),
        lambda: browser.choose("#side", "predicted"),
        lambda: browser.choose("#other", "B: two"),
        lambda: browser.click("#slices tbody tr:nth-child(2) th button"),
        lambda: browser.click("button[aria-label='Sort by span']"),
        lambda: browser.click(".lines tbody tr:nth-child(2) button.link"),
    )
    views = []
    for step in steps:
        step()
        views.append((browser("return location.href"), browser(VIEW)))
    assert len({address for address, _ in views}) == len(steps)
    assert "#view=documents&bucket=0.1&order=surface&together=true" in views[-1][0], "a document keeps the filters"
    for address, view in views[-2::-1]:
        browser.driver.back()
        browser.until(lambda wanted=address: browser("return location.href") == wanted)
        assert browser(VIEW) == view, "Back"
    for address, view in views:
        browser.driver.get("about:blank")
        browser.driver.get(address)
        browser.until(lambda: browser("return Boolean(matches.textContent)"))
        assert browser(VIEW) == view, address
        assert "doc=" not in address or browser.focused == f"doc-{address.partition('doc=')[2]}"
    browser("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() }")
    browser.click("#copy-link")
    assert browser.until(lambda: browser("return window.copied")) == views[-1][0]
    browser.click("nav.contents a[href='#labels']")
    browser.until(lambda: browser("return location.hash") == "#labels")
    browser.driver.refresh()
    browser.until(lambda: browser("return Boolean(matches.textContent)"))
    assert browser(VIEW) == views[-1][1], "a section keeps the view beside it"
    browser.soil()


def test_a_document_that_filters_hide_is_opened_without_them_and_that_is_said(browser, second):
    right = next(k for k in range(1, 58) if k not in wrong(ONE))
    browser.open(second, anchor=f"#label=1{SECOND}&doc={right}")
    assert browser["#notice"].text == f"The filters hid document {right}, so they are taken back."
    assert browser.focused == f"doc-{right}" and browser.matches.endswith("57 of 57 documents")
    assert browser("return location.hash").startswith("#view=documents&one=1&wrong=false&")


# Orders


SORTED = """return [...document.querySelectorAll('table.sortable')].flatMap(table => {
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells], said = table.caption.textContent;
  const cells = column => [...table.tBodies[0].rows].map(row => row.cells[column].textContent.trim());
  const clicked = (head, column) => { head.querySelector('button').click(); return [head.ariaSort, cells(column)] };
  return heads.flatMap((head, column) => head.querySelector('button')
    ? [[said, column, cells(column), ...[1, 2, 3].map(() => clicked(head, column))]] : []);
})"""
"""Clicks each header of each table three times: what the table says of its order, and the cells of the column."""


def test_every_column_of_every_table_sorts_by_what_is_in_it_and_a_third_click_takes_it_back(browser, made):
    browser.open(made("two", ONE, TWO, confidence=FEW))
    sorted_by_number, firsts = 0, {}
    for name, column, before, (first, up), (second, down), (third, back) in browser(SORTED):
        assert (first, second, third) in {("descending", "ascending", None), ("ascending", "descending", None)}
        assert back == before and sorted(up) == sorted(down) == sorted(before)
        rising, falling = (up, down) if first == "ascending" else (down, up)
        known = [number_in(text) for text in before if text not in ("", "-")]
        if column and known and None not in known:
            values = [[number_in(text) for text in order] for order in (rising, falling)]
            undefined = [None] * (len(before) - len(known))  # these are last
            assert values == [sorted(known) + undefined, sorted(known, reverse=True) + undefined], (name, column)
            sorted_by_number += 1
        elif not column:
            firsts[name] = rising, falling, before
    assert sorted_by_number > 30
    for title, least in (("Words in the span", "1 word"), ("Place in the text", "first quarter")):
        rising, falling, before = next(found for name, found in firsts.items() if name.startswith(title))
        assert rising[0].startswith(least) and rising == before == falling[::-1], "buckets are no texts"


def number_in(text: str) -> float | None:
    """The first number of a cell, as people read it."""
    found = re.match(r"(< ?)?([-+]?[\d,]*\.?\d+)", text.replace("\N{MINUS SIGN}", "-"))
    return found and float(found[2].replace(",", "")) - bool(found[1]) * 1e-9


def test_lines_are_sorted_by_the_header_that_is_clicked_and_back_takes_it_back(browser, second):
    browser.visit(second, anchor="#view=errors&order=errors" + SECOND)

    def spans() -> list[str]:
        return browser.each(".kwic .span", "e.textContent.toLowerCase()")

    before = spans()
    for falling in (False, True):
        browser.click("button[aria-label='Sort by span']")
        assert spans() == sorted(spans(), reverse=falling) != before
        assert browser.value("#order") == "column"
        assert ("falling=true" in browser("return location.hash")) == falling
    browser("history.go(-2)")
    browser.until(lambda: spans() == before)
    assert browser.value("#order") == "errors"


# Marks, notes and what is copied


def test_a_mark_and_a_note_are_kept_and_found_and_stay_in_sight(browser, second):
    browser.open(second, anchor="#view=errors" + SECOND)
    shown = """return [...document.querySelectorAll('.lines tbody tr')].slice(0, 3)
      .map(row => getComputedStyle(row.querySelector('.mark')).opacity)"""
    assert browser(shown) == ["0"] * 3
    browser("document.querySelector('.lines tbody tr').focus()")
    assert browser(shown) == ["1", "0", "0"]
    assert not browser[".lines .note"].is_displayed()
    browser.press("n", "look again", Keys.ENTER)
    assert browser.focused == "TR"
    assert browser[".lines .note"].is_displayed()
    browser.press("j", "g", "j", "s", "s")  # the second press takes the mark back
    assert browser["#marks"].text == "2 marks in this browser"
    marked = browser.all(".lines tbody tr")[1].find_element(By.CSS_SELECTOR, "[aria-label='gold wrong']")
    assert marked.get_attribute("aria-pressed") == "true"
    browser("document.activeElement.blur()")
    assert browser(shown) == ["0", "1", "0"], "a mark that is set stays in sight"
    kept = browser("return JSON.parse(Object.entries(localStorage).find(([key]) => key.endsWith('marks'))[1])")
    assert [(mark["mark"], mark["note"]) for _, mark in kept] == [("", "look again"), ("gold", "")]
    browser.open(second, anchor="#view=errors&mark=gold" + SECOND)
    assert browser.matches == said(1, 1)


def test_what_is_copied_is_what_is_shown(browser, second):
    browser.visit(second, anchor="#view=errors&find=id-2" + SECOND)
    browser.soil()
    browser("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() }")
    n = int(browser.matches.split()[0])
    browser.click("#copy-csv")
    copied = "return window.copied"
    rows = [*csv.DictReader(browser.until(lambda: browser(copied)).splitlines())]
    assert len(rows) == n and all("id-2" in row["id"] for row in rows)
    browser.click("#copy-jsonl")
    lines = browser.until(lambda: (text := browser(copied)).startswith("{") and text).splitlines()
    assert sum(len(json.loads(line)["meta"]["errors"]) for line in lines) == n
    browser.click("#copy-link")
    browser.until(lambda: "find=id-2" in browser(copied))


def test_a_refused_clipboard_is_told(one):
    one.soil()
    one("navigator.clipboard.writeText = () => Promise.reject(new Error()); document.execCommand = () => false")
    one.click("#copy-link")
    one.until(lambda: one["#notice"].text == "This browser refuses to copy. Link: not copied.")
    one("document.execCommand = () => true")
    one.click("#copy-link")
    one.until(lambda: one["#notice"].text == "Link copied.")


def test_the_words_of_a_verdict_are_whole(one):
    one.visit(Path(one.driver.current_url.partition("#")[0].removeprefix("file://")), anchor="#view=errors")
    cells = one.each(".lines td.words", "[e.textContent, e.scrollWidth - e.clientWidth]")
    assert max(len(words) for words, _ in cells) > 14 and {over for _, over in cells} == {0}
