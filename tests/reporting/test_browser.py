"""The HTML report in a real browser: Chromium without a window, opened from disk, with the network off.

Needs `chromium` and `chromedriver` (Debian's packages chromium and chromium-driver) and is skipped without.
"""

from __future__ import annotations

import csv
import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsers import WITHOUT_FLAGS, Browser, By, Keys, needs_browser, webdriver
from pages import HOSTILE, small, system

from spacy_nereval import Document, create
from spacy_nereval.evaluation.error_groups import error_groups
from spacy_nereval.evaluation.intervals import Confidence
from spacy_nereval.evaluation.result import evaluate
from spacy_nereval.evaluation.transitions import gold_outcomes, transitions
from spacy_nereval.io.read import read_files
from spacy_nereval.reporting.html import ReportedSystem, page

pytestmark = needs_browser

CHOICES = """return [...document.querySelectorAll('#verdicts label')].map(label => [
  (label.querySelector('small') || label.children[2]).textContent, Number(label.querySelector('.n').textContent)])"""
"""The verdicts or changes that the form offers, each with its number."""

LABELS = ("PER", "LOC", "ORG")
DOCUMENTS = "#view=documents"


def corpus(preds: int) -> list[Document]:
    """57 documents in which every verdict comes, and of which some are right throughout."""
    found = []
    for k in range(57):
        text = f"Text {k}: Ada Lovelace met Grace Hopper of the Navy in Arlington, Virginia."
        names = ("Ada Lovelace", "Grace Hopper", "Navy", "Arlington, Virginia")
        gold = [(text.index(n), text.index(n) + len(n), LABELS[(j + k) % 3]) for j, n in enumerate(names)]
        pred = []
        for j, (start, end, label) in enumerate(gold):
            match (k * (preds + 1) + j * 5 + preds) % 11 if k % 4 else 10:
                case 0:
                    continue
                case 1:
                    pred.append((start + 2, end, label))
                case 2:
                    pred.append((start, end + 1, label))
                case 3:
                    pred.append((start + 1, end + 1, label))
                case 4:
                    pred.append((start, end, LABELS[(j + k + 1) % 3]))
                case 5:
                    pred.append((start - 1, end, LABELS[(j + k + 2) % 3]))
                case 6:
                    pred += [(start, end, label), (0, 4, label)]
                case 7:  # two verdicts on the gold span
                    pred += [(start, start + 2, label), (start + 2, end, LABELS[(j + k + 1) % 3])]
                case _:
                    pred.append((start, end, label))
        found.append(Document(gold, pred, text, id=f"id-{k}"))
    return found


ONE, TWO = system("one", *corpus(0)), system("two", *corpus(1))


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Callable[..., Path]:
    """The page of some systems, written once."""
    folder = tmp_path_factory.mktemp("pages")

    def write(name: str, *systems: ReportedSystem, **options: Any) -> Path:
        path = folder / f"{name}.html"
        if not path.exists():
            path.write_bytes(page(systems, **options).encode())
        return path

    return write


@pytest.fixture
def one(browser, made) -> Browser:
    """The page of one system with its documents, opened anew."""
    browser.open(made("one", ONE), anchor=DOCUMENTS)
    return browser


@pytest.fixture
def two(browser, made) -> Browser:
    browser.open(made("two", ONE, TWO, confidence=Confidence(samples=20)), anchor=DOCUMENTS + "&one=0")
    return browser


def verdicts(found: ReportedSystem, metric: str = "fair") -> list[list[Any]]:
    judge = create(metric)
    return [list(judge.verdicts(document)) for document in found.documents]


def with_verdict(found: ReportedSystem, name: str, metric: str = "fair") -> tuple[int, int]:
    """How many verdicts of that name there are, and in how many documents."""
    numbers = [sum(v.name == name for v in each) for each in verdicts(found, metric)]
    return sum(numbers), sum(n > 0 for n in numbers)


def said(n: int, documents: int, of: int = 57, what: str = "error") -> str:
    return f"{n} {what}{'' if n == 1 else 's'} in {documents} of {of} documents"


def wrong(found: ReportedSystem) -> list[int]:
    return [k for k, document in enumerate(found.documents, 1) if {*document.gold} != {*document.pred}]


def test_the_corpus_has_every_verdict_and_documents_without_error():
    for found in (ONE, TWO):
        assert all(evaluate(found.counts)["metrics"]["fair"]["counts"].values())
        assert 0 < len(wrong(found)) < 57


# Opening


@pytest.mark.parametrize("systems", [(ONE,), (ONE, TWO)], ids=["one", "two"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_opens_from_disk_without_a_network_and_without_a_word_on_the_console(browser, made, systems, dark):
    browser.open(made("-".join(s.name for s in systems), *systems), dark=dark)
    assert browser.charts() == ["scores", "errors", "labels", "eLen", "case", "position"]
    assert browser("return location.protocol") == "file:"
    assert browser("return performance.getEntriesByType('resource').map(entry => entry.name)") == []
    assert browser.log == []
    ink, paper = browser("const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]")
    light = [sum(map(int, color[4:-1].split(","))) for color in (ink, paper)]
    assert (light[0] > light[1]) == dark


def test_what_is_not_the_pages_own_does_not_run(one):
    one("const s = document.createElement('script'); s.textContent = 'window.broken = 1'; document.body.append(s)")
    one("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.broken = 1\">')")
    time.sleep(0.2)
    assert one("return window.broken") is None
    assert any("Content Security Policy" in line for line in one.log)


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_sticks_out_of_the_page(browser, made, width):
    for path in (made("one", ONE), made("two", ONE, TWO, confidence=Confidence(samples=20))):
        browser.open(path, width=width)
        browser.charts()
        inside, page_width = browser("const e = document.documentElement; return [e.clientWidth, e.scrollWidth]")
        assert width - 20 < inside == page_width  # a scrollbar may take the rest


def test_eight_systems_have_symbols_and_colours_of_their_own_with_an_area(browser, made):
    documents = corpus(0)[:9]
    browser.open(made("eight", *(system(f"s{k}", *documents, metrics=["fair"]) for k in range(8))))
    browser.until(lambda: browser.all("[data-chart=scores] svg[aria-hidden]"))
    marks = browser(
        """return [...document.querySelectorAll('[data-chart=scores] path')].map(
             e => [e.getAttribute('d'), e.getAttribute('fill'), e.getBBox().width * e.getBBox().height]
           ).filter(([d, fill, area]) => fill?.startsWith('#') && area > 60)"""
    )
    colors = "return [...document.querySelectorAll('#scores .systems b')].map(e => getComputedStyle(e).color)"
    assert len(set(browser(colors))) == 8
    assert len({d for d, _, _ in marks}) == len({fill for _, fill, _ in marks}) == 8
    assert browser.log == []


def test_heads_of_tables_stay_and_the_last_column_is_whole(browser, made):
    documents = [Document([(0, 1, f"L{k:03}")], [(0, 1, f"L{max(k - 1, 0):03}")], "a") for k in range(60)]
    browser.open(made("labels", system("labels", *documents)))
    for table in ("#labels .scroll", "#confusion .scroll:has(#matrix)"):
        browser(f"document.querySelector('{table}').scrollTop = 300")
        ((_, most, top, _),) = browser(RECTS, table)
        heads = browser(RECTS, f"{table} thead th")
        assert all(abs(head[2] - top) < 4 for head in heads)
        assert browser(f"return document.querySelector('{table}').scrollTop") == 300
    ((_, most, _, _),) = browser(RECTS, "#labels .scroll")
    assert max(right for _, right, _, _ in browser(RECTS, "#labels tbody td")) <= most - 8


def test_on_a_phone_everything_is_in_reach(browser, made):
    browser.open(made("phone", ONE, confidence=Confidence(samples=20)), width=390)
    for selector in ("nav.contents a", "#scores td.headline", "#scores th.f"):
        assert all(0 <= left < right <= 390 for left, right, _, _ in browser(RECTS, selector))
    assert all(b - a >= 24 and d - c >= 24 for a, b, c, d in browser(RECTS, "article h3 a"))


def test_charts_follow_a_change_of_colour_scheme(one):
    one.charts()
    light = one["[data-chart=scores] text"].get_attribute("fill")
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    one.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    one.until(
        lambda: (
            one("return document.querySelector('[data-chart=scores] text')?.getAttribute('fill')") not in (None, light)
        )
    )


# What is counted


def test_the_verdicts_in_the_form_are_the_counts_of_the_result(one):
    for metric in ("fair", "strict", "semeval", "slot_error"):
        one.choose("#metric", metric)
        counts = evaluate(ONE.counts)["metrics"][metric]["counts"]
        assert dict(one(CHOICES)) == counts


def test_the_cells_of_the_matrix_are_the_confusion_of_the_result(two):
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


# Filters


def test_at_first_the_documents_with_errors_are_shown(one):
    errors = sum(v.name != "tp" for each in verdicts(ONE) for v in each)
    assert one.matches == said(errors, len(wrong(ONE)))
    assert one.shown == wrong(ONE)[:20]


def test_a_verdict_is_filtered_by_its_box(one):
    one.click("#verdicts label:nth-child(3) input")
    assert one.matches == said(*with_verdict(ONE, "fn"))
    one.click("#verdicts label:nth-child(4) input")
    n, _ = with_verdict(ONE, "fn")
    m, _ = with_verdict(ONE, "le")
    both = sum(any(v.name in ("fn", "le") for v in each) for each in verdicts(ONE))
    assert one.matches == said(n + m, both)
    first = one.shown[0]
    marked = [element.text for element in one.all(f"#doc-{first} .flag.matched")]
    assert marked
    assert all("missed" in text or "→" in text for text in marked)


def test_the_verdicts_of_another_metric_can_be_filtered(one):
    one.choose("#metric", "semeval")
    one.click("#verdicts label:nth-child(5) input")
    assert one.matches == said(*with_verdict(ONE, "mis", "semeval"))


def test_a_label_is_filtered_on_either_side(one):
    one.choose("#label", "ORG")
    found = [
        [v for v in each if v.name != "tp" and "ORG" in (v.gold and v.gold.label, v.pred and v.pred.label)]
        for each in verdicts(ONE)
    ]
    assert one.matches == said(sum(map(len, found)), sum(map(bool, found)))


def test_text_and_ids_are_found_in_either_case(one):
    one.click("#wrong")
    assert one.matches.endswith("verdicts in 57 of 57 documents")
    one.find("TEXT 31:")
    assert one.shown == [32]
    assert one("return [...CSS.highlights.get('found')].map(String)") == ["Text 31:"]
    one.find("id-7")
    assert one.shown == [8]
    one.find("nowhere")
    assert one.matches == "No document of 57 matches"
    assert one.shown == []
    one.click("#pattern")
    one.find("text 1[24]:")
    one.until(lambda: one.shown == [13, 15])
    one.find("(")
    one.until(lambda: one.matches == "This is no regular expression")


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
    two.click("#errors button[aria-label^='shorter than gold, two']")
    assert two.matches == said(*with_verdict(TWO, "be_s"))
    assert two["#system"].get_attribute("value") == "1"
    two.click("#changes button[aria-label^='missed, then correct']")
    n = two["#changes button[aria-label^='missed, then correct']"].text
    assert two.matches.startswith(f"{n} change")
    assert two["#asked"].text == "Only missed, then correct ×"
    two.click("#view-documents")
    flags = two("return [...document.querySelectorAll('.flag.matched')].map(e => e.textContent)")
    assert flags
    assert all("A missed" in flag and "B ✓" in flag for flag in flags)


def test_other_systems_narrow_the_errors_of_one(two):
    golds = [[gold_outcomes(document) for document in found.documents] for found in (ONE, TWO)]
    spurious = [[{v.pred for v in each if v.name == "fp"} for each in verdicts(found)] for found in (ONE, TWO)]

    def errors(also: bool) -> int:
        """How many errors of the first system the second makes too, or does not make."""
        return sum(
            v.name != "tp" and also == ((golds[1][k][v.gold] != "correct") if v.gold else v.pred in spurious[1][k])
            for k, each in enumerate(verdicts(ONE))
            for v in each
        )

    for relation, also in (("only this one is wrong", False), ("all are wrong", True)):
        two.choose("#relation", relation)
        assert two.matches.startswith(f"{errors(also)} error")
    assert all(" A" in flag.text or " B" in flag.text or " AB" in flag.text for flag in two.all(".flag")[:20])


@pytest.mark.parametrize(("own", "rival"), [(0, 1), (1, 0)], ids=["the last is right", "the first is right"])
def test_a_system_is_compared_with_the_others_alone_and_each_of_them_may_be_the_right_one(two, own, rival):
    names = ["A: one", "B: two"]
    two.choose("#system", names[own])
    assert [each.text for each in two.all("#other option")] == ["nothing", names[rival]]
    golds = [[gold_outcomes(document) for document in found.documents] for found in (ONE, TWO)]
    spurious = [[{v.pred for v in each if v.name == "fp"} for each in verdicts(found)] for found in (ONE, TWO)]
    errors = sum(
        v.name != "tp" and ((golds[rival][k][v.gold] == "correct") if v.gold else v.pred not in spurious[rival][k])
        for k, each in enumerate(verdicts((ONE, TWO)[own]))
        for v in each
    )
    two.choose("#relation", f"{names[rival]} is right")
    assert two.matches.startswith(f"{errors} error")
    two.choose("#system", names[rival])
    assert two["#relation"].get_attribute("value") == "", "a system is not right where it is wrong"


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
    assert browser["#doc-30 h3 a"].get_attribute("href").endswith("#doc-30")
    browser("location.hash = '#doc-9999'")
    browser.until(lambda: browser["#notice"].text == "There is no document 9999: this report has 57 documents.")
    assert browser.log == []


def test_an_address_holds_what_is_asked_for_and_nonsense_in_it_is_ignored(browser, made):
    path = made("one", ONE)
    wanted = "#view=errors&metric=1&chosen=1.2&label=2&order=surface&falling=true"
    browser.open(path, anchor=wanted)
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


# Why


def test_a_group_shows_its_members_and_doubtful_places_their_errors(browser, made):
    browser.open(made("one", ONE))
    found = error_groups(ONE.documents, create("fair"))
    for kind, by in enumerate(("surface", "labels", "slip"), 1):
        button = f".kinds > div:nth-child({kind}) li:nth-child(2) button"
        browser.click(button)
        assert browser.matches.startswith(f"{found.largest(by)[1].number} error")
        assert len(browser.all(".lines tbody tr")) == min(25, found.largest(by)[1].number)
    browser.click("#slices tbody tr:nth-child(2) button")
    assert browser["#asked"].text.startswith("Only Words in the span: ")
    words = browser("return [...document.querySelectorAll('.kwic .span')].map(e => e.textContent)")
    assert words
    browser.click("#labels tbody tr:nth-child(1) button.link")
    assert browser["#label"].get_attribute("value") != "-1"
    assert browser.log == []


def test_a_mark_of_a_chart_shows_the_errors_of_its_row(two):
    two.charts()
    mark = two(
        """return [...document.querySelectorAll('[data-chart=errors] .mark-rect path')].find(
             e => e.__data__.datum.system === 'two' && e.__data__.datum.name === 'label and boundary')"""
    )
    two("arguments[0].scrollIntoView({block: 'center'})", mark)
    webdriver.ActionChains(two.driver).move_to_element(mark).click().perform()
    print(
        two.matches,
        two["#asked"].text,
        two("return location.hash"),
        two.log,
        two("return arguments[0].outerHTML", mark),
    )
    assert two["#system"].get_attribute("value") == "1"
    assert two.matches == said(*with_verdict(TWO, "lbe"))
    assert two.log == []


def test_the_matrix_has_the_errors_alone_too(one):
    def diagonal() -> list[int]:
        return one("return [...document.querySelectorAll('#matrix .hits')].map(e => Number(e.textContent))")

    right = with_verdict(ONE, "tp")[0]
    assert sum(diagonal()) == right and "Green: correct" in one["#matrix-rest"].text
    captions = "return [...document.querySelectorAll('.matrix caption')].map(e => e.checkVisibility() && e.textContent)"
    assert one(captions) == [
        "Hits and errors",
        "Errors alone: the matrix of the paper on FairEval, and of the JSON result",
    ], "both are shown, and it is said which is which"
    assert one.all("#matrix-errors .hits") == []
    numbers = (
        "return [...document.querySelectorAll('#matrix-errors .errors')].reduce((n, e) => n + Number(e.textContent), 0)"
    )
    assert one(numbers) == sum(v.name != "tp" for each in verdicts(ONE) for v in each)
    one.choose("#matrix-metric", "strict")
    assert one(captions) == ["Hits and errors", False], "the matrix of other metrics has hits in the result too"


def test_the_bar_of_sections_stays_above_the_heads_of_tables(one):
    at = """const head = document.querySelector('#errors thead tr:last-child th');
      scrollBy(0, head.getBoundingClientRect().top - 10);
      const { left, top, width, height } = head.getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height / 2).closest('nav') !== null"""
    assert one(at)


def test_the_f_of_labels_with_intervals_is_in_sight(browser, made):
    documents = [Document([(0, 3, "corporation"), (4, 7, "creative-work")], [(0, 3, "corporation")], "Ada met")] * 40
    name = made("intervals", system("long", *documents), confidence=Confidence(samples=20))
    browser.open(name)
    hidden = browser("return [...document.querySelectorAll('.pair .scroll')].map(e => e.scrollWidth - e.clientWidth)")
    assert {*hidden} == {0}, hidden


def test_flags_stand_behind_words_and_what_the_text_lacks_stands_apart(browser, made):
    text = "The Navy's \u0645\u062f\u06cc\u0646\u0647\u200c\u0627\u06cc 北京市 office"
    spans = [(4, 6, "A"), (4, 8, "B"), (11, 14, "C"), (20, 22, "D")]
    document = Document([(0, 3, "X")], [(0, 3, "X"), *spans, (len(text) + 1, len(text) + 4, "PER")], f"{text}\nEve")
    document.annex = len(text)
    browser.open(made("words", system("words", document)), anchor=DOCUMENTS + "&wrong=false")
    assert browser.text_of(1) == document.text
    before = browser("""return [...document.querySelectorAll('#doc-1 .flag')].map(flag => {
      const range = new Range(); range.setStart(flag.closest('.text'), 0); range.setEndBefore(flag);
      const copy = range.cloneContents(); copy.querySelectorAll('.flag').forEach(e => e.remove());
      return [flag.querySelector('bdi').textContent, copy.textContent] })""")
    ends = {"X": 3, "A": 10, "B": 10, "C": 19, "D": 22, "PER": len(text) + 4}
    assert {label: len(said) for label, said in before} == ends
    assert browser("return document.querySelector('#doc-1 .annex').textContent").startswith("Eve")
    assert (
        browser("return getComputedStyle(document.querySelector('.annex'), '::before').content") == '"Not in the text"'
    )
    browser.click("#view-errors")
    assert "not in the text: Eve" in " ".join(browser["#list"].text.split())
    assert browser.log == []


def test_a_mark_is_kept_found_saved_and_read_again(browser, made, tmp_path):
    path = made("one", ONE)
    browser.open(path, anchor="#view=errors")
    browser("document.querySelector('.lines tbody tr').focus()")
    browser.press("j", "g", "j", "s", "s")  # the second press takes the mark back
    assert browser["#marks"].text == "1 mark in this browser"
    assert browser.all(".lines tbody tr")[1].find_element(By.CSS_SELECTOR, "[aria-label='gold wrong']").get_attribute(
        "aria-pressed"
    ) == ("true")
    browser.open(path, anchor="#view=errors&mark=gold")
    assert browser.matches == said(1, 1)
    saved = browser(
        """let saved; const make = URL.createObjectURL;
           URL.createObjectURL = blob => { saved = blob; return make(blob) };
           document.getElementById('export').click(); return saved.text()"""
    )
    (row,) = map(json.loads, saved.splitlines())
    document = ONE.documents[row["meta"]["document"] - 1]
    assert [(span["start"], span["end"], span["label"]) for span in row["spans"]] == [*document.gold]
    assert row["meta"]["marks"][0]["mark"] == "gold"
    (tmp_path / "marks.jsonl").write_text(saved)
    (read,) = read_files(tmp_path / "marks.jsonl", tmp_path / "marks.jsonl")
    assert (read.id, read.text, read.gold) == (document.id, document.text, document.gold)
    browser("localStorage.clear()")
    browser.open(path, anchor="#view=errors&mark=gold")
    assert browser.matches.startswith("No document")
    browser["#import"].send_keys(str(tmp_path / "marks.jsonl"))
    browser.until(lambda: browser["#notice"].text == "Read 1 mark.")
    assert browser.matches == said(1, 1)
    browser("localStorage.clear()")


def test_what_is_copied_is_what_is_shown(browser, made):
    browser.open(made("one", ONE), anchor="#view=errors&find=id-2")
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


# How a document is shown


HARD = (
    "في عام ٢٠٢٠ زار أحمد مدينة القاهرة مع شركة Google الأمريكية.",
    "בשנת 2020 ביקר דוד בן גוריון בתל אביב עם IBM.",
    "او می\u200cرود به خانه\u200cی بزرگ در تهران",
    "👩\u200d👩\u200d👧 met 🧑🏽\u200d🚀 in Paris \u200e(France)\u200f 😀",
    "東京都の山田太郎は日本放送協会に行きました",
    "evil \u202eoverride\u202c text\nline\ttwo \x00\x1b[2J\x85 end\r\nlast",
    " ".join(f"Ada{k}" for k in range(400)),
    "x" * 5_000 + " Ada " + "y" * 5_000,
    "",
)
"""Texts that a page easily changes: other directions, joiners, marks, controls, and long ones."""


def marked(text: str) -> Document:
    """Spans over a text that nest, cross, touch and cut words."""
    n = len(text)
    spans = [(0, n // 2, "A"), (n // 4, n // 3, "B"), (n // 3, n // 3 + 1, "A"), (n, n, "C")] if n > 3 else []
    pred = [(n // 8, n // 2 + 1, "A"), (n // 4, n // 3, "B"), (n // 3, n // 3 + 1, "B")] if n > 3 else []
    return Document(spans, pred, text)


MANY = Document([(4 * k, 4 * k + 3, "A") for k in range(400)], [(0, 3, "A")], "Ada " * 400)
HARD_SYSTEM = system("hard", *map(marked, HARD), MANY)


def test_the_text_shown_is_the_text_in_its_own_direction(browser, made):
    browser.open(made("hard", HARD_SYSTEM), anchor=DOCUMENTS + "&wrong=false")
    same = """const own = JSON.parse(document.getElementById('data').textContent).documents;
      return own.map((doc, k) => text(k + 1).textContent === doc[1])"""
    assert browser(WITHOUT_FLAGS + same) == [True] * (len(HARD) + 1)
    assert len(browser.visible_text_of(8)) < 1_500
    assert len(browser.visible_text_of(10)) < 1_400
    assert browser("return [...document.querySelectorAll('.text')].map(e => e.dir)")[:5] == ["rtl"] * 3 + ["ltr"] * 2
    assert not browser.all(".text > bdi")
    signs = browser("return [...document.querySelectorAll('#doc-6 .unseen')].map(e => e.dataset.sign)")
    assert signs == ["RLO", "␀", "␛", "U+0085", "␍"]
    assert browser("return getComputedStyle(document.querySelector('#doc-6 .break'), '::before').content") == '"↵"'
    browser.click("#doc-8 .fold")
    assert browser.visible_text_of(8) == HARD[7]
    assert browser.focused == "doc-8"
    browser.click("#doc-10 .fold")
    assert browser.visible_text_of(10) == "Ada " * 400
    assert browser.log == []


DIFFERENCE = """const [done, ...shots] = [...arguments].reverse();
Promise.all(shots.map(async shot => {
  const image = await createImageBitmap(new Blob([Uint8Array.from(atob(shot), c => c.charCodeAt(0))]));
  const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
  canvas.drawImage(image, 0, 0);
  return canvas.getImageData(0, 0, image.width, image.height).data;
})).then(([a, b]) => done([a.length === b.length,
  a.reduce((sum, value, k) => sum + Math.abs(value - b[k]), 0) / a.reduce((sum, value) => sum + 255 - value, 0)]))"""
"""Whether two screenshots are of one size, and how much they differ, as a share of the ink."""


def test_marks_change_no_letter(browser, made):
    browser.open(made("hard", HARD_SYSTEM), anchor=DOCUMENTS + "&wrong=false")
    plain = """document.querySelectorAll('.flag').forEach(e => e.remove());
      const element = document.querySelector(`#doc-${arguments[0]} .text`);
      element.querySelectorAll('.m').forEach(e => { e.style.background = 'none' });
      element.scrollIntoView({block: 'center'});"""
    bare = (
        plain
        + """const own = JSON.parse(document.getElementById('data').textContent).documents;
      element.textContent = own[arguments[0] - 1][1];"""
    )
    for number in range(1, 6):
        shots = []
        for script in (plain, bare):
            browser(script, number)
            shots.append(browser[f"#doc-{number} .text"].screenshot_as_base64)
        same_size, difference = browser.driver.execute_async_script(DIFFERENCE, *shots)
        assert same_size
        assert difference < 0.2, HARD[number - 1]  # letters begin at other fractions of a pixel


def test_bars_run_over_every_line_and_one_mark_says_what_both_sides_share(browser, made):
    text = "The Bank of New York opened " + "a long office of many words " * 12 + "end"
    gold = [(4, 20, "ORG"), (12, 20, "LOC"), (30, 340, "ORG")]
    pred = [(4, 20, "ORG"), (12, 27, "LOC"), (0, 3, "PER"), (40, 300, "ORG")]
    path = made("nested", system("nested", Document(gold, pred, text)))
    for width in (1280, 390):
        browser.open(path, width=width, anchor=DOCUMENTS)
        flags = browser("return [...document.querySelectorAll('#doc-1 .flag')].map(e => e.textContent)")
        assert flags == ["PER spurious", "ORG ✓", "LOC longer than gold", "ORG shorter than gold"]
        bars = browser(
            """return [...document.querySelectorAll('#doc-1 .m')].filter(e => !e.querySelector('.flag')).map(e =>
                 [e.textContent, e.style.background.split('no-repeat').length - 1, e.getClientRects().length])"""
        )
        places = [(words, n) for words, n, _ in bars]
        assert places[:4] == [("The", 1), ("Bank of ", 1), ("New York", 3), (" opened", 1)]
        assert [n for _, n in places[4:]] == [1, 2, 1]
        assert max(lines for _, _, lines in bars) > 1  # one element, so its bars are on all of these lines
        inside = browser(RECTS, "#doc-1 .flag")
        ((_, most, _, _),) = browser(RECTS, "#doc-1 .text")
        assert all(right <= most + 1 for _, right, _, _ in inside)
    assert browser["#doc-1 .flag:nth-of-type(1)"].get_attribute("title").startswith("predicted PER 0 to 3")


def test_every_verdict_on_a_span_is_said(browser, made):
    document = Document([(0, 3, "PER"), (4, 10, "ORG")], [(0, 10, "PER")], "Ada Google")
    browser.open(made("twice", system("twice", document)), anchor=DOCUMENTS)
    flags = browser("return [...document.querySelectorAll('#doc-1 .flag')].map(e => e.textContent)")
    assert flags == ["PER longer than gold", "ORG → PER, boundaries"]


RECTS = """return [...document.querySelectorAll(arguments[0])].map(e => {
  const r = e.getBoundingClientRect(); return [r.left, r.right, r.top, r.bottom] })"""


def test_documents_without_a_text_or_an_id_show_their_spans(browser, made):
    bare = system("bare", Document([(5, 9, "A")], [(5, 8, "A")]), metrics=["strict", "fair"])
    browser.open(made("bare", bare))
    assert browser[".lines td:nth-child(2)"].text == "5–9"
    browser.click("#view-documents")
    assert browser.text_of(1) == "no text: 5–9  "
    assert browser.log == []


def test_offsets_behind_characters_of_two_units_are_right(browser, made):
    browser.open(made("small", small()), anchor=DOCUMENTS + "&wrong=false")
    assert [element.text for element in browser.all("#doc-4 .m")] == ["😀 ", "Acme"]


# Hostile corpora


def test_a_hostile_corpus_is_text_and_nothing_runs(browser, made):
    text = " ".join(HOSTILE) + "\n" + "z" * 100_000
    spans = [(3 * k, 3 * k + 9, label) for k, label in enumerate(HOSTILE)]
    documents = [Document(spans, spans[::2], text, id=name) for name in HOSTILE]
    documents += [Document([(0, 5, name)], [], name) for name in HOSTILE[:-1]]
    others = [Document(document.gold, [(0, 5, HOSTILE[6])], document.text, id=document.id) for document in documents]
    systems = [system(HOSTILE[0], *documents), system(HOSTILE[8], *others)]
    browser.open(made("hostile", *systems, title=HOSTILE[2]))
    browser.click("#reset")
    assert browser.charts() == ["scores", "errors", "labels", "eLen", "case", "position"]
    browser.click("#view-documents")
    same = """const own = JSON.parse(document.getElementById('data').textContent).documents;
      return own.map((doc, k) => text(k + 1).textContent === doc[1])"""
    assert browser(WITHOUT_FLAGS + same) == [True] * len(documents)
    browser.click("#doc-1 .fold")
    labels = [option.get_attribute("textContent") for option in browser.all("#label option")]
    assert {"__proto__", "constructor", HOSTILE[0], HOSTILE[3]} <= set(labels)
    browser.choose("#label", "__proto__")
    assert browser.matches.startswith("10 verdicts in 10 of ")
    browser.click("#view-errors")
    browser("document.querySelectorAll('.mark:first-child, button.more').forEach(e => e.click())")
    browser("other.value = '0'; other.dispatchEvent(new Event('change'))")
    browser(f"location.hash = '#find=' + encodeURIComponent({json.dumps(HOSTILE[2])}) + '&doc=<img src=x>'")
    browser.until(lambda: "no document <img" in browser["#notice"].text)
    for place in range(3):
        browser("document.querySelectorAll('#matrix button')[arguments[0]].click()", place)
    browser.find("</script>")
    assert browser("return [window.broken ?? 0, Object.prototype.broken ?? 0, document.images.length]") == [0, 0, 0]
    assert browser("return document.scripts.length") == 4
    assert browser.driver.title == HOSTILE[2]
    assert browser.log == []


def test_a_tip_of_a_chart_is_text(browser, made):
    label = "<img src=x onerror='window.broken = 1'>"
    browser.open(made("tip", system("tip", Document([(0, 3, label)], [(0, 3, label)], "Ada"))))
    browser.charts()
    mark = browser["[data-chart=labels] .mark-symbol path"]
    browser("arguments[0].scrollIntoView({block: 'center'})", mark)
    webdriver.ActionChains(browser.driver).move_to_element(mark).perform()
    browser.until(lambda: browser["#tip"].is_displayed())
    assert label in browser["#tip"].text
    assert browser("return window.broken") is None
    assert browser.log == []


# Readers without a mouse, without sight, in the dark, on a phone


def test_the_page_can_be_used_with_the_keyboard_alone(one):
    one["body"].send_keys(Keys.TAB)
    assert one.focused == "skip"
    one.press(Keys.ENTER)
    one.until(lambda: one("return location.hash") == "#list-errors")
    one.press(Keys.TAB)
    for _ in range(5):
        if one.focused == "find":
            break
        one.press(Keys.TAB)
    assert one.focused == "find"
    outline = one("const s = getComputedStyle(document.activeElement); return [s.outlineStyle, s.outlineWidth]")
    assert outline == ["solid", "2px"]
    one.press("id-2", Keys.TAB)
    assert one.focused == "pattern"
    one.press(Keys.TAB)
    assert one.focused == "label"
    one.press("O", Keys.TAB)
    assert one["#label"].get_attribute("value") == "1"  # LOC, ORG, PER
    one.press(Keys.SPACE)
    assert one["#verdicts input"].is_selected()
    n = sum(
        v.name == "tp" and v.gold.label == "ORG"
        for k, each in enumerate(verdicts(ONE))
        for v in each
        if "id-2" in f"id-{k}"
    )
    one.until(lambda: one.matches.startswith(f"{n} verdict"))
    assert one["#matches"].get_attribute("aria-live") == "polite"


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


@pytest.mark.parametrize(
    ("dark", "width", "anchor"),
    [
        (False, 1280, "#view=errors&one=0&chosen=1"),
        pytest.param(True, 1280, "#view=documents&one=0&other=1", marks=pytest.mark.slow),
        pytest.param(False, 390, "#view=documents&relation=all&chosen=1", marks=pytest.mark.slow),
        pytest.param(True, 390, "#view=errors&find=id", marks=pytest.mark.slow),
    ],
    ids=["light", "dark", "phone", "dark phone"],
)
def test_axe_finds_no_serious_violation(browser, made, dark, width, anchor):
    path = made("two", ONE, TWO, confidence=Confidence(samples=20))
    browser.open(path, dark=dark, width=width, anchor=anchor)
    browser.charts()
    assert browser.violations() == []


def test_landmarks_and_headings_are_there(one):
    assert [len(one.all(tag)) for tag in ("main", "header.top", "footer", "h1")] == [1, 1, 1, 1]
    names = [section.get_attribute("aria-labelledby") for section in one.all("section")]
    titles = [one[f"#{name}"].text for name in names]
    assert len(titles) == len(set(titles)) == 10
    unnamed = one(
        "return [...document.querySelectorAll('input, select')].filter(e => !e.labels.length && !e.ariaLabel).length"
    )
    assert unnamed == 0


def test_what_is_printed_is_every_document_asked_for_without_controls(one):
    one("dispatchEvent(new Event('beforeprint'))")
    assert one.shown == wrong(ONE)
    one.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not one["#filters"].is_displayed()
    assert not one["nav.contents"].is_displayed()
    assert one["#list article"].is_displayed()
    one.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    one("dispatchEvent(new Event('afterprint'))")
    assert one.shown == wrong(ONE)[:20]


# Size


@pytest.mark.slow
def test_ten_thousand_documents_open_with_a_page_of_them_in_the_document(browser, made, record_property):
    documents = [Document(d.gold, d.pred, d.text, id=f"{k}") for k, d in enumerate(corpus(0) * 176)][:10_000]
    path = made("large", system("large", *documents))
    begun = time.monotonic()
    browser.open(path, anchor=DOCUMENTS)
    record_property("seconds", round(time.monotonic() - begun, 2))
    record_property("megabytes", round(path.stat().st_size / 1e6, 1))
    assert len(browser.shown) == 20
    assert browser["#where"].text.startswith("Page 1 of ")
    browser.click("#reset")
    assert browser.matches.endswith(" in 10,000 of 10,000 documents")
    browser.find("9999")
    assert browser.shown == [10_000]
    assert browser.log == []
