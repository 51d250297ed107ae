"""Text of data and names of files that would steer a terminal, and text that is no Unicode, through every command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from spacy_nereval.cli import nereval
from spacy_nereval.io.marks import gold_digest
from spacy_nereval.io.writing import json_line

OSC = "\x1b]52;c;aGVsbG8=\x07"
"""What writes the clipboard of many terminals."""
TURNED, C1, HALF = "\u202e", "\x9b2J", "\ud800"
GOLD, PRED = f"gold{OSC}.jsonl", f"pred{OSC}{TURNED}.jsonl"

COMMANDS = {
    "score": [
        [GOLD, PRED, "-m", "all", "--tables", "all", "--confidence"],
        *([GOLD, PRED, "--format", name] for name in ("csv", "markdown", "latex", "json", "html")),
        [GOLD, f"no{OSC}"],
        [GOLD, PRED, "--only", f"X{OSC}"],
        [GOLD, PRED, f"--meric{OSC}"],
        [GOLD, PRED, "--fair.unit", OSC],
        [GOLD, PRED, "-o", f"{OSC}/x.json"],
        [GOLD, PRED, "-m", "strict", "--code", "warning.py"],
    ],
    "compare": [[GOLD, GOLD, PRED, "--tables", "all", "--labels", "--trials", "20"]],
    "errors": [[GOLD, PRED], [GOLD, PRED, "-o", "-"], [GOLD, PRED, "-o", "errors.csv"]],
    "report": [[GOLD, PRED, "-o", "report.html"]],
    "agreement": [[GOLD, PRED, "--tables", "all", "--disputes", "disputes.json", "--html", "agreement.html"]],
    "thresholds": [[GOLD, PRED, "--tables", "all", "--cut-file", "cut.json"]],
    "count": [[GOLD, PRED, "-o", "counts.npz"]],
    "merge": [["counts.npz", "counts.npz", "-o", f"merged{OSC}.npz"]],
    "convert": [[GOLD, "-"], [GOLD, f"new{OSC}.conll"], [GOLD, "new.spacy"]],
    "training": [[GOLD, "-o", f"lexicon{OSC}.json"]],
    "gate": [[f"no{OSC}.cfg", GOLD, PRED], [str(Path("policy.cfg")), GOLD, PRED, "--baseline", GOLD]],
    "plan": [[GOLD, PRED, "--baseline", GOLD, "--policy", "policy.cfg"], [GOLD, PRED, "--policy", f"no{OSC}.cfg"]],
    "apply": [[GOLD, f"no{OSC}", "-o", "new.jsonl"], [GOLD, "marks.jsonl", "-o", f"new{OSC}.jsonl"]],
    "datasets": [[f"a{OSC}", f"b{OSC}"]],
    "metrics": [[f"x{OSC}"]],
    "init-config": [[f"c{OSC}.cfg"]],
    "detach": [[f"a{OSC}", "b"]],
    "evaluate": [[f"m{OSC}", GOLD]],
    "doctor": [["--corpus", f"c{OSC}"]],
}
"""Arguments of every command, with hostile names, over documents with hostile ids, texts and labels."""


def rows(of: str, *, gold: bool) -> list[dict[str, Any]]:
    spans = [(0, 3, f"PER{of}", 0.5), (4, 9, f"LOC{of[:1]}", 0.7)]
    if not gold:
        spans = [(0, 5, f"PER{of}", 0.6), (12, 15, f"X{of}", 0.9)]
    return [
        {
            "id": f"d{of}{k}",
            "text": f"Ada {of} met Bob in Rome {k}",
            "meta": {f"a{of}": of},
            "spans": [dict(zip(("start", "end", "label", "score"), span)) for span in spans],
        }
        for k in range(6)
    ]


def corpus(folder: Path, of: str, gold: str, pred: str) -> None:
    for name, is_gold in ((gold, True), (pred, False)):
        lines = [json.dumps(row) for row in rows(of, gold=is_gold)]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="ascii")

    (folder / "warning.py").write_text(f"import warnings\n\nwarnings.warn({ascii(of)})\n", encoding="ascii")
    marks = [json.dumps(mark) for mark in marks_of(rows(of, gold=True), of)]
    (folder / "marks.jsonl").write_text("\n".join(marks), encoding="ascii")


def marks_of(gold: list[dict[str, Any]], of: str) -> list[dict[str, Any]]:
    """A decision on a span of each document, and a place without one."""
    marks = []
    for row in gold:
        spans = [(span["start"], span["end"], span["label"]) for span in row["spans"]]
        said = {"digest": gold_digest(row["id"], row["text"], spans), "mark": "gold wrong", "note": of, "reason": of}
        marks += [{**said, "gold": row["spans"][0], "decided": [{"start": 0, "end": 2, "label": f"NEW{of}"}]}]
        marks += [{**said, "gold": row["spans"][1]}]
    return marks


DRIVER = """
import json

from spacy_nereval.cli import nereval

nereval(["gate", "--init", "policy.cfg"], standalone_mode=False)
for name, *arguments in json.loads(open("commands.json").read()):
    print(f"== {name}", flush=True)
    try:
        nereval([name, *arguments])
    except SystemExit as error:
        print("==", error.code, flush=True)
"""
"""Runs many commands in one process."""


def printed(folder: Path, commands: dict[str, list[list[str]]], *, terminal: bool) -> bytes:
    """What commands print, both streams together, to a terminal or a pipe."""
    lines = [[name, *each] for name, some in commands.items() for each in some]
    (folder / "commands.json").write_text(json.dumps(lines))
    (folder / "driver.py").write_text(DRIVER, encoding="utf8")
    how: dict[str, Any] = {"cwd": folder, "env": os.environ | {"COLUMNS": "100", "PYTHONIOENCODING": "utf8"}}
    if not terminal:
        done = subprocess.run([sys.executable, "driver.py"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **how)
        return done.stdout
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "driver.py"], stdin=theirs, stdout=theirs, stderr=theirs, **how):
        os.close(theirs)
        found = b""
        try:
            while block := os.read(ours, 1 << 16):
                found += block
        except OSError:  # the other side is closed
            pass
    os.close(ours)
    return found


def test_every_command_is_tried():
    assert COMMANDS.keys() == {command.name for command in nereval.registered_commands}


@pytest.mark.costly
@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals are those of POSIX")
@pytest.mark.parametrize("terminal", [True, False])
def test_nothing_of_the_data_steers_a_terminal(tmp_path, terminal):
    corpus(tmp_path, f"{OSC}{TURNED}{C1}", GOLD, PRED)
    tried = COMMANDS if terminal else {name: COMMANDS[name] for name in ("score", "errors", "convert", "gate", "apply")}
    found = printed(tmp_path, tried, terminal=terminal)
    assert found.count(b"== ") == 2 * sum(map(len, tried.values())), found[-2000:].decode("utf8", "replace")
    assert b"Traceback" not in found
    for steering in (b"\x1b]", b"\x07", TURNED.encode(), C1.encode()):
        assert steering not in found, found[max(0, found.index(steering) - 300) :][:400]
    assert found.count(rb"\x1b]52") + found.count(rb"\u001b]52") > 40  # it is shown, harmlessly


@pytest.mark.costly
def test_what_is_no_unicode_is_scored_or_refused_with_its_document(tmp_path):
    corpus(tmp_path, HALF, "g.jsonl", "p.jsonl")
    named = {GOLD: "g.jsonl", PRED: "p.jsonl"}
    plain = {name: [[named.get(word, word) for word in each] for each in some] for name, some in COMMANDS.items()}
    commands = {name: [each for each in some if OSC not in "".join(each)] for name, some in plain.items()}
    commands["score"] += [["g.jsonl", "p.jsonl", "-o", "scores.json", "--per-document", "documents.csv"]]
    commands["convert"] += [["g.jsonl", "new.conll"], ["g.jsonl", "brat"]]
    found = printed(tmp_path, commands, terminal=False).decode("utf8")
    for said in ("Traceback", "codec can", "surrogates not allowed"):
        assert said not in found, found[max(0, found.index(said) - 500) :][:700]
    assert found.count("document d\\ud8000: the character '\\ud800' cannot be written in this format") == 3
    assert "counts.npz: the id of document 0 of g.jsonl is 'd\\ud8000': a lone surrogate is no character" in found
    assert json.loads((tmp_path / "scores.json").read_text(encoding="utf8"))["gold"] == 12


def test_json_is_equal_after_escaping():
    value = {f"a{OSC}": [TURNED, C1, HALF, "Zoë", 0.1]}
    assert json.loads(json_line(value)) == value
    assert json_line(value).isprintable()
