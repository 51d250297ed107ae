"""Predictions of which a system is sure, against gold: evidence that gold may be wrong."""

from typing import Any

import pytest
from commands import accepted, write
from pages import Parsed, system

from spacy_nereval import Document
from spacy_nereval.evaluation.gold_suspects import FEW, Doubt, Evidence, doubts, gold_suspects
from spacy_nereval.reporting.html import page
from spacy_nereval.reporting.report_view import OF_EACH, SHOWN, ReportView, shown_doubts

RIGHT = [k / 10 for k in range(10)]
"""Scores of correct predictions: half of them are below .5."""


def scored(gold: Any, pred: dict, text: str | None = None, **more: Any) -> Document:
    document = Document(gold, [*pred], text, **more)
    document.span_scores = pred
    return document


def corpus(*others: Document, right: Any = RIGHT, label: str = "PER") -> list[Document]:
    """Documents with correct predictions of these scores, and others."""
    span = (0, 3, label)
    return [scored([span], {span: score}, f"{label} {k}") for k, score in enumerate(right)] + [*others]


def evidence(*systems: list[Document]) -> list[tuple[int, str, Evidence]]:
    return [(each.document, each.gold, *each.evidence) for each in gold_suspects(systems)]


def against(score: float, label: str = "PER", gold: Any = ()) -> Document:
    return scored(gold, {(0, 4, label): score}, "Roma is old")


def test_a_prediction_against_gold_is_evidence_where_its_score_is_above_half_of_the_correct_ones():
    documents = corpus(against(0.5), against(0.4), against(0.95, gold=[(0, 4, "LOC")]))
    assert evidence(documents) == [
        (12, "LOC", Evidence("confidence", "PER", 1, 0, 0, 0.95, 1.0)),
        (10, "", Evidence("confidence", "PER", 1, 0, 0, 0.5, 0.5)),
    ]


def test_scores_of_other_labels_and_equal_scores_say_nothing():
    surer = corpus(right=[0.9] * 10, label="LOC")
    assert evidence([*corpus(), *surer, against(0.6), against(0.9, "LOC")]) == [
        (20, "", Evidence("confidence", "PER", 1, 0, 0, 0.6, 0.6))
    ]
    assert evidence(corpus(against(0.9, "ORG"))) == []  # no correct prediction to compare it with


def test_nothing_is_said_without_scores_or_with_few_correct_predictions():
    assert evidence([Document(d.gold, d.pred, d.text) for d in corpus(against(0.9))]) == []
    assert evidence(corpus(against(0.9), right=[0.1] * (FEW - 1))) == []
    assert len(evidence(corpus(against(0.9), right=[0.1] * FEW))) == 1
    assert evidence(corpus(against(float("nan")), scored([], {(0, 2, "PER"): "high"}, "ab"))) == []


def test_several_systems_are_each_compared_with_their_own_scores_and_two_weigh_more_than_one():
    percent = corpus(against(55), against(94), right=[100 * each for each in RIGHT])
    shares = corpus(against(0.71), against(0.2))
    found = gold_suspects([shares, percent])
    assert [each.document for each in found] == [10, 11]  # both agree on both, but only on one both are sure
    assert [why for why in found[0].evidence if why.reason == "confidence"] == [
        Evidence("confidence", "PER", 2, 0, 0, 0.71, 0.8),
        Evidence("confidence", "PER", 2, 0, 1, 55.0, 0.6),
    ]
    assert [why.system for why in found[1].evidence if why.reason == "confidence"] == [1]


def test_the_page_says_the_score_and_the_gold_span_that_the_prediction_crosses():
    documents = corpus(scored([(5, 11, "PER")], {(0, 11, "PER"): 0.987}, "Mary Shelle wrote"), against(0.6))
    found = Parsed(page([system("one", *documents)]))
    row = found.row("11")
    assert row[1:] == [
        "Mary Shelle wrote",
        "PER “Shelle”",
        "predicted PER with score 0.987, above 100 % of its correct PER",
    ]
    assert found.row("12")[2:] == ["none", "predicted PER with score 0.6, above 60 % of its correct PER"]
    assert "or a system is surer of a prediction against it than of most of its correct ones" in found.text
    both = Parsed(page([system("one", *documents), system("two", *documents)]))
    assert "one predicts PER with score 0.6" in both.text and "two predicts PER with score 0.6" in both.text


def test_a_page_without_scores_does_not_speak_of_them():
    documents = [Document(d.gold, d.pred, d.text) for d in corpus(against(0.9))]
    text = Parsed(page([system("one", *documents)])).text
    assert "with score" not in text and "surer" not in text


def test_what_a_system_is_sure_of_is_no_contradiction_of_gold():
    found = ReportView([system("one", *corpus(against(0.9)))])
    assert len(found.doubts) == 1 and found.doubted == [[]]


def test_every_reason_has_places_on_the_page():
    numbers = {"PER": SHOWN, "LOC": 2 * SHOWN}
    twice = [Document([(0, 3, label)], [], "Eve") for label, number in numbers.items() for _ in range(number)]

    def places(number: int) -> list[Doubt]:
        documents = corpus(*twice, *(against(0.9) for _ in range(number)))
        return doubts(gold_suspects([documents]), documents)

    shown = shown_doubts(places(3))
    assert len(places(3)) > len(shown) == SHOWN
    assert sum(each.evidence[0].reason == "confidence" for each in shown) == 3
    assert sum(each.evidence[0].reason == "two labels" for each in shown) == SHOWN - 3
    assert sum(each.evidence[0].reason == "confidence" for each in shown_doubts(places(50))) == OF_EACH


@pytest.mark.parametrize("systems", [1, 2])
def test_the_command_reads_the_scores_from_the_files(tmp_path, systems):
    span = {"start": 0, "end": 3, "label": "PER"}
    scores = {f"Ada {k}": k / 10 for k in range(10)} | {"Rom fell": 0.93}
    gold = [{"text": text, "spans": [span] * text.startswith("Ada")} for text in scores]
    pred = [{"text": text, "spans": [span | {"score": score}]} for text, score in scores.items()]
    sides = {"gold": gold, "pred": pred, "other": pred}
    files = [write(tmp_path / f"{name}.jsonl", *rows) for name, rows in sides.items()]
    accepted("report", *files[: systems + 1], "-o", tmp_path / "r.html")
    said = Parsed((tmp_path / "r.html").read_text(encoding="utf8")).text
    assert "PER with score 0.93, above 100 % of its correct PER" in said
