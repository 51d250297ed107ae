"""The command `nereval errors`."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
import spacy
from asking import near
from commands import accepted, line, refused, run, write
from docs import doc as spacy_doc
from docs import write_docs
from places import SEEN

from spacy_nereval import create_all, names
from spacy_nereval.core.declaration import Kind
from spacy_nereval.evaluation.error_list import CONTEXT, FIELDS

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
        zip(FIELDS, ("a", "fair", "be_s", 1, 0, 12, "PER", "Ada Lovelace", 0, 3, "PER", "Ada", "", " met Bob", True))
    )
    assert (rows[3]["gold_text"], rows[3]["left"]) == ("Oslo", "=cmd|' /C calc'!A0 in\n")


def test_a_csv_file_is_safe_for_spreadsheets_and_has_the_same_rows(here):
    errors("-o", "errors.jsonl")
    errors("-o", "errors.csv")
    for row, wanted in zip(rows_of(here / "errors.csv"), rows_of(here / "errors.jsonl"), strict=True):
        shown = {key: "" if value is None else str(value) for key, value in wanted.items()}
        assert row == {key: f"'{value}" if value.startswith("=") else value for key, value in shown.items()}
    assert rows_of(here / "errors.csv")[2]["document"] == "'=x"


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


def test_what_is_of_no_span_is_listed_only_if_asked_for(here):
    for name, text, spans in (("gold", "Ada met Bob .", [(0, 3, "PER")]), ("pred", "Ada met Bob .", [(8, 11, "PER")])):
        tokens = [{"start": m.start(), "end": m.end()} for m in re.finditer(r"\S+", text)]
        write(here / f"{name}.jsonl", line(text, *spans) | {"tokens": tokens})

    def without_span(*arguments: str) -> int:
        errors("--metric", "token", "-o", "rows.jsonl", *arguments)
        rows = rows_of(here / "rows.jsonl")
        assert len(rows) >= 2
        return sum(row["gold_label"] is row["pred_label"] is None for row in rows)

    assert without_span() == 0
    assert without_span("-e", "all") > 0


def test_amounts_stand_beside_the_numbers(here):
    """Nine characters of Ada Lovelace are missed, one more each for labels and spans elsewhere."""
    said = errors("--metric", "char").splitlines()[1]
    errors("--metric", "char", "-o", "rows.jsonl")
    rows = rows_of(here / "rows.jsonl")
    for name in {row["verdict"] for row in rows}:
        amounts = [row["amount"] for row in rows if row["verdict"] == name]
        assert f"{name} {len(amounts)} of amount {sum(amounts):g}" in said
    assert rows


@pytest.mark.parametrize("context", [0, 3, 40])
def test_the_context_is_as_wide_as_asked_for(here, context):
    errors("-o", "errors.jsonl", "--context", context)
    assert rows_of(here / "errors.jsonl")[0]["right"] == " met Bob"[:context]


def test_the_table_marks_the_spans_and_says_how_many_rows_it_does_not_show(here):
    printed = errors("--limit", 2).splitlines()
    assert printed[0] == "3 documents, 5 gold spans, 3 predicted spans"
    assert printed[1] == "4 verdicts (fn 2, be_s 1, le 1)"
    assert printed[2] == "fn = missed; be_s = boundary: shorter than gold; le = label error"
    assert [re.split("  +", row) for row in (printed[6], printed[8])] == [
        ["document", "verdict", "gold", "predicted", "text"],
        ["a", "be_s", "PER", "PER", "[{Ada} Lovelace] met Bob"],
    ]
    assert printed[-1] == "2 more are not shown: --limit 0 prints all, --output FILE writes all"
    assert "not shown" not in errors("--limit", 4)
    assert "not shown" not in errors("--limit", 0)


def test_by_default_twenty_rows_are_printed_and_all_in_other_formats(here):
    gold, pred = line("a", (0, 1, "A")), line("a")
    write(here / "gold.jsonl", *[gold] * 25)
    write(here / "pred.jsonl", *[pred] * 25)
    assert "5 more are not shown" in errors()
    result = run("errors", "gold.jsonl", "pred.jsonl", "--format", "json")
    assert len(json.loads(result.stdout)["Error list"]) == 25
    totals = "25 documents, 25 gold spans, 0 predicted spans"
    assert result.stderr.splitlines() == [totals, "25 verdicts (fn 25)", "fn = missed"]


def test_amounts_are_shown_where_they_are_not_all_one(here):
    header = re.split("  +", errors("-m", "loio").splitlines()[6])
    assert header == ["document", "verdict", "amount", "gold", "predicted", "text"]
    assert "0.250" in errors("-m", "loio", "--digits", "3")


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


def test_nothing_wrong_is_said(here):
    printed = accepted("errors", "gold.jsonl", "gold.jsonl")
    assert printed.splitlines() == ["3 documents, 5 gold spans, 5 predicted spans", "no verdicts of this kind"]
    accepted("errors", "gold.jsonl", "gold.jsonl", "-o", "none.csv")
    assert (here / "none.csv").read_text().strip() == ",".join(FIELDS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gold.jsonl", "pred.jsonl", "-e", "fm"], "fair has no verdict 'fm'; there are tp, fp"),
        (
            ["gold.jsonl", "pred.jsonl", "-l", "ORG"],
            "there is no label 'ORG' in gold or prediction; there are LOC, PER",
        ),
        (["gold.jsonl", "pred.jsonl", "-l", "PER,ORG"], "there is no label 'ORG' in gold or prediction"),
        (["gold.jsonl", "pred.jsonl", "-f", "markdown"], "no table is printed, so markdown has no effect"),
        (["gold.jsonl", "pred.jsonl", "--train", "gold.jsonl"], "--train gold.jsonl is given, but nothing looks"),
        (["gold.jsonl", "pred.jsonl", "-m", "fare"], "there is no metric 'fare'"),
        (["gold.jsonl", "pred.jsonl", "-m", "fair,strict"], "expected one metric"),
        (["gold.jsonl", "pred.jsonl", "--strict.beta", "2"], "strict is not among --metrics fair"),
        (["gold.jsonl", "pred.jsonl", "-f", "xml"], "there is no format 'xml'"),
        (["gold.jsonl", "none.jsonl"], "none.jsonl does not exist"),
        (["gold.jsonl"], "predictions to score against gold.jsonl are missing"),
        (["empty.jsonl", "empty.jsonl"], "there are no documents to score in empty.jsonl"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_is_one_line_and_leaves_no_file(here, arguments, said):
    write(here / "empty.jsonl")
    (here / "rows.jsonl").write_text("old")
    before = sorted(here.iterdir())
    assert said in refused("errors", *arguments, "-o", "rows.jsonl")
    assert (sorted(here.iterdir()), (here / "rows.jsonl").read_text()) == (before, "old")


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("rows.txt", "--output rows.txt: expected a .jsonl, .csv, .parquet or .arrow file"),
        ("none/rows.csv", "there is no directory none"),
        ("gold.jsonl", "gold.jsonl is an input"),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is_read(here, output, said):
    assert said in refused("errors", "gold.jsonl", "none.jsonl", "-o", output)


def test_the_command_lists_what_the_counts_say(here):
    """For every metric, from the files that both read."""
    train = str(SEEN)
    tokens = [{"start": m.start(), "end": m.end()} for m in re.finditer(r"\S+", GOLD[0]["text"])]
    write(here / "gold.jsonl", GOLD[0] | {"tokens": tokens})
    write(here / "pred.jsonl", PRED[0])
    for name in names():
        more = [f"--{name}.train={train}"] if name == "tmr" else []
        accepted("score", "gold.jsonl", "pred.jsonl", "-m", name, "-o", "scores.json", *more)
        errors("-m", name, "-e", "all", "-o", "rows.jsonl", *more)
        counts = json.loads((here / "scores.json").read_text())["metrics"][name]["counts"]
        rows = rows_of(here / "rows.jsonl")
        (metric,) = create_all({name: {"train": train} if name == "tmr" else {}})
        for column, source in metric.columns.items():
            if column in counts and name != "wrf" and not any(isinstance(each, Kind) for each in source):
                assert counts[column] == near(sum(row["amount"] for row in rows if row["verdict"] in source)), column


def test_the_usual_context_is_that_of_the_library(here):
    errors("-o", "usual.jsonl")
    errors("-o", "same.jsonl", "--context", CONTEXT)
    assert (here / "usual.jsonl").read_bytes() == (here / "same.jsonl").read_bytes()
