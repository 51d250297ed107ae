"""Statistics worked out elsewhere, libraries that compute the same, refusals, and what is said of a difference."""

from random import Random
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from processes import python
from refusals import refused_with

from spacy_nereval import Confidence, Document, score
from spacy_nereval.evaluation.bounds import (
    average_accuracy_interval,
    effective_units,
    macro_interval,
    poisson_interval,
    score_intervals,
    wilson_interval,
)
from spacy_nereval.evaluation.conclusion import Footing, conclude, footer, margin_sentence, signature_part
from spacy_nereval.evaluation.differences import (
    SAME_WITHIN,
    detectable_difference,
    equivalence_level,
    is_at_floor,
    margin_answer,
    number_of_swaps,
    swap_test,
    t_test,
    units_to_tell,
)
from spacy_nereval.evaluation.resampling import half_samples, patterns
from spacy_nereval.evaluation.tested import count_data_sets, holm, holm_by_family
from spacy_nereval.evaluation.variance import influences, run_errors


def test_bits() -> None:
    found = half_samples(0, ["d0", "d1"], 16)
    assert ["".join(map(str, column)) for column in found.T] == ["1101110010000000", "0110101111010101"]


@pytest.mark.parametrize(
    ("share", "number"), [(0, 10), (3, 10), (10, 10), (1, 3), (437, 500), (80, 100)], ids=lambda n: str(n)
)
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_wilson_is_that_of_scipy(share: int, number: int, level: float) -> None:
    theirs = scipy.stats.binomtest(share, number).proportion_ci(level, method="wilson")
    ours = wilson_interval(share / number, number, scipy.stats.norm.ppf((1 + level) / 2))
    assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_macro() -> None:
    inner = (0.6, 0.8)
    assert macro_interval([0.9, 0.5], [0.8, 0.2], [0.95, 0.8], inner) == pytest.approx((0.54189, 0.85207), abs=5e-6)
    assert macro_interval([0.9, 0.5], [0.8, 0.2], [0.95, 0.8], (0.5, 0.9)) == (0.5, 0.9)


COST = 0, np.inf
"""The limits of a cost without upper limit."""


@pytest.mark.parametrize(
    ("scores", "bounds", "own", "expected"),
    [
        ([0.5, 1.2], [(0.3, 0.8), (0.4, 40)], (0.6, 1.3), (0.23901, 1.89845)),
        ([0.5, 1.0], [(0.3, 0.8), (0.1, np.inf)], (0.6, 0.9), (0.23686, 1.75778)),
    ],
)
def test_macro_of_costs(scores: Any, bounds: Any, own: Any, expected: Any) -> None:
    assert macro_interval(scores, *zip(*bounds), own, limits=COST) == pytest.approx(expected, abs=5e-6)


def test_an_average_accuracy_has_the_interval_of_the_cost_turned_over() -> None:
    assert average_accuracy_interval(0.42, 0.6, 0.45, 0.85) == pytest.approx((0.17, 0.57))
    assert average_accuracy_interval(0.1, 0.9, 0.0, 1.5) == pytest.approx((0, 1))
    assert average_accuracy_interval(0.8, 0.4, 0.1, 0.5) == pytest.approx((0.7, 1))


@pytest.mark.parametrize(("errors", "spans"), [(0, 10), (3, 10), (12, 4), (400, 1000)])
def test_the_interval_of_a_poisson_mean_is_that_of_statsmodels(errors: int, spans: int) -> None:
    rates = pytest.importorskip("statsmodels.stats.rates", reason="statsmodels is in the extra `test`")
    theirs = rates.confint_poisson(errors, spans, method="score")
    ours = poisson_interval(errors / spans, spans, scipy.stats.norm.ppf(0.975))
    assert ours == pytest.approx(theirs, abs=1e-9)


MANY_ERRORS = [7, 5, 9, 4, 6, 8, 5, 7, 6, 10]
GOLD_OF_TEN = [4, 3, 5, 2, 4, 5, 3, 4, 3, 6]
SIX_UNITS = [(8, 2, 1), (5, 1, 3), (9, 1, 2), (4, 3, 2), (7, 0, 1), (6, 2, 2)]
"""Hits, spurious and missed spans of six documents."""

COSTS = {
    "six documents": (
        [b + c for _, b, c in SIX_UNITS],
        [a + c for a, _, c in SIX_UNITS],
        None,
        0.95,
        (0.20035, 0.79860),
    ),
    "at 90 %": ([b + c for _, b, c in SIX_UNITS], [a + c for a, _, c in SIX_UNITS], None, 0.9, (0.23205, 0.68950)),
    "more errors than spans": (MANY_ERRORS, GOLD_OF_TEN, [2 * g for g in GOLD_OF_TEN], 0.95, (1.44388, 2.04403)),
    "no errors": ([0] * 10, [1] * 10, [1] * 10, 0.95, (0, 0.51174)),
    "all of one kind": ([1] * 10, [1] * 10, [1] * 10, 0.95, (0.85561, 1.16876)),
}


@pytest.mark.parametrize("name", COSTS)
def test_costs_without_upper_limit(name: str) -> None:
    made, gold, weights, level, expected = COSTS[name]
    errors, spans = np.array(made, dtype=float), np.array(gold, dtype=float)
    sizes = [2 * a + b + c for a, b, c in SIX_UNITS] if weights is None else weights
    left = (errors.sum() - errors) / (spans.sum() - spans)
    value = [errors.sum() / spans.sum()]
    known = influences(value, np.zeros(len(left), dtype=int), left, len(left))
    number, mixed = [effective_units(sizes)], [(errors > 0).sum()]
    found = score_intervals(
        value, known.variance, number, bearers=known.bearers, mixed=mixed, lone=known.lone, level=level, limits=COST
    )
    assert (found.low[0], found.high[0]) == pytest.approx(expected, abs=5e-6)


@pytest.mark.parametrize(("tests", "swaps"), [(0, 10_000), (5, 10_000), (6, 12_000), (22, 44_000), (51, 100_000)])
def test_number_of_swaps(tests: int, swaps: int) -> None:
    assert number_of_swaps(tests) == swaps


def test_three_runs_each() -> None:
    found = run_errors([0.81, 0.84, 0.79], [0.86, 0.85, 0.88], 0.014**2, 179)
    assert float(found.difference) == pytest.approx(0.05, abs=1e-12)
    assert float(found.error) == pytest.approx(0.0220202, abs=5e-8)
    assert float(found.freedom) == pytest.approx(9.2119, abs=5e-5)
    assert float(found.share) == pytest.approx(0.5958, abs=5e-5)
    test = t_test(*found[:3])
    assert float(test.p) == pytest.approx(0.04867, abs=5e-6)
    assert (float(test.low), float(test.high)) == pytest.approx((0.00036, 0.09964), abs=5e-6)
    assert float(test.detectable) == pytest.approx(0.06907, abs=5e-6)


@pytest.mark.parametrize("runs", [(2, 2), (3, 5), (5, 3)])
def test_runs_are_welchs_test_where_documents_add_nothing(runs: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    first, second = (rng.normal(0.8, 0.02, (number, 4)) for number in runs)
    found = run_errors(first, second, np.zeros(4), 49)
    test = t_test(*found[:3])
    theirs = scipy.stats.ttest_ind(second, first, equal_var=False)
    assert test.p == pytest.approx(theirs.pvalue, abs=1e-12)
    low, high = theirs.confidence_interval(0.95)
    assert np.array([test.low, test.high]) == pytest.approx(np.array([low, high]), abs=1e-12)
    assert found.share == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("number", [1, 2, 30])
def test_holm_is_that_of_statsmodels(number: int) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest", reason="statsmodels is in the extra `test`")
    p = np.random.default_rng(0).random(number) ** 3
    assert holm(p) == pytest.approx(multitest.multipletests(p, method="holm")[1], abs=1e-12)


def test_scores_and_averages_of_labels_are_those_of_scikit_learn() -> None:
    """One span per document, on the same characters: strict F is that of a classification."""
    peer = pytest.importorskip("sklearn.metrics", reason="scikit-learn comes with the extra `test`")
    rng = Random(3)
    labels = ["A", "B", "C", "D"]
    gold = rng.choices(labels, [6, 3, 2, 1], k=60)
    pred = [label if rng.random() < 0.7 else rng.choice(labels) for label in gold]
    found = score([Document([(0, 3, ours)], [(0, 3, theirs)]) for ours, theirs in zip(gold, pred)], ["strict"])
    own = found["metrics"]["strict"]
    for average in ("macro", "weighted"):
        assert own["averages"][average]["f"] == pytest.approx(peer.f1_score(gold, pred, average=average))
    assert own["scores"]["f"] == pytest.approx(peer.f1_score(gold, pred, average="micro"))
    for label, *theirs in zip(labels, *peer.precision_recall_fscore_support(gold, pred, labels=labels)[:3]):
        assert [own["per_type"][label]["scores"][name] for name in "prf"] == pytest.approx(theirs)


def test_bad_input_is_refused() -> None:
    def refused(match: str, call: Any, *arguments: Any, **options: Any) -> None:
        with pytest.raises(ValueError, match=match):
            call(*arguments, **options)

    refused("1 or more, not 0", half_samples, 0, ["a"], 0)
    refused("'a' occurs twice", patterns, 0, ["a", "b", "a"], 10)
    refused("at least 1 row", lambda: list(patterns(0, ["a"], 10).blocks(0)))
    refused("not negative", effective_units, [1, -1])
    refused("^level=95: expected a number between 0 and 1, such as 0.95", score_intervals, 0.5, 0.01, 9, level=95)
    for level in (0, 1, 1e-20, 1 - 1e-16, np.nan):
        refused("between 0 and 1, such as 0.95", score_intervals, 0.5, 0.01, 9, level=level)
        refused("between 0 and 1, such as 0.95", Confidence(level=level).checked)
    refused("outside its limits", score_intervals, 1.5, 0.01, 9)
    refused("outside its limits", score_intervals, -0.5, 0.01, 9, limits=(0, np.inf))
    refused("give 2 for all or each", score_intervals, [0.5], 0.01, 9, limits=[(0, 1), (0, np.inf)])
    refused("give 2 for all or each", score_intervals, 0.5, 0.01, 9, limits=(0, 0.5, 1))
    refused("for scores of shape", score_intervals, [0.5, 0.6], [0.01], 9)
    refused("2 or more", score_intervals, 0.5, 0.01, 9, runs=[0.5])
    refused("per label", macro_interval, [], [], [], (0, 1))
    refused("defined scores", macro_interval, [np.nan], [0], [1], (0, 1))
    refused("need the shape", swap_test, [0.1], [0.1], [0], exact=True, differing=9)
    refused("2 balances", swap_test, 0.1, [0.1], [0, 0], exact=True, differing=9)
    refused("balances need", swap_test, [0.1], [[0.1]], [[0, 0]], exact=True, differing=9)
    refused("list of p-values", holm, 0.1)
    refused("between 0 and 1", holm, [1.1])
    refused("one per p-value", holm_by_family, [0.1], ["primary", "labels"])
    assert holm_by_family([np.nan, 0.1], ["labels", "labels"]).sizes.tolist() == [1, 1]
    refused("one run", run_errors, [0.1], [0.2], 0.1, 9)
    refused("no run", run_errors, [], [0.2, 0.1], 0.1, 9)
    refused("agree", run_errors, [0.1, 0.2], [0.2, 0.1], [0.1], 9)
    refused("above 0", count_data_sets, [0.0])
    refused("one for each", count_data_sets, [])


@pytest.mark.parametrize("level", [0.001, 1 - 1e-9])
@pytest.mark.parametrize("k", [1, 5.8, 1e6])
def test_intervals_at_the_ends_of_the_levels_have_width(level: float, k: float) -> None:
    found = score_intervals([0, 0.3, 1], 0.0, k, level=level)
    assert (found.low < found.high).all()


# What is said of a difference

FORBIDDEN = ("significant", "trend", "equal", "no difference", "prove", "*")

FOUND: dict[str, Any] = {"system": "B", "difference": 0.0325, "interval": [0.005, 0.06], "p": 0.02, "p_holm": 0.04}
FOUND |= {"tests": 2, "detectable": 0.039, "differing": 40, "runs": [3, 3], "same_within": None, "margin_answer": None}
FOUND |= {"score_unit": "ratio", "higher_is_better": True}
HIGHER = "B scores higher than A on similar texts, by 3.25 points (0.50 to 6.00)"
TOO_FEW = "too few to test (between +0.50 and +6.00 points)"
FROM_HALVES = {"standard_error": 0.01, "p": None, "p_holm": None}
NOT_SETTLED = (
    "not settled: between {} and {} points; a true difference of 3.90 points would be detected in 80 % of such samples"
)


def said_of(units: str = "documents", level: float = 0.95, **changed: Any) -> str:
    return conclude(FOUND | changed, baseline="A", level=level, units=units)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"differing": 5}, f"in this score the outputs differ in 5 documents: {TOO_FEW}"),
        ({"differing": 1, "units": "blocks"}, f"in this score the outputs differ in 1 block: {TOO_FEW}"),
        ({"differing": 5, "interval": [None, None]}, "the outputs differ in 5 documents: too few to test"),
        (
            {"differing": 5, "same_within": 9.0, "margin_answer": "the same within 9 points"},
            f"in this score the outputs differ in 5 documents: {TOO_FEW}; the same within 9 points",
        ),
        ({"runs": [1, 1]}, f"{HIGHER}; for these trained models; retraining variance is not included"),
        *(({"runs": runs}, HIGHER) for runs in ([1, 5], [5, 1])),
        ({"difference": -0.0325, "interval": [-0.06, -0.005], "differing": None}, HIGHER.replace("higher", "lower")),
        ({"higher_is_better": False}, f"{HIGHER}, and less is better"),
        ({"score_unit": "count", "difference": 3.25, "interval": [0.5, 6]}, HIGHER),
        # A difference that is found is told first, however small it is.
        ({"same_within": 9.0}, HIGHER),
        ({"p_holm": 0.06, "same_within": 2.5}, "the same within 2.5 points"),
        ({"p_holm": 0.06, "same_within": 1.0}, "the same within 1 point"),
        ({"p_holm": 0.06}, "alone this would be a difference; among 2 tests it may be luck"),
        ({"p": 0.2, "p_holm": 0.4, "interval": [-0.0125, 0.06]}, NOT_SETTLED.format("-1.25", "+6.00")),
        (
            {"p": 0.4, "p_holm": 0.4, "interval": [-1.0, 1.0], "detectable": 1.4734},
            "not settled: between -100.00 and +100.00 points; "
            "no true difference below 100 points would be detected in 80 % of such samples",
        ),
        ({"difference": None}, "the score is undefined for one of the two: no test"),
        ({"p": None, "p_holm": None}, "the spread of this difference cannot be estimated: no test"),
        # The answer about a margin follows, unless it is the sentence itself.
        ({"margin_answer": "better by more than 1 point"}, f"{HIGHER}; better by more than 1 point"),
        ({"p_holm": 0.06, "same_within": 1.0, "margin_answer": "the same within 1 point"}, "the same within 1 point"),
        # Without a test, an interval that reaches 0 settles nothing.
        (FROM_HALVES | {"interval": [0.0, 0.06]}, NOT_SETTLED.format("+0.00", "+6.00")),
        (FROM_HALVES | {"interval": [-0.06, 0.0]}, NOT_SETTLED.format("-6.00", "+0.00")),
        (FROM_HALVES | {"interval": [None, None]}, "possibly fewer than 6 documents differ: too few to test"),
        (
            FROM_HALVES,
            "B scored higher than A, by 3.25 points (0.50 to 6.00); "
            "there is no test, since collapsed counts keep no documents",
        ),
    ],
)  # fmt: skip
def test_the_first_sentence_that_fits(changed: dict[str, Any], said: str) -> None:
    assert said_of(**changed) == said


def test_the_level_decides() -> None:
    """At exactly 1 - level a difference is told, as the interval then leaves out 0."""
    for level, p in [(0.95, 0.05), (0.9, 0.1), (0.99, 0.01)]:
        assert said_of(p=p, p_holm=p, level=level).startswith("B scores higher")
        assert said_of(p=p + 1e-6, p_holm=p + 1e-6, level=level).startswith("not settled")


def test_mixed_up_p_values_are_refused() -> None:
    with refused_with(ValueError, "p corrected (0.02) is smaller than p (0.04); are they swapped?"):
        said_of(p=0.04, p_holm=0.02)


share = st.floats(0, 1)


@given(
    bounds=st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1)),
    p=st.tuples(share, share),
    tests=st.integers(1, 99),
    differing=st.none() | st.integers(0, 50),
    margin=st.none() | st.floats(0.1, 9),
    needed=st.none() | st.integers(1, 9999),
    flags=st.tuples(st.booleans(), st.booleans()),
)
def test_forbidden_words_are_never_said(bounds, p, tests, differing, margin, needed, flags):
    low, difference, high = sorted(bounds)
    row: dict[str, Any] = {"difference": difference, "interval": [low, high], "p": min(p), "p_holm": max(p)}
    row |= {"tests": tests, "differing": differing, "higher_is_better": flags[1], "runs": [1 + flags[0]] * 2}
    if margin is not None:
        answer = margin_answer(100 * low, 100 * high, margin)
        row["margin_answer"] = margin_sentence(answer, margin, "documents", needed, 2)
        row["same_within"] = margin if answer == SAME_WITHIN else None
    footing = Footing("id", 10, 9.4, 0, 1000, 0.95, 1024, flags[0], (3, 3))
    said = said_of(**row) + footer(footing) + signature_part(footing)
    assert len(said) > 20
    assert not [word for word in FORBIDDEN if word in said.lower()]


def test_footer_and_signature() -> None:
    footing = Footing("prefix:(.*)-", 431, 215.04, 7, swaps=10_000, runs=(3, 5))
    assert footer(footing) == (
        "unit prefix:(.*)-, 431 units (effectively 215.0), seed 7, 10,000 permutations, training runs 3 and 5"
    )
    assert signature_part(footing) == "seed:7,level:0.95,unit:prefix:(.*)-|swaps:10000"
    score_alone = Footing("id", 1, 1.0, 0)
    assert footer(score_alone) == "unit id, 1 unit (effectively 1.0), seed 0"
    assert signature_part(score_alone) == "seed:0,level:0.95,unit:id"


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
    assert is_at_floor(p, swaps, exact=exact) is least


def test_detectable_differences() -> None:
    assert detectable_difference([-1, 0], [1, 4]).round(4).tolist() == [1.4294, 2.8588]
    assert detectable_difference(-1, 1, level=0.9) == pytest.approx((1.644854 + 0.841621) / 1.644854, abs=1e-6)
    assert float(t_test(0, 1.0, 1e9).detectable) == pytest.approx(1.959964 + 0.841621, abs=1e-6)
    with refused_with(ValueError, "the lower bound of an interval must not be above the upper one"):
        detectable_difference(1, 0)


ANSWERS = {
    (1.1, 3.0): ("better by more", "better by more than 1 point"),
    (0.1, 0.9): ("better by less", "better, by less than 1 point"),
    (-0.9, 0.9): ("same", "the same within 1 point"),
    (-0.9, -0.1): ("same", "the same within 1 point"),
    (0.1, 3.0): ("not worse", "not worse by 1 point or more"),
    (-0.9, 1.0): ("not worse", "not worse by 1 point or more"),
    (-3.0, -1.1): ("worse by more", "worse by more than 1 point"),
    (-1.0, 0.9): ("not enough data", "not enough data for a margin of 1 point"),
    (-3.0, 3.0): ("not enough data", "not enough data for a margin of 1 point; about 90 units like these would decide"),
    (-np.inf, np.inf): ("not enough data", "not enough data for a margin of 1 point"),
    (np.nan, np.nan): ("not enough data", "not enough data for a margin of 1 point"),
}
"""Bounds, and what they say about a margin of 1 point on 10 units, by hand."""


@pytest.mark.parametrize("bounds", ANSWERS)
def test_a_margin_is_always_answered(bounds: tuple[float, float]) -> None:
    answer, said = ANSWERS[bounds]
    assert margin_answer(*bounds, 1) == answer
    needed = units_to_tell(10, *bounds, 1) if answer == "not enough data" else None
    assert margin_sentence(answer, 1, "units", needed) == said


@given(bounds=st.tuples(st.floats(-9, 9), st.floats(-9, 9)), margin=st.floats(0.1, 9), units=st.integers(1, 999))
def test_so_many_units_make_the_interval_as_narrow_as_the_margin(bounds, margin, units):
    """Bounds shrink with the square root of the units."""
    low, high = sorted(bounds)
    needed = units_to_tell(units, low, high, margin)
    half = (high - low) / 2
    if needed is None:
        assert half <= margin
    else:
        assert needed >= units and half * np.sqrt(units / needed) <= margin * (1 + 1e-9)
        assert half * np.sqrt(units / (needed - 1)) > margin * (1 - 1e-9) or needed - 1 <= units


def test_an_interval_as_narrow_as_the_margin_needs_no_more_units():
    assert units_to_tell(100, -0.5, 1.5, 1.0) is None
    assert units_to_tell(100, -0.5, 1.6, 1.0) == 111


@pytest.mark.parametrize("runs, times", [(1, None), (1.5, "1.5"), (3, "3.0")])
def test_a_margin_may_need_more_training_runs(runs, times):
    clause = f", with {times} times the training runs," if times else ""
    said = margin_sentence("not enough data", 2, "documents", 1200, runs)
    assert said == f"not enough data for a margin of 2 points; about 1,200 documents like these{clause} would decide"
    assert margin_sentence("not enough data", 2, "documents", None, runs) == "not enough data for a margin of 2 points"


def test_settings_of_margins() -> None:
    assert (equivalence_level(0.95), equivalence_level(0.99)) == (0.9, 0.98)
    for margin in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="above 0"):
            margin_answer(-1, 1, margin)
    with refused_with(ValueError, "equivalence needs a confidence level above 0.5 and below 1, not 0.5"):
        equivalence_level(0.5)


def test_scipy_is_not_loaded_before_it_is_needed() -> None:
    modules = (f"spacy_nereval.evaluation.{name}" for name in ("differences", "conclusion", "variance"))
    done = python("-c", f"import sys, {', '.join(modules)}; print('scipy.special' in sys.modules)")
    assert done.stdout == "False\n", done.stderr
