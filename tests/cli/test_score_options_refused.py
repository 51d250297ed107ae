"""Options of the command `score` that are refused, before any file is read."""

from __future__ import annotations

import json
import os

import pytest
from commands import refused, run

import spacy_nereval


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            ["-m", "fare"],
            "there is no metric 'fare': did you mean 'fair'? There are strict, semeval",
        ),
        (["-m", "fair,,wrf"], "there is no metric ''"),
        (["--fare.unit", "token"], "there is no metric 'fare': did you mean 'fair'? There are strict"),
        (
            ["--fair.units", "token"],
            "fair has no option 'units': did you mean 'unit'? Its options are unit, weights",
        ),
        (["--fair.weights.be_s", "1"], "fair has no option 'weights.be_s'"),
        (["--fair.unit", "tokens"], "fair.unit = 'tokens': "),
        (["--fair.weights", '{"be_s": {"tp": -1}}'], "a weight of be_s is not a number from 0 to 1e+12"),
        (["--fair.weights", '{"be_s": '], "fair.weights = "),
        (["--loio.s", "half"], "loio.s = 'half': "),
        (["--strict.beta", "-1"], "strict.beta = -1: input should be greater than or equal to 0"),
        (["--strict.beta", "nan"], "strict.beta = "),
        (["--wrf.weights", '{"PER": 1.0}'], "wrf.weights has no weight for 'LOC', which occurs in the data"),
        (["-m", "strict", "--fair.unit", "token"], "--fair.unit is given, but fair is not among --metrics strict"),
        (["--average", "mean"], "--average mean: expected one of micro, macro, weighted, docs"),
        (["--metric", "fair"], "there is no option --metric: did you mean '--metrics'? Options of a metric"),
        (["--fair"], "there is no option --fair"),
        (["-q"], "-q"),
        (["third.jsonl"], "third.jsonl"),
        (["--fair.unit", "token", "third.jsonl"], "third.jsonl"),
    ],
)
def test_options_that_cannot_be_used_are_named(here, arguments, message):
    before = set(os.listdir(here))
    assert message in refused("score", here / "gold.spacy", here / "pred.spacy", "-o", here / "out.json", *arguments)
    assert set(os.listdir(here)) == before


def test_options_are_checked_before_the_files_are_read(here):
    assert "no metric" in refused("score", here / "nowhere.spacy", here / "nowhere.spacy", "-m", "fare")


def test_tokens_cannot_be_counted_where_a_text_has_none(here):
    said = refused("score", here / "gold.jsonl", here / "pred.jsonl", "--fair.unit", "token", "-o", here / "out.json")
    assert "this document has no tokens" in said
    assert "'tokens'" in said
    assert ".spacy" in said
    assert not (here / "out.json").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("report", "-o", "r.txt"), "--output r.txt: expected a .html or .htm file"),
        (("report", "-o", "r.html", "--format", "jsonl,markdown"), "--format jsonl,markdown: no table is printed"),
        (
            ("count", "-o", "c.npz", "--format", "markdown"),
            "so markdown has no effect here; input formats are bioc, brat",
        ),
        (("count", "-o", "c.npz", "--format", "terminal"), "so terminal has no effect here"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_would_be_ignored_is_refused(here, arguments, said):
    name, *options = arguments
    before = sorted(here.iterdir())
    assert said in refused(name, here / "gold.jsonl", here / "pred.jsonl", *options)
    assert sorted(here.iterdir()) == before


def test_metrics_of_a_set_that_cannot_be_computed_are_left_out_aloud(here):
    result = run("score", here / "gold.jsonl", here / "pred.jsonl", "--metrics", "all", "-o", here / "s.json")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "tmr is left out: it needs --train FILE",
        f"token is left out: {here / 'gold.jsonl'} has no tokens",
    ]
    counted = json.loads((here / "s.json").read_text(encoding="utf8"))["metrics"]
    assert counted.keys() == {*spacy_nereval.names()} - {"tmr", "token"}


def test_a_result_cannot_go_where_there_is_no_directory(here):
    said = refused("score", here / "gold.spacy", here / "pred.spacy", "-o", here / "no" / "out.json")
    assert f"{here / 'no' / 'out.json'} cannot be written: there is no directory {here / 'no'}" in said
    assert not (here / "no").exists()


@pytest.mark.parametrize(
    "arguments", [["--digits", "11"], ["--digits", "-1"], ["--digits", "two"], ["--output", "folder"]], ids=" ".join
)
def test_an_option_of_the_wrong_kind_is_bad_usage(here, arguments, monkeypatch):
    monkeypatch.chdir(here)
    (here / "folder").mkdir()
    result = run("score", "gold.spacy", "pred.spacy", *arguments)
    assert result.exit_code == 2
    assert arguments[0] in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("command", ["evaluate", "count", "compare", "detach"])
def test_too_few_arguments_are_bad_usage(command):
    assert run(command, "one").exit_code == 2
