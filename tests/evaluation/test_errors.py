"""The list of errors: it is the counts, row by row, and says of each what it is about."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import spacy
from asking import near
from commands import accepted, line, refused, run, write
from docs import doc as spacy_doc
from docs import write_docs
from hypothesis import given
from hypothesis import strategies as st
from laws import law
from places import SEEN, TESTS
from processes import python
from profiles import tries
from strategies import corpora, flat, nested

from spacy_nereval import Document, Span, Verdict, count, create, create_all, names
from spacy_nereval.core.declaration import Kind, Metric
from spacy_nereval.counting.keys import slots
from spacy_nereval.counting.table import columns_of, summed
from spacy_nereval.evaluation.error_list import CONTEXT, FIELDS, ErrorExamples, Listed, error_list
from spacy_nereval.evaluation.result import verdict_counts
from spacy_nereval.io.writing import write_rows
from spacy_nereval.reporting.marked_text import clipped, marked


def kind(verdict: Verdict) -> tuple[str, str, str]:
    return verdict.name, verdict.gold.label if verdict.gold else "", verdict.pred.label if verdict.pred else ""


def listed(documents: list[Document], metric: Metric, **filters: Any) -> list[Listed]:
    return list(error_list(documents, metric, **filters))


# The list and the table


@law
@given(corpus=corpora())
def test_the_list_adds_up_to_the_table(case, corpus):
    """Every column of the counts, and every kind of verdict."""
    metric = case.metric
    counts = count(corpus, [metric])
    every = listed(corpus, metric, errors=["all"])
    sums = columns_of(metric, summed(counts).counts.sum(axis=(1, 2)), slots([metric]))
    for column, sources in metric.columns.items():
        if not any(isinstance(source, Kind) for source in sources):
            amounts = [each.verdict.amount for each in every if each.verdict.name in sources]
            assert sums[column] == near(sum(amounts)), column
    numbers: Counter[tuple[str, str, str]] = Counter()
    for each in every:
        numbers[kind(each.verdict)] += 1 if each.verdict.name in metric.partial_credit else each.verdict.amount
    assert +numbers == verdict_counts(counts)[metric.name]


@law
@given(corpus=corpora())
def test_the_errors_are_all_but_the_exact_hits(case, corpus):
    """Also of metrics that judge words or tokens, whose hits are known by name."""
    metric = case.metric
    everything, errors = (listed(corpus, metric, errors=chosen) for chosen in (["all"], None))
    left_out = [each for each in everything if each not in errors]
    assert [each for each in everything if each in errors] == errors
    for each in left_out:
        assert each.verdict.gold == each.verdict.pred or each.verdict.name in metric.correct_verdicts
    assert not any(each.verdict.gold and each.verdict.gold == each.verdict.pred for each in errors)


@law
@given(corpus=corpora(flat()))
def test_a_prediction_like_the_gold_has_no_errors(case, corpus):
    assert listed([Document(d.gold, d.gold, d.text, tokens=d.tokens) for d in corpus], case.metric) == []


def test_what_is_covered_in_part_is_an_error():
    document = Document([(0, 4, "A"), (6, 9, "A")], [(0, 2, "A"), (6, 9, "A")], "abcd efgh")
    assert [(each.verdict.name, each.verdict.amount) for each in listed([document], create("overlap"))] == [
        ("covered_gold", 0.5)
    ]


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("strict", {}, ["tp"]),
        ("semeval", {}, ["match"]),
        ("slot_error", {}, ["c"]),
        ("loio", {}, ["exact"]),
        ("fair", {}, ["tp"]),
        ("fair", {"unit": "token"}, ["tp"]),
        ("wrf", {}, ["match", "combined_match"]),
    ],
)
def test_hits_are_the_verdicts_on_a_prediction_like_the_gold(name, options, expected):
    assert [*create(name, **options).correct_verdicts] == expected


@given(corpus=corpora(), data=st.data())
def test_filters_leave_the_rows_that_they_name(corpus, data):
    metric = create("fair")
    every = listed(corpus, metric, errors=["all"])
    labels = sorted({span.label for d in corpus for span in (*d.gold, *d.pred)})
    wanted = data.draw(st.lists(st.sampled_from(metric.verdict_names), min_size=1))
    chosen = data.draw(st.lists(st.sampled_from(labels))) if labels else []
    expected = [
        each
        for each in every
        if each.verdict.name in wanted and (not chosen or {*chosen} & {*kind(each.verdict)[1:]} - {""})
    ]
    assert listed(corpus, metric, errors=wanted, labels=chosen) == expected


def test_an_unknown_verdict_or_label_is_refused_with_those_there_are():
    document = Document([(0, 1, "B")], [(1, 2, "A")], "ab")
    with pytest.raises(ValueError, match="fair has no verdict 'fm'; there are tp, fp, fn, le, .*, lbe, or 'all'"):
        listed([document], create("fair"), errors=["fn", "fm"])
    with pytest.raises(ValueError, match="there is no label 'C' in gold or prediction; there are A, B$"):
        listed([document], create("fair"), labels=["A", "C"])
    with pytest.raises(ValueError, match="there are none$"):
        listed([Document([], [], "")], create("fair"), labels=["A"])
    assert len(listed([document], create("fair"), labels=["A"], errors=["fn"])) == 0  # known, though not listed


# The rows


@tries(50)
@given(doc=nested(), context=st.integers(0, 20))
def test_a_row_says_where_its_spans_are_and_what_stands_there(doc, context):
    for each in listed([doc], create("fair"), errors=["all"]):
        row = each.row(context)
        assert tuple(row) == FIELDS
        assert (row["document"], row["metric"], row["verdict"], row["amount"]) == (0, "fair", each.verdict.name, 1)
        ends = []
        for side, span in (("gold", each.verdict.gold), ("pred", each.verdict.pred)):
            found = [row[f"{side}_{part}"] for part in ("start", "end", "label", "text")]
            assert found == ([*span, doc.text[span.start : span.end]] if span else [None] * 4)
            ends += [span.start, span.end] if span else []
        assert doc.text[: min(ends)].endswith(row["left"]) and doc.text[max(ends) :].startswith(row["right"])
        assert len(row["left"]) == min(context, min(ends))
        assert len(row["right"]) == min(context, len(doc.text) - max(ends))


def test_without_a_text_there_are_offsets_and_labels_alone():
    (each,) = listed([Document([(0, 3, "A")], [], id="x")], create("strict"))
    row = {"document": "x", "metric": "strict", "verdict": "fn", "amount": 1, "gold_start": 0, "gold_end": 3}
    assert each.row() == dict.fromkeys(FIELDS) | row | {"gold_label": "A"}
    assert marked(None, Span(0, 3, "A"), None) == ""


def test_an_empty_text_of_a_span_of_length_zero_is_not_a_missing_one():
    (each,) = listed([Document([(1, 1, "A")], [], "ab")], create("strict"))
    assert (each.row()["gold_text"], each.row()["left"], each.row()["right"]) == ("", "a", "b")


def test_rows_come_in_the_order_of_documents_and_texts_and_unnamed_documents_have_numbers():
    first = Document([(0, 1, "A"), (4, 5, "A"), (2, 3, "B")], [(2, 3, "A")], "a b a")
    found = listed([None, first, None, Document([(0, 1, "A")], [], "a", id="x"), first], create("fair"))
    assert [(each.name, each.verdict.gold.start) for each in found] == [
        *((0, 0), (0, 2), (0, 4), ("x", 0)),
        *((2, 0), (2, 2), (2, 4)),
    ]


@tries(50)
@given(corpus=corpora())
def test_the_order_is_that_of_the_text_whatever_order_verdicts_are_found_in(corpus):
    metric = create("fair", unit="token")
    backwards = replace(metric, judge=lambda document: reversed([*metric.judge(document)]))
    found = listed(corpus, metric, errors=["all"])
    assert listed(corpus, backwards, errors=["all"]) == found
    places = [(each.name, min(span for span in each.verdict[1:3] if span)) for each in found]
    assert places == sorted(places)


PROGRAM = """
import json, sys
from made_up import corpus
from spacy_nereval import create_all
from spacy_nereval.evaluation.error_list import ErrorExamples, error_list
for metric in create_all(["fair", "wrf", "semeval", "loio"]):
    for each in error_list(corpus(6), metric, errors=["all"]):
        print(json.dumps(each.row()))
examples = ErrorExamples(create_all(["fair"])[0])
for document in corpus(6):
    examples.add(document)
print(json.dumps(sorted((kind, each.row()) for kind, each in examples.first.items())))
"""


@pytest.mark.costly
def test_the_order_does_not_depend_on_that_in_which_python_keeps_sets():
    outputs = []
    for seed in ("1", "2", "3"):
        done = python("-c", PROGRAM, path=[TESTS / "support"], env={"PYTHONHASHSEED": seed})
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert len(outputs[0].splitlines()) > 50
    assert outputs[0] == outputs[1] == outputs[2]


# Examples


@pytest.mark.parametrize(
    ("gold", "pred", "expected"),
    [
        ((4, 16), None, "The [Ada Lovelace] met Bob."),
        (None, (21, 24), "…velace met {Bob}."),
        ((4, 16), (4, 16), "The [{Ada Lovelace}] met Bob."),
        ((4, 16), (4, 7), "The [{Ada} Lovelace] met Bob."),
        ((8, 16), (4, 16), "The {Ada [Lovelace]} met Bob."),
        ((4, 7), (4, 16), "The {[Ada] Lovelace} met Bob."),
        ((4, 16), (8, 24), "The [Ada {Lovelace] met Bob}."),
        ((4, 7), (7, 16), "The [Ada]{ Lovelace} met Bob."),
        ((7, 7), (7, 16), "The Ada{[] Lovelace} met Bob."),
        ((7, 7), (4, 7), "The {Ada}[] Lovelace met Bob."),
        ((4, 7), (21, 24), "The [Ada] Lovelace met {Bob}."),
        (None, None, ""),
    ],
)
def test_an_example_marks_both_spans(gold, pred, expected):
    spans = (span and Span(*span, "PER") for span in (gold, pred))
    assert marked("The Ada Lovelace met Bob.", *spans) == expected


def words(text: str) -> str:
    return " ".join(text.split())


@tries(60)
@given(doc=nested())
def test_an_example_without_its_marks_is_a_stretch_of_the_text(doc):
    for each in listed([doc], create("fair"), errors=["all"]):
        shown = marked(doc.text, each.verdict.gold, each.verdict.pred)
        for span, marks in ((each.verdict.gold, "[]"), (each.verdict.pred, "{}")):
            assert [shown.count(mark) for mark in marks] == [bool(span)] * 2
            if span:
                inside = shown[shown.index(marks[0]) + 1 : shown.index(marks[1])]
                assert words(re.sub(r"[][{}]", "", inside)) == words(doc.text[span.start : span.end])
        assert words(re.sub(r"[][{}]", "", shown).strip("…")) in words(doc.text)


def test_an_example_of_a_long_text_is_short():
    text = "\n".join(["word"] * 40_000)
    assert len(marked(text, Span(10, 150_000, "A"), Span(30, 100_000, "A"))) < 200
    assert clipped("abc", 3) == "abc" and clipped("abcd", 3) == "ab…" and clipped("abcd", -3) == "…cd"


@tries(50)
@given(documents=corpora(nested(), most=4))
def test_of_each_kind_the_first_verdict_is_the_example(documents):
    metric = create("fair")
    examples = ErrorExamples(metric)
    for k, document in enumerate(documents):
        document.id = f"doc {k}" if k % 2 else None
        examples.add(document)
        examples.add(None)
    first: dict[tuple[str, str, str], Listed] = {}
    for each in listed(documents, metric, errors=["all"]):
        first.setdefault(kind(each.verdict), each)
    assert examples.first == first


# Files


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


TEXTS = [
    "=1+1",
    "+1",
    "-1",
    "@a",
    "\ta",
    "\ra",
    "a,b",
    'a"b',
    "a\nb",
    "a\r\nb",
    "\x1b[2J",
    "\x00",
    "\u202e",
    "\ud800",
    "人",
    "",
]


def test_jsonl_has_texts_as_they_are_and_csv_those_that_a_spreadsheet_may_open(tmp_path):
    rows = [{"text": text, "n": -1.5, "none": None} for text in TEXTS]
    for name in ("a.jsonl", "a.csv"):
        write_rows(tmp_path / name, rows)
    assert [json.loads(row) for row in (tmp_path / "a.jsonl").read_text(encoding="utf8").splitlines()] == rows
    with (tmp_path / "a.csv").open(newline="", encoding="utf8") as file:
        found = list(csv.DictReader(file))
    assert {(row["n"], row["none"]) for row in found} == {("-1.5", "")}
    guarded = ["'=1+1", "'+1", "'-1", "'@a", "'\ta", "'\ra", "a,b", 'a"b', "a\nb", "a\r\nb"]
    assert [row["text"] for row in found] == [*guarded, "\\x1b[2J", "\\x00", "\\u202e", "\\ud800", "人", ""]


# The command


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
    assert [re.split("  +", row) for row in (printed[5], printed[7])] == [
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
    assert result.stderr.splitlines() == ["25 documents, 25 gold spans, 0 predicted spans", "25 verdicts (fn 25)"]


def test_amounts_are_shown_where_they_are_not_all_one(here):
    header = re.split("  +", errors("-m", "loio").splitlines()[5])
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
        ("rows.txt", "--output rows.txt: expected a .jsonl or .csv file"),
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
