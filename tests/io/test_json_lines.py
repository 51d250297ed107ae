"""Lines of JSON as several tools write them: every shape of a span, answers, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from reading import SHAPES, only
from writers import write_lines

from spacy_nereval import score
from spacy_nereval.io.read import read_files
from spacy_nereval.io.records import Record


def line_of(**entry: Any) -> Record:
    with TemporaryDirectory() as directory:
        return only(write_lines(Path(directory) / "a.jsonl", [json.dumps({"text": "Ada in York"} | entry)]))


ADA = (0, 3, "PER")


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("key", ["spans", "entities", "label", "labels"])
def test_spans_are_found_under_every_name_and_in_every_shape(key, shape):
    assert line_of(**{key: [shape]}).spans == {ADA}


def test_the_text_may_be_data_as_in_some_versions_of_doccano(tmp_path):
    entry = {"id": 10, "data": "Ada in York", "label": [SHAPES["triples"]]}
    found = only(write_lines(tmp_path / "a.jsonl", [json.dumps(entry)]))
    assert (found.text, found.spans, found.id) == ("Ada in York", {ADA}, "10")
    assert line_of(data=7, spans=[]).text == "Ada in York"


def test_a_line_may_say_the_same_twice():
    assert line_of(spans=[SHAPES["objects"]], label=[SHAPES["triples"], SHAPES["triples"]]).spans == {ADA}
    assert line_of(spans=[SHAPES["objects"]], label="PER", labels=None, entities={}).spans == {ADA}


@pytest.mark.parametrize("other", [[], [[0, 3, "LOC"]], [[0, 3, "PER"], [7, 11, "LOC"]]])
@pytest.mark.parametrize("keys", [("spans", "entities"), ("entities", "labels"), ("label", "labels")])
def test_a_line_may_not_say_two_things(keys, other):
    for one, two in (keys, keys[::-1]):
        with pytest.raises(ValueError, match=rf'line 1: "{keys[0]}" and "{keys[1]}" do not list the same spans'):
            line_of(**{one: [SHAPES["triples"]], two: other})


@pytest.mark.parametrize("answer", ["reject", "ignore"])
def test_an_answer_that_is_not_accepted_is_no_annotation(answer):
    found = line_of(spans=[SHAPES["objects"]], answer=answer)
    assert (found.annotated, found.text) == (False, "Ada in York")
    assert not line_of(answer=answer).annotated


def test_an_accepted_text_without_spans_has_none():
    found = line_of(answer="accept")
    assert (found.annotated, found.spans) == (True, set())
    for entry in ({}, {"answer": "accept", "spans": {"start": 0}}):
        with pytest.raises(ValueError, match='there is no list of "spans"'):
            line_of(**entry)


def test_spans_may_have_answers_of_their_own():
    spans = [SHAPES["objects"] | {"answer": "accept"}, {"start": 7, "end": 11, "label": "LOC", "answer": "reject"}]
    assert line_of(spans=spans).spans == {ADA}
    with pytest.raises(ValueError, match="the answer 'no' is not one of accept, reject, ignore"):
        line_of(spans=[SHAPES["objects"] | {"answer": "no"}])


@pytest.mark.parametrize(
    "entry, message",
    [
        ({"answer": "yes", "spans": []}, "the answer 'yes' is not one of accept, reject, ignore"),
        ({"answer": ["accept"], "spans": []}, "the answer ['accept'] is not one of accept"),
        ({"label": ["PER"]}, "span 0 has no 'start', 'end', 'label'"),
        ({"labels": [[0, 3]]}, "span 0, span [0, 3] is not (start, end, label)"),
        ({"labels": [[0, 3, "PER"], [0, 30, "PER"]]}, "span 1, Span(0, 30, 'PER') ends after the text"),
        ({"entities": [{"start_offset": 0, "label": "PER"}]}, "span 0 has no 'end_offset'"),
        ({"annotations": [{"start_offset": 0, "end_offset": 3, "label": 7}]}, 'there is no list of "spans"'),
        ({"label": "PER"}, 'there is no list of "spans"'),
    ],
)
def test_what_a_line_of_json_lacks_is_named(entry, message):
    with pytest.raises(ValueError) as raised:
        line_of(**entry)
    assert f"a.jsonl, line 1: {message}" in str(raised.value)


def test_rejected_gold_is_skipped_and_counted(tmp_path):
    answers = ("accept", "reject", "accept", "ignore")
    lines = [json.dumps({"text": f"Ada {k}", "spans": [SHAPES["objects"]], "answer": a}) for k, a in enumerate(answers)]
    gold = write_lines(tmp_path / "gold.jsonl", lines)
    pred = write_lines(tmp_path / "pred.jsonl", [line.replace("reject", "accept") for line in lines])
    found = score(read_files(gold, pred), ["strict"])
    assert (found["documents"], found["skipped"], found["metrics"]["strict"]["counts"]["tp"]) == (2, 2, 2)


def test_rejected_predictions_are_no_predictions_of_nothing(tmp_path):
    gold, pred = (
        write_lines(
            tmp_path / name, [json.dumps({"text": "Ada", "spans": [SHAPES["objects"]], "answer": a, "id": "x"})]
        )
        for name, a in (("gold.jsonl", "accept"), ("pred.jsonl", "reject"))
    )
    with pytest.raises(ValueError) as raised:
        list(read_files(gold, pred))
    said = f"{pred}: none of the predictions of 1 document has entity annotation: expected the spans of each text"
    assert str(raised.value).startswith(said)
