"""Agreement of annotators: laws, scores of pairs, a worked example as fractions, and intervals."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import inf
from statistics import fmean, pstdev
from typing import Any

import numpy as np
import pytest
from annotators import BOB, BY_HAND, STRICT, TEXTS, at_random, result_of, shared
from asking import scored
from commands import line, write
from products import NIGHT, mostly_at_night
from refusals import refused_with
from twin_statistics import by_influence

from spacy_nereval import Confidence, Document, create, create_all, score
from spacy_nereval.features.agreement.agreement_counts import DEFAULT, AgreementCounts
from spacy_nereval.features.agreement.annotator_pairs import empty_counts
from spacy_nereval.features.agreement.disagreements import Rule, consensus, consensus_rows, consensus_rule
from spacy_nereval.features.agreement.shared_documents import SharedDocument, SharedDocuments


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
                scored([given.documents[k].pair(*names) for k in both], metric.name, **metric.settings)
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


def test_fewer_than_two_annotators_or_no_shared_document_are_errors():
    with refused_with(ValueError, "agreement needs two annotators or more; given: a"):
        shared({"d1": {"a": []}})
    with refused_with(
        ValueError,
        "a, b and c share no document that two of them annotated (3 by one alone, 1 by nobody): "
        "expected the same texts, with the same ids or without ids",
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
    assert empty_counts(given).units == ["of one source", "of one source", "d3"]
    assert AgreementCounts(given, STRICT).result(Confidence(samples=20))["confidence"]["units"] == 2


def test_verdicts_on_the_whole_corpus_are_those_of_the_pair(tmp_path):
    """Which surfaces have several labels: what c calls Ada does not matter to a and b."""
    train = write(tmp_path / "train.jsonl", line("Ada met Bob", (0, 3, "PER")))
    given = shared({"d1": {"a": [(0, 3, "PER")], "b": [(0, 3, "PER")], "c": [(0, 3, "ORG")]}})
    metric = create("tmr", train=str(train))
    rows = {row["a"] + row["b"]: row["metrics"]["tmr"]["counts"] for row in result_of(given, [metric])["pairs"]}
    alone = score([given.documents[0].pair("a", "b")], {"tmr": metric.settings})
    assert rows["ab"] == alone["metrics"]["tmr"]["counts"] and rows["ab"]["confusable_size"] == 0


@pytest.mark.parametrize(
    ("seed", "unit"),
    [
        pytest.param(seed, unit, marks=() if seed // 2 % 2 == (unit == "char") else NIGHT)
        for seed in range(6)
        for unit in ("token", "char")
    ],
)
def test_numbers_without_an_annotator_are_those_of_the_others(seed, unit):
    """As if they had never been there: counted anew from the others' annotations."""
    given = at_random(seed, overlapping=seed % 2 == 0)
    metrics = create_all(["strict", "fair"])
    found = result_of(given, metrics, unit=unit)["without"]
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
        texts = {each.base.id: each.base.text for each in given.documents}
        anew = result_of(shared(others, texts), metrics, unit=unit)
        for metric in metrics:
            means = {score.name: anew["metrics"][metric.name][score.name]["mean"] for score in metric.scores}
            assert without["metrics"][metric.name] == pytest.approx(means)
        for group in ("units", "u_alpha"):
            assert without[group] == pytest.approx({key: anew[group][key] for key in without[group]})


def test_two_annotators_have_no_numbers_without_one():
    assert result_of(shared({"d1": dict.fromkeys("ab", [BOB])}))["without"] == {}


def test_alpha_of_a_single_document_has_its_whole_range():
    found = AgreementCounts(shared({"d1": dict.fromkeys("ab", [BOB])}), STRICT).result(Confidence())
    assert found["intervals"]["units"]["alpha"] == {"low": -1, "high": 1, "k": 1, "df": 1, "flag": "few"}


@pytest.mark.parametrize("seed", range(4))
def test_the_spread_over_documents_is_that_of_scores_of_single_documents(seed):
    given, metrics = at_random(seed), create_all(["strict", "char"])
    for row in result_of(given, metrics)["pairs"]:
        both = [given.documents[k].pair(row["a"], row["b"]) for k in given.places(row["a"], row["b"])]
        for metric in metrics:
            values = [scored(each, metric.name)["scores"]["f"] for each in both]
            known = [value for value in values if value is not None]
            spread = {"mean": fmean(known), "sd": pstdev(known)} if known else {"mean": None, "sd": None}
            assert row["per_document"][metric.name] == {"f": pytest.approx(spread | {"documents": len(known)})}


def fraction(number: float) -> str:
    return str(Fraction(number).limit_denominator(10**6))


def fractions(table: dict[str, Any], *names: str) -> list[str]:
    return [fraction(table[name]) for name in names]


def test_pairs_of_the_worked_example():
    found = result_of(shared())
    scores = {f"{row['a']}{row['b']}": row["metrics"]["strict"]["scores"] for row in found["pairs"]}
    assert {names: fraction(own["f"]) for names, own in scores.items()} == {"ab": "4/9", "ac": "4/5", "bc": "1/3"}
    assert [row["documents"] for row in found["pairs"]] == [2, 1, 2]
    mean = found["metrics"]["strict"]["f"]
    assert fractions(mean, "mean", "min", "max", "pooled") == ["71/135", "1/3", "4/5", "1/2"]
    assert mean["sd"] == pytest.approx(pstdev([4 / 9, 4 / 5, 1 / 3]), abs=1e-15)
    assert (mean["pairs"], mean["undefined"], mean["symmetric"]) == (3, 0, True)
    own = found["per_type"]["LOC"]["strict"]["f"]
    assert fractions(own, "mean", "pooled") == ["1/2", "1/2"]
    assert found["per_type"]["ORG"]["strict"]["f"]["undefined"] == 1  # neither a nor c has any


def test_alphas_and_kappas_of_the_worked_example():
    token = result_of(shared())
    names = "alpha", "alpha_detect", "alpha_label", "observed"
    assert fractions(token["units"], *names) == ["373/670", "37/70", "28/39", "25/34"]
    assert fractions(token["units"]["per_type"], "PER", "LOC", "ORG") == ["23/56", "52/63", "0"]
    assert [fraction(row["kappa"]) for row in token["pairs"]] == ["14/25", "15/19", "4/9"]
    assert token["units"]["kappa"] == pytest.approx((14 / 25 + 15 / 19 + 4 / 9) / 3)
    assert token["units"]["fleiss"] is None  # not everyone annotated every document
    char = result_of(shared(), unit="char")
    assert fractions(char["units"], *names[:3]) == ["950/1663", "29/52", "106/147"]
    assert (token["units"]["n"], char["units"]["n"]) == (13, 54)
    unitising = fractions(token["u_alpha"], "u_alpha", "u_binary", "cu_alpha")
    assert unitising == ["399002/693471", "12185/21684", "5399/6341"]


def test_consensus_of_the_worked_example():
    given = shared()
    found = result_of(given)["consensus"]
    assert found["rule"] == "majority"
    assert {name: fraction(value) for name, value in found["against"].items()} == {"a": "1/2", "b": "2/5", "c": "2/3"}
    kept = {each.base.id: [vote.span for vote in votes] for each, votes in consensus(given, Rule())}
    assert kept == {"d1": [(0, 3, "PER"), (15, 23, "LOC")], "d2": [(0, 4, "LOC")], "d3": []}
    for rule, number in (("all", 2), (1, 8), (2, 3), (3, 1)):
        assert result_of(given, rule=consensus_rule(rule, 3))["consensus"]["spans"] == number


def test_disputes_of_the_worked_example():
    found = result_of(shared())["disputes"]
    documents = [(row["document"], row["disputes"], row["possible"]) for row in found["documents"]]
    assert documents == [("d1", 8, 16), ("d3", 1, 1), ("d2", 1, 3)]
    assert [fraction(row["scores"]["strict_f"]) for row in found["documents"]] == ["23/45", "0", "2/3"]
    labels = [(row["label"], row["disputes"], row["possible"]) for row in found["labels"]]
    assert labels == [("LOC", 4, 8), ("PER", 4, 10), ("ORG", 2, 2)]
    first = found["spans"][0]
    assert (first["document"], first["text"], first["label"], first["disputes"]) == ("d1", "Bob", "ORG", 2)
    said = {name: [span["label"] for span in spans] for name, spans in first["said"].items()}
    assert said == {"a": ["PER"], "b": ["ORG"], "c": []}
    assert (first["left"], first["right"]) == ("Ada met ", " in New York today .")
    assert [row["disputes"] for row in found["spans"]] == [2, 2, 2, 2, 1, 1]


PATHS = [("metrics", "strict", "f", "mean"), ("metrics", "strict", "f", "pooled"), ("metrics", "strict", "p", "mean")]
PATHS += [("per_type", "PER", "strict", "f", "mean"), ("units", "alpha"), ("units", "kappa"), ("u_alpha", "u_alpha")]
PATHS += [("units", "per_type", "LOC"), ("u_alpha", "cu_alpha"), ("consensus", "against", "a"), ("pairs", 1, "kappa")]
PATHS += [("pairs", 1, "metrics", "strict", "scores", "f")]


def twelve_documents() -> SharedDocuments:
    """Twelve documents, of which annotators differ in some."""
    both, sides = [(0, 3, "PER"), (15, 23, "LOC")], {}
    for k in range(12):
        lone = [(0, 3, "PER" if k % 4 else "ORG")]
        sides[f"d{k}"] = {"a": both[: 1 + k % 2], "b": both[: 1 + (k + k // 6) % 2], "c": lone}
    return shared(sides, {id: f"Ada saw Bob in New York {id[1:]}" for id in sides})


def unlike_documents() -> SharedDocuments:
    """Each annotator but one lacks some documents. Two documents are one unit."""
    sides = {f"{id}{k}": own for k in range(3) for id, own in BY_HAND.items()}
    sides["d10"] = {"a": [(0, 3, "ORG")], "c": [(0, 3, "PER"), (8, 11, "PER")]}
    given = shared(sides, {id: TEXTS[id[:2]] for id in sides})
    given.documents[0].base.unit = given.documents[3].base.unit = "together"
    return given


@cache
def left_out(made: Any) -> tuple[SharedDocuments, list[str], Any, list[Any], list[Any]]:
    """The documents, their units, and the results of all of them, without each unit, and of each unit alone."""
    given = made()
    units = empty_counts(given).units

    def of(key: str, *, alone: bool) -> Any:
        documents = [each for each, own in zip(given.documents, units) if (own == key) is alone]
        return result_of(SharedDocuments(given.annotators, documents))

    sides = ([of(key, alone=side) for key in dict.fromkeys(units)] for side in (False, True))
    return given, units, AgreementCounts(given, STRICT).result(Confidence()), *sides


@pytest.mark.costly
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("made", mostly_at_night([twelve_documents, unlike_documents], by_day=[unlike_documents]))
def test_intervals_are_those_of_units_left_out_one_after_the_other(made, path):
    given, units, result, *sides = left_out(made)

    def at(found: Any) -> Any:
        for step in path:
            if isinstance(step, int):
                wanted = [result["pairs"][step][side] for side in "ab"]
                found = next((pair for pair in found if [pair["a"], pair["b"]] == wanted), None)
            else:
                found = found.get(step) if isinstance(found, dict) else None
        return found

    without, alone = ([*map(at, side)] for side in sides)
    label = path[1] if path[0] == "per_type" else path[2] if len(path) > 2 and path[1] == "per_type" else None
    spans = dict.fromkeys(units, 0)
    for each, key in zip(given.documents, units):
        spans[key] += sum(label in (None, span[2]) for own in each.spans.values() for span in own)
    every, corrected = sum(spans.values()), path[0] in ("units", "u_alpha") or path[-1] == "kappa"
    pair = [(result["pairs"][path[1]]["a"], result["pairs"][path[1]]["b"])] if path[0] == "pairs" else None
    if path[0] in ("pairs", "consensus"):  # units of other annotators say nothing about these
        informs = [x is not None or y != at(result) for x, y in zip(alone, without)]
        spans = {unit: number if inside else 0 for (unit, number), inside in zip(spans.items(), informs)}
    expected = by_influence(
        at(result), without, alone, [*spans.values()], (-inf, 1) if corrected else (0, 1),
        spans=every / np.mean([len(each.spans) for each in given.documents]),
        mixed=mixed_of(given, units, label, pair) if corrected else None,
    )  # fmt: skip
    row = at(result["intervals"])
    low, high = expected.bounds
    assert (row["low"], row["high"]) == pytest.approx((max(low, -1) if corrected else low, high), abs=1e-9)
    assert (row["k"], row["df"], row["flag"]) == (
        pytest.approx(expected.k), pytest.approx(expected.df, rel=1e-6), expected.flag
    )  # fmt: skip


def test_documents_that_a_pair_did_not_annotate_say_nothing_about_it():
    """Ann and Bob agree in 10 documents; Ann has 200, with Cy."""
    documents = {f"d{k}": [(0, 3, "PER")] for k in range(200)}
    sides = {
        id: {"ann": own, "cy": own} | ({"bob": own} if n < 10 else {}) for n, (id, own) in enumerate(documents.items())
    }
    given = shared(sides, dict.fromkeys(sides, "Ada saw Bob"))
    for number, document in enumerate(given.documents):
        document.base.unit = f"d{number}"
    result = AgreementCounts(given, STRICT).result(Confidence())
    rows = {
        f"{pair['a']} {pair['b']}": pair["metrics"]["strict"]["scores"]["f"] for pair in result["intervals"]["pairs"]
    }
    # In ten documents are three spans, in others two.
    assert {names: round(row["k"], 2) for names, row in rows.items()} == {"ann bob": 10, "ann cy": 197.76, "cy bob": 10}
    assert rows["ann bob"]["low"] == pytest.approx(0.66149, abs=5e-6)  # that of 10 documents that are all right
    assert result["intervals"]["consensus"]["against"]["bob"]["k"] == 10


def test_an_interval_of_a_label_that_scores_alike_everywhere_is_that_of_its_own_spans():
    own = {
        "a": [(0, 3, "PER"), (8, 11, "PER"), (15, 18, "LOC"), (19, 23, "LOC")],
        "b": [(0, 3, "PER"), (15, 18, "LOC")],
    }
    given = shared({f"d{k}": own for k in range(8)}, {f"d{k}": f"Ada saw Bob in New York {k}" for k in range(8)})
    found = AgreementCounts(given, STRICT).result(Confidence())["intervals"]["per_type"]["PER"]["strict"]["f"]["mean"]
    expected = by_influence(2 / 3, [2 / 3] * 8, [2 / 3] * 8, [3] * 8, spans=8 * 3 / 2)
    assert (found["low"], found["high"]) == pytest.approx(expected.bounds)


def mixed_of(given: SharedDocuments, units: Any, label: str | None, pairs: Any) -> int:
    """In how many units two annotators differ, or in how many two agree about a span, whichever is less."""
    differ, agree = set(), set()
    for each, unit in zip(given.documents, units):
        for a, b in pairs or given.pairs():
            if a in each.spans and b in each.spans:
                one, other = ({s for s in each.spans[name] if label in (None, s[2])} for name in (a, b))
                differ |= {unit} if one != other else set()
                agree |= {unit} if one & other else set()
    return min(len(differ), len(agree))


def test_intervals_have_the_shape_of_the_result():
    counted = AgreementCounts(shared(), create_all(DEFAULT))
    found = counted.result(Confidence())
    assert (found["confidence"]["exact"], found["confidence"]["samples"]) == (True, None)
    assert "|infl,level:0.95,unit:id,units:3|" in found["signature"]
    bounds = found["intervals"]
    assert {bounds["metrics"]["strict"]["f"][name]["flag"] for name in ("mean", "pooled")} == {"few"}
    assert [(row["a"], row["b"]) for row in bounds["pairs"]] == [*combinations("abc", 2)]
    assert {"scores"} == {*bounds["pairs"][0]["metrics"]["char"]}
    assert bounds["units"]["per_type"].keys() == bounds["u_alpha"]["per_type"].keys() == {"LOC", "ORG", "PER"}
    assert bounds["consensus"]["against"].keys() == {"a", "b", "c"}
    main = counted.add_main_interval(counted.result())["intervals"]
    assert main["metrics"]["strict"] == bounds["metrics"]["strict"]
    assert [*main["metrics"]] == ["strict"]
    assert main["units"] == bounds["units"]
