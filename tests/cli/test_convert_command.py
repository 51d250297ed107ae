"""`nereval convert` and `apply`: what is written reads back the same or is the edit by hand; nothing is lost unsaid."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import writers
from commands import accepted, flat, line, refused, run, write
from hypothesis import given
from hypothesis import strategies as st
from profiles import tries
from reading import only, read
from samples import SAMPLES, write_sample

from spacy_nereval import apply, load, score
from spacy_nereval.features.report.corrections import gold_digest
from spacy_nereval.io.records import Record
from spacy_nereval.reporting.formats import json_text

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
    assert "document n1: " in said and "cannot hold spans that overlap other spans, such as LOC 'New York'" in said
    assert not Path(output).exists()
    assert "left out: spans that overlap other spans (1)" in converted(*convert[1:], "--drop")
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
        assert "cannot hold stretches without annotation, such as 'met'" in refused("convert", "a.conll", output)
        assert not Path(output).exists()
        assert "left out: stretches without annotation (1)" in converted("a.conll", output, "--drop")


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


def test_a_text_above_the_limit_of_spacys_parser_is_converted(here):
    converted(rows(line("Ada met Bob . " * 72_000, (0, 3, "PER"))), "long.conll")
    assert Path("long.conll").read_text().count("B-PER") == 1


# Corrections: `apply`

TEXTS = ("Ada met Bob", "in Rome", "Ada in Oslo", "in Rome")
GOLD = ([(0, 3, "LOC"), (8, 11, "PER")], [(3, 7, "LOC")], [(0, 6, "PER")], [(3, 7, "LOC")])
FIXED = ([(0, 3, "PER"), (8, 11, "PER")], [(3, 7, "LOC")], [(0, 3, "PER"), (7, 11, "LOC")], [])
"""The gold annotation as an edit by hand has it."""


def span(of: Any) -> Any:
    return None if of is None else dict(zip(("start", "end", "label"), of))


def mark(k: int, gold: Any, decided: Any, **more: Any) -> dict[str, Any]:
    found = {"digest": gold_digest(None, TEXTS[k], GOLD[k]), "gold": span(gold), "mark": "gold wrong"}
    return {**found, "decided": None if decided is None else [*map(span, decided)], **more}


MARKS = [
    mark(0, (0, 3, "LOC"), [(0, 3, "PER")], reason="two labels"),
    mark(2, (0, 6, "PER"), [(0, 3, "PER")]),
    mark(2, None, [(7, 11, "LOC")], pred=span((7, 11, "LOC"))),
    mark(3, (3, 7, "LOC"), [], copy=1),
    mark(1, (3, 7, "LOC"), None),
]


@pytest.fixture
def marked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, spans in (("gold", GOLD), ("fixed", FIXED), ("pred", FIXED)):
        write(Path(f"{name}.jsonl"), *(line(text, *own) for text, own in zip(TEXTS, spans)))
    write(Path("a.jsonl"), *MARKS[:3])
    write(Path("b.jsonl"), *MARKS[2:])
    return tmp_path


def test_the_new_gold_is_the_edit_by_hand_and_scores_move_as_it_says(marked):
    said = accepted("apply", "gold.jsonl", "a.jsonl", "b.jsonl", "-o", "new.jsonl")
    assert [record.spans for record in load("new.jsonl")] == [[*own] for own in FIXED]
    assert Path("new.jsonl").read_bytes() == Path("fixed.jsonl").read_bytes()
    for told in (
        "4 documents with 5 spans written to new.jsonl",
        "4 corrections in 3 of 4 documents (label 1, boundaries 1, added 1, removed 1): 5 gold spans before, 5 after",
        "Marks on 5 places: gold wrong 5",
        "LOC Ada (0–3)",
        "two labels",
        "Gold stays as it is on 1 place marked as 'gold wrong' without a correction",
    ):
        assert told in flat(said)
    before, after = (score(load(f"{name}.jsonl"), load("pred.jsonl"), "strict").strict for name in ("gold", "new"))
    assert (before.counts, after.counts) == ({"tp": 2, "fp": 3, "fn": 3}, {"tp": 5, "fp": 0, "fn": 0})


@pytest.mark.parametrize("name", ["new.jsonl", "new.conll", "new"])
def test_python_says_and_writes_the_same(marked, name):
    options = ["--only", "PER,LOC", "--labels", "PER=PER"]
    assert run("apply", "gold.jsonl", "a.jsonl", "b.jsonl", "-o", name, *options).exit_code == 0
    found = apply(load("gold.jsonl"), ["a.jsonl", *MARKS[2:]], only=["PER", "LOC"], labels={"PER": "PER"})
    found.write(f"python-{name}")
    files = [Path(name)] if Path(name).is_file() else sorted(Path(name).iterdir())
    assert files and all(file.read_bytes() == Path("python-" + str(file)).read_bytes() for file in files)
    spans = [[span(own) for own in spans] for spans in GOLD]
    for items, more in (
        ([{"text": text, "spans": own} for text, own in zip(TEXTS, spans)], {}),
        ([*GOLD], {"text": TEXTS}),
    ):
        assert [record.spans for record in apply(items, MARKS, **more).gold] == [[*own] for own in FIXED]
    printed = run("apply", "gold.jsonl", "a.jsonl", "b.jsonl", "-o", "again.jsonl", "-f", "json", "--tables", "all")
    view = apply(load("gold.jsonl"), ["a.jsonl", "b.jsonl"])._view()
    assert json.loads(printed.stdout) == json.loads(json_text(view.tables([*view.makers])))
    assert found.conclusion in flat(accepted("apply", "gold.jsonl", "a.jsonl", "b.jsonl", "-o", "third.jsonl"))


def test_scores_of_spans_follow_their_new_labels(marked):
    spans = [span((0, 3, "PER")) | {"score": 0.25}, span((8, 11, "LOC")) | {"score": 0.5}]
    write(Path("scored.jsonl"), {"text": TEXTS[0], "spans": spans})
    accepted("convert", "scored.jsonl", "command.jsonl", "--labels", "PER=PERSON,LOC=")
    apply(load("scored.jsonl"), [], labels="PER=PERSON,LOC=").write("python.jsonl")
    assert json.loads(Path("python.jsonl").read_text())["spans"] == [span((0, 3, "PERSON")) | {"score": 0.25}]
    assert Path("python.jsonl").read_bytes() == Path("command.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("fixed.jsonl", "a.jsonl"), "a.jsonl, line 1: made on other gold annotation"),
        (("empty.jsonl", "a.jsonl"), "none of the 0 documents of empty.jsonl has the digest"),
        (("gold.jsonl", "gold.jsonl"), "gold.jsonl, line 1: it has no digest of a document; expected a mark"),
        (("gold.jsonl", "a.jsonl", "c.jsonl"), "marks disagree on 1 place: document 0: a.jsonl, line 1"),
        (("gold.jsonl", "a.jsonl", "--conflicts", "none"), "--conflicts none: expected one of refuse, keep"),
        (("gold.jsonl", "a.jsonl", "-o", "new.txt"), "cannot write .txt files"),
        (("gold.jsonl", "a.jsonl", "--unit", "id"), "--unit id: nothing is resampled here"),
    ],
)
def test_what_cannot_be_applied_is_refused_and_nothing_is_written(marked, arguments, said):
    Path("empty.jsonl").touch()
    write(Path("c.jsonl"), mark(0, (0, 3, "LOC"), []))
    output = () if "-o" in arguments else ("-o", "new.jsonl")
    assert said in refused("apply", *arguments, *output)
    assert not Path("new.jsonl").exists()
    if "c.jsonl" in arguments:
        told = flat(accepted("apply", *arguments, *output, "--conflicts", "keep"))
        assert "Gold stays as it is on 1 place on which marks disagree" in told
        assert load("new.jsonl")[0].spans == GOLD[0]
