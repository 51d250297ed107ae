"""The HTML report in a real browser: Chromium without a window, opened from disk, with the network off.

Needs `chromium` and `chromedriver` (Debian's packages chromium and chromium-driver) and is skipped without.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from pages import HOSTILE, small, system

from spacy_nereval import Document, create
from spacy_nereval.evaluation.intervals import Confidence
from spacy_nereval.evaluation.result import evaluate
from spacy_nereval.evaluation.transitions import gold_outcomes, transitions
from spacy_nereval.reporting.html import ReportedSystem, page

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
By = pytest.importorskip("selenium.webdriver.common.by").By
Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
Service = pytest.importorskip("selenium.webdriver.chrome.service").Service
Select = pytest.importorskip("selenium.webdriver.support.ui").Select

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="there is no chromium with chromedriver here"),
    pytest.mark.costly,
]

QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
CHOICES = """return [...document.querySelectorAll('#verdicts label')].map(label => [
  (label.querySelector('small') || label.children[2]).textContent, Number(label.querySelector('.n').textContent)])"""
"""The verdicts or changes that the form offers, each with its number."""

PATIENCE = 30
"""Seconds until a test gives up waiting: much more than anything takes."""


class Browser:
    """A page in Chromium, and short ways to ask it."""

    def __init__(self, profile: Path) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for argument in (*QUIET, f"--user-data-dir={profile}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        self.driver.set_script_timeout(4 * PATIENCE)

    def open(self, path: Path, *, dark: bool = False, width: int = 1280, height: int = 900, anchor: str = "") -> None:
        """Open a page anew."""
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get(path.as_uri() + anchor)
        self.until(lambda: self("return document.readyState === 'complete' && Boolean(matches.textContent)"))

    def __call__(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def until(self, true: Callable[[], Any]) -> Any:
        """Wait until it is."""
        end = time.monotonic() + PATIENCE
        while not (found := true()):
            if time.monotonic() > end:
                raise AssertionError(f"it never came: {self.driver.current_url}, {self.log}")
            time.sleep(0.02)
        return found

    def __getitem__(self, selector: str) -> Any:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[Any]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector: str) -> None:
        self("arguments[0].scrollIntoView({block: 'center'})", self[selector])
        self[selector].click()

    def choose(self, selector: str, text: str) -> None:
        Select(self[selector]).select_by_visible_text(text)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    @property
    def focused(self) -> str:
        return self(
            "return document.activeElement.id || document.activeElement.className || document.activeElement.tagName"
        )

    @property
    def matches(self) -> str:
        return self["#matches"].text

    def find(self, text: str) -> None:
        """Type what is to be found, and wait for the list."""
        self("list.replaceChildren()")
        self["#find"].clear()
        self["#find"].send_keys(text or " ")
        self.until(lambda: self.all("#list article") or self.matches.startswith("No document"))

    @property
    def shown(self) -> list[int]:
        """The numbers of the documents that are shown."""
        return [int(element.get_attribute("id")[4:]) for element in self.all("#list article")]

    def text_of(self, number: int) -> str:
        """The text of a document as it is shown, without its flags."""
        parts = f"#doc-{number} .text > bdi, #doc-{number} .word"
        return self("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent).join('')", parts)

    @property
    def log(self) -> list[str]:
        """What the console says since it was asked last."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def charts(self) -> list[str]:
        """The names of the charts, once all are drawn."""
        for element in self.all(".chart"):
            self("arguments[0].scrollIntoView()", element)
            self.until(partial(self, "return arguments[0].querySelector('svg[aria-hidden]')", element))
        return [element.get_attribute("data-chart") for element in self.all(".chart")]


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Browser]:
    found = Browser(tmp_path_factory.mktemp("profile"))
    yield found
    found.driver.quit()


LABELS = ("PER", "LOC", "ORG")


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
    """The page of one system, opened anew."""
    browser.open(made("one", ONE))
    return browser


@pytest.fixture
def two(browser, made) -> Browser:
    browser.open(made("two", ONE, TWO, confidence=Confidence(samples=20)))
    return browser


def verdicts(found: ReportedSystem, metric: str = "fair") -> list[list[Any]]:
    judge = create(metric)
    return [list(judge.verdicts(document)) for document in found.documents]


def with_verdict(found: ReportedSystem, name: str, metric: str = "fair") -> tuple[int, int]:
    """How many verdicts of that name there are, and in how many documents."""
    numbers = [sum(v.name == name for v in each) for each in verdicts(found, metric)]
    return sum(numbers), sum(n > 0 for n in numbers)


def said(n: int, documents: int, of: int = 57, what: str = "verdict") -> str:
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
    assert browser.charts() == ["scores", "errors", "labels", "lengths"]
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
    browser.until(lambda: browser.all("[data-chart=scores] .role-legend-symbol path"))
    marks = browser(
        """return [...document.querySelectorAll('[data-chart=scores] .role-legend-symbol path')].map(e =>
             [e.getAttribute('d'), e.getAttribute('fill'), e.getBBox().width * e.getBBox().height]).filter(e => e[0])"""
    )
    assert len({d for d, _, _ in marks}) == len({fill for _, fill, _ in marks}) == 8
    assert min(area for _, _, area in marks) > 20
    assert browser.log == []


def test_heads_of_tables_stay_and_the_last_column_is_whole(browser, made):
    documents = [Document([(0, 1, f"L{k:03}")], [(0, 1, f"L{max(k - 1, 0):03}")], "a") for k in range(60)]
    browser.open(made("labels", system("labels", *documents)))
    for table in ("#labels .scroll", "#confusion .scroll"):
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
        two.choose("#matrix-system", found.name)
        for metric in ("fair", "strict", "semeval", "slot_error"):
            two.choose("#matrix-metric", metric)
            cells = two(
                "return [...document.querySelectorAll('#matrix button')].map(e => e.getAttribute('aria-label'))"
            )
            expected = [
                f"gold {gold or 'none'}, predicted {pred or 'none'}: {n}"
                for gold, row in evaluate(found.counts)["metrics"][metric]["confusion"].items()
                for pred, n in row.items()
            ]
            assert sorted(cells) == sorted(expected), (place, metric)


def test_the_changes_in_the_form_are_the_transitions(two):
    two.choose("#view", CHANGES)
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
    assert one.matches == f"{len(wrong(ONE))} of 57 documents"
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
    assert all("missed" in text or "label error" in text or text in LABELS for text in marked)


def test_the_verdicts_of_another_metric_can_be_filtered(one):
    one.choose("#metric", "semeval")
    one.click("#verdicts label:nth-child(5) input")
    assert one.matches == said(*with_verdict(ONE, "mis", "semeval"))


def test_a_label_is_filtered_on_either_side(one):
    one.choose("#label", "ORG")
    found = [[v for v in each if "ORG" in (v.gold and v.gold.label, v.pred and v.pred.label)] for each in verdicts(ONE)]
    among = [each for each, document in zip(found, ONE.documents) if {*document.gold} != {*document.pred}]
    assert one.matches == said(sum(map(len, among)), sum(map(bool, among)))


def test_text_and_ids_are_found_in_either_case(one):
    one.click("#wrong")
    assert one.matches == "57 of 57 documents"
    one.find("TEXT 31:")
    assert one.shown == [32]
    one.find("id-7")
    assert one.shown == [8]
    one.find("nowhere")
    assert one.matches == "No document of 57 matches"
    assert one.shown == []


def test_everything_can_be_asked_for_again(one):
    one.choose("#label", "ORG")
    one.find("5")
    one.click("#reset")
    assert one.matches == "57 of 57 documents"
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
    cell = "#matrix button[aria-label^='gold PER, predicted PER']"
    one.click(cell)
    assert one.matches == said(n, documents)
    assert one[cell].get_attribute("aria-pressed") == "true"
    assert one["#cell"].text == "Only gold PER, predicted PER Clear"
    assert one.focused == "documents-title"
    one.click(cell)
    assert one.matches == "57 of 57 documents"
    assert one[cell].get_attribute("aria-pressed") == "false"
    one.click("#matrix button[aria-label^='gold none, predicted ORG']")
    assert one.matches.startswith(f"{confusion['']['ORG']} verdict")
    one.click("#cell button")
    assert one.matches == "57 of 57 documents"


def test_a_number_in_the_table_of_verdicts_filters(two):
    two.click("button[data-system='1'][data-verdict='be_s']")
    assert two.matches == said(*with_verdict(TWO, "be_s"))
    assert two["#view"].get_attribute("value") == "1"


def test_a_number_in_the_table_of_changes_shows_both_systems(two):
    n = two["button[data-from='4'][data-to='0']"].text
    two.click("button[data-from='4'][data-to='0']")
    assert two.matches.startswith(f"{n} change")
    assert two["#cell"].text == "Only missed, then correct Clear"
    for number in two.shown[:3]:
        assert [element.text for element in two.all(f"#doc-{number} figcaption")] == ["one", "two"]
        left, right = two.all(f"#doc-{number} figure")
        assert left.rect["y"] == right.rect["y"]
        assert left.rect["x"] + left.rect["width"] <= right.rect["x"]
        assert "missed" in left.text


def test_a_kind_of_change_is_filtered(two):
    two.choose("#view", CHANGES)
    two.click("#verdicts label:nth-child(2) input")
    outcomes = [[gold_outcomes(document) for document in found.documents] for found in (ONE, TWO)]
    broken = [sum(a[s] == "correct" != b[s] for s in a) for a, b in zip(*outcomes)]
    assert two.matches == said(sum(broken), sum(map(bool, broken)), what="change")


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
    top = browser("return document.activeElement.getBoundingClientRect().top")
    assert 0 <= top < 900
    browser.find("id-1")
    browser("location.hash = '#doc-30'")
    browser.until(lambda: browser.focused == "doc-30")
    assert browser["#doc-30 h3 a"].get_attribute("href").endswith("#doc-30")
    browser("location.hash = '#doc-9999'")
    assert browser.log == []


# How a document is shown


def test_gold_stands_below_the_text_and_predictions_below_gold_each_below_its_words(browser, made):
    text = "The Bank of New York opened"
    document = Document([(4, 20, "ORG"), (12, 20, "LOC")], [(4, 20, "ORG"), (12, 27, "LOC"), (0, 3, "PER")], text)
    browser.open(made("nested", system("nested", document)))
    browser.click("#reset")
    assert browser.text_of(1) == text
    rects = browser(
        """return [...document.querySelectorAll('#doc-1 .bar')].map(e => {
             const r = e.getBoundingClientRect(); return [e.classList[1], e.classList[2], r.left, r.right, r.top] })"""
    )
    words = browser(
        """return [...document.querySelectorAll('#doc-1 .word')].map(e => {
             const r = e.getBoundingClientRect(); return [e.textContent, r.left, r.right, r.bottom] })"""
    )
    place = {word: (left, right, bottom) for word, left, right, bottom in words}
    assert set(place) == {"The", "Bank of ", "New York", " opened"}
    found = {(side, kind, round(left), round(right + 1)) for side, kind, left, right, _ in rects}
    outer = (round(place["Bank of "][0]), round(place["New York"][1]))
    assert found == {
        ("pred", "spurious", round(place["The"][0]), round(place["The"][1])),
        ("gold", "hit", *outer),
        ("pred", "hit", *outer),
        ("gold", "boundary", round(place["New York"][0]), round(place["New York"][1])),
        ("pred", "boundary", round(place["New York"][0]), round(place[" opened"][1])),
    }
    lowest_gold = max(top for side, _, _, _, top in rects if side == "gold")
    assert all(top >= place["New York"][2] - 1 for _, _, _, _, top in rects)
    assert all(top > lowest_gold for side, kind, _, _, top in rects if side == "pred" and kind != "spurious")
    said = [" ".join(element.text.split()) for element in browser.all("#doc-1 .flag.pred .verdict")]
    assert sorted(said) == ["longer than gold", "spurious", "✓ correct"]


def test_spans_that_touch_are_no_group(browser, made):
    document = Document([(0, 3, "PER"), (3, 6, "PER")], [(0, 3, "PER"), (3, 3, "PER")], "AdaBob met")
    browser.open(made("touching", system("touching", document)))
    assert [element.text for element in browser.all("#doc-1 .word")] == ["Ada", "", "Bob"]
    assert len(browser.all("#doc-1 .group")) == 3


def test_every_verdict_on_a_span_is_said_and_a_reader_who_does_not_see_hears_the_sides(browser, made):
    document = Document([(0, 3, "PER"), (4, 10, "ORG")], [(0, 10, "PER")], "Ada Google")
    browser.open(made("twice", system("twice", document)))
    flags = browser(
        "return [...document.querySelectorAll('#doc-1 .flag')].map(e => e.textContent.trim().replace(/ +/g, ' '))"
    )
    assert flags == ["gold PER", "gold ORGlabel and boundary", "predicted PERlonger than gold, label and boundary"]
    titles = browser("return [...document.querySelectorAll('#doc-1 .flag')].map(e => e.title)")
    assert titles[2] == "predicted PER, 0 to 10: longer than gold, label and boundary"


def test_a_long_text_is_folded_and_opens_on_demand(browser, made):
    text = "x" * 50_000 + " Ada " + "y" * 50_000
    many = " ".join("Ada" for _ in range(400))
    documents = [
        Document([(50_001, 50_004, "PER")], [], text),
        Document([(4 * k, 4 * k + 3, "PER") for k in range(400)], [(0, 3, "PER")], many),
    ]
    browser.open(made("long", system("long", *documents)))
    assert len(browser.text_of(1)) < 1_000
    assert "Ada" in browser.text_of(1)
    assert len(browser.all("#doc-2 .group")) == 150
    assert "249 more groups of spans" in browser["#doc-2"].text or "250 more groups of spans" in browser["#doc-2"].text
    browser.click("#doc-1 .fold")
    assert browser.text_of(1) == text
    assert browser.focused == "doc-1"
    browser.click("#doc-2 .fold")
    assert browser.text_of(2) == many
    assert len(browser.all("#doc-2 .group")) == 400


def test_a_long_span_is_folded_in_its_middle(browser, made):
    text = "a" + "x" * 100_000 + "b"
    browser.open(made("span", system("span", Document([(0, len(text), "PER")], [], text))))
    assert len(browser.text_of(1)) < 1_000
    assert (browser.text_of(1)[0], browser.text_of(1)[-1]) == ("a", "b")
    assert browser["#doc-1 .word .fold"].text == "… 99,762 characters …"
    browser.click("#doc-1 .fold")
    assert browser.text_of(1) == text


RECTS = """return [...document.querySelectorAll(arguments[0])].map(e => {
  const r = e.getBoundingClientRect(); return [r.left, r.right, r.top, r.bottom] })"""


@pytest.mark.parametrize("width", [1280, 390])
def test_flags_neither_widen_the_text_nor_lie_on_each_other_or_on_a_bar(browser, made, width):
    text = "Ada ate, erratic, checked at A B C and " * 6
    places = [39 * k for k in range(6)]
    gold = [(at + a, at + b, "ORGANISATION") for at in places for a, b in ((0, 3), (9, 16), (29, 30), (31, 32))]
    pred = [(at + a, at + b, "LOCATION") for at in places for a, b in ((0, 7), (9, 20), (31, 32), (33, 34))]
    browser.open(made("dense", system("dense", Document(gold, pred, text))), width=width)
    assert len(browser.all("#doc-1 .flag")) == len(gold) + len(pred)
    flags, bars = browser(RECTS, "#doc-1 .flag"), browser(RECTS, "#doc-1 .bar")
    ((_, most, _, _),) = browser(RECTS, "#doc-1 .text")
    assert all(right <= most + 1 for _, right, _, _ in flags)
    for k, (left, right, top, bottom) in enumerate(flags):
        for a, b, c, d in flags[k + 1 :] + bars:
            assert right <= a or b <= left or bottom <= c or d <= top
    wide = browser(
        """const sum = () => [...document.querySelectorAll('#doc-1 .group')].map(e => e.offsetWidth);
           const before = sum(); document.querySelectorAll('#doc-1 .flag').forEach(e => e.remove());
           return [before, sum()]"""
    )
    assert wide[0] == wide[1]


def test_documents_without_a_text_or_an_id_show_their_spans(browser, made):
    browser.open(made("bare", system("bare", Document([(5, 9, "A")], [(5, 8, "A")]), metrics=["strict", "fair"])))
    assert "no text" in browser["#doc-1"].text
    assert browser.text_of(1) == "5–88–9"
    assert browser.log == []


def test_offsets_behind_characters_of_two_units_are_right(browser, made):
    browser.open(made("small", small()))
    browser.click("#reset")
    words = [element.text for element in browser.all("#doc-4 .word")]
    assert words == ["😀", "Acme"]


# Hostile corpora

SIGNS = {("\x00", "␀"), ("\x1b", "␛"), *((c, "�") for c in "\x85\ud800\udcff\u202e")}
"""Characters that cannot be seen, and what is shown for them."""


def test_a_hostile_corpus_is_text_and_nothing_runs(browser, made):
    text = " ".join(HOSTILE) + "\n" + "z" * 100_000
    spans = [(3 * k, 3 * k + 9, label) for k, label in enumerate(HOSTILE)]
    documents = [Document(spans, spans[::2], text, id=name) for name in HOSTILE]
    documents += [Document([(0, 5, name)], [], name) for name in HOSTILE[:-1]]
    others = [Document(document.gold, [(0, 5, HOSTILE[6])], document.text, id=document.id) for document in documents]
    systems = [system(HOSTILE[0], *documents), system(HOSTILE[8], *others)]
    browser.open(made("hostile", *systems, title=HOSTILE[2]))
    browser.click("#reset")
    assert browser.charts() == ["scores", "errors", "labels", "lengths"]
    for number, document in enumerate(documents, 1):
        while browser.all(f"#doc-{number} .fold"):
            browser.click(f"#doc-{number} .fold")
        shown = browser.text_of(number)
        assert len(shown.encode("utf-16-le")) == len((document.text or "").encode("utf-16-le", "surrogatepass"))
        assert {(a, b) for a, b in zip(document.text or "", shown) if a != b} <= SIGNS
    labels = [option.get_attribute("textContent") for option in browser.all("#label option")]
    assert {"__proto__", "constructor", HOSTILE[0], HOSTILE[3]} <= set(labels)
    browser.choose("#label", "__proto__")
    assert browser.matches.startswith("10 verdicts in 10 of ")
    browser("view.value = '0 1'; view.dispatchEvent(new Event('change'))")
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
    one.until(lambda: one("return location.hash") == "#documents")
    one.press(Keys.TAB)
    for _ in range(5):
        if one.focused == "find":
            break
        one.press(Keys.TAB)
    assert one.focused == "find"
    outline = one("const s = getComputedStyle(document.activeElement); return [s.outlineStyle, s.outlineWidth]")
    assert outline == ["solid", "2px"]
    one.press("id-2", Keys.TAB)
    assert one.focused == "label"
    one.press("O", Keys.TAB)
    assert one["#label"].get_attribute("value") == "1"  # LOC, ORG, PER
    one.press(Keys.SPACE)
    assert one["#verdicts input"].is_selected()
    n = sum(
        v.name == "tp" and v.gold.label == "ORG"
        for k, each in enumerate(verdicts(ONE))
        for v in each
        if "id-2" in f"id-{k}" and k + 1 in wrong(ONE)
    )
    one.until(lambda: one.matches.startswith(f"{n} verdict"))
    assert one["#matches"].get_attribute("aria-live") == "polite"


def test_arrow_keys_move_in_the_matrix_which_is_one_stop_of_the_tab_key(one):
    buttons = one.all("#matrix button")
    assert [button.get_attribute("tabindex") for button in buttons] == ["0"] + ["-1"] * (len(buttons) - 1)
    one("arguments[0].focus()", buttons[0])

    def name() -> str:
        return one("return document.activeElement.getAttribute('aria-label')").split(":")[0]

    assert name() == "gold LOC, predicted LOC"
    one.press(Keys.ARROW_RIGHT)
    assert name() == "gold LOC, predicted ORG"
    before = one("return scrollY")
    one.press(Keys.ARROW_DOWN)
    assert name() == "gold ORG, predicted ORG"
    time.sleep(0.3)
    assert one("return scrollY") == before
    one.press(Keys.ARROW_LEFT, Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_LEFT)
    assert name() == "gold LOC, predicted LOC"
    assert len(one.all("#matrix button[tabindex='0']")) == 1
    one.press(Keys.ENTER)
    assert one["#cell"].text.startswith("Only gold LOC, predicted LOC")
    assert one.focused == "documents-title"


CHANGES = "one and two, changes"
AXE = """const done = arguments[0];
axe.run({resultTypes: ['violations']}).then(found => done(found.violations.map(
  v => [v.id, v.impact, v.nodes.slice(0, 3).map(n => n.html + ' ' + n.failureSummary)])))"""


@pytest.mark.parametrize(
    ("dark", "width", "view"),
    [(False, 1280, "one"), (True, 1280, CHANGES), (False, 390, CHANGES), (True, 390, "one")],
    ids=["light", "dark", "phone", "dark phone"],
)
def test_axe_finds_no_serious_violation(browser, made, dark, width, view):
    axe = files(pytest.importorskip("selenium_axe_python", reason="selenium-axe-python is not installed"))
    browser.open(made("two", ONE, TWO, confidence=Confidence(samples=20)), dark=dark, width=width)
    browser.charts()
    browser.choose("#view", view)
    browser.click("#verdicts input")
    browser((axe / "axe-core" / "axe.min.js").read_text(encoding="utf8"))
    found = browser.driver.execute_async_script(AXE)
    assert not [violation for violation in found if violation[1] in ("serious", "critical")]


def test_landmarks_and_headings_are_there(one):
    assert [len(one.all(tag)) for tag in ("main", "header.top", "footer", "h1")] == [1, 1, 1, 1]
    names = [section.get_attribute("aria-labelledby") for section in one.all("section")]
    titles = [one[f"#{name}"].text for name in names]
    assert len(titles) == len(set(titles)) == 6
    unnamed = one("return [...document.querySelectorAll('input, select')].filter(e => !e.labels.length).length")
    assert unnamed == 0


def test_what_is_printed_is_the_report_without_its_controls(one):
    one.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not one["#filters"].is_displayed()
    assert not one["nav.contents"].is_displayed()
    assert one["#list article"].is_displayed()
    one.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


# Size


def test_ten_thousand_documents_open_with_a_page_of_them_in_the_document(browser, made, record_property):
    documents = [Document(d.gold, d.pred, d.text, id=f"{k}") for k, d in enumerate(corpus(0) * 176)][:10_000]
    path = made("large", system("large", *documents))
    begun = time.monotonic()
    browser.open(path)
    record_property("seconds", round(time.monotonic() - begun, 2))
    record_property("megabytes", round(path.stat().st_size / 1e6, 1))
    assert len(browser.shown) == 20
    assert browser["#where"].text.startswith("Page 1 of ")
    browser.click("#reset")
    assert browser.matches == "10,000 of 10,000 documents"
    browser.find("9999")
    assert browser.shown == [10_000]
    assert browser.log == []
