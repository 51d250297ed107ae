"""The scores of the HTML report: differences, changes, and charts."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import altair as alt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import GOLDS, SECOND, Parsed, small, system
from profiles import tries
from strategies import corpora

from spacy_nereval import Document, create_all
from spacy_nereval.evaluation.intervals import Confidence
from spacy_nereval.evaluation.result import evaluate
from spacy_nereval.evaluation.transitions import gold_outcomes, transitions
from spacy_nereval.reporting.html import ReportedSystem, page
from spacy_nereval.reporting.html.report import charts
from spacy_nereval.reporting.html.report.mending import mending
from spacy_nereval.reporting.html.report.score_rows import differences, metric_rows
from spacy_nereval.reporting.html.report.verdict_rows import outcome_matrix, verdict_rows


def test_the_comparison_of_two_systems_says_what_can_be_told_of_fair():
    documents = [Document([(0, 2, "A")], [(0, 2, "A")] * (k > 3), "xx", id=str(k)) for k in range(12)]
    perfect = [Document(d.gold, d.gold, d.text, id=d.id) for d in documents]
    pair = [system("a", *documents, metrics=["strict", "fair"]), system("b", *perfect, metrics=["strict", "fair"])]
    found = Parsed(page(pair, confidence=Confidence(samples=20))).text
    assert (
        "b against a, fair F: fixes 4 gold spans, breaks 0; the outputs differ in 4 documents: nothing can be told."
        in found
    )
    assert "b against a, fair F" not in Parsed(page(pair)).text


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


def test_where_the_first_system_is_the_best_the_heading_on_changes_is_about_the_next_one():
    found = Parsed(page([perfect(), small(), small(SECOND, "second")])).text
    assert "first fixes 0 gold spans and breaks" in found and "second fixes 0 gold" not in found


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
    assert [dot["value"] for dot in found[1:]] == [100 * cell.value for cell in fair]
    assert (found[3]["low"], found[3]["high"]) == (100 * fair[2].low, 100 * fair[2].high)
    assert (found[3]["least"], found[3]["greatest"]) == tuple(100 * most(c.value for c in fair) for most in (min, max))


def test_a_score_that_is_cut_off_at_zero_has_no_dot():
    document = Document([(0, 1, "A")], [(2, 3, "A"), (4, 5, "A")], "a b c")
    rows = metric_rows(create_all(["slot_error", "fair"]), [evaluate(system("a", document).counts)])
    assert [row.name for row in rows if row.is_cut] == ["slot_error ser_acc"]
    assert {dot["name"] for dot in charts.points(rows, ["a"])} == {"fair"}


def test_the_errors_that_cost_most_come_first_verdicts_before_labels():
    labels = ["LOC", "ORG", "PER"]
    (table,) = mending([small(), small(SECOND, "second")], create_all(["fair"]), labels, 0)
    shares = [(row.verdict is None, -max(cell.share for cell in row.cells)) for row in table.rows]
    assert shares == sorted(shares) and len({*shares}) > 3 and {first for first, _ in shares} == {True, False}


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
