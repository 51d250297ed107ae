"""Two systems with collapsed counts are compared by their half-samples."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from compared import compare
from made_up import corpus, second, tallied
from scipy.stats import t

from spacy_nereval import Confidence, Counts, Document, count, create, create_all
from spacy_nereval.evaluation.collapsing import collapse
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.statistics.bits import half_samples
from spacy_nereval.reporting.comparison_view import ComparisonView

METRICS = create_all(["strict", "fair", "slot_error", "wrf"])


def kept(documents: list[Document], samples: int = 400, seed: int = 0, metrics: Any = METRICS) -> Counts:
    return collapse(count(documents, metrics), samples, seed)


def rows(a: list[Document], b: list[Document], **how: Any) -> dict[tuple[str, str, str | None], dict[str, Any]]:
    found = compare(kept(a), kept(b), labels=True, **how)
    return {(row["metric"], row["score"], row["label"]): row for row in found}


DOCUMENTS = corpus(150)


def test_differences_are_those_of_all_documents_and_intervals_are_close_to_those_of_the_swaps():
    a, b = DOCUMENTS, second(DOCUMENTS)
    found = rows(a, b)
    full = compare(count(a, METRICS), count(b, METRICS), labels=True, trials=2000)
    assert [(row["metric"], row["score"], row["label"]) for row in full] == [*found]
    for expected in full:
        row = found[expected["metric"], expected["score"], expected["label"]]
        for key in ("baseline_value", "value", "difference", "family", "headline", "score_unit"):
            assert row[key] == expected[key], key
        assert math.isnan(row["p"]) and row["differing"] is None
        assert row["k"] == pytest.approx(expected["k"], rel=0.05) and row["k"] <= expected["k"] * (1 + 1e-9)
        if math.isfinite(expected["interval"][0]):
            width = expected["interval"][1] - expected["interval"][0]
            assert np.allclose(row["interval"], expected["interval"], atol=0.1 * width)
            assert row["detectable"] == pytest.approx(expected["detectable"], rel=0.2)
        else:
            assert math.isnan(row["standard_error"])


def test_the_standard_error_is_the_spread_of_the_differences_in_the_half_samples():
    """Computed by hand, from the documents of each half-sample."""
    a, b = DOCUMENTS[:40], second(DOCUMENTS[:40])
    gaps = []
    for bits in half_samples(0, [document.id for document in a], 400):
        f = []
        for side in (a, b):
            half = [d for d, bit in zip(side, bits) if bit]
            tp = sum(len(d.hits) for d in half)
            f.append(2 * tp / sum(len(d.gold) + len(d.pred) for d in half))
        gaps.append(f[1] - f[0])
    low, high = np.quantile(gaps, [0.15865525393145707, 1 - 0.15865525393145707])
    assert rows(a, b)["strict", "f", None]["standard_error"] == pytest.approx((high - low) / 2, rel=1e-9)


def test_the_systems_in_the_other_order_differ_the_other_way_round():
    there, back = rows(DOCUMENTS, second(DOCUMENTS)), rows(second(DOCUMENTS), DOCUMENTS)
    for key, row in there.items():
        other = back[key]
        assert np.allclose(row["interval"], [-other["interval"][1], -other["interval"][0]], equal_nan=True)
        assert np.isclose(row["standard_error"], other["standard_error"], equal_nan=True)


STRICT = create_all(["strict"])
FULL = [d for d in corpus(200, 5) if d.gold and d.pred]


def changed(number: int) -> list[Document]:
    """The first system, but for so many documents, in each of which it misses all."""
    return [
        Document(d.gold, d.pred if k >= number else [], d.text, tokens=d.tokens, id=d.id) for k, d in enumerate(FULL)
    ]


@pytest.mark.parametrize(("number", "known"), [(0, False), (1, False), (5, False), (6, True), (30, True)])
def test_there_is_an_interval_only_if_half_samples_prove_that_six_units_differ(number, known):
    _, _, row = compare(kept(changed(0), metrics=STRICT), kept(changed(number), metrics=STRICT))
    assert row["score"] == "f"
    assert math.isfinite(row["interval"][0]) is known
    assert math.isfinite(row["standard_error"]) is known


def test_an_interval_ends_at_the_greatest_difference_that_there_can_be():
    gold = [(0, 3, "A")]
    wrong, right = ([Document(gold, gold * (k < number), id=str(k)) for k in range(40)] for number in (1, 39))
    _, _, row = compare(kept(wrong, metrics=STRICT), kept(right, metrics=STRICT))
    reach = t.ppf(0.975, row["k"] - 1) * row["standard_error"]
    assert row["difference"] + reach > 1
    assert row["interval"] == pytest.approx([row["difference"] - reach, 1])


def test_systems_are_the_same_within_what_the_interval_at_a_lower_level_spans():
    sides = kept(changed(0), metrics=STRICT), kept(changed(7), metrics=STRICT)
    _, _, row = compare(*sides)
    reach = t.ppf(0.95, row["k"] - 1) * row["standard_error"]
    for more in (-0.01, 0.01):
        margin = 100 * (abs(row["difference"]) + reach) + more
        _, _, again = compare(*sides, primary="strict.f", margin=margin)
        assert again["same_within"] == (margin if more > 0 else None)


def test_a_label_in_which_few_units_differ_has_no_interval():
    same = [tallied(2, 0, 0, f"a{k}") for k in range(30)]
    sides = [[tallied(1 + k % 3 - less, k % 2, k % 5 + less, f"b{k}", "B") for k in range(60)] for less in (0, 1)]
    strict = [kept([*same, *side], metrics=STRICT) for side in sides]
    found = {(row["score"], row["label"]): row for row in compare(*strict, labels=True)}
    assert math.isnan(found["f", "A"]["standard_error"])
    assert math.isfinite(found["f", "B"]["standard_error"])


@pytest.mark.parametrize(
    ("b", "said"),
    [
        (kept(DOCUMENTS[:30], seed=1), "400 half-samples with seed 0, the other 400 half-samples with seed 1"),
        (kept(DOCUMENTS[:30], 300), "400 half-samples with seed 0, the other 300"),
        (count(DOCUMENTS[:30], METRICS), "one is collapsed, the other has documents"),
        (kept(DOCUMENTS[:29]), "not counted on the same documents; they have 30 documents"),
        (kept([*DOCUMENTS[:29], DOCUMENTS[31]]), "not counted on the same documents"),
        (kept(DOCUMENTS[:30], metrics=[create("strict")]), "one has the metrics"),
        (
            kept([Document(d.gold, d.pred, d.text, tokens=d.tokens, id=f"x{d.id}") for d in DOCUMENTS[:30]]),
            "not counted on the same documents, though as many: texts or ids differ",
        ),
        (
            kept([Document(d.gold[1:], d.pred, d.text, tokens=d.tokens, id=d.id) for d in DOCUMENTS[:30]]),
            "not counted on the same documents; they have 30 documents",
        ),
    ],
)
def test_systems_that_are_not_comparable_are_refused(b, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        compare(kept(DOCUMENTS[:30]), b)


def test_what_needs_documents_or_half_samples_is_refused():
    a, none = kept(DOCUMENTS[:9]), kept(DOCUMENTS[:9], 0)
    with pytest.raises(ValueError, match=r"no permutation tests \(trials=\)"):
        compare(a, a, trials=100)
    with pytest.raises(ValueError, match="no means of training runs"):
        comparison([System("a", [a, a]), System("b", a)], [])
    with pytest.raises(ValueError, match="have no half-samples"):
        compare(none, none)


def test_the_result_and_its_tables_say_how_it_was_compared():
    sides = DOCUMENTS, second(DOCUMENTS)
    found = comparison([System(name, kept(side, metrics=STRICT)) for name, side in zip("ab", sides)], [], Confidence())
    assert found["collapsed"] is True and found["swaps"] is None and found["units"] == 150
    assert found["confidence"] == {"level": 0.95, "samples": 400, "seed": 0}
    assert "half:400,seed:0" in found["signature"] and "swaps" not in found["signature"]
    row = found["comparisons"][2]
    assert "there is no test" in row["verdict"]
    assert (row["p"], row["p_holm"], row["tests"]) == (None, None, 0)
    table = next(ComparisonView(found).tables(["differences"]))
    assert table.header[-2:] == ["standard error", "detectable"]
    assert table.rows[0][-2] == pytest.approx(row["standard_error"])
    assert [*ComparisonView(found).tables(["all-differences"])]
    said = ComparisonView(found).tested()[0]
    assert "no permutation test and no p-value" in said and "400 half-samples" in said


def test_intervals_of_differences_cover_them(seeds=range(30)):
    """The second system finds each span with a known chance, so that the expected difference is known."""
    random, covered = np.random.default_rng(0), 0
    for seed in seeds:
        golds = random.integers(1, 6, 80)
        sides = []
        for chance in (0.8, 0.7):
            found = [int(random.binomial(n, chance)) for n in golds]
            sides.append([tallied(tp, 0, int(n) - tp, f"{seed} {k}") for k, (n, tp) in enumerate(zip(golds, found))])
        row = compare(*(kept(side, 1000, metrics=STRICT) for side in sides))[1]
        assert row["score"] == "r"
        covered += row["interval"][0] <= -0.1 <= row["interval"][1]
    assert covered >= 0.85 * len(seeds)
