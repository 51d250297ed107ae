"""`show` says how a file or a list is read, and what looks wrong, also of files that cannot be read to their end."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from commands import accepted, flat, line, run, write
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from samples import SAMPLES, write_sample

from spacy_nereval import load, show
from spacy_nereval.io.formats import used_fields

ROWS = [
    line("Ada met Bob in Rome", (0, 3, "PER"), (8, 11, "PER"), (15, 19, "LOC"), id="a"),
    line("Nobody", id="b", answer="ignore"),
    line("In Rome", (3, 7, "LOC"), (3, 7, "LOC"), id="c"),
]
SHOWN = """{path}: jsonl, UTF-8, offsets in characters
3 documents, 4 spans, 3 with ids, 1 with no annotation
labels: LOC (2), PER (2)
excluded: repeated spans (1)

document 0 (a):
[Ada](PER) met [Bob](PER) in [Rome](LOC)
"""


def test_a_file_is_shown_in_python_and_by_the_command(tmp_path):
    path = write(tmp_path / "a.jsonl", *ROWS)
    assert str(show(path, documents=1)) == SHOWN.format(path=path).rstrip()
    assert accepted("show", path, "--limit", "1") == SHOWN.format(path=path)
    listed = show(ROWS, documents=1)
    of_file = show(str(path), documents=1)
    assert {
        name: value for name, value in listed.items() if name not in ("source", "format", "encoding", "offsets")
    } == {name: value for name, value in of_file.items() if name not in ("source", "format", "encoding", "offsets")}
    assert show(load(path))["labels"] == {"LOC": 2, "PER": 2} == of_file["labels"]


@pytest.mark.parametrize("name", SAMPLES)
def test_files_of_every_format_are_shown(name, tmp_path):
    format, _, _ = SAMPLES[name]
    path = write_sample(name, tmp_path)
    found = show(path, format=format, discontinuous="hull" if "discontinuous" in used_fields(format) else None)
    assert (found["format"], found["error"]) == (format, None)
    assert found["spans"] == 3 and "Ada](" in found["first"][0]["marked"]


WRONG: dict[str, tuple[list[dict[str, Any]], str]] = {
    "white space at edges": ([line("Ada met", (0, 4, "PER"))], "White space at the edges of 1 of the spans"),
    "inclusive ends": (
        [line("Ada met Bob in Rome", (0, 2, "PER"), (8, 10, "PER"), (15, 18, "LOC"))],
        "3 of 3 spans end one character before a word does, so these ends look inclusive",
    ),
    "spans without characters": ([line("王和李", (0, 0, "PER"), (1, 2, "PER"))], "1 of 2 spans have no character"),
    "mentions of other texts": (
        [{"text": "Ada", "mentions": [["Eve", "PER"], ["Ada", "PER"]]}],
        "1 mention that the text does not have",
    ),
    "characters that are not seen": (
        [line("\ufeffAda", (1, 4, "PER")), line("Bo\u200bb", (0, 4, "PER")), line("x\u200by")],
        "2 texts with a character that is not seen: U+200B ZERO WIDTH SPACE",
    ),
    "repeated ids": ([line("Ada", id="x"), line("Bob", id="x")], "ids that repeat: x"),
    "labels that differ by case": (
        [line("Ada Bob", (0, 3, "PER"), (4, 7, "Per"))],
        "labels 'PER' and 'Per' differ only in case",
    ),
    "labels that differ by white space": (
        [line("Ada Bob", (0, 3, "PER"), (4, 7, "PER\xa0"))],
        "'PER' and 'PER\\xa0' differ only",
    ),
    "labels in two Unicode forms": ([line("Ada Bob", (0, 3, "É"), (4, 7, "E\u0301"))], "Unicode form"),
    "no span": ([line("Ada")], "no document has a span"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_looks_wrong_is_said(name, tmp_path):
    rows, said = WRONG[name]
    path = write(tmp_path / "a.jsonl", *rows)
    assert any(said in remark for remark in show(path)["remarks"])
    assert any(said in remark for remark in show(rows)["remarks"])
    assert said.replace("\\", "") in run("show", path).stdout.replace("\\", "")


def test_what_is_right_has_no_remark(tmp_path):
    assert show(write(tmp_path / "a.jsonl", *ROWS))["remarks"] == []


def test_a_file_is_shown_up_to_what_cannot_be_read(tmp_path):
    path = write(tmp_path / "a.jsonl", ROWS[0], '{"text": 7}')
    found = show(path)
    assert (found["documents"], found["spans"]) == (1, 3) and f"{path}, line 2: expected an object" in found["error"]
    done = run("show", path)
    assert done.exit_code == 2 and "[Ada](PER) met" in done.stdout and done.stderr.startswith(f"✘ {path}, line 2")
    unknown = tmp_path / "b.json"
    unknown.write_text('{"content": "Ada", "marks": []}')
    assert "there are content, marks" in show(unknown)["error"]
    for name, said in (("none.jsonl", "does not exist"), ("none.npz", "is a count file")):
        with pytest.raises(ValueError, match=f"{name} {said}"):
            show(tmp_path / name)
        done = run("show", tmp_path / name)
        assert (done.exit_code, done.stdout) == (2, "") and said in done.stderr
    assert "nereval show FILE" in show(path)["error"]


def test_how_a_file_is_read_can_be_said(tmp_path):
    path = write(tmp_path / "a.jsonl", {"content": "😀 Ada", "marks": [{"start": 3, "end": 6, "label": "PER"}]})
    found = show(path, keys="text=content,spans=marks", offsets="utf16")
    assert found["first"][0]["marked"] == "😀 [Ada](PER)" and found["offsets"] == "offsets in UTF-16 code units"
    done = accepted("show", path, "--keys", "text=content,spans=marks", "--offsets", "utf16")
    assert "😀 [Ada](PER)" in done
    columns = tmp_path / "a.conll"
    columns.write_text("Ada B-PER\n")
    assert "labels: PERSON (1)" in accepted("show", columns, "--labels", "PER=PERSON")
    assert show([["B-PER"]], tokens=[["Ada"]], labels={"PER": "PERSON"})["labels"] == {"PERSON": 1}
    with pytest.raises(TypeError, match="unexpected"):
        show(path, kes="text=content")


def test_what_was_decided_on_reading_is_said(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("1\tAda\tPER\t_\n2\tmet\tO\t_\n")
    found = show(path, column=3)
    assert found["scheme"] == "scheme IO" and [note[:42] for note in found["notes"]] == [
        "the tags have no prefixes and are read in ",
        "words are read from column 2, since the on",
    ]
    assert "\nℹ words are read from column 2, since" in accepted("show", path, "--column", "3")
    assert show(path, column=3, scheme="IO")["scheme"] == "scheme IO"
    assert [note[:8] for note in show([["PER", "O"]], tokens=[["Ada", "met"]])["notes"]] == ["the tags"]


def test_tags_docs_and_answers_are_shown(tmp_path):
    assert show([["B-PER", "O"]], tokens=[["Ada", "met"]])["first"][0]["marked"] == "[Ada](PER) met"
    doc = spacy.blank("en")("Ada met")
    doc.set_ents([doc.char_span(0, 3, "PER")])
    assert show([doc])["labels"] == {"PER": 1}
    answers = write(tmp_path / "a.jsonl", {"answer": "<PER>Ada</PER> met"})
    assert show(answers)["first"][0]["marked"] == "answer '<PER>Ada</PER> met'"
    columns = tmp_path / "a.conll"
    columns.write_text("\ufeffAda B-PER\nmet O\n", encoding="utf8")
    found = flat(str(show(columns)))
    assert "conll, UTF-8 with a byte order mark, scheme IOB2, offsets in characters" in found


def test_long_texts_are_cut(tmp_path):
    found = show([line("Ada " * 500, (0, 3, "PER"), (1992, 1995, "PER"))])["first"][0]["marked"]
    assert found.startswith("[Ada](PER) Ada") and found.endswith("…") and len(found) < 500


@tries(60)
@given(st.text(max_size=20), st.data())
def test_the_numbers_are_those_of_the_list(text, data):
    ends = st.integers(0, len(text))
    spans = [
        (*sorted((data.draw(ends), data.draw(ends))), label) for label in data.draw(st.lists(st.sampled_from("AB")))
    ]
    found = show([line(text, *spans)])
    assert (found["documents"], found["spans"]) == (1, len({*spans}))
    assert sum(found["labels"].values()) == found["spans"]
    assert isinstance(str(found), str) and Path(found["source"]).name == "items"


def test_texts_with_a_character_that_is_not_seen_are_counted_not_the_characters(tmp_path):
    texts = ["A\u200bda\u200b \u200b", "Bob", "E\u200bve\u00ad"]
    rows = [{"text": text, "spans": []} for text in texts]
    said = str(show([*rows]))
    assert "2 texts with a character that is not seen: U+200B" in said
    assert "1 text with a character that is not seen: U+00AD" in said
