"""`nereval convert`: what is written reads back the same; nothing is lost unsaid."""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import writers
from commands import flat, line, refused, run, write
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from reading import only, read
from samples import SAMPLES, write_sample

from spacy_nereval.integration.spacy_files import write_annotation
from spacy_nereval.io.records import Record

OUTPUTS = ("out.spacy", "out.jsonl", "out.conll", "out")


def converted(*arguments: object) -> str:
    """What the command told on stderr."""
    done = run("convert", *arguments)
    assert done.exit_code == 0, done.output
    return flat(done.stderr)


def said_of(record: Record) -> tuple[object, ...]:
    """What every format keeps: the text without white space, the spans as texts, whether there are any."""
    shown = sorted(("".join(record.text[a:b].split()), label) for a, b, label in record.spans)
    return "".join(record.text.split()), shown, record.annotated


@pytest.mark.costly
@pytest.mark.parametrize("output", OUTPUTS)
def test_every_sample_is_converted_to_every_format(output, tmp_path):
    for name in SAMPLES:
        folder = tmp_path / name.replace(" ", "")
        folder.mkdir()
        path, target = write_sample(name, folder), tmp_path / f"{folder.name}-{output}"
        converted(path, target)
        wanted, found = only(path), only(target)
        assert said_of(found) == said_of(wanted)
        if not output.endswith("conll"):
            assert (found.text, found.spans) == (wanted.text, wanted.spans)


def test_progress_is_shown_while_documents_are_converted(tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr("tqdm.tqdm", lambda documents, **how: shown.append(how["unit"]) or documents)
    converted(write_sample("XMI", tmp_path), tmp_path / "out.jsonl")
    assert shown == [" docs"] and len(only(tmp_path / "out.jsonl").spans) == 3


@pytest.mark.costly
@tries(12)
@given(st.lists(writers.sides(), min_size=1, max_size=3))
def test_flat_spans_go_through_all_formats_and_back(corpus):
    with TemporaryDirectory() as name:
        folder = Path(name)
        first = writers.jsonl(writers.prodigy)(folder / "a.jsonl", [side for side, _ in corpus])
        wanted, last = [said_of(record) for record in read(first)], first
        for output in ("b.conll", "c.spacy", "d", "e.jsonl"):
            converted(last, folder / output)
            last = folder / output
            assert [said_of(record) for record in read(last)] == wanted
        converted(last, folder / "f.jsonl")
        assert (folder / "f.jsonl").read_bytes() == last.read_bytes()


@tries(12)
@given(st.lists(writers.sides(nested=True), min_size=1, max_size=3))
def test_nested_spans_are_kept_where_they_can_be(corpus):
    with TemporaryDirectory() as name:
        folder = Path(name)
        first = writers.jsonl(writers.prodigy)(folder / "a.jsonl", [side for side, _ in corpus])
        wanted = [(record.text, record.spans, record.annotated) for record in read(first)]
        converted(first, folder / "b.spacy", "--spans-key", "sc")
        converted(folder / "b.spacy", folder / "c", "--spans-key", "sc")
        converted(folder / "c", folder / "d.jsonl")
        assert [(record.text, record.spans, record.annotated) for record in read(folder / "d.jsonl")] == wanted


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(*given: Any) -> str:
    write(Path("a.jsonl"), *given)
    return "a.jsonl"


@pytest.mark.parametrize("output", ["a.conll", "a.spacy"])
def test_spans_that_a_format_cannot_hold_are_an_error_or_counted(output, here):
    nested = line("New York City", (0, 8, "LOC"), (0, 13, "LOC"), id="n1")
    convert = ("convert", rows(line("Ada", (0, 3, "PER")), nested), output)
    said = refused(*convert)
    assert "document n1: " in said and "cannot store spans that overlap other spans, such as LOC 'New York'" in said
    assert not Path(output).exists()
    assert "excluded: spans that overlap other spans (1)" in converted(*convert[1:], "--drop")
    assert [len(record.spans) for record in read(Path(output))] == [1, 1]
    assert "2 documents with 2 spans written" in flat(run(*convert, "--drop").stdout)
    rows(line("Adas", (0, 3, "PER")))
    assert "do not begin and end at token boundaries, such as PER 'Ada' from 0 to 3" in refused(*convert)


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_text_without_annotation_stays_one_and_nothing_half_written_is_left(output, here):
    converted(rows(line("Ada met"), line("Bob", (0, 3, "PER"), answer="reject")), output)
    assert [record.annotated for record in read(Path(output))] == [True, False]
    bad = rows(line("Ada", (0, 3, "PER")), "{")
    assert "line 2: not valid JSON" in refused("convert", bad, f"other-{output}")
    assert {file.name for file in here.iterdir()} == {"a.jsonl", output}


def test_gaps_are_kept_or_refused(here):
    Path("a.conll").write_text("Ada B-PER\nmet -\nBob O\n", encoding="utf8")
    for output in ("b.conll", "b.spacy"):
        converted("a.conll", output)
        assert only(Path(output)).gaps == ((4, 7),)
    for output in ("b.jsonl", "b"):
        assert "cannot store stretches without annotation, such as 'met'" in refused("convert", "a.conll", output)
        assert not Path(output).exists()
        assert "excluded: stretches without annotation (1)" in converted("a.conll", output, "--drop")


def test_ids_and_metadata_are_kept_or_told(here):
    path = rows(line("Ada", (0, 3, "PER"), id="d/1", meta={"year": 3}))
    assert converted(path, "a.spacy") == converted("a.spacy", "b.jsonl") == ""
    found = only(Path("b.jsonl"))
    assert found.meta["year"] == 3 and found.id == "d/1"
    told = converted(path, "a.conll")
    assert "not written: ids (1)" in told and "not written: metadata (1)" in told
    assert "not written: metadata (1)" in converted(path, "brat")
    assert Path("brat", "d", "1.ann").is_file() and only(Path("brat")).id == "d/1"


def test_no_id_leaves_the_folder(here):
    told = converted(rows(*(line("Ada", id=id) for id in ("../x", "/etc/x", "a", "a", ".b", "c/../d"))), "brat")
    assert "not written: ids that cannot name a file, so that the number does (5)" in told
    assert len(read(Path("brat"))) == 6
    assert sorted(path.name for path in here.iterdir()) == ["a.jsonl", "brat"]


def test_ids_that_a_file_system_takes_as_one_name_several_files(here, monkeypatch):
    """As on Windows and macOS, where A.txt and a.txt are one file."""
    exists = Path.exists

    def is_taken(path):
        names = os.listdir(path.parent) if path.parent.is_dir() else []
        return exists(path) or path.name.lower() in map(str.lower, names)

    monkeypatch.setattr(Path, "exists", is_taken)
    ids = ("A", "a", "\u00c9", "\u00e9", "x/B", "x/b")
    told = converted(rows(*(line(f"Ada {id}", (0, 3, "PER"), id=id) for id in ids)), "brat")
    assert "not written: ids that cannot name a file, so that the number does (3)" in told
    names = {record.id: record.text for record in read(Path("brat"))}
    assert names == dict(zip(("A", "000001", "\u00c9", "000003", "x/B", "000005"), (f"Ada {id}" for id in ids)))


REFUSED = {
    "names.jsonl --tag-names names.jsonl": "is an input",
    "full": "full exists already; expected a new or empty folder",
    "a.csv": "cannot write .csv files; expected .spacy, .jsonl, .conll, .iob",
    "b.jsonl --unit id": "nothing is resampled here",
    "a.conll --lang zz": "--lang zz",
    "b": "document 0: the label 'a b' with white space cannot be written",
    "a.conll": "document 0: the token '-DOCSTART-' with the tag 'O' cannot be written",
}


@pytest.mark.parametrize(("output", "said"), REFUSED.items())
def test_what_cannot_be_written_is_refused(output, said, here):
    marked = line("-DOCSTART- x", tokens=[{"start": 0, "end": 10}, {"start": 11, "end": 12}])
    path = Path(rows(marked if output == "a.conll" else line("Ada", (0, 3, "a b"))))
    Path("names.jsonl").write_text(json.dumps(["O", "B-A"]))
    Path("full").mkdir()
    Path("full", "x").touch()
    before = path.read_bytes()
    assert said in refused("convert", path, *output.split())
    assert path.read_bytes() == before


def test_the_tokenizer_of_a_language_can_be_chosen(here):
    path = rows(line("Don't", (0, 2, "X")))
    assert "token boundaries" in refused("convert", path, "a.conll")
    converted(path, "a.conll", "--lang", "en")
    assert only(Path("a.conll")).spans == {(0, 2, "X")}


@pytest.mark.slow
def test_a_text_above_the_limit_of_spacys_parser_is_converted(here):
    converted(rows(line("Ada met Bob . " * 72_000, (0, 3, "PER"))), "long.conll")
    assert Path("long.conll").read_text().count("B-PER") == 1


@pytest.mark.parametrize(("gap", "fits"), [((4, 11), True), ((4, 7), False), ((8, 11), False), ((3, 11), True)])
def test_a_stretch_without_annotation_that_ends_within_a_token_cannot_be_written(here, gap, fits):
    record = Record("Ada met-Bob", {(0, 3, "PER")}, [(0, 3), (4, 11)], gaps=(gap,))
    done = write_annotation(Path("a.conll"), [record], drop=True)
    assert done.left_out == ([] if fits else ["excluded: stretches without annotation (1)"])
    *_, last = Path("a.conll").read_text(encoding="utf8").split()
    assert last == ("-" if fits else "O")


@pytest.mark.parametrize("token", [0, 1, 2])
def test_a_token_that_touches_a_stretch_without_annotation_keeps_its_own(here, token):
    tokens = [(0, 3), (3, 4), (4, 7)]
    write_annotation(Path("a.conll"), [Record("Ada,Bob", set(), tokens, gaps=(tokens[token],))])
    tags = Path("a.conll").read_text(encoding="utf8").split()[3::2]  # below -DOCSTART-
    assert tags == ["-" if number == token else "O" for number in range(3)]
