"""The command `score`: what it prints and writes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from commands import accepted, line, tables_in, write
from docs import doc, write_docs
from typer.testing import CliRunner

import spacy_nereval
from spacy_nereval.cli import nereval
from spacy_nereval.io.read import read_files


def result_of(here: Path, *arguments: Any, gold: str = "gold.spacy", pred: str = "pred.spacy") -> dict[str, Any]:
    """What `score` writes."""
    accepted("score", here / gold, here / pred, "--output", here / "out.json", *arguments)
    return json.loads((here / "out.json").read_text(encoding="utf8"))


def test_an_undefined_score_is_a_dash_and_null(tmp_path):
    path = write(tmp_path / "a.jsonl", line("abc"))
    printed = accepted("score", path, path, "-o", tmp_path / "out.json", "-t", "scores")
    assert printed.startswith("1 document, 0 gold spans, 0 predicted spans: fair F -; no errors\n")
    assert ["strict", "-", "-", "-"] in tables_in(printed)["Scores (micro)"]
    written = json.loads((tmp_path / "out.json").read_text())["metrics"]
    assert written["strict"]["scores"] == {"p": None, "r": None, "f": None}


@pytest.mark.parametrize("listed", ["fair,wrf", " wrf , fair ", "fair"])
def test_only_the_metrics_asked_for_are_scored_in_that_order(here, listed):
    assert list(result_of(here, "--metrics", listed)["metrics"]) == [name.strip() for name in listed.split(",")]


@pytest.mark.parametrize(
    "arguments, metric, option, value",
    [
        (["--fair.unit", "token"], "fair", "unit", "token"),
        (["--fair.unit=token"], "fair", "unit", "token"),
        (["--loio.s", "0.3"], "loio", "s", 0.3),
        (["--loio.s", "1", "--loio.match", "optimal"], "loio", "s", 1.0),
        (["--wrf.weights", "lenient"], "wrf", "weights", "lenient"),
        (["--wrf.unique", "false"], "wrf", "unique", False),
        (["--wrf.unique"], "wrf", "unique", True),
        (["--fair.weights", '{"be_s": {"tp": 1}}'], "fair", "weights", {"be_s": {"tp": 1.0}}),
        (["--wrf.weights", '{"PER": 0.5, "LOC": 0.25, "combined": 0.25}'], "wrf", "weights", None),
        (["--slot_error.weights", "etape", "-m", "slot_error"], "slot_error", "weights", "etape"),
        (["--semeval.beta", "0.5"], "semeval", "beta", 0.5),
    ],
)
def test_options_of_a_metric_go_behind(here, arguments, metric, option, value):
    found = result_of(here, *arguments)["metrics"][metric]
    value = {"PER": 0.5, "LOC": 0.25, "combined": 0.25} if value is None else value
    assert found["settings"][option] == value
    options = {option: value} | ({"match": "optimal"} if "optimal" in arguments else {})
    wanted = spacy_nereval.score(read_files(here / "gold.spacy", here / "pred.spacy"), {metric: options})
    assert found == wanted["metrics"][metric]


def test_a_key_scores_span_groups(tmp_path):
    grouped = doc("a b", (0, 1, "E"), spans={"k": [(0, 2, "A"), (0, 1, "B")]})
    gold = write_docs(tmp_path / "gold.spacy", [grouped, doc("a")])
    pred = write_docs(tmp_path / "pred.spacy", [doc("a b", spans={"k": [(0, 2, "A")]}), doc("a")])
    for name in ("--spans-key", "-sk"):
        found = result_of(tmp_path, name, "k", gold=gold.name, pred=pred.name)
        assert (found["documents"], found["skipped"]) == (1, 1)
        assert found["metrics"]["strict"]["counts"] == {"tp": 1, "fp": 0, "fn": 1} and "|spans:k|" in found["signature"]
    compared = accepted("compare", gold, gold, pred, "-m", "strict", "-sk", "k", "--trials", 99)
    assert "|spans:k|" in compared
    # Lines have one list of spans, which is what a key asks for.
    pred = write(tmp_path / "pred.jsonl", line("a b", (0, 1, "B")), line("a"))
    found = result_of(tmp_path, "-sk", "k", gold=gold.name, pred=pred.name)
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
    assert "\x1b" not in accepted(*arguments, color=True, env={"NO_COLOR": "1"})


def test_a_label_that_the_terminal_cannot_show_is_no_reason_to_fail(tmp_path):
    path = write(tmp_path / "a.jsonl", line("abc", (0, 1, "人名")))
    result = CliRunner(charset="cp1252").invoke(nereval, ["score", str(path), str(path)])
    assert result.exit_code == 0, result.stderr
    assert "100.00" in result.stdout
