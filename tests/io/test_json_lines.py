"""Lines of JSON as several tools write them: shapes of spans, answers, what offsets count; and scores of spans."""

import json
import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
import spacy
from asking import refusal
from commands import accepted, flat, line, refused, run, write
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from reading import SHAPES, error, only, read, saved
from samples import TEXT, region, said, task
from spacy.tokens import SpanGroup

from spacy_nereval import Document, score
from spacy_nereval.core.document_fields import keep_fields
from spacy_nereval.core.keys import read_keys
from spacy_nereval.core.labels import label_rules
from spacy_nereval.core.messages import Unusable, highest_scores, is_finite_number, unique_keys
from spacy_nereval.core.spans import relabel
from spacy_nereval.integration.examples import doc_record
from spacy_nereval.io.formats import jsonl
from spacy_nereval.io.formats.settings import Format
from spacy_nereval.io.read import read_files, records
from spacy_nereval.io.records import Record, pair

IN_YORK, ADA = "Ada in York", (0, 3, "PER")
OBJECT, TRIPLE = SHAPES["objects"], SHAPES["triples"]
AWKWARD = [(0, 1, "A"), (0, 1, "A"), (0, 3, "A"), (1, 1, "A"), (11, 11, "A")]
DIGITS = {(0, 3, label): value for label, value in zip("ABCD", (0.41, 0.3, 1 / 3, 1e-7))}

LINES: dict[str, tuple[dict[str, Any], Record]] = {
    "tokens and an id": (
        {"spans": [OBJECT], "tokens": [{"start": 0, "end": 3, "text": "Ada"}, {"start": 4, "end": 11}], "id": 7},
        Record(IN_YORK, {ADA}, [(0, 3), (4, 11)], "7"),
    ),
    "no span": ({"spans": []}, Record(IN_YORK, set())),
    "spans that repeat, overlap and are empty": ({"label": AWKWARD}, Record(IN_YORK, {*AWKWARD}, duplicates=1)),
    "other keys": ({"spans": [OBJECT], "x": 1, "meta": {"y": [1]}}, Record(IN_YORK, {ADA}, meta={"y": [1]})),
    "data that are no text": ({"data": 7, "spans": []}, Record(IN_YORK, set())),
    "the same under two keys": ({"spans": [OBJECT], "label": [TRIPLE, TRIPLE]}, Record(IN_YORK, {ADA})),
    "other keys of spans without a list": (
        {"spans": [OBJECT], "label": "PER", "labels": None, "entities": {}},
        Record(IN_YORK, {ADA}),
    ),
    "rejected": ({"spans": [OBJECT], "answer": "reject"}, Record(IN_YORK, set(), annotated=False)),
    "ignored": ({"spans": [OBJECT], "answer": "ignore"}, Record(IN_YORK, set(), annotated=False)),
    "rejected without spans": ({"answer": "reject"}, Record(IN_YORK, set(), annotated=False)),
    "accepted without spans": ({"answer": "accept"}, Record(IN_YORK, set())),
    "answers of spans": (
        {"spans": [OBJECT | {"answer": "accept"}, {"start": 7, "end": 11, "label": "LOC", "answer": "reject"}]},
        Record(IN_YORK, {ADA}, rejected=1),
    ),
    "the highest score of a span that repeats": (
        {"spans": [OBJECT | {"score": value} for value in (0.2, 0.9, 0.5)]},
        Record(IN_YORK, {ADA}, duplicates=2, span_scores={ADA: 0.9}),
    ),
    "scores to the last digit": (
        {"spans": [OBJECT | {"label": label, "score": value} for (_, _, label), value in DIGITS.items()]},
        Record(IN_YORK, {*DIGITS}, span_scores=DIGITS),
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_what_a_line_says(name, tmp_path):
    entry, wanted = LINES[name]
    assert only(write(tmp_path / "a.jsonl", {"text": IN_YORK} | entry)) == wanted


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("key", ["spans", "entities", "label", "labels"])
def test_spans_are_found_under_every_name_and_in_every_shape(key, shape, tmp_path):
    assert only(write(tmp_path / "a.jsonl", {"text": IN_YORK, key: [shape]})).spans == {ADA}


def test_the_text_may_be_data_as_in_some_versions_of_doccano(tmp_path):
    path = write(tmp_path / "a.jsonl", {"id": 10, "data": IN_YORK, "label": [TRIPLE]})
    assert only(path) == Record(IN_YORK, {ADA}, id="10")


def test_a_score_that_is_not_a_number_stops_no_reader(tmp_path):
    found = only(write(tmp_path / "a.jsonl", {"text": IN_YORK, "spans": [OBJECT | {"score": math.nan}]}))
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


def test_lines_of_unseen_characters_are_blank(tmp_path):
    path = tmp_path / "a.jsonl"
    row = '{"text": "Ada", "spans": []}'
    path.write_text(f"{row}\n\u200b\n\ufeff{row}\n\u00a0\u2060\n")
    assert len(read(path)) == 2
    path = tmp_path / "a.pubtator"
    path.write_text("1|t|Ada\n1|a|met\n1\t0\t3\tAda\tPER\n\u200b\n2|t|Bob\n2|a|ran\n")
    assert len(read(path)) == 2


def test_lines_are_read_one_at_a_time(tmp_path):
    found = records(write(tmp_path / "a.jsonl", line("Ada"), "{"))
    assert next(found).text == "Ada"
    assert "line 2" in refusal(next, found)


@pytest.mark.parametrize("other", [[], [[0, 3, "LOC"]], [[0, 3, "PER"], [7, 11, "LOC"]]])
@pytest.mark.parametrize("keys", [("spans", "entities"), ("entities", "labels"), ("label", "labels")])
def test_a_line_may_not_say_two_things(keys, other, tmp_path):
    for one, two in (keys, keys[::-1]):
        said = error(write(tmp_path / "a.jsonl", {"text": IN_YORK, one: [TRIPLE], two: other}))
        assert f'line 1: "{keys[0]}" and "{keys[1]}" do not list the same spans' in said


LACKING = [
    ({"answer": "accept", "spans": {"start": 0}}, 'there is no list of "spans"'),
    ({"answer": "yes", "spans": []}, "the answer 'yes' is not one of accept, reject, ignore"),
    ({"answer": ["accept"], "spans": []}, "the answer ['accept'] is not one of accept"),
    ({"spans": [OBJECT | {"answer": "no"}]}, "the answer 'no' is not one of accept, reject, ignore"),
    ({"labels": [[0, 3]]}, "span 0, span [0, 3] is not (start, end, label)"),
    ({"labels": [[0, 3, "PER"], [0, 30, "PER"]]}, "span 1, Span(0, 30, 'PER') ends after the text"),
    ({"entities": [{"start_offset": 0, "label": "PER"}]}, "span 0 has no 'end_offset'"),
    ({"annotations": [{"start_offset": 0, "end_offset": 3, "label": 7}]}, 'there is no list of "spans"'),
    ({"label": "PER"}, 'there is no list of "spans"'),
    ({"spans": [], "tokens": [{"start": 0, "end": 5}, {"start": 4, "end": 7}]}, "tokens overlap: one ends at 5, the"),
]


@pytest.mark.parametrize("entry, message", LACKING)
def test_what_a_line_of_json_lacks_is_named(entry, message, tmp_path):
    path = write(tmp_path / "a.jsonl", {"text": IN_YORK} | entry)
    assert error(path).partition("line 1: ")[2].startswith(message)


def test_rejected_predictions_are_no_predictions_of_nothing(tmp_path):
    gold, pred = (
        write(tmp_path / f"{answer}.jsonl", line("Ada", ADA, answer=answer, id="x")) for answer in ("accept", "reject")
    )
    said = f"^{pred}: none of the predictions of 1 document has entity annotation: expected the spans of each text"
    with pytest.raises(ValueError, match=said):
        list(read_files(gold, pred))


# What offsets count; spans that repeat their text, are there twice or rejected

WIDTHS = {
    "codepoint": lambda c: 1,
    "utf16": lambda c: len(c.encode("utf-16-le")) // 2,
    "utf8": lambda c: len(c.encode()),
}
NAMES = {"utf16": "UTF-16 code units", "utf8": "bytes of UTF-8"}


def counted(text: str, at: int, unit: str) -> int:
    return sum(map(WIDTHS[unit], text[:at]))


def entry(text: str, *spans: tuple[int, int], unit: str = "codepoint", surface: bool = True) -> dict:
    row = line(text, *((counted(text, a, unit), counted(text, b, unit), "A") for a, b in spans))
    for span, (a, b) in zip(row["spans"] if surface else (), spans):
        span["text"] = text[a:b]
    return row


def brat(folder: Path, text: str, *spans: tuple[int, int], unit: str = "codepoint") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.txt").write_text(text, encoding="utf8")
    rows = [
        f"T{k}\tA {counted(text, a, unit)} {counted(text, b, unit)}\t{text[a:b]}\n" for k, (a, b) in enumerate(spans)
    ]
    (folder / "a.ann").write_text("".join(rows), encoding="utf8")
    return folder


@pytest.mark.parametrize("unit", ["utf16", "utf8"])
def test_a_span_that_is_not_its_text_is_an_error_that_names_the_unit(unit, tmp_path):
    path = write(tmp_path / "a.jsonl", entry(TEXT, (0, 3), unit=unit), entry(TEXT, (10, 13), (17, 25), unit=unit))
    said = refused("score", path, path)
    at = counted(TEXT, 10, unit)
    assert f"{path}, line 2: span 0, from {at} to {at + 3}, is {TEXT[at : at + 3]!r}, but the file says 'Bob'" in said
    assert f"all spans of {path} fit if offsets count {NAMES[unit]}: --offsets auto finds the unit" in said
    folder = brat(tmp_path / "brat", TEXT, (0, 3), (10, 13), unit=unit)
    said = refused("score", folder, folder)
    assert f"a.ann, line 2: the text at {at} {at + 3} is {TEXT[at : at + 3]!r}, but the line says 'Bob'" in said
    assert "--offsets auto" in said


@pytest.mark.parametrize("way", ["given", "auto"])
@pytest.mark.parametrize("unit", WIDTHS)
def test_offsets_of_every_unit_are_read(unit, way, tmp_path):
    offsets = unit if way == "given" else "auto"
    path = write(tmp_path / "a.jsonl", entry("Ada", (0, 3), unit=unit), entry(TEXT, (10, 13), (17, 25), unit=unit))
    assert [record.spans for record in read(path, offsets=offsets)] == [{(0, 3, "A")}, {(10, 13, "A"), (17, 25, "A")}]
    folder = brat(tmp_path / "brat", TEXT, (0, 3), (10, 13), unit=unit)
    assert only(folder, offsets=offsets).spans == {(0, 3, "A"), (10, 13, "A")}


@tries(100)
@given(st.text(alphabet="aé😀中 \n", max_size=12), st.sampled_from([*WIDTHS]), st.data())
def test_spans_and_tokens_come_back_in_characters(text, unit, data):
    ends = st.integers(0, len(text))
    a, b = sorted((data.draw(ends), data.draw(ends)))
    row = entry(text, (a, b), unit=unit, surface=False)
    row["tokens"] = [{"start": counted(text, k, unit), "end": counted(text, k + 1, unit)} for k in range(len(text))]
    with TemporaryDirectory() as folder:
        found = only(write(Path(folder, "a.jsonl"), row), offsets=unit)
    assert found.spans == {(a, b, "A")}
    assert (found.tokens or []) == [(k, k + 1) for k in range(len(text))]


def test_a_file_without_a_unit_that_fits_is_refused_with_its_first_misfit(tmp_path):
    """Never a unit for one line and another for the next."""
    mixed = entry(TEXT, (10, 13), unit="utf16"), entry(TEXT, (10, 13), unit="utf8")
    path = write(tmp_path / "a.jsonl", *mixed)
    for options in ((), ("--offsets", "auto"), ("--offsets", "utf16")):
        said = refused("score", path, path, *options)
        assert f"line {2 if 'utf16' in options else 1}: span 0" in said
        assert "correct one of them, or use --no-check-text to go by the offsets" in said
    path = write(tmp_path / "b.jsonl", entry(TEXT, (5, 8), surface=False))
    assert "is inside a character if offsets count UTF-16" in refused("score", path, path, "--offsets", "utf16")


def test_a_span_beyond_the_text_is_tried_in_other_units_too(tmp_path):
    path = write(tmp_path / "a.jsonl", entry("😀 Bob", (2, 5), unit="utf16"))
    assert "fit if offsets count UTF-16 code units: --offsets auto" in refused("score", path, path)
    path = write(tmp_path / "a.jsonl", {"text": "Bob", "spans": [{"start": 0, "end": 9, "label": "A", "text": "Bob"}]})
    assert refused("score", path, path).endswith("ends after the text, which has 3 characters")


def test_a_stale_text_is_accepted_if_it_is_not_checked(tmp_path):
    path = write(tmp_path / "a.jsonl", {"text": "Ada", "spans": [{"start": 0, "end": 3, "label": "A", "text": "old"}]})
    assert "--no-check-text" in refused("score", path, path)
    assert "1 gold span, 1 predicted span" in flat(accepted("score", path, path, "--no-check-text"))
    folder = brat(tmp_path / "brat", "Ada-met", (0, 3))
    (folder / "a.ann").write_text("T1\tA 0 3\told\nT2\tA 0 3;4 7\tolder\n")
    assert "--no-check-text" in refused("score", folder, folder, "--discontinuous", "parts")
    assert only(folder, check_text=False, discontinuous="parts").spans == {(0, 3, "A"), (4, 7, "A")}


@pytest.mark.parametrize("text", [None, "Ada", " Ada\n"])
def test_a_text_that_is_right_or_missing_changes_nothing(text, tmp_path):
    span = {"start": 0, "end": 3, "label": "A", "text": text}
    assert only(write(tmp_path / "a.jsonl", {"text": "Ada met", "spans": [span]})).spans == {(0, 3, "A")}
    wrong = write(tmp_path / "a.jsonl", {"text": "Ada met", "spans": [span | {"text": 7}]})
    assert "span 0 has the text 7" in refused("score", wrong, wrong)


DOCCANO = [
    (line(TEXT, label=[[10, 13, "A"]]), {(10, 13, "A")}, {(9, 12, "A")}),
    (line(TEXT, entities=[dict(start_offset=10, end_offset=13, label="A")]), {(10, 13, "A")}, {(9, 12, "A")}),
    (line("a 😀 Bob", label=[[5, 8, "A"]]), None, {(4, 7, "A")}),  # after the text, in characters
]


@pytest.mark.parametrize(("row", "codepoint", "utf16"), DOCCANO)
def test_doccano_has_to_say_what_its_offsets_count(row, codepoint, utf16, tmp_path):
    path = write(tmp_path / "a.jsonl", {key: value for key, value in row.items() if key != "spans"})
    for options in ((), ("--offsets", "auto")):
        assert "say which with --offsets codepoint or --offsets utf16" in refused("score", path, path, *options)
    assert only(path, offsets="utf16").spans == utf16
    if codepoint:
        assert only(path, offsets="codepoint").spans == codepoint
    else:
        assert "ends after the text" in refused("score", path, path, "--offsets", "codepoint")


CLEAR = [
    (TEXT, "label", [0, 3, "A"]),  # before any character that is counted twice
    ("Ada é met", "label", [4, 9, "A"]),
    (TEXT, "entities", [10, 13, "A"]),  # not doccano's
    (TEXT, "spans", {"start": 10, "end": 13, "label": "A"}),
]


@pytest.mark.parametrize(("text", "key", "span"), CLEAR)
def test_where_the_unit_makes_no_difference_or_is_known_it_is_not_asked_for(text, key, span, tmp_path):
    assert len(only(write(tmp_path / "a.jsonl", {"text": text, key: [span]})).spans) == 1


@pytest.mark.parametrize("spans", [[3], ["a"], [[]], [[1]], [[0, "x", "A"]], [[0, -9, "A"]], [{}], [None]])
def test_spans_that_are_none_are_refused_before_their_unit_matters(spans, tmp_path):
    path = write(tmp_path / "a.jsonl", {"text": TEXT, "label": spans})
    assert "a.jsonl, line 1" in refused("score", path, path)


ONE = {"start": 0, "end": 3, "label": "A"}


REJECTED = {**ONE, "label": "B", "answer": "reject"}
AGAIN = "1 gold span, 1 predicted span, 3 spans given again and counted once"
LEFT_OUT = "1 gold span, 0 predicted spans, 2 spans rejected by an annotator and skipped"


@pytest.mark.parametrize(
    ("gold", "pred", "said", "numbers"),
    [([ONE] * 3, [ONE] * 2, AGAIN, (3, 0, 1)), ([ONE, REJECTED], [{**ONE, "answer": "ignore"}], LEFT_OUT, (0, 2, 0))],
)
def test_spans_that_are_there_twice_or_rejected_are_told(gold, pred, said, numbers, tmp_path):
    paths = (write(tmp_path / f"{k}.jsonl", {"text": "Ada met", "spans": each}) for k, each in enumerate((gold, pred)))
    assert said in flat(accepted("score", *paths, "-m", "strict", "-o", tmp_path / "out.json"))
    found = json.loads((tmp_path / "out.json").read_text())
    counts = found["metrics"]["strict"]["counts"]
    assert (found.get("duplicates", 0), found.get("rejected", 0), counts["tp"]) == numbers


def test_duplicates_of_brat_and_faireval_count_too(tmp_path):
    folder = brat(tmp_path / "brat", "Ada met", (0, 3), (0, 3), (4, 7))
    assert (len(only(folder).spans), only(folder).duplicates) == (2, 1)
    path = tmp_path / "a.csv"
    path.write_text("PER\t1\t2\t1, 2\nPER\t1\t2\t1, 2\n")
    assert (len(only(path).spans), only(path).duplicates) == (1, 1)


# Scores of predicted spans reach the documents from every source, and change no number


BOB = "Ada met Bob"
GOLD = line(BOB, (0, 3, "PER"), id="1")


def scored(*spans: tuple[int, int, str, Any], **more: Any) -> dict[str, Any]:
    return {"text": BOB, "spans": [dict(zip(("start", "end", "label", "score"), span)) for span in spans], **more}


def of_files(gold: Path, pred: Path, key: str | None = None) -> list[Document | None]:
    return [*read_files(gold, pred, key)]


def test_predictions_of_label_studio(tmp_path):
    gold = saved(tmp_path / "gold.json", [task(said(1, region(0, 3, "PER")), text=BOB)])
    for value in (0.75, 0):
        regions = [region(0, 3, "PER") | {"score": value}, region(8, 11, "PER")]
        pred = saved(tmp_path / "pred.json", [task(predictions=[{"result": regions}], text=BOB)])
        (document,) = of_files(gold, pred)
        assert document.span_scores == {(0, 3, "PER"): value}


def grouped(*scores: float) -> spacy.tokens.Doc:
    doc = spacy.blank("en").make_doc(BOB)
    spans = [doc.char_span(0, 3, "PER"), doc.char_span(8, 11, "PER")]
    doc.spans["sc"] = SpanGroup(doc, name="sc", spans=spans, attrs={"scores": list(scores)} if scores else {})
    return doc


def test_a_wrong_number_of_scores_is_no_error_until_scores_are_asked_for():
    found = doc_record(grouped(0.5), "sc")
    assert len(found.spans) == 2
    (reason,) = {*found.span_scores.values()}
    assert isinstance(reason, Unusable)
    assert reason == "doc.spans['sc'] has 2 spans and 1 score; expected one score per span"


def test_scores_follow_spans_into_another_text_and_out_of_gaps():
    scores = {(0, 3, "PER"): 0.25, (9, 12, "PER"): 0.5}
    pred = Record("ada  met Bob", {*scores}, span_scores=scores)
    assert pair(Record(BOB, set()), pred).span_scores == {(0, 3, "PER"): 0.25, (8, 11, "PER"): 0.5}
    assert pair(Record(BOB, set(), gaps=((0, 3),)), pred).span_scores == {(8, 11, "PER"): 0.5}


def test_scores_follow_labels():
    document = Document([], [(0, 3, "A"), (0, 3, "B"), (4, 5, "C")])
    document.span_scores = {(0, 3, "A"): 0.25, (0, 3, "B"): 0.5, (4, 5, "C"): 1.0}
    (found,) = relabel([document], label_rules("A=X,B=X,C="))
    assert found.span_scores == {(0, 3, "X"): 0.5}
    assert document.span_scores[0, 3, "A"] == 0.25


def test_scores_change_no_result():
    gold = [{"text": BOB, "spans": [(0, 3, "PER")]}]
    plain = [{"text": BOB, "spans": [{"start": 0, "end": 3, "label": "PER"}, {"start": 8, "end": 11, "label": "PER"}]}]
    for values in ((0.1, 0.9), (math.nan, math.inf), ("high", None)):
        with_scores = [{**plain[0], "spans": [{**s, "score": v} for s, v in zip(plain[0]["spans"], values)]}]
        assert score(gold, with_scores) == score(gold, plain)


def test_what_is_no_score_outlives_numbers():
    span = (0, 3, "A")
    for values in ((0.5, "x"), ("x", 0.5)):
        assert highest_scores((span, value) for value in values) == {span: "x"}
    assert not is_finite_number(math.inf) and is_finite_number(1)


@pytest.mark.parametrize("name", ["out.jsonl", "out.spacy"])
def test_converted_files_keep_scores(tmp_path, name: str):
    gold = write(tmp_path / "gold.jsonl", GOLD)
    pred = write(tmp_path / "pred.jsonl", scored((0, 3, "X", 0.5), (8, 11, "PER", 0.25), id="1"))
    key = ["--spans-key", "sc"] if name.endswith(".spacy") else []
    assert "scores" not in accepted("convert", pred, tmp_path / name, *key, "--labels", "X=PER")
    golds = accepted("convert", gold, tmp_path / f"gold-{name}", *key) and tmp_path / f"gold-{name}"
    (document,) = of_files(golds, tmp_path / name, "sc" if key else None)
    assert document.span_scores == {(0, 3, "PER"): 0.5, (8, 11, "PER"): 0.25}


def test_scores_that_a_format_cannot_hold_are_counted(tmp_path):
    pred = write(tmp_path / "pred.jsonl", scored((0, 3, "PER", 0.5), (8, 11, "PER", 0.25), id="1"))
    assert "scores of spans (2)" in flat(run("convert", pred, tmp_path / "out.conll").output)
    mixed = {"text": BOB, "spans": [{**GOLD["spans"][0], "score": 1}, [8, 11, "X"]]}
    partial = write(tmp_path / "partial.jsonl", mixed)
    printed = run("convert", partial, tmp_path / "out.spacy", "--spans-key", "sc").output
    assert "scores of groups in which a span has none (1)" in flat(printed)


@pytest.mark.parametrize("number", [2**64 - 1, 2**64, 10**30, -(2**63), -(2**63) - 1, -(2**64)])
def test_whole_numbers_beyond_64_bits_are_read_as_they_are(number, tmp_path):
    row = {"text": "Ada", "spans": [{"start": 0, "end": 3, "label": "PER"}], "id": number}
    (record,) = read(write(tmp_path / "a.jsonl", row))
    assert record.id == str(number)


KEYS = [
    "start",
    "end",
    "label",
    "score",
    "confidence",
    "token_start",
    "start_char",
    "kb_id",
    "answer",
    "text",
    "pieces",
]
VALUES = [0, 3, 9, 99, -1, True, None, 0.41, math.nan, "PER", "", "accept", "Ada", [[0, 3], [7, 11]], {"negated": True}]
USUAL_SPANS = st.fixed_dictionaries(
    {"start": st.integers(0, 5), "end": st.integers(5, 11), "label": st.sampled_from("AB")},
    optional={"score": st.floats(0, 1), "confidence": st.just(0.5), "token_end": st.just(1)},
)
SPANS = st.one_of(
    USUAL_SPANS,
    USUAL_SPANS,
    st.builds(
        lambda span, key, value: {**span, key: value}, USUAL_SPANS, st.sampled_from(KEYS), st.sampled_from(VALUES)
    ),
    st.builds(lambda span, key: {k: v for k, v in span.items() if k != key}, USUAL_SPANS, st.sampled_from(KEYS)),
    st.sampled_from([TRIPLE, ["Ada", "PER"], {"pieces": [[0, 3], [7, 11]], "label": "A"}, [], {}, None, 7, "B-PER"]),
)
ROWS = st.fixed_dictionaries(
    {"text": st.sampled_from([IN_YORK, "😀 Ada Lovelace", "Ada"]), "spans": st.lists(SPANS, max_size=3)},
    optional={
        "id": st.sampled_from([7, 0.41, " ", None, math.nan, "a", True]),
        "meta": st.sampled_from([{"source": "web"}, None, 3, {}]),
        "tokens": st.sampled_from([[{"start": 0, "end": 3}], [], None, "x"]),
        "answer": st.sampled_from(["accept", "reject", "x", None]),
        "source": st.just("web"),
        "label": st.sampled_from([[], [TRIPLE], "PER", None]),
        "_unread": st.just(("points",)),
    },
)
FORMATS = [
    Format("jsonl", **how)
    for how in (
        {},
        {"offsets": "utf16"},
        {"offsets": "auto"},
        {"end": "inclusive"},
        {"field": "label"},
        {"discontinuous": "parts"},
        {"asked": ("id",)},
    )
]


@tries(1000)
@given(ROWS, st.sampled_from(FORMATS), st.sampled_from([None, "meta.source"]))
def test_a_line_in_the_usual_form_is_read_as_any_other(row, format, field):
    def outcome() -> Any:
        try:
            return jsonl.record_of(row, format)
        except ValueError as error:
            return str(error)

    with keep_fields(field):
        found = outcome()
        with patch.multiple(jsonl, _plain_record=lambda *_: None, _plain_spans=lambda *_: None):
            assert found == outcome()


OBJECTS = st.recursive(
    st.sampled_from(["1", '"a"', '"\\":"', '" :"', "null", "[]", "0.41"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{','.join(items)}]"),
        st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([*[":"] * 6, " :", "\t:", "\r:", ": "]), inner)).map(
            lambda pairs: "{" + ",".join(f'"{key}"{colon}{value}' for key, colon, value in pairs) + "}"
        ),
    ),
    max_leaves=8,
)


@pytest.mark.slow
@tries(1000)
@given(st.one_of(OBJECTS, OBJECTS.map(lambda value: f'{{"spans":[{{"start":1,"end":2}},{value}]}}')))
def test_a_key_that_occurs_twice_anywhere_is_noticed(line):
    try:
        wanted = json.loads(line, object_pairs_hook=unique_keys)
    except ValueError as error:
        assert refusal(jsonl._entry, line) == f"not valid JSON ({error})"
    else:
        assert jsonl._entry(line) == wanted


@pytest.mark.parametrize("number", ["018", "1.", "-", ".5", "+1", "0.1e"])
@pytest.mark.parametrize("more", ["", ', "score": 0.5'])
def test_what_is_no_number_of_json_is_refused_with_and_without_scores(number, more, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"text": "Ada", "spans": [{{"start": 0, "end": {number}, "label": "PER"{more}}}]}}')
    assert "a.jsonl, line 1: not valid JSON" in error(path)


@pytest.mark.parametrize("more", ["", ', "score": 0.41'])
def test_a_tab_in_a_text_and_every_digit_are_read_as_they_are(more, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"text":"Ada\tmet","id":0.41,"spans":[{{"start":0,"end":3,"label":"PER"{more}}}]}}')
    record = only(path)
    assert (record.text, record.id, record.spans) == ("Ada\tmet", "0.41", {ADA})


def test_scores_under_another_key_have_every_digit(tmp_path):
    path = write(tmp_path / "a.jsonl", {"text": IN_YORK, "spans": [OBJECT | {"confidence": 0.41}]})
    (record,) = records(path, format=Format(keys=read_keys("text=text,spans=spans,score=confidence")))
    assert record.span_scores == {ADA: 0.41}
