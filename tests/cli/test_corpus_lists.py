"""A corpus of many files: in a list, by patterns, by folders; gold and predictions in one file."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from commands import accepted, line, piped, refused, run, write
from compressed import packed

from spacy_nereval import load, score
from spacy_nereval.io.formats import Format, corpus_files

NAMES = ("a", "b", "deep/c")


@pytest.fixture
def corpus(tmp_path, monkeypatch) -> Path:
    """Folders of gold and predictions, and one file of all of either; the current folder."""
    drawn = random.Random(3)
    rows: dict[str, list[Any]] = {"gold": [], "pred": []}
    for name in NAMES:
        for side, all_rows in rows.items():
            own = [
                line(f"Ada met Bob {name} {k}", *drawn.sample([(0, 3, "PER"), (8, 11, "PER"), (4, 7, "ORG")], 2))
                | {"id": f"{name}{k}"}
                for k in range(4)
            ]
            (tmp_path / side / name).parent.mkdir(parents=True, exist_ok=True)
            write(tmp_path / side / f"{name}.jsonl", *own)
            all_rows += own
    for side, all_rows in rows.items():
        write(tmp_path / f"{side}.jsonl", *all_rows)
        (tmp_path / side / "_SUCCESS").write_text("")
        (tmp_path / side / ".part.crc").write_text("?")
    both = [gold | {"gold": gold["spans"], "pred": pred["spans"]} for gold, pred in zip(rows["gold"], rows["pred"])]
    write(tmp_path / "both.jsonl", *({key: row[key] for key in row if key != "spans"} for row in both))
    for k in range(3):
        write(tmp_path / f"both{k}.jsonl", *both[k::3])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def result(*arguments: Any) -> dict[str, Any]:
    """The scores of a command, or of what it counts."""
    if arguments[0] == "count":
        done = run(*arguments, "-m", "strict,fair", "-o", "counts.npz")
        assert done.exit_code == 0, done.output
        arguments = ("score", "counts.npz")
    else:
        arguments = (*arguments, "-m", "strict,fair")
    done = run(*arguments, "-o", "result.json")
    assert done.exit_code == 0, done.output
    found = json.loads(Path("result.json").read_text())
    return {"metrics": found["metrics"], "documents": found["documents"]}


WAYS = {
    "files": ("count", *(f"gold/{name}.jsonl" for name in NAMES), *(f"pred/{name}.jsonl" for name in NAMES)),
    "patterns": ("count", "gold/**/*.jsonl", "pred/**/*.jsonl"),
    "folders": ("count", "gold", "pred", "-f", "jsonl"),
    "folders with a slash": ("count", "gold/", "./pred/", "-f", "jsonl"),
    "a list of pairs": ("count", "--files-from", "pairs.txt"),
    "a list of folders": ("count", "--files-from", "folders.txt", "-f", "jsonl"),
    "a list of patterns": ("count", "--files-from", "patterns.txt.gz"),
    "workers": ("count", "gold", "pred", "-f", "jsonl", "--workers", "1"),
    "collapsed": ("count", "gold", "pred", "-f", "jsonl", "--collapse"),
    "score of folders": ("score", "gold", "pred", "-f", "jsonl"),
    "score of patterns": ("score", "gold/**/*.jsonl", "pred/**/*.jsonl"),
    "score of a folder and a file": ("score", "gold", "pred.jsonl", "-f", "jsonl"),
    "one file of both": ("score", "both.jsonl", "--column", "gold,pred"),
    "one file given twice": ("score", "both.jsonl", "both.jsonl", "--column", "gold,pred"),
    "one table of both": ("score", "both.parquet", "--column", "gold,pred"),
    "one file of both, counted": ("count", "both.jsonl", "--both", "--column", "gold,pred"),
    "files of both": ("count", "--both", "both[0-2].jsonl", "--column", "gold,pred"),
    "a list of both": ("count", "--both", "--files-from", "both.txt", "--column", "gold,pred", "--workers", "1"),
}  # fmt: skip


@pytest.mark.costly
@pytest.mark.parametrize("way", WAYS)
def test_a_corpus_has_the_same_scores_however_it_is_named(way, corpus):
    write(corpus / "pairs.txt", *(f"gold/{name}.jsonl\t pred/{name}.jsonl" for name in reversed(NAMES)), "")
    write(corpus / "folders.txt", "gold\tpred")
    packed(write(corpus / "patterns.txt", "gold/*.jsonl\tpred/*.jsonl", "gold/deep/*\tpred/deep/*"), ".gz")
    write(corpus / "both.txt", "both[01].jsonl", "both2.jsonl")
    if "table" in way:
        from samples import write_table

        write_table(corpus / "both.parquet", *map(json.loads, (corpus / "both.jsonl").read_text().splitlines()))
    expected = result("score", "gold.jsonl", "pred.jsonl")
    assert 0 < expected["metrics"]["strict"]["scores"]["f"] < 1
    assert result(*WAYS[way]) == expected


def test_python_reads_folders_patterns_and_keys(corpus):
    wanted = load("gold.jsonl")
    assert load("gold", format="jsonl") == load("gold/**/*.jsonl") == wanted
    golds, preds = (load("both.jsonl", column=key) for key in ("gold", "pred"))
    assert (golds, preds) == (wanted, load("pred.jsonl"))
    assert score(golds, preds, ["strict"]) == score(wanted, load("pred.jsonl"), ["strict"])


def test_a_folder_of_tags_is_read_file_by_file(tmp_path):
    """Each with its own scheme, and its sentences in blocks of the whole corpus."""
    (tmp_path / "a.conll").write_text("Ada I-PER\nmet O\n\n" * 30)
    (tmp_path / "b.conll").write_text("Bob B-PER\nmet O\n\n" * 30)
    assert len(load(tmp_path, format="conll")) == 60
    assert accepted("score", tmp_path, tmp_path, "-f", "conll", "-m", "strict")


def test_the_files_of_a_folder_are_those_of_the_format_or_all(tmp_path):
    hidden = ("_SUCCESS", ".b.crc", "_temporary/c.parquet")
    for name in ("b.parquet", "a.arrow", "part-0", "sub/d.parquet", "state.json", *hidden):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    names = [file.relative_to(tmp_path).as_posix() for file in corpus_files(tmp_path, Format("parquet"))]
    assert names == ["a.arrow", "b.parquet", "sub/d.parquet"]
    names = [file.relative_to(tmp_path).as_posix() for file in corpus_files(tmp_path, Format("hf"))]
    assert names == ["a.arrow", "b.parquet", "part-0", "state.json", "sub/d.parquet"]
    assert corpus_files(tmp_path, Format("brat")) == [tmp_path]
    assert corpus_files(tmp_path) == [tmp_path]


REFUSED = {
    "folders of other files": (
        ("count", "gold", "other", "-f", "jsonl"),
        "gold has no file z, and other has one: give both the same names, or a list of both with --files-from",
    ),
    "more of gold": (
        ("count", "gold/*.jsonl", "pred/a.jsonl"),
        "gold/*.jsonl is 2 and pred/a.jsonl is 1 of the files: expected a file of predictions for each file of gold",
    ),
    "a list beside files": (
        ("count", "gold/a.jsonl", "pred/a.jsonl", "--files-from", "list.txt"),
        "gold/a.jsonl is given beside --files-from list.txt: give files in one of the two ways",
    ),
    "a list without predictions": (
        ("count", "--files-from", "list.txt"),
        "list.txt, line 2: expected a file of gold annotation and one of predictions, with a tab between them; with",
    ),
    "a list of patterns": (
        ("count", "--files-from", "more.txt"),
        "more.txt, line 1: gold/*.jsonl is 2 and pred/a.jsonl is 1 of the files",
    ),
    "no list": (("count", "--files-from", "nowhere.txt"), "nowhere.txt does not exist or is not a file"),
    "nothing": (("count",), "there are no files to count: give GOLD... and PRED..., or a list with --files-from"),
    "an empty list": (("count", "--files-from", "empty.txt"), "there are no files to count: give GOLD... and PRED..."),
    "a folder without files": (
        ("count", "nothing", "pred", "-f", "jsonl"),
        "nothing is a folder without files of the format jsonl",
    ),
    "an output in the corpus": (
        ("score", "gold/*.jsonl", "pred/*.jsonl", "--per-document", "gold/a.jsonl"),
        "gold/a.jsonl is an input, so it cannot be the output: choose another file",
    ),
    "a pattern of nothing": (("score", "none/*.jsonl", "pred.jsonl"), "no file matches none/*.jsonl"),
    "a folder without a format": (
        ("score", "gold", "pred"),
        "gold is a folder without .ann files, so its format has to be named; known are",
    ),
    "one key": (
        ("score", "both.jsonl", "--column", "gold"),
        "--column gold: a file with gold and predictions has two columns or keys; expected the numbers of both, as in",
    ),
    "no key": (
        ("score", "gold.jsonl"),
        "predictions to score against gold.jsonl are missing; if the file holds them, name both keys with --column",
    ),
    "a key that is not there": (
        ("score", "both.jsonl", "--column", "gold,preds"),
        'both.jsonl, line 1: there is no list of "preds"; write an empty list for a text without spans',
    ),
    "a format without names": (
        ("score", "gliner.json", "--column", "gold,pred"),
        "predictions to score against gliner.json are missing",
    ),
    "names of a CoNLL file": (
        ("score", "both.conll", "--column", "gold,pred"),
        "both.conll, line 1: --column gold: expected 'last' or a number, since columns of CoNLL files have no names",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_corpus_is_refused(case, corpus):
    command, said = REFUSED[case]
    (corpus / "other").mkdir()
    for name in "abz":
        write(corpus / "other" / f"{name}.jsonl", line("Ada"))
    (corpus / "nothing").mkdir()
    (corpus / "gliner.json").write_text('{"tokenized_text": ["Ada"], "ner": [[0, 0, "PER"]]}')
    (corpus / "both.conll").write_text("Ada B-PER B-PER\n")
    write(corpus / "list.txt", "gold/a.jsonl\tpred/a.jsonl", "gold/b.jsonl")
    write(corpus / "more.txt", "gold/*.jsonl\tpred/a.jsonl")
    write(corpus / "empty.txt", "")
    more = ("-m", "strict", "-o", "counts.npz") if command[0] == "count" else ("-m", "strict")
    assert refused(*command, *more).startswith(f"✘ {said}")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are POSIX")
def test_a_list_comes_from_standard_input(corpus, tmp_path):
    rows = b"".join(b"gold/%b.jsonl\tpred/%b.jsonl\n" % (name.encode(), name.encode()) for name in NAMES)
    piped("count", "--files-from", "-", "-m", "strict", "-o", "counts.npz", content=rows)
    assert "12 documents" in accepted("score", "counts.npz")


def test_files_that_workers_count_are_not_paired_by_chance(corpus):
    """Folders with the same names are paired by these, whatever else they hold."""
    (corpus / "gold" / "a.jsonl").rename(corpus / "gold" / "x.jsonl")
    said = refused("count", "gold", "pred", "-f", "jsonl", "-o", "counts.npz")
    assert said.startswith("✘ gold has no file a, and pred has one")
