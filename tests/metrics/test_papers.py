"""Numbers that the papers print: SemEval, slot error rate and Loio."""

from __future__ import annotations

from fractions import Fraction

import pytest
from asking import counted, near, scored
from toy import TOY

from spacy_nereval import Document

# The four schemes of SemEval-2013 as Lee Xin Jie works them out


SEMEVAL = Document(  # one pair of each kind, one gold span and one prediction left over
    gold=[(0, 5, "A"), (10, 15, "A"), (20, 25, "A"), (30, 35, "A"), (40, 45, "A")],
    pred=[(0, 5, "A"), (10, 15, "B"), (20, 28, "A"), (30, 38, "B"), (50, 55, "A")],
)


@pytest.mark.parametrize(
    ("scheme", "cor", "inc", "par", "worth"),
    [
        ("partial", 2, 0, 2, Fraction(3, 5)),
        ("type", 2, 2, 0, Fraction(2, 5)),
        ("exact", 2, 2, 0, Fraction(2, 5)),
        ("strict", 1, 3, 0, Fraction(1, 5)),
    ],
)
def test_the_four_schemes_of_semeval_give_three_two_two_and_one_fifth(scheme, cor, inc, par, worth):
    result = scored(SEMEVAL, "semeval")
    assert result["schemes"][scheme] == {"cor": cor, "inc": inc, "par": par, "mis": 1, "spu": 1, "pos": 5, "act": 5}
    assert {x: result["scores"][f"{scheme}_{x}"] for x in "prf"} == dict.fromkeys("prf", near(worth))


def test_the_other_measures_of_muc_5_come_from_the_partial_scheme():
    """Chinchor and Sundheim (1993): COR 2, INC 0, PAR 2, MIS 1, SPU 1."""
    scores = scored(SEMEVAL, "semeval")["scores"]
    expected = {"und": Fraction(1, 5), "ovg": Fraction(1, 5), "sub": Fraction(1, 4), "err": Fraction(3, 6)}
    assert {key: scores[key] for key in expected} == {key: near(value) for key, value in expected.items()}


# Makhoul et al. (1999)


@pytest.mark.parametrize(("inserted", "ser"), [(0, 1), (2, Fraction(6, 5))])
def test_a_system_that_misses_all_and_inserts_a_fifth_has_ser_1_2_and_err_1(inserted, ser):
    """Table 1, with N = 10."""
    spans = [(10 * k, 10 * k + 5, "A") for k in range(12)]
    scores = scored(Document(spans[:10], spans[10 : 10 + inserted]), "slot_error")["scores"]
    assert (scores["ser"], scores["err"], scores["ser_acc"]) == (near(ser), 1, 0)


def test_the_paper_s_f_takes_alpha_as_1_over_1_plus_beta_squared():
    """Equation 6 with C = 1, S = 3, D = 1, I = 1, and E = 1 - F."""
    for beta in (0.5, 1, 2):
        alpha = 1 / (1 + beta**2)
        scores = scored(SEMEVAL, "slot_error", beta=beta)["scores"]
        assert scores["f"] == near(1 / (1 + 3 + (1 - alpha) * 1 + alpha * 1))
        assert scores["e"] == near(1 - scores["f"])


def test_e_is_the_error_that_discounts_deletions_and_insertions_by_half():
    """Equation 8: (S + (D + I)/2) / (C + S + (D + I)/2)."""
    assert scored(SEMEVAL, "slot_error")["scores"]["e"] == near(Fraction(4, 5))


def test_named_entities_of_muc_have_two_slots():
    """Section 2: type and extent. Right in both: 2 of 10. One wrong, twice: 2 right. Both wrong: 2 substituted."""
    scores = scored(SEMEVAL, "slot_error", slots="muc")["scores"]
    c, s, d, i = 4, 4, 2, 2
    assert scores["ser"] == near(Fraction(s + d + i, c + s + d))
    assert scores["err"] == near(Fraction(s + d + i, c + s + d + i))
    assert scores["f"] == near(Fraction(2 * c, 2 * c + 2 * s + d + i))


def test_etape_charges_half_for_one_wrong_slot():
    """(I + D + (T + F)/2 + B)/N as published in Jouffroy et al. (2021), with T = F = B = D = I = 1 and N = 5."""
    assert scored(SEMEVAL, "slot_error", weights="etape")["scores"]["ser"] == near(Fraction(4, 5))


def test_the_toy_sentence_of_the_campaign_measures_costs_three_quarters():
    assert scored(TOY, "slot_error", weights="etape")["scores"]["ser"] == near(Fraction(3, 4))


# Loio


AGREEMENT = "This DIAGNOSTIC PLATFORM BENCHMARKING STUDY AND EVALUATION AGREEMENT (the “Agreement”)"


PROYARD = (
    "ProYard Services, a Delaware corporation having its principal place of business at "
    "2140 Science Center Drive Burley, San Diego, CA, USA, ID 83318 (“PartyA”)"
)


ZOEMENS = (
    "ZOEMENS AG, a German corporation having its principal place of business at "
    "Nuernbergerstrasse 89, 23626 Ratekau (“PartyB”)"
)


CONTRACT = (
    f"{AGREEMENT} is made and entered into as of the last date of signature below "
    f"(the “Effective Date”), by and between {PROYARD} and {ZOEMENS}."
)


def place(part: str, label: str = "PARTY") -> tuple[int, int, str]:
    return CONTRACT.index(part), CONTRACT.index(part) + len(part), label


LOIO = Document(
    gold=[place(PROYARD), place(ZOEMENS)],
    pred=[place(AGREEMENT), place(PROYARD.partition(", ID")[0]), place("83318 (“PartyA”)"), place(ZOEMENS)],
    text=CONTRACT,
)


def test_two_parties_to_a_contract_earn_one_and_three_quarters_of_135_156ths():
    """Loio, "An example": 1 exact, 135 of 156 characters; the third prediction comes too late."""
    tp = 1 + Fraction(3, 4) * Fraction(135, 156)
    result = scored(LOIO, "loio")
    assert result["counts"] == {"exact": 1, "overlap": near(Fraction(135, 156)), "gold": 2, "pred": 4}
    assert result["scores"] == {
        "tp": near(tp),
        "fp": near(4 - tp),
        "fn": near(2 - tp),
        "p": near(tp / 4),
        "r": near(tp / 2),
        "f": near(2 * tp / (2 * tp + 4 - tp + 2 - tp)),
    }


def test_the_article_prints_these_numbers():
    """Its F of .5496 comes from multiplying rounded numbers; .54968 does not."""
    scores = {key: round(value, 5) for key, value in scored(LOIO, "loio")["scores"].items()}
    assert scores == {"tp": 1.64904, "fp": 2.35096, "fn": 0.35096, "p": 0.41226, "r": 0.82452, "f": 0.54968}


@pytest.mark.parametrize("s", [0, 0.75, 1])
def test_a_spurious_span_of_length_zero_is_spurious(s):
    """The author's library counts it as a match, which leaves -1 missing spans."""
    scores = scored(Document([], [(3, 3, "SPACING")]), "loio", s=s)["scores"]
    assert (scores["tp"], scores["fp"], scores["fn"]) == (0, 1, 0)


def test_a_missed_span_of_length_zero_takes_no_partner_from_others():
    """In the author's library it swallows the partial match of the other two."""
    doc = Document([(3, 3, "A"), (0, 8, "A")], [(2, 6, "A")])
    assert counted(doc, "loio") == {"overlap": 0.5, "gold": 2, "pred": 1}


def test_a_span_of_length_zero_matches_exactly():
    """Steps 2 and 3 of the article."""
    assert counted(Document([(3, 3, "A")], [(3, 3, "A")]), "loio") == {"exact": 1, "gold": 1, "pred": 1}
