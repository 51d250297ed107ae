"""The metric `attributes`: a worked example, a plain twin, laws, and what a person sees of it."""

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from spacy_nereval import Document, count, create, evaluate, score
from spacy_nereval.core.attribute_values import attributes_by_span, attributes_of, sort_attributes
from spacy_nereval.evaluation.error_list import error_list

Spans = dict[tuple[int, int, str], dict[str, str]]

TEXT = "No fever, mild cough and rash"
FEVER, COUGH, RASH, NO = (3, 8, "PROBLEM"), (15, 20, "PROBLEM"), (25, 29, "PROBLEM"), (0, 2, "PROBLEM")
GOLD: Spans = {FEVER: {"negated": "true"}, COUGH: {"severity": "mild"}, RASH: {}}
PRED: Spans = {FEVER: {"negated": "true"}, COUGH: {}, RASH: {"negated": "true"}, NO: {"negated": "true"}}


def document(gold: Spans, pred: Spans, text: str | None = None, id: str | None = None) -> Document:
    result = Document([*gold], [*pred], text, id=id)
    sides = (attributes_by_span((s, sort_attributes(own.items())) for s, own in side.items()) for side in (gold, pred))
    result.attributes = tuple(sides)
    return result


def scored(documents: list[Document], **options: Any) -> dict[str, Any]:
    return evaluate(count(documents, [create("attributes", **options)]))["metrics"]["attributes"]


def test_the_worked_example():
    found = scored([document(GOLD, PRED, TEXT)])
    assert found["scores"] == pytest.approx(
        {
            **{"given_p": 1 / 2, "given_r": 1 / 2, "given_f": 1 / 2, "end_p": 1 / 3, "end_r": 1 / 2, "end_f": 2 / 5},
            **{"accuracy": 2 / 3, "all": 1 / 3},
        }
    )
    assert [*found["per_type"]] == ["negated", "negated=true", "severity", "severity=mild"]
    assert {row: found["per_type"][row]["scores"]["accuracy"] for row in ("negated", "severity")} == pytest.approx(
        {"negated": 2 / 3, "severity": 2 / 3}
    )
    row = found["per_type"]["negated=true"]["counts"]
    assert {name: row[name] for name in ("tp", "fp", "fn", "end_fp", "end_fn")} == {
        **{"tp": 1, "fp": 1, "fn": 0, "end_fp": 1, "end_fn": 0}
    }


def test_rows_of_values_weigh_as_many_as_gold_has_of_them():
    right: Spans = {FEVER: {"negated": "true"}}
    averages = scored([document(GOLD, PRED), document(right, right), document(right, right)])["averages"]
    assert averages["macro"]["given_r"] == 1 / 2
    assert averages["weighted"]["given_r"] == 3 / 4, "negated=true is in gold three times, severity=mild once"


def test_labels_from_attributes_of_the_worked_example():
    lines = [
        {
            "text": TEXT,
            "spans": [{"start": a, "end": b, "label": c, "attributes": own} for (a, b, c), own in side.items()],
        }
        for side in (GOLD, PRED)
    ]
    found = score([lines[0]], [lines[1]], ["strict"], label_from="label+negated").strict
    assert found.counts == {"tp": 2, "fp": 2, "fn": 1}
    assert found.f == pytest.approx(4 / 7)


def random_documents(seed: int, number: int) -> list[Document]:
    rng = random.Random(seed)
    places = [(0, 3), (2, 6), (4, 7), (8, 11), (8, 11), (9, 14), (15, 19)]

    def side() -> Spans:
        return {
            (*place, rng.choice("AB")): {name: rng.choice("xy") for name in ("n", "m", "k") if rng.random() < 0.4}
            for place in places
            if rng.random() < 0.7
        }

    return [document(side(), side()) for _ in range(number)]


def twin(documents: list[Document]) -> dict[str, Fraction | None]:
    """The scores with `pairs="strict"`, over plain dicts, as the definition says."""
    n: Counter[str] = Counter()
    pairs: list[tuple[dict[str, str], dict[str, str]]] = []
    for each in documents:
        gold, pred = ({s: attributes_of(own, s) for s in side} for side, own in zip(each.sides, each.attributes))
        pairs += [(gold[span], pred[span]) for span in gold.keys() & pred.keys()]
        n["end_fn"] += sum(len(own) for span, own in gold.items() if span not in pred)
        n["end_fp"] += sum(len(own) for span, own in pred.items() if span not in gold)
    names = {name for pair in pairs for own in pair for name in own}
    for a, b in pairs:
        n["tp"] += len(a.items() & b.items())
        n["fn"] += len(a.items() - b.items())
        n["fp"] += len(b.items() - a.items())
        n["all"] += a == b
        n["equal"] += sum(a.get(name) == b.get(name) for name in names)

    def rate(part: int, whole: int) -> Fraction | None:
        return Fraction(part, whole) if whole else None

    fp, fn = n["fp"] + n["end_fp"], n["fn"] + n["end_fn"]
    return {
        "given_p": rate(n["tp"], n["tp"] + n["fp"]),
        "given_r": rate(n["tp"], n["tp"] + n["fn"]),
        "given_f": rate(2 * n["tp"], 2 * n["tp"] + n["fp"] + n["fn"]),
        "end_p": rate(n["tp"], n["tp"] + fp),
        "end_r": rate(n["tp"], n["tp"] + fn),
        "end_f": rate(2 * n["tp"], 2 * n["tp"] + fp + fn),
        "accuracy": rate(n["equal"], len(names) * len(pairs)),
        "all": rate(n["all"], len(pairs)),
    }


@pytest.mark.parametrize("seed", range(20))
def test_a_plain_twin_has_the_same_numbers(seed):
    documents = random_documents(seed, 1 + seed % 7)
    expected = {name: None if value is None else float(value) for name, value in twin(documents).items()}
    assert scored(documents)["scores"] == pytest.approx(expected)


def test_laws():
    documents = random_documents(5, 40)
    whole = scored(documents)
    for pairs in ("strict", "overlap"):
        alike = [document(*[{s: attributes_of(d.attributes[0], s) for s in d.sides[0]}] * 2) for d in documents]
        assert set(scored(alike, pairs=pairs)["scores"].values()) == {1}
    assert scored(documents[::-1]) == whole
    metric = create("attributes")
    assert evaluate(count(documents[:9], [metric]) + count(documents[9:], [metric]))["metrics"]["attributes"] == whole
    swapped = [Document(d.sides[1], d.sides[0]) for d in documents]
    for new, old in zip(swapped, documents):
        new.attributes = old.attributes[::-1]
    other = scored(swapped)["scores"]
    for kind in ("given", "end"):
        assert (other[f"{kind}_p"], other[f"{kind}_r"]) == (whole["scores"][f"{kind}_r"], whole["scores"][f"{kind}_p"])
    assert (other["accuracy"], other["all"]) == (whole["scores"]["accuracy"], whole["scores"]["all"])
    totals = {name: sum(row["counts"][name] for row in whole["per_type"].values()) for name in whole["counts"]}
    assert {name: n for name, n in totals.items() if name not in ("found", "whole")} == {
        name: n for name, n in whole["counts"].items() if name not in ("found", "whole")
    }


def test_attributes_change_no_number_of_another_metric():
    documents = random_documents(7, 30)
    bare = [Document(*each.sides) for each in documents]
    metrics = [create(name) for name in ("strict", "fair", "semeval", "char", "loio", "relaxed")]
    assert evaluate(count(documents, metrics)) == evaluate(count(bare, metrics))
    both = evaluate(count(documents, [*metrics, create("attributes")]))
    assert {**both, "metrics": None, "signature": None, "scores": None} == {
        **{**evaluate(count(bare, metrics)), "metrics": None, "signature": None, "scores": None}
    }
    assert both["metrics"]["fair"] == evaluate(count(bare, metrics))["metrics"]["fair"]


def test_overlapping_spans_of_one_label_are_pairs():
    gold: Spans = {(0, 9, "A"): {"n": "x"}, (12, 15, "A"): {"n": "x"}}
    pred: Spans = {(0, 4, "A"): {"n": "x"}, (12, 15, "B"): {"n": "x"}}
    assert scored([document(gold, pred)])["counts"]["found"] == 0
    found = scored([document(gold, pred)], pairs="overlap")["counts"]
    assert (found["found"], found["tp"], found["end_fn"], found["end_fp"]) == (1, 1, 1, 1)


def test_names_choose_the_attributes():
    assert [*scored([document(GOLD, PRED)], names="severity")["per_type"]] == ["severity", "severity=mild"]
    assert scored([document(GOLD, PRED)], names=["negated"])["scores"]["all"] == pytest.approx(2 / 3)
    for both in ("negated, severity", " severity ,negated", ["severity", "negated "]):
        assert scored([document(GOLD, PRED)], names=both)["per_type"] == scored([document(GOLD, PRED)])["per_type"]


def test_the_error_list_says_what_was_and_what_is():
    rows = [each.row() for each in error_list([document(GOLD, PRED, TEXT)], create("attributes"))]
    assert [
        (row["verdict"], row["gold_label"], row["pred_label"], row["gold_text"] or row["pred_text"]) for row in rows
    ] == [
        ("end_fp", None, "negated=true", "No"),
        ("fn", "severity=mild", "severity=none", "cough"),
        ("fp", None, "negated=true", "rash"),
    ]
