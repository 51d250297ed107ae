"""Which units inform a score, and how many these effectively are."""

import pytest
from asking import NEEDED
from compared import compare
from made_up import tallied

from spacy_nereval import Confidence, Document, count, create, create_all, evaluate, names
from spacy_nereval.counting.table import Table
from spacy_nereval.evaluation.bounds import score_intervals
from spacy_nereval.evaluation.collapsing import collapse
from spacy_nereval.evaluation.resampling import Units
from spacy_nereval.evaluation.unit_weights import UnitWeights, slots_read

FEW_PREDICTIONS = [
    *[tallied(1, 0, 0, id=f"right {k}") for k in range(4)],
    *[tallied(0, 1, 1, id=f"wrong {k}") for k in range(4)],
    *[tallied(0, 0, 3, id=f"nothing {k}") for k in range(92)],
]
"""Four of eight predictions are right; 92 documents have none. All rows are hits, spurious and missed spans."""


def intervals_of(documents, metric="strict"):
    return evaluate(count(documents, [create(metric)]), Confidence())["metrics"][metric]["intervals"]


def test_documents_without_predictions_say_nothing_about_precision():
    row = intervals_of(FEW_PREDICTIONS)["scores"]
    assert row["p"]["k"] == pytest.approx(8) and row["f"]["k"] == row["r"]["k"] > 90
    # The eight documents that have predictions are all right or all wrong: as wide as with eight units alone.
    alone = score_intervals(0.5, 0.25 / 8, 8)
    assert (row["p"]["low"], row["p"]["high"]) == pytest.approx((float(alone.low), float(alone.high)), abs=0.01)
    alike = intervals_of(FEW_PREDICTIONS[:8])["scores"]["p"]
    assert (row["p"]["low"], row["p"]["high"]) == pytest.approx((alike["low"], alike["high"]), abs=0.01)


def test_documents_without_gold_spans_say_nothing_about_recall():
    mirrored = [Document(document.pred, document.gold, id=document.id) for document in FEW_PREDICTIONS]
    expected, row = intervals_of(FEW_PREDICTIONS)["scores"]["p"], intervals_of(mirrored)["scores"]["r"]
    assert row == expected


def test_the_scores_of_a_label_rest_on_the_units_that_inform_them():
    """Label A is predicted in eight documents only; label B is everywhere, and right."""
    documents = [Document([*d.gold, (900, 904, "B")], [*d.pred, (900, 904, "B")], id=d.id) for d in FEW_PREDICTIONS]
    rows = intervals_of(documents)
    assert rows["per_type"]["A"]["p"]["k"] == pytest.approx(8)
    assert rows["per_type"]["B"]["p"]["k"] == pytest.approx(100)
    assert rows["scores"]["p"]["k"] > 90


def test_an_average_over_labels_rests_on_the_units_that_have_a_score_of_a_label():
    """Other documents only change how much each label counts."""
    averages = intervals_of(FEW_PREDICTIONS)["averages"]
    assert averages["weighted"]["p"]["k"] == averages["macro"]["p"]["k"] == pytest.approx(8)


@pytest.mark.parametrize(("number", "k"), [(1, 16 / 10), (12, 15**2 / (9 + 12))])
@pytest.mark.parametrize(("metric", "score"), [("slot_error", "ser"), ("slot_error", "ser_acc"), ("ace", "value")])
def test_a_score_that_one_document_alone_defines_rests_on_the_errors_of_the_others_too(metric, score, number, k):
    """One document has gold spans, a hit and a miss; others have a wrong span each, which adds to the errors."""
    documents = [tallied(1, 0, 1, id="gold"), *(tallied(0, 1, 0, id=f"wrong {n}") for n in range(number))]
    counts = count(documents, [create(metric)])
    stored = evaluate(collapse(counts), Confidence())
    rows = [result["metrics"][metric]["intervals"]["scores"] for result in (evaluate(counts, Confidence()), stored)]
    assert [row[score]["k"] for row in rows] == [pytest.approx(k)] * 2
    assert rows[0][score]["flag"] == "few"


def test_the_interval_of_a_cost_that_rests_on_one_document_is_that_of_one_unit():
    """SER is 2 / 2 = 1, with t for 3 degrees of freedom; the variance is that of one unit, n* = 1."""
    row = intervals_of([tallied(1, 0, 1, id="gold"), tallied(0, 1, 0, id="wrong")], "slot_error")["scores"]["ser"]
    t = 3.182446
    expected = [1 + t * t / 2 + sign * t * (1 + t * t / 4) ** 0.5 for sign in (-1, 1)]
    assert [row["low"], row["high"], row["df"]] == pytest.approx([*expected, 3], rel=1e-5)


@pytest.mark.parametrize("name", names())
def test_if_every_document_has_a_hit_all_scores_rest_on_all_documents(name):
    span, tokens = [(0, 3, "A")], [(0, 3), (4, 7)]
    documents = [Document(span, span, "Ada saw", tokens=tokens, id=str(k)) for k in range(9)]
    metric = create(name, **NEEDED.get(name, {}))
    effective = UnitWeights([[table := Table(count(documents, [metric]))]], Units(count(documents, [metric])))
    scored = {name for name, score in metric.score_by_name.items() if score.unit != "count"}
    found = effective.effective_numbers(metric)
    assert table.labels == ("A",) and scored <= found.keys()
    assert {k for name in scored for k in found[name].tolist()} <= {9.0, 0.0}  # 0: tmr's other kinds of mentions
    assert any(9.0 in found[name].tolist() for name in scored)


def test_the_slots_of_a_score_are_those_by_which_it_changes():
    def verdicts(metric, score):
        return {slot.verdict for slot in slots_read(create(metric)).overall[score]}

    assert verdicts("strict", "r") == {"hit", "miss", "group_gold"}
    assert verdicts("slot_error", "ser_acc") == verdicts("slot_error", "ser")  # also where it is cut off at 0
    assert verdicts("fair", "p").isdisjoint({"miss", "fn"}) and verdicts("fair", "r") > {"miss", "fn", "be_s"}


def test_collapsed_counts_estimate_how_many_units_inform_a_score():
    counts = count(FEW_PREDICTIONS, create_all(["strict", "slot_error"]))
    exact, estimated = (evaluate(each, Confidence())["metrics"] for each in (counts, collapse(counts)))
    for metric, score, error in (("strict", "p", 0.25), ("strict", "r", 1e-9), ("slot_error", "ser", 1e-9)):
        rows = [result[metric]["intervals"]["scores"][score]["k"] for result in (exact, estimated)]
        assert rows[1] == pytest.approx(rows[0], rel=error), score
    rows = [result["strict"]["intervals"]["scores"]["p"] for result in (exact, estimated)]
    assert (rows[1]["low"], rows[1]["high"]) == pytest.approx((rows[0]["low"], rows[0]["high"]), abs=0.1)


def test_collapsed_counts_of_documents_that_all_inform_a_score_are_not_changed():
    documents = [tallied(1 + k % 4, k % 3, k % 2, id=str(k)) for k in range(100)]
    counts = count(documents, [create("strict")])
    exact, estimated = (
        evaluate(each, Confidence())["metrics"]["strict"]["intervals"]["scores"] for each in (counts, collapse(counts))
    )
    assert {name: row["k"] for name, row in estimated.items()} == pytest.approx(
        {name: row["k"] for name, row in exact.items()}
    )


@pytest.mark.parametrize("collapsed", [False, True])
def test_a_difference_in_precision_rests_on_the_documents_in_which_a_system_predicts(collapsed):
    """Both predict the same: what else could have differed is known from eight documents, not from a hundred."""
    counts = count(FEW_PREDICTIONS, [create("strict")])
    counts = collapse(counts) if collapsed else counts
    rows = {row["score"]: row for row in compare(counts, counts)}
    assert rows["p"]["k"] == pytest.approx(8, rel=0.3 if collapsed else 1e-9) and rows["f"]["k"] > 90
    if not collapsed:
        assert rows["p"]["interval"] == pytest.approx([-0.36942, 0.36942], abs=5e-6)  # 1 - .025^(1/8)
        assert rows["r"]["interval"][1] < 0.05


def test_no_order_of_documents_or_of_runs_changes_a_weight():
    metric = create("fair")
    runs = [count(FEW_PREDICTIONS, [metric]), count([Document(d.gold, [], id=d.id) for d in FEW_PREDICTIONS], [metric])]
    order = [*range(99, -1, -1)]
    both = [
        UnitWeights([[Table(given[0])], [Table(counts, ("A",)) for counts in given]], Units(given[0]))
        for given in (runs, [counts.reordered(order) for counts in runs])
    ]
    first, second = (weights.effective_numbers(metric) for weights in both)
    assert {name: k.tolist() for name, k in first.items()} == {name: k.tolist() for name, k in second.items()}


def test_a_unit_without_ids_is_named_by_its_first_document():
    documents = [Document([(0, 1, "A")], [], id=id) for id in ("x", None, None, None)]
    for document, key in zip(documents, ("first", "second", "second", "third")):
        document.unit, document.unit_rule = key, "document"
    units = Units(count(documents, [create("strict")], units=True))
    assert units.of_document.tolist() == [0, 1, 1, 2]
    assert units.names([1, 0, 2]) == [1, "first", 3]
