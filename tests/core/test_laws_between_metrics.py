"""What the papers say of one metric beside another."""

from __future__ import annotations

import pytest
from asking import scored, tables
from hypothesis import given
from profiles import tries
from strategies import corpora, nested

# Between metrics


@tries(100)
@given(corpora())
def test_strict_f_is_below_the_f_of_every_other_scheme(corpus):
    strict, scores = scored(corpus, "strict")["scores"]["f"], scored(corpus, "semeval")["scores"]
    assert strict == scores["strict_f"]
    assert strict is None or all(strict <= scores[f"{scheme}_f"] for scheme in ("exact", "partial", "type"))


@pytest.mark.parametrize("slots", ["entity", "muc"])
@tries(100)
@given(corpus=corpora())
def test_ser_is_at_least_err_and_err_at_least_e(slots, corpus):
    """Makhoul et al. (1999), section 6."""
    scores = scored(corpus, "slot_error", slots=slots)["scores"]
    assert scores["ser"] is None or scores["ser"] >= scores["err"]
    assert scores["err"] is None or scores["err"] >= scores["e"] - 1e-12


@pytest.mark.parametrize("unit", ["char", "token"])
@tries(100)
@given(doc=nested())
def test_fair_counts_no_fewer_than_the_longer_side_and_no_more_than_both(unit, doc):
    """Ortmann (2022), section 2.1."""
    n, m = len(doc.gold), len(doc.pred)
    assert max(n, m) <= sum(tables(doc, "fair", unit=unit).total.values()) <= n + m


@tries(100)
@given(corpora())
def test_fair_with_traditional_weights_is_strict(corpus):
    traditional = scored(corpus, "fair", weights="traditional")
    strict = scored(corpus, "strict")
    assert {key: traditional["scores"][key] for key in "prf"} == strict["scores"]
    for label, row in strict["per_type"].items():
        assert {key: traditional["per_type"][label]["scores"][key] for key in "prf"} == row["scores"]


@tries(100)
@given(corpora())
def test_loio_without_credit_is_strict(corpus):
    scores = scored(corpus, "loio", s=0)["scores"]
    assert {key: scores[key] for key in "prf"} == scored(corpus, "strict")["scores"]


@tries(100)
@given(corpora())
def test_the_optimum_of_loio_is_no_less_than_the_walk(corpus):
    walk, optimal = (scored(corpus, "loio", match=match)["counts"]["overlap"] for match in ("walk", "optimal"))
    assert walk <= optimal + 1e-12


@tries(100)
@given(corpora())
def test_the_words_of_all_classes_are_the_words_of_each(corpus):
    """With repetition they add up, and what matches in a class matches among all."""
    result = scored(corpus, "wrf", unique=False)
    rows = [row["counts"] for row in result["per_type"].values()]
    assert result["counts"]["gold"] == sum(row["gold"] for row in rows)
    assert result["counts"]["pred"] == sum(row["pred"] for row in rows)
    assert result["counts"]["match"] >= sum(row["match"] for row in rows)
