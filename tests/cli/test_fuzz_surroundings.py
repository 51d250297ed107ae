"""Environments, terminals and kills at random: the same numbers, no steering, no lost byte."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest
import test_hostile_text as hostile
from fuzzing import HOSTILE, STEERING, trials
from places import ROOT
from processes import WITHOUT_SPACY

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="streams and signals are those of POSIX")]

GOLD, PRED, OTHER = (str(ROOT / "examples" / f"{name}.jsonl") for name in ("gold", "improved", "baseline"))
VARIABLES = {
    "COLUMNS": ("1", "20", "0", "x", "99999"),
    "LINES": ("0", "x"),
    "NO_COLOR": ("1", ""),
    "FORCE_COLOR": ("1",),
    "TERM": ("dumb", "xterm-256color", ""),
    "PYTHONIOENCODING": ("ascii", "latin-1", "utf8:strict", "cp1252"),
    "LC_ALL": ("C", "POSIX", "C.UTF-8", "tr_TR.UTF-8", "x"),
    "PYTHONUTF8": ("0", "1"),
    "TZ": ("UTC", "Pacific/Kiritimati", "x"),
    "TMPDIR": ("/nowhere", "."),
    "HOME": ("/nowhere",),
    "PYTHONHASHSEED": ("0", "1", "42"),
    "OMP_NUM_THREADS": ("1", "2"),
}


def light(folder: Path) -> list[str]:
    (folder / "light.py").write_text(f"{WITHOUT_SPACY}\nnereval()\n", encoding="utf8")
    return [sys.executable, "light.py"]


def test_the_environment_changes_no_number(tmp_path):
    command = [*light(tmp_path), "score", GOLD, PRED, "--confidence", "-o"]
    subprocess.run([*command, "plain.json"], cwd=tmp_path, check=True, capture_output=True)
    expected = (tmp_path / "plain.json").read_bytes()
    for numbers in trials("environment"):
        names = numbers.sample([*VARIABLES], numbers.randrange(1, 5))
        changed = {name: numbers.choice(VARIABLES[name]) for name in names}
        how = {"umask": numbers.choice((0o000, 0o077, 0o022)), "cwd": tmp_path, "env": os.environ | changed}
        done = subprocess.run([*command, "out.json"], capture_output=True, check=False, **how)
        said = f"{numbers.name}: {changed}: {done.stderr[-500:]!r}"
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False), said
        assert (tmp_path / "out.json").read_bytes() == expected, said
        (tmp_path / "out.json").unlink()


def test_no_text_steers_a_terminal(tmp_path):
    for numbers in trials("terminal"):
        text = "".join(numbers.choices([*STEERING, *HOSTILE, "Ada", "Bob"], k=4))
        here = tmp_path / f"{numbers.random()}"
        here.mkdir()
        hostile.corpus(here, text, "g.jsonl", "p.jsonl")
        named = {hostile.GOLD: "g.jsonl", hostile.PRED: "p.jsonl"}
        commands = {
            name: [[named.get(word, word) for word in each] for each in some]
            for name, some in numbers.sample([*hostile.COMMANDS.items()], 4)
        }
        found = hostile.printed(here, commands, terminal=numbers.random() < 0.7)
        said = f"{numbers.name}: {text!r}: {found[-400:]!r}"
        assert b"Traceback" not in found and b"codec can" not in found, said
        for steering in ("\x1b]", "\x07", "\u202e", "\x9b2J", "\x08", "\x00"):
            assert steering.encode() not in found, said


def test_a_kill_leaves_what_was_there_or_all_that_is_new(tmp_path):
    command = [*light(tmp_path), "count", "-m", "strict", "--collapse", "--append", "--unit", "document", "-o"]
    first, second = [GOLD, PRED], [str(ROOT / "examples" / "news.jsonl"), str(ROOT / "examples" / "news-answers.jsonl")]

    def counted(folder: Path, files: list[str]) -> bytes:
        done = subprocess.run([*command, "all.npz", *files], cwd=folder, check=False, capture_output=True)
        assert done.returncode == 0, done.stderr
        return (folder / "all.npz").read_bytes()

    base = tmp_path / "base"
    base.mkdir()
    light(base)
    before = counted(base, first)
    shutil.copytree(base, tmp_path / "whole")
    after = counted(tmp_path / "whole", second)
    assert before != after
    for numbers in trials("kill"):
        here = tmp_path / f"{numbers.random()}"
        shutil.copytree(base, here)
        with subprocess.Popen([*command, "all.npz", *second], cwd=here, stdout=-3, stderr=-3) as process:
            sleep(numbers.uniform(0.2, 0.8))
            process.send_signal(signal.SIGKILL)
        found = (here / "all.npz").read_bytes()
        assert found in (before, after), numbers.name
        if found == before:
            assert counted(here, second) == after, f"{numbers.name}: going on gives other bytes"
        shutil.rmtree(here)
