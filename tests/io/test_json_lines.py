"""Lines of JSON as several tools write them: every shape of a span, answers, scores, and what is refused."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from asking import refusal
from commands import line, write
from reading import SHAPES, error, only, read

from spacy_nereval import score
from spacy_nereval.io.read import read_files, records
from spacy_nereval.io.records import Record

TEXT, ADA = "Ada in York", (0, 3, "PER")
OBJECT, TRIPLE = SHAPES["objects"], SHAPES["triples"]
AWKWARD = [(0, 1, "A"), (0, 1, "A"), (0, 3, "A"), (1, 1, "A"), (11, 11, "A")]
DIGITS = {(0, 3, label): value for label, value in zip("ABCD", (0.41, 0.3, 1 / 3, 1e-7))}

LINES: dict[str, tuple[dict[str, Any], Record]] = {
    "tokens and an id": (
        {"spans": [OBJECT], "tokens": [{"start": 0, "end": 3, "text": "Ada"}, {"start": 4, "end": 11}], "id": 7},
        Record(TEXT, {ADA}, [(0, 3), (4, 11)], "7"),
    ),
    "no span": ({"spans": []}, Record(TEXT, set())),
    "spans that repeat, overlap and are empty": ({"label": AWKWARD}, Record(TEXT, {*AWKWARD}, duplicates=1)),
    "other keys": ({"spans": [OBJECT], "x": 1, "meta": {"y": [1]}}, Record(TEXT, {ADA}, meta={"y": [1]})),
    "data that are no text": ({"data": 7, "spans": []}, Record(TEXT, set())),
    "the same under two keys": ({"spans": [OBJECT], "label": [TRIPLE, TRIPLE]}, Record(TEXT, {ADA})),
    "other keys of spans without a list": (
        {"spans": [OBJECT], "label": "PER", "labels": None, "entities": {}},
        Record(TEXT, {ADA}),
    ),
    "rejected": ({"spans": [OBJECT], "answer": "reject"}, Record(TEXT, set(), annotated=False)),
    "ignored": ({"spans": [OBJECT], "answer": "ignore"}, Record(TEXT, set(), annotated=False)),
    "rejected without spans": ({"answer": "reject"}, Record(TEXT, set(), annotated=False)),
    "accepted without spans": ({"answer": "accept"}, Record(TEXT, set())),
    "answers of spans": (
        {"spans": [OBJECT | {"answer": "accept"}, {"start": 7, "end": 11, "label": "LOC", "answer": "reject"}]},
        Record(TEXT, {ADA}, rejected=1),
    ),
    "the highest score of a span that repeats": (
        {"spans": [OBJECT | {"score": value} for value in (0.2, 0.9, 0.5)]},
        Record(TEXT, {ADA}, duplicates=2, span_scores={ADA: 0.9}),
    ),
    "scores to the last digit": (
        {"spans": [OBJECT | {"label": label, "score": value} for (_, _, label), value in DIGITS.items()]},
        Record(TEXT, {*DIGITS}, span_scores=DIGITS),
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_what_a_line_says(name, tmp_path):
    entry, wanted = LINES[name]
    assert only(write(tmp_path / "a.jsonl", {"text": TEXT} | entry)) == wanted


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("key", ["spans", "entities", "label", "labels"])
def test_spans_are_found_under_every_name_and_in_every_shape(key, shape, tmp_path):
    assert only(write(tmp_path / "a.jsonl", {"text": TEXT, key: [shape]})).spans == {ADA}


def test_the_text_may_be_data_as_in_some_versions_of_doccano(tmp_path):
    path = write(tmp_path / "a.jsonl", {"id": 10, "data": TEXT, "label": [TRIPLE]})
    assert only(path) == Record(TEXT, {ADA}, id="10")


def test_a_score_that_is_not_a_number_stops_no_reader(tmp_path):
    found = only(write(tmp_path / "a.jsonl", {"text": TEXT, "spans": [OBJECT | {"score": math.nan}]}))
    assert math.isnan(found.span_scores[ADA])


ROW = b'{"text": "a", "spans": []}'


@pytest.mark.parametrize(
    "data",
    [ROW, b"\n\n%s\n  \n\t\n" % ROW, b"%s\r\n\r\n" % ROW, b"\xef\xbb\xbf%s\n" % ROW],
    ids=["no last newline", "empty lines", "newlines of Windows", "byte order mark"],
)
def test_lines_are_read_as_other_systems_write_them(tmp_path, data):
    (tmp_path / "a.jsonl").write_bytes(data)
    assert only(tmp_path / "a.jsonl").text == "a"


def test_a_line_ends_at_a_newline_only(tmp_path):
    rows = '{"text": "a\u2028b\u0085c\\fd\\re", "spans": []}', '{"text": "\\n", "spans": []}'
    assert [found.text for found in read(write(tmp_path / "a.jsonl", *rows))] == ["a\u2028b\u0085c\x0cd\re", "\n"]


def test_lines_are_read_one_at_a_time(tmp_path):
    found = records(write(tmp_path / "a.jsonl", line("Ada"), "{"))
    assert next(found).text == "Ada"
    assert "line 2" in refusal(next, found)


@pytest.mark.parametrize("other", [[], [[0, 3, "LOC"]], [[0, 3, "PER"], [7, 11, "LOC"]]])
@pytest.mark.parametrize("keys", [("spans", "entities"), ("entities", "labels"), ("label", "labels")])
def test_a_line_may_not_say_two_things(keys, other, tmp_path):
    for one, two in (keys, keys[::-1]):
        said = error(write(tmp_path / "a.jsonl", {"text": TEXT, one: [TRIPLE], two: other}))
        assert f'line 1: "{keys[0]}" and "{keys[1]}" do not list the same spans' in said


LACKING = [
    ({}, 'there is no list of "spans"'),
    ({"answer": "accept", "spans": {"start": 0}}, 'there is no list of "spans"'),
    ({"answer": "yes", "spans": []}, "the answer 'yes' is not one of accept, reject, ignore"),
    ({"answer": ["accept"], "spans": []}, "the answer ['accept'] is not one of accept"),
    ({"spans": [OBJECT | {"answer": "no"}]}, "the answer 'no' is not one of accept, reject, ignore"),
    ({"label": ["PER"]}, "span 0 has no 'start', 'end', 'label'"),
    ({"labels": [[0, 3]]}, "span 0, span [0, 3] is not (start, end, label)"),
    ({"labels": [[0, 3, "PER"], [0, 30, "PER"]]}, "span 1, Span(0, 30, 'PER') ends after the text"),
    ({"entities": [{"start_offset": 0, "label": "PER"}]}, "span 0 has no 'end_offset'"),
    ({"annotations": [{"start_offset": 0, "end_offset": 3, "label": 7}]}, 'there is no list of "spans"'),
    ({"label": "PER"}, 'there is no list of "spans"'),
    (
        {"spans": [], "tokens": [{"start": 0, "end": 5}, {"start": 4, "end": 7}]},
        "tokens overlap: one ends at 5, the",
    ),
]


@pytest.mark.parametrize("entry, message", LACKING)
def test_what_a_line_of_json_lacks_is_named(entry, message, tmp_path):
    path = write(tmp_path / "a.jsonl", {"text": TEXT} | entry)
    assert error(path).partition("line 1: ")[2].startswith(message)


def test_rejected_gold_is_skipped_and_counted(tmp_path):
    answers = ("accept", "reject", "accept", "ignore")
    rows = [json.dumps({"text": f"Ada {k}", "spans": [OBJECT], "answer": a}) for k, a in enumerate(answers)]
    gold = write(tmp_path / "gold.jsonl", *rows)
    pred = write(tmp_path / "pred.jsonl", *(row.replace("reject", "accept") for row in rows))
    found = score(read_files(gold, pred), ["strict"])
    assert (found["documents"], found["skipped"], found["metrics"]["strict"]["counts"]["tp"]) == (2, 2, 2)


def test_rejected_predictions_are_no_predictions_of_nothing(tmp_path):
    gold, pred = (
        write(tmp_path / f"{answer}.jsonl", line("Ada", ADA, answer=answer, id="x")) for answer in ("accept", "reject")
    )
    said = f"^{pred}: none of the predictions of 1 document has entity annotation: expected the spans of each text"
    with pytest.raises(ValueError, match=said):
        list(read_files(gold, pred))
