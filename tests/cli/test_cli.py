"""The commands `python -m spacy nereval ...` beside those that score: metrics, detach; and the command as a process."""

from __future__ import annotations

import json
import os
from subprocess import CompletedProcess
from typing import Any

import pytest
import spacy
from commands import accepted, refused, tables_in
from docs import train
from processes import python
from spacy.cli._util import app
from typer.testing import CliRunner

import spacy_nereval
from spacy_nereval.cli import nereval
from spacy_nereval.core.about import __version__
from spacy_nereval.metrics.registry import options_of

# metrics


def test_metrics_lists_every_metric_with_its_source_and_every_option():
    printed = accepted("metrics")
    flat = " ".join(printed.split())
    for name in spacy_nereval.names():
        assert f"\n{name}\n" in printed
        for option in options_of(name):
            assert f"--{name}.{option.name} [" in flat
            assert option.help in flat
    assert flat.count("Source: ") == len(spacy_nereval.names())
    assert "--loio.s [number >= 0, <= 1; default 0.75]" in flat


def test_metrics_shows_one_metric_at_length():
    printed = accepted("metrics", "wrf")
    assert "For each document and class" in printed
    assert "--wrf.unique [true | false; default True]" in printed
    assert "\nfair\n" not in printed
    assert len(accepted("metrics").split()) > len(printed.split())


# detach


@pytest.mark.costly
def test_detach_saves_a_pipeline_without_the_package(model, tmp_path):
    assert "saved to" in accepted("detach", model, tmp_path / "new")
    saved = spacy.load(tmp_path / "new")
    assert saved.pipe_names == ["entity_ruler", "span_ruler"]
    assert [ent.text for ent in saved("Ada met Bob").ents] == ["Ada", "Bob"]
    assert "nereval" not in (tmp_path / "new" / "config.cfg").read_text(encoding="utf8")
    assert spacy.load(model).pipe_names == ["entity_ruler", "span_ruler", "nereval"]


@pytest.mark.costly
def test_detach_saves_a_trained_pipeline_with_its_weights(tmp_path):
    train(tmp_path)
    accepted("detach", tmp_path / "model-best", tmp_path / "new")
    before, after = (spacy.load(tmp_path / name) for name in ("model-best", "new"))
    assert after.get_pipe("ner").model.to_bytes() == before.get_pipe("ner").model.to_bytes()
    assert after.config["components"]["ner"]["scorer"] == {"@scorers": "spacy.ner_scorer.v1"}


def test_detach_does_not_write_over_anything(model, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    for name in ("full", "full/file"):
        said = refused("detach", model, tmp_path / name)
        assert f"{tmp_path / name} exists and is not empty: choose a new directory" in said
    assert os.listdir(tmp_path / "full") == ["file"]
    (tmp_path / "empty").mkdir()
    accepted("detach", model, tmp_path / "empty")


def test_detach_says_that_it_is_done_on_any_terminal(model, tmp_path):
    result = CliRunner(charset="cp1252").invoke(nereval, ["detach", str(model), str(tmp_path / "new")])
    assert result.exit_code == 0, result.stderr


# As a process of its own


def spacy_says(*arguments: Any) -> CompletedProcess[str]:
    return python("-m", "spacy", *arguments, env={"FORCE_COLOR": ""})


def test_spacy_knows_the_command():
    assert spacy.registry.cli.get("nereval") is nereval
    listed = CliRunner().invoke(app, ["nereval", "--help"]).stdout
    assert [name for name in ("score", "evaluate", "metrics", "detach") if name not in listed] == []


@pytest.mark.costly
def test_the_command_prints_plain_text_into_a_pipe(here):
    done = spacy_says("nereval", "score", here / "gold.spacy", here / "pred.spacy", "-o", here / "out.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert "\r" not in done.stdout
    assert "Also: strict 33.33, " in done.stdout
    assert tables_in(done.stdout)["Verdicts (fair)"][0][:3] == ["tp", "correct", "1"]
    assert json.loads((here / "out.json").read_text(encoding="utf8"))["documents"] == 3


@pytest.mark.costly
def test_the_command_fails_in_one_line_without_a_traceback(here):
    done = spacy_says("nereval", "score", here / "gold.jsonl", here / "nowhere.jsonl")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"✘ {here / 'nowhere.jsonl'} does not exist or is not a file\n"


@pytest.mark.costly
@pytest.mark.parametrize("program", [["-m", "spacy_nereval"], ["-m", "spacy", "nereval"]])
def test_the_version_is_said_by_every_door(program):
    done = python(*program, "--version")
    assert (done.returncode, done.stdout.strip()) == (0, f"spacy-nereval {__version__}"), done.stderr
