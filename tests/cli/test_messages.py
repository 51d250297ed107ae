"""What commands say of labels that hardly meet, full disks, damaged models and options out of range."""

from __future__ import annotations

import errno
import json
import os
import re
import warnings
from pathlib import Path

import pytest
import spacy
import typer
from commands import GOLD, PRED, accepted, flat, line, refused, run, write
from docs import doc, write_docs

import spacy_nereval
from spacy_nereval.evaluation.label_schemes import label_lines
from spacy_nereval.io.row_files import write_rows
from spacy_nereval.io.writing import atomic, write_json

pytestmark = pytest.mark.costly


def labelled(path: Path, *labels: str) -> Path:
    return write(path, line("a b c d e f g h", *((2 * k, 2 * k + 1, label) for k, label in enumerate(labels))))


def commands(gold: Path, pred: Path, folder: Path) -> list[tuple]:
    return [
        ("score", gold, pred),
        ("errors", gold, pred),
        ("compare", gold, pred, pred, "--trials", 20, "--samples", 20),
        ("count", gold, pred, "-o", folder / "out.npz"),
        ("score", folder / "out.npz"),
        ("count", gold, pred, "-o", folder / "out.npz", "--parts", folder / "parts"),
        ("report", gold, pred, "-o", folder / "out.html"),
    ]


def test_label_sets_that_do_not_meet_are_told_by_every_command(tmp_path):
    gold, pred = labelled(tmp_path / "g.jsonl", "person", "LOC"), labelled(tmp_path / "p.jsonl", "PERSON", "place ")
    for arguments in commands(gold, pred, tmp_path):
        done = run(*arguments)
        assert done.exit_code == 0, done.output
        said = flat(done.stderr)
        assert "⚠ No predicted label is a gold label: gold has " in said
        assert "predictions have PERSON, 'place '. Scores that compare labels say little." in said
        assert 'To map labels, add --labels \'{"PERSON": "person", "place ": "LOC"}\'' in said


def test_spans_in_the_same_places_propose_a_label(tmp_path):
    gold, pred = labelled(tmp_path / "g.jsonl", "GPE", "GPE", "X"), labelled(tmp_path / "p.jsonl", "LOC", "LOC", "X")
    for arguments in commands(gold, pred, tmp_path)[:4]:  # not from counts, which name no spans
        assert "add --labels LOC=GPE" in flat(run(*arguments).stderr), arguments


@pytest.mark.parametrize(
    ("gold", "pred", "said"),
    [
        ({"PER": 9}, {"PER": 1, "LOC": 9}, "9 of 10 predicted spans have a label that never occurs in gold: LOC."),
        ({"A": 9}, {"A": 9, "B": 1}, "1 of 10 predicted spans have a label that never occurs in gold: B."),
        ({"PER": 9}, {"PERSON": 9}, "add labels='PERSON=PER'"),
        ({"ORG": 9}, {"Organisation": 9}, "add labels='Organisation=ORG'"),
        ({"PHYSICAL_OBJECT": 9}, {"PhysicalObject": 9}, "add labels='PhysicalObject=PHYSICAL_OBJECT'"),
        ({"PER": 9}, {"PER ": 9}, "gold has PER, predictions have 'PER '"),
        ({"x" * 99: 9}, {"B": 9}, "x" * 60 + "... (99 characters)"),
        ({f"l{k}": 1 for k in range(20)}, {"B": 9}, "l14, l15, ..., predictions"),
    ],
)
def test_labels_that_hardly_meet(gold, pred, said):
    (found,) = label_lines(gold, pred)
    assert said in found


@pytest.mark.parametrize(
    ("gold", "pred"),
    [({"A": 9}, {"A": 2, "B": 0}), ({"A": 9}, {}), ({}, {"A": 9}), ({"A": 9}, {"A": 9}), ({"A": 1, "B": 0}, {"A": 1})],
)
def test_predicted_labels_that_gold_has_are_not_told(gold, pred):
    assert label_lines(gold, pred) == []


class Full:
    """A file on a disk that has no more room."""

    def __init__(self, file):
        self.file = file

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, data):
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("how", [lambda path: write_json(path, {}), lambda path: write_rows(path, [{"a": "b" * 9}])])
def test_a_full_disk_names_the_file(how, tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "open", lambda *given, opened=Path.open: Full(opened(*given)))
    with pytest.raises(OSError) as raised:
        how(tmp_path / "out.jsonl")
    assert str(tmp_path / "out.jsonl") in str(raised.value)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(("name", "options"), [("secho", ()), ("echo", ("-f", "json"))])
def test_a_full_disk_behind_the_standard_output_is_named(name, options, tmp_path, monkeypatch):
    printed = getattr(typer, name)

    def full(text, **style):
        if style.get("err"):
            return printed(text, **style)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(typer, name, full)
    gold = write(tmp_path / "g.jsonl", *GOLD)
    done = run("score", gold, gold, "-m", "strict", *options)
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (2, "✘ No space left on device: the standard output")


def test_an_error_of_reading_does_not_name_the_output(tmp_path):
    with pytest.raises(OSError) as raised, atomic(tmp_path / "out"):
        raise OSError(errno.EIO, "Input/output error")
    assert "out" not in str(raised.value).replace("Input/output", "")


@pytest.mark.parametrize(
    ("file", "content"),
    [("ner/model", b"\xff" * 50), ("vocab/strings.json", b"{"), ("meta.json", b"["), ("tokenizer", b"\x00\x01")],
)
def test_a_damaged_model_is_named_with_its_file(file, content, tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("ner").add_label("PER")
    nlp.initialize()
    nlp.to_disk(tmp_path / "tiny")
    (tmp_path / "tiny" / file).write_bytes(content)
    gold = write_docs(tmp_path / "g.spacy", [doc("Ada sleeps", (0, 1, "PER"))])
    for command in (
        ("evaluate", tmp_path / "tiny", gold),
        ("errors", gold, tmp_path / "tiny"),
        ("detach", tmp_path / "tiny", tmp_path / "out"),
        ("evaluate", tmp_path / "tiny", gold, "--workers", 1, "--parts", tmp_path / "parts"),
    ):
        done = run(*command)
        assert (done.exit_code, type(done.exception)) == (2, SystemExit), done.exception
        assert str(tmp_path / "tiny") in done.stderr
        assert Path(file).name in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("trials", "said"), [(0, "at least 1"), (10**11, "at most 1000000")])
def test_the_number_of_swaps_has_bounds_in_every_door(trials, said, tmp_path):
    missing = tmp_path / "missing.jsonl"
    for command in (("compare", missing, missing, missing), ("report", missing, missing, "-o", tmp_path / "x.html")):
        assert f"--trials {trials}: expected {said}" in refused(*command, "--trials", trials)
    with pytest.raises(ValueError, match=f"trials={trials}: expected {said}"):
        spacy_nereval.compare({"a": [["O"]], "b": [["O"]]}, [["O"]], trials=trials)


@pytest.mark.parametrize(
    "command",
    [
        ("score", "-C", "--samples", "5000", "--mentions.scope", "hits"),
        ("score", "-C", "--samples", "5000", "--unit", "document", "--mentions.scope", "hits"),
        ("count", "--collapse", "--replicates", "5000", "-o", "out.npz"),
    ],
)
def test_samples_that_do_not_fit_into_memory_are_told_before_they_are_drawn(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("spacy_nereval.counting.table.machine_memory", lambda: 2.0**20)
    gold, pred = write(tmp_path / "g.jsonl", *GOLD), write(tmp_path / "p.jsonl", *PRED)
    rows = [{**row, "id": str(k)} for k, row in enumerate(GOLD * 5)]
    gold, pred = write(tmp_path / "g.jsonl", *rows), write(tmp_path / "p.jsonl", *rows)
    name, *options = command
    options += ["-m", "mentions" if name == "score" else "strict"]
    said = refused(name, gold, pred, *options)
    assert re.search(r"5,000 resamples of 1 metrics and 2 labels take about [0-9.]+ GiB.* use at most \d", said)
    most = int(re.search(r"use at most ([\d,]+)", said)[1].replace(",", ""))
    assert 100 < most < 5000
    fewer = [str(most) if part == "5000" else part for part in options]
    assert run(name, gold, pred, *fewer).exit_code == 0


def test_what_was_changed_on_reading_is_told_by_count_and_compare(tmp_path):
    rows = line("Ada met Bob", (0, 3, "PER"), (0, 3, "PER"))
    gold = write(tmp_path / "g.jsonl", rows)
    told = "2 spans given again and counted once"
    assert told in flat(run("count", gold, gold, "-o", tmp_path / "o.npz", "-m", "strict").stdout)
    assert told in flat(accepted("compare", gold, gold, gold, "-m", "strict", "--trials", 20))


def test_labels_that_differ_in_white_space_only_are_told_apart_in_tables(tmp_path):
    gold = labelled(tmp_path / "g.jsonl", "PER", "PER ", "LOC")
    printed = run("score", gold, gold, "-m", "strict").stdout
    assert re.search(r"^'PER' +1", printed, re.MULTILINE)
    assert re.search(r"^'PER ' +1", printed, re.MULTILINE)
    assert re.search(r"^LOC +1", printed, re.MULTILINE)
    assert "'PER'" not in run("score", labelled(gold, "PER", "LOC"), gold, "-m", "strict").stdout


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="there is no /dev/fd here")
def test_a_result_may_go_to_a_pipe_that_has_no_path():
    """As /dev/stdout before a bar of the shell."""
    read, write_end = os.pipe()
    with os.fdopen(read, "rb") as pipe:
        write_json(Path(f"/dev/fd/{write_end}"), [1])
        os.close(write_end)
        assert pipe.read() == b"[\n  1\n]\n"


@pytest.mark.parametrize(
    ("metric", "weights"),
    [
        ("ace", {"PER": 1e6, "LOC": 1e6}),
        ("fair", {error: dict.fromkeys(("tp", "fp", "fn"), 1e6) for error in ("le", "be_s", "fp", "fn")}),
        ("slot_error", dict.fromkeys(("s_type", "s_extent", "s_both", "d", "i"), 1e6)),
    ],
)
def test_the_largest_weights_give_scores_without_a_warning(metric, weights, tmp_path):
    gold, pred = write(tmp_path / "g.jsonl", *GOLD), write(tmp_path / "p.jsonl", *PRED)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        accepted("score", gold, pred, "-m", metric, f"--{metric}.weights", json.dumps(weights), "-C", "--samples", 20)
