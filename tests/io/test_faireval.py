"""The files of FairEval's program."""

from __future__ import annotations

import pytest
from reading import only, read
from writers import write_lines

from spacy_nereval.io.read import read_files


def test_rows_of_faireval(tmp_path):
    lines = ["PER\t2\t3\t2, 3", "LOC\t10\t10\t10", "", "NONE\t999\t999\t999", "", "EMPTY\t999\t999\t999", "A\t1\t1\t1"]
    path = write_lines(tmp_path / "a.csv", lines)
    one, two, three = read(path)
    assert (one.text, sorted(one.text[a:b] for a, b, _ in one.spans)) == ("1 2 3 4 5 6 7 8 9 10", ["10", "2 3"])
    assert one.tokens[8:] == [(16, 17), (18, 20)]
    assert (two.text, two.spans, two.annotated) == ("", set(), True)
    assert (three.text, three.spans) == ("1", {(0, 1, "A")})
    for data in (path.read_bytes() + b"\n\n \n", path.read_bytes().replace(b"\n", b"\r\n"), b"\xef\xbb\xbf"):
        (tmp_path / "b.csv").write_bytes(data if len(data) > 3 else data + path.read_bytes().rstrip())
        assert read(tmp_path / "b.csv") == [one, two, three]


def test_the_longer_text_of_faireval_is_that_of_both(tmp_path):
    gold = write_lines(tmp_path / "gold.csv", ["A\t2\t2\t2", "", "A\t4\t5\t4, 5"])
    pred = write_lines(tmp_path / "pred.csv", ["A\t4\t5\t4, 5", "", "A\t2\t2\t2"])
    for one, two in ((gold, pred), (pred, gold)):
        assert [(document.text, len(document.tokens)) for document in read_files(one, two)] == [("1 2 3 4 5", 5)] * 2
    other = write_lines(tmp_path / "other.jsonl", ['{"text": "1 2 3 4 5", "spans": []}'] * 2)
    with pytest.raises(ValueError, match="the predicted text differs"):
        list(read_files(gold, other))


def test_tokens_of_faireval_with_holes(tmp_path):
    path = write_lines(tmp_path / "a.csv", ["A\t1\t4\t1, 2, 4"])
    with pytest.raises(ValueError, match=r"a\.csv, line 1: the span is in 2 pieces; use discontinuous='hull'"):
        read(path)
    assert only(path, discontinuous="hull").spans == {(0, 7, "A")}
    assert only(path, discontinuous="parts").spans == {(0, 3, "A"), (6, 7, "A")}


@pytest.mark.parametrize(
    "lines, message",
    [
        (["A\t1\t1"], "line 1: expected label, first, last and all tokens"),
        (["A,1,1,1"], "line 1: expected label, first, last and all tokens"),
        (["A\t1\tx\t1"], "line 1: expected label, first, last and all tokens"),
        (["A\t1\t1\t"], "line 1: expected label, first, last and all tokens"),
        (["A\t1\t1\t1\t1"], "line 1: expected label, first, last and all tokens"),
        (["label\tfirst\tlast\ttokens"], "line 1: expected label, first, last and all tokens"),
        (["\t1\t1\t1"], "line 1: there is no label"),
        (["A\t0\t1\t0, 1"], "line 1: tokens from 0 to 1: expected 1 to 100000"),
        (["A\t2\t1\t2, 1"], "line 1: tokens from 2 to 1"),
        (["A\t100001\t100001\t100001"], "line 1: tokens from 100001 to 100001"),
        (["A\t1\t3\t1, 2"], "line 1: 1, 2: expected tokens from 1 to 3 in ascending order"),
        (["A\t1\t3\t2, 3"], "line 1: 2, 3: expected tokens from 1 to 3 in ascending order"),
        (["A\t1\t3\t1, 3, 2"], "line 1: 1, 3, 2: expected tokens"),
        (["A\t1\t2\t1, 1, 2"], "line 1: 1, 1, 2: expected tokens"),
        (["A\t1\t1\t1", "NONE\t1\t1\t1"], "line 2: NONE means no span; expected 999 as its only token"),
        (["EMPTY\t1\t999\t1, 999"], "line 1: EMPTY means no span"),
        (["A\t1\t1\t1", "", "", "A\t1\t1\t1"], "line 4: the sentence before it has no row; expected NONE, 999"),
        (["", "A\t1\t1\t1"], "line 2: the sentence before it has no row"),
    ],
)
def test_a_malformed_row_of_faireval_is_named(tmp_path, lines, message):
    path = write_lines(tmp_path / "a.csv", lines)
    with pytest.raises(ValueError) as raised:
        read(path)
    assert str(raised.value).startswith(f"{path}, {message}")
