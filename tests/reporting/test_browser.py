"""The HTML report in a real browser: Chromium without a window, opened from disk, with the network off.

Needs `chromium` and `chromedriver` (Debian's packages chromium and chromium-driver) and is skipped without.
"""

from __future__ import annotations

import json
import time

import pytest
from browsers import RECTS, WITHOUT_FLAGS, Keys, needs_browser, webdriver
from driven import DOCUMENTS, FEW, ONE, TWO, corpus, said, verdicts, with_verdict, wrong
from pages import HOSTILE, system

from spacy_nereval import Document

pytestmark = needs_browser


@pytest.mark.parametrize(
    ("systems", "dark", "width"),
    [
        ((ONE,), False, 1280),
        ((ONE, TWO), True, 390),
        pytest.param((ONE, TWO), False, 1280, marks=pytest.mark.slow),
        pytest.param((ONE,), True, 390, marks=pytest.mark.slow),
    ],
    ids=["one", "two, a dark phone", "two", "one, a dark phone"],
)
def test_the_page_opens_from_disk_without_a_network_and_without_a_word_on_the_console(
    browser, made, systems, dark, width
):
    options = {"confidence": FEW} if len(systems) > 1 else {}
    path = made("-".join(s.name for s in systems), *systems, drawn=True, **options)
    browser.open(path, dark=dark, width=width)
    assert browser.charts() == ["scores", "errors", "labels", "eLen", "case", "position"]
    assert browser("return location.protocol") == "file:"
    assert browser("return performance.getEntriesByType('resource').map(entry => entry.name)") == []
    assert browser.log == []
    ink, paper = browser("const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]")
    light = [sum(map(int, color[4:-1].split(","))) for color in (ink, paper)]
    assert (light[0] > light[1]) == dark
    inside, page_width = browser("const e = document.documentElement; return [e.clientWidth, e.scrollWidth]")
    assert width - 20 < inside == page_width  # a scrollbar may take the rest
    before = browser["[data-chart=scores] text"].get_attribute("fill")
    other = [{"name": "prefers-color-scheme", "value": "light" if dark else "dark"}]
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": other})
    fill = "return document.querySelector('[data-chart=scores] text')?.getAttribute('fill')"
    browser.until(lambda: browser(fill) not in (None, before))  # charts follow the colour scheme
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    widths = "return [...document.querySelectorAll('.chart svg')].map(e => e.getBoundingClientRect().width)"
    assert len(browser(widths)) == 6 and min(browser(widths)) > 100, "charts are printed"
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_what_is_not_the_pages_own_does_not_run(one):
    one.soil()
    one("const s = document.createElement('script'); s.textContent = 'window.broken = 1'; document.body.append(s)")
    one("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.broken = 1\">')")
    time.sleep(0.2)
    assert one("return window.broken") is None
    assert any("Content Security Policy" in line for line in one.log)


def test_eight_systems_have_symbols_and_colours_of_their_own_with_an_area(browser, made):
    documents = corpus(0)[:9]
    browser.visit(made("eight", *(system(f"s{k}", *documents, metrics=["fair"]) for k in range(8)), drawn=True))
    browser("document.querySelector('[data-chart=scores]').scrollIntoView()")
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
    browser.visit(made("labels", system("labels", *documents)))
    for table in ("#labels .scroll", "#confusion .scroll:has(#matrix)"):
        browser(f"document.querySelector('{table}').scrollTop = 300")
        ((_, most, top, _),) = browser(RECTS, table)
        heads = browser(RECTS, f"{table} thead th")
        assert all(abs(head[2] - top) < 4 for head in heads)
        assert browser(f"return document.querySelector('{table}').scrollTop") == 300
    ((_, most, _, _),) = browser(RECTS, "#labels .scroll")
    assert max(right for _, right, _, _ in browser(RECTS, "#labels tbody td")) <= most - 8


def test_on_a_phone_everything_is_in_reach(browser, made):
    browser.visit(made("phone", ONE, confidence=FEW), width=390, anchor=DOCUMENTS)
    for selector in ("nav.contents a", "#scores .pair td.headline", "#gold td"):
        assert all(0 <= left < right <= 390 for left, right, _, _ in browser(RECTS, selector))
    texts = [right - left for left, right, _, _ in browser(RECTS, ".suspects .context")]
    assert texts and min(texts) > 300, "the text is no narrow column"
    links = browser(RECTS, "article h3 a")
    assert links and all(b - a >= 24 and d - c >= 24 for a, b, c, d in links)


def test_a_mark_of_a_chart_shows_the_errors_of_its_row(browser, made):
    browser.visit(made("one-two", ONE, TWO, drawn=True, confidence=FEW), anchor=DOCUMENTS + "&one=0")
    browser("document.querySelector('[data-chart=errors]').scrollIntoView({block: 'center'})")
    bar = """return [...document.querySelectorAll('[data-chart=errors] .mark-rect path')].find(
      e => e.__data__.datum.system === 'two' && e.__data__.datum.name === 'label and boundary error')"""
    mark = browser.until(lambda: browser(bar))
    apart = """const middle = e => (e.getBoundingClientRect().top + e.getBoundingClientRect().bottom) / 2;
      const texts = [...document.querySelectorAll('[data-chart=errors] .layer_1_marks text')];
      return [...document.querySelectorAll('[data-chart=errors] .mark-rect path')].map(
        (e, k) => Math.abs(middle(e) - middle(texts[k])))"""
    assert len(browser(apart)) == 14 and max(browser(apart)) < 4, "labels stand at their bars"
    browser("arguments[0].scrollIntoView({block: 'center'})", mark)
    webdriver.ActionChains(browser.driver).move_to_element(mark).click().perform()
    assert browser["#system"].get_attribute("value") == "1"
    assert browser.matches == said(*with_verdict(TWO, "lbe"))
    assert browser.log == []


def test_the_bar_of_sections_stays_above_the_heads_of_tables(one):
    at = """const head = document.querySelector('#errors thead tr:last-child th');
      scrollBy(0, head.getBoundingClientRect().top - 10);
      const { left, top, width, height } = head.getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height / 2).closest('nav') !== null"""
    assert one(at)


def test_the_f_of_labels_with_intervals_is_in_sight(browser, made):
    documents = [Document([(0, 3, "corporation"), (4, 7, "creative-work")], [(0, 3, "corporation")], "Ada met")] * 40
    name = made("intervals", system("long", *documents), confidence=FEW)
    browser.visit(name)
    hidden = browser("return [...document.querySelectorAll('.pair .scroll')].map(e => e.scrollWidth - e.clientWidth)")
    assert {*hidden} == {0}, hidden


def test_a_hostile_corpus_is_text_and_nothing_runs(browser, made):
    text = " ".join(HOSTILE) + "\n" + "z" * 5_000
    spans = [(3 * k, 3 * k + 9, label) for k, label in enumerate(HOSTILE)]
    documents = [Document(spans, spans[::2], text, id=name) for name in HOSTILE]
    documents += [Document([(0, 5, name)], [], name) for name in HOSTILE[:-1]]
    others = [Document(document.gold, [(0, 5, HOSTILE[6])], document.text, id=document.id) for document in documents]
    systems = [system(HOSTILE[0], *documents), system(HOSTILE[8], *others)]
    browser.visit(made("hostile", *systems, drawn=True, title=HOSTILE[2]))
    browser.click("#reset")
    assert browser.charts() == ["scores", "errors", "labels", "eLen", "case", "position"]
    tag = "return [...document.querySelectorAll('[data-chart=labels] .mark-symbol path')]"
    mark = browser(tag + ".find(e => e.__data__.datum.name === arguments[0])", HOSTILE[2])
    browser("arguments[0].scrollIntoView({block: 'center'})", mark)
    webdriver.ActionChains(browser.driver).move_to_element(mark).perform()
    browser.until(lambda: browser["#tip"].is_displayed())
    assert HOSTILE[2] in browser["#tip"].text
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


def test_the_page_can_be_used_with_the_keyboard_alone(browser, made):
    one = browser
    one.open(made("one", ONE), anchor=DOCUMENTS)
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
    assert one.focused == "side"
    one.press(Keys.TAB, Keys.SPACE)
    assert one["#verdicts input"].is_selected()
    n = sum(
        v.name == "tp" and v.gold.label == "ORG"
        for k, each in enumerate(verdicts(ONE))
        for v in each
        if "id-2" in f"id-{k}"
    )
    one.until(lambda: one.matches.startswith(f"{n} verdict"))
    assert one["#matches"].get_attribute("aria-live") == "polite"


AXE = [system(name, *corpus(k)[:12]) for k, name in enumerate(("one", "two", "three"))]
"""What axe takes grows with the page, and twelve documents have every kind of element."""


@pytest.mark.parametrize(
    ("dark", "width", "anchor"),
    [
        (False, 1280, "#view=errors&one=0&chosen=1"),
        pytest.param(True, 1280, "#view=documents&one=0&other=1", marks=pytest.mark.slow),
        pytest.param(True, 390, "#view=errors&relation=all&find=id", marks=pytest.mark.slow),
    ],
    ids=["light", "dark", "dark phone"],
)
def test_axe_finds_no_violation(browser, made, dark, width, anchor):
    browser.open(made("axe", *AXE, confidence=FEW), dark=dark, width=width, anchor=anchor)
    assert browser.violations() == []


def test_landmarks_and_headings_are_there(one):
    assert [len(one.all(tag)) for tag in ("main", "header.top", "footer", "h1")] == [1, 1, 1, 1]
    names = [section.get_attribute("aria-labelledby") for section in one.all("section")]
    titles = [one[f"#{name}"].text for name in names]
    assert len(titles) == len(set(titles)) == 11
    unnamed = one(
        "return [...document.querySelectorAll('input, select')].filter(e => !e.labels.length && !e.ariaLabel).length"
    )
    assert unnamed == 0


def test_what_is_printed_is_every_document_asked_for_without_controls(one):
    one.soil()
    one("dispatchEvent(new Event('beforeprint'))")
    assert one.shown == wrong(ONE)
    one.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not one["#filters"].is_displayed()
    assert not one["nav.contents"].is_displayed()
    assert one["#list article"].is_displayed()
    one.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    one("dispatchEvent(new Event('afterprint'))")
    assert one.shown == wrong(ONE)[:20]


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
