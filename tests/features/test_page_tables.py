"""The tables of every page: rows of equal width, headings for every cell, and numbers under their systems."""

import re
from collections import Counter
from functools import cache

import pytest
from annotators import example_page
from driven import FEW, corpus
from pages import system
from products import NIGHT, mostly_at_night
from tables_of_pages import PageTable, assert_whole, drawn_tables, tables_of

from spacy_nereval import Document, create_all
from spacy_nereval.evaluation.comparison import System
from spacy_nereval.features.agreement.adjudication import AGREEMENT
from spacy_nereval.features.gate.gate_rules import judge_candidate
from spacy_nereval.features.gate.gate_view import GateView, ship_sentence
from spacy_nereval.features.gate.policy import read_policy
from spacy_nereval.features.gate.report_section import ReportPolicy
from spacy_nereval.features.report.report_page import REPORT, page
from spacy_nereval.features.report.report_view import ReportView
from spacy_nereval.features.thresholds.chosen_cuts import find_thresholds
from spacy_nereval.features.thresholds.curves import Settings
from spacy_nereval.features.thresholds.threshold_page import THRESHOLDS, thresholds_page
from spacy_nereval.reporting.pages import page_script

JOINED = ("scores", "errors", "labels", "rates", "slices", "mending")
"""The sections whose tables have columns for each system."""

NAMES = ("one", "two", "three")


@cache
def systems() -> list[System]:
    return [system(name, *corpus(k)) for k, name in enumerate(NAMES)]


@cache
def report(first: int, last: int, compared: bool = True) -> list[PageTable]:
    return tables_of(page(systems()[first:last], confidence=FEW if compared else None))


@pytest.mark.parametrize(
    ("number", "compared"),
    [
        *((1, True), (2, True)),
        *(pytest.param(*case, marks=NIGHT) for case in ((1, False), (2, False), (3, True), (3, False))),
    ],
)
def test_the_rows_of_every_table_of_a_report_are_as_wide_as_its_head(number, compared):
    tables = report(0, number, compared)
    assert len(tables) > 10 and {*JOINED} <= {table.section for table in tables}
    for table in tables:
        assert_whole(table)
        assert (len(table.head) == 2) == (number > 1 and bool(table.groups))
    assert number == 1 or sum(len(table.head) == 2 for table in tables) > 8


@pytest.mark.slow
@pytest.mark.parametrize("number", mostly_at_night([2, 3], by_day=[2]))
def test_under_the_name_of_a_system_stand_the_numbers_that_it_has_alone(number):
    joined = [table for table in report(0, number) if len(table.head) == 2]
    for k, name in enumerate(NAMES[:number]):
        for section in JOINED:
            together, alone = ([t for t in tables if t.section == section] for tables in (joined, report(k, k + 1)))
            assert together
            for table, own in zip(together, alone):
                under, numbers = table.under(name), own.numbers(1)
                assert numbers.keys() & under.keys()
                for words in numbers.keys() & under.keys():
                    shown = [value for value in under[words] if value]
                    of_system = iter(numbers[words])
                    difference = section == "rates" and k > 0  # which is the last number under the name
                    assert shown and all(value in of_system for value in shown[: len(shown) - difference]), words


def test_the_tables_of_agreement_are_whole():
    tables = tables_of(example_page())
    assert len(tables) > 6
    for table in tables:
        assert_whole(table)


def test_the_tables_of_thresholds_are_whole():
    results = [find_thresholds(scored(k), create_all(["strict"]), Settings(per_label="own")) for k in range(2)]
    tables = tables_of(thresholds_page([*zip("ab", results)], golds=["gold"]))
    assert len(tables) > 4
    for table in tables:
        assert_whole(table)


def scored(preds: int) -> list[Document]:
    """Documents whose predictions have scores."""
    documents = corpus(preds)
    for number, document in enumerate(documents):
        document.span_scores = {span: (7 * k + 3 * number) % 10 / 10 for k, span in enumerate(document.pred)}
    return documents


@pytest.mark.browser
@pytest.mark.parametrize(("number", "width"), [pytest.param(1, 1280, marks=NIGHT), (2, 390), (3, 1280)])
def test_the_tables_that_scripts_draw_are_whole_with_and_without_hidden_columns(browser, made, number, width):
    browser.open(made(f"tables-{number}", *systems()[:number], confidence=FEW), width=width)
    browser("document.querySelectorAll('details').forEach(e => { e.open = true })")
    for wanted in ("", "#other=1", "#view=documents"):
        if number > 1:
            browser(f"location.hash = '{wanted}'")
        cards = {table.section for table in drawn_tables(browser) if not any(table.head)}
        assert cards == set() or width == 390
        shown = [table for table in drawn_tables(browser) if any(table.head)]
        assert len(shown) > 8
        for table in shown:
            assert_whole(table)
    browser("document.querySelectorAll('.columns input').forEach((box, k) => k % 2 && box.click())")
    for table in drawn_tables(browser):
        if any(table.head):
            assert_whole(table)


def region_names(html: str) -> list[str]:
    """The names of a page's regions, as those who hear it are told them."""
    labelled = re.findall(r'role="region" aria-label="([^"]*)"', html)
    ids = re.findall(r'<section [^>]*aria-labelledby="([^"]*)"', html)
    return labelled + [re.sub(r"<[^>]*>", "", re.search(rf'id="{id}"[^>]*>(.*?)</h2>', html, re.S)[1]) for id in ids]


POLICY = """[gate]
[gate.rules]
[gate.rules.overall]
score = "strict_f"
at_least = 90
[gate.rules.loss]
score = "strict_f"
worse_by_at_most = 1
"""


@pytest.mark.parametrize("number", mostly_at_night([2, 3], by_day=[2]))
def test_the_regions_of_a_report_have_names_of_their_own(number, tmp_path):
    path = tmp_path / "policy.cfg"
    path.write_text(POLICY)
    gate = ReportPolicy(policy=path).section(number)
    names = region_names(page(systems()[:number], confidence=FEW, sections=[gate]))
    assert len(names) > 20 and [*Counter(names).values()] == [1] * len({*names}), Counter(names).most_common(3)


def test_the_regions_of_other_pages_have_names_of_their_own():
    results = [find_thresholds(scored(k), create_all(["strict"]), Settings(per_label="own")) for k in range(2)]
    for html in (example_page(), thresholds_page([*zip("ab", results)], golds=["gold"])):
        names = region_names(html)
        assert len(names) > 6 and max(Counter(names).values()) == 1, Counter(names).most_common(3)


@pytest.mark.parametrize("number", mostly_at_night([1, 2, 3], by_day=[1, 2]))
def test_with_a_policy_the_heading_is_the_answer(number, tmp_path):
    path = tmp_path / "policy.cfg"
    path.write_text(POLICY if number > 1 else POLICY.partition("[gate.rules.loss]")[0])
    html = page(systems()[:number], confidence=FEW, sections=[ReportPolicy(policy=path).section(number)])
    heading = " ".join(re.sub(r"<[^>]*>", "", re.search(r"<h1>(.*?)</h1>", html)[1]).split())
    who = {1: "one may not ship", 2: "two may not ship", 3: "None of 2 may ship"}[number]
    assert heading == f"{who}: strict F is below 90"
    if number > 1:
        table = tables_of(html)[0]
        assert [cell.text for cell in table.head[0]][-1] == "may ship"
        gates = [judge_candidate(read_policy(path), system, systems()[0]) for system in systems()[1:number]]
        broken = {g["candidate"]: {r["name"] for r in g["rules"] if r["counts_as"] == "fail"} for g in gates}
        shown = {row[0].text: row[-1].text.partition("✘ no: ") for row in table.body}
        assert shown.pop("one") == ("baseline", "", "")
        assert {name: {*rules.split(", ")} for name, (_, _, rules) in shown.items()} == broken


def test_rules_judge_the_systems_of_a_report_as_a_policy_of_these_rules_does(tmp_path):
    (path := tmp_path / "policy.cfg").write_text(POLICY.partition("[gate.rules.loss]")[0])
    texts = []
    for extension in (ReportPolicy(policy=path), ReportPolicy(rule=["strict_f at_least 90"])):
        html = page(systems()[:1], confidence=FEW, sections=[extension.section(1)])
        texts.append(" ".join(re.sub(r"<[^>]*>", "", re.search(r"<h1>(.*?)</h1>", html)[1]).split()))
    assert texts == ["one may not ship: strict F is below 90"] * 2
    with pytest.raises(ValueError, match="rules are given too; give one of the two$"):
        ReportPolicy(policy=path, rule=["strict_f at_least 90"]).section(1)


def test_who_may_ship_is_told_in_a_sentence():
    def gate(name: str, *rules: tuple[str, str, float], passed: bool = False) -> GateView:
        rows = [
            {"name": kind, "kind": kind, "verdict": verdict, "required": True, "label": "A", "by": None, "bound": bound}
            | {"metric": "strict", "score": "f", "score_unit": "ratio", "counts_as": "fail"}
            for kind, verdict, bound in rules
        ]
        return GateView({"candidate": name, "rules": rows, "passed": passed})

    good = [gate(name, passed=True) for name in "abcd"]
    low, worse = ("at_least", "broken", 0.3), ("worse_by_at_most", "broken", 0.05)
    cases = {
        "a may ship": good[:1],
        "All 4 may ship": good,
        "a and b may ship, x may not": [*good[:2], gate("x", low)],
        "4 systems may ship, x may not": [*good, gate("x", low)],
        "x may not ship: strict F of A is below 30": [gate("x", low, worse)],
        "None of 2 may ship: strict F of A is below 30 (1 of 2)": [gate("x", low), gate("y", worse)],
        "None of 2 may ship: strict F of A is worse by more than 5": [gate("x", worse), gate("y", low, worse)],
        "x may not ship: strict F of A is undecided (at least 30)": [gate("x", ("at_least", "undecided", 0.3))],
    }
    assert {said: ship_sentence(gates) for said, gates in cases.items()} == {said: said for said in cases}


IN_SIGHT = """const { left, right, top, bottom } = e.getBoundingClientRect();
return e.checkVisibility() && left >= 0 && right <= innerWidth && bottom > top && bottom <= innerHeight"""


@pytest.mark.browser
@pytest.mark.parametrize(("number", "width", "height"), [(2, 390, 844), (3, 1920, 1080)])
def test_five_questions_are_answered_on_the_first_screen_after_one_click(
    browser, made, tmp_path, number, width, height
):
    (tmp_path / "policy.cfg").write_text(POLICY)
    section = ReportPolicy(policy=tmp_path / "policy.cfg").section(number)
    path = made(f"asked-{number}", *systems()[:number], confidence=FEW, sections=[section])
    marks = tmp_path / "other.jsonl"
    browser.open(path)
    browser.choose("#queue", "gold that may be wrong")
    browser["#card"].click()
    for theirs in (True, False):  # what another reviewer marks, and what this one does
        browser.press("g" if theirs else "s")
        if theirs:
            marks.write_text(browser.saved("#export"), encoding="utf8")
            browser.press("z")
    browser["#import"].send_keys(str(marks))
    browser.until(lambda: "1 differ from yours" in browser["#notice"].text)

    def in_sight(selector: str) -> bool:
        return bool(browser(f"const e = document.querySelector(arguments[0]); {IN_SIGHT}", selector))

    browser.open(path, width=width, height=height)
    assert all(map(in_sight, ("h1", ".conclusion", ".ranked tbody tr:last-child td:last-child")))
    who = {2: "two may not ship", 3: "None of 2 may ship"}[number]
    assert browser["h1"].text == f"{who}: strict F is below 90"
    assert browser[".ranked tbody tr:first-child th"].text in browser[".conclusion"].text
    for link, answers in {
        "#why": ["#why h2", "#why .groups:not([hidden]) tbody tr:first-child th"],
        "#gold": ["#gold h2", "#gold tbody tr:first-child td"],
        "#review": ["#card .place", "[data-key=t]"],
    }.items():
        browser.open(path, width=width, height=height)
        assert in_sight(f".next a[href='{link}']")
        browser[f".next a[href='{link}']"].click()
        browser.until(lambda answers=answers: all(map(in_sight, answers)))
    assert browser["[data-key=t]"].text == "t take theirs: gold wrong"


@pytest.mark.browser
def test_the_shown_system_is_switched_at_the_top_for_every_sentence(browser, made):
    three = systems()[:3]
    view = ReportView(three)
    browser.open(made("switched", *three))
    initial = browser.value("#system")
    assert initial == str(view.lead)
    titles = "return [...document.querySelectorAll('h2')].filter(e => e.checkVisibility()).map(e => e.innerText.trim())"
    for k in (0, 1, 2, view.lead):
        browser.choose("#system", f"{'ABC'[k]}: {NAMES[k]}")
        shown = browser(titles)
        found = {each.section: each.heading for each in view.findings_of(k)}
        assert all(found[section] in shown for section in ("errors", "labels", "confusion"))
        assert view.story_of(k)[0].heading in shown
        assert sum(browser.each("#why .groups", "e.checkVisibility()")) == 2
        browser.click("#errors tbody th button")
        assert browser.value("#system") == str(k)
    assert not any(name in title for title in browser(titles)[:6] for name in ("under one", "under two"))


@pytest.mark.parametrize("layout", [REPORT, AGREEMENT, THRESHOLDS], ids=lambda layout: layout.package.split(".")[-1])
def test_no_name_of_a_page_is_declared_twice(layout):
    """A browser runs nothing of a script that declares a name twice."""
    script = page_script(layout)
    declared = Counter(re.findall(r"^(?:async )?(?:const|let|class|function\*?) (\w+)", script, re.MULTILINE))
    declared.update(
        re.findall(r"\w+", " ".join(re.findall(r"^(?:const|let) [\[{]([^=]*)[\]}] =", script, re.MULTILINE)))
    )
    assert len(declared) > 50 and [name for name, times in declared.items() if times > 1] == []
