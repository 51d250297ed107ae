"""Scores of predicted spans reach the documents from every source, and change no number."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import spacy
from commands import accepted, flat, line, run, write
from spacy.tokens import DocBin, SpanGroup

from spacy_nereval import Document, score
from spacy_nereval.api.inputs import Side, documents
from spacy_nereval.api.plain_records import Reading
from spacy_nereval.core.checked import Unusable, highest, is_score
from spacy_nereval.core.labels import label_rules
from spacy_nereval.core.spans import relabelled
from spacy_nereval.integration.examples import record
from spacy_nereval.io.read import read_files
from spacy_nereval.io.records import Record, pair

TEXT = "Ada met Bob"
GOLD = line(TEXT, (0, 3, "PER"), id="1")


def scored(*spans: tuple[int, int, str, Any], **more: Any) -> dict[str, Any]:
    return {"text": TEXT, "spans": [dict(zip(("start", "end", "label", "score"), span)) for span in spans], **more}


def of_files(gold: Path, pred: Path, key: str | None = None) -> list[Document | None]:
    return [*read_files(gold, pred, key)]


def test_jsonl(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", GOLD)
    pred = write(tmp_path / "pred.jsonl", scored((0, 3, "PER", 0.9), (8, 11, "PER", 0.25), id="1"))
    (document,) = of_files(gold, pred)
    assert document and document.span_scores == {(0, 3, "PER"): 0.9, (8, 11, "PER"): 0.25}


def test_a_span_listed_twice_has_its_highest_score(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", GOLD)
    pred = write(tmp_path / "pred.jsonl", scored((0, 3, "PER", 0.2), (0, 3, "PER", 0.9), (0, 3, "PER", 0.5), id="1"))
    (document,) = of_files(gold, pred)
    assert document and document.span_scores == {(0, 3, "PER"): 0.9}
    assert document.duplicates == 2


def test_predictions_of_label_studio(tmp_path: Path) -> None:
    def task(key: str, *regions: tuple[int, int, float | None]) -> dict[str, Any]:
        found = []
        for start, end, sure in regions:
            value = {"start": start, "end": end, "text": TEXT[start:end], "labels": ["PER"]}
            found.append({"type": "labels", "value": value} | ({} if sure is None else {"score": sure}))
        return {"id": 1, "data": {"text": TEXT}, key: [{"result": found}]}

    paths = tmp_path / "gold.json", tmp_path / "pred.json"
    paths[0].write_text(json.dumps([task("annotations", (0, 3, None))]))
    for value in (0.75, 0):
        paths[1].write_text(json.dumps([task("predictions", (0, 3, value), (8, 11, None))]))
        (document,) = of_files(*paths)
        assert document and document.span_scores == {(0, 3, "PER"): value}


def grouped(*scores: float) -> spacy.tokens.Doc:
    doc = spacy.blank("en").make_doc(TEXT)
    spans = [doc.char_span(0, 3, "PER"), doc.char_span(8, 11, "PER")]
    doc.spans["sc"] = SpanGroup(doc, name="sc", spans=spans, attrs={"scores": list(scores)} if scores else {})
    return doc


def test_span_groups_in_spacy_files(tmp_path: Path) -> None:
    paths = tmp_path / "gold.spacy", tmp_path / "pred.spacy"
    for path, doc in zip(paths, (grouped(), grouped(0.5, 0.75))):
        DocBin(docs=[doc]).to_disk(path)
    (document,) = of_files(*paths, "sc")
    assert document and document.span_scores == {(0, 3, "PER"): 0.5, (8, 11, "PER"): 0.75}


def test_a_wrong_number_of_scores_is_no_error_until_scores_are_asked_for() -> None:
    found = record(grouped(0.5), "sc")
    assert len(found.spans) == 2
    (reason,) = {*found.span_scores.values()}
    assert isinstance(reason, Unusable)
    assert reason == "doc.spans['sc'] has 2 spans and 1 score; expected one score per span"


@pytest.mark.parametrize("text", [[TEXT], None])
@pytest.mark.parametrize("word", ["entity_group", "label"])
def test_dicts_of_pipelines(text: Any, word: str) -> None:
    pred = [[{"start": 0, "end": 3, word: "PER", "score": 0.75}]]
    (document,) = documents(Side([[(0, 3, "PER")]], "gold"), Side(pred, "pred"), text, None, Reading())
    assert document and document.span_scores == {(0, 3, "PER"): 0.75}


def test_scores_follow_spans_into_another_text() -> None:
    pred = Record("ada  met Bob", {(0, 3, "PER"), (9, 12, "PER")}, span_scores={(9, 12, "PER"): 0.5})
    document = pair(Record(TEXT, set()), pred)
    assert document and document.span_scores == {(8, 11, "PER"): 0.5}


def test_predictions_in_gaps_take_their_scores_along() -> None:
    pred = Record(TEXT, {(0, 3, "PER"), (8, 11, "PER")}, span_scores={(0, 3, "PER"): 0.5, (8, 11, "PER"): 0.25})
    document = pair(Record(TEXT, set(), gaps=((8, 11),)), pred)
    assert document and document.span_scores == {(0, 3, "PER"): 0.5}


def test_scores_follow_labels() -> None:
    document = Document([], [(0, 3, "A"), (0, 3, "B"), (4, 5, "C")])
    document.span_scores = {(0, 3, "A"): 0.25, (0, 3, "B"): 0.5, (4, 5, "C"): 1.0}
    (found,) = relabelled([document], label_rules("A=X,B=X,C="))
    assert found and found.span_scores == {(0, 3, "X"): 0.5}
    assert document.span_scores[0, 3, "A"] == 0.25


def test_scores_change_no_result() -> None:
    gold = [{"text": TEXT, "spans": [(0, 3, "PER")]}]
    plain = [{"text": TEXT, "spans": [{"start": 0, "end": 3, "label": "PER"}, {"start": 8, "end": 11, "label": "PER"}]}]
    for values in ((0.1, 0.9), (math.nan, math.inf), ("high", None)):
        with_scores = [{**plain[0], "spans": [{**s, "score": v} for s, v in zip(plain[0]["spans"], values)]}]
        assert score(gold, with_scores) == score(gold, plain)


def test_what_is_no_score_outlives_numbers() -> None:
    span = (0, 3, "A")
    for values in ((0.5, "x"), ("x", 0.5)):
        assert highest((span, value) for value in values) == {span: "x"}
    assert not is_score(math.inf) and is_score(1)


@pytest.mark.parametrize("name", ["out.jsonl", "out.spacy"])
def test_converted_files_keep_scores(tmp_path: Path, name: str) -> None:
    gold = write(tmp_path / "gold.jsonl", GOLD)
    pred = write(tmp_path / "pred.jsonl", scored((0, 3, "X", 0.5), (8, 11, "PER", 0.25), id="1"))
    key = ["--spans-key", "sc"] if name.endswith(".spacy") else []
    assert "scores" not in accepted("convert", pred, tmp_path / name, *key, "--labels", "X=PER")
    golds = accepted("convert", gold, tmp_path / f"gold-{name}", *key) and tmp_path / f"gold-{name}"
    (document,) = of_files(golds, tmp_path / name, "sc" if key else None)
    assert document and document.span_scores == {(0, 3, "PER"): 0.5, (8, 11, "PER"): 0.25}


def test_scores_that_a_format_cannot_hold_are_counted(tmp_path: Path) -> None:
    pred = write(tmp_path / "pred.jsonl", scored((0, 3, "PER", 0.5), (8, 11, "PER", 0.25), id="1"))
    assert "scores of spans (2)" in flat(run("convert", pred, tmp_path / "out.conll").output)
    partial = write(
        tmp_path / "partial.jsonl", {"text": TEXT, "spans": [{**GOLD["spans"][0], "score": 1}, [8, 11, "X"]]}
    )
    printed = run("convert", partial, tmp_path / "out.spacy", "--spans-key", "sc").output
    assert "scores of groups in which a span has none (1)" in flat(printed)


def test_scores_are_read_to_the_last_digit(tmp_path: Path) -> None:
    values = [0.41, 0.3, 1 / 3, 1e-7]
    spans = [(0, 3, label, value) for label, value in zip("ABCD", values)]
    pred = write(tmp_path / "pred.jsonl", scored(*spans, id="1"))
    (document,) = of_files(write(tmp_path / "gold.jsonl", GOLD), pred)
    assert document and sorted(document.span_scores.values()) == sorted(values)


def test_a_score_that_is_not_a_number_stops_no_other_command(tmp_path: Path) -> None:
    pred = write(
        tmp_path / "pred.jsonl",
        '{"id": "1", "text": "Ada met Bob", "spans": [{"start": 0, "end": 3, "label": "PER", "score": NaN}]}',
    )
    (document,) = of_files(write(tmp_path / "gold.jsonl", GOLD), pred)
    assert document and [*map(math.isnan, document.span_scores.values())] == [True]
