"""What stops a command and is not a wrong value is told in one sentence; a mistake in the package is not hidden."""

from __future__ import annotations

import os
import pickle
import zipfile
import zlib
from pathlib import Path

import pytest
from commands import GOLD, refused, run, write
from typer.main import get_command

from spacy_nereval.cli import nereval, score
from spacy_nereval.core.plugins import readers
from spacy_nereval.io.formats import records
from spacy_nereval.io.formats.settings import Format
from spacy_nereval.io.records import Record

DAMAGED = "it is damaged or not what its name says"

FAULTS = {
    "memory": (
        MemoryError("Unable to allocate 745. GiB"),
        "there is not enough memory ('Unable to allocate 745. GiB')",
    ),
    "nesting": (RecursionError("maximum recursion depth exceeded"), "it is nested too deeply"),
    "archive": (zipfile.BadZipFile("Bad magic number"), f"{DAMAGED} (BadZipFile: "),
    "cut off": (EOFError("Compressed file ended"), f"{DAMAGED} (EOFError: "),
    "packed": (zlib.error("Error -3 while decompressing"), f"{DAMAGED} (error: "),
    "pickled": (pickle.UnpicklingError("invalid load key"), f"{DAMAGED} (UnpicklingError"),
    "encoding": (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates"), DAMAGED),
    "run time": (RuntimeError("CUDA error"), "RuntimeError: 'CUDA error'"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_while_reading_names_the_file_and_the_document(name, tmp_path):
    error, said = FAULTS[name]

    def read(path, format):
        yield Record("Ada", set())
        raise error

    readers("faulty", func=read)
    gold = write(tmp_path / "g.jsonl", *GOLD)
    assert f"{gold}, document 1: {said}" in refused("score", gold, gold, "--format", "faulty")
    with pytest.raises(ValueError, match="document 1"):
        [*records(gold, None, Format("faulty"))]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_after_reading_names_what_was_read_and_how_to_see_more(name, tmp_path, monkeypatch):
    error, said = FAULTS[name]

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(score, "chosen_metrics", fail)
    gold = write(tmp_path / "g.jsonl", *GOLD)
    assert (line := refused("score", gold, gold)).startswith(f"✘ {gold}, {gold}: {said}")
    assert line.endswith("; --debug shows where this happened")
    shown = run("score", gold, gold, "--debug")
    assert shown.exit_code == 2
    assert "Traceback (most recent call last):" in shown.stderr and "in fail" in shown.stderr
    assert f"✘ {gold}, {gold}: {said}" in shown.stderr and "--debug" not in shown.stderr


def test_debug_shows_where_a_wrong_value_was_found(tmp_path):
    done = run("score", tmp_path / "nowhere.jsonl", tmp_path / "nowhere.jsonl", "--debug")
    assert done.exit_code == 2 and "Traceback (most recent call last):" in done.stderr
    for command in get_command(nereval).commands.values():
        assert "--debug" in {option for parameter in command.params for option in parameter.opts}


def test_a_mistake_in_the_package_is_not_hidden(tmp_path, monkeypatch):
    monkeypatch.setattr(score, "chosen_metrics", lambda *_, **__: {}["missing"])
    gold = write(tmp_path / "g.jsonl", *GOLD)
    assert isinstance(run("score", gold, gold).exception, KeyError)


@pytest.mark.skipif(os.name != "posix", reason="making links needs rights on Windows")
@pytest.mark.parametrize("arguments", [("loop", "g.jsonl"), ("g.jsonl", "loop"), ("g.jsonl", "g.jsonl", "-o", "loop")])
def test_a_link_that_leads_to_itself_is_told_in_a_line(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(Path("g.jsonl"), *GOLD)
    Path("loop").symlink_to("loop")
    said = refused("score", *arguments, "-m", "strict")
    assert "loop" in said and "g.jsonl" not in said and "RuntimeError" not in said


def test_code_that_exits_is_told(tmp_path):
    gold = write(tmp_path / "g.jsonl", *GOLD)
    code = tmp_path / "code.py"
    code.write_text("import sys\nsys.exit()\n")
    assert f"--code {code}: SystemExit" in refused("score", gold, gold, "--code", code)
