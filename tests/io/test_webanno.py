"""WebAnno: tokens, layers, features, and exports of INCEpTION."""

from __future__ import annotations

from pathlib import Path

import pytest
import samples
from reading import error, only, read
from writers import write_lines


def webanno(tmp_path: Path, *rows: str, layers: str = "#T_SP=x.NamedEntity|value", text: str = "Ada met Bob") -> Path:
    head = ["#FORMAT=WebAnno TSV 3.2", *layers.split("\n"), "", *(f"#Text={line}" for line in text.split("\n"))]
    return write_lines(tmp_path / "a.tsv", [*head, *rows])


def test_numbers_join_tokens_and_bars_stack(tmp_path):
    rows = ["1-1\t0-3\tAda\tA[1]|B\\_C[2]|D\t", "1-2\t4-7\tmet\tA[1]\t", "1-3\t8-11\tBob\tA|*\t"]
    found = only(webanno(tmp_path, *rows))
    assert found.spans == {(0, 7, "A"), (0, 3, "B_C"), (0, 3, "D"), (8, 11, "A"), (8, 11, "NamedEntity")}


def test_parts_of_tokens_and_texts_of_several_lines(tmp_path):
    rows = ["1-1\t0-6\tAdaBob\t_\t", "1-1.1\t3-6\tBob\tPER\t", "1-2\t7-10\tmet\t_\t"]
    found = only(webanno(tmp_path, *rows, text="AdaBob\nmet"))
    assert (found.text, found.spans, found.tokens) == ("AdaBob\nmet", {(3, 6, "PER")}, [(0, 6), (7, 10)])


def test_sentences_are_at_their_offsets(tmp_path):
    rows = ["1-1\t0-2\t😀\t_\t", "", "#Text=Ada", "2-1\t5-8\tAda\tPER\t"]
    found = only(webanno(tmp_path, *rows, text="😀"))
    assert [found.text[a:b] for a, b, _ in found.spans] == ["Ada"]


def test_the_feature_can_be_chosen_and_relations_are_counted(tmp_path):
    layers = "#T_SP=x.A|kind|value\n#T_SP=x.B|value\n#T_RL=x.R|BT_x.A"
    row = "1-1\t0-3\tAda\tk\tv\tw\t1-1\t"
    path = webanno(tmp_path, row, layers=layers, text="Ada")
    assert "several features can have the labels; choose one with column=: A.kind, A.value, B.value" in error(path)
    for field, label in (("kind", "k"), ("A.value", "v"), ("B", "w")):
        assert only(path, field=field).spans == {(0, 3, label)}
    assert "no feature named 'none'" in error(path, field="none")


@pytest.mark.parametrize(
    "row, message",
    [
        ("1-1\t0-3\tAda\t", "line 5: expected 4 columns"),
        ("x\t0-3\tAda\t_\t", "line 5: expected '1-1'"),
        ("1-1\t0-3\tBob\t_\t", "is 'Ada', but the file says 'Bob'"),
    ],
)
def test_malformed_lines_of_webanno_are_named(row, message, tmp_path):
    assert message in error(webanno(tmp_path, row))
    assert "expected '#FORMAT=WebAnno TSV 3.3'" in error(write_lines(tmp_path / "b.tsv", ["Ada"]), name="webanno")


def test_an_export_has_a_folder_per_document_and_a_file_per_annotator(tmp_path):
    for name in ("a.txt/ann", "a.txt/bob", "a.txt/INITIAL_CAS", "b.txt/bob"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.tsv").write_text(samples.webanno(), encoding="utf8")
    assert "document a.txt has 2 annotations, by ann, bob; choose an annotator with annotator=: ann, bob" in error(
        tmp_path
    )
    assert [(f.id, f.annotated) for f in read(tmp_path, annotator="ann")] == [("a.txt", True), ("b.txt", False)]
