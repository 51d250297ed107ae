"""The pages in a real browser: Chromium without a window, opened from disk, with the network off.

Needs `chromium` and `chromedriver` (Debian's packages chromium and chromium-driver) and is skipped without.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from annotators import hostile, page_of
from browsers import RECTS, Browser, Keys, needs_browser, webdriver
from driven import DOCUMENTS, FEW, ONE, TWO, corpus, said, verdicts, with_verdict
from pages import HOSTILE, system
from products import NIGHT

from spacy_nereval import Document

pytestmark = needs_browser

CHARTS = ["scores", "errors", "labels", "eLen", "case", "position"]
CHARTS_OF = {"agreement": [], "cuts": ["cut", "recall", "calibration", "coverage"]}
TWELVE = [system(name, *corpus(k)[:12]) for k, name in enumerate(("one", "two", "three"))]
"""What axe takes grows with the page, and twelve documents have every kind of element."""

BEFORE = "getComputedStyle(e, '::before').content"


@pytest.fixture
def page_named(made, agreement, cuts) -> Callable[[str], Path]:
    def path(name: str) -> Path:
        if name in CHARTS_OF:
            return agreement if name == "agreement" else cuts
        systems = {"one": [ONE], "two": [ONE, TWO], "twelve": TWELVE}[name]
        alone = name == "one"
        return made(name, *systems, drawn=name != "twelve", alone=alone, **({} if alone else {"confidence": FEW}))

    return path


# Every page


@pytest.mark.parametrize(
    ("name", "dark", "width"),
    [
        ("one", False, 1280),
        ("two", True, 390),
        pytest.param("two", False, 1280, marks=NIGHT),
        pytest.param("one", True, 390, marks=NIGHT),
        ("agreement", False, 1280),
        ("agreement", True, 390),
        ("cuts", False, 1280),
        ("cuts", True, 390),
    ],
)
def test_a_page_opens_from_disk_without_a_network_and_without_a_word_on_the_console(
    browser, page_named, name, dark, width
):
    browser.open(page_named(name), dark=dark, width=width)
    assert browser.charts() == CHARTS_OF.get(name, CHARTS)
    assert browser("return location.protocol") == "file:"
    assert browser("return performance.getEntriesByType('resource').map(entry => entry.name)") == []
    ink, paper = browser("const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]")
    light = [sum(map(int, color[4:-1].split(","))) for color in (ink, paper)]
    assert (light[0] > light[1]) == dark
    inside, page_width = browser("const e = document.documentElement; return [e.clientWidth, e.scrollWidth]")
    assert width - 20 < inside == page_width  # a scrollbar may take the rest


@pytest.mark.parametrize(
    ("name", "dark", "width", "anchor", "review"),
    [
        ("twelve", False, 1280, "#view=errors&one=0&chosen=1", ""),
        pytest.param("twelve", True, 390, "#view=documents&one=0&other=1", "", marks=NIGHT),
        ("twelve", False, 1280, "", "[data-review=list]"),
        ("twelve", True, 390, "", "[data-review=list]"),
        ("agreement", False, 1280, "", ""),
        pytest.param("agreement", True, 390, "#view=documents", "", marks=NIGHT),
        ("agreement", False, 1280, "", "[data-review]"),
        ("agreement", True, 1280, "", "[data-review]"),
        ("cuts", False, 1280, "", ""),
        pytest.param("cuts", True, 390, "", "", marks=NIGHT),
    ],
)
def test_axe_finds_no_violation(browser, page_named, name, dark, width, anchor, review):
    browser.open(page_named(name), dark=dark, width=width, anchor=anchor)
    if review:
        browser.click(review)
        browser.press("1", "j")
        assert browser["#review-done"].text.startswith("Place 2 of ")
        assert browser("return document.documentElement.scrollWidth <= innerWidth")
    if name == "cuts":
        browser.charts()
    assert browser.violations("#review" if review else "html") == []


def assert_unharmed(browser: Browser, scripts: int) -> None:
    """Nothing that a hostile text holds has run, and no element came from it."""
    assert browser("return [window.broken ?? 0, Object.prototype.broken ?? 0, document.images.length]") == [0, 0, 0]
    assert browser("return document.scripts.length") == scripts


def test_a_hostile_corpus_is_text_in_the_report_and_nothing_runs(browser, made):
    text = " ".join(HOSTILE) + "\n" + "z" * 5_000
    spans = [(3 * k, 3 * k + 9, label) for k, label in enumerate(HOSTILE)]
    documents = [Document(spans, spans[::2], text, id=name) for name in HOSTILE]
    documents += [Document([(0, 5, name)], [], name) for name in HOSTILE[:-1]]
    others = [Document(document.gold, [(0, 5, HOSTILE[6])], document.text, id=document.id) for document in documents]
    systems = [system(HOSTILE[0], *documents), system(HOSTILE[8], *others)]
    browser.visit(made("hostile", *systems, drawn=True, title=HOSTILE[2]))
    browser.click("#reset")
    assert browser.charts() == CHARTS[:-1], "all spans have one position"
    tag = "return [...document.querySelectorAll('[data-chart=labels] .mark-symbol path')]"
    mark = browser(tag + ".find(e => e.__data__.datum.name === arguments[0])", HOSTILE[2])
    browser("arguments[0].scrollIntoView({block: 'center'})", mark)
    webdriver.ActionChains(browser.driver).move_to_element(mark).perform()
    browser.until(lambda: browser["#tip"].is_displayed())
    assert HOSTILE[2] in browser["#tip"].text
    browser.click("#view-documents")
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
    assert browser.driver.title == HOSTILE[2]
    assert_unharmed(browser, 4)


def test_hostile_texts_and_names_do_not_run_on_the_page_of_agreement(browser, tmp_path):
    path = tmp_path / "hostile.html"
    path.write_bytes(page_of(hostile()).encode())
    browser.open(path)
    browser.click("#view-documents")
    browser.click("#differences [data-ask]")
    assert_unharmed(browser, 2)


def test_what_is_not_the_pages_own_does_not_run(one):
    one.soil()
    one("const s = document.createElement('script'); s.textContent = 'window.broken = 1'; document.body.append(s)")
    one("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.broken = 1\">')")
    time.sleep(0.2)
    assert one("return window.broken") is None
    assert any("Content Security Policy" in line for line in one.log)


# Charts


def test_charts_follow_the_colour_scheme_and_are_printed(browser, page_named):
    browser.open(page_named("one"))
    browser.charts()
    fill = "return document.querySelector('[data-chart=scores] text')?.getAttribute('fill')"
    before = browser(fill)
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    browser.until(lambda: browser(fill) not in (None, before))
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    widths = browser.each(".chart svg", "e.getBoundingClientRect().width")
    assert len(widths) == 6 and min(widths) > 100
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_eight_systems_have_symbols_and_colours_of_their_own_with_an_area(browser, made):
    documents = corpus(0)[:9]
    browser.visit(made("eight", *(system(f"s{k}", *documents, metrics=["fair"]) for k in range(8)), drawn=True))
    browser("document.querySelector('[data-chart=scores]').scrollIntoView()")
    browser.until(lambda: browser.all("[data-chart=scores] svg[aria-hidden]"))
    said = "[e.getAttribute('d'), e.getAttribute('fill'), e.getBBox().width * e.getBBox().height]"
    paths = browser.each("[data-chart=scores] path", said)
    marks = [(d, fill) for d, fill, area in paths if fill and fill.startswith("#") and area > 60]
    colors = {*browser.each("#scores .systems b", "getComputedStyle(e).color")}
    assert len({d for d, _ in marks}) == len({fill for _, fill in marks}) == len(colors) == 8


def test_a_mark_of_a_chart_shows_the_errors_of_its_row(browser, page_named):
    browser.visit(page_named("two"), anchor=DOCUMENTS + "&one=0")
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
    assert browser.value("#system") == "1"
    assert browser.matches == said(*with_verdict(TWO, "lbe"))


OLD = {"one": ".static", "agreement": ".static", "cuts": ".warning"}
"""Pages to what a browser shows of them that has no DecompressionStream."""


@pytest.mark.parametrize("name", OLD)
def test_a_browser_that_is_too_old_for_the_scripts_shows_the_static_page_and_says_why(browser, page_named, name):
    remove = {"source": "delete globalThis.DecompressionStream"}
    added = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", remove)
    try:
        browser.soil()
        browser.driver.get(page_named(name).as_uri())
        said = "This browser is too old for the scripts of this page, which need one of 2023 or later: "
        (warning,) = (text for text in browser.each(".warning") if "browser" in text)
        assert warning.startswith(said) and "runs no scripts" not in browser["body"].text
        assert browser[OLD[name]].is_displayed() and not browser("return document.querySelector('noscript')")
        assert not any(element.is_displayed() for element in browser.all("form, .tools, #review"))
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


# Tables and headings of the report


def test_heads_of_tables_stay_below_the_bar_of_sections_and_the_last_column_is_whole(browser, made):
    documents = [Document([(0, 1, f"L{k:03}")], [(0, 1, f"L{max(k - 1, 0):03}")], "a") for k in range(60)]
    browser.visit(made("labels", system("labels", *documents), alone=True))
    for table in ("#labels .scroll", "#confusion .scroll:has(#matrix)"):
        browser(f"document.querySelector('{table}').scrollTop = 300")
        ((_, most, top, _),) = browser(RECTS, table)
        assert all(abs(head[2] - top) < 4 for head in browser(RECTS, f"{table} thead th"))
        assert browser(f"return document.querySelector('{table}').scrollTop") == 300
    ((_, most, _, _),) = browser(RECTS, "#labels .scroll")
    assert max(right for _, right, _, _ in browser(RECTS, "#labels tbody td")) <= most - 8
    assert browser("""const head = document.querySelector('#errors thead tr:last-child th');
      scrollBy(0, head.getBoundingClientRect().top - 10);
      const { left, top, width, height } = head.getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height / 2).closest('.bar') !== null""")


def test_the_cells_of_a_row_begin_at_one_height(browser, made):
    browser.visit(made("two", ONE, TWO, confidence=FEW))
    tops = browser("""const first = cell => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        const line = [...range.getClientRects()].filter(r => r.width && r.height > 8)[0];
        return line ? Math.round(line.top) : null };
      return [...document.querySelectorAll('main .found tbody tr')].filter(
        e => e.checkVisibility() && !e.closest('.matrix')).map(
        row => [...row.cells].map(first).filter(top => top !== null))""")
    rows = [row for row in tops if len(row) > 2]
    assert len(rows) > 20
    assert [row for row in rows if max(row) - min(row) > 4] == []


def test_the_f_of_labels_with_intervals_is_in_sight(browser, made):
    documents = [Document([(0, 3, "corporation"), (4, 7, "creative-work")], [(0, 3, "corporation")], "Ada met")] * 40
    browser.visit(made("intervals", system("long", *documents), confidence=FEW))
    hidden = browser.each(".pair .scroll", "e.scrollWidth - e.clientWidth")
    assert {*hidden} == {0}


def test_a_heading_has_at_most_two_lines_and_begins_with_its_conclusion(browser, made):
    path = made("two", ONE, TWO, confidence=FEW)
    lines = "Math.round(e.getBoundingClientRect().height / parseFloat(getComputedStyle(e).lineHeight))"
    for width in (390, 1280):
        browser.visit(path, width=width)
        titles = browser.each("h1, h2", f"e.checkVisibility() && [e.textContent, {lines}]")
        found = dict(filter(None, titles))
        assert len(found) > 8 and {*found.values()} <= ({1, 2} if width == 1280 else {1, 2, 3, 4}), found
        cut = "h1, h2", "e.scrollHeight > e.clientHeight + 2 || e.scrollWidth > e.clientWidth"
        assert not any(browser.each(*cut)), "no heading is cut off"
    assert not any(title.startswith("Under ") for title in found)
    assert not any(f"under {name}" in title for title in found for name in (ONE.name, TWO.name))


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
    assert heads == ["metric", *["R", "F"] * 5] and cells == len(heads) == sum(above), "recall is never hidden"
    assert browser["#scores .columns summary"].text == "Columns, without P"
    browser.click("#scores .columns summary")
    for column in ("P", "R", "intervals"):
        browser.click(f"#scores .columns input[value='{column}']")
    _, heads, above, cells, bounded = browser(widths)
    assert heads == ["metric", *["P", "F"] * 5] and above == [1, *[2] * 5] and cells == len(heads) and not bounded
    browser.click("#scores table:first-of-type th:nth-child(4) button.sort")
    assert browser(widths)[3] == cells, "sorted rows keep their columns"


def test_on_a_phone_everything_is_in_reach_and_metrics_are_cards(browser, made):
    browser.visit(made("two", ONE, TWO, confidence=FEW), width=390, anchor=DOCUMENTS)
    for selector in ("nav.contents a", "#scores .pair td.headline", "#gold td", "#scores .cards td.number"):
        assert all(0 <= left < right <= 390 for left, right, _, _ in browser(RECTS, selector)), selector
    texts = [right - left for left, right, _, _ in browser(RECTS, ".suspects .context")]
    assert texts and min(texts) > 300, "the text is no narrow column"
    links = browser(RECTS, "article h3 a")
    assert links and all(b - a >= 24 and d - c >= 24 for a, b, c, d in links)
    names = [json.dumps(f"{name} {score}") for name in (ONE.name, TWO.name) for score in "PRF"]
    assert browser.each("#scores .cards tbody tr:first-child td", BEFORE)[:6] == names
    browser.click("#view-errors")
    assert browser.each(".lines tbody tr:first-child [data-head]", BEFORE) == ['"gold "', '"predicted "']


LONG_NAMES = [f"{name}-a-very-long-name-of-a-system-that-was-trained-on-everything" for name in ("first", "second")]

CUT = """const inside = '.scroll, select, option, .hidden, .chart, .kwic, nav.contents, .gauge, datalist';
const elements = [...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && !e.closest(inside));
return elements.filter(e => {
  const { right, width } = e.getBoundingClientRect();
  const cut = getComputedStyle(e).overflowX === 'hidden' && e.scrollWidth > e.clientWidth + 1;
  return width && (right > innerWidth + 1 || cut);
}).map(e => e.outerHTML.slice(0, 120))"""
"""JavaScript that returns the elements that are cut off, or reach over the edge of the window."""


def test_the_numbers_of_a_chart_are_whole_on_a_phone(browser, made):
    many = [system(f"s{k}", *(Document(d.gold, d.pred, d.text) for d in corpus(k) * 9)) for k in range(3)]
    browser.open(made("narrow", *many, drawn=True), width=390)
    browser("document.querySelector('[data-chart=errors]').scrollIntoView()")
    browser.until(lambda: browser.all("[data-chart=errors] svg[aria-hidden]"))
    ((left, right, *_),) = browser(RECTS, "[data-chart=errors] svg")
    texts = browser(RECTS, "[data-chart=errors] text")
    assert len(texts) > 20 and all(left <= a < b <= right for a, b, *_ in texts)


def test_nothing_is_cut_off_on_a_phone_with_long_names_of_systems(browser, made):
    systems = [system(name, *corpus(k)[:12]) for k, name in enumerate(LONG_NAMES)]
    browser.open(made("long-names", *systems, confidence=FEW), width=390)
    for anchor in ("#one=0", "#one=0&other=1", "#view=documents&together=true"):
        browser(f"location.hash = '{anchor}'")
        assert browser(CUT) == [], anchor
    browser.choose("#queue", "gold that may be wrong")
    assert browser(CUT) == []
    widths = browser.each(".versions dd", "e.getBoundingClientRect().width")
    assert len(widths) > 2 and min(widths) > 150, "the spans have room beside long names"


def test_the_page_can_be_used_with_the_keyboard_alone(browser, made):
    browser.open(made("one", ONE))
    browser["body"].send_keys(Keys.TAB)
    assert browser.focused == "skip"
    browser.press(Keys.ENTER)
    browser.until(lambda: browser("return location.hash") == "#list-errors")
    for _ in range(6):
        browser.press(Keys.TAB)
        if browser.focused == "find":
            break
    outline = "const s = getComputedStyle(document.activeElement); return [s.outlineStyle, s.outlineWidth]"
    assert browser(outline) == ["solid", "2px"]
    for focused, keys in (("find", "id-2"), ("pattern", ""), ("label", "O"), ("side", "")):  # of LOC, ORG, PER
        assert browser.focused == focused
        browser.press(*filter(None, (keys, Keys.TAB)))
    browser.press(Keys.SPACE)
    assert browser["#verdicts input"].is_selected()
    named = [each for k, each in enumerate(verdicts(ONE)) if "id-2" in f"id-{k}"]
    n = sum(v.name == "tp" and v.gold.label == "ORG" for each in named for v in each)
    browser.until(lambda: browser.matches.startswith(f"{n} verdict"))
    assert browser["#matches"].get_attribute("aria-live") == "polite"


@pytest.mark.parametrize(
    ("anchor", "pages"),
    [
        pytest.param("#one=0&view=errors", 25, marks=NIGHT),
        ("#one=0&view=documents&wrong=false", 20),
    ],
)
def test_what_is_printed_has_no_controls_and_a_limit_that_is_told(browser: Browser, made, anchor, pages):
    documents = [Document(d.gold, [], d.text) for d in ONE.documents * 10]
    browser.open(made("printed", system("printed", *documents)), anchor=anchor)
    number = "return document.querySelectorAll('#list article, #list tbody tr').length"
    assert browser(number) == pages
    browser("dispatchEvent(new Event('beforeprint'))")
    assert browser(number) == 20 * pages
    assert browser["#list > .key"].text.startswith(f"Printed are 1 to {20 * pages:,} of ")
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert [browser[each].is_displayed() for each in ("#filters", "nav.contents", "#list")] == [False, False, True]
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    browser("dispatchEvent(new Event('afterprint'))")
    assert browser(number) == pages and not browser.all("#list > .key")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "most"), [(1_000, 700_000), pytest.param(10_000, 4_000_000, marks=pytest.mark.nightly)]
)
def test_many_documents_open_with_a_page_of_them_in_the_document(browser, made, number, most):
    sides = [
        [Document(d.gold, d.pred, d.text, id=f"{k}") for k, d in enumerate(corpus(side) * 176)][:number]
        for side in range(3)
    ]
    path = made(f"large-{number}", *(system(f"large-{side}", *documents) for side, documents in enumerate(sides)))
    assert path.stat().st_size < most, "of ten thousand with the library of charts 5 MB"
    browser.open(path, anchor=DOCUMENTS)
    assert len(browser.shown) == 20
    assert browser["#where"].text.startswith("Page 1 of ")
    browser.click("#reset")
    assert browser.matches.endswith(f" in {number:,} of {number:,} documents")
    browser.click("#next")
    browser.click("#next")
    browser.find("9")
    assert browser["#where"].text.startswith("Page 1 of ") and browser["#where"].text != "Page 1 of 1"
    browser.find(f"{number - 1}")
    assert browser.shown == [number]
