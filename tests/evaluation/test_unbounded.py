"""Bounds that are infinite: why, how JSON says so, and how tables show it."""

from __future__ import annotations

from spacy_nereval import Confidence, Document, count, create, create_all, evaluate, score
from spacy_nereval.evaluation.collapsing import collapse
from spacy_nereval.evaluation.tested import Answer, Place, row
from spacy_nereval.reporting.comparison_view import ComparisonView
from spacy_nereval.reporting.formats import csv_text, json_text, latex
from spacy_nereval.reporting.result_table import ResultTable, shown
from spacy_nereval.reporting.score_cells import score_cell

DRAWN = {"confidence": {"level": 0.95}, "transitions": []}
COSTS = (("slot_error", "ser"), ("ace", "value"))


def test_an_average_of_costs_with_a_label_without_interval_is_unbounded_and_says_so():
    """Most half-samples of collapsed counts lack the label, so that it has no interval."""
    documents = [Document([(0, 3, "A"), (5, 8, "A")], [(0, 3, "A")], id=f"d{k}") for k in range(12)]
    documents[0] = Document([*documents[0].gold, (10, 12, "RARE")], documents[0].pred, id="d0")
    found = {}
    for seed in range(4):
        counts = collapse(count(documents, create_all(["slot_error", "ace"])), seed=seed)
        result = evaluate(counts, Confidence())["metrics"]
        label = result["slot_error"]["intervals"]["per_type"]["RARE"]["ser"]["flag"]
        found[label] = [result[name]["intervals"]["averages"]["macro"][key] for name, key in COSTS]
    assert [(row["high"], row["flag"]) for row in found["undefined"][:1]] == [(None, "unbounded")]
    assert found["undefined"][0]["low"] > 0
    assert [(row["low"], row["flag"]) for row in found["undefined"][1:]] == [(None, "unbounded")]
    assert {row["flag"] for row in found["few"]} == {None}
    whole = score(documents, ["slot_error", "ace"], Confidence())["metrics"]
    assert whole["slot_error"]["intervals"]["per_type"]["RARE"]["ser"]["flag"] == "few"
    assert None not in whole["slot_error"]["intervals"]["averages"]["macro"]["ser"].values()
    cell = score_cell(create("slot_error"), "ser", {"ser": 0.5}, {"ser": found["undefined"][0]})
    assert shown(cell, 0).endswith(", ∞] unbounded")
    table = ResultTable("T", ["ser"], [[cell]])
    assert '"ser high": null' in json_text([table]) and csv_text([table]).endswith(",")
    assert r"$\infty$" in latex(table)


def test_a_difference_without_bounds_is_not_taken_for_one_without_a_test():
    metric = create("slot_error")
    ser = Place(metric, metric.score_by_name["ser"], None, "primary")
    answer = Answer(0.03, 0.02, float("-inf"), float("inf"), float("inf"), 6, k=6.0)
    found = row(ser, (0.5, 0.4), answer)
    assert found["flag"] == "unbounded"
    assert row(ser, (0.5, 0.4), answer._replace(k=5.9))["flag"] == "few"
    assert row(ser, (0.5, 0.4), answer._replace(low=0, high=1))["flag"] is None
    plain = found | {"system": "B", "interval": [None, None], "detectable": None, "p_holm": 0.03, "tests": 1}
    (table,) = ComparisonView(
        {"baseline": "A", "swaps": 64, "exact": True, "comparisons": [plain]} | DRAWN
    ).differences()
    assert shown(table.rows[0][3]) == "-10.00 [-∞, ∞] unbounded"
    (table,) = ComparisonView(
        {"baseline": "A", "swaps": 64, "exact": True, "comparisons": [plain | {"flag": None}]} | DRAWN
    ).differences()
    assert shown(table.rows[0][3]) == "-10.00"
