"""Spans inside tokens, and pieces and texts of brat files as they come from other tools."""

import pytest
from commands import printed, refused, run, write
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries

from spacy_nereval import Span, apply, load, score
from spacy_nereval.io.converting import Losses, align_records
from spacy_nereval.io.records import Record

TEXT = "Ada-Lovelace met Bobs"
SPANS = [(4, 12, "PER"), (17, 20, "PER"), (1, 2, "X")]
ROW = {"text": TEXT, "spans": [*SPANS], "tokens": [{"start": 0, "end": 12}, {"start": 13, "end": 16}, {"start": 17, "end": 21}]}  # fmt: skip # noqa: E501


@pytest.mark.parametrize("name", ["b.conll", "b.spacy"])
def test_spans_inside_tokens_are_refused_with_all_remedies_and_can_be_aligned(name, tmp_path):
    path, out = write(tmp_path / "a.jsonl", {**ROW, "spans": SPANS[:2]}), tmp_path / name
    said = refused("convert", path, out)
    assert "align them with --align expand, choose another format, or drop them with --drop" in said
    assert "--lang" not in said  # there are tokens
    done = run("convert", path, out, "--align", "expand")
    assert "changed: spans that were aligned with the tokens (2)" in done.stderr
    assert [(s, e) for s, e, _ in load(out)[0].spans] == [(0, 12), (17, 21)]
    assert "do not begin and end at token boundaries" in refused("convert", path, out, "--align", "contract")
    printed("convert", path, out, "--align", "contract", "--drop")
    assert load(out)[0].spans == []


def test_the_language_is_named_where_there_are_no_tokens(tmp_path):
    path, out = write(tmp_path / "a.jsonl", {"text": "我在北京市", "spans": [[2, 4, "LOC"]]}), tmp_path / "b.conll"
    assert "give the language of the tokenizer with --lang, align them with --align expand" in refused(
        "convert", path, out
    )
    printed("convert", path, out, "--lang", "zh")
    printed("convert", path, out, "--align", "expand")


def test_other_formats_hold_spans_inside_tokens(tmp_path):
    path = write(tmp_path / "a.jsonl", {"text": TEXT, "spans": SPANS})
    assert "can store spans inside tokens; remove it" in refused(
        "convert", path, tmp_path / "b.jsonl", "--align", "expand"
    )
    assert "--align wide: expected one of expand, contract" in refused(
        "convert", path, tmp_path / "b.conll", "--align", "wide"
    )


def test_corrections_are_aligned_too(tmp_path):
    corrected = apply([{**ROW, "spans": SPANS[:1]}], [])
    assert corrected.write(tmp_path / "a.conll", align="expand") == [
        "changed: spans that were aligned with the tokens (1)"
    ]
    assert load(tmp_path / "a.conll")[0].spans == [(0, 12, "PER")]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 5)), max_size=5), st.sampled_from(["expand", "contract"]))
@tries(200)
def test_aligned_spans_are_those_of_spacy(spans, align):
    """`Doc.char_span` with the alignment mode is the other witness."""
    import spacy

    doc = spacy.blank("en")(TEXT)
    tokens = [(token.idx, token.idx + len(token)) for token in doc]
    record = Record(TEXT, {(a, min(a + n, len(TEXT)), "A") for a, n in spans}, tokens)
    (aligned,) = align_records([record], lambda text: tokens, align, Losses(True, "CoNLL"))
    theirs = (
        doc.char_span(*span, alignment_mode=align) for span in record.spans if not TEXT[span[0] : span[1]].isspace()
    )
    assert set(aligned.spans) == {(s.start_char, s.end_char, "A") for s in theirs if s is not None and s.text.strip()}


# brat: pieces, line ends, byte order marks

BRAT = {
    "a mark that offsets do not count": ("\ufeffAda met", "T1\tPER 0 3\tAda\n", {}, "Ada met", ["Ada"]),
    "a mark that they count": ("\ufeffAda met", "T1\tPER 1 4\tAda\n", {}, "Ada met", ["Ada"]),
    "a mark and nothing else": ("\ufeff", "", {}, "", []),
    "line ends that count as one": ("Ada\r\nmet Bob in London", "T1\tPER 0 3\tAda\nT2\tLOC 15 21\tLondon\n", {},
                                    "Ada\nmet Bob in London", ["Ada", "London"]),
    "line ends that count as two": ("Ada\r\nmet Bob in London", "T1\tPER 0 3\tAda\nT2\tLOC 16 22\tLondon\n", {},
                                    "Ada\r\nmet Bob in London", ["Ada", "London"]),
    "both": ("\ufeffAda\r\nmet London", "T2\tLOC 8 14\tLondon\n", {}, "Ada\nmet London", ["London"]),
    "in another unit": ("😀😀\r\nAda", "T1\tPER 5 8\tAda\n", {"offsets": "auto"}, "😀😀\nAda", ["Ada"]),
    "pieces at a line end": ("the purus\nconv and", "T1\tO 4 9;10 14\tpurus conv\n", {}, "the purus\nconv and",
        ["purus\nconv"]),
    "a line end within a gap": ("the purus\nconvallis and Nam est\nsodales x", "T1\tO 4 9;10 19\tpurus convallis\n"
        "T2\tO 24 27;32 39\tNam sodales\n", {"discontinuous": "parts"}, "the purus\nconvallis and Nam est\nsodales x",
        ["purus\nconvallis", "Nam", "sodales"]),
    "pieces beside pieces": ("a b\nc d", "T1\tO 0 1;2 3;4 5\ta b c\n", {}, "a b\nc d", ["a b\nc"]),
    "the rest in hulls": ("a b\nc d e", "T1\tO 2 3;4 5;8 9\tb c e\n", {"discontinuous": "hull"}, "a b\nc d e",
        ["b\nc d e"]),
    "the rest in parts": ("a b\nc d e", "T1\tO 2 3;4 5;8 9\tb c e\n", {"discontinuous": "parts"}, "a b\nc d e",
        ["b\nc", "e"]),
}  # fmt: skip


@pytest.mark.parametrize("text, lines, options, read, spans", BRAT.values(), ids=BRAT)
def test_brat_files_are_read_as_they_are(text, lines, options, read, spans, tmp_path):
    (tmp_path / "a.txt").write_bytes(text.encode())
    (tmp_path / "a.ann").write_bytes(lines.encode())
    (record,) = load(tmp_path, **options)
    assert (record.text, [record.text[start:end] for start, end, _ in record.spans]) == (read, spans)
    gold = [{"text": read, "spans": [*record.spans]}]
    assert score(gold, [record], ["strict"]).strict.counts["fn"] == 0
    path, given = (
        write(tmp_path / "g.jsonl", {"id": "a", **gold[0]}),
        [f"--{n}={value}" for n, value in options.items()],
    )
    for command in (("score", path, tmp_path, "-m", "strict"), ("agreement", path, tmp_path)):
        said = run(*command, *given).stdout
        assert "strict F 100.00" in said or not spans, command


def test_brat_files_that_fit_in_no_way_keep_their_error(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfAda\r\nmet")
    (tmp_path / "a.ann").write_text("T1\tPER 0 3\tBob\n")
    assert "line 1: the text at 0 3 is '\\ufeffAd', but the line says 'Bob'" in refused("score", tmp_path, tmp_path)
    (tmp_path / "a.txt").write_text("a b c d")
    (tmp_path / "a.ann").write_text("T1\tO 0 1;4 5\ta c\n")
    (record,) = load(tmp_path)
    assert [*record.spans] == [Span.of_pieces([(0, 1), (4, 5)], "O")]


def test_a_span_of_white_space_alone_is_not_to_be_aligned(tmp_path):
    path = write(tmp_path / "a.jsonl", {"text": "Ada  met", "spans": [[3, 5, "X"], [0, 3, "PER"]]})
    said = refused("convert", path, tmp_path / "a.conll", "--align", "expand")
    assert "such as X ' ' from 3 to 5; choose another format, or drop them with --drop" in said
    printed("convert", path, tmp_path / "a.conll", "--align", "expand", "--drop")
    assert load(tmp_path / "a.conll")[0].spans == [(0, 3, "PER")]
