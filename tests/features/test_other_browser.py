"""The page on agreement and that of thresholds in a real browser: what a choice shows, and what is saved."""

import csv
import json

import pytest
from annotators import example, view_of
from browsers import Browser, needs_browser
from commands import run
from pages import HOSTILE
from places import SPANCAT

from spacy_nereval import Document, create_all
from spacy_nereval.features.agreement.adjudication import label_studio_tasks, prodigy_tasks
from spacy_nereval.features.agreement.votes import disputed_places
from spacy_nereval.features.thresholds.chosen_cuts import find_thresholds
from spacy_nereval.features.thresholds.curves import Settings
from spacy_nereval.features.thresholds.threshold_page import thresholds_page

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


def test_disputes_are_adjudicated_by_keys_and_saved_as_gold(browser, agreement):
    browser.open(agreement)
    browser("localStorage.clear(); document.querySelector('[data-review]').focus()")
    browser.press("\n")
    assert browser["#review-done"].text == f"Place 1 of {ALL}: 0 done, {ALL} left"
    order = browser("return JSON.parse(Object.entries(localStorage).find(([key]) => key.endsWith('place'))[1])[0]")
    wanted = {}
    for key, answer in zip(order, ("1", "0", "u", "1z1", "u1", "1")):
        k, p = map(int, key.split())
        browser.press(*answer)
        (pressed,) = browser.all("#card [aria-pressed=true]")
        assert pressed.get_attribute("data-key") == answer[-1]
        if answer != "u":
            votes, names = PLACES[k][p].versions, SHARED.documents[k].spans
            own = ({vote.span for vote in votes if name in vote.annotators} for name in names)
            said = [spans for spans in own if spans]
            wanted[k, p] = set() if answer == "0" else max(said, key=said.count)
        browser("document.activeElement.blur()")
        browser.press("j")
        assert browser["#card [aria-pressed=true]"].get_attribute("data-key") == answer[-1], "keys are the review's"
        browser("document.querySelector('#card').focus()")
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
    numbers = [sum(number == k for number, _ in wanted) for k in range(len(lines))]
    assert [line["meta"]["decided"] for line in lines] == numbers


# Thresholds


STROKES = "[data-chart=cut] .mark-line path", "['stroke', 'stroke-dasharray', 'd'].map(name => e.getAttribute(name))"


@pytest.fixture
def opened(browser, library, tmp_path, monkeypatch):
    """Opens a page of some systems, with its charts."""

    def open_page(*systems: tuple[str, list[Document]], title: str | None = None) -> Browser:
        found = [
            (name, find_thresholds(each, create_all(["strict"]), Settings(per_label="own"))) for name, each in systems
        ]
        path = tmp_path / "page.html"
        path.write_bytes(thresholds_page(found, golds=["gold.jsonl"], title=title).encode("utf8", "replace"))
        browser.open(path)
        return browser

    return open_page


def scored(spans, gold: int = 2) -> Document:
    document = Document(spans[::gold], spans, "x" * 200)
    document.span_scores = {span: 0.9 - k / (2 * len(spans)) for k, span in enumerate(spans)}
    return document


def test_a_choice_draws_other_lines_and_says_what_is_best(browser: Browser, cuts):
    browser.open(cuts)
    browser.charts()
    data = browser.data
    strict = [each["title"] for each in data["scores"]].index("strict F")
    cut, value, _ = data["systems"][0]["sides"][1]["peaks"][strict][0]
    assert browser.matches.startswith(f"Best strict F on test: all labels {100 * value:.2f} at {cut:.4g}, ")
    first = browser.each(*STROKES)
    assert len(first) == len({color for color, _, _ in first}) == len(browser.all("[data-legend=cut] span")) == 3
    browser.choose("#label", "FAILURE_LOC")
    browser.until(lambda: len(browser.each(*STROKES)) == 2)
    browser.choose("#side", "dev")
    browser.until(lambda: browser.matches.startswith("Best strict F on dev: all labels "))
    browser.choose("#score", "slot error rate")
    browser.until(lambda: browser.matches.startswith("Best slot error rate on dev: "))
    browser.until(lambda: "slot error rate, %" in browser["[data-chart=cut]"].get_attribute("textContent"))
    assert browser.each(*STROKES) != first[:2]
    for selector, chosen in (("[data-ask*='\"\"']", "all labels"), ("[data-ask*=FAILURE_TYPE]", "FAILURE_TYPE")):
        browser.click(f"#cuts {selector}")
        assert browser("return label.selectedOptions[0].textContent") == chosen
    browser.click("[data-ask*='strict.f']")
    browser.until(lambda: browser.matches.startswith("Best strict F on dev: all labels "))


def test_the_cuts_and_the_curves_can_be_saved(browser: Browser, cuts, tmp_path):
    browser.open(cuts)
    file = tmp_path / "cuts.json"
    file.write_text(browser.saved("[data-save]"), encoding="utf8")
    done = run("score", *SPANCAT["test"], "--cut", file, "--metrics", "strict", "-o", tmp_path / "scores.json")
    assert done.exit_code == 0
    value = json.loads((tmp_path / "scores.json").read_text())["metrics"]["strict"]["scores"]["f"]
    assert f"strict F {100 * value:.2f} [" in browser["header.top"].text
    rows = [*csv.DictReader(browser.saved("#save-curves").splitlines())]
    assert {row["label"] for row in rows} == {"", "FAILURE_LOC", "FAILURE_TYPE"}
    assert browser["#notice"].text == "Saved as curves.csv."


def test_hostile_labels_and_names_are_text_and_nothing_runs(opened):
    spans = [(k, k + 1, label) for k, label in enumerate((*HOSTILE[:8], "=1+1")) for _ in range(2)]
    browser = opened((HOSTILE[0], [scored(spans, 1)]), (HOSTILE[3], [scored(spans, 3)]), title=HOSTILE[2])
    browser.charts()
    browser.choose("#system", HOSTILE[0])
    labels = [option.get_attribute("textContent") for option in browser.all("#label option")]
    assert {"__proto__", "constructor", HOSTILE[0], HOSTILE[3]} <= {*labels}
    for label in (HOSTILE[0], "__proto__", labels[0]):  # the last one draws the lines of all labels
        browser("label.selectedIndex = arguments[0]; label.dispatchEvent(new Event('change'))", labels.index(label))
        browser.charts()
    assert "'=1+1" in browser.saved("#save-curves")
    assert browser("return [window.broken ?? 0, Object.prototype.broken ?? 0, document.images.length]") == [0, 0, 0]
    assert browser("return document.scripts.length") == 4
    assert browser.driver.title == HOSTILE[2]


def test_systems_are_lines_of_one_chart_and_each_can_be_chosen(opened):
    spans = [(k, k + 1, "AB"[k % 2]) for k in range(40)]
    browser = opened(("first", [scored(spans)]), ("second", [scored(spans, 3)]))
    browser.charts()
    assert [each.text for each in browser.all("[data-legend=cut] bdi")] == ["first", "second"]
    assert browser.matches.startswith("Best strict F on gold.jsonl: first ")
    browser.choose("#system", "second")
    browser.until(lambda: len(browser.each(*STROKES)) == 3)
    assert [each.text for each in browser.all("[data-legend=recall] bdi")] == ["all labels", "A", "B"]


def test_the_cuts_of_each_system_are_saved_from_its_own_button(opened):
    spans = [(k, k + 1, "AB"[k % 2]) for k in range(40)]
    browser = opened(("first", [scored(spans)]), ("second", [scored(spans[::-1], 3)]), ("third", [scored(spans[:9])]))
    data = browser.data
    saved = [json.loads(browser.saved(f"[data-save='{k}']")) for k in range(3)]
    assert saved == [system["file"] for system in data["systems"]]
    assert len({json.dumps(file) for file in saved}) == 3
    names = browser.each("[data-save]", "e.closest('section, div, p').textContent")
    assert len(names) == 3 and all(name in text for name, text in zip(("first", "second", "third"), names))


def test_without_predictions_the_page_says_that_there_is_nothing_to_draw(opened):
    browser = opened(("none", [Document([(0, 3, "A")], [], "Ada")]))
    for chart in browser.all(".chart"):
        browser("arguments[0].scrollIntoView()", chart)
    browser.until(lambda: [chart.text for chart in browser.all(".chart")] == ["Nothing to draw."] * 4)
