"""The result of a comparison: families of tests, sentences and tables, and bounds that are infinite."""

import json
from collections.abc import Sequence
from dataclasses import replace
from math import inf
from random import Random
from typing import Any

import numpy as np
import pytest
from compared import FEW, by_score, compare, strictly, with_pred
from made_up import corpus, second, tallied
from refusals import refused_with

from spacy_nereval import Confidence, Document, Metric, Score, count, create, create_all, evaluate, score
from spacy_nereval.core.declaration import one_each
from spacy_nereval.evaluation import differences
from spacy_nereval.evaluation.collapsing import collapse
from spacy_nereval.evaluation.comparison import System, comparison, difference_row
from spacy_nereval.evaluation.differences import Differences
from spacy_nereval.evaluation.evidence import Evidence
from spacy_nereval.evaluation.result import make_plain
from spacy_nereval.evaluation.tested import Subject, families, holm
from spacy_nereval.reporting.comparison_view import ComparisonView
from spacy_nereval.reporting.formats import csv_text, json_text, latex
from spacy_nereval.reporting.result_table import Cost, ResultTable, number_text
from spacy_nereval.reporting.score_tables import score_cell
from spacy_nereval.reporting.terminal import render


def three_systems(
    number: int = 25, names: Sequence[str] = ("base", "one", "two")
) -> tuple[list[System], list[Document]]:
    a = corpus(number)
    sides = [a, second(a), with_pred(a, [Document([], d.gold) for d in a])]
    systems = [System(name, count(d, create_all()), d) for name, d in zip(names, sides)]
    return systems, a


def test_all_systems_are_compared_with_the_baseline_and_corrected_within_families():
    systems, documents = three_systems()
    base, *others = systems
    result = comparison(systems, documents, Confidence(), 200)
    assert result["baseline"] == "base"
    rows = result["comparisons"]
    assert [row["system"] for row in rows] == ["one"] * (len(rows) // 2) + ["two"] * (len(rows) // 2)
    for other in others:
        expected = make_plain(compare(base.counts, other.counts, trials=200))
        ours = [{k: v for k, v in row.items() if k not in ("system", "p_holm", "tests", "verdict")} for row in rows]
        assert [row for row, full in zip(ours, rows) if full["system"] == other.name] == expected
    for family, number in (("primary", 2), ("secondary", 10)):
        own = [row for row in rows if row["family"] == family]
        assert len(own) == number
        assert [row["p_holm"] for row in own] == pytest.approx(holm([row["p"] for row in own]).tolist())
        assert {row["tests"] for row in own} == {number}
    for row in rows:
        if not row["family"]:
            assert (row["p"], row["p_better"], row["p_holm"], row["tests"]) == (None, None, None, 0)
    assert [found["system"] for found in result["transitions"]] == ["one", "two"]


def test_the_families_are_one_primary_score_and_one_headline_of_each_further_metric():
    metrics = create_all()
    found = families(metrics)
    assert [key for key, family in found.items() if family == "primary"] == [("strict", "f")]
    assert {key for key, family in found.items() if family == "secondary"} == {
        (metric.name, metric.headlines[0].name) for metric in metrics[1:]
    }
    assert found.keys() == {(metric.name, score) for metric in metrics for score in metric.keys.values()}
    found = families(metrics, "fair.p")
    assert [key for key, family in found.items() if family == "primary"] == [("fair", "p")]
    assert found["strict", "f"] == "secondary" and found["fair", "f"] == ""


@pytest.mark.parametrize("primary", ["strict", "strict.x", "char.f", "strict.f.f", "slot_error.e"])
def test_a_primary_score_that_is_none_is_answered_with_those_there_are(primary):
    with pytest.raises(ValueError, match=rf"primary='{primary}': .*expected METRIC.SCORE, one of strict.p, strict.r,"):
        families(create_all(), primary)


def test_a_function_of_another_score_is_not_tested_and_cannot_be_primary():
    with refused_with(
        ValueError,
        "primary='slot_error.ser_acc': this score is a function of slot_error.ser, which can be "
        "tested: primary='slot_error.ser'",
    ):
        families(create_all(), "slot_error.ser_acc")
    a = corpus(30, seed=4)
    row = by_score(make_plain(compare(*(count(d, create_all(["slot_error"])) for d in (a, second(a))))))
    assert row["slot_error", "ser"]["p"] is not None
    acc = row["slot_error", "ser_acc"]
    assert acc["difference"] is not None
    assert (acc["interval"], acc["p"], acc["p_better"], acc["detectable"]) == ([None, None], None, None, None)


def test_the_number_of_swaps_follows_the_largest_family(monkeypatch):
    """Of one comparison and of all, also when `compare` is called alone."""
    monkeypatch.setattr(differences, "LEAST_SWAPS", 20)
    monkeypatch.setattr(differences, "SWAPS_PER_TEST", 20)
    systems, documents = three_systems(12)
    assert comparison(systems, documents)["swaps"] == 20 * 5 * 2
    assert comparison(systems[:2], documents)["swaps"] == 20 * 5
    alone = compare(systems[0].counts, systems[1].counts)
    assert make_plain(alone) == make_plain(compare(systems[0].counts, systems[1].counts, trials=100))
    one = [count(d, create_all(["strict"])) for d in (documents, second(documents))]
    assert make_plain(compare(*one)) == make_plain(compare(*one, trials=20))


def test_the_cost_of_a_better_system_falls_and_its_one_sided_p_is_small():
    a = [tallied(1, 1, 2, id=str(k)) for k in range(8)]
    b = [tallied(3, 0, 0, id=str(k)) for k in range(8)]
    ser = by_score(compare(*(count(d, create_all(["slot_error"])) for d in (a, b))))["slot_error", "ser"]
    assert ser["difference"] == -1 and ser["interval"][1] < 0
    assert (ser["p"], ser["p_better"]) == (2 / 256, 1 / 256)


def test_no_order_of_documents_changes_a_bit():
    documents = corpus(30, seed=3)
    other = second(documents)
    expected = None
    for seed in range(3):
        order = Random(seed).sample(range(30), 30)
        a, b = (count([side[k] for k in order], create_all()) for side in (documents, other))
        shuffled = b.reordered(Random(9).sample(range(30), 30))
        found = comparison([System("a", a), System("b", shuffled)], [], trials=500)
        expected = expected or found
        assert found == expected


def test_every_row_has_the_promised_keys_and_every_headline_score_a_row():
    systems, documents = three_systems(6)
    rows = comparison(systems[:2], documents, FEW)["comparisons"]
    keys = ["metric", "score", "label", "system", "family", "baseline_value", "value", "difference", "interval", "p"]
    keys += ["p_better", "k", "flag", "differing", "differing_documents", "detectable", "same_within", "margin_answer"]
    keys += ["units_needed", "runs", "degrees_of_freedom", "share_of_training", "score_unit", "higher_is_better"]
    assert all(list(row) == [*keys, "headline", "p_holm", "tests", "verdict"] for row in rows)
    assert [(row["metric"], row["score"]) for row in rows] == [
        (metric.name, score) for metric in create_all() for score in metric.keys.values()
    ]


def test_undefined_scores_are_null_and_everything_is_json():
    a = [Document([], [(0, 1, "A")], id="0"), Document([], [], id="1")]
    b = [Document([], [], id="0"), Document([], [], id="1")]
    systems = [System(name, count(d, create_all(["strict", "loio"])), d) for name, d in
               (("a", a), ("b", b))]  # fmt: skip
    result = comparison(systems, a, FEW)
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    rows = by_score(result["comparisons"])
    assert (rows["strict", "p"]["baseline_value"], rows["strict", "p"]["value"]) == (0, None)
    for row in rows.values():
        assert (row["difference"], row["interval"], row["p"], row["p_holm"]) == (None, [None, None], None, None)
    view = ComparisonView(result)
    shown, moved, changed, every = view.tables([name for name in view.makers if name != "labels"])
    assert shown.grid()[1][1:] == ["0.00", "-", "-", "-", "-", "-"]
    assert every.grid()[1][2:] == ["0.00", "-", "-", "-", "-", "-"]
    assert render(shown)
    assert (moved.rows, changed.rows) == ([], [])
    assert view.closing()


def test_scores_without_a_test_do_not_count_among_those_corrected_for():
    """SER is undefined without gold spans; F is not."""
    a, b = ([Document([], [(0, 1, "A")] * k, id=str(i)) for i in range(8)] for k in (0, 1))
    a[0] = Document([], [(0, 1, "A")], id="0")
    systems = [System(n, count(d, create_all(["loio", "strict", "slot_error"]))) for n, d in (("a", a), ("b", b))]
    rows = by_score(comparison(systems, [], primary="slot_error.err")["comparisons"])
    assert (rows["slot_error", "ser"]["difference"], rows["slot_error", "ser"]["p_holm"]) == (None, None)
    assert rows["strict", "f"]["tests"] == sum(rows[key]["p"] is not None for key in (("strict", "f"), ("loio", "f")))


@pytest.mark.parametrize(("rows", "said"), [
    ([(1, 1, 1)] * 19, "⚠ Only 19 documents: with fewer than 20"),
    ([(1, 1, 1)] * 20, ""),
    # 4 spans each and 20 in the last one: 100 ** 2 / (20 * 4 ** 2 + 20 ** 2).
    ([(1, 1, 1)] * 20 + [(10, 0, 0)], "⚠ Only 21 documents, effectively 13.9: with fewer than 20"),
])  # fmt: skip
def test_below_20_effective_documents_there_is_a_warning(rows, said):
    counts = strictly(rows)
    line = ComparisonView(comparison([System("A", counts), System("B", counts)], [], FEW, 100)).closing()[-1]
    assert line.startswith(said or "unit id, 20 units (effectively 20.0)")


def test_texts_of_one_document_count_as_one_in_the_warning():
    systems, documents = three_systems(25)
    for system in systems:
        system.counts.units[:10] = ["the same"] * 10
    result = comparison(systems, documents, FEW, 100)
    assert (result["documents"], result["units"]) == (25, 16)
    assert ComparisonView(result).closing()[-1].startswith("⚠ Only 16 units, effectively ")


def test_the_signature_of_a_comparison_names_everything_that_changes_a_number():
    documents = corpus(9)

    def signed(metrics=("strict", "fair"), trials=100, short=False, asked=None, **confidence):
        counts = count(documents, create_all(metrics))
        systems = [System("a", counts), System("b", counts)]
        drawn = Confidence(**{"samples": 10, **confidence})
        return comparison(systems, [], drawn, trials, short=short, **(asked or {}))["signature"]

    asked = [{"primary": "strict.p"}, {"secondary": ["strict.p"]}, {"secondary": []}, {"labels": True}]
    changed = [*({"asked": each} for each in [*asked, {"margin": 1}, {"margin": 2}]), {"seed": 1}, {"level": 0.9}]
    changed += [{"metrics": each} for each in (["strict"], {"loio": {"s": 1}}, {"loio": {}})] + [{}, {"trials": 101}]
    assert len({signed(**how) for how in changed}) == len(changed) == 13
    assert signed() == signed()
    assert signed({"loio": {"s": 1}}, short=True).startswith("spacy-nereval|loio:s=1.0|")
    assert signed({"loio": {}}, short=True).startswith("spacy-nereval|loio|")


OWN = Metric(
    scores=(
        Score("wrong", unit="count", higher_is_better=False, headline=True, key="own_wrong", limits=(0, inf)),
        Score("share", key="own_share"),
    ),
    columns=one_each("tp", "fp", "fn"),
    formula=lambda c: {"wrong": c["fp"] + c["fn"], "share": c["tp"] / (c["tp"] + c["fp"] + c["fn"] + 1)},
    name="own",
)


def test_an_own_count_is_shown_as_it_is_and_marked_as_a_cost_and_a_ratio_stays_one():
    """Of a metric that is given to Python without being registered."""
    gold = [(0, 3, "A"), (4, 7, "A")]
    a, b = ([Document(gold, gold[:number], id=f"d{k}") for k in range(8)] for number in (1, 2))
    systems = [System(name, count(documents, [OWN])) for name, documents in (("A", a), ("B", b))]
    result = comparison(systems, [], Confidence(samples=50), trials=99)
    usual, every = ComparisonView(result).tables(["differences", "all-differences"])
    assert [(type(row[0]), *row[:3]) for row in usual.rows] == [(Cost, "own wrong", 8.0, 0.0)]
    shown = {row[1]: (type(row[1]), row[2:4]) for row in every.rows}
    assert shown == {"wrong": (Cost, [8.0, 0.0]), "share": (str, pytest.approx([8 / 17, 16 / 17]))}


def test_an_unknown_taxonomy_is_refused():
    with refused_with(ValueError, "there is no taxonomy 'MUC'; expected 'FairEval', or '' for none"):
        replace(create("fair"), taxonomy="MUC")


DRAWN = {"confidence": {"level": 0.95}, "transitions": []}
COSTS = (("slot_error", "ser"), ("ace", "value"))


def test_an_average_with_a_label_without_interval_is_unbounded_and_flagged_but_for_costs():
    """Most half-samples of collapsed counts lack the label, so that it has no interval."""
    documents = [Document([(0, 3, "A"), (5, 8, "A")], [(0, 3, "A")], id=f"d{k}") for k in range(12)]
    documents[0] = Document([*documents[0].gold, (10, 12, "RARE")], documents[0].pred, id="d0")
    found = {}
    for seed in range(4):
        counts = collapse(count(documents, create_all(["slot_error", "ace"])), seed=seed)
        result = evaluate(counts, Confidence())["metrics"]
        label = result["slot_error"]["intervals"]["per_type"]["RARE"]["ser"]["flag"]
        found[label] = [result[name]["intervals"]["averages"]["macro"][key] for name, key in COSTS]
    ser, value = found["undefined"]
    # A label of which nothing is known reaches up by 1 + x = 2, and down to 0; A as far as y = x / (1 + x).
    a = result["slot_error"]["intervals"]["per_type"]["A"]["ser"]
    below, above = (2.25 * abs(a[side] / (1 + a[side]) - 1 / 3) for side in ("low", "high"))
    assert ser["flag"] is None
    assert (ser["low"], ser["high"]) == pytest.approx(
        (0.75 - np.hypot(below, 1) / 2, 0.75 + np.hypot(above, 2) / 2), rel=1e-9
    )
    assert (value["low"], value["flag"]) == (None, "unbounded")
    assert {row["flag"] for row in found["few"]} == {None}
    whole = score(documents, ["slot_error", "ace"], Confidence())["metrics"]
    assert whole["slot_error"]["intervals"]["per_type"]["RARE"]["ser"]["flag"] == "few"
    assert None not in whole["slot_error"]["intervals"]["averages"]["macro"]["ser"].values()
    cell = score_cell(create("ace"), "value", {"value": 0.5}, {"value": value})
    assert number_text(cell, 0).startswith("50 [-∞, ") and number_text(cell, 0).endswith("] unbounded")
    table = ResultTable("T", ["value"], [[cell]])
    assert '"value low": null' in json_text([table]) and ",," in csv_text([table])
    assert r"-$\infty$, 77.21" in latex(table)


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
        assert number_text(table.rows[0][3]) == said
