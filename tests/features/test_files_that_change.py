"""Files that vanish or shrink while they are read, and commands that write the same file at the same time."""

import json
import subprocess
import sys

import pytest
from commands import GOLD, write
from processes import WITHOUT_SPACY, python
from products import NIGHT
from samples import write_sample

# Runs a command on each path again and again, and deletes a file, or cuts it in half, when it is opened for the first
# time, for the second ...
SESSION = """
import json, os, shutil, sys
from pathlib import Path
from click.testing import CliRunner
from typer.main import get_command
from spacy_nereval.cli import nereval

nereval = get_command(nereval)
waiting = victim = change = None

def watch(event, arguments):
    global waiting
    if event == "open" and waiting is not None and str(arguments[0]) == victim:
        waiting -= 1
        if waiting == 0:
            waiting = None
            os.unlink(victim) if change == "vanishes" else os.truncate(victim, os.path.getsize(victim) // 2)

sys.addaudithook(watch)
for path, victim, keep in json.loads(sys.argv[1]):
    for change in ("vanishes", "shrinks"):
        endings, number = [], 0
        while True:
            shutil.copy(keep, victim)
            number += 1
            waiting = number
            result = CliRunner().invoke(nereval, ["score", path, path, "-m", "strict"])
            if waiting is not None:
                waiting = None
                break
            endings.append((number, result.exit_code, result.stderr, repr(result.exception)))
        print(json.dumps([path, change, endings]))
"""
NAMES = ("Prodigy", "Label Studio", "CoNLL-U", "BioC", "brat", "Parquet", "XMI zip", "SGML")


@pytest.mark.nightly
@pytest.mark.slow
def test_a_file_that_changes_while_it_is_read_is_named_or_read(tmp_path):
    places = []
    for name in NAMES:
        folder = tmp_path / name
        folder.mkdir()
        path = write_sample(name, folder)
        victim = path / "a.ann" if path.is_dir() else path
        keep = folder / "keep"
        keep.write_bytes(victim.read_bytes())
        places.append([str(path), str(victim), str(keep)])
    ended = python("-c", SESSION, json.dumps(places))
    assert ended.returncode == 0, ended.stderr
    lines = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("[")]
    assert len(lines) == 2 * len(NAMES)
    for path, change, endings in lines:
        assert endings, path
        for number, status, said, error in endings:
            ended_well = status == 0 or (status == 2 and said.count("✘") == 1)
            assert ended_well, (path, change, number, status, said, error)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", ["score {} {} -m strict -o out.json", pytest.param("convert {} out.jsonl", marks=NIGHT)]
)
def test_of_commands_that_write_one_file_at_once_one_leaves_its_whole_file(command, tmp_path):
    light = f"{WITHOUT_SPACY}\nnereval()"
    write(tmp_path / "one.jsonl", *GOLD)
    write(tmp_path / "two.jsonl", *({**row, "id": str(k)} for k in range(300) for row in GOLD[:1]))
    runs = [
        subprocess.Popen([sys.executable, "-c", light, *command.replace("{}", name).split()], cwd=tmp_path)
        for name in ("one.jsonl", "two.jsonl", "one.jsonl")
    ]
    assert [run.wait(timeout=200) for run in runs] == [0, 0, 0]
    names = {path.name for path in tmp_path.iterdir()} - {"one.jsonl", "two.jsonl"}
    (output,) = (tmp_path / name for name in names)  # and no temporary file
    text = output.read_text(encoding="utf8")
    documents = json.loads(text)["documents"] if output.suffix == ".json" else text.count("\n")
    assert documents in (len(GOLD), 300)
