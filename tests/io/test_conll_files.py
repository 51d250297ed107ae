"""Files of CoNLL columns, with one side or with both."""

from __future__ import annotations

import pytest
from reading import file_of, only, read, refused, result_of
from writers import write_lines

from spacy_nereval import score
from spacy_nereval.io.read import read_files

# CoNLL: files


TWO = "Ada B-PER\nis O\n\nin O\nYork B-LOC\n"


@pytest.mark.parametrize(
    "data",
    [
        TWO,
        TWO.replace("\n", "\r\n"),
        "\ufeff" + TWO,
        "\ufeff" + TWO.replace("\n", "\r\n"),
        TWO.replace(" ", "\t"),
        TWO.replace(" ", "   "),
        TWO.replace(" ", " \t "),
        TWO.replace("is O", "is\tO"),
        TWO.replace("\n\n", "\n\n\n \t \n"),
        "\n \n" + TWO + "\n\n",
        TWO.rstrip("\n"),
        TWO.replace("\n", "  \n"),
        TWO.replace("\n", "\t\n").replace(" ", "\t"),
    ],
)
def test_columns_and_lines_are_read_as_systems_write_them(tmp_path, data):
    (tmp_path / "a.conll").write_bytes(data.encode())
    found = read(tmp_path / "a.conll")
    assert [(record.text, record.spans) for record in found] == [
        ("Ada is", {(0, 3, "PER")}),
        ("in York", {(3, 7, "LOC")}),
    ]
    assert found[1].tokens == [(0, 2), (3, 7)]


def test_words_may_have_blanks_and_any_white_space_but_tabs(tmp_path):
    path = write_lines(tmp_path / "a.conll", ["New York\tB-LOC", "\u00a0\tO", "\u3000x\tO", "a\u2028b\tI-LOC"])
    found = only(path, repair="conll")
    assert found.text == "New York \u00a0 \u3000x a\u2028b"
    assert [found.text[a:b] for a, b in found.tokens] == ["New York", "\u00a0", "\u3000x", "a\u2028b"]
    spaced = write_lines(tmp_path / "b.conll", ["a\u00a0b B-LOC", "\u3000 O"])
    assert [only(spaced).text[a:b] for a, b in only(spaced).tokens] == ["a\u00a0b", "\u3000"]


def test_offsets_count_characters(tmp_path):
    found = only(write_lines(tmp_path / "a.conll", ["😀👩‍🚀 O", "Zoë B-PER"]))
    assert [found.text[a:b] for a, b, _ in found.spans] == ["Zoë"]


MARKED = "-DOCSTART- -X- O\n\nAda N B-PER\n\nin N O\nYork N B-LOC\n\n-DOCSTART- -X- O\n\nis N O\n"


def test_documents_are_what_lies_between_their_marks(tmp_path):
    (tmp_path / "a.conll").write_text(MARKED)
    one, two = read(tmp_path / "a.conll")
    assert (one.text, one.spans) == ("Ada\nin York", {(0, 3, "PER"), (7, 11, "LOC")})
    assert one.tokens == [(0, 3), (4, 6), (7, 11)]
    assert (two.text, two.spans, two.annotated) == ("is", set(), True)


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("a O\n\nb O\n\n-DOCSTART- O\n\nc O\n", ["a\nb", "c"]),
        ("-DOCSTART- O\na O\nb O\n-DOCSTART-\nc O\n", ["a b", "c"]),
        ("-DOCSTART- O\n\n-DOCSTART- O\n\nc O\n", ["", "c"]),
        ("-DOCSTART- O\na O\n\n-DOCSTART- O\n", ["a", ""]),
        ("-DOCSTART- O\n", [""]),
    ],
)
def test_marks_may_stand_anywhere(tmp_path, text, wanted):
    (tmp_path / "a.conll").write_text(text)
    found = read(tmp_path / "a.conll")
    assert [record.text for record in found] == wanted
    assert all(record.annotated for record in found)


def test_a_span_ends_with_its_sentence(tmp_path):
    (tmp_path / "a.conll").write_text("-DOCSTART- O\n\nAda I-PER\n\nBob I-PER\n")
    assert only(tmp_path / "a.conll").spans == {(0, 3, "PER"), (4, 7, "PER")}


def test_tokens_that_spacy_does_not_know_are_gaps(tmp_path):
    path = file_of(tmp_path / "a.iob", "B-A - - O", "- -", "O")
    some, none, all = read(path)
    assert (some.spans, some.gaps, some.annotated) == ({(0, 2, "A")}, ((3, 5), (6, 8)), True)
    assert (none.annotated, all.annotated, all.gaps) == (False, True, ())
    pred = file_of(tmp_path / "b.iob", "B-A B-A O B-B", "B-A O", "B-A")
    found = score(read_files(path, pred), ["strict"])
    assert (found["documents"], found["skipped"], found["ignored"], found["pred"]) == (2, 1, 1, 3)


@pytest.mark.parametrize("column, label", [(3, "A"), (4, "B"), (-1, "C"), (5, "C"), (-3, "A")])
def test_the_column_is_chosen_by_number_or_last(tmp_path, column, label):
    path = write_lines(tmp_path / "a.conll", ["w N B-A B-B B-C"])
    assert only(path, column=column).spans == {(0, 1, label)}


@pytest.mark.parametrize(
    "lines, settings, message",
    [
        (["a B-A", "b C-A"], {}, "line 2: 'C-A' is not a tag; expected O, or B-, I-, L-, U-, E- or S- with a label"),
        (["a B-"], {}, "line 1: 'B-' is not a tag"),
        (["a B"], {}, "line 1: 'B' is not a tag"),
        (["a b-A"], {}, "line 1: 'b-A' is not a tag"),
        (["a PER"], {}, "line 1: 'PER' is not a tag"),
        (["# text = I like O", "I O"], {}, "line 1: this is CoNLL-U: read it with format='conllu'"),
        (["# id 7", "I O"], {}, "line 1: '7' is not a tag"),
        (["a N O", "", "b O"], {}, "line 3: expected 3 columns, as in the lines before; found 2"),
        (["a\tO", "b N\tO\tO"], {}, "line 2: expected 2 columns, as in the lines before; found 3"),
        (["a O", "b"], {}, "line 2: expected 2 columns, as in the lines before; found 1"),
        (["a", "b"], {}, "line 1: there is one column; expected words and tags"),
        (["\tO"], {}, "line 1: there is no word in the first column"),
        (["a O"], {"column": 3}, "line 1: there is no column 3; the file has 2"),
        (["a O"], {"column": 1}, "line 1: the first column has the words; choose another column"),
        (["a O O"], {"column": 1, "both": True}, "line 1: the first column has the words; choose another column"),
        (["a O"], {"column": -2}, "line 1: the first column has the words; choose another column"),
        (["O O"], {"column": 3, "both": True}, "line 1: there is no column 3; the file has 2"),
    ],
)
def test_a_malformed_conll_file_is_named_with_line_and_reason(tmp_path, lines, settings, message):
    path = write_lines(tmp_path / "a.conll", lines)
    with pytest.raises(ValueError) as raised:
        read(path, **settings)
    assert str(raised.value).startswith(f"{path}, {message}")


@pytest.mark.parametrize("ending", [".conll", ".csv", ".jsonl"])
def test_other_encodings_are_named_with_their_line(tmp_path, ending):
    path = tmp_path / f"a{ending}"
    good = {".conll": b"a O\n", ".csv": b"A\t1\t1\t1\n", ".jsonl": b'{"text": "a", "spans": []}\n'}[ending]
    path.write_bytes(good + "Zoë".encode("latin1"))
    with pytest.raises(ValueError, match=rf"a\{ending}, line 2: not valid .*UTF-8 \(.*utf-8"):
        read(path)


def test_other_words_are_an_error_that_names_the_document(tmp_path):
    gold = write_lines(tmp_path / "gold.conll", ["a O", "", "b O"])
    pred = write_lines(tmp_path / "pred.conll", ["a O", "", "c O"])
    with pytest.raises(ValueError, match="document 1: the predicted text differs"):
        list(read_files(gold, pred))


# CoNLL: both sides in one file


BOTH = ["Ada N B-PER B-PER", "Bob N B-PER O", "", "in N O O", "York N B-LOC B-ORG"]


@pytest.mark.parametrize(
    "lines, arguments, counts",
    [
        (BOTH, [], (1, 1, 2)),
        (BOTH, ["--column", "3,4"], (1, 1, 2)),
        (BOTH, ["--column", "3,last"], (1, 1, 2)),
        (BOTH, ["--column", "4,3"], (1, 2, 1)),
        ([line and f"{line} x" for line in BOTH], ["--column", "3,4"], (1, 1, 2)),
        ([" ".join(line.split()[2:]) for line in BOTH], [], (1, 1, 2)),  # tags alone
    ],
)
def test_one_conll_file_may_have_both_sides(tmp_path, lines, arguments, counts):
    path = write_lines(tmp_path / "both.conll", lines)
    found = result_of(tmp_path, path, *arguments)["metrics"]["strict"]["counts"]
    assert tuple(found.values()) == counts
    assert list(found) == ["tp", "fp", "fn"]
    (tmp_path / "both.txt").write_bytes(path.read_bytes())
    found = result_of(tmp_path, tmp_path / "both.txt", "--format", "conll", *arguments)["metrics"]["strict"]["counts"]
    assert tuple(found.values()) == counts


def test_each_side_of_a_file_has_its_own_scheme(tmp_path):
    path = write_lines(tmp_path / "both.conll", ["Ada I-PER B-PER", "Ada I-PER I-PER", "in O O", "York I-LOC B-LOC"])
    assert result_of(tmp_path, path)["metrics"]["strict"]["counts"] == {"tp": 2, "fp": 0, "fn": 0}


def test_two_columns_of_two_files(tmp_path):
    gold = write_lines(tmp_path / "gold.conll", BOTH)
    pred = write_lines(tmp_path / "pred.conll", BOTH)
    assert result_of(tmp_path, gold, pred)["metrics"]["strict"]["counts"] == {"tp": 2, "fp": 0, "fn": 0}
    found = result_of(tmp_path, gold, pred, "--column", "3,4")
    assert found["metrics"]["strict"]["counts"] == {"tp": 1, "fp": 1, "fn": 2}


def test_a_file_of_words_and_tags_alone_is_said_to_lack_predictions(tmp_path):
    said = refused("score", write_lines(tmp_path / "iob.conll", ["Ada B-PER", "met O"]))
    assert "line 1: 'Ada' is not a tag" in said
    assert "A file given alone has gold tags in its last column but one, and predictions in the last" in said
    assert "the file of the predictions after it" in said
    wrong = write_lines(tmp_path / "wrong.conll", ["Ada PER"])
    assert "A file given alone" not in refused("score", wrong, wrong)


@pytest.mark.parametrize(
    "column, message",
    [
        ("3", "--column 3: a file with gold and predictions has two columns of tags; expected two, as in 3,4"),
        ("3,3", "--column 3,3: a file with gold and predictions has two columns"),
        ("0", "--column 0: expected 'last' or a number from 1 up"),
        ("-1", "--column -1: expected 'last' or a number"),
        ("1.5", "--column 1.5: expected 'last' or a number"),
        ("first", "--column first: expected 'last' or a number"),
        ("2,3,4", "--column 2,3,4: expected 'last' or a number"),
        ("", "--column : expected 'last' or a number"),
        ("9,last", "both.conll, line 1: there is no column 9; the file has 4"),
        ("1,last", "both.conll, line 1: the first column has the words"),
        ("2,last", "both.conll, line 1: 'N' is not a tag"),
    ],
)
def test_columns_that_cannot_be(tmp_path, column, message):
    assert message in refused("score", write_lines(tmp_path / "both.conll", BOTH), "--column", column)


def test_only_a_conll_file_has_both_sides(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", ['{"text": "a", "spans": []}'])
    assert f"predictions to score against {path} are missing" in refused("score", path)
    assert "words and tags" in refused("score", write_lines(tmp_path / "a.conll", ["a"]))
