"""Comparisons: the worked example, plain Python, scipy, and what cannot be compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import isnan
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from made_up import close, corpus, every_variant, repeated, second, tallied
from profiles import tries
from recorded import germeval, needs_data
from spacy_nereval.counting.views import View
from strategies import nested

from spacy_nereval import Confidence, Counts, Document, count, create, create_all, evaluate
from spacy_nereval.evaluation import comparison as module
from spacy_nereval.evaluation.comparison import System, compare, comparison, holm
from spacy_nereval.evaluation.intervals import replicate, resamples
from spacy_nereval.evaluation.result import plain
from spacy_nereval.evaluation.transitions import gold_outcomes
from spacy_nereval.reporting.comparison import comparison_tables, footer
from spacy_nereval.reporting.terminal import render

WORKED_A = [(8, 2, 1), (5, 1, 3), (9, 1, 2), (4, 3, 2), (7, 0, 1), (6, 2, 2)]
WORKED_B = [(7, 3, 2), (5, 2, 3), (8, 2, 3), (4, 2, 2), (6, 1, 2), (6, 2, 2)]
"""The published example: (tp, fp, fn) of every document under two systems."""

FEW = Confidence(samples=10)


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


# The worked example


def test_the_worked_example_comes_out_as_published():
    a, b = strictly(WORKED_A), strictly(WORKED_B)
    f = by_score(compare(a, b))["strict", "f"]
    assert f["baseline_value"] == pytest.approx(0.795918, abs=5e-7)
    assert f["value"] == pytest.approx(0.734694, abs=5e-7)
    assert f["difference"] == pytest.approx(f["value"] - f["baseline_value"])
    assert f["p"] == 12 / 64
    result = comparison([System("a", a), System("b", b)], [])
    assert (result["swaps"], result["exact"], result["units"]) == (64, True, 6)


def test_the_published_example_of_holm_comes_out_in_any_order():
    assert holm([0.004, 0.012, 0.03, 0.6]) == pytest.approx([0.016, 0.036, 0.06, 0.6])
    assert holm([0.6, 0.004, 0.03, 0.012]) == pytest.approx([0.6, 0.016, 0.06, 0.036])


def test_holm_never_exceeds_one_never_reverses_an_order_and_leaves_undefined_out():
    assert holm([0.5, 0.9, 0.6]) == [1, 1, 1]
    assert holm([0.01, 0.011, 0.012]) == pytest.approx([0.03, 0.03, 0.03])
    assert holm([]) == []
    first, undefined, last = holm([0.01, float("nan"), 0.04])
    assert (first, last) == pytest.approx((0.02, 0.04))
    assert isnan(undefined)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_is_its_definition(p):
    ordered = sorted(p)
    expected = {p_k: max(min(1, (len(p) - j) * ordered[j]) for j in range(k + 1)) for k, p_k in enumerate(ordered)}
    assert holm(p) == pytest.approx([expected[value] for value in p])


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


def test_the_worked_example_in_plain_python():
    def r(rows):
        return Fraction(sum(row[0] for row in rows), sum(row[0] + row[2] for row in rows))

    rows = by_score(compare(strictly(WORKED_A), strictly(WORKED_B)))
    assert p_value(WORKED_A, WORKED_B, f_of) == Fraction(12, 64)
    assert rows["strict", "r"]["p"] == float(p_value(WORKED_A, WORKED_B, r))


@tries(30)
@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=7
    )
)
def test_exact_p_values_equal_brute_force_over_fractions(rows):
    """(gold spans, found by the first, ...): `min` keeps the hits within the gold spans."""
    a = [(min(gold, hits), spurious, gold - min(gold, hits)) for gold, hits, _, spurious in rows] + [(1, 0, 0)]
    b = [(min(gold, hits), spurious, gold - min(gold, hits)) for gold, _, hits, spurious in rows] + [(1, 1, 0)]
    assert by_score(compare(strictly(a), strictly(b), confidence=FEW))["strict", "f"]["p"] == p_value(a, b, f_of)


@every_variant
def test_exact_p_values_and_values_equal_scoring_the_swapped_documents_anew(name, options):
    """Texts of one document change places together."""
    a = corpus(8, seed=4)
    units = [0, 1, 0, 2, 1, 3, 0, 4]
    for document, unit in zip(a, units):
        document.id = f"unit {unit}"
    b = second(a)
    metric = create(name, **options)

    def scores(documents):
        return evaluate(count(documents, [metric]))["metrics"][name]["scores"]

    drawn = [(scores(x), scores(y)) for x, y in swapped(a, b, units)]
    rows = by_score(compare(count(a, [metric]), count(b, [metric]), confidence=FEW))
    assert rows.keys() == {(name, score) for score in metric.flat.values()}
    for (_, score), row in rows.items():
        assert row["baseline_value"] == pytest.approx(drawn[0][0][score], abs=1e-12)
        assert row["value"] == pytest.approx(drawn[0][1][score], abs=1e-12)
        gaps = [abs(y[score] - x[score]) for x, y in drawn]
        assert len(gaps) == 32
        assert row["p"] == sum(gap >= gaps[0] - 1e-12 for gap in gaps) / 32, score


@every_variant
@tries(6)
@given(a=st.lists(nested(most=4), min_size=2, max_size=4), b=st.lists(nested(most=4), min_size=4, max_size=4))
def test_intervals_of_differences_come_from_the_same_documents_drawn_for_both(name, options, a, b):
    """Drawn anew from the documents, score by score."""
    metric = create(name, **options)
    for k, document in enumerate(a):
        document.id = str(k)
    b = with_pred(a, [Document(d.gold, [s for s in o.pred if s.end <= len(d.text)]) for d, o in zip(a, b)])
    first, other, confidence = count(a, [metric]), count(b, [metric]), Confidence(level=0.7, samples=3, seed=8)
    (weights,) = resamples(first, confidence)
    drawn = []
    for row in weights:
        sides = [evaluate(count(repeated(documents, row), [metric]))["metrics"][name] for documents in (a, b)]
        drawn.append([side["scores"] for side in sides])
    for (_, score), row in by_score(plain(compare(first, other, confidence=confidence))).items():
        gaps = [y[score] - x[score] for x, y in drawn if None not in (x[score], y[score])]
        expected = np.quantile(gaps, [0.15, 0.85]).tolist() if gaps else [None, None]
        assert dict(enumerate(row["interval"])) == close(dict(enumerate(expected)))


def test_the_difference_of_a_system_that_is_always_better_has_an_interval_above_zero():
    a = [tallied(1, 1, 2, id=str(k)) for k in range(30)]
    b = [tallied(3, 0, 0, id=str(k)) for k in range(30)]
    rows = compare(count(a, create_all(["strict"])), count(b, create_all(["strict"])), trials=500)
    for row in rows:
        assert 0 < row["interval"][0] <= row["difference"] <= row["interval"][1]
        assert row["p"] == 1 / 501
    for row in compare(count(b, create_all(["strict"])), count(a, create_all(["strict"])), trials=500):
        assert row["interval"][0] <= row["difference"] <= row["interval"][1] < 0
        assert row["p"] == 1 / 501  # two-sided


def test_random_swaps_agree_with_all_swaps_within_sampling_error():
    """One trial short of enumeration; four standard errors are allowed."""
    a = corpus(10, seed=1)
    b = second(a)
    first, other = count(a, create_all()), count(b, create_all())
    exact = by_score(compare(first, other, confidence=FEW, trials=1024))
    differ = 0
    for seed in (0, 1):
        confidence = Confidence(samples=10, seed=seed)
        for key, row in by_score(compare(first, other, confidence=confidence, trials=1023)).items():
            p = exact[key]["p"]
            assert row["p"] == pytest.approx(p, abs=4 * (p * (1 - p) / 1023) ** 0.5 + 2 / 1024), key
            assert row["p"] in [n / 1024 for n in range(1, 1025)]  # (as large + 1) / (drawn + 1)
            differ += row["p"] != p
    assert differ


def test_swaps_are_exact_as_long_as_they_are_no_more_than_the_trials():
    a, b = strictly(WORKED_A), strictly(WORKED_B)
    for trials, exact, swaps in ((64, True, 64), (63, False, 63), (1, False, 1), (10_000, True, 64)):
        result = comparison([System("a", a), System("b", b)], [], FEW, trials)
        assert (result["exact"], result["swaps"]) == (exact, swaps)
        assert f"swaps:{'all 64' if exact else trials}" in result["signature"]


@pytest.mark.parametrize("trials", [64, 1023, 1024])
def test_swaps_some_at_a_time_are_those_at_once(monkeypatch, trials):
    documents = corpus(10, seed=1)
    first, other = count(documents, create_all()), count(second(documents), create_all())
    confidence = Confidence(samples=120)
    expected = by_score(compare(first, other, confidence=confidence, trials=trials))
    monkeypatch.setattr(module, "CELLS", 1)
    monkeypatch.setattr("spacy_nereval.evaluation.intervals.CELLS", 1)
    for key, row in by_score(compare(first, other, confidence=confidence, trials=trials)).items():
        assert row["p"] == expected[key]["p"]
        assert row["interval"] == pytest.approx(expected[key]["interval"], abs=1e-12)


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
    found = [compare(first, other, confidence=Confidence(samples=1, seed=seed), trials=999) for seed in (0, 7)]
    assert [[round(row["p"] * 1000) for row in rows] for rows in found] == [[608, 182, 259], [601, 173, 250]]


@pytest.mark.parametrize("number", [5, 23, 25])
def test_a_system_against_itself_differs_by_nothing(number):
    """With all swaps and with random ones."""
    counts = count(corpus(number, seed=number), create_all())
    result = comparison([System("a", counts), System("again", counts)], [], Confidence(samples=30), 300)
    assert result["exact"] is (number == 5)
    for row in result["comparisons"]:
        assert row["value"] == pytest.approx(row["baseline_value"], abs=1e-12)
        assert row["difference"] == 0
        assert row["interval"] == pytest.approx([0, 0], abs=1e-12)
        assert (row["p"], row["p_holm"]) == (1, 1)


@needs_data
def test_scipys_permutation_test_agrees_on_real_counts():
    """All swaps: the same p-value. Random ones: within four standard errors of both."""
    documents = [d for d in germeval() if d.gold or d.pred]
    metrics = [create("strict")]
    for part, trials in ((documents[:12], 4096), (documents[:400], 3000), (documents[1000:1200], 3000)):
        pred = {1: lambda d: d.gold, 2: lambda d: d.gold[1:]}  # better here, worse there
        other = [Document(d.gold, pred.get(k % 3, lambda d: d.pred)(d)) for k, d in enumerate(part)]
        first, then = count(part, metrics), count(other, metrics)
        table = np.concatenate(
            [np.stack(list(View(c, metrics[0]).sums(by_document=True).values())[:3]) for c in (first, then)], axis=1
        )

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
    documents = corpus(8)
    other = second(documents)
    first = count(documents, create_all())
    expected = compare(first, count(other, create_all()), confidence=FEW)
    moved = [other[k] for k in (3, 1, 7, 0, 6, 2, 5, 4)]
    for row, right in zip(compare(first, count(moved, create_all()), confidence=FEW), expected):
        assert close({k: row[k] for k in ("value", "difference", "p")}) == {
            k: right[k] for k in ("value", "difference", "p")
        }
        assert row["interval"] == pytest.approx(right["interval"], abs=1e-12)


def test_texts_of_one_document_are_paired_in_their_order():
    documents = corpus(6)
    for k, id in enumerate("xyxyxz"):
        documents[k].id = id
    other = second(documents)
    first = count(documents, create_all(["strict", "loio"]))
    expected = compare(first, count(other, create_all(["strict", "loio"])), confidence=FEW)
    moved = [other[k] for k in (1, 5, 0, 2, 3, 4)]  # among those of one id the order stays
    found = compare(first, count(moved, create_all(["strict", "loio"])), confidence=FEW)
    for row, right in zip(found, expected):
        assert row["p"] == right["p"]
        assert row["interval"] == pytest.approx(right["interval"], abs=1e-12)


def test_texts_without_id_are_paired_by_position():
    a, b = strictly(WORKED_A, ids=False), strictly(WORKED_B, ids=False)
    assert by_score(compare(a, b))["strict", "f"]["p"] == 12 / 64


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
    documents = corpus(8)
    other = second(documents)
    expected = compare(count(documents, create_all(["strict"])), count(other, create_all(["strict"])), confidence=FEW)
    for moved in (other, other[::-1]):
        first, then = count(documents, create_all(["strict"])), count(moved, create_all(["strict"]))
        first.replicates, then.replicates = replicate(first, 5, 0), replicate(then, 5, 0)
        assert compare(first, then, confidence=FEW) == expected


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
    "documents", [[], corpus(1), [Document([], [], id="a")] * 2], ids=["none", "one", "one in two"]
)
def test_fewer_than_two_documents_are_not_compared(documents):
    """There is nothing to draw from, and no interval."""
    counts = count(documents, create_all(["strict"]))
    with pytest.raises(ValueError, match="at least two documents"):
        compare(counts, counts)


def test_settings_that_make_no_interval_make_no_comparison():
    counts = strictly(WORKED_A)
    for confidence in (Confidence(level=1), Confidence(samples=0), Confidence(seed=-1)):
        with pytest.raises(ValueError, match="level|samples|seed"):
            compare(counts, counts, confidence=confidence)


# The report


def three_systems(
    number: int = 25, names: Sequence[str] = ("base", "one", "two")
) -> tuple[list[System], list[Document]]:
    a = corpus(number)
    sides = [a, second(a), with_pred(a, [Document([], d.gold) for d in a])]
    systems = [System(name, count(d, create_all()), [gold_outcomes(x) for x in d]) for name, d in zip(names, sides)]
    return systems, a


def test_all_systems_are_compared_with_the_baseline_and_corrected_together():
    systems, documents = three_systems()
    base, *others = systems
    confidence = Confidence(samples=50)
    result = comparison(systems, documents, confidence, 200)
    assert result["baseline"] == "base"
    rows = result["comparisons"]
    assert [row["system"] for row in rows] == ["one"] * (len(rows) // 2) + ["two"] * (len(rows) // 2)
    for other in others:
        expected = plain(compare(base.counts, other.counts, confidence=confidence, trials=200))
        ours = [{k: v for k, v in row.items() if k not in ("system", "p_holm")} for row in rows]
        assert [row for row, full in zip(ours, rows) if full["system"] == other.name] == expected
    assert [row["p_holm"] for row in rows] == holm([row["p"] for row in rows])
    assert [row["p_holm"] for row in rows[: len(rows) // 2]] != holm([row["p"] for row in rows[: len(rows) // 2]])
    assert [found["system"] for found in result["transitions"]] == ["one", "two"]


def test_every_row_has_the_promised_keys_and_every_headline_score_a_row():
    systems, documents = three_systems(6)
    rows = comparison(systems[:2], documents, FEW)["comparisons"]
    keys = ["metric", "score", "system", "baseline_value", "value", "difference", "interval"]
    assert all(list(row) == [*keys, "undefined", "p", "p_holm"] for row in rows)
    assert [(row["metric"], row["score"]) for row in rows] == [
        (metric.name, score) for metric in create_all() for score in metric.flat.values()
    ]
    assert all(len(row["interval"]) == 2 and row["interval"][0] <= row["interval"][1] for row in rows)


def test_resamples_without_a_difference_are_counted():
    """Without the first document, there is no gold span, and so no recall."""
    documents = [Document([(0, 1, "A")], [(0, 1, "A")], id="0"), Document([], [(0, 1, "A")], id="1")]
    counts = count(documents, [create("strict")])
    rows = {row["score"]: row for row in compare(counts, counts, confidence=Confidence(samples=200))}
    drawn = np.concatenate(list(resamples(counts, Confidence(samples=200))))
    assert rows["r"]["undefined"] == (drawn[:, 0] == 0).sum() > 0
    assert rows["p"]["undefined"] == rows["f"]["undefined"] == 0


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
    shown, moved, changed = comparison_tables(result)
    assert shown.grid()[1][2:] == ["0.00", "-", "-", "-", "-", "-"]
    assert render(shown)
    assert (moved.rows, changed.rows) == ([], [])
    assert footer(result)


def test_undefined_scores_do_not_count_among_those_corrected_for():
    """Recall is undefined without gold spans, F and precision are not."""
    a = [Document([], [(0, 1, "A")], id=str(k)) for k in range(5)]
    rows = by_score(comparison([System("a", count(a, create_all(["strict"])))] * 2, [], FEW)["comparisons"])
    assert rows["strict", "r"]["p_holm"] is None
    assert rows["strict", "f"]["p_holm"] == 1


def test_a_resample_in_which_a_score_is_undefined_is_left_out_of_the_interval():
    """The only gold span is in one of two documents."""
    a = [Document([(0, 1, "A")], [(0, 1, "A")], id="0"), Document([], [], id="1")]
    b = [Document([(0, 1, "A")], [], id="0"), Document([], [], id="1")]
    r = by_score(compare(*(count(d, create_all(["strict"])) for d in (a, b))))["strict", "r"]
    assert (r["difference"], r["interval"]) == (-1, [-1, -1])


@pytest.mark.parametrize(("number", "warned"), [(19, True), (20, False)])
def test_below_20_documents_there_is_a_warning(number, warned):
    systems, documents = three_systems(number)
    lines = footer(comparison(systems, documents, FEW, 100))
    assert any(line.startswith("⚠ Fewer than 20 documents") for line in lines) is warned


def test_texts_of_one_document_count_as_one_in_the_warning():
    systems, documents = three_systems(25)
    for system in systems:
        system.counts.ids[:10] = ["the same"] * 10
    result = comparison(systems, documents, FEW, 100)
    assert (result["documents"], result["units"]) == (25, 16)
    assert len(footer(result)) == 2


def test_the_footer_says_what_was_tested():
    systems, documents = three_systems(6)
    (line, *_) = footer(comparison(systems, documents, Confidence(0.9, 77, 0)))
    tests = 2 * sum(len(metric.flat) for metric in create_all())
    for words in ("two-sided paired permutation test over 6 documents", "all 64 swaps", f"all {tests} tests",
                  "90 % of 77 resamples", "the same resamples for both"):  # fmt: skip
        assert words in line
    (line, *_) = footer(comparison(systems, documents, FEW, 10))
    assert "10 random swaps" in line


def test_the_printed_rows_are_those_of_the_result():
    systems, documents = three_systems(6)
    result = comparison(systems, documents, FEW)
    titles = {table.title: table.grid() for table in comparison_tables(result, digits=3)}
    for system in ("one", "two"):
        rows = [row for row in result["comparisons"] if row["system"] == system]
        for cells, row in zip(titles[f"{system} against base"][1:], rows, strict=True):
            numbers = [f"{100 * row[key]:.3f}" for key in ("baseline_value", "value", "difference")]
            low, high = (f"{100 * bound:.3f}" for bound in row["interval"])
            p, p_holm = f"{row['p']:.4f}", f"{row['p_holm']:.4f}"
            assert cells == [row["metric"], row["score"], *numbers, f"[{low}, {high}]", p, p_holm]
        (moves,) = [found for found in result["transitions"] if found["system"] == system]
        header, *cells = titles[f"Gold spans under base (rows) and {system} (columns)"]
        shown = {row[0]: dict(zip(header[1:], row[1:])) for row in cells}
        assert {
            a: {b: int(n) for b, n in row.items() if n != "0"} for a, row in shown.items() if set(row.values()) != {"0"}
        } == moves["counts"]


def test_the_signature_of_a_comparison_names_everything_that_changes_a_number():
    documents = corpus(25)

    def signed(metrics=None, trials=100, short=False, **confidence):
        counts = count(documents, create_all(metrics))
        systems = [System("a", counts), System("b", counts)]
        return comparison(systems, [], Confidence(**{"samples": 10, **confidence}), trials, short=short)["signature"]

    changed = [
        signed(),
        signed(samples=11),
        signed(seed=1),
        signed(level=0.9),
        signed(trials=101),
        signed(["strict"]),
        signed({"loio": {"s": 1}}),
        signed({"loio": {}}),
    ]
    assert len(set(changed)) == len(changed)
    assert signed() == signed()
    assert signed({"loio": {"s": 1}}, short=True).startswith("spacy-nereval|loio:s=1.0|")
    assert signed({"loio": {}}, short=True).startswith("spacy-nereval|loio|")
