"""The HTML report without a browser: what it says, that it stands alone, and that nothing in a corpus is markup."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from typing import Any

import pytest
from pages import GOLDS, HOSTILE, SECOND, TEXTS, Parsed, small, system

from spacy_nereval import Document, create, create_all
from spacy_nereval.core.wording import FAIREVAL
from spacy_nereval.evaluation.breakdown import breakdown
from spacy_nereval.evaluation.intervals import Confidence
from spacy_nereval.evaluation.result import evaluate
from spacy_nereval.evaluation.what_if import what_if
from spacy_nereval.reporting.html import page
from spacy_nereval.reporting.html.report.score_rows import LENGTHS


def test_gold_spans_have_the_outcomes_that_the_options_of_fair_give_them():
    tokens = [(0, 3), (4, 6), (7, 13), (13, 14)]
    sides = [Document([(0, 2, "PER")], pred, TEXTS[0], tokens=tokens) for pred in ([(2, 3, "PER")], [(0, 2, "PER")])]
    for unit, row in (("token", "boundary"), ("char", "missed")):
        systems = [system(n, d, metrics={"fair": {"unit": unit}}) for n, d in zip(("a", "b"), sides)]
        found = Parsed(page(systems))
        assert [cells for cells in found.rows if cells[:2] == [row, "1"]]
        assert "b fixes 1 gold span and breaks 0" in found.text


@pytest.fixture(scope="module")
def one() -> Parsed:
    return Parsed(page([small()]))


@pytest.fixture(scope="module")
def two() -> Parsed:
    return Parsed(page([small(), small(SECOND, "second")], confidence=Confidence(samples=20)))


def test_the_rows_of_labels_come_by_their_gold_spans_the_most_first_and_then_by_name():
    often = {"C": 1, "B": 3, "D": 5, "A": 1, "E": 0}
    gold = [(10 * k + j, 10 * k + j + 1, label) for k, (label, n) in enumerate(often.items()) for j in range(n)]
    document = Document(gold, [*gold, (60, 61, "E")], "x" * 70)
    found = Parsed(page([system("a", document)]))
    labels = [row[0].strip() for row in found.rows if row and row[0].strip() in often]
    assert labels[:5] == ["D", "B", "A", "C", "E"]


def test_nothing_is_fetched_and_the_policy_lets_only_the_pages_own_scripts_run(one):
    linked = [
        value for _, attributes in one.tags for name in ("src", "href", "action") if (value := attributes.get(name))
    ]
    assert linked
    assert all(value.startswith("#") for value in linked)
    assert not {"link", "iframe", "object", "embed", "base", "img"} & {tag for tag, _ in one.tags}
    (policy,) = (a["content"] for _, a in one.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "http" not in policy
    hashes = {f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in one.raw["script"][2:]}
    assert set(re.search("script-src ([^;]*)", policy)[1].split()) == hashes
    assert len(hashes) == 2
    (style,) = one.raw["style"]
    assert f"style-src 'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'" in policy
    assert not re.search(r"@import|url\(", style)
    types = [attributes.get("type") for tag, attributes in one.tags if tag == "script"]
    assert types == ["application/json", "application/json", None, None]


def test_no_element_has_a_style_or_a_handler_which_the_policy_would_refuse(one):
    names = {name for _, attributes in one.tags for name in attributes}
    assert not {name for name in names if name.startswith("on") or name == "style"}


def test_the_tables_say_what_the_result_says(one):
    result = evaluate(small().counts)["metrics"]
    for name in ("strict", "fair", "loio"):
        assert one.row(name) == [name, *(f"{100 * result[name]['scores'][x]:.2f}" for x in "prf")]
    assert one.row("semeval partial")[1:] == [f"{100 * result['semeval']['scores'][f'partial_{x}']:.2f}" for x in "prf"]
    assert one.row("slot_error ser lower is better")[2] == f"{100 * result['slot_error']['scores']['ser']:.2f}"
    assert one.row("wrf")[2] == f"{100 * result['wrf']['scores']['wrf']:.2f}"
    counts = result["fair"]["counts"]
    for verdict, words in FAIREVAL.items():
        assert one.row(f"{words.short} {verdict}")[1] == str(counts[verdict])
    assert counts == {"tp": 2, "fp": 1, "fn": 2, "le": 1, "be_s": 1, "be_l": 0, "be_o": 0, "lbe": 0}
    assert one.row("missed fn") == ["missed fn", "2", "40.0 %", "33.3 %"]
    per = result["fair"]["per_type"]["PER"]["scores"]
    assert one.row("PER") == ["PER", "3", "2", *(f"{100 * per[x]:.2f}" for x in "prf")]


def test_lengths_are_those_of_the_breakdown_and_sum_to_the_whole(one):
    found = breakdown(small().documents, create_all(["fair"]), "eLen")
    assert sum(found["gold"].values()) == 6
    for bucket in found["buckets"]:
        name, gold, pred, *scores = one.row(LENGTHS[bucket])
        assert (int(gold), int(pred)) == (found["gold"][bucket], found["pred"][bucket])
        own = found["metrics"]["fair"][bucket]["scores"]
        assert scores == ["-" if own[x] is None else f"{100 * own[x]:.2f}" for x in "prf"]


def test_the_headings_say_what_was_found(one, two):
    for sentence in (
        "Fair F is 44.44, strict F 36.36",
        "4 documents with 6 gold spans. first predicts 5 spans, 2 of them right.",
        "40 % of the errors are missed spans",
        "ORG is predicted for LOC once",
        "4 of 4 documents have an error",
    ):
        assert sentence in one.text
    assert "second fixes 1 gold span and breaks 1" in two.text


def test_the_lowest_label_is_one_that_is_no_rarity_if_there_is_such():
    spans = [(3 * k, 3 * k + 2, "COMMON") for k in range(12)]
    document = Document([*spans, (40, 42, "RARE")], spans[:6], "x" * 50)
    found = Parsed(page([system("a", document, metrics=["fair"])]))
    assert "COMMON scores lowest: F 66.67 on 12 gold spans" in found.text
    alone = Parsed(page([system("a", Document([(0, 2, "RARE")], [(0, 2, "RARE")], "xx"), metrics=["fair"])]))
    assert "There is one label, RARE" in alone.text


def test_the_story_is_the_label_that_is_predicted_too_often_if_it_has_spans_enough():
    often = [(3 * k, 3 * k + 2, "OFTEN") for k in range(12)]
    rare = [(40, 42, "RARE"), (44, 46, "RARE")]
    extra = [(50 + 3 * k, 52 + 3 * k, "OFTEN") for k in range(9)]

    def story(*pred: Any) -> str:
        return Parsed(page([system("a", Document([*often, *rare], pred, "x y " * 30), metrics=["fair"])])).text

    assert "OFTEN is predicted 21 times for 12 gold spans" in story(*often, *extra)
    assert "OFTEN is predicted only 6 times for 12 gold spans" in story(*often[:6], *rare)
    assert "No label is clearly predicted too often or too rarely" in story(*often, *rare * 3)


def test_the_page_says_what_a_score_would_be_without_some_errors(one):
    mended = {each.verdict: each for each in what_if(small().documents, create("fair")) if each.verdict}
    rows = [[" ".join(cell.split()) for cell in row] for row in one.rows]
    assert mended
    for verdict, each in mended.items():
        score, gain = f"{100 * (each.score or 0):.2f}", f"{100 * (each.gain or 0):+.2f}"
        assert [f"{FAIREVAL[verdict].short} {verdict}", str(each.errors), score, gain, ""] in rows


def test_doubtful_gold_is_in_the_page():
    golds: list[Any] = [[(0, 4, "ORG")], [(0, 4, "ORG")], [(0, 4, "LOC")]]
    documents = [Document(gold, [(0, 4, "X")], "Acme", id=f"n{k}") for k, gold in enumerate(golds)]
    found = Parsed(page([system("a", *documents, metrics=["fair"])]))
    assert found.row("n2")[2:] == ["LOC", "gold has ORG 2 times for these words, LOC 1"]
    assert "1 place where gold may be wrong" in found.text
    assert "in 1 of 3 errors (33 %) gold contradicts itself" in found.text


def test_two_systems_stand_side_by_side_with_intervals_differences_and_p_values(two):
    first, second = (evaluate(s.counts, Confidence(samples=20)) for s in (small(), small(SECOND, "second")))
    cells = two.row("fair")
    values = [100 * r["metrics"]["fair"]["scores"][x] for r in (first, second) for x in "prf"]
    intervals = [r["metrics"]["fair"]["intervals"]["scores"][x] for r in (first, second) for x in "prf"]
    bounds = [(found["low"], found["high"]) for found in intervals]
    assert {found["flag"] for found in intervals} == {"few"}
    assert cells[1:7] == [f"{v:.2f} [{100 * a:.2f}, {100 * b:.2f}] few" for v, (a, b) in zip(values, bounds)]
    gap = values[5] - values[2]
    assert cells[7].startswith(f"{'+' if gap > 0 else ''}{gap:.2f}")
    assert "on these documents" not in cells[7]  # nothing is marked that was not tested
    assert cells[8:] == ["", "", ""]  # the outputs differ in too few of the four documents
    assert (
        "second against first, fair F: fixes" in two.text
        and "; the outputs differ in 4 documents: nothing can be told." in two.text
    )


def test_scores_that_are_not_in_percent_are_named():
    document = Document(GOLDS[0], GOLDS[0], TEXTS[0])
    ratios, others = (Parsed(page([system("a", document, metrics=["fair", *more])])).text for more in ([], ["plagdet"]))
    assert "All scores in percent." in ratios
    assert "All scores in percent, but for plagdet granularity." in others


def test_metrics_that_mark_no_spans_are_named(one):
    marking = {metric["name"] for metric in one.data["metrics"]}
    others = [metric.name for metric in create_all() if metric.name not in marking]
    assert others
    assert f"Not {', '.join(others)}: they do not give" in one.text


@pytest.mark.parametrize(
    "documents",
    [
        [Document([], [], "")],
        [Document([], [(0, 1, "A")], "a")],
        [Document([(0, 1, "A")], [], "a")],
        [Document([(0, 1, "A")], [], None)],
    ],
    ids=["nothing", "no gold", "no predictions", "no text"],
)
def test_a_report_on_little_or_nothing_is_a_report(documents):
    metrics = ["strict", "fair", "semeval"]
    found = Parsed(page([system("a", *documents, metrics=metrics), system("b", *documents, metrics=metrics)]))
    assert "1 document with" in found.text
    assert len(found.data["documents"]) == 1


def test_hostile_texts_labels_ids_and_names_add_no_element_and_no_attribute():
    text = "".join(HOSTILE)
    spans = [(k, k + 2, label) for k, label in enumerate(HOSTILE)]
    documents = [Document(spans, spans[1:], text, id=HOSTILE[k]) for k in range(len(HOSTILE))]

    def harmless_one(c: str) -> str:  # equal where characters are, in the same case
        if c.isspace():
            return c
        if not c.isalpha():
            return chr(0x2460 + sorted({*text}).index(c))
        other = chr(0x430 + ord(c.lower()) - ord("a"))
        return other.upper() if c.isupper() else other

    harmless = "".join(map(harmless_one, text))
    plain = [
        Document(
            [(a, b, f"L{a}") for a, b, _ in spans],
            [(a, b, f"L{a}") for a, b, _ in spans[1:]],
            harmless,
            id=f"{k}",
        )
        for k in range(len(HOSTILE))
    ]
    metrics = ["fair", "strict"]

    def parsed(names: tuple[str, str], documents: list[Document], title: str) -> Parsed:
        systems = [system(name, *documents, metrics=metrics) for name in names]
        for each in systems:
            each.counts.sources = [names[0]]
        return Parsed(page(systems, title=title).encode().decode())

    found = parsed((HOSTILE[0], HOSTILE[8]), documents, HOSTILE[2])
    usual = parsed(("a", "b"), plain, "t")

    def elements(own: Parsed) -> Counter[Any]:
        """All elements but those that say where names may be broken; names that are cut have titles."""
        return Counter(
            (tag, tuple(sorted({*a} - {"title"} if tag == "bdi" else a))) for tag, a in own.tags if tag != "wbr"
        )

    assert elements(found) == elements(usual)
    assert {key for tag, a in found.tags if tag == "wbr" for key in a} == set()
    for label in HOSTILE[:5]:
        assert " ".join(label.split()) in found.text
    assert "{{ 7 * 7 }}" in found.text
    assert "49" not in found.row("&lt;b&gt; {{ 7 * 7 }} {% raw %}")[0]
    assert found.data["documents"][0][1] == text
    assert set(found.data["labels"]) == set(HOSTILE)
    assert not set("\x00\x1b\x85\u202e") & set(found.text)


def test_systems_that_do_not_belong_together_are_refused():
    metrics = ["fair"]
    a, b = Document([(0, 1, "A")], [], "a"), Document([(0, 1, "B")], [], "a")
    with pytest.raises(ValueError, match="equal names: x, x"):
        page([system("x", a), system("x", a)])
    with pytest.raises(ValueError, match="x has 1 documents and y has 2 documents"):
        page([system("x", a), system("y", a, a)])
    with pytest.raises(ValueError, match="document 1 of y has another text or gold annotation than that of x"):
        page([system("x", a, a), system("y", a, b)])
    with pytest.raises(ValueError, match="x and y cannot be in one report: one has the metrics"):
        page([system("x", a), system("y", a, metrics=metrics)])
    with pytest.raises(ValueError, match="fair, which is not among the metrics"):
        page([system("x", a, metrics=["strict"])])
