"""Agreement of annotators: laws, and scores of pairs."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean, pstdev

import pytest
from annotators import STRICT, TEXTS, at_random, result_of, shared
from commands import line, write

from spacy_nereval import Confidence, Document, create, create_all, score
from spacy_nereval.evaluation.agreement.agreement_counts import DEFAULT, AgreementCounts
from spacy_nereval.evaluation.agreement.agreement_intervals import index_of
from spacy_nereval.evaluation.agreement.shared import SharedDocument, SharedDocuments
from spacy_nereval.evaluation.agreement.votes import Rule, consensus_rows, consensus_rule


@pytest.mark.parametrize("seed", range(12))
def test_pooled_f_is_one_minus_the_share_of_disputes(seed):
    found = result_of(at_random(seed, overlapping=True))
    rows = found["disputes"]["documents"]
    disputes, possible = (sum(row[name] for row in rows) for name in ("disputes", "possible"))
    assert disputes == sum(row["disputes"] for row in found["disputes"]["labels"])
    assert disputes == sum(row["disputes"] for row in found["disputes"]["spans"])
    if possible:
        assert found["metrics"]["strict"]["f"]["pooled"] == pytest.approx(1 - disputes / possible, abs=1e-15)


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_annotators_and_documents_changes_nothing(seed):
    given = at_random(seed, overlapping=seed % 2 == 0)
    metrics = create_all([*DEFAULT, "fair"])
    found = result_of(given, metrics)
    names = given.annotators[::-1]
    turned = [
        each._replace(spans={name: each.spans[name] for name in names if name in each.spans})
        for each in given.documents[::-1]
    ]
    other = result_of(SharedDocuments(names, turned), metrics)
    for key in ("metrics", "per_type", "u_alpha", "consensus"):
        own, theirs = ({**each[key], "reason": None} for each in (found, other))  # which names one of several places
        assert own == theirs, key
    assert other["units"] == {**found["units"], "kappa": pytest.approx(found["units"]["kappa"])}
    for key in ("labels", "documents"):
        rows = [
            [{**row, "annotators": sorted(row.get("annotators", ()))} for row in each["disputes"][key]]
            for each in (found, other)
        ]
        for ours, theirs in zip(*rows):
            scores = ours.pop("scores", {}), theirs.pop("scores", {})
            assert ours == theirs
            assert scores[0] == pytest.approx(scores[1])


@pytest.mark.parametrize("seed", range(2))
def test_a_pair_has_the_scores_that_score_gives(seed):
    """For a score that is not symmetric, the mean of both directions."""
    given = at_random(seed, overlapping=True)
    metrics = create_all(dict.fromkeys([*DEFAULT, "fair", "slot_error"], {}) | {"mentions": {"scope": "hits"}})
    for row in result_of(given, metrics)["pairs"]:
        both = given.places(row["a"], row["b"])
        for metric in metrics:
            there, back = (
                score([given.documents[k].pair(*names) for k in both], {metric.name: metric.settings})["metrics"][
                    metric.name
                ]
                for names in ((row["a"], row["b"]), (row["b"], row["a"]))
            )
            assert row["metrics"][metric.name]["counts"] == there["counts"]
            for name, value in row["metrics"][metric.name]["scores"].items():
                values = [side["scores"][name] for side in (there, back) if side["scores"][name] is not None]
                assert value == (pytest.approx(sum(values) / len(values)) if values else None), (metric.name, name)
                if metric.score_by_name[name].symmetric:
                    assert value == there["scores"][name]


def test_metrics_without_a_mirror_image_are_counted_in_both_directions():
    given = at_random(3, overlapping=True)
    metric = create("semeval")
    plain = replace(metric, mirror=None)
    assert metric.mirror
    assert result_of(given, [metric])["pairs"] == result_of(given, [plain])["pairs"]


def test_perfect_agreement_is_one_and_nothing_is_disputed():
    spans = [(0, 3, "PER"), (8, 11, "ORG")]
    found = result_of(shared({"d1": dict.fromkeys("abc", spans), "d2": dict.fromkeys("abc", ())}))
    assert found["metrics"]["strict"]["f"]["mean"] == 1
    units, unitising = found["units"], found["u_alpha"]
    assert {units[name] for name in ("alpha", "alpha_detect", "alpha_label", "observed", "fleiss", "kappa")} == {1}
    assert {unitising[name] for name in ("u_alpha", "u_binary", "cu_alpha")} == {1}
    assert found["disputes"]["spans"] == found["differences"] == []
    assert found["consensus"]["against"] == {"a": 1, "b": 1, "c": 1}


def test_where_nobody_marks_anything_nothing_is_defined():
    found = result_of(shared({"d1": {"a": [], "b": []}}))
    assert found["metrics"]["strict"]["f"]["mean"] is found["metrics"]["strict"]["f"]["pooled"] is None
    assert found["metrics"]["strict"]["f"]["undefined"] == 1
    assert found["units"]["alpha"] is found["u_alpha"]["u_alpha"] is found["pairs"][0]["kappa"] is None
    assert found["units"]["observed"] == 1


def test_overlapping_spans_of_one_annotator_have_no_overall_unitising_alpha():
    found = result_of(shared({"d1": {"a": [(0, 7, "PER"), (4, 11, "PER")], "b": [(0, 11, "PER")]}}))["u_alpha"]
    assert found["u_alpha"] is found["u_binary"] is found["cu_alpha"] is None
    assert "those of a in document d1" in found["reason"]
    assert found["per_type"]["PER"] == 1  # united, they are one unit
    nested, outer = (
        result_of(shared({"d1": {"a": own, "b": [(0, 5, "PER")]}}))["u_alpha"]["per_type"]["PER"]
        for own in ([(0, 11, "PER"), (4, 7, "PER")], [(0, 11, "PER")])
    )
    assert nested == outer < 1


def test_a_span_of_length_zero_is_scored_and_has_no_unit():
    found = result_of(shared({"d1": {"a": [(3, 3, "PER"), (0, 3, "PER")], "b": [(0, 3, "PER")]}}))
    assert found["metrics"]["strict"]["f"]["mean"] == pytest.approx(2 / 3)
    assert found["units"]["alpha"] == found["u_alpha"]["u_alpha"] == 1


BOB, EVE = (8, 11, "PER"), (11, 14, "PER")


def test_fewer_than_two_annotators_or_no_shared_document_are_errors():
    with pytest.raises(ValueError, match="two annotators or more; given: a"):
        shared({"d1": {"a": []}})
    with pytest.raises(
        ValueError, match=r"a, b and c share no document that two of them annotated \(3 by one alone, 1"
    ):
        SharedDocuments(("a", "b", "c"), [], single=3, unannotated=1)
    for wrong in ("most", 0, 4, True, 1.5, "0"):
        with pytest.raises(ValueError, match="expected majority, all, or a number of votes from 1 to 3"):
            consensus_rule(wrong, 3)


def test_the_consensus_has_neither_spans_nor_tokens_that_the_text_lacks():
    base = Document([], [], "Ada met\nEve", tokens=[(0, 3), (4, 7), (8, 11)], id="d1")
    base.annex = 7
    spans = [(0, 3, "PER"), (8, 11, "PER")]
    (row,) = consensus_rows(SharedDocuments(("a", "b"), [SharedDocument(base, dict.fromkeys("ab", spans))]), Rule())
    assert (row["text"], [span["start"] for span in row["spans"]]) == ("Ada met", [0])
    assert row["tokens"] == [{"start": 0, "end": 3}, {"start": 4, "end": 7}]


def test_tokens_are_those_of_the_documents_if_all_have_the_same():
    given = shared({"d1": {"a": [(0, 3, "PER")], "b": []}})
    each = given.documents[0]
    base = Document([], [], TEXTS["d1"], tokens=[(0, 2), (2, 31)])
    assert result_of(SharedDocuments(("a", "b"), [each._replace(base=base)]))["units"]["n"] == 2
    assert result_of(given)["units"]["n"] == 8


def test_documents_that_share_an_id_keep_their_own_scores():
    given = shared({"d1": {"a": [(0, 3, "PER")], "b": [(0, 3, "PER")]}, "d3": {"a": [(0, 3, "PER")], "b": []}})
    for each in given.documents:
        each.base.id = "same"
    rows = result_of(given)["disputes"]["documents"]
    assert [(row["disputes"], row["scores"]["strict_f"]) for row in rows] == [(1, 0), (0, 1)]


def test_the_score_of_a_document_is_the_mean_over_the_pairs_that_have_one():
    marked = {"a": [], "b": [], "c": [BOB], "d": [BOB]}
    rows = result_of(shared({"d1": marked, "d3": dict.fromkeys("abcd", ())}))["disputes"]["documents"]
    # a and b have none, four pairs have 0, and c and d have 1
    assert {row["document"]: row["scores"]["strict_f"] for row in rows} == {"d1": pytest.approx(1 / 5), "d3": None}


def test_documents_of_one_unit_are_resampled_together():
    given = shared({"d1": {"a": [BOB], "b": [BOB]}, "d2": {"a": [], "b": [BOB]}, "d3": {"a": [], "b": []}})
    for each in given.documents[:2]:
        each.base.unit, each.base.unit_rule = "of one source", "meta.source"
    assert index_of(given).units == ["of one source", "of one source", "d3"]
    assert AgreementCounts(given, STRICT).result(Confidence(samples=20))["confidence"]["units"] == 2


def test_verdicts_on_the_whole_corpus_are_those_of_the_pair(tmp_path):
    """Which surfaces have several labels: what c calls Ada does not matter to a and b."""
    train = write(tmp_path / "train.jsonl", line("Ada met Bob", (0, 3, "PER")))
    given = shared({"d1": {"a": [(0, 3, "PER")], "b": [(0, 3, "PER")], "c": [(0, 3, "ORG")]}})
    metric = create("tmr", train=str(train))
    rows = {row["a"] + row["b"]: row["metrics"]["tmr"]["counts"] for row in result_of(given, [metric])["pairs"]}
    assert (
        rows["ab"] == score([given.documents[0].pair("a", "b")], {"tmr": metric.settings})["metrics"]["tmr"]["counts"]
    )
    assert rows["ab"]["confusable_size"] == 0


@pytest.mark.parametrize("seed", range(6))
def test_numbers_without_an_annotator_are_those_of_the_others(seed):
    """As if they had never been there: counted anew from the others' annotations."""
    given = at_random(seed, overlapping=seed % 2 == 0)
    metrics = create_all(["strict", "fair"])
    found = result_of(given, metrics)["without"]
    assert [*found] == [*given.annotators]
    for name, without in found.items():
        others = {
            each.base.id: {other: own for other, own in each.spans.items() if other != name} for each in given.documents
        }
        others = {id: own for id, own in others.items() if len(own) > 1}
        assert without["documents"] == len(others)
        if not others:
            assert {*without["units"].values(), *without["u_alpha"].values()} == {None}
            continue
        anew = result_of(shared(others, {each.base.id: each.base.text for each in given.documents}), metrics)
        for metric in metrics:
            means = {score.name: anew["metrics"][metric.name][score.name]["mean"] for score in metric.scores}
            assert without["metrics"][metric.name] == pytest.approx(means)
        for group in ("units", "u_alpha"):
            assert without[group] == pytest.approx({key: anew[group][key] for key in without[group]})


def test_two_annotators_have_no_numbers_without_one():
    assert result_of(shared({"d1": dict.fromkeys("ab", [BOB])}))["without"] == {}


@pytest.mark.parametrize("seed", range(8))
def test_intervals_of_alphas_and_kappas_stay_between_minus_1_and_1(seed):
    found = AgreementCounts(at_random(seed), STRICT).result(Confidence())
    known = 0
    for group in ("units", "u_alpha"):
        for name, bounds in found["intervals"].get(group, {}).items():
            if name not in ("per_type", "observed") and bounds["low"] is not None:
                known += 1
                assert -1 <= bounds["low"] <= found[group][name] <= bounds["high"] <= 1
    assert known


def test_alpha_of_a_single_document_has_its_whole_range():
    found = AgreementCounts(shared({"d1": dict.fromkeys("ab", [BOB])}), STRICT).result(Confidence())
    assert found["intervals"]["units"]["alpha"] == {"low": -1, "high": 1, "k": 1, "df": 1, "flag": "few"}


def test_the_spread_over_documents_is_that_of_scores_of_single_documents():
    given = shared(
        {
            "d1": {"a": [BOB, (0, 3, "PER")], "b": [BOB], "c": []},
            "d2": {"a": [EVE], "b": [EVE], "c": [EVE]},
            "d3": {"a": [], "b": [], "c": [BOB[:2] + ("X",)]},
        },
        {**TEXTS, "d3": TEXTS["d1"]},
    )
    metrics = create_all(["strict", "char"])
    for row in result_of(given, metrics)["pairs"]:
        for metric in metrics:
            pair = [document.pair(row["a"], row["b"]) for document in given.documents]
            values = [score([each], {metric.name: {}})["metrics"][metric.name]["scores"]["f"] for each in pair]
            known = [value for value in values if value is not None]
            expected = {"mean": fmean(known), "sd": pstdev(known), "documents": len(known)}
            assert row["per_document"][metric.name] == {"f": pytest.approx(expected)}
