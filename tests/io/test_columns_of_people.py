"""Column files as people have them: index columns, comments, header rows, characters that nobody sees, line ends."""

import json

import pytest
from commands import printed
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from reading import error, read, refused, run

from spacy_nereval import load, score
from spacy_nereval.io.formats import infer_format

NUMBERED = "words are read from column 2, since the one before has numbers"

OPEN_AS_THEY_ARE = {
    "tokens are numbered": ("1\tAda\tB-PER\n2\tmet\tO\n3\tBob\tB-PER\n\n", "Ada met Bob", ["Ada", "Bob"]),
    "from 0": ("0\tAda\tB-PER\n1\tmet\tO\n", "Ada met", ["Ada"]),
    "sentences are numbered": ("0\tAda\tB-PER\n0\tmet\tO\n\n1\tBob\tB-PER\n1\tran\tO\n", "Ada met|Bob ran", ["Ada",
        "Bob"]),
    "all tokens are numbered": ("7 Ada B-PER\n8 met O\n\n9 Bob O\n", "Ada met|Bob", ["Ada"]),
    "sentences and tokens": ("0\t1\tAda\tB-PER\n0\t2\tmet\tO\n\n1\t1\tBob\tO\n", "Ada met|Bob", ["Ada"]),
    "names of files": ("bc/x/00\t0\t0\tAda\tB-PER\nbc/x/00\t0\t1\tmet\tO\nbc/x/00\t0\t2\tBob\tO\n", "Ada met Bob",
        ["Ada"]),
    "sentences have names": ("s1\tAda\tB-PER\ns1\tmet\tO\ns2\tBob\tO\ns2\tran\tO\n", "Ada met Bob ran", ["Ada"]),
    "sentences without blank lines": ("4\tAda\tB-PER\n4\tmet\tO\n5\tBob\tO\n", "Ada met Bob", ["Ada"]),
    "words that look like names of sentences": ("w0 B-PER\n\nw0 O\nw1 O\n\nw0 O\n", "w0|w0 w1|w0", ["w0"]),
    "one word each time": ("no B-PER\nno O\n\nno O\nno O\n", "no no|no no", ["no"]),
    "a short document of CoNLL-2012": ("bc/x 0 0 Ada B-PER\nbc/x 0 1 met O\n", "Ada met", ["Ada"]),
    "GermEval": ("1\tAda\tB-PER\tO\n2\tmet\tO\tO\n3\tUlm\tB-LOC\tB-ORG\n", "Ada met Ulm", ["Ulm"]),
    "numbers with colons": ("1:\tAda\tB-PER\n2:\tmet\tO\n", "Ada met", ["Ada"]),
    "a space that nobody sees": ("Ada B-PER \u00a0\nmet O\n", "Ada met", ["Ada"]),
    "scores of tags": ("Ada\tB-PER\t0.9\nmet\tO\t0.8\n", "Ada met", ["Ada"]),
    "a comment and nothing else": ("# nothing\n", "", []),
    "ranges": ("1-2\tzum\tO\n1\tAda\tB-PER\n2\tmet\tO\n", "zum Ada met", ["Ada"]),
    "two columns of tags": ("#\thttp://x\t[2009]\n1\tAda\tB-PER\tO\n2\tmet\tO\tB-X\n", "Ada met", ["met"]),
    "universal NER": ("# sent_id = a\n# text = Ada met\n1\tAda\tB-PER\t-\tann\n2\tmet\tO\t-\tann\n\n", "Ada met",
        ["Ada"]),
    "MultiCoNER": ("# id 5 domain=en\nAda _ _ B-PER\nmet _ _ O\n\n# id 6 domain=en\nBob _ _ O\n", "Ada met|Bob",
        ["Ada"]),
    "HIPE": ("TOKEN\tNE-COARSE-LIT\tMISC\n# document_id = a\nAda\tB-PER\t_\n# x = y\nmet\tO\tNoSpaceAfter\n",
        "Ada met", ["Ada"]),
    "offsets of words": ("# doc_id = 1\nAda\t0\t3\tB-PER\nmet\t4\t7\tO\n\n", "Ada met", ["Ada"]),
    "WebAnno TSV 2": ("# ner.type.NamedEntity | value\n#id=1\n#text=Ada met\n1-1\tAda\tB-PER\n1-2\tmet\tO\n", "Ada met",
        ["Ada"]),
    "two layers of it": (" # x.A | value # x.B | value\n#id=1\n#text=a met\n1-1\ta\tO\tB-X\n1-2\tmet\tO\tO\n", "a met",
        ["a"]),
    "a header": ("Word\tPOS\tTag\nAda\tNNP\tB-PER\nmet\tVBD\tO\n", "Ada met", ["Ada"]),
    "a header with numbers": ("Sentence #,Word,Tag\n".replace(",", "\t") + "1\tAda\tB-PER\n1\tmet\tO\n", "Ada met",
        ["Ada"]),
    "words like comments": ("# O\nAda B-PER\n\n#Ada O\nbob O\n", "# Ada|#Ada bob", ["Ada"]),
    "a document of CoNLL-2012": ("#begin document (bc); part 000\nAda B-PER\nmet O\n\n#end document\n", "Ada met",
        ["Ada"]),
    "line ends of old Macs": ("Ada B-PER\rmet O\r\rBob B-PER\r", "Ada met|Bob", ["Ada", "Bob"]),
    "all line ends": ("Ada B-PER\r\nmet O\n\r\nBob B-PER\r\r\n", "Ada met|Bob", ["Ada", "Bob"]),
    "byte order marks": ("\ufeffAda B-PER\nmet O\n\n\ufeffBob B-PER\n\ufeff", "Ada met|Bob", ["Ada", "Bob"]),
    "lines that look empty": ("Ada B-PER\nmet O\n\u200b\nBob B-PER\n\u00a0\n\u2028\n", "Ada met|Bob", ["Ada", "Bob"]),
    "characters within lines": ("a\u2028b\tB-PER\n10\u00a0000\tO\n", "a\u2028b 10\u00a0000", ["a\u2028b"]),
    "comments of TeX": ("%% corpus\n% id = 5\nAda B-PER\nmet O\n\n% a second one\nBob B-PER\n% O\n", "Ada met|Bob %",
        ["Ada", "Bob"]),
    "comments of languages": ("// a note\n; id=5\nAda B-PER\n; O\n\n; B-PER\n// O\n", "Ada ;|; //", ["Ada", ";"]),
    "one word after the sign": ("% note\nAda B-PER\n", "Ada", ["Ada"]),
    "a sign as the first word": ("Ada B-PER\n" + "O O\n" * 300 + "\n# B-SIGN\n% I-SIGN\n",
        "Ada" + " O" * 300 + "|# %", ["Ada", "# %"]),
    "a header above numbers": ("TOKEN\tNE-COARSE-LIT\tMISC\n1\tB-pers\t_\n2\tO\t_\n", "1 2", ["1"]),
    "a header above other columns": ("pos\tword\ttag\nNNP\tAda\tB-PER\nVBD\tmet\tO\n", "Ada met", ["Ada"]),
    "names of tokens": ("T1\tAda\tB-PER\nT2\tmet\tO\n\nT1\tBob\tO\n", "Ada met|Bob", ["Ada"]),
    "names of tokens throughout": ("w7 Ada NNP B-PER\nw8 met VBD O\n\nw9 Bob NNP O\n", "Ada met|Bob", ["Ada"]),
    "names of sentences and tokens": ("s1-1\tAda\tB-PER\ns1-2\tmet\tO\n\ns2-1\tBob\tO\n", "Ada met|Bob", ["Ada"]),
    "words with numbers": ("A4 NN B-X\nA3 NN O\nA5 NN O\n", "A4 A3 A5", ["A4"]),
    "no prefixes": ("Ada PER\nLovelace PER\nmet O\n\n", "Ada Lovelace met", ["Ada Lovelace"]),
}  # fmt: skip


def what_is_read(records):
    spans = [record.text[start:end] for record in records for start, end, _ in sorted(record.spans)]
    return "|".join(record.text for record in records), spans


@pytest.mark.parametrize("data, text, spans", OPEN_AS_THEY_ARE.values(), ids=OPEN_AS_THEY_ARE)
def test_files_of_other_tools_open_as_they_are(data, text, spans, tmp_path):
    path = tmp_path / "a.conll"
    path.write_bytes(data.encode())
    assert what_is_read(read(path)) == (text, spans)
    (tmp_path / "a.tsv").write_bytes(data.encode())
    assert read(tmp_path / "a.tsv") == read(path)
    assert not text or score(path, path, ["strict"]).strict.counts["tp"] == len(spans)
    assert not any(record.wordless for record in read(path))
    printed("convert", path, tmp_path / "b.jsonl")
    assert what_is_read(load(tmp_path / "b.jsonl")) == (text, spans)


def test_numbers_of_tokens_are_no_words(tmp_path):
    rows = [f"1\tAda\t{tag}\n2\tAda\tB-PER\n3\tBob\tB-PER\n\n" for tag in ("B-PER", "O")]
    gold, pred = tmp_path / "g.tsv", tmp_path / "p.tsv"
    for path, row in zip((gold, pred), rows):
        path.write_text(row)
    result = score(gold, pred, ["wrf", "mentions"])
    assert result.wrf.value == result.mentions.f == 1.0
    done = run("score", gold, pred, "-m", "wrf,mentions")
    assert "wrf 100.00" in done.output.replace("WRF", "wrf") and f"gold: {NUMBERED}" in done.stderr
    assert "[Ada] Ada Bob" in printed("errors", gold, pred)


CHOSEN = [
    ("TOKEN\tNE-LIT\tNE-METO\nAda\tB-PER\tO\nmet\tO\tB-X\n", {"column": "NE-LIT"}, ["Ada"]),
    ("TOKEN\tNE-LIT\tNE-METO\nAda\tB-PER\tO\nmet\tO\tB-X\n", {"column": "NE-METO"}, ["met"]),
    ("TOKEN\tNE-LIT\tMISC\n# document_id = a\nAda\tB-PER\t_\n", {"column": 2}, ["Ada"]),
    ("# sent_id = a\n# text = Ada met\n1\tAda\tB-PER\t-\tann\n2\tmet\tO\t-\tann\n", {"column": 3}, ["Ada"]),
    ("# sent_id = a\n1\tAda\tB-PER\t-\tann\n2\tmet\tO\t-\tann\n", {"format": "conll"}, ["Ada"]),
    ("x\ty\tz\nAda\tB-PER\tO\nmet\tO\tB-X\n", {"column": "y"}, ["Ada"]),
    ("x\ty\tz\nAda\tRome\tB-X\nmet\tUlm\tO\n", {"column": "z", "word_column": "y"}, ["Rome"]),
    ("Ada\tRome\tB-X\nmet\tUlm\tO\n", {"word_column": 2}, ["Rome"]),
    ("5\tAda\tB-X\n9\tmet\tO\n", {"word_column": 2}, ["Ada"]),
    ("5\tAda\tB-X\n9\tmet\tO\n", {"word_column": 1}, ["5"]),
    ("PER\tAda\nO\tmet\n", {"column": 1, "word_column": "last"}, ["Ada"]),
    ("1\tAda\tB-X\n", {}, ["Ada"]),
    ("1\tAda\tB-X\n", {"word_column": 1}, ["1"]),
]


@pytest.mark.parametrize("data, options, spans", CHOSEN)
def test_columns_are_chosen_by_number_and_by_name(data, options, spans, tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text(data)
    assert what_is_read(load(path, **options))[1] == spans
    arguments = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", value)]
    printed("convert", path, tmp_path / "b.jsonl", *arguments)
    assert what_is_read(load(tmp_path / "b.jsonl"))[1] == spans


NO_COLUMNS = {
    "several columns of tags": ("a\tB-X\tO\t_\nb\tO\tO\tx\n", (),
        "the last column has no tags; choose one with --column: 2, 3"),
    "named columns": ("TOKEN\tNE-A\tNE-B\tMISC\na\tB-X\tO\t_\nb\tO\tO\tx\n", (),
        "choose one with --column: NE-A, NE-B"),
    "numbers alone": ("5\tAda\tB-X\n9\tmet\tO\n", (),
        "column 1 has numbers alone, which may not be the words; name the column"),
    "no such name": ("TOKEN\tNE\na\tB-X\nb\tO\n", ("--column", "NER"), "there is no column 'NER'"),
    "no names": ("a\tB-X\nb\tO\n", ("--column", "NER"), "no names without a header row"),
    "tags before words": ("B-PER\tAda\nI-PER\tKing\nO\tmet\n", (),
        "the tags are in column 1: name it with --column 1, and the column of the words with --word-column 2"),
    "names of documents": ("doc1\t1\tAda\tB-X\ndoc1\t2\tmet\tO\ndoc2\t1\tBob\tO\n", (),
        "column 2 has numbers alone, which may not be the words; name the column of the words with --word-column"),
    "quotes": ('"Ada"\t"B-PER"\n"met"\t"O"\n', (), "since there are marks around it: write it as 'B-PER'"),
    "no column 0": ("a\tB-X\nb\tO\n", ("--word-column", "0"),
        "--word-column 0: there is no such column; the file has 2"),
    "no such column": ("a\tB-X\nb\tO\n", ("--word-column", "3"),
        "--word-column 3: there is no such column; the file has 2"),
    "no word": ("\tAda\tO\n1\tmet\tO\n", (),
        "there is no word in column 1; name the column of the words with --word-column"),
    "a comment among words": ("Ada B-X\n# note here\n", (),
        "line 2: expected 2 columns, as in the lines before; found 3"),
    "a word that lost its tag": ("Ada B-X\n#\nb O\n", (), "line 2: expected 2 columns"),
    "a header of other names": ("Wort OTR\nAda B-PER\nmet O\n", (),
        "line 1: 'OTR' is not a tag, and all rows after it have tags there: if the line is a header with the names "
        "of the columns, --column OTR reads the columns by their names; otherwise expected O, or B-"),
    "a header and a column after the tags": ("Wort\tEntité\tNote\nAda\tB-PER\tx\nmet\tO\ty\n", (),
        "--column Entité reads the columns by their names"),
    "a header that is no name": ("Wort\tEigen Name\nAda\tB-PER\nmet\tO\n", (), "take the line out"),
    "a header below a comment": ("% x\nWort OTR\nAda B-PER\n", (), "line 2: 'OTR' is not a tag"),
    "a tag of another form": ("Ada B_PER\nmet O\nBob B-PER\n", (), "line 1: 'B_PER' is not a tag; expected O, or B-"),
    "a tag without its prefix": ("Ada PER\nmet O\nBob B-PER\n", (), "line 1: 'PER' is not a tag; expected O, or B-"),
    "a title": ("Corpus version 2\nAda B-PER\nmet O\n", (),
        "line 1: expected 2 columns, as in the lines after; found 3; a comment begins with #, %, ; or // and a space"),
    "a comment of another language": ("-- a note\nAda B-PER\nmet O\n", (), "line 1: expected 2 columns"),
    "a comment without a space": ("%note\nAda B-PER\n", (), "there is one column, '%note'; expected words and tags, "
        "separated by a tab or space; a comment begins with #, %, ; or // and a space"),
    "such a comment among words": ("Ada B-PER\n%note\nmet O\n", (), "line 2: expected 2 columns, as in the lines "
        "before; found 1; a comment begins with #, %, ; or // and a space"),
    "no space": ("Ada\u00a0B-PER\n", (), "there is one column, 'Ada\\xa0B-PER'"),
}  # fmt: skip


@pytest.mark.parametrize("data, arguments, said", NO_COLUMNS.values(), ids=NO_COLUMNS)
def test_columns_that_cannot_be_told_are_refused_with_the_remedy(data, arguments, said, tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text(data)
    assert said in refused("score", path, path, *arguments)


def test_a_header_of_other_names_is_read_with_the_option_that_the_refusal_names(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("Wort\tGold\tSystem\nAda\tB-PER\tB-PER\nmet\tO\tO\n")
    assert "--column Gold,System reads" in refused("score", path)
    assert "F 100.00" in printed("score", path, "--column", "Gold,System")
    with pytest.raises(ValueError, match="column='System' reads the columns by their names"):
        load(path)
    assert what_is_read(load(path, column="System")) == ("Ada met", ["Ada"])
    assert what_is_read(load(path, scheme="IO"))[0] == "Wort Ada met", "asked for, whole tags are labels"


def test_words_that_are_numbers_stay_words(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("1990 B-DATE\n7 O\n\n1 O\n")
    assert [record.text for record in read(path)] == ["1990 7", "1"]
    path.write_text("In IN O\n1990 CD B-DATE\n\n2 CD O\n")
    assert [record.text for record in read(path)] == ["In 1990", "2"]


def test_rows_whose_labels_are_usual_names_stay_rows(tmp_path):
    path = tmp_path / "a.conll"
    for data, spans in (("German MISC\nmet O\n", ["German"]), ("text tag\nmet O\ntext tag\n", ["text", "text"])):
        path.write_text(data)
        assert what_is_read(read(path))[1] == spans
    path.write_text("text B_PER\nmet O\n")
    assert "line 1: 'B_PER' is not a tag" in error(path)


def test_numbers_and_tags_alone_have_no_words(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("1 B-X\n2 I-X\n3 O\n")
    (record,) = read(path)
    assert record.wordless and record.spans == {(0, 3, "X")}
    assert "wrf is excluded" in run("score", path, path).output or "words" in run("score", path, path).output


TEXT_FILES = {
    "CoNLL-2003": ("-DOCSTART- -X- O O\n\nEU NNP B-NP B-ORG\nrejects VBZ B-VP O\n", "conll"),
    "two columns": ("Ada B-PER\nmet O\n", "conll"),
    "comments": ("# id 5\nAda _ _ B-PER\nmet _ _ O\n", "conll"),
    "prose": ("Ada met Bob in London.\nO my B-side!\n", None),
    "prose of two words": ("Vitamin B-12\nVitamin D\n", None),
    "a title": ("1|t|Aspirin\n1|a|It helps.\n", "pubtator"),
    "nothing": ("", None),
}


@pytest.mark.parametrize("data, name", TEXT_FILES.values(), ids=TEXT_FILES)
def test_columns_in_text_files_are_inferred(data, name, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(data)
    assert infer_format(path) == name
    path.write_text(data + (data and "Ada met Bob _\n" if name is None else data.partition("\n\n")[2] * 3000))
    assert infer_format(path) == name


def test_an_error_names_the_line_after_comments_and_old_line_ends(tmp_path):
    path = tmp_path / "a.conll"
    path.write_bytes(b"# id 5 x=y\rAda _ _ B-PER\rmet _ _ I_X\r")
    assert error(path).startswith(f"{path}, line 3: 'I_X' is not a tag")


WORDS = st.text("ab1#-\u00a0", min_size=1, max_size=3).filter(lambda word: word.strip("\u00a0") and word != "#")


@given(st.lists(st.lists(st.tuples(WORDS, st.sampled_from(["O", "B-X", "I-X"])), min_size=1, max_size=4), min_size=1))
@tries(150)
def test_an_index_and_comments_change_nothing(tmp_path_factory, sentences):
    folder = tmp_path_factory.mktemp("columns")
    rows = [[f"{word}\tp\t{tag}" for word, tag in sentence] for sentence in sentences]
    (folder / "a.conll").write_text("\n".join("".join(f"{row}\n" for row in sentence) for sentence in rows))
    numbered = ["".join(f"{k}\t{row}\n" for k, row in enumerate(sentence, 1)) for sentence in rows]
    (folder / "b.conll").write_text("# global note = 1\n" + "\n# text = x\n".join(numbered))
    plain = read(folder / "a.conll", words="1", repair="conll")
    assert plain == [r._replace(notes=()) for r in read(folder / "b.conll", words="2", repair="conll")]
    if sum(map(len, sentences)) > 1 and not all(word.isdecimal() for sentence in sentences for word, _ in sentence):
        found = read(folder / "b.conll", repair="conll")
        assert [r._replace(notes=()) for r in found] == plain and NUMBERED in found[0].notes


def test_what_is_converted_is_what_was_read(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text(OPEN_AS_THEY_ARE["tokens are numbered"][0])
    printed("convert", path, tmp_path / "b.jsonl")
    assert json.loads((tmp_path / "b.jsonl").read_text())["text"] == "Ada met Bob"


def test_a_second_column_of_tags_is_told(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("1\tAda\tB-PER\tO\n2\tUlm\tB-LOC\tB-ORG\n")
    assert "tags are read from the last column; column= reads others: 3" in read(path)[0].notes
    assert [sorted(span[2] for span in record.spans) for record in read(path, column=3)] == [["LOC", "PER"]]


@pytest.mark.parametrize("end", ["\r", "\r\r", "\r\n", "\r\r\n", "\n"])
def test_lines_of_json_end_as_lines_of_columns_do(end, tmp_path):
    rows = [{"text": f"{name} met", "spans": [{"start": 0, "end": 3, "label": "PER"}]} for name in ("Ada", "Bob")]
    (tmp_path / "a.jsonl").write_bytes("".join(json.dumps(row) + end for row in rows).encode())
    assert what_is_read(read(tmp_path / "a.jsonl")) == ("Ada met|Bob met", ["Ada", "Bob"])


def test_a_name_of_two_columns_is_refused_and_a_number_chooses_one(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("TOKEN\tNE\tNE\nAda\tB-PER\tO\nmet\tO\tB-LOC\n")
    said = "column='NE': several columns are called 'NE': keep one of them, or give its number"
    with pytest.raises(ValueError, match=said):
        load(path, column="NE")
    assert what_is_read(load(path, column=2))[1] == ["Ada"]
    assert what_is_read(load(path, column=3))[1] == ["met"]
