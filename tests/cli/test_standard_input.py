"""Gold annotation and predictions come from standard input and pipes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from collapsing import ADD, counted, scores
from commands import accepted, piped, refused, run

from spacy_nereval.cli import counting_documents
from spacy_nereval.io import paths

posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are POSIX")


@posix
@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_gold_or_predictions_come_from_standard_input(files, name):
    gold, pred = Path("g-all.jsonl"), Path("p-all.jsonl")
    wanted = accepted("score", gold, pred, "-m", "strict")
    assert piped("score", name, pred, "-m", "strict", "-f", "jsonl", content=gold.read_bytes()) == wanted
    assert piped("score", gold, name, "-m", "strict", "-f", "jsonl", content=pred.read_bytes()) == wanted
    counted("all", "full.npz")
    options = ("-m", "strict,fair,wrf", "-f", "jsonl", "--collapse", "--replicates", 30, "-o", "piped.npz")
    piped("count", name, pred, *options, content=gold.read_bytes())
    assert scores("piped.npz") == scores("full.npz")


@posix
def test_a_pipe_is_copied_before_documents_are_counted_so_that_their_rate_is_theirs(files, monkeypatch):
    seen = []
    copy, documents = paths._copy, counting_documents.with_progress
    monkeypatch.setattr(paths, "_copy", lambda path: seen.append("pipe") or copy(path))
    monkeypatch.setattr(
        counting_documents, "with_progress", lambda *given: seen.append("documents") or documents(*given)
    )
    piped("score", "-", "p-all.jsonl", "-m", "strict", "-f", "jsonl", content=Path("g-all.jsonl").read_bytes())
    assert seen == ["pipe", "documents"]


@posix
def test_what_came_from_a_pipe_is_recognised_by_its_content(files):
    options = ("-m", "strict,fair,wrf", "-f", "jsonl", *ADD, "--replicates", 30, "-o", "total.npz")
    piped("count", "g-a.jsonl", "-", *options, content=Path("p-a.jsonl").read_bytes())
    assert "1 of 1 files are in total.npz already" in counted("a", "total.npz", *ADD)


@posix
def test_a_pipe_without_a_format_and_both_sides_from_one_are_refused_with_the_remedy(files):
    said = run("score", "-", "-", "-f", "jsonl")
    assert said.exit_code == 2
    assert "standard input is given for gold and for predictions: give one of them as a file" in said.stderr


@posix
def test_a_pipe_among_the_files_of_workers_is_refused_before_it_is_read(files):
    os.mkfifo("g-pipe.jsonl")
    for golds in (["g-a.jsonl", "g-pipe.jsonl"], ["g-pipe.jsonl"]):
        preds = ["p-a.jsonl", "p-b.jsonl"][: len(golds)]
        said = refused("count", *golds, *preds, "--parts", "parts", "-o", "x.npz")
        assert said.startswith("✘ g-pipe.jsonl is a pipe, and a worker reads its file more than once")
    assert not Path("parts").exists()


@posix
@pytest.mark.parametrize("format", [(), ("-f", "jsonl")])
def test_an_empty_standard_input_is_said_to_be_empty(files, format):
    before, null = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(null, 0)
        for command in (("score",), ("count", "-o", "x.npz")):
            said = refused(*command, "-", "p-all.jsonl", *format)
            assert said.startswith("✘ standard input is empty: send a file or the output of a program to it")
    finally:
        os.dup2(before, 0)
        os.close(before), os.close(null)
