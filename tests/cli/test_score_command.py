"""The command score: what it prints and writes. Where a corpus comes from, for `count` too: folders and pipes."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from commands import accepted, line, piped, refused, run, write
from corpora import check_scores
from docs import doc, write_docs
from samples import write_table
from typer.testing import CliRunner

import spacy_nereval
from spacy_nereval import load, score
from spacy_nereval.cli import counting_documents, nereval
from spacy_nereval.io import paths
from spacy_nereval.io.formats import Format, corpus_files
from spacy_nereval.io.read import read_files


def result_of(here: Path, *arguments: Any, gold: str = "gold.spacy", pred: str = "pred.spacy") -> dict[str, Any]:
    """What `score` writes."""
    accepted("score", here / gold, here / pred, "--output", here / "out.json", *arguments)
    return json.loads((here / "out.json").read_text(encoding="utf8"))


@pytest.mark.parametrize("listed", ["fair,wrf", " wrf , fair ", "fair"])
def test_only_the_metrics_asked_for_are_scored_in_that_order(here, listed):
    assert list(result_of(here, "--metrics", listed)["metrics"]) == [name.strip() for name in listed.split(",")]


@pytest.mark.parametrize(
    ("given", "same", "repeated"),
    [
        ("-m strict --metrics=fair", "-m strict,fair", ""),
        ("--labels PER=X --labels LOC=Y", "--labels PER=X,LOC=Y", ""),
        ("--only PER --only LOC", "--only PER,LOC", ""),
        ("--confidence --confidence", "--confidence", ""),
        ("--digits 1 -d 2 --digits 3", "--digits 3", "⚠ --digits is given 3 times: the last value is used"),
        ("--fair.unit token --fair.unit=char", "", "⚠ --fair.unit is given 2 times: the last value is used"),
    ],
)
def test_an_option_given_again_adds_to_its_list_or_replaces_a_value_with_a_notice(here, given, same, repeated):
    files = "score", here / "gold.spacy", here / "pred.spacy"
    result, expected = (run(*files, *options.split()) for options in (given, same))
    assert result.exit_code == expected.exit_code == 0
    assert result.stdout == expected.stdout
    notices = expected.stderr.splitlines()
    assert result.stderr.splitlines() == [*[repeated] * bool(repeated), *notices]


WEIGHTS = {"PER": 0.5, "LOC": 0.25, "combined": 0.25}


@pytest.mark.parametrize(
    ("arguments", "metric", "options"),
    [
        ("--fair.unit token", "fair", {"unit": "token"}),
        ("--fair.unit=token", "fair", {"unit": "token"}),
        ("--loio.s 0.3", "loio", {"s": 0.3}),
        ("--loio.s 1 --loio.match optimal", "loio", {"s": 1.0, "match": "optimal"}),
        ("--wrf.weights lenient", "wrf", {"weights": "lenient"}),
        ("--wrf.unique false", "wrf", {"unique": False}),
        ("--wrf.unique", "wrf", {"unique": True}),
        ('--fair.weights {"be_s":{"tp":1}}', "fair", {"weights": {"be_s": {"tp": 1.0}}}),
        (f"--wrf.weights {json.dumps(WEIGHTS).replace(' ', '')}", "wrf", {"weights": WEIGHTS}),
        ("--slot_error.weights etape -m slot_error", "slot_error", {"weights": "etape"}),
        ("--semeval.beta 0.5", "semeval", {"beta": 0.5}),
    ],
)
def test_options_of_a_metric_go_behind(here, arguments, metric, options):
    found = result_of(here, *arguments.split())["metrics"][metric]
    assert found["settings"] == found["settings"] | options
    wanted = spacy_nereval.score(read_files(here / "gold.spacy", here / "pred.spacy"), {metric: options})
    assert found == wanted["metrics"][metric]


def test_a_key_scores_span_groups(tmp_path):
    for name, spans in (("gold", [(0, 2, "A"), (0, 1, "B")]), ("pred", [(0, 2, "A")])):
        write_docs(tmp_path / f"{name}.spacy", [doc("a b", (0, 1, "E"), spans={"k": spans}), doc("a")])
    found = result_of(tmp_path, "-sk", "k")
    assert (found["documents"], found["skipped"]) == (1, 1) and "|spans:k|" in found["signature"]
    assert found["metrics"]["strict"]["counts"] == {"tp": 1, "fp": 0, "fn": 1}


def test_an_old_result_is_replaced_and_no_file_written_unless_asked_for(here):
    before = sorted(os.listdir(here))
    accepted("score", here / "gold.jsonl", here / "pred.jsonl")
    assert sorted(os.listdir(here)) == before
    (here / "out.json").write_text("old" * 10000)
    assert result_of(here)["documents"] == 3
    assert sorted(os.listdir(here)) == sorted([*before, "out.json"])


def test_colour_is_for_terminals_only(here):
    arguments = ("score", here / "gold.jsonl", here / "pred.jsonl")
    assert "\x1b" not in accepted(*arguments)
    assert "\x1b[" in accepted(*arguments, color=True)
    for plain in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "\x1b" not in accepted(*arguments, color=True, env=plain)


def test_a_label_that_the_terminal_cannot_show_is_no_reason_to_fail(tmp_path):
    path = write(tmp_path / "a.jsonl", line("abc", (0, 1, "人名")))
    result = CliRunner(charset="cp1252").invoke(nereval, ["score", str(path), str(path)])
    assert result.exit_code == 0, result.stderr
    assert "100.00" in result.stdout


# Where a corpus comes from


WAYS = (
    "score gold pred -f jsonl",
    "score gold/**/*.jsonl pred/**/*.jsonl",
    "score gold pred.jsonl -f jsonl",
    "score both.jsonl --column gold,pred",
    "score both.jsonl both.jsonl --column gold,pred",
    "score both.parquet --column gold,pred",
    "count both.jsonl --both --column gold,pred",
)


@pytest.mark.costly
@pytest.mark.parametrize("way", WAYS)
def test_a_corpus_has_the_same_scores_however_it_is_named(way, corpus):
    if "parquet" in way:
        write_table(corpus / "both.parquet", *map(json.loads, (corpus / "both.jsonl").read_text().splitlines()))
    check_scores(way)


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
    for format, expected in {
        "parquet": ["a.arrow", "b.parquet", "sub/d.parquet"],
        "hf": ["a.arrow", "b.parquet", "part-0", "state.json", "sub/d.parquet"],
    }.items():
        found = corpus_files(tmp_path, Format(format))
        assert [file.relative_to(tmp_path).as_posix() for file in found] == expected
    assert corpus_files(tmp_path, Format("brat")) == corpus_files(tmp_path) == [tmp_path]


REFUSED = {
    "score gold/*.jsonl pred/*.jsonl --per-document gold/a.jsonl": "gold/a.jsonl is an input, so it cannot be the",
    "score none/*.jsonl pred.jsonl": "no file matches none/*.jsonl",
    "score both.jsonl --column gold": "--column gold: a file with gold and predictions has two columns or keys; exp",
    "score both.jsonl --column gold,preds": 'both.jsonl, line 1: there is no list of "preds"; there are gold, pred',
    "score gliner.json --column gold,pred": "predictions to score against gliner.json are missing",
    "score both.conll --column gold,pred": "both.conll, line 1: --column gold: expected 'last' or a number, since col",
}


@pytest.mark.parametrize(("command", "said"), REFUSED.items())
def test_what_is_no_corpus_is_refused(command, said, corpus):
    (corpus / "gliner.json").write_text('{"tokenized_text": ["Ada"], "ner": [[0, 0, "PER"]]}')
    (corpus / "both.conll").write_text("Ada B-PER B-PER\n")
    assert refused(*command.split(), "-m", "strict").startswith(f"✘ {said}")


# Standard input and pipes

posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are POSIX")
JSONL = ("-m", "strict", "-f", "jsonl")
GOLD, PRED = Path("gold.jsonl"), Path("pred.jsonl")


@posix
@pytest.mark.costly
@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_gold_or_predictions_come_from_standard_input(corpus, name):
    wanted = accepted("score", GOLD, PRED, *JSONL[:2])
    assert piped("score", name, PRED, *JSONL, content=GOLD.read_bytes()) == wanted
    assert piped("score", GOLD, name, *JSONL, content=PRED.read_bytes()) == wanted
    piped("count", name, PRED, *JSONL, "--collapse", "-o", "piped.npz", content=GOLD.read_bytes())
    accepted("count", GOLD, PRED, "-m", "strict", "--collapse", "-o", "full.npz")
    scores = {accepted("score", counts, "-C") for counts in ("piped.npz", "full.npz")}
    assert len(scores) == 1 and "12 documents" in scores.pop()


@posix
def test_a_pipe_is_copied_before_documents_are_counted_so_that_their_rate_is_theirs(corpus, monkeypatch):
    seen = []
    copy, documents = paths._copy, counting_documents.with_progress
    monkeypatch.setattr(paths, "_copy", lambda path: seen.append("pipe") or copy(path))
    monkeypatch.setattr(
        counting_documents, "with_progress", lambda *given: seen.append("documents") or documents(*given)
    )
    piped("score", "-", PRED, *JSONL, content=GOLD.read_bytes())
    assert seen == ["pipe", "documents"]


def test_standard_input_is_given_for_one_side_alone(corpus):
    said = refused("score", "-", "-", "-f", "jsonl")
    assert "standard input is given for gold and for predictions: give one of them as a file" in said


@posix
@pytest.mark.parametrize("format", [(), ("-f", "jsonl")])
def test_an_empty_standard_input_is_said_to_be_empty(corpus, format):
    before, null = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(null, 0)
        for command in (("score",), ("count", "-o", "x.npz")):
            said = refused(*command, "-", PRED, *format)
            assert said.startswith("✘ standard input is empty: send a file or the output of a program to it")
    finally:
        os.dup2(before, 0)
        os.close(before), os.close(null)
