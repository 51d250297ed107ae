"""Every command works with closed streams, as a shell can close them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from commands import GOLD, GOLD_DOCS, PRED, run, write
from docs import write_docs
from processes import WITHOUT_SPACY

from spacy_nereval.cli import nereval


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    """Files for every command."""
    folder = tmp_path_factory.mktemp("corpus")
    systems = folder / "p.jsonl", folder / "g.jsonl"
    for times, name in ((9, "b.json"), (8, "a.json")):
        write(folder / "g.jsonl", *GOLD * times)
        write(folder / "p.jsonl", *PRED * times)
        assert run("compare", folder / "g.jsonl", *systems, "-m", "strict", "-o", folder / name).exit_code == 0
    write_docs(folder / "g.spacy", GOLD_DOCS)
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
    nlp.to_disk(folder / "model")
    (folder / "policy.cfg").write_text(
        '[gate]\ntoo_few = "pass"\n\n[gate.rules]\n\n[gate.rules.a]\nscore = "strict_f"\nat_least = 0\n'
    )
    write(folder / "marks.jsonl")
    for name in ("one.npz", "two.npz"):
        assert run("count", folder / "g.jsonl", folder / "p.jsonl", "-o", folder / name).exit_code == 0
    return folder


pytestmark = pytest.mark.costly

COMMANDS = {
    "score": ("score", "g.jsonl", "p.jsonl", "-m", "strict", "-o", "out.json"),
    "compare": ("compare", "g.jsonl", "p.jsonl", "g.jsonl", "-m", "strict", "--trials", "20", "-o", "out.json"),
    "errors": ("errors", "g.jsonl", "p.jsonl"),
    "evaluate": ("evaluate", "model", "g.spacy", "-m", "strict", "-o", "out.json"),
    "count": ("count", "g.jsonl", "p.jsonl", "-m", "strict", "-o", "out.npz"),
    "merge": ("merge", "one.npz", "-o", "out.npz"),
    "convert": ("convert", "g.jsonl", "out.conll"),
    "training": ("training", "g.jsonl", "-o", "out.json"),
    "datasets": ("datasets", "a.json", "b.json"),
    "agreement": ("agreement", "g.jsonl", "p.jsonl", "-m", "strict", "-o", "out.json"),
    "detach": ("detach", "model", "out"),
    "metrics": ("metrics", "fair"),
    "doctor": ("doctor",),
    "init-config": ("init-config",),
    "gate": ("gate", "policy.cfg", "g.jsonl", "g.jsonl", "-o", "out.json"),
    "plan": ("plan", "g.jsonl", "g.jsonl", "--policy", "policy.cfg", "-o", "out.json"),
    "apply": ("apply", "g.jsonl", "marks.jsonl", "-o", "out.jsonl"),
    "report": ("report", "g.jsonl", "p.jsonl", "-o", "out.html"),
    "thresholds": ("thresholds", "g.jsonl", "p.jsonl", "--missing-score", "1", "-m", "strict", "-o", "out.json"),
    "a mistake": ("score", "nowhere.jsonl", "p.jsonl"),
    "bad usage": ("score", "--digits", "x"),
    "help": ("score", "--help"),
}


STREAMS = ("stdin", "stdout", "stderr")


CLOSED = [
    *((name, STREAMS) for name in COMMANDS),
    *(("score", (stream,)) for stream in STREAMS),
    ("a mistake", ("stderr",)),
    ("help", ("stdout",)),
]
"""Commands, and which streams are closed: all of them for every command, and single ones."""


@pytest.mark.parametrize(("name", "closed"), CLOSED, ids=[f"{name}-{'+'.join(closed)}" for name, closed in CLOSED])
def test_every_command_works_with_closed_streams(name, closed, corpus, monkeypatch):
    """As Python starts where a shell has closed them."""
    monkeypatch.chdir(corpus)
    for stream in closed:
        monkeypatch.setattr(sys, stream, None)
        monkeypatch.setattr(sys, f"__{stream}__", None)
    with pytest.raises(SystemExit) as ended:
        nereval([*COMMANDS[name]])
    opened = [getattr(sys, stream) for stream in closed]
    for stream in opened:
        stream.close()
    shutil.rmtree("out", ignore_errors=True)
    assert ended.value.code == (2 if name in ("a mistake", "bad usage") else 0)
    assert {stream.name for stream in opened} == {os.devnull}


def test_every_command_is_tried_with_closed_streams():
    assert {command[0] for command in COMMANDS.values()} == {command.name for command in nereval.registered_commands}


def shell(program: str, arguments: str, corpus: Path) -> subprocess.CompletedProcess[bytes]:
    """What a shell runs in the folder; `light.py` starts without spaCy."""
    (corpus / "light.py").write_text(f"{WITHOUT_SPACY}\nnereval()\n")
    return subprocess.run(f"{sys.executable} {program} {arguments}", shell=True, cwd=corpus, capture_output=True)


@pytest.mark.skipif(os.name != "posix", reason="the output is redirected by a POSIX shell")
@pytest.mark.parametrize(
    ("command", "output"),
    [
        *(("score g.jsonl p.jsonl -m strict -o", name) for name in ("-", "/dev/stdout")),
        ("score g.jsonl p.jsonl -m strict --per-document", "/dev/stderr"),
        ("errors g.jsonl p.jsonl -m strict -o", "/proc/self/fd/1"),
        ("gate --init", "/dev/stdout"),
    ],
)
def test_an_output_that_is_a_stream_does_not_replace_the_log_behind_it(command, output, corpus):
    (corpus / "log.txt").write_text("an old line\n")
    done = shell("light.py", f"{command} {output} {'2>>' if output == '/dev/stderr' else '>>'} log.txt", corpus)
    written = (corpus / "log.txt").read_text()
    assert done.returncode == 0
    assert written.startswith("an old line\n")
    assert len(written.splitlines()) > 3
    assert not (corpus / "-").exists()


@pytest.mark.parametrize(("program", "closed"), [("-m spacy nereval", ">&-"), ("light.py", "<&- 2>&-")])
@pytest.mark.skipif(os.name != "posix", reason="streams are closed by a POSIX shell")
def test_a_shell_may_close_streams(program, closed, corpus):
    done = shell(program, f"score g.jsonl p.jsonl -m strict -o shell.json {closed}", corpus)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (">&-" in closed.split()) == (not done.stdout)
    (corpus / "shell.json").unlink()
