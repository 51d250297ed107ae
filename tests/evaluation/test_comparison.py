"""Differences of two systems, their intervals and tests: worked by hand, and against twins and peers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import scipy.stats
from compared import FEW, TEN, WORKED_A, WORKED_B, by_score, compare, strictly
from made_up import corpus, every_table_the_largest_slowly, second, tallied
from recorded import germeval
from twin_statistics import block, key_of, keys_of, kish, limit_of, patterns, rare_interval, swap_test, widened

from spacy_nereval import Confidence, Document, Metric, count, create, create_all, evaluate
from spacy_nereval.evaluation.collapsing import collapse
from spacy_nereval.evaluation.comparison import System, comparison
from spacy_nereval.evaluation.differences import detectable_difference
from spacy_nereval.evaluation.evidence import half_sample_evidence, run_evidence, swap_evidence
from spacy_nereval.evaluation.pairs import Pair
from spacy_nereval.evaluation.result import make_plain
from spacy_nereval.evaluation.tested import Subject, families


def test_differing_units_are_those_that_change_the_score_when_they_are_swapped():
    """Units whose labels differ while the totals agree change nothing. A metric that gives every label a score of its
    own changes where one label loses more than the other one gains."""
    gold = [(0, 1, "A"), (2, 3, "B")]
    first = [Document(gold, gold[:1], "a b", tokens=[(0, 1), (2, 3)], id=str(k)) for k in range(8)]
    other = [Document(gold, gold[1:], "a b", tokens=[(0, 1), (2, 3)], id=str(k)) for k in range(8)]
    rows = by_score(compare(*(count(d, create_all(["strict", "wrf"])) for d in (first, other))))
    assert (rows["strict", "f"]["differing"], rows["wrf", "wrf"]["differing"]) == (0, 0)
    only_a = [Document(gold[:1], gold[:1], d.text, tokens=d.tokens, id=d.id) for d in first[4:]]
    rows = by_score(compare(*(count(d[:4] + only_a, create_all(["strict", "wrf"])) for d in (first, other))))
    assert (rows["strict", "r"]["differing"], rows["wrf", "wrf"]["differing"]) == (0, 4)


def test_where_no_difference_is_rejected_the_interval_ends_at_the_greatest_possible_difference():
    """Six units cannot reject anything at 99.9 %. The greatest difference of a cost is the greater of the two costs."""
    a = [tallied(1, 1, 2, id=str(k)) for k in range(6)]
    b = [tallied(3, 0, 0, id=str(k)) for k in range(6)]
    counts = [count(d, create_all(["strict", "slot_error"])) for d in (a, b)]
    rows = by_score(make_plain(compare(*counts, confidence=Confidence(0.999))))
    assert rows["strict", "f"]["interval"] == [-1, 1]
    assert rows["slot_error", "ser"]["interval"] == [-1, 1]
    b = [tallied(0, 4, 3, id=str(k)) for k in range(6)]
    counts = [count(d, create_all(["slot_error"])) for d in (a, b)]
    (ser,) = (row for row in compare(*counts, confidence=Confidence(0.999)) if row["score"] == "ser")
    assert ser["interval"] == [-7 / 3, 7 / 3]
    assert rows["strict", "f"]["p"] == 2 / 64


def test_the_detectable_difference_is_that_of_the_level():
    counts = [count(d, create_all(["strict"])) for d in (corpus(30), second(corpus(30)))]
    for level in (0.8, 0.95):
        row = by_score(compare(*counts, confidence=Confidence(level)))["strict", "f"]
        assert row["detectable"] == detectable_difference(*row["interval"], level=level)
        assert row["detectable"] > 0


@pytest.mark.parametrize(("differing", "known"), [(5, False), (6, True)])
def test_below_6_differing_units_there_is_no_p_and_the_interval_is_a_bound_that_holds_0(differing, known):
    a = [tallied(3, 0, 0, id=str(k)) for k in range(9)]
    b = [tallied(3, 0 if k >= differing else 1, 0, id=str(k)) for k in range(9)]
    row = by_score(make_plain(compare(count(a, create_all(["strict"])), count(b, create_all(["strict"])))))[
        "strict", "f"
    ]
    assert row["differing"] == differing
    assert [row[key] is not None for key in ("p", "p_better", "detectable")] == [known] * 3
    low, high = row["interval"]
    assert (low <= 0 <= high) is not known
    assert known or (low, high) == pytest.approx(rare_interval([row["difference"] / 5] * 5, row["k"]), abs=2e-3)


def test_swaps_are_exact_as_long_as_they_are_no_more_than_the_trials():
    a, b = strictly(WORKED_A), strictly(WORKED_B)
    for trials, exact, swaps in ((64, True, 64), (63, False, 63), (19, False, 19), (10_000, True, 64)):
        result = comparison([System("a", a), System("b", b)], [], FEW, trials)
        assert (result["exact"], result["swaps"]) == (exact, swaps)
        assert f"swaps:{'all 64' if exact else trials}" in result["signature"]


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
        assert (row["difference"], row["differing"], row["p"], row["p_holm"]) == (0, 0, None, None)
        bounds = [None, None]
        if row["score"] != "ser_acc":  # a function of another score
            limit = limit_of(create(row["metric"]).score_by_name[row["score"]].limits, row["value"])
            bounds = pytest.approx(rare_interval([], row["k"], limit=limit))
        assert row["interval"] == bounds


def test_the_worked_example_of_ten_documents():
    a, b = (strictly([tuple(map(int, row[at : at + 3])) for row in TEN]) for at in (0, 3))
    (f,) = (row for row in comparison([System("A", a), System("B", b)], [])["comparisons"] if row["score"] == "f")
    assert (f["baseline_value"], f["value"]) == pytest.approx((0.776119, 0.655738), abs=5e-7)
    assert (f["p"], f["p_holm"], f["family"], f["tests"]) == (40 / 1024, 40 / 1024, "primary", 1)
    assert f["interval"] == pytest.approx([-0.199665, -0.023757], abs=5e-7)
    assert f["detectable"] == pytest.approx(0.12572, abs=5e-6)


def rates(rows: Sequence[tuple[int, int, int]], other: Sequence[tuple[int, int, int]], **asked: Any) -> Any:
    """The rows of the strict scores of documents with so many hits, spurious and missed spans, with ids d0, d1 ..."""
    sides = [[tallied(*row, id=f"d{k}") for k, row in enumerate(side)] for side in (rows, other)]
    found = compare(*(count(side, [create("strict")]) for side in sides), **asked)
    return {row["score"]: row for row in found}


LEVELS = [(0.95, (-0.11422, 0.07121)), (0.9, (-0.09877, 0.05823))]


@pytest.mark.parametrize(("level", "bounds"), LEVELS)
def test_two_documents_that_lose_recall_make_a_bound(level, bounds):
    a = [(4, 0, 0)] * 50
    recall = rates(a, [(3, 0, 1), (0, 0, 4), *a[2:]], confidence=Confidence(level))["r"]
    assert (recall["difference"], recall["differing"]) == (pytest.approx(-0.025), 2)
    assert recall["k"] == pytest.approx(49.93482, abs=6e-6)
    assert recall["interval"] == pytest.approx(bounds, abs=6e-6)


def test_spurious_spans_differ_in_precision_and_not_in_recall():
    """Recall had an interval of zero width, since the counts of all documents differ."""
    narrow, wide = (rates([(3, 0, 0)] * 7, [(3, 1, 0)] * 7, confidence=Confidence(level)) for level in (0.9, 0.95))
    assert narrow["r"]["differing"] == 0
    assert narrow["r"]["interval"] == pytest.approx((-0.34816, 0.34816), abs=6e-6)
    assert wide["r"]["interval"] == pytest.approx((-0.40962, 0.40962), abs=6e-6)
    assert (wide["f"]["differing"], wide["f"]["p"]) == (7, 2 / 128)
    assert wide["f"]["interval"] == pytest.approx((-0.20137, -0.08434), abs=6e-6)


def test_a_document_with_most_of_the_losses_widens_the_interval_to_its_side():
    a = [(5, 0, 0)] * 20
    b = [(4, 0, 1)] * 7 + [(0, 0, 5)] + a[8:]
    found = [rates(a, b, confidence=Confidence(level), primary="strict.r")["r"] for level in (0.95, 0.9)]
    assert (found[0]["differing"], found[0]["p"]) == (8, pytest.approx(0.006999, abs=6e-7))
    assert found[0]["interval"] == pytest.approx((-0.26986, -0.01986), abs=6e-6)
    assert found[1]["interval"] == pytest.approx((-0.24075, -0.03596), abs=6e-6)


def test_recall_of_the_worked_example_differs_in_six_of_ten_documents():
    sides = [[tuple(map(int, row[at : at + 3])) for row in TEN] for at in (0, 3)]
    recall = rates(*sides, primary="strict.r")["r"]
    assert (recall["differing"], recall["p"]) == (6, 2 / 64)
    assert recall["interval"] == pytest.approx((-0.25755, -0.07619), abs=6e-6)


@pytest.mark.parametrize(("margin", "least"), [(5, 59), (1, 299)])
def test_equal_outputs_are_the_same_within_a_margin_from_a_number_of_documents_on(margin, least):
    answers = [rates([(1, 0, 0)] * n, [(1, 0, 0)] * n, margin=margin)["f"] for n in (least - 1, least)]
    assert [row["margin_answer"].startswith("the same within") for row in answers] == [False, True]
    assert [row["units_needed"] for row in answers] == [least, None]
    assert [row["same_within"] for row in answers] == [None, margin]


@pytest.mark.parametrize("margin", [4, 5, 8])
def test_the_documents_that_a_margin_needs_are_the_least_for_which_the_bound_is_within_it(margin):
    """No further document differs. Half of the documents have three spans, so that more of them are needed."""
    a = [(3, 0, 0), (1, 0, 0)] * 20
    row = rates(a, [(1, 0, 2), (0, 0, 1), *a[2:]], margin=margin)["f"]
    assert row["differing"] == 2
    every = Pair.of(*(count([tallied(*r, id=f"d{k}") for k, r in enumerate(side)], [create("strict")])
                   for side in (a, [(1, 0, 2), (0, 0, 1), *a[2:]])), [create("strict")])  # fmt: skip
    (own,) = every.contributions([Subject(create("strict"), create("strict").score_by_name["f"], None, "")])
    needed = next(k for k in range(1, 1000) if -rare_interval(own.amounts.tolist(), k, 0.9)[0] <= margin / 100)
    assert row["units_needed"] == -(-needed * 40 // row["k"])
    assert "not enough data" in row["margin_answer"]


def test_a_score_that_a_swap_leaves_undefined_counts_as_all_lost():
    """Without its only prediction, a system has no precision."""
    a = [(1, 0, 0), *[(0, 0, 1)] * 9]
    b = [(0, 0, 1), (1, 0, 0), *[(0, 0, 1)] * 8]
    row = rates(a, b)["p"]
    assert (row["differing"], row["interval"]) == (2, [-1, 1])


def twin_rows(a: list[Document], b: list[Document], metrics: list[Metric], swaps: int, seed: int) -> Any:
    """The metrics' scores after each swap, scored anew, and the balances; those of both systems after each unit alone
    is swapped, and without each unit; and the effective number of units."""
    keys = keys_of(a)
    drawn, exact = patterns(seed, keys, swaps)
    seen: dict[tuple[int, ...], dict[str, Any]] = {}

    def scores(stay: Sequence[int]) -> dict[str, Any]:
        """Of a system that has the first one's output where a unit stays, and else the second one's."""
        if tuple(stay) not in seen:
            bit = dict(zip(keys, stay))
            mixed = [x if bit[x.id] else y for x, y in zip(a, b)]
            seen[tuple(stay)] = evaluate(count(mixed, metrics))["metrics"]
        return seen[tuple(stay)]

    observed = scores([1] * len(keys)), scores([0] * len(keys))
    after = [(scores([*row.values()]), scores([1 - bit for bit in row.values()])) for row in drawn]
    first, second = (block(documents, ("scores",)) for documents in (a, b))
    weight = {key: first[key] + second[key] for key in keys}
    balances = [sum(weight[key] * (2 * bit - 1) for key, bit in row.items()) / sum(weight.values()) for row in drawn]
    single = [[int(key != unit) for key in keys] for unit in keys]
    swapped = [(scores(row), scores([1 - bit for bit in row])) for row in single]
    without, alone = (
        [
            [evaluate(count([d for d in side if (key_of(d) == unit) is inside], metrics))["metrics"] for side in (a, b)]
            for unit in keys
        ]
        for inside in (False, True)
    )

    def k_of(name: str, score: str) -> float:
        """Kish's number of the units that have the score in a system alone, or whose absence changes it."""
        whole, left, inside = (
            [[side[name]["scores"][score] for side in pair] for pair in pairs] for pairs in ([observed], without, alone)
        )
        informs = [[x is not None for x in own] + [x != y for x, y in zip(*whole, out)]
                   for out, own in zip(left, inside)]  # fmt: skip
        return kish([w if any(row) else 0 for w, row in zip(weight.values(), informs)])

    return observed, after, balances, exact, swapped, without, k_of


def gaps_of(pairs: Any, name: str, score: str) -> list[float | None]:
    """The second system's lead in each pair of results."""
    values = [[side[name]["scores"][score] for side in pair] for pair in pairs]
    return [None if None in pair else pair[1] - pair[0] for pair in values]


def check_against_twin(a: list[Document], b: list[Document], metrics: list[Metric], swaps: int) -> set[str]:
    """Return the metrics of which intervals were compared."""
    observed, after, balances, exact, swapped, without, k_of = twin_rows(a, b, metrics, swaps, 5)
    found = compare(count(a, metrics), count(b, metrics), confidence=Confidence(0.9, seed=5), trials=swaps)
    rows = by_score(make_plain(found))
    family = families(metrics)
    assert rows.keys() == family.keys()
    by_name, compared = {metric.name: metric for metric in metrics}, set()
    for (name, score), row in rows.items():
        metric = by_name[name]
        k, values = k_of(name, score), [side[name]["scores"][score] for side in observed]
        assert (row["baseline_value"], row["value"]) == pytest.approx(values, abs=1e-12)
        declared = metric.score_by_name[score]
        gap, alone = values[1] - values[0], gaps_of(swapped, name, score)
        added = [None if x is None else (gap - x) / 2 for x in alone]
        added = [x for x in added if x is None or abs(x) >= 1e-12]
        assert row["differing"] == len(added), score
        limit = limit_of(declared.limits, *values)
        if declared.complement_of:
            assert (row["p"], row["p_better"], row["interval"]) == (None, None, [None, None])
            continue
        if row["differing"] < 6:
            assert (row["p"], row["p_better"]) == (None, None)
            assert row["interval"] == pytest.approx(rare_interval(added, k, 0.9, limit), abs=1e-9)
            continue
        left = gaps_of(without, name, score)
        sign = 1 if declared.higher_is_better else -1
        gap = sign * (values[1] - values[0])
        gaps = [sign * (y[name]["scores"][score] - x[name]["scores"][score]) for x, y in after]
        p, p_better, (low, high) = swap_test(gap, gaps, balances, exact=exact, level=0.9)
        tested = bool(family[name, score])
        assert (row["p"], row["p_better"]) == ((p, p_better) if tested else (None, None)), score
        low, high = sorted((sign * low, sign * high))
        bounds = widened(sign * gap, left, k, (low, high), 0.9, limit)
        assert row["interval"] == pytest.approx(bounds, abs=1e-9), score
        assert not tested or (row["interval"][0] <= 0 <= row["interval"][1]) is (p > 0.1 + 1e-9)
        compared.add(name)
    return compared


@every_table_the_largest_slowly
def test_tests_and_intervals_from_all_swaps_are_those_of_documents_swapped_and_scored_anew(table):
    """Texts of one document change places together."""
    drawn = [d for d in corpus(60, seed=4) if len(d.gold) > 1][:9]
    a, b = [], []
    for k, (d, unit) in enumerate(zip(drawn, [0, 1, 0, 2, 3, 4, 5, 2, 1])):
        for system, pred in ((a, d.gold[1:]), (b, d.gold if k % 3 else [])):
            system.append(Document(d.gold, pred, d.text, tokens=d.tokens, id=f"unit {unit}"))
    assert check_against_twin(a, b, create_all(table), 64) == {*table}


def test_documents_in_which_a_system_only_has_fewer_spans_differ():
    """No column is larger there; in the other direction, none is smaller."""
    gold = [(0, 3, "A")]
    more = [Document(gold, [*gold, (5, 8, "A")] if k in (2, 7) else gold) for k in range(12)]
    equal = [Document(gold, gold) for _ in range(12)]
    for a, b in ((more, equal), (equal, more)):
        rows = by_score(compare(*(count(side, create_all(["strict"])) for side in (a, b))))
        row = rows["strict", "f"]
        assert (row["differing"], row["differing_documents"]) == (2, [2, 7])


SOME = {"strict": {}, "slot_error": {}, "wrf": {}, "ace": {}}


@pytest.mark.parametrize(
    "table", [pytest.param(SOME, marks=pytest.mark.slow), {"wrf": {"average": "micro"}}], ids=["defaults", "micro"]
)
def test_tests_and_intervals_from_random_swaps_are_those_of_documents_swapped_and_scored_anew(table):
    a = corpus(16, seed=4)
    assert check_against_twin(a, second(a), create_all(table), 40) == {*table}


@pytest.mark.parametrize("order", [["C", "A", "B"], ["C", "B"], ["B"]])
def test_the_evidence_on_a_label_is_the_same_beside_whatever_other_labels(order):
    """A seed means the same swaps for all of them, in any order."""
    (metric,) = create_all(["strict"])
    spans = {
        side: [(3 * k, 3 * k + 2, "ABC"[k * step % 3]) for k in range(9)] for side, step in (("gold", 1), ("pred", 2))
    }
    documents = [
        [
            Document(spans["gold"], spans["pred"][: k % 4 + lead] + spans["gold"][k % 5 + 4 :], "x" * 40, id=str(k))
            for k in range(40)
        ]
        for lead in (0, 1)
    ]
    baseline, system = (count(side, [metric]) for side in documents)

    def tests(labels: Sequence[str]) -> dict[str | None, list[Any]]:
        subjects, settings = [Subject(metric, metric.score_by_name["f"], label, "") for label in labels], Confidence()
        evidence = [
            *swap_evidence(baseline, system, subjects, settings, 500),
            *run_evidence([baseline], [system, baseline], subjects, settings),
            *half_sample_evidence(collapse(baseline), collapse(system), subjects),
        ]
        found: dict[str | None, list[Any]] = {label: [] for label in labels}
        for one in evidence:
            found[one.subject.label].append(repr((one.values, one.k, [*map(np.asarray, one.test(0.95))])))  # NaN too
        return found

    known = tests("ABC")
    assert tests(order) == {label: known[label] for label in order}


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
