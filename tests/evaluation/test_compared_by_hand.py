"""Differences of two systems and their tests, worked by hand."""

from __future__ import annotations

import pytest
from compared import TEN, WORKED_A, WORKED_B, by_score, compare, strictly

from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.result import plain


def test_the_worked_example_of_six_documents():
    """Five of them differ: there is a difference, and neither interval nor p."""
    a, b = strictly(WORKED_A), strictly(WORKED_B)
    f = by_score(plain(compare(a, b)))["strict", "f"]
    assert f["baseline_value"] == pytest.approx(0.795918, abs=5e-7)
    assert f["value"] == pytest.approx(0.734694, abs=5e-7)
    assert f["difference"] == pytest.approx(-0.0612245, abs=5e-8)
    assert (f["differing"], f["p"], f["p_better"], f["interval"], f["detectable"]) == (
        *(5, None, None),
        [None, None],
        None,
    )
    result = comparison([System("a", a), System("b", b)], [])
    assert (result["swaps"], result["exact"], result["units"]) == (64, True, 6)


def test_the_worked_example_of_ten_documents():
    a, b = (strictly([tuple(map(int, row[at : at + 3])) for row in TEN]) for at in (0, 3))
    (f,) = (row for row in comparison([System("A", a), System("B", b)], [])["comparisons"] if row["score"] == "f")
    assert (f["baseline_value"], f["value"]) == pytest.approx((0.776119, 0.655738), abs=5e-7)
    assert (f["p"], f["p_holm"], f["family"], f["tests"]) == (40 / 1024, 40 / 1024, "primary", 1)
    assert f["interval"] == pytest.approx([-0.199665, -0.023757], abs=5e-7)
    assert f["detectable"] == pytest.approx(0.12572, abs=5e-6)
