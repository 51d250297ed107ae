"""In how many data sets a system is better: the count, the names, the sentence, and what is refused."""

import json
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
import scipy.stats
from data_sets import comparison, results, row
from refusals import refused_with

from spacy_nereval.features.leaderboard.datasets import check_comparison, data_sets, verdict

FORBIDDEN = ("significant", "trend", "equal", "no difference", "prove", "*")
SIX = (0.168, 0.297, 0.357, 0.019, 0.218, 0.001)
SEVEN = (0.04, 0.1, 0.1, 0.07, 0.07, 0.07, 0.04)
FIVE = (0.001, 0.004, 0.012, 0.03, 0.2)


def named(found: dict[str, Any]) -> list[str]:
    return [own["data_set"] for own in found["data_sets"] if own["named"]]


@pytest.mark.parametrize(
    ("p_values", "bonferroni", "fisher", "names"),
    [(SIX, 1, 2, ["set5"]), (SEVEN, 0, 5, []), (FIVE, 3, 4, ["set0", "set1", "set2"]), ((0.03, 0.031), 0, 2, [])],
)
def test_the_published_counts(p_values, bonferroni, fisher, names):
    found = data_sets(results(*p_values))
    assert (found["least"], found["number"], found["method"]) == (bonferroni, len(p_values), "bonferroni")
    assert named(found) == names
    independent = data_sets(results(*p_values), independent=True)
    assert (independent["least"], independent["method"]) == (fisher, "fisher")
    assert named(independent) == names, "names never depend on Fisher's method"


@pytest.mark.parametrize("p_values", [SIX, SEVEN, FIVE])
@pytest.mark.parametrize("independent", [False, True])
def test_the_combined_p_values_are_those_of_scipy(p_values, independent):
    """ "Better in at least u" holds if no choice of N - u + 1 data sets could be all null; the worst choice counts."""
    found = data_sets(results(*p_values), independent=independent)

    def combined(some: tuple[float, ...]) -> float:
        if independent:
            return float(scipy.stats.combine_pvalues(some, "fisher").pvalue)
        return min(1.0, len(some) * min(some))

    number = len(p_values)
    expected = [max(map(combined, combinations(p_values, number - u + 1))) for u in range(1, number + 1)]
    assert found["p"] == pytest.approx(np.maximum.accumulate(expected), abs=1e-12)


def test_after_bonferroni_as_many_are_named_as_counted():
    """The two rest on the same products; a sentence "at least 2: in one" cannot come about without Fisher."""
    random = np.random.default_rng(0)
    for _ in range(300):
        p_values = np.clip(random.beta(0.3, 1, random.integers(2, 9)), 1e-4, 1).tolist()
        found = data_sets(results(*p_values))
        assert len(named(found)) == found["least"]


def test_the_order_of_the_data_sets_changes_nothing():
    given = results(*FIVE)
    found = [data_sets({name: given[name] for name in order}, independent=True) for order in permutations(given)]
    assert len({(each["least"], tuple(each["p"]), tuple(sorted(named(each)))) for each in found}) == 1


def test_a_data_set_without_a_test_counts_as_one_where_nothing_is_better():
    found = data_sets(results(0.001, None))
    assert found["p"] == pytest.approx([0.002, 1.0])
    assert [(own["p_better"], own["p_holm"], own["named"]) for own in found["data_sets"]] == [
        (0.001, pytest.approx(0.002), True),
        (None, 1.0, False),
    ]
    assert data_sets(results(None, None))["least"] == 0


def test_the_level_is_that_of_the_comparisons():
    given = {name: own | {"confidence": {"level": 0.8}} for name, own in results(0.09, 0.15).items()}
    assert (data_sets(given)["least"], data_sets(given)["level"]) == (2, 0.8)
    assert data_sets(results(0.09, 0.15))["least"] == 0
    at_the_limit = {name: own | {"confidence": {"level": 0.9}} for name, own in results(0.05, 0.1).items()}
    assert (data_sets(at_the_limit)["least"], named(data_sets(at_the_limit))) == (2, ["set0", "set1"])


def test_the_result_is_plain_and_repeats_the_comparisons():
    found = data_sets(results(*FIVE))
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    first = found["data_sets"][0]
    assert (first["baseline_value"], first["value"], first["difference"]) == (0.5, 0.6, pytest.approx(0.1))
    assert first["interval"] == pytest.approx([0.0, 0.2])
    assert (found["baseline"], found["system"], found["metric"], found["score"]) == ("A", "B", "strict", "f")
    assert found["signature"].startswith("spacy-nereval|strict:beta=1.0|score:f|sets:5|bonferroni,level:0.95|v")


AT_LEAST = "B scores better than A in at least"


@pytest.mark.parametrize(
    ("p_values", "independent", "said"),
    [
        (FIVE, False, f"{AT_LEAST} 3 of 5 data sets by strict F: in set0, set1, set2"),
        (FIVE, True, f"{AT_LEAST} 4 of 5 data sets by strict F: in set0, set1, set2; which others is not settled"),
        (SEVEN, True, f"{AT_LEAST} 5 of 7 data sets by strict F; which ones is not settled"),
        (SEVEN, False, "not settled in any of 7 data sets: whether B scores better than A by strict F"),
        ((0.001, 0.001), False, "B scores better than A in both data sets by strict F: in set0, set1"),
        ((0.001, 0.001, 0.001), False, "B scores better than A in all 3 data sets by strict F: in set0, set1, set2"),
        # Fisher's method sees six data sets together, Holm's the one.
        ((0.001, 1, 1, 1, 1, 1), True, "B scores better than A by strict F: in set0"),
    ],
)
def test_the_sentence(p_values, independent, said):
    once = "; for these trained models; retraining variance is not included"
    found = data_sets(results(*p_values), independent=independent)
    assert found["verdict"] == said + once * (not said.startswith("not settled"))
    assert verdict(found | {"trained_once": False}) == said
    assert not any(word in found["verdict"].lower() for word in FORBIDDEN)


@pytest.mark.parametrize(
    ("runs", "once"), [([[3, 3], [1, 1]], True), ([[3, 3], None], True), ([[3, 3], [2, 1]], False)]
)
def test_one_data_set_whose_systems_were_trained_once_is_enough_to_say_so(runs, once):
    given = {f"set{k}": comparison(row(0.001, 0.6 + k / 100, runs=each)) for k, each in enumerate(runs)}
    assert data_sets(given)["verdict"].endswith("retraining variance is not included") is once


def test_another_score_and_another_system_are_chosen():
    def made(k: int) -> dict[str, Any]:
        rows = [
            row(0.9, 0.1, label="PER", family="labels"),
            row(0.2, 0.6 + k / 100),
            row(0.001, 0.7 + k / 100, metric="fair", family="secondary"),
            row(0.002, 0.8 + k / 100, system="C"),
        ]
        return comparison(*rows)

    given = {"news": made(0), "mail": made(1)}
    assert data_sets(given, system="B")["least"] == 0
    assert data_sets(given, system="C")["p"] == pytest.approx([0.004, 0.004])
    chosen = data_sets(given, system="B", score="fair.f")
    assert data_sets(given, system="B", score="strict.f")["p"] == pytest.approx([0.4, 0.4]), "not that of a label"
    assert (chosen["metric"], chosen["p"]) == ("fair", pytest.approx([0.002, 0.002]))
    assert "fair:unit=char,beta=1.0" in chosen["signature"]
    with refused_with(ValueError, "news compares several systems: choose one with system=, of B, C"):
        data_sets(given)
    with refused_with(ValueError, "system='D': news has no such system; it compares B, C"):
        data_sets(given, system="D")
    with refused_with(
        ValueError,
        "score='fair.g': there is no such score in news; expected METRIC.SCORE, one of strict.f, "
        "fair.f, or a score key such as fair_f: did you mean 'fair.f'?",
    ):
        data_sets(given, system="B", score="fair.g")


def test_a_score_without_a_test_is_no_score_to_count_by():
    rows = [row(0.2), row(None, score="p", family="")]
    given = {"news": comparison(*rows), "mail": comparison(row(0.3, 0.8), rows[1])}
    with refused_with(
        ValueError,
        "score='strict.p': not tested in news, which tests strict.f; to test it, make it the primary "
        "score of the comparison",
    ):
        data_sets(given, score="strict.p")
    with refused_with(ValueError, "news has no primary score: choose one with score='METRIC.SCORE'"):
        data_sets({"news": comparison(rows[1]), "mail": comparison(rows[1])})


def changed(key: str, value: Any) -> dict[str, Any]:
    given = results(0.01, 0.02)
    given["set1"][key] = value
    return given


NOT_ALIKE = "{} in set0 and {} in set1: data sets can be counted only where the comparisons are alike"
BETA = "strict:beta=1.0"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "expected the comparisons of two or more data sets, not of 0"),
        (changed("baseline", "Z"), NOT_ALIKE.format("the baseline is A", "Z")),
        (changed("version", "2"), NOT_ALIKE.format("the version is 1", "2")),
        (changed("confidence", {"level": 0.9}), NOT_ALIKE.format("the level is 0.95", "0.9")),
        (changed("signature", "x|strict:beta=2.0|y"), NOT_ALIKE.format(f"the metric is {BETA}", "strict:beta=2.0")),
        (changed("signature", "x|strict|y"), NOT_ALIKE.format(f"the metric is {BETA}", "strict")),
        (changed("comparisons", [row(0.1, system="C")]), NOT_ALIKE.format("the system is B", "C")),
        (
            changed("comparisons", [row(0.1, metric="fair")]),
            "the primary score is strict.f in set0 and fair.f in set1: choose one with score='METRIC.SCORE'",
        ),
    ],
)
def test_comparisons_that_cannot_be_counted_are_refused_in_a_line(given, said):
    with pytest.raises(ValueError) as caught:
        data_sets(given)
    assert str(caught.value) == said


def test_data_sets_with_the_same_numbers_are_one_whatever_a_third_system_does_and_those_alike_by_chance_are_not():
    given = {name: comparison(row(p, 0.6), row(0.3, p, system="C")) for name, p in (("news", 0.01), ("again", 0.02))}
    given["again"]["confidence"] = {"level": 0.95, "seed": 7}
    with refused_with(ValueError, "news and again have the same numbers: give each data set once"):
        data_sets(given, system="B")
    for other in ({"documents": 91}, {"units": 80}, {"comparisons": [row(0.01, differing=39)]}):
        assert data_sets({"news": comparison(row(0.01)), "mail": comparison(row(0.01)) | other})["least"] == 2
    same = comparison(row(None, 0.5, differing=0))
    assert data_sets({"news": same, "mail": same})["number"] == 2


def test_other_metrics_of_the_comparisons_may_differ():
    given = results(0.01, 0.02)
    given["set1"]["signature"] = given["set1"]["signature"].replace("unit=char", "unit=token")
    assert data_sets(given)["least"] == 2


WRONG = {
    "comparisons": [[], [1], {}],
    "confidence": [None, {"level": "0.95"}, {"level": 95.0}],
    "signature": [None],
    "documents": ["90"],
}


@pytest.mark.parametrize(
    "given",
    [None, [], {}, {"metrics": {}, "signature": "", "version": "1", "documents": 3}]
    + [comparison(row(0.1)) | {key: value} for key, values in WRONG.items() for value in values],
)
def test_what_is_no_comparison(given):
    with refused_with(
        ValueError,
        "x.json is not a comparison: expected the output of 'nereval compare' or Comparison.save",
    ):
        check_comparison("x.json", given)
    assert check_comparison("x.json", comparison(row(0.1))) is None


@pytest.mark.parametrize("key", ["p_better", "family", "interval", "system", "score_unit"])
def test_a_comparison_of_an_older_version(key):
    old = row(0.1)
    del old[key]
    with pytest.raises(ValueError, match=f"^x.json lacks '{key}', so another version wrote it: compare again"):
        check_comparison("x.json", comparison(old))


@pytest.mark.parametrize(
    ("key", "value"),
    [("p_better", value) for value in ("0.1", True, 0, 1.1, float("nan"))]
    + [("difference", value) for value in ("0.1", float("nan"))]
    + [("value", float("inf")), ("value", [1])]
    + [("interval", value) for value in (None, [0.1], [0.1, "0.2"])],
)
def test_numbers_that_are_none(key, value):
    with pytest.raises(ValueError, match=f"^x.json: {key} of strict.f is .*; expected a number"):
        check_comparison("x.json", comparison(row(0.1) | {key: value}))
