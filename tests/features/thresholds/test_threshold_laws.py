"""Thresholds: one pass gives what scoring anew at each cut gives, and the best cuts are the best."""

import itertools
import math
from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from asking import near
from refusals import refused_with
from scored import nested, scored

from spacy_nereval import Confidence, Document, count, create, create_all, evaluate, names
from spacy_nereval.core.cuts import Cuts, apply_cuts
from spacy_nereval.core.declaration import Metric
from spacy_nereval.evaluation.tested import Criterion, find_criterion
from spacy_nereval.features.thresholds.chosen_cuts import find_thresholds, measure_cuts
from spacy_nereval.features.thresholds.curves import (
    Curves,
    ScoredDocuments,
    Settings,
    curve_rows,
    metrics_without_curve,
)
from spacy_nereval.features.thresholds.cut_choice import best_place, micro_cuts
from spacy_nereval.features.thresholds.scored_spans import ScoredSpans, rank_predictions


def every_metric() -> list[Metric]:
    """All registered metrics without needs, and other options of those that count otherwise with them."""
    found = [create(name) for name in names() if not create(name).needs]
    return [metric for metric in found if metric.name not in metrics_without_curve(found)]


def curves_of(documents: Sequence[Document], metrics: Sequence[Metric]) -> Curves:
    return ScoredDocuments.create(documents, metrics).curves


def rescored(documents: Sequence[Document], metrics: Sequence[Metric], value: float) -> dict[str, Any]:
    kept = apply_cuts(documents, Cuts(None if math.isinf(value) else value))
    found: dict[str, Any] = evaluate(count(kept, metrics))["metrics"]
    return found


def assert_equal(ours: float, theirs: float | None) -> None:
    assert (theirs is None and math.isnan(ours)) or ours == pytest.approx(theirs, abs=1e-12)


def check_against_rescoring(documents: Sequence[Document], metrics: Sequence[Metric]) -> int:
    curves, compared = curves_of(documents, metrics), 0
    overall = {metric.name: curves.overall(metric) for metric in metrics}
    labels = {(m.name, label): curves.label_curve(m, label) for m in metrics for label in curves.labels}
    for place, value in enumerate(curves.cuts.tolist()):
        found = rescored(documents, metrics, value)
        assert curves.place(value) == place
        for metric in metrics:
            own = found[metric.name]
            for name, score in own["scores"].items():
                assert_equal(overall[metric.name][name][place], score)
                compared += 1
            for label, row in own["per_type"].items():
                curve = labels[metric.name, label]
                here = np.searchsorted(curve.at, place, side="right") - 1
                for name, score in row["scores"].items():
                    assert_equal(curve.scores[name][here], score)
                    compared += 1
    return compared


OPTIONS = {"fair": {"unit": "token"}, "wrf": {"weights": "lenient", "average": "micro"}, "loio": {"s": 0.3}}
OPTIONS |= {"semeval": {"focus": "system"}, "strict": {"beta": 2.0}}
MANY = [(k, k + 3, "AB"[k % 2], k % 7 / 7) for k in range(60)]
LONG = scored([(k, k + 2, "A") for k in range(0, 60, 5)], MANY, "x" * 70)
"""A full group of many predictions, whose states are counted in several batches."""


def test_every_metric_at_every_cut_is_what_scoring_anew_gives() -> None:
    documents = nested(Random(0), 25)
    assert any(start == end for document in documents for start, end, _ in document.sides[1])
    assert check_against_rescoring(documents, every_metric()) > 2000
    check_against_rescoring(nested(Random(1), 12), create_all(OPTIONS))
    check_against_rescoring([LONG], create_all(["strict", "fair", "char"]))


def test_the_lowest_cut_is_the_score() -> None:
    documents, metrics = nested(Random(3), 20), create_all()
    found, whole = find_thresholds(documents, metrics), evaluate(count(documents, metrics))
    for metric in metrics:
        for name, row in found.values["metrics"][metric.name]["scores"].items():
            assert row["no_cut"] == near(whole["metrics"][metric.name]["scores"][name])
    assert found.values["best"]["no_cut"] == whole["metrics"]["strict"]["scores"]["f"]
    assert found.curves.kept[-1] == whole["pred"] and found.curves.kept[0] == 0


@pytest.mark.parametrize("hit", ["strict", 0.3, 0.7, 1.0])
def test_hits_never_change_as_the_cut_falls(hit: Any) -> None:
    for document in nested(Random(4), 30):
        scores = document.span_scores
        before: set[Any] = set()
        for value in sorted({*scores.values()}, reverse=True):
            kept = [*apply_cuts([document], Cuts(value))]
            assert kept[0]
            found = rank_predictions(kept, [kept[0].span_scores], hit)
            hits = {*zip(found.score[found.hit].tolist(), found.label[found.hit].tolist())}
            assert before <= hits
            before = hits


@pytest.mark.parametrize("seed", range(3))
def test_thinned_curves_go_through_the_best_cut(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr("spacy_nereval.features.thresholds.chosen_cuts.POINTS", 2)
    documents = nested(Random(seed), 12)
    for document in documents:  # so that the best cut lies between the hits and the others
        document.span_scores = {s: (v + (s in document.hits)) / 2 for s, v in document.span_scores.items()}
    found = find_thresholds(documents, create_all(["strict", "fair"]), Settings("fair_f")).values
    curves, best = found["curves"], found["best"]
    assert curves["cuts"] == [None, best["cut"], found["floor"]]
    assert (curves["metrics"]["fair"]["f"][1], curves["kept"][1]) == (best["value"], best["kept"])


def test_order_of_documents_does_not_matter() -> None:
    documents = nested(Random(5), 15)
    one, other = (
        find_thresholds(some, create_all(), Settings(per_label="micro")) for some in (documents, documents[::-1])
    )
    assert one.values == other.values


def test_ties_go_to_the_highest_cut() -> None:
    pred = [(0, 1, "A", 0.9), (5, 6, "A", 0.5), (2, 3, "A", 0.5), (7, 8, "A", 0.1)]
    document = scored([(0, 1, "A"), (2, 3, "A")], pred)
    found = find_thresholds([document], create_all(["strict"])).values["best"]
    assert (found["cut"], found["value"]) == (0.5, 0.8)
    same = scored([(0, 1, "A"), (2, 3, "A"), (4, 5, "A")], [(0, 1, "A", 0.9), (6, 7, "A", 0.5), (2, 3, "A", 0.4)])
    # F is 1/2, 2/5 and 2/3; of precision, 1 is reached at the first cut alone.
    assert find_thresholds([same], create_all(["strict"]), Settings("strict_p")).values["best"]["cut"] == 0.9
    assert best_place(np.array([0.1, 0.3, 0.1 + 0.2])) == 1


def test_the_best_cost_is_the_lowest_and_may_keep_nothing() -> None:
    document = scored([(0, 3, "A")], [(10, 13, "A", 0.9), (20, 23, "A", 0.8)])
    found = find_thresholds([document], create_all(["slot_error", "strict"]), Settings("slot_error.ser"))
    assert (found.values["best"]["cut"], found.values["best"]["value"], found.values["best"]["kept"]) == (None, 1.0, 0)
    assert found.cuts and found.cuts.default is None and not found.cuts.keeps("A", 1e9)


def brute_force(documents: Sequence[Document], wish: Criterion, labels: Sequence[str]) -> float:
    """The best value over all combinations of cuts of labels."""
    scores = [
        [math.inf, *sorted({s for d in documents for span, s in d.span_scores.items() if span[2] == label})]
        for label in labels
    ]
    best = -math.inf
    for combination in itertools.product(*scores):
        cuts = Cuts(None, dict(zip(labels, combination)))
        own = evaluate(count(apply_cuts(documents, cuts), [wish.metric]))["metrics"][wish.metric.name]["scores"]
        value = own[wish.score.name]
        best = max(best, -math.inf if value is None else float(wish.orient(value)))
    return best


@pytest.mark.slow
def test_joint_cuts_of_strict_f_are_the_best_of_all_combinations() -> None:
    wish, rng, better = find_criterion("strict_f", create_all(["strict"])), Random(6), 0
    for _ in range(6):
        documents = nested(rng, 3, predictions=3)
        labels = sorted({span[2] for d in documents for side in d.sides for span in side})
        found = find_thresholds(documents, [wish.metric], Settings(per_label="micro")).values["best"]
        assert found["exact"]
        if found["value"] is not None:
            assert found["value"] == pytest.approx(brute_force(documents, wish, labels), abs=1e-12)
            better += found["value"] > found["common"]["value"]
    assert better > 1


def test_a_label_without_gold_is_never_kept_by_joint_cuts() -> None:
    document = scored([(0, 1, "A")], [(0, 1, "A", 0.5), (3, 4, "B", 0.9)])
    assert micro_cuts(ScoredSpans([document], [document.span_scores])) == {"A": 0.5, "B": math.inf}


def test_joint_cuts_leave_out_hits_that_cost_too_many_mistakes() -> None:
    wrong = [(place, place + 1, "A", 0.8) for place in range(20, 23)]
    document = scored([(0, 1, "A"), (5, 6, "A")], [(0, 1, "A", 0.9), (5, 6, "A", 0.7), *wrong])
    assert micro_cuts(ScoredSpans([document], [document.span_scores])) == {"A": 0.9}


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "reached"), [(0, False), (1, False), (649, True)])
def test_ascent_is_no_worse_than_a_common_cut_and_no_better_than_all_combinations(seed: int, reached: bool) -> None:
    """In the last case, only the ascent that starts from each label's own cut comes to the best of all."""
    wish, documents = find_criterion("fair_f", create_all(["fair"])), nested(Random(seed), 3, predictions=4)
    found = find_thresholds(documents, [wish.metric], Settings("fair_f", "micro")).values["best"]
    labels = sorted({span[2] for d in documents for side in d.sides for span in side})
    best = brute_force(documents, wish, labels)
    assert found["exact"] is False
    assert found["common"]["value"] - 1e-12 <= found["value"] <= best + 1e-12
    assert not reached or found["value"] == pytest.approx(best)


def test_own_cuts_are_the_best_of_each_label() -> None:
    documents, metrics = nested(Random(8), 12), create_all(["strict"])
    found = find_thresholds(documents, metrics, Settings(per_label="own"))
    for label, row in found.values["per_type"].items():
        values = {}
        for value in [None, *sorted({s for d in documents for s in d.span_scores.values()})]:
            own = evaluate(count(apply_cuts(documents, Cuts(None, {label: value})), metrics))["metrics"]["strict"][
                "per_type"
            ]
            values[value] = own[label]["scores"]["f"]
        assert row["value"] == pytest.approx(max(v for v in values.values() if v is not None))
        assert values[row["cut"]] == row["value"]


def test_a_label_without_gold_has_the_common_cut() -> None:
    document = scored([(0, 1, "A")], [(0, 1, "A", 0.5), (3, 4, "A", 0.2), (3, 4, "B", 0.9)])
    best = find_thresholds([document], create_all(["strict"]), Settings(per_label="own")).values["best"]
    assert best["labels"] == {"A": 0.5, "B": best["common"]["cut"]}
    curves = curves_of([document], create_all(["strict"]))
    assert curves.cuts[curves.label_curve(curves.metrics[0], "B").at].tolist() == [math.inf, 0.9]


def at(
    cuts: Cuts, documents: Sequence[Document | None], metrics: Any = None, *, chosen_on: Any = None
) -> dict[str, Any]:
    """Scores by threshold on documents."""
    found = find_thresholds(chosen_on or documents, metrics or create_all(["strict"]))._replace(cuts=cuts)
    result: dict[str, Any] = measure_cuts(found, documents, Confidence(samples=200)).values["applied"]
    return result


def test_documents_without_annotation_are_told_where_a_cut_is_applied() -> None:
    documents = [None if k in (2, 3, 7) else document for k, document in enumerate(nested(Random(10), 12))]
    found = at(Cuts(0.5), documents, chosen_on=nested(Random(9), 20))
    assert (found["documents"], found["skipped"]) == (9, 3)


def test_an_applied_cut_is_held_fixed() -> None:
    """Scores and intervals, of each label too, are those of scoring what is kept."""
    metrics = create_all(["strict", "fair"])
    documents = [*nested(Random(9), 30), *nested(Random(10), 8, labels="D")]
    cuts = Cuts(0.5, {"A": 0.7}, "strict.f")
    found = at(cuts, documents, metrics)
    result = evaluate(count(apply_cuts(documents, cuts), metrics), Confidence(samples=200))
    kept, bounds = result["metrics"]["strict"], result["metrics"]["strict"]["intervals"]
    rows = {None: (found, kept["scores"]["f"], bounds["scores"]["f"])}
    for label, own in kept["per_type"].items():
        rows[label] = found["per_type"][label], own["scores"]["f"], bounds["per_type"][label]["f"]
        assert found["per_type"][label]["scores"] == {name: own["scores"][name] for name in "prf"}
        assert found["per_type"][label]["cut"] == cuts.labels.get(label, 0.5)
    assert len({own["k"] for _, _, own in rows.values()}) > 3  # so that one cannot stand for another
    for row, value, own in rows.values():
        assert row["value"] == value
        assert {key: row[key] for key in ("low", "high", "k", "flag")} == {
            key: own.get(key) for key in ("low", "high", "k", "flag")
        }
    assert found["no_cut"]["value"] == evaluate(count(documents, metrics))["metrics"]["strict"]["scores"]["f"]
    assert found["gain"]["difference"] == pytest.approx(found["value"] - found["no_cut"]["value"])
    assert found["gain"]["low"] <= found["gain"]["difference"] <= found["gain"]["high"]
    own_best = find_thresholds(documents, metrics).values["best"]
    assert (found["own_best"]["value"], found["own_best"]["available"]) == (own_best["value"], False)
    assert found["own_best"]["difference"] == pytest.approx(own_best["value"] - found["value"])


def test_labels_that_were_not_seen_are_named() -> None:
    test = scored([(0, 1, "X")], [(0, 1, "X", 0.9), (2, 3, "A", 0.9)])
    found = at(Cuts(0.5, {"A": 0.95}), [test], chosen_on=[scored([], [(0, 1, "A", 0.5)])])
    assert found["unseen"] == ["X"] and found["per_type"]["X"]["kept"] == 1 and found["per_type"]["A"]["kept"] == 0


def test_a_cut_below_all_scores_of_other_documents_is_said() -> None:
    test = scored([(0, 1, "A")], [(0, 1, "A", 0.9)])
    (line,) = at(Cuts(0.2, floor=0.0), [test])["warnings"]
    assert "the threshold 0.2 is below 0.9" in line
    assert at(Cuts(0.95, floor=0.0), [test])["warnings"] == []


@pytest.mark.parametrize(
    ("high", "low", "said"), [(0.9, 0.5, True), (0.9, 0.6, True), (0.9, 0.49, False), (7.5, 0.75, False)]
)
def test_probabilities_that_were_cut_before_are_said(high: float, low: float, said: bool) -> None:
    document = scored([(0, 1, "A")], [(0, 1, "A", high), (2, 3, "A", low)])
    lines = find_thresholds([document], create_all(["strict"])).values["warnings"]
    assert any("filtered before" in line and "threshold = 0.0" in line for line in lines) is said


def test_a_metric_of_the_whole_corpus_has_no_curve() -> None:
    metrics = [create("strict"), create("mentions", scope="hits")]
    found = find_thresholds(nested(Random(10), 5), metrics)
    assert [*found.values["left_out"]] == ["mentions"] and [*found.values["metrics"]] == ["strict"]
    with refused_with(
        ValueError,
        "best='mentions.f': mentions has no curve: its verdicts depend on the corpus as a whole, so "
        "they do not add up over documents",
    ):
        find_thresholds(nested(Random(10), 5), metrics, Settings("mentions.f"))


@pytest.mark.parametrize("documents", [[scored([], [])], [scored([], [(0, 1, "A", 0.5)])], [scored([(0, 1, "A")], [])]])
def test_nothing_on_a_side_is_null_with_its_reason(documents: list[Document]) -> None:
    found = find_thresholds(documents, create_all(["strict"]), Settings(per_label="micro")).values
    assert found["average_precision"]["reason"] == (None if found["gold"] else "there are no gold spans")
    if not found["pred"]:
        assert found["floor"] is None
        assert found["warnings"] == ["there are no predictions, so no threshold applies"]
    if not found["gold"] and not found["pred"]:
        assert found["best"]["reason"] == "strict.f is undefined at every threshold" and found["best"]["cut"] is None


@pytest.mark.parametrize("seed", range(4))
def test_no_other_cut_of_a_single_label_is_better_after_the_ascent(seed: int) -> None:
    documents, metrics = nested(Random(seed), 4, predictions=5), create_all(["fair"])

    def score(cuts: dict[str, float | None]) -> float:
        found = evaluate(count(apply_cuts(documents, Cuts(None, cuts)), metrics))["metrics"]["fair"]["scores"]["f"]
        return -math.inf if found is None else found

    best = find_thresholds(documents, metrics, Settings("fair_f", "micro")).values["best"]
    assert score(best["labels"]) == best["value"]
    tried = [None, *sorted({score for document in documents for score in document.span_scores.values()})]
    for label in best["labels"]:
        assert max(score(best["labels"] | {label: value}) for value in tried) <= best["value"] + 1e-12


def test_only_f1_has_exact_joint_cuts() -> None:
    documents = nested(Random(6), 6, predictions=6)
    for beta in (1.0, 2.0):
        metrics = [create("strict", beta=beta)]
        best = find_thresholds(documents, metrics, Settings("strict_f", "micro")).values["best"]
        assert best["exact"] is (beta == 1)
        assert best["value"] >= best["common"]["value"] - 1e-12


def test_labels_have_their_scores_without_a_cut_and_at_the_common_one() -> None:
    documents, metrics = nested(Random(0), 12), create_all(["strict"])
    found = find_thresholds(documents, metrics).values
    for name, cuts in (("no_cut", {}), ("value", {label: found["best"]["cut"] for label in found["per_type"]})):
        kept = apply_cuts(documents, Cuts(None, cuts)) if cuts else documents
        expected = evaluate(count(kept, metrics))["metrics"]["strict"]["per_type"]
        assert {label: row[name] for label, row in found["per_type"].items()} == {
            label: pytest.approx(row["scores"]["f"]) for label, row in expected.items()
        }


def test_rows_of_labels_are_what_scoring_anew_gives() -> None:
    documents, metrics = nested(Random(1), 8), create_all(["strict", "fair"])
    rows = [row for row in curve_rows(find_thresholds(documents, metrics).curves) if row["label"]]
    anew = {
        value: evaluate(count(apply_cuts(documents, Cuts(value)), metrics))["metrics"]
        for value in {row["cut"] for row in rows}
    }
    assert {row["label"] for row in rows} == {*"ABC"} and len(anew) > 5
    for row, name in product(rows, ("strict", "fair")):
        labels = anew[row["cut"]][name]["per_type"]
        for score in "prf":
            expected = labels[row["label"]]["scores"][score] if row["label"] in labels else None
            assert row[f"{name}.{score}"] == (None if expected is None else pytest.approx(expected)), row


def test_cuts_that_differ_for_one_label_have_other_names():
    ways = [Cuts(0.5), Cuts(0.4), Cuts(0.5, {"A": 0.4}), Cuts(0.5, {"B": 0.4})]
    assert len({cuts.digest for cuts in ways}) == len(ways)
