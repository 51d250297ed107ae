"""Files of CoNLL columns, with one side or with both."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from reading import error, file_of, only, read, refused, result_of
from seqeval_peer import asks_seqeval, spans, whole_spans
from writers import Side, tags, write_lines

from spacy_nereval import score
from spacy_nereval.io.formats import Format
from spacy_nereval.io.read import read_files
from spacy_nereval.io.records import Record

# CoNLL: files


TWO = "Ada B-PER\nis O\n\nin O\nYork B-LOC\n"


LAYOUTS = [
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
]


@pytest.mark.parametrize("data", LAYOUTS)
def test_columns_and_lines_are_read_as_systems_write_them(tmp_path, data):
    (tmp_path / "a.conll").write_bytes(data.encode())
    found = read(tmp_path / "a.conll")
    assert found == [
        Record("Ada is", {(0, 3, "PER")}, [(0, 3), (4, 6)], scheme="IOB2"),
        Record("in York", {(3, 7, "LOC")}, [(0, 2), (3, 7)], scheme="IOB2"),
    ]


def test_words_may_have_blanks_and_any_white_space_but_tabs(tmp_path):
    path = write_lines(tmp_path / "a.conll", ["New York\tB-LOC", "\u00a0\tO", "\u3000x\tO", "a\u2028b\tI-LOC"])
    found = only(path, repair="conll")
    assert found.text == "New York \u00a0 \u3000x a\u2028b"
    assert [found.text[a:b] for a, b in found.tokens] == ["New York", "\u00a0", "\u3000x", "a\u2028b"]
    spaced = write_lines(tmp_path / "b.conll", ["a\u00a0b B-LOC", "\u3000 O"])
    assert [only(spaced).text[a:b] for a, b in only(spaced).tokens] == ["a\u00a0b", "\u3000"]


MARKED = [
    ("a O\n\nb O\n\n-DOCSTART- O\n\nc O\n", ["a\nb", "c"]),
    ("-DOCSTART- O\na O\nb O\n-DOCSTART-\nc O\n", ["a b", "c"]),
    ("-DOCSTART- O\n\n-DOCSTART- O\n\nc O\n", ["", "c"]),
    ("-DOCSTART- O\na O\n\n-DOCSTART- O\n", ["a", ""]),
    ("-DOCSTART- O\n", [""]),
    ("-DOCSTART- -X- O\n\na N O\n\nb N O\n-DOCSTART- -X- O\n", ["a\nb", ""]),
]


@pytest.mark.parametrize("text, wanted", MARKED)
def test_documents_are_what_lies_between_their_marks(tmp_path, text, wanted):
    (tmp_path / "a.conll").write_text(text)
    found = read(tmp_path / "a.conll")
    assert [record.text for record in found] == wanted
    assert all(record.annotated for record in found)


def test_a_span_ends_with_its_sentence(tmp_path):
    (tmp_path / "a.conll").write_text("-DOCSTART- O\n\nAda I-PER\n\nin I-PER\n")
    assert read(tmp_path / "a.conll") == [
        Record("Ada\nin", {(0, 3, "PER"), (4, 6, "PER")}, [(0, 3), (4, 6)], scheme="IOB1")
    ]


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


MALFORMED = [
    (["a B-A", "b C-A"], {}, "line 2: 'C-A' is not a tag; expected O, or B-, I-, M-, L-, E-, U-, S- or W- with a"),
    (["a B-"], {}, "line 1: 'B-' is not a tag"),
    (["a B"], {}, "line 1: 'B' is not a tag"),
    (["a b-A"], {}, "line 1: 'b-A' is not a tag"),
    (["a PER"], {}, "line 1: 'PER' is not a tag"),
    (["# text = I", "1\tI"], {}, "line 2: this is CoNLL-U: read it with format='conllu'"),
    (["# global.columns = ID FORM", "1\tI"], {}, "line 1: this is CoNLL-U: read it with format='conllu'"),
    (["a O", "# id 7 O"], {}, "line 2: expected 2 columns, as in the lines before; found 4"),
    (["a O", "#x_y B_PER"], {}, "line 2: 'B_PER' is not a tag"),
    (["a N O", "", "b O"], {}, "line 3: expected 3 columns, as in the lines before; found 2"),
    (["a\tO", "b N\tO\tO"], {}, "line 2: expected 2 columns, as in the lines before; found 3"),
    (["a O", "b"], {}, "line 2: expected 2 columns, as in the lines before; found 1"),
    (["a", "b"], {}, "line 1: there is one column, 'a'; expected words and tags"),
    (["\tO"], {}, "line 1: there is no word in column 1; name the column"),
    (["a O"], {"column": 3}, "line 1: there is no column 3; the file has 2"),
    (["a O"], {"column": 1}, "line 1: the first column has the words; choose another column"),
    (["a O O"], {"column": 1, "both": True}, "line 1: the first column has the words; choose another column"),
    (["a O"], {"column": -2}, "line 1: the first column has the words; choose another column"),
    (["O O"], {"column": 3, "both": True}, "line 1: there is no column 3; the file has 2"),
]


@pytest.mark.parametrize("lines, settings, message", MALFORMED)
def test_a_malformed_conll_file_is_named_with_line_and_reason(tmp_path, lines, settings, message):
    path = write_lines(tmp_path / "a.conll", lines)
    assert error(path, **settings).startswith(f"{path}, {message}")


# CoNLL: both sides in one file


BOTH = ["Ada N B-PER B-PER", "Bob N B-PER O", "", "in N O O", "York N B-LOC B-ORG"]


BOTH_SIDES = [
    (BOTH, [], (1, 1, 2)),
    (BOTH, ["--column", "3,4"], (1, 1, 2)),
    (BOTH, ["--column", "3,last"], (1, 1, 2)),
    (BOTH, ["--column", "4,3"], (1, 2, 1)),
    ([line and f"{line} x" for line in BOTH], ["--column", "3,4"], (1, 1, 2)),
    ([" ".join(line.split()[2:]) for line in BOTH], [], (1, 1, 2)),  # tags alone
    (["Ada I-PER B-PER", "Ada I-PER I-PER", "in O O", "York I-LOC B-LOC"], [], (2, 0, 0)),  # two schemes
]


@pytest.mark.parametrize("lines, arguments, counts", BOTH_SIDES)
def test_one_conll_file_may_have_both_sides(tmp_path, lines, arguments, counts):
    path = write_lines(tmp_path / "both.conll", lines)
    (tmp_path / "both.txt").write_bytes(path.read_bytes())
    for file in ((path,), (tmp_path / "both.txt", "--format", "conll")):
        found = result_of(tmp_path, *file, *arguments)["metrics"]["strict"]["counts"]
        assert found == dict(zip(("tp", "fp", "fn"), counts))


def test_two_columns_of_two_files(tmp_path):
    gold, pred = (write_lines(tmp_path / f"{name}.conll", BOTH) for name in ("gold", "pred"))
    for arguments, counts in (((), {"tp": 2, "fp": 0, "fn": 0}), (("--column", "3,4"), {"tp": 1, "fp": 1, "fn": 2})):
        assert result_of(tmp_path, gold, pred, *arguments)["metrics"]["strict"]["counts"] == counts


def test_a_file_of_words_and_tags_alone_is_said_to_lack_predictions(tmp_path):
    said = refused("score", write_lines(tmp_path / "iob.conll", ["Ada B-PER", "met O"]))
    assert "line 1: 'Ada' is not a tag" in said
    assert "A file given alone has gold tags in its last column but one, and predictions in the last" in said
    assert "the file of the predictions after it" in said
    wrong = write_lines(tmp_path / "wrong.conll", ["Ada PER"])
    assert "A file given alone" not in refused("score", wrong, wrong)


NO_COLUMNS = [
    ("3", "--column 3: a file with gold and predictions has two columns or keys; expected the numbers"),
    ("3,3", "--column 3,3: a file with gold and predictions has two columns"),
    ("0", "--column 0: expected 'last' or a number from 1 up"),
    ("-1", "--column -1: expected 'last' or a number"),
    ("1.5", "--column 1.5: expected 'last' or a number"),
    ("first", "--column first: a file with gold and predictions has two columns or keys"),
    ("first,last", "--column first,last: a file with gold and predictions has two columns or keys"),
    ("first,second", "both.conll, line 1: --column first: expected 'last' or a number, since columns of CoNLL"),
    ("2,3,4", "--column 2,3,4: expected 'last' or a number"),
    ("", "--column '': expected 'last' or a number"),
    ("9,last", "both.conll, line 1: there is no column 9; the file has 4"),
    ("1,last", "both.conll, line 1: the first column has the words"),
    ("2,last", "both.conll, line 1: 'N' is not a tag"),
]


@pytest.mark.parametrize("column, message", NO_COLUMNS)
def test_columns_that_cannot_be(tmp_path, column, message):
    assert message in refused("score", write_lines(tmp_path / "both.conll", BOTH), "--column", column)


# Schemes of tags in CoNLL columns, and what is repaired


def tokens_of(found: Record) -> list[tuple[int, int, str]]:
    """The spans of a record in tokens, the last one included, as seqeval has them."""
    starts, ends = ([place[k] for place in found.tokens] for k in (0, 1))
    return sorted((starts.index(a), ends.index(b), label) for a, b, label in found.spans)


MEANINGS = [
    ("O O", []),
    ("I-A I-A O I-A", [(0, 1, "A"), (3, 3, "A")]),  # IOB1
    ("I-A B-A I-A I-B", [(0, 0, "A"), (1, 2, "A"), (3, 3, "B")]),
    ("B-creative-work I-creative-work", [(0, 1, "creative-work")]),
]


@pytest.mark.parametrize("sentence, spans", MEANINGS)
@pytest.mark.parametrize("repair", [None, "conll", "discard"])
def test_each_scheme_means_what_it_means(tmp_path, sentence, spans, repair):
    found = only(file_of(tmp_path / "a.iob", sentence), repair=repair)
    assert (tokens_of(found), found.repaired) == (spans, 0)


SCHEMES_OF_FILES = [
    (["O I-A", "I-A B-A"], "IOB1", 0),
    (["O I-A", "I-A I-B"], "IOB1", 0),
    (["O I-A", "B-A I-A"], "IOB2", 1),
    (["O I-A", "I-A B-B"], "IOB2", 2),
    (["O I-A", "I-A O B-A"], "IOB2", 2),
    (["O I-A", "I-A B-A B-A", "O B-A"], "IOB2", 2),
    (["O B-A", "O B-A B-A"], "IOB2", 0),
    (["O B-A", "U-A"], "BILUO", 1),
    (["O B-A", "B-A E-A"], "BILUO", 1),
    (["I-A", "O U-A"], "BILUO", 1),
    (["I-A", "O L-A"], "BILUO", 2),
]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("sentences, scheme, repairs", SCHEMES_OF_FILES)
def test_the_scheme_is_that_of_the_whole_file(tmp_path, sentences, scheme, repairs, order):
    path = file_of(tmp_path / "a.iob", *sentences[::order])
    assert sum(record.repaired for record in read(path, repair="conll")) == repairs
    if repairs:
        said = error(path)
        assert said.startswith(f"{path}, line ") and f"the tags are {scheme}, as " in said
    else:
        assert read(path) == read(path, repair="discard")


INVALID = [
    (["O B-A O I-A"], "line 4: I-A continues no span, and the tags are IOB2, as B-A in line 2 shows"),
    (["B-A I-B"], "line 2: I-B continues no span, and the tags are IOB2, as B-A in line 1 shows"),
    (["B-A", "I-A"], "line 3: I-A continues no span, and the tags are IOB2, as B-A in line 1 shows"),
    (["I-A O", "O B-A"], "line 1: I-A continues no span, and the tags are IOB2, as B-A in line 5 shows"),
    (["O B-A O U-B"], "line 2: B-A is not ended by an L or E, and the tags are BILUO, as U-B in line 4 shows"),
    (["B-A I-A", "S-B"], "line 1: B-A is not ended by an L or E, and the tags are BILUO, as S-B in line 4 shows"),
    (["B-A B-A L-A"], "line 1: B-A is not ended by an L or E, and the tags are BILUO, as L-A in line 3 shows"),
    (["B-A L-B"], "line 1: B-A is not ended by an L or E, and the tags are BILUO, as L-B in line 2 shows"),
    (["U-A L-A"], "line 2: L-A continues no span, and the tags are BILUO, as U-A in line 1 shows"),
    (["B-A E-A I-A"], "line 3: I-A continues no span, and the tags are BILUO, as E-A in line 2 shows"),
]


@pytest.mark.parametrize("sentences, message", INVALID)
def test_an_invalid_sequence_is_an_error_with_line_and_reason(tmp_path, sentences, message):
    path = file_of(tmp_path / "a.iob", *sentences)
    remedy = "use repair='conll' to read it as a span, or repair='discard' to leave it out"
    assert error(path) == f"{path}, {message}; {remedy}"


SCHEMES = {"IOB2": ("BI", "B-Z", "IOB2"), "BILUO": ("BILU", "U-Z", "BILOU"), "BIOES": ("BIES", "S-Z", "IOBES")}
"""The prefixes of a scheme, a tag that shows that a file has it, and its name in seqeval."""


@asks_seqeval
@pytest.mark.parametrize("scheme", SCHEMES)
@tries(150)
@given(st.data())
def test_repairs_give_the_spans_of_conlleval_as_seqeval_has_them(scheme, data):
    """Discarding leaves those whose tags are exactly those that the scheme would write, as its strict mode does."""
    prefixes, evidence, name = SCHEMES[scheme]
    known = ["O", *(f"{prefix}-{label}" for prefix in prefixes for label in "AB")]
    sequence = data.draw(st.lists(st.sampled_from(known), min_size=1, max_size=8))
    with TemporaryDirectory() as directory:
        path = file_of(Path(directory) / "a.iob", evidence, " ".join(sequence))
        every, whole = (read(path, repair=repair)[1] for repair in ("conll", "discard"))
        valid = every.repaired or read(path)[1]
    wanted, kept = [], []
    for label, start, end in spans([tag.replace("L-", "E-").replace("U-", "S-") for tag in sequence]):
        wanted.append((start, end, label))
        side = Side((tuple(map(str, range(len(sequence)))),), frozenset({(start, end + 1, label)}))
        if tags(side, scheme)[0][start : end + 1] == sequence[start : end + 1]:
            kept.append((start, end, label))
    assert tokens_of(every) == sorted(wanted)
    assert tokens_of(whole) == sorted(kept)
    assert every.repaired or valid == every, "what is valid needs no repair"
    assert every.repaired == whole.repaired == len(wanted) - len(kept)
    assert {*kept} <= {(start, end, label) for label, start, end in whole_spans(sequence, name)}


# Repairs, on the command line


def test_repairs_of_both_sides_are_counted(tmp_path):
    gold = file_of(tmp_path / "gold.iob", "B-A O I-A", "O I-A", "B-B I-B")
    pred = file_of(tmp_path / "pred.iob", "B-A O B-A", "O I-A", "B-B I-A")
    assert "gold.iob, line 3: I-A continues no span" in refused("score", gold, pred)
    found = {repair: result_of(tmp_path, gold, pred, "--repair", repair) for repair in ("conll", "discard")}
    assert [found[repair]["repaired"] for repair in found] == [4, 4]
    assert found["conll"]["metrics"]["strict"]["counts"] == {"tp": 3, "fp": 2, "fn": 1}
    assert found["discard"]["metrics"]["strict"]["counts"] == {"tp": 1, "fp": 2, "fn": 1}
    documents = list(read_files(gold, pred, formats=(Format(repair="conll"),) * 2))
    assert [document.repaired for document in documents] == [1, 2, 1]
