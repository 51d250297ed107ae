"""The filters of the report in a real browser: what is counted, what they list, and the address of it."""

from __future__ import annotations

import re
from collections import Counter

from browsers import needs_browser
from driven import CHOICES, FEW, ONE, TWO, said, verdicts, with_verdict, wrong

from spacy_nereval import create
from spacy_nereval.evaluation.result import evaluate
from spacy_nereval.evaluation.transitions import gold_outcomes, transitions

pytestmark = needs_browser


def test_the_corpus_has_every_verdict_and_documents_without_error():
    for found in (ONE, TWO):
        assert all(evaluate(found.counts)["metrics"]["fair"]["counts"].values())
        assert 0 < len(wrong(found)) < 57


def test_the_verdicts_in_the_form_are_the_counts_of_the_result(one):
    for metric in ("fair", "strict", "semeval", "slot_error"):
        one.choose("#metric", metric)
        counts = evaluate(ONE.counts)["metrics"][metric]["counts"]
        assert dict(one(CHOICES)) == counts


def test_the_cells_of_the_matrix_are_the_confusion_of_the_result(two):
    two.soil()
    for place, found in enumerate((ONE, TWO)):
        two.choose("#matrix-system", f"{'AB'[place]}: {found.name}")
        for metric in ("fair", "strict", "semeval", "slot_error"):
            two.choose("#matrix-metric", metric)
            cells = two(
                "return [...document.querySelectorAll('#matrix button')].map(e => e.getAttribute('aria-label'))"
            )
            numbers: Counter[str] = Counter()
            right = create(metric).hit
            for verdict in (v for each in verdicts(found, metric) for v in each):
                sides = [span.label if span else "none" for span in verdict[1:3]]
                kind = ", correct" if verdict.name == right else ", wrong boundaries" if sides[0] == sides[1] else ""
                numbers[f"gold {sides[0]}, predicted {sides[1]}{kind}"] += 1
            assert sorted(cells) == sorted(f"{said}: {n}" for said, n in numbers.items()), (place, metric)
            confusion = evaluate(found.counts)["metrics"][metric]["confusion"]
            errors = {
                said: n for said, n in numbers.items() if right in create(metric).confusion or "correct" not in said
            }
            assert sum(errors.values()) == sum(sum(row.values()) for row in confusion.values())
    two.choose("#matrix-as", "share of the row (recall)")
    shares = """return [...document.querySelectorAll('#matrix tbody tr')].map(row =>
      [...row.querySelectorAll('button')].map(e => parseFloat(e.textContent)))"""
    rows = two(shares)
    assert all(abs(sum(row) - 100) < 0.5 for row in rows if row)


def test_the_changes_in_the_form_are_the_transitions(two):
    two.choose("#other", "B: two")
    rows = two(CHOICES)
    outcomes = [[gold_outcomes(document) for document in found.documents] for found in (ONE, TWO)]
    numbers = transitions(*outcomes, TWO.documents)["counts"]
    spurious = [
        {(k, v.pred) for k, each in enumerate(verdicts(found)) for v in each if v.name == "fp"} for found in (ONE, TWO)
    ]
    assert dict(rows) == {
        "fixed": sum(row.get("correct", 0) for kind, row in numbers.items() if kind != "correct"),
        "broken": sum(n for kind, n in numbers["correct"].items() if kind != "correct"),
        "changed": sum(n for a, row in numbers.items() for b, n in row.items() if a != b and "correct" not in (a, b)),
        "spurious gone": len(spurious[0] - spurious[1]),
        "spurious new": len(spurious[1] - spurious[0]),
    }
    assert min(dict(rows).values()) > 0


def test_at_first_the_documents_with_errors_are_shown(one):
    errors = sum(v.name != "tp" for each in verdicts(ONE) for v in each)
    assert one.matches == said(errors, len(wrong(ONE)))
    assert one.shown == wrong(ONE)[:20]


def test_text_and_ids_are_found_in_either_case(one):
    one.click("#wrong")
    assert one.matches.endswith("verdicts in 57 of 57 documents")
    one.find("TEXT 31:")
    assert one.shown == [32]
    assert one("return [...CSS.highlights.get('found')].map(String)") == ["Text 31:"]
    one.find("Navy")
    parts = "return [...CSS.highlights.get('found')].map(e => e.cloneContents().querySelectorAll('.flag').length)"
    assert {*one(parts)} == {0}, "what stands behind a match is not marked"
    one.find("id-7")
    assert one.shown == [8]
    one.find("nowhere")
    assert one.matches == "No document of 57 matches"
    assert one.shown == []
    one.click("#pattern")
    one.find("text 1[24]:")
    one.until(lambda: one.shown == [13, 15])
    one.find("(")
    one.until(lambda: one.matches == "This is no regular expression: unterminated group")


def test_everything_can_be_asked_for_again(one):
    one.choose("#label", "ORG")
    one.find("5")
    one.click("#reset")
    assert one.matches.endswith("57 of 57 documents")
    assert one["#find"].get_attribute("value") == ""
    assert one.shown == list(range(1, 21))


def test_documents_can_be_ordered_by_errors(one):
    one.choose("#order", "most errors first")
    errors = {k: sum(v.name != "tp" for v in each) for k, each in enumerate(verdicts(ONE), 1)}
    assert one.shown == sorted(wrong(ONE), key=lambda k: (-errors[k], k))[:20]


def test_a_cell_of_the_matrix_filters_and_a_second_click_takes_it_back(one):
    confusion = evaluate(ONE.counts)["metrics"]["fair"]["confusion"]
    n = confusion["PER"]["PER"]
    documents = sum(
        any(v.name != "tp" and v.gold and v.pred and v.gold.label == v.pred.label == "PER" for v in each)
        for each in verdicts(ONE)
    )
    cell = "#matrix button[aria-label^='gold PER, predicted PER, wrong boundaries']"
    one.click(cell)
    assert one.matches == said(n, documents)
    assert one[cell].get_attribute("aria-pressed") == "true"
    assert one["#asked"].text == "Only gold PER, predicted PER ×"
    assert one.focused == "list-title"
    one.click(cell)
    assert one.matches.endswith(f"in {len(wrong(ONE))} of 57 documents")
    assert one[cell].get_attribute("aria-pressed") == "false"
    one.click("#matrix button[aria-label^='gold none, predicted ORG']")
    assert one.matches.startswith(f"{confusion['']['ORG']} error")
    one.click("#asked button")
    assert one.matches.endswith(f"in {len(wrong(ONE))} of 57 documents")
    one("history.back()")
    one.until(lambda: one.matches.startswith(f"{confusion['']['ORG']} error"))
    one("history.forward()")
    one.until(lambda: one.matches.endswith(f"in {len(wrong(ONE))} of 57 documents"))


def test_a_number_in_the_tables_filters(two):
    two.click("#errors tr[data-name^='boundary: shorter'] td:nth-of-type(5) button")
    assert two.matches == said(*with_verdict(TWO, "be_s"))
    assert two["#system"].get_attribute("value") == "1"
    two.click("#changes tr[data-name=missed] .fixed button")
    n = two["#changes tr[data-name=missed] .fixed button"].text
    assert two.matches.startswith(f"{n} change")
    assert two["#asked"].text == "Only missed, then correct ×"
    two.click("#view-documents")
    flags = two("return [...document.querySelectorAll('.flag.matched')].map(e => e.textContent)")
    assert flags
    assert all("A missed" in flag and "B ✓" in flag for flag in flags)


def test_pages_of_documents(one):
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


def test_a_link_opens_its_document_wherever_it_is(browser, made):
    path = made("one", ONE)
    right = next(k for k in range(41, 58) if k not in wrong(ONE))
    browser.open(path, anchor=f"#doc-{right}")
    assert browser.focused == f"doc-{right}"
    assert right in browser.shown
    assert -1 <= browser("return document.activeElement.getBoundingClientRect().top") < 100
    browser.find("id-1")
    browser("location.hash = '#doc-30'")
    browser.until(lambda: browser.focused == "doc-30")
    assert browser["#doc-30 h3 a"].get_attribute("href").endswith(browser("return location.hash"))
    browser("location.hash = '#doc-9999'")
    browser.until(lambda: browser["#notice"].text == "There is no document 9999: this page has 57 documents.")
    assert browser.log == []


def test_an_address_holds_what_is_asked_for_and_nonsense_in_it_is_ignored(browser, made):
    path = made("one", ONE)
    wanted = "#view=errors&metric=1&chosen=1.2&label=2&order=surface&falling=true"
    browser.visit(path, anchor=wanted)
    assert browser["#metric"].get_attribute("value") == "1"
    assert [box.is_selected() for box in browser.all("#verdicts input")] == [False, True, True, False, False, False]
    assert browser["#label"].get_attribute("value") == "2"
    spans = [cell.text.lower() for cell in browser.all(".kwic .span")]
    assert spans == sorted(spans, reverse=True)
    assert len(set(spans)) > 3
    browser.open(path, anchor="#view=<b>&one=7&metric=x&chosen=99&cell=9.9&group=1e9&bucket=0&label=-5&find=%28&at=1e3")
    assert browser["#find"].get_attribute("value") == "("
    assert browser["#metric"].get_attribute("value") == "3"
    assert browser["#asked"].get_attribute("hidden") is not None
    assert browser.log == []


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
    assert browser.log == []
    browser.soil()


def test_a_document_that_filters_hide_is_opened_without_them_and_that_is_said(browser, made):
    path = made("one", ONE)
    right = next(k for k in range(1, 58) if k not in wrong(ONE))
    browser.open(path, anchor=f"#label=1&doc={right}")
    assert browser["#notice"].text == f"The filters hid document {right}, so they are taken back."
    assert browser.focused == f"doc-{right}" and browser.matches.endswith("57 of 57 documents")
    assert browser("return location.hash") == f"#view=documents&wrong=false&at={(right - 1) // 20}&doc={right}".replace(
        "&at=0", ""
    )


SORTED = """const [name, column] = arguments;
const table = [...document.querySelectorAll('table.sortable')].find(e => e.caption.textContent.startsWith(name));
const clicks = [];
for (let k = 0; k < 3; k += 1) {
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  heads[column].querySelector('button').click();
  const rows = [...table.tBodies[0].rows];
  clicks.push([heads[column].getAttribute('aria-sort'), rows.map(row => row.cells[column].textContent.trim())]);
}
return clicks"""
TABLES = """return [...document.querySelectorAll('table.sortable')].map(table => [table.caption.textContent,
  [...table.tHead.rows[table.tHead.rows.length - 1].cells].map(e => Boolean(e.querySelector('button'))),
  [...table.tBodies[0].rows].map(row => [...row.cells].map(e => e.textContent.trim()))])"""


def test_every_column_of_every_table_sorts_by_what_is_in_it_and_a_third_click_takes_it_back(browser, made):
    browser.open(made("two", ONE, TWO, confidence=FEW))
    tables = browser(TABLES)
    assert len(tables) > 10
    columns = 0
    for name, heads, rows in tables:
        for column in (k for k, head in enumerate(heads) if head):
            (first, up), (second, down), (third, back) = browser(SORTED, name, column)
            before = [row[column] for row in rows]
            assert (first, second, third) in {("descending", "ascending", None), ("ascending", "descending", None)}
            assert back == before and sorted(up) == sorted(down) == sorted(before)
            rising, falling = (up, down) if first == "ascending" else (down, up)
            known = [number_in(text) for text in before if text not in ("", "-")]
            if column and known and None not in known:
                values = [[number_in(text) for text in order] for order in (rising, falling)]
                defined = [[value for value in own if value is not None] for own in values]
                assert defined[0] == sorted(defined[0]) and defined[1] == sorted(defined[1], reverse=True), (
                    name,
                    column,
                )
                assert all(own[: len(known)] == known for own, known in zip(values, defined)), (
                    name,
                    "undefined ones are last",
                )
                columns += 1
    assert columns > 30


def number_in(text: str) -> float | None:
    """The first number of a cell, as people read it."""
    found = re.match(r"< ?(\.\d+)|[-+\N{MINUS SIGN}]?[\d,]*\.?\d+", text)
    return (
        found and float((found[1] or found[0]).replace(",", "").replace("\N{MINUS SIGN}", "-")) - bool(found[1]) * 1e-9
    )


def test_buckets_are_sorted_as_numbers_and_quarters_as_quarters(browser, made):
    browser.open(made("one", ONE))
    for name, first in (("Words in the span", "1 word"), ("Place in the text", "first quarter")):
        (_, rising), (_, falling), (_, back) = browser(SORTED, name, 0)
        assert back[0] == rising[0] == falling[-1] and rising[0].startswith(first) and rising == back == falling[::-1]
