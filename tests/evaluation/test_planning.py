"""How many units make an interval narrow: the numbers of the definition."""

import pytest

from spacy_nereval.evaluation.planning import plan_half_width, units_for_half_width, variance_factors


def test_the_units_for_a_half_width_by_hand():
    assert units_for_half_width(0.95, 0.04, 2 / 3, 0.8) == 2285
    assert units_for_half_width(0.5, 0.05, 1, 1) == 771
    assert variance_factors(19) == pytest.approx((0.63032, 1.87802), abs=5e-6)
    assert variance_factors(19 / 2) == pytest.approx((0.53929, 2.61701), abs=5e-6)


def test_a_plan_is_that_of_the_variance_of_a_single_unit_and_its_range_that_of_the_variance():
    """Of 30 units effectively 20 tell something, and 24 hold the variance."""
    plan = plan_half_width(0.95 / 30, 0.04, 20, 23, 30)
    assert plan and plan.units == 2285
    low, high = variance_factors(23 / 2)
    assert plan.between == (-(-2285 * low // 1), -(-2285 * high // 1))


@pytest.mark.parametrize("margin", [1e-9, 5e-324])
def test_no_number_where_nothing_varies_or_more_units_are_needed_than_there_can_be(margin):
    assert plan_half_width(0.0, 0.04, 20, 19, 20) is None
    assert plan_half_width(0.01, margin, 20, 19, 20) is None
