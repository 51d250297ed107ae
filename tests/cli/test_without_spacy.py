"""The command `nereval`: it imports spaCy only for a pipeline, a `.spacy` file or a tokeniser."""

from __future__ import annotations

import json
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from commands import GOLD, PRED, flat, write
from docs import doc, write_docs
from processes import python
from spacy.cli._util import app as spacy_app
from typer import Typer
from typer.testing import CliRunner

from spacy_nereval import cli
from spacy_nereval.cli import nereval
from spacy_nereval.cli import spacy_app as joining

RUN = """
import json, sys
from typer.testing import CliRunner
from spacy_nereval.cli import nereval

found = []
for arguments in json.loads(sys.argv[1]):
    result = CliRunner().invoke(nereval, arguments)
    heavy = [name for name in ("spacy", "thinc", "torch", "transformers") if name in sys.modules]
    found.append([result.exit_code, result.output, heavy])
print(json.dumps(found))
"""

CONLL = "-DOCSTART- O\n\nAda B-PER\nLovelace I-PER\nmet O\nBob B-PER\n"


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


@pytest.mark.costly
def test_files_of_text_are_scored_without_spacy_and_those_of_spacy_with_it(files, tmp_path):
    """All commands in one new process. The last one shows that the check can tell."""
    gold, pred, counts = files["gold"], files["pred"], tmp_path / "counts.npz"
    commands = [
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
        ["score", files["spacy"], files["spacy"]],
    ]
    given = json.dumps([[str(argument) for argument in command] for command in commands])
    done = python("-c", RUN, given)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    for command, (code, output, _) in zip(commands, found):
        assert code == 0, (command, output)
    assert "3 documents, 3 gold spans, 3 predicted spans" in found[0][1]
    *others, (_, _, with_spacy) = found
    assert [heavy for _, _, heavy in others] == [[]] * len(others)
    assert {"spacy", "thinc"} <= {*with_spacy}


def test_both_names_lead_to_the_same_commands():
    (script,) = entry_points(group="console_scripts", name="nereval")
    (added,) = entry_points(group="spacy_cli", name="nereval")
    assert script.load() is added.load() is nereval


def no_module(monkeypatch) -> None:
    monkeypatch.delattr(cli, "nereval")
    monkeypatch.setitem(sys.modules, "spacy_nereval.cli.score", None)


def no_option(monkeypatch) -> None:
    def refused(*given: object) -> None:
        raise RuntimeError("Type not yet\nsupported: int | None")  # as typer before 0.12.4 says it

    monkeypatch.setattr(joining, "get_command", refused)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (lambda monkeypatch: None, ""),
        (no_module, "(ModuleNotFoundError: import of spacy_nereval.cli.score halted; None in sys.modules)"),
        (no_option, "(RuntimeError: Type not yet supported: int | None)"),
    ],
)
def test_spacys_own_commands_work_whatever_keeps_ours_from_loading(monkeypatch, broken, said):
    app = Typer()
    app.command("info")(lambda: print("of spaCy"))
    monkeypatch.setattr(joining, "app", app)
    broken(monkeypatch)
    assert callable(joining.added())
    assert "of spaCy" in CliRunner().invoke(app, ["info"]).output
    for arguments in (["score", "a.jsonl", "--help"], ["--version"], []):
        done = CliRunner().invoke(app, ["nereval", *arguments])
        assert (f"✘ the commands of spacy-nereval cannot be loaded {said}: install" in done.output) is bool(said)
        assert done.exit_code == 2 or not said


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
