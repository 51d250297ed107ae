"""Lists of errors in files."""

import csv
import json

import pytest

from spacy_nereval.io.row_files import write_rows


def test_rows_are_written_while_they_are_made(tmp_path):
    """None is kept, and a failure on the way leaves nothing."""
    made: list[int] = []

    def rows():
        for k in range(3):
            made.append(k)
            yield {"n": k}
            assert list(tmp_path.iterdir()) and not (tmp_path / "rows.csv").exists()

    assert write_rows(tmp_path / "rows.csv", rows()) == 3
    assert (tmp_path / "rows.csv").read_bytes() == b"n\r\n0\r\n1\r\n2\r\n"

    def failing():
        yield {"n": 1}
        raise ValueError("broken")

    for name in ("new.jsonl", "rows.csv"):
        with pytest.raises(ValueError, match="broken"):
            write_rows(tmp_path / name, failing())
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]
    assert (tmp_path / "rows.csv").read_bytes() == b"n\r\n0\r\n1\r\n2\r\n"


def test_a_table_without_rows_has_its_header(tmp_path):
    assert write_rows(tmp_path / "a.csv", [], header=["x", "y"]) == 0
    assert write_rows(tmp_path / "a.jsonl", [], header=["x", "y"]) == 0
    assert ((tmp_path / "a.csv").read_text(), (tmp_path / "a.jsonl").read_text()) == ("x,y\n", "")


WRITTEN = {
    **{text: f"'{text}" for text in ("=1+1", "+1", "-1", "@a", "\ta", "\ra")},
    **{text: text for text in ("a,b", 'a"b', "a\nb", "a\r\nb", "人", "")},
    **{"\x1b[2J": "\\x1b[2J", "\x00": "\\x00", "\u202e": "\\u202e", "\ud800": "\\ud800"},
}
"""Texts, and how CSV has them: one that a spreadsheet would compute begins with an apostrophe."""


def test_jsonl_has_texts_as_they_are_and_csv_those_that_a_spreadsheet_may_open(tmp_path):
    rows = [{"text": text, "n": -1.5, "none": None} for text in WRITTEN]
    for name in ("a.jsonl", "a.csv"):
        write_rows(tmp_path / name, rows)
    assert [json.loads(row) for row in (tmp_path / "a.jsonl").read_text(encoding="utf8").splitlines()] == rows
    with (tmp_path / "a.csv").open(newline="", encoding="utf8") as file:
        found = list(csv.DictReader(file))
    assert {(row["n"], row["none"]) for row in found} == {("-1.5", "")}
    assert [row["text"] for row in found] == [*WRITTEN.values()]
