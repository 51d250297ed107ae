"""Options of metrics: what each of them changes."""

from __future__ import annotations

import pytest
from asking import near, scored
from scroll import TEXT, TOKENS

from spacy_nereval import Document, Span, create

# P 3/5 and R 3/4, if nothing but exact spans counts
UNEVEN = Document(
    gold=[(0, 3, "A"), (4, 10, "A"), (11, 14, "B"), (15, 18, "B")],
    pred=[(0, 3, "A"), (4, 10, "A"), (11, 14, "B"), (19, 22, "B"), (23, 29, "A")],
    text=TEXT,
    tokens=TOKENS,
)


# One pair for each kind of error: another label, the same label, another label and place
MIXED = Document(
    gold=[(0, 3, "A"), (4, 10, "A"), (15, 18, "A")],
    pred=[(0, 3, "B"), (4, 14, "A"), (15, 22, "B")],
    text=TEXT,
    tokens=TOKENS,
)


# Options


@pytest.mark.parametrize(
    ("name", "prefix"),
    [*((name, "") for name in ("strict", "loio", "fair", "token", "char", "relaxed", "overlap"))]
    + [("semeval", f"{s}_") for s in ("strict", "exact", "partial", "type")],
)
@pytest.mark.parametrize("beta", [0.5, 1, 2])
def test_beta_weighs_recall_against_precision(name, prefix, beta):
    scores = scored(UNEVEN, name, beta=beta)["scores"]
    p, r, f = (scores[prefix + x] for x in "prf")
    assert p < r
    assert f == near((1 + beta**2) * p * r / (beta**2 * p + r))


def test_beta_changes_the_f_of_the_slot_error_and_not_the_rate():
    one, two = (scored(UNEVEN, "slot_error", beta=beta)["scores"] for beta in (1, 2))
    assert one["ser"] == two["ser"]
    assert two["f"] == near(5 * 0.6 * 0.75 / (4 * 0.6 + 0.75))


def test_a_table_of_weights_names_the_errors_that_differ_from_fair():
    n = dict.fromkeys(("tp", "fp", "fn", "le", "be_s", "be_l", "be_o", "lbe"), 1)
    scores = create("fair", weights={"le": {"tp": 1}, "lbe": {"fp": 1, "fn": 1}}).formula(n)
    tp, fp, fn = 1 + 1, 1 + 3 * 0.5 + 1, 1 + 3 * 0.5 + 1
    assert (scores["p"], scores["r"]) == (near(tp / (tp + fp)), near(tp / (tp + fn)))


def test_weights_change_scores_and_never_counts():
    for name, options in (
        ("fair", [{"weights": w} for w in ("fair", "traditional", "boundary", "fine", {"le": {"tp": 1}})]),
        ("slot_error", [{"weights": w, "slots": s} for w in ("equal", "etape", {"d": 0}) for s in ("entity", "muc")]),
    ):
        counts = [scored(MIXED, name, **each)["counts"] for each in options]
        assert counts == counts[:1] * len(options)


def test_an_error_kind_that_a_table_leaves_out_costs_one():
    doc = Document([(0, 3, "A"), (4, 10, "A")], [(0, 3, "B"), (11, 14, "A")])  # a wrong type, a deletion, an insertion
    assert scored(doc, "slot_error", weights={"s_type": 0.25})["scores"]["ser"] == near(2.25 / 2)
    assert scored(doc, "slot_error", weights={"d": 0, "i": 3})["scores"]["ser"] == near(4 / 2)


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("semeval", ("type_error", "extent_error", "both_error")),
        ("slot_error", ("s_type", "s_extent", "s_both")),
        ("fair", ("le", "be_l", "lbe")),
    ],
)
def test_focus_says_whose_label_a_pair_counts_for(name, kinds):
    other_label, same_label, neither = kinds
    rows = {}
    for focus in ("target", "system"):
        found = scored(MIXED, name, focus=focus)["per_type"].items()
        rows[focus] = {label: {column: n for column, n in row["counts"].items() if n} for label, row in found}
    assert rows["target"] == {"A": {other_label: 1, same_label: 1, neither: 1}, "B": {}}
    assert rows["system"] == {"A": {same_label: 1}, "B": {other_label: 1, neither: 1}}


def test_focus_does_not_change_what_concerns_one_side_only():
    doc = Document([(0, 3, "A")], [(4, 10, "B")])
    target, system = (scored(doc, "fair", focus=focus)["per_type"] for focus in ("target", "system"))
    assert target == system
    assert (target["A"]["counts"]["fn"], target["B"]["counts"]["fp"]) == (1, 1)


def test_a_document_sorts_its_spans_and_names_them():
    doc = Document([[4, 10, "B"], (0, 3, "A"), (4, 10, "A")], [])
    assert doc.gold == (Span(0, 3, "A"), Span(4, 10, "A"), Span(4, 10, "B"))
    assert doc.gold[0].label == "A"


def test_whole_numbers_of_any_kind_are_offsets():
    numpy = pytest.importorskip("numpy")
    doc = Document([(numpy.int64(0), numpy.int32(3), "A")], [])
    assert [type(value) for value in doc.gold[0]] == [int, int, str]
