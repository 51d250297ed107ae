"""Spans with gaps: every source of them, what they survive, and pieces that nobody should have written."""

import json
from pathlib import Path

import pytest
from commands import printed, refused, run, write
from refusals import refused_with

from spacy_nereval import Document, Span, load, score, show
from spacy_nereval.core.pieces import sorted_spans
from spacy_nereval.io.records import Record

TEXT = "No left and right knee pain"
LEFT, RIGHT = Span.of_pieces([(3, 7), (18, 27)], "SIGN"), Span(12, 27, "SIGN")


def only(path: Path, **how: object) -> Record:
    (record,) = load(path, **how)
    return record._replace(spans={*record.spans})


def line(*pieces: object, **more: object) -> dict[str, object]:
    return {"text": TEXT, "spans": [{"pieces": [*pieces], "label": "SIGN", **more}]}


def brat(folder: Path, *lines: str, text: str = TEXT) -> Path:
    folder.mkdir()
    (folder / "d.txt").write_text(text)
    (folder / "d.ann").write_text("".join(f"{each}\n" for each in lines))
    return folder


# Sources


@pytest.mark.parametrize(
    "beside", [{}, {"start": 3, "end": 27}, {"text": "left … knee pain"}, {"text": "left knee pain"}]
)
def test_a_line_of_json_has_pieces(tmp_path, beside):
    write(tmp_path / "a.jsonl", line([3, 7], [18, 27], **beside))
    assert only(tmp_path / "a.jsonl").spans == {LEFT}


def test_brat_has_them_between_semicolons(tmp_path):
    folder = brat(
        tmp_path / "a", "T1\tSIGN 3 7;18 27\tleft knee pain", "T2\tSIGN 12 27\tright knee pain", "A1\tnegated T1"
    )
    record = only(folder)
    assert record.spans == {LEFT, RIGHT}
    assert [*record.attributes] == [LEFT]


def test_pieces_with_white_space_alone_between_them_are_one(tmp_path):
    folder = brat(tmp_path / "a", "T1\tSIGN 3 7;8 12\tknee pain", text="No knee\npain")
    assert only(folder).spans == {(3, 12, "SIGN")}
    write(tmp_path / "a.jsonl", line([3, 7], [8, 11]))
    assert only(tmp_path / "a.jsonl").spans == {(3, 11, "SIGN")}


def test_a_side_without_a_text_joins_them_as_the_other_side_does():
    text = [{"text": TEXT, "spans": [{"start": 3, "end": 11, "label": "SIGN"}]}]
    for given in (load_as_document([(3, 7), (8, 11)]), [[{"pieces": [[3, 7], [8, 11]], "label": "SIGN"}]]):
        assert score(text, given, "strict").strict.f == 1


def load_as_document(pieces: list[tuple[int, int]]) -> list[list[Span]]:
    return [[Span.of_pieces(pieces, "SIGN")]]


class Pieces:
    def __init__(self, pieces: object) -> None:
        self.pieces, self.label = pieces, "SIGN"


def test_python_takes_dicts_objects_and_spans():
    gold = [{"text": TEXT, "spans": [{"pieces": [[3, 7], [18, 27]], "label": "SIGN"}]}]
    for pred in ([{"pieces": ((3, 7), (18, 27)), "label": "SIGN"}], [Pieces([[18, 27], [3, 7]])], [LEFT]):
        assert score(gold, [pred], "strict").strict.f == 1
    assert score(gold, [[(3, 27, "SIGN")]], "strict").strict.f == 0
    inclusive = [[{"pieces": [[3, 6], [18, 26]], "label": "SIGN"}]]
    assert score(gold, inclusive, "strict", end="exclusive,inclusive").strict.f == 1


def test_offsets_of_pieces_may_count_other_units(tmp_path):
    text = "😀 left and knee"
    write(tmp_path / "a.jsonl", {"text": text, "spans": [{"pieces": [[3, 7], [12, 16]], "label": "SIGN"}]})
    assert only(tmp_path / "a.jsonl", offsets="utf16").spans == {Span.of_pieces([(2, 6), (11, 15)], "SIGN")}


def test_hulls_and_parts_are_read_from_json_as_from_brat(tmp_path):
    write(tmp_path / "a.jsonl", line([3, 7], [18, 27], attributes=["negated"]))
    assert only(tmp_path / "a.jsonl", discontinuous="hull").spans == {(3, 27, "SIGN")}
    parts = only(tmp_path / "a.jsonl", discontinuous="parts")
    assert parts.spans == {(3, 7, "SIGN"), (18, 27, "SIGN")} == parts.attributes.keys()


# Pieces that nobody should have written


@pytest.mark.parametrize(
    ("spans", "sentence"),
    [
        ([[3, 3], [18, 27]], "span 0: the piece [3, 3) is empty"),
        ([[3, 7], [5, 9]], "span 0: the pieces [3, 7) [5, 9) overlap"),
        ([[3, 7], [18, 99]], "span 0, piece 1: Span(18, 99, 'SIGN') ends after the text, which has 27 characters"),
        ([[7, 3], [18, 27]], "span 0, piece 0: Span(7, 3, 'SIGN') ends before it starts"),
        ([[-1, 3], [18, 27]], "span 0, piece 0: Span(-1, 3, 'SIGN') starts before the text"),
        ([3, 7], "span 0 has the pieces [3, 7]; expected a list such as [[0, 4], [15, 24]]"),
        ([[3, 7, 9]], "span 0 has the pieces [[3, 7, 9]]; expected a list such as [[0, 4], [15, 24]]"),
        ([], "span 0 has the pieces []; expected a list such as [[0, 4], [15, 24]]"),
        ([["a", "b"]], "span 0, piece 0: span ('a', 'b', 'SIGN') is not (start, end, label) with whole-number offsets"),
    ],
)
def test_each_has_one_sentence(tmp_path, spans, sentence):
    write(tmp_path / "a.jsonl", line(*spans))
    assert f"a.jsonl, line 1: {sentence}" in refused("score", tmp_path / "a.jsonl", tmp_path / "a.jsonl")


def test_a_start_or_an_end_or_a_text_beside_them_has_to_fit(tmp_path):
    for beside, sentence in (
        ({"start": 0, "end": 27}, "span 0 is from 0 to 27, but its pieces are [3, 7) [18, 27)"),
        ({"text": "left pain"}, "span 0, [3, 7) [18, 27), is 'left knee pain', but it says 'left pain'"),
    ):
        write(tmp_path / "a.jsonl", line([3, 7], [18, 27], **beside))
        assert sentence in refused("score", tmp_path / "a.jsonl", tmp_path / "a.jsonl")


def test_the_order_of_pieces_and_whether_they_touch_do_not_matter(tmp_path):
    for pieces in ([[18, 27], [3, 7]], [[3, 5], [5, 7], [18, 27]]):
        write(tmp_path / "a.jsonl", line(*pieces))
        assert only(tmp_path / "a.jsonl").spans == {LEFT}


def test_attributes_of_brat_belong_to_their_own_spans_whatever_becomes_of_gaps(tmp_path):
    """A span of several pieces, which may become several spans, comes before the one with an attribute."""
    lines = "T1\tSIGN 3 7;18 27\tleft knee pain\nT2\tSIGN 8 11\tand\nA1\tNegated T2"
    folder = brat(tmp_path / "a", lines)
    for discontinuous, number in ((None, 1), ("parts", 2), ("hull", 1)):
        record = only(folder, discontinuous=discontinuous)
        with_attribute = [span for span, names in record.attributes.items() if names]
        assert len(record.spans) == number + 1 and with_attribute == [(8, 11, "SIGN")]


def test_pieces_of_brat_that_overlap_are_refused_unless_the_hull_is_read(tmp_path):
    folder = brat(tmp_path / "a", "T1\tSIGN 3 7;5 11\tleft ft and")
    assert "d.ann, line 1: the pieces [3, 7) [5, 11) overlap" in refused("score", folder, folder)
    assert only(folder, discontinuous="hull").spans == {(3, 11, "SIGN")}


def test_documents_refuse_such_pieces_too():
    with refused_with(
        ValueError,
        "gold Span(3, 27 of [3, 7) [18, 27), 'SIGN') ends after the text, which has 26 characters",
    ):
        Document([LEFT], [], TEXT[:-1])
    with refused_with(ValueError, "there are no pieces"):
        Span.of_pieces([], "SIGN")


# What they survive


@pytest.mark.parametrize("target", ["b.jsonl", "b.parquet", "b.arrow", "b", "b.jsonl.gz"])
def test_what_is_converted_there_and_back_is_the_same(tmp_path, target):
    folder = brat(
        tmp_path / "a",
        "T1\tSIGN 3 7;18 27\tleft knee pain",
        "T2\tSIGN 3 27\tleft and right knee pain",
        "A1\tnegated T1",
    )
    printed("convert", folder, tmp_path / target)
    back = only(tmp_path / target)
    assert (back.spans, back.attributes) == (only(folder).spans, only(folder).attributes)


def test_scores_of_spans_with_gaps_are_written(tmp_path):
    write(tmp_path / "a.jsonl", line([3, 7], [18, 27], score=0.25))
    printed("convert", tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert only(tmp_path / "b.jsonl").span_scores == {LEFT: 0.25}


@pytest.mark.parametrize("target", ["b.spacy", "b.conll"])
def test_what_cannot_hold_them_says_so(tmp_path, target):
    write(
        tmp_path / "a.jsonl",
        {"text": TEXT, "spans": [*line([3, 7], [18, 27])["spans"], {"start": 0, "end": 2, "label": "NO"}]},
    )
    said = refused("convert", tmp_path / "a.jsonl", tmp_path / target)
    assert "document 0: " in said
    assert "cannot store spans that have gaps, such as SIGN 'left … knee pain' from 3 to 27" in said
    assert "--discontinuous hull" in said
    assert "--discontinuous parts" in said
    dropped = run("convert", tmp_path / "a.jsonl", tmp_path / target, "--drop")
    assert "excluded: spans that have gaps (1)" in dropped.stderr
    assert "1 document with 1 span written" in dropped.stdout + dropped.stderr
    assert only(tmp_path / target).spans == {(0, 2, "NO")}
    printed("convert", tmp_path / "a.jsonl", tmp_path / f"hull{target}", "--discontinuous", "hull")
    assert only(tmp_path / f"hull{target}").spans == {(0, 2, "NO"), (3, 27, "SIGN")}


def test_predictions_of_another_text_keep_their_pieces(tmp_path):
    gold = [{"text": TEXT, "spans": [{"pieces": [[3, 7], [18, 27]], "label": "SIGN"}]}]
    spaced = {"text": "No  left  and right  knee pain", "spans": [{"pieces": [[4, 8], [21, 30]], "label": "SIGN"}]}
    assert score(gold, [spaced], "strict").strict.f == 1


def test_a_prediction_whose_gap_is_not_annotated_is_kept():
    """Only its pieces have to be annotated."""
    tokens = ["left", "and", "right"]
    gold = [{"tokens": tokens, "ner_tags": ["B-A", "-", "B-A"]}]
    spans = [[{"pieces": [[0, 4], [9, 14]], "label": "A"}]]
    assert score(gold, spans, "strict").counts.documents == 1
    assert score(gold, spans, "strict")["pred"] == 1
    assert score(gold, [[{"start": 0, "end": 14, "label": "A"}]], "strict")["pred"] == 0


def test_trimming_and_joining_are_about_pieces(tmp_path):
    write(
        tmp_path / "a.jsonl",
        {"text": TEXT, "spans": [*line([2, 7], [17, 22])["spans"], {"start": 23, "end": 27, "label": "SIGN"}]},
    )
    write(tmp_path / "b.jsonl", line([3, 7], [18, 27]))
    trimmed = score(str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl"), "strict", trim="space", join=True)
    assert trimmed.strict.f == 1


def test_show_marks_and_counts_them(tmp_path):
    write(tmp_path / "a.jsonl", line([3, 7], [18, 27]))
    shown = show(str(tmp_path / "a.jsonl"))
    assert shown["gaps"] == 1
    assert "1 span, 1 with gaps" in str(shown)
    assert "No [left] and right [knee pain](SIGN)" in str(shown)


def test_the_error_list_has_their_pieces_in_every_format(tmp_path):
    write(tmp_path / "a.jsonl", line([3, 7], [18, 27]))
    write(tmp_path / "b.jsonl", {"text": TEXT, "spans": [{"start": 3, "end": 27, "label": "SIGN"}]})
    shown = printed("errors", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "-m", "fair")
    assert "No {[left] and right [knee pain]}" in shown
    run("errors", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "-m", "fair", "-o", tmp_path / "e.jsonl")
    (row,) = map(json.loads, (tmp_path / "e.jsonl").read_text().splitlines())
    assert (row["gold_start"], row["gold_end"], row["gold_pieces"]) == (3, 27, "3 7;18 27")
    assert (row["gold_text"], row["pred_text"], row["pred_pieces"]) == ("left … knee pain", TEXT[3:], None)
    assert (row["verdict"], row["correct_boundary"]) == ("be_l", "both")
    for name in ("e.csv", "e.parquet"):
        assert (
            run("errors", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "-m", "fair", "-o", tmp_path / name).exit_code
            == 0
        )


def test_the_same_gold_without_gaps_is_other_gold(tmp_path):
    """Count files tell gold annotations apart by a checksum."""
    write(tmp_path / "a.jsonl", line([3, 7], [18, 27]))
    write(tmp_path / "b.jsonl", {"text": TEXT, "spans": [{"start": 3, "end": 27, "label": "SIGN"}]})
    gold = [score(str(tmp_path / name), str(tmp_path / "a.jsonl"), "strict").counts for name in ("a.jsonl", "b.jsonl")]
    assert gold[0].units != gold[1].units


def test_spans_are_sorted_without_regard_to_their_order():
    spans = [LEFT, Span(3, 27, "SIGN"), Span.of_pieces([(3, 8), (18, 27)], "A"), Span(3, 27, "A")]
    assert sorted_spans(spans) == sorted_spans(spans[::-1]) == [spans[3], spans[1], LEFT, spans[2]]
