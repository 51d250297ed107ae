"""The HTML report without a browser: what it says, that it stands alone, and that nothing in a corpus is markup."""

from __future__ import annotations

import json
import re
import sys
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pytest
from commands import GOLD, PRED, accepted, refused, write
from docs import doc
from hypothesis import given
from hypothesis import strategies as st
from pages import GOLDS, HOSTILE, SECOND, TEXTS, Parsed, small, system
from profiles import tries
from spacy import displacy
from spacy.tokens import Span
from spacy.util import registry
from strategies import corpora

from spacy_nereval import Document, create, create_all
from spacy_nereval.core.wording import FAIREVAL, VERDICT_KINDS
from spacy_nereval.evaluation.breakdown import breakdown
from spacy_nereval.evaluation.intervals import Confidence
from spacy_nereval.evaluation.result import evaluate
from spacy_nereval.evaluation.transitions import gold_outcomes, transitions
from spacy_nereval.evaluation.what_if import what_if
from spacy_nereval.reporting.html import ReportedSystem, page
from spacy_nereval.reporting.html.charts import scripts
from spacy_nereval.reporting.html.colors import COLORS, DISPLACY
from spacy_nereval.reporting.html.report import charts
from spacy_nereval.reporting.html.report.data import page_data
from spacy_nereval.reporting.html.report.score_rows import LENGTHS, differences, metric_rows
from spacy_nereval.reporting.html.report.verdict_rows import outcome_matrix, verdict_rows
from spacy_nereval.reporting.html.texts import embedded


def decoded(data: dict[str, Any], system: int, metric: str) -> list[tuple[str, str, str]]:
    """Verdict, gold label and predicted label ("" for none) of all verdicts in the page's data."""
    (place,) = (k for k, found in enumerate(data["metrics"]) if found["name"] == metric)
    names, settled = data["metrics"][place]["verdicts"], data["metrics"][place]["settled"]
    found = []
    for document in data["documents"]:
        gold, (pred, own, *judged) = document[2], document[3 + system]
        triples = [(settled[own[k]], *own[k + 1 : k + 3]) for k in range(0, len(own), 3)] if settled else []
        triples += [tuple(judged[place][k : k + 3]) for k in range(0, len(judged[place]), 3)]
        for verdict, g, p in triples:
            labels = (flat[3 * k + 2] if k >= 0 else None for flat, k in ((gold, g), (pred, p)))
            found.append((names[verdict], *("" if label is None else data["labels"][label] for label in labels)))
    return found


# The data


@given(st.text(st.characters(exclude_categories=()), max_size=20) | st.sampled_from(HOSTILE))
def test_embedded_text_comes_back_whole_from_plain_utf8_without_a_tag(text):
    found = embedded({text: [text, None, 1.5]})
    assert json.loads(found) == {text: [text, None, 1.5]}
    assert found.encode("utf8").decode("utf8") == found
    assert not set("<\u2028\u2029\x00\x7f\x85\ufeff\r\n") & set(found)


@given(corpora())
@tries(60)
def test_the_verdicts_in_the_page_are_those_of_the_result(documents):
    found = system("a", *documents)
    result = evaluate(found.counts)["metrics"]
    data = json.loads(embedded(page_data([found])))
    assert [metric["name"] for metric in data["metrics"]] == ["strict", "semeval", "slot_error", "fair"]
    for name in ("strict", "semeval", "slot_error", "fair"):
        triples = decoded(data, 0, name)
        counts = Counter(verdict for verdict, _, _ in triples)
        assert {verdict: counts[verdict] for verdict in result[name]["counts"]} == result[name]["counts"]
        assert set(counts) <= set(result[name]["counts"])
        shown = next(metric for metric in data["metrics"] if metric["name"] == name)
        confusion: dict[str, dict[str, int]] = {}
        for verdict, gold, pred in triples:
            if shown["verdicts"].index(verdict) in shown["confusion"]:
                row = confusion.setdefault(gold, {})
                row[pred] = row.get(pred, 0) + 1
        assert confusion == result[name]["confusion"]


def test_verdicts_on_tokens_are_in_the_page_too():
    tokens = [(0, 3), (4, 6), (7, 13), (13, 14)]
    document = Document([(0, 2, "PER"), (7, 13, "LOC")], [(2, 3, "PER"), (7, 14, "LOC")], TEXTS[0], tokens=tokens)
    found = decoded(page_data([system("a", document, metrics={"fair": {"unit": "token"}})]), 0, "fair")
    assert sorted(found) == [("be_l", "LOC", "LOC"), ("be_o", "PER", "PER")]  # in characters they do not meet


def test_gold_spans_have_the_outcomes_that_the_options_of_fair_give_them():
    tokens = [(0, 3), (4, 6), (7, 13), (13, 14)]
    sides = [Document([(0, 2, "PER")], pred, TEXTS[0], tokens=tokens) for pred in ([(2, 3, "PER")], [(0, 2, "PER")])]
    for unit, row in (("token", "boundary"), ("char", "missed")):
        systems = [system(n, d, metrics={"fair": {"unit": unit}}) for n, d in zip(("a", "b"), sides)]
        found = Parsed(page(systems))
        assert [cells for cells in found.rows if cells[:2] == [row, "1"]]
        assert "b fixes 1 gold span and breaks 0" in found.text


@given(st.text(st.sampled_from("aß😀\ud83d𐍈\u0301"), max_size=12), st.data())
def test_offsets_count_the_units_of_strings_in_browsers(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    found = page_data([system("a", Document([(start, end, "A")], [], text))])["documents"][0]
    units = text.encode("utf-16-le", "surrogatepass")
    cut = units[2 * found[2][0] : 2 * found[2][1]]
    assert cut == text[start:end].encode("utf-16-le", "surrogatepass")


def test_each_gold_span_is_there_once_and_each_system_has_a_side():
    data = page_data([small(), small(SECOND, "second")])
    assert data["systems"] == ["first", "second"]
    document = data["documents"][3]
    assert document[:3] == ["d3", TEXTS[3], [0, 3, 2, 6, 10, 1]]  # the emoji takes two units
    assert [side[0] for side in document[3:]] == [[6, 10, 1], [0, 3, 1]]


# The page


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
    mended = {each.verdict: each for each in what_if(small().counts, create("fair")) if each.verdict}
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
    assert f"{'better' if gap > 0 else 'worse'} on these documents" in cells[7]
    assert cells[8:] == ["", ""]  # the outputs differ in too few of the four documents
    assert "fair f, second against first: the outputs differ in 4 documents: nothing can be told." in two.text


def test_the_comparison_of_two_systems_says_what_can_be_told_of_fair():
    documents = [Document([(0, 2, "A")], [(0, 2, "A")] * (k > 3), "xx", id=str(k)) for k in range(12)]
    perfect = [Document(d.gold, d.gold, d.text, id=d.id) for d in documents]
    pair = [system("a", *documents, metrics=["strict", "fair"]), system("b", *perfect, metrics=["strict", "fair"])]
    found = Parsed(page(pair, confidence=Confidence(samples=20))).text
    assert "fair f, b against a: the outputs differ in 4 documents: nothing can be told." in found
    assert "fair f, b against a" not in Parsed(page(pair)).text


def test_a_gain_of_a_cost_is_a_loss():
    results = [evaluate(found.counts) for found in (small(), perfect())]
    rows = metric_rows(create_all(["slot_error", "fair"]), results)
    found = {
        row.name: (row.lower_is_better, change.better) for row, change in zip(rows, differences(rows, None)) if change
    }
    assert found == {
        "slot_error ser": (True, True),
        "slot_error err": (True, True),
        "slot_error ser_acc": (False, True),
        "fair": (False, True),
    }


def test_scores_that_are_not_in_percent_are_named():
    document = Document(GOLDS[0], GOLDS[0], TEXTS[0])
    ratios, others = (Parsed(page([system("a", document, metrics=["fair", *more])])).text for more in ([], ["plagdet"]))
    assert "All scores in percent." in ratios
    assert "All scores in percent, but for plagdet granularity." in others


def perfect() -> ReportedSystem:
    return small(GOLDS, "perfect")


def test_equal_scores_are_neither_better_nor_worse():
    result = evaluate(small().counts)
    rows = metric_rows(create_all(), [result, result])
    assert {(change.text, change.better) for change in differences(rows, None) if change} == {("0.00", None)}


@given(corpora(), st.randoms(use_true_random=False))
@tries(40)
def test_fixed_broken_and_changed_are_all_that_differs_in_the_transitions(documents, random):
    others = [Document(d.gold, [s for s in {*d.gold, *d.pred} if random.random() < 0.5], d.text) for d in documents]
    before, after = ([gold_outcomes(d) for d in side] for side in (documents, others))
    found = outcome_matrix(transitions(before, after, others))
    pairs = Counter((a[span], b[span]) for a, b in zip(before, after) for span in a)
    assert sum(map(sum, found["matrix"])) == sum(pairs.values()) == sum(len(d.gold) for d in documents)
    assert found["fixed"] == sum(n for (a, b), n in pairs.items() if b == "correct" != a)
    assert found["broken"] == sum(n for (a, b), n in pairs.items() if a == "correct" != b)
    assert found["changed"] == sum(n for (a, b), n in pairs.items() if a != b and "correct" not in (a, b))


def test_three_systems_have_a_column_each_and_no_difference_of_scores():
    found = Parsed(page([small(), small(SECOND, "second"), perfect()]))
    assert [*found.row("strict")[1:]][6:] == ["100.00"] * 3
    assert found.text.startswith("3 systems against gold.jsonl")
    assert "second fixes 1 gold span" not in found.text  # the heading is about the best
    assert "perfect has the highest fair F, 100.00 against" in found.text
    assert "difference" not in found.text.split("How often each label is predicted")[0]


def test_systems_that_are_compared_are_not_ranked_in_the_heading():
    def heading(documents: int, confidence: Confidence | None) -> str:
        gold = [(0, 1, "A")]
        sides: list[tuple[str, Any]] = [("x", []), ("y", gold)]
        systems = [
            system(name, *[Document(gold, pred, "a", id=str(k)) for k in range(documents)], metrics=["fair"])
            for name, pred in sides
        ]
        return Parsed(page(systems, confidence=confidence)).text

    assert "y has the higher fair F, 100.00 against 0.00" in heading(12, None)
    for documents in (2, 12):
        assert "Fair F is 0.00 under x and 100.00 under y" in heading(documents, Confidence(samples=20))


def test_more_systems_than_there_are_symbols_are_refused():
    systems = [small(name=f"s{k}") for k in range(9)]
    with pytest.raises(ValueError, match="colours and symbols for at most 8 systems, 9 were given"):
        page(systems)
    assert "8 systems against gold.jsonl" in Parsed(page(systems[:8])).text


def test_a_chart_without_values_is_not_there():
    def drawn(*documents: Document) -> tuple[set[str], set[str]]:
        found = Parsed(page([system("a", *documents, metrics=["fair"])]))
        elements = {name for _, attributes in found.tags if (name := attributes.get("data-chart"))}
        return elements, set(json.loads(found.raw["script"][1]))

    assert drawn(Document([], [], "")) == (set(), set())
    assert drawn(Document([(0, 1, "A")], [(0, 1, "A")], "a")) == ({"scores", "labels", "eLen", "case", "position"},) * 2
    assert drawn(Document([(0, 1, "A")], [], "a"))[0] >= {"errors"}


def test_metrics_that_mark_no_spans_are_named(one):
    marking = {metric["name"] for metric in one.data["metrics"]}
    others = [metric.name for metric in create_all() if metric.name not in marking]
    assert others
    assert f"Not {', '.join(others)}: they do not give" in one.text


@pytest.mark.parametrize("repair", ["conll", "discard"])
def test_repaired_spans_are_told_of_each_system(tmp_path, repair):
    files = {"gold": "a B-A\nb O\nc B-A\n", "one": "a B-A\nb O\nc I-A\n", "two": "a I-A\nb O\nc I-A\n"}
    for name, text in files.items():
        (tmp_path / f"{name}.iob").write_text(f"{text}\nx B-A\ny I-A\n")
    paths = [tmp_path / f"{name}.iob" for name in files]
    accepted("report", *paths, "--repair", repair, "-o", tmp_path / "r.html")
    text = Parsed((tmp_path / "r.html").read_text(encoding="utf8")).text
    assert "1 span of gold or one.iob with ill-formed tags is repaired." in text
    assert "2 spans of gold or two.iob with ill-formed tags are repaired." in text


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
    assert Counter((tag, tuple(sorted(a))) for tag, a in found.tags) == Counter(
        (tag, tuple(sorted(a))) for tag, a in usual.tags
    )
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


# Charts


def test_the_dots_are_the_rows_with_what_is_better_when_it_is_more():
    rows = metric_rows(create_all(["slot_error", "fair"]), [evaluate(small().counts, Confidence(samples=20))])
    found = list(charts.points(rows, ["first"]))
    assert [(dot["name"], dot["mark"]) for dot in found] == [
        ("slot_error ser_acc", "f"),
        ("fair", "p"),
        ("fair", "r"),
        ("fair", "f"),
    ]
    fair = rows[-1].cells[0]
    assert [dot["value"] for dot in found[1:]] == [cell.value for cell in fair]
    assert (found[3]["low"], found[3]["high"]) == fair[2][1:3]
    assert (found[3]["least"], found[3]["greatest"]) == (min(c.value for c in fair), max(c.value for c in fair))


def test_charts_are_valid_though_a_report_does_not_check_them():
    result = evaluate(small().counts)
    rows, errors = metric_rows(create_all(), [result]), verdict_rows([result])
    for spec in (charts.dots(charts.points(rows, ["first"]), ["first"]), charts.bars(errors, ["first"])):
        assert alt.LayerChart.from_dict(spec).to_dict()["layer"]


def test_charts_carry_their_data_and_no_address():
    spec = charts.dots(charts.points(metric_rows(create_all(), [evaluate(small().counts)]), ["first"]), ["first"])
    assert "url" not in json.dumps(spec["layer"])
    names = (
        {row["name"] for row in next(iter(spec["datasets"].values()))}
        if "datasets" in spec
        else {row["name"] for row in spec["data"]["values"]}
    )
    assert {"strict", "semeval exact", "fair", "wrf"} <= names
    assert not {"slot_error ser", "slot_error err"} & names


def test_the_bars_have_every_error_and_its_share():
    errors = verdict_rows([evaluate(small().counts)])
    spec = charts.bars(errors, ["first"])
    shown = {row["name"]: row["shown"] for row in spec["data"]["values"]}
    assert shown["missed"] == "2  (40 %)"
    assert "correct" not in shown
    assert sum(row["n"] for row in spec["data"]["values"]) == 5


# Colours


def luminance(color: str) -> float:
    return float(linear(color) @ [0.2126, 0.7152, 0.0722])


def linear(color: str) -> np.ndarray:
    values = np.array([int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(a: str, b: str) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


# Machado, Oliveira and Fernandes (2009), severity 1.
BLINDNESS = {
    "none": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
OKABE_ITO = ("#E69F00", "#56B4E9", "#009E73", "#0072B2", "#D55E00", "#CC79A7")


def oklab(color: np.ndarray) -> np.ndarray:
    cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    axes = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    return np.array(axes) @ np.cbrt(np.array(cones) @ np.clip(color, 0, 1))


def nearest(colors: Any) -> float:
    """The least distance between two of the colours, whatever colour blindness sees them."""
    return min(
        float(np.linalg.norm(oklab(np.array(seen) @ linear(a)) - oklab(np.array(seen) @ linear(b))))
        for seen in BLINDNESS.values()
        for a, b in combinations(colors, 2)
    )


def test_colour_blind_readers_tell_the_kinds_apart_better_than_in_the_palette_made_for_them():
    assert nearest(COLORS.values()) > nearest(OKABE_ITO) > 0.05


@pytest.mark.parametrize("color", COLORS.values(), ids=COLORS)
def test_black_letters_can_be_read_on_every_colour(color):
    assert contrast(color, "#111111") >= 4.5


def test_every_kind_of_verdict_has_a_colour_and_words():
    assert {words.kind for words in FAIREVAL.values()} == {*COLORS} == {*VERDICT_KINDS}


def test_displacy_gets_the_colours_of_verdicts_by_the_entry_point():
    assert DISPLACY in registry.displacy_colors.get_all().values()
    made = doc("Ada sleeps", (0, 1, "PER"))
    made.spans["verdicts"] = [Span(made, 0, 1, "be_s"), Span(made, 1, 2, "fp")]
    shown = displacy.render(made, style="span", options={"spans_key": "verdicts"}, jupyter=False)
    assert COLORS["boundary"] in shown
    assert COLORS["spurious"] in shown
    made.set_ents([Span(made, 0, 1, "FN")])
    assert COLORS["missed"] in displacy.render(made, style="ent", jupyter=False)


# The command


@pytest.fixture
def here(tmp_path) -> Path:
    write(tmp_path / "gold.jsonl", *GOLD)
    write(tmp_path / "pred.jsonl", *PRED)
    write(tmp_path / "good.jsonl", *GOLD)
    return tmp_path


def test_the_command_writes_a_report(here):
    said = accepted("report", here / "gold.jsonl", here / "pred.jsonl", "-o", here / "r.html")
    assert said == f"✔ Report in {here / 'r.html'}\n"
    found = Parsed((here / "r.html").read_text(encoding="utf8"))
    assert "pred.jsonl against gold.jsonl" in found.text
    assert [document[1] for document in found.data["documents"]] == [row["text"] for row in GOLD]
    assert sorted(path.name for path in here.iterdir()) == ["gold.jsonl", "good.jsonl", "pred.jsonl", "r.html"]


def test_the_command_takes_several_systems_metrics_intervals_and_a_title(here):
    accepted(
        "report", here / "gold.jsonl", here / "pred.jsonl", here / "good.jsonl", "--output", here / "r.html",
        "--title", "A <b> title", "--metrics", "strict,loio", "--loio.s", "0.5", "--confidence", "--samples", "20",
    )  # fmt: skip
    found = Parsed((here / "r.html").read_text(encoding="utf8"))
    assert "A <b> title" in found.text
    assert found.data["systems"] == ["pred.jsonl", "good.jsonl"]
    assert [metric["name"] for metric in found.data["metrics"]] == ["strict", "fair"]
    assert "loio:s=0.5" in found.text
    assert "Intervals: 95 %, from all 8 half-samples of 3 documents." in found.text
    assert "Only 3 documents, effectively 1.8: with fewer than 20, little can be told." in found.text


def test_systems_have_the_names_given(here):
    files = [here / name for name in ("gold.jsonl", "pred.jsonl", "good.jsonl")]
    accepted("report", *files, "--name", "before", "--name", "after", "-o", here / "r.html")
    assert Parsed((here / "r.html").read_text(encoding="utf8")).data["systems"] == ["before", "after"]
    assert "--name: 1 given for 2 systems" in refused("report", *files, "--name", "x", "-o", here / "s.html")


def test_what_training_shows_is_a_slice(here):
    files = [here / name for name in ("gold.jsonl", "pred.jsonl")]
    accepted("report", *files, "--train", here / "gold.jsonl", "-o", here / "r.html")
    data = Parsed((here / "r.html").read_text(encoding="utf8")).data
    assert [each["title"] for each in data["slices"]][3:] == [
        "Frequency in training",
        "Share of its occurrences in training with this label",
    ]
    for each in data["slices"]:
        for document, sides in zip(data["documents"], each["of"]):
            assert [3 * len(side) for side in sides] == [len(document[2]), len(document[3][0])]


def test_a_conll_file_may_hold_both_sides(tmp_path):
    (tmp_path / "both.conll").write_text("Ada B-PER B-PER\nmet O O\nBob B-PER O\n")
    accepted("report", tmp_path / "both.conll", "--output", tmp_path / "r.html")
    found = Parsed((tmp_path / "r.html").read_text(encoding="utf8"))
    assert Counter(v for v, _, _ in decoded(found.data, 0, "fair")) == {"tp": 1, "fn": 1}
    assert found.data["systems"] == ["both.conll"]


def test_the_predictions_may_be_in_another_order_if_there_are_ids(here):
    gold = [{**row, "id": k} for k, row in enumerate(GOLD)]
    write(here / "gold.jsonl", *gold)
    write(here / "pred.jsonl", *reversed([{**row, "id": k} for k, row in enumerate(PRED)]))
    accepted("report", here / "gold.jsonl", here / "pred.jsonl", "-o", here / "r.html")
    data = Parsed((here / "r.html").read_text(encoding="utf8")).data
    assert Counter(v for v, _, _ in decoded(data, 0, "fair")) == {"tp": 1, "be_s": 1, "le": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gold.jsonl", "pred.jsonl", "pred.jsonl", "-o", "r.html"], "pred.jsonl is given twice"),
        (["gold.jsonl", "pred.jsonl", "-o", "no/r.html"], "there is no directory no"),
        (["gold.jsonl", "pred.jsonl", "-o", "gold.jsonl"], "gold.jsonl is an input"),
        (["gold.jsonl", "none.jsonl", "-o", "r.html"], "none.jsonl does not exist"),
        (["gold.jsonl", "pred.jsonl", "-o", "r.html", "--samples", "5"], "--samples is given without --confidence"),
        (["gold.jsonl", "pred.jsonl", "-o", "r.html", "--metrics", "nope"], "there is no metric 'nope'"),
        (["gold.jsonl", "--fair.beta", "1", "-o", "r.html"], "predictions to score against gold.jsonl are missing"),
    ],
)
def test_the_command_refuses_in_one_line_and_leaves_nothing(here, monkeypatch, arguments, message):
    monkeypatch.chdir(here)
    before = sorted(path.name for path in here.iterdir())
    assert message in refused("report", *arguments)
    assert sorted(path.name for path in here.iterdir()) == before


@pytest.mark.parametrize("library", ["altair", "vl_convert"])
def test_without_the_libraries_for_charts_the_extra_is_named(here, monkeypatch, library):
    scripts.cache_clear()
    monkeypatch.setitem(sys.modules, library, None)
    said = refused("report", here / "gold.jsonl", here / "pred.jsonl", "-o", here / "r.html")
    assert 'pip install "spacy-nereval[report]"' in said
    assert not (here / "r.html").exists()


def test_a_report_that_fails_leaves_the_old_one(here, monkeypatch):
    (here / "r.html").write_text("old")
    monkeypatch.setattr("spacy_nereval.reporting.html.page", lambda *_, **__: "new \ud800")
    with pytest.raises(AssertionError):
        accepted("report", here / "gold.jsonl", here / "pred.jsonl", "-o", here / "r.html")
    assert (here / "r.html").read_text() == "old"
    assert not [path for path in here.iterdir() if path.name.startswith(".")]
