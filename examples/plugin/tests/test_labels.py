"""The feature is found by its entry point, through both doors."""

import json

import pytest
from typer.testing import CliRunner

import spacy_nereval
from spacy_nereval.cli import nereval


@pytest.fixture
def gold(tmp_path):
    spans = [{"start": 0, "end": 3, "label": "PER"}, {"start": 8, "end": 11, "label": "PER"}]
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps({"text": "Ada met Bob", "spans": spans}) + "\n")
    return path


def test_python_counts_labels(gold):
    assert spacy_nereval.label_counts(gold) == {"PER": 2}


def test_the_command_prints_them(gold):
    assert CliRunner().invoke(nereval, ["labels", str(gold)]).output == "PER 2\n"


def test_a_missing_file_is_one_sentence(tmp_path):
    done = CliRunner().invoke(nereval, ["labels", str(tmp_path / "none.jsonl")])
    assert done.exit_code == 2 and "does not exist" in done.output
