"""brat's standoff files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from reading import SHAPES, only, read, refused, result_of, run
from writers import write_lines

from spacy_nereval import score
from spacy_nereval.io.formats.settings import joined
from spacy_nereval.io.read import read_files, records


def folder_of(path: Path, **files: str | bytes | None) -> Path:
    """A text and its annotation per document: name="text|line|line". No annotation if there is no |."""
    path.mkdir(parents=True, exist_ok=True)
    for name, both in files.items():
        text, *lines = both.split("|")
        (path / f"{name}.txt").write_bytes(text.encode())
        if lines:
            write_lines(path / f"{name}.ann", filter(None, lines))
    return path


def test_documents_are_paired_by_name(tmp_path):
    gold = folder_of(tmp_path / "gold", b="Bob|T1\tPER 0 3\tBob", a="Ada|T1\tPER 0 3\tAda", c="in|")
    pred = folder_of(tmp_path / "pred", c="in|", a="Ada|T7\tPER 0 3\tAda", b="Bob|T1\tLOC 0 3\tBob")
    found = list(read_files(gold, pred))
    assert [(document.id, document.text, len(document.hits)) for document in found] == [
        ("a", "Ada", 1),
        ("b", "Bob", 0),
        ("c", "in", 0),
    ]
    counts = score(read_files(gold, pred), ["strict"])["metrics"]["strict"]["counts"]
    assert counts == {"tp": 1, "fp": 1, "fn": 1}


def test_folders_in_folders_are_part_of_the_names(tmp_path):
    folder_of(tmp_path / "x" / "one", a="Ada|T1\tPER 0 3\tAda")
    folder_of(tmp_path / "x" / "two", a="Bob|")
    (tmp_path / "x" / "annotation.conf").write_text("[entities]\nPER\n")
    (tmp_path / "x" / "._a.ann").write_bytes(b"\x00\xff")
    assert [(record.id, record.text) for record in read(tmp_path / "x")] == [("one/a", "Ada"), ("two/a", "Bob")]


def test_documents_come_in_the_order_of_their_names(tmp_path):
    names = [f"{k * 7 % 40:02}" for k in range(40)]
    folder = folder_of(tmp_path / "x", **{name: f"{name}|" for name in names})
    folder_of(tmp_path / "x" / "10", a="a|")
    assert [record.id for record in read(folder)] == sorted([*names, "10/a"])


def test_folders_are_paired_with_lines_by_id(tmp_path):
    gold = folder_of(tmp_path / "gold", a="Ada|T1\tPER 0 3\tAda", b="Bob|")
    lines = [{"id": "b", "text": "Bob", "spans": []}, {"id": "a", "text": "Ada", "spans": [SHAPES["objects"]]}]
    pred = write_lines(tmp_path / "pred.jsonl", map(json.dumps, lines))
    assert [len(document.hits) for document in read_files(gold, pred)] == [1, 0]
    assert [len(document.hits) for document in read_files(pred, gold)] == [0, 1]


def test_documents_that_one_folder_lacks_are_named(tmp_path):
    gold = folder_of(tmp_path / "gold", a="Ada|", b="Bob|")
    pred = folder_of(tmp_path / "pred", a="Ada|", c="Eve|")
    assert f"{pred} lacks 1 document: b" in refused("score", gold, pred)
    (gold / "b.ann").unlink()
    assert f"{gold} lacks 1 document: c" in refused("score", gold, pred)


def test_a_text_without_annotation_is_skipped_and_counted(tmp_path):
    gold = folder_of(tmp_path / "gold", a="Ada|T1\tPER 0 3\tAda", b="Bob", readme="about")
    pred = folder_of(tmp_path / "pred", a="Ada|T1\tPER 0 3\tAda", b="Bob|T1\tPER 0 3\tBob", other="about")
    found = result_of(tmp_path, gold, pred)
    assert (found["documents"], found["skipped"], found["pred"]) == (1, 2, 1)


def test_a_text_without_predictions_needs_an_empty_file(tmp_path):
    gold = folder_of(tmp_path / "gold", a="Ada|T1\tPER 0 3\tAda", b="Bob|")
    pred = folder_of(tmp_path / "pred", a="Ada", b="Bob|")
    found = result_of(tmp_path, gold, pred)
    assert (found["documents"], found["skipped"]) == (1, 1)
    (pred / "b.ann").unlink()
    said = refused("score", gold, pred, "--format", "brat")
    assert f"{pred}: none of the predictions of 2 documents has entity annotation" in said
    (pred / "b.ann").write_bytes(b"")
    (pred / "a.ann").write_bytes(b"")
    assert result_of(tmp_path, gold, pred)["metrics"]["strict"]["counts"] == {"tp": 0, "fp": 0, "fn": 1}


TEXT = "😀 Ada Lovelace\nand  Zoë."


@pytest.mark.parametrize(
    "line, span",
    [
        ("T1\tPER 2 14\tAda Lovelace", (2, 14, "PER")),
        ("T1\tPER 2 14\tAda Lovelace\tsurely", (2, 14, "PER")),
        ("T12\tPER 6 18\tLovelace and", (6, 18, "PER")),  # brat shows the newline as a blank
        ("T1\tPER 15 23\tand  Zoë", (15, 23, "PER")),
        ("T1\tPER 0 1\t😀", (0, 1, "PER")),
        ("T1\tPER 2 5\tAda\r", (2, 5, "PER")),
        ("T\tPER 2 5\tAda", (2, 5, "PER")),
        ("T1\tPER 2 2\t", (2, 2, "PER")),
    ],
)
def test_lines_of_brat(tmp_path, line, span):
    folder = folder_of(tmp_path / "x", a=f"{TEXT}|{line}")
    assert only(folder).spans == {span}
    (folder / "a.ann").write_bytes(b"\xef\xbb\xbf" + (folder / "a.ann").read_bytes())
    assert only(folder).spans == {span}


def test_whatever_is_no_text_bound_annotation_does_not_matter(tmp_path):
    rows = "R1\tA Arg1:T1 Arg2:T2|E1\tA:T1 B:T2|A1\tNeg E1|M1\tNeg E1|N1\tRef T1 W:1\tx|#1\tNote T1\tT1|*\tEquiv T1 T2"
    assert only(folder_of(tmp_path / "x", a=f"Ada|{rows}|T1\tPER 0 3\tAda")).spans == {(0, 3, "PER")}


def test_line_ends_of_windows_and_a_byte_order_mark_are_characters_of_the_text(tmp_path):
    found = only(folder_of(tmp_path / "x", a="\ufeffa\r\nAda|T1\tPER 4 7\tAda"))
    assert (found.text, found.spans) == ("\ufeffa\r\nAda", {(4, 7, "PER")})
    found = only(folder_of(tmp_path / "y", a="a\r\nAda b|T1\tPER 0 6\ta Ada"))
    assert found.spans == {(0, 6, "PER")}


@pytest.mark.parametrize("pieces", ["0 3;8 12", "8 12;0 3", "0 3;3 3;8 12"])
def test_spans_in_pieces(tmp_path, pieces):
    text = "Ada and York"
    shown = " ".join(text[int(a) : int(b)] for a, b in (piece.split() for piece in pieces.split(";")))
    folder = folder_of(tmp_path / "x", a=f"{text}|T1\tPER {pieces}\t{shown}")
    said = refused("score", folder, folder)
    assert f"a.ann, line 1: the span is in {pieces.count(';') + 1} pieces; use --discontinuous hull" in said
    assert "--discontinuous parts" in said
    assert result_of(tmp_path, folder, folder, "--discontinuous", "hull")["gold"] == 1
    assert only(folder, discontinuous="hull").spans == {(0, 12, "PER")}
    assert {(0, 3, "PER"), (8, 12, "PER")} <= only(folder, discontinuous="parts").spans
    assert len(only(folder, discontinuous="parts").spans) == pieces.count(";") + 1


@pytest.mark.parametrize(
    "line, message",
    [
        ("T1\tPER 0 3\tBob", "the text at 0 3 is 'Ada', but the line says 'Bob'"),
        ("T1\tPER 0 3\t", "the text at 0 3 is 'Ada', but the line says ''"),
        ("T1\tPER 0 3;4 6\tAda", "the text at 0 3;4 6 is 'Ada in', but the line says 'Ada'"),
        ("T1\tPER 0 99\tAda", "T1 Span(0, 99, 'PER') ends after the text, which has 6 characters"),
        ("T1\tPER 3 0\tAda", "T1 Span(3, 0, 'PER') ends before it starts"),
        ("T1\tPER 0 3", "expected 'T1', a tab, 'LABEL 0 5', a tab, and the text from 0 to 5"),
        ("T1 PER 0 3 Ada", "expected 'T1', a tab,"),
        ("T1\tPER 0\tAda", "expected 'T1', a tab,"),
        ("T1\tPER -1 3\tAda", "expected 'T1', a tab,"),
        ("T1\t0 3\tAda", "expected 'T1', a tab,"),
        ("T1\tPER 0 3;\tAda", "expected 'T1', a tab,"),
    ],
)
def test_a_malformed_line_of_brat_is_named(tmp_path, line, message):
    folder = folder_of(tmp_path / "x", a=f"Ada in|#1\tNote\tx|{line}")
    with pytest.raises(ValueError) as raised:
        read(folder)
    assert str(raised.value).startswith(f"{folder / 'a.ann'}, line 2: {message}")


def test_long_texts_that_differ_are_cut(tmp_path):
    with pytest.raises(ValueError) as raised:
        read(folder_of(tmp_path / "x", a=f"{'a' * 1000}|T1\tPER 0 1000\tb"))
    assert str(raised.value).endswith(
        f"is '{'a' * 60}'... (1000 characters), but the line says 'b'; correct one of them, "
        "or use check_text=False to go by the offsets"
    )


def test_annotation_without_a_text_is_an_error(tmp_path):
    folder = folder_of(tmp_path / "x" / "deep", a="Ada|")
    (folder / "a.txt").rename(folder / "b.txt")
    with pytest.raises(ValueError) as raised:
        read(tmp_path / "x")
    assert str(raised.value) == f"{folder / 'a.ann'} has no text: expected a.txt beside it"


def test_a_text_of_brat_in_another_encoding_is_named_with_its_line(tmp_path):
    folder = folder_of(tmp_path / "x", a="a|")
    (folder / "a.txt").write_bytes("a\nb\nZoë".encode("latin1"))
    with pytest.raises(ValueError, match=r"a\.txt, line 3: not valid UTF-8"):
        read(folder)


def test_texts_of_folders_are_read_one_at_a_time(tmp_path):
    folder = folder_of(tmp_path / "x", a="Ada|", b="Bob|T1\tnonsense")
    found = records(folder)
    assert next(found).text == "Ada"
    with pytest.raises(ValueError, match=r"b\.ann, line 1"):
        next(found)


def test_a_folder_may_be_compared_and_named(tmp_path):
    gold = folder_of(tmp_path / "gold", a="Ada|T1\tPER 0 3\tAda", b="Bob|T1\tPER 0 3\tBob")
    pred = folder_of(tmp_path / "pred", a="Ada|", b="Bob|T1\tPER 0 3\tBob")
    done = run("compare", gold, pred, gold, "-m", "strict", "--trials", 20, "--samples", 20, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    done = run("count", gold, pred, "-m", "strict", "-o", tmp_path / "out.npz")
    assert done.exit_code == 0, done.output
    assert "counts of 2 documents" in done.stdout
    for file in gold.glob("*.ann"):
        file.unlink()
    assert "is a folder without .ann files" in refused("score", gold, pred)
    assert "none of the 2 gold documents is annotated" in refused("score", gold, pred, "--format", "brat")


def test_pieces_of_a_span():
    assert joined([(4, 5)], None) == [(4, 5)]
    assert joined([(8, 9), (0, 2), (4, 5)], "hull") == [(0, 9)]
