"""Comparisons: the worked example, plain Python, scipy, and what cannot be compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from made_up import corpus, every_variant, second, tallied
from profiles import tries
from recorded import germeval, needs_data
from twin_statistics import keys_of, patterns, swap_test, weights_of

from spacy_nereval import Confidence, Counts, Document, count, create, create_all, evaluate
from spacy_nereval.evaluation import pairs, swapping
from spacy_nereval.evaluation.comparison import System, compare, comparison, families
from spacy_nereval.evaluation.intervals import replicate
from spacy_nereval.evaluation.result import plain
from spacy_nereval.evaluation.statistics import differences
from spacy_nereval.evaluation.statistics.families import holm
from spacy_nereval.evaluation.statistics.power import detectable_difference
from spacy_nereval.evaluation.transitions import gold_outcomes
from spacy_nereval.reporting.comparison import COMPARED, comparison_tables, footer
from spacy_nereval.reporting.terminal import render

WORKED_A = [(8, 2, 1), (5, 1, 3), (9, 1, 2), (4, 3, 2), (7, 0, 1), (6, 2, 2)]
WORKED_B = [(7, 3, 2), (5, 2, 3), (8, 2, 3), (4, 2, 2), (6, 1, 2), (6, 2, 2)]
"""The published example: (tp, fp, fn) of every document under two systems."""

FEW = Confidence(samples=10)
METRIC = [create("strict")]


def strictly(rows: Sequence[tuple[int, int, int]], ids: bool = True) -> Counts:
    return count([tallied(*row, id=str(k) if ids else None) for k, row in enumerate(rows)], [create("strict")])


def with_pred(documents: Sequence[Document], others: Sequence[Document]) -> list[Document]:
    """The documents with the predictions of others."""
    return [Document(d.gold, o.pred, d.text, tokens=d.tokens, id=d.id) for d, o in zip(documents, others)]


def by_score(rows: Sequence[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["metric"], row["score"]): row for row in rows}


def f_of(rows: Sequence[tuple[int, int, int]]) -> Fraction:
    tp, fp, fn = map(sum, zip(*rows))
    return Fraction(2 * tp, 2 * tp + fp + fn)


TEN = ["310201", "201211", "411312", "102112", "500401", "221211", "301212", "012002", "401302", "210111"]
"""Ten documents: the digits are tp, fp, fn of the first system, then of the second."""


# Worked examples


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


# The permutation test


def swapped(a: Sequence[Any], b: Sequence[Any], units: Sequence[int] | None = None) -> Iterator[tuple[list, list]]:
    """Every way to let the two systems change places, document by document."""
    units = range(len(a)) if units is None else units
    for swaps in product([False, True], repeat=max(units) + 1):
        ways = [(y, x) if swaps[unit] else (x, y) for x, y, unit in zip(a, b, units)]
        yield [x for x, _ in ways], [y for _, y in ways]


def p_value(a: Sequence[Any], b: Sequence[Any], statistic: Callable, units: Sequence[int] | None = None) -> Fraction:
    gaps = [abs(statistic(y) - statistic(x)) for x, y in swapped(a, b, units)]
    return Fraction(sum(gap >= gaps[0] - Fraction(1, 10**12) for gap in gaps), len(gaps))


def strict_rows(gold: Sequence[int], found: Sequence[int], spurious: Sequence[int]) -> list[tuple[int, int, int]]:
    return [(min(n, hits), more, n - min(n, hits)) for n, hits, more in zip(gold, found, spurious)]


@tries(30)
@given(
    st.lists(
        st.tuples(*(st.integers(0, 4) for _ in range(3)), *(st.integers(0, 3) for _ in range(2))),
        min_size=6,
        max_size=7,
    )
)
def test_exact_p_values_equal_brute_force_over_fractions(rows):
    gold, *found = zip(*rows)
    a, b = strict_rows(gold, found[0], found[2]) + [(1, 0, 0)], strict_rows(gold, found[1], found[3]) + [(1, 1, 0)]
    differing = sum(x != y for x, y in zip(a, b))
    row = by_score(plain(compare(strictly(a), strictly(b), confidence=FEW)))["strict", "f"]
    assert row["differing"] == differing
    assert row["p"] == (p_value(a, b, f_of) if differing >= 6 else None)


def twin_rows(a: list[Document], b: list[Document], name: str, options: dict[str, Any], swaps: int, seed: int) -> Any:
    """The differences of a metric's scores after each swap, scored anew, and the balances."""
    metric = create(name, **options)
    keys = keys_of(a)
    drawn, exact = patterns(seed, keys, swaps)
    seen: dict[tuple[int, ...], dict[str, float]] = {}

    def scores(stay: Sequence[int]) -> dict[str, float]:
        """Of a system that has the first one's output where a unit stays, and else the second one's."""
        if tuple(stay) not in seen:
            bit = dict(zip(keys, stay))
            mixed = [x if bit[x.id] else y for x, y in zip(a, b)]
            seen[tuple(stay)] = evaluate(count(mixed, [metric]))["metrics"][name]["scores"]
        return seen[tuple(stay)]

    observed = scores([1] * len(keys)), scores([0] * len(keys))
    after = [(scores([*row.values()]), scores([1 - bit for bit in row.values()])) for row in drawn]
    first, second = (weights_of(documents, ("scores",)) for documents in (a, b))
    weight = {key: first[key] + second[key] for key in keys}
    balances = [sum(weight[key] * (2 * bit - 1) for key, bit in row.items()) / sum(weight.values()) for row in drawn]
    return metric, observed, after, balances, exact


def check_against_twin(a: list[Document], b: list[Document], name: str, options: dict[str, Any], swaps: int) -> int:
    """Return how many intervals were compared."""
    metric, observed, after, balances, exact = twin_rows(a, b, name, options, swaps, 5)
    found = compare(count(a, [metric]), count(b, [metric]), confidence=Confidence(0.9, seed=5), trials=swaps)
    rows = by_score(plain(found))
    family = families([metric])
    assert rows.keys() == family.keys()
    compared = 0
    for (_, score), row in rows.items():
        values = [side[score] for side in observed]
        assert (row["baseline_value"], row["value"]) == pytest.approx(values, abs=1e-12)
        declared = metric.score_by_name[score]
        if row["differing"] < 6 or declared.complement_of:
            assert (row["p"], row["p_better"], row["interval"]) == (None, None, [None, None])
            continue
        sign = 1 if declared.higher_is_better else -1
        gap, gaps = sign * (values[1] - values[0]), [sign * (y[score] - x[score]) for x, y in after]
        p, p_better, (low, high) = swap_test(gap, gaps, balances, exact=exact, level=0.9)
        tested = bool(family[name, score])
        assert (row["p"], row["p_better"]) == ((p, p_better) if tested else (None, None)), score
        assert row["interval"] == pytest.approx(sorted((sign * low, sign * high)), abs=1e-9), score
        assert not tested or (row["interval"][0] <= 0 <= row["interval"][1]) is (p > 0.1 + 1e-9)
        compared += 1
    return compared


@every_variant
def test_tests_and_intervals_from_all_swaps_are_those_of_documents_swapped_and_scored_anew(name, options):
    """Texts of one document change places together."""
    drawn = [d for d in corpus(60, seed=4) if len(d.gold) > 1][:9]
    a, b = [], []
    for k, (d, unit) in enumerate(zip(drawn, [0, 1, 0, 2, 3, 4, 5, 6, 1])):
        for system, pred in ((a, d.gold[1:]), (b, d.gold if k % 3 else [])):
            system.append(Document(d.gold, pred, d.text, tokens=d.tokens, id=f"unit {unit}"))
    assert check_against_twin(a, b, name, options, 128)


@pytest.mark.parametrize(
    ("name", "options"), [("strict", {}), ("slot_error", {}), ("wrf", {}), ("wrf", {"average": "micro"}), ("ace", {})]
)
def test_tests_and_intervals_from_random_swaps_are_those_of_documents_swapped_and_scored_anew(name, options):
    a = corpus(24, seed=4)
    assert check_against_twin(a, second(a), name, options, 60)


def test_differing_units_are_those_whose_totals_differ():
    """Units whose labels differ while the totals agree change nothing when they are swapped, except
    for a metric that gives every label a score of its own."""
    gold = [(0, 1, "A"), (2, 3, "B")]
    first = [Document(gold, gold[:1], "a b", tokens=[(0, 1), (2, 3)], id=str(k)) for k in range(8)]
    other = [Document(gold, gold[1:], "a b", tokens=[(0, 1), (2, 3)], id=str(k)) for k in range(8)]
    rows = by_score(compare(*(count(d, create_all(["strict", "wrf"])) for d in (first, other))))
    assert (rows["strict", "f"]["differing"], rows["wrf", "wrf"]["differing"]) == (0, 8)


def test_the_interval_holds_0_exactly_where_the_test_does_not_reject():
    """Of random systems, at levels at which p lands on either side."""
    decided = set()
    for seed in range(30):
        a = corpus(11, seed=seed, labels="AB")
        b = [Document(d.gold, d.gold[seed % 2 :], d.text, tokens=d.tokens, id=d.id) for d in a]
        counts = [count(d, create_all(["strict", "slot_error"])) for d in (a, b)]
        for level, trials in ((0.5, 10_000), (0.95, 999), (0.999, 10_000)):
            for row in compare(*counts, confidence=Confidence(level), trials=trials):
                if row["family"] and row["differing"] >= 6:
                    low, high = row["interval"]
                    rejected = row["p"] <= 1 - level + 1e-12
                    assert (low <= 0 <= high) is not rejected
                    decided.add(rejected)
    assert decided == {True, False}


def test_the_difference_of_a_system_that_is_always_better_has_an_interval_above_zero():
    a = [tallied(1, 1, 2, id=str(k)) for k in range(30)]
    b = [tallied(3, 0, 0, id=str(k)) for k in range(30)]
    first, other = (count(d, create_all(["strict"])) for d in (a, b))
    for row in compare(first, other, trials=500):
        assert 0 < row["interval"][0] <= row["difference"] <= row["interval"][1] <= 1
        assert (row["p"], row["p_better"]) == (
            (1 / 501,) * 2 if row["score"] == "f" else pytest.approx((np.nan,) * 2, nan_ok=True)
        )
    for row in compare(other, first, trials=500):
        assert -1 <= row["interval"][0] <= row["difference"] <= row["interval"][1] < 0
        if row["score"] == "f":
            assert (row["p"], row["p_better"]) == (1 / 501, 1)  # one is two-sided


def test_where_no_difference_is_rejected_the_interval_ends_at_the_greatest_possible_difference():
    """Six units cannot reject anything at 99.9 %. A cost has no greatest difference, and so no bounds."""
    a = [tallied(1, 1, 2, id=str(k)) for k in range(6)]
    b = [tallied(3, 0, 0, id=str(k)) for k in range(6)]
    counts = [count(d, create_all(["strict", "slot_error"])) for d in (a, b)]
    rows = by_score(plain(compare(*counts, confidence=Confidence(0.999))))
    assert rows["strict", "f"]["interval"] == [-1, 1]
    assert rows["slot_error", "ser"]["interval"] == [None, None]
    assert rows["strict", "f"]["p"] == 2 / 64


def test_the_detectable_difference_is_that_of_the_level():
    counts = [count(d, create_all(["strict"])) for d in (corpus(30), second(corpus(30)))]
    for level in (0.8, 0.95):
        row = by_score(compare(*counts, confidence=Confidence(level)))["strict", "f"]
        assert row["detectable"] == detectable_difference(*row["interval"], level=level)
        assert row["detectable"] > 0


@pytest.mark.parametrize(("differing", "known"), [(5, False), (6, True)])
def test_below_6_differing_units_there_is_neither_p_nor_interval(differing, known):
    a = [tallied(3, 0, 0, id=str(k)) for k in range(9)]
    b = [tallied(3, 0 if k >= differing else 1, 0, id=str(k)) for k in range(9)]
    row = by_score(plain(compare(count(a, create_all(["strict"])), count(b, create_all(["strict"])))))["strict", "f"]
    assert row["differing"] == differing
    assert [row[key] is not None for key in ("p", "p_better", "detectable")] == [known] * 3
    assert [bound is not None for bound in row["interval"]] == [known] * 2


def test_random_swaps_agree_with_all_swaps_within_sampling_error():
    """One trial short of enumeration; four standard errors are allowed."""
    drawn = [d for d in corpus(40, seed=1) if len(d.gold) > 1][:10]
    a = with_pred(drawn, [Document([], d.gold[1:]) for d in drawn])
    b = with_pred(drawn, [Document([], d.gold if k % 3 else []) for k, d in enumerate(drawn)])
    first, other = count(a, create_all()), count(b, create_all())
    exact = by_score(compare(first, other, confidence=FEW, trials=1024))
    differ = 0
    for seed in (0, 1):
        confidence = Confidence(seed=seed)
        for key, row in by_score(compare(first, other, confidence=confidence, trials=1023)).items():
            p = exact[key]["p"]
            if np.isnan(p):
                assert np.isnan(row["p"])
                continue
            assert row["p"] == pytest.approx(p, abs=4 * (p * (1 - p) / 1023) ** 0.5 + 2 / 1024), key
            assert row["p"] in [n / 1024 for n in range(1, 1025)]  # (as large + 1) / (drawn + 1)
            differ += row["p"] != p
    assert differ


def test_swaps_are_exact_as_long_as_they_are_no_more_than_the_trials():
    a, b = strictly(WORKED_A), strictly(WORKED_B)
    for trials, exact, swaps in ((64, True, 64), (63, False, 63), (19, False, 19), (10_000, True, 64)):
        result = comparison([System("a", a), System("b", b)], [], FEW, trials)
        assert (result["exact"], result["swaps"]) == (exact, swaps)
        assert f"swaps:{'all 64' if exact else trials}" in result["signature"]


@pytest.mark.parametrize("trials", [64, 1023, 1024])
def test_swaps_some_at_a_time_are_those_at_once(monkeypatch, trials):
    documents = corpus(10, seed=1)
    first, other = count(documents, create_all()), count(second(documents), create_all())
    expected = plain(compare(first, other, trials=trials))
    monkeypatch.setattr(pairs, "CELLS", 1)
    assert plain(compare(first, other, trials=trials)) == expected


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others():
    documents = corpus(25)
    systems = [System("a", count(documents, create_all())), System("b", count(second(documents), create_all()))]
    results = [comparison(systems, [], Confidence(samples=50, seed=seed), 200) for seed in (1, 1, 2)]
    first, again, other = (json.dumps(result) for result in results)
    assert first == again
    for key in ("interval", "p"):
        assert [row[key] for row in results[0]["comparisons"]] != [row[key] for row in results[2]["comparisons"]]


def test_a_seed_means_the_same_swaps_on_every_machine():
    """The numbers of swaps with a difference as large were taken once; a change of them changes what a seed means."""
    documents = corpus(25)
    first, other = count(documents, create_all(["strict"])), count(second(documents), create_all(["strict"]))
    found = [by_score(compare(first, other, confidence=Confidence(seed=seed), trials=999)) for seed in (0, 7)]
    assert [round(rows["strict", "f"]["p"] * 1000) for rows in found] == [251, 269]


@pytest.mark.parametrize("number", [5, 23, 25])
def test_a_system_against_itself_differs_by_nothing(number):
    """So there is nothing to test, with all swaps and with random ones."""
    counts = count(corpus(number, seed=number), create_all())
    result = comparison([System("a", counts), System("again", counts)], [], Confidence(), 300)
    assert result["exact"] is (number == 5)
    for row in result["comparisons"]:
        assert row["value"] == row["baseline_value"]
        assert (row["difference"], row["differing"]) == (0, 0)
        assert (row["interval"], row["p"], row["p_holm"]) == ([None, None], None, None)


@needs_data
def test_scipys_permutation_test_agrees_on_real_counts():
    """All swaps: the same p-value. Random ones: within four standard errors of both."""
    documents = [d for d in germeval() if d.gold or d.pred]
    metrics = [create("strict")]
    for part, trials in (
        ([d for d in documents if len(d.gold) > 1][:12], 4096),
        (documents[:400], 3000),
        (documents[1000:1200], 3000),
    ):
        pred = {1: lambda d: d.gold, 2: lambda d: d.gold[1:]}  # better here, worse there
        other = [Document(d.gold, pred.get(k % 3, lambda d: d.pred)(d)) for k, d in enumerate(part)]
        first, then = count(part, metrics), count(other, metrics)
        table = np.concatenate(
            [
                [[len(d.hits), len(d.pred) - len(d.hits), len(d.gold) - len(d.hits)] for d in side]
                for side in (part, other)
            ]
        ).T

        def difference(x, y, axis, table=table):
            f = []
            for side in (x, y):
                tp, fp, fn = (row[side.astype(int)].sum(axis) for row in table)
                f.append(2 * tp / (2 * tp + fp + fn))
            return f[1] - f[0]

        n = len(part)
        theirs = scipy.stats.permutation_test(
            (np.arange(n), np.arange(n) + n), difference, permutation_type="samples", vectorized=True,
            n_resamples=trials, batch=500, rng=0,
        )  # fmt: skip
        row = by_score(compare(first, then, confidence=FEW, trials=trials))["strict", "f"]
        assert row["difference"] == pytest.approx(theirs.statistic)
        p = theirs.pvalue
        assert 0.01 < p < 0.99
        error = 0 if n == 12 else 4 * (2 * p * (1 - p) / trials) ** 0.5
        assert row["p"] == pytest.approx(p, abs=error + 1e-12)


# Pairing


def test_documents_in_another_order_are_paired_by_id():
    documents = corpus(24)
    other = second(documents)
    first = count(documents, create_all())
    expected = compare(first, count(other, create_all()), confidence=FEW)
    moved = Random(0).sample(other, len(other))
    assert plain(compare(first, count(moved, create_all()), confidence=FEW)) == plain(expected)
    assert any(row["p"] < 1 for row in expected)


def test_texts_of_one_document_are_paired_in_their_order():
    documents = corpus(6)
    for k, id in enumerate("xyxyxz"):
        documents[k].id = id
    other = second(documents)
    first = count(documents, create_all(["strict", "loio"]))
    expected = compare(first, count(other, create_all(["strict", "loio"])), confidence=FEW)
    moved = [other[k] for k in (1, 5, 0, 2, 3, 4)]  # among those of one id the order stays
    found = compare(first, count(moved, create_all(["strict", "loio"])), confidence=FEW)
    assert plain(found) == plain(expected)


def test_texts_without_id_are_paired_by_position():
    ten = [[tuple(map(int, row[at : at + 3])) for row in TEN] for at in (0, 3)]
    # A text of its own makes each a unit of its own.
    a, b = (
        count([Document(d.gold, d.pred, f"{k}" * 2000) for k, d in enumerate(tallied(*row) for row in rows)], METRIC)
        for rows in ten
    )
    assert by_score(compare(a, b))["strict", "f"]["p"] == 40 / 1024


def test_documents_that_one_system_lacks_are_named():
    documents = corpus(6)
    counts = [count(part, create_all(["strict"])) for part in (documents, [*documents[:2], *documents[3:5]])]
    for a, b in (counts, counts[::-1]):
        with pytest.raises(ValueError, match=r"2 documents are not in both.*doc 2, doc 5"):
            compare(a, b)
    more = count([Document(d.gold, d.pred, d.text, id=f"new {k}") for k, d in enumerate(documents)], counts[0].metrics)
    with pytest.raises(ValueError, match=r"12 documents are not in both.*doc 0, doc 1, doc 2, doc 3, doc 4, \.\.\."):
        compare(counts[0], more)


def test_systems_with_texts_without_id_and_of_different_number_are_refused():
    with pytest.raises(ValueError, match=r"not in both.*5"):
        compare(strictly(WORKED_A, ids=False), strictly(WORKED_B[:5], ids=False))


def test_a_document_that_is_there_twice_in_one_system_only_is_named():
    documents = corpus(3)
    with pytest.raises(ValueError, match=r"1 documents are not in both.*doc 1"):
        compare(count(documents, create_all(["strict"])), count([*documents, documents[1]], create_all(["strict"])))


def test_counts_with_replicates_are_compared_like_others_also_in_another_order():
    """A comparison draws its own resamples."""
    documents = corpus(30)
    other = second(documents)
    expected = compare(count(documents, create_all(["strict"])), count(other, create_all(["strict"])), confidence=FEW)
    assert all(row["differing"] >= 6 for row in expected)
    for moved in (other, other[::-1]):
        first, then = count(documents, create_all(["strict"])), count(moved, create_all(["strict"]))
        first.replicates, then.replicates = replicate(first, 5, 0), replicate(then, 5, 0)
        assert plain(compare(first, then, confidence=FEW)) == plain(expected)


# What cannot be compared


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ({"strict": {}}, {"fair": {}}, "the metrics strict, the other fair"),
        ({"strict": {}}, {"strict": {}, "fair": {}}, "the metrics strict, the other strict, fair"),
        ({"loio": {}}, {"loio": {"s": 1}}, r"loio\.s is 0\.75 and 1\.0"),
        (
            {"fair": {"weights": "fine"}},
            {"fair": {"weights": {"le": {"tp": 1}}}},
            r"fair\.weights is 'fine' and \{'le'",
        ),
    ],
)
def test_systems_counted_with_other_metrics_or_settings_are_refused_with_the_difference(ours, theirs, said):
    documents = corpus(3)
    with pytest.raises(ValueError, match=said):
        compare(count(documents, create_all(ours)), count(documents, create_all(theirs)))


def of_gold(*gold: list[tuple[int, int, str]]) -> Counts:
    return count([Document(spans, [], id=str(k)) for k, spans in enumerate(gold)], [create("strict")])


@pytest.mark.parametrize("order", [1, -1], ids=["same order", "another order"])
@pytest.mark.parametrize(
    "other",
    [
        ([(0, 1, "A")], [(0, 1, "A"), (3, 4, "A")], []),
        ([(0, 1, "A")], [], [(0, 1, "A")]),
        ([(0, 1, "A")], [(0, 1, "B")], []),
    ],
    ids=["another span", "a span elsewhere", "another label"],
)
def test_systems_with_different_gold_annotation_are_refused(other, order):
    theirs = [Document(spans, [], id=str(k)) for k, spans in enumerate(other)][::order]
    with pytest.raises(ValueError, match="gold"):
        compare(of_gold([(0, 1, "A")], [(0, 1, "A")], []), count(theirs, [create("strict")]))


@pytest.mark.parametrize(
    "documents", [[], corpus(1), [Document([], [], "a", id="a")] * 2], ids=["none", "one", "one in two"]
)
def test_fewer_than_two_units_have_differences_and_nothing_more(documents):
    counts = count(documents, create_all())
    result = comparison([System("a", counts), System("b", counts)], [])
    assert result["units"] == min(1, len(documents))
    for row in result["comparisons"]:
        assert (row["interval"], row["p"], row["p_holm"]) == ([None, None], None, None)
    json.dumps(result, allow_nan=False)


def test_a_number_of_swaps_below_1_is_refused():
    counts = strictly(WORKED_A)
    with pytest.raises(ValueError, match="number of samples must be 1 or more, not 0"):
        compare(counts, counts, trials=0)


def test_too_few_swaps_for_the_level_are_refused_and_enough_give_finite_bounds():
    """With 18 swaps no p is below 1/19, so that every difference would be in the interval of 95 %."""
    sides = [count(d, create_all(["slot_error"])) for d in (corpus(30), second(corpus(30)))]
    with pytest.raises(ValueError, match="18 swaps cannot reject anything .* 0.95: expected at least 19"):
        compare(*sides, trials=18)
    rows = plain(compare(*sides, trials=19))
    assert all(bound is not None for row in rows if row["p"] is not None for bound in row["interval"])


def test_settings_that_make_no_interval_make_no_comparison():
    counts = strictly(WORKED_A)
    for confidence in (Confidence(level=1), Confidence(samples=0), Confidence(seed=-1)):
        with pytest.raises(ValueError, match="level|samples|seed"):
            compare(counts, counts, confidence=confidence)


# Labels


def only(documents: Sequence[Document], label: str) -> list[Document]:
    """The documents with the spans of one label."""
    sides = (([span for span in side if span[2] == label] for side in (d.gold, d.pred)) for d in documents)
    return [Document(*side, d.text, tokens=d.tokens, id=d.id) for side, d in zip(sides, documents)]


@pytest.mark.parametrize("parts", [1, 1 << 25], ids=["one label at a time", "all at once"])
def test_the_row_of_a_label_is_that_of_documents_with_this_label_alone(monkeypatch, parts):
    """For strict, by which spans of one label say nothing of another one."""
    monkeypatch.setattr(swapping, "CELLS", parts)
    metrics = METRIC
    a = corpus(60, seed=4)
    sides = [a, second(a)]
    rows = [row for row in plain(compare(*(count(d, metrics) for d in sides), labels=True, trials=400)) if row["label"]]
    assert [row["label"] for row in rows] == ["A", "B", "C"]
    assert any(row["p"] for row in rows)
    for row in rows:
        alone = by_score(plain(compare(*(count(only(d, row["label"]), metrics) for d in sides), trials=400)))
        expected = alone["strict", row["score"]]
        for key in ("baseline_value", "value", "difference", "interval", "p", "p_better", "differing", "detectable"):
            assert row[key] == expected[key], key


def test_the_labels_of_a_metric_with_classes_are_compared_by_their_headline():
    a = corpus(60, seed=4)
    rows = plain(compare(*(count(d, create_all(["wrf"])) for d in (a, second(a))), labels=True, trials=100))
    found = {row["label"]: row for row in rows if row["label"]}
    values = evaluate(count(a, create_all(["wrf"])))["metrics"]["wrf"]["per_type"]
    assert {label: row["baseline_value"] for label, row in found.items()} == {
        label: own["scores"]["r1_f"] for label, own in values.items()
    }
    assert {row["score"] for row in found.values()} == {"r1_f"}
    assert any(row["p"] for row in found.values())


def test_labels_enter_the_number_of_swaps(monkeypatch):
    """With the labels that have a test, of all systems."""
    monkeypatch.setattr(differences, "LEAST_SWAPS", 20)
    monkeypatch.setattr(differences, "SWAPS_PER_TEST", 20)
    a = corpus(60, seed=4)
    counts = [count(d, create_all(["strict"])) for d in (a, second(a))]
    systems = [System(name, counts[k]) for k, name in ((0, "a"), (1, "b"), (1, "c"))]
    result = comparison(systems, [], labels=True)
    tests = {row["tests"] for row in result["comparisons"] if row["label"]}
    assert tests == {6} and result["swaps"] == 20 * 6
    assert comparison(systems, [])["swaps"] == 20 * 2


# The report


def three_systems(
    number: int = 25, names: Sequence[str] = ("base", "one", "two")
) -> tuple[list[System], list[Document]]:
    a = corpus(number)
    sides = [a, second(a), with_pred(a, [Document([], d.gold) for d in a])]
    systems = [System(name, count(d, create_all()), [gold_outcomes(x) for x in d]) for name, d in zip(names, sides)]
    return systems, a


def test_all_systems_are_compared_with_the_baseline_and_corrected_within_families():
    systems, documents = three_systems()
    base, *others = systems
    result = comparison(systems, documents, Confidence(), 200)
    assert result["baseline"] == "base"
    rows = result["comparisons"]
    assert [row["system"] for row in rows] == ["one"] * (len(rows) // 2) + ["two"] * (len(rows) // 2)
    for other in others:
        expected = plain(compare(base.counts, other.counts, trials=200))
        ours = [{k: v for k, v in row.items() if k not in ("system", "p_holm", "tests", "verdict")} for row in rows]
        assert [row for row, full in zip(ours, rows) if full["system"] == other.name] == expected
    for family, number in (("primary", 2), ("secondary", 10)):
        own = [row for row in rows if row["family"] == family]
        assert len(own) == number
        assert [row["p_holm"] for row in own] == pytest.approx(holm([row["p"] for row in own]).tolist())
        assert {row["tests"] for row in own} == {number}
    for row in rows:
        if not row["family"]:
            assert (row["p"], row["p_better"], row["p_holm"], row["tests"]) == (None, None, None, 0)
    assert [found["system"] for found in result["transitions"]] == ["one", "two"]


def test_the_families_are_one_primary_score_and_one_headline_of_each_further_metric():
    metrics = create_all()
    found = families(metrics)
    assert [key for key, family in found.items() if family == "primary"] == [("strict", "f")]
    assert {key for key, family in found.items() if family == "secondary"} == {
        (metric.name, metric.headlines[0].name) for metric in metrics[1:]
    }
    assert found.keys() == {(metric.name, score) for metric in metrics for score in metric.keys.values()}
    found = families(metrics, "fair.p")
    assert [key for key, family in found.items() if family == "primary"] == [("fair", "p")]
    assert found["strict", "f"] == "secondary" and found["fair", "f"] == ""


@pytest.mark.parametrize("primary", ["strict", "strict.x", "char.f", "strict.f.f", "slot_error.e"])
def test_a_primary_score_that_is_none_is_answered_with_those_there_are(primary):
    with pytest.raises(ValueError, match=rf"--primary {primary}: .*expected METRIC.SCORE, one of strict.p, strict.r,"):
        families(create_all(), primary)


def test_a_function_of_another_score_is_not_tested_and_cannot_be_primary():
    with pytest.raises(ValueError, match=r"slot_error\.ser_acc: .*function of slot_error\.ser, .*--primary slot_error"):
        families(create_all(), "slot_error.ser_acc")
    a = corpus(30, seed=4)
    row = by_score(plain(compare(*(count(d, create_all(["slot_error"])) for d in (a, second(a))))))
    assert row["slot_error", "ser"]["p"] is not None
    acc = row["slot_error", "ser_acc"]
    assert acc["difference"] is not None
    assert (acc["interval"], acc["p"], acc["p_better"], acc["detectable"]) == ([None, None], None, None, None)


def test_the_number_of_swaps_follows_the_largest_family(monkeypatch):
    """Of one comparison and of all, also when `compare` is called alone."""
    monkeypatch.setattr(differences, "LEAST_SWAPS", 20)
    monkeypatch.setattr(differences, "SWAPS_PER_TEST", 20)
    systems, documents = three_systems(12)
    assert comparison(systems, documents)["swaps"] == 20 * 5 * 2
    assert comparison(systems[:2], documents)["swaps"] == 20 * 5
    alone = compare(systems[0].counts, systems[1].counts)
    assert plain(alone) == plain(compare(systems[0].counts, systems[1].counts, trials=100))
    one = [count(d, create_all(["strict"])) for d in (documents, second(documents))]
    assert plain(compare(*one)) == plain(compare(*one, trials=20))


def test_the_cost_of_a_better_system_falls_and_its_one_sided_p_is_small():
    a = [tallied(1, 1, 2, id=str(k)) for k in range(8)]
    b = [tallied(3, 0, 0, id=str(k)) for k in range(8)]
    ser = by_score(compare(*(count(d, create_all(["slot_error"])) for d in (a, b))))["slot_error", "ser"]
    assert ser["difference"] == -1 and ser["interval"][1] < 0
    assert (ser["p"], ser["p_better"]) == (2 / 256, 1 / 256)


def test_no_order_of_documents_changes_a_bit():
    documents = corpus(30, seed=3)
    other = second(documents)
    expected = None
    for seed in range(3):
        order = Random(seed).sample(range(30), 30)
        a, b = (count([side[k] for k in order], create_all()) for side in (documents, other))
        shuffled = b.reordered(Random(9).sample(range(30), 30))
        found = comparison([System("a", a), System("b", shuffled)], [], trials=500)
        expected = expected or found
        assert found == expected


def test_every_row_has_the_promised_keys_and_every_headline_score_a_row():
    systems, documents = three_systems(6)
    rows = comparison(systems[:2], documents, FEW)["comparisons"]
    keys = ["metric", "score", "label", "system", "family", "baseline_value", "value", "difference", "interval", "p"]
    keys += [
        "p_better",
        "k",
        "flag",
        "differing",
        "detectable",
        "same_within",
        "runs",
        "degrees_of_freedom",
        "share_of_training",
        "score_unit",
        "higher_is_better",
        "headline",
    ]
    assert all(list(row) == [*keys, "p_holm", "tests", "verdict"] for row in rows)
    assert [(row["metric"], row["score"]) for row in rows] == [
        (metric.name, score) for metric in create_all() for score in metric.keys.values()
    ]


def test_undefined_scores_are_null_and_everything_is_json():
    a = [Document([], [(0, 1, "A")], id="0"), Document([], [], id="1")]
    b = [Document([], [], id="0"), Document([], [], id="1")]
    systems = [System(name, count(d, create_all(["strict", "loio"])), [gold_outcomes(x) for x in d]) for name, d in
               (("a", a), ("b", b))]  # fmt: skip
    result = comparison(systems, a, FEW)
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    rows = by_score(result["comparisons"])
    assert (rows["strict", "p"]["baseline_value"], rows["strict", "p"]["value"]) == (0, None)
    for row in rows.values():
        assert (row["difference"], row["interval"], row["p"], row["p_holm"]) == (None, [None, None], None, None)
    shown, moved, changed, every = comparison_tables(result, [name for name in COMPARED if name != "labels"])
    assert shown.grid()[1][1:] == ["0.00", "-", "-", "-", "-"]
    assert every.grid()[1][2:] == ["0.00", "-", "-", "-", "-", "-"]
    assert render(shown)
    assert (moved.rows, changed.rows) == ([], [])
    assert footer(result)


def test_scores_without_a_test_do_not_count_among_those_corrected_for():
    """SER is undefined without gold spans; F is not."""
    a, b = ([Document([], [(0, 1, "A")] * k, id=str(i)) for i in range(8)] for k in (0, 1))
    a[0] = Document([], [(0, 1, "A")], id="0")
    systems = [System(n, count(d, create_all(["loio", "strict", "slot_error"]))) for n, d in (("a", a), ("b", b))]
    rows = by_score(comparison(systems, [], primary="slot_error.err")["comparisons"])
    assert (rows["slot_error", "ser"]["difference"], rows["slot_error", "ser"]["p_holm"]) == (None, None)
    assert rows["strict", "f"]["tests"] == sum(rows[key]["p"] is not None for key in (("strict", "f"), ("loio", "f")))


def test_a_swap_after_which_a_score_is_undefined_counts_as_large():
    """The only predictions are the first system's; where all of them move, precision of the first is undefined."""
    a = [Document([(0, 1, "A")], [(0, 1, "A")], id=str(k)) for k in range(6)]
    b = [Document([(0, 1, "A")], [(0, 1, "A")] if k else [(0, 1, "B")], id=str(k)) for k in range(6)]
    b += [Document([], [], id="x")]
    a += [Document([], [], id="x")]
    p = by_score(compare(*(count(d, create_all(["strict"])) for d in (a, b)), primary="strict.p"))
    assert p["strict", "p"]["differing"] == 1


@pytest.mark.parametrize(("rows", "said"), [
    ([(1, 1, 1)] * 19, "⚠ Only 19 documents: with fewer than 20"),
    ([(1, 1, 1)] * 20, ""),
    # 4 spans each and 20 in the last one: 100 ** 2 / (20 * 4 ** 2 + 20 ** 2).
    ([(1, 1, 1)] * 20 + [(10, 0, 0)], "⚠ Only 21 documents, effectively 13.9: with fewer than 20"),
])  # fmt: skip
def test_below_20_effective_documents_there_is_a_warning(rows, said):
    counts = strictly(rows)
    line = footer(comparison([System("A", counts), System("B", counts)], [], FEW, 100))[-1]
    assert line.startswith(said or "unit id, 20 units (effectively 20.0)")


def test_texts_of_one_document_count_as_one_in_the_warning():
    systems, documents = three_systems(25)
    for system in systems:
        system.counts.units[:10] = ["the same"] * 10
    result = comparison(systems, documents, FEW, 100)
    assert (result["documents"], result["units"]) == (25, 16)
    assert footer(result)[-1].startswith("⚠ Only 16 documents, effectively ")


def test_the_footer_says_what_was_tested():
    systems, documents = three_systems(6)
    (line, *_) = footer(comparison(systems, documents, Confidence(0.9), primary="fair.f"))
    for words in ("two-sided paired permutation test over 6 documents", "all 64 swaps", "corrected within a family",
                  "the primary score, fair f (1 test)", "does not reject at 90 %"):  # fmt: skip
        assert words in line
    (line, *_) = footer(comparison(systems, documents, FEW, 20))
    assert "20 random swaps" in line


def test_the_printed_rows_are_those_of_the_result():
    systems, documents = three_systems(26)
    result = comparison(systems, documents, FEW)
    titles = {table.title: table.grid() for table in comparison_tables(result, COMPARED, digits=3)}
    for system in ("one", "two"):
        rows = [row for row in result["comparisons"] if row["system"] == system]
        for cells, row in zip(titles[f"All scores of {system} against base"][1:], rows, strict=True):
            numbers = [f"{100 * row[key]:.3f}" for key in ("baseline_value", "value", "difference")]
            low, high = ("-" if bound is None else f"{100 * bound:.3f}" for bound in row["interval"])
            bounds = "-" if low == high == "-" else f"[{low}, {high}]"
            tests = ["-" if row[key] is None else f"{row[key]:.4f}" for key in ("p", "p_holm")]
            cells[1] = cells[1].removesuffix(" ↓")
            assert cells == [row["metric"], row["score"], *numbers, bounds, *tests]
        heads = [row for row in rows if row["family"] or create(row["metric"]).score_by_name[row["score"]].headline]
        for cells, row in zip(titles[f"{system} against base"][1:], heads, strict=True):
            a, b, gap, detectable = (
                "-" if row[key] is None else f"{100 * row[key]:.3f}"
                for key in ("baseline_value", "value", "difference", "detectable")
            )
            bounds = (
                "" if row["interval"][0] is None else " [{:.3f}, {:.3f}]".format(*(100 * x for x in row["interval"]))
            )
            p = "-" if row["p_holm"] is None else f"{row['p_holm']:.4f}"
            assert cells[1:] == [a, b, gap + bounds, detectable, p]
        (moves,) = [found for found in result["transitions"] if found["system"] == system]
        header, *cells = titles[f"Gold spans under base (rows) and {system} (columns)"]
        shown = {row[0]: dict(zip(header[1:], row[1:])) for row in cells}
        assert {
            a: {b: int(n) for b, n in row.items() if n != "0"} for a, row in shown.items() if set(row.values()) != {"0"}
        } == moves["counts"]


def test_the_signature_of_a_comparison_names_everything_that_changes_a_number():
    documents = corpus(25)

    def signed(metrics=None, trials=100, short=False, asked=None, **confidence):
        counts = count(documents, create_all(metrics))
        systems = [System("a", counts), System("b", counts)]
        drawn = Confidence(**{"samples": 10, **confidence})
        return comparison(systems, [], drawn, trials, short=short, **(asked or {}))["signature"]

    changed = [
        signed(),
        signed(seed=1),
        signed(level=0.9),
        signed(trials=101),
        signed(["strict"]),
        signed({"loio": {"s": 1}}),
        signed({"loio": {}}),
        signed(asked={"primary": "strict.p"}),
        signed(asked={"secondary": ["strict.p"]}),
        signed(asked={"secondary": []}),
        signed(asked={"labels": True}),
        signed(asked={"margin": 1}),
        signed(asked={"margin": 2}),
    ]
    assert len(set(changed)) == len(changed)
    assert signed() == signed()
    assert signed({"loio": {"s": 1}}, short=True).startswith("spacy-nereval|loio:s=1.0|")
    assert signed({"loio": {}}, short=True).startswith("spacy-nereval|loio|")
