"""Schemes of tags in CoNLL columns, and what is repaired."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import writers
from docs import nlp
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from reading import file_of, only, read, refused, result_of
from seqeval_peer import asks_seqeval, spans, whole_spans
from spacy.tokens import Doc
from spacy.training.iob_utils import biluo_tags_to_offsets, iob_to_biluo
from writers import Side, sides, tags

from spacy_nereval.io.formats import Format
from spacy_nereval.io.read import read_files
from spacy_nereval.io.records import Record

# CoNLL: schemes of tags


def tokens_of(found: Record) -> list[tuple[int, int, str]]:
    """The spans of a record in tokens, the last one included, as seqeval has them."""
    starts, ends = ([place[k] for place in found.tokens] for k in (0, 1))
    return sorted((starts.index(a), ends.index(b), label) for a, b, label in found.spans)


@pytest.mark.parametrize(
    "sentence, spans",
    [
        ("O O", []),
        ("I-A I-A O I-A", [(0, 1, "A"), (3, 3, "A")]),  # IOB1
        ("I-A B-A I-A I-B", [(0, 0, "A"), (1, 2, "A"), (3, 3, "B")]),
        ("B-A I-A O B-A", [(0, 1, "A"), (3, 3, "A")]),  # IOB2
        ("B-A B-A I-A B-B", [(0, 0, "A"), (1, 2, "A"), (3, 3, "B")]),
        ("B-A L-A U-A U-B", [(0, 1, "A"), (2, 2, "A"), (3, 3, "B")]),  # BILUO
        ("B-A I-A I-A L-A", [(0, 3, "A")]),
        ("B-A E-A S-A S-B", [(0, 1, "A"), (2, 2, "A"), (3, 3, "B")]),  # BIOES
        ("B-A I-A E-A O", [(0, 2, "A")]),
        ("B-creative-work I-creative-work", [(0, 1, "creative-work")]),
    ],
)
@pytest.mark.parametrize("repair", [None, "conll", "discard"])
def test_each_scheme_means_what_it_means(tmp_path, sentence, spans, repair):
    found = only(file_of(tmp_path / "a.iob", sentence), repair=repair)
    assert (tokens_of(found), found.repaired) == (spans, 0)


@pytest.mark.parametrize("scheme", writers.SCHEMES)
@given(st.lists(sides(), min_size=1, max_size=3))
def test_what_a_scheme_writes_is_read_without_repairs(scheme, corpus):
    with TemporaryDirectory() as directory:
        path = writers.conll(scheme)(Path(directory) / "a.iob", [gold for gold, _ in corpus])
        for repair in (None, "conll", "discard"):
            found = read(path, repair=repair, column=3)
            assert [record.spans for record in found] == [set(gold.offsets) for gold, _ in corpus]
            assert [record.text for record in found] == [gold.text for gold, _ in corpus]
            assert not any(record.repaired for record in found)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    "sentences, scheme, repairs",
    [
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
    ],
)
def test_the_scheme_is_that_of_the_whole_file(tmp_path, sentences, scheme, repairs, order):
    path = file_of(tmp_path / "a.iob", *sentences[::order])
    assert sum(record.repaired for record in read(path, repair="conll")) == repairs
    if repairs:
        with pytest.raises(ValueError, match=f"the tags are {scheme}, as . *") as raised:
            read(path)
        assert f"{path}, line " in str(raised.value)
    else:
        assert read(path) == read(path, repair="discard")


@pytest.mark.parametrize(
    "sentences, message",
    [
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
    ],
)
def test_an_invalid_sequence_is_an_error_with_line_and_reason(tmp_path, sentences, message):
    path = file_of(tmp_path / "a.iob", *sentences)
    with pytest.raises(ValueError) as raised:
        read(path)
    remedy = "use repair='conll' to read it as a span, or repair='discard' to leave it out"
    assert str(raised.value) == f"{path}, {message}; {remedy}"


PREFIXES = {"IOB2": "BI", "BILUO": "BILU", "BIOES": "BIES"}


EVIDENCE = {"IOB2": "B-Z", "BILUO": "U-Z", "BIOES": "S-Z"}


WITNESSES = {"IOB2": ("IOB2", "BI"), "BILUO": ("BILOU", "BILU"), "BIOES": ("IOBES", "BIES")}


@st.composite
def any_tags(draw: st.DrawFn, scheme: str) -> list[str]:
    known = ["O", *(f"{prefix}-{label}" for prefix in PREFIXES[scheme] for label in "AB")]
    return draw(st.lists(st.sampled_from(known), min_size=1, max_size=8))


def repaired(scheme: str, sequence: list[str], repair: str) -> tuple[list[tuple[int, int, str]], int]:
    """The spans of a sequence in a file that has the scheme, whatever the sequence, and the repairs."""
    with TemporaryDirectory() as directory:
        path = file_of(Path(directory) / "a.iob", EVIDENCE[scheme], " ".join(sequence))
        _, found = read(path, repair=repair)
        return tokens_of(found), found.repaired


@asks_seqeval
@pytest.mark.parametrize("scheme", PREFIXES)
@tries(150)
@given(st.data())
def test_repairs_give_the_spans_of_conlleval_as_seqeval_has_them(scheme, data):
    sequence = data.draw(any_tags(scheme))
    as_seqeval = [tag.replace("L-", "E-").replace("U-", "S-") for tag in sequence]
    wanted = sorted((start, end, label) for label, start, end in spans(as_seqeval))
    assert repaired(scheme, sequence, "conll")[0] == wanted


@asks_seqeval
@pytest.mark.parametrize("scheme", PREFIXES)
@tries(150)
@given(st.data())
def test_discarding_leaves_the_spans_that_are_whole(scheme, data):
    """Every span of conlleval whose tags are exactly those that the scheme would write for it."""
    sequence = data.draw(any_tags(scheme))
    kept, dropped = [], 0
    as_seqeval = [tag.replace("L-", "E-").replace("U-", "S-") for tag in sequence]
    for label, start, end in spans(as_seqeval):
        side = Side((tuple(map(str, range(len(sequence)))),), frozenset({(start, end + 1, label)}))
        if tags(side, scheme)[0][start : end + 1] == sequence[start : end + 1]:
            kept.append((start, end, label))
        else:
            dropped += 1
    assert repaired(scheme, sequence, "discard") == (sorted(kept), dropped)
    assert repaired(scheme, sequence, "conll")[1] == dropped


@asks_seqeval
@pytest.mark.parametrize("scheme", PREFIXES)
@tries(150)
@given(st.data())
def test_what_seqeval_has_in_its_strict_mode_is_not_discarded(scheme, data):
    sequence = data.draw(any_tags(scheme))
    found = whole_spans(sequence, WITNESSES[scheme][0])
    kept, _ = repaired(scheme, sequence, "discard")
    assert {(start, end, label) for label, start, end in found} >= set(kept)


@tries(150)
@given(st.data())
def test_spacys_own_conversion_gives_the_same_spans(data):
    """Of IOB as of BILUO, wherever it does not refuse a sequence."""
    sequence = data.draw(any_tags("IOB2"))
    made = Doc(nlp.vocab, words=[f"w{k}" for k in range(len(sequence))], spaces=[True] * (len(sequence) - 1) + [False])
    with TemporaryDirectory() as directory:
        path = file_of(Path(directory) / "a.iob", " ".join(sequence))
        found = only(path, repair="conll")
        biluo = only(file_of(path, " ".join(iob_to_biluo(sequence))))
    assert made.text == found.text
    assert found.spans == biluo.spans == set(biluo_tags_to_offsets(made, iob_to_biluo(sequence)))


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


@pytest.mark.parametrize(
    "option, value, message",
    [
        ("--repair", "seqeval", "--repair seqeval: expected one of error, conll, discard"),
        ("--discontinuous", "first", "--discontinuous first: expected one of hull, parts"),
        ("--format", "ini", "there is no format 'ini'"),
    ],
)
def test_ways_of_reading_that_are_not_known(tmp_path, option, value, message):
    path = file_of(tmp_path / "a.iob", "O")
    assert message in refused("score", path, path, option, value)
