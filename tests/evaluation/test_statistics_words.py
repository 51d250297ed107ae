"""What may be said of a difference, what never, and the lines below it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import python

from spacy_nereval.evaluation.statistics.conclusion import Conclusion, Footing, footer, sentence, signature_part
from spacy_nereval.evaluation.statistics.differences import at_floor
from spacy_nereval.evaluation.statistics.intervals import needs_warning
from spacy_nereval.evaluation.statistics.power import (
    detectable_difference,
    detectable_difference_of_runs,
    equivalence_level,
    equivalent,
)

FORBIDDEN = ("significant", "trend", "equal", "no difference", "prove", "*")

FOUND = Conclusion(
    baseline="A",
    system="B",
    difference=3.25,
    low=0.5,
    high=6.0,
    p=0.02,
    p_holm=0.04,
    tests=2,
    detectable=3.9,
    differing=40,
)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"differing": 5}, "the outputs differ in 5 documents: nothing can be told"),
        ({"differing": 1, "units": "blocks"}, "the outputs differ in 1 block: nothing can be told"),
        (
            {},
            "B scores higher than A on texts like these, by 3.25 points (0.50 to 6.00); "
            "for these trained models; another training was not tried",
        ),
        (
            {"difference": -3.25, "low": -6.0, "high": -0.5, "one_run": False, "differing": None},
            "B scores lower than A on texts like these, by 3.25 points (0.50 to 6.00)",
        ),
        (
            {"higher_is_better": False, "one_run": False},
            "B scores higher than A on texts like these, by 3.25 points (0.50 to 6.00), and less is better",
        ),
        # A difference that is found is told first, however small it is.
        (
            {"same_within": 9.0, "one_run": False},
            "B scores higher than A on texts like these, by 3.25 points (0.50 to 6.00)",
        ),
        ({"p_holm": 0.06, "same_within": 2.5}, "the same within 2.5 points"),
        ({"p_holm": 0.06, "same_within": 1.0}, "the same within 1 point"),
        ({"p_holm": 0.06}, "alone this would be a difference; among 2 tests it may be luck"),
        (
            {"p": 0.2, "p_holm": 0.4, "low": -1.25},
            "not settled: between -1.25 and +6.00 points; "
            "these documents show a difference of 3.90 points 4 times in 5",
        ),
        (
            {"difference": np.nan, "p": np.nan, "p_holm": np.nan},
            "the score is undefined for one of the two: nothing can be told",
        ),
        (
            {"p": np.nan, "p_holm": np.nan},
            "the spread of this difference cannot be estimated: nothing can be told",
        ),
    ],
)
def test_the_first_sentence_that_fits(changed: dict[str, object], said: str) -> None:
    assert sentence(FOUND._replace(**changed)) == said  # type: ignore[arg-type]


def test_the_level_decides() -> None:
    """At exactly 1 - level a difference is told, as the interval then leaves out 0."""
    for level, p in [(0.95, 0.05), (0.9, 0.1), (0.99, 0.01)]:
        assert sentence(FOUND._replace(p=p, p_holm=p, level=level)).startswith("B scores higher")
        assert sentence(FOUND._replace(p=p + 1e-6, p_holm=p + 1e-6, level=level)).startswith("not settled")


@pytest.mark.parametrize(("low", "high"), [(0.0, 6.0), (-6.0, 0.0), (-1.0, 1.0)])
def test_an_interval_that_reaches_0_settles_nothing_without_a_test(low: float, high: float) -> None:
    assert sentence(FOUND._replace(tested=False, low=low, high=high)).startswith("not settled: between")


def test_mixed_up_p_values_are_refused() -> None:
    with pytest.raises(ValueError, match="swapped"):
        sentence(FOUND._replace(p=0.04, p_holm=0.02))


points = st.floats(-100, 100)
share = st.floats(0, 1)


@given(
    difference=points,
    bounds=st.tuples(points, points),
    p=st.tuples(share, share),
    tests=st.integers(1, 99),
    differing=st.none() | st.integers(0, 50),
    margin=st.none() | st.floats(0.1, 9),
    flags=st.tuples(st.booleans(), st.booleans()),
)
def test_forbidden_words_are_never_said(
    difference: float,
    bounds: tuple[float, float],
    p: tuple[float, float],
    tests: int,
    differing: int | None,
    margin: float | None,
    flags: tuple[bool, bool],
) -> None:
    found = Conclusion(
        "A", "B", difference, min(bounds), max(bounds), min(p), max(p), tests, 4.0, differing, margin, flags[0]
    )
    said = sentence(found._replace(higher_is_better=flags[1]))
    footing = Footing("id", 10, 9.4, 0, 1000, 0.95, 1024, flags[0], (3, 3))
    said += footer(footing) + signature_part(footing)
    assert len(said) > 20
    assert not [word for word in FORBIDDEN if word in said.lower()]


def test_footer_and_signature() -> None:
    footing = Footing("prefix:(.*)-", 431, 215.04, 7, swaps=10_000, runs=(3, 5))
    assert footer(footing) == (
        "unit prefix:(.*)-, 431 units (effectively 215.0), seed 7, 10000 swaps, training runs 3 and 5"
    )
    assert signature_part(footing) == "half:1000,seed:7,level:0.95,unit:prefix:(.*)-|swaps:10000"
    score_alone = Footing("id", 1, 1.0, 0)
    assert footer(score_alone) == "unit id, 1 unit (effectively 1.0), seed 0"
    assert signature_part(score_alone) == "half:1000,seed:0,level:0.95,unit:id"


@pytest.mark.parametrize(
    ("p", "swaps", "exact", "least"),
    [
        (1 / 10001, 10000, False, True),
        (2 / 10001, 10000, False, False),
        (1 / 100001, 100000, False, True),
        (1 / 64, 64, True, False),
        (float("nan"), 64, False, False),
        (None, 64, False, False),
    ],
)
def test_the_least_p_of_random_swaps(p: float | None, swaps: int, exact: bool, least: bool) -> None:
    assert at_floor(p, swaps, exact=exact) is least


def test_detectable_differences() -> None:
    assert detectable_difference([-1, 0], [1, 4]).round(4).tolist() == [1.4294, 2.8588]
    assert detectable_difference(-1, 1, level=0.9) == pytest.approx((1.644854 + 0.841621) / 1.644854, abs=1e-6)
    assert detectable_difference_of_runs(1.0, 1e9) == pytest.approx(1.959964 + 0.841621, abs=1e-6)
    with pytest.raises(ValueError, match="above the upper"):
        detectable_difference(1, 0)


def test_the_same_within_a_margin() -> None:
    assert equivalent([-0.9, -1.0, np.nan, 0.1], [0.9, 0.9, 0.5, 1.1], 1.0).tolist() == [True, False, False, False]
    assert (equivalence_level(0.95), equivalence_level(0.99)) == (0.9, 0.98)
    for margin in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="above 0"):
            equivalent(-1, 1, margin)
    with pytest.raises(ValueError, match="above 0.5"):
        equivalence_level(0.5)


def test_warning() -> None:
    assert needs_warning([19.99, 20, 5]).tolist() == [True, False, True]


def test_scipy_is_not_loaded_before_it_is_needed() -> None:
    code = (
        "import sys\n"
        "import spacy_nereval.evaluation.statistics.differences\n"
        "import spacy_nereval.evaluation.statistics.conclusion, spacy_nereval.evaluation.statistics.runs\n"
        "print('scipy.special' in sys.modules)"
    )
    done = python("-c", code)
    assert done.stdout == "False\n", done.stderr
