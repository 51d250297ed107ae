"""The command `nereval`: it imports spaCy only for a pipeline, a `.spacy` file or a tokeniser."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from commands import GOLD, PRED, flat, write
from docs import doc, write_docs
from spacy.cli._util import app as spacy_app
from typer.testing import CliRunner

from spacy_nereval.cli import nereval

RUN = """
import json, sys
from typer.testing import CliRunner

heavy = ("spacy", "thinc", "torch", "transformers")
if blocked := json.loads(sys.argv[1]):
    sys.modules.update(dict.fromkeys(heavy))  # so that importing them fails
from spacy_nereval.cli import nereval

results = [CliRunner().invoke(nereval, arguments) for arguments in json.loads(sys.argv[2])]
imported = [name for name in heavy if sys.modules.get(name)]
print(json.dumps([[[result.exit_code, result.output] for result in results], imported]))
"""

CONLL = "-DOCSTART- O\n\nAda B-PER\nLovelace I-PER\nmet O\nBob B-PER\n"


def in_a_new_process(commands: list[list[str]], *, blocked: bool = True) -> tuple[list[list], list[str]]:
    """The exit code and the output of each command, and which heavy packages the commands imported."""
    arguments = [json.dumps(blocked), json.dumps([[str(argument) for argument in each] for each in commands])]
    done = subprocess.run([sys.executable, "-c", RUN, *arguments], capture_output=True, encoding="utf8", timeout=120)
    assert done.returncode == 0, done.stderr
    results, imported = json.loads(done.stdout.splitlines()[-1])
    return results, imported


@pytest.fixture
def files(tmp_path) -> dict[str, Path]:
    found = {"gold": write(tmp_path / "gold.jsonl", *GOLD), "pred": write(tmp_path / "pred.jsonl", *PRED)}
    found["conll"] = write(tmp_path / "gold.conll", CONLL)
    found["brat"] = tmp_path / "brat"
    found["brat"].mkdir()
    (found["brat"] / "a.txt").write_text("Ada Lovelace met Bob", encoding="utf8")
    (found["brat"] / "a.ann").write_text("T1\tPER 0 12\tAda Lovelace\nT2\tPER 17 20\tBob\n", encoding="utf8")
    found["spacy"] = write_docs(tmp_path / "gold.spacy", [doc("Ada met Bob", (0, 1, "PER"))])
    return found


def test_files_of_text_are_scored_without_spacy(files, tmp_path):
    gold, pred, counts = files["gold"], files["pred"], tmp_path / "counts.npz"
    results, imported = in_a_new_process(
        [
            ["score", gold, pred],
            ["score", files["conll"], files["conll"], "--metrics", "all"],
            ["score", files["brat"], files["brat"], "--confidence"],
            ["errors", gold, pred],
            ["compare", gold, pred, gold],
            ["count", gold, pred, "-o", counts],
            ["merge", counts, "-o", tmp_path / "merged.npz"],
            ["score", tmp_path / "merged.npz"],
            ["training", gold, "-o", tmp_path / "lexicon.json"],
            ["score", gold, pred, "--by", "eLen"],
            ["report", gold, pred, "-o", tmp_path / "report.html"],
            ["metrics", "fair"],
            ["--help"],
            ["score", "--help"],
        ]
    )
    for code, output in results:
        assert code == 0, output
    assert "3 documents, 3 gold spans, 3 predicted spans" in results[0][1]
    assert "--fair.unit" in results[-3][1]
    assert imported == []


def test_spacy_is_imported_for_a_spacy_file(files):
    """So that the test above can fail: here the same check finds spaCy."""
    ((code, output),), imported = in_a_new_process([["score", files["spacy"], files["spacy"]]], blocked=False)
    assert code == 0, output
    assert {"spacy", "thinc"} <= {*imported}


def test_both_names_lead_to_the_same_commands():
    (script,) = entry_points(group="console_scripts", name="nereval")
    (added,) = entry_points(group="spacy_cli", name="nereval")
    assert script.load() is added.load() is nereval


@pytest.mark.parametrize(
    ("app", "arguments", "typed"),
    [(nereval, [], "nereval"), (spacy_app, ["nereval"], "python -m spacy")],
)
def test_usage_shows_the_name_that_was_typed(app, arguments, typed):
    entry_points(group="spacy_cli", name="nereval")["nereval"].load()
    name = " ".join([typed, *arguments])
    for command in ([], ["score"]):
        said = flat(CliRunner().invoke(app, [*arguments, *command, "--help"], prog_name=typed).output)
        assert f"Usage: {' '.join([name, *command])} [OPTIONS]" in said
    mistake = CliRunner().invoke(app, [*arguments, "score"], prog_name=typed)
    assert mistake.exit_code == 2
    assert f"Usage: {name} score [OPTIONS]" in flat(mistake.output)
    assert f"Try '{name} score --help' for help" in flat(mistake.output)


def test_the_shell_completes_commands(monkeypatch):
    monkeypatch.setenv("_NEREVAL_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "nereval me")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert CliRunner().invoke(nereval, [], prog_name="nereval").output.split() == ["merge", "metrics"]
