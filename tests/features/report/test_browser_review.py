"""The review of gold in a real browser: queues, keys, corrections, files, and that `apply` makes of them what the page
says."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from browsers import Keys, needs_browser
from commands import line, run, write
from driven import ONE, TWO
from pages import HOSTILE, system
from places import ROOT

from spacy_nereval import Document, apply, load
from spacy_nereval.features.report.gold_suspects import gold_suspects, merge_suspects
from spacy_nereval.io.records import Record

pytestmark = needs_browser

ACME, ROME, ADA, SAW = (0, 4, "ORG"), (11, 15, "LOC"), (0, 3, "PER"), (2, 9, "PER")
REVIEWED: Any = [
    ("Acme sells shoes in New York .", [ACME, (20, 28, "LOC")], [ACME, (20, 23, "LOC")], None),
    ("Acme sells hats .", [ACME], [ACME], None),
    ("Acme is in Rome .", [(0, 4, "LOC"), ROME], [(0, 4, "LOC"), ROME], [ACME, ROME]),
    ("Ada met Acme and Bob in Rome .", [ADA, (17, 20, "PER")], [ADA, (8, 12, "ORG"), (24, 28, "LOC")], None),
    ("😀 Ada saw nothing in Oslo .", [(2, 5, "PER")], [SAW, (21, 25, "LOC")], [SAW]),
]
"""Texts, gold spans, and the predictions of a system and of another one, where these differ."""
TEXTS, GOLDS, PREDS, OTHERS = zip(*REVIEWED)
DOCUMENTS = [
    [
        Document(gold, own or pred, text, id=f"d{k}")
        for k, (text, gold, pred, own) in enumerate(zip(TEXTS, GOLDS, PREDS, side))
    ]
    for side in (PREDS, OTHERS)
]
SYSTEMS = [system(name, *documents) for name, documents in zip(("first", "second"), DOCUMENTS)]
DOUBTS = merge_suspects(gold_suspects(DOCUMENTS), DOCUMENTS[0])

PLACE = "return document.querySelector('#card .place').textContent"


@pytest.fixture
def review(browser, made):
    """The page of two systems."""
    browser.open(made("review", *SYSTEMS))
    return browser


def start(browser: Any, queue: str = "gold that may be wrong") -> None:
    browser.choose("#queue", queue)


def decided(browser: Any) -> dict[str, Any]:
    """What is decided of each marked place, by its document and gold span, as the saved file has it."""
    found = {}
    for row in map(json.loads, browser.saved("#export").splitlines()):
        spans = row["decided"] and [(each["text"], each["label"]) for each in row["decided"]]
        found[row["id"], row["gold"] and row["gold"]["text"]] = row["mark"], spans
    return found


def test_every_doubtful_place_is_reviewed_once_with_its_evidence(review):
    review.click("[data-review=doubts]")
    assert review.focused == "card"
    assert len(DOUBTS) == len({(doubt.document, doubt.gold or doubt.start) for doubt in DOUBTS}) > 4
    assert review["#review-done"].text == f"Place 1 of {len(DOUBTS)}: 0 done, {len(DOUBTS)} left"
    for doubt in DOUBTS:
        words = [each.text for each in review.all("#card .evidence li")]
        assert words and len(words) == len(set(words))
        start, end, *_ = doubt.gold or (doubt.start, doubt.end)
        assert review["#card .link"].text == f"Document {doubt.document + 1}"
        assert TEXTS[doubt.document][start:end] in review(PLACE)
        review.press("j")
    assert review["#review-notice"].text == "This is the last place."
    review.press("i")  # what is open goes on at the beginning
    assert review["#review-done"].text.startswith("Place 1 of ")


def test_decisions_stand_directly_under_the_text_and_evidence_below(review):
    start(review)
    order = "[...e.children].map(child => child.className || child.localName)"
    (parts,) = review.each("#card", order)
    assert parts[1].startswith("text passage") and parts[2] == "answers"
    assert parts.index("evidence") > parts.index("versions") > parts.index("own-correction")
    top = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    assert 0 < review(top, ".answers") - review(top, ".passage") < 200


def test_only_several_systems_have_a_queue_of_what_they_disagree_on(browser, made):
    for systems, alone in ((SYSTEMS[1:], True), (SYSTEMS, False)):
        browser.open(made(f"queues-{len(systems)}", *systems, alone=alone))
        assert ("disagreements of systems" in browser.each("#queue option")) is (not alone)


def test_a_key_without_effect_says_so(review):
    start(review)
    show(review, 4, "Acme")
    for key, said in (
        ("0", "There is no gold span here to remove."),
        ("9", "There is no correction 9 here."),
        ("z", "There is nothing to undo."),
        ("m", "No open dispute with another reviewer here."),
    ):
        review.press(key)
        assert review["#review-notice"].text == said
    assert decided(review) == {}
    review("document.querySelector('#list tbody tr').focus()")
    review.press("k")
    assert review["#notice"].text == "This is the first line."
    review.choose("#other", "B: second")
    review("document.querySelector('#list tbody tr').focus()")
    review.press("g")
    assert review["#notice"].text.startswith("Changes take no marks")


def show(browser: Any, number: int, words: str) -> None:
    """Go to the place of a document whose words are these."""
    browser.press(*"k" * (int(browser["#review-done"].text.split()[1]) - 1))
    while (browser["#card .link"].text, browser(PLACE)) != (f"Document {number}", words):
        browser.press("j")
        assert browser["#review-notice"].text != "This is the last place."


def test_proposals_are_taken_and_taken_back_by_keys(review):
    start(review)
    show(review, 3, "Acme")
    assert [each.text for each in review.all("[data-key='1'], [data-key='0']")] == ["1 label ORG", "0 no span here"]
    proposed, none, plain = ("gold wrong", [("Acme", "ORG")]), ("gold wrong", []), ("gold wrong", None)
    for keys, found in (
        ("1", proposed),
        ("0", none),
        ("z", proposed),
        ("s", ("system wrong", None)),  # who says that the system is wrong decides nothing
        ("s", None),
        ("zz1", plain),  # the same again takes back the correction, and leaves the mark
        ("zzzzz", None),
    ):
        review.press(*keys)
        assert decided(review) == ({("d2", "Acme"): found} if found else {}), keys
        assert review["#review-done"].text.endswith(f"{int(bool(found))} done, {len(DOUBTS) - bool(found)} left")
    show(review, 4, "Acme")
    review.press("1", "u")
    assert decided(review) == {("d3", None): ("unclear", None)}


PRESS = """arguments[0].focus();
  arguments[0].dispatchEvent(new KeyboardEvent('keydown', {key: arguments[1], bubbles: true, cancelable: true}))"""


def test_keys_work_in_the_review_and_the_list_alone_and_not_in_text_fields(review):
    start(review)
    for place in ("body", ".contents a", "#system", "#wrong"):
        review(PRESS, review[place], "j")
        assert review["#review-done"].text.startswith("Place 1 of"), place
    for place in ("#card", "#card button", "#review .file input"):
        review(PRESS, review[place], "j")
        assert review["#review-done"].text.startswith("Place 2 of"), place
        review(PRESS, review["#card"], "k")
    review("document.querySelector('#card').focus()")
    review.press("n", "gold? j k 1", Keys.ENTER)
    assert review.focused == "card"
    rows = [json.loads(row) for row in review.saved("#export").splitlines()]
    assert [(row["note"], row["mark"], row["decided"]) for row in rows] == [("gold? j k 1", "", None)]
    review("document.querySelector('#find').focus()")
    review.press("j")
    assert "Place 1 of" in review["#review-done"].text


def test_keys_of_one_letter_can_be_switched_off(review, made):
    start(review)
    review.click("#keys")
    review(PRESS, review["#card"], "g")
    review(PRESS, review["#list tbody tr"], "g")
    assert decided(review) == {}
    review.open(made("review"))
    assert not review["#keys"].is_selected(), "the choice is kept"
    review.click("#keys")
    review(PRESS, review["#card"], "g")
    assert len(decided(review)) == 1


SELECT = """const walker = document.createTreeWalker(document.querySelector('.passage'), NodeFilter.SHOW_TEXT);
const range = new Range(); let at = 0, node;
while ((node = walker.nextNode())) {
  for (const [offset, edge] of [[arguments[0], 'setStart'], [arguments[1], 'setEnd']]) {
    if (offset >= at && offset <= at + node.length) range[edge](node, offset - at);
  }
  at += node.length;
}
getSelection().removeAllRanges(); getSelection().addRange(range)"""
"""Selects characters of the text of the place."""


def test_label_and_boundaries_are_changed_by_keys_and_by_selecting(review):
    start(review)
    show(review, 3, "Acme")
    review.press("l", "BRAND", Keys.ENTER)
    assert decided(review) == {("d2", "Acme"): ("gold wrong", [("Acme", "BRAND")])}
    review.press("r", "r", "w")
    assert decided(review) == {("d2", "Acme"): ("gold wrong", [("is in", "BRAND")])}
    review.press("r")  # the next word is another gold span
    assert review["#review-notice"].text == "Also taken out: LOC “Rome”."
    assert decided(review)[("d2", "Rome")] == ("gold wrong", [])
    review.press("z", "e")
    assert decided(review) == {("d2", "Acme"): ("gold wrong", [("is", "BRAND")])}
    review(SELECT, 4, 8)
    review.press("b")
    assert decided(review) == {("d2", "Acme"): ("gold wrong", [("is", "BRAND")])}, "white space is left out"
    review("getSelection().removeAllRanges()")
    review.press("b")
    assert review["#review-notice"].text == "Select the words of the span in the text first."
    review.press("l", Keys.BACKSPACE, Keys.ENTER)
    assert review["#review-notice"].text == "A span needs a label."
    start(review, "repeated errors")
    assert review["#review-done"].text == "Nothing to review here"
    start(review, "the list below")
    show(review, 5, "Ada saw")  # after a character of two units
    review(SELECT, 7, 10)
    review.press("b", "l", "PER", Keys.ENTER)
    (row,) = (row for row in map(json.loads, review.saved("#export").splitlines()) if row["id"] == "d4")
    assert row["gold"] == {"start": 2, "end": 5, "label": "PER", "text": "Ada"}
    assert row["decided"] == [{"start": 6, "end": 9, "label": "PER", "text": "saw"}]


def test_a_boundary_that_cannot_move_says_so_and_arrows_follow_the_text(browser, made):
    texts = [("Ada met Bob", (0, 3)), ("שלום לעולם הגדול", (5, 10))]
    documents = [Document([(start, end, "PER")], [(start, end, "LOC")], text) for text, (start, end) in texts]
    browser.open(made("arrows", system("one", *documents)))
    start(browser, "the list below")
    arrows = {}
    for name in ("left to right", "right to left"):
        arrows[name] = [browser[f"[data-key={key}]"].text[-1] for key in "qwer"]
        browser.press("j")
    assert arrows == {"left to right": [*"←→←→"], "right to left": [*"→←→←"]}
    browser.press("k", "q")
    assert browser["#review-notice"].text == "The beginning cannot move further back."
    browser.press("w")
    assert browser["#review-notice"].text == "The beginning cannot move further on."
    assert browser.saved("#export") == ""
    browser.press("r")
    assert decided(browser) == {(None, "Ada"): ("gold wrong", [("Ada met", "PER")])}


def test_boundaries_are_selected_in_a_long_text_too(browser, made):
    text = "word " * 300 + "Ada Lovelace met Bob ." + " sentence" * 300
    document = Document([(1500, 1503, "PER")], [(1500, 1512, "PER")], text)
    browser.open(made("long-review", system("one", document)))
    start(browser, "the list below")
    passage = browser("return document.querySelector('.passage').textContent")
    assert {*passage.split()} == {*text.split()}, "the passage begins and ends with whole words"
    at = passage.index("Bob")
    assert at < 400
    browser(SELECT, at, at + 3)
    browser.press("b")
    assert decided(browser) == {(None, "Ada"): ("gold wrong", [("Bob", "PER")])}


def test_nothing_is_lost_on_reload_and_other_queues_know_the_marks(review, made):
    start(review)
    review.press("j", "j", "g", "n", "look", Keys.ENTER)
    where, marked = review["#review-done"].text, decided(review)
    review.open(made("review"))
    assert (review["#review-done"].text, decided(review)) == (where, marked)
    assert review.value("#review-note") == "look"
    start(review, "disagreements of systems")
    assert review["#review-done"].text.startswith("Place 1 of 2:")  # d2's Acme, and d4's Oslo
    review.open(made("review"), anchor="#mark=gold&wrong=false")
    assert review.matches.startswith("1 ")


@pytest.mark.parametrize(("key", "none"), [("u", "No marks yet"), ("0", "0 places decided in this browser")])
def test_a_browser_that_keeps_nothing_says_so(browser, made, agreement, key, none):
    path = made("review", *SYSTEMS) if key == "u" else agreement
    unkept = "This browser keeps nothing: save your work before you close the page."
    browser.open(path)
    browser("Storage.prototype.setItem = () => { throw new Error() }")
    browser.click("[data-review]")
    assert browser["#notice"].text == browser["#unkept"].text == unkept, "beside the list and beside the marks"
    browser.press(key)
    assert browser["#card [aria-pressed=true]"].get_attribute("data-key") == key
    browser.open(path)
    browser.click("[data-review]")
    browser.press(key)
    assert browser["#marks"].text != none
    browser("for (const name of Object.keys(localStorage)) localStorage.setItem(name, '{')")
    browser.open(path)
    assert (browser["#notice"].text, browser["#marks"].text) == (unkept, none)


def test_two_tabs_of_a_report_share_their_marks(review, made):
    start(review)
    review.press("g")
    first = review.driver.current_window_handle
    review.driver.switch_to.new_window("tab")
    review.driver.get(made("review").as_uri())
    review("document.querySelector('#card').focus()")
    review.press("j", "s")
    review.driver.close()
    review.driver.switch_to.window(first)
    review.until(lambda: review["#marks"].text == "2 marks in this browser")
    review.press("j", "j", "u")
    assert review["#marks"].text == "3 marks in this browser", "nothing of the other tab is lost"


def test_the_list_and_the_review_share_marks(review):
    review("document.querySelector('#list tbody tr').focus()")
    review.press("g")
    (key,) = decided(review)
    review("document.querySelector('#list-errors .own-marks button').focus()")
    review.press("u")  # the row that the tab key would reach
    assert decided(review)[key][0] == "unclear"
    review.press("z", "z")
    assert decided(review) == {}
    review.click("#list-errors [data-review=list]")
    assert review["#review-done"].text.startswith("Place 1 of ")
    review.press("g")
    pressed = review.all("#list [aria-pressed=true]")
    assert [each.get_attribute("aria-label") for each in pressed] == ["gold wrong"]


def corrected_by_page(review: Any, tmp_path: Path) -> str:
    """Take the first proposal for every doubtful place, and return the saved marks."""
    start(review)
    review.press(*"1j" * len(DOUBTS))
    saved = review.saved("#export")
    (tmp_path / "marks.jsonl").write_text(saved, encoding="utf8")
    rows = (line(text, *gold, id=f"d{k}") for k, (text, gold) in enumerate(zip(TEXTS, GOLDS)))
    write(tmp_path / "gold.jsonl", *rows)
    return saved


def test_apply_makes_of_the_marks_what_the_page_says_and_tasks_hold_the_same(review, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [json.loads(row) for row in corrected_by_page(review, tmp_path).splitlines()]
    assert [row["id"] for row in rows] == sorted(row["id"] for row in rows)
    assert all(row["reason"] and row["evidence"] and row["decided"] == row["proposed"] for row in rows)
    assert run("apply", "gold.jsonl", "marks.jsonl", "-o", "new.jsonl").exit_code == 0
    found = apply(load("gold.jsonl"), rows)
    assert [record.spans for record in load("new.jsonl")] == [record.spans for record in found.gold]
    assert {span for record in found.gold for span in record.spans} >= {ACME, (8, 12, "ORG"), (24, 28, "LOC")}
    assert len(found.changes) == len(DOUBTS)
    changed = {row["document"] for row in found.changes}
    (tmp_path / "prodigy.jsonl").write_text(review.saved("#export-prodigy"), encoding="utf8")
    (tmp_path / "studio.json").write_text(review.saved("#export-label-studio"), encoding="utf8")
    wanted = {record.id: record.spans for record in found.gold if record.id in changed}
    assert {record.id: record.spans for record in load("prodigy.jsonl")} == wanted
    tasks = json.loads((tmp_path / "studio.json").read_text(encoding="utf8"))
    assert [task["data"]["document"] for task in tasks] == [*wanted]
    assert [record.spans for record in load("studio.json", annotator="gold with corrections")] == [*wanted.values()]
    table = [*csv.DictReader(review.saved("#export-csv").splitlines())]
    assert [row["evidence"] for row in table] == [row["evidence"] for row in rows]
    assert [row["gold_text"] for row in table] == [row["gold"]["text"] if row["gold"] else "" for row in rows]


def test_marks_that_an_earlier_page_saved_are_read(browser, tmp_path):
    """Those of the examples, by a page of the same gold annotation."""
    files = [ROOT / "examples" / f"{name}.jsonl" for name in ("gold", "baseline", "improved")]
    assert run("report", *files, "-o", tmp_path / "page.html").exit_code == 0
    browser.open(tmp_path / "page.html")
    browser["#import"].send_keys(str(ROOT / "examples" / "marks.jsonl"))
    browser.until(lambda: browser["#notice"].text == "Read 13 marks.")


def test_read_marks_are_joined_and_those_that_differ_are_a_queue(review, made, tmp_path):
    saved = corrected_by_page(review, tmp_path)
    before = decided(review)
    review["#import"].send_keys(str(tmp_path / "marks.jsonl"))
    review.until(lambda: review["#notice"].text == f"Read {len(DOUBTS)} marks; {len(DOUBTS)} as yours.")
    assert decided(review) == before
    rows = [json.loads(row) for row in saved.splitlines()]
    rows[0] |= {"mark": "system wrong", "decided": None, "note": "no"}
    other = {"digest": "0" * 12, "mark": "unclear"}
    write(tmp_path / "other.jsonl", *rows, "no mark", other, {**rows[1], "gold": {"start": 0, "end": 1, "label": "X"}})
    review["#import"].send_keys(str(tmp_path / "other.jsonl"))
    review.until(lambda: "1 differ from yours" in review["#notice"].text)
    assert "skipped 3 lines that are not marks on this gold annotation" in review["#notice"].text
    assert decided(review) == before, "one's own stay"
    start(review, "marks that differ")
    assert review["#review-done"].text == "Place 1 of 1: 0 settled"
    assert (
        "another reviewer, other.jsonl" in review[".versions"].text and "system wrong: no" in review[".versions"].text
    )
    review("localStorage.clear()")
    review.open(made("review"))
    assert decided(review) == {}
    review["#import"].send_keys(str(tmp_path / "marks.jsonl"))
    review.until(lambda: review["#notice"].text == f"Read {len(DOUBTS)} marks.")
    assert decided(review) == before


def test_a_dispute_of_two_reviewers_is_in_the_file_until_it_is_settled(review, tmp_path, monkeypatch):
    """Of three places, one's own mark stays on one and the other's is taken on one; another decision settles none."""
    monkeypatch.chdir(tmp_path)
    rows = [json.loads(row) for row in corrected_by_page(review, tmp_path).splitlines()]
    for row in rows[:3]:
        row |= {"mark": "system wrong", "decided": None}
    write(tmp_path / "other.jsonl", *rows)
    review["#import"].send_keys(str(tmp_path / "other.jsonl"))
    review.until(lambda: "3 differ from yours" in review["#notice"].text)
    assert review.value("#queue") == "disputed" and review["#review-done"].text == "Place 1 of 3: 0 settled"
    assert review["#marks"].text.endswith("3 open disputes")
    assert review["[data-key=m]"].text.startswith("m keep mine: gold wrong: ")
    assert review["[data-key=t]"].text == "t take theirs: system wrong"

    def applied() -> Any:
        (tmp_path / "own.jsonl").write_text(review.saved("#export"), encoding="utf8")
        return run("apply", "gold.jsonl", "own.jsonl", "-o", "new.jsonl")

    def saved() -> list[dict[str, Any]]:
        """The marks with a dispute."""
        return [row for row in map(json.loads, review.saved("#export").splitlines()) if row["others"]]

    def settled() -> list[Any]:
        return sorted((row["others"][0]["settled"] or "", row["mark"]) for row in saved())

    refused = applied()
    assert refused.exit_code == 2 and "marks disagree on 3 places" in refused.stderr
    assert "own.jsonl, line 1: " in refused.stderr and "other.jsonl: system wrong" in refused.stderr
    review.press("m", "i", "t", "i")
    assert settled() == [("", "gold wrong"), ("mine", "gold wrong"), ("theirs", "system wrong")]
    review.press("u")
    assert settled()[0] == ("", "unclear") and "disagree on 1 place:" in applied().stderr
    assert review["#review-done"].text == "Place 3 of 3: 2 settled"
    review.press("i")
    assert settled()[0] == ("", "unclear"), "a step settles nothing"
    review.press("s")
    assert settled()[1:] == [("theirs", "system wrong")] * 2, "they agree"
    review.press("t")
    assert review["#review-notice"].text == "No open dispute with another reviewer here."
    review.press("i")
    assert review["#review-notice"].text == "Every dispute is settled."
    assert applied().exit_code == 0
    (kept,) = (row for row in saved() if row["others"][0]["settled"] == "mine")
    assert kept["decided"] == kept["proposed"] and kept["others"][0]["mark"] == "system wrong"
    review.press("z", "z", "z")
    assert [each for each, _ in settled()] == ["", "", "mine"]


def test_hostile_labels_notes_and_proposals_are_text(browser, made, tmp_path):
    documents = [Document([(0, 3, HOSTILE[0])], [(0, 3, HOSTILE[2])], f"Ada {HOSTILE[2]}", id=HOSTILE[4])] * 3
    documents += [Document([(0, 3, HOSTILE[2])], [(0, 3, HOSTILE[6])], f"Ada {HOSTILE[1]}")] * 4
    browser.open(made("hostile-review", system("<b>s", *documents)))
    start(browser)
    browser.press("1", "n", HOSTILE[2], Keys.ENTER, "l", HOSTILE[3], Keys.ENTER)
    rows = [json.loads(row) for row in browser.saved("#export").splitlines()]
    assert (rows[0]["note"], rows[0]["decided"][0]["label"]) == (HOSTILE[2], HOSTILE[3])
    (tmp_path / "marks.jsonl").write_text(json.dumps({**rows[0], "note": HOSTILE[0], "decided": []}))
    browser["#import"].send_keys(str(tmp_path / "marks.jsonl"))
    browser.until(lambda: "differ" in browser["#notice"].text)
    start(browser, "marks that differ")
    assert HOSTILE[0] in browser[".versions"].text
    assert browser("return window.broken") is None and browser.all("#review img, #review b") == []
    assert apply([Record(d.text, {*d.gold}, id=d.id) for d in documents], rows[:1]).changes


OFTEN = """const card = document.querySelector('#card');
for (let i = 0; i < arguments[1]; i++) for (const key of arguments[0]) card.dispatchEvent(
  new KeyboardEvent('keydown', {key, bubbles: true}))"""


def test_every_sort_of_error_can_be_reviewed_and_undone(browser, made):
    """On a report with every verdict, each queue is gone through, with a decision on each place."""
    browser.open(made("two-review", ONE, TWO))
    for queue in ("repeated errors", "disagreements of systems", "the list below"):
        start(browser, queue)
        n = int(browser["#review-done"].text.split(" of ")[1].split(":")[0].replace(",", ""))
        assert n > 20
        browser(OFTEN, "1j", min(n, 60))
    records = [Record(each.text, {*each.gold}, id=each.id) for each in ONE.documents]
    assert len(apply(records, [json.loads(row) for row in browser.saved("#export").splitlines()]).changes) > 40
    browser(OFTEN, "z", 500)
    assert browser["#marks"].text == "No marks yet"
