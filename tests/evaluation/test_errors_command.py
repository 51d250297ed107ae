"""The command `nereval errors`, and the files that it writes."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
import spacy
from commands import accepted, line, refused, write
from docs import doc as spacy_doc
from docs import write_docs

from spacy_nereval.evaluation.error_list import CONTEXT, FIELDS
from spacy_nereval.io.tables import write_rows

GOLD = [
    line("Ada Lovelace met Bob", (0, 12, "PER"), (17, 20, "PER"), id="a"),
    line("in Rome .", (3, 7, "LOC")),
    line("=cmd|' /C calc'!A0 in\nOslo", (0, 4, "LOC"), (22, 26, "LOC"), id="=x"),
]


PRED = [
    line("Ada Lovelace met Bob", (0, 3, "PER"), (17, 20, "PER"), id="a"),
    line("in Rome .", (3, 7, "PER")),
    line("=cmd|' /C calc'!A0 in\nOslo", id="=x"),
]


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "gold.jsonl", *GOLD)
    write(tmp_path / "pred.jsonl", *PRED)
    return tmp_path


def errors(*arguments: Any) -> str:
    return accepted("errors", "gold.jsonl", "pred.jsonl", *arguments)


def rows_of(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".jsonl":
        return [json.loads(row) for row in path.read_text(encoding="utf8").splitlines()]
    with path.open(newline="", encoding="utf8") as file:
        return list(csv.DictReader(file))


def test_the_file_has_every_error_with_its_texts(here):
    said = errors("-o", "errors.jsonl")
    assert said == "✔ 4 verdicts (fn 2, be_s 1, le 1) in errors.jsonl\n"
    rows = rows_of(here / "errors.jsonl")
    assert [(row["document"], row["verdict"]) for row in rows] == [("a", "be_s"), (1, "le"), ("=x", "fn"), ("=x", "fn")]
    assert rows[0] == dict(
        zip(
            FIELDS,
            (
                "a",
                "fair",
                "be_s",
                1,
                0,
                12,
                "PER",
                "Ada Lovelace",
                0,
                3,
                "PER",
                "Ada",
                "",
                " met Bob",
                True,
                "left",
                None,
                None,
                None,
                None,
            ),
        )
    )
    assert (rows[3]["gold_text"], rows[3]["left"]) == ("Oslo", "=cmd|' /C calc'!A0 in\n")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--errors", "all"], ["be_s", "tp", "le", "fn", "fn"]),
        (["--errors", "fn, le"], ["le", "fn", "fn"]),
        (["-e", "fp"], []),
        (["--label", "PER"], ["be_s", "le"]),
        (["-l", "PER", "-l", "LOC", "-e", "le,tp"], ["tp", "le"]),
        (["-l", "PER,LOC", "-e", "le", "-e", "tp"], ["tp", "le"]),
        (["--metric", "strict"], ["fp", "fn", "fn", "fp", "fn", "fn"]),
        (["-m", "semeval", "--errors", "extent_error"], ["extent_error"]),
        (["--metric", "fair", "--fair.focus", "system"], ["be_s", "le", "fn", "fn"]),
    ],
)
def test_options_choose_the_rows(here, options, expected):
    errors("-o", "errors.jsonl", *options)
    assert [row["verdict"] for row in rows_of(here / "errors.jsonl")] == expected


def test_a_label_with_a_comma_is_taken_as_it_is_where_some_span_has_it(here):
    write(here / "gold.jsonl", line("a b c", (0, 1, "A"), (2, 3, "B"), (4, 5, "A,B")))
    write(here / "pred.jsonl", line("a b c"))
    for wanted, expected in (("A,B", ["A,B"]), ("B,A", ["A", "B"]), ("A", ["A"])):
        errors("-o", "errors.jsonl", "-l", wanted)
        assert [row["gold_label"] for row in rows_of(here / "errors.jsonl")] == expected


def test_spans_are_looked_up_in_training_data(here):
    write(here / "train.jsonl", line("Ada Lovelace", (0, 12, "PER")))
    accepted("training", "train.jsonl", "-o", "table.json")
    errors("--metric", "tmr", "--train", "table.json", "-e", "all", "-o", "rows.jsonl")
    rows = [(row["verdict"], row["gold_text"]) for row in rows_of(here / "rows.jsonl") if row["gold_text"]]
    errors("--metric", "tmr", "--tmr.train", "table.json", "-e", "all", "-o", "same.jsonl")
    assert len(rows) == 5 and rows_of(here / "same.jsonl") == rows_of(here / "rows.jsonl")
    (of_ada,) = {verdict for verdict, text in rows if text == "Ada Lovelace"}
    assert of_ada not in {verdict for verdict, text in rows if text != "Ada Lovelace"}


def test_amounts_stand_beside_the_numbers(here):
    """Nine characters of Ada Lovelace are missed, one more each for labels and spans elsewhere."""
    said = errors("--metric", "char").splitlines()[1]
    errors("--metric", "char", "-o", "rows.jsonl")
    amounts = [row["amount"] for row in rows_of(here / "rows.jsonl") if row["verdict"] == "fn"]
    assert f"fn {len(amounts)} of amount {sum(amounts):g}" in said


def test_the_context_is_as_wide_as_asked_for_or_as_that_of_the_library(here):
    after = " and so on" * 9
    write(here / "gold.jsonl", line(f"Ada{after}", (0, 3, "PER")))
    write(here / "pred.jsonl", line(f"Ada{after}"))
    for asked, width in (((), CONTEXT), (("--context", 0), 0), (("--context", 3), 3)):
        errors("-o", "errors.jsonl", *asked)
        assert [row["right"] for row in rows_of(here / "errors.jsonl")] == [after[:width]]


def test_a_model_may_stand_for_the_predictions(here):
    nlp = spacy.blank("xx")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
    nlp.to_disk(here / "model")
    write_docs(
        here / "gold.spacy", [spacy_doc("Ada met Bob", (0, 1, "PER"), (2, 3, "PER")), spacy_doc("Ada", annotated=False)]
    )
    accepted("errors", "gold.spacy", "model", "-e", "all", "-o", "rows.csv")
    assert [(row["document"], row["verdict"], row["gold_text"]) for row in rows_of(here / "rows.csv")] == [
        ("0", "tp", "Ada"),
        ("0", "fn", "Bob"),
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("pred.jsonl -e fm", "fair: there is no verdict 'fm'; there are tp, fp"),
        ("pred.jsonl -l PER,ORG", "there is no label 'ORG'; there are LOC, PER"),
        ("pred.jsonl -f markdown", "no table is printed, so markdown has no effect"),
        ("pred.jsonl --train gold.jsonl", "--train gold.jsonl is given, but nothing looks"),
        ("pred.jsonl -m fair,strict", "expected one metric"),
        ("none.jsonl -o rows.txt", "--output rows.txt: expected a .jsonl, .csv, .parquet or .arrow file"),
        ("none.jsonl -o none/rows.csv", "there is no directory none"),
        ("none.jsonl -o gold.jsonl", "gold.jsonl is an input"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_no_file(here, arguments, said):
    (here / "rows.jsonl").write_text("old")
    before = sorted(here.iterdir())
    output = [] if "-o" in arguments else ["-o", "rows.jsonl"]
    assert said in refused("errors", "gold.jsonl", *arguments.split(), *output)
    assert (sorted(here.iterdir()), (here / "rows.jsonl").read_text()) == (before, "old")


# The files


def test_rows_are_written_while_they_are_made(tmp_path):
    """None is kept, and a failure on the way leaves nothing."""

    def rows():
        for k in range(3):
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
    **{chr(code): f"\\u{code:x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFFFE, 0xFFFF)},
}
"""Texts, and how CSV has them: one that a spreadsheet would compute begins with an apostrophe."""


def test_jsonl_has_texts_as_they_are_and_csv_those_that_a_spreadsheet_may_open(tmp_path):
    rows = [{"text": text, "n": -1.5, "none": None} for text in WRITTEN]
    for name in ("a.jsonl", "a.csv"):
        write_rows(tmp_path / name, rows)
    assert rows_of(tmp_path / "a.jsonl") == rows
    found = rows_of(tmp_path / "a.csv")
    assert {(row["n"], row["none"]) for row in found} == {("-1.5", "")}
    assert [row["text"] for row in found] == [*WRITTEN.values()]
