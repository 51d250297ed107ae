"""Bounds that are infinite: why, how JSON says so, and how tables show it."""

from __future__ import annotations

from typing import Any

import numpy as np

from spacy_nereval import Confidence, Document, count, create, create_all, evaluate, score
from spacy_nereval.evaluation.collapsing import collapse
from spacy_nereval.evaluation.comparison import difference_row
from spacy_nereval.evaluation.evidence import Evidence
from spacy_nereval.evaluation.statistics.differences import Differences
from spacy_nereval.evaluation.tested import Subject
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
    ser = Subject(metric, metric.score_by_name["ser"], None, "primary")

    def row(k: float, low: float, high: float) -> dict[str, Any]:
        bounds = Differences(*map(np.array, (0.03, 0.02, low, high, np.inf)))
        counts = count([Document([], [])], [metric])
        return difference_row(Evidence(ser, (0.5, 0.4), k, 6, lambda level: bounds), 0.95, None, 1, counts)

    found = row(6.0, -np.inf, np.inf)
    assert found["flag"] == "unbounded"
    assert row(5.9, -np.inf, np.inf)["flag"] == "few" and row(6.0, 0, 1)["flag"] is None
    plain = found | {"system": "B", "interval": [None, None], "detectable": None, "p_holm": 0.03, "tests": 1}
    for flag, said in (("unbounded", "-10.00 [-∞, ∞] unbounded"), (None, "-10.00")):
        result = {"baseline": "A", "swaps": 64, "exact": True, "comparisons": [plain | {"flag": flag}], **DRAWN}
        (table,) = ComparisonView(result).differences()
        assert shown(table.rows[0][3]) == said
