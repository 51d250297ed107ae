"""The numbers of a leaderboard: cells, tests of all pairs, rank intervals, top groups, means, counts of data sets."""

from itertools import combinations, product
from math import isclose, sqrt
from typing import Any

import numpy as np
import pytest
from boards import Outcomes, board, counts, digits, tags
from products import NIGHT

from spacy_nereval import Confidence, Score, compare, score, score_runs
from spacy_nereval.evaluation.collapsing import collapse
from spacy_nereval.features.leaderboard import ranking
from spacy_nereval.features.leaderboard.ranking import Entry, rank_systems

PERFECT = {"a": "103 " * 8, "b": "410 " * 7 + "301", "c": "400 " * 8}


def f(outcomes: Outcomes) -> float:
    tp, fp, fn = np.sum(outcomes, axis=0)
    return 2 * tp / (2 * tp + fp + fn)


def swapped_leads(a: Outcomes, b: Outcomes) -> list[float]:
    """How far b is ahead of a after each possible exchange of documents."""
    stays = np.array([*product((1, 0), repeat=len(a))])
    sums = (stays @ x + (1 - stays) @ y for x, y in ((np.array(a), np.array(b)), (np.array(b), np.array(a))))
    first, second = (2 * tp / (2 * tp + fp + fn) for tp, fp, fn in (table.T for table in sums))
    return (second - first).tolist()


def twin(systems: dict[str, Outcomes], level: float = 0.95) -> dict[str, Any]:
    """Ranks, top group and p-values by Holm of all pairs, by trying every exchange of documents.

    Which systems rest on too few documents is asked of `score`.
    """
    few = {
        name
        for name, outcomes in systems.items()
        if score(counts(outcomes), confidence=True)["metrics"]["strict"]["intervals"]["scores"]["f"]["flag"] == "few"
    }
    ranked = sorted((name for name in systems if name not in few), key=lambda name: (-f(systems[name]), name))
    p_values = {}
    for better, worse in combinations(ranked, 2):
        a, b = systems[worse], systems[better]
        lead = f(b) - f(a)
        one_swapped = [f([*b[:k], a[k], *b[k + 1 :]]) - f([*a[:k], b[k], *a[k + 1 :]]) for k in range(len(a))]
        if sum(abs(lead - other) > 2e-12 for other in one_swapped) >= 6:
            leads = swapped_leads(a, b)
            p_values[worse, better] = sum(abs(other) >= abs(lead) - 1e-12 for other in leads) / len(leads)
    holm, largest = {}, 0.0
    for rank, (pair, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p))
        holm[pair] = largest
    shown = {pair for pair, p in holm.items() if p <= 1 - level + 1e-12}
    ranks = {
        name: [1 + sum(worse == name for worse, _ in shown), len(ranked) - sum(better == name for _, better in shown)]
        for name in ranked
    }
    top = {name for name in ranked if (name, ranked[0]) not in shown}
    return {"ranks": ranks, "top": top, "holm": holm, "few": few, "p": p_values}


def random_systems(random: np.random.Generator) -> dict[str, Outcomes]:
    """Two to five systems on six to nine documents, of which some differ much and some little."""
    documents = int(random.integers(6, 10))
    gold = random.integers(1, 7 if random.random() < 0.7 else 30, documents)
    systems = {}
    for name in "abcde"[: random.integers(2, 6)]:
        skill = random.choice([0.1, 0.4, 0.7, 0.95])
        hits = random.binomial(gold, skill)
        spurious = random.binomial(3, 1 - skill, documents)
        systems[name] = [*zip(hits.tolist(), spurious.tolist(), (gold - hits).tolist())]
    return systems


@pytest.mark.costly
@pytest.mark.parametrize("number", [10, pytest.param(200, marks=NIGHT)])
def test_ranks_top_groups_and_p_values_are_those_of_all_exchanges(number):
    random, kinds = np.random.default_rng(0), {"tested": 0, "untested": 0, "shown": 0, "few": 0}
    for _ in range(number):
        systems = random_systems(random)
        (found,), expected = rank_systems({"x": board(systems)})["data_sets"], twin(systems)
        ranks = {row["system"]: row["rank"] for row in found["scores"]}
        assert ranks == {**dict.fromkeys(expected["few"]), **expected["ranks"]}
        assert {row["system"] for row in found["scores"] if row["top"]} == expected["top"]
        pairs = {tuple(pair["systems"]): pair for pair in found["pairs"]}
        assert pairs.keys() == {(worse, better) for better, worse in combinations(expected["ranks"], 2)}
        assert found["tests"] == len(expected["holm"])
        for names, pair in pairs.items():
            assert pair["p"] == pytest.approx(expected["p"].get(names)), names
            assert pair["p_holm"] == pytest.approx(expected["holm"].get(names)), names
            kinds["tested" if names in expected["p"] else "untested"] += 1
            kinds["shown"] += pair["shown"]
        kinds["few"] += len(expected["few"])
    assert min(kinds.values()) >= number / 10, kinds


def test_three_systems_by_hand():
    """Of 8 documents, each pair differs in all, always the same way: p is 2 of 256 exchanges, times 3 tests by Holm."""
    result = rank_systems({"x": board({name: digits(text) for name, text in PERFECT.items()})})
    (found,) = result["data_sets"]
    assert result["systems"] == ["c", "b", "a"] and not result["means"] and not result["better"]
    assert [row["value"] for row in found["scores"]] == pytest.approx([1, 2 * 31 / 70, 0.4])
    assert [(row["rank"], row["top"]) for row in found["scores"]] == [([1, 1], True), ([2, 2], False), ([3, 3], False)]
    assert [pair["systems"] for pair in found["pairs"]] == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert {(pair["p"], pair["p_holm"], pair["shown"]) for pair in found["pairs"]} == {(2 / 256, 6 / 256, True)}


def test_systems_that_no_test_tells_apart_share_their_ranks():
    nearly = {"a": digits("400 " * 20), "b": digits("301 " * 5 + "400 " * 15), "c": digits("004 " * 20)}
    (found,) = rank_systems({"x": board(nearly)})["data_sets"]
    assert [(row["system"], row["rank"], row["top"]) for row in found["scores"]] == [
        ("a", [1, 2], True),
        ("b", [1, 2], True),
        ("c", [3, 3], False),
    ]
    untested = next(pair for pair in found["pairs"] if pair["systems"] == ["b", "a"])
    assert (untested["differing"], untested["p"], untested["p_holm"], untested["shown"]) == (5, None, None, False)
    assert found["tests"] == 2, "Holm counts only pairs with a test"


def test_a_system_on_too_few_documents_has_no_rank():
    one_document = digits("922 " + "100 " * 7)
    (found,) = rank_systems({"x": board({"a": one_document, "b": one_document})})["data_sets"]
    assert [(row["flag"], row["rank"], row["top"]) for row in found["scores"]] == [("few", None, None)] * 2
    assert found["pairs"] == [] and found["tests"] == 0


def primary_row(comparison: Any) -> dict[str, Any]:
    (row,) = (row for row in comparison["comparisons"] if row["family"] == "primary")
    return row


@pytest.mark.costly
@pytest.mark.parametrize(("metric", "level"), [("strict", 0.9), ("slot_error", 0.95), ("fair", 0.9)])
def test_cells_are_those_of_score_to_the_last_digit(metric, level):
    random = np.random.default_rng(1)
    systems = random_systems(random)
    result = rank_systems({"x": board(systems, metric)}, Confidence(level=level))
    for row in result["data_sets"][0]["scores"]:
        alone = score(counts(systems[row["system"]], metric), confidence=Confidence(level=level))["metrics"][metric]
        assert row["value"] == alone["scores"][result["score"]]
        interval = alone["intervals"]["scores"][result["score"]]
        assert {key: row[key] for key in ("low", "high", "k", "flag")} == {
            key: interval[key] for key in ("low", "high", "k", "flag")
        }


@pytest.mark.costly
@pytest.mark.parametrize(
    ("metric", "sums"),
    [
        pytest.param(metric, sums, marks=() if k % 2 == (sums == 1) else NIGHT)
        for k, metric in enumerate(["strict", "fair", "loio", "slot_error"])
        for sums in (1, 1 << 23)
    ],
)
def test_pairs_are_those_of_compare_to_the_last_digit(metric, sums, monkeypatch):
    """Each system is summed once for all its pairs, a few swaps at a time or all at once."""
    monkeypatch.setattr("spacy_nereval.evaluation.pairs.SUMS_OF_SIDES", sums)
    monkeypatch.setattr("spacy_nereval.evaluation.evidence.CELLS", sums)
    random = np.random.default_rng(5)
    gold_spans, systems = random.integers(1, 7, 12), {}
    for name, skill in zip("abcd", (0.3, 0.5, 0.6, 0.9)):
        hits = random.binomial(gold_spans, skill)
        systems[name] = [*zip(hits.tolist(), random.binomial(3, 0.4, 12).tolist(), (gold_spans - hits).tolist())]
    gold = tags(systems["a"])[0]
    (found,) = rank_systems({"x": board(systems, metric)}, trials=100 if sums == 1 else 2000)["data_sets"]
    assert len(found["pairs"]) == 6
    for pair in found["pairs"]:
        both = {name: tags(systems[name])[1] for name in pair["systems"]}
        row = primary_row(compare(both, gold, metric, trials=100 if sums == 1 else 2000))
        for key in ("difference", "interval", "p", "p_better", "differing"):
            assert pair[key] == row[key], key


def test_lower_is_better_of_an_error_rate():
    result = rank_systems({"x": board({name: digits(text) for name, text in PERFECT.items()}, "slot_error")})
    assert (result["metric"], result["score"], result["higher_is_better"]) == ("slot_error", "ser", False)
    rows = result["data_sets"][0]["scores"]
    assert [row["system"] for row in rows] == ["c", "b", "a"] and rows[0]["value"] == 0
    assert [row["rank"] for row in rows] == [[1, 1], [2, 2], [3, 3]]


BOARDS = {
    "x": {name: digits(text) for name, text in PERFECT.items()},
    "y": {name: digits(f"{text} " * 9) for name, text in {"a": "202", "b": "410", "c": "301", "d": "004"}.items()},
}
"""Two data sets. Only the second one has system d; b is better than c there."""


def test_means_are_plain_and_their_bounds_by_mover():
    result = rank_systems({name: board(systems) for name, systems in BOARDS.items()})
    cells = [{row["system"]: row for row in data_set["scores"]} for data_set in result["data_sets"]]
    assert result["systems"] == ["c", "b", "a", "d"]
    assert [row["system"] for row in result["means"]] == ["c", "b", "a"], "d is in one data set only"
    for row in result["means"]:
        x, y = (of_set[row["system"]] for of_set in cells)
        assert isclose(row["value"], (x["value"] + y["value"]) / 2)
        assert isclose(row["value"] - row["low"], sqrt(sum((c["value"] - c["low"]) ** 2 for c in (x, y))) / 2)
        assert isclose(row["high"] - row["value"], sqrt(sum((c["high"] - c["value"]) ** 2 for c in (x, y))) / 2)


def test_a_mean_by_hand():
    """STATISTICS' example: .9 [.8, .95] and .5 [.2, .8] have the mean .7 [.54189, .85207]."""
    cells = [{"value": 0.9, "low": 0.8, "high": 0.95}, {"value": 0.5, "low": 0.2, "high": 0.8}]
    (row,) = ranking._means([{"scores": [{"system": "a", **cell}]} for cell in cells], Score("f"))
    assert [row[key] for key in ("value", "low", "high")] == pytest.approx([0.7, 0.54189, 0.85207], abs=5e-6)


def test_in_at_least_how_many_data_sets_a_system_is_better():
    """The p-values of "b is better than a" are 1/256 and 1/512; c is better than b in one data set, b than c in one."""
    better = {
        (row["system"], row["than"]): (row["least"], row["number"])
        for row in rank_systems({name: board(systems) for name, systems in BOARDS.items()})["better"]
    }
    assert better == {
        **{("b", "a"): (2, 2), ("c", "a"): (2, 2), ("b", "c"): (1, 2), ("c", "b"): (1, 2)},
        **{("a", "b"): (0, 2), ("a", "c"): (0, 2)},
    }


def test_training_runs_are_scored_and_tested_as_score_runs_and_compare_do():
    random = np.random.default_rng(3)
    gold = random.integers(1, 6, 30)

    def trained(skill: float) -> Outcomes:
        hits = random.binomial(gold, skill)
        return [*zip(hits.tolist(), random.binomial(2, 1 - skill, 30).tolist(), (gold - hits).tolist())]

    systems = {
        "a": [trained(0.5), trained(0.55)],
        "b": [trained(0.8), trained(0.9), trained(0.85)],
        "c": [trained(0.6)],
    }
    (found,) = rank_systems({"x": {name: Entry([*map(counts, runs)]) for name, runs in systems.items()}})["data_sets"]
    predicted = {name: {f"run {k}": tags(run)[1] for k, run in enumerate(runs)} for name, runs in systems.items()}
    for row in found["scores"]:
        runs = predicted[row["system"]]
        assert row["runs"] == len(runs)
        if len(runs) > 1:
            alone = score_runs(tags(systems["a"][0])[0], runs, "strict")["metrics"]["strict"]
            assert row["value"] == alone["scores"]["f"]
            assert [row[key] for key in ("low", "high")] == [
                alone["intervals"]["scores"]["f"][k] for k in ("low", "high")
            ]
    for pair in found["pairs"]:
        both = {
            name: predicted[name] if len(predicted[name]) > 1 else predicted[name]["run 0"] for name in pair["systems"]
        }
        row = primary_row(compare(both, tags(systems["a"][0])[0], "strict"))
        assert [pair[key] for key in ("difference", "interval", "p")] == [
            row[k] for k in ("difference", "interval", "p")
        ]


def test_folds_are_pooled_with_their_mean_and_deviation_beside():
    folds = {name: {"1": digits(text)[:4], "2": digits(text)[4:]} for name, text in PERFECT.items()}
    entries = {name: Entry(folds={k: counts(part) for k, part in parts.items()}) for name, parts in folds.items()}
    (found,) = rank_systems({"x": entries})["data_sets"]
    (pooled,) = rank_systems({"x": {name: Entry([entry.counts[0]]) for name, entry in entries.items()}})["data_sets"]
    assert found["pairs"] == pooled["pairs"]
    for row, other in zip(found["scores"], pooled["scores"]):
        assert {key: row[key] for key in other} == other
        values = [f(part) for part in folds[row["system"]].values()]
        assert row["folds"] == 2
        assert [row["fold_mean"], row["fold_sd"]] == pytest.approx([np.mean(values), np.std(values, ddof=1)])


def test_collapsed_counts_have_cells_without_tests():
    random = np.random.default_rng(4)
    systems = random_systems(random)
    collapsed = {name: collapse(counts(outcomes), 200, 0) for name, outcomes in systems.items()}
    (found,) = rank_systems({"x": {name: Entry([made]) for name, made in collapsed.items()}})["data_sets"]
    assert found["pairs"] == [] and found["units"] is None
    for row in found["scores"]:
        alone = score(collapsed[row["system"]], confidence=True)["metrics"]["strict"]
        assert row["value"] == alone["scores"]["f"] and row["low"] == alone["intervals"]["scores"]["f"]["low"]
    ranked = [row for row in found["scores"] if row["rank"]]
    assert all(row["rank"] == [1, len(ranked)] and row["top"] for row in ranked)


@pytest.mark.parametrize(
    ("boards", "said"),
    [
        ({}, "there is no system to rank"),
        ({"x": {}}, "there is no system to rank"),
        ({"x": board({"a": digits("301 " * 8)}), "y": {}}, "y: there is no system"),
        (
            {"x": board({"a": digits("301 " * 8)}), "y": board({"a": digits("301 " * 8)}, "fair")},
            "y: it was not counted as the first data set was: one has the metrics strict, the other none",
        ),
        (
            {
                "x": board({"a": digits("301 " * 8)}, "fair"),
                "y": board({"a": digits("301 " * 8)}, {"fair": {"beta": 2}}),
            },
            "y: it was not counted as the first data set was: fair.beta is 1.0 and 2",
        ),
        ({"x": board({"a": digits("301 " * 8), "b": digits("302 " * 8)})}, "x: b: the systems have different gold"),
        ({"x": board({"a": digits("301 " * 8), "b": digits("301 " * 7)})}, "x: b: 1 document is not in both"),
        (
            {"x": board({"a": digits("301 " * 8)}) | board({"b": digits("301 " * 8)}, "fair")},
            "x: b: the systems cannot be compared",
        ),
    ],
)
def test_what_cannot_be_ranked(boards, said):
    with pytest.raises(ValueError, match=f"^{said}"):
        rank_systems(boards)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("equal", [True, False])
def test_the_best_system_is_in_the_top_group(equal):
    """In at least 95 % of test sets, whether all systems are equally good or one is a little better."""
    random, held, trials = np.random.default_rng(6), 0, 300
    for _ in range(trials):
        gold = random.integers(1, 8, 30)
        systems = {}
        for k, name in enumerate("abcde"):
            of_document = random.beta(6, 3, 30) if equal or k else random.beta(6.5, 3, 30)
            hits = random.binomial(gold, of_document)
            systems[name] = [*zip(hits.tolist(), random.binomial(2, 0.3, 30).tolist(), (gold - hits).tolist())]
        (found,) = rank_systems({"x": board(systems)}, trials=1000)["data_sets"]
        held += next(row["top"] for row in found["scores"] if row["system"] == "a")
    assert held >= 0.95 * trials
