"""Agreement of annotators: a worked example as fractions, and intervals."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations
from math import inf
from typing import Any

import numpy as np
import pytest
from annotators import BY_HAND, STRICT, TEXTS, result_of, shared
from twin_statistics import by_influence

from spacy_nereval import Confidence, create_all
from spacy_nereval.evaluation.agreement.agreement_counts import DEFAULT, AgreementCounts
from spacy_nereval.evaluation.agreement.agreement_intervals import index_of
from spacy_nereval.evaluation.agreement.shared import SharedDocuments
from spacy_nereval.evaluation.agreement.votes import Rule, consensus, consensus_rule


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


PATHS = [
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


def twelve_documents() -> SharedDocuments:
    """Twelve documents, of which annotators differ in some."""
    documents = [(f"Ada saw Bob in New York {k}", {}) for k in range(12)]
    for k, (_, own) in enumerate(documents):
        both = [(0, 3, "PER"), (15, 23, "LOC")]
        own |= {"a": both[: 1 + k % 2], "b": both[: 1 + (k + k // 6) % 2], "c": [(0, 3, "PER" if k % 4 else "ORG")]}
    return shared(
        {f"d{k}": own for k, (_, own) in enumerate(documents)}, {f"d{k}": t for k, (t, _) in enumerate(documents)}
    )


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
    units = index_of(given).units

    def of(key: str, *, alone: bool) -> Any:
        documents = [each for each, own in zip(given.documents, units) if (own == key) is alone]
        return result_of(SharedDocuments(given.annotators, documents))

    sides = ([of(key, alone=side) for key in dict.fromkeys(units)] for side in (False, True))
    return given, units, AgreementCounts(given, STRICT).result(Confidence()), *sides


@pytest.mark.costly
@pytest.mark.parametrize("path", [*PATHS, ("pairs", 1, "kappa"), ("pairs", 1, "metrics", "strict", "scores", "f")])
@pytest.mark.parametrize("made", [twelve_documents, unlike_documents])
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
    corrected = path[0] in ("units", "u_alpha") or path[-1] == "kappa"
    pair = [(result["pairs"][path[1]]["a"], result["pairs"][path[1]]["b"])] if path[0] == "pairs" else None
    expected = by_influence(
        at(result), without, alone, [*spans.values()], (-inf, 1) if corrected else (0, 1),
        spans=sum(spans.values()) / np.mean([len(each.spans) for each in given.documents]),
        mixed=mixed_of(given, units, label, pair) if corrected else None,
    )  # fmt: skip
    row = at(result["intervals"])
    low, high = expected.bounds
    assert (row["low"], row["high"]) == pytest.approx((max(low, -1) if corrected else low, high), abs=1e-9)
    assert (row["k"], row["df"], row["flag"]) == (
        pytest.approx(expected.k), pytest.approx(expected.df, rel=1e-6), expected.flag
    )  # fmt: skip


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
