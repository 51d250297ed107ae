"""One corpus scores the same from every format; what a format does not allow is named with file, line and reason."""

from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import writers
from docs import doc, nlp, write_docs
from hypothesis import given
from hypothesis import strategies as st
from places import DATA
from profiles import tries
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import BILOU, IOB2, IOBES, Entities
from spacy.tokens import Doc
from spacy.training.iob_utils import biluo_tags_to_offsets, iob_to_biluo
from typer.testing import CliRunner
from writers import Side, sides, tags, write_lines

from spacy_nereval import score
from spacy_nereval.cli import nereval
from spacy_nereval.io.formats import Format, name_of
from spacy_nereval.io.formats.settings import joined
from spacy_nereval.io.formats.settings import sides as formats_of
from spacy_nereval.io.read import read_files, records
from spacy_nereval.io.records import Record

ALL = ("strict", "semeval", "slot_error", "loio", "fair", "wrf")


def run(*arguments: Any):
    return CliRunner().invoke(nereval, [str(argument) for argument in arguments], catch_exceptions=False)


def refused(*arguments: Any) -> str:
    done = run(*arguments)
    assert done.exit_code == 1, done.output
    assert not done.stdout
    assert done.stderr.count("\n") == 1
    return done.stderr


def read(path: Path, **settings: Any) -> list[Record]:
    return list(records(path, format=Format(**settings)))


def only(path: Path, **settings: Any) -> Record:
    (found,) = read(path, **settings)
    return found


# One corpus, every format


def both(write, ending: str, directory: str, corpus, **settings):
    golds, preds = (write(Path(directory, f"{k}{ending}"), [pair[k] for pair in corpus]) for k in (0, 1))
    return read_files(golds, preds, formats=(Format(**settings), Format(**settings)))


FLAT = {
    "ours": (writers.jsonl(writers.ours), ".jsonl", {}),
    "prodigy": (writers.jsonl(writers.prodigy), ".jsonl", {}),
    "doccano": (writers.jsonl(writers.doccano), ".jsonl", {}),
    "old doccano": (writers.jsonl(writers.triples("labels")), ".ndjson", {}),
    "doccano 1": (writers.jsonl(writers.triples("label")), ".jsonl", {}),
    "spacy 2": (writers.jsonl(writers.triples("entities")), ".jsonl", {}),
    "brat": (writers.brat, "", {}),
    **{scheme: (writers.conll(scheme), ".iob", {"column": 3}) for scheme in writers.SCHEMES},
    "spaces": (writers.conll(between="  "), ".conll", {"column": 3}),
    "last": (writers.conll("BILUO"), ".tsv", {}),
}


@pytest.mark.parametrize("name", FLAT)
@tries(12)
@given(st.lists(sides(), min_size=1, max_size=3))
def test_flat_spans_score_the_same_from_every_format(name, corpus):
    write, ending, how = FLAT[name]
    with TemporaryDirectory() as directory:
        wanted = score(both(writers.write_spacy, ".spacy", directory, corpus), ALL)
        assert score(both(write, ending, directory, corpus, **how), ALL) == wanted
    assert wanted["gold"] == sum(len(gold.spans) for gold, _ in corpus)
    assert wanted["repaired"] == 0


@pytest.mark.parametrize("name", ["ours", "prodigy", "doccano", "old doccano", "brat"])
@tries(12)
@given(st.lists(sides(nested=True), min_size=1, max_size=3))
def test_nested_spans_score_the_same_from_every_format_that_has_them(name, corpus):
    write, ending, how = FLAT[name]
    with TemporaryDirectory() as directory:
        golds, preds = (
            writers.write_spacy(Path(directory, f"{k}.spacy"), [pair[k] for pair in corpus]) for k in (0, 1)
        )
        wanted = score(read_files(golds, preds, "sc"), ALL)
        assert score(both(write, ending, directory, corpus, **how), ALL) == wanted


@pytest.mark.parametrize("scheme", writers.SCHEMES)
@tries(12)
@given(st.lists(sides(sentences=1), min_size=1, max_size=3))
def test_tokens_score_the_same_with_and_without_words(scheme, corpus):
    """FairEval's files have token numbers alone, and not even how many there are."""
    metrics = {"strict": {}, "fair": {"unit": "token"}}
    with TemporaryDirectory() as directory:
        wanted = score(both(writers.write_spacy, ".spacy", directory, corpus), metrics)
        assert score(both(writers.faireval, ".csv", directory, corpus), metrics) == wanted
        assert score(both(writers.conll(scheme, marked=False), ".bio", directory, corpus), metrics) == wanted


@tries(12)
@given(st.lists(sides(), min_size=1, max_size=3), st.tuples(*[st.sampled_from(sorted(FLAT))] * 2))
def test_gold_and_predictions_may_have_different_formats(corpus, names):
    with TemporaryDirectory() as directory:
        wanted = score(both(writers.write_spacy, ".spacy", directory, corpus), ALL)
        paths, formats = [], []
        for k, name in enumerate(names):
            write, ending, how = FLAT[name]
            paths.append(write(Path(directory, f"{k}-other{ending}"), [pair[k] for pair in corpus]))
            formats.append(Format(**how))
        found = score(read_files(*paths, formats=tuple(formats)), ALL)
    assert found["metrics"].pop("wrf").keys() == wanted["metrics"].pop("wrf").keys()
    assert found["metrics"] == wanted["metrics"]


@pytest.mark.costly
@pytest.mark.skipif(not (DATA / "faireval_ner").is_dir(), reason=f"no data in {DATA}; SPACY_NEREVAL_DATA says where")
def test_the_files_of_faireval_have_the_numbers_of_the_paper(tmp_path):
    golds, preds = (DATA / "faireval_ner" / f"{name}.csv" for name in ("target", "system"))
    fair = score(read_files(golds, preds), {"fair": {"unit": "token"}})
    counts = fair["metrics"]["fair"]["counts"]
    boundary = [counts.pop(name) for name in ("be_s", "be_l", "be_o")]
    assert counts == {"tp": 5159, "fp": 253, "fn": 462, "le": 252, "lbe": 155}
    assert (boundary, fair["documents"], fair["gold"], fair["pred"]) == ([71, 106, 3], 5100, 6178, 5953)


# Which format it is


@pytest.mark.parametrize(
    "name, format",
    [
        ("a.spacy", "spacy"),
        ("a.jsonl", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.JSONL", "jsonl"),
        ("a.conll", "conll"),
        ("a.iob", "conll"),
        ("a.bio", "conll"),
        ("a.tsv", "conll"),
        ("a.csv", "faireval"),
    ],
)
def test_the_ending_tells_the_format(name, format):
    assert name_of(Path(name)) == format
    assert name_of(Path(name), Format("brat")) == "brat"


@pytest.mark.parametrize("name", ["a.txt", "a.json", "a", "a.conll.gz", "jsonl"])
def test_another_ending_needs_a_name(name):
    with pytest.raises(ValueError) as raised:
        name_of(Path(name))
    for said in (f"the ending of {name} is not known", ".jsonl", ".conll", ".csv", ".ann", "--format", "faireval"):
        assert said in str(raised.value)
    assert name_of(Path(name), Format("conll")) == "conll"


def test_a_folder_is_brats_if_it_has_annotation(tmp_path):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    for name in ("deep/a.txt", "deep/._a.ann"):
        (tmp_path / name).write_text("")
    with pytest.raises(ValueError, match=r"deep is a folder without \.ann files.*--format"):
        name_of(tmp_path / "deep")
    (tmp_path / "deep" / "er" / "a.ann").write_text("")
    assert name_of(tmp_path / "deep") == "brat"


@pytest.mark.parametrize("format", ["spacy", "jsonl", "conll", "brat", "faireval"])
def test_what_is_not_there_is_an_error_in_every_format(tmp_path, format):
    for path in (tmp_path / "none", write_lines(tmp_path / "file", []) if format == "brat" else tmp_path):
        with pytest.raises(ValueError) as raised:
            read(path, name=format)
        assert str(raised.value).startswith(f"{path} is ")
        assert "no f" in str(raised.value)  # file, or folder


@pytest.mark.parametrize("format", ["jsonl", "conll", "faireval"])
@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b"\r\n\r\n"])
def test_an_empty_file_has_no_documents(tmp_path, format, data):
    (tmp_path / "a").write_bytes(data)
    assert read(tmp_path / "a", name=format) == []
    assert "there are no documents to score" in refused("score", *[tmp_path / "a"] * 2, "--format", format)


@tries(150)
@given(st.sampled_from(["jsonl", "conll", "faireval", "brat"]), st.binary(max_size=40) | st.text(max_size=30))
def test_whatever_is_in_a_file_is_records_or_an_error_with_file_and_line(format, data):
    with TemporaryDirectory() as directory:
        path = named = Path(directory) / ("a.ann" if format == "brat" else "a")
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf8", "surrogatepass"))
        if format == "brat":
            path.with_suffix(".txt").write_text("Ada in New York", encoding="utf8")
            path = path.parent
        try:
            found = read(path, name=format)
        except ValueError as error:
            assert str(error).startswith(f"{named}, line ")
            assert "\n" not in str(error).split("(")[0]
        else:
            score(read_files(path, path, formats=(Format(format), Format(format))))
            assert all(isinstance(record, Record) for record in found)


# Lines of JSON


def line_of(**entry: Any) -> Record:
    with TemporaryDirectory() as directory:
        return only(write_lines(Path(directory) / "a.jsonl", [json.dumps({"text": "Ada in York"} | entry)]))


ADA = (0, 3, "PER")
SHAPES = {
    "objects": {"start": 0, "end": 3, "label": "PER", "token_start": 0},
    "offsets": {"id": 7, "start_offset": 0, "end_offset": 3, "label": "PER"},
    "triples": [0, 3, "PER"],
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("key", ["spans", "entities", "label", "labels"])
def test_spans_are_found_under_every_name_and_in_every_shape(key, shape):
    assert line_of(**{key: [shape]}).spans == {ADA}


def test_the_text_may_be_data_as_in_some_versions_of_doccano(tmp_path):
    entry = {"id": 10, "data": "Ada in York", "label": [SHAPES["triples"]]}
    found = only(write_lines(tmp_path / "a.jsonl", [json.dumps(entry)]))
    assert (found.text, found.spans, found.id) == ("Ada in York", {ADA}, "10")
    assert line_of(data=7, spans=[]).text == "Ada in York"


def test_a_line_may_say_the_same_twice():
    assert line_of(spans=[SHAPES["objects"]], label=[SHAPES["triples"], SHAPES["triples"]]).spans == {ADA}
    assert line_of(spans=[SHAPES["objects"]], label="PER", labels=None, entities={}).spans == {ADA}


@pytest.mark.parametrize("other", [[], [[0, 3, "LOC"]], [[0, 3, "PER"], [7, 11, "LOC"]]])
@pytest.mark.parametrize("keys", [("spans", "entities"), ("entities", "labels"), ("label", "labels")])
def test_a_line_may_not_say_two_things(keys, other):
    for one, two in (keys, keys[::-1]):
        with pytest.raises(ValueError, match=rf'line 1: "{keys[0]}" and "{keys[1]}" do not list the same spans'):
            line_of(**{one: [SHAPES["triples"]], two: other})


@pytest.mark.parametrize("answer", ["reject", "ignore"])
def test_an_answer_that_is_not_accepted_is_no_annotation(answer):
    found = line_of(spans=[SHAPES["objects"]], answer=answer)
    assert (found.annotated, found.text) == (False, "Ada in York")
    assert not line_of(answer=answer).annotated


def test_an_accepted_text_without_spans_has_none():
    found = line_of(answer="accept")
    assert (found.annotated, found.spans) == (True, set())
    for entry in ({}, {"answer": "accept", "spans": {"start": 0}}):
        with pytest.raises(ValueError, match='there is no list of "spans"'):
            line_of(**entry)


def test_spans_may_have_answers_of_their_own():
    spans = [SHAPES["objects"] | {"answer": "accept"}, {"start": 7, "end": 11, "label": "LOC", "answer": "reject"}]
    assert line_of(spans=spans).spans == {ADA}
    with pytest.raises(ValueError, match="the answer 'no' is none of accept, reject, ignore"):
        line_of(spans=[SHAPES["objects"] | {"answer": "no"}])


@pytest.mark.parametrize(
    "entry, message",
    [
        ({"answer": "yes", "spans": []}, "the answer 'yes' is none of accept, reject, ignore"),
        ({"answer": ["accept"], "spans": []}, "the answer ['accept'] is none of accept"),
        ({"label": ["PER"]}, "span 0 has no 'start', 'end', 'label'"),
        ({"labels": [[0, 3]]}, "span 0, span [0, 3] is not (start, end, label)"),
        ({"labels": [[0, 3, "PER"], [0, 30, "PER"]]}, "span 1, Span(0, 30, 'PER') ends after the text"),
        ({"entities": [{"start_offset": 0, "label": "PER"}]}, "span 0 has no 'end_offset'"),
        ({"annotations": [{"start_offset": 0, "end_offset": 3, "label": 7}]}, 'there is no list of "spans"'),
        ({"label": "PER"}, 'there is no list of "spans"'),
    ],
)
def test_what_a_line_of_json_lacks_is_named(entry, message):
    with pytest.raises(ValueError) as raised:
        line_of(**entry)
    assert f"a.jsonl, line 1: {message}" in str(raised.value)


def test_rejected_gold_is_skipped_and_counted(tmp_path):
    answers = ("accept", "reject", "accept", "ignore")
    lines = [json.dumps({"text": f"Ada {k}", "spans": [SHAPES["objects"]], "answer": a}) for k, a in enumerate(answers)]
    gold = write_lines(tmp_path / "gold.jsonl", lines)
    pred = write_lines(tmp_path / "pred.jsonl", [line.replace("reject", "accept") for line in lines])
    found = score(read_files(gold, pred), ["strict"])
    assert (found["documents"], found["skipped"], found["metrics"]["strict"]["counts"]["tp"]) == (2, 2, 2)


def test_rejected_predictions_are_no_predictions_of_nothing(tmp_path):
    gold, pred = (
        write_lines(
            tmp_path / name, [json.dumps({"text": "Ada", "spans": [SHAPES["objects"]], "answer": a, "id": "x"})]
        )
        for name, a in (("gold.jsonl", "accept"), ("pred.jsonl", "reject"))
    )
    with pytest.raises(ValueError) as raised:
        list(read_files(gold, pred))
    assert str(raised.value) == f"{gold} and {pred}, document 0 (x): it is annotated in {gold}, and not in {pred}"


# CoNLL: schemes of tags


def file_of(path: Path, *sentences: str) -> Path:
    """Words w0, w1, ... with these tags."""
    blocks = ("".join(f"w{k}\t{tag}\n" for k, tag in enumerate(sentence.split())) for sentence in sentences)
    path.write_text("\n".join(blocks), encoding="utf8")
    return path


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
        (["O B-A O I-A"], "line 4: I-A continues nothing, and the tags are IOB2, as B-A in line 2 shows"),
        (["B-A I-B"], "line 2: I-B continues nothing, and the tags are IOB2, as B-A in line 1 shows"),
        (["B-A", "I-A"], "line 3: I-A continues nothing, and the tags are IOB2, as B-A in line 1 shows"),
        (["I-A O", "O B-A"], "line 1: I-A continues nothing, and the tags are IOB2, as B-A in line 5 shows"),
        (["O B-A O U-B"], "line 2: B-A is not ended by an L or E, and the tags are BILUO, as U-B in line 4 shows"),
        (["B-A I-A", "S-B"], "line 1: B-A is not ended by an L or E, and the tags are BILUO, as S-B in line 4 shows"),
        (["B-A B-A L-A"], "line 1: B-A is not ended by an L or E, and the tags are BILUO, as L-A in line 3 shows"),
        (["B-A L-B"], "line 1: B-A is not ended by an L or E, and the tags are BILUO, as L-B in line 2 shows"),
        (["U-A L-A"], "line 2: L-A continues nothing, and the tags are BILUO, as U-A in line 1 shows"),
        (["B-A E-A I-A"], "line 3: I-A continues nothing, and the tags are BILUO, as E-A in line 2 shows"),
    ],
)
def test_an_invalid_sequence_is_an_error_with_line_and_reason(tmp_path, sentences, message):
    path = file_of(tmp_path / "a.iob", *sentences)
    with pytest.raises(ValueError) as raised:
        read(path)
    remedy = "--repair conll makes a span of it, --repair discard leaves it out"
    assert str(raised.value) == f"{path}, {message}; {remedy}"


PREFIXES = {"IOB2": "BI", "BILUO": "BILU", "BIOES": "BIES"}
EVIDENCE = {"IOB2": "B-Z", "BILUO": "U-Z", "BIOES": "S-Z"}
WITNESSES = {"IOB2": (IOB2, "BI"), "BILUO": (BILOU, "BILU"), "BIOES": (IOBES, "BIES")}


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


@pytest.mark.parametrize("scheme", PREFIXES)
@tries(150)
@given(st.data())
def test_repairs_give_the_spans_of_conlleval_as_seqeval_has_them(scheme, data):
    sequence = data.draw(any_tags(scheme))
    as_seqeval = [tag.replace("L-", "E-").replace("U-", "S-") for tag in sequence]
    wanted = sorted((start, end, label) for label, start, end in get_entities(as_seqeval))
    assert repaired(scheme, sequence, "conll")[0] == wanted


@pytest.mark.parametrize("scheme", PREFIXES)
@tries(150)
@given(st.data())
def test_discarding_leaves_the_spans_that_are_whole(scheme, data):
    """Every span of conlleval whose tags are exactly those that the scheme would write for it."""
    sequence = data.draw(any_tags(scheme))
    kept, dropped = [], 0
    as_seqeval = [tag.replace("L-", "E-").replace("U-", "S-") for tag in sequence]
    for label, start, end in get_entities(as_seqeval):
        side = Side((tuple(map(str, range(len(sequence)))),), frozenset({(start, end + 1, label)}))
        if tags(side, scheme)[0][start : end + 1] == sequence[start : end + 1]:
            kept.append((start, end, label))
        else:
            dropped += 1
    assert repaired(scheme, sequence, "discard") == (sorted(kept), dropped)
    assert repaired(scheme, sequence, "conll")[1] == dropped


@pytest.mark.parametrize("scheme", PREFIXES)
@tries(150)
@given(st.data())
def test_what_seqeval_has_in_its_strict_mode_is_not_discarded(scheme, data):
    sequence = data.draw(any_tags(scheme))
    found = Entities([sequence], WITNESSES[scheme][0]).entities[0]
    kept, _ = repaired(scheme, sequence, "discard")
    assert {(entity.start, entity.end - 1, entity.tag) for entity in found} >= set(kept)


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
        (["a B-A", "b C-A"], {}, "line 2: 'C-A' is no tag; O was wanted, or B-, I-, L-, U-, E- or S- with a label"),
        (["a B-"], {}, "line 1: 'B-' is no tag"),
        (["a B"], {}, "line 1: 'B' is no tag"),
        (["a b-A"], {}, "line 1: 'b-A' is no tag"),
        (["a PER"], {}, "line 1: 'PER' is no tag"),
        (["# text = I like O", "I O"], {}, "line 2: columns: 2, and 6 before"),
        (["# id 7", "I O"], {}, "line 1: '7' is no tag"),
        (["a N O", "", "b O"], {}, "line 3: columns: 2, and 3 before"),
        (["a\tO", "b N\tO\tO"], {}, "line 2: columns: 3, and 2 before"),
        (["a O", "b"], {}, "line 2: columns: 1, and 2 before"),
        (["a", "b"], {}, "line 1: there is one column; words and tags were wanted"),
        (["\tO"], {}, "line 1: there is no word in the first column"),
        (["a O"], {"column": 3}, "line 1: there is no column 3; there are 2"),
        (["a O"], {"column": 1}, "line 1: the first column has the words, and no tags"),
        (["a O O"], {"column": 1, "both": True}, "line 1: the first column has the words, and no tags"),
        (["a O"], {"column": -2}, "line 1: the first column has the words, and no tags"),
        (["O O"], {"column": 3, "both": True}, "line 1: there is no column 3; there are 2"),
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


def result_of(tmp_path: Path, *arguments: Any) -> dict[str, Any]:
    done = run("score", *arguments, "--output", tmp_path / "out.json", "-m", "strict,fair")
    assert done.exit_code == 0, done.output
    return json.loads((tmp_path / "out.json").read_text(encoding="utf8"))


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
    assert "line 1: 'Ada' is no tag" in said
    assert "a file alone has gold tags in its last column but one, and predictions in the last" in said
    assert "the file of the predictions behind it" in said
    wrong = write_lines(tmp_path / "wrong.conll", ["Ada PER"])
    assert "a file alone" not in refused("score", wrong, wrong)


@pytest.mark.parametrize(
    "column, message",
    [
        ("3", "--column 3: a file with both sides has two columns of labels, as in --column 3,4"),
        ("3,3", "--column 3,3: a file with both sides has two columns"),
        ("0", "--column 0: 'last' or a number from 1 up was wanted"),
        ("-1", "--column -1: 'last' or a number"),
        ("1.5", "--column 1.5: 'last' or a number"),
        ("first", "--column first: 'last' or a number"),
        ("2,3,4", "--column 2,3,4: 'last' or a number"),
        ("", "--column : 'last' or a number"),
        ("9,last", "both.conll, line 1: there is no column 9; there are 4"),
        ("1,last", "both.conll, line 1: the first column has the words"),
        ("2,last", "both.conll, line 1: 'N' is no tag"),
    ],
)
def test_columns_that_cannot_be(tmp_path, column, message):
    assert message in refused("score", write_lines(tmp_path / "both.conll", BOTH), "--column", column)


def test_only_a_conll_file_has_both_sides(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", ['{"text": "a", "spans": []}'])
    assert f"predictions to score against {path} are missing" in refused("score", path)
    assert "words and tags" in refused("score", write_lines(tmp_path / "a.conll", ["a"]))


# Repairs, on the command line


def test_repairs_of_both_sides_are_counted(tmp_path):
    gold = file_of(tmp_path / "gold.iob", "B-A O I-A", "O I-A", "B-B I-B")
    pred = file_of(tmp_path / "pred.iob", "B-A O B-A", "O I-A", "B-B I-A")
    assert "gold.iob, line 3: I-A continues nothing" in refused("score", gold, pred)
    found = {repair: result_of(tmp_path, gold, pred, "--repair", repair) for repair in ("conll", "discard")}
    assert [found[repair]["repaired"] for repair in found] == [4, 4]
    assert found["conll"]["metrics"]["strict"]["counts"] == {"tp": 3, "fp": 2, "fn": 1}
    assert found["discard"]["metrics"]["strict"]["counts"] == {"tp": 1, "fp": 2, "fn": 1}
    documents = list(read_files(gold, pred, formats=(Format(repair="conll"),) * 2))
    assert [document.repaired for document in documents] == [1, 2, 1]


@pytest.mark.parametrize(
    "option, value, message",
    [
        ("--repair", "seqeval", "--repair seqeval: one of conll, discard was wanted"),
        ("--discontinuous", "first", "--discontinuous first: one of hull, parts was wanted"),
        ("--format", "ini", "there is no format 'ini'"),
    ],
)
def test_ways_of_reading_that_are_not_known(tmp_path, option, value, message):
    path = file_of(tmp_path / "a.iob", "O")
    assert message in refused("score", path, path, option, value)


# brat


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
    assert f"document 0 (a): it is annotated in {gold}, and not in {pred}" in refused("score", gold, pred)
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
    assert f"a.ann, line 1: the span is in {pieces.count(';') + 1} pieces; --discontinuous hull" in said
    assert "--discontinuous parts" in said
    assert result_of(tmp_path, folder, folder, "--discontinuous", "hull")["gold"] == 1
    assert only(folder, discontinuous="hull").spans == {(0, 12, "PER")}
    assert {(0, 3, "PER"), (8, 12, "PER")} <= only(folder, discontinuous="parts").spans
    assert len(only(folder, discontinuous="parts").spans) == pieces.count(";") + 1


@pytest.mark.parametrize(
    "line, message",
    [
        ("T1\tPER 0 3\tBob", "the text at 0 3 is 'Ada', and not 'Bob'"),
        ("T1\tPER 0 3\t", "the text at 0 3 is 'Ada', and not ''"),
        ("T1\tPER 0 3;4 6\tAda", "the text at 0 3;4 6 is 'Ada in', and not 'Ada'"),
        ("T1\tPER 0 99\tAda", "T1 Span(0, 99, 'PER') ends after the text, which has 6 characters"),
        ("T1\tPER 3 0\tAda", "T1 Span(3, 0, 'PER') ends before it starts"),
        ("T1\tPER 0 3", "'T1', a tab, 'LABEL 0 5', a tab, and the text from 0 to 5 were wanted"),
        ("T1 PER 0 3 Ada", "'T1', a tab,"),
        ("T1\tPER 0\tAda", "'T1', a tab,"),
        ("T1\tPER -1 3\tAda", "'T1', a tab,"),
        ("T1\t0 3\tAda", "'T1', a tab,"),
        ("T1\tPER 0 3;\tAda", "'T1', a tab,"),
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
    assert str(raised.value).endswith(f"is '{'a' * 40}...', and not 'b'")


def test_annotation_without_a_text_is_an_error(tmp_path):
    folder = folder_of(tmp_path / "x" / "deep", a="Ada|")
    (folder / "a.txt").rename(folder / "b.txt")
    with pytest.raises(ValueError) as raised:
        read(tmp_path / "x")
    assert str(raised.value) == f"{folder / 'a.ann'} has no text: there is no a.txt beside it"


def test_a_text_of_brat_in_another_encoding_is_named_with_its_line(tmp_path):
    folder = folder_of(tmp_path / "x", a="a|")
    (folder / "a.txt").write_bytes("a\nb\nZoë".encode("latin1"))
    with pytest.raises(ValueError, match=r"a\.txt, line 3: not valid in UTF-8"):
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


# FairEval


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
    with pytest.raises(ValueError, match=r"a\.csv, line 1: the span is in 2 pieces; --discontinuous hull"):
        read(path)
    assert only(path, discontinuous="hull").spans == {(0, 7, "A")}
    assert only(path, discontinuous="parts").spans == {(0, 3, "A"), (6, 7, "A")}


@pytest.mark.parametrize(
    "lines, message",
    [
        (["A\t1\t1"], "line 1: label, first, last and all tokens were wanted"),
        (["A,1,1,1"], "line 1: label, first, last and all tokens were wanted"),
        (["A\t1\tx\t1"], "line 1: label, first, last and all tokens were wanted"),
        (["A\t1\t1\t"], "line 1: label, first, last and all tokens were wanted"),
        (["A\t1\t1\t1\t1"], "line 1: label, first, last and all tokens were wanted"),
        (["label\tfirst\tlast\ttokens"], "line 1: label, first, last and all tokens were wanted"),
        (["\t1\t1\t1"], "line 1: there is no label"),
        (["A\t0\t1\t0, 1"], "line 1: tokens from 0 to 1: from 1 up to 100000 was wanted"),
        (["A\t2\t1\t2, 1"], "line 1: tokens from 2 to 1"),
        (["A\t100001\t100001\t100001"], "line 1: tokens from 100001 to 100001"),
        (["A\t1\t3\t1, 2"], "line 1: 1, 2 are not tokens from 1 to 3 in their order"),
        (["A\t1\t3\t2, 3"], "line 1: 2, 3 are not tokens from 1 to 3 in their order"),
        (["A\t1\t3\t1, 3, 2"], "line 1: 1, 3, 2 are not tokens"),
        (["A\t1\t2\t1, 1, 2"], "line 1: 1, 1, 2 are not tokens"),
        (["A\t1\t1\t1", "NONE\t1\t1\t1"], "line 2: NONE stands for no span, and has no tokens but 999"),
        (["EMPTY\t1\t999\t1, 999"], "line 1: EMPTY stands for no span"),
        (["A\t1\t1\t1", "", "", "A\t1\t1\t1"], "line 4: the sentence before it has no row, not even NONE, 999"),
        (["", "A\t1\t1\t1"], "line 2: the sentence before it has no row"),
    ],
)
def test_a_malformed_row_of_faireval_is_named(tmp_path, lines, message):
    path = write_lines(tmp_path / "a.csv", lines)
    with pytest.raises(ValueError) as raised:
        read(path)
    assert str(raised.value).startswith(f"{path}, {message}")


# All of them


@pytest.mark.parametrize(
    "names, settings, wanted",
    [
        ((), {}, (Format(), Format())),
        (("conll",), {"column": "3"}, (Format("conll", 3), Format("conll", 3))),
        (("brat", "conll"), {"column": "3,last"}, (Format("brat", 3), Format("conll", -1))),
        ((), {"both": True}, (Format(None, -2, True), Format(None, -1, True))),
        ((), {"repair": "conll", "discontinuous": "hull"}, (Format(None, -1, False, "conll", "hull"),) * 2),
    ],
)
def test_options_as_people_write_them(names, settings, wanted):
    assert formats_of(names, **settings) == wanted


@pytest.mark.parametrize("names", [("conll",), ("conll", "jsonl")])
def test_formats_are_named_on_the_command_line(tmp_path, names):
    gold = file_of(tmp_path / "gold.txt", "B-A O", "O B-B")
    pred = tmp_path / "pred.txt"
    if names[-1] == "conll":
        file_of(pred, "B-A O", "O B-A")
    else:
        spans = [[{"start": 0, "end": 2, "label": "A"}], [{"start": 3, "end": 5, "label": "A"}]]
        write_lines(pred, [json.dumps({"text": "w0 w1", "spans": each}) for each in spans])
    found = result_of(tmp_path, gold, pred, "--format", ",".join(names))
    assert found["metrics"]["fair"]["counts"] | {"tp": 1, "le": 1} == found["metrics"]["fair"]["counts"]
    assert "the ending of" in refused("score", gold, pred)


@pytest.mark.costly
def test_files_are_not_held_in_memory(tmp_path):
    """The largest part of what is read stays far below the size of the file."""
    side = Side((("word",) * 6,), frozenset({(0, 2, "A"), (3, 4, "B")}))
    lines = writers.jsonl(writers.prodigy)(tmp_path / "a.jsonl", [side] * 500)
    columns = writers.conll(marked=False)(tmp_path / "a.iob", [side] * 3000)
    rows = writers.faireval(tmp_path / "a.csv", [side] * 10_000)
    for path, number, column in ((lines, 500, -1), (columns, 3000, 3), (rows, 10_000, -1)):
        size = os.path.getsize(path)
        assert size > 150_000
        next(records(path, format=Format(column=column)))  # whatever is cached
        tracemalloc.start()
        found = sum(1 for _ in records(path, format=Format(column=column)))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert found == number
        assert peak < size / 4


def test_span_groups_are_those_of_docs_alone(tmp_path):
    grouped = write_docs(tmp_path / "a.spacy", [doc("a b", spans={"k": [(0, 1, "A")]})])
    other = write_lines(tmp_path / "b.conll", ["a B-A", "b O"])
    (found,) = read_files(grouped, other, "k")
    assert found.hits == {(0, 1, "A")}
    with pytest.raises(ValueError, match="span groups such as 'k' are read from .spacy files"):
        list(read_files(other, other, "k"))
