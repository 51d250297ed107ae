"""Agreement of annotators: a worked example as fractions, laws, and scores of pairs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from annotators import BY_HAND, TEXTS, at_random, shared
from commands import line, write

from spacy_nereval import Confidence, Document, create, create_all, score
from spacy_nereval.evaluation.agreement.consensus import Rule, consensus, consensus_rule
from spacy_nereval.evaluation.agreement.counts import DEFAULT, AgreementCounts
from spacy_nereval.evaluation.agreement.documents import SharedDocuments
from spacy_nereval.evaluation.agreement.intervals import Resampled
from spacy_nereval.reporting.agreement_lines import difference_words

STRICT = create_all(["strict"])


def result_of(given: SharedDocuments, metrics: Any = STRICT, **settings: Any) -> dict[str, Any]:
    return AgreementCounts(given, metrics, **settings).result()


def fraction(number: float) -> str:
    return str(Fraction(number).limit_denominator(10**6))


def fractions(table: dict[str, Any], *names: str) -> list[str]:
    return [fraction(table[name]) for name in names]


def test_pairs_of_the_worked_example():
    found = result_of(shared())
    assert {f"{row['a']}{row['b']}": fraction(row["metrics"]["strict"]["scores"]["f"]) for row in found["pairs"]} == {
        "ab": "4/9",
        "ac": "4/5",
        "bc": "1/3",
    }
    assert [row["documents"] for row in found["pairs"]] == [2, 1, 2]
    mean = found["metrics"]["strict"]["f"]
    assert fractions(mean, "mean", "min", "max", "pooled") == ["71/135", "1/3", "4/5", "1/2"]
    values = [4 / 9, 4 / 5, 1 / 3]
    assert mean["sd"] == pytest.approx((sum((v - 71 / 135) ** 2 for v in values) / 3) ** 0.5, abs=1e-15)
    assert (mean["pairs"], mean["undefined"], mean["symmetric"]) == (3, 0, True)
    own = found["per_type"]["LOC"]["strict"]["f"]
    assert fractions(own, "mean", "pooled") == ["1/2", "1/2"]
    assert found["per_type"]["ORG"]["strict"]["f"]["undefined"] == 1  # neither a nor c has any


def test_alpha_and_kappa_of_the_worked_example():
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


def test_unitising_alpha_of_the_worked_example():
    found = result_of(shared())["u_alpha"]
    assert fractions(found, "u_alpha", "u_binary", "cu_alpha") == ["399002/693471", "12185/21684", "5399/6341"]


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
    assert [(row["document"], row["disputes"], row["possible"]) for row in found["documents"]] == [
        ("d1", 8, 16),
        ("d3", 1, 1),
        ("d2", 1, 3),
    ]
    assert [(row["label"], row["disputes"], row["possible"]) for row in found["labels"]] == [
        ("LOC", 4, 8),
        ("PER", 4, 10),
        ("ORG", 2, 2),
    ]
    first = found["spans"][0]
    assert (first["document"], first["text"], first["label"], first["disputes"]) == ("d1", "Bob", "ORG", 2)
    assert {name: [span["label"] for span in spans] for name, spans in first["said"].items()} == {
        "a": ["PER"],
        "b": ["ORG"],
        "c": [],
    }
    assert (first["left"], first["right"]) == ("Ada met ", " in New York today .")
    assert [row["disputes"] for row in found["spans"]] == [2, 2, 2, 2, 1, 1]


def test_means_of_documents():
    rows = {row["document"]: row["scores"] for row in result_of(shared())["disputes"]["documents"]}
    assert {name: fraction(row["strict_f"]) for name, row in rows.items()} == {"d1": "23/45", "d2": "2/3", "d3": "0"}


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


def test_a_span_of_length_zero_is_scored_and_has_no_unit():
    found = result_of(shared({"d1": {"a": [(3, 3, "PER"), (0, 3, "PER")], "b": [(0, 3, "PER")]}}))
    assert found["metrics"]["strict"]["f"]["mean"] == pytest.approx(2 / 3)
    assert found["units"]["alpha"] == found["u_alpha"]["u_alpha"] == 1


def test_the_rule_in_which_two_differ_comes_first():
    """Ann includes 'the'; noise goes both ways."""
    sides, texts = {}, {}
    for k in range(14):
        id = f"d{k}"
        texts[id] = "the pump and the seal leak"
        ann, ben = [(0, 8, "PART"), (17, 21, "PART")], [(4, 8, "PART"), (17, 21, "PART")]
        if k < 4:
            (ann if k % 2 else ben).pop()
        sides[id] = {"ann": ann, "ben": ben}
    rows = result_of(shared(sides, texts))["differences"]
    assert len(rows) == 1  # each of the two lacks the seal as often as the other
    expected = {"kind": "boundary", "one": "ann", "other": "ben", "end": "leading", "number": 14, "reverse": 0}
    assert {name: rows[0][name] for name in expected} == expected
    assert (rows[0]["words"], rows[0]["labels"], rows[0]["documents"]) == ({"the": 14}, {"PART": 14}, 14)
    assert rows[0]["example"] == {"document": "d0", "one_text": "the pump", "other_text": "pump"}


def test_labels_and_missing_spans_are_differences_too():
    sides = {f"d{k}": {"ann": [ADA_AS["PER"], *[BOB] * (k < 3)], "ben": [ADA_AS["ORG"]]} for k in range(5)}
    sides["d5"] = {"ann": [ADA_AS["ORG"]], "ben": [ADA_AS["PER"]]}
    rows = result_of(shared(sides, dict.fromkeys(sides, TEXTS["d1"])))["differences"]
    assert [(row["kind"], row["one"], row["label"], row["number"], row["reverse"]) for row in rows] == [
        ("label", "ann", "PER", 5, 1),
        ("missing", "ann", "PER", 3, 0),
    ]
    assert rows[0]["instead"] == "ORG"
    assert [row["words"] for row in rows] == [{"ada": 5}, {"bob": 3}]


def test_boundaries_that_differ_in_many_words_are_counted_without_them():
    texts = {f"d{k}": "the pump of the second left door leaks" for k in range(3)}
    sides = {id: {"ann": [(0, 32, "PART")], "ben": [(4, 8, "PART")]} for id in texts}
    rows = result_of(shared(sides, texts))["differences"]
    assert [(row["end"], row["number"], row["words"]) for row in rows] == [
        ("leading", 3, {"the": 3}),
        ("trailing", 3, {}),
    ]
    assert difference_words(rows[1]) == "ann includes trailing words of PART that ben leaves out, 3 times"
    spaces = shared(
        {f"d{k}": {"a": [(0, 3, "X")], "b": [(0, 4, "X")]} for k in range(2)}, {"d0": "Ada x", "d1": "Ada x"}
    )
    assert result_of(spaces)["differences"] == []


ADA_AS = {label: (0, 3, label) for label in ("PER", "ORG")}
BOB = (8, 11, "PER")


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


def test_half_samples_are_what_the_chosen_documents_give():
    """Each row of sums equals the agreement on the documents of that half-sample."""
    sides = {f"{id}{k}": own for k in range(2) for id, own in BY_HAND.items()}
    sides["d10"] = {"a": [(0, 3, "ORG")], "c": [(0, 3, "PER"), (8, 11, "PER")]}
    texts = {id: TEXTS[id[:2]] for id in sides} | {"d10": TEXTS["d1"]}
    given = shared(sides, texts)
    counted = AgreementCounts(given, STRICT)
    resampled = Resampled(given, Confidence(samples=5))
    taken: dict[Any, Any] = {}
    resampled.intervals = lambda samples: taken.update(samples) or []
    counted._intervals(counted.result(), resampled, counted._tables, STRICT)
    bits = resampled.halves.of(slice(0, len(given.documents)))
    paths = [
        ("metrics", "strict", "f", "mean"),
        ("metrics", "strict", "f", "pooled"),
        ("metrics", "strict", "p", "mean"),
        ("per_type", "PER", "strict", "f", "mean"),
        ("units", "alpha"),
        ("units", "kappa"),
        ("units", "per_type", "LOC"),
        ("u_alpha", "u_alpha"),
        ("u_alpha", "cu_alpha"),
        ("consensus", "against", "a"),
    ]
    for row, chosen in enumerate(bits):
        documents = [each for each, bit in zip(given.documents, chosen) if bit]
        found = result_of(SharedDocuments(given.annotators, documents))
        for path in paths:
            value: Any = found
            for key in path:
                value = value.get(key) if isinstance(value, dict) else None
            sample = taken[path].of_samples[row]
            assert sample == pytest.approx(value) if value is not None else sample != sample, (row, path)


def test_intervals_have_the_shape_of_the_result():
    counted = AgreementCounts(shared(), create_all(DEFAULT))
    found = counted.result(Confidence())
    assert found["confidence"]["exact"]
    assert found["confidence"]["samples"] == 8
    assert "half:all 8" in found["signature"]
    bounds = found["intervals"]
    for name in ("mean", "pooled"):
        row = bounds["metrics"]["strict"]["f"][name]
        assert row["low"] < found["metrics"]["strict"]["f"][name] < row["high"]
        assert row["flag"] == "few"
    assert [(row["a"], row["b"]) for row in bounds["pairs"]] == [*combinations("abc", 2)]
    assert {"scores"} == {*bounds["pairs"][0]["metrics"]["char"]}
    assert bounds["units"]["alpha"]["high"] < 1
    assert bounds["units"]["per_type"].keys() == bounds["u_alpha"]["per_type"].keys() == {"LOC", "ORG", "PER"}
    assert bounds["consensus"]["against"].keys() == {"a", "b", "c"}
    main = counted.with_main_interval(counted.result())["intervals"]
    assert main["metrics"]["strict"] == bounds["metrics"]["strict"]
    assert [*main["metrics"]] == ["strict"]
    assert main["units"] == bounds["units"]


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
