"""Numbers that the papers print: FairEval and WRF."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from asking import counted, near, scored

from spacy_nereval import Document, create, score

# FairEval, Ortmann (2022)


@pytest.mark.parametrize(
    ("error", "gold", "pred"),
    [
        ("le", (0, 6, "A"), (0, 6, "B")),
        ("be_s", (0, 6, "A"), (0, 4, "A")),
        ("be_s", (0, 6, "A"), (1, 4, "A")),
        ("be_l", (0, 6, "A"), (0, 8, "A")),
        ("be_l", (1, 6, "A"), (0, 8, "A")),
        ("be_o", (0, 6, "A"), (2, 8, "A")),
        ("be_o", (2, 8, "A"), (0, 6, "A")),
        ("lbe", (0, 6, "A"), (2, 8, "B")),
    ],
)
def test_two_spans_that_meet_are_one_error(error, gold, pred):
    """Examples 3 and 4."""
    assert counted(Document([gold], [pred]), "fair") == {error: 1}


TWO, THREE = [(0, 6, "A"), (6, 12, "B")], [(0, 4, "A"), (4, 8, "B"), (8, 12, "B")]


def test_three_predictions_for_two_spans_are_three_errors_and_boundaries_go_before_labels():
    """Example 5, left."""
    assert counted(Document(TWO, THREE), "fair") == {"be_s": 2, "be_o": 1}


def test_two_predictions_for_three_spans_are_three_errors():
    """Example 5, right."""
    assert counted(Document(THREE, TWO), "fair") == {"be_l": 2, "be_o": 1}


TABLE_2 = {  # tp, fp, le, be_s, be_l, be_o, lbe, fn, and precision, recall and F in percent
    "LOC": ((2132, 81, 56, 29, 28, 0, 40, 98), (93.12, 92.43, 92.78)),
    "ORG": ((1002, 87, 76, 16, 27, 0, 48, 167), (85.46, 80.00, 82.64)),
    "OTH": ((473, 48, 89, 15, 26, 3, 44, 142), (77.60, 67.24, 72.05)),
    "PER": ((1552, 37, 31, 11, 25, 0, 23, 55), (94.98, 93.95, 94.46)),
    "Overall": ((5159, 253, 252, 71, 106, 3, 155, 462), (90.42, 87.23, 88.80)),
}


KINDS = ("tp", "fp", "le", "be_s", "be_l", "be_o", "lbe", "fn")


def percent(weights: str | dict, counts: tuple[int, ...], **spans: int) -> tuple[float, ...]:
    scores = create("fair", weights=weights).formula(dict(zip(KINDS, counts)) | spans)
    return tuple(round(float(100 * scores[x]), 2) for x in "prf")


@pytest.mark.parametrize("row", TABLE_2)
def test_fair_scores_are_those_of_table_2(row):
    counts, expected = TABLE_2[row]
    assert percent("fair", counts) == expected


def test_traditional_scores_are_those_of_table_1():
    """5159 of 5953 predictions and of 6178 named entities."""
    assert percent("traditional", TABLE_2["Overall"][0], pred_spans=5953, gold_spans=6178) == (86.66, 83.51, 85.05)


def test_weights_by_kind_of_boundary_error_give_what_the_author_s_program_gives():
    """Equation 7."""
    assert percent("fine", TABLE_2["Overall"][0]) == (91.14, 88.21, 89.65)


@pytest.mark.parametrize(
    ("weights", "error", "tp", "fp", "fn"),
    [
        *(
            ("fair", error, 0, Fraction(1, 2), Fraction(1, 2)) for error in ("le", "be_s", "be_l", "be_o", "lbe")
        ),  # Eq. 5
        *(("boundary", f"be_{x}", Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)) for x in "slo"),  # Eq. 6
        *(("boundary", error, 0, Fraction(1, 2), Fraction(1, 2)) for error in ("le", "lbe")),
        ("fine", "be_s", Fraction(1, 2), 0, Fraction(1, 2)),  # Eq. 7
        ("fine", "be_l", Fraction(1, 2), Fraction(1, 2), 0),
        ("fine", "be_o", Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)),
        *(("fine", error, 0, Fraction(1, 2), Fraction(1, 2)) for error in ("le", "lbe")),
        *((weights, "fp", 0, 1, 0) for weights in ("fair", "boundary", "fine")),
        *((weights, "fn", 0, 0, 1) for weights in ("fair", "boundary", "fine")),
    ],
)
def test_an_error_weighs_what_its_equation_says(weights, error, tp, fp, fn):
    """Three hits and one error."""
    scores = create("fair", weights=weights).formula(dict.fromkeys(KINDS, 0) | {"tp": 3, error: 1})
    tp += 3
    assert (scores["p"], scores["r"]) == (near(tp / (tp + fp)), near(tp / (tp + fn)))
    assert scores["f"] == near(2 * tp / (2 * tp + fp + fn))


# WRF, Weber et al.: tables 1 to 5, and the same sentence through every metric


SENTENCE = (
    "Repair costs (parts and labour) are often very high, since the workshop does not know which is the "
    "faulty location and then also replaces the ekmv or replaces because of the consequential damage to the scroll, "
    "(scroll tip is partially melted) by too high temperatures."
)


TOKENS = [match.span() for match in re.finditer(r"\w+|[^\w\s]", SENTENCE)]


GOLD = [(211, 221, "LOC"), (225, 241, "TYPE"), (246, 267, "TYPE")]


SPURIOUS = [(99, 105, "TYPE"), (142, 146, "LOC"), (202, 208, "LOC")]


with_tokens_or_without = pytest.mark.parametrize(
    "doc",
    [Document(GOLD, GOLD + SPURIOUS, SENTENCE, tokens=TOKENS), Document(GOLD, GOLD + SPURIOUS, SENTENCE)],
    ids=["reference tokens", "white space"],
)


def test_the_sentence_says_what_the_spans_say():
    assert [SENTENCE[start:end] for start, end, _ in GOLD] == [
        "scroll tip",
        "partially melted",
        "too high temperatures",
    ]
    assert [SENTENCE[start:end] for start, end, _ in SPURIOUS] == ["faulty", "ekmv", "scroll"]


def rouge(match: int, pred: int, gold: int) -> dict:
    return {
        "r1_p": near(Fraction(match, pred)),
        "r1_r": near(Fraction(match, gold)),
        "r1_f": near(Fraction(2 * match, pred + gold)),
    }


@with_tokens_or_without
def test_rouge_1_of_each_class_and_of_both_is_that_of_table_4(doc):
    result = scored(doc, "wrf")
    rows = result["per_type"] | {"combined": result["combined"]}
    for label, m, p, t in (("LOC", 2, 3, 2), ("TYPE", 5, 6, 5), ("combined", 7, 9, 7)):
        assert rows[label]["counts"] == {"match": m, "pred": p, "gold": t, "documents": 1}
        assert rows[label]["scores"] == rouge(m, p, t)
    assert (rouge(2, 3, 2)["r1_f"], rouge(5, 6, 5)["r1_f"], rouge(7, 9, 7)["r1_f"]) == (4 / 5, 10 / 11, 7 / 8)


@with_tokens_or_without
@pytest.mark.parametrize("average", ["docs", "micro"])
@pytest.mark.parametrize(
    ("weights", "expected", "printed"),
    [
        ("strict", (Fraction(4, 5) + Fraction(10, 11) + Fraction(7, 8)) / 3, 0.8614),
        ("lenient", (Fraction(4, 5) + Fraction(10, 11) + 2 * Fraction(7, 8)) / 4, 0.8648),
        (
            {"LOC": 0.5, "TYPE": 0.25, "combined": 0.25},
            (2 * Fraction(4, 5) + Fraction(10, 11) + Fraction(7, 8)) / 4,
            0.8460,
        ),
    ],
)
def test_wrf_is_the_weighted_sum_of_table_4(doc, average, weights, expected, printed):
    """The paper prints .87 for the lenient one: it weighed rounded values."""
    wrf = scored(doc, "wrf", weights=weights, average=average)["scores"]["wrf"]
    assert wrf == near(expected)
    assert round(wrf, 4) == printed


@with_tokens_or_without
def test_plain_rouge_1_is_that_of_table_3(doc):
    result = scored(doc, "wrf", unique=False)["combined"]
    assert result["counts"] == {"match": 7, "pred": 10, "gold": 7, "documents": 1}
    assert result["scores"] == rouge(7, 10, 7)
    assert round(result["scores"]["r1_f"], 4) == 0.8235


@with_tokens_or_without
def test_a_repeated_word_changes_nothing_in_table_5(doc):
    """One class; with the second "scroll" and without it, .80. The F of exact spans changes from 1/2 to 2/3."""
    locations = [span for span in (*GOLD, *SPURIOUS) if span[2] == "LOC"]
    repeated, once = (Document(GOLD[:1], pred, doc.text, tokens=doc.tokens) for pred in (locations, locations[:-1]))
    assert [scored(it, "wrf")["scores"]["wrf"] for it in (repeated, once)] == [near(Fraction(4, 5))] * 2
    assert [scored(it, "strict")["scores"]["f"] for it in (repeated, once)] == [
        near(Fraction(1, 2)),
        near(Fraction(2, 3)),
    ]


@with_tokens_or_without
def test_exact_spans_per_class_are_those_of_table_1(doc):
    rows = scored(doc, "strict")["per_type"]
    assert rows["LOC"]["scores"] == {"p": near(Fraction(1, 3)), "r": 1, "f": near(Fraction(1, 2))}
    assert rows["TYPE"]["scores"] == {"p": near(Fraction(2, 3)), "r": 1, "f": near(Fraction(4, 5))}


@with_tokens_or_without
def test_one_sentence_through_everything(doc):
    result = score([doc])
    assert (result["documents"], result["gold"], result["pred"]) == (1, 3, 6)
    metrics = result["metrics"]
    half_one_two_thirds = {"p": 0.5, "r": 1, "f": near(Fraction(2, 3))}

    assert metrics["strict"]["counts"] == {"tp": 3, "fp": 3, "fn": 0}
    assert metrics["strict"]["scores"] == half_one_two_thirds

    cor_3_spu_3 = {"cor": 3, "inc": 0, "par": 0, "mis": 0, "spu": 3, "pos": 3, "act": 6}
    assert metrics["semeval"]["schemes"] == dict.fromkeys(("strict", "exact", "partial", "type"), cor_3_spu_3)
    for scheme in metrics["semeval"]["schemes"]:
        assert {x: metrics["semeval"]["scores"][f"{scheme}_{x}"] for x in "prf"} == half_one_two_thirds

    assert metrics["slot_error"]["scores"] == {
        "ser": 1,
        "err": 0.5,
        "e": near(Fraction(1, 3)),
        "f": near(Fraction(2, 3)),
        "ser_acc": 0,
    }
    assert metrics["loio"]["scores"] == {"tp": 3, "fp": 3, "fn": 0} | half_one_two_thirds
    assert {kind: n for kind, n in metrics["fair"]["counts"].items() if n} == {"tp": 3, "fp": 3}
    assert metrics["fair"]["scores"] == half_one_two_thirds | {"be": 0}
    assert round(metrics["wrf"]["scores"]["wrf"], 4) == 0.8614
