"""The one shape that everything prints, as a whole and key by key.

After a change that is meant to move a number or a key, write the golden file
anew with SPACY_NEREVAL_REGENERATE=1 and read the difference.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from importlib.metadata import version
from typing import Any

import pytest
from places import TESTS
from processes import python

from spacy_nereval import Document, __version__, count, create, create_all, evaluate, score

GOLDEN = TESTS / "evaluation" / "golden" / "result.json"

TEXT = "Oil leak at the left pump, pump seal worn; replaced seal and pump."
TOKENS = [match.span() for match in re.finditer(r"\w+|[^\w\s]", TEXT)]


def place(words: str, label: str, nth: int = 0) -> tuple[int, int, str]:
    start = [match.start() for match in re.finditer(re.escape(words), TEXT)][nth]
    return start, start + len(words), label


def corpus() -> list[Document | None]:
    """Every kind of agreement and error, a document without spans, and one without annotation."""
    nested = Document(
        gold=[place("left pump", "LOC"), place("pump", "LOC", 1), place("seal", "PART"), place("Oil leak", "TYPE")],
        pred=[
            place("the left pump", "LOC"),
            place("pump seal", "LOC"),
            place("seal", "TYPE"),
            place("Oil leak", "TYPE"),
        ],
        text=TEXT,
        tokens=TOKENS,
        id="nested",
    )
    nested.ignored = 2
    crossed = Document(
        gold=[place("pump seal", "LOC"), place("worn; replaced", "TYPE"), place("pump", "LOC", 2), (0, 0, "GAP")],
        pred=[place("seal worn", "LOC"), place("replaced seal", "LOC"), place("left", "PART"), (0, 0, "GAP")],
        text=TEXT,
        tokens=TOKENS,
        id="crossed",
    )
    return [
        nested,
        crossed,
        None,
        Document([], [], TEXT, tokens=TOKENS, id="empty"),
        Document([place("leak", "TYPE")], [], TEXT),
    ]


def masked(result: dict[str, Any]) -> dict[str, Any]:
    """The result without the versions of this package and of spaCy."""
    signature = re.sub(r"\|v[^|]+\|spacy:[^|]+$", "|v*|spacy:*", result["signature"])
    return result | {"signature": signature, "version": "*"}


def written(result: dict[str, Any]) -> str:
    return json.dumps(masked(result), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def test_the_result_of_a_small_corpus_is_the_golden_file():
    """To the last digit and in the order of its keys."""
    result = written(score(corpus()))
    if os.environ.get("SPACY_NEREVAL_REGENERATE"):
        GOLDEN.write_text(result, encoding="utf-8")
    assert result == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.costly
def test_the_result_does_not_depend_on_the_order_in_which_python_keeps_sets():
    program = "import test_results; print(test_results.written(test_results.score(test_results.corpus())), end='')"
    folders = [TESTS / "evaluation", TESTS / "support"]
    done = python("-c", program, path=folders, env={"PYTHONHASHSEED": "1"}, cwd=TESTS.parent)
    assert done.stdout == written(score(corpus())), done.stderr


# Key by key


COUNTS = {
    "strict": "tp fp fn",
    "semeval": "match type_error extent_error both_error mis spu",
    "slot_error": "c s_type s_extent s_both d i",
    "loio": "exact overlap gold pred",
    "fair": "tp fp fn le be_s be_l be_o lbe",
    "wrf": "match gold pred documents",
}
PRF_OF_FOUR = "strict_p strict_r strict_f exact_p exact_r exact_f partial_p partial_r partial_f type_p type_r type_f"
SCORES = {
    "strict": "p r f",
    "semeval": f"{PRF_OF_FOUR} und ovg sub err",
    "slot_error": "ser err e f ser_acc",
    "loio": "tp fp fn p r f",
    "fair": "p r f be",
    "wrf": "wrf",
}
FLAT = f"{PRF_OF_FOUR} ser err ser_acc loio_p loio_r loio_f fair_p fair_r fair_f wrf"
RESULT = score(corpus())


def test_the_head_says_what_was_counted():
    head = {key: value for key, value in RESULT.items() if key not in ("signature", "metrics", "per_type", "scores")}
    numbers = {
        "documents": 4,
        "skipped": 1,
        "gold": 9,
        "pred": 8,
        "ignored": 2,
        "repaired": 0,
        "duplicates": 0,
        "rejected": 0,
    }
    assert head == {"version": __version__, **numbers}
    spans = [sum(row[side] for row in RESULT["per_type"].values()) for side in ("gold", "pred")]
    assert spans == [9, 8] and RESULT["per_type"]["LOC"] == {"gold": 4, "pred": 4}


def test_the_flat_form_has_the_score_keys():
    assert [*RESULT["scores"]] == FLAT.split()
    assert RESULT["scores"]["fair_f"] == RESULT["metrics"]["fair"]["scores"]["f"]


def test_verdicts_add_up_to_the_confusion_matrix():
    for name in COUNTS:
        own, added = RESULT["metrics"][name], Counter()
        for verdict in create(name).confusion or ():
            for gold, row in own["verdicts"].get(verdict, {}).items():
                added.update({(gold, pred): number for pred, number in row.items()})
        matrix = own.get("confusion", {})
        assert {**added} == {(gold, pred): number for gold, row in matrix.items() for pred, number in row.items()}


@pytest.mark.parametrize("name", COUNTS)
def test_a_metric_has_these_parts(name):
    parts = {"settings", "scores", "counts", "averages", "per_type", "verdicts"}
    own = {"semeval": {"confusion", "schemes"}, "wrf": {"combined"}}
    assert RESULT["metrics"][name].keys() == parts | own.get(name, {"confusion"})


@pytest.mark.parametrize("name", COUNTS)
def test_a_metric_counts_these_columns_overall_and_per_label(name):
    metric = RESULT["metrics"][name]
    for row in (metric, *metric["per_type"].values(), *([metric["combined"]] if name == "wrf" else [])):
        assert " ".join(sorted(row["counts"])) == " ".join(sorted(COUNTS[name].split()))


@pytest.mark.parametrize("name", SCORES)
def test_a_metric_has_these_scores_overall_and_per_label(name):
    metric = RESULT["metrics"][name]
    assert sorted(metric["scores"]) == sorted(SCORES[name].split())
    for row in metric["per_type"].values():
        assert sorted(row["scores"]) == sorted(["r1_p", "r1_r", "r1_f"] if name == "wrf" else SCORES[name].split())


@pytest.mark.parametrize("name", SCORES)
def test_averages_are_of_rates_and_not_of_numbers_of_spans(name):
    rates = set(SCORES[name].split()) - {"tp", "fp", "fn", "be"}
    averages = RESULT["metrics"][name]["averages"]
    assert list(averages) == ["macro", "weighted", "docs"]
    for average, scores in averages.items():
        expected = {"r1_p", "r1_r", "r1_f"} if name == "wrf" and average != "docs" else rates
        assert scores.keys() == expected | {"undefined"}
        assert scores["undefined"].keys() == expected


def test_labels_come_in_order_and_no_span_is_an_empty_label():
    for metric in RESULT["metrics"].values():
        assert list(metric["per_type"]) == ["GAP", "LOC", "PART", "TYPE"]
        for labels in (metric.get("confusion", {}), *metric.get("confusion", {}).values()):
            assert list(labels) == sorted(labels)
            assert set(labels) <= {"", "GAP", "LOC", "PART", "TYPE"}


def test_the_schemes_of_semeval_have_seven_counts_each():
    schemes = RESULT["metrics"]["semeval"]["schemes"]
    assert list(schemes) == ["strict", "exact", "partial", "type"]
    assert {" ".join(counts) for counts in schemes.values()} == {"cor inc par mis spu pos act"}


def test_spacy_gets_these_keys():
    assert sorted(key for metric in create_all() for key in metric.keys) == sorted(FLAT.split())


# The signature


def test_the_signature_names_every_setting_that_could_change_a_number():
    result = score([], {"loio": {"s": 0.5}, "wrf": {"weights": {"B": 0.25, "A": 0.75}, "unique": False}})
    assert result["signature"] == (
        "spacy-nereval|loio:s=0.5,match=walk,beta=1.0"
        "|wrf:weights={A:0.75,B:0.25},average=docs,unique=false,case=lower,unigrams=token"
        f"|avg:micro|docs:0|v{__version__}|spacy:{version('spacy')}"
    )


def test_documents_without_annotation_are_skipped_and_not_counted():
    result = score([None, Document([(0, 1, "A")], []), None], ["strict"])
    assert (result["documents"], result["skipped"], result["metrics"]["strict"]["counts"]["fn"]) == (1, 2, 1)


def test_skipped_documents_and_ignored_predictions_add_up_too():
    metrics = create_all(["strict"])
    parts = [count(part, metrics) for part in (corpus()[:1], corpus()[1:])]
    result = evaluate(parts[0] + parts[1])
    assert (result["documents"], result["skipped"], result["ignored"]) == (4, 1, 2)


def test_documents_that_are_counted_some_at_a_time_are_all_counted(monkeypatch):
    monkeypatch.setattr("spacy_nereval.counting.batch.TOGETHER", 7)
    documents = (Document([(0, 1, "A"), (k, k + 2, "B")], [(0, 1, "A"), (k, k + 1, "B")]) for k in range(1000))
    result = score(documents, ["strict", "fair"])
    assert (result["documents"], result["gold"], result["pred"]) == (1000, 2000, 2000)
    assert result["metrics"]["strict"]["counts"] == {"tp": 1000, "fp": 1000, "fn": 1000}
    assert result["metrics"]["fair"]["counts"]["be_s"] == 1000
