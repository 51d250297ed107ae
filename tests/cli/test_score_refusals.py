"""What the command `score` refuses: one line that names the file, the line and the remedy."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import spacy
from commands import GOLD, PRED, PRED_DOCS, line, refused, write
from docs import write_docs
from spacy.tokens import DocBin

# What score refuses


@pytest.mark.parametrize(
    "row, message",
    [
        ('{"text": "abc", "spans": [', ""),
        ("nonsense", ""),
        ("[]", 'expected an object with a "text"'),
        ("null", 'expected an object with a "text"'),
        ('"text"', 'expected an object with a "text"'),
        ({"spans": []}, 'expected an object with a "text"'),
        ({"text": 3, "spans": []}, 'expected an object with a "text"'),
        ({"text": "abc"}, 'there is no list of "spans"; write an empty list for a text without spans'),
        ({"text": "abc", "spans": None}, 'there is no list of "spans"'),
        ({"text": "abc", "spans": {}}, 'there is no list of "spans"'),
        ({"text": "abc", "ents": []}, 'there is no list of "spans"'),
        ({"text": "abc", "spans": ["abc"]}, "span 0 has no 'start', 'end', 'label'"),
        ({"text": "abc", "spans": [{"start": 0, "label": "A"}]}, "span 0 has no 'end'"),
        ({"text": "abc", "spans": [{"start": 0, "end": 1}]}, "span 0 has no 'label'"),
        (line("abc", (0, 1, "A"), (0, 4, "A")), "span 1, Span(0, 4, 'A') ends after the text, which has 3 characters"),
        (line("abc", (-1, 2, "A")), "span 0, Span(-1, 2, 'A') starts before the text"),
        (line("abc", (2, 1, "A")), "span 0, Span(2, 1, 'A') ends before it starts"),
        (line("abc", (0.0, 1, "A")), "is not (start, end, label) with whole-number offsets"),
        (line("abc", (0, 1.5, "A")), "is not (start, end, label) with whole-number offsets"),
        (line("abc", ("0", 1, "A")), "is not (start, end, label) with whole-number offsets"),
        (line("abc", (0, True, "A")), "is not (start, end, label) with whole-number offsets"),
        (line("abc", (None, 1, "A")), "is not (start, end, label) with whole-number offsets"),
        (line("abc", (0, 1, "")), "has no label: expected a non-empty string"),
        (line("abc", (0, 1, 7)), "has no label: expected a non-empty string"),
        (line("abc", (0, 1, None)), "has no label: expected a non-empty string"),
        (line("abc", tokens=7), '"tokens" is not a list of {"start", "end"}'),
        (line("abc", tokens=["abc"]), '"tokens" is not a list of {"start", "end"}'),
        (line("abc", tokens=[{"start": 0}]), '"tokens" is not a list of {"start", "end"}'),
        (b'{"text": "ab\xff", "spans": []}', "utf-8"),
        ('{"text": "abc", "spans": []}'.encode("utf-16"), "utf-8"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(here, row, message):
    bad = write(here / "gold.jsonl", GOLD[0], row, GOLD[2])
    before = set(os.listdir(here))
    said = refused("score", here / "gold.jsonl", here / "pred.jsonl", "--output", here / "out.json")
    assert f"{bad}, line 2: " in said
    assert message in said
    assert set(os.listdir(here)) == before


def test_a_line_of_the_predictions_is_named_too(here):
    bad = write(here / "pred.jsonl", PRED[0], "nonsense", PRED[2])
    assert f"{bad}, line 2: " in refused("score", here / "gold.jsonl", here / "pred.jsonl")


@pytest.mark.parametrize(
    "tokens",
    [
        [{"start": None, "end": 3}],
        [{"start": [0], "end": 3}],
        [{"start": "x", "end": 3}],
        [{"start": 0.5, "end": 3}],
        [{"start": 0, "end": 99}],
        [{"start": -1, "end": 3}],
        [{"start": 3, "end": 0}],
        [{"start": False, "end": 3}],
    ],
)
def test_tokens_with_unusable_offsets_are_named(here, tokens):
    bad = write(here / "gold.jsonl", GOLD[0], line("in Rome .", tokens=tokens), GOLD[2])
    said = refused("score", bad, here / "pred.jsonl")
    assert f"{bad}, line 2: " in said
    assert "token" in said


CUT_SHORT = DocBin(docs=PRED_DOCS).to_bytes()[:-20]
UNREAD = [made.copy() for made in PRED_DOCS]
for made in UNREAD:
    made.set_ents([], default="missing")


@pytest.mark.parametrize("command", ["score", "count"])
def test_a_pipeline_where_predictions_belong_is_answered_with_the_commands_for_it(here, command):
    spacy.blank("en").to_disk(here / "model")
    output = () if command == "score" else ("-o", here / "counts.npz")
    said = refused(command, here / "gold.jsonl", here / "model", *output)
    assert "model is a trained pipeline, not annotation" in said


@pytest.mark.parametrize(
    ("files", "written", "messages"),
    [
        ("gold.jsonl nowhere.jsonl", {}, ["nowhere.jsonl does not exist or is not a file"]),
        ("nowhere.spacy pred.spacy", {}, ["nowhere.spacy does not exist or is not a file"]),
        ("folder.jsonl pred.jsonl", {"folder.jsonl": None}, ["folder.jsonl is a folder without .ann files"]),
        ("gold.spacy folder.spacy", {"folder.spacy": None}, ["folder.spacy is a folder without .ann files"]),
        (
            "gold.json pred.jsonl",
            {"gold.json": b"{}"},
            ["gold.json from its extension or its content; known are .spacy, .jsonl,", "--format"],
        ),
        (
            "gold.jsonl gold",
            {"gold": b"{}"},
            ["gold from its extension or its content; known are .spacy, .jsonl,", "--format"],
        ),
        (
            "gold.spacy not.spacy",
            {"not.spacy": b'{"text": "abc"}'},
            ["not.spacy is not a .spacy file; expected a file written by DocBin.to_disk"],
        ),
        (
            "cut.spacy pred.spacy",
            {"cut.spacy": DocBin(docs=PRED_DOCS).to_bytes()[:-20]},
            ["cut.spacy is not a .spacy file"],
        ),
        ("empty.spacy pred.spacy", {"empty.spacy": b""}, ["empty.spacy is not a .spacy file"]),
        (
            "gold.jsonl pred.jsonl",
            {"gold.jsonl": GOLD[:1]},
            ["gold.jsonl has 1 document and", "pred.jsonl has 3; expected the same number in both"],
        ),
        (
            "gold.spacy pred.jsonl",
            {"pred.jsonl": [*PRED, line("x"), line("y")]},
            ["gold.spacy has 3 documents and", "pred.jsonl has 5; expected the same number in both"],
        ),
        (
            "gold.jsonl pred.jsonl",
            {"pred.jsonl": []},
            ["gold.jsonl has 3 documents and", "pred.jsonl has 0; expected the same number in both"],
        ),
        (
            "gold.jsonl pred.jsonl",
            {"gold.jsonl": [GOLD[0] | {"id": "x-1"}], "pred.jsonl": [line("Ada")]},
            ["document 0 (x-1): the predicted text differs", "3 characters against 17"],
        ),
        ("gold.jsonl pred.jsonl", {"gold.jsonl": [], "pred.jsonl": []}, ["there are no documents to score"]),
        ("gold.spacy pred.spacy", {"gold.spacy": [], "pred.spacy": []}, ["there are no documents to score"]),
        (
            "gold.spacy pred.spacy",
            {"gold.spacy": UNREAD},
            ["none of the 3 gold documents is annotated", "--spans-key KEY"],
        ),
    ],
)
def test_files_that_cannot_be_scored_are_named(here, files, written, messages):
    for name, content in written.items():
        if content is None:
            (here / name).mkdir()
        elif isinstance(content, bytes):
            (here / name).write_bytes(content)
        else:
            write_docs(here / name, content) if name.endswith(".spacy") else write(here / name, *content)
    before = set(os.listdir(here))
    said = refused("score", *(here / name for name in files.split()), "--output", here / "out.json")
    assert [message for message in messages if message not in said] == []
    assert set(os.listdir(here)) == before


@pytest.mark.parametrize("name", ["pred.jsonl", "pred.spacy"])
def test_a_file_that_may_not_be_read_is_named(here, monkeypatch, name):
    def denied(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", denied)
    said = refused("score", here / name, here / name, "-o", here / "out.json")
    assert name in said
    assert "Permission denied" in said
    assert not (here / "out.json").exists()


def test_gold_annotation_alone_is_not_scored(here):
    assert "predictions to score against" in refused("score", here / "gold.jsonl")


def test_an_old_result_stays_if_scoring_fails(here):
    (here / "out.json").write_text("old")
    refused("score", here / "gold.spacy", here / "nowhere.spacy", "-o", here / "out.json")
    assert (here / "out.json").read_text() == "old"
