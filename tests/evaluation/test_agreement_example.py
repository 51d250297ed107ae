"""Agreement of annotators: a worked example as fractions, and intervals."""

from __future__ import annotations

from fractions import Fraction
from hashlib import blake2b
from itertools import combinations
from math import inf
from typing import Any

import pytest
from annotators import BY_HAND, STRICT, TEXTS, result_of, shared
from twin_statistics import by_influence

from spacy_nereval import Confidence, create_all
from spacy_nereval.evaluation.agreement.agreement_counts import DEFAULT, AgreementCounts
from spacy_nereval.evaluation.agreement.agreement_intervals import LeftOut, index_of
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


def test_numbers_without_a_document_are_those_of_the_others():
    """And those of a document alone are what it gives by itself. Two documents are one unit."""
    sides = {f"{id}{k}": own for k in range(2) for id, own in BY_HAND.items()}
    sides["d10"] = {"a": [(0, 3, "ORG")], "c": [(0, 3, "PER"), (8, 11, "PER")]}
    texts = {id: TEXTS[id[:2]] for id in sides} | {"d10": TEXTS["d1"]}
    given = shared(sides, texts)
    given.documents[0].base.unit = given.documents[3].base.unit = "together"
    counted = AgreementCounts(given, STRICT)
    left_out = LeftOut(given, Confidence(), STRICT)
    taken: dict[Any, Any] = {}
    left_out.intervals = lambda samples: taken.update(samples) or []
    counted._intervals(counted.result(), left_out, counted._tables, STRICT)
    units = index_of(given).units
    order = sorted(set(units), key=lambda key: blake2b(key.encode(), digest_size=8).digest())
    for row, key in enumerate((*order, *order)):
        alone = row >= len(order)
        documents = [each for each, own in zip(given.documents, units) if (own == key) is alone]
        found = result_of(SharedDocuments(given.annotators, documents))
        for path in PATHS:
            value: Any = found
            for step in path:
                value = value.get(step) if isinstance(value, dict) else None
            sample = taken[path].samples[row]
            assert sample == pytest.approx(value) if value is not None else sample != sample, (row, path)


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


@pytest.mark.costly
@pytest.mark.parametrize(
    "path", [PATHS[0], PATHS[1], PATHS[3], PATHS[4], PATHS[5], PATHS[6], PATHS[7], PATHS[9], ("pairs", 1, "kappa")]
)
def test_intervals_are_those_of_documents_left_out_one_after_the_other(path):
    """Twelve documents, of which annotators differ in some."""
    documents = [(f"Ada saw Bob in New York {k}", {}) for k in range(12)]
    for k, (_, own) in enumerate(documents):
        both = [(0, 3, "PER"), (15, 23, "LOC")]
        own |= {"a": both[: 1 + k % 2], "b": both[: 1 + (k + k // 6) % 2], "c": [(0, 3, "PER" if k % 4 else "ORG")]}
    given = shared(
        {f"d{k}": own for k, (_, own) in enumerate(documents)}, {f"d{k}": t for k, (t, _) in enumerate(documents)}
    )
    result = AgreementCounts(given, STRICT).result(Confidence())

    def at(found: Any) -> float | None:
        for step in path:
            found = found[step] if isinstance(step, int) else found.get(step) if isinstance(found, dict) else None
        return found

    def of(some: Any) -> float | None:
        return at(
            result_of(SharedDocuments(given.annotators, [each for k, each in enumerate(given.documents) if some(k)]))
        )

    label = path[1] if path[0] == "per_type" else path[2] if len(path) > 2 and path[1] == "per_type" else None
    spans = [[{s for s in own if label in (None, s[2])} for own in each.spans.values()] for each in given.documents]
    without, alone = ([of(lambda k, n=n, same=same: (k == n) is same) for n in range(12)] for same in (False, True))
    corrected = path[0] in ("units", "u_alpha", "pairs")
    compared = [[own[0], own[2]] for own in spans] if path[0] == "pairs" else spans
    expected = by_influence(
        at(result), without, alone, [sum(map(len, own)) for own in spans], (-inf, 1) if corrected else (0, 1),
        mixed=mixed_of(compared) if corrected else None,
    )  # fmt: skip
    row = at(result["intervals"])
    assert (row["low"], row["high"]) == pytest.approx(expected.bounds, abs=1e-9)
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


def mixed_of(spans: Any) -> int:
    """In how many documents two annotators differ, or in how many two agree about a span, whichever is less."""
    pairs = [[*combinations(own, 2)] for own in spans]
    return min(sum(any(a != b for a, b in each) for each in pairs), sum(any(a & b for a, b in each) for each in pairs))


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
